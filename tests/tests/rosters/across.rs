//! Questions across rosters, swaps, and previews of changes.

use muster_tests::{Server, both_backends};
use serde_json::{Value, json};

use super::{create, daily, path, shift, text, times, user};

both_backends![
    three_rosters_of_eight_hours_are_one_covered_day,
    a_user_knows_when_it_is_next,
    two_people_swap,
    bad_swaps_are_refused,
    a_preview_shows_before_and_after,
];

fn three_rosters_of_eight_hours_are_one_covered_day(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let bob = user(&client, "Bob");
    let early = create(&client, "GMT", &[shift("Early", daily("00:00:00", "08:00:00"), &ann)]);
    create(&client, "GMT", &[shift("Late", daily("08:00:00", "16:00:00"), &bob)]);
    let range = "from=2026-05-01T00:00:00Z&to=2026-05-02T00:00:00Z";
    let all = client.get(&format!("/rosters/timeline?{range}")).ok();
    assert_eq!((times(&all["gaps"]), &all["coverage"]), (vec!["05-01T16:00/05-02T00:00".to_owned()], &json!(66.66)));
    let last = create(&client, "GMT", &[shift("Night", daily("16:00:00", "00:00:00"), &ann)]);
    let all = client.get(&format!("/rosters/timeline?{range}")).ok();
    assert_eq!((&all["gaps"], &all["coverage"]), (&json!([]), &json!(100.0)));
    let rosters = all["rosters"].as_array().cloned().unwrap_or_default();
    assert_eq!(rosters.len(), 3);
    assert!(
        rosters.iter().all(|one| one["coverage"] == json!(33.33) && one["entries"].as_array().map(Vec::len) == Some(1))
    );
    let ids = |query: &str| -> Vec<Value> {
        let answer = client.get(&format!("/rosters/timeline?{range}&{query}")).ok();
        let mut ids: Vec<Value> =
            answer["rosters"].as_array().into_iter().flatten().map(|one| one["roster"]["id"].clone()).collect();
        ids.sort_by_key(Value::to_string);
        ids
    };
    let mut own = vec![early["id"].clone(), last["id"].clone()];
    own.sort_by_key(Value::to_string);
    assert_eq!(ids(&format!("userId={ann}")), own);
    assert_eq!(ids(&format!("name={}", text(&early["name"]).to_uppercase())), [early["id"].clone()]);
    assert_eq!(ids("userGroupId=USRGRP-x"), Vec::<Value>::new());
    // A deleted roster is in what was.
    client.delete(&path(&early)).ok();
    assert_eq!(client.get(&format!("/rosters/timeline?{range}")).ok()["coverage"], json!(100.0));
    client.get("/rosters/timeline").invalid(&["from", "to"]);
    client.get(&format!("/rosters/timeline?{range}&x=1")).invalid(&["x"]);
}

fn a_user_knows_when_it_is_next(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let bob = user(&client, "Bob");
    let rotation = json!({"order": [{"users": [{"id": ann}]}, {"users": [{"id": bob}]}], "length": {"weeks": 1},
        "start": "2030-01-07T09:00:00"});
    let weekly = json!({"name": "Line", "schedule": daily("09:00:00", "09:00:00"), "rotation": rotation});
    let made = create(&client, "GMT", &[weekly]);
    create(&client, "GMT", &[shift("Day", daily("08:00:00", "20:00:00"), &ann)]);
    let of = |user: &str, query: &str| client.get(&format!("/users/{user}/shifts{query}")).ok();
    let told = of(&bob, "?from=2030-01-07T00:00:00Z&to=2030-02-04T09:00:00Z");
    let stretch = |one: &Value| format!("{}/{}", &text(&one["since"])[5..16], &text(&one["until"])[5..16]);
    let stretches: Vec<String> = told["shifts"].as_array().into_iter().flatten().map(stretch).collect();
    assert_eq!(stretches, ["01-14T09:00/01-21T09:00", "01-28T09:00/02-04T09:00"]);
    assert_eq!(
        (&told["shifts"][0]["roster"]["id"], &told["shifts"][0]["shift"]["name"]),
        (&made["id"], &json!("Line"))
    );
    assert_eq!(of(&bob, "")["shifts"], json!([]), "the next 90 days");
    assert!(of(&ann, "")["shifts"].as_array().is_some_and(|list| (90..=91).contains(&list.len())));
    client.get("/users/USR9999999999/shifts").not_found();
    client.get(&format!("/users/{ann}/shifts?from=2030-01-01T00:00:00Z&to=2029-01-01T00:00:00Z")).invalid(&["to"]);
}

