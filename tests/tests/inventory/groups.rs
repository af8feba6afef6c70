//! `deviceGroups` and `serviceGroups`: all operations, members, nesting. Both kinds alike.

use muster_tests::{Client, Server, both_backends, uuid};
use serde_json::{Value, json};

use super::{create, found, integer, names, text};

both_backends![
    a_group_lives_through_all_operations,
    a_list_creates_several_or_none,
    a_group_with_an_id_is_changed,
    groups_are_searched_and_listed,
    names_are_required_and_unique,
    members_come_and_go,
    a_reference_may_be_id_unique_id_or_name,
    children_count_as_members_of_the_parent,
    a_machine_lists_its_groups,
    a_group_cannot_contain_itself,
    unknown_members_are_refused,
    a_decommissioned_member_is_gone,
];

const KINDS: [(&str, &str); 2] = [("deviceGroups", "DGP-"), ("serviceGroups", "SGP-")];

/// Creates a group and gives its `id`.
#[track_caller]
fn group(client: &Client, kind: &str, body: &Value) -> String {
    integer(&client.post(&format!("/{kind}"), body).ok()["id"]).to_string()
}

#[track_caller]
fn members(client: &Client, kind: &str, group: &str) -> Vec<String> {
    names(client.get(&format!("/{kind}/{group}/childs")).page()["results"].as_array().unwrap())
}

fn a_group_lives_through_all_operations(server: &Server) {
    let client = server.new_client();
    for (kind, prefix) in KINDS {
        let created = client.post(&format!("/{kind}"), &json!({"name": "Core", "description": "all of it"})).ok();
        assert!(text(&created["uniqueId"]).starts_with(prefix), "{created}");
        let path = format!("/{kind}/{}", integer(&created["id"]));
        let by_unique_id = client.get(&format!("/{kind}/{}", text(&created["uniqueId"])));
        assert_eq!(by_unique_id.ok()["id"], created["id"]);
        assert!(client.get(&path).header("ETag").is_some());
        client.post(&path, &json!({"name": "Heart"})).ok();
        let read = client.get(&path).ok();
        assert_eq!((&read["name"], &read["description"]), (&json!("Heart"), &json!("all of it")));
        assert_eq!(client.delete(&path).ok(), json!({}));
        client.get(&path).not_found();
        client.delete(&path).not_found();
    }
}

fn a_list_creates_several_or_none(server: &Server) {
    let client = server.new_client();
    let listed = client.post("/deviceGroups", &json!([{"name": "A"}, {"name": "B"}])).list();
    assert_eq!(names(&listed), ["A", "B"]);
    let refused = client.post("/deviceGroups", &json!([{"name": "C"}, {"name": ""}])).problem(400, "0002");
    assert!(refused["errors"].to_string().contains("name"), "{refused}");
    client.post("/deviceGroups", &json!([{"name": "D"}, {"name": "A"}])).problem(409, "0004");
    let left = names(&client.get("/deviceGroups/minimal").list());
    assert!(!left.contains(&"C".to_owned()) && !left.contains(&"D".to_owned()), "all or none: {left:?}");
    client.post("/deviceGroups", &json!([])).problem(400, "0002");
    client.post("/deviceGroups", &json!("A")).problem(400, "0002");
}

fn a_group_with_an_id_is_changed(server: &Server) {
    let client = server.new_client();
    for (kind, prefix) in KINDS {
        let path = format!("/{kind}");
        let made = client.post(&path, &json!([{"name": "Web", "description": "front"}])).list();
        let unique_id = text(&made[0]["uniqueId"]);
        let body = json!([{"id": unique_id, "name": "Edge"}, {"name": "New", "parent": {"name": "Edge"}}]);
        let saved = client.post(&path, &body).list();
        assert_eq!((&saved[0]["id"], &saved[0]["description"]), (&made[0]["id"], &json!("front")));
        assert_eq!(saved[1]["parent"]["id"], made[0]["id"]);
        assert_eq!(names(&client.get(&format!("{path}/minimal")).list()), ["Edge", "New"]);
        let by_number = client.post(&path, &json!({"id": made[0]["id"], "description": "back"}));
        assert_eq!(by_number.header("ETag"), Some("\"3\""));
        assert_eq!(by_number.ok()["name"], "Edge");
        let stale = client.request("POST", &path).header("If-Match", "\"2\"");
        stale.json(&json!({"uniqueId": unique_id, "name": "X"})).send().problem(412, "0004");
        // So is an array that changes one group; of several, none is the one that it could be about.
        let array = |tag: &str, body: &Value| client.request("POST", &path).header("If-Match", tag).json(body).send();
        let one = json!([{"id": unique_id, "description": "side"}, {"name": "Side", "parent": {"name": "Edge"}}]);
        array("\"2\"", &one).problem(412, "0004");
        let saved = array("\"3\"", &one).list();
        client.delete(&format!("{path}/{}", text(&saved[1]["uniqueId"]))).ok();
        let two = json!([{"id": unique_id, "name": "X"}, {"id": unique_id, "name": "Y"}]);
        array("\"4\"", &two).problem(400, "0002");
        array("\"4\"", &json!([{"name": "X"}])).list();
        let made = client.search(&format!("{path}/search"), "name:X").page();
        client.delete(&format!("{path}/{}", text(&made["results"][0]["uniqueId"]))).ok();
        // All or none, and an id is never given to something new.
        let nobody = format!("{prefix}00000000-0000-4000-8000-000000000000");
        client.post(&path, &json!([{"name": "Third"}, {"id": nobody, "name": "Fourth"}])).not_found();
        client.post(&path, &json!({"id": 987_654_321, "name": "Fourth"})).not_found();
        client.post(&path, &json!([{"id": "web", "name": "Fourth"}])).invalid(&["[0].id"]);
        client.post(&path, &json!([{"id": unique_id, "parent": {"name": "gone"}}])).invalid(&["[0].parent.name"]);
        client.post(&path, &json!([{"id": unique_id, "name": "new"}])).problem(409, "0004");
        server.new_client().post(&path, &json!({"id": unique_id, "name": "Mine"})).not_found();
        assert_eq!(names(&client.get(&format!("{path}/minimal")).list()), ["Edge", "New"]);
    }
}

