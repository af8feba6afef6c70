//! Heartbeats: silence opens an alert, and the next ping closes it.

use std::thread::sleep;
use std::time::{Duration, Instant};

use muster_tests::{Backend, Client, Server, both_backends, unique};
use serde_json::{Value, json};

use super::{host, text};

both_backends![
    a_heartbeat_lives_through_all_operations,
    malformed_heartbeats_are_refused,
    silence_is_an_alert_and_a_ping_ends_it,
    a_ping_ends_a_silence_whichever_gateway_noticed_it,
    a_change_counts_from_a_ping_that_is_not_stored_yet,
    nobody_who_never_pinged_is_silent,
    an_address_opens_nothing_else,
    an_address_that_was_deleted_is_closed,
    a_hundred_silences_are_a_hundred_alerts,
    a_restart_loses_no_ping_and_makes_no_storm,
];

/// A new heartbeat: its id, and the path that is pinged.
#[track_caller]
fn heartbeat(client: &Client, interval: &str, grace: &str) -> (String, String) {
    let body = json!({"name": unique("heartbeat"), "interval": interval, "grace": grace});
    let made = client.post("/heartbeats", &body).ok();
    (text(&made["id"]), path_of(&made))
}

fn path_of(made: &Value) -> String {
    let url = text(&made["url"]);
    format!("/{}", url.splitn(4, '/').nth(3).unwrap_or_else(|| panic!("no address: {made}")))
}

/// Waits until `check` has an answer.
#[track_caller]
fn eventually<T>(what: &str, mut check: impl FnMut() -> Option<T>) -> T {
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        if let Some(found) = check() {
            return found;
        }
        assert!(Instant::now() < until, "{what}");
        sleep(Duration::from_millis(100));
    }
}

fn alerts(client: &Client, query_string: &str) -> Vec<Value> {
    let page = client.search("/alerts/search?pageSize=1000", query_string).page();
    page["results"].as_array().cloned().unwrap_or_default()
}

fn a_heartbeat_lives_through_all_operations(server: &Server) {
    let client = server.new_client();
    let name = unique("Backup");
    let body = json!({"name": name, "interval": "90m", "severity": "warning", "device": "db-01"});
    let answer = client.post("/heartbeats", &body);
    let made = answer.ok();
    assert_eq!((&made["interval"], &made["grace"]), (&json!("90m"), &json!("1m")));
    assert_eq!((&made["severity"], &made["state"]), (&json!("Warning"), &json!("New")));
    let one = format!("/heartbeats/{}", text(&made["id"]));
    let shown = client.get(&one).ok();
    assert!(shown.get("url").is_none() && shown.get("lastPing").is_none(), "{shown}");
    client.post("/heartbeats", &json!({"name": name.to_uppercase(), "interval": "1h"})).problem(409, "0004");
    server.get(&path_of(&made)).ok();
    server.request("POST", &path_of(&made)).body("text/plain", "any").send().ok();
    let up = eventually("it is never up", || Some(client.get(&one).ok()).filter(|shown| shown["state"] == "Up"));
    assert!(up["lastPing"].is_string() && up["dueDate"].is_string(), "{up}");
    let tag = client.get(&one).header("ETag").expect("a version").to_owned();
    let update = |body: Value| client.request("POST", &one).header("If-Match", &tag).json(&body).send();
    assert_eq!(update(json!({"interval": "2h", "grace": 30})).ok()["grace"], json!("30s"));
    assert_eq!(update(json!({"interval": "3h"})).status, 412);
    for (query, count) in [("state:Up", 1), ("state:Missing", 0), ("severity:warning", 1), ("name:backup", 1)] {
        let page = client.search("/heartbeats/search", query).page();
        assert_eq!(page["totalResults"], json!(count), "{query}");
    }
    client.search("/heartbeats/search", "state:sleepy").invalid(&["queryString"]);
    // As each other list says it.
    let refused = client.search("/heartbeats/search", "isEquals:maybe").invalid(&["queryString"]);
    assert!(refused.to_string().contains("isEquals: must be true or false"), "{refused}");
    client.delete(&one).ok();
    client.get(&one).not_found();
    server.get(&path_of(&made)).not_found();
}

fn malformed_heartbeats_are_refused(server: &Server) {
    let client = server.new_client();
    client.post("/heartbeats", &json!({})).invalid(&["interval", "name"]);
    let body = json!({"name": "n", "interval": "1w", "grace": "-1s", "severity": "Ok"});
    client.post("/heartbeats", &body).invalid(&["grace", "interval", "severity"]);
    let viewer = server.caller(client.tenant_id(), "viewer");
    viewer.post("/heartbeats", &json!({"name": "n", "interval": "1m"})).forbidden();
    server.get("/api/v2/heartbeats/unknown").not_found();
    let (_, path) = heartbeat(&client, "1m", "1m");
    server.get(&format!("{path}?x=1")).ok();
}

