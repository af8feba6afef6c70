//! What people do with the escalation of an alert besides answering: they take its next step, or hand it over.

use std::time::Duration;

use muster_tests::{
    Backend, Client, Response, Server, both_backends,
    receiver::{Receiver, wait_for},
    unique,
};
use serde_json::{Value, json};

use super::{person, reachable, somebody, text};

both_backends![
    the_next_step_is_taken_by_who_asks_for_it,
    a_handed_over_alert_is_told_to_those_who_have_it_now,
    who_does_not_answer_a_hand_over_is_not_the_last,
    an_alert_that_no_policy_takes_is_handed_over,
    a_roster_has_the_alert_then,
    nothing_is_handed_over_to_nobody,
];

const ARGUMENTS: [&str; 2] = ["--egress-allow", "127.0.0.0/8"];

/// A policy that takes every alert, with a step of an hour for each of these people.
fn policy(client: &Client, people: &[&String], wait: &str) {
    let steps: Vec<Value> =
        people.iter().map(|user| json!({"targets": [{"user": {"id": user}}], "wait": wait})).collect();
    let policy = client.post("/escalationPolicies", &json!({"name": unique("policy"), "steps": steps})).ok();
    client
        .post("/alertRoutes", &json!({"name": unique("all"), "isDefault": true, "policy": {"id": policy["id"]}}))
        .ok();
}

fn alert(client: &Client) -> String {
    text(&client.post("/alert", &json!({"currentState": "Critical", "subject": unique("load")})).ok()["id"])
}

fn act(client: &Client, alert: &str, action: &str, body: &Value) -> Response {
    client.post(&format!("/alerts/{alert}/actions/{action}"), body)
}

fn timeline(client: &Client, alert: &str) -> Value {
    client.get(&format!("/alerts/{alert}/timeline")).ok()
}

/// The events of a timeline of these kinds: kind and text.
fn events(timeline: &Value, whats: &[&str]) -> Vec<(String, String)> {
    let events = timeline["events"].as_array().unwrap().iter();
    let events = events.filter(|event| whats.contains(&event["what"].as_str().unwrap()));
    events.map(|event| (text(&event["what"]), text(&event["text"]))).collect()
}

/// Waits until so many messages have come, and answers to whom each of them went.
fn told(receiver: &Receiver, count: usize) -> Vec<String> {
    receiver.wait(count).iter().map(|message| message.path.trim_start_matches('/').to_owned()).collect()
}

#[track_caller]
fn stays(receiver: &Receiver, count: usize) {
    std::thread::sleep(Duration::from_millis(700));
    assert_eq!(receiver.count(), count, "{:?}", told(receiver, count));
}

#[track_caller]
fn stage(client: &Client, alert: &str, stage: &str) {
    let state = || timeline(client, alert).to_string();
    wait_for(Duration::from_secs(20), || timeline(client, alert)["escalation"] == stage, state);
}

