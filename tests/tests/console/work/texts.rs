//! Texts and names as people have them: in the direction of their script, people and not programs, names and not ids;
//! and screens that say who may in place of asking.

use muster_tests::{Client, Server, chromium::Window, in_browser, unique};
use serde_json::{Value, json};

use super::super::{company, demo, follow, leave, open, signed_in, text};

in_browser![
    texts_have_the_direction_of_their_script,
    no_screen_asks_for_what_its_visitor_may_not,
    what_stayed_as_it_was_is_in_a_dialog_with_the_focus,
    users_of_keys_are_not_offered_as_people,
    the_audit_log_has_names,
    the_audit_log_is_exported_as_a_table,
];

/// The direction of the first element that a selector finds.
fn direction(window: &Window, selector: &str) -> String {
    let one = format!("document.querySelector({})", json!(selector));
    window.until(&one);
    text(&window.evaluate(&format!("getComputedStyle({one}).direction")))
}

/// An alert and an article in Arabic: lists, details, forms and laid out texts go from right to left, and nothing
/// else does.
fn texts_have_the_direction_of_their_script() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "operator") else { return };
    let tag = unique("w");
    let subject = format!("القرص ممتلئ على {tag} (95%)");
    let alert = json!({"subject": subject, "currentState": "Critical", "metric": unique("disk"),
        "description": "الخدمة متوقفة.\n\n- أعد التشغيل\n\n`df -h`", "device": {"hostName": unique("host")}});
    company.post("/alert", &alert).ok();
    open(&window, server, &format!("alerts?subject={tag}"), "Alerts");
    assert_eq!(direction(&window, "a.row-link"), "rtl");
    assert_eq!((direction(&window, "main"), direction(&window, "thead th")), ("ltr".to_owned(), "ltr".to_owned()));
    let id = text(&super::alerts(&company, &tag)[0]["id"]);
    open(&window, server, &format!("alerts/{id}"), &subject);
    for selector in ["h1", ".markdown p", ".markdown ul"] {
        assert_eq!(direction(&window, selector), "rtl", "{selector}");
    }
    for selector in [".markdown code", "dd", ".panel h2"] {
        assert_eq!(direction(&window, selector), "ltr", "{selector}");
    }
    window.click("Acknowledge with note…");
    window.fill("dialog textarea", "أعمل عليه");
    assert_eq!(direction(&window, "dialog textarea"), "rtl");
    window.press("Escape");
    let category = text(&company.post("/kb/category", &json!({"name": unique("نصوص")})).ok()["id"]);
    let title = unique("امتلاء القرص");
    let article = json!({"title": title,
        "content": "# خطوات\n\n1. احذف\n\n| اسم | value |\n|---|---|\n| قيمة | 1 |\n\nEnglish.",
        "category": {"id": category}});
    let id = text(&company.post("/kb/article", &article).ok()["id"]);
    open(&window, server, &format!("knowledge/{id}"), &title);
    for selector in ["h1", ".markdown h2", ".markdown ol", ".markdown td"] {
        assert_eq!(direction(&window, selector), "rtl", "{selector}");
    }
    assert_eq!(
        (direction(&window, ".markdown > p"), direction(&window, ".markdown td + td")),
        ("ltr".into(), "ltr".into())
    );
    window.click("Change…");
    for selector in ["dialog h2", "dialog [name=content]", "dialog .markdown h2"] {
        window.until(&format!("document.querySelector({})", json!(selector)));
    }
    assert_eq!(direction(&window, "dialog input"), "rtl");
    assert_eq!(direction(&window, "dialog .markdown h2"), "rtl");
    assert_eq!(window.complaints(), Vec::<String>::new());
}

