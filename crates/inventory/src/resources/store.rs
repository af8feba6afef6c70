//! Rows of resources and of their search keys. Every function takes the tenant, or the tenants of a scope.

use std::collections::BTreeSet;

use base::{Key, text::fold};
use db::{Column, Condition, Conn, Result};
use diesel::prelude::*;
use outbox::{Keep, Retention, Setting};

use super::{addresses, identities, lock, rules};
use crate::{
    groups,
    model::{
        document::{DECOMMISSIONED, Resource},
        row::{FurtherKeys, Row},
    },
    reports::identity::IdentityKey,
    schema::{antivirus, applications, group_members, resource_app_roles, resource_tags, resources, sites},
    sites::row::Place,
};

/// The id of a new resource, higher than all earlier ones: its index entries then go next to the latest ones, on pages
/// that are in memory and are written anyway, and not all over the indexes.
pub fn new_id() -> String {
    uuid::Uuid::now_v7().to_string()
}

/// The resource with this id among these tenants, whatever its state.
pub fn find(conn: &mut Conn, scope: &[String], id: &str) -> Result<Option<Row>> {
    Ok(db::one!(conn, resources, scope, id))
}

/// As [`find`], but only a resource of the inventory: history is elsewhere.
pub fn find_current(conn: &mut Conn, scope: &[String], id: &str) -> Result<Option<Row>> {
    Ok(find(conn, scope, id)?.filter(|row| row.state != DECOMMISSIONED))
}

/// The resources of a tenant's inventory with these ids; history is elsewhere.
pub fn find_all_current(conn: &mut Conn, tenant: &str, ids: &[&str]) -> Result<Vec<Row>> {
    use resources::dsl;
    let ids = ids.iter().map(|id| id.to_ascii_lowercase());
    let these = dsl::resources.filter(dsl::tenant_id.eq(tenant)).filter(dsl::id.eq_any(ids));
    Ok(these.filter(dsl::state.ne(DECOMMISSIONED)).load(conn)?)
}

/// The resource of the inventory with this id among these tenants, in any letter case, or 404.
pub fn find_required(conn: &mut Conn, scope: &[String], id: &str) -> Result<Row> {
    let known = find_current(conn, scope, &id.to_ascii_lowercase())?;
    Ok(known.ok_or_else(|| rules::no_resource(id))?)
}

/// As [`find_required`], with the place of the resource: in one statement, since a read by id is nearly as quick as a
/// statement.
pub fn find_with_place(conn: &mut Conn, scope: &[String], id: &str) -> Result<(Row, Option<Place>)> {
    use resources::dsl;
    let lower_case = id.to_ascii_lowercase();
    let site_of = sites::tenant_id.eq(dsl::tenant_id).and(sites::id.nullable().eq(dsl::site_id));
    let these = dsl::resources
        .left_join(sites::table.on(site_of))
        .filter(dsl::id.eq(&lower_case))
        .filter(dsl::state.ne(DECOMMISSIONED))
        .select((resources::all_columns, (sites::id, sites::name, sites::city).nullable()));
    let found = match scope {
        [tenant] => {
            let this = db::Prepared(these.filter(dsl::tenant_id.eq(tenant)));
            db::direct!(conn, |conn| this.get_result(conn))
        }
        many => these.filter(dsl::tenant_id.eq_any(many)).get_result(conn),
    };
    Ok(found.optional()?.ok_or_else(|| rules::no_resource(id))?)
}

/// Has the tenant any resource, in the inventory or in history?
pub fn any(conn: &mut Conn, tenant: &str) -> Result<bool> {
    Ok(db::has_any!(conn, resources, tenant))
}

/// The resources with just this host name.
pub fn find_by_host_name(conn: &mut Conn, tenant: &str, host_name: &str) -> Result<Vec<Row>> {
    use resources::dsl;
    let key = fold(host_name);
    Ok(dsl::resources.filter(dsl::tenant_id.eq(tenant)).filter(dsl::host_key.eq(key)).load(conn)?)
}

