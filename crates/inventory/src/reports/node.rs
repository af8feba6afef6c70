//! The tree that both formats are read into, and lenient access to it.
//!
//! XML gives only texts and repeated siblings, JSON gives types and arrays;
//! the accessors hide the difference, so that one reader serves both. Values
//! borrow from the report, and their number is bounded, so a tree never costs
//! more than a small multiple of [`MAX_NODES`] beside the report itself.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::{Map, Number, Value};

/// More values (elements, array items, object members) than this are refused.
/// The largest real reports, of switches, hold some hundred thousand.
pub(super) const MAX_NODES: usize = 1_000_000;

/// The formats have about 60 sections; of a report with more than this the rest
/// is passed over.
const MAX_SECTIONS: usize = 1_000;

/// No single fact needs more; a longer one is cut.
const MAX_TEXT_BYTES: usize = 4_000;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(Cow<'a, str>),
    List(Vec<Node<'a>>),
    /// Members in the order of the report; a key may repeat (XML siblings).
    Object(Vec<(Cow<'a, str>, Node<'a>)>),
}

impl<'a> Node<'a> {
    pub(super) fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }

    /// The first member with this name, in any letter case, that is not null.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        let Self::Object(members) = self else {
            return None;
        };
        members
            .iter()
            .find(|(name, node)| name.eq_ignore_ascii_case(key) && !matches!(node, Self::Null))
            .map(|(_, node)| node)
    }

    /// All values of this name: repeated members and array items alike.
    pub(super) fn all<'n>(&'n self, key: &str) -> Vec<&'n Self> {
        let mut found = Vec::new();
        if let Self::Object(members) = self {
            for (name, node) in members {
                if name.eq_ignore_ascii_case(key) {
                    node.flatten(&mut found);
                }
            }
        }
        found
    }

    fn flatten<'n>(&'n self, found: &mut Vec<&'n Self>) {
        match self {
            Self::Null => {}
            Self::List(items) => {
                items.iter().filter(|node| !matches!(node, Self::Null)).for_each(|node| found.push(node))
            }
            node => found.push(node),
        }
    }

    /// This value as a clean text: trimmed, without control characters, never
    /// empty. An array gives its first text.
    pub(super) fn as_text(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Text(text) => clean(text),
            Self::Int(number) => Some(Cow::Owned(number.to_string())),
            Self::Float(number) => Some(Cow::Owned(number.to_string())),
            Self::Bool(value) => Some(Cow::Borrowed(if *value { "true" } else { "false" })),
            Self::List(items) => items.iter().find_map(|item| match item {
                Self::List(_) => None,
                item => item.as_text(),
            }),
            Self::Null | Self::Object(_) => None,
        }
    }

    /// The member as a clean text.
    pub(super) fn text(&self, key: &str) -> Option<String> {
        self.str(key).map(Cow::into_owned)
    }

    /// As [`Self::text`], borrowed where it can be.
    pub(super) fn str(&self, key: &str) -> Option<Cow<'_, str>> {
        let Self::Object(members) = self else {
            return None;
        };
        members.iter().filter(|(name, _)| name.eq_ignore_ascii_case(key)).find_map(|(_, node)| node.as_text())
    }

    /// The first of several names that has a text.
    pub(super) fn first(&self, keys: &[&str]) -> Option<String> {
        keys.iter().find_map(|key| self.text(key))
    }

    /// The member as a whole number; a text may carry a unit (`1333 MHz`).
    pub(super) fn integer(&self, key: &str) -> Option<i64> {
        match self.get(key)? {
            Self::Int(number) => Some(*number),
            Self::Float(number) => leading_integer(&format!("{number:.0}")),
            Self::Bool(_) => None,
            node => leading_integer(&node.as_text()?),
        }
    }

    /// The member as a yes or no: `true`, `1`, `"yes"`, …
    pub(super) fn boolean(&self, key: &str) -> Option<bool> {
        match self.get(key)? {
            Self::Bool(value) => Some(*value),
            Self::Int(number) => Some(*number != 0),
            node => match node.as_text()?.to_ascii_lowercase().as_str() {
                "1" | "true" | "yes" | "on" | "y" | "enabled" => Some(true),
                "0" | "false" | "no" | "off" | "n" | "disabled" => Some(false),
                _ => None,
            },
        }
    }

    /// This value as JSON with lower-case keys and clean texts; members that
    /// repeat become an array, empty ones are left out.
    pub(super) fn to_json(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Int(number) => Value::from(*number),
            Self::Float(number) => Number::from_f64(*number).map_or(Value::Null, Value::Number),
            Self::Text(text) => clean(text).map_or(Value::Null, |text| Value::String(text.into_owned())),
            Self::List(items) => {
                Value::Array(items.iter().map(Self::to_json).filter(|value| !value.is_null()).collect())
            }
            Self::Object(members) => {
                let mut map = Map::new();
                for (name, node) in members {
                    let value = node.to_json();
                    if value.is_null() {
                        continue;
                    }
                    match map.entry(name.to_ascii_lowercase()) {
                        serde_json::map::Entry::Vacant(entry) => {
                            entry.insert(value);
                        }
                        serde_json::map::Entry::Occupied(mut entry) => match entry.get_mut() {
                            Value::Array(items) => items.push(value),
                            first => *first = Value::Array(vec![first.take(), value]),
                        },
                    }
                }
                Value::Object(map)
            }
        }
    }

    /// About how many bytes [`Self::to_json`] would take as text.
    pub(super) fn json_size(&self) -> usize {
        match self {
            Self::Null | Self::Bool(_) => 5,
            Self::Int(_) | Self::Float(_) => 12,
            Self::Text(text) => text.len() + 3,
            Self::List(items) => 2 + items.iter().map(Self::json_size).sum::<usize>(),
            Self::Object(members) => {
                2 + members.iter().map(|(name, node)| name.len() + 4 + node.json_size()).sum::<usize>()
            }
        }
    }
}