/// Records of every kind that has pages, made where the demo company has none: the screen, and the id of one.
fn records(company: &Client) -> Vec<(&'static str, String)> {
    let id = |record: &Value| {
        let id = [&record["uniqueId"], &record["id"]].into_iter().find(|id| !id.is_null()).expect("an id");
        id.as_str().map_or_else(|| id.to_string(), ToOwned::to_owned)
    };
    let first = |path: &str| id(&company.get(path).page()["results"][0]);
    company.post("/userGroups", &json!({"name": unique("Crew")})).ok();
    company.post("/heartbeats", &json!({"name": unique("backup"), "interval": "1d"})).ok();
    company.post("/jobs/scripts", &json!({"name": unique("tidy"), "content": "true"})).ok();
    let day = json!({"date": "2026-12-25", "name": "Christmas Day"});
    company.post("/holidayCalendars", &json!({"name": unique("Holidays"), "days": [day]})).ok();
    let machine = json!({"hostName": unique("gone"), "resourceType": "Linux"});
    let machine = text(&company.post("/resources", &machine).ok()["resourceUUID"]);
    company.delete(&format!("/resources/{machine}")).ok();
    vec![
        ("alerts", first("/alerts/search")),
        ("incidents", first("/incidents/search")),
        ("rosters", first("/rosters/search")),
        ("holidays", first("/holidayCalendars/search")),
        ("jobs", first("/jobs/search")),
        ("scripts", first("/jobs/scripts/search")),
        ("resources", company.get("/resources/search").page()["results"][0]["id"].as_str().expect("an id").to_owned()),
        ("sites", first("/sites/search")),
        ("groups", first("/deviceGroups/search")),
        ("decommissioned", first("/history/resources")),
        ("knowledge", first("/kb/articlelist")),
        ("integrations", first("/integrations/installed/search")),
        ("heartbeats", first("/heartbeats/search")),
        ("usergroups", first("/userGroups/search")),
        ("categories", first("/incidents/categories")),
        ("clients", "client_1".to_owned()),
    ]
}

/// Requests of the shell, which every screen has.
fn is_of_the_shell(server: &Server, url: &str) -> bool {
    let path = url.strip_prefix(server.base()).unwrap_or(url);
    !path.starts_with("/api/")
        || ["/me", "/counts", "/changes", "/incidents/search"].iter().any(|one| path.contains(one))
}

/// Every screen and every page of a record, by its address: it asks for nothing that the role may not, and where that
/// is what it is for, it says who may and asks for nothing. What is asked for in vain fails the test by itself.
fn no_screen_asks_for_what_its_visitor_may_not() {
    let server = demo();
    let records = records(&company(demo()));
    let mut refused = 0;
    for role in ["viewer", "operator"] {
        let Some(window) = signed_in(server, role) else { return };
        let screens = window.evaluate(
            "Promise.all([import('/console/screenlist.js'), import('/console/api.js')]).then(([list, api]) => \
             list.SCREENS.map(one => [one.path, one.title, api.roleFor(one.needs), !!one.one, list.isUsable(one)]))",
        );
        let screens = screens.as_array().expect("screens").clone();
        assert!(screens.len() > 25, "{screens:?}");
        for screen in screens {
            let (path, title, needs) = (text(&screen[0]), text(&screen[1]), text(&screen[2]));
            let one = records.iter().find(|(of, _)| *of == path).map(|(_, id)| format!("{path}/{id}"));
            assert_eq!(one.is_some(), screen[3] == json!(true), "no record for {path}");
            for address in [Some(path.clone()), one].into_iter().flatten() {
                leave(&window, server);
                window.requests();
                follow(&window, server, &address);
                if screen[4] == json!(true) {
                    let trouble = window
                        .evaluate("[...document.querySelectorAll('main [role=alert]')].map(one => one.textContent)");
                    assert_eq!(trouble, json!([]), "{role} at {address}");
                    continue;
                }
                refused += 1;
                assert_eq!(window.evaluate("document.querySelector('main h1').textContent"), json!(title), "{address}");
                if needs == "admin" {
                    window.shows(&format!("This screen needs the role admin, and yours is {role}."));
                }
                let said = text(&window.evaluate("document.querySelector('main p').textContent"));
                assert!(said.trim().starts_with("This screen"), "{role} at {address}: {said}");
                let asked: Vec<_> =
                    window.requests().into_iter().filter(|(_, url)| !is_of_the_shell(server, url)).collect();
                assert_eq!(asked, [], "{role} at {address}");
            }
        }
        assert_eq!(window.complaints(), Vec::<String>::new());
    }
    assert!(refused >= 8, "{refused} refusals");
}

