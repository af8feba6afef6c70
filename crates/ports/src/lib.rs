//! Ports: the traits by which one domain asks another.
//!
//! A domain calls a trait; the gateway chooses the implementation. Every method takes the caller's connection, so that
//! the answer is of the same snapshot or write, and the tenants whose records it may read.

mod alerts;
mod authors;
mod integrations;
mod load;
mod maintenance;
mod messages;
mod on_call;
mod outgoing;
mod owners;
mod paged;
mod people;
mod related;
mod resources;
mod sessions;
mod tenants;

pub use alerts::{
    ALERT_KEYS, AlertAction, AlertActionKind, AlertPreview, Alerts, Escalations, IncidentRecord, Incidents, Notice,
    Notices, PagedAlerts,
};
pub use authors::{Author, Authors};
pub use integrations::{IntegrationSummary, Integrations};
pub use load::{EachPage, SentPage, SentPages, WorkedTimes};
pub use maintenance::{AlertFacts, Cover, Maintenance, Window};
pub use messages::{Messages, PersonalMessage};
pub use on_call::{OnCall, OnCallPerson, OwnShift, RosterSummary, SkippedShift};
pub use outgoing::{Mail, Outgoing, Reading, ReadsUrls, Recipient, SealedAt, Seals, SendError, Sending, Sends};
pub use owners::Owners;
pub use paged::{ToldListener, listen_to_told, told_changes};
pub use people::{GroupHistory, Membership, People, PeopleGroup, Person};
pub use related::{Articles, Jobs, RelatedArticle, RelatedJob, RunRequest, RunSummary};
pub use resources::{Place, PlaceKey, PlaceKind, ResourceKey, ResourceSummary, Resources, ServiceGroup};
pub use sessions::{LinkVisit, PageSubject, SessionStart, Sessions};
pub use tenants::Tenants;
