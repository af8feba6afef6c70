//! Undoing changes of time off.

use std::sync::Arc;

use api::{RequestScope, Restorer, restore};
use base::body::Request as _;
use db::Result;
use outbox::{Tx, change_sets::objects::ObjectChange};
use ports::People;

use crate::{
    absences,
    time_off::{
        row::TimeOff,
        rules, store,
        wire::{NewTimeOff, TimeOffChange},
    },
};

/// The fields that an operation sets.
const FIELDS: [&str; 3] = ["from", "to", "reason"];
/// What follows from a change, or stays for good.
const DERIVED: [&str; 5] = ["id", "user", "createdBy", "createdTime", "updatedTime"];

/// Restores time off.
pub struct TimesOff(pub Arc<dyn People>);

impl Restorer for TimesOff {
    fn kinds(&self) -> &'static [&'static str] {
        &["TimeOff"]
    }

    fn left(&self, change: &ObjectChange) -> Vec<String> {
        restore::left(change, &DERIVED, |name| FIELDS.contains(&name))
    }

    fn restore(&self, tx: &mut Tx<'_>, _: &RequestScope, change: &ObjectChange) -> Result<()> {
        let body = restore::body(change, &FIELDS);
        let now = tx.now;
        restore::restore_resource(
            tx,
            change,
            |tx| {
                let user = restore::former_text(change, "user.id").unwrap_or_default();
                let own = std::slice::from_ref(&change.tenant_id);
                if self.0.users(tx.conn, own, &[user.to_owned()])?.is_empty() {
                    return Err(rules::no_user().into());
                }
                let new = NewTimeOff::parse(&body)?;
                let row = rules::created(&change.tenant_id, user, new, tx.author(), tx.now);
                let (created_by, created_ms) = restore::origin(change, tx);
                let row = TimeOff { id: change.entity_id.clone(), created_by, created_ms, ..row };
                absences::store::lock_for_update(tx.conn, &row.tenant_id)?;
                store::insert(tx.conn, &row)?;
                Ok(row)
            },
            |conn, row| store::delete(conn, row, now),
            |tx, old| {
                let row = rules::changed(old, TimeOffChange::parse(&body)?, tx.now)?;
                store::update(tx.conn, old, &row)?;
                Ok(row)
            },
        )
    }
}
