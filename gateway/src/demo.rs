//! A small company to look around in (`--demo`): each domain brings its part.

use std::sync::Arc;

use access::Directory;
use base::tenant::TenantId;
use db::Db;
use integrations::vault::Vault;

use crate::neighbours;

/// Fills an empty inventory; leaves one that has anything in it as it is.
pub fn fill(db: &Db, vault: &Arc<Vault>) -> anyhow::Result<()> {
    let partner = TenantId::partner(1);
    let client = TenantId::client(1);
    if inventory::demo::fill(db, &partner, &client, api::clock::now())? {
        tracing::info!(tenant = %client, "filled the inventory of the demo company");
    }
    let people = access::demo::fill(db, &client, api::clock::now())?;
    if rosters::demo::fill(db, &client, &people, api::clock::now())? {
        tracing::info!(tenant = %client, "filled the rosters of the demo company");
    }
    if jobs::demo::fill(db, Arc::new(Directory), &client, &people, api::clock::now())? {
        tracing::info!(tenant = %client, "filled the jobs of the demo company");
    }
    if integrations::demo::fill(db, vault, &client, &people, api::clock::now())? {
        tracing::info!(tenant = %client, "filled the integrations of the demo company");
    }
    let windows = neighbours::windows();
    let what = (inventory::demo::GROUP, inventory::demo::HOST);
    if maintenance::demo::fill(db, &windows, &client, what, api::clock::now())? {
        tracing::info!(tenant = %client, "filled the maintenance windows of the demo company");
    }
    let directory: Arc<dyn ports::People> = Arc::new(Directory);
    let on_call: Arc<dyn ports::OnCall> = Arc::new(rosters::Rosters::new(Arc::clone(&directory)));
    let seals = Arc::clone(vault) as Arc<dyn ports::Seals>;
    if paging::demo::fill(db, &seals, &on_call, &directory, &client, &people, api::clock::now())? {
        tracing::info!(tenant = %client, "filled the paging of the demo company");
    }
    let neighbours = neighbours::incident_neighbours(windows, Arc::new(neighbours::NoOwners));
    if incidents::demo::fill(db, &client, &neighbours, api::clock::now())? {
        tracing::info!(tenant = %client, "filled the alerts of the demo company");
    }
    if incidents::records::demo::fill(db, &client, &people, &neighbours, api::clock::now())? {
        tracing::info!(tenant = %client, "filled the incidents of the demo company");
    }
    if kb::demo::fill(db, &client, &people, api::clock::now())? {
        tracing::info!(tenant = %client, "filled the knowledge base of the demo company");
    }
    Ok(())
}
