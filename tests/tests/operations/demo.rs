//! `--demo`: a small company to look around in.

use muster_tests::{Backend, Client, Server, both_backends};
use serde_json::{Value, json};

use crate::house::read;

both_backends![its_integration_shows_what_it_would_send_and_calls_nobody];

/// Anyone who reads the README at night is paged like anyone who reads it by day: no window of the demo company covers
/// a machine of the README, and somebody is on call.
#[test]
fn each_machine_of_the_readme_pages_somebody_at_any_time() {
    let server = Server::start_with(Backend::Sqlite, &["--demo"]);
    let client = server.admin().tenant("client_1");
    let readme = read("README.md");
    let block =
        readme.split("$CLIENT/resources -H").nth(1).and_then(|rest| rest.split("-d '").nth(1)?.split('\'').next());
    let machine: Value = serde_json::from_str(block.unwrap_or_default()).expect("the README creates a resource");
    client.post("/resources", &machine).ok();
    let report = readme.split("<<'REPORT'\n").nth(1).and_then(|rest| rest.split("\nREPORT\n").next());
    let report: Value =
        serde_json::from_str(report.unwrap_or_default()).expect("the README has a machine describe itself");
    client.post("/agents/reports", &report).ok();
    // Each report of a problem, as it is sent.
    let sent = readme.split("$CLIENT/alert -d '").skip(1).map(|rest| rest.split("}}'").next().unwrap_or_default());
    let alerts = sent.map(|text| serde_json::from_str(&format!("{}}}}}", text.replace("'$(date +%T)'", "now"))));
    let alerts: Vec<Value> = alerts.map(|alert| alert.expect("the README reports problems")).collect();
    assert_eq!(alerts.len(), 2);
    alerts.iter().for_each(|alert| pages_somebody_at_any_time(&client, alert));
}

fn pages_somebody_at_any_time(client: &Client, alert: &Value) {
    // Any week does: what the demo company plans goes on for ever.
    let half_hours = (1..=7).flat_map(|day| (0..24).flat_map(move |hour| [0, 30].map(|minute| (day, hour, minute))));
    for (day, hour, minute) in half_hours {
        let at = format!("2030-07-{day:02}T{hour:02}:{minute:02}:00Z");
        let told = client.post("/paging/explain", &json!({"alert": alert, "at": at})).ok();
        assert_eq!(told.get("maintenance"), None, "{at}: {told}");
        // A step that reaches nobody hands over to the next at once.
        let all = |list: &Value| list.as_array().cloned().unwrap_or_default();
        let at_once = all(&told["steps"]).into_iter().filter(|step| step["at"] == told["at"]);
        let mut users = at_once.flat_map(|step| all(&step["targets"])).flat_map(|target| all(&target["users"]));
        assert!(users.any(|user| user["through"] != json!([])), "{at}: {told}");
    }
}

fn its_integration_shows_what_it_would_send_and_calls_nobody(backend: Backend) {
    let mut server = Server::start_with(backend, &["--demo"]);
    let client = server.admin().tenant("client_1");
    let all = client.get("/integrations/installed/search").page();
    let made = &all["results"][0];
    assert_eq!((&all["totalResults"], &made["status"]), (&json!(1), &json!("DISABLED")), "{all}");
    let host = made["baseNotifier"]["baseURI"].as_str().and_then(|url| url.split('/').nth(2));
    assert!(host.is_some_and(|host| host.ends_with(".invalid")), "{made}");
    let at = format!("/integrations/installed/{}", made["id"].as_str().unwrap_or_default());
    let events = client.get(&format!("{at}/events")).page();
    let events: Vec<&Value> = events["results"].as_array().into_iter().flatten().collect();
    let [event] = events.as_slice() else { panic!("one event: {events:?}") };
    let event = format!("{at}/event/{}", event["id"].as_str().unwrap_or_default());
    let object = json!({"id": "INC1", "subject": "Disk \"full\"", "priority": {"name": "Urgent"},
        "createdDate": "2026-11-20T20:37:00+0000"});
    let told = client.post(&format!("{event}/test"), &json!({"object": object})).ok();
    assert_eq!(told["reasons"], json!(["the integration is disabled"]), "{told}");
    let body: Value = serde_json::from_str(told["request"]["body"].as_str().unwrap_or_default()).unwrap_or_default();
    assert_eq!((&body["title"], &body["urgency"]), (&json!("Disk \"full\""), &json!("Urgent")), "{told}");
    assert_eq!(body["opened"], json!("2026-11-20 20:37"), "{told}");
    client.post("/incidents", &json!({"subject": "pressing", "priority": "Urgent"})).ok();
    let deliveries = || client.get(&format!("{event}/deliveries")).page()["totalResults"].clone();
    assert_eq!(deliveries(), json!(0));
    client.delete(&at).ok();
    server.stop();
    server.restart();
    let client = server.admin().tenant("client_1");
    let all = client.get("/integrations/installed/search").page();
    assert_eq!(all["totalResults"], json!(0), "what was removed stays so");
}
