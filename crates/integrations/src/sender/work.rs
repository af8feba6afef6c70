//! The loop of the sender.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
    time::Duration,
};

use base::{calls::Calls, timestamp::Timestamp};
use db::{Backend, Conn};
use ports::People;
use tokio::{
    sync::{Notify, mpsc},
    time::Instant,
};

use super::{
    Tools,
    call::Caller,
    claims::{ClaimRequest, ClaimedJobs, Claims, Ended, Job, QueueUpdate},
    ends,
    lanes::{self, Lanes, NextSteps},
    shared::Shared,
    trace::AttemptTrace,
};
use crate::{
    delivery::queue::{ClaimOutcome, FinishedClaim, Lane},
    egress::connections::Cut,
    event::store as event_store,
    installed::store as installed,
};

/// How long an idle sender waits before it looks again: for what other gateways commit, which ring no bell here.
const IDLE: Duration = Duration::from_millis(100);
/// The same where there are no others: for retries.
const IDLE_ALONE: Duration = Duration::from_millis(250);
/// So many times as long as a look took nobody looks again because of something new: what is in hand is sent meanwhile.
const REST: u32 = 4;
/// How many queues one look takes in.
const QUEUES: usize = 500;
/// How many deliveries of a tenant may be in hand whatever others have.
const LEAST: usize = 4;
/// How many ends are written down together.
const TOGETHER: usize = 512;
/// How long an end is not written down because others are about to come.
const GATHER: Duration = Duration::from_millis(2);
/// How often a queue is looked at again whose tenant is suspended: what waits goes on so long after it is resumed.
const SUSPENDED_MS: i64 = 2_000;

/// How often what waits is compared with what its event calls, beside when something changes on this gateway.
const CHANGES: Duration = Duration::from_secs(1);

/// Runs until `stop`, which is looked at when it is woken; the bell says that there is something new, and `changed`
/// that an integration or an event is another than it was.
pub async fn run(
    tools: Tools,
    caller: Caller,
    stop: Arc<AtomicBool>,
    [wake, bell, changed]: [Arc<Notify>; 3],
    lag_ms: Arc<AtomicI64>,
) {
    let (ends, mut ended) = mpsc::unbounded_channel();
    let call_ms = i64::try_from(tools.settings.timeout.as_millis()).unwrap_or(15_000);
    let pause = tools.settings.schedule.first().saturating_mul(6).min(30_000);
    let shared = Arc::new(Shared {
        owner: if tools.db.backend() == Backend::Postgres { uuid::Uuid::new_v4().to_string() } else { String::new() },
        in_hand: Mutex::default(),
        lanes: Mutex::new(Lanes::new(tools.settings.calls_to_one, pause)),
        calls: Arc::new(Calls::new(tools.settings.calls * 4, LEAST)),
        rounds: Mutex::default(),
        wake: Arc::clone(&wake),
        ends,
        lag_ms,
        // A refused token costs two calls more.
        least_ms: 4 * call_ms + 1_000,
        lease_ms: 5 * call_ms + 10_000,
        tools,
        caller,
    });
    let writer = Arc::clone(&shared);
    let writing = tokio::spawn(async move {
        let mut batch = Vec::new();
        while ended.recv_many(&mut batch, TOGETHER).await > 0 {
            // Where many are under way, other ends are not far, and to write them down together costs least.
            if batch.len() < TOGETHER / 2 && writer.lanes().in_hand() > TOGETHER / 8 {
                tokio::time::sleep(GATHER).await;
                let room = TOGETHER - batch.len();
                batch.extend(std::iter::from_fn(|| ended.try_recv().ok()).take(room));
            }
            ends::store_results(&writer, std::mem::take(&mut batch)).await;
        }
    });
    let idle = if shared.tools.db.backend() == Backend::Postgres { IDLE } else { IDLE_ALONE };
    let mut revisions = HashMap::new();
    let mut compared = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        let begun = Instant::now();
        if compared.elapsed() >= CHANGES {
            give_back_changed(&shared, &mut revisions).await;
            compared = begun;
        }
        if let Err(error) = send_due(&shared, shared.now()).await {
            tracing::warn!(%error, "looking for deliveries");
        }
        let rested = Instant::now() + (begun.elapsed() * REST).min(IDLE);
        // A queue of which a part has gone ends the wait, and so does the end of the service.
        let hungry = async {
            loop {
                shared.wake.notified().await;
                if stop.load(Ordering::Relaxed) || shared.lanes().is_hungry() {
                    break;
                }
            }
        };
        // What comes one by one is looked for together.
        let rung = async {
            bell.notified().await;
            tokio::time::sleep_until(rested).await;
        };
        let idle = tokio::time::sleep(idle);
        tokio::pin!(hungry, rung, idle);
        loop {
            tokio::select! {
                biased;
                () = changed.notified() => give_back_changed(&shared, &mut revisions).await,
                () = &mut hungry => break,
                () = &mut rung => break,
                () = &mut idle => break,
            }
        }
    }
    writing.abort();
}

