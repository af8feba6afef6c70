//! Undoing what the audit log has: previewed, done by an operation of the document, and not over what somebody else did
//! meanwhile.

use muster_tests::{Client, Server, chromium::Window, encode, in_browser, unique};
use serde_json::{Value, json};

use super::{
    super::{company, demo, open, signed_in, text},
    alerts, report,
};

in_browser![
    a_change_of_each_kind_is_undone,
    what_somebody_else_did_meanwhile_is_shown_before_it_is_undone,
    what_was_made_goes_again_and_what_went_comes_back
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
        json!({"name": name("Trim"), "resources": [{"id": machine["resourceUUID"]}], "script": {"customScript": {"id": script["id"]}},
        "schedule": {"startDate": "2099-01-01T00:00:00Z", "timezone": "Europe/Vienna", "pattern": {"type": "weekly", "repeatFrequency": 2, "weekDays": "Monday"}}}),
    );
    let category = made("/kb/category", json!({"name": name("Masts"), "description": "High ones"}));
    let article = made(
        "/kb/article",
        json!({"title": name("Masts"), "content": "x".repeat(3_000), "category": {"id": category["id"]}}),
    );
    let window = made(
        "/scheduleMaintenances",
        json!({"name": name("Painting"), "devices": [{"uniqueId": machine["resourceUUID"]}],
        "schedule": {"type": "Recurring", "startTime": "2099-01-01T00:00:00Z", "endTime": "2099-01-01T02:00:00Z", "timezone": "Europe/Vienna", "pattern": {"type": "daily", "dayFrequency": "everyday"}}, "endBy": "NEVER"}),
    );
    let roster = text(&company.get("/rosters/search").page()["results"][0]["id"]);
    let roster = company.get(&format!("/rosters/{roster}")).ok();
    let roster = made(
        "/rosters",
        json!({"name": name("Climbers"), "description": "By day", "timeZone": {"name": "Europe/Vienna"}, "shiftDetails": [
        {"name": "Day", "schedule": roster["shiftDetails"][0]["schedule"], "users": [{"id": roster["shiftDetails"][0]["users"][0]["id"]}], "userGroups": []}]}),
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
            json!({"description": "", "aliasName": "pole", "tags": [{"name": "env", "value": "live"}, {"name": "new", "value": "2"}]}),
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
            {"id": roster["shiftDetails"][0]["id"], "name": "Night", "schedule": roster["shiftDetails"][0]["schedule"], "users": [], "userGroups": []}]}),
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
            json!({"priority": "Urgent", "status": "Pending", "assignee": {"id": user["id"]}, "description": "By the wind", "dueDate": "2099-01-01T00:00:00+0000"}),
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
        window.click("Undo…");
        window.until("document.querySelector('dialog[open] td')");
        let preview = text(&window.evaluate("document.querySelector('dialog[open]').innerText"));
        assert!(!preview.contains("Changed again"), "{}: {preview}", one.entity);
        window.click("Undo");
        window.shows("Undone.");
        window.until("!document.querySelector('dialog')");
        assert_eq!(fields(&company, &one), before, "{}", one.entity);
    }
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn what_somebody_else_did_meanwhile_is_shown_before_it_is_undone() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "admin") else { return };
    let user = json!({"loginName": unique("ulla"), "lastName": "Ost", "email": "ost@example.net"});
    let id = text(&company.post("/users", &user).ok()["id"]);
    let change = |body: Value| company.post(&format!("/users/{id}"), &body).ok();
    change(json!({"email": "west@example.net", "mobileNumber": "+43 1 1"}));
    newest(&window, server, "User", &id);
    change(json!({"mobileNumber": "+43 1 2"}));
    window.click("Undo…");
    window.shows("Changed again since: mobileNumber");
    change(json!({"email": "north@example.net", "lastName": "Nord"}));
    window.click("Undo");
    window.until("document.querySelector('dialog[open] [role=alert]')");
    let cells = "[...document.querySelectorAll('dialog[open] tbody tr')].map(row => [...row.cells].map(cell => cell.textContent).join(' | '))";
    assert_eq!(
        window.evaluate(cells),
        json!([
            "email | west@example.net | north@example.net | ost@example.net",
            "mobileNumber | +43 1 2 | +43 1 2 | –"
        ])
    );
    assert_eq!(company.get(&format!("/users/{id}")).ok()["email"], json!("north@example.net"));
    window.click("Undo it anyway");
    window.until("!document.querySelector('dialog')");
    let kept = company.get(&format!("/users/{id}")).ok();
    assert_eq!(
        (&kept["email"], &kept["mobileNumber"], &kept["lastName"]),
        (&json!("ost@example.net"), &Value::Null, &json!("Nord"))
    );
    // The undoing is a change itself, and so can be undone.
    newest(&window, server, "User", &id);
    undo(&window);
    assert_eq!(company.get(&format!("/users/{id}")).ok()["email"], json!("north@example.net"));
    assert_eq!(window.complaints(), Vec::<String>::new());
}

