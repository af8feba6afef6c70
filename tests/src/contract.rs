//! What the OpenAPI document promises of answers, checked with every answer that a test gets: that the status is one of
//! the operation's, that the body has the shape of that status, and that no field is answered which the document does
//! not have.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Write as _;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use jsonschema::{Draft, Validator};
use serde_json::{Map, Value, json};

use crate::response::Response;

/// Larger answers are like smaller ones.
const MOST: usize = 128 << 10;

/// Lines of a stream that are looked at.
const LINES: usize = 50;

/// What a caller may ask for that the document leaves out, so that each operation has one type of answer.
const LEFT_OUT: [(&str, &str); 2] = [
    // The names alone.
    ("listJobTypes", "names=true"),
    // Each resource with its detail.
    ("searchResources", "verbose=true"),
];

/// What answers one record with its version, or several.
const SEVERAL: [&str; 2] = ["createDeviceGroups", "createServiceGroups"];

/// Headers of HTTP itself, and those that browsers and proxies are told by: of any answer.
const GENERAL: [&str; 18] = [
    "cache-control",
    "connection",
    "content-disposition",
    "content-encoding",
    "content-length",
    "content-security-policy",
    "content-type",
    "date",
    "etag",
    "pragma",
    "referrer-policy",
    "refresh",
    "set-cookie",
    "strict-transport-security",
    "transfer-encoding",
    "vary",
    "x-accel-buffering",
    "x-content-type-options",
];

static CONTRACT: LazyLock<Contract> = LazyLock::new(Contract::read);

/// The operation that a request is to, by its id, and the role that it needs: empty for none.
pub(crate) fn operation_of(method: &str, path: &str) -> Option<(String, String)> {
    let (id, operation) = CONTRACT.operation(method, path)?;
    let mut needed = operation["security"].as_array().into_iter().flatten();
    let role = needed.find_map(|one| one["bearer"][0].as_str()).unwrap_or_default();
    Some((id.to_owned(), role.to_owned()))
}

/// What an answer breaks, a line each; nothing for what is not an operation of the document.
fn broken(response: &Response) -> Vec<String> {
    let Some((method, url)) = response.label.split_once(' ') else { return Vec::new() };
    let path = url.split_once("://").map_or(url, |(_, rest)| rest.find('/').map_or("/", |at| &rest[at..]));
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let Some((id, operation)) = CONTRACT.operation(method, path) else { return Vec::new() };
    // Of a request that was carried out before, the answer leaves out secrets, and addresses that are secrets.
    if response.header("Idempotency-Replayed") == Some("true") {
        return Vec::new();
    }
    if LEFT_OUT.iter().any(|(left_out, query)| *left_out == id && url.contains(query)) {
        return Vec::new();
    }
    let found = CONTRACT.check(id, operation, response);
    found.into_iter().map(|told| format!("{id} {}: {told}", response.status)).collect()
}

/// What is known to be otherwise, with the reason. This list may only shrink.
const KNOWN: [(&str, &str); 1] = [(
    "setOwner 200",
    "who takes an owner away is answered with an empty object, and a union without a tag breaks generators",
)];

/// Fails the test when an answer is not as the document has it. With `MUSTER_TESTS_CONTRACT=tell` each way in which it
/// is not is told once instead, past the capture of the test program.
pub(crate) fn uphold(response: &Response) {
    static TOLD: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let broken = broken(response);
    if broken.is_empty() {
        return;
    }
    let broken: Vec<String> =
        broken.into_iter().filter(|told| !KNOWN.iter().any(|(known, _)| told.starts_with(known))).collect();
    let fails = std::env::var("MUSTER_TESTS_CONTRACT").as_deref() != Ok("tell");
    assert!(!fails || broken.is_empty(), "not as openapi/openapi.json has it:\n{}\n{response}", broken.join("\n"));
    for told in broken {
        if TOLD.lock().unwrap_or_else(PoisonError::into_inner).insert(told.clone()) {
            let _ = writeln!(std::io::stderr(), "contract: {told}");
        }
    }
}

type Shapes = HashMap<(String, u16, String), Option<Arc<Validator>>>;

struct Contract {
    document: Value,
    /// The operations of a path, by method, under its pieces. Literal pieces come before parameters.
    paths: Vec<(Vec<String>, BTreeMap<String, Value>)>,
    shapes: Mutex<Shapes>,
}

impl Contract {
    fn read() -> Self {
        let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../openapi/openapi.json"));
        let mut document: Value = serde_json::from_str(&text.expect("openapi/openapi.json")).expect("the document");
        document["components"]["schemas"].as_object_mut().expect("schemas").values_mut().for_each(close);
        let mut paths: Vec<_> = document["paths"]
            .as_object()
            .expect("paths")
            .iter()
            .map(|(path, item)| {
                let operations = item.as_object().into_iter().flatten();
                let operations =
                    operations.map(|(method, operation)| (method.to_uppercase(), operation.clone())).collect();
                (path.split('/').map(ToOwned::to_owned).collect::<Vec<_>>(), operations)
            })
            .collect();
        paths.sort_by_key(|(pieces, _)| pieces.iter().map(|piece| piece.starts_with('{')).collect::<Vec<_>>());
        Self { document, paths, shapes: Mutex::default() }
    }

    fn operation(&self, method: &str, path: &str) -> Option<(&str, &Value)> {
        let pieces: Vec<&str> = path.split('/').collect();
        let (_, operations) = self.paths.iter().find(|(known, _)| {
            known.len() == pieces.len()
                && known
                    .iter()
                    .zip(&pieces)
                    .all(|(known, piece)| known.starts_with('{') && !piece.is_empty() || known == piece)
        })?;
        let operation = operations.get(method)?;
        Some((operation["operationId"].as_str()?, operation))
    }

