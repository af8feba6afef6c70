//! Undoing change sets of people, and of how they are reached: nobody is removed, and nobody gets more than a write
//! gives.

use muster_tests::{Browser, Client, Server, both_backends, unique};
use serde_json::{Value, json};

use super::{
    text,
    undos::{left, newest, refused, send, undo, undone},
};

both_backends![
    a_user_is_as_it_was,
    a_new_user_is_deactivated_with_its_sessions,
    an_undo_of_users_gives_no_more_than_a_write,
    a_group_of_people_is_as_it_was,
    a_new_group_of_people_is_deactivated,
    an_owner_is_as_it_was,
    a_contact_method_is_as_it_was,
    a_notification_rule_is_as_it_was,
];

#[track_caller]
fn user(client: &Client, role: &str) -> String {
    text(&client.post("/users", &json!({"loginName": unique("ann"), "role": role})).ok()["id"])
}

fn a_user_is_as_it_was(server: &Server) {
    let client = server.new_client();
    let body = json!({"loginName": unique("ann"), "firstName": "Ann", "lastName": "Lee", "email": "ann@example.net",
        "phoneNumber": "+33 1 23", "role": "operator"});
    let made = client.post("/users", &body).ok();
    let id = text(&made["id"]);
    let path = format!("/users/{id}");
    let told = |user: &Value| {
        ["id", "loginName", "firstName", "lastName", "email", "phoneNumber", "mobileNumber", "role", "activated"]
            .map(|field| user[field].clone())
    };
    let name = unique("change");
    let change = json!({"loginName": unique("bob"), "firstName": "", "email": "bob@example.net", "phoneNumber": "",
        "mobileNumber": "+33 6 12", "role": "admin"});
    send(&client, &name, &path, &change);
    send(&client, &name, &format!("{path}/deactivate"), &json!({}));
    let set = newest(&client, &name);
    assert_eq!(left(&client, &set), Value::Null);
    let after = client.get(&path).ok();
    let (objects, first) = undone(&client, &set);
    assert_eq!((objects, told(&client.get(&path).ok())), (1, told(&made)));
    undone(&client, &first);
    assert_eq!(told(&client.get(&path).ok()), told(&after));

    let renamed = unique("change");
    let other = unique("eve");
    send(&client, &renamed, &path, &json!({"loginName": other}));
    client.post("/users", &json!({"loginName": text(&after["loginName"]).to_uppercase()})).ok();
    let reason = refused(&client, &newest(&client, &renamed), &format!("User {id}"));
    assert!(reason.contains("login name"), "{reason}");
    assert_eq!(client.get(&path).ok()["loginName"], json!(other));
}

fn a_new_user_is_deactivated_with_its_sessions(server: &Server) {
    let client = server.new_client();
    let name = unique("hire");
    let made = send(&client, &name, "/users", &json!({"loginName": unique("ann"), "role": "viewer"}));
    let id = text(&made["id"]);
    let session = session(server, &client, &id);
    session.get("/sites/minimal").list();
    let set = newest(&client, &name);
    assert_eq!(left(&client, &set), json!(["the user, who is deactivated and stays"]));
    let (_, first) = undone(&client, &set);
    assert_eq!(client.get(&format!("/users/{id}")).ok()["activated"], json!(false));
    session.get("/sites/minimal").unauthenticated();
    undo(&client, &set).problem(409, "0004");
    // In use again, and signed in nowhere.
    undone(&client, &first);
    assert_eq!(client.get(&format!("/users/{id}")).ok()["activated"], json!(true));
    session.get("/sites/minimal").unauthenticated();
}

/// A person's session as a caller like those with keys.
fn session(server: &Server, client: &Client, user: &str) -> Client {
    let url = text(&client.post_empty(&format!("/users/{user}/signInLink")).ok()["url"]);
    client.with_cookie(&Browser::sign_in(server, &url).cookie)
}

/// A caller with a key that may undo change sets and deactivate users, and nothing else.
fn narrow(server: &Server, client: &Client) -> Client {
    let body = json!({"name": unique("key"), "role": "admin", "operations": ["undoChangeSet", "deactivateUser"]});
    let key = client.post("/apiKeys", &body).ok();
    client.with_token(&server.token(&text(&key["key"]), &text(&key["secret"])))
}

