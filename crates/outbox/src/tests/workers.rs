//! Events are handed to subscribers: once, in order, and past those that fail.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use base::timestamp::Timestamp;
use db::{Conn, Result};
use serde_json::{Value, json};

use super::{NOW, change, fixture};
use crate::{Change, Event, Subscriber, Worker, events};

/// Refuses the first event twice, with the others and by itself, and then takes all.
#[derive(Default)]
struct Reluctant {
    refusals: AtomicUsize,
    taken: Mutex<Vec<Event>>,
}

impl Subscriber for Reluctant {
    fn name(&self) -> &'static str {
        "reluctant"
    }

    fn take(&self, _: &mut Conn, event: &Event) -> Result<()> {
        if self.refusals.fetch_add(1, Ordering::Relaxed) < 2 {
            return Err(db::Error::Fault("not now".into()));
        }
        self.taken.lock().unwrap().push(event.clone());
        Ok(())
    }
}

#[test]
fn a_worker_hands_on_everything_once_and_in_order() {
    let fixture = fixture();
    for n in 0..20 {
        fixture.changed(change("a", Some(json!(n)), Some(json!(n + 1))));
    }
    let subscriber = Arc::new(Reluctant::default());
    // Time runs fast, so that the retry after the first refusal is soon due.
    let begun = Instant::now();
    let fast = 100;
    let clock = move || {
        let elapsed = i64::try_from(begun.elapsed().as_millis()).unwrap_or(0);
        Timestamp::from_millis(NOW.millis() + elapsed * fast)
    };
    let worker = Worker::start(fixture.db.clone(), vec![subscriber.clone()], clock).unwrap();
    let deadline = Instant::now() + Duration::from_secs(20);
    while subscriber.taken.lock().unwrap().len() < 20 && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(10));
    }
    drop(worker);
    let taken = subscriber.taken.lock().unwrap();
    let after: Vec<Value> = taken.iter().filter_map(|event| event.after.clone()).collect();
    assert_eq!(after, (1..=20).map(Value::from).collect::<Vec<_>>());
    assert!(fixture.claim("me", i64::MAX / 2).is_empty());
}

#[test]
fn an_event_is_taken_as_soon_as_it_is_committed() {
    let fixture = fixture();
    let subscriber = Arc::new(Picky::default());
    let worker = Worker::start(fixture.db.clone(), vec![subscriber.clone()], || NOW).unwrap();
    let mut waited = Duration::ZERO;
    for n in 0..20 {
        // Long enough to find nothing, and to wait for the next look.
        std::thread::sleep(Duration::from_millis(30));
        fixture.changed(change(&n.to_string(), None, Some(json!(1))));
        let begun = Instant::now();
        let deadline = Instant::now() + Duration::from_secs(20);
        while subscriber.0.lock().unwrap().len() <= n && Instant::now() < deadline {
            std::thread::sleep(Duration::from_micros(500));
        }
        waited += begun.elapsed();
    }
    drop(worker);
    assert_eq!(subscriber.0.lock().unwrap().len(), 20);
    // Who looks every quarter of a second takes twice as long.
    assert!(waited < Duration::from_millis(1_100), "{waited:?}");
}

/// Writes a row for each event, and fails to take several while `refuses` says so.
#[derive(Default)]
struct Writing {
    refuses: bool,
    together: AtomicUsize,
}

impl Writing {
    fn write(conn: &mut Conn, event: &Event) -> Result<()> {
        use diesel::connection::SimpleConnection as _;
        Ok(conn.batch_execute(&format!("INSERT INTO t VALUES ('{}')", event.entity_id))?)
    }
}

impl Subscriber for Writing {
    fn name(&self) -> &'static str {
        "writing"
    }

    fn take(&self, conn: &mut Conn, event: &Event) -> Result<()> {
        Self::write(conn, event)
    }

    fn take_all(&self, conn: &mut Conn, events: &[Event]) -> Result<()> {
        self.together.fetch_max(events.len(), Ordering::Relaxed);
        events.iter().try_for_each(|event| Self::write(conn, event))?;
        if self.refuses { Err(db::Error::Fault("not all at once".into())) } else { Ok(()) }
    }
}

