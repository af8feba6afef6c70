//! Holds what is written against the OpenAPI document of the interface: fields, required fields, types and words.

use std::sync::LazyLock;

use serde_json::Value;

use crate::conversion::Conversion;

static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../openapi/openapi.json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
});

/// The operation whose body a kind has.
const OPERATIONS: [(&str, &str); 14] = [
    ("User", "createUser"),
    ("UserGroup", "createUserGroup"),
    ("Site", "createSite"),
    ("DeviceGroup", "createDeviceGroups"),
    ("ServiceGroup", "createServiceGroups"),
    ("Resource", "createResource"),
    ("Roster", "createRoster"),
    ("RosterOverride", "createRosterOverride"),
    ("ContactMethod", "createContactMethod"),
    ("NotificationRule", "setNotificationRule"),
    ("EscalationPolicy", "createEscalationPolicy"),
    ("AlertRoute", "createAlertRoute"),
    ("Heartbeat", "createHeartbeat"),
    ("InboundAddress", "createInboundAddress"),
];

/// Fields that name the object that another one belongs to, beside its body.
const OWNERS: [(&str, &str); 3] =
    [("RosterOverride", "roster"), ("ContactMethod", "user"), ("NotificationRule", "user")];

/// Asserts that each object of a conversion is one that the interface takes, and has a file.
pub fn check(conversion: &Conversion) {
    assert_eq!(cli::files(&conversion.documents).unwrap().len(), conversion.documents.len());
    for document in &conversion.documents {
        let mut fields = document.clone();
        let kind = fields.remove("kind").unwrap();
        let operation = OPERATIONS.iter().find(|(known, _)| kind == *known).map(|(_, operation)| *operation);
        let schema = body(operation.unwrap_or_else(|| panic!("{kind} is not a kind of files")));
        for (_, owner) in OWNERS.iter().filter(|(known, _)| kind == *known) {
            assert!(fields.remove(*owner).is_some_and(|owner| is_reference(&owner)), "{owner} of {document:?}");
        }
        let fields = Value::Object(fields);
        fits(&fields, schema, true).unwrap_or_else(|wrong| panic!("{document:?}: {wrong}"));
    }
}

fn body(operation: &str) -> &'static Value {
    let paths = DOCUMENT["paths"].as_object().unwrap().values();
    let mut operations = paths.flat_map(|path| path.as_object().unwrap().values());
    let found = operations.find(|found| found["operationId"] == operation).unwrap();
    &found["requestBody"]["content"]["application/json"]["schema"]
}

fn is_reference(value: &Value) -> bool {
    let fields = value.as_object().map(|fields| fields.keys().map(String::as_str).collect::<Vec<_>>());
    matches!(fields.as_deref(), Some(["name" | "loginName" | "displayName"]))
}

fn fits(value: &Value, schema: &'static Value, is_top: bool) -> Result<(), String> {
    if let Some(name) = schema["$ref"].as_str() {
        return fits(value, &DOCUMENT["components"]["schemas"][name.rsplit('/').next().unwrap()], is_top);
    }
    if !is_top && is_reference(value) {
        return Ok(());
    }
    for choice in ["oneOf", "anyOf"] {
        if let Some(all) = schema[choice].as_array() {
            let tried: Vec<String> = all.iter().filter_map(|one| fits(value, one, is_top).err()).collect();
            return if tried.len() < all.len() { Ok(()) } else { Err(tried.join(" | ")) };
        }
    }
    if let Some(all) = schema["allOf"].as_array() {
        return all.iter().try_for_each(|one| fits(value, one, is_top));
    }
    let is_type = |name: &str| {
        let one_of = schema["type"].as_array().is_some_and(|all| all.iter().any(|one| one == name));
        schema["type"] == name || one_of
    };
    let word = schema["enum"].as_array();
    if word.is_some_and(|words| !words.contains(value)) {
        return Err(format!("{value} is not one of {word:?}"));
    }
    match value {
        Value::Object(fields) => {
            if schema.get("properties").is_none() {
                return if is_type("object") { Ok(()) } else { Err(format!("{value} is an object")) };
            }
            for (name, value) in fields {
                let property = schema["properties"].get(name).ok_or_else(|| format!("{name} is not a field"))?;
                fits(value, property, false).map_err(|wrong| format!("{name}: {wrong}"))?;
            }
            let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
            for name in required {
                fields.get(name).ok_or_else(|| format!("{name} is missing"))?;
            }
            Ok(())
        }
        Value::Array(all) if is_type("array") => {
            let most = schema["maxItems"].as_u64().unwrap_or(u64::MAX);
            let least = schema["minItems"].as_u64().unwrap_or(0);
            let length = all.len() as u64;
            if !(least..=most).contains(&length) {
                return Err(format!("{length} entries"));
            }
            all.iter().try_for_each(|one| fits(one, &schema["items"], false))
        }
        Value::String(text) if is_type("string") => {
            let most = schema["maxLength"].as_u64().unwrap_or(u64::MAX);
            if text.chars().count() as u64 <= most { Ok(()) } else { Err(format!("{text:?} is too long")) }
        }
        Value::Number(_) if is_type("integer") || is_type("number") => Ok(()),
        Value::Bool(_) if is_type("boolean") => Ok(()),
        other => Err(format!("{other} has another type")),
    }
}
