//! Incidents and alerts alone, on a new embedded database with the alerts of the demo company:
//! `cargo run -p incidents --example incidents`. No machine is in maintenance, and nobody is on call.

use std::sync::Arc;

use base::tenant::TenantId;
use incidents::Neighbours;
use standalone::Standalone;

fn main() -> anyhow::Result<()> {
    let neighbours = Neighbours {
        resources: Arc::new(Standalone),
        maintenance: Arc::new(Standalone),
        on_call: Arc::new(Standalone),
        owners: Arc::new(Standalone),
        articles: Arc::new(Standalone),
        jobs: Arc::new(Standalone),
        people: Arc::new(Standalone),
        escalations: Arc::new(Standalone),
        tenants: Arc::new(Standalone),
    };
    api::harness::serve_with(incidents::domain(), incidents::extras(neighbours.clone(), Arc::default()), |db| {
        incidents::demo::fill(db, &TenantId::client(1), &neighbours, api::clock::now())?;
        Ok(())
    })
}
