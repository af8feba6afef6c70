//! Undoing changes of scripts.

use std::sync::Arc;

use api::{RequestScope, Restorer, restore};
use base::{body::Request as _, problem::Problem, timestamp::Timestamp};
use db::Result;
use outbox::{Tx, change_sets::objects::ObjectChange};
use ports::People;
use serde_json::{Value, json};

use crate::scripts::{
    http::{answered, delete_locked, lock_for_update},
    rules, store,
    wire::{NewScript, ScriptChange},
};

const PLATFORMS: &str = "platforms";
const CONTENT: &str = "content";
/// The fields of a script that are texts.
const TEXTS: [&str; 4] = ["name", "description", "interpreter", CONTENT];
/// Those that follow from a change.
const DERIVED: [&str; 6] = ["id", "size", "createdBy", "createdDate", "updatedBy", "updatedDate"];

/// Restores scripts.
pub struct Scripts(pub Arc<dyn People>);

impl Restorer for Scripts {
    fn kinds(&self) -> &'static [&'static str] {
        &["JobScript"]
    }

    fn left(&self, change: &ObjectChange) -> Vec<String> {
        restore::left(change, &DERIVED, |name| name == PLATFORMS || TEXTS.contains(&name))
    }

    fn can_restore(&self, change: &ObjectChange) -> bool {
        restore::is_complete(change, &self.left(change), &[CONTENT])
    }

    fn restore(&self, tx: &mut Tx<'_>, scope: &RequestScope, change: &ObjectChange) -> Result<()> {
        let id: i64 = change.entity_id.parse().map_err(|_| rules::no_script())?;
        let tenant = change.tenant_id.as_str();
        let around = scope.scope_and_partner();
        let around = (&*self.0, around.as_slice());
        let mut body = restore::body(change, &TEXTS);
        if let Some(platforms) = restore::former(change, PLATFORMS) {
            body[PLATFORMS] = json!(platforms);
        }
        if !change.exists {
            let origin = restore::origin(change, tx);
            return create(tx, around, (tenant, id), origin, &body);
        }
        let old = lock_for_update(tx, scope, id)?;
        if !change.existed {
            return delete_locked(tx, scope, &*self.0, &old);
        }
        let new = rules::changed(&old, &ScriptChange::parse(&body)?, tx.author(), tx.now);
        store::update(tx.conn, &old, &new)?;
        answered(tx, around, Some(&old), &new).map(drop)
    }
}

/// A script that was deleted is there again, under its number.
fn create(
    tx: &mut Tx<'_>,
    around: (&dyn People, &[String]),
    (tenant, id): (&str, i64),
    (created_by, created_ms): (String, i64),
    body: &Value,
) -> Result<()> {
    store::lock(id).take(tx.conn)?;
    if !store::find(tx.conn, &[tenant.to_owned()], &[id])?.is_empty() {
        return Err(Problem::conflict("There is a script with this id.").into());
    }
    let change = ScriptChange::from(NewScript::parse(body)?);
    let blank = rules::blank(tenant, id, &created_by, Timestamp::from_millis(created_ms));
    let row = rules::changed(&blank, &change, tx.author(), tx.now);
    store::insert(tx.conn, &row)?;
    answered(tx, around, None, &row).map(drop)
}
