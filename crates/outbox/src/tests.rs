//! The promises of the outbox, on SQLite.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use base::{problem::Problem, timestamp::Timestamp};
use db::{Condition, Conn, DatabaseUrl, Db, Options, Result};
use serde_json::{Value, json};

use crate::{
    Change, Event, Keep, RETENTION, Retention, Setting, Subscriber, Tx, Unpublished, Who, Worker, audit, events,
    idempotency, retention,
};

const NOW: Timestamp = Timestamp::from_millis(1_795_000_000_000);

struct Fixture {
    db: Db,
    _directory: tempfile::TempDir,
}

fn fixture() -> Fixture {
    let directory = tempfile::tempdir().unwrap();
    let db = Db::open(&DatabaseUrl::Sqlite(directory.path().join("t.sqlite")), Options::default()).unwrap();
    db.migrate(&[crate::migrations()]).unwrap();
    Fixture { db, _directory: directory }
}

fn who() -> Who {
    Who { user_id: "USR0000000001".into(), key_id: "key".into(), request_id: "r-1".into() }
}

fn change(id: &str, before: Option<Value>, after: Option<Value>) -> Change {
    Change { tenant_id: "client_1".into(), entity: "Resource", entity_id: id.into(), before, after, publish: true }
}

impl Fixture {
    fn tx<T: Send + 'static>(&self, f: impl FnOnce(&mut Tx<'_>) -> Result<T> + Send + 'static) -> Result<T> {
        self.db.write_here(move |conn| Tx::run(conn, &who(), NOW, f))
    }

    /// A write that notes one change.
    fn changed(&self, change: Change) {
        let done = self.tx(move |tx| {
            tx.note(change);
            Ok(())
        });
        done.unwrap();
    }

    fn claim(&self, owner: &'static str, now: i64) -> Vec<String> {
        let (now, until) = (Timestamp::from_millis(now), Timestamp::from_millis(now + 1000));
        let claimed = self.db.write_here(move |conn| events::claim(conn, owner, now, until, 100)).unwrap();
        claimed.into_iter().map(|event| format!("{} {}", event.action, event.entity_id)).collect()
    }

    fn log(&self) -> Vec<audit::Entry> {
        let all = Condition::sql("audit_log.tenant_id = 'client_1'");
        self.db.read_here(|conn| audit::page(conn, &all, false, &base::Walk::default())).unwrap().rows
    }
}

#[test]
fn several_changes_of_one_entity_are_one() {
    let fixture = fixture();
    fixture
        .tx(|tx| {
            tx.note(change("a", Some(json!({"n": 1})), Some(json!({"n": 2}))));
            tx.note(change("b", None, Some(json!({}))));
            tx.note(change("a", Some(json!({"n": 2})), Some(json!({"n": 3}))));
            tx.note(change("c", Some(json!({"n": 1})), Some(json!({"n": 1}))));
            tx.note(change("d", None, Some(json!({"n": 1}))));
            tx.note(change("d", Some(json!({"n": 1})), None));
            Ok(())
        })
        .unwrap();
    assert_eq!(fixture.claim("me", NOW.millis()), ["UPDATE a", "CREATE b"]);
    let log = fixture.log();
    assert_eq!(log.len(), 2);
    assert_eq!(log[0].changes, json!({"n": {"before": 1, "after": 3}}).to_string());
    assert_eq!((log[0].user_id.as_str(), log[0].request_id.as_str()), ("USR0000000001", "r-1"));
}

#[test]
fn what_subscribers_are_not_told_is_logged() {
    let fixture = fixture();
    fixture
        .tx(|tx| {
            let same = || change("a", Some(json!({"n": 1})), Some(json!({"n": 1})));
            let cpus = |from: Value, to: Value| Unpublished::field("cpus", Some(&from), Some(&to)).unwrap();
            tx.note_with(same(), vec![Unpublished::secret("password", true, true), cpus(json!([1]), json!([2]))]);
            tx.note_with(same(), vec![cpus(json!([2]), json!([3]))]);
            let back = |from: Value, to: Value| vec![cpus(from, to)];
            tx.note_with(change("b", Some(json!({})), Some(json!({}))), back(json!([1]), json!([2])));
            tx.note_with(change("b", Some(json!({})), Some(json!({}))), back(json!([2]), json!([1])));
            tx.note_with(change("c", None, Some(json!({}))), vec![Unpublished::secret("password", false, true)]);
            tx.note_with(change("c", Some(json!({})), None), vec![Unpublished::secret("password", true, false)]);
            Ok(())
        })
        .unwrap();
    assert!(fixture.claim("me", NOW.millis()).is_empty(), "nothing that subscribers are told of changed");
    let log = fixture.log();
    assert_eq!(log.len(), 1, "{log:?}");
    let expected = json!({
        "cpus": {"before": [1], "after": [3]}, "password": {"before": "[secret]", "after": "[secret]"}
    });
    assert_eq!((log[0].action.as_str(), &log[0].changes), ("UPDATE", &expected.to_string()));
}

