//! Counts of alerts by state, status and hour.

use std::collections::BTreeMap;

use muster_tests::{Client, Server, both_backends, rounds, unique};
use serde_json::{Value, json};

use super::{each, host, report, text};

both_backends![
    alerts_are_counted_by_what_is_asked_for,
    counts_are_the_totals_of_the_search_under_random_filters,
    hours_begin_in_utc_and_the_newest_are_there,
    what_the_search_refuses_is_refused,
    each_tenant_counts_its_own_and_a_partner_those_of_its_clients,
];

const STATES: [&str; 3] = ["Critical", "Warning", "Info"];
const STATUSES: [&str; 4] = ["New", "Acknowledged", "Suppressed", "Closed"];

#[track_caller]
fn count(client: &Client, by: &str, query_string: &str) -> Value {
    let path = if by.is_empty() { "/alerts/counts".to_owned() } else { format!("/alerts/counts?by={by}") };
    let counts = client.search(&path, query_string).ok();
    let sum: i64 = results(&counts).iter().map(|row| row["count"].as_i64().unwrap()).sum();
    if counts["truncated"] == json!(false) {
        assert_eq!(counts["total"], json!(sum), "{counts}");
    }
    counts
}

fn results(counts: &Value) -> &[Value] {
    counts["results"].as_array().expect("results")
}

#[track_caller]
fn total(client: &Client, query_string: &str) -> Value {
    client.search("/alerts/search?pageSize=1", query_string).page()["totalResults"].clone()
}

/// Alerts of one host, one for each of these states, in this order; their ids.
fn alerts(client: &Client, states: &[&str]) -> Vec<String> {
    let (_, name) = host(client);
    let reports: Vec<Value> =
        states.iter().enumerate().map(|(number, state)| report(&name, state, &format!("m{number}"))).collect();
    each(&json!(client.post("/alerts", &json!(reports)).list()), "id")
}

fn act(client: &Client, id: &str, action: &str) {
    client.post_empty(&format!("/alerts/{id}/actions/{action}")).ok();
}

/// Moves the times at which alerts were taken in; `m5` is five hours before the newest.
fn spread_over_hours(server: &Server, client: &Client, newest_ms: i64) {
    server.sql(&format!(
        "UPDATE alerts SET created_ms = {newest_ms} - 3600000 * CAST(substr(metric_key, 2) AS BIGINT) \
         WHERE tenant_id = '{}';",
        client.tenant_id()
    ));
}

fn alerts_are_counted_by_what_is_asked_for(server: &Server) {
    let client = server.new_client();
    assert_eq!(count(&client, "", ""), json!({"results": [], "total": 0, "truncated": false}));
    assert_eq!(count(&client, "hour", ""), json!({"results": [], "total": 0, "truncated": false}));
    let ids = alerts(&client, &["Info", "Critical", "Critical", "Warning", "Critical"]);
    act(&client, &ids[1], "acknowledge");
    act(&client, &ids[3], "suppress");
    act(&client, &ids[4], "close");
    let expected = json!([
        {"state": "Critical", "status": "New", "count": 1},
        {"state": "Critical", "status": "Acknowledged", "count": 1},
        {"state": "Critical", "status": "Closed", "count": 1},
        {"state": "Warning", "status": "Suppressed", "count": 1},
        {"state": "Info", "status": "New", "count": 1},
    ]);
    for by in ["", "state,status", "status,state", "State,%20STATUS,state"] {
        assert_eq!(count(&client, by, "")["results"], expected, "{by}");
    }
    assert_eq!(
        count(&client, "state", "")["results"],
        json!([{"state": "Critical", "count": 3}, {"state": "Warning", "count": 1}, {"state": "Info", "count": 1}])
    );
    assert_eq!(
        count(&client, "status", "status:New,Closed")["results"],
        json!([{"status": "New", "count": 2}, {"status": "Closed", "count": 1}])
    );
    let by_all = count(&client, "state,status,hour", "state:Warning");
    let row = &results(&by_all)[0];
    assert_eq!((&row["state"], &row["status"], &row["count"]), (&json!("Warning"), &json!("Suppressed"), &json!(1)));
    let created = text(&client.get(&format!("/alerts/{}", ids[3])).ok()["createdDate"]);
    assert_eq!(text(&row["hour"]), format!("{}:00:00+0000", &created[..13]));
    for by in ["", "severity", "state,", "state,severity", "state;status"] {
        client.get(&format!("/alerts/counts?by={by}")).invalid(&["by"]);
    }
    client.get("/alerts/counts?by=state&by=status").invalid(&["by"]);
    client.get("/alerts/counts?pageSize=5&by=x").invalid(&["by", "pageSize"]);
}

