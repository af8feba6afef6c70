//! The watch of a replica: asks continually, on connections of its own, whether the replica answers and how far it is
//! behind. The answer is at hand without waiting.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Weak,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use super::{
    identity::{Identity, pooled},
    position::{self, WritePosition},
    unnoted::UnrecordedWrites,
};
use crate::{Conn, Error, Result, backend, cut, url::DatabaseUrl};

/// Between two looks.
const EVERY: Duration = Duration::from_millis(250);

/// A look is good for this long; a replica that has not answered since stands still.
const GOOD: Duration = Duration::from_secs(2);

/// Between two removals of notes that are old.
const SWEEP: Duration = Duration::from_secs(60);

/// A replica that answers nothing for so many looks' time stands still: what waits for it is cut off.
const CUT_AFTER: u32 = 32;

/// Positions of the primary that are remembered, to know when what the replica has not replayed was written.
const MOST_SAMPLES: usize = 4_096;

/// The state of a replica, as of the last look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplicaHealth {
    /// It is read.
    Up,
    /// It answers, and is so far behind that the primary is read.
    Lagging,
    /// It does not answer, or is not a standby of the database.
    Away,
}

/// A replica, as of the last look at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplicaStatus {
    /// Whether it is read.
    pub health: ReplicaHealth,
    /// How far it is behind; [`None`] while it is away.
    pub lag: Option<Duration>,
}

/// What the thread of the watch finds, for everybody.
#[derive(Debug)]
pub(crate) struct Watch {
    begun: Instant,
    most_lag: Duration,
    /// When it last answered, in milliseconds since `begun`, plus one; 0 when it did not.
    answered: AtomicU64,
    lag_ms: AtomicU64,
    /// How many looks came to an end, with or without an answer.
    ended: AtomicU64,
}

/// What is looked at.
pub(crate) struct Servers {
    pub(crate) primary: DatabaseUrl,
    pub(crate) replica: DatabaseUrl,
    pub(crate) identity: Arc<Identity>,
    pub(crate) unnoted: Arc<UnrecordedWrites>,
}

impl Watch {
    /// Looks once, and goes on looking on threads of its own until the last clone of this is dropped.
    pub(crate) fn start(servers: Servers, most_lag: Duration) -> Result<Arc<Self>> {
        let begun = Instant::now();
        let (answered, lag_ms, ended) = Default::default();
        let watch = Arc::new(Self { begun, most_lag, answered, lag_ms, ended });
        let urls = (servers.primary.clone(), servers.replica.clone());
        let samples = Samples::default();
        let mut look =
            ReplicaWatch { servers, primary: None, replica: None, samples, has_caught_up: false, swept: begun };
        watch.note(look.look());
        let thread = |name: &str, work: Box<dyn FnOnce() + Send>| {
            let spawned = thread::Builder::new().name(name.to_owned()).spawn(work);
            spawned.map(drop).map_err(|error| Error::Unavailable(error.to_string()))
        };
        let listener = Arc::downgrade(&watch);
        thread("replica-watch", Box::new(move || keep_looking(look, &listener)))?;
        let listener = Arc::downgrade(&watch);
        thread("replica-cut", Box::new(move || cut_when_still(&urls, &listener)))?;
        Ok(watch)
    }

    /// The state as of the last look. Never waits.
    pub(crate) fn status(&self) -> ReplicaStatus {
        let answered = self.answered.load(Ordering::Relaxed);
        if answered == 0 || self.now().saturating_sub(answered) >= GOOD.as_millis() as u64 {
            return ReplicaStatus { health: ReplicaHealth::Away, lag: None };
        }
        let lag = Duration::from_millis(self.lag_ms.load(Ordering::Relaxed));
        let health = if lag > self.most_lag { ReplicaHealth::Lagging } else { ReplicaHealth::Up };
        ReplicaStatus { health, lag: Some(lag) }
    }

