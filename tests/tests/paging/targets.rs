//! Whom a step means, and which alerts a route takes, by what is known of the machine.

use std::time::Duration;

use muster_tests::{Client, Server, both_backends, receiver::wait_for, unique};
use serde_json::{Value, json};

use super::{person, text};

both_backends![
    a_level_of_a_roster_is_told_alone,
    a_service_group_has_an_owner,
    routes_ask_what_is_known_of_the_machine,
    a_client_is_told_nothing_of_its_partners_roster,
    a_partners_policy_tells_the_owner_of_a_clients_machine,
    an_integration_that_is_not_called_is_a_gap,
];

/// The people of each step, in a policy of these steps that takes every alert.
fn told(client: &Client, steps: &Value) -> Vec<Vec<String>> {
    let policy = client.post("/escalationPolicies", &json!({"name": unique("policy"), "steps": steps})).ok();
    let route = json!({"name": unique("all"), "isDefault": true, "policy": {"id": policy["id"]}});
    let route = client.post("/alertRoutes", &route).ok();
    let report = json!({"alert": {"currentState": "Critical", "subject": "x"}});
    let explained = client.post("/paging/explain", &report).ok();
    client.delete(&format!("/alertRoutes/{}", text(&route["id"]))).ok();
    let users = |target: &Value| -> Vec<String> {
        target["users"].as_array().unwrap().iter().map(|user| text(&user["id"])).collect()
    };
    let steps = explained["steps"].as_array().unwrap();
    steps.iter().map(|step| step["targets"].as_array().unwrap().iter().flat_map(users).collect()).collect()
}

fn a_level_of_a_roster_is_told_alone(server: &Server) {
    let client = server.new_client();
    let first = person(&client);
    let second = person(&client);
    let always = person(&client);
    let shift = |name: &str, user: &str, level: Option<&str>| {
        let schedule =
            json!({"type": "one-time", "startDate": "2020-01-01T00:00:00Z", "endDate": "2120-01-01T00:00:00Z"});
        let mut shift = json!({"name": name, "users": [{"id": user}], "userGroups": [], "schedule": schedule});
        if let Some(level) = level {
            shift["level"] = json!(level);
        }
        shift
    };
    let roster = |shifts: Value| {
        let roster = json!({"name": unique("roster"), "description": "of levels", "timeZone": {"name": "GMT"},
            "shiftDetails": shifts});
        text(&client.post("/rosters", &roster).ok()["id"])
    };
    let both = roster(json!([
        shift("a", &first, Some("primary")),
        shift("b", &second, Some("secondary")),
        shift("c", &always, None)
    ]));
    let plain = roster(json!([shift("a", &always, None)]));
    let target = |roster: &str, level: Value| json!({"targets": [{"roster": {"id": roster}, "level": level}]});
    let steps = json!([
        target(&both, json!(1)),
        target(&both, json!("Secondary")),
        target(&both, Value::Null),
        target(&plain, json!("primary")),
        target(&plain, json!(2))
    ]);
    let mut all = vec![first.clone(), second.clone(), always.clone()];
    let mut found = told(&client, &steps);
    all.sort();
    found.iter_mut().for_each(|people| people.sort());
    let mut primary = vec![first, always.clone()];
    primary.sort();
    assert_eq!(found, [primary, vec![second], all, vec![always], vec![]]);
    // A level that nobody has is a gap, and said to be one.
    let policy = client.post("/escalationPolicies", &json!({"name": "gap", "steps": [target(&plain, json!(2))]})).ok();
    assert_eq!(policy["steps"][0]["targets"][0]["level"], json!(2));
    client.post("/alertRoutes", &json!({"name": "gap", "isDefault": true, "policy": {"id": policy["id"]}})).ok();
    let report = json!({"alert": {"currentState": "Critical", "subject": "x"}});
    let explained = client.post("/paging/explain", &report).ok();
    assert_eq!(explained["gaps"], json!(["step 1: nobody is on call in the roster at level 2"]));
}

