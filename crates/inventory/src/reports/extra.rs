//! The sections that have no field of their own, kept as JSON within a bound.

use serde_json::{Map, Value};

use super::node::Sections;

/// In all, the kept sections take at most about this many bytes of JSON.
pub const MAX_EXTRA_BYTES: usize = 256 << 10;

/// Sections that the model holds elsewhere, or whose facts are of no use later.
const READ_ELSEWHERE: &[&str] = &[
    "accesslog",
    "accountinfo",
    "antivirus",
    "bios",
    "cpus",
    "device",
    "hardware",
    "info",
    "ips",
    "network_device",
    "network_ports",
    "networks",
    "operatingsystem",
    "ports",
    "remote_mgmt",
    "softwares",
    "versionclient",
    "virtualmachines",
];

/// Sections that carry secrets (environment, command lines, licence keys, SSH
/// keys) or change at every report, and are never stored.
const NEVER: &[&str] = &["envs", "licenseinfos", "processes", "registry", "rudder", "users", "versionprovider"];

/// More names than this are not listed as left out.
const MAX_DROPPED: usize = 64;

/// What is left of a report, every section as an array of its objects; empty where it has none, so that a partial
/// report can take a section away. The largest sections are emptied first until the rest fits; their names come second.
pub(super) fn read(sections: &Sections<'_>, device: bool) -> (Map<String, Value>, Vec<String>) {
    let mut rest = Vec::new();
    let mut map = Map::new();
    for (name, entries) in sections.iter() {
        // For a device found by SNMP `ports` are read; a computer's are sockets on its back.
        let elsewhere = READ_ELSEWHERE.contains(&name) && (device || name != "ports");
        if elsewhere || NEVER.contains(&name) {
            continue;
        }
        // A single fact is not a section.
        if !entries.iter().any(|entry| entry.is_object()) && entries.iter().any(|entry| entry.as_text().is_some()) {
            continue;
        }
        map.insert(name.to_owned(), Value::Array(Vec::new()));
        let size = name.len() + 6 + entries.iter().map(|entry| 1 + entry.json_size()).sum::<usize>();
        rest.push((size, name, entries));
    }
    let mut total: usize = rest.iter().map(|(size, ..)| size).sum();
    let mut dropped = Vec::new();
    if total > MAX_EXTRA_BYTES {
        rest.sort_by_key(|(size, ..)| *size);
        while let Some((size, name, _)) = rest.pop_if(|_| total > MAX_EXTRA_BYTES) {
            total -= size;
            if dropped.len() < MAX_DROPPED {
                // The name itself may be too large.
                dropped.push(name.chars().take(64).collect());
            }
        }
    }
    for (_, name, entries) in rest {
        let values: Vec<Value> =
            entries.iter().filter(|entry| entry.is_object()).map(|entry| entry.to_json()).collect();
        map.insert(name.to_owned(), Value::Array(values));
    }
    (map, dropped)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::reports::json;

    #[test]
    fn secrets_and_modelled_sections_stay_out() {
        let node = json::read(
            r#"{"drives": [{"TYPE": "/", "label": " "}], "firewall": {"status": "on"},
                "envs": [{"key": "TOKEN", "val": "s"}], "processes": [{"cmd": "x --password s"}],
                "softwares": [{"name": "a"}], "ports": [{"type": "Other"}], "rudder": null, "bios": {}, "etime": "3",
                "usb": []}"#,
        )
        .unwrap();
        let (map, dropped) = read(&Sections::of(&node), false);
        assert_eq!(
            Value::Object(map),
            json!({
                "drives": [{"type": "/"}], "firewall": [{"status": "on"}], "ports": [{"type": "Other"}], "usb": []
            })
        );
        assert!(dropped.is_empty());
        assert!(!read(&Sections::of(&node), true).0.contains_key("ports"));
    }

    #[test]
    fn the_largest_sections_go_first() {
        let text = |length: usize| json!([{ "text": "x".repeat(1_000).repeat(length) }]);
        let many: Vec<_> = (0..300).map(|_| text(1)[0].clone()).collect();
        let more: Vec<_> = many.iter().chain(&many).cloned().collect();
        let report = json!({"a": text(1), "large": many, "b": text(2), "larger": more}).to_string();
        let node = json::read(&report).unwrap();
        let (map, dropped) = read(&Sections::of(&node), false);
        let kept = |name: &&String| map[*name] != json!([]);
        assert_eq!(map.keys().filter(kept).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(dropped, ["larger", "large"]);
    }
}
