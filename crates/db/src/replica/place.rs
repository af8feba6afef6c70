//! The choice between primary and replica, for each large read.

use std::{future::Future, pin::pin, sync::Arc, time::Duration};

use tokio::time::timeout;

use super::{
    HOPELESS, Outcome, PATIENCE, Replica,
    position::{CallerKey, WritePosition, noted, of_primary, wait_for_replay},
    watch::ReplicaHealth,
};
use crate::{
    Conn, Db, Error, Freshness, Result,
    backend::CheckedConnection,
    numbers::Call,
    requester::{Turn, of_requester},
    transaction::{BEGIN_SNAPSHOT, transaction},
};

/// Between two looks whether the replica that reads has gone away meanwhile.
const LOOK_AGAIN: Duration = Duration::from_millis(250);

/// How much is read, and so by which connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// A page, or what fits into one.
    Page,
    /// A list of any length, by a connection that is there for lists: it takes none from short calls.
    List,
}

/// Where a large read is carried out, and its turn there.
pub struct Place {
    call: Call,
    extent: Extent,
    /// What the replica has to have replayed; [`None`] for the primary.
    least: Option<WritePosition>,
    _turn: Turn,
}

impl Place {
    /// Reads on the thread that calls, all as of one instant.
    ///
    /// # Errors
    /// Those of `f` and of the database; Unavailable when the replica has not replayed what the caller has to see.
    pub fn read_here<T>(&self, f: impl FnOnce(&mut Conn) -> Result<T>) -> Result<T> {
        let inner = &self.call.db().0;
        let Some((least, replica)) = self.least.zip(inner.replica.get()) else {
            let pool = match self.extent {
                Extent::Page => &inner.pool,
                Extent::List => &inner.lists.pool,
            };
            let begin = inner.begin_snapshot();
            return CheckedConnection::run(&mut *inner.connection(pool)?, |conn| transaction(conn, &begin, f));
        };
        let is_hopeless = replica.watch.status().lag.is_none_or(|lag| lag > HOPELESS);
        let patience = if is_hopeless { Duration::ZERO } else { PATIENCE };
        let mut connection = replica.connections(self.extent).pool.get()?;
        CheckedConnection::run(&mut connection, |conn| {
            // Before the transaction begins, whose snapshot would otherwise be older than the position.
            if !wait_for_replay(conn, least, patience)? {
                return Err(Error::Unavailable(BEHIND.to_owned()));
            }
            transaction(conn, BEGIN_SNAPSHOT, f)
        })
    }
}

/// The replica has not replayed what the caller has to see.
const BEHIND: &str = "the replica is behind the last write of the caller";

impl Db {
    /// Carries out a large read where it belongs: `attempt` is called with the replica where that can answer, and with
    /// the primary otherwise, or when the replica failed. What it does has to end with what [`Place::read_here`] says.
    ///
    /// # Errors
    /// Those of the attempt at the primary, and problems of that at the replica; Unavailable when the caller has too
    /// many reads under way.
    pub async fn read_from_either<T, A>(&self, extent: Extent, attempt: impl Fn(Place) -> A) -> Result<T>
    where
        A: Future<Output = Result<T>>,
    {
        if let Some(replica) = self.0.replica.get()
            && let Some(place) = self.place_on_replica(replica, extent).await?
        {
            let outcome = match unless_away(replica, attempt(place)).await {
                Ok(value) => {
                    replica.outcomes.count(Outcome::Served);
                    return Ok(value);
                }
                Err(Error::Problem(problem)) => return Err(problem.into()),
                Err(Error::Unavailable(text)) if text == BEHIND => Outcome::Behind,
                Err(error) => {
                    tracing::info!(%error, "the replica failed to answer: the primary is read");
                    Outcome::Failed
                }
            };
            replica.outcomes.count(outcome);
        }
        attempt(self.place_on_primary(extent).await?).await
    }

    pub(crate) async fn place_on_primary(&self, extent: Extent) -> Result<Place> {
        let shared = match extent {
            Extent::Page => &self.0.shared,
            Extent::List => &self.0.lists.shared,
        };
        let call = self.call()?;
        Ok(Place { call, extent, least: None, _turn: self.turn_in(shared).await? })
    }

    /// [`None`] when the replica is away or too far behind. Else the turn there, with what the caller has to see, which
    /// the primary knows.
    async fn place_on_replica(&self, replica: &Replica, extent: Extent) -> Result<Option<Place>> {
        let unused = match replica.watch.status().health {
            ReplicaHealth::Up => None,
            ReplicaHealth::Lagging => Some(Outcome::Lagging),
            ReplicaHealth::Away => Some(Outcome::Away),
        };
        if let Some(outcome) = unused {
            replica.outcomes.count(outcome);
            return Ok(None);
        }
        let least = match of_requester(|requester| Some(requester.freshness())) {
            Some(Freshness::OwnWrites(caller)) => self.own_writes(replica, caller).await?,
            Some(Freshness::Latest) => self.point(of_primary).await?,
            Some(Freshness::Any) | None => WritePosition::default(),
        };
        let told = of_requester(|requester| requester.least_position());
        let least = Some(least.max(told.unwrap_or_default()));
        let call = self.call()?;
        let _turn = match unless_away(replica, self.turn_in(&replica.connections(extent).shared)).await {
            Ok(turn) => turn,
            // Those who are there wait for a standby that does not answer any more.
            Err(_) if replica.watch.status().health == ReplicaHealth::Away => {
                replica.outcomes.count(Outcome::Away);
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        Ok(Some(Place { call, extent, least, _turn }))
    }

    /// What a caller has to see of its own writes: all that is committed, as long as a note of a write is missing.
    async fn own_writes(&self, replica: &Replica, caller: CallerKey) -> Result<WritePosition> {
        if replica.unnoted.is_any() {
            return self.point(of_primary).await;
        }
        let unnoted = Arc::clone(&replica.unnoted);
        let position = move |conn: &mut Conn| match noted(conn, &caller)? {
            Some(position) => Ok(position),
            None => {
                unnoted.add();
                of_primary(conn)
            }
        };
        self.point(position).await
    }
}

/// Gives up a read of a replica that does not answer any more. Its thread goes on until the connection ends.
async fn unless_away<T>(replica: &Replica, work: impl Future<Output = Result<T>>) -> Result<T> {
    let mut work = pin!(work);
    loop {
        if let Ok(done) = timeout(LOOK_AGAIN, &mut work).await {
            return done;
        }
        if replica.watch.status().health == ReplicaHealth::Away {
            return Err(Error::Unavailable("the replica stands still".to_owned()));
        }
    }
}
