//! The OpenAPI document, collected from the routes themselves, and what every operation has in common.

mod limits;
mod published;
mod texts;

use std::collections::{BTreeMap, BTreeSet};

use actix_web::http::Method;
use serde::Serialize;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        Components, Content, ContentBuilder, Header, HeaderBuilder, Info, License, OpenApi, OpenApiBuilder, PathItem,
        Ref, RefOr, Required, ResponseBuilder,
        path::{Operation, Parameter, ParameterBuilder, ParameterIn},
        schema::{ObjectBuilder, Type},
        security::{
            ApiKey, ApiKeyValue, ClientCredentials, Flow, HttpAuthScheme, HttpBuilder, OAuth2, Scopes,
            SecurityRequirement, SecurityScheme,
        },
        tag::TagBuilder,
    },
};

pub use self::{
    limits::{limit, requiring},
    published::{in_3_0, published},
    texts::{Time, described, integer, of_form, one_of},
};
use crate::{Domain, Role, Routes, access::Roles, aliases, aliases::Rewrite, paths};

/// Where the OpenAPI document is.
pub const PATH: &str = "/openapi.json";

/// Where the same document is in OpenAPI 3.0.3.
pub const PATH_IN_3_0: &str = "/openapi-3.0.json";

/// Where tokens are.
const TOKENS: &str = "/auth/oauth/token";

/// What went wrong, in the shape of every error (RFC 9457).
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "type": "about:blank", "title": "Invalid request", "status": 400,
    "detail": "pageSize: must be between 1 and 1000", "code": "0002", "message": "pageSize: must be between 1 and 1000",
    "requestId": "b7e1c9d04f6a4f0f9a3a1c5f0a8d2e11",
    "errors": [{"code": "0002", "fieldName": "pageSize", "message": "must be between 1 and 1000"}]
}))]
pub struct Problem {
    /// Always `about:blank`: the status says what kind of problem it is.
    #[schema(rename = "type", pattern = "^about:blank$")]
    pub r#type: String,
    /// The status in words.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// What is wrong with this request.
    pub detail: String,
    /// A stable code: `0002` invalid, `0003` not found, `0004` conflict, `0005` failure, `0006` forbidden,
    /// `invalid_token`, `throttled`.
    #[schema(pattern = "^(0002|0003|0004|0005|0006|invalid_token|throttled)$")]
    pub code: String,
    /// The same as `detail`.
    pub message: String,
    /// The id of this request in the log of the service.
    pub request_id: String,
    /// Every invalid field, not only the first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ProblemField>,
}

/// One invalid field of a request.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProblemField {
    /// `0002`; of a row of a bulk request the code that the operation of one record would answer.
    #[schema(pattern = "^(0002|0003|0004|0005|0006)$")]
    pub code: String,
    /// The field's path in the body, or the parameter's name.
    pub field_name: String,
    /// What is wrong with it.
    pub message: String,
}

/// The envelope of a paged search, for the document; `base::page::Page` is what is sent.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "`base`, which makes pages, knows no documents; tests hold each page against this")]
pub struct PageOf<T> {
    /// The records of the page.
    results: Vec<T>,
    /// How many records match in all.
    total_results: i64,
    /// From 1.
    page_no: i64,
    /// The page size used.
    page_size: i64,
    /// 0 when nothing matches.
    total_pages: i64,
    /// Is there a further page?
    next_page: bool,
    /// 0 on the first page.
    previous_page_no: Option<i64>,
    /// The sort key used.
    order_by: Option<String>,
    /// Largest first?
    descending_order: bool,
    /// Where the next page starts; there whenever `nextPage` is true. To be sent back as `cursor`.
    next_cursor: Option<String>,
}

/// The document of one or more domains.
pub fn document(title: &str, domains: &[Domain]) -> OpenApi {
    let mut collected = empty_document(title);
    for domain in domains {
        (domain.root_routes)(&mut Routes::of_document(&mut collected, "", domain.default_tag()));
    }
    for domain in domains {
        (domain.routes)(&mut Routes::of_document(&mut collected, paths::TENANT_PREFIX, domain.default_tag()));
    }
    domains.iter().for_each(|domain| aliases::declare(&mut collected, domain.aliases));
    collected.tags = Some(used_tags(&collected, domains));
    complete(collected)
}

