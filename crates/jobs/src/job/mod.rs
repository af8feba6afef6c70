//! Scheduled jobs: what is done, to which resources, and when (operation 9 of `docs/interface.md`).

pub mod alarms;
mod filter;
pub mod http;
pub mod row;
pub mod rules;
pub mod schedule;
pub mod script;
pub mod store;
pub mod types;
pub mod view;
pub mod wire;