/// After an action on all that match, the list of what it left alone has the focus, and reading goes on there.
fn what_stayed_as_it_was_is_in_a_dialog_with_the_focus() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "operator") else { return };
    let host = unique("many");
    let alert = |number: usize| {
        json!({"subject": format!("Fan {number}"), "currentState": "Warning",
        "metric": format!("fan{number}"), "device": {"hostName": host}})
    };
    let alerts: Vec<Value> = (0..60).map(alert).collect();
    let first = text(&company.post("/alerts", &json!(alerts)).list()[0]["id"]);
    company.post(&format!("/alerts/{first}/actions/acknowledge"), &json!({})).ok();
    open(&window, server, &format!("alerts?host={host}&status=New,Acknowledged"), "Alerts");
    window.until("document.querySelectorAll('tbody tr').length > 49");
    window.evaluate("document.querySelector(\"[aria-label='Select all']\").click()");
    window.click("Select all 60 that match");
    window.click("Acknowledge all…");
    window.until("document.querySelector('dialog form .primary')");
    window.evaluate("document.querySelector('dialog form .primary').focus()");
    window.click("Acknowledge 60");
    window.shows("Not changed: ");
    window.until("document.activeElement.closest('dialog')");
    assert_eq!(window.evaluate("document.activeElement.textContent"), json!("Acknowledged: 59"));
    window.press("Tab");
    assert_eq!(window.evaluate("document.activeElement.textContent.trim()"), json!("Close"));
    window.press("Escape");
    window.until("!document.querySelector('dialog')");
    assert_eq!(window.complaints(), Vec::<String>::new());
}

/// More users of keys than a picker offers, and none of them is offered anywhere.
fn users_of_keys_are_not_offered_as_people() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "admin") else { return };
    for _ in 0..25 {
        company.post("/apiKeys", &json!({"name": unique("robot"), "role": "viewer"})).ok();
    }
    let person = json!({"loginName": unique("apia"), "firstName": "Apia", "lastName": unique("Apikus")});
    company.post("/users", &person).ok();
    let name = format!("Apia {}", text(&person["lastName"]));
    open(&window, server, "on-call", "On call");
    window.click("Take over…");
    window.until("document.querySelectorAll('dialog [name=user] option').length > 3");
    let offered = text(&window.evaluate("document.querySelector('dialog [name=user]').textContent"));
    assert!(offered.contains(&name) && !offered.contains("API key"), "{offered}");
    window.press("Escape");
    open(&window, server, "incidents", "Incidents");
    window.click("New incident…");
    window.until("document.querySelectorAll('dialog [name=assignee] option').length > 3");
    let offered = text(&window.evaluate("document.querySelector('dialog [name=assignee]').textContent"));
    assert!(offered.contains(&name) && !offered.contains("API key"), "{offered}");
    window.press("Escape");
    // A picker that finds by what is typed, here a part of the names of all users of keys.
    let group = text(&company.post("/userGroups", &json!({"name": unique("Crew")})).ok()["uniqueId"]);
    window.go(&format!("{}/console/usergroups/{group}", server.base()));
    window.until("document.querySelector('main h1')?.textContent.startsWith('Crew')");
    window.click("Add people…");
    window.until("document.querySelector('dialog [role=combobox]')");
    window.fill("dialog [role=combobox]", "api");
    window.until(&format!("document.querySelector('dialog [role=listbox]')?.textContent.includes({})", json!(name)));
    let offered = text(&window.evaluate("document.querySelector('dialog [role=listbox]').textContent"));
    assert!(!offered.contains("API key"), "{offered}");
    assert_eq!(window.complaints(), Vec::<String>::new());
}

