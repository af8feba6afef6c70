//! Alerts of jobs that do not run well.

use std::time::{Duration, Instant};

use muster_tests::{Client, Server, both_backends};
use serde_json::{Value, json};

use super::{FAR_AHEAD, claim, create, everyday, job, runs, text};

both_backends![
    a_failed_run_is_an_alert_until_one_ends_well,
    a_missed_run_is_an_alert,
    who_asks_for_no_alert_gets_none,
    an_alert_ends_with_what_it_is_about,
    an_alert_follows_the_machine_of_its_job_to_another_tenant,
];

fn alarmed(client: &Client, change: Value) -> String {
    let mut body = job(FAR_AHEAD, everyday());
    body["alertOnFailure"] = json!(true);
    for (name, value) in change.as_object().unwrap() {
        body[name] = value.clone();
    }
    create(client, &body)
}

/// Runs a job now, and reports what became of it.
#[track_caller]
fn ran(client: &Client, job: &str, result: Value) -> String {
    client.post_empty(&format!("/jobs/{job}/run")).ok();
    let run = claim(client, job);
    let mut body = json!({"attempt": 1});
    body.as_object_mut().unwrap().extend(result.as_object().unwrap().clone());
    client.post(&format!("/jobs/runs/{run}/result"), &body).ok();
    run
}

/// The alerts of a tenant, the first one first.
#[track_caller]
fn alerts(client: &Client) -> Vec<Value> {
    let page = client.get("/alerts/search?isDescendingOrder=false").page();
    page["results"].as_array().cloned().unwrap_or_default()
}

fn a_failed_run_is_an_alert_until_one_ends_well(server: &Server) {
    let client = server.new_client();
    let other = server.new_client();
    let host = text(&client.post("/resources", &json!({"hostName": "web-01"})).ok()["resourceUUID"]);
    let id = alarmed(&client, json!({"name": "backup", "resources": [{"id": host}]}));
    assert_eq!(client.get(&format!("/jobs/{id}")).ok()["alertOnFailure"], json!(true));
    ran(&client, &id, json!({"exitCode": 0}));
    assert!(alerts(&client).is_empty());
    let run = ran(&client, &id, json!({"exitCode": 7, "reason": "no disk"}));
    let [alert] = &alerts(&client)[..] else { panic!("{:?}", alerts(&client)) };
    assert_eq!(
        (&alert["currentState"], &alert["component"], &alert["metric"]),
        (&json!("Critical"), &json!("backup"), &json!("job"))
    );
    assert_eq!((&alert["extAlertId"], &alert["device"]["hostName"]), (&json!(id), &json!("web-01")));
    let description = text(&client.get(&format!("/alerts/{}", text(&alert["id"]))).ok()["description"]);
    assert!(description.contains(&run) && description.contains("exit code 7: no disk"), "{description}");
    // Another failure repeats it, whatever kind it is.
    ran(&client, &id, json!({"exitCode": 1, "status": "TIMED_OUT"}));
    assert_eq!((alerts(&client).len(), &alerts(&client)[0]["repeatCount"]), (1, &json!(2)));
    // What somebody called off says nothing.
    let called_off = text(&client.post_empty(&format!("/jobs/{id}/run")).ok()["id"]);
    client.post_empty(&format!("/jobs/runs/{called_off}/cancel")).ok();
    assert_eq!(alerts(&client)[0]["currentState"], json!("Critical"));
    ran(&client, &id, json!({"exitCode": 0}));
    let [closed] = &alerts(&client)[..] else { panic!("{:?}", alerts(&client)) };
    assert_eq!((&closed["id"], &closed["currentState"]), (&alert["id"], &json!("Ok")));
    // The next failure is another one.
    ran(&client, &id, json!({"exitCode": 1}));
    assert_eq!(alerts(&client).len(), 2);
    assert!(alerts(&other).is_empty());
}

fn a_missed_run_is_an_alert(server: &Server) {
    let client = server.new_client();
    // No runner takes it in time.
    let id = alarmed(&client, json!({"maximumLateness": 1}));
    client.post_empty(&format!("/jobs/{id}/run")).ok();
    wait_until(|| runs(&client, &id)[0]["status"] == json!("MISSED"));
    let [alert] = &alerts(&client)[..] else { panic!("{:?}", alerts(&client)) };
    assert!(text(&alert["subject"]).contains("missed"), "{alert}");
    ran(&client, &id, json!({"exitCode": 0}));
    assert_eq!(alerts(&client)[0]["currentState"], json!("Ok"));
}

fn who_asks_for_no_alert_gets_none(server: &Server) {
    let client = server.new_client();
    let id = alarmed(&client, json!({"alertOnFailure": false}));
    ran(&client, &id, json!({"exitCode": 1}));
    assert!(alerts(&client).is_empty());
    client.post(&format!("/jobs/{id}"), &json!({"alertOnFailure": true})).ok();
    ran(&client, &id, json!({"exitCode": 0}));
    assert!(alerts(&client).is_empty(), "a good run after that is not an alert either");
}

fn an_alert_ends_with_what_it_is_about(server: &Server) {
    let client = server.new_client();
    let [one, two] = [0, 1].map(|_| alarmed(&client, json!({})));
    for id in [&one, &two] {
        ran(&client, id, json!({"exitCode": 1}));
    }
    let open = || alerts(&client).iter().filter(|alert| alert["currentState"] == json!("Critical")).count();
    assert_eq!(open(), 2);
    client.post(&format!("/jobs/{one}"), &json!({"alertOnFailure": false})).ok();
    assert_eq!(open(), 1);
    client.delete(&format!("/jobs/{two}")).ok();
    assert_eq!(open(), 0);
}

fn an_alert_follows_the_machine_of_its_job_to_another_tenant(server: &Server) {
    let partner = server.admin();
    let clients = [server.new_client(), server.new_client()];
    let machines = clients.each_ref().map(|client| {
        let made = client.post("/resources", &json!({"hostName": "web-01"})).ok();
        json!([{"id": text(&made["resourceUUID"])}])
    });
    let open = |client: &Client, id: &str| {
        let page = client.search("/alerts/search", &format!("extAlertId:{id}")).page();
        let found = page["results"].as_array().cloned().unwrap_or_default();
        found.iter().filter(|alert| alert["currentState"] == json!("Critical")).count()
    };
    let [first, second] = &clients;
    for after in ["run", "delete", "off"] {
        let id = alarmed(&partner, json!({"resources": machines[0]}));
        ran(&partner, &id, json!({"exitCode": 1}));
        assert_eq!((open(first, &id), open(second, &id)), (1, 0));
        let job = format!("/jobs/{id}");
        partner.post(&job, &json!({"resources": machines[1]})).ok();
        assert_eq!(open(first, &id), 0);
        wait_until(|| open(second, &id) == 1);
        // Two machines are about none.
        let both = json!([machines[0][0], machines[1][0]]);
        partner.post(&job, &json!({"resources": both})).ok();
        assert_eq!((open(first, &id), open(second, &id)), (0, 0));
        match after {
            "run" => _ = ran(&partner, &id, json!({"exitCode": 0})),
            "delete" => _ = partner.delete(&job).ok(),
            _ => _ = partner.post(&job, &json!({"alertOnFailure": false})).ok(),
        }
        assert_eq!((open(first, &id), open(second, &id), open(&partner, &id)), (0, 0, 0));
    }
}

#[track_caller]
fn wait_until(is_so: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(30);
    while !is_so() {
        assert!(Instant::now() < until, "it takes too long");
        std::thread::sleep(Duration::from_millis(100));
    }
}
