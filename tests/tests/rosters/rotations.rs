//! People take turns.

use muster_tests::{Client, Server, both_backends};
use serde_json::{Value, json};

use super::{create, daily, group, path, roster, shift, text, times, user};

both_backends![
    one_of_three_people_each_week_hands_over_on_monday_at_nine,
    hours_follow_the_sun,
    levels_say_who_is_called_first_and_who_is_next,
    people_join_and_leave_from_a_date,
    a_rotation_is_shown_as_it_was_given,
    bad_rotations_are_refused,
    around_the_clock_is_not_cut_at_midnight,
    one_person_is_covered_for,
];

pub(super) fn rotation(places: &[&[&str]], length: Value, start: &str) -> Value {
    let user = |id: &&str| json!({"id": id});
    let order: Vec<Value> =
        places.iter().map(|place| json!({"users": place.iter().map(user).collect::<Vec<_>>()})).collect();
    json!({"order": order, "length": length, "start": start})
}

pub(super) fn turns(name: &str, schedule: Value, rotation: Value) -> Value {
    json!({"name": name, "schedule": schedule, "rotation": rotation})
}

/// Time and first names of each entry.
pub(super) fn line(client: &Client, roster: &Value, from: &str, to: &str) -> Vec<String> {
    let line = client.get(&format!("{}/timeline?from={from}&to={to}", path(roster))).ok();
    let who = |one: &Value| -> Vec<String> {
        one["users"].as_array().into_iter().flatten().map(|user| text(&user["firstName"])).collect()
    };
    let entries = line["entries"].as_array().cloned().unwrap_or_default();
    times(&line["entries"])
        .into_iter()
        .zip(&entries)
        .map(|(time, one)| format!("{time} {}", who(one).join("+")))
        .collect()
}

pub(super) fn on_call(client: &Client, roster: &Value, at: &str) -> Value {
    client.get(&format!("{}/onCall?at={at}", path(roster))).ok()
}

fn one_of_three_people_each_week_hands_over_on_monday_at_nine(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let bob = user(&client, "Bob");
    let eve = user(&client, "Eve");
    let weekly = rotation(&[&[&ann], &[&bob], &[&eve]], json!({"weeks": 1}), "2026-11-23T09:00:00");
    let made = create(&client, "Europe/Vienna", &[turns("Line", daily("09:00:00", "09:00:00"), weekly)]);
    let expected = [
        "03-15T00:00/03-15T08:00 Ann",
        "03-15T08:00/03-22T08:00 Bob",
        "03-22T08:00/03-29T07:00 Eve",
        "03-29T07:00/04-05T00:00 Ann",
    ];
    assert_eq!(line(&client, &made, "2027-03-15T00:00:00Z", "2027-04-05T00:00:00Z"), expected);
    let year = client.get(&format!("{}/timeline?from=2027-01-01T00:00:00Z&to=2028-01-01T00:00:00Z", path(&made))).ok();
    assert_eq!((&year["gaps"], &year["overlaps"], &year["coverage"]), (&json!([]), &json!([]), &json!(100.0)));
    assert_eq!(year["entries"].as_array().map(Vec::len), Some(53));
    // Over the change of the clocks: the hand-over is at nine, whatever that is elsewhere.
    let asked = on_call(&client, &made, "2027-03-29T06:59:59Z");
    let now = &asked["onCall"][0];
    let next = &asked["next"][0];
    assert_eq!((&now["user"]["id"], &next["user"]["id"]), (&json!(eve), &json!(ann)));
    assert_eq!(
        (&now["since"], &now["until"]),
        (&json!("2027-03-22T08:00:00+0000"), &json!("2027-03-29T07:00:00+0000"))
    );
    assert_eq!(
        (&next["since"], &next["until"]),
        (&json!("2027-03-29T07:00:00+0000"), &json!("2027-04-05T07:00:00+0000"))
    );
    assert_eq!(client.get("/rosters/onCall?at=2027-03-29T06:59:59Z").ok()["onCall"], asked["onCall"]);
    // Nobody has a turn before the first hand-over.
    assert_eq!(on_call(&client, &made, "2026-11-23T07:59:59Z")["onCall"], json!([]));
    let of = |user: &str| client.get(&format!("/rosters/onCall?at=2027-03-29T06:59:59Z&userId={user}")).ok();
    assert_eq!((&of(&eve)["onCall"][0], &of(&eve)["next"]), (now, &json!([])));
    assert_eq!((&of(&ann)["onCall"], &of(&ann)["next"][0]), (&json!([]), next));
}

