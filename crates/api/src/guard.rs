//! What happens before a handler runs: method, caller, role, tenant. Deny by default.
//!
//! Which role an operation needs stands in its OpenAPI declaration and nowhere else. A request whose path and method
//! are not in that table never reaches a handler.

use std::{collections::HashMap, sync::Arc};

use actix_web::{
    HttpMessage as _, HttpRequest,
    body::{BoxBody, MessageBody},
    dev::{ServiceRequest, ServiceResponse, Url},
    http::{Method, StatusCode, Uri, header},
    middleware::Next,
};
use base::{
    problem::{Kind, Problem},
    tenant::TenantId,
};
use matchit::{Match, Router};

use crate::{
    Access, Caller, Error, Result, Role, Tenant,
    access::{Identity, Roles},
    address,
    aliases::Rewrite,
    body,
    credentials::{Credentials, read_basic},
    inbound,
    limits::Keys,
    metrics::Route,
    notice,
    operations::OperationNumber,
    paths, session, shed, spec,
    worker::WorkerState,
    write_position,
};

/// The longest URL.
const URL_LIMIT: usize = 8 << 10;

const ENDED: &str = "The session is unknown or has ended: sign in again.";

/// What the guard knows: who may call what, and whom to ask about callers.
#[derive(Clone)]
pub struct Guard {
    declared: Arc<Router<DeclaredPath>>,
    routes: Arc<Vec<Route>>,
    /// The id of each operation, in the order of its number, and the weakest role for it; [`None`] for one that is
    /// public.
    needs: Arc<Vec<(String, Option<Role>)>>,
    roles: Arc<Roles>,
    access: Arc<dyn Access>,
    keys: Option<Arc<Keys>>,
}

/// A path of the document.
struct DeclaredPath {
    below_tenant: bool,
    operations: Vec<Operation>,
}

struct Operation {
    method: Method,
    /// Its operationId.
    id: String,
    access: spec::Access,
    /// Does it change something?
    changes: bool,
    /// Are the fields of its body named as ignored, since it reads none? Not at the addresses of monitors, which are
    /// public, nor of a `GET`.
    names_body: bool,
    /// Of an alias: the way to its operation.
    rewrite: Option<Rewrite>,
    /// Its number among the routes that are counted, from 1.
    number: usize,
    /// The number of the operation whose handler answers: its own, unless it is an alias.
    handler: usize,
}

impl Guard {
    /// From the document of the server. An operation without a declared role is an error.
    pub fn new(
        document: &utoipa::openapi::OpenApi,
        access: Arc<dyn Access>,
        keys: Option<Arc<Keys>>,
    ) -> Result<Self, String> {
        let mut declared = Router::new();
        let table = spec::access_table(document)?;
        let of_path = |(pattern, methods): (&String, &Vec<spec::DeclaredOperation>)| {
            let pattern = pattern.clone();
            methods.iter().map(move |known| Route { method: known.method.clone(), pattern: pattern.clone() }).collect()
        };
        let routes: Vec<Route> = table.iter().flat_map(|path| -> Vec<Route> { of_path(path) }).collect();
        let numbers: HashMap<&Route, usize> = routes.iter().zip(1..).collect();
        let mut needs = vec![(String::new(), None); routes.len()];
        for (pattern, methods) in table {
            let mut operations = Vec::new();
            for spec::DeclaredOperation { method, id, access, changes, reads_body, of, rewrite } in methods {
                let number_of = |pattern: &str| {
                    let route = Route { method: method.clone(), pattern: pattern.to_owned() };
                    numbers.get(&route).copied().ok_or_else(|| format!("there is no {method} {pattern}"))
                };
                let target = of.as_deref().unwrap_or(&pattern);
                let number = number_of(&pattern)?;
                let handler = number_of(target)?;
                let role = match access {
                    spec::Access::Role { role, .. } => Some(role),
                    spec::Access::Public => None,
                };
                needs[number - 1] = (id.clone(), role);
                let names_body = !reads_body && role.is_some() && method != Method::GET;
                operations.push(Operation { method, id, access, changes, names_body, rewrite, number, handler });
            }
            let below_tenant = pattern.starts_with(paths::TENANT_PREFIX);
            let inserted = declared.insert(&*pattern, DeclaredPath { below_tenant, operations });
            inserted.map_err(|error| format!("{pattern}: {error}"))?;
        }
        let roles = Arc::new(spec::roles(document)?);
        let declared = Arc::new(declared);
        let routes = Arc::new(routes);
        let needs = Arc::new(needs);
        Ok(Self { declared, routes, needs, roles, access, keys })
    }

