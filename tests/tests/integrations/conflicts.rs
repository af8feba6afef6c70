//! Conflicts of rosters are told ahead, each once.

use std::time::Duration;

use muster_tests::{Backend, Client, both_backends, fresh_database, unique};
use serde_json::{Value, json};

use super::{
    event,
    gateways::two,
    install,
    receiver::{Receiver, wait_for},
    server, text,
    times::soon,
};
use crate::paging::reachable;

both_backends![
    conflicts_are_told_ahead_once_and_again_when_they_come_again,
    a_roster_says_who_is_told_of_its_conflicts,
    conflicts_across_clients_are_told_to_the_partner,
    too_much_to_find_conflicts_in_is_told_once,
];

const DAY: u64 = 86_400;

/// A roster with a shift of so many hours in two days.
fn roster(client: &Client, user: &str, hours: u64) -> Value {
    let schedule = json!({"type": "one-time", "startDate": soon(2 * DAY), "endDate": soon(2 * DAY + hours * 3_600)});
    let shift = json!({"name": "s", "users": [{"id": user}], "userGroups": [], "schedule": schedule});
    // Nobody needs to be on call at other times.
    let daily = json!({"type": "recurring", "startDate": "2026-01-01T00:00:00Z", "startTime": "00:00:00",
        "endTime": "00:00:00", "pattern": {"type": "daily", "repeatFrequency": 1}, "endPattern": {"type": "NEVER"}});
    let body = json!({"name": unique("r"), "description": "d", "timeZone": {"name": "GMT"}, "shiftDetails": [shift],
        "offHours": [{"schedule": daily}]});
    client.post("/rosters", &body).ok()
}

fn person(client: &Client) -> String {
    text(&client.post("/users", &json!({"loginName": unique("ann"), "lastName": "x"})).ok()["id"])
}

fn listen(client: &Client) -> Receiver {
    let receiver = Receiver::willing();
    let template = "$rosterConflict.kind $rosterConflict.user.id $rosterConflict.roster.id";
    let body = json!({"entity": "RosterConflict", "eventType": "CREATE", "eventPayload": template});
    event(client, &install(client, &receiver.url()), &body);
    receiver
}

fn told(receiver: &Receiver) -> Vec<String> {
    let mut told: Vec<String> = receiver.all().iter().map(|one| one.text()).collect();
    told.sort_unstable();
    told
}

#[track_caller]
fn wait(receiver: &Receiver, expected: &[String]) {
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    wait_for(
        Duration::from_secs(60),
        || told(receiver) == expected,
        || format!("{:?}, not {expected:?}", told(receiver)),
    );
}

fn conflicts_are_told_ahead_once_and_again_when_they_come_again(backend: Backend) {
    let client = server(backend).new_client();
    let receiver = listen(&client);
    let (ann, bob) = (person(&client), person(&client));
    let first = roster(&client, &ann, 8);
    let second = roster(&client, &ann, 4);
    let twice = format!("doubleBooking {ann} {}", text(&second["id"]));
    let twice_or = format!("doubleBooking {ann} {}", text(&first["id"]));
    wait_for(Duration::from_secs(60), || !told(&receiver).is_empty(), || "nothing is told".to_owned());
    let twice = if told(&receiver) == [twice_or.clone()] { twice_or } else { twice };
    wait(&receiver, std::slice::from_ref(&twice));
    // Time off is another one, and what was told stays told.
    let off = json!({"from": soon(DAY), "to": soon(3 * DAY), "reason": "holidays"});
    let off = client.post(&format!("/users/{ann}/timeOff"), &off).ok();
    let away = |roster: &Value| format!("timeOff {ann} {}", text(&roster["id"]));
    let all = [twice.clone(), away(&first), away(&second)];
    wait(&receiver, &all);
    // It ends, and comes again.
    let stand = |user: &str| {
        let shift = json!({"id": second["shiftDetails"][0]["id"], "users": [{"id": user}]});
        client.post(&format!("/rosters/{}", text(&second["id"])), &json!({"shiftDetails": [shift]})).ok();
    };
    client.delete(&format!("/users/{ann}/timeOff/{}", text(&off["id"]))).ok();
    stand(&bob);
    std::thread::sleep(Duration::from_secs(5));
    wait(&receiver, &all);
    stand(&ann);
    let again = [&all[..], &[twice]].concat();
    wait(&receiver, &again);
    std::thread::sleep(Duration::from_secs(3));
    wait(&receiver, &again);
}

