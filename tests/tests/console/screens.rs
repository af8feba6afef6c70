//! Every screen: it loads, says what is wrong, can be read by everybody, and asks for nothing but documented operations.

use std::collections::BTreeMap;

use base64::Engine as _;
use muster_tests::{Server, chromium::Window, unique};
use serde_json::{Value, json};

use super::{company, demo, open, signed_in, text};

/// The screens that need nothing but an address, each with its head.
const SCREENS: [(&str, &str); 15] = [
    ("on-call", "On call"),
    ("alerts", "Alerts"),
    ("incidents", "Incidents"),
    ("resources", "Inventory"),
    ("maintenance", "Maintenance"),
    ("maintenance?view=month", "Maintenance"),
    ("jobs", "Jobs"),
    ("knowledge", "Knowledge"),
    ("routing", "Routing"),
    ("routing?host=web-01", "Routing"),
    ("deliveries", "Deliveries"),
    ("audit", "Audit"),
    ("people", "People"),
    ("keys", "API keys"),
    ("settings", "Settings"),
];

/// Those of one thing of the demo company.
fn screens_of_things(server: &Server) -> Vec<(String, String)> {
    let company = company(server);
    let first = |path: &str, query: &str| company.search(path, query).page()["results"][0].clone();
    let things = [
        ("alerts", "id", "subject", first("/alerts/search", "subject:certificate")),
        ("incidents", "id", "subject", first("/incidents/search", "subject:wireless")),
        ("resources", "id", "name", first("/resources/search", "hostName:web-01")),
        ("jobs", "id", "name", first("/jobs/search", "name:patches")),
        ("knowledge", "id", "title", first("/kb/articlelist", "title:disk")),
    ];
    things.map(|(path, id, name, thing)| (format!("{path}/{}", text(&thing[id])), text(&thing[name]))).into()
}

pub(super) fn all_screens(server: &Server) -> Vec<(String, String)> {
    let lists = SCREENS.iter().map(|(path, title)| ((*path).to_owned(), (*title).to_owned()));
    lists.chain(screens_of_things(server)).collect()
}

#[test]
fn every_screen_loads_and_asks_for_documented_operations_only() {
    let server = demo();
    let Some(window) = signed_in(server, "admin") else { return };
    let document = server.get("/openapi.json").json();
    window.requests();
    for (path, title) in all_screens(server) {
        open(&window, server, &path, &title);
        let alerts = window.evaluate("[...document.querySelectorAll('[role=alert]')].map(one => one.textContent)");
        assert_eq!(alerts, json!([]), "{path}");
        assert_eq!(window.complaints(), Vec::<String>::new(), "{path}");
    }
    let requests = window.requests();
    assert!(requests.len() > 100, "{requests:?}");
    let mut called = BTreeMap::new();
    // What the browser draws a field with lies within it.
    for (method, url) in requests.into_iter().filter(|(_, url)| !url.starts_with("data:")) {
        let path = url.strip_prefix(server.base()).unwrap_or_else(|| panic!("a request to {url}"));
        let path = path.split('?').next().unwrap_or_default();
        if path.starts_with("/console/") {
            assert_eq!(method, "GET", "{path}");
            continue;
        }
        let operation =
            operation(&document, &method, path).unwrap_or_else(|| panic!("{method} {path} is in no document"));
        called.insert(text(&operation["operationId"]), operation);
    }
    assert!(called.len() > 25, "{:?}", called.keys());
    // Whoever opens screens changes nothing.
    for (name, operation) in called {
        let role = operation["security"].as_array().into_iter().flatten().find_map(|one| one["bearer"][0].as_str());
        assert!(["viewer", "admin"].contains(&role.unwrap_or_default()), "{name} needs {role:?}");
    }
}

/// The operation of a document that a request is to.
fn operation<'d>(document: &'d Value, method: &str, path: &str) -> Option<&'d Value> {
    let fits = |pattern: &str| {
        let (asked, known): (Vec<_>, Vec<_>) = (path.split('/').collect(), pattern.split('/').collect());
        asked.len() == known.len()
            && asked.iter().zip(known).all(|(asked, known)| known.starts_with('{') || *asked == known)
    };
    let mut paths = document["paths"].as_object()?.iter().filter(|(pattern, _)| fits(pattern)).collect::<Vec<_>>();
    // What is named goes before what is any name.
    paths.sort_by_key(|(pattern, _)| pattern.matches('{').count());
    paths.into_iter().find_map(|(_, item)| item.get(method.to_ascii_lowercase()))
}

