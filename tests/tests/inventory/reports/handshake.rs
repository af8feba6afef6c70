//! The handshake of agents, their transfer formats, and their authentication.

use muster_tests::{Response, Server, both_backends};
use serde_json::json;

use super::{PATH, count, gzip, report, send_xml, unpacked, xml, zlib};

both_backends![
    a_prolog_is_answered_with_send,
    a_contact_is_answered_with_tasks,
    an_inventory_is_acknowledged_in_its_own_format,
    plain_zlib_and_gzip_are_taken,
    a_token_or_basic_lets_an_agent_in,
    an_agent_without_credentials_is_asked_for_basic,
    a_content_type_is_not_asked_for,
    slashes_and_parameters_at_the_end_mean_nothing,
    a_stored_report_is_there_when_the_answer_is,
];

const PROLOG: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" ?>\n\
    <REQUEST><DEVICEID>web-2026-01-01-00-00-00</DEVICEID><QUERY>PROLOG</QUERY><TOKEN>12345678</TOKEN></REQUEST>";

#[track_caller]
fn is_send(answer: &Response) {
    assert_eq!(answer.status, 200, "{answer}");
    let text = unpacked(answer);
    assert!(text.contains("<REPLY>") && text.contains("<RESPONSE>SEND</RESPONSE>"), "{text}");
    let hours = text.split("<PROLOG_FREQ>").nth(1).and_then(|rest| rest.split('<').next());
    assert!(hours.is_some_and(|hours| hours.trim().parse::<u32>().is_ok_and(|hours| hours > 0)), "{text}");
}

fn a_prolog_is_answered_with_send(server: &Server) {
    let client = server.new_client();
    is_send(&send_xml(&client, PROLOG));
    for content_type in ["application/x-compress-zlib", "application/x-compress"] {
        is_send(&client.request("POST", PATH).body(content_type, zlib(PROLOG)).send());
    }
    is_send(&client.request("POST", PATH).body("application/x-compress-gzip", gzip(PROLOG)).send());
    assert!(client.get("/resources/minimal?state=all").list().is_empty(), "a question stores nothing");
}

fn slashes_and_parameters_at_the_end_mean_nothing(server: &Server) {
    let client = server.new_client();
    for end in ["/", "//", "?foo=1", "/?foo=1&foo=2"] {
        is_send(&client.request("POST", &format!("{PATH}{end}")).body("application/xml", PROLOG).send());
    }
}

fn a_contact_is_answered_with_tasks(server: &Server) {
    let client = server.new_client();
    let contact = json!({
        "action": "contact", "deviceid": "web-2026-01-01-00-00-00", "name": "GLPI-Agent", "version": "1.11",
        "installed-tasks": ["inventory", "collect"], "enabled-tasks": ["inventory"], "tag": "t",
    });
    let request = || client.request("POST", PATH).header("GLPI-Agent-ID", "0b9f8f8e-6b9f-4a53-8a2e-52b0c1d2e3f4");
    for answer in [
        request().json(&contact).send(),
        request().body("application/x-compress-zlib", zlib(contact.to_string())).send(),
    ] {
        assert_eq!(answer.status, 200, "{answer}");
        let body: serde_json::Value = serde_json::from_str(&unpacked(&answer)).unwrap_or_default();
        assert_eq!(body["status"], json!("ok"), "{answer}");
        assert!(body.get("expiration").is_some(), "{answer}");
    }
    assert!(client.get("/resources/minimal?state=all").list().is_empty(), "a question stores nothing");
}

fn an_inventory_is_acknowledged_in_its_own_format(server: &Server) {
    let client = server.new_client();
    let answer = client.post(PATH, &report("json-1", &json!({"hardware": {"name": "json"}})));
    assert_eq!(answer.ok()["status"], json!("ok"));
    let answer = send_xml(&client, &xml("xml-1", "<HARDWARE><NAME>xml</NAME></HARDWARE>"));
    assert_eq!(answer.status, 200, "{answer}");
    assert!(unpacked(&answer).contains("<REPLY"), "{answer}");
}

