//! Whole reports of agents, as `tests/data/agent-reports` has them; `MUSTER_AGENT_REPORTS` names a folder with others.

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

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data/agent-reports")
}

/// The bytes of a sample.
fn sample(name: &str) -> Vec<u8> {
    let path = folder().join(name);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The reports of a folder.
fn reports(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    files.retain(|path| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        (name.ends_with(".xml") || name.ends_with(".json")) && !name.contains("schema")
    });
    files.sort();
    assert!(!files.is_empty(), "there are no reports in {}", folder.display());
    files
}

fn every_sample_is_taken_twice_and_makes_one_machine(server: &Server) {
    let more = std::env::var_os("MUSTER_AGENT_REPORTS").map(PathBuf::from);
    for path in reports(&folder()).into_iter().chain(more.iter().flat_map(|more| reports(more))) {
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
    let client = server.new_client();
    send(&client, sample("workstation.json"));
    let machine = only_machine(&client);

    let info = &machine["generalInfo"];
    assert_eq!(info["hostName"], json!("drafting-07"));
    assert_eq!(info["make"], json!("LENOVO"));
    assert!(text(&info["osName"]).contains("Debian GNU/Linux 12"), "{info}");
    assert_eq!(info["resourceType"], json!("Linux"));
    assert_eq!(machine["bios"], json!({"systemSerial": "PF4ABCD7", "systemModel": "ThinkPad T14 Gen 4"}));
    assert_eq!(machine["agentInstalled"], json!(true));
    assert_eq!(machine["cpus"].as_array().map(Vec::len), Some(1));

    let cards = machine["networkCardDetails"].as_array().cloned().unwrap_or_default();
    let card = |name: &str| -> Value {
        let named: Vec<&Value> = cards.iter().filter(|card| card["networkName"] == name).collect();
        assert_eq!(named.len(), 1, "one card {name}: {cards:?}");
        named[0].clone()
    };
    assert_eq!(card("wlp0s20f3")["ipAddress"], json!("192.168.50.31"));
    assert!(text(&card("wlp0s20f3")["aliasIps"]).contains("fe80::a6c3:f0ff:fe12:5e9b"));
    assert_eq!(text(&card("enp0s31f6")["macAddress"]).to_lowercase(), "c0:18:50:7d:22:4e");
    assert_ne!(machine["ipAddress"], json!("127.0.0.1"));

    assert_eq!(applications(&client, &machine).len(), 3);
    assert!(machine["tags"].to_string().contains("000417"));
    assert_eq!(found(&client, "systemUID:7c1f9a42-5d0e-4c3b-9b8e-2f6d1a90e417").len(), 1);
}

fn a_partial_sample_updates_the_software_only(server: &Server) {
    let partial = sample("workstation_partial.json");
    let expected: Value = serde_json::from_slice(&partial).unwrap_or_default();
    let expected = crate::inventory::names(expected["content"]["softwares"].as_array().map_or(&[], Vec::as_slice));
    let client = server.new_client();
    send(&client, sample("workstation.json"));
    let before = only_machine(&client);
    send(&client, partial);
    let after = only_machine(&client);
    assert_eq!(applications(&client, &after), expected);
    for name in ["id", "ipAddress", "cpus", "networkCardDetails", "bios"] {
        assert_eq!(after[name], before[name], "{name}");
    }
}

fn an_older_computer_fills_the_detail(server: &Server) {
    let client = server.new_client();
    send(&client, sample("notebook.xml"));
    let machine = only_machine(&client);
    let info = &machine["generalInfo"];
    assert_eq!(info["hostName"], json!("STOCK-03"));
    assert_eq!(info["make"], json!("FUJITSU"));
    assert!(text(&info["osName"]).contains("openSUSE"), "{info}");
    assert_eq!(machine["bios"], json!({"systemSerial": "DSEM004417", "systemModel": "LIFEBOOK U758"}));
    assert_eq!(machine["ipAddress"], json!("192.168.70.12"));
    assert!(machine["tags"].to_string().contains("warehouse"));
    let listed = client.get(&format!("/resources/{}/applications", text(&machine["id"]))).list();
    let zint = listed.iter().find(|found| found["name"] == "zint").cloned().unwrap_or_default();
    assert_eq!(zint["vendor"], json!("openSUSE"));
    assert_eq!(zint["installedDate"], json!("2024-02-14T00:00:00+0000"), "dd/mm/yyyy");
}

fn an_older_report_brings_antivirus_records(server: &Server) {
    let client = server.new_client();
    send(&client, sample("office.xml"));
    let page =
        client.search("/resources/antivirus/search?sortName=name&isDescendingOrder=false", "status:UPTODATE").page();
    assert_eq!(page["totalResults"], json!(2));
    assert!(text(&page["results"][0]["name"]).starts_with("ESET"));
    assert_eq!(page["results"][0]["resource"]["hostName"], json!("counter-11"));
}

fn network_devices_are_devices(server: &Server) {
    for (file, name) in [("printer.json", "BRW001BA96E40D1"), ("switch.xml", "sw-ground-2")] {
        let client = server.new_client();
        send(&client, sample(file));
        let machine = only_machine(&client);
        assert!(machine["generalInfo"].to_string().contains(name), "{file}: {machine}");
        assert_eq!(found(&client, "type:DEVICE+state:all").len(), 1);
        assert_ne!(machine["generalInfo"]["resourceType"], json!("Linux"), "{file}");
    }
}
