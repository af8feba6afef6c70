use serde_json::json;

use super::*;

#[test]
fn an_alert_is_a_report_of_its_entity() {
    let body = json!({"message": "An example alert message", "alias": "Life is too short for no alias",
        "description": "Every alert needs a description", "tags": ["OverwriteQuietHours", "Critical"],
        "details": {"key1": "value1"}, "entity": "10.0.0.1", "priority": "P1", "source": "https://mon.example/"});
    let Event::Report(report) = create(&body).unwrap() else { panic!("a report") };
    assert_eq!((report.state, report.ext_alert_id.as_str()), ("Critical", "Life is too short for no alias"));
    assert_eq!(report.device.device.unwrap().ip_address, "10.0.0.1");
    assert_eq!((report.tags.len(), report.url.as_str()), (3, "https://mon.example/"));
    assert_eq!(report.note, "");
    let over = closed(" Life is too short for no alias ", "done".to_owned());
    assert_eq!((over.state, over.key), ("Ok", report.key));
}

#[test]
fn what_names_the_problem_is_required_and_the_rest_is_not() {
    assert_eq!(create(&json!({"priority": "P1"})).unwrap_err().errors[0].field_name, "message");
    let Event::Report(report) = create(&json!({"Alias": "a", "description": "Disk is full"})).unwrap() else {
        panic!("a report")
    };
    assert_eq!((report.subject.as_str(), report.key.as_deref(), report.warnings.len()), ("Disk is full", Some("a"), 1));
    let Event::Report(report) = create(&json!({"message": "m"})).unwrap() else { panic!("a report") };
    assert_eq!((report.state, report.key), ("Warning", None));
}

#[test]
fn a_note_is_kept_beside_a_description() {
    let read = |body: Value| {
        let Event::Report(report) = create(&body).unwrap() else { panic!("a report") };
        (report.description, report.note)
    };
    let both = read(json!({"message": "m", "description": "d", "note": "n"}));
    assert_eq!(both, ("d".to_owned(), "n".to_owned()));
    assert_eq!(read(json!({"message": "m", "note": "n"})), ("n".to_owned(), String::new()));
    assert_eq!(closed("a", "n".to_owned()).note, "n");
}

#[test]
fn labels_may_be_a_text() {
    let body = json!({"message": "m", "tags": "severity:critical, disk"});
    let Event::Report(report) = create(&body).unwrap() else { panic!("a report") };
    assert_eq!((report.state, report.tags), ("Critical", vec![tag("severity:critical", ""), tag("disk", "")]));
}

#[test]
fn a_severity_comes_from_the_labels_where_there_is_no_priority() {
    let state = |body: Value| {
        let Event::Report(report) = create(&body).unwrap() else { panic!("a report") };
        report.state
    };
    assert_eq!(state(json!({"message": "m", "details": {"severity": "critical"}})), "Critical");
    assert_eq!(state(json!({"message": "m", "tags": ["severity:info"]})), "Info");
    assert_eq!(state(json!({"message": "m", "priority": "P4", "details": {"severity": "critical"}})), "Warning");
    assert_eq!(state(json!({"message": "m", "priority": "normal"})), "Info");
}
