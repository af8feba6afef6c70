//! Undoing changes of alert routes.

use api::{RequestScope, Resource as _, Restorer, restore};
use base::matching::Meter;
use db::Result;
use outbox::{Tx, change_sets::objects::ObjectChange};
use serde_json::{Map, Value, json};

use super::{
    row::Route,
    rules, store,
    wire::{self, NewRoute, RouteChange},
};
use crate::configuration::policies::{self, row::Policy};

/// The fields that a route is made of.
const FIELDS: [&str; 5] = ["name", "matchingType", "rules", "position", "isDefault"];
const POLICY: &str = "policy.id";
/// Those that follow from a change.
const DERIVED: [&str; 5] = ["id", "createdBy", "updatedBy", "createdDate", "updatedDate"];

/// Restores alert routes.
pub struct Routes;

impl Restorer for Routes {
    fn kinds(&self) -> &'static [&'static str] {
        &["AlertRoute"]
    }

    fn can_restore(&self, change: &ObjectChange) -> bool {
        restore::is_complete(change, &self.left(change), &["rules"])
    }

    fn left(&self, change: &ObjectChange) -> Vec<String> {
        restore::left(change, &DERIVED, |name| name == POLICY || FIELDS.contains(&name))
    }

    fn restore(&self, tx: &mut Tx<'_>, _: &RequestScope, change: &ObjectChange) -> Result<()> {
        let tenant = change.tenant_id.as_str();
        policies::store::lock(tenant).take(tx.conn)?;
        restore::restore_resource(
            tx,
            change,
            |tx| {
                let (new, rules) = wire::read::<NewRoute>(&body(change), &Meter::new(Meter::WRITE))?;
                Policy::named(tx.conn, tenant, "policy.id", &new.policy)?;
                let position = store::behind_all(tx.conn, tenant)?;
                let row = rules::created(tenant, new, rules, position, tx.author(), tx.now)?;
                let (created_by, created_ms) = restore::origin(change, tx);
                let row = Route { id: change.entity_id.clone(), created_by, created_ms, ..row };
                store::insert(tx.conn, &row)?;
                Ok(row)
            },
            store::delete,
            |tx, old| {
                let body = body(change);
                let (mut former, rules) = wire::read::<RouteChange>(&body, &Meter::new(Meter::WRITE))?;
                // A default had no rules.
                let had_none = change.fields.get("rules").is_some_and(|field| field.before == Some(json!([])));
                former.has_rules = former.has_rules.or(had_none.then_some(true));
                if let Some(policy) = &former.policy {
                    Policy::named(tx.conn, tenant, "policy.id", policy)?;
                }
                let row = rules::changed(old, former, rules, tx.author(), tx.now)?;
                store::update(tx.conn, &row)?;
                Ok(row)
            },
        )
    }
}

/// What a body would say of the former values.
fn body(change: &ObjectChange) -> Value {
    let mut fields = match restore::body(change, &FIELDS) {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    fields.retain(|name, value| name != "rules" || value.as_array().is_some_and(|rules| !rules.is_empty()));
    if let Some(policy) = change.fields.get(POLICY).and_then(|field| field.before.as_ref()) {
        fields.insert("policy".to_owned(), json!({"id": policy}));
    }
    Value::Object(fields)
}
