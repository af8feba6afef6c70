//! `GET /resources/export`, and the way back.

use muster_tests::{Client, Server, both_backends};
use serde_json::{Value, json};

use super::{CSV, NDJSON, bulk, count, results, send, words};
use crate::inventory::{create, detail, text};

both_backends![
    lines_go_to_another_tenant_and_come_back_the_same,
    a_table_goes_to_another_tenant,
    a_source_that_is_empty_stays_so,
    it_comes_back_to_the_same_resources,
    resources_that_nothing_but_their_ids_tells_apart_come_back,
    it_takes_the_filters_of_the_minimal_list,
    types_of_one_name_are_distinguished,
    reported_attributes_come_back_unchanged,
    at_partner_level_it_covers_the_clients,
    an_empty_inventory_is_an_empty_file,
    a_large_inventory_is_streamed,
];

fn fill(client: &Client) {
    client.post("/sites", &json!({"name": "Graz"})).ok();
    for body in [
        json!({
            "name": "n", "hostName": "web", "resourceName": "r", "aliasName": "a", "dnsName": "web.example",
            "os": "Debian", "ipAddress": "10.0.0.1", "serialNumber": "S1234567", "make": "Dell", "model": "R650",
            "description": "a, \"b\"\nc", "location": {"name": "Graz"},
            "tags": [{"name": "Env", "value": "prod"}, {"name": "owner", "value": "=ops"}],
            "appRoles": [{"name": "redis"}, {"name": "nginx"}], "agentInstalled": true, "resourceType": "Linux",
        }),
        json!({
            "type": "DEVICE", "name": "cloud", "launchDate": "2026-01-01T00:00:00Z", "state": "inactive",
            "properties": {"provider": "AWS", "instanceId": "i-1", "accountNumber": "1", "zone": "z", "owner": "o"},
        }),
        json!({
            "name": "parts", "metaData": {"a": [1, 2.5, null, "ä"]}, "cpus": [{"cores": 4}],
            "components": ["Disk: X, 1 TB"], "bios": {"systemSerial": "s", "systemModel": "m"},
            "networkCardDetails": [{"networkName": "eth0"}],
            "tags": [{"name": "empty"}, {"name": "env", "value": "test", "tagSource": "AGENT"}],
        }),
        json!({"type": "EBS", "resourceName": "disk", "extResourceId": "x-1"}),
        json!({
            "type": "SYNTHETIC", "name": "check", "checkType": "HTTP", "url": "https://example.com",
            "host": "example.com", "locationUuids": ["0a0fb2a7-53f4-4f5e-8f0e-1a2b3c4d5e6f"],
            "credential": {"port": 443, "oauthClientSecret": "x"},
        }),
    ] {
        create(client, &body);
    }
}

/// What is the same wherever a resource is, by name.
fn essence(client: &Client) -> Vec<(String, Value)> {
    let listed = client.get("/resources/minimal?state=all").list();
    let mut all: Vec<(String, Value)> = listed
        .iter()
        .map(|item| {
            let mut shown = detail(client, &text(&item["id"]));
            let object = shown.as_object_mut().expect("an object");
            for own in ["id", "clientUniqueId", "clientId", "createdDate", "updatedDate", "ts"] {
                object.remove(own);
            }
            if let Some(location) = object.get_mut("location") {
                *location = location["name"].clone();
            }
            if let Some(info) = object.get_mut("generalInfo").and_then(Value::as_object_mut) {
                info.retain(|name, _| !name.ends_with("Time") && name != "agentDeploytime");
            }
            (text(&item["name"]), shown)
        })
        .collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all
}

fn export(client: &Client, query: &str) -> String {
    let answer = client.get(&format!("/resources/export?state=all{query}"));
    assert_eq!(answer.status, 200, "{answer}");
    let kind = if query.contains("csv") { "text/csv; charset=utf-8" } else { NDJSON };
    assert_eq!(answer.header("Content-Type"), Some(kind), "{answer}");
    answer.text()
}

