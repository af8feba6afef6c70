//! Scheduled jobs: what is done, to which resources, and when (operation 9 of `docs/interface.md`).

pub mod documented;
pub mod http;
pub mod rules;
pub mod script;
pub mod shown;
pub mod store;
pub mod types;
pub mod wire;
