//! The part of the service that makes runs when they are due.
//!
//! Any number of gateways may share a database: of a tenant one of them makes runs at a time, by a lock, and a job that
//! one of them has moved on is not due for the next. A run and the step of its job to the next due time commit
//! together, so that one that dies half-way has done nothing. Tenants take turns ([`TenantTurns`]), and a job for which
//! something fails is held by itself.

pub mod rules;
pub mod store;

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use base::timestamp::Timestamp;
use db::{Db, Json, Result};
use outbox::{Background, TenantTurns, Tx};
use ports::{Maintenance, Notices, People};

use self::rules::DueTimeOutcome;
use crate::{
    job::{self, row::Job},
    runs::{
        self,
        row::{Run, RunMaintenance},
    },
};

/// How many jobs of one tenant a turn makes runs for.
const AT_ONCE: usize = 100;
/// How many that are held a turn puts on the schedule again, or off.
const HELD_AT_ONCE: usize = 500;

/// How long an idle scheduler waits before it looks again.
const IDLE: Duration = Duration::from_millis(500);

/// How often abandoned runs are looked for, in milliseconds, and jobs that are held.
const HOUSEKEEPING_MS: i64 = 5_000;

/// For how long after a tenant is resumed its runners have time to say that they are there, in milliseconds.
const UNHEARD_MS: i64 = 60_000;

/// How often jobs are looked for that a clock that was ahead has moved on, in milliseconds.
const CLOCK_CHECK_MS: i64 = 60_000;

/// Starts the thread that makes runs when they are due. `clock` tells the time, so that tests can.
///
/// # Errors
/// When there is no further thread.
pub fn start_scheduler(
    db: Db,
    maintenance: Arc<dyn Maintenance>,
    people: Arc<dyn People>,
    notices: Arc<dyn Notices>,
    clock: impl Fn() -> Timestamp + Send + 'static,
) -> std::io::Result<Background> {
    let mut work = Work::new(db, maintenance, people, notices);
    let (mut housekeeping, mut clock_check) = (i64::MIN, i64::MIN);
    // A clock that was moved back must not keep it from its work.
    let is_time = |next: &mut i64, now: Timestamp, step_ms: i64| {
        let is_time = now.millis() >= *next || *next - now.millis() > step_ms;
        if is_time {
            *next = now.millis() + step_ms;
        }
        is_time
    };
    Background::repeat("scheduler", IDLE, "making runs", move || {
        let now = clock();
        if is_time(&mut clock_check, now, CLOCK_CHECK_MS)
            && let Err(error) = work.take_back_untimely(now)
        {
            tracing::warn!(%error, "taking back what a clock that was ahead has done");
        }
        if is_time(&mut housekeeping, now, HOUSEKEEPING_MS) {
            if let Err(error) = work.take_back_abandoned(now) {
                tracing::warn!(%error, "taking back abandoned runs");
            }
            if let Err(error) = work.end_late(now) {
                tracing::warn!(%error, "ending runs that are too late");
            }
            if let Err(error) = work.tell_again(now) {
                tracing::warn!(%error, "telling again what became of runs");
            }
            if let Err(error) = work.release(now) {
                tracing::warn!(%error, "going on with jobs that were held");
            }
        }
        work.turn(now)
    })
}

/// What a scheduler does, and whose turn it is at that.
pub struct Work {
    db: Db,
    neighbours: Neighbours,
    due: TenantTurns,
    abandoned: TenantTurns,
    late: TenantTurns,
    alarms: TenantTurns,
    held: TenantTurns,
    untimely: TenantTurns,
}

/// Those whom the scheduler asks and tells.
#[derive(Clone)]
struct Neighbours {
    maintenance: Arc<dyn Maintenance>,
    people: Arc<dyn People>,
    notices: Arc<dyn Notices>,
}

impl Work {
    /// On a database, with those whom it asks and tells.
    pub fn new(db: Db, maintenance: Arc<dyn Maintenance>, people: Arc<dyn People>, notices: Arc<dyn Notices>) -> Self {
        let neighbours = Neighbours { maintenance, people, notices };
        let due = TenantTurns::of_rows(&db, "scheduler", &[store::DUE, store::ABANDONED]);
        let [abandoned, late, alarms, held, untimely] = std::array::from_fn(|_| TenantTurns::new("scheduler"));
        Self { db, neighbours, due, abandoned, late, alarms, held, untimely }
    }

    /// Makes runs for jobs that are due; true when there may be more.
    pub fn turn(&mut self, now: Timestamp) -> Result<bool> {
        let tenants = self.db.read_here(|conn| store::DUE.tenants_if_due(conn, now.millis()))?;
        let neighbours = self.neighbours.clone();
        self.due.serve(&self.db, tenants, now, move |tx, tenant| make_runs(tx, &neighbours, tenant))
    }

