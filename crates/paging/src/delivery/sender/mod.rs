//! Sends pages: a thread that takes in hand what is due, sends side by side, and writes down what became of it.
//!
//! What is in hand is leased: of a gateway that dies, another one takes it when the lease runs out. One that stops
//! gives it back, and on SQLite, where there is no other, one that starts takes all of it. So each page arrives at
//! least once, always under the same id.

mod claim;
mod line;
mod presets;
mod render;
mod retry;
mod trace;

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

use base::timestamp::Timestamp;
use db::{Backend, Conn, Db};
use ports::{Outgoing, SendError};
use tokio::sync::Notify;

use self::{
    claim::{ClaimedPages, Job, Ready},
    line::{Line, PermittedPages},
};
use crate::{
    Neighbours,
    configuration::methods::template,
    delivery::pages::{
        facts::Attempt,
        queue::{self, ClaimedPage, LeadPages},
        store::{self, Row},
    },
};

/// How long an idle sender waits at most before it looks again: for pages of other processes. It is woken when this
/// process commits one, and by itself when one is due that it knows of.
const IDLE: Duration = Duration::from_millis(250);
/// How long it waits after a look, however often it is woken: each look is a commit, and many pages at once cost it as
/// much as one.
const PACE: Duration = Duration::from_millis(4);
/// How long it rests after a look while others wait for the writer of a SQLite database, as a multiple of what the look
/// took of it, and at most: what is put together in one message can wait for those who report.
const REST: u32 = 2;
const LONGEST_REST: Duration = Duration::from_millis(100);
/// For how long after a call begins it is tried to write down what became of the page: then another gateway may have
/// it, and sends it again. And the first and the longest pause where the database cannot do it now, as when it ends one
/// of two transactions that wait for each other.
const WRITTEN_WITHIN: Duration = Duration::from_secs(60);
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// How many of the pages that went out in one that failed are written down in one transaction: the locks of so many
/// escalations are taken, and on SQLite others wait.
const STORED_AT_ONCE: usize = 200;
/// How many threads wait for the database and for names to resolve; one for a name that does not stays for long.
const THREADS: usize = 2_048;
/// How many pages one look takes in hand.
const TOGETHER: usize = 128;
/// How many attempts the log of a page keeps.
const LOGGED: usize = 20;

/// A running sender; stops when dropped.
pub struct Sender {
    stop: Arc<AtomicBool>,
    wake: Arc<Notify>,
    _listener: db::Listener,
    thread: Option<JoinHandle<()>>,
    shared: Arc<SenderState>,
}

/// What escalations do where pages of theirs fail for good; they know of pages, and pages nothing of them.
#[derive(Clone, Copy)]
pub struct Escalations {
    /// Locks those of these pages.
    pub lock: fn(&mut Conn, &[&ClaimedPage]) -> db::Result<()>,
    /// Goes on where nothing else of a step reaches anybody. They are locked.
    pub after_failures: fn(&mut Conn, &[&ClaimedPage], Timestamp) -> db::Result<()>,
}

struct SenderState {
    db: Db,
    escalations: Escalations,
    neighbours: Arc<Neighbours>,
    owner: String,
    in_hand: AtomicUsize,
    wake: Arc<Notify>,
    /// Pages, and then codes and tests.
    lines: [Arc<Line>; 2],
}

