//! The sections that have no field of their own, kept as JSON within a bound.

use std::io;

use serde_json::{Map, Value};

use super::{model::Report, node::Sections};

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

/// The sections of a machine after a report: what is `told` takes the place of what is `stored` as far as there is
/// room. The names of the others come second; what is stored of those stays. Of an object a partial report tells some
/// members; a section without entries takes the stored one away.
#[must_use]
pub fn merge(
    stored: Map<String, Value>,
    told: Map<String, Value>,
    report: &Report,
) -> (Map<String, Value>, Vec<String>) {
    let (mut sections, mut former) = if report.partial { (stored, Map::new()) } else { (Map::new(), stored) };
    let mut left_out = report.extra_dropped.clone();
    let mut total: usize = sections.iter().map(|(name, section)| size(name, section)).sum();
    let changes = told.into_iter().map(|(name, section)| {
        let known = sections.get(&name);
        let before = known.map_or(0, |known| size(&name, known));
        let section = match (known, section) {
            (Some(Value::Object(known)), Value::Object(facts)) => {
                Value::Object(known.clone().into_iter().chain(facts).collect())
            }
            (_, section) => section,
        };
        let is_empty = section.as_array().is_some_and(Vec::is_empty);
        let after = if is_empty { 0 } else { size(&name, &section) };
        (before, after, name, section)
    });
    let mut changes: Vec<_> = changes.collect();
    // What becomes smaller makes room for the rest, of which the largest are left out.
    changes.sort_by_key(|(before, after, ..)| (after > before, *after));
    for (before, after, name, section) in changes {
        let rest = total.saturating_sub(before);
        if after > before && rest + after > MAX_EXTRA_BYTES {
            left_out.push(name);
            continue;
        }
        total = rest + after;
        if after == 0 {
            sections.remove(&name);
        } else {
            sections.insert(name, section);
        }
    }
    for name in &left_out {
        if let Some(section) = former.remove(name)
            && total + size(name, &section) <= MAX_EXTRA_BYTES
        {
            total += size(name, &section);
            sections.insert(name.clone(), section);
        }
    }
    left_out.truncate(MAX_DROPPED);
    (sections, left_out)
}

/// The bytes that a section takes as JSON.
fn size(name: &str, section: &Value) -> usize {
    struct Counter(usize);
    impl io::Write for Counter {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut counter = Counter(name.len() + 4);
    // Counting does not fail, and what could not be written could not be stored either.
    serde_json::to_writer(&mut counter, section).map_or(usize::MAX / 2, |()| counter.0)
}

/// What is left of a report, every section as an array of its objects; empty where it has none, so that a partial
/// report can take a section away. The largest sections are left out first until the rest fits; their names come
/// second.
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
            map.remove(name);
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
mod tests;
