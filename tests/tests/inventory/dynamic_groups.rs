//! Groups whose members are found by `filterCriteria`, and stay right as resources change.

use muster_tests::{Client, Server, both_backends};
use serde_json::{Value, json};

use super::{create, found, integer, names};

both_backends![
    every_operator_selects,
    any_and_all_combine_rules,
    members_follow_changes_of_resources,
    members_follow_changes_of_the_criteria,
    static_and_dynamic_members_add_up,
    bad_criteria_are_refused_by_name,
];

fn rule(key: &str, operator: &str, value: &str) -> Value {
    json!({"resourceType": "Resource", "key": key, "operator": operator, "value": value})
}

#[track_caller]
fn group(client: &Client, name: &str, match_type: &str, rules: &[Value]) -> i64 {
    let criteria = json!({"matchType": match_type, "rules": rules});
    integer(&client.post("/deviceGroups", &json!({"name": name, "filterCriteria": criteria})).ok()["id"])
}

#[track_caller]
fn members(client: &Client, group: i64) -> String {
    names(&client.get(&format!("/resources/minimal?deviceGroupId={group}&state=all")).list()).join(" ")
}

fn three(client: &Client) {
    for (name, host) in [("a", "web-01"), ("b", "web-02"), ("c", "db-01")] {
        create(client, &json!({"name": name, "hostName": host}));
    }
}

fn every_operator_selects(server: &Server) {
    let client = server.new_client();
    three(&client);
    for (operator, value, expected) in [
        ("Contains", "web", "a b"),
        ("Not Contains", "web", "c"),
        ("Equals", "db-01", "c"),
        ("Not Equals", "db-01", "a b"),
        ("Starts with", "web", "a b"),
        ("Ends with", "01", "a c"),
        ("Regex", "^[a-z]+-0[12]$", "a b c"),
        ("Regex", "^db", "c"),
        ("contains", "WEb-0", "a b"),
    ] {
        let id = group(&client, &format!("{operator} {value} {expected}"), "ALL", &[rule("hostName", operator, value)]);
        assert_eq!(members(&client, id), expected, "{operator} {value}");
    }
}

fn any_and_all_combine_rules(server: &Server) {
    let client = server.new_client();
    three(&client);
    let rules = [rule("hostName", "Starts with", "web"), rule("hostName", "Ends with", "01")];
    let all = group(&client, "All", "ALL", &rules);
    let any = group(&client, "Any", "any", &rules);
    assert_eq!(members(&client, all), "a");
    assert_eq!(members(&client, any), "a b c");
}

fn members_follow_changes_of_resources(server: &Server) {
    let client = server.new_client();
    let id = group(&client, "Web", "ALL", &[rule("hostName", "Contains", "web")]);
    assert_eq!(members(&client, id), "");
    let a = create(&client, &json!({"name": "a", "hostName": "db-01"}));
    assert_eq!(members(&client, id), "");
    client.post(&format!("/resources/{a}"), &json!({"hostName": "web-01"})).ok();
    assert_eq!(members(&client, id), "a");
    create(&client, &json!({"name": "b", "hostName": "web-02"}));
    assert_eq!(members(&client, id), "a b");
    assert_eq!(found(&client, "deviceGroup:Web+isEquals:true").join(" "), "a b");
    client.post(&format!("/resources/{a}"), &json!({"hostName": "db-01"})).ok();
    assert_eq!(members(&client, id), "b");
    let report = json!({"action": "inventory", "deviceid": "dyn-1", "content": {"hardware": {"name": "web-09"}}});
    client.post("/agents/reports", &report).ok();
    assert_eq!(members(&client, id), "b web-09");
}

fn members_follow_changes_of_the_criteria(server: &Server) {
    let client = server.new_client();
    three(&client);
    let id = group(&client, "Changing", "ALL", &[rule("hostName", "Contains", "web")]);
    let criteria = json!({"matchType": "ALL", "rules": [rule("hostName", "Contains", "db")]});
    client.post(&format!("/deviceGroups/{id}"), &json!({"filterCriteria": criteria})).ok();
    assert_eq!(members(&client, id), "c");
    client.post(&format!("/deviceGroups/{id}"), &json!({"name": "Renamed"})).ok();
    assert_eq!(members(&client, id), "c", "a new name leaves the criteria");
    let read = client.get(&format!("/deviceGroups/{id}")).ok();
    assert_eq!(read["filterCriteria"]["matchType"], json!("ALL"));
    assert_eq!(read["filterCriteria"]["rules"][0]["value"], json!("db"));
}

fn static_and_dynamic_members_add_up(server: &Server) {
    let client = server.new_client();
    three(&client);
    let id = group(&client, "Both", "ALL", &[rule("hostName", "Contains", "web")]);
    let c = found_id(&client, "hostName:db-01");
    client.post(&format!("/deviceGroups/{id}/childs"), &json!([{"id": c}])).ok();
    assert_eq!(members(&client, id), "a b c");
    let other = server.new_client();
    create(&other, &json!({"name": "foreign", "hostName": "web-77"}));
    assert_eq!(members(&client, id), "a b c", "another client's resources never match");
}

#[track_caller]
fn found_id(client: &Client, query_string: &str) -> String {
    super::text(&client.search("/resources/minimal", query_string).list()[0]["id"])
}

fn bad_criteria_are_refused_by_name(server: &Server) {
    let client = server.new_client();
    for (criteria, field) in [
        (json!({"matchType": "SOME", "rules": [rule("hostName", "Equals", "x")]}), "matchType"),
        (json!({"matchType": "ALL", "rules": [rule("hostName", "Resembles", "x")]}), "operator"),
        (json!({"matchType": "ALL", "rules": [rule("shoeSize", "Equals", "x")]}), "key"),
        (json!({"matchType": "ALL", "rules": [rule("hostName", "Regex", "(")]}), "value"),
        (json!({"matchType": "ALL", "rules": "all of them"}), "rules"),
        (json!("web"), "filterCriteria"),
    ] {
        let refused =
            client.post("/deviceGroups", &json!({"name": "Bad", "filterCriteria": criteria})).problem(400, "0002");
        assert!(refused["errors"].to_string().contains(field), "{field} is named: {refused}");
    }
    assert!(client.get("/deviceGroups/minimal").list().is_empty());
}
