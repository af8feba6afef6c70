//! The audit log of a database that an older version wrote.

use muster_tests::{Backend, Server, both_backends};
use serde_json::{Value, json};

both_backends![a_log_from_before_rows_were_packed_stays_as_it_was];

/// What makes the table that the log had before, and has the next start make the present one.
fn former(backend: Backend) -> String {
    let down = match backend {
        Backend::Sqlite => include_str!("../../../crates/outbox/migrations/sqlite/outbox0004_audit_rows/down.sql"),
        Backend::Postgres => include_str!("../../../crates/outbox/migrations/postgres/outbox0004_audit_rows/down.sql"),
    };
    format!("{down}; DELETE FROM __diesel_schema_migrations WHERE version = 'outbox0004'; DELETE FROM audit_log")
}

fn a_log_from_before_rows_were_packed_stays_as_it_was(backend: Backend) {
    const AT: i64 = 1_795_000_000_000;
    let mut server = Server::start(backend);
    server.stop();
    server.sql(&former(backend));
    // In the order of their times, and of their ids where those are the same.
    let rows = [(1, "e"), (2, "a"), (2, "b"), (2, "d"), (3, "c")];
    for (later, name) in rows.iter().rev() {
        let changes = json!({"name": {"after": name}});
        let at = AT + later * 1_000;
        server.sql(&format!(
            "INSERT INTO audit_log (tenant_id, id, at_ms, user_id, key_id, action, entity, entity_id, changes, \
             request_id) VALUES ('client_1', 'AUD-{name}', {at}, 'u', 'k', 'CREATE', 'Site', 'X', '{changes}', 'r')"
        ));
    }
    server.restart();
    let client = server.admin().tenant("client_1");
    let made = client.post("/sites", &json!({"name": "Graz"})).ok()["id"].to_string();
    let pages = |query: &str| -> Vec<Value> {
        let mut all = Vec::new();
        let mut path = format!("/auditLog/search?isDescendingOrder=false&pageSize=2{query}");
        loop {
            let page = client.get(&path).page();
            all.extend(page["results"].as_array().cloned().unwrap_or_default());
            let Some(cursor) = page["nextCursor"].as_str() else { return all };
            path = format!("/auditLog/search?isDescendingOrder=false&pageSize=2{query}&cursor={cursor}");
        }
    };
    let all = pages("");
    let told: Vec<_> = all.iter().take(5).map(|row| (row["id"].clone(), row["changes"].clone())).collect();
    let expected = rows.map(|(_, name)| (json!(format!("AUD-{name}")), json!({"name": {"after": name}})));
    assert_eq!(told, expected);
    assert_eq!((all.len(), &all[5]["entityId"]), (6, &json!(made)));
    assert_eq!(all[5]["changes"]["name"], json!({"after": "Graz"}));
    let id = all[5]["id"].as_str().unwrap_or_default();
    assert!(id.len() == 40 && id.starts_with("AUD-") && id.chars().nth(18) == Some('7'), "{id}");
    // By the index of entities, in any letter case.
    assert_eq!(pages("&queryString=entityId:x").len(), 5);
}