fn groups_are_searched_and_listed(server: &Server) {
    let client = server.new_client();
    for (kind, _) in KINDS {
        for name in ["Web", "Web Edge", "Mail"] {
            group(&client, kind, &json!({"name": name}));
        }
        let listed = client.get(&format!("/{kind}/minimal")).list();
        assert_eq!(names(&listed), ["Mail", "Web", "Web Edge"]);
        assert!(listed.iter().all(|item| item["id"].is_i64() && item["uniqueId"].is_string()), "{listed:?}");
        assert_eq!(client.get(&format!("/{kind}/search?pageSize=2")).page()["totalPages"], json!(2));
        let page = client.search(&format!("/{kind}/search"), "name:web").page();
        assert_eq!(page["totalResults"], json!(2));
    }
}

fn names_are_required_and_unique(server: &Server) {
    let client = server.new_client();
    for (kind, _) in KINDS {
        let path = format!("/{kind}");
        for body in [json!({}), json!({"name": ""}), json!({"name": []})] {
            client.post(&path, &body).invalid(&["name"]);
        }
        client.post(&path, &json!({"name": "Once"})).ok();
        client.post(&path, &json!({"name": "Once"})).problem(409, "0004");
        let other = group(&client, kind, &json!({"name": "Other"}));
        client.post(&format!("{path}/{other}"), &json!({"name": "Once"})).problem(409, "0004");
        assert_eq!(names(&client.get(&format!("{path}/minimal")).list()), ["Once", "Other"]);
    }
}

fn members_come_and_go(server: &Server) {
    let client = server.new_client();
    let a = create(&client, &json!({"name": "a"}));
    let b = create(&client, &json!({"name": "b"}));
    for (kind, _) in KINDS {
        let id = group(&client, kind, &json!({"name": "G"}));
        let path = format!("/{kind}/{id}/childs");
        assert!(members(&client, kind, &id).is_empty());
        client.post(&path, &json!([{"id": a}, {"id": b}])).ok();
        client.post(&path, &json!([{"id": a}])).ok();
        assert_eq!(members(&client, kind, &id), ["a", "b"], "adding again changes nothing");
        client.delete_with(&path, &json!([{"id": a}])).ok();
        assert_eq!(members(&client, kind, &id), ["b"]);
        client.delete(&format!("/{kind}/{id}")).ok();
        assert_eq!(found(&client, "state:all"), ["a", "b"], "a deleted group leaves its members");
    }
}

fn a_reference_may_be_id_unique_id_or_name(server: &Server) {
    let client = server.new_client();
    let parent = client.post("/deviceGroups", &json!({"name": "Parent"})).ok();
    let references = [json!({"id": parent["id"]}), json!({"uniqueId": parent["uniqueId"]}), json!({"name": "Parent"})];
    for (number, reference) in references.iter().enumerate() {
        let child = group(&client, "deviceGroups", &json!({"name": format!("Child {number}"), "parent": reference}));
        let resource = create(&client, &json!({"name": format!("r{number}")}));
        client.post(&format!("/deviceGroups/{child}/childs"), &json!([{"id": resource}])).ok();
    }
    let listed = client.get(&format!("/resources/minimal?deviceGroupId={}", parent["id"])).list();
    assert_eq!(names(&listed), ["r0", "r1", "r2"]);
    for wrong in [json!({"id": 987_654}), json!({"uniqueId": format!("DGP-{}", uuid())}), json!({"name": "Nobody"})] {
        client.post("/deviceGroups", &json!({"name": "Orphan", "parent": wrong})).problem(400, "0002");
    }
}

