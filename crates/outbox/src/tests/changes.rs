//! The audit rows and events that a write records.

use base::problem::Problem;
use serde_json::{Value, json};

use super::{NOW, change, fixture};
use crate::Unpublished;

#[test]
fn several_changes_of_one_entity_are_one() {
    let fixture = fixture();
    fixture
        .tx(|tx| {
            tx.note_with(change("a", Some(json!({"n": 1})), Some(json!({"n": 2}))), Vec::new());
            tx.note_with(change("b", None, Some(json!({}))), Vec::new());
            tx.note_with(change("a", Some(json!({"n": 2})), Some(json!({"n": 3}))), Vec::new());
            tx.note_with(change("c", Some(json!({"n": 1})), Some(json!({"n": 1}))), Vec::new());
            tx.note_with(change("d", None, Some(json!({"n": 1}))), Vec::new());
            tx.note_with(change("d", Some(json!({"n": 1})), None), Vec::new());
            Ok(())
        })
        .unwrap();
    assert_eq!(fixture.claim("me", NOW.millis()), ["UPDATE a", "CREATE b"]);
    let log = fixture.log();
    assert_eq!(log.len(), 2);
    // Rows of one write have no order among themselves.
    let row = log.iter().find(|row| row.entity_id == "a").unwrap();
    assert_eq!(row.changes().unwrap(), json!({"n": {"before": 1, "after": 3}}).to_string());
    assert_eq!((row.user_id.as_str(), row.request_id.as_str()), ("USR0000000001", "r-1"));
}

#[test]
fn rows_from_before_they_were_packed_stay_what_they_were() {
    let fixture = fixture();
    let again = "DELETE FROM __diesel_schema_migrations WHERE version = 'outbox0004'";
    fixture.batch(&format!("{}; {again}", include_str!("../../migrations/sqlite/outbox0004_audit_rows/down.sql")));
    let at = NOW.millis();
    for (id, at, changes) in [("AUD-c", at - 1, r#"{"n":{"after":0}}"#), ("AUD-a", at, "{}"), ("AUD-b", at, "{}")] {
        fixture.batch(&format!(
            "INSERT INTO audit_log (tenant_id, id, at_ms, user_id, key_id, action, entity, entity_id, changes, \
             request_id) VALUES ('client_1', '{id}', {at}, 'u', 'k', 'CREATE', 'Resource', 'X', '{changes}', 'r')"
        ));
    }
    assert_eq!(fixture.db.migrate(&[crate::migrations()]).unwrap(), ["outbox0004"]);
    fixture.changed(change("x", None, Some(json!({"n": 1}))));
    let log = fixture.log();
    let told: Vec<_> = log.iter().map(|row| (row.id(), row.entity_id.as_str(), row.changes().unwrap())).collect();
    assert_eq!(told[0], ("AUD-c".to_owned(), "X", r#"{"n":{"after":0}}"#.to_owned()));
    assert_eq!(told[1], ("AUD-a".to_owned(), "X", "{}".to_owned()));
    assert_eq!(told[2].0, "AUD-b");
    assert_eq!((told.len(), told[3].1, told[3].2.as_str()), (4, "x", r#"{"n":{"after":1}}"#));
}

#[test]
fn what_subscribers_are_not_told_is_logged() {
    let fixture = fixture();
    fixture
        .tx(|tx| {
            let same = || change("a", Some(json!({"n": 1})), Some(json!({"n": 1})));
            let cpus = |from: Value, to: Value| Unpublished::field("cpus", Some(&from), Some(&to)).unwrap();
            tx.note_with(same(), vec![Unpublished::secret("password", true, true), cpus(json!([1]), json!([2]))]);
            tx.note_with(same(), vec![cpus(json!([2]), json!([3]))]);
            let back = |from: Value, to: Value| vec![cpus(from, to)];
            tx.note_with(change("b", Some(json!({})), Some(json!({}))), back(json!([1]), json!([2])));
            tx.note_with(change("b", Some(json!({})), Some(json!({}))), back(json!([2]), json!([1])));
            tx.note_with(change("c", None, Some(json!({}))), vec![Unpublished::secret("password", false, true)]);
            tx.note_with(change("c", Some(json!({})), None), vec![Unpublished::secret("password", true, false)]);
            Ok(())
        })
        .unwrap();
    assert!(fixture.claim("me", NOW.millis()).is_empty(), "nothing that subscribers are told of changed");
    let log = fixture.log();
    assert_eq!(log.len(), 1, "{log:?}");
    let expected = json!({
        "cpus": {"before": [1], "after": [3]}, "password": {"before": "[secret]", "after": "[secret]"}
    });
    assert_eq!((log[0].action.as_str(), log[0].changes().unwrap()), ("UPDATE", expected.to_string()));
}

#[test]
fn a_write_that_fails_leaves_nothing() {
    let fixture = fixture();
    let failed = fixture.tx(|tx| {
        tx.note_with(change("a", None, Some(json!({}))), Vec::new());
        Err::<(), _>(Problem::conflict("no").into())
    });
    assert!(failed.is_err());
    assert!(fixture.claim("me", NOW.millis()).is_empty());
    assert!(fixture.log().is_empty());
}
