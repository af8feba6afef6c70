//! Undoing changes of owners.

use api::{RequestScope, Restorer, restore};
use base::{body::Request as _, problem::Problem};
use db::Result;
use outbox::{Tx, change_sets::objects::ObjectChange};
use serde_json::{Value, json};

use super::{
    http::{self, set_owner},
    row::{DEFAULT, Ownership, RESOURCE},
    store,
    wire::OwnerInput,
};
use crate::Neighbours;

const KIND: &str = "kind";
const TARGET: &str = "target";
const GROUP: &str = "userGroup.uniqueId";
/// Those that follow from a change.
const DERIVED: [&str; 2] = ["id", "createdDate"];

/// Restores owners.
pub struct Owners(pub Neighbours);

impl Restorer for Owners {
    fn kinds(&self) -> &'static [&'static str] {
        &["Owner"]
    }

    fn left(&self, change: &ObjectChange) -> Vec<String> {
        restore::left(change, &DERIVED, |name| [KIND, TARGET, GROUP].contains(&name))
    }

    fn restore(&self, tx: &mut Tx<'_>, _: &RequestScope, change: &ObjectChange) -> Result<()> {
        let reach = [change.tenant_id.clone()];
        let now = store::find(tx.conn, &reach, &change.entity_id)?;
        if change.exists && !change.existed {
            let old = now.ok_or_else(http::unknown)?;
            store::delete(tx.conn, &old)?;
            return tx.record_change(Some(&old), None);
        }
        let given = OwnerInput::parse(&body(change, now.as_ref()))?;
        let made = (change.entity_id.clone(), restore::origin(change, tx));
        let set = set_owner(tx, &self.0, (&change.tenant_id, &reach), given, made)?;
        if set.is_some_and(|row| row.id != change.entity_id) {
            return Err(Problem::conflict("It has another owner meanwhile.").into());
        }
        Ok(())
    }
}

/// The body that sets the owner before; what is owned never changes.
fn body(change: &ObjectChange, now: Option<&Ownership>) -> Value {
    let former = |path: &str| restore::former_text(change, path);
    let kind = former(KIND).or(now.map(|row| row.kind.as_str())).unwrap_or(DEFAULT);
    let target = former(TARGET).or(now.map(|row| row.target_id.as_str())).unwrap_or_default();
    let target = match kind {
        DEFAULT => json!(true),
        RESOURCE => json!({"id": target}),
        _ => json!({"id": target.parse::<i64>().unwrap_or_default()}),
    };
    let group = former(GROUP).or(now.map(|row| row.group_id.as_str())).unwrap_or_default();
    json!({kind: target, "userGroup": {"uniqueId": group}})
}
