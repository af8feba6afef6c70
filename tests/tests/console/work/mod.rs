//! What people do in the console, looked at from both sides: what the page shows, and what the service then has.

mod alerts;
mod conflicts;
mod drafts;
mod finding;
mod jobs;
mod knowledge;
mod machines;
mod maintenance;
mod on_call;
mod people;
mod records;
mod reports;
mod rosters;
mod routing;
mod shown;
mod texts;
mod undo;
pub(super) mod unseen;

use muster_tests::{Client, chromium::Window, unique};
use serde_json::{Value, json};

/// Names that would be something else, were they ever markup.
const MARKUP: &str = "<img src=x onerror=\"document.title='owned'\"><b>&amp;</b>";

/// An alert of its own, with this subject.
pub(super) fn report(company: &Client, subject: &str) {
    let host = unique("host");
    let alert = json!({"subject": subject, "currentState": "Critical", "metric": unique("metric"),
        "device": {"hostName": host}});
    company.post("/alert", &alert).ok();
}

/// What the service has of the alerts with this subject.
pub(super) fn alerts(company: &Client, subject: &str) -> Vec<Value> {
    let page = company.search("/alerts/search", &format!("subject:{subject}")).page();
    page["results"].as_array().cloned().unwrap()
}

/// The control with a label, in the dialog where there is one.
fn control(label: &str) -> String {
    format!(
        "[...(document.querySelector('dialog[open]') || document).querySelectorAll('label')]\
         .find(one => one.textContent.trim() == {})?.control",
        json!(label)
    )
}

/// Chooses a record in the field with a label, by what is typed.
#[track_caller]
fn pick(window: &Window, label: &str, typed: &str, record: &str) {
    let field = control(label);
    window.until(&field);
    window.evaluate(&format!("{field}.focus()"));
    window.debug("Input.insertText", &json!({"text": typed}));
    let option = format!(
        "[...document.querySelectorAll('[role=option]')].find(one => one.textContent.includes({}))",
        json!(record)
    );
    window.until(&option);
    window.evaluate(&format!("{option}.click()"));
}
