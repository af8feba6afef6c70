//! Buttons of lists, and of what others or the service itself get on with: nothing is done with what was not seen, here
//! either.

use std::{thread::sleep, time::Duration};

use base64::Engine as _;
use muster_tests::{Backend, Client, Server, chromium::Window, in_browser, receiver::Receiver, unique};
use serde_json::{Value, json};

use super::{
    super::{company, demo, open, signed_in, text},
    conflicts::{act, look_away, reported, sides},
};

in_browser![
    an_acknowledgement_from_the_board_takes_nothing_from_others,
    a_delivery_that_somebody_else_sent_again_is_not_sent_unseen,
    a_job_is_run_as_it_was_seen_and_a_run_called_off_as_it_was,
    a_key_that_was_given_a_secret_is_not_revoked_unseen,
    an_override_that_somebody_else_took_back_goes_from_the_page
];

/// Blocks the stream of changes from the next page on.
fn without_stream(window: &Window) {
    window.debug("Network.enable", &json!({}));
    window.debug("Network.setBlockedURLs", &json!({"urls": ["*/tenants/*/changes"]}));
}

#[track_caller]
fn dialog(window: &Window) -> String {
    text(&window.evaluate("document.querySelector('dialog[open]').innerText"))
}

fn an_acknowledgement_from_the_board_takes_nothing_from_others() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "operator") else { return };
    without_stream(&window);
    let name = unique("Sleet");
    let [first, second, third] = [1, 2, 3].map(|number| reported(&company, &format!("{name} {number}")));
    open(&window, server, &format!("alerts?subject={name}"), "Alerts");
    window.until("document.querySelectorAll('tbody tr').length == 3");
    look_away(&window);
    let alert = |id: &str| company.get(&format!("/alerts/{id}")).ok();
    act(&company, &first.1, "acknowledge");
    act(&company, &second.1, "suppress");
    let who = alert(&first.1)["acknowledgement"]["by"].clone();
    window.evaluate("document.querySelector('thead input').click()");
    window.until("document.querySelectorAll('tr.chosen').length == 3");
    window.press("a");
    let rows = sides(&window);
    for row in ["Status | New | Acknowledged", "Status | New | Suppressed"] {
        assert!(rows.iter().any(|one| one == row), "{rows:?}");
    }
    window.shows("Acknowledged 1 of 3.");
    assert_eq!(alert(&third.1)["status"], json!("Acknowledged"));
    assert_eq!((&alert(&second.1)["acknowledgement"], &alert(&first.1)["acknowledgement"]["by"]), (&Value::Null, &who));
    // What somebody works on stays theirs; what was put off is acknowledged, now that it was seen.
    window.click("Acknowledge anyway");
    window.until("!document.querySelector('dialog')");
    assert_eq!(alert(&second.1)["acknowledgement"]["by"]["firstName"], json!("Eva"));
    assert_eq!(alert(&first.1)["acknowledgement"]["by"], who);
    // Of one that somebody works on there is nothing left to do but to know who.
    let late = reported(&company, "Sleet");
    open(&window, server, &format!("alerts?subject={}", late.0), "Alerts");
    window.until("document.querySelectorAll('tbody tr').length == 1");
    look_away(&window);
    act(&company, &late.1, "acknowledge");
    window.press("j");
    window.press("a");
    assert_eq!(sides(&window)[0], "Status | New | Acknowledged");
    let said = dialog(&window);
    assert!(said.contains("acknowledged it meanwhile") && !said.contains("anyway"), "{said}");
    window.click("Close");
    window.until(
        "!document.querySelector('dialog') && document.querySelector('tbody tr').innerText.includes('Acknowledged')",
    );
    assert_eq!(alert(&late.1)["acknowledgement"]["by"], who);
    // Another report is not a conflict.
    let again = reported(&company, "Sleet");
    open(&window, server, &format!("alerts?subject={}", again.0), "Alerts");
    window.until("document.querySelectorAll('tbody tr').length == 1");
    look_away(&window);
    let before = alert(&again.1);
    let body = json!({"subject": again.0, "currentState": "Critical", "metric": before["metric"],
        "device": {"hostName": before["device"]["hostName"]}});
    company.post("/alert", &body).ok();
    window.press("j");
    window.press("a");
    window.shows("Acknowledged.");
    assert_eq!(alert(&again.1)["acknowledgement"]["by"]["firstName"], json!("Eva"));
    assert_eq!(window.complaints(), Vec::<String>::new());
}

