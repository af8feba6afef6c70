//! Resources by what people call them.

use std::collections::{BTreeMap, BTreeSet};

use base::{
    net::{ip_key, is_shared_ip},
    text::fold,
};
use db::{Condition, Conn, Result};
use diesel::prelude::*;
use ports::{KnownResource, ResourceKey};

use super::{
    MOST_VALUES, names,
    shown::{Shown, Which, known, shown},
};
use crate::{
    model::document::STATES,
    resources::{addresses, filter},
    schema::{resource_addresses, resource_identities, resources},
};

/// Which column or table knows a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum By {
    Id,
    External,
    Ip,
    /// The addresses of network cards, and of machines known by one.
    Address,
    /// Any of its names.
    Name,
}

impl By {
    /// `column IN`, for those of which a resource has one.
    const fn column(self) -> &'static str {
        match self {
            Self::Id => "resources.id IN",
            Self::External => "resources.ext_key IN",
            Self::Ip => "resources.ip_key IN",
            Self::Address | Self::Name => "resource_addresses.address IN",
        }
    }
}

/// Where to look for a key, as it is stored there.
fn lookups(key: &ResourceKey) -> Vec<(By, String)> {
    let found = match key {
        ResourceKey::Id(id) => vec![(By::Id, fold(id.trim()))],
        ResourceKey::Name(name) => {
            let by_name = (By::Name, names::normal(name));
            std::iter::once(by_name).chain(of_address(name)).collect()
        }
        ResourceKey::ExtResourceId(id) => vec![(By::External, fold(id.trim()))],
        ResourceKey::IpAddress(text) => of_address(text).collect(),
        ResourceKey::MacAddress(text) => addresses::mac(text).map(|key| (By::Address, key)).into_iter().collect(),
    };
    // Whoever has no name has the empty one, which names nobody.
    found.into_iter().filter(|(_, value)| !value.is_empty()).collect()
}

/// An address that machines share, such as that of the loopback, names none.
fn of_address(text: &str) -> impl Iterator<Item = (By, String)> {
    let own = ip_key(text.trim()).filter(|_| !is_shared_ip(text.trim())).map(|key| (By::Ip, key));
    own.into_iter().chain(addresses::ip(text).map(|key| (By::Address, key)))
}

/// The resources that each key names.
pub(super) fn find(
    conn: &mut Conn,
    tenants: &[String],
    keys: &[ResourceKey],
    which: &Which,
) -> Result<Vec<Vec<KnownResource>>> {
    let asked: Vec<Vec<(By, String)>> = keys.iter().map(lookups).collect();
    let mut values: BTreeMap<By, BTreeSet<&str>> = BTreeMap::new();
    for (by, value) in asked.iter().flatten() {
        values.entry(*by).or_default().insert(value);
    }
    let mut known: BTreeMap<(By, String), Vec<KnownResource>> = BTreeMap::new();
    let called: BTreeSet<String> = values.remove(&By::Name).into_iter().flatten().map(str::to_owned).collect();
    if !called.is_empty() {
        let named = names::find(conn, tenants, &called, which)?.into_iter();
        known.extend(named.map(|(name, resources)| ((By::Name, name), resources)));
    }
    for (by, values) in values {
        let values: Vec<&str> = values.into_iter().collect();
        for values in values.chunks(MOST_VALUES) {
            for (value, resource) in look_up(conn, tenants, by, values, which)? {
                known.entry((by, value)).or_default().push(resource);
            }
        }
    }
    let rank = |tenant: &str| tenants.iter().position(|known| known == tenant);
    Ok(asked
        .into_iter()
        .map(|lookups| {
            let mut found: Vec<KnownResource> =
                lookups.into_iter().flat_map(|lookup| known.get(&lookup).cloned().unwrap_or_default()).collect();
            found.sort_by(|a, b| (rank(&a.tenant_id), &a.id).cmp(&(rank(&b.tenant_id), &b.id)));
            found.dedup();
            found.truncate(which.enough);
            found
        })
        .collect())
}

