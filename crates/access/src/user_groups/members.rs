//! Who is in a group.

use std::collections::{BTreeSet, HashMap};

use base::{
    PageRequest, PageRows,
    problem::{FieldError, Problem},
    query::Sort,
    timestamp::Timestamp,
};
use db::{Condition, Conn, Result};
use diesel::prelude::*;

use super::{row::Row, rules, wire::UserReference};
use crate::{
    history,
    schema::{user_group_members, users as users_table},
    users,
};

#[derive(Insertable)]
#[diesel(table_name = user_group_members, treat_none_as_default_value = false)]
struct Member {
    tenant_id: String,
    group_id: String,
    user_id: String,
    user_tenant_id: String,
    since_ms: i64,
}

/// The members of a group of a tenant, by login name. Who is deactivated is a member too.
pub(crate) fn of(conn: &mut Conn, tenant: &str, group: &str) -> Result<Vec<users::Row>> {
    users::store::all(conn, are_in(tenant, group))
}

/// The ids of the members of groups, by the group's id, those of a group by login name. Who is deactivated is a member
/// too.
pub fn of_many(conn: &mut Conn, groups: &[Row]) -> Result<HashMap<String, Vec<String>>> {
    use user_group_members::dsl;
    let rows: Vec<(String, String)> = db::in_chunks(groups, |groups| {
        let keys = groups.iter().map(|group| (&group.tenant_id, &group.id));
        let is_user = dsl::user_tenant_id.eq(users_table::tenant_id).and(dsl::user_id.eq(users_table::id));
        dsl::user_group_members
            .inner_join(users_table::table.on(is_user))
            .filter(Condition::pairs_in("(user_group_members.tenant_id, user_group_members.group_id) IN", keys))
            .order((dsl::group_id, users_table::login_fold, users_table::id))
            .select((dsl::group_id, dsl::user_id))
            .load(conn)
    })?;
    let mut members: HashMap<String, Vec<String>> = HashMap::new();
    for (group, user) in rows {
        members.entry(group).or_default().push(user);
    }
    Ok(members)
}

/// A page of the members of a group.
pub(crate) fn page(conn: &mut Conn, group: &Row, sort: Sort, walk: &PageRequest) -> Result<PageRows<users::Row>> {
    users::store::search(conn, are_in(&group.tenant_id, &group.id), &users::rules::Filter::default(), sort, walk)
}

fn are_in(tenant: &str, group: &str) -> Condition {
    Condition::sql(
        "(users.tenant_id, users.id) IN (SELECT m.user_tenant_id, m.user_id FROM user_group_members m \
         WHERE m.tenant_id = ",
    )
    .text(tenant)
    .then(" AND m.group_id = ")
    .text(group)
    .then(")")
}

/// What a request does to the members of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// Those given come in.
    Add,
    /// Those given go.
    Remove,
    /// Those given are all.
    Set,
}

/// Changes the members of a group that was read alone, at this time; those of a new one, without a time, were there
/// always. Answers whether anything changed.
///
/// # Errors
/// 400 that lists every reference to nobody of the group's tenant or `partner`, as `{field}[2].id`; 400 for too many
/// members.
pub(crate) fn change(
    conn: &mut Conn,
    group: &Row,
    partner: &str,
    change: Change,
    (given, field): (&[UserReference], &str),
    now: Option<Timestamp>,
) -> Result<bool> {
    let given = resolve(conn, group, partner, given, field)?;
    let before: BTreeSet<(String, String)> = keys(of(conn, &group.tenant_id, &group.id)?);
    let after: BTreeSet<(String, String)> = match change {
        Change::Add => before.union(&given).cloned().collect(),
        Change::Remove => before.difference(&given).cloned().collect(),
        Change::Set => given,
    };
    rules::check_size(after.len())?;
    let gone: Vec<&str> = before.difference(&after).map(|(_, id)| id.as_str()).collect();
    let members = user_group_members::table
        .filter(user_group_members::tenant_id.eq(&group.tenant_id))
        .filter(user_group_members::group_id.eq(&group.id));
    if !gone.is_empty() {
        if let Some(now) = now {
            history::record_members(conn, (&group.tenant_id, &group.id), &gone, now)?;
        }
        diesel::delete(members.filter(user_group_members::user_id.eq_any(gone))).execute(conn)?;
    }
    let new: Vec<Member> = after
        .difference(&before)
        .map(|(tenant, user)| Member {
            tenant_id: group.tenant_id.clone(),
            group_id: group.id.clone(),
            user_id: user.clone(),
            user_tenant_id: tenant.clone(),
            since_ms: now.map(history::effective_ms).unwrap_or_default(),
        })
        .collect();
    db::insert_rows!(conn, user_group_members::table, new.as_slice())?;
    Ok(before != after)
}

fn keys(users: Vec<users::Row>) -> BTreeSet<(String, String)> {
    users.into_iter().map(|user| (user.tenant_id, user.id)).collect()
}

fn resolve(
    conn: &mut Conn,
    group: &Row,
    partner: &str,
    given: &[UserReference],
    field: &str,
) -> Result<BTreeSet<(String, String)>> {
    let ids: Vec<String> = given.iter().map(|user| user.id.clone()).collect();
    let tenants = [group.tenant_id.clone(), partner.to_owned()];
    let found = keys(users::find_many(conn, &tenants, &ids)?);
    let known: BTreeSet<&str> = found.iter().map(|(_, id)| id.as_str()).collect();
    let nobody = ids.iter().enumerate().filter(|(_, id)| !known.contains(id.as_str()));
    let errors: Vec<FieldError> = nobody
        .map(|(index, _)| FieldError::new(format!("{field}[{index}].id"), "names no user of the tenant or its partner"))
        .collect();
    if errors.is_empty() { Ok(found) } else { Err(Problem::fields(errors).into()) }
}
