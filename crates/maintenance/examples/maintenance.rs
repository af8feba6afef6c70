//! Maintenance windows alone, on a new embedded database, over a few machines and a device group, with the windows of
//! the demo company: `cargo run -p maintenance --example maintenance`.

use std::sync::Arc;

use base::tenant::TenantId;
use maintenance::Windows;
use standalone::Standalone;

fn main() -> anyhow::Result<()> {
    let windows = Arc::new(Windows::new(Arc::new(Standalone), Arc::new(Standalone)));
    let extras = maintenance::extras(Arc::clone(&windows), Arc::new(Standalone));
    api::harness::serve_with(maintenance::domain(), extras, |db| {
        maintenance::demo::fill(db, &windows, &TenantId::client(1), (Standalone::GROUP, "db-01"), api::clock::now())?;
        Ok(())
    })
}
