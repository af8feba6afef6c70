//! Integration events: when an action on an entity calls whom, with what.

pub mod check;
pub mod config;
pub mod filter;
pub mod record;
pub mod row;
pub mod store;
pub mod wire;
