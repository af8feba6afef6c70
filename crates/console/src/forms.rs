//! The module from which the console makes its forms: the body of every write operation, made from the document.

use std::collections::{BTreeMap, BTreeSet};

use api::spec::{self, Access};
use serde_json::{Map, Value, json};
use utoipa::openapi::OpenApi;

/// What a reference refers to, by the schema of the reference or by `Schema.field`. The console offers these records.
const REFERENCES: [(&str, &str); 47] = [
    ("AlertDeviceInput", "resource"),
    ("AlertHandOverRoster", "roster"),
    ("AlertHandOverUser", "user"),
    ("AlertRouteInput.policy", "policy"),
    ("AlertRouteUpdate.policy", "policy"),
    ("ApiKeyInput.userId", "userId"),
    ("ContactMethodId", "contactMethod"),
    ("EscalationTarget.integration", "integration"),
    ("EscalationTarget.roster", "roster"),
    ("EscalationTarget.user", "user"),
    ("EscalationTargetGroup", "userGroup"),
    ("GroupChildReference", "groupChild"),
    ("GroupReference", "parentGroup"),
    ("HeartbeatInput.device", "resourceName"),
    ("HeartbeatUpdate.device", "resourceName"),
    ("IncidentAlertId", "alert"),
    ("IncidentCategoryId", "incidentCategory"),
    ("IncidentCategoryReference", "incidentCategory"),
    ("IncidentEscalationInput.policy", "policy"),
    ("IncidentGroupId", "userGroup"),
    ("IncidentResourceId", "resource"),
    ("IncidentRosterId", "roster"),
    ("IncidentUserId", "user"),
    ("JobEntityResource", "resource"),
    ("JobResource", "resource"),
    ("JobTimeZone", "timeZone"),
    ("KbCategoryReference", "kbCategory"),
    ("LocationReference", "site"),
    ("MaintenanceDeviceReference", "resource"),
    ("MaintenanceTargets.deviceGroups", "deviceGroup"),
    ("MaintenanceTargets.locations", "site"),
    ("MaintenanceWindowInput.deviceGroups", "deviceGroup"),
    ("MaintenanceWindowInput.locations", "site"),
    ("MaintenanceWindowUpdate.deviceGroups", "deviceGroup"),
    ("MaintenanceWindowUpdate.locations", "site"),
    ("OwnerInput.deviceGroup", "deviceGroup"),
    ("OwnerInput.resource", "resource"),
    ("OwnerInput.serviceGroup", "serviceGroup"),
    ("OwnerInput.site", "site"),
    ("QuietHours.timeZone", "timeZoneName"),
    ("RosterHolidayReference", "holidayCalendar"),
    ("RosterShiftReference", "shift"),
    ("RosterTimeZoneReference", "timeZone"),
    ("RosterUserGroupReference", "userGroup"),
    ("RosterUserReference", "user"),
    ("SiteMemberReference", "resource"),
    ("UserReference", "user"),
];

/// The start of the pattern of a duration, such as `15m`.
const DURATION: &str = "\\s*[0-9]+\\s*(ms|s|m|min|h|d)?";

/// The text of `openapi/forms.js`: for each operation that takes JSON and needs a role, its body, and the schemas of
/// which bodies are made, each with its fields: type, words, limits, default, description, and what it refers to.
///
/// # Errors
/// As [`spec::access_table`], and when the document is not JSON or names a schema that it does not have.
pub fn forms(document: &OpenApi) -> Result<String, String> {
    let whole = spec::published(document).map_err(|error| error.to_string())?;
    let mut forms =
        Forms { document: &whole, schemas: BTreeMap::new(), pending: BTreeSet::new(), used: BTreeSet::new() };
    let mut bodies = BTreeMap::new();
    for (path, methods) in spec::access_table(document)? {
        for operation in methods.into_iter().filter(|operation| !operation.is_alias()) {
            let method = operation.method.as_str().to_lowercase();
            let body = &whole["paths"][path.as_str()][&method]["requestBody"]["content"]["application/json"]["schema"];
            if matches!(operation.access, Access::Role { .. }) && body.is_object() {
                bodies.insert(operation.id, forms.field("", "", body)?);
            }
        }
    }
    forms.finish()?;
    let mut text = String::from(
        "// Made by `muster openapi --write` from the document of the interface; not to be changed by hand.\n\
         // operationId: its body\nexport const bodies = {\n",
    );
    for (id, body) in bodies {
        text.push_str(&format!("  {id}: {body},\n"));
    }
    text.push_str("};\n\n// schema: its fields, or its variants\nexport const schemas = {\n");
    for (name, schema) in forms.schemas {
        text.push_str(&format!("  {name}: {schema},\n"));
    }
    Ok(text + "};\n")
}

