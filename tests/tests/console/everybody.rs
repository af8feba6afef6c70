//! Every screen, detail, form and conflict is for everybody: wide and narrow, light and dark, by the rules of WCAG 2.2
//! AA, with nothing too wide and nothing on top of something else. What of the console was not looked at fails the
//! test, too.

use muster_tests::{Backend, Client, Server, chromium::Window, in_browser, receiver::Receiver, unique};
use serde_json::{Value, json};

use super::{company, follow, open, places::places, screens::all_screens, seen::Seen, signed_in, text, work::unseen};

in_browser![every_screen_detail_form_and_conflict_is_for_everybody];

/// Somebody who looks, and what was found to be in the way.
struct Look<'w> {
    window: &'w Window,
    server: &'w Server,
    seen: Seen,
    found: Vec<String>,
}

const PAGE: &str = "document.documentElement";
const DIALOG: &str = "document.querySelector('dialog[open]')";

impl Look<'_> {
    /// Goes to a page, of which nobody has seen anything yet.
    fn go(&self, path: &str) {
        follow(self.window, self.server, path);
        // What comes of answers that came late.
        self.window.evaluate("new Promise(done => setTimeout(done, 100))");
        self.window.until("!document.querySelector('.loading')");
    }

    /// What keeps people from the page.
    fn page(&mut self, what: &str) {
        self.check(PAGE, what);
    }

    /// What keeps people from the dialog that is open; the focus is in it, stays there, and a key leaves it.
    fn dialog(&mut self, what: &str) {
        self.window.until("document.querySelector('dialog[open]') && !document.querySelector('dialog .loading')");
        self.check(DIALOG, what);
        for _ in 0..3 {
            let inside = "document.activeElement == document.body || !!document.activeElement.closest('dialog')";
            assert_eq!(self.window.evaluate(inside), json!(true), "{what}");
            self.window.press("Tab");
        }
    }

    fn check(&mut self, element: &str, what: &str) {
        self.seen.look(self.window);
        Seen::stop(self.window);
        self.found.extend(in_the_way(self.window, element, what));
        Seen::start(self.window);
    }

    fn leave(&self) {
        self.window.press("Escape");
        // The first closes the matches of a picker.
        if self.window.evaluate("!!document.querySelector('dialog[open]')") == json!(true) {
            self.window.press("Escape");
        }
        self.window.until("!document.querySelector('dialog')");
        Seen::pass(self.window);
    }

    /// Presses a button by its text, or by a selector that begins with a bracket.
    fn press(&self, button: &str) {
        if let Some(summary) = button.strip_prefix("summary=") {
            let one =
                format!("[...document.querySelectorAll('summary')].find(one => one.textContent == {})", json!(summary));
            self.window.until(&one);
            self.window.evaluate(&format!("{one}.click()"));
        } else if button.starts_with('[') {
            let one = format!("document.querySelector({})", json!(button));
            self.window.until(&one);
            self.window.evaluate(&format!("{one}.click()"));
        } else {
            self.window.click(button);
        }
    }
}

/// The controls within an element of a page that lie on each other, two by two.
fn on_each_other(window: &Window, element: &str) -> Value {
    window.evaluate(&format!(
        "(controls => controls.flatMap(([one, of], place) => controls.slice(place + 1).filter(([other, its]) => \
         Math.min(of.right, its.right) - Math.max(of.left, its.left) > 2 && \
         Math.min(of.bottom, its.bottom) - Math.max(of.top, its.top) > 2) \
         .map(([other]) => [one, other].map(control => control.name || control.ariaLabel || control.textContent))))\
         ([...{element}.querySelectorAll('main :is(input, select, textarea, button), \
         dialog :is(input, select, textarea, button)')]\
         .filter(control => control.checkVisibility()).map(control => [control, control.getBoundingClientRect()]))"
    ))
}

