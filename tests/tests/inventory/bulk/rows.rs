//! Bulk rows: each creates, updates or changes nothing, independently of the others.

use muster_tests::{Server, both_backends, uuid};
use serde_json::{Value, json};

use super::{CSV, NDJSON, bulk, count, lines_of, results, send, words};
use crate::inventory::{create, detail, found, text};

both_backends![
    each_row_has_its_line,
    a_body_is_required,
    rows_sent_again_change_nothing,
    a_known_machine_is_updated_by_any_of_its_keys,
    every_field_of_a_create_body_is_taken,
    a_refused_row_stops_no_other,
    the_errors_of_a_row_are_those_of_the_single_operation,
    texts_and_tags_are_bounded,
    a_row_of_another_tenant_is_refused,
    many_rows_are_stored_in_batches,
    two_requests_at_once_make_each_machine_once,
    every_change_is_in_the_audit_log,
    rows_join_dynamic_groups,
    it_takes_an_operator,
    types_of_content,
    a_json_array_is_answered_as_one_object,
];

fn each_row_has_its_line(server: &Server) {
    let client = server.new_client();
    let body = "\u{FEFF}{\"name\":\"a\"}\r\n\n  \n{\"name\":\"b\",\"unknown\":1}\n{\"name\":\"a\",\"make\":\"HP\"}";
    let (rows, summary) = results(&send(&client, "", NDJSON, body));
    let seen: Vec<_> = rows.iter().map(|row| (row["line"].clone(), text(&row["result"]))).collect();
    let expected = [(1, "created"), (4, "created"), (5, "updated")];
    assert_eq!(seen, expected.map(|(line, word)| (json!(line), word.to_owned())));
    assert_eq!(rows[0]["id"], rows[2]["id"]);
    assert_eq!(detail(&client, &text(&rows[2]["id"]))["generalInfo"]["make"], json!("HP"));
    let expected = json!({
        "result": "summary", "rows": 3, "created": 2, "updated": 1, "unchanged": 0, "errors": 0,
        "dryRun": false, "complete": true, "warnings": ["unknown is not a field of a resource and was ignored"],
    });
    assert_eq!(summary, expected);
    let (rows, summary) = results(&send(&client, "", NDJSON, ""));
    assert_eq!((rows.len(), &summary["complete"]), (0, &json!(true)), "an empty body has no rows");
}

fn a_body_is_required(server: &Server) {
    server.new_client().request("POST", "/resources/bulk").send().invalid(&["body"]);
}

fn machines() -> Vec<Value> {
    vec![
        json!({"name": "by uuid", "systemUID": "4C4C4544-0034-3010-8048-B6C04F503732"}),
        json!({"provider": "AWS", "accountNumber": "1", "instanceId": "i-1", "tags": [{"name": "env", "value": "x"}]}),
        json!({"name": "by serial", "make": "Dell Inc.", "serialNumber": "2FAGP34", "appRoles": [{"name": "nginx"}]}),
        json!({"name": "by mac", "macAddress": "68:B5:99:00:00:01"}),
        json!({"name": "by external id", "extResourceId": "CMDB-7"}),
        json!({"hostName": "by-name", "ipAddress": "10.0.0.1"}),
    ]
}

fn rows_sent_again_change_nothing(server: &Server) {
    let client = server.new_client();
    assert_eq!(bulk(&client, &machines()), ["created"; 6]);
    let _ = count(&client);
    let first = client.get("/resources/minimal").list();
    assert_eq!(bulk(&client, &machines()), ["unchanged"; 6]);
    assert_eq!(count(&client), 6);
    assert_eq!(client.get("/resources/minimal").list(), first);
}

fn a_known_machine_is_updated_by_any_of_its_keys(server: &Server) {
    let client = server.new_client();
    let (made, _) = results(&send(&client, "", NDJSON, lines_of(&machines())));
    let keys = [
        json!({"systemUID": "4c4c4544-0034-3010-8048-b6c04f503732", "description": "new"}),
        json!({"accountNumber": "1", "instanceId": "i-1", "description": "new"}),
        json!({"make": "DELL", "serialNumber": "2fagp34", "description": "new"}),
        json!({"macAddress": "68-b5-99-00-00-01", "description": "new"}),
        json!({"extResourceId": "cmdb-7", "description": "new"}),
        json!({"hostName": "BY-NAME", "description": "new"}),
        json!({"id": made[0]["id"], "description": "newer"}),
    ];
    let (changed, _) = results(&send(&client, "", NDJSON, lines_of(&keys)));
    for (place, row) in changed.iter().enumerate() {
        assert_eq!((&row["result"], &row["id"]), (&json!("updated"), &made[place % 6]["id"]), "{place}");
    }
    assert_eq!(count(&client), 6);
    // A machine that was decommissioned is none of the inventory any more.
    let gone = text(&made[2]["id"]);
    client.delete(&format!("/resources/{gone}")).ok();
    let (again, _) = results(&send(&client, "", NDJSON, lines_of(&machines()[2..3])));
    assert_eq!(again[0]["result"], json!("created"));
    assert_ne!(again[0]["id"], made[2]["id"]);
    assert_eq!(bulk(&client, &[json!({"id": gone, "name": "x"})]), ["error"]);
}