#[test]
fn a_write_that_fails_leaves_nothing() {
    let fixture = fixture();
    let failed = fixture.tx(|tx| {
        tx.note(change("a", None, Some(json!({}))));
        Err::<(), _>(Problem::conflict("no").into())
    });
    assert!(failed.is_err());
    assert!(fixture.claim("me", NOW.millis()).is_empty());
    assert!(fixture.log().is_empty());
}

#[test]
fn each_entity_stays_in_order_and_a_claim_runs_out() {
    let fixture = fixture();
    for n in 0..2 {
        fixture.changed(change("a", Some(json!(n)), Some(json!(n + 1))));
    }
    fixture.changed(change("b", None, Some(json!(1))));
    let now = NOW.millis();
    let all = ["UPDATE a", "UPDATE a", "CREATE b"];
    assert_eq!(fixture.claim("one", now), all);
    fixture.changed(change("a", Some(json!(2)), Some(json!(3))));
    fixture.changed(change("c", None, Some(json!(1))));
    assert_eq!(fixture.claim("two", now + 500), ["CREATE c"], "claimed, and the third of a waits for those");
    assert_eq!(
        fixture.claim("two", now + 1000),
        all,
        "the claim ran out; the third of a is due before those, and waits"
    );
    fixture.db.write_here(move |conn| events::give_back_all(conn, Timestamp::from_millis(now))).unwrap();
    assert_eq!(fixture.claim("two", now), ["UPDATE a", "UPDATE a", "CREATE b", "UPDATE a", "CREATE c"]);
}

#[test]
fn a_late_owner_does_not_finish_what_another_has_claimed() {
    let fixture = fixture();
    fixture.changed(change("a", None, Some(json!(1))));
    let claim = |owner: &'static str, now: i64| {
        let (now, until) = (Timestamp::from_millis(now), Timestamp::from_millis(now + 1000));
        fixture.db.write_here(move |conn| events::claim(conn, owner, now, until, 1)).unwrap().remove(0)
    };
    let late = claim("late", NOW.millis());
    let other = claim("other", NOW.millis() + 2000);
    assert!(!fixture.db.write_here(move |conn| events::finish(conn, "late", &late)).unwrap());
    assert!(fixture.db.write_here(move |conn| events::finish(conn, "other", &other)).unwrap());
}

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
    let (begun, fast) = (Instant::now(), 100);
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
        let (begun, deadline) = (Instant::now(), Instant::now() + Duration::from_secs(20));
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
                (0..50).for_each(|n| tx.note(change(&n.to_string(), None, Some(json!(1)))));
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

#[test]
fn events_that_another_worker_has_by_now_are_not_finished() {
    let fixture = fixture();
    for id in ["a", "b"] {
        fixture.changed(change(id, None, Some(json!(1))));
    }
    let claim = |owner: &'static str, now: i64, most: i64| {
        let (now, until) = (Timestamp::from_millis(now), Timestamp::from_millis(now + 1000));
        fixture.db.write_here(move |conn| events::claim(conn, owner, now, until, most)).unwrap()
    };
    let late = claim("late", NOW.millis(), 2);
    let other = claim("other", NOW.millis() + 2000, 1);
    let finish = |owner: &'static str, events: Vec<events::Claimed>| {
        let finished = move |conn: &mut Conn| match events::finish_all(conn, owner, &events)? {
            true => Ok(()),
            false => Err(Problem::conflict("no").into()),
        };
        fixture.db.write_here(finished).is_ok()
    };
    assert_eq!((finish("late", late), finish("other", other)), (false, true));
    assert_eq!(claim("me", i64::MAX / 2, 2).len(), 1, "what was undone is there");
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

