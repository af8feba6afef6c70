//! Release of memory that connections hold but do not need.

use diesel::connection::SimpleConnection as _;

use crate::{Backend, Db};

impl Db {
    /// Has idle connections to a SQLite file give back the pages of it that they keep, but for the one that the pool
    /// wants to have at hand: it would open another.
    pub fn shrink(&self) {
        if self.backend() != Backend::Sqlite {
            return;
        }
        let idle = self.0.pool.state().idle_connections.saturating_sub(1);
        // Together, since the one that came back last is got next.
        let mut some: Vec<_> = (0..idle).map_while(|_| self.0.pool.try_get()).collect();
        for pooled in &mut some {
            if let Err(error) = pooled.run(|conn| Ok(conn.batch_execute("PRAGMA shrink_memory")?)) {
                tracing::debug!(%error, "a connection keeps its pages");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{DatabaseUrl, Db, Options};

    #[test]
    fn connections_work_on_without_their_pages() {
        let directory = tempfile::tempdir().unwrap();
        let db = Db::open(&DatabaseUrl::Sqlite(directory.path().join("t.sqlite")), Options::default()).unwrap();
        db.read_here(|_| db.read_here(|_| Ok(()))).unwrap();
        db.shrink();
        let numbers = db.numbers();
        assert_eq!(numbers.connections, numbers.idle);
        db.read_here(|_| Ok(())).unwrap();
    }
}
