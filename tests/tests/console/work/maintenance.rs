//! Windows: planned, skipped, and seen by the month.

use muster_tests::{Client, in_browser, unique};
use serde_json::json;

use super::{
    super::{company, demo, load, open, signed_in, text},
    MARKUP, control,
};

in_browser![
    a_window_is_planned_with_a_preview_and_skipped,
    a_month_of_windows_is_a_calendar_with_a_table,
    a_skip_is_taken_back,
    a_window_keeps_to_the_clocks_of_its_time_zone,
];

fn a_window_is_planned_with_a_preview_and_skipped() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "operator") else { return };
    open(&window, server, "maintenance", "Maintenance");
    let name = format!("{} {MARKUP}", unique("Patches"));
    window.click("New window…");
    window.fill("input[name=name]", &name);
    window.click("Create");
    window.until("document.querySelector('dialog [role=alert]')");
    window.fill("input[name=devices]", "web-01, web-02");
    window.fill("select[name=repeat]", "daily");
    window.fill("input[name=timezone]", "Europe/Vienna");
    window.click("Preview");
    window.shows("In 60 days it is open");
    window.shows("web-02: 1 machine");
    window.fill("input[name=groups]", "No such group");
    window.click("Preview");
    window.until("document.querySelector('dialog .field [role=alert]')?.textContent.includes('deviceGroups')");
    window.fill("input[name=groups]", "");
    window.click("Preview");
    window.shows("It covers");
    window.click("Create");
    window.until("new URLSearchParams(location.search).has('window')");
    window.click("Skip the next");
    window.shows("Skipped.");
    window.click("Suspend");
    window.shows("Resume");
    let found = company.get("/scheduleMaintenances/search?pageSize=1000").page();
    let found = found["results"].as_array().unwrap().iter().find(|one| one["name"] == json!(name)).cloned().unwrap();
    assert_eq!((&found["state"], found["devices"].as_array().unwrap().len()), (&json!("Suspended"), 2));
    assert_ne!(window.evaluate("document.title"), json!("owned"));
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn a_month_of_windows_is_a_calendar_with_a_table() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "operator") else { return };
    let name = format!("{} {MARKUP}", unique("Rewiring"));
    let start = text(&window.evaluate("new Date(Date.now() - 36e5).toISOString().slice(0, 19) + 'Z'"));
    let end = text(&window.evaluate("new Date(Date.now() + 36e5).toISOString().slice(0, 19) + 'Z'"));
    let body = json!({"name": name, "devices": [{"hostName": "web-01"}],
        "schedule": {"type": "One-Time", "startTime": start, "endTime": end}});
    let id = text(&company.post("/scheduleMaintenances", &body).ok()["uniqueId"]);
    open(&window, server, &format!("maintenance?name={}", name.split(' ').next().unwrap()), "Maintenance");
    window.until("document.querySelectorAll('.lane .part').length == 1");
    window.click("Month");
    window.until("document.querySelector('.calendar .entry')");
    let shown = "document.querySelector('.calendar .entry').textContent";
    assert!(text(&window.evaluate(shown)).contains(MARKUP), "{}", window.text());
    let twin = "[...document.querySelectorAll('.twin tbody tr')].map(row => row.lastChild.textContent)";
    assert_eq!(window.evaluate(twin), json!([name]));
    window.until("document.querySelector('.calendar [aria-current=date] .entry, .calendar td .entry')");
    // The month is the address; another one has nothing of it.
    window.evaluate("document.querySelector('[aria-label=\"The month after\"]').click()");
    window.evaluate("document.querySelector('[aria-label=\"The month after\"]').click()");
    window.until(
        "new URLSearchParams(location.search).get('month') == '2' && !document.querySelector('.calendar .entry')",
    );
    window.click("Today");
    // From a day to its window, which lasts longer and then ends.
    window.until("document.querySelector('.calendar .entry')");
    window.evaluate("document.querySelector('.calendar .entry').click()");
    window.click("Extend…");
    window.fill("input[name=minutes]", "30");
    window.click("Extend");
    window.until("!document.querySelector('dialog')");
    let until = |company: &Client| text(&company.get(&format!("/scheduleMaintenances/{id}")).ok()["current"]["end"]);
    let asked =
        text(&window.evaluate(&format!("new Date(Date.parse({}) + 18e5).toISOString().slice(0, 19)", json!(end))));
    assert_eq!(until(&company)[..19], asked[..19]);
    window.click("End now");
    window.until("document.querySelector('#window').closest('section').innerText.includes('no more occurrences')");
    assert_eq!(company.get(&format!("/scheduleMaintenances/{id}")).ok()["state"], json!("Completed"));
    assert_ne!(window.evaluate("document.title"), json!("owned"));
    assert_eq!(window.complaints(), Vec::<String>::new());
}

