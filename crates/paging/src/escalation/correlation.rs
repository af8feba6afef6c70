//! What an alert has to do with others: whether it comes and goes, and whether the place of its machine is down.

use base::{fold, hex};
use db::{Conn, Result};
use ports::{Place, PlaceKind};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::{
    outages::{self, Outage},
    work::EscalationBatch,
};
use crate::Neighbours;

/// Alerts of one problem within this time are counted, and so many of them are flapping.
const FLAPPING_MS: i64 = 30 * 60_000;
const FLAPPING: i64 = 4;
/// The most that are counted.
const COUNTED: i64 = 100;
/// The name of the tag by which a machine stands for its site or a group.
const TAG: &str = "standsfor";

/// What is known of it when it begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Correlation {
    /// The same for alerts of one problem.
    pub problem: String,
    /// How many of them there were in half an hour with this one, when they are flapping; else 0.
    pub flaps: i64,
    /// The places that its machine stands for.
    pub stands_for: Vec<String>,
    /// What it waits for.
    pub outage: Option<Outage>,
}

/// What makes alerts one problem: their machine and what is measured there.
pub fn problem(alert: &Value) -> String {
    let text = |path: &str| alert.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let named = ["/device/id", "/device/hostName", "/device/ipAddress", "/device/extResourceId"];
    let machine = named.into_iter().map(text).find(|name| !name.is_empty()).unwrap_or_default();
    // What is not measured by name is told by its subject.
    let what = if text("/metric").is_empty() { text("/subject") } else { text("/metric") };
    let mut hash = Sha256::new();
    for part in [machine, what, text("/component"), text("/app")] {
        hash.update(fold(part).as_bytes());
        hash.update([0]);
    }
    hex(&hash.finalize()[..16])
}

/// A place, as outages name it.
fn key(place: &Place) -> String {
    let kind = if place.kind == PlaceKind::Location { "site" } else { "deviceGroup" };
    format!("{kind}:{}", place.id)
}

/// The places that a machine with these tags stands for, among those that hold it: its site (`site`), and device groups
/// by name.
fn stands_for(tags: &[(String, String)], places: &[Place]) -> Vec<String> {
    let own = tags.iter().filter(|(name, _)| fold(name) == TAG);
    let words: Vec<String> = own.flat_map(|(_, value)| value.split(',')).map(|word| fold(word.trim())).collect();
    let meant = places.iter().filter(|place| match place.kind {
        PlaceKind::Location => words.iter().any(|word| word == "site"),
        PlaceKind::DeviceGroup => words.contains(&fold(&place.name)),
    });
    meant.map(key).collect()
}

/// How many alerts of a problem of a tenant there were in half an hour, this one left out.
pub fn count(conn: &mut Conn, work: &EscalationBatch<'_>, tenant: &str, problem: &str) -> Result<i64> {
    work.count_since(conn, tenant, problem, work.now.millis() - FLAPPING_MS, COUNTED)
}

/// What an alert of a tenant has to do with others, of its problem with so many before it.
pub fn of(
    conn: &mut Conn,
    neighbours: &Neighbours,
    tenant: &str,
    alert: &Value,
    problem: String,
    before: i64,
) -> Result<Correlation> {
    let flaps = if before + 1 >= FLAPPING { before + 1 } else { 0 };
    let mut correlation = Correlation { problem, flaps, ..Correlation::default() };
    let Some(machine) = alert.pointer("/device/id").and_then(Value::as_str) else { return Ok(correlation) };
    let tenants = [tenant.to_owned()];
    let ids = [machine.to_owned()];
    let places = neighbours.resources.places_of(conn, &tenants, &ids)?.into_iter().flatten();
    let places: Vec<Place> = places.filter(|place| place.tenant_id == tenant).collect();
    if places.is_empty() {
        return Ok(correlation);
    }
    let tags: Vec<(String, String)> =
        neighbours.resources.tags_of(conn, &tenants, &ids)?.into_iter().flatten().collect();
    correlation.stands_for = stands_for(&tags, &places);
    // Anyone who stands for a place waits for none: people have to hear of it.
    if correlation.stands_for.is_empty() {
        let keys: Vec<String> = places.iter().map(key).collect();
        correlation.outage = outages::of(conn, tenant, &keys)?;
    }
    Ok(correlation)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn one_problem_is_one_machine_and_one_measure() {
        let alert = |host: &str, metric: &str, subject: &str| {
            problem(&json!({"device": {"hostName": host}, "metric": metric, "subject": subject, "app": "a"}))
        };
        assert_eq!(alert("web-01", "load", "Load is 31"), alert("WEB-01", "load", "Load is 32"));
        assert_ne!(alert("web-01", "load", "x"), alert("web-02", "load", "x"));
        assert_ne!(alert("web-01", "load", "x"), alert("web-01", "disk", "x"));
        assert_ne!(alert("web-01", "", "x"), alert("web-01", "", "y"));
    }

    #[test]
    fn a_machine_stands_for_what_its_tag_says() {
        let place = |kind, id, name: &str| Place {
            kind,
            tenant_id: "client_1".to_owned(),
            id,
            unique_id: String::new(),
            name: name.to_owned(),
        };
        let places = [
            place(PlaceKind::Location, 3, "Graz"),
            place(PlaceKind::DeviceGroup, 7, "Rack 7"),
            place(PlaceKind::DeviceGroup, 8, "site"),
        ];
        let told = |value: &str| stands_for(&[("standsFor".to_owned(), value.to_owned())], &places);
        assert_eq!(told(""), Vec::<String>::new());
        assert_eq!(told("Graz"), Vec::<String>::new(), "a site is not named by its name");
        assert_eq!(told("rack 7"), ["deviceGroup:7"]);
        assert_eq!(told("SITE, Rack 7"), ["site:3", "deviceGroup:7", "deviceGroup:8"]);
        assert_eq!(stands_for(&[("env".to_owned(), "site".to_owned())], &places), Vec::<String>::new());
    }
}
