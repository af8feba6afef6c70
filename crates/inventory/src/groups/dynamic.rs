//! Members of dynamic groups, kept current as resources, groups and sites change, in the same transaction.

use std::collections::BTreeMap;

use base::{matching::Meter, problem::Problem};
use db::{Conn, Json, Result};
use diesel::prelude::*;

use super::{
    attributes::Facts,
    criteria::{Criteria, Matcher},
    lock,
};
use crate::{
    model::{
        document::{DECOMMISSIONED, Resource},
        row::Row,
    },
    schema::{group_members, resource_groups, resources},
    sites, types,
};

/// Resources that are looked at together; a limit of memory, not of the groups.
const BATCH: i64 = 500;

/// What the criteria of one group may cost, in steps, for each resource that is looked at: all resources of a tenant
/// are, while other writes wait.
const STEPS: u64 = 1_000;

/// One row of `group_members`.
#[derive(Clone, Debug, PartialEq, Insertable)]
#[diesel(table_name = group_members, treat_none_as_default_value = false)]
pub struct Member {
    /// The resource's tenant.
    pub tenant_id: String,
    /// The group.
    pub group_id: i64,
    /// The resource.
    pub resource_id: String,
    /// Did the criteria select it?
    pub by_rule: bool,
}

/// Takes a new resource into the dynamic groups of its tenant and of its partner that it belongs to. To be called in
/// the transaction that stored it, and noted that it changed.
pub fn add_resource(conn: &mut Conn, partner: &str, resource: &Resource) -> Result<()> {
    refresh(conn, partner, resource, |_| Ok(Vec::new())).map(drop)
}

/// Brings the memberships of one resource up to date with the dynamic groups of its tenant and of its partner. To be
/// called in the transaction that stored the resource, after it was stored. Members that were added by hand stay.
pub fn refresh_resource(conn: &mut Conn, partner: &str, resource: &Resource) -> Result<()> {
    use group_members::dsl;
    let changed = refresh(conn, partner, resource, |conn| {
        let known = dsl::group_members
            .filter(dsl::tenant_id.eq(&resource.tenant_id))
            .filter(dsl::resource_id.eq(&resource.id))
            .select((dsl::group_id, dsl::by_rule));
        Ok(db::direct!(conn, |conn| known.load(conn))?)
    })?;
    if changed { resource_index::log_change(conn, &resource.tenant_id, &resource.id) } else { Ok(()) }
}

/// Compares a resource with the groups; `known` says of which it is a member already, and whether by rule. Says whether
/// a membership changed.
fn refresh(
    conn: &mut Conn,
    partner: &str,
    resource: &Resource,
    known: impl FnOnce(&mut Conn) -> Result<Vec<(i64, bool)>>,
) -> Result<bool> {
    use group_members::dsl;
    lock::lock(partner).share(conn)?;
    let groups = dynamic_groups(conn, partner, &resource.tenant_id)?;
    if groups.is_empty() {
        return Ok(false);
    }
    let mut changed = false;
    let site = match resource.site_id {
        Some(id) if groups.iter().any(|(_, matcher)| matcher.uses_site()) => {
            sites::store::name_of(conn, &resource.tenant_id, id)?
        }
        _ => None,
    };
    let type_path = if groups.iter().any(|(_, matcher)| matcher.uses_type_path()) {
        let (id, name) = &resource.resource_type;
        Some(types::path(conn, &resource.tenant_id, *id, name)?)
    } else {
        None
    };
    let facts = Facts { resource, type_path: type_path.as_deref(), site: site.as_deref() };
    let known: BTreeMap<i64, bool> = known(conn)?.into_iter().collect();
    let current = resource.state != DECOMMISSIONED;
    let meter = Meter::new(Meter::WRITE);
    for (group_id, matcher) in groups {
        let Ok(takes) = matcher.matches(&facts, &meter) else {
            // The criteria were affordable when they were stored; the membership of that time stays.
            tracing::warn!(tenant = resource.tenant_id, group_id, "the criteria of a group take too long");
            continue;
        };
        match (current && takes, known.get(&group_id)) {
            (true, None) => join(conn, resource, group_id)?,
            (false, Some(true)) => {
                diesel::delete(dsl::group_members.find((&resource.tenant_id, group_id, &resource.id))).execute(conn)?;
            }
            _ => continue,
        }
        changed = true;
    }
    Ok(changed)
}

fn join(conn: &mut Conn, resource: &Resource, group_id: i64) -> Result<()> {
    let tenant_id = resource.tenant_id.clone();
    let resource_id = resource.id.clone();
    let member = Member { tenant_id, group_id, resource_id, by_rule: true };
    db::insert_rows!(conn, group_members::table, std::slice::from_ref(&member))
}

/// The dynamic groups that may take in resources of a tenant: its own, and those of its partner.
fn dynamic_groups(conn: &mut Conn, partner: &str, tenant: &str) -> Result<Vec<(i64, Matcher)>> {
    use resource_groups::dsl;
    let of = |owner| {
        let owned = dsl::resource_groups.filter(dsl::tenant_id.eq(owner)).filter(dsl::rules.is_not_null());
        owned.select((dsl::id, dsl::rules))
    };
    // Not one query with `or`: for that SQLite makes a temporary table each time.
    let mut rows: Vec<(i64, Option<Json<Criteria>>)> = db::direct!(conn, |conn| of(tenant).load(conn))?;
    if partner != tenant {
        rows.extend(db::direct!(conn, |conn| of(partner).load::<(i64, Option<Json<Criteria>>)>(conn))?);
    }
    Ok(rows.into_iter().filter_map(|(id, rules)| Some((id, Matcher::new(&*rules?)))).collect())
}

