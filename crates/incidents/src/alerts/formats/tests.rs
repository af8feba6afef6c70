use serde_json::json;

use super::*;

#[test]
fn times_have_fractions_and_the_year_one_is_none() {
    let at = |value: Value| instant(Some(&value)).map(|at| at.to_string());
    assert_eq!(at(json!("2018-08-03T09:52:26.739266876+02:00")).as_deref(), Some("2018-08-03T07:52:26+0000"));
    assert_eq!(at(json!("2018-08-03T09:52:26Z")).as_deref(), Some("2018-08-03T09:52:26+0000"));
    assert_eq!(at(json!(1_533_289_946)).as_deref(), Some("2018-08-03T09:52:26+0000"));
    assert_eq!(at(json!("1533289946000")).as_deref(), Some("2018-08-03T09:52:26+0000"));
    for none in [json!("0001-01-01T00:00:00Z"), json!(""), json!("soon"), json!(null), json!(-5), json!("NaN")] {
        assert_eq!(at(none.clone()), None, "{none}");
    }
}

#[test]
fn words_of_every_monitor_have_a_state() {
    for (word, state) in [("Disaster", "Critical"), ("Average", "Warning"), ("P5", "Info"), ("RESOLVED", "Ok")] {
        assert_eq!(state_of(word), Some(state), "{word}");
    }
    assert_eq!(state_of("mauve"), None);
}

#[test]
fn what_is_reported_as_a_problem_is_one() {
    for word in ["ok", "Normal", "clear", "UP", "resolved", "info"] {
        assert_eq!(severity_of(word), Some("Info"), "{word}");
    }
    assert_eq!((severity_of("High"), severity_of("mauve")), (Some("Critical"), None));
}

#[test]
fn labels_name_a_severity() {
    let of = |labels: Value| severity_of_labels([Some(&labels)]);
    assert_eq!(of(json!({"Severity": "critical", "team": "a"})), Some("Critical"));
    assert_eq!(of(json!(["team:a", "severity=warning", "level: info"])), Some("Warning"));
    assert_eq!((of(json!({"team": "critical"})), of(json!("severity:critical"))), (None, None));
}

#[test]
fn texts_are_cut_and_tags_are_bounded() {
    assert_eq!(cut("äöü", 2), "äö");
    let many: Map<String, Value> = (0..500).map(|n| (format!("k{n}"), json!(n))).collect();
    assert_eq!(tags(Some(&Value::Object(many))).len(), MOST_TAGS);
    assert_eq!(tags(Some(&json!({"a": {"b": 1}})))[0].value, "{\"b\":1}");
    let list = tags(Some(&json!([{"name": "env", "value": "prod"}, "team: a", "disk", 7, {"value": "x"}])));
    let list: Vec<_> = list.iter().map(|tag| (tag.name.as_str(), tag.value.as_str())).collect();
    assert_eq!(list, [("env", "prod"), ("team", "a"), ("disk", ""), ("7", "")]);
}

#[test]
fn a_machine_is_a_text_or_an_object() {
    let named = |value: Value| machine([None, Some(&value)]).device.unwrap_or_default();
    assert_eq!(named(json!("10.0.0.1")).ip_address, "10.0.0.1");
    let object = named(json!({"hostName": "web-01", "ip": "10.0.0.2", "name": "Web"}));
    assert_eq!((object.host_name.as_str(), object.ip_address.as_str()), ("web-01", "10.0.0.2"));
    assert_eq!(machine([Some(&json!({})), Some(&json!("a"))]).device.unwrap().host_name, "a");
    assert_eq!(named(json!({"colour": "red"})), Device::default());
}