fn group(client: &Client, name: &str) -> String {
    text(&client.post("/userGroups", &json!({"name": name})).ok()["uniqueId"])
}

fn a_service_group_has_an_owner(server: &Server) {
    let client = server.new_client();
    let shop = group(&client, "Shop");
    let racks = group(&client, "Racks");
    let graz = group(&client, "Graz");
    let site = client.post("/sites", &json!({"name": "Graz"})).ok();
    let machine = client.post("/resources", &json!({"hostName": "web-01", "location": {"id": site["id"]}})).ok();
    let machine = text(&machine["resourceUUID"]);
    let above = client.post("/serviceGroups", &json!({"name": "Shop"})).ok();
    let below = client.post("/serviceGroups", &json!({"name": "Carts", "parent": {"name": "Shop"}})).ok();
    let members = json!([{"id": machine}]);
    client.post(&format!("/serviceGroups/{}/childs", below["id"]), &members).ok();
    let owner = || {
        let told = client.get(&format!("/resources/{machine}/onCall")).ok();
        told.get("owner").map(|owner| (owner["through"].clone(), owner["userGroup"]["uniqueId"].clone()))
    };
    assert_eq!(owner(), None);
    client.post("/owners", &json!({"site": {"name": "Graz"}, "userGroup": {"uniqueId": graz}})).ok();
    assert_eq!(owner(), Some((json!("site"), json!(graz))));
    let owned = json!({"serviceGroup": {"id": above["uniqueId"]}, "userGroup": {"uniqueId": shop}});
    let owned = client.post("/owners", &owned).ok();
    assert_eq!((&owned["kind"], &owned["target"]), (&json!("serviceGroup"), &json!(above["id"].to_string())));
    assert_eq!(owner(), Some((json!("serviceGroup"), json!(shop))));
    // A device group is nearer.
    let devices = client.post("/deviceGroups", &json!({"name": "Racks"})).ok();
    client.post(&format!("/deviceGroups/{}/childs", devices["id"]), &members).ok();
    client.post("/owners", &json!({"deviceGroup": {"name": "racks"}, "userGroup": {"uniqueId": racks}})).ok();
    assert_eq!(owner(), Some((json!("deviceGroup"), json!(racks))));
    assert_eq!(client.search("/owners/search", "kind:serviceGroup").page()["totalResults"], json!(1));
    // What is of another tenant is not there.
    let other = server.new_client();
    let theirs = json!({"serviceGroup": {"id": above["uniqueId"]}, "userGroup": {"uniqueId": group(&other, "a")}});
    other.post("/owners", &theirs).invalid(&["serviceGroup"]);
    let both = json!({"serviceGroup": {"name": "Shop"}, "site": {"name": "Graz"}, "userGroup": {"uniqueId": shop}});
    client.post("/owners", &both).invalid(&["body"]);
}

