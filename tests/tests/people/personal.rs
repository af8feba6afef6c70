//! Roles of users, and keys that act as a person: never more than that one, and no longer.

use muster_tests::{Server, both_backends, unique, uuid};
use serde_json::json;

use super::{audit, caller, key, person, personal, text};

both_backends![
    a_user_has_a_role,
    a_caller_is_told_who_it_is,
    what_a_person_does_is_by_that_person,
    a_personal_key_may_no_more_than_its_user,
    a_personal_key_ends_with_its_user,
    a_personal_key_is_of_a_person_of_its_tenant,
    a_personal_key_is_no_last_admin_key,
    a_narrow_key_raises_nobody,
    a_narrow_key_acts_for_nobody_else,
    a_narrow_key_hands_out_nothing_that_outlives_it,
    the_user_of_a_program_stays_one,
];

fn a_user_has_a_role(server: &Server) {
    let client = server.new_client();
    let plain = client.post("/users", &json!({"loginName": unique("plain")})).ok();
    assert_eq!(plain["role"], json!("viewer"));
    let id = person(&client, "operator");
    let path = format!("/users/{id}");
    assert_eq!(client.get(&path).ok()["role"], json!("operator"));
    assert_eq!(client.post(&path, &json!({"lastName": "Li"})).ok()["role"], json!("operator"));
    assert_eq!(client.post(&path, &json!({"role": "ADMIN"})).ok()["role"], json!("admin"));
    client.post(&path, &json!({"role": "root"})).invalid(&["role"]);
    client.post("/users", &json!({"loginName": "x", "role": ""})).invalid(&["role"]);
    let found = client.search("/users/search", &format!("id:{id}")).page();
    assert_eq!(found["results"][0]["role"], json!("admin"));
    let rows = audit(&client, &id);
    assert_eq!(rows[0]["changes"]["role"], json!({"before": "operator", "after": "admin"}), "{rows:?}");
    for role in ["viewer", "operator", "integrator"] {
        let caller = server.caller(client.tenant_id(), role);
        caller.post("/users", &json!({"loginName": unique("x"), "role": "viewer"})).forbidden();
        caller.post(&path, &json!({"role": "viewer"})).forbidden();
    }
}

fn a_caller_is_told_who_it_is(server: &Server) {
    let client = server.new_client();
    let id = person(&client, "operator");
    let ann = personal(server, &client, &id, "viewer");
    let me = ann.absolute("GET", "/api/v2/me").send().ok();
    assert_eq!((&me["user"]["id"], &me["user"]["firstName"]), (&json!(id), &json!("Ann")));
    assert_eq!((&me["tenant"], &me["role"]), (&json!(client.tenant_id()), &json!("viewer")));
    assert!(me.get("operations").is_none() && me.get("expires").is_none(), "{me}");
    let named = json!({"role": "operator", "userId": id, "operations": ["getMe", "searchAlerts"],
        "expiresAt": "2099-01-01T00:00:00Z"});
    let narrow = caller(server, &client, &key(&client, &named));
    let me = narrow.absolute("GET", "/api/v2/me").send().ok();
    assert_eq!((&me["operations"], &me["role"]), (&json!(["getMe", "searchAlerts"]), &json!("operator")));
    assert_eq!(me["expires"], json!("2099-01-01T00:00:00+0000"));
    // At a partner it is the partner that is told, and a program is told its own user.
    let me = server.admin().absolute("GET", "/api/v2/me").send().ok();
    assert_eq!((&me["tenant"], &me["role"]), (&json!("msp_1"), &json!("admin")));
    assert!(text(&me["user"]["loginName"]).starts_with("api-"), "{me}");
    server.get("/api/v2/me").unauthenticated();
    server.admin().absolute("GET", "/api/v2/me?x=1").send().invalid(&["x"]);
}

