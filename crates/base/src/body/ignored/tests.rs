use serde_json::json;

use super::{super::Fields, *};

#[test]
fn names_what_nobody_read_by_its_path() {
    let body = json!({"name": "a", "colour": "red", "absent": null, "size": {"x": 1, "y": 2}, "raw": {"any": 1},
            "tags": [{"name": "t"}, {"name": "t", "more": {"deep": 1}}], "weird, \r\nname é": 1});
    let (_, ignored) = collect(|| {
        let mut fields = Fields::of(&body);
        fields.text("name");
        fields.raw_object("raw");
        fields.object("size").map(|mut size| size.integer("x"));
        // Read in two steps, it is read all the same.
        fields.object("size").map(|mut size| size.integer("z"));
        for mut tag in fields.objects("tags").unwrap_or_default() {
            tag.text("name");
        }
        fields.finish().unwrap();
    });
    assert_eq!(ignored, ["colour", "weird????name??", "size.y", "tags[1].more"]);
}

#[test]
fn is_bounded_and_costs_little_when_there_is_much() {
    let many: Map<String, Value> =
        (0..200_000).map(|number| (format!("{number}{}", "x".repeat(80)), json!(1))).collect();
    let body = Value::Object(many);
    let (_, ignored) = collect(|| {
        Fields::of(&body).finish().unwrap();
        let mut fields = Fields::of(&body);
        fields.text("name");
        fields.finish().unwrap();
    });
    assert_eq!(ignored.len(), MOST + 1);
    assert!(ignored.iter().all(|name| name.len() <= LONGEST));
}

#[test]
fn what_was_not_sent_is_not_named() {
    let sent = json!({"a": [{"b": 1}], "d": {}});
    let merged = json!({"a": [{"b": 1, "c": 1}], "d": {"e": 1}, "f": 1});
    let read = || {
        let mut fields = Fields::of(&merged);
        fields.object("d").map(|mut inner| inner.text("x"));
        fields.objects("a").into_iter().flatten().for_each(|mut item| drop(item.text("x")));
        fields.finish().unwrap();
    };
    assert_eq!(collect(|| of_sent(&sent, read)).1, ["a[0].b"]);
    assert_eq!(collect(read).1, ["f", "a[0].b", "a[0].c", "d.e"]);
}

#[test]
fn a_part_of_a_body_is_named_by_its_place() {
    let part = json!({"name": "a", "colour": "red", "size": {"x": 1}});
    let read = || {
        let mut fields = Fields::of(&part);
        fields.text("name");
        fields.object("size").map(|mut size| size.text("y"));
        fields.finish().unwrap();
    };
    let (_, ignored) = collect(|| {
        within("alert", read);
        within("[1]", read);
    });
    assert_eq!(ignored, ["alert.colour", "alert.size.x", "[1].colour", "[1].size.x"]);
    within("alert", read);
}

#[test]
fn only_what_is_read_meanwhile_counts() {
    let read = |name: &str| {
        let body = json!({name: 1});
        let mut fields = Fields::of(&body);
        fields.integer("id");
        fields.finish().unwrap();
    };
    read("before");
    let ((), outer) = collect(|| {
        read("a");
        let ((), inner) = collect(|| read("b"));
        assert_eq!(inner, ["b"]);
        read("a");
        report(["c".to_owned()]);
    });
    assert_eq!(outer, ["a", "c"]);
    read("after");
    assert!(!is_wanted());
}
