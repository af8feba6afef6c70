//! Clients that were written for other services of this kind: the paths that they call, the names that they use, and
//! one published client.

mod aliases;
mod client;
mod lists;
mod windows;

use muster_tests::Client;
use serde_json::Value;

#[track_caller]
fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

/// A field of every row of a page.
#[track_caller]
fn column(page: &Value, field: &str) -> Vec<String> {
    let rows = page["results"].as_array().unwrap_or_else(|| panic!("no page: {page}"));
    rows.iter().map(|row| row[field].as_str().map_or_else(|| row[field].to_string(), ToOwned::to_owned)).collect()
}

/// The rows of a search, by name.
#[track_caller]
fn found(client: &Client, path: &str, query: &str) -> Vec<String> {
    column(&client.search(path, query).page(), "name")
}