/// As a file for another tenant.
fn portable(client: &Client, query: &str) -> String {
    export(client, &format!("&includeIds=false{query}"))
}

fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

fn lines_go_to_another_tenant_and_come_back_the_same(server: &Server) {
    let from = server.new_client();
    let to = server.new_client();
    fill(&from);
    to.post("/sites", &json!({"name": "Graz"})).ok();
    let exported = portable(&from, "");
    assert!(!exported.contains(from.tenant_id()) && !exported.contains("{\"id\":\""), "{exported}");
    assert_eq!(words(&send(&to, "", NDJSON, exported.clone())), ["created"; 5]);
    assert_eq!(essence(&to), essence(&from));
    assert_eq!(sorted(&portable(&to, "")), sorted(&exported));
    assert_eq!(words(&send(&to, "", NDJSON, exported)), ["unchanged"; 5]);
}

fn a_table_goes_to_another_tenant(server: &Server) {
    let from = server.new_client();
    let to = server.new_client();
    fill(&from);
    to.post("/sites", &json!({"name": "Graz"})).ok();
    let table = portable(&from, "&format=csv");
    let header = table.lines().next().unwrap_or_default();
    assert!(header.starts_with("type,resourceType,state,agentInstalled,location,name,hostName,"), "{header}");
    assert!(header.contains(",tags.empty,tags.Env,tags.owner") || header.contains(",tags.empty,tags.env,tags.owner"));
    assert_eq!(words(&send(&to, "", CSV, table.clone())), ["created"; 5]);
    assert_eq!(words(&send(&to, "", CSV, table.clone())), ["unchanged"; 5]);
    // Tags come in the order of the columns.
    let in_order = |client: &Client| {
        let mut all = essence(client);
        for (_, shown) in &mut all {
            if let Some(tags) = shown.get_mut("tags").and_then(Value::as_array_mut) {
                tags.sort_by_key(ToString::to_string);
            }
        }
        all
    };
    assert_eq!(in_order(&to), in_order(&from));
    assert_eq!(sorted(&portable(&to, "&format=csv").to_lowercase()), sorted(&table.to_lowercase()));
    let ndjson = portable(&to, "");
    for part in
        ["{\"name\":\"empty\",\"value\":\"\",\"tagSource\":\"API\"}", "\"tagSource\":\"AGENT\"", "Disk: X, 1 TB"]
    {
        assert!(ndjson.contains(part), "{part}: {ndjson}");
    }
}

fn a_source_that_is_empty_stays_so(server: &Server) {
    let from = server.new_client();
    let lines = server.new_client();
    let table = server.new_client();
    create(&from, &json!({"name": "a", "source": ""}));
    create(&from, &json!({"name": "b", "source": "SCAN"}));
    create(&from, &json!({"name": "c"}));
    words(&send(&lines, "", NDJSON, portable(&from, "")));
    words(&send(&table, "", CSV, portable(&from, "&format=csv")));
    assert_eq!(essence(&lines), essence(&from));
    assert_eq!(essence(&table), essence(&from));
    assert_eq!(sorted(&portable(&table, "")), sorted(&portable(&from, "")));
    assert_eq!(bulk(&lines, &[json!({"name": "d"})]), ["created"]);
    assert!(portable(&lines, "").contains("\"name\":\"d\",\"source\":\"API\""));
}

fn it_comes_back_to_the_same_resources(server: &Server) {
    let client = server.new_client();
    let other = server.new_client();
    fill(&client);
    for format in ["ndjson", "csv"] {
        let exported = export(&client, &format!("&format={format}"));
        assert!(exported.contains(client.tenant_id()), "{exported}");
        let kind = if format == "csv" { CSV } else { NDJSON };
        assert_eq!(words(&send(&client, "", kind, exported.clone())), ["unchanged"; 5], "{format}");
        assert_eq!(words(&send(&other, "", kind, exported)), ["error"; 5], "{format}");
    }
    let renamed = export(&client, "").replace("\"hostName\":\"web\"", "\"hostName\":\"web-2\"");
    assert_eq!(results(&send(&client, "", NDJSON, renamed)).1["updated"], json!(1));
    assert_eq!((count(&client), count(&other)), (5, 0));
}