#[test]
fn an_answer_is_kept_for_its_request_alone_and_for_a_day() {
    let fixture = fixture();
    let request = |body: &[u8]| idempotency::Request {
        tenant_id: "client_1".into(),
        caller: "key".into(),
        key: "k-1".into(),
        fingerprint: idempotency::Request::fingerprint("POST", "/x", body),
    };
    let stored = idempotency::Stored { etag: Some(3), body: "{}".into() };
    let (first, answer) = (request(b"a"), stored.clone());
    fixture.db.write_here(move |conn| idempotency::insert(conn, &first, &answer, NOW)).unwrap();
    let find = |request: idempotency::Request, now: i64| {
        fixture.db.write_here(move |conn| idempotency::find(conn, &request, Timestamp::from_millis(now)))
    };
    assert_eq!(find(request(b"a"), NOW.millis() + 1).unwrap(), Some(stored));
    assert!(matches!(find(request(b"b"), NOW.millis() + 1), Err(db::Error::Problem(_))));
    assert_eq!(find(request(b"a"), NOW.millis() + idempotency::KEPT_MS + 1).unwrap(), None);
}

#[test]
fn what_was_begun_is_not_begun_again() {
    let fixture = fixture();
    let request = idempotency::Request {
        tenant_id: "client_1".into(),
        caller: "key".into(),
        key: "k-1".into(),
        fingerprint: idempotency::Request::fingerprint("POST", "/x", b"a"),
    };
    let other = idempotency::Request { fingerprint: "other".into(), ..request.clone() };
    let begin = |request: &idempotency::Request| {
        let request = request.clone();
        fixture.db.write_here(move |conn| idempotency::begin(conn, &request, NOW))
    };
    let refused = |request: &idempotency::Request| match begin(request) {
        Err(db::Error::Problem(problem)) => problem.kind.status(),
        other => panic!("{other:?}"),
    };
    assert_eq!(begin(&request).unwrap(), None);
    assert_eq!((refused(&request), refused(&other)), (409, 422));
    let abandoned = request.clone();
    fixture.db.write_here(move |conn| idempotency::abandon(conn, &abandoned)).unwrap();
    assert_eq!(begin(&request).unwrap(), None, "it did nothing");
    let (answer, finished) = (idempotency::Stored { etag: None, body: "{}".into() }, request.clone());
    let stored = answer.clone();
    fixture.db.write_here(move |conn| idempotency::finish(conn, &finished, &stored)).unwrap();
    let late = request.clone();
    fixture.db.write_here(move |conn| idempotency::abandon(conn, &late)).unwrap();
    assert_eq!(begin(&request).unwrap(), Some(answer), "an answer stays");
}

/// Whole seconds since the start of 1970, as the tests of ageing count them.
fn second(seconds: i64) -> Timestamp {
    Timestamp::from_millis(seconds * 1000)
}

