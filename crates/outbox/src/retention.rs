//! How long rows are kept, and the thread that removes those that are older.
//!
//! A domain declares what grows with time ([`Retention`]). A [`Sweeper`] looks at it every five minutes, and removes what is
//! over its age, and what a tenant has beyond a number of rows, oldest first. It works in small steps, each a write of its own
//! that is measured, so that nobody waits for it noticeably; between them others write. A step is one tenant's, and the next one
//! the next tenant's. Rows that cannot be removed keep no others. Of several gateways on one Postgres one removes at a time.

use std::{
    collections::VecDeque,
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use base::{
    timestamp::Timestamp,
    turns::{Turns, interleave},
};
use db::{Backend, Conn, Db, Error, Result};
use diesel::{
    prelude::*,
    sql_query,
    sql_types::{BigInt, Nullable, Text},
};

use crate::Background;

/// Rows that are not kept for ever.
#[derive(Clone, Copy, Debug)]
pub struct Retention {
    /// What they are called in metrics and in the log, such as `audit`.
    pub kind: &'static str,
    /// How long they are kept.
    pub keep: Keep,
    /// How many of them a tenant has at most; the oldest beyond go first. [`None`] for any number.
    pub most: Option<i64>,
    /// Their table. It has a column `tenant_id`, and an index of it that goes on with [`since`](Self::since).
    pub table: &'static str,
    /// What tells the rows of a tenant apart, as an SQL expression that is a text.
    pub id: &'static str,
    /// Since when they age: a column with milliseconds.
    pub since: &'static str,
    /// Which rows age, as an SQL condition in the words of the index.
    pub only: &'static str,
    /// Removes them.
    pub remove: Remove,
}

/// Removes the rows of a tenant with these ids, and what belongs to them; answers how many of them are gone, from the
/// first on. One to which more belongs than the last argument says, in rows, loses so much of it and stays for the
/// next time.
pub type Remove = fn(&mut Conn, &str, &[String], usize) -> Result<usize>;

/// How long rows are kept.
#[derive(Clone, Copy, Debug)]
pub enum Keep {
    /// As long as an option of the command line says.
    Setting(Setting),
    /// For so many milliseconds.
    Millis(i64),
}

/// An option of the command line: a number of days, 0 for ever.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Its name, such as `keep-audit`.
    pub option: &'static str,
    /// Its environment variable, such as `MUSTER_KEEP_AUDIT`.
    pub variable: &'static str,
    /// What it says without being given.
    pub days: u32,
    /// What it is, for `--help`.
    pub help: &'static str,
}

const DAY_MS: i64 = 86_400_000;

/// How often it is looked for what is too old.
const LOOK: Duration = Duration::from_secs(300);
/// How many rows a step looks for at first, and at most.
const FIRST_ROWS: usize = 32;
const MOST_ROWS: usize = 1_000;
/// The shortest wait between two steps.
const PAUSE: Duration = Duration::from_millis(2);
/// Whoever removes holds this.
static LOCK: db::Lock = db::Lock::only("retention");

/// How much a step does.
#[derive(Clone, Copy)]
struct Pace {
    /// How long it should take at most.
    step: Duration,
    /// How many rows go between two looks at the time: at first, and at most.
    together: (usize, usize),
}

impl Pace {
    /// On SQLite everybody who writes waits for a step; with its commit it stays below 20 ms. On Postgres nobody does, and
    /// each statement is a way to the server and back: so few rows at a time that a busy server never gets through with
    /// them are too few.
    const fn of(backend: Backend) -> Self {
        match backend {
            Backend::Sqlite => Self { step: Duration::from_millis(8), together: (1, 16) },
            Backend::Postgres => Self { step: Duration::from_millis(50), together: (64, 256) },
        }
    }
}

/// What is known of a kind of rows, and was done about it.
#[derive(Debug)]
pub struct Kept {
    /// What it is called.
    pub kind: &'static str,
    oldest_ms: AtomicI64,
    aged: AtomicU64,
    surplus: AtomicU64,
}

