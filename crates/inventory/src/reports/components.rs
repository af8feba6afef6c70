//! Names of hardware parts, for `components` of the detail.

use std::collections::BTreeMap;

use super::node::{Node, Sections};

/// More parts than this are not named.
const MAX_PARTS: usize = 512;

/// A section, the label of its parts, and the fields that name a part, in order.
const SECTIONS: &[(&str, &str, &[&str])] = &[
    ("batteries", "Battery", &["manufacturer", "name"]),
    ("cpus", "CPU", &["name"]),
    ("firmwares", "Firmware", &["name", "version"]),
    ("memories", "Memory", &["capacity", "type", "manufacturer", "caption"]),
    ("modems", "Modem", &["name"]),
    ("monitors", "Monitor", &["manufacturer", "caption"]),
    ("network_components", "Component", &["name", "model"]),
    ("powersupplies", "Power supply", &["manufacturer", "name", "model"]),
    ("sounds", "Sound", &["manufacturer", "name"]),
    ("storages", "Disk", &["manufacturer", "model", "name"]),
    ("videos", "Video", &["name"]),
];

/// The parts of each section that the report has.
pub(super) fn read(sections: &Sections<'_>) -> BTreeMap<&'static str, Vec<String>> {
    let mut found = BTreeMap::new();
    let mut left = MAX_PARTS;
    for (section, kind, fields) in SECTIONS {
        let entries = if *section == "network_components" {
            components(sections)
        } else if sections.has(section) {
            sections.entries(section).to_vec()
        } else {
            continue;
        };
        let names: Vec<String> =
            entries.into_iter().filter_map(|entry| label(entry, kind, fields)).take(left).collect();
        left -= names.len();
        if !names.is_empty() || sections.has(section) {
            found.insert(*section, names);
        }
    }
    found
}

/// All parts in the order of their sections: those of a report, and those of `known` that are of none of its sections.
pub(super) fn list<'a>(reported: &'a BTreeMap<&'static str, Vec<String>>, known: &[&'a str]) -> Vec<&'a str> {
    let place = |part: &str| {
        let (label, _) = part.split_once(':')?;
        SECTIONS.iter().position(|(_, kind, _)| *kind == label)
    };
    let is_reported =
        |part: &str| place(part).and_then(|at| SECTIONS.get(at)).is_some_and(|(name, ..)| reported.contains_key(name));
    let mut parts: Vec<&str> = known.iter().copied().filter(|part| !is_reported(part)).collect();
    parts.extend(reported.values().flatten().map(String::as_str));
    parts.sort_by_key(|part| place(part));
    parts.truncate(MAX_PARTS);
    parts
}

/// JSON lists them; XML wraps them in one `COMPONENTS` element.
fn components<'n>(sections: &Sections<'n>) -> Vec<&'n Node> {
    let mut all = sections.entries("network_components").to_vec();
    for wrapper in sections.entries("components") {
        all.extend(wrapper.all("component"));
    }
    all
}

fn label(entry: &Node, kind: &str, fields: &[&str]) -> Option<String> {
    let mut label = String::new();
    for field in fields {
        let text = if *field == "capacity" {
            // An empty slot has no capacity and is not a part.
            let mib = entry.integer(field).filter(|mib| *mib > 0)?;
            Some(format!("{mib} MB"))
        } else {
            entry.text(field)
        };
        if let Some(text) = text.filter(|text| !label.contains(text.as_str())) {
            label.push(' ');
            label.push_str(&text);
        }
    }
    (!label.is_empty()).then(|| format!("{kind}:{label}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_replace_their_own_parts_only() {
        let reported = BTreeMap::from([
            ("cpus", vec!["CPU: new".to_owned()]),
            ("monitors", vec![]),
            ("videos", vec!["Video: v".to_owned()]),
        ]);
        let known = ["CPU: old", "Disk: d", "Memory: m", "Monitor: a", "fan: by hand"];
        assert_eq!(list(&reported, &known), ["fan: by hand", "CPU: new", "Memory: m", "Disk: d", "Video: v"]);
        assert_eq!(list(&reported, &[]), ["CPU: new", "Video: v"]);
        let once = list(&reported, &known);
        assert_eq!(list(&reported, &once), once);
    }
}
