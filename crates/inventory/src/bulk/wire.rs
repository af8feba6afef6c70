//! The answer to a bulk request: a line for each row, and a last one for all.

use api::spec::ProblemField;
use base::problem::FieldError;
use serde::Serialize;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        RefOr,
        schema::{ObjectBuilder, Schema, Type},
    },
};

use crate::resources::input::ResourceInput;

/// The result of one row.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({"line": 2, "result": "created", "id": "0a0fb2a7-53f4-4f5e-8f0e-1a2b3c4d5e6f"}))]
pub struct BulkResult {
    /// The line on which the row begins, from 1; of a table, the header is line 1. Of a JSON array, the number of the
    /// element.
    pub line: u64,
    /// `created`, `updated`, `unchanged` or `error`.
    #[schema(pattern = "^(created|updated|unchanged|error)$")]
    pub result: &'static str,
    /// The resource. Left out of an error, and in a dry run of a resource that it would create.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Everything that is wrong with the row; `fieldName` is `row` for the row as a whole.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<ProblemField>)]
    pub errors: Vec<FieldError>,
}

/// The last line: the summary of all rows.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "result": "summary", "rows": 3, "created": 1, "updated": 1, "unchanged": 0, "errors": 1, "dryRun": false,
    "complete": true
}))]
pub struct BulkSummary {
    /// Always `summary`.
    #[schema(pattern = "^summary$")]
    pub result: &'static str,
    /// How many rows were read.
    pub rows: u64,
    /// How many of them created a resource.
    pub created: u64,
    /// How many of them changed a resource.
    pub updated: u64,
    /// How many of them changed nothing.
    pub unchanged: u64,
    /// How many of them were refused.
    pub errors: u64,
    /// Was nothing stored, as asked?
    pub dry_run: bool,
    /// Was the body read to its end?
    pub complete: bool,
    /// Why it was not read to its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// One sentence for each ignored field, such as a column whose name is misspelt, with the name that it may be meant
    /// for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub warnings: Vec<String>,
}

/// The results of the rows of a JSON array.
#[derive(Serialize, ToSchema)]
pub struct BulkAnswer {
    /// The result of each row, in their order.
    pub results: Vec<BulkResult>,
    /// The summary of all rows.
    pub summary: BulkSummary,
}

/// A row of a JSON array: the fields of a resource, with the id of the resource to update.
pub struct BulkRow;

impl PartialSchema for BulkRow {
    fn schema() -> RefOr<Schema> {
        let RefOr::T(Schema::Object(mut row)) = ResourceInput::schema() else { return ResourceInput::schema() };
        let id = ObjectBuilder::new().schema_type(Type::String).description(Some("UUID of the resource to update"));
        row.properties.insert("id".to_owned(), id.into());
        row.description = Some("A resource to create or to update, as the body of createResource".to_owned());
        row.into()
    }
}

impl ToSchema for BulkRow {
    fn name() -> std::borrow::Cow<'static, str> {
        "BulkRow".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        ResourceInput::schemas(schemas);
    }
}

/// A line of the answer.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub enum BulkLine {
    /// Of each row.
    Result(BulkResult),
    /// The last one.
    Summary(BulkSummary),
}

impl BulkSummary {
    /// Of no rows yet.
    pub fn new(dry_run: bool) -> Self {
        let rows = 0;
        let created = 0;
        let updated = 0;
        let unchanged = 0;
        let errors = 0;
        let complete = true;
        let message = None;
        let warnings = Vec::new();
        Self { result: "summary", rows, created, updated, unchanged, errors, dry_run, complete, message, warnings }
    }

    /// Counts a row.
    pub fn count(&mut self, row: &BulkResult) {
        self.rows += 1;
        match row.result {
            CREATED => self.created += 1,
            UPDATED => self.updated += 1,
            UNCHANGED => self.unchanged += 1,
            _ => self.errors += 1,
        }
    }
}

/// [`BulkResult::result`].
pub const CREATED: &str = "created";
/// [`BulkResult::result`].
pub const UPDATED: &str = "updated";
/// [`BulkResult::result`].
pub const UNCHANGED: &str = "unchanged";
/// [`BulkResult::result`].
pub const ERROR: &str = "error";

impl BulkResult {
    /// A row that was refused.
    pub fn error(line: u64, errors: Vec<FieldError>) -> Self {
        Self { line, result: ERROR, id: None, errors }
    }
}
