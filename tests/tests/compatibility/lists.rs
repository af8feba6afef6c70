//! The lists that clients of other services request.

use muster_tests::{Client, Server, both_backends, unique};
use serde_json::{Value, json};

use super::{column, text};

both_backends![
    lists_that_are_the_same_for_all,
    users_in_short,
    a_terminated_client_stays_shut,
    resources_with_their_details,
    integrations_that_there_are,
    events_and_placeholders_are_paged,
];

fn lists_that_are_the_same_for_all(server: &Server) {
    let viewer = server.caller(server.new_client().tenant_id(), "viewer");
    let list = |path: &str| viewer.absolute("GET", path).send().list();
    let countries = list("/api/v2/cfg/countries");
    assert!(countries.len() > 240 && countries.contains(&json!({"code": "IN", "name": "India"})), "{countries:?}");
    let types = list("/api/v2/cfg/devices/types");
    assert!(types.iter().any(|kind| kind["name"] == "Linux" && kind["path"] == "Server >> Linux"), "{types:?}");
    let all = viewer.get("/resourceType/minimal").list();
    assert!(types.iter().all(|kind| all.contains(kind)));
    let names = |path: &str| list(path).iter().map(|one| text(&one["name"])).collect::<Vec<_>>();
    assert_eq!(names("/api/v2/cfg/alertTypes"), ["Monitoring", "Maintenance"]);
    assert_eq!(names("/api/v2/alertTypes"), names("/api/v2/cfg/alertTypes"));
    assert!(names("/api/v2/cfg/alertTechnologies").contains(&"Alertmanager".to_owned()));
    assert!(list("/api/v2/cfg/tenants/channels").is_empty() && list("/api/v2/cfg/tenants/nocs").is_empty());
    viewer.absolute("GET", "/api/v2/cfg/countries?x=1").send().invalid(&["x"]);
    server.anonymous().absolute("GET", "/api/v2/cfg/countries").send().unauthenticated();
    // What an alert says of itself is one of the words.
    let client = server.new_client();
    let alert = client.post("/alert", &json!({"currentState": "Warning", "subject": unique("s")})).ok();
    assert!(names("/api/v2/cfg/alertTypes").contains(&text(&alert["alertType"])), "{alert}");
}

fn users_in_short(server: &Server) {
    let client = server.new_client();
    let login = unique("ann");
    let made = client.post("/users", &json!({"loginName": login, "firstName": "Ann", "email": "a@example.net"})).ok();
    let listed = client.get("/users/minimal").list();
    let all = client.get("/users/search?pageSize=1000").page();
    assert_eq!(listed.iter().map(|user| text(&user["id"])).collect::<Vec<_>>(), column(&all, "id"));
    assert!(listed.contains(&json!({"id": made["id"], "loginName": login, "firstName": "Ann"})), "{listed:?}");
}

fn a_terminated_client_stays_shut(server: &Server) {
    let admin = server.admin();
    let client = server.new_client();
    let caller = server.caller(client.tenant_id(), "admin");
    caller.get("/resources/minimal").list();
    let at = format!("/clients/{}", client.tenant_id());
    let ended = admin.post_empty(&format!("{at}/terminate")).ok();
    assert_eq!(
        (&ended["terminated"], &ended["suspended"], &ended["activated"]),
        (&json!(true), &json!(true), &json!(false))
    );
    caller.get("/resources/minimal").unauthenticated();
    assert!(client.get("/apiKeys").list().is_empty(), "its keys are revoked");
    let revoked = admin.search("/auditLog/search", "entity:ApiKey+action:DELETE").page();
    assert!(column(&revoked, "tenantId").contains(&client.tenant_id().to_owned()), "{revoked}");
    for way in ["resume", "activate"] {
        admin.post_empty(&format!("{at}/{way}")).problem(409, "0004");
    }
    assert_eq!(admin.post_empty(&format!("{at}/terminate")).ok(), ended, "nothing is to change");
    assert_eq!(admin.post_empty(&format!("{at}/suspend")).ok(), ended);
    client.get("/resources/minimal").list();
    admin.post_empty("/clients/client_987654321/terminate").not_found();
    server.caller("msp_1", "integrator").post_empty(&format!("{at}/terminate")).forbidden();
}

