//! The children of a group: child groups, and resources by hand or by rule.

use std::collections::BTreeMap;

use base::{
    Key, PageRequest, PageRows,
    problem::{FieldError, Problem},
    query::Sort,
};
use db::{Column, Conn, Db, Result};
use diesel::prelude::*;
use outbox::Tx;

use crate::{
    groups::{
        changes::{self, GroupAccess},
        dynamic::{self, Member},
        input::{ChildReference, GroupChange},
        kind::{Kind, Setting},
        row::Group,
        rules, store,
        wire::GroupChild,
    },
    model::{document::STATES, row::Row},
    resources::{self, filter, predicate::Filter, query::ResourceQuery, store::Order},
    schema::{group_members, resource_groups},
};

/// The one order of children: groups first, then resources, each by id.
pub const ORDER: Sort = Sort { name: "id", descending: false };

/// A page of the children of a group.
pub fn page(
    db: &Db,
    conn: &mut Conn,
    access: &GroupAccess,
    kind: Kind,
    group: &Group,
    walk: &PageRequest,
) -> Result<PageRows<GroupChild>> {
    use resource_groups::dsl;
    let by_id = db::Order::by([Column::Integer("resource_groups.id")], ORDER.descending);
    let below = dsl::resource_groups.filter(dsl::tenant_id.eq(&group.tenant_id)).filter(dsl::parent_id.eq(group.id));
    let tenants = access.member_tenants(group);
    let members = vec![Filter::Groups(vec![group.id]), Filter::Row(filter::states(STATES))];
    let members = ResourceQuery::new(db, conn, &tenants, members)?;
    // The key of a group is a number, that of a resource a text. After a resource there are no more groups.
    let behind_groups = matches!(walk.after(), Some([Key::Text(_), ..]));
    let groups_total: i64 = if walk.after().is_none() { below.count().get_result(conn)? } else { 0 };
    let total = walk.total(|| Ok::<_, db::Error>(groups_total + members.total(conn)?))?;
    let groups: Vec<Group> = if behind_groups {
        Vec::new()
    } else {
        let query = below.filter(by_id.after(walk.after())?).order(by_id);
        query.offset(walk.offset()).limit(walk.row_limit()).load(conn)?
    };
    let after = walk.after().filter(|_| behind_groups);
    let skip = (walk.offset() - groups_total).max(0);
    let left = walk.row_limit() - i64::try_from(groups.len()).unwrap_or(walk.row_limit());
    let rows = members.slice(conn, Order::Id, ORDER.descending, after, skip, left)?;
    let by_rule = load_by_rule(conn, &tenants, group.id, &rows)?;
    let mut children: Vec<(Vec<Key>, GroupChild)> = Vec::with_capacity(groups.len() + rows.len());
    children.extend(groups.into_iter().map(|group| (vec![Key::from(group.id)], child_group(kind, group))));
    children.extend(rows.into_iter().map(|row| (Order::Id.keys(&row), member(row, &by_rule))));
    Ok(walk.cut(children, total, |(keys, _)| keys.clone()).map(|(_, child)| child))
}

fn load_by_rule(conn: &mut Conn, tenants: &[String], group_id: i64, rows: &[Row]) -> Result<BTreeMap<String, bool>> {
    use group_members::dsl;
    let known: Vec<(String, bool)> = dsl::group_members
        .filter(dsl::tenant_id.eq_any(tenants))
        .filter(dsl::group_id.eq(group_id))
        .filter(dsl::resource_id.eq_any(rows.iter().map(|row| &row.id)))
        .select((dsl::resource_id, dsl::by_rule))
        .load(conn)?;
    Ok(known.into_iter().collect())
}

fn child_group(kind: Kind, group: Group) -> GroupChild {
    GroupChild {
        id: group.unique_id,
        kind: kind.child_type().to_owned(),
        name: group.name,
        host_name: None,
        ip_address: None,
        resource_type: None,
        by_rule: None,
    }
}

fn member(row: Row, by_rule: &BTreeMap<String, bool>) -> GroupChild {
    GroupChild {
        by_rule: by_rule.get(&row.id).copied(),
        id: row.id,
        kind: row.kind,
        name: row.name,
        host_name: Some(row.host_name),
        ip_address: Some(row.ip_address),
        resource_type: Some(row.resource_type),
    }
}

/// Adds resources and child groups by hand; the caller holds the groups alone. What is there already stays, but a
/// member by rule becomes one by hand; a group that stood elsewhere moves. Other children are another version.
///
/// # Errors
/// 400 that lists every reference to nothing that the group could hold; 409 for a group that holds this one.
pub fn add(tx: &mut Tx<'_>, access: &GroupAccess, kind: Kind, group: &Group, given: &[ChildReference]) -> Result<()> {
    for_each_child(tx, access, kind, group, given, |tx, child| match child {
        Child::Group(child) if child.parent_id == Some(group.id) => Ok(false),
        Child::Group(child) => move_below(tx, access, kind, &child, Setting::Set(group.id)).map(|()| true),
        Child::Resource(row) => add_resource(tx.conn, group, *row),
    })
}

