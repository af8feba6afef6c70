//! Rows of deliveries and their messages. Every function takes the tenant.

use base::{
    PageRequest,
    cursor::{Key, PageRows},
    problem::Problem,
    query::Sort,
    timestamp::Timestamp,
};
use db::{Bell, Condition, Conn, Json, Result, SortBy, Sorts};
use diesel::prelude::*;
use serde_json::Value;

use super::row::{Attempt, Message, MessageRow, NEVER, Row};
use crate::{
    facts::text,
    schema::{integration_deliveries, integration_lanes, integration_messages},
};

/// A delivery to store.
#[derive(Debug)]
pub struct NewDelivery {
    /// The tenant of the event.
    pub tenant: String,
    /// `DLV-<uuid>`.
    pub id: String,
    pub event_id: String,
    /// What is sent.
    pub message: Message,
    /// Why there is nothing to send.
    pub refused: Option<String>,
    /// What it tells of.
    pub about: Value,
}

/// How many characters of an entity's id are stored: other systems choose the ids of their entities.
pub const LONGEST_ABOUT: usize = 200;

impl NewDelivery {
    fn about_text(&self, name: &str) -> String {
        text(self.about.get(name)).chars().filter(|letter| *letter != '\0').take(LONGEST_ABOUT).collect()
    }
}

/// Taken before the due time of a queue is changed: moving it up must not miss deliveries that others add.
pub static LANES: db::Lock = db::Lock::only("integrations:lanes");

/// Stores new deliveries, due now.
pub fn insert(conn: &mut Conn, new: &[NewDelivery], now: Timestamp) -> Result<()> {
    if new.is_empty() {
        return Ok(());
    }
    let rows: Vec<Row> = new
        .iter()
        .map(|new| Row {
            tenant_id: new.tenant.clone(),
            id: new.id.clone(),
            event_id: new.event_id.clone(),
            status: if new.refused.is_some() { "failed" } else { "pending" }.to_owned(),
            due_ms: now.millis(),
            owner: String::new(),
            claim: 0,
            attempts: 0,
            tries: 0,
            created_ms: now.millis(),
            last_attempt_ms: None,
            response_status: None,
            log: Json(new.refused.iter().map(|why| Attempt::refused(why, now)).collect()),
            entity: new.about_text("entity"),
            action: new.about_text("eventType"),
            entity_id: new.about_text("entityId"),
        })
        .collect();
    let trace = traces::current().map(|context| context.to_text());
    let messages: Vec<MessageRow> = new
        .iter()
        .map(|new| MessageRow {
            tenant_id: new.tenant.clone(),
            delivery_id: new.id.clone(),
            method: new.message.method.clone(),
            target: new.message.target.clone(),
            headers: Json(new.message.headers.clone()),
            body: new.message.body.clone(),
            about: Json(new.about.clone()),
            trace: trace.clone(),
        })
        .collect();
    db::insert_rows!(conn, integration_deliveries::table, rows.as_slice())?;
    db::insert_rows!(conn, integration_messages::table, messages.as_slice())?;
    LANES.take(conn)?;
    let mut lanes: Vec<(&str, &str)> = new.iter().map(|new| (new.tenant.as_str(), new.event_id.as_str())).collect();
    lanes.sort_unstable();
    lanes.dedup();
    lanes.into_iter().try_for_each(|(tenant, event)| due_by(conn, tenant, event, now.millis()))
}

/// Removes deliveries of a tenant with what they send, by their ids.
pub fn remove(conn: &mut Conn, tenant: &str, ids: &[String]) -> Result<usize> {
    let messages = integration_messages::table
        .filter(integration_messages::tenant_id.eq(tenant))
        .filter(integration_messages::delivery_id.eq_any(ids));
    diesel::delete(messages).execute(conn)?;
    let deliveries = integration_deliveries::table
        .filter(integration_deliveries::tenant_id.eq(tenant))
        .filter(integration_deliveries::id.eq_any(ids));
    Ok(diesel::delete(deliveries).execute(conn)?)
}

/// How many deliveries one transaction removes at most: on SQLite others wait for it.
const TOGETHER: usize = 200;

/// The deliveries of an event.
pub fn of_event(event: &str) -> Condition {
    Condition::sql("integration_deliveries.event_id = ").text(event)
}

/// The deliveries of an integration of a tenant.
pub fn of_integration(tenant: &str, integration: &str) -> Condition {
    let events = "integration_deliveries.event_id IN (SELECT e.id FROM integration_events e WHERE e.tenant_id = ";
    Condition::sql(events).text(tenant).then(" AND e.integration_id = ").text(integration).then(")")
}

/// Removes some of these deliveries of a tenant; says whether there may be more.
pub fn remove_some(conn: &mut Conn, tenant: &str, of: Condition) -> Result<bool> {
    use integration_deliveries::dsl;
    let these = dsl::integration_deliveries.filter(dsl::tenant_id.eq(tenant)).filter(of).select(dsl::id);
    let ids: Vec<String> = these.limit(i64::try_from(TOGETHER).unwrap_or(i64::MAX)).load(conn)?;
    remove(conn, tenant, &ids)?;
    Ok(ids.len() == TOGETHER)
}

/// Rings when a queue may be due sooner than it was.
pub static BELL: Bell = Bell::new();

