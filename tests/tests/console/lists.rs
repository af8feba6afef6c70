//! Long lists: what of them is in the page, how soon they answer, that more of them is read as one scrolls, and how
//! close their rows are; and the numbers beside the entries of the menu.

use muster_tests::{Backend, Server, chromium::Window, in_browser, unique};
use serde_json::{Value, json};

use super::{
    REFUSAL, company, demo, meddle, open, signed_in, signed_in_at,
    speed::{alerts, machines, tell},
    text,
    work::report,
};

in_browser![
    a_list_of_100_000_rows_scrolls_and_answers_at_once,
    more_of_a_list_is_read_as_one_scrolls_and_there_again_on_the_way_back,
    what_cannot_be_read_is_read_by_the_button,
    a_board_read_far_stays_where_it_is_as_alerts_arrive,
    alerts_that_arrive_leave_no_gap_while_more_is_read,
    incidents_that_come_and_go_leave_no_gap_in_a_list_that_is_read_on,
    rows_are_as_close_as_one_chose,
    the_menu_says_how_many_alerts_and_incidents_are_open,
    what_a_page_shows_whole_has_no_end_at_a_page_of_the_list,
];

/// More rows than a page has where a list is drawn in part.
const FEW: u64 = 200;

const DRAWN: &str = "document.querySelectorAll('.rows tbody tr').length";
const FOOT: &str = "document.querySelector('.foot')?.innerText || ''";

/// What stands in the middle of the page is a row, and how many there are around it.
fn looks_whole(window: &Window) {
    window.until("document.elementFromPoint(innerWidth / 2, innerHeight / 2)?.closest('tr')?.ariaRowIndex > 0");
    let drawn = window.evaluate(DRAWN).as_u64().unwrap();
    assert!(drawn > 10 && drawn < FEW, "{drawn} rows are drawn");
}

/// Machines as the service would list them, since so many take minutes to store.
fn makes_up_machines(window: &Window, count: usize) {
    let source = format!(
        "const asked = globalThis.fetch; globalThis.fetch = async (url, given) => {{ \
         if (!new URL(url, location).pathname.endsWith('/resources/search')) return asked(url, given); \
         const one = place => ({{id: `made-up-${{place}}`, name: `host-${{place}}`, hostName: `host-${{place}}`, \
         aliasName: place % 3 ? '' : `rack ${{place}}`, type: 'DEVICE', resourceType: 'Linux'}}); \
         const body = {{results: Array.from({{length: {count}}}, (_, place) => one(place)), totalResults: {count}}}; \
         return new Response(JSON.stringify(body), {{headers: {{'Content-Type': 'application/json'}}}}); }}"
    );
    window.run_everywhere(&source);
}

/// What each of `times` steps costs the page until it shows what came of it, in milliseconds of CPU time of its main
/// thread: on the clock it would be the time of the tests beside it, too.
fn cost(window: &Window, step: &str, times: u32) -> f64 {
    window.debug("Performance.enable", &json!({"timeDomain": "threadTicks"}));
    let spent = || {
        let metrics = window.debug("Performance.getMetrics", &json!({}));
        let found = metrics["metrics"].as_array().into_iter().flatten().find(|metric| metric["name"] == "TaskDuration");
        found.and_then(|metric| metric["value"].as_f64()).expect("the browser says what a page costs")
    };
    let before = spent();
    window.evaluate(&format!(
        "(async () => {{ for (let time = 0; time < {times}; time += 1) {{ {step}; \
         await new Promise(done => requestAnimationFrame(() => setTimeout(done))); }} }})()"
    ));
    let cost = (spent() - before) * 1000.0 / f64::from(times);
    window.debug("Performance.disable", &json!({}));
    cost
}

