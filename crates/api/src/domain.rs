//! What a domain brings to the server.

use db::Migrations;
use utoipa_actix_web::service_config::ServiceConfig;

/// A domain: its name, its routes, its tables. The gateway has the one list of them.
#[derive(Clone, Copy)]
pub struct Domain {
    /// The crate's name; also names the OpenAPI document and prefixes the migrations.
    pub name: &'static str,
    /// The title of its OpenAPI document.
    pub title: &'static str,
    /// Its operations under `/api/v2/tenants/{tenantId}`, in reading order.
    pub routes: fn(&mut ServiceConfig),
    /// Its operations outside any tenant (token endpoint, time zones).
    pub root_routes: fn(&mut ServiceConfig),
    /// Its tables.
    pub migrations: Migrations,
}

/// For the domains that have no operation outside a tenant.
pub fn no_routes(_: &mut ServiceConfig) {}
