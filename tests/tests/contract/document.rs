//! The OpenAPI document as others rely on it: its examples are what it says they are, and what breaks its users is
//! noticed.

use std::process::Command;
use std::time::Duration;

use muster_tests::{Exit, skipped, validator};
use serde_json::{Value, json};

use crate::house::{read, root};

fn document() -> Value {
    serde_json::from_str(&read("openapi/openapi.json")).unwrap()
}

/// Every schema that has an example beside or above it, with the place and the example.
fn examples<'d>(value: &'d Value, place: &str, found: &mut Vec<(String, &'d Value, &'d Value)>) {
    match value {
        Value::Object(object) => {
            if let Some(example) = object.get("example") {
                // Of a media type or a parameter the schema stands beside it; else it is the schema's own.
                found.push((place.to_owned(), object.get("schema").unwrap_or(value), example));
            }
            for (name, value) in object.iter().filter(|(name, _)| *name != "example") {
                examples(value, &format!("{place}/{name}"), found);
            }
        }
        Value::Array(values) => {
            values.iter().enumerate().for_each(|(at, value)| examples(value, &format!("{place}/{at}"), found));
        }
        _ => {}
    }
}

#[test]
fn every_example_is_valid() {
    let document = document();
    let mut found = Vec::new();
    examples(&document, "", &mut found);
    assert!(found.len() > 500, "{} examples", found.len());
    let mut invalid = Vec::new();
    for (place, schema, example) in found {
        let validator = validator(&document, schema).unwrap_or_else(|| panic!("{place}: its schema cannot be read"));
        invalid.extend(validator.iter_errors(example).map(|error| format!("{place}: {error}")));
    }
    assert!(invalid.is_empty(), "{}", invalid.join("\n"));
}

/// What `scripts/breaking.py` says of a change of the document; `None` where there is no Python, which it says.
fn broken_by(change: impl FnOnce(&mut Value), changelog: &str) -> Option<Vec<String>> {
    if !Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success()) {
        skipped("there is no python3 to compare documents with");
        return None;
    }
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        std::fs::write(directory.path().join(name), text).unwrap();
        directory.path().join(name)
    };
    let mut changed = document();
    change(&mut changed);
    let old = file("old.json", &document().to_string());
    let new = file("new.json", &changed.to_string());
    let mut command = Command::new("python3");
    command.arg(root().join("scripts/breaking.py")).args([old, new, file("CHANGELOG.md", changelog)]);
    let exit = Exit::within(Duration::from_secs(30), &mut command);
    let told: Vec<String> = exit.stdout.lines().map(ToOwned::to_owned).collect();
    assert_eq!(exit.status.success(), told.is_empty(), "{}{}", exit.stdout, exit.stderr);
    Some(told)
}

#[test]
fn what_breaks_users_of_the_document_is_told() {
    const SITES: &str = "/api/v2/tenants/{tenantId}/sites/search";
    type Change = fn(&mut Value);
    let cases: [(&str, Change); 8] = [
        ("searchSites: GET /api/v2/tenants/{tenantId}/sites/search is gone", |document| {
            document["paths"].as_object_mut().unwrap().remove(SITES);
        }),
        ("searchSites: is called findSites", |document| {
            document["paths"][SITES]["get"]["operationId"] = json!("findSites");
        }),
        ("searchSites: the parameter place is new and required", |document| {
            let parameter = json!({"name": "place", "in": "query", "required": true, "schema": {"type": "string"}});
            document["paths"][SITES]["get"]["parameters"].as_array_mut().unwrap().push(parameter);
        }),
        ("SiteInput: city is required", |document| {
            document["components"]["schemas"]["SiteInput"]["required"].as_array_mut().unwrap().push(json!("city"));
        }),
        ("SiteInput: city: ['null', 'string'] is ['integer']", |document| {
            document["components"]["schemas"]["SiteInput"]["properties"]["city"] = json!({"type": "integer"});
        }),
        ("SiteInput: city: maxLength is 3", |document| {
            document["components"]["schemas"]["SiteInput"]["properties"]["city"]["maxLength"] = json!(3);
        }),
        ("Site: name may be missing", |document| {
            let required = document["components"]["schemas"]["Site"]["required"].as_array_mut().unwrap();
            required.retain(|name| name != "name");
        }),
        ("Site: name is gone", |document| {
            document["components"]["schemas"]["Site"]["properties"].as_object_mut().unwrap().shift_remove("name");
        }),
    ];
    for (expected, change) in cases {
        let Some(told) = broken_by(change, "") else { return };
        assert!(told.iter().any(|line| line == expected), "{expected:?} is not among {told:?}");
        let subject = expected.split(':').next().unwrap_or_default();
        let changelog = format!("## Unreleased\n\n### Breaking\n\n- `{subject}` is another.\n\n### Added\n");
        let rest = broken_by(change, &changelog).unwrap();
        assert!(rest.iter().all(|line| !line.starts_with(&format!("{subject}:"))), "{rest:?}");
    }
}

#[test]
fn what_is_added_breaks_nobody() {
    let added = |document: &mut Value| {
        let schemas = &mut document["components"]["schemas"];
        schemas["SiteInput"]["properties"]["floor"] = json!({"type": "string"});
        schemas["Site"]["properties"]["floor"] = json!({"type": "string"});
        schemas["Site"]["required"].as_array_mut().unwrap().push(json!("floor"));
        document["paths"]["/api/v2/new"] = json!({"get": {"operationId": "getNew", "responses": {}}});
    };
    assert_eq!(broken_by(added, "").unwrap_or_default(), Vec::<String>::new());
}
