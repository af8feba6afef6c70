//! The rows of API keys. Their secrets are not in them, only hashes.

use api::{Caller, Role};
use base::{problem::Problem, secret::Secret, tenant::TenantId, text::fold, timestamp::Timestamp};
use db::Conn;
use diesel::prelude::*;

use crate::{schema::api_keys, secrets, tokens, users};

/// The columns that a list shows.
#[derive(Clone, Debug, PartialEq, Eq, Queryable)]
pub(crate) struct Row {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) role: String,
    pub(crate) key: String,
    pub(crate) user_id: String,
    pub(crate) created_by: String,
    pub(crate) created_ms: i64,
}

#[derive(Insertable)]
#[diesel(table_name = api_keys)]
struct NewRow<'a> {
    tenant_id: &'a str,
    id: &'a str,
    key: &'a str,
    name: &'a str,
    name_fold: String,
    role: &'a str,
    user_id: &'a str,
    secret_hash: String,
    version: i64,
    created_by: &'a str,
    created_ms: i64,
    updated_ms: i64,
}

/// A key that is not revoked, with the hashes of its secrets.
pub(crate) struct LiveKey {
    /// The row's id.
    pub(crate) id: String,
    /// Whom it makes.
    pub(crate) caller: Caller,
    hash: String,
    hash2: Option<String>,
}

impl LiveKey {
    /// The hashes of its live secrets.
    pub(crate) fn hashes(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.hash.as_str()).chain(self.hash2.as_deref())
    }
}

/// What a new key is made of.
pub(crate) struct NewKey {
    pub(crate) name: String,
    pub(crate) role: Role,
    pub(crate) key: String,
    pub(crate) secret: Secret<String>,
}

/// Adds a key, and the user that it acts as. `created_by` is `None` for the first key, which makes itself.
///
/// A name that another live key of the tenant has is a conflict.
pub(crate) fn insert(
    conn: &mut Conn,
    tenant: &TenantId,
    new: &NewKey,
    created_by: Option<&str>,
    now: Timestamp,
) -> db::Result<Row> {
    let user_id = users::insert_for_key(conn, tenant, &new.name, now)?;
    let id = format!("KEY-{}", uuid::Uuid::new_v4());
    let row = NewRow {
        tenant_id: tenant.as_str(),
        id: &id,
        key: &new.key,
        name: &new.name,
        name_fold: fold(&new.name),
        role: new.role.as_str(),
        user_id: &user_id,
        secret_hash: secrets::hex(&secrets::hash(new.secret.expose())),
        version: 1,
        created_by: created_by.unwrap_or(&user_id),
        created_ms: now.millis(),
        updated_ms: now.millis(),
    };
    diesel::insert_into(api_keys::table).values(&row).execute(conn).map_err(|error| match error.into() {
        db::Error::Taken(_) => Problem::conflict(format!("An API key named {} exists already.", new.name)).into(),
        other => other,
    })?;
    Ok(Row {
        id: row.id.to_owned(),
        name: new.name.clone(),
        role: row.role.to_owned(),
        key: new.key.clone(),
        user_id: row.user_id.to_owned(),
        created_by: row.created_by.to_owned(),
        created_ms: row.created_ms,
    })
}

/// The live key with this public part, of whatever tenant: with it the tenant becomes known.
pub(crate) fn live(conn: &mut Conn, key: &str) -> db::Result<Option<LiveKey>> {
    type Columns = (String, String, String, String, String, Option<String>);
    let row: Option<Columns> = api_keys::table
        .filter(api_keys::key.eq(key))
        .filter(api_keys::revoked_ms.is_null())
        .select((
            api_keys::id,
            api_keys::user_id,
            api_keys::tenant_id,
            api_keys::role,
            api_keys::secret_hash,
            api_keys::secret2_hash,
        ))
        .first(conn)
        .optional()?;
    let Some((id, user, tenant, role, hash, hash2)) = row else { return Ok(None) };
    let caller = tokens::store::as_caller(key.to_owned(), user, &tenant, &role)?;
    Ok(Some(LiveKey { id, caller, hash, hash2 }))
}

/// Hands on the live keys of a tenant, oldest first.
pub(crate) fn each(conn: &mut Conn, tenant: &TenantId, mut each: impl FnMut(Row) -> db::Result<()>) -> db::Result<()> {
    let query = api_keys::table
        .filter(api_keys::tenant_id.eq(tenant.to_string()))
        .filter(api_keys::revoked_ms.is_null())
        .order((api_keys::created_ms, api_keys::id))
        .select((
            api_keys::id,
            api_keys::name,
            api_keys::role,
            api_keys::key,
            api_keys::user_id,
            api_keys::created_by,
            api_keys::created_ms,
        ));
    db::for_each_row(conn, query, |row: Row| each(row))
}

/// Revokes a live key of a tenant and removes its tokens; an unknown id is a 404.
pub(crate) fn revoke(conn: &mut Conn, tenant: &TenantId, id: &str, now: Timestamp) -> db::Result<()> {
    let live = api_keys::table
        .filter(api_keys::tenant_id.eq(tenant.as_str()))
        .filter(api_keys::id.eq(id))
        .filter(api_keys::revoked_ms.is_null());
    let changes = (
        api_keys::revoked_ms.eq(now.millis()),
        api_keys::updated_ms.eq(now.millis()),
        api_keys::version.eq(api_keys::version + 1),
    );
    if diesel::update(live).set(changes).execute(conn)? == 0 {
        return Err(Problem::not_found("The API key was not found.").into());
    }
    tokens::store::delete_of_key(conn, tenant, id)
}