    /// Puts jobs on the schedule again that are held: their tenants are suspended no more, or what failed is tried
    /// again. What they missed meanwhile is made up for as after any other absence.
    pub fn release(&mut self, now: Timestamp) -> Result<()> {
        let people = Arc::clone(&self.neighbours.people);
        let mut tenants = self.db.read_here(|conn| {
            let tenants = store::HELD.tenants(conn, i64::MAX)?;
            people.active(conn, &tenants)
        })?;
        loop {
            let people = Arc::clone(&people);
            let release = move |tx: &mut Tx<'_>, tenant: &str| {
                job::store::lock_of_schedule(tenant).take(tx.conn)?;
                // It may have been suspended again meanwhile.
                let is_active = people.is_active(tx.conn, tenant)?;
                Ok(is_active && store::release(tx.conn, tenant, HELD_AT_ONCE)? == HELD_AT_ONCE)
            };
            if !self.held.serve(&self.db, std::mem::take(&mut tenants), now, release)? {
                return Ok(());
            }
            tenants = self.db.read_here(|conn| store::HELD.tenants(conn, i64::MAX))?;
        }
    }

    /// Takes back what a clock that was ahead has done: jobs are due again at the next time of their schedules, and
    /// runs that it made too early and that nobody began are made when they are due.
    pub fn take_back_untimely(&mut self, now: Timestamp) -> Result<()> {
        let mut tenants = self.db.read_here(|conn| store::tenants_with_untimely_rows(conn, now))?;
        while self.untimely.serve(&self.db, std::mem::take(&mut tenants), now, take_back_untimely)? {
            tenants = self.db.read_here(|conn| store::tenants_with_untimely_rows(conn, now))?;
        }
        Ok(())
    }

    /// Tells alerts again what became of runs, where they could not be told.
    pub fn tell_again(&mut self, now: Timestamp) -> Result<()> {
        let tenants = self.db.read_here(|conn| store::ALARMS.tenants(conn, now.millis()))?;
        let notices = Arc::clone(&self.neighbours.notices);
        let tell = move |tx: &mut Tx<'_>, tenant: &str| {
            let jobs = store::alarms(tx.conn, tenant, now.millis(), AT_ONCE)?;
            let tell = |tx: &mut Tx<'_>, jobs: &[String]| runs::alarms::tell_again(tx, &*notices, tenant, jobs);
            tx.attempt_each(&jobs, tell, |tx, job, error| {
                tracing::error!(%error, tenant, job, "what became of its last run");
                job::store::set_alarm(tx.conn, tenant, job, Some(now.millis() + 2 * HOUSEKEEPING_MS))
            })?;
            Ok(false)
        };
        self.alarms.serve(&self.db, tenants, now, tell).map(drop)
    }

    /// Ends runs that waited, or are under way, for longer than their jobs allow. Those of a suspended tenant are seen
    /// to when it is resumed.
    pub fn end_late(&mut self, now: Timestamp) -> Result<()> {
        let Neighbours { people, notices, .. } = self.neighbours.clone();
        let db = self.db.clone();
        let late = || {
            db.read_here(|conn| {
                let tenants = store::tenants_with_late_runs(conn, now)?;
                people.active(conn, &tenants)
            })
        };
        let mut tenants = late()?;
        loop {
            let notices = Arc::clone(&notices);
            let end = move |tx: &mut Tx<'_>, tenant: &str| {
                let runs = store::late(tx.conn, tenant, now, AT_ONCE)?;
                let mut failed = false;
                tx.attempt_each(
                    &runs,
                    |tx, runs| end_late(tx, &*notices, tenant, runs),
                    |_, run, error| {
                        failed = true;
                        tracing::error!(%error, tenant, run, "a run that is too late does not end");
                        Ok(())
                    },
                )?;
                Ok(!failed && runs.len() == AT_ONCE)
            };
            if !self.late.serve(&self.db, std::mem::take(&mut tenants), now, end)? {
                return Ok(());
            }
            tenants = late()?;
        }
    }

    /// Lets runs wait again whose runner vanished, and ends those that the last runner left. Those of a suspended
    /// tenant stay their runners', which are heard again when it is resumed.
    pub fn take_back_abandoned(&mut self, now: Timestamp) -> Result<()> {
        let tenants = self.db.read_here(|conn| store::ABANDONED.tenants(conn, now.millis()))?;
        let Neighbours { people, notices, .. } = self.neighbours.clone();
        let take_back = move |tx: &mut Tx<'_>, tenant: &str| {
            let runs = store::abandoned(tx.conn, tenant, now.millis(), AT_ONCE)?;
            if !people.is_active(tx.conn, tenant)? {
                for run in &runs {
                    store::put_off(tx.conn, tenant, run, now.millis(), now.millis() + UNHEARD_MS)?;
                }
                return Ok(false);
            }
            let take_back = |tx: &mut Tx<'_>, runs: &[String]| take_back(tx, &*notices, tenant, runs);
            tx.attempt_each(&runs, take_back, |tx, run, error| {
                tracing::error!(%error, tenant, run, "a run that was abandoned is not taken back");
                store::put_off(tx.conn, tenant, run, now.millis(), now.millis() + 2 * HOUSEKEEPING_MS)
            })?;
            Ok(false)
        };
        self.abandoned.serve(&self.db, tenants, now, take_back).map(drop)
    }
}

