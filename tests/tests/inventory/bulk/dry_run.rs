//! `dryRun`: the predicted results, and nothing stored.

use muster_tests::{Server, both_backends};
use serde_json::json;

use super::{CSV, NDJSON, bulk, count, lines_of, results, send};
use crate::inventory::{detail, text};

both_backends![it_predicts_the_results, nothing_is_stored, it_takes_atomic_too, rows_of_an_atomic_run_are_compared];

fn it_predicts_the_results(server: &Server) {
    let client = server.new_client();
    bulk(&client, &[json!({"name": "a"}), json!({"name": "b"})]);
    let rows = [
        json!({"name": "a"}),
        json!({"name": "b", "make": "HP"}),
        json!({"name": "c"}),
        json!({"state": "odd"}),
        json!({"name": "c"}),
    ];
    let answer = send(&client, "?dryRun=true", NDJSON, lines_of(&rows));
    let (rows, summary) = results(&answer);
    let words: Vec<String> = rows.iter().map(|row| text(&row["result"])).collect();
    assert_eq!(words, ["unchanged", "updated", "created", "error", "unchanged"]);
    assert_eq!((&summary["dryRun"], &summary["complete"]), (&json!(true), &json!(true)));
    assert!(rows[0]["id"].is_string() && rows[1]["id"].is_string() && rows[2].get("id").is_none(), "{answer}");
    assert!(rows[4].get("id").is_none(), "the second row of what is not made: {answer}");
}

fn nothing_is_stored(server: &Server) {
    let client = server.new_client();
    bulk(&client, &[json!({"name": "a"})]);
    let id = text(&client.get("/resources/minimal").list()[0]["id"]);
    let before = client.get(&format!("/resources/{id}"));
    let logged = client.get("/auditLog/search").ok()["totalResults"].clone();
    for query in ["?dryRun=true", "?dryRun=TRUE&atomic=true"] {
        let table = "name,make,resourceType\na,HP,Never seen\nb,HP,Never seen\n";
        assert_eq!(results(&send(&client, query, CSV, table)).1["created"], json!(1));
    }
    let after = client.get(&format!("/resources/{id}"));
    assert_eq!((after.header("ETag"), after.ok()), (before.header("ETag"), detail(&client, &id)));
    assert_eq!(count(&client), 1);
    assert_eq!(client.get("/auditLog/search").ok()["totalResults"], logged);
    let types = client.get("/resourceType/minimal").list();
    assert!(!types.iter().any(|kind| kind["name"] == json!("Never seen")));
}

/// Rows far from each other in the file, in another letter case, with invalid rows between them.
fn rows_of_an_atomic_run_are_compared(server: &Server) {
    let client = server.new_client();
    let mut rows: Vec<_> = (0..600).map(|number| json!({"hostName": format!("host-{number}")})).collect();
    rows[300] = json!({"state": "odd"});
    rows[599] = json!({"hostName": "HOST-1", "make": "HP"});
    rows[598] = json!({"hostName": "host-0"});
    let answer = send(&client, "?dryRun=true&atomic=true", NDJSON, lines_of(&rows));
    let (rows, summary) = results(&answer);
    let lines: Vec<_> = rows.iter().map(|row| row["line"].as_u64().unwrap_or_default()).collect();
    assert_eq!(lines, (1..=600).collect::<Vec<_>>());
    let word = |row: usize| text(&rows[row]["result"]);
    assert_eq!([word(0), word(300), word(598), word(599)], ["created", "error", "unchanged", "updated"]);
    assert_eq!((&summary["created"], count(&client)), (&json!(597), 0));
}

fn it_takes_atomic_too(server: &Server) {
    let client = server.new_client();
    let rows = [json!({"name": "a"}), json!({"state": "odd"}), json!({"name": "a"})];
    let answer = send(&client, "?dryRun=true&atomic=true", NDJSON, lines_of(&rows));
    assert_eq!(super::words(&answer), ["created", "error", "unchanged"]);
    assert_eq!(count(&client), 0);
}
