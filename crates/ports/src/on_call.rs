//! The port of rosters: people on call.

use base::timestamp::Timestamp;
use db::{Conn, Result};

use crate::{Author, Person};

/// Somebody who is on call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnCallPerson {
    /// Who, and how to reach them.
    pub person: Person,
    /// The roster's id, `ES-<uuid>`.
    pub roster_id: String,
    /// The shift's id, `ESD-<uuid>`; `None` for an override outside every shift.
    pub shift_id: Option<String>,
    /// 1 for who is called first, 2 for who is when the first does not answer.
    pub level: i64,
    /// Since when.
    pub since: Timestamp,
    /// Until when, not including this instant.
    pub until: Timestamp,
    /// Those who would be on call, and are away; nobody where it is the person's own turn.
    pub instead_of: Vec<Author>,
}

/// A shift that would take place, and does not since it starts on a holiday.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedShift {
    /// The shift's id, `ESD-<uuid>`.
    pub shift_id: String,
    /// Its name.
    pub shift_name: String,
    /// As [`OnCallPerson::level`].
    pub level: i64,
    /// The date of the holiday, such as `2026-12-25`.
    pub date: String,
    /// What people call it; may be empty.
    pub holiday: String,
    /// The id of its calendar, `HOL-<uuid>`.
    pub calendar_id: String,
    /// The name of its calendar; `None` where the calendar is that of the partner of the roster's tenant.
    pub calendar: Option<String>,
}

/// A roster, as other domains name one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RosterSummary {
    /// The tenant that owns it.
    pub tenant_id: String,
    /// Its name.
    pub name: String,
    /// The name of its time zone.
    pub time_zone: String,
}

/// A stretch of time through which somebody is on call through one roster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnShift {
    /// The roster.
    pub roster_id: String,
    /// Its name.
    pub roster_name: String,
    /// When it begins.
    pub since: Timestamp,
    /// When it ends; `None` for one that nothing ends.
    pub until: Option<Timestamp>,
}

/// Who is on call.
pub trait OnCall: Send + Sync {
    /// Those on call at an instant through the rosters of a tenant, whose partner's people may stand in them.
    fn on_call(&self, conn: &mut Conn, tenant: &str, partner: &str, at: Timestamp) -> Result<Vec<OnCallPerson>>;

    /// As [`OnCall::on_call`], through one roster alone.
    fn on_call_of(
        &self,
        conn: &mut Conn,
        tenant: &str,
        partner: &str,
        roster: &str,
        at: Timestamp,
    ) -> Result<Vec<OnCallPerson>> {
        let mut found = self.on_call(conn, tenant, partner, at)?;
        found.retain(|one| one.roster_id == roster);
        Ok(found)
    }

    /// The shifts of a roster that would take place at an instant, and do not for a holiday.
    fn skipped_of(
        &self,
        conn: &mut Conn,
        tenant: &str,
        partner: &str,
        roster: &str,
        at: Timestamp,
    ) -> Result<Vec<SkippedShift>>;

    /// The roster with this id among those of these tenants.
    fn roster(&self, conn: &mut Conn, tenants: &[String], id: &str) -> Result<Option<RosterSummary>>;

    /// When a user of these tenants is on call through their rosters within a range; each stretch as a whole, by
    /// roster.
    fn shifts_of(
        &self,
        conn: &mut Conn,
        tenants: &[String],
        user: &str,
        range: (Timestamp, Timestamp),
    ) -> Result<Vec<OwnShift>>;
}
