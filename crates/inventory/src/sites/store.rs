//! Rows of sites. Every function takes the tenant, or the tenants of a scope.

use base::{Key, PageRequest, PageRows, query::Sort, text::fold};
use db::{Condition, Conn, Lock, Quota, Result, SortBy, Sorts};
use diesel::prelude::*;
use outbox::Tx;

use super::{
    row::{Place, Site},
    rules::{self, Filter},
    wire::NewSite,
};
use crate::{
    lists::LONGEST_NAME,
    model::document::DECOMMISSIONED,
    schema::{resources, sites},
};

/// The sort keys of a search of sites.
pub const SORTS: Sorts<Site> = Sorts {
    by: &[SortBy::text("name", "sites.name_key", |row| Key::from(&row.name_key))],
    then: &[SortBy::integer("id", "sites.id", |row| Key::from(row.id))],
};

/// The site with this id among these tenants.
pub fn find(conn: &mut Conn, scope: &[String], id: i64) -> Result<Option<Site>> {
    Ok(db::one!(conn, sites, scope, id))
}

/// Locks a site, also against moves to it, until the end of the transaction.
pub fn lock(conn: &mut Conn, id: i64) -> Result<()> {
    lock_of(id).take(conn)
}

fn lock_of(id: i64) -> Lock {
    Lock::of("site", id)
}

/// The site with this id among these tenants, or 404.
pub fn find_required(conn: &mut Conn, scope: &[String], id: i64) -> Result<Site> {
    Ok(find(conn, scope, id)?.ok_or_else(rules::no_site)?)
}

/// The id of the site of a tenant that is meant by an id or else by a name (whatever its letter case), for a resource
/// that is put there: until the end of the transaction it is neither deleted nor changed.
pub fn resolve(conn: &mut Conn, tenant: &str, id: Option<i64>, name: Option<&str>) -> Result<Option<i64>> {
    let Some(site) = find_id(conn, tenant, id, name)? else { return Ok(None) };
    lock_of(site).share(conn)?;
    // It may have gone, or changed its name, while this waited.
    find_id(conn, tenant, id, name)
}

fn find_id(conn: &mut Conn, tenant: &str, id: Option<i64>, name: Option<&str>) -> Result<Option<i64>> {
    use sites::dsl;
    let site_id = match (id, name) {
        (Some(id), _) => dsl::sites.find((tenant, id)).select(dsl::id).get_result(conn),
        (None, Some(name)) => dsl::sites
            .filter(dsl::tenant_id.eq(tenant))
            .filter(dsl::name_key.eq(fold(name.trim())))
            .select(dsl::id)
            .get_result(conn),
        (None, None) => return Ok(None),
    };
    Ok(site_id.optional()?)
}

/// The id of the site of a tenant with this name (whatever its letter case), which is created when there is none. A
/// machine may tell a longer name than people may give: it is cut. The caller holds what keeps another from creating it
/// at the same time.
pub fn find_or_create(tx: &mut Tx<'_>, tenant: &str, name: &str) -> Result<i64> {
    let name: String = name.trim().chars().take(LONGEST_NAME).collect();
    if let Some(id) = resolve(tx.conn, tenant, None, Some(&name))? {
        return Ok(id);
    }
    let new = NewSite { name, ..NewSite::default() };
    let site = rules::created(new, tenant.to_owned(), db::next_id(tx.conn, "sites")?, tx.now);
    insert(tx.conn, &site)?;
    tx.record_change(None, Some(&site))?;
    Ok(site.id)
}

/// What the detail of a resource says of a site of its tenant.
pub fn place_of(conn: &mut Conn, tenant: &str, id: i64) -> Result<Option<Place>> {
    use sites::dsl;
    Ok(dsl::sites.find((tenant, id)).select((dsl::id, dsl::name, dsl::city)).get_result(conn).optional()?)
}

/// The name of a site of a tenant.
pub fn name_of(conn: &mut Conn, tenant: &str, id: i64) -> Result<Option<String>> {
    use sites::dsl;
    Ok(dsl::sites.find((tenant, id)).select(dsl::name).get_result(conn).optional()?)
}

/// The ids of the sites of these tenants whose name contains one of the texts, or is one of them when `exact`.
pub fn find_ids_by_name(conn: &mut Conn, scope: &[String], names: &[String], exact: bool) -> Result<Vec<i64>> {
    use sites::dsl;
    let named = Condition::named("sites.name_key", names.iter().map(|name| fold(name)), exact);
    Ok(dsl::sites.filter(dsl::tenant_id.eq_any(scope)).filter(named).select(dsl::id).load(conn)?)
}

