//! The variables of `queryString` about groups and places.

use muster_tests::{Client, Server, both_backends};
use serde_json::{Value, json};

use super::{create, finds};

both_backends![by_device_group, by_service_group, by_device_location, a_moved_member_is_found_where_it_is];

/// Three groups whose names contain each other, with one member each.
fn groups(client: &Client, kind: &str) -> Vec<String> {
    ["Web", "Web Servers", "Web Servers (old)"]
        .into_iter()
        .zip(["a", "b", "c"])
        .map(|(group, member)| {
            let id = client.post(&format!("/{kind}"), &json!({"name": group})).ok()["id"].to_string();
            let resource = create(client, &json!({"name": member}));
            client.post(&format!("/{kind}/{id}/childs"), &json!([{"id": resource}])).ok();
            id
        })
        .collect()
}

fn by_group(client: &Client, variable: &str) {
    create(client, &json!({"name": "alone"}));
    finds(
        client,
        &[
            (&format!("{variable}:Web+isEquals:true"), "a"),
            (&format!("{variable}:web servers+isEquals:true"), "b"),
            (&format!("{variable}:Web+isEquals:false"), "a b c"),
            (&format!("{variable}:servers+isEquals:false"), "b c"),
            (&format!("{variable}:Servers (old)+isEquals:false"), "c"),
            (&format!("{variable}:Web,Web Servers+isEquals:true"), "a b"),
            (&format!("{variable}:Web Servers (old)"), "c"),
            (&format!("{variable}:Database+isEquals:true"), ""),
            (&format!("{variable}:Database"), ""),
            (&format!("{variable}:Web+isEquals:true+type:EBS"), ""),
        ],
    );
}

fn by_device_group(server: &Server) {
    let client = server.new_client();
    groups(&client, "deviceGroups");
    by_group(&client, "deviceGroup");
}

fn by_service_group(server: &Server) {
    let client = server.new_client();
    groups(&client, "serviceGroups");
    by_group(&client, "serviceGroup");
}

fn by_device_location(server: &Server) {
    let client = server.new_client();
    for (site, member) in [("Web", "a"), ("Web Servers", "b"), ("Web Servers (old)", "c")] {
        client.post("/sites", &json!({"name": site})).ok();
        create(&client, &json!({"name": member, "location": {"name": site}}));
    }
    by_group(&client, "deviceLocation");
}

fn a_moved_member_is_found_where_it_is(server: &Server) {
    let client = server.new_client();
    let ids = groups(&client, "deviceGroups");
    let members = |number: usize| format!("/deviceGroups/{}/childs", ids[number]);
    let listed: Vec<Value> = client.search("/resources/minimal", "deviceGroup:Web+isEquals:true").list();
    let member = json!([{"id": listed[0]["id"]}]);
    client.delete_with(&members(0), &member).ok();
    finds(&client, &[("deviceGroup:Web+isEquals:true", ""), ("deviceGroup:Web+isEquals:false", "b c")]);
    client.post(&members(1), &member).ok();
    finds(&client, &[("deviceGroup:Web Servers+isEquals:true", "a b")]);
    let listed = client.get(&format!("/resources/minimal?deviceGroupId={}", ids[1])).list();
    assert_eq!(super::names(&listed), ["a", "b"]);
    client.delete(&format!("/deviceGroups/{}", ids[1])).ok();
    finds(&client, &[("deviceGroup:Web Servers+isEquals:true", ""), ("state:all", "a b c")]);
}
