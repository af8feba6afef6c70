//! Maintenance windows: made, read, changed, and led through their life.

pub mod across;
pub mod contents;
pub mod documented;
mod filter;
pub mod http;
pub mod life;
pub mod occurrences;
pub mod rules;
pub mod search;
pub mod shown;
pub mod store;
pub mod targets;
pub mod wire;
