//! Contacts: people outside, who are called when something is wrong.
//!
//! No part of the program: the domain that ARCHITECTURE.md has as its example of one, small and whole. `make template`
//! adds it to the program as that page says, and calls it.

pub mod http;
pub mod row;
pub mod rules;
mod schema;
pub mod store;
mod view;
pub mod wire;

use api::{Routes, Tag};

static QUOTAS: [&db::Quota; 1] = [&store::QUOTA];

/// The tables, as they came to be.
const MIGRATIONS: db::Migrations = db::migrations!("contacts", both contacts0001_contacts);

/// The domain, for the gateway's list and for its own server.
pub fn domain() -> api::Domain {
    api::Domain {
        name: "contacts",
        title: "Muster: contacts",
        tags: &[Tag { name: "Contacts", description: "People outside the company, and how they are reached." }],
        routes,
        root_routes: api::domain::no_routes,
        aliases: &[],
        needs: &[],
        migrations: MIGRATIONS,
        retention: &[],
        quotas: &QUOTAS,
    }
}

/// The operations, in reading order.
fn routes(config: &mut Routes) {
    config.service(http::create).service(http::search).service(http::get).service(http::update).service(http::delete);
}