/// Who did it, to what, and what values refer to: by name.
fn the_audit_log_has_names() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "admin") else { return };
    let made = |path: &str, body: Value, id: &str| text(&company.post(path, &body).ok()[id]);
    let (last, title) = (unique("Namesake"), unique("Leak"));
    let user = made("/users", json!({"loginName": unique("nan"), "firstName": "Nan", "lastName": last}), "id");
    let incident = made("/incidents", json!({"subject": title, "assignee": {"id": user}}), "id");
    // A machine that is gone has its name in the log alone.
    let host = unique("gone");
    let machine = made("/resources", json!({"hostName": host, "resourceType": "Linux"}), "resourceUUID");
    company.delete(&format!("/resources/{machine}")).ok();
    let row = company.search("/auditLog/search", &format!("entityId:{incident}")).page()["results"][0].clone();
    let address = format!("audit?q=entityId:{incident}&row={}", text(&row["id"]));
    open(&window, server, &address, "Audit");
    window.until(&format!("document.querySelector('.rows tbody tr')?.innerText.includes({})", json!(title)));
    let panel = "document.querySelector('#changes').closest('section').innerText";
    window.until(&format!("{panel}.includes({})", json!(format!("Create INCIDENT {title}"))));
    window.until(&format!("{panel}.includes({})", json!(format!("Nan {last} {user}"))));
    open(&window, server, &format!("audit?q=entityId:{machine}"), "Audit");
    window.until(&format!("document.querySelector('.rows tbody')?.innerText.includes({})", json!(host)));
    // The key of a program by its name.
    let key = unique("robot");
    let made = company.post("/apiKeys", &json!({"name": key, "role": "operator"})).ok();
    let robot = company.with_token(&server.token(&text(&made["key"]), &text(&made["secret"])));
    let other = text(&robot.post("/incidents", &json!({"subject": unique("By a robot")})).ok()["id"]);
    open(&window, server, &format!("audit?q=entityId:{other}"), "Audit");
    window.until(&format!(
        "document.querySelector('.rows tbody')?.innerText.includes({})",
        json!(format!("API key {key}"))
    ));
    assert_eq!(window.complaints(), Vec::<String>::new());
}

/// All that the filter selects is in the file, in cells that no spreadsheet calculates; one can leave before.
fn the_audit_log_is_exported_as_a_table() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "admin") else { return };
    let subject = format!("=HYPERLINK(\"x\"), {}", unique("calculated"));
    let incident = text(&company.post("/incidents", &json!({"subject": subject})).ok()["id"]);
    company.post(&format!("/incidents/{incident}"), &json!({"priority": "Urgent"})).ok();
    open(&window, server, &format!("audit?q=entityId:{incident}"), "Audit");
    window.evaluate(
        "URL.createObjectURL = (made => blob => (globalThis.exported = blob, \
         made.call(URL, blob)))(URL.createObjectURL)",
    );
    window.click("Export CSV…");
    window.shows("2 rows are in the file.");
    window.until("document.activeElement.download?.startsWith('audit-')");
    assert_eq!(window.evaluate("document.activeElement.href.startsWith('blob:')"), json!(true));
    let table = text(&window.evaluate("exported.text()"));
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(
        lines[0].trim_start_matches('\u{feff}'),
        "Time,Action,Type,Name,Id,By,User,Key,Tenant,Request,Change set,Changes"
    );
    assert!(lines[1].contains(",UPDATE,INCIDENT,"), "{table}");
    let quoted = format!("\"'{}\"", subject.replace('"', "\"\""));
    assert!(table.contains(&quoted), "{quoted} is not in {table}");
    assert!(table.contains("Administrator"), "{table}");
    window.press("Escape");
    // A page that does not come can be waited for, or not.
    super::super::meddle(&window);
    open(&window, server, "audit", "Audit");
    window.evaluate("sessionStorage.slow = 'auditLog'");
    window.click("Export CSV…");
    window.until("document.querySelector('dialog progress')");
    window.click("Cancel");
    window.until("!document.querySelector('dialog')");
    assert_eq!(window.complaints(), Vec::<String>::new());
}
