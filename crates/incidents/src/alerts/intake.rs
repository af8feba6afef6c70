//! Reports come in, many at once: a handful of statements for all of them.
//!
//! Which resource each report is about is asked first, for that says whose alert it is. Then everybody else who writes
//! alerts of these tenants waits, so that what is read of their problems is what it will be written on: the same problem
//! that two gateways take in at once is one alert, and each report counts once. What each report does, in their order, is
//! worked out in memory; windows are asked about what came of it; all of it is then written.

use std::collections::{BTreeSet, HashMap};

use base::timestamp::Timestamp;
use db::{Conn, Result};
use outbox::{Entity, Tx};
use ports::{AlertFacts, Window};
use serde_json::Value;

use super::{
    former::{self, Arrival},
    named::resources,
    report::{Read, Report},
    row::{Alert, KEPT, Known, PERSON, Pending, WINDOW},
    rules::{self, Step},
    store,
    wire::AlertResult,
};
use crate::neighbours::Neighbours;

/// The kind of entity that an alert is.
pub const ENTITY: &str = "ALERT";

/// Has a tenant any alert?
pub fn any(conn: &mut Conn, tenant: &str) -> Result<bool> {
    store::any(conn, tenant)
}

/// Whose reports they are.
pub struct Origin {
    /// The tenant of alerts that are about no known resource.
    pub home: String,
    /// The tenants whose resources may be named.
    pub scope: Vec<String>,
}