/// Answers to repeated requests, of tenants, each made in a second.
fn answers(db: &Db, made: &[(&'static str, i64)]) {
    let made = made.to_vec();
    let write = move |conn: &mut Conn| {
        made.iter().enumerate().try_for_each(|(number, (tenant, at))| {
            let request = idempotency::Request {
                tenant_id: (*tenant).to_owned(),
                caller: "key".to_owned(),
                key: format!("a b {number}"),
                fingerprint: String::new(),
            };
            let stored = idempotency::Stored { etag: None, body: String::new() };
            idempotency::insert(conn, &request, &stored, second(*at))
        })
    };
    db.write_here(write).unwrap();
}

/// How many answers a tenant has.
fn count(db: &Db, tenant: &str) -> i64 {
    use diesel::prelude::*;

    use crate::schema::idempotency::dsl;
    db.read_here(|conn| Ok(dsl::idempotency.filter(dsl::tenant_id.eq(tenant)).count().get_result(conn)?)).unwrap()
}

#[test]
fn what_is_over_its_age_goes_at_any_backlog() {
    let fixture = fixture();
    let old = vec![("client_1", 10); 5_000];
    answers(&fixture.db, &old);
    answers_later(&fixture.db);
    let short = Retention { keep: Keep::Millis(20_000), ..RETENTION[1] };
    let kept = retention::sweep(&fixture.db, &[short], |_| 0, second(30)).unwrap();
    assert_eq!((count(&fixture.db, "client_1"), count(&fixture.db, "client_2")), (5_000, 1), "not over it");
    assert_eq!((kept[0].oldest(), kept[0].removed()), (Some(second(10)), [("age", 0), ("number", 0)]));
    let kept = retention::sweep(&fixture.db, &[short], |_| 0, second(31)).unwrap();
    assert_eq!((count(&fixture.db, "client_1"), count(&fixture.db, "client_2")), (0, 1));
    assert_eq!(kept[0].removed(), [("age", 5_000), ("number", 0)]);
    assert_eq!(retention::sweep(&fixture.db, &[short], |_| 0, second(31)).unwrap()[0].oldest(), Some(second(12)));
}

fn answers_later(db: &Db) {
    db.write_here(|conn| {
        let request = idempotency::Request {
            tenant_id: "client_2".to_owned(),
            caller: "key".to_owned(),
            key: "k".to_owned(),
            fingerprint: String::new(),
        };
        idempotency::insert(conn, &request, &idempotency::Stored { etag: None, body: String::new() }, second(12))
    })
    .unwrap();
}

#[test]
fn of_more_than_a_tenant_may_have_the_oldest_go() {
    let fixture = fixture();
    let made: Vec<_> = (1..=100).map(|at| (if at % 10 == 0 { "client_2" } else { "client_1" }, at)).collect();
    answers(&fixture.db, &made);
    let for_ever = Keep::Setting(Setting { option: "o", variable: "O", days: 1, help: "" });
    let few = Retention { keep: for_ever, most: Some(20), ..RETENTION[1] };
    let kept = retention::sweep(&fixture.db, &[few], |_| 0, second(1_000_000)).unwrap();
    assert_eq!((count(&fixture.db, "client_1"), count(&fixture.db, "client_2")), (20, 10));
    assert_eq!(kept[0].removed(), [("age", 0), ("number", 70)]);
    let kept = retention::sweep(&fixture.db, &[few], |_| 0, second(1_000_000)).unwrap();
    assert_eq!((kept[0].oldest(), kept[0].removed()[1].1), (Some(second(10)), 0));
}

#[test]
fn a_step_is_as_short_as_its_rows_are_slow() {
    static LONGEST: AtomicUsize = AtomicUsize::new(0);
    static LAST: AtomicUsize = AtomicUsize::new(0);
    let fixture = fixture();
    answers(&fixture.db, &[("client_1", 10); 400]);
    let slow = Retention {
        keep: Keep::Millis(1),
        remove: |conn, tenant, ids, most| {
            // A row takes half a millisecond.
            std::thread::sleep(Duration::from_micros(500) * u32::try_from(ids.len()).unwrap());
            LONGEST.fetch_max(ids.len(), Ordering::Relaxed);
            LAST.store(most, Ordering::Relaxed);
            (RETENTION[1].remove)(conn, tenant, ids, most)
        },
        ..RETENTION[1]
    };
    retention::sweep(&fixture.db, &[slow], |_| 0, second(1_000)).unwrap();
    assert_eq!(count(&fixture.db, "client_1"), 0);
    assert!(LONGEST.load(Ordering::Relaxed) <= 32, "16 ms, and only at first");
    assert!((4..=16).contains(&LAST.load(Ordering::Relaxed)));
}

#[test]
fn an_event_that_nobody_takes_is_given_up_in_the_end() {
    let fixture = fixture();
    fixture.changed(change("a", None, Some(json!({}))));
    let sweep = |days: i64| {
        let now = Timestamp::from_millis(NOW.millis() + days * 86_400_000);
        retention::sweep(&fixture.db, &RETENTION, |setting| setting.days, now).unwrap()[2].removed()[0].1
    };
    assert_eq!(sweep(31), 0, "it was not tried yet");
    assert_eq!(fixture.claim("me", NOW.millis()), ["CREATE a"]);
    assert_eq!((sweep(30), sweep(31)), (0, 1));
    assert_eq!(fixture.log().len(), 1, "the log goes back for ever");
}
