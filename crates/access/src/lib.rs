//! Who may do what: tenants, users, API keys, tokens ("Tenants and callers" in `docs/interface.md`).
//!
//! [`Keeper`] is what the server asks about every request. In reading order of the routes: the token endpoint under its
//! two paths; a tenant's facts; the clients of a partner; users; user groups; API keys. [`bootstrap`] makes the first
//! tenants and the first key on an empty database, [`console`] is what a person does at the database itself. What other
//! domains ask about people, the gateway answers from [`users`] and [`user_groups`].
//!
//! Secrets and tokens are random; what is stored of them is a SHA-256. Whatever looks a caller up does so before its
//! tenant is known; every other statement names its tenant.

mod api_keys;
mod audit;
mod bootstrap;
mod cache;
pub mod console;
pub mod demo;
pub mod facts;
mod filters;
mod keeper;
mod schema;
mod secrets;
mod tenants;
#[cfg(test)]
mod tests;
mod throttle;
mod tokens;
pub mod user_groups;
pub mod users;

use std::sync::Arc;

use actix_web::web;
use api::Routes;

pub use crate::{
    bootstrap::{bootstrap, check_first_key},
    keeper::Keeper,
};

/// A row before and after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Changed<T> {
    pub(crate) before: T,
    pub(crate) after: T,
}

/// The domain: its routes and its tables. Its handlers need what [`extras`] adds.
pub fn domain() -> api::Domain {
    api::Domain {
        name: "access",
        title: "Muster: tenants, users, API keys and tokens",
        routes,
        root_routes,
        migrations: db::migrations!("access"),
    }
}

/// Puts the keeper where the handlers of this domain look for it.
pub fn extras(keeper: Arc<Keeper>) -> impl Fn(&mut web::ServiceConfig) + Clone + Send + Sync + 'static {
    let keeper = web::Data::from(keeper);
    move |config: &mut web::ServiceConfig| {
        config.app_data(keeper.clone());
    }
}

fn root_routes(config: &mut Routes) {
    config.service(tokens::http::create_token).service(tokens::http::create_tenancy_token);
}

fn routes(config: &mut Routes) {
    config
        .service(tenants::http::get_tenant)
        .service(tenants::http::create_client)
        .service(tenants::http::list_clients_minimal)
        .service(tenants::http::search_clients)
        .service(tenants::http::get_client)
        .service(tenants::http::update_client)
        .service(tenants::http::suspend_client)
        .service(tenants::http::resume_client)
        .service(users::http::create_user)
        .service(users::http::search_users)
        .service(users::http::get_user)
        .service(users::http::update_user)
        .service(users::http::deactivate_user)
        .service(users::http::activate_user)
        .service(user_groups::http::create_user_group)
        .service(user_groups::http::search_user_groups)
        .service(user_groups::http::get_user_group)
        .service(user_groups::http::update_user_group)
        .service(user_groups::http::deactivate_user_group)
        .service(user_groups::http::activate_user_group)
        .service(user_groups::http::list_user_group_members)
        .service(user_groups::http::add_user_group_members)
        .service(user_groups::http::remove_user_group_members)
        .service(api_keys::http::create_api_key)
        .service(api_keys::http::list_api_keys)
        .service(api_keys::http::rotate_api_key)
        .service(api_keys::http::revoke_api_key)
        .service(audit::search);
}
