//! Turns that are counted in shifts, and turns that people keep when a rotation changes.

use std::collections::BTreeMap;

use muster_tests::{Client, Server, both_backends};
use serde_json::{Value, json};

use super::{
    create, daily,
    history::next_second,
    path,
    rotations::{line, on_call, rotation, turns},
    text, user,
};

both_backends![
    weekends_use_up_no_turns,
    occurrences_are_exact_over_overrides_and_far_from_the_start,
    the_current_turn_is_kept,
    one_who_leaves_keeps_the_turn_through_later_updates,
    the_past_stays_when_a_turn_is_kept,
];

pub(super) fn weekdays(start: &str, end: &str) -> Value {
    let mut schedule = daily(start, end);
    schedule["pattern"] = json!({"type": "weekly", "repeatFrequency": 1,
        "weekDays": "Monday,Tuesday,Wednesday,Thursday,Friday"});
    schedule
}

pub(super) fn people(client: &Client, count: usize) -> Vec<String> {
    (0..count).map(|number| user(client, &format!("P{number}"))).collect()
}

/// A rotation of one person in each place.
pub(super) fn alone(people: &[&String], length: Value, start: &str) -> Value {
    let people: Vec<&str> = people.iter().map(|id| id.as_str()).collect();
    let places: Vec<&[&str]> = people.iter().map(std::slice::from_ref).collect();
    rotation(&places, length, start)
}

/// The users of the entries of a timeline, one after the other.
pub(super) fn users(timeline: &Value) -> Vec<String> {
    let of = |entry: &Value| -> Vec<String> {
        entry["users"].as_array().into_iter().flatten().map(|user| text(&user["id"])).collect()
    };
    timeline["entries"].as_array().into_iter().flatten().flat_map(of).collect()
}

fn weekends_use_up_no_turns(server: &Server) {
    let client = server.new_client();
    let people = people(&client, 14);
    let all: Vec<&String> = people.iter().collect();
    let each = alone(&all, json!({"occurrences": 1}), "2026-12-01T00:00:00");
    let made = create(&client, "Europe/Vienna", &[turns("Desk", weekdays("09:00:00", "17:00:00"), each)]);
    assert_eq!(made["shiftDetails"][0]["rotation"]["length"], json!({"occurrences": 1}));
    let year = format!("{}/timeline?from=2027-01-01T00:00:00Z&to=2028-01-01T00:00:00Z", path(&made));
    let taken = users(&client.get(&year).ok());
    assert_eq!(taken.len(), 261, "the weekdays of 2027");
    let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
    taken.iter().for_each(|id| *counts.entry(id).or_default() += 1);
    let (fewest, most) = (counts.values().min().unwrap(), counts.values().max().unwrap());
    assert!(counts.len() == 14 && most - fewest <= 1, "{counts:?}");
    assert!(taken.windows(14).all(|fortnight| fortnight.iter().collect::<std::collections::BTreeSet<_>>().len() == 14));
    // By days four of them never have a turn, as 14 days are two weeks.
    let id = &made["shiftDetails"][0]["id"];
    let by_days = alone(&all, json!({"days": 1}), "2026-12-01T00:00:00");
    let change = json!({"shiftDetails": [{"id": id, "rotation": by_days}]});
    let range = "?from=2027-01-01T00:00:00Z&to=2028-01-01T00:00:00Z";
    let preview = client.post(&format!("{}/preview{range}", path(&made)), &change).ok();
    let distinct = |side: &str| users(&preview[side]).into_iter().collect::<std::collections::BTreeSet<_>>().len();
    assert_eq!((distinct("before"), distinct("after")), (14, 10));
}

