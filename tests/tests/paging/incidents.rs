//! Incidents that are opened for alerts: who they go to, and how they went.

use std::time::Duration;

use muster_tests::{
    Backend, Server, both_backends,
    receiver::{Receiver, wait_for},
    unique,
};
use serde_json::json;

use super::{person, text};

both_backends![an_incident_goes_to_whose_machine_it_is, how_it_went_is_told, an_incident_is_escalated_by_a_policy];

fn an_incident_goes_to_whose_machine_it_is(server: &Server) {
    let client = server.new_client();
    let (first, other) = (person(&client), person(&client));
    let team = client.post("/userGroups", &json!({"name": "Web", "users": [{"id": other}]})).ok();
    client.post("/resources", &json!({"hostName": "web-01"})).ok();
    let report = |subject: &str| {
        let body = json!({"currentState": "Critical", "subject": subject, "device": {"hostName": "web-01"}});
        text(&client.post("/alert", &body).ok()["id"])
    };
    let open = |more: serde_json::Value| {
        let mut body = json!({"alerts": [{"id": report(&unique("alert"))}]});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        client.post("/incidents", &body).ok()
    };
    // Nobody is known.
    let none = open(json!({}));
    assert_eq!((none.get("assignee"), none.get("assigneeGroup")), (None, None), "{none}");
    client.post("/owners", &json!({"default": true, "userGroup": {"uniqueId": team["uniqueId"]}})).ok();
    let steps = json!([{"targets": [{"user": {"id": first}}, {"owner": true}]}]);
    let policy = client.post("/escalationPolicies", &json!({"name": "p", "steps": steps})).ok();
    client.post("/alertRoutes", &json!({"name": "all", "isDefault": true, "policy": {"id": policy["id"]}})).ok();
    let filled = open(json!({}));
    assert_eq!((&filled["assignee"]["id"], &filled["assigneeGroup"]["uniqueId"]), (&json!(first), &team["uniqueId"]));
    // What it says itself stands.
    let said = open(json!({"assignee": {"id": other}}));
    assert_eq!(said["assignee"]["id"], json!(other));
    // One that is opened for nothing is nobody's.
    let plain = client.post("/incidents", &json!({"subject": "x"})).ok();
    assert_eq!((plain.get("assignee"), plain.get("assigneeGroup")), (None, None), "{plain}");
}

fn how_it_went_is_told(backend: Backend) {
    let server = Server::start_with(backend, &["--egress-allow", "127.0.0.0/8"]);
    let client = server.new_client();
    let receiver = Receiver::willing();
    let user = person(&client);
    let method = json!({"name": "hook", "type": "HTTP", "url": receiver.url(), "verified": true});
    client.post(&format!("/users/{user}/contactMethods"), &method).ok();
    let steps = json!([{"targets": [{"user": {"id": user}}], "wait": "1d"}]);
    let policy = client.post("/escalationPolicies", &json!({"name": "p", "steps": steps})).ok();
    client.post("/alertRoutes", &json!({"name": "all", "isDefault": true, "policy": {"id": policy["id"]}})).ok();
    client.post("/resources", &json!({"hostName": "web-01"})).ok();
    let body = json!({"currentState": "Critical", "subject": "Load | <b>31</b>", "device": {"hostName": "web-01"}});
    let alert = text(&client.post("/alert", &body).ok()["id"]);
    receiver.wait(1);
    let incident = text(&client.post("/incidents", &json!({"alerts": [{"id": alert}], "priority": "High"})).ok()["id"]);
    client.post_empty(&format!("/alerts/{alert}/actions/acknowledge")).ok();
    client.post(&format!("/incidents/{incident}/notes"), &json!({"content": "Restarted\n# nginx"})).ok();
    client.post_empty(&format!("/incidents/{incident}/close")).ok();
    let sent = || client.search("/pages/search", "status:sent").page()["totalResults"] == json!(1);
    wait_for(Duration::from_secs(30), sent, || "the page was not sent".to_owned());
    let path = format!("/incidents/{incident}/postmortem");
    let answer = client.get(&path);
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/markdown; charset=utf-8")));
    let told = answer.text();
    for expected in [
        "# Load \\| &lt;b\\>31&lt;/b\\>\n",
        &format!("| Incident | {incident} |"),
        "| Priority | High |",
        "| Machines | web-01 |",
        "| Alerts | 1 |",
        "| Was told | Ann Lee |",
        "| Somebody was told after | ",
        "| Somebody answered after | ",
        "| Lasted | ",
        "| opened | ",
        "| reported | Load",
        "| page | Ann Lee: step 1: sent",
        "| acknowledged | ",
        "Restarted \\# nginx |",
        "| closed | ",
        "## What is to be done",
    ] {
        assert!(told.contains(expected), "{expected}: {told}");
    }
    // What another tenant asks for is not there, and neither is what nobody opened.
    server.new_client().get(&path).not_found();
    client.get("/incidents/INC9999999999/postmortem").not_found();
}

