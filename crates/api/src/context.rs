//! What a handler knows before it starts: who asks, for which tenant, when, and where the data is.

use std::{
    collections::HashSet,
    future::{Ready, ready},
    ops::Deref,
    sync::Arc,
};

use actix_web::{FromRequest, HttpMessage as _, HttpRequest, HttpResponse, dev::Payload, http::header, web};
use base::{
    problem::{Kind, Problem},
    query::Query,
    timestamp::Timestamp,
};
use db::Db;
use futures_util::future::LocalBoxFuture;
use outbox::SetMembership;
use serde_json::Value;
use utoipa::{
    PartialSchema as _,
    openapi::{
        RefOr, Required,
        path::{Parameter, ParameterBuilder, ParameterIn},
        schema::{ObjectBuilder, Schema, Type},
    },
};

use crate::{
    Answer, Caller, Error, Result, Tenant,
    access::Roles,
    answer,
    body::{change_set_name, idempotency_key},
    clock,
    guard::Guard,
};

/// What the ids of inbound addresses begin with.
const INBOUND: &str = "INB-";

/// Who asks, for which tenant, and when: what the work of a request takes along to another thread.
#[derive(Clone)]
pub struct RequestScope {
    /// Who asks.
    pub caller: Arc<Caller>,
    /// The tenant of the path.
    pub tenant: Arc<Tenant>,
    /// When the request was taken up.
    pub now: Timestamp,
    /// What `If-Match` says.
    if_match: IfMatch,
    /// What `X-Change-Set` says.
    change_set: Option<String>,
    /// The change set that it undoes.
    undoes: Option<UndoTarget>,
}

/// A change set that a request undoes.
#[derive(Clone)]
struct UndoTarget {
    set: String,
    /// Kinds and ids of what is restored.
    objects: Arc<HashSet<(String, String)>>,
}

/// A version that the caller's `If-Match` names; `None` when there is none or it is `*`. Refused when it cannot be
/// read.
type IfMatch = Result<Option<i64>, Box<Problem>>;

impl RequestScope {
    fn of(request: &HttpRequest, caller: Arc<Caller>, tenant: Arc<Tenant>) -> Result<Self> {
        let if_match = if_match(request).map_err(Box::new);
        let change_set = change_set_name(request)?;
        Ok(Self { caller, tenant, now: clock::now(), if_match, change_set, undoes: None })
    }

    /// The change set that what this request writes belongs to, where people or programs ask for it: what is reported
    /// to an inbound address is none.
    pub(crate) fn change_set(&self, in_parts: bool) -> Option<SetMembership> {
        let is_report = self.caller.key_id.starts_with(INBOUND);
        (!is_report).then(|| SetMembership {
            tenant_id: self.tenant.id.to_string(),
            name: self.change_set.clone().filter(|_| self.undoes.is_none()),
            begun: self.now,
            in_parts,
            undoes: self.undoes.as_ref().map(|undoes| undoes.set.clone()),
        })
    }

    /// Does the request restore this object, as a part of the change set that it undoes?
    pub fn restores(&self, kind: &str, id: &str) -> bool {
        let object = (kind.to_owned(), id.to_owned());
        self.undoes.as_ref().is_some_and(|undoes| undoes.objects.contains(&object))
    }

    /// The version that the caller's `If-Match` names; `None` when there is none or it is `*`.
    ///
    /// # Errors
    /// 400 when it is not an entity tag, or several.
    pub fn if_match(&self) -> Result<Option<i64>, Problem> {
        self.if_match.clone().map_err(|problem| *problem)
    }

    /// Compares the version that the caller saw (`If-Match`) with the one that is stored.
    ///
    /// # Errors
    /// 412 when they differ; 400 as [`RequestScope::if_match`].
    pub fn check_version(&self, stored: i64) -> Result<(), Problem> {
        check_version(self.if_match()?, stored)
    }

    /// The tenants whose records this request may read.
    pub fn scope(&self) -> Vec<String> {
        self.tenant.scope()
    }

