//! What was stays: who was on call is answered from what was true then.

use muster_tests::{Client, Server, both_backends, rounds};
use serde_json::{Value, json};

use super::{create, daily, group, path, roster, shift, text, times, user};

both_backends![
    answers_stay_the_same,
    a_deleted_roster_has_a_past_and_no_future,
    names_and_members_are_those_of_the_time,
];

/// Waits until changes take effect later than everything that was done so far: times are whole seconds.
pub(super) fn next_second(client: &Client) -> String {
    let now = || text(&client.get("/rosters/onCall").ok()["at"]);
    let begun = now();
    loop {
        let at = now();
        if at != begun {
            return at;
        }
    }
}

/// Who was on call, and since when; until when only where that is past, too.
fn answer(client: &Client, of: &str, at: &str, changed: &str) -> Value {
    let mut answer = client.get(&format!("{of}/onCall?at={at}")).ok();
    let mut list = answer["onCall"].take();
    for one in list.as_array_mut().into_iter().flatten() {
        if one["until"].as_str().is_none_or(|until| until >= changed) {
            one["until"] = json!("later");
        }
    }
    list
}

/// Who was on call at many instants of ten months, in each of some rosters and in all together; and their timelines of
/// a range.
pub(super) struct PastAnswers<'t> {
    client: &'t Client,
    paths: &'t [String],
    /// What has happened until then does not change.
    changed: &'t str,
    /// Of the timelines: `from` and `to`.
    range: &'static str,
    instants: usize,
}

impl<'t> PastAnswers<'t> {
    pub(super) fn of(client: &'t Client, paths: &'t [String], changed: &'t str, range: &'static str) -> Self {
        Self { client, paths, changed, range, instants: rounds("instants of the past", 30, 100) }
    }

    /// The same, asked by another client.
    pub(super) fn from(self, client: &'t Client) -> Self {
        Self { client, ..self }
    }

    /// The answers, and the timelines.
    pub(super) fn ask(&self) -> (Vec<Value>, Vec<Value>) {
        let instants = (0..self.instants)
            .map(|number| format!("2026-{:02}-{:02}T{:02}:30:00Z", 1 + number % 10, 1 + number % 27, number * 7 % 24));
        let instants: Vec<String> = instants.collect();
        let of = self.paths.iter().map(String::as_str).chain(["/rosters"]);
        let answers = of.flat_map(|of| instants.iter().map(move |at| answer(self.client, of, at, self.changed)));
        let answers: Vec<Value> = answers.collect();
        assert_eq!(answers.len(), self.instants * (self.paths.len() + 1));
        let line = |path: &String| self.client.get(&format!("{path}/timeline?{}", self.range)).ok();
        (answers, self.paths.iter().map(line).collect())
    }

    /// Asks again: the same answers and timelines.
    pub(super) fn check_unchanged(&self, (answers, lines): (&[Value], &[Value])) {
        let (answers_now, lines_now) = self.ask();
        for (place, (before, now)) in answers.iter().zip(&answers_now).enumerate() {
            assert_eq!(before, now, "answer {place} is another now");
        }
        assert_eq!(lines, lines_now);
    }
}

