//! The sender of deliveries: a thread that claims due deliveries, makes the calls concurrently, and stores the results
//! in batches.

pub mod call;
pub(crate) mod claims;
mod ends;
pub mod http_client;
mod lanes;
pub mod retry;
mod rounds;
mod shared;
pub(crate) mod sign;
mod token;
mod trace;
mod work;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::JoinHandle,
    time::Duration,
};

use base::timestamp::Timestamp;
use db::{Db, Listener};
use ports::People;
use tokio::sync::Notify;

use self::{call::Caller, retry::Schedule};
use crate::{
    delivery::{queue, store::BELL},
    egress::{Guard, dial::Dialler},
    installed::store::CHANGES,
    mail::Mailer,
    vault::Vault,
};

/// How many threads wait for the database and for names to resolve; one for a name that does not stays for long.
const THREADS: usize = 2_048;

/// How deliveries are made.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The waits between attempts.
    pub schedule: Schedule,
    /// How long a call may take in all.
    pub timeout: Duration,
    /// How many calls are made at once.
    pub calls: usize,
    /// How many of them to one endpoint.
    pub calls_to_one: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { schedule: Schedule::default(), timeout: Duration::from_secs(15), calls: 256, calls_to_one: 16 }
    }
}

/// The services that the sender needs.
#[derive(Clone)]
pub struct Tools {
    /// The database.
    pub db: Db,
    /// Knows which tenants are suspended.
    pub people: Arc<dyn People>,
    /// Opens the secrets.
    pub vault: Arc<Vault>,
    /// Says where calls may go.
    pub guard: Arc<Guard>,
    /// Makes connections.
    pub dialler: Dialler,
    /// Tells the time.
    pub clock: fn() -> Timestamp,
    /// How.
    pub settings: Settings,
    /// Sends mail, when there is a server for it.
    pub mailer: Option<Mailer>,
}

/// A running sender; stops when dropped. What is under way then is due again when its claim runs out.
pub struct Sender {
    stop: Arc<AtomicBool>,
    wake: Arc<Notify>,
    _listeners: [Listener; 2],
    thread: Option<JoinHandle<()>>,
}

impl Sender {
    /// Starts one.
    ///
    /// # Errors
    /// The system has no further thread.
    pub fn start(tools: Tools) -> std::io::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let wake = Arc::new(Notify::new());
        // Those of endpoints that are left alone for a while do not count.
        let help = "How long the oldest delivery that is due has waited";
        let lag = tools.db.add_lag("deliveries_lag_seconds", help);
        let bell = Arc::new(Notify::new());
        let changed = Arc::new(Notify::new());
        tools.db.watch_due("deliveries", queue::LANES);
        let stopped = Arc::clone(&stop);
        let woken = [&wake, &bell, &changed].map(Arc::clone);
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(THREADS).build()?;
        let thread = std::thread::Builder::new().name("deliveries".to_owned()).spawn(move || {
            let Settings { timeout, calls_to_one, .. } = tools.settings;
            let caller = Caller::new(tools.dialler.clone(), Arc::clone(&tools.guard), timeout, calls_to_one);
            runtime.block_on(work::run(tools, caller, stopped, woken, lag));
            // Calls that are under way are not waited for.
            runtime.shutdown_background();
        })?;
        let listeners = [BELL.listen(move || bell.notify_one()), CHANGES.listen(move || changed.notify_one())];
        Ok(Self { stop, wake, _listeners: listeners, thread: Some(thread) })
    }
}

impl Drop for Sender {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.wake.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests;