    /// The tenants whose records a list shows: those of [`RequestScope::scope`], or with `allList:false` its own
    /// tenant's.
    pub fn scope_of_list(&self, all_list: Option<bool>) -> Vec<String> {
        if all_list == Some(false) { vec![self.tenant.id.to_string()] } else { self.scope() }
    }

    /// As [`Tenant::scope_and_partner`].
    pub fn scope_and_partner(&self) -> Vec<String> {
        self.tenant.scope_and_partner()
    }

    /// The id of the tenant of the path.
    pub fn tenant_id(&self) -> &str {
        self.tenant.id.as_str()
    }

    /// The user that the caller acts as.
    pub fn author(&self) -> &str {
        &self.caller.user_id
    }
}

/// The context of one request, under a tenant, after [`guard`](crate::guard) let it pass. `Q` reads the parameters of
/// its URL; without one, any parameter is refused (`docs/interface.md`, "Query parameters").
#[derive(Clone)]
pub struct RequestContext<Q = NoQuery> {
    /// What the parameters of the URL say.
    pub query: Q,
    /// The database.
    pub db: Db,
    scope: RequestScope,
    request: HttpRequest,
}

impl<Q> Deref for RequestContext<Q> {
    type Target = RequestScope;

    fn deref(&self) -> &RequestScope {
        &self.scope
    }
}

/// The parameters of a URL, read.
pub trait FromQuery: Sized {
    /// Reads them all, for the list at `path`.
    ///
    /// # Errors
    /// 400 that names every parameter that is wrong or unknown.
    fn from_query(query: &str, path: &str) -> Result<Self, Problem>;
}

fn if_match(request: &HttpRequest) -> Result<Option<i64>, Problem> {
    let mut values = request.headers().get_all(header::IF_MATCH);
    let Some(value) = values.next() else { return Ok(None) };
    let text = value.to_str().unwrap_or("").trim();
    if values.next().is_some() || text.contains(',') {
        return Err(Problem::invalid("If-Match takes one entity tag; a list is not supported."));
    }
    if text == "*" {
        return Ok(None);
    }
    let quoted = text.strip_prefix("W/").unwrap_or(text).strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    if quoted.is_none_or(|tag| tag.contains('"')) {
        return Err(Problem::invalid("If-Match takes an entity tag in its quotes, such as \"3\", or *."));
    }
    // A tag that this service never gave out matches nothing, nor does a weak one.
    let version = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).and_then(|tag| tag.parse().ok());
    Ok(Some(version.unwrap_or(-1)))
}

/// No parameters: any is refused.
#[derive(Clone, Copy, Debug)]
pub struct NoQuery;

impl FromQuery for NoQuery {
    fn from_query(query: &str, _: &str) -> Result<Self, Problem> {
        if !query.is_empty() {
            Query::parse(query)?.finish()?;
        }
        Ok(Self)
    }
}

/// The parameters as they are, for a handler that reads them itself, to the end.
impl FromQuery for Query {
    fn from_query(query: &str, _: &str) -> Result<Self, Problem> {
        Self::parse(query)
    }
}

impl RequestContext<Query> {
    /// The parameters of the URL, to be read strictly.
    pub fn query(&self) -> Query {
        self.query.clone()
    }
}

impl<Q: FromQuery> RequestContext<Q> {
    /// For a caller at a tenant, who are known.
    pub(crate) fn of(request: &HttpRequest, caller: Arc<Caller>, tenant: Arc<Tenant>) -> Result<Self> {
        let query = Q::from_query(request.query_string(), request.path())?;
        let db = request.app_data::<Db>().ok_or_else(|| db::Error::Fault("a server without database".to_owned()))?;
        let scope = RequestScope::of(request, caller, tenant)?;
        Ok(Self { query, db: db.clone(), scope, request: request.clone() })
    }
}

impl<Q> RequestContext<Q> {
    /// This request, as the undo of a change set, of which it restores these objects by kind and id: a set of its own,
    /// whatever `X-Change-Set` says.
    #[must_use]
    pub fn undoing(mut self, set: &str, objects: HashSet<(String, String)>) -> Self {
        self.scope.undoes = Some(UndoTarget { set: set.to_owned(), objects: Arc::new(objects) });
        self
    }

