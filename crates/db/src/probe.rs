//! The health probe: asks the database continually, on its own connection, whether it answers and takes writes. The
//! answer is at hand without waiting, also when the database is away or hangs.

use std::{
    path::Path,
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use diesel::{
    RunQueryDsl as _,
    connection::SimpleConnection,
    sql_query,
    sql_types::{BigInt, Bool},
};
use rustix::fs::{Access, StatVfsMountFlags, access, statvfs};

use crate::{Backend, Conn, Db, Error, Inner, Result, backend, clock, cut, moved, presence, url::DatabaseUrl};

/// Between two questions.
const EVERY: Duration = Duration::from_millis(250);

/// An answer is good for this long; a database that has not answered since stands still.
const GOOD: Duration = Duration::from_secs(2);

/// A Postgres is asked on a new connection after so long: what a session may do is said at its beginning.
const SESSION: Duration = Duration::from_secs(5);

/// Between two attempts to write to a SQLite database of which something says that it may not take writes.
const TRY_AGAIN: Duration = Duration::from_secs(1);

/// A file system with less room than this may have none left.
const LITTLE_ROOM: u64 = 1 << 20;

/// A Postgres that answers nothing for so many questions' time stands still, or its machine does: what waits for it is
/// cut off. That is less than a request waits for its answer. Counted in turns of a thread, so that a process that was
/// stopped itself does not take its own pause for that of the database.
const CUT_AFTER: u32 = 32;

/// The same while the service stops: no new requests arrive then, and the operator is waiting.
const CUT_WHILE_CLOSING: u32 = 8;

/// The latest known health of the database.
#[derive(Clone, Debug)]
pub struct Probe(Arc<ProbeState>);

/// The health of the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// It answers and takes writes.
    Up,
    /// It answers, and takes no writes.
    ReadOnly,
    /// Its data has moved to another database: it takes no writes any more.
    Moved,
    /// It does not answer.
    Away,
}

#[derive(Debug)]
struct ProbeState {
    begun: Instant,
    /// When it last answered, in milliseconds since `begun`, plus one; 0 when it did not.
    answered: AtomicU64,
    read_only: AtomicBool,
    moved: AtomicBool,
    /// How many questions came to an end, with or without an answer.
    ended: AtomicU64,
}

impl Probe {
    /// Asks once, and goes on asking on threads of its own until the last clone of this is dropped.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn start(db: &Db) -> Result<Self> {
        let state = Arc::new(ProbeState {
            begun: Instant::now(),
            answered: AtomicU64::new(0),
            read_only: AtomicBool::new(false),
            moved: AtomicBool::new(false),
            ended: AtomicU64::new(0),
        });
        let mut question = Question { db: Arc::downgrade(&db.0), session: None, trial: None };
        state.note(question.ask(&db.0.url));
        let thread = |name: &str, work: Box<dyn FnOnce() + Send>| {
            let spawned = thread::Builder::new().name(name.to_owned()).spawn(work);
            spawned.map(drop).map_err(|error| Error::Unavailable(error.to_string()))
        };
        let url = db.0.url.clone();
        let listener = Arc::downgrade(&state);
        thread("database-probe", Box::new(move || keep_asking(&url, question, &listener)))?;
        if let DatabaseUrl::Postgres(_) = &db.0.url {
            let db = Arc::downgrade(&db.0);
            let listener = Arc::downgrade(&state);
            thread("database-cut", Box::new(move || cut_when_still(&db, &listener)))?;
        }
        Ok(Self(state))
    }

    /// The health as of the latest answer. Never waits.
    pub fn health(&self) -> Health {
        let answered = self.0.answered.load(Ordering::Relaxed);
        if answered == 0 || self.0.now().saturating_sub(answered) >= GOOD.as_millis() as u64 {
            return Health::Away;
        }
        match (self.0.moved.load(Ordering::Relaxed), self.0.read_only.load(Ordering::Relaxed)) {
            (true, _) => Health::Moved,
            (_, true) => Health::ReadOnly,
            (_, false) => Health::Up,
        }
    }
}

