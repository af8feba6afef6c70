//! The rows of sessions. What their cookies hold is not in them, only a hash.

use std::sync::Arc;

use api::{Caller, Role, SessionLimit, Subject};
use base::{secret::Secret, tenant::TenantId, timestamp::Timestamp};
use db::{Conn, Result};
use diesel::prelude::*;
use outbox::Retention;

use super::rules::{self, Method};
use crate::{
    schema::{sessions, tenants, users},
    secrets,
};

/// A session that nobody can use any more is kept no longer than one may last.
pub(crate) const RETENTION: Retention = Retention::of("sessions", "used_ms", rules::LIFE_MS);

/// A session as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable)]
#[diesel(table_name = sessions, treat_none_as_default_value = false)]
pub(crate) struct Row {
    pub(crate) tenant_id: String,
    /// `SES-<uuid>`.
    pub(crate) id: String,
    pub(crate) user_id: String,
    /// SHA-256, in hex.
    pub(crate) token_hash: String,
    /// How its user signed in.
    pub(crate) method: String,
    /// What its browser calls itself.
    pub(crate) user_agent: String,
    pub(crate) created_ms: i64,
    /// When it was used last, to the minute.
    pub(crate) used_ms: i64,
    pub(crate) expires_ms: i64,
    /// The tenant that it may read; empty where it is not limited.
    pub(crate) limit_tenant: String,
    /// The alert that it may answer; or else the incident.
    pub(crate) limit_alert: String,
    pub(crate) limit_incident: String,
}

impl Row {
    /// What it is limited to.
    pub(crate) fn limit(&self) -> Result<Option<SessionLimit>> {
        if self.limit_tenant.is_empty() {
            return Ok(None);
        }
        let tenant = TenantId::parse(&self.limit_tenant)
            .ok_or_else(|| db::Error::Fault(format!("a session is limited to {}", self.limit_tenant)))?;
        let subject = match self.limit_alert.as_str() {
            "" => Subject::Incident(self.limit_incident.clone()),
            alert => Subject::Alert(alert.to_owned()),
        };
        Ok(Some(SessionLimit { tenant, subject }))
    }
}

/// A session to be begun.
pub(crate) struct NewSession {
    pub(crate) id: String,
    /// What its cookie holds.
    pub(crate) token: Secret<String>,
    pub(crate) method: Method,
    pub(crate) user_agent: String,
    pub(crate) limit: Option<SessionLimit>,
}

/// Begins a session of a user.
pub(crate) fn insert(conn: &mut Conn, tenant: &str, user_id: &str, new: &NewSession, now: Timestamp) -> Result<Row> {
    let (limit_tenant, limit_alert, limit_incident) = match new.limit.clone() {
        None => Default::default(),
        Some(SessionLimit { tenant, subject: Subject::Alert(id) }) => (tenant.to_string(), id, String::new()),
        Some(SessionLimit { tenant, subject: Subject::Incident(id) }) => (tenant.to_string(), String::new(), id),
    };
    let row = Row {
        tenant_id: tenant.to_owned(),
        id: new.id.clone(),
        user_id: user_id.to_owned(),
        token_hash: base::hex(&secrets::hash(new.token.expose())),
        method: new.method.as_str().to_owned(),
        user_agent: new.user_agent.clone(),
        created_ms: now.millis(),
        used_ms: now.millis(),
        expires_ms: rules::end_of_session(now, new.limit.is_some()).millis(),
        limit_tenant,
        limit_alert,
        limit_incident,
    };
    diesel::insert_into(sessions::table).values(&row).execute(conn)?;
    Ok(row)
}

/// The sessions of a user that have not ended, newest first.
pub(crate) fn of_user(conn: &mut Conn, tenant: &str, user_id: &str, now: Timestamp) -> Result<Vec<Row>> {
    Ok(sessions::table
        .filter(sessions::tenant_id.eq(tenant))
        .filter(sessions::user_id.eq(user_id))
        .filter(sessions::expires_ms.gt(now.millis()))
        .filter(sessions::used_ms.gt(now.millis() - rules::IDLE_MS))
        .order((sessions::created_ms.desc(), sessions::id.desc()))
        .load(conn)?)
}

