//! Incidents and alerts alone, on a new embedded database with the alerts of the demo company:
//! `cargo run -p incidents --example incidents`. No machine is in maintenance, and nobody is on call.

use std::{collections::HashMap, sync::Arc};

use base::{tenant::TenantId, timestamp::Timestamp};
use db::{Conn, Result};
use incidents::Neighbours;
use ports::{
    AlertFacts, Alone, Cover, KnownResource, KnownRoster, Maintenance, OnCall, OnCallPerson, Place, PlaceKey,
    PlaceKind, ResourceKey, Resources, Tenants, Window,
};

/// Four machines of `client_1`, and nothing else.
struct Few;

const HOSTS: [&str; 4] = ["db-01", "web-01", "web-02", "queue-01"];

impl Resources for Few {
    fn find(&self, _: &mut Conn, tenants: &[String], keys: &[ResourceKey]) -> Result<Vec<Vec<KnownResource>>> {
        let machine = |(number, host): (i32, &&str)| KnownResource {
            id: format!("00000000-0000-4000-8000-{number:012}"),
            tenant_id: "client_1".to_owned(),
            name: (*host).to_owned(),
            host_name: (*host).to_owned(),
            ip_address: format!("10.0.0.{number}"),
            resource_type: "Linux".to_owned(),
        };
        let is = |machine: &KnownResource, key: &ResourceKey| match key {
            ResourceKey::Id(id) => machine.id.eq_ignore_ascii_case(id),
            ResourceKey::HostName(name) => machine.host_name.eq_ignore_ascii_case(name),
            ResourceKey::IpAddress(address) => machine.ip_address == *address,
            ResourceKey::ExtResourceId(_) | ResourceKey::MacAddress(_) => false,
        };
        let machines = (1..).zip(&HOSTS).map(machine).filter(|machine| tenants.contains(&machine.tenant_id));
        let machines: Vec<KnownResource> = machines.collect();
        Ok(keys.iter().map(|key| machines.iter().filter(|machine| is(machine, key)).cloned().collect()).collect())
    }

    fn former(&self, _: &mut Conn, _: &[String], keys: &[ResourceKey]) -> Result<Vec<Vec<KnownResource>>> {
        Ok(vec![Vec::new(); keys.len()])
    }

    fn places(&self, _: &mut Conn, _: &[String], _: PlaceKind, keys: &[PlaceKey]) -> Result<Vec<Vec<Place>>> {
        Ok(vec![Vec::new(); keys.len()])
    }

    fn places_of(&self, _: &mut Conn, _: &[String], ids: &[String]) -> Result<Vec<Vec<Place>>> {
        Ok(vec![Vec::new(); ids.len()])
    }

    fn members(&self, _: &mut Conn, _: &[String], _: &Place, _: Option<&str>, _: i64) -> Result<Vec<KnownResource>> {
        Ok(Vec::new())
    }
}

impl Maintenance for Few {
    fn covering(&self, _: &mut Conn, resources: &[(String, String)], _: Timestamp) -> Result<Vec<Vec<Cover>>> {
        Ok(vec![Vec::new(); resources.len()])
    }

    fn catching(&self, _: &mut Conn, alerts: &[AlertFacts<'_>], _: Timestamp) -> Result<Vec<Option<Cover>>> {
        Ok(vec![None; alerts.len()])
    }

    fn open_until(&self, _: &mut Conn, windows: &[Window], _: Timestamp) -> Result<Vec<Option<Timestamp>>> {
        Ok(vec![None; windows.len()])
    }

    fn escalating(&self, _: &mut Conn, windows: &[Window]) -> Result<Vec<Option<bool>>> {
        Ok(vec![None; windows.len()])
    }
}

impl OnCall for Few {
    fn on_call(&self, _: &mut Conn, _: &str, _: &str, _: Timestamp) -> Result<Vec<OnCallPerson>> {
        Ok(Vec::new())
    }

    fn roster(&self, _: &mut Conn, _: &[String], _: &str) -> Result<Option<KnownRoster>> {
        Ok(None)
    }
}

impl Tenants for Few {
    fn names(&self, _: &mut Conn, ids: &[String]) -> Result<HashMap<String, String>> {
        Ok(ids.iter().map(|id| (id.clone(), id.clone())).collect())
    }
}

fn main() -> anyhow::Result<()> {
    let neighbours = Neighbours {
        resources: Arc::new(Few),
        maintenance: Arc::new(Few),
        on_call: Arc::new(Few),
        people: Arc::new(Alone),
        tenants: Arc::new(Few),
    };
    api::harness::serve_with(incidents::domain(), incidents::extras(neighbours.clone(), Arc::default()), |db| {
        incidents::demo::fill(db, &TenantId::client(1), &neighbours, api::clock::now())?;
        Ok(())
    })
}
