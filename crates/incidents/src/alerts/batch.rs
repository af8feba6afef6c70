//! The problems and alerts that one request changes: read under a lock, changed in memory, and written together.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use base::timestamp::Timestamp;
use db::{Conn, Result};
use outbox::{Entity, Tx};
use ports::Window;
use serde_json::Value;

use super::{
    covers,
    history::Arrival,
    report::Origin,
    room::{Changes, Pressure, Room},
    row::{Alert, KEPT, PERSON, Pending, ProblemRow, WINDOW},
    rules::{self, Step},
    store,
};
use crate::neighbours::Neighbours;

/// The entity type of alerts.
pub const ENTITY: &str = "ALERT";

/// The result of a report, and the index of its alert.
pub type Outcome = (&'static str, Option<usize>);

/// The result of a report that would open an alert for which there is no room.
pub const REFUSED: &str = "refused";

/// Tenant and name.
type Name = (String, String);

/// The problems and alerts that one request changes.
pub struct Batch {
    problems: HashMap<Name, ProblemState>,
    /// The tenants at which a problem is open.
    open_at: HashMap<String, BTreeSet<String>>,
    entries: Vec<Entry>,
    /// The index in `entries` of each alert.
    indexes: HashMap<Name, usize>,
    /// How many alerts are open.
    room: Room,
}

/// A problem, and how its row has to be stored.
struct ProblemState {
    known: ProblemRow,
    stored: bool,
    changed: bool,
    gone: bool,
}

/// An alert, and how it has to be stored.
struct Entry {
    alert: Alert,
    /// Its payload before the request; `None` for a new one.
    before: Option<Value>,
    /// Its sender, if it was open before the request.
    was_open_of: Option<String>,
    changed: bool,
    /// Must windows be asked whether they cover it?
    ask: bool,
    /// From which state it got worse while it was acknowledged, and to which: its policy is asked whether the
    /// acknowledgement holds.
    raised: Option<(String, String)>,
}

impl Entry {
    fn new(alert: Alert, before: Option<Value>) -> Self {
        let is_new = before.is_none();
        let was_open_of = (!is_new && alert.closed_ms.is_none()).then(|| alert.sender.clone());
        Self { alert, before, was_open_of, changed: is_new, ask: is_new, raised: None }
    }
}

impl Batch {
    /// Reads the problems of the reports and their alerts, and those that are open at other tenants; locks the tenants.
    pub fn open(
        tx: &mut Tx<'_>,
        origin: &Origin,
        arrivals: &[Arrival<'_>],
        open_elsewhere: &[ProblemRow],
    ) -> Result<Self> {
        let mut tenants: BTreeSet<&String> = arrivals.iter().map(|arrival| &arrival.tenant).collect();
        tenants.extend(open_elsewhere.iter().map(|known| &known.tenant_id));
        // A client's problem may have been reported before the inventory knew its resource.
        let away = arrivals.iter().filter(|arrival| arrival.tenant != origin.home);
        let away: BTreeSet<&String> = away.flat_map(|arrival| &arrival.problems).collect();
        let away: Vec<String> = away.into_iter().cloned().collect();
        if store::problems_by_name(tx.conn, &origin.home, &away)?.iter().any(|known| known.is_open) {
            tenants.insert(&origin.home);
        }
        let tenants: Vec<String> = tenants.into_iter().cloned().collect();
        store::lock_tenants(tx.conn, &tenants)?;
        let room = Room::read(tx.conn, &tenants, &origin.sender)?;
        let mut batch = Self {
            problems: HashMap::new(),
            open_at: HashMap::new(),
            entries: Vec::new(),
            indexes: HashMap::new(),
            room,
        };
        for tenant in tenants {
            let named = arrivals.iter().filter(|arrival| arrival.tenant == tenant || tenant == origin.home);
            let mut named: BTreeSet<&String> =
                named.flat_map(|arrival| arrival.problems.iter().chain(&arrival.former)).collect();
            let here = open_elsewhere.iter().filter(|known| known.tenant_id == tenant);
            named.extend(here.map(|known| &known.problem));
            let named: Vec<String> = named.into_iter().cloned().collect();
            let known = store::problems_by_name(tx.conn, &tenant, &named)?;
            let ids = known.iter().filter(|known| !known.alert_id.is_empty()).map(|known| known.alert_id.clone());
            for alert in store::by_ids(tx.conn, &tenant, &ids.collect::<Vec<_>>())? {
                let before = Some(alert.event_payload(tx.now)?);
                batch.add(Entry::new(alert, before));
            }
            for known in known {
                let name = (tenant.clone(), known.problem.clone());
                batch.note_open(&name, known.is_open);
                batch.problems.insert(name, ProblemState { known, stored: true, changed: false, gone: false });
            }
        }
        Ok(batch)
    }

    /// The alert with this index.
    pub fn alert(&self, index: usize) -> Option<&Alert> {
        self.entries.get(index).map(|entry| &entry.alert)
    }

    fn add(&mut self, entry: Entry) -> usize {
        let index = self.entries.len();
        let row = &entry.alert;
        self.indexes.insert((row.tenant_id.clone(), row.id.clone()), index);
        self.entries.push(entry);
        index
    }

    /// The name of the problem of a report. A problem that is open under another of its names, such as that of a device
    /// before the inventory knew it, is renamed to the best one.
    fn name(&mut self, arrival: &Arrival<'_>, sender: &str) -> Name {
        let named = |problem: &String| (arrival.tenant.clone(), problem.clone());
        let mut names = arrival.problems.iter().map(named);
        let first = names.next().unwrap_or_default();
        let is_open =
            |name: &Name| self.problems.get(name).is_some_and(|problem| problem.known.is_open && !problem.gone);
        if is_open(&first) {
            return first;
        }
        let Some(other) = names.find(is_open) else { return self.decommissioned_name(arrival, first) };
        let Some(old) = self.problems.get_mut(&other) else { return first };
        let known = ProblemRow { problem: first.1.clone(), ..old.known.clone() };
        old.changed = true;
        old.gone = true;
        let alert = (arrival.tenant.clone(), known.alert_id.clone());
        if let Some(entry) = self.indexes.get(&alert).and_then(|index| self.entries.get_mut(*index)) {
            entry.alert.problem.clone_from(&first.1);
            sender.clone_into(&mut entry.alert.sender);
            entry.changed = true;
        }
        let stored = self.problems.get(&first).is_some_and(|problem| problem.stored);
        self.problems.insert(first.clone(), ProblemState { known, stored, changed: true, gone: false });
        self.note_open(&other, false);
        self.note_open(&first, true);
        first
    }

    fn note_open(&mut self, (tenant, problem): &Name, is_open: bool) {
        let tenants = self.open_at.entry(problem.clone()).or_default();
        if is_open {
            tenants.insert(tenant.clone());
        } else {
            tenants.remove(tenant);
        }
    }

    /// The name under which the problem of a decommissioned resource is open, or else `name`.
    fn decommissioned_name(&self, arrival: &Arrival<'_>, name: Name) -> Name {
        let is_open =
            |name: &Name| self.problems.get(name).is_some_and(|problem| problem.known.is_open && !problem.gone);
        if is_open(&name) {
            return name;
        }
        let mut former = arrival.former.iter().map(|problem| (arrival.tenant.clone(), problem.clone()));
        former.find(is_open).unwrap_or(name)
    }

    /// Closes alerts of the problem of a report at other tenants: that of a partner where the resource turned out to be
    /// a client's, where it goes on, and all that are open under the key of a recovery. Answers the index of the first.
    fn close_elsewhere(&mut self, arrival: &Arrival<'_>, home: &str, now: Timestamp) -> Option<usize> {
        let reaches_all = arrival.report.key.is_some() && arrival.report.state == "Ok";
        let mut names = Vec::new();
        for problem in &arrival.problems {
            let tenants = self.open_at.get(problem).into_iter().flatten();
            let others = tenants.filter(|tenant| **tenant != arrival.tenant && (reaches_all || *tenant == home));
            names.extend(others.map(|tenant| (tenant.clone(), problem.clone())));
        }
        let mut first = None;
        for name in names {
            let closed = self.close_at(&name, arrival, now);
            first = first.or(closed);
        }
        first
    }

    /// Closes the alert that another tenant has of the problem of a report; answers its index.
    fn close_at(&mut self, name: &Name, arrival: &Arrival<'_>, now: Timestamp) -> Option<usize> {
        let known = &self.problems.get(name).filter(|problem| problem.known.is_open && !problem.gone)?.known;
        let index = *self.indexes.get(&(name.0.clone(), known.alert_id.clone()))?;
        let entry = self.entries.get_mut(index)?;
        if arrival.report.state != "Ok" {
            rules::close_as_moved(&mut entry.alert, &arrival.tenant, now);
        } else if rules::is_of_other_instance(&entry.alert, arrival.report, now) {
            return None;
        } else {
            rules::close_by_recovery(&mut entry.alert, arrival.report, now);
        }
        entry.changed = true;
        self.update_problem(name, |known| known.is_open = false);
        Some(index)
    }

    /// Applies a report; answers its result and the index of its alert.
    pub fn enter(&mut self, arrival: &Arrival<'_>, origin: &Origin, now: Timestamp) -> Outcome {
        let left = self.close_elsewhere(arrival, &origin.home, now);
        let report = arrival.report;
        let name = self.name(arrival, &origin.sender);
        let problem = self.problems.get(&name).filter(|problem| problem.known.is_open && !problem.gone);
        let alert = problem.map(|problem| (arrival.tenant.clone(), problem.known.alert_id.clone()));
        let index = alert.and_then(|alert| self.indexes.get(&alert).copied());
        let open = index.and_then(|index| self.entries.get_mut(index));
        let step = rules::step(open.as_deref().map(|entry| &entry.alert), report, now);
        let Some(entry) = open else { return self.begin(arrival, origin, name, step, left, now) };
        let alert = &mut entry.alert;
        let result = match step {
            Step::Open | Step::Other | Step::Ignore => {
                return left.map_or(("late", index), |left| ("closed", Some(left)));
            }
            Step::Close => {
                rules::close_by_recovery(alert, report, now);
                "closed"
            }
            Step::Late => {
                rules::count_report(alert, report, now);
                "late"
            }
            Step::Repeat | Step::Change(_) => {
                // Windows could not be asked about it while its resource was unknown.
                entry.ask |= alert.resource_id.is_none() && arrival.resource.is_some();
                if arrival.resource.is_some() || alert.resource_id.is_none() {
                    rules::set_resource(alert, report, arrival.resource.as_ref());
                }
                let changed = if let Step::Change(state) = step { Some(state) } else { None };
                rules::apply_report(alert, report, changed, now);
                if rules::is_raised(alert) {
                    let from = entry.raised.take().map_or_else(|| alert.document.old_state.clone(), |(from, _)| from);
                    entry.raised = Some((from, alert.current_state.clone()));
                }
                // A window that is over suppresses an alert only until the next report; one that is open may have
                // changed, or not cover the new state.
                entry.ask |= alert.suppression == KEPT || alert.suppression == WINDOW;
                if changed.is_some() { "changed" } else { "repeated" }
            }
        };
        entry.changed = true;
        if step == Step::Close {
            self.update_problem(&name, |known| known.is_open = false);
        }
        (result, index)
    }

    /// Applies a report whose problem is not open. `left` is the index of the alert that was closed
    /// at another tenant.
    fn begin(
        &mut self,
        arrival: &Arrival<'_>,
        origin: &Origin,
        name: Name,
        step: Step,
        left: Option<usize>,
        now: Timestamp,
    ) -> Outcome {
        if step != Step::Open {
            return (if left.is_some() { "closed" } else { "ignored" }, left);
        }
        if !self.room.take(&arrival.tenant, &origin.sender, arrival.report.state) {
            return (REFUSED, None);
        }
        let id = format!("ALT-{}", uuid::Uuid::now_v7());
        let tenant = &arrival.tenant;
        let sender = &origin.sender;
        let mut alert = rules::open_alert(arrival.report, tenant, sender, &name.1, id.clone(), now);
        rules::set_resource(&mut alert, arrival.report, arrival.resource.as_ref());
        self.update_problem(&name, |known| (known.alert_id, known.is_open) = (id, true));
        ("created", Some(self.add(Entry::new(alert, None))))
    }

    fn update_problem(&mut self, name: &Name, change: impl FnOnce(&mut ProblemRow)) {
        let problem = self.problems.entry(name.clone()).or_insert_with(|| {
            let (tenant_id, problem) = name.clone();
            let known =
                ProblemRow { tenant_id, problem, alert_id: String::new(), is_open: false, settled_ms: i64::MIN };
            ProblemState { known, stored: false, changed: true, gone: false }
        });
        problem.changed = true;
        change(&mut problem.known);
        let is_open = problem.known.is_open;
        self.note_open(name, is_open);
    }

    /// Reopens acknowledged alerts that got worse, unless their policy says otherwise.
    pub fn ask_policies(&mut self, tx: &mut Tx<'_>, neighbours: &Neighbours) -> Result<()> {
        for entry in self.entries.iter_mut().filter(|entry| entry.alert.closed_ms.is_none()) {
            if let Some((from, to)) = &entry.raised {
                reopen(tx, neighbours, &mut entry.alert, from, to)?;
            }
        }
        Ok(())
    }

    /// Asks windows about the alerts that they may cover.
    pub fn ask_windows(&mut self, tx: &mut Tx<'_>, neighbours: &Neighbours) -> Result<()> {
        let asked = self.entries.iter_mut().filter(|entry| entry.ask).map(|entry| &mut entry.alert);
        ask_windows(tx, neighbours, asked)
    }

    /// Writes and publishes the changes, tenant after tenant in the order of their names, so that nobody waits in a
    /// circle; answers how full the room of the tenants is afterwards.
    pub fn store(self, tx: &mut Tx<'_>) -> Result<Vec<Pressure>> {
        let (mut new, mut changed) = (Vec::new(), BTreeMap::<String, Vec<Alert>>::new());
        let mut changes = Changes::default();
        for Entry { alert, before, was_open_of, changed: is_changed, .. } in self.entries {
            if !is_changed {
                continue;
            }
            changes.note(&alert, was_open_of.as_deref());
            record_change(tx, &alert, before.clone())?;
            match before {
                None => new.push(alert),
                Some(_) => changed.entry(alert.tenant_id.clone()).or_default().push(alert),
            }
        }
        store::insert(tx.conn, &new)?;
        changed.iter().try_for_each(|(tenant, rows)| store::replace(tx.conn, tenant, rows))?;
        let mut unknown = Vec::new();
        let mut known = HashMap::<String, (Vec<ProblemRow>, Vec<String>)>::new();
        for problem in self.problems.into_values().filter(|problem| problem.changed) {
            match (problem.stored, problem.gone) {
                (false, false) => unknown.push(problem.known),
                (false, true) => {}
                (true, false) => known.entry(problem.known.tenant_id.clone()).or_default().0.push(problem.known),
                (true, true) => known.entry(problem.known.tenant_id).or_default().1.push(problem.known.problem),
            }
        }
        store::insert_problems(tx.conn, &unknown)?;
        known.iter().try_for_each(|(tenant, (rows, gone))| store::replace_problems(tx.conn, tenant, rows, gone))?;
        changes.store(tx.conn, &self.room)
    }
}

/// Makes an acknowledged alert that got worse `New`, unless its policy says otherwise.
pub fn reopen(tx: &mut Tx<'_>, neighbours: &Neighbours, alert: &mut Alert, from: &str, to: &str) -> Result<()> {
    if neighbours.escalations.reopens_when_worse(tx.conn, &alert.tenant_id, &alert.id)? {
        rules::reopen_alert(alert, from, to, tx.now);
    }
    Ok(())
}

/// Suppresses those of these alerts that a maintenance window covers, and releases those that none covers any more.
pub fn ask_windows<'a>(
    tx: &mut Tx<'_>,
    neighbours: &Neighbours,
    alerts: impl Iterator<Item = &'a mut Alert>,
) -> Result<()> {
    let now = tx.now;
    let may_be_covered =
        |row: &&mut Alert| row.closed_ms.is_none() && row.resource_id.is_some() && row.suppression != PERSON;
    let asked: Vec<&mut Alert> = alerts.filter(may_be_covered).collect();
    if asked.is_empty() {
        return Ok(());
    }
    let rows: Vec<&Alert> = asked.iter().map(|alert| &**alert).collect();
    let covers = covers::catching(tx.conn, neighbours, &rows, now)?;
    let mut held: HashMap<(String, String, String), Pending> = HashMap::new();
    let mut uncovered = Vec::new();
    for (alert, covers) in asked.into_iter().zip(covers) {
        match covers.into_iter().next() {
            // The escalator sees to its end.
            Some(cover) if covers::is_held_by(alert, &cover) => {}
            Some(cover) => {
                rules::suppress_by_window(alert, &cover, now);
                let pending = Pending::of(&alert.tenant_id, &cover);
                let name = (pending.tenant_id.clone(), pending.window_tenant.clone(), pending.window_id.clone());
                held.insert(name, pending);
            }
            None if alert.suppression == KEPT => alert.release(),
            None if alert.suppression == WINDOW => uncovered.push(alert),
            None => {}
        }
    }
    release_uncovered(tx.conn, neighbours, uncovered, now)?;
    held.values().try_for_each(|window| store::hold(tx.conn, window))
}

/// Releases alerts whose windows are open and do not cover them any more. The escalator handles those whose window is
/// over.
fn release_uncovered(conn: &mut Conn, neighbours: &Neighbours, alerts: Vec<&mut Alert>, now: Timestamp) -> Result<()> {
    if alerts.is_empty() {
        return Ok(());
    }
    let window = |alert: &&mut Alert| Window {
        tenant_id: alert.window_tenant.clone().unwrap_or_default(),
        unique_id: alert.window_id.clone().unwrap_or_default(),
        name: String::new(),
    };
    let windows: Vec<Window> = alerts.iter().map(window).collect();
    let ends = neighbours.maintenance.open_until(conn, &windows, now)?;
    alerts.into_iter().zip(ends).filter(|(_, end)| end.is_some()).for_each(|(alert, _)| alert.release());
    Ok(())
}

/// Records the change of an alert.
pub fn record_change(tx: &mut Tx<'_>, alert: &Alert, before: Option<Value>) -> Result<()> {
    let after = alert.event_payload(tx.now)?;
    tx.record_payloads(Entity::published(ENTITY, &alert.tenant_id, &alert.id), before, Some(after));
    Ok(())
}
