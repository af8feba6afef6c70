//! How soon the console is there and answers, printed, and held to what people were promised: by the median of several,
//! so that one that was kept waiting by something else on the machine decides nothing.

use std::io::Write as _;

use muster_tests::{Backend, Client, Server, chromium::Window, in_browser, rounds, unique};
use serde_json::json;

use super::{company, demo, open, signed_in};

in_browser![the_first_screen_is_small_and_soon_there, keys_and_searches_are_answered_at_once_with_much_behind_them];

/// What people take for at once, in milliseconds.
const AT_ONCE: f64 = 100.0;

/// On the terminal, past the capture of the test program.
pub(super) fn tell(told: &str) {
    let _ = writeln!(std::io::stderr(), "console: {told}");
}

/// Some times, in milliseconds.
struct Times(Vec<f64>);

impl Times {
    fn of(mut all: Vec<f64>) -> Self {
        all.sort_by(f64::total_cmp);
        Self(all)
    }

    fn median(&self) -> f64 {
        self.0[self.0.len() / 2]
    }

    fn said(&self) -> String {
        let count = self.0.len();
        let last = self.0.last().copied().unwrap_or_default();
        format!("{:.0} ms, the slowest of {count} {last:.0} ms", self.median())
    }
}

/// Slows a page down to the pace of a slow telephone: four times on a fast machine, and less on one that is slow
/// itself. Returns how many times. The pace is what a table of 1,000 rows takes, from JSON to its layout.
fn slow_to_telephone(window: &Window) -> f64 {
    const TELEPHONE_MS: f64 = 250.0;
    let table = "(() => { const start = performance.now(); \
                 const made = Array.from({length: 1000}, (_, place) => ({id: `row ${place}`, name: `name ${place}`})); \
                 const table = document.createElement('table'); document.body.append(table); \
                 for (const {id, name} of JSON.parse(JSON.stringify(made))) { const row = table.insertRow(); \
                 row.insertCell().textContent = id; row.insertCell().textContent = name; } \
                 table.offsetHeight; table.remove(); return performance.now() - start; })()";
    let times = Times::of((0..15).map(|_| window.evaluate(table).as_f64().unwrap()).collect());
    let slowed = (TELEPHONE_MS / times.median()).clamp(1.0, 4.0);
    window.debug("Emulation.setCPUThrottlingRate", &json!({"rate": slowed}));
    slowed
}

/// The first screen on a slow telephone that was never here.
fn the_first_screen_is_small_and_soon_there() {
    const VISITS: usize = 5;
    let server = demo();
    let Some(window) = signed_in(server, "operator") else { return };
    window.looks(360, false);
    window.debug("Network.enable", &json!({}));
    let slowed = slow_to_telephone(&window);
    let noted = "new MutationObserver(() => { if (!globalThis.there && document.querySelector('.person')) \
                 globalThis.there = performance.now(); }) \
                 .observe(document, {childList: true, subtree: true})";
    window.debug("Page.addScriptToEvaluateOnNewDocument", &json!({"source": noted}));
    let sent = "performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))\
                .reduce((sum, one) => sum + one.transferSize, 0)";
    let mut sizes = 0.0_f64;
    let visit = |_| {
        window.debug("Network.clearBrowserCache", &json!({}));
        window.go(&format!("{}/console/on-call", server.base()));
        window.until("globalThis.there");
        window.until("!document.querySelector('.loading')");
        sizes = sizes.max(window.evaluate(sent).as_f64().unwrap());
        window.evaluate("globalThis.there").as_f64().unwrap()
    };
    let there = Times::of((0..VISITS).map(visit).collect());
    let told = format!(
        "the first screen was there after {} (CPU slowed {slowed:.1} times), with {:.1} KiB in all",
        there.said(),
        sizes / 1024.0
    );
    tell(&told);
    assert!(sizes > 10_000.0 && sizes <= 150.0 * 1024.0, "{told}");
    assert!(there.median() <= 1_000.0, "{told}");
}

/// Machines that a search goes through, as many as asked for.
pub(super) fn machines(company: &Client, name: &str, count: usize) {
    for block in 0..count / 1_000 {
        let one = |number: usize| {
            let machine =
                json!({"hostName": format!("{name}-{block}-{number}"), "type": "DEVICE", "resourceType": "Linux"});
            format!("{machine}\n")
        };
        let lines: String = (0..1_000).map(one).collect();
        let stored = company.request("POST", "/resources/bulk").body("application/x-ndjson", lines).send();
        assert_eq!(stored.status, 200, "{stored}");
    }
}

