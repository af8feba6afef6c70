//! Whose a machine is.

use std::collections::HashMap;

use db::{Conn, Result};
use ports::{Place, PlaceKind, ServiceGroup};

use super::{
    row::{self, Ownership},
    store,
};
use crate::Neighbours;

/// Machines whose places are asked for at once.
const AT_ONCE: usize = 500;

/// The owner of a machine of a tenant: its own, or that of one of its device groups, of one of its service
/// groups, of its site, or of all that has none.
pub fn owner(conn: &mut Conn, neighbours: &Neighbours, tenant: &str, machine: &str) -> Result<Option<Ownership>> {
    Ok(owners(conn, neighbours, tenant, &[machine.to_owned()])?.pop().flatten())
}

/// As [`owner`], of many machines.
pub fn owners(
    conn: &mut Conn,
    neighbours: &Neighbours,
    tenant: &str,
    machines: &[String],
) -> Result<Vec<Option<Ownership>>> {
    let all = store::of_tenant(conn, tenant)?;
    if all.is_empty() {
        return Ok(vec![None; machines.len()]);
    }
    let known: HashMap<(&str, &str), &Ownership> =
        all.iter().map(|row| ((row.kind.as_str(), row.target_id.as_str()), row)).collect();
    let find = |kind: &str, id: &str| known.get(&(kind, id)).copied();
    let tenants = [tenant.to_owned()];
    let mut owners = Vec::with_capacity(machines.len());
    for machines in machines.chunks(AT_ONCE) {
        // What has an owner of its own, and what is none, has no places that matter.
        let asked = |machine: &&String| !machine.is_empty() && find(row::RESOURCE, machine).is_none();
        let asked: Vec<String> = machines.iter().filter(asked).cloned().collect();
        let above = above(conn, neighbours, &tenants, &asked)?;
        let above: HashMap<&String, Vec<(&str, String)>> = asked.iter().zip(above).collect();
        owners.extend(machines.iter().map(|machine| {
            let own = find(row::RESOURCE, machine).filter(|_| !machine.is_empty());
            let places = above.get(machine).into_iter().flatten();
            let owner = own.or_else(|| places.into_iter().find_map(|(kind, id)| find(kind, id)));
            owner.or_else(|| find(row::DEFAULT, "")).cloned()
        }));
    }
    Ok(owners)
}

/// What holds each of these machines, as owners name it: its device groups, its service groups, its site.
fn above(
    conn: &mut Conn,
    neighbours: &Neighbours,
    tenants: &[String],
    machines: &[String],
) -> Result<Vec<Vec<(&'static str, String)>>> {
    if machines.is_empty() {
        return Ok(Vec::new());
    }
    let places = neighbours.resources.places_of(conn, tenants, machines)?;
    let services = neighbours.resources.service_groups_of(conn, tenants, machines)?;
    let own = |owner: &str| tenants.iter().any(|tenant| tenant == owner);
    let of_machine = |(places, services): (Vec<Place>, Vec<ServiceGroup>)| {
        let of_kind = |kind: PlaceKind, word: &'static str| {
            let of_kind = places.iter().filter(move |place| place.kind == kind && own(&place.tenant_id));
            of_kind.map(move |place| (word, place.id.to_string()))
        };
        let services = services.iter().filter(|group| own(&group.tenant_id));
        let services = services.map(|group| (row::SERVICE_GROUP, group.id.to_string()));
        let groups = of_kind(PlaceKind::DeviceGroup, row::DEVICE_GROUP).chain(services);
        groups.chain(of_kind(PlaceKind::Location, row::SITE)).collect()
    };
    Ok(places.into_iter().zip(services).map(of_machine).collect())
}
