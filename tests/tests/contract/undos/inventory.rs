//! Groups, machines and sites are as they were.

use muster_tests::{Client, Server, both_backends, unique};
use serde_json::{Value, json};

use super::{newest, send, undo, undone};
use crate::contract::text;

both_backends![a_group_that_moved_since_is_named, a_group_that_was_moved_goes_back];

/// Creates a device group at the top; gives its unique id.
fn group(client: &Client, name: &str) -> String {
    text(&client.post("/deviceGroups", &json!({"name": name})).ok()["uniqueId"])
}

#[track_caller]
fn parent(client: &Client, group: &str) -> Value {
    client.get(&format!("/deviceGroups/{group}")).ok()["parent"]["uniqueId"].clone()
}

fn a_group_that_moved_since_is_named(server: &Server) {
    let client = server.new_client();
    let [one, other, moved] = ["One", "Other", "Moved"].map(|name| group(&client, name));
    let name = unique("move");
    send(&client, &name, &format!("/deviceGroups/{moved}"), &json!({"parent": {"uniqueId": one}}));
    client.post(&format!("/deviceGroups/{other}/childs"), &json!([{"id": moved}])).ok();
    let problem = undo(&client, &newest(&client, &name)).problem(409, "0004");
    assert_eq!(problem["errors"][0]["fieldName"], json!(format!("DeviceGroup {moved}")), "{problem}");
    assert_eq!(parent(&client, &moved), json!(other));
}

fn a_group_that_was_moved_goes_back(server: &Server) {
    let client = server.new_client();
    let [one, other, moved] = ["One", "Other", "Moved"].map(|name| group(&client, name));
    client.post(&format!("/deviceGroups/{one}/childs"), &json!([{"id": moved}])).ok();
    let name = unique("move");
    send(&client, &name, &format!("/deviceGroups/{other}/childs"), &json!([{"id": moved}]));
    let set = newest(&client, &name);
    let (objects, first) = undone(&client, &set);
    assert_eq!((objects, parent(&client, &moved)), (1, json!(one)));
    undone(&client, &first);
    assert_eq!(parent(&client, &moved), json!(other));
    client.request("DELETE", &format!("/deviceGroups/{other}/childs")).json(&json!([{"id": moved}])).send().ok();
    assert_eq!(parent(&client, &moved), Value::Null);
    undone(&client, &newest(&client, ""));
    assert_eq!(parent(&client, &moved), json!(other));
}
