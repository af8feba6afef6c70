//! One-tap answers.

use std::time::Duration;

use muster_tests::{
    Backend, Client, Server, both_backends,
    receiver::{Receiver, wait_for},
    unique,
};
use serde_json::{Value, json};

use super::{reachable, text};

both_backends![
    a_link_answers_as_its_person,
    a_link_that_is_replayed_or_forwarded_does_no_more,
    closing_takes_the_role_that_the_person_has_then,
];

fn status(client: &Client, alert: &str) -> Value {
    client.get(&format!("/alerts/{alert}")).ok()["status"].clone()
}

fn a_link_answers_as_its_person(backend: Backend) {
    let server = Server::start_with(backend, &["--egress-allow", "127.0.0.0/8"]);
    let client = server.new_client();
    let receiver = Receiver::willing();
    let first = reachable(&client, &receiver.url());
    let second = reachable(&client, &receiver.url());
    let steps = json!([{"targets": [{"user": {"id": first}}], "wait": "1h"},
        {"targets": [{"user": {"id": second}}], "wait": "1h"}]);
    let policy =
        text(&client.post("/escalationPolicies", &json!({"name": unique("links"), "steps": steps})).ok()["id"]);
    client.post("/alertRoutes", &json!({"name": "all", "isDefault": true, "policy": {"id": policy}})).ok();
    let subject = "<script>alert(1)</script>";
    let alert = text(&client.post("/alert", &json!({"currentState": "Critical", "subject": subject})).ok()["id"]);
    let link = text(&receiver.wait(1)[0].json()["link"]);
    let path = link.strip_prefix(server.base()).unwrap_or_else(|| panic!("{link} leads elsewhere")).to_owned();
    // To look changes nothing, however often.
    for _ in 0..2 {
        let page = server.get(&path);
        assert_eq!(
            (page.status, page.header("cache-control"), page.header("referrer-policy")),
            (200, Some("no-store"), Some("same-origin"))
        );
        assert!(page.text().contains("&lt;script&gt;") && !page.text().contains("<script"), "{page}");
    }
    assert_eq!(status(&client, &alert), json!("New"));
    // The first press of Close asks, and closes nothing.
    let asks = server.get(&format!("{path}&confirm=close"));
    assert!(asks.text().contains("action=close") && !asks.text().contains("action=acknowledge"), "{asks}");
    assert!(!server.get(&path).text().contains("action=close"));
    assert_eq!(status(&client, &alert), json!("New"));
    let press = |path: &str, action: &str| server.request("POST", &format!("{path}&action={action}")).send();
    // The next step at once.
    assert!(press(&path, "escalate").text().contains("The next step is taken."));
    let told = receiver.wait(2);
    assert_eq!(told[1].path, format!("/{second}"));
    let others = text(&told[1].json()["link"]).strip_prefix(server.base()).unwrap().to_owned();
    assert!(press(&path, "acknowledge").text().contains("You work on it."));
    let acknowledged = client.get(&format!("/alerts/{alert}")).ok();
    assert_eq!(acknowledged["acknowledgement"]["by"]["id"], json!(first), "{acknowledged}");
    // Once more, and by somebody else: it is so already.
    for again in [&path, &others] {
        let page = press(again, "acknowledge");
        assert!(page.status == 200 && !page.text().contains("You work on it."), "{page}");
    }
    let audit = client.search("/auditLog/search", &format!("entityId:{alert}+userId:{first}")).page();
    assert!(audit["results"].as_array().unwrap().iter().any(|row| row["keyId"] == "link"), "{audit}");
    // A link that somebody made up, changed, or found the token of in another place.
    for wrong in [format!("{path}x"), path.replace("token=v1", "token=v2"), "/api/v2/answers?token=abc".to_owned()] {
        assert_eq!(server.get(&wrong).status, 404, "{wrong}");
        assert_eq!(press(&wrong, "close").status, 404, "{wrong}");
    }
    assert_eq!(server.get("/api/v2/answers").status, 404);
    // Who may not act any more does not act by a link either.
    client.post_empty(&format!("/users/{second}/deactivate")).ok();
    assert_eq!(press(&others, "close").status, 403);
    assert_eq!(status(&client, &alert), json!("Acknowledged"));
    assert!(press(&path, "close").text().contains("It is closed."));
    assert_eq!(status(&client, &alert), json!("Closed"));
    let log = server.log();
    let token = path.split("token=").nth(1).unwrap();
    assert!(!log.contains(token), "a token in the log");
    wait_for(Duration::from_secs(10), || receiver.count() == 2, || receiver.count().to_string());
}

