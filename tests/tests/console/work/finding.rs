//! Finding one's way: by typing, by links, by keys.

use muster_tests::{chromium::Window, in_browser, unique};
use serde_json::json;

use super::{
    super::{company, demo, open, signed_in, text},
    MARKUP, report,
};

in_browser![
    machines_are_found_while_one_types,
    the_audit_log_leads_to_what_it_is_about_and_a_machine_to_who_is_told,
    names_with_signs_are_found,
    people_are_found_by_name_and_by_login_name,
    all_is_reached_by_keys
];

fn machines_are_found_while_one_types() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "viewer") else { return };
    let name = unique("zeppelin");
    let body = json!({"hostName": name, "aliasName": MARKUP, "ipAddress": "10.77.0.9", "type": "DEVICE",
        "resourceType": "Linux"});
    company.post("/resources", &body).ok();
    open(&window, server, "resources", "Machines");
    window.press("/");
    window.until("document.activeElement.hasAttribute('data-search')");
    window.debug("Input.insertText", &json!({"text": &name[2..]}));
    window.until("document.querySelectorAll('tbody tr').length == 1");
    window.shows("1 machine");
    window.shows(MARKUP);
    window.until(&format!("new URLSearchParams(location.search).get('q') == {}", json!(&name[2..])));
    for found in ["10.77.0.0/16", &format!("hostName:{name}+ipAddress:10.77.0.9")] {
        window.fill("[data-search]", found);
        window.until(&format!("document.querySelector('tbody tr .row-link')?.textContent.includes({})", json!(name)));
    }
    window.fill("[data-search]", "hostName:");
    window.until("document.querySelector('[role=alert]')");
    window.fill("[data-search]", &name);
    window.until("document.querySelectorAll('tbody tr').length == 1 && !document.querySelector('[role=alert]')");
    window.press("Enter");
    window.evaluate("document.querySelector('.row-link').click()");
    window.until(&format!("document.querySelector('main h1')?.textContent.includes({})", json!(name)));
    window.shows("10.77.0.9");
    assert_ne!(window.evaluate("document.title"), json!("owned"));
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn the_audit_log_leads_to_what_it_is_about_and_a_machine_to_who_is_told() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "admin") else { return };
    let last = unique("Ledger");
    let user = json!({"loginName": unique("ida"), "firstName": "Ida", "lastName": last});
    let id = text(&company.post("/users", &user).ok()["id"]);
    open(&window, server, &format!("audit?q={}", muster_tests::encode(&format!("entityId:{id}"))), "Audit");
    window.until("document.querySelector('.row-link')");
    window.evaluate("document.querySelector('.row-link').click()");
    window.click("Current state");
    window.until("location.pathname == '/console/people'");
    window.shows(&format!("Ida {last}"));
    let machine = company.search("/resources/search", "hostName:web-01").page()["results"][0].clone();
    open(&window, server, &format!("resources/{}", text(&machine["id"])), &text(&machine["name"]));
    window.until("document.querySelector('#responders').closest('section').textContent.includes('Service desk')");
    window.click("Why?");
    window.until(
        "location.pathname == '/console/routing' && \
         document.querySelector('.decisions')?.textContent.includes('web-01')",
    );
    assert_eq!(window.complaints(), Vec::<String>::new());
}