/// What of the document a server needs to know who may call what: the operations, without what their bodies are, which
/// takes a tenth of the time.
pub fn operations(domains: &[Domain]) -> OpenApi {
    let mut collected = empty_document("");
    for domain in domains {
        (domain.root_routes)(&mut Routes::of_operations(&mut collected, "", domain.default_tag()));
        (domain.routes)(&mut Routes::of_operations(&mut collected, paths::TENANT_PREFIX, domain.default_tag()));
    }
    domains.iter().for_each(|domain| aliases::declare(&mut collected, domain.aliases));
    collected
}

/// The headings that operations stand under, in the order of the domains. Domains may share one: the first describes
/// it.
fn used_tags(document: &OpenApi, domains: &[Domain]) -> Vec<utoipa::openapi::Tag> {
    let operations = document.paths.paths.values().flat_map(operations_of);
    let used: BTreeSet<&String> = operations.flat_map(|(_, operation)| operation.tags.iter().flatten()).collect();
    let mut tags: Vec<utoipa::openapi::Tag> = Vec::new();
    for tag in domains.iter().flat_map(|domain| domain.tags) {
        if used.iter().any(|name| *name == tag.name) && tags.iter().all(|known| known.name != tag.name) {
            tags.push(TagBuilder::new().name(tag.name).description(Some(tag.description)).build());
        }
    }
    tags
}

fn empty_document(title: &str) -> OpenApi {
    let info = Info::builder()
        .title(title)
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(
            "Every path of a tenant starts with `/api/v2/tenants/{tenantId}`. Get a token at `/auth/oauth/token`, send \
             it as `Authorization: Bearer …`. Times are GMT, `2026-11-20T20:37:00+0000`.",
        ))
        .license(Some(License::new("Apache-2.0")))
        .build();
    OpenApiBuilder::new().info(info).build()
}

/// Adds what every operation has: the tenant parameter, the security scheme, the problem responses.
fn complete(mut document: OpenApi) -> OpenApi {
    let components = document.components.get_or_insert_with(Components::new);
    let bearer = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some("A token from `/auth/oauth/token`. The scope named at an operation is the role it needs."))
        .build();
    let basic = HttpBuilder::new()
        .scheme(HttpAuthScheme::Basic)
        .description(Some("Key and secret of an API key, taken wherever a token is."))
        .build();
    let session = ApiKeyValue::with_description(
        "muster_session",
        "The cookie of somebody who signed in, `__Host-muster_session` where it is encrypted. What changes something \
         has \
         to come from a page of the service.",
    );
    let key_and_secret = ClientCredentials::new(TOKENS, Scopes::new());
    let key_and_secret = OAuth2::with_description(
        [Flow::ClientCredentials(key_and_secret)],
        "Key and secret of an API key, for which the page gets tokens by itself.",
    );
    components.add_security_scheme("clientCredentials", SecurityScheme::OAuth2(key_and_secret));
    components.add_security_scheme("session", SecurityScheme::ApiKey(ApiKey::Cookie(session)));
    components.add_security_scheme("bearer", SecurityScheme::Http(bearer));
    components.add_security_scheme("basic", SecurityScheme::Http(basic));
    components.schemas.insert("Problem".to_owned(), Problem::schema());
    components.schemas.insert("ProblemField".to_owned(), ProblemField::schema());
    for (status, name, description) in PROBLEMS {
        let response =
            ResponseBuilder::new().description(format!("{description} ({status})")).content(PROBLEM, problem()).build();
        components.responses.insert(name.to_owned(), RefOr::T(response));
    }
    let versioned = versioned_schemas(&mut document);
    for (path, item) in &mut document.paths.paths {
        for (method, operation) in operations_mut(item) {
            complete_operation(path, operation);
            add_headers(path, &method, operation);
            add_etag(operation, &versioned);
        }
    }
    document
}

