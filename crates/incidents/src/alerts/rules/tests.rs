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
    open_alert(&report, "client_1", "", "p", "ALT-1".to_owned(), NOW)
}

/// A report of a machine as of so many seconds after the first one.
fn at(state: &str, second: i64) -> Report {
    let time = Timestamp::from_millis(NOW.millis() - 60_000 + second * 1_000).to_string();
    report(json!({"currentState": state, "metric": "load", "alertTime": time}))
}

fn open(state: &str) -> Alert {
    open_alert(&at(state, 10), "client_1", "", "p", "ALT-1".to_owned(), NOW)
}

#[test]
fn reports_count_in_their_order_and_times_only_against_each_other() {
    for (alert, report, expected) in [
        (None, at("Critical", 0), Step::Open),
        (None, at("Ok", 0), Step::Ignore),
        (Some(open("Warning")), at("Warning", 10), Step::Repeat),
        (Some(open("Warning")), at("Warning", 5), Step::Repeat),
        (Some(open("Warning")), at("Critical", 11), Step::Change("Critical")),
        (Some(open("Warning")), at("Critical", 5), Step::Change("Critical")),
        (Some(open("Critical")), at("Warning", 5), Step::Late),
        (Some(open("Critical")), at("Warning", 10), Step::Change("Warning")),
        (Some(open("Critical")), report(json!({"currentState": "Warning", "metric": "load"})), Step::Change("Warning")),
        (Some(open("Warning")), at("Ok", 10), Step::Close),
        (Some(open("Warning")), at("Ok", 9), Step::Other),
        (Some(open("Warning")), report(json!({"currentState": "Ok", "metric": "load"})), Step::Close),
    ] {
        assert_eq!(step(alert.as_ref(), &report, NOW), expected, "{alert:?} {report:?}");
    }
    // A sender that gives no times is not held against the clock of the service.
    let plain = report(json!({"currentState": "Critical", "metric": "load"}));
    let plain = open_alert(&plain, "client_1", "", "p", "ALT-1".to_owned(), NOW);
    assert_eq!(step(Some(&plain), &at("Warning", 0), NOW), Step::Change("Warning"));
    assert_eq!(step(Some(&plain), &at("Ok", 0), NOW), Step::Close);
}

#[test]
fn a_recovery_closes_the_instance_that_it_names() {
    let instance = |state: &str, start: i64, end: Option<i64>, event: &str| Report {
        start: Some(Timestamp::from_millis(NOW.millis() - 60_000 + start * 1_000)),
        event: event.to_owned(),
        ..match end {
            Some(end) => at(state, end),
            None => at(state, start),
        }
    };
    let alert = |report: &Report| open_alert(report, "client_1", "", "p", "ALT-1".to_owned(), NOW);
    let second = alert(&instance("Critical", 30, None, ""));
    for (report, expected) in [
        (instance("Ok", 10, Some(20), ""), Step::Other),
        (instance("Ok", 10, Some(40), ""), Step::Close),
        (instance("Ok", 30, Some(20), ""), Step::Close),
    ] {
        assert_eq!(step(Some(&second), &report, NOW), expected, "{report:?}");
    }
    let named = alert(&instance("Critical", 30, None, "7"));
    for (report, expected) in [
        (instance("Ok", 10, Some(20), "7"), Step::Close),
        (instance("Ok", 30, Some(40), "8"), Step::Other),
        (instance("Ok", 30, Some(40), ""), Step::Close),
    ] {
        assert_eq!(step(Some(&named), &report, NOW), expected, "{report:?}");
    }
}

#[test]
fn of_two_routes_to_one_alert_the_worse_one_counts() {
    let by =
        |route: &'static str, state: &str| Report { route, ..report(json!({"currentState": state, "subject": "s"})) };
    let mut alert = open_alert(&by("opsgenie", "Warning"), "client_1", "", "p", "ALT-1".to_owned(), NOW);
    let mut say = |report: Report| {
        let step = step(Some(&alert), &report, NOW);
        let changed = if let Step::Change(state) = step { Some(state) } else { None };
        apply_report(&mut alert, &report, changed, NOW);
        alert.current_state.clone()
    };
    assert_eq!(say(by("pagerduty", "Critical")), "Critical");
    assert_eq!(say(by("opsgenie", "Warning")), "Critical");
    assert_eq!(say(by("pagerduty", "Info")), "Warning");
    assert_eq!(say(by("opsgenie", "Info")), "Info");
}

