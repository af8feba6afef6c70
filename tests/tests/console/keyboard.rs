//! Every screen by keys alone: nothing is clicked, no value is set, and no focus is put anywhere but by keys.

use base64::Engine as _;
use muster_tests::{Backend, Server, chromium::Window, in_browser, receiver::Receiver, unique};
use serde_json::json;

use super::{company, demo, signed_in, text};

in_browser![
    who_is_on_call_and_what_is_wrong_is_worked_on_by_keys,
    machines_windows_jobs_and_articles_are_looked_after_by_keys,
    people_keys_and_routes_are_looked_after_by_keys,
    a_delivery_is_sent_again_by_keys
];

/// Somebody with a keyboard.
struct Keys<'w>(&'w Window);

impl Keys<'_> {
    /// Goes to a screen by `g` and a letter, from wherever no field has the focus.
    #[track_caller]
    fn go(&self, letter: &str, title: &str) {
        self.0.press("g");
        self.0.press(letter);
        self.0.until(&format!("document.querySelector('main h1')?.textContent == {}", json!(title)));
        self.0.until("!document.querySelector('.loading')");
        self.0.until("document.activeElement.tagName == 'H1'");
    }

    /// Presses the button or link that begins with a text.
    #[track_caller]
    fn press(&self, label: &str) {
        let label = json!(label);
        let shown = format!(
            "[...(document.querySelector('dialog[open]') || document).querySelectorAll('button, a, summary')]\
             .some(one => one.textContent.trim().startsWith({label}) && !one.disabled)"
        );
        self.0.until(&shown);
        self.0
            .tab_to(&format!("/^(BUTTON|A|SUMMARY)$/.test(one.tagName) && one.textContent.trim().startsWith({label})"));
        self.0.press("Enter");
    }

    /// Types into the field of a name.
    #[track_caller]
    fn fill(&self, name: &str, text: &str) {
        self.0.tab_to(&format!("one.name == {}", json!(name)));
        self.0.type_over(text);
    }

    /// Types into the field of a label.
    #[track_caller]
    fn fill_labelled(&self, label: &str, text: &str) {
        self.0.tab_to(&format!("one.ariaLabel == {}", json!(label)));
        self.0.type_over(text);
    }

    /// Chooses the first option after the one that is chosen for which an expression of its text holds.
    #[track_caller]
    fn choose(&self, name: &str, expression: &str) {
        self.0.tab_to(&format!("one.name == {}", json!(name)));
        self.0.until("document.activeElement.options?.length > 1");
        let there = format!("(text => {expression})(document.activeElement.selectedOptions[0].textContent)");
        for _ in 0..300 {
            if self.0.evaluate(&there) == json!(true) {
                return;
            }
            self.0.press("ArrowDown");
        }
        panic!("no option of {name} has {expression}");
    }

    /// Sends the form of the dialog by its button; it goes, and the focus is on the page again.
    #[track_caller]
    fn send(&self, label: &str) {
        self.press(label);
        self.0.until("!document.querySelector('dialog[open]')");
    }

    /// Goes through the rows of a list until one holds a text.
    #[track_caller]
    fn row(&self, text: &str) {
        self.0.until(&format!(
            "[...document.querySelectorAll('tbody tr')].some(row => row.innerText.includes({}))",
            json!(text)
        ));
        for _ in 0..100 {
            self.0.press("j");
            let there = format!("document.activeElement.closest('tr')?.innerText.includes({})", json!(text));
            if self.0.evaluate(&there) == json!(true) {
                return;
            }
        }
        panic!("no row has {text}\n{}", self.0.text());
    }
}

fn path(window: &Window) -> String {
    text(&window.evaluate("location.pathname"))
}

fn last(window: &Window) -> String {
    path(window).rsplit('/').next().unwrap_or_default().to_owned()
}

