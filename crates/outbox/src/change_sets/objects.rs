//! What a change set made of each object, read off the audit log.

use std::collections::{BTreeMap, HashMap};

use base::{Key, PageRequest, PageRows, timestamp::Timestamp};
use db::{Condition, Conn, Error, Result};
use diesel::{
    prelude::*,
    sql_query,
    sql_types::{BigInt, Text},
};
use serde_json::Value;

use super::ChangeSet;
use crate::{
    audit::Entry,
    schema::{audit_log, change_sets},
};

/// The changes of one object by all of a set, as one.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectChange {
    /// Whose it is.
    pub tenant_id: String,
    /// Its kind, such as `Resource`.
    pub entity: String,
    /// Its id.
    pub entity_id: String,
    /// When the set changed it first.
    pub since: Timestamp,
    /// Was it there before?
    pub existed: bool,
    /// Was it there afterwards?
    pub exists: bool,
    /// The fields that differ, each before and after; of nested ones the path.
    pub fields: BTreeMap<String, FieldChange>,
}

/// A field before and after; [`None`] where it was not there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FieldChange {
    /// Before.
    pub before: Option<Value>,
    /// After.
    pub after: Option<Value>,
}

/// Where in the audit log an object of a set changed first, and what it is.
#[derive(Clone, Debug, QueryableByName)]
pub struct FirstChange {
    /// Whose it is.
    #[diesel(sql_type = Text)]
    pub tenant_id: String,
    #[diesel(sql_type = BigInt)]
    at_ms: i64,
    #[diesel(sql_type = BigInt)]
    id: i64,
    /// Its kind.
    #[diesel(sql_type = Text)]
    pub entity: String,
    /// Its id.
    #[diesel(sql_type = Text)]
    pub entity_id: String,
}

/// Where the rows of a set are: `$1` to `$4` are its tenant, its time, its id, and the caller.
const ROWS: &str = "WITH parts AS ( \
     SELECT owner_id, first_ms AS at_ms, request_id FROM change_sets \
     WHERE tenant_id = $1 AND created_ms = $2 AND id = $3 \
     UNION SELECT owner_id, at_ms, request_id FROM change_set_parts WHERE tenant_id = $1 AND set_id = $3), \
     entries AS ( \
     SELECT a.tenant_id, a.at_ms, a.id, a.action, a.entity, a.entity_id FROM parts p JOIN audit_log a \
     ON a.tenant_id = p.owner_id AND a.at_ms = p.at_ms AND a.request_id = p.request_id AND a.key_id = $4)";

/// The first change of each object, behind [`ROWS`], with where its last one is.
const FIRSTS: &str = "firsts AS (SELECT e.*, row_number() OVER changes AS place, \
     last_value(e.at_ms) OVER changes AS last_ms, last_value(e.id) OVER changes AS last_id FROM entries e \
     WINDOW changes AS (PARTITION BY e.tenant_id, e.entity, e.entity_id ORDER BY e.at_ms, e.id \
     ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)) \
     SELECT tenant_id, at_ms, id, entity, entity_id FROM firsts WHERE place = 1";

/// The order in which objects are undone: what the set made goes in the reverse order in which it was made, and what
/// was there before in that in which it was left. So a site that was deleted is there before a machine that was at it.
const BACKWARDS: &str = "ORDER BY CASE WHEN action = 'CREATE' THEN at_ms ELSE last_ms END DESC, \
     CASE WHEN action = 'CREATE' THEN id ELSE last_id END DESC";

/// All objects that a set changed, in the order in which they are undone.
pub fn all(conn: &mut Conn, set: &ChangeSet) -> Result<Vec<FirstChange>> {
    let rows = sql_query(format!("{ROWS}, {FIRSTS} {BACKWARDS}"))
        .bind::<Text, _>(&set.tenant_id)
        .bind::<BigInt, _>(set.created_ms)
        .bind::<Text, _>(&set.id)
        .bind::<Text, _>(&set.key_id)
        .load(conn)?;
    Ok(rows)
}

