//! Somebody takes over for a time.

use muster_tests::{Client, Server, both_backends, unique};
use serde_json::{Value, json};

use super::{create, daily, path, shift, text, times, user};

both_backends![
    an_override_of_a_shift_takes_its_time,
    the_last_override_wins,
    an_override_follows_no_edit,
    an_override_keeps_level_and_holidays_of_its_shift,
    an_override_of_the_roster_fills_gaps,
    what_is_past_stays,
    bad_overrides_are_refused,
    the_author_is_shown_as_everywhere,
];

fn over(user: &str, start: &str, end: &str) -> Value {
    json!({"user": {"id": user}, "start": start, "end": end})
}

fn line(client: &Client, roster: &Value, from: &str, to: &str) -> Vec<String> {
    let line = client.get(&format!("{}/timeline?from={from}&to={to}", path(roster))).ok();
    let entries = line["entries"].as_array().cloned().unwrap_or_default();
    let who = entries.iter().map(|one| format!("{} {}", text(&one["users"][0]["firstName"]), text(&one["reason"])));
    times(&line["entries"]).into_iter().zip(who).map(|(time, who)| format!("{time} {who}")).collect()
}

fn an_override_of_a_shift_takes_its_time(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let bob = user(&client, "Bob");
    let shifts =
        [shift("Day", daily("08:00:00", "20:00:00"), &ann), shift("Night", daily("20:00:00", "08:00:00"), &ann)];
    let made = create(&client, "GMT", &shifts);
    let at = format!("{}/overrides", path(&made));
    let mut body = over(&bob, "2030-05-01T10:00:00Z", "2030-05-03T10:00:00Z");
    body["shift"] = made["shiftDetails"][0]["id"].clone();
    body["note"] = json!("Holiday");
    let created = client.post(&at, &body).ok();
    assert_eq!((&created["user"]["id"], &created["shift"]["name"]), (&json!(bob), &json!("Day")));
    assert_eq!((&created["start"], &created["note"]), (&json!("2030-05-01T10:00:00+0000"), &json!("Holiday")));
    let expected = [
        "05-01T08:00/05-01T10:00 Ann shift",
        "05-01T10:00/05-01T20:00 Bob override",
        "05-01T20:00/05-02T08:00 Ann shift",
        "05-02T08:00/05-02T20:00 Bob override",
        "05-02T20:00/05-03T00:00 Ann shift",
    ];
    assert_eq!(line(&client, &made, "2030-05-01T08:00:00Z", "2030-05-03T00:00:00Z"), expected);
    let asked = client.get(&format!("{}/onCall?at=2030-05-02T12:00:00Z", path(&made))).ok();
    assert_eq!((&asked["onCall"][0]["user"]["id"], &asked["onCall"][0]["reason"]), (&json!(bob), &json!("override")));
    let all = client.get("/rosters/onCall?at=2030-05-02T12:00:00Z").ok();
    assert_eq!(all["onCall"], asked["onCall"]);
    let page = client.get(&at).page();
    assert_eq!((&page["totalResults"], &page["results"][0]), (&json!(1), &created));
    assert_eq!(client.delete(&format!("{at}/{}", text(&created["id"]))).ok(), json!({}));
    assert_eq!(client.get(&at).page()["totalResults"], json!(0));
    client.delete(&format!("{at}/{}", text(&created["id"]))).not_found();
    assert_eq!(
        line(&client, &made, "2030-05-01T08:00:00Z", "2030-05-01T20:00:00Z"),
        ["05-01T08:00/05-01T20:00 Ann shift"]
    );
}

fn the_last_override_wins(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let bob = user(&client, "Bob");
    let eve = user(&client, "Eve");
    let made = create(&client, "GMT", &[shift("Day", daily("08:00:00", "20:00:00"), &ann)]);
    let at = format!("{}/overrides", path(&made));
    client.post(&at, &over(&bob, "2030-05-01T08:00:00Z", "2030-05-01T16:00:00Z")).ok();
    client.post(&at, &over(&eve, "2030-05-01T12:00:00Z", "2030-05-01T18:00:00Z")).ok();
    let expected = [
        "05-01T08:00/05-01T12:00 Bob override",
        "05-01T12:00/05-01T18:00 Eve override",
        "05-01T18:00/05-01T20:00 Ann shift",
    ];
    assert_eq!(line(&client, &made, "2030-05-01T00:00:00Z", "2030-05-02T00:00:00Z"), expected);
}

