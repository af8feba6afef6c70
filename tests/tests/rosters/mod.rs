//! Rosters: who is on call, when, and through which shift.

mod across;
mod bad_input;
pub mod calendars;
mod conflicts;
mod covers;
mod crud;
mod history;
mod holidays;
mod hours;
mod on_call;
mod overrides;
mod partner;
mod previews;
mod rotations;
mod skipped;
mod time_off;
mod timeline;
mod turns;
mod when_away;

use muster_tests::{Client, unique};
use serde_json::{Value, json};

/// A new user of a tenant, with every way to reach them; gives the id.
#[track_caller]
fn user(client: &Client, name: &str) -> String {
    let body = json!({"loginName": unique(name), "firstName": name, "lastName": "Lee", "email": "a@example.net",
        "phoneNumber": "+1 555 0100", "mobileNumber": "+1 555 0200"});
    text(&client.post("/users", &body).ok()["id"])
}

/// A new user group with these members; gives the id.
#[track_caller]
fn group(client: &Client, members: &[&str]) -> String {
    let members: Vec<Value> = members.iter().map(|id| json!({"id": id})).collect();
    text(&client.post("/userGroups", &json!({"name": unique("group"), "users": members})).ok()["uniqueId"])
}

/// A daily schedule without end.
fn daily(start: &str, end: &str) -> Value {
    json!({"type": "recurring", "startDate": "2026-01-01T00:00:00+0000", "startTime": start, "endTime": end,
        "pattern": {"type": "daily", "repeatFrequency": 1}, "endPattern": {"type": "NEVER"}})
}

/// A shift of one user.
fn shift(name: &str, schedule: Value, user: &str) -> Value {
    json!({"name": name, "schedule": schedule, "users": [{"id": user}], "userGroups": []})
}

/// A roster to create.
fn roster(zone: &str, shifts: &[Value]) -> Value {
    json!({"name": unique("roster"), "description": "around the clock", "timeZone": {"name": zone},
        "shiftDetails": shifts})
}

/// Creates a roster; gives the answer.
#[track_caller]
fn create(client: &Client, zone: &str, shifts: &[Value]) -> Value {
    client.post("/rosters", &roster(zone, shifts)).ok()
}

/// The path of a roster.
#[track_caller]
fn path(roster: &Value) -> String {
    format!("/rosters/{}", text(&roster["id"]))
}

#[track_caller]
fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

/// Start and end of each element, without the date's century and the offset.
fn times(list: &Value) -> Vec<String> {
    let short = |value: &Value| value.as_str().unwrap_or("?").get(5..16).unwrap_or("?").to_owned();
    list.as_array()
        .into_iter()
        .flatten()
        .map(|one| format!("{}/{}", short(&one["start"]), short(&one["end"])))
        .collect()
}
