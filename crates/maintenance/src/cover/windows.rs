//! Answers which windows cover what.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};

use base::{problem::Problem, timestamp::Timestamp};
use calendar::Interval;
use db::{Conn, Result};
use ports::{People, ResourceKey, Resources};

use super::ready::{Name, Ready, ReadyWindows};
use crate::window::{
    store,
    targets::{Kind, Target},
};

/// The id of a resource, and the windows that may cover it, each with its most direct way.
type Targeting = (String, Vec<(Kind, Name)>);

/// Answers which windows cover what: the handlers of this domain, and through [`ports::Maintenance`] the others.
pub struct Windows {
    resources: Arc<dyn Resources>,
    people: Arc<dyn People>,
    ready: ReadyWindows,
}

/// A window that is open, and how it covers a resource.
#[derive(Clone)]
pub(crate) struct Covered {
    pub(crate) window: Arc<Ready>,
    /// The time in which it is open.
    pub(crate) open: Interval,
    /// The most direct way.
    pub(crate) via: Kind,
}

impl Windows {
    /// With those who know the resources, and the tenants.
    pub fn new(resources: Arc<dyn Resources>, people: Arc<dyn People>) -> Self {
        Self { resources, people, ready: ReadyWindows::default() }
    }

    /// Those who know the resources.
    pub(crate) fn resources(&self) -> &dyn Resources {
        &*self.resources
    }

    /// Those who know the people.
    pub(crate) fn people(&self) -> &dyn People {
        &*self.people
    }

    /// Those who know the resources, to be taken along.
    pub(crate) fn shared_resources(&self) -> Arc<dyn Resources> {
        Arc::clone(&self.resources)
    }

    /// A tenant and its partner, whose windows may cover the tenant's resources.
    pub(crate) fn around(&self, conn: &mut Conn, tenant: &str) -> Result<Vec<String>> {
        let found = self.people.around(conn, tenant)?;
        Ok(if found.is_empty() { vec![tenant.to_owned()] } else { found })
    }

    /// Is the tenant in use, not suspended?
    pub(crate) fn is_active(&self, conn: &mut Conn, tenant: &str) -> Result<bool> {
        self.people.is_active(conn, tenant)
    }

    /// May this user of the tenant or its partner still act?
    pub(crate) fn may_act(&self, conn: &mut Conn, tenant: &str, user_id: &str, now: Timestamp) -> Result<bool> {
        let around = self.people.around(conn, tenant)?;
        self.people.may_act(conn, &around, user_id, now)
    }

    /// The tenant of each of these resources that is among those of a scope, with the ids of its resources.
    pub(crate) fn owners(
        &self,
        conn: &mut Conn,
        scope: &[String],
        ids: &[String],
    ) -> Result<BTreeMap<String, Vec<String>>> {
        let keys: Vec<ResourceKey> = ids.iter().map(|id| ResourceKey::Id(id.clone())).collect();
        let mut owners: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for known in self.resources.find(conn, scope, &keys)?.into_iter().flatten() {
            owners.entry(known.tenant_id).or_default().push(known.id);
        }
        Ok(owners)
    }

    /// For each of these resources of a tenant, the windows of `tenants` that have it or a place of it among their
    /// targets and of which something may take place after an instant; the most direct ways first.
    pub(crate) fn targeting(
        &self,
        conn: &mut Conn,
        tenants: &[String],
        tenant: &str,
        ids: &[String],
        after: Timestamp,
    ) -> Result<Vec<Targeting>> {
        let mut around = self.around(conn, tenant)?;
        around.sort_by_key(|known| known != tenant);
        let places = self.resources.places_of(conn, &around, ids)?;
        let device = |id: &String| Target { kind: Kind::Device, tenant: tenant.to_owned(), id: id.clone() };
        let ways: Vec<Vec<Target>> = ids
            .iter()
            .zip(places)
            .map(|(id, places)| {
                let places = places.into_iter().map(|place| Target {
                    kind: Kind::of(place.kind),
                    tenant: place.tenant_id,
                    id: place.id.to_string(),
                });
                let mut ways: Vec<Target> = std::iter::once(device(id)).chain(places).collect();
                ways.sort();
                ways
            })
            .collect();
        let mut windows: HashMap<Target, Vec<Name>> = HashMap::new();
        for kind in Kind::ALL {
            let wanted: BTreeSet<&String> =
                ways.iter().flatten().filter(|target| target.kind == kind).map(|target| &target.id).collect();
            let wanted: Vec<String> = wanted.into_iter().cloned().collect();
            for (target, name) in store::covering(conn, tenants, kind, &wanted, after)? {
                windows.entry(target).or_default().push(name);
            }
        }
        let found = ids.iter().zip(ways).map(|(id, ways)| {
            let mut met = BTreeSet::new();
            let mut found = Vec::new();
            for way in ways {
                for name in windows.get(&way).into_iter().flatten().filter(|name| met.insert((*name).clone())) {
                    found.push((way.kind, name.clone()));
                }
            }
            (id.clone(), found)
        });
        Ok(found.collect())
    }

    /// These windows, made ready; those that are gone are left out.
    pub(crate) fn load(&self, conn: &mut Conn, names: &[Name]) -> Result<HashMap<Name, Arc<Ready>>> {
        let versions = store::versions(conn, names)?;
        self.load_versions(conn, versions)
    }

    /// The same, when their versions are known.
    pub(crate) fn load_versions(
        &self,
        conn: &mut Conn,
        versions: Vec<(String, String, i64)>,
    ) -> Result<HashMap<Name, Arc<Ready>>> {
        let mut found = HashMap::with_capacity(versions.len());
        let mut missing = Vec::new();
        for (tenant, id, version) in versions {
            let name = (tenant, id);
            match self.ready.get(&name, version) {
                Some(ready) => _ = found.insert(name, ready),
                None => missing.push(name),
            }
        }
        for row in store::some(conn, &missing)? {
            let ready = Arc::new(Ready::new(&row)?);
            self.ready.insert(&ready);
            found.insert((row.tenant_id, row.id), ready);
        }
        Ok(found)
    }

    /// For each of these resources of a tenant, the windows of the tenant and of its partner that are open at an
    /// instant and cover it, by id.
    pub(crate) fn covered(
        &self,
        conn: &mut Conn,
        tenant: &str,
        ids: &[String],
        at: Timestamp,
    ) -> Result<Vec<Vec<Covered>>> {
        let around = self.around(conn, tenant)?;
        let targeting = self.targeting(conn, &around, tenant, ids, at)?;
        let names: BTreeSet<&Name> = targeting.iter().flat_map(|(_, found)| found).map(|(_, name)| name).collect();
        let names: Vec<Name> = names.into_iter().cloned().collect();
        let open: HashMap<Name, (Arc<Ready>, Interval)> = self
            .load(conn, &names)?
            .into_iter()
            .filter_map(|(name, ready)| Some((name, (ready.clone(), ready.course.open_at(at)?))))
            .collect();
        let covered = |found: Vec<(Kind, Name)>| {
            let mut covered: Vec<Covered> = found
                .into_iter()
                .filter_map(|(via, name)| {
                    let (window, open) = open.get(&name)?;
                    Some(Covered { window: Arc::clone(window), open: *open, via })
                })
                .collect();
            covered.sort_by(|a, b| a.window.name().cmp(&b.window.name()));
            covered
        };
        Ok(targeting.into_iter().map(|(_, found)| covered(found)).collect())
    }
}

/// 400: the keys of a cursor are not those of the list.
pub fn damaged_cursor() -> db::Error {
    Problem::field("cursor", base::cursor::Refused::Damaged.message()).into()
}
