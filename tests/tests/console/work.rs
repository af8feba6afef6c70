//! What people do in the console, looked at from both sides: what the page shows, and what the service then has.

use base64::Engine as _;
use muster_tests::{Backend, Client, Server, receiver::Receiver, unique};
use serde_json::{Value, json};

use super::{company, demo, open, signed_in, text};

/// Names that would be something else, were they ever markup.
const MARKUP: &str = "<img src=x onerror=\"document.title='owned'\"><b>&amp;</b>";

/// An alert of its own, with this subject.
fn report(company: &Client, subject: &str) {
    let host = unique("host");
    let alert = json!({"subject": subject, "currentState": "Critical", "metric": unique("metric"), "device": {"hostName": host}});
    company.post("/alert", &alert).ok();
}

/// What the service has of the alerts with this subject.
fn alerts(company: &Client, subject: &str) -> Vec<Value> {
    let page = company.search("/alerts/search", &format!("subject:{subject}")).page();
    page["results"].as_array().cloned().unwrap()
}

#[test]
fn alerts_arrive_live_and_are_acknowledged_by_a_key() {
    let (server, company) = (demo(), company(demo()));
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
    // What is asked for is shown at once, and taken back when the service does not do it.
    report(&company, &format!("{subject} zero"));
    window.shows(&format!("{subject} zero"));
    window.debug("Network.enable", &json!({}));
    window.debug("Network.setBlockedURLs", &json!({"urls": ["*/acknowledge"]}));
    window.evaluate("globalThis.was = []; new MutationObserver(() => globalThis.was.push(document.querySelector('tbody tr')?.innerText.includes('Acknowledged'))).observe(document.querySelector('tbody'), {subtree: true, childList: true, characterData: true})");
    window.evaluate("document.querySelector('tbody .row-link').focus()");
    window.press("a");
    window.until("document.querySelector('.toast.bad')");
    window.until("globalThis.was.includes(true) && document.querySelector('tbody tr').innerText.includes('New')");
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

#[test]
fn an_alert_becomes_an_incident_with_notes() {
    let (server, company) = (demo(), company(demo()));
    let Some(window) = signed_in(server, "operator") else { return };
    let subject = unique("Flood");
    report(&company, &subject);
    let id = text(&alerts(&company, &subject)[0]["id"]);
    open(&window, server, &format!("alerts/{id}"), &subject);
    window.shows("Reported for the first time");
    window.press("a");
    window.shows("Acknowledged by Eva Sand");
    window.click("Open an incident");
    window.until("location.pathname.startsWith('/console/incidents/INC')");
    window.until(&format!("document.querySelector('main h1')?.textContent == {}", json!(subject)));
    window.fill("textarea", &format!("**Pumps** are on. {MARKUP}"));
    window.click("Add the note");
    window.until("document.querySelector('.notes strong')?.textContent == 'Pumps'");
    window.shows(MARKUP);
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
    window.click("Close it");
    window.until("document.querySelector('.sub')?.textContent.includes('Closed')");
    let incident = company.search("/incidents/search", &format!("subject:{subject}")).page()["results"][0].clone();
    assert_eq!((&incident["status"], &incident["priority"]), (&json!("Closed"), &json!("Urgent")));
    assert_eq!(window.complaints(), Vec::<String>::new());
}

#[test]
fn somebody_takes_over_and_gives_back() {
    let (server, company) = (demo(), company(demo()));
    let Some(window) = signed_in(server, "operator") else { return };
    open(&window, server, "on-call", "On call");
    window.until("document.querySelectorAll('.lane').length == 3");
    let parts = window
        .evaluate("[document.querySelectorAll('.part').length, document.querySelectorAll('.twin tbody tr').length]");
    assert_eq!(parts[0], parts[1], "the table has what the lanes have");
    let note = unique("dentist");
    window.click("Take over…");
    window.until("document.querySelectorAll('dialog select[name=user] option').length > 5");
    window.fill("input[name=note]", &note);
    // What is wrong is said in the words of the interface, and what was typed stays.
    window.fill("input[name=end]", "2001-01-01T00:00");
    window.click("Take over");
    window.until("document.querySelector('dialog [role=alert]')");
    window.fill("input[name=end]", "2030-01-01T00:00");
    window.click("Take over");
    window.until("document.querySelector('dialog [role=alert]')?.textContent.includes('366')");
    let end = window.evaluate("new Date(Date.now() + 36e5 * 5).toISOString().slice(0, 16)");
    window.fill("input[name=end]", &text(&end));
    window.click("Take over");
    window.shows(&note);
    let overrides = |company: &Client| {
        let rosters = company.get("/rosters/search").page()["results"].as_array().cloned().unwrap();
        let of = |roster: &Value| company.get(&format!("/rosters/{}/overrides", text(&roster["id"]))).page();
        let all: Vec<Value> =
            rosters.iter().flat_map(|roster| of(roster)["results"].as_array().cloned().unwrap()).collect();
        all.into_iter().filter(|one| one["note"] == json!(note)).count()
    };
    assert_eq!(overrides(&company), 1);
    window.evaluate(&format!("[...document.querySelectorAll('.overrides li')].find(one => one.textContent.includes('{note}')).querySelector('button').click()"));
    window.until(&format!("document.body && !document.body.innerText.includes('{note}')"));
    assert_eq!(window.complaints(), Vec::<String>::new());
}

/// Drags with the mouse between two shares of the width of what a selector finds.
fn drag(window: &muster_tests::chromium::Window, selector: &str, from: f64, to: f64) {
    let lane = window.evaluate(&format!(
        "(one => {{ one.scrollIntoView({{block: 'center'}}); const {{left, top, width, height}} = one.getBoundingClientRect(); \
         return [left, top + height / 2, width]; }})(document.querySelector({}))",
        json!(selector)
    ));
    let (left, y, width) = (lane[0].as_f64().unwrap(), lane[1].as_f64().unwrap(), lane[2].as_f64().unwrap());
    let mouse = |kind: &str, share: f64, buttons: u8| {
        let given = json!({"type": kind, "x": left + width * share, "y": y, "button": "left", "buttons": buttons, "clickCount": 1});
        window.debug("Input.dispatchMouseEvent", &given);
    };
    mouse("mousePressed", from, 1);
    for step in 1..=8 {
        mouse("mouseMoved", from + (to - from) * f64::from(step) / 8.0, 1);
    }
    mouse("mouseReleased", to, 0);
}

#[test]
fn people_swap_and_take_over_by_dragging_or_by_form() {
    let (server, company) = (demo(), company(demo()));
    let Some(window) = signed_in(server, "operator") else { return };
    open(&window, server, "on-call?fortnight=2", "On call");
    window.until("document.querySelectorAll('.lane').length == 3");
    // Where the first two people of the first lane are, as shares of its width.
    let parts = window.evaluate(
        "[...document.querySelector('.lane').querySelectorAll('.part:not(.gap)')].map(one => [parseFloat(one.getAttribute('x')), \
         parseFloat(one.getAttribute('width')), one.querySelector('text').textContent])",
    );
    let parts: Vec<(f64, f64, String)> = parts
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one[0].as_f64().unwrap() / 100.0, one[1].as_f64().unwrap() / 100.0, text(&one[2])))
        .collect();
    let (first, second) = (&parts[0], parts.iter().find(|one| one.2 != parts[0].2).unwrap());
    let middle = |part: &(f64, f64, String)| part.0 + part.1 / 2.0;
    drag(&window, ".lane", middle(first), middle(second));
    window.until("document.querySelector('dialog[open] h2')?.textContent == 'Two people swap'");
    let chosen = |window: &muster_tests::chromium::Window, name: &str| {
        text(
            &window.evaluate(&format!("document.querySelector('dialog [name={name}]').selectedOptions[0].textContent")),
        )
    };
    assert!(chosen(&window, "first").starts_with(&first.2), "{}", chosen(&window, "first"));
    assert!(chosen(&window, "second").starts_with(&second.2), "{}", chosen(&window, "second"));
    let note = unique("wedding");
    window.fill("input[name=note]", &note);
    window.click("Swap");
    window.until("!document.querySelector('dialog')");
    let found = |company: &Client, note: &str| -> Vec<(String, Value)> {
        let rosters = company.get("/rosters/search").page()["results"].as_array().cloned().unwrap();
        let of = |roster: &Value| {
            let id = text(&roster["id"]);
            let all = company.get(&format!("/rosters/{id}/overrides?pageSize=1000")).page()["results"]
                .as_array()
                .cloned()
                .unwrap();
            all.into_iter()
                .filter(|one| one["note"] == json!(note))
                .map(move |one| (id.clone(), one))
                .collect::<Vec<_>>()
        };
        rosters.iter().flat_map(of).collect()
    };
    let swapped = found(&company, &note);
    assert_eq!(swapped.len(), 2, "{swapped:?}");
    assert!(swapped.iter().all(|(_, one)| one["swapId"].is_string()), "{swapped:?}");
    // Each has what the other had.
    window.until(&format!("document.querySelector('.lane .part:not(.gap) text').textContent == {}", json!(second.2)));
    // A stretch within what somebody has is taken over, as by the form.
    drag(&window, ".lane", first.0 + first.1 * 0.3, first.0 + first.1 * 0.6);
    window.until("document.querySelector('dialog[open] h2')?.textContent == 'Somebody takes over'");
    window.until("document.querySelectorAll('dialog select[name=user] option').length > 5");
    let times = window
        .evaluate("['start', 'end'].map(name => Date.parse(document.querySelector(`dialog [name=${name}]`).value))");
    let lasting = times[1].as_f64().unwrap() - times[0].as_f64().unwrap();
    let meant = first.1 * 0.3 * 14.0 * 86_400_000.0;
    assert!((lasting - meant).abs() <= 3_600_000.0, "{lasting} instead of {meant}");
    let taken = unique("errand");
    window.fill("input[name=note]", &taken);
    window.click("Take over");
    window.shows(&taken);
    assert_eq!(found(&company, &taken).len(), 1);
    // A click is no drag; and the form swaps without a mouse.
    drag(&window, ".lane", middle(first), middle(first) + 0.001);
    assert_eq!(window.evaluate("document.querySelector('dialog[open]')"), Value::Null);
    window.click("Swap…");
    window.until("document.querySelectorAll('dialog [name=first] option').length > 1");
    window.press("Escape");
    window.until("!document.querySelector('dialog')");
    for (roster, one) in found(&company, &taken).into_iter().chain(found(&company, &note).into_iter().take(1)) {
        company.delete(&format!("/rosters/{roster}/overrides/{}", text(&one["id"]))).ok();
    }
    assert_eq!(window.complaints(), Vec::<String>::new());
}

