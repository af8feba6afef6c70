//! The rows of users.

use api::Role;
use base::{
    Key, PageRequest, PageRows, problem::Problem, query::Sort, tenant::TenantId, text::fold, timestamp::Timestamp,
};
use db::{Condition, Conn, Quota, Result, SortBy, Sorts};
use diesel::prelude::*;

use super::{
    row::Row,
    rules::{self, Filter},
    wire::NewUser,
};
use crate::{
    filters, history,
    schema::{api_keys, inbound_addresses, users},
};

/// What a list of users is sorted by.
pub(crate) const SORTS: Sorts<Row> = Sorts {
    by: &[
        SortBy::text("loginName", "users.login_fold", |row| Key::from(&row.login_fold)),
        SortBy::text("firstName", "users.first_fold", |row| Key::from(&row.first_fold)),
        SortBy::text("lastName", "users.last_fold", |row| Key::from(&row.last_fold)),
    ],
    then: &[SortBy::text("id", "users.id", |row| Key::from(&row.id))],
};

/// The users of these tenants with these ids, in the order of their ids; unknown ids and those of other tenants are
/// left out. Who is deactivated is found too.
///
/// For a record of a client the tenants are the client and its partner, whose users may stand in it as well.
pub fn find_many(conn: &mut Conn, tenants: &[String], ids: &[String]) -> Result<Vec<Row>> {
    let found = db::in_chunks(ids, |ids| users::table.filter(users::id.eq_any(ids)).load(conn))?;
    let mut found = filters::of_tenants(found, tenants, |row: &Row| &row.tenant_id);
    found.sort_by(|one, other| one.id.cmp(&other.id));
    found.dedup();
    Ok(found)
}

/// Does a program act as this user, by an API key that is neither revoked nor over, or by an inbound address?
pub(crate) fn is_program(conn: &mut Conn, user: &Row, now: Timestamp) -> Result<bool> {
    if !user.is_program() {
        return Ok(false);
    }
    let key: Option<String> = api_keys::table
        .filter(api_keys::tenant_id.eq(&user.tenant_id))
        .filter(api_keys::user_id.eq(&user.id))
        .filter(api_keys::revoked_ms.is_null())
        .filter(api_keys::expires_ms.is_null().or(api_keys::expires_ms.gt(now.millis())))
        .filter(api_keys::personal.eq(false))
        .select(api_keys::id)
        .first(conn)
        .optional()?;
    let address: Option<String> = inbound_addresses::table
        .filter(inbound_addresses::tenant_id.eq(&user.tenant_id))
        .filter(inbound_addresses::user_id.eq(&user.id))
        .select(inbound_addresses::id)
        .first(conn)
        .optional()?;
    Ok(key.is_some() || address.is_some())
}

/// The user with this id among the tenants that `here` names.
///
/// # Errors
/// 404 when there is none.
pub(crate) fn find(conn: &mut Conn, here: Condition, id: &str) -> Result<Row> {
    let row = users::table.filter(users::id.eq(id)).filter(here).get_result(conn).optional()?;
    Ok(row.ok_or_else(rules::unknown)?)
}

/// The user of a tenant with this id.
pub(crate) fn find_at(conn: &mut Conn, tenant: &TenantId, id: &str) -> Result<Option<Row>> {
    Ok(users::table.find((tenant.as_str(), id)).get_result(conn).optional()?)
}

/// The users with this login name, of one tenant or of whichever has one; a few of them at most. A tenant has one user
/// of all names that fold alike, and that one is found by its own: letters of ASCII in either case, all others as they
/// are.
pub(crate) fn named(conn: &mut Conn, tenant: Option<&TenantId>, login: &str) -> Result<Vec<Row>> {
    let alike = users::table.filter(users::login_fold.eq(fold(login))).order(users::id).limit(10);
    let mut found: Vec<Row> = match tenant {
        Some(tenant) => alike.filter(users::tenant_id.eq(tenant.as_str())).load(conn)?,
        None => alike.load(conn)?,
    };
    found.retain(|user| user.login_name.eq_ignore_ascii_case(login.trim()));
    Ok(found)
}

/// The lock of a user: taken to change the user, or to create something that ends with it.
pub(crate) fn lock(id: &str) -> db::Lock {
    db::Lock::of("user", id)
}

/// How many users a tenant has at most.
pub(crate) static QUOTA: Quota = Quota::new("users", "users", 100_000);

