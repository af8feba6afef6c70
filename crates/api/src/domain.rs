//! What a domain brings to the server.

use actix_web::{dev::HttpServiceFactory, web::ServiceConfig};
use db::{Migrations, Quota};
use outbox::Retention;
use utoipa::Path;
use utoipa_actix_web::{OpenApiFactory, service_config::ServiceConfig as Document};

use crate::{Alias, groups::Groups};

/// A domain: its name, its routes, its tables. The gateway has the one list of them.
#[derive(Clone, Copy)]
pub struct Domain {
    /// The crate's name; also names the OpenAPI document and prefixes the migrations.
    pub name: &'static str,
    /// The title of its OpenAPI document.
    pub title: &'static str,
    /// Its operations under `/api/v2/tenants/{tenantId}`, in reading order.
    pub routes: fn(&mut Routes),
    /// Its operations outside any tenant (token endpoint, time zones).
    pub root_routes: fn(&mut Routes),
    /// Further paths of its operations.
    pub aliases: &'static [Alias],
    /// Its tables.
    pub migrations: Migrations,
    /// Its rows that are not kept for ever.
    pub retention: &'static [Retention],
    /// How many rows of its tables a tenant may have.
    pub quotas: &'static [&'static Quota],
}

/// Where a domain lists its operations: for the document, or for the workers of a server, of which none needs a document
/// of its own.
pub struct Routes<'r, 'd>(To<'r, 'd>);

enum To<'r, 'd> {
    Document(&'r mut Document<'d>),
    Server { below: &'static str, groups: &'r mut Groups },
}

impl<'r, 'd> Routes<'r, 'd> {
    /// Into a document.
    pub fn of_document(document: &'r mut Document<'d>) -> Self {
        Self(To::Document(document))
    }

    /// Gives a server, or the scope of this path, the operations that are listed, behind the guard.
    pub fn serve(server: &mut ServiceConfig, below: &'static str, list: impl FnOnce(&mut Routes)) {
        let mut groups = Groups::default();
        list(&mut Routes(To::Server { below, groups: &mut groups }));
        groups.configure(server);
    }

    /// Adds an operation.
    pub fn service<F: HttpServiceFactory + OpenApiFactory + Path + 'static>(&mut self, operation: F) -> &mut Self {
        match &mut self.0 {
            To::Document(document) => drop(document.service(operation)),
            To::Server { below, groups } => groups.add(&format!("{below}{}", F::path()), operation),
        }
        self
    }
}

/// For the domains that have no operation outside a tenant.
pub fn no_routes(_: &mut Routes) {}
