//! Actions on all alerts that a search finds.

use muster_tests::{Client, Response, Server, both_backends, unique};
use serde_json::{Value, json};

use super::{each, found, get, host, post, report, text};

both_backends![
    each_action_does_what_it_does_with_one_alert,
    an_alert_that_refuses_leaves_the_others_alone,
    two_thousand_alerts_are_closed_by_one_request,
    more_than_ten_thousand_are_refused_and_none_is_changed,
    what_is_wrong_is_refused_and_nothing_is_done,
    a_repeated_request_changes_nothing_more,
    nobody_acts_on_alerts_of_others_and_a_partner_on_those_of_its_clients,
];

/// Acts on all that a filter finds.
fn act(client: &Client, action: &str, body: &Value) -> Response {
    client.post(&format!("/alerts/actions/{action}"), body)
}

/// How many are changed, refused and unchanged.
#[track_caller]
fn numbers(answer: &Value) -> [usize; 3] {
    let results = answer["results"].as_array().expect("results");
    ["changed", "refused", "unchanged"].map(|status| {
        let counted = results.iter().filter(|result| result["status"] == status).count();
        assert_eq!(answer[status], json!(counted), "{answer}");
        let reasons = results.iter().filter(|result| result["status"] == status);
        assert!(reasons.into_iter().all(|result| result["reason"].is_string() == (status != "changed")), "{answer}");
        counted
    })
}

/// So many alerts with one word in their subjects: the word, and their ids.
fn alerts(client: &Client, many: usize) -> (String, Vec<String>) {
    let word = unique("bulk");
    let all: Vec<Value> =
        (0..many).map(|number| json!({"currentState": "Critical", "subject": format!("{word} {number}")})).collect();
    let mut ids = Vec::new();
    for some in all.chunks(1_000) {
        ids.extend(each(&json!(client.post("/alerts", &json!(some)).list()), "id"));
    }
    (word, ids)
}

/// What the audit log has of an alert after it was made, but for what tells two alerts or times apart.
fn log(client: &Client, id: &str) -> Vec<Value> {
    let rows = client.search("/auditLog/search?isDescendingOrder=false", &format!("entityId:{id}")).page();
    let mut rows = rows["results"].as_array().cloned().unwrap_or_default();
    rows.drain(..1);
    for row in &mut rows {
        let fields = row.as_object_mut().unwrap();
        for name in ["id", "entityId", "requestId", "changeSet", "time", "createdDate"] {
            fields.remove(name);
        }
        // Which changes where two changes are not of one second.
        fields["changes"].as_object_mut().map(|changes| changes.remove("updatedDate"));
        blank_times(row);
    }
    rows
}

fn blank_times(value: &mut Value) {
    match value {
        Value::Object(fields) => fields.values_mut().for_each(blank_times),
        Value::Array(items) => items.iter_mut().for_each(blank_times),
        Value::String(text) if text.ends_with("+0000") && text.len() == 24 => "TIME".clone_into(text),
        _ => {}
    }
}

fn each_action_does_what_it_does_with_one_alert(server: &Server) {
    let client = server.new_client();
    let (word, ids) = alerts(&client, 3);
    let alone = text(&post(&client, &json!({"currentState": "Critical", "subject": unique("alone")}))["id"]);
    let steps = [
        ("acknowledge", json!({"note": "mine"}), "Acknowledged"),
        ("unacknowledge", json!({}), "New"),
        ("suppress", json!({"until": "2036-01-01T00:00:00Z", "note": "known"}), "Suppressed"),
        ("unsuppress", json!({"note": " not that "}), "New"),
        ("close", json!({"note": "replaced"}), "Closed"),
    ];
    for (action, body, status) in steps {
        let mut of_all = body.clone();
        of_all["queryString"] = json!(format!("subject:{word}"));
        let answer = act(&client, action, &of_all).ok();
        assert_eq!(numbers(&answer), [3, 0, 0], "{action}: {answer}");
        assert_eq!(each(&answer["results"], "id"), ids);
        client.post(&format!("/alerts/{alone}/actions/{action}"), &body).ok();
        let mut expected = get(&client, &json!({"id": alone}));
        assert_eq!(expected["status"], json!(status));
        blank_times(&mut expected);
        for id in &ids {
            let mut alert = get(&client, &json!({"id": id}));
            blank_times(&mut alert);
            for name in ["id", "uniqueId", "subject"] {
                alert[name] = expected[name].clone();
            }
            assert_eq!(alert, expected, "{action}");
            assert_eq!(log(&client, id), log(&client, &alone), "{action}");
        }
    }
    assert_eq!(log(&client, &ids[0]).len(), 5);
    let again = client.post("/alert", &json!({"currentState": "Critical", "subject": format!("{word} 0")})).ok();
    assert_eq!(again["result"], json!("created"), "its problem is over");
}