/// Controls that are hard to hit: less than 24 pixels high or wide (WCAG 2.5.8). Links within a text are as high as it;
/// boxes to tick stand apart on a wide page.
fn too_small(window: &Window) -> Value {
    window.evaluate(
        "[...document.querySelectorAll('a[href], button, input, select, textarea, summary')]\
         .filter(one => one.checkVisibility() && !one.closest('.skip')) \
         .filter(one => getComputedStyle(one).display != 'inline' && !(one.type == 'checkbox' && innerWidth > 760)) \
         .map(one => [one, one.getBoundingClientRect()]).filter(([, box]) => box.width < 23.5 || box.height < 23.5) \
         .map(([one, box]) => [one.textContent.trim() || one.name || one.ariaLabel, \
         Math.round(box.width), Math.round(box.height)])",
    )
}

/// What keeps people from an element of a page, wide and narrow, light and dark: barriers, what does not fit, and
/// controls on each other. Colours are those of any width. Of a dialog nothing behind it is looked at: nobody can get
/// there, and it was looked at as a page.
fn in_the_way(window: &Window, element: &str, what: &str) -> Vec<String> {
    window.is_dark(true);
    let faint = window.faint_texts_in(element);
    let mut found: Vec<String> = faint.iter().map(|text| format!("{what} in the dark: {text}")).collect();
    window.is_dark(false);
    for width in [1440, 360] {
        window.is_wide(width);
        let barriers =
            if width == 1440 { window.barriers_in(element) } else { window.barriers_beside_colours_in(element) };
        let what = format!("{what} at {width}");
        found.extend(barriers.iter().map(|barrier| format!("{what}: {barrier}")));
        let over = window.evaluate(&format!("{element}.scrollWidth - {element}.clientWidth"));
        if over.as_i64().is_none_or(|over| over > 0) {
            found.push(format!("{what}: {over} pixels too wide"));
        }
        let small = too_small(window);
        if small != json!([]) {
            found.push(format!("{what}: {small} are too small"));
        }
        let crowded = on_each_other(window, element);
        if crowded != json!([]) {
            found.push(format!("{what}: {crowded} lie on each other"));
        }
    }
    window.is_wide(1440);
    found
}

/// The forms, by the screen that has them and the button that opens them.
const FORMS: [(&str, &str); 17] = [
    ("on-call", "Take over…"),
    ("on-call", "Swap…"),
    ("incidents", "New incident…"),
    ("maintenance", "New window…"),
    ("jobs", "New job…"),
    ("jobs", "New script…"),
    ("knowledge", "New article…"),
    ("routing", "New policy…"),
    ("routing", "New route…"),
    ("people", "New person…"),
    ("keys", "New key…"),
    ("settings", "Add time off…"),
    ("settings", "Add e-mail…"),
    ("settings", "Add push or chat…"),
    ("alerts", "?"),
    ("alerts?status=any&state=Critical", "Go to…"),
    ("audit", "Export CSV…"),
];

/// Of what there is in the company, and is looked at.
struct Things {
    alert: String,
    incident: String,
    /// A window that is open.
    window: String,
    job: String,
    article: String,
    policy: String,
    route: (String, String),
    user: String,
    key: (String, String),
    machine: String,
}