fn a_roster_says_who_is_told_of_its_conflicts(backend: Backend) {
    let client = server(backend).new_client();
    let hooks = Receiver::willing();
    let owner = reachable(&client, &hooks.url());
    let ann = person(&client);
    let wrong = json!({"conflictsTo": [{"user": {"id": "USR0999999999"}}, {}]});
    let made = roster(&client, &ann, 8);
    let path = format!("/rosters/{}", text(&made["id"]));
    let refused = client.post(&path, &wrong);
    assert_eq!(refused.status, 400);
    let off = json!({"from": soon(DAY), "to": soon(3 * DAY), "reason": "holidays"});
    client.post(&format!("/users/{ann}/timeOff"), &off).ok();
    std::thread::sleep(Duration::from_secs(4));
    assert!(hooks.all().is_empty(), "nobody is to be told");
    let named = json!({"conflictsTo": [{"user": {"id": owner}}]});
    let changed = client.post(&path, &named).ok();
    assert_eq!(changed["conflictsTo"][0]["user"]["id"], json!(owner));
    let about = |number: usize| hooks.wait(number).iter().map(|one| one.text()).collect::<Vec<_>>();
    assert!(about(1)[0].contains("on call during time off"), "{:?}", about(1));
    let pages = client.get("/pages/search?queryString=kind:message").page();
    assert_eq!((&pages["totalResults"], &pages["results"][0]["user"]["id"]), (&json!(1), &json!(owner)), "{pages}");
    // Nobody is told again.
    client.post(&path, &json!({"description": "new"})).ok();
    std::thread::sleep(Duration::from_secs(4));
    assert_eq!(about(1).len(), 1);
    let none = client.post(&path, &json!({"conflictsTo": []})).ok();
    assert_eq!(none.get("conflictsTo"), None);
}

#[test]
fn two_gateways_tell_of_each_conflict_once() {
    let (first, second) = two(&fresh_database());
    let client = second.admin().tenant("client_1");
    let receiver = listen(&client);
    let ann = person(&client);
    let off = json!({"from": soon(DAY), "to": soon(3 * DAY), "reason": "holidays"});
    client.post(&format!("/users/{ann}/timeOff"), &off).ok();
    let mut expected = Vec::new();
    for number in 0..20 {
        let own = if number % 2 == 0 { &client } else { &first.admin().tenant("client_1") };
        // One after another, so that nothing is at once.
        let start = 30 * 3_600 + number * 3_600;
        let schedule = json!({"type": "one-time", "startDate": soon(start), "endDate": soon(start + 1_800)});
        let shift = json!({"name": "s", "users": [{"id": ann}], "userGroups": [], "schedule": schedule});
        let daily = json!({"type": "recurring", "startDate": "2026-01-01T00:00:00Z", "startTime": "00:00:00",
            "endTime": "00:00:00", "pattern": {"type": "daily", "repeatFrequency": 1},
            "endPattern": {"type": "NEVER"}});
        let body = json!({"name": format!("r{number}"), "description": "d", "timeZone": {"name": "GMT"},
            "shiftDetails": [shift], "offHours": [{"schedule": daily}]});
        let made = text(&own.post("/rosters", &body).ok()["id"]);
        expected.push(format!("timeOff {ann} {made}"));
    }
    expected.sort_unstable();
    let told = || {
        let mut told = told(&receiver);
        told.retain(|text| text.starts_with("timeOff"));
        told
    };
    wait_for(Duration::from_secs(60), || told().len() >= expected.len(), || format!("{} told", told().len()));
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(told(), expected);
}

