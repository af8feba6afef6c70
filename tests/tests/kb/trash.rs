//! The trash: records deleted together are restored together.

use muster_tests::{Client, Server, both_backends};
use serde_json::{Value, json};

use super::{article, at, category, column, text};

both_backends![
    a_deleted_category_is_in_the_trash_with_all_below_it,
    categories_trashed_before_stay_in_the_trash,
    a_trashed_parent_is_named,
    a_name_that_was_taken_meanwhile_is_in_the_way,
    nothing_is_done_in_the_trash,
    an_active_category_is_answered_as_it_is,
];

fn restore(client: &Client, id: &str) -> muster_tests::Response {
    client.post_empty(&format!("/kb/category/restore/{id}"))
}

fn state(client: &Client, path: &str) -> String {
    text(&client.get(path).ok()["state"])
}

fn a_deleted_category_is_in_the_trash_with_all_below_it(server: &Server) {
    let client = server.new_client();
    let a = category(&client, "a", None);
    let b = category(&client, "b", Some(&a));
    let c = article(&client, &b, "c", "needle");
    assert_eq!(client.delete(&at(&a)).ok(), json!({}));
    let c_path = format!("/kb/article/{c}");
    for path in [at(&a), at(&b), c_path.clone()] {
        assert_eq!(state(&client, &path), "TRASH", "{path}");
    }
    assert_eq!(client.get("/kb/article/search?query=needle").page()["totalResults"], json!(0));
    assert_eq!(column(&client, "/kb/article/search?query=needle&state=TRASH", "id"), [c.clone()]);
    let restored = restore(&client, &a).ok();
    assert_eq!((&restored["state"], &restored["path"]), (&json!("ACTIVE"), &json!("a")));
    for path in [at(&a), at(&b), c_path] {
        assert_eq!(state(&client, &path), "ACTIVE", "{path}");
    }
    assert_eq!(column(&client, "/kb/article/search?query=needle", "id"), [c]);
}

fn categories_trashed_before_stay_in_the_trash(server: &Server) {
    let client = server.new_client();
    let a = category(&client, "a", None);
    let b = category(&client, "b", Some(&a));
    let c = article(&client, &a, "c", "x");
    client.delete(&at(&b)).ok();
    client.delete(&format!("/kb/article/{c}")).ok();
    client.delete(&at(&a)).ok();
    restore(&client, &a).ok();
    assert_eq!(state(&client, &at(&b)), "TRASH");
    assert_eq!(state(&client, &format!("/kb/article/{c}")), "TRASH");
    assert_eq!(restore(&client, &b).ok()["path"], json!("a >> b"));
    assert_eq!(client.post_empty(&format!("/kb/article/restore/{c}")).ok()["state"], json!("ACTIVE"));
}

fn a_trashed_parent_is_named(server: &Server) {
    let client = server.new_client();
    let a = category(&client, "Above", None);
    let b = category(&client, "b", Some(&a));
    let c = article(&client, &b, "c", "x");
    client.delete(&at(&a)).ok();
    let refused = restore(&client, &b).problem(409, "0004");
    let detail = text(&refused["detail"]);
    assert!(detail.contains("\"Above\"") && detail.contains(&a), "{detail}");
    let refused = client.post_empty(&format!("/kb/article/restore/{c}")).problem(409, "0004");
    assert!(text(&refused["detail"]).contains("\"b\""), "{refused}");
    assert_eq!(state(&client, &at(&b)), "TRASH");
}

fn a_name_that_was_taken_meanwhile_is_in_the_way(server: &Server) {
    let client = server.new_client();
    let first = category(&client, "a", None);
    client.delete(&at(&first)).ok();
    let second = category(&client, "A", None);
    restore(&client, &first).problem(409, "0004");
    client.post(&at(&second), &json!({"name": "b"})).ok();
    restore(&client, &first).ok();
}

fn nothing_is_done_in_the_trash(server: &Server) {
    let client = server.new_client();
    let a = category(&client, "a", None);
    let b = category(&client, "b", None);
    let c = article(&client, &a, "c", "x");
    client.delete(&at(&a)).ok();
    client.delete(&at(&a)).problem(409, "0004");
    client.post(&at(&a), &json!({"name": "x"})).problem(409, "0004");
    client.post(&format!("{}/move", at(&a)), &json!({})).problem(409, "0004");
    client.post(&format!("{}/move", at(&b)), &json!({"parentCategory": {"id": a}})).problem(409, "0004");
    client.post("/kb/category", &json!({"name": "x", "parentCategory": {"id": a}})).problem(409, "0004");
    let into = |body: Value| client.post("/kb/article", &body).problem(409, "0004");
    into(json!({"title": "x", "content": "x", "category": {"id": a}}));
    client.post(&format!("/kb/article/{c}"), &json!({"title": "x"})).problem(409, "0004");
    client.delete(&format!("/kb/article/{c}")).problem(409, "0004");
}

fn an_active_category_is_answered_as_it_is(server: &Server) {
    let client = server.new_client();
    let a = category(&client, "a", None);
    let before = client.get(&at(&a));
    let restored = restore(&client, &a);
    assert_eq!(restored.header("ETag"), before.header("ETag"));
    assert_eq!(restored.ok(), before.ok());
    client.post(&at(&a), &json!({"state": "INACTIVE"})).ok();
    assert_eq!(restore(&client, &a).ok()["state"], json!("ACTIVE"));
}
