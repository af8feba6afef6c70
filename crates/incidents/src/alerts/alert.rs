//! An alert as it is worked with: its row, and what stands in its document.

use base::{text::fold, timestamp::Timestamp};
use db::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    row::Row,
    wire::{self, Device, Escalation, Note, Suppression, Tag, Window},
};

/// The type of an alert that a window expects.
pub const MAINTENANCE: &str = "Maintenance";
/// The type of an alert of which nothing else is said.
pub const MONITORING: &str = "Monitoring";

/// An alert.
#[derive(Clone, Debug)]
pub struct Alert {
    /// What is searched for. Its `document` is behind until [`Alert::into_row`].
    pub row: Row,
    /// The rest.
    pub document: Document,
}

/// What of an alert nothing searches for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Document {
    pub subject: String,
    pub description: String,
    pub old_state: String,
    /// As it is shown.
    pub alert_type: String,
    /// As the sender has it; shown outside maintenance.
    pub given_type: String,
    pub metric: String,
    pub service_name: String,
    pub monitor_name: String,
    pub app: String,
    pub component: String,
    pub device: Option<Device>,
    pub tags: Vec<Tag>,
    pub ext_alert_id: String,
    pub group_key: String,
    pub url: String,
    pub last_event: String,
    pub acknowledgement: Option<Note>,
    pub suppression: Option<Suppression>,
    pub unsuppression: Option<Note>,
    pub maintenance: Option<Window>,
    pub escalation: Option<Escalation>,
    pub closure: Option<Note>,
}

impl Alert {
    /// As it is stored.
    pub fn of(row: Row) -> Result<Self> {
        let document = serde_json::from_str(&row.document).map_err(|error| fault(&row.id, &error))?;
        Ok(Self { row, document })
    }

    /// To be stored.
    pub fn into_row(self) -> Result<Row> {
        let document = serde_json::to_string(&self.document).map_err(|error| fault(&self.row.id, &error))?;
        Ok(Row { document, ..self.row })
    }

    /// No window expects it any more: it is as any other.
    pub fn release(&mut self) {
        let Self { row, document } = self;
        document.alert_type.clone_from(&document.given_type);
        row.type_key = fold(&document.alert_type);
        row.suppression.clear();
        (row.suppressed_until_ms, row.window_tenant, row.window_id) = (None, None, None);
        (document.suppression, document.maintenance) = (None, None);
    }

    /// Something happened to it, which makes another version.
    pub fn happened(&mut self, event: &str, now: Timestamp) {
        event.clone_into(&mut self.document.last_event);
        self.row.updated_ms = now.millis();
        self.row.version += 1;
    }

    /// As clients see it.
    pub fn shown(&self, now: Timestamp) -> wire::Alert<'_> {
        let (row, document) = (&self.row, &self.document);
        wire::Alert {
            id: &row.id,
            unique_id: &row.id,
            client_unique_id: &row.tenant_id,
            subject: &document.subject,
            description: &document.description,
            current_state: &row.current_state,
            old_state: &document.old_state,
            status: row.status(now),
            alert_type: &document.alert_type,
            metric: &document.metric,
            service_name: &document.service_name,
            monitor_name: &document.monitor_name,
            app: &document.app,
            component: &document.component,
            device: document.device.as_ref(),
            tags: &document.tags,
            ext_alert_id: &document.ext_alert_id,
            group_key: &document.group_key,
            url: &document.url,
            repeat_count: row.repeats,
            first_alert_time: Timestamp::from_millis(row.first_ms),
            alert_time: Timestamp::from_millis(row.last_ms),
            created_date: Timestamp::from_millis(row.created_ms),
            updated_date: Timestamp::from_millis(row.updated_ms),
            last_event: &document.last_event,
            acknowledgement: document.acknowledgement.as_ref(),
            suppression: document.suppression.as_ref(),
            unsuppression: document.unsuppression.as_ref(),
            maintenance: document.maintenance.as_ref(),
            escalation: document.escalation.as_ref(),
            closure: document.closure.as_ref(),
            incident_id: row.incident_id.as_deref(),
        }
    }

    /// As rules of windows see it: without what a window that held it back made of it, so that the answer of one that
    /// asks for its type or its status does not change by having been given.
    pub fn unheld(&self, now: Timestamp) -> Result<Value> {
        let mut alert = self.clone();
        alert.release();
        alert.event_payload(now)
    }

    /// As subscribers, the audit log and rules see it.
    pub fn event_payload(&self, now: Timestamp) -> Result<Value> {
        serde_json::to_value(self.shown(now)).map_err(|error| fault(&self.row.id, &error))
    }
}

fn fault(id: &str, error: &serde_json::Error) -> Error {
    Error::Fault(format!("the document of {id}: {error}"))
}
