//! A row of a bulk body, and the error that ends reading the body.

use base::{
    body::{Fields, Request as _},
    problem::{FieldError, Problem},
};
use serde_json::Value;

use crate::{model::document::Tag, resources::input::Input};

/// The longest line, or record of cells.
pub const LONGEST: usize = 1 << 20;

/// The error that ends reading a body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stop {
    /// The line at which it stops, where it is one.
    pub line: Option<u64>,
    /// To be read after the line.
    pub message: String,
}

impl Stop {
    /// At this line.
    pub fn new(line: u64, message: impl Into<String>) -> Self {
        Self { line: Some(line), message: message.into() }
    }

    /// The line that begins here is longer than [`LONGEST`].
    pub fn too_long(line: u64) -> Self {
        Self::new(line, format!("is longer than {} MiB; is a quote not closed?", LONGEST >> 20))
    }

    /// As a problem, for a body of which nothing was stored.
    pub fn problem(self) -> Problem {
        match self.line {
            Some(line) => Problem::field(format!("line[{line}]"), self.message),
            None => Problem::field("body", self.message),
        }
    }
}

/// One row: its entry, or all its errors.
#[derive(Clone, Debug)]
pub struct Row {
    /// The line on which it begins, from 1.
    pub line: u64,
    /// The parsed row.
    pub entry: Result<Entry, Vec<FieldError>>,
}

/// The content of a row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// The id of the resource to update, where the row has one.
    pub id: Option<String>,
    /// The fields of a create or update body.
    pub input: Input,
    /// Tags that are set beside those that a resource has; `input` has those that replace them.
    pub tags: Vec<Tag>,
    /// Its resource type, where it becomes a new resource and the row names none.
    pub type_if_new: Option<&'static str>,
    /// Where it becomes a new resource: has that no source? A table says so with an empty cell.
    pub no_source_if_new: bool,
}

/// The fields that may name the tenant of a row.
pub const TENANTS: [&str; 3] = ["tenantId", "tenantID", "clientUniqueId"];

impl Entry {
    /// Reads a row; it must not be another tenant's.
    pub fn read(value: &Value, tenant: &str) -> Result<Self, Vec<FieldError>> {
        let mut fields = Fields::of(value);
        let id = fields.text_max("id", 100).filter(|id| !id.trim().is_empty());
        for name in TENANTS {
            if fields.text(name).is_some_and(|named| !named.is_empty() && named != tenant) {
                fields.error(name, "is not the tenant of the path, to which every row belongs");
            }
        }
        let input = Input::read(&mut fields);
        match fields.finish() {
            Ok(()) => Ok(Self { id: id.map(|id| id.trim().to_ascii_lowercase()), input, ..Self::default() }),
            Err(problem) => Err(problem.errors.into_iter().map(as_row_error).collect()),
        }
    }
}

/// An error of the row's body as an error of the row.
pub(super) fn as_row_error(error: FieldError) -> FieldError {
    if error.field_name == "body" { FieldError { field_name: "row".to_owned(), ..error } } else { error }
}
