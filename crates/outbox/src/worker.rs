//! The worker that hands events on.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use base::{timestamp::Timestamp, turns::Turns};
use db::{Backend, Conn, Db, Result};

use crate::{
    Background, Event,
    events::{self, Claimed},
};

/// Someone who is told what happens. Told at least once: after a crash perhaps again, with the same event id.
pub trait Subscriber: Send + Sync {
    /// A name for the log.
    fn name(&self) -> &'static str;

    /// Takes an event over, inside the transaction that removes it from the outbox: what this writes and the removal
    /// commit together. An error leaves the event and tries again later.
    fn take(&self, conn: &mut Conn, event: &Event) -> Result<()>;

    /// Takes over events that came one after the other, in this order: for who can ask once what they have in common,
    /// and store together what comes of them. An error leaves all of them; they are handed on one by one then.
    fn take_all(&self, conn: &mut Conn, events: &[Event]) -> Result<()> {
        events.iter().try_for_each(|event| self.take(conn, event))
    }
}

/// How long a claim lasts; a worker that takes longer may see its events handed on by another as well. On SQLite, where
/// one worker has the file, nothing is claimed.
const LEASE_MS: i64 = 30_000;
/// How many events are taken up at once, of all tenants that have some as many of each, and handed on in one
/// transaction: on SQLite it keeps other writers waiting.
const BATCH: usize = 200;
/// How long it may take to hand on all that was taken up at once: a tenant whose event comes meanwhile waits for so
/// long. Where it took longer, fewer are taken up the next time, but no fewer than this.
const ROUND: Duration = Duration::from_millis(150);
const FEWEST: usize = 8;
/// How long such a transaction goes on to the next tenant on SQLite.
const TIME: Duration = Duration::from_millis(20);
/// So many events of a tenant are long: those with fewer are committed before.
const LONG: usize = 50;
/// How long a worker rests after such a transaction while others wait for the writer, as a multiple of what it took:
/// those who report keep two thirds of it, and what they report is handed on a little later. And how long it rests at
/// most.
const REST: u32 = 2;
const LONGEST_REST: Duration = Duration::from_millis(250);
/// How long an idle worker waits before it looks again by itself: for events of other processes, and for those that are
/// to be tried once more. It is woken when this process commits one.
const IDLE: Duration = Duration::from_millis(250);
/// How long a worker that took all events waits, even when it is woken: on SQLite each look is a commit that other
/// writers wait for, and many events at once cost it as much as one. So it is a millisecond for each event that there
/// was, up to [`PACE`]: one alone is taken at once, and of a flood many together.
const PACE: Duration = Duration::from_millis(50);
/// The first and the longest wait after a failure.
const FIRST_RETRY_MS: i64 = 1_000;
const LAST_RETRY_MS: i64 = 300_000;

/// A running worker; stops when dropped.
pub struct Worker {
    _listener: Option<db::Listener>,
    _background: Background,
}

impl Worker {
    /// Starts a worker. `clock` tells the time, so that tests can.
    pub fn start(
        db: Db,
        subscribers: Vec<Arc<dyn Subscriber>>,
        clock: impl Fn() -> Timestamp + Send + 'static,
    ) -> std::io::Result<Self> {
        let lag = db.add_lag("outbox_lag_seconds", "Age of the oldest event that was not handed on");
        // One service has a SQLite file: nobody has to be kept from what it takes up, and what is claimed there was
        // claimed by an older version that has ended.
        let mut leftover = db.backend() == Backend::Sqlite;
        let owner = if leftover { String::new() } else { uuid::Uuid::new_v4().to_string() };
        db.watch_due("outbox", events::ROWS);
        let mut desk = EventDispatcher { db, owner, subscribers, turns: Turns::default(), most: BATCH };
        let background = Background::start("outbox", move || {
            let now = clock();
            if leftover {
                match desk.db.write_here(move |conn| events::give_back_all(conn, now)) {
                    Ok(()) => leftover = false,
                    Err(error) => tracing::warn!(%error, "giving back events of the time before"),
                }
            }
            let taken = desk.hand_on(now).unwrap_or_else(|error| {
                tracing::warn!(%error, "handing on events");
                0
            });
            if taken > 0 {
                if taken < desk.most {
                    std::thread::sleep(PACE.min(Duration::from_millis(taken as u64)));
                }
                return Duration::ZERO;
            }
            let oldest = desk.db.read_here(events::oldest).ok().flatten();
            lag.store(oldest.map_or(0, |at| (now.millis() - at.millis()).max(0)), Ordering::Relaxed);
            IDLE
        })?;
        Ok(Self { _listener: background.listen(&events::BELL), _background: background })
    }
}

