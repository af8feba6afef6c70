//! The queues of deliveries: claimed for a time by one gateway, and finished by it alone.
//!
//! Each event has a queue of its own, whose due time stands in one row, so that an endpoint with a long queue costs the
//! others nothing. A claim is a lease: a gateway that does not finish in time has lost it, and what it says later of
//! the delivery is refused.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use base::timestamp::Timestamp;
use db::{Condition, Conn, DueRows, Json, Partitioned, Prepared, Result};
use diesel::{
    prelude::*,
    sql_query,
    sql_types::{BigInt, Text},
};
use outbox::{Keep, Retention, Setting};
use traces::Context;

pub use super::store::Lane;
use super::{
    row::{Message, NEVER},
    store,
};
use crate::schema::{integration_deliveries, integration_events, integration_lanes, integration_messages};

/// A claimed delivery.
#[derive(Clone, Debug, Queryable, QueryableByName)]
pub struct Claimed {
    /// The tenant of the event.
    #[diesel(sql_type = Text)]
    pub tenant_id: String,
    /// `DLV-<uuid>`.
    #[diesel(sql_type = Text)]
    pub id: String,
    #[diesel(sql_type = Text)]
    pub event_id: String,
    /// The number of this claim.
    #[diesel(sql_type = BigInt)]
    pub claim: i64,
    /// How many attempts were made before.
    #[diesel(sql_type = BigInt)]
    pub attempts: i64,
    /// How many since it was last asked for.
    #[diesel(sql_type = BigInt)]
    pub tries: i64,
    /// When the action committed.
    #[diesel(sql_type = BigInt)]
    pub created_ms: i64,
    /// The attempts so far, as they are stored.
    #[diesel(sql_type = Text)]
    pub log: String,
}

#[derive(QueryableByName)]
struct DueTime {
    #[diesel(sql_type = BigInt)]
    due_ms: i64,
}

/// The queues, by when they are due; without those in which nothing waits ([`NEVER`]).
pub const LANES: DueRows = DueRows { table: "integration_lanes", due: "due_ms", only: "due_ms < 9000000000000000" };

/// The first queues of a tenant in which something is due, or the first behind one, the longest overdue first, and
/// since when.
pub fn due(
    conn: &mut Conn,
    tenant: &str,
    now: Timestamp,
    behind: Option<&(Lane, i64)>,
    most: usize,
) -> Result<Vec<(Lane, i64)>> {
    use integration_lanes::dsl;
    let mut due = Condition::sql(LANES.only).then(" AND due_ms <= ").integer(now.millis());
    if let Some(((_, event), due_ms)) = behind {
        due = due.then(" AND (due_ms, event_id) > (").integer(*due_ms).then(", ").text(event).then(")");
    }
    let own = dsl::integration_lanes.filter(dsl::tenant_id.eq(tenant)).filter(due);
    let own = own.order((dsl::due_ms, dsl::event_id)).limit(i64::try_from(most).unwrap_or(i64::MAX));
    Ok(own.select(((dsl::tenant_id, dsl::event_id), dsl::due_ms)).load(conn)?)
}

/// Claims up to `most` due deliveries of a queue for `owner` until `until`.
pub fn claim(
    conn: &mut Conn,
    owner: &str,
    (tenant, event): &Lane,
    now: Timestamp,
    until: Timestamp,
    most: i64,
) -> Result<Vec<Claimed>> {
    let text = match conn {
        Conn::Sqlite(_) => {
            "UPDATE integration_deliveries SET owner = ?, due_ms = ?, claim = claim + 1 WHERE tenant_id = ? AND id IN \
             ( \
                 SELECT id FROM integration_deliveries WHERE tenant_id = ? AND event_id = ? AND status = 'pending' \
                 AND due_ms <= ? ORDER BY due_ms, id LIMIT ?) \
             RETURNING tenant_id, id, event_id, claim, attempts, tries, created_ms, log"
        }
        Conn::Postgres(_) => {
            "UPDATE integration_deliveries SET owner = $1, due_ms = $2, claim = claim + 1 WHERE tenant_id = $3 AND id \
             IN ( \
                 SELECT id FROM integration_deliveries WHERE tenant_id = $4 AND event_id = $5 AND status = 'pending' \
                 AND due_ms <= $6 ORDER BY due_ms, id LIMIT $7 FOR UPDATE SKIP LOCKED) \
             RETURNING tenant_id, id, event_id, claim, attempts, tries, created_ms, log"
        }
    };
    let mut claimed: Vec<Claimed> = sql_query(text)
        .bind::<Text, _>(owner)
        .bind::<BigInt, _>(until.millis())
        .bind::<Text, _>(tenant)
        .bind::<Text, _>(tenant)
        .bind::<Text, _>(event)
        .bind::<BigInt, _>(now.millis())
        .bind::<BigInt, _>(most)
        .load(conn)?;
    claimed.sort_by(|one, other| (one.created_ms, &one.id).cmp(&(other.created_ms, &other.id)));
    Ok(claimed)
}