/// The schemas of bodies, read from the document one after the other.
struct Forms<'a> {
    document: &'a Value,
    schemas: BTreeMap<String, Value>,
    pending: BTreeSet<String>,
    /// The references of the table that a body has.
    used: BTreeSet<&'static str>,
}

impl<'a> Forms<'a> {
    /// The schema of a name in the document.
    fn named(&self, name: &str) -> Result<&'a Value, String> {
        let schema = &self.document["components"]["schemas"][name];
        if schema.is_object() { Ok(schema) } else { Err(format!("the document has no schema {name}")) }
    }

    /// Describes the schemas that are named by bodies and by each other.
    fn finish(&mut self) -> Result<(), String> {
        while let Some(name) = self.pending.pop_first() {
            if !self.schemas.contains_key(&name) {
                let described = self.schema(&name)?;
                self.schemas.insert(name, described);
            }
        }
        let unused: Vec<_> = REFERENCES.iter().map(|(key, _)| *key).filter(|key| !self.used.contains(key)).collect();
        if unused.is_empty() { Ok(()) } else { Err(format!("no body refers to {}", unused.join(", "))) }
    }

    /// A schema that is an object, or one of several.
    fn schema(&mut self, name: &str) -> Result<Value, String> {
        let schema = self.named(name)?;
        let mut described = Map::new();
        if let Some(about) = about(schema) {
            described.insert("about".to_owned(), about.into());
        }
        let variants = variants(schema);
        if variants.len() > 1 {
            let by = schema["discriminator"]["propertyName"].as_str();
            let words = schema["discriminator"]["mapping"].as_object().cloned().unwrap_or_default();
            let mut named = Map::new();
            for variant in variants {
                let Some(reference) = reference(variant) else { continue };
                let word = words.iter().find(|(_, path)| path.as_str().is_some_and(|path| ends_with(path, reference)));
                named.insert(word.map_or_else(|| reference.to_owned(), |(word, _)| word.clone()), reference.into());
                self.pending.insert(reference.to_owned());
            }
            described.insert("variants".to_owned(), named.into());
            if let Some(by) = by {
                described.insert("by".to_owned(), by.into());
            }
            return Ok(described.into());
        }
        let required: BTreeSet<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let mut fields = Map::new();
        for (field, of) in schema["properties"].as_object().into_iter().flatten() {
            let mut made = self.field(name, field, of)?;
            if required.contains(field.as_str()) {
                made["required"] = true.into();
            }
            fields.insert(field.clone(), made);
        }
        described.insert("fields".to_owned(), fields.into());
        Ok(described.into())
    }

    /// A field of the schema `parent`, an element of a list, or a body.
    fn field(&mut self, parent: &str, name: &str, declared: &Value) -> Result<Value, String> {
        let mut made = Map::new();
        let given = variants(declared);
        // What is named elsewhere stands there, unless it is only words or a text.
        let (of, schema) = match given.as_slice() {
            [one] => (reference(one), reference(one).map_or(Ok(*one), |name| self.named(name))?),
            _ => (reference(declared), reference(declared).map_or(Ok(declared), |name| self.named(name))?),
        };
        let kind = if variants(schema).len() > 1 { "object" } else { kind(schema) };
        made.insert("type".to_owned(), kind.into());
        match (kind, of) {
            ("object", Some(of)) => {
                made.insert("schema".to_owned(), of.into());
                self.pending.insert(of.to_owned());
            }
            ("list", _) => {
                let items = self.field(parent, name, &schema["items"])?;
                made.insert("items".to_owned(), items);
            }
            _ => {}
        }
        let words: Vec<&Value> =
            schema["enum"].as_array().into_iter().flatten().filter(|word| !word.is_null()).collect();
        if !words.is_empty() {
            made.insert("words".to_owned(), json!(words));
        }
        let declared_format = schema["format"].as_str().filter(|format| !format.starts_with("int"));
        if let Some(format) = declared_format.or_else(|| schema["pattern"].as_str().and_then(format)) {
            made.insert("format".to_owned(), format.into());
        }
        for (limit, names) in
            [("max", ["maxLength", "maximum", "maxItems"]), ("min", ["minLength", "minimum", "minItems"])]
        {
            if let Some(value) = names.iter().map(|name| &schema[*name]).find(|value| value.is_number()) {
                made.insert(limit.to_owned(), value.clone());
            }
        }
        let about = about(declared).or_else(|| about(schema).filter(|_| kind != "object"));
        if let Some(default) = schema
            .get("default")
            .filter(|value| !value.is_null())
            .cloned()
            .or_else(|| about.as_deref().and_then(|text| default(text, kind)))
        {
            made.insert("default".to_owned(), default);
        }
        if let Some(about) = about {
            made.insert("about".to_owned(), about.into());
        }
        let path = format!("{parent}.{name}");
        let refers = REFERENCES.iter().find(|(key, _)| *key == path);
        let refers = refers.or_else(|| REFERENCES.iter().find(|(key, _)| of == Some(*key)));
        if let Some((key, refers)) = refers.filter(|_| kind != "list") {
            self.used.insert(*key);
            made.insert("refers".to_owned(), (*refers).into());
        }
        Ok(made.into())
    }
}