fn answers_stay_the_same(server: &Server) {
    let client = server.new_client();
    let people: Vec<String> = (0..8).map(|number| user(&client, &format!("P{number}"))).collect();
    let person = |number: usize| json!({"id": people[number]});
    let teams = [group(&client, &[&people[4], &people[5]]), group(&client, &[&people[6], &people[7]])];
    let turns = |unit: &str, order: Value| json!({"order": order, "length": {unit: 5}, "start": "2026-01-05T09:00:00"});
    let team = |number: usize| json!([{"uniqueId": teams[number]}]);
    let mut of_team = shift("Team", daily("20:00:00", "08:00:00"), &people[0]);
    of_team["userGroups"] = team(0);
    let mut second = json!({"name": "Second", "schedule": daily("00:00:00", "00:00:00"), "level": "secondary"});
    second["rotation"] =
        turns("hours", json!([{"users": [person(2)]}, {"userGroups": team(1)}, {"users": [person(3), person(1)]}]));
    let mut daily_turns = json!({"name": "Turns", "schedule": daily("09:00:00", "17:00:00")});
    daily_turns["rotation"] = turns(
        "days",
        json!([{"users": [person(0)]}, {"users": [person(1)]}, {"users": [person(2)], "userGroups": team(0)}]),
    );
    let rosters = [
        create(&client, "Europe/Paris", &[shift("Day", daily("08:00:00", "20:00:00"), &people[0]), of_team]),
        create(&client, "America/New_York", &[shift("Whole", daily("00:00:00", "00:00:00"), &people[1]), second]),
        create(&client, "Asia/Kathmandu", &[daily_turns]),
        create(&client, "GMT", &[shift("Late", daily("12:00:00", "23:00:00"), &people[3])]),
    ];
    let paths: Vec<String> = rosters.iter().map(path).collect();
    let mut overrides = Vec::new();
    for (place, body) in [
        (
            0,
            json!({"user": person(7), "start": "2026-06-01T00:00:00Z", "end": "2027-05-01T00:00:00Z",
                "shift": rosters[0]["shiftDetails"][0]["id"], "note": "Sabbatical"}),
        ),
        (
            1,
            json!({"user": person(6), "replaces": person(1), "start": "2026-03-01T00:00:00Z",
                "end": "2027-02-01T00:00:00Z"}),
        ),
        (3, json!({"user": person(5), "start": "2026-09-01T00:00:00Z", "end": "2027-08-01T00:00:00Z"})),
    ] {
        let made = client.post(&format!("{}/overrides", paths[place]), &body).ok();
        overrides.push(format!("{}/overrides/{}", paths[place], text(&made["id"])));
    }
    let changed = next_second(&client);
    let range = "from=2026-09-20T00:00:00Z&to=2026-10-20T00:00:00Z";
    let past = PastAnswers::of(&client, &paths, &changed, range);
    let (before, lines_before) = past.ask();
    let taken = before.iter().filter(|list| **list != json!([])).count();
    assert!(taken > before.len() * 3 / 5, "somebody is on call mostly: {taken}");

    for number in [0, 4, 7] {
        client.post_empty(&format!("/users/{}/deactivate", people[number])).ok();
    }
    for number in [1, 2, 5] {
        let other = json!({"firstName": "Renamed", "lastName": "Person", "mobileNumber": "+1 555 0999"});
        client.post(&format!("/users/{}", people[number]), &other).ok();
    }
    client.request("DELETE", &format!("/userGroups/{}/members", teams[0])).json(&json!([person(5)])).send().ok();
    client.post(&format!("/userGroups/{}/members", teams[0]), &json!([person(3)])).ok();
    client
        .post(
            &format!("/userGroups/{}", teams[1]),
            &json!({"users": [person(0)], "name": format!("other {}", teams[1])}),
        )
        .ok();
    client.post_empty(&format!("/userGroups/{}/deactivate", teams[1])).ok();
    for (place, body) in [
        (
            0,
            json!({"timeZone": {"name": "Asia/Tokyo"},
                "shiftDetails": [{"id": rosters[0]["shiftDetails"][0]["id"], "users": [person(6)]}]}),
        ),
        (
            1,
            json!({"shiftDetails": [{"id": rosters[1]["shiftDetails"][1]["id"],
                "rotation": turns("weeks", json!([{"users": [person(6)]}]))}]}),
        ),
        (
            2,
            json!({"name": format!("renamed {}", paths[2]), "offHours": [{"schedule": daily("00:00:00", "12:00:00")}]}),
        ),
    ] {
        client.post(&paths[place], &body).ok();
    }
    overrides.iter().for_each(|path| drop(client.delete(path).ok()));
    client.delete(&paths[3]).ok();
    client.delete(&paths[1]).ok();

    past.check_unchanged((&before, &lines_before));
    // And yet everything is different now.
    assert!(client.get("/rosters/onCall").ok()["onCall"].as_array().is_some_and(|list| {
        list.iter().all(|one| one["user"]["id"] != json!(people[0]) && one["roster"]["id"] != rosters[1]["id"])
    }));
}

