//! Reports count in the order in which they arrive, and those of one sender have nothing to do with those of another.

use muster_tests::{Client, Server, both_backends};
use serde_json::{Value, json};

use super::{address, at, found, host, only, post, report, send, text};

both_backends![
    firing_again_is_a_new_alert_with_any_start,
    a_worse_state_counts_whatever_its_time,
    a_recovery_is_of_the_instance_that_it_names,
    a_zabbix_recovery_closes_its_event_whatever_its_clock_says,
    inbound_addresses_have_nothing_to_do_with_each_other,
    keys_count_to_their_end_and_in_their_letter_case,
    words_that_mean_well_close_only_as_a_state,
    two_routes_of_a_sender_are_one_alert_with_the_worse_state,
    alerts_from_before_senders_were_separate_are_closed_by_their_sender,
];

fn instance(format: &str, key: &str, status: &str, starts: &str, ends: &str) -> Value {
    let version = if format == "grafana" { "1" } else { "4" };
    json!({"version": version, "alerts": [{"status": status, "fingerprint": key,
        "labels": {"alertname": "InstanceDown"}, "startsAt": starts, "endsAt": ends}]})
}

const NEVER: &str = "0001-01-01T00:00:00Z";

#[track_caller]
fn result(answer: &Value) -> String {
    text(&answer.get(0).unwrap_or(answer)["result"])
}

fn firing_again_is_a_new_alert_with_any_start(server: &Server) {
    let client = server.new_client();
    for format in ["alertmanager", "grafana"] {
        let (_, token) = address(&client);
        let say = |status: &str, ends: &str| {
            let body = instance(format, "f1", status, "2026-05-01T10:00:00Z", ends);
            result(&send(server, &token, &format!("/{format}"), &body).ok())
        };
        let said = [("firing", NEVER), ("resolved", "2026-05-01T10:10:00Z"), ("firing", NEVER), ("firing", NEVER)];
        assert_eq!(said.map(|(status, ends)| say(status, ends)), ["created", "closed", "created", "repeated"]);
    }
    assert_eq!(found(&client, "status:New").len(), 2);
    let (_, name) = host(&client);
    let said = |state: &str| report(&name, state, "m");
    let early = |state: &str| at(said(state), "2026-05-01T10:00:00Z");
    let reports = [early("Critical"), said("Ok"), early("Critical"), early("Ok")];
    assert_eq!(reports.map(|body| text(&post(&client, &body)["result"])), ["created", "closed", "created", "closed"]);
    // A recovery without a problem is not a reason either.
    let reports = [("Ok", "10:10"), ("Warning", "10:09")];
    let reports = reports.map(|(state, time)| at(report(&name, state, "n"), &format!("2026-05-01T{time}:00Z")));
    assert_eq!(reports.map(|body| text(&post(&client, &body)["result"])), ["ignored", "created"]);
    // The plain format.
    let (_, token) = address(&client);
    let plain = |state: &str, time: &str| {
        let body = json!({"subject": "s", "key": "k", "state": state, "time": time});
        result(&send(server, &token, "", &body).ok())
    };
    assert_eq!(plain("critical", "2026-05-01T10:00:00Z"), "created");
    assert_eq!(plain("ok", "2026-05-01T10:05:00Z"), "closed");
    assert_eq!(plain("critical", "2026-05-01T10:00:00Z"), "created");
}

fn a_worse_state_counts_whatever_its_time(server: &Server) {
    let client = server.new_client();
    let (_, name) = host(&client);
    let say = |metric: &str, state: &str, minute: u32| {
        post(&client, &at(report(&name, state, metric), &format!("2026-05-01T10:{minute:02}:00Z")))
    };
    say("a", "Warning", 10);
    let worse = say("a", "Critical", 9);
    assert_eq!((&worse["result"], &worse["currentState"]), (&json!("changed"), &json!("Critical")));
    let better = say("a", "Info", 8);
    assert_eq!(
        (&better["result"], &better["currentState"], &better["repeatCount"]),
        (&json!("late"), &json!("Critical"), &json!(3))
    );
    assert_eq!(say("a", "Warning", 11)["result"], json!("changed"));
    // Who gives no time now and then is compared with none.
    post(&client, &report(&name, "Critical", "b"));
    assert_eq!(say("b", "Warning", 9)["result"], json!("changed"));
    assert_eq!(say("b", "Warning", 8)["result"], json!("repeated"));
}

