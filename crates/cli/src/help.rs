//! What an operation takes, for people.

use crate::{
    operations::{Location, Operation},
    problem::plain,
    schema::{Kind, Property, Schema},
};

/// How far the fields of fields are shown.
const DEEPEST: usize = 3;

/// The column that descriptions begin in.
const COLUMN: usize = 36;

/// The list of operations, those that have all of the words.
pub fn list(operations: &[Operation<'_>], words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let matching = operations.iter().filter(|one| {
        let text = format!("{} {} {} {}", one.id, one.method, one.path, one.summary).to_lowercase();
        words.iter().all(|word| text.contains(word.as_str()))
    });
    let matching: Vec<&Operation<'_>> = matching.collect();
    let wide = |lengths: &mut dyn Iterator<Item = usize>| lengths.max().unwrap_or_default();
    let id = wide(&mut matching.iter().map(|one| one.id.len()));
    let path = wide(&mut matching.iter().map(|one| one.path.len()));
    let line =
        |one: &&Operation<'_>| format!("{:id$}  {:6}  {:path$}  {}\n", one.id, one.method, one.path, one.summary);
    matching.iter().map(line).collect()
}

/// The help of one operation.
pub fn operation_help(operation: &Operation<'_>) -> String {
    let role = match operation.caller {
        Some(Some(role)) => format!(" (role {role})"),
        Some(None) => String::new(),
        None => " (without a key)".to_owned(),
    };
    let mut text = format!("{}: {}\n{} {}{role}\n", operation.id, operation.summary, operation.method, operation.path);
    if !operation.description.is_empty() {
        text.push_str(&format!("\n{}\n", operation.description.trim()));
    }
    text.push_str(&format!("\nUsage: muster api {} [--NAME VALUE]…\n", operation.id));
    if !operation.parameters.is_empty() {
        text.push_str("\nParameters:\n");
    }
    for parameter in &operation.parameters {
        let beside = match parameter.location {
            Location::Header => " (header)",
            Location::Path if parameter.name == "tenantId" => " (or --tenant)",
            Location::Path | Location::Query => "",
        };
        let about = format!("{}{beside}", parameter.description);
        text.push_str(&line(parameter.name, parameter.schema, parameter.required, &about));
    }
    body(operation, &mut text);
    if let Some(row) = operation.row {
        columns(row, operation.has_pages(), &mut text);
    }
    text.push_str("\n`muster api --help` has the options of every call, such as --server, --profile and --output.\n");
    plain(&text)
}

fn body(operation: &Operation<'_>, text: &mut String) {
    let Some(body) = &operation.body else { return };
    let types: Vec<&str> = body.types.iter().map(|(name, _)| *name).collect();
    let required = if body.required { ", required" } else { "" };
    text.push_str(&format!("\nBody ({}{required}):\n", types.join(", ")));
    if let Some((_, schema)) = operation.fields() {
        if schema.kind() == Kind::Array {
            text.push_str("  an array of these; a field that comes again begins the next element\n");
        }
        fields(schema, "", 1, text);
    }
    let whole = "  --body FILE|-";
    text.push_str(&format!("{whole:COLUMN$}The whole body from a file, or from standard input\n"));
}

fn fields(schema: Schema<'_>, path: &str, depth: usize, text: &mut String) {
    let parts = if schema.kind() == Kind::Array { schema.items().unwrap_or(schema) } else { schema };
    for Property { name, schema, required } in parts.properties() {
        let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        text.push_str(&line(&path, schema, required, &schema.description()));
        if depth < DEEPEST {
            fields(schema, &path, depth + 1, text);
        }
    }
}

fn line(name: &str, schema: Schema<'_>, required: bool, about: &str) -> String {
    let kind = match (schema.kind(), schema.items()) {
        (Kind::Array, Some(items)) => format!("{}…", items.kind().name()),
        (kind, _) => kind.name().to_owned(),
    };
    let head = format!("  --{name} {kind}");
    let required = if required { "required. " } else { "" };
    let choices = schema.choices();
    let choices = if choices.is_empty() { String::new() } else { format!(" [{}]", choices.join(", ")) };
    let about = format!("{required}{about}{choices}");
    if head.chars().count() + 2 > COLUMN {
        format!("{head}\n{:COLUMN$}{about}\n", "")
    } else {
        format!("{head:COLUMN$}{about}\n")
    }
}

fn columns(row: Schema<'_>, has_pages: bool, text: &mut String) {
    let scalars = row.properties().into_iter().filter(|one| !matches!(one.schema.kind(), Kind::Array | Kind::Object));
    let names: Vec<&str> = scalars.map(|one| one.name).collect();
    let pages = if has_pages { "; --all has all pages" } else { "" };
    text.push_str(&format!("\nAnswers a list{pages}. For --columns, among others:\n  {}\n", names.join(",")));
}
