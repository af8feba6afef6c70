//! Operations under a further path: the same answer, the same rights, the same audit record.

use muster_tests::{Server, both_backends, unique};
use serde_json::json;

use super::{column, text};

both_backends![
    categories_are_made_changed_and_thrown_away,
    articles_are_listed_and_thrown_away,
    people_are_found_in_their_groups,
    groups_and_sites_list_their_members,
    a_suspended_client_is_activated,
    a_path_has_the_methods_of_its_operations,
    a_cursor_and_a_key_hold_on_either_path,
];

fn categories_are_made_changed_and_thrown_away(server: &Server) {
    let client = server.new_client();
    let made = client.post("/kb/category/create", &json!({"name": "Network"})).ok();
    let id = text(&made["id"]);
    assert_eq!(client.get(&format!("/kb/category/{id}")).ok(), made);
    let below = json!({"name": "Wireless", "parentCategory": {"id": id}});
    let below = client.post("/kb/category/create", &below).ok();
    let changed = client.post(&format!("/kb/category/update/{id}"), &json!({"name": "Networks"})).ok();
    assert_eq!(changed["name"], json!("Networks"));
    let children = client.get(&format!("/kb/categorylist/{id}")).list();
    let paths: Vec<_> = children.iter().map(|child| text(&child["path"])).collect();
    assert_eq!(paths, ["Networks >> Wireless"]);
    let page = client.search("/kb/categorylist", &format!("parentId:{id}")).page();
    assert_eq!(column(&page, "path"), paths, "a page of them");
    let leaf = text(&below["id"]);
    assert_eq!(client.get(&format!("/kb/categorylist/{leaf}")).ok(), json!([]));
    client.get("/kb/categorylist/KBC9876543210").not_found();
    // The version of the record holds here too.
    let late = client.request("DELETE", &format!("/kb/category/delete/{id}")).header("If-Match", "\"77\"").send();
    late.problem(412, "0004");
    assert_eq!(client.delete(&format!("/kb/category/delete/{id}")).ok(), json!({}));
    for id in [&id, &text(&below["id"])] {
        assert_eq!(client.get(&format!("/kb/category/{id}")).ok()["state"], json!("TRASH"));
    }
    client.post("/kb/category/create", &json!({})).invalid(&["name"]);
    client.post("/kb/category/update/KBC9876543210", &json!({"name": "x"})).not_found();
    let viewer = server.caller(client.tenant_id(), "viewer");
    viewer.post("/kb/category/create", &json!({"name": "mine"})).forbidden();
    viewer.delete(&format!("/kb/category/delete/{id}")).forbidden();
}

fn articles_are_listed_and_thrown_away(server: &Server) {
    let client = server.new_client();
    let category = text(&client.post("/kb/category", &json!({"name": "Storage"})).ok()["id"]);
    let write = |subject: &str, state: &str| {
        let body = json!({"subject": subject, "content": "…", "category": {"id": category}, "state": state});
        client.post("/kb/article", &body).ok()
    };
    let full = write("Disk full", "PUBLISHED");
    let slow = write("Disk slow", "DRAFT");
    assert_eq!((&full["subject"], &full["title"]), (&json!("Disk full"), &json!("Disk full")));
    assert_eq!((&full["state"], &slow["state"]), (&json!("ACTIVE"), &json!("INACTIVE")));
    assert_eq!((&full["createdTime"], &full["updatedTime"]), (&full["createdDate"], &full["updatedDate"]));
    let listed = client.get("/kb/articlelist").page();
    assert_eq!(column(&listed, "subject"), ["Disk full", "Disk slow"]);
    for path in ["/kb/articlesList", "/kb/articles/search"] {
        assert_eq!(client.get(path).page(), listed, "{path}");
        for (query, titles) in [
            ("subject:slow", vec!["Disk slow"]),
            ("states:Published", vec!["Disk full"]),
            ("states:Draft,Published", vec!["Disk full", "Disk slow"]),
            ("states:Expired", vec![]),
            ("states:Expired,Draft", vec!["Disk slow"]),
            ("categoryName:stor", vec!["Disk full", "Disk slow"]),
            ("categoryName:stor+isEquals:true", vec![]),
            ("categoryId:KBC9876543210", vec![]),
        ] {
            assert_eq!(column(&client.search(path, query).page(), "title"), titles, "{path} {query}");
        }
        client.search(path, "content:disk").invalid(&["queryString"]);
        client.search(path, "subject:a+title:b").invalid(&["queryString"]);
    }
    let at = format!("/kb/article/{}", text(&full["id"]));
    let changed = client.post(&at, &json!({"subject": "Disk is full"})).ok();
    assert_eq!((&changed["title"], &changed["revision"]), (&json!("Disk is full"), &json!(2)));
    assert_eq!(client.delete(&format!("{at}/delete")).ok(), json!({}));
    assert_eq!(client.get(&at).ok()["state"], json!("TRASH"));
    client.delete(&format!("{at}/delete")).problem(409, "0004");
    client.post("/kb/article", &json!({"content": "…", "category": {"id": category}})).invalid(&["title"]);
    client
        .post("/kb/article", &json!({"subject": " ", "content": "…", "category": {"id": category}}))
        .invalid(&["subject"]);
}