impl Sender {
    /// Starts one.
    ///
    /// # Errors
    /// The system has no further thread.
    pub fn start(db: Db, neighbours: Neighbours, escalations: Escalations) -> std::io::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let wake = Arc::new(Notify::new());
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(THREADS).build()?;
        let shared = Arc::new(SenderState {
            db,
            escalations,
            neighbours: Arc::new(neighbours),
            owner: uuid::Uuid::new_v4().to_string(),
            in_hand: AtomicUsize::new(0),
            wake: Arc::clone(&wake),
            lines: [Arc::new(Line::of_pages()), Arc::new(Line::of_codes())],
        });
        for (name, line) in ["pages", "codes"].into_iter().zip(&shared.lines) {
            shared.db.watch_due(name, line.rows);
        }
        let stopped = Arc::clone(&stop);
        let of_thread = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("pages".to_owned()).spawn(move || {
            let shared = of_thread;
            if shared.db.backend() == Backend::Sqlite {
                give_back(&shared, None);
            }
            runtime.block_on(async move {
                while !stopped.load(Ordering::Relaxed) {
                    match look(&shared).await {
                        Ok(wait) => drop(tokio::time::timeout(wait, shared.wake.notified()).await),
                        Err(error) => {
                            tracing::warn!(%error, "looking for pages");
                            tokio::time::sleep(2 * IDLE).await;
                        }
                    }
                    tokio::time::sleep(PACE).await;
                }
            });
            // What is under way is not waited for: it is given back, and sent again.
            runtime.shutdown_background();
        })?;
        let woken = Arc::clone(&wake);
        let listener = store::BELL.listen(move || woken.notify_one());
        Ok(Self { stop, wake, _listener: listener, thread: Some(thread), shared })
    }
}

impl Drop for Sender {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.wake.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        if self.shared.in_hand.load(Ordering::Relaxed) > 0 {
            give_back(&self.shared, Some(self.shared.owner.clone()));
        }
    }
}

/// Makes due what this sender has in hand; without an owner, what any had.
fn give_back(shared: &SenderState, owner: Option<String>) {
    let now = shared.neighbours.now().millis();
    let given_back = shared.db.write_here(move |conn| queue::give_back(conn, owner.as_deref(), now));
    if let Err(error) = given_back {
        tracing::warn!(%error, "giving back pages: they are due when their lease runs out");
    }
}

/// Takes some pages in hand and starts to send them; answers how long to wait for the next ones, unless somebody wakes
/// it.
async fn look(shared: &Arc<SenderState>) -> db::Result<Duration> {
    let now = shared.neighbours.now();
    let due = shared.db.read(|conn| queue::ALL.first(conn)).await?;
    if let Some(wait) = due.map_or(Some(IDLE), |due| until(due, now)) {
        return Ok(wait);
    }
    let mut more = false;
    for line in &shared.lines {
        more |= start_due_pages(shared, line, now).await?;
    }
    // There may be more, and what could not be taken now is looked at again soon.
    Ok(if more { Duration::ZERO } else { IDLE / 5 })
}

/// Takes pages of a line in hand and starts to send them; answers whether there may be more.
async fn start_due_pages(shared: &Arc<SenderState>, line: &Arc<Line>, now: Timestamp) -> db::Result<bool> {
    let of = Arc::clone(line);
    let neighbours = Arc::clone(&shared.neighbours);
    let PermittedPages { pages, more } = shared.db.read(move |conn| of.find(conn, &neighbours, now, TOGETHER)).await?;
    if pages.is_empty() {
        return Ok(more);
    }
    let neighbours = Arc::clone(&shared.neighbours);
    let owner = shared.owner.clone();
    let take = move |conn: &mut Conn| {
        let begun = Instant::now();
        Ok((claim::claim_pages(conn, &neighbours, &owner, now, pages)?, begun.elapsed()))
    };
    let (taken, took) = shared.db.write(take).await?;
    // Where another gateway claims those of all tenants, it is looked again a little later.
    let more = !taken.is_empty();
    for (tenant, of_tenant) in taken {
        match of_tenant {
            Ok(ClaimedPages { jobs, unreadable }) => {
                line.succeed(&tenant);
                line.leave_alone(&tenant, unreadable, now);
                jobs.into_iter().for_each(|job| start(shared, line, job));
            }
            Err(error) => line.fail(&tenant, &error, now),
        }
    }
    if shared.db.is_waited_for() {
        tokio::time::sleep((took * REST).min(LONGEST_REST)).await;
    }
    Ok(more)
}

/// Sends a page beside others.
fn start(shared: &Arc<SenderState>, line: &Arc<Line>, job: Job) {
    shared.in_hand.fetch_add(1, Ordering::Relaxed);
    let shared = Arc::clone(shared);
    let line = Arc::clone(line);
    tokio::spawn(async move {
        attempt(&shared, &line, job).await;
        shared.in_hand.fetch_sub(1, Ordering::Relaxed);
        shared.wake.notify_one();
    });
}

