//! Installed applications and antivirus products.

use std::collections::HashSet;

use super::dates::parse_date;
use super::model::{Antivirus, DefinitionStatus, Software};
use super::node::Node;

/// Reads the section `softwares`. An entry without a name is known by its
/// product code; what is listed twice (for two users, say) is kept once.
pub(super) fn softwares(entries: &[&Node]) -> Vec<Software> {
    let mut seen = HashSet::with_capacity(entries.len());
    let mut softwares = Vec::with_capacity(entries.len());
    for software in entries.iter().filter_map(|entry| read(entry)) {
        let key = (software.name.clone(), software.vendor.clone(), software.version.clone(), software.arch.clone());
        if seen.insert(key) {
            softwares.push(software);
        }
    }
    softwares
}

/// One pass over the members: a machine has hundreds of packages, and looking
/// each field up by name would be most of the cost of a report.
fn read(entry: &Node) -> Option<Software> {
    let Node::Object(members) = entry else {
        return None;
    };
    let mut name = None;
    let mut guid = None;
    let mut software = Software::default();
    for (key, value) in members {
        match key.as_str() {
            "name" => name = name.or_else(|| value.as_text()),
            "version" => software.version = software.version.or_else(|| value.as_text()),
            "publisher" => software.vendor = software.vendor.or_else(|| value.as_text()),
            "arch" => software.arch = software.arch.or_else(|| value.as_text()),
            "from" => software.from = software.from.or_else(|| value.as_text()),
            "install_date" | "installdate" => {
                software.installed_at = software.installed_at.or_else(|| parse_date(&value.as_text()?));
            }
            "guid" => guid = value.as_text(),
            _ => {}
        }
    }
    software.name = name.or(guid)?;
    Some(software)
}

/// Reads the section `antivirus`.
pub(super) fn antivirus(entries: &[&Node]) -> Vec<Antivirus> {
    let mut products: Vec<Antivirus> = Vec::new();
    for entry in entries.iter().filter(|entry| entry.is_object()).take(64) {
        let Some(name) = entry.first(&["name", "company", "guid"]) else {
            continue;
        };
        let product = Antivirus {
            name,
            version: entry.text("version"),
            company: entry.text("company"),
            definition: entry.text("base_version"),
            definition_date: entry.text("base_creation").and_then(|text| parse_date(&text)),
            scan_date: entry.first(&["scan_date", "scandate", "last_scan"]).and_then(|text| parse_date(&text)),
            status: entry
                .boolean("uptodate")
                .map(|fresh| if fresh { DefinitionStatus::UpToDate } else { DefinitionStatus::OutOfDate }),
            enabled: entry.boolean("enabled"),
        };
        if !products.contains(&product) {
            products.push(product);
        }
    }
    products
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reports::json;

    #[test]
    fn applications_are_kept_once_and_named() {
        let node = json::read(
            r#"{"softwares": [
                {"name": "web", "version": "1.0", "publisher": "Us", "arch": "amd64", "from": "deb",
                    "install_date": "2024-02-03"},
                {"name": "web", "version": "1.0", "publisher": "Us", "arch": "amd64", "install_date": "2024-02-04"},
                {"name": "web", "version": 2, "INSTALLDATE": "N/A"},
                {"guid": "{1-2}", "version": null}, {"version": "9"}, "web", 7, null
            ]}"#,
        )
        .unwrap();
        let read = softwares(&node.all("softwares"));
        let brief: Vec<_> = read.iter().map(|software| (software.name.as_str(), software.version.as_deref())).collect();
        assert_eq!(brief, [("web", Some("1.0")), ("web", Some("2")), ("{1-2}", None)]);
        assert_eq!(read[0].installed_at, Some(1_706_918_400_000));
        assert_eq!(read[1].installed_at, None);
    }

    #[test]
    fn definitions_are_fresh_stale_or_unknown() {
        let node = json::read(
            r#"{"antivirus": [
                {"name": "Shield", "uptodate": true, "enabled": false, "base_version": "1.2",
                    "base_creation": "2024-02-03 00:00:00"},
                {"NAME": "Guard", "UPTODATE": "0"}, {"company": "Us"}, {"version": "1"}
            ]}"#,
        )
        .unwrap();
        let read = antivirus(&node.all("antivirus"));
        assert_eq!(read.len(), 3);
        assert_eq!(read[0].status, Some(DefinitionStatus::UpToDate));
        assert_eq!(read[0].definition_date, Some(1_706_918_400_000));
        assert_eq!((read[0].enabled, read[0].definition.as_deref()), (Some(false), Some("1.2")));
        assert_eq!(read[1].status, Some(DefinitionStatus::OutOfDate));
        assert_eq!((read[2].name.as_str(), read[2].status), ("Us", None));
    }
}
