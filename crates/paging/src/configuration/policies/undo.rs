//! Undoing changes of escalation policies.

use api::{RequestScope, Restorer, restore};
use base::body::Request as _;
use db::Result;
use outbox::{Tx, change_sets::objects::ObjectChange};

use super::{
    http::check_targets,
    row::Policy,
    rules, store,
    wire::{NewPolicy, PolicyChange},
};
use crate::Neighbours;

/// The fields that a policy is made of.
const FIELDS: [&str; 8] =
    ["name", "description", "steps", "repeat", "atEnd", "ackTimeout", "urgency", "reopenWhenWorse"];
/// Those that follow from a change.
const DERIVED: [&str; 5] = ["id", "createdBy", "updatedBy", "createdDate", "updatedDate"];

/// Restores escalation policies.
pub struct Policies(pub Neighbours);

impl Restorer for Policies {
    fn kinds(&self) -> &'static [&'static str] {
        &["EscalationPolicy"]
    }

    fn can_restore(&self, change: &ObjectChange) -> bool {
        restore::is_complete(change, &self.left(change), &["steps"])
    }

    fn left(&self, change: &ObjectChange) -> Vec<String> {
        restore::left(change, &DERIVED, |name| FIELDS.contains(&name))
    }

    fn restore(&self, tx: &mut Tx<'_>, _: &RequestScope, change: &ObjectChange) -> Result<()> {
        let tenant = change.tenant_id.as_str();
        let body = restore::body(change, &FIELDS);
        store::lock(tenant).take(tx.conn)?;
        restore::restore_resource(
            tx,
            change,
            |tx| {
                let new = NewPolicy::parse(&body)?;
                let (created_by, created_ms) = restore::origin(change, tx);
                let row = rules::created(tenant, new, tx.author(), tx.now);
                let row = Policy { id: change.entity_id.clone(), created_by, created_ms, ..row };
                check_targets(tx.conn, &self.0, tenant, &row.document)?;
                store::insert(tx.conn, &row)?;
                Ok(row)
            },
            store::delete,
            |tx, old| {
                let row = rules::changed(old, PolicyChange::parse(&body)?, tx.author(), tx.now);
                check_targets(tx.conn, &self.0, tenant, &row.document)?;
                store::update(tx.conn, &row)?;
                Ok(row)
            },
        )
    }
}
