//! Maintenance windows: made, read, changed, and led through their life.

pub mod across;
pub mod conditions;
pub mod contents;
mod filter;
pub mod http;
pub mod life;
pub mod names;
pub mod occurrences;
pub mod row;
pub mod rules;
pub mod search;
pub mod store;
pub mod targeting;
pub mod targets;
pub mod view;
pub mod watches;
pub mod wire;
