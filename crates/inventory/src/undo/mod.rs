//! Undoing changes of resources, sites and groups. It knows them, and none of them knows it.

mod groups;
mod resources;
mod sites;

use std::sync::Arc;

use api::Restorer;

/// What of the inventory is restored when a change set is undone.
pub fn restorers() -> Vec<Arc<dyn Restorer>> {
    vec![Arc::new(resources::Resources), Arc::new(sites::Sites), Arc::new(groups::Groups)]
}
