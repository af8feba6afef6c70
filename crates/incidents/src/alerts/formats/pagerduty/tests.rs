use serde_json::json;

use super::*;

fn read_one(body: Value) -> Result<(Event, String), Vec<String>> {
    read(&body)
        .map(|event| (event.clone(), event.key().to_owned()))
        .map_err(|problem| problem.errors.into_iter().map(|error| error.field_name).collect())
}

#[test]
fn a_trigger_is_a_report_of_its_source() {
    let body = json!({"event_action": "trigger", "payload": {
            "summary": "PING OK - Packet loss = 0%", "source": "web-01", "severity": "error",
            "timestamp": "2015-07-17T08:42:58.315+0000", "component": "postgres", "group": "prod", "class": "deploy",
            "custom_details": {"load avg": 0.75}
        }, "client": "Sensu", "links": [{"href": "https://example.com/", "text": "look"}]});
    let (Event::Report(report), key) = read_one(body).unwrap() else { panic!("a report") };
    assert_eq!((report.key.as_ref(), report.ext_alert_id == key), (Some(&key), true));
    assert_eq!((report.state, report.app.as_str(), report.component.as_str()), ("Critical", "Sensu", "postgres"));
    assert_eq!(report.time.unwrap().to_string(), "2015-07-17T08:42:58+0000");
    assert_eq!(report.device.device.unwrap().host_name, "web-01");
    assert_eq!((report.url.as_str(), report.tags.len()), ("https://example.com/", 3));
}

#[test]
fn a_key_is_all_that_the_others_need() {
    let (event, _) = read_one(json!({"event_action": "acknowledge", "dedup_key": "k"})).unwrap();
    let Event::Act { of, action, .. } = event else { panic!("an acknowledgement") };
    assert_eq!((of.key.as_deref(), action), (Some("k"), Action::Acknowledge));
    let (Event::Report(report), _) = read_one(json!({"event_action": "resolve", "dedup_key": "k"})).unwrap() else {
        panic!("a report")
    };
    assert_eq!((report.state, report.subject.as_str()), ("Ok", ""));
}

#[test]
fn without_a_key_the_same_problem_has_the_same_one() {
    let key = |summary: &str, source: &str| {
        let payload = json!({"summary": summary, "source": source});
        read_one(json!({"event_action": "trigger", "payload": payload})).unwrap().1
    };
    assert_eq!(key("full", "web-01"), key("full", "web-01"));
    assert_ne!(key("full", "web-01"), key("full", "web-02"));
    assert_ne!(key("full", "web-01"), key("Full", "web-01"));
}

#[test]
fn whatever_is_triggered_is_a_problem() {
    let state = |payload: Value| {
        let body = json!({"event_action": "trigger", "dedup_key": "k", "payload": payload});
        let (Event::Report(report), _) = read_one(body).unwrap() else { panic!("a report") };
        report.state
    };
    assert_eq!(state(json!({"summary": "s", "severity": "ok"})), "Info");
    assert_eq!(state(json!({"summary": "s", "severity": "mauve"})), "Critical");
    assert_eq!(state(json!({"summary": "s", "custom_details": {"severity": "warning"}})), "Warning");
    assert_eq!(state(json!({"summary": "s", "custom_details": "severity: warning"})), "Warning");
}

#[test]
fn version_1_has_other_names() {
    let body = json!({"service_key": "t", "event_type": "trigger", "incident_key": "k",
            "description": "Disk is full",
            "details": {"host": "web-01", "severity": "warning"},
            "contexts": [{"type": "link", "href": "https://a.example/"}]});
    let v2 = of_any_version(body);
    assert_eq!(of_any_version(v2.clone()), v2);
    assert_eq!(routing_key(&v2), Some("t"));
    let (Event::Report(report), key) = read_one(v2).unwrap() else { panic!("a report") };
    assert_eq!((key.as_str(), report.state, report.url.as_str()), ("k", "Warning", "https://a.example/"));
    assert_eq!(report.device.device.unwrap().host_name, "web-01");
}

#[test]
fn what_is_missing_is_listed() {
    assert_eq!(read_one(json!({})).unwrap_err(), ["event_action", "payload.summary"]);
    assert_eq!(read_one(json!({"event_action": "resolve"})).unwrap_err(), ["dedup_key"]);
    assert_eq!(read_one(json!({"event_action": "trigger"})).unwrap_err(), ["payload.summary"]);
    assert_eq!(read_one(json!([])).unwrap_err(), ["body"]);
}

#[test]
fn whatever_names_a_problem_is_taken() {
    let payload = json!({"summary": "s", "source": "web-01", "severity": "info"});
    let said = json!({"event_action": "trigger", "payload": payload});
    let (_, made) = read_one(said.clone()).unwrap();
    let with = |field: &str, value: Value| {
        let mut body = said.clone();
        body[field] = value;
        let (event, key) = read_one(body).unwrap();
        assert_eq!(key, made, "the same problem");
        let (Event::Report(report) | Event::Act { of: report, .. }) = &event;
        (report.state, report.warnings.len(), matches!(event, Event::Act { .. }))
    };
    assert_eq!(with("event_action", json!(null)), ("Info", 1, false));
    assert_eq!(with("event_action", json!("alert")), ("Info", 0, false));
    assert_eq!(with("event_action", json!("Triggered")), ("Info", 0, false));
    assert_eq!(with("event_action", json!("burn")), ("Info", 1, false));
    assert_eq!(with("event_action", json!("resolved")), ("Ok", 0, false));
    assert_eq!(with("event_action", json!("acknowledged")), ("Ok", 0, true));
    assert_eq!(with("payload", json!(payload.to_string())), ("Info", 0, false));
    let flat = json!({"Event_Action": "trigger", "summary": "s", "Source": "web-01", "severity": "info"});
    assert_eq!(read_one(flat).unwrap().1, made);
    let text = read_one(json!({"event_action": "trigger", "payload": "Disk is full"})).unwrap();
    let Event::Report(report) = text.0 else { panic!("a report") };
    assert_eq!(report.subject, "Disk is full");
}

#[test]
fn what_is_not_understood_is_named() {
    let flat = json!({"summary": "s", "dedup_key": {"b": 1, "a": 2}, "severity": "mauve", "timestamp": "soon"});
    let (Event::Report(report), key) = read_one(flat).unwrap() else { panic!("a report") };
    assert_eq!((key.as_str(), report.state, report.warnings.len()), (r#"{"a":2,"b":1}"#, "Critical", 3), "{report:?}");
}