/// The `most` sessions of a tenant that have not ended and were used last.
pub(crate) fn of_tenant(conn: &mut Conn, tenant: &str, now: Timestamp, most: i64) -> Result<Vec<Row>> {
    Ok(sessions::table
        .filter(sessions::tenant_id.eq(tenant))
        .filter(sessions::expires_ms.gt(now.millis()))
        .filter(sessions::used_ms.gt(now.millis() - rules::IDLE_MS))
        .order((sessions::used_ms.desc(), sessions::id.desc()))
        .limit(most)
        .load(conn)?)
}

/// A session that has not ended, by the hash of what its cookie holds.
pub(crate) fn find_by_token(conn: &mut Conn, token_hash: &str) -> Result<Option<Row>> {
    Ok(sessions::table.filter(sessions::token_hash.eq(token_hash)).get_result(conn).optional()?)
}

/// Ends a session; says whether it was there.
pub(crate) fn delete(conn: &mut Conn, tenant: &str, id: &str) -> Result<bool> {
    Ok(diesel::delete(sessions::table.find((tenant, id))).execute(conn)? > 0)
}

/// Ends all sessions of a tenant.
pub(crate) fn delete_of_tenant(conn: &mut Conn, tenant: &str) -> Result<()> {
    diesel::delete(sessions::table.filter(sessions::tenant_id.eq(tenant))).execute(conn)?;
    Ok(())
}

/// Notes that a session was used, unless that was noted after `before`.
pub(crate) fn note_use(conn: &mut Conn, tenant: &TenantId, id: &str, now: Timestamp, before: Timestamp) -> Result<()> {
    let stale = sessions::table.find((tenant.as_str(), id)).filter(sessions::used_ms.le(before.millis()));
    diesel::update(stale).set(sessions::used_ms.eq(now.millis())).execute(conn)?;
    Ok(())
}

/// A session that has not ended, and the caller that it stands for.
#[derive(Clone, Debug)]
pub(crate) struct LiveSession {
    pub(crate) caller: Caller,
    /// When it was used last, to the minute.
    pub(crate) used_ms: i64,
    /// When it ends unless it is used; it may have passed.
    pub(crate) ends: Timestamp,
    /// Is its tenant suspended?
    pub(crate) suspended: bool,
}

/// The session whose cookie has this hash; `None` when there is none, or its user is deactivated.
pub(crate) fn find_live(conn: &mut Conn, token_hash: &str) -> Result<Option<LiveSession>> {
    let row: Option<(Row, String, bool)> = sessions::table
        .inner_join(tenants::table.on(tenants::id.eq(sessions::tenant_id)))
        .inner_join(users::table.on(users::tenant_id.eq(sessions::tenant_id).and(users::id.eq(sessions::user_id))))
        .filter(sessions::token_hash.eq(token_hash))
        .filter(users::activated.eq(true))
        .select((sessions::all_columns, users::role, tenants::suspended))
        .get_result(conn)
        .optional()?;
    let Some((row, role, suspended)) = row else { return Ok(None) };
    let (Some(home), Some(role)) = (TenantId::parse(&row.tenant_id), Role::parse(&role)) else {
        return Err(db::Error::Fault(format!("a session of {} has the role {role}", row.tenant_id)));
    };
    let expires = Some(Timestamp::from_millis(row.expires_ms));
    let limit = row.limit()?.map(Arc::new);
    let suspended = match &limit {
        // Nobody answers for a suspended tenant, its partner's people neither.
        Some(limit) if limit.tenant != home => {
            let found = tenants::table.find(limit.tenant.as_str()).select(tenants::suspended);
            suspended || found.first(conn).optional()?.unwrap_or(true)
        }
        _ => suspended,
    };
    let operations = limit.as_ref().map(|limit| rules::answers(&limit.subject, role));
    let role = if limit.is_some() { Role::Viewer } else { role };
    let caller = Caller { key_id: row.id, user_id: row.user_id, home, role, operations, expires, limit };
    Ok(Some(LiveSession {
        caller,
        used_ms: row.used_ms,
        ends: rules::idle_end(row.used_ms, row.expires_ms),
        suspended,
    }))
}