fn the_next_step_is_taken_by_who_asks_for_it(backend: Backend) {
    let server = Server::start_with(backend, &ARGUMENTS);
    let client = server.new_client();
    let receiver = Receiver::willing();
    let people: Vec<String> = (0..3).map(|_| reachable(&client, &receiver.url())).collect();
    policy(&client, &people.iter().collect::<Vec<_>>(), "1h");
    let (operator, author) = somebody(&server, &client, "operator");
    let id = alert(&client);
    assert_eq!(told(&receiver, 1), people[..1]);
    // A request that is sent again takes one step.
    let path = format!("/alerts/{id}/actions/escalate");
    let note = json!({"note": " I need the database team "});
    let send = || operator.request("POST", &path).header("Idempotency-Key", "one").json(&note).send();
    let first = send().ok();
    assert_eq!(send().ok(), first);
    assert_eq!(told(&receiver, 2), people[..2]);
    stays(&receiver, 2);
    let escalated = first["events"].as_array().unwrap().iter().find(|event| event["what"] == "escalated").unwrap();
    assert_eq!(
        (&escalated["text"], &escalated["user"], &escalated["by"]["id"]),
        (&json!("I need the database team"), &json!(author), &json!(author))
    );
    assert_eq!((&first["alertId"], &first["escalation"]), (&json!(id), &json!("running")));
    let pages: Vec<&Value> =
        first["events"].as_array().unwrap().iter().filter(|event| event["what"] == "page").collect();
    assert_eq!(pages[1]["page"]["user"]["id"], json!(people[1]), "{first}");
    assert!(pages[1]["afterMs"].as_i64() >= escalated["afterMs"].as_i64(), "{first}");
    // Somebody works on it, and needs help: the acknowledgement is taken back, and the next step is taken.
    client.post_empty(&format!("/alerts/{id}/actions/acknowledge")).ok();
    stage(&client, &id, "acknowledged");
    let body = operator.post_empty(&path).ok();
    assert_eq!(body["escalation"], json!("running"));
    assert_eq!(told(&receiver, 3), people);
    let stands = client.get(&format!("/alerts/{id}")).ok();
    assert_eq!((&stands["status"], &stands["unacknowledgement"]["by"]["id"]), (&json!("New"), &json!(author)));
    stays(&receiver, 3);
    stage(&client, &id, "running");
    // There is nobody else.
    let none = act(&operator, &id, "escalate", &json!({}));
    assert!(none.text().contains("all steps of the escalation were taken"), "{none}");
    none.problem(409, "0004");
    let audit = client.search("/auditLog/search", &format!("entityId:{id}+userId:{author}+entity:Escalation")).page();
    assert_eq!(audit["totalResults"], json!(2), "{audit}");
    // What nobody hears of is not escalated.
    act(&client, &id, "suppress", &json!({})).ok();
    let suppressed = act(&operator, &id, "escalate", &json!({}));
    assert!(suppressed.text().contains("unsuppress it first"), "{suppressed}");
    suppressed.problem(409, "0004");
    act(&client, &id, "close", &json!({})).ok();
    let closed = act(&operator, &id, "escalate", &json!({}));
    assert!(closed.text().contains("The alert is closed."), "{closed}");
    closed.problem(409, "0004");
    // Who may not, and what is not there.
    let (viewer, _) = somebody(&server, &client, "viewer");
    act(&viewer, &id, "escalate", &json!({})).forbidden();
    act(&server.new_client(), &id, "escalate", &json!({})).not_found();
    // No escalation: nobody was told of what is only information.
    let info = text(&client.post("/alert", &json!({"currentState": "Info", "subject": "fyi"})).ok()["id"]);
    let nothing = act(&operator, &info, "escalate", &json!({}));
    assert!(nothing.text().contains("There is no escalation"), "{nothing}");
    nothing.problem(409, "0004");
    act(&operator, &info, "escalate", &json!({"note": "a".repeat(4_001)})).invalid(&["note"]);
}

