//! The resources at a site. Who changes them holds the resources and then the site ([`lock_members`]).

use base::{
    PageRequest, PageRows,
    problem::{FieldError, Problem},
    query::Sort,
};
use db::{Conn, Db, Result};
use outbox::Tx;

use crate::{
    model::{document::STATES, row::Row},
    resources::{self, filter, predicate::Filter, query::ResourceQuery, store::Order},
    sites::{row::Site, wire::SiteMemberReference},
};

/// The sort keys of the list of a site's resources.
pub const SORTS: [&str; 3] = ["id", "name", "hostName"];

/// A page of the resources at a site.
pub fn page(db: &Db, conn: &mut Conn, site: &Site, sort: Sort, walk: &PageRequest) -> Result<PageRows<Row>> {
    let here = vec![Filter::Row(filter::at_sites([site.id])), Filter::Row(filter::states(STATES))];
    let here = ResourceQuery::new(db, conn, std::slice::from_ref(&site.tenant_id), here)?;
    let order = match sort.name {
        "name" => Order::Name,
        "hostName" => Order::HostName,
        _ => Order::Id,
    };
    here.page(conn, order, sort.descending, walk)
}

/// Moves resources of the site's tenant to it. Resources that are there already stay as they
/// are.
///
/// # Errors
/// 400 that lists every reference that names no resource of the site's tenant.
pub fn add(tx: &mut Tx<'_>, partner: &str, site: &Site, given: &[SiteMemberReference]) -> Result<()> {
    for_each_member(tx, site, given, |tx, row| {
        if row.site_id == Some(site.id) { Ok(()) } else { put(tx, partner, row, Some(site.id)) }
    })
}

/// Removes resources from the site. Resources that are not there stay where they are.
pub fn remove(tx: &mut Tx<'_>, partner: &str, site: &Site, given: &[SiteMemberReference]) -> Result<()> {
    for_each_member(
        tx,
        site,
        given,
        |tx, row| if row.site_id == Some(site.id) { put(tx, partner, row, None) } else { Ok(()) },
    )
}

/// Locks the resources that references name until the end of the transaction; to be called before the site is locked.
pub fn lock_members(tx: &mut Tx<'_>, tenant: &str, given: &[SiteMemberReference]) -> Result<()> {
    let ids: Vec<&str> = given.iter().map(|reference| reference.id.as_str()).collect();
    resources::lock::lock_resources(tx.conn, tenant, &ids)
}

fn for_each_member(
    tx: &mut Tx<'_>,
    site: &Site,
    given: &[SiteMemberReference],
    mut change: impl FnMut(&mut Tx<'_>, &Row) -> Result<()>,
) -> Result<()> {
    let mut errors = Vec::new();
    for (index, reference) in given.iter().enumerate() {
        match resources::store::find_current(tx.conn, std::slice::from_ref(&site.tenant_id), &reference.id)? {
            Some(row) => change(tx, &row)?,
            None => errors.push(FieldError::new(format!("[{index}].id"), "names no resource of the site's tenant")),
        }
    }
    // What was changed before the first error is undone with the whole write.
    if errors.is_empty() { Ok(()) } else { Err(Problem::fields(errors).into()) }
}

fn put(tx: &mut Tx<'_>, partner: &str, row: &Row, site: Option<i64>) -> Result<()> {
    let before = row.clone().into_resource()?;
    let mut after = resources::rules::changed(&before, tx.now);
    after.site_id = site;
    resources::store::update(tx.conn, partner, row, &after)?;
    resources::changes::record_change(tx, Some(&before), Some(&after))?;
    Ok(())
}
