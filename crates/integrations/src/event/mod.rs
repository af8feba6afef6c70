//! Integration events: when an action on an entity calls whom, with what.

pub mod check;
pub mod config;
pub mod filter;
pub mod headers;
pub mod http;
pub mod row;
pub mod store;
pub mod test;
pub mod wire;