    /// Every operation, in the order of its number.
    pub fn routes(&self) -> Vec<Route> {
        self.routes.to_vec()
    }

    /// The weakest role for each operation that is not public.
    pub fn roles(&self) -> &Roles {
        &self.roles
    }

    /// Who knows the callers.
    pub(crate) fn access(&self) -> &dyn Access {
        &*self.access
    }

    /// Counts a request of a key, or refuses it: for the operations that learn by themselves whose request it is, the
    /// token endpoint and inbound addresses.
    pub fn count(&self, request: &HttpRequest, key_id: &String) -> Result<(), Problem> {
        let Some(keys) = &self.keys else { return Ok(()) };
        let left = keys.check(key_id).inspect_err(|_| {
            let behind_proxy = request.app_data::<WorkerState>().is_some_and(|worker| worker.behind_proxy);
            notice::throttled(address::of(request, behind_proxy), key_id);
        })?;
        if let Some(ticket) = shed::current() {
            ticket.quota.set(Some(left));
        }
        Ok(())
    }

    /// Lets a request pass to the operation that is answered, or refuses it. That to an alias passes under the address
    /// of its operation.
    async fn admit(&self, request: &ServiceRequest) -> Result<Option<AdmittedRoute<'_>>> {
        if request.uri().path_and_query().is_some_and(|p| p.as_str().len() > URL_LIMIT) {
            let detail = format!("The URL is longer than {URL_LIMIT} bytes.");
            return Err(Problem::new(Kind::UriTooLong, detail).into());
        }
        // A NUL is in no id, and some databases choke on it.
        let path = routed_path(request);
        if path.contains('\0') || path.contains("%00") {
            let tenant = tenant_of(path);
            return Err(if tenant.is_some() { unknown_path() } else { unknown_tenant() });
        }
        let ticket = shed::current();
        let begin = || async { if let Some(ticket) = &ticket { ticket.begin().await } else { Ok(()) } };
        let Ok(Match { value: declared, params }) = self.declared.at(path) else {
            // Only what is served outside the interface (the reference page, health) may pass undeclared.
            if path.starts_with("/api/") {
                return Err(unknown_path());
            }
            begin().await?;
            return Ok(None);
        };
        let method = request.method();
        let mut known = declared.operations.iter().filter(|known| known.method == method);
        let is_head = request.extensions().contains::<HeadRequest>();
        let Some(operation) = known.find(|known| !(is_head && known.changes)) else {
            let mut problem = Problem::new(Kind::MethodNotAllowed, "This path does not take that method.");
            let known = declared.operations.iter().map(|known| known.method.as_str().to_owned());
            let reads = |known: &&Operation| known.method == Method::GET && !known.changes;
            let head = declared.operations.iter().find(reads).map(|_| "HEAD".to_owned());
            problem.allow = known.chain(head).collect();
            return Err(problem.into());
        };
        if let Some(ticket) = &ticket {
            ticket.route.set(operation.number);
        }
        let uri = operation.rewrite.as_ref().and_then(|rewrite| rewrite.apply(request.uri()));
        let params = params.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let route = Some(AdmittedRoute { operation, uri, params });
        let spec::Access::Role { role: needed, .. } = operation.access else {
            begin().await?;
            return Ok(route);
        };
        let caller = self.caller(request, operation).await?;
        self.count(request.request(), &caller.key_id)?;
        if let (Some(ticket), Some(worker)) = (&ticket, request.app_data::<WorkerState>()) {
            ticket.set_party(worker.keys.party(&worker.gate, &caller));
            *ticket.caller.borrow_mut() = Some(Arc::clone(&caller));
            let position = write_position::of(request.headers());
            let is_report = inbound::is_address(request.path());
            ticket.least_position.set(if is_report { position.ok().flatten() } else { position? });
        }
        begin().await?;
        if declared.below_tenant {
            let tenant = self.tenant(request, &caller).await?;
            request.extensions_mut().insert(tenant);
        }
        let params = route.as_ref().map(|route| route.params.as_slice()).unwrap_or_default();
        check_permission(&caller, operation, needed, params)?;
        request.extensions_mut().insert(caller);
        Ok(route)
    }

    /// Does a 401 of the operation ask for key and secret, beside a token?
    fn asks_for_basic(&self, request: &ServiceRequest) -> bool {
        let declared = self.declared.at(routed_path(request)).ok();
        let operations = declared.map(|matched| &matched.value.operations);
        let operation = operations.and_then(|known| known.iter().find(|known| known.method == request.method()));
        matches!(operation, Some(Operation { access: spec::Access::Role { challenge: true, .. }, .. }))
    }

    async fn caller(&self, request: &ServiceRequest, operation: &Operation) -> Result<Arc<Caller>> {
        let Some(credentials) = Credentials::of(request.request())? else {
            return Err(unauthenticated("A bearer token is needed: get one at /auth/oauth/token."));
        };
        let is_session = credentials.is_session();
        let unknown = || if is_session { unauthenticated(ENDED) } else { unknown_caller() };
        let (identity, key) = self.identify(&credentials).await?;
        match identity {
            Identity::Caller(caller) => {
                if is_session && operation.changes {
                    check_session_change(request, operation)?;
                }
                Ok(caller)
            }
            Identity::Suspended => {
                let what = if is_session { "session" } else { "key" };
                Err(Problem::forbidden(format!("The tenant of this {what} is suspended.")).into())
            }
            Identity::Expired => Err(unknown()),
            Identity::Unknown => {
                let throttled = self.access.refused(request.request(), key.as_deref());
                Err(throttled.map_or_else(unknown, Error::from))
            }
        }
    }

    /// Who shows these credentials; and the key, of those that are key and secret.
    async fn identify(&self, credentials: &Credentials) -> Result<(Identity, Option<String>)> {
        let value = match credentials {
            Credentials::Authorization(value) => value,
            Credentials::Session(token) => return Ok((self.access.session(token.expose()).await?, None)),
        };
        let text = value.to_str().unwrap_or("");
        let (scheme, rest) = text.split_once(' ').unwrap_or((text, ""));
        if scheme.eq_ignore_ascii_case("bearer") {
            return Ok((self.access.bearer(rest.trim()).await?, None));
        }
        match read_basic(rest).filter(|_| scheme.eq_ignore_ascii_case("basic")) {
            Some((key, secret)) => Ok((self.access.basic(&key, secret).await?, Some(key))),
            None => Err(unknown_caller()),
        }
    }

    /// Would a request with these credentials be let in again, to the same operation at the same tenant? It is not
    /// counted.
    ///
    /// # Errors
    /// When nobody knows now, since the database is away.
    pub(crate) async fn still_admits(
        &self,
        credentials: &Credentials,
        AdmittedOperation(number): AdmittedOperation,
        tenant: Option<&TenantId>,
    ) -> Result<bool> {
        let Some((id, Some(role))) = number.checked_sub(1).and_then(|place| self.needs.get(place)) else {
            return Ok(true);
        };
        let (Identity::Caller(caller), _) = self.identify(credentials).await? else { return Ok(false) };
        let may = match &caller.limit {
            // What it was let in to besides its own operations was a read.
            Some(_) => *role == Role::Viewer || caller.may(id),
            None => caller.role >= *role && caller.may(id),
        };
        if !may {
            return Ok(false);
        }
        let Some(tenant) = tenant else { return Ok(true) };
        Ok(self.access.tenant(tenant).await?.is_some_and(|tenant| caller.sees(&tenant)))
    }

    async fn tenant(&self, request: &ServiceRequest, caller: &Caller) -> Result<Arc<Tenant>> {
        let Some(id) = tenant_of(routed_path(request)) else { return Err(unknown_tenant()) };
        let tenant = self.access.tenant(&id).await?;
        let tenant = tenant.filter(|tenant| caller.sees(tenant)).ok_or_else(unknown_tenant)?;
        if caller.limit.is_none() || tenant.clients.is_empty() {
            return Ok(tenant);
        }
        // A session that is limited to a partner reads the partner's own records.
        Ok(Arc::new(Tenant { clients: Vec::new(), ..Tenant::clone(&tenant) }))
    }
}

