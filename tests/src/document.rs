//! The OpenAPI document, as tests read it.

use serde_json::Value;

/// The parameters of an operation, those that stand among the components too.
pub fn parameters<'d>(document: &'d Value, operation: &'d Value) -> impl Iterator<Item = &'d Value> {
    let own = operation["parameters"].as_array().into_iter().flatten();
    own.map(|parameter| {
        let shared =
            parameter["$ref"].as_str().and_then(|reference| reference.strip_prefix("#/components/parameters/"));
        shared.map_or(parameter, |name| &document["components"]["parameters"][name])
    })
}
