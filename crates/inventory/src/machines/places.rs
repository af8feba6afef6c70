//! Groups and sites by key, and the resources in them.

use std::collections::{BTreeMap, BTreeSet};

use base::text::fold;
use db::{Condition, Conn, Result};
use diesel::prelude::*;
use ports::{Place, PlaceKey, PlaceKind, ResourceSummary, ServiceGroup};

use super::{
    MOST_VALUES,
    find::by_ids,
    summary::{summary_columns, to_summary},
};
use crate::{
    groups::{
        kind::{Kind, Reference},
        store::with_descendants,
    },
    model::document::STATES,
    resources::filter,
    schema::{group_members, resource_groups, resources, sites},
};

/// A group or a site with its search keys.
struct PlaceRow {
    place: Place,
    name_key: String,
    parent: Option<i64>,
}

/// The groups of a kind that each key names.
pub(super) fn find_groups(
    conn: &mut Conn,
    tenants: &[String],
    kind: Kind,
    keys: &[PlaceKey],
) -> Result<Vec<Vec<Place>>> {
    let (numbers, unique_ids, names) = distinct_keys(kind, keys);
    let mut rows = load_groups(conn, tenants, kind, "resource_groups.id IN", &numbers, Condition::integer_in)?;
    rows.extend(load_groups(conn, tenants, kind, "resource_groups.unique_id IN", &unique_ids, Condition::text_in)?);
    rows.extend(load_groups(conn, tenants, kind, "resource_groups.name_key IN", &names, Condition::text_in)?);
    Ok(match_keys(tenants, kind, keys, rows))
}

/// The sites that each key names.
pub(super) fn find_sites(conn: &mut Conn, tenants: &[String], keys: &[PlaceKey]) -> Result<Vec<Vec<Place>>> {
    let (numbers, _, names) = distinct_keys(Kind::Device, keys);
    let mut rows = load_sites(conn, tenants, "sites.id IN", &numbers, Condition::integer_in)?;
    rows.extend(load_sites(conn, tenants, "sites.name_key IN", &names, Condition::text_in)?);
    Ok(match_keys(tenants, Kind::Device, keys, rows))
}

/// The numbers, the unique ids and the folded names among some keys, each once.
fn distinct_keys(kind: Kind, keys: &[PlaceKey]) -> (Vec<i64>, Vec<String>, Vec<String>) {
    let mut numbers = BTreeSet::new();
    let mut unique_ids = BTreeSet::new();
    let mut names = BTreeSet::new();
    for key in keys {
        match key {
            PlaceKey::Id(id) => _ = numbers.insert(*id),
            PlaceKey::UniqueId(text) => unique_ids.extend(unique_id(kind, text)),
            PlaceKey::Name(name) => _ = names.insert(fold(name.trim())),
        }
    }
    (numbers.into_iter().collect(), unique_ids.into_iter().collect(), names.into_iter().collect())
}

/// A unique id in the spelling in which it is stored.
fn unique_id(kind: Kind, text: &str) -> Option<String> {
    match Reference::parse(kind, text.trim()) {
        Some(Reference::UniqueId(id)) => Some(id),
        _ => None,
    }
}

/// The places that each key names: the first tenant's match, or else up to two matches of other tenants.
fn match_keys(tenants: &[String], kind: Kind, keys: &[PlaceKey], mut rows: Vec<PlaceRow>) -> Vec<Vec<Place>> {
    rows.sort_by_key(|row| (tenants.iter().position(|tenant| *tenant == row.place.tenant_id), row.place.id));
    rows.dedup_by(|one, other| one.place == other.place);
    let matches = |key: &PlaceKey| -> Vec<Place> {
        let (unique_id, name) = match key {
            PlaceKey::UniqueId(text) => (unique_id(kind, text), None),
            PlaceKey::Name(name) => (None, Some(fold(name.trim()))),
            PlaceKey::Id(_) => (None, None),
        };
        let mut matches = rows.iter().filter(|row| match key {
            PlaceKey::Id(id) => row.place.id == *id,
            PlaceKey::UniqueId(_) => unique_id.as_deref() == Some(&row.place.unique_id),
            PlaceKey::Name(_) => name.as_deref() == Some(&row.name_key),
        });
        let Some(first) = matches.next() else { return Vec::new() };
        let is_own = tenants.first() == Some(&first.place.tenant_id);
        let second = matches.next().filter(|_| !is_own);
        std::iter::once(first).chain(second).map(|row| row.place.clone()).collect()
    };
    keys.iter().map(matches).collect()
}

