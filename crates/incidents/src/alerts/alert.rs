//! The changes and representations that all alerts share.

use base::{text::fold, timestamp::Timestamp};
use db::{Error, Result};
use serde_json::Value;

use super::{
    row::{Alert, Document},
    wire,
};

/// The type of an alert that a window expects.
pub const MAINTENANCE: &str = "Maintenance";
/// The type of an alert whose report names none.
pub const MONITORING: &str = "Monitoring";

impl Alert {
    /// Undoes the suppression by a window.
    pub fn release(&mut self) {
        let document = &mut *self.document;
        document.alert_type.clone_from(&document.given_type);
        self.type_key = fold(&document.alert_type);
        self.suppression.clear();
        self.suppressed_until_ms = None;
        self.window_tenant = None;
        self.window_id = None;
        document.suppression = None;
        document.maintenance = None;
    }

    /// Does a note of it, or of what somebody did with it, say this?
    pub fn has_note(&self, text: &str) -> bool {
        let Document { acknowledgement, unacknowledgement, closure, notes, .. } = &*self.document;
        let done = [acknowledgement, unacknowledgement, closure].into_iter().flatten();
        done.chain(notes).any(|known| known.note == text)
    }

    /// Records the last event, which makes another version.
    pub fn record_event(&mut self, event: &str, now: Timestamp) {
        event.clone_into(&mut self.document.last_event);
        self.updated_ms = now.millis();
        self.version += 1;
    }

    /// The alert as clients see it.
    pub fn to_wire(&self, now: Timestamp) -> wire::Alert<'_> {
        let row = self;
        let document = &*self.document;
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
            unacknowledgement: document.unacknowledgement.as_ref(),
            previous_acknowledgement: document.previous_acknowledgement.as_ref(),
            suppression: document.suppression.as_ref(),
            unsuppression: document.unsuppression.as_ref(),
            maintenance: document.maintenance.as_ref(),
            escalation: document.escalation.as_ref(),
            closure: document.closure.as_ref(),
            incident_id: row.incident_id.as_deref(),
            sender: &row.sender,
            notes: &document.notes,
            warnings: &document.warnings,
        }
    }

    /// The payload for rules of windows: without the effects of a window, so that a rule about the type or the status
    /// still matches after its window has changed them.
    pub fn unsuppressed_payload(&self, now: Timestamp) -> Result<Value> {
        let mut alert = self.clone();
        alert.release();
        alert.event_payload(now)
    }

    /// The payload for subscribers, the audit log and rules.
    pub fn event_payload(&self, now: Timestamp) -> Result<Value> {
        serde_json::to_value(self.to_wire(now))
            .map_err(|error| Error::Fault(format!("the document of {}: {error}", self.id)))
    }
}