fn an_alert_that_refuses_leaves_the_others_alone(server: &Server) {
    let client = server.new_client();
    let (word, ids) = alerts(&client, 4);
    client.post_empty(&format!("/alerts/{}/actions/acknowledge", ids[1])).ok();
    client.post_empty(&format!("/alerts/{}/actions/close", ids[2])).ok();
    let version = client.get(&format!("/alerts/{}", ids[1])).header("ETag").map(ToOwned::to_owned);
    let answer = act(&client, "acknowledge", &json!({"queryString": format!("subject:{word}")})).ok();
    assert_eq!(numbers(&answer), [2, 2, 0], "{answer}");
    assert_eq!(each(&answer["results"], "status"), ["changed", "refused", "refused", "changed"]);
    assert_eq!(answer["results"][2]["reason"], json!("The alert is closed."));
    let alone = client.post_empty(&format!("/alerts/{}/actions/acknowledge", ids[1])).problem(409, "0004");
    assert_eq!(answer["results"][1]["reason"], alone["detail"]);
    assert_eq!(client.get(&format!("/alerts/{}", ids[1])).header("ETag").map(ToOwned::to_owned), version);
    assert_eq!(found(&client, "status:Acknowledged").len(), 3);
    let nothing = act(&client, "close", &json!({"queryString": "subject:nothing has this"})).ok();
    assert_eq!(nothing, json!({"results": [], "changed": 0, "refused": 0, "unchanged": 0}));
}

fn two_thousand_alerts_are_closed_by_one_request(server: &Server) {
    let client = server.new_client();
    let (word, mut ids) = alerts(&client, 2_000);
    let filter = format!("subject:{word}+status:New,Acknowledged");
    let answer = act(&client, "close", &json!({"queryString": filter, "note": "a storm"})).ok();
    assert_eq!(numbers(&answer), [2_000, 0, 0]);
    let mut closed = each(&answer["results"], "id");
    closed.sort();
    ids.sort();
    assert_eq!(closed, ids);
    let counts = client.get("/alerts/counts?by=state,status").ok();
    assert_eq!(counts["results"], json!([{"state": "Critical", "status": "Closed", "count": 2_000}]));
    let log = client.search("/auditLog/search?pageSize=1", "entity:ALERT+action:UPDATE").page();
    assert_eq!(log["totalResults"], json!(2_000), "one row of the audit log for each");
    let again = alerts_again(&client, &word, 1_000);
    assert!(again.iter().all(|result| result["result"] == "created"), "all their problems are over");
    assert_eq!(get(&client, &json!({"id": ids[1_999]}))["closure"]["note"], json!("a storm"));
}

fn alerts_again(client: &Client, word: &str, many: usize) -> Vec<Value> {
    let report = |number| json!({"currentState": "Critical", "subject": format!("{word} {number}")});
    client.post("/alerts", &json!((0..many).map(report).collect::<Vec<_>>())).list()
}

fn more_than_ten_thousand_are_refused_and_none_is_changed(server: &Server) {
    let client = server.new_client();
    let (_, name) = host(&client);
    post(&client, &report(&name, "Warning", "load"));
    // Copies, which no report could make in this time.
    let columns = "version, problem, resource_id, host_key, subject_key, metric_key, service_key, monitor_key, \
        app_key, component_key, type_key, ext_key, current_state, repeats, first_ms, last_ms, created_ms, updated_ms, \
        acknowledged, suppression, suppressed_until_ms, closed_ms, window_tenant, window_id, incident_id, document, \
        sender";
    server.sql(&format!(
        "WITH RECURSIVE numbers(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < 10000) \
         INSERT INTO alerts (tenant_id, id, {columns}) SELECT tenant_id, id || '-' || i, {columns} \
         FROM alerts CROSS JOIN numbers WHERE tenant_id = '{}';",
        client.tenant_id()
    ));
    let refused = act(&client, "close", &json!({"queryString": "state:Warning"})).invalid(&["queryString"]);
    assert!(refused["detail"].as_str().is_some_and(|detail| detail.contains("10,000")), "{refused}");
    let counts = client.get("/alerts/counts").ok();
    assert_eq!(counts["results"], json!([{"state": "Warning", "status": "New", "count": 10_001}]));
}

