//! The promises of the outbox, on SQLite.

mod changes;
mod claims;
mod idempotency;
mod retention;
mod turns;
mod workers;

use base::timestamp::Timestamp;
use db::{Condition, DatabaseUrl, Db, Options, Result};
use serde_json::Value;

use crate::{Actor, Change, Tx, audit, events};

const NOW: Timestamp = Timestamp::from_millis(1_795_000_000_000);

struct Fixture {
    db: Db,
    _directory: tempfile::TempDir,
}

fn fixture() -> Fixture {
    let directory = tempfile::tempdir().unwrap();
    let db = Db::open(&DatabaseUrl::Sqlite(directory.path().join("t.sqlite")), Options::default()).unwrap();
    db.migrate(&[crate::migrations()]).unwrap();
    Fixture { db, _directory: directory }
}

fn actor() -> Actor {
    Actor::without_change_set("USR0000000001", "key", "r-1")
}

fn change(id: &str, before: Option<Value>, after: Option<Value>) -> Change {
    Change { tenant_id: "client_1".into(), entity: "Resource", entity_id: id.into(), before, after, publish: true }
}

impl Fixture {
    fn tx<T: Send + 'static>(&self, f: impl FnOnce(&mut Tx<'_>) -> Result<T> + Send + 'static) -> Result<T> {
        self.db.write_here(move |conn| Tx::run(conn, &actor(), NOW, f))
    }

    /// A write that notes one change.
    fn changed(&self, change: Change) {
        let done = self.tx(move |tx| {
            tx.note_with(change, Vec::new());
            Ok(())
        });
        done.unwrap();
    }

    fn batch(&self, statements: &str) {
        use diesel::connection::SimpleConnection as _;
        let statements = statements.to_owned();
        self.db.write_here(move |conn| Ok(conn.batch_execute(&statements)?)).unwrap();
    }

    fn claim(&self, owner: &'static str, now: i64) -> Vec<String> {
        let (now, until) = (Timestamp::from_millis(now), Timestamp::from_millis(now + 1000));
        let claimed = self.db.write_here(move |conn| {
            let tenants = events::ROWS.tenants(conn, now.millis())?;
            events::claim(conn, owner, (now, until), &tenants, 100)
        });
        let claimed = claimed.unwrap();
        claimed.into_iter().map(|event| format!("{} {}", event.action, event.entity_id)).collect()
    }

    fn log(&self) -> Vec<audit::Entry> {
        let all = Condition::sql("audit_log.tenant_id = 'client_1'");
        self.db.read_here(|conn| audit::page(conn, &all, false, &base::PageRequest::default())).unwrap().rows
    }
}