/// A page of the objects that a set changed, in the order in which they changed first.
pub fn page(conn: &mut Conn, set: &ChangeSet, walk: &PageRequest) -> Result<PageRows<ObjectChange>> {
    let after = match walk.after() {
        None => (i64::MIN, i64::MIN),
        Some([Key::Integer(at_ms), Key::Integer(id)]) => (*at_ms, *id),
        Some(_) => return Err(db::damaged_cursor()),
    };
    let query =
        format!("{ROWS}, {FIRSTS} AND (at_ms > $5 OR (at_ms = $5 AND id > $6)) ORDER BY at_ms, id LIMIT $7 OFFSET $8");
    let rows: Vec<FirstChange> = sql_query(query)
        .bind::<Text, _>(&set.tenant_id)
        .bind::<BigInt, _>(set.created_ms)
        .bind::<Text, _>(&set.id)
        .bind::<Text, _>(&set.key_id)
        .bind::<BigInt, _>(after.0)
        .bind::<BigInt, _>(after.1)
        .bind::<BigInt, _>(walk.row_limit())
        .bind::<BigInt, _>(walk.offset())
        .load(conn)?;
    let page = walk.cut(rows, set.objects, |row| vec![Key::from(row.at_ms), Key::from(row.id)]);
    let changes = changes(conn, set, &page.rows)?;
    Ok(page.with(changes))
}

/// The rows of the audit log about an object, from the first one of the set on.
fn rows_of(first: &FirstChange) -> Condition {
    // The index has ids in lower case.
    Condition::sql("audit_log.tenant_id = ")
        .text(&first.tenant_id)
        .then(" AND lower(audit_log.entity_id) = lower(")
        .text(&first.entity_id)
        .then(") AND audit_log.entity_id = ")
        .text(&first.entity_id)
        .then(" AND audit_log.entity = ")
        .text(&first.entity)
        .then(" AND audit_log.at_ms >= ")
        .integer(first.at_ms)
}

/// Is a row of the audit log one of the set? Never unknown.
fn is_of(set: &ChangeSet) -> Condition {
    Condition::sql("(audit_log.key_id = ")
        .text(&set.key_id)
        .then(" AND ((audit_log.at_ms = ")
        .integer(set.first_ms)
        .then(" AND audit_log.request_id = ")
        .text(&set.request_id)
        .then(") OR EXISTS (SELECT 1 FROM change_set_parts p WHERE p.tenant_id = ")
        .text(&set.tenant_id)
        .then(" AND p.set_id = ")
        .text(&set.id)
        .then(" AND p.owner_id = audit_log.tenant_id AND p.at_ms = audit_log.at_ms")
        .then(" AND p.request_id = audit_log.request_id)))")
}

fn is_not_of(set: &ChangeSet) -> Condition {
    Condition::sql("NOT ").append(is_of(set))
}

/// What all of a set made of each of some objects, in their order; they are read together.
pub fn changes(conn: &mut Conn, set: &ChangeSet, firsts: &[FirstChange]) -> Result<Vec<ObjectChange>> {
    let rows: Vec<Entry> = audit_log::table
        .filter(Condition::any(firsts.iter().map(rows_of)))
        .filter(is_of(set))
        .order((audit_log::at_ms, audit_log::id))
        .load(conn)?;
    let mut rows_by_object: HashMap<_, Vec<&Entry>> = HashMap::new();
    for row in &rows {
        rows_by_object.entry((&row.tenant_id, &row.entity, &row.entity_id)).or_default().push(row);
    }
    let of = |first: &FirstChange| {
        let rows = rows_by_object.get(&(&first.tenant_id, &first.entity, &first.entity_id));
        change_of(first, rows.map(Vec::as_slice).unwrap_or_default())
    };
    firsts.iter().map(of).collect()
}

/// The rows of the log about one object, in their order, as one change.
fn change_of(first: &FirstChange, rows: &[&Entry]) -> Result<ObjectChange> {
    let FirstChange { tenant_id, entity, entity_id, .. } = first.clone();
    let mut fields = BTreeMap::new();
    for row in rows {
        merge(&mut fields, &row.changes()?)?;
    }
    fields.retain(|_, field| field.before != field.after || is_secret(field));
    let existed = rows.first().is_none_or(|row| row.action != "CREATE");
    let exists = rows.last().is_none_or(|row| row.action != "DELETE");
    let since = Timestamp::from_millis(first.at_ms);
    Ok(ObjectChange { tenant_id, entity, entity_id, since, existed, exists, fields })
}

