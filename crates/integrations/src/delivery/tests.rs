//! Claims and their ends, on SQLite.

use base::timestamp::Timestamp;
use db::{Conn, DatabaseUrl, Db, Json, Options, Result};
use diesel::prelude::*;
use serde_json::json;

use super::{
    queue::{self, ClaimOutcome, Claimed, FinishedClaim, Lane},
    row::{Message, NEVER},
    store::{self, NewDelivery},
};
use crate::{
    event::{row::Row as Event, store as events},
    installed::{row::Row as Integration, store as installed},
};

const NOW: Timestamp = Timestamp::from_millis(1_795_000_000_000);
const EVENT: &str = "INTG-EVENT-1";

struct Fixture {
    db: Db,
    _directory: tempfile::TempDir,
}

fn after(millis: i64) -> Timestamp {
    Timestamp::from_millis(NOW.millis() + millis)
}

fn lane() -> Lane {
    ("client_1".to_owned(), EVENT.to_owned())
}

fn fixture(deliveries: usize) -> Fixture {
    let directory = tempfile::tempdir().unwrap();
    let db = Db::open(&DatabaseUrl::Sqlite(directory.path().join("t.sqlite")), Options::default()).unwrap();
    db.migrate(&[outbox::migrations(), crate::MIGRATIONS]).unwrap();
    let fixture = Fixture { db, _directory: directory };
    fixture.write(move |conn| {
        installed::insert(
            conn,
            &Integration {
                tenant_id: "client_1".into(),
                id: "INTG-1".into(),
                version: 1,
                kind: "CUSTOM".into(),
                name: "n".into(),
                name_key: "n".into(),
                description: String::new(),
                enabled: true,
                notifier: None,
                secrets: String::new(),
                signing: String::new(),
                created_by: String::new(),
                created_ms: 0,
                updated_ms: None,
                inbound: None,
                gone: false,
            },
        )?;
        events::insert(
            conn,
            &Event {
                tenant_id: "client_1".into(),
                id: EVENT.into(),
                integration_id: "INTG-1".into(),
                version: 1,
                active: true,
                inactive_because: String::new(),
                config: Json::default(),
                secrets: String::new(),
                created_ms: 0,
                updated_ms: None,
                gone: false,
            },
        )?;
        let message = Message { method: "POST".into(), target: String::new(), headers: Vec::new(), body: "b".into() };
        let new: Vec<NewDelivery> = (0..deliveries)
            .map(|number| NewDelivery {
                tenant: "client_1".into(),
                id: format!("DLV-{number}"),
                event_id: EVENT.into(),
                message: message.clone(),
                refused: None,
                about: json!({}),
            })
            .collect();
        store::insert(conn, &new, NOW)?;
        store::make_due(conn, &[(lane(), NOW.millis())].into())
    });
    fixture
}

impl Fixture {
    fn write<T: Send + 'static>(&self, f: impl FnOnce(&mut Conn) -> Result<T> + Send + 'static) -> T {
        self.db.write_here(f).unwrap()
    }

    fn claim(&self, owner: &'static str, now: Timestamp, most: i64) -> Vec<Claimed> {
        self.write(move |conn| {
            let until = Timestamp::from_millis(now.millis() + 1_000);
            let claimed = queue::claim(conn, owner, &lane(), now, until, most)?;
            queue::settle(conn, &lane(), 0, now)?;
            Ok(claimed)
        })
    }

    fn finish(
        &self,
        owner: &'static str,
        claimed: &Claimed,
        status: &'static str,
        due: i64,
        at: Timestamp,
    ) -> queue::FinishSummary {
        let end = ClaimOutcome::Attempted { status, due_ms: due, at, response: None, log: "[]".to_owned() };
        let done = FinishedClaim { claimed: claimed.clone(), end };
        self.write(move |conn| queue::finish(conn, owner, &[done], at))
    }

    fn batch(&self, statements: &str) {
        use diesel::connection::SimpleConnection as _;
        let statements = statements.to_owned();
        self.write(move |conn| Ok(conn.batch_execute(&statements)?));
    }

    /// Switches the event on or off.
    fn switch(&self, active: bool) {
        self.batch(&format!("UPDATE integration_events SET active = {active}"));
    }

    /// Deletes the event.
    fn delete(&self, event: &'static str) {
        self.write(move |conn| {
            let row = events::by_id(conn, "client_1", event)?.unwrap();
            events::delete(conn, &[row], after(1))
        });
    }

    /// Removes some of what it has left when it is gone.
    fn clear(&self, event: &'static str) {
        self.write(move |conn| events::clear_gone(conn, "client_1", &[event.to_owned()].into(), after(2)));
    }

    /// How many deliveries are stored.
    fn left(&self) -> i64 {
        let all = |conn: &mut Conn| Ok(crate::schema::integration_deliveries::table.count().get_result::<i64>(conn)?);
        self.db.read_here(all).unwrap()
    }

    /// When each delivery is due, after the beginning.
    fn due_times(&self) -> Vec<i64> {
        use crate::schema::integration_deliveries::dsl;
        let all = |conn: &mut Conn| Ok(dsl::integration_deliveries.select(dsl::due_ms).order(dsl::id).load(conn)?);
        let times: Vec<i64> = self.db.read_here(all).unwrap();
        times.into_iter().map(|due_ms| due_ms - NOW.millis()).collect()
    }

    fn is_due(&self, now: Timestamp) -> bool {
        !self.db.read_here(|conn| queue::due(conn, "client_1", now, None, 10)).unwrap().is_empty()
    }
}