fn who_is_on_call_and_what_is_wrong_is_worked_on_by_keys() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "operator") else { return };
    let keys = Keys(&window);
    // Somebody takes over, and gives back.
    let note = unique("by-keys");
    keys.press("Take over…");
    window.until("document.querySelectorAll('dialog [name=user] option').length > 5");
    keys.choose("roster", "text.includes('Austin')");
    keys.choose("user", "text.startsWith('Eva Sand')");
    window.tab_to("one.name == 'end'");
    let end = "document.activeElement.value";
    let before = window.evaluate(end);
    window.press("ArrowUp");
    assert_ne!(window.evaluate(end), before, "a key changes a date");
    window.press("ArrowDown");
    keys.fill("note", &note);
    window.press("Enter");
    window.until("!document.querySelector('dialog')");
    window.shows(&note);
    assert_eq!(window.evaluate("document.activeElement.textContent"), json!("Take over…"), "the focus is where it was");
    window.tab_to(&format!("one.textContent == 'Take back' && one.closest('li').innerText.includes({})", json!(note)));
    window.press("Enter");
    window.until(&format!("document.body && !document.body.innerText.includes({})", json!(note)));
    // Alerts: one is opened, two are chosen and closed with a note.
    let subject = unique("Keys");
    for number in 0..3 {
        super::work::report(&company, &format!("{subject} {number}"));
    }
    keys.go("a", "Alerts");
    window.press("/");
    window.type_over(&subject);
    window.until("document.querySelectorAll('tbody tr').length == 3");
    window.press("ArrowDown");
    window.press("x");
    window.press("j");
    window.press("x");
    window.shows("2 selected");
    keys.press("Close…");
    keys.fill("note", "Was nothing");
    keys.send("Close");
    window.shows("Closed: 2.");
    window.until("document.querySelectorAll('tbody tr').length == 1");
    let closed = super::work::alerts(&company, &subject);
    assert_eq!(closed.iter().filter(|one| one["closure"]["note"] == "Was nothing").count(), 2, "{closed:?}");
    keys.row(&subject);
    window.press("Enter");
    window.shows("Reported for the first time");
    let alert = last(&window);
    keys.press("Suppress…");
    keys.choose("hours", "text == '4 hours'");
    keys.fill("note", "Looked at by day");
    keys.send("Suppress");
    window.shows("Suppressed by Eva Sand");
    assert_eq!(company.get(&format!("/alerts/{alert}")).ok()["suppression"]["note"], json!("Looked at by day"));
    // Its incident: a note, and a change.
    keys.press("Open an incident");
    window.until("location.pathname.startsWith('/console/incidents/INC') && document.querySelector('main h1')");
    window.until("document.querySelector('textarea[name=content]')");
    let incident = last(&window);
    keys.fill("content", "Heard by keys");
    keys.press("Add note");
    window.until("document.querySelector('.notes')?.textContent.includes('Heard by keys')");
    keys.press("Change…");
    keys.choose("priority", "text == 'Low'");
    keys.send("Save");
    window.until("document.querySelector('.sub')?.textContent.startsWith('Low')");
    assert_eq!(company.get(&format!("/incidents/{incident}")).ok()["priority"], json!("Low"));
    // Another one.
    keys.go("i", "Incidents");
    keys.press("New incident…");
    keys.fill("subject", &unique("Leak by keys"));
    keys.choose("priority", "text == 'Low'");
    keys.fill("description", "Drip");
    keys.send("Create");
    window.until(&format!("/INC/.test(location.pathname) && location.pathname != '/console/incidents/{incident}'"));
    let made = company.get(&format!("/incidents/{}", last(&window))).ok();
    assert_eq!((&made["priority"], &made["description"]), (&json!("Low"), &json!("Drip")));
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn machines_windows_jobs_and_articles_are_looked_after_by_keys() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "operator") else { return };
    let keys = Keys(&window);
    // A machine is found, and leads to the explanation of its responders.
    keys.go("r", "Machines");
    window.press("/");
    window.type_over("db-01");
    window.until("document.querySelectorAll('tbody tr').length == 1");
    window.press("ArrowDown");
    window.press("Enter");
    window.until("location.pathname.startsWith('/console/resources/') && document.querySelector('#responders')");
    window.shows("db-01");
    keys.press("Why?");
    window.until("document.querySelector('.decisions')?.textContent.includes('db-01')");
    // A window: looked at before it is made, then left out once, and suspended.
    keys.go("m", "Maintenance");
    let name = unique("Keys");
    keys.press("New window…");
    keys.fill("name", &name);
    keys.fill("devices", "web-01");
    keys.choose("repeat", "text == 'Every day'");
    keys.press("Preview");
    window.shows("In 60 days it is open");
    keys.send("Create");
    window.until("new URLSearchParams(location.search).has('window')");
    keys.press("Skip the next");
    window.shows("Skipped occurrences");
    keys.press("Take back");
    window.shows("It takes place.");
    window.until("document.body && !document.body.innerText.includes('Skipped occurrences')");
    keys.press("Suspend");
    window.shows("Resume");
    let id = text(&window.evaluate("new URLSearchParams(location.search).get('window')"));
    let made = company.get(&format!("/scheduleMaintenances/{id}")).ok();
    assert_eq!((&made["name"], &made["state"]), (&json!(name), &json!("Suspended")));
    // A script, a job that carries it out, a run, and a change.
    keys.go("j", "Jobs");
    let script = unique("keys");
    keys.press("New script…");
    keys.fill("name", &script);
    keys.fill("content", "echo keys");
    keys.send("Create");
    let name = unique("Keys");
    keys.press("New job…");
    keys.fill("name", &name);
    keys.choose("script", &format!("text == {}", json!(script)));
    keys.fill("resources", "web-01");
    keys.send("Create");
    window.until("location.pathname.startsWith('/console/jobs/')");
    window.until(&format!("document.querySelector('main h1')?.textContent == {}", json!(name)));
    window.until("document.activeElement.tagName == 'H1'");
    keys.press("Run now");
    window.shows("Run requested.");
    keys.row("manual");
    window.press("Enter");
    keys.press("Stop run");
    window.shows("Cancelled");
    keys.press("Change…");
    keys.fill("timeLimit", "7");
    keys.send("Save");
    window.shows("7 min");
    assert_eq!(company.get(&format!("/jobs/{}", last(&window))).ok()["timeLimit"], json!(420));
    // An article, written and changed.
    keys.go("k", "Knowledge");
    let title = unique("Keys");
    keys.press("New article…");
    keys.fill("title", &title);
    keys.choose("category", "text.includes('VPN')");
    keys.fill("content", "Press **Tab**");
    keys.send("Publish");
    window.until("document.querySelector('.markdown strong')?.textContent == 'Tab'");
    window.until("document.activeElement.tagName == 'H1'");
    keys.press("Change…");
    keys.fill("content", "Press **Enter**");
    keys.send("Save");
    window.until("document.querySelector('.markdown strong')?.textContent == 'Enter'");
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn people_keys_and_routes_are_looked_after_by_keys() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "admin") else { return };
    let keys = Keys(&window);
    keys.go("p", "People");
    let login = unique("kim");
    keys.press("New person…");
    keys.fill("loginName", &login);
    keys.choose("role", "text == 'integrator'");
    keys.fill("lastName", "Keys");
    keys.send("Create");
    window.until("new URLSearchParams(location.search).has('user') && document.querySelector('#person')");
    let id = text(&window.evaluate("new URLSearchParams(location.search).get('user')"));
    keys.press("Change…");
    keys.fill("mobileNumber", "+43 1 77");
    keys.send("Save");
    window.shows("+43 1 77");
    let made = company.get(&format!("/users/{id}")).ok();
    assert_eq!((&made["role"], &made["mobileNumber"]), (&json!("integrator"), &json!("+43 1 77")));
    // What was changed last is undone.
    let site = company.post("/sites", &json!({"name": unique("Keys"), "city": "Graz"})).ok()["id"].to_string();
    company.post(&format!("/sites/{site}"), &json!({"city": "Linz"})).ok();
    keys.go("u", "Audit");
    window.press("/");
    window.type_over(&format!("entityId:{site}"));
    window.until(&format!(
        "new URLSearchParams(location.search).get('q')?.includes({}) && document.querySelector('tbody tr') && \
         [...document.querySelectorAll('tbody tr')].every(row => /Site[\\s\\S]*Keys/.test(row.innerText))",
        json!(site)
    ));
    window.press("ArrowDown");
    window.press("Enter");
    keys.press("Undo…");
    window.until("document.querySelector('dialog[open] td')");
    keys.send("Undo");
    window.shows("Undone.");
    assert_eq!(company.get(&format!("/sites/{site}")).ok()["city"], json!("Graz"));
    keys.go("y", "API keys");
    let name = unique("keys");
    keys.press("New key…");
    keys.fill("name", &name);
    keys.fill("operations", "getMe");
    keys.send("Create");
    window.shows("MUSTER_SECRET=");
    let find = || company.get("/apiKeys").list().into_iter().find(|key| key["name"] == json!(name));
    assert_eq!(find().expect("the key")["operations"], json!(["getMe"]));
    keys.press("Hide secret");
    window.tab_to(&format!("one.getAttribute('aria-label') == {}", json!(format!("Revoke… {name}"))));
    window.press("Enter");
    keys.send("Revoke");
    window.until(&format!("document.body && !document.body.innerText.includes({})", json!(name)));
    assert_eq!(find(), None);
    // Routing: a policy, a route to it, and the explanation.
    keys.go("t", "Routing");
    let policy = unique("Keys");
    let route = unique("Keys route");
    let metric = unique("keys");
    keys.press("New policy…");
    keys.fill("name", &policy);
    keys.choose("steps[0].targets[0].kind", "text == 'the owner of the machine'");
    keys.fill("steps[0].wait", "4m");
    keys.send("Create");
    window.until("new URLSearchParams(location.search).has('policy')");
    keys.press("New route…");
    keys.fill("name", &route);
    keys.fill_labelled("Key of rule 1", "metric");
    keys.fill_labelled("Value of rule 1", &metric);
    keys.press("More fields");
    keys.fill("position", "1");
    keys.send("Create");
    window.shows(&route);
    keys.fill("host", "web-01");
    keys.fill("metric", &metric);
    keys.press("Explain");
    window.until(&format!("document.querySelector('.decisions')?.innerText.includes({})", json!(policy)));
    window.tab_to(&format!("one.getAttribute('aria-label') == {}", json!(format!("Delete… {route}"))));
    window.press("Enter");
    keys.send("Delete");
    window.shows("Route deleted.");
    // And how I am reached.
    keys.go("s", "Settings");
    keys.press("Add e-mail…");
    keys.fill("name", "Keys");
    keys.fill("address", "keys@example.net");
    keys.send("Add");
    window.shows("keys@example.net");
    keys.press("Dark");
    assert_eq!(window.evaluate("document.documentElement.dataset.theme"), json!("dark"));
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn a_delivery_is_sent_again_by_keys() {
    let server = Server::start_with(Backend::Sqlite, &["--demo", "--egress-allow", "127.0.0.0/8"]);
    let (server, company, receiver) = (&server, company(&server), Receiver::willing());
    let Some(window) = signed_in(server, "integrator") else { return };
    let body = json!({"displayName": unique("desk"), "baseNotifier": {"type": "REST_API", "baseURI": receiver.url()}});
    let installed = text(&company.post("/integrations/install/CUSTOM", &body).ok()["id"]);
    let payload = base64::engine::general_purpose::STANDARD.encode("{\"text\": \"told\"}");
    let name = unique("ticket");
    let event = json!({"name": name, "entity": "INCIDENT", "eventType": "CREATE", "endPointURI": "/tickets",
        "payload": payload});
    company.post(&format!("/integrations/installed/{installed}/event"), &event).ok();
    company.post("/incidents", &json!({"subject": "Leak"})).ok();
    receiver.wait(1);
    let keys = Keys(&window);
    keys.go("d", "Deliveries");
    keys.press(&name);
    keys.row("delivered");
    window.press("Enter");
    window.shows("Request body");
    keys.press("Send again");
    window.shows("It is sent again.");
    receiver.wait(2);
    assert_eq!(receiver.wait(2)[0].text(), receiver.wait(2)[1].text());
    keys.press("Resend failed deliveries");
    window.shows("Failed deliveries of the last 24 hours are sent again.");
    assert_eq!(window.complaints(), Vec::<String>::new());
}
