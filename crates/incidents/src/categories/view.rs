//! Conversion of rows to the types of the interface.

use std::collections::{BTreeMap, HashMap};

use api::Resource as _;
use base::timestamp::Timestamp;
use db::{Conn, Result};
use outbox::{Entity, Recorded};
use ports::{Authors, People};
use serde_json::{Value, json};

use super::{
    row::Category as Row,
    store,
    wire::{Category, CategoryName},
};

/// These categories, in their order; `tenants` are those whose categories may be seen, and whose people may stand in
/// them.
pub fn all(conn: &mut Conn, people: &dyn People, tenants: &[String], rows: &[Row]) -> Result<Vec<Category>> {
    let mut parents: Vec<String> = rows.iter().map(|row| row.parent_id.clone()).collect();
    parents.sort_unstable();
    parents.dedup();
    parents.retain(|id| !id.is_empty());
    let parents = store::names(conn, tenants, &parents)?;
    let users = rows.iter().flat_map(|row| [row.created_by.as_str(), row.updated_by.as_str()]);
    let authors = Authors::load(conn, people, tenants, users)?;
    Ok(rows.iter().map(|row| to_wire(row, &parents, &authors)).collect())
}

/// One category.
pub fn one(conn: &mut Conn, people: &dyn People, tenants: &[String], row: &Row) -> Result<Category> {
    let mut all = self::all(conn, people, tenants, std::slice::from_ref(row))?;
    Ok(all.pop().ok_or_else(Row::not_found)?)
}

/// These categories, in their order, with all that is below them.
pub fn trees(conn: &mut Conn, people: &dyn People, tenants: &[String], roots: &[Row]) -> Result<Vec<Category>> {
    let mut rows: Vec<Row> = roots.to_vec();
    let mut level: Vec<String> = roots.iter().map(|row| row.id.clone()).collect();
    while !level.is_empty() {
        let below = store::children(conn, tenants, &level)?;
        level = below.iter().map(|row| row.id.clone()).collect();
        rows.extend(below);
    }
    let mut children: HashMap<String, Vec<Category>> = HashMap::new();
    let mut found = Vec::new();
    // From the last level up, so that each finds its children complete.
    let shown = all(conn, people, tenants, &rows)?;
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

fn to_wire(row: &Row, parents: &BTreeMap<String, String>, authors: &Authors) -> Category {
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

/// Others by their ids alone.
impl Recorded for Row {
    fn entity(&self) -> Entity<'_> {
        Entity::published("IncidentCategory", &self.tenant_id, &self.id)
    }

    fn event_payload(&self) -> db::Result<Value> {
        let parent = (!self.parent_id.is_empty()).then(|| json!({"uniqueId": self.parent_id}));
        Ok(json!({
            "uniqueId": self.id,
            "name": self.name,
            "parentCategory": parent,
            "createdBy": {"id": self.created_by},
            "updatedBy": {"id": self.updated_by},
            "createdDate": Timestamp::from_millis(self.created_ms),
            "updatedDate": Timestamp::from_millis(self.updated_ms),
        }))
    }
}