fn what_a_person_does_is_by_that_person(server: &Server) {
    let client = server.new_client();
    let id = person(&client, "operator");
    let login = text(&client.get(&format!("/users/{id}")).ok()["loginName"]);
    let ann = personal(server, &client, &id, "operator");
    let report = json!({"currentState": "Critical", "subject": "disk", "metric": "disk", "device": {"hostName": "h"}});
    let alert = text(&ann.post("/alert", &report).ok()["id"]);
    let acknowledged = ann.post(&format!("/alerts/{alert}/actions/acknowledge"), &json!({})).ok();
    assert!(acknowledged.to_string().contains(&login), "an acknowledgement says by whom: {acknowledged}");
    let closed = ann.post(&format!("/alerts/{alert}/actions/close"), &json!({})).ok();
    assert!(closed.to_string().contains(&login), "{closed}");
    let site = ann.post("/sites", &json!({"name": unique("site")})).ok();
    for entity in [alert, site["id"].to_string()] {
        let rows = audit(&client, &entity);
        assert!(!rows.is_empty() && rows.iter().all(|row| row["userId"] == json!(id)), "{rows:?}");
    }
}

fn a_personal_key_may_no_more_than_its_user(server: &Server) {
    let client = server.new_client();
    let id = person(&client, "operator");
    // Not at its creation.
    let body = json!({"name": "more", "role": "admin", "userId": id});
    client.post("/apiKeys", &body).invalid(&["role"]);
    let made = key(&client, &json!({"role": "operator", "userId": id}));
    assert_eq!((&made["userId"], &made["personal"]), (&json!(id), &json!(true)));
    let ann = caller(server, &client, &made);
    // An operator's personal key makes no admin's, and raises nobody.
    for role in ["admin", "operator", "viewer"] {
        ann.post("/apiKeys", &json!({"name": unique("x"), "role": role})).forbidden();
        ann.post("/apiKeys", &json!({"name": unique("x"), "role": role, "userId": id})).forbidden();
        ann.post(&format!("/users/{id}"), &json!({"role": role})).forbidden();
    }
    ann.post("/sites", &json!({"name": unique("site")})).ok();
    // Nor later, when its user may less; at once, with the token that it has.
    client.post(&format!("/users/{id}"), &json!({"role": "viewer"})).ok();
    ann.post("/sites", &json!({"name": unique("site")})).forbidden();
    ann.get("/sites/minimal").list();
    let basic = || {
        let path = format!("/api/v2/tenants/{}/sites", client.tenant_id());
        let request = server.request("POST", &path).basic(&text(&made["key"]), &text(&made["secret"]));
        request.json(&json!({"name": unique("site")})).send()
    };
    basic().forbidden();
    client.post(&format!("/users/{id}"), &json!({"role": "admin"})).ok();
    // The key stays what it was made for.
    ann.get("/apiKeys").forbidden();
    basic().ok();
}

fn a_personal_key_ends_with_its_user(server: &Server) {
    let client = server.new_client();
    let id = person(&client, "admin");
    let made = key(&client, &json!({"role": "admin", "userId": id}));
    let ann = caller(server, &client, &made);
    let key_id = text(&made["key"]);
    let secret = text(&made["secret"]);
    let path = format!("/api/v2/tenants/{}/sites/minimal", client.tenant_id());
    let basic = || server.request("GET", &path).basic(&key_id, &secret).send();
    let form = format!("grant_type=client_credentials&client_id={key_id}&client_secret={secret}");
    let ask =
        || server.request("POST", "/auth/oauth/token").body("application/x-www-form-urlencoded", form.clone()).send();
    ann.get("/apiKeys").list();
    basic().list();
    client.post_empty(&format!("/users/{id}/deactivate")).ok();
    ann.get("/sites/minimal").unauthenticated();
    basic().unauthenticated();
    assert_eq!(ask().status, 401);
    client.post("/apiKeys", &json!({"name": unique("late"), "role": "viewer", "userId": id})).invalid(&["userId"]);
    // A user who is active again needs a new key.
    client.post_empty(&format!("/users/{id}/activate")).ok();
    ann.get("/sites/minimal").unauthenticated();
    basic().unauthenticated();
    assert_eq!(ask().status, 401);
    client.get(&format!("/apiKeys/{}", text(&made["id"]))).not_found();
    let rows = audit(&client, &text(&made["id"]));
    assert_eq!(rows[0]["action"], json!("DELETE"), "{rows:?}");
}