fn a_list_of_100_000_rows_scrolls_and_answers_at_once() {
    const ROWS: usize = 100_000;
    let server = demo();
    let Some(window) = signed_in(server, "operator") else { return };
    window.looks(1440, false);
    makes_up_machines(&window, ROWS);
    open(&window, server, "resources", "Machines");
    window.until(&format!("({FOOT}).startsWith('100,000 of 100,000')"));
    looks_whole(&window);
    assert_eq!(window.evaluate("document.querySelector('.rows').getAttribute('aria-rowcount')"), json!("100001"));
    assert_eq!(window.barriers(), Vec::<Value>::new());
    // Wherever one goes, there are rows under heads that stay, as wide as before, one after the other.
    let widths = "[...document.querySelectorAll('.rows thead th')].map(head => Math.round(head.offsetWidth)).join()";
    let before = window.evaluate(widths);
    for part in [0.25, 0.9, 0.5, 0.003, 1.0] {
        window.evaluate(&format!("scrollTo(0, document.documentElement.scrollHeight * {part})"));
        looks_whole(&window);
        let gap = "document.querySelector('.rows thead th').getBoundingClientRect().top - \
             document.querySelector('header.top').getBoundingClientRect().bottom";
        assert!(window.evaluate(gap).as_f64().unwrap().abs() <= 1.0, "the heads are {} px off", window.evaluate(gap));
        let wrong = "[...document.querySelectorAll('.rows tbody tr[aria-rowindex]')].filter(row => \
             row.querySelector('a').textContent.trim() != `host-${row.ariaRowIndex - 2}`).length";
        assert_eq!(window.evaluate(wrong), json!(0));
        assert_eq!(window.evaluate(widths), before);
    }
    window.shows("host-99999");
    // A row keeps the focus where one does not look at it, and the next one follows it.
    window.evaluate("scrollTo(0, 0)");
    for _ in 0..3 {
        window.press("j");
    }
    let focused = "document.activeElement.textContent.trim()";
    window.until(&format!("{focused} == 'host-2'"));
    window.evaluate("scrollTo(0, 1000000)");
    looks_whole(&window);
    assert_eq!(window.evaluate(focused), json!("host-2"));
    window.press("j");
    window.until(&format!("{focused} == 'host-3' && document.activeElement.getBoundingClientRect().top > 46"));
    window.press("x");
    window.until("document.querySelectorAll('tr.chosen').length == 1");
    window.shows("1 machine selected");
    window.press("x");
    // Ticks: of none, and where all are ticked.
    let tick = "[...document.querySelectorAll('tbody input')][time].click()";
    let some = cost(&window, tick, 15);
    window.evaluate("document.querySelector('thead input').click()");
    window.shows("100,000 machines selected");
    let all = cost(&window, tick, 15);
    window.shows("99,985 machines selected");
    let frame = cost(&window, "scrollBy(0, 120)", 60);
    let drawn = window.evaluate(DRAWN);
    let told = format!(
        "of {ROWS} rows {drawn} are drawn; a tick takes {some:.1} ms of CPU, {all:.1} ms where all are ticked, and a \
         frame of scrolling {frame:.1} ms"
    );
    tell(&told);
    assert!(some > 0.0 && all > 0.0 && frame > 0.0, "{told}");
    assert!(some < 50.0 && all < 50.0 && frame < 25.0, "{told}");
}

/// Scrolls to the end of a list until it says that so much of it is there.
#[track_caller]
fn scrolls_until(window: &Window, said: &str) {
    window
        .until(&format!("(scrollTo(0, document.documentElement.scrollHeight), ({FOOT}).startsWith({}))", json!(said)));
}

fn more_of_a_list_is_read_as_one_scrolls_and_there_again_on_the_way_back() {
    let server = demo();
    let Some(window) = signed_in(server, "operator") else { return };
    let name = unique("shelf");
    machines(&company(server), &name, 1_000);
    for width in [1440, 360] {
        window.looks(width, false);
        open(&window, server, &format!("resources?by=hostName&q={name}"), "Machines");
        window.until(&format!("({FOOT}).startsWith('100 of 1,000')"));
        scrolls_until(&window, "1,000 of 1,000");
        assert_eq!(window.evaluate("document.querySelector('.foot button')"), Value::Null);
        looks_whole(&window);
        // A row in the middle is opened: it has the focus again when one comes back, among as many as were read.
        window.evaluate("scrollTo(0, document.documentElement.scrollHeight / 2)");
        looks_whole(&window);
        let row = "[...document.querySelectorAll('a.row-link')].find(one => one.getBoundingClientRect().top > \
             innerHeight / 2)";
        let opened = window.evaluate(&format!("{row}.textContent.trim()"));
        window.evaluate(&format!("{row}.click()"));
        window.until(&format!("document.querySelector('main h1')?.textContent == {opened}"));
        window.evaluate("history.back()");
        window.until(&format!(
            "document.activeElement.className == 'row-link' && document.activeElement.textContent.trim() == {opened}"
        ));
        window.until(&format!("({FOOT}).startsWith('1,000 of 1,000')"));
        looks_whole(&window);
    }
}

