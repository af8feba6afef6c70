//! The audit log: who changed what, when.

use std::collections::BTreeMap;

use base::{Found, Key, Walk, timestamp::Timestamp};
use db::{Column, Condition, Conn, Order, Result};
use diesel::prelude::*;
use serde_json::{Map, Value, json};

use crate::{Change, Who, schema::audit_log};

/// A row of the log.
#[derive(Clone, Debug, Queryable, Insertable)]
#[diesel(table_name = audit_log)]
pub struct Entry {
    /// The tenant of the entity.
    pub tenant_id: String,
    /// Unique; ascending in time.
    pub id: String,
    /// When, in milliseconds.
    pub at_ms: i64,
    /// The user that acted.
    pub user_id: String,
    /// The API key that acted, or the command.
    pub key_id: String,
    /// `CREATE`, `UPDATE` or `DELETE`.
    pub action: String,
    /// The kind of entity.
    pub entity: String,
    /// Its id.
    pub entity_id: String,
    /// JSON: `{field: {"before": …, "after": …}}`.
    pub changes: String,
    /// The request.
    pub request_id: String,
}

/// The longest value that is kept whole; of a longer one the log says that it changed.
const LONGEST: usize = 2000;

impl Entry {
    pub(crate) fn of(who: &Who, now: Timestamp, change: &Change) -> Self {
        let changes = Value::Object(difference(change.before.as_ref(), change.after.as_ref()));
        Self {
            tenant_id: change.tenant_id.clone(),
            id: format!("AUD-{}", uuid::Uuid::now_v7()),
            at_ms: now.millis(),
            user_id: who.user_id.clone(),
            key_id: who.key_id.clone(),
            action: change.action().as_str().to_owned(),
            entity: change.entity.to_owned(),
            entity_id: change.entity_id.clone(),
            changes: changes.to_string(),
            request_id: who.request_id.clone(),
        }
    }
}

/// Adds rows to the log.
pub(crate) fn insert(conn: &mut Conn, entries: &[Entry]) -> Result<()> {
    db::insert_rows!(conn, audit_log::table, entries)
}

/// The fields that differ, each with its value before and after; nested objects by their path.
fn difference(before: Option<&Value>, after: Option<&Value>) -> Map<String, Value> {
    let (mut old, mut new) = (BTreeMap::new(), BTreeMap::new());
    flatten("", before, &mut old);
    flatten("", after, &mut new);
    let names = old.keys().chain(new.keys()).collect::<std::collections::BTreeSet<_>>();
    let mut changes = Map::new();
    for name in names {
        let (before, after) = (old.get(name), new.get(name));
        if before != after {
            let mut pair = Map::new();
            for (side, value) in [("before", before), ("after", after)] {
                if let Some(value) = value {
                    pair.insert(side.to_owned(), shortened(value));
                }
            }
            changes.insert(name.clone(), Value::Object(pair));
        }
    }
    changes
}

fn flatten<'v>(path: &str, value: Option<&'v Value>, into: &mut BTreeMap<String, &'v Value>) {
    match value {
        None => {}
        Some(Value::Object(fields)) => {
            for (name, value) in fields {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                flatten(&path, Some(value), into);
            }
        }
        Some(value) => {
            into.insert(path.to_owned(), value);
        }
    }
}

fn shortened(value: &Value) -> Value {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        Value::String(text) if text.len() <= LONGEST => value.clone(),
        other => {
            let length = other.to_string().len();
            if length <= LONGEST { value.clone() } else { json!(format!("({length} characters)")) }
        }
    }
}

/// A page of the log, by time.
pub fn page(conn: &mut Conn, condition: &Condition, descending: bool, walk: &Walk) -> Result<Found<Entry>> {
    use audit_log::dsl;
    let order = Order::by([Column::Integer("audit_log.at_ms"), Column::Text("audit_log.id")], descending);
    let total = walk.total(|| dsl::audit_log.filter(condition.clone()).count().get_result(conn))?;
    let query = dsl::audit_log.filter(condition.clone()).filter(order.after(walk.after())?).order(order);
    let rows = query.offset(walk.offset()).limit(walk.wanted()).load(conn)?;
    Ok(walk.cut(rows, total, |entry: &Entry| vec![Key::from(entry.at_ms), Key::from(&entry.id)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_logged_by_its_path() {
        let before = json!({"name": "a", "place": {"city": "Graz", "floor": 1}, "tags": [1]});
        let after = json!({"name": "a", "place": {"city": "Linz", "floor": 1}, "note": "x"});
        let changes = Value::Object(difference(Some(&before), Some(&after)));
        let expected = json!({
            "note": {"after": "x"}, "place.city": {"before": "Graz", "after": "Linz"}, "tags": {"before": [1]}
        });
        assert_eq!(changes, expected);
    }

    #[test]
    fn a_long_value_is_measured_and_not_kept() {
        let changes = difference(None, Some(&json!({"text": "x".repeat(5000)})));
        assert_eq!(Value::Object(changes), json!({"text": {"after": "(5002 characters)"}}));
    }
}
