//! Installed integrations: what events belong to, with the notifier and the signing secret that they share.

pub mod kinds;
mod port;
pub mod row;
pub mod store;
pub mod wire;

pub use port::InstalledIntegrations;
