//! From what was given to a request, or to everything that is wrong with it.

use reqwest::{Method, Url};
use serde_json::{Value, value::RawValue};

use crate::{
    arguments::CallArguments,
    call::{self, Request},
    connection::{self, Connection},
    content::{Content, FORM, media_type},
    operations::{Location, Operation, PAGE_SIZE},
    options::{ApiOptions, Output},
};

const IDEMPOTENCY_KEY: &str = "Idempotency-Key";
const TENANT: &str = "tenantId";
const LINES: &str = "application/x-ndjson";

/// A request, and the service that it goes to.
pub struct PreparedRequest {
    pub root: Url,
    pub call: Request,
}

/// Makes a request.
///
/// # Errors
/// Everything that is wrong, a sentence each.
pub fn prepare(
    operation: &Operation<'_>,
    mut call_arguments: CallArguments,
    options: &ApiOptions,
    connection: Result<Connection, String>,
) -> Result<(PreparedRequest, Connection), Vec<String>> {
    let mut errors = std::mem::take(&mut call_arguments.errors);
    if let Ok(tenant) = connection.as_ref().map(|found| found.tenant.clone()) {
        let needs_tenant =
            operation.parameter(TENANT).is_some() && call_arguments.parameters.iter().all(|(name, _)| name != TENANT);
        call_arguments.parameters.extend(tenant.filter(|_| needs_tenant).map(|tenant| (TENANT.to_owned(), tenant)));
    }
    // An unknown profile does not make everything missing that it would have.
    let missing = call_arguments.missing(operation, options.body.is_some());
    for name in missing.iter().filter(|name| *name != TENANT || connection.is_ok()) {
        let ways = if name == TENANT { " (or --tenant, MUSTER_TENANT, or `tenant` of a profile)" } else { "" };
        errors.push(format!("--{name} is required{ways}"));
    }
    apply_list_options(operation, &mut call_arguments, options, &mut errors);
    let content = content(operation, &mut call_arguments, options).unwrap_or_else(|error| {
        errors.push(error);
        (Content::None, None)
    });
    let caller = operation.caller.is_some();
    let connection = connection.unwrap_or_else(|error| {
        errors.push(error);
        Connection { server: None, tenant: None, key: None, secret: None, ca: None, allow_http: false }
    });
    if caller && !options.print_request && errors.is_empty() {
        for (setting, there) in [("key", connection.key.is_some()), ("secret", connection.secret.is_some())] {
            if !there {
                errors.push(connection::missing(setting));
            }
        }
    }
    let root = match &connection.server {
        Some(server) => call::root(server, connection.allow_http).map_err(|error| errors.push(error)).ok(),
        None if errors.is_empty() || !options.print_request => {
            errors.push(connection::missing("server"));
            None
        }
        None => None,
    };
    match root.filter(|_| errors.is_empty()) {
        Some(root) => {
            let call = build_request(operation, call_arguments, content, &root).map_err(|error| vec![error])?;
            Ok((PreparedRequest { root, call }, connection))
        }
        None => Err(errors),
    }
}

/// What `--all` and `--output` ask of the operation.
fn apply_list_options(
    operation: &Operation<'_>,
    call_arguments: &mut CallArguments,
    options: &ApiOptions,
    errors: &mut Vec<String>,
) {
    if options.output == Some(Output::Ndjson) && operation.row.is_none() {
        errors.push(format!("--output ndjson is for lists, and {} answers none", operation.id));
    }
    if !options.all {
        return;
    }
    if operation.row.is_none() {
        errors.push(format!("--all is for lists, and {} answers none", operation.id));
    }
    let is_given = |name: &str| call_arguments.parameters.iter().any(|(own, _)| own == name);
    for name in ["pageNo", "cursor"] {
        if is_given(name) {
            errors.push(format!("--{name} says where to begin, and --all begins at the beginning"));
        }
    }
    // Large pages are fewer; those with details are limited otherwise.
    if let (false, false, Some(most)) = (is_given(PAGE_SIZE), is_given("verbose"), operation.largest_page()) {
        call_arguments.parameters.push((PAGE_SIZE.to_owned(), most.to_string()));
    }
}

