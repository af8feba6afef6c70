//! Conversion of rows to the types of the interface.

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
use crate::state;

/// These categories, in their order; `tenants` are those of the scope and their partner.
pub fn all(conn: &mut Conn, people: &dyn People, tenants: &[String], rows: &[Row]) -> Result<Vec<Category>> {
    let parents = store::names(conn, rows.iter().map(|row| (&row.tenant_id, &row.parent_id)).collect())?;
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
            state: state::effective_state(&row.state, &row.trashed_with).to_owned(),
            created_date: Timestamp::from_millis(row.created_ms).to_string(),
            updated_date: Timestamp::from_millis(row.updated_ms).to_string(),
        }
    };
    Ok(rows.iter().map(show).collect())
}

/// One category.
pub fn one(conn: &mut Conn, people: &dyn People, tenants: &[String], row: &Row) -> Result<Category> {
    let mut all = all(conn, people, tenants, std::slice::from_ref(row))?;
    Ok(all.pop().ok_or_else(Row::not_found)?)
}

impl Recorded for Row {
    fn entity(&self) -> Entity<'_> {
        Entity::published("KbCategory", &self.tenant_id, &self.id)
    }

    fn event_payload(&self) -> db::Result<Value> {
        let parent = (!self.parent_id.is_empty()).then(|| json!({"id": self.parent_id}));
        Ok(json!({
            "id": self.id,
            "name": self.name,
            "description": self.description,
            "parentCategory": parent,
            "path": self.path,
            "state": state::effective_state(&self.state, &self.trashed_with),
            "createdBy": {"id": self.created_by},
            "updatedBy": {"id": self.updated_by},
            "createdDate": Timestamp::from_millis(self.created_ms),
            "updatedDate": Timestamp::from_millis(self.updated_ms),
        }))
    }
}
