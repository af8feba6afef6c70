//! The module with which the console calls: every operation by its operationId, made from the document.

use std::collections::BTreeMap;

use api::spec::{self, Access};
use serde_json::{Value, json};
use utoipa::openapi::OpenApi;

/// The text of `openapi/operations.js`: operationId → method, path, and the role that it needs, empty for none. Further
/// paths of an operation are left out.
pub fn operations(document: &OpenApi) -> Result<String, String> {
    let mut all: BTreeMap<String, Value> = BTreeMap::new();
    for (path, methods) in spec::access_table(document)? {
        for operation in methods.into_iter().filter(|operation| !operation.is_alias()) {
            let role = match operation.access {
                Access::Public => "",
                Access::Role { role, .. } => role.as_str(),
            };
            all.insert(operation.id, json!([operation.method.as_str(), path, role]));
        }
    }
    let mut text = String::from(
        "// Made by `muster openapi --write` from the document of the interface; not to be changed by hand.\n\
         // operationId: [method, path, role]\nexport default {\n",
    );
    for (id, operation) in all {
        text.push_str(&format!("  {id}: {operation},\n"));
    }
    Ok(text + "};\n")
}
