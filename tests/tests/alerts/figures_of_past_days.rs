//! Figures of past days, of which packed copies are kept: they are those of the rows. What a filter finds is always
//! read from the rows, so a filter that finds everything says what those are.

use std::time::Duration;

use muster_tests::{
    Backend, Client, Server, both_backends,
    receiver::{Receiver, wait_for},
};
use serde_json::{Value, json};

use super::{
    figures::{ALWAYS, WORDS, policy, reachable, roster, route, settle},
    host, post, report, text,
};

both_backends![copies_of_past_days_answer_as_the_rows_do];

/// How many copies of an alert there are, how long before it they were taken in, and where their ids begin.
const COPIES: i64 = 100;
const BEFORE_MS: i64 = 30 * 86_400_000;
const OLD: &str = "ALT-0190a6b2-8f0e";

/// The figures by each word, of the copies and of the rows.
fn both(client: &Client, by: &str) -> [Value; 2] {
    let all = format!("queryString=clientIds:{}", client.tenant_id());
    [String::new(), format!("&{all}")].map(|rest| client.get(&format!("/alerts/figures?by={by}&{ALWAYS}{rest}")).ok())
}

/// Stores copies of all alerts of a tenant with who was told, as if they were taken in before.
fn copies(tenant: &str) -> String {
    let numbers = format!(
        "WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < {COPIES}) INSERT INTO"
    );
    let alert = |id: &str| format!("'{OLD}' || substr({id}, 18, 11) || (100000000000 + i)");
    let from = |table: &str| format!("FROM {table} CROSS JOIN numbers WHERE tenant_id = '{tenant}'");
    let same = "version, problem, resource_id, host_key, subject_key, metric_key, service_key, monitor_key, app_key, \
        component_key, type_key, ext_key, current_state, repeats, first_ms, last_ms, updated_ms, acknowledged, \
        suppression, document, sender";
    let escalation = "version, policy_tenant, policy_id, policy_name, policy, route_id, stage, round, step, repeats, \
        next_ms, urgency, conversation, alert, created_ms, updated_ms, problem, stands_for, waits_for, waits_until_ms, \
        actions, handed_over_step";
    let page = "round, step, user_id, method_tenant, method_id, channel, kind, status, why, urgency, policy_id, \
        conversation, message, due_ms, owner, attempts, log, sent_ms, roster_tenant, roster_id";
    [
        format!(
            "{numbers} escalations (tenant_id, alert_id, {escalation}) SELECT tenant_id, {}, {escalation} {}",
            alert("alert_id"),
            from("escalations")
        ),
        format!(
            "{numbers} pages (tenant_id, id, alert_id, created_ms, {page}) SELECT tenant_id, id || '-' || i, {}, \
             created_ms - {BEFORE_MS}, {page} {} AND kind = 'page'",
            alert("alert_id"),
            from("pages")
        ),
        format!(
            "{numbers} alerts (tenant_id, id, created_ms, acknowledged_ms, closed_ms, {same}) SELECT tenant_id, {}, \
             created_ms - {BEFORE_MS}, acknowledged_ms - {BEFORE_MS} + i * 1000, closed_ms - {BEFORE_MS} + i * 7000, \
             {same} {}",
            alert("id"),
            from("alerts")
        ),
    ]
    .join("; ")
}

fn wait_for_copies(server: &Server, times: usize) {
    let made = || server.log().matches("copied the alerts of past days").count() >= times;
    wait_for(Duration::from_secs(60), made, || server.log());
}

fn copies_of_past_days_answer_as_the_rows_do(backend: Backend) {
    let mut server = Server::start_with(backend, &["--egress-allow", "127.0.0.0/8", "--page-limit", "0"]);
    let client = server.new_client();
    let tenant = client.tenant_id().to_owned();
    let receiver = Receiver::willing();
    let [first, second] = [reachable(&client, &receiver), reachable(&client, &receiver)];
    let on_call = roster(&client, &first);
    let steps = json!([{"targets": [{"roster": {"id": on_call}}, {"user": {"id": second}}], "wait": "1h"}]);
    let disks = json!([{"key": "metric", "operator": "Startswith", "value": "disk"}]);
    route(&client, &disks, &policy(&client, &steps));
    let machines: Vec<(String, String)> = (0..2).map(|_| host(&client)).collect();
    let mut disk = String::new();
    for (machine, metric, is_answered) in
        [(0, "disk", true), (0, "load", false), (1, "disk2", false), (1, "load", true)]
    {
        let id = text(&post(&client, &report(&machines[machine].1, "Critical", metric))["id"]);
        settle(&client, if metric == "disk" { 4 } else { 0 });
        if metric == "disk" {
            disk.clone_from(&id);
        }
        if is_answered {
            client.post_empty(&format!("/alerts/{id}/actions/acknowledge")).ok();
        }
        client.post_empty(&format!("/alerts/{id}/actions/close")).ok();
    }
    settle(&client, 4);
    server.stop();
    server.sql(&copies(&tenant));
    server.restart();
    wait_for_copies(&server, 1);
    let client = server.admin().tenant(&tenant);
    for by in WORDS {
        let [copies, rows] = both(&client, by);
        assert_eq!(copies, rows, "{by}");
        assert_eq!(rows["total"], json!(4 * (COPIES + 1)), "{by}");
    }
    // Pages that are removed behind the back of the service are in the copies, which shows that they are read.
    server.stop();
    server.sql(&format!("DELETE FROM pages WHERE tenant_id = '{tenant}' AND alert_id LIKE '{OLD}%'"));
    server.restart();
    let client = server.admin().tenant(&tenant);
    let [copies, rows] = both(&client, "person");
    assert_ne!(copies["results"], rows["results"]);
    // What the service changes is: the copies of that day go, and are made again.
    let old = format!("{OLD}{}{}", &disk[17..28], 100_000_000_000_i64 + COPIES);
    client.post(&format!("/alerts/{old}/notes"), &json!({"text": "why"})).ok();
    let same = || {
        WORDS.iter().all(|by| {
            let [copies, rows] = both(&client, by);
            copies == rows
        })
    };
    wait_for(Duration::from_secs(90), same, || json!(both(&client, "resource")).to_string());
    // What another program changes of alerts is, too, at once.
    server.stop();
    server.sql(&format!(
        "UPDATE alerts SET acknowledged_ms = NULL WHERE tenant_id = '{tenant}' AND id LIKE '{OLD}%' \
         AND metric_key = 'disk'"
    ));
    server.restart();
    let client = server.admin().tenant(&tenant);
    for by in WORDS {
        let [copies, rows] = both(&client, by);
        assert_eq!(copies, rows, "{by}");
    }
}