    /// What the work of this request takes along to another thread.
    pub fn request_scope(&self) -> RequestScope {
        self.scope.clone()
    }

    /// Reads in the database what `f` reads there.
    pub async fn read<T, F>(&self, f: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&mut db::Conn, &RequestScope) -> db::Result<T> + Send + 'static,
    {
        let scope = self.request_scope();
        Ok(self.db.read(move |conn| f(conn, &scope)).await?)
    }

    /// As [`RequestContext::read`], for what has many rows to look at: a page of a list, a search, a timeline. It is
    /// read from the replica, where there is one.
    pub async fn read_many<T, F>(&self, f: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&mut db::Conn, &RequestScope) -> db::Result<T> + Clone + Send + 'static,
    {
        let scope = self.request_scope();
        Ok(self.db.read_many(move |conn| f(conn, &scope)).await?)
    }

    /// Reads one record by its id, and what it shows of others, and answers that. `f` may read by keys, a few rows.
    pub async fn point<F>(&self, f: F) -> Result<HttpResponse>
    where
        F: FnOnce(&mut db::Conn, &Tenant) -> db::Result<Answer> + Send + 'static,
    {
        let tenant = Arc::clone(&self.tenant);
        Ok(self.db.point(move |conn| f(conn, &tenant)).await?.read())
    }

    /// Does the caller's `If-None-Match` name this version already?
    pub fn has_version(&self, version: i64) -> bool {
        let tag = format!("\"{version}\"");
        answer::known_tags(self.request.headers()).any(|known| known == tag || known == "*")
    }

    /// The operations of this server that need a caller, with the weakest role for each.
    pub fn operations(&self) -> Result<&Roles> {
        let guard = self.request.app_data::<Guard>().map(Guard::roles);
        Ok(guard.ok_or_else(|| db::Error::Fault("a server without guard".to_owned()))?)
    }

    /// The request itself, for the few that need a header.
    pub fn request(&self) -> &HttpRequest {
        &self.request
    }
}

/// The context of a request outside the path of any tenant: at the tenant that its caller belongs to.
pub struct HomeContext<Q = NoQuery>(pub RequestContext<Q>);

impl<Q: FromQuery> FromRequest for HomeContext<Q> {
    type Error = Error;
    type Future = LocalBoxFuture<'static, Result<Self>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            let caller = request.extensions().get::<Arc<Caller>>().cloned();
            let (Some(caller), Some(guard)) = (caller, request.app_data::<Guard>()) else {
                return Err(db::Error::Fault("a handler without caller or guard".to_owned()).into());
            };
            let tenant = guard.access().tenant(&caller.home).await?;
            let tenant = tenant.ok_or_else(|| Problem::not_found("The tenant was not found."))?;
            Ok(Self(RequestContext::of(&request, caller, tenant)?))
        })
    }
}

/// Compares the version that the caller saw with the one that is stored.
pub fn check_version(wanted: Option<i64>, stored: i64) -> Result<(), Problem> {
    match wanted {
        Some(version) if version != stored => Err(Problem::new(
            Kind::PreconditionFailed,
            "The record has changed since you read it: its ETag is a different one now. Read it again.",
        )),
        _ => Ok(()),
    }
}

impl<Q: FromQuery> FromRequest for RequestContext<Q> {
    type Error = Error;
    type Future = Ready<Result<Self>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let extensions = request.extensions();
        let caller = extensions.get::<Arc<Caller>>();
        let tenant = extensions.get::<Arc<Tenant>>();
        ready(match caller.zip(tenant) {
            Some((caller, tenant)) => {
                idempotency_key(request).and_then(|_| Self::of(request, Arc::clone(caller), Arc::clone(tenant)))
            }
            None => Err(db::Error::Fault("a handler without caller or tenant".to_owned()).into()),
        })
    }
}

/// What the path of a request names, after its tenant: one value, or some. Each reads itself from the text in the
/// path, decoded.
pub struct PathIds<T>(pub T);

