use serde_json::json;

use super::{super::operations, *};

fn document() -> Value {
    let field = |kind: &str| json!({"type": kind});
    json!({"paths": {"/api/v2/tenants/{tenantId}/things": {"post": {
        "operationId": "createThing",
        "parameters": [
            {"name": "tenantId", "in": "path", "required": true, "schema": field("string")},
            {"name": "pageSize", "in": "query", "schema": field("integer")},
            {"name": "verbose", "in": "query", "schema": field("boolean")},
            {"name": "If-Match", "in": "header", "schema": field("string")},
        ],
        "requestBody": {"required": true, "content": {"application/json": {"schema": {
            "type": "object", "required": ["name"], "properties": {
                "name": field("string"),
                "count": {"type": ["integer", "null"]},
                "key": field("string"),
                "device": {"type": "object", "properties": {"hostName": field("string"), "up": field("boolean")}},
                "tags": {"type": "array", "items": {"type": "object", "properties": {
                    "name": field("string"), "value": field("string")}}},
                "labels": {"type": "array", "items": field("string")},
                "free": field("object"),
            },
        }}}},
    }}}})
}

fn read_arguments(arguments: &[&str]) -> CallArguments {
    let document = document();
    let operations = operations::all(&document);
    let tokens: Vec<String> = arguments.iter().map(ToString::to_string).collect();
    read(&operations[0], &tokens)
}

#[test]
fn parameters_and_fields_are_known_by_their_names_and_spellings() {
    let line = "--tenantId client_1 --page-size 10 --verbose --if-match=\"3\" --name web-01 --count -3 \
                --device.host-name web --device.up false --labels a --labels b";
    let read = read_arguments(&line.split_whitespace().collect::<Vec<_>>());
    assert_eq!(read.errors, [""; 0]);
    let parameters: Vec<_> = read.parameters.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(parameters, [("tenantId", "client_1"), ("pageSize", "10"), ("verbose", "true"), ("If-Match", "\"3\"")]);
    let device = json!({"hostName": "web", "up": false});
    assert_eq!(read.body, Some(json!({"name": "web-01", "count": -3, "device": device, "labels": ["a", "b"]})));
}

#[test]
fn arrays_of_objects_are_filled_in_several_ways() {
    let tags = json!([{"name": "env", "value": "prod"}, {"name": "team"}]);
    for arguments in [
        vec!["--tags.name", "env", "--tags.value", "prod", "--tags.name", "team"],
        vec!["--tags.0.name", "env", "--tags.0.value", "prod", "--tags.1.name", "team"],
        vec!["--tags", r#"{"name": "env", "value": "prod"}"#, "--tags", r#"{"name": "team"}"#],
        vec!["--tags", r#"[{"name": "env", "value": "prod"}, {"name": "team"}]"#],
    ] {
        assert_eq!(read_arguments(&arguments).body, Some(json!({"tags": tags})), "{arguments:?}");
    }
    assert_eq!(read_arguments(&["--tags", "[]"]).body, Some(json!({"tags": []})));
    let free = json!({"free": {"a": {"b": 1}, "c": "x"}});
    assert_eq!(read_arguments(&["--free.a.b", "1", "--free.c", "x"]).body, Some(free));
}

#[test]
fn options_of_the_command_are_told_from_fields() {
    let line = ["--server", "https://muster.example.net", "--name=x", "--all", "--columns=a,b", "--key", "mine"];
    let read = read_arguments(&line);
    assert_eq!(read.options, ["--server", "https://muster.example.net", "--all", "--columns=a,b"]);
    // The operation has a field of that very name.
    assert_eq!(read.body, Some(json!({"name": "x", "key": "mine"})));
}

#[test]
fn everything_wrong_is_told_at_once_and_near_names_are() {
    let line =
        "stray --nmae x --pageSize ten --device.hostNam x --name --verbose --count 1 --count 2 --name.first x --free 1";
    let read = read_arguments(&line.split_whitespace().collect::<Vec<_>>());
    let errors = read.errors.join("\n");
    for part in [
        "\"stray\" stands alone",
        "no --nmae; did you mean --name?",
        "--pageSize must be a whole number",
        "no field \"hostNam\"; did you mean hostName?",
        "--name has no value",
        "--count is given twice",
        "\"first\" would be a field of what is TEXT",
        "--free must be an object",
    ] {
        assert!(errors.contains(part), "{part} is not in:\n{errors}");
    }
    assert_eq!(read.errors.len(), 8, "{errors}");
    // `--verbose` is a switch, and was no value of `--name`.
    assert_eq!(read.parameters, [("verbose".to_owned(), "true".to_owned())]);
}

#[test]
fn what_is_missing_is_named() {
    let document = document();
    let operations = operations::all(&document);
    assert_eq!(read_arguments(&["--count", "1"]).missing(&operations[0], false), ["tenantId", "name"]);
    assert_eq!(read_arguments(&[]).missing(&operations[0], true), ["tenantId"]);
}

#[test]
fn a_path_is_left_by_no_parameter() {
    for bad in ["", ".", ".."] {
        assert_eq!(read_arguments(&["--tenantId", bad]).errors.len(), 1, "{bad:?}");
    }
    assert_eq!(read_arguments(&["--if-match", "a\nb"]).errors.len(), 1);
}

/// An option of the command that is also a field of an operation means the field there. No field may take an option
/// over where that is needed.
#[test]
fn no_operation_takes_over_an_option_that_it_needs() {
    let document = include_str!("../../../../openapi/openapi.json");
    let document = serde_json::from_str(document).unwrap();
    let operations = operations::all(&document);
    let command = ApiOptions::command();
    let mut taken = Vec::new();
    for operation in &operations {
        for option in command.get_arguments().filter_map(Arg::get_long) {
            if has_exactly(operation, option) {
                taken.push(format!("{} --{option}", operation.id));
            }
        }
    }
    assert!(operations.len() > 100);
    taken.sort();
    assert_eq!(taken, ["listTimeZones --all", "reportInbound --key"], "neither has pages, nor calls with a key");
}