/// Ends the session that asks, whatever it is limited to.
const END_SESSION: &str = "endSession";

/// Refuses an operation that the caller's role, the restriction of its key or the limit of its session does not allow.
fn check_permission(
    caller: &Caller,
    operation: &Operation,
    needed: Role,
    params: &[(String, String)],
) -> Result<(), Problem> {
    if let Some(limit) = &caller.limit {
        let (name, subject) = limit.subject.parameter();
        let names_subject = params.iter().any(|(param, value)| param == name && value == subject);
        let reads = needed == Role::Viewer && !operation.changes;
        if reads || operation.id == END_SESSION || (caller.may(&operation.id) && names_subject) {
            return Ok(());
        }
        let detail = format!(
            "This session began by the link of a page: it reads, and answers {subject} as the role of its user \
             allows. Sign in for more."
        );
        return Err(Problem::forbidden(detail));
    }
    if caller.role < needed {
        let detail = format!("This operation needs the role {needed}; the caller has the role {}.", caller.role);
        return Err(Problem::forbidden(detail));
    }
    if !caller.may(&operation.id) {
        let detail = format!("This key is restricted to certain operations, and {} is not one of them.", operation.id);
        return Err(Problem::forbidden(detail));
    }
    Ok(())
}

/// What changes something has to come from a page of ours, and a page sends no `GET` for it: a link is a `GET` as well,
/// regardless of its author.
fn check_session_change(request: &ServiceRequest, operation: &Operation) -> Result<(), Problem> {
    if operation.method == Method::GET {
        let detail = "This operation changes something: with a session it is not done by GET. Use POST, or a key.";
        return Err(Problem::forbidden(detail));
    }
    session::check_ours(request.request())
}