/// Takes reports in; what became of each, in their order.
pub fn take_in(
    tx: &mut Tx<'_>,
    neighbours: &Neighbours,
    origin: &Origin,
    reports: &[Read],
) -> Result<Vec<AlertResult>> {
    let good: Vec<&Report> = reports.iter().filter_map(|read| read.as_ref().ok()).collect();
    let found = resources(tx.conn, &*neighbours.resources, &origin.scope, &good)?;
    let mut arrivals: Vec<Arrival<'_>> = good
        .into_iter()
        .zip(found)
        .map(|(report, (resource, warning))| {
            let tenant = resource.as_ref().map_or_else(|| origin.home.clone(), |found| found.tenant_id.clone());
            let problems = rules::problems(report, resource.as_ref());
            Arrival { problems, former: Vec::new(), report, resource, warning, tenant }
        })
        .collect();
    former::find(tx.conn, &*neighbours.resources, &origin.scope, &mut arrivals)?;
    let mut ledger = Ledger::open(tx, origin, &arrivals)?;
    let done: Vec<(&'static str, Option<usize>)> =
        arrivals.iter().map(|arrival| ledger.enter(arrival, &origin.home, tx.now)).collect();
    ledger.ask_windows(tx, neighbours)?;
    let mut done = done.into_iter().zip(arrivals.drain(..)).map(|((result, place), arrival)| {
        let alert = place.and_then(|place| ledger.entries.get(place)).map(|entry| &entry.alert);
        outcome(result, alert, arrival.warning, tx.now)
    });
    let results = reports.iter().map(|read| match read {
        Ok(report) => {
            let mut result = done.next().unwrap_or_else(|| outcome("ignored", None, None, tx.now));
            if !report.ignored.is_empty() {
                result.warnings.push(format!("unknown fields were ignored: {}", report.ignored.join(", ")));
            }
            result
        }
        Err(errors) => AlertResult { errors: errors.clone(), ..outcome("invalid", None, None, tx.now) },
    });
    let results = results.collect();
    drop(done);
    ledger.store(tx)?;
    Ok(results)
}

fn outcome(result: &'static str, alert: Option<&Alert>, warning: Option<&'static str>, now: Timestamp) -> AlertResult {
    let id = alert.map(|alert| alert.id.clone());
    AlertResult {
        result,
        unique_id: id.clone(),
        id,
        current_state: alert.map(|alert| alert.current_state.clone()),
        status: alert.map(|alert| alert.status(now)),
        alert_type: alert.map(|alert| alert.document.alert_type.clone()),
        repeat_count: alert.map(|alert| alert.repeats),
        resource_id: alert.and_then(|alert| alert.resource_id.clone()),
        warnings: warning.into_iter().map(str::to_owned).collect(),
        errors: Vec::new(),
    }
}

/// Tenant and name.
type Name = (String, String);

/// What is known of the problems that are reported, and what becomes of it.
struct Ledger {
    problems: HashMap<Name, Slot>,
    entries: Vec<Entry>,
    /// Where in `entries` an alert is.
    places: HashMap<Name, usize>,
}

/// What is known of a problem.
struct Slot {
    known: Known,
    stored: bool,
    changed: bool,
    gone: bool,
}

/// An alert.
struct Entry {
    alert: Alert,
    /// As it was told before; `None` for a new one.
    before: Option<Value>,
    changed: bool,
    /// Is a window to be asked about it?
    ask: bool,
}

impl Ledger {
    /// Reads what is known, for nobody else to change.
    fn open(tx: &mut Tx<'_>, origin: &Origin, arrivals: &[Arrival<'_>]) -> Result<Self> {
        let mut tenants: BTreeSet<&String> = arrivals.iter().map(|arrival| &arrival.tenant).collect();
        // What is a client's may have been reported before anybody knew that.
        let away = arrivals.iter().filter(|arrival| arrival.tenant != origin.home);
        let away: BTreeSet<&String> = away.flat_map(|arrival| &arrival.problems).collect();
        let away: Vec<String> = away.into_iter().cloned().collect();
        if store::known(tx.conn, &origin.home, &away)?.iter().any(|known| known.is_open) {
            tenants.insert(&origin.home);
        }
        let tenants: Vec<String> = tenants.into_iter().cloned().collect();
        store::lock_tenants(tx.conn, &tenants)?;
        let mut ledger = Self { problems: HashMap::new(), entries: Vec::new(), places: HashMap::new() };
        for tenant in tenants {
            let named = arrivals.iter().filter(|arrival| arrival.tenant == tenant || tenant == origin.home);
            let named: BTreeSet<&String> =
                named.flat_map(|arrival| arrival.problems.iter().chain(&arrival.former)).collect();
            let named: Vec<String> = named.into_iter().cloned().collect();
            let known = store::known(tx.conn, &tenant, &named)?;
            let ids = known.iter().filter(|known| !known.alert_id.is_empty()).map(|known| known.alert_id.clone());
            for alert in store::some(tx.conn, &tenant, &ids.collect::<Vec<_>>())? {
                let before = Some(alert.event_payload(tx.now)?);
                ledger.add(Entry { alert, before, changed: false, ask: false });
            }
            for known in known {
                let name = (tenant.clone(), known.problem.clone());
                ledger.problems.insert(name, Slot { known, stored: true, changed: false, gone: false });
            }
        }
        Ok(ledger)
    }

    fn add(&mut self, entry: Entry) -> usize {
        let (place, row) = (self.entries.len(), &entry.alert);
        self.places.insert((row.tenant_id.clone(), row.id.clone()), place);
        self.entries.push(entry);
        place
    }

    /// The name under which a problem is known. One that was known by the name of its device, and whose resource is
    /// known by now, goes on under the name of the resource.
    fn name(&mut self, arrival: &Arrival<'_>) -> Name {
        let named = |problem: &String| (arrival.tenant.clone(), problem.clone());
        let mut names = arrival.problems.iter().map(named);
        let first = names.next().unwrap_or_default();
        let Some(second) = names.next() else { return self.former(arrival, first) };
        let is_open = |name: &Name| self.problems.get(name).is_some_and(|slot| slot.known.is_open && !slot.gone);
        if !is_open(&first)
            && is_open(&second)
            && let Some(old) = self.problems.get_mut(&second)
        {
            let known = Known { problem: first.1.clone(), ..old.known.clone() };
            (old.changed, old.gone) = (true, true);
            let alert = (arrival.tenant.clone(), known.alert_id.clone());
            if let Some(entry) = self.places.get(&alert).and_then(|place| self.entries.get_mut(*place)) {
                entry.alert.problem.clone_from(&first.1);
                entry.changed = true;
            }
            let stored = self.problems.get(&first).is_some_and(|slot| slot.stored);
            self.problems.insert(first.clone(), Slot { known, stored, changed: true, gone: false });
        }
        first
    }

    /// The name under which the problem of a resource is open that the inventory knows no more.
    fn former(&self, arrival: &Arrival<'_>, name: Name) -> Name {
        let is_open = |name: &Name| self.problems.get(name).is_some_and(|slot| slot.known.is_open && !slot.gone);
        if is_open(&name) {
            return name;
        }
        let mut former = arrival.former.iter().map(|problem| (arrival.tenant.clone(), problem.clone()));
        former.find(is_open).unwrap_or(name)
    }

    /// Closes the alert of a problem that was reported to a partner before its resource was known to be a client's:
    /// there it goes on. Answers where it is.
    fn leave_home(&mut self, arrival: &Arrival<'_>, home: &str, now: Timestamp) -> Option<usize> {
        if arrival.tenant == home {
            return None;
        }
        let names = arrival.problems.iter().map(|problem| (home.to_owned(), problem.clone()));
        let name = names
            .into_iter()
            .find(|name| self.problems.get(name).is_some_and(|slot| slot.known.is_open && !slot.gone))?;
        let known = &self.problems.get(&name)?.known;
        let place = *self.places.get(&(home.to_owned(), known.alert_id.clone()))?;
        let entry = self.entries.get_mut(place)?;
        let time = rules::time(arrival.report, now);
        if time < entry.alert.last_ms {
            return None;
        }
        entry.changed = true;
        if arrival.report.state == "Ok" {
            rules::healed(&mut entry.alert, arrival.report, now);
        } else {
            rules::moved(&mut entry.alert, &arrival.tenant, now);
        }
        self.learn(&name, |known| (known.is_open, known.settled_ms) = (false, time));
        Some(place)
    }

    /// Does what a report does; answers what that is called, and where the alert is.
    fn enter(&mut self, arrival: &Arrival<'_>, home: &str, now: Timestamp) -> (&'static str, Option<usize>) {
        let left = self.leave_home(arrival, home, now);
        let (report, name) = (arrival.report, self.name(arrival));
        let time = rules::time(report, now);
        let slot = self.problems.get(&name).filter(|slot| !slot.gone);
        let alert_id = slot.map(|slot| slot.known.alert_id.clone()).unwrap_or_default();
        let place = self.places.get(&(arrival.tenant.clone(), alert_id)).copied();
        let entry = place.and_then(|place| self.entries.get(place));
        let open = entry.filter(|_| slot.is_some_and(|slot| slot.known.is_open)).map(|entry| &entry.alert);
        let step = rules::step(
            slot.map(|slot| &slot.known),
            open.map(|row| (row.current_state.as_str(), row.last_ms)),
            report.state,
            time,
        );
        let (result, place) = match step {
            Step::Open => {
                let id = format!("ALT-{}", uuid::Uuid::now_v7());
                let mut alert = rules::opened(report, &arrival.tenant, &name.1, id.clone(), now);
                rules::about(&mut alert, report, arrival.resource.as_ref());
                self.learn(&name, |known| (known.alert_id, known.is_open) = (id, true));
                return ("created", Some(self.add(Entry { alert, before: None, changed: true, ask: true })));
            }
            Step::Settle => {
                self.learn(&name, |known| known.settled_ms = known.settled_ms.max(time));
                return (if left.is_some() { "closed" } else { "ignored" }, left);
            }
            Step::Ignore => return (if place.is_some() { "late" } else { "ignored" }, place),
            Step::Close => {
                self.learn(&name, |known| (known.is_open, known.settled_ms) = (false, time));
                ("closed", place)
            }
            Step::Repeat => ("repeated", place),
            Step::Change => ("changed", place),
            Step::Late => ("late", place),
        };
        if let Some(entry) = place.and_then(|place| self.entries.get_mut(place)) {
            entry.changed = true;
            let alert = &mut entry.alert;
            match step {
                Step::Late => rules::counted(alert, report, now),
                Step::Close => rules::healed(alert, report, now),
                _ => {
                    // Nobody could ask a window about it while it was about nothing that is known.
                    entry.ask |= alert.resource_id.is_none() && arrival.resource.is_some();
                    if arrival.resource.is_some() || alert.resource_id.is_none() {
                        rules::about(alert, report, arrival.resource.as_ref());
                    }
                    rules::reported(alert, report, now);
                    // A window that is over keeps what it held back only until it is reported again; one that is
                    // open may not expect what has become of it.
                    let held = alert.suppression.as_str();
                    entry.ask |= held == KEPT || held == WINDOW && step == Step::Change;
                }
            }
        }
        (result, place)
    }

    fn learn(&mut self, name: &Name, change: impl FnOnce(&mut Known)) {
        let slot = self.problems.entry(name.clone()).or_insert_with(|| {
            let (tenant_id, problem) = name.clone();
            let known = Known { tenant_id, problem, alert_id: String::new(), is_open: false, settled_ms: i64::MIN };
            Slot { known, stored: false, changed: true, gone: false }
        });
        slot.changed = true;
        change(&mut slot.known);
    }

    /// Asks which of the alerts a window expects.
    fn ask_windows(&mut self, tx: &mut Tx<'_>, neighbours: &Neighbours) -> Result<()> {
        let now = tx.now;
        let asked = |entry: &&mut Entry| {
            let row = &entry.alert;
            entry.ask && row.closed_ms.is_none() && row.resource_id.is_some() && row.suppression != PERSON
        };
        let mut asked: Vec<&mut Entry> = self.entries.iter_mut().filter(asked).collect();
        if asked.is_empty() {
            return Ok(());
        }
        let told: Vec<Value> =
            asked.iter().map(|entry| entry.alert.unsuppressed_payload(now)).collect::<Result<_>>()?;
        let facts: Vec<AlertFacts<'_>> = asked
            .iter()
            .zip(&told)
            .map(|(entry, alert)| AlertFacts {
                tenant_id: &entry.alert.tenant_id,
                resource_id: entry.alert.resource_id.as_deref().unwrap_or_default(),
                alert,
            })
            .collect();
        let covers = neighbours.maintenance.catching(tx.conn, &facts, now)?;
        let mut held: HashMap<(String, String, String), Pending> = HashMap::new();
        for (entry, cover) in asked.iter_mut().zip(covers) {
            let alert = &mut entry.alert;
            match cover {
                Some(cover) => {
                    rules::expected(alert, &cover, now);
                    let pending = Pending::of(&alert.tenant_id, &cover);
                    let name = (pending.tenant_id.clone(), pending.window_tenant.clone(), pending.window_id.clone());
                    held.insert(name, pending);
                }
                None if alert.suppression == KEPT => alert.release(),
                // When its window is over, what is to be done is not ours to do.
                None if alert.suppression == WINDOW && is_open(tx.conn, neighbours, alert, now)? => {
                    alert.release();
                }
                None => {}
            }
        }
        held.values().try_for_each(|window| store::hold(tx.conn, window))
    }

    /// Writes what changed, and tells it.
    fn store(self, tx: &mut Tx<'_>) -> Result<()> {
        let (mut new, mut changed) = (Vec::new(), HashMap::<String, Vec<Alert>>::new());
        for Entry { alert, before, changed: is_changed, .. } in self.entries {
            if !is_changed {
                continue;
            }
            record_change(tx, &alert, before.clone())?;
            match before {
                None => new.push(alert),
                Some(_) => changed.entry(alert.tenant_id.clone()).or_default().push(alert),
            }
        }
        store::insert(tx.conn, &new)?;
        changed.iter().try_for_each(|(tenant, rows)| store::replace(tx.conn, tenant, rows))?;
        let (mut unknown, mut known) = (Vec::new(), HashMap::<String, (Vec<Known>, Vec<String>)>::new());
        for slot in self.problems.into_values().filter(|slot| slot.changed) {
            match (slot.stored, slot.gone) {
                (false, false) => unknown.push(slot.known),
                (false, true) => {}
                (true, false) => known.entry(slot.known.tenant_id.clone()).or_default().0.push(slot.known),
                (true, true) => known.entry(slot.known.tenant_id).or_default().1.push(slot.known.problem),
            }
        }
        store::learn_new(tx.conn, &unknown)?;
        known.iter().try_for_each(|(tenant, (rows, gone))| store::learn(tx.conn, tenant, rows, gone))
    }
}

/// Is the window that holds an alert back still open?
fn is_open(conn: &mut Conn, neighbours: &Neighbours, alert: &Alert, now: Timestamp) -> Result<bool> {
    let (Some(tenant_id), Some(unique_id)) = (&alert.window_tenant, &alert.window_id) else { return Ok(false) };
    let window = Window { tenant_id: tenant_id.clone(), unique_id: unique_id.clone(), name: String::new() };
    Ok(neighbours.maintenance.open_until(conn, &[window], now)?.iter().any(Option::is_some))
}

/// Records what became of an alert.
pub fn record_change(tx: &mut Tx<'_>, alert: &Alert, before: Option<Value>) -> Result<()> {
    let after = alert.event_payload(tx.now)?;
    tx.record_payloads(Entity::published(ENTITY, &alert.tenant_id, &alert.id), before, Some(after));
    Ok(())
}
