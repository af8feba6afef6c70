//! What many tests share for the time of a run.
//!
//! A server that nobody calls still looks for what is due many times a second, which a dozen of them would do beside
//! all other tests, to the end. So one that no test uses is stopped (`SIGSTOP`) until one does.

use std::cell::RefCell;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::Backend;
use crate::server::Server;

/// A server, or what is around one, that is made once and kept to the end of the run.
pub struct Shared<T> {
    made: OnceLock<T>,
    /// How many threads use it. Each test is a thread.
    users: Mutex<usize>,
}

/// One for each backend.
pub struct SharedByBackend<T> {
    sqlite: Shared<T>,
    postgres: Shared<T>,
}

/// What a thread uses is left at its end.
struct Use(&'static dyn Leave);

trait Leave {
    fn leave(&self);
}

thread_local! {
    static USED: RefCell<Vec<Use>> = const { RefCell::new(Vec::new()) };
}

impl<T: AsRef<Server> + Send + Sync + 'static> Shared<T> {
    /// Nothing is made yet.
    #[expect(clippy::new_without_default, reason = "a static needs one that is constant")]
    pub const fn new() -> Self {
        Self { made: OnceLock::new(), users: Mutex::new(0) }
    }

    /// Gives it to this thread, for as long as that runs.
    pub fn get(&'static self, make: impl FnOnce() -> T) -> &'static T {
        USED.with_borrow_mut(|used| {
            if !used.iter().any(|one| std::ptr::addr_eq(one.0, self)) {
                self.enter();
                used.push(Use(self));
            }
        });
        self.made.get_or_init(make)
    }

    fn enter(&self) {
        let mut users = self.users();
        if *users == 0
            && let Some(made) = self.made.get()
        {
            signal(made.as_ref(), Signal::CONT);
            // Its workers look at the clock first: to who calls before that, they say that the request came too late.
            std::thread::sleep(Duration::from_millis(250));
            // Connections that ended meanwhile are closed before somebody sends something on them.
            made.as_ref().raw(b"GET /health/live HTTP/1.1\r\nHost: muster\r\nConnection: close\r\n\r\n");
        }
        *users += 1;
    }

    fn users(&self) -> MutexGuard<'_, usize> {
        self.users.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: AsRef<Server> + Send + Sync + 'static> Leave for Shared<T> {
    fn leave(&self) {
        let mut users = self.users();
        *users -= 1;
        if *users == 0
            && let Some(made) = self.made.get()
        {
            signal(made.as_ref(), Signal::STOP);
        }
    }
}

impl<T: AsRef<Server> + Send + Sync + 'static> SharedByBackend<T> {
    /// Nothing is made yet.
    #[expect(clippy::new_without_default, reason = "a static needs one that is constant")]
    pub const fn new() -> Self {
        Self { sqlite: Shared::new(), postgres: Shared::new() }
    }

    /// As [`Shared::get`].
    pub fn get(&'static self, backend: Backend, make: impl FnOnce() -> T) -> &'static T {
        let shared = if backend == Backend::Sqlite { &self.sqlite } else { &self.postgres };
        shared.get(make)
    }
}

impl Drop for Use {
    fn drop(&mut self) {
        self.0.leave();
    }
}

fn signal(server: &Server, signal: Signal) {
    let pid = i32::try_from(server.pid()).ok().and_then(Pid::from_raw).expect("a process has a number");
    kill_process(pid, signal).expect("the server runs");
}
