//! The command line of one call: what is an option of the command, and what a parameter or a field of the operation.

use std::collections::BTreeSet;

use base::near;
use clap::{Arg, CommandFactory as _};
use serde_json::Value;

use crate::{
    operations::{Location, Operation, Parameter},
    options::ApiOptions,
    schema::{Kind, Schema, names_match},
    values::{self, Step, convert, insert_value},
};

/// What a command line says of a call.
#[derive(Default)]
pub struct CallArguments {
    /// The command's own options, as they were written.
    pub options: Vec<String>,
    /// Parameters, by their names in the document.
    pub parameters: Vec<(String, String)>,
    /// The fields of the body, put together.
    pub body: Option<Value>,
    /// Somebody asks how this operation is called.
    pub help: bool,
    /// What is wrong, a sentence each.
    pub errors: Vec<String>,
}

/// What a name stands for.
enum Target<'o, 'd> {
    Parameter(&'o Parameter<'d>),
    /// A part of the body.
    Field(Vec<Step>, Schema<'d>),
}

/// Reads what follows the operation.
pub fn read(operation: &Operation<'_>, tokens: &[String]) -> CallArguments {
    let command = ApiOptions::command();
    let own: Vec<&Arg> = command.get_arguments().collect();
    let mut call_arguments = CallArguments::default();
    let mut tokens = tokens.iter().peekable();
    while let Some(token) = tokens.next() {
        if matches!(token.as_str(), "-h" | "--help") {
            call_arguments.help = true;
            continue;
        }
        let Some(written) = token.strip_prefix("--").filter(|name| !name.is_empty()) else {
            call_arguments.errors.push(format!("{token:?} stands alone: every value follows its --name"));
            continue;
        };
        let (name, joined) = written.split_once('=').map_or((written, None), |(name, value)| (name, Some(value)));
        let option = own.iter().find(|one| one.get_long() == Some(name));
        if let Some(option) = option.filter(|_| !has_exactly(operation, name)) {
            call_arguments.options.push(token.clone());
            if option.get_action().takes_values() && joined.is_none() {
                call_arguments.options.extend(tokens.next().cloned());
            }
            continue;
        }
        let target = match find(operation, name) {
            Ok(target) => target,
            Err(error) => {
                call_arguments.errors.push(error);
                // Its value is none of its own.
                tokens.next_if(|next| joined.is_none() && !next.starts_with("--"));
                continue;
            }
        };
        let is_switch = target.schema().kind() == Kind::Boolean;
        let is_word = |next: &&String| ["true", "false"].iter().any(|word| next.eq_ignore_ascii_case(word));
        let value = match joined {
            Some(value) => Some(value.to_owned()),
            None if is_switch => Some(tokens.next_if(|next| is_word(next)).map_or("true".to_owned(), Clone::clone)),
            None => tokens.next_if(|next| !next.starts_with("--")).cloned(),
        };
        match value {
            Some(value) => call_arguments.take(name, &target, &value),
            None => call_arguments
                .errors
                .push(format!("--{name} has no value (one that begins with -- is written --{name}=VALUE)")),
        }
    }
    call_arguments
}

impl CallArguments {
    fn take(&mut self, name: &str, target: &Target<'_, '_>, text: &str) {
        let done = match target {
            Target::Parameter(parameter) => self.take_parameter(parameter, text),
            Target::Field(steps, schema) => self.take_field(steps, *schema, text),
        };
        if let Err(error) = done {
            self.errors.push(format!("--{name} {error}"));
        }
    }

    fn take_parameter(&mut self, parameter: &Parameter<'_>, text: &str) -> Result<(), String> {
        let value = match convert(parameter.schema, text)? {
            Value::String(text) => text,
            other => other.to_string(),
        };
        if parameter.location == Location::Path && matches!(value.as_str(), "" | "." | "..") {
            return Err("is part of a path, and cannot be that".to_owned());
        }
        if parameter.location == Location::Header && !value.chars().all(|letter| matches!(letter, ' '..='~')) {
            return Err("is a header, and holds ASCII alone".to_owned());
        }
        if self.parameters.iter().any(|(name, _)| name == parameter.name) {
            return Err("is given twice".to_owned());
        }
        self.parameters.push((parameter.name.to_owned(), value));
        Ok(())
    }

    fn take_field(&mut self, steps: &[Step], schema: Schema<'_>, text: &str) -> Result<(), String> {
        let body = self.body.get_or_insert(Value::Null);
        if schema.kind() != Kind::Array || (text == "null" && schema.nullable()) {
            return insert_value(body, steps, convert(schema, text)?);
        }
        // An array comes as a whole, or element by element.
        let elements = match (text.starts_with('['), schema.items()) {
            (true, _) | (_, None) => convert(schema, text)?,
            (_, Some(items)) => Value::from(vec![convert(items, text)?]),
        };
        let elements = if let Value::Array(elements) = elements { elements } else { Vec::new() };
        if elements.is_empty() {
            return insert_value(body, steps, Value::Array(elements));
        }
        let further: Vec<Step> = steps.iter().cloned().chain([Step::Append]).collect();
        elements.into_iter().try_for_each(|element| insert_value(body, &further, element))
    }

