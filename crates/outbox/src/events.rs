//! The events that wait to be handed on.

use std::{collections::BTreeMap, sync::Arc};

use base::timestamp::Timestamp;
use db::{Bell, Conn, DueRows, Lock, Prepared, Result};
use diesel::{
    connection::SimpleConnection as _,
    pg::PgConnection,
    prelude::*,
    sql_query,
    sql_types::{Array, BigInt, Bool, Nullable, Text},
};
use serde_json::Value;
use traces::{Context, Kind, Span, SpanId};

use crate::{
    Actor, Change, TimedEvent,
    retention::{Keep, Retention},
    schema::outbox_events,
};

/// Events that nobody took in all this time, however often they were handed on. The one behind such an event waits for
/// it, so it is of no use to anybody.
pub(crate) const RETENTION: Retention = Retention {
    kind: "events",
    keep: Keep::Millis(30 * 86_400_000),
    most: None,
    table: "outbox_events",
    id: "id",
    since: "created_ms",
    only: "attempts > 0",
    remove: Some(|conn, tenant, ids, _| {
        use outbox_events::dsl;
        tracing::error!(tenant, events = ids.join(" "), "these events were never taken, and are given up");
        let these = dsl::outbox_events.filter(dsl::tenant_id.eq(tenant)).filter(dsl::id.eq_any(ids));
        Ok(diesel::delete(these).execute(conn)?)
    }),
};

/// Something that happened to an entity.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Unique; the same each time it is handed on.
    pub id: String,
    /// The tenant of the entity.
    pub tenant_id: String,
    /// The kind of entity, such as `Resource`.
    pub entity: String,
    /// Its id.
    pub entity_id: String,
    /// `CREATE`, `UPDATE` or `DELETE`, or what time brought ([`TimedEvent`]).
    pub action: String,
    /// Its state before; `None` for a new one.
    pub before: Option<Value>,
    /// Its state after; `None` for one that is gone.
    pub after: Option<Value>,
    /// The request that did it.
    pub request_id: String,
    /// When.
    pub at: Timestamp,
    /// The trace that what comes of it belongs to.
    pub trace: Option<Arc<Context>>,
}

/// A claimed event, and what it takes to finish it.
#[derive(Clone, Debug, QueryableByName)]
pub(crate) struct Claimed {
    #[diesel(sql_type = BigInt)]
    pub seq: i64,
    #[diesel(sql_type = Text)]
    pub tenant_id: String,
    #[diesel(sql_type = Text)]
    pub id: String,
    #[diesel(sql_type = Text)]
    pub entity: String,
    #[diesel(sql_type = Text)]
    pub entity_id: String,
    #[diesel(sql_type = Text)]
    pub action: String,
    #[diesel(sql_type = Nullable<Text>)]
    pub before: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    pub after: Option<String>,
    #[diesel(sql_type = Text)]
    pub request_id: String,
    #[diesel(sql_type = BigInt)]
    pub created_ms: i64,
    #[diesel(sql_type = BigInt)]
    pub attempts: i64,
    #[diesel(sql_type = Nullable<Text>)]
    pub trace: Option<String>,
}

impl Claimed {
    /// The trace of who made it happen.
    fn trace(&self) -> Option<Context> {
        Context::from_text(self.trace.as_deref()?)
    }

    /// Records that it was handed on as that event, from one instant to another.
    pub(crate) fn record_span(&self, event: &Event, from: Timestamp, to: Timestamp) {
        let Some((parent, context)) = self.trace().zip(event.trace.as_deref()) else { return };
        let name = format!("outbox {} {}", self.entity, self.action);
        let span = Span::begun_at(context.clone(), Some(parent.span_id), Kind::Consumer, name, from.millis());
        let Some(span) = span else { return };
        span.with("muster.tenant.id", self.tenant_id.as_str())
            .with("muster.event.id", self.id.as_str())
            .with("muster.request.id", self.request_id.as_str())
            .end_at(to.millis());
    }

    /// What it is about: its tenant, kind and id.
    pub(crate) fn subject(&self) -> (&str, &str, &str) {
        (&self.tenant_id, &self.entity, &self.entity_id)
    }

    pub(crate) fn event(&self) -> Event {
        // A text that is none would stop all events of its entity: it is handed on as nothing.
        let value = |text: &Option<String>| text.as_deref().and_then(|text| serde_json::from_str(text).ok());
        Event {
            id: self.id.clone(),
            tenant_id: self.tenant_id.clone(),
            entity: self.entity.clone(),
            entity_id: self.entity_id.clone(),
            action: self.action.clone(),
            before: value(&self.before),
            after: value(&self.after),
            request_id: self.request_id.clone(),
            at: Timestamp::from_millis(self.created_ms),
            trace: self.trace().map(|trace| {
                let own = if trace.sampled { SpanId::random() } else { trace.span_id };
                Arc::new(trace.with_span(own))
            }),
        }
    }
}

