//! Alerts of machines in maintenance.

use std::thread::sleep;
use std::time::Duration;

use muster_tests::receiver::wait_for;
use muster_tests::{Backend, Client, Server, both_backends, unique};
use serde_json::{Value, json};

use super::{each, found, get, host, post, report, text};

both_backends![
    rules_do_not_see_the_effects_of_a_window,
    the_window_says_by_its_end_whether_to_escalate,
    alerts_that_another_window_covers_are_not_escalated,
    alerts_whose_machine_left_their_window_are_handed_to_another,
    an_alert_that_turns_out_to_be_a_clients_goes_on_there,
    a_decommissioned_machine_recovers,
    a_decommissioned_machine_recovers_under_any_of_its_names,
    inside_a_window_it_is_a_maintenance_alert,
    conditions_say_which_alerts_a_window_expects,
    alerts_open_afterwards_are_escalated_to_people_on_call,
    without_escalation_it_is_heard_of_when_it_is_reported_again,
    of_two_gateways_one_escalates,
];

/// A window that is open now; its id.
#[track_caller]
fn window(client: &Client, host: &str, more: &Value) -> String {
    let mut body = json!({
        "name": unique("window"), "description": "Patches", "devices": [{"hostName": host}],
        "schedule": {"type": "One-Time", "startTime": "2026-01-01T00:00:00+0000", "endTime": "2099-01-01T00:00:00+0000",
            "timezone": "GMT"},
    });
    for (name, value) in more.as_object().into_iter().flatten() {
        body[name] = value.clone();
    }
    text(&client.post("/scheduleMaintenances", &body).ok()["uniqueId"])
}

#[track_caller]
fn end(client: &Client, window: &str) {
    client.post_empty(&format!("/scheduleMaintenances/{window}/end")).ok();
}

/// The alert, once this is its last event.
#[track_caller]
fn after(client: &Client, alert: &Value, event: &str) -> Value {
    for _ in 0..150 {
        let found = get(client, alert);
        if found["lastEvent"] == event {
            return found;
        }
        sleep(Duration::from_millis(100));
    }
    panic!("not {event}: {}", get(client, alert));
}

fn a_decommissioned_machine_recovers_under_any_of_its_names(server: &Server) {
    let client = server.new_client();
    let other = server.new_client();
    let partner = server.admin();
    let external = unique("ext");
    let mac = "00:16:3e:5a:00:01";
    let machine = json!({"name": unique("m"), "hostName": unique("host"), "extResourceId": external,
        "ipAddress": "10.7.7.7", "networkCardDetails": [{"macAddress": mac, "ipAddress": "10.7.7.8"}]});
    let named =
        |device: Value, state: &str, metric: &str| json!({"currentState": state, "metric": metric, "device": device});
    let names = [
        json!({"ipAddress": "10.7.7.7"}),
        json!({"ipAddress": "10.7.7.8"}),
        json!({"macAddress": mac}),
        json!({"extResourceId": external}),
        json!("10.7.7.7"),
        json!(external),
        json!({"hostName": machine["hostName"]}),
    ];
    let id = text(&client.post("/resources", &machine).ok()["resourceUUID"]);
    let metric = |place: usize| format!("metric-{place}");
    let made: Vec<Value> = (0..)
        .zip(&names)
        .map(|(place, name)| post(&client, &named(name.clone(), "Critical", &metric(place))))
        .collect();
    let told = post(&client, &named(json!({"id": id}), "Critical", "partner"));
    client.post(&format!("/resources/{id}/decommission"), &json!({"reason": "replaced"})).ok();
    // Problems of another machine with that address, and problems that nobody reported, stay as they are.
    let fresh = text(&other.post("/resources", &machine).ok()["resourceUUID"]);
    let foreign = post(&other, &named(names[0].clone(), "Critical", &metric(0)));
    other.delete(&format!("/resources/{fresh}")).ok();
    assert_eq!(post(&client, &named(names[0].clone(), "Ok", "never"))["result"], "ignored");
    for ((place, name), made) in (0..).zip(&names).zip(&made) {
        assert_eq!(made["resourceId"], json!(id), "{name}");
        let again = post(&client, &named(name.clone(), "Critical", &metric(place)));
        assert_eq!((&again["result"], &again["id"]), (&json!("repeated"), &made["id"]), "{name}");
        let closed = post(&client, &named(name.clone(), "Ok", &metric(place)));
        assert_eq!((&closed["result"], &closed["id"]), (&json!("closed"), &made["id"]), "{name}");
    }
    assert_eq!(get(&other, &foreign)["status"], "New");
    // A partner that reports for its clients finds it too.
    let closed = post(&partner, &named(json!({"extResourceId": external}), "Ok", "partner"));
    assert_eq!((&closed["result"], &closed["id"]), (&json!("closed"), &told["id"]));
    assert_eq!(get(&client, &told)["status"], "Closed");
}

