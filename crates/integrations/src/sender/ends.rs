//! The results of attempts, and how they are stored.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use base::timestamp::Timestamp;
use db::Conn;
use outbox::{Actor, Tx};

use super::{
    claims::{Ended, Job},
    http_client::{Answer, CallError},
    retry,
    shared::Shared,
};
use crate::{
    delivery::{
        queue::{self, ClaimOutcome, FinishSummary, FinishedClaim, Lane},
        row::Attempt,
    },
    event::{
        record,
        row::{self as event_row, EndpointVersion},
        store as event_store,
    },
    headers::Header,
    installed::store as installed,
    template::{Kind, Template},
    vault,
};

/// An endpoint that has failed for so long is not called any more.
const GIVEN_UP_MS: i64 = 5 * 86_400_000;
/// How many attempts the log of a delivery has, and how much it keeps of the answers to former ones.
const LOGGED: usize = 30;
const KEPT_OF_FORMER: usize = 1 << 10;

/// The outcome of an attempt for its delivery.
pub(super) fn attempt_outcome(
    shared: &Shared,
    job: &Job,
    answer: Result<Answer, CallError>,
    begun: Timestamp,
    now: Timestamp,
) -> ClaimOutcome {
    let mut attempt =
        Attempt { time: begun.to_string(), duration_ms: Some(now.millis() - begun.millis()), ..Attempt::default() };
    let mut asked = None;
    let mut delivered = false;
    match answer {
        Ok(answer) => {
            delivered = (200..300).contains(&answer.status);
            let header = |name: &str| {
                answer.headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
            };
            asked = header("retry-after").and_then(|value| retry::parse_retry_after(&value, now));
            attempt.response_status = Some(answer.status);
            attempt.response_headers = job
                .config
                .response_headers
                .iter()
                .filter_map(|expected| Some(Header { key: expected.key.clone(), value: header(&expected.key)? }))
                .collect();
            attempt.response_body = String::from_utf8_lossy(&answer.body).replace('\0', "\u{FFFD}");
            if !delivered {
                attempt.error = format!("the endpoint answered {}", answer.status);
            }
        }
        Err(error) => attempt.error = error.to_string(),
    }
    let response = attempt.response_status.map(i64::from);
    let tries = job.claimed.tries + 1;
    let again = if delivered { None } else { shared.tools.settings.schedule.next(now, tries, jitter(), asked) };
    let status = match again {
        _ if delivered => "delivered",
        Some(_) => "pending",
        None => "failed",
    };
    let due_ms = again.unwrap_or(now).millis();
    ClaimOutcome::Attempted { status, due_ms, at: begun, response, log: append_attempt(&job.claimed.log, attempt) }
}

/// Between -1 and 1.
fn jitter() -> f64 {
    let [byte] = vault::random::<1>().unwrap_or([128]);
    f64::from(byte) / 127.5 - 1.0
}

/// The log with a further attempt, as it is stored. A short one has no more attempts than it may, and no long answer:
/// it is not read for that.
fn append_attempt(log: &str, attempt: Attempt) -> String {
    let written = serde_json::to_string(&attempt).unwrap_or_default();
    match log.strip_suffix(']') {
        Some("[") => return format!("[{written}]"),
        Some(former) if log.len() <= KEPT_OF_FORMER => return format!("{former},{written}]"),
        _ => {}
    }
    let mut all: Vec<Attempt> = serde_json::from_str(log).unwrap_or_else(|error| {
        tracing::error!(%error, "the attempts of a delivery cannot be read; they are left out");
        Vec::new()
    });
    for former in &mut all {
        let end = former.response_body.char_indices().map(|(at, _)| at).take_while(|at| *at <= KEPT_OF_FORMER).last();
        if former.response_body.len() > KEPT_OF_FORMER {
            former.response_body.truncate(end.unwrap_or(0));
        }
    }
    all.push(attempt);
    let surplus = all.len().saturating_sub(LOGGED);
    all.drain(..surplus);
    serde_json::to_string(&all).unwrap_or(written)
}

/// Does an answer say that the endpoint of an event is gone? A delivery that was made before the target of the event
/// changed goes to the former one.
pub(super) fn is_gone(job: &Job, answer: &Result<Answer, CallError>) -> bool {
    let target = || Template::read(&job.config.end_point_uri, job.config.entity(), Kind::Target);
    matches!(answer, Ok(answer) if answer.status == 410)
        && target().is_ok_and(|target| target.could_make(&job.message.target))
}