/// Does any resource have this in the field of its names? [`None`] for a field that is not asked for alone. For each
/// row of a bulk request, so its statement stays prepared.
pub fn is_taken(conn: &mut Conn, tenant: &str, field: &str, value: &str) -> Result<Option<bool>> {
    use resources::dsl;
    let key = fold(value);
    macro_rules! any {
        ($condition:expr) => {{
            let query = diesel::select(diesel::dsl::exists(
                dsl::resources.filter(dsl::tenant_id.eq(tenant)).filter($condition),
            ));
            db::direct!(conn, |conn| query.get_result(conn))
        }};
    }
    let found = match field {
        "hostName" => any!(dsl::host_key.eq(key)),
        "resourceName" => any!(dsl::resource_key.eq(key)),
        "name" => any!(dsl::name_key.eq(key)),
        "extResourceId" => any!(dsl::ext_key.eq(key)),
        _ => return Ok(None),
    };
    Ok(Some(found?))
}

/// Stores a new resource with all its search keys. `partner` is the partner of its tenant, whose groups may
/// take it in.
pub fn insert(conn: &mut Conn, partner: &str, resource: &Resource, keys: &[IdentityKey]) -> Result<()> {
    let whole = (Row::of(resource)?, FurtherKeys::of(resource));
    db::insert_rows!(conn, resources::table, std::slice::from_ref(&whole))?;
    update_tags(conn, None, Some(resource))?;
    update_roles(conn, None, Some(resource))?;
    addresses::update(conn, None, Some(resource))?;
    if !keys.is_empty() {
        identities::lock_identities(conn, &resource.tenant_id)?;
        identities::insert(conn, resource, keys)?;
    }
    resource_index::log_change(conn, &resource.tenant_id, &resource.id)?;
    groups::dynamic::add_resource(conn, partner, resource)
}

/// Stores the new state of a resource; `old` is the row it had. The version must be one higher than the stored one.
pub fn update(conn: &mut Conn, partner: &str, old: &Row, resource: &Resource) -> Result<Row> {
    let row = Row::of(resource)?;
    let before = old.clone().into_resource()?;
    write_over(conn, &row, resource)?;
    update_tags(conn, Some(&before), Some(resource))?;
    update_roles(conn, Some(&before), Some(resource))?;
    addresses::update(conn, Some(&before), Some(resource))?;
    resource_index::log_change(conn, &resource.tenant_id, &resource.id)?;
    groups::dynamic::refresh_resource(conn, partner, resource)?;
    Ok(row)
}

/// Replaces the row of a resource, whose version must be one higher than the stored one.
fn write_over(conn: &mut Conn, row: &Row, resource: &Resource) -> Result<()> {
    let keys = FurtherKeys::of(resource);
    let stored = resources::table.find((&resource.tenant_id, &resource.id));
    let stored = diesel::update(stored.filter(resources::version.eq(resource.version - 1)));
    match db::direct!(conn, |conn| stored.set((row, &keys)).execute(conn))? {
        0 => Err(rules::changed_meanwhile().into()),
        _ => Ok(()),
    }
}

/// Moves a resource to history: it keeps its row, its names and tags, and loses its records in the inventory
/// (identities, groups, software, antivirus).
/// `partner` is the partner of its tenant.
pub fn decommission(conn: &mut Conn, partner: &str, resource: &Resource) -> Result<Row> {
    let row = Row::of(resource)?;
    decommission_all(conn, partner, &resource.tenant_id, std::slice::from_ref(resource))?;
    Ok(row)
}