fn an_override_follows_no_edit(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let bob = user(&client, "Bob");
    let made = create(&client, "GMT", &[shift("Day", daily("08:00:00", "12:00:00"), &ann)]);
    let mut body = over(&bob, "2030-05-01T00:00:00Z", "2030-05-02T00:00:00Z");
    let id = made["shiftDetails"][0]["id"].clone();
    body["shift"] = json!({"id": id});
    client.post(&format!("{}/overrides", path(&made)), &body).ok();
    let edit = json!({"shiftDetails": [{"id": id, "schedule": daily("10:00:00", "14:00:00")}]});
    client.post(&path(&made), &edit).ok();
    let expected = ["05-01T08:00/05-01T12:00 Bob override", "05-01T12:00/05-01T14:00 Ann shift"];
    assert_eq!(line(&client, &made, "2030-05-01T00:00:00Z", "2030-05-02T00:00:00Z"), expected);
}

fn an_override_keeps_level_and_holidays_of_its_shift(server: &Server) {
    let client = server.new_client();
    let [ann, bob] = ["Ann", "Bob"].map(|name| user(&client, name));
    let days = json!([{"date": "2030-05-03", "name": "Feast"}]);
    let calendar = client.post("/holidayCalendars", &json!({"name": unique("holidays"), "days": days})).ok();
    let skipping = |name: &str| {
        let mut shift = shift(name, daily("08:00:00", "16:00:00"), &ann);
        shift["holidays"] = json!([{"id": calendar["id"]}]);
        shift["onHolidays"] = json!("skip");
        shift["level"] = json!("secondary");
        shift
    };
    let made = create(&client, "GMT", &[shift("Always", daily("08:00:00", "16:00:00"), &ann), skipping("Day")]);
    let [always, day] = [0, 1].map(|place| json!({"id": made["shiftDetails"][place]["id"]}));
    let take = |start: &str, end: &str| {
        let mut body = over(&bob, start, end);
        body["shift"] = day["id"].clone();
        client.post(&format!("{}/overrides", path(&made)), &body)
    };
    take("2030-05-02T00:00:00Z", "2030-05-05T00:00:00Z").ok();
    take("2030-05-03T00:00:00Z", "2030-05-04T00:00:00Z").invalid(&["shift"]);
    // From then on no version of the shift is loaded that was there when the override was made.
    let change = json!({"effectiveFrom": "2030-05-01T00:00:00Z", "shiftDetails": [always]});
    client.post(&path(&made), &change).ok();
    let expected = ["05-02T08:00/05-02T16:00 Bob", "05-04T08:00/05-04T16:00 Bob"];
    for from in ["2030-04-28", "2030-05-02"] {
        let line = client.get(&format!("{}/timeline?from={from}T00:00:00Z&to=2030-05-05T00:00:00Z", path(&made))).ok();
        let entries = line["entries"].as_array().cloned().unwrap_or_default();
        let of_bob: Vec<_> = entries.into_iter().filter(|entry| entry["reason"] == "override").collect();
        let who = of_bob.iter().map(|one| text(&one["users"][0]["firstName"]));
        let told: Vec<String> =
            times(&json!(of_bob)).into_iter().zip(who).map(|(time, who)| format!("{time} {who}")).collect();
        assert_eq!(told, expected, "{from}");
        assert!(of_bob.iter().all(|entry| entry["level"] == "secondary"), "{from}: {of_bob:?}");
        assert_eq!(line["overlaps"], json!([]), "{from}");
    }
}

fn an_override_of_the_roster_fills_gaps(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let bob = user(&client, "Bob");
    let made = create(&client, "GMT", &[shift("Day", daily("08:00:00", "12:00:00"), &ann)]);
    client
        .post(&format!("{}/overrides", path(&made)), &over(&bob, "2030-05-01T10:00:00Z", "2030-05-01T14:00:00Z"))
        .ok();
    let expected = [
        "05-01T08:00/05-01T10:00 Ann shift",
        "05-01T10:00/05-01T12:00 Bob override",
        "05-01T12:00/05-01T14:00 Bob override",
    ];
    assert_eq!(line(&client, &made, "2030-05-01T00:00:00Z", "2030-05-02T00:00:00Z"), expected);
}