impl Kept {
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

/// A running sweeper; stops when dropped.
pub struct Sweeper {
    kept: Vec<Arc<Kept>>,
    _background: Background,
}

impl Sweeper {
    /// Starts a sweeper. `days` says what a setting is set to; `clock` tells the time, so that tests can.
    pub fn start(
        db: Db,
        retention: &[Retention],
        days: impl Fn(&Setting) -> u32,
        clock: impl Fn() -> Timestamp + Send + 'static,
    ) -> std::io::Result<Self> {
        let mut sweep = Sweep::new(db, retention, days);
        let kept = sweep.kinds.iter().map(|kind| Arc::clone(&kind.kept)).collect();
        let background = Background::start("retention", move || {
            sweep.turn(clock()).unwrap_or_else(|error| {
                tracing::warn!(%error, "removing what is old");
                sweep.give_up();
                LOOK
            })
        })?;
        Ok(Self { kept, _background: background })
    }

    /// What is known of each kind.
    pub fn kept(&self) -> Vec<Arc<Kept>> {
        self.kept.clone()
    }
}

/// Removes at once all that is too old, as a [`Sweeper`] does in a round.
pub fn sweep(
    db: &Db,
    retention: &[Retention],
    days: impl Fn(&Setting) -> u32,
    now: Timestamp,
) -> Result<Vec<Arc<Kept>>> {
    let mut sweep = Sweep::new(db.clone(), retention, days);
    while sweep.turn(now)? < LOOK {}
    Ok(sweep.kinds.into_iter().map(|kind| kind.kept).collect())
}

/// A kind of rows, as this process sees to it.
struct Kind {
    what: Retention,
    /// [`None`] for ever.
    keep_ms: Option<i64>,
    /// How many rows the next step takes.
    rows: usize,
    kept: Arc<Kept>,
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
                Keep::Millis(millis) => Some(*millis),
                Keep::Setting(setting) => {
                    Some(days(setting)).filter(|days| *days > 0).map(|days| i64::from(days) * DAY_MS)
                }
            };
            let (aged, surplus, oldest_ms) = (AtomicU64::new(0), AtomicU64::new(0), AtomicI64::new(i64::MAX));
            let kept = Arc::new(Kept { kind: what.kind, oldest_ms, aged, surplus });
            Kind { what: *what, keep_ms, rows: FIRST_ROWS, kept }
        });
        let (tasks, turns) = (VecDeque::new(), Turns::default());
        Self { db, kinds: kinds.collect(), looked: 0, tasks, turns, removed: 0, begun: Instant::now() }
    }

    /// One look or one step; answers how long to wait before the next.
    pub(crate) fn turn(&mut self, now: Timestamp) -> Result<Duration> {
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
        (self.looked, self.removed, self.begun) = (0, 0, Instant::now());
        self.tasks.clear();
    }

    fn step(&mut self, task: Task, now: Timestamp) -> Result<Duration> {
        let Some(kind) = self.kinds.get_mut(task.kind) else { return Ok(Duration::ZERO) };
        let (what, rows, pace) = (kind.what, kind.rows, Pace::of(self.db.backend()));
        // What failed for a tenant is no reason to leave its other rows for long, and none to leave those of others.
        let name = format!("{} of {}", what.kind, task.tenant);
        if self.turns.is_paused(&name, now.millis()) {
            return Ok(Duration::ZERO);
        }
        let (tenant, before_ms) = (task.tenant.clone(), task.before_ms);
        let begun = Instant::now();
        let done = self.db.write_here(move |conn| {
            let begun = Instant::now();
            if !LOCK.try_take(conn)? {
                return Ok(None);
            }
            let ids = old(conn, &what, &tenant, before_ms, rows)?;
            let gone = remove(conn, &what, &tenant, &ids, (begun, pace))?;
            Ok(Some((ids.len(), gone, begun.elapsed())))
        });
        let done = match done {
            Err(error) if !matches!(error, Error::Unavailable(_)) => {
                let pause_ms = self.turns.fail(&name, now.millis());
                tracing::error!(%error, tenant = task.tenant, kind = what.kind, pause_ms, "what is too old is not removed");
                return Ok(PAUSE);
            }
            done => done?,
        };
        // Another gateway is at it.
        let Some((found, Removed { gone, kept }, took)) = done else {
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

/// What a step did: how many rows are gone, and how many cannot be removed.
#[derive(Clone, Copy, Default)]
struct Removed {
    gone: usize,
    kept: usize,
}

/// Removes rows until the time of a step that began then is over. They go a few at a time, since one may take a hundred times as
/// long as another: how long the last few took is no promise. One that cannot be removed is passed over, and logged by the caller.
fn remove(
    conn: &mut Conn,
    what: &Retention,
    tenant: &str,
    ids: &[String],
    (begun, pace): (Instant, Pace),
) -> Result<Removed> {
    let Pace { step, together: (mut together, most_together) } = pace;
    let mut done = Removed::default();
    while let Some(rest) = ids.get(done.gone + done.kept..).filter(|rest| !rest.is_empty()) {
        let part = Instant::now();
        let few = &rest[..together.min(rest.len())];
        match db::savepoint(conn, |conn| (what.remove)(conn, tenant, few, together)) {
            Ok(gone) => done.gone += gone,
            Err(error @ Error::Unavailable(_)) => return Err(error),
            Err(_) if few.len() == 1 => done.kept += 1,
            Err(_) => {
                together = 1;
                continue;
            }
        }
        let (took, left) = (part.elapsed(), step.saturating_sub(begun.elapsed()));
        if took > left {
            break;
        }
        if took * 2 < left {
            together = (together * 2).min(most_together);
        }
    }
    Ok(done)
}

#[derive(QueryableByName)]
struct Owner {
    #[diesel(sql_type = Text)]
    tenant: String,
    #[diesel(sql_type = Nullable<BigInt>)]
    oldest: Option<i64>,
    #[diesel(sql_type = Nullable<BigInt>)]
    surplus: Option<i64>,
}

#[derive(QueryableByName)]
struct Named {
    #[diesel(sql_type = Text)]
    id: String,
}

/// What there is to remove of a kind.
fn look(db: &Db, kind: &Kind, place: usize, now: Timestamp) -> Result<Vec<Task>> {
    let owners = db.read_here(|conn| owners(conn, &kind.what))?;
    let oldest = owners.iter().filter_map(|owner| owner.oldest).min();
    kind.kept.oldest_ms.store(oldest.unwrap_or(i64::MAX), Ordering::Relaxed);
    let expired = kind.keep_ms.map(|keep_ms| now.millis().saturating_sub(keep_ms));
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

/// The tenants that have rows at all, each with its oldest that ages, and the oldest of those that it may have by
/// their number. Each costs a few steps in an index, but for one that has too many.
fn owners(conn: &mut Conn, what: &Retention) -> Result<Vec<Owner>> {
    let Retention { table, since, only, .. } = what;
    let surplus = match what.most {
        Some(most) => format!(
            "(SELECT t.{since} FROM {table} t WHERE t.tenant_id = owners.id AND {only} ORDER BY t.{since} DESC LIMIT 1 \
             OFFSET {})",
            most.max(1) - 1
        ),
        None => "CAST(NULL AS BIGINT)".to_owned(),
    };
    let owners = db::owners(table, "1 = 1");
    let query = format!(
        "{owners} SELECT owners.id AS tenant, (SELECT t.{since} FROM {table} t WHERE t.tenant_id = owners.id AND {only} ORDER BY \
         t.{since} LIMIT 1) AS oldest, {surplus} AS surplus FROM owners WHERE owners.id IS NOT NULL"
    );
    Ok(sql_query(query).load(conn)?)
}

/// The oldest rows of a tenant from before an instant. On Postgres they are held, and those that somebody else holds
/// are left for the next time.
fn old(conn: &mut Conn, what: &Retention, tenant: &str, before_ms: i64, most: usize) -> Result<Vec<String>> {
    let Retention { table, id, since, only, .. } = what;
    let held = match Backend::of(conn) {
        Backend::Sqlite => "",
        Backend::Postgres => " FOR UPDATE SKIP LOCKED",
    };
    let query = format!(
        "SELECT {id} AS id FROM {table} t WHERE t.tenant_id = $1 AND {only} AND t.{since} < $2 ORDER BY t.{since} LIMIT \
         $3{held}"
    );
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let rows: Vec<Named> =
        sql_query(query).bind::<Text, _>(tenant).bind::<BigInt, _>(before_ms).bind::<BigInt, _>(most).load(conn)?;
    Ok(rows.into_iter().map(|row| row.id).collect())
}
