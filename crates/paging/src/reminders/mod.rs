//! Who asked for it is told before a shift of theirs begins ("Notification rules" in `docs/interface.md`).
//!
//! Any number of gateways look beside each other. What a look finds is stored in the transaction that moves the row of the person
//! on, if nobody else moved it meanwhile; and the id of a page follows from the shift, so that nobody is told of one twice.

mod rules;
pub mod store;

use std::{sync::Arc, time::Duration};

use base::timestamp::Timestamp;
use db::{Conn, Db, Json, Result};
use ports::OwnShift;

use self::store::Reminder;
use crate::{
    Neighbours, methods,
    notification::{self, rules::URGENCIES},
    pages::{
        facts::{Facts, line},
        store as pages,
    },
    whose,
};

/// How many people one turn looks after.
const AT_ONCE: i64 = 50;
/// How long to wait when nobody is due.
const IDLE: Duration = Duration::from_millis(500);

/// A person who was looked after: the row as it was, when to look next, and what is told.
struct Look {
    seen: Reminder,
    next_ms: i64,
    told: Vec<pages::Row>,
}

/// Looks after the people who are due; answers how long to wait for the next ones.
pub fn turn(db: &Db, neighbours: &Arc<Neighbours>, now: Timestamp) -> Result<Duration> {
    let looks = db.read_here(|conn| {
        let due = store::due(conn, now.millis(), AT_ONCE)?;
        Ok(due.into_iter().map(|seen| looked(conn, neighbours, seen, now)).collect::<Vec<_>>())
    })?;
    if looks.is_empty() {
        return Ok(IDLE);
    }
    db.write_here(move |conn| {
        for Look { seen, next_ms, told } in looks {
            if store::advance(conn, &seen, next_ms)? {
                let known = pages::known(conn, &seen.tenant_id, &told)?;
                let new: Vec<pages::Row> = told.into_iter().filter(|page| !known.contains(&page.id)).collect();
                pages::insert(conn, &new)?;
            }
        }
        Ok(Duration::ZERO)
    })
}

/// Looks after one; whom that fails for keeps nobody else waiting.
fn looked(conn: &mut Conn, neighbours: &Neighbours, seen: Reminder, now: Timestamp) -> Look {
    look(conn, neighbours, seen.clone(), now).unwrap_or_else(|error| {
        tracing::error!(%error, tenant = seen.tenant_id, user = seen.user_id, "the shifts of somebody");
        Look { seen, next_ms: now.millis() + rules::LOOK_MS, told: Vec::new() }
    })
}

fn look(conn: &mut Conn, neighbours: &Neighbours, seen: Reminder, now: Timestamp) -> Result<Look> {
    let people =
        neighbours.people.users(conn, std::slice::from_ref(&seen.tenant_id), std::slice::from_ref(&seen.user_id))?;
    let below = neighbours.people.below(conn, &seen.tenant_id)?;
    let active = neighbours.people.active(conn, &below)?;
    if !active.contains(&seen.tenant_id) || !people.iter().any(|person| person.activated) {
        let next_ms = now.millis() + whose::HELD_MS;
        return Ok(Look { seen, next_ms, told: Vec::new() });
    }
    let until = Timestamp::from_millis(now.millis() + seen.before_ms + rules::LOOK_MS);
    let shifts = neighbours.on_call.shifts_of(conn, &active, &seen.user_id, (now, until))?;
    let (soon, next_ms) = rules::soon(&shifts, now.millis(), seen.before_ms);
    let mut told = Vec::new();
    for shift in soon {
        told.extend(pages_of(conn, &seen, shift, now)?);
    }
    Ok(Look { seen, next_ms, told })
}

/// What tells of a shift: by the contact methods of low urgency, at quiet hours too, since its owner asked for it.
fn pages_of(conn: &mut Conn, seen: &Reminder, shift: &OwnShift, now: Timestamp) -> Result<Vec<pages::Row>> {
    let Reminder { tenant_id: tenant, user_id: user, .. } = seen;
    let own = methods::store::of_user(conn, tenant, user)?;
    let verified: Vec<&methods::row::Method> = own.iter().filter(|method| method.verified).collect();
    let names: Vec<String> = verified.iter().map(|method| method.id.clone()).collect();
    let rules = notification::store::of_user(conn, tenant, user)?;
    let plan = rules.iter().find(|rule| rule.urgency == URGENCIES[1]).map(|rule| rule.document.0.clone());
    let plan = notification::rules::Plan { quiet: None, ..plan.unwrap_or_default() };
    let message = Json(facts(shift));
    let page = |method: &str| pages::Row {
        id: rules::page_id(seen, shift, method),
        user_id: user.clone(),
        urgency: URGENCIES[1].to_owned(),
        message: message.clone(),
        ..pages::Row::blank(tenant, pages::SHIFT, now)
    };
    let used = plan.at(&names, now, |_, _| None);
    let told = used.into_iter().filter_map(|(id, due)| {
        let method = verified.iter().find(|method| method.id == id)?;
        Some(pages::Row {
            method_tenant: method.tenant_id.clone(),
            method_id: method.id.clone(),
            channel: method.kind.clone(),
            due_ms: Some(due.millis()),
            ..page(&method.id)
        })
    });
    let told: Vec<pages::Row> = told.collect();
    if told.is_empty() {
        let why = "has no verified contact method".to_owned();
        return Ok(vec![pages::Row { status: pages::GAP.to_owned(), why, ..page("") }]);
    }
    Ok(told)
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
