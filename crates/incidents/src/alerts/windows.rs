//! The thread that ends suppressions of alerts: by a maintenance window that is over, or by a person until a time.
//!
//! Tenants take turns ([`TenantTurns`]), and an alert or window that fails waits by itself.
//!
//! Any number of gateways do this beside each other. Each looks, without writing anything, for what there is to do; who
//! does it takes the lock of the tenant and looks again, so that every alert is escalated once. A window is asked how
//! long it is open at the end that was known, or now when that is still to come: so one that was extended goes on, one
//! that was ended early is noticed, and one that opened again meanwhile does not hide that it was over.

use std::{
    cell::RefCell,
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

use base::{timestamp::Timestamp, turns::Turns};
use db::{Conn, Db, Error, Result};
use outbox::{Background, TenantTurns, Tx};
use ports::{AlertFacts, Cover, OnCallPerson, Window};
use serde_json::Value;

use super::{
    intake::record_change,
    row::{Alert, PERSON, Pending, WINDOW},
    rules, store,
    wire::{self, Escalation},
};
use crate::neighbours::Neighbours;

/// How long to wait when there is nothing to do.
const IDLE: Duration = Duration::from_secs(1);
/// The most alerts of one tenant that a turn processes.
const AT_ONCE: usize = 200;

/// Starts the thread that ends suppressions. `clock` tells the time.
///
/// # Errors
/// When there is no further thread.
pub fn start_escalator(
    db: Db,
    neighbours: Neighbours,
    clock: impl Fn() -> Timestamp + Send + 'static,
) -> std::io::Result<Background> {
    let mut watch = Watch::new(&db, Arc::new(neighbours));
    Background::repeat("alerts", IDLE, "alerts whose window is over", move || watch.turn(&db, clock()))
}

/// The state of the thread between turns.
pub struct Watch {
    neighbours: Arc<Neighbours>,
    turns: TenantTurns,
    failing: FailurePauses,
}

/// Windows and alerts for which something failed: each waits by itself before it is tried again.
#[derive(Clone, Default)]
struct FailurePauses(Arc<Mutex<Turns>>);

impl FailurePauses {
    fn lock(&self) -> MutexGuard<'_, Turns> {
        base::lock(&self.0)
    }

    /// Some of these that need not wait.
    fn ready(&self, mut ids: Vec<String>, now: Timestamp, most: usize) -> Vec<String> {
        let pauses = self.lock();
        ids.retain(|id| !pauses.is_paused(id, now.millis()));
        ids.truncate(most);
        ids
    }

    /// How many rows to read for so many that need not wait.
    fn read_limit(&self, most: usize) -> i64 {
        i64::try_from(most + self.lock().paused()).unwrap_or(i64::MAX)
    }

    fn record_failure(&self, tenant: &str, id: &str, error: &db::Error, now: Timestamp) {
        tracing::error!(%error, tenant, id, "what becomes of an alert when time passes");
        self.lock().fail(id, now.millis());
    }
}

/// The work of a turn for one tenant.
struct DueWork {
    windows: Vec<Pending>,
    lapsing: Vec<String>,
}

impl Watch {
    /// A thread state before its first turn.
    pub fn new(db: &Db, neighbours: Arc<Neighbours>) -> Self {
        let turns = TenantTurns::of_rows(db, "alerts", &[store::WINDOWS, store::LAPSES]);
        Self { neighbours, turns, failing: FailurePauses::default() }
    }

    /// Runs one turn; true when there may be more work.
    pub fn turn(&mut self, db: &Db, now: Timestamp) -> Result<bool> {
        let tenants = db.read_here(|conn| {
            let mut tenants = store::WINDOWS.tenants(conn, i64::MAX)?;
            tenants.extend(store::LAPSES.tenants(conn, now.millis())?);
            Ok(tenants)
        })?;
        let neighbours = Arc::clone(&self.neighbours);
        let failing = self.failing.clone();
        let read =
            |tenant: &str| db.read_here(|conn| find_due_work(conn, &self.neighbours, &self.failing, tenant, now));
        let mut more = false;
        self.turns.serve_each(
            db,
            tenants,
            now,
            read,
            move |tx, tenant, part| process_tenant(tx, &neighbours, &failing, tenant, part),
            |_, is_more| more |= is_more,
        )?;
        Ok(more)
    }
}

