//! From rows to what clients see.

use std::collections::{BTreeMap, HashMap};

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

/// To whom categories are shown.
pub struct Shown<'a> {
    /// Who knows the people.
    pub people: &'a dyn People,
    /// The tenants whose categories may be seen, and whose people may stand in them.
    pub visible: &'a [String],
}

impl Shown<'_> {
    /// These categories, in their order.
    pub fn all(&self, conn: &mut Conn, rows: &[Row]) -> Result<Vec<Category>> {
        let mut parents: Vec<String> = rows.iter().map(|row| row.parent_id.clone()).collect();
        parents.sort_unstable();
        parents.dedup();
        parents.retain(|id| !id.is_empty());
        let parents = store::names(conn, self.visible, &parents)?;
        let users = rows.iter().flat_map(|row| [row.created_by.as_str(), row.updated_by.as_str()]);
        let authors = Authors::load(conn, self.people, self.visible, users)?;
        Ok(rows.iter().map(|row| shown(row, &parents, &authors)).collect())
    }

    /// One category.
    pub fn one(&self, conn: &mut Conn, row: &Row) -> Result<Category> {
        let mut all = self.all(conn, std::slice::from_ref(row))?;
        Ok(all.pop().ok_or_else(rules::no_category)?)
    }

    /// These categories, in their order, with all that is below them.
    pub fn trees(&self, conn: &mut Conn, roots: &[Row]) -> Result<Vec<Category>> {
        let mut rows: Vec<Row> = roots.to_vec();
        let mut level: Vec<String> = roots.iter().map(|row| row.id.clone()).collect();
        while !level.is_empty() {
            let below = store::children(conn, self.visible, &level)?;
            level = below.iter().map(|row| row.id.clone()).collect();
            rows.extend(below);
        }
        let mut children: HashMap<String, Vec<Category>> = HashMap::new();
        let mut found = Vec::new();
        // From the last level up, so that each finds its children complete.
        let shown = self.all(conn, &rows)?;
        for (place, mut one) in shown.into_iter().enumerate().rev() {
            let mut below = children.remove(&one.unique_id).unwrap_or_default();
            below.reverse();
            one.children = Some(below);
            match (&one.parent_category, place < roots.len()) {
                (Some(parent), false) => children.entry(parent.unique_id.clone()).or_default().push(one),
                _ => found.push(one),
            }
        }
        found.reverse();
        Ok(found)
    }
}

fn shown(row: &Row, parents: &BTreeMap<String, String>, authors: &Authors) -> Category {
    let parent = parents.get(&row.parent_id);
    Category {
        unique_id: row.id.clone(),
        name: row.name.clone(),
        parent_category: parent.map(|name| CategoryName { unique_id: row.parent_id.clone(), name: name.clone() }),
        client_unique_id: row.tenant_id.clone(),
        created_by: authors.of(&row.created_by),
        updated_by: authors.of(&row.updated_by),
        created_date: Timestamp::from_millis(row.created_ms).to_string(),
        updated_date: Timestamp::from_millis(row.updated_ms).to_string(),
        children: None,
    }
}

/// Notes that a category changed.
pub fn note(tx: &mut Tx<'_>, before: Option<&Row>, after: Option<&Row>) {
    let Some(row) = after.or(before) else { return };
    tx.note(Change {
        tenant_id: row.tenant_id.clone(),
        entity: "IncidentCategory",
        entity_id: row.id.clone(),
        before: before.map(state),
        after: after.map(state),
        publish: true,
    });
}

/// A category as subscribers and the audit log have it: others by their ids alone.
fn state(row: &Row) -> Value {
    let parent = (!row.parent_id.is_empty()).then(|| json!({"uniqueId": row.parent_id}));
    json!({
        "uniqueId": row.id,
        "name": row.name,
        "parentCategory": parent,
        "createdBy": {"id": row.created_by},
        "updatedBy": {"id": row.updated_by},
        "createdDate": Timestamp::from_millis(row.created_ms),
        "updatedDate": Timestamp::from_millis(row.updated_ms),
    })
}