fn a_recovery_is_of_the_instance_that_it_names(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    let say = |status: &str, starts: &str, ends: &str| {
        let time =
            |minute: &str| if minute.is_empty() { NEVER.to_owned() } else { format!("2026-05-01T10:{minute}:00Z") };
        let body = instance("alertmanager", "f1", status, &time(starts), &time(ends));
        result(&send(server, &token, "/alertmanager", &body).ok())
    };
    assert_eq!(say("firing", "00", ""), "created");
    assert_eq!(say("firing", "30", ""), "repeated");
    assert_eq!(say("resolved", "00", "10"), "late", "of the instance before");
    assert_eq!(found(&client, "status:New").len(), 1);
    assert_eq!(say("resolved", "30", "20"), "closed", "it says which one, and its clock is wrong");
    assert_eq!(say("firing", "30", ""), "created");
    assert_eq!(say("resolved", "", "40"), "closed", "it names none");
    // An id of the event names an instance, too.
    let (_, name) = host(&client);
    let event = |state: &str, id: &str| {
        let mut body = report(&name, state, "m");
        body["extAlertId"] = json!(id);
        text(&post(&client, &body)["result"])
    };
    assert_eq!(event("Critical", "1"), "created");
    assert_eq!(event("Ok", "0"), "late");
    assert_eq!(event("Ok", "1"), "closed");
}

fn a_zabbix_recovery_closes_its_event_whatever_its_clock_says(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    let say = |id: &str, more: Value| {
        let mut body =
            json!({"event_id": id, "event_name": "High load", "event_severity": "High", "host_host": "web-01"});
        body.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
        result(&send(server, &token, "/zabbix", &body).ok())
    };
    // The hour that comes twice.
    let begun = json!({"event_value": "1", "event_date": "2025.11.02", "event_time": "01:55:00"});
    let over = json!({"event_value": "0", "event_date": "2025.11.02", "event_time": "01:55:00",
        "event_recovery_date": "2025.11.02", "event_recovery_time": "01:05:00"});
    assert_eq!((say("1", begun), say("1", over)), ("created".to_owned(), "closed".to_owned()));
    // Seconds since 1970, and a local time west of GMT.
    let begun = json!({"event_value": "1", "event_timestamp": "1771619820"});
    let over = json!({"event_value": "0", "event_recovery_date": "2026.02.20", "event_recovery_time": "15:40:00"});
    assert_eq!((say("2", begun), say("2", over)), ("created".to_owned(), "closed".to_owned()));
}

fn inbound_addresses_have_nothing_to_do_with_each_other(server: &Server) {
    let client = server.new_client();
    let (_, one) = address(&client);
    let (_, other) = address(&client);
    let say = |token: &str, format: &str, body: Value| result(&send(server, token, format, &body).ok());
    let firing = |key: &str| instance("alertmanager", key, "firing", "2026-05-01T10:00:00Z", NEVER);
    let resolved =
        |key: &str| instance("alertmanager", key, "resolved", "2026-05-01T10:00:00Z", "2026-05-01T10:10:00Z");
    assert_eq!(say(&one, "/alertmanager", firing("f1")), "created");
    assert_eq!(say(&other, "/alertmanager", resolved("f1")), "ignored");
    assert_eq!(result(&client.post("/alerts/alertmanager", &resolved("f1")).ok()), "ignored");
    assert_eq!(say(&other, "/alertmanager", firing("f1")), "created");
    assert_eq!(result(&client.post("/alerts/alertmanager", &firing("f1")).ok()), "created");
    assert_eq!(say(&other, "/alertmanager", resolved("f1")), "closed");
    assert_eq!(found(&client, "status:New").len(), 2);
    // Without a key, and in every other format.
    let plain = |state: &str| json!({"subject": "s", "state": state, "host": "web-01"});
    let zabbix = |value: &str| json!({"event_id": "7", "event_name": "n", "event_value": value});
    for (format, open, over) in [
        ("", plain("critical"), plain("ok")),
        ("/zabbix", zabbix("1"), zabbix("0")),
        (
            "/grafana",
            instance("grafana", "g", "firing", NEVER, NEVER),
            instance("grafana", "g", "resolved", NEVER, "2026-05-01T10:10:00Z"),
        ),
    ] {
        assert_eq!(say(&one, format, open), "created", "{format}");
        assert_eq!(say(&other, format, over.clone()), "ignored", "{format}");
        assert_eq!(say(&one, format, over), "closed", "{format}");
    }
    let pagerduty = |token: &str, action: &str| {
        let body = json!({"routing_key": token, "event_action": action, "dedup_key": "d", "payload": {"summary": "s"}});
        assert_eq!(server.request("POST", "/v2/enqueue").json(&body).send().status, 202);
    };
    let open = || found(&client, "extAlertId:d+status:New,Acknowledged").len();
    pagerduty(&one, "trigger");
    pagerduty(&other, "resolve");
    assert_eq!(open(), 1);
    pagerduty(&one, "resolve");
    assert_eq!(open(), 0);
    // Reports of an API key and of an address about one machine are different problems.
    let (_, name) = host(&client);
    post(&client, &report(&name, "Critical", "m"));
    let body = json!({"subject": "s", "metric": "m", "host": name, "state": "ok"});
    assert_eq!(say(&one, "", body), "ignored");
    assert_eq!(post(&client, &report(&name, "Ok", "m"))["result"], json!("closed"));
    assert!(only(&client, "extAlertId:7")["sender"].as_str().is_some_and(|sender| sender.starts_with("INB-")));
}