/// How long it is until something is due that is not, but no longer than [`IDLE`]: the clock may be set.
fn until(due_ms: i64, now: Timestamp) -> Option<Duration> {
    let wait = u64::try_from(due_ms - now.millis()).ok().filter(|wait| *wait > 0)?;
    Some(IDLE.min(Duration::from_millis(wait)))
}

async fn attempt(shared: &Arc<SenderState>, line: &Line, job: Job) {
    let Job { page, permit, ready, trace, carries } = job;
    let begun = shared.neighbours.now();
    let begun_at = Instant::now();
    let sent = match ready {
        Ok(ready) => match filled(ready).await {
            Ok(outgoing) => {
                let trace = trace.begin(&page.tenant_id, &page.id);
                let sent = traces::scope(trace.context(), shared.neighbours.sends.send(outgoing, begun)).await;
                trace.end(&sent);
                line.end(
                    &permit.endpoint,
                    sent.as_ref().err().is_none_or(|unsent| unsent.for_good || unsent.status.is_some()),
                );
                sent
            }
            Err(why) => Err(SendError { for_good: true, ..SendError::new(why) }),
        },
        Err(unsent) => Err(unsent),
    };
    drop(permit);
    let now = shared.neighbours.now();
    let attempt = Attempt {
        time: begun.to_string(),
        duration_ms: now.millis() - begun.millis(),
        status: match &sent {
            Ok(status) => Some(*status),
            Err(unsent) => unsent.status,
        },
        error: sent.as_ref().err().map(|unsent| unsent.why.clone()).unwrap_or_default(),
    };
    let ended = Arc::new(EndedPage { page, carries, sent, attempt, now });
    let mut pause = FIRST_PAUSE;
    while let Err(error) = shared.store(&ended).await {
        if begun_at.elapsed() + pause > WRITTEN_WITHIN || !matches!(error, db::Error::Unavailable(_)) {
            tracing::warn!(%error, "writing down what became of a page");
            break;
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// A page whose attempt has ended.
struct EndedPage {
    page: ClaimedPage,
    /// The pages that went out in it.
    carries: Vec<ClaimedPage>,
    sent: Result<u16, SendError>,
    attempt: Attempt,
    now: Timestamp,
}

impl SenderState {
    /// Stores what became of a page, and of those that went out in it: where that is the next step of each escalation,
    /// in parts.
    async fn store(&self, ended: &Arc<EndedPage>) -> db::Result<()> {
        let most = if ended.sent.is_ok() { ended.carries.len() } else { STORED_AT_ONCE };
        let mut from = 0_usize;
        loop {
            let to = from.saturating_add(most).min(ended.carries.len());
            let ended = Arc::clone(ended);
            let is_last = to == ended.carries.len();
            let owner = self.owner.clone();
            let escalations = self.escalations;
            let write = move |conn: &mut Conn| {
                let pages = ended.carries.get(from..to).unwrap_or_default();
                let in_lead = LeadPages { pages, lead: &ended.page, owner: &owner };
                write_down(conn, escalations, in_lead, &ended.sent, ended.attempt.clone(), ended.now)
            };
            self.db.write(write).await?;
            if is_last {
                return Ok(());
            }
            from = to;
        }
    }
}

/// Writes down what became of a page, and of those that went out in it.
fn write_down(
    conn: &mut Conn,
    escalations: Escalations,
    in_lead: LeadPages<'_>,
    sent: &Result<u16, SendError>,
    attempt: Attempt,
    now: Timestamp,
) -> db::Result<()> {
    let failing = sent.as_ref().err().map(|unsent| failing(in_lead, unsent)).unwrap_or_default();
    // First: where an escalation and its pages are changed, they are locked in this order.
    (escalations.lock)(conn, &failing)?;
    // Before the page is locked, as by who stops it: one that arrived nevertheless counts as told.
    if !in_lead.lead.alert_id.is_empty() {
        ports::told_changes(conn, &in_lead.lead.tenant_id, &[&in_lead.lead.alert_id])?;
    }
    // Another gateway may have it now, and writes down what becomes of it there.
    if let Some(row) = queue::in_hand(conn, in_lead.lead, in_lead.owner)? {
        queue::update(conn, &after(row, sent, attempt, now.millis()))?;
    }
    match sent {
        Ok(_) => in_lead.summarise(conn),
        Err(unsent) => release(conn, in_lead, unsent, now.millis()),
    }?;
    (escalations.after_failures)(conn, &failing, now)
}

/// Those of a lead and of what went out in it that are not tried again, and belong to a step of an escalation.
fn failing<'a>(in_lead: LeadPages<'a>, unsent: &SendError) -> Vec<&'a ClaimedPage> {
    let is_last = |page: &&ClaimedPage| retry::wait("page", page.attempts + 1, unsent).is_none();
    let carried = in_lead.pages.iter().filter(|_| !is_of_lead(unsent));
    std::iter::once(in_lead.lead).chain(carried).filter(is_last).filter(|page| !page.alert_id.is_empty()).collect()
}

/// Was the lead refused for good, and none of those that went out in it?
fn is_of_lead(unsent: &SendError) -> bool {
    unsent.for_good && !retry::refuses_all(unsent)
}

/// Says what becomes of pages that went out in one that did not arrive, whatever became of that one: it was an attempt
/// at each of them. So those that went to an address that is gone fail with it, and somebody else is told, without a
/// call for each. What refused that one message may take another.
fn release(conn: &mut Conn, in_lead: LeadPages<'_>, unsent: &SendError, now_ms: i64) -> db::Result<()> {
    let mut by_attempts: BTreeMap<i64, Vec<ClaimedPage>> = BTreeMap::new();
    in_lead.pages.iter().for_each(|page| by_attempts.entry(page.attempts).or_default().push(page.clone()));
    for (before, pages) in by_attempts {
        let these = LeadPages { pages: &pages, ..in_lead };
        if is_of_lead(unsent) {
            these.release(conn, before, before, Some(now_ms), "")?;
        } else {
            let wait = retry::wait("page", before + 1, unsent);
            these.release(conn, before, before + 1, wait.map(|wait| now_ms + wait), &unsent.why)?;
        }
    }
    Ok(())
}

/// What is sent, with the body that its template makes, when there is one. A template is somebody else's program: it
/// runs on a thread of its own, within its bounds.
async fn filled(ready: Ready) -> Result<Outgoing, String> {
    let Ready { outgoing, template } = ready;
    let Some((text, message)) = template else { return Ok(outgoing) };
    let body = tokio::task::spawn_blocking(move || template::render(&text, &message)).await;
    let body = body.map_err(|_| "the template of the contact method cannot be filled in".to_owned())?;
    let body = body.map_err(|error| format!("the template of the contact method: {error}"))?;
    Ok(Outgoing { body, ..outgoing })
}

/// The row of a page after an attempt.
fn after(mut row: Row, sent: &Result<u16, SendError>, attempt: Attempt, now_ms: i64) -> Row {
    row.log.push(attempt);
    let surplus = row.log.len().saturating_sub(LOGGED);
    row.log.drain(..surplus);
    let attempts = row.attempts + 1;
    // Somebody may have answered while it was on its way.
    let stopped = row.status != store::PENDING;
    let row = Row { attempts, owner: String::new(), due_ms: None, ..row };
    match sent {
        Ok(_) => Row { status: store::SENT.to_owned(), why: String::new(), sent_ms: Some(now_ms), ..row },
        Err(_) if stopped => row,
        Err(unsent) => match retry::wait(&row.kind, attempts, unsent) {
            Some(wait) => Row { due_ms: Some(now_ms + wait), why: unsent.why.clone(), ..row },
            None => Row { status: store::FAILED.to_owned(), why: unsent.why.clone(), ..row },
        },
    }
}

#[cfg(test)]
mod tests;
