//! Who owns what ("Ownership" in `docs/interface.md`): a user group, inherited downwards from the tenant's default by a site
//! and by device groups to a resource.

pub mod http;
mod on_call;
pub mod store;
pub mod wire;

use db::{Conn, Result};
use ports::{PlaceKind, ResourceKey};

use self::store::Row;
use crate::Neighbours;

/// The operations, in reading order.
pub fn routes(config: &mut api::Routes) {
    config.service(http::set).service(http::search).service(http::delete).service(on_call::get);
}

/// The owner of a machine of a tenant: its own, or that of one of its device groups, of its site, or of all that has none.
pub fn of_machine(conn: &mut Conn, neighbours: &Neighbours, tenant: &str, machine: &str) -> Result<Option<Row>> {
    let all = store::of_tenant(conn, tenant)?;
    if all.is_empty() {
        return Ok(None);
    }
    let find = |kind: &str, id: &str| all.iter().find(|row| row.kind == kind && row.target_id == id).cloned();
    let tenants = [tenant.to_owned()];
    if !machine.is_empty() {
        if let Some(own) = find(store::RESOURCE, machine) {
            return Ok(Some(own));
        }
        let key = ResourceKey::Id(machine.to_owned());
        if neighbours.resources.find(conn, &tenants, &[key])?.iter().any(|found| !found.is_empty()) {
            let places = neighbours.resources.places_of(conn, &tenants, &[machine.to_owned()])?;
            let places: Vec<_> = places.into_iter().flatten().filter(|place| place.tenant_id == tenant).collect();
            for (kind, word) in [(PlaceKind::DeviceGroup, store::DEVICE_GROUP), (PlaceKind::Location, store::SITE)] {
                let mut of_kind = places.iter().filter(|place| place.kind == kind);
                if let Some(found) = of_kind.find_map(|place| find(word, &place.id.to_string())) {
                    return Ok(Some(found));
                }
            }
        }
    }
    Ok(find(store::DEFAULT, ""))
}
