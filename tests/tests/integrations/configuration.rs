//! Operation 7: an event is configured, and every rule of its fields holds.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use muster_tests::{Server, both_backends, unique, uuid};
use serde_json::{Value, json};

use super::{event, install, path, text};

both_backends![
    an_event_is_made_by_its_id_and_changed_in_parts,
    each_missing_field_is_named,
    alerts_have_no_event_type,
    filters_keep_their_documented_spelling,
    a_rule_with_a_key_that_the_entity_has_not_is_refused,
    an_event_says_what_it_lacks,
    payloads_are_base64_or_plain,
    secret_headers_are_not_shown,
    secret_headers_do_not_follow_to_another_host,
    parts_of_criteria_keep_the_others,
    any_text_is_a_payload,
    events_are_listed_switched_and_removed,
    placeholders_are_told_for_each_entity,
];

const URL: &str = "https://203.0.114.1/api";

fn an_event_is_made_by_its_id_and_changed_in_parts(server: &Server) {
    let client = server.new_client();
    let made = install(&client, URL);
    let id = format!("INTG-EVENT-{}", uuid());
    let at = format!("{}/event/{id}", path(&made));
    let body = json!({
        "name": "ticket", "entity": "incident", "eventType": "create", "useBaseNotifier": "false",
        "notifier": {"type": "rest_api", "baseURI": URL, "authType": "basic", "userName": "u", "password": "secret-p"},
        "endPointURI": "/tickets", "thirdPartyEventType": "put", "headers": [{"key": "X-A", "value": "b"}],
        "payload": STANDARD.encode("{\"s\": \"$incident.subject\"}"),
        "responseHeaders": [{"key": "X-Id", "value": "1"}],
    });
    let first = client.post(&at, &body).ok();
    let expected = json!({"type": "REST_API", "baseURI": URL, "authType": "BASIC", "userName": "u"});
    assert_eq!(
        (&first["id"], &first["entity"], &first["eventType"]),
        (&json!(id), &json!("INCIDENT"), &json!("CREATE"))
    );
    assert_eq!((&first["notifier"], &first["useBaseNotifier"]), (&expected, &json!(false)));
    assert_eq!(
        (&first["eventPayload"], &first["thirdPartyEventType"]),
        (&json!("{\"s\": \"$incident.subject\"}"), &json!("PUT"))
    );
    assert_eq!((&first["headers"], &first["active"]), (&json!([{"key": "X-A", "value": "b"}]), &json!(true)));
    assert!(first.get("password").is_none() && !first.to_string().contains("secret-p"));

    let second = client.post(&at, &json!({"name": "other", "notifier": {"userName": "v"}})).ok();
    assert_eq!((&second["name"], &second["endPointURI"]), (&json!("other"), &json!("/tickets")));
    assert_eq!(second["notifier"]["userName"], json!("v"), "{second}");
    assert_eq!(client.get(&at).ok(), second);
    client.request("POST", &at).header("If-Match", "\"1\"").json(&json!({})).send().problem(412, "0004");
    client.post(&at, &json!({"notifier": {"baseURI": "https://198.51.101.1"}})).invalid(&["notifier.password"]);

    let other = install(&client, URL);
    client.post(&format!("{}/event/{id}", path(&other)), &json!({})).problem(409, "0004");
    client.get(&format!("{}/event/{id}", path(&other))).not_found();
    client.post(&format!("/integrations/installed/INTG-{}/event/{id}", uuid()), &body).not_found();
    client.post(&format!("{}/event/nonsense", path(&made)), &body).not_found();
}

