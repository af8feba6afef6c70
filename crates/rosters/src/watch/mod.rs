//! The thread that tells when somebody else is on call, and of shifts that nobody stands in.
//!
//! Any number of gateways do this beside each other. Each roster has a row that says when it is to be looked at next and who was on
//! call at the last look. What a look finds is told in the transaction that moves the row on, if nobody else moved it meanwhile: so
//! each hand-over is told once, and none is lost over a restart. After an absence a roster tells from whom to whom, and no steps between.

mod rules;
pub mod store;

use std::{sync::Arc, time::Duration};

use base::timestamp::Timestamp;
use db::{Conn, Db, Result};
use outbox::{Actor, Background, Happening, Tx};
use ports::People;

use self::store::Watch;
use crate::{
    roster::store as rosters,
    schedule::{Schedule, look_back},
};

/// How many rosters one turn looks at.
const AT_ONCE: i64 = 200;
/// How long to wait between two turns.
const IDLE: Duration = Duration::from_millis(500);

/// A running watch; stops when dropped.
pub struct Watcher {
    _background: Background,
}

impl Watcher {
    /// Starts the thread. `clock` tells the time.
    ///
    /// # Errors
    /// When there is no further thread.
    pub fn start(
        db: Db,
        people: Arc<dyn People>,
        clock: impl Fn() -> Timestamp + Send + 'static,
    ) -> std::io::Result<Self> {
        let background = Background::start("on-call", move || match turn(&db, &*people, clock()) {
            Ok(true) => Duration::ZERO,
            Ok(false) => IDLE,
            Err(error) => {
                tracing::warn!(%error, "looking after rosters");
                IDLE
            }
        })?;
        Ok(Self { _background: background })
    }
}

/// Looks at the rosters that are due; true when there may be more.
pub fn turn(db: &Db, people: &dyn People, now: Timestamp) -> Result<bool> {
    let steps = db.read_here(|conn| {
        let due = store::due(conn, now.millis(), AT_ONCE)?;
        let mut steps = Vec::with_capacity(due.len());
        for watch in due {
            if let Some((next, told)) = look(conn, people, &watch, now)? {
                steps.push((watch, next, told));
            }
        }
        Ok(steps)
    })?;
    let more = i64::try_from(steps.len()).is_ok_and(|count| count == AT_ONCE);
    if !steps.is_empty() {
        let actor = Actor::service("on-call");
        db.write_here(move |conn| {
            Tx::run(conn, &actor, now, |tx| {
                for (watch, next, told) in steps {
                    if store::advance(tx.conn, &watch, &next)? {
                        told.into_iter().for_each(|told| tx.happen(told));
                    }
                }
                Ok(())
            })
        })?;
    }
    Ok(more)
}

fn look(
    conn: &mut Conn,
    people: &dyn People,
    watch: &Watch,
    now: Timestamp,
) -> Result<Option<(Watch, Vec<Happening>)>> {
    let scope = [watch.tenant_id.clone()];
    let Some(roster) = rosters::find(conn, &scope, &watch.roster_id)? else { return Ok(None) };
    let tenants = people.around(conn, &watch.tenant_id)?;
    let schedule = Schedule::load(conn, &roster, look_back(now))?;
    let staff = schedule.people(conn, people, &tenants, Some(now))?;
    Ok(Some(rules::look(&roster, &schedule, &staff, watch, now)))
}
