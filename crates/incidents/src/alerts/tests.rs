//! Alerts and windows, on SQLite, with neighbours that say what a test wants.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use base::timestamp::Timestamp;
use db::{Conn, DatabaseUrl, Db, Options, Result};
use diesel::{QueryableByName, RunQueryDsl as _, connection::SimpleConnection as _, sql_query, sql_types::Text};
use outbox::{Actor, Tx};
use ports::{
    AlertFacts, Cover, Maintenance, OnCall, OnCallPerson, OwnShift, Person, Place, PlaceKey, PlaceKind, ResourceKey,
    ResourceSummary, Resources, RosterSummary, ServiceGroup, Tenants, Window,
};
use serde_json::{Value, json};

use super::{
    formats::alertmanager,
    intake::{self, Origin},
    report::{self, DeviceNames, Report},
    windows,
    wire::AlertResult,
};
use crate::neighbours::Neighbours;

const START: i64 = 1_795_000_000_000;
const MINUTE: i64 = 60_000;

/// Two machines, `web-01` and that of another tenant, `web-02`, and whatever window is set; its conditions are met by
/// what is `Critical` or says so. Another window may cover the machine besides.
#[derive(Default)]
struct Fake {
    window: Mutex<Option<(i64, i64, bool)>>,
    other: Mutex<Option<(i64, i64, bool)>>,
    expects: Mutex<&'static str>,
    knows: Mutex<bool>,
}

impl Fake {
    fn set(&self, from: i64, until: i64, escalates: bool) {
        *self.window.lock().unwrap() = Some((START + from * MINUTE, START + until * MINUTE, escalates));
    }

    fn set_other(&self, from: i64, until: i64, escalates: bool) {
        *self.other.lock().unwrap() = Some((START + from * MINUTE, START + until * MINUTE, escalates));
    }

    fn times(&self, window: &str) -> Option<(i64, i64, bool)> {
        match window {
            "SM-1" => *self.window.lock().unwrap(),
            _ => *self.other.lock().unwrap(),
        }
    }

    fn cover(&self, window: &str, at: Timestamp) -> Option<Cover> {
        let (since, until, run_escalation_action) = self.times(window)?;
        let is_open = (since..until).contains(&at.millis());
        is_open.then(|| Cover {
            window: Window { tenant_id: "client_1".into(), unique_id: window.into(), name: "night".into() },
            since: Timestamp::from_millis(since),
            until: Timestamp::from_millis(until),
            run_escalation_action,
        })
    }
}

impl Maintenance for Fake {
    fn covering(&self, _: &mut Conn, resources: &[(String, String)], at: Timestamp) -> Result<Vec<Vec<Cover>>> {
        Ok(resources.iter().map(|_| self.cover("SM-1", at).into_iter().collect()).collect())
    }

    fn catching(&self, _: &mut Conn, alerts: &[AlertFacts<'_>], at: Timestamp) -> Result<Vec<Vec<Cover>>> {
        let expects = *self.expects.lock().unwrap();
        let meets = |alert: &Value| expects.is_empty() || alert["currentState"] == expects;
        let caught = |facts: &AlertFacts<'_>| {
            let one = self.cover("SM-1", at).filter(|_| meets(facts.alert));
            let mut covers: Vec<Cover> = one.into_iter().chain(self.cover("SM-2", at)).collect();
            covers.sort_by_key(|cover| std::cmp::Reverse(cover.until));
            covers
        };
        Ok(alerts.iter().map(caught).collect())
    }

    fn open_until(&self, _: &mut Conn, windows: &[Window], at: Timestamp) -> Result<Vec<Option<Timestamp>>> {
        Ok(windows.iter().map(|asked| self.cover(&asked.unique_id, at).map(|cover| cover.until)).collect())
    }

    fn escalating(&self, _: &mut Conn, windows: &[Window]) -> Result<Vec<Option<bool>>> {
        Ok(windows.iter().map(|asked| self.times(&asked.unique_id).map(|(_, _, escalates)| escalates)).collect())
    }
}

