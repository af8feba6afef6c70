//! Is the database there? Asked all the time on a connection of its own, so that the answer is at hand when somebody wants
//! to know it, also when the database is away or stands still.

use std::{
    sync::{
        Arc, Weak,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use diesel::connection::SimpleConnection;

use crate::{Conn, Db, Error, Result, backend, url::DatabaseUrl};

/// Between two questions.
const EVERY: Duration = Duration::from_millis(250);

/// An answer is good for this long; a database that has not answered since stands still.
const GOOD: Duration = Duration::from_secs(2);

/// What was last heard of the database.
#[derive(Clone, Debug)]
pub struct Probe(Arc<Heard>);

#[derive(Debug)]
struct Heard {
    begun: Instant,
    /// When it last answered, in milliseconds since `begun`, plus one; 0 when it did not.
    answered: AtomicU64,
}

impl Probe {
    /// Asks once, and goes on asking on a thread of its own until the last clone of this is dropped.
    ///
    /// # Errors
    /// When there can be no thread.
    pub fn start(db: &Db) -> Result<Self> {
        let heard = Arc::new(Heard { begun: Instant::now(), answered: AtomicU64::new(0) });
        let (url, listener) = (db.0.url.clone(), Arc::downgrade(&heard));
        let mut connection = None;
        heard.note(ask(&url, &mut connection).is_ok());
        thread::Builder::new()
            .name("database-probe".to_owned())
            .spawn(move || keep_asking(&url, connection, &listener))
            .map_err(|error| Error::Unavailable(error.to_string()))?;
        Ok(Self(heard))
    }

    /// Did the database answer just now? Never waits.
    pub fn answers(&self) -> bool {
        let answered = self.0.answered.load(Ordering::Relaxed);
        answered > 0 && self.0.now().saturating_sub(answered) < GOOD.as_millis() as u64
    }
}

impl Heard {
    fn now(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn note(&self, answers: bool) {
        self.answered.store(if answers { self.now() + 1 } else { 0 }, Ordering::Relaxed);
    }
}

fn keep_asking(url: &DatabaseUrl, mut connection: Option<Conn>, listener: &Weak<Heard>) {
    while listener.strong_count() > 0 {
        let answers = ask(url, &mut connection);
        let Some(heard) = listener.upgrade() else { return };
        heard.note(answers.is_ok());
        drop(heard);
        thread::sleep(EVERY);
    }
}

fn ask(url: &DatabaseUrl, connection: &mut Option<Conn>) -> Result<()> {
    let mut conn = match connection.take() {
        Some(conn) => conn,
        None => backend::connect(url)?,
    };
    conn.batch_execute("SELECT 1")?;
    *connection = Some(conn);
    Ok(())
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
        assert!(probe.answers());
        probe.0.note(false);
        assert!(!probe.answers());
        let deadline = Instant::now() + GOOD;
        while !probe.answers() {
            assert!(Instant::now() < deadline, "nobody asks any more");
            thread::sleep(Duration::from_millis(10));
        }
        let still = Heard { begun: Instant::now().checked_sub(2 * GOOD).unwrap(), answered: AtomicU64::new(1) };
        assert!(!Probe(Arc::new(still)).answers(), "an old answer says nothing");
    }
}