fn hours_follow_the_sun(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let bob = user(&client, "Bob");
    let eight = rotation(&[&[&ann], &[&bob]], json!({"hours": 12}), "2026-10-24T22:00:00");
    let made = create(&client, "Europe/Paris", &[turns("Sun", daily("00:00:00", "00:00:00"), eight)]);
    let expected = ["10-24T20:00/10-25T08:00 Ann", "10-25T08:00/10-25T20:00 Bob", "10-25T20:00/10-26T00:00 Ann"];
    assert_eq!(line(&client, &made, "2026-10-24T20:00:00Z", "2026-10-26T00:00:00Z"), expected);
}

fn levels_say_who_is_called_first_and_who_is_next(server: &Server) {
    let client = server.new_client();
    let people: Vec<String> = ["Ann", "Bob", "Eve", "Dan"].iter().map(|name| user(&client, name)).collect();
    let [ann, bob, eve, dan] = people.as_slice() else { panic!("four people") };
    let weekly = |one: &str, other: &str| rotation(&[&[one], &[other]], json!({"weeks": 1}), "2026-11-23T09:00:00");
    let daily_turns = rotation(&[&[eve], &[dan]], json!({"days": 1}), "2026-11-23T09:00:00");
    let mut first = turns("First", daily("09:00:00", "09:00:00"), weekly(ann, bob));
    first["level"] = json!("Primary");
    let mut second = turns("Second", daily("09:00:00", "09:00:00"), daily_turns);
    second["level"] = json!("secondary");
    let made = create(&client, "GMT", &[first, second]);
    let asked = on_call(&client, &made, "2026-11-24T12:00:00Z");
    let told = |list: &Value| -> Vec<(String, String, String)> {
        let one = |one: &Value| (text(&one["level"]), text(&one["user"]["id"]), text(&one["since"])[5..16].to_owned());
        list.as_array().into_iter().flatten().map(one).collect()
    };
    let own = |level: &str, user: &String, since: &str| (level.to_owned(), user.clone(), since.to_owned());
    let mut now = told(&asked["onCall"]);
    now.sort();
    assert_eq!(now, [own("primary", ann, "11-23T09:00"), own("secondary", dan, "11-24T09:00")]);
    assert_eq!(told(&asked["next"]), [own("primary", bob, "11-30T09:00"), own("secondary", eve, "11-25T09:00")]);
    let line = client.get(&format!("{}/timeline?from=2026-11-24T00:00:00Z&to=2026-11-25T00:00:00Z", path(&made))).ok();
    assert_eq!(line["overlaps"], json!([]), "who is called second is there beside the first");
    let levels = |level: &str| {
        line["entries"].as_array().into_iter().flatten().filter(|one| one["level"] == json!(level)).count()
    };
    assert_eq!((levels("primary"), levels("secondary")), (1, 2));
}

fn people_join_and_leave_from_a_date(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let bob = user(&client, "Bob");
    let eve = user(&client, "Eve");
    let two = rotation(&[&[&ann], &[&bob]], json!({"weeks": 1}), "2030-01-07T09:00:00");
    let made = create(&client, "GMT", &[turns("Line", daily("09:00:00", "09:00:00"), two)]);
    let before = line(&client, &made, "2030-01-07T00:00:00Z", "2030-02-04T09:00:00Z");
    let three = rotation(&[&[&eve], &[&ann], &[&bob]], json!({"weeks": 1}), "2030-02-04T09:00:00");
    let id = &made["shiftDetails"][0]["id"];
    let edit = json!({"effectiveFrom": "2030-02-04T09:00:00Z", "shiftDetails": [{"id": id, "rotation": three}]});
    let updated = client.post(&path(&made), &edit).ok();
    assert_eq!(updated["effectiveFrom"], json!("2030-02-04T09:00:00+0000"));
    assert_eq!(updated["shiftDetails"][0]["rotation"]["order"].as_array().map(Vec::len), Some(3));
    assert_eq!(line(&client, &made, "2030-01-07T00:00:00Z", "2030-02-04T09:00:00Z"), before, "what is before stays");
    let after = line(&client, &made, "2030-02-04T09:00:00Z", "2030-02-25T09:00:00Z");
    let expected = ["02-04T09:00/02-11T09:00 Eve", "02-11T09:00/02-18T09:00 Ann", "02-18T09:00/02-25T09:00 Bob"];
    assert_eq!(after, expected);
    // Until then the roster is what it was; then it will be another.
    let places = |at: &str| {
        client.get(&format!("{}{at}", path(&made))).ok()["shiftDetails"][0]["rotation"]["order"]
            .as_array()
            .map(Vec::len)
    };
    assert_eq!(
        (places(""), places("?at=2030-02-04T08:59:59Z"), places("?at=2030-02-04T09:00:00Z")),
        (Some(2), Some(2), Some(3))
    );
    // A name changes at once, and nothing that was planned goes with it; another edit of the plan replaces it.
    client.post(&path(&made), &json!({"description": "other"})).ok();
    assert_eq!(places("?at=2030-02-04T09:00:00Z"), Some(3));
    let sooner = json!({"effectiveFrom": "2030-01-14T09:00:00Z",
        "shiftDetails": [{"id": id, "rotation": {"order": []}, "users": [{"id": ann}]}]});
    client.post(&path(&made), &sooner).ok();
    assert_eq!(line(&client, &made, "2030-01-08T00:00:00Z", "2030-03-01T00:00:00Z"), ["01-08T00:00/03-01T00:00 Ann"]);
    client
        .post(&path(&made), &json!({"effectiveFrom": "2020-01-01T00:00:00Z", "shiftDetails": [{"id": id}]}))
        .invalid(&["effectiveFrom"]);
}

