//! From rows to what clients see.

use base::timestamp::Timestamp;
use outbox::{Entity, Tx};

use super::{row::Cover as Row, wire::Cover};
use crate::people::RosterPeople;

/// A request for cover, with those whom it names.
pub fn one(row: &Row, staff: &RosterPeople, now: Timestamp) -> Cover {
    Cover {
        id: row.id.clone(),
        user: staff.author(&row.user_id),
        start: Timestamp::from_millis(row.start_ms),
        end: Timestamp::from_millis(row.end_ms),
        shift: row.shift_id.clone(),
        asked: row.asked.iter().map(|id| staff.author(id)).collect(),
        note: Some(row.note.clone()).filter(|note| !note.is_empty()),
        status: row.status(now).to_owned(),
        answered_by: row.answered_ms.map(|_| staff.author(&row.answered_by)),
        answered_time: row.answered_ms.map(Timestamp::from_millis),
        override_id: row.override_id.clone(),
        created_by: staff.author(&row.created_by),
        created_time: Timestamp::from_millis(row.created_ms),
    }
}

/// Records that a request for cover was made, or answered.
pub fn record_change(tx: &mut Tx<'_>, staff: &RosterPeople, before: Option<&Row>, after: &Row) -> db::Result<()> {
    let entity = Entity::published("RosterCoverRequest", &after.tenant_id, &after.id);
    let (before, after) = (before.map(|row| one(row, staff, tx.now)), one(after, staff, tx.now));
    tx.record_view(entity, before.as_ref(), Some(&after))
}