fn what_cannot_be_read_is_read_by_the_button() {
    let server = demo();
    let Some(window) = signed_in(server, "viewer") else { return };
    let name = unique("cage");
    machines(&company(server), &name, 1_000);
    meddle(&window);
    window.evaluate("sessionStorage.refused = 'GET .*cursor='");
    open(&window, server, &format!("resources?by=hostName&q={name}"), "Machines");
    window.until(&format!("({FOOT}).startsWith('100 of 1,000')"));
    window.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
    window.shows(REFUSAL.0);
    assert!(window.evaluate(FOOT).as_str().unwrap().starts_with("100 of 1,000"));
    window.evaluate("delete sessionStorage.refused");
    window.click("Show more");
    window.until(&format!("!({FOOT}).startsWith('100 of')"));
    scrolls_until(&window, "1,000 of 1,000");
}

fn a_board_read_far_stays_where_it_is_as_alerts_arrive() {
    let server = Server::start_with(Backend::Sqlite, &["--demo"]);
    let (server, company) = (&server, company(&server));
    let Some(window) = signed_in(server, "operator") else { return };
    let name = unique("rack");
    alerts(&company, &name, 1_000);
    window.looks(1440, false);
    for order in ["", "&sort=severity"] {
        open(&window, server, &format!("alerts?status=New{order}"), "Alerts");
        window.until("document.querySelector('.live').title.startsWith('Updated')");
        let read = "Number((document.querySelector('.foot')?.innerText || '0').split(' of')[0].replace(/\\D/g, ''))";
        window.until(&format!("(scrollTo(0, document.documentElement.scrollHeight), {read} >= 400)"));
        window.evaluate("scrollTo(0, document.documentElement.scrollHeight / 3)");
        looks_whole(&window);
        let row = "[...document.querySelectorAll('a.row-link')].find(one => one.getBoundingClientRect().top > 300)";
        window.evaluate(&format!("globalThis.seen = {row}; globalThis.was = seen.getBoundingClientRect().top"));
        let total = "document.querySelector('.foot').innerText.split('of ')[1].trim()";
        let before = (window.evaluate(read).as_u64().unwrap(), window.evaluate(total));
        report(&company, &unique("Fan failed"));
        window.until(&format!("{total} != {}", before.1));
        window.until(&format!("{read} > {}", before.0));
        assert_eq!(window.evaluate("seen.isConnected"), json!(true));
        let moved = window.evaluate("Math.abs(seen.getBoundingClientRect().top - was)").as_f64().unwrap();
        assert!(moved <= 2.0, "the row moved by {moved} px");
        looks_whole(&window);
    }
}

/// From now on a page waits for the answers of searches that `which` holds for, a function of their cursor, until
/// `globalThis.letGo()`; `globalThis.waits` counts them.
fn hold_searches(window: &Window, which: &str) {
    window.evaluate(&format!(
        "(() => {{ globalThis.asked ??= globalThis.fetch; globalThis.waits = 0; \
         const gone = new Promise(done => globalThis.letGo = done); \
         globalThis.fetch = async (url, given) => {{ const answer = await asked(url, given); \
         const {{pathname, searchParams}} = new URL(url, location); \
         if (pathname.endsWith('/search') && ({which})(searchParams.get('cursor'))) {{ waits += 1; await gone; }} \
         return answer; }}; }})()"
    ));
}

/// How many rows of a list are read, and how many there are.
const READ: &str = "Number((document.querySelector('.foot')?.innerText || '0').split(' of')[0].replace(/\\D/g, ''))";
const ALL: &str =
    "Number((document.querySelector('.foot')?.innerText || '').split(' of ')[1]?.replace(/\\D/g, '') || 0)";

