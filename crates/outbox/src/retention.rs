//! Retention: how long rows are kept, and the thread that removes older ones.
//!
//! A domain declares what grows with time ([`Retention`]). A [`Sweeper`] looks at it every five minutes, and removes
//! what is over its age, and what a tenant has beyond a number of rows, oldest first. It works in small steps, each a
//! write of its own that is measured, so that nobody waits for it noticeably; between them others write. A step is one
//! tenant's, and the next one the next tenant's. Rows that cannot be removed keep no others. Of several gateways on one
//! Postgres one removes at a time.

mod declared;
mod partitions;
mod rows;

use std::{
    collections::VecDeque,
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use base::{
    timestamp::{DAY_MS, Timestamp},
    turns::{Turns, interleave},
};
use db::{Db, Error, Partitioned, Result};

pub use self::declared::{Keep, Remove, Retention, Setting};
use self::rows::{Owner, Pace, RemovalCounts, lock_oldest, owners, remove};
use crate::Background;

/// How long rows are kept that do not age.
const FOR_EVER: i64 = i64::MAX;

/// How often it is looked for what is too old.
const LOOK: Duration = Duration::from_secs(300);
/// How many rows a step looks for at first, and at most.
const FIRST_ROWS: usize = 32;
const MOST_ROWS: usize = 1_000;
/// The shortest wait between two steps.
const PAUSE: Duration = Duration::from_millis(2);
/// Held while removing, so that only one process does.
static LOCK: db::Lock = db::Lock::only("retention");

/// What is known of a kind of rows, and was done about it.
#[derive(Debug)]
pub struct RetentionCounts {
    /// What it is called.
    pub kind: &'static str,
    /// [`FOR_EVER`], or how long.
    keep_ms: AtomicI64,
    oldest_ms: AtomicI64,
    aged: AtomicU64,
    surplus: AtomicU64,
}

impl RetentionCounts {
    /// [`None`] for ever.
    fn keep_ms(&self) -> Option<i64> {
        Some(self.keep_ms.load(Ordering::Relaxed)).filter(|keep_ms| *keep_ms != FOR_EVER)
    }

    /// Since when the oldest row has aged, as of the last look; [`None`] when there is none.
    pub fn oldest(&self) -> Option<Timestamp> {
        let oldest = self.oldest_ms.load(Ordering::Relaxed);
        (oldest != i64::MAX).then(|| Timestamp::from_millis(oldest))
    }

    /// How many rows this process removed because of their age, and because a tenant had too many.
    pub fn removed(&self) -> [(&'static str, u64); 2] {
        [("age", self.aged.load(Ordering::Relaxed)), ("number", self.surplus.load(Ordering::Relaxed))]
    }
}

/// How long rows of each setting are kept, which may change while a [`Sweeper`] runs.
#[derive(Clone)]
pub struct Periods(Vec<(Setting, Arc<RetentionCounts>)>);

impl Periods {
    /// Keeps rows for so many days from the next look on.
    pub fn set(&self, days: impl Fn(&Setting) -> u32) {
        for (setting, kept) in &self.0 {
            kept.keep_ms.store(millis(days(setting)), Ordering::Relaxed);
        }
    }
}

/// Days as milliseconds; none are for ever.
fn millis(days: u32) -> i64 {
    if days == 0 { FOR_EVER } else { i64::from(days) * DAY_MS }
}

/// A running sweeper; stops when dropped.
pub struct Sweeper {
    kept: Vec<Arc<RetentionCounts>>,
    periods: Periods,
    _background: Background,
}

impl Sweeper {
    /// Starts a sweeper, which also makes and drops the partitions of tables that Postgres has in some. `days` says
    /// what a setting is set to; `clock` tells the time, so that tests can.
    pub fn start(
        db: Db,
        (retention, partitioned): (&[Retention], Vec<&'static Partitioned>),
        days: impl Fn(&Setting) -> u32,
        clock: impl Fn() -> Timestamp + Send + 'static,
    ) -> std::io::Result<Self> {
        let mut sweep = Sweep { partitioned, ..Sweep::new(db, retention, days) };
        let kept = sweep.kinds.iter().map(|kind| Arc::clone(&kind.kept)).collect();
        let of_setting = |kind: &Kind| match kind.what.keep {
            Keep::Setting(setting) => Some((setting, Arc::clone(&kind.kept))),
            Keep::Millis(_) => None,
        };
        let periods = Periods(sweep.kinds.iter().filter_map(of_setting).collect());
        let background = Background::start("retention", move || {
            sweep.turn(clock()).unwrap_or_else(|error| {
                tracing::warn!(%error, "removing what is old");
                sweep.give_up();
                LOOK
            })
        })?;
        Ok(Self { kept, periods, _background: background })
    }

    /// How long rows are kept.
    pub fn periods(&self) -> Periods {
        self.periods.clone()
    }

    /// What is known of each kind.
    pub fn kept(&self) -> Vec<Arc<RetentionCounts>> {
        self.kept.clone()
    }
}

/// Removes at once all that is too old, as a [`Sweeper`] does in a round.
pub fn sweep(
    db: &Db,
    retention: &[Retention],
    days: impl Fn(&Setting) -> u32,
    now: Timestamp,
) -> Result<Vec<Arc<RetentionCounts>>> {
    let mut sweep = Sweep::new(db.clone(), retention, days);
    while sweep.turn(now)? < LOOK {}
    Ok(sweep.kinds.into_iter().map(|kind| kind.kept).collect())
}

/// A kind of rows, as this process sees to it.
struct Kind {
    what: Retention,
    /// How many rows the next step takes.
    rows: usize,
    kept: Arc<RetentionCounts>,
}

/// Rows of a tenant that are to go.
struct Task {
    /// Its place among the kinds.
    kind: usize,
    tenant: String,
    /// Those from before it.
    before_ms: i64,
    /// Because of their age, or of their number?
    aged: bool,
}

/// Who removes what is old, a turn at a time.
pub(crate) struct Sweep {
    db: Db,
    kinds: Vec<Kind>,
    /// The tables that are in partitions by month.
    partitioned: Vec<&'static Partitioned>,
    /// How many of the kinds were looked at in this round.
    looked: usize,
    tasks: VecDeque<Task>,
    turns: Turns,
    /// What this round removed.
    removed: u64,
    /// When this round began: a long one ends, so that it is seen what others have by then.
    begun: Instant,
}

impl Sweep {
    pub(crate) fn new(db: Db, retention: &[Retention], days: impl Fn(&Setting) -> u32) -> Self {
        let kinds = retention.iter().map(|what| {
            let keep_ms = match &what.keep {
                Keep::Millis(millis) => *millis,
                Keep::Setting(setting) => millis(days(setting)),
            };
            let keep_ms = AtomicI64::new(keep_ms);
            let aged = AtomicU64::new(0);
            let surplus = AtomicU64::new(0);
            let oldest_ms = AtomicI64::new(i64::MAX);
            let kept = Arc::new(RetentionCounts { kind: what.kind, keep_ms, oldest_ms, aged, surplus });
            Kind { what: *what, rows: FIRST_ROWS, kept }
        });
        let tasks = VecDeque::new();
        let turns = Turns::default();
        let partitioned = Vec::new();
        Self { db, kinds: kinds.collect(), partitioned, looked: 0, tasks, turns, removed: 0, begun: Instant::now() }
    }

    /// One look or one step; answers how long to wait before the next.
    pub(crate) fn turn(&mut self, now: Timestamp) -> Result<Duration> {
        if self.looked == 0 {
            self.keep_partitions(now);
        }
        if let Some(kind) = self.kinds.get(self.looked) {
            match look(&self.db, kind, self.looked, now) {
                Ok(found) => self.tasks.extend(found),
                Err(error @ Error::Unavailable(_)) => return Err(error),
                Err(error) => tracing::error!(%error, kind = kind.kept.kind, "what is too old cannot be looked for"),
            }
            self.looked += 1;
            if self.looked == self.kinds.len() {
                let tasks = interleave(self.tasks.drain(..), |task| task.tenant.clone(), |task| task.kind);
                self.tasks = tasks.into();
            }
            return Ok(Duration::ZERO);
        }
        if let Some(task) = self.tasks.pop_front() {
            if self.begun.elapsed() < LOOK {
                return self.step(task, now);
            }
            self.give_up();
            return Ok(Duration::ZERO);
        }
        if self.removed > 0 {
            tracing::info!(rows = self.removed, "removed what was too old");
        }
        self.give_up();
        Ok(LOOK)
    }

    /// Ends the round.
    fn give_up(&mut self) {
        self.looked = 0;
        self.removed = 0;
        self.begun = Instant::now();
        self.tasks.clear();
    }

    fn step(&mut self, task: Task, now: Timestamp) -> Result<Duration> {
        let Some(kind) = self.kinds.get_mut(task.kind) else { return Ok(Duration::ZERO) };
        let what = kind.what;
        let rows = kind.rows;
        let pace = Pace::of(self.db.backend());
        // A failure pauses one kind of rows of one tenant; its other rows, and other tenants, go on.
        let name = format!("{} of {}", what.kind, task.tenant);
        if self.turns.is_paused(&name, now.millis()) {
            return Ok(Duration::ZERO);
        }
        let tenant = task.tenant.clone();
        let before_ms = task.before_ms;
        let begun = Instant::now();
        let done = self.db.write_here(move |conn| {
            let begun = Instant::now();
            if !LOCK.try_take(conn)? {
                return Ok(None);
            }
            let ids = lock_oldest(conn, &what, &tenant, before_ms, rows)?;
            let gone = remove(conn, &what, &tenant, &ids, (begun, pace))?;
            Ok(Some((ids.len(), gone, begun.elapsed())))
        });
        let done = match done {
            Err(error) if !matches!(error, Error::Unavailable(_)) => {
                let pause_ms = self.turns.fail(&name, now.millis());
                tracing::error!(%error, tenant = task.tenant, kind = what.kind, pause_ms,
                    "what is too old is not removed");
                return Ok(PAUSE);
            }
            done => done?,
        };
        // Another gateway is at it.
        let Some((found, RemovalCounts { gone, kept }, took)) = done else {
            self.looked = self.kinds.len();
            self.tasks.clear();
            return Ok(Duration::ZERO);
        };
        if kept > 0 {
            tracing::error!(
                rows = kept,
                tenant = task.tenant,
                kind = what.kind,
                "rows that are too old cannot be removed"
            );
        }
        let handled = gone + kept;
        kind.rows = match handled {
            handled if handled < found => handled.max(pace.together.0),
            _ if took < pace.step / 2 => (rows * 2).min(MOST_ROWS),
            _ => rows,
        };
        let removed = u64::try_from(gone).unwrap_or(0);
        self.removed += removed;
        if task.aged { &kind.kept.aged } else { &kind.kept.surplus }.fetch_add(removed, Ordering::Relaxed);
        // With rows that stay, it goes on only while others go.
        if (found >= rows || handled < found) && (kept == 0 || gone > 0) {
            self.tasks.push_back(task);
        }
        // Half of the time is for the others.
        Ok(begun.elapsed().clamp(PAUSE, LOOK))
    }
}

/// What there is to remove of a kind.
fn look(db: &Db, kind: &Kind, place: usize, now: Timestamp) -> Result<Vec<Task>> {
    let owners = db.read_here(|conn| owners(conn, &kind.what))?;
    let oldest = owners.iter().filter_map(|owner| owner.oldest).min();
    kind.kept.oldest_ms.store(oldest.unwrap_or(i64::MAX), Ordering::Relaxed);
    let expired = kind.kept.keep_ms().map(|keep_ms| now.millis().saturating_sub(keep_ms));
    let mut tasks = Vec::new();
    for Owner { tenant, oldest, surplus } in owners {
        let older = |before: Option<i64>| before.filter(|before| oldest.is_some_and(|oldest| oldest < *before));
        let mut task = |before_ms, aged| tasks.push(Task { kind: place, tenant: tenant.clone(), before_ms, aged });
        if let Some(before_ms) = older(expired) {
            task(before_ms, true);
        }
        if let Some(before_ms) = older(surplus).filter(|before| expired.is_none_or(|expired| expired < *before)) {
            task(before_ms, false);
        }
    }
    Ok(tasks)
}