fn things(company: &Client) -> Things {
    let first = |path: &str, query: &str, id: &str| text(&company.search(path, query).page()["results"][0][id]);
    let schedule = json!({"type": "Recurring", "startTime": "2026-01-01T00:00:00Z", "endTime": "2026-01-01T00:00:00Z",
        "timezone": "GMT", "pattern": {"type": "daily", "dayFrequency": "everyday"}, "endBy": "NEVER"});
    let window = json!({"name": unique("Looked at"), "devices": [{"hostName": "web-01"}], "schedule": schedule,
        "alertConditions": {"rules": [{"key": "metric", "operator": "Equals", "value": "none"}]}});
    let window = text(&company.post("/scheduleMaintenances", &window).ok()["uniqueId"]);
    let next = company.get(&format!("/scheduleMaintenances/{window}")).ok()["next"]["start"].clone();
    company.post(&format!("/scheduleMaintenances/{window}/skip"), &json!({"start": next})).ok();
    let policy = text(&company.get("/escalationPolicies/search").page()["results"][0]["id"]);
    let route = unique("Looked at");
    let body = json!({"name": route, "matchingType": "ALL", "position": 70,
        "rules": [{"key": "metric", "operator": "Equals", "value": "a"}], "policy": {"id": policy}});
    let route = (text(&company.post("/alertRoutes", &body).ok()["id"]), route);
    let user = text(&company.post("/users", &json!({"loginName": unique("ned"), "lastName": "Ned"})).ok()["id"]);
    company.post(&format!("/users/{user}"), &json!({"lastName": "Ted"})).ok();
    let key = unique("looked-at");
    let body = json!({"name": key, "role": "viewer", "operations": ["getMe"]});
    let key = (text(&company.post("/apiKeys", &body).ok()["id"]), key);
    let machine = json!({"hostName": unique("rack"), "type": "DEVICE", "resourceType": "Linux",
        "components": ["Disk: Samsung 970"],
        "properties": {"provider": "ACME", "instanceId": "i-0123456789abcdef0", "region": "eu-west-1"},
        "networkCardDetails": [
            {"networkName": "eth0", "status": "UP", "ipAddress": "10.1.2.3", "macAddress": "02:00:00:00:00:01"}]});
    Things {
        alert: first("/alerts/search", "status:New", "id"),
        incident: first("/incidents/search", "subject:wireless", "id"),
        window,
        job: first("/jobs/search", "name:patches", "id"),
        article: first("/kb/articlelist", "title:disk", "id"),
        policy,
        route,
        user,
        key,
        machine: text(&company.post("/resources", &machine).ok()["resourceUUID"]),
    }
}

/// What screens show of one thing beside their lists, each with a button that opens a form about it, where there is
/// one.
fn details(company: &Client, things: &Things) -> Vec<(String, Option<String>)> {
    let Things { alert, incident, window, job, article, policy, route, user, key, machine } = things;
    let run = text(&company.post(&format!("/jobs/{job}/run"), &json!({})).ok()["id"]);
    let row = text(&company.search("/auditLog/search", &format!("entityId:{user}")).page()["results"][0]["id"]);
    let key = &key.1;
    let route = &route.1;
    [
        (format!("alerts/{alert}"), "Acknowledge with note…"),
        (format!("alerts/{alert}"), "Suppress…"),
        (format!("alerts/{alert}"), "Escalate…"),
        (format!("alerts/{alert}"), "Hand over…"),
        (format!("alerts/{alert}"), "Add note…"),
        (format!("alerts/{alert}"), "Close…"),
        (format!("incidents/{incident}"), "Change…"),
        (format!("incidents/{incident}"), "Close…"),
        (format!("resources/{machine}"), ""),
        ("resources?q=no-such-machine".to_owned(), ""),
        (format!("maintenance?window={window}"), "Extend…"),
        (format!("jobs/{job}?run={run}"), "Change…"),
        ("knowledge?q=disk".to_owned(), ""),
        (format!("knowledge/{article}"), "Change…"),
        (format!("knowledge/{article}?revision=1"), ""),
        (format!("routing?policy={policy}"), "[aria-labelledby=policy] .danger"),
        ("routing".to_owned(), &format!("[aria-label=\"Delete… {route}\"]")),
        (format!("routing?alert={alert}"), ""),
        (format!("audit?q=entityId:{user}&row={row}"), "Undo…"),
        ("audit?view=sets".to_owned(), ""),
        (format!("people?user={user}"), "Change…"),
        ("keys".to_owned(), &format!("[aria-label=\"New secret… {key}\"]")),
        ("keys".to_owned(), &format!("[aria-label=\"Revoke… {key}\"]")),
    ]
    .map(|(path, button)| (path, (!button.is_empty()).then(|| button.to_owned())))
    .into()
}

/// What two do at once: a page, a button that opens a form and a field of it, what somebody else does meanwhile, and
/// the button that finds out.
struct Conflict {
    path: String,
    opens: String,
    types: Option<(&'static str, &'static str)>,
    meanwhile: (String, Value),
    sends: &'static str,
}

