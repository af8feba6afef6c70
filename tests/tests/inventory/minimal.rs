//! `GET /resources/minimal`: its items, its parameters, its states.

use muster_tests::{Client, Server, both_backends};
use serde_json::{Value, json};

use super::{create, integer, keys, names, text};

both_backends![
    an_item_has_the_documented_fields,
    absent_names_are_empty_strings,
    an_empty_list_is_an_empty_array,
    the_default_state_is_active,
    state_filters_as_a_parameter_and_as_a_variable,
    location_id_filters,
    device_type_id_filters,
    a_parameter_without_a_value_is_refused,
    parameters_and_variables_combine,
    every_row_is_there_and_only_once,
    special_characters_come_back_as_they_went_in,
];

const FIELDS: [&str; 7] = ["id", "name", "hostName", "ipAddress", "aliasName", "resourceName", "resourceType"];

fn an_item_has_the_documented_fields(server: &Server) {
    let client = server.new_client();
    let body = json!({
        "name": "web-01", "hostName": "web-01.example.com", "ipAddress": "10.1.2.3", "aliasName": "front",
        "resourceName": "Web server 1", "resourceType": "Linux", "description": "not listed",
    });
    let id = create(&client, &body);
    let items = client.get("/resources/minimal").list();
    assert_eq!(items.len(), 1);
    let mut expected = body.clone();
    expected["id"] = json!(id);
    if let Some(object) = expected.as_object_mut() {
        object.remove("description");
    }
    assert_eq!(items[0], expected);
    assert_eq!(id.len(), 36);
    assert_eq!(id, id.to_lowercase());
}

fn absent_names_are_empty_strings(server: &Server) {
    let client = server.new_client();
    create(&client, &json!({"name": "bare"}));
    let items = client.get("/resources/minimal").list();
    for name in keys(&items[0]) {
        assert!(FIELDS.contains(&name), "{name} is not documented");
        assert!(items[0][name].is_string(), "{name}: {}", items[0][name]);
    }
    for name in ["hostName", "aliasName", "resourceName"] {
        assert_eq!(items[0][name], json!(""), "{name} is an empty string when absent");
    }
    assert_eq!(items[0]["name"], json!("bare"));
}

fn an_empty_list_is_an_empty_array(server: &Server) {
    let answer = server.new_client().get("/resources/minimal");
    assert!(answer.list().is_empty());
    assert_eq!(answer.text(), "[]");
}

fn states(client: &Client) {
    for state in ["active", "inactive", "discovered"] {
        create(client, &json!({"name": state, "state": state}));
    }
}

fn the_default_state_is_active(server: &Server) {
    let client = server.new_client();
    states(&client);
    create(&client, &json!({"name": "unsaid"}));
    assert_eq!(names(&client.get("/resources/minimal").list()), ["active", "unsaid"]);
}

fn state_filters_as_a_parameter_and_as_a_variable(server: &Server) {
    let client = server.new_client();
    states(&client);
    for (state, expected) in [
        ("active", "active"),
        ("inactive", "inactive"),
        ("discovered", "discovered"),
        ("all", "active discovered inactive"),
        ("Inactive", "inactive"),
    ] {
        let by_parameter = client.get(&format!("/resources/minimal?state={state}")).list();
        assert_eq!(names(&by_parameter).join(" "), expected, "state={state}");
        let by_variable = client.search("/resources/minimal", &format!("state:{state}")).list();
        assert_eq!(names(&by_variable).join(" "), expected, "queryString=state:{state}");
    }
    let two = client.search("/resources/minimal", "state:inactive,discovered").list();
    assert_eq!(names(&two), ["discovered", "inactive"]);
    let refused = client.search("/resources/minimal", "state:asleep").invalid(&["queryString"]);
    assert!(refused["message"].to_string().contains("state"), "the term is named: {refused}");
}

fn location_id_filters(server: &Server) {
    let client = server.new_client();
    let site = |name: &str| integer(&client.post("/sites", &json!({"name": name})).ok()["id"]);
    let berlin = site("Berlin");
    let tokyo = site("Tokyo");
    create(&client, &json!({"name": "b1", "location": {"id": berlin}}));
    create(&client, &json!({"name": "b2", "location": {"name": "Berlin"}}));
    create(&client, &json!({"name": "t1", "location": {"id": tokyo.to_string()}}));
    create(&client, &json!({"name": "nowhere"}));
    let listed = |id: i64| names(&client.get(&format!("/resources/minimal?locationId={id}")).list());
    assert_eq!(listed(berlin), ["b1", "b2"]);
    assert_eq!(listed(tokyo), ["t1"]);
    assert_eq!(listed(0), ["b1", "b2", "nowhere", "t1"], "0 is the default and means any");
    assert!(listed(987_654_321).is_empty());
}

