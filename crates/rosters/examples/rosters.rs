//! The rosters alone, on a new embedded database, with three people and a group: `cargo run -p rosters --example
//! rosters`.

use std::sync::Arc;

use standalone::Standalone;

fn main() -> anyhow::Result<()> {
    api::harness::serve_with(
        rosters::domain(),
        rosters::extras(Arc::new(Standalone), Arc::new(Standalone), Arc::new(Standalone), Arc::new(Standalone)),
        |_| Ok(()),
    )
}
