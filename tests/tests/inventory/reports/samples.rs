//! The real reports of `data/agent-reports`, where they lie beside the repository
//! (`MUSTER_AGENT_REPORTS` names another folder). Without them the tests say so and pass.

use std::fs;
use std::path::{Path, PathBuf};

use muster_tests::{Server, both_backends};
use serde_json::{Value, json};

use super::{PATH, applications, only_machine, zlib};
use crate::inventory::{found, text};

both_backends![
    every_sample_is_taken_twice_and_makes_one_machine,
    a_newer_computer_fills_the_detail,
    a_partial_sample_updates_the_software_only,
    an_older_computer_fills_the_detail,
    an_older_report_brings_antivirus_records,
    network_devices_are_devices,
];

fn folder() -> Option<PathBuf> {
    let given = std::env::var_os("MUSTER_AGENT_REPORTS").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/agent-reports");
    let found = given.unwrap_or(beside);
    if found.is_dir() {
        return Some(found);
    }
    eprintln!("skipped: no agent reports in {}", found.display());
    None
}

/// The bytes of a sample, or `None` when the samples are not here.
fn sample(name: &str) -> Option<Vec<u8>> {
    let path = folder()?.join(name);
    Some(fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

fn every_sample_is_taken_twice_and_makes_one_machine(server: &Server) {
    let Some(folder) = folder() else { return };
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .map(|entries| entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect())
        .unwrap_or_default();
    files.retain(|path| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        (name.ends_with(".xml") || name.ends_with(".json")) && !name.contains("schema")
    });
    files.sort();
    assert!(!files.is_empty());
    for path in files {
        let bytes = fs::read(&path).unwrap_or_default();
        let client = server.new_client();
        for body in [bytes.clone(), zlib(&bytes), bytes] {
            let answer = client.request("POST", PATH).body("application/x-compress-zlib", body).send();
            assert_eq!(answer.status, 200, "{}: {answer}", path.display());
        }
        let listed = client.get("/resources/minimal?state=all").list();
        assert_eq!(listed.len(), 1, "{}: {listed:?}", path.display());
    }
}

fn send(client: &muster_tests::Client, bytes: Vec<u8>) {
    let answer = client.request("POST", PATH).body("application/x-compress-zlib", zlib(bytes)).send();
    assert_eq!(answer.status, 200, "{answer}");
}

fn a_newer_computer_fills_the_detail(server: &Server) {
    let Some(bytes) = sample("computer_1.json") else { return };
    let client = server.new_client();
    send(&client, bytes);
    let machine = only_machine(&client);
    let info = &machine["generalInfo"];
    assert_eq!(info["hostName"], json!("glpixps"));
    assert_eq!(info["make"], json!("Dell Inc."));
    assert!(text(&info["osName"]).contains("Fedora 31"), "{info}");
    assert_eq!(info["resourceType"], json!("Linux"));
    assert_eq!(machine["bios"], json!({"systemSerial": "640HP72", "systemModel": "XPS 13 9350"}));
    assert_eq!(machine["agentInstalled"], json!(true));
    assert_eq!(machine["cpus"].as_array().map(Vec::len), Some(1));
    let cards = machine["networkCardDetails"].as_array().cloned().unwrap_or_default();
    let card = |name: &str| -> Value {
        let named: Vec<&Value> = cards.iter().filter(|card| card["networkName"] == name).collect();
        assert_eq!(named.len(), 1, "one card {name}: {cards:?}");
        named[0].clone()
    };
    assert_eq!(card("wlp58s0")["ipAddress"], json!("192.168.1.118"));
    assert!(text(&card("wlp58s0")["aliasIps"]).contains("fe80::92a4:26c6:99dd:2d60"));
    assert_eq!(text(&card("enp57s0u1u4")["macAddress"]).to_lowercase(), "00:e0:4c:68:01:db");
    assert_ne!(machine["ipAddress"], json!("127.0.0.1"));
    assert_eq!(applications(&client, &machine).len(), 6);
    assert!(machine["tags"].to_string().contains("000005"));
    assert_eq!(found(&client, "systemUID:4c4c4544-0034-3010-8048-b6c04f503732").len(), 1);
}

fn a_partial_sample_updates_the_software_only(server: &Server) {
    let (Some(whole), Some(partial)) = (sample("computer_1.json"), sample("computer_1_partial_softs.json")) else {
        return;
    };
    let expected: Value = serde_json::from_slice(&partial).unwrap_or_default();
    let expected = crate::inventory::names(expected["content"]["softwares"].as_array().map_or(&[], Vec::as_slice));
    let client = server.new_client();
    send(&client, whole);
    let before = only_machine(&client);
    send(&client, partial);
    let after = only_machine(&client);
    assert_eq!(applications(&client, &after), expected);
    for name in ["id", "ipAddress", "cpus", "networkCardDetails", "bios"] {
        assert_eq!(after[name], before[name], "{name}");
    }
}

fn an_older_computer_fills_the_detail(server: &Server) {
    let Some(bytes) = sample("legacy_1.xml") else { return };
    let client = server.new_client();
    send(&client, bytes);
    let machine = only_machine(&client);
    let info = &machine["generalInfo"];
    assert_eq!(info["hostName"], json!("LF014"));
    assert_eq!(info["make"], json!("TOSHIBA"));
    assert!(text(&info["osName"]).contains("Fedora"), "{info}");
    assert_eq!(machine["bios"], json!({"systemSerial": "9E113232I", "systemModel": "PORTEGE Z30-A"}));
    assert_eq!(machine["ipAddress"], json!("192.168.1.103"));
    assert!(machine["tags"].to_string().contains("teclib"));
    let listed = client.get(&format!("/resources/{}/applications", text(&machine["id"]))).list();
    let php = listed.iter().find(|found| found["name"] == "php71-php-process").cloned().unwrap_or_default();
    assert_eq!(php["vendor"], json!("Remi Collet"));
    assert_eq!(php["installedDate"], json!("2017-06-08T00:00:00+0000"), "dd/mm/yyyy");
}

fn an_older_report_brings_antivirus_records(server: &Server) {
    let Some(bytes) = sample("legacy_2.xml") else { return };
    let client = server.new_client();
    send(&client, bytes);
    let page =
        client.search("/resources/antivirus/search?sortName=name&isDescendingOrder=false", "status:UPTODATE").page();
    assert_eq!(page["totalResults"], json!(2));
    assert!(text(&page["results"][0]["name"]).starts_with("Kaspersky"));
    assert_eq!(page["results"][0]["resource"]["hostName"], json!("pc-arg-23"));
}

fn network_devices_are_devices(server: &Server) {
    for (file, name) in [("printer_1.json", "NPIF2BE10"), ("legacy_16.xml", "J9803A")] {
        let Some(bytes) = sample(file) else { return };
        let client = server.new_client();
        send(&client, bytes);
        let machine = only_machine(&client);
        assert!(machine["generalInfo"].to_string().contains(name), "{file}: {machine}");
        assert_eq!(found(&client, "type:DEVICE+state:all").len(), 1);
        assert_ne!(machine["generalInfo"]["resourceType"], json!("Linux"), "{file}");
    }
}
