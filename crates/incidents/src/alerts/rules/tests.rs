//! What becomes of problems.

use ports::Cover;
use serde_json::json;

use super::*;
use crate::alerts::wire::Escalation;

const NOW: Timestamp = Timestamp::from_millis(1_795_000_000_700);

fn report(body: serde_json::Value) -> Report {
    Report::read(&body).unwrap()
}

fn alert() -> Alert {
    let report = report(json!({"currentState": "Warning", "subject": "Load", "metric": "load", "alertType": "Agent"}));
    opened(&report, "client_1", "p", "ALT-1".to_owned(), NOW)
}

fn known(alert_id: &str, settled_ms: i64) -> Known {
    let (tenant_id, problem) = ("client_1".to_owned(), "p".to_owned());
    Known { tenant_id, problem, alert_id: alert_id.to_owned(), is_open: false, settled_ms }
}

#[test]
fn what_a_report_does_depends_on_what_is_known_and_when_it_was() {
    let open = Some(("Warning", 50));
    for (known, open, state, time, expected) in [
        (None, None, "Critical", 10, Step::Open),
        (None, None, "Ok", 10, Step::Settle),
        (Some(known("a", i64::MIN)), open, "Warning", 50, Step::Repeat),
        (Some(known("a", i64::MIN)), open, "Critical", 51, Step::Change),
        (Some(known("a", i64::MIN)), open, "Critical", 49, Step::Late),
        (Some(known("a", i64::MIN)), open, "Ok", 49, Step::Ignore),
        (Some(known("a", i64::MIN)), open, "Ok", 50, Step::Close),
        (Some(known("a", 60)), None, "Warning", 59, Step::Late),
        (Some(known("", 60)), None, "Warning", 59, Step::Ignore),
        (Some(known("a", 60)), None, "Warning", 60, Step::Open),
        (Some(known("a", 60)), None, "Ok", 70, Step::Settle),
    ] {
        assert_eq!(step(known.as_ref(), open, state, time), expected, "{known:?} {open:?} {state} {time}");
    }
}

#[test]
fn times_are_whole_seconds_and_never_ahead() {
    let at = |text: &str| time(&report(json!({"currentState": "Ok", "subject": "s", "alertTime": text})), NOW);
    assert_eq!(time(&report(json!({"currentState": "Ok", "subject": "s"})), NOW), 1_795_000_000_000);
    assert_eq!(at("2036-01-01T00:00:00Z"), 1_795_000_000_000);
    assert_eq!(at("2026-01-01T00:00:00Z"), 1_767_225_600_000);
}

#[test]
fn a_problem_is_named_by_resource_metric_and_component_whatever_the_letter_case() {
    let named = |body| problems(&report(body), None).remove(0);
    let one = named(json!({"currentState": "Ok", "metric": "Load", "component": "CPU", "device": "Web-01"}));
    let same =
        json!({"currentState": "Info", "subject": "x", "serviceName": "load", "component": "cpu", "device": "web-01"});
    assert_eq!(one, named(same));
    for other in [
        json!({"currentState": "Ok", "metric": "load", "component": "cpu", "device": "web-02"}),
        json!({"currentState": "Ok", "metric": "load", "device": "web-01"}),
        json!({"currentState": "Ok", "subject": "load", "component": "cpu", "device": "web-01"}),
    ] {
        assert_ne!(one, named(other.clone()), "{other}");
    }
    let resource = KnownResource {
        id: "r".into(),
        tenant_id: "client_1".into(),
        name: String::new(),
        host_name: "web-01".into(),
        ip_address: String::new(),
        resource_type: String::new(),
    };
    let body = json!({"currentState": "Ok", "metric": "load", "component": "cpu", "device": "web-01"});
    let both = problems(&report(body), Some(&resource));
    assert_eq!((both.len(), both[1] == one), (2, true), "and by what it was called before it was known");
}

#[test]
fn a_worse_report_changes_it_and_the_old_state_is_kept() {
    let mut alert = alert();
    let worse = report(json!({"currentState": "Critical", "metric": "load", "subject": "Load is 31"}));
    reported(&mut alert, &worse, NOW);
    let shown = alert.shown(NOW);
    assert_eq!((shown.current_state, shown.old_state, shown.repeat_count), ("Critical", "Warning", 2));
    assert_eq!((shown.subject, shown.last_event, shown.status), ("Load is 31", "Changed", "New"));
    reported(&mut alert, &worse, NOW);
    assert_eq!((alert.document.old_state.as_str(), alert.document.last_event.as_str()), ("Warning", "Repeated"));
}

#[test]
fn actions_and_the_states_that_allow_them() {
    let (later, after) = (Timestamp::from_millis(NOW.millis() + 5_000), Timestamp::from_millis(NOW.millis() + 6_000));
    let act = |alert: &mut Alert, action| act(alert, action, Person::default(), "why".to_owned(), NOW);
    let mut alert = alert();
    assert!(act(&mut alert, Action::Unsuppress).is_err());
    act(&mut alert, Action::Suppress(Some(later))).unwrap();
    assert_eq!((alert.status(NOW), alert.status(after)), ("Suppressed", "New"), "it runs out by itself");
    act(&mut alert, Action::Acknowledge).unwrap();
    assert!(act(&mut alert, Action::Acknowledge).is_err());
    assert_eq!((alert.status(NOW), alert.status(after)), ("Suppressed", "Acknowledged"));
    act(&mut alert, Action::Suppress(None)).unwrap();
    assert_eq!(alert.status(after), "Suppressed");
    act(&mut alert, Action::Unsuppress).unwrap();
    assert_eq!(alert.document.unsuppression.as_ref().map(|note| note.note.as_str()), Some("why"));
    act(&mut alert, Action::Close).unwrap();
    assert_eq!((alert.status(NOW), alert.current_state.as_str()), ("Closed", "Warning"));
    for action in [Action::Acknowledge, Action::Suppress(None), Action::Unsuppress, Action::Close] {
        assert!(act(&mut alert, action).is_err(), "{action:?}");
    }
}

#[test]
fn a_window_takes_an_alert_and_gives_it_back() {
    let cover = Cover {
        window: ports::Window { tenant_id: "client_1".into(), unique_id: "SM-1".into(), name: "night".into() },
        since: NOW,
        until: Timestamp::from_millis(NOW.millis() + 60_000),
        run_escalation_action: true,
    };
    let mut alert = alert();
    expected(&mut alert, &cover, NOW);
    let shown = alert.shown(NOW);
    assert_eq!(
        (shown.alert_type, shown.status, shown.maintenance.unwrap().name.as_str()),
        ("Maintenance", "Suppressed", "night")
    );
    assert!(act(&mut alert, Action::Suppress(None), Person::default(), String::new(), NOW).is_err());
    let mut kept = alert.clone();
    outlasted(&mut kept, None, NOW);
    assert_eq!((kept.status(cover.until), kept.suppression.as_str()), ("Suppressed", KEPT));
    let until = kept.document.suppression.as_ref().and_then(|suppression| suppression.until.as_deref());
    assert_eq!((until, kept.suppressed_until_ms), (Some(NOW.to_string().as_str()), Some(NOW.millis())));
    kept.release();
    assert_eq!((kept.document.alert_type.as_str(), kept.status(NOW)), ("Agent", "New"));
    let escalation = Escalation { time: NOW.to_string(), on_call: Vec::new() };
    outlasted(&mut alert, Some(escalation), NOW);
    let shown = alert.shown(NOW);
    assert_eq!((shown.alert_type, shown.status, shown.last_event), ("Maintenance", "New", "Escalated"));
}