/// The number of the operation that a request was let in to.
#[derive(Clone, Copy)]
pub(crate) struct AdmittedOperation(usize);

/// Where a request goes on.
struct AdmittedRoute<'g> {
    operation: &'g Operation,
    /// The address of the operation, of which the request named an alias.
    uri: Option<Uri>,
    /// The parameters of its path, by name.
    params: Vec<(String, String)>,
}

impl AdmittedRoute<'_> {
    /// Tells the request whose it is, and what its path says.
    fn apply_to(self, request: &mut ServiceRequest) {
        if let Some(uri) = self.uri {
            request.match_info_mut().set(Url::new(uri.clone()));
            request.head_mut().uri = uri;
        }
        for (name, value) in self.params {
            request.match_info_mut().add_static(name, value);
        }
        request.extensions_mut().insert(OperationNumber(self.operation.handler));
        request.extensions_mut().insert(AdmittedOperation(self.operation.number));
    }
}

/// The path as handlers see it, in which `%65` is `e`.
fn routed_path(request: &ServiceRequest) -> &str {
    request.match_info().as_str()
}

/// The fifth piece of `/api/v2/tenants/{tenantId}`.
pub(crate) fn tenant_of(path: &str) -> Option<TenantId> {
    path.split('/').nth(4).and_then(TenantId::parse)
}

fn unauthenticated(detail: &str) -> Error {
    Problem::new(Kind::Unauthenticated, detail).into()
}

fn unknown_caller() -> Error {
    unauthenticated("The token is unknown, expired or revoked.")
}

fn unknown_tenant() -> Error {
    Problem::not_found("The tenant was not found.").into()
}

fn unknown_path() -> Error {
    Problem::not_found("The path was not found. The reference is at /docs.").into()
}

/// Marks a request that asked for the head of an answer alone. A `GET` that changes something has none.
struct HeadRequest;

/// The middleware around every operation. A refusal is answered here; the router never runs.
pub async fn middleware(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let Some(guard) = request.app_data::<Guard>().cloned() else {
        return Ok(request.error_response(Error(db::Error::Fault("a server without guard".to_owned()))));
    };
    if request.method() == Method::HEAD {
        // The protocol layer knows and sends no body.
        request.head_mut().method = Method::GET;
        request.extensions_mut().insert(HeadRequest);
    }
    match guard.admit(&request).await {
        Ok(route) => {
            let names_body = route.as_ref().is_some_and(|route| route.operation.names_body);
            if let Some(route) = route {
                route.apply_to(&mut request);
            }
            if names_body && let Err(refusal) = body::name_fields(&mut request).await {
                return Ok(request.error_response(refusal));
            }
            Ok(next.call(request).await?.map_into_boxed_body())
        }
        Err(refusal) => {
            let asks_for_basic = guard.asks_for_basic(&request);
            let is_agent = is_agent(request.headers());
            body::discard_small(&mut request).await;
            let mut response = request.error_response(refusal);
            if response.status() == StatusCode::UNAUTHORIZED && asks_for_basic {
                // An agent sends its key and secret once it is asked for them; some agents read the first challenge
                // only.
                let challenge = header::HeaderValue::from_static("Basic realm=\"muster\"");
                if is_agent {
                    response.headers_mut().remove(header::WWW_AUTHENTICATE);
                }
                response.headers_mut().append(header::WWW_AUTHENTICATE, challenge);
            }
            Ok(response)
        }
    }
}

/// Is this one of the inventory agents (`FusionInventory-Agent_v2.6`, `GLPI-Agent_v1.7`)?
fn is_agent(headers: &header::HeaderMap) -> bool {
    let name = headers.get(header::USER_AGENT).and_then(|name| name.to_str().ok()).unwrap_or("");
    name.starts_with("FusionInventory-Agent") || name.starts_with("GLPI-Agent")
}