fn inside_a_window_it_is_a_maintenance_alert(server: &Server) {
    let client = server.new_client();
    let (_, name) = host(&client);
    let (_, other) = host(&client);
    let before = post(&client, &report(&name, "Critical", "before"));
    let id = window(&client, &name, &json!({}));
    let made = post(&client, &report(&name, "Critical", "load"));
    assert_eq!((&made["alertType"], &made["status"]), (&json!("Maintenance"), &json!("Suppressed")));
    let alert = get(&client, &made);
    assert_eq!(
        (&alert["maintenance"]["uniqueId"], &alert["suppression"]["reason"]),
        (&json!(id), &json!("maintenance"))
    );
    assert_eq!(alert["maintenance"]["until"], json!("2099-01-01T00:00:00+0000"));
    assert_eq!(found(&client, &format!("maintenanceId:{id}")), [text(&made["id"])]);
    assert_eq!(found(&client, "alertType:Maintenance"), [text(&made["id"])]);
    assert_eq!(post(&client, &report(&other, "Critical", "load"))["alertType"], json!("Monitoring"));
    let again = post(&client, &report(&name, "Critical", "before"));
    assert_eq!((&again["id"], &again["alertType"]), (&before["id"], &json!("Monitoring")), "it was there before");
    client.post(&format!("/alerts/{}/actions/suppress", text(&made["id"])), &json!({})).problem(409, "0004");
    let heard = client.post_empty(&format!("/alerts/{}/actions/unsuppress", text(&made["id"]))).ok();
    assert_eq!((&heard["alertType"], &heard["status"]), (&json!("Monitoring"), &json!("New")));
    let closed = post(&client, &report(&name, "Critical", "cpu"));
    assert_eq!(post(&client, &report(&name, "Ok", "cpu"))["status"], json!("Closed"));
    end(&client, &id);
    assert_eq!(post(&client, &report(&name, "Critical", "disk"))["alertType"], json!("Monitoring"), "it is over");
    sleep(Duration::from_secs(3));
    assert_eq!(get(&client, &closed)["lastEvent"], json!("Closed"), "what is well is not escalated");
    assert_eq!(get(&client, &made)["lastEvent"], json!("Unsuppressed"), "nor what was heard of before");
}

fn conditions_say_which_alerts_a_window_expects(server: &Server) {
    let client = server.new_client();
    let (_, name) = host(&client);
    let conditions = json!({"matchingType": "ANY", "rules": [
        {"key": "metric", "operator": "Startswith", "value": "disk"},
        {"key": "currentState", "operator": "Equals", "value": "Warning"},
    ]});
    window(&client, &name, &json!({"alertConditions": conditions}));
    let kind = |state: &str, metric: &str| text(&post(&client, &report(&name, state, metric))["alertType"]);
    assert_eq!(kind("Critical", "disk.used"), "Maintenance");
    assert_eq!(kind("Critical", "load"), "Monitoring");
    assert_eq!(kind("Warning", "ping"), "Maintenance");
    assert_eq!(kind("Critical", "ping"), "Monitoring", "it has become what the window does not expect");
}

