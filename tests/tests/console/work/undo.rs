//! Undoing change sets, from the audit log and from their list: previewed, and not over what somebody else did
//! meanwhile.

use muster_tests::{Client, Server, chromium::Window, encode, in_browser, unique};
use serde_json::{Value, json};

use super::super::{company, demo, open, signed_in, text};

in_browser![
    a_change_of_each_kind_is_undone,
    what_changed_since_is_shown_and_nothing_is_undone,
    what_was_made_goes_again_and_what_went_comes_back,
    a_set_of_many_objects_is_undone_as_a_whole,
    a_change_that_nobody_can_undo_says_so
];

/// Opens the newest row of the audit log about something.
#[track_caller]
pub(super) fn newest(window: &Window, server: &Server, entity: &str, id: &str) {
    open(window, server, &format!("audit?q={}", encode(&format!("entity:{entity}+entityId:{id}"))), "Audit");
    window.until("document.querySelector('.row-link')");
    window.evaluate("document.querySelector('.row-link').click()");
    // The heading has its name.
    let panel = "document.querySelector('#changes')?.closest('section').textContent";
    window.until(&format!("{panel}.includes({})", json!(id)));
}

/// Undoes it, once there is a preview.
#[track_caller]
pub(super) fn undo(window: &Window) {
    window.click("Undo…");
    window.until("document.querySelector('dialog[open] td')");
    window.click("Undo");
    window.shows("Undone.");
    window.until("!document.querySelector('dialog')");
}

/// Something that was made and then changed: what the log calls it, its id there, where it is, and a change of it.
struct Changed {
    entity: &'static str,
    id: String,
    at: String,
    change: Value,
}

