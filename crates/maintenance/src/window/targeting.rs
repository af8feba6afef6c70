//! Which windows have a resource, or a place of it, among their targets.

use std::collections::{BTreeSet, HashMap};

use base::timestamp::Timestamp;
use db::{Conn, Result};

use super::{
    store,
    targets::{Kind, Target},
};
use crate::neighbours::Neighbours;

/// Tenant and id of a window.
pub type Name = (String, String);

/// The id of a resource, and the windows that may cover it, each with its most direct way.
pub type Targeting = (String, Vec<(Kind, Name)>);

/// For each of these resources of a tenant, the windows of `tenants` that have it or a place of it among their
/// targets and of which something may take place after an instant; the most direct ways first.
pub fn targeting(
    conn: &mut Conn,
    neighbours: &Neighbours,
    tenants: &[String],
    tenant: &str,
    ids: &[String],
    after: Timestamp,
) -> Result<Vec<Targeting>> {
    let mut around = neighbours.own_and_partner(conn, tenant)?;
    around.sort_by_key(|known| known != tenant);
    let places = neighbours.resources().places_of(conn, &around, ids)?;
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