/// The resources with these values, each with the value that found it. A value that many share does not bring in all
/// of them: when there are more rows than a batch of names that mean something has, each value is asked for alone.
fn look_up(
    conn: &mut Conn,
    tenants: &[String],
    by: By,
    values: &[&str],
    which: &Which,
) -> Result<Vec<(String, KnownResource)>> {
    let most = values.len() * 2 * which.enough;
    let found = rows(conn, tenants, by, values, which, most)?;
    if found.len() < most || values.len() == 1 {
        return Ok(found);
    }
    let mut all = Vec::new();
    for value in values {
        all.extend(look_up(conn, tenants, by, &[value], which)?);
    }
    Ok(all)
}

fn rows(
    conn: &mut Conn,
    tenants: &[String],
    by: By,
    values: &[&str],
    which: &Which,
    most: usize,
) -> Result<Vec<(String, KnownResource)>> {
    use resources::dsl;
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    if by == By::Address {
        return by_address(conn, tenants, values, which, most);
    }
    let query = dsl::resources
        .filter(filter::tenants(tenants))
        .filter(Condition::text_in(by.column(), values.iter().copied()))
        .filter(filter::states(which.states.iter().copied()))
        .limit(most);
    let shown = shown();
    let rows: Vec<(Option<String>, Shown)> = match by {
        By::Id => query.select((dsl::id.nullable(), shown)).load(conn)?,
        By::External => query.select((dsl::ext_key, shown)).load(conn)?,
        By::Ip | By::Address | By::Name => query.select((dsl::ip_key.nullable(), shown)).load(conn)?,
    };
    Ok(rows.into_iter().map(|(value, shown)| (value.unwrap_or_default(), known(shown))).collect())
}

fn by_address(
    conn: &mut Conn,
    tenants: &[String],
    values: &[&str],
    which: &Which,
    most: i64,
) -> Result<Vec<(String, KnownResource)>> {
    use resource_addresses::dsl as cards;
    use resource_identities::dsl as identities;
    let of_card = cards::tenant_id.eq(resources::tenant_id).and(cards::resource_id.eq(resources::id));
    let found: Vec<(String, Shown)> = cards::resource_addresses
        .inner_join(resources::table.on(of_card))
        .filter(Condition::text_in("resource_addresses.tenant_id IN", tenants))
        .filter(Condition::text_in(By::Address.column(), values.iter().copied()))
        .filter(filter::states(which.states.iter().copied()))
        .select((cards::address, shown()))
        .limit(most)
        .load(conn)?;
    let of_identity = identities::tenant_id.eq(resources::tenant_id).and(identities::resource_id.eq(resources::id));
    let hardware = values.iter().copied().filter(|value| value.starts_with("mac:"));
    let more: Vec<(String, Shown)> = identities::resource_identities
        .inner_join(resources::table.on(of_identity))
        .filter(Condition::text_in("resource_identities.tenant_id IN", tenants))
        .filter(Condition::text_in("resource_identities.identity IN", hardware))
        .filter(filter::states(which.states.iter().copied()))
        .select((identities::identity, shown()))
        .limit(most)
        .load(conn)?;
    Ok(found.into_iter().chain(more).map(|(address, shown)| (address, known(shown))).collect())
}

/// The resources with these ids, of all of these tenants, in no order.
pub(super) fn by_ids(conn: &mut Conn, tenants: &[String], ids: &[&str]) -> Result<Vec<KnownResource>> {
    let rows: Vec<Shown> = db::in_parts(ids, |ids| {
        resources::table
            .filter(filter::tenants(tenants))
            .filter(Condition::text_in(By::Id.column(), ids.iter().copied()))
            .filter(filter::states(STATES))
            .select(shown())
            .load(conn)
    })?;
    Ok(rows.into_iter().map(known).collect())
}
