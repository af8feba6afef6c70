//! The inventory alone, on a new embedded database with the demo company: `cargo run -p inventory --example serve`.

use base::tenant::TenantId;

fn main() -> anyhow::Result<()> {
    api::harness::serve(inventory::domain(), |db| {
        inventory::demo::fill(db, &TenantId::partner(1), &TenantId::client(1), api::clock::now())?;
        Ok(())
    })
}