fn what_was_made_goes_again_and_what_went_comes_back() {
    let server = demo();
    let company = company(demo());
    let Some(window) = signed_in(server, "admin") else { return };
    let roster = text(&company.get("/rosters/search").page()["results"][0]["id"]);
    let user = text(&company.get("/users/search").page()["results"][0]["id"]);
    let note = unique("fair");
    let overrides = || {
        let page = company.get(&format!("/rosters/{roster}/overrides?pageSize=1000")).page();
        page["results"].as_array().unwrap().iter().filter(|one| one["note"] == json!(note)).cloned().collect::<Vec<_>>()
    };
    let body =
        json!({"user": {"id": user}, "start": "2027-01-10T08:00:00Z", "end": "2027-01-10T12:00:00Z", "note": note});
    let first = company.post(&format!("/rosters/{roster}/overrides"), &body).ok();
    newest(&window, server, "RosterOverride", &text(&first["id"]));
    undo(&window);
    assert_eq!(overrides(), Vec::<Value>::new());
    newest(&window, server, "RosterOverride", &text(&first["id"]));
    window.shows("DELETE RosterOverride");
    undo(&window);
    let again = overrides();
    assert_eq!(again.len(), 1);
    for name in ["start", "end", "note"] {
        assert_eq!(again[0][name], first[name], "{name}");
    }
    assert_eq!(again[0]["user"]["id"], json!(user));
    let policy = json!({"name": unique("Fair"), "steps": [{"targets": [{"owner": true}], "wait": "5m"}], "repeat": 2});
    let policy = company.post("/escalationPolicies", &policy).ok();
    let at = format!("/escalationPolicies/{}", text(&policy["id"]));
    newest(&window, server, "EscalationPolicy", &text(&policy["id"]));
    undo(&window);
    company.get(&at).not_found();
    newest(&window, server, "EscalationPolicy", &text(&policy["id"]));
    undo(&window);
    let found = company.search("/escalationPolicies/search", &format!("name:{}", text(&policy["name"]))).page();
    assert_eq!(
        (&found["results"][0]["steps"], &found["results"][0]["repeat"]),
        (&policy["steps"], &json!(2)),
        "{found}"
    );
    // What has an operation of its own for the way back.
    let person = text(&company.post("/users", &json!({"loginName": unique("ute")})).ok()["id"]);
    company.post_empty(&format!("/users/{person}/deactivate")).ok();
    newest(&window, server, "User", &person);
    undo(&window);
    assert_eq!(company.get(&format!("/users/{person}")).ok()["activated"], json!(true));
    let category = company.post("/kb/category", &json!({"name": unique("Fairs")})).ok()["id"].clone();
    let article = json!({"title": unique("Fair"), "content": "x", "category": {"id": category}});
    let article = text(&company.post("/kb/article", &article).ok()["id"]);
    company.delete(&format!("/kb/article/{article}")).ok();
    newest(&window, server, "KbArticle", &article);
    undo(&window);
    assert_eq!(company.get(&format!("/kb/article/{article}")).ok()["state"], json!("ACTIVE"));
    company.delete(&format!("/kb/article/{article}")).ok();
    let category = text(&category);
    company.delete(&format!("/kb/category/{category}")).ok();
    newest(&window, server, "KbCategory", &category);
    undo(&window);
    assert_eq!(company.get(&format!("/kb/category/{category}")).ok()["state"], json!("ACTIVE"));
    let subject = unique("Fair");
    report(&company, &subject);
    let alert = text(&alerts(&company, &subject)[0]["id"]);
    company.post(&format!("/alerts/{alert}/actions/suppress"), &json!({"note": "Loud"})).ok();
    newest(&window, server, "ALERT", &alert);
    undo(&window);
    assert_eq!(company.get(&format!("/alerts/{alert}")).ok()["status"], json!("New"));
    // What the log does not keep, or nothing puts back, is not offered.
    let key = text(&company.post("/apiKeys", &json!({"name": unique("fair"), "role": "viewer"})).ok()["id"]);
    newest(&window, server, "ApiKey", &key);
    let script = json!({"name": unique("fair"), "content": "#".repeat(3_000)});
    let script = company.post("/jobs/scripts", &script).ok()["id"].to_string();
    company.post(&format!("/jobs/scripts/{script}"), &json!({"content": "echo"})).ok();
    let offered = "[...document.querySelectorAll('#main button')].some(one => one.textContent == 'Undo…')";
    assert_eq!(window.evaluate(offered), json!(false));
    newest(&window, server, "JobScript", &script);
    assert_eq!(window.evaluate(offered), json!(false));
    assert_eq!(window.complaints(), Vec::<String>::new());
}
