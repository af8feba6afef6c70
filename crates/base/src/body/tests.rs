use proptest::prelude::*;
use serde_json::json;

use super::*;

/// What a reading notes, as `path: message`.
fn noted(value: &Value, read: impl FnOnce(&mut Fields<'_>)) -> Vec<String> {
    let mut fields = Fields::of(value);
    read(&mut fields);
    let errors = fields.finish().err().map(|problem| problem.errors).unwrap_or_default();
    errors.iter().map(|error| format!("{}: {}", error.field_name, error.message)).collect()
}

#[test]
fn takes_strings_for_booleans_and_integers() {
    let body = json!({"b": "FALSE", "c": true, "i": "2", "j": -3, "k": 4.0, "e": "dAiLy", "n": null});
    let errors = noted(&body, |fields| {
        assert_eq!((fields.boolean("b"), fields.boolean("c")), (Some(false), Some(true)));
        assert_eq!((fields.integer("i"), fields.integer("j")), (Some(2), Some(-3)));
        assert_eq!(fields.integer_in("k", 1..=4), Some(4));
        assert_eq!(fields.one_of("e", &["Daily", "Weekly"]), Some("Daily"));
        assert_eq!((fields.boolean("n"), fields.integer("absent")), (None, None));
        assert!(fields.has("b") && !fields.has("n") && !fields.has("absent"));
    });
    assert!(errors.is_empty(), "{errors:?}");
}

#[test]
fn names_every_wrong_type() {
    let body = json!({
        "text": 1, "flag": "yes", "count": 2.5, "many": 13, "kind": "x", "at": "2026-01-01T00:00:00 0000",
        "object": [], "list": {}, "names": ["a", 1, null], "shifts": [{"name": true}, 5],
    });
    let errors = noted(&body, |fields| {
        assert_eq!(fields.text("text"), None);
        fields.boolean("flag");
        fields.integer("count");
        fields.integer_in("many", 1..=12);
        fields.one_of("kind", &["a", "b"]);
        assert_eq!(fields.timestamp("at"), None);
        assert!(fields.object("object").is_none());
        assert!(fields.objects("list").is_none());
        assert!(fields.raw_object("object").is_none());
        assert!(fields.raw_array("list").is_none());
        assert_eq!(fields.texts("names").unwrap(), ["a"]);
        for mut shift in fields.objects("shifts").unwrap() {
            shift.required_text("name");
        }
    });
    let expected = [
        "text: must be a string",
        "flag: must be true or false",
        "count: must be an integer",
        "many: must be an integer from 1 to 12",
        "kind: must be one of: a, b",
        "at: must be a time such as 2026-11-20T20:37:00+0000",
        "object: must be an object",
        "list: must be an array",
        "object: must be an object",
        "list: must be an array",
        "names[1]: must be a string",
        "names[2]: must be a string",
        "shifts[1]: must be an object",
        "shifts[0].name: must be a string",
    ];
    assert_eq!(errors, expected);
}

#[test]
fn paths_follow_the_nesting() {
    let body = json!({"schedule": {"patterns": [{}, {"type": {}}]}, "raw": {"a": [1]}});
    let errors = noted(&body, |fields| {
        let mut schedule = fields.object("schedule").unwrap();
        let mut pattern = schedule.objects("patterns").unwrap().pop().unwrap();
        assert!(pattern.object("type").unwrap().path("x").ends_with("[1].type.x"));
        pattern.error("type", "breaks a rule");
        pattern.error("", "breaks another");
        schedule.require("start");
        assert_eq!(fields.raw_object("raw").map(Value::from), Some(json!({"a": [1]})));
        fields.error("", "is odd");
        assert!(schedule.check().is_err());
    });
    let expected = [
        "schedule.patterns[1].type: breaks a rule",
        "schedule.patterns[1]: breaks another",
        "schedule.start: is required",
        "body: is odd",
    ];
    assert_eq!(errors, expected);
}

#[test]
fn required_text_is_more_than_blanks() {
    let body = json!({"ok": " a ", "blank": " ", "null": null, "wrong": [], "long": "x".repeat(4_001)});
    let errors = noted(&body, |fields| {
        assert_eq!(fields.required_text("ok"), " a ");
        for name in ["blank", "null", "absent", "wrong", "long"] {
            fields.required_text(name);
        }
    });
    let expected = [
        "blank: is required",
        "null: is required",
        "absent: is required",
        "wrong: must be a string",
        "long: must have at most 4000 characters",
    ];
    assert_eq!(errors, expected);
}

#[test]
fn lengths_count_characters() {
    let body = json!({"a": "äöü", "b": ["ä".repeat(4_000), "ä".repeat(4_001)]});
    let errors = noted(&body, |fields| {
        assert_eq!(fields.text_max("a", 3).as_deref(), Some("äöü"));
        assert_eq!(fields.text_max("a", 2), None);
        assert_eq!(fields.texts("b").unwrap().len(), 1);
    });
    let expected = ["a: must have at most 2 characters", "b[1]: must have at most 4000 characters"];
    assert_eq!(errors, expected);
}

#[test]
fn what_is_no_object_is_one_error() {
    for body in [json!([]), json!("x"), json!(null)] {
        let errors = noted(&body, |fields| {
            fields.required_text("name");
            assert_eq!(fields.integer("id"), None);
        });
        assert_eq!(errors, ["body: must be a JSON object"]);
    }
}

#[test]
fn keeps_a_hundred_errors() {
    let body = json!({"names": vec![1; 1_000]});
    let errors = noted(&body, |fields| drop(fields.texts("names")));
    assert_eq!(errors.len(), MAX_ERRORS);
}

proptest! {
    #[test]
    fn survives_any_value(text: String, float: f64, near in r#"([\[\]{}:,1]|"a"|null)*"#) {
        let near = parse_json(near.as_bytes()).unwrap_or_default();
        for value in [json!({"a": text}), json!({"a": float}), json!({"a": near}), near] {
            let mut fields = Fields::of(&value);
            fields.boolean("a");
            fields.integer("a");
            fields.timestamp("a");
            fields.one_of("a", &["a"]);
            fields.text_max("a", 1);
            fields.texts("a");
            fields.object("a");
            fields.objects("a");
            let _ = fields.finish();
        }
    }
}
