//! What happens to machines, their sites and their groups at the same time.

use std::thread;

use muster_tests::{Client, Response, Server, both_backends, unique};
use serde_json::{Value, json};

use super::{create, integer, text};

both_backends![
    a_move_to_a_site_loses_no_other_change,
    a_site_that_goes_at_the_same_time_has_no_machines,
    a_machine_that_goes_at_the_same_time_is_in_no_group,
    a_type_that_is_new_to_several_at_once_is_one,
];

/// How often each pair is tried.
const ROUNDS: usize = 20;

/// The answers to two calls at once.
fn at_once(one: impl FnOnce() -> Response + Send, other: impl FnOnce() -> Response + Send) -> [Response; 2] {
    thread::scope(|scope| {
        let other = scope.spawn(other);
        [one(), other.join().unwrap()]
    })
}

fn site(client: &Client) -> i64 {
    integer(&client.post("/sites", &json!({"name": unique("site")})).ok()["id"])
}

fn a_move_to_a_site_loses_no_other_change(server: &Server) {
    let client = server.new_client();
    let members = format!("/sites/{}/members", site(&client));
    let machines: Vec<String> = (0..ROUNDS).map(|n| create(&client, &json!({"name": format!("m{n}")}))).collect();
    let all: Value = machines.iter().rev().map(|id| json!({"id": id})).collect();
    let (changed, gone) = machines.split_at(ROUNDS / 2);
    thread::scope(|scope| {
        scope.spawn(|| {
            changed.iter().for_each(|id| {
                client.post(&format!("/resources/{id}"), &json!({"description": "new"})).ok();
            })
        });
        scope.spawn(|| {
            changed.iter().for_each(|id| {
                client.post(&members, &json!([{"id": id}])).ok();
            })
        });
        let moved = client.post(&members, &all);
        assert!([200, 400].contains(&moved.status), "{moved}");
    });
    for id in changed {
        let machine = client.get(&format!("/resources/{id}")).ok();
        assert_eq!(machine["generalInfo"]["description"], json!("new"), "{machine}");
    }
    for id in gone {
        let path = format!("/resources/{id}");
        let [deleted, _] = at_once(|| client.delete(&path), || client.post(&members, &json!([{"id": id}])));
        deleted.ok();
        client.get(&path).not_found();
    }
}

fn a_site_that_goes_at_the_same_time_has_no_machines(server: &Server) {
    let client = server.new_client();
    let machine = create(&client, &json!({"name": "machine"}));
    for round in 0..ROUNDS {
        let id = site(&client);
        let here = json!({"name": format!("m{round}"), "location": {"id": id}});
        let [gone, put] = at_once(
            || client.delete(&format!("/sites/{id}")),
            || match round % 3 {
                0 => client.post(&format!("/resources/{machine}"), &here),
                1 => client.post("/resources", &here),
                _ => client.post("/resources/bulk", &json!([here])),
            },
        );
        let is_put = put.status == 200 && !put.text().contains("\"errors\":[{");
        assert!((gone.status == 200) != is_put, "{gone} {put}");
        let found = client.get(&format!("/resources/search?locationId={id}")).page();
        assert_eq!(found["totalResults"] == json!(1), is_put, "{found}");
        client.post(&format!("/resources/{machine}"), &json!({"location": {}})).ok();
    }
}

fn a_machine_that_goes_at_the_same_time_is_in_no_group(server: &Server) {
    let client = server.new_client();
    for round in 0..ROUNDS {
        let machine = create(&client, &json!({"name": format!("m{round}")}));
        let group = text(&client.post("/deviceGroups", &json!({"name": unique("g")})).ok()["uniqueId"]);
        let [gone, _] = at_once(
            || client.delete(&format!("/resources/{machine}")),
            || client.post(&format!("/deviceGroups/{group}/childs"), &json!([{"id": machine}])),
        );
        gone.ok();
        let members = client.get(&format!("/deviceGroups/{group}/childs")).page();
        assert_eq!(members["totalResults"], json!(0), "{members}");
    }
}

fn a_type_that_is_new_to_several_at_once_is_one(server: &Server) {
    let client = server.new_client();
    for round in 0..ROUNDS {
        let kind = format!("Kind {round}");
        let make = |name: &str| client.post("/resources", &json!({"name": name, "resourceType": kind}));
        at_once(|| make("one"), || make("other")).iter().for_each(|made| drop(made.ok()));
        let types = client.get("/resourceType/minimal").list();
        assert_eq!(types.iter().filter(|one| one["name"] == kind).count(), 1, "{types:?}");
    }
}
