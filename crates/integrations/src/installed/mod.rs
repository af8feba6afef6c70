//! Installed integrations: what events belong to, with the notifier and the signing secret that they share.

pub mod http;
pub mod inbound;
pub mod kinds;
mod port;
pub mod reporters;
pub mod row;
pub mod store;
pub mod wire;

pub use port::Known;