/// What events are handed on with.
struct EventDispatcher {
    db: Db,
    owner: String,
    subscribers: Vec<Arc<dyn Subscriber>>,
    turns: Turns,
    /// How many events are taken up at once, up to [`BATCH`].
    most: usize,
}

/// Events of one tenant that are handed on together.
struct TenantEvents {
    tenant: String,
    claimed: Vec<Claimed>,
    /// What subscribers get of them.
    events: Vec<Event>,
}

impl TenantEvents {
    /// Records that they were handed on, so long after an instant.
    fn record_spans(&self, now: Timestamp, after: Duration) {
        let to = Timestamp::from_millis(now.millis() + i64::try_from(after.as_millis()).unwrap_or(0));
        self.claimed.iter().zip(&self.events).for_each(|(claimed, event)| claimed.record_span(event, now, to));
    }
}

impl EventDispatcher {
    /// Hands on what is due, a batch at most; says how many events that were.
    fn hand_on(&mut self, now: Timestamp) -> Result<usize> {
        let until = Timestamp::from_millis(now.millis() + LEASE_MS);
        let (count, mut groups) = self.take_up(now, until)?;
        let mut resting = Duration::ZERO;
        let begun = Instant::now();
        while !groups.is_empty() {
            let (done, took) = match self.hand_on_together(groups.clone(), now) {
                Ok(done) => done,
                // One of them breaks the transaction of all: each has its own.
                Err(error) => {
                    tracing::debug!(%error, "events of tenants that were not handed on together");
                    groups.retain(|group| self.hand_on_alone(group, now, until));
                    (groups.len(), Duration::ZERO)
                }
            };
            for group in groups.drain(..done.min(groups.len())) {
                group.record_spans(now, begun.elapsed());
            }
            if self.db.is_waited_for() {
                let rest = (took * REST).min(LONGEST_REST);
                std::thread::sleep(rest);
                resting += rest;
            }
        }
        self.pace(count, begun.elapsed().saturating_sub(resting));
        Ok(count)
    }

    /// Takes up fewer the next time when handing on so many took too long, and more again when it was quick.
    fn pace(&mut self, count: usize, took: Duration) {
        if took > ROUND {
            self.most = (count / 2).max(FEWEST);
        } else if took < ROUND / 2 {
            self.most = (self.most * 2).min(BATCH);
        }
    }

    /// Takes up what is due: as much of each tenant, and more of those that have more while there is room; the tenants
    /// with the fewest first. Answers how many events that are. An idle database is only read: a claim would be a
    /// commit four times a second.
    fn take_up(&mut self, now: Timestamp, until: Timestamp) -> Result<(usize, Vec<Arc<TenantEvents>>)> {
        let tenants = self.db.read_here(|conn| events::ROWS.tenants(conn, now.millis()))?;
        let mut tenants = self.turns.order(tenants, now.millis());
        tenants.truncate(self.most);
        if tenants.is_empty() {
            return Ok((0, Vec::new()));
        }
        tenants.iter().for_each(|tenant| self.turns.succeed(tenant));
        let share = self.most / tenants.len();
        let is_alone = tenants.len() == 1;
        let mut groups: BTreeMap<String, Vec<Claimed>> = BTreeMap::new();
        let add = |groups: &mut BTreeMap<String, Vec<Claimed>>, tenants, most| -> Result<usize> {
            for event in self.take_share(tenants, most, now, until)? {
                groups.entry(event.tenant_id.clone()).or_default().push(event);
            }
            Ok(groups.values().map(Vec::len).sum())
        };
        let mut count = add(&mut groups, tenants, share)?;
        let long = groups.iter().filter(|(_, claimed)| claimed.len() == share).map(|(tenant, _)| tenant.clone());
        let long: Vec<String> = long.collect();
        let more = self.most.saturating_sub(count).checked_div(long.len()).unwrap_or(0);
        if more > 0 && !is_alone {
            // What is not claimed is there again.
            let known = if self.owner.is_empty() { share } else { 0 };
            groups.retain(|tenant, _| known == 0 || !long.contains(tenant));
            count = add(&mut groups, long, known + more)?;
        }
        let groups = groups.into_iter().map(|(tenant, claimed)| {
            let events = claimed.iter().map(Claimed::event).collect();
            Arc::new(TenantEvents { tenant, claimed, events })
        });
        let mut groups: Vec<_> = groups.collect();
        groups.sort_by_key(|group| group.claimed.len());
        Ok((count, groups))
    }