/// Finds the work for a tenant, without writing anything.
fn find_due_work(
    conn: &mut Conn,
    neighbours: &Neighbours,
    failing: &FailurePauses,
    tenant: &str,
    now: Timestamp,
) -> Result<Option<DueWork>> {
    let mut windows = store::pending(conn, tenant)?;
    {
        let pauses = failing.lock();
        windows.retain(|window| !pauses.is_paused(&key(window), now.millis()));
    }
    // Most are still open: they are asked about together.
    let (open, over): (Vec<_>, Vec<_>) = windows.into_iter().partition(|window| window.until_ms > now.millis());
    let asked: Vec<Window> = open.iter().map(port_window).collect();
    let ends = db::savepoint(conn, |conn| neighbours.maintenance.open_until(conn, &asked, now));
    let mut windows: Vec<Pending> = match ends {
        Err(error @ Error::Unavailable(_)) => return Err(error),
        Ok(ends) => {
            let changed = open
                .into_iter()
                .zip(ends)
                .filter(|(window, end)| end.is_none_or(|end| end.millis() != window.until_ms));
            changed.map(|(window, _)| window).collect()
        }
        // One of them cannot be read: each is seen to by itself.
        Err(_) => open,
    };
    windows.extend(over);
    let lapsing = store::lapsing(conn, tenant, now.millis(), failing.read_limit(AT_ONCE))?;
    let lapsing = failing.ready(lapsing, now, AT_ONCE);
    Ok((!windows.is_empty() || !lapsing.is_empty()).then_some(DueWork { windows, lapsing }))
}

/// Does the work for a tenant; true when there may be more.
fn process_tenant(
    tx: &mut Tx<'_>,
    neighbours: &Neighbours,
    failing: &FailurePauses,
    tenant: &str,
    part: DueWork,
) -> Result<bool> {
    let now = tx.now;
    store::lock_tenants(tx.conn, &[tenant.to_owned()])?;
    let work = RefCell::new(Work { neighbours, failing, left: AT_ONCE });
    for window in &part.windows {
        if work.borrow().left == 0 {
            return Ok(true);
        }
        let alone = std::slice::from_ref(window);
        let finish = |tx: &mut Tx<'_>, _: &[Pending]| work.borrow_mut().process_window(tx, window);
        tx.attempt_each(alone, finish, |_, window, error| {
            failing.record_failure(tenant, &key(window), &error, now);
            Ok(())
        })?;
    }
    let lapse = |tx: &mut Tx<'_>, ids: &[String]| end_suppressions(tx, tenant, ids);
    let lapsed = tx.attempt_each(&part.lapsing, lapse, |_, id, error| {
        failing.record_failure(tenant, id, &error, now);
        Ok(())
    })?;
    Ok(work.borrow().left == 0 || lapsed == AT_ONCE || lapsed < part.lapsing.len())
}

/// The state that the windows of a turn share.
struct Work<'n> {
    neighbours: &'n Neighbours,
    failing: &'n FailurePauses,
    /// How many alerts the turn may still see to.
    left: usize,
}

/// The key of a window for [`FailurePauses`].
fn key(window: &Pending) -> String {
    format!("{} {} {}", window.tenant_id, window.window_tenant, window.window_id)
}

/// The window to ask the maintenance port about.
fn port_window(pending: &Pending) -> Window {
    Window {
        tenant_id: pending.window_tenant.clone(),
        unique_id: pending.window_id.clone(),
        name: pending.name.clone(),
    }
}

/// When a window that holds back alerts ends; `None` when it is over.
fn end(conn: &mut Conn, neighbours: &Neighbours, pending: &Pending, now: Timestamp) -> Result<Option<Timestamp>> {
    let at = Timestamp::from_millis(pending.until_ms.min(now.millis()));
    let end = neighbours.maintenance.open_until(conn, &[port_window(pending)], at)?.into_iter().flatten().next();
    Ok(end.filter(|end| *end > now || end.millis() > pending.until_ms))
}

