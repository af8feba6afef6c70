//! The thread that ends suppressions of alerts: by a maintenance window that is over, or by a person until a time.
//!
//! Tenants take turns ([`TenantTurns`]), and an alert or window that fails waits by itself.
//!
//! Any number of gateways do this beside each other. Each looks, without writing anything, for what there is to do; who
//! does it takes the lock of the tenant and looks again, so that every alert is escalated once. A window is asked how
//! long it is open at the end that was known, or now when that is still to come: so one that was extended goes on, one
//! that was ended early is noticed, and one that opened again meanwhile does not hide that it was over. One that is
//! open may not cover an alert any more: what it holds back is asked about, some alerts of a tenant in each turn.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

use base::{timestamp::Timestamp, turns::Turns};
use db::{Conn, Db, Error, Result};
use outbox::{Background, TenantTurns, Tx};
use ports::{Cover, OnCallPerson, Window};

use super::{
    covers,
    intake::record_change,
    row::{Alert, PERSON, Pending, WINDOW},
    rules,
    store::{self, HeldPlace},
    wire::{self, Escalation},
};
use crate::neighbours::Neighbours;

/// How long to wait when there is nothing to do.
const IDLE: Duration = Duration::from_secs(1);
/// The most alerts of one tenant that a turn processes.
const AT_ONCE: usize = 200;
/// The most alerts of one tenant that a turn asks about whether their window still covers them.
const CHECKED: i64 = 100;
/// The pause of a tenant all of whose alerts were asked about.
const CHECK_MS: i64 = 5_000;

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
    /// Of the tenants with windows that hold back alerts.
    checks: BTreeMap<String, CoverCheck>,
}

/// How far it was asked whether windows still cover what they hold back.
#[derive(Clone, Debug, Default)]
struct CoverCheck {
    after: HeldPlace,
    next_ms: i64,
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
    /// Alerts that their windows, which are open, do not cover any more.
    uncovered: Vec<String>,
    lapsing: Vec<String>,
}

impl Watch {
    /// A thread state before its first turn.
    pub fn new(db: &Db, neighbours: Arc<Neighbours>) -> Self {
        let turns = TenantTurns::of_rows(db, "alerts", &[store::WINDOWS, store::LAPSES]);
        Self { neighbours, turns, failing: FailurePauses::default(), checks: BTreeMap::new() }
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
        self.checks.retain(|tenant, _| tenants.contains(tenant));
        let (known, paused) = (&self.neighbours, &self.failing);
        let checks = &mut self.checks;
        let read = |tenant: &str| {
            let check = checks.entry(tenant.to_owned()).or_default();
            db.read_here(|conn| find_due_work(conn, known, paused, check, tenant, now))
        };
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
    check: &mut CoverCheck,
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
    let uncovered = failing.ready(find_uncovered(conn, neighbours, check, tenant, &windows, now)?, now, AT_ONCE);
    let lapsing = store::lapsing(conn, tenant, now.millis(), failing.read_limit(AT_ONCE))?;
    let lapsing = failing.ready(lapsing, now, AT_ONCE);
    let is_idle = windows.is_empty() && uncovered.is_empty() && lapsing.is_empty();
    Ok((!is_idle).then_some(DueWork { windows, uncovered, lapsing }))
}

/// Some of the alerts that their windows do not cover any more, though they are open: not one of those that are `due`,
/// which are seen to as a whole.
fn find_uncovered(
    conn: &mut Conn,
    neighbours: &Neighbours,
    check: &mut CoverCheck,
    tenant: &str,
    due: &[Pending],
    now: Timestamp,
) -> Result<Vec<String>> {
    // A clock that was moved back makes no pause longer.
    if (1..=CHECK_MS).contains(&check.next_ms.saturating_sub(now.millis())) {
        return Ok(Vec::new());
    }
    let mut rows = store::held_after(conn, tenant, &check.after, CHECKED)?;
    let is_more = rows.len() as i64 == CHECKED;
    *check = match rows.last() {
        Some(last) if is_more => CoverCheck { after: place(last), next_ms: 0 },
        _ => CoverCheck { after: HeldPlace::default(), next_ms: now.millis() + CHECK_MS },
    };
    rows.retain(|row| !due.iter().any(|window| is_held(row, window)));
    let alerts: Vec<&Alert> = rows.iter().collect();
    match db::savepoint(conn, |conn| covers::catching(conn, neighbours, &alerts, now)) {
        Ok(covers) => {
            let uncovered = rows.into_iter().zip(covers).filter(|(row, covers)| !is_still_held(row, covers));
            Ok(uncovered.map(|(row, _)| row.id).collect())
        }
        Err(error @ Error::Unavailable(_)) => Err(error),
        // A window that cannot be read is told when it is over.
        Err(error) => {
            tracing::warn!(%error, tenant, "whether windows still cover the alerts that they hold back");
            Ok(Vec::new())
        }
    }
}

fn place(alert: &Alert) -> HeldPlace {
    (alert.window_tenant.clone().unwrap_or_default(), alert.window_id.clone().unwrap_or_default(), alert.id.clone())
}

/// Does this window hold an alert back?
fn is_held(alert: &Alert, window: &Pending) -> bool {
    alert.suppression == WINDOW
        && alert.window_tenant.as_ref() == Some(&window.window_tenant)
        && alert.window_id.as_ref() == Some(&window.window_id)
}

/// Does the window that holds an alert back still cover it? Not whether another one is open longer: an alert of two
/// windows stays with its own.
fn is_still_held(alert: &Alert, covers: &[Cover]) -> bool {
    covers.iter().any(|cover| covers::is_held_by(alert, cover))
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
    let release = |tx: &mut Tx<'_>, ids: &[String]| release_uncovered(tx, neighbours, tenant, ids);
    let released = tx.attempt_each(&part.uncovered, release, |_, id, error| {
        failing.record_failure(tenant, id, &error, now);
        Ok(())
    })?;
    let lapse = |tx: &mut Tx<'_>, ids: &[String]| end_suppressions(tx, tenant, ids);
    let lapsed = tx.attempt_each(&part.lapsing, lapse, |_, id, error| {
        failing.record_failure(tenant, id, &error, now);
        Ok(())
    })?;
    let is_left = released < part.uncovered.len() || lapsed < part.lapsing.len();
    Ok(work.borrow().left == 0 || lapsed == AT_ONCE || is_left)
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
            rows.retain(|row| is_held(row, window));
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
        let escalates = escalates(tx.conn, neighbours, window)?;
        let finish = |tx: &mut Tx<'_>, rows| finish(tx, neighbours, window, escalates, rows);
        if self.each_alert(tx, window, None, finish)? {
            store::forget(tx.conn, window)?;
        }
        Ok(())
    }
}