/// The schema that an operation answers, where that is one alone.
fn response_schema(operation: &Operation) -> Option<&str> {
    let Some(RefOr::T(answer)) = operation.responses.responses.get("200") else { return None };
    answer.content.values().find_map(|content| match content {
        RefOr::T(Content { schema: Some(RefOr::Ref(reference)), .. }) => Some(reference.ref_location.as_str()),
        _ => None,
    })
}

/// The schemas of records that have a version: those that are read one by one, by an id at the end of the path.
fn versioned_schemas(document: &mut OpenApi) -> BTreeSet<String> {
    let items = document.paths.paths.iter_mut();
    let items = items.filter(|(path, _)| path.starts_with(paths::TENANT_PREFIX) && path.ends_with("Id}"));
    let reads = items.filter_map(|(_, item)| response_schema(item.get.as_ref()?).map(str::to_owned));
    reads.collect()
}

/// The version of a record is on each answer that shows the record.
fn add_etag(operation: &mut Operation, versioned: &BTreeSet<String>) {
    if !response_schema(operation).is_some_and(|schema| versioned.contains(schema)) {
        return;
    }
    if let Some(RefOr::T(answer)) = operation.responses.responses.get_mut("200") {
        answer.headers.insert("ETag".to_owned(), RefOr::T(etag()));
    }
}

fn etag() -> Header {
    let text = ObjectBuilder::new().schema_type(Type::String);
    HeaderBuilder::new().schema(Some(text)).description(Some("The version of the record, for `If-Match`")).build()
}

/// The content type of a problem.
const PROBLEM: &str = "application/problem+json";

fn problem() -> Content {
    ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).build()
}

/// Status, name of the component, when.
const PROBLEMS: [(&str, &str, &str); 13] = [
    ("400", "Invalid", "A field, parameter or body is invalid or missing; `errors` names each"),
    ("401", "Unauthenticated", "No token, or an unknown, expired or revoked one"),
    ("403", "Forbidden", "The key's role does not allow this, or its tenant is suspended"),
    ("404", "NotFound", "Unknown, or of another tenant"),
    ("405", "MethodNotAllowed", "The path does not take this method"),
    (
        "409",
        "Conflict",
        "The name is taken, the state does not allow it, or the first request under its key is under way",
    ),
    ("412", "PreconditionFailed", "`If-Match` names another version; nothing was changed"),
    ("413", "TooLarge", "The body is too large"),
    ("414", "UriTooLong", "The URL is too long"),
    ("415", "UnsupportedMediaType", "The content type is not one that this operation reads"),
    ("429", "Throttled", "Too many requests; `Retry-After` says when to try again"),
    ("500", "Internal", "A fault of the service"),
    ("503", "Unavailable", "Overloaded, or the database is away; `Retry-After` says when to try again"),
];

fn complete_operation(path: &str, operation: &mut Operation) {
    if path.contains("{tenantId}") {
        let tenant = ParameterBuilder::new()
            .name("tenantId")
            .parameter_in(ParameterIn::Path)
            .required(Required::True)
            .description(Some("`msp_<number>` for a partner, `client_<number>` for a client"))
            .schema(Some(
                ObjectBuilder::new().schema_type(Type::String).pattern(Some("^(msp|client)_[1-9][0-9]{0,17}$")),
            ))
            .example(Some(serde_json::json!("client_1")))
            .build();
        let parameters = operation.parameters.get_or_insert_default();
        parameters.retain(|parameter| !matches!(parameter, RefOr::T(known) if known.name == "tenantId"));
        parameters.insert(0, RefOr::T(tenant));
    }
    remove_duplicate_parameters(operation.parameters.get_or_insert_default());
    let role = access_of(operation);
    if let (Ok(Access::Role { challenge: false, .. }), Some(requirements)) = (&role, &mut operation.security) {
        for scheme in ["basic", "session", "clientCredentials"] {
            requirements.push(SecurityRequirement::new::<_, [&str; 0], &str>(scheme, []));
        }
    }
    let mut statuses = vec!["400", "405", "414", "500", "503"];
    if path.contains("{tenantId}") {
        statuses.push("404");
    }
    if matches!(role, Ok(Access::Role { .. })) {
        statuses.extend(["401", "403", "429"]);
    } else if !path.starts_with("/auth/") {
        // It learns by itself who asks, from a token in the path or in a header of another service.
        statuses.push("429");
    }
    if operation.request_body.is_some() {
        statuses.push("413");
        // The token endpoint answers 400 to another type, as its own standard has it.
        if !matches!(role, Ok(Access::Public)) {
            statuses.push("415");
        }
    }
    for (status, response) in &mut operation.responses.responses {
        // What an operation says of a refusal is when; that it is a problem goes without saying.
        if let RefOr::T(response) = response
            && status.starts_with(['4', '5'])
            && response.content.is_empty()
        {
            response.content.insert(PROBLEM.to_owned(), RefOr::T(problem()));
        }
    }
    for (status, name, _) in PROBLEMS {
        let declared = operation.responses.responses.contains_key(status);
        if statuses.contains(&status) && !declared {
            let reference = Ref::new(format!("#/components/responses/{name}"));
            operation.responses.responses.insert(status.to_owned(), RefOr::Ref(reference));
        }
    }
}

