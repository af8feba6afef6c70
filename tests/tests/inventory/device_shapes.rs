//! `GET /resources/{resourceId}`: the Device shape and the Synthetic shape.

use muster_tests::{Server, both_backends, unique, uuid};
use serde_json::{Value, json};

use super::{create, detail, integer, keys, timestamp};

both_backends![
    every_other_type_has_the_device_shape,
    a_synthetic_has_its_own_shape,
    the_type_follows_from_the_resource_type,
    secrets_of_a_credential_are_write_only,
    an_update_keeps_the_secrets_out_too,
];

fn every_other_type_has_the_device_shape(server: &Server) {
    let client = server.new_client();
    let site = client.post("/sites", &json!({"name": "Zone A"})).ok()["id"].clone();
    for kind in ["AUTO_SCALING", "EBS", "LOAD_BALANCER", "SQL_DATABASE", "SQL_SERVER"] {
        let body = json!({
            "type": kind, "name": "vol", "resourceName": "Volume 1", "source": "AWS", "status": "UP",
            "location": {"id": site}, "description": "not in this shape", "tags": [{"name": "a", "value": "b"}],
        });
        let id = create(&client, &body);
        let found = detail(&client, &id);
        let documented = [
            "id",
            "createdDate",
            "updatedDate",
            "type",
            "state",
            "source",
            "status",
            "location",
            "resourceName",
            "consoles",
            "clientUniqueId",
        ];
        for name in keys(&found) {
            assert!(documented.contains(&name), "{kind}: {name} is not documented");
        }
        timestamp(&found["createdDate"]);
        timestamp(&found["updatedDate"]);
        for (name, expected) in [
            ("id", json!(id)),
            ("type", json!(kind)),
            ("state", json!("active")),
            ("source", json!("AWS")),
            ("status", json!("UP")),
            ("location", json!({"id": site, "name": "Zone A"})),
            ("resourceName", json!("Volume 1")),
            ("consoles", json!([])),
            ("clientUniqueId", json!(client.tenant_id())),
        ] {
            assert_eq!(found[name], expected, "{kind}: {name}");
        }
    }
}

fn synthetic(locations: &[String]) -> Value {
    json!({
        "type": "SYNTHETIC", "name": "shop front", "checkType": "HTTP", "host": "shop.example.com",
        "url": "https://shop.example.com/", "locationUuids": locations,
        "credential": {
            "id": 7, "secure": true, "port": 443, "snmpVersion": "V2", "autoEnableMode": false, "universal": false,
            "spSecure": false, "spPort": 0, "securityLevel": "AuthPriv", "timeoutMs": 10_000,
            "oauthClientKey": "hush-key", "oauthClientSecret": "hush-secret",
            "oauthAccessTokenUrl": "https://shop.example.com/token", "oauthGrantType": "CLIENT_CREDENTIALS",
        },
    })
}

fn a_synthetic_has_its_own_shape(server: &Server) {
    let client = server.new_client();
    let locations = [uuid(), uuid()];
    let id = create(&client, &synthetic(&locations));
    let found = detail(&client, &id);
    let documented = [
        "id",
        "type",
        "resourceType",
        "name",
        "consoles",
        "checkType",
        "host",
        "deleted",
        "url",
        "credential",
        "locationUuids",
        "ts",
        "clientId",
        "locationOffset",
        "totalLocations",
    ];
    for name in keys(&found) {
        assert!(documented.contains(&name), "{name} is not documented");
    }
    for (name, expected) in [
        ("id", json!(id)),
        ("type", json!("SYNTHETIC")),
        ("resourceType", json!("SYNTHETIC")),
        ("name", json!("shop front")),
        ("consoles", json!([])),
        ("checkType", json!("HTTP")),
        ("host", json!("shop.example.com")),
        ("deleted", json!(false)),
        ("url", json!("https://shop.example.com/")),
        ("locationUuids", json!(locations)),
        ("clientId", json!(client.tenant_number())),
        ("totalLocations", json!(2)),
    ] {
        assert_eq!(found[name], expected, "{name}");
    }
    assert!(integer(&found["ts"]) > 1_600_000_000_000, "milliseconds: {}", found["ts"]);
    integer(&found["locationOffset"]);
    let credential = &found["credential"];
    for (name, expected) in
        [("id", json!(7)), ("secure", json!(true)), ("port", json!(443)), ("timeoutMs", json!(10_000))]
    {
        assert_eq!(credential[name], expected, "credential.{name}");
    }
    assert_eq!(credential["oauthAccessTokenUrl"], json!("https://shop.example.com/token"));
    let listed = client.get("/resources/minimal").list();
    assert_eq!(listed[0]["resourceType"], json!("SYNTHETIC"));
}

