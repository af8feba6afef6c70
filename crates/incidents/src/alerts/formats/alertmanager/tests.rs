use ports::ResourceKey;
use serde_json::json;

use super::*;

#[test]
fn an_instance_is_named_without_its_port() {
    for (instance, host) in [
        ("web-01:9100", "web-01"),
        ("web-01", "web-01"),
        ("10.0.0.1:80", "10.0.0.1"),
        ("[2001:db8::1]:9100", "2001:db8::1"),
        ("2001:db8::1", "2001:db8::1"),
        ("https://shop.example:8443/health", "shop.example"),
        ("a:b", "a:b"),
    ] {
        assert_eq!(without_port(instance), host, "{instance}");
    }
}

#[test]
fn a_notification_becomes_reports() {
    let body = json!({"version": "4", "groupKey": "g", "alerts": [
        {"status": "firing", "labels": {"alertname": "Load", "severity": "page", "instance": "10.0.0.1:9100"},
         "annotations": {"summary": "high"}, "fingerprint": "f1", "startsAt": "2026-01-01T00:00:00.5Z"},
        {"status": "resolved", "labels": {"b": "2", "a": "1"}, "endsAt": "2026-01-01T01:00:00Z"},
        {"status": "unsure", "labels": []},
    ]});
    let read = read(&body).unwrap();
    let [Ok(firing), Ok(resolved), Err(errors)] = read.as_slice() else { panic!("{read:?}") };
    assert_eq!((firing.state, firing.subject.as_str(), firing.metric.as_str()), ("Critical", "high", "Load"));
    assert_eq!(firing.device.keys[1], ResourceKey::IpAddress("10.0.0.1".into()));
    assert_eq!((firing.key.as_deref(), firing.tags.len()), (Some("f1"), 3));
    assert_eq!((resolved.state, resolved.key.as_deref()), ("Ok", Some("a=\"1\"\nb=\"2\"")));
    assert_eq!(errors.iter().map(|error| error.field_name.as_str()).collect::<Vec<_>>(), ["labels", "status"]);
}

#[test]
fn what_is_not_understood_or_left_out_is_named() {
    let body = json!({"version": "4", "truncatedAlerts": 7, "alerts": [
        {"status": "firing", "labels": {"severity": "sev3"}, "startsAt": "yesterday", "endsAt": "never"},
        {"status": "resolved", "labels": {}, "startsAt": "2026-01-01 00:00:00", "endsAt": "now"},
    ]});
    let read = read(&body).unwrap();
    let [Ok(firing), Ok(resolved)] = read.as_slice() else { panic!("{read:?}") };
    assert_eq!(firing.warnings.len(), 2, "{firing:?}");
    assert_eq!(firing.repairs, ["7 more alerts were left out of the notification by its sender"]);
    assert_eq!((resolved.warnings.len(), resolved.start.is_some()), (1, true), "{resolved:?}");
    let [Ok(odd)] = &leniently(json!({"fingerprint": [1], "labels": [{"name": "Severity", "value": "sev3"}]}))[..]
    else {
        panic!("a report")
    };
    assert_eq!((odd.key.as_deref(), odd.tags.len(), odd.warnings.len()), (Some("[1]"), 1, 1), "{odd:?}");
}

fn leniently(body: Value) -> Vec<Result<Report, Vec<FieldError>>> {
    let read = read_leniently(body.clone(), "", Timestamp::from_millis(1_795_000_000_000));
    let report = |event: ParsedEvent| match event {
        Ok(Event::Report(report)) => Ok(*report),
        Ok(other) => panic!("{other:?}"),
        Err(errors) => Err(errors),
    };
    read.unwrap_or_else(|problem| panic!("{body}: {problem:?}")).into_iter().map(report).collect()
}

#[test]
fn whatever_names_a_problem_is_taken() {
    let alert = json!({"status": "firing", "fingerprint": "f", "annotations": {"summary": "Node is down"},
        "labels": {"alertname": "Node", "Severity": "info", "Instance": "web-01:9100"}});
    let [Ok(whole)] = &leniently(json!({"alerts": [alert]}))[..] else { panic!() };
    assert_eq!((whole.state, whole.device.keys.len(), whole.warnings.len()), ("Info", 2, 0));
    for body in [json!([alert]), alert.clone(), json!({"alerts": alert}), json!({"alerts": json!([alert]).to_string()})]
    {
        let reports = leniently(body.clone());
        let [Ok(report)] = &reports[..] else { panic!("{body}: {reports:?}") };
        assert_eq!((report.state, &report.key), ("Info", &whole.key), "{body}");
    }
    for labels in [json!(null), json!("a"), json!([])] {
        let mut bare = alert.clone();
        bare["labels"] = labels;
        let reports = leniently(json!({"alerts": [bare]}));
        let [Ok(report)] = &reports[..] else { panic!("{reports:?}") };
        assert_eq!((report.subject.as_str(), report.key.as_deref()), ("Node is down", Some("f")));
        assert_eq!((report.state, report.warnings.len()), ("Critical", 1));
    }
    let mut listed = alert.clone();
    listed["labels"] = json!([{"name": "alertname", "value": "Node"}, {"name": "severity", "value": "warning"}]);
    let reports =
        leniently(json!({"alerts": [listed, {"Status": "resolved", "Fingerprint": "f"}, {"subject": "s"}, 7]}));
    let [Ok(listed), Ok(over), Ok(plain), Err(_)] = &reports[..] else { panic!("{reports:?}") };
    assert_eq!((listed.state, listed.metric.as_str(), over.state), ("Warning", "Node", "Ok"));
    assert_eq!((plain.subject.as_str(), plain.state), ("s", "Critical"));
    let unlabelled = |summary: &str| leniently(json!({"alerts": [{"annotations": {"summary": summary}}]})).remove(0);
    assert_eq!(unlabelled("a").unwrap().key, None, "two of them are not one problem");
}

#[test]
fn a_notification_is_one_at_any_address() {
    let alert = json!({"status": "firing", "labels": {"alertname": "Node"}});
    for (body, is_one) in [
        (json!({"alerts": [alert], "title": "[FIRING:1]", "message": "Node"}), true),
        (json!([alert]), true),
        (alert.clone(), true),
        (json!({"subject": "3 problems", "alerts": [{"name": "disk"}, "load"]}), false),
        (json!({"subject": "s", "labels": {"severity": "info"}}), false),
        (json!([{"subject": "s", "fingerprint": "f"}]), false),
        (json!({"alerts": []}), false),
        (json!("text"), false),
    ] {
        assert_eq!(is_notification(&body), is_one, "{body}");
    }
}

#[test]
fn a_malformed_notification_is_refused() {
    for (body, named) in [
        (json!({}), vec!["version", "alerts"]),
        (json!({"version": "3", "alerts": []}), vec!["version"]),
        (json!([]), vec!["body"]),
    ] {
        let errors = read(&body).unwrap_err().errors;
        assert_eq!(errors.iter().map(|error| error.field_name.as_str()).collect::<Vec<_>>(), named);
    }
}
