//! Who hears of alerts, and who looks after escalations that are due, and after shifts that begin.
//!
//! Any number of gateways do this beside each other. One escalation is in one hand at a time, by a lock that lasts as
//! long as the transaction: a step is taken, its pages are stored and the next one is due, or none of it. Tenants take
//! turns ([`TenantTurns`]), and one that is suspended waits with all that is due of its.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use base::timestamp::Timestamp;
use db::{Conn, Db, Result};
use outbox::{Background, Event, TenantTurns, Tx};

use super::{
    engine, incidents,
    rules::{Stage, State},
    store,
    work::EscalationBatch,
};
use crate::{
    Neighbours,
    configuration::notification,
    delivery::{pages::store as pages, reminders},
    times,
};

/// How long to wait at most when nothing is due. The first step of an alert is taken where the alert is heard of.
const IDLE: Duration = Duration::from_millis(250);
/// How many escalations of one tenant a turn takes up.
const AT_ONCE: usize = 50;
/// How many of a tenant that is suspended a turn puts off.
const HELD_AT_ONCE: usize = 500;
/// How soon a step is tried again that failed.
const AGAIN_MS: i64 = 10_000;

/// Hears of alerts.
pub struct Subscriber {
    neighbours: Arc<Neighbours>,
}

impl Subscriber {
    /// With those whom it asks.
    pub fn new(neighbours: Neighbours) -> Self {
        Self { neighbours: Arc::new(neighbours) }
    }
}

impl outbox::Subscriber for Subscriber {
    fn name(&self) -> &'static str {
        "paging"
    }

    fn take(&self, conn: &mut Conn, event: &Event) -> Result<()> {
        self.take_all(conn, std::slice::from_ref(event))
    }

    fn take_all(&self, conn: &mut Conn, events: &[Event]) -> Result<()> {
        let told = || {
            let known = events.iter().filter(|event| ["ALERT", "INCIDENT"].contains(&event.entity.as_str()));
            known.filter_map(|event| Some((event, event.after.as_ref()?)))
        };
        let ids: BTreeSet<(&str, &str)> =
            told().filter_map(|(event, after)| Some((event.tenant_id.as_str(), after["id"].as_str()?))).collect();
        if ids.is_empty() {
            return Ok(());
        }
        store::lock_all(conn, &ids)?;
        EscalationBatch::run(conn, &self.neighbours, self.neighbours.now(), |conn, work| {
            work.load_escalations(conn, &ids)?;
            told().try_for_each(|(event, after)| {
                let before = event.before.as_ref();
                let _entered = traces::enter(event.trace.clone());
                match event.entity.as_str() {
                    "ALERT" => engine::on_alert_change(conn, work, &event.tenant_id, before, after),
                    _ => incidents::on_incident_change(conn, work, &event.tenant_id, before, after),
                }
            })
        })
    }
}

/// Starts the thread that takes the steps that are due, and tells of shifts that begin.
///
/// # Errors
/// When there is no further thread.
pub fn start_pager(db: Db, neighbours: Neighbours) -> std::io::Result<Background> {
    let neighbours = Arc::new(neighbours);
    let mut escalations = TenantTurns::of_rows(&db, "escalations", &[store::DUE]);
    let mut shifts = TenantTurns::of_rows(&db, "reminders", &[notification::reminders::DUE]);
    Background::start("escalations", move || {
        let taken = turn(&db, &mut escalations, &neighbours, neighbours.now()).unwrap_or_else(|error| {
            tracing::warn!(%error, "escalations that are due");
            IDLE
        });
        let told = reminders::turn(&db, &mut shifts, &neighbours, neighbours.now()).unwrap_or_else(|error| {
            tracing::warn!(%error, "shifts that begin");
            IDLE
        });
        taken.min(told)
    })
}

