//! Messages by templates of their owners.

use muster_tests::{Backend, Server, both_backends, receiver::Receiver};
use serde_json::json;

use super::{somebody, text};

both_backends![a_template_makes_the_message, what_is_wrong_with_a_template_is_said];

fn a_template_makes_the_message(backend: Backend) {
    let server = Server::start_with(backend, &["--egress-allow", "127.0.0.0/8"]);
    let client = server.new_client();
    let receiver = Receiver::willing();
    let (caller, user) = somebody(&server, &client, "operator");
    let path = format!("/users/{user}/contactMethods");
    let template = "{\"title\": {{ title|json }}, \"lines\": {{ details|json }}{% if alert %}, \"machine\": \
                    {{ alert.device.name|json }}{% endif %}}";
    let body = json!({"name": "json", "type": "HTTP", "url": receiver.url(), "template": template, "verified": true});
    let made = client.post(&path, &body).ok();
    assert_eq!(made["template"], json!(template));
    let policy = json!({"name": "p", "steps": [{"targets": [{"user": {"id": user}}], "wait": "1d"}]});
    let policy = client.post("/escalationPolicies", &policy).ok();
    client.post("/alertRoutes", &json!({"name": "all", "isDefault": true, "policy": {"id": policy["id"]}})).ok();
    let subject = "Load is \"31\", {{ title }} {% for a in b %}";
    let report = json!({"currentState": "Critical", "subject": subject, "device": {"hostName": "web-01"}});
    client.post("/alert", &report).ok();
    let body = receiver.wait(1)[0].json();
    assert_eq!(body["title"], json!(format!("[Critical] {subject} (web-01)")), "what an alert says is text");
    assert_eq!(body["machine"], json!("web-01"));
    // Another text is not another place: it stays verified. A test shows what comes of it.
    let one = format!("{path}/{}", text(&made["id"]));
    let plain = "{% for line in details %}- {{ line }}\n{% endfor %}{{ nothing }}";
    let changed = client.post(&one, &json!({"template": plain, "contentType": "text/plain; charset=utf-8"})).ok();
    assert_eq!(changed["verified"], json!(true));
    caller.post_empty("/paging/test").ok();
    let tested = &receiver.wait(2)[1];
    assert_eq!(tested.header("content-type"), "text/plain; charset=utf-8");
    assert_eq!(tested.text(), "- Nothing is wrong. Pages arrive here.\n");
    let without = client.post(&one, &json!({"template": "", "contentType": ""})).ok();
    assert_eq!((without.get("template"), without.get("contentType")), (None, None));
    caller.post_empty("/paging/test").ok();
    assert_eq!(receiver.wait(3)[2].json()["kind"], json!("test"));
}

fn what_is_wrong_with_a_template_is_said(server: &Server) {
    let client = server.new_client();
    let path = format!("/users/{}/contactMethods", super::person(&client));
    let refused = |more: serde_json::Value| {
        let mut body = json!({"name": "a", "type": "HTTP", "url": "https://a.example.net/x"});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        client.post(&path, &body)
    };
    for template in ["{{ title", "{{ title }}", "{% set a = 1 %}{}", "{{ title ~ title }}", "{% for a in %}"] {
        refused(json!({"template": template})).invalid(&["template"]);
    }
    refused(json!({"template": "x".repeat(4_001)})).invalid(&["template"]);
    refused(json!({"template": "{{ title }}", "contentType": "a\r\nb: c"})).invalid(&["contentType"]);
    refused(json!({"template": "{{ title }}", "contentType": "text"})).invalid(&["contentType"]);
    refused(json!({"contentType": "text/plain"})).invalid(&["contentType"]);
    refused(json!({"preset": "ntfy", "url": "https://ntfy.example.net/a", "template": "{}"})).invalid(&["template"]);
    let mail = json!({"name": "a", "type": "EMAIL", "address": "a@b.net", "template": "{}"});
    client.post(&path, &mail).invalid(&["template"]);
    refused(json!({"template": "{{ title }}", "contentType": "text/plain"})).ok();
}
