//! Incidents and alerts alone, on a new embedded database with the alerts of the demo company:
//! `cargo run -p incidents --example incidents`. No machine is in maintenance, and nobody is on call.

use std::sync::Arc;

use base::tenant::TenantId;
use incidents::Neighbours;
use ports::Alone;

fn main() -> anyhow::Result<()> {
    let neighbours = Neighbours {
        resources: Arc::new(Alone),
        maintenance: Arc::new(Alone),
        on_call: Arc::new(Alone),
        owners: Arc::new(Alone),
        articles: Arc::new(Alone),
        jobs: Arc::new(Alone),
        people: Arc::new(Alone),
        tenants: Arc::new(Alone),
    };
    api::harness::serve_with(incidents::domain(), incidents::extras(neighbours.clone(), Arc::default()), |db| {
        incidents::demo::fill(db, &TenantId::client(1), &neighbours, api::clock::now())?;
        Ok(())
    })
}
