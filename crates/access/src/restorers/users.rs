//! Undoing changes of users: one that is new is deactivated, since none is ever removed.

use std::sync::Arc;

use api::{RequestScope, Restorer, restore};
use base::{body::Request as _, tenant::TenantId};
use db::Result;
use outbox::{Tx, change_sets::objects::ObjectChange};
use serde_json::Value;

use crate::{
    Authenticator,
    lifecycle::users::deactivated,
    users::{row::Row, rules, store, wire::UserChange},
};

/// The fields that a body says.
const FIELDS: [&str; 7] = ["loginName", "firstName", "lastName", "email", "phoneNumber", "mobileNumber", "role"];
const ACTIVATED: &str = "activated";
/// Those that follow from a change.
const DERIVED: [&str; 4] = ["id", "tenantId", "createdDate", "updatedDate"];

/// What stays of a user who is new.
const STAYS: &str = "the user, who is deactivated and stays";

/// Restores users.
pub(super) struct Users(pub(super) Arc<Authenticator>);

impl Restorer for Users {
    fn kinds(&self) -> &'static [&'static str] {
        &["User"]
    }

    fn left(&self, change: &ObjectChange) -> Vec<String> {
        let mut left = restore::left(change, &DERIVED, |name| name == ACTIVATED || FIELDS.contains(&name));
        if !change.existed {
            left.push(STAYS.to_owned());
        }
        left
    }

    fn restore(&self, tx: &mut Tx<'_>, scope: &RequestScope, change: &ObjectChange) -> Result<()> {
        store::lock(&change.entity_id).take(tx.conn)?;
        let tenant = TenantId::parse(&change.tenant_id).ok_or_else(rules::unknown)?;
        let before = store::find_at(tx.conn, &tenant, &change.entity_id)?.ok_or_else(rules::unknown)?;
        let after = match change.existed {
            true => former(tx, scope, change, &before)?,
            false if before.activated => deactivated(tx, &before)?,
            false => return Ok(()),
        };
        if after != before {
            store::update(tx.conn, &before, &after)?;
        }
        tx.record_change(Some(&before), Some(&after))
    }

    fn forget_cached(&self) {
        self.0.forget_callers();
    }
}

/// A user with the values that it had, and in use if it was.
fn former(tx: &mut Tx<'_>, scope: &RequestScope, change: &ObjectChange, user: &Row) -> Result<Row> {
    let was_activated = restore::former(change, ACTIVATED).and_then(Value::as_bool);
    let body: Value = restore::body(change, &FIELDS);
    let is_program = store::is_program(tx.conn, user, tx.now)?;
    let changed = rules::changed_by(&scope.caller, (user, is_program), UserChange::parse(&body)?, tx.now)?;
    match was_activated {
        Some(true) => Ok(rules::activated_by(&scope.caller, &changed, tx.now)?),
        Some(false) if changed.activated => deactivated(tx, &changed),
        _ => Ok(changed),
    }
}
