//! The database of every domain, and the only door to it.
//!
//! A domain sees six things: [`Db`] (a handle; [`Db::point`], [`Db::read`], [`Db::write`]), [`Conn`] (a connection
//! to either backend, used with one set of diesel queries), [`Condition`] (a `WHERE` built at run time from a
//! `queryString`), [`Order`] (of a list, and where to go on in it), [`for_each_row`] (a result of any size in constant
//! memory) and [`Migrations`].
//!
//! What differs between SQLite and Postgres stays in this crate, behind one function for each difference.

mod among;
mod asker;
mod backend;
mod backup;
mod bell;
pub mod changes;
mod condition;
mod data_version;
mod dates;
mod due;
mod error;
pub mod expressions;
mod full_text;
mod insert;
mod inspect;
mod json;
mod lock;
mod memory;
mod migrate;
mod numbers;
mod order;
mod parts;
mod probe;
mod quota;
mod read;
mod savepoint;
mod select;
mod sequence;
mod shelf;
mod sorts;
mod stream;
mod tls;
mod tree;
mod update;
mod url;
mod waiting;
mod writer;

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use base::share::{Kind, Party, Pool};

pub use crate::{
    among::Among,
    asker::{Asker, Turn, on_behalf},
    backend::{Conn, Sql},
    backup::back_up,
    bell::{Bell, Listener},
    condition::Condition,
    data_version::DataVersion,
    dates::Dates,
    due::{DueRows, owners},
    error::{Error, Result},
    full_text::FullText,
    inspect::{Inspection, inspect},
    json::{Json, MaybeJson},
    lock::Lock,
    migrate::{MigrationTexts, Migrations},
    numbers::{Family, GROUP_SIZES, Numbers, Writes},
    order::{Column, Order},
    parts::in_parts,
    probe::Probe,
    quota::Quota,
    savepoint::{Unread, read_each, savepoint},
    select::columns,
    sequence::{next_id, next_number},
    sorts::{SortBy, Sorts},
    stream::for_each_row,
    tree::Tree,
    update::Update,
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
    pool: r2d2::Pool<backend::Manager>,
    /// The connections of the pool, as callers share them.
    shared: Arc<Pool>,
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
    shelf: shelf::Shelf,
    /// The way to a Postgres that is reached over TLS; closed last.
    _tunnel: Option<tls::Tunnel>,
}

impl Db {
    /// Opens the database and checks that it keeps its promises (durability settings). Creates a missing SQLite file,
    /// which only its owner reads.
    pub fn open(url: &DatabaseUrl, options: Options) -> Result<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let (url, tunnel) = tls::through(url)?;
        backend::make_private(&url)?;
        let manager = backend::Manager::new(url.clone());
        backend::check_durability(&mut backend::connect(&url)?)?;
        let pool = r2d2::Pool::builder()
            .max_size(options.connections)
            .min_idle(Some(1))
            .connection_timeout(options.wait)
            .test_on_check_out(url.backend() == Backend::Postgres)
            .error_handler(Box::new(error::PoolErrors))
            .build_unchecked(manager);
        let writer = match url.backend() {
            Backend::Sqlite => Some(writer::Writer::start(url.clone())?),
            Backend::Postgres => None,
        };
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let (calls, gauges, families) = Default::default();
        let most = usize::try_from(options.connections).unwrap_or(usize::MAX);
        let shared = Pool::new(Kind::Connections, most, asker::GREED, asker::MOST_WAITING);
        let (service, wait) = (Party::service(), options.wait);
        Ok(Self(Arc::new(Inner {
            number,
            url,
            pool,
            shared,
            service,
            wait,
            writer,
            calls,
            gauges,
            families,
            waiting: Arc::default(),
            shelf: shelf::Shelf::default(),
            _tunnel: tunnel,
        })))
    }

    /// Which backend this is.
    pub fn backend(&self) -> Backend {
        self.0.url.backend()
    }
}
