//! Rosters and overrides are as they were, from now on.

use muster_tests::{Client, Server, both_backends, unique};
use serde_json::{Value, json};

use super::{goes_back_and_forth, left, newest, refused, send, undo, undone};
use crate::contract::{keys::instant, text};

both_backends![
    a_roster_is_as_it_was_from_now_on,
    a_roster_that_was_deleted_is_there_again,
    what_ends_with_a_roster_is_recorded_and_overrides_come_back,
    a_change_that_is_planned_is_taken_back,
    a_turn_stays_kept_until_its_change_is_undone,
    overrides_come_and_go,
    an_override_comes_back_as_it_was_whatever_became_of_its_shift,
];

fn user(client: &Client, name: &str) -> String {
    text(&client.post("/users", &json!({"loginName": unique(name), "lastName": name})).ok()["id"])
}

fn shift(name: &str, user: &str) -> Value {
    json!({"name": name, "users": [{"id": user}], "userGroups": [], "schedule": {"type": "recurring",
        "startDate": "2026-01-01T00:00:00+0000", "startTime": "00:00:00", "endTime": "00:00:00",
        "pattern": {"type": "daily", "repeatFrequency": 1}, "endPattern": {"type": "NEVER"}}})
}

fn create(client: &Client, shifts: &[Value]) -> Value {
    let body = json!({"name": unique("roster"), "description": "before", "timeZone": {"name": "Europe/Paris"},
        "shiftDetails": shifts, "offHours": []});
    client.post("/rosters", &body).ok()
}

fn path(roster: &Value) -> String {
    format!("/rosters/{}", text(&roster["id"]))
}

/// What people said of a roster, as it is read.
#[track_caller]
fn told(client: &Client, roster: &Value) -> [Value; 5] {
    let now = client.get(&path(roster)).ok();
    ["name", "description", "timeZone", "shiftDetails", "offHours"].map(|field| now[field].clone())
}

/// The last names of those who are on call at an instant.
#[track_caller]
fn on_call(client: &Client, roster: &Value, at: &str) -> Vec<String> {
    let found = client.get(&format!("{}/onCall?at={at}", path(roster))).ok();
    let people = found["onCall"].as_array().cloned().unwrap_or_default();
    people.iter().map(|one| text(&one["user"]["lastName"])).collect()
}

fn a_roster_is_as_it_was_from_now_on(server: &Server) {
    let client = server.new_client();
    let (ann, bob) = (user(&client, "Ann"), user(&client, "Bob"));
    let mut turns = shift("Turns", &ann);
    turns["rotation"] = json!({"order": [{"users": [{"id": ann}]}, {"users": [{"id": bob}]}], "length": {"days": 1},
        "start": "2026-01-01T00:00:00"});
    // So many shifts that the audit log has no more than their length.
    let many: Vec<Value> = (0..8).map(|number| shift(&format!("Shift {number}"), &ann)).collect();
    let made = create(&client, &[&[shift("Day", &ann), turns], many.as_slice()].concat());
    let before = told(&client, &made);
    let name = unique("change");
    let change = json!({"name": unique("other"), "description": "", "timeZone": {"name": "UTC"},
        "offHours": [{"schedule": shift("x", &ann)["schedule"]}],
        "shiftDetails": [{"id": made["shiftDetails"][0]["id"], "users": [{"id": bob}], "level": "secondary"},
            shift("New", &bob)]});
    send(&client, &name, &path(&made), &change);
    let set = newest(&client, &name);
    let again = json!({"description": "since"});
    goes_back_and_forth(&client, &set, (&path(&made), &again), &before, || told(&client, &made));
}

fn a_roster_that_was_deleted_is_there_again(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let made = create(&client, &[shift("Day", &ann)]);
    let created = newest(&client, "");
    let before = told(&client, &made);
    let (_, removed) = undone(&client, &created);
    client.get(&path(&made)).not_found();
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    let left = left(&client, &removed);
    assert_eq!(left, json!(["calendar addresses"]));
    let (_, again) = undone(&client, &removed);
    assert_eq!(told(&client, &made), before);
    assert_eq!(on_call(&client, &made, "2030-01-01T12:00:00Z"), ["Ann"]);
    // As long as it was gone nobody was on call, before that somebody was.
    let line = client.get(&format!("{}/timeline?from=2026-11-01T00:00:00Z&to=2027-11-01T00:00:00Z", path(&made))).ok();
    let (first, second) = (&line["entries"][0], &line["entries"][1]);
    assert!(text(&first["end"]) < text(&second["start"]), "{line}");
    assert_eq!(on_call(&client, &made, "2026-02-01T12:00:00Z"), ["Ann"]);
    // Its name is taken while it is gone.
    undone(&client, &again);
    let body = json!({"name": before[0], "description": "", "timeZone": {"name": "UTC"},
        "shiftDetails": [shift("Day", &ann)]});
    let gone = newest(&client, "");
    client.post("/rosters", &body).ok();
    let reason = refused(&client, &gone, &format!("Roster {}", text(&made["id"])));
    assert!(reason.contains("named"), "{reason}");
}

