//! A read replica: a standby of Postgres that large reads go to.
//!
//! Lists, searches, exports and timelines say by their call that they are large ([`Db::read_many`], [`Db::read_list`],
//! [`Db::read_from_either`]). They are read from the replica when it answers, is not too far behind, and has replayed
//! the last write of the caller; from the primary otherwise. What fails on the replica is read from the primary within
//! the same call. Everything else never sees the replica.
//!
//! Where the last write of a caller with a key stands is noted in the database after its commit (`write_positions`), so
//! that any gateway knows it, and told to the caller ([`Requester::on_write`](crate::Requester::on_write)). When that
//! fails, all callers have to see what is committed: at once those of the same gateway ([`UnrecordedWrites`]), and a
//! quarter of a second later, by a note that concerns everybody, those of the others. The same is done where notes were
//! lost. People who are signed in see all that was committed before: their pages read lists again when a stream of
//! changes tells them to.

mod identity;
mod place;
mod position;
mod unnoted;
mod watch;

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use base::share::{Kind, Pool};

use self::{
    identity::Identity,
    watch::{Servers, Watch},
};
pub use self::{
    place::{Extent, Place},
    position::{CallerKey, WritePosition},
    watch::{ReplicaHealth, ReplicaStatus},
};
pub(crate) use self::{position::note, unnoted::UnrecordedWrites};
use crate::{
    Backend, Conn, DatabaseUrl, Db, Error, Options, Result,
    backend::{self, Manager},
    lists, requester, tls,
};

/// How long a read waits for a connection to the replica; all of them may be in use by nobody else.
const CONNECT: Duration = Duration::from_millis(500);

/// How long a read waits until the replica has replayed the last write of its caller.
pub(crate) const PATIENCE: Duration = Duration::from_millis(100);

/// Nobody waits for a replica that was further behind at the last look.
pub(crate) const HOPELESS: Duration = Duration::from_millis(500);

/// A connection that nobody used for so long is closed.
const IDLE: Duration = Duration::from_secs(30);

/// How long a start waits until the replica has replayed the marker.
const MARKER: Duration = Duration::from_secs(5);

/// A replica that large reads go to.
pub(crate) struct Replica {
    pages: Connections,
    lists: Connections,
    pub(crate) watch: Arc<Watch>,
    pub(crate) outcomes: Arc<Outcomes>,
    /// Writes of this gateway that could not be noted.
    pub(crate) unnoted: Arc<UnrecordedWrites>,
    /// The way to a server that is reached over TLS; closed last.
    _tunnel: Option<tls::Tunnel>,
}

/// Connections to the replica, as callers share them.
pub(crate) struct Connections {
    pub(crate) pool: r2d2::Pool<Manager>,
    pub(crate) shared: Arc<Pool>,
}

/// What became of large reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The replica answered; in all other cases the primary did.
    Served,
    /// The replica did not answer at the last look.
    Away,
    /// It was too far behind at the last look.
    Lagging,
    /// It had not replayed the last write of the caller.
    Behind,
    /// It failed in the midst of the read: it went away, or replay was in conflict with the read.
    Failed,
}

impl Outcome {
    const ALL: [(Self, &'static str); 5] = [
        (Self::Served, "served"),
        (Self::Away, "away"),
        (Self::Lagging, "lagging"),
        (Self::Behind, "behind"),
        (Self::Failed, "failed"),
    ];
}

/// How many large reads had each outcome.
#[derive(Debug, Default)]
pub(crate) struct Outcomes([AtomicU64; Outcome::ALL.len()]);

impl Outcomes {
    pub(crate) fn count(&self, outcome: Outcome) {
        self.0[outcome as usize].fetch_add(1, Ordering::Relaxed);
    }
}

impl Replica {
    pub(crate) fn connections(&self, extent: Extent) -> &Connections {
        match extent {
            Extent::Page => &self.pages,
            Extent::List => &self.lists,
        }
    }
}

impl Connections {
    fn new(url: &DatabaseUrl, identity: &Arc<Identity>, most: u32, kind: Kind) -> Self {
        let identity = Arc::clone(identity);
        let pool = r2d2::Pool::builder()
            .max_size(most)
            .min_idle(Some(0))
            .idle_timeout(Some(IDLE))
            .connection_timeout(CONNECT)
            // The watch tells the log when the replica is away.
            .error_handler(Box::new(r2d2::NopErrorHandler))
            .build_unchecked(Manager::checked(url.clone(), Box::new(move |conn| check_replica(conn, &identity))));
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        Self { pool, shared: Pool::new(kind, most, requester::GREED, requester::MOST_WAITING) }
    }
}

impl Db {
    /// From now on large reads go to a replica of this Postgres, unless it is further behind than `most_lag`. One that
    /// is away is used when it answers. `options` are those of the database.
    ///
    /// # Errors
    /// When the database is SQLite, or when what answers is not a standby of it.
    pub fn use_replica(&self, url: &DatabaseUrl, options: Options, most_lag: Duration) -> Result<()> {
        check_replica_url(&self.0.url, url)?;
        let (url, tunnel) = tls::through(url)?;
        let identity = Arc::new(Identity::of_primary(&mut backend::connect(&self.0.url)?)?);
        match check(&url, &identity) {
            Ok(None) => {
                tracing::info!(compared_by = identity.compared_by(), "the replica is a standby of the database")
            }
            Ok(Some(fault)) => return Err(Error::Unavailable(fault)),
            Err(error) if error.may_pass() => tracing::warn!(%error, "the replica does not answer yet"),
            Err(error) => return Err(error),
        }
        let pages = Connections::new(&url, &identity, options.connections, Kind::Connections);
        let lists = Connections::new(&url, &identity, lists::most(options.connections), Kind::ListConnections);
        let unnoted = Arc::<UnrecordedWrites>::default();
        let servers = Servers { primary: self.0.url.clone(), replica: url, identity, unnoted: Arc::clone(&unnoted) };
        let watch = Watch::start(servers, most_lag)?;
        let outcomes = Arc::<Outcomes>::default();
        self.add_replica_metrics(&watch, &outcomes);
        let replica = Replica { pages, lists, watch, outcomes, unnoted, _tunnel: tunnel };
        let is_second = |_| Error::Fault("a second replica".to_owned());
        self.0.replica.set(replica).map_err(is_second)
    }