fn people_are_found_in_their_groups(server: &Server) {
    let client = server.new_client();
    let user = text(&client.post("/users", &json!({"loginName": unique("ann"), "firstName": "Ann"})).ok()["id"]);
    let group = text(&client.post("/userGroups", &json!({"name": unique("night")})).ok()["uniqueId"]);
    let at = format!("/userGroups/{group}");
    assert_eq!(client.post(&format!("{at}/users"), &json!([{"id": user}])).ok(), json!({}));
    let members = client.get(&format!("{at}/members")).page();
    assert_eq!(column(&members, "id"), [user.clone()]);
    assert_eq!(client.get(&format!("{at}/users")).page(), members);
    assert_eq!(client.get("/userGroups").page(), client.get("/userGroups/search").page());
    assert_eq!(client.search("/userGroups", &format!("uniqueId:{group}")).page()["totalResults"], json!(1));
    assert_eq!(client.delete_with(&format!("{at}/users"), &json!([{"id": user}])).ok(), json!({}));
    assert_eq!(client.get(&format!("{at}/users")).page()["totalResults"], json!(0));
}

fn groups_and_sites_list_their_members(server: &Server) {
    let client = server.new_client();
    let machine = text(&client.post("/resources", &json!({"hostName": unique("web")})).ok()["resourceUUID"]);
    for kind in ["deviceGroups", "serviceGroups"] {
        let group = client.post(&format!("/{kind}"), &json!({"name": "Web"})).ok();
        // A group goes by either id.
        for id in [group["id"].to_string(), text(&group["uniqueId"])] {
            client.post(&format!("/{kind}/{id}/childs"), &json!([{"id": machine}])).ok();
            let children = client.get(&format!("/{kind}/{id}/childs")).page();
            assert_eq!(column(&children, "id"), [machine.clone()]);
            assert_eq!(client.get(&format!("/{kind}/{id}/childs/search")).page(), children);
            if kind == "deviceGroups" {
                let listed = client.get(&format!("/resources/minimal?deviceGroupId={id}")).list();
                assert_eq!(listed.len(), 1, "{id}");
                assert_eq!(listed[0]["id"], json!(machine));
            }
        }
    }
    let nobody = format!("/resources/minimal?deviceGroupId=DGP-{}", muster_tests::uuid());
    assert!(client.get(&nobody).list().is_empty());
    let site = client.post("/sites", &json!({"name": "Pune"})).ok()["id"].to_string();
    assert_eq!(client.post(&format!("/sites/{site}/childs"), &json!([{"id": machine}])).ok(), json!({}));
    let members = client.get(&format!("/sites/{site}/members")).page();
    assert_eq!(column(&members, "id"), [machine]);
    assert_eq!(client.get(&format!("/sites/{site}/childs")).page(), members);
    client.get("/sites/987654321/childs").not_found();
    assert_eq!(client.search("/sites/search", "name:pune").page()["totalResults"], json!(1));
    assert_eq!(client.search("/sites/search", "name:pune+parentId:20").page()["totalResults"], json!(0), "none nests");
}

fn a_suspended_client_is_activated(server: &Server) {
    let admin = server.admin();
    let client = server.new_client();
    let at = format!("/clients/{}", client.tenant_id());
    admin.post_empty(&format!("{at}/suspend")).ok();
    let query = format!("uniqueId:{}+activeStatus:false", client.tenant_id());
    assert_eq!(admin.search("/clients/search", &query).page()["totalResults"], json!(1));
    let facts = admin.get(&at).ok();
    let created = text(&facts["createdDate"]);
    let updated = text(&facts["updatedDate"]);
    for (times, expected) in [
        (format!("startCreationDate:{created}+endCreationDate:{created}"), 1),
        (format!("startUpdationDate:{updated}+endUpdationDate:{updated}"), 1),
        ("endCreationDate:2020-01-01T00:00:00+0000".to_owned(), 0),
    ] {
        let found = admin.search("/clients/search", &format!("{query}+{times}")).page();
        assert_eq!(found["totalResults"], json!(expected), "{times}");
    }
    let active = admin.post_empty(&format!("{at}/activate")).ok();
    assert_eq!((&active["activated"], &active["suspended"]), (&json!(true), &json!(false)));
    let told = admin.search("/auditLog/search", &format!("entityId:{}+action:UPDATE", client.tenant_id())).page();
    assert_eq!(told["totalResults"], json!(2), "{told}");
}

fn a_path_has_the_methods_of_its_operations(server: &Server) {
    let client = server.new_client();
    for (method, path, allowed) in [
        ("GET", "/kb/category/create", "POST"),
        ("POST", "/kb/category/delete/KBC0000000001", "DELETE"),
        ("DELETE", "/kb/articlesList", "GET, HEAD"),
        ("DELETE", "/userGroups", "GET, POST, HEAD"),
    ] {
        let answer = client.request(method, path).send();
        answer.problem(405, "0002");
        assert_eq!(answer.header("Allow"), Some(allowed), "{answer}");
    }
    server.request("POST", "/api/v2/tenants/msp_1/kb/category/create").send().unauthenticated();
    // An encoded letter leads to no other place.
    let id = text(&client.post("/kb/category/cre%61te", &json!({"name": "Encoded"})).ok()["id"]);
    client.get(&format!("//kb//categorylist/{id}")).list();
}

fn a_cursor_and_a_key_hold_on_either_path(server: &Server) {
    let client = server.new_client();
    for name in ["a", "b", "c"] {
        client.post("/userGroups", &json!({"name": name})).ok();
    }
    let first = client.get("/userGroups?pageSize=2").page();
    let cursor = text(&first["nextCursor"]);
    for path in ["/userGroups", "/userGroups/search"] {
        let next = client.get(&format!("{path}?pageSize=2&cursor={cursor}")).ok();
        assert_eq!(column(&next, "name"), ["c"], "{path}");
    }
    let key = unique("key");
    let body = json!({"name": "once"});
    let make = |path: &str| client.request("POST", path).header("Idempotency-Key", &key).json(&body).send();
    let first = make("/kb/category/create").ok();
    let again = make("/kb/category");
    assert_eq!((again.ok(), again.header("Idempotency-Replayed")), (first, Some("true")));
}