fn a_rotation_is_shown_as_it_was_given(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let bob = user(&client, "Bob");
    let team = group(&client, &[&bob]);
    let given = json!({"order": [{"users": [{"id": ann}]}, {"users": [], "userGroups": [{"uniqueId": team}]}],
        "length": {"days": "2"}, "start": "2026-11-23T09:00:00"});
    let made = create(&client, "GMT", &[turns("Line", daily("09:00:00", "17:00:00"), given)]);
    let shown = client.get(&path(&made)).ok()["shiftDetails"][0].clone();
    let rotation = &shown["rotation"];
    assert_eq!((&rotation["length"], &rotation["start"]), (&json!({"days": 2}), &json!("2026-11-23T09:00:00")));
    assert_eq!(
        (&rotation["order"][0]["users"][0]["id"], &rotation["order"][0]["userGroups"]),
        (&json!(ann), &json!([]))
    );
    assert_eq!(rotation["order"][1]["userGroups"][0]["uniqueId"], json!(team));
    assert_eq!((&shown["users"], &shown["userGroups"], shown.get("level")), (&json!([]), &json!([]), None));
    assert_eq!(line(&client, &made, "2026-11-25T00:00:00Z", "2026-11-26T00:00:00Z"), ["11-25T09:00/11-25T17:00 Bob"]);
}

fn bad_rotations_are_refused(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let refused = |rotation: Value, fields: &[&str]| {
        let body = roster("GMT", &[turns("Line", daily("09:00:00", "17:00:00"), rotation)]);
        let paths: Vec<String> = fields.iter().map(|field| format!("shiftDetails[0].rotation{field}")).collect();
        client.post("/rosters", &body).invalid(&paths.iter().map(String::as_str).collect::<Vec<_>>());
    };
    refused(json!({}), &[".order", ".length", ".start"]);
    refused(rotation(&[], json!({"weeks": 1}), "2026-11-23T09:00:00"), &[".order"]);
    refused(rotation(&[&[ann.as_str()][..]; 101], json!({"weeks": 1}), "2026-11-23T09:00:00"), &[".order"]);
    refused(
        rotation(&[&[&ann], &["USR9999999999"]], json!({"weeks": 1}), "2026-11-23T09:00:00"),
        &[".order[1].users[0].id"],
    );
    refused(rotation(&[&[&ann]], json!({"weeks": 1, "days": 1}), "2026-11-23T09:00:00Z"), &[".length", ".start"]);
    refused(rotation(&[&[&ann]], json!({"hours": 0}), "2026-11-23T09:00:00"), &[".length.hours"]);
    refused(rotation(&[&[&ann]], json!({"occurrences": 0}), "2026-11-23T09:00:00"), &[".length.occurrences"]);
    refused(rotation(&[&[&ann]], json!({"occurrences": 367}), "2026-11-23T09:00:00"), &[".length.occurrences"]);
    refused(rotation(&[&[&ann]], json!({"occurrences": 1, "days": 1}), "2026-11-23T09:00:00"), &[".length"]);
    refused(json!({"order": [{}], "length": {"weeks": 1}, "start": "2026-11-23T09:00:00"}), &[".order[0]"]);
    let mut body = roster("GMT", &[shift("Day", daily("09:00:00", "17:00:00"), &ann)]);
    body["shiftDetails"][0]["level"] = json!("third");
    client.post("/rosters", &body).invalid(&["shiftDetails[0].level"]);
    assert_eq!(client.get("/rosters/search").page()["totalResults"], json!(0), "nothing is stored");
}