fn keys_count_to_their_end_and_in_their_letter_case(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    let long = "a".repeat(5_000);
    let say = |body: Value| result(&send(server, &token, "", &body).ok());
    for (one, other) in [
        (json!({"subject": "one", "key": format!("{long}1")}), json!({"subject": "two", "key": format!("{long}2")})),
        (json!({"subject": format!("{long} on A")}), json!({"subject": format!("{long} on B")})),
        (
            json!({"subject": "s", "component": format!("{long}1")}),
            json!({"subject": "s", "component": format!("{long}2")}),
        ),
        (json!({"subject": "s", "key": "case"}), json!({"subject": "s", "key": "CASE"})),
        (json!({"subject": "s", "component": "/data"}), json!({"subject": "s", "component": "/Data"})),
        (json!({"subject": "disk is full"}), json!({"subject": "Disk is full"})),
    ] {
        let over = |mut body: Value| {
            body["state"] = json!("ok");
            body
        };
        assert_eq!((say(one.clone()), say(other.clone())), ("created".to_owned(), "created".to_owned()), "{one:.80}");
        assert_eq!((say(over(other)), say(one.clone())), ("closed".to_owned(), "repeated".to_owned()), "{one:.80}");
    }
    for format in ["/alertmanager", "/grafana"] {
        let say = |key: String| {
            let body = instance(&format[1..], &key, "firing", NEVER, NEVER);
            result(&send(server, &token, format, &body).ok())
        };
        assert_eq!([say(format!("{format}{long}3")), say(format!("{format}{long}4"))], ["created", "created"]);
    }
    let (_, name) = host(&client);
    let of = |component: &str| {
        let mut body = report(&name, "Critical", "disk");
        body["component"] = json!(component);
        text(&post(&client, &body)["result"])
    };
    assert_eq!(["/Data", "/data", "/data"].map(of), ["created", "created", "repeated"]);
}

fn words_that_mean_well_close_only_as_a_state(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    for word in ["normal", "ok", "clear", "up", "resolved"] {
        let trigger = json!({"routing_key": token, "event_action": "trigger", "dedup_key": format!("pd-{word}"),
            "payload": {"summary": "Queue is long", "source": "q-1", "severity": word}});
        // Twice: the second one must not close what the first one opened.
        for _ in 0..2 {
            assert_eq!(server.request("POST", "/v2/enqueue").json(&trigger).send().status, 202);
        }
        let create = json!({"message": "m", "alias": format!("og-{word}"), "priority": word});
        let genie = server.request("POST", "/v2/alerts").header("Authorization", &format!("GenieKey {token}"));
        assert_eq!(genie.json(&create).send().status, 202);
        let plain = json!({"subject": "Disk full", "priority": word, "key": format!("plain-{word}")});
        assert_eq!(result(&send(server, &token, "", &plain).ok()), "created");
        let mut fired = instance("alertmanager", &format!("am-{word}"), "firing", NEVER, NEVER);
        fired["alerts"][0]["labels"]["severity"] = json!(word);
        assert_eq!(result(&send(server, &token, "/alertmanager", &fired).ok()), "created");
        let zabbix =
            json!({"event_id": format!("zx-{word}"), "event_name": "n", "event_value": "1", "event_severity": word});
        assert_eq!(result(&send(server, &token, "/zabbix", &zabbix).ok()), "created");
        for sender in ["pd", "og", "plain", "am", "zx"] {
            let made = only(&client, &format!("extAlertId:{sender}-{word}"));
            assert_eq!((&made["currentState"], &made["status"]), (&json!("Info"), &json!("New")), "{sender} {word}");
        }
        let over = json!({"subject": "Disk full", "state": word, "key": format!("plain-{word}")});
        assert_eq!(result(&send(server, &token, "", &over).ok()), "closed", "as a state");
    }
    let resolved = json!({"subject": "s", "key": "both", "status": "resolved", "severity": "critical"});
    let firing = json!({"subject": "s", "key": "both", "status": "firing", "severity": "warning"});
    assert_eq!(result(&send(server, &token, "", &firing).ok()), "created");
    assert_eq!(only(&client, "extAlertId:both")["currentState"], json!("Warning"));
    assert_eq!(result(&send(server, &token, "", &resolved).ok()), "closed");
    let unknown = send(server, &token, "", &json!({"subject": "s", "state": "mauve"})).ok();
    assert_eq!((&unknown["result"], &unknown["currentState"]), (&json!("created"), &json!("Critical")));
    assert!(text(&unknown["warnings"][0]).contains("mauve"), "{unknown}");
}

