//! Whom this domain asks.

use std::sync::Arc;

use base::timestamp::Timestamp;
use ports::{
    Alerts, Articles, Incidents, Integrations, Jobs, Maintenance, OnCall, People, Resources, Seals, Sends, Sessions,
};

/// Those who answer for other domains, and what is set for the whole service.
#[derive(Clone)]
pub struct Neighbours {
    /// Which alerts there are.
    pub alerts: Arc<dyn Alerts>,
    /// Acts on incidents.
    pub incidents: Arc<dyn Incidents>,
    /// What is known of how to mend things.
    pub articles: Arc<dyn Articles>,
    /// What can be run.
    pub jobs: Arc<dyn Jobs>,
    /// Which machines there are.
    pub resources: Arc<dyn Resources>,
    /// Which of them are in maintenance.
    pub maintenance: Arc<dyn Maintenance>,
    /// Who is on call.
    pub on_call: Arc<dyn OnCall>,
    /// Who people are.
    pub people: Arc<dyn People>,
    /// Begins sessions of people.
    pub sessions: Arc<dyn Sessions>,
    /// What is installed.
    pub integrations: Arc<dyn Integrations>,
    /// Seals secrets.
    pub seals: Arc<dyn Seals>,
    /// Says what may be called, and calls it.
    pub sends: Arc<dyn Sends>,
    /// Tells the time.
    pub clock: fn() -> Timestamp,
    /// How people reach the service, such as `https://muster.example`; without it messages have no links.
    pub public_url: Option<String>,
    /// How many messages a person gets in a minute by one contact method; 0 for no limit.
    pub page_limit: i64,
}

impl Neighbours {
    /// The time.
    pub fn now(&self) -> Timestamp {
        (self.clock)()
    }
}
