//! Paging: who is told of an alert, through what, and when somebody else is ("Paging" in docs/interface.md).

mod answer_help;
mod answer_sessions;
mod answers;
mod contact_methods;
mod escalations;
mod incidents;
mod kills;
mod limits;
mod mail;
mod mail_tls;
mod page_limit;
mod policies;
mod quiet;
mod related;
mod reminders;
mod responses;
pub mod smtp;
mod suspended;
mod targets;
mod templates;
mod worse;

use muster_tests::{Client, Server, unique};
use serde_json::{Value, json};

pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is not text")).to_owned()
}

/// A new person, who may close alerts.
pub fn person(client: &Client) -> String {
    let body = json!({"loginName": unique("person"), "firstName": "Ann", "lastName": "Lee", "role": "operator"});
    text(&client.post("/users", &body).ok()["id"])
}

/// A new person whose pages come to this address, at the path that is the person's id.
pub fn reachable(client: &Client, hooks: &str) -> String {
    let user = person(client);
    let hook = json!({"name": "hook", "type": "HTTP", "url": format!("{hooks}/{user}"), "verified": true});
    client.post(&format!("/users/{user}/contactMethods"), &hook).ok();
    user
}

/// A caller with this role, and the user that it acts as.
pub fn somebody(server: &Server, tenant: &Client, role: &str) -> (Client, String) {
    let made = tenant.post("/apiKeys", &json!({"name": unique("key"), "role": role})).ok();
    let caller = tenant.with_token(&server.token(&text(&made["key"]), &text(&made["secret"])));
    (caller, text(&made["userId"]))
}
