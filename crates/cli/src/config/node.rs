//! A value of a file, with the line on which it stands.

use serde_json::{Map, Number, Value};

/// A value, and where it stands.
#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    /// The line of its first letter, from 1.
    pub line: usize,
    pub content: Content,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Content {
    Null,
    Boolean(bool),
    Number(Number),
    Text(String),
    List(Vec<Node>),
    Object(Vec<Entry>),
}

/// A field of an object.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    pub name: String,
    /// The line of the name.
    pub line: usize,
    pub value: Node,
}

impl Node {
    /// The fields of an object; none of anything else.
    pub fn entries(&self) -> &[Entry] {
        match &self.content {
            Content::Object(entries) => entries,
            _ => &[],
        }
    }

    /// A field of an object.
    pub fn get(&self, name: &str) -> Option<&Entry> {
        self.entries().iter().find(|entry| entry.name == name)
    }

    /// A text, when it is one.
    pub fn text(&self) -> Option<&str> {
        match &self.content {
            Content::Text(text) => Some(text),
            _ => None,
        }
    }

    /// What it is, as errors call it.
    pub const fn kind(&self) -> &'static str {
        match self.content {
            Content::Null => "empty",
            Content::Boolean(_) => "true or false",
            Content::Number(_) => "a number",
            Content::Text(_) => "a text",
            Content::List(_) => "a list",
            Content::Object(_) => "an object",
        }
    }

    /// The value without lines.
    pub fn value(&self) -> Value {
        match &self.content {
            Content::Null => Value::Null,
            Content::Boolean(on) => Value::Bool(*on),
            Content::Number(number) => Value::Number(number.clone()),
            Content::Text(text) => Value::String(text.clone()),
            Content::List(nodes) => nodes.iter().map(Self::value).collect(),
            Content::Object(entries) => {
                let fields = entries.iter().map(|entry| (entry.name.clone(), entry.value.value()));
                Value::Object(fields.collect::<Map<_, _>>())
            }
        }
    }
}
