//! Rows of deliveries and their messages. Every function takes the tenant.

use std::collections::BTreeMap;

use base::{
    PageRequest,
    cursor::{Key, PageRows},
    problem::Problem,
    query::Sort,
    timestamp::Timestamp,
};
use db::{Bell, Condition, Conn, Json, Result, SortBy, Sorts};
use diesel::{
    prelude::*,
    sql_query,
    sql_types::{Array, BigInt, Text},
};
use serde_json::Value;

use super::row::{Attempt, Message, MessageRow, Row};
use crate::{
    facts::text,
    schema::{integration_deliveries, integration_events, integration_lanes, integration_messages},
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

/// A queue: the tenant, and the event.
pub type Lane = (String, String);

/// Makes others wait who change the due times of these queues, or add to them, until the end of the transaction: moving
/// a due time up must not miss deliveries that others add. The queues of others are not concerned. What follows in the
/// transaction must be short: what delivers waits for it.
pub fn lock_lanes<'a>(conn: &mut Conn, lanes: impl IntoIterator<Item = &'a Lane>) -> Result<()> {
    let Conn::Postgres(conn) = conn else { return Ok(()) };
    let (tenants, events): (Vec<&str>, Vec<&str>) =
        lanes.into_iter().map(|(tenant, event)| (tenant.as_str(), event.as_str())).unzip();
    // By key, so that two transactions never wait for each other's.
    let text = "SELECT 1 FROM integration_lanes l JOIN unnest($1, $2) AS k (tenant, event) \
                ON l.tenant_id = k.tenant COLLATE \"C\" AND l.event_id = k.event COLLATE \"C\" \
                ORDER BY l.tenant_id, l.event_id FOR UPDATE OF l";
    sql_query(text).bind::<Array<Text>, _>(tenants).bind::<Array<Text>, _>(events).execute(conn)?;
    Ok(())
}

/// As [`lock_lanes`] of one queue, unless another transaction has it: then false, at once.
pub fn try_lock_lane(conn: &mut Conn, (tenant, event): &Lane) -> Result<bool> {
    let Conn::Postgres(conn) = conn else { return Ok(true) };
    let text = "SELECT 1 FROM integration_lanes WHERE tenant_id = $1 AND event_id = $2 FOR UPDATE SKIP LOCKED";
    Ok(sql_query(text).bind::<Text, _>(tenant).bind::<Text, _>(event).execute(conn)? > 0)
}

/// Stores new deliveries, due now. Their queues are not: [`make_due`].
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
    db::insert_rows!(conn, integration_messages::table, messages.as_slice())
}

