//! The machines that a domain served alone sees; none of them is in maintenance.

use base::Timestamp;
use db::{Conn, Result};

use ports::{
    AlertFacts, Cover, Maintenance, Place, PlaceKey, PlaceKind, ResourceKey, ResourceSummary, Resources, ServiceGroup,
    Window,
};

use crate::Standalone;

const HOSTS: [&str; 4] = ["web-01", "web-02", "db-01", "queue-01"];

impl Standalone {
    /// The device group of all machines.
    pub const GROUP: &str = "Servers";
}

fn machines() -> Vec<ResourceSummary> {
    let machine = |(number, host): (i32, &&str)| ResourceSummary {
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
        name: Standalone::GROUP.to_owned(),
    }
}

/// Are the records of `client_1` among those of these tenants?
fn within(tenants: &[String]) -> bool {
    tenants.iter().any(|tenant| tenant == "client_1")
}

/// Four machines of `client_1`, all of them in one device group.
impl Resources for Standalone {
    fn find(&self, _: &mut Conn, tenants: &[String], keys: &[ResourceKey]) -> Result<Vec<Vec<ResourceSummary>>> {
        let is = |machine: &ResourceSummary, key: &ResourceKey| match key {
            ResourceKey::Id(id) => machine.id.eq_ignore_ascii_case(id),
            ResourceKey::Name(name) => machine.host_name.eq_ignore_ascii_case(name),
            ResourceKey::IpAddress(address) => machine.ip_address == *address,
            ResourceKey::ExtResourceId(_) | ResourceKey::MacAddress(_) => false,
        };
        let found = |key| machines().into_iter().filter(|machine| within(tenants) && is(machine, key)).collect();
        Ok(keys.iter().map(found).collect())
    }

    fn decommissioned(&self, _: &mut Conn, _: &[String], keys: &[ResourceKey]) -> Result<Vec<Vec<ResourceSummary>>> {
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
    ) -> Result<Vec<ResourceSummary>> {
        let inside = within(tenants) && *place == group();
        let next = machines().into_iter().filter(|machine| inside && after.is_none_or(|id| machine.id.as_str() > id));
        Ok(next.take(usize::try_from(limit).unwrap_or(0)).collect())
    }

    fn service_groups(&self, _: &mut Conn, _: &[String], keys: &[PlaceKey]) -> Result<Vec<Vec<ServiceGroup>>> {
        Ok(vec![Vec::new(); keys.len()])
    }

    fn service_groups_of(&self, _: &mut Conn, _: &[String], ids: &[String]) -> Result<Vec<Vec<ServiceGroup>>> {
        Ok(vec![Vec::new(); ids.len()])
    }

    fn tags_of(&self, _: &mut Conn, _: &[String], ids: &[String]) -> Result<Vec<Vec<(String, String)>>> {
        Ok(vec![Vec::new(); ids.len()])
    }
}

/// Nothing is in maintenance.
impl Maintenance for Standalone {
    fn covering(&self, _: &mut Conn, resources: &[(String, String)], _: Timestamp) -> Result<Vec<Vec<Cover>>> {
        Ok(vec![Vec::new(); resources.len()])
    }

    fn catching(&self, _: &mut Conn, alerts: &[AlertFacts<'_>], _: Timestamp) -> Result<Vec<Vec<Cover>>> {
        Ok(vec![Vec::new(); alerts.len()])
    }

    fn open_until(&self, _: &mut Conn, windows: &[Window], _: Timestamp) -> Result<Vec<Option<Timestamp>>> {
        Ok(vec![None; windows.len()])
    }

    fn escalating(&self, _: &mut Conn, windows: &[Window]) -> Result<Vec<Option<bool>>> {
        Ok(vec![None; windows.len()])
    }
}