/// The alternatives of a schema besides null.
fn variants(schema: &Value) -> Vec<&Value> {
    let listed = ["oneOf", "anyOf", "allOf"].iter().find_map(|key| schema[*key].as_array());
    listed.into_iter().flatten().filter(|variant| variant["type"] != "null").collect()
}

/// The name of the schema that a reference names.
fn reference(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.rsplit('/').next()
}

fn ends_with(path: &str, name: &str) -> bool {
    path.rsplit('/').next() == Some(name)
}

/// The word of a form for the type of a schema.
fn kind(schema: &Value) -> &'static str {
    let declared = schema["type"].as_str().or_else(|| schema["type"].as_array()?.iter().find_map(|one| one.as_str()));
    match declared {
        Some("string") => "text",
        Some("integer" | "number") => "number",
        Some("boolean") => "boolean",
        Some("array") => "list",
        Some("object") if schema["properties"].is_object() => "object",
        Some("object") => "map",
        _ => "any",
    }
}

/// What a text has to be, by the pattern that it has to match.
fn format(pattern: &str) -> Option<&'static str> {
    const TIME: &str = "([01][0-9]|2[0-3]):";
    const DAY: &str = "-(0[1-9]|[12][0-9]";
    let (time, day) = (pattern.contains(TIME), pattern.contains(DAY));
    match (day, time) {
        _ if pattern.contains(DURATION) => Some("duration"),
        (true, true) if pattern.contains("(Z|") => Some("date-time"),
        (true, true) => Some("local-date-time"),
        (true, false) => Some("date"),
        (false, true) => Some("time"),
        (false, false) => None,
    }
}

fn about(schema: &Value) -> Option<String> {
    let text = schema["description"].as_str()?.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(text).filter(|text| !text.is_empty())
}

/// The default that a description names: "`STOP` (default)", "default `1m`" or "Default true".
fn default(about: &str, kind: &str) -> Option<Value> {
    let before = about.split_once(" (default)").and_then(|(text, _)| text.split_whitespace().last());
    let behind = || about.split_once("efault ").and_then(|(_, text)| text.split_whitespace().next());
    let word = before.or_else(behind)?.trim_matches(|letter: char| "`.,;:()".contains(letter));
    match kind {
        "boolean" => word.parse::<bool>().ok().map(Value::from),
        "number" => word.parse::<i64>().ok().map(Value::from),
        "text" if about.contains(&format!("`{word}`")) => Some(word.into()),
        _ => None,
    }
}
