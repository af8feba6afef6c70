//! Categories: create, get, list, update.

use std::{collections::BTreeSet, thread};

use muster_tests::{Server, both_backends};
use serde_json::{Value, json};

use super::{at, category, column, text};

both_backends![
    a_category_has_the_shape_of_the_interface,
    ids_are_unique_under_concurrency,
    names_are_unique_among_siblings,
    the_list_is_paged_by_state,
    a_category_begins_in_its_state,
    an_update_checks_the_version,
    categories_of_other_tenants_are_not_found,
];

fn a_category_has_the_shape_of_the_interface(server: &Server) {
    for owner in [server.new_client(), server.admin()] {
        let name = muster_tests::unique("kb");
        let created = owner.post("/kb/category", &json!({"name": name, "description": "about"})).ok();
        let id = text(&created["id"]);
        assert!(id.strip_prefix("KBC").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit())), "{created}");
        let read = owner.get(&at(&id));
        assert!(read.header("ETag").is_some());
        let read = read.ok();
        assert_eq!(read, created);
        let shown = ["name", "description", "path", "state"].map(|field| read[field].clone());
        assert_eq!(shown, [json!(name), json!("about"), json!(name), json!("ACTIVE")]);
        for by in ["createdBy", "updatedBy"] {
            assert!(text(&read[by]["id"]).starts_with("USR") && read[by]["loginName"].is_string(), "{read}");
        }
        assert!(text(&read["createdDate"]).ends_with("+0000") && text(&read["updatedDate"]).ends_with("+0000"));
        owner.delete(&at(&id)).ok();
    }
}

fn ids_are_unique_under_concurrency(server: &Server) {
    let clients = [server.new_client(), server.new_client()];
    let ids: Vec<String> = thread::scope(|scope| {
        let all: Vec<_> = (0..10)
            .map(|number| {
                let client = &clients[number % 2];
                scope
                    .spawn(move || (0..5).map(|n| category(client, &format!("{number} {n}"), None)).collect::<Vec<_>>())
            })
            .collect();
        all.into_iter().flat_map(|one| one.join().unwrap_or_default()).collect()
    });
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), 50);
}

fn names_are_unique_among_siblings(server: &Server) {
    let client = server.new_client();
    let top = category(&client, "Café", None);
    client.post("/kb/category", &json!({"name": "CAFE\u{301}"})).problem(409, "0004");
    category(&client, "café", Some(&top));
    for name in ["", " ", "a >> b", "a\nb", &"x".repeat(201)] {
        client.post("/kb/category", &json!({"name": name})).invalid(&["name"]);
    }
    client.post("/kb/category", &json!({"parentCategory": {}})).invalid(&["name", "parentCategory.id"]);
    client
        .post("/kb/category", &json!({"name": "x", "parentCategory": {"id": "KBC1"}}))
        .invalid(&["parentCategory.id"]);
}

fn the_list_is_paged_by_state(server: &Server) {
    let client = server.new_client();
    for number in 0..25 {
        category(&client, &format!("n{number:02}"), None);
    }
    let off = category(&client, "off", None);
    client.post(&at(&off), &json!({"state": "inactive"})).ok();
    let gone = category(&client, "gone", None);
    client.delete(&at(&gone)).ok();
    let page = client.get("/kb/categorylist").page();
    assert_eq!((&page["pageSize"], &page["totalResults"]), (&json!(20), &json!(26)));
    assert_eq!(column(&client, "/kb/categorylist?state=INACTIVE", "name"), ["off"]);
    assert_eq!(column(&client, "/kb/categorylist?state=trash", "state"), ["TRASH"]);
    assert_eq!(client.get("/kb/categorylist?state=ALL&pageSize=1000").page()["totalResults"], json!(27));
    assert_eq!(
        column(&client, "/kb/categorylist?queryString=name:N2&isDescendingOrder=true&pageSize=2", "name"),
        ["n24", "n23"]
    );
    client.get("/kb/categorylist?state=x&pageSize=0&y=1").invalid(&["state", "pageSize", "y"]);
    let mut seen = Vec::new();
    let mut url = "/kb/categorylist?pageSize=7".to_owned();
    loop {
        let page = client.get(&url).ok();
        seen.extend(page["results"].as_array().into_iter().flatten().map(|one| text(&one["name"])));
        let Some(cursor) = page["nextCursor"].as_str() else { break };
        url = format!("/kb/categorylist?pageSize=7&cursor={cursor}");
    }
    assert_eq!(seen.len(), 26);
    assert!(seen.is_sorted());
}

fn an_update_checks_the_version(server: &Server) {
    let client = server.new_client();
    let id = category(&client, "a", None);
    let tag = client.get(&at(&id)).header("ETag").unwrap_or_default().to_owned();
    let changed = client.post(&at(&id), &json!({"description": "other"})).ok();
    assert_eq!((&changed["name"], &changed["description"]), (&json!("a"), &json!("other")));
    let send = |method: &str, body: Value| {
        client.request(method, &at(&id)).header("If-Match", &tag).json(&body).send().problem(412, "0004")
    };
    send("POST", json!({"name": "b"}));
    send("DELETE", json!({}));
    assert_eq!(client.get(&at(&id)).ok()["state"], json!("ACTIVE"));
    client.post(&at(&id), &json!({"state": "TRASH"})).invalid(&["state"]);
}

fn categories_of_other_tenants_are_not_found(server: &Server) {
    let client = server.new_client();
    let other = server.new_client();
    let theirs = category(&other, "theirs", None);
    let partners = category(&server.admin(), &muster_tests::unique("partner"), None);
    for id in
        [theirs.as_str(), &partners, "KBC9999999999", "KBC", "KBC1", "KBCx", "x", "%FF", "KBC0000000001%2F", "KBC-1"]
    {
        client.get(&at(id)).not_found();
        client.post(&format!("/kb/category/restore/{id}"), &json!({})).not_found();
        client.post(&at(id), &json!({"name": "x"})).not_found();
        client.post(&format!("{}/move", at(id)), &json!({})).not_found();
        client.delete(&at(id)).not_found();
    }
    // From above it is one of the partner's.
    assert_eq!(server.admin().get(&at(&theirs)).ok()["name"], json!("theirs"));
    server.admin().delete(&at(&partners)).ok();
}

fn a_category_begins_in_its_state(server: &Server) {
    let client = server.new_client();
    let made = client.post("/kb/category", &json!({"name": "Straße", "state": "inactive"})).ok();
    assert_eq!((&made["state"], made.get("description")), (&json!("INACTIVE"), None), "{made}");
    client.post("/kb/category", &json!({"name": "b", "state": "TRASH"})).invalid(&["state"]);
    client.post("/kb/category", &json!({"name": "STRASSE"})).problem(409, "0004");
    let bad = json!({"name": "", "parentCategory": {"id": "nonsense"}});
    client.post("/kb/category", &bad).invalid(&["name", "parentCategory.id"]);
}