impl Resources for Fake {
    fn find(&self, _: &mut Conn, _: &[String], keys: &[ResourceKey]) -> Result<Vec<Vec<ResourceSummary>>> {
        let web = ResourceSummary {
            id: "r-1".into(),
            tenant_id: "client_1".into(),
            name: "web-01".into(),
            host_name: "web-01".into(),
            ip_address: "10.0.0.1".into(),
            resource_type: "Linux".into(),
        };
        let other = ResourceSummary { id: "r-2".into(), tenant_id: "client_2".into(), ..web.clone() };
        let knows = *self.knows.lock().unwrap();
        let found = |key: &ResourceKey| match key {
            ResourceKey::Name(name) if knows && name == "web-01" => vec![web.clone()],
            ResourceKey::Name(name) if knows && name == "web-02" => vec![other.clone()],
            _ => Vec::new(),
        };
        Ok(keys.iter().map(found).collect())
    }

    fn decommissioned(&self, _: &mut Conn, _: &[String], keys: &[ResourceKey]) -> Result<Vec<Vec<ResourceSummary>>> {
        Ok(vec![Vec::new(); keys.len()])
    }

    fn places(&self, _: &mut Conn, _: &[String], _: PlaceKind, _: &[PlaceKey]) -> Result<Vec<Vec<Place>>> {
        unreachable!()
    }

    fn places_of(&self, _: &mut Conn, _: &[String], _: &[String]) -> Result<Vec<Vec<Place>>> {
        unreachable!()
    }

    fn members(&self, _: &mut Conn, _: &[String], _: &Place, _: Option<&str>, _: i64) -> Result<Vec<ResourceSummary>> {
        unreachable!()
    }

    fn service_groups(&self, _: &mut Conn, _: &[String], keys: &[PlaceKey]) -> Result<Vec<Vec<ServiceGroup>>> {
        Ok(vec![Vec::new(); keys.len()])
    }

    fn service_groups_of(&self, _: &mut Conn, _: &[String], ids: &[String]) -> Result<Vec<Vec<ServiceGroup>>> {
        Ok(vec![Vec::new(); ids.len()])
    }

    fn tags_of(&self, _: &mut Conn, _: &[String], ids: &[String]) -> Result<Vec<Vec<(String, String)>>> {
        Ok(vec![Vec::new(); ids.len()])
    }
}

impl OnCall for Fake {
    fn skipped_of(&self, _: &mut Conn, _: &str, _: &str, _: &str, _: Timestamp) -> Result<Vec<ports::SkippedShift>> {
        Ok(Vec::new())
    }

    fn on_call(&self, _: &mut Conn, tenant: &str, partner: &str, at: Timestamp) -> Result<Vec<OnCallPerson>> {
        assert_eq!(partner, "msp_1");
        let person = Person { id: format!("USR-{tenant}"), mobile_number: Some("+1".into()), ..Person::default() };
        Ok(vec![OnCallPerson {
            person,
            roster_id: "ES-1".into(),
            shift_id: None,
            level: 1,
            since: at,
            until: at,
            instead_of: vec![],
        }])
    }

    fn roster(&self, _: &mut Conn, _: &[String], _: &str) -> Result<Option<RosterSummary>> {
        Ok(None)
    }

    fn shifts_of(&self, _: &mut Conn, _: &[String], _: &str, _: (Timestamp, Timestamp)) -> Result<Vec<OwnShift>> {
        Ok(Vec::new())
    }
}

impl Tenants for Fake {
    fn names(&self, _: &mut Conn, _: &[String]) -> Result<HashMap<String, String>> {
        Ok(HashMap::new())
    }

    fn partner(&self, _: &mut Conn, tenant: &str) -> db::Result<String> {
        Ok(tenant.to_owned())
    }
}

pub(crate) struct Fixture {
    pub(crate) db: Db,
    fake: Arc<Fake>,
    pub(crate) neighbours: Arc<Neighbours>,
    _directory: tempfile::TempDir,
}

