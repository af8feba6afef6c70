//! Undoing changes of the categories of hours. A tenant that set none before sets none again.

use api::{RequestScope, Restorer, restore};
use base::body::Request as _;
use db::Result;
use outbox::{Tx, change_sets::objects::ObjectChange};
use serde_json::Value;

use super::{http::set_categories, store, wire::CategoriesChange};

const FIELDS: [&str; 4] = ["workingFrom", "eveningFrom", "nightFrom", "weekendDays"];

/// Restores the categories of hours.
pub struct Categories;

impl Restorer for Categories {
    fn kinds(&self) -> &'static [&'static str] {
        &["RosterHourCategories"]
    }

    fn left(&self, change: &ObjectChange) -> Vec<String> {
        restore::left(change, &[], |path| FIELDS.contains(&path))
    }

    fn restore(&self, tx: &mut Tx<'_>, scope: &RequestScope, change: &ObjectChange) -> Result<()> {
        let tenant = change.entity_id.as_str();
        if change.existed {
            let former: Value = restore::body(change, &FIELDS);
            let former = CategoriesChange::parse(&former)?;
            return set_categories(tx, tenant, scope.tenant.partner.as_str(), &former).map(drop);
        }
        store::lock(tx.conn, tenant)?;
        let before = store::find(tx.conn, tenant)?;
        store::set(tx.conn, tenant, None)?;
        if let Some(before) = before {
            tx.record_change(Some(&before), None)?;
        }
        Ok(())
    }
}