fn a_personal_key_is_of_a_person_of_its_tenant(server: &Server) {
    let client = server.new_client();
    let other = server.new_client();
    let of_partner = person(&server.admin(), "viewer");
    let of_other = person(&other, "viewer");
    let program = text(&key(&client, &json!({"role": "viewer"}))["userId"]);
    for wrong in [of_partner.as_str(), &of_other, &program, "USR9999999999", "ann", &uuid()] {
        let body = json!({"name": unique("key"), "role": "viewer", "userId": wrong});
        client.post("/apiKeys", &body).invalid(&["userId"]);
    }
    let own = person(&client, "viewer");
    assert_eq!(key(&client, &json!({"role": "viewer", "userId": own}))["userId"], json!(own));
    // A partner's admin makes them for its clients' people, at the client.
    server
        .admin()
        .post("/apiKeys", &json!({"name": unique("k"), "role": "viewer", "userId": own}))
        .invalid(&["userId"]);
}

fn a_personal_key_is_no_last_admin_key(server: &Server) {
    let made = muster_tests::Server::start(server.backend);
    let admin = made.admin();
    let id = person(&admin, "admin");
    key(&admin, &json!({"role": "admin", "userId": id}));
    let first = admin.get("/apiKeys").list();
    let first = first.iter().find(|listed| listed["personal"] == json!(false)).unwrap();
    // It ends with its user, and nobody could make another.
    admin.delete(&format!("/apiKeys/{}", text(&first["id"]))).problem(409, "0004");
}

fn a_narrow_key_raises_nobody(server: &Server) {
    let client = server.new_client();
    let viewer = person(&client, "viewer");
    let operator = person(&client, "operator");
    let operations = ["createUser", "updateUser", "activateUser", "deactivateUser", "createApiKey"];
    let narrow = caller(server, &client, &key(&client, &json!({"role": "admin", "operations": operations})));
    narrow.post("/users", &json!({"loginName": unique("n")})).ok();
    narrow.post("/users", &json!({"loginName": unique("n"), "role": "operator"})).forbidden();
    narrow.post(&format!("/users/{viewer}"), &json!({"lastName": "Li"})).ok();
    narrow.post(&format!("/users/{viewer}"), &json!({"role": "admin"})).forbidden();
    // Nor does it take over somebody who may more, by the address or the name that one signs in with.
    narrow.post(&format!("/users/{operator}"), &json!({"email": "mine@example.net"})).forbidden();
    narrow.post_empty(&format!("/users/{operator}/deactivate")).ok();
    narrow.post_empty(&format!("/users/{operator}/activate")).forbidden();
    // What it may, it does not do in somebody else's name.
    let body = json!({"name": unique("k"), "role": "admin", "userId": viewer, "operations": ["createUser"]});
    narrow.post("/apiKeys", &body).forbidden();
}

fn the_user_of_a_program_stays_one(server: &Server) {
    let client = server.new_client();
    let made = key(&client, &json!({"role": "operator"}));
    let path = format!("/users/{}", text(&made["userId"]));
    assert_eq!(client.get(&path).ok()["role"], json!("operator"));
    client.post(&path, &json!({"role": "admin"})).problem(409, "0004");
    client.post(&path, &json!({"loginName": unique("ann")})).problem(409, "0004");
    assert_eq!(client.post(&path, &json!({"firstName": "Agents"})).ok()["firstName"], json!("Agents"));
}

