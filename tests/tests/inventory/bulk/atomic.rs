//! `atomic`: all rows or none; and the `Idempotency-Key`, which needs all rows in one transaction as well.

use muster_tests::{Client, Response, Server, both_backends, uuid};
use serde_json::{Value, json};

use super::{CSV, NDJSON, count, lines_of, results, send, words};

both_backends![
    all_rows_are_stored,
    one_refused_row_refuses_all,
    it_is_bounded,
    a_key_gives_the_first_answer_again,
    a_key_without_atomic_keeps_the_rows_that_are_right,
    a_key_serves_one_request,
];

fn all_rows_are_stored(server: &Server) {
    let client = server.new_client();
    let rows: Vec<Value> = (0..500).map(|number| json!({"hostName": format!("host-{number}")})).collect();
    let (_, summary) = results(&send(&client, "?atomic=true", NDJSON, lines_of(&rows)));
    assert_eq!((&summary["created"], &summary["complete"]), (&json!(500), &json!(true)));
    assert_eq!(count(&client), 500);
}

fn one_refused_row_refuses_all(server: &Server) {
    let client = server.new_client();
    let logged = || client.get("/auditLog/search").ok()["totalResults"].clone();
    let before = logged();
    let table = "name,ipAddress,state\na,10.0.0.1,active\nb,10.0.0.300,odd\nc,10.0.0.3,active\nd,1\n";
    send(&client, "?atomic=true", CSV, table).invalid(&["line[3].ipAddress", "line[3].state", "line[5]"]);
    assert_eq!(count(&client), 0);
    assert_eq!(logged(), before);
    let unknown = [json!({"name": "a"}), json!({"id": uuid(), "name": "b"})];
    send(&client, "?atomic=true", NDJSON, lines_of(&unknown)).problem(400, "0002");
    let many: Vec<Value> = (0..300).map(|_| json!({"state": "odd"})).collect();
    let problem = send(&client, "?atomic=true", NDJSON, lines_of(&many)).problem(400, "0002");
    assert_eq!(problem["errors"].as_array().map(Vec::len), Some(100));
    send(&client, "?atomic=true", NDJSON, "{\"name\":\"a\"}\nnonsense\n").invalid(&["line[2]"]);
    assert_eq!(count(&client), 0);
}

fn it_is_bounded(server: &Server) {
    let client = server.new_client();
    let row = "{\"name\":\"a\"}\n";
    send(&client, "?atomic=true", NDJSON, row.repeat(10_001)).invalid(&["body"]);
    send(&client, "?atomic=true", NDJSON, row.repeat(10_001).trim_end()).invalid(&["body"]);
    send(&client, "?atomic=true", CSV, format!("name{}", "\na".repeat(10_001))).invalid(&["body"]);
    let blank = " ".repeat(1 << 20);
    send(&client, "?atomic=true", NDJSON, format!("{blank}\n").repeat(17)).problem(413, "0002");
    assert_eq!(count(&client), 0);
}

fn keyed(client: &Client, query: &str, key: &str, body: &str) -> Response {
    let request = client.request("POST", &format!("{}{query}", super::PATH));
    request.header("Idempotency-Key", key).body(NDJSON, body).send()
}

fn a_key_gives_the_first_answer_again(server: &Server) {
    let client = server.new_client();
    let key = uuid();
    let body = lines_of(&[json!({"name": "a"}), json!({"name": "b"})]);
    let first = keyed(&client, "?atomic=true", &key, &body);
    assert_eq!(words(&first), ["created", "created"]);
    let again = keyed(&client, "?atomic=true", &key, &body);
    assert_eq!((again.text(), again.header("Content-Type")), (first.text(), Some(NDJSON)));
    assert_eq!(count(&client), 2);
    // A request that failed left nothing behind, its key neither.
    let key = uuid();
    keyed(&client, "?atomic=true", &key, "{\"state\":\"odd\"}").problem(400, "0002");
    assert_eq!(words(&keyed(&client, "?atomic=true", &key, "{\"name\":\"c\"}")), ["created"]);
}

fn a_key_without_atomic_keeps_the_rows_that_are_right(server: &Server) {
    let client = server.new_client();
    let key = uuid();
    let body = lines_of(&[json!({"name": "a"}), json!({"state": "odd"}), json!({"name": "b"})]);
    let first = keyed(&client, "", &key, &body);
    assert_eq!(words(&first), ["created", "error", "created"]);
    assert_eq!(keyed(&client, "", &key, &body).text(), first.text());
    assert_eq!(count(&client), 2);
    assert_eq!(words(&keyed(&client, "?dryRun=true", &uuid(), &body)), ["unchanged", "error", "unchanged"]);
}

fn a_key_serves_one_request(server: &Server) {
    let client = server.new_client();
    let key = uuid();
    assert_eq!(words(&keyed(&client, "?atomic=true", &key, "{\"name\":\"a\"}")), ["created"]);
    keyed(&client, "?atomic=true", &key, "{\"name\":\"b\"}").problem(422, "0002");
    keyed(&client, "", &key, "{\"name\":\"a\"}").problem(422, "0002");
    assert_eq!(count(&client), 1);
}
