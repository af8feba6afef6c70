//! The thread that builds bitmaps and reads names: one job at a time, the tenants in turn.

use std::sync::{
    Arc, Mutex,
    mpsc::{Sender, channel},
};

use base::turns::TurnQueue;

/// Jobs that wait, of one tenant and of all.
const MAX_WAITING_OF_TENANT: usize = 32;
const MAX_WAITING: usize = 1_024;

type Job = Box<dyn FnOnce() + Send>;

/// The thread, by its queue.
pub struct Builder {
    waiting: Arc<Mutex<TurnQueue<Job>>>,
    arrived: Sender<()>,
}

impl Builder {
    /// Starts the thread, which ends when its last sender is dropped.
    pub fn start() -> Option<Self> {
        let waiting = Arc::new(Mutex::new(TurnQueue::<Job>::new(MAX_WAITING_OF_TENANT, MAX_WAITING)));
        let (arrived, arrivals) = channel();
        let queue = Arc::clone(&waiting);
        let thread = std::thread::Builder::new().name("resource-index".to_owned()).spawn(move || {
            while arrivals.recv().is_ok() {
                let next = base::lock(&queue).next(|_| true);
                if let Some((_, job)) = next {
                    job();
                }
            }
        });
        match thread {
            Ok(_) => Some(Self { waiting, arrived }),
            Err(error) => {
                tracing::warn!(%error, "the thread that builds the index of resources cannot start");
                None
            }
        }
    }

    /// Queues a job of a tenant; false when too many wait already.
    pub fn push(&self, tenant: &str, job: Job) -> bool {
        let waits = base::lock(&self.waiting).push(tenant, job);
        waits.is_ok() && self.arrived.send(()).is_ok()
    }
}
