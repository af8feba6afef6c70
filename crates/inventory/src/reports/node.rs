//! The tree that both formats are read into, and lenient access to it.
//!
//! XML gives only texts and repeated siblings, JSON gives types and arrays; the accessors hide the difference, so that
//! one reader serves both. The number of values is bounded, and a value takes 32 bytes beside its text. A
//! `serde_json::Value` takes 72 and a map for each object, and could not hold members of the same name.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

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
pub(super) enum Node {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    /// As [`clean`] leaves it; may be empty.
    Text(String),
    List(Vec<Node>),
    /// Members in the order of the report, with names in lower case; a name may repeat (XML siblings).
    Object(Vec<(String, Node)>),
}

impl Node {
    pub(super) fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }

    fn members(&self) -> &[(String, Node)] {
        match self {
            Self::Object(members) => members,
            _ => &[],
        }
    }

    /// The values of a name, one for each member of that name.
    fn named(&self, key: &str) -> impl Iterator<Item = &Self> {
        self.members().iter().filter(move |(name, _)| name == key).map(|(_, node)| node)
    }

    /// The first member with this name that is not null.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        self.named(key).find(|node| !matches!(node, Self::Null))
    }

    /// All values of this name: repeated members and array items alike.
    pub(super) fn all(&self, key: &str) -> Vec<&Self> {
        self.named(key).flat_map(Self::items).collect()
    }

    /// The items of an array, or the value itself, but for nulls.
    fn items(&self) -> impl Iterator<Item = &Self> {
        let items = if let Self::List(items) = self { items.as_slice() } else { std::slice::from_ref(self) };
        items.iter().filter(|node| !matches!(node, Self::Null))
    }

    /// This value as a text that is not empty. An array gives its first text.
    pub(super) fn as_text(&self) -> Option<String> {
        match self {
            Self::Text(text) => (!text.is_empty()).then(|| text.clone()),
            Self::Int(number) => Some(number.to_string()),
            Self::Float(number) => Some(number.to_string()),
            Self::Bool(value) => Some(value.to_string()),
            Self::List(items) => items.iter().find_map(|item| match item {
                Self::List(_) => None,
                item => item.as_text(),
            }),
            Self::Null | Self::Object(_) => None,
        }
    }

    /// The member as a text that is not empty.
    pub(super) fn text(&self, key: &str) -> Option<String> {
        self.named(key).find_map(Self::as_text)
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

    /// This value as JSON; members that repeat become an array, empty ones are left out.
    pub(super) fn to_json(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Int(number) => Value::from(*number),
            Self::Float(number) => Number::from_f64(*number).map_or(Value::Null, Value::Number),
            Self::Text(text) if text.is_empty() => Value::Null,
            Self::Text(text) => Value::String(text.clone()),
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
                    match map.entry(name.as_str()) {
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
pub(super) struct Sections<'n> {
    order: Vec<(&'n str, Vec<&'n Node>)>,
    index: HashMap<&'n str, usize>,
}

impl<'n> Sections<'n> {
    pub(super) fn of(content: &'n Node) -> Self {
        let mut sections = Self { order: Vec::new(), index: HashMap::new() };
        for (name, node) in content.members() {
            let at = match sections.index.entry(name) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(new) if sections.order.len() < MAX_SECTIONS => {
                    sections.order.push((name, Vec::new()));
                    *new.insert(sections.order.len() - 1)
                }
                Entry::Vacant(_) => continue,
            };
            if let Some((_, entries)) = sections.order.get_mut(at) {
                entries.extend(node.items());
            }
        }
        sections
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.index.contains_key(name)
    }

    /// The entries of a section; none when it is absent.
    pub(super) fn entries(&self, name: &str) -> &[&'n Node] {
        self.index.get(name).and_then(|at| self.order.get(*at)).map_or(&[], |(_, entries)| entries)
    }

    /// The entries of a section, or of the same section under an older name.
    pub(super) fn entries_of(&self, names: &[&str]) -> Vec<&'n Node> {
        names.iter().flat_map(|name| self.entries(name).iter().copied()).collect()
    }

    /// A section that is one object; null when it is absent or no object.
    pub(super) fn object(&self, name: &str) -> &'n Node {
        self.entries(name).iter().find(|node| node.is_object()).copied().unwrap_or(&Node::Null)
    }

    /// A section that is one text.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.entries(name).iter().find_map(|node| node.as_text())
    }

    /// The first of several sections that is a text.
    pub(super) fn first_text(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| self.text(name))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &[&'n Node])> {
        self.order.iter().map(|(name, entries)| (*name, entries.as_slice()))
    }
}

/// Trims, replaces line breaks and tabs by spaces, drops other control characters, cuts over-long text.
pub(super) fn clean(text: &str) -> String {
    let text = text.trim();
    // 0xC2 may begin a C1 control character; the slow path decides.
    let plain = |byte: u8| byte >= 0x20 && byte != 0x7f && byte != 0xc2;
    if text.len() <= MAX_TEXT_BYTES && text.bytes().all(plain) {
        return text.to_owned();
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
    kept.trim().to_owned()
}

/// The number at the start of a text: `1333` of `1333 MHz`, `-1` of `-1`.
pub(super) fn leading_integer(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let end = digits.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(digits.len());
    let number: i64 = digits.get(..end)?.parse().ok()?;
    Some(if digits.len() == text.len() { number } else { -number })
}

#[cfg(test)]
mod tests;
