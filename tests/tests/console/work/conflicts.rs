//! Two who do something with the same thing at once: who comes second sees both versions side by side before anything
//! is done.

use muster_tests::{Client, chromium::Window, in_browser, unique};
use serde_json::{Value, json};

use super::{
    super::{company, demo, open, signed_in, text},
    alerts, report,
};

in_browser![
    an_alert_that_somebody_else_took_is_not_taken_from_them,
    of_many_alerts_those_are_shown_that_others_changed,
    windows_incidents_people_and_routes_are_changed_as_they_were_seen
];

/// What stands side by side, row by row.
#[track_caller]
pub(super) fn sides(window: &Window) -> Vec<String> {
    window.until("document.querySelector('dialog[open] .theirs td, dialog[open] td.after')");
    let rows = "[...document.querySelectorAll('dialog[open] tbody tr')].map(row => \
                [...row.cells].map(cell => cell.innerText).join(' | '))";
    window.evaluate(rows).as_array().unwrap().iter().map(text).collect()
}

/// Stops polling, as on a page that is not visible.
pub(super) fn look_away(window: &Window) {
    window.evaluate("Object.defineProperty(document, 'hidden', {configurable: true, get: () => true})");
}

pub(super) fn reported(company: &Client, name: &str) -> (String, String) {
    let subject = unique(name);
    report(company, &subject);
    let id = text(&alerts(company, &subject)[0]["id"]);
    (subject, id)
}

pub(super) fn act(company: &Client, alert: &str, action: &str) {
    company.post(&format!("/alerts/{alert}/actions/{action}"), &json!({})).ok();
}

#[track_caller]
fn open_alert(window: &Window, (subject, id): &(String, String)) {
    open(window, demo(), &format!("alerts/{id}"), subject);
    window.until("document.querySelector('.head .button')");
    look_away(window);
}

