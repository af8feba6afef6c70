//! Undoing changes of categories.

use api::{RequestScope, Resource as _, Restorer, restore};
use base::problem::{FieldErrors, Problem};
use db::Result;
use outbox::{Tx, change_sets::objects::ObjectChange};
use serde_json::Value;

use super::{
    http::{change_locked, delete_locked, find_parent},
    row::Category,
    rules, store,
    wire::CategoryReference,
};

const NAME: &str = "name";
const PARENT: &str = "parentCategory.uniqueId";
/// Those that follow from a change; of a category at the top, `parentCategory` is null.
const DERIVED: [&str; 6] = ["uniqueId", "parentCategory", "createdBy", "updatedBy", "createdDate", "updatedDate"];

/// Restores categories.
pub struct Categories;

impl Restorer for Categories {
    fn kinds(&self) -> &'static [&'static str] {
        &["IncidentCategory"]
    }

    fn left(&self, change: &ObjectChange) -> Vec<String> {
        restore::left(change, &DERIVED, |name| name == NAME)
    }

    fn restore(&self, tx: &mut Tx<'_>, scope: &RequestScope, change: &ObjectChange) -> Result<()> {
        let tenant = change.tenant_id.as_str();
        let name = restore::former_text(change, NAME).map(str::to_owned);
        let place = change.fields.get(PARENT).map(|field| {
            let id = field.before.as_ref().and_then(Value::as_str);
            id.map(|id| CategoryReference { unique_id: Some(id.to_owned()), name: None })
        });
        if !change.exists {
            return create(tx, change, name.unwrap_or_default(), place.flatten().as_ref());
        }
        let old = Category::lock_existing(tx.conn, &[tenant.to_owned()], &change.entity_id)?;
        if !change.existed {
            return delete_locked(tx, &scope.scope(), &old);
        }
        change_locked(tx, &old, name, place, FieldErrors::default()).map(drop)
    }
}

/// A category that was deleted is there again, under its id.
fn create(tx: &mut Tx<'_>, change: &ObjectChange, name: String, parent: Option<&CategoryReference>) -> Result<()> {
    let (tenant, id) = (change.tenant_id.as_str(), change.entity_id.as_str());
    store::lock_of_tree(tenant).take(tx.conn)?;
    if Category::find(tx.conn, &[tenant.to_owned()], id)?.is_some() {
        return Err(Problem::conflict("There is another incident category with this id.").into());
    }
    let mut wrong = FieldErrors::default();
    let parent = find_parent(tx, tenant, parent, &mut wrong)?;
    wrong.check()?;
    let uuid = id.strip_prefix("SCAT-").unwrap_or(id);
    let (created_by, created_ms) = restore::origin(change, tx);
    let row = rules::new_row(tenant, name, parent.as_ref(), uuid, tx.author(), tx.now)?;
    let row = Category { created_by, created_ms, ..row };
    store::insert(tx.conn, tenant, &row.parent_id, std::slice::from_ref(&row))?;
    tx.record_change(None, Some(&row))
}
