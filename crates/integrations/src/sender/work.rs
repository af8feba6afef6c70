//! The loop of the sender.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
    time::Duration,
};

use base::timestamp::Timestamp;
use db::{Backend, Conn};
use outbox::{Actor, Tx};
use ports::People;
use tokio::{
    sync::{Notify, mpsc},
    time::Instant,
};

use super::{
    Tools,
    call::Caller,
    claims::{After, Claims, Job, Taken},
    lanes::{self, Ended, Lanes},
    line::{Answer, CallError},
    retry,
};
use crate::{
    delivery::{
        queue::{self, Done, End, Lane},
        row::Attempt,
    },
    event::{headers::Header, http as events, row as event_row, store as event_store},
    installed::store as installed,
    vault,
};

/// How long an idle sender waits before it looks again.
const IDLE: Duration = Duration::from_millis(100);
/// So many times as long as a look took nobody looks again because of something new: what is in hand is sent meanwhile.
const REST: u32 = 4;
/// How many queues one look takes in.
const QUEUES: i64 = 500;
/// How many ends are written down together.
const TOGETHER: usize = 512;
/// How long an end is not written down because others are about to come.
const GATHER: Duration = Duration::from_millis(2);
/// An endpoint that has failed for so long is not called any more.
const GIVEN_UP_MS: i64 = 5 * 86_400_000;
/// How often a queue is looked at again whose tenant is suspended: what waits goes on so long after it is resumed.
const SUSPENDED_MS: i64 = 2_000;
/// How many attempts the log of a delivery has, and how much it keeps of the answers to former ones.
const LOGGED: usize = 30;
const KEPT_OF_FORMER: usize = 1 << 10;

struct Shared {
    tools: Tools,
    caller: Caller,
    owner: String,
    lanes: Mutex<Lanes<Job>>,
    /// The ids of what is in hand, until what became of it is written down.
    in_hand: Mutex<HashSet<String>>,
    wake: Arc<Notify>,
    ends: mpsc::UnboundedSender<Done>,
    lag_ms: Arc<AtomicI64>,
    /// How long a claim holds: two calls, two for tokens, and some time in the queue.
    lease_ms: i64,
    /// What an attempt needs of it.
    least_ms: i64,
}