/// An event to be stored; its `seq` is given by the database.
#[derive(Insertable)]
#[diesel(table_name = outbox_events, treat_none_as_default_value = false)]
pub(crate) struct NewEvent {
    tenant_id: String,
    id: String,
    entity: &'static str,
    entity_id: String,
    action: &'static str,
    before: Option<String>,
    after: Option<String>,
    request_id: String,
    created_ms: i64,
    due_ms: i64,
    owner: &'static str,
    attempts: i64,
    trace: Option<String>,
}

impl NewEvent {
    pub(crate) fn of(actor: &Actor, now: Timestamp, change: &Change) -> Self {
        Self {
            tenant_id: change.tenant_id.clone(),
            id: format!("EVT-{}", uuid::Uuid::now_v7()),
            entity: change.entity,
            entity_id: change.entity_id.clone(),
            action: change.action().as_str(),
            before: change.before.as_ref().map(Value::to_string),
            after: change.after.as_ref().map(Value::to_string),
            request_id: actor.request_id.clone(),
            created_ms: now.millis(),
            due_ms: now.millis(),
            owner: "",
            attempts: 0,
            trace: trace(),
        }
    }

    pub(crate) fn happened(actor: &Actor, now: Timestamp, happening: &TimedEvent) -> Self {
        Self {
            tenant_id: happening.tenant_id.clone(),
            id: format!("EVT-{}", uuid::Uuid::now_v7()),
            entity: happening.entity,
            entity_id: happening.entity_id.clone(),
            action: happening.action,
            before: happening.before.as_ref().map(Value::to_string),
            after: Some(happening.after.to_string()),
            request_id: actor.request_id.clone(),
            created_ms: now.millis(),
            due_ms: now.millis(),
            owner: "",
            attempts: 0,
            trace: trace(),
        }
    }
}

/// The trace of what is written now, as it is stored.
fn trace() -> Option<String> {
    traces::current().map(|context| context.to_text())
}

/// Rings when there are new events.
pub(crate) static BELL: Bell = Bell::new();

/// Stores events, in their order.
pub(crate) fn insert(conn: &mut Conn, events: &[NewEvent]) -> Result<()> {
    if !events.is_empty() {
        BELL.ring_at_commit();
    }
    db::insert_rows!(conn, outbox_events::table, events)
}

/// The events, by when they are due.
pub(crate) const ROWS: DueRows = DueRows { table: "outbox_events", due: "due_ms", only: "1 = 1" };

/// Which events of a tenant are due: those before whose entity no other waits that is
/// due later.
///
/// An event whose entity has an earlier one that is not due (another worker has it, or it waits for its next attempt)
/// is left, so that those of an entity stay in order. By `due_ms` first, since an index has that order: of a flood only
/// what is taken is read.
fn due_of([tenant, now, most]: [&str; 3]) -> String {
    format!(
        "FROM outbox_events e WHERE e.tenant_id = {tenant} AND e.due_ms <= {now} AND NOT EXISTS ( \
         SELECT 1 FROM outbox_events p WHERE p.tenant_id = e.tenant_id AND p.entity = e.entity \
         AND p.entity_id = e.entity_id AND p.seq < e.seq AND p.due_ms > e.due_ms) \
         ORDER BY e.due_ms, e.seq LIMIT {most}"
    )
}

/// Up to `most` events of each of these tenants that are due, in their order, for the one worker of a SQLite file:
/// nothing is written. `attempts` counts this one.
pub(crate) fn due(conn: &mut Conn, now: Timestamp, tenants: &[String], most: i64) -> Result<Vec<Claimed>> {
    let query = format!("SELECT e.* {}", due_of(["?"; 3]));
    let mut due: Vec<Claimed> = Vec::new();
    for tenant in tenants {
        let of = sql_query(&query).bind::<Text, _>(tenant).bind::<BigInt, _>(now.millis()).bind::<BigInt, _>(most);
        due.extend(Prepared(of).load::<Claimed>(conn)?);
    }
    due.iter_mut().for_each(|event| event.attempts += 1);
    due.sort_by_key(|event| event.seq);
    Ok(due)
}

/// An event that is due, or waits for an earlier one of its entity.
#[derive(QueryableByName)]
struct Candidate {
    #[diesel(sql_type = Text)]
    tenant: String,
    #[diesel(sql_type = BigInt)]
    seq: i64,
    #[diesel(sql_type = BigInt)]
    due_ms: i64,
    #[diesel(sql_type = Bool)]
    waits: bool,
}

/// How many events of a tenant are looked at together.
const WINDOW: usize = 400;

