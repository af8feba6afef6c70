//! Notes of people on alerts.

use muster_tests::{Client, Response, Server, both_backends, unique};
use serde_json::{Value, json};

use super::{get, text};

both_backends![
    a_note_is_on_the_alert_and_in_its_timeline,
    the_latest_hundred_notes_are_kept,
    who_may_not_writes_no_note,
];

fn write(client: &Client, alert: &str, note: &str) -> Response {
    client.post(&format!("/alerts/{alert}/notes"), &json!({"text": note}))
}

fn report(client: &Client) -> String {
    text(&client.post("/alert", &json!({"currentState": "Critical", "subject": unique("load")})).ok()["id"])
}

fn notes(alert: &Value) -> Vec<String> {
    alert["notes"].as_array().unwrap().iter().map(|note| text(&note["note"])).collect()
}

fn a_note_is_on_the_alert_and_in_its_timeline(server: &Server) {
    let client = server.new_client();
    let id = report(&client);
    let answered = write(&client, &id, "  The provider <b>works</b> on it\n").ok();
    let author = client.absolute("GET", "/api/v2/me").send().ok()["user"]["id"].clone();
    assert_eq!(notes(&answered), ["The provider <b>works</b> on it"]);
    assert_eq!((&answered["lastEvent"], &answered["notes"][0]["by"]["id"]), (&json!("Edited"), &author));
    // Sent again it is one; seen before somebody else's, it is refused.
    let path = format!("/alerts/{id}/notes");
    let body = json!({"text": "Once"});
    let again = || client.request("POST", &path).header("Idempotency-Key", "once").json(&body).send();
    assert_eq!(again().text(), again().text());
    let tag = client.get(&format!("/alerts/{id}")).header("ETag").unwrap_or_default().to_owned();
    write(&client, &id, "Meanwhile").ok();
    client.request("POST", &path).header("If-Match", &tag).json(&body).send().problem(412, "0004");
    // Of a closed alert it is written all the same.
    client.post_empty(&format!("/alerts/{id}/actions/close")).ok();
    write(&client, &id, "It was the switch").ok();
    let stands = get(&client, &json!({"id": id}));
    assert_eq!(notes(&stands), ["The provider <b>works</b> on it", "Once", "Meanwhile", "It was the switch"]);
    assert_eq!(stands["status"], json!("Closed"));
    let timeline = client.get(&format!("/alerts/{id}/timeline")).ok();
    let events: Vec<&Value> =
        timeline["events"].as_array().unwrap().iter().filter(|event| event["what"] == "note").collect();
    assert_eq!(events.iter().map(|event| text(&event["text"])).collect::<Vec<_>>(), notes(&stands));
    assert!(events.iter().all(|event| event["by"]["id"] == author && event["time"].is_string()), "{timeline}");
    let audit = client.search("/auditLog/search", &format!("entityId:{id}")).page();
    assert!(audit.to_string().contains("It was the switch"), "{audit}");
}

fn the_latest_hundred_notes_are_kept(server: &Server) {
    let client = server.new_client();
    let id = report(&client);
    for number in 0..103 {
        write(&client, &id, &format!("note {number}")).ok();
    }
    let kept = notes(&get(&client, &json!({"id": id})));
    assert_eq!((kept.len(), &*kept[0], &*kept[99]), (100, "note 3", "note 102"));
    write(&client, &id, &"a".repeat(4_000)).ok();
    write(&client, &id, &"a".repeat(4_001)).invalid(&["text"]);
    for nothing in ["", "  \n"] {
        write(&client, &id, nothing).invalid(&["text"]);
    }
    client.post(&format!("/alerts/{id}/notes"), &json!({})).invalid(&["text"]);
}

fn who_may_not_writes_no_note(server: &Server) {
    let client = server.new_client();
    let id = report(&client);
    let tenant = client.tenant_id().to_owned();
    write(&server.caller(&tenant, "viewer"), &id, "no").forbidden();
    write(&server.new_client(), &id, "no").not_found();
    write(&client, "ALT-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90", "no").not_found();
    write(&server.caller(&tenant, "operator"), &id, "yes").ok();
    assert_eq!(notes(&get(&client, &json!({"id": id}))), ["yes"]);
}