/// Hands on id and name of every site of these tenants, by name.
pub fn each_minimal(conn: &mut Conn, scope: &[String], mut each: impl FnMut(i64, String) -> Result<()>) -> Result<()> {
    use sites::dsl;
    let query = dsl::sites
        .filter(dsl::tenant_id.eq_any(scope.to_vec()))
        .order((dsl::name_key, dsl::id))
        .select((dsl::id, dsl::name));
    db::for_each_row(conn, query, |(id, name): (i64, String)| each(id, name))
}

/// A page of the sites that a filter means.
///
/// City and country have no folded column, and sites are few: the rows go by one at a time, and only those of the
/// page are kept.
pub fn search(
    conn: &mut Conn,
    scope: &[String],
    filter: &Filter,
    sort: Sort,
    walk: &PageRequest,
) -> Result<PageRows<Site>> {
    use sites::dsl;
    let ids = if filter.ids.is_empty() {
        Condition::sql("1 = 1")
    } else {
        Condition::integer_in("sites.id IN", filter.ids.iter().copied())
    };
    let order = SORTS.order(sort);
    let query = dsl::sites.filter(dsl::tenant_id.eq_any(scope.to_vec())).filter(ids);
    let query = query.filter(order.after(walk.after())?).order(order);
    let mut page_rows = Vec::new();
    let mut count = 0_i64;
    let page_range = walk.offset()..walk.offset().saturating_add(walk.row_limit());
    db::for_each_row(conn, query, |site: Site| {
        if filter.matches(&site) {
            if page_range.contains(&count) {
                page_rows.push(site);
            }
            count += 1;
        }
        Ok::<_, db::Error>(())
    })?;
    let total = walk.total(|| Ok::<_, db::Error>(count))?;
    Ok(walk.cut(page_rows, total, |site| SORTS.keys(sort, site)))
}

fn check_name(conn: &mut Conn, site: &Site) -> Result<()> {
    if db::has_namesake!(conn, sites, site) {
        return Err(rules::name_taken(&site.name).into());
    }
    Ok(())
}

/// How many sites a tenant has at most.
pub static QUOTA: Quota = Quota::new("sites", "sites", 20_000);

/// Stores a new site.
///
/// # Errors
/// 409 when the tenant has a site of this name.
pub fn insert(conn: &mut Conn, site: &Site) -> Result<()> {
    check_name(conn, site)?;
    QUOTA.admit(conn, &site.tenant_id, 1)?;
    diesel::insert_into(sites::table).values(site).execute(conn)?;
    Ok(())
}

/// Stores the next version of a site. A change that shows in the detail of its resources counts as a change of theirs.
///
/// # Errors
/// 409 when the tenant has another site of this name, or somebody else changed this one meanwhile.
pub fn update(conn: &mut Conn, old: &Site, new: &Site) -> Result<()> {
    use resources::dsl;
    check_name(conn, new)?;
    let stored = sites::table.find((&old.tenant_id, old.id)).filter(sites::version.eq(old.version));
    if diesel::update(stored).set(new).execute(conn)? == 0 {
        return Err(rules::changed_meanwhile().into());
    }
    if rules::shows_in_resources(old, new) {
        let here = dsl::resources.filter(dsl::tenant_id.eq(&old.tenant_id)).filter(dsl::site_id.eq(old.id));
        diesel::update(here).set(dsl::version.eq(dsl::version + 1)).execute(conn)?;
    }
    Ok(())
}

/// Removes a site. Decommissioned resources forget it.
///
/// # Errors
/// 409 while resources are there.
pub fn delete(conn: &mut Conn, site: &Site) -> Result<()> {
    use resources::dsl;
    let here = || dsl::resources.filter(dsl::tenant_id.eq(&site.tenant_id)).filter(dsl::site_id.eq(site.id));
    let current = here().filter(dsl::state.ne(DECOMMISSIONED)).select(dsl::id);
    if current.first::<String>(conn).optional()?.is_some() {
        return Err(rules::in_use(&site.name).into());
    }
    diesel::update(here()).set(dsl::site_id.eq(None::<i64>)).execute(conn)?;
    resource_index::log_tenant_change(conn, &site.tenant_id)?;
    diesel::delete(sites::table.find((&site.tenant_id, site.id))).execute(conn)?;
    Ok(())
}
