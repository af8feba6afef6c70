//! From rows to what clients see.

use base::timestamp::Timestamp;
use outbox::{Entity, Recorded};
use ports::Person;
use serde_json::{Value, json};

use super::{
    row::{Override as Row, ShiftThen},
    wire::{Override, Reference},
};
use crate::{people::RosterPeople, roster::wire::User};

/// An override, with those whom it names.
pub fn one(row: Row, staff: &RosterPeople) -> Override {
    let shown = |id: &String| {
        let unknown = || Person { id: id.clone(), ..Person::default() };
        staff.user(id).map_or_else(|| User::full(&unknown()), User::full)
    };
    Override {
        id: row.id,
        user: shown(&row.user_id),
        replaces: row.replaces.as_ref().map(shown),
        swap_id: row.swap_id,
        start: Timestamp::from_millis(row.start_ms),
        end: Timestamp::from_millis(row.end_ms),
        shift: row.shift_id.zip(row.shift_name).map(|(id, name)| Reference { id, name }),
        note: Some(row.note).filter(|note| !note.is_empty()),
        created_by: staff.author(&row.created_by),
        created_time: Timestamp::from_millis(row.created_ms),
    }
}

/// What an override says of its shift as that was when the override was made; `None` for the whole roster.
pub fn shift_then(row: &Row) -> db::Result<Option<Value>> {
    if row.shift_id.is_none() {
        return Ok(None);
    }
    let then = ShiftThen {
        zone: row.zone.clone(),
        schedule: row.schedule.as_deref().cloned(),
        settings: row.shift_settings.as_deref().cloned(),
    };
    outbox::payload(&then).map(Some)
}

/// Subscribers and the audit log see people by their ids alone.
impl Recorded for Row {
    fn entity(&self) -> Entity<'_> {
        Entity::published("RosterOverride", &self.tenant_id, &self.id)
    }

    fn event_payload(&self) -> db::Result<Value> {
        Ok(json!({
            "id": self.id,
            "roster": {"id": self.roster_id},
            "user": {"id": self.user_id},
            "start": Timestamp::from_millis(self.start_ms),
            "end": Timestamp::from_millis(self.end_ms),
            "shift": self.shift_id.as_ref().map(|id| json!({"id": id, "name": self.shift_name})),
            "replaces": self.replaces.as_ref().map(|id| json!({"id": id})),
            "swapId": self.swap_id,
            "note": self.note,
            "createdBy": {"id": self.created_by},
            "createdTime": Timestamp::from_millis(self.created_ms),
        }))
    }
}