fn each_missing_field_is_named(server: &Server) {
    let client = server.new_client();
    let at = format!("{}/event", path(&install(&client, URL)));
    client.post(&at, &json!({})).ok();
    client.post(&at, &json!({"useBaseNotifier": false})).invalid(&["notifier"]);
    let with = |notifier: Value| client.post(&at, &json!({"useBaseNotifier": false, "notifier": notifier}));
    with(json!({"authType": "BASIC"})).invalid(&["notifier.baseURI", "notifier.userName", "notifier.password"]);
    with(json!({"baseURI": URL, "authType": "OAUTH2"})).invalid(&[
        "notifier.grantType",
        "notifier.apiKey",
        "notifier.apiSecret",
        "notifier.accessTokenURL",
    ]);
    for grant in ["PASSWORD", "REFRESH_TOKEN"] {
        with(json!({"baseURI": URL, "authType": "OAUTH2", "grantType": grant, "apiKey": "k", "apiSecret": "s",
            "accessTokenURL": URL}))
        .invalid(&["notifier.userName", "notifier.password"]);
    }
    client
        .post(
            &at,
            &json!({"entity": "TICKET", "eventType": "MOVE", "thirdPartyEventType": "HEAD", "name": 7,
            "headers": [{"value": "x"}, {"key": "Host", "value": "x"}, {"key": "X-A", "value": "a\r\nX-B: b"}],
            "endPointURI": "https://198.51.101.1/"}),
        )
        .invalid(&[
            "name",
            "entity",
            "eventType",
            "thirdPartyEventType",
            "headers[0].key",
            "headers[1].key",
            "headers[2].value",
            "endPointURI",
        ]);
}

fn alerts_have_no_event_type(server: &Server) {
    let client = server.new_client();
    let at = format!("{}/event", path(&install(&client, URL)));
    for wrong in ["CREATE", "UPDATE", "DELETE"] {
        client.post(&at, &json!({"entity": "ALERT", "eventType": wrong})).invalid(&["eventType"]);
    }
    assert_eq!(client.post(&at, &json!({"entity": "ALERT", "eventType": "NONE"})).ok()["eventType"], json!("NONE"));
    assert_eq!(client.post(&at, &json!({"entity": "alert"})).ok()["eventType"], json!("NONE"));
}

fn filters_keep_their_documented_spelling(server: &Server) {
    let client = server.new_client();
    let at = format!("{}/event", path(&install(&client, URL)));
    let rules = json!([
        {"resourceType": "INCIDENT", "key": "Subject", "operator": "not contains", "value": "x"},
        {"key": "tags.env", "operator": "Starts With", "value": "p"},
        {"key": "Subject", "operator": "changed_to", "value": 5},
    ]);
    let made = client.post(&at, &json!({"filterCriteria": {"matchType": "any", "rules": rules}})).ok();
    let criteria = &made["filterCriteria"];
    let operators: Vec<String> = (0..3).map(|place| text(&criteria["rules"][place]["operator"])).collect();
    assert_eq!(operators, ["Not Contains", "Starts with", "Changed To"]);
    assert!(criteria["id"].is_i64() && criteria["rules"][1]["id"] == json!(2), "{criteria}");
    assert_eq!((&criteria["matchType"], &criteria["actions"]), (&json!("ANY"), &json!([])));
    assert_eq!(criteria["name"], Value::Null, "the event has no name");
    let named = json!({"name": "ticket", "filterCriteria": {"name": "other", "rules": rules}});
    let made = client.post(&at, &named).ok();
    assert_eq!(made["filterCriteria"]["name"], json!("ticket"), "its criteria have the name of the event");
    let huge = "(\\w{100}){100}";
    let wrong = json!([{"key": "a", "operator": "Like", "value": "x"}, {"key": "a", "operator": "Regex", "value": "("},
        {"key": "a", "operator": "Regex", "value": huge}, {"operator": "Equals"}]);
    client.post(&at, &json!({"filterCriteria": {"rules": wrong}})).invalid(&[
        "filterCriteria.rules[0].operator",
        "filterCriteria.rules[1].value",
        "filterCriteria.rules[2].value",
        "filterCriteria.rules[3].key",
        "filterCriteria.rules[3].value",
    ]);
}

fn a_rule_with_a_key_that_the_entity_has_not_is_refused(server: &Server) {
    let client = server.new_client();
    let at = format!("{}/event", path(&install(&client, URL)));
    let with = |entity: Option<&str>, key: &str| {
        let mut event =
            json!({"eventType": "UPDATE", "filterCriteria": {"rules": [{"key": key, "operator": "Changed"}]}});
        if let Some(entity) = entity {
            event["entity"] = json!(entity);
        }
        event
    };
    for (entity, key) in [(Some("INCIDENT"), "Nonsense"), (Some("INCIDENT"), "hostName"), (None, "Nonsense")] {
        let problem = client.post(&at, &with(entity, key)).invalid(&["filterCriteria.rules[0].key"]);
        let message = problem["errors"][0]["message"].as_str().unwrap_or_default();
        assert!(message.starts_with("must be one of: ") && message.contains("subject"), "{message}");
    }
    for (entity, key) in [(Some("INCIDENT"), "Subject"), (Some("Resource"), "tags.env"), (None, "hostName")] {
        let made = client.post(&at, &with(entity, key)).ok();
        assert_eq!(made["filterCriteria"]["rules"][0].get("broken"), None, "{made}");
    }
}