/// Makes runs for some of the jobs of a tenant that are due; true when there may be more.
fn make_runs(tx: &mut Tx<'_>, neighbours: &Neighbours, tenant: &str) -> Result<bool> {
    job::store::lock_of_schedule(tenant).take(tx.conn)?;
    if !neighbours.people.is_active(tx.conn, tenant)? {
        let due = store::due(tx.conn, tenant, tx.now.millis(), HELD_AT_ONCE)?;
        store::hold(tx.conn, tenant, &due)?;
        return Ok(due.len() == HELD_AT_ONCE);
    }
    let due = store::due(tx.conn, tenant, tx.now.millis(), AT_ONCE)?;
    let make = |tx: &mut Tx<'_>, ids: &[String]| make_runs_of(tx, neighbours, tenant, ids);
    let made = tx.attempt_each(&due, make, |tx, job, error| {
        tracing::error!(%error, tenant, job, "no run is made");
        store::hold(tx.conn, tenant, std::slice::from_ref(job))
    })?;
    Ok(made == AT_ONCE || made < due.len())
}

/// Takes back for some jobs of a tenant what a clock that was ahead has done; true when there may be more.
fn take_back_untimely(tx: &mut Tx<'_>, tenant: &str) -> Result<bool> {
    job::store::lock_of_schedule(tenant).take(tx.conn)?;
    store::shorten_leases(tx.conn, tenant, tx.now)?;
    let untimely = store::untimely(tx.conn, tenant, tx.now, AT_ONCE)?;
    let take_back = |tx: &mut Tx<'_>, ids: &[String]| {
        job::store::lock_all(tx.conn, ids.iter().map(String::as_str).collect())?;
        for id in ids {
            let Some(job) = job::store::find(tx.conn, tenant, id)? else { continue };
            let next_ms = rules::next_by_now(&job, tx.now)?;
            // One that a runner has begun keeps its due time, and its job may have another schedule since.
            if next_ms == job.next_due_ms && job.updated_ms <= tx.now.millis() {
                continue;
            }
            tracing::warn!(tenant, job = id, next_ms, "the clock was ahead: the job is due again by its schedule");
            store::remove_untimely_runs(tx.conn, &job, tx.now)?;
            store::set_timely(tx.conn, &job, next_ms, tx.now)?;
        }
        Ok(())
    };
    let mut failed = false;
    tx.attempt_each(&untimely, take_back, |_, job, error| {
        failed = true;
        tracing::error!(%error, tenant, job, "what a clock that was ahead has done stays");
        Ok(())
    })?;
    Ok(!failed && untimely.len() == AT_ONCE && store::untimely(tx.conn, tenant, tx.now, AT_ONCE)? != untimely)
}