fn alerts_open_afterwards_are_escalated_to_people_on_call(server: &Server) {
    let client = server.new_client();
    let user = json!({"loginName": unique("ann"), "firstName": "Ann", "mobileNumber": "+1 555 0200"});
    let user = text(&client.post("/users", &user).ok()["id"]);
    let schedule = json!({"type": "one-time", "startDate": "2026-01-01T00:00:00Z", "endDate": "2098-01-01T00:00:00Z"});
    let roster = json!({"name": unique("roster"), "description": "all", "timeZone": {"name": "GMT"}, "shiftDetails": [
        {"name": "Always", "schedule": schedule, "users": [{"id": user}], "userGroups": []}]});
    let roster = client.post("/rosters", &roster).ok();
    let (_, name) = host(&client);
    let id = window(&client, &name, &json!({}));
    let made = post(&client, &report(&name, "Critical", "load"));
    let well = post(&client, &report(&name, "Critical", "disk"));
    post(&client, &report(&name, "Ok", "disk"));
    end(&client, &id);
    let alert = after(&client, &made, "Escalated");
    assert_eq!((&alert["status"], &alert["alertType"]), (&json!("New"), &json!("Maintenance")));
    let on_call = alert["escalation"]["onCall"].as_array().cloned().unwrap_or_default();
    let ann = on_call.iter().find(|person| person["id"] == json!(user)).cloned().unwrap_or_default();
    assert_eq!((&ann["mobileNumber"], &ann["rosterId"]), (&json!("+1 555 0200"), &roster["id"]), "{alert}");
    assert_eq!(ann["shiftId"], roster["shiftDetails"][0]["id"]);
    let log = client.search("/auditLog/search", &format!("entityId:{}", text(&made["id"]))).page();
    let told: Vec<&Value> = log["results"].as_array().into_iter().flatten().collect();
    let told: Vec<_> = told.iter().filter(|entry| entry["changes"]["lastEvent"]["after"] == "Escalated").collect();
    assert_eq!(told.len(), 1, "{log}");
    assert!(told[0].to_string().contains(&user), "the log has who was on call: {}", told[0]);
    assert_eq!(get(&client, &well)["lastEvent"], json!("Closed"));
    assert_eq!(post(&client, &report(&name, "Critical", "load"))["repeatCount"], json!(2));
}

fn without_escalation_it_is_heard_of_when_it_is_reported_again(server: &Server) {
    let client = server.new_client();
    let (_, name) = host(&client);
    let id = window(&client, &name, &json!({"runEscalationAction": false}));
    let made = post(&client, &report(&name, "Critical", "load"));
    end(&client, &id);
    let until = || text(&get(&client, &made)["suppression"]["until"]);
    // The background thread notices soon, unless the machine is busy.
    wait_for(Duration::from_secs(30), || !until().starts_with("2099"), until);
    let alert = get(&client, &made);
    assert_eq!((&alert["status"], &alert["lastEvent"]), (&json!("Suppressed"), &json!("Created")));
    // It says when the window was over, and not when it was planned to be.
    assert_eq!(alert["suppression"]["until"], alert["maintenance"]["until"], "{alert}");
    assert!(!text(&alert["suppression"]["until"]).starts_with("2099"), "{alert}");
    let again = post(&client, &report(&name, "Critical", "load"));
    assert_eq!(
        (&again["id"], &again["status"], &again["alertType"]),
        (&made["id"], &json!("New"), &json!("Monitoring"))
    );
}

fn of_two_gateways_one_escalates(backend: Backend) {
    const ALERTS: usize = 700;
    let first = Server::start(backend);
    let second = first.database_url().map(|_| Server::start_beside(&first, &[]));
    let client = first.new_client();
    let (_, name) = host(&client);
    let id = window(&client, &name, &json!({}));
    let all: Vec<Value> = (0..ALERTS).map(|number| report(&name, "Critical", &format!("m{number}"))).collect();
    let results = client.post("/alerts", &json!(all)).ok();
    assert!(each(&results, "alertType").iter().all(|kind| kind == "Maintenance"));
    end(&client, &id);
    for result in results.as_array().into_iter().flatten() {
        after(&client, result, "Escalated");
    }
    let log = client.search("/auditLog/search?pageSize=1", "entity:ALERT+action:UPDATE").page();
    assert_eq!(log["totalResults"], json!(ALERTS), "each was escalated once");
    drop(second);
}

