//! Maintenance windows: when they are open, what they cover, which alerts they catch.

mod across;
mod calendars;
mod covering;
mod crud;
mod life;
mod schedules;

use muster_tests::{Client, unique};
use serde_json::{Value, json};

/// A new resource of a tenant; gives its id and its host name.
#[track_caller]
fn resource(client: &Client) -> (String, String) {
    let name = unique("host");
    let made = client.post("/resources", &json!({"hostName": name, "resourceType": "Linux"})).ok();
    (text(&made["resourceUUID"]), name)
}

/// A new device group with these members; gives its number and its name.
#[track_caller]
fn group(client: &Client, members: &[&str]) -> (i64, String) {
    let name = unique("group");
    let id = client.post("/deviceGroups", &json!({"name": name})).ok()["id"].as_i64().expect("a number");
    join(client, id, members);
    (id, name)
}

/// Adds resources to a device group.
#[track_caller]
fn join(client: &Client, group: i64, members: &[&str]) {
    if !members.is_empty() {
        let members: Vec<Value> = members.iter().map(|id| json!({"id": id})).collect();
        client.post(&format!("/deviceGroups/{group}/childs"), &json!(members)).ok();
    }
}

/// Every day of the year, all day but its last second, since 2026 and for ever.
fn always() -> Value {
    json!({"type": "Recurring", "startTime": "2026-01-01T00:00:00+0000", "endTime": "2026-01-01T23:59:59+0000",
        "timezone": "GMT", "pattern": {"type": "daily", "dayFrequency": "everyday"}, "endBy": "NEVER"})
}

/// An instant at which [`always`] is open.
const NOON: &str = "2031-05-05T12:00:00Z";

/// A window on one resource.
fn window(resource: &str, schedule: Value) -> Value {
    json!({"name": unique("window"), "devices": [{"uniqueId": resource}], "schedule": schedule})
}

/// Creates a window; gives its path.
#[track_caller]
fn create(client: &Client, body: &Value) -> String {
    let made = client.post("/scheduleMaintenances", body).ok();
    assert_eq!(made.as_object().map(serde_json::Map::len), Some(1), "{made}");
    format!("/scheduleMaintenances/{}", text(&made["uniqueId"]))
}

#[track_caller]
fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

/// Start and end of each element, without the century, the seconds and the offset.
fn times(list: &Value) -> Vec<String> {
    let short = |value: &Value| value.as_str().unwrap_or("?").get(5..16).unwrap_or("?").to_owned();
    let all = list["results"].as_array().into_iter().flatten();
    all.map(|one| format!("{}/{}", short(&one["start"]), short(&one["end"]))).collect()
}