fn an_alert_that_somebody_else_took_is_not_taken_from_them() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "operator") else { return };
    let status = |id: &str| text(&company.get(&format!("/alerts/{id}")).ok()["status"]);
    // Somebody works on it: there is nothing to do but to know who.
    let other = reported(&company, "Gale");
    open_alert(&window, &other);
    act(&company, &other.1, "acknowledge");
    let who = company.get(&format!("/alerts/{}", other.1)).ok()["acknowledgement"]["by"].clone();
    window.press("a");
    let rows = sides(&window);
    assert_eq!(rows[0], "Status | New | Acknowledged", "{rows:?}");
    assert!(rows[1].starts_with("Acknowledged by | – | "), "{rows:?}");
    let said = text(&window.evaluate("document.querySelector('dialog[open]').innerText"));
    assert!(said.contains("acknowledged it meanwhile") && !said.contains("anyway"), "{said}");
    window.click("Close");
    window.until("!document.querySelector('dialog')");
    window.shows("Acknowledged by");
    assert_eq!(company.get(&format!("/alerts/{}", other.1)).ok()["acknowledgement"]["by"], who);
    // Somebody has put it off: that can be overruled, once it was seen.
    let off = reported(&company, "Gale");
    open_alert(&window, &off);
    act(&company, &off.1, "suppress");
    window.click("Acknowledge");
    assert_eq!(sides(&window)[0], "Status | New | Suppressed");
    assert_eq!(status(&off.1), "Suppressed");
    window.click("Acknowledge anyway");
    window.until("!document.querySelector('dialog')");
    window.shows("Acknowledged by Eva Sand");
    let taken = company.get(&format!("/alerts/{}", off.1)).ok();
    assert_eq!((&taken["acknowledgement"]["by"]["firstName"], &taken["status"]), (&json!("Eva"), &json!("Suppressed")));
    // That it was reported once more keeps nobody from it, although it is another version.
    let again = reported(&company, "Gale");
    open_alert(&window, &again);
    let before = company.get(&format!("/alerts/{}", again.1));
    let body = json!({"subject": again.0, "currentState": "Critical", "metric": before.ok()["metric"],
        "device": {"hostName": before.ok()["device"]["hostName"]}});
    company.post("/alert", &body).ok();
    let after = company.get(&format!("/alerts/{}", again.1));
    assert_eq!(after.ok()["repeatCount"], json!(2));
    assert_ne!(before.header("ETag"), after.header("ETag"));
    window.press("a");
    window.shows("Acknowledged.");
    window.shows("Acknowledged by Eva Sand");
    assert_eq!(status(&again.1), "Acknowledged");
    // My own change is not a conflict with my next one.
    window.click("Close…");
    window.fill("dialog textarea", "Over");
    window.click("Close");
    window.until("!document.querySelector('dialog')");
    assert_eq!(status(&again.1), "Closed");
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn of_many_alerts_those_are_shown_that_others_changed() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "operator") else { return };
    let name = unique("Hail");
    let [first, second, third] = [1, 2, 3].map(|number| reported(&company, &format!("{name} {number}")));
    open(&window, server, &format!("alerts?subject={name}"), "Alerts");
    window.until("document.querySelectorAll('tbody tr').length == 3");
    window.evaluate("document.querySelector('thead input').click()");
    window.click("Close…");
    window.fill("dialog textarea", "It was hail");
    // While the form is open, one is taken by somebody.
    act(&company, &second.1, "acknowledge");
    window.click("Close");
    let rows = sides(&window);
    assert_eq!((rows.len(), rows[0].as_str()), (2, "Status | New | Acknowledged"), "{rows:?}");
    let status = |id: &str| text(&company.get(&format!("/alerts/{id}")).ok()["status"]);
    assert_eq!([&first, &second, &third].map(|one| status(&one.1)), ["Closed", "Acknowledged", "Closed"]);
    assert_eq!(window.evaluate("document.querySelector('dialog textarea').value"), json!("It was hail"));
    window.click("Close anyway");
    window.until("!document.querySelector('dialog')");
    assert_eq!(status(&second.1), "Closed");
    assert_eq!(company.get(&format!("/alerts/{}", second.1)).ok()["closure"]["note"], json!("It was hail"));
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn windows_incidents_people_and_routes_are_changed_as_they_were_seen() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "admin") else { return };
    // A window that somebody else suspended is not skipped unseen.
    let schedule = json!({"type": "Recurring", "startTime": "2099-01-01T00:00:00Z", "endTime": "2099-01-01T02:00:00Z",
        "timezone": "GMT", "pattern": {"type": "daily", "dayFrequency": "everyday"}, "endBy": "NEVER"});
    let body = json!({"name": unique("Dredging"), "devices": [{"hostName": "web-01"}], "schedule": schedule});
    let id = text(&company.post("/scheduleMaintenances", &body).ok()["uniqueId"]);
    let at = format!("/scheduleMaintenances/{id}");
    open(&window, server, &format!("maintenance?window={id}"), "Maintenance");
    window.until("[...document.querySelectorAll('button')].some(one => one.textContent == 'Skip the next')");
    look_away(&window);
    company.post(&format!("{at}/suspend"), &json!({"pattern": "now"})).ok();
    window.click("Skip the next");
    assert_eq!(sides(&window)[0], "State | Pending | Suspended");
    window.click("Cancel");
    window.until("!document.querySelector('dialog')");
    assert_eq!(company.get(&at).ok()["skipped"], Value::Null);
    window.click("Resume");
    window.shows("Resumed.");
    assert_eq!(company.get(&at).ok()["state"], json!("Pending"));
    // An incident.
    let subject = unique("Dredger");
    let id = text(&company.post("/incidents", &json!({"subject": subject})).ok()["id"]);
    open(&window, server, &format!("incidents/{id}"), &subject);
    look_away(&window);
    company.post(&format!("/incidents/{id}"), &json!({"priority": "Urgent"})).ok();
    window.click("Close…");
    window.fill("dialog textarea", "Found");
    window.click("Close");
    assert_eq!(sides(&window), ["Priority | Normal | Urgent"]);
    window.click("Close anyway");
    window.until("!document.querySelector('dialog')");
    assert_eq!(company.get(&format!("/incidents/{id}")).ok()["status"], json!("Closed"));
    // A person.
    let user = text(&company.post("/users", &json!({"loginName": unique("mo"), "lastName": "Mo"})).ok()["id"]);
    open(&window, server, &format!("people?user={user}"), "People");
    window.until("document.querySelector('#person')");
    company.post(&format!("/users/{user}"), &json!({"role": "admin"})).ok();
    window.click("Deactivate");
    assert!(sides(&window)[0].ends_with("| admin"), "{:?}", sides(&window));
    window.click("Deactivate anyway");
    window.until("!document.querySelector('dialog')");
    assert_eq!(company.get(&format!("/users/{user}")).ok()["activated"], json!(false));
    // A route, which goes for good: that is asked before, and so is what it has become.
    let policy = json!({"name": unique("Dredgers"), "steps": [{"targets": [{"owner": true}], "wait": "5m"}]});
    let policy = company.post("/escalationPolicies", &policy).ok();
    let name = unique("Dredgers");
    let rule = |value: &str| json!([{"key": "metric", "operator": "Equals", "value": value}]);
    let route = json!({"name": name, "matchingType": "ALL", "position": 80, "rules": rule("mud"),
        "policy": {"id": policy["id"]}});
    let route = text(&company.post("/alertRoutes", &route).ok()["id"]);
    open(&window, server, "routing", "Routing");
    let delete = format!("document.querySelector('[aria-label={}]')", json!(format!("Delete… {name}")));
    window.until(&delete);
    look_away(&window);
    company.post(&format!("/alertRoutes/{route}"), &json!({"rules": rule("sand")})).ok();
    window.evaluate(&format!("{delete}.click()"));
    window.click("Delete");
    assert_eq!(sides(&window), ["Rules | metric Equals mud | metric Equals sand"]);
    company.get(&format!("/alertRoutes/{route}")).ok();
    window.click("Delete anyway");
    window.shows("Route deleted.");
    company.get(&format!("/alertRoutes/{route}")).not_found();
    assert_eq!(window.complaints(), Vec::<String>::new());
}