fn resources_that_nothing_but_their_ids_tells_apart_come_back(server: &Server) {
    let client = server.new_client();
    let odd = [
        json!({"hostName": "twin"}),
        json!({"hostName": "twin"}),
        json!({"name": "'quoted", "description": " =1+1 ", "aliasName": "@x", "make": "-"}),
        json!({"name": "C++, \"old\"", "description": "two\nlines\r\nand, more", "os": "''"}),
        json!({"name": "ä𝄞\u{1}", "dnsName": "x.example.net.", "ipAddress": "2001:DB8::1",
            "macAddress": "00-16-3E-00-00-07"}),
        json!({"name": "tags", "tags": [{"name": "A,b", "value": "1"}, {"name": "ä", "value": " "}, {"name": "e"}]}),
        json!({"name": "parts", "metaData": {"": {"a": [null, 0.1, "\u{7f}"]}},
            "networkCardDetails": [{"aliasIps": "10.0.0.1"}]}),
        json!({"name": "s", "serialNumber": "SN-12345", "make": "ACME", "systemUID": "not settable",
            "extResourceId": "x"}),
        json!({"name": "s", "serialNumber": "SN-12345", "make": "ACME", "systemUID": "not settable",
            "extResourceId": "X"}),
        json!({"name": "off", "state": "inactive", "source": "", "agentInstalled": true,
            "launchDate": "2026-01-01T00:00:00Z"}),
    ];
    for body in &odd {
        create(&client, body);
    }
    let before =
        [export(&client, ""), export(&client, "&format=csv"), client.get("/resources/minimal?state=all").text()];
    for round in 0..2 {
        for (kind, text) in [(NDJSON, &before[0]), (CSV, &before[1])] {
            assert_eq!(words(&send(&client, "", kind, text.as_str())), ["unchanged"; 10], "{round}: {text}");
        }
    }
    let after =
        [export(&client, ""), export(&client, "&format=csv"), client.get("/resources/minimal?state=all").text()];
    assert_eq!(before, after);
    // A change is undone by the file from before it.
    for line in before[0].lines() {
        let row: Value = serde_json::from_str(line).expect("a row");
        client
            .post(&format!("/resources/{}", text(&row["id"])), &json!({"description": "changed", "aliasName": "b"}))
            .ok();
    }
    let (rows, _) = results(&send(&client, "", NDJSON, before[0].as_str()));
    assert!(rows.iter().all(|row| row["errors"].is_null()), "{rows:?}");
    assert_eq!(count(&client), 10);
}

fn it_takes_the_filters_of_the_minimal_list(server: &Server) {
    let client = server.new_client();
    fill(&client);
    let names = |query: &str| {
        let text = client.get(&format!("/resources/export?{query}")).text();
        let name = |line: &str| serde_json::from_str::<Value>(line).map(|row| row["name"].clone()).unwrap_or_default();
        let mut names: Vec<String> = text.lines().map(|line| name(line).as_str().unwrap_or("-").to_owned()).collect();
        names.sort();
        names.join(" ")
    };
    assert_eq!(names(""), "- check n parts");
    assert_eq!(names("state=inactive"), "cloud");
    assert_eq!(names("queryString=tags:env"), "n parts");
    assert_eq!(names("queryString=type:SYNTHETIC"), "check");
    client.get("/resources/export?format=xml").invalid(&["format"]);
    client.get("/resources/export?pageNo=1").invalid(&["pageNo"]);
    client.get("/resources/export?queryString=odd:1").invalid(&["queryString"]);
}

