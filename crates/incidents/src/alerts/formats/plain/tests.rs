use super::*;

fn report(body: Value) -> Report {
    match read(&body).unwrap() {
        Event::Report(report) => *report,
        other => panic!("{other:?}"),
    }
}

#[test]
fn two_fields_are_enough() {
    let first = report(json!({"message": "Backup failed", "level": "error"}));
    let over = report(json!({"subject": "Backup failed", "state": "ok"}));
    assert_eq!((first.state, over.state), ("Critical", "Ok"));
    assert_eq!((first.key, over.key), (None, None));
    assert_eq!(report(json!({"subject": "s"})).state, "Critical");
}

#[test]
fn a_word_that_means_well_is_the_state_or_the_lowest_problem() {
    for (body, state) in [
        (json!({"state": "ok"}), "Ok"),
        (json!({"status": "RESOLVED", "severity": "critical"}), "Ok"),
        (json!({"severity": "normal"}), "Ok"),
        (json!({"priority": "normal"}), "Info"),
        (json!({"state": "problem", "severity": "ok"}), "Info"),
        (json!({"state": "firing", "severity": "warning"}), "Warning"),
        (json!({"status": "open", "priority": "P3"}), "Warning"),
        (json!({"status": "open"}), "Critical"),
        (json!({"state": "warning", "severity": "critical"}), "Warning"),
        (json!({"labels": {"severity": "info"}}), "Info"),
    ] {
        let mut body = body;
        body["subject"] = json!("s");
        let read = report(body.clone());
        assert_eq!((read.state, read.warnings.len()), (state, 0), "{body}");
    }
}

#[test]
fn an_unknown_word_is_a_problem_and_is_named() {
    let read = report(json!({"subject": "s", "state": "mauve"}));
    assert_eq!(read.state, "Critical");
    assert!(read.warnings[0].starts_with("mauve is not"), "{:?}", read.warnings);
}

#[test]
fn a_rule_of_grafana_is_one_problem_whatever_it_says() {
    let rule = |body: Value| match read_rule(body).unwrap() {
        Event::Report(report) => *report,
        other => panic!("{other:?}"),
    };
    let firing = rule(json!({"title": "[Alerting] CPU", "ruleId": 1, "ruleName": "CPU", "state": "alerting"}));
    let over = rule(json!({"title": "[OK] CPU", "ruleId": 1, "ruleName": "CPU", "state": "ok"}));
    let other = rule(json!({"title": "[Alerting] RAM", "ruleId": 2, "ruleName": "RAM", "state": "alerting"}));
    assert_eq!((firing.state, over.state, firing.metric.as_str()), ("Critical", "Ok", "CPU"));
    assert_eq!(firing.key, over.key);
    assert_ne!(firing.key, other.key);
    assert_eq!(rule(json!({"title": "t", "state": "alerting"})).key, None);
}

#[test]
fn an_acknowledgement_is_none_of_a_state() {
    for body in [
        json!({"event_action": "acknowledge", "severity": "warning"}),
        json!({"Status": "ACKNOWLEDGED"}),
        json!({"state": "warning", "event_action": "ack"}),
    ] {
        let mut body = body;
        body["subject"] = json!("s");
        body["key"] = json!("k");
        let Event::Act { of, action, report, .. } = read(&body).unwrap() else { panic!("{body}") };
        assert_eq!((of.key.as_deref(), action, report, of.warnings.len()), (Some("k"), Action::Acknowledge, None, 0));
    }
    assert_eq!(report(json!({"subject": "s", "state": "ok", "event_action": "acknowledge"})).state, "Ok");
}

#[test]
fn neither_letter_case_nor_marks_of_a_name_count() {
    let read = report(json!({"Subject": "s", "STATE": "ok", "host_name": "a", "Dedup-Key": "k", "EventID": "7"}));
    assert_eq!((read.state, read.key.as_deref(), read.event.as_str()), ("Ok", Some("k"), "7"));
    assert_eq!(read.device.device.unwrap().host_name, "a");
    assert!(read.warnings.is_empty(), "{:?}", read.warnings);
    // That in small letters is meant, unless it is empty.
    for (state, meant) in [("ok", "Ok"), ("", "Warning")] {
        for body in [json!({"State": "warning", "state": state}), json!({"state": state, "State": "warning"})] {
            let mut body = body;
            body["subject"] = json!("s");
            assert_eq!(report(body.clone()).state, meant, "{body}");
        }
    }
}

#[test]
fn what_nobody_reads_is_named() {
    let read = report(json!({"subject": "s", "title": "t", "stat": "ok", "colour": "red", "severity": "info"}));
    assert_eq!(read.warnings, ["unknown fields were ignored: colour, stat"]);
    let rule = read_rule(json!({"title": "t", "ruleId": 1, "evalMatches": []})).unwrap();
    assert!(matches!(rule, Event::Report(report) if report.warnings.is_empty()));
}

#[test]
fn an_event_of_pagerduty_is_one_here_too() {
    let read = report(json!({"routing_key": "t", "event_action": "resolve", "dedup_key": "k"}));
    assert_eq!((read.state, read.key.as_deref(), read.app.as_str()), ("Ok", Some("k"), "PagerDuty event"));
    let payload = json!({"summary": "s", "severity": "warning"});
    assert_eq!(report(json!({"event_action": "trigger", "payload": payload})).state, "Warning");
}

#[test]
fn what_is_wrong_is_listed() {
    let errors = read(&json!({"state": "mauve"})).unwrap_err().errors;
    assert_eq!(errors.iter().map(|error| error.field_name.as_str()).collect::<Vec<_>>(), ["subject", "state"]);
    assert!(read(&json!("text")).is_err());
}

#[test]
fn machines_are_told_apart_however_they_are_named() {
    let machine = |device: Value| report(json!({"subject": "Load", "metric": "load", "device": device}));
    let of = |report: &Report| report.device.device.clone().unwrap_or_default().host_name;
    let [text, object] = [json!("web-01"), json!({"hostName": "web-01"})].map(machine);
    assert_eq!((of(&text), of(&object)), ("web-01".to_owned(), "web-01".to_owned()));
    assert_eq!(text.device.keys.last(), object.device.keys.last());
    let lost = machine(json!(["web-01"]));
    assert!(lost.warnings[0].starts_with("the machine was not understood"), "{:?}", lost.warnings);
    assert!(report(json!({"subject": "s", "device": ""})).warnings.is_empty());
}

#[test]
fn what_is_not_a_time_is_named() {
    let of = |time: Value| report(json!({"subject": "s", "time": time}));
    assert_eq!(of(json!("2026-11-30T10:00:00")).time.unwrap().to_string(), "2026-11-30T10:00:00+0000");
    assert_eq!(of(json!("30.11.2026 10:00")).warnings.len(), 1);
}

#[test]
fn a_key_tells_problems_apart() {
    let listed = |key: Value| report(json!({"subject": "s", "key": key})).key;
    assert!(listed(json!(["1"])) != listed(json!(["2"])) && listed(json!({"a": 1})).is_some());
    let one = report(json!({"subject": "s", "key": "1", "host": "a"}));
    let other = report(json!({"subject": "s", "key": "2", "host": "a"}));
    assert_ne!(one.key, other.key);
    assert_eq!(one.device.device.unwrap().host_name, "a");
}