fn what_is_past_stays(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let bob = user(&client, "Bob");
    let made = create(&client, "GMT", &[shift("Day", daily("00:00:00", "00:00:00"), &ann)]);
    let at = format!("{}/overrides", path(&made));
    // Entered after the fact: it is listed, and taking it away would change the past. A later one may say otherwise.
    let past = client.post(&at, &over(&bob, "2026-05-01T00:00:00Z", "2026-05-02T00:00:00Z")).ok();
    assert_eq!(client.get(&at).page()["totalResults"], json!(1));
    assert_eq!(client.get(&format!("{at}?from=2026-06-01T00:00:00Z")).page()["totalResults"], json!(0));
    client.delete(&format!("{at}/{}", text(&past["id"]))).problem(409, "0004");
    let on_call = |at: &str| {
        let found = client.get(&format!("{}/onCall?at={at}", path(&made))).ok();
        text(&found["onCall"][0]["user"]["id"])
    };
    assert_eq!((on_call("2026-05-01T12:00:00Z"), on_call("2026-05-03T12:00:00Z")), (bob.clone(), ann.clone()));
    client.post(&at, &over(&ann, "2026-05-01T00:00:00Z", "2026-05-02T00:00:00Z")).ok();
    assert_eq!(on_call("2026-05-01T12:00:00Z"), ann);
    // One from a time that is past: what is past of it stays, and it ends now.
    let long = client.post(&at, &over(&bob, "2026-05-05T00:00:00Z", "2040-05-02T00:00:00Z"));
    long.invalid(&["end"]);
    let since = client.post(&at, &over(&bob, "2026-08-01T00:00:00Z", "2027-07-30T00:00:00Z")).ok();
    client.delete(&format!("{at}/{}", text(&since["id"]))).ok();
    assert_eq!(on_call("2026-08-02T12:00:00Z"), bob);
    assert_eq!(client.get(&at).page()["totalResults"], json!(3));
}

fn bad_overrides_are_refused(server: &Server) {
    let client = server.new_client();
    let other = server.new_client();
    let ann = user(&client, "Ann");
    let stranger = user(&other, "Eve");
    let made = create(&client, "GMT", &[shift("Day", daily("08:00:00", "12:00:00"), &ann)]);
    let at = format!("{}/overrides", path(&made));
    let refused = |body: Value, fields: &[&str]| {
        client.post(&at, &body).invalid(fields);
    };
    refused(json!({}), &["user", "start", "end"]);
    let start = "2030-05-01T08:00:00Z";
    let end = "2030-05-01T12:00:00Z";
    refused(over(&stranger, start, end), &["user.id"]);
    refused(over(&ann, end, start), &["end"]);
    refused(over(&ann, start, "9999-01-01T00:00:00Z"), &["end"]);
    let mut body = over(&ann, start, end);
    body["shift"] = json!("ESD-x");
    refused(body, &["shift"]);
    let mut body = over(&ann, "2030-05-01T13:00:00Z", "2030-05-01T14:00:00Z");
    body["shift"] = made["shiftDetails"][0]["id"].clone();
    refused(body, &["shift"]);
    assert_eq!(client.get(&at).page()["totalResults"], json!(0));
    other.post(&at, &over(&stranger, start, end)).not_found();
}

fn the_author_is_shown_as_everywhere(server: &Server) {
    let client = server.new_client();
    let author = client.post("/incidents", &json!({"subject": "x"})).ok()["createdBy"].clone();
    assert!(author["loginName"].is_string(), "{author}");
    let ann = user(&client, "Ann");
    let path = path(&create(&client, "GMT", &[shift("Day", daily("08:00:00", "20:00:00"), &ann)]));
    let body = over(&ann, "2030-05-01T10:00:00Z", "2030-05-03T10:00:00Z");
    let overrides = format!("{path}/overrides");
    let calendars = format!("{path}/calendars");
    let of_user = format!("/rosters/users/{ann}/calendars");
    for shown in [
        client.post(&overrides, &body).ok(),
        client.get(&overrides).page()["results"][0].clone(),
        client.post_empty(&calendars).ok(),
        client.get(&calendars).ok()[0].clone(),
        client.post_empty(&of_user).ok(),
        client.get(&of_user).ok()[0].clone(),
    ] {
        assert_eq!(shown["createdBy"], author, "{shown}");
    }
}