/// The queue of an event is due at this instant at the latest. To be called under [`LANES`].
pub fn due_by(conn: &mut Conn, tenant: &str, event: &str, at_ms: i64) -> Result<()> {
    use integration_lanes::dsl;
    BELL.ring_at_commit();
    let lane = dsl::integration_lanes.find((tenant, event)).filter(dsl::due_ms.gt(at_ms));
    diesel::update(lane).set(dsl::due_ms.eq(at_ms)).execute(conn)?;
    Ok(())
}

/// Makes due what waited for the event to be active again.
pub fn release(conn: &mut Conn, tenant: &str, event: &str, now: Timestamp) -> Result<()> {
    use integration_deliveries::dsl;
    let waiting = dsl::integration_deliveries
        .filter(dsl::tenant_id.eq(tenant))
        .filter(dsl::event_id.eq(event))
        .filter(Condition::sql("integration_deliveries.status = 'pending'"))
        .filter(dsl::due_ms.ge(NEVER));
    diesel::update(waiting).set(dsl::due_ms.eq(now.millis())).execute(conn)?;
    LANES.take(conn)?;
    due_by(conn, tenant, event, now.millis())
}

/// 404: the event has no delivery of this id.
pub fn none() -> Problem {
    Problem::not_found("Delivery not found")
}

/// The delivery with this id of an event.
pub fn existing(conn: &mut Conn, tenant: &str, event: &str, id: &str) -> Result<Row> {
    use integration_deliveries::dsl;
    let row = dsl::integration_deliveries.find((tenant, id)).filter(dsl::event_id.eq(event)).first(conn);
    Ok(row.optional()?.ok_or_else(none)?)
}

/// What a delivery sends.
pub fn message(conn: &mut Conn, tenant: &str, id: &str) -> Result<MessageRow> {
    let row = integration_messages::table.find((tenant, id)).first(conn).optional()?;
    Ok(row.ok_or_else(none)?)
}

/// Which deliveries of an event.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// `pending`, `delivered` or `failed`.
    pub status: Option<&'static str>,
    /// Only deliveries created at this instant or later.
    pub from: Option<Timestamp>,
    /// Only deliveries created before this instant.
    pub to: Option<Timestamp>,
}

impl Filter {
    fn condition(&self, tenant: &str, event: &str) -> Condition {
        let mut all = vec![
            Condition::sql("integration_deliveries.tenant_id = ").text(tenant),
            Condition::sql("integration_deliveries.event_id = ").text(event),
        ];
        all.extend(self.status.map(|status| Condition::sql("integration_deliveries.status = ").text(status)));
        all.extend(self.from.map(|at| Condition::sql("integration_deliveries.created_ms >= ").integer(at.millis())));
        all.extend(self.to.map(|at| Condition::sql("integration_deliveries.created_ms < ").integer(at.millis())));
        Condition::all(all)
    }
}

/// What deliveries are sorted by.
pub const SORTS: Sorts<Row> = Sorts {
    by: &[SortBy::integer("createdTime", "integration_deliveries.created_ms", |row| Key::from(row.created_ms))],
    then: &[SortBy::text("", "integration_deliveries.id", |row| Key::from(&row.id))],
};

/// A page of the deliveries of an event.
pub fn search(
    conn: &mut Conn,
    tenant: &str,
    event: &str,
    filter: &Filter,
    sort: Sort,
    walk: &PageRequest,
) -> Result<PageRows<Row>> {
    page(conn, filter.condition(tenant, event), sort, walk)
}

/// A page of the deliveries that meet a condition.
pub fn page(conn: &mut Conn, condition: Condition, sort: Sort, walk: &PageRequest) -> Result<PageRows<Row>> {
    Ok(db::page!(conn, integration_deliveries::table.filter(condition), SORTS, sort, walk))
}

/// Sends deliveries of an event again, from `due_ms` on, which is [`NEVER`] for an event that is switched off; says how
/// many. Those that are pending become due.
pub fn resend(conn: &mut Conn, tenant: &str, event: &str, which: Condition, due_ms: i64) -> Result<usize> {
    use integration_deliveries::dsl;
    let wanted = dsl::integration_deliveries
        .filter(dsl::tenant_id.eq(tenant))
        .filter(dsl::event_id.eq(event))
        .filter(which)
        // What an attempt is being made of is not touched: its end is awaited.
        .filter(Condition::sql("(integration_deliveries.status <> 'pending' OR integration_deliveries.owner = '')"))
        .filter(Condition::sql(
            "EXISTS (SELECT 1 FROM integration_messages m WHERE m.tenant_id = integration_deliveries.tenant_id \
             AND m.delivery_id = integration_deliveries.id AND m.method <> '')",
        ));
    let again = (dsl::status.eq("pending"), dsl::due_ms.eq(due_ms), dsl::owner.eq(""), dsl::tries.eq(0));
    let count = diesel::update(wanted).set(again).execute(conn)?;
    LANES.take(conn)?;
    due_by(conn, tenant, event, due_ms)?;
    Ok(count)
}

/// As [`resend`], of all that a filter means.
pub fn replay(conn: &mut Conn, tenant: &str, event: &str, filter: &Filter, due_ms: i64) -> Result<usize> {
    resend(conn, tenant, event, filter.condition(tenant, event), due_ms)
}
