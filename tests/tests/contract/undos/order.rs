//! Objects of a set are restored in whichever order their rules let them be.

use muster_tests::{Client, Server, both_backends, unique};
use serde_json::{Value, json};

use super::{delete, newest, send, undo, undone};
use crate::contract::text;

both_backends![
    an_integration_that_was_renamed_and_deleted_comes_back_with_its_event,
    a_site_comes_back_before_the_machine_that_was_at_it,
    a_machine_comes_back_to_a_site_that_went_before_it,
    a_name_is_given_back_first,
    more_objects_than_one_transaction_has_are_restored_in_any_order,
    a_set_is_undone_by_one_of_several_undos,
];

fn create_site(client: &Client, name: &str) -> String {
    client.post("/sites", &json!({"name": name, "city": "Graz"})).ok()["id"].to_string()
}

#[track_caller]
fn name_of(client: &Client, site: &str) -> Value {
    client.get(&format!("/sites/{site}")).ok()["name"].clone()
}

fn an_integration_that_was_renamed_and_deleted_comes_back_with_its_event(server: &Server) {
    let client = server.new_client();
    let notifier = json!({"type": "REST_API", "baseURI": "https://example.net/api", "authType": "NONE"});
    let body = json!({"displayName": unique("tickets"), "baseNotifier": notifier});
    let integration = client.post("/integrations/install/CUSTOM", &body).ok();
    let path = format!("/integrations/installed/{}", text(&integration["id"]));
    let event = json!({"name": "Ticket", "entity": "INCIDENT", "eventType": "CREATE", "endPointURI": "/tickets"});
    let event = text(&client.post(&format!("{path}/event"), &event).ok()["id"]);
    let name = unique("change");
    send(&client, &name, &path, &json!({"displayName": unique("other")}));
    delete(&client, &name, &path);
    undone(&client, &newest(&client, &name));
    assert_eq!(client.get(&path).ok()["displayName"], integration["displayName"]);
    client.get(&format!("{path}/event/{event}")).ok();
}

fn a_site_comes_back_before_the_machine_that_was_at_it(server: &Server) {
    let client = server.new_client();
    let [old, new] = ["Old", "New"].map(|name| create_site(&client, name));
    let at = |site: &str| json!({"id": site.parse::<i64>().expect("an id")});
    let machine = client.post("/resources", &json!({"hostName": "web-01", "location": at(&old)})).ok();
    let machine = format!("/resources/{}", text(&machine["resourceUUID"]));
    let name = unique("change");
    send(&client, &name, &format!("/sites/{old}"), &json!({"city": "Linz"}));
    send(&client, &name, &machine, &json!({"location": at(&new)}));
    delete(&client, &name, &format!("/sites/{old}"));
    assert_eq!(undone(&client, &newest(&client, &name)).0, 2);
    assert_eq!(client.get(&machine).ok()["location"]["id"].to_string(), old);
    assert_eq!(client.get(&format!("/sites/{old}")).ok()["city"], json!("Graz"));
}

fn a_machine_comes_back_to_a_site_that_went_before_it(server: &Server) {
    let client = server.new_client();
    let [old, new] = ["Old", "New"].map(|name| create_site(&client, name));
    let at = |site: &str| json!({"id": site.parse::<i64>().expect("an id")});
    let machine = client.post("/resources", &json!({"hostName": "web-01", "location": at(&old)})).ok();
    let machine = format!("/resources/{}", text(&machine["resourceUUID"]));
    let name = unique("change");
    send(&client, &name, &machine, &json!({"location": at(&new)}));
    delete(&client, &name, &format!("/sites/{old}"));
    delete(&client, &name, &machine);
    assert_eq!(undone(&client, &newest(&client, &name)).0, 2);
    assert_eq!(client.get(&machine).ok()["location"]["id"].to_string(), old);
}

fn a_name_is_given_back_first(server: &Server) {
    let client = server.new_client();
    let old = create_site(&client, "Main");
    let name = unique("replace");
    let new = send(&client, &name, "/sites", &json!({"name": "for now"}))["id"].to_string();
    delete(&client, &name, &format!("/sites/{old}"));
    send(&client, &name, &format!("/sites/{new}"), &json!({"name": "Main"}));
    let (_, first) = undone(&client, &newest(&client, &name));
    client.get(&format!("/sites/{new}")).not_found();
    assert_eq!(name_of(&client, &old), json!("Main"));
    undone(&client, &first);
    assert_eq!(name_of(&client, &new), json!("Main"));

    let [one, other] = ["One", "Two"].map(|name| create_site(&client, name));
    let name = unique("rename");
    let rename = |site: &str, to: &str| send(&client, &name, &format!("/sites/{site}"), &json!({"name": to}));
    send(&client, &name, &format!("/sites/{other}"), &json!({"city": "Linz"}));
    rename(&one, "Three");
    rename(&other, "One");
    rename(&one, "Four");
    undone(&client, &newest(&client, &name));
    assert_eq!((name_of(&client, &one), name_of(&client, &other)), (json!("One"), json!("Two")));

    // Two that exchanged their names by a third cannot be told apart from one step.
    let name = unique("swap");
    for (site, to) in [(&one, "for now"), (&other, "One"), (&one, "Two")] {
        send(&client, &name, &format!("/sites/{site}"), &json!({"name": to}));
    }
    undo(&client, &newest(&client, &name)).problem(409, "0004");
    assert_eq!((name_of(&client, &one), name_of(&client, &other)), (json!("Two"), json!("One")));
}

fn more_objects_than_one_transaction_has_are_restored_in_any_order(server: &Server) {
    let client = server.new_client();
    let sites: Vec<String> = (0..60).map(|number| create_site(&client, &format!("site {number}"))).collect();
    let name = unique("rename");
    let rename = |site: &str, to: String| send(&client, &name, &format!("/sites/{site}"), &json!({"name": to}));
    // Each takes the name of the one before it, which was changed later again.
    for (number, site) in sites.iter().enumerate() {
        rename(site, format!("new {number}"));
        if number > 0 {
            rename(site, format!("site {}", number - 1));
        }
    }
    for site in &sites[..2] {
        send(&client, &name, &format!("/sites/{site}"), &json!({"city": "Linz"}));
    }
    for number in 0..50 {
        send(&client, &name, "/sites", &json!({"name": format!("further {number}")}));
    }
    assert_eq!(undone(&client, &newest(&client, &name)).0, 110);
    for (number, site) in sites.iter().enumerate() {
        assert_eq!(name_of(&client, site), json!(format!("site {number}")));
    }
}

fn a_set_is_undone_by_one_of_several_undos(server: &Server) {
    let client = server.new_client();
    for _ in 0..3 {
        let site = create_site(&client, &unique("site"));
        let name = unique("change");
        send(&client, &name, &format!("/sites/{site}"), &json!({"city": "Linz"}));
        let set = newest(&client, &name);
        let statuses: Vec<u16> = std::thread::scope(|scope| {
            let all: Vec<_> = (0..6).map(|_| scope.spawn(|| undo(&client, &set).status)).collect();
            all.into_iter().map(|one| one.join().expect("an answer")).collect()
        });
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
        assert!(statuses.iter().all(|status| [200, 409].contains(status)), "{statuses:?}");
    }
}
