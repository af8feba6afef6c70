//! At the partner's level, lists cover all its clients.

use muster_tests::{Server, both_backends, unique};
use serde_json::{Value, json};

use super::{create, names, text};

both_backends![
    the_partner_lists_all_its_clients,
    the_partner_searches_history_of_all_its_clients,
    the_partner_reads_a_clients_resource,
];

fn the_partner_lists_all_its_clients(server: &Server) {
    let one = server.new_client();
    let two = server.new_client();
    let mark = unique("mark");
    create(&one, &json!({"name": "one", "hostName": format!("{mark}.one")}));
    create(&two, &json!({"name": "two", "hostName": format!("{mark}.two")}));
    create(&two, &json!({"name": "off", "hostName": format!("{mark}.off"), "state": "inactive"}));
    let query = format!("hostName:{mark}");
    let admin = server.admin();
    assert_eq!(names(&admin.search("/resources/minimal", &query).list()), ["one", "two"]);
    assert_eq!(names(&admin.search("/resources/minimal?state=all", &query).list()), ["off", "one", "two"]);
    assert_eq!(names(&one.search("/resources/minimal", &query).list()), ["one"]);
    assert_eq!(admin.search("/resources/search?state=all", &query).page()["totalResults"], json!(3));
    let viewer = server.caller("msp_1", "viewer");
    assert_eq!(names(&viewer.search("/resources/minimal", &query).list()), ["one", "two"]);
}

fn the_partner_searches_history_of_all_its_clients(server: &Server) {
    let one = server.new_client();
    let two = server.new_client();
    let mark = unique("mark");
    for client in [&one, &two] {
        let id = create(client, &json!({"name": client.tenant_id(), "hostName": mark}));
        client.delete(&format!("/resources/{id}")).ok();
    }
    let query = format!("state:DECOMMISSIONED+hostName:{mark}");
    let page = server.admin().search("/history/resources", &query).page();
    let results: Vec<Value> = page["results"].as_array().cloned().unwrap_or_default();
    let mut expected = vec![one.tenant_id().to_owned(), two.tenant_id().to_owned()];
    expected.sort();
    assert_eq!(names(&results), expected);
    assert_eq!(one.search("/history/resources", &query).page()["totalResults"], json!(1));
}

/// Listed resources can be read: the partner's list leads to the detail at the same level.
fn the_partner_reads_a_clients_resource(server: &Server) {
    let client = server.new_client();
    let id = create(&client, &json!({"name": "read from above"}));
    let detail = server.admin().get(&format!("/resources/{id}")).ok();
    assert_eq!(text(&detail["clientUniqueId"]), client.tenant_id());
    assert!(server.admin().get(&format!("/resources/{id}/applications")).list().is_empty());
}
