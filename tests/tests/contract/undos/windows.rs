//! Maintenance windows are as they were; when they were open stays.

use muster_tests::{Client, Server, both_backends, unique};
use serde_json::{Value, json};

use super::{goes_back_and_forth, left, newest, refused, send, undo, undone};
use crate::contract::{device, text};

both_backends![
    a_window_is_as_it_was,
    a_window_that_was_deleted_is_there_again,
    what_was_said_of_occurrences_is_taken_back,
    a_machine_that_is_gone_keeps_a_window_as_it_is,
];

/// Every day since 2026 and for ever.
fn daily() -> Value {
    json!({"type": "Recurring", "startTime": "2026-01-01T00:00:00+0000", "endTime": "2026-01-01T23:59:59+0000",
        "timezone": "GMT", "pattern": {"type": "daily", "dayFrequency": "everyday"}, "endBy": "NEVER"})
}

fn rules(value: &str) -> Value {
    json!({"matchingType": "ANY", "rules": [{"key": "subject", "operator": "Contains", "value": value}]})
}

/// Creates a window on a new machine and a new group; gives its path.
fn create(client: &Client) -> String {
    let group = client.post("/deviceGroups", &json!({"name": unique("group")})).ok()["id"].clone();
    let body = json!({"name": "Patches", "description": "before", "schedule": daily(), "installPatch": true,
        "devices": [{"uniqueId": device(client, &unique("web"))}], "deviceGroups": [{"id": group}],
        "alertConditions": rules("disk")});
    format!("/scheduleMaintenances/{}", text(&client.post("/scheduleMaintenances", &body).ok()["uniqueId"]))
}

/// What people said of a window, as it is read.
#[track_caller]
fn told(client: &Client, path: &str) -> Vec<Value> {
    let now = client.get(path).ok();
    let fields =
        ["uniqueId", "name", "description", "schedule", "devices", "deviceGroups", "locations", "installPatch"];
    fields.iter().chain(&["alertConditions", "suspensions", "skipped"]).map(|field| now[field].clone()).collect()
}

fn a_window_is_as_it_was(server: &Server) {
    let client = server.new_client();
    let path = create(&client);
    let before = told(&client, &path);
    let site = client.post("/sites", &json!({"name": "Graz"})).ok()["id"].clone();
    let name = unique("change");
    let once = json!({"type": "One-Time", "startTime": "2030-01-01T00:00:00+0000",
        "endTime": "2030-01-02T00:00:00+0000", "timezone": "UTC"});
    let change = json!({"name": "Other", "description": "", "installPatch": false, "schedule": once, "devices": [],
        "locations": [{"id": site}], "alertConditions": {"rules": []}});
    send(&client, &name, &path, &change);
    let set = newest(&client, &name);
    goes_back_and_forth(&client, &set, (&path, &json!({"description": "since"})), &before, || told(&client, &path));
}

fn a_window_that_was_deleted_is_there_again(server: &Server) {
    let client = server.new_client();
    let path = create(&client);
    let created = newest(&client, "");
    client.post(&format!("{path}/skip"), &json!({"start": "2030-01-02T00:00:00+0000"})).ok();
    let before = told(&client, &path);
    let address = client.post_empty(&format!("{path}/calendars")).ok()["id"].clone();
    client.delete(&path).ok();
    let gone = newest(&client, "");
    let changes = client.get(&format!("/changeSets/{gone}")).ok()["changes"]["results"].clone();
    let is_of_address = |row: &Value| row["entityId"] == address && row["action"] == "DELETE";
    assert!(changes.as_array().into_iter().flatten().any(is_of_address), "{changes}");
    assert_eq!(left(&client, &gone), json!(["calendar addresses"]));
    let (_, again) = undone(&client, &gone);
    assert_eq!(told(&client, &path), before);
    undone(&client, &again);
    client.get(&path).not_found();
    undo(&client, &created).problem(409, "0004");
    let other = create(&client);
    undone(&client, &newest(&client, ""));
    client.get(&other).not_found();
}

fn what_was_said_of_occurrences_is_taken_back(server: &Server) {
    let client = server.new_client();
    let path = create(&client);
    let skipped = || client.get(&path).ok()["skipped"].clone();
    let state = || text(&client.get(&path).ok()["state"]);
    let start = json!({"start": "2030-01-02T00:00:00+0000"});
    client.post(&format!("{path}/skip"), &start).ok();
    let (_, first) = undone(&client, &newest(&client, ""));
    assert_eq!(skipped(), json!(null));
    undone(&client, &first);
    assert_eq!(skipped()[0]["start"], start["start"]);
    client.post(&format!("{path}/unskip"), &start).ok();
    undone(&client, &newest(&client, ""));
    assert_eq!(skipped()[0]["start"], start["start"]);

    client.post(&format!("{path}/suspend"), &json!({"pattern": "now"})).ok();
    let (_, first) = undone(&client, &newest(&client, ""));
    assert_eq!(state(), "Active");
    undone(&client, &first);
    assert_eq!(state(), "Suspended");
    client.post_empty(&format!("{path}/resume")).ok();
    undone(&client, &newest(&client, ""));
    assert_eq!(state(), "Suspended");
    client.post_empty(&format!("{path}/resume")).ok();

    client.post(&format!("{path}/end"), &json!({"pattern": "all"})).ok();
    assert_eq!(state(), "Completed");
    let (_, first) = undone(&client, &newest(&client, ""));
    assert_eq!(state(), "Active");
    undone(&client, &first);
    assert_eq!(state(), "Completed");
}

fn a_machine_that_is_gone_keeps_a_window_as_it_is(server: &Server) {
    let client = server.new_client();
    let path = create(&client);
    let machine = text(&client.get(&path).ok()["devices"][0]["uniqueId"]);
    client.post(&path, &json!({"devices": []})).ok();
    let set = newest(&client, "");
    client.post(&format!("/resources/{machine}/decommission"), &json!({"reason": "old"})).ok();
    let id = path.rsplit('/').next().expect("an id");
    let reason = refused(&client, &set, &format!("MaintenanceWindow {id}"));
    assert!(reason.contains("devices[0]"), "{reason}");
}
