use serde_json::json;

use super::*;

fn report_of(body: Value) -> Report {
    match read(&body).unwrap() {
        Event::Report(report) => *report,
        other => panic!("{other:?}"),
    }
}

#[test]
fn severities_are_words_or_numbers() {
    for (severity, state) in [
        ("Not classified", "Info"),
        ("Information", "Info"),
        ("Warning", "Warning"),
        ("Average", "Warning"),
        ("High", "Critical"),
        ("Disaster", "Critical"),
    ] {
        let body = json!({"event_id": 1, "event_name": "n", "event_severity": severity});
        assert_eq!(report_of(body).state, state, "{severity}");
    }
    let body = json!({"EVENT.ID": "1", "EVENT.NAME": "n", "EVENT.NSEVERITY": "5"});
    assert_eq!(report_of(body).state, "Critical");
    for (number, state) in [("1", "Info"), ("3", "Warning"), ("5", "Critical")] {
        for name in ["severity", "event_severity", "event_nseverity"] {
            let body = json!({"event_id": "1", "event_name": "n", name: number});
            assert_eq!(report_of(body).state, state, "{name} {number}");
        }
    }
}

#[test]
fn macros_without_a_value_are_none() {
    let report = report_of(json!({"event_id": 1, "event_name": "n", "host_host": "*UNKNOWN*", "host_name": "web-01",
            "trigger_url": "{TRIGGER.URL}", "event_tags": "{EVENT.TAGS}",
            "alert_message": "{not a macro, but a text}"}));
    assert_eq!(report.device.device.unwrap().host_name, "web-01");
    assert_eq!((report.url.as_str(), report.tags.len()), ("", 0));
    assert_eq!(report.description, "{not a macro, but a text}");
}

#[test]
fn a_recovery_has_the_id_of_its_problem() {
    let problem = report_of(json!({"event_id": "1047", "event_name": "High load", "event_value": "1",
            "event_severity": "High", "event_date": "2026.11.20", "event_time": "20:37:00", "host_host": "web-01",
            "event_recovery_id": "{EVENT.RECOVERY.ID}", "event_tags": "[{\"tag\":\"scope\",\"value\":\"cpu\"}]"}));
    let over = report_of(json!({"event_id": "1047", "event_name": "High load", "event_value": "0",
            "event_recovery_date": "2026.11.20", "event_recovery_time": "20:40:00"}));
    assert_eq!((problem.state, over.state), ("Critical", "Ok"));
    assert_eq!(problem.key, over.key);
    assert_eq!(problem.time.unwrap().to_string(), "2026-11-20T20:37:00+0000");
    assert_eq!(over.time.unwrap().to_string(), "2026-11-20T20:40:00+0000");
    assert_eq!(problem.tags, [Tag { name: "scope".into(), value: "cpu".into() }]);
    assert_eq!(problem.device.device.unwrap().host_name, "web-01");
}

#[test]
fn tags_may_be_a_text() {
    let report = report_of(json!({"event_id": 1, "event_name": "n", "event_tags": "scope:cpu, lonely"}));
    assert_eq!(report.tags.iter().map(|tag| tag.name.as_str()).collect::<Vec<_>>(), ["scope", "lonely"]);
}

#[test]
fn an_update_acknowledges() {
    let body = json!({"event_id": "1", "event_name": "n", "event_value": "1", "event_update_status": "1",
            "event_update_action": "acknowledged and commented", "event_update_message": "on it"});
    let Event::Act { of, action, note, report: None } = read(&body).unwrap() else { panic!() };
    assert_eq!((of.key.as_deref(), action, note.as_str()), (Some("1"), Action::Acknowledge, "on it"));
    let body = json!({"event_id": "1", "event_name": "n", "event_severity": "Disaster",
            "event_update_action": "acknowledged and changed severity from Average to Disaster"});
    let Event::Act { report: Some(report), .. } = read(&body).unwrap() else { panic!() };
    assert_eq!(report.state, "Critical");
}

#[test]
fn a_comment_is_a_note() {
    let of = |value: &str| {
        report_of(json!({"event_id": "1", "event_name": "n", "event_value": value, "event_severity": "sev3",
            "event_date": "30/11/2026", "event_time": "10:00", "event_update_action": "commented",
            "event_update_message": "look"}))
    };
    assert_eq!((of("1").note.as_str(), of("0").note.as_str()), ("look", "look"));
    let named = of("1").warnings;
    assert!(named.len() == 2 && named[1].starts_with("30/11/2026 10:00 is not a time"), "{named:?}");
}

#[test]
fn what_is_missing_is_listed() {
    let errors = read(&json!({})).unwrap_err().errors;
    let named: Vec<&str> = errors.iter().map(|error| error.field_name.as_str()).collect();
    assert_eq!(named, ["event_name", "event_id"]);
}

#[test]
fn whatever_names_a_problem_is_taken() {
    let unnamed = report_of(json!({"event_id": "8", "event_value": "1"}));
    assert_eq!((unnamed.subject.as_str(), unnamed.warnings.len()), ("Problem 8", 1));
    let of_host = |value: &str| report_of(json!({"event_name": "Disk", "host_host": "web-01", "event_value": value}));
    let (problem, over) = (of_host("1"), of_host("0"));
    assert_eq!((problem.state, over.state, &problem.key, &problem.event), ("Critical", "Ok", &None, &String::new()));
    assert_eq!((problem.subject, problem.device), (over.subject, over.device));
    // The test of a media type fills in no macro.
    let test = json!({"event_name": "{EVENT.NAME}", "event_id": "{EVENT.ID}", "alert_subject": "Test subject",
        "alert_message": "This is the test message from Zabbix"});
    assert_eq!(report_of(test).subject, "Test subject");
}
