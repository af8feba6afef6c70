//! The webhook of Zabbix: objects of what its macros become. Names of parameters are those of the media types that come
//! with Zabbix, values those that its documentation gives for the macros: numbers as texts, `yyyy.mm.dd` and
//! `hh:mm:ss`, tags as `name:value` in one text or as JSON in one, `{MACRO}` for what an operation does not have, and
//! `*UNKNOWN*` for what it has no value for.

use muster_tests::{Server, both_backends};
use serde_json::{Value, json};

use super::{address, found, host, only, send, text};

both_backends![
    a_problem_is_updated_and_recovers_as_one_alert,
    an_update_that_acknowledges_is_an_acknowledgement,
    parameters_of_other_media_types_are_read,
    what_people_write_is_kept,
];

/// The parameters of all operations of an action: a media type has one list of them for problem, recovery and update.
fn event(host: &str) -> Value {
    json!({
        "alert_subject": "Problem: High CPU utilization",
        "alert_message": "Problem started at 20:37:00 on 2026.02.20\nSeverity: Average\nOriginal problem ID: 1047\n",
        "event_source": "0",
        "event_object": "0",
        "event_id": "1047",
        "event_name": "High CPU utilization (over 90% for 5m)",
        "event_value": "1",
        "event_status": "PROBLEM",
        "event_severity": "Average",
        "event_nseverity": "3",
        "event_date": "2026.02.20",
        "event_time": "20:37:00",
        "event_age": "0s",
        "event_ack_status": "No",
        "event_opdata": "Current utilization: 98.2 %",
        "event_tags": "component:cpu, scope:performance, lonely",
        "event_tags_json": json!([
            {"tag": "component", "value": "cpu"},
            {"tag": "scope", "value": "performance"},
            {"tag": "lonely", "value": ""},
        ])
        .to_string(),
        "event_update_status": "0",
        "event_update_action": "{EVENT.UPDATE.ACTION}",
        "event_update_message": "{EVENT.UPDATE.MESSAGE}",
        "event_update_date": "{EVENT.UPDATE.DATE}",
        "event_update_time": "{EVENT.UPDATE.TIME}",
        "event_recovery_id": "{EVENT.RECOVERY.ID}",
        "event_recovery_value": "{EVENT.RECOVERY.VALUE}",
        "event_recovery_date": "{EVENT.RECOVERY.DATE}",
        "event_recovery_time": "{EVENT.RECOVERY.TIME}",
        "trigger_id": "18225",
        "trigger_name": "High CPU utilization",
        "trigger_description": "The CPU utilization is too high.",
        "trigger_url": "https://zabbix.example/runbooks/18225",
        "trigger_status": "PROBLEM",
        "trigger_hostgroup_name": "Linux servers, Production",
        "host_id": "10084",
        "host_host": host,
        "host_name": "The visible name of it",
        "host_ip": "10.9.9.9",
        "host_dns": "*UNKNOWN*",
        "host_port": "10050",
        "zbxuser": "{USER.FULLNAME}",
    })
}

/// The event with other values for some parameters.
fn with(mut event: Value, values: &Value) -> Value {
    for (name, value) in values.as_object().into_iter().flatten() {
        event[name] = value.clone();
    }
    event
}

/// The parameters of a recovery operation: still about the problem, while the recovery has an id of its own.
fn recovery(event: Value) -> Value {
    with(
        event,
        &json!({"alert_subject": "Resolved in 1h 5m: High CPU utilization", "event_value": "0",
            "event_status": "RESOLVED", "event_age": "1h 5m", "event_recovery_id": "1052", "event_recovery_value": "0",
            "event_recovery_date": "2026.02.20", "event_recovery_time": "21:42:00", "trigger_status": "OK"}),
    )
}

/// The parameters of an update operation.
fn update(event: Value, action: &str, message: &str) -> Value {
    with(
        event,
        &json!({"event_update_status": "1", "event_update_action": action, "event_update_message": message,
            "event_update_date": "2026.02.20", "event_update_time": "20:50:00", "zbxuser": "Ann Lee (ann)"}),
    )
}

#[track_caller]
fn result(server: &Server, token: &str, event: &Value) -> String {
    text(&send(server, token, "/zabbix", event).ok()[0]["result"])
}

fn a_problem_is_updated_and_recovers_as_one_alert(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    let (id, name) = host(&client);
    let problem = event(&name);
    assert_eq!(result(server, &token, &problem), "created");
    let made = only(&client, "");
    assert_eq!((&made["currentState"], &made["status"]), (&json!("Warning"), &json!("New")));
    assert_eq!((&made["app"], &made["device"]["id"]), (&json!("Zabbix"), &json!(id)));
    assert_eq!(
        (&made["subject"], &made["description"]),
        (&problem["event_name"], &json!(text(&problem["alert_message"]).trim()))
    );
    assert_eq!((&made["extAlertId"], &made["url"]), (&json!("1047"), &problem["trigger_url"]));
    assert_eq!(made["alertTime"], json!("2026-02-20T20:37:00+0000"));
    let tag = |name: &str, value: &str| json!({"name": name, "value": value});
    let tags = [tag("component", "cpu"), tag("scope", "performance"), tag("lonely", "")];
    assert_eq!(made["tags"], json!(tags));
    // The next step of the escalation says the same again.
    assert_eq!(result(server, &token, &problem), "repeated");
    let worse = with(problem.clone(), &json!({"event_severity": "Disaster", "event_nseverity": "5"}));
    let worse = update(worse, "commented and changed severity from Average to Disaster", "It spreads");
    assert_eq!(result(server, &token, &worse), "changed");
    let changed = only(&client, "");
    assert_eq!((&changed["currentState"], &changed["oldState"]), (&json!("Critical"), &json!("Warning")));
    assert_eq!(result(server, &token, &recovery(problem.clone())), "closed");
    let closed = only(&client, "");
    assert_eq!(
        (&closed["id"], &closed["status"], &closed["currentState"]),
        (&made["id"], &json!("Closed"), &json!("Ok"))
    );
    assert_eq!(closed["alertTime"], json!("2026-02-20T21:42:00+0000"));
    // A comment on a closed problem opens nothing.
    assert_eq!(result(server, &token, &update(recovery(problem.clone()), "commented", "It was the backup")), "ignored");
    // The trigger fires again: another event, and so another alert.
    assert_eq!(result(server, &token, &with(problem, &json!({"event_id": "1060"}))), "created");
    assert_eq!(found(&client, "").len(), 2);
}

