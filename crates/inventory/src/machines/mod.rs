//! The port by which other domains look up machines: [`ports::Resources`].
//!
//! Questions come by the hundred (an alert intake asks for a whole batch), so each is a few statements, whatever the
//! number of keys: one for each kind of key, as ranges of indexes that start with the tenant.

mod find;
mod names;
mod places;
mod summary;
mod tags;
#[cfg(test)]
mod tests;

use db::{Conn, Result};
use ports::{Place, PlaceKey, PlaceKind, ResourceKey, ResourceSummary, Resources, ServiceGroup};

use crate::groups::kind::Kind;

/// Values that one statement takes: SQLite allows no more than 32,766, and a statement is prepared anew for each
/// length.
const MOST_VALUES: usize = 500;

/// Answers [`Resources`] from the inventory. Where a key means something in several of the tenants, the tenant that
/// was named first counts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Machines;

impl Resources for Machines {
    fn find(&self, conn: &mut Conn, tenants: &[String], keys: &[ResourceKey]) -> Result<Vec<Vec<ResourceSummary>>> {
        find::find(conn, tenants, keys, &summary::MANAGED)
    }

    fn decommissioned(
        &self,
        conn: &mut Conn,
        tenants: &[String],
        keys: &[ResourceKey],
    ) -> Result<Vec<Vec<ResourceSummary>>> {
        find::find(conn, tenants, keys, &summary::HISTORY)
    }

    fn places(
        &self,
        conn: &mut Conn,
        tenants: &[String],
        kind: PlaceKind,
        keys: &[PlaceKey],
    ) -> Result<Vec<Vec<Place>>> {
        match kind {
            PlaceKind::DeviceGroup => places::find_groups(conn, tenants, Kind::Device, keys),
            PlaceKind::Location => places::find_sites(conn, tenants, keys),
        }
    }

    fn places_of(&self, conn: &mut Conn, tenants: &[String], ids: &[String]) -> Result<Vec<Vec<Place>>> {
        places::places_of(conn, tenants, Kind::Device, ids)
    }

    fn service_groups(&self, conn: &mut Conn, tenants: &[String], keys: &[PlaceKey]) -> Result<Vec<Vec<ServiceGroup>>> {
        let found = places::find_groups(conn, tenants, Kind::Service, keys)?;
        Ok(found.into_iter().map(|places| places.into_iter().map(places::service_group).collect()).collect())
    }

    fn service_groups_of(&self, conn: &mut Conn, tenants: &[String], ids: &[String]) -> Result<Vec<Vec<ServiceGroup>>> {
        places::services_of(conn, tenants, ids)
    }

    fn tags_of(&self, conn: &mut Conn, tenants: &[String], ids: &[String]) -> Result<Vec<Vec<(String, String)>>> {
        tags::tags_of(conn, tenants, ids)
    }

    fn members(
        &self,
        conn: &mut Conn,
        tenants: &[String],
        place: &Place,
        after: Option<&str>,
        limit: i64,
    ) -> Result<Vec<ResourceSummary>> {
        places::members(conn, tenants, place, after.unwrap_or_default(), limit)
    }
}