    /// Up to `most` events of each of these tenants.
    fn take_share(&self, tenants: Vec<String>, most: usize, now: Timestamp, until: Timestamp) -> Result<Vec<Claimed>> {
        let owner = self.owner.clone();
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        match self.db.backend() {
            Backend::Sqlite => self.db.read_here(|conn| events::due(conn, now, &tenants, most)),
            Backend::Postgres => {
                self.db.write_here(move |conn| events::claim(conn, &owner, (now, until), &tenants, most))
            }
        }
    }

    /// Hands on events in one transaction, tenant after tenant; answers of how many tenants, and how long that took of
    /// the transaction. On Postgres it is one tenant: what subscribers lock of a tenant, two gateways would lock in
    /// different orders.
    fn hand_on_together(&self, groups: Vec<Arc<TenantEvents>>, now: Timestamp) -> Result<(usize, Duration)> {
        let owner = self.owner.clone();
        let subscribers = self.subscribers.clone();
        self.db.write_here(move |conn| {
            let begun = Instant::now();
            // The shortest come first.
            let short = groups.iter().take_while(|group| group.claimed.len() < LONG).count();
            let most = match Backend::of(conn) {
                Backend::Postgres => 1,
                Backend::Sqlite if short > 0 => short,
                Backend::Sqlite => groups.len(),
            };
            let mut done = 0;
            for group in groups.iter().take(most) {
                take(conn, &owner, &subscribers, group, now)?;
                done += 1;
                if begun.elapsed() > TIME {
                    break;
                }
            }
            Ok((done, begun.elapsed()))
        })
    }

    /// Hands on the events of a tenant in a transaction of their own. When that fails they wait, and with them the
    /// tenant; where that cannot be written either, they are due as before.
    fn hand_on_alone(&mut self, group: &Arc<TenantEvents>, now: Timestamp, until: Timestamp) -> bool {
        let owner = self.owner.clone();
        let subscribers = self.subscribers.clone();
        let these = Arc::clone(group);
        let done = self.db.write_here(move |conn| take(conn, &owner, &subscribers, &these, now));
        let Err(error) = done else { return true };
        let pause_ms = self.turns.fail(&group.tenant, now.millis());
        tracing::warn!(%error, tenant = group.tenant, pause_ms, "handing on the events of a tenant");
        let owner = self.owner.clone();
        let these = Arc::clone(group);
        let put_back = move |conn: &mut Conn| {
            these.claimed.iter().try_for_each(|event| events::put_back(conn, &owner, event, until))
        };
        if let Err(error) = self.db.write_here(put_back) {
            tracing::warn!(%error, "putting back events");
        }
        false
    }
}

/// Hands on the events of a tenant in a part of the transaction: all together, or else each by itself.
fn take(
    conn: &mut Conn,
    owner: &str,
    subscribers: &[Arc<dyn Subscriber>],
    group: &TenantEvents,
    now: Timestamp,
) -> Result<()> {
    let together = db::savepoint(conn, |conn| {
        if !events::finish_all(conn, owner, &group.tenant, &group.claimed)? {
            return Err(db::Error::Fault("another worker has some of them now".to_owned()));
        }
        subscribers.iter().try_for_each(|subscriber| subscriber.take_all(conn, &group.events))
    });
    match together {
        Ok(()) => Ok(()),
        Err(error) => {
            tracing::debug!(%error, "events that were not taken together");
            take_each(conn, owner, subscribers, group, now)
        }
    }
}

/// Hands on events, each in a part of its own: one that is not taken waits, with those of its entity that come after
/// it, and stops no other.
fn take_each(
    conn: &mut Conn,
    owner: &str,
    subscribers: &[Arc<dyn Subscriber>],
    TenantEvents { claimed, events: read, .. }: &TenantEvents,
    now: Timestamp,
) -> Result<()> {
    let mut waiting: HashMap<_, Timestamp> = HashMap::new();
    for (this, event) in claimed.iter().zip(read) {
        if let Some(due) = waiting.get(&this.subject()) {
            events::put_back(conn, owner, this, *due)?;
            continue;
        }
        let taken = db::savepoint(conn, |conn| {
            if !events::finish(conn, owner, this)? {
                return Ok(());
            }
            subscribers.iter().try_for_each(|subscriber| subscriber.take(conn, event))
        });
        if let Err(error) = taken {
            tracing::warn!(%error, event = this.id, attempts = this.attempts, "an event was not taken");
            let wait = FIRST_RETRY_MS.saturating_mul(1 << this.attempts.clamp(0, 16)).min(LAST_RETRY_MS);
            let due = Timestamp::from_millis(now.millis() + wait);
            events::put_back(conn, owner, this, due)?;
            waiting.insert(this.subject(), due);
        }
    }
    Ok(())
}
