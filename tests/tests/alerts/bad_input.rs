//! Malformed reports are refused, and every error is named.

use muster_tests::{Server, both_backends};
use serde_json::json;

use super::found;

both_backends![errors_are_named, searches_that_make_no_sense];

fn errors_are_named(server: &Server) {
    let client = server.new_client();
    for (body, named) in [
        (json!({}), vec!["currentState", "subject"]),
        (json!([]), vec!["body"]),
        (json!({"currentState": "Fatal", "subject": "s"}), vec!["currentState"]),
        (json!({"currentState": "Ok", "subject": "x".repeat(1_001)}), vec!["subject"]),
        (json!({"currentState": "Ok", "metric": "m", "description": "x".repeat(4_001)}), vec!["description"]),
        (
            json!({"currentState": "Ok", "metric": "m", "alertTime": "yesterday", "oldState": "x"}),
            vec!["alertTime", "oldState"],
        ),
        (
            json!({"currentState": "Ok", "metric": 5, "device": [], "tags": [{"value": "v"}]}),
            vec!["device", "metric", "subject", "tags[0].name"],
        ),
        (json!({"currentState": "Ok", "metric": "m", "device": {"hostName": 7}}), vec!["device.hostName"]),
    ] {
        client.post("/alert", &body).invalid(&named);
    }
    client.post_text("/alerts", "[{]").problem(400, "0002");
    client.post("/alerts", &json!("text")).invalid(&["body"]);
    client.post("/alert?dryRun=true", &json!({"currentState": "Ok", "subject": "s"})).invalid(&["dryRun"]);
    assert_eq!(found(&client, ""), Vec::<String>::new());
}

fn searches_that_make_no_sense(server: &Server) {
    let client = server.new_client();
    for text in ["state:Bad", "status:Open", "startDate:today", "colour:red", "state:", "isEquals:perhaps"] {
        client.search("/alerts/search", text).invalid(&["queryString"]);
    }
    client.get("/alerts/search?sortName=colour").invalid(&["sortName"]);
    client.get("/alerts/ALT-0").not_found();
}
