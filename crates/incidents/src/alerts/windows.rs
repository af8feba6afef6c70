//! What becomes of alerts when time passes: their maintenance window is over, or a person's suppression runs out.
//!
//! Any number of gateways do this beside each other. Each looks, without writing anything, for what there is to do; who
//! does it takes the lock of the tenant and looks again, so that every alert is escalated once. A window is asked how
//! long it is open at the end that was known, or now when that is still to come: so one that was extended goes on, one
//! that was ended early is noticed, and one that opened again meanwhile does not hide that it was over.

use std::{sync::Arc, time::Duration};

use base::timestamp::Timestamp;
use db::{Conn, Db, Result};
use outbox::{Actor, Background, Tx};
use ports::{AlertFacts, Cover, OnCallPerson, Window};
use serde_json::Value;

use super::{
    intake::record_change,
    row::{Alert, PERSON, Pending},
    rules, store,
    wire::{self, Escalation},
};
use crate::neighbours::Neighbours;

/// How long to wait when there is nothing to do.
const IDLE: Duration = Duration::from_secs(1);
/// How many alerts one transaction sees to.
const AT_ONCE: i64 = 500;

/// The thread that sees to it; stops when dropped.
pub struct Escalator {
    _background: Background,
}

impl Escalator {
    /// Starts it. `clock` tells the time.
    pub fn start(
        db: Db,
        neighbours: Neighbours,
        clock: impl Fn() -> Timestamp + Send + 'static,
    ) -> std::io::Result<Self> {
        let neighbours = Arc::new(neighbours);
        let background = Background::start("alerts", move || {
            let busy = turn(&db, &neighbours, clock()).unwrap_or_else(|error| {
                tracing::warn!(%error, "alerts whose window is over");
                false
            });
            if busy { Duration::ZERO } else { IDLE }
        })?;
        Ok(Self { _background: background })
    }
}

/// Sees to some; true when there may be more.
pub fn turn(db: &Db, neighbours: &Arc<Neighbours>, now: Timestamp) -> Result<bool> {
    let (due, lapsing) = db.read_here(|conn| {
        let mut due = Vec::new();
        for window in store::pending(conn)? {
            if end(conn, neighbours, &window, now)? != Some(Timestamp::from_millis(window.until_ms)) {
                due.push(window);
            }
        }
        Ok((due, store::lapsing(conn, now.millis(), AT_ONCE)?))
    })?;
    let mut more = lapsing.len() as i64 == AT_ONCE;
    for window in due {
        let neighbours = Arc::clone(neighbours);
        more |= db.write_here(move |conn| Tx::run(conn, &actor(), now, |tx| see_to(tx, &neighbours, &window)))?;
    }
    if !lapsing.is_empty() {
        db.write_here(move |conn| Tx::run(conn, &actor(), now, |tx| lapse(tx, lapsing)))?;
    }
    Ok(more)
}

fn actor() -> Actor {
    Actor::service("alerts")
}

/// A window that holds back alerts, as it is asked about.
fn asked(pending: &Pending) -> Window {
    Window {
        tenant_id: pending.window_tenant.clone(),
        unique_id: pending.window_id.clone(),
        name: pending.name.clone(),
    }
}

/// When a window that holds back alerts ends; `None` when it is over.
fn end(conn: &mut Conn, neighbours: &Neighbours, pending: &Pending, now: Timestamp) -> Result<Option<Timestamp>> {
    let at = Timestamp::from_millis(pending.until_ms.min(now.millis()));
    let end = neighbours.maintenance.open_until(conn, &[asked(pending)], at)?.into_iter().flatten().next();
    Ok(end.filter(|end| *end > now || end.millis() > pending.until_ms))
}

/// Does what is to be done for one window; true when there may be more.
fn see_to(tx: &mut Tx<'_>, neighbours: &Neighbours, window: &Pending) -> Result<bool> {
    store::lock_tenants(tx.conn, std::slice::from_ref(&window.tenant_id))?;
    let Some(window) = store::still_pending(tx.conn, window)? else { return Ok(false) };
    let end = end(tx.conn, neighbours, &window, tx.now)?;
    match end {
        Some(until) if until.millis() == window.until_ms => Ok(false),
        Some(until) => prolong(tx, &window, until).map(|()| false),
        None => finish(tx, neighbours, &window),
    }
}

/// The window ends at another time than was known.
fn prolong(tx: &mut Tx<'_>, window: &Pending, until: Timestamp) -> Result<()> {
    let mut after = String::new();
    loop {
        let rows = store::held_back(tx.conn, window, &after, AT_ONCE)?;
        let Some(last) = rows.last() else { break };
        after.clone_from(&last.id);
        change(tx, rows, |alert, now| rules::prolonged(alert, until, now))?;
    }
    store::hold(tx.conn, &Pending { until_ms: until.millis(), ..window.clone() })
}

