//! What is wrong with the plans of all rosters.

use muster_tests::{Backend, Client, Server, both_backends, receiver::Receiver, unique};
use serde_json::{Value, json};

use super::{create, daily, path, shift, text, user};
use crate::paging::reachable;

both_backends![
    gaps_are_those_of_the_timeline,
    two_shifts_at_once_are_told_with_both,
    a_shift_during_time_off_is_told,
    a_shift_on_a_holiday_of_its_person_is_told,
    turns_that_move_on_holidays_are_no_conflict,
    people_are_told_of_shifts_on_their_holidays,
    too_little_rest_is_told,
    nights_in_a_row_are_told,
    overrides_and_swaps_count,
    conflicts_of_one_user,
    wrong_questions_are_refused,
];

const RANGE: &str = "from=2036-05-01T00:00:00Z&to=2036-05-08T00:00:00Z";

#[track_caller]
fn conflicts(client: &Client, query: &str) -> Vec<Value> {
    let answer = client.get(&format!("/rosters/conflicts?{query}")).ok();
    answer["results"].as_array().cloned().unwrap_or_default()
}

/// Kind and time of each, without the year and the offset.
#[track_caller]
fn told(client: &Client, query: &str) -> Vec<String> {
    let short = |value: &Value| text(value).get(5..16).unwrap_or("?").to_owned();
    let one = |one: &Value| format!("{} {}/{}", text(&one["kind"]), short(&one["from"]), short(&one["to"]));
    conflicts(client, query).iter().map(one).collect()
}

/// A schedule of one time.
fn once(start: &str, end: &str) -> Value {
    json!({"type": "one-time", "startDate": start, "endDate": end})
}

fn gaps_are_those_of_the_timeline(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let made = create(&client, "GMT", &[shift("Day", daily("08:00:00", "20:00:00"), &ann)]);
    let day = "from=2036-05-01T00:00:00Z&to=2036-05-02T00:00:00Z";
    assert_eq!(told(&client, day), ["gap 05-01T00:00/05-01T08:00", "gap 05-01T20:00/05-02T00:00"]);
    let first = conflicts(&client, day).remove(0);
    assert_eq!((&first["roster"]["id"], first.get("user"), first.get("shift")), (&made["id"], None, None));
    let gaps = client.get(&format!("{}/timeline?{day}", path(&made))).ok()["gaps"].clone();
    assert_eq!(gaps.as_array().map(Vec::len), Some(2));
    // Off hours are none, and a shift that takes place with nobody in it is named.
    let off = json!([{"schedule": daily("20:00:00", "08:00:00")}]);
    let id = &made["shiftDetails"][0]["id"];
    let empty = json!({"offHours": off, "shiftDetails": [{"id": id, "users": []}]});
    client.post(&path(&made), &empty).ok();
    let found = conflicts(&client, day);
    assert_eq!(told(&client, day), ["gap 05-01T08:00/05-01T20:00"]);
    assert_eq!((&found[0]["shift"]["id"], &found[0]["shift"]["name"]), (id, &json!("Day")));
    // What is gone has no gaps.
    client.delete(&path(&made)).ok();
    assert_eq!(told(&client, day), Vec::<String>::new());
}

fn two_shifts_at_once_are_told_with_both(server: &Server) {
    let client = server.new_client();
    let [ann, bob] = ["Ann", "Bob"].map(|name| user(&client, name));
    let day = |user: &str| shift("Day", daily("08:00:00", "20:00:00"), user);
    let first = create(&client, "GMT", &[day(&ann)]);
    let extra = shift("Extra", once("2036-05-02T10:00:00Z", "2036-05-02T12:00:00Z"), &ann);
    let third = create(&client, "GMT", &[day(&bob), extra]);
    let found = conflicts(&client, &format!("{RANGE}&userId={ann}"));
    let kinds: Vec<&Value> = found.iter().map(|one| &one["kind"]).collect();
    assert_eq!(kinds, [&json!("doubleBooking")], "{found:?}");
    let one = &found[0];
    assert_eq!((&one["from"], &one["to"]), (&json!("2036-05-02T10:00:00+0000"), &json!("2036-05-02T12:00:00+0000")));
    assert_eq!((&one["roster"]["id"], &one["shift"]["name"]), (&third["id"], &json!("Extra")));
    assert_eq!(one["others"][0]["roster"], json!({"id": first["id"], "name": first["name"]}));
    assert_eq!((&one["user"]["id"], &one["user"]["firstName"]), (&json!(ann), &json!("Ann")));
}

fn a_shift_during_time_off_is_told(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    create(&client, "GMT", &[shift("Day", daily("08:00:00", "20:00:00"), &ann)]);
    let at = format!("/users/{ann}/timeOff");
    let away = json!({"from": "2036-05-03T12:00:00Z", "to": "2036-05-04T09:00:00Z"});
    let made = client.post(&at, &away).ok();
    let query = format!("{RANGE}&userId={ann}");
    assert_eq!(told(&client, &query), ["timeOff 05-03T12:00/05-03T20:00", "timeOff 05-04T08:00/05-04T09:00"]);
    assert_eq!(conflicts(&client, &query)[0]["timeOffId"], made["id"]);
    client.delete(&format!("{at}/{}", text(&made["id"]))).ok();
    assert_eq!(told(&client, &query), Vec::<String>::new());
}

