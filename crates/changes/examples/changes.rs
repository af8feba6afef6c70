//! The stream of changes alone, on a new embedded database, in which nothing ever changes: `cargo run -p changes
//! --example changes`.

use std::sync::Arc;

fn main() -> anyhow::Result<()> {
    api::harness::serve_with(changes::domain(), changes::extras(Arc::default()), |_| Ok(()))
}
