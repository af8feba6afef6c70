//! An integrator connects Alertmanager and Slack: what the one reports, the other is told.

use muster_tests::{
    in_browser,
    receiver::{Receiver, wait_for},
    unique,
};
use serde_json::json;
use std::time::Duration;

use super::{super::text, Actor, Input, results, server};

in_browser![
    an_integrator_connects_alertmanager_and_slack_by_mouse,
    an_integrator_connects_alertmanager_and_slack_by_keys,
    an_integrator_connects_alertmanager_and_slack_on_a_telephone
];

fn an_integrator_connects_alertmanager_and_slack_by_mouse() {
    connect(Input::Mouse);
}

fn an_integrator_connects_alertmanager_and_slack_by_keys() {
    connect(Input::Keys);
}

fn an_integrator_connects_alertmanager_and_slack_on_a_telephone() {
    connect(Input::Telephone);
}

fn connect(input: Input) {
    let (company, slack) = (server().new_client(), Receiver::willing());
    // Addresses for monitors are made by administrators alone.
    let Some(integrator) = Actor::sign_in(&company, "admin", input) else { return };
    integrator.go("Inbound addresses");
    integrator.press("New inbound address…");
    integrator.fill("Name", "Prometheus");
    integrator.send("Create");
    integrator.press("Alertmanager");
    integrator.reads("webhook_configs:");
    let address = integrator.output();
    integrator.press("Hide");

    integrator.go("Integrations");
    integrator.press("Install integration…");
    integrator.fill("Name", "Slack");
    integrator.tick("Base notifier");
    integrator.fill("Base URL", &slack.url());
    integrator.send("Install");
    integrator.press("Open Slack");
    integrator.heading("Slack");
    let name = unique("Alerts");
    integrator.press("New event…");
    integrator.fill("Name", &name);
    integrator.choose("Entity", "ALERT");
    integrator.choose("Event type", "NONE");
    integrator.fill("Path and query", "/services/T0/B0/secret");
    integrator.fill("Template of the body", "{\"text\": \"$alert.currentState: $alert.subject\"}");
    // Tried before it is saved: Slack is told nothing.
    integrator.press("Try it before it is saved");
    integrator.fill("Record as JSON", "{\"subject\": \"Disk full\", \"currentState\": \"Critical\"}");
    integrator.press("Preview");
    integrator.reads("Critical: Disk full");
    assert_eq!(slack.count(), 0);
    integrator.send("Create");
    integrator.heading(&name);

    let path = address.trim().strip_prefix(server().base()).expect("an address of the service");
    let subject = unique("HighLoad");
    let labels = json!({"alertname": subject, "instance": "web-01", "severity": "critical"});
    let alert = json!({"status": "firing", "labels": labels, "annotations": {"summary": subject},
        "startsAt": "2026-11-27T05:00:00Z", "endsAt": "0001-01-01T00:00:00Z", "fingerprint": unique("f")});
    let body = json!({"version": "4", "status": "firing", "receiver": "muster", "groupKey": "{}", "groupLabels": {},
        "commonLabels": {}, "commonAnnotations": {}, "externalURL": "http://am.example", "alerts": [alert]});
    let answer = server().request("POST", &format!("{path}/alertmanager")).json(&body).send();
    assert_eq!(answer.status, 200, "{answer}");
    let message = &slack.wait(1)[0];
    assert_eq!((message.method.as_str(), message.path.as_str()), ("POST", "/services/T0/B0/secret"));
    assert_eq!(message.json(), json!({"text": format!("Critical: {subject}")}));
    let found = results(&company.get("/alerts/search").page());
    assert_eq!(
        (found.len(), &found[0]["subject"], &found[0]["currentState"]),
        (1, &json!(subject), &json!("Critical"))
    );
    let addresses = company.get("/inbound").list();
    assert_eq!((addresses.len(), &addresses[0]["id"]), (1, &found[0]["sender"]), "{found:?}");
    // The integrator sees that it arrived.
    let deliveries = || results(&company.get("/integrations/deliveries/search").page());
    let arrived = || deliveries().iter().map(|one| text(&one["status"])).collect::<Vec<_>>() == ["delivered"];
    wait_for(Duration::from_secs(10), arrived, || format!("{:?}", deliveries()));
    integrator.press("Deliveries of this event");
    integrator.heading("Deliveries");
    integrator.reads("delivered");
    integrator.is_done();
}