#[test]
fn times_are_whole_seconds_and_never_ahead() {
    let at = |text: &str| time(&report(json!({"currentState": "Ok", "subject": "s", "alertTime": text})), NOW);
    assert_eq!(time(&report(json!({"currentState": "Ok", "subject": "s"})), NOW), 1_795_000_000_000);
    assert_eq!(at("2036-01-01T00:00:00Z"), 1_795_000_000_000);
    assert_eq!(at("2026-01-01T00:00:00Z"), 1_767_225_600_000);
}

#[test]
fn a_problem_is_named_by_sender_resource_metric_and_component() {
    let named = |body, sender: &str| problems(&report(body), sender, None).remove(0);
    let body = json!({"currentState": "Ok", "metric": "load", "component": "cpu", "device": "Web-01"});
    let one = named(body.clone(), "");
    let same =
        json!({"currentState": "Info", "subject": "x", "serviceName": "load", "component": "cpu", "device": "web-01"});
    assert_eq!(one, named(same, ""), "machines have the same name whatever the letter case");
    assert_ne!(one, named(body, "INB-1"));
    for other in [
        json!({"currentState": "Ok", "metric": "load", "component": "cpu", "device": "web-02"}),
        json!({"currentState": "Ok", "metric": "load", "component": "Cpu", "device": "web-01"}),
        json!({"currentState": "Ok", "metric": "Load", "component": "cpu", "device": "web-01"}),
        json!({"currentState": "Ok", "metric": "load", "device": "web-01"}),
        json!({"currentState": "Ok", "subject": "load", "component": "cpu", "device": "web-01"}),
    ] {
        assert_ne!(one, named(other.clone(), ""), "{other}");
    }
    let resource = ResourceSummary {
        id: "r".into(),
        tenant_id: "client_1".into(),
        name: String::new(),
        host_name: "web-01".into(),
        ip_address: String::new(),
        resource_type: String::new(),
    };
    let body = json!({"currentState": "Ok", "metric": "load", "component": "cpu", "device": "web-01"});
    let all = problems(&report(body), "", Some(&resource));
    assert_eq!((all.len(), all[1] == one), (4, true), "and by what it was called before it was known, and before that");
}

#[test]
fn a_key_counts_to_its_end_and_finds_what_it_was_called_before() {
    let keyed =
        |key: &str| Report { key: Some(key.to_owned()), ..report(json!({"currentState": "Ok", "subject": "s"})) };
    let long = "a".repeat(2_000);
    let one = problems(&keyed(&format!("{long}1")), "INB-1", None);
    let other = problems(&keyed(&format!("{long}2")), "INB-1", None);
    assert_ne!(one[0], other[0]);
    assert_eq!(one[1], other[1], "which was cut");
    assert_eq!(problems_of_key("INB-1", "k")[1], "78acab34c2799644f41eb7db44394afd");
    assert_eq!(problems_of_key("INB-1", "k").to_vec(), problems(&keyed("k"), "INB-1", None));
    // As it was before senders were told apart.
    let alertmanager = Report { former: super::super::report::LegacyIdentity::KeyAlone, ..keyed("f1") };
    let at_one = problems(&alertmanager, "INB-1", None);
    let at_other = problems(&alertmanager, "INB-2", None);
    assert_eq!((at_one[0] == at_other[0], &at_one[1]), (false, &at_other[1]));
    assert_eq!(at_one[1], "9cd3a289cdaba0076c340909cd87d81d");
}

#[test]
fn an_acknowledgement_ends_when_it_gets_worse_or_is_taken_back() {
    let mut alert = alert();
    act(&mut alert, Action::Acknowledge, Person::default(), "on it".to_owned(), NOW).unwrap();
    let worse = report(json!({"currentState": "Critical", "metric": "load"}));
    apply_report(&mut alert, &worse, Some("Critical"), NOW);
    assert!(is_raised(&alert));
    reopen_alert(&mut alert, "Warning", "Critical", NOW);
    let shown = alert.to_wire(NOW);
    assert_eq!((shown.status, shown.acknowledgement), ("New", None));
    assert_eq!(shown.unacknowledgement.unwrap().note, "raised from Warning to Critical");
    assert_eq!(shown.previous_acknowledgement.unwrap().note, "on it");
    act(&mut alert, Action::Acknowledge, Person::default(), String::new(), NOW).unwrap();
    apply_report(&mut alert, &at("Warning", 1), Some("Warning"), NOW);
    assert!(!is_raised(&alert), "it got better");
    act(&mut alert, Action::Unacknowledge, Person::default(), "away".to_owned(), NOW).unwrap();
    assert_eq!((alert.status(NOW), alert.document.last_event.as_str()), ("New", "Unacknowledged"));
    assert!(act(&mut alert, Action::Unacknowledge, Person::default(), String::new(), NOW).is_err());
}

