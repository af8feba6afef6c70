//! Opsgenie's alert API, as its public clients and the media type of Zabbix call it.

use muster_tests::{Response, Server, both_backends, encode, unique};
use serde_json::{Value, json};

use super::{address, found, only, send, text};

both_backends![
    the_media_type_of_zabbix_gets_what_it_asks_for,
    every_operation_of_its_clients_answers,
    an_alias_is_found_as_it_was_given,
    an_address_sees_its_own_alerts_alone,
    pagerdutys_other_addresses_answer_as_theirs,
    slashes_and_parameters_mean_nothing,
    a_note_is_kept_whatever_it_comes_with,
];

fn call(server: &Server, token: &str, method: &str, path: &str, body: Option<&Value>) -> Response {
    let request = server.request(method, path).header("Authorization", &format!("GenieKey {token}"));
    match body {
        Some(body) => request.json(body).send(),
        None => request.send(),
    }
}

#[track_caller]
fn took(answer: &Response) -> String {
    assert_eq!(answer.status, 202, "{answer}");
    text(&answer.json()["requestId"])
}

fn the_media_type_of_zabbix_gets_what_it_asks_for(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    let alert =
        json!({"message": "Problem: High load", "alias": "991", "priority": "P2", "source": "Zabbix", "tags": ["a:b"]});
    let request = took(&call(server, &token, "POST", "/v2/alerts/", Some(&alert)));
    let made = only(&client, "extAlertId:991");
    let answer = call(server, &token, "GET", &format!("/v2/alerts/requests/{request}"), None).ok();
    assert_eq!((&answer["data"]["success"], &answer["data"]["alertId"]), (&json!(true), &made["id"]));
    assert!(answer["data"]["status"].is_string() && answer["data"]["alias"] == "991", "{answer}");
    // Every request was processed before it was answered, no matter who made its id.
    let answer = call(server, &token, "GET", "/v2/alerts/requests/0d3a8a2e-0000-4000-8000-000000000001", None).ok();
    assert_eq!(answer["data"]["success"], json!(true));
    took(&call(server, &token, "POST", "/v2/alerts/991/notes?identifierType=alias", Some(&json!({"note": "n"}))));
    assert_eq!(only(&client, "extAlertId:991")["notes"][0]["note"], json!("n"));
    took(&call(
        server,
        &token,
        "POST",
        "/v2/alerts/991/acknowledge?identifierType=alias",
        Some(&json!({"note": "on it"})),
    ));
    assert_eq!(only(&client, "extAlertId:991")["status"], json!("Acknowledged"));
    took(&call(
        server,
        &token,
        "POST",
        "/v2/alerts/991/unacknowledge?identifierType=alias",
        Some(&json!({"note": "no"})),
    ));
    let back = only(&client, "extAlertId:991");
    assert_eq!((&back["status"], &back["unacknowledgement"]["note"]), (&json!("New"), &json!("no")));
    assert!(back.get("acknowledgement").is_none() && back["previousAcknowledgement"]["note"] == "on it", "{back}");
}

