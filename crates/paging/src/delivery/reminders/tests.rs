//! Who is told of which shift when, on SQLite.

use diesel::prelude::*;

use super::*;
use crate::{
    configuration::methods,
    fakes::{Fakes, TENANT, database},
};

const MINUTE: i64 = 60_000;

fn at(minute: i64) -> Timestamp {
    Timestamp::from_millis(minute * MINUTE)
}

/// On call in a roster, from one minute to another.
fn shift(roster: &str, since: i64, until: i64) -> OwnShift {
    OwnShift { roster_id: roster.to_owned(), roster_name: "NOC".to_owned(), since: at(since), until: Some(at(until)) }
}

#[test]
fn a_shift_is_told_once_it_is_near_and_never_after_it_began() {
    let shifts = [shift("ES-1", 0, 60), shift("ES-1", 60, 120), shift("ES-1", 180, 240), shift("ES-2", 180, 240)];
    let soon = |now: i64| {
        let (soon, next) = rules::soon(&shifts, now * MINUTE, 30 * MINUTE);
        (soon.iter().map(|shift| shift.since.millis() / MINUTE).collect::<Vec<_>>(), next / MINUTE)
    };
    assert_eq!(soon(10), (vec![], 15), "the second shift goes on from the first");
    assert_eq!(soon(147), (vec![], 150), "not before it is time, and not much later either");
    assert_eq!(soon(150).0, [180, 180], "each roster by itself");
    assert_eq!(soon(179).0, [180, 180], "late, but before it begins");
    assert_eq!(soon(180).0, Vec::<i64>::new());
}

#[test]
fn one_page_for_each_shift_and_contact_method_however_often_one_looks() {
    let directory = tempfile::tempdir().unwrap();
    let db = database(directory.path());
    let fakes = Fakes::default();
    let neighbours = Arc::new(fakes.neighbours());
    let turn = |at: Timestamp| turn(&db, &mut TenantTurns::new("reminders"), &neighbours, at).unwrap();
    let ids = |db: &Db| -> Vec<(String, String, i64)> {
        use crate::schema::pages::dsl;
        let rows: Vec<pages::Row> = db.read_here(|conn| Ok(dsl::pages.order(dsl::id).load(conn)?)).unwrap();
        assert!(
            rows.iter().all(|row| row.kind == pages::SHIFT && row.message.subject.contains("You are on call from"))
        );
        rows.into_iter().map(|row| (row.method_id, row.status, row.created_ms / MINUTE)).collect()
    };
    fakes.0.lock().unwrap().shifts = vec![shift("ES-1", 100, 200), shift("ES-1", 300, 400)];
    let ask = |before: Option<i64>| {
        db.write_here(move |conn| store::set(conn, TENANT, "USR1", before.map(|one| one * MINUTE), 0)).unwrap();
    };
    ask(Some(30));
    for minute in 0..72 {
        turn(at(minute));
    }
    let gap = (String::new(), "gap".to_owned(), 70);
    assert_eq!(ids(&db), std::slice::from_ref(&gap), "there is nothing that reaches them");
    // Set anew, which looks at once, and looked at many times: the same page.
    for minute in 72..100 {
        ask(Some(30));
        turn(at(minute));
    }
    assert_eq!(ids(&db), std::slice::from_ref(&gap));
    // By the next one there is a contact method, and the clock jumps.
    db.write_here(|conn| methods::store::insert(conn, &crate::fakes::method("USR1", "CM-1"))).unwrap();
    for minute in [200, 290, 200, 290, 299, 300, 310] {
        turn(at(minute));
    }
    let mut told = ids(&db);
    told.sort();
    assert_eq!(told, [gap.clone(), ("CM-1".to_owned(), "pending".to_owned(), 290)]);
    // Nobody who does not ask for it, or is gone, is told.
    fakes.0.lock().unwrap().shifts = vec![shift("ES-1", 500, 600)];
    ask(None);
    turn(at(490));
    ask(Some(30));
    fakes.0.lock().unwrap().gone.insert("USR1".to_owned());
    turn(at(491));
    assert_eq!(ids(&db).len(), 2);
}