/// How the buttons begin that a viewer has no use for; how one is reached oneself, one may say.
const FOR_OTHERS: [&str; 19] = [
    "Acknowledge",
    "With a note",
    "Suppress",
    "Unsuppress",
    "Close…",
    "Open an incident",
    "New ",
    "Change…",
    "Run now",
    "Pause",
    "Delete…",
    "Skip",
    "Take",
    "Swap",
    "Suspend",
    "Extend",
    "End now",
    "Send ",
    "Undo",
];

#[test]
fn a_viewer_is_offered_what_a_viewer_may() {
    let server = demo();
    let Some(window) = signed_in(server, "viewer") else { return };
    let menu = window.evaluate("[...document.querySelectorAll('.menu a')].map(one => one.textContent)");
    for (there, title) in [(true, "Alerts"), (true, "Inventory"), (false, "Audit"), (false, "API keys")] {
        let found = menu.as_array().unwrap().contains(&json!(title));
        assert_eq!(found, there, "{title}: {menu}");
    }
    let closed = ["audit", "keys"];
    for (path, title) in all_screens(server).into_iter().filter(|(path, _)| !closed.contains(&path.as_str())) {
        open(&window, server, &path, &title);
        let buttons = window.evaluate(
            "[...document.querySelectorAll('main button:not([aria-pressed])')].map(one => one.textContent.trim())",
        );
        let buttons = buttons.as_array().unwrap().iter().map(text).collect::<Vec<_>>();
        for offered in &buttons {
            assert!(!FOR_OTHERS.iter().any(|word| offered.starts_with(word)), "{path}: {buttons:?}");
        }
    }
    assert_eq!(window.complaints(), Vec::<String>::new());
}

#[test]
fn every_screen_says_what_is_wrong() {
    let server = demo();
    let Some(window) = signed_in(server, "admin") else { return };
    window.go(&format!("{}/console/alerts/ALT-00000000-0000-7000-8000-000000000000", server.base()));
    window.shows("not found");
    window.until("/^[0-9a-f]{32}$/.test(document.querySelector('[role=alert] code').textContent)");
    open(&window, server, "audit?q=nonsense:1%2Baction:x", "Audit");
    window.until("document.querySelector('[role=alert]')");
    window.debug("Network.enable", &json!({}));
    window.debug("Network.setBlockedURLs", &json!({"urls": ["*/api/v2/tenants/*", "*/api/v2/me/sessions"]}));
    for (path, _) in all_screens(server) {
        window.go(&format!("{}/console/{path}", server.base()));
        window.until(
            "[...document.querySelectorAll('[role=alert]')].some(one => one.textContent.includes('does not answer'))",
        );
        window.until("document.querySelector('main h1')");
    }
    // And it goes on once there is an answer.
    window.debug("Network.setBlockedURLs", &json!({"urls": []}));
    open(&window, server, "alerts", "Alerts");
    window.shows("No answer to ping");
    assert_eq!(window.complaints(), Vec::<String>::new());
}

#[test]
fn who_is_not_signed_in_is_told_how() {
    let server = demo();
    let Some(window) = Window::open() else { return };
    window.go(&format!("{}/console/alerts", server.base()));
    window.shows("Not signed in");
    assert_eq!(barriers(&window, "signed out"), Vec::<String>::new());
    drop(window);
    let Some(window) = signed_in(server, "viewer") else { return };
    open(&window, server, "settings", "Settings");
    window.shows("this one");
    window.click("Sign out");
    window.until("location.pathname == '/'");
    window.shows("You are not signed in");
    window.go(&format!("{}/console/alerts", server.base()));
    window.shows("Not signed in");
    assert_eq!(window.complaints(), Vec::<String>::new());
}

/// The controls within an element of a page that lie on each other, two by two.
fn on_each_other(window: &Window, element: &str) -> Value {
    window.evaluate(&format!(
        "(controls => controls.flatMap(([one, of], place) => controls.slice(place + 1).filter(([other, its]) => \
         Math.min(of.right, its.right) - Math.max(of.left, its.left) > 2 && Math.min(of.bottom, its.bottom) - Math.max(of.top, its.top) > 2) \
         .map(([other]) => [one, other].map(control => control.name || control.ariaLabel || control.textContent))))\
         ([...{element}.querySelectorAll('main :is(input, select, textarea, button), dialog :is(input, select, textarea, button)')]\
         .filter(control => control.checkVisibility()).map(control => [control, control.getBoundingClientRect()]))"
    ))
}