fn silence_is_an_alert_and_a_ping_ends_it(server: &Server) {
    let client = server.new_client();
    let (machine, host) = host(&client);
    let body = json!({"name": unique("job"), "interval": "1s", "grace": "0s", "severity": "Warning", "device": host});
    let made = client.post("/heartbeats", &body).ok();
    let path = path_of(&made);
    server.get(&path).ok();
    let alert = eventually("silence opened no alert", || alerts(&client, "status:New").pop());
    assert_eq!((&alert["currentState"], &alert["device"]["id"]), (&json!("Warning"), &json!(machine)));
    assert_eq!((&alert["extAlertId"], &alert["component"]), (&made["id"], &made["name"]));
    let one = format!("/heartbeats/{}", text(&made["id"]));
    assert_eq!(client.get(&one).ok()["state"], json!("Missing"));
    // Longer, or the next silence comes before the end of this one is seen.
    client.post(&one, &json!({"interval": "1h"})).ok();
    server.get(&path).ok();
    let closed = eventually("a ping closes nothing", || alerts(&client, "status:Closed").pop());
    assert_eq!((&closed["id"], &closed["currentState"]), (&alert["id"], &json!("Ok")));
    assert_eq!(client.get(&one).ok()["state"], json!("Up"));
}

/// Chance decides which of two gateways notices a silence: of twelve, some are noticed by the one that is not pinged.
fn a_ping_ends_a_silence_whichever_gateway_noticed_it(server: &Server) {
    let client = server.new_client();
    let beside = (server.backend == Backend::Postgres).then(|| Server::start_beside(server, &[]));
    let gateways: Vec<&Server> = [Some(server), beside.as_ref()].into_iter().flatten().collect();
    let made: Vec<(String, String)> = (0..12).map(|_| heartbeat(&client, "1s", "0s")).collect();
    // Each gateway has stored a ping, so that it may keep the next.
    for (_, path) in &made {
        gateways.iter().for_each(|gateway| drop(gateway.get(path).ok()));
    }
    let count = |status: &str, count: usize| {
        eventually(&format!("not {count} are {status}"), || {
            (alerts(&client, &format!("status:{status}")).len() == count).then_some(())
        });
    };
    count("New", made.len());
    for (id, _) in &made {
        client.post(&format!("/heartbeats/{id}"), &json!({"interval": "1h"})).ok();
    }
    for ((_, path), gateway) in made.iter().zip(gateways.iter().cycle()) {
        gateway.get(path).ok();
    }
    count("Closed", made.len());
}

fn a_change_counts_from_a_ping_that_is_not_stored_yet(server: &Server) {
    let client = server.new_client();
    let (id, path) = heartbeat(&client, "5m", "0s");
    let one = format!("/heartbeats/{id}");
    server.get(&path).ok();
    let first = eventually("it is never up", || Some(client.get(&one).ok()).filter(|shown| shown["state"] == "Up"));
    sleep(Duration::from_secs(2));
    server.get(&path).ok();
    // For half a minute it is kept in memory.
    sleep(Duration::from_secs(2));
    let shorter = client.post(&one, &json!({"interval": "10s"})).ok();
    assert!(text(&shorter["lastPing"]) > text(&first["lastPing"]), "{shorter}");
    assert_eq!(shorter["state"], "Up");
    // Another gateway may keep one as long; the next ping is stored at once.
    server.get(&path).ok();
    let due = || text(&client.get(&one).ok()["dueDate"]);
    eventually("the next ping counts by the new interval", || (due() < text(&shorter["dueDate"])).then_some(()));
}

fn nobody_who_never_pinged_is_silent(server: &Server) {
    let client = server.new_client();
    let (new, _) = heartbeat(&client, "1s", "0s");
    let (_, path) = heartbeat(&client, "1s", "0s");
    server.get(&path).ok();
    eventually("silence opened no alert", || alerts(&client, "status:New").pop());
    assert_eq!(client.get(&format!("/heartbeats/{new}")).ok()["state"], json!("New"));
    assert_eq!(alerts(&client, "status:New").len(), 1);
}

fn an_address_opens_nothing_else(server: &Server) {
    let client = server.new_client();
    let (_, path) = heartbeat(&client, "1h", "1m");
    let token = path.rsplit('/').next().unwrap_or_default();
    client.with_token(token).get("/heartbeats/search").unauthenticated();
    server.request("POST", &format!("/api/v2/inbound/{token}")).json(&json!({"subject": "s"})).send().unauthenticated();
    assert_eq!(server.request("DELETE", &path).send().status, 405);
}

