//! From a link to a session.

use base::{problem::Problem, secret::Secret, tenant::TenantId, timestamp::Timestamp};
use outbox::{Actor, Tx};

use super::{
    links,
    rules::{self, Method},
    store::{self, NewSession},
};
use crate::{Authenticator, secrets, tenants, users};

/// A browser that is to be signed in.
pub(crate) struct Visitor {
    /// Its `User-Agent`.
    pub(crate) agent: String,
    /// The token of the cookie that it had before: that session ends.
    pub(crate) before: Option<Secret<String>>,
}

/// The cookie of a session that has just begun.
pub(crate) struct NewCookie {
    /// Its value.
    pub(crate) token: Secret<String>,
    /// The seconds that it lasts at most.
    pub(crate) lives: i64,
}

impl Authenticator {
    /// Uses a link up, and signs in whom it is for; `None` when the code opens nothing.
    ///
    /// # Errors
    /// 403 when the tenant is suspended, 409 when the user does not sign in.
    pub(crate) async fn redeem(
        &self,
        code: &Secret<String>,
        visitor: Visitor,
        now: Timestamp,
    ) -> db::Result<Option<NewCookie>> {
        if !secrets::is_secret(code.expose()) {
            return Ok(None);
        }
        let hash = base::hex(&secrets::hash(code.expose()));
        // Who guesses costs no write.
        let found = self.db().point(move |conn| links::find(conn, &hash, now)).await?;
        let Some(link) = found else { return Ok(None) };
        let user = (link.tenant_id.clone(), link.user_id.clone());
        self.sign_in(user, Method::Link, visitor, now, move |tx| {
            // Of two who come at once one is too late.
            end_link(tx, &link)
        })
        .await
    }

    /// Ends the session of a cookie, if there is one.
    pub(crate) async fn sign_out(&self, token: &Secret<String>, now: Timestamp) -> db::Result<()> {
        if !secrets::is_secret(token.expose()) {
            return Ok(());
        }
        let hash = base::hex(&secrets::hash(token.expose()));
        let Some(session) = self.db().point(move |conn| store::find_by_token(conn, &hash)).await? else {
            return Ok(());
        };
        let request_id = api::request_id::current();
        let actor = Actor::without_change_set(session.user_id.clone(), session.id.clone(), request_id);
        let tenant = session.tenant_id.clone();
        let ended = self.db().write_for(&tenant, move |conn| Tx::run(conn, &actor, now, |tx| end(tx, &session)));
        ended.await?;
        self.forget_callers();
        Ok(())
    }

    /// Begins a session of a user of a tenant, under a new id whatever the browser had; `None` when `admit`, in the
    /// same transaction, refuses it.
    pub(crate) async fn sign_in(
        &self,
        (tenant, user_id): (String, String),
        method: Method,
        visitor: Visitor,
        now: Timestamp,
        admit: impl FnOnce(&mut Tx<'_>) -> db::Result<bool> + Send + 'static,
    ) -> db::Result<Option<NewCookie>> {
        let token = secrets::random()?;
        let id = format!("{}{}", api::session::PREFIX, uuid::Uuid::new_v4());
        let user_agent = rules::agent(&visitor.agent);
        let new = NewSession { id: id.clone(), token: token.clone(), method, user_agent, limit: None };
        let before = visitor.before.map(|token| base::hex(&secrets::hash(token.expose())));
        let actor = Actor::without_change_set(user_id.clone(), id, api::request_id::current());
        let home = tenant.clone();
        let begun = self.db().write_for(&home, move |conn| {
            Tx::run(conn, &actor, now, |tx| {
                if !admit(tx)? {
                    return Ok(false);
                }
                begin(tx, (&tenant, &user_id), &new, before.as_deref(), now)?;
                Ok(true)
            })
        });
        if !begun.await? {
            return Ok(None);
        }
        // It may have ended others.
        self.forget_callers();
        Ok(Some(NewCookie { token, lives: rules::LIFE_MS / 1000 }))
    }
}

pub(super) fn begin(
    tx: &mut Tx<'_>,
    (tenant, user_id): (&str, &str),
    new: &NewSession,
    before: Option<&str>,
    now: Timestamp,
) -> db::Result<()> {
    users::store::lock(user_id).take(tx.conn)?;
    let home = TenantId::parse(tenant).ok_or_else(|| db::Error::Fault(format!("tenant {tenant}")))?;
    let known = tenants::store::row(tx.conn, &home)?;
    if known.is_none_or(|row| row.suspended) {
        return Err(Problem::forbidden("The tenant of this user is suspended.").into());
    }
    let user = users::store::find_at(tx.conn, &home, user_id)?.ok_or_else(users::rules::unknown)?;
    rules::check_person(&user)?;
    if let Some(old) = before.map(|hash| store::find_by_token(tx.conn, hash)).transpose()?.flatten() {
        end(tx, &old)?;
    }
    let row = store::insert(tx.conn, tenant, user_id, new, now)?;
    tx.record_change(None, Some(&row))?;
    for old in store::of_user(tx.conn, tenant, user_id, now)?.into_iter().skip(rules::MOST_SESSIONS) {
        end(tx, &old)?;
    }
    Ok(())
}

/// Ends a session, and notes it.
pub(crate) fn end(tx: &mut Tx<'_>, session: &store::Row) -> db::Result<()> {
    if store::delete(tx.conn, &session.tenant_id, &session.id)? {
        tx.record_change(Some(session), None)?;
    }
    Ok(())
}

/// Ends a link, and notes it; says whether it was there.
fn end_link(tx: &mut Tx<'_>, link: &links::Row) -> db::Result<bool> {
    let was_there = links::delete(tx.conn, link)?;
    if was_there {
        secrets::record_change(tx, Some(link), None)?;
    }
    Ok(was_there)
}

/// Ends the sessions and the links of a user, and notes it of each.
pub(crate) fn end_all(tx: &mut Tx<'_>, tenant: &str, user_id: &str, now: Timestamp) -> db::Result<()> {
    for session in store::of_user(tx.conn, tenant, user_id, now)? {
        end(tx, &session)?;
    }
    for link in links::of_user(tx.conn, tenant, user_id, now)? {
        end_link(tx, &link)?;
    }
    Ok(())
}

/// Ends the sessions and the links of a whole tenant, and notes it of each; beyond [`rules::MOST_RECORDED`] of either,
/// what happened to the tenant is the only note.
pub(crate) fn end_of_tenant(tx: &mut Tx<'_>, tenant: &str, now: Timestamp) -> db::Result<()> {
    for session in store::of_tenant(tx.conn, tenant, now, rules::MOST_RECORDED)? {
        end(tx, &session)?;
    }
    for link in links::of_tenant(tx.conn, tenant, now, rules::MOST_RECORDED)? {
        end_link(tx, &link)?;
    }
    store::delete_of_tenant(tx.conn, tenant)?;
    links::delete_of_tenant(tx.conn, tenant)
}
