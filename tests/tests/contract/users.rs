//! Users and user groups: who is there, who sees them, who is together with whom.

use muster_tests::{Client, Server, both_backends, unique, uuid};
use serde_json::{Value, json};

use super::text;

both_backends![
    a_user_is_created_read_changed_and_taken_out_of_use,
    login_names_are_unique_in_their_tenant,
    wrong_fields_of_a_user_are_all_named,
    users_are_searched_page_by_page,
    who_has_one_name_is_found_by_all_of_it,
    a_client_reads_its_partners_people_and_changes_none,
    a_group_has_members_of_the_tenant_and_its_partner,
    wrong_members_are_all_named_and_none_comes_in,
    concurrent_changes_of_members_lose_none,
    if_match_guards_users_and_groups,
    ids_that_are_none_are_not_found,
];

#[track_caller]
fn user(client: &Client, login: &str) -> String {
    text(&client.post("/users", &json!({"loginName": login})).ok()["id"])
}

#[track_caller]
fn group(client: &Client, name: &str, users: &[&str]) -> String {
    let users: Vec<Value> = users.iter().map(|id| json!({"id": id})).collect();
    text(&client.post("/userGroups", &json!({"name": name, "users": users})).ok()["uniqueId"])
}

/// The login names in the results of a page, or in a list.
#[track_caller]
fn logins(of: &Value) -> Vec<String> {
    let users = of.as_array().or_else(|| of["results"].as_array());
    users.map(|users| users.iter().map(|user| text(&user["loginName"])).collect()).unwrap_or_default()
}

fn a_user_is_created_read_changed_and_taken_out_of_use(server: &Server) {
    let client = server.new_client();
    let body = json!({"loginName": "ann.lee", "firstName": "Ann", "lastName": "Lee", "email": "ann@example.net",
        "phoneNumber": "+33 1 23", "mobileNumber": "+33 6 12"});
    let created = client.post("/users", &body).ok();
    let id = text(&created["id"]);
    assert!(id.len() == 13 && id.starts_with("USR") && id[3..].bytes().all(|byte| byte.is_ascii_digit()), "{id}");
    for (name, value) in body.as_object().into_iter().flatten() {
        assert_eq!(&created[name], value, "{name}");
    }
    assert_eq!(created["activated"], json!(true));
    let path = format!("/users/{id}");
    assert_eq!(client.get(&path).ok(), created);

    let changed = client.post(&path, &json!({"lastName": "Li", "phoneNumber": ""})).ok();
    assert_eq!((&changed["lastName"], &changed["firstName"]), (&json!("Li"), &json!("Ann")));
    assert!(changed.get("phoneNumber").is_none(), "{changed}");
    for (action, activated) in [("deactivate", false), ("deactivate", false), ("activate", true)] {
        assert_eq!(client.post_empty(&format!("{path}/{action}")).ok()["activated"], json!(activated));
        assert_eq!(client.get(&path).ok()["activated"], json!(activated));
    }
    let viewer = server.caller(client.tenant_id(), "viewer");
    assert_eq!(viewer.get(&path).ok()["loginName"], json!("ann.lee"));
    let integrator = server.caller(client.tenant_id(), "integrator");
    for caller in [&viewer, &integrator] {
        caller.post("/users", &json!({"loginName": "x"})).forbidden();
        caller.post(&path, &json!({"firstName": "x"})).forbidden();
        caller.post_empty(&format!("{path}/deactivate")).forbidden();
        caller.post("/userGroups", &json!({"name": "x"})).forbidden();
    }
}

fn login_names_are_unique_in_their_tenant(server: &Server) {
    let client = server.new_client();
    let other = server.new_client();
    let ann = user(&client, "Ann");
    client.post("/users", &json!({"loginName": "ANN"})).problem(409, "0004");
    let bob = user(&client, "bob");
    client.post(&format!("/users/{bob}"), &json!({"loginName": "ann"})).problem(409, "0004");
    assert_ne!(user(&other, "ann"), ann);
    client.post(&format!("/users/{ann}"), &json!({"loginName": "ANN"})).ok();
}

