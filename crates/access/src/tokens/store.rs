//! The rows of tokens. A token is looked up by its hash, before its tenant is known.

use api::{Caller, Role};
use base::{tenant::TenantId, timestamp::Timestamp};
use db::Conn;
use diesel::prelude::*;

use crate::schema::{api_keys, tokens};

/// How many expired tokens one sweep removes.
const SWEEP: i64 = 1000;

#[derive(Insertable)]
#[diesel(table_name = tokens)]
struct NewToken<'a> {
    hash: &'a str,
    tenant_id: &'a str,
    key_id: &'a str,
    created_ms: i64,
    expires_ms: i64,
}

/// Stores a token of a key.
pub(crate) fn insert(
    conn: &mut Conn,
    tenant: &TenantId,
    key_id: &str,
    hash: &str,
    now: Timestamp,
    expires: Timestamp,
) -> db::Result<()> {
    let token =
        NewToken { hash, tenant_id: tenant.as_str(), key_id, created_ms: now.millis(), expires_ms: expires.millis() };
    diesel::insert_into(tokens::table).values(&token).execute(conn)?;
    Ok(())
}

/// The caller with the token of this hash, and when the token expires; `None` once its key is revoked.
pub(crate) fn caller(conn: &mut Conn, hash: &str) -> db::Result<Option<(Caller, Timestamp)>> {
    let same_key = api_keys::tenant_id.eq(tokens::tenant_id).and(api_keys::id.eq(tokens::key_id));
    let row: Option<(String, String, String, String, i64)> = tokens::table
        .inner_join(api_keys::table.on(same_key))
        .filter(tokens::hash.eq(hash))
        .filter(api_keys::revoked_ms.is_null())
        .select((api_keys::key, api_keys::user_id, api_keys::tenant_id, api_keys::role, tokens::expires_ms))
        .first(conn)
        .optional()?;
    let Some((key, user, tenant, role, expires)) = row else { return Ok(None) };
    Ok(Some((as_caller(key, user, &tenant, &role)?, Timestamp::from_millis(expires))))
}

/// A caller from columns. What does not parse was not written by this service.
pub(crate) fn as_caller(key_id: String, user_id: String, tenant: &str, role: &str) -> db::Result<Caller> {
    match (TenantId::parse(tenant), Role::parse(role)) {
        (Some(home), Some(role)) => Ok(Caller { key_id, user_id, home, role }),
        _ => Err(db::Error::Fault(format!("an API key of {tenant} has the role {role}"))),
    }
}

/// Removes the tokens of a revoked key.
pub(crate) fn delete_of_key(conn: &mut Conn, tenant: &TenantId, key_id: &str) -> db::Result<()> {
    let of_key = tokens::table.filter(tokens::tenant_id.eq(tenant.as_str())).filter(tokens::key_id.eq(key_id));
    diesel::delete(of_key).execute(conn)?;
    Ok(())
}

/// Removes some of the tokens that have expired; says how many.
pub(crate) fn sweep(conn: &mut Conn, now: Timestamp) -> db::Result<usize> {
    let hashes: Vec<String> = tokens::table
        .filter(tokens::expires_ms.le(now.millis()))
        .order(tokens::expires_ms)
        .limit(SWEEP)
        .select(tokens::hash)
        .load(conn)?;
    Ok(diesel::delete(tokens::table.filter(tokens::hash.eq_any(hashes))).execute(conn)?)
}
