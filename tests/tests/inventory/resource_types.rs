//! `GET /resourceType/minimal`.

use muster_tests::{Server, both_backends};
use serde_json::json;

use super::{create, integer, keys, text};

both_backends![
    types_have_the_documented_shape,
    the_table_grows_with_stored_resources,
    types_of_one_name_are_told_apart_by_their_paths,
    no_parameters_are_taken,
];

fn types_have_the_documented_shape(server: &Server) {
    let types = server.new_client().get("/resourceType/minimal").list();
    assert!(types.len() > 10, "seeded: {}", types.len());
    let mut ids: Vec<i64> = types.iter().map(|kind| integer(&kind["id"])).collect();
    for kind in &types {
        let mut fields = keys(kind);
        fields.sort_unstable();
        assert_eq!(fields, ["id", "name", "path"]);
        let name = text(&kind["name"]);
        let path = text(&kind["path"]);
        assert_eq!(path.split(" >> ").last(), Some(name.as_str()), "the last level is the type: {path}");
    }
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), types.len(), "ids are unique");
    let linux = types.iter().find(|kind| kind["name"] == "Linux").cloned().unwrap_or_default();
    assert_eq!(linux["path"], json!("Server >> Linux"));
}

fn the_table_grows_with_stored_resources(server: &Server) {
    let client = server.new_client();
    let named = |name: &str| {
        let types = client.get("/resourceType/minimal").list();
        types.iter().filter(|kind| kind["name"] == name).count()
    };
    let before = client.get("/resourceType/minimal").list().len();
    assert_eq!(named("Weather Balloon"), 0);
    create(&client, &json!({"name": "a", "resourceType": "Weather Balloon"}));
    create(&client, &json!({"name": "b", "resourceType": "Weather Balloon"}));
    create(&client, &json!({"name": "c", "resourceType": "Linux"}));
    assert_eq!(named("Weather Balloon"), 1);
    assert_eq!(client.get("/resourceType/minimal").list().len(), before + 1);
}

fn types_of_one_name_are_told_apart_by_their_paths(server: &Server) {
    let client = server.new_client();
    for path in ["Rack >> PDU", "Room >> PDU", "Camera >> Linux"] {
        create(&client, &json!({"name": path, "resourceType": path}));
    }
    create(&client, &json!({"name": "server", "resourceType": "Linux"}));
    for path in ["Rack >> PDU", "Room >> PDU", "Camera >> Linux"] {
        let found = client.search("/resources/search", &format!("resourceType:{path}")).page();
        assert_eq!((&found["totalResults"], &found["results"][0]["name"]), (&json!(1), &json!(path)), "{found}");
    }
    let types = client.get("/resourceType/minimal").list();
    assert_eq!(types.iter().filter(|kind| kind["name"] == "PDU").count(), 2, "{types:?}");
}

fn no_parameters_are_taken(server: &Server) {
    let client = server.new_client();
    client.get("/resourceType/minimal?pageNo=1").invalid(&["pageNo"]);
    client.get("/resourceType/minimal?queryString=name:x").invalid(&["queryString"]);
}
