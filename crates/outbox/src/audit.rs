//! The audit log: who changed what, when.

use std::{borrow::Cow, collections::BTreeMap};

use base::{Found, Key, Walk, timestamp::Timestamp};
use db::{Column, Condition, Conn, Error, Order, Result};
use diesel::prelude::*;
use serde::{Serialize, Serializer, ser::Error as _};
use serde_json::Value;

use crate::{
    Actor, Change, Unpublished,
    retention::{Keep, Retention, Setting},
    schema::audit_log,
};

/// A row of the log.
#[derive(Clone, Debug, Queryable, Insertable)]
#[diesel(table_name = audit_log, treat_none_as_default_value = false)]
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

/// The log is kept for ever unless somebody says otherwise.
pub(crate) const RETENTION: Retention = Retention {
    kind: "audit",
    keep: Keep::Setting(Setting {
        option: "keep-audit",
        variable: "MUSTER_KEEP_AUDIT",
        days: 0,
        help: "How many days the audit log goes back; 0 for ever",
    }),
    most: None,
    table: "audit_log",
    id: "id",
    since: "at_ms",
    only: "1 = 1",
    remove: |conn, tenant, ids, _| {
        use audit_log::dsl;
        Ok(diesel::delete(dsl::audit_log.filter(dsl::tenant_id.eq(tenant)).filter(dsl::id.eq_any(ids)))
            .execute(conn)?)
    },
};

/// The longest value that is kept whole; of a longer one the log says that it changed.
const LONGEST: usize = 2000;

impl Entry {
    pub(crate) fn of(actor: &Actor, now: Timestamp, change: &Change, unpublished: &[Unpublished]) -> Result<Self> {
        let changes = serde_json::to_string(&difference(change.before.as_ref(), change.after.as_ref(), unpublished));
        Ok(Self {
            tenant_id: change.tenant_id.clone(),
            id: format!("AUD-{}", uuid::Uuid::now_v7()),
            at_ms: now.millis(),
            user_id: actor.user_id.clone(),
            key_id: actor.key_id.clone(),
            action: change.action().as_str().to_owned(),
            entity: change.entity.to_owned(),
            entity_id: change.entity_id.clone(),
            changes: changes.map_err(|error| Error::Fault(format!("what changed cannot be told: {error}")))?,
            request_id: actor.request_id.clone(),
        })
    }
}

/// Adds rows to the log.
pub(crate) fn insert(conn: &mut Conn, entries: &[Entry]) -> Result<()> {
    db::insert_rows!(conn, audit_log::table, entries)
}

/// A field that changed, as the log has it.
#[derive(Default, PartialEq, Serialize)]
struct Sides<'v> {
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "shortened")]
    before: Option<&'v Value>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "shortened")]
    after: Option<&'v Value>,
}

/// The fields that differ, each with its value before and after; nested objects by their path. Secrets that changed are
/// among them whatever is told of them.
fn difference<'v>(
    before: Option<&'v Value>,
    after: Option<&'v Value>,
    unpublished: &'v [Unpublished],
) -> BTreeMap<Cow<'v, str>, Sides<'v>> {
    let mut fields: BTreeMap<_, Sides<'v>> = BTreeMap::new();
    let (secrets, others): (Vec<_>, Vec<_>) = unpublished.iter().partition(|field| field.secret);
    let sides = std::iter::once((None, before, after)).chain(
        others.into_iter().map(|field| (Some(field.name.as_str()), field.before.as_ref(), field.after.as_ref())),
    );
    for (path, before, after) in sides {
        flatten(path, before, &mut |name, value| fields.entry(name).or_default().before = Some(value));
        flatten(path, after, &mut |name, value| fields.entry(name).or_default().after = Some(value));
    }
    fields.retain(|_, sides| sides.before != sides.after);
    for Unpublished { name, before, after, .. } in secrets {
        fields.insert(Cow::Borrowed(name), Sides { before: before.as_ref(), after: after.as_ref() });
    }
    fields
}

fn flatten<'v>(path: Option<&str>, value: Option<&'v Value>, each: &mut impl FnMut(Cow<'v, str>, &'v Value)) {
    let Some(value) = value else { return };
    let Value::Object(fields) = value else { return each(Cow::Owned(path.unwrap_or_default().to_owned()), value) };
    for (name, value) in fields {
        let name = path.map_or(Cow::Borrowed(name.as_str()), |path| Cow::Owned(format!("{path}.{name}")));
        match value {
            Value::Object(_) => flatten(Some(&name), Some(value), each),
            _ => each(name, value),
        }
    }
}

/// A value, or of a long one its length in characters: a text's own, of an array those of its JSON.
fn shortened<S: Serializer>(value: &Option<&Value>, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    // No text has more characters than bytes.
    let length_of = |text: &str| if text.len() <= LONGEST { 0 } else { text.chars().count() };
    let told = |length: usize| format!("({length} characters)");
    match value {
        Some(Value::String(text)) => match length_of(text) {
            length if length > LONGEST => told(length).serialize(serializer),
            _ => text.serialize(serializer),
        },
        Some(value @ (Value::Array(_) | Value::Object(_))) => {
            let json = serde_json::value::to_raw_value(value).map_err(S::Error::custom)?;
            match length_of(json.get()) {
                length if length > LONGEST => told(length).serialize(serializer),
                _ => json.serialize(serializer),
            }
        }
        value => value.serialize(serializer),
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
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_differs_is_logged_by_its_path() {
        let before = json!({"name": "a", "place": {"city": "Graz", "floor": 1}, "tags": [1]});
        let after = json!({"name": "a", "place": {"city": "Linz", "floor": 1}, "note": "x"});
        let changes = json!(difference(Some(&before), Some(&after), &[]));
        let expected = json!({
            "note": {"after": "x"}, "place.city": {"before": "Graz", "after": "Linz"}, "tags": {"before": [1]}
        });
        assert_eq!(changes, expected);
    }

    #[test]
    fn a_long_value_is_measured_and_not_kept() {
        let logged = |value: Value| json!(difference(None, Some(&json!({"x": value})), &[]))["x"]["after"].clone();
        assert_eq!(logged(json!("x".repeat(2001))), "(2001 characters)");
        assert_eq!(logged(json!("ä".repeat(2001))), "(2001 characters)");
        // Characters count, neither bytes nor what JSON makes of them.
        for kept in [json!("ä".repeat(2000)), json!("\"".repeat(2000)), json!(["é".repeat(1996)]), json!(null)] {
            assert_eq!(logged(kept.clone()), kept);
        }
        assert_eq!(logged(json!(["é".repeat(1997)])), "(2001 characters)");
    }
}
