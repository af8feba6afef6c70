//! Actions of people on alerts.

use muster_tests::{Client, Response, Server, both_backends};
use serde_json::{Value, json};

use super::{found, get, host, post, report, text};

both_backends![
    each_action_and_the_states_that_allow_it,
    a_suppression_runs_out,
    actions_keep_to_versions,
    a_closed_problem_comes_back_as_a_new_alert,
    bad_bodies_are_refused,
];

fn act(client: &Client, alert: &Value, action: &str, body: &Value) -> Response {
    client.post(&format!("/alerts/{}/actions/{action}", text(&alert["id"])), body)
}

fn each_action_and_the_states_that_allow_it(server: &Server) {
    let client = server.new_client();
    let (_, name) = host(&client);
    let made = post(&client, &report(&name, "Critical", "load"));
    let path = format!("/alerts/{}", text(&made["id"]));
    act(&client, &made, "unsuppress", &json!({})).problem(409, "0004");
    let acknowledged = client.post_empty(&format!("{path}/actions/acknowledge")).ok();
    assert_eq!((&acknowledged["status"], &acknowledged["lastEvent"]), (&json!("Acknowledged"), &json!("Acknowledged")));
    assert!(acknowledged["acknowledgement"]["by"]["id"].is_string(), "{acknowledged}");
    act(&client, &made, "acknowledge", &json!({})).problem(409, "0004");
    let suppressed = act(&client, &made, "suppress", &json!({"note": "known"})).ok();
    assert_eq!((&suppressed["status"], &suppressed["suppression"]["note"]), (&json!("Suppressed"), &json!("known")));
    assert_eq!(suppressed["suppression"].get("until"), None);
    assert_eq!(
        post(&client, &report(&name, "Critical", "load"))["status"],
        json!("Suppressed"),
        "repeats change nothing"
    );
    let again = act(&client, &made, "suppress", &json!({"until": "2036-01-01T00:00:00Z"})).ok();
    assert_eq!(again["suppression"]["until"], json!("2036-01-01T00:00:00+0000"));
    let heard = act(&client, &made, "unsuppress", &json!({"note": "not that"})).ok();
    assert_eq!((&heard["status"], &heard["unsuppression"]["note"]), (&json!("Acknowledged"), &json!("not that")));
    let closed = act(&client, &made, "close", &json!({"note": "replaced"})).ok();
    assert_eq!((&closed["status"], &closed["currentState"]), (&json!("Closed"), &json!("Critical")));
    assert_eq!((&closed["closure"]["note"], &closed), (&json!("replaced"), &get(&client, &made)));
    for action in ["acknowledge", "suppress", "unsuppress", "close"] {
        act(&client, &made, action, &json!({})).problem(409, "0004");
    }
    let stranger = server.new_client();
    for action in ["acknowledge", "suppress", "unsuppress", "close"] {
        act(&stranger, &made, action, &json!({})).not_found();
    }
}

fn a_suppression_runs_out(server: &Server) {
    let client = server.new_client();
    let (_, name) = host(&client);
    let made = post(&client, &report(&name, "Critical", "load"));
    let soon = server.admin().get("/rosters/onCall").ok()["at"].clone();
    let minutes: String = text(&soon);
    act(&client, &made, "suppress", &json!({"until": minutes})).invalid(&["until"]);
    let body = json!({"until": seconds_after(&minutes, 3)});
    assert_eq!(act(&client, &made, "suppress", &body).ok()["status"], json!("Suppressed"));
    assert_eq!(found(&client, "status:Suppressed").len(), 1);
    let mut alert = get(&client, &made);
    for _ in 0..100 {
        if alert["lastEvent"] == "Unsuppressed" {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
        alert = get(&client, &made);
    }
    assert_eq!((&alert["status"], &alert["lastEvent"]), (&json!("New"), &json!("Unsuppressed")));
    assert_eq!((found(&client, "status:Suppressed").len(), found(&client, "status:New").len()), (0, 1));
}

/// A time of the same day, some seconds later; the first of the next minute at the latest.
fn seconds_after(time: &str, seconds: u32) -> String {
    let second: u32 = time[17..19].parse().unwrap();
    if second + seconds < 60 {
        return format!("{}{:02}{}", &time[..17], second + seconds, &time[19..]);
    }
    std::thread::sleep(std::time::Duration::from_secs(u64::from(60 - second)));
    let (hour, minute): (u32, u32) = (time[11..13].parse().unwrap(), time[14..16].parse().unwrap());
    let minutes = hour * 60 + minute + 1;
    format!("{}{:02}:{:02}:{:02}{}", &time[..11], minutes / 60 % 24, minutes % 60, seconds, &time[19..])
}

fn actions_keep_to_versions(server: &Server) {
    let client = server.new_client();
    let (_, name) = host(&client);
    let made = post(&client, &report(&name, "Critical", "load"));
    let path = format!("/alerts/{}", text(&made["id"]));
    let read = client.get(&path);
    let tag = read.header("ETag").unwrap_or_default().to_owned();
    assert_eq!(client.request("GET", &path).header("If-None-Match", &tag).send().status, 304);
    post(&client, &report(&name, "Critical", "load"));
    let close = |tag: &str| client.request("POST", &format!("{path}/actions/close")).header("If-Match", tag).send();
    close(&tag).problem(412, "0004");
    let tag = client.get(&path).header("ETag").unwrap_or_default().to_owned();
    let closed = close(&tag);
    closed.ok();
    assert_eq!(closed.header("ETag"), client.get(&path).header("ETag"));
}

fn a_closed_problem_comes_back_as_a_new_alert(server: &Server) {
    let client = server.new_client();
    let (_, name) = host(&client);
    let made = post(&client, &report(&name, "Critical", "load"));
    act(&client, &made, "close", &json!({})).ok();
    let again = post(&client, &report(&name, "Critical", "load"));
    assert_eq!((&again["result"], &again["repeatCount"]), (&json!("created"), &json!(1)));
    assert_eq!(post(&client, &report(&name, "Ok", "load"))["id"], again["id"]);
}

fn bad_bodies_are_refused(server: &Server) {
    let client = server.new_client();
    let (_, name) = host(&client);
    let made = post(&client, &report(&name, "Critical", "load"));
    act(&client, &made, "suppress", &json!({"until": "2020-01-01T00:00:00Z", "note": 5})).invalid(&["note", "until"]);
    act(&client, &made, "acknowledge", &json!({"note": []})).invalid(&["note"]);
    client.post("/alerts/ALT-none/actions/close", &json!({})).not_found();
    assert_eq!(get(&client, &made)["status"], json!("New"));
}