/// A holiday calendar of a user.
fn holidays_of(client: &Client, user: &str, days: &[&str]) -> String {
    let days: Vec<Value> = days.iter().map(|day| json!({"date": day})).collect();
    let body = json!({"name": unique("own"), "days": days, "users": [{"id": user}]});
    text(&client.post("/holidayCalendars", &body).ok()["id"])
}

fn a_shift_on_a_holiday_of_its_person_is_told(server: &Server) {
    let client = server.new_client();
    let [ann, bob] = ["Ann", "Bob"].map(|name| user(&client, name));
    let both = json!({"name": "All", "schedule": daily("00:00:00", "00:00:00"),
        "users": [{"id": ann}, {"id": bob}], "userGroups": []});
    create(&client, "Europe/Paris", &[both]);
    let own = holidays_of(&client, &ann, &["2036-05-03", "2036-05-04", "2036-05-06"]);
    let query = |user: &str| format!("{RANGE}&userId={user}");
    let of = |user: &str| {
        let mut all = told(&client, &query(user));
        all.retain(|one| one.starts_with("timeOff"));
        all
    };
    // From midnight to midnight in Paris, and days that follow each other as one.
    let expected = ["timeOff 05-02T22:00/05-04T22:00", "timeOff 05-05T22:00/05-06T22:00"];
    assert_eq!(of(&ann), expected);
    assert_eq!(of(&bob), Vec::<String>::new());
    let all = conflicts(&client, &query(&ann));
    let first = all.iter().find(|one| one["kind"] == "timeOff").unwrap();
    assert_eq!((&first["user"]["id"], &first["shift"]["name"]), (&json!(ann), &json!("All")));
    assert_eq!(first.get("timeOffId"), None);
    // Who has time off then is told of it once.
    let away = json!({"from": "2036-05-03T22:00:00Z", "to": "2036-05-07T00:00:00Z"});
    client.post(&format!("/users/{ann}/timeOff"), &away).ok();
    let expected = ["timeOff 05-02T22:00/05-03T22:00", "timeOff 05-03T22:00/05-07T00:00"];
    assert_eq!(of(&ann), expected);
    client.post(&format!("/holidayCalendars/{own}"), &json!({"users": []})).ok();
    assert_eq!(of(&ann), ["timeOff 05-03T22:00/05-07T00:00"]);
}

fn turns_that_move_on_holidays_are_no_conflict(server: &Server) {
    let client = server.new_client();
    let [ann, bob] = ["Ann", "Bob"].map(|name| user(&client, name));
    let of = |mode: &str| {
        json!({"name": "Day", "schedule": daily("08:00:00", "20:00:00"),
            "rotation": {"order": [{"users": [{"id": ann}]}, {"users": [{"id": bob}]}], "length": {"days": 1},
                "start": "2036-05-01T08:00:00", "whenAway": mode}})
    };
    holidays_of(&client, &ann, &["2036-05-03"]);
    let made = create(&client, "GMT", &[of("swap")]);
    let query = format!("{RANGE}&rest=0h&userId={ann}");
    assert_eq!(told(&client, &query), Vec::<String>::new());
    let mut keep = of("keep");
    keep["id"] = made["shiftDetails"][0]["id"].clone();
    client.post(&path(&made), &json!({"shiftDetails": [keep]})).ok();
    assert_eq!(told(&client, &query), ["timeOff 05-03T08:00/05-03T20:00"]);
}

fn people_are_told_of_shifts_on_their_holidays(backend: Backend) {
    let server = Server::start_with(backend, &["--egress-allow", "127.0.0.0/8"]);
    let client = server.new_client();
    let hooks = Receiver::willing();
    let owner = reachable(&client, &hooks.url());
    let ann = user(&client, "Ann");
    let made = create(&client, "GMT", &[shift("All", daily("00:00:00", "00:00:00"), &ann)]);
    client.post(&path(&made), &json!({"conflictsTo": [{"user": {"id": owner}}]})).ok();
    // The nights in a row.
    hooks.wait(1);
    let day = crate::integrations::times::soon(3 * 86_400)[..10].to_owned();
    holidays_of(&client, &ann, &[&day]);
    let message = hooks.wait(2)[1].text();
    assert!(message.contains("on call on a holiday"), "{message}");
}

fn too_little_rest_is_told(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let made = create(
        &client,
        "GMT",
        &[
            shift("Late", once("2036-05-02T14:00:00Z", "2036-05-02T22:00:00Z"), &ann),
            shift("Early", once("2036-05-03T06:00:00Z", "2036-05-03T14:00:00Z"), &ann),
        ],
    );
    let query = format!("{RANGE}&userId={ann}");
    assert_eq!(told(&client, &query), ["rest 05-02T22:00/05-03T06:00"]);
    let found = conflicts(&client, &query);
    assert_eq!(found[0]["shift"]["id"], made["shiftDetails"][1]["id"]);
    assert_eq!(found[0]["others"][0]["shift"]["id"], made["shiftDetails"][0]["id"]);
    assert_eq!(told(&client, &format!("{query}&rest=8h")), Vec::<String>::new());
    // The shift before may lie before the range.
    let later = format!("from=2036-05-03T00:00:00Z&to=2036-05-04T00:00:00Z&userId={ann}");
    assert_eq!(told(&client, &later), ["rest 05-02T22:00/05-03T06:00"]);
}

