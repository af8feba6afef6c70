//! Alerts and incidents: as they come, and what people do with them.

use muster_tests::{Backend, Server, in_browser, rounds, unique};
use serde_json::json;

use super::{
    super::{company, demo, open, signed_in, text},
    MARKUP, alerts, report,
};

in_browser![
    alerts_arrive_live_and_are_acknowledged_by_a_key,
    an_alert_becomes_an_incident_with_notes,
    an_alert_is_noted_handed_over_and_escalated,
    people_and_rosters_are_called_by_their_names,
    an_hour_of_live_alerts_keeps_no_memory
];

fn alerts_arrive_live_and_are_acknowledged_by_a_key() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "operator") else { return };
    let subject = unique("Tide");
    open(&window, server, &format!("alerts?subject={subject}"), "Alerts");
    window.shows("No alert matches");
    report(&company, &format!("{subject} one"));
    window.shows(&format!("{subject} one"));
    window.press("j");
    window.until("document.activeElement.className == 'row-link'");
    window.press("a");
    window.shows("Acknowledged.");
    assert_eq!(alerts(&company, &subject)[0]["status"], "Acknowledged");
    // What is asked for is shown as being sent; when the service does not store it, it is as it was.
    report(&company, &format!("{subject} zero"));
    window.shows(&format!("{subject} zero"));
    window.debug("Network.enable", &json!({}));
    window.debug("Network.setBlockedURLs", &json!({"urls": ["*/acknowledge"]}));
    window.evaluate(
        "globalThis.was = []; new MutationObserver(() => \
         globalThis.was.push(document.querySelector('tbody tr')?.innerText)).observe(document.querySelector('tbody'), \
         {subtree: true, childList: true, characterData: true})",
    );
    window.evaluate("document.querySelector('tbody .row-link').focus()");
    window.press("a");
    window.until("document.querySelector('.toast.bad')");
    window.until(
        "globalThis.was.some(text => text?.includes('sending…')) && \
         document.querySelector('tbody tr').innerText.includes('New')",
    );
    window.until("!globalThis.was.some(text => text?.includes('Acknowledged'))");
    window.debug("Network.setBlockedURLs", &json!({"urls": []}));
    assert_eq!(alerts(&company, &format!("{subject} zero"))[0]["status"], "New");
    window
        .until("document.querySelector('.hourly .bars')?.getAttribute('aria-label').includes('in the last 24 hours')");
    // Several at once, with a note.
    report(&company, &format!("{subject} two"));
    window.shows(&format!("{subject} two"));
    window.evaluate("document.querySelector('thead input').click()");
    window.click("Close…");
    window.fill("textarea", "It was the tide");
    window.click("Close");
    window.shows("Closed: 3.");
    let found = alerts(&company, &subject);
    assert!(
        found.iter().all(|alert| alert["status"] == "Closed" && alert["closure"]["note"] == "It was the tide"),
        "{found:?}"
    );
    // The filters are the address.
    window.click("Closed");
    window.until("new URLSearchParams(location.search).get('status') == 'New,Acknowledged,Closed'");
    window.shows(&format!("{subject} two"));
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn an_alert_is_noted_handed_over_and_escalated() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "operator") else { return };
    let name = unique("Relay");
    let person = json!({"loginName": unique("ada"), "firstName": "Ada", "lastName": name, "role": "operator"});
    let person = text(&company.post("/users", &person).ok()["id"]);
    // Nobody answers there, so that it is tried again: a page that fails for good takes the next step by itself.
    let method = json!({"name": "hook", "type": "HTTP", "url": "http://127.0.0.1:9/", "verified": true});
    company.post(&format!("/users/{person}/contactMethods"), &method).ok();
    let subject = unique("Pump");
    report(&company, &subject);
    let id = text(&alerts(&company, &subject)[0]["id"]);
    open(&window, server, &format!("alerts/{id}"), &subject);
    window.click("Add note…");
    window.fill("dialog textarea", "Watch the valve");
    window.click("Add note");
    window.shows("The note was added.");
    window.until("document.querySelector('.course').innerText.includes('Note by Eva Sand')");
    window.until("document.querySelector('.course').innerText.includes('Watch the valve')");
    window.press("a");
    window.shows("Acknowledged by Eva Sand");
    // To one person, who has to acknowledge it.
    window.click("Hand over…");
    window.until("document.querySelectorAll('dialog input[role=combobox]').length == 2");
    window.fill("dialog input[role=combobox]", &name);
    window.until(&format!("document.querySelector('[role=option]')?.textContent.includes({})", json!(name)));
    window.evaluate("document.querySelector('[role=option]').click()");
    window.until("document.querySelectorAll('dialog input[role=combobox]').length == 1");
    window.fill("dialog textarea", "My shift is over");
    window.click("Hand over");
    window.shows("Handed over.");
    window.until("document.querySelector('.course').innerText.includes('Handed over by Eva Sand')");
    window.until(&format!(
        "document.querySelector('.course').innerText.includes({})",
        json!(format!("to Ada {name}: My shift is over"))
    ));
    window.until("document.querySelector('.sub').innerText.includes('New')");
    assert_eq!(alerts(&company, &subject)[0]["status"], "New");
    window.click("Escalate…");
    window.shows("The next step of the escalation is taken at once.");
    window.click("Escalate");
    window.until("document.querySelector('.course').innerText.includes('Escalated by Eva Sand')");
    company.post_empty(&format!("/alerts/{id}/actions/close")).ok();
    window.until("![...document.querySelectorAll('.head button')].some(one => one.textContent.includes('Hand over'))");
    window.shows("Add note…");
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn an_alert_becomes_an_incident_with_notes() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "operator") else { return };
    let subject = unique("Flood");
    report(&company, &subject);
    let id = text(&alerts(&company, &subject)[0]["id"]);
    open(&window, server, &format!("alerts/{id}"), &subject);
    let host = text(&alerts(&company, &subject)[0]["device"]["hostName"]);
    window.until(&format!("document.querySelector('.sub').innerText.includes({})", json!(host)));
    window.shows("Reported for the first time");
    window.press("a");
    window.shows("Acknowledged by Eva Sand");
    window.click("Open an incident");
    window.until("location.pathname.startsWith('/console/incidents/INC')");
    window.until(&format!("document.querySelector('main h1')?.textContent == {}", json!(subject)));
    window.fill("textarea", &format!("**Pumps** are on. {MARKUP}"));
    window.click("Add note");
    window.until("document.querySelector('.notes strong')?.textContent == 'Pumps'");
    // Of Markdown, an entity is its character.
    window.shows(&MARKUP.replace("&amp;", "&"));
    let id = text(&window.evaluate("location.pathname.split('/').pop()"));
    window.click("Change…");
    window.until("document.querySelector('dialog')");
    // Somebody else is faster: both are shown, and neither is lost.
    company.post(&format!("/incidents/{id}"), &json!({"status": "Pending"})).ok();
    window.fill("select[name=priority]", "Urgent");
    window.click("Save");
    window.until("document.querySelector('.theirs .after')?.textContent == 'Pending'");
    window.click("Save mine");
    window.until("document.querySelector('.sub')?.textContent.includes('Pending')");
    window.until("document.querySelector('.sub')?.textContent.includes('Urgent')");
    window.click("Close…");
    window.fill("textarea", "Dry again");
    window.click("Close");
    window.until("document.querySelector('.sub')?.textContent.includes('Closed')");
    let incident = company.search("/incidents/search", &format!("subject:{subject}")).page()["results"][0].clone();
    assert_eq!((&incident["status"], &incident["priority"]), (&json!("Closed"), &json!("Urgent")));
    assert_eq!(window.complaints(), Vec::<String>::new());
}

