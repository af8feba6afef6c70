//! The queue between requests and the thread that mails links.

use base::problem::Problem;
use tokio::sync::mpsc;

use super::wire::LinkRequest;

/// How many requests wait at most. Each takes about a kilobyte.
const LENGTH: usize = 256;

/// A request that waits.
pub(crate) struct QueuedRequest {
    pub(super) request: LinkRequest,
    /// As the log and the audit log have it.
    pub(super) request_id: String,
}

/// Where requests for sign-in links wait until they are looked at.
#[derive(Clone, Debug)]
pub struct LinkQueue(mpsc::Sender<QueuedRequest>);

/// A queue, and its end where requests are taken out.
pub(crate) fn new() -> (LinkQueue, mpsc::Receiver<QueuedRequest>) {
    let (sender, receiver) = mpsc::channel(LENGTH);
    (LinkQueue(sender), receiver)
}

impl LinkQueue {
    /// Adds a request, whosever address it names.
    ///
    /// # Errors
    /// 503 when too many wait.
    pub(crate) fn push(&self, request: LinkRequest, request_id: String) -> Result<(), Problem> {
        let full = |_| Problem::unavailable("Too many people ask for sign-in links right now. Try again in a moment.");
        self.0.try_send(QueuedRequest { request, request_id }).map_err(full)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_queue_refuses() {
        let (queue, _receiver) = new();
        let push = || queue.push(LinkRequest { email: "ann@example.net".to_owned() }, String::new());
        assert!((0..LENGTH).all(|_| push().is_ok()));
        assert!(push().is_err());
    }
}
