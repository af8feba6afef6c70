//! The rows of tokens. A token is looked up by its hash, before its tenant is known.

use api::{Caller, Role};
use base::{tenant::TenantId, timestamp::Timestamp};
use db::Conn;
use diesel::prelude::*;

use super::rules;
use crate::{
    schema::{api_keys, tenants, tokens},
    secrets,
};

/// How many tokens one sweep removes.
pub(crate) const SWEEP: usize = 1000;

#[derive(Insertable)]
#[diesel(table_name = tokens, treat_none_as_default_value = false)]
struct NewToken<'a> {
    hash: &'a str,
    tenant_id: &'a str,
    key_id: &'a str,
    created_ms: i64,
    expires_ms: i64,
    secret_mark: &'a str,
}

/// What a token was made for.
pub(crate) struct Of<'a> {
    pub(crate) tenant: &'a TenantId,
    /// The API key's id.
    pub(crate) key_id: &'a str,
    /// The mark of the secret that was given for it ([`crate::secrets::mark`]).
    pub(crate) secret_mark: &'a str,
}

/// Stores a token of a key.
pub(crate) fn insert(conn: &mut Conn, of: &Of<'_>, hash: &str, now: Timestamp, expires: Timestamp) -> db::Result<()> {
    let Of { tenant, key_id, secret_mark } = *of;
    let (created_ms, expires_ms) = (now.millis(), expires.millis());
    let token = NewToken { hash, tenant_id: tenant.as_str(), key_id, created_ms, expires_ms, secret_mark };
    diesel::insert_into(tokens::table).values(&token).execute(conn)?;
    Ok(())
}

/// Whom a token makes, and until when.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) caller: Caller,
    /// It may have passed.
    pub(crate) expires: Timestamp,
    /// Is the caller's tenant suspended?
    pub(crate) suspended: bool,
}

/// What is known of the token with this hash; `None` once its key is revoked, or the secret that it was got with.
pub(crate) fn known(conn: &mut Conn, hash: &str) -> db::Result<Option<Known>> {
    type Columns = (String, String, String, String, i64, bool);
    type Secrets = (String, String, Option<String>);
    let same_key = api_keys::tenant_id.eq(tokens::tenant_id).and(api_keys::id.eq(tokens::key_id));
    let row: Option<(Columns, Secrets)> = tokens::table
        .inner_join(api_keys::table.on(same_key))
        .inner_join(tenants::table.on(tenants::id.eq(tokens::tenant_id)))
        .filter(tokens::hash.eq(hash))
        .filter(api_keys::revoked_ms.is_null())
        .select((
            (
                api_keys::key,
                api_keys::user_id,
                api_keys::tenant_id,
                api_keys::role,
                tokens::expires_ms,
                tenants::suspended,
            ),
            (tokens::secret_mark, api_keys::secret_hash, api_keys::secret2_hash),
        ))
        .get_result(conn)
        .optional()?;
    let Some(((key, user, tenant, role, expires, suspended), (mark, hash, hash2))) = row else { return Ok(None) };
    let mut live = std::iter::once(hash.as_str()).chain(hash2.as_deref());
    if !live.any(|hash| secrets::mark(hash) == mark) {
        return Ok(None);
    }
    let caller = as_caller(key, user, &tenant, &role)?;
    Ok(Some(Known { caller, expires: Timestamp::from_millis(expires), suspended }))
}

/// A caller from columns. What does not parse was not written by this service.
pub(crate) fn as_caller(key_id: String, user_id: String, tenant: &str, role: &str) -> db::Result<Caller> {
    match (TenantId::parse(tenant), Role::parse(role)) {
        (Some(home), Some(role)) => Ok(Caller { key_id, user_id, home, role }),
        _ => Err(db::Error::Fault(format!("an API key of {tenant} has the role {role}"))),
    }
}

/// Removes the tokens of a key but for those that were got with a secret of one of these marks.
pub(crate) fn delete_of_key(conn: &mut Conn, tenant: &TenantId, key_id: &str, keep: &[&str]) -> db::Result<()> {
    let of_key = tokens::table
        .filter(tokens::tenant_id.eq(tenant.as_str()))
        .filter(tokens::key_id.eq(key_id))
        .filter(tokens::secret_mark.ne_all(keep));
    diesel::delete(of_key).execute(conn)?;
    Ok(())
}

/// Removes some of the tokens that are not worth remembering any more; says how many.
pub(crate) fn sweep(conn: &mut Conn, now: Timestamp) -> db::Result<usize> {
    let hashes: Vec<String> = tokens::table
        .filter(tokens::expires_ms.le(rules::forgotten(now).millis()))
        .order(tokens::expires_ms)
        .limit(SWEEP as i64)
        .select(tokens::hash)
        .load(conn)?;
    Ok(diesel::delete(tokens::table.filter(tokens::hash.eq_any(hashes))).execute(conn)?)
}