#[test]
fn machines_are_found_while_one_types() {
    let (server, company) = (demo(), company(demo()));
    let Some(window) = signed_in(server, "viewer") else { return };
    let name = unique("zeppelin");
    let body = json!({"hostName": name, "aliasName": MARKUP, "ipAddress": "10.77.0.9", "type": "DEVICE", "resourceType": "Linux"});
    company.post("/resources", &body).ok();
    open(&window, server, "resources", "Inventory");
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

#[test]
fn a_window_is_planned_with_a_preview_and_skipped() {
    let (server, company) = (demo(), company(demo()));
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

#[test]
fn a_month_of_windows_is_a_calendar_with_a_table() {
    let (server, company) = (demo(), company(demo()));
    let Some(window) = signed_in(server, "operator") else { return };
    let name = format!("{} {MARKUP}", unique("Rewiring"));
    let (start, end) = (
        text(&window.evaluate("new Date(Date.now() - 36e5).toISOString().slice(0, 19) + 'Z'")),
        text(&window.evaluate("new Date(Date.now() + 36e5).toISOString().slice(0, 19) + 'Z'")),
    );
    let body = json!({"name": name, "devices": [{"hostName": "web-01"}], "schedule": {"type": "One-Time", "startTime": start, "endTime": end}});
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
    window.shows("Completed");
    assert_eq!(company.get(&format!("/scheduleMaintenances/{id}")).ok()["state"], json!("Completed"));
    assert_ne!(window.evaluate("document.title"), json!("owned"));
    assert_eq!(window.complaints(), Vec::<String>::new());
}

#[test]
fn an_article_is_written_read_safely_and_not_overwritten() {
    let (server, company) = (demo(), company(demo()));
    let Some(window) = signed_in(server, "operator") else { return };
    open(&window, server, "knowledge", "Knowledge");
    let title = format!("{} <i>title</i>", unique("Pump"));
    window.click("New article…");
    window.fill("input[name=title]", &title);
    window.fill(
        "textarea",
        &format!(
            "## First\n\n{MARKUP} [bad](javascript:alert(1)) **strong**\n\n<script>document.title='owned'</script>"
        ),
    );
    window.click("Publish");
    window.until(&format!("document.querySelector('main h1')?.textContent == {}", json!(title)));
    window.until("document.querySelector('.markdown strong')?.textContent == 'strong'");
    window.shows("<script>document.title='owned'</script>");
    let made = window.evaluate("document.querySelectorAll('main img, main script, main a[href^=javascript]').length");
    assert_eq!(made, json!(0));
    let id = text(&window.evaluate("location.pathname.split('/').pop()"));
    // Somebody else is faster: both texts are shown, and nothing is lost.
    window.click("Change…");
    company.post(&format!("/kb/article/{id}"), &json!({"content": "theirs"})).ok();
    window.fill("textarea", "mine");
    window.click("Save");
    window.until("document.querySelector('dialog .output')?.textContent == 'theirs'");
    assert_eq!(company.get(&format!("/kb/article/{id}")).ok()["content"], "theirs");
    window.click("Save mine");
    window.until("document.querySelector('.markdown')?.textContent == 'mine'");
    open(&window, server, &format!("knowledge?q={}", title.split(' ').next().unwrap()), "Knowledge");
    window.until("document.querySelectorAll('tbody tr').length == 1");
    assert_ne!(window.evaluate("document.title"), json!("owned"));
    assert_eq!(window.complaints(), Vec::<String>::new());
}

#[test]
fn a_job_is_run_and_its_run_is_called_off() {
    let server = demo();
    let Some(window) = signed_in(server, "operator") else { return };
    open(&window, server, "jobs", "Jobs");
    window.evaluate("document.querySelector('.row-link').click()");
    window.shows("When missed");
    window.click("Run now");
    window.shows("A run is asked for.");
    window.until("document.querySelector('tbody .row-link')");
    window.evaluate("document.querySelector('tbody .row-link').click()");
    window.click("Call off");
    window.shows("CANCELLED");
    assert_eq!(window.complaints(), Vec::<String>::new());
}

#[test]
fn keys_and_people_are_looked_after() {
    let (server, company) = (demo(), company(demo()));
    let Some(window) = signed_in(server, "admin") else { return };
    open(&window, server, "keys", "API keys");
    let name = unique("robot");
    window.click("New key…");
    window.fill("input[name=name]", &name);
    window.click("Make it");
    window.shows("MUSTER_SECRET=");
    window.click("I have kept it");
    window.click("Revoke…");
    window.click("Cancel");
    assert!(company.get("/apiKeys").list().iter().any(|key| key["name"] == json!(name)));
    open(&window, server, "people?q=eva", "People");
    window.evaluate("document.querySelector('.row-link').click()");
    window.click("Make a sign-in link");
    window.shows("/auth/sign-in?code=");
    // The audit log knows it, before and after.
    open(&window, server, "audit?q=ApiKey", "Audit");
    window.evaluate("document.querySelector('.row-link').click()");
    window.shows(&name);
    assert_eq!(window.complaints(), Vec::<String>::new());
}

#[test]
fn alerts_are_routed_to_people_who_say_how() {
    let (server, company) = (demo(), company(demo()));
    let Some(window) = signed_in(server, "operator") else { return };
    open(&window, server, "routing", "Routing");
    let name = format!("{} {MARKUP}", unique("Night"));
    window.click("New policy…");
    window.fill("input[name=name]", &name);
    window.fill(
        "select[name=target1]",
        &text(&window.evaluate("document.querySelector('[name=target1]').options[1].value")),
    );
    window.fill("input[name=wait1]", "soon");
    window.click("Create");
    window.until("document.querySelector('dialog [role=alert]')?.textContent.includes('wait')");
    window.fill("input[name=wait1]", "3m");
    window.fill("select[name=target2]", "owner");
    window.click("Create");
    window.shows("whoever owns the machine");
    window.click("New route…");
    let route = unique("Databases");
    window.fill("input[name=name]", &route);
    window.fill("select[name=policy]", &text(&window.evaluate("new URLSearchParams(location.search).get('policy')")));
    window.fill("input[name=key]", "metric");
    window.fill("select[name=operator]", "Startswith");
    window.fill("input[name=value]", "db.");
    window.click("Create");
    window.shows(&route);
    let routes = company.get("/alertRoutes/search").page();
    let routes = routes["results"].as_array().unwrap();
    let made = routes.iter().find(|one| one["name"] == json!(route)).unwrap_or_else(|| panic!("{routes:?}"));
    assert_eq!(made["rules"], json!([{"key": "metric", "operator": "Startswith", "value": "db."}]));
    // And each says how to be reached.
    open(&window, server, "settings", "Settings");
    window.click("Add e-mail…");
    window.fill("input[name=name]", "Mail");
    window.fill("input[name=address]", "eva@example.net");
    window.click("Add");
    window.shows("eva@example.net");
    window.shows("not verified");
    assert_eq!(window.complaints(), Vec::<String>::new());
}

#[test]
fn who_would_be_told_is_explained_step_by_step() {
    let (server, company) = (demo(), company(demo()));
    let Some(window) = signed_in(server, "operator") else { return };
    let (host, metric) = (unique("lock"), unique("lock.level"));
    let body = json!({"hostName": host, "type": "DEVICE", "resourceType": "Linux"});
    company.post("/resources", &body).ok();
    let eva = text(&window.evaluate("document.querySelector('.me').textContent"));
    let policy = json!({"name": unique("Locks"), "steps": [{"targets": [{"owner": true}], "wait": "5m"}]});
    let policy = company.post("/escalationPolicies", &policy).ok();
    let route = json!({"name": format!("{} {MARKUP}", unique("Locks")), "matchingType": "ALL", "position": 1,
        "rules": [{"key": "metric", "operator": "Equals", "value": metric}], "policy": {"id": policy["id"]}});
    let route = company.post("/alertRoutes", &route).ok();
    open(&window, server, "routing", "Routing");
    window.shows("Nothing is sent.");
    window.fill("input[name=host]", &host);
    window.fill("input[name=metric]", "another");
    window.click("Ask");
    window.until("document.querySelector('.decisions')");
    let decisions = "document.querySelector('.decisions').innerText";
    for part in [&host, "nobody owns it", "no window holds it back", "passes it on", "does not hold", "found: another"]
    {
        window.until(&format!("{decisions}.includes({})", json!(part)));
    }
    // The question is the address, so that it can be sent to others.
    window.until(&format!("new URLSearchParams(location.search).get('host') == {}", json!(host)));
    window.fill("input[name=metric]", &metric);
    window.click("Ask");
    window.until(&format!("{decisions}.includes('takes it') && {decisions}.includes({})", json!(policy["name"])));
    window.until(&format!("{decisions}.includes('step 1') && document.querySelector('.decisions .gaps')"));
    window.shows(&text(&route["name"]));
    // What is wrong with a question is said in the words of the interface.
    open(&window, server, "routing?alert=ALT-00000000-0000-7000-8000-000000000000", "Routing");
    window.until("document.querySelector('[role=alert]')?.textContent.includes('names no alert')");
    // And from an alert it is one step.
    report(&company, &format!("{metric} is high"));
    let id = text(&alerts(&company, &format!("{metric} is high"))[0]["id"]);
    window.go(&format!("{}/console/routing?alert={id}", server.base()));
    window.until(&format!("document.querySelector('.decisions') && {decisions}.includes('policy')"));
    assert!(!eva.is_empty() && window.evaluate("document.title") != json!("owned"));
    company.delete(&format!("/alertRoutes/{}", text(&route["id"]))).ok();
    assert_eq!(window.complaints(), Vec::<String>::new());
}

#[test]
fn people_are_made_and_changed_and_two_who_do_see_each_other() {
    let (server, company) = (demo(), company(demo()));
    let Some(window) = signed_in(server, "admin") else { return };
    let login = unique("otto");
    open(&window, server, "people", "People");
    window.click("New person…");
    window.fill("input[name=loginName]", "anna.huber");
    window.click("Create");
    window.until("document.querySelector('dialog [role=alert]')");
    window.fill("input[name=loginName]", &login);
    window.fill("input[name=lastName]", MARKUP);
    window.click("Create");
    window.until("new URLSearchParams(location.search).has('user')");
    window.shows(MARKUP);
    let id = text(&window.evaluate("new URLSearchParams(location.search).get('user')"));
    assert_eq!(company.get(&format!("/users/{id}")).ok()["loginName"], json!(login));
    window.click("Change…");
    window.until("document.querySelector('dialog input[name=mobileNumber]')");
    company.post(&format!("/users/{id}"), &json!({"email": "otto@example.net", "mobileNumber": "+43 1 22"})).ok();
    window.fill("input[name=mobileNumber]", "+43 1 33");
    window.fill("select[name=role]", "viewer");
    window.click("Save");
    // What each of them did stands side by side, and only what was typed is sent.
    window.until("document.querySelector('.theirs .after')");
    let theirs = text(&window.evaluate("document.querySelector('.theirs tbody').innerText"));
    assert!(
        theirs.contains("otto@example.net") && theirs.contains("+43 1 22") && !theirs.contains("Login"),
        "{theirs}"
    );
    window.click("Save mine");
    window.until("!document.querySelector('dialog')");
    let user = company.get(&format!("/users/{id}")).ok();
    let kept = ["email", "mobileNumber", "role"].map(|name| text(&user[name]));
    assert_eq!(kept, ["otto@example.net", "+43 1 33", "viewer"]);
    window.click("Deactivate");
    window.shows("Deactivated.");
    assert_eq!(company.get(&format!("/users/{id}")).ok()["activated"], json!(false));
    assert_ne!(window.evaluate("document.title"), json!("owned"));
    assert_eq!(window.complaints(), Vec::<String>::new());
}

#[test]
fn keys_are_narrowed_and_given_new_secrets() {
    let (server, company) = (demo(), company(demo()));
    let Some(window) = signed_in(server, "admin") else { return };
    open(&window, server, "keys", "API keys");
    let name = unique("sensor");
    window.click("New key…");
    window.fill("input[name=name]", &name);
    window.fill("textarea[name=operations]", "reportNonsense");
    window.click("Make it");
    window.until("document.querySelector('dialog [role=alert]')");
    window.fill("select[name=role]", "operator");
    window.fill("textarea[name=operations]", "reportAlert, getMe");
    window.fill("input[name=expiresAt]", "2030-01-01T00:00");
    window.click("Make it");
    window.shows("MUSTER_SECRET=");
    let find = |company: &Client| {
        company.get("/apiKeys").list().iter().find(|key| key["name"] == json!(name)).cloned().unwrap()
    };
    let key = find(&company);
    assert_eq!((&key["operations"], key["expiresAt"].is_string()), (&json!(["getMe", "reportAlert"]), true), "{key}");
    let secret = |window: &muster_tests::chromium::Window| {
        text(&window.evaluate("document.querySelector('main .output').textContent"))
    };
    let first = secret(&window);
    window
        .evaluate(&format!("document.querySelector('[aria-label={}]').click()", json!(format!("New secret… {name}"))));
    window.until("document.querySelector('dialog[open]')");
    window.click("Make it");
    window.until(&format!("document.querySelector('main .output').textContent != {}", json!(first)));
    assert_eq!(find(&company)["previousSecretValid"], json!(true));
    assert_eq!(window.complaints(), Vec::<String>::new());
}

#[test]
fn jobs_are_made_and_changed_and_two_who_do_see_each_other() {
    let (server, company) = (demo(), company(demo()));
    let Some(window) = signed_in(server, "operator") else { return };
    open(&window, server, "jobs", "Jobs");
    let script = unique("sweep");
    window.click("New script…");
    window.fill("input[name=name]", &script);
    window.fill("textarea[name=content]", "echo swept");
    window.click("Keep it");
    window.until("!document.querySelector('dialog')");
    let name = format!("{} {MARKUP}", unique("Sweeping"));
    window.click("New job…");
    let choice = format!(
        "[...document.querySelectorAll('dialog [name=script] option')].find(one => one.textContent == {})",
        json!(script)
    );
    window.until(&choice);
    window.fill("input[name=name]", &name);
    let value = text(&window.evaluate(&format!("{choice}.value")));
    window.fill("select[name=script]", &value);
    window.fill("input[name=resources]", "web-01, nowhere-01");
    window.click("Create");
    window.until("document.querySelector('dialog')?.textContent.includes('no machine is called nowhere-01')");
    window.fill("input[name=resources]", "web-01, web-02");
    window.fill("select[name=repeat]", "cron");
    window.fill("input[name=cron]", "61 * * * *");
    window.click("Create");
    window.until("document.querySelector('dialog [role=alert]') && !document.querySelector('dialog').textContent.includes('nowhere')");
    window.fill("input[name=cron]", "0 4 * * SUN");
    window.click("Create");
    window.until("location.pathname.startsWith('/console/jobs/')");
    window.until(&format!("document.querySelector('main h1')?.textContent == {}", json!(name)));
    window.shows("web-02");
    let id = text(&window.evaluate("location.pathname.split('/').pop()"));
    let job = company.get(&format!("/jobs/{id}")).ok();
    assert_eq!(
        (&job["schedule"]["cron"], job["resources"].as_array().unwrap().len()),
        (&json!("0 4 * * SUN"), 2),
        "{job}"
    );
    window.click("Change…");
    window.until("document.querySelector('dialog [name=script]')");
    company.post(&format!("/jobs/{id}"), &json!({"overlapPolicy": "queue", "timeLimit": 120})).ok();
    window.fill("input[name=timeLimit]", "7");
    window.click("Save");
    window.until("document.querySelector('.theirs .after')");
    let theirs = text(&window.evaluate("document.querySelector('.theirs tbody').innerText"));
    assert!(theirs.contains("queue") && theirs.contains("60") && !theirs.contains("Machines"), "{theirs}");
    window.click("Save mine");
    window.until("!document.querySelector('dialog')");
    let job = company.get(&format!("/jobs/{id}")).ok();
    let kept = (
        &job["overlapPolicy"],
        &job["timeLimit"],
        &job["schedule"]["cron"],
        job["resources"].as_array().unwrap().len(),
    );
    assert_eq!(kept, (&json!("queue"), &json!(420), &json!("0 4 * * SUN"), 2));
    window.click("Pause");
    window.shows("paused");
    assert_eq!(company.get(&format!("/jobs/{id}")).ok()["active"], json!(false));
    assert_ne!(window.evaluate("document.title"), json!("owned"));
    assert_eq!(window.complaints(), Vec::<String>::new());
}

#[test]
fn how_long_deliveries_took_is_drawn() {
    let server = Server::start_with(Backend::Sqlite, &["--demo", "--egress-allow", "127.0.0.0/8"]);
    let (server, company, receiver) = (&server, company(&server), Receiver::willing());
    let Some(window) = signed_in(server, "integrator") else { return };
    let notifier = json!({"type": "REST_API", "baseURI": receiver.url()});
    let body = json!({"displayName": unique("desk"), "baseNotifier": notifier});
    let installed = text(&company.post("/integrations/install/CUSTOM", &body).ok()["id"]);
    let payload = base64::engine::general_purpose::STANDARD.encode("{\"text\": \"told\"}");
    let event = json!({"name": "ticket", "entity": "INCIDENT", "eventType": "CREATE", "endPointURI": "/tickets", "payload": payload});
    let event = text(&company.post(&format!("/integrations/installed/{installed}/event"), &event).ok()["id"]);
    for number in 0..3 {
        company.post("/incidents", &json!({"subject": format!("Leak {number}")})).ok();
    }
    receiver.wait(3);
    open(&window, server, &format!("deliveries?event={installed}/{event}"), "Deliveries");
    let said = "document.querySelector('.bars')?.getAttribute('aria-label')";
    window.until(&format!("{said}?.startsWith('Of the last 3 deliveries 3 arrived')"));
    assert_eq!(window.evaluate("document.querySelectorAll('.bars .good').length"), json!(3));
    assert_eq!(window.complaints(), Vec::<String>::new());
}

#[test]
fn the_audit_log_leads_to_what_it_is_about_and_a_machine_to_who_is_told() {
    let (server, company) = (demo(), company(demo()));
    let Some(window) = signed_in(server, "admin") else { return };
    let last = unique("Ledger");
    let user = json!({"loginName": unique("ida"), "firstName": "Ida", "lastName": last});
    let id = text(&company.post("/users", &user).ok()["id"]);
    open(&window, server, &format!("audit?q={}", muster_tests::encode(&format!("entityId:{id}"))), "Audit");
    window.until("document.querySelector('.row-link')");
    window.evaluate("document.querySelector('.row-link').click()");
    window.click("As it is now");
    window.until("location.pathname == '/console/people'");
    window.shows(&format!("Ida {last}"));
    let machine = company.search("/resources/search", "hostName:web-01").page()["results"][0].clone();
    open(&window, server, &format!("resources/{}", text(&machine["id"])), &text(&machine["name"]));
    window.until("document.querySelector('#told').closest('section').textContent.includes('Service desk')");
    window.click("Why?");
    window.until("location.pathname == '/console/routing' && document.querySelector('.decisions')?.textContent.includes('web-01')");
    assert_eq!(window.complaints(), Vec::<String>::new());
}

/// As often as in an hour: what is asked for anew takes the place of what was there.
#[test]
fn an_hour_of_live_alerts_keeps_no_memory() {
    const AN_HOUR: usize = 720;
    let server = demo();
    let Some(window) = signed_in(server, "viewer") else { return };
    open(&window, server, "alerts?status=any", "Alerts");
    // A page asks at once when it is looked at again.
    let look = |times: usize| {
        window.evaluate(&format!(
            "(async () => {{ for (let time = 0; time < {times}; time += 1) {{ \
                 document.dispatchEvent(new Event('visibilitychange')); await new Promise(done => setTimeout(done, 30)); }} }})()"
        ));
        window.debug("HeapProfiler.collectGarbage", &json!({}));
        window.debug("Runtime.getHeapUsage", &json!({}))["usedSize"].as_f64().unwrap_or_default()
    };
    let asked = |window: &muster_tests::chromium::Window| {
        window.requests().iter().filter(|(_, url)| url.contains("/alerts/search")).count()
    };
    // What the browser itself keeps of requests is full by then.
    let before = look(700);
    asked(&window);
    let after = look(AN_HOUR);
    let asked = asked(&window);
    assert!(asked >= AN_HOUR, "{asked} requests");
    let told = format!(
        "console: an hour of live alerts: {:.2} MB of script before, {:.2} MB after",
        before / 1e6,
        after / 1e6
    );
    let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("{told}\n"));
    assert!(before > 0.0 && after <= before * 1.1, "{told}");
}

#[test]
fn all_is_reached_by_keys() {
    let server = demo();
    let Some(window) = signed_in(server, "operator") else { return };
    for (letter, title) in
        [("a", "Alerts"), ("r", "Inventory"), ("m", "Maintenance"), ("k", "Knowledge"), ("o", "On call")]
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
    window.until("document.querySelector('.palette .first')?.textContent == 'Inventory'");
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
