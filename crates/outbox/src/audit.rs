//! The audit log: who changed what, when.

use std::{borrow::Cow, collections::BTreeMap};

use base::{Key, PageRequest, PageRows, timestamp::Timestamp};
use db::{Column, Condition, Conn, Error, Order, Partitioned, Result};
use diesel::prelude::*;
use serde::{Serialize, Serializer, ser::Error as _};
use serde_json::Value;
use uuid::Uuid;

use crate::{
    Actor, Change, Unpublished,
    packing::{self, RowContext},
    retention::{Keep, Retention, Setting},
    schema::audit_log,
};

/// A row of the log. What changed is [`Entry::changes`].
#[derive(Clone, Debug, Queryable, Insertable)]
#[diesel(table_name = audit_log, treat_none_as_default_value = false)]
pub struct Entry {
    /// The tenant of the entity.
    pub tenant_id: String,
    /// When, in milliseconds.
    pub at_ms: i64,
    /// What tells the rows of a tenant and an instant apart; it ascends as they are made.
    pub(crate) id: i64,
    /// What [`Entry::id`] answers, of a row that was written when ids were texts.
    former_id: Option<String>,
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
    /// What changed, where it is not packed.
    changes: Option<String>,
    packed: Option<Vec<u8>>,
    /// The request.
    pub request_id: String,
}

/// The log is kept for ever unless somebody says otherwise; so are change sets.
pub(crate) const KEEP: Keep = Keep::Setting(Setting {
    option: "keep-audit",
    variable: "MUSTER_KEEP_AUDIT",
    days: 0,
    help: "How many days the audit log goes back; 0 for ever",
});

pub(crate) const RETENTION: Retention = Retention {
    kind: "audit",
    keep: KEEP,
    most: None,
    table: "audit_log",
    id: "CAST(at_ms AS TEXT) || ' ' || CAST(id AS TEXT)",
    since: "at_ms",
    only: "1 = 1",
    remove: Some(|conn, tenant, ids, _| {
        let mut gone = 0;
        for (at_ms, id) in ids.iter().filter_map(|id| id.split_once(' ')) {
            let (Ok(at_ms), Ok(id)) = (at_ms.parse::<i64>(), id.parse::<i64>()) else { continue };
            gone += db::direct!(conn, |conn| diesel::delete(audit_log::table.find((tenant, at_ms, id))).execute(conn))?;
        }
        Ok(gone)
    }),
};

/// Nothing belongs to a row, so a month goes as a whole when all of it is too old.
pub(crate) const PARTITIONED: Partitioned =
    Partitioned { table: "audit_log", column: "at_ms", prefix: "", goes_whole: true };

/// The longest value that is kept whole; of a longer one the log says that it changed.
const LONGEST: usize = 2000;

/// How many bits of a row's number are those that a UUID of version 7 counts with; above them are the milliseconds from
/// the row's time to that of the UUID, at most half an hour.
const COUNTED: u32 = 42;
const LATEST: u64 = (1 << (63 - COUNTED)) - 1;
/// How many of the counted ones stand behind a UUID's variant.
const BEHIND: u32 = 30;

impl Entry {
    /// The row of a change. `uuid` is of version 7, and later than those of the changes before.
    pub(crate) fn of(
        actor: &Actor,
        now: Timestamp,
        uuid: Uuid,
        change: &Change,
        unpublished: &[Unpublished],
    ) -> Result<Self> {
        let changes = serde_json::to_string(&difference(change.before.as_ref(), change.after.as_ref(), unpublished));
        let changes = changes.map_err(|error| Error::Fault(format!("what changed cannot be told: {error}")))?;
        let about = RowContext { tenant_id: &change.tenant_id, entity_id: &change.entity_id, at: now };
        let packed = packing::pack(&changes, about);
        Ok(Self {
            tenant_id: change.tenant_id.clone(),
            at_ms: now.millis(),
            id: number(now, uuid),
            former_id: None,
            user_id: actor.user_id.clone(),
            key_id: actor.key_id.clone(),
            action: change.action().as_str().to_owned(),
            entity: change.entity.to_owned(),
            entity_id: change.entity_id.clone(),
            changes: packed.is_none().then_some(changes),
            packed,
            request_id: actor.request_id.clone(),
        })
    }

