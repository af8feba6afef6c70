//! Articles of the knowledge base are as they were.

use muster_tests::{Client, Server, both_backends, unique};
use serde_json::{Value, json};

use super::{delete, goes_back_and_forth, newest, refused, send, undo, undone};
use crate::contract::text;

both_backends![
    an_article_has_its_former_text,
    an_article_leaves_the_trash_and_goes_back,
    a_category_that_is_gone_keeps_an_article_as_it_is,
    what_a_set_left_in_the_trash_stays_there,
    what_moved_with_a_category_is_told_and_comes_back,
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

fn what_a_set_left_in_the_trash_stays_there(server: &Server) {
    let client = server.new_client();
    let within = category(&client);
    let body = json!({"title": "t", "content": "1", "category": {"id": within}});
    let path = |article: &Value| format!("/kb/article/{}", text(&article["id"]));
    let state = |path: &str| client.get(path).ok()["state"].clone();
    let name = unique("made");
    let kept = path(&send(&client, &name, "/kb/article", &body));
    let gone = path(&send(&client, &name, "/kb/article", &body));
    delete(&client, &name, &gone);
    let place = format!("/kb/category/{}", text(&send(&client, &name, "/kb/category", &json!({"name": name}))["id"]));
    delete(&client, &name, &place);
    let (objects, first) = undone(&client, &newest(&client, &name));
    assert_eq!(
        (objects, state(&kept), state(&gone), state(&place)),
        (3, "TRASH".into(), "TRASH".into(), "TRASH".into())
    );
    undone(&client, &first);
    assert_eq!((state(&kept), state(&gone)), (json!("ACTIVE"), json!("TRASH")));

    let name = unique("restored");
    let restore = gone.replace("/article/", "/article/restore/");
    client.request("POST", &restore).header("X-Change-Set", &name).send().ok();
    send(&client, &name, &gone, &json!({"content": "2", "title": "T"}));
    delete(&client, &name, &gone);
    undone(&client, &newest(&client, &name));
    let now = client.get(&gone).ok();
    assert_eq!((&now["title"], &now["content"], &now["state"]), (&json!("t"), &json!("1"), &json!("TRASH")));
}

fn what_moved_with_a_category_is_told_and_comes_back(server: &Server) {
    let client = server.new_client();
    let above = category(&client);
    let inner = json!({"name": "inner", "parentCategory": {"id": above}});
    let inner = client.post("/kb/category", &inner).ok()["id"].clone();
    let article = create(&client, &inner);
    client.post(&article, &json!({"content": "changed"})).ok();
    let edit = newest(&client, "");
    let paths = [above, inner].map(|id| format!("/kb/category/{}", text(&id)));
    let states = || [&paths[0], &paths[1], &article].map(|path| text(&client.get(path).ok()["state"]));
    let name = unique("delete");
    delete(&client, &name, &paths[0]);
    assert_eq!(states(), ["TRASH"; 3]);
    undo(&client, &edit).problem(409, "0004");
    let set = newest(&client, &name);
    let (objects, first) = undone(&client, &set);
    assert_eq!((objects, states()), (3, ["ACTIVE"; 3].map(ToOwned::to_owned)));
    undone(&client, &first);
    assert_eq!(states(), ["TRASH"; 3]);
    // It went there with the category again, and not by itself.
    client.post_empty(&paths[0].replace("/category/", "/category/restore/")).ok();
    assert_eq!(states(), ["ACTIVE"; 3]);
    let told = client.search("/auditLog/search", &format!("entityId:{}", article.rsplit('/').next().expect("an id")));
    assert_eq!(told.page()["totalResults"], json!(6), "created, changed, and four times to and fro");
}