impl Shared {
    fn lanes(&self) -> MutexGuard<'_, Lanes<Job>> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn in_hand(&self) -> MutexGuard<'_, HashSet<String>> {
        self.in_hand.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Do other gateways take of the same queues?
    fn shares(&self) -> bool {
        self.tools.db.backend() == Backend::Postgres
    }

    fn now(&self) -> Timestamp {
        (self.tools.clock)()
    }
}

/// Runs until `stop`, which is looked at when it is woken; the bell says that there is something new.
pub async fn run(
    tools: Tools,
    caller: Caller,
    stop: Arc<AtomicBool>,
    [wake, bell]: [Arc<Notify>; 2],
    lag_ms: Arc<AtomicI64>,
) {
    let (ends, mut ended) = mpsc::unbounded_channel();
    let call_ms = i64::try_from(tools.settings.timeout.as_millis()).unwrap_or(15_000);
    let pause = tools.settings.schedule.first().saturating_mul(6).min(30_000);
    let shared = Arc::new(Shared {
        owner: if tools.db.backend() == Backend::Postgres { uuid::Uuid::new_v4().to_string() } else { String::new() },
        in_hand: Mutex::default(),
        lanes: Mutex::new(Lanes::new(tools.settings.calls_to_one, pause)),
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
            write_down(&writer, std::mem::take(&mut batch)).await;
        }
    });
    while !stop.load(Ordering::Relaxed) {
        let begun = Instant::now();
        if let Err(error) = look(&shared, shared.now()).await {
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
        tokio::select! {
            () = hungry => {}
            () = rung => {}
            () = tokio::time::sleep(IDLE) => {}
        }
    }
    writing.abort();
}

/// Claims what is due and can be taken in hand, and starts it.
async fn look(shared: &Arc<Shared>, now: Timestamp) -> db::Result<()> {
    let settings = &shared.tools.settings;
    let free = (settings.calls * 4).saturating_sub(shared.lanes().in_hand());
    if free == 0 {
        return Ok(());
    }
    let people = Arc::clone(&shared.tools.people);
    let find = move |conn: &mut Conn| {
        let due = queue::due(conn, now, QUEUES)?;
        let suspended = suspended(conn, &*people, due.iter().map(|((tenant, _), _)| tenant))?;
        Ok((due, suspended))
    };
    let (due, suspended) = shared.tools.db.read(find).await?;
    let oldest =
        due.iter().find(|((tenant, _), _)| !suspended.contains(tenant)).map_or(now.millis(), |(_, since)| *since);
    shared.lag_ms.store((now.millis() - oldest).max(0), Ordering::Relaxed);
    let (mut found, mut paused) = (Vec::new(), Vec::new());
    for (lane, _) in due {
        if suspended.contains(&lane.0) {
            // What is under way ends; the rest waits in its place, until the tenant is resumed.
            let given_back = shared.lanes().give_up(&lane);
            given_back.into_iter().for_each(|job| give_back(shared, job));
            paused.push((lane, now.millis() + SUSPENDED_MS));
            continue;
        }
        let (room, behind) = {
            let lanes = shared.lanes();
            (lanes.room(&lane, now), lanes.reached(&lane, now))
        };
        match room {
            Ok(room) => found.push((lane, room, behind)),
            Err(until) => paused.push((lane, until)),
        }
    }
    let rooms: Vec<usize> = found.iter().map(|(_, room, _)| *room).collect();
    let shares = lanes::share(&rooms, settings.calls_to_one, free);
    let mut wanted: Vec<_> =
        found.into_iter().zip(shares).map(|((lane, _, behind), most)| (lane, most, behind)).collect();
    wanted.retain(|(_, most, _)| *most > 0);
    if wanted.is_empty() && paused.is_empty() {
        return Ok(());
    }
    let until = Timestamp::from_millis(now.millis() + shared.lease_ms);
    let (owner, vault) = (shared.owner.clone(), Arc::clone(&shared.tools.vault));
    // As of before the look: what ends meanwhile is not taken for new.
    let in_hand = shared.in_hand().clone();
    let take = move |conn: &mut Conn| {
        let claims = Claims { owner: &owner, vault: &vault, now, until, in_hand: &in_hand };
        let taken = wanted.into_iter().map(|(lane, most, behind)| claims.take(conn, lane, most, behind.as_ref()));
        taken.collect::<db::Result<Vec<_>>>()
    };
    let db = &shared.tools.db;
    let taken = if shared.shares() { db.write(take).await? } else { db.read(take).await? };
    let mut afterwards: Vec<(Lane, After)> =
        paused.into_iter().map(|(lane, until)| (lane, After::Settle(until))).collect();
    for Taken { lane, jobs, more, reached, from_beginning, after } in taken {
        shared.in_hand().extend(jobs.iter().map(|job| job.claimed.id.clone()));
        {
            let mut lanes = shared.lanes();
            lanes.add(&lane, jobs, more);
            lanes.reach(&lane, reached, from_beginning, now);
        }
        start(shared, &lane);
        afterwards.extend(after.map(|after| (lane, after)));
    }
    if afterwards.is_empty() {
        return Ok(());
    }
    let settle = move |conn: &mut Conn| {
        afterwards.iter().try_for_each(|(lane, after)| match after {
            After::Settle(at_least) => queue::settle(conn, lane, *at_least),
            After::Hold => queue::hold(conn, lane, now),
        })
    };
    shared.tools.db.write(settle).await
}

/// Those of these tenants that are suspended.
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

/// Those of what was started that there is time for, or others in their place: another gateway might send the rest before this one
/// is done.
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
    let _ = shared.ends.send(Done { claimed: job.claimed, end: End::GivenBack });
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

/// Makes a call; answers what is to be sent after it.
async fn attempt(shared: &Shared, lane: &Lane, job: Job) -> Vec<Job> {
    let begun = shared.now();
    let answer = match job.endpoint.as_ref() {
        Ok(endpoint) => shared.caller.call(endpoint, &job.message, &job.claimed.id, begun).await,
        Err(error) => Err(error.clone()),
    };
    let now = shared.now();
    let well = matches!(&answer, Ok(answer) if answer.status < 500 && answer.status != 429);
    let end = ended(shared, &job, answer, begun, now);
    let _ = shared.ends.send(Done { claimed: job.claimed, end });
    let Ended { next, given_back, is_hungry } = shared.lanes().end(lane, well, now);
    given_back.into_iter().for_each(|job| give_back(shared, job));
    if is_hungry {
        shared.wake.notify_one();
    }
    in_time(shared, lane, next, now)
}

/// What an attempt means for its delivery.
fn ended(shared: &Shared, job: &Job, answer: Result<Answer, CallError>, begun: Timestamp, now: Timestamp) -> End {
    let mut attempt =
        Attempt { time: begun.to_string(), duration_ms: Some(now.millis() - begun.millis()), ..Attempt::default() };
    let (mut asked, mut delivered) = (None, false);
    match answer {
        Ok(answer) => {
            delivered = (200..300).contains(&answer.status);
            let header = |name: &str| {
                answer.headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
            };
            asked = header("retry-after").and_then(|value| retry::asked(&value, now));
            attempt.response_status = Some(answer.status);
            attempt.response_headers = job
                .expected
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
    let again = if delivered { None } else { shared.tools.settings.schedule.next(now, tries, dice(), asked) };
    let status = match again {
        _ if delivered => "delivered",
        Some(_) => "pending",
        None => "failed",
    };
    let due_ms = again.unwrap_or(now).millis();
    End::Attempted { status, due_ms, at: begun, response, log: logged(&job.claimed.log, attempt) }
}

/// Between -1 and 1.
fn dice() -> f64 {
    let [byte] = vault::random::<1>().unwrap_or([128]);
    f64::from(byte) / 127.5 - 1.0
}

/// The log with a further attempt, as it is stored. A short one has no more attempts than it may, and no long answer: it is not
/// read for that.
fn logged(log: &str, attempt: Attempt) -> String {
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

/// Writes down what became of deliveries, and deactivates events whose endpoint is gone, or has failed for days. What
/// cannot be written is sent again once its claim has run out.
async fn write_down(shared: &Arc<Shared>, batch: Vec<Done>) {
    let mut gone: HashMap<Lane, &'static str> = HashMap::new();
    for done in &batch {
        if matches!(done.end, End::Attempted { response: Some(410), .. }) {
            let lane = (done.claimed.tenant_id.clone(), done.claimed.event_id.clone());
            gone.insert(lane, "the endpoint answered 410: it is gone");
        }
    }
    let ids: Vec<String> = batch.iter().map(|done| done.claimed.id.clone()).collect();
    let (now, owner) = (shared.now(), shared.owner.clone());
    let written = shared.tools.db.write(move |conn| queue::finish(conn, &owner, &batch, now)).await;
    {
        let mut in_hand = shared.in_hand();
        for id in &ids {
            in_hand.remove(id);
        }
    }
    let finished = match written {
        Ok(finished) => finished,
        Err(error) => return tracing::warn!(%error, "writing down deliveries"),
    };
    if finished.refused > 0 {
        tracing::warn!(deliveries = finished.refused, "these were another gateway's by the time they ended here");
    }
    for (lane, since) in finished.failing {
        if now.millis() - since >= GIVEN_UP_MS {
            gone.entry(lane).or_insert("all attempts have failed for 5 days");
        }
    }
    for (lane, why) in gone {
        let (tenant, event) = (lane.0.clone(), lane.1.clone());
        let deactivated = shared.tools.db.write(move |conn| deactivate(conn, &lane, why, now)).await;
        match deactivated {
            Ok(()) => tracing::warn!(tenant, event, why, "an integration event was deactivated"),
            Err(error) => tracing::warn!(%error, event, "deactivating an integration event"),
        }
    }
}

fn deactivate(conn: &mut Conn, lane: &Lane, why: &str, now: Timestamp) -> db::Result<()> {
    let actor = Actor::service("integrations");
    Tx::run(conn, &actor, now, |tx| {
        installed::lock_tenant(tx.conn, &lane.0)?;
        let Some(old) = event_store::by_id(tx.conn, &lane.0, &lane.1)?.filter(|event| event.active) else {
            return Ok(());
        };
        let integration = installed::existing(tx.conn, std::slice::from_ref(&lane.0), &old.integration_id)?;
        let new = event_row::Row { active: false, inactive_because: why.to_owned(), ..old.changed(now) };
        event_store::update(tx.conn, &new)?;
        queue::put_aside(tx.conn, lane)?;
        events::record_change(tx, &integration, Some(&old), Some(&new))
    })
}