fn wrong_fields_of_a_user_are_all_named(server: &Server) {
    let client = server.new_client();
    client.post("/users", &json!({})).invalid(&["loginName"]);
    client.post("/users", &json!({"loginName": "api-1"})).invalid(&["loginName"]);
    let body = json!({"loginName": " ", "firstName": 7, "email": "nobody", "mobileNumber": "x".repeat(51)});
    client.post("/users", &body).invalid(&["loginName", "firstName", "email", "mobileNumber"]);
    client.post("/users", &json!([])).invalid(&["body"]);
    let ann = user(&client, "ann");
    client.post(&format!("/users/{ann}"), &json!({"loginName": ""})).invalid(&["loginName"]);
    assert_eq!(client.get("/users/search?queryString=loginName:ann").page()["totalResults"], json!(1));
}

fn who_has_one_name_is_found_by_all_of_it(server: &Server) {
    let client = server.new_client();
    for field in ["firstName", "lastName"] {
        let (login, name) = (unique("login"), unique("name"));
        client.post("/users", &json!({"loginName": login, field: name})).ok();
        let found = client.search("/users/search", &format!("name:{name}+isEquals:true")).page();
        assert_eq!(logins(&found), [login]);
    }
}

fn users_are_searched_page_by_page(server: &Server) {
    let client = server.new_client();
    let marker = unique("m").replace('-', "");
    for (login, last) in [("c", "Éclair"), ("a", "100%"), ("b", "O'Neil_")] {
        let body = json!({"loginName": format!("{login}{marker}"), "firstName": marker, "lastName": last,
            "email": format!("{login}@{marker}.net")});
        client.post("/users", &body).ok();
    }
    let found = |query: &str| {
        let names = logins(&client.search("/users/search?sortName=loginName", query).page());
        names.iter().map(|name| name.replace(&marker, "")).collect::<Vec<_>>()
    };
    assert_eq!(found(&format!("loginName:{}", marker.to_uppercase())), ["a", "b", "c"]);
    assert_eq!(found(&format!("email:B@+firstName:{marker}")), ["b"]);
    assert_eq!(found(&format!("lastName:éCLAIR+firstName:{marker}")), ["c"]);
    assert_eq!(found(&format!("lastName:%+firstName:{marker}")), ["a"]);
    assert_eq!(found(&format!("lastName:_+firstName:{marker}")), ["b"]);
    assert_eq!(found(&format!("name:{marker} o'neil")), ["b"]);
    assert_eq!(found(&format!("loginName:a{marker},b{marker}+isEquals:true")), ["a", "b"]);
    assert_eq!(found(&format!("firstName:{marker}+activated:false")), Vec::<String>::new());
    // By the names of the public service.
    assert_eq!(found(&format!("mailId:B@+firstName:{marker}+status:active")), ["b"]);
    assert_eq!(found(&format!("firstName:{marker}+status:inactive,active")).len(), 3);
    assert_eq!(found(&format!("firstName:{marker}+status:inactive")), Vec::<String>::new());
    assert_eq!(found(&format!("firstName:{marker}+startCreationDate:2036-01-01T00:00:00Z")), Vec::<String>::new());
    assert_eq!(found(&format!("firstName:{marker}+startUpdationDate:2020-01-01T00:00:00Z")).len(), 3);
    assert_eq!(found(&format!("firstName:{marker}+uniqueId:USR0")), Vec::<String>::new());
    let page = client.search(
        "/users/search?sortName=lastName&isDescendingOrder=true&pageSize=2&pageNo=2",
        &format!("firstName:{marker}"),
    );
    assert_eq!(logins(&page.page()).len(), 1);
    for wrong in ["?sortName=mobileNumber", "?queryString=nonsense:1", "?queryString=activated:maybe", "?pageSize=1001"]
    {
        client.get(&format!("/users/search{wrong}")).problem(400, "0002");
    }
}

