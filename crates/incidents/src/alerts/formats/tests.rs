use proptest::prelude::*;
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
