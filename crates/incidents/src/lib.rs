//! Incidents: alerts, the incidents opened for them, and the categories they are filed under.
//!
//! - [`alerts`]: what monitors report
//! - [`categories`]: a tree of them, for each tenant
//! - [`records`]: the incidents themselves, their notes, and what is told of them
//!
//! Operation 8 of `docs/interface.md`, and what is around it.

mod alerts;
pub mod categories;
pub mod demo;
mod neighbours;
pub mod records;
mod schema;

use actix_web::web;
use api::Routes;

pub use crate::{
    alerts::{Escalator, Trial},
    neighbours::Neighbours,
};

/// The domain, for the gateway's list and for its own server. Its handlers need what [`extras`] adds.
pub fn domain() -> api::Domain {
    api::Domain {
        name: "incidents",
        title: "Muster: incidents",
        routes,
        root_routes: api::domain::no_routes,
        migrations: db::migrations!("incidents"),
    }
}

/// Puts those whom this domain asks where the handlers look for them.
pub fn extras(neighbours: Neighbours) -> impl Fn(&mut web::ServiceConfig) + Clone + Send + Sync + 'static {
    let neighbours = web::Data::new(neighbours);
    move |config: &mut web::ServiceConfig| {
        config.app_data(neighbours.clone());
    }
}

/// The operations, in reading order. Paths that are literal come before those with a parameter in their place.
fn routes(config: &mut Routes) {
    alerts::routes(config);
    categories::routes(config);
    records::routes(config);
}
