//! The audit log answers every change: also those of what is not shown, such as secrets.

use muster_tests::{Client, Server, both_backends, unique, uuid};
use serde_json::{Value, json};

both_backends![
    a_rotated_key_is_in_the_log,
];

/// What the log has of an entity, oldest first: what was done, and the fields that changed.
#[track_caller]
fn log(client: &Client, id: &str) -> Vec<(String, Value)> {
    let page = client.get(&format!("/auditLog/search?isDescendingOrder=false&queryString=entityId:{id}")).page();
    let rows = page["results"].as_array().expect("rows").iter();
    rows.map(|row| (super::text(&row["action"]), row["changes"].clone())).collect()
}

fn changed() -> Value {
    json!({"before": "[secret]", "after": "[secret]"})
}

fn a_rotated_key_is_in_the_log(server: &Server) {
    let client = server.new_client();
    let key = client.post("/apiKeys", &json!({"name": unique("key"), "role": "viewer"})).ok();
    let id = super::text(&key["id"]);
    // At once, and a second time: what is shown of the key may be the same before and after.
    let rotations = [json!({}), json!({}), json!({"revokePrevious": true}), json!({"revokePrevious": true})];
    for body in &rotations {
        client.post(&format!("/apiKeys/{id}/rotate"), body).ok();
    }
    let log = log(&client, &id);
    assert_eq!(log.len(), 1 + rotations.len(), "{log:?}");
    assert_eq!(log[0].1["secret"], json!({"after": "[secret]"}));
    for (action, changes) in &log[1..] {
        assert_eq!((action.as_str(), &changes["secret"]), ("UPDATE", &changed()), "{changes}");
    }
}