fn occurrences_are_exact_over_overrides_and_far_from_the_start(server: &Server) {
    let client = server.new_client();
    let people = people(&client, 3);
    let [ann, bob, eve] = people.as_slice() else { panic!("three people") };
    let two = alone(&[ann, bob], json!({"occurrences": 2}), "2026-11-23T00:00:00");
    let mut night = turns("Night", weekdays("22:00:00", "06:00:00"), two);
    night["schedule"]["endPattern"] = json!({"type": "DATE", "endDate": "2400-01-01T00:00:00Z"});
    let made = create(&client, "Europe/Paris", &[night]);
    // The clocks go forward in the night to 28 March 2027, a Sunday.
    let expected = [
        "03-24T21:00/03-25T05:00 P1",
        "03-25T21:00/03-26T05:00 P0",
        "03-26T21:00/03-27T05:00 P0",
        "03-29T20:00/03-30T04:00 P1",
        "03-30T20:00/03-31T04:00 P1",
    ];
    assert_eq!(line(&client, &made, "2027-03-24T12:00:00Z", "2027-03-31T12:00:00Z"), expected);
    let over = json!({"user": {"id": eve}, "start": "2027-03-25T12:00:00Z", "end": "2027-03-26T12:00:00Z"});
    client.post(&format!("{}/overrides", path(&made)), &over).ok();
    let covered = line(&client, &made, "2027-03-26T12:00:00Z", "2027-03-31T12:00:00Z");
    assert_eq!(covered, expected[2..], "an override uses up the turn that it covers");
    // Before this Monday there were 97,080 nights.
    let asked = on_call(&client, &made, "2399-01-04T23:00:00Z");
    let far = &asked["onCall"][0];
    assert_eq!((&far["user"]["id"], &far["since"]), (&json!(ann), &json!("2399-01-04T21:00:00+0000")));
    assert_eq!(asked["next"].as_array().map(Vec::len), Some(1));
    let after = on_call(&client, &made, "2400-06-01T23:00:00Z");
    assert_eq!((&after["onCall"], &after["next"]), (&json!([]), &json!([])));
}

/// Around the clock, three people with a day each from midnight; one of them has the turn now.
fn around_the_clock(client: &Client, people: &[String], length: Value) -> Value {
    let all: Vec<&String> = people.iter().collect();
    create(client, "GMT", &[turns("Line", daily("00:00:00", "00:00:00"), alone(&all, length, "2026-01-05T00:00:00"))])
}

/// Who is on call now, until when, and who is next.
fn now(client: &Client, made: &Value) -> (String, String, String) {
    let asked = client.get(&format!("{}/onCall", path(made))).ok();
    let on_call = &asked["onCall"][0];
    (text(&on_call["user"]["id"]), text(&on_call["until"]), text(&asked["next"][0]["user"]["id"]))
}

fn the_current_turn_is_kept(server: &Server) {
    let client = server.new_client();
    let people = people(&client, 5);
    for (length, other) in [
        (json!({"weeks": 1}), json!({"weeks": 1})),
        (json!({"days": 3}), json!({"days": 2})),
        (json!({"hours": 30}), json!({"hours": 30})),
        (json!({"occurrences": 2}), json!({"occurrences": 2})),
        (json!({"weeks": 1}), json!({"occurrences": 1})),
    ] {
        let made = around_the_clock(&client, &people, length);
        let (current, until, _) = now(&client, &made);
        // Backwards, so that another one follows.
        let order: Vec<&String> = people.iter().rev().collect();
        let place = order.iter().position(|id| **id == current).unwrap();
        let next = order[(place + 1) % 5];
        let id = &made["shiftDetails"][0]["id"];
        let turn = alone(&order, other.clone(), "2026-01-05T00:00:00");
        let mut change = json!({"shiftDetails": [{"id": id, "rotation": turn}], "keepCurrent": true});
        let year: u16 = until[..4].parse().unwrap();
        let from = until.replace("+0000", "Z");
        let range = format!("?from={from}&to={}-{}-01T00:00:00Z", year + 1, &until[5..7]);
        let preview = client.post(&format!("{}/preview{range}", path(&made)), &change).ok();
        next_second(&client);
        let updated = client.post(&path(&made), &change).ok();
        assert_eq!(now(&client, &made), (current.clone(), until.clone(), next.clone()), "{other}");
        let shown = client.get(&path(&made)).ok()["shiftDetails"].clone();
        assert_eq!(shown, updated["shiftDetails"]);
        let timeline = client.get(&format!("{}/timeline{range}", path(&made))).ok();
        assert_eq!(timeline["entries"], preview["after"]["entries"], "{other}");
        let expected: Vec<String> = (1..=10).map(|turn| order[(place + turn) % 5].clone()).collect();
        assert_eq!(users(&timeline)[..10], expected, "{other}");
        // The same once more changes nothing.
        change["shiftDetails"][0].as_object_mut().unwrap().remove("rotation");
        let again = client.post(&path(&made), &change).ok();
        assert_eq!(again["shiftDetails"], shown);
    }
    let made = around_the_clock(&client, &people, json!({"days": 1}));
    client.post(&path(&made), &json!({"keepCurrent": true, "description": "x"})).invalid(&["keepCurrent"]);
    client.post(&path(&made), &json!({"keepCurrent": false, "description": "x"})).ok();
}