/// The sections of a report's content, each with all its entries.
pub(super) struct Sections<'n, 'a> {
    order: Vec<(String, Vec<&'n Node<'a>>)>,
    index: HashMap<String, usize>,
}

impl<'n, 'a> Sections<'n, 'a> {
    pub(super) fn of(content: &'n Node<'a>) -> Self {
        let mut sections = Self { order: Vec::new(), index: HashMap::new() };
        let Node::Object(members) = content else {
            return sections;
        };
        // Siblings of one name mostly stand together: look the name up once for a run.
        let mut last: Option<(&str, usize)> = None;
        for (name, node) in members {
            let at = match last {
                Some((previous, at)) if previous == name => at,
                _ => {
                    let key = name.to_ascii_lowercase();
                    match sections.index.get(&key) {
                        Some(at) => *at,
                        None if sections.order.len() < MAX_SECTIONS => {
                            let at = sections.order.len();
                            sections.order.push((key.clone(), Vec::new()));
                            sections.index.insert(key, at);
                            at
                        }
                        None => continue,
                    }
                }
            };
            last = Some((name, at));
            if let Some((_, entries)) = sections.order.get_mut(at) {
                node.flatten(entries);
            }
        }
        sections
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.index.contains_key(name)
    }

    /// The entries of a section; none when it is absent.
    pub(super) fn entries(&self, name: &str) -> &[&'n Node<'a>] {
        self.index.get(name).and_then(|at| self.order.get(*at)).map_or(&[], |(_, entries)| entries)
    }

    /// The entries of a section, or of the same section under an older name.
    pub(super) fn entries_of(&self, names: &[&str]) -> Vec<&'n Node<'a>> {
        names.iter().flat_map(|name| self.entries(name).iter().copied()).collect()
    }

    /// A section that is one object; an empty object when it is absent or no object.
    pub(super) fn object(&self, name: &str) -> &'n Node<'a> {
        self.entries(name).iter().find(|node| node.is_object()).copied().unwrap_or(&Node::Null)
    }

    /// A section that is one text.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.entries(name).iter().find_map(|node| node.as_text()).map(Cow::into_owned)
    }

    /// The first of several sections that is a text.
    pub(super) fn first_text(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| self.text(name))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &[&'n Node<'a>])> {
        self.order.iter().map(|(name, entries)| (name.as_str(), entries.as_slice()))
    }
}

/// Trims, replaces line breaks and tabs by spaces, drops other control
/// characters, cuts what is over-long; none when nothing is left.
pub(super) fn clean(text: &str) -> Option<Cow<'_, str>> {
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    // 0xC2 may begin a C1 control character; the slow path knows.
    let plain = |byte: u8| byte >= 0x20 && byte != 0x7f && byte != 0xc2;
    if text.len() <= MAX_TEXT_BYTES && text.bytes().all(plain) {
        return Some(Cow::Borrowed(text));
    }
    let mut kept = String::with_capacity(text.len().min(MAX_TEXT_BYTES));
    for character in text.chars() {
        let character = match character {
            '\t' | '\n' | '\r' => ' ',
            control if control.is_control() => continue,
            other => other,
        };
        if kept.len() + character.len_utf8() > MAX_TEXT_BYTES {
            break;
        }
        kept.push(character);
    }
    let kept = kept.trim();
    (!kept.is_empty()).then(|| Cow::Owned(kept.to_owned()))
}

/// The number at the start of a text: `1333` of `1333 MHz`, `-1` of `-1`.
pub(super) fn leading_integer(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let end = digits.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(digits.len());
    let number: i64 = digits.get(..end)?.parse().ok()?;
    Some(if digits.len() == text.len() { number } else { -number })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(members: Vec<(&'static str, Node<'static>)>) -> Node<'static> {
        Node::Object(members.into_iter().map(|(name, node)| (Cow::Borrowed(name), node)).collect())
    }

    fn text(text: &'static str) -> Node<'static> {
        Node::Text(Cow::Borrowed(text))
    }

    #[test]
    fn wrong_types_are_read_for_what_they_mean() {
        let node = object(vec![
            ("MEMORY", text("2048 MB")),
            ("swap", Node::Float(12.0)),
            ("Enabled", text("1")),
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
        let cut = clean(&long).unwrap();
        assert!(cut.len() <= MAX_TEXT_BYTES && cut.chars().all(|c| c == 'é'));
    }

    #[test]
    fn sections_gather_siblings_and_arrays() {
        let content = object(vec![
            ("DRIVES", object(vec![("TYPE", text("/"))])),
            ("DRIVES", object(vec![("TYPE", text("/home")), ("LABEL", text(""))])),
            ("VERSIONCLIENT", text("Agent 1")),
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
}
