//! Who is silent, tenant by tenant, on SQLite.

use std::sync::atomic::{AtomicI64, Ordering};

use diesel::{prelude::*, sql_query, sql_types::Text};

use super::*;
use crate::{
    alerts::tests::{self as alerts, Fixture},
    heartbeats::{pings::HeartbeatAddress, wire::HeartbeatUpdate},
    schema::heartbeats,
};

const NOW: i64 = 1_795_000_000_000;
/// Interval, grace, and how long a ping may be kept.
const DUE: i64 = 10_000 + 1_000 + 1_000;

struct World {
    fixture: Fixture,
    watch: Watch,
    now: Arc<AtomicI64>,
}

#[derive(QueryableByName)]
struct Named {
    #[diesel(sql_type = Text)]
    name: String,
}

/// Heartbeats, by tenant and id, that were heard at first.
fn world(heartbeats: &[(&str, &str)]) -> World {
    let fixture = alerts::fixture();
    let now = Arc::new(AtomicI64::new(NOW));
    let clock = Arc::clone(&now);
    let clock = move || Timestamp::from_millis(clock.load(Ordering::Relaxed));
    let neighbours = Neighbours::clone(&fixture.neighbours);
    let mut watch = Watch::new(fixture.db.clone(), neighbours, Arc::default(), clock);
    watch.alive = Some(Instant::now());
    for (tenant, id) in heartbeats {
        let row = Row {
            tenant_id: (*tenant).to_owned(),
            id: (*id).to_owned(),
            name: (*id).to_owned(),
            name_key: (*id).to_owned(),
            token_hash: format!("{tenant} {id}"),
            severity: "Critical".to_owned(),
            interval_ms: 10_000,
            grace_ms: 1_000,
            ..Row::default()
        };
        fixture.db.write_here(move |conn| store::insert(conn, &row)).unwrap();
        watch.pings.record(&pinged(tenant, id), NOW);
    }
    let mut world = World { fixture, watch, now };
    world.turn(0);
    world
}

fn pinged(tenant: &str, id: &str) -> HeartbeatAddress {
    HeartbeatAddress { tenant_id: tenant.to_owned(), id: id.to_owned(), interval_ms: 10_000, missed: false }
}

impl World {
    /// A turn so many milliseconds after the first.
    fn turn(&mut self, after_ms: i64) {
        self.now.store(NOW + after_ms, Ordering::Relaxed);
        while self.watch.turn().unwrap() {}
    }

    fn names(&self, sql: &'static str) -> Vec<String> {
        let rows: Vec<Named> = self.fixture.db.read_here(|conn| Ok(sql_query(sql).load(conn)?)).unwrap();
        rows.into_iter().map(|row| row.name).collect()
    }

    fn missing(&self) -> Vec<String> {
        self.names("SELECT tenant_id || ' ' || id AS name FROM heartbeats WHERE missed ORDER BY tenant_id, id")
    }

    fn open(&self) -> Vec<String> {
        self.names("SELECT tenant_id || ' ' || ext_key AS name FROM alerts WHERE closed_ms IS NULL ORDER BY 1")
    }
}

#[test]
fn a_tenant_whose_alerts_are_refused_silences_nobody() {
    let mut world = world(&[("a", "hb-1"), ("full", "hb-2"), ("z", "hb-3")]);
    world.fixture.batch(
        "CREATE TRIGGER broken BEFORE INSERT ON alerts WHEN NEW.tenant_id = 'full' \
         BEGIN SELECT RAISE(ABORT, 'full'); END",
    );
    world.turn(DUE);
    assert_eq!(world.missing(), ["a hb-1", "full hb-2", "z hb-3"], "each is silent by its own row");
    assert_eq!(world.open(), ["a hb-1", "z hb-3"]);
    // It goes on like that for long, and does not excuse anybody.
    for second in 1..30 {
        world.turn(DUE + second * 1_000);
    }
    assert_eq!((world.missing().len(), world.open().len()), (3, 2));
    world.fixture.batch("DROP TRIGGER broken");
    world.turn(DUE + 45_000);
    assert_eq!(world.open(), ["a hb-1", "full hb-2", "z hb-3"], "it is reported as soon as there is room");
    world.turn(DUE + 60_000);
    let repeats = world.names("SELECT CAST(repeats AS TEXT) AS name FROM alerts");
    assert_eq!(repeats, ["1", "1", "1"], "once");
}

#[test]
fn the_alert_of_a_silence_has_the_severity_that_it_is_given_later() {
    let mut world = world(&[("a", "hb-1")]);
    world.turn(DUE);
    let change = HeartbeatUpdate { severity: Some("Info"), ..HeartbeatUpdate::default() };
    world
        .fixture
        .db
        .write_here(move |conn| {
            let before: Row = heartbeats::table.find(("a", "hb-1")).first(conn)?;
            let after = rules::apply_change(&before, change, NOW + DUE + 500);
            store::update(conn, &before, &after)
        })
        .unwrap();
    world.turn(DUE + 1_000);
    assert_eq!(world.names("SELECT current_state AS name FROM alerts"), ["Info"]);
    assert_eq!(world.missing(), ["a hb-1"]);
}

