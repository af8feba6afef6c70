//! Holds the values of a document against the fields of its kind.

use std::collections::HashMap;

use base::near;
use regex::Regex;
use serde_json::{Map, Value};

use super::{
    keys::{self, ObjectKey},
    node::{Content, Entry, Node},
    shape::{Field, Shape, Target, reference_field},
};
use crate::schema::{Kind, Schema};

/// The ways in which a file says where a secret is.
pub const SECRET_SOURCES: [&str; 2] = ["fromEnv", "fromFile"];

/// A reference of a document to another object.
#[derive(Clone, Debug)]
pub struct Link {
    pub path: String,
    pub line: usize,
    pub kind: &'static str,
    pub key: ObjectKey,
}

/// What is wrong: on which line, with which field.
#[derive(Debug, PartialEq, Eq)]
pub struct Fault {
    pub line: usize,
    pub path: String,
    pub text: String,
}

/// The checks of one document.
pub struct Checker<'c> {
    /// The patterns of the document of the interface, each made once.
    pub patterns: &'c mut Patterns,
    /// What documents of the kind are called in errors.
    pub kind: &'static str,
    /// The fields of the document as they are, for references that are only unique in another.
    pub document: &'c Node,
    pub faults: Vec<Fault>,
    pub links: Vec<Link>,
}

/// Patterns by their texts; `None` for those that this program cannot read.
#[derive(Default)]
pub struct Patterns(HashMap<String, Option<Regex>>);

impl Patterns {
    fn matches(&mut self, pattern: &str, text: &str) -> bool {
        let made = self.0.entry(pattern.to_owned()).or_insert_with(|| Regex::new(pattern).ok());
        made.as_ref().is_none_or(|pattern| pattern.is_match(text))
    }
}