/// At once where it was deleted; within a second on another gateway, which is where there can be one.
fn an_address_that_was_deleted_is_closed(server: &Server) {
    let client = server.new_client();
    let beside = (server.backend == Backend::Postgres).then(|| Server::start_beside(server, &[]));
    for _ in 0..3 {
        let (id, path) = heartbeat(&client, "1h", "1m");
        for gateway in [Some(server), beside.as_ref()].into_iter().flatten() {
            gateway.get(&path).ok();
        }
        client.delete(&format!("/heartbeats/{id}")).ok();
        let deleted = Instant::now();
        server.get(&path).not_found();
        server.request("POST", &path).send().not_found();
        if let Some(beside) = &beside {
            sleep(Duration::from_secs(1).saturating_sub(deleted.elapsed()));
            beside.get(&path).not_found();
        }
    }
    // So it is with inbound addresses, and with those of integrations.
    let made = client.post("/inbound", &json!({"name": unique("monitor")})).ok();
    let report = |gateway: &Server, token: &Value| {
        let report = gateway.request("POST", &format!("/api/v2/inbound/{}", text(token)));
        report.json(&json!({"subject": "s"})).send()
    };
    for gateway in [Some(server), beside.as_ref()].into_iter().flatten() {
        report(gateway, &made["token"]).ok();
    }
    client.delete(&format!("/inbound/{}", text(&made["id"]))).ok();
    report(server, &made["token"]).unauthenticated();
    if let Some(beside) = &beside {
        sleep(Duration::from_secs(1));
        report(beside, &made["token"]).unauthenticated();
    }
}

fn a_hundred_silences_are_a_hundred_alerts(server: &Server) {
    let client = server.new_client();
    let paths: Vec<String> = (0..110).map(|_| heartbeat(&client, "3s", "2s").1).collect();
    let begun = Instant::now();
    let mut rounds = 0;
    // The first hundred fall silent after the first round.
    while begun.elapsed() < Duration::from_secs(9) {
        let pinged = if rounds == 0 { &paths[..] } else { &paths[100..] };
        pinged.iter().for_each(|path| assert_eq!(server.get(path).status, 200));
        rounds += 1;
        sleep(Duration::from_millis(300));
    }
    let seen = eventually("not all are reported", || {
        paths[100..].iter().for_each(|path| assert_eq!(server.get(path).status, 200));
        Some(alerts(&client, "app:Heartbeat")).filter(|found| found.len() >= 100)
    });
    assert_eq!(seen.len(), 100, "who pings is not silent");
    assert!(seen.iter().all(|alert| alert["repeatCount"] == 1), "each silence is reported once");
}

fn a_restart_loses_no_ping_and_makes_no_storm(shared: &Server) {
    let mut server = Server::start(shared.backend);
    let client = server.admin().tenant("client_1");
    let (_, silent) = heartbeat(&client, "2s", "1s");
    let made: Vec<(String, String)> = (0..20).map(|_| heartbeat(&client, "10s", "1s")).collect();
    server.get(&silent).ok();
    eventually("silence opened no alert", || alerts(&client, "app:Heartbeat").pop());
    made.iter().for_each(|(_, path)| assert_eq!(server.get(path).status, 200));
    // Pings of the last second are stored when it stops.
    server.stop();
    sleep(Duration::from_secs(12));
    server.restart();
    let client = server.admin().tenant("client_1");
    // All of them are overdue, for nobody listened; each has one more interval, also after a change. It is looked at
    // before that is over.
    client.post(&format!("/heartbeats/{}", made[0].0), &json!({"grace": "2s"})).ok();
    sleep(Duration::from_secs(2));
    assert_eq!(alerts(&client, "app:Heartbeat").len(), 1, "a storm");
    for (id, _) in &made {
        assert!(client.get(&format!("/heartbeats/{id}")).ok()["lastPing"].is_string(), "its ping is lost");
    }
    made[1..].iter().for_each(|(_, path)| assert_eq!(server.get(path).status, 200));
    let found = eventually("the one that stays silent is not reported", || {
        made[1..].iter().for_each(|(_, path)| assert_eq!(server.get(path).status, 200));
        Some(alerts(&client, "app:Heartbeat")).filter(|found| found.len() > 1)
    });
    assert_eq!(found.len(), 2);
    assert!(found.iter().any(|alert| alert["extAlertId"] == json!(made[0].0)));
    if shared.backend == Backend::Postgres {
        let beside = Server::start_beside(&server, &[]);
        let (_, path) = heartbeat(&client, "2s", "1s");
        assert_eq!(beside.get(&path).status, 200);
        eventually("two gateways do not report it", || {
            Some(alerts(&client, "app:Heartbeat")).filter(|found| found.len() > 2)
        });
        sleep(Duration::from_secs(2));
        let found = alerts(&client, "app:Heartbeat");
        assert_eq!(found.len(), 3);
        assert!(found.iter().all(|alert| alert["repeatCount"] == 1), "reported twice: {found:?}");
    }
}