/// The window is over: what another window expects as well is held back by that one now, and the rest is escalated, as
/// the window wants it.
fn finish(tx: &mut Tx<'_>, neighbours: &Neighbours, window: &Pending) -> Result<bool> {
    let rows = store::held_back(tx.conn, window, "", AT_ONCE)?;
    let more = rows.len() as i64 == AT_ONCE;
    let mut over = Vec::new();
    for (row, cover) in still_covered(tx, neighbours, window, rows)? {
        match cover {
            Some(cover) => {
                let pending = Pending::of(&row.tenant_id, &cover);
                change(tx, vec![row], |alert, now| rules::handed_over(alert, &cover, now))?;
                // One that is held already is seen to with what it holds.
                if store::still_pending(tx.conn, &pending)?.is_none() {
                    store::hold(tx.conn, &pending)?;
                }
            }
            None => over.push(row),
        }
    }
    // As the window says by now; of one that is gone, as it said when it held them back.
    let escalates = neighbours.maintenance.escalating(tx.conn, &[asked(window)])?.into_iter().flatten().next();
    let escalation = if escalates.unwrap_or(window.escalates) && !over.is_empty() {
        let on_call = on_call(tx.conn, neighbours, &window.tenant_id, tx.now)?;
        Some(Escalation { time: tx.now.to_string(), on_call })
    } else {
        None
    };
    change(tx, over, |alert, now| rules::outlasted(alert, escalation.clone(), now))?;
    if !more {
        store::forget(tx.conn, window)?;
    }
    Ok(more)
}

/// Which of the alerts that a window held back another one expects now.
fn still_covered(
    tx: &mut Tx<'_>,
    neighbours: &Neighbours,
    window: &Pending,
    rows: Vec<Alert>,
) -> Result<Vec<(Alert, Option<Cover>)>> {
    let told = |row: &Alert| row.unsuppressed_payload(tx.now);
    let told: Vec<Value> = rows.iter().map(told).collect::<Result<_>>()?;
    let facts: Vec<AlertFacts<'_>> = rows
        .iter()
        .zip(&told)
        .map(|(row, alert)| AlertFacts {
            tenant_id: &row.tenant_id,
            resource_id: row.resource_id.as_deref().unwrap_or_default(),
            alert,
        })
        .collect();
    let covers = neighbours.maintenance.catching(tx.conn, &facts, tx.now)?;
    // That the same window opened again does not hide that it was over.
    let is_other = |cover: &Cover| {
        (&cover.window.tenant_id, &cover.window.unique_id) != (&window.window_tenant, &window.window_id)
    };
    Ok(rows.into_iter().zip(covers.into_iter().map(|cover| cover.filter(is_other))).collect())
}

/// Who is on call for a tenant: through its own rosters, and through those of its partner, which are for all clients.
fn on_call(conn: &mut Conn, neighbours: &Neighbours, tenant: &str, now: Timestamp) -> Result<Vec<wire::OnCallPerson>> {
    let around = neighbours.people.around(conn, tenant)?;
    let partner = around.iter().find(|other| *other != tenant).map_or(tenant, String::as_str);
    let mut found = neighbours.on_call.on_call(conn, tenant, partner, now)?;
    if partner != tenant {
        found.extend(neighbours.on_call.on_call(conn, partner, partner, now)?);
    }
    Ok(found.into_iter().map(shown).collect())
}

fn shown(found: OnCallPerson) -> wire::OnCallPerson {
    let OnCallPerson { person, roster_id, shift_id, since, until, .. } = found;
    wire::OnCallPerson {
        phone_number: person.phone_number.clone(),
        mobile_number: person.mobile_number.clone(),
        person: wire::Person::of(person),
        roster_id,
        shift_id,
        since: since.to_string(),
        until: until.to_string(),
    }
}

/// Ends the suppression of alerts by persons, where it has run out.
fn lapse(tx: &mut Tx<'_>, due: Vec<(String, String)>) -> Result<()> {
    let mut tenants: Vec<String> = due.iter().map(|(tenant, _)| tenant.clone()).collect();
    tenants.sort_unstable();
    tenants.dedup();
    store::lock_tenants(tx.conn, &tenants)?;
    for tenant in tenants {
        let ids: Vec<String> = due.iter().filter(|(owner, _)| *owner == tenant).map(|(_, id)| id.clone()).collect();
        let mut rows = store::some(tx.conn, &tenant, &ids)?;
        // Somebody may have done something with it meanwhile.
        rows.retain(|row| {
            row.suppression == PERSON && row.suppressed_until_ms.is_some_and(|until| until <= tx.now.millis())
        });
        change(tx, rows, rules::lapsed)?;
    }
    Ok(())
}

/// Changes alerts of one tenant, and tells it.
fn change(tx: &mut Tx<'_>, rows: Vec<Alert>, mut f: impl FnMut(&mut Alert, Timestamp)) -> Result<()> {
    let Some(tenant) = rows.first().map(|row| row.tenant_id.clone()) else { return Ok(()) };
    let mut changed = Vec::with_capacity(rows.len());
    for mut alert in rows {
        let before = alert.event_payload(tx.now)?;
        f(&mut alert, tx.now);
        record_change(tx, &alert, Some(before))?;
        changed.push(alert);
    }
    store::replace(tx.conn, &tenant, &changed)
}