/// Of a parameter that is declared twice, by the type of an id and by the handler's own arguments, keeps the first.
fn remove_duplicate_parameters(parameters: &mut Vec<RefOr<Parameter>>) {
    let mut known: Vec<(String, ParameterIn)> = Vec::new();
    parameters.retain(|parameter| {
        let RefOr::T(Parameter { name, parameter_in, .. }) = parameter else { return true };
        let is_new = !known.iter().any(|(other, place)| other == name && place == parameter_in);
        known.push((name.clone(), parameter_in.clone()));
        is_new
    });
}

/// The headers that operations share: safe retries of every POST, the change set of every write, versions of what is
/// changed and read one by one.
fn add_headers(path: &str, method: &Method, operation: &mut Operation) {
    let is_write = method != Method::GET || declares_change(operation);
    let text = || ObjectBuilder::new().schema_type(Type::String);
    let mut parameter = |name: &str, description: &str, schema: ObjectBuilder| {
        let header = ParameterBuilder::new()
            .name(name)
            .parameter_in(ParameterIn::Header)
            .required(Required::False)
            .description(Some(description))
            .schema(Some(schema))
            .build();
        operation.parameters.get_or_insert_default().push(RefOr::T(header));
    };
    if method == Method::POST && path.contains("{tenantId}") {
        let description = "The request is carried out once under this key, and answered the same for 24 hours; what \
                           only reads is read again";
        let key = text().min_length(Some(1)).max_length(Some(255)).pattern(Some("^[!-~]+$"));
        parameter("Idempotency-Key", description, key);
    }
    if is_write && path.contains("{tenantId}") {
        let description = "Requests of a caller with one name within 24 hours are one change set";
        let name = text().min_length(Some(1)).max_length(Some(100)).pattern(Some("^[!-~]([ -~]*[!-~])?$"));
        parameter("X-Change-Set", description, name);
    }
    if operation.responses.responses.contains_key("412") {
        parameter(
            "If-Match",
            "The `ETag` of what was read: the request is refused if somebody has changed it since",
            text().pattern(Some("^(\\*|(W/)?\"[^\",]*\")$")),
        );
    }
}

/// Who may call an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Anybody: `security(())`.
    Public,
    /// A caller with at least this role: `security(("bearer" = ["operator"]))`. Key and secret are taken in place of a
    /// token, and `("basic" = ["challenge"])` beside it says that a 401 asks for them as well; a browser would then ask
    /// its user.
    Role {
        /// The weakest role that may call.
        role: Role,
        /// Does a 401 ask for key and secret?
        challenge: bool,
    },
}

/// The extension of a `GET` that changes something.
const CHANGES: &str = "x-changes";

fn declares_change(operation: &Operation) -> bool {
    let extensions = operation.extensions.as_ref();
    extensions.and_then(|known| known.get(CHANGES)).is_some_and(|value| value.as_bool() == Some(true))
}

