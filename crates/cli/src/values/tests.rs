use serde_json::json;

use super::*;

fn converted(schema: &Value, text: &str) -> Result<Value, String> {
    convert(Schema::new(&Value::Null, schema), text)
}

#[test]
fn texts_become_what_the_schema_says() {
    let of = |kind: &str| json!({"type": [kind, "null"]});
    for (kind, text, value) in [
        ("string", "007", json!("007")),
        ("string", "null", json!("null")),
        ("integer", "-3", json!(-3)),
        ("integer", "null", json!(null)),
        ("number", "1.5", json!(1.5)),
        ("number", "2", json!(2)),
        ("boolean", "True", json!(true)),
        ("array", "[1]", json!([1])),
        ("object", "{\"a\": 1}", json!({"a": 1})),
    ] {
        assert_eq!(converted(&of(kind), text), Ok(value), "{kind}: {text}");
    }
    for (kind, text) in [
        ("integer", "1.5"),
        ("integer", ""),
        ("number", "NaN"),
        ("boolean", "yes"),
        ("array", "{}"),
        ("object", "[]"),
        ("object", "x"),
    ] {
        assert!(converted(&of(kind), text).is_err(), "{kind}: {text}");
    }
    let word = json!({"type": "string", "enum": ["Critical", "Ok"]});
    assert_eq!(converted(&word, "CRITICAL"), Ok(json!("Critical")));
    assert_eq!(converted(&word, "bad"), Err("must be one of: Critical, Ok".to_owned()));
    assert_eq!(converted(&json!({}), "[1, 2]"), Ok(json!([1, 2])));
    assert_eq!(converted(&json!({}), "a b"), Ok(json!("a b")));
}

#[test]
fn a_field_that_comes_again_begins_the_next_element() {
    let mut root = Value::Null;
    let name = |name: &str| Step::Name(name.to_owned());
    for (field, text) in [("name", "env"), ("value", "prod"), ("name", "team"), ("value", "ops")] {
        insert_value(&mut root, &[name("tags"), Step::Current, name(field)], json!(text)).unwrap();
    }
    insert_value(&mut root, &[name("labels"), Step::Append], json!("a")).unwrap();
    insert_value(&mut root, &[name("labels"), Step::Append], json!("b")).unwrap();
    insert_value(&mut root, &[name("shifts"), Step::Element(0), name("users"), Step::Current, name("id")], json!("1"))
        .unwrap();
    insert_value(&mut root, &[name("shifts"), Step::Element(0), name("users"), Step::Current, name("id")], json!("2"))
        .unwrap();
    let tags = json!([{"name": "env", "value": "prod"}, {"name": "team", "value": "ops"}]);
    let shifts = json!([{"users": [{"id": "1"}, {"id": "2"}]}]);
    assert_eq!(root, json!({"tags": tags, "labels": ["a", "b"], "shifts": shifts}));
    for (steps, expected) in [
        (vec![name("tags"), Step::Element(3), name("name")], "without gaps"),
        (vec![name("tags"), Step::Element(0), name("name")], "given twice"),
        (vec![name("tags")], "given twice"),
        (vec![name("labels"), name("x")], "given twice"),
    ] {
        assert!(insert_value(&mut root, &steps, json!("x")).is_err_and(|error| error.contains(expected)), "{steps:?}");
    }
}

#[test]
fn what_is_missing_within_a_field_is_named() {
    let site = json!({"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}});
    let schema = json!({"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string"}, "site": {"oneOf": [site, {"type": "null"}]},
        "tags": {"type": ["array", "null"],
            "items": {"type": "object", "required": ["key"], "properties": {"key": {"type": "string"}}}},
    }});
    let of = |value: Value| missing(Schema::new(&Value::Null, &schema), &value);
    assert_eq!(of(json!({"name": "a", "site": {}, "tags": [{"key": "b"}, {}, {}]})), ["site.id", "tags.key"]);
    assert_eq!(of(json!({"site": null, "tags": []})), ["name"]);
}

#[test]
fn what_is_missing_is_named() {
    let object = json!({"type": "object", "required": ["name", "site"], "properties": {
        "name": {"type": "string"},
        "site": {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}},
    }});
    let of = |schema: &Value, value: Value| missing(Schema::new(&Value::Null, schema), &value);
    assert_eq!(of(&object, json!({"site": {}})), ["name", "site.id"]);
    let array = json!({"type": "array", "items": object});
    assert_eq!(of(&array, json!([{"name": "a", "site": {}}, {"name": "b"}])), ["site", "site.id"]);
}
