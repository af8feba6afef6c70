//! The shared data of the handlers.

use std::{sync::Arc, time::Duration};

use api::Extras;

use crate::{
    egress::{Guard, dial::Dialler},
    firing::Rules,
    reporters::Reporters,
    vault::Vault,
};

/// The shared data of the handlers.
pub struct Services {
    /// Seals and opens secrets.
    pub vault: Arc<Vault>,
    /// Says where calls may go.
    pub guard: Arc<Guard>,
    /// Makes the calls of tests.
    pub dialler: Dialler,
    /// How long such a call may take.
    pub timeout: Duration,
    /// The events.
    pub rules: Arc<Rules>,
    /// Stores the credentials with which integrations report.
    pub reporters: Arc<dyn Reporters>,
}

/// The shared data, as the handlers extract it.
pub fn extras(services: Arc<Services>) -> Extras {
    Extras::default().with(services)
}