fn a_link_that_is_replayed_or_forwarded_does_no_more(backend: Backend) {
    let server = Server::start_with(backend, &["--egress-allow", "127.0.0.0/8"]);
    let client = server.new_client();
    let receiver = Receiver::willing();
    let people: Vec<String> = (0..4).map(|_| reachable(&client, &receiver.url())).collect();
    let steps: Vec<Value> =
        people.iter().map(|user| json!({"targets": [{"user": {"id": user}}], "wait": "1h"})).collect();
    let policy = client.post("/escalationPolicies", &json!({"name": unique("links"), "steps": steps})).ok();
    client.post("/alertRoutes", &json!({"name": "all", "isDefault": true, "policy": {"id": policy["id"]}})).ok();
    let report = |subject: &str| {
        let body = json!({"currentState": "Critical", "subject": subject});
        text(&client.post("/alert", &body).ok()["id"])
    };
    let link = |number: usize| {
        let body = receiver.wait(number)[number - 1].json();
        text(&body["link"]).strip_prefix(server.base()).unwrap().to_owned()
    };
    let first = report("one");
    let path = link(1);
    let press = |path: &str, action: &str| server.request("POST", &format!("{path}&action={action}")).send();
    // The button says which step comes next: pressed twice, or from a page of before, it is one step.
    let shown = server.get(&path).text().to_owned();
    assert!(shown.contains("action=escalate&amp;step=1") && shown.contains("answers as Ann Lee"), "{shown}");
    assert!(press(&path, "escalate&step=1").text().contains("The next step is taken."));
    for _ in 0..3 {
        assert!(press(&path, "escalate&step=1").text().contains("was taken already"));
    }
    receiver.wait(2);
    std::thread::sleep(Duration::from_millis(700));
    assert_eq!(receiver.count(), 2, "one step, however often");
    // Anyone who got it from somebody else, and with whatever rights of their own, acts as the person that it was sent
    // to.
    let stranger = server.caller(client.tenant_id(), "viewer");
    let forwarded = stranger.absolute("POST", &format!("{path}&action=acknowledge")).send();
    assert!(forwarded.text().contains("You work on it."), "{forwarded}");
    let alert = client.get(&format!("/alerts/{first}")).ok();
    assert_eq!(alert["acknowledgement"]["by"]["id"], json!(people[0]));
    // It opens this alert and no other, whatever else is asked for.
    let second = report("two");
    let third = link(3);
    let elsewhere = server.request("POST", &format!("{path}&action=close&alertId={second}")).send();
    assert_eq!(elsewhere.status, 400, "{elsewhere}");
    assert_eq!(status(&client, &second), json!("New"));
    // What was closed is closed once, however often the link is used.
    for expected in [true, false, false] {
        assert_eq!(press(&third, "close").text().contains("It is closed."), expected);
    }
    let audit = client.search("/auditLog/search", &format!("entityId:{second}+userId:{}", people[0])).page();
    assert_eq!(audit["totalResults"], json!(1), "{audit}");
    for action in ["acknowledge", "snooze", "escalate"] {
        assert_eq!(press(&third, action).status, 200);
    }
    assert_eq!(status(&client, &second), json!("Closed"));
}