/// The first events of tenants that are due, those behind a due time and a number, and whether they wait.
///
/// The table is empty most of the time, so Postgres believes that it is, and would compare all events with each other.
/// So a bounded number of each tenant is looked at, and with them only those that one of them may have to wait for;
/// the rest of the plan is not left to Postgres.
fn window() -> String {
    format!(
        "WITH own AS MATERIALIZED (SELECT e.* FROM unnest($1, $2, $3) AS turn (id, due_ms, seq) CROSS JOIN LATERAL ( \
             SELECT o.tenant_id, o.seq, o.due_ms, o.entity, o.entity_id FROM outbox_events o \
             WHERE o.tenant_id = turn.id AND o.due_ms <= $4 AND (o.due_ms, o.seq) > (turn.due_ms, turn.seq) \
             ORDER BY o.due_ms, o.seq LIMIT {WINDOW}) e), \
         bounds AS MATERIALIZED ( \
             SELECT tenant_id, max(seq) AS seq, min(due_ms) AS due_ms FROM own GROUP BY tenant_id), \
         earlier AS MATERIALIZED (SELECT p.* FROM bounds CROSS JOIN LATERAL ( \
             SELECT o.tenant_id, o.seq, o.due_ms, o.entity, o.entity_id FROM outbox_events o \
             WHERE o.tenant_id = bounds.tenant_id AND o.seq < bounds.seq AND o.due_ms > bounds.due_ms OFFSET 0) p), \
         waiting AS MATERIALIZED (SELECT DISTINCT own.tenant_id, own.seq FROM own JOIN earlier \
             ON earlier.tenant_id = own.tenant_id AND earlier.entity = own.entity \
             AND earlier.entity_id = own.entity_id AND earlier.seq < own.seq AND earlier.due_ms > own.due_ms) \
         SELECT own.tenant_id AS tenant, own.seq, own.due_ms, waiting.seq IS NOT NULL AS waits FROM own \
         LEFT JOIN waiting ON waiting.tenant_id = own.tenant_id AND waiting.seq = own.seq \
         ORDER BY own.due_ms, own.seq"
    )
}

/// The numbers of up to `most` events of each of these tenants that are due, as [`due_of`] says, on Postgres.
fn due_numbers(
    conn: &mut PgConnection,
    now: Timestamp,
    tenants: Vec<&String>,
    most: usize,
) -> Result<BTreeMap<String, Vec<i64>>> {
    let text = window();
    // What is switched off counts as dear, which Postgres would compile the statement for.
    conn.batch_execute("SET LOCAL enable_nestloop = off; SET LOCAL jit = off")?;
    let mut found: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    let mut left: Vec<(String, i64, i64)> =
        tenants.into_iter().map(|tenant| (tenant.clone(), i64::MIN, i64::MIN)).collect();
    while !left.is_empty() {
        let tenants: Vec<&str> = left.iter().map(|(tenant, ..)| tenant.as_str()).collect();
        let due_times: Vec<i64> = left.iter().map(|(_, due_ms, _)| *due_ms).collect();
        let numbers: Vec<i64> = left.iter().map(|(.., seq)| *seq).collect();
        let query = sql_query(&text).bind::<Array<Text>, _>(tenants).bind::<Array<BigInt>, _>(due_times);
        let query = query.bind::<Array<BigInt>, _>(numbers).bind::<BigInt, _>(now.millis());
        let mut windows: BTreeMap<String, Vec<Candidate>> = BTreeMap::new();
        for candidate in query.load::<Candidate>(conn)? {
            windows.entry(candidate.tenant.clone()).or_default().push(candidate);
        }
        left.clear();
        for (tenant, window) in windows {
            let known = found.entry(tenant.clone()).or_default();
            let due = window.iter().filter(|candidate| !candidate.waits).map(|candidate| candidate.seq);
            known.extend(due.take(most.saturating_sub(known.len())));
            // All of them may wait for one that is long in coming, and more be due behind them.
            if let Some(last) = window.last().filter(|_| window.len() == WINDOW && known.len() < most) {
                left.push((tenant, last.due_ms, last.seq));
            }
        }
    }
    Ok(found)
}

