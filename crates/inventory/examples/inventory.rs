//! The inventory alone, on a new embedded database with the demo company: `cargo run -p inventory --example inventory`.

use std::sync::Arc;

use base::tenant::TenantId;
use standalone::Standalone;

fn main() -> anyhow::Result<()> {
    api::harness::serve_with(inventory::domain(), inventory::extras(Arc::new(Standalone)), |db| {
        inventory::demo::fill(db, &TenantId::partner(1), &TenantId::client(1), api::clock::now())?;
        Ok(())
    })
}
