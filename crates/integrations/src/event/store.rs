//! Rows of events. Every function takes the tenant, or the tenants in reach.

use std::collections::{BTreeSet, HashMap};

use base::{Key, PageRequest, PageRows, problem::Problem, query::Sort, timestamp::Timestamp};
use db::{Condition, Conn, Json, Result, SortBy, Sorts};
use diesel::prelude::*;

use super::row::{EndpointVersion, Row, RowVersion};
use crate::{
    delivery::{
        queue,
        row::NEVER,
        store::{self as deliveries, BELL, Lane, TOGETHER},
    },
    installed::store as installed,
    schema::{integration_events, integration_lanes, integrations},
};

/// 404: the integration has no event of this id.
pub fn none() -> Problem {
    Problem::not_found("Integration event not found")
}

/// The event with this id in an integration of a tenant.
pub fn find(conn: &mut Conn, tenant: &str, integration: &str, id: &str) -> Result<Option<Row>> {
    use integration_events::dsl;
    let row = dsl::integration_events.find((tenant, id)).filter(dsl::integration_id.eq(integration));
    Ok(row.filter(dsl::gone.eq(false)).first(conn).optional()?)
}

/// Has any integration of the tenant an event of this id?
pub fn is_taken(conn: &mut Conn, tenant: &str, id: &str) -> Result<bool> {
    Ok(by_id(conn, tenant, id)?.is_some())
}

/// The event with this id, whatever its integration.
pub fn by_id(conn: &mut Conn, tenant: &str, id: &str) -> Result<Option<Row>> {
    let found = integration_events::table.find((tenant, id)).filter(integration_events::gone.eq(false));
    Ok(found.first(conn).optional()?)
}

/// What these events of a tenant call, by their ids; without those that do not fire.
pub fn versions(conn: &mut Conn, tenant: &str, ids: &[String]) -> Result<HashMap<String, EndpointVersion>> {
    use integration_events::dsl;
    let its_integration = integrations::tenant_id.eq(dsl::tenant_id).and(integrations::id.eq(dsl::integration_id));
    let firing = dsl::active.and(integrations::enabled).and(dsl::gone.eq(false)).and(integrations::gone.eq(false));
    let of = dsl::integration_events.inner_join(integrations::table.on(its_integration));
    let of = of.filter(dsl::tenant_id.eq(tenant)).filter(dsl::id.eq_any(ids)).filter(firing);
    let rows: Vec<(String, RowVersion, RowVersion)> = of
        .select((
            dsl::id,
            (dsl::version, dsl::created_ms, dsl::updated_ms),
            (integrations::version, integrations::created_ms, integrations::updated_ms),
        ))
        .load(conn)?;
    let versions = rows.into_iter().map(|(id, event, integration)| (id, EndpointVersion { event, integration }));
    Ok(versions.collect())
}

/// The events of an integration, oldest first.
pub fn of_integration(conn: &mut Conn, tenant: &str, integration: &str) -> Result<Vec<Row>> {
    use integration_events::dsl;
    let of = dsl::integration_events.filter(dsl::tenant_id.eq(tenant)).filter(dsl::integration_id.eq(integration));
    Ok(of.filter(dsl::gone.eq(false)).order((dsl::created_ms, dsl::id)).load(conn)?)
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
        .filter(dsl::integration_id.eq(integration.to_owned()))
        .filter(dsl::gone.eq(false));
    Ok(db::page!(conn, of, SORTS, ORDER, walk))
}

/// All events of a tenant.
pub fn all(conn: &mut Conn, tenant: &str) -> Result<Vec<Row>> {
    use integration_events::dsl;
    let of = dsl::integration_events.filter(dsl::tenant_id.eq(tenant)).filter(dsl::gone.eq(false));
    Ok(of.order((dsl::created_ms, dsl::id)).load(conn)?)
}

