//! The resource inventory: the machines, cloud resources and synthetic checks of a tenant, what runs on them, where
//! they are and which groups they belong to, and the history of those that are gone.
//!
//! - [`resources`]: the list, the detail, every write
//! - [`bulk`]: many resources at once, in and out
//! - [`history`]: decommissioned resources
//! - [`software`]: installed applications and antivirus products
//! - [`types`]: resource types
//! - [`sites`], [`groups`]: where resources are, and what they belong to
//! - [`agents`]: machines that describe themselves, in the formats that [`reports`] reads
//!
//! [`Machines`] answers what other domains ask about them.
//!
//! Operations 1 to 6 of `docs/interface.md`, and the writes around them.

pub mod agents;
pub mod bulk;
pub mod demo;
mod groups;
mod history;
mod machines;
mod reports;
mod resources;
mod schema;
mod sites;
mod software;
mod types;

mod documented;

pub use machines::Machines;

use api::Routes;
use documented::{DecommissionInput, ResourceInput};

/// The domain, for the gateway's list and for its own server.
pub fn domain() -> api::Domain {
    api::Domain {
        name: "inventory",
        title: "Muster: resource inventory",
        routes,
        root_routes: api::domain::no_routes,
        migrations: db::migrations!("inventory"),
    }
}

/// The operations, in reading order. Paths that are literal come before those with a parameter in their place.
fn routes(config: &mut Routes) {
    config.service(software::antivirus::search);
    bulk::routes(config);
    resources::routes(config);
    config.service(software::applications::list).service(types::minimal);
    history::routes(config);
    sites::routes(config);
    groups::routes(config);
    agents::routes(config);
}
