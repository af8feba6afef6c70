//! The part of the service that makes runs when they are due.
//!
//! Any number of gateways may share a database: they take turns by a lock, and a job that one of them has moved on is
//! not due for the next. A run and the step of its job to the next due time commit together, so that one that dies
//! half-way has done nothing.

pub mod rules;
pub mod store;

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use base::timestamp::Timestamp;
use db::{Conn, Db, Error, Json, Result};
use outbox::{Actor, Background, Tx};
use ports::{Maintenance, Notices, People};

use self::rules::Fate;
use crate::{
    job::{self, row::Job},
    runs::{
        self,
        row::{Run, RunMaintenance},
    },
};

/// The scheduler holds this alone; whoever changes a job, shared.
pub static LOCK: db::Lock = db::Lock::only("jobs.scheduler");

/// How many jobs one transaction makes runs for.
const BATCH: i64 = 500;

/// How long an idle scheduler waits before it looks again.
const IDLE: Duration = Duration::from_millis(500);

/// How often abandoned runs are looked for, in milliseconds.
const HOUSEKEEPING_MS: i64 = 5_000;

/// A running scheduler; stops when dropped.
pub struct Scheduler {
    _background: Background,
}

impl Scheduler {
    /// Starts a scheduler. `clock` tells the time, so that tests can.
    pub fn start(
        db: Db,
        maintenance: Arc<dyn Maintenance>,
        people: Arc<dyn People>,
        notices: Arc<dyn Notices>,
        clock: impl Fn() -> Timestamp + Send + 'static,
    ) -> std::io::Result<Self> {
        let mut housekeeping = i64::MIN;
        let background = Background::start("scheduler", move || {
            let now = clock();
            // A clock that was moved back must not keep it from its work.
            if now.millis() >= housekeeping || housekeeping - now.millis() > HOUSEKEEPING_MS {
                housekeeping = now.millis() + HOUSEKEEPING_MS;
                if let Err(error) = take_back_abandoned(&db, &notices, now) {
                    tracing::warn!(%error, "taking back abandoned runs");
                }
                if let Err(error) = release(&db, &people) {
                    tracing::warn!(%error, "going on with jobs of tenants that were suspended");
                }
            }
            match turn(&db, (&maintenance, &people, &notices), now) {
                Ok(true) => Duration::ZERO,
                Ok(false) => IDLE,
                Err(error) => {
                    tracing::warn!(%error, "making runs");
                    IDLE
                }
            }
        })?;
        Ok(Self { _background: background })
    }
}

/// Those whom the scheduler asks and tells.
type Neighbours<'n> = (&'n Arc<dyn Maintenance>, &'n Arc<dyn People>, &'n Arc<dyn Notices>);

/// Makes runs for jobs that are due; true when there may be more.
pub fn turn(db: &Db, (maintenance, people, notices): Neighbours<'_>, now: Timestamp) -> Result<bool> {
    // An idle database is only read, and only the first entry of one index.
    if db.read_here(store::first_due)?.is_none_or(|due| due > now.millis()) {
        return Ok(false);
    }
    let (maintenance, people, notices) = (Arc::clone(maintenance), Arc::clone(people), Arc::clone(notices));
    let actor = Actor::service("scheduler");
    db.write_here(move |conn| Tx::run(conn, &actor, now, |tx| batch(tx, &*maintenance, &*people, &*notices)))
}

/// Puts jobs on the schedule again whose tenants are suspended no more. What they missed meanwhile is made up for as after
/// any other absence.
pub fn release(db: &Db, people: &Arc<dyn People>) -> Result<()> {
    let mut behind = String::new();
    loop {
        let tenants = db.read_here(|conn| store::held_tenants(conn, &behind, BATCH))?;
        let Some(last) = tenants.last().cloned() else { return Ok(()) };
        let active = db.read_here(|conn| people.active(conn, &tenants))?;
        let mut more = !active.is_empty();
        while more {
            let (asked, people) = (active.clone(), Arc::clone(people));
            let some = db.write_here(move |conn| {
                LOCK.take(conn)?;
                // One may have been suspended again meanwhile.
                let still = people.active(conn, &asked)?;
                store::release(conn, &still, BATCH)
            })?;
            more = i64::try_from(some).is_ok_and(|some| some == BATCH);
        }
        behind = last;
    }
}

