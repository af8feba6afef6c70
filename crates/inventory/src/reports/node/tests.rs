use serde_json::json;

use super::*;

fn object(members: Vec<(&str, Node)>) -> Node {
    Node::Object(members.into_iter().map(|(name, node)| (name.to_owned(), node)).collect())
}

fn text(text: &str) -> Node {
    Node::Text(clean(text))
}

#[test]
fn wrong_types_are_converted() {
    let node = object(vec![
        ("memory", text("2048 MB")),
        ("swap", Node::Float(12.0)),
        ("enabled", text("1")),
        ("off", Node::Int(0)),
        ("names", Node::List(vec![Node::Null, text(" b "), text("c")])),
        ("blank", text(" \n ")),
        ("lines", text("a\nb\u{7}\u{85}c")),
        ("huge", text("99999999999999999999")),
    ]);
    assert_eq!(node.integer("memory"), Some(2048));
    assert_eq!(node.integer("swap"), Some(12));
    assert_eq!(node.integer("huge"), None);
    assert_eq!(node.boolean("enabled"), Some(true));
    assert_eq!(node.boolean("off"), Some(false));
    assert_eq!(node.text("names").as_deref(), Some("b"));
    assert_eq!(node.all("names").len(), 2);
    assert_eq!(node.text("blank"), None);
    assert_eq!(node.text("lines").as_deref(), Some("a bc"));
    assert_eq!(node.first(&["nothing", "blank", "memory"]).as_deref(), Some("2048 MB"));
    assert_eq!(leading_integer("-7"), Some(-7));
    assert_eq!(leading_integer("x"), None);
}

#[test]
fn over_long_texts_are_cut_between_characters() {
    let long = "é".repeat(MAX_TEXT_BYTES);
    let cut = clean(&long);
    assert!(cut.len() > MAX_TEXT_BYTES - 2 && cut.len() <= MAX_TEXT_BYTES && cut.chars().all(|c| c == 'é'));
}

#[test]
fn sections_gather_siblings_and_arrays() {
    let content = object(vec![
        ("drives", object(vec![("type", text("/"))])),
        ("drives", object(vec![("type", text("/home")), ("label", text(""))])),
        ("versionclient", text("Agent 1")),
        ("drives", Node::List(vec![object(vec![("type", text("/var"))])])),
    ]);
    let sections = Sections::of(&content);
    assert_eq!(sections.entries("drives").len(), 3);
    assert!(sections.has("versionclient") && !sections.has("cpus"));
    assert_eq!(sections.text("versionclient").as_deref(), Some("Agent 1"));
    assert!(sections.object("cpus").get("x").is_none());
    assert_eq!(
        content.to_json(),
        json!({"drives": [{"type": "/"}, {"type": "/home"}, [{"type": "/var"}]], "versionclient": "Agent 1"})
    );
}
