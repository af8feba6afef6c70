//! What holds for every operation: errors, parameters, bodies, tenants, roles, tokens, life and death.

mod audit;
mod bodies;
mod change_sets;
mod commands;
mod cursors;
mod document;
mod etag;
mod first_run;
mod framework;
mod ignored_fields;
mod isolation;
mod keys;
mod lifecycle;
mod query_parameters;
mod query_string;
mod request_id;
mod roles;
mod suspension;
mod tenants;
mod throttling;
mod tokens;
mod undos;
mod undos_people;
mod undos_senders;
mod upgrades;
mod users;

use muster_tests::Client;
use serde_json::{Value, json};

/// Creates a device and gives its id.
#[track_caller]
fn device(client: &Client, name: &str) -> String {
    let answer = client.post("/resources", &json!({"name": name, "hostName": name})).ok();
    text(&answer["resourceUUID"])
}

#[track_caller]
fn text(value: &Value) -> String {
    match value.as_str() {
        Some(text) => text.to_owned(),
        None => panic!("no text: {value}"),
    }
}

/// Nothing of a refused write may be there, in any state.
#[track_caller]
fn stores_nothing(client: &Client) {
    let listed = client.get("/resources/minimal?state=all").list();
    assert!(listed.is_empty(), "stored: {listed:?}");
}