fn every_operation_of_its_clients_answers(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    let alias = unique("alias");
    let alert = json!({"message": "Disk is full", "alias": alias, "entity": "web-01", "priority": "P3",
        "tags": ["disk"], "details": {"mount": "/var"}, "description": "98 %"});
    took(&call(server, &token, "POST", "/v2/alerts", Some(&alert)));
    let id = text(&only(&client, &format!("extAlertId:{alias}"))["id"]);
    let now = || only(&client, &format!("extAlertId:{alias}"));
    // By id, which is what that API takes without a type, by the tiny id, and by the alias.
    for (identifier, kind) in
        [(&id, ""), (&id, "?identifierType=id"), (&id, "?identifierType=tiny"), (&alias, "?identifierType=alias")]
    {
        let shown = call(server, &token, "GET", &format!("/v2/alerts/{identifier}{kind}"), None).ok();
        assert_eq!((&shown["data"]["id"], &shown["data"]["alias"]), (&json!(id), &json!(alias)), "{shown}");
        assert_eq!((&shown["data"]["status"], &shown["data"]["priority"]), (&json!("open"), &json!("P3")));
        assert_eq!((&shown["data"]["tags"], &shown["data"]["details"]), (&json!(["disk"]), &json!({"mount": "/var"})));
    }
    let listed =
        call(server, &token, "GET", "/v2/alerts?query=status%3A%20open&limit=10&sort=createdAt&order=desc", None).ok();
    assert_eq!((listed["data"][0]["id"].clone(), listed["data"].as_array().map(Vec::len)), (json!(id), Some(1)));
    assert_eq!(call(server, &token, "GET", "/v2/alerts/count?query=status:open", None).ok()["data"]["count"], json!(1));
    assert_eq!(
        call(server, &token, "GET", "/v2/alerts/count?query=status:closed", None).ok()["data"]["count"],
        json!(0)
    );
    let post =
        |path: &str, body: Value| took(&call(server, &token, "POST", &format!("/v2/alerts/{id}/{path}"), Some(&body)));
    let put =
        |path: &str, body: Value| took(&call(server, &token, "PUT", &format!("/v2/alerts/{id}/{path}"), Some(&body)));
    put("message", json!({"message": "Disk is very full"}));
    put("description", json!({"description": "99 %"}));
    put("priority", json!({"priority": "P1"}));
    let changed = now();
    assert_eq!((&changed["subject"], &changed["description"]), (&json!("Disk is very full"), &json!("99 %")));
    assert_eq!((&changed["currentState"], &changed["oldState"]), (&json!("Critical"), &json!("Warning")));
    post("tags", json!({"tags": ["urgent"]}));
    post("details", json!({"details": {"mount": "/home", "team": "a"}}));
    let tagged = call(server, &token, "GET", &format!("/v2/alerts/{id}"), None).ok();
    assert_eq!(tagged["data"]["tags"], json!(["disk", "urgent"]));
    assert_eq!(tagged["data"]["details"], json!({"mount": "/home", "team": "a"}));
    took(&call(server, &token, "DELETE", &format!("/v2/alerts/{id}/tags?tags=disk,none"), None));
    took(&call(server, &token, "DELETE", &format!("/v2/alerts/{id}/details?keys=team"), None));
    let fewer = call(server, &token, "GET", &format!("/v2/alerts/{id}"), None).ok();
    assert_eq!((&fewer["data"]["tags"], &fewer["data"]["details"]), (&json!(["urgent"]), &json!({"mount": "/home"})));
    post("assign", json!({"owner": {"username": "ann@example.com"}, "note": "yours"}));
    post("escalate", json!({"escalation": {"name": "all"}, "note": "now"}));
    post("responders", json!({"responder": {"type": "team", "name": "a"}}));
    post("actions/restart", json!({"note": "please"}));
    let notes = call(server, &token, "GET", &format!("/v2/alerts/{id}/notes"), None).ok();
    let notes: Vec<String> = notes["data"].as_array().into_iter().flatten().map(|note| text(&note["note"])).collect();
    let expected = ["assigned to ann@example.com: yours", "escalated: now", "responder a", "action restart please"];
    assert_eq!(notes, expected);
    let logs = call(server, &token, "GET", &format!("/v2/alerts/{id}/logs"), None).ok();
    assert!(logs["data"].as_array().is_some_and(|logs| logs.len() == 5), "{logs}");
    assert_eq!(call(server, &token, "GET", &format!("/v2/alerts/{id}/recipients"), None).ok()["data"], json!([]));
    post("snooze", json!({"endTime": "2036-01-01T00:00:00Z", "note": "later"}));
    assert_eq!((&now()["status"], &now()["suppression"]["note"]), (&json!("Suppressed"), &json!("later")));
    post("acknowledge", json!({}));
    post("unacknowledge", json!({}));
    took(&call(server, &token, "DELETE", &format!("/v2/alerts/{id}?identifierType=id&source=x"), None));
    assert_eq!(now()["status"], json!("Closed"));
    // An action on an unknown alert is not an error; reading it is a 404.
    took(&call(server, &token, "POST", "/v2/alerts/nobody/close?identifierType=alias", Some(&json!({}))));
    call(server, &token, "GET", "/v2/alerts/nobody", None).not_found();
    call(server, &token, "POST", &format!("/v2/alerts/{id}/burn"), Some(&json!({}))).not_found();
}

fn an_alias_is_found_as_it_was_given(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    for alias in [" lead", "trail  ", &"y".repeat(1_200), "Straße/ü", "a+b c"] {
        let create = json!({"message": "m", "alias": alias});
        for action in ["acknowledge", "close"] {
            took(&call(server, &token, "POST", "/v2/alerts", Some(&create)));
            let path = format!("/v2/alerts/{}/{action}?identifierType=alias", encode(alias));
            took(&call(server, &token, "POST", &path, None));
            let status = if action == "close" { "Closed" } else { "Acknowledged" };
            let shown = call(server, &token, "GET", &format!("/v2/alerts/{}", encode(alias)), None).ok();
            let made = only(&client, &format!("id:{}", text(&shown["data"]["id"])));
            assert_eq!(made["status"], json!(status), "{alias:.20}");
        }
    }
    // One without an alias has its id, which the request tells.
    let request = took(&call(server, &token, "POST", "/v2/alerts", Some(&json!({"message": "no alias"}))));
    let told = call(server, &token, "GET", &format!("/v2/alerts/requests/{request}"), None).ok();
    let id = text(&told["data"]["alertId"]);
    took(&call(server, &token, "POST", &format!("/v2/alerts/{id}/close"), None));
    assert_eq!(only(&client, &format!("id:{id}"))["status"], json!("Closed"));
}

