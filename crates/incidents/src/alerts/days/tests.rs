//! When copies are made, and what removes them.

use base::timestamp::{DAY_MS, Timestamp};
use db::{Conn, Result};
use diesel::connection::SimpleConnection as _;
use outbox::Keep;
use ports::PagedAlerts;

use super::{
    changes::{SETTLED_MS, told_changes},
    store::{self, FEWEST, PackedDay},
    worker::{Copier, copy},
};
use crate::alerts::{
    row::Alert,
    store as alerts,
    tests::{Fixture, fixture},
};

/// Who was told, as plain tables.
pub const PAGED: PagedAlerts = PagedAlerts { pages: "told_pages", routes: "told_routes" };

pub const TABLES: &str = "CREATE TABLE told_pages (tenant_id TEXT, alert_id TEXT, user_id TEXT, roster_tenant TEXT, \
    roster_id TEXT, step BIGINT, created_ms BIGINT, sent BIGINT); CREATE TABLE told_routes (tenant_id TEXT, \
    alert_id TEXT, route_tenant TEXT, route_id TEXT);";

const TENANT: &str = "client_1";
/// A day that is over, as is the one behind it.
const DAY: i64 = 20_000;

/// Stores closed alerts of a day, one a second.
fn add(fixture: &Fixture, day: i64, count: i64, id: &'static str) {
    let sql = format!(
        "INSERT OR IGNORE INTO open_alerts VALUES ('{TENANT}', '*', 0); \
         WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < {count}) \
         INSERT INTO alerts (tenant_id, id, version, problem, host_key, subject_key, metric_key, service_key, \
         monitor_key, app_key, component_key, type_key, ext_key, current_state, repeats, first_ms, last_ms, \
         created_ms, updated_ms, acknowledged, suppression, document, sender, closed_ms) SELECT '{TENANT}', '{id}-' || \
         ({day} * 1000000 + 100000000000 + i), 1, 'p', '', '', '', '', '', '', '', '', '', 'Ok', 1, 0, 0, \
         {day} * {DAY_MS} + i * 1000, 0, FALSE, '', '{{}}', '', {day} * {DAY_MS} + i * 1000 + 5000 FROM numbers"
    );
    fixture.db.write_here(move |conn| Ok(conn.batch_execute(&sql)?)).unwrap();
}

/// Turns at an instant until there is nothing to do; answers the days that have a copy.
fn turn(fixture: &Fixture, copier: &mut Copier, at_ms: i64) -> Vec<PackedDay> {
    let turns = (0..10).take_while(|_| copier.turn(&fixture.db, Timestamp::from_millis(at_ms)).unwrap());
    assert!(turns.count() < 10, "it makes the same again and again");
    kept(fixture)
}

fn kept(fixture: &Fixture) -> Vec<PackedDay> {
    fixture.db.read_here(|conn| store::kept(conn, TENANT, 0, i64::MAX)).unwrap()
}

fn with_tables() -> Fixture {
    let fixture = fixture();
    fixture.batch(TABLES);
    fixture
}

const BY_SERVICE: &str = "ALT-0190a6b2-8f0e-7000-8000";

#[test]
fn days_that_are_over_are_copied() {
    let fixture = with_tables();
    add(&fixture, DAY, FEWEST, BY_SERVICE);
    add(&fixture, DAY + 2, FEWEST - 1, BY_SERVICE);
    add(&fixture, DAY + 5, FEWEST + 1, BY_SERVICE);
    let mut copier = Copier::new(PAGED);
    let first = PackedDay { day: DAY, alerts: FEWEST };
    let last = PackedDay { day: DAY + 5, alerts: FEWEST + 1 };
    let over = (DAY + 6) * DAY_MS + SETTLED_MS;
    assert_eq!(turn(&fixture, &mut copier, over - 1), [first]);
    assert_eq!(turn(&fixture, &mut copier, over), [first, last], "and not what has too few");
    // One that is of another format is made again, and so is one that somebody began long ago.
    fixture.batch("UPDATE alert_days SET format = 99, content = x'00' WHERE day = 20000");
    assert_eq!(kept(&fixture), [last]);
    assert_eq!(turn(&fixture, &mut copier, over), [first, last]);
    fixture.db.write_here(move |conn| store::begin(conn, TENANT, &[DAY], b"other", over)).unwrap();
    assert_eq!(turn(&fixture, &mut copier, over + 500_000), [last]);
    assert_eq!(turn(&fixture, &mut copier, over + 700_000), [first, last]);
    // With ids that the service did not make, there is none, and that is known.
    add(&fixture, DAY + 1, FEWEST, "other");
    assert_eq!(turn(&fixture, &mut copier, over), [first, last]);
    assert!(!copier.turn(&fixture.db, Timestamp::from_millis(over)).unwrap());
}

