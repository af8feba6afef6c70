//! What is easy to overlook by day, and hard to bear for somebody who was woken: to be led elsewhere after signing in,
//! to lose one's place, a page that does not notice that the service is there again.

use muster_tests::{chromium::Window, in_browser, unique};
use serde_json::{Value, json};

use super::{company, demo, load, open, signed_in, text, work};

in_browser![
    signing_in_returns_to_the_requested_page,
    a_page_notices_that_the_service_answers_again,
    a_part_that_could_not_be_loaded_is_tried_again,
    the_focus_has_a_place_whatever_goes,
    going_back_to_a_list_focuses_the_opened_row,
    times_say_of_which_zone_they_are,
];

fn focus(window: &Window) -> String {
    text(&window.evaluate("document.activeElement.tagName"))
}

fn offline(window: &Window, offline: bool) {
    window.debug("Network.enable", &json!({}));
    let given = json!({"offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1});
    window.debug("Network.emulateNetworkConditions", &given);
}

fn signing_in_returns_to_the_requested_page() {
    let server = demo();
    let company = company(demo());
    let Some(window) = Window::open() else { return };
    let wanted = "/console/alerts?status=Closed&subject=ping";
    window.go(&format!("{}{wanted}", server.base()));
    window.shows("you come back here");
    let user = text(&company.post("/users", &json!({"loginName": unique("ida"), "lastName": "Ida"})).ok()["id"]);
    let link = || text(&company.post_empty(&format!("/users/{user}/signInLink")).ok()["url"]);
    window.go(&link());
    window.click("Sign in");
    window.until(&format!("location.pathname + location.search == {}", json!(wanted)));
    window.until("document.querySelector('main h1')?.textContent == 'Alerts'");
    // Once: the next time it is the screen that is first.
    window.go(&format!("{}/console/", server.base()));
    window.until("location.pathname == '/console/on-call'");
    // What somebody wanted long ago is not what they want now, and no other address is led to.
    for stale in
        [format!("${{Date.now() - 11 * 60e3}} {wanted}"), "${Date.now()} /docs/".to_owned(), "nonsense".to_owned()]
    {
        window.evaluate(&format!("localStorage.left = `{stale}`"));
        window.go(&format!("{}/console/", server.base()));
        window.until("location.pathname == '/console/on-call' && document.querySelector('main h1')");
        assert_eq!(window.evaluate("localStorage.left"), Value::Null);
    }
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn a_page_notices_that_the_service_answers_again() {
    let server = demo();
    let Some(window) = signed_in(server, "viewer") else { return };
    // This screen asks for nothing by itself.
    open(&window, server, "knowledge", "Knowledge");
    window.until("document.querySelector('.row-link')");
    offline(&window, true);
    window.fill("input[type=search]", "tunnel");
    window.until("document.querySelector('.offline') && document.querySelector('main .trouble')");
    assert_eq!(window.evaluate("document.querySelector('main .row-link')"), Value::Null);
    offline(&window, false);
    window.until("!document.querySelector('.offline') && !document.querySelector('main .trouble')");
    window.until("document.querySelector('main .row-link')?.textContent.includes('tunnel')");
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn a_part_that_could_not_be_loaded_is_tried_again() {
    let server = demo();
    let Some(window) = signed_in(server, "viewer") else { return };
    window.debug("Network.enable", &json!({}));
    let block = |urls: Value| window.debug("Network.setBlockedURLs", &json!({"urls": urls}));
    block(json!(["*/screens/jobs.js"]));
    open(&window, server, "on-call", "On call");
    window.click("Jobs");
    window.shows("could not be loaded");
    assert_eq!(window.evaluate("document.querySelector('main h1').textContent"), json!("Jobs"));
    block(json!([]));
    window.click("Try again");
    window.until("location.pathname == '/console/jobs' && document.querySelector('.row-link')");
    // And by itself, once there is an answer.
    offline(&window, true);
    window.click("Deliveries");
    window.shows("could not be loaded");
    window.until("document.querySelector('.offline')");
    offline(&window, false);
    window.until("document.querySelector('main h1')?.textContent == 'Deliveries' && document.querySelector('.cards')");
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn the_focus_has_a_place_whatever_goes() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "operator") else { return };
    let name = unique("Frost");
    for number in 1..=3 {
        work::report(&company, &format!("{name} {number}"));
    }
    // A button that is of no use any more goes, and so does the button that opened a form.
    let id = text(&work::alerts(&company, &format!("{name} 1"))[0]["id"]);
    open(&window, server, &format!("alerts/{id}"), &format!("{name} 1"));
    window.tab_to("one.textContent == 'Acknowledge'");
    window.press("Enter");
    window.shows("Acknowledged by Eva Sand");
    window.until("![...document.querySelectorAll('button')].some(one => one.textContent == 'Acknowledge')");
    window.until("document.activeElement.tagName == 'H1'");
    window.tab_to("one.textContent == 'Suppress…'");
    window.press("Enter");
    window.until("document.querySelector('dialog[open]')");
    // What was refused is still to be sent: the focus stays where it is sent from.
    window.debug("Network.enable", &json!({}));
    window.debug("Network.setBlockedURLs", &json!({"urls": ["*/actions/suppress"]}));
    window.tab_to("one.textContent == 'Suppress'");
    window.press("Enter");
    window.until("document.querySelector('dialog [role=alert]')");
    window.until("document.activeElement.textContent == 'Suppress'");
    window.debug("Network.setBlockedURLs", &json!({"urls": []}));
    window.press("Enter");
    window.until(
        "!document.querySelector('dialog') && document.querySelector('.head').textContent.includes('Unsuppress')",
    );
    window.until("document.activeElement.tagName == 'H1'");
    // A row that is not of the board any more: no other is taken for it, and the keys go on from where it was.
    work::report(&company, &format!("{name} 4"));
    open(&window, server, &format!("alerts?status=New&subject={name}"), "Alerts");
    window.until("document.querySelectorAll('tbody tr').length == 3");
    let rows = window.evaluate("[...document.querySelectorAll('.row-link')].map(one => one.textContent)");
    window.press("j");
    window.press("j");
    window.until(&format!("document.activeElement.textContent == {}", rows[1]));
    window.press("a");
    window.until("document.querySelectorAll('tbody tr').length == 2");
    window.until("document.activeElement.tagName == 'TABLE'");
    window.press("a");
    window.evaluate("new Promise(done => setTimeout(done, 200))");
    let new = work::alerts(&company, &name).into_iter().filter(|one| one["status"] == "New").count();
    assert_eq!(new, 2, "a key without a row does nothing");
    window.press("j");
    window.until(&format!("document.activeElement.textContent == {}", rows[2]));
    window.press("k");
    window.until(&format!("document.activeElement.textContent == {}", rows[0]));
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn going_back_to_a_list_focuses_the_opened_row() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "viewer") else { return };
    let name = unique("Dew");
    for number in 1..=30 {
        work::report(&company, &format!("{name} {number}"));
    }
    window.looks(360, false);
    open(&window, server, &format!("alerts?subject={name}"), "Alerts");
    window.until("document.querySelectorAll('tbody tr').length == 30");
    for _ in 0..25 {
        window.press("j");
    }
    let row = window.evaluate("document.activeElement.textContent");
    window.press("Enter");
    window.until(&format!("document.querySelector('main h1')?.textContent == {row}"));
    assert_eq!(focus(&window), "H1");
    window.evaluate("history.back()");
    window.until(&format!(
        "document.activeElement.className == 'row-link' && document.activeElement.textContent == {row}"
    ));
    let seen = "(box => box.top >= 0 && box.bottom <= innerHeight)(document.activeElement.getBoundingClientRect())";
    assert_eq!(window.evaluate(seen), json!(true));
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn times_say_of_which_zone_they_are() {
    let server = demo();
    let Some(window) = signed_in(server, "viewer") else { return };
    window.looks(360, true);
    for (zone, said) in [("Asia/Tokyo", "Asia/Tokyo (GMT+9)"), ("America/Phoenix", "America/Phoenix (GMT-7)")] {
        window.debug("Emulation.setTimezoneOverride", &json!({"timezoneId": zone}));
        for (path, title) in [("alerts", "Alerts"), ("on-call", "On call"), ("maintenance", "Maintenance")] {
            load(&window, server, path, title);
            let said = format!("Times are in {said}.");
            window.until(&format!("document.querySelector('main .zone').innerText == {}", json!(said)));
        }
    }
    assert_eq!(window.complaints(), Vec::<String>::new());
}
