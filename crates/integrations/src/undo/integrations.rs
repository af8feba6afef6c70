//! Undoing changes of installed integrations.

use std::sync::Arc;

use api::{RequestScope, Restorer, restore};
use base::problem::Problem;
use db::{Conn, Result};
use outbox::{Tx, change_sets::objects::ObjectChange};
use serde_json::Value;

use super::{former_fields, needs_secrets};
use crate::{
    event::store as events,
    installed::{store, wire::Change},
    notifier::Notifier,
    operations::integrations::{NOTIFIER, SIGNING, change_row, create_row_as, delete_row, switch_row},
    services::Services,
};

/// The fields that are texts.
const FIELDS: [&str; 2] = ["displayName", "description"];
const STATUS: &str = "status";
/// What the fields of the notifier begin with.
const OF_NOTIFIER: &str = "baseNotifier.";
/// Those that follow from a change.
const DERIVED: [&str; 5] = ["id", "integration", "createdBy", "createdDate", "updatedDate"];

/// Restores integrations.
pub struct Integrations(pub Arc<Services>);

impl Restorer for Integrations {
    fn kinds(&self) -> &'static [&'static str] {
        &["Integration"]
    }

    fn can_restore(&self, change: &ObjectChange) -> bool {
        let is_set = |(path, _): (&String, _)| is_restored(change, path, None);
        !change.existed || !change.exists || change.fields.iter().any(is_set)
    }

    fn left(&self, change: &ObjectChange) -> Vec<String> {
        left(change, None)
    }

    fn find_left(
        &self,
        conn: &mut Conn,
        change: &ObjectChange,
        _comes_back: &dyn Fn(&str, &str) -> bool,
    ) -> Result<Vec<String>> {
        let now = store::find(conn, std::slice::from_ref(&change.tenant_id), &change.entity_id)?;
        Ok(left(change, now.and_then(|row| row.notifier()).as_ref()))
    }

    fn restore(&self, tx: &mut Tx<'_>, _: &RequestScope, change: &ObjectChange) -> Result<()> {
        let tenant = [change.tenant_id.clone()];
        if !change.exists {
            return self.create_again(tx, change);
        }
        let row = store::lock_for_update(tx.conn, &tenant, &change.entity_id)?;
        if !change.existed {
            if !events::of_integration(tx.conn, &row.tenant_id, &row.id)?.is_empty() {
                return Err(Problem::conflict("It has events that are not of the change set.").into());
            }
            return delete_row(tx, &self.0, &row);
        }
        let body = body(change, row.notifier().as_ref());
        let row = match body.as_object().is_some_and(|fields| !fields.is_empty()) {
            true => change_row(tx, &self.0, &row, &body)?,
            false => row,
        };
        match restore::former_text(change, STATUS) {
            Some(status) => switch_row(tx, row, status == "ENABLED").map(drop),
            None => Ok(()),
        }
    }
}

impl Integrations {
    /// Installs what was deleted, with a signing secret that nobody knows: disabled, until somebody has rotated it and
    /// said the credentials again.
    fn create_again(&self, tx: &mut Tx<'_>, change: &ObjectChange) -> Result<()> {
        if store::find(tx.conn, std::slice::from_ref(&change.tenant_id), &change.entity_id)?.is_some() {
            return Err(Problem::conflict("There is another integration with this id.").into());
        }
        let new = Change::read_new(&body(change, None), &self.0.guard)?;
        let key = (change.tenant_id.as_str(), change.entity_id.as_str());
        let origin = restore::origin(change, tx);
        create_row_as(tx, &self.0.vault, key, origin, new, false).map(drop)
    }
}

/// What of a change stays as it is; `now` is the notifier that is there.
fn left(change: &ObjectChange, now: Option<&Notifier>) -> Vec<String> {
    if !change.existed {
        return Vec::new();
    }
    let mut left = restore::left(change, &DERIVED, |path| is_restored(change, path, now));
    if !change.exists {
        left.push(SIGNING.to_owned());
    }
    left
}

/// Is a former value given to this field?
fn is_restored(change: &ObjectChange, path: &str, now: Option<&Notifier>) -> bool {
    match path {
        STATUS => change.exists || restore::former_text(change, STATUS) != Some("ENABLED"),
        path if path.starts_with(OF_NOTIFIER) => is_notifier_restored(change, now),
        path => FIELDS.contains(&path),
    }
}

/// A notifier goes with its secrets. One that was not there before cannot be taken away again.
fn is_notifier_restored(change: &ObjectChange, now: Option<&Notifier>) -> bool {
    let is_new = |path: &str| change.fields.get(path).is_some_and(|field| field.before.is_none());
    !needs_secrets(change, OF_NOTIFIER, now) && !is_new("baseNotifier.baseURI")
}

/// What a body would say of the former values.
fn body(change: &ObjectChange, now: Option<&Notifier>) -> Value {
    let mut body = restore::body(change, &FIELDS);
    let notifier = former_fields(change, OF_NOTIFIER);
    if let Some(fields) = body.as_object_mut()
        && !notifier.is_empty()
        && is_notifier_restored(change, now)
    {
        fields.insert(NOTIFIER.to_owned(), notifier.into());
    }
    body
}