fn routes_ask_what_is_known_of_the_machine(server: &Server) {
    let client = server.new_client();
    let site = client.post("/sites", &json!({"name": "Graz"})).ok();
    let tags = json!([{"name": "env", "value": "production"}, {"name": "tier", "value": "gold"}]);
    let machine = json!({"hostName": "web-01", "location": {"id": site["id"]}, "tags": tags});
    let machine = text(&client.post("/resources", &machine).ok()["resourceUUID"]);
    let service = client.post("/serviceGroups", &json!({"name": "Shop"})).ok();
    let members = json!([{"id": machine}]);
    client.post(&format!("/serviceGroups/{}/childs", service["id"]), &members).ok();
    let team = group(&client, "Web team");
    client.post("/owners", &json!({"site": {"name": "Graz"}, "userGroup": {"uniqueId": team}})).ok();
    let policy = json!({"name": "p", "steps": [{"targets": [{"owner": true}]}]});
    let policy = text(&client.post("/escalationPolicies", &policy).ok()["id"]);
    let report = json!({"alert": {"currentState": "Critical", "subject": "x", "device": {"hostName": "web-01"},
        "tags": [{"name": "job", "value": "node"}]}});
    for (key, value, found) in [
        ("site", "graz", vec!["Graz"]),
        ("serviceGroups", "shop", vec!["Shop"]),
        ("resource.tags.env", "Production", vec!["production"]),
        ("resource.hostName", "web-01", vec!["web-01"]),
        ("tags.job", "node", vec!["node"]),
        ("owner", "web team", vec!["Web team"]),
        ("owner.uniqueId", team.as_str(), vec![team.as_str()]),
        ("resource.tags.none", "x", vec![]),
    ] {
        let rules = json!([{"key": key, "operator": "Equals", "value": value}]);
        let route = client.post("/alertRoutes", &json!({"name": key, "rules": rules, "policy": {"id": policy}})).ok();
        let explained = client.post("/paging/explain", &report).ok();
        let told = &explained["routes"][0];
        assert_eq!(told["takes"], json!(!found.is_empty()), "{key}: {explained}");
        assert_eq!(
            (&told["rules"][0]["found"], &told["rules"][0]["holds"]),
            (&json!(found), &json!(!found.is_empty()))
        );
        client.delete(&format!("/alertRoutes/{}", text(&route["id"]))).ok();
    }
}

/// What a partner's policy would do for a client's alert is the client's business; whom it names is not.
fn a_client_is_told_nothing_of_its_partners_roster(server: &Server) {
    // A partner of its own: its policy takes the alerts of all its clients.
    let server = &Server::start(server.backend);
    let partner = server.admin();
    let client = server.new_client();
    let made = |first: &str| {
        let body = json!({"loginName": unique("night"), "firstName": first, "lastName": "Shift", "role": "operator"});
        text(&partner.post("/users", &body).ok()["id"])
    };
    let on_call = made("Hidden");
    let silent = made("Silent");
    let method = json!({"name": "m", "type": "EMAIL", "address": "night@example.net", "verified": true});
    partner.post(&format!("/users/{on_call}/contactMethods"), &method).ok();
    let schedule = json!({"type": "one-time", "startDate": "2020-01-01T00:00:00Z", "endDate": "2120-01-01T00:00:00Z"});
    let shift = json!({"name": "a", "users": [{"id": on_call}], "userGroups": [], "schedule": schedule});
    let roster = json!({"name": unique("roster"), "description": "nights", "timeZone": {"name": "GMT"},
        "shiftDetails": [shift]});
    let roster = text(&partner.post("/rosters", &roster).ok()["id"]);
    let steps = json!([{"targets": [{"roster": {"id": roster}}, {"user": {"id": silent}}]}]);
    let policy = partner.post("/escalationPolicies", &json!({"name": unique("of-partner"), "steps": steps})).ok();
    partner.post("/alertRoutes", &json!({"name": "all", "isDefault": true, "policy": {"id": policy["id"]}})).ok();
    let report = json!({"alert": {"currentState": "Critical", "subject": "x"}});
    let machine = text(&client.post("/resources", &json!({"hostName": "web-01"})).ok()["resourceUUID"]);
    for told in [client.post("/paging/explain", &report).ok(), client.get(&format!("/resources/{machine}/onCall")).ok()]
    {
        for hidden in [&roster, &on_call, &silent, &text(&policy["id"]), "Hidden", "Silent"] {
            assert!(!told.to_string().contains(hidden), "{hidden}: {told}");
        }
        let target = |reaches: bool| json!({"target": {"of": "partner"}, "reaches": reaches});
        assert_eq!(told["steps"][0]["targets"], json!([target(true), target(false)]), "{told}");
    }
    let told = client.post("/paging/explain", &report).ok();
    assert_eq!(told["gaps"], json!(["step 1: a target of the partner reaches nobody"]));
    // The partner sees all that it has.
    let path = format!("/resources/{machine}/onCall");
    assert!(partner.get(&path).ok().to_string().contains(&on_call));
}

