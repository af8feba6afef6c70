use serde_json::json;

use super::*;

#[test]
fn what_an_alert_says_is_text() {
    let alert = json!({"subject": "<script>alert(1)</script>", "status": "New", "description": "\"><img src=x>",
        "device": {"name": "<b>"}});
    let page = AnswerPage {
        person: "<s>".to_owned(),
        people: vec![Person {
            first_name: Some("<i>".to_owned()),
            mobile_number: Some("+43 1 <5>".to_owned()),
            ..Person::default()
        }],
        step: Some(1),
        may_close: true,
        article: Some((
            Reference { title: "<tr>".to_owned(), path: "\"<td>".to_owned() },
            "<script>x</script> <u>".to_owned(),
        )),
        articles: vec![Reference { title: "<em>".to_owned(), path: "<a>".to_owned() }],
        jobs: vec![PageJob { id: "J".to_owned(), name: "<tt>".to_owned(), last: None }],
        ..AnswerPage::alert(&alert)
    };
    let page = page.render("a\"b", "<u>", &Question::None, Timestamp::from_millis(0));
    for tag in ["<script", "<img", "<b>", "<i>", "<u>", "<s>", "<em>", "<tt>", "<tr>", "<td>", "a\"b"] {
        assert!(!page.contains(tag), "{tag}: {page}");
    }
    assert_eq!((page.matches("<form").count(), page.matches("step=1").count()), (5, 1));
}

#[test]
fn what_an_incident_says_is_text_and_its_status_says_what_can_be_answered() {
    let hostile = || "<script>".to_owned();
    let at = Timestamp::from_millis(0);
    let incident = |status: &str| IncidentRecord {
        tenant_id: "client_1".to_owned(),
        id: "INC0000000001".to_owned(),
        subject: hostile(),
        description: hostile(),
        priority: "High".to_owned(),
        status: status.to_owned(),
        created_by: String::new(),
        assignee: String::new(),
        machines: vec![hostile()],
        machine_ids: Vec::new(),
        alerts: vec![hostile()],
        notes: vec![(at, String::new(), hostile())],
        created: at,
        resolved: None,
        closed: None,
    };
    for (status, buttons) in [("New", 3), ("Pending", 3), ("Open", 1), ("Resolved", 0), ("Closed", 0)] {
        for may_close in [true, false] {
            let page = AnswerPage { may_close, ..AnswerPage::incident(&incident(status), hostile()) };
            let page = page.render("t", "", &Question::None, at);
            let closes = usize::from(buttons > 0 && !may_close);
            // One more opens the console.
            assert_eq!(page.matches("<form").count(), buttons - closes + 1, "{page}");
            assert_eq!((page.matches(MAY_NOT_CLOSE).count(), page.matches("<script").count()), (closes, 0), "{page}");
        }
    }
}

#[test]
fn closing_is_asked_about_first() {
    let page = AnswerPage { may_close: true, ..AnswerPage::alert(&json!({"status": "New"})) };
    let now = Timestamp::from_millis(0);
    let first = page.render("t", "", &Question::None, now);
    assert!(!first.contains("action=close") && first.contains("name=\"confirm\" value=\"close\""), "{first}");
    let second = page.render("t", "", &Question::Close, now);
    assert!(second.contains("action=close") && !second.contains("action=acknowledge"), "{second}");
    let may_not = AnswerPage { may_close: false, ..page }.render("t", "", &Question::Close, now);
    assert!(!may_not.contains("action=close"), "{may_not}");
}

#[test]
fn times_are_local_and_have_an_age() {
    let alert = json!({"status": "New", "firstAlertTime": "2026-07-01T20:37:00+0000"});
    let page = AnswerPage { zone: Zone::find("Europe/Paris"), ..AnswerPage::alert(&alert) };
    let now = Timestamp::parse("2026-07-01T20:49:59+0000").unwrap_or(Timestamp::from_millis(0));
    assert!(page.render("t", "", &Question::None, now).contains("12 min ago, 22:37 (Europe/Paris)"));
    let page = AnswerPage { zone: None, ..page }.render("t", "", &Question::None, now);
    assert!(page.contains("12 min ago<") && !page.contains("GMT") && !page.contains("+0000"), "{page}");
    let texts = [
        (0, "now"),
        (59_999, "now"),
        (7_140_000, "119 min ago"),
        (7_200_000, "2 h ago"),
        (-180_000, "in 3 min"),
        (172_800_000, "2 days ago"),
    ];
    assert!(texts.iter().all(|(millis, text)| distance(*millis) == *text));
}

#[test]
fn people_are_called_by_their_mobile_number_first() {
    let person = |mobile: Option<&str>| Person {
        mobile_number: mobile.map(ToOwned::to_owned),
        phone_number: Some("01 2345".to_owned()),
        ..Person::default()
    };
    let page = AnswerPage { people: vec![person(Some("+43 660 1")), person(None)], ..AnswerPage::default() };
    let page = page.render("t", "", &Question::None, Timestamp::from_millis(0));
    assert!(page.contains("href=\"tel:+436601\"") && page.contains("href=\"tel:012345\""), "{page}");
}