fn an_event_says_what_it_lacks(server: &Server) {
    let client = server.new_client();
    let bare = client.post("/integrations/install/CUSTOM", &json!({"displayName": unique("bare")})).ok();
    let at = format!("/integrations/installed/{}/event", text(&bare["id"]));
    let made = client.post(&at, &json!({"entity": "INCIDENT", "eventType": "CREATE"})).ok();
    assert_eq!((&made["active"], &made["state"]), (&json!(true), &json!("Incomplete")));
    assert_eq!(made["inactiveBecause"], json!("it has no notifier, and never fires"));
    let own = json!({"notifier": {"type": "REST_API", "baseURI": URL}});
    let whole = client.post(&format!("{at}/{}", text(&made["id"])), &own).ok();
    assert_eq!((&whole["state"], whole.get("inactiveBecause")), (&json!("Active"), None));
    let off = client.post_empty(&format!("{at}/{}/deactivate", text(&made["id"]))).ok();
    assert_eq!((&off["active"], &off["state"]), (&json!(false), &json!("Inactive")));
    assert_eq!(client.post(&at, &json!({"notifier": own["notifier"]})).ok()["state"], json!("Incomplete"), "no entity");
}

fn payloads_are_base64_or_plain(server: &Server) {
    let client = server.new_client();
    let at = format!("{}/event", path(&install(&client, URL)));
    let template = "{\"a\": \"$incident.subject\"}";
    for body in [
        json!({"payload": STANDARD.encode(template)}),
        json!({"payload": STANDARD.encode(template).trim_end_matches('=')}),
        json!({"eventPayload": template}),
    ] {
        let mut body = body;
        body["entity"] = json!("INCIDENT");
        assert_eq!(client.post(&at, &body).ok()["eventPayload"], json!(template));
    }
    client.post(&at, &json!({"payload": "$$$"})).invalid(&["payload"]);
    client.post(&at, &json!({"payload": STANDARD.encode([0xff, 0xfe])})).invalid(&["payload"]);
    for (entity, wrong) in [("INCIDENT", "{\"a\": \"$incident.subjekt\"}"), ("ALERT", "$incident.subject")] {
        let refused = client.post(&at, &json!({"entity": entity, "eventPayload": wrong})).invalid(&["eventPayload"]);
        assert!(text(&refused["detail"]).contains("line 1"), "{refused}");
    }
    // Any text is one, unless a header says that it is JSON.
    for odd in ["{\"a\": $incident.subject", "[not JSON", "<a>$incident.subject", "{{name}}: $incident.subject"] {
        let made = client.post(&at, &json!({"entity": "INCIDENT", "eventPayload": odd})).ok();
        assert_eq!(made["eventPayload"], json!(odd));
        for (content_type, right) in [("application/json", false), ("Application/XML", true), ("text/plain", true)] {
            let header = json!([{"key": "content-type", "value": content_type}]);
            let answer = client.post(&at, &json!({"entity": "INCIDENT", "eventPayload": odd, "headers": header}));
            if right {
                answer.ok();
            } else {
                answer.invalid(&["eventPayload"]);
            }
        }
    }
    let tried = json!({"event": {"entity": "INCIDENT", "eventType": "CREATE", "eventPayload": "{{ $incident.subject"},
        "object": {"subject": "a \"b\""}});
    let sent = client.post(&format!("{at}/test"), &tried).ok();
    assert_eq!(sent["request"]["body"], json!("{{ a \"b\""), "{sent}");
    assert!(sent["request"]["headers"].to_string().contains("text/plain"), "{sent}");
    let too_long = "x".repeat((256 << 10) + 1);
    client.post(&at, &json!({"payload": STANDARD.encode(too_long)})).invalid(&["payload"]);
}

