use base::timestamp::Timestamp;
use serde_json::json;

use super::*;

fn holds(rules: &Value, match_type: &str, object: &Value, previous: Option<&Value>) -> bool {
    let body = json!({"rules": rules, "matchType": match_type});
    let mut fields = Fields::of(&body);
    let meter = Meter::new(Meter::REQUEST);
    let criteria = Criteria::read(&mut fields, &meter);
    fields.finish().unwrap();
    let facts = Facts {
        object,
        previous,
        action: "UPDATE",
        entity: "INCIDENT",
        tenant: "client_1",
        action_id: "EVT-1",
        at: Timestamp::from_millis(0),
    };
    Filter::new(Some(&criteria)).matches(&CachedTexts::new(facts, &meter)).unwrap()
}

#[test]
fn changes_need_a_former_state() {
    let old = json!({"status": "New", "n": 1});
    let new = json!({"status": "Open", "n": 1});
    let rule = |operator: &str, value: &str| json!([{"key": "Status", "operator": operator, "value": value}]);
    for (operator, value, expected) in [
        ("Changed", "", true),
        ("changed to", "open", true),
        ("Changed To", "New", false),
        ("CHANGED_FROM", "New", true),
        ("Changed From", "Open", false),
    ] {
        assert_eq!(holds(&rule(operator, value), "ALL", &new, Some(&old)), expected, "{operator} {value}");
        assert!(!holds(&rule(operator, value), "ALL", &new, None), "{operator}");
        assert!(!holds(&rule(operator, value), "ALL", &new, Some(&new)), "{operator}");
    }
}

#[test]
fn one_or_all_rules_have_to_hold() {
    let object = json!({"subject": "disk full", "tags": [{"name": "env", "value": "prod"}]});
    let rules = json!([
        {"key": "Subject", "operator": "Starts with", "value": "DISK"},
        {"key": "tags.env", "operator": "equals", "value": "test"},
    ]);
    assert!(holds(&rules, "ANY", &object, None));
    assert!(!holds(&rules, "ALL", &object, None));
    assert!(holds(&json!([]), "ANY", &object, None) && holds(&json!([]), "ALL", &object, None));
    let absent = json!([{"key": "none", "operator": "Not Contains", "value": "x"}]);
    assert!(holds(&absent, "ALL", &object, None));
}

#[test]
fn rules_that_cannot_be_read_are_named() {
    let body = json!({"rules": [
        {"operator": "Equals", "value": "a"}, {"key": "k", "operator": "Like", "value": "a"},
        {"key": "k", "operator": "Equals"}, {"key": "k", "operator": "Regex", "value": "("},
        {"key": "k", "operator": "Changed"},
    ]});
    let mut fields = Fields::of(&body);
    Criteria::read(&mut fields, &Meter::new(Meter::REQUEST));
    let named: Vec<String> = fields.finish().unwrap_err().errors.into_iter().map(|error| error.field_name).collect();
    assert_eq!(named, ["rules[0].key", "rules[1].operator", "rules[2].value", "rules[3].value"]);
}