fn children_count_as_members_of_the_parent(server: &Server) {
    let client = server.new_client();
    let top = group(&client, "deviceGroups", &json!({"name": "Top"}));
    let middle = group(&client, "deviceGroups", &json!({"name": "Middle", "parent": {"name": "Top"}}));
    let bottom = group(&client, "deviceGroups", &json!({"name": "Bottom", "parent": {"name": "Middle"}}));
    for (id, member) in [(&top, "t"), (&middle, "m"), (&bottom, "b")] {
        let resource = create(&client, &json!({"name": member}));
        client.post(&format!("/deviceGroups/{id}/childs"), &json!([{"id": resource}])).ok();
    }
    let listed = |id: &str| names(&client.get(&format!("/resources/minimal?deviceGroupId={id}")).list()).join(" ");
    assert_eq!(listed(&top), "b m t");
    assert_eq!(listed(&middle), "b m");
    assert_eq!(listed(&bottom), "b");
    assert_eq!(found(&client, "deviceGroup:Top+isEquals:true").join(" "), "b m t");
    client.post(&format!("/deviceGroups/{middle}"), &json!({"parent": {"name": "Bottom"}})).problem(409, "0004");
    assert_eq!(listed(&top), "b m t");
}

fn a_machine_lists_its_groups(server: &Server) {
    let client = server.new_client();
    let id = create(&client, &json!({"hostName": "db-1"}));
    let groups = || client.get(&format!("/resources/{id}/groups")).list();
    assert!(groups().is_empty());
    let above = group(&client, "deviceGroups", &json!({"name": "All"}));
    let rules = json!({"rules": [{"key": "hostName", "operator": "Starts with", "value": "db"}]});
    let body = json!({"name": "databases", "parent": {"id": above}, "filterCriteria": rules});
    group(&client, "deviceGroups", &body);
    for (kind, name) in [("serviceGroups", "Booking"), ("deviceGroups", "Cellar"), ("deviceGroups", "Attic")] {
        let of = group(&client, kind, &json!({"name": name}));
        if name != "Attic" {
            client.post(&format!("/{kind}/{of}/childs"), &json!([{"id": id}])).ok();
        }
    }
    let found = groups();
    let shown = |one: &Value| (text(&one["name"]), text(&one["type"]), one["byRule"].clone());
    let expected =
        [("Cellar", "DEVICE_GROUP", false), ("databases", "DEVICE_GROUP", true), ("Booking", "SERVICE_GROUP", false)]
            .map(|(name, kind, by_rule)| (name.to_owned(), kind.to_owned(), json!(by_rule)));
    assert_eq!(found.iter().map(shown).collect::<Vec<_>>(), expected);
    assert_eq!(client.get(&format!("/deviceGroups/{}", text(&found[0]["uniqueId"]))).ok()["id"], found[0]["id"]);
    client.get(&format!("/resources/{id}/groups?pageNo=1")).invalid(&["pageNo"]);
    // Another client has neither the machine nor its groups; a partner has them too.
    server.new_client().get(&format!("/resources/{id}/groups")).not_found();
    assert_eq!(server.admin().get(&format!("/resources/{id}/groups")).list().len(), 3);
    client.delete(&format!("/resources/{id}")).ok();
    client.get(&format!("/resources/{id}/groups")).not_found();
}

fn a_group_cannot_contain_itself(server: &Server) {
    let client = server.new_client();
    let own = group(&client, "deviceGroups", &json!({"name": "Own"}));
    let answer = client.post(&format!("/deviceGroups/{own}"), &json!({"parent": {"id": own}}));
    assert!([400, 409].contains(&answer.status), "{answer}");
    client.get(&format!("/resources/minimal?deviceGroupId={own}")).list();
}

fn unknown_members_are_refused(server: &Server) {
    let client = server.new_client();
    let known = create(&client, &json!({"name": "known"}));
    for (kind, _) in KINDS {
        let id = group(&client, kind, &json!({"name": "G"}));
        let path = format!("/{kind}/{id}/childs");
        let answer = client.post(&path, &json!([{"id": known}, {"id": uuid()}]));
        assert!([400, 404].contains(&answer.status), "{answer}");
        for wrong in [json!({}), json!([{}]), json!([{"id": 7}]), json!(["x"]), json!([{"id": "no-uuid"}])] {
            let answer = client.post(&path, &wrong);
            assert!([400, 404].contains(&answer.status), "{wrong}: {answer}");
        }
        assert!(members(&client, kind, &id).is_empty(), "all or none");
    }
}

fn a_decommissioned_member_is_gone(server: &Server) {
    let client = server.new_client();
    let a = create(&client, &json!({"name": "a"}));
    let b = create(&client, &json!({"name": "b"}));
    for (kind, _) in KINDS {
        let id = group(&client, kind, &json!({"name": "G"}));
        client.post(&format!("/{kind}/{id}/childs"), &json!([{"id": a}, {"id": b}])).ok();
    }
    client.delete(&format!("/resources/{a}")).ok();
    assert_eq!(found(&client, "deviceGroup:G"), ["b"]);
    assert_eq!(found(&client, "serviceGroup:G"), ["b"]);
    let group = integer(&client.get("/deviceGroups/minimal").list()[0]["id"]).to_string();
    assert_eq!(members(&client, "deviceGroups", &group), ["b"]);
}
