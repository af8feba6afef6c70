//! Tenants take turns at background work, and the failure of one undoes nothing of another.

use base::timestamp::Timestamp;
use db::DueRows;
use serde_json::json;

use super::{NOW, change, fixture};
use crate::{Change, TenantTurns};

const DUE: DueRows = DueRows { table: "work", due: "due_ms", only: "due_ms IS NOT NULL" };

#[test]
fn the_failure_of_a_tenant_undoes_its_own_work_alone() {
    let fixture = fixture();
    let mut turns = TenantTurns::new("test");
    let tenants = || ["client_1", "client_2", "client_3"].map(str::to_owned).to_vec();
    let mut serve = |now_ms: i64| {
        let now = Timestamp::from_millis(NOW.millis() + now_ms);
        turns.serve(&fixture.db, tenants(), now, |tx, tenant| {
            tx.note_with(Change { tenant_id: tenant.to_owned(), ..change("a", None, Some(json!(1))) }, Vec::new());
            if tenant == "client_2" { Err(db::Error::Fault("full".into())) } else { Ok(false) }
        })
    };
    assert!(!serve(0).unwrap());
    assert!(!serve(500).unwrap());
    let events = fixture.claim("one", NOW.millis() + 1_000);
    assert_eq!(events.len(), 4, "two turns of each of two tenants: {events:?}");
}

#[test]
fn the_tenants_that_have_something_due() {
    let fixture = fixture();
    fixture.batch(
        "CREATE TABLE work (tenant_id TEXT NOT NULL, due_ms BIGINT); \
         CREATE INDEX work_due ON work (tenant_id, due_ms) WHERE due_ms IS NOT NULL; \
         INSERT INTO work VALUES ('a', 5), ('a', 6), ('b', NULL), ('c', 7), ('d', 5), ('d', NULL)",
    );
    let due = |now_ms| fixture.db.read_here(|conn| DUE.tenants(conn, now_ms)).unwrap();
    assert_eq!(
        (due(4), due(6), due(7)),
        (vec![], vec!["a".to_owned(), "d".to_owned()], vec!["a".to_owned(), "c".to_owned(), "d".to_owned()])
    );
}