fn an_undo_of_users_gives_no_more_than_a_write(server: &Server) {
    let client = server.new_client();
    let narrow = narrow(server, &client);
    let (viewer, operator) = (user(&client, "viewer"), user(&client, "operator"));
    // A restricted key takes back nothing that others did, and of its own what it may do: it activates no operator.
    let name = unique("change");
    send(&client, &name, &format!("/users/{viewer}"), &json!({"firstName": "Eve"}));
    undo(&narrow, &newest(&client, &name)).forbidden();
    for (id, is_refused) in [(&viewer, false), (&operator, true)] {
        let name = unique("change");
        send(&narrow, &name, &format!("/users/{id}/deactivate"), &json!({}));
        let set = newest(&client, &name);
        match is_refused {
            true => drop(refused(&narrow, &set, &format!("User {id}"))),
            false => drop(undone(&narrow, &set)),
        }
        assert_eq!(client.get(&format!("/users/{id}")).ok()["activated"], json!(!is_refused));
    }
    // A role that an undo takes away is gone at once.
    let name = unique("promote");
    send(&client, &name, &format!("/users/{viewer}"), &json!({"role": "admin"}));
    let session = session(server, &client, &viewer);
    session.get("/apiKeys").list();
    undone(&client, &newest(&client, &name));
    session.get("/apiKeys").forbidden();
    // A client undoes nothing of its partner.
    let partner = server.admin();
    let name = unique("partner");
    let above = text(&send(&partner, &name, "/users", &json!({"loginName": unique("eve")}))["id"]);
    undo(&client, &newest(&partner, &name)).not_found();
    assert_eq!(partner.get(&format!("/users/{above}")).ok()["activated"], json!(true));
    // The partner undoes what its client did.
    let name = unique("client");
    let below = text(&send(&client, &name, "/users", &json!({"loginName": unique("ann")}))["id"]);
    undone(&partner, &newest(&client, &name));
    assert_eq!(client.get(&format!("/users/{below}")).ok()["activated"], json!(false));
}

/// Name, description, state and members of a group.
#[track_caller]
fn group(client: &Client, path: &str) -> [Value; 4] {
    let group = client.get(path).ok();
    let members = group["users"].as_array().expect("users").iter().map(|user| user["id"].clone());
    let mut members: Vec<String> = members.map(|id| text(&id)).collect();
    members.sort();
    [group["name"].clone(), group["description"].clone(), group["activated"].clone(), json!(members)]
}

fn a_group_of_people_is_as_it_was(server: &Server) {
    let client = server.new_client();
    // More people than the log would tell in one value.
    let people: Vec<Value> = (0..120).map(|_| json!({"id": user(&client, "viewer")})).collect();
    let partner = text(&server.admin().post("/users", &json!({"loginName": unique("eve")})).ok()["id"]);
    let body = json!({"name": unique("night"), "description": "before", "users": people[..100]});
    let id = text(&client.post("/userGroups", &body).ok()["uniqueId"]);
    let path = format!("/userGroups/{id}");
    let before = group(&client, &path);
    let name = unique("change");
    send(&client, &name, &path, &json!({"name": unique("day"), "description": "", "users": people[..10]}));
    send(&client, &name, &format!("{path}/members"), &json!([people[110], {"id": partner}]));
    send(&client, &name, &format!("{path}/deactivate"), &json!({}));
    let set = newest(&client, &name);
    assert_eq!(left(&client, &set), Value::Null);
    let after = group(&client, &path);
    let (objects, first) = undone(&client, &set);
    assert_eq!((objects, group(&client, &path)), (1, before.clone()));
    undone(&client, &first);
    assert_eq!(group(&client, &path), after);
    // The log names those who came or went, each by itself.
    let rows = client.search("/auditLog/search", &format!("entityId:{id}")).page();
    let changes = &rows["results"][0]["changes"];
    assert_eq!(changes[format!("users.{partner}")]["before"], Value::Null, "{changes}");
    assert!(changes[format!("users.{partner}")]["after"].is_string(), "{changes}");

    let renamed = unique("change");
    send(&client, &renamed, &path, &json!({"name": unique("other")}));
    client.post("/userGroups", &json!({"name": after[0]})).ok();
    let reason = refused(&client, &newest(&client, &renamed), &format!("UserGroup {id}"));
    assert!(reason.contains("already exists"), "{reason}");
}

