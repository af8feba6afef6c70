//! What is sent stays what it is meant to be, whatever it is filled with.

use muster_tests::{Backend, both_backends};
use serde_json::json;

use super::{event, incident, install, receiver::Receiver, server};

both_backends![values_stay_values, sizes_are_bounded];

const HOSTILE: [&str; 6] = [
    "plain",
    "\"quoted\", \"x\": \"y\\",
    "line\nbreak\r\nX-Evil: 1\r\n\r\nPOST / HTTP/1.1",
    "</x><y>&amp;<![CDATA[",
    "$incident.subject $event.id",
    "ünïcödé 🚨 \u{1}",
];

fn values_stay_values(backend: Backend) {
    let client = server(backend).new_client();
    let receiver = Receiver::willing();
    let made = install(&client, &receiver.url());
    let on = |payload: &str, path: &str| {
        json!({"entity": "INCIDENT", "eventType": "CREATE", "eventPayload": payload,
            "endPointURI": format!("{path}/$incident.subject?q=$incident.subject"),
            "headers": [{"key": "X-Subject", "value": "about $incident.subject"}]})
    };
    event(&client, &made, &on("{\"s\": \"<$incident.subject>\", \"v\": $incident.subject}", "/json"));
    let mut soap = on("<a b=\"$incident.subject\"><c>$incident.subject</c></a>", "/xml");
    soap["notifier"] = json!({"type": "SOAP_API", "baseURI": receiver.url()});
    event(&client, &made, &soap);
    for hostile in HOSTILE {
        incident(&client, &json!({"subject": hostile}));
    }
    let received = receiver.wait(2 * HOSTILE.len());
    let mut seen = Vec::new();
    for request in &received {
        assert_eq!(request.method, "POST");
        assert!(request.headers.iter().all(|(name, _)| name != "x-evil"), "{:?}", request.headers);
        assert_eq!((request.path.matches('/').count(), request.path.matches('?').count()), (2, 1), "{}", request.path);
        if request.path.starts_with("/json/") {
            assert_eq!(request.header("content-type"), "application/json");
            let body = request.json();
            assert_eq!(body["s"], json!(format!("<{}>", body["v"].as_str().unwrap())));
            seen.push(body["v"].as_str().unwrap().to_owned());
        } else {
            assert_eq!(request.header("content-type"), "text/xml; charset=utf-8");
            let text = request.text();
            let shape: String = text.chars().filter(|letter| "<>".contains(*letter)).collect();
            assert_eq!(shape, "<><><><>", "{text}");
        }
    }
    seen.sort_unstable();
    let mut expected = HOSTILE.map(ToOwned::to_owned);
    expected.sort_unstable();
    assert_eq!(seen, expected);
}

fn sizes_are_bounded(backend: Backend) {
    let client = server(backend).new_client();
    let receiver = Receiver::willing();
    let made = install(&client, &receiver.url());
    let at = event(
        &client,
        &made,
        &json!({"entity": "INCIDENT", "eventType": "CREATE",
        "eventPayload": "{\"a\": \"$incident.subject\", \"b\": \"$incident.subject\"}"}),
    );
    incident(&client, &json!({"subject": "x".repeat(700_000)}));
    incident(&client, &json!({"subject": "small"}));
    receiver.wait(1);
    let page = client.get(&format!("{at}/deliveries?status=failed")).page();
    assert_eq!((&page["totalResults"], &page["results"][0]["attempts"]), (&json!(1), &json!(0)), "{page}");
    let id = page["results"][0]["id"].as_str().unwrap();
    let detail = client.get(&format!("{at}/deliveries/{id}")).ok();
    assert!(detail["attemptLog"][0]["error"].as_str().unwrap().contains("1 MiB"), "{detail}");
    client.post_empty(&format!("{at}/deliveries/{id}/resend")).problem(409, "0004");
}
