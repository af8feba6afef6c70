//! The webhook of a Prometheus Alertmanager.

use muster_tests::{Server, both_backends};
use serde_json::{Value, json};

use super::{each, found, get, host, text};

both_backends![a_group_fires_and_is_resolved, a_malformed_notification_is_refused];

fn notification(alerts: Value) -> Value {
    json!({
        "version": "4", "groupKey": "{}:{alertname=\"Load\"}", "truncatedAlerts": 0, "status": "firing",
        "receiver": "muster", "groupLabels": {"alertname": "Load"}, "commonLabels": {"alertname": "Load"},
        "commonAnnotations": {}, "externalURL": "http://alertmanager.example:9093", "alerts": alerts,
    })
}

fn alert(status: &str, host: &str, severity: &str, fingerprint: &str) -> Value {
    let ends = if status == "resolved" { "2026-05-01T10:30:00.5Z" } else { "0001-01-01T00:00:00Z" };
    json!({
        "status": status, "fingerprint": fingerprint,
        "labels": {"alertname": "Load", "severity": severity, "instance": format!("{host}:9100"), "env": "production"},
        "annotations": {"summary": format!("Load of {host}"), "description": "It is high"},
        "startsAt": "2026-05-01T10:00:00.123456789Z", "endsAt": ends, "generatorURL": "http://prometheus.example/graph",
    })
}

fn a_group_fires_and_is_resolved(server: &Server) {
    let client = server.new_client();
    let (first_id, first) = host(&client);
    let (_, second) = host(&client);
    client.post(&format!("/resources/{first_id}"), &json!({"ipAddress": "10.78.0.1"})).ok();
    let firing = notification(json!([
        alert("firing", "10.78.0.1", "critical", "f1"),
        alert("firing", &second, "warning", "f2"),
        alert("firing", "nobody.example", "info", "f3"),
        {"status": "firing"},
    ]));
    let results = client.post("/alerts/alertmanager", &firing).ok();
    assert_eq!(each(&results, "result"), ["created", "created", "created", "invalid"]);
    assert_eq!(results[0]["resourceId"], json!(first_id), "by its address");
    assert!(results[1]["resourceId"].is_string() && results[2].get("resourceId").is_none(), "{results}");
    let made = get(&client, &results[0]);
    assert_eq!((&made["subject"], &made["description"]), (&json!("Load of 10.78.0.1"), &json!("It is high")));
    assert_eq!((&made["device"]["hostName"], &made["alertTime"]), (&json!(first), &json!("2026-05-01T10:00:00+0000")));
    assert_eq!((&made["extAlertId"], &made["metric"]), (&json!("f1"), &json!("Load")));
    assert_eq!(made["groupKey"], firing["groupKey"]);
    assert_eq!(made["url"], json!("http://prometheus.example/graph"));
    assert!(made["tags"].as_array().is_some_and(|tags| tags.contains(&json!({"name": "env", "value": "production"}))));
    let states = ["Critical", "Warning", "Info"];
    for (result, state) in results.as_array().into_iter().flatten().zip(states) {
        assert_eq!(result["currentState"], json!(state));
    }
    let again = client.post("/alerts/alertmanager", &firing).ok();
    assert_eq!((&again[0]["result"], &again[0]["id"]), (&json!("repeated"), &results[0]["id"]));
    let resolved = notification(json!([
        alert("resolved", "10.78.0.1", "critical", "f1"),
        alert("firing", &second, "warning", "f2"),
    ]));
    let results = client.post("/alerts/alertmanager", &resolved).ok();
    assert_eq!(each(&results, "result"), ["closed", "repeated"]);
    let closed = get(&client, &results[0]);
    assert_eq!((&closed["currentState"], &closed["status"]), (&json!("Ok"), &json!("Closed")));
    assert_eq!((&closed["oldState"], &closed["alertTime"]), (&json!("Critical"), &json!("2026-05-01T10:30:00+0000")));
    assert!(closed["closure"].is_object() && closed["closure"]["by"].is_null(), "a report did it: {closed}");
    assert_eq!(found(&client, "status:Closed"), [text(&results[0]["id"])]);
    // It fires again, with the start that it had before: that is news.
    assert_eq!(client.post("/alerts/alertmanager", &firing).ok()[0]["result"], json!("created"));
    assert_eq!(found(&client, "status:New").len(), 3);
}

fn a_malformed_notification_is_refused(server: &Server) {
    let client = server.new_client();
    client.post("/alerts/alertmanager", &json!({})).invalid(&["alerts", "version"]);
    client.post("/alerts/alertmanager", &json!([])).invalid(&["body"]);
    let mut old = notification(json!([]));
    old["version"] = json!("3");
    client.post("/alerts/alertmanager", &old).invalid(&["version"]);
    assert_eq!(client.post("/alerts/alertmanager", &notification(json!([]))).list(), Vec::<Value>::new());
    let long =
        json!([{"status": "firing", "labels": {"alertname": "x"}, "annotations": {"description": "é".repeat(9_000)}}]);
    assert_eq!(client.post("/alerts/alertmanager", &notification(long)).ok()[0]["result"], json!("created"));
}
