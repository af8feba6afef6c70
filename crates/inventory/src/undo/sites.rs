//! Undoing changes of sites.

use api::{RequestScope, Restorer, restore};
use base::{body::Request as _, problem::Problem};
use db::Result;
use outbox::{Tx, change_sets::objects::ObjectChange};

use crate::{
    groups,
    sites::{
        row::{self, Site},
        rules, store,
        wire::{NewSite, SiteChange},
    },
};

/// The fields that a site is made of.
const FIELDS: [&str; 5] = ["name", "description", "address", "city", "country"];
/// Those that follow from a change.
const DERIVED: [&str; 4] = ["id", "tenantId", "createdDate", "updatedDate"];

/// Restores sites.
pub struct Sites;

impl Restorer for Sites {
    fn kinds(&self) -> &'static [&'static str] {
        &[row::ENTITY]
    }

    fn left(&self, change: &ObjectChange) -> Vec<String> {
        restore::left(change, &DERIVED, |name| FIELDS.contains(&name))
    }

    fn restore(&self, tx: &mut Tx<'_>, scope: &RequestScope, change: &ObjectChange) -> Result<()> {
        let id: i64 = change.entity_id.parse().map_err(|_| rules::no_site())?;
        let tenant = change.tenant_id.as_str();
        store::lock(tx.conn, id)?;
        if !change.exists {
            let new = NewSite::parse(&restore::body(change, &FIELDS))?;
            if store::find(tx.conn, &[tenant.to_owned()], id)?.is_some() {
                return Err(Problem::conflict("There is a site with this id.").into());
            }
            let (_, created_ms) = restore::origin(change, tx);
            let site = Site { created_ms, ..rules::created(new, tenant.to_owned(), id, tx.now) };
            store::insert(tx.conn, &site)?;
            return tx.record_change(None, Some(&site));
        }
        let old = store::find_required(tx.conn, &[tenant.to_owned()], id)?;
        if !change.existed {
            store::delete(tx.conn, &old)?;
            return tx.record_change(Some(&old), None);
        }
        let site: Site = rules::changed(&old, SiteChange::parse(&restore::body(change, &FIELDS))?, tx.now);
        store::update(tx.conn, &old, &site)?;
        if old.name != site.name {
            groups::dynamic::refresh_site(tx.conn, scope.tenant.partner.as_str(), tenant, id)?;
        }
        tx.record_change(Some(&old), Some(&site))
    }
}