fn an_update_that_acknowledges_is_an_acknowledgement(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    let (_, name) = host(&client);
    let problem = event(&name);
    assert_eq!(result(server, &token, &problem), "created");
    for action in ["commented", "unacknowledged and commented"] {
        assert_eq!(result(server, &token, &update(problem.clone(), action, "Looking")), "repeated");
        assert_eq!(only(&client, "")["status"], json!("New"), "{action}");
    }
    let acknowledged = with(problem.clone(), &json!({"event_ack_status": "Yes"}));
    send(server, &token, "/zabbix", &update(acknowledged.clone(), "acknowledged and commented", "on it")).ok();
    let seen = only(&client, "");
    assert_eq!((&seen["status"], &seen["acknowledgement"]["note"]), (&json!("Acknowledged"), &json!("on it")));
    assert_eq!(result(server, &token, &recovery(acknowledged)), "closed");
    assert_eq!(only(&client, "")["status"], json!("Closed"));
}

/// The names that the media types for PagerDuty and for Event-Driven Ansible have for the same macros; the latter makes
/// numbers of some.
fn parameters_of_other_media_types_are_read(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    let (id, name) = host(&client);
    let run_together = json!({
        "alert_message": "Problem started", "eventack": "No", "eventdate": "2026.02.20", "eventid": "2001",
        "eventname": "Problem: High CPU utilization", "eventtags": "component:cpu", "eventtime": "20:37:00",
        "eventupdate": "0", "eventvalue": "1", "event_source": "0", "hostip": "10.9.9.9", "hostname": name,
        "severity": "Information", "triggerdesc": "", "triggerid": "18225", "triggeropdata": "98.2 %",
        "url": "https://zabbix.example",
    });
    assert_eq!(result(server, &token, &run_together), "created");
    let made = only(&client, "extAlertId:2001");
    assert_eq!((&made["currentState"], &made["device"]["id"]), (&json!("Info"), &json!(id)));
    assert_eq!(
        (&made["alertTime"], &made["url"]),
        (&json!("2026-02-20T20:37:00+0000"), &json!("https://zabbix.example"))
    );
    assert_eq!(made["tags"], json!([{"name": "component", "value": "cpu"}]));
    let mut over = run_together;
    over["eventvalue"] = json!("0");
    assert_eq!(result(server, &token, &over), "closed");

    let numbers = json!({
        "acknowledged": "No", "event_date": "2026.02.20", "event_id": 2002, "event_name": "Low disk space",
        "event_nseverity": 1, "event_object": 0, "event_source": 0, "event_tags": {"component": ["disk"]},
        "event_time": "20:37:00", "event_value": 1, "host_groups": ["Linux servers"], "host_host": name,
        "host_id": 10084, "host_ip": "10.9.9.9", "host_port": "10050", "monitoring_source": "Zabbix server",
        "operation_data": "2 %", "send_to": "https://muster.example", "subject": "Problem: Low disk space",
        "trigger_description": "Almost full", "trigger_id": 18226, "trigger_name": "Low disk space",
        "event_datetime_timestamp": 1_771_619_820,
    });
    assert_eq!(result(server, &token, &numbers), "created");
    let made = only(&client, "extAlertId:2002");
    assert_eq!((&made["currentState"], &made["description"]), (&json!("Info"), &json!("Almost full")));
    assert_eq!(made["subject"], json!("Low disk space"));
    send(server, &token, "/zabbix", &json!({})).invalid(&["event_id", "event_name"]);
}

fn what_people_write_is_kept(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    let (_, name) = host(&client);
    send(server, &token, "/zabbix", &event(&name)).ok();
    let tell =
        |action: &str, message: &str| send(server, &token, "/zabbix", &update(event(&name), action, message)).ok();
    for (action, message) in
        [("commented", "one"), ("acknowledged", "two"), ("acknowledged, commented", "three"), ("commented", "one")]
    {
        tell(action, message);
    }
    let id = text(&only(&client, "extAlertId:1047")["id"]);
    client.post(&format!("/alerts/{id}/actions/close"), &json!({})).ok();
    tell("acknowledged", "four");
    let alert = client.get(&format!("/alerts/{id}")).ok();
    assert_eq!(alert["acknowledgement"]["note"], "two", "{alert}");
    let notes: Vec<&str> = alert["notes"].as_array().unwrap().iter().map(|one| one["note"].as_str().unwrap()).collect();
    assert_eq!(notes, ["one", "three", "four"], "{alert}");
}
