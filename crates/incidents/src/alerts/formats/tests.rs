use proptest::prelude::*;
use serde_json::json;

use super::*;

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
    assert_eq!(of(json!("team:a, severity:critical")), Some("Critical"));
    assert_eq!((of(json!({"team": "critical"})), of(json!(7))), (None, None));
}

#[test]
fn attributes_are_read_in_every_form() {
    assert_eq!(cut("äöü", 2), "äö");
    assert_eq!(tags(Some(&json!({"a": {"b": 1}})))[0].value, "{\"b\":1}");
    let list = tags(Some(&json!([{"name": "env", "value": "prod"}, "team: a", "disk", 7, {"value": "x"}])));
    let list: Vec<_> = list.iter().map(|tag| (tag.name.as_str(), tag.value.as_str())).collect();
    assert_eq!(list, [("env", "prod"), ("team", "a"), ("disk", ""), ("7", "")]);
    assert_eq!(tags(Some(&json!("env:prod, disk,"))), [tag("env", "prod"), tag("disk", "")]);
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

#[test]
fn of_many_events_each_counts_alone() {
    let many = json!([{"subject": "a"}, 7, {"message": "b"}]);
    for read in [read_each(&many, plain::read).unwrap(), plain::read_format(&many, zabbix::read).unwrap()] {
        assert_eq!(read.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true]);
    }
    assert!(read_each(&json!(vec![json!({"subject": "a"}); MOST + 1]), plain::read).is_err());
    assert!(read_each(&json!([7]), plain::read).is_ok());
    for none in [json!([7]), json!([]), json!(7)] {
        assert!(plain::read_format(&none, zabbix::read).is_err(), "{none}");
    }
}

#[test]
fn whatever_identifies_a_problem_tells_it_from_others() {
    let of = |value: Value| identifier([None, Some(&value)]);
    assert_eq!(of(json!({"b": 1, "a": [2]})), of(json!({"a": [2], "b": 1})));
    assert_ne!(of(json!(["5"])), of(json!(["6"])));
    assert_eq!(
        (of(json!(5)), of(json!([])), of(json!({})), of(json!(null))),
        ("5".into(), "".into(), "".into(), "".into())
    );
}

#[test]
fn an_unknown_severity_is_the_worst_and_is_named() {
    assert_eq!((graded("warning"), graded("")), (("Warning", None), ("Critical", None)));
    let (state, warning) = graded("sev3");
    assert_eq!((state, warning.unwrap().starts_with("sev3 is not")), ("Critical", true));
}

proptest! {
    #[test]
    fn a_name_is_found_in_any_spelling(words in proptest::collection::vec("[a-z]{1,4}", 1..4), mark in "[-_. ]") {
        let camel: String = words.iter().map(|word| word[..1].to_uppercase() + &word[1..]).collect();
        let spellings = [words.concat(), words.join(&mark), words.join(&mark).to_uppercase(), camel];
        for one in &spellings {
            let object = Map::from_iter([(one.clone(), json!(1))]);
            prop_assert!(spellings.iter().all(|other| Fields::of(&object).get(other).is_some()));
        }
    }
}
