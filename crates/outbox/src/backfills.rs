//! The thread that fills what migrations added, in small steps ([`Backfill`]), and says that this gateway is there.
//!
//! A gateway of an older version does not know a new column, and stores rows without it. So nothing is filled before
//! the last of them has gone ([`Presence`]), and when one comes back, all is gone over once more after it. Of several
//! gateways one does the steps: another one takes over only when a backfill has not moved on for a while.

use std::{
    collections::{BTreeSet, VecDeque},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use base::timestamp::Timestamp;
use db::{Backend, Backfill, BackfillProgress, Db, Migrations, Presence, Result, SAID_EVERY_MS};
use uuid::Uuid;

use crate::Background;

/// How often this gateway says that it is there.
const SAY_AGAIN: Duration = Duration::from_millis(SAID_EVERY_MS as u64);

/// How long a backfill stands still until another gateway takes it over.
const STANDS_STILL: Duration = Duration::from_secs(2);

/// How many rows a step does at first, and at most.
const FIRST_ROWS: usize = 32;
const MOST_ROWS: usize = 500;

/// How long a step should take: on SQLite every writer waits for it, on Postgres those of the same rows.
const fn step_time(backend: Backend) -> Duration {
    match backend {
        Backend::Sqlite => Duration::from_millis(8),
        Backend::Postgres => Duration::from_millis(40),
    }
}

/// The shortest wait between two steps.
const PAUSE: Duration = Duration::from_millis(2);

/// Starts the thread that does the backfills of these domains, and adds what it does to the metrics. `clock` tells the
/// time.
///
/// # Errors
/// When there is no further thread.
pub fn start_backfills(
    db: Db,
    domains: &[Migrations],
    clock: impl Fn() -> Timestamp + Send + 'static,
) -> std::io::Result<Background> {
    // Its host and its process, for who looks for it, and what no other gateway has.
    let name = format!("{}/{}/{}", host(), std::process::id(), Uuid::new_v4());
    let presence = Presence::new(db.clone(), name, domains);
    let mut turns = BackfillTurns::new(db, presence, domains.iter().flat_map(|domain| domain.backfills).copied());
    Background::start("backfills", move || {
        turns.turn(clock()).unwrap_or_else(|error| {
            tracing::warn!(%error, "filling what migrations added");
            STANDS_STILL
        })
    })
}

fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// The other hosts that have a gateway of this database.
///
/// # Errors
/// When the database does not answer.
pub fn hosts_of_other_gateways(db: &Db) -> Result<BTreeSet<String>> {
    let here = host();
    let hosts = db.gateways()?.into_iter().map(|gateway| gateway.host().to_owned());
    Ok(hosts.filter(|host| *host != here).collect())
}

/// The rows that each backfill has looked at.
type RowCounts = Arc<Mutex<Vec<(&'static str, i64)>>>;

/// The state of the thread between turns.
pub(crate) struct BackfillTurns {
    db: Db,
    presence: Presence,
    all: Vec<Backfill>,
    left: VecDeque<Backfill>,
    /// How many of them are left, for the metrics.
    unfinished: Arc<AtomicUsize>,
    counts: RowCounts,
    /// When this gateway last said that it is there, and whether an older one was.
    said: Option<(Instant, bool)>,
    /// How far the first one was when it was last looked at.
    seen: Option<BackfillProgress>,
    rows: usize,
}

impl BackfillTurns {
    pub(crate) fn new(db: Db, presence: Presence, backfills: impl IntoIterator<Item = Backfill>) -> Self {
        let all: Vec<Backfill> = backfills.into_iter().collect();
        let left = VecDeque::from(all.clone());
        let unfinished = Arc::new(AtomicUsize::new(left.len()));
        let counts: RowCounts = Arc::new(Mutex::new(left.iter().map(|backfill| (backfill.name, 0)).collect()));
        let (read_unfinished, read_counts) = (Arc::clone(&unfinished), Arc::clone(&counts));
        db.add_gauge("backfills_unfinished", "Backfills of migrations that have not come to their end", move || {
            Some(read_unfinished.load(Ordering::Relaxed) as f64)
        });
        db.add_family("backfill_rows", "Rows that backfills of migrations have looked at", false, move || {
            let counts = base::lock(&read_counts);
            counts.iter().map(|(name, rows)| (vec![("backfill", (*name).into())], *rows as f64)).collect()
        });
        Self { db, presence, all, left, unfinished, counts, said: None, seen: None, rows: FIRST_ROWS }
    }

    /// One look or one step; answers how long to wait before the next.
    pub(crate) fn turn(&mut self, now: Timestamp) -> Result<Duration> {
        let is_older_there = match self.said {
            Some((at, is_older_there)) if at.elapsed() < SAY_AGAIN => is_older_there,
            _ => {
                let is_older_there = self.presence.announce()?;
                self.take_up_again()?;
                self.said = Some((Instant::now(), is_older_there));
                is_older_there
            }
        };
        let Some(backfill) = self.left.front().copied() else { return Ok(SAY_AGAIN) };
        let Some(seen) = self.seen.take() else {
            let progress = self.db.backfill_progress(backfill.name)?;
            return Ok(if self.note(backfill, progress) { Duration::ZERO } else { STANDS_STILL });
        };
        if is_older_there {
            self.seen = Some(seen);
            return Ok(STANDS_STILL);
        }
        let done = self.db.step_backfill(&self.presence, &backfill, &seen, self.rows, now.millis())?;
        let Some((progress, took)) = done else {
            // An older gateway may have come.
            self.said = None;
            return Ok(Duration::ZERO);
        };
        if self.note(backfill, progress) {
            tracing::info!(backfill = backfill.name, "what a migration added is filled");
        }
        let step = step_time(self.db.backend());
        self.rows = match took {
            took if took < step / 2 => (self.rows * 2).min(MOST_ROWS),
            took if took > step => (self.rows / 2).max(1),
            _ => self.rows,
        };
        // Half of the time is for the others, and more while they wait.
        let others = if self.db.is_waited_for() { 3 } else { 1 };
        Ok((took * others).max(PAUSE))
    }

    /// Takes up what was finished, and has to be done again since a gateway of an older version came.
    fn take_up_again(&mut self) -> Result<()> {
        for backfill in &self.all {
            let is_left = self.left.iter().any(|one| one.name == backfill.name);
            if !is_left && self.db.backfill_progress(backfill.name)?.finished_ms.is_none() {
                self.left.push_back(*backfill);
            }
        }
        self.unfinished.store(self.left.len(), Ordering::Relaxed);
        Ok(())
    }

    /// Remembers how far a backfill is. Has it come to its end?
    fn note(&mut self, backfill: Backfill, progress: BackfillProgress) -> bool {
        let mut counts = base::lock(&self.counts);
        if let Some((_, rows)) = counts.iter_mut().find(|(name, _)| *name == backfill.name) {
            *rows = progress.done;
        }
        drop(counts);
        let is_finished = progress.finished_ms.is_some();
        if is_finished {
            self.left.pop_front();
            self.unfinished.store(self.left.len(), Ordering::Relaxed);
        } else {
            self.seen = Some(progress);
        }
        is_finished
    }
}

#[cfg(test)]
mod tests {
    use db::{BackfillStep, DatabaseUrl, Options};

    use super::*;

    const NOTHING: Backfill = Backfill {
        name: "nothing",
        left: |_, _| Ok(0),
        lock: |_, _| Ok(()),
        step: |_, _, _| Ok(BackfillStep { rows: 1, cursor: None }),
    };

    #[test]
    fn what_begins_again_after_its_end_is_taken_up_with_the_next_look() {
        let directory = tempfile::tempdir().unwrap();
        let db = Db::open(&DatabaseUrl::Sqlite(directory.path().join("t.sqlite")), Options::default()).unwrap();
        db.migrate(&[]).unwrap();
        let presence = Presence::new(db.clone(), "a".to_owned(), &[]);
        let mut turns = BackfillTurns::new(db.clone(), presence, [NOTHING]);
        let now = Timestamp::from_millis(1_000);
        let is_finished = || db.backfill_progress("nothing").unwrap().finished_ms.is_some();
        let end = |turns: &mut BackfillTurns| {
            for _ in 0..5 {
                turns.turn(now).unwrap();
            }
        };
        end(&mut turns);
        assert!(is_finished() && turns.unfinished.load(Ordering::Relaxed) == 0);
        // As the database does it when an older gateway comes.
        db.write_here(|conn| {
            let text = "UPDATE backfills SET cursor = '', done = 0, finished_ms = NULL";
            Ok(diesel::RunQueryDsl::execute(diesel::sql_query(text), conn)?)
        })
        .unwrap();
        end(&mut turns);
        assert!(!is_finished(), "it looks every half minute");
        turns.said = None;
        end(&mut turns);
        assert!(is_finished());
    }
}