/// Are the alerts of a window to be escalated that are open after it? As the window says now; of one that is gone, as
/// it said when it held them back.
fn escalates(conn: &mut Conn, neighbours: &Neighbours, window: &Pending) -> Result<bool> {
    let said = neighbours.maintenance.escalating(conn, &[port_window(window)])?.into_iter().flatten().next();
    Ok(said.unwrap_or(window.escalates))
}

/// Ends the suppression of alerts of a tenant that are held back by windows which do not cover them any more, as if
/// their windows were over.
fn release_uncovered(tx: &mut Tx<'_>, neighbours: &Neighbours, tenant: &str, ids: &[String]) -> Result<()> {
    // Somebody may have done something with it meanwhile.
    let mut rows = store::by_ids(tx.conn, tenant, ids)?;
    for window in store::pending(tx.conn, tenant)? {
        let (of_window, others): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| is_held(row, &window));
        rows = others;
        // One that is over is seen to with all that it holds back.
        if of_window.is_empty() || end(tx.conn, neighbours, &window, tx.now)?.is_none() {
            continue;
        }
        let alerts: Vec<&Alert> = of_window.iter().collect();
        let covers = covers::catching(tx.conn, neighbours, &alerts, tx.now)?;
        let uncovered = of_window.into_iter().zip(covers).filter(|(row, covers)| !is_still_held(row, covers));
        let uncovered: Vec<Alert> = uncovered.map(|(row, _)| row).collect();
        let escalates = escalates(tx.conn, neighbours, &window)?;
        finish(tx, neighbours, &window, escalates, uncovered)?;
    }
    Ok(())
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
    let alerts: Vec<&Alert> = rows.iter().collect();
    let covers = covers::catching(tx.conn, neighbours, &alerts, tx.now)?;
    // That the same window opened again does not hide that it was over.
    let is_other = |cover: &Cover| {
        (&cover.window.tenant_id, &cover.window.unique_id) != (&window.window_tenant, &window.window_id)
    };
    Ok(rows.into_iter().zip(covers.into_iter().map(|covers| covers.into_iter().find(is_other))).collect())
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
