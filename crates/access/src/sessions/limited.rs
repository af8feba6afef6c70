//! Sessions that begin by the link of a page ([`ports::Sessions`]): each link begins one, of an hour.

use api::{Caller, SessionLimit, Subject};
use base::{tenant::TenantId, timestamp::Timestamp};
use db::{Conn, Result};
use diesel::prelude::*;
use outbox::{Actor, Retention, Tx};
use ports::{LinkVisit, PageSubject, SessionStart, Sessions};

use super::{
    redeem,
    rules::{self, Method},
    store::{self, NewSession},
};
use crate::{Directory, facts, schema::used_page_links, secrets, users};

/// A link is good for a day.
const KEEP_MS: i64 = 2 * 24 * 3_600_000;

/// A use of a link is forgotten after the link has expired.
pub(crate) const RETENTION: Retention = Retention::of("used_page_links", "used_ms", KEEP_MS);

/// A link by which a session began.
#[derive(Insertable)]
#[diesel(table_name = used_page_links, treat_none_as_default_value = false)]
struct UsedLink {
    tenant_id: String,
    /// SHA-256 of its token, in hex.
    id: String,
    used_ms: i64,
}

impl Sessions for Directory {
    fn begin(&self, conn: &mut Conn, visit: &LinkVisit<'_>, now: Timestamp) -> Result<SessionStart> {
        let fault = || db::Error::Fault(format!("a link of {} for {}", visit.tenant, visit.user));
        let subject = match visit.subject {
            PageSubject::Alert(id) => Subject::Alert(id.to_owned()),
            PageSubject::Incident(id) => Subject::Incident(id.to_owned()),
        };
        let limit = SessionLimit { tenant: TenantId::parse(visit.tenant).ok_or_else(fault)?, subject };
        let tenants = facts::with_partner(conn, visit.tenant)?;
        let before = visit.cookie.map(|token| base::hex(&secrets::hash(token.expose())));
        if let Some(hash) = &before {
            let live = store::find_live(conn, hash)?.filter(|live| live.ends > now && !live.suspended);
            let is_enough = |caller: &Caller| match &caller.limit {
                Some(known) => **known == limit,
                None => tenants.iter().any(|tenant| tenant == caller.home.as_str()),
            };
            if live.is_some_and(|live| is_enough(&live.caller)) {
                return Ok(SessionStart::Present);
            }
        }
        if !mark_used(conn, visit, now)? {
            return Ok(SessionStart::Used);
        }
        let ids = [visit.user.to_owned()];
        let user = users::find_many(conn, &tenants, &ids)?.pop().ok_or_else(users::rules::unknown)?;
        let token = secrets::random()?;
        let id = format!("{}{}", api::session::PREFIX, uuid::Uuid::new_v4());
        let new = NewSession {
            id: id.clone(),
            token: token.clone(),
            method: Method::Page,
            user_agent: rules::agent(visit.user_agent),
            limit: Some(limit),
        };
        let actor = Actor::without_change_set(user.id.clone(), id, visit.request);
        Tx::run(conn, &actor, now, |tx| redeem::begin(tx, (&user.tenant_id, &user.id), &new, before.as_deref(), now))?;
        Ok(SessionStart::Begun { token, seconds: rules::LIMITED_LIFE_MS / 1000 })
    }
}

/// Uses a link up. Of two calls at once, one gets `true`.
fn mark_used(conn: &mut Conn, visit: &LinkVisit<'_>, now: Timestamp) -> Result<bool> {
    let id = base::hex(&secrets::hash(visit.token));
    let row = UsedLink { tenant_id: visit.tenant.to_owned(), id, used_ms: now.millis() };
    let insert = diesel::insert_into(used_page_links::table).values(&row).on_conflict_do_nothing();
    Ok(db::direct!(conn, |conn| insert.execute(conn))? > 0)
}
