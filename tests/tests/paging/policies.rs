//! Escalation policies and alert routes.

use muster_tests::{Server, both_backends, unique, uuid};
use serde_json::json;

use super::{person, text};

both_backends![
    a_policy_is_kept_as_it_is,
    targets_have_to_be_there,
    what_is_wrong_is_listed,
    a_policy_that_is_used_stays,
    routes_are_asked_in_their_order,
    a_tenant_has_one_default,
    a_rule_with_a_key_that_nothing_has_is_refused,
    a_clients_route_does_not_lead_to_its_partners_policy,
];

fn a_policy_is_kept_as_it_is(server: &Server) {
    let client = server.new_client();
    let user = person(&client);
    let group = text(&client.post("/userGroups", &json!({"name": "Web"})).ok()["uniqueId"]);
    let body = json!({
        "name": " Web team ", "repeat": "2", "atEnd": "repeat_last", "ackTimeout": "90m", "urgency": "HIGH",
        "steps": [
            {"targets": [{"user": {"id": user.to_lowercase()}}, {"userGroup": {"uniqueId": group}}], "wait": "300s"},
            {"targets": [{"owner": true}]},
        ],
    });
    let made = client.post("/escalationPolicies", &body).ok();
    assert_eq!(
        (&made["name"], &made["repeat"], &made["atEnd"]),
        (&json!("Web team"), &json!(2), &json!("REPEAT_LAST"))
    );
    assert_eq!((&made["ackTimeout"], &made["urgency"]), (&json!("90m"), &json!("high")));
    assert_eq!(
        made["steps"],
        json!([
            {"targets": [{"user": {"id": user}}, {"userGroup": {"uniqueId": group}}], "wait": "5m"},
            {"targets": [{"owner": true}], "wait": "5m"},
        ])
    );
    let path = format!("/escalationPolicies/{}", text(&made["id"]));
    assert_eq!(client.get(&path).ok(), made);
    let changed = client.post(&path, &json!({"ackTimeout": "", "urgency": "", "description": "d"})).ok();
    assert_eq!((changed.get("ackTimeout"), changed.get("urgency")), (None, None));
    assert_eq!((&changed["steps"], &changed["description"]), (&made["steps"], &json!("d")));
    client.post("/escalationPolicies", &body).problem(409, "0004");
    let found = client.search("/escalationPolicies/search", "name:WEB").page();
    assert_eq!(found["results"], json!([changed]));
    // Those of clients are no targets of a route of their partner.
    let listed =
        |all: &str| server.admin().search("/escalationPolicies/search", &format!("id:{}{all}", text(&made["id"])));
    assert_eq!(listed("").page()["totalResults"], json!(1));
    assert_eq!(listed("+allList:false").page()["totalResults"], json!(0));
    listed("+allList:perhaps").invalid(&["queryString"]);
    client.delete(&path).ok();
    client.get(&path).not_found();
}

fn targets_have_to_be_there(server: &Server) {
    let client = server.new_client();
    let theirs = person(&server.new_client());
    let targets = json!([
        {"user": {"id": theirs}}, {"userGroup": {"uniqueId": format!("USRGRP-{}", uuid())}},
        {"roster": {"id": format!("ES-{}", uuid())}}, {"integration": {"id": format!("INTG-{}", uuid())}},
    ]);
    client.post("/escalationPolicies", &json!({"name": "a", "steps": [{"targets": targets}]})).invalid(&[
        "steps[0].targets[0].user.id",
        "steps[0].targets[1].userGroup.uniqueId",
        "steps[0].targets[2].roster.id",
        "steps[0].targets[3].integration.id",
    ]);
    // The people of its partner may be told.
    let partners = person(&server.admin());
    client
        .post("/escalationPolicies", &json!({"name": "a", "steps": [{"targets": [{"user": {"id": partners}}]}]}))
        .ok();
}

fn what_is_wrong_is_listed(server: &Server) {
    let client = server.new_client();
    let refused = |body| client.post("/escalationPolicies", &body);
    refused(json!({})).invalid(&["name", "steps"]);
    refused(json!({"name": "a", "steps": [], "repeat": 21, "ackTimeout": "8d"})).invalid(&[
        "steps",
        "repeat",
        "ackTimeout",
    ]);
    refused(json!({"name": "a", "steps": [{"targets": [{}, {"owner": true, "user": {"id": "USR0000000001"}},
        {"owner": true, "level": 1}, {"roster": {"id": "ES-1"}, "level": 3},
        {"roster": {"id": "ES-1"}, "level": "third"}], "wait": "0s"}]}))
    .invalid(&[
        "steps[0].wait",
        "steps[0].targets[0]",
        "steps[0].targets[1]",
        "steps[0].targets[2].level",
        "steps[0].targets[3].level",
        "steps[0].targets[4].level",
    ]);
    client.post("/alertRoutes", &json!({})).invalid(&["name", "policy", "rules"]);
    let rules = json!([{"key": "subject", "operator": "Regex", "value": "("}, {"operator": "Likes"}]);
    client
        .post("/alertRoutes", &json!({"name": "a", "policy": {"id": "EP-1"}, "rules": rules, "position": 0}))
        .invalid(&["rules[0].value", "rules[1].key", "rules[1].operator", "rules[1].value", "position"]);
}

