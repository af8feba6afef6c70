//! Undoing changes of notification rules. One that was not there says nothing again, which is as if it were not there.

use api::{RequestScope, Restorer, restore};
use base::body::Request as _;
use db::Result;
use outbox::{Tx, change_sets::objects::ObjectChange};
use serde_json::{Value, json};

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
    for (name, none) in [(STEPS, json!([])), (BEFORE_SHIFT, json!(""))] {
        let field = change.fields.get(name).filter(|field| restore::is_whole(field.before.as_ref()));
        body.extend(field.map(|field| (name.to_owned(), field.before.clone().unwrap_or(none))));
    }
    if let Some(quiet) = restore::former_object(change, QUIET, body.get(QUIET)) {
        body.insert(QUIET.to_owned(), quiet.into());
    }
    body.retain(|name, value| name != QUIET || value.as_object().is_some_and(|quiet| !quiet.is_empty()));
    Value::Object(body)
}