fn batch(tx: &mut Tx<'_>, maintenance: &dyn Maintenance, people: &dyn People, notices: &dyn Notices) -> Result<bool> {
    let now = tx.now;
    LOCK.take(tx.conn)?;
    let mut due = store::due(tx.conn, now.millis(), BATCH)?;
    let more = i64::try_from(due.len()).is_ok_and(|count| count == BATCH);
    let tenants: Vec<String> =
        due.iter().map(|job| job.tenant_id.clone()).collect::<BTreeSet<_>>().into_iter().collect();
    let active: HashSet<String> = people.active(tx.conn, &tenants)?.into_iter().collect();
    for job in due.extract_if(.., |job| !active.contains(&job.tenant_id)) {
        store::hold(tx.conn, &job)?;
    }
    let Some(from_ms) = due.iter().filter_map(|job| job.next_due_ms).min() else { return Ok(more) };
    let ids: Vec<String> = due.iter().map(|job| job.id.clone()).collect();
    let made: HashSet<(String, i64)> = runs::store::made(tx.conn, &tenants, &ids, from_ms)?.into_iter().collect();
    let mut open: HashMap<String, usize> = HashMap::new();
    for job in runs::store::open_of(tx.conn, &tenants, &ids)? {
        *open.entry(job).or_default() += 1;
    }
    let covered = cover(tx.conn, maintenance, &due, now)?;
    let mut new = Vec::new();
    for job in &due {
        let plan = match rules::plan(job, now) {
            Ok(plan) => plan,
            // A job that cannot be read must not keep the others waiting; it is not due again until it is changed.
            Err(problem) => {
                tracing::error!(tenant = job.tenant_id, job = job.id, "a schedule cannot be read: {}", problem.detail);
                store::advance(tx.conn, job, None)?;
                continue;
            }
        };
        if !store::advance(tx.conn, job, plan.next_ms)? {
            continue;
        }
        for (due_ms, fate) in plan.due {
            // A clock that was moved back, and a schedule that was changed since, can lead here a second time.
            if !made.contains(&(job.id.clone(), due_ms)) {
                new.push(run(job, due_ms, fate, open.entry(job.id.clone()).or_default(), covered.get(&job.id), now));
            }
        }
    }
    runs::store::insert(tx.conn, &new)?;
    for run in new.iter().filter(|run| run.finished_ms.is_some()) {
        tx.record_change(None, Some(run))?;
    }
    let asking: HashSet<&String> = due.iter().filter(|job| job.alert_on_failure).map(|job| &job.id).collect();
    let over: Vec<&Run> = new.iter().filter(|run| run.finished_ms.is_some() && asking.contains(&run.job_id)).collect();
    runs::alarms::tell(tx, notices, &over)?;
    Ok(more)
}

/// The run of one due time, by how many runs of its job are open.
fn run(
    job: &Job,
    due_ms: i64,
    fate: Fate,
    open: &mut usize,
    covered: Option<&Vec<RunMaintenance>>,
    now: Timestamp,
) -> Run {
    use runs::rules::{MISSED, SKIPPED, not_run, queued};
    let mut run = queued(job, runs::store::new_id(), due_ms, "schedule", now);
    run.maintenance = Json(covered.cloned().unwrap_or_default());
    match fate {
        Fate::Missed(reason) => not_run(run, MISSED, reason, now),
        Fate::Run if job.overlap == "skip" && *open > 0 => {
            not_run(run, SKIPPED, "A run of the job was not over when this one was due.".to_owned(), now)
        }
        Fate::Run => {
            *open += 1;
            run
        }
    }
}

/// The windows that cover the resources of jobs at an instant, by job, as runs keep them.
pub fn cover(
    conn: &mut Conn,
    maintenance: &dyn Maintenance,
    jobs: &[Job],
    at: Timestamp,
) -> Result<HashMap<String, Vec<RunMaintenance>>> {
    let tenants: BTreeSet<String> = jobs.iter().map(|job| job.tenant_id.clone()).collect();
    let tenants: Vec<String> = tenants.into_iter().collect();
    let ids: Vec<String> = jobs.iter().map(|job| job.id.clone()).collect();
    let rows = job::store::resources(conn, &tenants, &ids)?;
    if rows.is_empty() {
        return Ok(HashMap::new());
    }
    let asked: Vec<(String, String)> =
        rows.iter().map(|row| (row.resource_tenant.clone(), row.resource_id.clone())).collect();
    let covers = maintenance.covering(conn, &asked, at)?;
    let mut found: HashMap<String, Vec<RunMaintenance>> = HashMap::new();
    for (row, covers) in rows.into_iter().zip(covers) {
        let windows = covers.into_iter().map(|cover| RunMaintenance {
            resource_id: row.resource_id.clone(),
            unique_id: cover.window.unique_id,
            name: cover.window.name,
            until: cover.until.to_string(),
        });
        let windows: Vec<RunMaintenance> = windows.collect();
        if !windows.is_empty() {
            found.entry(row.job_id).or_default().extend(windows);
        }
    }
    Ok(found)
}

/// Lets runs wait again whose runner vanished, and ends those that the last runner left.
pub fn take_back_abandoned(db: &Db, notices: &Arc<dyn Notices>, now: Timestamp) -> Result<()> {
    if !db.read_here(|conn| store::abandoned(conn, now.millis(), 1))?.is_empty() {
        let (actor, notices) = (Actor::service("scheduler"), Arc::clone(notices));
        db.write_here(move |conn| Tx::run(conn, &actor, now, |tx| take_back(tx, &*notices)))?;
    }
    Ok::<(), Error>(())
}

fn take_back(tx: &mut Tx<'_>, notices: &dyn Notices) -> Result<()> {
    let mut failed = Vec::new();
    for old in store::abandoned(tx.conn, tx.now.millis(), BATCH)? {
        if old.attempt < runs::rules::MOST_ATTEMPTS {
            // Whoever holds it, and is only late, takes it up again with the next heartbeat.
            runs::store::requeue(tx.conn, &old, tx.now.millis())?;
            continue;
        }
        let new = Run {
            state: runs::rules::FAILED.to_owned(),
            reason: format!("The runner sent no heartbeat in time, the last of {} that tried.", old.attempt),
            finished_ms: Some(tx.now.millis()),
            lease_ms: None,
            ..old.clone()
        };
        if runs::store::update(tx.conn, &old, &new)? {
            tx.record_change(Some(&old), Some(&new))?;
            failed.push(new);
        }
    }
    runs::alarms::tell(tx, notices, &failed.iter().collect::<Vec<_>>())
}
