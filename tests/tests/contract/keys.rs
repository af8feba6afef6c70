//! API keys over time: rotated, revoked, and the last of their kind.

use muster_tests::{Client, Server, both_backends, unique};
use serde_json::{Value, json};

use super::text;

both_backends![
    a_key_has_two_secrets_and_tokens_die_with_theirs,
    a_leaked_secret_is_dropped_at_once,
    a_rotation_needs_no_body_and_no_other_tenant,
    the_user_of_a_key_lives_as_long_as_the_key,
];

struct Key {
    id: String,
    key: String,
    secret: String,
}

fn new_key(client: &Client) -> Key {
    let created = client.post("/apiKeys", &json!({"name": unique("key"), "role": "viewer"})).ok();
    Key { id: text(&created["id"]), key: text(&created["key"]), secret: text(&created["secret"]) }
}

#[track_caller]
fn rotate(client: &Client, key: &Key, body: &Value) -> String {
    let answer = client.post(&format!("/apiKeys/{}/rotate", key.id), body);
    assert!(answer.header("Cache-Control").is_some_and(|value| value.contains("no-store")), "{answer}");
    let rotated = answer.ok();
    assert_eq!((&rotated["id"], &rotated["key"]), (&json!(key.id), &json!(key.key)));
    text(&rotated["secret"])
}

#[track_caller]
fn is_refused(server: &Server, key: &str, secret: &str) {
    let form = format!("grant_type=client_credentials&client_id={key}&client_secret={secret}");
    let answer = server.request("POST", "/auth/oauth/token").body("application/x-www-form-urlencoded", form).send();
    assert_eq!(answer.status, 401, "{answer}");
}

fn a_key_has_two_secrets_and_tokens_die_with_theirs(server: &Server) {
    let client = server.new_client();
    let key = new_key(&client);
    let of_first = client.with_token(&server.token(&key.key, &key.secret));
    let second = rotate(&client, &key, &json!({}));
    let of_second = client.with_token(&server.token(&key.key, &second));
    server.token(&key.key, &key.secret);
    of_first.get("/resources/minimal").list();
    let third = rotate(&client, &key, &json!({"revokePrevious": false}));
    is_refused(server, &key.key, &key.secret);
    of_first.get("/resources/minimal").unauthenticated();
    of_second.get("/resources/minimal").list();
    server.token(&key.key, &second);
    server.token(&key.key, &third);
}

fn a_leaked_secret_is_dropped_at_once(server: &Server) {
    let client = server.new_client();
    let key = new_key(&client);
    let second = rotate(&client, &key, &json!({}));
    let caller = client.with_token(&server.token(&key.key, &second));
    let third = rotate(&client, &key, &json!({"revokePrevious": "true"}));
    is_refused(server, &key.key, &key.secret);
    is_refused(server, &key.key, &second);
    caller.get("/resources/minimal").unauthenticated();
    server.token(&key.key, &third);
}

fn a_rotation_needs_no_body_and_no_other_tenant(server: &Server) {
    let (client, other) = (server.new_client(), server.new_client());
    let key = new_key(&client);
    let path = format!("/apiKeys/{}/rotate", key.id);
    client.post(&path, &json!({"revokePrevious": 7})).invalid(&["revokePrevious"]);
    client.post(&path, &json!([])).invalid(&["body"]);
    client.post_text(&path, "{").problem(400, "0002");
    client.request("POST", &path).body("text/plain", "{}").send().problem(415, "0002");
    other.post_empty(&path).not_found();
    server.admin().post_empty(&path).not_found();
    client.post_empty("/apiKeys/KEY-00000000-0000-4000-8000-000000000000/rotate").not_found();
    server.caller(client.tenant_id(), "integrator").post_empty(&path).forbidden();
    // Nothing of this changed the key.
    server.token(&key.key, &key.secret);
    assert_eq!(client.get("/apiKeys").list()[0]["previousSecretValid"], json!(false));
    client.post_empty(&path).ok();
    assert_eq!(client.get("/apiKeys").list()[0]["previousSecretValid"], json!(true));
}

fn the_user_of_a_key_lives_as_long_as_the_key(server: &Server) {
    let client = server.new_client();
    let created = client.post("/apiKeys", &json!({"name": unique("key"), "role": "viewer"})).ok();
    let user = format!("/users/{}", text(&created["userId"]));
    assert_eq!(client.get(&user).ok()["firstName"], created["name"]);
    client.post_empty(&format!("{user}/deactivate")).problem(409, "0004");
    client.delete(&format!("/apiKeys/{}", text(&created["id"]))).ok();
    client.post_empty(&format!("{user}/deactivate")).ok();
}