fn a_policy_that_is_used_stays(server: &Server) {
    let client = server.new_client();
    let steps = json!([{"targets": [{"owner": true}]}]);
    let policy = text(&client.post("/escalationPolicies", &json!({"name": "a", "steps": steps})).ok()["id"]);
    let route = json!({"name": "all", "isDefault": true, "policy": {"id": policy}});
    let route = text(&client.post("/alertRoutes", &route).ok()["id"]);
    client.delete(&format!("/escalationPolicies/{policy}")).problem(409, "0004");
    client.delete(&format!("/alertRoutes/{route}")).ok();
    client.delete(&format!("/escalationPolicies/{policy}")).ok();
}

fn routes_are_asked_in_their_order(server: &Server) {
    let client = server.new_client();
    let steps = json!([{"targets": [{"owner": true}]}]);
    let policy = text(&client.post("/escalationPolicies", &json!({"name": "a", "steps": steps})).ok()["id"]);
    let route = |name: &str, more: serde_json::Value| {
        let mut body = json!({"name": name, "policy": {"id": policy}});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        client.post("/alertRoutes", &body).ok()
    };
    let rules = json!([{"key": "metric", "operator": "Startswith", "value": "db."}]);
    route("rest", json!({"isDefault": true}));
    let first = route("first", json!({"rules": rules, "matchingType": "any"}));
    assert_eq!((&first["matchingType"], &first["rules"]), (&json!("ANY"), &rules));
    let second = route("second", json!({"rules": rules}));
    assert!(first["position"].as_i64() < second["position"].as_i64());
    let before = first["position"].as_i64().unwrap() - 5;
    route("zeroth", json!({"rules": rules, "position": before}));
    let names = |query: &str| -> Vec<String> {
        let page = client.get(&format!("/alertRoutes/search{query}")).page();
        page["results"].as_array().unwrap().iter().map(|route| text(&route["name"])).collect()
    };
    assert_eq!(names(""), ["zeroth", "first", "second", "rest"]);
    assert_eq!(names(&format!("?queryString=policyId:{policy}%2Bname:st")), ["first", "rest"]);
    let path = format!("/alertRoutes/{}", text(&second["id"]));
    client.post(&path, &json!({"position": 1})).ok();
    assert_eq!(names(""), ["second", "zeroth", "first", "rest"]);
    assert_eq!(client.post(&path, &json!({"matchingType": "ANY"})).ok()["rules"], rules);
    // Other rules are put together as those before them.
    let other = json!([{"key": "subject", "operator": "Contains", "value": "disk"}, rules[0]]);
    let changed = client.post(&path, &json!({"rules": other})).ok();
    assert_eq!((&changed["matchingType"], &changed["rules"]), (&json!("ANY"), &other));
    let changed = client.post(&path, &json!({"rules": rules, "matchingType": "ALL"})).ok();
    assert_eq!((&changed["matchingType"], &changed["rules"]), (&json!("ALL"), &rules));
    client.post(&path, &json!({"rules": []})).invalid(&["rules"]);
}

fn a_rule_with_a_key_that_nothing_has_is_refused(server: &Server) {
    let client = server.new_client();
    let user = person(&client);
    let policy = json!({"name": "p", "steps": [{"targets": [{"user": {"id": user}}]}]});
    let policy = json!({"id": client.post("/escalationPolicies", &policy).ok()["id"]});
    let with = |key: &str| {
        let rules = json!([{"key": key, "operator": "Equals", "value": "x"}]);
        json!({"name": unique("route"), "policy": policy, "rules": rules})
    };
    for key in ["metrik", "resource.nme", "time.day"] {
        let problem = client.post("/alertRoutes", &with(key)).invalid(&["rules[0].key"]);
        let message = problem["errors"][0]["message"].as_str().unwrap_or_default();
        assert!(message.contains("metric") && message.contains("time.weekday"), "{message}");
    }
    for key in ["Metric", "tags.env", "resource.tags.env", "deviceGroups", "owner.uniqueId", "time.hour"] {
        client.post("/alertRoutes", &with(key)).ok();
    }
    // One from before keys were looked at is shown as broken.
    let made = client.post("/alertRoutes", &with("metric")).ok();
    let tenant = client.tenant_id();
    let id = text(&made["id"]);
    server.sql(&format!(
        "UPDATE alert_routes SET rules = replace(rules, 'metric', 'metrik') WHERE tenant_id = '{tenant}' \
         AND id = '{id}'"
    ));
    let shown = client.search("/alertRoutes/search", "").page();
    let shown = shown["results"].as_array().into_iter().flatten().find(|route| route["id"] == made["id"]).cloned();
    let shown = shown.unwrap_or_default();
    assert!(shown["rules"][0]["broken"].as_str().is_some_and(|text| text.contains("metric")), "{shown}");
}

fn a_tenant_has_one_default(server: &Server) {
    let client = server.new_client();
    let steps = json!([{"targets": [{"owner": true}]}]);
    let policy = text(&client.post("/escalationPolicies", &json!({"name": "a", "steps": steps})).ok()["id"]);
    let default = |name: &str| json!({"name": name, "isDefault": true, "policy": {"id": policy}});
    client.post("/alertRoutes", &default("a")).ok();
    client.post("/alertRoutes", &default("b")).problem(409, "0004");
    client.post("/alertRoutes", &default(" A ")).problem(409, "0004");
}

fn a_clients_route_does_not_lead_to_its_partners_policy(server: &Server) {
    let steps = json!([{"targets": [{"owner": true}]}]);
    let partners = server.admin().post("/escalationPolicies", &json!({"name": unique("partner"), "steps": steps})).ok();
    let route = json!({"name": "a", "isDefault": true, "policy": {"id": partners["id"]}});
    server.new_client().post("/alertRoutes", &route).invalid(&["policy.id"]);
}