fn plain_zlib_and_gzip_are_taken(server: &Server) {
    let client = server.new_client();
    let as_json = |name: &str| report(name, &json!({"hardware": {"name": name}})).to_string().into_bytes();
    let as_xml = |name: &str| xml(name, &format!("<HARDWARE><NAME>{name}</NAME></HARDWARE>")).into_bytes();
    for (name, content_type, body) in [
        ("j-plain", "application/json", as_json("j-plain")),
        ("j-zlib", "application/x-compress-zlib", zlib(as_json("j-zlib"))),
        ("j-gzip", "application/x-compress-gzip", gzip(as_json("j-gzip"))),
        ("x-plain", "application/xml", as_xml("x-plain")),
        ("x-zlib", "application/x-compress-zlib", zlib(as_xml("x-zlib"))),
        ("x-gzip", "application/x-compress-gzip", gzip(as_xml("x-gzip"))),
        ("x-odd", "application/x-compress", zlib(as_xml("x-odd"))),
    ] {
        let answer = client.request("POST", PATH).body(content_type, body).send();
        assert_eq!(answer.status, 200, "{name}: {answer}");
        assert_eq!(count(&client, name), 1, "{name}");
    }
    let encoded = client.request("POST", PATH).header("Content-Encoding", "gzip");
    let answer = encoded.body("application/json", gzip(as_json("j-encoded"))).send();
    assert_eq!(answer.status, 200, "{answer}");
    assert_eq!(count(&client, "j-encoded"), 1);
}

fn a_token_or_basic_lets_an_agent_in(server: &Server) {
    let client = server.new_client();
    let made = client.post("/apiKeys", &json!({"name": "agents", "role": "operator"})).ok();
    let key = super::text(&made["key"]);
    let secret = super::text(&made["secret"]);
    let anonymous = server.anonymous().tenant(client.tenant_id());
    let body = report("basic-1", &json!({"hardware": {"name": "basic"}}));
    anonymous.request("POST", PATH).basic(&key, &secret).json(&body).send().ok();
    assert_eq!(count(&client, "basic"), 1);
    let (admin_key, admin_secret) = server.credentials();
    anonymous.request("POST", PATH).basic(admin_key, admin_secret).json(&body).send().ok();
    assert_eq!(count(&client, "basic"), 1);
    // An agent of another client gets the same answer as for an unknown tenant.
    let other = server.new_client();
    let elsewhere = server.anonymous().tenant(other.tenant_id());
    elsewhere.request("POST", PATH).basic(&key, &secret).json(&body).send().not_found();
    assert!(other.get("/resources/minimal?state=all").list().is_empty());
}

/// A stock agent sends its first request without credentials and waits to be asked.
fn an_agent_without_credentials_is_asked_for_basic(server: &Server) {
    let client = server.new_client();
    let anonymous = server.anonymous().tenant(client.tenant_id());
    let body = report("nobody", &json!({"hardware": {"name": "nobody"}}));
    let (key, _) = server.credentials();
    for answer in [
        anonymous.request("POST", PATH).json(&body).send(),
        anonymous.request("POST", PATH).basic(key, "wrong").json(&body).send(),
        anonymous.request("POST", PATH).body("application/x-compress-zlib", zlib(PROLOG)).send(),
    ] {
        answer.unauthenticated();
        let challenges = answer.header_values("WWW-Authenticate");
        assert!(challenges.iter().any(|value| value.contains("Basic realm=")), "{challenges:?}");
    }
    assert!(client.get("/resources/minimal?state=all").list().is_empty());
}

fn a_content_type_is_not_asked_for(server: &Server) {
    let client = server.new_client();
    for (name, content_type) in [("o", "application/octet-stream"), ("t", "text/xml"), ("p", "text/plain")] {
        let body = xml(name, &format!("<HARDWARE><NAME>{name}</NAME></HARDWARE>"));
        let answer = client.request("POST", PATH).body(content_type, zlib(body)).send();
        assert_eq!(answer.status, 200, "{content_type}: {answer}");
    }
    assert_eq!(client.get("/resources/minimal").list().len(), 3);
}

fn a_stored_report_is_there_when_the_answer_is(server: &Server) {
    let client = server.new_client();
    std::thread::scope(|scope| {
        for agent in 0..4 {
            let client = client.clone();
            scope.spawn(move || {
                for number in 0..10 {
                    let name = format!("m{agent}-{number}");
                    client.post(PATH, &report(&name, &json!({"hardware": {"name": name}}))).ok();
                    assert_eq!(count(&client, &name), 1, "{name}");
                }
            });
        }
    });
    assert_eq!(client.get("/resources/minimal").list().len(), 40);
}
