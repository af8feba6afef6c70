//! A row of an export, as a line of JSON or of CSV.

use std::collections::BTreeMap;

use base::{text::fold, timestamp::Timestamp};
use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::json;

use super::{
    columns::{TAG, WORDS},
    csv,
};
use crate::{
    model::{
        document::{BorrowedDocument, CLOUD, SYNTHETIC, TEXTS, Tag},
        row::Row,
    },
    resources::wire::AppRole,
};

/// Nested parts of the detail.
const PARTS: [&str; 10] = [
    "bios",
    "components",
    "cpus",
    "consoles",
    "networkCardDetails",
    "metricTypes",
    "metaData",
    "managementProfile",
    "credential",
    "locationUuids",
];

/// A resource on its way out.
pub(super) struct ExportItem<'a> {
    pub row: &'a Row,
    pub document: BorrowedDocument<'a>,
    pub site: Option<&'a str>,
    /// Its type, as a body would name it.
    pub kind: &'a str,
}

/// A resource as a line of JSON.
pub(super) struct Line<'l, 'a> {
    pub resource: &'l ExportItem<'a>,
    pub ids: bool,
}

impl Serialize for Line<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let ExportItem { row, document, site, kind } = self.resource;
        let mut map = serializer.serialize_map(None)?;
        if self.ids {
            map.serialize_entry("id", &row.id)?;
            map.serialize_entry("clientUniqueId", &row.tenant_id)?;
        }
        map.serialize_entry("type", &row.kind)?;
        map.serialize_entry("resourceType", kind)?;
        map.serialize_entry("state", &row.state)?;
        map.serialize_entry("agentInstalled", &row.agent_installed)?;
        if let Some(name) = site {
            map.serialize_entry("location", &json!({"name": name}))?;
        }
        for name in texts() {
            match document.get_text(name) {
                Some(text) => map.serialize_entry(name, text)?,
                // A row that says nothing of it makes a resource whose source is the interface.
                None if name == "source" => map.serialize_entry(name, "")?,
                None => {}
            }
        }
        if let Some(launched) = row.launch_ms {
            map.serialize_entry("launchDate", &Timestamp::from_millis(launched))?;
        }
        if !document.tags.is_empty() {
            map.serialize_entry("tags", &document.tags)?;
        }
        if !document.app_roles.is_empty() {
            let roles: Vec<AppRole<'_>> = document.app_roles.iter().map(|name| AppRole { name }).collect();
            map.serialize_entry("appRoles", &roles)?;
        }
        for name in PARTS {
            if let Some(part) = document.part(name) {
                map.serialize_entry(name, part)?;
            }
        }
        map.end()
    }
}

fn texts() -> impl Iterator<Item = &'static str> {
    TEXTS.into_iter().chain(CLOUD).chain(SYNTHETIC)
}

pub(super) fn write_header(out: &mut Vec<u8>, ids: bool, tags: &BTreeMap<String, String>) {
    let before = ["id", "clientUniqueId", "type", "resourceType", "state", "agentInstalled", "location"];
    let before = before.into_iter().skip(if ids { 0 } else { 2 });
    let names = before.chain(texts()).chain(["launchDate", "appRoles"]).chain(PARTS).chain(["tags"]);
    let tags: Vec<String> = tags.values().map(|name| format!("{TAG}{name}")).collect();
    csv::write(out, names.map(|name: &str| name).chain(tags.iter().map(String::as_str)));
}

pub(super) fn write_record(out: &mut Vec<u8>, resource: &ExportItem<'_>, ids: bool, tags: &BTreeMap<String, String>) {
    let ExportItem { row, document, site, kind } = resource;
    let agent = if row.agent_installed { "true" } else { "false" };
    let before: [&str; 7] = [&row.id, &row.tenant_id, &row.kind, kind, &row.state, agent, site.unwrap_or_default()];
    let before = before.into_iter().skip(if ids { 0 } else { 2 });
    let launched = row.launch_ms.map(|ms| Timestamp::from_millis(ms).to_string()).unwrap_or_default();
    let roles = document.app_roles.join(", ");
    let parts = PARTS.map(|name| document.part(name).map(|part| cell(name, part.get())).unwrap_or_default());
    let (plain, special): (Vec<&Tag>, Vec<&Tag>) = document.tags.iter().partition(|tag| is_plain(tag, tags));
    let values: BTreeMap<String, &str> = plain.iter().map(|tag| (fold(&tag.name), tag.value.as_str())).collect();
    let tags = tags.keys().map(|key| values.get(key).copied().unwrap_or_default());
    let special = if special.is_empty() { String::new() } else { json!(special).to_string() };
    let cells = before.chain(texts().map(|name| document.text(name))).chain([launched.as_str(), &roles]);
    csv::write(out, cells.chain(parts.iter().map(String::as_str)).chain([special.as_str()]).chain(tags));
}

/// Is a tag all that a cell in its column says: a value, given through the interface?
fn is_plain(tag: &Tag, columns: &BTreeMap<String, String>) -> bool {
    let column = columns.get(&fold(&tag.name));
    tag.tag_source == "API" && !tag.value.trim().is_empty() && column.is_some_and(|name| *name == tag.name)
}

/// A nested part in a cell: words where that says the same, or else JSON.
fn cell(name: &str, part: &str) -> String {
    let words =
        if WORDS.contains(&name) { serde_json::from_str::<Vec<String>>(part).unwrap_or_default() } else { vec![] };
    let clear = |word: &String| !word.is_empty() && word.trim() == word && !word.contains(',');
    if words.is_empty() || !words.iter().all(clear) || words.iter().any(|word| word.starts_with('[')) {
        return part.to_owned();
    }
    words.join(", ")
}
