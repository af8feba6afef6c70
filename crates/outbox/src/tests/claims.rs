//! Claims on events: their order, and how long they last.

use base::{problem::Problem, timestamp::Timestamp};
use db::Conn;
use serde_json::json;

use super::{NOW, change, fixture};
use crate::events;

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
        fixture
            .db
            .write_here(move |conn| events::claim(conn, owner, (now, until), &["client_1".to_owned()], 1))
            .unwrap()
            .remove(0)
    };
    let late = claim("late", NOW.millis());
    let other = claim("other", NOW.millis() + 2000);
    assert!(!fixture.db.write_here(move |conn| events::finish(conn, "late", &late)).unwrap());
    assert!(fixture.db.write_here(move |conn| events::finish(conn, "other", &other)).unwrap());
}

#[test]
fn events_that_another_worker_has_by_now_are_not_finished() {
    let fixture = fixture();
    for id in ["a", "b"] {
        fixture.changed(change(id, None, Some(json!(1))));
    }
    let claim = |owner: &'static str, now: i64, most: i64| {
        let (now, until) = (Timestamp::from_millis(now), Timestamp::from_millis(now + 1000));
        fixture
            .db
            .write_here(move |conn| events::claim(conn, owner, (now, until), &["client_1".to_owned()], most))
            .unwrap()
    };
    let late = claim("late", NOW.millis(), 2);
    let other = claim("other", NOW.millis() + 2000, 1);
    let finish = |owner: &'static str, events: Vec<events::Claimed>| {
        let finished = move |conn: &mut Conn| match events::finish_all(conn, owner, "client_1", &events)? {
            true => Ok(()),
            false => Err(Problem::conflict("no").into()),
        };
        fixture.db.write_here(finished).is_ok()
    };
    assert_eq!((finish("late", late), finish("other", other)), (false, true));
    assert_eq!(claim("me", i64::MAX / 2, 2).len(), 1, "what was undone is there");
}
