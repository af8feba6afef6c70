//! What conversions mean, against what their sources mean.

mod clock_changes;
mod command;
mod goalert;
mod interface;
mod meaning;
mod netbox;
mod oncall;
mod opsgenie;
mod opsgenie_meaning;
mod pagerduty;
mod pagerduty_meaning;

use std::collections::BTreeSet;

use base::Timestamp;
use serde_json::{Value, json};

use crate::{
    clock::instant,
    conversion::{Conversion, Settings},
    export::Export,
    options::Product,
    report::{Entry, Outcome},
};

/// The instant at which tests convert.
fn settings() -> Settings {
    Settings { now: at("2026-11-01T00:00:00Z"), elapsed_hours: false }
}

fn at(text: &str) -> Timestamp {
    instant(text).unwrap()
}

/// An export of answers by their paths.
fn export(answers: &[(&str, Value)]) -> Export {
    let mut export = Export::default();
    for (path, page) in answers {
        export.add(path, page.clone());
    }
    export
}

fn convert(product: Product, answers: &[(&str, Value)]) -> Conversion {
    let conversion = product.convert(&export(answers), settings());
    interface::check(&conversion);
    conversion
}

/// Who is on call at an instant by the one schedule of an export, as comparisons read it.
fn reading(product: Product, export: &Export) -> Box<dyn Fn(Timestamp) -> BTreeSet<String> + '_> {
    let (mut schedules, _) = product.schedules(export, settings().now);
    schedules.remove(0).reading.unwrap_or_else(|reason| panic!("it is not read: {reason}")).on_call
}

/// The objects of a kind.
fn of_kind(conversion: &Conversion, kind: &str) -> Vec<Value> {
    conversion.documents.iter().filter(|one| one["kind"] == kind).cloned().map(Value::Object).collect()
}

/// The entry of the report about an object.
fn entry<'c>(conversion: &'c Conversion, object: &str) -> &'c Entry {
    let found = conversion.report.entries.iter().find(|entry| entry.object == object);
    found.unwrap_or_else(|| panic!("{object} is not in {:#?}", conversion.report.entries))
}

/// Asserts that an object is refused with a reason that has these words.
fn assert_refused(conversion: &Conversion, object: &str, words: &str) {
    let entry = entry(conversion, object);
    assert_eq!(entry.outcome, Outcome::Refused, "{entry:?}");
    assert!(entry.notes.join(" ").contains(words), "{words:?} is not in {:?}", entry.notes);
}

#[test]
fn an_object_without_what_it_is_called_by_is_refused_by_its_id() {
    for (product, path, object, words) in [
        (Product::Pagerduty, "users", "user \"X1\"", "no e-mail address"),
        (Product::Pagerduty, "teams", "team \"X1\"", "no name"),
        (Product::Pagerduty, "escalation_policies", "escalation policy \"X1\"", "no name"),
        (Product::Pagerduty, "services", "service \"X1\"", "no name"),
        (Product::Opsgenie, "users", "user \"X1\"", "no user name"),
        (Product::Opsgenie, "teams", "team \"X1\"", "no name"),
        (Product::Opsgenie, "schedules", "schedule \"X1\"", "no name"),
        (Product::Opsgenie, "escalations", "escalation \"X1\"", "no name"),
        (Product::Opsgenie, "heartbeats", "heartbeat \"X1\"", "no name"),
        (Product::Opsgenie, "integrations", "integration \"X1\"", "no name"),
        (Product::Opsgenie, "alerts", "alert \"X1\"", "no message"),
        (Product::Oncall, "users", "user \"X1\"", "no e-mail address"),
        (Product::Oncall, "teams", "team \"X1\"", "no name"),
        (Product::Oncall, "schedules", "schedule \"X1\"", "no name"),
        (Product::Oncall, "escalation_chains", "escalation chain \"X1\"", "no name"),
        (Product::Oncall, "integrations", "integration \"X1\"", "no name"),
        (Product::Goalert, "users", "user \"X1\"", "no e-mail address"),
        (Product::Goalert, "escalationPolicies", "escalation policy \"X1\"", "no name"),
        (Product::Goalert, "schedules", "schedule \"X1\"", "no name"),
        (Product::Goalert, "services", "service \"X1\"", "no name"),
        (Product::Netbox, "dcim/sites", "site \"X1\"", "no name"),
        (Product::Netbox, "dcim/device-roles", "device role \"X1\"", "no name"),
    ] {
        let conversion = convert(product, &[(path, json!([{"id": "X1", "name": " "}]))]);
        assert_refused(&conversion, object, words);
    }
}