fn access_of(operation: &Operation) -> Result<Access, String> {
    let id = operation.operation_id.as_deref().unwrap_or("?");
    let declared = serde_json::to_value(&operation.security).map_err(|error| error.to_string())?;
    let requirements = declared.as_array().ok_or_else(|| format!("operation {id} declares no security"))?;
    let mut found = None;
    let challenge = requirements.iter().any(|requirement| requirement["basic"][0] == "challenge");
    for requirement in requirements {
        match requirement.get("bearer") {
            Some(scopes) => {
                let word = scopes.get(0).and_then(|s| s.as_str()).unwrap_or("");
                let role = Role::parse(word).ok_or_else(|| format!("operation {id} declares no known role"))?;
                found = Some(Access::Role { role, challenge });
            }
            None if requirement.as_object().is_some_and(serde_json::Map::is_empty) => {
                found = found.or(Some(Access::Public));
            }
            None => {}
        }
    }
    found.ok_or_else(|| format!("operation {id} declares no role"))
}

/// An operation as a guard needs it.
#[derive(Debug)]
pub struct DeclaredOperation {
    /// How it is called.
    pub method: Method,
    /// Its operationId.
    pub id: String,
    /// Who may call it.
    pub access: Access,
    /// Does it change something? An operation other than `GET` may, and a `GET` that says so (`x-changes`).
    pub changes: bool,
    /// Does it say that it reads a body?
    pub(crate) reads_body: bool,
    /// Of an alias: the path of its operation.
    pub(crate) of: Option<String>,
    /// Of an alias: the way to its operation.
    pub(crate) rewrite: Option<Rewrite>,
}

impl DeclaredOperation {
    /// Is it a further path of another operation?
    pub fn is_alias(&self) -> bool {
        self.rewrite.is_some()
    }
}

/// The weakest role for each operation of a document that is not public.
pub fn roles(document: &OpenApi) -> Result<Roles, String> {
    let all = access_table(document)?.into_values().flatten();
    let guarded = all.filter_map(|operation| match operation.access {
        Access::Role { role, .. } => Some((operation.id, role)),
        Access::Public => None,
    });
    Ok(guarded.collect())
}

/// Every operation of a document: path pattern, methods, and who may call each. An operation that does not say is an
/// error: the server does not start with it.
pub fn access_table(document: &OpenApi) -> Result<BTreeMap<String, Vec<DeclaredOperation>>, String> {
    let mut table = BTreeMap::new();
    for (path, item) in &document.paths.paths {
        let mut declared = Vec::new();
        for (method, operation) in operations_of(item) {
            let of = aliases::target(operation);
            let rewrite = of.map(|of| Rewrite::new(path, of)).transpose()?;
            let of = of.map(str::to_owned);
            let id =
                operation.operation_id.clone().ok_or_else(|| format!("an operation of {path} has no operationId"))?;
            let changes = method != Method::GET || declares_change(operation);
            let access = access_of(operation)?;
            let reads_body = operation.request_body.is_some();
            declared.push(DeclaredOperation { method, id, access, changes, reads_body, of, rewrite });
        }
        table.insert(path.clone(), declared);
    }
    Ok(table)
}

/// The operations of a path, with their methods.
fn operations_of(item: &PathItem) -> impl Iterator<Item = (Method, &Operation)> {
    let pairs = [
        (Method::GET, &item.get),
        (Method::POST, &item.post),
        (Method::PUT, &item.put),
        (Method::PATCH, &item.patch),
        (Method::DELETE, &item.delete),
    ];
    pairs.into_iter().filter_map(|(method, operation)| Some((method, operation.as_ref()?)))
}

/// The same, to be changed.
pub fn operations_mut(item: &mut PathItem) -> Vec<(Method, &mut Operation)> {
    let pairs = [
        (Method::GET, item.get.as_mut()),
        (Method::POST, item.post.as_mut()),
        (Method::PUT, item.put.as_mut()),
        (Method::PATCH, item.patch.as_mut()),
        (Method::DELETE, item.delete.as_mut()),
    ];
    pairs.into_iter().filter_map(|(method, operation)| Some((method, operation?))).collect()
}
