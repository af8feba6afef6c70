//! Undoing changes of holiday calendars. What was a holiday while it was known stays one.

use std::sync::Arc;

use api::{RequestScope, Resource as _, Restorer, restore};
use base::{body::Request as _, problem::FieldErrors};
use db::Result;
use outbox::{Recorded as _, Tx, change_sets::objects::ObjectChange};
use ports::People;
use serde_json::{Map, Value, json};

use crate::holidays::{
    http::{check_change, check_new, remove},
    row::HolidayCalendar,
    rules, store,
    wire::{CalendarChange, NewCalendar},
};

/// The fields that an operation sets.
const FIELDS: [&str; 5] = ["name", "days", "url", "users", "userGroups"];
/// What follows from a change, or stays for good.
const DERIVED: [&str; 4] = ["id", "createdBy", "createdTime", "updatedTime"];

/// Restores holiday calendars.
pub struct HolidayCalendars(pub Arc<dyn People>);

impl Restorer for HolidayCalendars {
    fn kinds(&self) -> &'static [&'static str] {
        &["HolidayCalendar"]
    }

    fn left(&self, change: &ObjectChange) -> Vec<String> {
        restore::left(change, &DERIVED, |path| restore::is_in(path, &FIELDS))
    }

    fn restore(&self, tx: &mut Tx<'_>, _: &RequestScope, change: &ObjectChange) -> Result<()> {
        let tenant = change.tenant_id.clone();
        store::lock(tx.conn, &tenant)?;
        let found = HolidayCalendar::find(tx.conn, std::slice::from_ref(&tenant), &change.entity_id)?;
        let Some(old) = found else {
            let new = NewCalendar::parse(&body(change, &json!({"days": {}})))?;
            check_new(tx.conn, &*self.0, &tenant, &new, FieldErrors::default())?;
            let mut row = rules::created(&tenant, change.entity_id.clone(), new, tx.author(), tx.now);
            (row.row.created_by, row.row.created_ms) = restore::origin(change, tx);
            store::insert(tx.conn, &row, tx.now)?;
            return tx.record_change(None, Some(&row));
        };
        if !change.existed {
            return remove(tx, &*self.0, &old);
        }
        let former = CalendarChange::parse(&body(change, &old.event_payload()?))?;
        check_change(tx.conn, &*self.0, &tenant, &former, FieldErrors::default())?;
        let row = rules::changed(&old, former, tx.now);
        store::update(tx.conn, &row, tx.now)?;
        tx.record_change(Some(&old), Some(&row))
    }
}

/// What a body says of the former values, for a calendar that is told so now.
fn body(change: &ObjectChange, now: &Value) -> Value {
    let mut body = Map::new();
    body.extend(restore::former(change, "name").map(|name| ("name".to_owned(), name.clone())));
    let url = restore::former(change, "url");
    let is_read_elsewhere = url.is_some() || (!change.fields.contains_key("url") && now["url"].is_string());
    // One that had none has its days again, and one that is read has those that are there.
    let all = || now["days"].as_object().cloned().filter(|_| change.fields.contains_key("url") || !change.exists);
    let days = restore::former_object(change, "days", now.get("days")).or_else(all);
    body.extend(url.map(|url| ("url".to_owned(), url.clone())));
    if let Some(days) = days.filter(|_| !is_read_elsewhere) {
        // A name that is empty is left out of a body.
        let day = |(date, name): (&String, &Value)| match name.as_str() {
            Some("") => json!({"date": date}),
            _ => json!({"date": date, "name": name}),
        };
        body.insert("days".to_owned(), days.iter().map(day).collect());
    }
    for (name, key) in [("users", "id"), ("userGroups", "uniqueId")] {
        let ids = restore::former(change, name).and_then(Value::as_array);
        let named = |ids: &Vec<Value>| ids.iter().map(|id| json!({key: id})).collect::<Vec<_>>();
        body.extend(ids.map(|ids| (name.to_owned(), named(ids).into())));
    }
    Value::Object(body)
}
