//! The resources at a site.

use base::{
    problem::{FieldError, Problem},
    query::Sort,
    timestamp::Timestamp,
};
use db::{Conn, Result};

use super::{store::Site, wire::SiteMemberReference};
use crate::resources::{self, document::STATES, filter, row::Row, store::Order};

/// A page of the resources at a site, and how many there are on all pages.
pub fn page(conn: &mut Conn, site: &Site, sort: Sort, offset: i64, limit: i64) -> Result<(Vec<Row>, i64)> {
    let here = db::Condition::all([
        filter::tenants(std::slice::from_ref(&site.tenant_id)),
        filter::at_sites([site.id]),
        filter::states(STATES),
    ]);
    let order = match sort.name {
        "name" => Order::Name,
        "hostName" => Order::HostName,
        _ => Order::Id,
    };
    resources::store::page(conn, &here, order, sort.descending, offset, limit)
}

/// Puts resources of the site's tenant there, away from where they were. Those that are there already stay as they
/// are.
///
/// # Errors
/// 400 that lists every reference that names no resource of the site's tenant.
pub fn add(conn: &mut Conn, partner: &str, site: &Site, given: &[SiteMemberReference], now: Timestamp) -> Result<()> {
    each(conn, site, given, |conn, row| {
        if row.site_id == Some(site.id) { Ok(()) } else { put(conn, partner, row, Some(site.id), now) }
    })
}

/// Takes resources away from the site. Those that are not there stay where they are.
///
/// # Errors
/// As [`add`].
pub fn remove(
    conn: &mut Conn,
    partner: &str,
    site: &Site,
    given: &[SiteMemberReference],
    now: Timestamp,
) -> Result<()> {
    each(
        conn,
        site,
        given,
        |conn, row| {
            if row.site_id == Some(site.id) { put(conn, partner, row, None, now) } else { Ok(()) }
        },
    )
}

fn each(
    conn: &mut Conn,
    site: &Site,
    given: &[SiteMemberReference],
    mut change: impl FnMut(&mut Conn, &Row) -> Result<()>,
) -> Result<()> {
    let mut errors = Vec::new();
    for (index, reference) in given.iter().enumerate() {
        match resources::store::find_current(conn, std::slice::from_ref(&site.tenant_id), &reference.id)? {
            Some(row) => change(conn, &row)?,
            None => errors.push(FieldError::new(format!("[{index}].id"), "names no resource of the site's tenant")),
        }
    }
    // What was changed before the first error is undone with the whole write.
    if errors.is_empty() { Ok(()) } else { Err(Problem::fields(errors).into()) }
}

fn put(conn: &mut Conn, partner: &str, row: &Row, site: Option<i64>, now: Timestamp) -> Result<()> {
    let mut resource = resources::rules::changed(&row.clone().into_resource()?, now);
    resource.site_id = site;
    resources::store::update(conn, partner, row, &resource)?;
    Ok(())
}