/// To be told is the right to answer. To close takes the role of the person at the time of the click.
fn closing_takes_the_role_that_the_person_has_then(backend: Backend) {
    let server = Server::start_with(backend, &["--egress-allow", "127.0.0.0/8"]);
    let client = server.new_client();
    let receiver = Receiver::willing();
    let viewer = reachable(&client, &receiver.url());
    let lowered = reachable(&client, &receiver.url());
    let role = |user: &str, role: &str| client.post(&format!("/users/{user}"), &json!({"role": role})).ok();
    role(&viewer, "viewer");
    role(&lowered, "admin");
    // A program whose key is restricted to something else than closing.
    let key = json!({"name": unique("key"), "role": "operator", "operations": ["getMe"]});
    let program = text(&client.post("/apiKeys", &key).ok()["userId"]);
    let hook =
        json!({"name": "hook", "type": "HTTP", "url": format!("{}/{program}", receiver.url()), "verified": true});
    client.post(&format!("/users/{program}/contactMethods"), &hook).ok();
    let all = [&viewer, &lowered, &program];
    let targets: Vec<Value> = all.iter().map(|user| json!({"user": {"id": user}})).collect();
    let steps = json!([{"targets": targets, "wait": "1h"}]);
    let policy = client.post("/escalationPolicies", &json!({"name": unique("roles"), "steps": steps})).ok();
    client.post("/alertRoutes", &json!({"name": "all", "isDefault": true, "policy": {"id": policy["id"]}})).ok();
    let alert = text(&client.post("/alert", &json!({"currentState": "Critical", "subject": "x"})).ok()["id"]);
    let incident = client.post("/incidents", &json!({"subject": "x", "priority": "Urgent"})).ok();
    let incident = text(&incident["id"]);
    client.post(&format!("/incidents/{incident}/escalate"), &json!({"policy": {"id": policy["id"]}})).ok();
    let told = receiver.wait(6);
    let link = |user: &str, about: &str| {
        let own = told.iter().filter(|one| one.path == format!("/{user}"));
        let body = own.map(|one| one.json()).find(|body| body.get(about).is_some());
        let body = body.unwrap_or_else(|| panic!("no page about an {about}"));
        text(&body["link"]).strip_prefix(server.base()).unwrap().to_owned()
    };
    let press = |path: &str, action: &str| server.request("POST", &format!("{path}&action={action}")).send();
    let of_incident = || client.get(&format!("/incidents/{incident}")).ok()["status"].clone();
    let is_open = || status(&client, &alert) != "Closed" && of_incident() != "Closed";
    role(&lowered, "viewer");
    for user in all {
        for about in ["alert", "incident"] {
            let path = link(user, about);
            let page = server.get(&path).text().to_owned();
            assert!(!page.contains("value=\"close\"") && page.contains("takes the role operator"), "{page}");
            let refused = press(&path, "close");
            assert_eq!(refused.status, 403, "{refused}");
            assert!(is_open(), "{about}");
        }
    }
    // All else is the right of who was told.
    assert!(press(&link(&viewer, "alert"), "acknowledge").text().contains("You work on it."));
    assert!(press(&link(&viewer, "incident"), "acknowledge").text().contains("You work on it."));
    // The other way round: the link knows no role, neither one that was nor one that is.
    role(&viewer, "operator");
    assert!(server.get(&link(&viewer, "alert")).text().contains("value=\"close\""));
    assert!(press(&link(&viewer, "alert"), "close").text().contains("It is closed."));
    role(&lowered, "operator");
    assert!(press(&link(&lowered, "incident"), "close").text().contains("It is closed."));
    assert!(status(&client, &alert) == "Closed");
    // Nobody answers for a tenant that is suspended.
    server.admin().post_empty(&format!("/clients/{}/suspend", client.tenant_id())).ok();
    assert_eq!(press(&link(&lowered, "alert"), "close").status, 403);
}