/// Stores a new one, and its queue; or one that comes back, in the place of itself that is gone, with the deliveries
/// that are left.
pub fn insert(conn: &mut Conn, row: &Row) -> Result<()> {
    use integration_lanes::dsl;
    let former = integration_events::table.find((&row.tenant_id, &row.id)).filter(integration_events::gone);
    if diesel::update(former).set(row).execute(conn)? > 0 {
        return queue::clear_failures(conn, &(row.tenant_id.clone(), row.id.clone()));
    }
    diesel::insert_into(integration_events::table).values(row).execute(conn)?;
    let lane = (dsl::tenant_id.eq(&row.tenant_id), dsl::event_id.eq(&row.id), dsl::due_ms.eq(NEVER));
    diesel::insert_into(dsl::integration_lanes).values(lane).execute(conn)?;
    Ok(())
}

/// Stores a changed one.
pub fn update(conn: &mut Conn, row: &Row) -> Result<()> {
    diesel::update(integration_events::table.find((&row.tenant_id, &row.id))).set(row).execute(conn)?;
    Ok(())
}

/// Deletes events of a tenant: they are gone, and so are their deliveries for everybody. These, and then the rows, are
/// removed a few at a time by who sees to their queues ([`clear_gone`]).
pub fn delete(conn: &mut Conn, events: &[Row], now: Timestamp) -> Result<()> {
    let lanes: BTreeSet<Lane> = events.iter().map(|row| (row.tenant_id.clone(), row.id.clone())).collect();
    for row in events {
        let (config, secrets) = (Json::default(), String::new());
        update(conn, &Row { active: false, config, secrets, gone: true, ..row.clone() })?;
    }
    deliveries::lock_lanes(conn, &lanes)?;
    lanes.iter().try_for_each(|lane| deliveries::due_by(conn, lane, now.millis()))
}

/// Has any of these tenants an event that is gone?
pub fn is_any_gone(conn: &mut Conn, scope: &[String]) -> Result<bool> {
    // In the words of the index.
    let gone = integration_events::table.filter(Condition::sql("integration_events.gone"));
    let of = gone.filter(integration_events::tenant_id.eq_any(scope)).select(integration_events::id);
    Ok(of.first::<String>(conn).optional()?.is_some())
}

/// Removes some of what events of a tenant that are gone have left: so many deliveries as are changed together, and
/// the events that have none. The queues of the others are due again.
pub fn clear_gone(conn: &mut Conn, tenant: &str, events: &BTreeSet<String>, now: Timestamp) -> Result<()> {
    use integration_events::dsl;
    // Nobody brings one back meanwhile.
    installed::lock(tenant).take(conn)?;
    let mut room = TOGETHER;
    for event in events {
        let gone = dsl::integration_events.find((tenant, event)).filter(dsl::gone);
        let integration: Option<String> = gone.select(dsl::integration_id).first(conn).optional()?;
        let Some(integration) = integration else { continue };
        let removed = deliveries::remove_some(conn, tenant, event, room)?;
        room -= removed.min(room);
        let lane = integration_lanes::table.find((tenant, event));
        if room == 0 {
            BELL.ring_at_commit();
            diesel::update(lane).set(integration_lanes::due_ms.eq(now.millis())).execute(conn)?;
            continue;
        }
        diesel::delete(lane).execute(conn)?;
        diesel::delete(gone).execute(conn)?;
        installed::clear_gone(conn, tenant, &integration)?;
    }
    Ok(())
}

/// How many events an integration has.
pub fn count(conn: &mut Conn, tenant: &str, integration: &str) -> Result<usize> {
    use integration_events::dsl;
    let of = dsl::integration_events.filter(dsl::tenant_id.eq(tenant)).filter(dsl::integration_id.eq(integration));
    let count: i64 = of.filter(dsl::gone.eq(false)).count().get_result(conn)?;
    Ok(usize::try_from(count).unwrap_or(0))
}
