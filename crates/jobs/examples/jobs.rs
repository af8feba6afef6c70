//! Jobs alone, on a new embedded database with the jobs of the demo company: `cargo run -p jobs --example jobs`. Runs
//! that are due wait for a runner: `muster runner` with the address and the token that are printed.

use std::sync::Arc;

use base::tenant::TenantId;
use standalone::Standalone;

fn main() -> anyhow::Result<()> {
    // It works until the server ends.
    let mut scheduler = None;
    let extras = jobs::extras(Arc::new(Standalone), Arc::new(Standalone), Arc::new(Standalone), Arc::new(Standalone));
    api::harness::serve_with(jobs::domain(), extras, |db| {
        let people = [Standalone::CALLER.to_owned()];
        jobs::demo::fill(db, Arc::new(Standalone), &TenantId::client(1), &people, api::clock::now())?;
        scheduler = Some(jobs::start_scheduler(
            db.clone(),
            Arc::new(Standalone),
            Arc::new(Standalone),
            Arc::new(Standalone),
            api::clock::now,
        )?);
        Ok(())
    })?;
    drop(scheduler);
    Ok(())
}
