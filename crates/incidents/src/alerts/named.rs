//! Which resources reports name, and what the alert of a report that nobody took in would be.

use std::{collections::HashMap, sync::Arc};

use base::timestamp::Timestamp;
use db::{Conn, Result};
use ports::{AlertDeed, Alerts, KnownResource, People, ResourceKey, Resources, ToldAlert};
use serde_json::Value;

use super::{acts, report::Report, rules};

/// What is said of a device that is unknown.
pub const UNKNOWN: &str = "the device names no resource of the inventory";

/// The resource of a report, or why there is none.
pub type Found = (Option<KnownResource>, Option<&'static str>);

/// What the inventory says to the names in many reports, each asked about once.
pub struct Answers<'r> {
    places: HashMap<(u8, &'r str), usize>,
    found: Vec<Vec<KnownResource>>,
}

impl<'r> Answers<'r> {
    /// Asks about names.
    pub fn of(
        names: impl Iterator<Item = &'r ResourceKey>,
        ask: impl FnOnce(&[ResourceKey]) -> Result<Vec<Vec<KnownResource>>>,
    ) -> Result<Self> {
        let (mut places, mut keys) = (HashMap::new(), Vec::new());
        for key in names {
            places.entry(word(key)).or_insert_with(|| {
                keys.push(key.clone());
                keys.len() - 1
            });
        }
        let found = if keys.is_empty() { Vec::new() } else { ask(&keys)? };
        Ok(Self { places, found })
    }

    /// What was said to one of them.
    pub fn to(&self, key: &ResourceKey) -> &[KnownResource] {
        self.places.get(&word(key)).and_then(|place| self.found.get(*place)).map_or(&[], Vec::as_slice)
    }
}

/// The resource that each report is about: the first of its names that is that of exactly one counts.
pub fn resources(
    conn: &mut Conn,
    resources: &dyn Resources,
    scope: &[String],
    reports: &[&Report],
) -> Result<Vec<Found>> {
    let keys = reports.iter().flat_map(|report| &report.device.keys);
    let found = Answers::of(keys, |keys| resources.find(conn, scope, keys))?;
    let of_report = |report: &&Report| {
        let named = &report.device.keys;
        let hits = || named.iter().map(|key| found.to(key));
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
        ResourceKey::HostName(text) => (1, text),
        ResourceKey::ExtResourceId(text) => (2, text),
        ResourceKey::IpAddress(text) => (3, text),
        ResourceKey::MacAddress(text) => (4, text),
    }
}

/// Says what the alerts of reports would be: for those who try their rules on one.
pub struct Trial {
    resources: Arc<dyn Resources>,
    people: Arc<dyn People>,
}

impl Trial {
    /// With those who know the resources and the people.
    pub fn new(resources: Arc<dyn Resources>, people: Arc<dyn People>) -> Self {
        Self { resources, people }
    }
}

impl Alerts for Trial {
    fn told(
        &self,
        conn: &mut Conn,
        tenant: &str,
        scope: &[String],
        report: &Value,
        at: Timestamp,
    ) -> Result<ToldAlert> {
        let report = Report::read(report)?;
        let found = resources(conn, &*self.resources, scope, &[&report])?.pop();
        let (resource, problem) = found.unwrap_or_default();
        let owner = resource.as_ref().map_or(tenant, |found| &found.tenant_id);
        let mut alert = rules::opened(&report, owner, "", String::new(), at);
        rules::about(&mut alert, &report, resource.as_ref());
        Ok(ToldAlert { resource, problem, alert: alert.told(at)? })
    }

    fn find(&self, conn: &mut Conn, tenants: &[String], id: &str, at: Timestamp) -> Result<Option<Value>> {
        acts::find(conn, tenants, id, at)
    }

    fn incident(
        &self,
        conn: &mut Conn,
        tenants: &[String],
        id: &str,
        notes: i64,
    ) -> Result<Option<ports::ToldIncident>> {
        crate::records::port::told(conn, tenants, id, notes)
    }

    fn act(&self, conn: &mut Conn, deed: AlertDeed<'_>, at: Timestamp) -> Result<Value> {
        acts::act(conn, &*self.people, deed, at)
    }
}
