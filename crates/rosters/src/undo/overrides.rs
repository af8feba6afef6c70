//! Undoing changes of overrides: one that is new goes or ends, as when it is deleted, and one that was deleted is there
//! again for what is left of its time.

use std::sync::Arc;

use api::{RequestScope, Restorer, clock, restore};
use base::{body::Request as _, problem::Problem, timestamp::Timestamp};
use db::Result;
use outbox::{Tx, change_sets::objects::ObjectChange};
use ports::People;
use serde_json::{Map, Value, json};

use crate::{
    overrides::{
        http::{check_new, remove},
        row::Override,
        rules, store,
        wire::NewOverride,
    },
    roster::{self, http::lock_for_update, rules::effective_ms},
};

/// What follows from a change, and the place of an override among the others.
const DERIVED: [&str; 4] = ["id", "createdBy", "createdTime", "number"];

/// Restores overrides.
pub struct Overrides(pub Arc<dyn People>);

impl Restorer for Overrides {
    fn kinds(&self) -> &'static [&'static str] {
        &["RosterOverride"]
    }

    /// Of one that was deleted with its roster nothing is left to come once its time is over: the roster comes back all
    /// the same.
    fn can_restore(&self, change: &ObjectChange) -> bool {
        change.exists || end_of(change).is_some_and(|end| end.millis() > effective_ms(clock::now()))
    }

    fn left(&self, change: &ObjectChange) -> Vec<String> {
        // One that was ended stays so: nobody takes over in the past.
        let is_ended = change.existed && change.exists;
        restore::left(change, &DERIVED, |_| !is_ended)
    }

    fn restore(&self, tx: &mut Tx<'_>, scope: &RequestScope, change: &ObjectChange) -> Result<()> {
        let id = change.fields.get("roster.id").and_then(|field| field.before.as_ref().or(field.after.as_ref()));
        let id = id.and_then(Value::as_str).unwrap_or_default();
        let roster = lock_for_update(tx, scope, id)?;
        if change.exists {
            let old = store::existing(tx.conn, &roster.tenant_id, &roster.id, &change.entity_id)?;
            remove(tx, &old, rules::removal(&old, tx.now)?)?;
        } else {
            let new = NewOverride::parse(&body(change, tx.now)?)?;
            let (row, _) = check_new(tx, &*self.0, scope, &roster, new)?;
            let (created_by, created_ms) = restore::origin(change, tx);
            let row = Override {
                created_by,
                created_ms,
                id: change.entity_id.clone(),
                number: restore::former(change, "number").and_then(Value::as_i64).unwrap_or(row.number),
                swap_id: restore::former_text(change, "swapId").map(str::to_owned),
                ..row
            };
            store::insert(tx.conn, &row)?;
            tx.record_change(None, Some(&row))?;
        }
        roster::store::touch(tx.conn, &roster, tx.now)
    }
}

/// When one that was deleted would have ended.
fn end_of(change: &ObjectChange) -> Option<Timestamp> {
    restore::former_text(change, "end").and_then(Timestamp::parse)
}

/// What makes an override for what is left of its time.
fn body(change: &ObjectChange, now: Timestamp) -> Result<Value> {
    let instant = |name| restore::former_text(change, name).and_then(Timestamp::parse);
    let now = Timestamp::from_millis(effective_ms(now));
    if end_of(change).is_none_or(|end| end <= now) {
        return Err(Problem::conflict("Its time is over.").into());
    }
    let mut body = Map::new();
    for (name, path) in [("user", "user.id"), ("shift", "shift.id"), ("replaces", "replaces.id")] {
        if let Some(id) = restore::former(change, path) {
            body.insert(name.to_owned(), json!({"id": id}));
        }
    }
    for name in ["end", "note"] {
        body.extend(restore::former(change, name).map(|value| (name.to_owned(), value.clone())));
    }
    body.insert("start".to_owned(), json!(instant("start").map_or(now, |start| start.max(now))));
    Ok(Value::Object(body))
}
