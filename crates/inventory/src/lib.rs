//! The resource inventory: the machines, cloud resources and synthetic checks of a tenant, what runs on them, where
//! they are and which groups they belong to, and the history of decommissioned ones.
//!
//! - [`model`]: a resource as it is stored
//! - [`resources`]: the list, the detail, every write
//! - [`bulk`]: many resources at once, in and out
//! - [`history`]: decommissioned resources
//! - [`software`]: installed applications and antivirus products
//! - [`types`]: resource types
//! - [`sites`], [`groups`]: where resources are, and what they belong to; [`site_api`], [`group_api`]: the operations
//!   on them, which read and change resources too
//! - [`undo`]: what of resources, sites and groups is restored when a change set is undone
//! - [`agents`]: machines that describe themselves, in the formats that [`reports`] reads
//!
//! [`Machines`] answers what other domains ask about them. [`files`] takes machines in from files, at the database
//! itself.
//!
//! Operations 1 to 6 of `docs/interface.md`, and the writes around them.

mod agents;
mod bulk;
mod countries;
pub mod demo;
pub mod files;
mod group_api;
mod groups;
mod history;
mod lists;
mod machines;
mod model;
mod reports;
mod resources;
mod schema;
mod site_api;
mod sites;
mod software;
mod types;
mod undo;

pub use machines::Machines;
pub use resource_index::CHANGE_LOG;
pub use undo::restorers;

use std::sync::Arc;

use api::{Alias, Extras, Need, Routes, Tag};
use ports::Integrations;

static QUOTAS: [&db::Quota; 2] = [&sites::store::QUOTA, &groups::store::QUOTA];

/// The ports that handlers take from [`extras`].
const NEEDS: &[Need] = &[Need::of::<dyn Integrations>()];

/// The tables, as they came to be.
const MIGRATIONS: db::Migrations = db::migrations!(
    "inventory",
    each inventory0001_resources,
    each inventory0002_addresses,
    each inventory0003_history,
    each inventory0004_changes,
    each inventory0005_names,
    each inventory0006_types,
    each inventory0007_states,
    both inventory0008_identities,
    both inventory0009_type_paths,
);

/// The headings of the OpenAPI document under which the operations stand. The first is that of operations without
/// another.
const TAGS: &[Tag] = &[
    Tag {
        name: "Resources",
        description: "Managed machines, cloud resources and synthetic checks: lists, details, writes, bulk import and \
                      export.",
    },
    Tag { name: "Resource types", description: "The types that resources can have, with their hierarchy." },
    Tag {
        name: "Decommissioned resources",
        description: "Resources that are no longer managed, with reason and date.",
    },
    Tag { name: "Software", description: "Installed applications and antivirus status of resources." },
    Tag { name: "Agents", description: "Reports of inventory agents in their own formats." },
    Tag { name: "Sites", description: "Locations of resources, and their members." },
    Tag { name: "Device groups", description: "Groups of resources, by membership or by rules." },
    Tag { name: "Service groups", description: "Groups of resources that make up a service." },
    Tag::CONFIGURATION,
];

/// The domain, for the gateway's list and for its own server. Its handlers need what [`extras`] adds.
pub fn domain() -> api::Domain {
    api::Domain {
        name: "inventory",
        title: "Muster: resource inventory",
        tags: TAGS,
        routes,
        root_routes,
        aliases: ALIASES,
        needs: NEEDS,
        migrations: MIGRATIONS,
        retention: &[resources::store::RETENTION],
        quotas: &QUOTAS,
    }
}

/// Provides the port of installed integrations to handlers.
pub fn extras(integrations: Arc<dyn Integrations>) -> Extras {
    Extras::default().with(integrations)
}

/// The paths by which clients of other services of this kind call the same operations.
const ALIASES: &[Alias] = &[
    Alias::get(
        "/deviceGroups/{groupId}/childs/search",
        "/deviceGroups/{groupId}/childs",
        "listDeviceGroupChildrenAlias",
    ),
    Alias::get(
        "/serviceGroups/{groupId}/childs/search",
        "/serviceGroups/{groupId}/childs",
        "listServiceGroupChildrenAlias",
    ),
    Alias::get("/sites/{siteId}/childs", "/sites/{siteId}/members", "listSiteMembersAlias"),
    Alias::post("/sites/{siteId}/childs", "/sites/{siteId}/members", "addSiteMembersAlias"),
    Alias::delete("/sites/{siteId}/childs", "/sites/{siteId}/members", "removeSiteMembersAlias"),
];

fn root_routes(config: &mut Routes) {
    config.tagged(Tag::CONFIGURATION.name).service(types::device_types).service(countries::list);
}

/// The operations, in reading order. Paths that are literal come before those with a parameter in their place.
fn routes(config: &mut Routes) {
    config.tagged("Software").service(software::antivirus::search);
    bulk::routes(config);
    resources::routes(config);
    config.tagged("Software").service(software::applications::list);
    config.tagged("Resource types").service(types::minimal);
    history::routes(config);
    site_api::routes(config);
    group_api::routes(config);
    agents::routes(config);
}