/// Claims up to `most` due events of each of these tenants for `owner` until `until`, in their order.
///
/// A claim that runs out is due again: its owner may have died. Several gateways share one table, and claim those of a
/// tenant one after the other: of two claims at once, neither would see what the other takes. A tenant whose events
/// another gateway is claiming is left to that.
pub(crate) fn claim(
    conn: &mut Conn,
    owner: &str,
    (now, until): (Timestamp, Timestamp),
    tenants: &[String],
    most: i64,
) -> Result<Vec<Claimed>> {
    let locks: Vec<Lock> = tenants.iter().map(|tenant| Lock::of("outbox:claim", tenant)).collect();
    let taken = Lock::try_take_each(conn, &locks)?;
    let tenants = tenants.iter().zip(taken).filter_map(|(tenant, is_taken)| is_taken.then_some(tenant));
    let mut claimed: Vec<Claimed> = Vec::new();
    match conn {
        Conn::Sqlite(conn) => {
            let text = format!(
                "UPDATE outbox_events SET owner = ?, due_ms = ?, attempts = attempts + 1 \
                 WHERE seq IN (SELECT e.seq {}) RETURNING *",
                due_of(["?"; 3])
            );
            for tenant in tenants {
                let of = sql_query(&text).bind::<Text, _>(owner).bind::<BigInt, _>(until.millis());
                let of = of.bind::<Text, _>(tenant).bind::<BigInt, _>(now.millis()).bind::<BigInt, _>(most);
                claimed.extend(of.load::<Claimed>(conn)?);
            }
        }
        Conn::Postgres(conn) => {
            // The bounds are what an index knows, whatever Postgres believes of the number of rows. What a gateway of
            // an earlier version, which takes another lock, has claimed meanwhile is not due any more.
            let text = "UPDATE outbox_events SET owner = $1, due_ms = $2, attempts = attempts + 1 WHERE tenant_id = $3 \
                        AND seq >= $4 AND seq <= $5 AND seq = ANY($6) AND due_ms <= $7 RETURNING *";
            let most = usize::try_from(most).unwrap_or(usize::MAX);
            for (tenant, numbers) in due_numbers(conn, now, tenants.collect(), most)? {
                let (Some(first), Some(last)) = (numbers.iter().min(), numbers.iter().max()) else { continue };
                let of = sql_query(text).bind::<Text, _>(owner).bind::<BigInt, _>(until.millis());
                let of = of.bind::<Text, _>(&tenant).bind::<BigInt, _>(*first).bind::<BigInt, _>(*last);
                let of = of.bind::<Array<BigInt>, _>(&numbers).bind::<BigInt, _>(now.millis());
                claimed.extend(of.load::<Claimed>(conn)?);
            }
        }
    }
    claimed.sort_by_key(|event| event.seq);
    Ok(claimed)
}

/// Deletes claimed events of a tenant. False when a claim is another's now: then some are there still.
pub(crate) fn finish_all(conn: &mut Conn, owner: &str, tenant: &str, events: &[Claimed]) -> Result<bool> {
    use outbox_events::dsl;
    let numbers: Vec<i64> = events.iter().map(|event| event.seq).collect();
    let mine = dsl::outbox_events.filter(dsl::seq.eq_any(numbers)).filter(dsl::owner.eq(owner));
    let gone = match conn {
        // Its key is the number alone. Asked for a tenant, it would walk an index with all that it has waiting.
        Conn::Sqlite(conn) => diesel::delete(mine).execute(conn)?,
        Conn::Postgres(conn) => diesel::delete(mine.filter(dsl::tenant_id.eq(tenant))).execute(conn)?,
    };
    Ok(gone == events.len())
}

/// Deletes a claimed event. False when the claim is another's now: its owner will finish it.
pub(crate) fn finish(conn: &mut Conn, owner: &str, event: &Claimed) -> Result<bool> {
    use outbox_events::dsl;
    let mine = dsl::outbox_events.find((&event.tenant_id, event.seq)).filter(dsl::owner.eq(owner));
    Ok(db::direct!(conn, |conn| diesel::delete(mine).execute(conn))? == 1)
}

/// Gives an event back, due again at `due`, with the attempts that there were.
pub(crate) fn put_back(conn: &mut Conn, owner: &str, event: &Claimed, due: Timestamp) -> Result<()> {
    use outbox_events::dsl;
    diesel::update(dsl::outbox_events.find((&event.tenant_id, event.seq)).filter(dsl::owner.eq(owner)))
        .set((dsl::due_ms.eq(due.millis()), dsl::owner.eq(""), dsl::attempts.eq(event.attempts)))
        .execute(conn)?;
    Ok(())
}

/// Gives back what anybody has claimed: its owner has ended.
pub(crate) fn give_back_all(conn: &mut Conn, now: Timestamp) -> Result<()> {
    use outbox_events::dsl;
    let claimed = dsl::outbox_events.filter(dsl::owner.ne(""));
    diesel::update(claimed).set((dsl::due_ms.eq(now.millis()), dsl::owner.eq(""))).execute(conn)?;
    Ok(())
}

/// When the oldest waiting event happened.
pub(crate) fn oldest(conn: &mut Conn) -> Result<Option<Timestamp>> {
    use outbox_events::dsl;
    let oldest: Option<i64> = dsl::outbox_events.select(dsl::created_ms).order(dsl::seq).first(conn).optional()?;
    Ok(oldest.map(Timestamp::from_millis))
}
