//! Undoing changes of categories: a new one goes into the trash, with all below it, and what went there comes back.

use api::{RequestScope, Resource as _, Restorer, restore};
use base::{body::Request as _, problem::Problem};
use db::Result;
use outbox::{
    Tx,
    change_sets::objects::{FieldChange, ObjectChange},
};
use serde_json::Value;

use super::{
    below,
    http::{enter_trash, leave_trash, store_change},
    row::Category,
    rules,
    wire::CategoryChange,
};
use crate::state;

/// The fields that a category is made of.
const FIELDS: [&str; 4] = ["name", "description", "state", PARENT];
/// That of the category above; of one at the top, null by the first name alone.
const PARENT: &str = "parentCategory.id";
/// Those that follow from a change.
const DERIVED: [&str; 8] =
    ["id", "path", "parentCategory", "createdBy", "updatedBy", "createdDate", "updatedDate", below::FIELD];

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
        // It may have come back with the one above already.
        if after == Some(state::TRASH) && before != after && !old.trashed_with.is_empty() {
            leave_trash(tx, &old)?;
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

/// Puts a category into the trash, unless the set left it there.
fn trash(tx: &mut Tx<'_>, old: &Category) -> Result<()> {
    if old.trashed_with.is_empty() { enter_trash(tx, old) } else { Ok(()) }
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
    // One that the set took out of the trash and put back there is changed where it is; and what goes back to the trash
    // may find the one above it there already.
    let outside = |one: &Category| Category { trashed_with: String::new(), ..one.clone() };
    let above = if state == Some(state::TRASH) { above.as_ref().map(outside) } else { above };
    let change = CategoryChange::parse(&body)?;
    let changed = rules::apply_change(&outside(old), change, above.as_ref(), tx.author(), tx.now)?;
    store_change(tx, old, &Category { trashed_with: old.trashed_with.clone(), ..changed })
}
