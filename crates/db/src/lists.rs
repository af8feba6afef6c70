//! Connections that lists of any length are read by, apart from all others.
//!
//! Anyone who reads a long list holds a connection for as long as they read. So that slow readers take none from short
//! calls, and a few of them not all from other readers, there are several times as many of these. They are opened when
//! they are needed, and closed again.

use std::{sync::Arc, time::Duration};

use base::share::{Kind, Pool};

use crate::{DatabaseUrl, Db, Options, backend::Manager, connections, requester};

/// So many times as many long lists may be sent as there are other connections, and this many at most.
const TIMES: u32 = 4;
const MOST: u32 = 32;

/// So many lists may be read besides, which are short, or end before anybody knows.
const SHORT: u32 = 4;

/// A connection that no list used for so long is closed.
const IDLE: Duration = Duration::from_secs(30);

/// The connections of lists.
pub(crate) struct Lists {
    pub(crate) pool: r2d2::Pool<Manager>,
    /// As callers share them.
    pub(crate) shared: Arc<Pool>,
    /// How many of them may be held by lists that are long.
    pub(crate) long: u32,
}

impl Lists {
    pub(crate) fn new(url: &DatabaseUrl, options: Options) -> Self {
        let long = options.connections.saturating_mul(TIMES).min(MOST);
        let most = most(options.connections);
        let pool = connections::builder(url)
            .max_size(most)
            .min_idle(Some(0))
            .idle_timeout(Some(IDLE))
            .build_unchecked(Manager::of_lists(url.clone()));
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let shared = Pool::new(Kind::ListConnections, most, requester::GREED, requester::MOST_WAITING);
        Self { pool, shared, long }
    }
}

/// How many lists may be read at once where there are so many other connections.
pub(crate) fn most(connections: u32) -> u32 {
    connections.saturating_mul(TIMES).min(MOST) + SHORT
}

impl Db {
    /// How many lists may be read at once that are long: each holds a connection while its reader takes it.
    pub fn long_lists(&self) -> usize {
        usize::try_from(self.0.lists.long).unwrap_or(usize::MAX)
    }
}
