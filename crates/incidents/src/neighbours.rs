//! The ports that this domain uses.

use std::sync::Arc;

use ports::{Articles, Escalations, Jobs, Maintenance, OnCall, Owners, People, Resources, Tenants};

/// The ports to other domains.
#[derive(Clone)]
pub struct Neighbours {
    /// Machines of the inventory.
    pub resources: Arc<dyn Resources>,
    /// Maintenance windows.
    pub maintenance: Arc<dyn Maintenance>,
    /// People on call.
    pub on_call: Arc<dyn OnCall>,
    /// Owners of machines.
    pub owners: Arc<dyn Owners>,
    /// Articles of the knowledge base.
    pub articles: Arc<dyn Articles>,
    /// Jobs.
    pub jobs: Arc<dyn Jobs>,
    /// Users and groups.
    pub people: Arc<dyn People>,
    /// Escalation policies.
    pub escalations: Arc<dyn Escalations>,
    /// Names of tenants.
    pub tenants: Arc<dyn Tenants>,
}