/// The body, and its media type.
fn content(
    operation: &Operation<'_>,
    call_arguments: &mut CallArguments,
    options: &ApiOptions,
) -> Result<(Content, Option<String>), String> {
    let Some(body) = &operation.body else {
        let whole = options.body.is_some();
        return if whole { Err(format!("{} takes no body", operation.id)) } else { Ok((Content::None, None)) };
    };
    let Some(name) = &options.body else {
        if options.content_type.is_some() {
            return Err("--content-type is of --body, which is not given".to_owned());
        }
        return Ok(match (operation.fields(), call_arguments.body.take()) {
            (Some((FORM, _)), Some(fields)) => (Content::Bytes(form(&fields).into_bytes()), Some(FORM.to_owned())),
            (Some((kind, _)), Some(fields)) => (Content::Bytes(fields.to_string().into_bytes()), Some(kind.to_owned())),
            (Some((kind, schema)), None) if body.required => {
                let empty: &[u8] = if schema.items().is_some() { b"[]" } else { b"{}" };
                (Content::Bytes(empty.to_vec()), Some(kind.to_owned()))
            }
            _ => (Content::None, None),
        });
    };
    if call_arguments.body.is_some() {
        return Err("--body is the whole body: leave out either it or the fields".to_owned());
    }
    let known: Vec<&str> = body.types.iter().map(|(name, _)| *name).collect();
    let by_name = media_type(name).filter(|kind| known.contains(kind));
    // Lines may be anything that is piped; an array is one by its name.
    let lines = known.iter().find(|kind| **kind == LINES).or(known.first()).copied();
    let kind = options.content_type.as_deref().or(by_name).or(lines).unwrap_or_default();
    let content = Content::open(name)?;
    if let (Content::Bytes(bytes), "application/json") = (&content, kind) {
        let checked: Result<&RawValue, _> = serde_json::from_slice(bytes);
        checked.map_err(|error| format!("--body: {name} is not JSON: {error}"))?;
    }
    Ok((content, Some(kind.to_owned())))
}

fn form(fields: &Value) -> String {
    let pairs = fields.as_object().into_iter().flatten().map(|(name, value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
        (name.as_str(), value)
    });
    // `Url` is what writes forms.
    let url = Url::parse_with_params("http://localhost", pairs);
    url.ok().and_then(|url| url.query().map(ToOwned::to_owned)).unwrap_or_default()
}

fn build_request(
    operation: &Operation<'_>,
    call_arguments: CallArguments,
    (content, kind): (Content, Option<String>),
    root: &Url,
) -> Result<Request, String> {
    let value = |location: Location| {
        let in_location = operation.parameters.iter().filter(move |one| one.location == location);
        in_location.filter_map(|one| call_arguments.parameters.iter().find(|(name, _)| name == one.name))
    };
    let mut path = operation.path.to_owned();
    let segments: Vec<String> = path
        .split_off(1)
        .split('/')
        .map(|segment| {
            // A parameter may be a part of a segment.
            value(Location::Path)
                .fold(segment.to_owned(), |segment, (name, value)| segment.replace(&format!("{{{name}}}"), value))
        })
        .collect();
    let mut url = call::below(root, segments.iter().map(String::as_str))?;
    let query: Vec<&(String, String)> = value(Location::Query).collect();
    if !query.is_empty() {
        url.query_pairs_mut().extend_pairs(query.into_iter().map(|(name, value)| (name, value)));
    }
    let mut headers: Vec<(String, String)> = value(Location::Header).cloned().collect();
    for (name, value) in &mut headers {
        // The quotes of an ETag are easily lost to a shell.
        if name == "If-Match" && value != "*" && !value.contains('"') {
            *value = format!("\"{value}\"");
        }
    }
    let method = Method::from_bytes(operation.method.as_bytes()).map_err(|error| error.to_string())?;
    if operation.parameter(IDEMPOTENCY_KEY).is_some() && headers.iter().all(|(name, _)| name != IDEMPOTENCY_KEY) {
        headers.push((IDEMPOTENCY_KEY.to_owned(), uuid::Uuid::new_v4().to_string()));
    }
    let repeatable = method == Method::GET || headers.iter().any(|(name, _)| name == IDEMPOTENCY_KEY);
    headers.extend(kind.map(|kind| ("Content-Type".to_owned(), kind)));
    Ok(Request { method, url, headers, content, repeatable, caller: operation.caller.is_some() })
}

/// A request as text, without credentials.
pub fn show(prepared: &PreparedRequest) -> String {
    let Request { method, url, headers, content, .. } = &prepared.call;
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\n")).collect();
    let body = match content {
        Content::None => String::new(),
        Content::Bytes(bytes) => match serde_json::from_slice::<Value>(bytes) {
            Ok(value) => format!("\n{value:#}\n"),
            Err(_) => format!("\n{}\n", String::from_utf8_lossy(bytes)),
        },
        Content::File(path) => format!("\n({})\n", path.display()),
        Content::Stream(_) => "\n(standard input)\n".to_owned(),
    };
    format!("{method} {url}\n{headers}{body}")
}
