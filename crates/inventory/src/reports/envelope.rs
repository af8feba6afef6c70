//! The envelope of a report: the agent that sends it, and the facts beside the content.

use super::model::{ItemType, Origin, Report};

/// The facts that stand beside the content.
pub(super) struct Envelope {
    pub(super) device_id: String,
    pub(super) origin: Origin,
    pub(super) item_type: ItemType,
    pub(super) partial: bool,
    pub(super) tag: Option<String>,
}

impl Envelope {
    /// An empty report with the fields of the envelope.
    pub(super) fn report(&self) -> Report {
        Report {
            device_id: self.device_id.clone(),
            origin: self.origin,
            item_type: self.item_type,
            partial: self.partial,
            tag: self.tag.clone(),
            ..Report::default()
        }
    }
}