/// Adds a user to a tenant. A login name that another of its users has is a conflict.
pub(crate) fn insert(conn: &mut Conn, tenant: &TenantId, new: NewUser, now: Timestamp) -> Result<Row> {
    QUOTA.admit(conn, tenant.as_str(), 1)?;
    let number = next_number(conn, tenant)?;
    let row = rules::created(new, tenant, number, now);
    diesel::insert_into(users::table).values(&row).execute(conn).map_err(|error| taken(error, &row))?;
    Ok(row)
}

/// Adds the user that a new API key acts as, named after the key.
pub(crate) fn insert_for_key(
    conn: &mut Conn,
    tenant: &TenantId,
    name: &str,
    role: Role,
    now: Timestamp,
) -> Result<Row> {
    insert_for_program(conn, tenant, name, "API key", role, now)
}

/// Adds the user that a program acts as, under the name and the kind of its credential.
pub(crate) fn insert_for_program(
    conn: &mut Conn,
    tenant: &TenantId,
    name: &str,
    kind: &str,
    role: Role,
    now: Timestamp,
) -> Result<Row> {
    QUOTA.admit(conn, tenant.as_str(), 1)?;
    let number = next_number(conn, tenant)?;
    let new = NewUser::named(rules::login_of_key(number), name, kind, role);
    let row = rules::created(new, tenant, number, now);
    diesel::insert_into(users::table).values(&row).execute(conn)?;
    Ok(row)
}

fn next_number(conn: &mut Conn, tenant: &TenantId) -> Result<i64> {
    db::next_short_id(conn, "access.users", tenant.as_str(), |conn, number| {
        let same = users::table.filter(users::id.eq(rules::id(number)));
        Ok(diesel::select(diesel::dsl::exists(same)).get_result(conn)?)
    })
}

fn taken(error: diesel::result::Error, row: &Row) -> db::Error {
    let detail = format!("The tenant has a user with the login name {} already.", row.login_name);
    db::Error::or_conflict(error, detail)
}

/// Stores a user that has changed since its row was read. Somebody else's change in between is a conflict.
pub(crate) fn update(conn: &mut Conn, before: &Row, after: &Row) -> Result<()> {
    let same = users::table
        .filter(users::tenant_id.eq(&before.tenant_id))
        .filter(users::id.eq(&before.id))
        .filter(users::version.eq(before.version));
    let updated = diesel::update(same).set(after).execute(conn).map_err(|error| taken(error, after))?;
    if updated == 0 {
        return Err(Problem::conflict("The user was changed at the same moment.").into());
    }
    let until_ms = history::effective_ms(Timestamp::from_millis(after.updated_ms));
    history::record_user(conn, &before.until(until_ms), &after.until(until_ms))
}

/// All users that `here` names, by login name.
pub(crate) fn all(conn: &mut Conn, here: Condition) -> Result<Vec<Row>> {
    Ok(users::table.filter(here).order((users::login_fold, users::id)).load(conn)?)
}

/// Hands on all users that `here` names, by id.
pub(crate) fn each(conn: &mut Conn, here: Condition, mut each: impl FnMut(Row) -> Result<()>) -> Result<()> {
    let query = users::table.filter(here).order(users::id);
    db::for_each_row(conn, query, |row: Row| each(row))
}

/// A page of the users of the tenants that `here` names.
pub(crate) fn search(
    conn: &mut Conn,
    here: Condition,
    filter: &Filter,
    sort: Sort,
    walk: &PageRequest,
) -> Result<PageRows<Row>> {
    let wanted = here_and(here, filter);
    Ok(db::page!(conn, users::table.filter(wanted), SORTS, sort, walk))
}

fn here_and(here: Condition, filter: &Filter) -> Condition {
    let ids = filter.ids.iter().map(|ids| Condition::text_in("users.id IN", ids.iter().cloned()));
    let texts = filter.texts.iter().map(|(name, texts)| Condition::named(column(name), texts, filter.whole));
    let activated = filter.activated.iter().map(|activated| filters::boolean("users.activated", *activated));
    let dates = filter.dates.condition("users.created_ms", "users.updated_ms");
    Condition::all([here, dates].into_iter().chain(ids).chain(texts).chain(activated))
}

/// The folded column of a query variable.
fn column(name: &str) -> &'static str {
    match name {
        "loginName" => "users.login_fold",
        "firstName" => "users.first_fold",
        "lastName" => "users.last_fold",
        "email" | "mailId" => "users.email_fold",
        // Of somebody with one name only, the name is that one.
        _ => "trim(users.first_fold || ' ' || users.last_fold)",
    }
}
