//! Refusals of the service: the console shows its words where people acted, and keeps what they typed.

use muster_tests::{chromium::Window, in_browser, unique};
use serde_json::json;

use super::{REFUSAL, company, demo, follow, meddle, open, screens, signed_in, text};

in_browser![
    refusals_are_shown_and_lose_nothing,
    every_screen_says_why_it_has_nothing_to_show,
    what_is_sent_again_since_its_answer_was_lost_is_done_once,
];

/// What somebody does on a screen.
enum Does {
    Clicks(&'static str),
    /// By a selector.
    Types(&'static str, &'static str),
    /// The same, once the choices are there: the one of this number.
    Chooses(&'static str, usize),
    Presses(&'static str),
}

use Does::{Chooses, Clicks, Presses, Types};

/// What is done on each screen, up to what the service refuses.
#[rustfmt::skip]
fn actions() -> Vec<(&'static str, Vec<Does>)> {
    vec![
        ("on-call", vec![
            Clicks("Take over…"), Chooses("[name=user]", 1), Types("[name=note]", "mine"), Clicks("Take over")]),
        ("on-call", vec![Clicks("Swap…"), Types("[name=note]", "mine"), Clicks("Swap")]),
        ("alerts", vec![Presses("j"), Presses("a")]),
        ("alerts/{alert}", vec![Clicks("Acknowledge")]),
        ("alerts/{alert}", vec![Clicks("Open an incident")]),
        ("alerts/{alert}", vec![Clicks("Close…"), Types("textarea", "over"), Clicks("Close")]),
        ("alerts/{alert}", vec![Clicks("Suppress…"), Types("textarea", "later"), Clicks("Suppress")]),
        ("incidents", vec![Clicks("New incident…"), Types("[name=subject]", "Leak"), Clicks("Create")]),
        ("incidents/{incident}", vec![Types("textarea", "Seen"), Clicks("Add note")]),
        ("incidents/{incident}", vec![Clicks("Change…"), Types("[name=subject]", "Flood"), Clicks("Save")]),
        ("incidents/{incident}", vec![Clicks("Close…"), Types("textarea", "Dry"), Clicks("Close")]),
        ("maintenance", vec![
            Clicks("New window…"), Types("[name=name]", "Paint"), Types("[name=devices]", "web-01"), Clicks("Create")]),
        ("maintenance?window={window}", vec![Clicks("Skip the next")]),
        ("maintenance?window={window}", vec![Clicks("Suspend")]),
        ("jobs", vec![Clicks("Run now")]),
        ("jobs", vec![
            Clicks("New script…"), Types("[name=name]", "sweep"), Types("textarea", "echo"), Clicks("Create")]),
        ("jobs/{job}", vec![Clicks("Pause")]),
        ("jobs/{job}", vec![Clicks("Change…"), Types("[name=name]", "Other"), Clicks("Save")]),
        ("knowledge", vec![
            Clicks("New article…"), Types("[name=title]", "Leaks"), Types("textarea", "Text"), Clicks("Publish")]),
        ("knowledge/{article}", vec![Clicks("Change…"), Types("textarea", "Text"), Clicks("Save")]),
        ("routing", vec![
            Clicks("New policy…"), Types("[name=name]", "Night"), Chooses("[name='steps[0].targets[0].kind']", 3),
            Clicks("Create")]),
        ("routing?policy={policy}", vec![
            Clicks("New route…"), Types("[name=name]", "Night"), Types("[aria-label='Key of rule 1']", "metric"),
            Types("[aria-label='Value of rule 1']", "load"), Clicks("Create")]),
        ("routing?policy={policy}", vec![Clicks("Delete…"), Clicks("Delete")]),
        ("routing?host=web-01", vec![]),
        ("deliveries", vec![Clicks("Resend failed deliveries")]),
        ("audit?q=entityId:{site}&row={row}", vec![Clicks("Undo…"), Clicks("Undo")]),
        ("people", vec![Clicks("New person…"), Types("[name=loginName]", "uwe"), Clicks("Create")]),
        ("people?user={user}", vec![Clicks("Deactivate")]),
        ("people?user={user}", vec![Clicks("Create sign-in link")]),
        ("people?user={user}", vec![Clicks("Change…"), Types("[name=mobileNumber]", "+43 1"), Clicks("Save")]),
        ("keys", vec![Clicks("New key…"), Types("[name=name]", "robot"), Clicks("Create")]),
        ("keys", vec![Clicks("New secret…"), Clicks("Create")]),
        ("keys", vec![Clicks("Revoke…"), Clicks("Revoke")]),
        ("settings", vec![
            Clicks("Add e-mail…"), Types("[name=name]", "Mail"), Types("[name=address]", "eva@example.net"),
            Clicks("Add")]),
        ("settings", vec![Clicks("Sign out")]),
    ]
}

/// Things of these tests alone, by the names in the addresses above.
fn things() -> Vec<(&'static str, String)> {
    let company = company(demo());
    let made = |path: &str, body, id: &str| text(&company.post(path, &body).ok()[id]);
    let subject = unique("Refused");
    super::work::report(&company, &subject);
    let schedule = json!({"type": "Recurring", "startTime": "2099-01-01T00:00:00Z", "endTime": "2099-01-01T02:00:00Z",
        "timezone": "GMT", "pattern": {"type": "daily", "dayFrequency": "everyday"}, "endBy": "NEVER"});
    let window = json!({"name": unique("Refused"), "devices": [{"hostName": "web-01"}], "schedule": schedule});
    let job = json!({"name": unique("Refused"), "script": {"jobType": "antivirus"},
        "schedule": {"startDate": "2030-01-01T00:00:00Z", "pattern": {"type": "never"}}});
    let category = company.get("/kb/categorylist").page()["results"][0]["id"].clone();
    let article = json!({"title": unique("Refused"), "content": "x", "category": {"id": category}});
    let policy = json!({"name": unique("Refused"), "steps": [{"targets": [{"owner": true}], "wait": "5m"}]});
    company.post("/apiKeys", &json!({"name": unique("refused"), "role": "viewer"})).ok();
    let user = made("/users", json!({"loginName": unique("ruth"), "lastName": "Ruth"}), "id");
    let site = company.post("/sites", &json!({"name": unique("Refused"), "city": "Graz"})).ok()["id"].to_string();
    company.post(&format!("/sites/{site}"), &json!({"city": "Linz"})).ok();
    let row =
        company.search("/auditLog/search", &format!("entity:Site+entityId:{site}")).page()["results"][0]["id"].clone();
    vec![
        ("{alert}", text(&super::work::alerts(&company, &subject)[0]["id"])),
        ("{incident}", made("/incidents", json!({"subject": unique("Refused")}), "id")),
        ("{window}", made("/scheduleMaintenances", window, "uniqueId")),
        ("{job}", made("/jobs", job, "id")),
        ("{article}", made("/kb/article", article, "id")),
        ("{policy}", made("/escalationPolicies", policy, "id")),
        ("{user}", user),
        ("{site}", site),
        ("{row}", text(&row)),
    ]
}

fn does(window: &Window, one: &Does) {
    match one {
        Clicks(label) => {
            window.click(label);
            // A form may have to ask for what it is about before it is there.
            if label.ends_with('…') {
                window.until("document.querySelector('dialog[open] form')");
            }
        }
        Types(selector, words) => window.fill(selector, words),
        Chooses(selector, number) => {
            let option = format!(
                "(document.querySelector('dialog[open]') || document).querySelector({})?.options[{number}]",
                json!(selector)
            );
            window.until(&option);
            window.fill(selector, &text(&window.evaluate(&format!("{option}.value"))));
        }
        Presses(key) => window.press(key),
    }
}

/// Waits until the words of the service are there, with the id of the request.
#[track_caller]
fn is_told(window: &Window, what: &str) {
    let told = "[...document.querySelectorAll('[role=alert], .toast.bad')]";
    window.until(&format!(
        "{told}.some(one => [{}, {}].every(words => one.textContent.includes(words))) || {told}.length > 3",
        json!(REFUSAL.0),
        json!(REFUSAL.1)
    ));
    let told = text(&window.evaluate(&format!("{told}.map(one => one.textContent).join(' | ')")));
    assert!(told.contains(REFUSAL.0) && told.contains(REFUSAL.1), "{what}: {told}");
}

fn refusals_are_shown_and_lose_nothing() {
    let server = demo();
    let Some(window) = signed_in(server, "admin") else { return };
    let things = things();
    meddle(&window);
    for (path, steps) in actions() {
        let path = things.iter().fold(path.to_owned(), |path, (name, id)| path.replace(name, id));
        window.evaluate("sessionStorage.clear()");
        follow(&window, server, &path);
        // The preview of an undo is a POST that changes nothing.
        window.evaluate("sessionStorage.refused = '^(POST|DELETE) (?!.*/undo.preview=true)'");
        if steps.is_empty() {
            // What is asked for by the address.
            follow(&window, server, &path);
        }
        for step in &steps {
            if matches!(step, Presses("j")) {
                window.until("document.querySelector('.row-link')");
            }
            does(&window, step);
        }
        is_told(&window, &path);
        for step in &steps {
            if let Types(selector, words) = step {
                let field =
                    format!("(document.querySelector('dialog[open]') || document).querySelector({})", json!(selector));
                assert_eq!(window.evaluate(&format!("{field}?.value")), json!(words), "{path}: {selector}");
            }
        }
    }
    assert_eq!(window.complaints(), Vec::<String>::new());
}

/// The service is there and does not answer what a screen shows.
fn every_screen_says_why_it_has_nothing_to_show() {
    let server = demo();
    let Some(window) = signed_in(server, "admin") else { return };
    meddle(&window);
    window.evaluate("sessionStorage.refused = '/api/v2/(tenants/|me/sessions)'");
    for (path, _) in screens::all_screens(server) {
        follow(&window, server, &path);
        is_told(&window, &path);
    }
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn what_is_sent_again_since_its_answer_was_lost_is_done_once() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "operator") else { return };
    meddle(&window);
    let subject = unique("Lost");
    open(&window, server, "incidents", "Incidents");
    window.click("New incident…");
    window.fill("[name=subject]", &subject);
    window.evaluate("sessionStorage.lost = 'POST .*/incidents$'");
    window.click("Create");
    window.until("document.querySelector('dialog [role=alert]')?.textContent.includes('does not answer')");
    window.evaluate("sessionStorage.lost = ''");
    window.click("Create");
    window.until("location.pathname.startsWith('/console/incidents/INC')");
    let found = || company.search("/incidents/search", &format!("subject:{subject}")).page()["totalResults"].clone();
    assert_eq!(found(), json!(1));
    // What was answered may be asked for again.
    open(&window, server, "incidents", "Incidents");
    window.click("New incident…");
    window.fill("[name=subject]", &subject);
    window.click("Create");
    window.until("location.pathname.startsWith('/console/incidents/INC')");
    assert_eq!(found(), json!(2));
    assert_eq!(window.complaints(), Vec::<String>::new());
}