#[test]
fn nothing_is_claimed_twice_until_a_claim_runs_out() {
    let fixture = fixture(3);
    assert!(fixture.is_due(NOW));
    let first = fixture.claim("one", NOW, 2);
    let second = fixture.claim("two", NOW, 2);
    let ids = |claimed: &[Claimed]| claimed.iter().map(|one| one.id.clone()).collect::<Vec<_>>();
    assert_eq!((ids(&first), ids(&second)), (vec!["DLV-0".into(), "DLV-1".into()], vec!["DLV-2".to_owned()]));
    assert!(!fixture.is_due(after(999)), "the queue sleeps until the first claim runs out");
    assert!(fixture.is_due(after(1_000)));
    let again = fixture.claim("two", after(1_000), 10);
    assert_eq!(again.len(), 3);
    let late = fixture.finish("one", &first[0], "delivered", 0, after(1_001));
    assert_eq!(late.refused, 1, "another has it now");
    assert_eq!(
        fixture.finish("two", &second[0], "delivered", 0, after(1_001)).refused,
        1,
        "that claim ran out as well"
    );
    assert_eq!(fixture.finish("two", &again[0], "delivered", 0, after(1_001)).refused, 0);
    assert_eq!(fixture.finish("two", &again[0], "delivered", 0, after(1_001)).refused, 1, "a claim ends once");
}

#[test]
fn a_failed_attempt_is_due_again_and_its_queue_with_it() {
    let fixture = fixture(1);
    let claimed = fixture.claim("one", NOW, 10);
    let finished = fixture.finish("one", &claimed[0], "pending", after(50).millis(), after(10));
    assert_eq!(finished.failing.get(&lane()), Some(&after(10).millis()));
    assert!(!fixture.is_due(after(49)) && fixture.is_due(after(50)));
    let again = fixture.claim("one", after(50), 10);
    assert_eq!((again[0].attempts, again[0].tries), (1, 1));
    let finished = fixture.finish("one", &again[0], "pending", after(100).millis(), after(60));
    assert_eq!(finished.failing.get(&lane()), Some(&after(10).millis()), "since the first failure");
    let again = fixture.claim("one", after(100), 10);
    assert!(fixture.finish("one", &again[0], "delivered", 0, after(110)).failing.is_empty());
    // The next look finds the queue empty.
    assert!(fixture.claim("one", after(5_000), 10).is_empty());
    assert!(!fixture.is_due(Timestamp::from_millis(NEVER - 1)));
    // A success ends the failing.
    fixture.write(|conn| store::resend(conn, "client_1", EVENT, &["DLV-0".to_owned()], after(6_000)));
    let again = fixture.claim("one", after(6_000), 10);
    assert_eq!((again[0].attempts, again[0].tries), (3, 0), "sent again, the waits begin anew");
    let finished = fixture.finish("one", &again[0], "failed", 0, after(6_010));
    assert_eq!(finished.failing.get(&lane()), Some(&after(6_010).millis()));
}

#[test]
fn a_change_lets_the_days_without_a_success_begin_anew() {
    let fixture = fixture(3);
    let claimed = fixture.claim("one", NOW, 3);
    let fail = |number: usize, at| {
        let finished = fixture.finish("one", &claimed[number], "failed", 0, at);
        finished.failing.get(&lane()).map(|since| since - NOW.millis())
    };
    assert_eq!(fail(0, after(10)), Some(10));
    fixture.write(|conn| queue::clear_all_failures(conn, "client_1", "INTG-2"));
    assert_eq!(fail(1, after(20)), Some(10), "that was another integration");
    fixture.write(|conn| queue::clear_all_failures(conn, "client_1", "INTG-1"));
    assert_eq!(fail(2, after(30)), Some(30));
}