fn an_address_sees_its_own_alerts_alone(server: &Server) {
    let client = server.new_client();
    let (_, one) = address(&client);
    let (_, other) = address(&client);
    let request = took(&call(server, &one, "POST", "/v2/alerts", Some(&json!({"message": "m", "alias": "a"}))));
    let id = format!("ALT-{request}");
    for identifier in ["a", id.as_str()] {
        call(server, &other, "GET", &format!("/v2/alerts/{identifier}"), None).not_found();
        for action in ["acknowledge", "close", "tags", "notes"] {
            let body = json!({"note": "n", "tags": ["t"]});
            took(&call(server, &other, "POST", &format!("/v2/alerts/{identifier}/{action}"), Some(&body)));
        }
        took(&call(server, &other, "DELETE", &format!("/v2/alerts/{identifier}"), None));
    }
    assert_eq!(call(server, &other, "GET", "/v2/alerts", None).ok()["data"], json!([]));
    let told = call(server, &other, "GET", &format!("/v2/alerts/requests/{request}"), None).ok();
    assert_eq!(told["data"]["alertId"], json!(""));
    let kept = only(&client, "extAlertId:a");
    assert_eq!((&kept["status"], kept.get("notes"), kept.get("tags")), (&json!("New"), None, None));
}

fn pagerdutys_other_addresses_answer_as_theirs(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    let first = |body: Value| server.request("POST", "/generic/2010-04-15/create_event.json").json(&body).send().ok();
    let event = |kind: &str| {
        json!({"service_key": token, "event_type": kind, "incident_key": "v1", "description": "Disk is full",
            "details": {"host": "web-01", "severity": "warning"}})
    };
    let answer = first(event("trigger"));
    assert_eq!((&answer["status"], &answer["incident_key"]), (&json!("success"), &json!("v1")));
    let made = only(&client, "extAlertId:v1");
    assert_eq!((&made["currentState"], &made["device"]["hostName"]), (&json!("Warning"), &json!("web-01")));
    first(event("acknowledge"));
    assert_eq!(only(&client, "extAlertId:v1")["status"], json!("Acknowledged"));
    first(event("resolve"));
    assert_eq!(only(&client, "extAlertId:v1")["status"], json!("Closed"));
    let change = json!({"routing_key": token, "payload": {"summary": "Build 7 is deployed", "source": "ci"}});
    let answer = server.request("POST", "/v2/change/enqueue").json(&change).send();
    assert_eq!((answer.status, &answer.json()["status"]), (202, &json!("success")), "{answer}");
    assert_eq!(found(&client, "").len(), 1, "a change is not a problem");
    server.request("POST", "/v2/change/enqueue").json(&json!({"routing_key": "x".repeat(43)})).send().unauthenticated();
}

fn slashes_and_parameters_mean_nothing(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    for path in ["/", "?utm_source=x", "/?a=1&a=2&=", "?%zz"] {
        let body = json!({"subject": unique("s")});
        assert_eq!(send(server, &token, path, &body).ok()["result"], json!("created"), "{path}");
    }
    let zabbix = json!({"event_id": "1", "event_name": "n"});
    assert_eq!(send(server, &token, "/zabbix/?x=1", &zabbix).ok()[0]["result"], json!("created"));
    let trigger =
        json!({"routing_key": token, "event_action": "trigger", "dedup_key": "d", "payload": {"summary": "s"}});
    for path in ["/v2/enqueue/", "/v2/enqueue?x=1", "/v2/change/enqueue/"] {
        assert_eq!(server.request("POST", path).json(&trigger).send().status, 202, "{path}");
    }
    let beat = client.post("/heartbeats", &json!({"name": unique("beat"), "interval": "1h"})).ok();
    let url = text(&beat["url"]);
    let path = &url[url.find("/api/").expect("a path")..];
    for suffix in ["/", "?rid=7", "/?a&a"] {
        server.request("POST", &format!("{path}{suffix}")).send().ok();
        server.get(&format!("{path}{suffix}")).ok();
    }
}

fn a_note_is_kept_whatever_it_comes_with(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    let alias = unique("alias");
    let make = |alias: &str| {
        let alert = json!({"message": "m", "alias": alias, "description": "d", "note": "first"});
        took(&call(server, &token, "POST", "/v2/alerts", Some(&alert)));
    };
    let post = |action: &str, note: &str| {
        let path = format!("/v2/alerts/{alias}/{action}?identifierType=alias");
        took(&call(server, &token, "POST", &path, Some(&json!({"note": note}))));
    };
    make(&alias);
    for note in ["mine", "mine, too", "mine, too"] {
        post("acknowledge", note);
    }
    post("close", "replaced");
    post("close", "twice");
    let closed = only(&client, &format!("extAlertId:{alias}"));
    assert_eq!(closed["closure"]["note"], "replaced", "{closed}");
    assert_eq!(closed["acknowledgement"]["note"], "mine", "{closed}");
    let notes: Vec<&str> =
        closed["notes"].as_array().unwrap().iter().map(|one| one["note"].as_str().unwrap()).collect();
    assert_eq!(notes, ["first", "mine, too", "twice"], "{closed}");
    let deleted = unique("alias");
    make(&deleted);
    took(&call(server, &token, "DELETE", &format!("/v2/alerts/{deleted}"), None));
    assert_eq!(only(&client, &format!("extAlertId:{deleted}"))["closure"]["note"], "deleted");
}
