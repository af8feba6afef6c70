//! Overrides: somebody takes a shift, or the whole roster, for a time ("Overrides" in `docs/interface.md`).
//!
//! One that is about a shift keeps what the shift was when it was made, so that it follows no edits. Of several about
//! the same time, the last one wins.

pub mod http;
pub mod row;
pub mod rules;
pub mod store;
pub mod swaps;
mod view;
pub mod wire;
