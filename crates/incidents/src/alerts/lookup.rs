//! Look-up of the resources that reports name.

use std::collections::HashMap;

use db::{Conn, Result};
use ports::{ResourceKey, ResourceSummary, Resources};

use super::report::Report;

/// The warning about an unknown device.
pub const UNKNOWN: &str = "the device names no resource of the inventory";

/// The resource of a report, or why there is none.
pub type LookupResult = (Option<ResourceSummary>, Option<&'static str>);

/// The answers of the inventory for the names in many reports, each asked once.
pub struct ResourceLookup<'r> {
    places: HashMap<(u8, &'r str), usize>,
    found: Vec<Vec<ResourceSummary>>,
}

impl<'r> ResourceLookup<'r> {
    /// Asks the inventory about names.
    pub fn of(
        names: impl Iterator<Item = &'r ResourceKey>,
        ask: impl FnOnce(&[ResourceKey]) -> Result<Vec<Vec<ResourceSummary>>>,
    ) -> Result<Self> {
        let mut places = HashMap::new();
        let mut keys = Vec::new();
        for key in names {
            places.entry(word(key)).or_insert_with(|| {
                keys.push(key.clone());
                keys.len() - 1
            });
        }
        let found = if keys.is_empty() { Vec::new() } else { ask(&keys)? };
        Ok(Self { places, found })
    }

    /// The resources that a name matches.
    pub fn matches(&self, key: &ResourceKey) -> &[ResourceSummary] {
        self.places.get(&word(key)).and_then(|place| self.found.get(*place)).map_or(&[], Vec::as_slice)
    }
}

/// The resource that each report is about: the first of its names that is that of exactly one counts.
pub fn resources(
    conn: &mut Conn,
    resources: &dyn Resources,
    scope: &[String],
    reports: &[&Report],
) -> Result<Vec<LookupResult>> {
    let keys = reports.iter().flat_map(|report| &report.device.keys);
    let found = ResourceLookup::of(keys, |keys| resources.find(conn, scope, keys))?;
    let of_report = |report: &&Report| {
        let named = &report.device.keys;
        let hits = || named.iter().map(|key| found.matches(key));
        match hits().find_map(|hits| if let [one] = hits { Some(one) } else { None }) {
            Some(one) => (Some(one.clone()), None),
            None if hits().any(|hits| hits.len() > 1) => (None, Some("the device names more than one resource")),
            None if !named.is_empty() => (None, Some(UNKNOWN)),
            None => (None, None),
        }
    };
    Ok(reports.iter().map(of_report).collect())
}

fn word(key: &ResourceKey) -> (u8, &str) {
    match key {
        ResourceKey::Id(text) => (0, text),
        ResourceKey::Name(text) => (1, text),
        ResourceKey::ExtResourceId(text) => (2, text),
        ResourceKey::IpAddress(text) => (3, text),
        ResourceKey::MacAddress(text) => (4, text),
    }
}
