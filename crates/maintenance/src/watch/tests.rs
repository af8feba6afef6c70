//! What is told of windows, on SQLite; the black-box tests have the rest.

use base::timestamp::Timestamp;
use db::{Conn, DatabaseUrl, Db, Json, Options, Result};
use diesel::{QueryableByName, RunQueryDsl as _, sql_query, sql_types::Text};
use serde_json::{Value, json};

use super::turn;
use crate::{
    course::Holds,
    window::{row::Window, store},
};

struct Fixture {
    db: Db,
    _directory: tempfile::TempDir,
}

#[derive(QueryableByName)]
struct SeenEvent {
    #[diesel(sql_type = Text)]
    action: String,
    #[diesel(sql_type = Text)]
    after: String,
}

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

fn fixture() -> Fixture {
    let directory = tempfile::tempdir().unwrap();
    let db = Db::open(&DatabaseUrl::Sqlite(directory.path().join("t.sqlite")), Options::default()).unwrap();
    db.migrate(&[outbox::migrations(), crate::domain().migrations]).unwrap();
    Fixture { db, _directory: directory }
}

impl Fixture {
    fn daily(&self) -> Window {
        self.daily_called("SM-1")
    }

    fn batch(&self, statements: &'static str) {
        use diesel::connection::SimpleConnection as _;
        self.write(|conn| Ok(conn.batch_execute(statements)?));
    }

    /// A window that is open from ten to noon each day, made on 1 November.
    fn daily_called(&self, id: &str) -> Window {
        let schedule = json!({"type": "Recurring", "startTime": "2026-11-01T10:00:00+0000",
            "endTime": "2026-11-01T12:00:00+0000", "timezone": "UTC",
            "pattern": {"type": "daily", "dayFrequency": "everyday"}, "endBy": "NEVER"});
        let made = at("2026-11-01T09:00:00Z").millis();
        let row = Window {
            tenant_id: "client_1".to_owned(),
            id: id.to_owned(),
            version: 1,
            name: id.to_owned(),
            name_key: id.to_owned(),
            description: String::new(),
            schedule: Json(schedule),
            holds: Json::default(),
            conditions: None,
            run_rba: false,
            install_patch: false,
            run_escalation: true,
            opens_ms: 0,
            closes_ms: i64::MAX,
            created_by: String::new(),
            created_ms: made,
            updated_ms: made,
        };
        let stored = row.clone();
        self.write(move |conn| store::insert(conn, &stored, &[]));
        row
    }

    fn write(&self, f: impl FnOnce(&mut Conn) -> Result<()> + Send + 'static) {
        self.db.write_here(f).unwrap();
    }

    fn turn(&self, now: &str) {
        turn(&self.db, &mut outbox::TenantTurns::new("windows"), at(now)).unwrap();
    }

    /// All that was told: what happened, and the hours of the time that it is about.
    fn told(&self) -> Vec<String> {
        let told = |conn: &mut Conn| {
            Ok(sql_query("SELECT action, after FROM outbox_events ORDER BY seq").load::<SeenEvent>(conn)?)
        };
        let shown = |told: SeenEvent| {
            let after: Value = serde_json::from_str(&told.after).unwrap();
            let hour = |name: &str| after[name].as_str().unwrap()[8..13].to_owned();
            format!("{} {}-{}", told.action, hour("start"), hour("end"))
        };
        self.db.read_here(told).unwrap().into_iter().map(shown).collect()
    }
}

#[test]
fn each_opening_and_closing_is_told_once() {
    let fixture = fixture();
    fixture.daily();
    for now in ["01T09:00:01", "01T10:00:00", "01T10:00:01", "01T11:59:59", "01T12:00:00", "01T12:00:01", "02T10:00:03"]
    {
        for _gateway in 0..2 {
            fixture.turn(&format!("2026-11-{now}Z"));
        }
    }
    assert_eq!(fixture.told(), ["OPENED 01T10-01T12", "CLOSED 01T10-01T12", "OPENED 02T10-02T12"]);
}

#[test]
fn of_an_absence_the_last_change_alone_is_told() {
    let fixture = fixture();
    fixture.daily();
    fixture.turn("2026-11-01T09:30:00Z");
    // Five days later, between two occurrences.
    fixture.turn("2026-11-06T09:00:00Z");
    assert_eq!(fixture.told(), ["CLOSED 05T10-05T12"]);
    // Three days later, within one.
    fixture.turn("2026-11-09T11:00:00Z");
    assert_eq!(fixture.told()[1..], ["OPENED 09T10-09T12"]);
    fixture.turn("2026-11-10T10:30:00Z");
    assert_eq!(fixture.told()[2..], ["OPENED 10T10-10T12"]);
}

#[test]
fn what_is_done_with_a_window_is_told_when_it_opens_or_closes_by_it() {
    let fixture = fixture();
    let row = fixture.daily();
    fixture.turn("2026-11-01T10:30:00Z");
    let mut holds = Holds::default();
    holds.suspend(at("2026-11-01T11:00:00Z").millis(), Some(at("2026-11-01T11:30:00Z").millis()));
    let suspended = Window { holds: Json(holds), version: 2, ..row.clone() };
    let stored = suspended.clone();
    fixture.write(move |conn| store::update(conn, &row, &stored, None));
    for now in ["11:00:01", "11:30:01", "12:30:00"] {
        fixture.turn(&format!("2026-11-01T{now}Z"));
    }
    let told = fixture.told();
    assert_eq!(told, ["OPENED 01T10-01T12", "CLOSED 01T10-01T11", "OPENED 01T11-01T12", "CLOSED 01T11-01T12"]);
    fixture.write(move |conn| store::delete(conn, &suspended));
    fixture.turn("2026-11-02T10:30:00Z");
    assert_eq!(fixture.told().len(), 4);
}

#[test]
fn a_window_that_fails_keeps_no_other_and_is_told_of_later() {
    let fixture = fixture();
    for id in ["SM-1", "SM-2", "SM-3"] {
        fixture.daily_called(id);
    }
    fixture.turn("2026-11-01T09:00:01Z");
    fixture.batch(
        "UPDATE maintenance_windows SET description = holds, holds = '{' WHERE id = 'SM-1'; \
         CREATE TRIGGER broken BEFORE INSERT ON outbox_events WHEN NEW.entity_id = 'SM-2' \
         BEGIN SELECT RAISE(ABORT, 'x'); END",
    );
    fixture.turn("2026-11-01T10:00:00Z");
    fixture.turn("2026-11-01T10:00:01Z");
    assert_eq!(fixture.told(), ["OPENED 01T10-01T12"]);
    fixture.batch("UPDATE maintenance_windows SET holds = description WHERE id = 'SM-1'; DROP TRIGGER broken");
    fixture.turn("2026-11-01T10:00:20Z");
    assert_eq!(fixture.told().len(), 3, "those too, later");
    fixture.turn("2026-11-01T10:00:40Z");
    assert_eq!(fixture.told().len(), 3, "once");
}
