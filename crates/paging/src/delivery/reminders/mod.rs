//! Who asked for it is told before a shift of theirs begins ("Notification rules" in `docs/interface.md`).
//!
//! Tenants take turns ([`TenantTurns`]). Any number of gateways look beside each other. What a look finds is stored in
//! the transaction that moves the row of the person on, if nobody else moved it meanwhile; and the id of a page follows
//! from the shift, so that nobody is told of one twice.

mod rules;

use std::{sync::Arc, time::Duration};

use base::timestamp::Timestamp;
use db::{Conn, Db, Error, Result};
use outbox::{TenantTurns, Tx};
use ports::OwnShift;

use crate::{
    Neighbours,
    configuration::notification::reminders::{self as store, Reminder},
    delivery::{
        messages::MessageToPerson,
        pages::{
            facts::{Facts, line},
            store as pages,
        },
    },
    times,
};

/// How many people of one tenant a turn looks after.
const AT_ONCE: usize = 20;
/// How soon it is tried again for somebody for whom it failed.
const AGAIN_MS: i64 = 10_000;
/// How long to wait when nobody is due.
const IDLE: Duration = Duration::from_millis(500);

/// A person who was looked after: the row as it was, when to look next, and what is told.
struct ReminderCheck {
    seen: Reminder,
    next_ms: i64,
    told: Vec<pages::Row>,
}

/// Looks after the people who are due; answers how long to wait for the next ones.
pub fn turn(db: &Db, turns: &mut TenantTurns, neighbours: &Arc<Neighbours>, now: Timestamp) -> Result<Duration> {
    let tenants = db.read_here(|conn| store::DUE.tenants_if_due(conn, now.millis()))?;
    let read = |conn: &mut Conn, tenant: &str| {
        let due = store::due(conn, tenant, now.millis(), AT_ONCE)?;
        let more = due.len() == AT_ONCE;
        let looks = due.into_iter().map(|seen| looked(conn, neighbours, seen, now)).collect::<Result<Vec<_>>>()?;
        Ok((!looks.is_empty()).then_some((looks, more)))
    };
    let more = turns.read_and_serve(db, tenants, now, read, |tx, looks| tell(tx, &looks))?;
    Ok(if more { Duration::ZERO } else { IDLE })
}

/// Stores what some looks found.
fn tell(tx: &mut Tx<'_>, looks: &[ReminderCheck]) -> Result<()> {
    let now_ms = tx.now.millis();
    let tell = |tx: &mut Tx<'_>, looks: &[ReminderCheck]| {
        looks.iter().try_for_each(|ReminderCheck { seen, next_ms, told }| {
            if !store::advance(tx.conn, seen, *next_ms)? {
                return Ok(());
            }
            let known = pages::known(tx.conn, &seen.tenant_id, told)?;
            let new: Vec<pages::Row> = told.iter().filter(|page| !known.contains(&page.id)).cloned().collect();
            pages::insert(tx.conn, &new)
        })
    };
    tx.attempt_each(looks, tell, |tx, look, error| {
        tracing::error!(%error, tenant = look.seen.tenant_id, user = look.seen.user_id, "shifts are not told of");
        store::advance(tx.conn, &look.seen, now_ms + AGAIN_MS).map(drop)
    })?;
    Ok(())
}

/// Looks after one; whom that fails for keeps nobody else waiting.
fn looked(conn: &mut Conn, neighbours: &Neighbours, seen: Reminder, now: Timestamp) -> Result<ReminderCheck> {
    match db::savepoint(conn, |conn| look(conn, neighbours, seen.clone(), now)) {
        Err(error @ Error::Unavailable(_)) => Err(error),
        Err(error) => {
            tracing::error!(%error, tenant = seen.tenant_id, user = seen.user_id, "the shifts of somebody");
            Ok(ReminderCheck { seen, next_ms: now.millis() + AGAIN_MS, told: Vec::new() })
        }
        found => found,
    }
}

fn look(conn: &mut Conn, neighbours: &Neighbours, seen: Reminder, now: Timestamp) -> Result<ReminderCheck> {
    let people =
        neighbours.people.users(conn, std::slice::from_ref(&seen.tenant_id), std::slice::from_ref(&seen.user_id))?;
    let below = neighbours.people.below(conn, &seen.tenant_id)?;
    let active = neighbours.people.active(conn, &below)?;
    if !active.contains(&seen.tenant_id) || !people.iter().any(|person| person.activated) {
        let next_ms = now.millis() + times::HELD_MS;
        return Ok(ReminderCheck { seen, next_ms, told: Vec::new() });
    }
    let until = Timestamp::from_millis(now.millis() + seen.before_ms + rules::LOOK_MS);
    let shifts = neighbours.on_call.shifts_of(conn, &active, &seen.user_id, (now, until))?;
    let (soon, next_ms) = rules::soon(&shifts, now.millis(), seen.before_ms);
    let mut told = Vec::new();
    for shift in soon {
        told.extend(pages_of(conn, &seen, shift, now)?);
    }
    Ok(ReminderCheck { seen, next_ms, told })
}

/// What tells of a shift: by the contact methods of low urgency, at quiet hours too, since its owner asked for it.
fn pages_of(conn: &mut Conn, seen: &Reminder, shift: &OwnShift, now: Timestamp) -> Result<Vec<pages::Row>> {
    let Reminder { tenant_id, user_id, .. } = seen;
    let message =
        MessageToPerson { tenant: tenant_id, user: user_id, kind: pages::SHIFT, facts: facts(shift), quiet: false };
    let told = message.pages(conn, now)?;
    Ok(told.into_iter().map(|page| pages::Row { id: rules::page_id(seen, shift, &page.method_id), ..page }).collect())
}

fn facts(shift: &OwnShift) -> Facts {
    let until = shift.until.map_or_else(String::new, |until| format!("Until: {until}"));
    Facts {
        subject: line(&format!("You are on call from {}: {}", shift.since, shift.roster_name)),
        description: until,
        ..Facts::default()
    }
}

#[cfg(test)]
mod tests;
