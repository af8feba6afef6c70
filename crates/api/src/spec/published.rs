//! The document as it is published: what the routes declare, said in the way that linters and generators of clients
//! read best. Nothing is added that the routes do not say; names, references and unions get the form that is understood
//! by all.

mod shapes;
mod shared;
mod walk;

use std::collections::{BTreeSet, HashMap};

use serde_json::{Value, json};
use utoipa::openapi::OpenApi;

use self::{
    shapes::{
        add_discriminator_defaults, add_discriminators, add_time_patterns, downgrade_to_3_0, inline_plain_values,
        isolate_references, merge_parts, merge_unions, order_extensions, refer_to_unions_alone,
        remove_null_from_answers, remove_void_default, replace_constant_pattern, use_one_integer_format,
    },
    shared::{
        add_headers_and_statuses, describe_empty_answers, remove_unused, share_parameters, unify_page_parameters,
    },
    walk::{Object, SCHEMAS, object_at, visit},
};

/// The document of OpenAPI 3.1, as it is served and committed.
///
/// # Errors
/// When the document cannot be written as JSON.
pub fn published(document: &OpenApi) -> serde_json::Result<Value> {
    let mut document = serde_json::to_value(document)?;
    refine(&mut document);
    Ok(document)
}

fn refine(document: &mut Value) {
    describe(document);
    name_schemas(document);
    merge_unions(document);
    visit(document, &mut inline_plain_values);
    visit(document, &mut replace_constant_pattern);
    add_discriminators(document);
    visit(document, &mut remove_void_default);
    visit(document, &mut use_one_integer_format);
    visit(document, &mut order_extensions);
    unify_page_parameters(document);
    merge_parts(document);
    visit(document, &mut isolate_references);
    remove_null_from_answers(document);
    add_time_patterns(document);
    add_discriminator_defaults(document);
    refer_to_unions_alone(document);
    describe_empty_answers(document);
    add_headers_and_statuses(document);
    share_parameters(document);
    remove_unused(document);
}

/// The same in OpenAPI 3.0.3, for generators that read no later one. Where a body is an object or an array of such, it
/// says the array, since 3.0 generators have no type for either.
pub fn in_3_0(published: &Value) -> Value {
    let mut document = published.clone();
    document["openapi"] = json!("3.0.3");
    document["info"]["license"] = json!({"name": "Apache-2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0"});
    visit(&mut document, &mut downgrade_to_3_0);
    document
}

/// Licence and server.
fn describe(document: &mut Value) {
    document["info"]["license"] = json!({"name": "Apache-2.0", "identifier": "Apache-2.0"});
    document["info"]["contact"] = json!({"name": "The maintainers of Muster"});
    if let Some(document) = document.as_object_mut() {
        document.insert("servers".to_owned(), json!([{"url": "/", "description": "The service itself"}]));
    }
}

/// Pages are called after what is on them (`AlertPage`) and refer to it; what is generic in the code
/// (`CalendarAddress_Author`) has its own name alone.
fn name_schemas(document: &mut Value) {
    let Some(schemas) = object_at(document, &["components", "schemas"]) else { return };
    let known: BTreeSet<String> = schemas.keys().cloned().collect();
    let mut names: HashMap<String, String> = HashMap::new();
    let plain = |name: &str| name.split('_').next().unwrap_or_default().to_owned();
    for name in &known {
        let better = match name.strip_prefix("PageOf_") {
            Some(of) => format!("{}Page", plain(of)),
            None if name.contains('_') => plain(name),
            None => continue,
        };
        let better = if known.contains(&better) { name.replace('_', "") } else { better };
        if !known.contains(&better) {
            names.insert(name.clone(), better);
        }
    }
    for (name, schema) in schemas.iter_mut() {
        let Some(of) = name.strip_prefix("PageOf_") else { continue };
        let of = if known.contains(of) { of.to_owned() } else { plain(of) };
        if known.contains(&of) {
            schema["properties"]["results"]["items"] = json!({"$ref": format!("{SCHEMAS}{of}")});
        }
        schema["description"] = json!("A page of records.");
    }
    *schemas = std::mem::take(schemas)
        .into_iter()
        .map(|(name, schema)| (names.get(&name).cloned().unwrap_or(name), schema))
        .collect();
    let better = |reference: &str| {
        let name = names.get(reference.strip_prefix(SCHEMAS)?)?;
        Some(Value::from(format!("{SCHEMAS}{name}")))
    };
    visit(document, &mut |object| {
        let mapped = object.get_mut("mapping").and_then(Value::as_object_mut);
        let mapped = mapped.into_iter().flat_map(Object::values_mut).collect::<Vec<_>>();
        for reference in mapped {
            if let Some(better) = reference.as_str().and_then(better) {
                *reference = better;
            }
        }
        if let Some(better) = object.get("$ref").and_then(Value::as_str).and_then(better) {
            object.insert("$ref".to_owned(), better);
        }
    });
}

#[cfg(test)]
mod tests;
