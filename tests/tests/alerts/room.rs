//! A tenant cannot be made deaf: no sender takes the room for open alerts of the others, and people are told in time.

use std::time::Duration;

use muster_tests::{
    Backend, Client, Server, both_backends,
    receiver::{Receiver, wait_for},
    unique,
};
use serde_json::{Value, json};

use super::{address, each, found, only, post, send, text};
use crate::paging::somebody;

both_backends![
    a_full_sender_refuses_itself_alone,
    alerts_that_are_closed_together_make_room,
    administrators_are_told_once_until_there_is_room,
];

/// As if a sender had so many open alerts, of so many.
fn set(server: &Server, client: &Client, sender: &str, open: i64, all: i64) {
    let tenant = client.tenant_id();
    let count = |sender: &str, open: i64| {
        format!(
            "DELETE FROM open_alerts WHERE tenant_id = '{tenant}' AND sender = '{sender}'; \
             INSERT INTO open_alerts VALUES ('{tenant}', '{sender}', {open});"
        )
    };
    server.sql(&format!("{}{}", count(sender, open), count("*", all)));
}

fn plain(state: &str) -> Value {
    json!({"subject": unique("flood"), "state": state})
}

fn alerts_that_are_closed_together_make_room(server: &Server) {
    let client = server.new_client();
    let (id, token) = address(&client);
    let alert = |state: &str| send(server, &token, "", &plain(state));
    for state in ["warning", "warning", "critical"] {
        alert(state).ok();
        post(&client, &json!({"currentState": "Info", "subject": unique("other sender")}));
    }
    set(server, &client, &id, 44_000, 46_000);
    alert("warning").problem(409, "0004");
    let body = json!({"queryString": "state:Warning,Info"});
    assert_eq!(client.post("/alerts/actions/close", &body).ok()["changed"], json!(5));
    // It has 43,998 of 45,995 then, and as many as are free of 90,000 at most.
    let mut taken = 0;
    while alert("warning").status == 200 {
        taken += 1;
        assert!(taken < 10, "there is room without end");
    }
    assert_eq!(taken, 4);
}

fn a_full_sender_refuses_itself_alone(server: &Server) {
    let client = server.new_client();
    let (id, flood) = address(&client);
    let (_, other) = address(&client);
    assert_eq!(send(server, &flood, "", &plain("warning")).ok()["result"], json!("created"));
    set(server, &client, &id, 45_000, 45_000);
    send(server, &flood, "", &plain("warning")).problem(409, "0004");
    assert_eq!(send(server, &flood, "", &plain("critical")).ok()["result"], json!("created"), "there is room for that");
    set(server, &client, &id, 50_000, 50_000);
    send(server, &flood, "", &plain("critical")).problem(409, "0004");
    // Reports of open problems are accepted as before.
    let open = text(&only(&client, "state:Warning")["subject"]);
    assert_eq!(
        send(server, &flood, "", &json!({"subject": open, "state": "critical"})).ok()["result"],
        json!("changed")
    );
    // Of many reports in one request, as many are accepted as there is room for.
    let batch = |many: usize| {
        let alerts: Vec<Value> = (0..many)
            .map(|_| json!({"status": "firing", "fingerprint": unique("f"), "labels": {"alertname": "a"}}))
            .collect();
        json!({"version": "4", "alerts": alerts})
    };
    set(server, &client, &id, 49_998, 49_998);
    let answer = send(server, &flood, "/alertmanager", &batch(3)).ok();
    assert_eq!(each(&answer, "result"), ["created", "created", "refused"]);
    assert!(answer[2]["errors"][0]["message"].as_str().is_some_and(|text| text.contains("100,000")), "{answer}");
    // Others have room: another address, an API key, a heartbeat, a job.
    assert_eq!(send(server, &other, "", &plain("warning")).ok()["result"], json!("created"));
    assert_eq!(post(&client, &json!({"currentState": "Critical", "subject": "s"}))["result"], json!("created"));
    set(server, &client, &id, 99_990, 99_990);
    post(&client, &json!({"currentState": "Critical", "subject": "last"}));
    set(server, &client, &id, 100_000, 100_000);
    client.post("/alert", &json!({"currentState": "Critical", "subject": "beyond"})).problem(409, "0004");
    let beat = client.post("/heartbeats", &json!({"name": unique("beat"), "interval": "1s", "grace": "1s"})).ok();
    let url = text(&beat["url"]);
    server.request("POST", &url[url.find("/api/").expect("a path")..]).send().ok();
    let silent = || !found(&client, "app:Heartbeat+status:New").is_empty();
    wait_for(Duration::from_secs(30), silent, || "no heartbeat is missed".to_owned());
}

fn administrators_are_told_once_until_there_is_room(backend: Backend) {
    let server = Server::start_with(backend, &["--egress-allow", "127.0.0.0/8"]);
    let client = server.new_client();
    let receiver = Receiver::willing();
    let (_, admin) = somebody(&server, &client, "admin");
    let hook = json!({"name": "hook", "type": "HTTP", "url": format!("{}/admin", receiver.url()), "verified": true});
    client.post(&format!("/users/{admin}/contactMethods"), &hook).ok();
    let (id, token) = address(&client);
    send(&server, &token, "", &plain("critical")).ok();
    set(&server, &client, &id, 39_998, 39_998);
    send(&server, &token, "", &plain("critical")).ok();
    assert!(found(&client, "app:Muster").is_empty());
    send(&server, &token, "", &plain("critical")).ok();
    let told = only(&client, "app:Muster");
    assert!(
        text(&told["subject"]).starts_with("Open alerts: 80 % of the room is taken by the inbound address"),
        "{told}"
    );
    assert!(text(&told["subject"]).contains(&id), "{told}");
    assert_eq!((&told["currentState"], &told["sender"]), (&json!("Critical"), &json!("openAlerts")));
    // No route takes it, and still people hear of it.
    let calls = || receiver.all().iter().filter(|call| call.text().contains("Open alerts")).count();
    wait_for(Duration::from_secs(30), || calls() == 1, || format!("{} calls", calls()));
    send(&server, &token, "", &plain("critical")).ok();
    assert_eq!(only(&client, "app:Muster")["repeatCount"], json!(1), "once");
    // There is room again when alerts are closed, by any route.
    set(&server, &client, &id, 35_000, 35_000);
    let open = found(&client, "status:New+subject:flood");
    client.post(&format!("/alerts/{}/actions/close", open[0]), &json!({})).ok();
    assert_eq!(only(&client, "app:Muster")["status"], json!("Closed"));
}
