//! The operations of the service, as the document of this program has them.

use base::near;
use serde_json::Value;

use crate::{
    content::FORM,
    schema::{Schema, names_match, one_line, resolve},
};

const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];
const JSON: &str = "application/json";
/// The parameter that says how many rows a page has.
pub const PAGE_SIZE: &str = "pageSize";

/// Operations that had another name, with the name that they have now: command lines of scripts go on working.
const FORMER_NAMES: [(&str, &str); 8] = [
    ("getRelatedToIncident", "getIncidentRelations"),
    ("heartbeatOfJobRun", "sendJobRunHeartbeat"),
    ("listClientsMinimal", "listMinimalClients"),
    ("listGroupsOfResource", "listResourceGroups"),
    ("listUsersMinimal", "listMinimalUsers"),
    ("logOfJobRun", "appendJobRunLog"),
    ("nextRunsOfJob", "listNextJobRuns"),
    ("resultOfJobRun", "reportJobRunResult"),
];

/// The name that an operation has now, by that or a former one.
pub fn current_name(name: &str) -> &str {
    FORMER_NAMES.iter().find(|(former, _)| names_match(former, name)).map_or(name, |(_, current)| current)
}

/// Where a parameter goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Location {
    Path,
    Query,
    Header,
}

/// A parameter of an operation.
pub struct Parameter<'d> {
    pub name: &'d str,
    pub location: Location,
    pub required: bool,
    pub description: String,
    pub schema: Schema<'d>,
}

/// What an operation takes as its body.
pub struct Body<'d> {
    pub required: bool,
    /// Each media type, and what it holds.
    pub types: Vec<(&'d str, Schema<'d>)>,
}

/// One operation.
pub struct Operation<'d> {
    pub id: &'d str,
    pub method: String,
    pub path: &'d str,
    pub summary: &'d str,
    pub description: &'d str,
    pub parameters: Vec<Parameter<'d>>,
    pub body: Option<Body<'d>>,
    /// Does the service want to know who calls? Then: the role, where the document has one.
    pub caller: Option<Option<&'d str>>,
    /// What a row of its list is, when it answers one.
    pub row: Option<Schema<'d>>,
}

/// All operations of a document, in its order.
pub fn all(document: &Value) -> Vec<Operation<'_>> {
    let paths = document.get("paths").and_then(Value::as_object).into_iter().flatten();
    let operations = paths.flat_map(|(path, item)| {
        METHODS.iter().filter_map(move |method| read(document, path, method, item.get(*method)?))
    });
    operations.collect()
}

/// An operation by its `operationId`, in any letter case and with or without hyphens.
///
/// # Errors
/// When there is none of that name, with the names that may have been meant.
pub fn find<'o, 'd>(operations: &'o [Operation<'d>], name: &str) -> Result<&'o Operation<'d>, String> {
    let name = current_name(name);
    let exact = operations.iter().find(|one| one.id == name);
    exact.or_else(|| operations.iter().find(|one| names_match(one.id, name))).ok_or_else(|| {
        let hint = near::hint(name, operations.iter().map(|one| one.id), "");
        format!("there is no operation {name}{hint} (`muster api --list` has all of them)")
    })
}

fn read<'d>(document: &'d Value, path: &'d str, method: &str, value: &'d Value) -> Option<Operation<'d>> {
    let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
    let parameters = value.get("parameters").and_then(Value::as_array).into_iter().flatten();
    let security = value.get("security").and_then(Value::as_array);
    let mut ways = security.into_iter().flatten().filter_map(Value::as_object);
    let bearer = ways.find_map(|way| way.get("bearer"));
    Some(Operation {
        id: value.get("operationId")?.as_str()?,
        method: method.to_uppercase(),
        path,
        summary: text("summary"),
        description: text("description"),
        parameters: parameters.filter_map(|one| parameter(document, one)).collect(),
        body: value.get("requestBody").map(|body| read_body(document, body)),
        caller: bearer.map(|roles| roles.get(0).and_then(Value::as_str)),
        row: answer(document, value).and_then(row),
    })
}

fn parameter<'d>(document: &'d Value, value: &'d Value) -> Option<Parameter<'d>> {
    let value = resolve(document, value);
    let location = match value.get("in")?.as_str()? {
        "path" => Location::Path,
        "query" => Location::Query,
        "header" => Location::Header,
        _ => return None,
    };
    let description = value.get("description").and_then(Value::as_str).unwrap_or_default();
    Some(Parameter {
        name: value.get("name")?.as_str()?,
        location,
        required: value.get("required").and_then(Value::as_bool).unwrap_or_default(),
        description: one_line(description),
        schema: Schema::new(document, value.get("schema")?),
    })
}

fn read_body<'d>(document: &'d Value, value: &'d Value) -> Body<'d> {
    let value = resolve(document, value);
    let types = value.get("content").and_then(Value::as_object).into_iter().flatten();
    Body {
        required: value.get("required").and_then(Value::as_bool).unwrap_or_default(),
        types: types
            .filter_map(|(name, content)| Some((name.as_str(), Schema::new(document, content.get("schema")?))))
            .collect(),
    }
}

/// What it answers as JSON when all is well.
fn answer<'d>(document: &'d Value, operation: &'d Value) -> Option<Schema<'d>> {
    let answers = operation.get("responses")?.as_object()?;
    let good = answers.iter().find(|(status, _)| status.starts_with('2')).map(|(_, value)| value)?;
    let content = resolve(document, good).get("content")?.get(JSON)?;
    Some(Schema::new(document, content.get("schema")?))
}

/// What the rows of a list are: of an array, or of a page.
fn row(answer: Schema<'_>) -> Option<Schema<'_>> {
    answer.property("results").map_or(answer, |results| results.schema).items()
}

impl<'d> Operation<'d> {
    /// A parameter by its name, exactly.
    pub fn parameter(&self, name: &str) -> Option<&Parameter<'d>> {
        self.parameters.iter().find(|one| one.name == name)
    }

    /// Does it answer page by page?
    pub fn has_pages(&self) -> bool {
        self.row.is_some() && self.parameter("cursor").is_some()
    }

    /// The most rows that a page of its list may have.
    pub fn largest_page(&self) -> Option<i64> {
        self.parameter(PAGE_SIZE)?.schema.value().get("maximum")?.as_i64()
    }

    /// The media type that fields go into, and what it holds: an object, or an array of such.
    pub fn fields(&self) -> Option<(&'d str, Schema<'d>)> {
        let types = self.body.as_ref()?.types.iter();
        let mut holding = types.filter(|(name, _)| matches!(*name, JSON | FORM));
        holding.next().copied()
    }
}