/// Of a secret the log says that it changed, and by the same word before and after.
fn is_secret(field: &FieldChange) -> bool {
    field.before.as_ref().and_then(Value::as_str) == Some("[secret]")
}

/// Adds a row of the log, later than those before: each field keeps its first value before, and its last one after.
fn merge(fields: &mut BTreeMap<String, FieldChange>, changes: &str) -> Result<()> {
    let damaged = |error| Error::Fault(format!("a row of the audit log: {error}"));
    let changes: BTreeMap<String, BTreeMap<String, Value>> = serde_json::from_str(changes).map_err(damaged)?;
    for (name, mut sides) in changes {
        let before = sides.remove("before");
        let after = sides.remove("after");
        fields.entry(name).or_insert_with(|| FieldChange { before, after: None }).after = after;
    }
    Ok(())
}

/// What became of an object after a set had changed it.
#[derive(Debug)]
pub enum Since {
    /// Nothing: it is as the set left it.
    Unchanged,
    /// The set was undone for it.
    Undone,
    /// Something else changed it; the last change.
    Changed(Box<Entry>),
}

/// What became of each of some objects since a set changed it first; `tenants` are those under which the set may have
/// been undone. Objects that nothing else changed, as most of them, are read together.
pub fn since(conn: &mut Conn, tenants: &[String], set: &ChangeSet, firsts: &[FirstChange]) -> Result<Vec<Since>> {
    let changed = audit_log::table.filter(Condition::any(firsts.iter().map(later_rows))).filter(is_not_of(set));
    if changed.select(audit_log::at_ms).first::<i64>(conn).optional()?.is_none() {
        return Ok(firsts.iter().map(|_| Since::Unchanged).collect());
    }
    firsts.iter().map(|first| since_of(conn, tenants, set, first)).collect()
}

/// The rows of the log about an object that are later than the first one of a set.
fn later_rows(first: &FirstChange) -> Condition {
    rows_of(first)
        .then(" AND (audit_log.at_ms > ")
        .integer(first.at_ms)
        .then(" OR audit_log.id > ")
        .integer(first.id)
        .then(")")
}

fn since_of(conn: &mut Conn, tenants: &[String], set: &ChangeSet, first: &FirstChange) -> Result<Since> {
    let last: Option<Entry> = audit_log::table
        .filter(later_rows(first))
        .filter(is_not_of(set))
        .order((audit_log::at_ms.desc(), audit_log::id.desc()))
        .first(conn)
        .optional()?;
    let Some(last) = last else { return Ok(Since::Unchanged) };
    let undos: Vec<ChangeSet> = change_sets::table
        .filter(change_sets::tenant_id.eq_any(tenants))
        .filter(change_sets::undoes.eq(&set.id))
        .load(conn)?;
    for undo in &undos {
        let row = audit_log::table.find((&last.tenant_id, last.at_ms, last.id));
        let is_undo = row.filter(is_of(undo)).select(audit_log::at_ms).first::<i64>(conn).optional()?;
        if is_undo.is_some() {
            return Ok(Since::Undone);
        }
    }
    Ok(Since::Changed(Box::new(last)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn several_changes_of_an_object_are_one() {
        let mut fields = BTreeMap::new();
        let changes = [
            json!({"name": {"before": "a", "after": "b"}, "note": {"after": 1}}),
            json!({"name": {"before": "b", "after": "c"}, "place": {"before": "Graz"}}),
            json!({"note": {"before": 1}}),
        ];
        changes.iter().for_each(|change| merge(&mut fields, &change.to_string()).unwrap());
        let sides = |name: &str| (fields[name].before.clone(), fields[name].after.clone());
        assert_eq!(sides("name"), (Some(json!("a")), Some(json!("c"))));
        assert_eq!(sides("note"), (None, None));
        assert_eq!(sides("place"), (Some(json!("Graz")), None));
    }
}
