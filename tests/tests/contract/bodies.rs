//! Request bodies: what is refused, how the refusal names the field, and what is forgiven.

use std::time::{Duration, Instant};

use muster_tests::{Server, both_backends};
use serde_json::json;

use super::{device, stores_nothing, text};

both_backends![
    bad_json_is_a_400,
    a_body_of_another_shape_is_a_400,
    wrong_types_name_every_field,
    strings_are_taken_for_booleans_and_enums_in_any_case,
    unknown_fields_and_nulls_are_ignored,
    nested_fields_are_named_by_their_path,
    deep_nesting_is_refused_and_the_server_lives,
    nul_and_lone_surrogates_are_refused,
    a_body_over_8_mib_is_a_413,
    a_body_without_announced_length_is_limited_too,
    a_body_just_under_the_limit_is_read,
    another_content_type_is_a_415,
];

fn bad_json_is_a_400(server: &Server) {
    let client = server.new_client();
    for body in ["", "{", "{\"name\":}", "nul", "{\"name\":\"a\"} trailing", "{'name':'a'}", "\u{feff}{"] {
        client.post_text("/resources", body).problem(400, "0002");
    }
    client.post_text("/resources", b"{\"name\":\"\xff\xfe\"}".to_vec()).problem(400, "0002");
    stores_nothing(&client);
}

fn a_body_of_another_shape_is_a_400(server: &Server) {
    let client = server.new_client();
    for body in [json!([]), json!("web"), json!(7), json!(null), json!(true)] {
        client.post("/resources", &body).problem(400, "0002");
    }
    stores_nothing(&client);
}

fn wrong_types_name_every_field(server: &Server) {
    let client = server.new_client();
    let body = json!({
        "name": ["not", "a", "text"],
        "type": "TEAPOT",
        "state": 7,
        "agentInstalled": "perhaps",
        "tags": "production",
        "appRoles": [{"name": "minesweeper"}],
    });
    let refused = client.post("/resources", &body).problem(400, "0002");
    let named: Vec<String> = refused["errors"]
        .as_array()
        .map(|errors| errors.iter().map(|error| text(&error["fieldName"])).collect())
        .unwrap_or_default();
    for field in ["name", "type", "state", "agentInstalled", "tags", "appRoles"] {
        assert!(
            named.iter().any(|name| name == field || name.starts_with(&format!("{field}["))),
            "{field} is not among {named:?}"
        );
    }
    stores_nothing(&client);
}

fn strings_are_taken_for_booleans_and_enums_in_any_case(server: &Server) {
    let client = server.new_client();
    let body = json!({"name": "lenient", "type": "device", "state": "InActive", "agentInstalled": "TRUE"});
    let id = text(&client.post("/resources", &body).ok()["resourceUUID"]);
    let detail = client.get(&format!("/resources/{id}")).ok();
    assert_eq!(detail["agentInstalled"], json!(true));
    assert_eq!(detail["state"], json!("inactive"));
}

fn unknown_fields_and_nulls_are_ignored(server: &Server) {
    let client = server.new_client();
    let body = json!({"name": "forward", "hostName": null, "tags": null, "fromTheFuture": {"a": [1, 2]}});
    client.post("/resources", &body).ok();
}

fn nested_fields_are_named_by_their_path(server: &Server) {
    let client = server.new_client();
    let body = json!({"name": "nested", "tags": [{"name": "a", "value": "b"}, {"name": 7, "value": "c"}]});
    client.post("/resources", &body).invalid(&["tags[1].name"]);
    stores_nothing(&client);
}

fn deep_nesting_is_refused_and_the_server_lives(server: &Server) {
    let client = server.new_client();
    client.post_text("/resources", "[".repeat(400_000)).problem(400, "0002");
    client.post_text("/resources", "{\"a\":".repeat(400_000)).problem(400, "0002");
    let inside = format!("{{\"name\":\"deep\",\"metaData\":{{\"x\":{}{}}}}}", "[".repeat(400_000), "]".repeat(400_000));
    client.post_text("/resources", inside).problem(400, "0002");
    stores_nothing(&client);
}

fn nul_and_lone_surrogates_are_refused(server: &Server) {
    let client = server.new_client();
    for body in [
        r#"{"name":"nul \u0000 inside"}"#,
        r#"{"name":"a","tags":[{"name":"x\u0000","value":"y"}]}"#,
        r#"{"name":"a","metaData":{"key\u0000":"y"}}"#,
        r#"{"name":"lone \ud800 surrogate"}"#,
        r#"{"name":"lone \udfff surrogate"}"#,
    ] {
        client.post_text("/resources", body).problem(400, "0002");
    }
    client.post_text("/resources", "{\"name\":\"raw \u{0} byte\"}").problem(400, "0002");
    stores_nothing(&client);
    client.post_text("/resources", r#"{"name":"a pair \ud83d\ude00 is fine"}"#).ok();
}

const MIB: usize = 1024 * 1024;

fn a_body_over_8_mib_is_a_413(server: &Server) {
    let client = server.new_client();
    let body = json!({"name": "big", "description": "x".repeat(8 * MIB)}).to_string();
    let request = format!(
        "POST /api/v2/tenants/{}/resources HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        client.tenant_id(),
        client.bearer(),
        body.len()
    );
    match server.raw(request.as_bytes()) {
        Some(answer) => answer.problem(413, "0002"),
        None => panic!("closed without an answer"),
    };
    stores_nothing(&client);
}

fn a_body_without_announced_length_is_limited_too(server: &Server) {
    let client = server.new_client();
    let mut request = format!(
        "POST /api/v2/tenants/{}/resources HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
        client.tenant_id(),
        client.bearer()
    );
    for _ in 0..9 {
        request.push_str(&format!("{MIB:x}\r\n{}\r\n", " ".repeat(MIB)));
    }
    request.push_str("0\r\n\r\n");
    match server.raw(request.as_bytes()) {
        Some(answer) => answer.problem(413, "0002"),
        None => panic!("closed without an answer"),
    };
}

fn a_body_just_under_the_limit_is_read(server: &Server) {
    let client = server.new_client();
    let padding = " ".repeat(8 * MIB - 100);
    let started = Instant::now();
    client.post_text("/resources", format!("{{\"name\":\"padded\"{padding}}}")).ok();
    assert!(started.elapsed() < Duration::from_secs(10), "took {:?}", started.elapsed());
}

fn another_content_type_is_a_415(server: &Server) {
    let client = server.new_client();
    for content_type in ["text/plain", "application/xml", "application/x-www-form-urlencoded", "multipart/form-data"] {
        let answer = client.request("POST", "/resources").body(content_type, "{\"name\":\"typed\"}").send();
        answer.problem(415, "0002");
    }
    for charset in ["iso-8859-1", "utf-16", "windows-1252"] {
        let kind = format!("application/json; charset={charset}");
        let answer = client.request("POST", "/resources").body(&kind, "{\"name\":\"typed\"}").send();
        answer.problem(415, "0002");
    }
    for coding in ["gzip", "br"] {
        let request = client.request("POST", "/resources").body("application/json", "{\"name\":\"typed\"}");
        request.header("Content-Encoding", coding).send().problem(415, "0002");
    }
    stores_nothing(&client);
    let utf8 = "application/json; charset=utf-8";
    client.request("POST", "/resources").body(utf8, "{\"name\":\"typed\"}").send().ok();
    device(&client, "still-alive");
}
