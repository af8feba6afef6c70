//! Rows of events. Every function takes the tenant, or the tenants in reach.

use base::{Key, PageRequest, PageRows, problem::Problem, query::Sort};
use db::{Conn, Result, SortBy, Sorts};
use diesel::prelude::*;

use super::row::Row;
use crate::{
    delivery::store as deliveries,
    schema::{integration_events, integration_lanes},
};

/// 404: the integration has no event of this id.
pub fn none() -> Problem {
    Problem::not_found("Integration event not found")
}

/// The event with this id in an integration of a tenant.
pub fn find(conn: &mut Conn, tenant: &str, integration: &str, id: &str) -> Result<Option<Row>> {
    use integration_events::dsl;
    let row = dsl::integration_events.find((tenant, id)).filter(dsl::integration_id.eq(integration));
    Ok(row.first(conn).optional()?)
}

/// Has any integration of the tenant an event of this id?
pub fn is_taken(conn: &mut Conn, tenant: &str, id: &str) -> Result<bool> {
    let found = integration_events::table.find((tenant, id)).count().get_result::<i64>(conn)?;
    Ok(found > 0)
}

/// The event with this id, whatever its integration.
pub fn by_id(conn: &mut Conn, tenant: &str, id: &str) -> Result<Option<Row>> {
    Ok(integration_events::table.find((tenant, id)).first(conn).optional()?)
}

/// The events of an integration, oldest first.
pub fn of_integration(conn: &mut Conn, tenant: &str, integration: &str) -> Result<Vec<Row>> {
    use integration_events::dsl;
    let of = dsl::integration_events.filter(dsl::tenant_id.eq(tenant)).filter(dsl::integration_id.eq(integration));
    Ok(of.order((dsl::created_ms, dsl::id)).load(conn)?)
}

/// How events are listed: oldest first.
pub const ORDER: Sort = Sort { name: "createdDate", descending: false };

const SORTS: Sorts<Row> = Sorts {
    by: &[SortBy::integer(ORDER.name, "integration_events.created_ms", |row| Key::from(row.created_ms))],
    then: &[SortBy::text("", "integration_events.id", |row| Key::from(&row.id))],
};

/// A page of the events of an integration.
pub fn page(conn: &mut Conn, tenant: &str, integration: &str, walk: &PageRequest) -> Result<PageRows<Row>> {
    use integration_events::dsl;
    let of = dsl::integration_events
        .filter(dsl::tenant_id.eq(tenant.to_owned()))
        .filter(dsl::integration_id.eq(integration.to_owned()));
    Ok(db::page!(conn, of, SORTS, ORDER, walk))
}

/// All events of a tenant.
pub fn all(conn: &mut Conn, tenant: &str) -> Result<Vec<Row>> {
    use integration_events::dsl;
    Ok(dsl::integration_events.filter(dsl::tenant_id.eq(tenant)).order((dsl::created_ms, dsl::id)).load(conn)?)
}

/// Stores a new one, and its queue.
pub fn insert(conn: &mut Conn, row: &Row) -> Result<()> {
    use integration_lanes::dsl;
    diesel::insert_into(integration_events::table).values(row).execute(conn)?;
    let lane =
        (dsl::tenant_id.eq(&row.tenant_id), dsl::event_id.eq(&row.id), dsl::due_ms.eq(crate::delivery::row::NEVER));
    diesel::insert_into(dsl::integration_lanes).values(lane).execute(conn)?;
    Ok(())
}

/// Stores a changed one.
pub fn update(conn: &mut Conn, row: &Row) -> Result<()> {
    diesel::update(integration_events::table.find((&row.tenant_id, &row.id))).set(row).execute(conn)?;
    Ok(())
}

/// How often [`delete`] removes some deliveries.
const ROUNDS: usize = 50;

/// Removes an event with its deliveries, of which many are to be removed before ([`deliveries::remove_some`]).
///
/// # Errors
/// 409 when there are more than one transaction should remove.
pub fn delete(conn: &mut Conn, tenant: &str, event: &str) -> Result<()> {
    let mut rounds = 0..ROUNDS;
    while deliveries::remove_some(conn, tenant, deliveries::DeliveriesOf::Event(event))? {
        if rounds.next().is_none() {
            return Err(Problem::conflict("It has too many deliveries to go with it at once: delete the event.").into());
        }
    }
    diesel::delete(integration_lanes::table.find((tenant, event))).execute(conn)?;
    diesel::delete(integration_events::table.find((tenant, event))).execute(conn)?;
    Ok(())
}

/// How many events an integration has.
pub fn count(conn: &mut Conn, tenant: &str, integration: &str) -> Result<usize> {
    use integration_events::dsl;
    let of = dsl::integration_events.filter(dsl::tenant_id.eq(tenant)).filter(dsl::integration_id.eq(integration));
    let count: i64 = of.count().get_result(conn)?;
    Ok(usize::try_from(count).unwrap_or(0))
}
