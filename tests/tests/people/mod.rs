//! People act as themselves: roles, personal keys, sign-in links, sessions ("Tenants and callers" in
//! docs/interface.md).

mod ends;
mod ids;
mod links;
mod named;
mod oidc;
mod origins;
mod personal;
mod sessions;

use muster_tests::{Client, Server, unique};
use serde_json::{Value, json};

/// A new user with a role; its id.
#[track_caller]
fn person(admin: &Client, role: &str) -> String {
    let body = json!({"loginName": unique("ann"), "firstName": "Ann", "lastName": "Lee", "role": role});
    text(&admin.post("/users", &body).ok()["id"])
}

/// A new key with these fields besides its name.
#[track_caller]
fn key(admin: &Client, fields: &Value) -> Value {
    let mut body = json!({"name": unique("key")});
    body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    admin.post("/apiKeys", &body).ok()
}

/// A caller with a new token of a key.
fn caller(server: &Server, at: &Client, key: &Value) -> Client {
    at.with_token(&server.token(&text(&key["key"]), &text(&key["secret"])))
}

/// A caller with a personal key of this user and role.
#[track_caller]
fn personal(server: &Server, admin: &Client, user: &str, role: &str) -> Client {
    caller(server, admin, &key(admin, &json!({"role": role, "userId": user})))
}

/// The rows of the audit log about an entity.
#[track_caller]
fn audit(admin: &Client, entity_id: &str) -> Vec<Value> {
    let page = admin.search("/auditLog/search", &format!("entityId:{entity_id}")).page();
    page["results"].as_array().cloned().unwrap_or_default()
}

#[track_caller]
fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}
