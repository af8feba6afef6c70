//! The parts of `muster runner`: who speaks to the service, as whom scripts run, and how.

pub mod confinement;
pub mod credentials;
pub mod launch;
#[cfg(target_os = "linux")]
pub mod namespaces;
pub mod orphans;
pub mod output;
pub mod program;
pub mod service;
pub mod user;
pub mod workspace;