fn a_new_group_of_people_is_deactivated(server: &Server) {
    let client = server.new_client();
    let name = unique("create");
    let users = json!([{"id": user(&client, "viewer")}]);
    let made = send(&client, &name, "/userGroups", &json!({"name": unique("night"), "users": users}));
    let path = format!("/userGroups/{}", text(&made["uniqueId"]));
    let before = group(&client, &path);
    let set = newest(&client, &name);
    assert_eq!(left(&client, &set), json!(["the group, which is deactivated and stays"]));
    let (_, first) = undone(&client, &set);
    assert_eq!((&group(&client, &path)[2], &group(&client, &path)[3]), (&json!(false), &before[3]));
    undone(&client, &first);
    assert_eq!(group(&client, &path), before);
}

fn an_owner_is_as_it_was(server: &Server) {
    let client = server.new_client();
    let group = || text(&client.post("/userGroups", &json!({"name": unique("team")})).ok()["uniqueId"]);
    let (one, other) = (group(), group());
    let site = client.post("/sites", &json!({"name": "Graz"})).ok()["id"].clone();
    let machine = super::device(&client, "web-01");
    let targets = [("site", json!({"id": site})), ("resource", json!({"id": machine})), ("default", json!(true))];
    for (kind, target) in targets {
        let body = |group: &str| json!({kind: target, "userGroup": {"uniqueId": group}});
        let owner = |id: &str| client.search("/owners/search", &format!("id:{id}")).page()["results"][0].clone();
        let told = |owner: &Value| ["id", "kind", "target", "userGroup"].map(|field| owner[field].clone());
        let made = client.post("/owners", &body(&one)).ok();
        let id = text(&made["id"]);
        // Made, changed and deleted; each undone, and the undo undone.
        let (_, gone) = undone(&client, &newest(&client, ""));
        assert_eq!(owner(&id), Value::Null);
        undone(&client, &gone);
        assert_eq!(told(&owner(&id)), told(&made), "{kind}");
        client.post("/owners", &body(&other)).ok();
        let (_, back) = undone(&client, &newest(&client, ""));
        assert_eq!(told(&owner(&id)), told(&made), "{kind}");
        undone(&client, &back);
        assert_eq!(owner(&id)["userGroup"]["uniqueId"], json!(other));
        client.delete(&format!("/owners/{id}")).ok();
        let set = newest(&client, "");
        assert_eq!(left(&client, &set), Value::Null);
        client.post("/owners", &body(&one)).ok();
        assert!(refused(&client, &set, &format!("Owner {id}")).contains("another owner"));
        client.post("/owners", &json!({kind: target})).ok();
        let (_, again) = undone(&client, &set);
        assert_eq!(owner(&id)["userGroup"]["uniqueId"], json!(other));
        undone(&client, &again);
        assert_eq!(owner(&id), Value::Null);
    }
    // What was owned is gone.
    let kept = client.post("/owners", &json!({"site": {"id": site}, "userGroup": {"uniqueId": one}})).ok();
    client.post("/owners", &json!({"site": {"id": site}})).ok();
    let set = newest(&client, "");
    client.delete(&format!("/sites/{site}")).ok();
    assert!(refused(&client, &set, &format!("Owner {}", text(&kept["id"]))).contains("site"));
}

/// The values of these fields.
fn fields(of: &Value, names: &[&str]) -> Vec<Value> {
    names.iter().map(|name| of[name].clone()).collect()
}