fn rules_do_not_see_the_effects_of_a_window(server: &Server) {
    let client = server.new_client();
    let (_, name) = host(&client);
    let rules = json!([{"key": "alertType", "operator": "Equals", "value": "Disk"},
        {"key": "status", "operator": "Equals", "value": "New"}]);
    window(&client, &name, &json!({"alertConditions": {"rules": rules}}));
    let say = |state: &str| {
        let mut report = report(&name, state, "disk");
        report["alertType"] = json!("Disk");
        post(&client, &report)
    };
    assert_eq!(say("Warning")["alertType"], "Maintenance");
    let worse = say("Critical");
    assert_eq!((&worse["result"], &worse["alertType"]), (&json!("changed"), &json!("Maintenance")));
    let lower = text(&worse["id"]).to_lowercase();
    assert_eq!(client.get(&format!("/alerts/{lower}")).ok()["id"], worse["id"]);
}

fn the_window_says_by_its_end_whether_to_escalate(server: &Server) {
    let client = server.new_client();
    let (_, name) = host(&client);
    let id = window(&client, &name, &json!({"runEscalationAction": false}));
    let made = post(&client, &report(&name, "Critical", "load"));
    client.post(&format!("/scheduleMaintenances/{id}"), &json!({"runEscalationAction": true})).ok();
    end(&client, &id);
    let alert = after(&client, &made, "Escalated");
    assert_ne!(alert["maintenance"]["until"], json!("2099-01-01T00:00:00+0000"), "it shows when it was over");
}

/// Waits until another window holds an alert back.
#[track_caller]
fn is_handed_over(client: &Client, alert: &Value, window: &str) {
    let held = || get(client, alert);
    wait_for(Duration::from_secs(30), || held()["maintenance"]["uniqueId"] == window, || held().to_string());
    assert_eq!(held()["status"], "Suppressed");
}

fn alerts_that_another_window_covers_are_not_escalated(server: &Server) {
    let client = server.new_client();
    let (_, name) = host(&client);
    // Of two that are open equally long, the first by id.
    let mut ids = [window(&client, &name, &json!({})), window(&client, &name, &json!({}))];
    ids.sort();
    let made = post(&client, &report(&name, "Critical", "load"));
    assert_eq!(get(&client, &made)["maintenance"]["uniqueId"], json!(ids[0]));
    end(&client, &ids[0]);
    is_handed_over(&client, &made, &ids[1]);
    end(&client, &ids[1]);
    after(&client, &made, "Escalated");
}

fn alerts_whose_machine_left_their_window_are_handed_to_another(server: &Server) {
    let client = server.new_client();
    let ((_, name), (_, other)) = (host(&client), host(&client));
    let first = window(&client, &name, &json!({"runEscalationAction": false}));
    let made = post(&client, &report(&name, "Critical", "load"));
    assert_eq!(get(&client, &made)["maintenance"]["uniqueId"], json!(first));
    let second = window(&client, &name, &json!({"runEscalationAction": true}));
    client.post(&format!("/scheduleMaintenances/{first}"), &json!({"devices": [{"hostName": other}]})).ok();
    is_handed_over(&client, &made, &second);
    end(&client, &second);
    after(&client, &made, "Escalated");
}

fn an_alert_that_turns_out_to_be_a_clients_goes_on_there(server: &Server) {
    let partner = server.admin();
    let client = server.new_client();
    let name = unique("late");
    let first = post(&partner, &report(&name, "Critical", "load"));
    let well = post(&partner, &report(&name, "Critical", "disk"));
    client.post("/resources", &json!({"hostName": name})).ok();
    let second = post(&partner, &report(&name, "Critical", "load"));
    assert_eq!(second["result"], "created");
    assert_eq!(get(&client, &second)["clientUniqueId"], json!(client.tenant_id()));
    assert_eq!(get(&partner, &first)["status"], "Closed");
    let closed = post(&partner, &report(&name, "Ok", "disk"));
    assert_eq!((&closed["result"], &closed["id"]), (&json!("closed"), &well["id"]));
}

fn a_decommissioned_machine_recovers(server: &Server) {
    let client = server.new_client();
    let (id, name) = host(&client);
    let made = post(&client, &report(&name, "Critical", "load"));
    client.post(&format!("/resources/{id}/decommission"), &json!({"reason": "replaced"})).ok();
    assert_eq!(post(&client, &report(&name, "Critical", "load"))["id"], made["id"]);
    let closed = post(&client, &report(&name, "Ok", "load"));
    assert_eq!((&closed["result"], &closed["id"]), (&json!("closed"), &made["id"]));
    assert_eq!(post(&client, &report(&name, "Critical", "load"))["result"], "created");
}