    fn now(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Takes in what was seen, and tells the log when the state is another one.
    fn note(&self, lag: Result<Duration>) {
        let before = self.status().health;
        if let Ok(lag) = &lag {
            self.lag_ms.store(u64::try_from(lag.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
        }
        self.answered.store(if lag.is_ok() { self.now() + 1 } else { 0 }, Ordering::Relaxed);
        let is_first = self.ended.fetch_add(1, Ordering::Relaxed) == 0;
        let ReplicaStatus { health, lag: behind } = self.status();
        if health == before && !is_first {
            return;
        }
        let seconds = behind.map_or(0.0, |lag| lag.as_secs_f64());
        match (health, lag) {
            (ReplicaHealth::Up, _) => tracing::info!(seconds_behind = seconds, "large reads go to the replica"),
            (ReplicaHealth::Lagging, _) => {
                tracing::warn!(seconds_behind = seconds, "the replica is too far behind: all reads go to the primary");
            }
            (ReplicaHealth::Away, Err(error)) => {
                tracing::warn!(%error, "the replica cannot be used: all reads go to the primary");
            }
            (ReplicaHealth::Away, Ok(_)) => {}
        }
    }
}

fn keep_looking(mut look: ReplicaWatch, listener: &Weak<Watch>) {
    while listener.strong_count() > 0 {
        let found = look.look();
        let Some(watch) = listener.upgrade() else { return };
        watch.note(found);
        drop(watch);
        thread::sleep(EVERY);
    }
}

/// Cuts off all that waits for a replica which stands still, as [`Probe`](crate::Probe) does it for the database. Where
/// both have a server in common nothing is cut: what waits for the one is not told from what waits for the other.
fn cut_when_still((primary, replica): &(DatabaseUrl, DatabaseUrl), listener: &Weak<Watch>) {
    let mut last = None;
    let mut turns = 0;
    while let Some(watch) = listener.upgrade() {
        let ended = watch.ended.load(Ordering::Relaxed);
        turns = if last == Some(ended) { turns + 1 } else { 0 };
        last = Some(ended);
        drop(watch);
        if turns >= CUT_AFTER {
            let connections = cut::connections_besides(replica, primary);
            tracing::warn!(connections, "the replica stands still: what waits for it is cut off");
            turns = 0;
        }
        thread::sleep(EVERY);
    }
}

/// What is looked at again and again.
struct ReplicaWatch {
    servers: Servers,
    primary: Option<Conn>,
    replica: Option<Conn>,
    samples: Samples,
    /// The replica has replayed what there was at the first look. Before, when that was written is not known here.
    has_caught_up: bool,
    swept: Instant,
}

impl ReplicaWatch {
    /// How far the replica is behind.
    fn look(&mut self) -> Result<Duration> {
        // A primary that is away writes nothing that the replica could lack.
        if let Ok(position) = self.look_at_primary() {
            self.samples.add(Instant::now(), position);
        }
        // A session that has ended does not mean that the standby is away: another one is tried at once.
        let held = self.replica.take().and_then(|mut conn| Some((position::replayed_with_age(&mut conn).ok()?, conn)));
        let ((replayed, age), conn) = match held {
            Some(found) => found,
            None => {
                let mut conn = backend::connect(&self.servers.replica)?;
                if let Some(fault) = self.servers.identity.fault(&mut conn)? {
                    return Err(Error::Unavailable(fault));
                }
                if let Some(fault) = pooled(&mut conn, &self.servers.replica)? {
                    return Err(Error::Unavailable(fault.to_owned()));
                }
                (position::replayed_with_age(&mut conn)?, conn)
            }
        };
        self.replica = Some(conn);
        let lag = self.samples.lag(Instant::now(), replayed);
        self.has_caught_up |= lag.is_zero();
        Ok(if self.has_caught_up { lag } else { lag.max(age) })
    }

    fn look_at_primary(&mut self) -> Result<WritePosition> {
        let mut conn = match self.primary.take() {
            Some(conn) => conn,
            None => {
                let mut conn = backend::connect(&self.servers.primary)?;
                // Without it callers of this gateway see all that is committed.
                if let Err(error) = position::lay_floor(&mut conn) {
                    tracing::debug!(%error, "whether notes of writes were lost");
                }
                conn
            }
        };
        if let Err(error) = self.servers.unnoted.settle(|| position::raise_floor(&mut conn)) {
            tracing::debug!(%error, "writes that could not be noted");
        }
        let position = position::of_primary(&mut conn)?;
        if self.swept.elapsed() > SWEEP {
            self.swept = Instant::now();
            if let Err(error) = position::sweep(&mut conn) {
                tracing::warn!(%error, "notes of the positions of writes are not removed");
                return Ok(position);
            }
        }
        self.primary = Some(conn);
        Ok(position)
    }
}

/// Positions of the primary, each with the time at which it was reached at the latest; those that the replica has
/// replayed are gone.
#[derive(Default)]
struct Samples(VecDeque<(Instant, WritePosition)>);

impl Samples {
    fn add(&mut self, now: Instant, position: WritePosition) {
        // Another primary took over, whose log is shorter: what the former one had beyond it is in no standby.
        while self.0.back().is_some_and(|(_, last)| *last > position) {
            self.0.pop_back();
        }
        if self.0.back().is_some_and(|(_, last)| *last == position) {
            return;
        }
        if self.0.len() >= MOST_SAMPLES {
            // The oldest one says how long the replica has been behind.
            self.0.pop_back();
        }
        self.0.push_back((now, position));
    }

    /// For how long there has been something that the replica has not replayed.
    fn lag(&mut self, now: Instant, replayed: WritePosition) -> Duration {
        while self.0.front().is_some_and(|(_, position)| *position <= replayed) {
            self.0.pop_front();
        }
        self.0.front().map_or(Duration::ZERO, |(since, _)| now.saturating_duration_since(*since))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replica_is_behind_since_the_first_position_that_it_lacks() {
        let begun = Instant::now();
        let at = |seconds| begun + Duration::from_secs(seconds);
        let position = |text: &str| text.parse::<WritePosition>().unwrap();
        let mut samples = Samples::default();
        assert_eq!(samples.lag(at(0), position("0/1")), Duration::ZERO);
        for (second, text) in [(1, "0/10"), (2, "0/10"), (3, "0/20"), (4, "1/0")] {
            samples.add(at(second), position(text));
        }
        assert_eq!(samples.lag(at(10), position("0/F")), Duration::from_secs(9));
        assert_eq!(samples.lag(at(10), position("0/10")), Duration::from_secs(7));
        assert_eq!(samples.lag(at(10), position("0/30")), Duration::from_secs(6));
        assert_eq!(samples.lag(at(10), position("1/0")), Duration::ZERO);
        for second in 0..2 * MOST_SAMPLES as u64 {
            samples.add(at(100 + second), position(&format!("2/{second:X}")));
        }
        assert_eq!(samples.0.len(), MOST_SAMPLES);
        let mut shorter = Samples::default();
        shorter.add(at(1), position("2/0"));
        shorter.add(at(2), position("1/0"));
        assert_eq!(shorter.lag(at(100), position("1/0")), Duration::ZERO);
        assert_eq!(samples.lag(at(200), position("1/0")), Duration::from_secs(100));
    }
}
