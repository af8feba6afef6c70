//! The history of users, groups and memberships, for questions about an earlier time.
//!
//! A change that others can see writes a row: the former state, and until when it held. A user or group that never
//! changed has no rows here; its present row is its whole history. A change takes effect at the start of its second, as
//! the interface shows times in seconds.

use base::timestamp::Timestamp;
use db::{Condition, Conn, Result};
use diesel::prelude::*;
use outbox::{Keep, Retention, retention::Remove};

use crate::{
    filters,
    schema::{former_members, former_user_groups, former_users, user_group_members},
};

/// A user as it was until an instant.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable)]
#[diesel(table_name = former_users, treat_none_as_default_value = false)]
pub struct User {
    pub tenant_id: String,
    /// `USR` and ten digits.
    pub id: String,
    /// It was like this until here.
    pub until_ms: i64,
    /// The login name.
    pub login_name: String,
    /// The given name.
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    pub email: Option<String>,
    /// A telephone number, as people write it.
    pub phone_number: Option<String>,
    /// A telephone number, as people write it.
    pub mobile_number: Option<String>,
    /// Was it in use?
    pub activated: bool,
}

/// A group as it was until an instant, but for its members.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable)]
#[diesel(table_name = former_user_groups, treat_none_as_default_value = false)]
pub struct Group {
    pub tenant_id: String,
    /// `USRGRP-<uuid>`.
    pub id: String,
    /// It was like this until here.
    pub until_ms: i64,
    pub name: String,
    /// Empty when there was none.
    pub description: String,
    pub created_ms: i64,
    /// When it had changed last.
    pub updated_ms: Option<i64>,
    /// Was it in use?
    pub activated: bool,
}

/// Somebody's time in a group.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Insertable)]
#[diesel(table_name = former_members, treat_none_as_default_value = false)]
pub struct Member {
    /// The tenant of the group.
    pub tenant_id: String,
    /// The group.
    pub group_id: String,
    /// The user.
    pub user_id: String,
    /// When it begins.
    pub since_ms: i64,
    /// And until here.
    pub until_ms: i64,
}

/// When a change at this time takes effect.
pub(crate) fn effective_ms(now: Timestamp) -> i64 {
    now.millis().div_euclid(1_000) * 1_000
}

/// Stores the former state of a user, if a change made a difference.
pub(crate) fn record_user(conn: &mut Conn, was: &User, is: &User) -> Result<()> {
    let key = former_users::table.find((&was.tenant_id, &was.id, was.until_ms)).select(former_users::until_ms);
    // A state that held for less than a second is not stored.
    if was == is || key.first::<i64>(conn).optional()?.is_some() {
        return Ok(());
    }
    diesel::insert_into(former_users::table).values(was).execute(conn)?;
    Ok(())
}

/// Stores the former state of a group, if a change made a difference that others see.
pub(crate) fn record_group(conn: &mut Conn, was: &Group, is: &Group) -> Result<()> {
    let same = (&was.name, &was.description, was.activated) == (&is.name, &is.description, is.activated);
    let key = former_user_groups::table.find((&was.tenant_id, &was.id, was.until_ms));
    if same || key.select(former_user_groups::until_ms).first::<i64>(conn).optional()?.is_some() {
        return Ok(());
    }
    diesel::insert_into(former_user_groups::table).values(was).execute(conn)?;
    Ok(())
}

/// Stores that these users were members of a group until now.
pub(crate) fn record_members(
    conn: &mut Conn,
    (tenant, group): (&str, &str),
    gone: &[&str],
    now: Timestamp,
) -> Result<()> {
    let until_ms = effective_ms(now);
    let members = user_group_members::table
        .filter(user_group_members::tenant_id.eq(tenant))
        .filter(user_group_members::group_id.eq(group))
        .filter(user_group_members::user_id.eq_any(gone))
        .filter(user_group_members::since_ms.lt(until_ms));
    let members: Vec<(String, i64)> =
        members.select((user_group_members::user_id, user_group_members::since_ms)).load(conn)?;
    let were: Vec<Member> = members
        .into_iter()
        .map(|(user_id, since_ms)| Member {
            tenant_id: tenant.to_owned(),
            group_id: group.to_owned(),
            user_id,
            since_ms,
            until_ms,
        })
        .collect();
    db::insert_rows!(conn, former_members::table, were.as_slice())
}

/// These users of these tenants as they were until an instant after `since_ms`, oldest first.
pub fn users(conn: &mut Conn, tenants: &[String], ids: &[String], since_ms: i64) -> Result<Vec<User>> {
    let found = db::in_chunks(ids, |ids| {
        let keys = "(former_users.tenant_id, former_users.id) IN (SELECT u.tenant_id, u.id FROM users u WHERE u.id IN";
        former_users::table
            .filter(Condition::text_in(keys, ids).then(")"))
            .filter(former_users::until_ms.gt(since_ms))
            .order((former_users::id, former_users::until_ms))
            .load(conn)
    })?;
    Ok(filters::of_tenants(found, tenants, |user: &User| &user.tenant_id))
}