/// Names with what is a sign of its own in a filter.
fn names_with_signs_are_found() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "operator") else { return };
    let name = unique("Pump");
    let search = "[data-search]";
    let rows = |window: &Window, typed: &str, names: &[String]| {
        window.fill(search, typed);
        let shown = "[...document.querySelectorAll('tbody .row-link')].map(one => one.textContent).sort()";
        window.until(&format!("JSON.stringify({shown}) == JSON.stringify({}.sort())", json!(names)));
        assert_eq!(window.evaluate("document.querySelectorAll('[role=alert]').length"), json!(0), "{typed}");
    };
    // A colon, quotes, per cent and an underscore mean themselves.
    let [plain, quoted] = [format!("{name}: 90 % of C:\\_x"), format!("{name} \"says\" 'no'")];
    for subject in [&plain, &quoted] {
        report(&company, subject);
    }
    open(&window, server, "alerts", "Alerts");
    for subject in [&plain, &quoted] {
        rows(&window, subject, std::slice::from_ref(subject));
    }
    // So do a plus, a comma and a word with its colon.
    let signs = [format!("{name} 5+5"), format!("1,{name} off"), format!("{name} on host:x")];
    for subject in &signs {
        report(&company, subject);
    }
    for subject in &signs {
        rows(&window, subject, std::slice::from_ref(subject));
    }
    // So in every other list that is searched by a name.
    let title = format!("{name}: 5+5, a \"b\" \\");
    company.post("/incidents", &json!({"subject": title})).ok();
    let machine =
        json!({"hostName": format!("{name}+1"), "resourceName": title, "type": "DEVICE", "resourceType": "Linux"});
    company.post("/resources", &machine).ok();
    let schedule = json!({"type": "One-Time", "startTime": "2099-01-01T00:00:00Z", "endTime": "2099-01-01T02:00:00Z"});
    company
        .post(
            "/scheduleMaintenances",
            &json!({"name": title, "devices": [{"hostName": format!("{name}+1")}], "schedule": schedule}),
        )
        .ok();
    for (path, head) in
        [("incidents", "Incidents"), ("maintenance", "Maintenance"), ("resources?by=resourceName", "Machines")]
    {
        open(&window, server, path, head);
        window.fill(search, &title);
        window.until("document.querySelectorAll('tbody .row-link').length == 1");
        assert_eq!(window.evaluate("document.querySelectorAll('[role=alert]').length"), json!(0), "{path}");
    }
    // A form that names a machine takes such a name as well.
    open(&window, server, "maintenance", "Maintenance");
    window.click("New window…");
    window.fill("input[name=name]", &name);
    window.fill("input[name=devices]", &format!("{name}+1"));
    window.click("Preview");
    window.shows(&format!("{name}+1: 1 machine"));
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn people_are_found_by_name_and_by_login_name() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "operator") else { return };
    let (login, last) = (unique("zara"), unique("Quint"));
    company.post("/users", &json!({"loginName": login, "firstName": "Zoe", "lastName": last})).ok();
    open(&window, server, "people", "People");
    let found = "document.querySelectorAll('tbody .row-link').length == 1";
    window.fill("[data-search]", &format!("zoe {last}"));
    window.until(found);
    window.fill("[data-search]", &login);
    window.until("document.querySelectorAll('tbody .row-link').length == 0");
    window.evaluate(
        "(one => { one.value = 'loginName'; one.dispatchEvent(new Event('change', {bubbles: true})); })\
         (document.querySelector('.filters select'))",
    );
    window.until(found);
    // A form finds them by either.
    open(&window, server, "rosters", "Rosters");
    window.click("New roster");
    for typed in [&login, &last] {
        super::pick(&window, "Add person", typed, &format!("Zoe {last}"));
    }
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn all_is_reached_by_keys() {
    let server = demo();
    let Some(window) = signed_in(server, "operator") else { return };
    for (letter, title) in
        [("a", "Alerts"), ("r", "Machines"), ("m", "Maintenance"), ("k", "Knowledge"), ("o", "On call")]
    {
        window.press("g");
        window.press(letter);
        window.until(&format!("document.querySelector('main h1')?.textContent == {}", json!(title)));
        assert_eq!(window.evaluate("document.activeElement.tagName"), json!("H1"), "the focus follows");
    }
    window.press("?");
    window.until("document.querySelector('dialog[open]')?.textContent.includes('acknowledge')");
    window.press("Escape");
    window.until("!document.querySelector('dialog')");
    // From anywhere to a machine.
    window.evaluate("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'k', ctrlKey: true, bubbles: true}))");
    window.until("document.activeElement.getAttribute('aria-label') == 'Where to?'");
    window.debug("Input.insertText", &json!({"text": "invent"}));
    window.until("document.querySelector('.palette .first')?.textContent == 'Machines'");
    window.press("Enter");
    window.until("location.pathname == '/console/resources' && document.querySelector('.row-link')");
    window.press("j");
    window.press("j");
    window.press("k");
    window.until("document.querySelectorAll('.row-link')[0] == document.activeElement");
    window.press("Enter");
    window.until("location.pathname.startsWith('/console/resources/')");
    assert_eq!(window.complaints(), Vec::<String>::new());
}