impl Checker<'_> {
    /// The fields of an object, in the order of the document of the interface, without those that are empty.
    pub fn object(&mut self, node: &Node, fields: &[Field<'_>], path: &str, known: &[&str]) -> Map<String, Value> {
        let mut made = Map::new();
        for Entry { name, line, .. } in node.entries() {
            if known.contains(&name.as_str()) || fields.iter().any(|field| field.name == name) {
                continue;
            }
            let names = fields.iter().map(|field| field.name).chain(known.iter().copied());
            let hint = near::hint(name, names, "");
            let whole = if path.is_empty() { self.kind } else { path };
            self.fault(*line, &below(path, name), format!("is not a field of {whole}{hint}"));
        }
        for field in fields {
            let entry = node.get(field.name).filter(|entry| entry.value.content != Content::Null);
            let path = below(path, field.name);
            match entry {
                Some(entry) => {
                    let value = self.value(&entry.value, &field.shape, &path);
                    made.extend(value.map(|value| (field.name.to_owned(), value)));
                }
                None if field.required => self.fault(node.line, &path, "is required".to_owned()),
                None => {}
            }
        }
        made
    }

    fn value(&mut self, node: &Node, shape: &Shape<'_>, path: &str) -> Option<Value> {
        match (shape, &node.content) {
            (Shape::Any, _) => Some(node.value()),
            (Shape::Object(fields), Content::Object(_)) => Some(Value::Object(self.object(node, fields, path, &[]))),
            (Shape::List(shape, schema, _), Content::List(nodes)) => {
                self.length(node, nodes.len(), *schema, path);
                let each = nodes.iter().enumerate();
                Some(each.filter_map(|(index, node)| self.value(node, shape, &format!("{path}[{index}]"))).collect())
            }
            (Shape::Reference(target), Content::Object(_)) => self.reference(node, *target, path),
            (Shape::Secret, _) => self.secret(node, path),
            (Shape::Scalar(schema, _), _) => self.scalar(node, *schema, path),
            (Shape::Reference(target), _) => {
                let field = reference_field(target.kind);
                self.fault(node.line, path, format!("is {}: write {{{field}: …}}", node.kind()));
                None
            }
            (Shape::List(..), _) => self.wrong(node, "a list", path),
            (Shape::Object(_), _) => self.wrong(node, "an object", path),
        }
    }

    fn reference(&mut self, node: &Node, target: Target<'_>, path: &str) -> Option<Value> {
        let field = reference_field(target.kind);
        let [entry] = node.entries() else {
            self.fault(node.line, path, format!("is a {}: write {{{field}: …}}", target.kind));
            return None;
        };
        if entry.name != field && entry.name != "id" {
            let name = &entry.name;
            self.fault(entry.line, &below(path, name), format!("does not name a {}: write {field}", target.kind));
            return None;
        }
        let Some(text) = entry.value.text().filter(|text| !text.trim().is_empty()) else {
            return self.wrong(&entry.value, "a text", &below(path, &entry.name));
        };
        let value = Value::Object([(entry.name.clone(), Value::from(text))].into_iter().collect());
        if entry.name == "id" {
            return Some(value);
        }
        let within = target.within.and_then(|field| Some((field, self.document.get(field)?.value.value())));
        // Without the object that it is a part of, that is what is missing.
        if target.within.is_none() || within.is_some() {
            let within = within.as_ref().map(|(field, owner)| (*field, owner));
            let key = keys::of_reference(target.kind, within, &value)?;
            self.links.push(Link { path: path.to_owned(), line: entry.line, kind: target.kind, key });
        }
        Some(value)
    }

    fn secret(&mut self, node: &Node, path: &str) -> Option<Value> {
        let source = match node.entries() {
            [entry] if SECRET_SOURCES.contains(&entry.name.as_str()) => entry.value.text(),
            _ => None,
        };
        if source.is_none_or(|text| text.trim().is_empty()) {
            self.fault(node.line, path, "is a secret: write {fromEnv: NAME} or {fromFile: PATH}".to_owned());
            return None;
        }
        Some(node.value())
    }

    fn scalar(&mut self, node: &Node, schema: Schema<'_>, path: &str) -> Option<Value> {
        let limit = |name: &str| schema.value().get(name).and_then(Value::as_i64);
        match (schema.kind(), &node.content) {
            (Kind::Text, Content::Text(text)) => self.text(node, text, schema, path),
            (Kind::Boolean, Content::Boolean(on)) => Some(Value::Bool(*on)),
            (Kind::Number, Content::Number(number)) => Some(Value::Number(number.clone())),
            (Kind::Integer, Content::Number(number)) if number.is_i64() => {
                let value = number.as_i64().unwrap_or_default();
                if let Some(least) = limit("minimum").filter(|least| value < *least) {
                    self.fault(node.line, path, format!("is at least {least}"));
                }
                if let Some(most) = limit("maximum").filter(|most| value > *most) {
                    self.fault(node.line, path, format!("is at most {most}"));
                }
                Some(Value::from(value))
            }
            (Kind::Text, Content::Number(_) | Content::Boolean(_)) => {
                self.fault(node.line, path, format!("is {}, and has to be a text: put it in quotes", node.kind()));
                None
            }
            (Kind::Integer, _) => self.wrong(node, "a whole number", path),
            (Kind::Number, _) => self.wrong(node, "a number", path),
            (Kind::Boolean, _) => self.wrong(node, "true or false", path),
            _ => self.wrong(node, "a text", path),
        }
    }

    fn text(&mut self, node: &Node, text: &str, schema: Schema<'_>, path: &str) -> Option<Value> {
        let choices = schema.choices();
        if !choices.is_empty() {
            let Some(choice) = choices.iter().find(|choice| choice.eq_ignore_ascii_case(text.trim())) else {
                let all = choices.iter().filter(|choice| !choice.is_empty()).copied().collect::<Vec<_>>().join(", ");
                let hint = near::hint(text, choices, "");
                self.fault(node.line, path, format!("{text:?} is none of {all}{hint}"));
                return None;
            };
            return Some(Value::from(*choice));
        }
        let limit = |name: &str| schema.value().get(name).and_then(Value::as_u64);
        let length = u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
        if let Some(most) = limit("maxLength").filter(|most| length > *most) {
            self.fault(node.line, path, format!("has more than {most} letters"));
        }
        let pattern = schema.value().get("pattern").and_then(Value::as_str);
        // An empty text takes a value away, whatever else it has to be.
        if text.is_empty() && limit("minLength").is_none() {
            return Some(Value::from(text));
        }
        if limit("minLength").is_some() && text.trim().is_empty() {
            self.fault(node.line, path, "is empty".to_owned());
        } else if pattern.is_some_and(|pattern| !self.patterns.matches(pattern, text)) {
            let said = schema.description();
            let said = if said.is_empty() { String::new() } else { format!(": {said}") };
            self.fault(node.line, path, format!("{text:?} is not written as it has to be{said}"));
        }
        Some(Value::from(text))
    }

    fn length(&mut self, node: &Node, length: usize, schema: Schema<'_>, path: &str) {
        let limit = |name: &str| schema.value().get(name).and_then(Value::as_u64);
        let length = u64::try_from(length).unwrap_or(u64::MAX);
        if let Some(most) = limit("maxItems").filter(|most| length > *most) {
            self.fault(node.line, path, format!("has more than {most} entries"));
        }
        if let Some(least) = limit("minItems").filter(|least| length < *least) {
            self.fault(node.line, path, format!("has fewer than {least} entries"));
        }
    }

    fn wrong(&mut self, node: &Node, wanted: &str, path: &str) -> Option<Value> {
        self.fault(node.line, path, format!("is {}, and has to be {wanted}", node.kind()));
        None
    }

    pub fn fault(&mut self, line: usize, path: &str, text: String) {
        self.faults.push(Fault { line, path: path.to_owned(), text });
    }
}

fn below(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}
