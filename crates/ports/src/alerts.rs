//! The ports of alerts, incidents, notices and escalations.

use base::{matching::Keys, text::listed, timestamp::Timestamp};
use db::{Conn, Result};
use serde_json::Value;

use crate::ResourceSummary;

/// The keys of an alert that rules may name.
pub const ALERT_KEYS: Keys<'_> = Keys {
    names: &listed::<34>(
        "id uniqueId clientUniqueId subject description currentState oldState status alertType metric serviceName \
         monitorName \
        app component extAlertId groupKey url repeatCount firstAlertTime alertTime createdDate updatedDate lastEvent \
        incidentId sender warnings device device.id device.hostName device.name device.ipAddress device.macAddress \
        device.extResourceId device.resourceType",
    ),
    open: &[
        "tags",
        "acknowledgement",
        "unacknowledgement",
        "previousAcknowledgement",
        "suppression",
        "unsuppression",
        "maintenance",
        "closure",
        "escalation",
        "notes",
    ],
};

/// The alert that a report would make.
#[derive(Clone, Debug, PartialEq)]
pub struct AlertPreview {
    /// The resource that it is about.
    pub resource: Option<ResourceSummary>,
    /// Why it is about none, when the report names one.
    pub problem: Option<&'static str>,
    /// As clients would see it; what rules are compared with.
    pub alert: Value,
}

/// An action of a person on an alert or incident that comes from a link in a message, not from an API request.
#[derive(Clone, Copy, Debug)]
pub struct AlertAction<'a> {
    /// The tenant of the alert.
    pub tenant: &'a str,
    /// `ALT-<uuid>`, or `INC` and digits.
    pub id: &'a str,
    /// Who does it.
    pub user: &'a str,
    /// The means, as the audit log has it in place of a key.
    pub by: &'a str,
    /// The request, as the audit log has it.
    pub request: &'a str,
    /// What is done.
    pub what: AlertActionKind,
    /// The person's note.
    pub note: &'a str,
}

/// The kinds of actions on an alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlertActionKind {
    /// Somebody works on it.
    Acknowledge,
    /// They do not any more.
    Unacknowledge,
    /// It is over.
    Close,
    /// Nobody needs to hear of it until then.
    Suppress(Timestamp),
}

/// An incident, with all that a postmortem needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncidentRecord {
    /// The tenant that it belongs to.
    pub tenant_id: String,
    /// `INC` and digits.
    pub id: String,
    /// One line.
    pub subject: String,
    /// Any text.
    pub description: String,
    /// A word.
    pub priority: String,
    /// A word.
    pub status: String,
    /// Who opened it, by id.
    pub created_by: String,
    /// Who works on it, by id; empty for nobody.
    pub assignee: String,
    /// The names of its machines.
    pub machines: Vec<String>,
    /// Their ids.
    pub machine_ids: Vec<String>,
    /// The ids of its alerts.
    pub alerts: Vec<String>,
    /// The latest notes, oldest first: when, who by id, and what.
    pub notes: Vec<(Timestamp, String, String)>,
    /// When it was opened.
    pub created: Timestamp,
    /// When it was resolved.
    pub resolved: Option<Timestamp>,
    /// When it was closed.
    pub closed: Option<Timestamp>,
}