fn a_deleted_roster_has_a_past_and_no_future(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let made = create(&client, "GMT", &[shift("Day", daily("00:00:00", "00:00:00"), &ann)]);
    let later = json!({"user": {"id": ann}, "start": "2036-01-01T00:00:00Z", "end": "2036-01-02T00:00:00Z"});
    client.post(&format!("{}/overrides", path(&made)), &later).ok();
    let past = "2026-05-01T12:00:00Z";
    client.delete(&path(&made)).ok();
    let read = client.get(&format!("{}?at={past}", path(&made))).ok();
    assert_eq!((&read["name"], &read["shiftDetails"][0]["name"]), (&made["name"], &json!("Day")));
    assert!(read["deletedTime"].is_string(), "{read}");
    for of in [path(&made), "/rosters".to_owned()] {
        let asked = client.get(&format!("{of}/onCall?at={past}")).ok();
        assert_eq!(
            (&asked["onCall"][0]["user"]["id"], &asked["onCall"][0]["until"]),
            (&json!(ann), &read["deletedTime"])
        );
        assert_eq!(asked["next"], json!([]));
    }
    assert_eq!(client.get("/rosters/onCall?at=2036-01-01T12:00:00Z").ok()["onCall"], json!([]));
    let line = client.get(&format!("{}/timeline?from=2026-05-01T00:00:00Z&to=2026-05-02T00:00:00Z", path(&made))).ok();
    assert_eq!(
        (times(&line["entries"]), &line["coverage"]),
        (vec!["05-01T00:00/05-02T00:00".to_owned()], &json!(100.0))
    );
    let line = client.get(&format!("{}/timeline?from=2036-01-01T00:00:00Z&to=2036-01-02T00:00:00Z", path(&made))).ok();
    assert_eq!((&line["entries"], &line["gaps"]), (&json!([]), &json!([])));
    // Nothing more can be done with it, and its name is free.
    client.get(&path(&made)).not_found();
    client.get(&format!("{}/onCall?at=2036-01-01T12:00:00Z", path(&made))).not_found();
    client.post(&path(&made), &json!({"name": "x"})).not_found();
    client.post(&format!("{}/overrides", path(&made)), &later).not_found();
    client.delete(&path(&made)).not_found();
    let mut again = roster("GMT", &[shift("Day", daily("00:00:00", "00:00:00"), &ann)]);
    again["name"] = made["name"].clone();
    client.post("/rosters", &again).ok();
}

fn names_and_members_are_those_of_the_time(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let bob = user(&client, "Bob");
    let team = group(&client, &[&ann]);
    let mut whole = shift("Day", daily("00:00:00", "00:00:00"), &ann);
    whole["users"] = json!([]);
    whole["userGroups"] = json!([{"uniqueId": team}]);
    let made = create(&client, "GMT", &[whole]);
    let before = next_second(&client);
    next_second(&client);
    client.post(&format!("/userGroups/{team}/members"), &json!([{"id": bob}])).ok();
    client.post(&format!("/users/{ann}"), &json!({"firstName": "Anna"})).ok();
    let between = next_second(&client);
    next_second(&client);
    client.request("DELETE", &format!("/userGroups/{team}/members")).json(&json!([{"id": ann}])).send().ok();
    let now = next_second(&client);
    let names = |at: &str| -> Vec<String> {
        let asked = client.get(&format!("{}/onCall?at={at}", path(&made)).replace('+', "%2B")).ok();
        let mut names: Vec<String> =
            asked["onCall"].as_array().into_iter().flatten().map(|one| text(&one["user"]["firstName"])).collect();
        names.sort();
        names
    };
    assert_eq!((names(&before), names(&now)), (vec!["Ann".to_owned()], vec!["Bob".to_owned()]));
    assert_eq!(names(&between), ["Anna", "Bob"], "under the new name");
}