fn some_of_each(company: &Client) -> Vec<Changed> {
    let of = |entity, id: &Value, at: &str, change| {
        let id = id.as_str().map_or_else(|| id.to_string(), ToOwned::to_owned);
        Changed { entity, at: format!("{at}/{id}"), id, change }
    };
    let name = unique;
    let made = |path: &str, body: Value| company.post(path, &body).ok();
    let machine = made(
        "/resources",
        json!({"hostName": name("mast"), "description": "On the roof", "type": "DEVICE", "resourceType": "Linux",
        "tags": [{"name": "env", "value": "test"}, {"name": "old", "value": "1"}]}),
    );
    let other = made("/resources", json!({"hostName": name("mast"), "type": "DEVICE", "resourceType": "Linux"}));
    let script = made("/jobs/scripts", json!({"name": name("trim"), "content": "echo 1"}));
    let job = made(
        "/jobs",
        json!({"name": name("Trim"), "resources": [{"id": machine["resourceUUID"]}],
        "script": {"customScript": {"id": script["id"]}},
        "schedule": {"startDate": "2099-01-01T00:00:00Z", "timezone": "Europe/Vienna",
            "pattern": {"type": "weekly", "repeatFrequency": 2, "weekDays": "Monday"}}}),
    );
    let category = made("/kb/category", json!({"name": name("Masts"), "description": "High ones"}));
    let article = made(
        "/kb/article",
        json!({"title": name("Masts"), "content": "x".repeat(3_000), "category": {"id": category["id"]}}),
    );
    let window = made(
        "/scheduleMaintenances",
        json!({"name": name("Painting"), "devices": [{"uniqueId": machine["resourceUUID"]}],
        "schedule": {"type": "Recurring", "startTime": "2099-01-01T00:00:00Z", "endTime": "2099-01-01T02:00:00Z",
            "timezone": "Europe/Vienna", "pattern": {"type": "daily", "dayFrequency": "everyday"}}, "endBy": "NEVER"}),
    );
    let roster = text(&company.get("/rosters/search").page()["results"][0]["id"]);
    let roster = company.get(&format!("/rosters/{roster}")).ok();
    let roster = made(
        "/rosters",
        json!({"name": name("Climbers"), "description": "By day", "timeZone": {"name": "Europe/Vienna"},
        "shiftDetails": [{"name": "Day", "schedule": roster["shiftDetails"][0]["schedule"],
            "users": [{"id": roster["shiftDetails"][0]["users"][0]["id"]}], "userGroups": []}]}),
    );
    let policy = made(
        "/escalationPolicies",
        json!({"name": name("Masts"), "steps": [{"targets": [{"owner": true}], "wait": "5m"}]}),
    );
    let route = made(
        "/alertRoutes",
        json!({"name": name("Masts"), "matchingType": "ALL", "position": 90, "policy": {"id": policy["id"]},
        "rules": [{"key": "metric", "operator": "Equals", "value": name("wind")}]}),
    );
    let incident = made("/incidents", json!({"subject": name("It leans"), "priority": "Low"}));
    let group = &made("/deviceGroups", json!({"name": name("Masts"), "description": "All"}))["uniqueId"].clone();
    let user = made(
        "/users",
        json!({"loginName": name("lee"), "lastName": "Lee", "email": "lee@example.net", "role": "viewer"}),
    );
    let people = made("/userGroups", json!({"name": name("Climbers"), "description": "With ropes"}));
    let site = made("/sites", json!({"name": name("Hill"), "city": "Graz"}));
    vec![
        of(
            "Resource",
            &machine["resourceUUID"],
            "/resources",
            json!({"description": "", "aliasName": "pole",
            "tags": [{"name": "env", "value": "live"}, {"name": "new", "value": "2"}]}),
        ),
        of("JobScript", &script["id"], "/jobs/scripts", json!({"content": "echo 2", "description": "Louder"})),
        of(
            "Job",
            &job["id"],
            "/jobs",
            json!({"timeLimit": 77, "labels": ["tall"], "resources": [{"id": other["resourceUUID"]}],
            "schedule": {"startDate": "2099-02-01T00:00:00Z", "cron": "0 4 * * *"}}),
        ),
        of("KbCategory", &category["id"], "/kb/category", json!({"description": "Low ones"})),
        of("KbArticle", &article["id"], "/kb/article", json!({"title": name("Poles"), "content": "y"})),
        of(
            "MaintenanceWindow",
            &window["uniqueId"],
            "/scheduleMaintenances",
            json!({"description": "Twice", "devices": [{"uniqueId": other["resourceUUID"]}],
            "schedule": {"type": "One-Time", "startTime": "2099-03-01T00:00:00Z", "endTime": "2099-03-01T02:00:00Z"}}),
        ),
        of(
            "Roster",
            &roster["id"],
            "/rosters",
            json!({"description": "By night", "shiftDetails": [
                {"id": roster["shiftDetails"][0]["id"], "name": "Night",
                "schedule": roster["shiftDetails"][0]["schedule"], "users": [], "userGroups": []}]}),
        ),
        of(
            "EscalationPolicy",
            &policy["id"],
            "/escalationPolicies",
            json!({"repeat": 3, "ackTimeout": "10m", "steps": [{"targets": [{"owner": true}], "wait": "9m"}]}),
        ),
        of(
            "AlertRoute",
            &route["id"],
            "/alertRoutes",
            json!({"position": 95, "rules": [{"key": "metric", "operator": "Contains", "value": "gale"}]}),
        ),
        of(
            "INCIDENT",
            &incident["id"],
            "/incidents",
            json!({"priority": "Urgent", "status": "Pending", "assignee": {"id": user["id"]},
            "description": "By the wind", "dueDate": "2099-01-01T00:00:00+0000"}),
        ),
        of("DeviceGroup", group, "/deviceGroups", json!({"description": "", "name": name("Poles")})),
        of("User", &user["id"], "/users", json!({"email": "", "mobileNumber": "+43 1", "role": "operator"})),
        of("UserGroup", &people["uniqueId"], "/userGroups", json!({"description": "Without"})),
        of("Site", &site["id"], "/sites", json!({"city": "Linz", "country": "Austria"})),
    ]
}

/// The fields of a record that a change names, wherever they stand; what has no order is sorted.
fn fields(company: &Client, one: &Changed) -> Value {
    let found = company.get(&one.at).ok();
    let field = |name: &str| {
        let mut value = [&found[name], &found["generalInfo"][name]]
            .into_iter()
            .find(|value| !value.is_null() && **value != json!(""))
            .cloned()
            .unwrap_or_default();
        if let Some(list) = value.as_array_mut() {
            list.sort_by_key(ToString::to_string);
        }
        value
    };
    one.change.as_object().unwrap().keys().map(|name| (name.clone(), field(name))).collect()
}