/// Does something with incidents.
pub trait Incidents: Send + Sync {
    /// Does something with an incident, in the name of a person who works on it from then on when nobody did: with its
    /// row of the audit log and its event. To be called in a write. An incident is not suppressed.
    ///
    /// # Errors
    /// 404 for an unknown incident, 409 when its status does not allow it.
    fn act(&self, conn: &mut Conn, action: AlertAction<'_>, at: Timestamp) -> Result<()>;

    /// Makes an open incident `New`, in nobody's name: it was open for as long as it may be. False when it is in
    /// another state. To be called in a write.
    fn expire_acknowledgement(&self, conn: &mut Conn, tenant: &str, id: &str, at: Timestamp) -> Result<bool>;
}

/// A problem that the service itself detects, or the end of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The tenant of what it is about.
    pub tenant: String,
    /// What kind of thing it is about, and which one: what is told of the same is one problem.
    pub about: (&'static str, String),
    /// The resource that it concerns, when there is one: tenant and id.
    pub resource: Option<(String, String)>,
    /// `None` says that it is over.
    pub severity: Option<&'static str>,
    /// A short title.
    pub subject: String,
    /// The details.
    pub description: String,
    /// The name of the component.
    pub component: String,
}

/// Takes notices of other domains, as it takes the reports of monitors.
pub trait Notices: Send + Sync {
    /// Opens, repeats and closes the alerts of these notices, of which no two are about the same thing. To be called
    /// in a write, with which the alerts commit.
    fn notice(&self, conn: &mut Conn, notices: &[Notice], at: Timestamp) -> Result<()>;
}

/// What is stored of who was told of alerts, as SQL in the place of tables, so that the database joins it with alerts.
/// Both name the alert by `tenant_id` and `alert_id`.
#[derive(Clone, Copy, Debug)]
pub struct PagedAlerts {
    /// Pages, and gaps: `user_id` (or empty), `roster_tenant` and `roster_id` of the roster through which the user was
    /// told (or empty), `step` from 0, `created_ms`, and `sent`: 1, or 0 for what is not and was not to be sent.
    pub pages: &'static str,
    /// The alert route that took an alert: `route_tenant` and `route_id`.
    pub routes: &'static str,
}

/// The escalation of alerts by their policies.
pub trait Escalations: Send + Sync {
    /// Who was told of alerts.
    fn paged(&self) -> PagedAlerts;

    /// The names of these alert routes, those of these tenants that there are: id and name.
    fn route_names(&self, conn: &mut Conn, tenants: &[String], ids: &[String]) -> Result<Vec<(String, String)>>;

    /// Are people to be told again of an acknowledged alert of a tenant that got worse?
    fn reopens_when_worse(&self, conn: &mut Conn, tenant: &str, alert: &str) -> Result<bool>;

    /// Makes the next step of the escalation of an alert due. To be called in a write; false when there is none.
    fn escalate(&self, conn: &mut Conn, tenant: &str, alert: &str, at: Timestamp) -> Result<bool>;
}

/// The alerts of tenants.
pub trait Alerts: Send + Sync {
    /// The alert that a report of a tenant would make at an instant, read exactly as one that is taken in; nothing is
    /// stored. `scope` are the tenants whose resources it may name.
    ///
    /// # Errors
    /// 400 that lists every field that is wrong.
    fn preview(
        &self,
        conn: &mut Conn,
        tenant: &str,
        scope: &[String],
        report: &Value,
        at: Timestamp,
    ) -> Result<AlertPreview>;

    /// The alert with this id among those of these tenants, as clients see it at an instant.
    fn find(&self, conn: &mut Conn, tenants: &[String], id: &str, at: Timestamp) -> Result<Option<Value>>;

    /// When an alert of a tenant was taken in, to the millisecond, which [`Alerts::find`] tells to the second.
    fn taken_in(&self, conn: &mut Conn, tenant: &str, id: &str) -> Result<Option<Timestamp>>;

    /// The version of an alert of a tenant (`ETag`), which nobody else changes until the end of the transaction. To be
    /// called in a write.
    fn locked_version(&self, conn: &mut Conn, tenant: &str, id: &str) -> Result<Option<i64>>;

    /// The incident with this id among those of these tenants, with at most so many notes.
    fn incident(&self, conn: &mut Conn, tenants: &[String], id: &str, notes: i64) -> Result<Option<IncidentRecord>>;

    /// Does something with an alert, in the name of a person: with its row of the audit log and its event. To be called
    /// in a write.
    ///
    /// # Errors
    /// 404 for an unknown alert, 409 when its state does not allow it.
    fn act(&self, conn: &mut Conn, action: AlertAction<'_>, at: Timestamp) -> Result<Value>;

    /// Takes the acknowledgement of an alert back, in nobody's name, when it was given at an instant or before: it held
    /// for as long as it may. False when it is not, or not any more, acknowledged since then. To be called in a write.
    fn expire_acknowledgement(
        &self,
        conn: &mut Conn,
        tenant: &str,
        id: &str,
        given: Timestamp,
        at: Timestamp,
    ) -> Result<bool>;
}