fn what_ends_with_a_roster_is_recorded_and_overrides_come_back(server: &Server) {
    let client = server.new_client();
    let (ann, bob) = (user(&client, "Ann"), user(&client, "Bob"));
    let made = create(&client, &[shift("Day", &ann)]);
    let at = format!("{}/overrides", path(&made));
    let take_over = |start: &str, end: &str| {
        let body = json!({"user": {"id": bob}, "start": start, "end": end});
        client.post(&at, &body).ok()
    };
    // One has begun, and one is to come.
    let now = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs();
    take_over(&instant(now - 86_400), &instant(now + 86_400));
    let later = take_over("2030-05-01T10:00:00Z", "2030-05-03T10:00:00Z");
    client.post_empty(&format!("{}/calendars", path(&made))).ok();
    client.delete(&path(&made)).ok();
    let set = newest(&client, "");
    let changes = client.get(&format!("/changeSets/{set}")).ok()["changes"].clone();
    let rows = changes["results"].as_array().into_iter().flatten();
    let mut ended: Vec<String> = rows.map(|row| format!("{} {}", text(&row["entity"]), text(&row["action"]))).collect();
    ended.sort();
    assert_eq!(ended, ["Roster DELETE", "RosterCalendar DELETE", "RosterOverride DELETE", "RosterOverride UPDATE"]);
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    undone(&client, &set);
    let there = client.get(&format!("{at}?from=2030-01-01T00:00:00Z&to=2031-01-01T00:00:00Z")).ok();
    assert_eq!(there["results"][0]["id"], later["id"], "{there}");
    assert_eq!(on_call(&client, &made, "2030-05-02T12:00:00Z"), ["Bob"]);
}

fn a_change_that_is_planned_is_taken_back(server: &Server) {
    let client = server.new_client();
    let (ann, bob, eve) = (user(&client, "Ann"), user(&client, "Bob"), user(&client, "Eve"));
    let made = create(&client, &[shift("Day", &ann)]);
    let plan = |who: &str, from: &str| {
        let id = &made["shiftDetails"][0]["id"];
        let change = json!({"effectiveFrom": from, "shiftDetails": [{"id": id, "users": [{"id": who}]}]});
        client.post(&path(&made), &change).ok();
    };
    let then = || ["2030-02-01T12:00:00Z", "2031-02-01T12:00:00Z"].map(|at| on_call(&client, &made, at).concat());
    plan(&bob, "2030-01-01T00:00:00Z");
    plan(&eve, "2031-01-01T00:00:00Z");
    assert_eq!(then(), ["Bob", "Eve"]);
    let (_, first) = undone(&client, &newest(&client, ""));
    assert_eq!(then(), ["Bob", "Bob"]);
    undone(&client, &first);
    assert_eq!(then(), ["Bob", "Eve"]);
}

fn a_turn_stays_kept_until_its_change_is_undone(server: &Server) {
    let client = server.new_client();
    let people: Vec<Value> = ["Ann", "Bob", "Eve"].iter().map(|name| json!({"id": user(&client, name)})).collect();
    let rotation = |people: &[&Value]| {
        let order: Vec<Value> = people.iter().map(|one| json!({"users": [one]})).collect();
        json!({"order": order, "length": {"days": 2}, "start": "2026-01-01T00:00:00"})
    };
    let mut turns = shift("Turns", "");
    turns["users"] = json!([]);
    turns["rotation"] = rotation(&people.iter().collect::<Vec<_>>());
    let made = create(&client, &[turns]);
    let before = told(&client, &made);
    let now = || client.get(&format!("{}/onCall", path(&made))).ok()["onCall"][0]["user"]["id"].clone();
    let current = now();
    let others: Vec<&Value> = people.iter().filter(|one| one["id"] != current).collect();
    let id = &made["shiftDetails"][0]["id"];
    let keep = || {
        let name = unique("kept");
        let change = json!({"keepCurrent": true, "shiftDetails": [{"id": id, "rotation": rotation(&others)}]});
        send(&client, &name, &path(&made), &change);
        name
    };
    undone(&client, &newest(&client, &keep()));
    assert_eq!((now(), told(&client, &made)), (current.clone(), before));
    keep();
    let kept = told(&client, &made);
    assert_eq!((now(), &kept[3][0]["rotation"]["kept"]["users"][0]["id"]), (current.clone(), &current));
    let later = unique("later");
    send(&client, &later, &path(&made), &json!({"shiftDetails": [{"id": id, "name": "Other"}]}));
    undone(&client, &newest(&client, &later));
    assert_eq!(told(&client, &made), kept, "the undoing of another change keeps it, too");
}