#[test]
fn what_is_held_waits_to_be_released() {
    let fixture = fixture(3);
    let last = fixture.claim("one", NOW, 3).remove(2);
    fixture.finish("one", &last, "pending", after(3_600_000).millis(), NOW);
    fixture.switch(false);
    fixture.write(|conn| queue::hold(conn, &lane()));
    assert!(!fixture.is_due(Timestamp::from_millis(NEVER - 1)));
    assert_eq!(fixture.due_times(), [1_000, 1_000, 3_600_000], "its deliveries are not touched");
    fixture.write(|conn| store::bring_forward(conn, "client_1", store::DeliveriesOf::Event(EVENT), after(10)));
    assert_eq!(fixture.due_times(), [1_000, 1_000, 10], "what is claimed waits for its end");
    fixture.switch(true);
    fixture.write(|conn| store::release(conn, "client_1", EVENT, after(10)));
    assert!(fixture.is_due(after(10)));
    assert_eq!(fixture.claim("one", after(1_000), 10).len(), 3);
}

#[test]
fn what_is_switched_on_again_is_not_held() {
    let fixture = fixture(1);
    fixture.write(|conn| queue::hold(conn, &lane()));
    assert!(fixture.is_due(NOW), "it was found switched off before");
    for is_off in ["UPDATE integration_events SET active = FALSE", "UPDATE integrations SET enabled = FALSE"] {
        fixture.switch(true);
        fixture.batch(is_off);
        fixture.write(|conn| queue::hold(conn, &lane()));
        assert!(!fixture.is_due(NOW), "{is_off}");
        fixture.batch("UPDATE integrations SET enabled = TRUE; UPDATE integration_events SET active = TRUE");
        fixture.write(|conn| store::release_all(conn, "client_1", "INTG-1", after(1)));
        assert!(fixture.is_due(after(1)) && !fixture.is_due(NOW));
    }
    let end = fixture.claim("one", after(1), 1).remove(0);
    fixture.finish("one", &end, "delivered", 0, after(2));
    fixture.claim("one", after(2_000), 1);
    fixture.write(|conn| store::release_all(conn, "client_1", "INTG-1", after(3_000)));
    assert!(!fixture.is_due(after(4_000)), "nothing waits in it");
}

#[test]
fn what_an_older_version_put_aside_goes_on() {
    let fixture = fixture(1);
    fixture.batch(&format!("UPDATE integration_deliveries SET due_ms = {NEVER}"));
    assert!(fixture.claim("one", after(10), 1).is_empty());
    assert!(fixture.is_due(after(10)));
    assert_eq!(fixture.claim("one", after(10), 1).len(), 1);
}

#[test]
fn ended_deliveries_are_forgotten_after_their_time() {
    let fixture = fixture(3);
    let claimed = fixture.claim("one", NOW, 2);
    fixture.finish("one", &claimed[0], "delivered", 0, NOW);
    let sweep = |now| {
        let kept = outbox::retention::sweep(&fixture.db, &[queue::RETENTION], |setting| setting.days, now).unwrap();
        kept[0].removed()[0].1
    };
    assert_eq!(sweep(after(30 * 86_400_000)), 0, "not yet");
    assert_eq!(sweep(after(30 * 86_400_000 + 1)), 1, "what is pending stays");
    assert!(fixture.db.read_here(|conn| store::message(conn, "client_1", "DLV-0")).is_err());
    assert!(fixture.db.read_here(|conn| store::message(conn, "client_1", "DLV-1")).is_ok());
}

#[test]
fn who_sends_is_woken_when_deliveries_are_committed() {
    use std::sync::atomic::{AtomicBool, Ordering};

    let fixture = fixture(0);
    let rung = std::sync::Arc::new(AtomicBool::new(false));
    let heard = std::sync::Arc::clone(&rung);
    let _listener = store::BELL.listen(move || heard.store(true, Ordering::SeqCst));
    fixture.write(|conn| store::release(conn, "client_1", EVENT, NOW));
    assert!(rung.load(Ordering::SeqCst));
}

#[test]
fn a_queue_is_read_on_behind_a_place() {
    let fixture = fixture(4);
    let read = |behind: Option<&queue::QueuePosition>, most: i64| {
        let places = fixture.db.read_here(|conn| queue::next_due(conn, &lane(), NOW, behind, most)).unwrap();
        places.into_iter().map(|(_, id)| id).collect::<Vec<_>>()
    };
    assert_eq!(read(None, 2), ["DLV-0", "DLV-1"]);
    assert_eq!(read(Some(&(NOW.millis(), "DLV-1".to_owned())), 10), ["DLV-2", "DLV-3"]);
    assert_eq!(read(Some(&(NOW.millis() - 1, "DLV-9".to_owned())), 1), ["DLV-0"]);
    assert!(read(Some(&(NOW.millis(), "DLV-3".to_owned())), 10).is_empty());
}

