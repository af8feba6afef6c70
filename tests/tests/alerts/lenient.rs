//! What can be understood at the addresses of monitors is taken: a refused alert wakes nobody.

use std::io::Write as _;

use flate2::{Compression, write::GzEncoder};
use muster_tests::{Server, both_backends};
use serde_json::{Value, json};

use super::{address, each, host, only, send, text};

both_backends![
    a_machine_is_named_by_a_text_or_by_an_object,
    a_large_body_of_any_format_is_taken,
    a_compressed_body_is_taken,
    headers_that_cannot_be_used_mean_nothing,
    a_fixed_key_makes_no_two_alerts_one,
    a_problem_that_comes_again_after_a_monitor_closed_its_alert_is_another,
    several_reports_come_in_one_body,
    what_a_monitor_leaves_out_is_made,
    what_names_a_problem_is_taken_at_any_address,
    a_rule_of_an_old_grafana_is_one_problem,
    keys_differ_in_their_last_digit,
    machines_that_are_not_known_are_named_like_others,
    a_priority_counts_as_a_report_does,
    a_key_that_moves_to_another_machine_leaves_the_window_of_the_first,
];

/// The result of a report that is sent to an inbound address.
fn result(server: &Server, token: &str, body: &Value) -> String {
    text(&send(server, token, "", body).ok()["result"])
}

fn a_machine_is_named_by_a_text_or_by_an_object(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    let (id, name) = host(&client);
    let say = |state: &str, device: Value| {
        let tags = json!([{"name": "env", "value": "prod"}]);
        let body = json!({"currentState": state, "subject": "Load", "metric": "load", "device": device, "tags": tags});
        send(server, &token, "", &body).ok()
    };
    let first = say("Critical", json!({"hostName": name}));
    assert_eq!((&first["result"], &first["resourceId"]), (&json!("created"), &json!(id)), "{first}");
    assert_eq!(only(&client, &format!("id:{}", text(&first["id"])))["tags"][0]["value"], json!("prod"));
    let other = say("Critical", json!({"hostName": "another"}));
    assert_eq!(other["result"], json!("created"), "{other}");
    assert_eq!(say("Critical", json!(name))["id"], first["id"]);
    assert_eq!(say("Ok", json!({"hostName": "another"}))["id"], other["id"]);
    let lost = say("Critical", json!(["web"]));
    assert!(text(&lost["warnings"][0]).contains("the machine was not understood"), "{lost}");
}

fn a_large_body_of_any_format_is_taken(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    let log = "x".repeat(600 << 10);
    assert_eq!(result(server, &token, &json!({"subject": "Backup", "description": log})), "created");
    let zabbix = json!({"event_id": "1", "event_name": "Disk", "event_severity": "High", "alert_message": log});
    assert_eq!(each(&send(server, &token, "/zabbix", &zabbix).ok(), "result"), ["created"]);
    let opsgenie = json!({"message": "Disk", "alias": "og", "description": log});
    assert_eq!(send(server, &token, "/opsgenie", &opsgenie).status, 202);
    let payload = json!({"summary": "Disk", "source": "a", "custom_details": {"log": log}});
    let pagerduty = json!({"event_action": "trigger", "dedup_key": "pd", "payload": payload});
    assert_eq!(send(server, &token, "/pagerduty", &pagerduty).status, 202);
    for key in ["og", "pd"] {
        only(&client, &format!("extAlertId:{key}"));
    }
}

