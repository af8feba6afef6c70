//! What operations have in common: headers, statuses, parameters.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::{Value, json};

use super::walk::{Object, SCHEMAS, for_each_object, object_at, operations};

/// Parameters that so many operations have stand once.
pub(super) const SHARING_MINIMUM: usize = 5;

/// Name, type and meaning of the headers of answers that operations share.
const HEADERS: [(&str, &str, &str, &str); 12] = [
    ("RequestId", "X-Request-Id", "string", "The id of this request in the log of the service"),
    ("TraceId", "X-Trace-Id", "string", "The id of the trace of this request, where that is recorded"),
    ("RateLimit", "X-RateLimit-Limit", "integer", "How many requests the key may send at once"),
    ("RateLimitRemaining", "X-RateLimit-Remaining", "integer", "How many of them are left"),
    ("RateLimitReset", "X-RateLimit-Reset", "integer", "Seconds until all of them are available again"),
    ("RetryAfter", "Retry-After", "integer", "Seconds after which to try again"),
    ("Authenticate", "WWW-Authenticate", "string", "Which credentials are taken"),
    ("Replayed", "Idempotency-Replayed", "string", "`true` on the answer to a request that was carried out before"),
    ("IgnoredFields", "X-Ignored-Fields", "string", "What the body had that the service does not know: paths into it"),
    (
        "WritePosition",
        "Muster-Write-Position",
        "string",
        "Where the write stands, for requests that have to see it; sent by a service that reads from a replica",
    ),
    ("Allow", "Allow", "string", "The methods that the path takes"),
    ("Location", "Location", "string", "Where to go on"),
];

/// The headers that an answer of this status may have, in the order of the document.
struct AnswerHeaders {
    /// Requests are counted: those of a key, or of an address.
    counted: bool,
    /// The request may have a body.
    takes_body: bool,
    writes: bool,
    once: bool,
}

impl AnswerHeaders {
    fn of(&self, status: &str) -> impl Iterator<Item = (&'static str, Value)> {
        let succeeds = status.starts_with('2');
        let has = |name: &str| match name {
            "RequestId" | "TraceId" => true,
            // The key is known, and has been counted; or an address has been.
            "RateLimit" | "RateLimitRemaining" | "RateLimitReset" => {
                status == "429" || self.counted && !["401", "405", "414"].contains(&status)
            }
            // The body has been read.
            "IgnoredFields" => {
                self.takes_body && (succeeds || ["400", "403", "404", "409", "412", "422"].contains(&status))
            }
            "WritePosition" => self.writes && succeeds,
            "Replayed" => self.once && succeeds,
            "RetryAfter" => ["409", "429", "503"].contains(&status),
            "Authenticate" => status == "401",
            "Allow" => status == "405",
            "Location" => status == "303",
            _ => false,
        };
        let names: Vec<_> = HEADERS.iter().filter(|(name, ..)| has(name)).collect();
        names.into_iter().map(|(name, shown, ..)| (*shown, json!({"$ref": format!("#/components/headers/{name}")})))
    }
}

/// Who has nothing to answer answers an empty object.
pub(super) fn describe_empty_answers(document: &mut Value) {
    let nothing = json!({"application/json": {"schema": {"$ref": format!("{SCHEMAS}Nothing")}}});
    let bare = json!({"application/json": {"schema": {"type": "object"}}});
    for (_, _, operation) in operations(document) {
        let answer = operation.get_mut("responses").and_then(|responses| responses.get_mut("200")?.as_object_mut());
        let Some(answer) = answer else { continue };
        if answer.get("content").is_none_or(|content| *content == bare) {
            answer.insert("content".to_owned(), nothing.clone());
        }
    }
    if let Some(schemas) = object_at(document, &["components", "schemas"]) {
        let schema = json!({"type": "object", "description": "An empty object.", "properties": {}});
        schemas.insert("Nothing".to_owned(), schema);
    }
}