#[test]
fn a_worse_report_changes_it_and_the_old_state_is_kept() {
    let mut alert = alert();
    let worse = report(json!({"currentState": "Critical", "metric": "load", "subject": "Load is 31"}));
    apply_report(&mut alert, &worse, Some("Critical"), NOW);
    let shown = alert.to_wire(NOW);
    assert_eq!((shown.current_state, shown.old_state, shown.repeat_count), ("Critical", "Warning", 2));
    assert_eq!((shown.subject, shown.last_event, shown.status), ("Load is 31", "Changed", "New"));
    apply_report(&mut alert, &worse, None, NOW);
    assert_eq!((alert.document.old_state.as_str(), alert.document.last_event.as_str()), ("Warning", "Repeated"));
}

#[test]
fn actions_and_the_states_that_allow_them() {
    let later = Timestamp::from_millis(NOW.millis() + 5_000);
    let after = Timestamp::from_millis(NOW.millis() + 6_000);
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
    suppress_by_window(&mut alert, &cover, NOW);
    let shown = alert.to_wire(NOW);
    assert_eq!(
        (shown.alert_type, shown.status, shown.maintenance.unwrap().name.as_str()),
        ("Maintenance", "Suppressed", "night")
    );
    assert!(act(&mut alert, Action::Suppress(None), Person::default(), String::new(), NOW).is_err());
    let mut kept = alert.clone();
    end_window(&mut kept, None, NOW);
    assert_eq!((kept.status(cover.until), kept.suppression.as_str()), ("Suppressed", KEPT));
    let until = kept.document.suppression.as_ref().and_then(|suppression| suppression.until.as_deref());
    assert_eq!((until, kept.suppressed_until_ms), (Some(NOW.to_string().as_str()), Some(NOW.millis())));
    kept.release();
    assert_eq!((kept.document.alert_type.as_str(), kept.status(NOW)), ("Agent", "New"));
    let escalation = Escalation { time: NOW.to_string(), on_call: Vec::new() };
    end_window(&mut alert, Some(escalation), NOW);
    let shown = alert.to_wire(NOW);
    assert_eq!((shown.alert_type, shown.status, shown.last_event), ("Maintenance", "New", "Escalated"));
}

#[test]
fn the_texts_of_a_recovery_are_the_note_of_the_closure() {
    let over = |body: serde_json::Value| {
        let mut alert = alert();
        "full".clone_into(&mut alert.document.description);
        close_by_recovery(&mut alert, &report(body), NOW);
        alert.document.closure.as_ref().unwrap().note.clone()
    };
    let said =
        json!({"currentState": "Ok", "subject": "Load is 1", "description": "somebody looked", "metric": "load"});
    assert_eq!(over(said), "Load is 1: somebody looked");
    let same = json!({"currentState": "Ok", "subject": "Load", "description": "full", "metric": "load"});
    assert_eq!(over(same), "", "what is known already is not said again");
    let mut noted = alert();
    let report = Report { state: "Ok", note: "n".repeat(5_000), repairs: vec!["r".into()], ..Report::default() };
    close_by_recovery(&mut noted, &report, NOW);
    assert_eq!(noted.document.closure.as_ref().unwrap().note.len(), LONGEST_TEXT);
    assert_eq!(
        (noted.document.subject.as_str(), noted.document.warnings.as_slice()),
        ("Load", ["r".to_owned()].as_slice())
    );
}

#[test]
fn what_is_stored_of_a_report_is_bounded() {
    let tag = |n| Tag { name: format!("k{n}"), value: "v".into() };
    let event = "e".repeat(7_000);
    let report = Report {
        state: "Critical",
        tags: (0..20_000).map(tag).collect(),
        event: event.clone(),
        note: "n".repeat(5_000),
        ..Report::default()
    };
    let mut alert = open_alert(&report, "client_1", "", "p", "ALT-1".to_owned(), NOW);
    assert_eq!(alert.document.tags.len(), MOST_TAGS);
    assert_eq!(alert.document.warnings, ["only the first 200 of 20000 tags are kept"]);
    assert!(alert.document.event.len() <= LONGEST_NAME);
    apply_report(&mut alert, &report, None, NOW);
    assert_eq!(alert.document.notes.len(), 1, "what is said again is one note");
    let over = |event: String| Report { state: "Ok", event, ..Report::default() };
    assert_eq!(step(Some(&alert), &over(format!("{event}x")), NOW), Step::Other);
    assert_eq!(step(Some(&alert), &over(event), NOW), Step::Close);
    act(&mut alert, Action::Acknowledge, Person::default(), "n".repeat(5_000), NOW).unwrap();
    assert_eq!(alert.document.acknowledgement.as_ref().unwrap().note.len(), LONGEST_TEXT);
}