fn every_field_of_a_create_body_is_taken(server: &Server) {
    let client = server.new_client();
    client.post("/sites", &json!({"name": "Graz"})).ok();
    let body = json!({
        "type": "device", "resourceType": "Linux", "name": "n", "hostName": "h", "resourceName": "r",
        "state": "inactive", "ipAddress": "10.0.0.9", "agentInstalled": "true", "location": {"name": "graz"},
        "os": "Debian", "tags": [{"name": "env", "value": "prod"}], "appRoles": [{"name": "nginx"}],
        "metaData": {"any": [1, {"x": null}]}, "cpus": [{"cores": 4}],
        "properties": {"provider": "AWS", "zone": "z", "launchDate": "2026-01-01T00:00:00Z"},
        "bios": {"systemSerial": "s", "systemModel": "m"}, "description": "d",
    });
    let (rows, _) = results(&send(&client, "", NDJSON, lines_of(std::slice::from_ref(&body))));
    let by_bulk = detail(&client, &text(&rows[0]["id"]));
    let mut other = body;
    other["name"] = json!("n");
    let other_client = server.new_client();
    other_client.post("/sites", &json!({"name": "Graz"})).ok();
    let single = detail(&other_client, &create(&other_client, &other));
    for part in ["tags", "appRoles", "metaData", "properties", "cpus", "bios", "state", "source", "agentInstalled"] {
        assert_eq!(by_bulk[part], single[part], "{part}");
    }
    for part in ["name", "hostName", "resourceName", "osName", "description", "resourceType"] {
        assert_eq!(by_bulk["generalInfo"][part], single["generalInfo"][part], "{part}");
    }
    assert_eq!(by_bulk["location"]["name"], json!("Graz"));
}

fn a_refused_row_stops_no_other(server: &Server) {
    let client = server.new_client();
    let body =
        "{\"name\":\"a\"}\nnonsense\n[1]\n{\"name\":\"b\",\"state\":\"odd\",\"ipAddress\":\"x\"}\n{\"name\":\"c\"}\n";
    let (rows, summary) = results(&send(&client, "", NDJSON, body));
    let seen: Vec<String> = rows.iter().map(|row| text(&row["result"])).collect();
    assert_eq!(seen, ["created", "error", "error", "error", "created"]);
    assert_eq!((&summary["errors"], &summary["complete"]), (&json!(3), &json!(true)));
    assert_eq!(rows[1]["errors"][0]["fieldName"], json!("row"));
    let named: Vec<String> =
        rows[3]["errors"].as_array().into_iter().flatten().map(|error| text(&error["fieldName"])).collect();
    assert_eq!(named, ["state", "ipAddress"]);
    for row in &rows[1..4] {
        assert!(row.get("id").is_none(), "{row}");
        for error in row["errors"].as_array().into_iter().flatten() {
            assert!(error["code"] == json!("0002") && !text(&error["message"]).is_empty(), "{row}");
        }
    }
    assert_eq!(count(&client), 2);
}

fn the_errors_of_a_row_are_those_of_the_single_operation(server: &Server) {
    let client = server.new_client();
    let made = create(&client, &json!({"name": "a", "make": "Dell", "serialNumber": "S1234567"}));
    let other = create(&client, &json!({"name": "b", "make": "Dell", "serialNumber": "S7654321"}));
    let unknown = uuid();
    let rows = [
        json!({"name": "x", "location": {"name": "nowhere"}, "resourceType": "Never seen"}),
        json!({"description": "nameless"}),
        json!({"id": unknown, "name": "x"}),
        json!({"id": made, "serialNumber": "S7654321"}),
    ];
    let (rows, _) = results(&send(&client, "", NDJSON, lines_of(&rows)));
    let named: Vec<_> =
        rows.iter().map(|row| (text(&row["errors"][0]["code"]), text(&row["errors"][0]["fieldName"]))).collect();
    let expected = [("0002", "location"), ("0002", "name"), ("0003", "id"), ("0004", "row")];
    assert_eq!(named, expected.map(|(code, field)| (code.to_owned(), field.to_owned())));
    assert!(text(&rows[2]["errors"][0]["message"]).starts_with("No Resource found with UUID : "));
    assert!(text(&rows[3]["errors"][0]["message"]).contains(&other));
    // A refused row has added nothing.
    let types = client.get("/resourceType/minimal").list();
    assert!(!types.iter().any(|kind| kind["name"] == json!("Never seen")));
}