fn a_client_reads_its_partners_people_and_changes_none(server: &Server) {
    let admin = server.admin();
    let client = server.new_client();
    let sibling = server.new_client();
    let of_partner = user(&admin, &unique("pat"));
    let group_of_partner = group(&admin, &unique("partners"), &[&of_partner]);
    let of_sibling = user(&sibling, "sid");
    let group_of_sibling = group(&sibling, "siblings", &[&of_sibling]);
    let caller = server.caller(client.tenant_id(), "admin");
    for path in [format!("/users/{of_partner}"), format!("/userGroups/{group_of_partner}")] {
        caller.get(&path).ok();
        caller.post(&path, &json!({})).not_found();
        caller.post_empty(&format!("{path}/deactivate")).not_found();
    }
    caller.get(&format!("/userGroups/{group_of_partner}/members")).page();
    caller.post(&format!("/userGroups/{group_of_partner}/members"), &json!([])).not_found();
    for path in [format!("/users/{of_sibling}"), format!("/userGroups/{group_of_sibling}")] {
        caller.get(&path).not_found();
        caller.post(&path, &json!({})).not_found();
    }
    assert_eq!(caller.search("/users/search", &format!("id:{of_sibling}")).page()["totalResults"], json!(0));
    assert_eq!(caller.search("/users/search", &format!("id:{of_partner}")).page()["totalResults"], json!(1));
    // The partner reads and changes its clients' people.
    assert_eq!(admin.search("/users/search", &format!("id:{of_sibling}")).page()["totalResults"], json!(1));
    admin.post(&format!("/users/{of_sibling}"), &json!({"firstName": "Sid"})).ok();
    assert_eq!(sibling.get(&format!("/users/{of_sibling}")).ok()["firstName"], json!("Sid"));
}

fn a_group_has_members_of_the_tenant_and_its_partner(server: &Server) {
    let admin = server.admin();
    let client = server.new_client();
    let ann = user(&client, "ann");
    let bob = user(&client, "bob");
    let pat = user(&admin, &unique("pat"));
    let body = json!({"name": "Nights", "description": "Second line", "users": [{"id": ann}, {"id": pat}]});
    let created = client.post("/userGroups", &body).ok();
    let id = text(&created["uniqueId"]);
    assert!(id.starts_with("USRGRP-") && id.len() == 43, "{id}");
    assert_eq!((&created["updatedTime"], &created["description"]), (&json!(""), &json!("Second line")));
    assert!(text(&created["createdTime"]).ends_with("+0000"));
    let path = format!("/userGroups/{id}");
    let members = format!("{path}/members");
    assert_eq!(client.get(&path).ok(), created);
    client.post("/userGroups", &json!({"name": "NIGHTS"})).problem(409, "0004");

    assert_eq!(client.post(&members, &json!([{"id": bob}, {"id": ann}])).ok(), json!({}));
    let read = client.get(&path).ok();
    assert_eq!(&logins(&read["users"])[..2], ["ann", "bob"]);
    assert!(text(&read["updatedTime"]) >= text(&created["createdTime"]));
    assert_eq!(client.delete_with(&members, &json!([{"id": ann}, {"id": pat}])).ok(), json!({}));
    assert_eq!(logins(&client.get(&members).page()), ["bob"]);
    let changed = client.post(&path, &json!({"name": "Days", "users": [{"id": ann}]})).ok();
    assert_eq!((&changed["name"], logins(&changed["users"])), (&json!("Days"), vec!["ann".to_owned()]));
    assert_eq!(client.post_empty(&format!("{path}/deactivate")).ok()["activated"], json!(false));

    let found = |query: &str| client.search("/userGroups/search", query).page()["totalResults"].clone();
    assert_eq!(found(&format!("userId:{ann}")), json!(1));
    assert_eq!(found(&format!("userId:{bob}")), json!(0));
    assert_eq!(found(&format!("name:day+activated:false+uniqueId:{id}")), json!(1));
    let page = client.search("/userGroups/search", &format!("uniqueId:{id}")).page();
    assert!(page["results"][0].get("users").is_none(), "{page}");
}

