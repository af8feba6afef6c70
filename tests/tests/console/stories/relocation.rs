//! An operator moves two hundred machines to a new site, and puts a maintenance window on it.

use muster_tests::{in_browser, unique};
use serde_json::{Value, json};

use super::{super::text, Actor, Input, results, server};

in_browser![
    an_operator_moves_200_machines_to_a_site_with_a_window_by_mouse,
    an_operator_moves_200_machines_to_a_site_with_a_window_by_keys,
    an_operator_moves_200_machines_to_a_site_with_a_window_on_a_telephone
];

fn an_operator_moves_200_machines_to_a_site_with_a_window_by_mouse() {
    relocate(Input::Mouse);
}

fn an_operator_moves_200_machines_to_a_site_with_a_window_by_keys() {
    relocate(Input::Keys);
}

fn an_operator_moves_200_machines_to_a_site_with_a_window_on_a_telephone() {
    relocate(Input::Telephone);
}

fn relocate(input: Input) {
    let company = server().new_client();
    let row = |host: String| format!("{}\n", json!({"hostName": host, "type": "DEVICE", "resourceType": "Linux"}));
    let mut rows: String = (0..200).map(|number| row(format!("rack-{number:03}"))).collect();
    rows.extend((0..3).map(|number| row(format!("desk-{number}"))));
    let stored = company.request("POST", "/resources/bulk").body("application/x-ndjson", rows).send();
    assert_eq!(stored.status, 200, "{stored}");
    let Some(operator) = Actor::sign_in(&company, "operator", input) else { return };
    operator.go("Sites");
    let site = unique("Harbour");
    operator.press("New site…");
    operator.fill("Name", &site);
    operator.fill("City", "Linz");
    operator.send("Create");
    operator.heading(&site);

    operator.go("Machines");
    operator.fill("Search the inventory", "rack-");
    operator.reads("200 machines");
    operator.tick("Select all");
    operator.reads("100 machines selected");
    operator.press("Select all 200 that match");
    operator.reads("200 machines selected");
    operator.press("Move to site…");
    operator.pick("Site", "Harb", &site);
    operator.send("Move");
    operator.reads("200 done.");

    operator.go("Maintenance");
    let name = unique("New floor");
    operator.press("New window…");
    operator.fill("Name", &name);
    operator.pick("Sites", "Harb", &site);
    operator.reads(&format!("the site {site}: 200 machines"));
    operator.set_time("From", "2030-03-01T20:00");
    operator.set_time("To", "2030-03-02T02:00");
    operator.send("Create");
    operator.reads("Try an alert…");

    let sites = results(&company.get("/sites/search").page());
    let made = sites.iter().find(|one| one["name"] == json!(site)).expect("the site");
    assert_eq!(made["city"], json!("Linz"));
    let members = company.get(&format!("/sites/{}/members?pageSize=1000", made["id"])).page();
    let hosts: Vec<String> = results(&members).iter().map(|one| text(&one["hostName"])).collect();
    assert_eq!((hosts.len(), hosts.iter().all(|host| host.starts_with("rack-"))), (200, true), "{hosts:?}");
    let window = text(&operator.window.evaluate("new URLSearchParams(location.search).get('window')"));
    let window = company.get(&format!("/scheduleMaintenances/{window}")).ok();
    let places: Vec<Value> = window["locations"].as_array().unwrap().iter().map(|one| one["name"].clone()).collect();
    assert_eq!((&window["name"], &window["state"], places), (&json!(name), &json!("Pending"), vec![json!(site)]));
    let times = ["start", "end"].map(|end| text(&window["next"][end]));
    assert_eq!(times, ["2030-03-01T20:00:00+0000", "2030-03-02T02:00:00+0000"]);
    operator.is_done();
}