fn conflicts(things: &Things) -> Vec<Conflict> {
    let Things { alert, incident, window, route, user, key, .. } = things;
    let one = |path: String, opens: &str, types, meanwhile, sends| Conflict {
        path,
        opens: opens.to_owned(),
        types,
        meanwhile,
        sends,
    };
    let sand = json!({"rules": [{"key": "metric", "operator": "Equals", "value": "sand"}]});
    vec![
        one(
            format!("incidents/{incident}"),
            "Change…",
            Some(("[name=subject]", "Leak")),
            (format!("/incidents/{incident}"), json!({"priority": "Urgent"})),
            "Save",
        ),
        one(
            format!("incidents/{incident}"),
            "Close…",
            Some(("[name=note]", "Dry")),
            (format!("/incidents/{incident}"), json!({"priority": "Low"})),
            "Close",
        ),
        one(
            format!("alerts/{alert}"),
            "Close…",
            None,
            (format!("/alerts/{alert}/actions/suppress"), json!({})),
            "Close",
        ),
        one(
            format!("maintenance?window={window}"),
            "Extend…",
            None,
            (format!("/scheduleMaintenances/{window}"), json!({"name": unique("Looked at again")})),
            "Extend",
        ),
        one(
            format!("people?user={user}"),
            "",
            None,
            (format!("/users/{user}"), json!({"lastName": "Fred"})),
            "Deactivate",
        ),
        one(
            format!("people?user={user}"),
            "Change…",
            Some(("[name=firstName]", "Zed")),
            (format!("/users/{user}"), json!({"lastName": "Wred"})),
            "Save",
        ),
        one(
            "routing".to_owned(),
            &format!("[aria-label=\"Delete… {}\"]", route.1),
            None,
            (format!("/alertRoutes/{}", route.0), sand),
            "Delete",
        ),
        one(
            "keys".to_owned(),
            &format!("[aria-label=\"New secret… {}\"]", key.1),
            None,
            (format!("/apiKeys/{}/rotate", key.0), json!({})),
            "Create",
        ),
    ]
}

/// The address of a heartbeat, which is shown when it is made.
fn shown_once(look: &mut Look<'_>) {
    let window = look.window;
    look.go("heartbeats");
    window.click("New heartbeat…");
    window.fill("dialog input[name=name]", &unique("nightly"));
    window.fill("dialog input[name=interval]", "1d");
    Seen::pass(window);
    window.click("Create");
    window.shows("shown only once");
    look.page("a heartbeat that was made");
}

/// What is done with all alerts that match, of which one was done already.
fn many_alerts(look: &mut Look<'_>, company: &Client) {
    let window = look.window;
    let host = unique("many");
    let alert = |number: usize| {
        json!({"subject": format!("Fan {number}"), "currentState": "Warning", "metric": format!("fan{number}"),
            "device": {"hostName": host}})
    };
    let alerts: Vec<Value> = (0..60).map(alert).collect();
    let first = text(&company.post("/alerts", &json!(alerts)).list()[0]["id"]);
    company.post(&format!("/alerts/{first}/actions/acknowledge"), &json!({})).ok();
    look.go(&format!("alerts?host={host}&status=New,Acknowledged"));
    look.press("[aria-label='Select all']");
    window.click("Select all 60 that match");
    Seen::pass(window);
    window.click("Acknowledge all…");
    look.dialog("all alerts that match");
    Seen::pass(window);
    window.click("Acknowledge 60");
    window.shows("Not changed: ");
    look.dialog("those of all alerts that stayed as they were");
    look.leave();
}