fn resources_with_their_details(server: &Server) {
    let client = server.new_client();
    let site = client.post("/sites", &json!({"name": "Pune"})).ok()["id"].clone();
    let body = json!({"hostName": "web-01", "os": "Debian", "location": {"id": site},
        "tags": [{"name": "env", "value": "x"}]});
    let id = text(&client.post("/resources", &body).ok()["resourceUUID"]);
    let check = json!({"type": "SYNTHETIC", "name": "front", "url": "https://example.net", "checkType": "HTTP"});
    let check = text(&client.post("/resources", &check).ok()["resourceUUID"]);
    let all = client.get("/resources/search?verbose=true&sortName=name&isDescendingOrder=false").page();
    let [front, web] = all["results"].as_array().unwrap().as_slice() else { panic!("{all}") };
    for (shown, id) in [(web, &id), (front, &check)] {
        let detail = client.get(&format!("/resources/{id}")).ok();
        let minimal = client.search("/resources/search", &format!("id:{id}")).page()["results"][0].clone();
        for (name, value) in minimal.as_object().unwrap().iter().chain(detail.as_object().unwrap()) {
            assert_eq!(&shown[name], value, "{name} of {shown}");
        }
    }
    assert_eq!((&web["generalInfo"]["osName"], &web["location"]["name"]), (&json!("Debian"), &json!("Pune")), "{web}");
    assert_eq!(client.get("/resources/search?verbose=false").page()["results"][0].get("generalInfo"), None);
    client.get("/resources/search?verbose=true&pageSize=101").invalid(&["pageSize"]);
    client.get("/resources/search?verbose=perhaps").invalid(&["verbose"]);
    let paged = client.get("/resources/search?verbose=true&pageSize=1&pageNo=1&pageNo=2").page();
    assert_eq!(paged["pageNo"], json!(2));
}

fn integrations_that_there_are(server: &Server) {
    let client = server.new_client();
    let available = client.get("/integrations/available/search").page();
    assert_eq!(column(&available, "id"), ["CUSTOM"]);
    let made = client.post("/integrations/install/CUSTOM", &json!({"displayName": "Tickets"})).ok();
    assert_eq!(made["integration"]["id"], available["results"][0]["id"]);
    for (query, expected) in [
        ("category:CUSTOM_INTEGRATION", 1),
        ("category:ITSM_INTEGRATION,CUSTOM_INTEGRATION", 1),
        ("category:CUSTOM_INTEGRATION+uId:custom", 1),
        ("category:ITSM_INTEGRATION", 0),
        ("uId:KUBERNETES", 0),
    ] {
        for path in ["/integrations/installed/search", "/integrations/available/search"] {
            assert_eq!(client.search(path, query).page()["totalResults"], json!(expected), "{path} {query}");
        }
    }
    client.search("/integrations/installed/search", "kind:CUSTOM").invalid(&["queryString"]);
}

fn events_and_placeholders_are_paged(server: &Server) {
    let client = server.new_client();
    let made = client.post("/integrations/install/CUSTOM", &json!({"displayName": "Tickets"})).ok();
    let at = format!("/integrations/installed/{}", text(&made["id"]));
    for name in ["one", "two", "three"] {
        client.post(&format!("{at}/event"), &json!({"name": name})).ok();
    }
    let all = client.get(&format!("{at}/events")).page();
    assert_eq!(column(&all, "name"), ["one", "two", "three"]);
    assert_eq!(column(&client.get(&format!("{at}/events?pageSize=2&pageNo=2")).page(), "name"), ["three"]);
    assert_eq!(json!(walked(&client, &format!("{at}/events"), 2)), all["results"]);
    client.get(&format!("{at}/events?pageSize=1001")).invalid(&["pageSize"]);
    let known = "/integrations/events/placeHolders/INCIDENT";
    let told = client.get(known).page();
    assert_eq!(told["placeHolders"], told["results"]);
    assert!(told["results"].as_array().unwrap().contains(&json!("$incident.subject")));
    assert_eq!(json!(walked(&client, known, 7)), told["results"]);
    let second = client.get(&format!("{known}?pageSize=7&pageNo=2")).page();
    assert_eq!(second["results"][0], told["results"][7]);
}

/// All rows of a list, by its cursors; each page has at most `size`.
fn walked(client: &Client, path: &str, size: usize) -> Vec<Value> {
    let mut rows = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = client.get(&format!("{path}?pageSize={size}{cursor}")).ok();
        let some = page["results"].as_array().cloned().unwrap();
        assert!(some.len() <= size);
        rows.extend(some);
        let Some(next) = page["nextCursor"].as_str() else { return rows };
        cursor = format!("&cursor={next}");
    }
}