/// Claims what is due and can be taken in hand, and starts it.
async fn send_due(shared: &Arc<Shared>, now: Timestamp) -> db::Result<()> {
    let queues = find_due(shared, now).await?;
    shared.lag_ms.store(queues.lag_ms(now), Ordering::Relaxed);
    let Plan { mut wanted, mut queue_updates } = plan(shared, queues, now);
    divide(shared, &mut wanted);
    let wanted: Vec<Vec<ClaimRequest>> = wanted.into_values().filter(|of_tenant| !of_tenant.is_empty()).collect();
    if !wanted.is_empty() {
        for taken in claim(shared, wanted, now).await? {
            queue_updates.extend(take_in_hand(shared, taken, now));
        }
    }
    settle(shared, queue_updates, now).await
}

/// Gives back what waits to call an endpoint that is switched off, is another or has other secrets; one that is
/// left alone is not any more. `revisions` says how often the integrations of whom something waits had changed before.
async fn give_back_changed(shared: &Arc<Shared>, revisions: &mut HashMap<String, i64>) {
    let mut waiting = BTreeMap::<String, Vec<String>>::new();
    for (tenant, event) in shared.lanes().waiting(shared.now()) {
        waiting.entry(tenant).or_default().push(event);
    }
    let tenants: Vec<String> = waiting.keys().cloned().collect();
    if tenants.is_empty() {
        return revisions.clear();
    }
    let db = &shared.tools.db;
    let known = match db.read(move |conn| installed::revisions(conn, &tenants)).await {
        Ok(known) => known,
        Err(error) => return tracing::warn!(%error, "what has changed of integrations"),
    };
    revisions.retain(|tenant, _| waiting.contains_key(tenant));
    let mut queue_updates = Vec::new();
    for (tenant, events) in waiting {
        let revision = known.get(&tenant).copied().unwrap_or(0);
        if revisions.get(&tenant) == Some(&revision) {
            continue;
        }
        let of = (tenant.clone(), events.clone());
        match db.read(move |conn| event_store::versions(conn, &of.0, &of.1)).await {
            Err(error) => tracing::warn!(%error, tenant, "what has changed of its integrations"),
            Ok(versions) => {
                for event in events {
                    let version = versions.get(&event).copied();
                    let lane = (tenant.clone(), event);
                    let Some(given_back) = shared.lanes().renew(&lane, version) else { continue };
                    given_back.into_iter().for_each(|job| give_back(shared, job));
                    queue_updates.push((lane, QueueUpdate::Settle(0)));
                }
                revisions.insert(tenant, revision);
            }
        }
    }
    if let Err(error) = settle(shared, queue_updates, shared.now()).await {
        tracing::warn!(%error, "the queues of events that have changed");
    }
}

/// The queues in which something is due.
struct DueQueues {
    queues: Vec<(Lane, i64)>,
    /// The suspended ones of their tenants.
    suspended: HashSet<String>,
}

impl DueQueues {
    /// How long the queue that is overdue for longest has waited, without those of suspended tenants.
    fn lag_ms(&self, now: Timestamp) -> i64 {
        let waiting = self.queues.iter().filter(|((tenant, _), _)| !self.suspended.contains(tenant));
        waiting.map(|(_, since)| now.millis() - since).max().unwrap_or(0).max(0)
    }
}

/// The plan of a round for the due queues.
#[derive(Default)]
struct Plan {
    /// The deliveries to claim, by tenant.
    wanted: BTreeMap<String, Vec<ClaimRequest>>,
    /// The queues to look at again later.
    queue_updates: Vec<(Lane, QueueUpdate)>,
}

async fn find_due(shared: &Arc<Shared>, now: Timestamp) -> db::Result<DueQueues> {
    let of = Arc::clone(shared);
    let find = move |conn: &mut Conn| {
        let queues = of.rounds().find(conn, now, QUEUES)?;
        let suspended = suspended(conn, &*of.tools.people, queues.iter().map(|((tenant, _), _)| tenant))?;
        Ok(DueQueues { queues, suspended })
    };
    shared.tools.db.read(find).await
}

