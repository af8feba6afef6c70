//! Maintenance windows alone, on a new embedded database, over three machines and a device group, with the windows of the
//! demo company: `cargo run -p maintenance --example maintenance`.

use std::sync::Arc;

use base::{tenant::TenantId, timestamp::Timestamp};
use db::{Conn, Result};
use maintenance::Windows;
use ports::{Alerts, Alone, KnownResource, Place, PlaceKey, PlaceKind, ResourceKey, Resources, ToldAlert};
use serde_json::Value;

/// Three machines of `client_1`, all of them in one device group.
struct Few;

const HOSTS: [&str; 3] = ["web-01", "web-02", "db-01"];
const GROUP: &str = "Servers";

fn machines() -> Vec<KnownResource> {
    let machine = |(number, host): (i32, &&str)| KnownResource {
        id: format!("00000000-0000-4000-8000-{number:012}"),
        tenant_id: "client_1".to_owned(),
        name: (*host).to_owned(),
        host_name: (*host).to_owned(),
        ip_address: format!("10.0.0.{number}"),
        resource_type: "Linux".to_owned(),
    };
    (1..).zip(&HOSTS).map(machine).collect()
}

fn group() -> Place {
    Place {
        kind: PlaceKind::DeviceGroup,
        tenant_id: "client_1".to_owned(),
        id: 1,
        unique_id: "DGP-00000000-0000-4000-8000-000000000001".to_owned(),
        name: GROUP.to_owned(),
    }
}

/// Are the records of `client_1` among those of these tenants?
fn within(tenants: &[String]) -> bool {
    tenants.iter().any(|tenant| tenant == "client_1")
}

impl Resources for Few {
    fn find(&self, _: &mut Conn, tenants: &[String], keys: &[ResourceKey]) -> Result<Vec<Vec<KnownResource>>> {
        let is = |machine: &KnownResource, key: &ResourceKey| match key {
            ResourceKey::Id(id) => machine.id.eq_ignore_ascii_case(id),
            ResourceKey::HostName(name) => machine.host_name.eq_ignore_ascii_case(name),
            ResourceKey::IpAddress(address) => machine.ip_address == *address,
            ResourceKey::ExtResourceId(_) | ResourceKey::MacAddress(_) => false,
        };
        let found = |key| machines().into_iter().filter(|machine| within(tenants) && is(machine, key)).collect();
        Ok(keys.iter().map(found).collect())
    }

    fn former(&self, _: &mut Conn, _: &[String], keys: &[ResourceKey]) -> Result<Vec<Vec<KnownResource>>> {
        Ok(vec![Vec::new(); keys.len()])
    }

    fn places(&self, _: &mut Conn, tenants: &[String], kind: PlaceKind, keys: &[PlaceKey]) -> Result<Vec<Vec<Place>>> {
        let is = |place: &Place, key: &PlaceKey| match key {
            PlaceKey::Id(id) => place.id == *id,
            PlaceKey::UniqueId(id) => place.unique_id.eq_ignore_ascii_case(id),
            PlaceKey::Name(name) => place.name.eq_ignore_ascii_case(name),
        };
        let meant = |place: &Place, key| within(tenants) && place.kind == kind && is(place, key);
        Ok(keys.iter().map(|key| Some(group()).filter(|place| meant(place, key)).into_iter().collect()).collect())
    }

    fn places_of(&self, _: &mut Conn, tenants: &[String], ids: &[String]) -> Result<Vec<Vec<Place>>> {
        let known = |id: &String| within(tenants) && machines().iter().any(|machine| machine.id == *id);
        Ok(ids.iter().map(|id| Some(group()).filter(|_| known(id)).into_iter().collect()).collect())
    }

    fn members(
        &self,
        _: &mut Conn,
        tenants: &[String],
        place: &Place,
        after: Option<&str>,
        limit: i64,
    ) -> Result<Vec<KnownResource>> {
        let inside = within(tenants) && *place == group();
        let next = machines().into_iter().filter(|machine| inside && after.is_none_or(|id| machine.id.as_str() > id));
        Ok(next.take(usize::try_from(limit).unwrap_or(0)).collect())
    }
}

/// A report is the alert as it stands, about no machine.
impl Alerts for Few {
    fn told(&self, _: &mut Conn, _: &str, _: &[String], report: &Value, _: Timestamp) -> Result<ToldAlert> {
        Ok(ToldAlert { resource: None, problem: Some("nobody knows the machine"), alert: report.clone() })
    }
}

fn main() -> anyhow::Result<()> {
    let windows = Arc::new(Windows::new(Arc::new(Few), Arc::new(Alone)));
    let extras = maintenance::extras(Arc::clone(&windows), Arc::new(Few));
    api::harness::serve_with(maintenance::domain(), extras, |db| {
        maintenance::demo::fill(db, &windows, &TenantId::client(1), (GROUP, "db-01"), api::clock::now())?;
        Ok(())
    })
}
