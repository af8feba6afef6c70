use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::model::document::{Document, Resource, Tag};

fn resource() -> Resource {
    let mut document = Document::default();
    for (name, text) in [
        ("hostName", "web-01.example.net"),
        ("os", "Debian GNU/Linux 12"),
        ("make", "Dell Inc."),
        ("ipAddress", "10.0.0.11"),
        ("provider", "aws"),
    ] {
        document.set(name, text);
    }
    let tag = |name: &str, value: &str| Tag { name: name.to_owned(), value: value.to_owned(), ..Tag::default() };
    document.tags = vec![tag("Env", "Production"), tag("owner", "")];
    document.app_roles = vec!["nginx".to_owned(), "postgresql".to_owned()];
    Resource {
        tenant_id: "client_1".to_owned(),
        id: "0a0fb2a7-53f4-4f5e-8f0e-1a2b3c4d5e6f".to_owned(),
        version: 1,
        kind: "DEVICE".to_owned(),
        resource_type: (1, "Linux".to_owned()),
        state: "active".to_owned(),
        agent_installed: true,
        site_id: Some(12),
        launched: None,
        created: base::timestamp::Timestamp::from_millis(0),
        updated: base::timestamp::Timestamp::from_millis(0),
        asset_managed: None,
        first_asset_managed: None,
        decommissioned: None,
        document,
    }
}

fn meter() -> Meter {
    Meter::new(Meter::REQUEST)
}

/// Reads criteria, or says what is wrong with them.
fn read(body: &Value) -> Result<Option<Criteria>, Vec<String>> {
    let mut fields = Fields::of(body);
    let criteria = Criteria::read(&mut fields, &meter());
    let error = |error: &base::problem::FieldError| format!("{} {}", error.field_name, error.message);
    match fields.finish() {
        Ok(()) => Ok(criteria),
        Err(problem) => Err(problem.errors.iter().map(error).collect()),
    }
}

fn takes(match_type: &str, rules: &[(&str, &str, &str)]) -> bool {
    let rules: Vec<Value> =
        rules.iter().map(|(key, operator, value)| json!({"key": key, "operator": operator, "value": value})).collect();
    let criteria = read(&json!({"matchType": match_type, "rules": rules})).unwrap().unwrap();
    let stored: Criteria = serde_json::from_value(json!(criteria)).unwrap();
    assert_eq!(stored, criteria);
    Matcher::new(&stored)
        .matches(&Facts { resource: &resource(), type_path: Some("Server >> Linux"), site: Some("Paris 1") }, &meter())
        .unwrap()
}

fn meets(key: &str, operator: &str, value: &str) -> bool {
    takes("ALL", &[(key, operator, value)])
}

#[test]
fn every_operator() {
    for (key, operator, value) in [
        ("hostName", "Contains", "WEB"),
        ("hostName", "Not Contains", "db"),
        ("hostName", "Equals", "WEB-01.example.net"),
        ("hostName", "not equals", "web-01"),
        ("hostname", "Starts with", "Web-"),
        ("HOSTNAME", "ENDS WITH", ".net"),
        ("hostName", "Regex", "^web-[0-9]{2}\\."),
        ("os", "Contains", "debian"),
        ("osName", "Starts with", "debian"),
        ("provider", "Equals", "AWS"),
    ] {
        assert!(meets(key, operator, value), "{key} {operator} {value}");
    }
    for (key, operator, value) in [
        ("hostName", "Contains", "%"),
        ("hostName", "Not Contains", "web"),
        ("hostName", "Equals", "web-01"),
        ("hostName", "Starts with", "eb"),
        ("hostName", "Ends with", ".com"),
        ("hostName", "Regex", "^WEB"),
        ("aliasName", "Contains", "a"),
    ] {
        assert!(!meets(key, operator, value), "{key} {operator} {value}");
    }
}

#[test]
fn every_kind_of_attribute() {
    for (key, operator, value) in [
        ("id", "Starts with", "0A0FB2A7"),
        ("type", "Equals", "device"),
        ("resourceType", "Equals", "Server >> Linux"),
        ("createdDate", "Equals", "1970-01-01T00:00:00Z"),
        ("createdDate", "Equals", "1970-01-01T01:00:00+01:00"),
        ("createdDate", "Equals", "1970-01-01T00:00:00+0000"),
        ("deviceType", "Equals", "linux"),
        ("state", "Equals", "Active"),
        ("agentInstalled", "Equals", "true"),
        ("name", "Equals", "web-01.example.net"),
        ("deviceLocation", "Starts with", "paris"),
        ("locationId", "Equals", "12"),
        ("tags", "Equals", "env"),
        ("tags.ENV", "Equals", "production"),
        ("appRoles", "Equals", "postgresql"),
        ("createdDate", "Starts with", "1970-01"),
        ("ipAddress", "Equals", "10.0.0.0/24"),
        ("ipAddress", "Equals", "::ffff:10.0.0.11"),
        ("ipAddress", "Starts with", "10.0.0."),
        ("ipAddress", "Not Equals", "10.0.1.0/24"),
    ] {
        assert!(meets(key, operator, value), "{key} {operator} {value}");
    }
}