/// One to three values of a path.
pub trait FromPath: Sized {
    /// The texts in the path, with that of the tenant before them.
    type Texts: serde::de::DeserializeOwned + 'static;

    /// Reads them.
    fn from_texts(texts: Self::Texts) -> Self;
}

/// An id of a path, which reads itself from its text.
pub trait PathId: From<String> {}

impl PathId for String {}

impl<T: PathId> FromPath for T {
    type Texts = (String, String);

    fn from_texts((_, text): Self::Texts) -> Self {
        text.into()
    }
}

impl<T: PathId, U: PathId> FromPath for (T, U) {
    type Texts = (String, String, String);

    fn from_texts((_, first, second): Self::Texts) -> Self {
        (first.into(), second.into())
    }
}

impl<T: PathId, U: PathId, V: PathId> FromPath for (T, U, V) {
    type Texts = (String, String, String, String);

    fn from_texts((_, first, second, third): Self::Texts) -> Self {
        (first.into(), second.into(), third.into())
    }
}

impl<T: FromPath> FromRequest for PathIds<T> {
    type Error = actix_web::Error;
    type Future = Ready<std::result::Result<Self, actix_web::Error>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let texts = web::Path::<T::Texts>::from_request(request, payload).into_inner();
        ready(texts.map(|texts| Self(T::from_texts(texts.into_inner()))))
    }
}

/// Makes the type of an id that stands in paths: its parameter, what it looks like, and how its text is normalised.
#[macro_export]
macro_rules! path_id {
    (
        $(#[doc = $doc:literal])+ $visibility:vis $name:ident = $parameter:literal, $example:literal,
        prefix $prefix:literal
    ) => {
        $crate::path_id! {
            $(#[doc = $doc])+
            $visibility $name = $parameter, $example, |text: &str| base::text::spelled(text, $prefix)
        }
    };
    ($(#[doc = $doc:literal])+ $visibility:vis $name:ident = $parameter:literal, $example:literal, $normal:expr) => {
        $(#[doc = $doc])+
        #[derive(Clone, Debug, PartialEq, Eq)]
        $visibility struct $name(pub String);

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self($normal(&text))
            }
        }

        impl std::ops::Deref for $name {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl $crate::context::PathId for $name {}

        impl utoipa::IntoParams for $name {
            fn into_params(
                _: impl Fn() -> Option<utoipa::openapi::path::ParameterIn>,
            ) -> Vec<utoipa::openapi::path::Parameter> {
                vec![$crate::context::document_id($parameter, concat!($($doc),+).trim(), $example)]
            }
        }
    };
}

/// Makes the type of an id in paths that is a number: its parameter, and what it looks like. A text that is none names
/// nothing, as -1 does.
#[macro_export]
macro_rules! path_number {
    ($(#[doc = $doc:literal])+ $visibility:vis $name:ident = $parameter:literal, $example:literal) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $visibility struct $name(pub i64);

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text.parse().unwrap_or(-1))
            }
        }

        impl $crate::context::PathId for $name {}

        impl utoipa::IntoParams for $name {
            fn into_params(
                _: impl Fn() -> Option<utoipa::openapi::path::ParameterIn>,
            ) -> Vec<utoipa::openapi::path::Parameter> {
                vec![$crate::context::document_number($parameter, concat!($($doc),+).trim(), $example)]
            }
        }
    };
}

/// What the document says of an id in a path.
pub fn document_id(name: &str, description: &str, example: &str) -> Parameter {
    document(name, description, ObjectBuilder::new().schema_type(Type::String).into(), example.into())
}

/// What the document says of an id in a path that is a number.
pub fn document_number(name: &str, description: &str, example: i64) -> Parameter {
    document(name, description, i64::schema(), example.into())
}

fn document(name: &str, description: &str, schema: RefOr<Schema>, example: Value) -> Parameter {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Path)
        .required(Required::True)
        .description(Some(description.trim_end_matches('.')))
        .schema(Some(schema))
        .example(Some(example))
        .build()
}