/// Where a delivery stands in its queue: when it is due, and its id.
pub type QueuePosition = (i64, String);

/// The first `most` due deliveries of a queue, or the first behind a place, of which an index knows enough. On SQLite
/// one gateway has them all, and knows what it has in hand: without a claim there is nothing to write before a call,
/// which is half of the cost of a delivery there.
pub fn next_due(
    conn: &mut Conn,
    (tenant, event): &Lane,
    now: Timestamp,
    behind: Option<&QueuePosition>,
    most: i64,
) -> Result<Vec<QueuePosition>> {
    use integration_deliveries::dsl;
    let mut due = Condition::sql("integration_deliveries.status = 'pending'");
    if let Some((due_ms, id)) = behind {
        let place = " AND (integration_deliveries.due_ms, integration_deliveries.id) > (";
        due = due.then(place).integer(*due_ms).then(", ").text(id).then(")");
    }
    let due = dsl::integration_deliveries
        .filter(dsl::tenant_id.eq(tenant))
        .filter(dsl::event_id.eq(event))
        .filter(due)
        .filter(dsl::due_ms.le(now.millis()));
    Ok(due.order((dsl::due_ms, dsl::id)).limit(most).select((dsl::due_ms, dsl::id)).load(conn)?)
}

/// Deliveries of a tenant by their ids, unclaimed, those of the first actions first.
pub fn load_unclaimed(conn: &mut Conn, tenant: &str, ids: &[String]) -> Result<Vec<Claimed>> {
    use integration_deliveries::dsl;
    let columns =
        (dsl::tenant_id, dsl::id, dsl::event_id, dsl::claim, dsl::attempts, dsl::tries, dsl::created_ms, dsl::log);
    let of = dsl::integration_deliveries.filter(dsl::tenant_id.eq(tenant)).filter(dsl::id.eq_any(ids)).select(columns);
    let mut found: Vec<Claimed> = db::direct!(conn, |conn| of.load(conn))?;
    found.sort_by(|one, other| (one.created_ms, &one.id).cmp(&(other.created_ms, &other.id)));
    Ok(found)
}

/// Sets the due time of a queue to that of its first delivery, or to `at_least` when that is later. A queue that
/// another transaction adds to is left as it is, and looked at again.
pub fn settle(conn: &mut Conn, lane: &Lane, at_least: i64, now: Timestamp) -> Result<()> {
    use integration_lanes::dsl;
    if !store::try_lock_lane(conn, lane)? {
        return Ok(());
    }
    let (tenant, event) = lane;
    let text = match conn {
        Conn::Sqlite(_) => {
            "SELECT due_ms FROM integration_deliveries WHERE tenant_id = ? AND event_id = ? AND status = 'pending' \
             ORDER BY due_ms, id LIMIT 1"
        }
        Conn::Postgres(_) => {
            "SELECT due_ms FROM integration_deliveries WHERE tenant_id = $1 AND event_id = $2 AND status = 'pending' \
             ORDER BY due_ms, id LIMIT 1"
        }
    };
    let first = Prepared(sql_query(text).bind::<Text, _>(tenant).bind::<Text, _>(event));
    let first: Option<DueTime> = first.get_result(conn).optional()?;
    let due = match first {
        // What is left of it is removed.
        _ if is_gone(conn, lane)? => at_least.max(now.millis()),
        // An older version put them aside when the event was switched off.
        Some(first) if first.due_ms >= NEVER => {
            store::bring_forward(conn, tenant, store::DeliveriesOf::Event(event), now)?;
            at_least.max(now.millis())
        }
        Some(first) => first.due_ms.max(at_least),
        None => NEVER,
    };
    diesel::update(dsl::integration_lanes.find((tenant, event))).set(dsl::due_ms.eq(due)).execute(conn)?;
    Ok(())
}

/// Is the event of a queue gone?
pub fn is_gone(conn: &mut Conn, (tenant, event): &Lane) -> Result<bool> {
    use integration_events::dsl;
    let query = dsl::integration_events.find((tenant, event)).select(dsl::gone);
    Ok(db::direct!(conn, |conn| query.get_result(conn)).optional()?.unwrap_or(false))
}

