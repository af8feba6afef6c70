//! Undoing changes of categories: a new one goes into the trash, with all below it, and what went there comes back.

use api::{RequestScope, Resource as _, Restorer, restore};
use base::{body::Request as _, problem::Problem};
use db::Result;
use outbox::{
    Tx,
    change_sets::objects::{FieldChange, ObjectChange},
};
use serde_json::Value;

use super::{http::leave_trash, row::Category, rules, store, wire::CategoryChange};
use crate::state;

/// The fields that a category is made of.
const FIELDS: [&str; 4] = ["name", "description", "state", PARENT];
/// That of the category above; of one at the top, null by the first name alone.
const PARENT: &str = "parentCategory.id";
/// Those that follow from a change.
const DERIVED: [&str; 7] = ["id", "path", "parentCategory", "createdBy", "updatedBy", "createdDate", "updatedDate"];

/// Restores categories.
pub struct Categories;

impl Restorer for Categories {
    fn kinds(&self) -> &'static [&'static str] {
        &["KbCategory"]
    }

    fn left(&self, change: &ObjectChange) -> Vec<String> {
        restore::left(change, &DERIVED, |name| FIELDS.contains(&name))
    }

    fn restore(&self, tx: &mut Tx<'_>, _: &RequestScope, change: &ObjectChange) -> Result<()> {
        if !change.exists {
            return Err(Problem::conflict("The category is gone for good.").into());
        }
        let tenant = [change.tenant_id.clone()];
        let old = Category::lock_existing(tx.conn, &tenant, &change.entity_id)?;
        if !change.existed {
            return trash(tx, &old);
        }
        let (before, after) = states(change);
        if after == Some(state::TRASH) && before != after {
            leave_trash(tx, &old)?;
            let row = Category::existing(tx.conn, &tenant, &old.id)?;
            tx.record_change(Some(&old), Some(&row))?;
        }
        let current = Category::existing(tx.conn, &tenant, &old.id)?;
        set_fields(tx, change, &current, before)?;
        if before == Some(state::TRASH) && before != after {
            let current = Category::existing(tx.conn, &tenant, &old.id)?;
            trash(tx, &current)?;
        }
        Ok(())
    }
}

/// The state before and after, where it changed.
fn states(change: &ObjectChange) -> (Option<&str>, Option<&str>) {
    let field = change.fields.get("state");
    let side = |side: fn(&FieldChange) -> &Option<Value>| field.and_then(|field| side(field).as_ref()?.as_str());
    (side(|field| &field.before), side(|field| &field.after))
}

fn trash(tx: &mut Tx<'_>, old: &Category) -> Result<()> {
    if !old.trashed_with.is_empty() {
        return Err(rules::in_trash(&old.id, &old.name).into());
    }
    let author = tx.author().to_owned();
    store::delete(tx.conn, old, &author, tx.now.millis())?;
    let row = Category::existing(tx.conn, std::slice::from_ref(&old.tenant_id), &old.id)?;
    tx.record_change(Some(old), Some(&row))
}

/// Gives a category the name, the description, the state and the place that it had.
fn set_fields(tx: &mut Tx<'_>, change: &ObjectChange, old: &Category, state: Option<&str>) -> Result<()> {
    let mut body = restore::body(change, &["name", "description"]);
    if let Some(fields) = body.as_object_mut()
        && let Some(state) = state.filter(|state| *state != state::TRASH && *state != old.state)
    {
        fields.insert("state".to_owned(), state.into());
    }
    let place = change.fields.get(PARENT).map(|field| field.before.as_ref().and_then(Value::as_str).unwrap_or(""));
    if body.as_object().is_none_or(serde_json::Map::is_empty) && place.is_none() {
        return Ok(());
    }
    let tenant = std::slice::from_ref(&old.tenant_id);
    let above = Category::find(tx.conn, tenant, place.unwrap_or(&old.parent_id))?;
    if above.is_none() && place.is_some_and(|place| !place.is_empty()) {
        return Err(Problem::conflict("The category that it was below is gone.").into());
    }
    let row = rules::apply_change(old, CategoryChange::parse(&body)?, above.as_ref(), tx.author(), tx.now)?;
    store::update(tx.conn, old, &row)?;
    tx.record_change(Some(old), Some(&row))
}
