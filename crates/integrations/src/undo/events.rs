//! Undoing changes of the events of integrations.

use std::sync::Arc;

use api::{RequestScope, Restorer, restore};
use base::{matching::Meter, problem::Problem, timestamp::Timestamp};
use db::{Conn, Result};
use outbox::{Tx, change_sets::objects::ObjectChange};
use serde_json::{Map, Value, json};

use super::{former_fields, had_credentials, needs_secrets};
use crate::{
    event::{
        record::{self, ENTITY, INTEGRATION},
        store,
    },
    headers::is_secret,
    installed::store as installations,
    notifier::Notifier,
    operations::events::{change_row, create_row, switch_row},
    services::Services,
};

/// The fields that a body says as a whole.
const FIELDS: [&str; 9] = [
    "name",
    "entity",
    "eventType",
    USE_BASE,
    "endPointURI",
    "thirdPartyEventType",
    HEADERS,
    "eventPayload",
    "responseHeaders",
];
const USE_BASE: &str = "useBaseNotifier";
const HEADERS: &str = "headers";
/// What the names of secret headers begin with.
const OF_HEADERS: &str = "headers.";
/// What the fields of the notifier, and of the criteria, begin with.
const OF_NOTIFIER: &str = "notifier.";
const OF_CRITERIA: &str = "filterCriteria.";
const ACTIVE: &str = "active";
/// Those without which an event never fires, and which no body takes away.
const NEVER_EMPTY: [&str; 2] = ["entity", "eventType"];
/// Those that follow from others, or from a change.
const DERIVED: [&str; 6] = ["id", "integration", "state", "inactiveBecause", "createdDate", "updatedDate"];

/// What an event loses when it is deleted.
const LOST: &str = "deliveries";

/// Restores events.
pub struct Events(pub Arc<Services>);

impl Restorer for Events {
    fn kinds(&self) -> &'static [&'static str] {
        &[ENTITY]
    }

    /// One with credentials of its own has nowhere to go without them, and the log of former versions does not say
    /// whose it was.
    fn can_restore(&self, change: &ObjectChange) -> bool {
        if !change.exists {
            let is_of_base = change.fields.get(USE_BASE).is_some_and(|field| field.before == Some(json!(true)));
            return restore::former_text(change, INTEGRATION).is_some()
                && (is_of_base || !had_credentials(change, OF_NOTIFIER));
        }
        let is_set = |(path, _): (&String, _)| is_restored(change, path, None);
        !change.existed || change.fields.iter().any(is_set)
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
        let now = store::by_id(conn, &change.tenant_id, &change.entity_id)?;
        Ok(left(change, now.and_then(|row| row.config.0.notifier).as_ref()))
    }

    fn restore(&self, tx: &mut Tx<'_>, _: &RequestScope, change: &ObjectChange) -> Result<()> {
        let tenant = [change.tenant_id.clone()];
        let meter = &Meter::new(Meter::WRITE);
        let tools = (&*self.0.vault, &*self.0.guard, meter);
        if !change.exists {
            let gone = || Problem::conflict("The integration that it was of is gone.");
            let integration = restore::former_text(change, INTEGRATION).ok_or_else(gone)?;
            installations::find(tx.conn, &tenant, integration)?.ok_or_else(gone)?;
            let integration = installations::lock_for_update(tx.conn, &tenant, integration)?;
            let (_, created_ms) = restore::origin(change, tx);
            let id = change.entity_id.as_str();
            let created = Timestamp::from_millis(created_ms);
            let row = create_row(tx, tools, &integration, Some(id), &body(change, None), created)?;
            let active = was_active(change) && is_complete(change);
            return switch_row(tx, &integration, row, active).map(drop);
        }
        let seen = store::by_id(tx.conn, &change.tenant_id, &change.entity_id)?.ok_or_else(store::none)?;
        let integration = installations::lock_for_update(tx.conn, &tenant, &seen.integration_id)?;
        let row = store::by_id(tx.conn, &change.tenant_id, &change.entity_id)?.ok_or_else(store::none)?;
        if !change.existed {
            store::delete(tx.conn, std::slice::from_ref(&row), tx.now)?;
            return record::change(tx, &integration, Some(&row), None);
        }
        let body = body(change, row.config.notifier.as_ref());
        let row = match body.as_object().is_some_and(|fields| !fields.is_empty()) {
            true => change_row(tx, tools, &integration, &row, &body)?,
            false => row,
        };
        match change.fields.contains_key(ACTIVE) {
            true => switch_row(tx, &integration, row, was_active(change)).map(drop),
            false => Ok(()),
        }
    }
}

