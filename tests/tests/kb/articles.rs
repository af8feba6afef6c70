//! Articles: create, get, list, update, delete, history.

use muster_tests::{Server, both_backends};
use serde_json::{Value, json};

use super::{article, category, column, text};

both_backends![
    an_article_is_kept_as_it_is,
    errors_are_listed,
    its_history_has_every_version,
    the_list_has_no_contents,
    it_moves_and_goes_and_comes_back,
    others_articles_are_unknown,
    all_that_says_which_state_holds,
];

fn at(id: &str) -> String {
    format!("/kb/article/{id}")
}

fn an_article_is_kept_as_it_is(server: &Server) {
    let client = server.new_client();
    let within = category(&client, "Network", None);
    let content = "# Title\n\n* `a` <b>\n\r\n\ttab ☂ \u{1F600} %_'\"\\";
    let body = json!({"title": " LED ", "content": content, "category": {"id": within.to_lowercase()}});
    let created = client.post("/kb/article", &body).ok();
    let id = text(&created["id"]);
    assert!(id.strip_prefix("KBA").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit())), "{created}");
    assert_eq!((&created["title"], &created["content"]), (&json!("LED"), &json!(content)));
    assert_eq!(created["category"], json!({"id": within, "name": "Network"}));
    assert_eq!((&created["state"], &created["revision"]), (&json!("ACTIVE"), &json!(1)));
    assert!(created.get("snippet").is_none());
    let read = client.get(&at(&id));
    assert!(read.header("ETag").is_some());
    assert_eq!(read.ok(), created);
}

fn errors_are_listed(server: &Server) {
    let client = server.new_client();
    let within = category(&client, "a", None);
    let post = |body: Value| client.post("/kb/article", &body);
    post(json!({})).invalid(&["title", "content", "category"]);
    post(json!({"title": " ", "content": "\n", "category": {}, "state": "TRASH"})).invalid(&[
        "title",
        "content",
        "category.id",
        "state",
    ]);
    post(json!({"title": "x".repeat(201), "content": "x".repeat(100_001), "category": {"id": within}}))
        .invalid(&["title", "content"]);
    post(json!({"title": "x", "content": "x", "category": {"id": "KBC9999999999"}})).invalid(&["category.id"]);
    // The longest content, of the longest letters, no two words equal.
    let long: String =
        (0..20_000_u32).filter_map(|n| char::from_u32(0x20000 + n)).flat_map(|c| [c, c, c, c, ' ']).collect();
    assert_eq!(long.chars().count(), 100_000);
    post(json!({"title": "x", "content": long, "category": {"id": within}})).ok();
}

fn its_history_has_every_version(server: &Server) {
    let client = server.new_client();
    let within = category(&client, "a", None);
    let id = article(&client, &within, "one", "first");
    let tag = client.get(&at(&id)).header("ETag").unwrap_or_default().to_owned();
    assert_eq!(client.post(&at(&id), &json!({"content": "second"})).ok()["revision"], json!(2));
    assert_eq!(client.post(&at(&id), &json!({"title": "two"})).ok()["revision"], json!(3));
    // Neither says anything new.
    assert_eq!(client.post(&at(&id), &json!({"title": "two", "state": "INACTIVE"})).ok()["revision"], json!(3));
    let late = client.request("POST", &at(&id)).header("If-Match", &tag).json(&json!({"title": "x"})).send();
    late.problem(412, "0004");
    let versions = client.get(&format!("{}/versions", at(&id))).page();
    let shown: Vec<(&Value, &Value)> =
        versions["results"].as_array().into_iter().flatten().map(|one| (&one["revision"], &one["title"])).collect();
    let expected = [(json!(3), json!("two")), (json!(2), json!("one")), (json!(1), json!("one"))];
    assert_eq!(shown, expected.iter().map(|(revision, title)| (revision, title)).collect::<Vec<_>>());
    let said = |revision: i64| client.get(&format!("{}?revision={revision}", at(&id)));
    let first = said(1).ok();
    assert_eq!((&first["title"], &first["content"], &first["revision"]), (&json!("one"), &json!("first"), &json!(1)));
    assert_eq!(said(2).ok()["content"], json!("second"));
    for none in [4, 0, -1] {
        said(none).not_found();
    }
    client.get(&format!("{}?revision=x", at(&id))).invalid(&["revision"]);
}