fn nights_in_a_row_are_told(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    // The night of Paris, over which the clocks go forward.
    create(&client, "Europe/Paris", &[shift("Night", daily("22:00:00", "06:00:00"), &ann)]);
    let range = format!("from=2036-03-28T12:00:00Z&to=2036-04-02T12:00:00Z&userId={ann}");
    assert_eq!(told(&client, &range), ["nights 03-28T12:00/04-02T12:00"]);
    let schedule = json!({"type": "recurring", "startDate": "2026-01-01T00:00:00Z", "startTime": "22:00:00",
        "endTime": "06:00:00", "pattern": {"type": "weekly", "repeatFrequency": 1,
        "weekDays": "Monday,Tuesday,Wednesday,Thursday,Friday"}, "endPattern": {"type": "NEVER"}});
    let bob = user(&client, "Bob");
    create(&client, "GMT", &[shift("Weekdays", schedule, &bob)]);
    let week = format!("from=2036-05-04T00:00:00Z&to=2036-05-11T00:00:00Z&userId={bob}");
    assert_eq!(told(&client, &week), Vec::<String>::new());
    assert_eq!(told(&client, &format!("{week}&nights=4")), ["nights 05-05T22:00/05-10T06:00"]);
    assert_eq!(told(&client, &format!("{week}&nights=5")), Vec::<String>::new());
}

fn overrides_and_swaps_count(server: &Server) {
    let client = server.new_client();
    let [ann, bob] = ["Ann", "Bob"].map(|name| user(&client, name));
    let day = create(&client, "GMT", &[shift("Day", daily("08:00:00", "20:00:00"), &ann)]);
    create(&client, "GMT", &[shift("Same", daily("08:00:00", "20:00:00"), &bob)]);
    let of = |user: &str| told(&client, &format!("{RANGE}&userId={user}"));
    assert_eq!((of(&ann), of(&bob)), (vec![], vec![]));
    let body = json!({"user": {"id": bob}, "start": "2036-05-02T08:00:00Z", "end": "2036-05-02T20:00:00Z"});
    client.post(&format!("{}/overrides", path(&day)), &body).ok();
    assert_eq!(of(&bob), ["doubleBooking 05-02T08:00/05-02T20:00"]);
    let half = |user: &str, day: &str| {
        let [start, end] = ["08:00:00Z", "20:00:00Z"].map(|time| format!("{day}T{time}"));
        json!({"user": {"id": user}, "start": start, "end": end})
    };
    let swap = json!({"first": half(&ann, "2036-05-03"), "second": half(&bob, "2036-05-02")});
    client.post(&format!("{}/swaps", path(&day)), &swap).ok();
    assert_eq!(of(&bob), ["doubleBooking 05-03T08:00/05-03T20:00"], "Ann has her own day again");
}

fn conflicts_of_one_user(server: &Server) {
    let client = server.new_client();
    let [ann, bob] = ["Ann", "Bob"].map(|name| user(&client, name));
    for name in [&ann, &ann, &bob, &bob] {
        create(&client, "GMT", &[shift("Day", daily("08:00:00", "20:00:00"), name)]);
    }
    let day = "from=2036-05-01T00:00:00Z&to=2036-05-02T00:00:00Z";
    let all = conflicts(&client, day);
    assert_eq!(all.len(), 2 + 4 * 2, "gaps of four rosters, too");
    let own = conflicts(&client, &format!("{day}&userId={}", ann.to_lowercase()));
    assert_eq!(own.len(), 1);
    assert_eq!(own[0]["user"]["id"], json!(ann));
    assert_eq!(conflicts(&client, &format!("{day}&userId=USR9999999999")), Vec::<Value>::new());
    // Another tenant has none of it.
    assert_eq!(conflicts(&server.new_client(), day), Vec::<Value>::new());
}

fn wrong_questions_are_refused(server: &Server) {
    let client = server.new_client();
    client.get("/rosters/conflicts").invalid(&["from", "to"]);
    client.get("/rosters/conflicts?from=2036-05-01T00:00:00Z&to=2038-05-01T00:00:00Z").invalid(&["to"]);
    let wrong = format!("/rosters/conflicts?{RANGE}&rest=8d&nights=0&x=1");
    client.get(&wrong).invalid(&["rest", "nights", "x"]);
    client.get(&format!("/rosters/conflicts?{RANGE}&rest=long&nights=32")).invalid(&["rest", "nights"]);
    // Eleven seconds are not meant.
    let refused = client.get(&format!("/rosters/conflicts?{RANGE}&rest=11"));
    assert!(refused.text().contains("needs a unit, such as 11h"), "{}", refused.text());
    refused.invalid(&["rest"]);
}