/// What keeps people from an element of a page, wide and narrow, light and dark: barriers, what does not fit, and controls on each other.
fn in_the_way(window: &Window, element: &str, what: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (width, dark) in [(1440, false), (1440, true), (360, false), (360, true)] {
        window.looks(width, dark);
        let what = format!("{what} at {width}{}", if dark { " dark" } else { "" });
        found.extend(barriers(window, &what));
        let over = window.evaluate(&format!("{element}.scrollWidth - {element}.clientWidth"));
        if over.as_i64().is_none_or(|over| over > 0) {
            found.push(format!("{what}: {over} pixels too wide"));
        }
        let crowded = on_each_other(window, element);
        if crowded != json!([]) {
            found.push(format!("{what}: {crowded} lie on each other"));
        }
    }
    window.looks(1440, false);
    found
}

#[test]
fn every_screen_is_for_everybody_wide_and_narrow_light_and_dark() {
    let server = demo();
    let Some(window) = signed_in(server, "admin") else { return };
    let mut found = Vec::new();
    for (path, title) in all_screens(server) {
        open(&window, server, &path, &title);
        found.extend(in_the_way(&window, "document.documentElement", &path));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// What screens show of one thing beside their lists, each with a button that opens a form about it, where there is one.
fn details(server: &Server) -> Vec<(String, Option<&'static str>)> {
    let company = company(server);
    let first = |path: &str, query: &str, id: &str| text(&company.search(path, query).page()["results"][0][id]);
    let alert = first("/alerts/search", "status:New", "id");
    let incident = first("/incidents/search", "subject:wireless", "id");
    let window = json!({"name": unique("Looked at"), "devices": [{"hostName": "web-01"}],
        "schedule": {"type": "Recurring", "startTime": "2026-01-01T00:00:00Z", "endTime": "2026-01-01T00:00:00Z", "timezone": "GMT",
        "pattern": {"type": "daily", "dayFrequency": "everyday"}, "endBy": "NEVER"},
        "alertConditions": {"rules": [{"key": "metric", "operator": "Equals", "value": "none"}]}});
    let window = text(&company.post("/scheduleMaintenances", &window).ok()["uniqueId"]);
    let next = company.get(&format!("/scheduleMaintenances/{window}")).ok()["next"]["start"].clone();
    company.post(&format!("/scheduleMaintenances/{window}/skip"), &json!({"start": next})).ok();
    let job = first("/jobs/search", "name:patches", "id");
    let run = text(&company.post(&format!("/jobs/{job}/run"), &json!({})).ok()["id"]);
    let article = first("/kb/articlelist", "title:disk", "id");
    let policy = text(&company.get("/escalationPolicies/search").page()["results"][0]["id"]);
    let user = text(&company.post("/users", &json!({"loginName": unique("ned"), "lastName": "Ned"})).ok()["id"]);
    company.post(&format!("/users/{user}"), &json!({"lastName": "Ted"})).ok();
    let row = first("/auditLog/search", &format!("entityId:{user}"), "id");
    company.post("/apiKeys", &json!({"name": unique("looked-at"), "role": "viewer", "operations": ["getMe"]})).ok();
    let found = [
        (format!("alerts/{alert}"), Some("With a note…")),
        (format!("alerts/{alert}"), Some("Suppress…")),
        (format!("alerts/{alert}"), Some("Close…")),
        (format!("incidents/{incident}"), Some("Change…")),
        (format!("incidents/{incident}"), Some("Close…")),
        (format!("maintenance?window={window}"), Some("Extend…")),
        (format!("jobs/{job}?run={run}"), Some("Change…")),
        ("knowledge?q=disk".to_owned(), None),
        (format!("knowledge/{article}"), Some("Change…")),
        (format!("knowledge/{article}?revision=1"), None),
        (format!("routing?policy={policy}"), Some("Delete…")),
        (format!("routing?alert={alert}"), None),
        (format!("audit?q=entityId:{user}&row={row}"), Some("Undo…")),
        (format!("people?user={user}"), Some("Change…")),
        ("keys".to_owned(), Some("New secret…")),
        ("keys".to_owned(), Some("Revoke…")),
        ("alerts?status=any&state=Critical".to_owned(), Some("Go to…")),
        ("resources?q=no-such-machine".to_owned(), None),
    ];
    found.into()
}

/// The same of what is shown of one thing, and of the forms about it.
#[test]
fn every_detail_is_for_everybody_too() {
    let server = demo();
    let Some(window) = signed_in(server, "admin") else { return };
    let mut found = Vec::new();
    let mut looked = String::new();
    for (path, button) in details(server) {
        window.go(&format!("{}/console/{path}", server.base()));
        window.until("document.querySelector('main h1')?.textContent && !document.querySelector('.loading')");
        if looked != path {
            found.extend(in_the_way(&window, "document.documentElement", &path));
        }
        if let Some(button) = button {
            window.click(button);
            window.until("document.querySelector('dialog[open]') && !document.querySelector('dialog .loading')");
            found.extend(in_the_way(&window, "document.querySelector('dialog[open]')", &format!("{button} of {path}")));
            window.press("Escape");
            window.until("!document.querySelector('dialog')");
        }
        looked = path;
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert_eq!(window.complaints(), Vec::<String>::new());
}

/// The forms, by the screen that has them and the button that opens them.
const FORMS: [(&str, &str, &str); 14] = [
    ("on-call", "On call", "Take over…"),
    ("on-call", "On call", "Swap…"),
    ("incidents", "Incidents", "New incident…"),
    ("maintenance", "Maintenance", "New window…"),
    ("jobs", "Jobs", "New job…"),
    ("jobs", "Jobs", "New script…"),
    ("knowledge", "Knowledge", "New article…"),
    ("routing", "Routing", "New policy…"),
    ("routing", "Routing", "New route…"),
    ("people", "People", "New person…"),
    ("keys", "API keys", "New key…"),
    ("settings", "Settings", "Add e-mail…"),
    ("settings", "Settings", "Add push or chat…"),
    ("alerts", "Alerts", "?"),
];

#[test]
fn every_form_is_for_everybody_and_is_left_by_a_key() {
    let server = demo();
    let Some(window) = signed_in(server, "admin") else { return };
    let mut found = Vec::new();
    for (path, title, button) in FORMS {
        open(&window, server, path, title);
        window.click(button);
        window.until("document.querySelector('dialog[open]')");
        found.extend(in_the_way(&window, "document.querySelector('dialog[open]')", &format!("{button} of {path}")));
        // The focus is in the form, stays there, and goes back to what opened it.
        for _ in 0..3 {
            let inside = window
                .evaluate("document.activeElement == document.body || !!document.activeElement.closest('dialog')");
            assert_eq!(inside, json!(true), "{button} of {path}");
            window.press("Tab");
        }
        window.press("Escape");
        window.until("!document.querySelector('dialog')");
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn barriers(window: &Window, what: &str) -> Vec<String> {
    window.barriers().iter().map(|barrier| format!("{what}: {barrier}")).collect()
}

/// The pictures of docs/console.md: made here, and kept with `MUSTER_TESTS_PICTURES=1`.
#[test]
fn pictures_for_the_documents_stay_small() {
    let server = demo();
    let Some(window) = signed_in(server, "operator") else { return };
    let mut all = 0;
    let wide = (1280, 720);
    let alert = text(&company(server).search("/alerts/search", "subject:certificate").page()["results"][0]["id"]);
    let pictures = [
        ("on-call", "on-call", "On call", wide),
        ("alerts", "alerts?status=New", "Alerts", wide),
        ("alert", &format!("alerts/{alert}"), "The certificate ends in 20 days", (360, 780)),
        ("maintenance", "maintenance?view=month", "Maintenance", wide),
        ("routing", "routing?host=web-01", "Routing", wide),
    ];
    for (name, path, title, (width, height)) in pictures {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        window.debug("Emulation.setDeviceMetricsOverride", &size);
        open(&window, server, path, title);
        let shot = window.debug("Page.captureScreenshot", &json!({"format": "webp", "quality": 70}));
        let picture = base64::engine::general_purpose::STANDARD.decode(text(&shot["data"])).unwrap();
        all += picture.len();
        if std::env::var("MUSTER_TESTS_PICTURES").is_ok_and(|value| value == "1") {
            let file = format!("{}/../docs/console/{name}.webp", env!("CARGO_MANIFEST_DIR"));
            std::fs::write(file, picture).unwrap();
        }
    }
    assert!(all < 200 << 10, "{all} bytes");
}