    /// `AUD-` and a UUID; unique.
    pub fn id(&self) -> String {
        self.former_id.clone().unwrap_or_else(|| format!("AUD-{}", uuid(self.at_ms, self.id)))
    }

    /// JSON: `{field: {"before": …, "after": …}}`.
    ///
    /// # Errors
    /// [`Error::Fault`] for a damaged row.
    pub fn changes(&self) -> Result<String> {
        match (&self.changes, &self.packed) {
            (Some(changes), _) => Ok(changes.clone()),
            (None, Some(packed)) => packing::unpack(packed, self.about()),
            (None, None) => Err(Error::Fault("a row of the audit log does not say what changed".to_owned())),
        }
    }

    fn about(&self) -> RowContext<'_> {
        let Self { tenant_id, entity_id, at_ms, .. } = self;
        RowContext { tenant_id, entity_id, at: Timestamp::from_millis(*at_ms) }
    }
}

/// The number of a row: as much of a UUID as tells rows of one instant apart, and keeps their order.
fn number(at: Timestamp, uuid: Uuid) -> i64 {
    let (high, low) = uuid.as_u64_pair();
    let later = (high >> 16).saturating_sub(at.millis().unsigned_abs()).min(LATEST);
    let counted = (high & 0xfff) << BEHIND | low >> 32 & ((1 << BEHIND) - 1);
    (later << COUNTED | counted).cast_signed()
}

/// The UUID that a row is known by: that which its number is made of, without what was by chance.
fn uuid(at_ms: i64, number: i64) -> Uuid {
    let number = number.unsigned_abs();
    let later = number >> COUNTED;
    let counted = number & ((1 << COUNTED) - 1);
    let high = at_ms.unsigned_abs().wrapping_add(later) << 16 | 0x7000 | counted >> BEHIND;
    Uuid::from_u64_pair(high, 1 << 63 | (counted & ((1 << BEHIND) - 1)) << 32)
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

/// Hands on each value of an object with its path, whose steps are between dots ([`step`]).
pub fn flatten<'v>(path: Option<&str>, value: Option<&'v Value>, each: &mut impl FnMut(Cow<'v, str>, &'v Value)) {
    let Some(value) = value else { return };
    let Value::Object(fields) = value else { return each(Cow::Owned(path.unwrap_or_default().to_owned()), value) };
    for (name, value) in fields {
        let name = step(name);
        let is_part = path.is_some();
        let name = path.map_or(name.clone(), |path| Cow::Owned(format!("{path}.{name}")));
        match value {
            // A part without fields is told from one that is not there.
            Value::Object(fields) if fields.is_empty() && is_part => each(name, value),
            Value::Object(_) => flatten(Some(&name), Some(value), each),
            _ => each(name, value),
        }
    }
}

/// A name as a step of a path: dots and backslashes in it have a backslash before them.
pub fn step(name: &str) -> Cow<'_, str> {
    if !name.contains(['.', '\\']) {
        return Cow::Borrowed(name);
    }
    Cow::Owned(name.replace('\\', r"\\").replace('.', r"\."))
}

/// The names that a path is made of. A backslash that nothing follows which needs one is itself: rows that are older
/// than this rule have names as they are.
pub fn steps(path: &str) -> Vec<String> {
    let mut steps = vec![String::new()];
    let mut letters = path.chars().peekable();
    while let Some(letter) = letters.next() {
        let letter = match letter {
            '.' => {
                steps.push(String::new());
                continue;
            }
            '\\' => letters.next_if(|next| ['.', '\\'].contains(next)).unwrap_or(letter),
            letter => letter,
        };
        if let Some(step) = steps.last_mut() {
            step.push(letter);
        }
    }
    steps
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
pub fn page(conn: &mut Conn, condition: &Condition, descending: bool, walk: &PageRequest) -> Result<PageRows<Entry>> {
    use audit_log::dsl;
    let order = Order::by([Column::Integer("audit_log.at_ms"), Column::Integer("audit_log.id")], descending);
    let total = walk.total(|| dsl::audit_log.filter(condition.clone()).count().get_result(conn))?;
    let query = dsl::audit_log.filter(condition.clone()).filter(order.after(walk.after())?).order(order);
    let rows = query.offset(walk.offset()).limit(walk.row_limit()).load(conn)?;
    Ok(walk.cut(rows, total, |entry: &Entry| vec![Key::from(entry.at_ms), Key::from(entry.id)]))
}

#[cfg(test)]
mod tests;