fn wrong_members_are_all_named_and_none_comes_in(server: &Server) {
    let client = server.new_client();
    let sibling = server.new_client();
    let ann = user(&client, "ann");
    let sid = user(&sibling, "sid");
    let id = group(&client, "Nights", &[]);
    let members = format!("/userGroups/{id}/members");
    let given = json!([{"id": ann}, {"id": sid}, {"id": "USR9999999999"}]);
    client.post(&members, &given).invalid(&["[1].id", "[2].id"]);
    client.delete_with(&members, &given).invalid(&["[1].id", "[2].id"]);
    client.post(&members, &json!([{}, 7])).invalid(&["[0].id", "[1]"]);
    client.post(&members, &json!({"id": ann})).invalid(&["body"]);
    let nested = json!({"name": "x", "users": [{"id": ann}, {"id": sid}]});
    client.post("/userGroups", &nested).invalid(&["users[1].id"]);
    client.post(&format!("/userGroups/{id}"), &nested).invalid(&["users[1].id"]);
    // A partner's group holds nobody of its clients.
    let of_partner = json!({"name": unique("x"), "users": [{"id": ann}]});
    server.admin().post("/userGroups", &of_partner).invalid(&["users[0].id"]);
    assert_eq!(logins(&client.get(&members).page()), Vec::<String>::new());
    assert_eq!(client.get("/userGroups/search?queryString=name:x").page()["totalResults"], json!(0));
}

fn concurrent_changes_of_members_lose_none(server: &Server) {
    let client = server.new_client();
    let users: Vec<String> = (0..12).map(|number| user(&client, &format!("u{number:02}"))).collect();
    let members = format!("/userGroups/{}/members", group(&client, "Crowd", &[]));
    std::thread::scope(|scope| {
        for id in &users {
            let client = client.clone();
            let members = &members;
            scope.spawn(move || client.post(members, &json!([{"id": id}])).ok());
        }
    });
    assert_eq!(client.get(&members).page()["totalResults"], json!(users.len()));
}

fn if_match_guards_users_and_groups(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "ann");
    let nights = format!("/userGroups/{}", group(&client, "Nights", &[]));
    for (path, change) in
        [(format!("/users/{ann}"), json!({"firstName": "A"})), (nights.clone(), json!({"description": "d"}))]
    {
        let tag = client.get(&path).header("ETag").map(ToOwned::to_owned).unwrap_or_default();
        assert!(!tag.is_empty(), "{path}");
        let update = |tag: &str| client.request("POST", &path).header("If-Match", tag).json(&change).send();
        update(&tag).ok();
        update(&tag).problem(412, "0004");
        client.request("POST", &format!("{path}/deactivate")).header("If-Match", &tag).send().problem(412, "0004");
        assert_eq!(client.get(&path).ok()["activated"], json!(true));
    }
    let stale = client.get(&nights).header("ETag").map(ToOwned::to_owned).unwrap_or_default();
    let add = |tag: &str| {
        let body = json!([{"id": ann}]);
        client.request("POST", &format!("{nights}/members")).header("If-Match", tag).json(&body).send()
    };
    add(&stale).ok();
    add(&stale).problem(412, "0004");
}

fn ids_that_are_none_are_not_found(server: &Server) {
    let client = server.new_client();
    for id in ["USR9999999999", "USR1", "usr0000000001", "1", "%00", "%F0%9F%98%80", "USR0000000001%27"] {
        client.get(&format!("/users/{id}")).not_found();
        client.post_empty(&format!("/users/{id}/deactivate")).not_found();
    }
    for id in [format!("USRGRP-{}", uuid()), uuid(), "USRGRP-".to_owned(), "%FF".to_owned()] {
        client.get(&format!("/userGroups/{id}")).not_found();
        client.get(&format!("/userGroups/{id}/members")).not_found();
        client.post(&format!("/userGroups/{id}/members"), &json!([])).not_found();
    }
}
