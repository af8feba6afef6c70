//! Text that is nearly JSON is accepted at the addresses of monitors: a refused alert wakes nobody.

use muster_tests::{Server, both_backends};
use serde_json::json;

use super::{address, each, only, text};

both_backends![nearly_json_is_repaired_with_a_warning, one_bad_entry_refuses_no_other, elsewhere_json_is_json];

fn nearly_json_is_repaired_with_a_warning(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    let bodies: [(&str, &[u8], &str); 9] = [
        ("application/json", b"{\"subject\":\"Disk 1\",\"description\":\"First line\nSecond line\"}", "Disk 1"),
        ("application/json", b"{\"subject\":\"Dienst 2 l\xe4uft nicht\"}", "Dienst 2 läuft nicht"),
        ("application/json; charset=iso-8859-1", b"{\"subject\":\"Dienst 3 l\xe4uft nicht\"}", "Dienst 3 läuft nicht"),
        ("application/json", b"{\"subject\":\"d:\\ is full\"}", "d:\\ is full"),
        ("text/plain", b"{\"subject\":\"d:\\\",\"state\":\"critical\"}", "d:\\"),
        ("application/json", b"{\"subject\":\"Event 7034\",\"description\":\"text\\u0000\"}", "Event 7034"),
        ("application/json", b"{\"subject\":\"half \\ud83d of a pair\"}", "half \u{fffd} of a pair"),
        ("application/json", b"\xef\xbb\xbf{\"subject\":\"said \"no\" twice\",}", "said \"no\" twice"),
        ("application/json", b"{\"subject\":\"not a number\",\"tags\":{\"load\":NaN}}", "not a number"),
    ];
    for (kind, body, subject) in bodies {
        let request = server.request("POST", &format!("/api/v2/inbound/{token}"));
        let answer = request.body(kind, body).send().ok();
        assert_eq!(answer["result"], json!("created"), "{subject}");
        assert!(text(&answer["warnings"][0]).contains("JSON"), "{subject}: {answer}");
        let made = only(&client, &format!("id:{}", text(&answer["id"])));
        assert_eq!((&made["subject"], &made["warnings"]), (&json!(subject), &answer["warnings"]));
    }
    assert_eq!(only(&client, "subject:Disk 1")["description"], json!("First line\nSecond line"));
    // Every other address of monitors does the same.
    let genie = server.request("POST", "/v2/alerts").header("Authorization", &format!("GenieKey {token}"));
    let answer = genie.body("application/json", "{\"message\":\"c:\\data is full\",\"alias\":\"og\"}").send();
    assert_eq!(answer.status, 202, "{answer}");
    let event = format!(
        "{{\"routing_key\":\"{token}\",\"event_action\":\"trigger\",\"dedup_key\":\"pd\",\
         \"payload\":{{\"summary\":\"a\nb\"}}}}"
    );
    assert_eq!(server.request("POST", "/v2/enqueue").body("text/plain", event).send().status, 202);
    for alias in ["og", "pd"] {
        assert!(only(&client, &format!("extAlertId:{alias}"))["warnings"].is_array(), "{alias}");
    }
    // Forms, and what need not be mended within an object.
    for (kind, body, subject) in [
        ("application/x-www-form-urlencoded", "subject=Disk+full&state=critical", "Disk full"),
        ("text/plain", "payload=%7B%22text%22%3A%22Posted%22%7D", "Posted"),
        ("application/json", "\"{\\\"subject\\\": \\\"Twice\\\"}\"", "Twice"),
        ("application/json", "{'subject': 'Of Python', 'state': 'critical'}", "Of Python"),
        ("application/json", "{\"subject\":\"Cut off\",\"description\":\"ab", "Cut off"),
    ] {
        let request = server.request("POST", &format!("/api/v2/inbound/{token}"));
        let answer = request.body(kind, body).send().ok();
        assert_eq!(answer["warnings"].as_array().map(Vec::len), Some(1), "{subject}: {answer}");
        assert_eq!(only(&client, &format!("id:{}", text(&answer["id"])))["subject"], json!(subject));
    }
    let lines = "{\"subject\":\"One\"}\n{\"subject\":\"Two\"}\n";
    let request = server.request("POST", &format!("/api/v2/inbound/{token}"));
    assert_eq!(each(&request.body("application/x-ndjson", lines).send().json(), "result"), ["created", "created"]);
    // Text that cannot be repaired is a 400 as before.
    for body in ["", "hello", "{\"subject\":"] {
        let request = server.request("POST", &format!("/api/v2/inbound/{token}"));
        request.body("application/json", body).send().problem(400, "0002");
    }
}

fn one_bad_entry_refuses_no_other(server: &Server) {
    let client = server.new_client();
    let (_, token) = address(&client);
    let body = b"{\"version\":\"5\",\"alerts\":[\
        {\"status\":\"firing\",\"fingerprint\":\"1\",\"labels\":{\"alertname\":\"d:\\ \xfc\"}},7,\
        {\"status\":\"unsure\"},\
        {\"status\":\"firing\",\"fingerprint\":\"2\",\"labels\":{\"alertname\":\"x\\ud800\"}}]}";
    let request = server.request("POST", &format!("/api/v2/inbound/{token}/alertmanager"));
    let answer = request.body("application/json", &body[..]).send().ok();
    assert_eq!(each(&answer, "result"), ["created", "invalid", "invalid", "created"]);
    assert_eq!(only(&client, "extAlertId:1")["subject"], json!("d:\\ ü"));
    // The alerting of Grafana before version 9 has no list.
    let old = json!({"title": "[Alerting] Load", "ruleName": "Load", "state": "alerting", "message": "Load is high"});
    let request = server.request("POST", &format!("/api/v2/inbound/{token}/grafana"));
    assert_eq!(each(&request.json(&old).send().ok(), "result"), ["created"]);
}

fn elsewhere_json_is_json(server: &Server) {
    let client = server.new_client();
    client.post_text("/alert", "{\"currentState\":\"Critical\",\"subject\":\"d:\\ is full\"}").problem(400, "0002");
    client.post_text("/alerts", "[{\"currentState\":\"Critical\",\"subject\":\"x\\u0000\"}]").problem(400, "0002");
}
