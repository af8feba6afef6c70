//! Places of the console that show one record of each kind, and the buttons that lead to their dialogs.

use muster_tests::{Client, unique};
use serde_json::{Value, json};

use super::text;

/// Where somebody looks: an address below /console/, and what is pressed there, one after the other.
pub(super) struct Place {
    pub path: String,
    pub presses: Vec<String>,
}

fn id(record: &Value) -> String {
    let id = ["uniqueId", "id"].iter().map(|name| &record[*name]).find(|value| !value.is_null());
    id.map(|value| value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned)).expect("an id")
}

/// The places of records, which are made for it; `article` and `window` are there already.
pub(super) fn places(company: &Client, article: &str, window: &str, incident: &str, user: &str) -> Vec<Place> {
    let made = |path: &str, body: Value| id(&company.post(path, &body).ok());
    let roster = text(&company.get("/rosters/search").page()["results"][0]["id"]);
    company.post_empty(&format!("/rosters/{roster}/calendars")).ok();
    company.post_empty(&format!("/scheduleMaintenances/{window}/calendars")).ok();
    let site = company.post("/sites", &json!({"name": unique("Annex"), "city": "Graz"})).ok()["id"].to_string();
    let racks = unique("Racks");
    let rule = json!({"key": "hostName", "operator": "Contains", "value": "web"});
    company
        .post("/deviceGroups", &json!({"name": racks, "filterCriteria": {"matchType": "ANY", "rules": [rule]}}))
        .ok();
    let group = id(&company.search("/deviceGroups/search", &format!("name:{racks}")).page()["results"][0]);
    let heartbeat = made("/heartbeats", json!({"name": unique("backup"), "interval": "1d"}));
    let inbound = made("/inbound", json!({"name": unique("monitor")}));
    let integration = made("/integrations/install/CUSTOM", json!({"displayName": unique("Chat")}));
    let event = json!({"name": "All", "entity": "INCIDENT", "eventType": "CREATE", "endPointURI": "/x",
        "notifier": {"baseURI": "https://chat.example", "authType": "NONE"}, "useBaseNotifier": false,
        "eventPayload": "{}"});
    let event = made(&format!("/integrations/installed/{integration}/event"), event);
    let script = made("/jobs/scripts", json!({"name": unique("tidy"), "content": "true"}));
    company.post("/incidents/categories", &json!({"names": [unique("Printers")]})).ok();
    let category = id(&company.get("/incidents/categories").page()["results"][0]);
    let chapter = made("/kb/category", json!({"name": unique("Chapter")}));
    let gone = made("/kb/category", json!({"name": unique("Former")}));
    company.delete(&format!("/kb/category/{gone}")).ok();
    company.post(&format!("/kb/article/{article}"), &json!({"content": unique("Anew: ")})).ok();
    let place = |path: String, presses: &[&str]| Place {
        path,
        presses: presses.iter().map(|press| (*press).to_owned()).collect(),
    };
    vec![
        place("on-call".to_owned(), &["My calendar…"]),
        place("rosters".to_owned(), &[]),
        place("rosters".to_owned(), &["[aria-label^='Revoke…']"]),
        place("rosters".to_owned(), &["New roster"]),
        place(format!("rosters/{roster}"), &["New override…"]),
        place("sites".to_owned(), &["New site…"]),
        place(format!("sites/{site}"), &["Add machines…"]),
        place(format!("sites/{site}"), &["Delete…"]),
        place("resources".to_owned(), &["Columns…"]),
        place("resources".to_owned(), &["Import…"]),
        place("resources".to_owned(), &["New machine…"]),
        place("resources".to_owned(), &["[aria-label='Select all']", "Add tag…"]),
        place(format!("groups/{group}"), &[]),
        place("owners".to_owned(), &["Set owner…"]),
        place(format!("heartbeats/{heartbeat}"), &[]),
        place(format!("inbound?address={inbound}"), &[]),
        place(format!("integrations/{integration}"), &[]),
        place(format!("integrations/{integration}"), &["New event…"]),
        place(format!("integrations/{integration}?event={event}"), &[]),
        place("deliveries?all=1".to_owned(), &[]),
        place(format!("scripts/{script}"), &[]),
        place(format!("categories/{category}"), &[]),
        place(format!("knowledge?category={chapter}"), &[]),
        place("knowledge?view=trash".to_owned(), &[]),
        place(format!("knowledge/{article}?from=1&to=2"), &[]),
        place(format!("incidents/{incident}"), &["Postmortem…"]),
        place(format!("maintenance?window={window}"), &["Try an alert…"]),
        place(format!("people?user={user}"), &["summary=Sessions, sign-in accounts and contact methods"]),
    ]
}