/// What clients' rosters ask of one person together is the partner's business, and none of theirs.
fn conflicts_across_clients_are_told_to_the_partner(backend: Backend) {
    let server = server(backend);
    let partner = server.admin();
    let receiver = listen(&partner);
    let sue = person(&partner);
    // Other tests have clients of this partner, too.
    let told_of = |receiver: &Receiver| {
        let mut told = told(receiver);
        told.retain(|text| text.contains(&sue));
        told
    };
    let [first, second] = [server.new_client(), server.new_client()];
    let of_client = listen(&first);
    let made = [(&first, 8), (&second, 4)].map(|(client, hours)| text(&roster(client, &sue, hours)["id"]));
    wait_for(Duration::from_secs(60), || !told_of(&receiver).is_empty(), || "nothing is told".to_owned());
    let twice = told_of(&receiver).remove(0);
    assert!(made.iter().any(|id| twice == format!("doubleBooking {sue} {id}")), "{twice}");
    // Nor does a client know when people of its partner are away.
    let off = json!({"from": soon(DAY), "to": soon(3 * DAY), "reason": "holidays"});
    partner.post(&format!("/users/{sue}/timeOff"), &off).ok();
    let mut all: Vec<String> = made.iter().map(|id| format!("timeOff {sue} {id}")).chain([twice]).collect();
    all.sort_unstable();
    wait_for(Duration::from_secs(60), || told_of(&receiver).len() >= all.len(), || "time off is not told".to_owned());
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!((told_of(&receiver), told(&of_client)), (all, Vec::new()));
}

/// A shift for each minute of an hour and more, all of one person, is more than can be told.
fn too_much_to_find_conflicts_in_is_told_once(backend: Backend) {
    let client = server(backend).new_client();
    let receiver = listen(&client);
    let hooks = Receiver::willing();
    let owner = reachable(&client, &hooks.url());
    let ann = person(&client);
    let shifts: Vec<Value> = (0..100)
        .map(|number| {
            let [start, end] = [8, 18].map(|hour| format!("{:02}:{:02}:00", hour + number / 60, number % 60));
            let schedule = json!({"type": "recurring", "startDate": "2026-01-01T00:00:00Z", "startTime": start,
                "endTime": end, "pattern": {"type": "daily", "repeatFrequency": 1}, "endPattern": {"type": "NEVER"}});
            json!({"name": number.to_string(), "schedule": schedule, "users": [{"id": ann}], "userGroups": []})
        })
        .collect();
    let body = json!({"name": unique("r"), "description": "d", "timeZone": {"name": "GMT"}, "shiftDetails": shifts,
        "conflictsTo": [{"user": {"id": owner}}]});
    let made = client.post("/rosters", &body).ok();
    let path = format!("/rosters/{}", text(&made["id"]));
    let range = format!("from={}&to={}", soon(0), soon(7 * DAY));
    client.get(&format!("/rosters/conflicts?{range}")).invalid(&["to"]);
    let too_much = || told(&receiver).iter().filter(|text| text.trim() == "tooMuch").count();
    wait_for(Duration::from_secs(60), || too_much() == 1, || format!("{:?}", told(&receiver)));
    let message = hooks.wait(1)[0].text();
    assert!(message.contains("conflicts are not looked for"), "{message}");
    client.post(&path, &json!({"description": "new"})).ok();
    std::thread::sleep(Duration::from_secs(4));
    assert_eq!((told(&receiver).len(), hooks.all().len()), (1, 1));
    // Once there is less, conflicts are told; and too much is told again when it comes again.
    client.post(&path, &json!({"shiftDetails": [shifts[0], shifts[50]]})).ok();
    let has = |kind: &str| told(&receiver).iter().any(|text| text.starts_with(kind));
    wait_for(Duration::from_secs(60), || has("doubleBooking"), || format!("{:?}", told(&receiver)));
    client.post(&path, &json!({"shiftDetails": shifts})).ok();
    wait_for(Duration::from_secs(60), || too_much() == 2, || format!("{:?}", told(&receiver)));
}