fn a_partners_policy_tells_the_owner_of_a_clients_machine(server: &Server) {
    // A partner of its own: its policy takes the alerts of all its clients.
    let server = &Server::start(server.backend);
    let client = server.new_client();
    let user = person(&client);
    let method = json!({"name": "m", "type": "HTTP", "url": "https://hooks.example.net/owner", "verified": true});
    client.post(&format!("/users/{user}/contactMethods"), &method).ok();
    let group = json!({"name": "Owners", "users": [{"id": user}]});
    let group = text(&client.post("/userGroups", &group).ok()["uniqueId"]);
    let machine = text(&client.post("/resources", &json!({"hostName": "web-01"})).ok()["resourceUUID"]);
    client.post("/owners", &json!({"resource": {"id": machine}, "userGroup": {"uniqueId": group}})).ok();
    let partner = server.admin();
    let policy = json!({"name": unique("owner"), "steps": [{"targets": [{"owner": true}], "wait": "1h"}]});
    let policy = partner.post("/escalationPolicies", &policy).ok();
    partner.post("/alertRoutes", &json!({"name": "all", "isDefault": true, "policy": {"id": policy["id"]}})).ok();
    let report = json!({"currentState": "Critical", "subject": "x", "device": {"hostName": "web-01"}});
    let explained = client.post("/paging/explain", &json!({"alert": report})).ok();
    assert_eq!(explained["gaps"], json!([]), "{explained}");
    assert_eq!(explained["steps"][0]["targets"][0]["reaches"], json!(true), "{explained}");
    client.post("/alert", &report).ok();
    let decided = || client.search("/pages/search", &format!("userId:{user}")).page();
    let told = || decided()["results"].as_array().is_some_and(|pages| pages.len() == 1);
    wait_for(Duration::from_secs(20), told, || decided().to_string());
    assert_ne!(decided()["results"][0]["status"], json!("gap"));
}

fn an_integration_that_is_not_called_is_a_gap(server: &Server) {
    let client = server.new_client();
    let user = person(&client);
    let method = json!({"name": "m", "type": "HTTP", "url": "https://hooks.example.net/gap", "verified": true});
    client.post(&format!("/users/{user}/contactMethods"), &method).ok();
    let notifier = json!({"baseURI": "https://hooks.example.net/called", "authType": "NONE"});
    let install = |name: &str, more: Value| {
        let mut body = json!({"displayName": unique(name)});
        body.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
        text(&client.post("/integrations/install/CUSTOM", &body).ok()["id"])
    };
    let disabled = install("disabled", json!({"baseNotifier": notifier}));
    client.post_empty(&format!("/integrations/installed/{disabled}/disable")).ok();
    let silent = install("silent", json!({}));
    let steps: Vec<Value> = [json!({"integration": {"id": disabled}}), json!({"integration": {"id": silent}})]
        .into_iter()
        .chain([json!({"user": {"id": user}})])
        .map(|target| json!({"targets": [target], "wait": "1h"}))
        .collect();
    let policy = client.post("/escalationPolicies", &json!({"name": "p", "steps": steps})).ok();
    client.post("/alertRoutes", &json!({"name": "all", "isDefault": true, "policy": {"id": policy["id"]}})).ok();
    let report = json!({"currentState": "Critical", "subject": "x"});
    let explained = client.post("/paging/explain", &json!({"alert": report})).ok();
    let gap = |step: usize| format!("step {step}: the integration is disabled or has no notifier");
    assert_eq!(explained["gaps"], json!([gap(1), gap(2)]));
    assert_eq!(explained["steps"][0]["at"], explained["steps"][2]["at"], "{explained}");
    client.post("/alert", &report).ok();
    // The person is told at once.
    let decided = || client.search("/pages/search", &format!("userId:{user}")).page();
    wait_for(Duration::from_secs(20), || decided()["totalResults"] == json!(1), || decided().to_string());
    assert_eq!(client.search("/pages/search", "status:gap").page()["totalResults"], json!(2));
}