fn an_incident_is_escalated_by_a_policy(backend: Backend) {
    let server = Server::start_with(backend, &["--egress-allow", "127.0.0.0/8"]);
    let client = server.new_client();
    let receiver = Receiver::willing();
    let people = [person(&client), person(&client)];
    for user in &people {
        let method =
            json!({"name": "hook", "type": "HTTP", "url": format!("{}/{user}", receiver.url()), "verified": true});
        client.post(&format!("/users/{user}/contactMethods"), &method).ok();
    }
    let step = |user: &String, wait: &str| json!({"targets": [{"user": {"id": user}}], "wait": wait});
    let steps = json!([step(&people[0], "3s"), step(&people[1], "1d")]);
    let policy = client.post("/escalationPolicies", &json!({"name": "p", "steps": steps})).ok();
    let by = json!({"policy": {"id": policy["id"]}});
    let opened = client.post("/incidents", &json!({"subject": "Checkout answers 502", "priority": "Urgent"})).ok();
    let incident = text(&opened["id"]);
    let path = format!("/incidents/{incident}/escalate");
    client.post(&path, &json!({})).invalid(&["policy"]);
    client.post(&path, &json!({"policy": {"id": "EP-1"}})).invalid(&["policy.id"]);
    let begun = client.post(&path, &by).ok();
    assert_eq!((&begun["incident"]["id"], &begun["policy"]["id"]), (&json!(incident), &policy["id"]));
    assert_eq!((begun["pages"][0]["step"].clone(), begun["pages"][0].get("alert")), (json!(1), None), "{begun}");
    assert_eq!(begun["pages"][0]["incident"]["id"], json!(incident));
    client.post(&path, &by).problem(409, "0004");
    let body = receiver.wait(1)[0].json();
    assert_eq!((&body["title"], body.get("link")), (&json!("[Critical] Checkout answers 502"), None));
    assert_eq!(body["incident"]["id"], json!(incident));
    // Somebody works on it: nobody else is told, however long it takes; nobody does any more, and it goes on.
    let status = |status: &str| client.post(&format!("/incidents/{incident}"), &json!({"status": status})).ok();
    status("Open");
    std::thread::sleep(Duration::from_secs(5));
    assert_eq!(receiver.count(), 1);
    client.post(&format!("/incidents/{incident}"), &json!({"description": "more is known"})).ok();
    status("Pending");
    let told = receiver.wait(2);
    assert_eq!(told[1].path, format!("/{}", people[0]), "once more the step that was taken last");
    assert_eq!(receiver.wait(3)[2].path, format!("/{}", people[1]));
    client.post_empty(&format!("/incidents/{incident}/close")).ok();
    client.post(&path, &by).problem(409, "0004");
    let found = client.search("/pages/search", &format!("alertId:{incident}")).page();
    assert_eq!(found["totalResults"], json!(3));
    let told = client.get(&format!("/incidents/{incident}/postmortem"));
    assert!(told.text().contains("| page | Ann Lee: step 2: sent"), "{told}");
    // Of another tenant's policy nothing is known here.
    let theirs = server
        .new_client()
        .post("/escalationPolicies", &json!({"name": "q", "steps": [{"targets": [{"owner": true}]}]}))
        .ok();
    let open = text(&client.post("/incidents", &json!({"subject": "x"})).ok()["id"]);
    client
        .post(&format!("/incidents/{open}/escalate"), &json!({"policy": {"id": theirs["id"]}}))
        .invalid(&["policy.id"]);
}