pub(super) fn alerts(company: &Client, name: &str, count: usize) {
    for block in 0..count / 1_000 {
        let one = |number: usize| {
            json!({"currentState": "Warning", "subject": format!("Fan {number}"),
            "metric": format!("fan.{block}.{number}"), "device": {"hostName": format!("{name}-{block}")}})
        };
        company.post("/alerts", &json!((0..1_000).map(one).collect::<Vec<_>>())).ok();
    }
}

/// From now on keeps how long each key takes until the page shows what came of it, as the browser itself measures it.
fn watch(window: &Window) {
    window.evaluate(
        "globalThis.answered = new Map(); new PerformanceObserver(list => { \
         for (const one of list.getEntries()) if (one.interactionId) \
         answered.set(one.interactionId, Math.max(answered.get(one.interactionId) || 0, one.duration)); })\
         .observe({type: 'event', durationThreshold: 16, buffered: true})",
    );
}

/// How long each of so many keys took; the browser leaves out those below 16 ms.
fn answered(window: &Window, pressed: usize) -> Times {
    let seen = window.evaluate("[...answered.values()]");
    let mut all: Vec<f64> = seen.as_array().unwrap().iter().filter_map(serde_json::Value::as_f64).collect();
    assert!(!all.is_empty(), "no key took as long as 16 ms");
    all.resize(all.len().max(pressed), 16.0);
    Times::of(all)
}

fn keys_and_searches_are_answered_at_once_with_much_behind_them() {
    const ALERTS: usize = 10_000;
    const CHOSEN: usize = 20;
    let server = Server::start_with(Backend::Sqlite, &["--demo"]);
    let (server, company) = (&server, company(&server));
    let Some(window) = signed_in(server, "operator") else { return };
    let many = rounds("machines behind a search", 2_000, 1_000_000);
    let name = unique("rack");
    machines(&company, &name, many);
    alerts(&company, &name, ALERTS);
    open(&window, server, "alerts", "Alerts");
    window.until("document.querySelectorAll('tbody tr').length == 50");
    let total = window.evaluate("Number(document.querySelector('.foot').innerText.split('of')[1].replace(/\\D/g, ''))");
    assert!(total.as_u64().is_some_and(|total| total >= ALERTS as u64), "{total} alerts");
    watch(&window);
    for _ in 0..CHOSEN {
        window.press("j");
        window.press("x");
    }
    window.until(&format!("document.querySelectorAll('tr.chosen').length == {CHOSEN}"));
    window.press("a");
    window.until(&format!(
        "[...document.querySelectorAll('tbody tr')]\
         .filter(row => row.innerText.includes('Acknowledged')).length >= {CHOSEN}"
    ));
    window.shows(&format!("Acknowledged: {CHOSEN}."));
    let board = answered(&window, CHOSEN * 2 + 1);
    // A search letter by letter, each waited for: what the keys took, and what the service took.
    open(&window, server, "resources", "Machines");
    watch(&window);
    window.press("/");
    window.evaluate("performance.clearResourceTimings()");
    let typed = format!("{name}-1-99");
    for (place, letter) in typed.char_indices() {
        window.press(&letter.to_string());
        let so_far = json!(&typed[..=place]);
        window.until(&format!(
            "new URLSearchParams(location.search).get('q') == {so_far} && \
             document.querySelector('table.rows')?.ariaBusy == 'false'"
        ));
    }
    // The table says that it waits while it does.
    window.until("document.querySelectorAll('tbody tr').length == 11");
    let search = answered(&window, typed.len());
    let asked = "performance.getEntriesByType('resource').filter(one => one.name.includes('/resources/search'))\
                 .map(one => one.duration)";
    let asked = window.evaluate(asked);
    let asked = Times::of(asked.as_array().unwrap().iter().filter_map(serde_json::Value::as_f64).collect());
    let told = format!(
        "a key is answered after {} with {total} alerts, after {} with {many} machines; a search of these after {}",
        board.said(),
        search.said(),
        asked.said()
    );
    tell(&told);
    assert!(asked.0.len() > 5, "{told}");
    assert!(board.median() <= AT_ONCE && search.median() <= AT_ONCE && asked.median() <= AT_ONCE, "{told}");
    assert!(board.0.iter().chain(&search.0).all(|one| *one <= 1_000.0), "{told}");
}