fn counts_are_the_totals_of_the_search_under_random_filters(server: &Server) {
    let client = server.new_client();
    let states: Vec<&str> = (0..60).map(|number| STATES[number % 3]).collect();
    for (number, id) in alerts(&client, &states).iter().enumerate() {
        for (every, action) in [(4, "acknowledge"), (5, "suppress"), (7, "close")] {
            if number % every == 0 {
                act(&client, id, action);
            }
        }
    }
    spread_over_hours(server, &client, 1_795_000_000_000);
    let mut seed: u64 = 0x9e37_79b9;
    let mut dice = |sides: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % sides
    };
    for _ in 0..rounds("random filters", 25, 250) {
        let mut terms = Vec::new();
        let mut some = |name: &str, words: &[&str]| {
            let words: Vec<&str> = words.iter().filter(|_| dice(2) == 0).copied().collect();
            if !words.is_empty() {
                terms.push(format!("{name}:{}", words.join(",")));
            }
        };
        some("state", &STATES);
        some("status", &STATUSES);
        some("metric", &["m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "m9"]);
        some("subject", &["is Critical", "m1"]);
        let hours = ["2026-11-16T20:00:00+0000", "2026-11-17T10:00:00+0000", "2026-11-18T10:37:21+0000"];
        for (name, odds) in [("startDate", 3), ("endDate", 3)] {
            if dice(odds) == 0 {
                terms.push(format!("{name}:{}", hours[dice(hours.len())]));
            }
        }
        let filter = terms.join("+");
        for by in ["state", "status", "hour", "state,status", "state,hour", "status,hour", "state,status,hour"] {
            let counts = count(&client, by, &filter);
            assert_eq!(counts["total"], total(&client, &filter), "{by} of {filter}");
        }
        let counts = count(&client, "state,status", &filter);
        let rows: BTreeMap<(String, String), Value> = results(&counts)
            .iter()
            .map(|row| ((text(&row["state"]), text(&row["status"])), row["count"].clone()))
            .collect();
        assert_eq!(rows.len(), results(&counts).len(), "each combination stands once: {counts}");
        // A variable stands once in a filter: what it leaves in is left out here.
        if !filter.contains("state:") && !filter.contains("status:") {
            for (state, status) in STATES.iter().flat_map(|state| STATUSES.iter().map(move |status| (state, status))) {
                let narrower = format!("{filter}+state:{state}+status:{status}");
                let one = rows.get(&((*state).to_owned(), (*status).to_owned())).cloned().unwrap_or(json!(0));
                assert_eq!(one, total(&client, narrower.trim_start_matches('+')), "{narrower}");
            }
        }
    }
}

fn hours_begin_in_utc_and_the_newest_are_there(server: &Server) {
    let client = server.new_client();
    let states = vec!["Info"; 750];
    let ids = alerts(&client, &states);
    // 2026-11-18T10:59:59.999Z
    spread_over_hours(server, &client, 1_795_003_199_999 - 3_600_000);
    server.sql(&format!(
        "UPDATE alerts SET created_ms = created_ms + 1 WHERE tenant_id = '{}' AND id = '{}';",
        client.tenant_id(),
        ids[0]
    ));
    let counts = count(&client, "hour", "");
    let hours = each(&counts["results"], "hour");
    let newest = text(&client.get(&format!("/alerts/{}", ids[0])).ok()["createdDate"]);
    assert_eq!((newest.as_str(), hours[0].as_str()), ("2026-11-18T11:00:00+0000", "2026-11-18T11:00:00+0000"));
    assert_eq!(hours[1], "2026-11-18T09:00:00+0000", "the hour of the one before, and none between");
    assert_eq!((hours.len(), &counts["total"], &counts["truncated"]), (744, &json!(750), &json!(true)));
    assert!(hours.is_sorted_by(|one, other| one > other), "the newest is first");
    let of_month = format!("startDate:{}", hours[743]);
    let exact = count(&client, "state,status,hour", &of_month);
    assert_eq!((results(&exact).len(), &exact["total"], &exact["truncated"]), (744, &json!(744), &json!(false)));
    // By when they changed last, all are of the hour in which they were made here, or of the next one.
    let updated = count(&client, "hour", "alertTimeBase:updated");
    assert!(results(&updated).len() <= 2 && updated["total"] == json!(750), "{updated}");
    assert_eq!(count(&client, "state,status", "")["truncated"], json!(false));
}

fn what_the_search_refuses_is_refused(server: &Server) {
    let client = server.new_client();
    for filter in ["duration:0", "alertTimeBase:never", "priority:P1", "state:Bad", "startDate:x", "state", "state:"] {
        let detail = |path: &str| client.search(path, filter).invalid(&["queryString"])["detail"].clone();
        assert_eq!(detail("/alerts/counts"), detail("/alerts/search"), "{filter}");
    }
}

fn each_tenant_counts_its_own_and_a_partner_those_of_its_clients(server: &Server) {
    let [one, other] = [server.new_client(), server.new_client()];
    let marker = unique("count");
    for (client, many) in [(&one, 2), (&other, 3)] {
        for number in 0..many {
            let alert = json!({"currentState": "Info", "subject": format!("{marker} {number}")});
            client.post("/alert", &alert).ok();
        }
    }
    let filter = format!("subject:{marker}");
    let counted = |client: &Client, filter: &str| count(client, "state", filter)["total"].clone();
    assert_eq!((counted(&one, &filter), counted(&other, &filter)), (json!(2), json!(3)));
    assert_eq!(counted(&one, &format!("clientIds:{}", other.tenant_id())), json!(0));
    assert_eq!(counted(&server.admin(), &filter), json!(5));
    let of_other = format!("{filter}+clientIds:{}", other.tenant_id());
    assert_eq!(counted(&server.admin(), &of_other), json!(3));
}
