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
        assert_eq!(map.keys().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(dropped, ["larger", "large"]);
    }

    #[test]
    fn what_is_new_goes_in_as_far_as_there_is_room() {
        let text = |kib: usize| json!([{ "text": "x".repeat(kib << 10) }]);
        let sections = |list: &[(&str, usize)]| -> Map<String, Value> {
            list.iter().map(|(name, kib)| ((*name).to_owned(), text(*kib))).collect()
        };
        let partial = Report { partial: true, ..Report::default() };
        let stored = sections(&[("a", 100), ("b", 100)]);
        let merge = |told: &[(&str, usize)], report: &Report| merge(stored.clone(), sections(told), report);

        // A stored section stays where the new one does not fit, and the small ones go first.
        let (kept, left_out) = merge(&[("a", 200), ("c", 70), ("d", 40)], &partial);
        assert_eq!((kept, left_out), (sections(&[("a", 100), ("b", 100), ("d", 40)]), vec!["c".into(), "a".into()]));
        // One that becomes smaller makes room for another.
        let (kept, left_out) = merge(&[("a", 150), ("b", 90)], &partial);
        assert_eq!((kept, left_out), (sections(&[("a", 150), ("b", 90)]), vec![]));
        // A full report replaces all but what it could not tell.
        let (kept, left_out) = merge(&[("c", 150)], &Report { extra_dropped: vec!["a".into()], ..Report::default() });
        assert_eq!((kept, left_out), (sections(&[("a", 100), ("c", 150)]), vec!["a".into()]));
        // What had been stored without a bound may become smaller.
        let large = sections(&[("a", 300), ("b", 300)]);
        let (kept, left_out) = super::merge(large, sections(&[("a", 290)]), &partial);
        assert_eq!((kept, left_out), (sections(&[("a", 290), ("b", 300)]), vec![]));
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(20))]

        #[test]
        fn partial_reports_never_exceed_the_bound(reports in proptest::collection::vec(
            proptest::collection::vec((0_u8..6, 0_usize..200), 0..4), 1..12,
        )) {
            let mut stored = Map::new();
            for report in reports {
                let text = |kib: usize| if kib == 0 { json!([]) } else { json!([{ "text": "\"".repeat(kib << 9) }]) };
                let told: Map<_, _> = report.iter().map(|(name, kib)| (format!("s{name}"), text(*kib))).collect();
                let before = stored.clone();
                let (sections, left_out) =
                    merge(stored, told.clone(), &Report { partial: true, ..Report::default() });
                for (name, section) in &told {
                    let expected = if left_out.contains(name) { before.get(name) } else { Some(section) };
                    let expected = expected.filter(|section| **section != json!([]));
                    proptest::prop_assert_eq!(sections.get(name), expected);
                }
                let length = Value::Object(sections.clone()).to_string().len();
                proptest::prop_assert!(length <= MAX_EXTRA_BYTES + 2, "{}", length);
                stored = sections;
            }
        }
    }
}
