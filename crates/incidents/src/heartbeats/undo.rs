//! Undoing changes of heartbeats. One that was deleted stays so: nobody pings an address that is made anew, and a
//! heartbeat that is not pinged reports nothing.

use std::sync::Arc;

use api::{RequestScope, Resource as _, Restorer, restore};
use base::body::Request as _;
use db::Result;
use outbox::{Tx, change_sets::objects::ObjectChange};

use super::{pings::Pings, row::Row, rules, store, wire::HeartbeatUpdate};

/// The fields that a heartbeat is made of.
const FIELDS: [&str; 5] = ["name", "interval", "grace", "severity", "device"];
/// Those that follow from a change, or from pings.
const DERIVED: [&str; 7] = ["id", "state", "lastPing", "dueDate", "createdBy", "createdDate", "updatedDate"];

/// Restores heartbeats.
pub struct Heartbeats(pub Arc<Pings>);

impl Restorer for Heartbeats {
    fn kinds(&self) -> &'static [&'static str] {
        &["Heartbeat"]
    }

    fn can_restore(&self, change: &ObjectChange) -> bool {
        change.exists
    }

    fn left(&self, change: &ObjectChange) -> Vec<String> {
        restore::left(change, &DERIVED, |name| FIELDS.contains(&name))
    }

    fn restore(&self, tx: &mut Tx<'_>, _: &RequestScope, change: &ObjectChange) -> Result<()> {
        let body = restore::body(change, &FIELDS);
        restore::restore_resource(
            tx,
            change,
            |_| Err(Row::not_found().into()),
            store::delete,
            |tx, old| {
                let now_ms = tx.now.millis();
                let old = self.0.store_last(tx.conn, old.clone(), now_ms)?;
                let row = rules::apply_change(&old, HeartbeatUpdate::parse(&body)?, now_ms);
                store::update(tx.conn, &old, &row)?;
                Ok(row)
            },
        )
    }

    fn forget_cached(&self) {
        self.0.addresses.forget();
    }
}
