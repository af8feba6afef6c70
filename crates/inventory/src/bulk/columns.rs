//! The columns of a CSV table, by their names in the header row.

use std::collections::HashSet;

use base::{body::ignored, problem::FieldError, text::fold};
use serde_json::{Map, Value, json};

use super::{
    csv::{Record, STRAY, unescape_formula},
    row::{Entry, Stop, TENANTS},
};
use crate::{
    model::document::{ARRAYS, CLOUD, OBJECTS, SYNTHETIC, TEXTS},
    resources::input::SYNONYMS,
};

/// Where tags begin: `tags.env` is the tag `env`.
pub const TAG: &str = "tags.";

/// Single fields beside the attributes.
const FIELDS: [&str; 6] = ["id", "type", "resourceType", "deviceType", "state", "agentInstalled"];

/// Parts whose cell is JSON.
const JSON: [&str; 4] = ["bios", "networkCardDetails", "metricTypes", "credential"];

/// Parts whose cell is a list of words separated by commas.
pub const WORDS: [&str; 2] = ["components", "locationUuids"];

/// The meaning of a column's cells.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Column {
    /// A field with a text.
    Text(&'static str),
    /// The name of a site, or its id.
    Place(&'static str),
    /// Application roles, separated by commas.
    Roles,
    /// Texts, separated by commas.
    Words(&'static str),
    /// Any part of the detail, as JSON.
    Json(&'static str),
    /// Tags, as JSON: those that have no place in a column of their own.
    Tags,
    /// The value of the tag of this name.
    Tag(String),
    /// A column that means nothing here.
    Unknown,
}

/// The columns of one table.
#[derive(Clone, Debug)]
pub struct Columns(Vec<Column>);

impl Columns {
    /// Reads the header row. Names match in any letter case; a name that is not a field is reported as ignored.
    ///
    /// # Errors
    /// When a field stands there twice, or none does.
    pub fn of(header: Record<'_>) -> Result<Self, Stop> {
        if header.stray {
            return Err(Stop::new(header.line, STRAY));
        }
        let mut columns = Vec::with_capacity(header.len());
        let mut seen = HashSet::new();
        for cell in header.cells() {
            let name = std::str::from_utf8(cell).map_err(|_| Stop::new(header.line, "is not valid UTF-8"))?.trim();
            let column = column(name);
            if column == Column::Unknown && !name.is_empty() {
                ignored::report([ignored::shown(name)]);
            }
            if column != Column::Unknown && !seen.insert(fold(name)) {
                return Err(Stop::new(header.line, format!("has the column {name:.100} twice")));
            }
            columns.push(column);
        }
        if seen.is_empty() {
            let message = "must be a header row: it names no field of a resource (cells are separated by commas)";
            return Err(Stop::new(header.line, message));
        }
        Ok(Self(columns))
    }

    /// Reads a record. An empty cell leaves the value that the resource has.
    pub fn read(&self, record: Record<'_>, tenant: &str) -> Result<Entry, Vec<FieldError>> {
        if record.stray {
            return Err(vec![FieldError::new("row", STRAY)]);
        }
        let wanted = self.0.len();
        let found = record.len();
        if found != wanted {
            return Err(vec![FieldError::new("row", format!("has {found} cells, the header has {wanted}"))]);
        }
        let mut fields = Map::new();
        let mut tags = Vec::new();
        let mut errors = Vec::new();
        let mut no_source = false;
        for (column, cell) in self.0.iter().zip(record.cells()) {
            let Ok(text) = std::str::from_utf8(unescape_formula(cell)) else {
                errors.push(FieldError::new(column.name(), "is not valid UTF-8"));
                continue;
            };
            if text.trim().is_empty() {
                no_source |= *column == Column::Text("source");
                continue;
            }
            if text.contains('\0') {
                errors.push(FieldError::new(column.name(), "must not contain a NUL character"));
                continue;
            }
            match column {
                Column::Text(name) => drop(fields.insert((*name).to_owned(), text.into())),
                Column::Place(part) => drop(fields.insert("location".to_owned(), json!({ *part: text.trim() }))),
                Column::Roles => {
                    let roles = words(text).map(|role| json!({"name": role}));
                    fields.insert("appRoles".to_owned(), roles.collect());
                }
                Column::Words(name) => {
                    let list = list(text).unwrap_or_else(|| words(text).collect());
                    fields.insert((*name).to_owned(), Value::Array(list));
                }
                Column::Tags => match list(text) {
                    Some(list) => tags.extend(list),
                    None => errors.push(FieldError::new("tags", "must be a JSON array")),
                },
                Column::Json(name) => match base::body::parse_json(text.as_bytes()) {
                    Ok(value) => drop(fields.insert((*name).to_owned(), value)),
                    Err(_) => errors.push(FieldError::new(*name, "must be JSON")),
                },
                Column::Tag(name) => tags.push(json!({"name": name, "value": text})),
                Column::Unknown => {}
            }
        }
        if !tags.is_empty() {
            fields.insert("tags".to_owned(), Value::Array(tags));
        }
        let entry = Entry::read(&Value::Object(fields), tenant);
        match entry {
            Ok(mut entry) if errors.is_empty() => {
                // A table sets single tags; those that it has no column for are not its business.
                entry.tags = entry.input.tags.take().unwrap_or_default();
                entry.no_source_if_new = no_source;
                Ok(entry)
            }
            Ok(_) => Err(errors),
            Err(more) => {
                errors.extend(more);
                Err(errors)
            }
        }
    }
}

impl Column {
    fn name(&self) -> String {
        match self {
            Self::Text(name) | Self::Words(name) | Self::Json(name) => (*name).to_owned(),
            Self::Place(_) => "location".to_owned(),
            Self::Roles => "appRoles".to_owned(),
            Self::Tags => "tags".to_owned(),
            Self::Tag(name) => format!("{TAG}{name}"),
            Self::Unknown => "row".to_owned(),
        }
    }
}

/// A cell that is a JSON array.
fn list(text: &str) -> Option<Vec<Value>> {
    if !text.trim_start().starts_with('[') {
        return None;
    }
    match base::body::parse_json(text.as_bytes()) {
        Ok(Value::Array(list)) => Some(list),
        _ => None,
    }
}

fn words(text: &str) -> impl Iterator<Item = Value> {
    text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(Value::from)
}

/// The names of all columns except the tag columns.
pub fn names() -> impl Iterator<Item = &'static str> {
    let others = ["launchDate", "location", "location.id", "location.name", "appRoles", "tags"];
    let synonyms = SYNONYMS.into_iter().map(|(synonym, _)| synonym);
    let names = FIELDS.into_iter().chain(TENANTS).chain(TEXTS).chain(synonyms).chain(CLOUD).chain(SYNTHETIC);
    names.chain(WORDS).chain(JSON).chain(ARRAYS).chain(OBJECTS).chain(others)
}

fn column(name: &str) -> Column {
    if let Some(tag) = name.get(TAG.len()..).filter(|_| name.get(..TAG.len()).is_some_and(|start| fold(start) == TAG)) {
        let tag = tag.trim();
        return if tag.is_empty() { Column::Unknown } else { Column::Tag(tag.to_owned()) };
    }
    let known = |names: &[&'static str]| names.iter().copied().find(|known| known.eq_ignore_ascii_case(name));
    let synonyms = SYNONYMS.map(|(synonym, _)| synonym);
    let exactly = |names: &[&'static str]| names.iter().copied().find(|known| *known == name);
    // Of two names that differ in letter case only, the exact one is meant.
    let text = exactly(&TENANTS)
        .or_else(|| known(&FIELDS))
        .or_else(|| known(&TENANTS))
        .or_else(|| known(&TEXTS))
        .or_else(|| known(&synonyms))
        .or_else(|| known(&CLOUD))
        .or_else(|| known(&["launchDate"]))
        .or_else(|| known(&SYNTHETIC));
    if let Some(name) = text {
        return Column::Text(name);
    }
    if let Some(name) = known(&WORDS) {
        return Column::Words(name);
    }
    if let Some(name) = known(&JSON).or_else(|| known(&ARRAYS)).or_else(|| known(&OBJECTS)) {
        return Column::Json(name);
    }
    match fold(name).as_str() {
        "location" | "location.name" => Column::Place("name"),
        "location.id" => Column::Place("id"),
        "approles" => Column::Roles,
        "tags" => Column::Tags,
        _ => Column::Unknown,
    }
}

#[cfg(test)]
mod tests;
