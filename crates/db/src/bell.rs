//! Wake-up calls for background workers: a commit wakes the workers of the same process that have work from it.
//! Other processes on the same database find it when they look by themselves.

use std::{
    cell::RefCell,
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicU64, Ordering},
    },
};

type Wake = Arc<dyn Fn() + Send + Sync>;

/// A bell for one kind of work: a `static` beside the table that the work stands in.
///
/// To ring wakes each listener once, however much there is to do and however often it rang meanwhile: there are as many
/// listeners as threads that look after the work, which is one for each server of the process.
pub struct Bell {
    listeners: Mutex<Vec<(u64, Wake)>>,
}

thread_local! {
    /// The bells that ring when the transaction of this thread is committed.
    static NOTED: RefCell<Vec<&'static Bell>> = const { RefCell::new(Vec::new()) };
}

impl Bell {
    /// One that nobody listens to yet.
    #[expect(clippy::new_without_default, reason = "it is for statics")]
    pub const fn new() -> Self {
        Self { listeners: Mutex::new(Vec::new()) }
    }

    /// Calls `wake`, which should be quick, whenever it rings, until the answer is dropped.
    pub fn listen(&'static self, wake: impl Fn() + Send + Sync + 'static) -> Listener {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        self.lock().push((number, Arc::new(wake)));
        Listener { bell: self, number }
    }

    /// Rings once the write that is under way on this thread is committed; not at all when it is undone.
    pub fn ring_at_commit(&'static self) {
        NOTED.with_borrow_mut(|noted| {
            if !noted.iter().any(|known| std::ptr::eq(*known, self)) {
                noted.push(self);
            }
        });
    }

    fn ring(&self) {
        let listeners: Vec<Wake> = self.lock().iter().map(|(_, wake)| Arc::clone(wake)).collect();
        listeners.iter().for_each(|wake| wake());
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(u64, Wake)>> {
        base::lock(&self.listeners)
    }
}

/// Somebody who is woken; not any more when dropped.
pub struct Listener {
    bell: &'static Bell,
    number: u64,
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.bell.lock().retain(|(number, _)| *number != self.number);
    }
}

/// After a commit (`true`) or a rollback: rings what was noted, or forgets it.
pub(crate) fn settle(committed: bool) {
    let noted = NOTED.take();
    if committed {
        noted.into_iter().for_each(Bell::ring);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use base::problem::Problem;
    use diesel::connection::SimpleConnection as _;

    use super::*;
    use crate::{DatabaseUrl, Db, Options, savepoint};

    #[test]
    fn it_rings_once_for_a_commit_and_for_no_rollback() {
        static BELL: Bell = Bell::new();
        static OTHER: Bell = Bell::new();
        let directory = tempfile::tempdir().unwrap();
        let db = Db::open(&DatabaseUrl::Sqlite(directory.path().join("t.sqlite")), Options::default()).unwrap();
        let heard = Arc::new(AtomicUsize::new(0));
        let others = Arc::new(AtomicUsize::new(0));
        let count = |counter: &Arc<AtomicUsize>| {
            let counter = Arc::clone(counter);
            move || _ = counter.fetch_add(1, Ordering::SeqCst)
        };
        let listener = BELL.listen(count(&heard));
        let _other = OTHER.listen(count(&others));
        db.write_here(|conn| {
            BELL.ring_at_commit();
            BELL.ring_at_commit();
            Ok(conn.batch_execute("CREATE TABLE t (id BIGINT NOT NULL PRIMARY KEY)")?)
        })
        .unwrap();
        assert_eq!(heard.load(Ordering::SeqCst), 1);
        // A change that was rolled back alone does not ring.
        let refused = db.write_here(|_| {
            BELL.ring_at_commit();
            Err::<(), _>(Problem::invalid("no").into())
        });
        assert!(refused.is_err());
        db.write_here(|conn| savepoint(conn, |_| Ok(()))).unwrap();
        assert_eq!(heard.load(Ordering::SeqCst), 1);
        drop(listener);
        db.write_here(|_| {
            BELL.ring_at_commit();
            Ok(())
        })
        .unwrap();
        assert_eq!((heard.load(Ordering::SeqCst), others.load(Ordering::SeqCst)), (1, 0));
    }

    #[test]
    fn what_it_tells_of_can_be_read() {
        static BELL: Bell = Bell::new();
        let directory = tempfile::tempdir().unwrap();
        let db = Db::open(&DatabaseUrl::Sqlite(directory.path().join("t.sqlite")), Options::default()).unwrap();
        db.write_here(|conn| Ok(conn.batch_execute("CREATE TABLE t (id BIGINT NOT NULL PRIMARY KEY)")?)).unwrap();
        let (told, hear) = std::sync::mpsc::channel();
        let told = Mutex::new(told);
        let _listener = BELL.listen(move || told.lock().unwrap().send(()).unwrap());
        for number in 0..50_i64 {
            db.write_here(move |conn| {
                BELL.ring_at_commit();
                Ok(conn.batch_execute(&format!("INSERT INTO t VALUES ({number})"))?)
            })
            .unwrap();
            hear.recv_timeout(std::time::Duration::from_secs(10)).unwrap();
            let found: i64 = db
                .read_here(|conn| {
                    use diesel::RunQueryDsl as _;
                    let row: Count = diesel::sql_query("SELECT count(*) AS number FROM t").get_result(conn)?;
                    Ok(row.number)
                })
                .unwrap();
            assert_eq!(found, number + 1);
        }
    }

    #[derive(diesel::QueryableByName)]
    struct Count {
        #[diesel(sql_type = diesel::sql_types::BigInt)]
        number: i64,
    }
}
