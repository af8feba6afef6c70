//! Rows of contact methods. Every function takes the tenant, or the tenants of a scope.

use base::problem::Problem;
use base::secret::Secret;
use db::{Conn, Quota, Result};
use diesel::prelude::*;
use ports::{SealedAt, Seals};

use super::rules::{self, Destination, SECRETS};
use crate::schema::contact_methods;

/// How many contact methods the people of a tenant have at most.
pub static QUOTA: Quota = Quota::new("contact methods", "contact_methods", 200_000);

/// One row of `contact_methods`.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable, AsChangeset)]
#[diesel(table_name = contact_methods, primary_key(tenant_id, id), treat_none_as_default_value = false)]
pub struct Row {
    /// The tenant of the person.
    pub tenant_id: String,
    /// `CM-<uuid>`.
    pub id: String,
    /// Counts its changes; the `ETag`.
    pub version: i64,
    /// Whom it reaches.
    pub user_id: String,
    /// What they call it.
    pub name: String,
    /// `HTTP` or `EMAIL`.
    pub kind: String,
    /// Of `HTTP`.
    pub preset: String,
    /// JSON: what may be shown of where it leads.
    pub settings: String,
    /// JSON, sealed: the rest; empty when there is none.
    pub sealed: String,
    /// Was it shown to work?
    pub verified: bool,
    /// Of the code that was sent, in hex; empty when none is awaited.
    pub code_hash: String,
    /// Until when it is good.
    pub code_until_ms: i64,
    /// How many wrong ones were tried.
    pub code_tries: i64,
    /// When it was made.
    pub created_ms: i64,
    /// When it changed last.
    pub updated_ms: i64,
}

impl Row {
    fn place(&self) -> SealedAt<'_> {
        SealedAt { tenant: &self.tenant_id, table: "contact_methods", row: &self.id, column: "sealed" }
    }

    /// What may be shown of where it leads, `host` among it.
    pub fn settings(&self) -> Destination {
        serde_json::from_str(&self.settings).unwrap_or_default()
    }

    /// Where it leads, with its secrets.
    pub fn open(&self, seals: &dyn Seals) -> Result<Destination> {
        let mut destination = self.settings();
        destination.remove("host");
        if !self.sealed.is_empty() {
            let damaged = || db::Error::Fault(format!("what {} leads to does not open", self.id));
            let open = seals.open(self.place(), &self.sealed)?.ok_or_else(damaged)?;
            let secrets: Destination = serde_json::from_str(open.expose()).map_err(|_| damaged())?;
            destination.extend(secrets);
        }
        Ok(destination)
    }

    /// Writes where it leads.
    pub fn set(&mut self, seals: &dyn Seals, destination: &Destination) -> Result<()> {
        let (secret, mut shown): (Destination, Destination) =
            destination.clone().into_iter().partition(|(name, _)| SECRETS.contains(&name.as_str()));
        if let Some(host) = secret.get("url").and_then(|url| rules::host(url)) {
            shown.insert("host".to_owned(), host);
        }
        let json = |map: &Destination| serde_json::to_string(map).map_err(|error| db::Error::Fault(error.to_string()));
        self.settings = json(&shown)?;
        self.sealed =
            if secret.is_empty() { String::new() } else { seals.seal(self.place(), &Secret::new(json(&secret)?))? };
        Ok(())
    }

    /// Seals it under the key in use; `false` when it is already.
    pub fn reseal(&mut self, seals: &dyn Seals) -> Result<bool> {
        if self.sealed.is_empty() || seals.is_current(&self.sealed) {
            return Ok(false);
        }
        let destination = self.open(seals)?;
        self.set(seals, &destination).map(|()| true)
    }
}

/// The methods of a person, in the order in which they were made.
pub fn of_user(conn: &mut Conn, tenant: &str, user: &str) -> Result<Vec<Row>> {
    use contact_methods::dsl;
    let own = dsl::contact_methods.filter(dsl::tenant_id.eq(tenant)).filter(dsl::user_id.eq(user));
    Ok(own.order((dsl::created_ms, dsl::id)).limit(rules::MOST).load(conn)?)
}

/// The methods of people whose tenants are among these.
pub fn of_users(conn: &mut Conn, tenants: &[String], users: &[String]) -> Result<Vec<Row>> {
    use contact_methods::dsl;
    let mut found = Vec::new();
    for users in users.chunks(500) {
        let rows: Vec<Row> = dsl::contact_methods
            .filter(dsl::tenant_id.eq_any(tenants))
            .filter(dsl::user_id.eq_any(users))
            .order((dsl::created_ms, dsl::id))
            .load(conn)?;
        found.extend(rows);
    }
    Ok(found)
}

/// The method of a person with this id, or 404.
pub fn existing(conn: &mut Conn, tenant: &str, user: &str, id: &str) -> Result<Row> {
    let found = find(conn, tenant, id)?.filter(|row| row.user_id == user);
    Ok(found.ok_or_else(rules::unknown)?)
}

/// The method with this id.
pub fn find(conn: &mut Conn, tenant: &str, id: &str) -> Result<Option<Row>> {
    Ok(contact_methods::table.find((tenant, rules::normal_id(id))).get_result(conn).optional()?)
}

/// Keeps everybody else from the methods of a person until the end of the transaction.
pub fn take_up(conn: &mut Conn, tenant: &str, user: &str) -> Result<()> {
    db::lock(conn, &format!("contact:{tenant}:{user}"))
}

/// Stores a new one.
///
/// # Errors
/// 409 when the person has as many as there may be.
pub fn insert(conn: &mut Conn, row: &Row) -> Result<()> {
    if i64::try_from(of_user(conn, &row.tenant_id, &row.user_id)?.len()).is_ok_and(|count| count >= rules::MOST) {
        return Err(Problem::conflict(format!("A person has at most {} contact methods.", rules::MOST)).into());
    }
    QUOTA.admit(conn, &row.tenant_id, 1)?;
    diesel::insert_into(contact_methods::table).values(row).execute(conn)?;
    Ok(())
}

/// Stores one that has changed.
pub fn update(conn: &mut Conn, row: &Row) -> Result<()> {
    diesel::update(contact_methods::table.find((&row.tenant_id, &row.id))).set(row).execute(conn)?;
    Ok(())
}

/// Removes one.
pub fn delete(conn: &mut Conn, row: &Row) -> Result<()> {
    diesel::delete(contact_methods::table.find((&row.tenant_id, &row.id))).execute(conn)?;
    Ok(())
}

/// Some of those of all tenants that are sealed, behind one; for a rotation of keys.
pub fn sealed(conn: &mut Conn, behind: &(String, String), most: i64) -> Result<Vec<Row>> {
    let after = db::Condition::sql("(contact_methods.tenant_id, contact_methods.id) > (").text(&behind.0).then(", ");
    let after = after.text(&behind.1).then(")");
    let sealed = contact_methods::table.filter(contact_methods::sealed.ne("")).filter(after);
    Ok(sealed.order((contact_methods::tenant_id, contact_methods::id)).limit(most).load(conn)?)
}
