//! Rows of groups. Every function takes the tenant, or the tenants of a scope.

use std::collections::BTreeSet;

use base::{Key, PageRequest, PageRows, query::Sort, text::fold};
use db::{Condition, Conn, Quota, Result, SortBy, Sorts};
use diesel::prelude::*;

use super::{
    kind::{Kind, Reference},
    row::Group,
    rules::Filter,
    wire::{ParentGroup, Parents},
};
use crate::schema::{group_members, resource_groups};

/// How many groups a tenant has at most.
pub static QUOTA: Quota = Quota::new("groups", "resource_groups", 20_000);

/// The sort keys of a search of groups.
pub const SORTS: Sorts<Group> = Sorts {
    by: &[SortBy::text("name", "resource_groups.name_key", |row| Key::from(&row.name_key))],
    then: &[SortBy::integer("id", "resource_groups.id", |row| Key::from(row.id))],
};

fn scope_condition(scope: &[String]) -> Condition {
    match scope {
        [one] => Condition::sql("resource_groups.tenant_id = ").text(one),
        many => Condition::text_in("resource_groups.tenant_id IN", many),
    }
}

fn kind_condition(kind: Kind) -> Condition {
    Condition::sql("resource_groups.kind = ").text(kind.word())
}

fn reference_condition(reference: &Reference) -> Condition {
    match reference {
        Reference::Id(id) => Condition::sql("resource_groups.id = ").integer(*id),
        Reference::UniqueId(id) => Condition::sql("resource_groups.unique_id = ").text(id),
        Reference::Name(key) => Condition::sql("resource_groups.name_key = ").text(key),
    }
}

fn name_condition(names: &[String], exact: bool) -> Condition {
    Condition::named("resource_groups.name_key", names.iter().map(|name| fold(name)), exact)
}

/// The group of a kind that is meant by a reference, among these tenants.
pub fn find(conn: &mut Conn, scope: &[String], kind: Kind, reference: &Reference) -> Result<Option<Group>> {
    let condition = Condition::all([scope_condition(scope), kind_condition(kind), reference_condition(reference)]);
    Ok(resource_groups::table.filter(condition).order(resource_groups::id).first(conn).optional()?)
}

/// The group of a kind that a path names, among these tenants, or 404.
pub fn find_required(conn: &mut Conn, scope: &[String], kind: Kind, reference: &Reference) -> Result<Group> {
    Ok(find(conn, scope, kind, reference)?.ok_or_else(|| kind.not_found())?)
}

/// The ids of the groups of a kind, among these tenants, whose name contains one of the texts (or is one of them, when
/// `exact`) or whose integer or unique id is one of them, with the groups below them.
pub fn find_ids_by_name(
    conn: &mut Conn,
    scope: &[String],
    kind: &str,
    names: &[String],
    exact: bool,
) -> Result<Vec<i64>> {
    let kind = Kind::parse(kind).ok_or_else(|| db::Error::Fault(format!("{kind} is not a kind of group")))?;
    let by_id =
        names.iter().filter_map(|name| Reference::parse(kind, name)).map(|reference| reference_condition(&reference));
    let any = Condition::any(std::iter::once(name_condition(names, exact)).chain(by_id));
    let condition = Condition::all([scope_condition(scope), kind_condition(kind), any]);
    let ids = resource_groups::table.filter(condition).select(resource_groups::id).load(conn)?;
    with_descendants(conn, scope, ids)
}

/// The given groups that belong to these tenants, and the groups below them.
pub fn with_descendants(conn: &mut Conn, scope: &[String], ids: Vec<i64>) -> Result<Vec<i64>> {
    let mut found = BTreeSet::new();
    let mut level = select_ids(conn, scope, "resource_groups.id IN", &ids)?;
    while !level.is_empty() {
        // A group that was met before ends its branch, whatever the rows say.
        level.retain(|id| found.insert(*id));
        level = select_ids(conn, scope, "resource_groups.parent_id IN", &level)?;
    }
    Ok(found.into_iter().collect())
}

fn select_ids(conn: &mut Conn, scope: &[String], column: &'static str, ids: &[i64]) -> Result<Vec<i64>> {
    db::in_chunks(ids, |ids| {
        let condition = Condition::all([scope_condition(scope), Condition::integer_in(column, ids.iter().copied())]);
        resource_groups::table.filter(condition).select(resource_groups::id).load(conn)
    })
}

/// The ids and names of the parents of these groups.
pub fn parents(conn: &mut Conn, scope: &[String], groups: &[Group]) -> Result<Parents> {
    use resource_groups::dsl;
    let ids: BTreeSet<i64> = groups.iter().filter_map(|group| group.parent_id).collect();
    let ids: Vec<i64> = ids.into_iter().collect();
    let rows: Vec<(i64, String, String)> = db::in_chunks(&ids, |ids| {
        dsl::resource_groups
            .filter(scope_condition(scope))
            .filter(Condition::integer_in("resource_groups.id IN", ids.iter().copied()))
            .select((dsl::id, dsl::unique_id, dsl::name))
            .load(conn)
    })?;
    Ok(rows.into_iter().map(|(id, unique_id, name)| (id, ParentGroup { id, unique_id, name })).collect())
}

