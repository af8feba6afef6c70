//! The browser that these tests look with: what they rely on it to notice, and what becomes of a test under which it
//! dies.

use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::sync::atomic::{AtomicUsize, Ordering};

use muster_tests::{
    chromium::{Crash, Window, once_more_after_a_crash},
    in_browser,
};
use serde_json::json;

use super::{demo, open, signed_in};

in_browser![
    a_test_under_which_a_tab_dies_begins_anew,
    a_tab_that_dies_is_told_with_how_the_machine_was,
    what_a_page_should_not_ask_for_is_noticed,
];

fn a_test_under_which_a_tab_dies_begins_anew() {
    static TIMES: AtomicUsize = AtomicUsize::new(0);
    let Some(window) = Window::open() else { return };
    if TIMES.fetch_add(1, Ordering::Relaxed) == 0 {
        window.debug("Page.crash", &json!({}));
        unreachable!("the tab died");
    }
    window.go(&format!("{}/console/", demo().base()));
    window.shows("Not signed in");
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn a_tab_that_dies_is_told_with_how_the_machine_was() {
    let Some(window) = Window::open() else { return };
    let end = catch_unwind(AssertUnwindSafe(|| window.debug("Page.crash", &json!({})))).unwrap_err();
    let Crash(told) = end.downcast_ref().expect("a crash");
    for words in ["tab crashed", "It said:\n  ", "/dev/shm: ", "MemAvailable", "oom_kill"] {
        assert!(told.contains(words), "{words}: {told}");
    }
}

/// What a test finds is found at once; and a browser that dies again is not an accident.
#[test]
fn only_the_death_of_the_browser_is_tried_again_and_once() {
    let times = AtomicUsize::new(0);
    let count = |test: &dyn Fn()| {
        times.store(0, Ordering::Relaxed);
        let end = catch_unwind(AssertUnwindSafe(|| {
            once_more_after_a_crash(|| {
                times.fetch_add(1, Ordering::Relaxed);
                test();
            });
        }));
        (times.load(Ordering::Relaxed), end)
    };
    let (times, end) = count(&|| panic!("it found something"));
    assert_eq!((times, *end.unwrap_err().downcast_ref::<&str>().unwrap()), (1, "it found something"));
    let (times, end) = count(&|| panic_any(Crash("tab crashed".to_owned())));
    assert_eq!((times, end.unwrap_err().is::<Crash>()), (2, true));
    let (times, end) = count(&|| {});
    assert_eq!((times, end.is_ok()), (1, true));
}

/// Every test ends with no complaint: this one makes each that there is.
fn what_a_page_should_not_ask_for_is_noticed() {
    let server = demo();
    let Some(window) = signed_in(server, "viewer") else { return };
    let asks = [
        ("fetch('http://127.0.0.1:9/beacon').catch(() => 0)", "127.0.0.1:9"),
        ("navigator.sendBeacon('http://127.0.0.1:9/beacon')", "127.0.0.1:9"),
        ("new Image().src = 'http://127.0.0.1:9/pixel'", "127.0.0.1:9"),
        ("(() => { try { new WebSocket('ws://127.0.0.1:9/socket') } catch {} })()", "127.0.0.1:9"),
        (
            "(() => { const one = document.createElement('link'); one.rel = 'stylesheet'; \
             one.href = 'https://example.net/x.css'; document.head.append(one); })()",
            "example.net",
        ),
        ("fetch('/api/v2/tenants/client_1/nonsense').then(() => 0)", "nonsense is in no document"),
        ("fetch('/console/app.js', {method: 'POST'}).then(() => 0)", "POST /console/app.js is in no document"),
        ("fetch('/api/v2/tenants/client_1/auditLog/search').then(() => 0)", "needs admin, and a viewer is signed in"),
    ];
    for (ask, told) in asks {
        open(&window, server, "alerts", "Alerts");
        let before = window.complaints().len();
        window.evaluate(ask);
        window.evaluate("new Promise(done => setTimeout(done, 200))");
        let found = window.complaints();
        assert!(found[before..].iter().any(|one| one.contains(told)), "{ask}: {found:?}");
    }
    // A page of somebody else is one, too, although nothing of the console is left then.
    let before = window.complaints().len();
    window.evaluate("setTimeout(() => location.assign('http://127.0.0.1:9/gone'))");
    window.until("!location.href.includes('/console/')");
    let found = window.complaints();
    assert!(found[before..].iter().any(|one| one.contains("a request to somebody else")), "{found:?}");
}
