//! Whom this domain asks.

use std::sync::Arc;

use ports::{Articles, Escalations, Jobs, Maintenance, OnCall, Owners, People, Resources, Tenants};

/// Those who answer for other domains.
#[derive(Clone)]
pub struct Neighbours {
    /// Which machines there are.
    pub resources: Arc<dyn Resources>,
    /// Which of them are in maintenance.
    pub maintenance: Arc<dyn Maintenance>,
    /// Who is on call.
    pub on_call: Arc<dyn OnCall>,
    /// Whose machines are.
    pub owners: Arc<dyn Owners>,
    /// What is known of how to mend things.
    pub articles: Arc<dyn Articles>,
    /// What can be run.
    pub jobs: Arc<dyn Jobs>,
    /// Who people are.
    pub people: Arc<dyn People>,
    /// What policies say of alerts that people work on.
    pub escalations: Arc<dyn Escalations>,
    /// What tenants are called.
    pub tenants: Arc<dyn Tenants>,
}
