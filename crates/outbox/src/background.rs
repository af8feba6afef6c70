//! Work that goes on beside requests.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{JoinHandle, park_timeout},
    time::Duration,
};

/// A thread that does something again and again; stops, and is waited for, when dropped.
pub struct Background {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Background {
    /// Calls `turn` until this is dropped. What it returns is how long to wait before the next call; zero calls it at
    /// once. A turn should be short, because the end of the process waits for it.
    pub fn start(name: &str, mut turn: impl FnMut() -> Duration + Send + 'static) -> std::io::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                let wait = turn();
                if !wait.is_zero() && !stopped.load(Ordering::Relaxed) {
                    park_timeout(wait);
                }
            }
        })?;
        Ok(Self { stop, thread: Some(thread) })
    }

    /// Calls `turn` until this is dropped: at once again while it answers that there may be more to do, and otherwise
    /// after `idle`. A failure is logged as `failing`.
    pub fn repeat(
        name: &str,
        idle: Duration,
        failing: &'static str,
        mut turn: impl FnMut() -> db::Result<bool> + Send + 'static,
    ) -> std::io::Result<Self> {
        Self::start(name, move || match turn() {
            Ok(true) => Duration::ZERO,
            Ok(false) => idle,
            Err(error) => {
                tracing::warn!(%error, "{failing}");
                idle
            }
        })
    }

    /// Ends the wait, when there is one, or else the next one: there is something to do.
    pub fn wake(&self) {
        if let Some(thread) = &self.thread {
            thread.thread().unpark();
        }
    }

    /// Ends the wait whenever a bell rings, until the answer is dropped.
    pub fn listen(&self, bell: &'static db::Bell) -> Option<db::Listener> {
        let thread = self.thread.as_ref()?.thread().clone();
        Some(bell.listen(move || thread.unpark()))
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.wake();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