pub(crate) fn fixture() -> Fixture {
    let directory = tempfile::tempdir().unwrap();
    let db = Db::open(&DatabaseUrl::Sqlite(directory.path().join("t.sqlite")), Options::default()).unwrap();
    db.migrate(&[outbox::migrations(), crate::domain().migrations]).unwrap();
    let fake = Arc::new(Fake { knows: Mutex::new(true), ..Fake::default() });
    let neighbours = Arc::new(Neighbours {
        resources: fake.clone(),
        maintenance: fake.clone(),
        on_call: fake.clone(),
        owners: Arc::new(standalone::Standalone),
        articles: Arc::new(standalone::Standalone),
        jobs: Arc::new(standalone::Standalone),
        people: Arc::new(standalone::Standalone),
        escalations: Arc::new(standalone::Standalone),
        tenants: fake.clone(),
    });
    Fixture { db, fake, neighbours, _directory: directory }
}

#[derive(QueryableByName)]
struct PublishedEvent {
    #[diesel(sql_type = Text)]
    after: String,
}

fn address_of_partner() -> Origin {
    let scope = ["msp_1", "client_1", "client_2"].map(str::to_owned).to_vec();
    Origin { home: "msp_1".into(), scope, sender: "INB-1".into() }
}

impl Fixture {
    fn post(&self, minute: i64, reports: Value) -> Vec<AlertResult> {
        self.take_in(minute, reports.as_array().unwrap().iter().map(report::read).collect())
    }

    fn take_in(&self, minute: i64, reports: Vec<report::ParsedReport>) -> Vec<AlertResult> {
        let origin = Origin { home: "client_1".into(), scope: vec!["client_1".into()], sender: String::new() };
        self.take_in_of(origin, minute, reports)
    }

    fn take_in_of(&self, origin: Origin, minute: i64, reports: Vec<report::ParsedReport>) -> Vec<AlertResult> {
        let neighbours = Arc::clone(&self.neighbours);
        let actor = Actor::service("test");
        let now = Timestamp::from_millis(START + minute * MINUTE);
        let done = self.db.write_here(move |conn| {
            Tx::run(conn, &actor, now, |tx| intake::take_in(tx, &neighbours, &origin, &reports))
        });
        done.unwrap()
    }

