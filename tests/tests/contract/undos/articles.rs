//! Articles of the knowledge base are as they were.

use muster_tests::{Client, Server, both_backends, unique};
use serde_json::{Value, json};

use super::{goes_back_and_forth, newest, refused, send, undone};
use crate::contract::text;

both_backends![
    an_article_has_its_former_text,
    an_article_leaves_the_trash_and_goes_back,
    a_category_that_is_gone_keeps_an_article_as_it_is,
];

fn category(client: &Client) -> Value {
    client.post("/kb/category", &json!({"name": unique("category"), "description": ""})).ok()["id"].clone()
}

/// Creates an article; gives its path.
fn create(client: &Client, category: &Value) -> String {
    let body = json!({"title": "Disks", "content": "x".repeat(3_000), "category": {"id": category}});
    format!("/kb/article/{}", text(&client.post("/kb/article", &body).ok()["id"]))
}

/// What people said of an article, as it is read.
#[track_caller]
fn told(client: &Client, path: &str) -> [Value; 5] {
    let now = client.get(path).ok();
    ["id", "title", "content", "category", "state"].map(|field| now[field].clone())
}

fn an_article_has_its_former_text(server: &Server) {
    let client = server.new_client();
    let (one, other) = (category(&client), category(&client));
    let path = create(&client, &one);
    let before = told(&client, &path);
    let name = unique("change");
    let change = json!({"title": "Tapes", "content": "short", "category": {"id": other}, "state": "INACTIVE"});
    send(&client, &name, &path, &json!({"content": "in between"}));
    send(&client, &name, &path, &change);
    let set = newest(&client, &name);
    goes_back_and_forth(&client, &set, (&path, &json!({"title": "Since"})), &before, || told(&client, &path));
}

fn an_article_leaves_the_trash_and_goes_back(server: &Server) {
    let client = server.new_client();
    let path = create(&client, &category(&client));
    let state = || client.get(&path).ok()["state"].clone();
    let (_, first) = undone(&client, &newest(&client, ""));
    assert_eq!(state(), json!("TRASH"));
    undone(&client, &first);
    assert_eq!(state(), json!("ACTIVE"));
    let name = unique("delete");
    send(&client, &name, &path, &json!({"title": "Tapes", "state": "INACTIVE"}));
    client.request("DELETE", &path).header("X-Change-Set", &name).send().ok();
    let (_, first) = undone(&client, &newest(&client, &name));
    assert_eq!((&client.get(&path).ok()["title"], state()), (&json!("Disks"), json!("ACTIVE")));
    undone(&client, &first);
    assert_eq!((&client.get(&path).ok()["title"], state()), (&json!("Tapes"), json!("TRASH")));
    let restored = format!("/kb/article/restore/{}", path.rsplit('/').next().expect("an id"));
    client.post_empty(&restored).ok();
    undone(&client, &newest(&client, ""));
    assert_eq!(state(), json!("TRASH"));
}

fn a_category_that_is_gone_keeps_an_article_as_it_is(server: &Server) {
    let client = server.new_client();
    let (one, other) = (category(&client), category(&client));
    let path = create(&client, &one);
    client.post(&path, &json!({"category": {"id": other}})).ok();
    let set = newest(&client, "");
    client.delete(&format!("/kb/category/{}", text(&one))).ok();
    let id = path.rsplit('/').next().expect("an id");
    let reason = refused(&client, &set, &format!("KbArticle {id}"));
    assert!(reason.contains("is in the trash"), "{reason}");
}