fn load_groups<V: Clone>(
    conn: &mut Conn,
    tenants: &[String],
    kind: Kind,
    column: &'static str,
    values: &[V],
    within: impl Fn(&'static str, Vec<V>) -> Condition,
) -> Result<Vec<PlaceRow>> {
    use resource_groups::dsl;
    let rows: Vec<(String, i64, String, String, String, Option<i64>)> = db::in_chunks(values, |values| {
        dsl::resource_groups
            .filter(Condition::text_in("resource_groups.tenant_id IN", tenants))
            .filter(dsl::kind.eq(kind.word()))
            .filter(within(column, values.to_vec()))
            .select((dsl::tenant_id, dsl::id, dsl::unique_id, dsl::name, dsl::name_key, dsl::parent_id))
            .load(conn)
    })?;
    Ok(rows
        .into_iter()
        .map(|(tenant_id, id, unique_id, name, name_key, parent)| PlaceRow {
            place: Place { kind: PlaceKind::DeviceGroup, tenant_id, id, unique_id, name },
            name_key,
            parent,
        })
        .collect())
}

fn load_sites<V: Clone>(
    conn: &mut Conn,
    tenants: &[String],
    column: &'static str,
    values: &[V],
    within: impl Fn(&'static str, Vec<V>) -> Condition,
) -> Result<Vec<PlaceRow>> {
    use sites::dsl;
    let rows: Vec<(String, i64, String, String)> = db::in_chunks(values, |values| {
        dsl::sites
            .filter(Condition::text_in("sites.tenant_id IN", tenants))
            .filter(within(column, values.to_vec()))
            .select((dsl::tenant_id, dsl::id, dsl::name, dsl::name_key))
            .load(conn)
    })?;
    Ok(rows
        .into_iter()
        .map(|(tenant_id, id, name, name_key)| PlaceRow {
            place: Place { kind: PlaceKind::Location, tenant_id, id, unique_id: String::new(), name },
            name_key,
            parent: None,
        })
        .collect())
}

/// A service group, from how groups are found.
pub(super) fn service_group(place: Place) -> ServiceGroup {
    let Place { tenant_id, id, unique_id, name, .. } = place;
    ServiceGroup { tenant_id, id, unique_id, name }
}

/// The service groups that hold each of these resources.
pub(super) fn services_of(conn: &mut Conn, tenants: &[String], ids: &[String]) -> Result<Vec<Vec<ServiceGroup>>> {
    let places = places_of(conn, tenants, Kind::Service, ids)?;
    let groups = |places: Vec<Place>| places.into_iter().filter(|place| place.kind == PlaceKind::DeviceGroup);
    Ok(places.into_iter().map(|places| groups(places).map(service_group).collect()).collect())
}

/// The places that hold each of these resources: groups of this kind, and sites. An id is unique in its tenant only: it
/// means the resource of the tenant that was named first.
pub(super) fn places_of(conn: &mut Conn, tenants: &[String], kind: Kind, ids: &[String]) -> Result<Vec<Vec<Place>>> {
    let ids: Vec<String> = ids.iter().map(|id| fold(id.trim())).collect();
    let distinct: BTreeSet<&str> = ids.iter().map(String::as_str).collect();
    let distinct: Vec<&str> = distinct.into_iter().collect();
    let rank = |tenant: &str| tenants.iter().position(|known| known == tenant);
    let mut homes: BTreeMap<String, (String, Option<i64>)> = BTreeMap::new();
    let mut memberships: BTreeMap<(String, String), Vec<i64>> = BTreeMap::new();
    for ids in distinct.chunks(MOST_VALUES) {
        use {group_members::dsl as members, resources::dsl};
        let rows: Vec<(String, String, Option<i64>)> = dsl::resources
            .filter(filter::tenants(tenants))
            .filter(Condition::text_in("resources.id IN", ids.iter().copied()))
            .filter(filter::states(STATES))
            .select((dsl::tenant_id, dsl::id, dsl::site_id))
            .load(conn)?;
        for (tenant, id, site) in rows {
            if homes.get(&id).is_none_or(|(known, _)| rank(&tenant) < rank(known)) {
                homes.insert(id, (tenant, site));
            }
        }
        let rows: Vec<(String, String, i64)> = members::group_members
            .filter(Condition::text_in("group_members.tenant_id IN", tenants))
            .filter(Condition::text_in("group_members.resource_id IN", ids.iter().copied()))
            .select((members::tenant_id, members::resource_id, members::group_id))
            .load(conn)?;
        for (tenant, id, group) in rows {
            memberships.entry((tenant, id)).or_default().push(group);
        }
    }
    let site_ids: BTreeSet<i64> = homes.values().filter_map(|(_, site)| *site).collect();
    let site_ids: Vec<i64> = site_ids.into_iter().collect();
    let sites = load_sites(conn, tenants, "sites.id IN", &site_ids, Condition::integer_in)?;
    let sites: BTreeMap<(&str, i64), &Place> =
        sites.iter().map(|site| ((site.place.tenant_id.as_str(), site.place.id), &site.place)).collect();
    let groups = with_ancestors(conn, tenants, kind, memberships.values().flatten().copied().collect())?;
    let places = ids.iter().map(|id| {
        let Some((tenant, site)) = homes.get(id) else { return Vec::new() };
        let site = site.and_then(|site| sites.get(&(tenant.as_str(), site))).map(|site| (*site).clone());
        let mut above = BTreeSet::new();
        for group in memberships.get(&(tenant.clone(), id.clone())).into_iter().flatten() {
            let mut next = Some(*group);
            // A group that was met before ends its branch, whatever the rows say.
            while let Some(id) = next.filter(|id| above.insert(*id)) {
                next = groups.get(&id).and_then(|row| row.parent);
            }
        }
        let groups = above.iter().filter_map(|id| groups.get(id)).map(|row| row.place.clone());
        site.into_iter().chain(groups).collect()
    });
    Ok(places.collect())
}

/// The groups of this kind among these, and the groups above them, by number. Numbers are unique in the database.
fn with_ancestors(
    conn: &mut Conn,
    tenants: &[String],
    kind: Kind,
    mut level: BTreeSet<i64>,
) -> Result<BTreeMap<i64, PlaceRow>> {
    let mut all: BTreeMap<i64, PlaceRow> = BTreeMap::new();
    while !level.is_empty() {
        let numbers: Vec<i64> = level.into_iter().collect();
        let rows = load_groups(conn, tenants, kind, "resource_groups.id IN", &numbers, Condition::integer_in)?;
        let parents: Vec<i64> = rows.iter().filter_map(|row| row.parent).collect();
        all.extend(rows.into_iter().map(|row| (row.place.id, row)));
        level = parents.into_iter().filter(|id| !all.contains_key(id)).collect();
    }
    Ok(all)
}

/// The resources in a place behind an id.
pub(super) fn members(
    conn: &mut Conn,
    tenants: &[String],
    place: &Place,
    after: &str,
    limit: i64,
) -> Result<Vec<ResourceSummary>> {
    if !tenants.contains(&place.tenant_id) {
        return Ok(Vec::new());
    }
    match place.kind {
        PlaceKind::Location => at_site(conn, place, after, limit),
        PlaceKind::DeviceGroup => in_group(conn, tenants, place, after, limit),
    }
}

/// A site holds resources of its own tenant only.
fn at_site(conn: &mut Conn, place: &Place, after: &str, limit: i64) -> Result<Vec<ResourceSummary>> {
    use resources::dsl;
    let rows = dsl::resources
        .filter(dsl::tenant_id.eq(&place.tenant_id))
        .filter(dsl::site_id.eq(place.id))
        .filter(dsl::id.gt(after))
        .filter(filter::states(STATES))
        .order(dsl::id)
        .limit(limit)
        .select(summary_columns())
        .load(conn)?;
    Ok(rows.into_iter().map(to_summary).collect())
}

fn in_group(
    conn: &mut Conn,
    tenants: &[String],
    place: &Place,
    after: &str,
    limit: i64,
) -> Result<Vec<ResourceSummary>> {
    use group_members::dsl;
    let groups = with_descendants(conn, std::slice::from_ref(&place.tenant_id), vec![place.id])?;
    let mut rows: Vec<(String, String)> = dsl::group_members
        .filter(Condition::text_in("group_members.tenant_id IN", tenants))
        .filter(Condition::integer_in("group_members.group_id IN", groups))
        .filter(dsl::resource_id.gt(after))
        .select((dsl::resource_id, dsl::tenant_id))
        .distinct()
        .order((dsl::resource_id, dsl::tenant_id))
        .limit(limit)
        .load(conn)?;
    rows.dedup();
    let ids: Vec<&str> = rows.iter().map(|(id, _)| id.as_str()).collect();
    let mut resources = by_ids(conn, tenants, &ids)?;
    // A resource of another tenant may have the same id; it is not a member.
    resources.retain(|resource| rows.iter().any(|(id, tenant)| *id == resource.id && *tenant == resource.tenant_id));
    resources.sort_by(|a, b| (&a.id, &a.tenant_id).cmp(&(&b.id, &b.tenant_id)));
    Ok(resources)
}
