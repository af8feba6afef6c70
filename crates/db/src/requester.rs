//! The requester on whose behalf a task uses the database, so that connections are shared fairly.

use std::{future::Future, rc::Rc, sync::Arc, time::Duration};

use base::share::{ExceededShare, Lease, Party, Pool};
use tokio::time::timeout;

use crate::{CallerKey, Db, Error, Result, WritePosition};

/// Calls that may wait for a connection.
pub(crate) const MOST_WAITING: usize = 1000;

/// One that is alone may have three of four connections: a call ends soon, and who comes then is the next.
pub(crate) const GREED: usize = 3;

/// The requester that a task runs for; it may become known while the task runs.
pub trait Requester {
    /// Whose share it is taken from, now.
    fn party(&self) -> Arc<Party>;

    /// What its large reads have to see.
    fn freshness(&self) -> Freshness {
        Freshness::Any
    }

    /// Which write its large reads have to see besides, as it says itself.
    fn least_position(&self) -> Option<WritePosition> {
        None
    }

    /// Takes in where its last write stands.
    fn on_write(&self, _: WritePosition) {}
}

tokio::task_local! {
    static ASKER: Rc<dyn Requester>;
}

/// Does something on behalf of a caller: its calls wait for each other, and take turns with those of others.
pub async fn on_behalf<F: Future>(asker: Rc<dyn Requester>, future: F) -> F::Output {
    ASKER.scope(asker, future).await
}

/// A future that goes on, in a task of its own, on behalf of the caller that this task runs for.
pub fn on_same_behalf<F: Future>(future: F) -> impl Future<Output = F::Output> {
    let asker = ASKER.try_with(Rc::clone).ok();
    async move {
        match asker {
            Some(asker) => ASKER.scope(asker, future).await,
            None => future.await,
        }
    }
}

/// What a large read has to see, when a replica could answer it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// Whatever the replica has.
    Any,
    /// What this caller has written itself.
    OwnWrites(CallerKey),
    /// All that was committed before.
    Latest,
}

/// Something of the requester that this task runs for; [`None`] where no caller asks.
pub(crate) fn of_requester<T>(read: impl FnOnce(&dyn Requester) -> Option<T>) -> Option<T> {
    ASKER.try_with(|asker| read(&**asker)).ok().flatten()
}

/// A connection of the pool is this call's to take until this is dropped.
#[derive(Debug)]
pub struct Turn {
    _lease: Lease,
}

impl Db {
    /// Waits until it is the asker's turn to have a connection.
    ///
    /// # Errors
    /// Unavailable when that takes too long, or when too many calls of the asker wait already.
    pub(crate) async fn turn(&self) -> Result<Turn> {
        self.turn_in(&self.0.shared).await
    }

    /// As [`Db::turn`], of other connections that callers share.
    pub(crate) async fn turn_in(&self, shared: &Arc<Pool>) -> Result<Turn> {
        let asker = ASKER.try_with(|asker| asker.party()).unwrap_or_else(|_| Arc::clone(&self.0.service));
        // Nearly always there is one, and no timer is needed.
        if let Ok(lease) = shared.try_take(&asker, 1) {
            return Ok(Turn { _lease: lease });
        }
        match timeout(self.0.wait.max(Duration::from_millis(1)), shared.take(&asker, 1)).await {
            Ok(Ok(lease)) => Ok(Turn { _lease: lease }),
            Ok(Err(ExceededShare::Everything)) => {
                Err(Error::Unavailable(format!("{MOST_WAITING} calls wait for a connection")))
            }
            Ok(Err(_)) => Err(Error::Unavailable("too many calls of one caller wait for a connection".to_owned())),
            Err(_) => Err(Error::Unavailable("no connection was free in time".to_owned())),
        }
    }
}