/// Removes resources that were added by hand, and child groups, which then stand at the top; the caller holds the
/// groups alone. References to others have no effect. A resource that the criteria select stays a member, by rule.
///
/// # Errors
/// 400 as [`add`]; 409 for a member by rule.
pub fn remove(
    tx: &mut Tx<'_>,
    access: &GroupAccess,
    kind: Kind,
    group: &Group,
    given: &[ChildReference],
) -> Result<()> {
    for_each_child(tx, access, kind, group, given, |tx, child| match child {
        Child::Group(child) if child.parent_id == Some(group.id) => {
            move_below(tx, access, kind, &child, Setting::Clear).map(|()| true)
        }
        Child::Group(_) => Ok(false),
        Child::Resource(row) => remove_resource(tx.conn, &access.partner, group, *row),
    })
}

/// The record that a reference names.
enum Child {
    Group(Box<Group>),
    Resource(Box<Row>),
}

/// Carries out a change for each child, which says whether it changed anything.
fn for_each_child(
    tx: &mut Tx<'_>,
    access: &GroupAccess,
    kind: Kind,
    group: &Group,
    given: &[ChildReference],
    mut change: impl FnMut(&mut Tx<'_>, Child) -> Result<bool>,
) -> Result<()> {
    let tenants = access.member_tenants(group);
    let own = std::slice::from_ref(&group.tenant_id);
    let mut errors = Vec::new();
    let mut changed = false;
    for (index, reference) in given.iter().enumerate() {
        let child = match reference {
            ChildReference::Group(child) => {
                store::find(tx.conn, own, kind, child)?.map(|row| Child::Group(Box::new(row)))
            }
            ChildReference::Resource(id) => {
                resources::store::find_current(tx.conn, &tenants, id)?.map(|row| Child::Resource(Box::new(row)))
            }
        };
        match child {
            Some(child) => changed |= change(tx, child)?,
            None => {
                let message = format!("names no resource and no {} group that the group could hold", kind.word());
                errors.push(FieldError::new(format!("[{index}].id"), message));
            }
        }
    }
    // What was changed before the first error is undone with the whole write.
    if !errors.is_empty() {
        return Err(Problem::fields(errors).into());
    }
    if changed {
        store::update(tx.conn, kind, group, &rules::changed(group, GroupChange::default(), tx.now))?;
    }
    Ok(())
}

fn move_below(tx: &mut Tx<'_>, access: &GroupAccess, kind: Kind, child: &Group, parent: Setting<i64>) -> Result<()> {
    let before = changes::to_wire(tx.conn, access, child)?;
    let moved = rules::changed(child, GroupChange { parent, ..GroupChange::default() }, tx.now);
    store::update(tx.conn, kind, child, &moved)?;
    let after = changes::to_wire(tx.conn, access, &moved)?;
    changes::record_change(tx, kind, Some(&before), Some(&after))
}

fn add_resource(conn: &mut Conn, group: &Group, row: Row) -> Result<bool> {
    use group_members::dsl;
    let key = dsl::group_members.find((&row.tenant_id, group.id, &row.id));
    let by_rule: Option<bool> = key.select(dsl::by_rule).get_result(conn).optional()?;
    match by_rule {
        Some(false) => return Ok(false),
        Some(true) => diesel::update(key).set(dsl::by_rule.eq(false)).execute(conn)?,
        None => {
            let resource_id = row.id.clone();
            let member = Member { tenant_id: row.tenant_id.clone(), group_id: group.id, resource_id, by_rule: false };
            diesel::insert_into(dsl::group_members).values(&member).execute(conn)?
        }
    };
    resource_index::log_change(conn, &row.tenant_id, &row.id)?;
    Ok(true)
}

fn remove_resource(conn: &mut Conn, partner: &str, group: &Group, row: Row) -> Result<bool> {
    use group_members::dsl;
    let key = dsl::group_members.find((&row.tenant_id, group.id, &row.id));
    let by_rule: Option<bool> = key.select(dsl::by_rule).get_result(conn).optional()?;
    match by_rule {
        None => return Ok(false),
        Some(true) => {
            let detail = format!("The resource {} is a member by the group's filterCriteria: change those.", row.id);
            return Err(Problem::conflict(detail).into());
        }
        Some(false) => diesel::delete(key).execute(conn)?,
    };
    resource_index::log_change(conn, &row.tenant_id, &row.id)?;
    if group.rules.is_some() {
        dynamic::refresh_resource(conn, partner, &row.into_resource()?)?;
    }
    Ok(true)
}