/// Makes queues due at these instants at the latest, since deliveries were added to them. To be called once in a
/// transaction, when all are added: the queues of a partner get deliveries about all of its clients, and who locked
/// them one after the other would wait for another who did so in another order.
pub fn make_due(conn: &mut Conn, lanes: &BTreeMap<Lane, i64>) -> Result<()> {
    if lanes.is_empty() {
        return Ok(());
    }
    lock_lanes(conn, lanes.keys())?;
    lanes.iter().try_for_each(|(lane, at_ms)| due_by(conn, lane, *at_ms))
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

/// How many deliveries one transaction changes at most: on SQLite others wait for it.
pub const TOGETHER: usize = 200;

/// Which deliveries of a tenant.
#[derive(Clone, Copy, Debug)]
pub enum DeliveriesOf<'a> {
    /// Those of an event.
    Event(&'a str),
    /// Those of all events of an integration.
    Integration(&'a str),
}

#[derive(QueryableByName)]
struct FoundId {
    #[diesel(sql_type = Text)]
    id: String,
}

impl DeliveriesOf<'_> {
    /// The ids of some of them that meet a condition on `d`, which is about an instant, `$3`.
    fn some(self, conn: &mut Conn, tenant: &str, condition: &str, at_ms: i64) -> Result<Vec<String>> {
        // An event at a time: SQLite, which keeps this order, would rather look at all that a tenant has.
        let (from, which) = match self {
            Self::Event(event) => ("integration_deliveries d WHERE d.tenant_id = $1 AND d.event_id = $2", event),
            Self::Integration(integration) => (
                "integration_events e CROSS JOIN integration_deliveries d WHERE d.tenant_id = e.tenant_id AND \
                 d.event_id = e.id AND e.tenant_id = $1 AND e.integration_id = $2",
                integration,
            ),
        };
        let text = format!("SELECT d.id AS id FROM {from} AND {condition} LIMIT {TOGETHER}");
        let query = sql_query(text).bind::<Text, _>(tenant).bind::<Text, _>(which).bind::<BigInt, _>(at_ms);
        Ok(query.load::<FoundId>(conn)?.into_iter().map(|found| found.id).collect())
    }
}

/// Removes up to `most` deliveries of an event; says how many.
pub fn remove_some(conn: &mut Conn, tenant: &str, event: &str, most: usize) -> Result<usize> {
    use integration_deliveries::dsl;
    let of = dsl::integration_deliveries.filter(dsl::tenant_id.eq(tenant)).filter(dsl::event_id.eq(event));
    let some = of.order((dsl::created_ms, dsl::id)).limit(i64::try_from(most).unwrap_or(i64::MAX)).select(dsl::id);
    let ids: Vec<String> = some.load(conn)?;
    remove(conn, tenant, &ids)
}

/// Rings when a queue may be due sooner than it was.
pub static BELL: Bell = Bell::new();

/// A queue is due at this instant at the latest. To be called when it is locked.
pub fn due_by(conn: &mut Conn, (tenant, event): &Lane, at_ms: i64) -> Result<()> {
    use integration_lanes::dsl;
    BELL.ring_at_commit();
    let lane = dsl::integration_lanes.find((tenant, event)).filter(dsl::due_ms.gt(at_ms));
    diesel::update(lane).set(dsl::due_ms.eq(at_ms)).execute(conn)?;
    Ok(())
}

/// The queue of an event that is active again is due, which nobody took from while it was not.
pub fn release(conn: &mut Conn, tenant: &str, event: &str, now: Timestamp) -> Result<()> {
    let lane = (tenant.to_owned(), event.to_owned());
    lock_lanes(conn, [&lane])?;
    due_by(conn, &lane, now.millis())
}

/// As [`release`], of all events of an integration in whose queues something waits.
pub fn release_all(conn: &mut Conn, tenant: &str, integration: &str, now: Timestamp) -> Result<()> {
    use integration_lanes::dsl;
    let events: Vec<String> = integration_events::table
        .filter(integration_events::tenant_id.eq(tenant))
        .filter(integration_events::integration_id.eq(integration))
        .select(integration_events::id)
        .load(conn)?;
    let lanes: Vec<Lane> = events.into_iter().map(|event| (tenant.to_owned(), event)).collect();
    lock_lanes(conn, &lanes)?;
    BELL.ring_at_commit();
    let waiting = "integration_lanes.event_id IN (SELECT e.id FROM integration_events e WHERE e.tenant_id = ";
    let waiting = Condition::sql(waiting).text(tenant).then(" AND e.integration_id = ").text(integration);
    let waiting = waiting.then(" AND EXISTS (SELECT 1 FROM integration_deliveries d WHERE d.tenant_id = ").text(tenant);
    let waiting = waiting.then(" AND d.event_id = e.id AND d.status = 'pending' AND d.due_ms > 0))");
    let lanes = dsl::integration_lanes.filter(dsl::tenant_id.eq(tenant)).filter(dsl::due_ms.gt(now.millis()));
    diesel::update(lanes.filter(waiting)).set(dsl::due_ms.eq(now.millis())).execute(conn)?;
    Ok(())
}

/// Brings forward to now some of these deliveries of a tenant that are due later, before their event goes on; says
/// whether there may be more.
pub fn bring_forward(conn: &mut Conn, tenant: &str, of: DeliveriesOf<'_>, now: Timestamp) -> Result<bool> {
    use integration_deliveries::dsl;
    let ids = of.some(conn, tenant, "d.status = 'pending' AND d.owner = '' AND d.due_ms > $3", now.millis())?;
    let these = dsl::integration_deliveries
        .filter(dsl::tenant_id.eq(tenant))
        .filter(dsl::id.eq_any(&ids))
        // What was claimed or ended meanwhile is not touched. In these words, since SQLite would walk an index for
        // `= 'pending'`.
        .filter(Condition::sql("integration_deliveries.status NOT IN ('delivered', 'failed')"))
        .filter(dsl::owner.eq(""));
    diesel::update(these).set(dsl::due_ms.eq(now.millis())).execute(conn)?;
    Ok(ids.len() == TOGETHER)
}

/// How often [`bring_forward_in_place`] brings some forward.
const ROUNDS: usize = 10;

/// As [`bring_forward`], in the transaction that switches on what they are of. Those beyond a bound come when they are
/// due: an operation that is about one of them brings all forward before.
pub fn bring_forward_in_place(conn: &mut Conn, tenant: &str, of: DeliveriesOf<'_>, now: Timestamp) -> Result<()> {
    for _ in 0..ROUNDS {
        if !bring_forward(conn, tenant, of, now)? {
            break;
        }
    }
    Ok(())
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

/// Sends deliveries of an event again, by their ids; says how many. Those that are pending become due.
pub fn resend(conn: &mut Conn, tenant: &str, event: &str, ids: &[String], now: Timestamp) -> Result<usize> {
    use integration_deliveries::dsl;
    let wanted = dsl::integration_deliveries
        .filter(dsl::tenant_id.eq(tenant))
        .filter(dsl::id.eq_any(ids))
        // What an attempt is being made of is not touched: its end is awaited.
        .filter(Condition::sql("(integration_deliveries.status <> 'pending' OR integration_deliveries.owner = '')"))
        .filter(Condition::sql(
            "EXISTS (SELECT 1 FROM integration_messages m WHERE m.tenant_id = integration_deliveries.tenant_id \
             AND m.delivery_id = integration_deliveries.id AND m.method <> '')",
        ));
    let again = (dsl::status.eq("pending"), dsl::due_ms.eq(now.millis()), dsl::owner.eq(""), dsl::tries.eq(0));
    let count = diesel::update(wanted).set(again).execute(conn)?;
    release(conn, tenant, event, now)?;
    Ok(count)
}

/// Where a delivery stands among those of its event: when it was created, and its id.
pub type CreatedPosition = (i64, String);

/// The first of the deliveries of an event that a filter means, the oldest first, or the first behind one; all of them
/// when there are fewer than are answered at most ([`TOGETHER`]).
pub fn next(
    conn: &mut Conn,
    tenant: &str,
    event: &str,
    filter: &Filter,
    behind: Option<&CreatedPosition>,
) -> Result<Vec<CreatedPosition>> {
    use integration_deliveries::dsl;
    let mut wanted = filter.condition(tenant, event);
    if let Some((created_ms, id)) = behind {
        let place = " AND (integration_deliveries.created_ms, integration_deliveries.id) > (";
        wanted = wanted.then(place).integer(*created_ms).then(", ").text(id).then(")");
    }
    let found = dsl::integration_deliveries.filter(wanted).order((dsl::created_ms, dsl::id));
    let found = found.limit(i64::try_from(TOGETHER).unwrap_or(i64::MAX));
    Ok(found.select((dsl::created_ms, dsl::id)).load(conn)?)
}
