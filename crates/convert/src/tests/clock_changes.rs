//! Nights on which clocks change, worked out by hand: by the roster that is written, and as comparisons read the
//! source.

use std::collections::BTreeSet;

use base::Timestamp;
use serde_json::{Value, json};

use super::{at, convert, export, meaning::Roster, of_kind, reading};
use crate::options::Product;

/// Asserts who is on call (or nobody: "") from each instant on until the next.
fn assert_changes(product: Product, answers: &[(&str, Value)], changes: &[(&str, &str)]) {
    let conversion = convert(product, answers);
    let roster = Roster::new(&of_kind(&conversion, "Roster")[0], &of_kind(&conversion, "RosterOverride"));
    let export = export(answers);
    let reading = reading(product, &export);
    let assert_is = |instant: Timestamp, name: &str| {
        let expected: BTreeSet<String> =
            [name].into_iter().filter(|name| !name.is_empty()).map(|name| format!("{name}@example.net")).collect();
        assert_eq!(roster.on_call(instant), expected, "by the roster at {instant}");
        assert_eq!(reading(instant), expected, "by the source at {instant}");
    };
    for pair in changes.windows(2) {
        assert_is(at(pair[0].0), pair[0].1);
        assert_is(Timestamp::from_millis(at(pair[1].0).millis() - 1_000), pair[0].1);
    }
    let (last, name) = changes[changes.len() - 1];
    assert_is(at(last), name);
}

#[test]
fn rotations_of_opsgenie_follow_the_clocks() {
    let users: Vec<Value> =
        ["ann", "bob"].map(|name| json!({"id": name, "username": format!("{name}@example.net")})).into();
    // Daily turns from Monday, 2026-01-05, 20:00 in Vienna, through the nights from 20:00 to 06:00.
    let nights = json!({"id": "r1", "name": "Nights", "startDate": "2026-01-05T19:00:00Z", "type": "daily", "length": 1,
        "participants": [{"type": "user", "id": "ann"}, {"type": "user", "id": "bob"}],
        "timeRestriction": {"type": "time-of-day",
            "restriction": {"startHour": 20, "startMin": 0, "endHour": 6, "endMin": 0}}});
    let answers = [
        ("users", json!({"data": users})),
        ("schedules", json!({"data": [{"id": "s1", "name": "S", "timezone": "Europe/Vienna", "rotations": [nights]}]})),
    ];
    assert_changes(
        Product::Opsgenie,
        &answers,
        &[
            // The night of Saturday, 2027-03-27, the 446th after the first, has nine hours.
            ("2027-03-26T19:00:00Z", "bob"),
            ("2027-03-27T05:00:00Z", ""),
            ("2027-03-27T19:00:00Z", "ann"),
            ("2027-03-28T04:00:00Z", ""),
            ("2027-03-28T18:00:00Z", "bob"),
            ("2027-03-29T04:00:00Z", ""),
            // That of Saturday, 2027-10-30, the 663rd, has eleven.
            ("2027-10-29T18:00:00Z", "ann"),
            ("2027-10-30T04:00:00Z", ""),
            ("2027-10-30T18:00:00Z", "bob"),
            ("2027-10-31T05:00:00Z", ""),
            ("2027-10-31T19:00:00Z", "ann"),
        ],
    );
}

#[test]
fn layers_of_pagerduty_follow_the_clocks() {
    let users: Vec<Value> =
        ["ann", "bob", "cy"].map(|name| json!({"id": name, "email": format!("{name}@example.net")})).into();
    let layer = |name: &str, users: &[&str], restrictions: Value| {
        let users: Vec<Value> = users.iter().map(|id| json!({"user": {"id": id}})).collect();
        json!({"name": name, "start": "2026-01-05T08:00:00-05:00", "end": null,
            "rotation_virtual_start": "2026-01-05T08:00:00-05:00", "rotation_turn_length_seconds": 604_800,
            "users": users, "restrictions": restrictions})
    };
    // Weekends of cy, from Friday 18:00 for 62 hours of the clocks, above weekly turns of the others.
    let weekend = json!([{"type": "weekly_restriction", "start_day_of_week": 5, "start_time_of_day": "18:00:00",
        "duration_seconds": 223_200}]);
    let layers = [layer("Weekend", &["cy"], weekend), layer("Turns", &["ann", "bob"], json!([]))];
    let answers = [
        ("users", json!({"users": users})),
        (
            "schedules/S1",
            json!({"schedule": {"id": "S1", "name": "S", "time_zone": "America/New_York", "schedule_layers": layers}}),
        ),
    ];
    assert_changes(
        Product::Pagerduty,
        &answers,
        &[
            // Clocks go forward on Sunday, 2027-03-14; Monday, 2027-03-15, 08:00 begins the 62nd turn after the first.
            ("2027-03-08T13:00:00Z", "bob"),
            ("2027-03-12T23:00:00Z", "cy"),
            ("2027-03-15T12:00:00Z", "ann"),
            ("2027-03-19T22:00:00Z", "cy"),
            ("2027-03-22T12:00:00Z", "bob"),
            // They go back on Sunday, 2027-11-07.
            ("2027-11-05T22:00:00Z", "cy"),
            ("2027-11-08T13:00:00Z", "ann"),
        ],
    );
}
