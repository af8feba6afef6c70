//! What one domain may ask of another.
//!
//! A domain asks a trait; who answers, the gateway decides. Every question takes the connection of the one who asks, so
//! that the answer is of the same snapshot, or of the same write, and the tenants in whose records it may look.

mod alerts;
mod authors;
mod integrations;
mod maintenance;
mod on_call;
mod outside;
mod owners;
mod people;
mod related;
mod resources;
mod standalone;
mod tenants;

pub use alerts::{
    ALERT_KEYS, AlertAction, AlertActionKind, AlertPreview, Alerts, Escalations, IncidentRecord, Incidents, Notice,
    Notices,
};
pub use authors::{Author, Authors};
pub use integrations::{Integrations, KnownIntegration};
pub use maintenance::{AlertFacts, Cover, Maintenance, Window};
pub use on_call::{KnownRoster, OnCall, OnCallPerson, OwnShift};
pub use outside::{Mail, Outgoing, Recipient, SealedAt, Seals, Sending, Sends, Unsent};
pub use owners::Owners;
pub use people::{FormerGroups, Membership, People, PeopleGroup, Person};
pub use related::{Articles, Jobs, KnownArticle, KnownJob};
pub use resources::{KnownResource, Place, PlaceKey, PlaceKind, ResourceKey, Resources, ServiceGroup};
pub use standalone::Standalone;
pub use tenants::Tenants;