fn two_people_swap(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let bob = user(&client, "Bob");
    let rotation = json!({"order": [{"users": [{"id": ann}]}, {"users": [{"id": bob}]}], "length": {"days": 1},
        "start": "2030-05-01T00:00:00"});
    let made = create(
        &client,
        "GMT",
        &[json!({"name": "Line", "schedule": daily("00:00:00", "00:00:00"), "rotation": rotation})],
    );
    let line = || -> Vec<String> {
        let line =
            client.get(&format!("{}/timeline?from=2030-05-03T00:00:00Z&to=2030-05-12T00:00:00Z", path(&made))).ok();
        let entries = line["entries"].as_array().cloned().unwrap_or_default();
        entries
            .iter()
            .map(|one| format!("{} {}", &text(&one["start"])[8..10], text(&one["users"][0]["firstName"])))
            .collect()
    };
    let before = line();
    let body = json!({"first": {"user": {"id": ann}, "start": "2030-05-03T00:00:00Z", "end": "2030-05-04T00:00:00Z"},
        "second": {"user": {"id": bob}, "start": "2030-05-10T00:00:00Z", "end": "2030-05-11T00:00:00Z"},
        "note": "Concert"});
    let swap = client.post(&format!("{}/swaps", path(&made)), &body).ok();
    assert!(text(&swap["id"]).starts_with("SWP-"), "{swap}");
    let one = &swap["overrides"][0];
    let other = &swap["overrides"][1];
    assert_eq!((&one["user"]["id"], &one["replaces"]["id"]), (&json!(bob), &json!(ann)));
    assert_eq!(
        (&other["user"]["id"], &other["replaces"]["id"], &other["swapId"]),
        (&json!(ann), &json!(bob), &swap["id"])
    );
    let expected = ["03 Bob", "04 Bob", "05 Ann", "06 Bob", "07 Ann", "08 Bob", "09 Ann", "10 Ann", "11 Ann"];
    assert_eq!(line(), expected);
    let page = client.get(&format!("{}/overrides", path(&made))).page();
    assert_eq!(page["totalResults"], json!(2));
    client.delete(&format!("{}/overrides/{}", path(&made), text(&other["id"]))).ok();
    assert_eq!(
        (line(), client.get(&format!("{}/overrides", path(&made))).page()["totalResults"].clone()),
        (before, json!(0))
    );
}

fn bad_swaps_are_refused(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let made = create(&client, "GMT", &[shift("Day", daily("08:00:00", "20:00:00"), &ann)]);
    let at = format!("{}/swaps", path(&made));
    client.post(&at, &json!({})).invalid(&["first", "second"]);
    let half =
        |user: &str| json!({"user": {"id": user}, "start": "2030-05-03T00:00:00Z", "end": "2030-05-04T00:00:00Z"});
    client.post(&at, &json!({"first": {}, "second": half(&ann)})).invalid(&["first.user", "first.start", "first.end"]);
    client.post(&at, &json!({"first": half("USR9999999999"), "second": half(&ann)})).invalid(&["first.user.id"]);
    let bob = user(&client, "Bob");
    client.post(&at, &json!({"first": half(&ann), "second": half(&bob), "shift": "ESD-x"})).invalid(&["shift"]);
    client.post(&at, &json!({"first": half(&ann), "second": half(&ann)})).invalid(&["second.user.id"]);
    assert_eq!(client.get(&format!("{}/overrides", path(&made))).page()["totalResults"], json!(0), "both or none");
}

fn a_preview_shows_before_and_after(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let bob = user(&client, "Bob");
    let made = create(&client, "GMT", &[shift("Day", daily("00:00:00", "12:00:00"), &ann)]);
    let over = json!({"user": {"id": bob}, "start": "2036-05-01T06:00:00Z", "end": "2036-05-01T08:00:00Z"});
    client.post(&format!("{}/overrides", path(&made)), &over).ok();
    let at = format!("{}/preview?from=2036-05-01T00:00:00Z&to=2036-05-03T00:00:00Z", path(&made));
    let kept = json!({"id": made["shiftDetails"][0]["id"]});
    let change = json!({"effectiveFrom": "2036-05-02T00:00:00Z",
        "shiftDetails": [kept, shift("Night", daily("12:00:00", "00:00:00"), &bob)]});
    let both = client.post(&at, &change).ok();
    assert_eq!(times(&both["before"]["gaps"]), ["05-01T12:00/05-02T00:00", "05-02T12:00/05-03T00:00"]);
    assert_eq!(
        (times(&both["after"]["gaps"]), &both["after"]["coverage"]),
        (vec!["05-01T12:00/05-02T00:00".to_owned()], &json!(75.0))
    );
    assert_eq!(both["after"]["entries"][1]["reason"], json!("override"));
    let line = client.get(&format!("{}/timeline?from=2036-05-01T00:00:00Z&to=2036-05-03T00:00:00Z", path(&made))).ok();
    let mut before = both["before"].clone();
    before.as_object_mut().unwrap().remove("conflicts");
    assert_eq!(line, before, "nothing is stored");
    client.post(&at, &json!({"shiftDetails": [{"id": "ESD-x"}]})).invalid(&["shiftDetails[0].id"]);
}
