//! Incidents that are opened for alerts: who they go to, and how they went.

use std::time::Duration;

use muster_tests::{
    Backend, Server, both_backends,
    receiver::{Receiver, wait_for},
    unique,
};
use serde_json::json;

use super::{person, reachable, text};

both_backends![
    an_incident_goes_to_whose_machine_it_is,
    how_it_went_is_told,
    an_incident_is_escalated_by_a_policy,
    an_incident_is_answered_by_the_link_of_its_page,
];

fn an_incident_goes_to_whose_machine_it_is(server: &Server) {
    let client = server.new_client();
    let first = person(&client);
    let other = person(&client);
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
    let user = reachable(&client, &receiver.url());
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
    let people = [reachable(&client, &receiver.url()), reachable(&client, &receiver.url())];
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
    assert_eq!(body["title"], json!("[Critical] Checkout answers 502"));
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

fn an_incident_is_answered_by_the_link_of_its_page(backend: Backend) {
    let server = Server::start_with(backend, &["--egress-allow", "127.0.0.0/8"]);
    let client = server.new_client();
    let receiver = Receiver::willing();
    let people = [reachable(&client, &receiver.url()), reachable(&client, &receiver.url())];
    let steps: Vec<_> = people.iter().map(|user| json!({"targets": [{"user": {"id": user}}], "wait": "1h"})).collect();
    let policy = client.post("/escalationPolicies", &json!({"name": "p", "steps": steps})).ok();
    // What may help with it: an article about what its alert measures, and a job of its machine.
    let category = client.post("/kb/category", &json!({"name": "Disks"})).ok();
    let article = json!({"title": "When <disk> is full", "content": "Empty it.", "category": {"id": category["id"]}});
    client.post("/kb/article", &article).ok();
    let machine = text(&client.post("/resources", &json!({"hostName": "web-01"})).ok()["resourceUUID"]);
    let report =
        json!({"currentState": "Critical", "subject": "full", "metric": "disk", "device": {"hostName": "web-01"}});
    let alert = text(&client.post("/alert", &report).ok()["id"]);
    let opened =
        json!({"subject": "<script>Checkout</script>", "alerts": [{"id": alert}], "resources": [{"id": machine}]});
    let incident = text(&client.post("/incidents", &opened).ok()["id"]);
    let by = json!({"policy": {"id": policy["id"]}});
    client.post(&format!("/incidents/{incident}/escalate"), &by).ok();
    let link = |number: usize| {
        let body = receiver.wait(number)[number - 1].json();
        text(&body["link"]).strip_prefix(server.base()).unwrap().to_owned()
    };
    let first = link(1);
    let press = |path: &str, action: &str| server.request("POST", &format!("{path}&action={action}")).send();
    let stands = || client.get(&format!("/incidents/{incident}")).ok();
    // To look shows what is known, and changes nothing.
    let shown = server.get(&first).text().to_owned();
    for expected in
        [&incident, "&lt;script&gt;Checkout", "web-01", "answers as Ann Lee", "When &lt;disk&gt; is full", "step=1"]
    {
        assert!(shown.contains(expected), "{expected}: {shown}");
    }
    assert!(!shown.contains("<script") && !shown.contains("action=snooze"), "{shown}");
    assert_eq!(stands()["status"], json!("New"));
    // The next step at once, and once.
    assert!(press(&first, "escalate&step=1").text().contains("The next step is taken."));
    assert!(press(&first, "escalate&step=1").text().contains("was taken already"));
    let second = link(2);
    // An incident is not put off.
    assert!(press(&second, "snooze").text().contains("cannot be put off"));
    assert!(press(&second, "acknowledge").text().contains("You work on it."));
    let taken = stands();
    assert_eq!((&taken["status"], &taken["assignee"]["id"]), (&json!("Open"), &json!(people[1])), "{taken}");
    assert!(press(&first, "acknowledge").text().contains("somebody works on it"), "who was first works on it");
    assert_eq!(stands()["assignee"]["id"], json!(people[1]));
    let stopped = || press(&first, "escalate").text().contains("not running");
    wait_for(Duration::from_secs(10), stopped, || server.get(&first).text().to_owned());
    // Who may not act any more does not act by a link either; the other one closes it.
    client.post_empty(&format!("/users/{}/deactivate", people[1])).ok();
    assert_eq!(press(&second, "close").status, 403);
    assert!(press(&first, "close").text().contains("It is closed."));
    assert!(press(&first, "close").status == 200 && stands()["status"] == "Closed");
    let log = |user: &str| {
        let found = client.search("/auditLog/search", &format!("entityId:{incident}+userId:{user}")).page();
        found["results"].as_array().unwrap().iter().filter(|row| row["keyId"] == "link").count()
    };
    assert_eq!((log(&people[0]), log(&people[1])), (2, 1), "escalated and closed; acknowledged");
    assert_eq!(receiver.count(), 2);
}