/// Decides for each queue how much is wanted of it, or when it is looked at again.
fn plan(shared: &Shared, DueQueues { queues, suspended }: DueQueues, now: Timestamp) -> Plan {
    let mut plan = Plan::default();
    let known: HashSet<&Lane> = queues.iter().map(|(lane, _)| lane).collect();
    // A queue that is read on is not left out because there are many others.
    let mut hungry = shared.lanes().hungry();
    hungry.retain(|lane| !known.contains(lane));
    for lane in queues.into_iter().map(|(lane, _)| lane).chain(hungry) {
        if suspended.contains(&lane.0) {
            // What is under way ends; the rest waits in its place, until the tenant is resumed.
            let given_back = shared.lanes().give_up(&lane);
            given_back.into_iter().for_each(|job| give_back(shared, job));
            plan.queue_updates.push((lane, QueueUpdate::Settle(now.millis() + SUSPENDED_MS)));
            continue;
        }
        let lanes = shared.lanes();
        match lanes.room(&lane, now) {
            Ok(0) => {}
            Ok(most) => {
                let behind = lanes.reached(&lane, now);
                plan.wanted.entry(lane.0.clone()).or_default().push(ClaimRequest { lane, most, behind });
            }
            Err(until) => plan.queue_updates.push((lane, QueueUpdate::Settle(until))),
        }
    }
    plan
}

/// Divides what a tenant may take among its queues. How much it gets in all is for its share of the calls to say.
fn divide(shared: &Shared, wanted: &mut BTreeMap<String, Vec<ClaimRequest>>) {
    let free = shared.calls.free().max(LEAST);
    for of_tenant in wanted.values_mut() {
        let rooms: Vec<usize> = of_tenant.iter().map(|one| one.most).collect();
        let shares = lanes::share(&rooms, shared.tools.settings.calls_to_one, free);
        of_tenant.iter_mut().zip(shares).for_each(|(one, most)| one.most = most);
        of_tenant.retain(|one| one.most > 0);
    }
}

/// Takes claimed deliveries of a queue in hand, and starts them; answers what is to be done with the queue.
fn take_in_hand(shared: &Arc<Shared>, taken: ClaimedJobs, now: Timestamp) -> Option<(Lane, QueueUpdate)> {
    let ClaimedJobs { lane, version, jobs, more, reached, from_beginning, after } = taken;
    shared.in_hand().extend(jobs.iter().map(|job| job.claimed.id.clone()));
    let given_back = {
        let mut lanes = shared.lanes();
        let given_back = lanes.add(&lane, version, jobs, more);
        // What is given back stands before.
        lanes.reach(&lane, reached.filter(|_| given_back.is_empty()), from_beginning, now);
        given_back
    };
    given_back.into_iter().for_each(|job| give_back(shared, job));
    start(shared, &lane);
    after.map(|after| (lane, after))
}

/// Takes deliveries of each tenant.
async fn claim(shared: &Arc<Shared>, wanted: Vec<Vec<ClaimRequest>>, now: Timestamp) -> db::Result<Vec<ClaimedJobs>> {
    let until = Timestamp::from_millis(now.millis() + shared.lease_ms);
    let owner = shared.owner.clone();
    let vault = Arc::clone(&shared.tools.vault);
    let calls = Arc::clone(&shared.calls);
    // As of before the look: what ends meanwhile is not taken for new.
    let in_hand = shared.in_hand().clone();
    let take = move |conn: &mut Conn| {
        let claims = Claims { owner: &owner, vault: &vault, now, until, in_hand: &in_hand, calls: &calls };
        claims.take_all(conn, wanted)
    };
    let db = &shared.tools.db;
    if shared.shares() { db.write(take).await } else { db.read(take).await }
}

/// Applies the updates of queues: in one transaction, or one by one if that fails; what events that are gone have left
/// goes in one for each tenant.
async fn settle(shared: &Arc<Shared>, mut queue_updates: Vec<(Lane, QueueUpdate)>, now: Timestamp) -> db::Result<()> {
    let db = &shared.tools.db;
    let mut gone = BTreeMap::<String, BTreeSet<String>>::new();
    for ((tenant, event), _) in queue_updates.extract_if(.., |(_, after)| matches!(after, QueueUpdate::Clear)) {
        gone.entry(tenant).or_default().insert(event);
    }
    for (tenant, events) in gone {
        let of = tenant.clone();
        match db.write(move |conn| event_store::clear_gone(conn, &of, &events, now)).await {
            Err(error @ db::Error::Unavailable(_)) => return Err(error),
            Err(error) => tracing::warn!(%error, tenant, "what deleted events have left"),
            Ok(()) => {}
        }
    }
    if queue_updates.is_empty() {
        return Ok(());
    }
    let all = queue_updates.clone();
    let settled = db.write(move |conn| all.iter().try_for_each(|(lane, after)| after.apply(conn, lane, now))).await;
    match settled {
        Ok(()) => Ok(()),
        Err(error @ db::Error::Unavailable(_)) => Err(error),
        Err(_) => {
            for (lane, after) in queue_updates {
                let of = lane.clone();
                if let Err(error) = db.write(move |conn| after.apply(conn, &of, now)).await {
                    tracing::warn!(%error, tenant = lane.0, event = lane.1, "the queue of an event");
                }
            }
            Ok(())
        }
    }
}

