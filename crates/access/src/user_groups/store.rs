//! The rows of user groups.

use base::{Key, PageRequest, PageRows, query::Sort, timestamp::Timestamp};
use db::{Condition, Conn, Quota, Result, SortBy, Sorts};
use diesel::prelude::*;

use super::{
    row::Row,
    rules::{self, Filter},
};
use crate::{filters, history, schema::user_groups};

/// What a list of groups is sorted by.
pub(crate) const SORTS: Sorts<Row> = Sorts {
    by: &[
        SortBy::text("name", "user_groups.name_fold", |row| Key::from(&row.name_fold)),
        SortBy::integer("createdTime", "user_groups.created_ms", |row| Key::from(row.created_ms)),
    ],
    then: &[SortBy::text("uniqueId", "user_groups.id", |row| Key::from(&row.id))],
};

/// How many user groups a tenant has at most.
pub(crate) static QUOTA: Quota = Quota::new("user groups", "user_groups", 20_000);

/// The groups of these tenants with these ids, in the order of their ids; unknown ids and those of other tenants are
/// left out. A group that is deactivated is found too.
///
/// For a record of a client the tenants are the client and its partner, whose groups may stand in it as well.
pub fn find_many(conn: &mut Conn, tenants: &[String], ids: &[String]) -> Result<Vec<Row>> {
    let found = db::in_chunks(ids, |ids| user_groups::table.filter(user_groups::id.eq_any(ids)).load(conn))?;
    let mut found = filters::of_tenants(found, tenants, |row: &Row| &row.tenant_id);
    found.sort_by(|one, other| one.id.cmp(&other.id));
    found.dedup();
    Ok(found)
}

/// The group with this id among the tenants that `here` names.
///
/// # Errors
/// 404 when there is none.
pub(crate) fn find(conn: &mut Conn, here: Condition, id: &str) -> Result<Row> {
    let row = user_groups::table.filter(user_groups::id.eq(id)).filter(here).get_result(conn).optional()?;
    Ok(row.ok_or_else(rules::unknown)?)
}

/// As [`find`], and everybody else who wants to change the group waits until the transaction ends.
pub(crate) fn find_alone(conn: &mut Conn, here: Condition, id: &str) -> Result<Row> {
    let group = user_groups::table.filter(user_groups::id.eq(id)).filter(here.clone());
    diesel::update(group).set(user_groups::version.eq(user_groups::version)).execute(conn)?;
    find(conn, here, id)
}

/// Adds a group. A name that another of the tenant's groups has is a conflict.
pub(crate) fn insert(conn: &mut Conn, row: &Row) -> Result<()> {
    QUOTA.admit(conn, &row.tenant_id, 1)?;
    diesel::insert_into(user_groups::table).values(row).execute(conn).map_err(|error| taken(error, row))?;
    Ok(())
}

fn taken(error: diesel::result::Error, row: &Row) -> db::Error {
    db::Error::or_conflict(error, format!("A user group named {} already exists.", row.name))
}

/// Stores a group that was read by [`find_alone`].
pub(crate) fn update(conn: &mut Conn, before: &Row, after: &Row) -> Result<()> {
    let until_ms = history::effective_ms(Timestamp::from_millis(after.updated_ms.unwrap_or(after.created_ms)));
    history::record_group(conn, &before.until(until_ms), &after.until(until_ms))?;
    let same = user_groups::table.find((&after.tenant_id, &after.id));
    diesel::update(same).set(after).execute(conn).map_err(|error| taken(error, after))?;
    Ok(())
}

/// A page of the groups of the tenants that `here` names.
pub(crate) fn search(
    conn: &mut Conn,
    here: Condition,
    filter: &Filter,
    sort: Sort,
    walk: &PageRequest,
) -> Result<PageRows<Row>> {
    let wanted = here_and(here, filter);
    Ok(db::page!(conn, user_groups::table.filter(wanted), SORTS, sort, walk))
}

fn here_and(here: Condition, filter: &Filter) -> Condition {
    let ids = filter.ids.iter().map(|ids| Condition::text_in("user_groups.id IN", ids.iter().cloned()));
    let users = filter.users.iter().map(|users| {
        let ids = Condition::text_in("m.user_id IN", users.iter().cloned());
        Condition::sql(
            "EXISTS (SELECT 1 FROM user_group_members m \
             WHERE m.tenant_id = user_groups.tenant_id AND m.group_id = user_groups.id AND ",
        )
        .append(ids)
        .then(")")
    });
    let names = filter.names.iter().map(|names| Condition::named("user_groups.name_fold", names, filter.whole));
    let activated = filter.activated.iter().map(|activated| filters::boolean("user_groups.activated", *activated));
    Condition::all(std::iter::once(here).chain(ids).chain(users).chain(names).chain(activated))
}