fn secret_headers_are_not_shown(server: &Server) {
    let client = server.new_client();
    let made = install(&client, URL);
    let headers = json!([{"key": "Authorization", "value": "Bearer secret-h"}, {"key": "X-Plain", "value": "p"}]);
    let at = event(&client, &made, &json!({"headers": headers}));
    let read = client.get(&at).ok();
    assert_eq!(read["headers"], json!([{"key": "Authorization", "value": ""}, {"key": "X-Plain", "value": "p"}]));
    assert_eq!(client.post(&at, &json!({"headers": read["headers"]})).ok()["headers"], read["headers"]);
}

fn secret_headers_do_not_follow_to_another_host(server: &Server) {
    const OTHER: &str = "https://198.51.101.1/api";
    let client = server.new_client();
    let made = install(&client, URL);
    let headers = json!([{"key": "X-Plain", "value": "p"}, {"key": "X-Secret-Key", "value": "s"}]);
    let at = event(&client, &made, &json!({"headers": headers, "notifier": {"baseURI": URL}}));
    assert_eq!(client.get(&at).ok()["headers"][1]["value"], json!(""));
    client.post(&at, &json!({"notifier": {"baseURI": OTHER}})).invalid(&["headers[1].value"]);
    client.post(&at, &json!({"notifier": {"baseURI": "https://203.0.114.1/v2"}})).ok();
    client.post(&at, &json!({"notifier": {"baseURI": OTHER}, "headers": headers})).ok();
    client.post(&at, &json!({"useBaseNotifier": true})).invalid(&["headers[1].value"]);
    client.post(&at, &json!({"useBaseNotifier": true, "headers": headers})).ok();
    // The base notifier does not take them along either.
    let base = format!("{}/notifier", path(&made));
    let refused = client.post(&base, &json!({"baseURI": OTHER})).problem(409, "0004");
    assert!(at.ends_with(text(&refused["detail"]).split(": ").nth(1).unwrap().split('.').next().unwrap()), "{refused}");
    client.post(&base, &json!({"baseURI": "https://203.0.114.1/v3"})).ok();
    client.post(&at, &json!({"headers": []})).ok();
    client.post(&base, &json!({"baseURI": OTHER})).ok();
    // A notifier that authorizes leaves no room for another Authorization.
    let authorization = json!({"headers": [{"key": "Authorization", "value": "Bearer x"}]});
    client.post(&at, &authorization).ok();
    let basic = json!({"authType": "BASIC", "userName": "u", "password": "p"});
    client.post(&base, &basic).problem(409, "0004");
    client.post(&at, &json!({"headers": []})).ok();
    client.post(&base, &basic).ok();
    client.post(&at, &authorization).invalid(&["headers"]);
}

fn parts_of_criteria_keep_the_others(server: &Server) {
    let client = server.new_client();
    let rules = json!([{"key": "Subject", "operator": "Contains", "value": "disk"}]);
    let at = event(&client, &install(&client, URL), &json!({"filterCriteria": {"rules": rules}}));
    let id = client.get(&at).ok()["filterCriteria"]["id"].clone();
    let any = client.post(&at, &json!({"filterCriteria": {"matchType": "ANY"}})).ok();
    let criteria = &any["filterCriteria"];
    assert_eq!((&criteria["matchType"], &criteria["id"]), (&json!("ANY"), &id));
    assert_eq!(criteria["rules"][0]["value"], json!("disk"), "{any}");
    let none = client.post(&at, &json!({"filterCriteria": {"rules": []}})).ok();
    assert_eq!((&none["filterCriteria"]["rules"], &none["filterCriteria"]["matchType"]), (&json!([]), &json!("ANY")));
    let long = json!([{"key": "Subject", "operator": "Equals", "value": "x".repeat(1_001)}]);
    let refused =
        client.post(&at, &json!({"filterCriteria": {"rules": long}})).invalid(&["filterCriteria.rules[0].value"]);
    assert_eq!(refused["errors"].as_array().map(Vec::len), Some(1), "{refused}");
    let headers: Vec<Value> = (0..51).map(|number| json!({"key": format!("X-{number}"), "value": ""})).collect();
    client.post(&at, &json!({"responseHeaders": headers})).invalid(&["responseHeaders"]);
}