fn a_contact_method_is_as_it_was(server: &Server) {
    let client = server.new_client();
    let person = user(&client, "operator");
    let methods = format!("/users/{person}/contactMethods");
    let shown = ["id", "name", "type", "preset", "host", "address", "chatId", "template", "contentType", "verified"];
    let told = |path: &str| fields(&client.get(path).ok(), &shown);
    // A mail comes back whole, verified as it was.
    let mail = json!({"name": "Mail", "type": "EMAIL", "address": "ann@example.net", "verified": true});
    let mail = format!("{methods}/{}", text(&client.post(&methods, &mail).ok()["id"]));
    let before = told(&mail);
    let name = unique("change");
    send(&client, &name, &mail, &json!({"name": "Other", "address": "bob@example.net"}));
    let set = newest(&client, &name);
    assert_eq!((left(&client, &set), &client.get(&mail).ok()["verified"]), (Value::Null, &json!(false)));
    let (_, first) = undone(&client, &set);
    assert_eq!(told(&mail), before);
    undone(&client, &first);
    assert_eq!(fields(&client.get(&mail).ok(), &["address", "verified"]), [json!("bob@example.net"), json!(false)]);
    client.post(&mail, &json!({"verified": true})).ok();
    undone(&client, &newest(&client, ""));
    assert_eq!(client.get(&mail).ok()["verified"], json!(false));
    let before = told(&mail);
    client.delete(&mail).ok();
    let set = newest(&client, "");
    assert_eq!(left(&client, &set), Value::Null);
    let id = mail.rsplit('/').next().expect("an id");
    undo(&narrow(server, &client), &set).forbidden();
    let (_, first) = undone(&client, &set);
    assert_eq!(told(&mail), before);
    let (_, second) = undone(&client, &first);
    client.get(&mail).not_found();
    // There is room for 20.
    for number in 0..20 {
        client.post(&methods, &json!({"name": format!("m{number}"), "type": "EMAIL", "address": "a@example.net"})).ok();
    }
    assert!(refused(&client, &second, &format!("ContactMethod {id}")).contains("at most 20"));

    // A URL is a secret: what leads elsewhere goes on to do so, and is not called verified.
    let other = user(&client, "operator");
    let methods = format!("/users/{other}/contactMethods");
    let hook = json!({"name": "Hook", "type": "HTTP", "url": "https://example.net/secret", "verified": true,
        "template": "{\"text\": {{ title|json }}}"});
    let hook = format!("{methods}/{}", text(&client.post(&methods, &hook).ok()["id"]));
    let before = told(&hook);
    let name = unique("change");
    send(&client, &name, &hook, &json!({"name": "Other", "template": ""}));
    undone(&client, &newest(&client, &name));
    assert_eq!(told(&hook), before);
    let name = unique("change");
    send(&client, &name, &hook, &json!({"name": "Other", "url": "https://example.org/secret"}));
    let set = newest(&client, &name);
    assert_eq!(left(&client, &set), json!(["url", "verified"]));
    undone(&client, &set);
    let now = fields(&client.get(&hook).ok(), &["name", "host", "verified"]);
    assert_eq!(now, [json!("Hook"), json!("example.org"), json!(false)]);
    client.delete(&hook).ok();
    undo(&client, &newest(&client, "")).problem(409, "0004");
    // A new one goes.
    let name = unique("create");
    let new = json!({"name": "New", "type": "HTTP", "url": "https://example.net/secret"});
    let new = format!("{methods}/{}", text(&send(&client, &name, &methods, &new)["id"]));
    undone(&client, &newest(&client, &name));
    client.get(&new).not_found();
}

fn a_notification_rule_is_as_it_was(server: &Server) {
    let client = server.new_client();
    let person = user(&client, "operator");
    let at = |what: &str| format!("/users/{person}/{what}");
    let mail = json!({"name": "Mail", "type": "EMAIL", "address": "ann@example.net"});
    let method = text(&client.post(&at("contactMethods"), &mail).ok()["id"]);
    let rules = at("notificationRules");
    let of = |urgency: &str| {
        let all = client.get(&rules).list();
        all.into_iter().find(|rule| rule["urgency"] == json!(urgency)).expect("a rule")
    };
    let unsaid = of("low");
    let rule = json!({"urgency": "low", "steps": [{"contactMethod": {"id": method}, "after": "5m"}],
        "quietHours": {"from": "22:00", "to": "07:00", "timeZone": "Europe/Vienna"}, "beforeShift": "30m"});
    let first = client.post(&rules, &rule).ok();
    let (_, gone) = undone(&client, &newest(&client, ""));
    assert_eq!(of("low"), unsaid);
    undone(&client, &gone);
    assert_eq!(of("low"), first);
    let second = client.post(&rules, &json!({"urgency": "low", "steps": []})).ok();
    let set = newest(&client, "");
    let (_, back) = undone(&client, &set);
    assert_eq!(of("low"), first);
    undone(&client, &back);
    assert_eq!(of("low"), second);
    // A contact method that it named is gone.
    client.post(&rules, &rule).ok();
    client.post(&rules, &json!({"urgency": "low", "steps": []})).ok();
    let set = newest(&client, "");
    client.delete(&at(&format!("contactMethods/{method}"))).ok();
    let reason = refused(&client, &set, &format!("NotificationRule {person}:low"));
    assert!(reason.contains("contactMethod"), "{reason}");
}