fn overrides_come_and_go(server: &Server) {
    let client = server.new_client();
    let (ann, bob, eve) = (user(&client, "Ann"), user(&client, "Bob"), user(&client, "Eve"));
    let made = create(&client, &[shift("Day", &ann)]);
    let over = |name: &str, who: &str, start: &str| {
        let body = json!({"user": {"id": who}, "start": start, "end": "2030-05-03T10:00:00Z", "note": "Holiday",
            "shift": made["shiftDetails"][0]["id"]});
        send(&client, name, &format!("{}/overrides", path(&made)), &body)
    };
    let at = "2030-05-02T12:00:00Z";
    let one = over(&unique("first"), &bob, "2030-05-01T10:00:00Z");
    let name = unique("second");
    over(&name, &eve, "2030-05-02T10:00:00Z");
    let both = client.get(&format!("{}/overrides", path(&made))).page()["results"].clone();
    let (_, gone) = undone(&client, &newest(&client, &name));
    assert_eq!(on_call(&client, &made, at), ["Bob"]);
    // The one that was made first is there again behind the other.
    client.delete(&format!("{}/overrides/{}", path(&made), text(&one["id"]))).ok();
    let removed = newest(&client, "");
    undone(&client, &gone);
    assert_eq!(on_call(&client, &made, at), ["Eve"]);
    undone(&client, &removed);
    assert_eq!(on_call(&client, &made, at), ["Eve"]);
    let again = client.get(&format!("{}/overrides", path(&made))).page()["results"].clone();
    for (before, after) in both.as_array().expect("overrides").iter().zip(again.as_array().expect("overrides")) {
        for field in ["id", "user", "start", "end", "note", "shift"] {
            assert_eq!(before[field], after[field], "{field}: {again}");
        }
    }
    // Both halves of a swap go and come back.
    let half = |who: &str, day: u8| {
        json!({"user": {"id": who}, "start": format!("2030-06-0{day}T00:00:00Z"),
            "end": format!("2030-06-0{}T00:00:00Z", day + 1)})
    };
    let count = || client.get(&format!("{}/overrides", path(&made))).page()["totalResults"].clone();
    client.post(&format!("{}/swaps", path(&made)), &json!({"first": half(&ann, 1), "second": half(&bob, 5)})).ok();
    let (objects, first) = undone(&client, &newest(&client, ""));
    assert_eq!((objects, count()), (2, json!(2)));
    undone(&client, &first);
    assert_eq!(count(), json!(4));
    // One that is under way ends now, and stays so.
    let name = unique("running");
    let body = json!({"user": {"id": eve}, "start": "2026-11-01T00:00:00Z", "end": "2027-10-01T00:00:00Z"});
    send(&client, &name, &format!("{}/overrides", path(&made)), &body);
    let (_, ended) = undone(&client, &newest(&client, &name));
    assert_eq!(left(&client, &ended), json!(["end"]));
    undo(&client, &ended).problem(409, "0004");
}

fn an_override_comes_back_as_it_was_whatever_became_of_its_shift(server: &Server) {
    let client = server.new_client();
    let (ann, bob) = (user(&client, "Ann"), user(&client, "Bob"));
    let timed = |from: &str, to: &str| {
        let mut shift = shift("Day", &ann);
        (shift["schedule"]["startTime"], shift["schedule"]["endTime"]) = (json!(from), json!(to));
        shift
    };
    let made = create(&client, &[timed("08:00:00", "20:00:00")]);
    let id = &made["shiftDetails"][0]["id"];
    let at = format!("{}/overrides", path(&made));
    let body = json!({"user": {"id": bob}, "start": "2030-05-01T00:00:00Z", "end": "2030-05-03T00:00:00Z",
        "shift": id});
    let over = text(&client.post(&at, &body).ok()["id"]);
    let who = || ["2030-05-01T12:00:00Z", "2030-05-01T21:00:00Z"].map(|at| on_call(&client, &made, at).concat());
    let mut change = timed("20:00:00", "08:00:00");
    change["id"] = id.clone();
    client.post(&path(&made), &json!({"shiftDetails": [change]})).ok();
    assert_eq!(who(), ["Bob", "Ann"]);
    client.delete(&format!("{at}/{over}")).ok();
    assert_eq!(who(), ["", "Ann"]);
    undone(&client, &newest(&client, ""));
    assert_eq!(who(), ["Bob", "Ann"], "the override follows no edit");
    // The shift is gone, and the roster goes and comes back.
    client.post(&path(&made), &json!({"shiftDetails": [timed("20:00:00", "08:00:00")]})).ok();
    assert_eq!(who(), ["Bob", "Ann"]);
    client.delete(&path(&made)).ok();
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    undone(&client, &newest(&client, ""));
    assert_eq!(who(), ["Bob", "Ann"]);
}