/// Stores the results of deliveries, and deactivates events whose endpoint is gone or has failed for days. A delivery
/// whose result cannot be stored is sent again once its claim has run out.
pub(super) async fn store_results(shared: &Arc<Shared>, batch: Vec<Ended>) {
    let mut gone = HashSet::new();
    let mut failed = HashSet::new();
    let mut claims = Vec::with_capacity(batch.len());
    for Ended { claim, called, is_gone } in batch {
        if matches!(claim.end, ClaimOutcome::Attempted { status, .. } if status != "delivered") {
            let lane = (claim.claimed.tenant_id.clone(), claim.claimed.event_id.clone());
            if is_gone {
                gone.insert((lane, called))
            } else {
                failed.insert((lane, called))
            };
        }
        claims.push(claim);
    }
    let ids: Vec<String> = claims.iter().map(|done| done.claimed.id.clone()).collect();
    let now = shared.now();
    // Before what was given back because of it is due again.
    for (lane, called) in gone {
        deactivate_logged(shared, lane, called, "the endpoint answered 410: it is gone", now).await;
    }
    let finished = finish(shared, claims, now).await;
    {
        let mut in_hand = shared.in_hand();
        for id in &ids {
            in_hand.remove(id);
        }
    }
    if finished.refused > 0 {
        tracing::warn!(deliveries = finished.refused, "these were another gateway's by the time they ended here");
    }
    let is_given_up = |lane: &Lane| finished.failing.get(lane).is_some_and(|since| now.millis() - since >= GIVEN_UP_MS);
    for (lane, called) in failed.into_iter().filter(|(lane, _)| is_given_up(lane)) {
        deactivate_logged(shared, lane, called, "all attempts have failed for 5 days", now).await;
    }
}

async fn deactivate_logged(shared: &Shared, lane: Lane, called: EndpointVersion, why: &'static str, now: Timestamp) {
    let (tenant, event) = lane.clone();
    let deactivated = shared.tools.db.write(move |conn| deactivate(conn, &lane, called, why, now)).await;
    match deactivated {
        Ok(true) => tracing::warn!(tenant, event, why, "an integration event was deactivated"),
        Ok(false) => {}
        Err(error) => tracing::warn!(%error, event, "deactivating an integration event"),
    }
}

/// Finishes claims: all together, or else those of each tenant by themselves.
async fn finish(shared: &Arc<Shared>, batch: Vec<FinishedClaim>, now: Timestamp) -> FinishSummary {
    let batch = Arc::new(batch);
    let owner = shared.owner.clone();
    let all = Arc::clone(&batch);
    let together = shared.tools.db.write(move |conn| queue::finish(conn, &owner, &all, now)).await;
    let Err(error) = together else { return together.unwrap_or_default() };
    tracing::warn!(%error, "writing down deliveries");
    let mut finished = FinishSummary::default();
    let mut by_tenant = BTreeMap::<&str, Vec<FinishedClaim>>::new();
    batch.iter().for_each(|done| by_tenant.entry(&done.claimed.tenant_id).or_default().push(done.clone()));
    if by_tenant.len() == 1 {
        return finished;
    }
    for (tenant, batch) in by_tenant {
        let owner = shared.owner.clone();
        match shared.tools.db.write(move |conn| queue::finish(conn, &owner, &batch, now)).await {
            Ok(FinishSummary { refused, failing }) => {
                finished.refused += refused;
                finished.failing.extend(failing);
            }
            Err(error) => tracing::warn!(%error, tenant, "writing down deliveries"),
        }
    }
    finished
}

/// Deactivates an event that still is what it was when it was called; says whether it was.
fn deactivate(conn: &mut Conn, lane: &Lane, called: EndpointVersion, why: &str, now: Timestamp) -> db::Result<bool> {
    let (tenant, id) = lane;
    let is_called = |conn: &mut Conn| {
        let versions = event_store::versions(conn, tenant, std::slice::from_ref(id))?;
        Ok::<_, db::Error>(versions.get(id) == Some(&called))
    };
    // Those who change integrations are not made to wait for nothing.
    if !is_called(conn)? {
        return Ok(false);
    }
    let actor = Actor::service("integrations");
    Tx::run(conn, &actor, now, |tx| {
        installed::lock_tenant(tx.conn, tenant)?;
        let Some(old) = event_store::by_id(tx.conn, tenant, id)? else { return Ok(false) };
        if !is_called(tx.conn)? {
            return Ok(false);
        }
        let integration = installed::existing(tx.conn, std::slice::from_ref(tenant), &old.integration_id)?;
        let new = event_row::Row { active: false, inactive_because: why.to_owned(), ..old.changed(now) };
        event_store::update(tx.conn, &new)?;
        record::change(tx, &integration, Some(&old), Some(&new))?;
        Ok(true)
    })
}
