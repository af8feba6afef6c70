//! The knowledge base: categories, their trash, articles, search.

mod articles;
mod categories;
mod search;
mod trash;
mod trees;

use muster_tests::Client;
use serde_json::{Value, json};

/// Creates a category; gives its id.
#[track_caller]
fn category(client: &Client, name: &str, parent: Option<&str>) -> String {
    let mut body = json!({"name": name, "description": "about it"});
    if let Some(parent) = parent {
        body["parentCategory"] = json!({"id": parent});
    }
    text(&client.post("/kb/category", &body).ok()["id"])
}

/// Creates an article; gives its id.
#[track_caller]
fn article(client: &Client, category: &str, title: &str, content: &str) -> String {
    let body = json!({"title": title, "content": content, "category": {"id": category}});
    text(&client.post("/kb/article", &body).ok()["id"])
}

/// The path of a category.
fn at(id: &str) -> String {
    format!("/kb/category/{id}")
}

/// A field of every row of a page.
#[track_caller]
fn column(client: &Client, url: &str, field: &str) -> Vec<String> {
    let page = client.get(url).page();
    page["results"].as_array().into_iter().flatten().map(|one| text(&one[field])).collect()
}

#[track_caller]
fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}