fn two_routes_of_a_sender_are_one_alert_with_the_worse_state(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    let opsgenie = |body: Value| {
        let request = server.request("POST", "/v2/alerts").header("Authorization", &format!("GenieKey {token}"));
        assert_eq!(request.json(&body).send().status, 202);
    };
    let pagerduty = |action: &str, severity: &str| {
        let body = json!({"routing_key": token, "event_action": action, "dedup_key": "group",
            "payload": {"summary": "Load", "severity": severity}});
        assert_eq!(server.request("POST", "/v2/enqueue").json(&body).send().status, 202);
    };
    let state = || text(&only(&client, "extAlertId:group")["currentState"]);
    opsgenie(json!({"message": "Load", "alias": "group", "priority": "P3"}));
    pagerduty("trigger", "critical");
    assert_eq!(state(), "Critical");
    opsgenie(json!({"message": "Load", "alias": "group", "priority": "P3"}));
    assert_eq!(state(), "Critical", "the other route said so");
    pagerduty("resolve", "critical");
    assert_eq!(only(&client, "extAlertId:group")["status"], json!("Closed"));
    // Where no priority is set the labels have it.
    opsgenie(json!({"message": "Load", "alias": "labelled", "details": {"severity": "critical"}}));
    assert_eq!(only(&client, "extAlertId:labelled")["currentState"], json!("Critical"));
}

/// Stores the alert of a result under another name of its problem, as an earlier version named it.
fn rename(server: &Server, client: &Client, made: &Value, problem: &str) {
    let tenant = client.tenant_id();
    let id = text(&made["id"]);
    server.sql(&format!(
        "UPDATE alert_problems SET problem = '{problem}' WHERE tenant_id = '{tenant}' AND alert_id = '{id}'; \
         UPDATE alerts SET problem = '{problem}', sender = '' WHERE tenant_id = '{tenant}' AND id = '{id}'; \
         UPDATE open_alerts SET open = 0 WHERE tenant_id = '{tenant}' AND sender <> '*'; \
         DELETE FROM open_alerts WHERE tenant_id = '{tenant}' AND sender = ''; \
         INSERT INTO open_alerts VALUES ('{tenant}', '', 1)"
    ));
}

fn alerts_from_before_senders_were_separate_are_closed_by_their_sender(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    let say = |status: &str| {
        let body = instance("alertmanager", "f-before", status, NEVER, NEVER);
        send(server, &token, "/alertmanager", &body).ok()[0].clone()
    };
    let made = say("firing");
    // The beginning of the SHA-256 of `sender` and the fingerprint.
    rename(server, &client, &made, "01d7e68899e964d775be302e3898b40f");
    let again = say("firing");
    assert_eq!((&again["result"], &again["id"]), (&json!("repeated"), &made["id"]));
    assert_eq!(say("resolved")["result"], json!("closed"));
    // A machine, a metric and a component, whatever their letter case.
    let made =
        post(&client, &json!({"currentState": "Critical", "metric": "Disk", "component": "/Var", "device": "Web-9"}));
    rename(server, &client, &made, "b1dd738d0a02001a9802bed0bc550ec5");
    let over = json!({"currentState": "Ok", "metric": "Disk", "component": "/Var", "device": "Web-9"});
    assert_eq!(post(&client, &over)["id"], made["id"]);
    assert!(found(&client, "status:New").is_empty());
}