fn a_compressed_body_is_taken(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    let send = |path: &str, body: Vec<u8>| server.request("POST", path).body("application/json", body).send();
    let plain = format!("/api/v2/inbound/{token}");
    let sent = send(&plain, gzip(json!({"subject": "one"}).to_string().as_bytes()));
    assert_eq!(sent.ok()["result"], json!("created"), "{sent}");
    let event = json!({"routing_key": token, "event_action": "trigger", "dedup_key": "two",
        "payload": {"summary": "two", "source": "a"}});
    assert_eq!(send("/v2/enqueue", gzip(event.to_string().as_bytes())).status, 202);
    only(&client, "extAlertId:two");
    let members = [gzip(br#"{"subject": "#), gzip(br#""members"}"#)].concat();
    assert_eq!(send(&plain, members).ok()["result"], json!("created"));
    let bomb = send(&plain, gzip(&vec![b' '; 9 << 20]));
    assert_eq!(bomb.status, 413, "{bomb}");
    let cut = gzip(br#"{"subject": "three"}"#);
    send(&plain, cut[..cut.len() - 9].to_vec()).problem(400, "0002");
}

fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(plain).expect("compressed");
    encoder.finish().expect("compressed")
}

/// Sends to paths of addresses with headers that a monitor sets for all it sends.
fn headers_that_cannot_be_used_mean_nothing(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    let opsgenie = format!("GenieKey {token}");
    let reports = format!("/api/v2/tenants/{}/agents/reports", client.tenant_id());
    let long = "x".repeat(300);
    let headers =
        [("Idempotency-Key", "a b"), ("Idempotency-Key", &*long), ("X-Change-Set", ""), ("X-Change-Set", &*long)];
    for (at, (name, value)) in headers.into_iter().enumerate() {
        let send = |path: &str, authorization: &str, body: Value| {
            let request = server.request("POST", path).header(name, value).header("Authorization", authorization);
            request.json(&body).send().status
        };
        let said = |format: &str| format!("{format} {at}");
        assert_eq!(send(&format!("/api/v2/inbound/{token}"), "", json!({"subject": said("plain")})), 200, "{name}");
        let alerts = json!([{"labels": {"alertname": said("prometheus")}}]);
        assert_eq!(send(&format!("/api/v2/inbound/{token}/alertmanager"), "", alerts), 200, "{name}");
        let payload = json!({"summary": said("pagerduty"), "source": "a"});
        let event = json!({"routing_key": token, "event_action": "trigger", "payload": payload});
        assert_eq!(send("/v2/enqueue", "", event), 202, "{name}");
        assert_eq!(send("/v2/alerts", &opsgenie, json!({"message": said("opsgenie")})), 202, "{name}");
        let machine = json!({"deviceid": said("agent"), "action": "inventory", "content": {"hardware": {"name": "a"}}});
        assert_eq!(send(&reports, &format!("Bearer {}", client.bearer()), machine), 200, "{name}");
    }
    let position = client.request("POST", "/agents/reports").header("Muster-Write-Position", "zz");
    let machine = json!({"deviceid": "another", "action": "inventory", "content": {"hardware": {"name": "b"}}});
    position.json(&machine).send().ok();
    client.request("GET", "/sites/search").header("X-Change-Set", "").send().problem(400, "0002");
}

fn a_fixed_key_makes_no_two_alerts_one(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    let say = |subject: &str, state: &str| {
        let request = server.request("POST", &format!("/api/v2/inbound/{token}")).header("Idempotency-Key", "monitor");
        text(&request.json(&json!({"subject": subject, "currentState": state})).send().ok()["result"])
    };
    assert_eq!(say("disk 1", "Critical"), "created");
    assert_eq!(say("disk 2", "Critical"), "created");
    assert_eq!(say("disk 2", "Critical"), "created", "a retry gets the first answer");
    assert_eq!(only(&client, "subject:disk 2")["repeatCount"], json!(1), "counted once");
    assert_eq!(say("disk 2", "Ok"), "closed");
    assert_eq!(say("disk 2", "Critical"), "created", "once more");
}

fn a_problem_that_comes_again_after_a_monitor_closed_its_alert_is_another(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    let call = |method: &str, path: &str, body: Option<Value>| {
        let request = server.request(method, path).header("Authorization", &format!("GenieKey {token}"));
        let request = request.header("Idempotency-Key", "monitor");
        let answer = match body {
            Some(body) => request.json(&body).send(),
            None => request.send(),
        };
        assert_eq!(answer.status, 202, "{answer}");
    };
    let problem = || Some(json!({"message": "Database down", "alias": "database"}));
    call("POST", "/v2/alerts", problem());
    call("POST", "/v2/alerts", problem());
    let first = only(&client, "extAlertId:database");
    assert_eq!(first["repeatCount"], json!(1), "sent again: {first}");
    let close = "/v2/alerts/database?identifierType=alias";
    call("DELETE", close, None);
    call("DELETE", close, None);
    call("POST", "/v2/alerts", problem());
    let page = client.search("/alerts/search", "extAlertId:database").page();
    let found = page["results"].as_array().expect("alerts");
    let open: Vec<_> = found.iter().filter(|alert| alert["status"] == json!("New")).collect();
    assert!(found.len() == 2 && matches!(&*open, [alert] if alert["id"] != first["id"]), "{page}");
}

fn several_reports_come_in_one_body(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    let plain = send(server, &token, "", &json!([{"subject": "a"}, {"state": "critical"}, {"message": "b"}]));
    assert_eq!(
        (plain.status, each(&plain.json(), "result")),
        (202, ["created", "invalid", "created"].map(str::to_owned).to_vec())
    );
    // What a Prometheus sends to its Alertmanager: what has ended says so by its end alone.
    let alert = |name: &str, end: &str| {
        json!({"labels": {"alertname": name}, "startsAt": "2026-01-01T00:00:00Z",
        "endsAt": end})
    };
    let batch = json!([alert("one", "2099-01-01T00:00:00Z"), alert("two", "2026-01-02T00:00:00Z")]);
    assert_eq!(each(&send(server, &token, "/alertmanager", &batch).ok(), "result"), ["created", "ignored"]);
    let over = json!([alert("one", "2026-01-02T00:00:00Z")]);
    assert_eq!(each(&send(server, &token, "/alertmanager", &over).ok(), "result"), ["closed"]);
    let group = |status: &str| json!({"status": status, "alerts": [{"labels": {"alertname": "three"}}]});
    assert_eq!(each(&send(server, &token, "/grafana", &group("firing")).ok(), "result"), ["created"]);
    assert_eq!(each(&send(server, &token, "/grafana", &group("resolved")).ok(), "result"), ["closed"]);
    let unsure = json!({"alerts": [{"status": "unsure", "labels": {"alertname": "four"}}]});
    let unsure = send(server, &token, "/grafana", &unsure).ok();
    assert_eq!(unsure[0]["warnings"], json!(["it has no status: it counts as firing"]), "{unsure}");
}

fn what_a_monitor_leaves_out_is_made(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    let trigger = json!({"event_action": "trigger", "dedup_key": "disk", "payload": {"severity": "warning"}});
    assert_eq!(send(server, &token, "/pagerduty", &trigger).status, 202);
    let alert = only(&client, "extAlertId:disk");
    assert_eq!((&alert["subject"], &alert["currentState"]), (&json!("disk is Warning"), &json!("Warning")));
    send(server, &token, "/pagerduty", &json!({"event_action": "trigger"})).problem(400, "0002");
    // The recovery of an event needs its id alone.
    let problem = json!({"event_id": "7", "event_name": "Disk", "event_value": "1"});
    assert_eq!(each(&send(server, &token, "/zabbix", &problem).ok(), "result"), ["created"]);
    let over = json!({"event_id": "7", "event_value": "0"});
    assert_eq!(each(&send(server, &token, "/zabbix", &over).ok(), "result"), ["closed"]);
    assert_eq!(only(&client, "extAlertId:7")["subject"], json!("Disk"));
    let unnamed = send(server, &token, "/zabbix", &json!({"event_id": "8", "event_value": "1"})).ok();
    assert_eq!(
        (&unnamed[0]["result"], &only(&client, "extAlertId:8")["subject"]),
        (&json!("created"), &json!("Problem 8"))
    );
}

fn what_names_a_problem_is_taken_at_any_address(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    let send = |path: &str, body: &Value| {
        let answer = send(server, &token, path, body);
        assert!(matches!(answer.status, 200 | 202), "{path} {body}: {answer}");
        answer.json()
    };
    // The webhook of Grafana, which names everything twice.
    let grafana = |status: &str| {
        let alert = json!({"status": status, "labels": {"alertname": "CPU"}, "fingerprint": "cpu"});
        json!({"status": status, "title": format!("[{status}] CPU"), "message": status, "alerts": [alert]})
    };
    for path in ["", "/pagerduty", "/opsgenie", "/zabbix", "/alertmanager", "/grafana"] {
        assert_eq!(each(&send(path, &grafana("firing")), "result"), ["created"], "{path}");
        assert_eq!(each(&send(path, &grafana("resolved")), "result"), ["closed"], "{path}");
        let event = |action: &str| {
            json!({"routing_key": token, "event_action": action, "dedup_key": format!("disk{path}"),
                "payload": {"summary": "Disk"}})
        };
        let open = || client.search("/alerts/search", "app:PagerDuty event+status:New").page()["results"].clone();
        send(path, &event("trigger"));
        assert_eq!(open().as_array().map(Vec::len), Some(1), "{path}: {}", open());
        send(path, &event("resolve"));
        assert_eq!(open(), json!([]), "{path}");
    }
    for (path, body) in [
        ("/pagerduty", json!([{"event_action": "trigger", "summary": "flat", "dedup_key": "a"}, 7])),
        ("/pagerduty", json!({"event_type": "trigger", "incident_key": "b", "description": "version 1"})),
        ("/opsgenie", json!([{"alias": "c", "description": "no message"}])),
        ("/zabbix", json!([{"event_id": "d"}, {"state": "critical"}])),
        ("/alertmanager", json!({"alerts": {"annotations": {"summary": "no labels"}, "fingerprint": "e"}})),
        ("", json!([{"Subject": "capitals", "Key": "f", "colour": "red"}])),
    ] {
        send(path, &body);
    }
    for key in ["a", "b", "c", "d", "e", "f"] {
        only(&client, &format!("extAlertId:{key}"));
    }
    for path in ["/pagerduty", "/opsgenie", "/zabbix"] {
        self::send(server, &token, path, &json!([7])).problem(400, "0002");
    }
}

fn a_rule_of_an_old_grafana_is_one_problem(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    let say = |id: i64, state: &str, more: &Value| {
        let mut body = json!({"title": format!("[{state}] CPU"), "ruleId": id, "ruleName": "CPU", "state": state});
        body.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
        each(&send(server, &token, "/grafana", &body).ok(), "result")
    };
    assert_eq!(say(1, "alerting", &json!({})), ["created"]);
    assert_eq!(say(1, "ok", &json!({})), ["closed"]);
    let same = json!({"message": "See the wiki"});
    assert_eq!(
        (say(1, "alerting", &same), say(2, "alerting", &same)),
        (vec!["created".into()], vec!["created".into()])
    );
    assert_eq!(say(2, "ok", &same), ["closed"]);
    assert_eq!(only(&client, "status:New")["metric"], json!("CPU"));
}

fn keys_differ_in_their_last_digit(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    let say = |id: &str, state: &str| {
        let body = format!("{{\"id\":{id},\"subject\":\"s\",\"state\":\"{state}\"}}");
        let request = server.request("POST", &format!("/api/v2/inbound/{token}"));
        text(&request.body("application/json", body).send().ok()["result"])
    };
    assert_eq!(say("18446744073709551616", "critical"), "created");
    assert_eq!(say("18446744073709551617", "critical"), "created");
    assert_eq!(say("18446744073709551617", "ok"), "closed");
    only(&client, "extAlertId:18446744073709551616+status:New");
}

fn machines_that_are_not_known_are_named_like_others(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    let say = |host: &str, state: &str| result(server, &token, &json!({"subject": "s", "host": host, "state": state}));
    assert_eq!(say("zz-2", "critical"), "created");
    assert_eq!(say("ZZ-2.", "critical"), "repeated");
    assert_eq!(say("zz-2.", "ok"), "closed");
    // PagerDuty's key is made of the machine.
    let key = |source: Value| {
        let body = json!({"event_action": "trigger", "payload": {"summary": "s", "source": source}});
        let answer = send(server, &token, "/pagerduty", &body);
        assert_eq!(answer.status, 202, "{answer}");
        answer.json()["dedup_key"].clone()
    };
    let [plain, capital, dotted, object] = [json!("m1"), json!("M1"), json!("m1."), json!({"hostName": "m1"})].map(key);
    assert_eq!((&plain, &plain, &plain), (&capital, &dotted, &object));
    assert_ne!(key(json!({"hostName": "m2"})), plain);
}

/// A window that holds what is only a warning of a machine back.
fn window_for_warnings(client: &muster_tests::Client, host: &str) {
    let schedule = json!({"type": "One-Time", "startTime": "2020-01-01T00:00:00+0000",
        "endTime": "2099-01-01T00:00:00+0000", "timezone": "UTC"});
    let rules = json!([{"key": "currentState", "operator": "Equals", "value": "Warning"}]);
    let body = json!({"name": muster_tests::unique("window"), "devices": [{"hostName": host}],
        "alertConditions": {"rules": rules}, "schedule": schedule});
    client.post("/scheduleMaintenances", &body).ok();
}

fn a_priority_counts_as_a_report_does(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    let (_, name) = host(&client);
    window_for_warnings(&client, &name);
    let call = |method: &str, path: &str, body: &Value| {
        let request = server.request(method, path).header("Authorization", &format!("GenieKey {token}"));
        assert_eq!(request.json(body).send().status, 202);
    };
    call("POST", "/v2/alerts", &json!({"message": "m", "alias": "A1", "entity": name, "priority": "P3"}));
    assert_eq!(only(&client, "extAlertId:A1")["status"], json!("Suppressed"));
    call("PUT", "/v2/alerts/A1/priority", &json!({}));
    assert_eq!(only(&client, "extAlertId:A1")["currentState"], json!("Warning"), "no priority changes nothing");
    call("PUT", "/v2/alerts/A1/priority", &json!({"priority": "P1"}));
    let alert = only(&client, "extAlertId:A1");
    assert_eq!((&alert["status"], &alert["currentState"]), (&json!("New"), &json!("Critical")), "{alert}");
    // What another route said stands.
    let body = json!({"routing_key": token, "event_action": "trigger", "dedup_key": "A1",
        "payload": {"summary": "m", "severity": "critical"}});
    assert_eq!(server.request("POST", "/v2/enqueue").json(&body).send().status, 202);
    call("PUT", "/v2/alerts/A1/priority", &json!({"priority": "P5"}));
    assert_eq!(only(&client, "extAlertId:A1")["currentState"], json!("Critical"));
}

fn a_key_that_moves_to_another_machine_leaves_the_window_of_the_first(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    let (_, first) = host(&client);
    let (id, second) = host(&client);
    window_for_warnings(&client, &first);
    let say = |host: &str| {
        let body = json!({"subject": "s", "key": "k", "state": "warning", "host": host});
        send(server, &token, "", &body).ok()
    };
    assert_eq!(say(&first)["status"], json!("Suppressed"));
    let moved = say(&second);
    assert_eq!((&moved["status"], &moved["resourceId"]), (&json!("New"), &json!(id)), "{moved}");
}
