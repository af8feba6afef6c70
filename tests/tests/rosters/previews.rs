//! Conflicts of rosters that are not saved, and of the timeline of one roster.

use muster_tests::{Client, Server, both_backends};
use serde_json::{Value, json};

use super::{create, daily, path, roster, shift, text, user};

both_backends![
    a_preview_has_the_conflicts_that_the_roster_then_has,
    a_preview_of_a_change_has_those_before_and_after,
    rosters_of_other_clients_count_where_they_may_be_read,
    wrong_limits_are_refused,
];

const RANGE: &str = "from=2036-05-01T00:00:00Z&to=2036-05-09T00:00:00Z";

/// The conflicts of all rosters that a roster has a part in.
#[track_caller]
fn listed(client: &Client, roster: &Value, query: &str) -> Vec<Value> {
    let id = &roster["id"];
    let is_of = |one: &Value| one["roster"]["id"] == *id;
    let has_part = |one: &Value| is_of(one) || one["others"].as_array().is_some_and(|others| others.iter().any(is_of));
    let answer = client.get(&format!("/rosters/conflicts?{query}")).ok();
    answer["results"].as_array().into_iter().flatten().filter(|one| has_part(one)).cloned().collect()
}

fn kinds(conflicts: &Value) -> Vec<&str> {
    let mut kinds: Vec<&str> =
        conflicts.as_array().unwrap().iter().map(|one| one["kind"].as_str().unwrap_or_default()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

/// A person with a shift from six to fourteen in a roster, who is away for a day; and shifts of theirs for another
/// roster, which are in conflict with that in every way.
fn busy(client: &Client) -> (String, Value, [Value; 2]) {
    let ann = user(client, "Ann");
    let other = create(client, "GMT", &[shift("Early", daily("06:00:00", "14:00:00"), &ann)]);
    let away = json!({"from": "2036-05-03T00:00:00Z", "to": "2036-05-04T00:00:00Z"});
    client.post(&format!("/users/{ann}/timeOff"), &away).ok();
    let mut nights = daily("22:00:00", "06:00:00");
    nights["startDate"] = json!("2036-04-25T00:00:00Z");
    nights["endPattern"] = json!({"type": "OCCURRENCES", "occurrences": 12});
    let shifts = [("Noon", daily("12:00:00", "15:00:00")), ("Night", nights)];
    let shifts = shifts.map(|(name, schedule)| shift(name, schedule, &ann));
    (ann, other, shifts)
}

const ALL: [&str; 5] = ["doubleBooking", "gap", "nights", "rest", "timeOff"];

fn a_preview_has_the_conflicts_that_the_roster_then_has(server: &Server) {
    let client = server.new_client();
    let (_, _, shifts) = busy(&client);
    let body = roster("Europe/Paris", &shifts);
    let at = format!("/rosters/preview?{RANGE}");
    let previewed = client.post(&at, &body).ok()["conflicts"].clone();
    assert_eq!(kinds(&previewed), ALL);
    assert_eq!(previewed[0]["roster"]["name"], body["name"]);
    let narrowed = client.post(&format!("{at}&rest=0h&nights=12"), &body).ok();
    assert_eq!(kinds(&narrowed["conflicts"]), ["doubleBooking", "gap", "timeOff"]);
    let made = client.post("/rosters", &body).ok();
    let mut previewed = previewed.to_string();
    let unsaved = |number: u32| format!("00000000-0000-0000-0000-{number:012}");
    previewed = previewed.replace(&format!("ES-{}", unsaved(0)), &text(&made["id"]));
    for (number, shift) in (1..).zip(made["shiftDetails"].as_array().unwrap()) {
        previewed = previewed.replace(&format!("ESD-{}", unsaved(number)), &text(&shift["id"]));
    }
    assert_eq!(serde_json::from_str::<Value>(&previewed).unwrap(), json!(listed(&client, &made, RANGE)));
    // The timeline of the roster has them, too, where they are asked for.
    let line = format!("{}/timeline?{RANGE}", path(&made));
    let mut told = client.get(&format!("{line}&conflicts=true&rest=12h&nights=3")).ok();
    let conflicts = told.as_object_mut().unwrap().remove("conflicts");
    assert_eq!(conflicts, Some(json!(listed(&client, &made, &format!("{RANGE}&rest=12h&nights=3")))));
    assert_eq!(told, client.get(&line).ok());
}

fn a_preview_of_a_change_has_those_before_and_after(server: &Server) {
    let client = server.new_client();
    let (ann, other, shifts) = busy(&client);
    let made = create(&client, "Europe/Paris", &shifts);
    let bob = user(&client, "Bob");
    let [noon, night] = [0, 1].map(|number| made["shiftDetails"][number]["id"].clone());
    let change = json!({"shiftDetails": [{"id": noon, "users": [{"id": bob}]}, {"id": night}]});
    let both = client.post(&format!("{}/preview?{RANGE}", path(&made)), &change).ok();
    assert_eq!(both["before"]["conflicts"], json!(listed(&client, &made, RANGE)));
    client.post(&path(&made), &change).ok();
    assert_eq!(both["after"]["conflicts"], json!(listed(&client, &made, RANGE)));
    assert_eq!(kinds(&both["after"]["conflicts"]), ["gap", "nights", "rest", "timeOff"]);
    // A roster whose people are nowhere else has what is wrong with it alone, and one that loses a person has nothing
    // of them.
    let change = json!({"shiftDetails": [{"id": other["shiftDetails"][0]["id"], "users": [{"id": bob}]}]});
    let both = client.post(&format!("{}/preview?{RANGE}&rest=0h", path(&other)), &change).ok();
    assert!(both["before"]["conflicts"].to_string().contains(&ann));
    assert_eq!(kinds(&both["after"]["conflicts"]), ["doubleBooking", "gap"]);
    assert!(!both["after"]["conflicts"].to_string().contains(&ann));
}

fn rosters_of_other_clients_count_where_they_may_be_read(server: &Server) {
    let partner = server.admin();
    let [first, second] = [server.new_client(), server.new_client()];
    let sue = user(&partner, "Sue");
    let day = |name: &str| shift(name, daily("08:00:00", "20:00:00"), &sue);
    let made = create(&first, "GMT", &[day("Day")]);
    let elsewhere = create(&second, "GMT", &[day("Elsewhere")]);
    let secret = text(&elsewhere["id"]);
    let range = "from=2036-05-01T00:00:00Z&to=2036-05-02T00:00:00Z";
    let change = json!({"description": "other"});
    let preview = |client: &Client| client.post(&format!("{}/preview?{range}", path(&made)), &change).ok();
    let own = preview(&first);
    assert_eq!(kinds(&own["after"]["conflicts"]), ["gap"], "a client knows its own rosters alone");
    assert!(!own.to_string().contains(&secret));
    let all = preview(&partner);
    assert_eq!(kinds(&all["after"]["conflicts"]), ["doubleBooking", "gap"]);
    assert!(all["after"]["conflicts"].to_string().contains(&secret));
    assert_eq!(all["after"]["conflicts"], json!(listed(&partner, &made, range)));
    let new = roster("GMT", &[day("New")]);
    let previewed = partner.post(&format!("/rosters/preview?{range}"), &new).ok();
    assert_eq!(kinds(&previewed["conflicts"]), ["doubleBooking", "gap"]);
}

fn wrong_limits_are_refused(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let body = roster("GMT", &[shift("Day", daily("08:00:00", "20:00:00"), &ann)]);
    client.post(&format!("/rosters/preview?{RANGE}&rest=8d&nights=0"), &body).invalid(&["rest", "nights"]);
    let made = client.post("/rosters", &body).ok();
    let at = |question: &str| format!("{}/{question}?{RANGE}&rest=long&nights=32", path(&made));
    client.post(&at("preview"), &json!({})).invalid(&["rest", "nights"]);
    client.get(&at("timeline")).invalid(&["rest", "nights"]);
}
