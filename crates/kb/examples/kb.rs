//! The knowledge base alone, on a new embedded database with the categories and articles of the demo company:
//! `cargo run -p kb --example kb`.

use std::sync::Arc;

use base::tenant::TenantId;
use standalone::Standalone;

fn main() -> anyhow::Result<()> {
    api::harness::serve_with(kb::domain(), kb::extras(Arc::new(Standalone)), |db| {
        kb::demo::fill(db, &TenantId::client(1), &[Standalone::CALLER.to_owned()], api::clock::now())?;
        Ok(())
    })
}