impl Work<'_> {
    /// Ends or extends the suppressions by one window.
    fn process_window(&mut self, tx: &mut Tx<'_>, window: &Pending) -> Result<()> {
        let Some(window) = store::still_pending(tx.conn, window)? else { return Ok(()) };
        match end(tx.conn, self.neighbours, &window, tx.now)? {
            Some(until) if until.millis() == window.until_ms => Ok(()),
            Some(until) => self.prolong(tx, &window, until),
            None => self.finish(tx, &window),
        }
    }

    /// Does something with the alerts that a window holds back, as many as the turn may; true when none is left.
    fn each_alert(
        &mut self,
        tx: &mut Tx<'_>,
        window: &Pending,
        but_until_ms: Option<i64>,
        work: impl Fn(&mut Tx<'_>, Vec<Alert>) -> Result<()>,
    ) -> Result<bool> {
        let tenant = &window.tenant_id;
        let now = tx.now;
        let held = store::held_back(tx.conn, window, but_until_ms, self.failing.read_limit(self.left) + 1)?;
        let all = held.len();
        let ids = self.failing.ready(held, now, self.left);
        let work = |tx: &mut Tx<'_>, ids: &[String]| {
            let mut rows = store::by_ids(tx.conn, tenant, ids)?;
            // Somebody may have done something with it meanwhile.
            rows.retain(|row| row.suppression == WINDOW && row.window_id.as_ref() == Some(&window.window_id));
            work(tx, rows)
        };
        let mut failed = 0;
        let done = tx.attempt_each(&ids, work, |_, id, error| {
            failed += 1;
            self.failing.record_failure(tenant, id, &error, now);
            Ok(())
        })?;
        // With one that is left, other than for a failure, the next turn goes on at once.
        self.left = if done < ids.len() { 0 } else { self.left - done };
        Ok(failed == 0 && done == all)
    }

    /// The window ends at another time than was known.
    fn prolong(&mut self, tx: &mut Tx<'_>, window: &Pending, until: Timestamp) -> Result<()> {
        let prolong = |tx: &mut Tx<'_>, rows| change(tx, rows, |alert, now| rules::extend_window(alert, until, now));
        if self.each_alert(tx, window, Some(until.millis()), prolong)? {
            store::hold(tx.conn, &Pending { until_ms: until.millis(), ..window.clone() })?;
        }
        Ok(())
    }

    /// Ends a window: alerts that another window covers are handed over to it, the rest is escalated if the window says
    /// so.
    fn finish(&mut self, tx: &mut Tx<'_>, window: &Pending) -> Result<()> {
        let neighbours = self.neighbours;
        // As the window says now; of one that is gone, as it said when it held them back.
        let escalates =
            neighbours.maintenance.escalating(tx.conn, &[port_window(window)])?.into_iter().flatten().next();
        let escalates = escalates.unwrap_or(window.escalates);
        let finish = |tx: &mut Tx<'_>, rows| finish(tx, neighbours, window, escalates, rows);
        if self.each_alert(tx, window, None, finish)? {
            store::forget(tx.conn, window)?;
        }
        Ok(())
    }
}

/// Hands over or escalates alerts whose window is over.
fn finish(tx: &mut Tx<'_>, neighbours: &Neighbours, window: &Pending, escalates: bool, rows: Vec<Alert>) -> Result<()> {
    let mut over = Vec::new();
    for (row, cover) in still_covered(tx, neighbours, window, rows)? {
        match cover {
            Some(cover) => {
                let pending = Pending::of(&row.tenant_id, &cover);
                change(tx, vec![row], |alert, now| rules::hand_over_to_window(alert, &cover, now))?;
                // One that is held already is seen to with what it holds.
                if store::still_pending(tx.conn, &pending)?.is_none() {
                    store::hold(tx.conn, &pending)?;
                }
            }
            None => over.push(row),
        }
    }
    let escalation = if escalates && !over.is_empty() {
        let on_call = on_call(tx.conn, neighbours, &window.tenant_id, tx.now)?;
        Some(Escalation { time: tx.now.to_string(), on_call })
    } else {
        None
    };
    change(tx, over, |alert, now| rules::end_window(alert, escalation.clone(), now))
}

/// The alerts of a window with the other window that covers each now, if any.
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

/// The people on call for a tenant, through its own rosters and through the rosters of its partner.
fn on_call(conn: &mut Conn, neighbours: &Neighbours, tenant: &str, now: Timestamp) -> Result<Vec<wire::OnCallPerson>> {
    let around = neighbours.people.own_and_partner(conn, tenant)?;
    let partner = around.iter().find(|other| *other != tenant).map_or(tenant, String::as_str);
    let mut found = neighbours.on_call.on_call(conn, tenant, partner, now)?;
    if partner != tenant {
        found.extend(neighbours.on_call.on_call(conn, partner, partner, now)?);
    }
    Ok(found.into_iter().map(to_wire).collect())
}

fn to_wire(found: OnCallPerson) -> wire::OnCallPerson {
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

/// Ends the suppression of alerts of a tenant by persons, where it has run out.
fn end_suppressions(tx: &mut Tx<'_>, tenant: &str, ids: &[String]) -> Result<()> {
    let mut rows = store::by_ids(tx.conn, tenant, ids)?;
    // Somebody may have done something with it meanwhile.
    rows.retain(|row| {
        row.suppression == PERSON && row.suppressed_until_ms.is_some_and(|until| until <= tx.now.millis())
    });
    change(tx, rows, rules::end_suppression)
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