/// Hands on id, unique id and name of every group of a kind, by name.
pub fn each_minimal(
    conn: &mut Conn,
    scope: &[String],
    kind: Kind,
    mut each: impl FnMut(i64, String, String) -> Result<()>,
) -> Result<()> {
    use resource_groups::dsl;
    let query = dsl::resource_groups
        .filter(Condition::all([scope_condition(scope), kind_condition(kind)]))
        .order((dsl::name_key, dsl::id))
        .select((dsl::id, dsl::unique_id, dsl::name));
    db::for_each_row(conn, query, |(id, unique_id, name): (i64, String, String)| each(id, unique_id, name))
}

/// A page of the groups of a kind that a filter means.
pub fn search(
    conn: &mut Conn,
    scope: &[String],
    kind: Kind,
    filter: &Filter,
    sort: Sort,
    walk: &PageRequest,
) -> Result<PageRows<Group>> {
    let mut all = vec![scope_condition(scope), kind_condition(kind)];
    for references in [&filter.ids, &filter.unique_ids].into_iter().filter(|references| !references.is_empty()) {
        all.push(Condition::any(references.iter().map(reference_condition)));
    }
    if !filter.names.is_empty() {
        all.push(name_condition(&filter.names, filter.exact));
    }
    let condition = Condition::all(all);
    Ok(db::page!(conn, resource_groups::table.filter(condition), SORTS, sort, walk))
}

/// Is the group `below` (itself, or somewhere below) `top`?
pub fn is_below(conn: &mut Conn, tenant: &str, below: i64, top: i64) -> Result<bool> {
    use resource_groups::dsl;
    let mut next = Some(below);
    let mut met = BTreeSet::new();
    while let Some(id) = next.filter(|id| met.insert(*id)) {
        if id == top {
            return Ok(true);
        }
        next = dsl::resource_groups.find((tenant, id)).select(dsl::parent_id).first(conn).optional()?.flatten();
    }
    Ok(false)
}

fn check_name(conn: &mut Conn, kind: Kind, group: &Group) -> Result<()> {
    if db::has_namesake!(conn, resource_groups, group, resource_groups::kind.eq(kind.word())) {
        return Err(kind.name_taken(&group.name).into());
    }
    Ok(())
}

/// Stores a new group.
///
/// # Errors
/// 409 when the tenant has a group of this kind and name.
pub fn insert(conn: &mut Conn, kind: Kind, group: &Group) -> Result<()> {
    check_name(conn, kind, group)?;
    QUOTA.admit(conn, &group.tenant_id, 1)?;
    diesel::insert_into(resource_groups::table).values(group).execute(conn)?;
    Ok(())
}

/// Stores the next version of a group. A new name counts as a change of its children, which show it.
///
/// # Errors
/// 409 when the tenant has another group of this kind and name, the group would stand below itself, or somebody else
/// changed it meanwhile.
pub fn update(conn: &mut Conn, kind: Kind, old: &Group, new: &Group) -> Result<()> {
    use resource_groups::dsl;
    check_name(conn, kind, new)?;
    if let Some(parent) = new.parent_id.filter(|_| new.parent_id != old.parent_id)
        && is_below(conn, &old.tenant_id, parent, old.id)?
    {
        return Err(kind.cycle(&old.name).into());
    }
    let stored = dsl::resource_groups.find((&old.tenant_id, old.id)).filter(dsl::version.eq(old.version));
    if diesel::update(stored).set(new).execute(conn)? == 0 {
        return Err(kind.changed_meanwhile().into());
    }
    if old.name != new.name {
        let children = dsl::resource_groups.filter(dsl::tenant_id.eq(&old.tenant_id)).filter(dsl::parent_id.eq(old.id));
        diesel::update(children).set(dsl::version.eq(dsl::version + 1)).execute(conn)?;
    }
    Ok(())
}

/// Removes a group and its memberships among these tenants.
///
/// # Errors
/// 409 while it has child groups.
pub fn delete(conn: &mut Conn, kind: Kind, group: &Group, members: &[String]) -> Result<()> {
    use resource_groups::dsl;
    let children = dsl::resource_groups.filter(dsl::tenant_id.eq(&group.tenant_id)).filter(dsl::parent_id.eq(group.id));
    if children.select(dsl::id).first::<i64>(conn).optional()?.is_some() {
        return Err(kind.has_children(&group.name).into());
    }
    diesel::delete(group_members::table)
        .filter(group_members::tenant_id.eq_any(members))
        .filter(group_members::group_id.eq(group.id))
        .execute(conn)?;
    members.iter().try_for_each(|tenant| resource_index::log_group_change(conn, tenant, group.id))?;
    diesel::delete(dsl::resource_groups.find((&group.tenant_id, group.id))).execute(conn)?;
    Ok(())
}
