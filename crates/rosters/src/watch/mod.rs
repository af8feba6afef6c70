//! The thread that tells when somebody else is on call, and of shifts that nobody stands in.
//!
//! Tenants take turns ([`TenantTurns`]). Any number of gateways do this beside each other. Each roster has a row that
//! says when it is to be looked at next and who was on call at the last look. What a look finds is told in the
//! transaction that moves the row on, if nobody else moved it meanwhile: so each hand-over is told once, and none is
//! lost over a restart. After an absence a roster tells from whom to whom, and no steps between.

mod conflict_rules;
mod conflicts;
mod rules;
mod told_conflicts;

use std::{sync::Arc, time::Duration};

use base::timestamp::Timestamp;
use db::{Conn, Db, Error, Result};
use outbox::{Background, TenantTurns, TimedEvent, Tx};
use ports::People;

pub use self::{conflicts::start_conflict_watch, told_conflicts::RETENTION as CONFLICTS_TOLD};
use crate::{
    roster::{
        store as rosters,
        watches::{self as store, Watch},
    },
    schedule::Schedule,
};

/// How many rosters of one tenant a turn looks at: each takes some milliseconds.
const AT_ONCE: usize = 20;
/// How soon a roster is looked at again for which it failed.
const AGAIN_MS: i64 = 10_000;
/// How long to wait between two turns.
const IDLE: Duration = Duration::from_millis(500);

/// Starts the thread that tells when somebody else is on call. `clock` tells the time.
///
/// # Errors
/// When there is no further thread.
pub fn start_roster_watch(
    db: Db,
    people: Arc<dyn People>,
    clock: impl Fn() -> Timestamp + Send + 'static,
) -> std::io::Result<Background> {
    let mut turns = TenantTurns::of_rows(&db, "on-call", &[store::DUE]);
    Background::repeat("on-call", IDLE, "looking after rosters", move || turn(&db, &mut turns, &*people, clock()))
}

/// The row of a roster as it was read, what that is moved on to, and what is told with it.
type PageRows = (Watch, Watch, Vec<TimedEvent>);

/// A roster that was looked at. One for which that failed is put off.
struct WatchedRoster {
    tenant: String,
    roster: String,
    found: Option<PageRows>,
}

/// Looks at the rosters that are due; true when there may be more.
pub fn turn(db: &Db, turns: &mut TenantTurns, people: &dyn People, now: Timestamp) -> Result<bool> {
    let tenants = db.read_here(|conn| store::DUE.tenants_if_due(conn, now.millis()))?;
    let read = |conn: &mut Conn, tenant: &str| {
        let due = store::due(conn, tenant, now.millis(), AT_ONCE)?;
        let more = due.len() == AT_ONCE;
        let steps = due.into_iter().map(|roster| step(conn, people, tenant, roster, now));
        let steps = steps.collect::<Result<Vec<_>>>()?;
        Ok((!steps.is_empty()).then_some((steps, more)))
    };
    turns.read_and_serve(db, tenants, now, read, |tx, steps| tell(tx, &steps))
}

/// Looks at a roster; one for which that fails keeps no other waiting.
fn step(conn: &mut Conn, people: &dyn People, tenant: &str, roster: String, now: Timestamp) -> Result<WatchedRoster> {
    let found = match db::savepoint(conn, |conn| look(conn, people, tenant, &roster, now)) {
        Err(error @ Error::Unavailable(_)) => return Err(error),
        Err(error) => {
            tracing::error!(%error, tenant, roster, "a roster cannot be looked at");
            None
        }
        Ok(found) => found,
    };
    Ok(WatchedRoster { tenant: tenant.to_owned(), roster, found })
}

/// Moves rows on, and tells what was found.
fn tell(tx: &mut Tx<'_>, steps: &[WatchedRoster]) -> Result<()> {
    let now_ms = tx.now.millis();
    let put_off = |tx: &mut Tx<'_>, step: &WatchedRoster| {
        store::put_off(tx.conn, &step.tenant, &step.roster, now_ms, now_ms + AGAIN_MS)
    };
    let tell = |tx: &mut Tx<'_>, steps: &[WatchedRoster]| {
        steps.iter().try_for_each(|step| match &step.found {
            None => put_off(tx, step),
            Some((watch, next, told)) => {
                if store::advance(tx.conn, watch, next)? {
                    told.iter().for_each(|told| tx.record_timed_event(told.clone()));
                }
                Ok(())
            }
        })
    };
    tx.attempt_each(steps, tell, |tx, step, error| {
        tracing::error!(%error, tenant = step.tenant, roster = step.roster, "who is on call is not told");
        put_off(tx, step)
    })?;
    Ok(())
}

fn look(conn: &mut Conn, people: &dyn People, tenant: &str, roster: &str, now: Timestamp) -> Result<Option<PageRows>> {
    let scope = [tenant.to_owned()];
    let Some(watch) = store::find(conn, tenant, roster)? else { return Ok(None) };
    let Some(roster) = rosters::find(conn, &scope, roster)? else { return Ok(None) };
    let tenants = people.own_and_partner(conn, tenant)?;
    let mut schedule = Schedule::load(conn, &roster, &tenants, now)?;
    let staff = schedule.people(conn, people, &tenants, now)?;
    let (next, told) = rules::look(&roster, &schedule, &staff, &watch, now);
    Ok(Some((watch, next, told)))
}