/// An event whose deliveries a receiver gets, and one that has arrived: the addresses of the event and of the delivery.
pub(in super::super) fn delivered(company: &Client, receiver: &Receiver) -> (String, String, String) {
    let body = json!({"displayName": unique("desk"), "baseNotifier": {"type": "REST_API", "baseURI": receiver.url()}});
    let installed = text(&company.post("/integrations/install/CUSTOM", &body).ok()["id"]);
    let payload = base64::engine::general_purpose::STANDARD.encode("{\"text\": \"told\"}");
    let event = json!({"name": "ticket", "entity": "INCIDENT", "eventType": "CREATE", "endPointURI": "/tickets",
        "payload": payload});
    let event = text(&company.post(&format!("/integrations/installed/{installed}/event"), &event).ok()["id"]);
    company.post("/incidents", &json!({"subject": "Leak"})).ok();
    receiver.wait(1);
    let at = format!("/integrations/installed/{installed}/event/{event}/deliveries");
    let delivery = text(&company.get(&at).page()["results"][0]["id"]);
    (format!("{installed}/{event}"), format!("{at}/{delivery}"), delivery)
}

#[track_caller]
pub(in super::super) fn wait_for(company: &Client, path: &str, attempts: u64) {
    for _ in 0..200 {
        let found = company.get(path).ok();
        if found["attempts"] == json!(attempts) && found["status"] == "delivered" {
            return;
        }
        sleep(Duration::from_millis(50));
    }
    panic!("never delivered: {}", company.get(path).ok());
}

fn a_delivery_that_somebody_else_sent_again_is_not_sent_unseen() {
    let server = Server::start_with(Backend::Sqlite, &["--demo", "--egress-allow", "127.0.0.0/8"]);
    let (server, company, receiver) = (&server, company(&server), Receiver::willing());
    let Some(window) = signed_in(server, "integrator") else { return };
    let (event, path, delivery) = delivered(&company, &receiver);
    wait_for(&company, &path, 1);
    open(&window, server, &format!("deliveries?event={event}&delivery={delivery}"), "Deliveries");
    window.shows("Request body");
    look_away(&window);
    company.post_empty(&format!("{path}/resend")).ok();
    wait_for(&company, &path, 2);
    window.click("Send again");
    assert_eq!(sides(&window), ["Attempts | 1 | 2"]);
    assert_eq!(company.get(&path).ok()["attempts"], json!(2));
    window.click("Send it again anyway");
    window.shows("It is sent again.");
    wait_for(&company, &path, 3);
    assert_eq!(window.complaints(), Vec::<String>::new());
}

/// A job of its own that is run by hand only; its id and its name.
fn job(company: &Client) -> (String, String) {
    let name = unique("Rinse");
    let body = json!({"name": name, "script": {"jobType": "antivirus"},
        "schedule": {"startDate": "2030-01-01T00:00:00Z", "pattern": {"type": "never"}}});
    (text(&company.post("/jobs", &body).ok()["id"]), name)
}

