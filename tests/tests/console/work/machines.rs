//! One machine: what its panels say, and what they say when there is nothing to say.

use muster_tests::{Client, chromium::Window, in_browser, unique};
use serde_json::{Value, json};

use super::{
    super::{REFUSAL, company, demo, meddle, open, signed_in, text},
    MARKUP,
};

in_browser![
    a_machine_says_its_groups_and_its_antivirus,
    a_machine_of_which_little_is_known_says_so,
    a_panel_that_is_refused_leaves_the_others
];

/// A machine as its agent reports it, with an antivirus of a name full of markup.
fn reported(company: &Client) -> (String, String) {
    let host = unique("dock");
    let content = json!({
        "hardware": {"name": host},
        "operatingsystem": {"name": "Windows", "full_name": "Microsoft Windows 11 Pro", "kernel_name": "MSWin32"},
        "antivirus": [
            {"name": MARKUP, "version": "4.18", "company": "ACME", "enabled": true, "uptodate": false,
                "base_version": "<b>1.401</b>", "base_creation": "2026-11-19"},
            {"name": "Shield", "version": "2", "enabled": true, "uptodate": true},
        ],
    });
    let report = json!({"action": "inventory", "deviceid": host, "itemtype": "Computer", "content": content});
    company.post("/agents/reports", &report).ok();
    let found = company.search("/resources/search", &format!("hostName:{host}")).page();
    (host, text(&found["results"][0]["id"]))
}

/// What the lines of a panel say.
fn lines(window: &Window, panel: &str) -> Vec<String> {
    let lines = format!(
        "[...document.querySelector('#{panel}').closest('section').querySelectorAll('li')]\
         .map(one => one.innerText.replace(/\\s+/g, ' '))"
    );
    let found = window.evaluate(&lines);
    found.as_array().unwrap().iter().map(text).collect()
}

fn a_machine_says_its_groups_and_its_antivirus() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "viewer") else { return };
    let (host, id) = reported(&company);
    let [by_hand, by_rule, service] = ["Docks", "Rules", "Harbour"].map(|name| format!("{} {MARKUP}", unique(name)));
    let rules = json!({"matchType": "ALL",
        "rules": [{"resourceType": "Resource", "key": "hostName", "operator": "Equals", "value": host}]});
    let group = company.post("/deviceGroups", &json!({"name": by_hand})).ok()["id"].clone();
    company.post(&format!("/deviceGroups/{group}/childs"), &json!([{"id": id}])).ok();
    company.post("/deviceGroups", &json!({"name": by_rule, "filterCriteria": rules})).ok();
    let group = text(&company.post("/serviceGroups", &json!({"name": service})).ok()["uniqueId"]);
    company.post(&format!("/serviceGroups/{group}/childs"), &json!([{"id": id}])).ok();
    open(&window, server, &format!("resources/{id}"), &host);
    window.until("document.querySelector('#groups').closest('section').querySelectorAll('li').length == 3");
    let mut groups = lines(&window, "groups");
    groups.sort();
    let expected =
        [format!("{by_hand} by hand"), format!("{service} a service, by hand"), format!("{by_rule} by its rules")];
    assert_eq!(groups, expected);
    window.until("document.querySelector('#antivirus').closest('section').querySelectorAll('li').length == 2");
    let mut found = lines(&window, "antivirus");
    found.sort();
    assert!(found[0].starts_with(&format!("Out of date {MARKUP} 4.18 definitions <b>1.401</b> of ")), "{found:?}");
    assert!(found[0].contains("looked at ") && found[1].starts_with("Up to date Shield 2 looked at "), "{found:?}");
    assert_eq!(window.evaluate("document.querySelectorAll('main img, main b').length"), json!(0));
    // From a group of either kind one sees who else is in it.
    for name in [&by_rule, &service] {
        open(&window, server, &format!("resources/{id}"), &host);
        window.click(name);
        window.until(&format!("document.querySelector('main h1')?.textContent == {}", json!(name)));
        window.until(&format!(
            "[...document.querySelectorAll('tbody .row-link')].map(one => one.textContent).join() == {}",
            json!(host)
        ));
    }
    assert_ne!(window.evaluate("document.title"), json!("owned"));
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn a_machine_of_which_little_is_known_says_so() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "viewer") else { return };
    let host = unique("bare");
    let id = text(&company.post("/resources", &json!({"hostName": host, "type": "DEVICE"})).ok()["resourceUUID"]);
    open(&window, server, &format!("resources/{id}"), &host);
    let panels = [
        ("groups", "No groups."),
        ("software", "None was reported."),
        ("alerts", "Nothing was reported."),
        ("windows", "No window covers it."),
    ];
    for (panel, words) in panels {
        let said = format!("document.querySelector('#{panel}').closest('section').querySelector('.empty')?.innerText");
        window.until(&format!("{said} == {}", json!(words)));
    }
    assert_eq!(window.evaluate("document.querySelector('#antivirus')"), Value::Null, "there is nothing to show");
    assert_eq!(window.complaints(), Vec::<String>::new());
}

/// A part of the page that cannot be had says so, and takes nothing else with it.
fn a_panel_that_is_refused_leaves_the_others() {
    let server = demo();
    let Some(window) = signed_in(server, "admin") else { return };
    let found = company(server).search("/resources/search", "hostName:web-01").page();
    let id = text(&found["results"][0]["id"]);
    meddle(&window);
    let panels = [
        ("GET .*/groups$", "groups"),
        ("GET .*/antivirus/search", "antivirus"),
        ("GET .*/applications", "software"),
        ("GET .*/alerts/search", "alerts"),
        ("GET .*/scheduleMaintenances/search", "windows"),
        ("GET .*/resources/[^/]*/onCall", "responders"),
        ("GET .*/rosters/onCall", "on-call-now"),
        ("GET .*/auditLog/search", "history"),
    ];
    for (refused, panel) in panels {
        window.evaluate(&format!("sessionStorage.refused = {}", json!(refused)));
        open(&window, server, &format!("resources/{id}"), "web-01");
        window.until("document.querySelector('main [role=alert]')");
        let told = "[...document.querySelectorAll('main [role=alert]')]\
                    .map(one => [one.closest('section')?.querySelector('h2').id, one.innerText])";
        let told = window.evaluate(told);
        assert_eq!((told.as_array().map(Vec::len), &told[0][0]), (Some(1), &json!(panel)), "{told}");
        let said = text(&told[0][1]);
        assert!(said.contains(REFUSAL.0) && said.contains(REFUSAL.1), "{said}");
        assert_eq!(window.evaluate("document.querySelectorAll('main .facts dt').length > 4"), json!(true), "{panel}");
    }
    assert_eq!(window.complaints(), Vec::<String>::new());
}
