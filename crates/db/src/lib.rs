//! The database of every domain, and the only access to it.
//!
//! A domain sees six things: [`Db`] (a handle; [`Db::point`], [`Db::read`], [`Db::read_many`], [`Db::write`]), [`Conn`]
//! (a connection to either backend, used with one set of diesel queries), [`Condition`] (a `WHERE` built at run time
//! from a `queryString`), [`Order`] (of a list, and where to go on in it), [`for_each_row`] (a result of any size in
//! constant memory) and [`Migrations`].
//!
//! What differs between SQLite and Postgres stays in this crate, behind one function for each difference.

mod after_commit;
mod at_once;
mod backend;
mod backfill;
mod backup;
mod bell;
mod chunks;
pub mod clock;
mod closing;
mod condition;
mod connections;
mod contract;
mod cut;
mod dates;
mod due;
mod error;
mod extensions;
mod file_lock;
mod foreign;
mod full_text;
mod hindrance;
mod insert;
mod inspect;
mod json;
mod lists;
mod lock;
mod memory;
mod migrate;
mod migration_report;
mod migration_text;
mod moved;
mod numbers;
mod order;
mod own;
mod owner;
mod partitions;
mod plan;
mod prepared;
mod presence;
mod private;
mod probe;
mod quick_check;
mod quota;
mod reach;
mod read;
mod ready;
mod replica;
mod requester;
mod running;
mod savepoint;
mod select;
mod sequence;
mod sessions;
mod sorts;
mod sql_query;
mod stream;
mod tls;
mod transaction;
mod tree;
mod up_to_date;
mod url;
mod waiting;
mod writer;

use std::{
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use base::share::{Kind, Party, Pool};

pub use crate::{
    after_commit::after_commit,
    backend::{Conn, SQLITE_ENDINGS, Sql, beside},
    backfill::{Backfill, BackfillProgress, BackfillStep},
    backup::{Origin, back_up, check_file, check_restorable, copy_origin, database_origin},
    bell::{Bell, Listener},
    chunks::in_chunks,
    condition::{Condition, SqlValue},
    dates::Dates,
    due::{DueRows, owners},
    error::{Error, Result},
    file_lock::{FileLock, lock_file},
    full_text::FullText,
    inspect::{Inspection, inspect},
    json::{Json, MaybeJson},
    lock::Lock,
    migrate::{MigrationTexts, Migrations},
    moved::{HAS_MOVED, MOVE_LOG, MOVE_SOURCE, MOVED, MOVED_TO, UNFINISHED_MOVE, moved_to},
    numbers::{Family, GROUP_SIZES, Numbers, Writes},
    order::{Column, Order, damaged_cursor},
    own::{OwnConnection, connect},
    owner::give_to_owner_of_folder,
    partitions::{DroppedPartition, Partitioned},
    plan::{BackfillState, MigrationState, PendingMigration, Step, StepKind, migration_state},
    prepared::Prepared,
    presence::{GATEWAYS, Gateway, Presence, SAID_EVERY_MS},
    private::{create_private, is_private, write_private},
    probe::{Health, Probe},
    quick_check::{CheckedTables, quick_check, quick_check_copy},
    quota::Quota,
    ready::wait_until_it_answers,
    replica::{
        CallerKey, Extent, Place, ReplicaHealth, ReplicaLag, ReplicaStatus, WritePosition, check_replica_url,
        measure_replica,
    },
    requester::{Freshness, Requester, on_behalf, on_same_behalf},
    savepoint::{UnreadableRows, read_each, savepoint},
    select::columns,
    sequence::{keep_number, kept_number, next_id, next_number, next_short_id},
    sorts::{SortBy, Sorts},
    sql_query::SqlQuery,
    stream::for_each_row,
    tree::Tree,
    url::{Backend, DatabaseUrl},
};

/// How many connections and how long to wait for one.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Connections for reads (SQLite) or for everything (Postgres).
    pub connections: u32,
    /// How long a request waits for a connection before it is answered 503.
    pub wait: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { connections: 8, wait: Duration::from_secs(5) }
    }
}

/// A handle to one database; cheap to clone.
#[derive(Clone)]
pub struct Db(Arc<Inner>);

struct Inner {
    /// Tells the databases of one process apart in thread-local storage.
    number: u64,
    url: DatabaseUrl,
    /// What answers, such as `Postgres 17.2`.
    server: String,
    pool: r2d2::Pool<backend::Manager>,
    /// The connections of the pool, as callers share them.
    shared: Arc<Pool>,
    /// The connections that lists are read by.
    lists: lists::Lists,
    /// What large reads go to, where there is one.
    replica: OnceLock<replica::Replica>,
    /// Who asks when no caller does.
    service: Arc<Party>,
    /// How long a call waits for a connection.
    wait: Duration,
    /// SQLite has one writer thread; Postgres writes through the pool.
    writer: Option<writer::Writer>,
    calls: numbers::Calls,
    gauges: numbers::Gauges,
    families: numbers::Families,
    waiting: Arc<waiting::Waiting>,
    extensions: extensions::Extensions,
    closing: closing::Closing,
    hindrance: Mutex<Option<&'static str>>,
    /// The way to a Postgres that is reached over TLS; closed last.
    _tunnel: Option<tls::Tunnel>,
}

impl Db {
    /// Opens the database and checks that it keeps its promises, as [`inspect`] does. Creates a missing SQLite file,
    /// which only its owner reads.
    pub fn open(url: &DatabaseUrl, options: Options) -> Result<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let (url, tunnel) = tls::through(url)?;
        backend::make_private(&url)?;
        let found = inspect::look(&mut backend::connect(&url.without_sessions())?, &url, options.connections)?;
        if !found.faults.is_empty() {
            return Err(Error::Unavailable(found.faults.join("; ")));
        }
        let url = if found.keeps_sessions { url } else { url.without_sessions() };
        if !url.keeps_sessions() {
            tracing::info!(
                "the database is reached through a connection pooler in transaction mode: statements are not \
                 prepared, and limits are set in each transaction"
            );
        }
        let manager = backend::Manager::new(url.clone());
        let pool = connections::builder(&url).max_size(options.connections).min_idle(Some(1)).build_unchecked(manager);
        let writer = match url.backend() {
            Backend::Sqlite => Some(writer::Writer::start(url.clone())?),
            Backend::Postgres => None,
        };
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let calls = Default::default();
        let gauges = Default::default();
        let families = Default::default();
        let most = usize::try_from(options.connections).unwrap_or(usize::MAX);
        let shared = Pool::new(Kind::Connections, most, requester::GREED, requester::MOST_WAITING);
        let service = Party::service();
        let wait = options.wait;
        let lists = lists::Lists::new(&url, options);
        Ok(Self(Arc::new(Inner {
            number,
            url,
            server: found.server,
            pool,
            shared,
            lists,
            replica: OnceLock::new(),
            service,
            wait,
            writer,
            calls,
            gauges,
            families,
            waiting: Arc::default(),
            extensions: extensions::Extensions::default(),
            closing: closing::Closing::default(),
            hindrance: Mutex::default(),
            _tunnel: tunnel,
        })))
    }

    /// What answers: `SQLite 3.50.4`, `Postgres 17.2`.
    pub fn server(&self) -> &str {
        &self.0.server
    }

    /// Finishes the writes that were accepted, and takes no more. A SQLite file is the whole database then, without the
    /// log beside it.
    pub fn close(&self) {
        if let Some(writer) = &self.0.writer {
            writer.stop();
        }
    }

    /// Which backend this is.
    pub fn backend(&self) -> Backend {
        self.0.url.backend()
    }
}