/// Headers and statuses that follow from what an operation takes.
pub(super) fn add_headers_and_statuses(document: &mut Value) {
    for (_, method, operation) in operations(document) {
        let takes = |name: &str| {
            let parameters = operation.get("parameters").and_then(Value::as_array).into_iter().flatten();
            parameters.filter_map(|parameter| parameter.get("name")).any(|own| own == name)
        };
        let guarded = operation.get("security").and_then(Value::as_array).is_some_and(|all| !all.contains(&json!({})));
        let once = takes("Idempotency-Key");
        // What is sent to an operation that reads no body is named as ignored.
        let takes_body = operation.contains_key("requestBody") || guarded && method != "get";
        let Some(responses) = operation.get_mut("responses").and_then(Value::as_object_mut) else { continue };
        let tag = responses.get("200").and_then(|ok| ok.get("headers")?.get("ETag")).cloned();
        if let (Some(tag), Some(unchanged)) = (tag, responses.get_mut("304")) {
            unchanged["headers"]["ETag"] = tag;
        }
        // Another request under its key was carried out, or is under way.
        for (status, name) in [("422", "KeyUsed"), ("409", "Conflict")] {
            if once && !responses.contains_key(status) {
                responses.insert(status.to_owned(), json!({"$ref": format!("#/components/responses/{name}")}));
            }
        }
        if takes_body && !responses.contains_key("413") {
            responses.insert("413".to_owned(), json!({"$ref": "#/components/responses/TooLarge"}));
        }
        // Where an address or a key in the body is counted, a refusal is declared.
        let counted = guarded || responses.contains_key("429");
        let headers = AnswerHeaders { counted, takes_body, writes: method != "get", once };
        for (status, response) in responses.iter_mut() {
            let Some(response) = response.as_object_mut().filter(|response| !response.contains_key("$ref")) else {
                continue;
            };
            let shown = response.entry("headers").or_insert_with(|| json!({}));
            for (name, header) in headers.of(status) {
                shown[name] = header;
            }
        }
        responses.sort_keys();
    }
    let Some(components) = object_at(document, &["components"]) else { return };
    let headers: Object = HEADERS
        .iter()
        .map(|(name, _, kind, description)| {
            ((*name).to_owned(), json!({"description": description, "schema": {"type": kind}}))
        })
        .collect();
    components.insert("headers".to_owned(), Value::Object(headers));
    let Some(responses) = components.get_mut("responses").and_then(Value::as_object_mut) else { return };
    responses.insert(
        "KeyUsed".to_owned(),
        json!({
            "description": "The `Idempotency-Key` was used for another request (422)",
            "content": {"application/problem+json": {"schema": {"$ref": format!("{SCHEMAS}Problem")}}}
        }),
    );
    let headers = AnswerHeaders { counted: true, takes_body: true, writes: false, once: false };
    for response in responses.values_mut() {
        let description = response.get("description").and_then(Value::as_str).unwrap_or_default();
        let status = description.trim_end_matches(')').rsplit('(').next().unwrap_or_default().to_owned();
        response["headers"] = headers.of(&status).map(|(name, header)| (name.to_owned(), header)).collect();
    }
}

/// Which page, and how large, is asked for in the same words everywhere; the default size is that of the operation.
pub(super) fn unify_page_parameters(document: &mut Value) {
    for (_, _, operation) in operations(document) {
        let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
        for parameter in parameters.into_iter().flatten().filter_map(Value::as_object_mut) {
            let (most, description) = match parameter.get("name").and_then(Value::as_str) {
                Some("pageNo") => (u32::MAX, "From 1, which is the default".to_owned()),
                Some("pageSize") => {
                    let description = parameter.get("description").and_then(Value::as_str).unwrap_or_default();
                    (1000, description.replace(';', ","))
                }
                _ => continue,
            };
            let schema = json!({"type": "integer", "format": "int64", "minimum": 1, "maximum": most});
            parameter.insert("description".to_owned(), json!(description));
            parameter.insert("schema".to_owned(), schema);
            parameter.shift_remove("example");
        }
    }
}

/// A parameter that many operations have in the same words stands once, among the components.
pub(super) fn share_parameters(document: &mut Value) {
    let mut counted: BTreeMap<String, (Value, usize)> = BTreeMap::new();
    for (_, _, operation) in operations(document) {
        for parameter in operation.get("parameters").and_then(Value::as_array).into_iter().flatten() {
            counted.entry(parameter.to_string()).or_insert_with(|| (parameter.clone(), 0)).1 += 1;
        }
    }
    let mut many: Vec<_> = counted.into_iter().filter(|(_, (_, count))| *count >= SHARING_MINIMUM).collect();
    // The most frequent of a name has the name alone.
    many.sort_by_key(|(_, (_, count))| std::cmp::Reverse(*count));
    let mut shared = Object::new();
    let mut references = HashMap::new();
    for (text, (parameter, _)) in many {
        let name = pascal_case(parameter.get("name").and_then(Value::as_str).unwrap_or_default());
        let free = (1..).map(|number| if number == 1 { name.clone() } else { format!("{name}{number}") });
        let Some(name) = free.into_iter().find(|name| !shared.contains_key(name)) else { continue };
        references.insert(text, json!({"$ref": format!("#/components/parameters/{name}")}));
        shared.insert(name, parameter);
    }
    for (_, _, operation) in operations(document) {
        let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
        for parameter in parameters.into_iter().flatten() {
            if let Some(reference) = references.get(&parameter.to_string()) {
                *parameter = reference.clone();
            }
        }
    }
    if let Some(components) = object_at(document, &["components"]) {
        components.insert("parameters".to_owned(), Value::Object(shared));
    }
}

/// `pageNo` and `If-Match` as `PageNo` and `IfMatch`.
fn pascal_case(name: &str) -> String {
    let mut starts = true;
    name.chars()
        .filter_map(|letter| {
            let capital = std::mem::replace(&mut starts, letter == '-');
            match letter {
                '-' => None,
                letter if capital => Some(letter.to_ascii_uppercase()),
                letter => Some(letter),
            }
        })
        .collect()
}

/// Removes the components that nothing refers to.
pub(super) fn remove_unused(document: &mut Value) {
    loop {
        let mut used: BTreeSet<String> = BTreeSet::new();
        for_each_object(document, &mut |object| {
            used.extend(object.get("$ref").and_then(Value::as_str).map(str::to_owned));
        });
        let mut dropped = false;
        for kind in ["schemas", "responses", "headers", "parameters"] {
            let Some(components) = object_at(document, &["components", kind]) else { continue };
            let before = components.len();
            components.retain(|name, _| used.contains(&format!("#/components/{kind}/{name}")));
            dropped |= components.len() < before;
        }
        if !dropped {
            return;
        }
    }
}
