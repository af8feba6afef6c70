//! The final schedule, saved or not.

use muster_tests::{Client, Server, both_backends};
use serde_json::{Value, json};

use super::{create, daily, group, path, roster, shift, times, user};

both_backends![
    clocks_change_without_gap_or_overlap,
    entries_are_cut_to_the_range_and_gaps_are_marked,
    overlaps_name_their_shifts,
    off_hours_are_no_gaps,
    a_preview_stores_nothing,
    an_answer_that_would_be_too_large_is_refused,
    a_shift_without_people_is_a_gap,
    a_shift_that_names_nobody_yet_is_a_gap,
    every_zone_of_the_database_is_taken,
    ranges_are_checked,
];

fn timeline(client: &Client, roster: &Value, from: &str, to: &str) -> Value {
    client.get(&format!("{}/timeline?from={from}&to={to}", path(roster))).ok()
}

fn clocks_change_without_gap_or_overlap(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let azores = create(&client, "Atlantic/Azores", &[shift("Night", daily("00:00:00", "08:00:00"), &ann)]);
    let spring = timeline(&client, &azores, "2026-03-29T00:30:00Z", "2026-03-29T12:00:00Z");
    assert_eq!(times(&spring["entries"]), ["03-29T01:00/03-29T08:00"]);
    let autumn = timeline(&client, &azores, "2026-10-25T00:00:00Z", "2026-10-25T12:00:00Z");
    assert_eq!(times(&autumn["entries"]), ["10-25T00:00/10-25T09:00"]);
    let paris = create(&client, "Europe/Paris", &[shift("Short", daily("02:30:00", "03:30:00"), &ann)]);
    let short = timeline(&client, &paris, "2026-03-29T00:00:00Z", "2026-03-29T12:00:00Z");
    assert_eq!(times(&short["entries"]), ["03-29T01:00/03-29T01:30"]);
    let mut schedule = daily("22:00:00", "06:00:00");
    schedule["startDate"] = json!("2026-03-07T12:00:00Z");
    let johns = create(&client, "America/St_Johns", &[shift("Night", schedule, &ann)]);
    let night = timeline(&client, &johns, "2026-03-07T12:00:00Z", "2026-03-08T12:00:00Z");
    assert_eq!(times(&night["entries"]), ["03-08T01:30/03-08T08:30"]);
    let shifts =
        [shift("Day", daily("08:00:00", "20:00:00"), &ann), shift("Night", daily("20:00:00", "08:00:00"), &ann)];
    let whole = create(&client, "America/New_York", &shifts);
    let year = timeline(&client, &whole, "2026-02-01T00:00:00Z", "2027-02-01T00:00:00Z");
    assert_eq!((&year["gaps"], &year["overlaps"], &year["coverage"]), (&json!([]), &json!([]), &json!(100.0)));
    assert_eq!(year["entries"].as_array().map(Vec::len), Some(731));
}

fn entries_are_cut_to_the_range_and_gaps_are_marked(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let made = create(&client, "GMT", &[shift("Day", daily("00:00:00", "18:00:00"), &ann)]);
    let line = timeline(&client, &made, "2026-05-01T12:00:00Z", "2026-05-02T12:00:00%2B0000");
    assert_eq!((&line["from"], &line["to"]), (&json!("2026-05-01T12:00:00+0000"), &json!("2026-05-02T12:00:00+0000")));
    assert_eq!(times(&line["entries"]), ["05-01T12:00/05-01T18:00", "05-02T00:00/05-02T12:00"]);
    assert_eq!(times(&line["gaps"]), ["05-01T18:00/05-02T00:00"]);
    assert_eq!(line["coverage"], json!(75.0));
    let entry = &line["entries"][0];
    assert_eq!((&entry["users"][0]["id"], &entry["reason"]), (&json!(ann), &json!("shift")));
    let id = &made["shiftDetails"][0]["id"];
    assert_eq!((&entry["shift"]["id"], &entry["shift"]["name"]), (id, &json!("Day")));
}

fn overlaps_name_their_shifts(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let shifts = [shift("A", daily("08:00:00", "13:00:00"), &ann), shift("B", daily("12:00:00", "18:00:00"), &ann)];
    let made = create(&client, "GMT", &shifts);
    let line = timeline(&client, &made, "2026-05-01T00:00:00Z", "2026-05-02T00:00:00Z");
    assert_eq!(times(&line["overlaps"]), ["05-01T12:00/05-01T13:00"]);
    let names: Vec<&Value> =
        line["overlaps"][0]["shifts"].as_array().into_iter().flatten().map(|one| &one["name"]).collect();
    assert_eq!(names, [&json!("A"), &json!("B")]);
}

fn off_hours_are_no_gaps(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let mut body = roster("GMT", &[shift("Day", daily("06:00:00", "18:00:00"), &ann)]);
    body["offHours"] = json!([{"name": "Night", "schedule": daily("20:00:00", "06:00:00")}]);
    let made = client.post("/rosters", &body).ok();
    assert_eq!(made["offHours"], body["offHours"]);
    let line = timeline(&client, &made, "2026-05-01T00:00:00Z", "2026-05-02T00:00:00Z");
    assert_eq!(times(&line["gaps"]), ["05-01T18:00/05-01T20:00"]);
    assert_eq!(line["coverage"], json!(85.71));
    body["offHours"][0]["schedule"]["pattern"]["repeatFrequency"] = json!(0);
    client.post("/rosters", &body).invalid(&["offHours[0].schedule.pattern.repeatFrequency"]);
}