/// Takes steps that are due; answers how long to wait for the next ones.
pub fn turn(db: &Db, turns: &mut TenantTurns, neighbours: &Arc<Neighbours>, now: Timestamp) -> Result<Duration> {
    // An idle database is only read, and only the first entry of one index.
    let due = db.read_here(|conn| store::DUE.first(conn))?;
    if let Some(wait) = due.map_or(Some(IDLE), |due| until(due, now)) {
        return Ok(wait);
    }
    let tenants = db.read_here(|conn| store::DUE.tenants(conn, now.millis()))?;
    let neighbours = Arc::clone(neighbours);
    let more = turns.serve(db, tenants, now, move |tx, tenant| take_steps(tx, &neighbours, tenant))?;
    Ok(if more { Duration::ZERO } else { IDLE / 10 })
}

/// Takes some of the steps that are due of a tenant; true when there may be more.
fn take_steps(tx: &mut Tx<'_>, neighbours: &Neighbours, tenant: &str) -> Result<bool> {
    let now = tx.now;
    if !neighbours.people.is_active(tx.conn, tenant)? {
        let due = store::due(tx.conn, tenant, now.millis(), HELD_AT_ONCE)?;
        store::hold(tx.conn, tenant, &due, now.millis() + times::HELD_MS)?;
        return Ok(due.len() == HELD_AT_ONCE);
    }
    let due = store::due(tx.conn, tenant, now.millis(), AT_ONCE)?;
    let step = |tx: &mut Tx<'_>, alerts: &[String]| {
        // First: where an alert and its escalation are changed, they are locked in this order.
        let expire = |alert: &String| expire_acknowledgement(tx.conn, neighbours, tenant, alert, now);
        let expired = alerts.iter().map(expire).collect::<Result<Vec<bool>>>()?;
        EscalationBatch::run(tx.conn, neighbours, now, |conn, work| {
            alerts.iter().zip(&expired).try_for_each(|(alert, expired)| {
                // Somebody else has it: it is not due any more when they are done.
                if !store::lock(tenant, alert).try_take(conn)? {
                    return Ok(());
                }
                match store::find(conn, tenant, alert)? {
                    Some(row) if row.next_ms.is_some_and(|next| next <= now.millis()) => {
                        let state = match row.state() {
                            state if *expired => state.expired(now.millis()),
                            // It was answered anew, which is heard of soon.
                            state if state.stage == Stage::Acknowledged => {
                                State { next_ms: Some(now.millis() + AGAIN_MS), ..state }
                            }
                            state => state,
                        };
                        engine::advance(conn, work, row.with(state, now.millis()))?;
                        work.store(conn)
                    }
                    _ => Ok(()),
                }
            })
        })
    };
    let taken = tx.attempt_each(&due, step, |tx, alert, error| {
        tracing::error!(%error, tenant, alert, "a step of an escalation was not taken");
        store::hold(tx.conn, tenant, std::slice::from_ref(alert), now.millis() + AGAIN_MS)
    })?;
    Ok(taken == AT_ONCE || taken < due.len())
}

/// Takes an acknowledgement back that held for as long as the policy says, so that people can answer what they are told
/// from then on. False when there is none.
fn expire_acknowledgement(
    conn: &mut Conn,
    neighbours: &Neighbours,
    tenant: &str,
    alert: &str,
    now: Timestamp,
) -> Result<bool> {
    let Some(row) = store::find(conn, tenant, alert)? else { return Ok(false) };
    let due = row.next_ms.filter(|due| *due <= now.millis() && row.state().stage == Stage::Acknowledged);
    let Some((due, timeout)) = due.zip(row.policy.plan().ack_timeout_ms) else { return Ok(false) };
    if alert.starts_with(pages::INCIDENT) {
        return neighbours.incidents.expire_acknowledgement(conn, tenant, alert, now);
    }
    let heard = Timestamp::from_millis(due - timeout);
    neighbours.alerts.expire_acknowledgement(conn, tenant, alert, heard, now)
}

/// How long it is until something is due that is not, but no longer than [`IDLE`]: the clock may be set, and what
/// another process stores is not heard of.
fn until(due_ms: i64, now: Timestamp) -> Option<Duration> {
    let wait = u64::try_from(due_ms - now.millis()).ok().filter(|wait| *wait > 0)?;
    Some(IDLE.min(Duration::from_millis(wait)))
}