#[test]
fn one_that_fails_keeps_no_other_of_its_tenant() {
    let mut world = world(&[("a", "hb-1"), ("a", "hb-2"), ("a", "hb-3")]);
    world.fixture.batch(
        "CREATE TRIGGER alert BEFORE INSERT ON alerts WHEN NEW.ext_key = 'hb-1' \
         BEGIN SELECT RAISE(ABORT, 'broken'); END; \
         CREATE TRIGGER row BEFORE UPDATE ON heartbeats WHEN NEW.id = 'hb-2' AND NEW.missed \
         BEGIN SELECT RAISE(ABORT, 'broken'); END",
    );
    world.turn(DUE);
    assert_eq!((world.missing(), world.open()), (vec!["a hb-1".into(), "a hb-3".into()], vec!["a hb-3".to_owned()]));
    world.fixture.batch("DROP TRIGGER alert; DROP TRIGGER row");
    world.turn(DUE + AGAIN_MS);
    assert_eq!((world.missing().len(), world.open().len()), (3, 3));
}

#[test]
fn what_is_heard_ends_a_silence_that_could_not_be_reported() {
    let mut world = world(&[("full", "hb-1"), ("good", "hb-2")]);
    world.fixture.batch(
        "CREATE TRIGGER broken BEFORE INSERT ON alerts WHEN NEW.tenant_id = 'full' \
         BEGIN SELECT RAISE(ABORT, 'full'); END",
    );
    world.turn(DUE);
    for (tenant, id) in [("full", "hb-1"), ("good", "hb-2")] {
        world.watch.pings.record(&pinged(tenant, id), NOW + DUE + 500);
    }
    world.turn(DUE + 1_000);
    assert_eq!((world.missing().len(), world.open().len()), (0, 0));
    world.fixture.batch("DROP TRIGGER broken");
    world.turn(DUE + 5_000);
    assert_eq!((world.missing().len(), world.open().len()), (0, 0), "there is nothing left to report");
}

#[test]
fn a_ping_that_cannot_be_stored_is_no_silence_and_is_tried_again() {
    let mut world = world(&[("bad", "hb-1"), ("good", "hb-2")]);
    world.fixture.batch(
        "CREATE TRIGGER broken BEFORE UPDATE ON heartbeats WHEN NEW.tenant_id = 'bad' \
         BEGIN SELECT RAISE(ABORT, 'x'); END",
    );
    for (tenant, id) in [("bad", "hb-1"), ("good", "hb-2")] {
        world.watch.pings.record(&pinged(tenant, id), NOW + DUE - 1);
    }
    world.turn(DUE);
    assert!(world.missing().is_empty());
    let stored = "SELECT tenant_id AS name FROM heartbeats WHERE last_ms > 1795000000000";
    assert_eq!(world.names(stored), ["good"]);
    world.fixture.batch("DROP TRIGGER broken");
    world.turn(DUE + 5_000);
    assert_eq!(world.names(stored).len(), 2);
    assert!(world.missing().is_empty());
}

#[test]
fn only_who_stood_still_excuses() {
    let mut world = world(&[("a", "hb-1"), ("b", "hb-2")]);
    let before = Instant::now().checked_sub(LATE + Duration::from_secs(1)).unwrap();
    world.watch.alive = Some(before);
    world.turn(DUE);
    assert!(world.missing().is_empty(), "their pings may have been lost");
    assert!(world.watch.to_excuse.is_empty() && world.watch.alive.unwrap() > before);
    world.turn(2 * DUE);
    assert_eq!(world.missing().len(), 2, "one more interval, and no further one");
}

#[test]
fn a_clock_that_went_back_by_an_hour_delays_nothing_by_an_hour() {
    let hour = 3_600_000;
    let mut world = world(&[("a", "heard"), ("a", "missed"), ("a", "silent"), ("full", "hb-1")]);
    world.watch.pings.record(&pinged("a", "heard"), NOW + DUE - 1_000);
    world.watch.pings.record(&pinged("a", "silent"), NOW + DUE - 1_000);
    world.fixture.batch(
        "CREATE TRIGGER broken BEFORE INSERT ON alerts WHEN NEW.tenant_id = 'full' \
         BEGIN SELECT RAISE(ABORT, 'full'); END",
    );
    world.turn(DUE);
    assert_eq!((world.missing(), world.open()), (vec!["a missed".into(), "full hb-1".into()], vec!["a missed".into()]));
    world.fixture.batch("DROP TRIGGER broken");
    // What was not told is told, what is heard is stored, and what is silent is so after one more interval.
    world.turn(-hour);
    assert_eq!((world.missing().len(), world.open()), (2, vec!["a missed".to_owned(), "full hb-1".to_owned()]));
    world.watch.pings.record(&pinged("a", "heard"), NOW - hour + DUE / 2);
    world.watch.pings.record(&pinged("a", "missed"), NOW - hour + DUE / 2);
    world.turn(-hour + DUE - 1);
    assert_eq!(world.missing(), ["full hb-1"]);
    world.turn(-hour + DUE);
    assert_eq!(world.missing(), ["a silent", "full hb-1"]);
    assert_eq!(world.open(), ["a silent", "full hb-1"]);
}

