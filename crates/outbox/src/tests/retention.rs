//! Removal of rows that are too old, and of the oldest when there are too many.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use base::timestamp::Timestamp;
use db::{Conn, Db};
use serde_json::json;

use super::{NOW, change, fixture};
use crate::{Keep, RETENTION, Retention, Setting, idempotency, retention};

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
                is_report: false,
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
            is_report: false,
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
    let few = Retention { keep: for_ever, most: Some(20), remove: None, ..RETENTION[1] };
    let kept = retention::sweep(&fixture.db, &[few], |_| 0, second(1_000_000)).unwrap();
    assert_eq!((count(&fixture.db, "client_1"), count(&fixture.db, "client_2")), (20, 10));
    assert_eq!(kept[0].removed(), [("age", 0), ("number", 70)]);
    let kept = retention::sweep(&fixture.db, &[few], |_| 0, second(1_000_000)).unwrap();
    assert_eq!((kept[0].oldest(), kept[0].removed()[1].1), (Some(second(10)), 0));
}

#[test]
fn a_step_is_as_short_as_its_rows_are_slow() {
    static GONE: AtomicUsize = AtomicUsize::new(0);
    static SLOW: AtomicUsize = AtomicUsize::new(0);
    let fixture = fixture();
    answers(&fixture.db, &[("client_1", 10); 400]);
    let slow = Retention {
        keep: Keep::Millis(1),
        remove: Some(|conn, tenant, ids, most| {
            // The first 300 take next to nothing, then each half a millisecond.
            let before = GONE.fetch_add(ids.len(), Ordering::Relaxed);
            let slow = (before + ids.len()).saturating_sub(before.max(300));
            std::thread::sleep(Duration::from_micros(500) * u32::try_from(slow).unwrap());
            SLOW.fetch_add(slow, Ordering::Relaxed);
            RETENTION[1].remove.unwrap()(conn, tenant, ids, most)
        }),
        ..RETENTION[1]
    };
    let mut sweep = retention::Sweep::new(fixture.db.clone(), &[slow], |_| 0);
    let mut steps = Vec::new();
    while GONE.load(Ordering::Relaxed) < 400 {
        sweep.turn(second(1_000)).unwrap();
        steps.push(SLOW.swap(0, Ordering::Relaxed));
    }
    assert_eq!(count(&fixture.db, "client_1"), 0);
    // 8 ms, and what was begun within them.
    assert!(steps.iter().all(|slow| *slow <= 16 + 16) && steps.iter().sum::<usize>() == 100, "{steps:?}");
}

#[test]
fn a_tenant_with_much_to_remove_leaves_the_others_their_turn() {
    let fixture = fixture();
    let mut made = vec![("client_1", 10); 3_000];
    made.extend([("client_2", 10), ("client_3", 10)]);
    answers(&fixture.db, &made);
    let short = Retention { keep: Keep::Millis(1), ..RETENTION[1] };
    let mut sweep = retention::Sweep::new(fixture.db.clone(), &[short], |_| 0);
    // A look, and a step of each.
    for _ in 0..4 {
        sweep.turn(second(1_000)).unwrap();
    }
    assert_eq!((count(&fixture.db, "client_2"), count(&fixture.db, "client_3")), (0, 0));
    assert!(count(&fixture.db, "client_1") > 2_000, "its turn comes again");
}

#[test]
fn rows_that_cannot_be_removed_keep_no_others() {
    let fixture = fixture();
    let mut made = vec![("client_1", 10); 200];
    made.extend([("client_2", 10); 50]);
    made.extend([("client_3", 10); 50]);
    answers(&fixture.db, &made);
    fixture.batch(
        "CREATE TRIGGER one BEFORE DELETE ON idempotency WHEN OLD.tenant_id = 'client_1' \
         AND OLD.idempotency_key IN ('a b 3', 'a b 70') BEGIN SELECT RAISE(ABORT, 'x'); END; \
         CREATE TRIGGER whole BEFORE DELETE ON idempotency WHEN OLD.tenant_id = 'client_2' \
         BEGIN SELECT RAISE(ABORT, 'x'); END",
    );
    let short = Retention { keep: Keep::Millis(1), ..RETENTION[1] };
    let kept = retention::sweep(&fixture.db, &[short], |_| 0, second(1_000)).unwrap();
    let counts = ["client_1", "client_2", "client_3"].map(|tenant| count(&fixture.db, tenant));
    assert_eq!(counts, [2, 50, 0], "{kept:?}");
}

#[test]
fn what_is_old_is_found_by_an_index() {
    #[derive(diesel::QueryableByName)]
    struct Step {
        #[diesel(sql_type = diesel::sql_types::Text)]
        detail: String,
    }
    use diesel::{RunQueryDsl as _, sql_query};
    let fixture = fixture();
    for Retention { kind, table, id, since, only, .. } in RETENTION {
        let query = format!(
            "EXPLAIN QUERY PLAN SELECT {id} FROM {table} t WHERE t.tenant_id = 'client_1' AND {only} AND t.{since} < 5 \
             ORDER BY t.{since} LIMIT 9"
        );
        let plan: Vec<Step> = fixture.db.read_here(|conn| Ok(sql_query(query).load(conn)?)).unwrap();
        let range = format!("(tenant_id=? AND {since}<?)");
        assert!(plan.len() == 1 && plan[0].detail.contains(&range), "{kind}: {}", plan[0].detail);
    }
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