/// People who are notified, or cannot be, are shown by name.
fn people_and_rosters_are_called_by_their_names() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "viewer") else { return };
    let alert = company.search("/alerts/search", "subject:No answer to ping").page()["results"][0].clone();
    let machine = company.search("/resources/search", "hostName:web-01").page()["results"][0].clone();
    let pages = [
        (format!("alerts/{}", text(&alert["id"])), "No answer to ping", "course", "Could not notify Service desk "),
        (format!("resources/{}", text(&machine["id"])), "web-01", "responders", ": nobody is on call"),
    ];
    for (path, title, panel, words) in pages {
        open(&window, server, &path, title);
        let said = format!("document.querySelector('#{panel}').closest('section').innerText");
        window.until(&format!("{said}.includes({})", json!(words)));
        window.until(&format!("!/(ES|USR)-?[0-9a-f]{{8}}/.test({said})"));
    }
    assert_eq!(window.complaints(), Vec::<String>::new());
}

/// An hour in which something changes every few seconds, told by the stream alone, as to a page that nobody looks at:
/// what is told takes the place of what was there.
fn an_hour_of_live_alerts_keeps_no_memory() {
    let changes = rounds("changes told to a live board", 120, 720);
    // One of its own: alerts of others on the board would count as what is kept.
    let server = &Server::start_with(Backend::Sqlite, &["--demo"]);
    let company = company(server);
    let Some(window) = signed_in(server, "viewer") else { return };
    let host = unique("host");
    let metric = unique("metric");
    let subject = unique("Surf");
    let report = || {
        let alert =
            json!({"subject": subject, "currentState": "Critical", "metric": metric, "device": {"hostName": host}});
        company.post("/alert", &alert).ok();
    };
    report();
    open(&window, server, "alerts?status=any", "Alerts");
    window.shows(&subject);
    // What the browser itself keeps of requests grows until it is full.
    window.evaluate("performance.setResourceTimingBufferSize(0)");
    window.evaluate("Object.defineProperty(document, 'hidden', {get: () => true})");
    let mut reports = 1;
    let mut told = |times: usize| {
        for _ in 0..times {
            report();
            reports += 1;
            window.until(&format!(
                "[...document.querySelectorAll('tbody tr')].find(row => row.innerText.includes({}))\
                 .querySelector('.number').textContent == '{reports}'",
                json!(subject)
            ));
        }
        window.debug("HeapProfiler.collectGarbage", &json!({}));
        let heap = window.debug("Runtime.getHeapUsage", &json!({}))["usedSize"].as_f64().unwrap_or_default();
        let page = window.debug("Memory.getDOMCounters", &json!({}));
        [heap, page["nodes"].as_f64().unwrap_or_default(), page["jsEventListeners"].as_f64().unwrap_or_default()]
    };
    let before = told(20);
    window.requests();
    let after = told(changes);
    let asked = window
        .requests()
        .into_iter()
        .filter(|(_, url)| url.contains("/alerts/search") && !url.contains("startDate"))
        .count();
    let told = format!(
        "console: {changes} changes told to a live board, {asked} times asked for it: {:.2} MB of script before, \
         {:.2} MB after; nodes and listeners {:?}, {:?}",
        before[0] / 1e6,
        after[0] / 1e6,
        &before[1..],
        &after[1..],
    );
    let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("{told}\n"));
    assert!(asked >= changes && asked < changes * 2, "{told}");
    assert!(before.into_iter().zip(after).all(|(before, after)| before > 0.0 && after <= before * 1.1), "{told}");
}