#[test]
fn a_change_of_settings_keeps_what_was_heard_meanwhile() {
    let mut world = world(&[("a", "hb-1")]);
    let db = world.fixture.db.clone();
    let found = |db: &Db| {
        let rows = db.read_here(|conn| store::overdue(conn, "a", i64::MAX, 1)).unwrap();
        rows.into_iter().next().unwrap()
    };
    let before = found(&db);
    let change =
        HeartbeatUpdate { interval_ms: Some(20_000), name: Some("other".into()), ..HeartbeatUpdate::default() };
    let after = rules::apply_change(&before, change, NOW);
    // Another gateway stores a ping between the read and the write of the change.
    world.watch.pings.record(&pinged("a", "hb-1"), NOW + 9_000);
    world.turn(9_000);
    db.write_here(move |conn| store::update(conn, &before, &after)).unwrap();
    let row = found(&db);
    assert_eq!((row.name.as_str(), row.interval_ms, row.last_ms), ("other", 20_000, Some(NOW + 9_000)));
    assert_eq!(row.due_ms, Some(rules::due(20_000, 1_000, NOW + 9_000)));
}

#[test]
fn a_shorter_interval_counts_from_pings_that_are_not_stored() {
    let mut world = world(&[("a", "hb-1")]);
    let change = |world: &World, after_ms: i64, change: HeartbeatUpdate| {
        let pings = Arc::clone(&world.watch.pings);
        let changed = world.fixture.db.write_here(move |conn| {
            let row = heartbeats::table.first::<Row>(conn)?;
            let before = pings.store_last(conn, row, NOW + after_ms)?;
            let after = rules::apply_change(&before, change, NOW + after_ms);
            store::update(conn, &before, &after)?;
            let row = heartbeats::table.first::<Row>(conn)?;
            assert_eq!((row.last_ms, row.due_ms), (after.last_ms, after.due_ms));
            Ok(row)
        });
        changed.unwrap()
    };
    let to = |interval_ms| HeartbeatUpdate { interval_ms: Some(interval_ms), ..HeartbeatUpdate::default() };
    change(&world, 0, to(300_000));
    world.turn(0);
    let pinged = HeartbeatAddress { interval_ms: 300_000, ..pinged("a", "hb-1") };
    world.watch.pings.record(&pinged, NOW + 22_000);
    world.turn(23_000);
    let row = change(&world, 24_000, to(30_000));
    assert_eq!((row.last_ms, row.missed), (Some(NOW + 22_000), false));
    world.turn(22_000 + 30_000 + 1_000);
    assert!(world.missing().is_empty(), "the ping still holds");
    world.turn(22_000 + 30_000 + 1_000 + 30_000);
    assert_eq!(world.missing().len(), 1);
}

#[test]
fn a_ping_counts_by_the_settings_of_its_row() {
    let world = world(&[("a", "hb-1")]);
    for (interval_ms, grace_ms) in [(1_000, 0), (299_999, 1), (300_000, 2), (34_560_000_000, 34_560_000_000)] {
        let heard = Ping { tenant_id: "a".into(), id: "hb-1".into(), at_ms: NOW + interval_ms };
        let due = rules::due(interval_ms, grace_ms, heard.at_ms);
        let rows = world.fixture.db.write_here(move |conn| {
            let set = (heartbeats::interval_ms.eq(interval_ms), heartbeats::grace_ms.eq(grace_ms));
            diesel::update(heartbeats::table).set(set).execute(conn)?;
            store::store_ping(conn, &heard, NOW)?;
            store::overdue(conn, "a", i64::MAX, 1)
        });
        assert_eq!(rows.unwrap()[0].due_ms, Some(due));
    }
}

#[test]
fn a_longer_interval_ends_a_silence_and_its_alert() {
    let mut world = world(&[("a", "hb-1")]);
    world.turn(DUE);
    assert_eq!((world.missing().len(), world.open().len()), (1, 1));
    let changed = world.fixture.db.write_here(|conn| {
        let before = heartbeats::table.first::<Row>(conn)?;
        let change = HeartbeatUpdate { grace_ms: Some(60_000), ..HeartbeatUpdate::default() };
        store::update(conn, &before, &rules::apply_change(&before, change, NOW + DUE))
    });
    changed.unwrap();
    world.turn(DUE + 1_000);
    assert_eq!((world.missing().len(), world.open().len()), (0, 0));
    world.turn(DUE + 60_000);
    assert_eq!((world.missing().len(), world.open().len()), (1, 1), "it is silent again");
}