/// The suspended tenants among `tenants`.
fn suspended<'t>(
    conn: &mut Conn,
    people: &dyn People,
    tenants: impl Iterator<Item = &'t String>,
) -> db::Result<HashSet<String>> {
    let mut suspended = HashSet::new();
    for tenant in tenants.collect::<BTreeSet<_>>() {
        if !people.is_active(conn, tenant)? {
            suspended.insert(tenant.clone());
        }
    }
    Ok(suspended)
}

/// Starts what may be under way of an endpoint.
fn start(shared: &Arc<Shared>, lane: &Lane) {
    let started = shared.lanes().start(lane);
    in_time(shared, lane, started, shared.now()).into_iter().for_each(|job| spawn(shared, lane, job));
}

/// The started jobs whose claim lasts long enough, or others in their place. The rest is given back: another gateway
/// might send it before this one is done.
fn in_time(shared: &Shared, lane: &Lane, mut started: Vec<Job>, now: Timestamp) -> Vec<Job> {
    let latest = now.millis() + shared.least_ms;
    loop {
        let is_late = |job: &mut Job| latest > job.until.millis();
        let late: Vec<Job> = started.extract_if(.., is_late).collect();
        let none = started.is_empty() && !late.is_empty();
        for job in late {
            shared.lanes().skip(lane);
            give_back(shared, job);
        }
        if !none {
            return started;
        }
        started = shared.lanes().start(lane);
    }
}

fn spawn(shared: &Arc<Shared>, lane: &Lane, job: Job) {
    tokio::spawn(attempts(Arc::clone(shared), lane.clone(), job));
}

fn give_back(shared: &Shared, job: Job) {
    let claim = FinishedClaim { claimed: job.claimed, end: ClaimOutcome::GivenBack };
    let _ = shared.ends.send(Ended { claim, called: job.version, is_gone: false });
}

/// Calls an endpoint, again and again as long as there is something for it in hand.
async fn attempts(shared: Arc<Shared>, lane: Lane, first: Job) {
    let mut next = Some(first);
    while let Some(job) = next {
        let mut jobs = attempt(&shared, &lane, job).await;
        next = jobs.pop();
        // There are more where it was called by one alone, and is well again.
        jobs.into_iter().for_each(|job| spawn(&shared, &lane, job));
    }
}

/// Is an endpoint well that answers so? What it refuses of one delivery (400, 422 and the like) says nothing of the
/// others; that it knows no such caller does, and that nothing is there, where all of them go to the same target.
fn is_well(status: u16, is_same_for_all: bool) -> bool {
    match status {
        404 => !is_same_for_all,
        401 | 403 | 405 | 407 | 408 | 429 => false,
        status => (200..300).contains(&status) || (400..500).contains(&status),
    }
}

/// Makes a call; answers what is to be sent after it.
async fn attempt(shared: &Shared, lane: &Lane, job: Job) -> Vec<Job> {
    let begun = shared.now();
    let answer = match job.endpoint.as_ref() {
        Ok(endpoint) => {
            let trace = AttemptTrace::begin(&job);
            let call = shared.caller.call(endpoint, &job.message, &job.claimed.id, begun);
            let answer = traces::scope(trace.context(), call).await;
            trace.end(&answer);
            let has_answered = matches!(&answer, Ok(answer) if answer.cut != Some(Cut::Late));
            shared.calls.end(&job.host.0, &job.host.1, has_answered);
            answer
        }
        Err(error) => Err(error.clone()),
    };
    let now = shared.now();
    let well = matches!(&answer, Ok(answer) if is_well(answer.status, job.message.target == job.config.end_point_uri));
    let is_gone = ends::is_gone(&job, &answer);
    let end = ends::attempt_outcome(shared, &job, answer, begun, now);
    drop(job.call);
    let called = job.version;
    let _ = shared.ends.send(Ended { claim: FinishedClaim { claimed: job.claimed, end }, called, is_gone });
    if is_gone {
        // Nothing else is sent before its event is deactivated.
        let given_back = shared.lanes().give_up(lane);
        given_back.into_iter().for_each(|job| give_back(shared, job));
    }
    let NextSteps { next, given_back, is_hungry } = shared.lanes().end(lane, Some(called), well, now);
    given_back.into_iter().for_each(|job| give_back(shared, job));
    if is_hungry {
        shared.wake.notify_one();
    }
    in_time(shared, lane, next, now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_message_is_not_wrong_with_the_endpoint() {
        for same_for_all in [false, true] {
            let is_well = |status| is_well(status, same_for_all);
            assert!([200, 204, 299, 400, 409, 410, 413, 415, 422].into_iter().all(is_well));
            assert!(![100, 301, 304, 308, 401, 403, 405, 408, 429, 500, 503, 599].into_iter().any(is_well));
            assert_eq!(is_well(404), !same_for_all);
        }
    }
}
