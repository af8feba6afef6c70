//! A person who is on call is paged, and done in less than a minute.

use std::time::{Duration, Instant};

use muster_tests::{in_browser, receiver::Receiver, unique};
use serde_json::json;

use super::{super::text, Actor, Input, results, server};

in_browser![
    a_person_on_call_is_paged_and_done_in_a_minute_by_mouse,
    a_person_on_call_is_paged_and_done_in_a_minute_by_keys,
    a_person_on_call_is_paged_and_done_in_a_minute_on_a_telephone
];

fn a_person_on_call_is_paged_and_done_in_a_minute_by_mouse() {
    answer(Input::Mouse);
}

fn a_person_on_call_is_paged_and_done_in_a_minute_by_keys() {
    answer(Input::Keys);
}

fn a_person_on_call_is_paged_and_done_in_a_minute_on_a_telephone() {
    answer(Input::Telephone);
}

fn answer(input: Input) {
    let (company, receiver) = (server().new_client(), Receiver::willing());
    let Some(eva) = Actor::sign_in(&company, "operator", input) else { return };
    let user = text(&results(&company.search("/users/search", "lastName:Sand").page())[0]["id"]);
    let method = json!({"name": "Bedside", "type": "HTTP", "url": receiver.url(), "verified": true});
    company.post(&format!("/users/{user}/contactMethods"), &method).ok();
    let schedule = json!({"type": "one-time", "startDate": "2020-01-01T00:00:00Z", "endDate": "2120-01-01T00:00:00Z"});
    let shift = json!({"name": "always", "users": [{"id": user}], "userGroups": [], "schedule": schedule});
    let roster =
        json!({"name": unique("Night"), "description": "always", "timeZone": {"name": "GMT"}, "shiftDetails": [shift]});
    let roster = text(&company.post("/rosters", &roster).ok()["id"]);
    let policy = json!({"name": unique("Night"), "steps": [{"targets": [{"roster": {"id": roster}}], "wait": "5m"}]});
    let policy = company.post("/escalationPolicies", &policy).ok()["id"].clone();
    let rules = json!([{"key": "metric", "operator": "Equals", "value": "flow"}]);
    let route = json!({"name": unique("Flow"), "matchingType": "ALL", "rules": rules, "policy": {"id": policy}});
    company.post("/alertRoutes", &route).ok();

    let begun = Instant::now();
    let subject = unique("No flow");
    let report =
        json!({"currentState": "Critical", "subject": subject, "metric": "flow", "device": {"hostName": "pump-1"}});
    let alert = text(&company.post("/alert", &report).ok()["id"]);
    let message = receiver.wait(1)[0].json();
    eva.window.go(&text(&message["link"]));
    eva.reads(&subject);
    eva.press("Acknowledge");
    eva.reads("You work on it.");
    let now = company.get(&format!("/alerts/{alert}")).ok();
    assert_eq!((&now["status"], &now["acknowledgement"]["by"]["id"]), (&json!("Acknowledged"), &json!(user)));
    eva.press("Open in console");
    eva.heading(&subject);
    eva.reads("Acknowledged by Eva Sand");
    eva.press("Close…");
    eva.fill("Note", "The valve was shut");
    eva.send("Close");
    eva.reads("Closed by Eva Sand");
    assert!(begun.elapsed() < Duration::from_secs(60), "it took {:?}", begun.elapsed());

    let now = company.get(&format!("/alerts/{alert}")).ok();
    assert_eq!((&now["status"], &now["closure"]["by"]["id"]), (&json!("Closed"), &json!(user)));
    assert_eq!(now["closure"]["note"], json!("The valve was shut"));
    let pages = results(&company.get(&format!("/pages/search?queryString=alertId:{alert}")).page());
    assert!(!pages.is_empty() && pages.iter().all(|page| page["user"]["id"] == json!(user)), "{pages:?}");
    eva.is_done();
}
