//! Rosters: who is on call, when, and through which shift.
//!
//! - [`roster`]: rosters and their shifts, in versions
//!
//! Operations 10 and 11 of `docs/interface.md`, and what is around them. When a shift takes place, `calendar` works out;
//! who the people are, [`ports::People`] says.

mod crowd;
mod lines;
mod roster;
mod schema;

use std::sync::Arc;

use actix_web::web;
use ports::People;
use utoipa_actix_web::service_config::ServiceConfig;

/// The domain, for the gateway's list and for its own server. Its handlers need what [`extras`] adds.
pub fn domain() -> api::Domain {
    api::Domain {
        name: "rosters",
        title: "Muster: rosters",
        routes,
        root_routes: api::domain::no_routes,
        migrations: db::migrations!("rosters"),
    }
}

/// Puts those who answer for people where the handlers look for them.
pub fn extras(people: Arc<dyn People>) -> impl Fn(&mut web::ServiceConfig) + Clone + Send + Sync + 'static {
    let people: web::Data<dyn People> = web::Data::from(people);
    move |config: &mut web::ServiceConfig| {
        config.app_data(people.clone());
    }
}

/// The operations, in reading order. Paths that are literal come before those with a parameter in their place.
fn routes(config: &mut ServiceConfig) {
    config
        .service(roster::http::create)
        .service(roster::http::search)
        .service(roster::http::get)
        .service(roster::http::update)
        .service(roster::http::delete);
}
