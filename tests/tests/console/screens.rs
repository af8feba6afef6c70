//! Every screen: it loads, says what is wrong, can be read by everybody, and asks for nothing but documented
//! operations.

use std::collections::BTreeMap;

use base64::Engine as _;
use muster_tests::{Server, chromium::Window, in_browser};
use serde_json::{Value, json};

use super::{company, demo, load, open, signed_in, text};

in_browser![
    every_screen_loads_and_asks_for_documented_operations_only,
    a_viewer_is_offered_what_a_viewer_may,
    every_screen_says_what_is_wrong,
    who_is_not_signed_in_is_told_how,
    pictures_for_the_documents_stay_small
];

/// The screens that need nothing but an address, each with its head.
const SCREENS: [(&str, &str); 30] = [
    ("on-call", "On call"),
    ("alerts", "Alerts"),
    ("incidents", "Incidents"),
    ("resources", "Machines"),
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
    ("pages", "Pages"),
    ("rosters", "Rosters"),
    ("reports", "Reports"),
    ("holidays", "Holidays"),
    ("runs", "Runs"),
    ("scripts", "Scripts"),
    ("sites", "Sites"),
    ("groups", "Groups"),
    ("owners", "Owners"),
    ("decommissioned", "Decommissioned machines"),
    ("integrations", "Integrations"),
    ("inbound", "Inbound addresses"),
    ("heartbeats", "Heartbeats"),
    ("usergroups", "User groups"),
    ("categories", "Incident categories"),
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

fn every_screen_loads_and_asks_for_documented_operations_only() {
    let server = demo();
    let Some(window) = signed_in(server, "admin") else { return };
    let document = server.get("/openapi.json").json();
    window.requests();
    for (path, title) in all_screens(server) {
        load(&window, server, &path, &title);
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
    // Opening screens changes nothing.
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
const FOR_OTHERS: [&str; 28] = [
    "Acknowledge",
    "Escalate",
    "Hand over",
    "Add note",
    "Resend",
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
    "Edit…",
    "Add machines",
    "Install",
    "Import",
    "Decommission",
    "Set owner",
];

fn a_viewer_is_offered_what_a_viewer_may() {
    let server = demo();
    let Some(window) = signed_in(server, "viewer") else { return };
    let menu =
        window.evaluate("[...document.querySelectorAll('.menu a')].map(one => one.querySelector('span').textContent)");
    for (there, title) in [(true, "Alerts"), (true, "Machines"), (false, "Audit"), (false, "API keys")] {
        let found = menu.as_array().unwrap().contains(&json!(title));
        assert_eq!(found, there, "{title}: {menu}");
    }
    let closed = ["audit", "keys"];
    for (path, title) in all_screens(server).into_iter().filter(|(path, _)| !closed.contains(&path.as_str())) {
        open(&window, server, &path, &title);
        let buttons = window.evaluate(
            "[...document.querySelectorAll('main button:not([aria-pressed], .sort)')]\
             .map(one => one.textContent.trim())",
        );
        let buttons = buttons.as_array().unwrap().iter().map(text).collect::<Vec<_>>();
        for offered in &buttons {
            assert!(!FOR_OTHERS.iter().any(|word| offered.starts_with(word)), "{path}: {buttons:?}");
        }
    }
    assert_eq!(window.complaints(), Vec::<String>::new());
}

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
    load(&window, server, "alerts", "Alerts");
    window.shows("No answer to ping");
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn who_is_not_signed_in_is_told_how() {
    let server = demo();
    let Some(window) = Window::open() else { return };
    window.go(&format!("{}/console/alerts", server.base()));
    window.shows("Not signed in");
    for (width, dark) in [(1440, false), (360, true)] {
        window.looks(width, dark);
        assert_eq!(window.barriers(), Vec::<Value>::new(), "signed out");
    }
    window.fill("input[name=email]", "nobody@example.net");
    window.click("Send me a sign-in link");
    window.shows("If the address belongs to a person here, a link is on its way. It is valid for 10 minutes.");
    assert_eq!(window.barriers(), Vec::<Value>::new(), "a link is on its way");
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

/// The pictures of docs/console.md: made here, and kept with `MUSTER_TESTS_PICTURES=1`.
fn pictures_for_the_documents_stay_small() {
    let server = demo();
    let Some(window) = signed_in(server, "operator") else { return };
    let mut all = 0;
    let wide = (1280, 720);
    window.debug("Emulation.setScrollbarsHidden", &json!({"hidden": true}));
    let alert = text(&company(server).search("/alerts/search", "subject:certificate").page()["results"][0]["id"]);
    let pictures = [
        ("on-call", "on-call", "On call", wide),
        ("alerts", "alerts?status=New", "Alerts", wide),
        ("alert", &format!("alerts/{alert}"), "The certificate ends in 20 days", (360, 780)),
        ("maintenance", "maintenance?view=month", "Maintenance", wide),
        ("routing", "routing?host=web-01", "Routing", wide),
    ];
    for (name, path, title, (width, height)) in pictures {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600});
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