/// What the dialog says, once it knows what there is to undo.
#[track_caller]
fn preview(window: &Window) -> String {
    window.click("Undo…");
    window.until("document.querySelector('dialog[open] dl')");
    text(&window.evaluate("document.querySelector('dialog[open]').innerText"))
}

/// Is there a button of the open dialog with this text?
fn offers(window: &Window, button: &str) -> bool {
    let buttons = "[...document.querySelectorAll('dialog[open] .send button')].map(one => one.textContent.trim())";
    window.evaluate(&format!("{buttons}.includes({})", json!(button))) == json!(true)
}

fn a_change_of_each_kind_is_undone() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "admin") else { return };
    for one in some_of_each(&company) {
        let before = fields(&company, &one);
        company.post(&one.at, &one.change).ok();
        let changed = fields(&company, &one);
        for (name, value) in before.as_object().unwrap() {
            assert_ne!(*value, changed[name], "{name} of {}", one.entity);
        }
        newest(&window, server, one.entity, &one.id);
        let words = preview(&window);
        assert!(!words.contains("changed since"), "{}: {words}", one.entity);
        window.click("Undo");
        window.shows("Undone.");
        window.until("!document.querySelector('dialog')");
        assert_eq!(fields(&company, &one), before, "{}", one.entity);
    }
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn what_changed_since_is_shown_and_nothing_is_undone() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "admin") else { return };
    let site = json!({"name": unique("Hill"), "city": "Graz", "country": "Austria"});
    let id = company.post("/sites", &site).ok()["id"].to_string();
    let at = format!("/sites/{id}");
    let change = |body: Value| company.post(&at, &body).ok();
    let site = || company.get(&at).ok();
    change(json!({"city": "Linz", "description": "Low"}));
    newest(&window, server, "Site", &id);
    let opened = text(&window.evaluate("location.href"));
    preview(&window);
    let cells = "[...document.querySelectorAll('dialog[open] tbody tr')]\
                 .map(row => [...row.cells].map(cell => cell.textContent).join(' | '))";
    assert_eq!(window.evaluate(cells), json!(["city | Linz | Graz", "description | Low | –"]));
    // Between the preview and the undo.
    change(json!({"city": "Wels", "country": "Italy"}));
    window.click("Undo");
    window.until("document.querySelector('dialog[open] [role=alert]')");
    window.shows("The change set cannot be undone: 1 object changed since.");
    assert_eq!(site()["city"], json!("Wels"));
    assert!(!offers(&window, "Undo"));
    // Before the dialog was opened: what was so before, what the set made of it, and what is now.
    window.click("Close");
    window.go(&opened);
    window.until("document.querySelector('#changes')");
    let words = preview(&window);
    assert!(words.contains("1 object changed since") && words.contains("Undo the later changes first"), "{words}");
    assert!(!offers(&window, "Undo"));
    assert_eq!(window.evaluate(cells), json!(["city | Graz | Linz | Wels", "description | – | Low | Low"]));
    window.click("Close");
    // The later one first, then this one.
    newest(&window, server, "Site", &id);
    undo(&window);
    assert_eq!((&site()["city"], &site()["description"]), (&json!("Linz"), &json!("Low")));
    // The undoing is a change itself, and so can be undone.
    newest(&window, server, "Site", &id);
    let words = preview(&window);
    assert!(words.contains("Undoes"), "{words}");
    window.click("Undo");
    window.shows("Undone.");
    assert_eq!((&site()["city"], &site()["country"]), (&json!("Wels"), &json!("Italy")));
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn what_was_made_goes_again_and_what_went_comes_back() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "admin") else { return };
    let policy = json!({"name": unique("Fair"), "steps": [{"targets": [{"owner": true}], "wait": "5m"}], "repeat": 2});
    let policy = company.post("/escalationPolicies", &policy).ok();
    let at = format!("/escalationPolicies/{}", text(&policy["id"]));
    newest(&window, server, "EscalationPolicy", &text(&policy["id"]));
    undo(&window);
    company.get(&at).not_found();
    newest(&window, server, "EscalationPolicy", &text(&policy["id"]));
    window.shows("Delete EscalationPolicy");
    let words = preview(&window);
    assert!(words.contains("It exists again, under the same id."), "{words}");
    window.click("Undo");
    window.shows("Undone.");
    let again = company.get(&at).ok();
    assert_eq!((&again["steps"], &again["repeat"]), (&policy["steps"], &json!(2)), "{again}");
    let category = text(&company.post("/kb/category", &json!({"name": unique("Fairs")})).ok()["id"]);
    company.delete(&format!("/kb/category/{category}")).ok();
    newest(&window, server, "KbCategory", &category);
    undo(&window);
    assert_eq!(company.get(&format!("/kb/category/{category}")).ok()["state"], json!("ACTIVE"));
    assert_eq!(window.complaints(), Vec::<String>::new());
}