/// Leaves a queue alone until its event is active again, and its integration enabled; unless they are already, or the
/// event is gone. Its deliveries stay as they are, however many they are.
pub fn hold(conn: &mut Conn, lane: &Lane) -> Result<()> {
    use integration_lanes::dsl;
    if !store::try_lock_lane(conn, lane)? || is_gone(conn, lane)? {
        return Ok(());
    }
    let (tenant, event) = lane;
    let fires = "NOT EXISTS (SELECT 1 FROM integration_events e JOIN integrations i ON i.tenant_id = e.tenant_id AND \
                 i.id = e.integration_id WHERE e.active AND i.enabled AND e.tenant_id = ";
    let is_off = Condition::sql(fires).text(tenant).then(" AND e.id = ").text(event).then(")");
    let lane = dsl::integration_lanes.find((tenant, event)).filter(is_off);
    diesel::update(lane).set(dsl::due_ms.eq(NEVER)).execute(conn)?;
    Ok(())
}

/// A message, and the trace that its delivery belongs to.
pub type TracedMessage = (Message, Option<Arc<Context>>);

/// The messages of deliveries of a tenant, by their ids.
pub fn messages(conn: &mut Conn, tenant: &str, ids: &[String]) -> Result<HashMap<String, TracedMessage>> {
    use integration_messages::dsl;
    type MessageColumns = (String, String, String, Json<Vec<(String, String)>>, String, Option<String>);
    let columns = (dsl::delivery_id, dsl::method, dsl::target, dsl::headers, dsl::body, dsl::trace);
    let these = dsl::integration_messages.filter(dsl::tenant_id.eq(tenant)).filter(dsl::delivery_id.eq_any(ids));
    let of = these.select(columns);
    let rows: Vec<MessageColumns> = db::direct!(conn, |conn| of.load(conn))?;
    let messages = rows.into_iter().map(|(id, method, target, Json(headers), body, trace)| {
        let message = Message { method, target, headers, body };
        (id, (message, trace.and_then(|text| Context::from_text(&text)).map(Arc::new)))
    });
    Ok(messages.collect())
}

/// A claim that ended, and how.
#[derive(Clone, Debug)]
pub struct FinishedClaim {
    /// The delivery.
    pub claimed: Claimed,
    /// How it ended.
    pub end: ClaimOutcome,
}

/// How a claim ends.
#[derive(Clone, Debug)]
pub enum ClaimOutcome {
    /// An attempt was made.
    Attempted {
        /// `pending`, `delivered` or `failed`.
        status: &'static str,
        /// When it is due again.
        due_ms: i64,
        /// When it was made.
        at: Timestamp,
        /// The status of the answer.
        response: Option<i64>,
        /// The attempts, as they are stored.
        log: String,
    },
    /// Nothing was sent: it is due again at once, in the place that it had.
    GivenBack,
}

/// The result of finishing claims.
#[derive(Debug, Default)]
pub struct FinishSummary {
    /// How many claims were another's by then, or given up.
    pub refused: usize,
    /// Since when each of these queues has had no success.
    pub failing: BTreeMap<Lane, i64>,
}

/// Finishes claims, all in one transaction. What is not `owner`'s any more is refused; nobody (`""`) owns what was not
/// claimed.
pub fn finish(conn: &mut Conn, owner: &str, all: &[FinishedClaim], now: Timestamp) -> Result<FinishSummary> {
    use integration_deliveries::dsl;
    let mut finished = FinishSummary::default();
    let mut succeeded = BTreeSet::new();
    let mut failed = BTreeMap::<Lane, i64>::new();
    let mut due = BTreeMap::<Lane, i64>::new();
    // By key, so that two gateways never wait for each other's rows.
    let mut sorted: Vec<&FinishedClaim> = all.iter().collect();
    sorted.sort_by(|one, other| {
        (&one.claimed.tenant_id, &one.claimed.id).cmp(&(&other.claimed.tenant_id, &other.claimed.id))
    });
    for FinishedClaim { claimed, end } in sorted {
        let lane: Lane = (claimed.tenant_id.clone(), claimed.event_id.clone());
        let this = dsl::integration_deliveries.find((&claimed.tenant_id, &claimed.id));
        let mine = diesel::update(this.filter(dsl::owner.eq(owner)).filter(dsl::claim.eq(claimed.claim)));
        let (count, again) = match end {
            ClaimOutcome::GivenBack => {
                let due_ms = claimed.created_ms.min(now.millis());
                let set = (dsl::due_ms.eq(due_ms), dsl::owner.eq(""));
                (mine.set(set).execute(conn)?, Some(due_ms))
            }
            ClaimOutcome::Attempted { status, due_ms, at, response, log } => {
                let set = (
                    dsl::status.eq(status),
                    dsl::due_ms.eq(due_ms),
                    dsl::owner.eq(""),
                    // Whatever else is said of this claim is refused.
                    dsl::claim.eq(claimed.claim + 1),
                    dsl::attempts.eq(claimed.attempts + 1),
                    dsl::tries.eq(claimed.tries + 1),
                    dsl::last_attempt_ms.eq(Some(at.millis())),
                    dsl::response_status.eq(*response),
                    dsl::log.eq(log),
                );
                let count = mine.set(set).execute(conn)?;
                if count == 1 && *status == "delivered" {
                    succeeded.insert(lane.clone());
                } else if count == 1 {
                    let first = failed.entry(lane.clone()).or_insert_with(|| at.millis());
                    *first = at.millis().min(*first);
                }
                (count, (*status == "pending").then_some(*due_ms))
            }
        };
        if count == 0 {
            finished.refused += 1;
        } else if let Some(at) = again {
            let known = due.entry(lane).or_insert(at);
            *known = at.min(*known);
        }
    }
    update_queues(conn, &succeeded, &failed, &due, &mut finished)?;
    Ok(finished)
}

