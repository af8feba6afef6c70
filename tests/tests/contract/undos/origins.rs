//! What comes back is of whom and of when it was.

use std::time::Duration;

use muster_tests::{Client, Server, both_backends, unique};
use serde_json::{Value, json};

use super::{delete, newest, undone};
use crate::contract::{device, text};

both_backends![who_made_an_object_and_when_comes_back_with_it];

/// An object, by the path at which it is deleted, and that of the list that shows it, where it has no page of its own.
struct Made {
    path: String,
    list: Option<String>,
}

impl Made {
    fn told(&self, client: &Client) -> Value {
        let Some(list) = &self.list else { return client.get(&self.path).ok() };
        let id = self.path.rsplit('/').next().unwrap_or_default();
        let listed = client.get(list).page()["results"].as_array().cloned().unwrap_or_default();
        listed.into_iter().find(|one| one["id"] == json!(id)).unwrap_or_else(|| panic!("{} is not listed", self.path))
    }

    /// Who made it, where that is shown, and when.
    fn origin(&self, client: &Client) -> (Value, Value) {
        let told = self.told(client);
        let by = told["createdBy"].get("id").unwrap_or(&told["createdBy"]).clone();
        let at = told.get("createdDate").or_else(|| told.get("createdTime"));
        (by, at.unwrap_or_else(|| panic!("no time of creation: {told}")).clone())
    }
}

/// One object of each kind that names what is needed beside it.
fn one_of_each_kind(client: &Client) -> Vec<Made> {
    let mut all = Vec::new();
    let mut add = |list: &str, id: &str, body: Value| -> Value {
        let made = client.post(list, &body).ok();
        let made = made.get(0).cloned().unwrap_or(made);
        let id = made[id].as_str().map_or_else(|| made[id].to_string(), str::to_owned);
        all.push(Made { path: format!("{list}/{id}"), list: None });
        made
    };
    let user = text(&client.post("/users", &json!({"loginName": unique("ann"), "lastName": "Lee"})).ok()["id"]);
    let machine = device(client, &unique("web"));
    add("/sites", "id", json!({"name": unique("site")}));
    add("/deviceGroups", "id", json!({"name": unique("group")}));
    add("/incidents/categories", "uniqueId", json!({"names": [unique("category")]}));
    add("/holidayCalendars", "id", json!({"name": unique("days"), "days": [{"date": "2030-12-25"}]}));
    let time_off = json!({"from": "2030-05-01T00:00:00Z", "to": "2030-05-03T00:00:00Z"});
    add(&format!("/users/{user}/timeOff"), "id", time_off);
    let mail = json!({"name": "Mail", "type": "EMAIL", "address": "ann@example.net"});
    add(&format!("/users/{user}/contactMethods"), "id", mail);
    let schedule = json!({"type": "Recurring", "startTime": "2026-01-01T00:00:00+0000",
        "endTime": "2026-01-01T23:59:59+0000", "timezone": "GMT",
        "pattern": {"type": "daily", "dayFrequency": "everyday"}, "endBy": "NEVER"});
    let window = json!({"name": "Patches", "schedule": schedule, "devices": [{"uniqueId": machine}]});
    add("/scheduleMaintenances", "uniqueId", window);
    let script = json!({"name": unique("script"), "platforms": ["LINUX"], "content": "true"});
    let script = add("/jobs/scripts", "id", script)["id"].clone();
    let schedule = json!({"startDate": "2026-01-01T02:00:00+0000", "timeZone": {"name": "Europe/Paris"},
        "pattern": {"type": "daily", "frequency": "recurrence", "repeatFrequency": 1, "repeatType": "days"}});
    let job = json!({"name": unique("job"), "resources": [{"id": machine}], "schedule": schedule,
        "script": {"customScript": {"id": script}, "userType": 1}});
    add("/jobs", "id", job);
    let steps = json!([{"targets": [{"user": {"id": user}}]}]);
    let policy = add("/escalationPolicies", "id", json!({"name": unique("policy"), "steps": steps}))["id"].clone();
    let rules = json!([{"key": "subject", "operator": "Equals", "value": "a"}]);
    let route = json!({"name": unique("route"), "matchingType": "ANY", "rules": rules, "policy": {"id": policy}});
    add("/alertRoutes", "id", route);

    let group = client.post("/userGroups", &json!({"name": unique("team"), "users": [{"id": user}]})).ok();
    let owner = json!({"resource": {"id": machine}, "userGroup": {"uniqueId": group["uniqueId"]}});
    let owner = text(&client.post("/owners", &owner).ok()["id"]);
    let notifier = json!({"type": "REST_API", "baseURI": "https://example.net/api", "authType": "NONE"});
    let body = json!({"displayName": unique("tickets"), "baseNotifier": notifier});
    let installed = text(&client.post("/integrations/install/CUSTOM", &body).ok()["id"]);
    let installed = format!("/integrations/installed/{installed}");
    let event = json!({"name": "Ticket", "entity": "INCIDENT", "eventType": "CREATE", "endPointURI": "/tickets"});
    add(&format!("{installed}/event"), "id", event);
    let shift = json!({"name": "Day", "users": [{"id": user}], "userGroups": [], "schedule": {"type": "recurring",
        "startDate": "2026-01-01T00:00:00+0000", "startTime": "00:00:00", "endTime": "00:00:00",
        "pattern": {"type": "daily", "repeatFrequency": 1}, "endPattern": {"type": "NEVER"}}});
    let roster = json!({"name": unique("roster"), "description": "before", "timeZone": {"name": "Europe/Paris"},
        "shiftDetails": [shift], "offHours": []});
    let roster = text(&client.post("/rosters", &roster).ok()["id"]);
    let over = json!({"user": {"id": user}, "start": "2030-05-01T10:00:00Z", "end": "2030-05-03T10:00:00Z"});
    let overrides = format!("/rosters/{roster}/overrides");
    add(&overrides, "id", over);
    if let Some(made) = all.last_mut() {
        made.list = Some(overrides);
    }
    all.push(Made { path: format!("/owners/{owner}"), list: Some("/owners/search".to_owned()) });
    all.push(Made { path: installed, list: None });
    all
}

fn who_made_an_object_and_when_comes_back_with_it(server: &Server) {
    let admin = server.new_client();
    let author = server.caller(admin.tenant_id(), "admin");
    let all = one_of_each_kind(&author);
    let before: Vec<_> = all.iter().map(|made| made.origin(&admin)).collect();
    std::thread::sleep(Duration::from_millis(1_100));
    let name = unique("gone");
    // What names others goes first, and an event before its integration.
    all.iter().rev().filter(|made| !made.path.contains("/event/")).for_each(|made| {
        if made.path.starts_with("/integrations") {
            all.iter().filter(|made| made.path.contains("/event/")).for_each(|made| delete(&admin, &name, &made.path));
        }
        delete(&admin, &name, &made.path);
    });
    undone(&admin, &newest(&admin, &name));
    for (made, before) in all.iter().zip(before) {
        assert_eq!(made.origin(&admin), before, "{}", made.path);
    }
}