/// Of a list with `all` rows more is read while others arrive, which push some off its first page: whichever answer is
/// there first, that to what is read again or that to what is read on, none is missing at the end.
fn has_no_gaps(window: &Window, show: impl Fn(), all: u64, arrived: u64, arrive: impl Fn()) {
    let read_on = "document.querySelector('.foot button').click()";
    for (all, again_is_late) in [(all, true), (all + arrived, false)] {
        show();
        window.until(&format!("{ALL} == {all}"));
        let count = window.evaluate(READ).as_u64().unwrap();
        hold_searches(window, if again_is_late { "cursor => !cursor" } else { "cursor => cursor" });
        if again_is_late {
            arrive();
            window.until("waits > 0");
            window.evaluate(read_on);
            window.until(&format!("{READ} > {count}"));
        } else {
            window.evaluate(read_on);
            window.until("waits > 0");
            arrive();
            // It needs further pages, which are late, where so many arrived.
            window.until(&format!("{READ} > {count} || waits > 1"));
        }
        window.evaluate("letGo()");
        window.until(&format!(
            "(scrollTo(0, document.documentElement.scrollHeight), \
             !document.querySelector('.foot button') && {READ} == {ALL} && {ALL} == {})",
            all + arrived
        ));
    }
}

fn alerts_that_arrive_leave_no_gap_while_more_is_read() {
    const FEW: usize = 300;
    // So many that all is read again.
    const ARRIVED: usize = 60;
    let server = Server::start_with(Backend::Sqlite, &["--demo"]);
    let (server, company) = (&server, company(&server));
    let Some(window) = signed_in(server, "operator") else { return };
    let name = unique("rack");
    let report = |count: usize| {
        let one = |number: usize| {
            json!({"currentState": "Warning", "subject": format!("Fan {number}"), "metric": unique("fan"),
            "device": {"hostName": name}})
        };
        company.post("/alerts", &json!((0..count).map(one).collect::<Vec<_>>())).ok();
    };
    report(FEW);
    let show = || {
        open(&window, server, &format!("alerts?status=New&host={name}"), "Alerts");
        window.until("document.querySelector('.live').title.startsWith('Updated')");
    };
    has_no_gaps(&window, show, FEW as u64, ARRIVED as u64, || report(ARRIVED));
}

fn incidents_that_come_and_go_leave_no_gap_in_a_list_that_is_read_on() {
    const FEW: u64 = 220;
    let server = Server::start_with(Backend::Sqlite, &["--demo"]);
    let (server, company) = (&server, company(&server));
    let Some(window) = signed_in(server, "operator") else { return };
    let name = unique("Fan failed");
    let report = || text(&company.post("/incidents", &json!({"subject": name})).ok()["id"]);
    (0..FEW).for_each(|_| drop(report()));
    let show = || open(&window, server, &format!("incidents?subject={}", name.replace(' ', "+")), "Incidents");
    // What a page does when one comes back to it.
    let read_again = || drop(window.evaluate("document.dispatchEvent(new Event('visibilitychange'))"));
    has_no_gaps(&window, show, FEW, 1, || {
        report();
        read_again();
    });
    // A list is as long as one read it, whatever comes or goes.
    let all = FEW + 2;
    show();
    window.until(&format!("{ALL} == {all}"));
    window.click("Show more");
    window.until(&format!("{READ} == 200"));
    let is_read_again = |rows: u64| {
        hold_searches(&window, "() => true");
        read_again();
        window.until("waits > 0");
        window.evaluate("letGo()");
        window.evaluate("new Promise(done => setTimeout(done, 100))");
        window.until(&format!("{READ} == {rows}"));
    };
    is_read_again(200);
    let newest = report();
    is_read_again(201);
    is_read_again(201);
    company.post(&format!("/incidents/{newest}"), &json!({"status": "Resolved"})).ok();
    is_read_again(200);
    window.until(&format!("(scrollTo(0, document.documentElement.scrollHeight), {READ} == {all} && {ALL} == {all})"));
}

fn rows_are_as_close_as_one_chose() {
    let server = demo();
    let Some(window) = signed_in(server, "viewer") else { return };
    let height = |width| {
        window.looks(width, false);
        open(&window, server, "people", "People");
        window.until("document.querySelector('.rows tbody tr')");
        window.evaluate("document.querySelector('.rows tbody tr').offsetHeight").as_u64().unwrap()
    };
    let before = [1440, 360].map(height);
    open(&window, server, "settings", "Settings");
    window.click("Compact");
    let pressed = "document.querySelector('[aria-label=\"Density of lists\"] [aria-pressed=true]').textContent.trim()";
    window.until(&format!("{pressed} == 'Compact'"));
    let after = [1440, 360].map(height);
    assert!(before.into_iter().zip(after).all(|(before, after)| after + 4 < before), "{before:?}, {after:?}");
    open(&window, server, "settings", "Settings");
    assert_eq!(window.evaluate(pressed), json!("Compact"));
    window.click("Comfortable");
    assert_eq!([1440, 360].map(height), before);
}