/// Makes runs for jobs of a tenant.
fn make_runs_of(tx: &mut Tx<'_>, neighbours: &Neighbours, tenant: &str, ids: &[String]) -> Result<()> {
    let now = tx.now;
    let tenants = [tenant.to_owned()];
    job::store::lock_all(tx.conn, ids.iter().map(String::as_str).collect())?;
    let due = store::still_due(tx.conn, tenant, ids, now.millis())?;
    let Some(from_ms) = due.iter().filter_map(|job| job.next_due_ms).min() else { return Ok(()) };
    let made: HashSet<(String, i64)> =
        runs::store::due_times_with_runs(tx.conn, &tenants, ids, from_ms)?.into_iter().collect();
    let mut open = OpenRuns { of_tenant: runs::store::open_of_tenant(tx.conn, tenant)?, of_job: HashMap::new() };
    for job in runs::store::open_of(tx.conn, &tenants, ids)? {
        *open.of_job.entry(job).or_default() += 1;
    }
    let covered = runs::maintenance::cover(tx.conn, &*neighbours.maintenance, &due, now)?;
    let mut new = Vec::new();
    for job in &due {
        let plan = match rules::plan(job, now) {
            Ok(plan) => plan,
            // It is not due again until it is changed.
            Err(problem) => {
                tracing::error!(tenant, job = job.id, "a schedule cannot be read: {}", problem.detail);
                store::advance(tx.conn, job, None)?;
                continue;
            }
        };
        if !store::advance(tx.conn, job, plan.next_ms)? {
            continue;
        }
        let waits = plan.waits;
        for (due_ms, fate) in plan.due {
            // A clock that was moved back, and a schedule that was changed since, can lead here a second time.
            if !made.contains(&(job.id.clone(), due_ms)) {
                new.push(run(job, (due_ms, fate), waits, &mut open, covered.get(&job.id), now));
            }
        }
    }
    runs::store::insert(tx.conn, &new)?;
    for run in new.iter().filter(|run| run.finished_ms.is_some()) {
        tx.record_change(None, Some(run))?;
    }
    let asking: HashSet<&String> = due.iter().filter(|job| job.alert_on_failure).map(|job| &job.id).collect();
    let over: Vec<&Run> = new.iter().filter(|run| run.finished_ms.is_some() && asking.contains(&run.job_id)).collect();
    runs::alarms::tell(tx, &*neighbours.notices, &over)
}

/// How many runs are not over.
struct OpenRuns {
    of_tenant: usize,
    of_job: HashMap<String, usize>,
}

/// The run of one due time, by how many runs are open. One that is made up for `waits` for those.
fn run(
    job: &Job,
    (due_ms, fate): (i64, DueTimeOutcome),
    waits: bool,
    open: &mut OpenRuns,
    covered: Option<&Vec<RunMaintenance>>,
    now: Timestamp,
) -> Run {
    use runs::rules::{MISSED, SKIPPED, no_room, not_run, queued};
    let of_job = open.of_job.entry(job.id.clone()).or_default();
    let mut run = queued(job, runs::store::new_id(), due_ms, "schedule", now);
    run.maintenance = Json(covered.cloned().unwrap_or_default());
    match fate {
        DueTimeOutcome::Missed(reason) => not_run(run, MISSED, reason, now),
        DueTimeOutcome::Run if job.overlap == "skip" && *of_job > 0 && !waits => {
            not_run(run, SKIPPED, "A run of the job was not over when this one was due.".to_owned(), now)
        }
        DueTimeOutcome::Run => match no_room(*of_job, open.of_tenant) {
            Some(reason) => not_run(run, MISSED, reason, now),
            None => {
                *of_job += 1;
                open.of_tenant += 1;
                run.trace = runs::trace::of_scheduled(&run.id);
                run
            }
        },
    }
}

/// Ends runs of a tenant that wait and may not begin any more, and those that should be over.
fn end_late(tx: &mut Tx<'_>, notices: &dyn Notices, tenant: &str, ids: &[String]) -> Result<()> {
    lock_jobs_of(tx, tenant, ids)?;
    // Somebody may have taken one, or changed its job, meanwhile.
    let late = store::late(tx.conn, tenant, tx.now, AT_ONCE)?;
    let mut ended = Vec::new();
    for old in runs::store::some(tx.conn, tenant, ids)?.into_iter().filter(|run| late.contains(&run.id)) {
        let new = runs::rules::ended_late(&old, tx.now);
        if runs::store::update(tx.conn, &old, &new)? {
            tx.record_change(Some(&old), Some(&new))?;
            runs::trace::record_end(&new);
            ended.push(new);
        }
    }
    runs::alarms::tell(tx, notices, &ended.iter().collect::<Vec<_>>())
}

/// Locks the jobs of these runs of a tenant.
fn lock_jobs_of(tx: &mut Tx<'_>, tenant: &str, ids: &[String]) -> Result<()> {
    let runs = runs::store::some(tx.conn, tenant, ids)?;
    job::store::lock_all(tx.conn, runs.iter().map(|run| run.job_id.as_str()).collect())
}

fn take_back(tx: &mut Tx<'_>, notices: &dyn Notices, tenant: &str, ids: &[String]) -> Result<()> {
    let mut failed = Vec::new();
    lock_jobs_of(tx, tenant, ids)?;
    for old in runs::store::some(tx.conn, tenant, ids)? {
        if old.finished_ms.is_some() || old.lease_ms.is_none_or(|lease| lease > tx.now.millis()) {
            continue;
        }
        if old.attempt < runs::rules::MOST_ATTEMPTS {
            // Anyone who holds it, and is only late, takes it up again with the next heartbeat.
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
            runs::trace::record_end(&new);
            failed.push(new);
        }
    }
    runs::alarms::tell(tx, notices, &failed.iter().collect::<Vec<_>>())
}