impl ProbeState {
    fn now(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Takes in an answer.
    fn note(&self, health: Result<Health>) {
        self.read_only.store(matches!(health, Ok(Health::ReadOnly)), Ordering::Relaxed);
        self.moved.store(matches!(health, Ok(Health::Moved)), Ordering::Relaxed);
        self.answered.store(if health.is_ok() { self.now() + 1 } else { 0 }, Ordering::Relaxed);
        self.ended.fetch_add(1, Ordering::Relaxed);
    }
}

fn keep_asking(url: &DatabaseUrl, mut question: Question, listener: &Weak<ProbeState>) {
    while listener.strong_count() > 0 {
        let answer = question.ask(url);
        let Some(state) = listener.upgrade() else { return };
        state.note(answer);
        drop(state);
        thread::sleep(EVERY);
    }
}

/// Cuts off all that waits for a Postgres which stands still: its system goes on acknowledging what arrives, so that
/// nothing else ends the wait. Those who waited are told that the database is away, and connect anew, where the URL
/// names several servers to the next one.
fn cut_when_still(db: &Weak<Inner>, listener: &Weak<ProbeState>) {
    let mut last = None;
    let mut turns = 0;
    while let (Some(db), Some(state)) = (db.upgrade(), listener.upgrade()) {
        let ended = state.ended.load(Ordering::Relaxed);
        if last == Some(ended) {
            turns += 1;
        } else {
            last = Some(ended);
            turns = 0;
        }
        let patience = if db.closing.has_begun() { CUT_WHILE_CLOSING } else { CUT_AFTER };
        if turns >= patience {
            let connections = cut::connections(&db.url);
            tracing::warn!(connections, "the database stands still: what waits for it is cut off");
            turns = 0;
        }
        drop((db, state));
        thread::sleep(EVERY);
    }
}

/// What is asked again and again, and of whom.
struct Question {
    db: Weak<Inner>,
    session: Option<(Conn, Instant)>,
    /// When a write was last tried, and whether it was taken.
    trial: Option<(Instant, bool)>,
}

#[derive(diesel::QueryableByName)]
struct Answer {
    #[diesel(sql_type = Bool)]
    writable: bool,
    #[diesel(sql_type = BigInt)]
    now: i64,
}

impl Question {
    /// Does the database take writes?
    fn ask(&mut self, url: &DatabaseUrl) -> Result<Health> {
        let fresh = self.session.take().filter(|(_, begun)| begun.elapsed() < SESSION);
        let (mut conn, begun) = match fresh {
            Some(session) => session,
            None => (backend::connect(url)?, Instant::now()),
        };
        let writable = match url {
            DatabaseUrl::Postgres(_) => {
                let now = presence::now(Backend::Postgres);
                let text = format!(
                    "SELECT NOT (pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean) \
                     AS writable, {now} AS now"
                );
                let asked = clock::on_this_machine();
                let sent = Instant::now();
                let answer: Answer = sql_query(text).get_result(&mut conn)?;
                clock::compare(answer.now, asked, sent.elapsed());
                answer.writable
            }
            DatabaseUrl::Sqlite(path) => {
                if moved::has_moved(&mut conn)? {
                    self.session = Some((conn, begun));
                    return Ok(Health::Moved);
                }
                self.takes_writes(path)
            }
        };
        self.session = Some((conn, begun));
        Ok(if writable { Health::Up } else { Health::ReadOnly })
    }

    /// Whether a SQLite database takes writes is known by a write alone. One is made when something speaks against it,
    /// and not otherwise, since each waits for the disk.
    fn takes_writes(&mut self, path: &Path) -> bool {
        let Some(db) = self.db.upgrade().map(Db) else { return true };
        let fails = db.0.writer.as_ref().is_some_and(|writer| writer.counts().fails());
        if !fails && !seems_read_only(path) {
            self.trial = None;
            return true;
        }
        if let Some((when, taken)) = self.trial
            && when.elapsed() < TRY_AGAIN
            && !(fails && taken)
        {
            return taken;
        }
        // What is written is what is there, a number that nobody uses.
        let taken = db.write_here(|conn| Ok(conn.batch_execute("PRAGMA user_version = 0")?)).is_ok();
        self.trial = Some((Instant::now(), taken));
        taken
    }
}

/// Does the system say that the file may not take writes?
fn seems_read_only(path: &Path) -> bool {
    let full = statvfs(path).is_ok_and(|found| {
        found.f_flag.contains(StatVfsMountFlags::RDONLY) || found.f_bavail.saturating_mul(found.f_frsize) < LITTLE_ROOM
    });
    full || access(path, Access::WRITE_OK).is_err()
}

#[cfg(test)]
mod tests {
    use crate::Options;

    use super::*;

    #[test]
    fn says_what_it_last_heard() {
        let directory = tempfile::tempdir().unwrap();
        let url = DatabaseUrl::Sqlite(directory.path().join("t.sqlite"));
        let probe = Probe::start(&Db::open(&url, Options::default()).unwrap()).unwrap();
        assert_eq!(probe.health(), Health::Up);
        for health in [Health::ReadOnly, Health::Moved, Health::Up] {
            probe.0.note(Ok(health));
            assert_eq!(probe.health(), health);
        }
        probe.0.note(Err(Error::Unavailable("away".to_owned())));
        assert_eq!(probe.health(), Health::Away);
        let deadline = Instant::now() + GOOD;
        while probe.health() != Health::Up {
            assert!(Instant::now() < deadline, "nobody asks any more");
            thread::sleep(Duration::from_millis(10));
        }
        let begun = Instant::now().checked_sub(2 * GOOD).unwrap();
        let (read_only, moved) = (AtomicBool::new(false), AtomicBool::new(false));
        let ended = AtomicU64::new(1);
        let still = ProbeState { begun, answered: AtomicU64::new(1), read_only, moved, ended };
        assert_eq!(Probe(Arc::new(still)).health(), Health::Away, "an old answer says nothing");
    }
}
