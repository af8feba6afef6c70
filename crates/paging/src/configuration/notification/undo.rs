//! Undoing changes of notification rules. One that was not there says nothing again, which is as if it were not there.

use api::{RequestScope, Restorer, restore};
use base::body::Request as _;
use db::Result;
use outbox::{Tx, change_sets::objects::ObjectChange};
use serde_json::{Map, Value, json};

use super::{
    http::set_rule,
    store,
    wire::{NotificationRule, NotificationRuleInput},
};
use crate::{
    Neighbours,
    configuration::methods::{self, permissions, wire::PersonId},
};

const STEPS: &str = "steps";
const BEFORE_SHIFT: &str = "beforeShift";
const QUIET: &str = "quietHours";
/// What the fields of quiet hours begin with.
const OF_QUIET: &str = "quietHours.";
/// Those that say which rule it is.
const DERIVED: [&str; 2] = ["user", "urgency"];

/// Restores notification rules.
pub struct Rules(pub Neighbours);

impl Restorer for Rules {
    fn kinds(&self) -> &'static [&'static str] {
        &["NotificationRule"]
    }

    fn left(&self, change: &ObjectChange) -> Vec<String> {
        restore::left(change, &DERIVED, |path| [STEPS, BEFORE_SHIFT].contains(&path) || path.starts_with(OF_QUIET))
    }

    fn restore(&self, tx: &mut Tx<'_>, scope: &RequestScope, change: &ObjectChange) -> Result<()> {
        let (user, urgency) = change.entity_id.split_once(':').ok_or_else(methods::rules::no_user)?;
        let (tenant, user) = permissions::person(tx.conn, &self.0, scope, &PersonId(user.to_owned()))?;
        methods::store::lock(&tenant, &user).take(tx.conn)?;
        let rows = store::of_user(tx.conn, &tenant, &user)?;
        let now = rows.iter().find(|row| row.urgency == urgency).map(|row| row.document.0.clone());
        let now = outbox::payload(&NotificationRule::new(&user, urgency, &now.unwrap_or_default()))?;
        let given = NotificationRuleInput::parse(&body(change, urgency, now))?;
        set_rule(tx, tenant, user, given).map(drop)
    }
}

/// The body that sets the rule before, of the rule of now and what changed.
fn body(change: &ObjectChange, urgency: &str, now: Value) -> Value {
    let mut body = match now {
        Value::Object(fields) if change.existed => fields,
        _ => return json!({"urgency": urgency, "steps": []}),
    };
    let whole = change.fields.iter().filter(|(_, field)| restore::is_whole(field.before.as_ref()));
    for (path, field) in whole {
        let before = field.before.clone();
        match (path.as_str(), path.strip_prefix(OF_QUIET)) {
            (STEPS, _) => drop(body.insert(STEPS.to_owned(), before.unwrap_or_else(|| json!([])))),
            (BEFORE_SHIFT, _) => drop(body.insert(BEFORE_SHIFT.to_owned(), before.unwrap_or_else(|| json!("")))),
            (_, Some(name)) => match (before, body.entry(QUIET).or_insert_with(|| Map::new().into()).as_object_mut()) {
                (Some(value), Some(quiet)) => drop(quiet.insert(name.to_owned(), value)),
                (None, Some(quiet)) => drop(quiet.remove(name)),
                (_, None) => {}
            },
            _ => {}
        }
    }
    body.retain(|name, value| name != QUIET || value.as_object().is_some_and(|quiet| !quiet.is_empty()));
    Value::Object(body)
}