/// As [`decommission`], for several of a tenant.
pub fn decommission_all(conn: &mut Conn, partner: &str, tenant: &str, all: &[Resource]) -> Result<()> {
    for resource in all {
        write_over(conn, &Row::of(resource)?, resource)?;
        resource_index::log_change(conn, tenant, &resource.id)?;
    }
    // A write that adds members to a group sees that they are gone, or what it added is removed here.
    groups::lock::lock(partner).share(conn)?;
    let ids: Vec<&str> = all.iter().map(|resource| resource.id.as_str()).collect();
    identities::release(conn, tenant, &ids)?;
    diesel::delete(group_members::table)
        .filter(group_members::tenant_id.eq(tenant))
        .filter(group_members::resource_id.eq_any(&ids))
        .execute(conn)?;
    diesel::delete(applications::table)
        .filter(applications::tenant_id.eq(tenant))
        .filter(applications::resource_id.eq_any(&ids))
        .execute(conn)?;
    diesel::delete(antivirus::table)
        .filter(antivirus::tenant_id.eq(tenant))
        .filter(antivirus::resource_id.eq_any(&ids))
        .execute(conn)?;
    Ok(())
}

/// Moves a resource back from history, with its identity keys; its groups by rules take it in again.
pub fn recommission(conn: &mut Conn, partner: &str, resource: &Resource, keys: &[IdentityKey]) -> Result<()> {
    let row = Row::of(resource)?;
    write_over(conn, &row, resource)?;
    if !keys.is_empty() {
        identities::lock_identities(conn, &resource.tenant_id)?;
        identities::insert(conn, resource, keys)?;
    }
    resource_index::log_change(conn, &resource.tenant_id, &resource.id)?;
    groups::dynamic::add_resource(conn, partner, resource)
}

/// History: resources that were decommissioned.
pub const RETENTION: Retention = Retention {
    kind: "history",
    keep: Keep::Setting(Setting {
        option: "keep-history",
        variable: "MUSTER_KEEP_HISTORY",
        days: 0,
        help: "How many days history keeps a decommissioned resource; 0 for ever",
    }),
    most: Some(1_000_000),
    table: "resources",
    id: "id",
    since: "decommissioned_ms",
    only: "decommissioned_ms IS NOT NULL",
    remove: Some(|conn, tenant, ids, _| {
        // An undo may bring one back at the same time.
        lock::lock_resources(conn, tenant, &ids.iter().map(String::as_str).collect::<Vec<_>>())?;
        let these = resources::table.filter(resources::tenant_id.eq(tenant)).filter(resources::id.eq_any(ids));
        let rows: Vec<Row> = these.filter(resources::state.eq(DECOMMISSIONED)).load(conn)?;
        for row in &rows {
            let resource = row.clone().into_resource()?;
            update_tags(conn, Some(&resource), None)?;
            update_roles(conn, Some(&resource), None)?;
            addresses::update(conn, Some(&resource), None)?;
            identities::release(conn, tenant, &[&row.id])?;
            diesel::delete(resources::table.find((tenant, &row.id))).execute(conn)?;
            resource_index::log_change(conn, tenant, &row.id)?;
        }
        Ok(ids.len())
    }),
};

fn tag_keys(resource: Option<&Resource>) -> BTreeSet<String> {
    resource.into_iter().flat_map(|r| &r.document.tags).map(|tag| fold(&tag.name)).collect()
}

#[derive(Insertable)]
#[diesel(table_name = resource_tags, treat_none_as_default_value = false)]
struct TagRow {
    tenant_id: String,
    name_key: String,
    resource_id: String,
}

fn update_tags(conn: &mut Conn, old: Option<&Resource>, new: Option<&Resource>) -> Result<()> {
    use resource_tags::dsl;
    let Some(resource) = new.or(old) else { return Ok(()) };
    let before = tag_keys(old);
    let after = tag_keys(new);
    for key in before.difference(&after) {
        diesel::delete(dsl::resource_tags.find((&resource.tenant_id, key, &resource.id))).execute(conn)?;
    }
    let added = after.difference(&before).map(|key| TagRow {
        tenant_id: resource.tenant_id.clone(),
        name_key: key.clone(),
        resource_id: resource.id.clone(),
    });
    db::insert_rows!(conn, resource_tags::table, added.collect::<Vec<_>>())
}

