//! What is to be done once the write that is under way is committed, and not at all when it is undone.

use std::cell::RefCell;

type Action = Box<dyn FnOnce()>;

thread_local! {
    /// What the write of this thread has left to do.
    static ACTIONS: RefCell<Vec<Action>> = const { RefCell::new(Vec::new()) };
}

/// Does something, which should be quick, once the write that is under way on this thread is committed. What is undone
/// alone ([`savepoint`](crate::savepoint)) does nothing. Only for calls within a write.
pub fn after_commit(action: impl FnOnce() + 'static) {
    ACTIONS.with_borrow_mut(|actions| actions.push(Box::new(action)));
}

/// How much is left to do, for [`undo_to`].
pub(crate) fn count() -> usize {
    ACTIONS.with_borrow(Vec::len)
}

/// Forgets all but the first so many.
pub(crate) fn undo_to(count: usize) {
    ACTIONS.with_borrow_mut(|actions| actions.truncate(count));
}

/// After a commit (`true`) or a rollback: does what is left to do, or forgets it.
pub(crate) fn settle(is_committed: bool) {
    let actions = ACTIONS.take();
    if is_committed {
        actions.into_iter().for_each(|action| action());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use base::problem::Problem;

    use super::*;
    use crate::{DatabaseUrl, Db, Options, Result, savepoint};

    #[test]
    fn only_what_is_committed_is_followed_by_its_action() {
        let directory = tempfile::tempdir().unwrap();
        let db = Db::open(&DatabaseUrl::Sqlite(directory.path().join("t.sqlite")), Options::default()).unwrap();
        let done = Arc::<Mutex<Vec<&str>>>::default();
        let note = |name: &'static str| {
            let done = Arc::clone(&done);
            move || after_commit(move || done.lock().unwrap().push(name))
        };
        let refused = || Err::<(), _>(Problem::invalid("no").into());
        let (whole, part, undone, within) = (note("whole"), note("part"), note("undone"), note("within"));
        let shown = Arc::clone(&done);
        db.write_here(move |conn| {
            whole();
            savepoint(conn, |_| {
                part();
                Ok(())
            })?;
            let outcome: Result<()> = savepoint(conn, |conn| {
                undone();
                savepoint(conn, |_| {
                    within();
                    Ok(())
                })?;
                refused()
            });
            assert!(outcome.is_err() && shown.lock().unwrap().is_empty(), "nothing before the commit");
            Ok(())
        })
        .unwrap();
        assert_eq!(*done.lock().unwrap(), ["whole", "part"]);
        let failed = note("failed");
        let outcome = db.write_here(move |_| {
            failed();
            refused()
        });
        assert!(outcome.is_err());
        // The next write of the thread does not find what the one before left.
        let next = note("next");
        db.write_here(move |_| {
            next();
            Ok(())
        })
        .unwrap();
        assert_eq!(*done.lock().unwrap(), ["whole", "part", "next"]);
    }
}