/// How somebody is reached: the code, and the rules for both urgencies.
fn reached(look: &mut Look<'_>, receiver: &Receiver) {
    let window = look.window;
    look.go("settings");
    window.click("Add push or chat…");
    window.fill("input[name=name]", "Bedside");
    window.fill("select[name=preset]", "webhook");
    window.fill("input[name=url]", &receiver.url());
    window.click("Add");
    window.shows("not verified");
    Seen::pass(window);
    window.click("Send a code");
    look.dialog("the code of a contact method");
    look.leave();
    look.page("settings with a contact method");
    for urgency in ["high", "low"] {
        window.click(&format!("Edit rule for {urgency} urgency…"));
        window.until("document.querySelector('dialog input[type=checkbox]')");
        window.evaluate("document.querySelector('dialog input[type=checkbox]').click()");
        window.until("document.querySelector('dialog [name=timeZone]')");
        look.dialog(&format!("the rule of {urgency} urgency"));
        look.leave();
    }
    look.press("[aria-label^=Delete]");
    look.dialog("the end of a contact method");
    look.leave();
}

fn every_screen_detail_form_and_conflict_is_for_everybody() {
    let server = Server::start_with(Backend::Sqlite, &["--demo", "--egress-allow", "127.0.0.0/8"]);
    let (server, company, receiver) = (&server, company(&server), Receiver::willing());
    let Some(window) = signed_in(server, "admin") else { return };
    let (event, path, delivery) = unseen::delivered(&company, &receiver);
    unseen::wait_for(&company, &path, 1);
    let reached_by = Receiver::willing();
    let things = things(&company);
    window.looks(1440, false);
    let look = &mut Look { window: &window, server, seen: Seen::by(&window), found: Vec::new() };
    for (path, title) in all_screens(server) {
        open(&window, server, &path, &title);
        look.page(&path);
    }
    // Nobody has opened a form now, and that is noticed.
    let missed = look.seen.missed();
    assert!(missed.iter().filter(|mark| mark.ends_with("<${FormDialog}")).count() > 15, "{missed:?}");
    look.go(&format!("deliveries?event={event}&delivery={delivery}"));
    look.page("a delivery");
    for (path, button) in FORMS {
        look.go(path);
        Seen::pass(&window);
        look.press(button);
        look.dialog(&format!("{button} of {path}"));
        look.leave();
    }
    let mut before = String::new();
    for (path, button) in details(&company, &things) {
        look.go(&path);
        if before != path {
            look.page(&path);
        }
        if let Some(button) = button {
            Seen::pass(&window);
            look.press(&button);
            look.dialog(&format!("{button} of {path}"));
            look.leave();
        }
        before = path;
    }
    for place in places(&company, &things.article, &things.window, &things.incident, &things.user) {
        look.go(&place.path);
        for press in &place.presses {
            Seen::pass(&window);
            look.press(press);
        }
        let what = format!("{} of {}", place.presses.join(", "), place.path);
        if place.presses.is_empty() || place.presses[0].starts_with("summary=") {
            window.until("!document.querySelector('.loading')");
            look.page(&what);
        } else {
            look.dialog(&what);
            look.leave();
        }
    }
    shown_once(look);
    many_alerts(look, &company);
    reached(look, &reached_by);
    for one in conflicts(&things) {
        look.go(&one.path);
        // Nothing is read again meanwhile.
        window.evaluate("Object.defineProperty(document, 'hidden', {configurable: true, get: () => true})");
        if !one.opens.is_empty() {
            look.press(&one.opens);
            window.until("document.querySelector('dialog[open] form')");
        }
        if let Some((field, words)) = one.types {
            window.fill(field, words);
        }
        company.post(&one.meanwhile.0, &one.meanwhile.1).ok();
        Seen::pass(&window);
        window.click(one.sends);
        window.until("document.querySelector('dialog[open] td.after')");
        look.dialog(&format!("what somebody else did to {}", one.path));
        look.leave();
    }
    // A secret that is shown once.
    look.go("keys");
    window.click("New key…");
    window.fill("input[name=name]", &unique("seen"));
    Seen::pass(&window);
    window.click("Create");
    window.shows("MUSTER_SECRET=");
    look.page("a key that was made");
    assert_eq!(look.seen.missed(), Vec::<String>::new(), "nobody looked at these");
    assert!(look.found.is_empty(), "{}", look.found.join("\n"));
    assert_eq!(window.complaints(), Vec::<String>::new());
}