    /// Says something of machines under one key, at the address of their partner.
    fn say_keyed(&self, minute: i64, said: &[(&'static str, &str)]) -> Vec<&'static str> {
        let report = |(state, host): &(&'static str, &str)| {
            let device = DeviceNames::of_text(host);
            Ok(Report { state, device, subject: "Cluster".into(), key: Some("k".into()), ..Report::default() })
        };
        let results = self.take_in_of(address_of_partner(), minute, said.iter().map(report).collect());
        results.into_iter().map(|result| result.result).collect()
    }

    pub(crate) fn report(&self, minute: i64, state: &str) -> AlertResult {
        self.post(minute, json!([{"currentState": state, "metric": "load", "device": "web-01"}])).remove(0)
    }

    fn turn(&self, minute: i64) {
        let now = Timestamp::from_millis(START + minute * MINUTE);
        windows::Watch::new(&self.db, Arc::clone(&self.neighbours)).turn(&self.db, now).unwrap();
    }

    pub(crate) fn batch(&self, statements: &'static str) {
        self.db.write_here(move |conn| Ok(conn.batch_execute(statements)?)).unwrap();
    }

    /// What was published, in order.
    fn published_alerts(&self) -> Vec<Value> {
        let sql = "SELECT after FROM outbox_events WHERE entity = 'ALERT' ORDER BY seq";
        let events: Vec<PublishedEvent> = self.db.read_here(|conn| Ok(sql_query(sql).load(conn)?)).unwrap();
        events.iter().map(|event| serde_json::from_str(&event.after).unwrap()).collect()
    }

    fn last(&self) -> Value {
        self.published_alerts().pop().unwrap()
    }

    fn events(&self) -> Vec<String> {
        self.published_alerts().iter().map(|alert| alert["lastEvent"].as_str().unwrap().to_owned()).collect()
    }
}

#[test]
fn an_alert_that_fails_keeps_no_other_of_its_window() {
    let fixture = fixture();
    fixture.fake.set(0, 60, true);
    let reports = json!([
        {"currentState": "Critical", "metric": "disk", "device": "web-01"},
        {"currentState": "Critical", "metric": "load", "device": "web-01"},
    ]);
    fixture.post(1, reports);
    fixture.batch(
        "CREATE TRIGGER broken BEFORE INSERT ON alerts WHEN NEW.metric_key = 'disk' \
         BEGIN SELECT RAISE(ABORT, 'broken'); END",
    );
    let before = fixture.published_alerts().len();
    let escalated = || -> Vec<String> {
        let alerts =
            fixture.published_alerts().into_iter().skip(before).filter(|alert| alert["lastEvent"] == "Escalated");
        alerts.map(|alert| alert["metric"].as_str().unwrap().to_owned()).collect()
    };
    let mut watch = windows::Watch::new(&fixture.db, Arc::clone(&fixture.neighbours));
    let mut turn =
        |seconds: i64| watch.turn(&fixture.db, Timestamp::from_millis(START + 60 * MINUTE + seconds * 1_000)).unwrap();
    turn(0);
    assert_eq!(escalated(), ["load"]);
    assert!(!turn(0), "the one that fails waits");
    fixture.batch("DROP TRIGGER broken");
    turn(0);
    assert_eq!(escalated(), ["load"]);
    turn(2);
    assert_eq!(escalated(), ["load", "disk"]);
    assert!(!turn(4));
    assert_eq!(escalated().len(), 2);
}

#[test]
fn what_a_window_held_back_is_escalated_once_when_it_is_over() {
    let fixture = fixture();
    fixture.fake.set(0, 60, true);
    let made = fixture.report(1, "Critical");
    assert_eq!(
        (made.result, made.status, made.alert_type.as_deref()),
        ("created", Some("Suppressed"), Some("Maintenance"))
    );
    assert_eq!(fixture.last()["maintenance"]["uniqueId"], "SM-1");
    fixture.turn(59);
    assert_eq!(fixture.events(), ["Created"], "the window is open");
    for _ in 0..3 {
        fixture.turn(60);
    }
    assert_eq!(fixture.events(), ["Created", "Escalated"]);
    let alert = fixture.last();
    let on_call: Vec<&str> =
        alert["escalation"]["onCall"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(on_call, ["USR-client_1", "USR-msp_1"], "of the tenant and of its partner");
    assert_eq!((&alert["status"], &alert["alertType"]), (&json!("New"), &json!("Maintenance")));
    assert_eq!(fixture.report(61, "Critical").result, "repeated");
}

#[test]
fn what_is_well_again_by_then_is_not_escalated() {
    let fixture = fixture();
    fixture.fake.set(0, 60, true);
    fixture.report(1, "Critical");
    fixture.report(2, "Ok");
    fixture.turn(60);
    assert_eq!(fixture.events(), ["Created", "Closed"]);
}

#[test]
fn a_window_that_was_extended_goes_on_and_one_that_was_ended_is_over() {
    let fixture = fixture();
    fixture.fake.set(0, 60, true);
    fixture.report(1, "Critical");
    fixture.fake.set(0, 90, true);
    fixture.turn(60);
    assert_eq!(fixture.events(), ["Created", "Created"], "its end is another one, and nothing else");
    assert_eq!(fixture.last()["maintenance"]["until"], json!(Timestamp::from_millis(START + 90 * MINUTE)));
    fixture.fake.set(0, 70, true);
    fixture.turn(75);
    assert_eq!(fixture.events().last().unwrap(), "Escalated");
}

#[test]
fn a_window_that_opened_again_meanwhile_was_over_in_between() {
    let fixture = fixture();
    fixture.fake.set(0, 60, true);
    fixture.report(1, "Critical");
    fixture.fake.set(100, 160, true);
    fixture.turn(110);
    assert_eq!(fixture.events(), ["Created", "Escalated"]);
}

#[test]
fn without_escalation_it_waits_for_the_next_report() {
    let fixture = fixture();
    fixture.fake.set(0, 60, false);
    fixture.report(1, "Critical");
    fixture.turn(60);
    assert_eq!(fixture.events(), ["Created"]);
    let repeated = fixture.report(61, "Critical");
    assert_eq!(
        (repeated.result, repeated.status, repeated.alert_type.as_deref()),
        ("repeated", Some("New"), Some("Monitoring"))
    );
    assert!(fixture.last().get("maintenance").is_none());
}

#[test]
fn conditions_decide_and_are_asked_again_when_the_state_changes() {
    let fixture = fixture();
    fixture.fake.set(0, 60, true);
    *fixture.fake.expects.lock().unwrap() = "Warning";
    assert_eq!(fixture.report(1, "Warning").alert_type.as_deref(), Some("Maintenance"));
    let worse = fixture.report(2, "Critical");
    assert_eq!((worse.status, worse.alert_type.as_deref()), (Some("New"), Some("Monitoring")));
    fixture.report(3, "Ok");
    assert_eq!(fixture.report(4, "Critical").alert_type.as_deref(), Some("Monitoring"), "not what the window expects");
    fixture.turn(60);
    assert!(!fixture.events().contains(&"Escalated".to_owned()));
}

#[test]
fn what_an_open_window_does_not_cover_any_more_is_released() {
    let fixture = fixture();
    fixture.fake.set(0, 60, true);
    let expects = |state| *fixture.fake.expects.lock().unwrap() = state;
    fixture.report(1, "Critical");
    fixture.turn(2);
    assert_eq!(fixture.events(), ["Created"], "it covers it");
    let held = fixture.last()["suppression"].clone();
    fixture.report(3, "Critical");
    assert_eq!(fixture.last()["suppression"], held, "it is held back since then");
    // The machine leaves the window, or its conditions change.
    expects("Warning");
    fixture.turn(4);
    let alert = fixture.last();
    assert_eq!((&alert["lastEvent"], &alert["status"]), (&json!("Escalated"), &json!("New")));
    assert_eq!(alert["maintenance"]["until"], Timestamp::from_millis(START + 4 * MINUTE).to_string());
    fixture.turn(5);
    fixture.turn(60);
    assert_eq!(fixture.events(), ["Created", "Repeated", "Escalated"], "once");
}

#[test]
fn what_its_window_does_not_cover_any_more_is_handed_to_another() {
    let fixture = fixture();
    let expects = |state| *fixture.fake.expects.lock().unwrap() = state;
    let held_by =
        || fixture.last()["suppression"].as_object().map(|_| fixture.last()["maintenance"]["uniqueId"].clone());
    // Each of the two is the one that is open longer.
    for (end, other_end) in [(60, 10), (10, 60)] {
        expects("");
        fixture.fake.set(0, end, end < other_end);
        fixture.fake.set_other(0, 0, true);
        fixture.report(1, "Critical");
        fixture.fake.set_other(0, other_end, end > other_end);
        let before = fixture.events().len();
        (1..4).for_each(|minute| fixture.turn(minute));
        assert_eq!((held_by(), fixture.events().len()), (Some(json!("SM-1")), before), "it stays where it is");
        expects("Warning");
        (4..8).for_each(|minute| fixture.turn(minute));
        assert_eq!((held_by(), fixture.events().len()), (Some(json!("SM-2")), before + 1), "it moves once");
        fixture.turn(other_end);
        let escalated = if end > other_end { "Escalated" } else { "Created" };
        assert_eq!(fixture.last()["lastEvent"], escalated, "as the other window says");
        fixture.report(61, "Ok");
    }
}

#[test]
fn what_a_window_held_that_opened_again_is_handed_to_another() {
    let fixture = fixture();
    fixture.fake.set(0, 60, true);
    fixture.report(1, "Critical");
    fixture.fake.set(100, 160, true);
    fixture.fake.set_other(100, 120, true);
    fixture.turn(110);
    assert_eq!(fixture.last()["maintenance"]["uniqueId"], "SM-2");
    fixture.turn(119);
    assert_eq!(fixture.events().len(), 2, "once");
}

#[test]
fn a_clock_that_went_back_keeps_no_alert() {
    let fixture = fixture();
    fixture.fake.set(-60, 60, true);
    fixture.report(1, "Critical");
    let mut watch = windows::Watch::new(&fixture.db, Arc::clone(&fixture.neighbours));
    let mut turn = |minute: i64| watch.turn(&fixture.db, Timestamp::from_millis(START + minute * MINUTE)).unwrap();
    turn(2);
    *fixture.fake.expects.lock().unwrap() = "Warning";
    turn(-30);
    assert_eq!(fixture.events().last().unwrap(), "Escalated");
}

#[test]
fn the_next_report_asks_an_open_window_again() {
    let fixture = fixture();
    for escalates in [true, false] {
        fixture.fake.set(0, 60, escalates);
        *fixture.fake.expects.lock().unwrap() = "";
        assert_eq!(fixture.report(1, "Critical").status, Some("Suppressed"));
        *fixture.fake.expects.lock().unwrap() = "Warning";
        if !escalates {
            fixture.turn(2);
        }
        let repeated = fixture.report(3, "Critical");
        assert_eq!((repeated.result, repeated.status), ("repeated", Some("New")));
        assert_eq!(repeated.alert_type.as_deref(), Some("Monitoring"));
        fixture.report(4, "Ok");
    }
}

#[test]
fn all_that_windows_hold_back_is_asked_about_in_turns() {
    let fixture = fixture();
    fixture.fake.set(0, 60, true);
    let reports: Vec<Value> =
        (0..250).map(|n| json!({"currentState": "Critical", "metric": format!("m{n}"), "device": "web-01"})).collect();
    fixture.post(1, json!(reports));
    *fixture.fake.expects.lock().unwrap() = "Warning";
    let mut watch = windows::Watch::new(&fixture.db, Arc::clone(&fixture.neighbours));
    let mut turn = |seconds: i64| {
        watch.turn(&fixture.db, Timestamp::from_millis(START + 2 * MINUTE + seconds * 1_000)).unwrap();
        fixture.events().iter().filter(|event| *event == "Escalated").count()
    };
    assert_eq!([0, 1, 2, 3].map(&mut turn), [100, 200, 250, 250]);
}

#[test]
fn an_alert_from_before_the_machine_was_known_goes_on() {
    let fixture = fixture();
    *fixture.fake.knows.lock().unwrap() = false;
    let unknown = fixture.report(1, "Critical");
    assert_eq!((unknown.result, unknown.resource_id, unknown.warnings.len()), ("created", None, 1));
    *fixture.fake.knows.lock().unwrap() = true;
    let known = fixture.report(2, "Critical");
    assert_eq!((known.result, known.resource_id.as_deref(), known.repeat_count), ("repeated", Some("r-1"), Some(2)));
    assert_eq!(known.id, unknown.id);
    assert_eq!(fixture.report(3, "Ok").result, "closed");
    assert_eq!(fixture.report(4, "Critical").result, "created");
}

#[test]
fn a_window_is_asked_once_the_machine_of_an_alertmanager_is_known() {
    let fixture = fixture();
    fixture.fake.set(0, 60, true);
    *fixture.fake.knows.lock().unwrap() = false;
    let notification = json!({"version": "4", "status": "firing", "alerts": [{"status": "firing",
        "labels": {"alertname": "Load", "instance": "web-01", "severity": "critical"}, "fingerprint": "f1"}]});
    let say = |minute| fixture.take_in(minute, alertmanager::read(&notification).unwrap()).remove(0);
    let unknown = say(1);
    assert_eq!((unknown.result, unknown.alert_type.as_deref()), ("created", Some("Monitoring")));
    *fixture.fake.knows.lock().unwrap() = true;
    let known = say(2);
    assert_eq!((known.result, known.alert_type.as_deref()), ("repeated", Some("Maintenance")));
    assert_eq!(known.id, unknown.id);
}

#[test]
fn a_batch_counts_each_report_and_tells_each_alert_once() {
    let fixture = fixture();
    let report =
        |state: &str, metric: usize| json!({"currentState": state, "metric": format!("m{metric}"), "device": "web-01"});
    let mut batch: Vec<Value> = (0..600).map(|number| report("Warning", number % 200)).collect();
    batch.push(json!({"currentState": "Critical"}));
    batch.extend((0..100).map(|number| report("Ok", number)));
    let results = fixture.post(1, Value::Array(batch.clone()));
    assert_eq!(results.len(), 701);
    assert_eq!(
        (results[0].result, results[200].result, results[600].result, results[601].result),
        ("created", "repeated", "invalid", "closed")
    );
    assert!(results[..600].iter().all(|result| result.repeat_count == Some(3)));
    assert_eq!(fixture.published_alerts().len(), 200);
    let again = fixture.post(2, Value::Array(batch));
    assert_eq!((again[0].result, again[150].result, again[150].repeat_count), ("created", "repeated", Some(6)));
    assert_ne!(again[0].id, results[0].id);
    assert_eq!(again[150].id, results[150].id);
}

#[test]
fn a_recovery_closes_all_that_is_open_under_its_key() {
    let closed = |fixture: &Fixture| {
        let alerts = fixture.published_alerts().into_iter().filter(|alert| alert["lastEvent"] == "Closed");
        alerts.map(|alert| alert["clientUniqueId"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    // It names no machine, that of one of them, that of another tenant, or one that nobody knows.
    for (opened, named, at) in [
        (&["web-01", "web-02"][..], "", &["client_1", "client_2"][..]),
        (&["web-01", "web-02"], "web-02", &["client_1", "client_2"]),
        (&["web-01"], "web-02", &["client_1"]),
        (&["web-01", "web-02"], "gone", &["client_1", "client_2"]),
        (&["gone"], "web-01", &["msp_1"]),
    ] {
        for together in [false, true] {
            let fixture = fixture();
            let mut said: Vec<_> = opened.iter().map(|host| ("Critical", *host)).collect();
            said.push(("Ok", named));
            let results = match together {
                true => fixture.say_keyed(1, &said),
                false => (1..).zip(said).flat_map(|(minute, one)| fixture.say_keyed(minute, &[one])).collect(),
            };
            assert_eq!(results.last(), Some(&"closed"), "{opened:?} {named}: {results:?}");
            let mut tenants = closed(&fixture);
            tenants.sort_unstable();
            tenants.dedup();
            assert_eq!(tenants, at, "{opened:?} {named}");
            assert_eq!(fixture.say_keyed(9, &[("Ok", named)]), ["ignored"], "{opened:?} {named}");
        }
    }
}

#[test]
fn what_is_said_of_a_problem_is_about_what_is_open_or_else_about_the_last_alert() {
    let fixture = fixture();
    let alerts = || {
        let of = Report { key: Some("k".into()), ..Report::default() };
        let neighbours = Arc::clone(&fixture.neighbours);
        let found = fixture.db.read_here(|conn| intake::alerts_of(conn, &neighbours, &address_of_partner(), &of));
        let found = found.unwrap().into_iter();
        found.map(|alert| (alert.tenant_id, alert.closed_ms.is_some())).collect::<Vec<_>>()
    };
    let known = |tenant: &str, is_closed| (tenant.to_owned(), is_closed);
    assert_eq!(alerts(), []);
    fixture.say_keyed(1, &[("Critical", "web-02")]);
    fixture.say_keyed(2, &[("Critical", "web-01")]);
    assert_eq!(alerts(), [known("client_1", false), known("client_2", false)]);
    fixture.say_keyed(3, &[("Ok", "")]);
    assert_eq!(alerts(), [known("client_1", true)]);
    fixture.say_keyed(4, &[("Warning", "web-02")]);
    assert_eq!(alerts(), [known("client_2", false)]);
}