fn what_is_wrong_is_refused_and_nothing_is_done(server: &Server) {
    let client = server.new_client();
    let (word, _) = alerts(&client, 2);
    let filter = format!("subject:{word}");
    for everything in ["", " ", "isEquals:true", "alertTimeBase:updated+isEquals:false"] {
        act(&client, "close", &json!({"queryString": everything})).invalid(&["queryString"]);
    }
    for wrong in [json!({}), json!({"queryString": null}), json!({"queryString": 5}), json!({"note": "all"})] {
        act(&client, "close", &wrong).invalid(&["queryString"]);
    }
    for wrong in ["priority:P1", "duration:0", "state:Bad"] {
        let refusal = act(&client, "close", &json!({"queryString": wrong})).invalid(&["queryString"]);
        assert_eq!(refusal["errors"], client.search("/alerts/search", wrong).invalid(&["queryString"])["errors"]);
    }
    let later = "2036-01-01T00:00:00Z";
    act(&client, "close", &json!({"queryString": filter, "until": later})).invalid(&["until"]);
    act(&client, "suppress", &json!({"queryString": filter, "until": "2020-01-01T00:00:00Z"})).invalid(&["until"]);
    act(&client, "suppress", &json!({"queryString": "x", "until": "never", "note": 5})).invalid(&[
        "queryString",
        "until",
        "note",
    ]);
    for unknown in ["escalate", "Close", "closed", "notes"] {
        act(&client, unknown, &json!({"queryString": filter})).not_found();
    }
    assert_eq!(found(&client, "status:New").len(), 2);
    // What is open, said in so many words.
    let all = json!({"queryString": "status:New,Acknowledged,Suppressed"});
    assert_eq!(numbers(&act(&client, "suppress", &all).ok()), [2, 0, 0]);
    assert_eq!(numbers(&act(&client, "close", &all).ok()), [2, 0, 0]);
}

fn a_repeated_request_changes_nothing_more(server: &Server) {
    let client = server.new_client();
    let (word, _) = alerts(&client, 150);
    let key = unique("key");
    let body = json!({"queryString": format!("subject:{word}+status:New")});
    let send = |body: &Value| {
        client.request("POST", "/alerts/actions/close").header("Idempotency-Key", &key).json(body).send()
    };
    let first = send(&body);
    assert_eq!(numbers(&first.ok()), [150, 0, 0]);
    alerts_again(&client, &word, 5);
    let again = send(&body);
    assert_eq!((again.text(), again.header("Idempotency-Replayed")), (first.text(), Some("true")));
    assert_eq!(found(&client, "status:New").len(), 5, "what came meanwhile is not closed");
    send(&json!({"queryString": "status:New"})).problem(422, "0002");
    // A request that is refused may be sent again under its key.
    let key = unique("key");
    let send = |action: &str, body: &Value| {
        client.request("POST", &format!("/alerts/actions/{action}")).header("Idempotency-Key", &key).json(body).send()
    };
    send("close", &json!({"queryString": ""})).invalid(&["queryString"]);
    assert_eq!(numbers(&send("close", &json!({"queryString": "status:New"})).ok()), [5, 0, 0]);
}

fn nobody_acts_on_alerts_of_others_and_a_partner_on_those_of_its_clients(server: &Server) {
    let [one, other] = [server.new_client(), server.new_client()];
    let (word, ids) = alerts(&one, 2);
    let named = |filter: String| json!({"queryString": filter});
    let stranger = server.caller(other.tenant_id(), "operator");
    for filter in [format!("id:{}", ids[0]), format!("subject:{word}"), format!("clientIds:{}", one.tenant_id())] {
        assert_eq!(numbers(&act(&stranger, "close", &named(filter)).ok()), [0, 0, 0]);
    }
    let viewer = server.caller(one.tenant_id(), "viewer");
    act(&viewer, "close", &named(format!("id:{}", ids[0]))).forbidden();
    assert_eq!(found(&one, "status:New").len(), 2);
    for number in 0..3 {
        post(&other, &json!({"currentState": "Info", "subject": format!("{word} {number}")}));
    }
    let answer = act(&server.admin(), "acknowledge", &named(format!("subject:{word}"))).ok();
    assert_eq!(numbers(&answer), [5, 0, 0]);
    assert_eq!((found(&one, "status:Acknowledged").len(), found(&other, "status:Acknowledged").len()), (2, 3));
}
