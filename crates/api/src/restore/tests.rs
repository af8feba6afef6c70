use std::collections::{BTreeMap, BTreeSet};

use base::timestamp::Timestamp;
use outbox::change_sets::objects::FieldChange;
use serde_json::json;

use super::*;

fn changed(fields: BTreeMap<String, FieldChange>) -> ObjectChange {
    ObjectChange {
        tenant_id: String::new(),
        entity: String::new(),
        entity_id: String::new(),
        since: Timestamp::from_millis(0),
        existed: true,
        exists: true,
        fields,
    }
}

#[test]
fn a_part_of_an_object_has_its_former_values() {
    let field = |before, after| FieldChange { before, after };
    let some = |value| Some(json!(value));
    let fields = [
        ("schedule.type", field(some("daily"), some("weekly"))),
        ("schedule.pattern.days", field(None, some("Monday"))),
        ("schedule.end.at", field(some("noon"), None)),
        ("schedule.note", field(some("(3000 characters)"), some("short"))),
        ("schedules", field(some("other"), None)),
    ];
    let change = changed(fields.map(|(path, field)| (path.to_owned(), field)).into());
    let now = json!({"type": "weekly", "zone": "UTC", "pattern": {"days": "Monday"}, "note": "short"});
    let before = json!({"type": "daily", "zone": "UTC", "end": {"at": "noon"}, "note": "short"});
    assert_eq!(former_object(&change, "schedule", Some(&now)).map(Value::Object), Some(before));
    assert_eq!(former_object(&change, "script", Some(&now)), None);
    assert_eq!(former_text(&change, "schedule.type"), Some("daily"));
    assert_eq!(former(&change, "schedule.note"), None);
}

#[test]
fn a_part_of_any_names_has_its_former_ones() {
    let before = json!({"a.b": 1, "k": 2, "e": {}, "v": {"x": {}}, "was": {"a": 1}, "is": 1, "gone": {"x": {"y": 1}}});
    let after = json!({"a.b": 5, "a": {"b": 6}, "k": 2, "v": {}, "was": 1, "is": {"a": 1}, "e": {"f": 1},
            "new": {"x": {}}});
    let (mut flat_before, mut flat_after) = (BTreeMap::new(), BTreeMap::new());
    for (value, flat) in [(&before, &mut flat_before), (&after, &mut flat_after)] {
        audit::flatten(Some("meta"), Some(value), &mut |path, value| {
            flat.insert(path.into_owned(), value);
        });
    }
    let paths: BTreeSet<&String> = flat_before.keys().chain(flat_after.keys()).collect();
    let side = |flat: &BTreeMap<String, &Value>, path: &String| flat.get(path).map(|value| (*value).clone());
    let fields = paths
        .into_iter()
        .map(|path| (path.clone(), FieldChange { before: side(&flat_before, path), after: side(&flat_after, path) }));
    let change = changed(fields.filter(|(_, field)| field.before != field.after).collect());
    assert_eq!(former_object(&change, "meta", Some(&after)).map(Value::Object), Some(before));
}

#[test]
fn names_with_dots_of_older_rows_are_names() {
    let now = json!({"kubernetes.io/role": "y", "a": {"b": 2}});
    let field = |path: &str, before: Value| (path.to_owned(), FieldChange { before: Some(before), after: None });
    let change = changed([field("meta.kubernetes.io/role", json!("x")), field("meta.a.b", json!(1))].into());
    let before = json!({"kubernetes.io/role": "x", "a": {"b": 1}});
    assert_eq!(former_object(&change, "meta", Some(&now)).map(Value::Object), Some(before));
}

#[test]
fn lengths_and_secrets_are_no_values() {
    for (value, whole) in [
        (json!("(2001 characters)"), false),
        (json!("[secret]"), false),
        (json!("(two characters)"), true),
        (json!("( characters)"), true),
        (json!("Graz"), true),
        (json!(null), true),
    ] {
        assert_eq!(is_whole(Some(&value)), whole, "{value}");
    }
    assert!(is_whole(None));
}