fn secrets_of_a_credential_are_write_only(server: &Server) {
    let client = server.new_client();
    let id = create(&client, &synthetic(&[uuid()]));
    let answer = client.get(&format!("/resources/{id}"));
    assert_eq!(answer.ok()["credential"]["oauthClientSecret"], json!(""));
    assert!(!answer.text().contains("hush-secret"));
    for path in ["/resources/search", "/resources/minimal"] {
        assert!(!client.get(path).text().contains("hush"));
    }
    client.delete(&format!("/resources/{id}")).ok();
    assert!(!client.get(&format!("/history/resources/{id}")).text().contains("hush-secret"));
}

fn an_update_keeps_the_secrets_out_too(server: &Server) {
    let client = server.new_client();
    let id = create(&client, &synthetic(&[uuid()]));
    let answer = client.post(&format!("/resources/{id}"), &json!({"credential": {"oauthClientSecret": "hush-new"}}));
    assert_eq!(answer.status, 200, "{answer}");
    assert!(!answer.text().contains("hush-new"));
    assert!(!client.get(&format!("/resources/{id}")).text().contains("hush-"));
    let wrong =
        json!({"type": "SYNTHETIC", "name": "x", "credential": {"oauthClientSecret": ["hush-echo"], "port": "high"}});
    let refused = client.post("/resources", &wrong);
    refused.problem(400, "0002");
    assert!(!refused.text().contains("hush-echo"));
}

fn the_type_follows_from_the_resource_type(server: &Server) {
    let client = server.new_client();
    let kind_of = |id: &str| {
        let found = client.search("/resources/search", &format!("id:{id}"));
        let exported = client.get(&format!("/resources/export?queryString=id:{id}"));
        assert_eq!(found.page()["totalResults"], json!(1));
        let row: Value = serde_json::from_slice(exported.body.trim_ascii()).expect("a row");
        row["type"].as_str().unwrap_or_default().to_owned()
    };
    let body = json!({"name": "shop", "resourceType": "synthetic", "checkType": "HTTP", "url": "https://example.net/"});
    let id = create(&client, &body);
    let found = detail(&client, &id);
    assert_eq!((&found["resourceType"], &found["checkType"]), (&json!("SYNTHETIC"), &json!("HTTP")), "{found}");
    for (given, expected) in [
        ("LOAD_BALANCER", "LOAD_BALANCER"),
        ("Cloud >> EBS", "EBS"),
        ("Linux", "DEVICE"),
        ("Synthetic checks", "DEVICE"),
    ] {
        let id = create(&client, &json!({"name": unique("r"), "resourceType": given}));
        assert_eq!(kind_of(&id), expected, "{given}");
    }
    let said = create(&client, &json!({"name": "r", "type": "DEVICE", "resourceType": "EBS"}));
    assert_eq!(kind_of(&said), "DEVICE", "what is said counts");
    let changed = create(&client, &json!({"name": "later", "resourceType": "Linux"}));
    client.post(&format!("/resources/{changed}"), &json!({"resourceType": "SQL_SERVER"})).ok();
    assert_eq!(kind_of(&changed), "SQL_SERVER");
    client.post(&format!("/resources/{changed}"), &json!({"resourceType": "Windows"})).ok();
    assert_eq!(kind_of(&changed), "SQL_SERVER", "a type that decides nothing changes nothing");
    for (content_type, rows) in [
        ("application/x-ndjson", "{\"name\":\"b1\",\"resourceType\":\"AUTO_SCALING\"}\n"),
        ("text/csv", "name,resourceType\nb1,AUTO_SCALING\n"),
    ] {
        let client = server.new_client();
        client.request("POST", "/resources/bulk").body(content_type, rows).send();
        let found = client.search("/resources/search", "type:AUTO_SCALING").page();
        assert_eq!(found["totalResults"], json!(1), "{content_type}");
    }
}
