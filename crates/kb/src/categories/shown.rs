//! From rows to what clients see.

use base::timestamp::Timestamp;
use db::{Conn, Result};
use outbox::{Change, Tx};
use ports::{Authors, People};
use serde_json::{Value, json};

use super::{
    rules,
    store::{self, Category as Row},
    wire::{Category, CategoryName},
};
use crate::state;

/// These categories, in their order; `tenants` are those of the scope and their partner.
pub fn all(conn: &mut Conn, people: &dyn People, tenants: &[String], rows: &[Row]) -> Result<Vec<Category>> {
    let mut parents: Vec<String> = rows.iter().map(|row| row.parent_id.clone()).collect();
    parents.sort_unstable();
    parents.dedup();
    let parents = store::names(conn, tenants, &parents)?;
    let users = rows.iter().flat_map(|row| [row.created_by.as_str(), row.updated_by.as_str()]);
    let authors = Authors::load(conn, people, tenants, users)?;
    let show = |row: &Row| {
        let parent = parents.get(&row.parent_id);
        Category {
            id: row.id.clone(),
            name: row.name.clone(),
            description: row.description.clone(),
            parent_category: parent.map(|name| CategoryName { id: row.parent_id.clone(), name: name.clone() }),
            created_by: authors.of(&row.created_by),
            updated_by: authors.of(&row.updated_by),
            path: row.path.clone(),
            state: state::shown(&row.state, &row.trashed_with).to_owned(),
            created_date: Timestamp::from_millis(row.created_ms).to_string(),
            updated_date: Timestamp::from_millis(row.updated_ms).to_string(),
        }
    };
    Ok(rows.iter().map(show).collect())
}

/// One category.
pub fn one(conn: &mut Conn, people: &dyn People, tenants: &[String], row: &Row) -> Result<Category> {
    let mut all = all(conn, people, tenants, std::slice::from_ref(row))?;
    Ok(all.pop().ok_or_else(rules::no_category)?)
}

/// Notes that a category changed. What stands below it is not told of: it says where it stands by its parent.
pub fn note(tx: &mut Tx<'_>, before: Option<&Row>, after: Option<&Row>) {
    let Some(row) = after.or(before) else { return };
    tx.note(Change {
        tenant_id: row.tenant_id.clone(),
        entity: "KbCategory",
        entity_id: row.id.clone(),
        before: before.map(told),
        after: after.map(told),
        publish: true,
    });
}

/// A category as subscribers and the audit log have it: others by their ids alone.
fn told(row: &Row) -> Value {
    let parent = (!row.parent_id.is_empty()).then(|| json!({"id": row.parent_id}));
    json!({
        "id": row.id,
        "name": row.name,
        "description": row.description,
        "parentCategory": parent,
        "path": row.path,
        "state": state::shown(&row.state, &row.trashed_with),
        "createdBy": {"id": row.created_by},
        "updatedBy": {"id": row.updated_by},
        "createdDate": Timestamp::from_millis(row.created_ms),
        "updatedDate": Timestamp::from_millis(row.updated_ms),
    })
}
