//! The rows of tenants. Clients are always asked for through their partner.

use api::Tenant;
use base::{Key, PageRequest, PageRows, problem::Problem, query::Sort, tenant::TenantId, timestamp::Timestamp};
use db::{Condition, Conn, Quota, SortBy, Sorts};
use diesel::prelude::*;

use super::{
    row::Row,
    rules::{self, Filter},
};
use crate::{filters, schema::tenants};

/// What a list of clients is sorted by.
pub(crate) const SORTS: Sorts<Row> = Sorts {
    by: &[SortBy::text("name", "tenants.name_fold", |row| Key::from(&row.name_fold))],
    then: &[SortBy::integer("id", "tenants.number", |row| Key::from(row.number))],
};

/// Is there any tenant?
pub(crate) fn any(conn: &mut Conn) -> db::Result<bool> {
    Ok(diesel::select(diesel::dsl::exists(tenants::table.select(tenants::id))).get_result(conn)?)
}

/// The id of the next partner. Other callers wait until this transaction ends.
pub(crate) fn next_partner(conn: &mut Conn) -> db::Result<TenantId> {
    Ok(TenantId::partner(db::next_number(conn, "access.partners")?))
}

/// Adds a partner.
pub(crate) fn insert_partner(conn: &mut Conn, id: &TenantId, name: &str, now: Timestamp) -> db::Result<()> {
    diesel::insert_into(tenants::table).values(&Row::new(id, id, name, now)).execute(conn)?;
    Ok(())
}

/// How many clients a tenant has at most.
pub(crate) static QUOTA: Quota = Quota::new("clients", "(SELECT partner_id AS tenant_id FROM tenants) t", 100_000);

/// Adds a client to a partner. A name that another of its clients has is a conflict.
pub(crate) fn insert_client(conn: &mut Conn, partner: &TenantId, name: &str, now: Timestamp) -> db::Result<Row> {
    QUOTA.admit(conn, partner.as_str(), 1)?;
    let id = TenantId::client(db::next_number(conn, "access.clients")?);
    let row = Row::new(&id, partner, name, now);
    diesel::insert_into(tenants::table).values(&row).execute(conn).map_err(|error| taken(error, name))?;
    Ok(row)
}

fn taken(error: diesel::result::Error, name: &str) -> db::Error {
    db::Error::or_conflict(error, format!("A client named {name} already exists."))
}

/// Stores a client that has changed since its row was read. Somebody else's change in between is a conflict.
pub(crate) fn update(conn: &mut Conn, before: &Row, after: &Row) -> db::Result<()> {
    let same = tenants::table
        .filter(tenants::id.eq(&before.id))
        .filter(tenants::partner_id.eq(&before.partner_id))
        .filter(tenants::version.eq(before.version));
    let updated = diesel::update(same).set(after).execute(conn).map_err(|error| taken(error, &after.name))?;
    if updated == 0 { Err(Problem::conflict("The client was changed at the same moment.").into()) } else { Ok(()) }
}

/// Makes everybody else who locks or changes this tenant wait until the transaction ends.
pub(crate) fn lock(conn: &mut Conn, id: &TenantId) -> db::Result<()> {
    diesel::update(tenants::table.find(id.as_str())).set(tenants::version.eq(tenants::version)).execute(conn)?;
    Ok(())
}

/// One tenant's row.
pub(crate) fn row(conn: &mut Conn, id: &TenantId) -> db::Result<Option<Row>> {
    Ok(tenants::table.find(id.as_str()).get_result(conn).optional()?)
}

/// One client of a partner.
///
/// # Errors
/// 404 when the partner has no such client.
pub(crate) fn client(conn: &mut Conn, partner: &TenantId, id: &TenantId) -> db::Result<Row> {
    let row = tenants::table
        .filter(tenants::partner_id.eq(partner.as_str()))
        .filter(tenants::id.ne(partner.as_str()))
        .filter(tenants::id.eq(id.as_str()))
        .get_result(conn)
        .optional()?;
    Ok(row.ok_or_else(rules::unknown)?)
}

/// Hands on all tenants, each partner before its clients: for the person who holds the database.
pub(crate) fn each_anywhere(conn: &mut Conn, mut each: impl FnMut(Row) -> db::Result<()>) -> db::Result<()> {
    let is_client = tenants::id.ne(tenants::partner_id);
    let query = tenants::table.order((tenants::partner_id, is_client, tenants::number));
    db::for_each_row(conn, query, |row: Row| each(row))
}

/// A tenant as every domain sees it, with its clients in the order of their numbers.
pub(crate) fn tenant(conn: &mut Conn, id: &TenantId) -> db::Result<Option<Tenant>> {
    // One statement, so that a partner and its clients are of one instant.
    let rows: Vec<(String, String, String)> = tenants::table
        .filter(tenants::id.eq(id.as_str()).or(tenants::partner_id.eq(id.as_str())))
        .order(tenants::number)
        .select((tenants::id, tenants::partner_id, tenants::name))
        .load(conn)?;
    let mut own = None;
    let mut clients = Vec::new();
    for (row_id, partner, name) in rows {
        if row_id == id.as_str() {
            own = Some((partner, name));
        } else {
            clients.push(parse(&row_id)?);
        }
    }
    let Some((partner, name)) = own else { return Ok(None) };
    Ok(Some(Tenant { id: id.clone(), name, partner: parse(&partner)?, clients }))
}

fn parse(id: &str) -> db::Result<TenantId> {
    TenantId::parse(id).ok_or_else(|| db::Error::Fault(format!("a tenant has the id {id}")))
}

/// Hands on the clients of a partner, by number.
pub(crate) fn each_client(
    conn: &mut Conn,
    partner: &TenantId,
    mut each: impl FnMut(Row) -> db::Result<()>,
) -> db::Result<()> {
    let query = tenants::table
        .filter(tenants::partner_id.eq(partner.to_string()))
        .filter(tenants::id.ne(partner.to_string()))
        .order(tenants::number);
    db::for_each_row(conn, query, |row: Row| each(row))
}

/// A page of the clients of a partner.
pub(crate) fn search(
    conn: &mut Conn,
    partner: &TenantId,
    filter: &Filter,
    sort: Sort,
    walk: &PageRequest,
) -> db::Result<PageRows<Row>> {
    let of_partner = tenants::table
        .filter(tenants::partner_id.eq(partner.as_str().to_owned()))
        .filter(tenants::id.ne(partner.as_str().to_owned()))
        .filter(condition(filter));
    Ok(db::page!(conn, of_partner, SORTS, sort, walk))
}

fn condition(filter: &Filter) -> Condition {
    let ids = filter.ids.iter().map(|ids| Condition::integer_in("tenants.number IN", ids.iter().copied()));
    let unique = filter.unique_ids.iter().map(|ids| Condition::text_in("tenants.id IN", ids.iter().cloned()));
    let names = filter.names.iter().map(|names| Condition::named("tenants.name_fold", names, filter.whole));
    let activated = filter.activated.iter().map(|activated| filters::boolean("tenants.activated", *activated));
    let dates = filter.dates.condition("tenants.created_ms", "tenants.updated_ms");
    Condition::all(ids.chain(unique).chain(names).chain(activated).chain([dates]))
}
