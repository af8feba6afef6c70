//! Incident categories and incidents.

mod categories;
mod records;
mod related;
mod trees;

use muster_tests::Client;
use serde_json::{Value, json};

/// Creates categories below one, or at the top; gives their ids in order.
#[track_caller]
fn categories(client: &Client, names: &[&str], parent: Option<&str>) -> Vec<String> {
    let mut body = json!({"names": names});
    if let Some(parent) = parent {
        body["parentCategory"] = json!({"uniqueId": parent});
    }
    let created = client.post("/incidents/categories", &body).list();
    created.iter().map(|one| text(&one["uniqueId"])).collect()
}

/// Creates one category; gives its id.
#[track_caller]
fn category(client: &Client, name: &str, parent: Option<&str>) -> String {
    categories(client, &[name], parent).remove(0)
}

/// The path of a category.
fn at(id: &str) -> String {
    format!("/incidents/categories/{id}")
}

#[track_caller]
fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}