fn the_list_has_no_contents(server: &Server) {
    let client = server.new_client();
    let a = category(&client, "a", None);
    let b = category(&client, "b", None);
    for (within, title) in [(&a, "Zebra"), (&a, "apple"), (&b, "Mango")] {
        article(&client, within, title, "x");
    }
    let page = client.get("/kb/articlelist").page();
    assert_eq!(page["pageSize"], json!(20));
    assert!(page["results"].as_array().into_iter().flatten().all(|one| one.get("content").is_none()), "{page}");
    assert_eq!(column(&client, "/kb/articlelist", "title"), ["apple", "Mango", "Zebra"]);
    assert_eq!(column(&client, &format!("/kb/articlelist?queryString=categoryId:{a}"), "title"), ["apple", "Zebra"]);
    assert_eq!(column(&client, "/kb/articlelist?queryString=title:AN", "title"), ["Mango"]);
    assert_eq!(column(&client, "/kb/articlelist?sortName=id&isDescendingOrder=true&pageSize=1", "title"), ["Mango"]);
    client.get("/kb/articlelist?queryString=owner:x").invalid(&["queryString"]);
}

fn it_moves_and_goes_and_comes_back(server: &Server) {
    let client = server.new_client();
    let a = category(&client, "a", None);
    let b = category(&client, "b", None);
    let id = article(&client, &a, "t", "c");
    assert_eq!(client.post(&at(&id), &json!({"category": {"id": b}})).ok()["category"]["name"], json!("b"));
    assert_eq!(client.delete(&at(&id)).ok(), json!({}));
    assert_eq!(client.get(&at(&id)).ok()["state"], json!("TRASH"));
    assert!(column(&client, "/kb/articlelist", "id").is_empty());
    assert_eq!(column(&client, "/kb/articlelist?state=TRASH", "id"), [id.clone()]);
    let restored = client.post_empty(&format!("/kb/article/restore/{id}"));
    assert_eq!(restored.ok()["state"], json!("ACTIVE"));
    let again = client.post_empty(&format!("/kb/article/restore/{id}"));
    assert_eq!(again.header("ETag"), restored.header("ETag"));
}

fn others_articles_are_unknown(server: &Server) {
    let client = server.new_client();
    let other = server.new_client();
    let within = category(&client, "a", None);
    let id = article(&client, &within, "t", "c");
    for id in [id.as_str(), "KBA9999999999", "KBA", "KBA1", "x", "%FF"] {
        other.get(&at(id)).not_found();
        other.post(&at(id), &json!({"title": "x"})).not_found();
        other.delete(&at(id)).not_found();
        other.post_empty(&format!("/kb/article/restore/{id}")).not_found();
        other.get(&format!("{}/versions", at(id))).not_found();
    }
    let mine = category(&other, "mine", None);
    let stray = article(&other, &mine, "x", "x");
    other.post(&at(&stray), &json!({"category": {"id": within}})).invalid(&["category.id"]);
    assert_eq!(server.admin().get(&at(&id)).ok()["title"], json!("t"));
}

fn all_that_says_which_state_holds(server: &Server) {
    let client = server.new_client();
    let within = category(&client, "a", None);
    let kept = article(&client, &within, "kept", "x");
    let gone = article(&client, &within, "gone", "x");
    client.delete(&at(&gone)).ok();
    let found = |parameters: &str| column(&client, &format!("/kb/articlelist?{parameters}"), "id");
    assert_eq!(found("queryString=state:ACTIVE"), [kept.clone()]);
    assert_eq!(found("queryString=state:TRASH"), [gone.clone()]);
    assert_eq!(found("state=ALL&queryString=state:TRASH"), [gone]);
    assert_eq!(found("state=TRASH&queryString=state:ACTIVE"), [""; 0]);
    assert_eq!(found("state=ACTIVE&queryString=state:ACTIVE,TRASH"), [kept]);
    let categories = |parameters: &str| column(&client, &format!("/kb/categorylist?{parameters}"), "id");
    assert_eq!(categories("state=TRASH&queryString=state:ACTIVE"), [""; 0]);
    assert_eq!(categories("state=ALL&queryString=state:ACTIVE"), [within]);
}
