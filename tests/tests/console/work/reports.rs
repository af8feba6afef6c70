//! Reports: figures of alerts, and hours on call, as the service has them.

use muster_tests::{chromium::Window, in_browser};
use serde_json::{Value, json};

use super::super::{company, demo, open, signed_in, text};

in_browser![figures_of_alerts_are_shown_and_sorted, a_range_is_chosen, hours_lead_from_people_to_their_rosters];

/// What a screen shows once nothing waits for an answer.
fn settle(window: &Window) {
    window.until(
        "!document.querySelector('.loading, .trouble') && document.querySelectorAll('.panel table').length == 2",
    );
}

/// The texts of a column of a table, which is counted from nought, in the panel of this heading.
fn column(window: &Window, panel: &str, at: usize) -> Value {
    window.evaluate(&format!(
        "[...document.querySelectorAll('[aria-labelledby={panel}] tbody tr')]\
         .map(row => row.children[{at}].textContent)"
    ))
}

/// What the page asked an operation for: its query.
fn asked(window: &Window, path: &str) -> String {
    let requests = window.requests();
    let (_, url) = requests.iter().rfind(|(_, url)| url.contains(path)).expect("a request");
    url.split_once('?').expect("a query").1.to_owned()
}

fn figures_of_alerts_are_shown_and_sorted() {
    let server = demo();
    let Some(window) = signed_in(server, "viewer") else { return };
    window.requests();
    open(&window, server, "reports?by=resource", "Reports");
    settle(&window);
    let query = asked(&window, "/alerts/figures");
    let figures = company(server).get(&format!("/alerts/figures?{query}")).ok();
    let rows = figures["results"].as_array().unwrap();
    let names: Vec<&str> = rows.iter().filter_map(|row| row["name"].as_str()).collect();
    assert_eq!(column(&window, "alerts", 0), json!(names));
    // Of this one the demo company knows how long it took.
    let at = names.iter().position(|name| *name == "web-02").expect("web-02");
    assert_eq!(column(&window, "alerts", 7)[at], json!("13 min"));
    // The chart says the same to those who do not see it.
    let bars = "[...document.querySelectorAll('[aria-labelledby=alerts] .stack svg')].map(one => one.ariaLabel)";
    let noise = format!("Closed without an acknowledgement: {}", rows[at]["noise"]);
    assert!(text(&window.evaluate(bars)[at]).contains(&noise), "{noise}");
    let order = "document.querySelector('[aria-labelledby=alerts] [aria-sort]').textContent.trim()";
    assert_eq!(window.evaluate(order), json!("Alerts ▼"));
    // By the keyboard alone.
    window.evaluate("document.querySelector('main h1').focus()");
    window.tab_to("one.textContent.trim() == 'Machine'");
    window.press("Enter");
    window.until("new URLSearchParams(location.search).get('sort') == 'name'");
    assert_eq!(window.evaluate(order), json!("Machine ▲"));
    let mut sorted = names.clone();
    sorted.sort_unstable();
    assert_eq!(column(&window, "alerts", 0), json!(sorted));
    window.evaluate(
        "URL.createObjectURL = (made => blob => (globalThis.exported = blob, \
         made.call(URL, blob)))(URL.createObjectURL)",
    );
    window.click("Export alerts as CSV…");
    window.until("document.querySelector('dialog a[download]')");
    let file = text(&window.evaluate("exported.text()"));
    assert!(file.contains("id,Machine,alerts,pages,acknowledged,"), "{file}");
    assert!(file.lines().count() == names.len() + 1 && file.contains(",web-02,"), "{file}");
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn a_range_is_chosen() {
    let server = demo();
    let Some(window) = signed_in(server, "viewer") else { return };
    open(&window, server, "reports", "Reports");
    settle(&window);
    window.requests();
    window.click("Last 7 days");
    window.until("new URLSearchParams(location.search).get('days') == '7'");
    settle(&window);
    window.click("Own range");
    window.until("document.querySelectorAll('main input[type=date]').length == 2");
    let set = |at: usize, day: &str| {
        window.evaluate(&format!(
            "(one => {{ one.value = {}; one.dispatchEvent(new Event('change', {{bubbles: true}})); }})\
             (document.querySelectorAll('main input[type=date]')[{at}])",
            json!(day)
        ));
    };
    set(0, "2026-03-02");
    set(1, "2026-03-01");
    window.shows("The last day is before the first.");
    set(1, "2029-03-01");
    window.shows("A range has at most 400 days.");
    window.requests();
    set(1, "2026-03-03");
    window.shows("There were none.");
    // Both days are part of it; browsers of tests are in UTC.
    let query = asked(&window, "/alerts/figures");
    assert!(query.contains("from=2026-03-02T00%3A00%3A00Z&to=2026-03-04T00%3A00%3A00Z"), "{query}");
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn hours_lead_from_people_to_their_rosters() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "viewer") else { return };
    window.requests();
    open(&window, server, "reports?hoursSort=name", "Reports");
    settle(&window);
    let query = asked(&window, "/rosters/hours");
    let hours = company.get(&format!("/rosters/hours?{query}")).ok();
    let rows = hours["results"].as_array().unwrap();
    let totals: Vec<String> = rows.iter().map(|row| format!("{:.2}", row["total"].as_f64().unwrap())).collect();
    assert_eq!(column(&window, "hours", 6), json!(totals));
    let person = text(&rows[0]["user"]["loginName"]);
    window.click(&person);
    window.until("new URLSearchParams(location.search).get('person')?.startsWith('USR')");
    window.until("document.querySelector('[aria-labelledby=hours] thead th').textContent.startsWith('Roster')");
    settle(&window);
    let query = asked(&window, "/rosters/hours");
    let hours = company.get(&format!("/rosters/hours?{query}")).ok();
    let of_person = hours["results"].as_array().unwrap();
    assert_eq!(column(&window, "hours", 0).as_array().map(Vec::len), Some(of_person.len()));
    let sum: f64 = of_person.iter().map(|row| row["total"].as_f64().unwrap()).sum();
    assert!((sum - rows[0]["total"].as_f64().unwrap()).abs() < 0.01, "{sum}");
    window.click("Export hours as CSV…");
    window.shows("rows are in the file.");
    assert_eq!(window.complaints(), Vec::<String>::new());
}