/// Makes the members by rule of a group anew, from the resources of these tenants; none when it has no criteria any
/// more. The caller holds the groups alone.
pub fn refresh_group(conn: &mut Conn, tenants: &[String], group_id: i64, criteria: Option<&Criteria>) -> Result<()> {
    use group_members::dsl;
    diesel::delete(dsl::group_members)
        .filter(dsl::tenant_id.eq_any(tenants))
        .filter(dsl::group_id.eq(group_id))
        .filter(dsl::by_rule.eq(true))
        .execute(conn)?;
    tenants.iter().try_for_each(|tenant| resource_index::log_group_change(conn, tenant, group_id))?;
    let Some(criteria) = criteria else { return Ok(()) };
    let matcher = Matcher::new(criteria);
    let meter = Meter::new(Meter::WRITE);
    for tenant in tenants {
        each_batch(conn, tenant, None, |conn, batch| {
            meter.add(STEPS * batch.len() as u64);
            add_matching(conn, tenant, group_id, (&matcher, &meter), batch)
        })?;
    }
    Ok(())
}

fn add_matching(
    conn: &mut Conn,
    tenant: &str,
    group_id: i64,
    (matcher, meter): (&Matcher, &Meter),
    batch: Vec<Resource>,
) -> Result<()> {
    use group_members::dsl;
    let (Some(first), Some(last)) = (batch.first(), batch.last()) else { return Ok(()) };
    let by_hand: Vec<String> = dsl::group_members
        .filter(dsl::tenant_id.eq(tenant))
        .filter(dsl::group_id.eq(group_id))
        .filter(dsl::resource_id.between(&first.id, &last.id))
        .order(dsl::resource_id)
        .select(dsl::resource_id)
        .load(conn)?;
    let mut names = BTreeMap::new();
    let paths: BTreeMap<i64, String> = if matcher.uses_type_path() {
        types::list(conn, &[tenant.to_owned()])?.into_iter().map(|kind| (kind.id, kind.path)).collect()
    } else {
        BTreeMap::new()
    };
    let mut members = Vec::new();
    for resource in batch {
        let site = match resource.site_id.filter(|_| matcher.uses_site()) {
            Some(id) => site_name(conn, &mut names, tenant, id)?,
            None => None,
        };
        let type_path = paths.get(&resource.resource_type.0).map(String::as_str);
        let takes = matcher.matches(&Facts { resource: &resource, type_path, site }, meter);
        let takes = takes.map_err(|error| Problem::field("filterCriteria", error.to_string()))?;
        let takes = takes && resource.state != DECOMMISSIONED;
        if takes && by_hand.binary_search(&resource.id).is_err() {
            members.push(Member { tenant_id: resource.tenant_id, group_id, resource_id: resource.id, by_rule: true });
        }
    }
    db::insert_rows!(conn, group_members::table, &members)
}

fn site_name<'n>(
    conn: &mut Conn,
    names: &'n mut BTreeMap<i64, Option<String>>,
    tenant: &str,
    id: i64,
) -> Result<Option<&'n str>> {
    use std::collections::btree_map::Entry;
    let name = match names.entry(id) {
        Entry::Occupied(entry) => entry.into_mut(),
        Entry::Vacant(entry) => entry.insert(sites::store::name_of(conn, tenant, id)?),
    };
    Ok(name.as_deref())
}

/// Brings the memberships of the resources at a site up to date after it got another name.
pub fn refresh_site(conn: &mut Conn, partner: &str, tenant: &str, site_id: i64) -> Result<()> {
    lock::lock(partner).share(conn)?;
    let asked = dynamic_groups(conn, partner, tenant)?.iter().any(|(_, matcher)| matcher.uses_site());
    if !asked {
        return Ok(());
    }
    each_batch(conn, tenant, Some(site_id), |conn, batch| {
        batch.iter().try_for_each(|resource| refresh_resource(conn, partner, resource))
    })
}

/// Hands on the resources of a tenant (those at one site, or all) batch by batch, by id.
fn each_batch(
    conn: &mut Conn,
    tenant: &str,
    site_id: Option<i64>,
    mut each: impl FnMut(&mut Conn, Vec<Resource>) -> Result<()>,
) -> Result<()> {
    use resources::dsl;
    let mut after = String::new();
    loop {
        let query = dsl::resources.filter(dsl::tenant_id.eq(tenant)).filter(dsl::id.gt(&after));
        let query = query.order(dsl::id).limit(BATCH).into_boxed::<db::Sql>();
        let query = match site_id {
            Some(id) => query.filter(dsl::site_id.eq(id)),
            None => query,
        };
        let rows: Vec<Row> = query.load(conn)?;
        let Some(last) = rows.last() else { return Ok(()) };
        after.clone_from(&last.id);
        let full = i64::try_from(rows.len()).is_ok_and(|count| count == BATCH);
        each(conn, rows.into_iter().map(Row::into_resource).collect::<Result<_>>()?)?;
        if !full {
            return Ok(());
        }
    }
}
