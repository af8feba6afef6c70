//! The command as people call it.

use std::{fs, path::Path};

use clap::Parser;
use serde_json::json;

use crate::{options::Convert, run};

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    convert: Convert,
}

fn line(arguments: &[&str]) -> Result<Convert, String> {
    let all = ["convert"].into_iter().chain(arguments.iter().copied());
    Line::try_parse_from(all).map(|line| line.convert).map_err(|error| error.to_string())
}

fn write(folder: &Path, file: &str, value: &serde_json::Value) {
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join(file), value.to_string()).unwrap();
}

#[test]
fn a_folder_becomes_files_and_a_report() {
    let folder = tempfile::tempdir().unwrap();
    let (source, target) = (folder.path().join("export"), folder.path().join("config"));
    write(&source, "users.json", &json!({"data": [{"id": "u1", "username": "ann@example.net"}]}));
    write(&source, "users.2.json", &json!({"data": [{"id": "u2", "username": "bob@example.net", "blocked": true}]}));
    write(
        &source,
        "schedules.json",
        &json!({"data": [{"id": "s1", "name": "Empty", "timezone": "Europe/Vienna", "rotations": []}]}),
    );
    let (source, target) = (source.to_str().unwrap(), target.to_str().unwrap());
    let conversion = run(&line(&["opsgenie", source, target, "--now", "2026-11-01T00:00:00Z"]).unwrap()).unwrap();
    let summary = "3 objects: 0 converted, 1 converted with losses, 1 refused, 1 left out";
    assert_eq!(conversion.report.summary(), summary);
    let read = |path: &str| fs::read_to_string(Path::new(target).join(path)).unwrap();
    assert!(read("users/ann-example-net.yaml").starts_with("kind: User\nloginName: ann@example.net\n"));
    let report = read("REPORT.md");
    assert!(report.starts_with(&format!("# From Opsgenie to Muster\n\n{summary}.\n")), "{report}");
    assert!(report.contains("| schedule \"Empty\" |  | it has no rotation that goes on"), "{report}");
    let again = run(&line(&["opsgenie", source, target]).unwrap()).unwrap_err();
    assert!(format!("{again:#}").contains("is not empty"), "{again:#}");
}

#[test]
fn an_export_that_is_not_whole_or_none_is_not_taken_as_one() {
    let folder = tempfile::tempdir().unwrap();
    let (source, target) = (folder.path().join("export"), folder.path().join("config"));
    let (from, to) = (source.to_str().unwrap(), target.to_str().unwrap());
    let converted = |product: &str| run(&line(&[product, from, to, "--now", "2026-11-01T00:00:00Z"]).unwrap());
    write(&source, "users.json", &json!({"message": "API Key is not allowed", "requestId": "1"}));
    let refused = format!("{:#}", converted("opsgenie").unwrap_err());
    assert!(refused.contains("users.json: the product gave no answer") && refused.contains("API Key"), "{refused}");
    write(&source, "users.json", &json!([{"id": 5}]));
    let nothing = format!("{:#}", converted("opsgenie").unwrap_err());
    assert!(nothing.contains("there was nothing to convert"), "{nothing}");
    write(
        &source,
        "users.json",
        &json!({"users": [{"id": "u1", "name": "Ann", "email": "ann@example.net"}], "more": true}),
    );
    let report = converted("pagerduty").unwrap().report;
    assert!(report.summary().contains("1 refused"), "{}", report.summary());
    let refused = report.entries.iter().find(|entry| entry.object == "users").unwrap();
    assert!(refused.notes.join("").contains("its last page says that there are more"), "{refused:?}");
}

#[test]
fn what_is_missing_on_the_command_line_is_said() {
    let error = |arguments: &[&str]| match line(arguments) {
        Ok(read) => format!("{:#}", run(&read).unwrap_err()),
        Err(error) => error,
    };
    assert!(error(&["opsgenie", "here"]).contains("two folders are named"));
    assert!(error(&["opsgenie", "a", "b", "c"]).contains("unexpected"));
    assert!(error(&["pagerdoody", "a", "b"]).contains("pagerduty"));
    assert!(error(&["opsgenie", "/nowhere/at/all", "b"]).contains("is not a folder"));
    assert!(error(&["opsgenie", "a", "--url", "http://192.0.2.1"]).contains("in the clear"));
    assert!(error(&["opsgenie", "a", "b", "--url", "https://127.0.0.1:1", "--token", "x"]).contains("one folder"));
    assert!(error(&["opsgenie", "a", "b", "--now", "today"]).contains("2026-11-23T09:00:00Z"));
}
