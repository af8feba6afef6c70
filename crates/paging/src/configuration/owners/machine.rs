//! Whose a machine is.

use db::{Conn, Result};
use ports::{PlaceKind, ResourceKey};

use super::{
    row::{self, Ownership},
    store,
};
use crate::Neighbours;

/// The owner of a machine of a tenant: its own, or that of one of its device groups, of one of its service
/// groups, of its site, or of all that has none.
pub fn owner(conn: &mut Conn, neighbours: &Neighbours, tenant: &str, machine: &str) -> Result<Option<Ownership>> {
    let all = store::of_tenant(conn, tenant)?;
    if all.is_empty() {
        return Ok(None);
    }
    let find = |kind: &str, id: &str| all.iter().find(|row| row.kind == kind && row.target_id == id).cloned();
    let tenants = [tenant.to_owned()];
    if !machine.is_empty() {
        if let Some(own) = find(row::RESOURCE, machine) {
            return Ok(Some(own));
        }
        let key = ResourceKey::Id(machine.to_owned());
        if neighbours.resources.find(conn, &tenants, &[key])?.iter().any(|found| !found.is_empty()) {
            let places = neighbours.resources.places_of(conn, &tenants, &[machine.to_owned()])?;
            let places: Vec<_> = places.into_iter().flatten().filter(|place| place.tenant_id == tenant).collect();
            let services = neighbours.resources.service_groups_of(conn, &tenants, &[machine.to_owned()])?;
            let services = services.into_iter().flatten().filter(|group| group.tenant_id == tenant);
            let of_kind = |kind: PlaceKind, word: &'static str| {
                places.iter().filter(move |place| place.kind == kind).map(move |place| (word, place.id))
            };
            let groups = of_kind(PlaceKind::DeviceGroup, row::DEVICE_GROUP);
            let services = services.map(|group| (row::SERVICE_GROUP, group.id));
            let mut all = groups.chain(services).chain(of_kind(PlaceKind::Location, row::SITE));
            if let Some(found) = all.find_map(|(word, id)| find(word, &id.to_string())) {
                return Ok(Some(found));
            }
        }
    }
    Ok(find(row::DEFAULT, ""))
}