fn a_preview_stores_nothing(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let everybody = group(&client, &[&ann]);
    let mut body = roster("GMT", &[shift("Day", daily("00:00:00", "12:00:00"), &ann)]);
    body["shiftDetails"][0]["users"] = json!([]);
    body["shiftDetails"][0]["userGroups"] = json!([{"uniqueId": everybody}]);
    let at = "/rosters/preview?from=2026-05-01T00:00:00Z&to=2026-05-02T00:00:00Z";
    let line = client.post(at, &body).ok();
    assert_eq!(times(&line["entries"]), ["05-01T00:00/05-01T12:00"]);
    assert_eq!((&line["entries"][0]["users"][0]["id"], &line["coverage"]), (&json!(ann), &json!(50.0)));
    assert_eq!(client.get("/rosters/search").page()["totalResults"], json!(0));
    body["shiftDetails"][0]["users"] = json!([{"id": "USR0"}]);
    client.post(at, &body).invalid(&["shiftDetails[0].users[0].id"]);
    client.post("/rosters/preview", &body).invalid(&["from", "to", "shiftDetails[0].users[0].id"]);
}

/// A shift from each half hour of the day on, which overlaps with others.
fn an_answer_that_would_be_too_large_is_refused(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let shifts: Vec<Value> = (0..48)
        .map(|number| {
            let at = |half: u32| format!("{:02}:{:02}:00", half / 2 % 24, half % 2 * 30);
            shift(&format!("{number} {}", "n".repeat(150)), daily(&at(number), &at(number + 5)), &ann)
        })
        .collect();
    let at = |to: &str| format!("/rosters/preview?from=2036-05-01T00:00:00Z&to={to}");
    let body = roster("GMT", &shifts);
    let line = client.post(&at("2036-06-01T00:00:00Z"), &body).ok();
    assert!(line["entries"].as_array().is_some_and(|entries| entries.len() >= 31 * 48));
    client.post(&at("2037-05-01T00:00:00Z"), &body).invalid(&["to"]);
}

fn a_shift_without_people_is_a_gap(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let made = create(&client, "GMT", &[shift("Day", daily("00:00:00", "12:00:00"), &ann)]);
    client.post_empty(&format!("/users/{ann}/deactivate")).ok();
    let line = timeline(&client, &made, "2036-05-01T00:00:00Z", "2036-05-02T00:00:00Z");
    assert_eq!(times(&line["gaps"]), ["05-01T00:00/05-02T00:00"]);
    assert_eq!(line["entries"][0]["users"], json!([]));
}

fn ranges_are_checked(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let made = create(&client, "GMT", &[shift("Day", daily("00:00:00", "12:00:00"), &ann)]);
    let refused = |query: &str, fields: &[&str]| {
        client.get(&format!("{}/timeline{query}", path(&made))).invalid(fields);
    };
    refused("", &["from", "to"]);
    refused("?from=2026-05-01T00:00:00Z&to=2026-05-01T00:00:00Z", &["to"]);
    refused("?from=2026-05-01T00:00:00Z&to=2036-05-01T00:00:00Z", &["to"]);
    refused("?from=x&to=9999-05-01T00:00:00Z", &["from", "to"]);
}

fn a_shift_that_names_nobody_yet_is_a_gap(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let mut open = shift("Night", daily("12:00:00", "00:00:00"), &ann);
    open["users"] = json!([]);
    let made = create(&client, "GMT", &[shift("Day", daily("00:00:00", "12:00:00"), &ann), open]);
    assert_eq!(made["shiftDetails"][1]["users"], json!([]));
    let line = timeline(&client, &made, "2026-05-01T00:00:00Z", "2026-05-02T00:00:00Z");
    assert_eq!(times(&line["gaps"]), ["05-01T12:00/05-02T00:00"]);
    assert_eq!((&line["coverage"], &line["entries"][1]["users"]), (&json!(50.0), &json!([])));
    // Anyone who is known later is named later, and may be taken out again.
    let id = &made["shiftDetails"][1]["id"];
    let kept = json!({"id": made["shiftDetails"][0]["id"]});
    let named = json!({"shiftDetails": [kept, {"id": id, "users": [{"id": ann}]}]});
    let updated = client.post(&path(&made), &named).ok();
    assert_eq!(updated["shiftDetails"][1]["users"][0]["id"], json!(ann));
    let nobody = json!({"shiftDetails": [kept, {"id": id, "users": []}]});
    assert_eq!(client.post(&path(&made), &nobody).ok()["shiftDetails"][1]["users"], json!([]));
    // Both lists are asked for nevertheless.
    let mut body = roster("GMT", &[shift("Day", daily("00:00:00", "12:00:00"), &ann)]);
    body["shiftDetails"][0].as_object_mut().expect("a shift").remove("userGroups");
    client.post("/rosters", &body).invalid(&["shiftDetails[0].userGroups"]);
}

fn every_zone_of_the_database_is_taken(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let made = create(&client, "asia/kathmandu", &[shift("Day", daily("08:00:00", "20:00:00"), &ann)]);
    let zone = json!({"id": "Asia/Kathmandu", "name": "Asia/Kathmandu", "label": "GMT +05:45 Asia/Kathmandu",
        "code": "+0545"});
    assert_eq!(made["timeZone"], zone);
    let line = timeline(&client, &made, "2026-05-01T00:00:00Z", "2026-05-02T00:00:00Z");
    assert_eq!(times(&line["entries"]), ["05-01T02:15/05-01T14:15"]);
    // The list of the interface stays what it is.
    let listed = client.absolute("GET", "/api/v2/cfg/timezones").send().list();
    assert_eq!((listed.len(), &listed[18]["name"]), (27, &json!("Asia/Calcutta")));
}