/// What a change leaves of the copies of two days.
fn left(change: impl FnOnce(&mut Conn) -> Result<()> + Send + 'static) -> Vec<i64> {
    let fixture = with_tables();
    let mut copier = Copier::new(PAGED);
    let at_ms = (DAY + 9) * DAY_MS;
    add(&fixture, DAY, 30, BY_SERVICE);
    add(&fixture, DAY + 1, 30, BY_SERVICE);
    assert_eq!(turn(&fixture, &mut copier, at_ms).len(), 2);
    fixture.db.write_here(change).unwrap();
    let left = kept(&fixture).iter().map(|kept| kept.day).collect();
    assert_eq!(turn(&fixture, &mut copier, at_ms).len(), 2, "they are made again");
    left
}

fn id(day: i64, number: i64) -> String {
    format!("{BY_SERVICE}-{}", day * 1_000_000 + 100_000_000_000 + number)
}

fn stored(conn: &mut Conn, number: i64) -> Alert {
    alerts::by_ids(conn, TENANT, &[id(DAY, number)]).unwrap().remove(0)
}

#[test]
fn who_changes_an_alert_removes_the_copy_of_its_day() {
    let changed = |change: fn(&mut Alert)| {
        left(move |conn| {
            let mut row = stored(conn, 3);
            change(&mut row);
            alerts::replace(conn, TENANT, &[row])
        })
    };
    let both = [DAY, DAY + 1];
    assert_eq!(changed(|row| row.updated_ms = row.created_ms + DAY_MS), both[1..], "a note, some day later");
    assert_eq!(changed(|row| row.closed_ms = Some(row.created_ms + 9 * DAY_MS)), both[1..], "one that was open");
    assert_eq!(changed(|row| row.closed_ms = None), both[1..], "one that was closed");
}

#[test]
fn a_program_that_knows_no_copies_removes_them_by_changing_an_alert() {
    let changed = |text: &'static str, number: i64| {
        let text = text.replace("{id}", &id(DAY, number));
        left(move |conn| Ok(conn.batch_execute(&text)?))
    };
    let both = [DAY, DAY + 1];
    assert_eq!(changed("UPDATE alerts SET acknowledged_ms = 7 WHERE id = '{id}'", 3), both[1..]);
    assert_eq!(changed("DELETE FROM alerts WHERE id = '{id}'", 3), both[1..]);
    assert_eq!(changed("UPDATE alerts SET acknowledged_ms = 7 WHERE id = '{id}'", 77), both, "there is none");
}

#[test]
fn who_removes_an_alert_or_changes_who_was_told_removes_the_copy_of_its_day() {
    let both = [DAY, DAY + 1];
    let told = |alerts: &'static [i64], tenant: &'static str| {
        left(move |conn| {
            let ids: Vec<String> = alerts.iter().map(|number| id(DAY, *number)).collect();
            told_changes(conn, tenant, &ids.iter().map(String::as_str).collect::<Vec<_>>())
        })
    };
    assert_eq!(told(&[2, 5], TENANT), both[1..]);
    assert_eq!(told(&[2], "client_2"), both, "of another tenant");
    assert_eq!(told(&[77], TENANT), both, "there is none");
    let removed = left(|conn| {
        assert!(matches!(alerts::RETENTION.keep, Keep::Setting(_)));
        alerts::RETENTION.remove.unwrap()(conn, TENANT, &[id(DAY, 4)], 1).map(|count| assert_eq!(count, 1))
    });
    assert_eq!(removed, both[1..]);
}

#[test]
fn a_copy_of_what_changed_meanwhile_is_not_kept() {
    let fixture = with_tables();
    add(&fixture, DAY, 30, BY_SERVICE);
    fixture.db.write_here(|conn| store::begin(conn, TENANT, &[DAY], b"me", 0)).unwrap();
    let (read, content) = fixture.db.read_here(|conn| copy(conn, PAGED, TENANT, DAY)).unwrap();
    assert_eq!(read, PackedDay { day: DAY, alerts: 30 });
    let again = content.clone();
    fixture.db.write_here(|conn| told_changes(conn, TENANT, &[&id(DAY, 1)])).unwrap();
    fixture.db.write_here(move |conn| store::put(conn, TENANT, read, b"me", &content)).unwrap();
    assert_eq!(kept(&fixture), []);
    // Nor one of somebody who took too long.
    fixture.db.write_here(|conn| store::begin(conn, TENANT, &[DAY], b"other", 0)).unwrap();
    fixture.db.write_here(move |conn| store::put(conn, TENANT, read, b"me", &again)).unwrap();
    assert_eq!(kept(&fixture), []);
}
