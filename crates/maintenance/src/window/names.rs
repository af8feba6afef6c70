//! What the targets of windows are called.

use std::collections::{BTreeSet, HashMap};

use db::{Conn, Result};
use ports::{Place, PlaceKey, PlaceKind, ResourceKey, ResourceSummary, Resources};

use super::targets::{Kind, Target};

/// What targets are called, by target.
#[derive(Default)]
pub struct Names {
    devices: HashMap<Target, ResourceSummary>,
    places: HashMap<Target, Place>,
}

impl Names {
    /// Looks up what these targets are called. A target keeps the tenant that it was of when it was given.
    pub fn load<'t>(
        conn: &mut Conn,
        resources: &dyn Resources,
        targets: impl IntoIterator<Item = &'t Target>,
    ) -> Result<Self> {
        let distinct: BTreeSet<&Target> = targets.into_iter().collect();
        let mut by_place: HashMap<(Kind, &str), Vec<&Target>> = HashMap::new();
        for target in distinct {
            by_place.entry((target.kind, &target.tenant)).or_default().push(target);
        }
        let mut names = Self::default();
        for ((kind, tenant), targets) in by_place {
            let tenants = [tenant.to_owned()];
            if kind == Kind::Device {
                let keys: Vec<ResourceKey> = targets.iter().map(|target| ResourceKey::Id(target.id.clone())).collect();
                let found = resources.find(conn, &tenants, &keys)?;
                let named = targets.into_iter().cloned().zip(found);
                names.devices.extend(named.filter_map(|(target, found)| Some((target, found.into_iter().next()?))));
                continue;
            }
            let place = if kind == Kind::DeviceGroup { PlaceKind::DeviceGroup } else { PlaceKind::Location };
            let keys: Vec<PlaceKey> =
                targets.iter().map(|target| PlaceKey::Id(target.id.parse().unwrap_or(-1))).collect();
            let found = resources.places(conn, &tenants, place, &keys)?;
            let named = targets.into_iter().cloned().zip(found);
            names.places.extend(named.filter_map(|(target, found)| Some((target, found.into_iter().next()?))));
        }
        Ok(names)
    }

    /// The place of a target that is one.
    pub fn place(&self, target: &Target) -> Option<&Place> {
        self.places.get(target)
    }

    /// The resource of a target that is one.
    pub fn device(&self, target: &Target) -> Option<&ResourceSummary> {
        self.devices.get(target)
    }
}
