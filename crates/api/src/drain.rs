//! The end of a server in steps, so that no request fails: readiness goes first, the listening socket last.

use std::{
    future::{Future, poll_fn},
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::Poll,
    time::Duration,
};

use actix_web::{dev::ServerHandle, rt::time::sleep};
use tokio::sync::{Notify, futures::OwnedNotified};

/// How long connections that were accepted last have to send their request, where others accept the next ones.
const LAST_REQUESTS: Duration = Duration::from_millis(250);

/// How a server stops, and whether it does.
#[derive(Clone, Default)]
pub struct Drain {
    begun: Arc<AtomicBool>,
    beginning: Arc<Notify>,
    time: Duration,
    is_shared: bool,
}

impl Drain {
    /// It takes so long. `is_shared` says that others hold the listening socket: what waits there is theirs, once this
    /// server accepts no more.
    pub fn new(time: Duration, is_shared: bool) -> Self {
        Self { begun: Arc::default(), beginning: Arc::default(), time, is_shared }
    }

    /// Has the server begun to stop?
    pub fn has_begun(&self) -> bool {
        self.begun.load(Ordering::Acquire)
    }

    /// Ready when the server begins to stop after this call: [`Self::has_begun`] says whether it did before.
    pub(crate) fn beginning(&self) -> OwnedNotified {
        Arc::clone(&self.beginning).notified_owned()
    }

    pub(crate) fn begin(&self) {
        self.begun.store(true, Ordering::Release);
        self.beginning.notify_waiters();
    }

    /// Stops a server: it is not ready any more and closes each connection after its next answer, serves connections as
    /// before until the time is over or `cut_short` is ready, then accepts no more, and answers what is under way.
    pub async fn stop(&self, server: ServerHandle, cut_short: impl Future<Output = ()>) {
        self.begin();
        if !self.time.is_zero() {
            tracing::info!(seconds = self.time.as_secs_f64(), "draining: not ready, and serving until then");
            let mut time = pin!(sleep(self.time));
            let mut cut_short = pin!(cut_short);
            poll_fn(|context| {
                let is_over = time.as_mut().poll(context).is_ready() || cut_short.as_mut().poll(context).is_ready();
                if is_over { Poll::Ready(()) } else { Poll::Pending }
            })
            .await;
        }
        if self.is_shared {
            server.pause().await;
            sleep(LAST_REQUESTS).await;
        }
        server.stop(true).await;
    }
}