#[test]
fn a_deleted_event_is_gone_at_once_and_its_deliveries_a_bounded_number_at_a_time() {
    let fixture = fixture(450);
    fixture.delete(EVENT);
    assert!(fixture.db.read_here(|conn| events::by_id(conn, "client_1", EVENT)).unwrap().is_none());
    assert!(fixture.db.read_here(|conn| events::is_any_gone(conn, &["client_1".to_owned()])).unwrap());
    assert!(!fixture.db.read_here(|conn| events::is_any_gone(conn, &["client_2".to_owned()])).unwrap());
    assert_eq!(fixture.left(), 450, "they go afterwards");
    // Who looked at the queue before says so after the deletion.
    fixture.batch("UPDATE integration_deliveries SET status = 'delivered'");
    fixture.write(|conn| queue::settle(conn, &lane(), 0, after(1)));
    fixture.write(|conn| queue::hold(conn, &lane()));
    assert!(fixture.is_due(after(1)));
    fixture.write(|conn| queue::settle(conn, &lane(), after(500).millis(), after(1)));
    assert!(!fixture.is_due(after(499)), "it may be left alone for a while");
    let mut left = Vec::new();
    while fixture.is_due(after(1_000)) {
        fixture.clear(EVENT);
        left.push(fixture.left());
    }
    assert_eq!(left, [250, 50, 0], "with the queue in the end");
    assert!(fixture.db.read_here(|conn| store::message(conn, "client_1", "DLV-449")).is_err());
    assert!(!fixture.db.read_here(|conn| events::is_any_gone(conn, &["client_1".to_owned()])).unwrap());
    let integration = |conn: &mut Conn| installed::find(conn, &["client_1".to_owned()], "INTG-1");
    assert!(fixture.db.read_here(integration).unwrap().is_some());
}

#[test]
fn a_deleted_integration_is_gone_at_once_and_its_row_with_the_last_of_its_events() {
    let fixture = fixture(201);
    let scope = ["client_1".to_owned()];
    let row = fixture.db.read_here(|conn| installed::existing(conn, &scope, "INTG-1")).unwrap();
    fixture.delete(EVENT);
    fixture.write(move |conn| installed::delete(conn, &row));
    let find = |conn: &mut Conn| installed::find(conn, &["client_1".to_owned()], "INTG-1");
    assert!(fixture.db.read_here(find).unwrap().is_none());
    let rows = || {
        let all = |conn: &mut Conn| Ok(crate::schema::integrations::table.count().get_result::<i64>(conn)?);
        fixture.db.read_here(all).unwrap()
    };
    fixture.clear(EVENT);
    assert_eq!((rows(), fixture.left()), (1, 1));
    fixture.clear(EVENT);
    assert_eq!((rows(), fixture.left()), (0, 0));
}

#[test]
fn an_event_that_comes_back_keeps_what_it_has_left() {
    let fixture = fixture(450);
    let row = fixture.db.read_here(|conn| events::by_id(conn, "client_1", EVENT)).unwrap().unwrap();
    fixture.delete(EVENT);
    fixture.clear(EVENT);
    let again = row.clone();
    fixture.write(move |conn| events::insert(conn, &again));
    fixture.clear(EVENT);
    assert_eq!(fixture.left(), 250);
    assert_eq!(fixture.db.read_here(|conn| events::by_id(conn, "client_1", EVENT)).unwrap(), Some(row));
    assert_eq!(fixture.claim("one", after(1), 1).len(), 1, "they are sent");
}

#[test]
fn what_is_switched_on_in_one_transaction_brings_forward_what_waits() {
    let fixture = fixture(3);
    fixture.batch(&format!("UPDATE integration_deliveries SET due_ms = {}", after(3_600_000).millis()));
    fixture.write(|conn| {
        store::bring_forward_in_place(conn, "client_1", store::DeliveriesOf::Integration("INTG-1"), after(1))
    });
    assert_eq!(fixture.due_times(), [1; 3]);
}

#[test]
fn what_is_replayed_is_found_a_part_at_a_time() {
    let fixture = fixture(store::TOGETHER + 2);
    let next = |behind: Option<&store::CreatedPosition>| {
        let all = store::Filter { to: Some(after(1)), ..store::Filter::default() };
        fixture.db.read_here(|conn| store::next(conn, "client_1", EVENT, &all, behind)).unwrap()
    };
    let first = next(None);
    assert_eq!(first.len(), store::TOGETHER);
    assert_eq!(next(first.last()).len(), 2);
    let none = store::Filter { to: Some(NOW), ..store::Filter::default() };
    assert!(fixture.db.read_here(|conn| store::next(conn, "client_1", EVENT, &none, None)).unwrap().is_empty());
}