fn a_job_is_run_as_it_was_seen_and_a_run_called_off_as_it_was() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "operator") else { return };
    let (id, name) = job(&company);
    let runs = || company.get(&format!("/jobs/{id}/runs")).page()["totalResults"].as_u64().unwrap();
    // Somebody pauses it: running it shows that first, beside the job and in the list.
    open(&window, server, &format!("jobs/{id}"), &name);
    look_away(&window);
    company.post(&format!("/jobs/{id}"), &json!({"active": false})).ok();
    window.click("Run now");
    assert_eq!(sides(&window), ["Repeats | once | by hand only", "Active | yes | no"]);
    assert_eq!(runs(), 0);
    window.click("Run it anyway");
    window.shows("Run requested.");
    assert_eq!(runs(), 1);
    open(&window, server, &format!("jobs?name={name}"), "Jobs");
    window.until("document.querySelectorAll('tbody tr').length == 1");
    look_away(&window);
    company.post(&format!("/jobs/{id}"), &json!({"overlapPolicy": "allow"})).ok();
    window.click("Run now");
    assert_eq!(sides(&window), ["Overlapping runs | skip | allow"]);
    assert_eq!(runs(), 1);
    window.click("Run it anyway");
    window.shows("Run requested:");
    assert_eq!(runs(), 2);
    // A run that somebody else called off is over, and one that has begun meanwhile is another thing than one that
    // waits.
    let waiting = company.get(&format!("/jobs/{id}/runs")).page()["results"].clone();
    let [first, second] = [0, 1].map(|place| text(&waiting[place]["id"]));
    open(&window, server, &format!("jobs/{id}?run={first}"), &name);
    window.until("[...document.querySelectorAll('button')].some(one => one.textContent == 'Stop run')");
    look_away(&window);
    company.post_empty(&format!("/jobs/runs/{first}/cancel")).ok();
    window.click("Stop run");
    assert_eq!(sides(&window), ["Status | Queued | Cancelled"]);
    let said = dialog(&window);
    assert!(said.contains("The run has ended") && !said.contains("anyway"), "{said}");
    window.click("Close");
    window.until("!document.querySelector('dialog')");
    open(&window, server, &format!("jobs/{id}?run={second}"), &name);
    window.until("[...document.querySelectorAll('button')].some(one => one.textContent == 'Stop run')");
    look_away(&window);
    company.post("/jobs/runs/claim", &json!({"jobs": [id], "leaseSeconds": 60, "jobTypes": ["antivirus"]})).ok();
    window.click("Stop run");
    assert_eq!(sides(&window)[0], "Status | Queued | Running");
    assert_eq!(company.get(&format!("/jobs/runs/{second}")).ok()["status"], json!("RUNNING"));
    window.click("Stop run anyway");
    window.shows("Run stopped.");
    assert_eq!(company.get(&format!("/jobs/runs/{second}")).ok()["status"], json!("CANCELLED"));
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn a_key_that_was_given_a_secret_is_not_revoked_unseen() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "admin") else { return };
    let name = unique("buoy");
    let id = text(&company.post("/apiKeys", &json!({"name": name, "role": "viewer"})).ok()["id"]);
    let at = format!("/apiKeys/{id}");
    let press = |window: &Window, what: &str| {
        let button = format!("document.querySelector('[aria-label={}]')", json!(format!("{what} {name}")));
        window.until(&button);
        window.evaluate(&format!("{button}.click()"));
    };
    open(&window, server, "keys", "API keys");
    press(&window, "New secret…");
    company.post(&format!("{at}/rotate"), &json!({})).ok();
    let version = company.get(&at).header("ETag").map(ToOwned::to_owned);
    window.click("Create");
    assert!(sides(&window).contains(&"Previous secret | none | valid".to_owned()), "{:?}", sides(&window));
    assert_eq!(company.get(&at).header("ETag"), version.as_deref());
    window.click("Create anyway");
    window.shows("MUSTER_SECRET=");
    assert_ne!(company.get(&at).header("ETag"), version.as_deref());
    // The same before it goes for good.
    open(&window, server, "keys", "API keys");
    press(&window, "Revoke…");
    company.post(&format!("{at}/rotate"), &json!({"revokePrevious": true})).ok();
    window.click("Revoke");
    assert!(sides(&window).contains(&"Previous secret | valid | none".to_owned()), "{:?}", sides(&window));
    company.get(&at).ok();
    window.click("Revoke anyway");
    window.until("!document.querySelector('dialog')");
    company.get(&at).not_found();
    assert_eq!(window.complaints(), Vec::<String>::new());
}

/// Overrides have no `ETag`, since nobody changes one: the service refuses what is gone, and the page then has it no
/// more.
fn an_override_that_somebody_else_took_back_goes_from_the_page() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "operator") else { return };
    let roster = text(&company.get("/rosters/search").page()["results"][0]["id"]);
    let user = text(&company.get("/users/search").page()["results"][0]["id"]);
    let note = unique("Kayak");
    let now =
        window.evaluate("[2, 3].map(hours => new Date(Date.now() + hours * 36e5).toISOString().slice(0, 19) + 'Z')");
    let body = json!({"user": {"id": user}, "start": now[0], "end": now[1], "note": note});
    let made = text(&company.post(&format!("/rosters/{roster}/overrides"), &body).ok()["id"]);
    open(&window, server, "on-call", "On call");
    window.shows(&note);
    company.delete(&format!("/rosters/{roster}/overrides/{made}")).ok();
    window.evaluate(&format!(
        "[...document.querySelectorAll('.overrides li')]\
         .find(one => one.textContent.includes('{note}')).querySelector('button').click()"
    ));
    window.until("document.querySelector('.toast.bad')?.innerText.includes('not found')");
    window.until(&format!("document.body && !document.body.innerText.includes('{note}')"));
    assert_eq!(window.complaints(), Vec::<String>::new());
}