fn texts_and_tags_are_bounded(server: &Server) {
    let client = server.new_client();
    let long = "x".repeat(1001);
    let tag = |name: &str| json!({"name": name, "value": "v"});
    let many: Vec<_> = (0..1001).map(|number| tag(&format!("t{number}"))).collect();
    let wrong = [
        (json!({"name": "a", "tags": [tag("ok"), tag(&long)]}), "tags[1].name"),
        (json!({"name": "a", "components": ["ok", long]}), "components[1]"),
        (json!({"name": "a", "tags": many}), "tags"),
    ];
    let full = json!({"name": "full", "components": ["ü".repeat(1000)], "tags": &many[1..]});
    let id = create(&client, &full);
    for (body, field) in &wrong {
        client.post("/resources", body).invalid(&[field]);
        client.post(&format!("/resources/{id}"), body).invalid(&[field]);
        let (rows, _) = results(&send(&client, "", NDJSON, lines_of(std::slice::from_ref(body))));
        assert_eq!(rows[0]["errors"][0]["fieldName"], json!(field), "{rows:?}");
    }
    let (rows, _) = results(&send(&client, "", CSV, "name,tags.t0\nfull,x\n"));
    assert_eq!(rows[0]["errors"][0]["fieldName"], json!("tags"), "{rows:?}");
    assert_eq!(words(&send(&client, "", CSV, "name,tags.T5\nfull,x\n")), ["updated"]);
    assert_eq!(client.get("/resources/export?format=csv").status, 200);
}

fn a_row_of_another_tenant_is_refused(server: &Server) {
    let client = server.new_client();
    let other = server.new_client();
    let theirs = create(&other, &json!({"name": "theirs", "make": "Dell", "serialNumber": "S1234567"}));
    let rows = [
        json!({"name": "a", "tenantId": other.tenant_id()}),
        json!({"name": "b", "clientUniqueId": other.tenant_id()}),
        json!({"name": "c", "tenantId": "client_987654321"}),
        json!({"id": theirs, "name": "mine now"}),
        json!({"name": "d", "tenantId": client.tenant_id(), "clientUniqueId": ""}),
        json!({"name": "theirs", "make": "Dell", "serialNumber": "S1234567"}),
    ];
    let (rows, _) = results(&send(&client, "", NDJSON, lines_of(&rows)));
    let words: Vec<String> = rows.iter().map(|row| text(&row["result"])).collect();
    assert_eq!(words, ["error", "error", "error", "error", "created", "created"]);
    assert_eq!(rows[0]["errors"][0]["message"], rows[2]["errors"][0]["message"]);
    assert_eq!((count(&client), count(&other)), (2, 1));
    assert_eq!(detail(&other, &theirs)["generalInfo"]["name"], json!("theirs"));
    // The same at partner level: rows belong to the partner itself.
    let partner = server.admin();
    let row = json!({"id": theirs, "name": "x"});
    assert_eq!(super::words(&send(&partner, "", NDJSON, lines_of(&[row]))), ["error"]);
}

fn many_rows_are_stored_in_batches(server: &Server) {
    let client = server.new_client();
    let rows: Vec<Value> = (0..1_500).map(|number| json!({"hostName": format!("host-{number}")})).collect();
    let (made, summary) = results(&send(&client, "", NDJSON, lines_of(&rows)));
    assert_eq!(summary["created"], json!(1_500));
    assert!(made.iter().enumerate().all(|(place, row)| row["line"] == json!(place + 1)));
    assert_eq!(count(&client), 1_500);
    let (_, summary) = results(&send(&client, "", NDJSON, lines_of(&rows)));
    assert_eq!(summary["unchanged"], json!(1_500));
}

fn two_requests_at_once_make_each_machine_once(server: &Server) {
    let client = server.new_client();
    let rows: Vec<Value> = (0..300)
        .map(|number| match number % 2 {
            0 => json!({"hostName": format!("host-{number}")}),
            _ => json!({"name": format!("n{number}"), "make": "Dell", "serialNumber": format!("SN{number:06}")}),
        })
        .collect();
    let body = lines_of(&rows);
    let sums: Vec<Value> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..3).map(|_| scope.spawn(|| results(&send(&client, "", NDJSON, body.clone())).1)).collect();
        all.into_iter().map(|one| one.join().expect("it is answered")).collect()
    });
    let total = |name: &str| sums.iter().map(|sum| sum[name].as_i64().unwrap_or_default()).sum::<i64>();
    assert_eq!((total("created"), total("unchanged"), total("errors")), (300, 600, 0), "{sums:?}");
    assert_eq!(count(&client), 300);
}