#[test]
fn a_missing_value_meets_only_the_negative() {
    for key in ["aliasName", "tags.colour", "tags.owner", "launchDate"] {
        assert!(!meets(key, "Contains", "a"), "{key}");
        assert!(!meets(key, "Regex", ".*"), "{key}");
        assert!(meets(key, "Not Equals", "a"), "{key}");
    }
}

#[test]
fn of_many_values_one_is_enough_and_the_negative_means_none() {
    assert!(meets("appRoles", "Equals", "nginx"));
    assert!(!meets("appRoles", "Not Equals", "nginx"));
    assert!(meets("appRoles", "Not Equals", "apache"));
}

#[test]
fn any_and_all() {
    let yes = ("state", "Equals", "active");
    let no = ("state", "Equals", "inactive");
    assert!(takes("any", &[no, yes]));
    assert!(!takes("ALL", &[no, yes]));
    assert!(!takes("ANY", &[no, no]));
    assert!(takes("ALL", &[yes, yes]));
}

#[test]
fn a_rule_may_be_about_one_type() {
    let rule = |resource_type: &str| {
        let rule =
            json!({"resourceType": resource_type, "key": "state", "operator": "Not Equals", "value": "inactive"});
        let criteria = read(&json!({"rules": [rule]})).unwrap().unwrap();
        Matcher::new(&criteria)
            .matches(&Facts { resource: &resource(), type_path: Some("Server >> Linux"), site: None }, &meter())
            .unwrap()
    };
    assert!(rule("DEVICE") && rule("linux") && rule("Server >> Linux") && rule(""));
    assert!(!rule("EBS") && !rule("Windows"));
}

#[test]
fn everything_wrong_is_listed() {
    let body = json!({"matchType": "SOME", "rules": [
        {"key": "colour", "operator": "Equals", "value": "red"},
        {"key": "hostName", "operator": "Like"},
        {"key": "hostName", "operator": "Regex", "value": "("},
        {"key": "hostName", "operator": "Regex", "value": "\\w{1000}"},
        {"value": ""},
        "x",
    ]});
    let errors = read(&body).unwrap_err();
    let starts = [
        "matchType must be one of: ANY, ALL",
        "rules[5] must be an object",
        "rules[0].key must be one of: accountNumber, ",
        "rules[1].operator must be one of: Contains, ",
        "rules[1].value is required",
        "rules[2].value is not a regular expression: unclosed group, at character 1",
        "rules[3].value is too large a regular expression",
        "rules[4].key is required",
        "rules[4].operator is required",
        "rules[4].value is required",
    ];
    assert_eq!(errors.len(), starts.len(), "{errors:#?}");
    for (error, start) in errors.iter().zip(starts) {
        assert!(error.starts_with(start), "{error}");
    }
    let rule = json!({"key": "id", "operator": "Equals", "value": "x"});
    assert_eq!(read(&json!({"rules": vec![rule; 51]})).unwrap_err(), ["rules must have at most 50 elements"]);
}

#[test]
fn criteria_need_a_rule() {
    assert_eq!(read(&json!({})), Ok(None));
    assert_eq!(read(&json!({"matchType": "ANY", "rules": []})), Ok(None));
}

#[test]
fn numbers_and_booleans_are_values() {
    let rules = json!([
        {"key": "locationId", "operator": "Equals", "value": 12},
        {"key": "agentInstalled", "operator": "Equals", "value": true},
    ]);
    let criteria = read(&json!({"rules": rules})).unwrap().unwrap();
    assert_eq!(criteria.rules[0].value, "12");
    assert!(
        Matcher::new(&criteria)
            .matches(&Facts { resource: &resource(), type_path: Some("Server >> Linux"), site: None }, &meter())
            .unwrap()
    );
}

proptest! {
    #[test]
    fn the_negative_is_the_opposite(
        value in ".{1,5}|web|10.0.0.0/8|linux",
        key in "hostName|tags|appRoles|ipAddress|type",
    ) {
        for (positive, negative) in [("Contains", "Not Contains"), ("Equals", "Not Equals")] {
            prop_assert_ne!(meets(&key, positive, &value), meets(&key, negative, &value));
        }
    }

    #[test]
    fn equal_texts_start_end_and_contain(value in "\\PC{1,20}") {
        let mut resource = resource();
        resource.document.set("aliasName", value.as_str());
        for operator in ["Equals", "Contains", "Starts with", "Ends with"] {
            let rule = json!({"key": "aliasName", "operator": operator, "value": value.to_lowercase()});
            let criteria = read(&json!({"rules": [rule]})).unwrap().unwrap();
            let facts = Facts { resource: &resource, type_path: None, site: None };
            let matches = Matcher::new(&criteria).matches(&facts, &meter()).unwrap();
            prop_assert!(matches || fold(&value.to_lowercase()) != fold(&value));
        }
    }

    #[test]
    fn any_expression_is_refused_or_usable(expression in "[a-z(){}\\[\\]|*+?.0-9\\\\^$]{1,30}") {
        let rule = json!({"key": "hostName", "operator": "Regex", "value": expression});
        if let Ok(Some(criteria)) = read(&json!({"rules": [rule]})) {
            let facts = Facts { resource: &resource(), type_path: Some("Server >> Linux"), site: None };
            Matcher::new(&criteria).matches(&facts, &meter()).unwrap();
        }
    }
}