fn device_type_id_filters(server: &Server) {
    let client = server.new_client();
    for (name, kind) in [("l1", "Linux"), ("l2", "Linux"), ("s1", "Switch")] {
        create(&client, &json!({"name": name, "resourceType": kind}));
    }
    let types = client.get("/resourceType/minimal").list();
    let id = |name: &str| -> i64 {
        types.iter().find(|kind| kind["name"] == name).map(|kind| integer(&kind["id"])).unwrap_or_default()
    };
    let listed = |id: i64| names(&client.get(&format!("/resources/minimal?deviceTypeId={id}")).list());
    assert_eq!(listed(id("Linux")), ["l1", "l2"]);
    assert_eq!(listed(id("Switch")), ["s1"]);
    assert_eq!(listed(0).len(), 3);
    assert!(listed(987_654_321).is_empty());
}

fn parameters_and_variables_combine(server: &Server) {
    let client = server.new_client();
    let site = client.post("/sites", &json!({"name": "Oslo"})).ok()["id"].to_string();
    create(&client, &json!({"name": "a", "hostName": "web1", "location": {"name": "Oslo"}}));
    create(&client, &json!({"name": "b", "hostName": "web2", "location": {"name": "Oslo"}, "state": "inactive"}));
    create(&client, &json!({"name": "c", "hostName": "web3"}));
    create(&client, &json!({"name": "d", "hostName": "db1", "location": {"name": "Oslo"}}));
    let listed = |path: &str| names(&client.get(path).list()).join(" ");
    let web = format!("/resources/minimal?locationId={site}&queryString=hostName:web");
    assert_eq!(listed(&web), "a");
    assert_eq!(listed(&format!("{web}&state=all")), "a b");
    assert_eq!(listed(&format!("{web}&state=inactive")), "b");
    assert_eq!(listed("/resources/minimal?state=all&queryString=hostName:web"), "a b c");
    super::finds(
        &client,
        &[("hostName:web+deviceLocation:Oslo+state:all", "a b"), ("hostName:web+ipAddress:10.0.0.1", "")],
    );
}

fn every_row_is_there_and_only_once(server: &Server) {
    let client = server.new_client();
    let ids: Vec<String> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..4)
            .map(|writer| {
                let client = client.clone();
                scope.spawn(move || -> Vec<String> {
                    (0..60).map(|n| create(&client, &json!({"name": format!("w{writer}-{n}")}))).collect()
                })
            })
            .collect();
        writers.into_iter().flat_map(|writer| writer.join().unwrap_or_default()).collect()
    });
    let mut listed: Vec<String> =
        client.get("/resources/minimal").list().iter().map(|item| text(&item["id"])).collect();
    let mut expected = ids;
    expected.sort();
    listed.sort();
    assert_eq!(expected.len(), 240);
    assert_eq!(listed, expected);
}

fn special_characters_come_back_as_they_went_in(server: &Server) {
    let client = server.new_client();
    let name = "tab\there \"quoted\" back\\slash </script> line\nbreak \u{1}\u{1f} é 東京 😀 \u{2028}";
    create(&client, &json!({"name": name}));
    let items: Vec<Value> = client.get("/resources/minimal").list();
    assert_eq!(items[0]["name"], json!(name));
}

/// Nothing is asked for by it, and everything would be answered.
fn a_parameter_without_a_value_is_refused(server: &Server) {
    let client = server.new_client();
    create(&client, &json!({"name": "n"}));
    for path in ["/resources/minimal", "/resources/search", "/resources/export"] {
        for name in ["deviceGroupId", "locationId", "deviceTypeId"] {
            for value in ["", "%20", "x"] {
                client.get(&format!("{path}?{name}={value}")).invalid(&[name]);
            }
            assert_eq!(client.get(&format!("{path}?{name}=0")).status, 200, "{path} {name}");
        }
    }
    for name in ["resourceId", "hostName", "deviceGroupId", "deviceGroup", "siteId", "site"] {
        client.get(&format!("/scheduleMaintenances/active?{name}=")).invalid(&[name]);
    }
    client.get("/scheduleMaintenances/search?resourceId=").invalid(&["resourceId"]);
}
