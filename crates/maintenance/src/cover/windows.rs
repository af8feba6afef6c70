//! Answers which windows cover what.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use base::timestamp::Timestamp;
use calendar::Interval;
use db::{Conn, Result};
use ports::{People, Resources};

use super::ready::{Ready, ReadyWindows};
use crate::{
    neighbours::Neighbours,
    window::{
        store,
        targeting::{Name, targeting},
        targets::Kind,
    },
};

/// Answers which windows cover what: the handlers of this domain, and through [`ports::Maintenance`] the others.
pub struct Windows {
    neighbours: Arc<Neighbours>,
    ready: ReadyWindows,
}

/// A window that is open, and how it covers a resource.
#[derive(Clone)]
pub(crate) struct CoveringWindow {
    pub(crate) window: Arc<Ready>,
    /// The time in which it is open.
    pub(crate) open: Interval,
    /// The most direct way.
    pub(crate) via: Kind,
}

impl Windows {
    /// With those who know the resources, and the tenants.
    pub fn new(resources: Arc<dyn Resources>, people: Arc<dyn People>) -> Self {
        Self { neighbours: Arc::new(Neighbours::new(resources, people)), ready: ReadyWindows::default() }
    }

    /// Those who answer for other domains.
    pub(crate) fn neighbours(&self) -> &Arc<Neighbours> {
        &self.neighbours
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
    ) -> Result<Vec<Vec<CoveringWindow>>> {
        let around = self.neighbours.own_and_partner(conn, tenant)?;
        let targeting = targeting(conn, &self.neighbours, &around, tenant, ids, at)?;
        let names: BTreeSet<&Name> = targeting.iter().flat_map(|(_, found)| found).map(|(_, name)| name).collect();
        let names: Vec<Name> = names.into_iter().cloned().collect();
        let open: HashMap<Name, (Arc<Ready>, Interval)> = self
            .load(conn, &names)?
            .into_iter()
            .filter_map(|(name, ready)| Some((name, (ready.clone(), ready.course.open_at(at)?))))
            .collect();
        let covered = |found: Vec<(Kind, Name)>| {
            let mut covered: Vec<CoveringWindow> = found
                .into_iter()
                .filter_map(|(via, name)| {
                    let (window, open) = open.get(&name)?;
                    Some(CoveringWindow { window: Arc::clone(window), open: *open, via })
                })
                .collect();
            covered.sort_by(|a, b| a.window.name().cmp(&b.window.name()));
            covered
        };
        Ok(targeting.into_iter().map(|(_, found)| covered(found)).collect())
    }
}
