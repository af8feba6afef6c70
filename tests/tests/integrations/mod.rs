//! Integrations: what the outside world is told, and how.

mod actions;
mod configuration;
mod conflicts;
mod credentials;
mod deliveries;
mod egress;
mod entities;
mod faults;
mod gateways;
mod inbound;
mod installed;
mod signatures;
mod templates;
mod test_sends;
pub mod times;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use muster_tests::{Backend, Client, Server, SharedByBackend, receiver, unique};
use serde_json::{Value, json};

/// Quick retries, and calls to this machine.
const QUICK: [&str; 6] = [
    "--egress-allow",
    "127.0.0.0/8",
    "--retry-schedule",
    "100ms,100ms,200ms,200ms,200ms,200ms,200ms,200ms,200ms",
    "--delivery-timeout",
    "1s",
];

/// A server that may call this machine; one for all tests of a backend.
fn server(backend: Backend) -> &'static Server {
    static SHARED: SharedByBackend<Server> = SharedByBackend::new();
    SHARED.get(backend, || Server::start_with(backend, &QUICK))
}

#[track_caller]
fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

/// Installs an integration with a base notifier at `url`; gives the answer.
#[track_caller]
pub fn install(client: &Client, url: &str) -> Value {
    let body = json!({"displayName": unique("integration"), "baseNotifier": {"type": "REST_API", "baseURI": url}});
    client.post("/integrations/install/CUSTOM", &body).ok()
}

#[track_caller]
fn path(installed: &Value) -> String {
    format!("/integrations/installed/{}", text(&installed["id"]))
}

/// Creates an event; gives its path.
#[track_caller]
pub fn event(client: &Client, installed: &Value, body: &Value) -> String {
    let made = client.post(&format!("{}/event", path(installed)), body).ok();
    format!("{}/event/{}", path(installed), text(&made["id"]))
}

/// An event for created incidents that sends this JSON template.
fn on_incidents(template: &str) -> Value {
    json!({"name": "ticket", "entity": "INCIDENT", "eventType": "CREATE", "endPointURI": "/tickets",
        "payload": STANDARD.encode(template)})
}

/// Tells of a created incident; gives the answer.
#[track_caller]
fn incident(client: &Client, object: &Value) -> Value {
    client.post("/integrations/actions", &json!({"entity": "INCIDENT", "eventType": "CREATE", "object": object})).ok()
}

/// The statuses of an event's deliveries, oldest first.
#[track_caller]
fn statuses(client: &Client, event: &str) -> Vec<String> {
    let page = client.get(&format!("{event}/deliveries?isDescendingOrder=false&pageSize=1000")).page();
    page["results"].as_array().into_iter().flatten().map(|one| text(&one["status"])).collect()
}