    /// The replica as of the last look at it; [`None`] where there is none. Never waits.
    pub fn replica_status(&self) -> Option<ReplicaStatus> {
        self.0.replica.get().map(|replica| replica.watch.status())
    }

    fn add_replica_metrics(&self, watch: &Arc<Watch>, outcomes: &Arc<Outcomes>) {
        let (of_lag, of_health) = (Arc::downgrade(watch), Arc::downgrade(watch));
        let lag = move || Some(of_lag.upgrade()?.status().lag?.as_secs_f64());
        self.add_gauge("replica_lag_seconds", "For how long the replica has not replayed something", lag);
        let is_read = move || Some(f64::from(u8::from(of_health.upgrade()?.status().health == ReplicaHealth::Up)));
        self.add_gauge("replica_up", "Whether large reads go to the replica", is_read);
        let outcomes = Arc::clone(outcomes);
        #[expect(clippy::cast_precision_loss, reason = "2^53 reads are not reached")]
        let counts = move || {
            let value = |(outcome, name): (Outcome, &'static str)| {
                (vec![("outcome", name.into())], outcomes.0[outcome as usize].load(Ordering::Relaxed) as f64)
            };
            Outcome::ALL.map(value).to_vec()
        };
        self.add_family("replica_reads", "Large reads: served by the replica, or why by the primary", true, counts);
    }
}

/// Refuses what is not a replica of a database.
fn check_replica(conn: &mut Conn, identity: &Identity) -> Result<()> {
    identity.fault(conn)?.map_or(Ok(()), |fault| Err(Error::Unavailable(fault)))
}

/// What keeps a server from being the replica. One that may not have replayed the marker yet is waited for.
fn check(url: &DatabaseUrl, identity: &Identity) -> Result<Option<String>> {
    let begun = Instant::now();
    let mut conn = backend::connect(&url.without_sessions())?;
    loop {
        match identity.fault(&mut conn)? {
            Some(_) if identity.is_marker() && begun.elapsed() < MARKER => thread::sleep(Duration::from_millis(50)),
            Some(fault) => return Ok(Some(fault)),
            None => break,
        }
    }
    Ok(identity::pooled(&mut conn, url)?.map(str::to_owned))
}

/// How far a replica is behind, for a look from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplicaLag {
    /// Bytes of the log that it has not replayed.
    pub bytes: u64,
    /// How long ago the last transaction was committed that it has replayed.
    pub age: Duration,
}

/// Refuses what no database could be a replica of, by the URLs alone.
///
/// # Errors
/// When one of them is of SQLite.
pub fn check_replica_url(primary: &DatabaseUrl, replica: &DatabaseUrl) -> Result<()> {
    let fault = match (primary.backend(), replica.backend()) {
        (Backend::Sqlite, _) => {
            "--read-url names a standby of a Postgres, and this database is SQLite: leave --read-url out"
        }
        (Backend::Postgres, Backend::Sqlite) => "--read-url names a standby of a Postgres: postgres://…",
        (Backend::Postgres, Backend::Postgres) => return Ok(()),
    };
    Err(Error::Unavailable(fault.to_owned()))
}

/// Looks once at a replica, and changes nothing but the marker where the system identifier is not told.
///
/// # Errors
/// When one of the two does not answer, or when the other one is not a standby of the first.
pub fn measure_replica(primary: &DatabaseUrl, replica: &DatabaseUrl) -> Result<ReplicaLag> {
    check_replica_url(primary, replica)?;
    let (primary, _primary_tunnel) = tls::through(primary)?;
    let (replica, _replica_tunnel) = tls::through(replica)?;
    let mut primary = backend::connect(&primary.without_sessions())?;
    let identity = Identity::of_primary(&mut primary)?;
    if let Some(fault) = check(&replica, &identity)? {
        return Err(Error::Unavailable(fault));
    }
    let written = position::of_primary(&mut primary)?;
    let (replayed, age) = position::replayed_with_age(&mut backend::connect(&replica)?)?;
    Ok(ReplicaLag { bytes: written.bytes_since(replayed), age })
}