fn every_change_is_in_the_audit_log(server: &Server) {
    let client = server.new_client();
    bulk(&client, &[json!({"name": "a"}), json!({"name": "b"})]);
    bulk(&client, &[json!({"name": "a", "make": "HP"}), json!({"name": "b"})]);
    let page = client.get("/auditLog/search?pageSize=100").ok();
    let entries = page["results"].as_array().cloned().unwrap_or_default();
    let of = |action: &str| {
        let mine = |entry: &&Value| entry["entity"] == json!("Resource") && entry["action"] == json!(action);
        entries.iter().filter(mine).count()
    };
    assert_eq!((of("CREATE"), of("UPDATE")), (2, 1), "{page}");
}

fn rows_join_dynamic_groups(server: &Server) {
    let client = server.new_client();
    let rules = json!({"rules": [{"key": "hostName", "operator": "Starts with", "value": "web-"}]});
    client.post("/deviceGroups", &json!({"name": "web", "filterCriteria": rules})).ok();
    bulk(&client, &[json!({"hostName": "web-1"}), json!({"hostName": "db-1"}), json!({"hostName": "web-2"})]);
    assert_eq!(found(&client, "deviceGroup:web"), ["web-1", "web-2"]);
}

fn it_takes_an_operator(server: &Server) {
    let client = server.new_client();
    let viewer = server.caller(client.tenant_id(), "viewer");
    send(&viewer, "", NDJSON, "{\"name\":\"a\"}").forbidden();
    let operator = server.caller(client.tenant_id(), "operator");
    assert_eq!(bulk(&operator, &[json!({"name": "a"})]), ["created"]);
    assert_eq!(viewer.get("/resources/export").status, 200);
}

/// Generated clients send an array and read one object.
fn a_json_array_is_answered_as_one_object(server: &Server) {
    let client = server.new_client();
    let rows = json!([{"hostName": "a,[]{\"\\"}, {"hostName": "b", "state": "odd"}, [1], {"hostName": "c"}]);
    for (query, text, results) in [
        ("?dryRun=true", rows.to_string(), ["created", "error", "error", "created"]),
        ("", serde_json::to_string_pretty(&rows).unwrap(), ["created", "error", "error", "created"]),
        ("", rows.to_string(), ["unchanged", "error", "error", "unchanged"]),
        ("?dryRun=true&atomic=true", rows.to_string(), ["unchanged", "error", "error", "unchanged"]),
    ] {
        let answer = send(&client, query, "application/json", text);
        assert_eq!(answer.header("Content-Type"), Some("application/json"));
        let answer = answer.ok();
        let told: Vec<_> = answer["results"].as_array().unwrap().iter().map(|row| row["result"].clone()).collect();
        assert_eq!(told, results, "{query}");
        assert_eq!(answer["results"][2]["line"], 3);
        assert_eq!((&answer["summary"]["rows"], &answer["summary"]["complete"]), (&json!(4), &json!(true)));
    }
    assert_eq!(client.get("/resources/minimal").list().len(), 2);

    // As a whole, and answered again by a key.
    send(&client, "?atomic=true", "application/json", rows.to_string()).invalid(&["line[2].state", "line[3]"]);
    let again = || {
        let request = client.request("POST", "/resources/bulk").header("Idempotency-Key", "once");
        request.body("application/json", "[{\"hostName\": \"d\"}]").send()
    };
    let first = again();
    let second = again();
    assert_eq!(first.header("Content-Type"), Some("application/json"));
    assert_eq!((first.text(), second.header("Idempotency-Replayed")), (second.text(), Some("true")));
    assert_eq!(first.ok()["results"][0]["result"], "created");

    let none = send(&client, "", "application/json", "[]").ok();
    assert_eq!((&none["results"], &none["summary"]["rows"]), (&json!([]), &json!(0)));
    for text in ["[", "[{},]", "[{}] {}"] {
        send(&client, "", "application/json", text).problem(400, "0002");
    }
}

fn types_of_content(server: &Server) {
    let client = server.new_client();
    for kind in [NDJSON, "application/json", "application/jsonl", "application/x-ndjson; charset=utf-8"] {
        assert_eq!(super::words(&send(&client, "", kind, "{\"name\":\"a\"}")).len(), 1, "{kind}");
    }
    for kind in ["text/plain", "application/xml", "application/x-www-form-urlencoded"] {
        send(&client, "", kind, "{\"name\":\"a\"}").problem(415, "0002");
    }
    client.get("/resources/bulk").problem(405, "0002");
    send(&client, "?dryrun=true", NDJSON, "").invalid(&["dryrun"]);
    send(&client, "?dryRun=perhaps", NDJSON, "").invalid(&["dryRun"]);
}