#[test]
fn what_is_not_taken_together_is_undone_and_taken_one_by_one() {
    for refuses in [false, true] {
        let fixture = fixture();
        fixture
            .db
            .write_here(|conn| {
                use diesel::connection::SimpleConnection as _;
                Ok(conn.batch_execute("CREATE TABLE t (id TEXT NOT NULL PRIMARY KEY)")?)
            })
            .unwrap();
        fixture
            .tx(|tx| {
                (0..50).for_each(|n| tx.note_with(change(&n.to_string(), None, Some(json!(1))), Vec::new()));
                Ok(())
            })
            .unwrap();
        let subscriber = Arc::new(Writing { refuses, ..Writing::default() });
        // Behind one that takes each event by itself, and whose part is undone with the others'.
        let subscribers: Vec<Arc<dyn Subscriber>> = vec![Arc::new(Picky::default()), subscriber.clone()];
        let worker = Worker::start(fixture.db.clone(), subscribers, || NOW).unwrap();
        let deadline = Instant::now() + Duration::from_secs(20);
        let waiting = || fixture.db.read_here(events::oldest).unwrap().is_some();
        while waiting() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(10));
        }
        drop(worker);
        // A row that was written twice would have failed, and left its event.
        assert!(!waiting(), "refuses: {refuses}");
        assert_eq!(subscriber.together.load(Ordering::Relaxed), 50);
    }
}

/// Never takes what is about `broken`.
#[derive(Default)]
struct Picky(Mutex<Vec<String>>);

impl Subscriber for Picky {
    fn name(&self) -> &'static str {
        "picky"
    }

    fn take(&self, _: &mut Conn, event: &Event) -> Result<()> {
        if event.entity_id == "broken" {
            return Err(db::Error::Fault("never".into()));
        }
        self.0.lock().unwrap().push(event.entity_id.clone());
        Ok(())
    }

    fn take_all(&self, conn: &mut Conn, events: &[Event]) -> Result<()> {
        if events.iter().any(|event| event.entity_id == "broken") {
            return Err(db::Error::Fault("not with that one".into()));
        }
        events.iter().try_for_each(|event| self.take(conn, event))
    }
}

#[test]
fn a_broken_event_stops_no_other() {
    let fixture = fixture();
    for id in ["a", "broken", "b", "broken", "c"] {
        fixture.changed(change(id, None, Some(json!(1))));
    }
    let subscriber = Arc::new(Picky::default());
    let worker = Worker::start(fixture.db.clone(), vec![subscriber.clone()], || NOW).unwrap();
    let deadline = Instant::now() + Duration::from_secs(20);
    while subscriber.0.lock().unwrap().len() < 3 && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(10));
    }
    drop(worker);
    assert_eq!(*subscriber.0.lock().unwrap(), ["a", "b", "c"]);
    assert_eq!(fixture.claim("me", i64::MAX / 2), ["CREATE broken", "CREATE broken"], "in their order");
}

#[test]
fn what_somebody_had_claimed_who_has_ended_waits_for_no_lease() {
    let fixture = fixture();
    fixture.changed(change("a", None, Some(json!(1))));
    assert_eq!(fixture.claim("ended", NOW.millis()), ["CREATE a"]);
    let subscriber = Arc::new(Picky::default());
    // No time passes, so that no claim runs out.
    let _worker = Worker::start(fixture.db.clone(), vec![subscriber.clone()], || NOW).unwrap();
    let deadline = Instant::now() + Duration::from_secs(20);
    while subscriber.0.lock().unwrap().is_empty() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(*subscriber.0.lock().unwrap(), ["a"]);
}

/// Takes what it gets in the order of their tenants, slowly, and panics over one of them.
#[derive(Default)]
struct Slow(Mutex<Vec<String>>);

impl Subscriber for Slow {
    fn name(&self) -> &'static str {
        "slow"
    }

    fn take(&self, _: &mut Conn, event: &Event) -> Result<()> {
        assert_ne!(event.tenant_id, "panics");
        std::thread::sleep(Duration::from_micros(200));
        self.0.lock().unwrap().push(event.tenant_id.clone());
        Ok(())
    }
}

#[test]
fn tenants_are_handed_on_in_turn_and_none_waits_for_the_failure_of_another() {
    let fixture = fixture();
    let write = |tenant: &'static str, many: usize| {
        let written = fixture.tx(move |tx| {
            for number in 0..many {
                let change = change(&number.to_string(), None, Some(json!(1)));
                tx.note_with(Change { tenant_id: tenant.to_owned(), ..change }, Vec::new());
            }
            Ok(())
        });
        written.unwrap();
    };
    write("greedy", 3_000);
    write("panics", 1);
    write("quiet", 3);
    let subscriber = Arc::new(Slow::default());
    let worker = Worker::start(fixture.db.clone(), vec![subscriber.clone()], || NOW).unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while subscriber.0.lock().unwrap().len() < 3_003 && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(10));
    }
    drop(worker);
    let taken = subscriber.0.lock().unwrap();
    // What was undone with the event that panicked is taken again.
    assert!(taken.len() >= 3_003, "{}", taken.len());
    let last = taken.iter().rposition(|tenant| tenant == "quiet").unwrap();
    assert!(last < 500, "the last event of the quiet one is number {last}");
    assert_eq!(fixture.claim("me", i64::MAX / 2), ["CREATE 0"], "of the tenant that panics");
}