/// A skip is taken back where it is shown, and an administrator undoes one from the audit log.
fn a_skip_is_taken_back() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "admin") else { return };
    let schedule = json!({"type": "Recurring", "startTime": "2099-01-01T00:00:00Z", "endTime": "2099-01-01T02:00:00Z",
        "timezone": "GMT", "pattern": {"type": "daily", "dayFrequency": "everyday"}, "endBy": "NEVER"});
    let body = json!({"name": unique("Caulking"), "devices": [{"hostName": "web-01"}], "schedule": schedule});
    let id = text(&company.post("/scheduleMaintenances", &body).ok()["uniqueId"]);
    let skipped = || {
        let all = company.get(&format!("/scheduleMaintenances/{id}")).ok()["skipped"].clone();
        all.as_array().into_iter().flatten().map(|one| text(&one["start"])).collect::<Vec<_>>()
    };
    let address = format!("maintenance?window={id}");
    open(&window, server, &address, "Maintenance");
    window.click("Skip the next");
    window.until("document.querySelectorAll('#main li.session').length == 1");
    window.click("Skip the next");
    window.until("document.querySelectorAll('#main li.session').length == 2");
    assert_eq!(skipped(), ["2099-01-01T00:00:00+0000", "2099-01-02T00:00:00+0000"]);
    window.click("Take back");
    window.shows("It takes place.");
    window.until("document.querySelectorAll('#main li.session').length == 1");
    assert_eq!(skipped(), ["2099-01-02T00:00:00+0000"]);
    // What was done last comes first in the log: it is undone, and so is that.
    for expected in [2, 1, 2] {
        super::undo::newest(&window, server, "MaintenanceWindow", &id);
        super::undo::undo(&window);
        assert_eq!(skipped().len(), expected);
    }
    // Suspended, and by the log not any more.
    company.post(&format!("/scheduleMaintenances/{id}/suspend"), &json!({"pattern": "now"})).ok();
    super::undo::newest(&window, server, "MaintenanceWindow", &id);
    super::undo::undo(&window);
    assert_eq!(company.get(&format!("/scheduleMaintenances/{id}")).ok()["state"], json!("Pending"));
    assert_eq!(window.complaints(), Vec::<String>::new());
}

/// The browser is in a zone without summer time, the window in one with it.
fn a_window_keeps_to_the_clocks_of_its_time_zone() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "operator") else { return };
    window.debug("Emulation.setTimezoneOverride", &json!({"timezoneId": "UTC"}));
    load(&window, server, "maintenance", "Maintenance");
    window.click("New window…");
    window.fill("input[name=name]", &unique("Clocks"));
    window.fill("input[name=devices]", "web-01");
    window.fill("input[name=start]", "2098-12-05T20:00");
    window.fill("input[name=end]", "2098-12-07T06:00");
    window.fill("select[name=repeat]", "daily");
    // A pattern has no occurrence of several days, which the form says.
    window.until("document.querySelector('dialog [name=end]').value == '2098-12-06T06:00'");
    window.shows("It was set back");
    assert_eq!(window.evaluate("document.querySelector('dialog [name=timezone]').value"), json!("UTC"));
    window.fill("input[name=timezone]", "Europe/Berlin");
    window.fill("input[name=start]", "2098-12-05T22:00");
    window.fill("input[name=end]", "2098-12-06T01:00");
    let last = |day: &str| {
        let field = control("Last day");
        window.until(&field);
        window.evaluate(&format!(
            "(one => {{ one.value = '{day}'; one.dispatchEvent(new Event('change', {{bubbles: true}})); }})({field})"
        ));
        window.until(&format!("document.querySelector('dialog [name=until]').value == '{day}'"));
    };
    last("2099-07-31");
    window.click("Create");
    window.until("new URLSearchParams(location.search).has('window')");
    let id = text(&window.evaluate("new URLSearchParams(location.search).get('window')"));
    let path = format!("/scheduleMaintenances/{id}");
    let ends = || text(&company.get(&path).ok()["schedule"]["endTime"])[..19].to_owned();
    // From 23:00 to 02:00 in Berlin, for the last time in the night that begins on the last day.
    assert_eq!(ends(), "2099-08-01T00:00:00");
    let nights = company.get(&format!("{path}/occurrences?from=2099-07-30T00:00:00Z&to=2099-09-01T00:00:00Z")).ok();
    let nights = nights["results"].as_array().unwrap().iter().map(|one| text(&one["start"])).collect::<Vec<_>>();
    assert_eq!(nights, ["2099-07-30T21:00:00+0000", "2099-07-31T21:00:00+0000"]);
    window.click("Edit…");
    window.until("document.querySelector('dialog [name=end]').value == '2098-12-06T01:00'");
    // One night alone: the last day is the first.
    last("2098-12-05");
    window.click("Save");
    window.until("!document.querySelector('dialog')");
    assert_eq!(ends(), "2098-12-06T01:00:00");
    // A time that clocks skip is the first one after it; one that they show twice is the first of the two.
    let instants = window.evaluate(
        "import('/console/time.js').then(({instantIn}) => ['2027-03-28T02:30', '2027-10-31T02:30']\
         .map(wall => new Date(instantIn('Europe/Berlin', Date.parse(`${wall}Z`))).toISOString().slice(0, 16)))",
    );
    assert_eq!(instants, json!(["2027-03-28T01:00", "2027-10-31T00:30"]));
    assert_eq!(window.complaints(), Vec::<String>::new());
}