fn a_handed_over_alert_is_told_to_those_who_have_it_now(backend: Backend) {
    let server = Server::start_with(backend, &ARGUMENTS);
    let client = server.new_client();
    let receiver = Receiver::willing();
    let first = reachable(&client, &receiver.url());
    let second = reachable(&client, &receiver.url());
    let chosen = reachable(&client, &receiver.url());
    // The first person is told a second time after an hour, unless somebody else has it by then.
    let late = client.post(
        &format!("/users/{first}/contactMethods"),
        &json!({"name": "late", "type": "HTTP", "url": format!("{}/late", receiver.url()), "verified": true}),
    );
    let methods = client.get(&format!("/users/{first}/contactMethods")).list();
    let now = methods.iter().find(|method| method["name"] == "hook").unwrap()["id"].clone();
    let steps = json!([{"contactMethod": {"id": now}, "after": "0s"},
        {"contactMethod": {"id": late.ok()["id"]}, "after": "1h"}]);
    client.post(&format!("/users/{first}/notificationRules"), &json!({"urgency": "high", "steps": steps})).ok();
    policy(&client, &[&first, &second], "1h");
    let (operator, author) = somebody(&server, &client, "operator");
    let id = alert(&client);
    assert_eq!(told(&receiver, 1), [first.clone()]);
    client.post_empty(&format!("/alerts/{id}/actions/acknowledge")).ok();
    stage(&client, &id, "acknowledged");
    // Those who do not exist, are somebody else's, or are not said.
    let other = person(&server.new_client());
    act(&operator, &id, "handOver", &json!({"users": [{"id": chosen}, {"id": other}]})).invalid(&["users[1].id"]);
    act(&operator, &id, "handOver", &json!({"roster": {"id": "ES-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90"}}))
        .invalid(&["roster.id"]);
    act(&operator, &id, "handOver", &json!({})).invalid(&["body"]);
    act(&operator, &id, "handOver", &json!({"users": []})).invalid(&["users"]);
    assert_eq!(client.get(&format!("/alerts/{id}")).ok()["status"], json!("Acknowledged"));
    // Once, however often it is sent.
    let body = json!({"users": [{"id": chosen}], "note": "I have to leave"});
    let path = format!("/alerts/{id}/actions/handOver");
    let send = || operator.request("POST", &path).header("Idempotency-Key", "over").json(&body).send().ok();
    let answered = send();
    assert_eq!(send(), answered);
    assert_eq!(told(&receiver, 2), [first, chosen.clone()]);
    stays(&receiver, 2);
    let stands = client.get(&format!("/alerts/{id}")).ok();
    assert_eq!((&stands["status"], &stands["unacknowledgement"]["note"]), (&json!("New"), &json!("handed over")));
    stage(&client, &id, "running");
    let handed = answered["events"].as_array().unwrap().iter().find(|event| event["what"] == "handedOver").unwrap();
    assert_eq!(
        (&handed["text"], &handed["by"]["id"], &handed["to"][0]["id"]),
        (&json!("to Ann Lee: I have to leave"), &json!(author), &json!(chosen))
    );
    // What the first person was still to get is not sent.
    let pages = client.search("/pages/search?isDescendingOrder=false", &format!("alertId:{id}")).page();
    let states: Vec<(String, String)> = pages["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|page| (text(&page["status"]), text(&page["user"]["id"])))
        .collect();
    assert_eq!(states.iter().filter(|(status, _)| status == "stopped").count(), 1, "{pages}");
    // Then the policy goes on, with the step that would have been next.
    act(&operator, &id, "escalate", &json!({})).ok();
    assert_eq!(told(&receiver, 3)[2], second);
    // Who has it answers it like any other.
    client.post_empty(&format!("/alerts/{id}/actions/acknowledge")).ok();
    stage(&client, &id, "acknowledged");
    let audit = client.search("/auditLog/search", &format!("entityId:{id}+userId:{author}+entity:Escalation")).page();
    assert!(audit.to_string().contains("I have to leave"), "{audit}");
    act(&client, &id, "close", &json!({})).ok();
    act(&operator, &id, "handOver", &body).problem(409, "0004");
    let (viewer, _) = somebody(&server, &client, "viewer");
    act(&viewer, &id, "handOver", &body).forbidden();
    act(&server.new_client(), &id, "handOver", &body).not_found();
    stays(&receiver, 3);
}

fn who_does_not_answer_a_hand_over_is_not_the_last(backend: Backend) {
    let server = Server::start_with(backend, &ARGUMENTS);
    let client = server.new_client();
    let receiver = Receiver::willing();
    let people: Vec<String> = (0..4).map(|_| reachable(&client, &receiver.url())).collect();
    policy(&client, &[&people[0], &people[1]], "3s");
    let id = alert(&client);
    told(&receiver, 1);
    // Handed over twice: the second time to another person in place of the first.
    act(&client, &id, "handOver", &json!({"users": [{"id": people[2]}]})).ok();
    told(&receiver, 2);
    act(&client, &id, "handOver", &json!({"users": [{"id": people[3]}]})).ok();
    let order = [&people[0], &people[2], &people[3], &people[1]].map(Clone::clone);
    assert_eq!(told(&receiver, 4), order);
    stage(&client, &id, "ended");
    // All were told: who gets it now is not the last either, the steps are gone through once more.
    act(&client, &id, "handOver", &json!({"users": [{"id": people[2]}]})).ok();
    assert_eq!(told(&receiver, 7)[4..], [people[2].clone(), people[0].clone(), people[1].clone()]);
    act(&client, &id, "close", &json!({})).ok();
}

fn an_alert_that_no_policy_takes_is_handed_over(backend: Backend) {
    let server = Server::start_with(backend, &ARGUMENTS);
    let client = server.new_client();
    let receiver = Receiver::willing();
    let user = reachable(&client, &receiver.url());
    for (state, stood) in [("Critical", Some("noPolicy")), ("Info", None)] {
        let id = text(&client.post("/alert", &json!({"currentState": state, "subject": unique("lost")})).ok()["id"]);
        if let Some(stood) = stood {
            stage(&client, &id, stood);
        }
        let before = receiver.count();
        let answered = act(&client, &id, "handOver", &json!({"users": [{"id": user}, {"id": user}]})).ok();
        assert_eq!(answered["escalation"], json!("running"));
        assert_eq!(told(&receiver, before + 1)[before], user);
        assert_eq!(receiver.all()[before].json()["alert"]["id"], json!(id));
        client.post_empty(&format!("/alerts/{id}/actions/acknowledge")).ok();
        stage(&client, &id, "acknowledged");
        // Taken back, it goes on with those who have it.
        client.post_empty(&format!("/alerts/{id}/actions/unacknowledge")).ok();
        told(&receiver, before + 2);
        act(&client, &id, "close", &json!({})).ok();
        stage(&client, &id, "closed");
    }
}

/// A roster with this person on call, all the time.
fn roster(client: &Client, name: &str, user: &str) -> String {
    let schedule = json!({"type": "one-time", "startDate": "2020-01-01T00:00:00Z", "endDate": "2120-01-01T00:00:00Z"});
    let shift = json!({"name": "a", "users": [{"id": user}], "userGroups": [], "schedule": schedule});
    let roster = json!({"name": name, "description": "r", "timeZone": {"name": "GMT"}, "shiftDetails": [shift]});
    text(&client.post("/rosters", &roster).ok()["id"])
}

fn a_roster_has_the_alert_then(backend: Backend) {
    let server = Server::start_with(backend, &ARGUMENTS);
    let client = server.new_client();
    let receiver = Receiver::willing();
    let own = reachable(&client, &receiver.url());
    let name = unique("Web team");
    let web = roster(&client, &name, &own);
    let id = alert(&client);
    let answered = act(&client, &id, "handOver", &json!({"roster": {"id": web.to_lowercase()}, "note": "night"})).ok();
    assert_eq!(events(&answered, &["handedOver"]), [("handedOver".to_owned(), format!("to the roster {name}: night"))]);
    assert_eq!(told(&receiver, 1), [own]);
    // The partner hands it to a roster of its own, which its client cannot name, and learns nothing of.
    let partner = server.admin();
    let theirs = reachable(&partner, &receiver.url());
    let secret = unique("partners-roster");
    let partners = roster(&partner, &secret, &theirs);
    let body = json!({"roster": {"id": partners}});
    act(&client, &id, "handOver", &body).invalid(&["roster.id"]);
    act(&partner, &id, "handOver", &body).ok();
    assert_eq!(told(&receiver, 2)[1], theirs);
    let seen = timeline(&client, &id);
    assert_eq!(events(&seen, &["handedOver"])[1], ("handedOver".to_owned(), "to a roster of its partner".to_owned()));
    assert!(!seen.to_string().contains(&secret), "{seen}");
}

fn nothing_is_handed_over_to_nobody(backend: Backend) {
    let server = Server::start_with(backend, &ARGUMENTS);
    let client = server.new_client();
    let receiver = Receiver::willing();
    let first = reachable(&client, &receiver.url());
    let unreachable = person(&client);
    let gone = reachable(&client, &receiver.url());
    client.post_empty(&format!("/users/{gone}/deactivate")).ok();
    policy(&client, &[&first], "1h");
    let id = alert(&client);
    told(&receiver, 1);
    let refused = |body: &Value, why: &str| {
        let answer = act(&client, &id, "handOver", body);
        assert!(answer.text().contains(why), "{answer}");
        answer.problem(409, "0004");
    };
    refused(&json!({"users": [{"id": unreachable}]}), "Ann Lee has no verified contact method");
    refused(&json!({"users": [{"id": gone}]}), "the person is not in use any more");
    let empty = roster(&client, &unique("empty"), &gone);
    refused(&json!({"roster": {"id": empty}}), "nobody is on call in the roster");
    assert_eq!(timeline(&client, &id)["escalation"], json!("running"));
    assert!(events(&timeline(&client, &id), &["handedOver"]).is_empty());
    // One who can be told is enough; that the other cannot is shown.
    let both = json!({"users": [{"id": unreachable}, {"id": first}]});
    let answered = act(&client, &id, "handOver", &both).ok();
    assert_eq!(events(&answered, &["gap"]), [("gap".to_owned(), "has no verified contact method".to_owned())]);
    assert_eq!(told(&receiver, 2), [first.clone(), first]);
    let many: Vec<Value> = (0..21).map(|number| json!({"id": format!("USR00000000{number:02}")})).collect();
    act(&client, &id, "handOver", &json!({"users": many})).invalid(&["users"]);
    act(&client, &id, "suppress", &json!({})).ok();
    refused(&both, "unsuppress it first");
}