/// These groups of these tenants as they were until an instant after `since_ms`, oldest first.
pub fn groups(conn: &mut Conn, tenants: &[String], ids: &[String], since_ms: i64) -> Result<Vec<Group>> {
    let found = db::in_chunks(ids, |ids| {
        let keys = "(former_user_groups.tenant_id, former_user_groups.id) IN ";
        former_user_groups::table
            .filter(Condition::sql(keys).append(keys_of_groups(ids)))
            .filter(former_user_groups::until_ms.gt(since_ms))
            .order((former_user_groups::id, former_user_groups::until_ms))
            .load(conn)
    })?;
    Ok(filters::of_tenants(found, tenants, |group: &Group| &group.tenant_id))
}

/// The keys of the groups with these ids.
fn keys_of_groups(ids: &[String]) -> Condition {
    Condition::text_in("(SELECT g.tenant_id, g.id FROM user_groups g WHERE g.id IN", ids).then(")")
}

/// Group, user, since when and until when, in milliseconds.
type Membership = (String, String, i64, Option<i64>);

/// The memberships of these groups that ended after `since_ms`; and, without an end, those that began after it.
pub fn members(conn: &mut Conn, tenants: &[String], ids: &[String], since_ms: i64) -> Result<Vec<Membership>> {
    let were = db::in_chunks(ids, |ids| {
        let keys = "(former_members.tenant_id, former_members.group_id) IN ";
        former_members::table
            .filter(Condition::sql(keys).append(keys_of_groups(ids)))
            .filter(former_members::until_ms.gt(since_ms))
            .load(conn)
    })?;
    let are = db::in_chunks(ids, |ids| {
        use user_group_members::dsl;
        let keys = "(user_group_members.tenant_id, user_group_members.group_id) IN ";
        user_group_members::table
            .filter(Condition::sql(keys).append(keys_of_groups(ids)))
            .filter(dsl::since_ms.gt(since_ms.max(0)))
            .select((dsl::tenant_id, dsl::group_id, dsl::user_id, dsl::since_ms))
            .load(conn)
    })?;
    let were = filters::of_tenants(were, tenants, |member: &Member| &member.tenant_id).into_iter();
    let are = filters::of_tenants(are, tenants, |member: &(String, String, String, i64)| &member.0).into_iter();
    let were = were.map(|one| (one.group_id, one.user_id, one.since_ms, Some(one.until_ms)));
    let are = are.map(|(_, group, user, since)| (group, user, since, None));
    let mut found: Vec<Membership> = were.chain(are).collect();
    found.sort();
    Ok(found)
}

/// How long the history of people is kept: ten years, as long as that of the rosters that read it.
const KEPT_MS: i64 = 3_653 * 86_400_000;

const fn retention(kind: &'static str, table: &'static str, id: &'static str, remove: Remove) -> Retention {
    let keep = Keep::Millis(KEPT_MS);
    Retention { kind, keep, most: Some(1_000_000), table, id, since: "until_ms", only: "1 = 1", remove: Some(remove) }
}

/// The retention of former users.
pub(crate) const USER_RETENTION: Retention =
    retention("former-users", "former_users", "id || ' ' || until_ms", |conn, tenant, ids, _| {
        let mut gone = 0;
        for (id, until) in ids.iter().filter_map(|key| split(key)) {
            gone += diesel::delete(former_users::table.find((tenant, id, until))).execute(conn)?;
        }
        Ok(gone)
    });

/// The retention of former groups.
pub(crate) const GROUP_RETENTION: Retention =
    retention("former-user-groups", "former_user_groups", "id || ' ' || until_ms", |conn, tenant, ids, _| {
        let mut gone = 0;
        for (id, until) in ids.iter().filter_map(|key| split(key)) {
            gone += diesel::delete(former_user_groups::table.find((tenant, id, until))).execute(conn)?;
        }
        Ok(gone)
    });

/// The retention of former members.
pub(crate) const MEMBER_RETENTION: Retention = retention(
    "former-members",
    "former_members",
    "group_id || ' ' || user_id || ' ' || until_ms",
    |conn, tenant, ids, _| {
        let mut gone = 0;
        for (ids, until) in ids.iter().filter_map(|key| split(key)) {
            let Some((group, user)) = ids.split_once(' ') else { continue };
            gone += diesel::delete(former_members::table.find((tenant, group, user, until))).execute(conn)?;
        }
        Ok(gone)
    },
);

fn split(key: &str) -> Option<(&str, i64)> {
    let (ids, until) = key.rsplit_once(' ')?;
    Some((ids, until.parse().ok()?))
}
