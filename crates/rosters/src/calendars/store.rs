//! Rows of calendars, and their tokens. Every function takes the tenant.

use api::feed;
use base::{Found, Key, Walk, query::Sort, secret::Secret, timestamp::Timestamp};
use db::{Column, Conn, Order, Quota, Result};
use diesel::prelude::*;

use crate::schema::roster_calendars;

/// Whose calendar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Of {
    /// All shifts of a roster.
    Roster(String),
    /// All shifts of a user.
    User(String),
}

impl Of {
    /// Where its feed is, below the tenant.
    pub fn place(&self) -> String {
        match self {
            Self::Roster(id) => format!("rosters/{id}"),
            Self::User(id) => format!("rosters/users/{id}"),
        }
    }

    fn columns(&self) -> (Option<String>, Option<String>) {
        match self {
            Self::Roster(id) => (Some(id.clone()), None),
            Self::User(id) => (None, Some(id.clone())),
        }
    }
}

/// How many calendars of rosters a tenant has at most.
pub static QUOTA: Quota = Quota::new("calendars of rosters", "roster_calendars", 10_000);

/// One row of `roster_calendars`.
#[derive(Clone, Debug, PartialEq, Queryable, Insertable)]
#[diesel(table_name = roster_calendars, treat_none_as_default_value = false)]
pub struct Calendar {
    /// The tenant of the roster; for a user, the tenant whose rosters are meant.
    pub tenant_id: String,
    /// `CAL-<uuid>`.
    pub id: String,
    /// SHA-256 of the token, in hex.
    pub hash: String,
    /// Of a roster's calendar.
    pub roster_id: Option<String>,
    /// Of a user's calendar.
    pub user_id: Option<String>,
    /// Who made it.
    pub created_by: String,
    /// When it was made.
    pub created_ms: i64,
}

impl Calendar {
    /// What is shown of it, with who made it.
    pub fn address<A>(&self, created_by: A) -> feed::Address<A> {
        feed::Address {
            id: self.id.clone(),
            created_by,
            created_time: Timestamp::from_millis(self.created_ms),
            expires_time: feed::end(self.created_ms),
        }
    }

    /// The same among all of its tenant.
    pub fn listed<A>(&self, created_by: A) -> feed::AddressOf<A> {
        let of = self.roster_id.as_ref().or(self.user_id.as_ref()).cloned().unwrap_or_default();
        feed::AddressOf { address: self.address(created_by), of, tenant: self.tenant_id.clone() }
    }
}

/// Stores a new calendar.
pub fn insert(
    conn: &mut Conn,
    tenant: &str,
    of: &Of,
    token: &Secret<String>,
    created_by: &str,
    created_ms: i64,
) -> Result<Calendar> {
    let (roster_id, user_id) = of.columns();
    let row = Calendar {
        tenant_id: tenant.to_owned(),
        id: format!("CAL-{}", uuid::Uuid::new_v4()),
        hash: feed::hash(token.expose()),
        roster_id,
        user_id,
        created_by: created_by.to_owned(),
        created_ms,
    };
    QUOTA.admit(conn, &row.tenant_id, 1)?;
    diesel::insert_into(roster_calendars::table).values(&row).execute(conn)?;
    Ok(row)
}

/// The calendars of a roster or a user, oldest first.
pub fn list(conn: &mut Conn, tenant: &str, of: &Of) -> Result<Vec<Calendar>> {
    use roster_calendars::dsl;
    let query = dsl::roster_calendars.filter(dsl::tenant_id.eq(tenant)).order((dsl::created_ms, dsl::id));
    Ok(match of {
        Of::Roster(id) => query.filter(dsl::roster_id.eq(Some(id))).load(conn)?,
        Of::User(id) => query.filter(dsl::user_id.eq(Some(id))).load(conn)?,
    })
}

/// A page of all calendars of these tenants.
pub fn page(conn: &mut Conn, tenants: &[String], sort: Sort, walk: &Walk) -> Result<Found<Calendar>> {
    use roster_calendars::dsl;
    let wanted = || dsl::roster_calendars.filter(dsl::tenant_id.eq_any(tenants.to_vec()));
    let columns = [Column::Integer("roster_calendars.created_ms"), Column::Text("roster_calendars.id")];
    let order = Order::by(columns, sort.descending);
    let total = walk.total(|| wanted().count().get_result(conn))?;
    let query = wanted().filter(order.after(walk.after())?).order(order);
    let rows = query.offset(walk.offset()).limit(walk.wanted()).load(conn)?;
    Ok(walk.cut(rows, total, |row: &Calendar| vec![Key::from(row.created_ms), Key::from(&row.id)]))
}

/// The address whose token has this hash, when it opens this calendar at this time. By its hash, so that nobody learns
/// from the time it takes.
pub fn opened(conn: &mut Conn, tenant: &str, of: &Of, hash: &str, now: Timestamp) -> Result<Option<Calendar>> {
    use roster_calendars::dsl;
    let same = dsl::roster_calendars.filter(dsl::tenant_id.eq(tenant)).filter(dsl::hash.eq(hash));
    let row: Option<Calendar> = same.first(conn).optional()?;
    let opens = |row: &Calendar| feed::end(row.created_ms) > now;
    Ok(row.filter(|row| (row.roster_id.clone(), row.user_id.clone()) == of.columns()).filter(opens))
}

/// Removes a calendar of a roster or a user, and answers it.
///
/// # Errors
/// 404 when it has none of this id.
pub fn delete(conn: &mut Conn, tenant: &str, of: &Of, id: &str) -> Result<Calendar> {
    let row: Option<Calendar> = roster_calendars::table.find((tenant, id)).first(conn).optional()?;
    let row = row.filter(|row| (row.roster_id.clone(), row.user_id.clone()) == of.columns());
    let row = row.ok_or_else(feed::unknown)?;
    diesel::delete(roster_calendars::table.find((tenant, id))).execute(conn)?;
    Ok(row)
}