    fn check(&self, id: &str, operation: &Value, response: &Response) -> Vec<String> {
        let status = response.status.to_string();
        let Some(documented) = operation["responses"].get(&status).map(|found| self.resolve(found)) else {
            return vec!["the status is not documented".to_owned()];
        };
        if response.status == 200 {
            match (response.header("ETag").is_some(), documented["headers"].get("ETag").is_some()) {
                (true, false) => return vec!["an ETag is sent and not documented".to_owned()],
                // Of several at once there is none.
                (false, true) if !SEVERAL.contains(&id) => {
                    return vec!["an ETag is documented and not sent".to_owned()];
                }
                _ => {}
            }
        }
        let known = documented["headers"].as_object().into_iter().flatten().map(|(name, _)| name.to_lowercase());
        let known: BTreeSet<String> = known.collect();
        let sent = response.headers.keys().map(|name| name.as_str());
        if let Some(name) = sent.into_iter().find(|name| !GENERAL.contains(name) && !known.contains(*name)) {
            return vec![format!("the header {name} is sent and not documented")];
        }
        if response.body.is_empty() || response.body.len() > MOST {
            return Vec::new();
        }
        let kind = response.header("Content-Type").unwrap_or_default().split(';').next().unwrap_or_default().trim();
        let Some(content) = documented["content"].get(kind) else {
            // The answer to a DELETE says `{}` where the document says nothing.
            return vec![format!("{kind:?} is not documented")];
        };
        let Some(schema) = content.get("schema").filter(|_| kind.ends_with("json")) else { return Vec::new() };
        let Some(shape) = self.shape((id, response.status, kind), schema) else {
            return vec!["its schema cannot be read".to_owned()];
        };
        let values: Vec<Value> = if kind == "application/x-ndjson" {
            let text = response.text();
            text.lines().take(LINES).filter_map(|line| serde_json::from_str(line).ok()).collect()
        } else {
            serde_json::from_slice(&response.body).into_iter().collect()
        };
        let told =
            values.iter().flat_map(|value| shape.iter_errors(value).map(|error| tell(&error)).collect::<Vec<_>>());
        told.collect()
    }

    /// What a reference of the document leads to, or the value itself.
    fn resolve<'d>(&'d self, value: &'d Value) -> &'d Value {
        let pointer = value["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
        pointer.and_then(|pointer| self.document.pointer(pointer)).unwrap_or(value)
    }

    /// The compiled schema of an answer, with those that it refers to.
    fn shape(&self, (id, status, kind): (&str, u16, &str), schema: &Value) -> Option<Arc<Validator>> {
        let mut shapes = self.shapes.lock().unwrap_or_else(PoisonError::into_inner);
        let shape = shapes.entry((id.to_owned(), status, kind.to_owned())).or_insert_with(|| {
            let mut schema = schema.clone();
            close(&mut schema);
            validator(&self.document, &schema).map(Arc::new)
        });
        shape.clone()
    }
}

/// A schema of the document, compiled with those that it refers to.
pub fn validator(document: &Value, schema: &Value) -> Option<Validator> {
    let mut schemas = Map::new();
    let mut next = references(schema);
    while let Some(name) = next.pop() {
        if let Some(found) = document["components"]["schemas"].get(&name)
            && !schemas.contains_key(&name)
        {
            next.extend(references(found));
            schemas.insert(name, found.clone());
        }
    }
    let whole = json!({"allOf": [schema], "components": {"schemas": schemas}});
    jsonschema::options().with_draft(Draft::Draft202012).build(&whole).ok()
}

/// Closes the objects of a schema: what has properties has no others than these.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            object.values_mut().for_each(close);
            tell_apart(object);
            if object.get("properties").is_some_and(Value::is_object) && !object.contains_key("additionalProperties") {
                object.insert("additionalProperties".to_owned(), json!(false));
            }
        }
        Value::Array(values) => values.iter_mut().for_each(close),
        _ => {}
    }
}

/// Of a union that says how to tell its members apart, the one in question is meant, so that what is wrong is told of
/// it.
fn tell_apart(object: &mut Map<String, Value>) {
    let Some(discriminator) = object.remove("discriminator") else { return };
    let field = discriminator["propertyName"].as_str().unwrap_or_default().to_owned();
    let Some(mapping) = discriminator["mapping"].as_object() else { return };
    let words: Vec<&String> = mapping.keys().collect();
    let known = json!({"required": [field], "properties": {&field: {"enum": words}}});
    let members = mapping
        .iter()
        .map(|(word, reference)| json!({"if": {"properties": {&field: {"const": word}}}, "then": {"$ref": reference}}));
    let all: Vec<Value> = std::iter::once(known).chain(members).collect();
    object.remove("oneOf");
    object.insert("allOf".to_owned(), json!(all));
}

fn references(value: &Value) -> Vec<String> {
    match value {
        Value::Object(object) => {
            let own = object.get("$ref").and_then(Value::as_str);
            let own = own.and_then(|reference| reference.strip_prefix("#/components/schemas/")).map(ToOwned::to_owned);
            own.into_iter().chain(object.values().flat_map(references)).collect()
        }
        Value::Array(values) => values.iter().flat_map(references).collect(),
        _ => Vec::new(),
    }
}

/// Where, without the numbers of elements, and what.
fn tell(error: &jsonschema::ValidationError<'_>) -> String {
    let place = error.instance_path().to_string();
    let pieces: Vec<&str> =
        place.split('/').map(|piece| if piece.parse::<usize>().is_ok() { "*" } else { piece }).collect();
    let told: String = error.to_string().chars().take(300).collect();
    format!("{}: {told}", pieces.join("/"))
}