    /// What the operation requires and nobody gave, as options of the command line. `whole` says that the body comes in
    /// one piece.
    pub fn missing(&self, operation: &Operation<'_>, whole: bool) -> Vec<String> {
        let names: BTreeSet<&str> = self.parameters.iter().map(|(name, _)| name.as_str()).collect();
        let required = operation.parameters.iter().filter(|one| one.required && !names.contains(one.name));
        let mut missing: Vec<String> = required.map(|one| one.name.to_owned()).collect();
        let Some(body) = operation.body.as_ref().filter(|_| !whole) else { return missing };
        match operation.fields() {
            Some((_, schema)) if body.required || self.body.is_some() => {
                let none = Value::Object(serde_json::Map::new());
                missing.extend(values::missing(schema, self.body.as_ref().unwrap_or(&none)));
                if self.body.is_none() && schema.kind() == Kind::Array {
                    missing.push("body".to_owned());
                }
            }
            None if body.required => missing.push("body".to_owned()),
            _ => {}
        }
        missing
    }
}

impl<'d> Target<'_, 'd> {
    const fn schema(&self) -> Schema<'d> {
        match self {
            Self::Parameter(parameter) => parameter.schema,
            Self::Field(_, schema) => *schema,
        }
    }
}

/// Does an operation have a parameter or a field of exactly this name? Then that is meant, and no option of the
/// command.
pub fn has_exactly(operation: &Operation<'_>, name: &str) -> bool {
    let field = || {
        let (_, schema) = operation.fields()?;
        elements(schema).properties().into_iter().find(|one| one.name == name)
    };
    operation.parameter(name).is_some() || field().is_some()
}

/// What the fields of a body are fields of: of the elements, when it is an array.
fn elements(schema: Schema<'_>) -> Schema<'_> {
    if schema.kind() == Kind::Array { schema.items().unwrap_or(schema) } else { schema }
}

fn find<'o, 'd>(operation: &'o Operation<'d>, name: &str) -> Result<Target<'o, 'd>, String> {
    let mut parts = name.split('.');
    let first = parts.next().unwrap_or_default();
    let body = operation.fields().map(|(_, schema)| schema);
    let exact = body.and_then(|schema| elements(schema).property(first)).is_some_and(|one| one.name == first);
    let parameter = operation.parameter(name);
    let parameter = parameter.or_else(|| operation.parameters.iter().find(|one| !exact && names_match(one.name, name)));
    if let Some(parameter) = parameter {
        return Ok(Target::Parameter(parameter));
    }
    let Some(schema) = body else { return Err(unknown(operation, name)) };
    let mut steps = Vec::new();
    if schema.kind() == Kind::Array {
        steps.push(Step::Current);
    }
    let Some(property) = elements(schema).property(first) else {
        // What the document says nothing of takes any field.
        if elements(schema).properties().is_empty() && !first.is_empty() {
            steps.extend(name.split('.').map(|part| Step::Name(part.to_owned())));
            return Ok(Target::Field(steps, Schema::new(&Value::Null, &Value::Null)));
        }
        return Err(unknown(operation, name));
    };
    steps.push(Step::Name(property.name.to_owned()));
    descend(name, property.schema, parts, steps).map(|(steps, schema)| Target::Field(steps, schema))
}

/// Follows the parts of a name below a field.
fn descend<'d, 'n>(
    name: &str,
    mut schema: Schema<'d>,
    parts: impl Iterator<Item = &'n str>,
    mut steps: Vec<Step>,
) -> Result<(Vec<Step>, Schema<'d>), String> {
    for part in parts {
        if schema.kind() == Kind::Array {
            let items = schema.items().unwrap_or(Schema::new(&Value::Null, &Value::Null));
            schema = items;
            if let Ok(number) = part.parse() {
                steps.push(Step::Element(number));
                continue;
            }
            steps.push(Step::Current);
        }
        match (schema.kind(), schema.property(part)) {
            (_, Some(property)) => {
                steps.push(Step::Name(property.name.to_owned()));
                schema = property.schema;
            }
            (Kind::Object | Kind::Any, None) if schema.properties().is_empty() && !part.is_empty() => {
                steps.push(Step::Name(part.to_owned()));
                schema = Schema::new(&Value::Null, &Value::Null);
            }
            (Kind::Object | Kind::Any, None) => {
                let known = schema.properties();
                let hint = near::hint(part, known.iter().map(|one| one.name), "");
                return Err(format!("--{name}: there is no field {part:?}{hint}"));
            }
            (kind, None) => return Err(format!("--{name}: {part:?} would be a field of what is {}", kind.name())),
        }
    }
    Ok((steps, schema))
}

fn unknown(operation: &Operation<'_>, name: &str) -> String {
    let command = ApiOptions::command();
    let own: Vec<&str> = command.get_arguments().filter_map(Arg::get_long).collect();
    let fields = operation.fields().map(|(_, schema)| elements(schema).properties()).unwrap_or_default();
    let known = operation.parameters.iter().map(|one| one.name).chain(fields.iter().map(|one| one.name)).chain(own);
    let hint = near::hint(name, known, "--");
    format!("{} has no --{name}{hint} (`muster api {} --help`)", operation.id, operation.id)
}

#[cfg(test)]
mod tests;