fn the_menu_says_how_many_alerts_and_incidents_are_open() {
    let server = Server::start_with(Backend::Sqlite, &["--demo"]);
    let (server, company) = (&server, company(&server));
    let Some(window) = signed_in(server, "operator") else { return };
    let new = || company.get("/alerts/counts?queryString=status:New").ok()["total"].as_u64().unwrap();
    let incidents = company.search("/incidents/search", "status:New,Open,Pending").page()["totalResults"].clone();
    let named = |place: &str, path: &str, name: &str| {
        window.until(&format!(
            "document.querySelector('{place} a[href=\"/console/{path}\"]').ariaLabel == {}",
            json!(name)
        ));
    };
    let before = new();
    assert!(before > 0 && before < 1_000, "{before}");
    for (place, width) in [(".menu", 1440), (".bottom-bar", 360), (".menu", 1440)] {
        window.looks(width, false);
        named(place, "alerts", &format!("Alerts, {before} open"));
        named(place, "incidents", &format!("Incidents, {incidents} open"));
        let seen = window.evaluate(&format!("document.querySelector('{place} [href=\"/console/alerts\"]').innerText"));
        assert_eq!(text(&seen).split_whitespace().collect::<Vec<_>>(), ["Alerts".to_owned(), before.to_string()]);
    }
    // They are not read for each screen.
    window.requests();
    for (path, title) in [("resources", "Machines"), ("people", "People"), ("jobs", "Jobs"), ("alerts", "Alerts")] {
        window.evaluate(&format!("document.querySelector('.menu a[href=\"/console/{path}\"]').click()"));
        window.until(&format!("document.querySelector('main h1')?.textContent == {}", json!(title)));
    }
    let asked = window.requests().into_iter().filter(|(_, url)| url.contains("/alerts/counts?by=status")).count();
    assert!(asked <= 1, "read {asked} times");
    // An alert arrives, and somebody acknowledges it.
    window.until("document.querySelector('.live')?.title.startsWith('Updated')");
    let subject = unique("Fan failed");
    report(&company, &subject);
    named(".menu", "alerts", &format!("Alerts, {} open", before + 1));
    window.until(&format!("document.querySelector('a.row-link')?.textContent.includes({})", json!(subject)));
    window.press("j");
    window.press("a");
    named(".menu", "alerts", &format!("Alerts, {before} open"));
    assert_eq!(new(), before);
}

/// The notes of an incident, and the events whose deliveries one looks at.
fn what_a_page_shows_whole_has_no_end_at_a_page_of_the_list() {
    let company = demo().new_client();
    let Some(window) = signed_in_at(&company, "integrator") else { return };
    let incident = text(&company.post("/incidents", &json!({"subject": "Talk"})).ok()["id"]);
    for number in 1..=101 {
        company.post(&format!("/incidents/{incident}/notes"), &json!({"content": format!("note {number}")})).ok();
    }
    open(&window, demo(), &format!("incidents/{incident}"), "Talk");
    window.until("document.querySelectorAll('.notes > li').length == 101");
    let body = json!({"displayName": "Desk", "baseNotifier": {"type": "REST_API", "baseURI": "https://desk.example"}});
    let installed = text(&company.post("/integrations/install/CUSTOM", &body).ok()["id"]);
    let events = (1..=101).map(|number| {
        let event = json!({"name": format!("event {number}"), "entity": "INCIDENT", "eventType": "CREATE",
            "endPointURI": "/tickets", "payload": "e30="});
        text(&company.post(&format!("/integrations/installed/{installed}/event"), &event).ok()["id"])
    });
    let last = events.collect::<Vec<_>>().pop().unwrap();
    open(&window, demo(), &format!("deliveries?event={installed}/{last}"), "Deliveries");
    window.until("document.querySelector('main [aria-current=true]')?.textContent.trim() == 'event 101'");
    assert_eq!(window.complaints(), Vec::<String>::new());
}
