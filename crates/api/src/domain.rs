//! What a domain brings to the server.

use db::{Migrations, Quota};
use outbox::Retention;
use utoipa::openapi::{OpenApi, Paths};

use crate::{
    Alias, Need,
    metrics::Route,
    operations::{Handlers, Operation},
    paths, spec,
};

/// A domain: its name, its routes, its tables. The gateway has the one list of them.
#[derive(Clone, Copy)]
pub struct Domain {
    /// The crate's name; also names the OpenAPI document and prefixes the migrations.
    pub name: &'static str,
    /// The title of its OpenAPI document.
    pub title: &'static str,
    /// The headings of its operations in the document. The first is that of operations without another.
    pub tags: &'static [Tag],
    /// Its operations under `/api/v2/tenants/{tenantId}`, in reading order.
    pub routes: fn(&mut Routes),
    /// Its operations outside any tenant (token endpoint, time zones).
    pub root_routes: fn(&mut Routes),
    /// Further paths of its operations.
    pub aliases: &'static [Alias],
    /// What its handlers take besides: a server that was not given one of them does not start.
    pub needs: &'static [Need],
    /// Its tables.
    pub migrations: Migrations,
    /// Its rows that are not kept for ever.
    pub retention: &'static [Retention],
    /// How many rows of its tables a tenant may have.
    pub quotas: &'static [&'static Quota],
}

/// A heading of the OpenAPI document, under which operations stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag {
    /// Sentence case and plural, such as `Device groups`.
    pub name: &'static str,
    /// What the operations are for, in a sentence.
    pub description: &'static str,
}

impl Tag {
    /// Headings that several domains share.
    pub const CONFIGURATION: Self = Self {
        name: "Configuration",
        description: "Fixed lists that forms offer: time zones, countries, types of devices and alerts.",
    };
    /// See [`Tag::CONFIGURATION`].
    pub const INBOUND: Self = Self {
        name: "Inbound addresses",
        description: "Addresses to which monitors report alerts in their own formats, without another credential.",
    };
}

impl Domain {
    /// The heading of operations without another.
    pub(crate) fn default_tag(&self) -> &'static str {
        self.tags.first().map_or(self.name, |tag| tag.name)
    }
}

/// Where a domain lists its operations: for the document, or for the workers of a server, of which none needs a
/// document of its own.
pub struct Routes<'r> {
    below: &'static str,
    tag: &'static str,
    target: RouteTarget<'r>,
}

enum RouteTarget<'r> {
    Document(&'r mut OpenApi),
    /// A document without schemas, which make most of it.
    Operations(&'r mut OpenApi),
    Server(&'r mut Handlers),
}

impl<'r> Routes<'r> {
    /// Into a document, below a path; the operations stand under this tag there.
    pub(crate) fn of_document(document: &'r mut OpenApi, below: &'static str, tag: &'static str) -> Self {
        Self { below, tag, target: RouteTarget::Document(document) }
    }

    /// The same, without what the bodies of the operations are.
    pub(crate) fn of_operations(document: &'r mut OpenApi, below: &'static str, tag: &'static str) -> Self {
        Self { below, tag, target: RouteTarget::Operations(document) }
    }

    /// The same, for operations that stand under another [`Tag`] of the domain than its first.
    pub fn tagged(&mut self, tag: &'static str) -> Routes<'_> {
        let target = match &mut self.target {
            RouteTarget::Document(document) => RouteTarget::Document(document),
            RouteTarget::Operations(document) => RouteTarget::Operations(document),
            RouteTarget::Server(handlers) => RouteTarget::Server(handlers),
        };
        Routes { below: self.below, tag, target }
    }

    /// Adds an operation.
    pub fn service<O: Operation>(&mut self, operation: O) -> &mut Self {
        match &mut self.target {
            RouteTarget::Document(document) => {
                add_paths(document, &operation, self.below, self.tag);
                let mut schemas = Vec::new();
                operation.schemas(&mut schemas);
                document.components.get_or_insert_default().schemas.extend(schemas);
            }
            RouteTarget::Operations(document) => add_paths(document, &operation, self.below, self.tag),
            RouteTarget::Server(handlers) => handlers.add::<O>(self.below),
        }
        self
    }
}

fn add_paths(document: &mut OpenApi, operation: &impl Operation, below: &str, tag: &str) {
    let paths = operation.paths().paths.into_iter().map(|(path, mut item)| {
        for (_, operation) in spec::operations_mut(&mut item) {
            operation.tags.get_or_insert_with(|| vec![tag.to_owned()]);
        }
        (format!("{below}{path}"), item)
    });
    document.paths.merge(paths.fold(Paths::builder(), |paths, (path, item)| paths.path(path, item)).build());
}

/// The handlers of these domains' operations, for the default service of an `App` behind the guard that knows them
/// ([`Guard::routes`](crate::Guard::routes)).
pub fn handlers(domains: &[Domain], operations: &[Route]) -> Handlers {
    let mut handlers = Handlers::for_operations(operations);
    let mut at_root = Routes { below: "", tag: "", target: RouteTarget::Server(&mut handlers) };
    domains.iter().for_each(|domain| (domain.root_routes)(&mut at_root));
    let mut below_tenant = Routes { below: paths::TENANT_PREFIX, tag: "", target: RouteTarget::Server(&mut handlers) };
    domains.iter().for_each(|domain| (domain.routes)(&mut below_tenant));
    handlers
}

/// For the domains that have no operation outside a tenant.
pub fn no_routes(_: &mut Routes) {}