/// Requests with one name are one set: the audit log shows all of it from each of its rows, and so does the list of
/// sets, on a telephone too.
fn a_set_of_many_objects_is_undone_as_a_whole() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "admin") else { return };
    let name = unique("fair");
    let send = |path: &str, body: Value| company.request("POST", path).header("X-Change-Set", &name).json(&body).send();
    let site = |number: usize| send("/sites", json!({"name": format!("{name} {number}")})).ok()["id"].to_string();
    let sites = [site(1), site(2)];
    let user = send("/apiKeys", json!({"name": unique("fair"), "role": "viewer"})).ok();
    newest(&window, server, "Site", &sites[1]);
    let words = preview(&window);
    for part in [
        &format!("Undo change set “{name}”"),
        "2 objects become what they were before.",
        &format!("Site {name} 2"),
        &format!("Site {name} 1"),
        "nothing of it can be restored",
        "have gone out",
    ] {
        assert!(words.contains(part), "{part} is not in {words}");
    }
    assert_eq!(window.evaluate("document.querySelectorAll('dialog[open] details').length"), json!(2), "{words}");
    window.click("Undo");
    window.shows("Undone.");
    sites.iter().for_each(|id| drop(company.get(&format!("/sites/{id}")).not_found()));
    company.get(&format!("/apiKeys/{}", text(&user["id"]))).ok();

    // More than are restored in one transaction, and than are listed at once.
    let rows: String = (0..120).map(|row| format!("{}\n", json!({"hostName": format!("{name}-{row}")}))).collect();
    let sent = company.request("POST", "/resources/bulk").header("X-Change-Set", &format!("{name} import"));
    assert_eq!(sent.body("application/x-ndjson", rows).send().status, 200);
    window.looks(390, true);
    open(&window, server, &format!("audit?view=sets&q={}", encode(&format!("{name} import"))), "Audit");
    window.until("document.querySelector('.row-link')");
    window.evaluate("document.querySelector('.row-link').click()");
    window.until("document.querySelectorAll('dialog[open] details').length == 100");
    window.shows("120 objects become what they were before.");
    assert_eq!(window.barriers(), Vec::<Value>::new());
    window.click("Show more");
    window.until("document.querySelectorAll('dialog[open] details').length == 120");
    assert_eq!(window.evaluate("document.documentElement.scrollWidth <= innerWidth"), json!(true));
    window.click("Undo");
    window.shows("Undone.");
    let left = company.search("/resources/search", &format!("hostName:{name}")).page();
    assert_eq!(left["totalResults"], json!(0), "{left}");
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn a_change_that_nobody_can_undo_says_so() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "admin") else { return };
    let key = text(&company.post("/apiKeys", &json!({"name": unique("fair"), "role": "viewer"})).ok()["id"]);
    newest(&window, server, "ApiKey", &key);
    let words = preview(&window);
    let said = ["Nothing of the change set can be undone.", "nothing of it can be restored"];
    assert!(said.iter().all(|part| words.contains(part)) && !offers(&window, "Undo"), "{words}");
    window.click("Close");
    // What the demo made belongs to no set.
    let made = company.search("/auditLog/search", "keyId:demo+entity:IncidentCategory").page()["results"][0].clone();
    assert_eq!(made["changeSet"], Value::Null, "{made}");
    newest(&window, server, "IncidentCategory", &text(&made["entityId"]));
    window.shows("belongs to no change set");
    let offered = "[...document.querySelectorAll('#main button')].some(one => one.textContent == 'Undo…')";
    assert_eq!(window.evaluate(offered), json!(false));
    assert_eq!(window.complaints(), Vec::<String>::new());
}
