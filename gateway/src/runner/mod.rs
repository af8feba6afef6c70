//! The parts of `muster runner`: who speaks to the service, as whom scripts run, and how.

pub mod orphans;
pub mod program;
pub mod service;
pub mod user;