fn any_text_is_a_payload(server: &Server) {
    let client = server.new_client();
    let at = format!("{}/event", path(&install(&client, URL)));
    for kind in ["SOAP_API", "REST_API"] {
        for payload in [
            "{\"a\": \"$incident.subject\"}",
            "a $incident.subject",
            "{not json",
            "<a>",
            "a,b\n1,2",
            "[x]",
            "<!DOCTYPE a>",
        ] {
            let notifier = json!({"type": kind, "baseURI": URL});
            let plain = json!({"entity": "INCIDENT", "notifier": notifier, "eventPayload": payload});
            assert_eq!(client.post(&at, &plain).ok()["eventPayload"], json!(payload));
            for named in ["text/xml", "text/plain", "application/soap+xml", "application/x-www-form-urlencoded"] {
                let mut named_so = plain.clone();
                named_so["headers"] = json!([{"key": "Content-Type", "value": named}]);
                client.post(&at, &named_so).ok();
            }
        }
    }
    let soap = |payload: &str, content_type: &str| {
        json!({"entity": "INCIDENT", "notifier": {"type": "SOAP_API", "baseURI": URL}, "eventPayload": payload,
            "headers": [{"key": "Content-Type", "value": content_type}]})
    };
    client.post(&at, &soap("{\"a\": $incident.subject}", "application/json")).ok();
    client.post(&at, &soap("<a>$incident.subject</a>", "application/json")).invalid(&["eventPayload"]);
    client.post(&at, &soap("<a>$incident.subjekt</a>", "text/xml")).invalid(&["eventPayload"]);
    let date = "$utils.convertDate($incident.createdDate,'yyyy-MM-dd'T'HH:mm:ssZ')";
    client.post(&at, &soap(&format!("<a>{date}</a>"), "text/xml")).ok();
    let refused = client.post(&at, &soap("$utils.convertDate($incident.createdDate,yyyy)", "text/plain"));
    assert!(refused.invalid(&["eventPayload"]).to_string().contains("not in quotes"), "it says what is wrong");
    client.post(&at, &soap("<a>$incident.subject</a>", "application/soap+xml")).ok();
    let marked = json!({"entity": "INCIDENT", "eventPayload": "\u{FEFF}{\"a\": \"$incident.subject\"}"});
    assert_eq!(client.post(&at, &marked).ok()["eventPayload"], json!("{\"a\": \"$incident.subject\"}"));
}

fn events_are_listed_switched_and_removed(server: &Server) {
    let client = server.new_client();
    let made = install(&client, URL);
    let one = event(&client, &made, &json!({"name": "one"}));
    let two = event(&client, &made, &json!({"name": "two"}));
    let listed = client.get(&format!("{}/events", path(&made))).page()["results"].clone();
    let listed = listed.as_array().cloned().unwrap_or_default();
    assert_eq!(listed.iter().map(|event| text(&event["name"])).collect::<Vec<_>>(), ["one", "two"]);
    assert_eq!(client.post_empty(&format!("{one}/deactivate")).ok()["active"], json!(false));
    assert_eq!(client.post_empty(&format!("{one}/activate")).ok()["active"], json!(true));
    assert_eq!(client.delete(&two).ok(), json!({}));
    client.get(&two).not_found();
    client.delete(&path(&made)).ok();
    client.get(&one).not_found();
}

fn placeholders_are_told_for_each_entity(server: &Server) {
    let client = server.new_client();
    let told = client.get("/integrations/events/placeHolders/incident").ok();
    let known: Vec<String> = told["placeHolders"].as_array().into_iter().flatten().map(text).collect();
    assert!(known.contains(&"$incident.subject".to_owned()) && known.contains(&"$event.id".to_owned()), "{told}");
    let at = format!("{}/event", path(&install(&client, URL)));
    for entity in ["INCIDENT", "SERVICEREQUEST", "CHANGE", "PROBLEM", "TASK", "Resource", "ALERT"] {
        let told = client.get(&format!("/integrations/events/placeHolders/{entity}")).ok();
        let all = [&told["placeHolders"], &told["functions"]].map(|list| list.as_array().cloned().unwrap_or_default());
        let all: Vec<String> = all.concat().iter().map(|one| text(one).replace(".*", ".any")).collect();
        // Every one of them is taken.
        client.post(&at, &json!({"entity": entity, "eventPayload": all.join("\n")})).ok();
    }
    client.get("/integrations/events/placeHolders/ticket").not_found();
}
