//! `POST /resources/bulk` and `GET /resources/export`: many resources at once.

mod atomic;
mod csv;
mod dry_run;
mod export;
mod hostile;
mod import;
mod rows;

use muster_tests::{Client, Response};
use serde_json::Value;

const PATH: &str = "/resources/bulk";
const NDJSON: &str = "application/x-ndjson";
const CSV: &str = "text/csv";

/// Objects, one on each line.
fn lines_of(objects: &[Value]) -> String {
    objects.iter().map(|object| format!("{object}\n")).collect()
}

fn send(client: &Client, query: &str, kind: &str, body: impl Into<Vec<u8>>) -> Response {
    client.request("POST", &format!("{PATH}{query}")).body(kind, body).send()
}

/// The lines of an answer.
#[track_caller]
fn lines(answer: &Response) -> Vec<Value> {
    assert_eq!(answer.status, 200, "{answer}");
    assert_eq!(answer.header("Content-Type"), Some(NDJSON), "{answer}");
    let text = answer.text();
    let parse = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    text.lines().map(parse).collect()
}

/// The results of rows, and the summary, whose sums agree with them.
#[track_caller]
fn results(answer: &Response) -> (Vec<Value>, Value) {
    let mut rows = lines(answer);
    let summary = rows.pop().unwrap_or_default();
    assert_eq!(summary["result"], Value::from("summary"), "{answer}");
    assert_eq!(summary["rows"], Value::from(rows.len()), "{answer}");
    for (result, sum) in
        [("created", "created"), ("updated", "updated"), ("unchanged", "unchanged"), ("error", "errors")]
    {
        let count = rows.iter().filter(|row| row["result"] == result).count();
        assert_eq!(summary[sum], Value::from(count), "{sum}: {answer}");
    }
    (rows, summary)
}

/// The word of each row, in order.
#[track_caller]
fn words(answer: &Response) -> Vec<String> {
    results(answer).0.iter().map(|row| super::text(&row["result"])).collect()
}

/// NDJSON rows; gives the word of each.
#[track_caller]
fn bulk(client: &Client, objects: &[Value]) -> Vec<String> {
    words(&send(client, "", NDJSON, lines_of(objects)))
}

/// How many resources the client has, in any state.
fn count(client: &Client) -> usize {
    client.get("/resources/minimal?state=all").list().len()
}