/// Updates the due times and the failures of queues after their claims ended.
fn update_queues(
    conn: &mut Conn,
    succeeded: &BTreeSet<Lane>,
    failed: &BTreeMap<Lane, i64>,
    due: &BTreeMap<Lane, i64>,
    finished: &mut FinishSummary,
) -> Result<()> {
    use integration_lanes::dsl;
    let mut recovered = Vec::new();
    for lane @ (tenant, event) in succeeded {
        let since: Option<Option<i64>> =
            dsl::integration_lanes.find((tenant, event)).select(dsl::failing_since_ms).first(conn).optional()?;
        if since.flatten().is_some() {
            recovered.push(lane);
        }
    }
    let failed: Vec<(&Lane, &i64)> = failed.iter().filter(|(lane, _)| !succeeded.contains(*lane)).collect();
    if recovered.is_empty() && failed.is_empty() && due.is_empty() {
        return Ok(());
    }
    let changed = recovered.iter().copied().chain(failed.iter().map(|(lane, _)| *lane)).chain(due.keys());
    store::lock_lanes(conn, changed.collect::<BTreeSet<_>>())?;
    for (tenant, event) in recovered {
        let lane = dsl::integration_lanes.find((tenant, event));
        diesel::update(lane).set(dsl::failing_since_ms.eq(None::<i64>)).execute(conn)?;
    }
    for ((tenant, event), at) in failed {
        let new = dsl::integration_lanes.find((tenant, event)).filter(dsl::failing_since_ms.is_null());
        diesel::update(new).set(dsl::failing_since_ms.eq(Some(*at))).execute(conn)?;
        let since: Option<Option<i64>> =
            dsl::integration_lanes.find((tenant, event)).select(dsl::failing_since_ms).first(conn).optional()?;
        if let Some(since) = since.flatten() {
            finished.failing.insert((tenant.clone(), event.clone()), since);
        }
    }
    due.iter().try_for_each(|(lane, at)| store::due_by(conn, lane, *at))
}

/// Clears the time since when an event fails, so that its next five days start anew.
pub fn clear_failures(conn: &mut Conn, (tenant, event): &Lane) -> Result<()> {
    use integration_lanes::dsl;
    let lane = dsl::integration_lanes.find((tenant, event)).filter(dsl::failing_since_ms.is_not_null());
    diesel::update(lane).set(dsl::failing_since_ms.eq(None::<i64>)).execute(conn)?;
    Ok(())
}

/// As [`clear_failures`], of all events of an integration. What delivers waits for the rest of the transaction.
pub fn clear_all_failures(conn: &mut Conn, tenant: &str, integration: &str) -> Result<()> {
    use integration_lanes::dsl;
    let events = "integration_lanes.event_id IN (SELECT e.id FROM integration_events e WHERE e.tenant_id = ";
    let events = Condition::sql(events).text(tenant).then(" AND e.integration_id = ").text(integration).then(")");
    let failing = dsl::integration_lanes.filter(dsl::tenant_id.eq(tenant)).filter(events);
    let failing = failing.filter(dsl::failing_since_ms.is_not_null());
    let lanes: Vec<Lane> = failing.select((dsl::tenant_id, dsl::event_id)).load(conn)?;
    if lanes.is_empty() {
        return Ok(());
    }
    store::lock_lanes(conn, &lanes)?;
    lanes.iter().try_for_each(|lane| clear_failures(conn, lane))
}

/// What a delivery sends belongs to it.
pub const PARTITIONED: Partitioned =
    Partitioned { table: "integration_deliveries", column: "id", prefix: "DLV-", goes_whole: false };

/// Deliveries that ended.
pub const RETENTION: Retention = Retention {
    kind: "deliveries",
    keep: Keep::Setting(Setting {
        option: "keep-deliveries",
        variable: "MUSTER_KEEP_DELIVERIES",
        days: 30,
        help: "How many days a delivery of an integration is kept that was made or given up; 0 for ever",
    }),
    most: Some(1_000_000),
    table: "integration_deliveries",
    id: "id",
    since: "created_ms",
    only: "status <> 'pending'",
    remove: Some(|conn, tenant, ids, _| store::remove(conn, tenant, ids)),
};
