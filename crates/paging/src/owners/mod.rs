//! Who owns what ("Ownership" in `docs/interface.md`): a user group, inherited downwards from the tenant's default by a site, by
//! service groups and by device groups to a resource.

pub mod http;
mod on_call;
pub mod store;
pub mod wire;

use base::timestamp::Timestamp;
use db::{Conn, Result};
use ports::{PlaceKind, ResourceKey};

use self::store::Row;
use crate::Neighbours;

/// The operations, in reading order.
pub fn routes(config: &mut api::Routes) {
    config.service(http::set).service(http::search).service(http::delete).service(on_call::get);
}

/// The owner of a machine of a tenant: its own, or that of one of its device groups, of one of its service
/// groups, of its site, or of all that has none.
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
            let services = neighbours.resources.service_groups_of(conn, &tenants, &[machine.to_owned()])?;
            let services = services.into_iter().flatten().filter(|group| group.tenant_id == tenant);
            let of_kind = |kind: PlaceKind, word: &'static str| {
                places.iter().filter(move |place| place.kind == kind).map(move |place| (word, place.id))
            };
            let groups = of_kind(PlaceKind::DeviceGroup, store::DEVICE_GROUP);
            let services = services.map(|group| (store::SERVICE_GROUP, group.id));
            let mut all = groups.chain(services).chain(of_kind(PlaceKind::Location, store::SITE));
            if let Some(found) = all.find_map(|(word, id)| find(word, &id.to_string())) {
                return Ok(Some(found));
            }
        }
    }
    Ok(find(store::DEFAULT, ""))
}

/// Answers [`ports::Owners`].
pub struct Owned {
    neighbours: Neighbours,
}

impl Owned {
    /// With those whom it asks.
    pub fn new(neighbours: Neighbours) -> Self {
        Self { neighbours }
    }
}

impl ports::Owners for Owned {
    fn owner(&self, conn: &mut Conn, tenant: &str, machine: &str) -> Result<Option<String>> {
        Ok(of_machine(conn, &self.neighbours, tenant, machine)?.map(|row| row.group_id))
    }

    fn called(&self, conn: &mut Conn, tenant: &str, machine: &str, at: Timestamp) -> Result<Option<String>> {
        on_call::first(conn, &self.neighbours, tenant, machine, at)
    }
}
