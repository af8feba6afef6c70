//! Whom this domain asks.

use std::sync::Arc;

use ports::{Maintenance, OnCall, People, Resources, Tenants};

/// Those who answer for other domains.
#[derive(Clone)]
pub struct Neighbours {
    /// Which machines there are.
    pub resources: Arc<dyn Resources>,
    /// Which of them are in maintenance.
    pub maintenance: Arc<dyn Maintenance>,
    /// Who is on call.
    pub on_call: Arc<dyn OnCall>,
    /// Who people are.
    pub people: Arc<dyn People>,
    /// What tenants are called.
    pub tenants: Arc<dyn Tenants>,
}
