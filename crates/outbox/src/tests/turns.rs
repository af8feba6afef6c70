//! Tenants take turns at background work, and the failure of one undoes nothing of another.

use base::timestamp::Timestamp;
use db::DueRows;
use serde_json::json;

use super::{NOW, change, fixture};
use crate::{Change, TenantTurns, Tx};

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
fn a_row_that_fails_is_put_off_alone() {
    let fixture = fixture();
    let done = fixture.tx(|tx| {
        let work = |tx: &mut Tx<'_>, rows: &[i64]| {
            for row in rows {
                tx.note_with(change(&row.to_string(), None, Some(json!(1))), Vec::new());
                match row {
                    2 => return Err(db::Error::Fault("broken".into())),
                    4 => panic!("a defect"),
                    _ => {}
                }
            }
            Ok(())
        };
        let mut failed = Vec::new();
        let rows = [1, 2, 3, 4, 5];
        let mut done = 0;
        let mut turns = 0;
        // A turn takes 20 ms, and to panic takes long.
        while done < rows.len() {
            done += tx.attempt_each(&rows[done..], work, |_, row, _| {
                failed.push(*row);
                Ok(())
            })?;
            turns += 1;
        }
        let all = done;
        assert!(turns <= 2, "{turns}");
        let none = tx.attempt_each(&[], work, |_, _: &i64, _| Ok(()))?;
        let away = tx.attempt_each(&rows, |_, _| Err(db::Error::Unavailable("away".into())), |_, _, _| Ok(()));
        assert!(matches!(away, Err(db::Error::Unavailable(_))), "nobody is put off when the database is away");
        Ok((all, none, failed))
    });
    assert_eq!(done.unwrap(), (5, 0, vec![2, 4]));
    let log: Vec<String> = fixture.log().into_iter().map(|entry| entry.entity_id).collect();
    assert_eq!(log.len(), 3, "{log:?}");
}

#[test]
fn a_tenant_that_panics_stops_nobody_and_a_database_that_is_away_makes_nobody_pause() {
    let fixture = fixture();
    let mut turns = TenantTurns::new("test");
    let tenants = || ["client_1", "client_2"].map(str::to_owned).to_vec();
    let mut done = Vec::new();
    let read = |tenant: &str| {
        assert!(tenant != "client_1", "a defect");
        Ok(Some(()))
    };
    turns
        .serve_each(&fixture.db, tenants(), NOW, read, |_, _, ()| Ok(()), |tenant, ()| done.push(tenant.to_owned()))
        .unwrap();
    assert_eq!(done, ["client_2"]);
    let mut turns = TenantTurns::new("test");
    let away = |_: &mut Tx<'_>, _: &str| Err::<bool, _>(db::Error::Unavailable("away".into()));
    assert!(turns.serve(&fixture.db, tenants(), NOW, away).is_err());
    assert!(turns.serve(&fixture.db, tenants(), NOW, |_, _| Ok(true)).unwrap(), "nobody pauses");
}

#[test]
fn a_tenant_with_much_to_do_leaves_the_others_their_turn() {
    let fixture = fixture();
    let mut turns = TenantTurns::new("test");
    let tenants: Vec<String> = (0..100).map(|number| format!("client_{number}")).collect();
    let served = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = std::sync::Arc::clone(&served);
    let work = move |_: &mut Tx<'_>, tenant: &str| {
        seen.lock().unwrap().push(tenant.to_owned());
        if tenant == "client_5" {
            std::thread::sleep(std::time::Duration::from_millis(25));
        }
        Ok(tenant == "client_5")
    };
    assert!(turns.serve(&fixture.db, tenants.clone(), NOW, work).unwrap());
    let mut served = served.lock().unwrap().clone();
    served.sort();
    let mut tenants = tenants;
    tenants.sort();
    assert_eq!(served, tenants, "each once");
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
