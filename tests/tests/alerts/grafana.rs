//! The webhook of a contact point of Grafana, with every field that its documentation lists, in the values that the
//! example there has for them: links that are empty, times with a zone of their own, the year 1 for what is not over.

use muster_tests::{Server, both_backends, unique};
use serde_json::{Value, json};

use super::{address, each, found, get, host, only, send, text};

both_backends![firing_repeated_and_resolved_is_one_alert, the_panel_is_the_link_where_the_rule_is_none];

const GRAFANA: &str = "https://grafana.example/";

/// An alert of a notification. Labels and annotations are those of its rule, so they are the caller's.
fn alert(fingerprint: &str, firing: bool, labels: &Value, annotations: &Value) -> Value {
    json!({
        "status": if firing { "firing" } else { "resolved" },
        "labels": labels,
        "annotations": annotations,
        "startsAt": "2026-03-12T09:51:03.157076+02:00",
        "endsAt": if firing { "0001-01-01T00:00:00Z" } else { "2026-03-12T10:51:03.157076+02:00" },
        "values": {"B": 44.239_437_375_419_08, "C": 1},
        "generatorURL": format!("{GRAFANA}alerting/1afz29v7z/edit"),
        "fingerprint": fingerprint,
        "silenceURL": format!(
            "{GRAFANA}alerting/silence/new?alertmanager=grafana&matchers=alertname%3DT2%2Cteam%3Dblue"
        ),
        "dashboardURL": "",
        "panelURL": "",
        "imageURL": format!("{GRAFANA}public/img/attachments/{fingerprint}.png"),
    })
}

fn notification(firing: bool, alerts: &[Value]) -> Value {
    let count = alerts.len();
    json!({
        "receiver": "My webhook",
        "status": if firing { "firing" } else { "resolved" },
        "orgId": 1,
        "alerts": alerts,
        "groupLabels": {},
        "commonLabels": {"team": "blue"},
        "commonAnnotations": {},
        "externalURL": GRAFANA,
        "version": "1",
        "groupKey": "{}:{}",
        "truncatedAlerts": 0,
        "title": format!("[{}:{count}]  (blue)", if firing { "FIRING" } else { "RESOLVED" }),
        "state": if firing { "alerting" } else { "ok" },
        "message": "**Firing**\n\nValue: B=44.239437375419, C=1\nLabels:\n - alertname = T2\n - team = blue\n",
    })
}

fn firing_repeated_and_resolved_is_one_alert(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    let (id, name) = host(&client);
    // The rule of one says which machine and how bad, that of the other neither.
    let memory = json!({"alertname": "High memory usage", "team": "blue", "zone": "us-1",
        "severity": "warning", "instance": format!("{name}:9100")});
    let cpu = json!({"alertname": "High CPU usage", "team": "blue", "zone": "eu-1"});
    let said = |what: &str| {
        json!({"description": format!("The system has {what}"), "summary": format!("{what} of a zone"),
        "runbook_url": "https://runbooks.example/1234"})
    };
    let alerts = |firing| {
        let memory = alert("c6eadffa33fcdf37", firing, &memory, &said("high memory usage"));
        [memory, alert("bc97ff14869b13e3", firing, &cpu, &said("high CPU usage"))]
    };
    let firing = notification(true, &alerts(true));
    let results = send(server, &token, "/grafana", &firing).ok();
    assert_eq!(each(&results, "result"), ["created", "created"]);
    let made = get(&client, &results[0]);
    assert_eq!((&made["currentState"], &made["status"]), (&json!("Warning"), &json!("New")));
    assert_eq!((&made["device"]["id"], &made["app"]), (&json!(id), &json!("Grafana")));
    assert_eq!(
        (&made["subject"], &made["metric"]),
        (&json!("high memory usage of a zone"), &json!("High memory usage"))
    );
    assert_eq!(made["description"], json!("The system has high memory usage"));
    assert_eq!((&made["extAlertId"], &made["groupKey"]), (&json!("c6eadffa33fcdf37"), &json!("{}:{}")));
    assert_eq!(made["url"], json!(format!("{GRAFANA}alerting/1afz29v7z/edit")));
    assert_eq!(made["alertTime"], json!("2026-03-12T07:51:03+0000"));
    let tags = |alert: &Value| -> Value {
        let tags = alert["tags"].as_array().into_iter().flatten();
        tags.map(|tag| (text(&tag["name"]), tag["value"].clone())).collect::<serde_json::Map<_, _>>().into()
    };
    assert_eq!(tags(&made), memory);
    let other = get(&client, &results[1]);
    assert_eq!((&other["currentState"], tags(&other)), (&json!("Critical"), cpu.clone()));
    assert!(other["device"]["id"].is_null(), "{other}");

    // Grafana tells again of what still fires.
    let again = send(server, &token, "/grafana", &firing).ok();
    assert_eq!(each(&again, "result"), ["repeated", "repeated"]);
    assert_eq!(each(&again, "id"), each(&results, "id"));

    let over = send(server, &token, "/grafana", &notification(false, &alerts(false))).ok();
    assert_eq!(each(&over, "result"), ["closed", "closed"]);
    assert_eq!(each(&over, "id"), each(&results, "id"));
    for result in results.as_array().into_iter().flatten() {
        let closed = get(&client, result);
        assert_eq!((&closed["currentState"], &closed["status"]), (&json!("Ok"), &json!("Closed")));
        assert_eq!((&closed["alertTime"], &closed["repeatCount"]), (&json!("2026-03-12T08:51:03+0000"), &json!(2)));
        assert!(closed["closure"].is_object() && closed["closure"]["by"].is_null(), "nobody did it: {closed}");
    }
    assert_eq!(found(&client, "").len(), 2);
}

fn the_panel_is_the_link_where_the_rule_is_none(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    let labels = json!({"alertname": unique("rule")});
    let fired = |firing| {
        let mut fired =
            alert("d1e2f3a4b5c6d7e8", firing, &labels, &json!({"runbook_url": "https://runbooks.example/1"}));
        fired["generatorURL"] = json!("");
        fired["dashboardURL"] = json!(format!("{GRAFANA}d/1"));
        fired["panelURL"] = json!(format!("{GRAFANA}d/1?viewPanel=1"));
        notification(firing, &[fired])
    };
    send(server, &token, "/grafana", &fired(true)).ok();
    let made = only(&client, "status:New");
    assert_eq!(made["url"], json!(format!("{GRAFANA}d/1?viewPanel=1")));
    assert_eq!((&made["subject"], &made["metric"]), (&labels["alertname"], &labels["alertname"]));
    assert_eq!(made["description"], json!("https://runbooks.example/1"));
    // The same body is taken where a token is sent, by which it is of another sender.
    assert_eq!(client.post("/alerts/alertmanager", &fired(false)).ok()[0]["result"], json!("ignored"));
    send(server, &token, "/grafana", &fired(false)).ok();
    assert_eq!(only(&client, "")["status"], json!("Closed"));
}