fn around_the_clock_is_not_cut_at_midnight(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let bob = user(&client, "Bob");
    let made = create(&client, "GMT", &[shift("Whole", daily("00:00:00", "00:00:00"), &ann)]);
    let asked = on_call(&client, &made, "2026-05-01T12:00:00Z");
    assert_eq!(asked["onCall"][0]["since"], json!("2026-01-01T00:00:00+0000"));
    assert!(asked["onCall"][0].get("until").is_none() && asked["next"] == json!([]), "{asked}");
    assert_eq!(line(&client, &made, "2026-05-01T00:00:00Z", "2026-06-01T00:00:00Z"), ["05-01T00:00/06-01T00:00 Ann"]);
    // An edit that changes nothing for her is not a hand-over.
    let id = &made["shiftDetails"][0]["id"];
    client.post(&path(&made), &json!({"timeZone": {"name": "UTC"}})).ok();
    assert_eq!(
        on_call(&client, &made, "2027-05-01T12:00:00Z")["onCall"][0]["since"],
        json!("2026-01-01T00:00:00+0000")
    );
    let edit = json!({"effectiveFrom": "2036-06-01T00:00:00Z", "shiftDetails": [{"id": id, "users": [{"id": bob}]}]});
    client.post(&path(&made), &edit).ok();
    let asked = on_call(&client, &made, "2036-05-01T12:00:00Z");
    assert_eq!(
        (&asked["onCall"][0]["until"], &asked["next"][0]["user"]["id"]),
        (&json!("2036-06-01T00:00:00+0000"), &json!(bob))
    );
}

fn one_person_is_covered_for(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let bob = user(&client, "Bob");
    let eve = user(&client, "Eve");
    let mut both = shift("Day", daily("08:00:00", "20:00:00"), &ann);
    both["users"] = json!([{"id": ann}, {"id": bob}]);
    let made = create(&client, "GMT", &[both]);
    let body = json!({"user": {"id": eve}, "replaces": {"id": ann}, "shift": made["shiftDetails"][0]["id"],
        "note": "Dentist", "start": "2030-05-01T12:00:00Z", "end": "2030-05-01T14:00:00Z"});
    let over = client.post(&format!("{}/overrides", path(&made)), &body).ok();
    assert_eq!((&over["user"]["id"], &over["replaces"]["id"]), (&json!(eve), &json!(ann)));
    let expected = [
        "05-01T08:00/05-01T12:00 Ann+Bob",
        "05-01T12:00/05-01T14:00 Bob",
        "05-01T12:00/05-01T14:00 Eve",
        "05-01T14:00/05-01T20:00 Ann+Bob",
    ];
    assert_eq!(line(&client, &made, "2030-05-01T00:00:00Z", "2030-05-02T00:00:00Z"), expected);
    let asked = on_call(&client, &made, "2030-05-01T13:00:00Z");
    let by = asked["onCall"]
        .as_array()
        .into_iter()
        .flatten()
        .find(|one| one["user"]["id"] == json!(eve))
        .cloned()
        .unwrap_or_default();
    assert_eq!(
        (&by["reason"], &by["override"]["id"], &by["override"]["note"]),
        (&json!("override"), &over["id"], &json!("Dentist"))
    );
    assert_eq!((&by["override"]["replaces"][0]["id"], &by["override"]["createdBy"]), (&json!(ann), &over["createdBy"]));
    let line = client.get(&format!("{}/timeline?from=2030-05-01T00:00:00Z&to=2030-05-02T00:00:00Z", path(&made))).ok();
    assert_eq!(
        (&line["overlaps"], line["entries"][2]["override"]["replaces"][0]["firstName"].as_str()),
        (&json!([]), Some("Ann"))
    );
    // Who is not on call is covered for by nobody.
    let idle = json!({"user": {"id": ann}, "replaces": {"id": eve}, "start": "2030-05-02T12:00:00Z",
        "end": "2030-05-02T14:00:00Z"});
    client.post(&format!("{}/overrides", path(&made)), &idle).ok();
    assert_eq!(on_call(&client, &made, "2030-05-02T13:00:00Z")["onCall"].as_array().map(Vec::len), Some(2));
    // An override of the whole shift says whom it replaces.
    let whole = json!({"user": {"id": eve}, "shift": made["shiftDetails"][0]["id"], "start": "2030-05-03T00:00:00Z",
        "end": "2030-05-04T00:00:00Z"});
    client.post(&format!("{}/overrides", path(&made)), &whole).ok();
    let asked = on_call(&client, &made, "2030-05-03T13:00:00Z");
    assert_eq!(asked["onCall"][0]["override"]["replaces"].as_array().map(Vec::len), Some(2));
}