#[derive(Insertable)]
#[diesel(table_name = resource_app_roles, treat_none_as_default_value = false)]
struct RoleRow {
    tenant_id: String,
    role: String,
    resource_id: String,
}

fn update_roles(conn: &mut Conn, old: Option<&Resource>, new: Option<&Resource>) -> Result<()> {
    use resource_app_roles::dsl;
    let Some(resource) = new.or(old) else { return Ok(()) };
    let roles = |r: Option<&Resource>| -> BTreeSet<String> {
        r.into_iter().flat_map(|r| r.document.app_roles.iter().cloned()).collect()
    };
    let before = roles(old);
    let after = roles(new);
    for role in before.difference(&after) {
        diesel::delete(dsl::resource_app_roles.find((&resource.tenant_id, role, &resource.id))).execute(conn)?;
    }
    let added = after.difference(&before).map(|role| RoleRow {
        tenant_id: resource.tenant_id.clone(),
        role: role.clone(),
        resource_id: resource.id.clone(),
    });
    db::insert_rows!(conn, resource_app_roles::table, added.collect::<Vec<_>>())
}

/// Some of the resources that meet a condition, in no order.
pub fn find_some(conn: &mut Conn, condition: &Condition, most: i64) -> Result<Vec<Row>> {
    Ok(resources::table.filter(condition.clone()).limit(most).load(conn)?)
}

/// How many resources meet a condition.
pub fn count(conn: &mut Conn, condition: &Condition) -> Result<i64> {
    Ok(resources::table.filter(condition.clone()).count().get_result(conn)?)
}

/// A slice of the resources that meet a condition: after these keys, if any, without the first `skip`.
pub fn slice(
    conn: &mut Conn,
    condition: &Condition,
    order: &db::Order,
    after: Option<&[Key]>,
    skip: i64,
    most: i64,
) -> Result<Vec<Row>> {
    let query = resources::table.filter(condition.clone()).filter(order.after(after)?).into_boxed::<db::Sql>();
    Ok(query.order(order.clone()).offset(skip).limit(most).load(conn)?)
}

/// The sort order of a list of resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Id,
    Name,
    HostName,
    ResourceName,
    Address,
    Created,
    Updated,
    Decommissioned,
}

impl Order {
    /// The column before the id; none for the order by id.
    pub fn column(self) -> Option<Column> {
        Some(match self {
            Self::Id => return None,
            Self::Name => Column::Text("resources.name_key"),
            Self::HostName => Column::Text("resources.host_key"),
            Self::ResourceName => Column::Text("resources.resource_key"),
            Self::Address => Column::Text("resources.ip_key"),
            Self::Created => Column::Integer("resources.created_ms"),
            Self::Updated => Column::Integer("resources.updated_ms"),
            Self::Decommissioned => Column::Integer("resources.decommissioned_ms"),
        })
    }

    /// The order of rows: equal ones by id, and by tenant, since an id is unique in its tenant only.
    pub fn order(self, descending: bool) -> db::Order {
        let ties = [Column::Text("resources.id"), Column::Text("resources.tenant_id")];
        db::Order::by(self.column().into_iter().chain(ties), descending)
    }

    /// The keys of a row in this order.
    pub fn keys(self, row: &Row) -> Vec<Key> {
        let key = match self {
            Self::Id => None,
            Self::Name => Some(Key::from(&row.name_key)),
            Self::HostName => Some(Key::from(&row.host_key)),
            Self::ResourceName => Some(Key::from(&row.resource_key)),
            Self::Address => Some(Key::from(&row.ip_key)),
            Self::Created => Some(Key::from(row.created_ms)),
            Self::Updated => Some(Key::from(row.updated_ms)),
            Self::Decommissioned => Some(Key::from(row.decommissioned_ms.unwrap_or_default())),
        };
        key.into_iter().chain([Key::from(&row.id), Key::from(&row.tenant_id)]).collect()
    }
}
