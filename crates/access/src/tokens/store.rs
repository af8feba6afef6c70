//! The rows of tokens. A token is looked up by its hash, before its tenant is known.

use api::Caller;
use base::{tenant::TenantId, timestamp::Timestamp};
use db::Conn;
use diesel::prelude::*;
use outbox::Retention;

use super::rules;
use crate::{
    callers::{CallerRow, as_caller, columns},
    schema::{api_keys, tenants, tokens, users},
    secrets,
};

/// Tokens that expired a token's life ago are forgotten. Until then an expired token is told from a guess: its client
/// needs to hear that it is time for a new one, whatever others at its address do.
pub(crate) const RETENTION: Retention =
    Retention { id: "hash", ..Retention::of("tokens", "expires_ms", rules::LIFE * 1000) };

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

/// The API key and the secret that a token is issued for.
pub(crate) struct TokenSource<'a> {
    pub(crate) tenant: &'a TenantId,
    /// The API key's id.
    pub(crate) key_id: &'a str,
    /// The mark of the secret that was given for it ([`crate::secrets::mark`]).
    pub(crate) secret_mark: &'a str,
}

/// The newest tokens of a key that stay; older ones end. A program that asks for a token for each of its requests gets
/// on with that, and fills no disk.
const MOST: i64 = 1_000;

/// Older tokens that one new one ends at most.
const ENDED: i64 = 100;

/// Stores a token of a key, and ends the oldest when there are too many.
pub(crate) fn insert(
    conn: &mut Conn,
    of: &TokenSource<'_>,
    hash: &str,
    now: Timestamp,
    expires: Timestamp,
) -> db::Result<()> {
    let TokenSource { tenant, key_id, secret_mark } = *of;
    let created_ms = now.millis();
    let expires_ms = expires.millis();
    let token = NewToken { hash, tenant_id: tenant.as_str(), key_id, created_ms, expires_ms, secret_mark };
    diesel::insert_into(tokens::table).values(&token).execute(conn)?;
    let of_key = tokens::table.filter(tokens::tenant_id.eq(tenant.as_str())).filter(tokens::key_id.eq(key_id));
    let oldest = of_key.order((tokens::created_ms.desc(), tokens::hash.desc())).offset(MOST).limit(ENDED);
    let oldest: Vec<String> = oldest.select(tokens::hash).load(conn)?;
    if !oldest.is_empty() {
        // Of two requests that end the same ones, one waits for the other before it holds any of them.
        db::Lock::of("tokens", key_id).take(conn)?;
        diesel::delete(tokens::table.filter(tokens::hash.eq_any(oldest))).execute(conn)?;
    }
    Ok(())
}

/// A valid token: the caller that it stands for, and until when.
#[derive(Clone, Debug)]
pub(crate) struct LiveToken {
    pub(crate) caller: Caller,
    /// The id of its key.
    pub(crate) key_id: String,
    /// When its key was used last, to the minute.
    pub(crate) last_used_ms: Option<i64>,
    /// It may have passed.
    pub(crate) expires: Timestamp,
    /// Is the caller's tenant suspended?
    pub(crate) suspended: bool,
}

/// The token with this hash; `None` once its key is revoked, or the secret that it was issued for is dropped.
pub(crate) fn find_live(conn: &mut Conn, hash: &str) -> db::Result<Option<LiveToken>> {
    type State = (String, Option<i64>, i64, bool);
    type Secrets = (String, String, Option<String>);
    let same_key = api_keys::tenant_id.eq(tokens::tenant_id).and(api_keys::id.eq(tokens::key_id));
    let row: Option<(CallerRow, State, Secrets)> = tokens::table
        .inner_join(api_keys::table.on(same_key))
        .inner_join(tenants::table.on(tenants::id.eq(tokens::tenant_id)))
        .inner_join(users::table.on(users::tenant_id.eq(api_keys::tenant_id).and(users::id.eq(api_keys::user_id))))
        .filter(tokens::hash.eq(hash))
        .filter(api_keys::revoked_ms.is_null())
        .select((
            columns(),
            (api_keys::id, api_keys::last_used_ms, tokens::expires_ms, tenants::suspended),
            (tokens::secret_mark, api_keys::secret_hash, api_keys::secret2_hash),
        ))
        .get_result(conn)
        .optional()?;
    let Some((columns, (key_id, last_used_ms, expires, suspended), (mark, hash, hash2))) = row else { return Ok(None) };
    let mut live = std::iter::once(hash.as_str()).chain(hash2.as_deref());
    if !live.any(|hash| secrets::mark(hash) == mark) {
        return Ok(None);
    }
    let Some(caller) = as_caller(columns)? else { return Ok(None) };
    Ok(Some(LiveToken { caller, key_id, last_used_ms, expires: Timestamp::from_millis(expires), suspended }))
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