fn one_who_leaves_keeps_the_turn_through_later_updates(server: &Server) {
    let client = server.new_client();
    let people = people(&client, 4);
    let made = around_the_clock(&client, &people, json!({"days": 5}));
    let (current, until, _) = now(&client, &made);
    let order: Vec<&String> = people.iter().filter(|id| **id != current).collect();
    let id = &made["shiftDetails"][0]["id"];
    let turn = alone(&order, json!({"days": 5}), "2026-01-05T00:00:00");
    next_second(&client);
    let change = json!({"shiftDetails": [{"id": id, "rotation": turn}], "keepCurrent": true});
    let updated = client.post(&path(&made), &change).ok();
    let rotation = &updated["shiftDetails"][0]["rotation"];
    assert_eq!((&rotation["kept"]["users"][0]["id"], &rotation["kept"]["until"]), (&json!(current), &json!(until)));
    assert_eq!(rotation["order"].as_array().map(Vec::len), Some(3));
    let expected = (current, until.clone(), order[0].clone());
    assert_eq!(now(&client, &made), expected);
    // Neither another change of the shift nor the rotation as it is shown takes the turn away.
    client.post(&path(&made), &json!({"shiftDetails": [{"id": id, "name": "Other", "rotation": rotation}]})).ok();
    client.post(&path(&made), &json!({"shiftDetails": [{"id": id, "level": "primary"}], "offHours": []})).ok();
    assert_eq!(now(&client, &made), expected);
    let later = client.get(&format!("{}?at={}", path(&made), until.replace("+0000", "Z"))).ok();
    assert_eq!(later["shiftDetails"][0]["rotation"].get("kept"), None, "the turn is over");
}

fn the_past_stays_when_a_turn_is_kept(server: &Server) {
    let client = server.new_client();
    let people = people(&client, 3);
    let mut rosters = Vec::new();
    for length in [json!({"weeks": 1}), json!({"days": 2}), json!({"hours": 7}), json!({"occurrences": 3})] {
        rosters.push(around_the_clock(&client, &people, length));
    }
    let past = |made: &Value| -> Vec<Value> {
        let answers = (0..40).map(|step| {
            let at = format!("2026-{:02}-{:02}T{:02}:00:00Z", 2 + step % 8, 1 + step % 27, step % 24);
            let mut found = on_call(&client, made, &at)["onCall"].take();
            for one in found.as_array_mut().into_iter().flatten() {
                // When it ends may be later than the change.
                one.as_object_mut().unwrap().remove("until");
            }
            found
        });
        answers.collect()
    };
    let before: Vec<Vec<Value>> = rosters.iter().map(past).collect();
    next_second(&client);
    for made in &rosters {
        let order: Vec<&String> = people.iter().take(2).rev().collect();
        let turn = alone(&order, json!({"occurrences": 1}), "2026-01-05T00:00:00");
        let id = &made["shiftDetails"][0]["id"];
        let change = json!({"shiftDetails": [{"id": id, "rotation": turn}], "keepCurrent": true});
        client.post(&path(made), &change).ok();
    }
    assert_eq!(rosters.iter().map(past).collect::<Vec<_>>(), before);
}