fn types_of_one_name_are_distinguished(server: &Server) {
    let from = server.new_client();
    let to = server.new_client();
    for kind in ["Linux", "Workstation >> Linux", "Lab >> Robot", "Printer"] {
        create(&from, &json!({"name": kind, "resourceType": kind}));
    }
    for format in ["ndjson", "csv"] {
        let exported = portable(&from, &format!("&format={format}"));
        send(&to, "", if format == "csv" { CSV } else { NDJSON }, exported.clone());
        assert_eq!(sorted(&portable(&to, &format!("&format={format}"))), sorted(&exported));
        let own = |client: &Client| {
            let types = client.get("/resourceType/minimal").list();
            types
                .into_iter()
                .filter(|kind| kind["name"] == json!("Robot"))
                .map(|kind| kind["path"].clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(own(&to), [json!("Lab >> Robot")]);
    }
}

fn reported_attributes_come_back_unchanged(server: &Server) {
    let client = server.new_client();
    let content = json!({
        "hardware": {"name": "pc", "memory": 8192, "chassis_type": "Laptop"},
        "bios": {"ssn": "2FAGP34", "smanufacturer": "Dell Inc.", "smodel": "Latitude", "bversion": "1.2"},
        "operatingsystem": {"name": "Debian", "full_name": "Debian GNU/Linux 13", "kernel_name": "linux",
            "arch": "x86_64"},
        "networks": [{"description": "eth0", "ipaddress": "10.0.0.7", "type": "ethernet", "status": "up",
                      "mac": "68:b5:99:00:00:01", "speed": "1000"}],
        "cpus": [{"name": "CPU", "core": 4, "thread": 8, "speed": 2400}],
        "drives": [{"volumn": "/", "total": 1000, "filesystem": "ext4"}],
        "memories": [{"capacity": 8192, "type": "DDR5"}], "softwares": [{"name": "nginx", "version": "1.26"}],
    });
    let report = json!({"action": "inventory", "deviceid": "pc-1", "itemtype": "Computer", "content": content});
    client.post("/agents/reports", &report).ok();
    let exported = export(&client, "");
    assert_eq!(words(&send(&client, "", NDJSON, exported)), ["unchanged"]);
    let table = export(&client, "&format=csv");
    assert_eq!(words(&send(&client, "", CSV, table)), ["unchanged"]);
}

fn at_partner_level_it_covers_the_clients(server: &Server) {
    let client = server.new_client();
    let id = create(&client, &json!({"name": "of a client"}));
    let exported = server.admin().get(&format!("/resources/export?includeIds=true&queryString=id:{id}")).text();
    let row: Value = serde_json::from_str(exported.trim()).expect("one line of JSON");
    assert_eq!((&row["id"], &row["clientUniqueId"]), (&json!(id), &json!(client.tenant_id())));
}

fn an_empty_inventory_is_an_empty_file(server: &Server) {
    let client = server.new_client();
    assert_eq!(export(&client, ""), "");
    let table = export(&client, "&format=csv");
    assert_eq!(table.lines().count(), 1);
    assert_eq!(results(&send(&client, "", CSV, table)).1["rows"], json!(0));
}

fn a_large_inventory_is_streamed(server: &Server) {
    let client = server.new_client();
    let rows: String = (0..3_000)
        .map(|number| format!("{{\"hostName\":\"host-{number}\",\"description\":\"{}\"}}\n", "x".repeat(200)))
        .collect();
    assert_eq!(results(&send(&client, "", NDJSON, rows)).1["created"], json!(3_000));
    for format in ["ndjson", "csv"] {
        let exported = export(&client, &format!("&format={format}"));
        assert_eq!(exported.lines().count(), if format == "csv" { 3_001 } else { 3_000 });
        assert!(exported.contains("host-2999") && exported.ends_with('\n'));
    }
}