/// What is a person's own is theirs: a restricted key has its own user's, whatever the role of the key.
fn a_narrow_key_acts_for_nobody_else(server: &Server) {
    let client = server.new_client();
    let admin = person(&client, "admin");
    let narrowed = |operations: &[&str]| {
        let made = key(&client, &json!({"role": "admin", "operations": operations}));
        (caller(server, &client, &made), text(&made["userId"]))
    };
    // Its personal keys, also such that may do no more than the restricted one.
    let (rotates, _) = narrowed(&["rotateApiKey", "listMinimalSites"]);
    for operations in [json!(["rotateApiKey"]), json!(["listMinimalSites"])] {
        let personal = key(&client, &json!({"role": "admin", "userId": admin, "operations": operations}));
        rotates.post_empty(&format!("/apiKeys/{}/rotate", text(&personal["id"]))).forbidden();
        server.token(&text(&personal["key"]), &text(&personal["secret"]));
    }
    let whole = key(&client, &json!({"role": "admin", "userId": admin}));
    rotates.post_empty(&format!("/apiKeys/{}/rotate", text(&whole["id"]))).forbidden();
    let programs = key(&client, &json!({"role": "admin", "operations": ["listMinimalSites"]}));
    rotates.post_empty(&format!("/apiKeys/{}/rotate", text(&programs["id"]))).ok();
    // How it is reached, and when.
    let (reaches, own) = narrowed(&[
        "createContactMethod",
        "listContactMethods",
        "getContactMethod",
        "updateContactMethod",
        "deleteContactMethod",
        "sendContactMethodCode",
        "verifyContactMethod",
        "listNotificationRules",
        "setNotificationRule",
    ]);
    let method = json!({"name": "mine", "type": "EMAIL", "address": "mine@example.net", "verified": true});
    let theirs = text(&client.post(&format!("/users/{admin}/contactMethods"), &method).ok()["id"]);
    let at = |user: &str| format!("/users/{user}/contactMethods");
    let one = format!("{}/{theirs}", at(&admin));
    reaches.post(&at(&admin), &method).forbidden();
    reaches.get(&at(&admin)).forbidden();
    reaches.get(&one).forbidden();
    reaches.post(&one, &json!({"address": "mine@example.org", "verified": true})).forbidden();
    reaches.delete(&one).forbidden();
    reaches.post_empty(&format!("{one}/sendCode")).forbidden();
    reaches.post(&format!("{one}/verify"), &json!({"code": "000000"})).forbidden();
    reaches.get(&format!("/users/{admin}/notificationRules")).forbidden();
    let rule = json!({"urgency": "high", "steps": []});
    reaches.post(&format!("/users/{admin}/notificationRules"), &rule).forbidden();
    assert_eq!(client.get(&at(&admin)).list().len(), 1);
    reaches.post(&at(&own), &method).ok();
    reaches.post(&format!("/users/{own}/notificationRules"), &rule).ok();
    // The address by which it signs in at an issuer, and its calendar.
    let viewer = person(&client, "viewer");
    let (people, _) = narrowed(&["createUser", "updateUser"]);
    people.post(&format!("/users/{viewer}"), &json!({"email": "mine@example.net"})).forbidden();
    people.post(&format!("/users/{viewer}"), &json!({"lastName": "Li", "email": ""})).ok();
    people.post("/users", &json!({"loginName": unique("n"), "email": "mine@example.net"})).forbidden();
    people.post("/users", &json!({"loginName": unique("n")})).ok();
    let (calendars, own) = narrowed(&["createUserCalendar"]);
    calendars.post_empty(&format!("/rosters/users/{viewer}/calendars")).forbidden();
    calendars.post_empty(&format!("/rosters/users/{own}/calendars")).ok();
}

fn a_narrow_key_hands_out_nothing_that_outlives_it(server: &Server) {
    let client = server.new_client();
    let operations = json!([
        "createApiKey",
        "rotateApiKey",
        "createInboundAddress",
        "reportAlert",
        "reportAlerts",
        "reportAlertmanagerAlerts"
    ]);
    let end = "2099-01-01T00:00:00Z";
    let ending = key(&client, &json!({"role": "admin", "operations": operations, "expiresAt": end}));
    let ending = caller(server, &client, &ending);
    let new = |more: serde_json::Value| {
        let mut body = json!({"name": unique("key"), "role": "admin", "operations": ["createApiKey"]});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    ending.post("/apiKeys", &new(json!({}))).forbidden();
    ending.post("/apiKeys", &new(json!({"expiresAt": "2099-01-01T00:00:01Z"}))).forbidden();
    let made = ending.post("/apiKeys", &new(json!({"expiresAt": end}))).ok();
    ending.post_empty(&format!("/apiKeys/{}/rotate", text(&made["id"]))).ok();
    let lasting = client.post("/apiKeys", &new(json!({}))).ok();
    ending.post_empty(&format!("/apiKeys/{}/rotate", text(&lasting["id"]))).forbidden();
    ending.post("/inbound", &json!({"name": unique("monitor")})).forbidden();
    // A person's ends with the person, and so does all that it hands out.
    let id = person(&client, "admin");
    let of_person =
        key(&client, &json!({"role": "admin", "operations": ["createApiKey", "rotateApiKey"], "userId": id}));
    let of_person = caller(server, &client, &of_person);
    of_person.post("/apiKeys", &new(json!({}))).forbidden();
    of_person.post_empty(&format!("/apiKeys/{}/rotate", text(&lasting["id"]))).forbidden();
    of_person.post("/apiKeys", &new(json!({"userId": id}))).ok();
}