/// What of a change stays as it is; `now` is the notifier of its own that the event has.
fn left(change: &ObjectChange, now: Option<&Notifier>) -> Vec<String> {
    if !change.existed {
        return Vec::new();
    }
    let mut left = restore::left(change, &DERIVED, |path| is_restored(change, path, now));
    if !change.exists {
        left.extend(lost_headers(change).map(|name| format!("{OF_HEADERS}{name}")));
        if was_active(change) && !is_complete(change) {
            left.push(ACTIVE.to_owned());
        }
        left.push(LOST.to_owned());
    }
    left
}

/// Is a former value given to this field?
fn is_restored(change: &ObjectChange, path: &str, now: Option<&Notifier>) -> bool {
    let was_there = |path: &str| change.fields.get(path).is_some_and(|field| field.before.is_some());
    match path {
        ACTIVE => true,
        HEADERS => !change.exists || !change.fields.keys().any(|path| path.starts_with(OF_HEADERS)),
        path if path.starts_with(OF_NOTIFIER) => is_notifier_restored(change, now),
        path if path.starts_with(OF_CRITERIA) => true,
        path => FIELDS.contains(&path) && (was_there(path) || !NEVER_EMPTY.contains(&path)),
    }
}

/// A notifier goes with its secrets; that of the integration is not the event's.
fn is_notifier_restored(change: &ObjectChange, now: Option<&Notifier>) -> bool {
    let was_base = change.fields.get(USE_BASE).is_some_and(|field| field.before == Some(json!(true)));
    was_base || !needs_secrets(change, OF_NOTIFIER, now)
}

fn was_active(change: &ObjectChange) -> bool {
    change.fields.get(ACTIVE).is_some_and(|field| field.before == Some(json!(true)))
}

/// The names of the headers whose values were secrets.
fn lost_headers(change: &ObjectChange) -> impl Iterator<Item = String> {
    let headers = restore::former(change, HEADERS).and_then(Value::as_array);
    let names = headers.into_iter().flatten().filter_map(|header| header.get("key")?.as_str());
    names.filter(|name| is_secret(name)).map(str::to_ascii_lowercase).collect::<Vec<_>>().into_iter()
}

/// Does the log have all that an event was made of?
fn is_complete(change: &ObjectChange) -> bool {
    change.fields.values().all(|field| restore::is_whole(field.before.as_ref()))
        && lost_headers(change).next().is_none()
}

/// What a body would say of the former values.
fn body(change: &ObjectChange, now: Option<&Notifier>) -> Value {
    let mut body = match restore::body(change, &FIELDS) {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    body.retain(|path, _| is_restored(change, path, now));
    if !change.exists
        && let Some(headers) = body.get_mut(HEADERS).and_then(Value::as_array_mut)
    {
        headers.retain(|header| header["key"].as_str().is_none_or(|name| !is_secret(name)));
    }
    let criteria = former_fields(change, OF_CRITERIA);
    if !criteria.is_empty() {
        let of = |name: &str, without: Value| match criteria.get(name) {
            None => Value::Null,
            Some(Value::Null) => without,
            Some(value) => value.clone(),
        };
        // An event that had none was about all entities, as is one whose criteria have no rule.
        let criteria = json!({"matchType": of("matchType", json!("ALL")), "rules": of("rules", json!([]))});
        body.insert("filterCriteria".to_owned(), criteria);
    }
    let notifier = former_fields(change, OF_NOTIFIER);
    let is_own = body.get(USE_BASE) != Some(&json!(true));
    if !notifier.is_empty() && is_own && is_notifier_restored(change, now) {
        body.insert("notifier".to_owned(), notifier.into());
        // It was the one in use, or the body says otherwise.
        body.entry(USE_BASE).or_insert(json!(false));
    }
    Value::Object(body)
}
