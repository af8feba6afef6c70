//! The lookup of resources by id, name, external id and address.

use std::collections::{BTreeMap, BTreeSet};

use base::{
    net::{ip_key, is_shared_ip},
    text::fold,
};
use db::{Condition, Conn, Result};
use diesel::prelude::*;
use ports::{ResourceKey, ResourceSummary};

use super::{
    MOST_VALUES, names,
    summary::{LookupRules, SummaryRow, summary_columns, to_summary},
};
use crate::{
    model::document::STATES,
    resources::{addresses, filter},
    schema::{resource_addresses, resource_identities, resources},
};

/// The column or table in which a key is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum KeyColumn {
    Id,
    External,
    Ip,
    /// The addresses of network cards, and of machines known by one.
    Address,
    /// Any of its names.
    Name,
}

impl KeyColumn {
    /// The column in SQL, with `IN`.
    const fn column(self) -> &'static str {
        match self {
            Self::Id => "resources.id IN",
            Self::External => "resources.ext_key IN",
            Self::Ip => "resources.ip_key IN",
            Self::Address | Self::Name => "resource_addresses.address IN",
        }
    }
}

/// The columns in which to look up a key, with the key as it is stored there.
fn lookups(key: &ResourceKey) -> Vec<(KeyColumn, String)> {
    let lookups = match key {
        ResourceKey::Id(id) => vec![(KeyColumn::Id, fold(id.trim()))],
        ResourceKey::Name(name) => {
            let by_name = (KeyColumn::Name, names::normalize(name));
            std::iter::once(by_name).chain(address_lookups(name)).collect()
        }
        ResourceKey::ExtResourceId(id) => vec![(KeyColumn::External, fold(id.trim()))],
        ResourceKey::IpAddress(text) => address_lookups(text).collect(),
        ResourceKey::MacAddress(text) => {
            addresses::mac(text).map(|key| (KeyColumn::Address, key)).into_iter().collect()
        }
    };
    // A resource without a name has the empty one, so the empty name must match nothing.
    lookups.into_iter().filter(|(_, value)| !value.is_empty()).collect()
}

/// The lookups of an address. A shared address, such as that of the loopback, has none.
fn address_lookups(text: &str) -> impl Iterator<Item = (KeyColumn, String)> {
    let own = ip_key(text.trim()).filter(|_| !is_shared_ip(text.trim())).map(|key| (KeyColumn::Ip, key));
    own.into_iter().chain(addresses::ip(text).map(|key| (KeyColumn::Address, key)))
}

/// The resources that each key names.
pub(super) fn find(
    conn: &mut Conn,
    tenants: &[String],
    keys: &[ResourceKey],
    rules: &LookupRules,
) -> Result<Vec<Vec<ResourceSummary>>> {
    let lookups_by_key: Vec<Vec<(KeyColumn, String)>> = keys.iter().map(lookups).collect();
    let mut values: BTreeMap<KeyColumn, BTreeSet<&str>> = BTreeMap::new();
    for (by, value) in lookups_by_key.iter().flatten() {
        values.entry(*by).or_default().insert(value);
    }
    let mut resources_by_lookup: BTreeMap<(KeyColumn, String), Vec<ResourceSummary>> = BTreeMap::new();
    let called: BTreeSet<String> = values.remove(&KeyColumn::Name).into_iter().flatten().map(str::to_owned).collect();
    if !called.is_empty() {
        let named = names::find(conn, tenants, &called, rules)?.into_iter();
        resources_by_lookup.extend(named.map(|(name, resources)| ((KeyColumn::Name, name), resources)));
    }
    for (by, values) in values {
        let values: Vec<&str> = values.into_iter().collect();
        for values in values.chunks(MOST_VALUES) {
            for (value, resource) in look_up(conn, tenants, by, values, rules)? {
                resources_by_lookup.entry((by, value)).or_default().push(resource);
            }
        }
    }
    let rank = |tenant: &str| tenants.iter().position(|other| other == tenant);
    Ok(lookups_by_key
        .into_iter()
        .map(|lookups| {
            let mut resources: Vec<ResourceSummary> = lookups
                .into_iter()
                .flat_map(|lookup| resources_by_lookup.get(&lookup).cloned().unwrap_or_default())
                .collect();
            resources.sort_by(|a, b| (rank(&a.tenant_id), &a.id).cmp(&(rank(&b.tenant_id), &b.id)));
            resources.dedup();
            resources.truncate(rules.limit_per_key);
            resources
        })
        .collect())
}

/// The resources with these values, each with the value that found it. A value that many share does not bring in all
/// of them: when there are more rows than a batch of names that mean something has, each value is asked for alone.
fn look_up(
    conn: &mut Conn,
    tenants: &[String],
    by: KeyColumn,
    values: &[&str],
    rules: &LookupRules,
) -> Result<Vec<(String, ResourceSummary)>> {
    let most = values.len() * 2 * rules.limit_per_key;
    let rows = load_rows(conn, tenants, by, values, rules, most)?;
    if rows.len() < most || values.len() == 1 {
        return Ok(rows);
    }
    let mut all = Vec::new();
    for value in values {
        all.extend(look_up(conn, tenants, by, &[value], rules)?);
    }
    Ok(all)
}

fn load_rows(
    conn: &mut Conn,
    tenants: &[String],
    by: KeyColumn,
    values: &[&str],
    rules: &LookupRules,
    most: usize,
) -> Result<Vec<(String, ResourceSummary)>> {
    use resources::dsl;
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    if by == KeyColumn::Address {
        return load_by_address(conn, tenants, values, rules, most);
    }
    let query = dsl::resources
        .filter(filter::tenants(tenants))
        .filter(Condition::text_in(by.column(), values.iter().copied()))
        .filter(filter::states(rules.states.iter().copied()))
        .limit(most);
    let columns = summary_columns();
    let rows: Vec<(Option<String>, SummaryRow)> = match by {
        KeyColumn::Id => query.select((dsl::id.nullable(), columns)).load(conn)?,
        KeyColumn::External => query.select((dsl::ext_key, columns)).load(conn)?,
        KeyColumn::Ip | KeyColumn::Address | KeyColumn::Name => {
            query.select((dsl::ip_key.nullable(), columns)).load(conn)?
        }
    };
    Ok(rows.into_iter().map(|(value, row)| (value.unwrap_or_default(), to_summary(row))).collect())
}

fn load_by_address(
    conn: &mut Conn,
    tenants: &[String],
    values: &[&str],
    rules: &LookupRules,
    most: i64,
) -> Result<Vec<(String, ResourceSummary)>> {
    use resource_addresses::dsl as cards;
    use resource_identities::dsl as identities;
    let of_card = cards::tenant_id.eq(resources::tenant_id).and(cards::resource_id.eq(resources::id));
    let rows: Vec<(String, SummaryRow)> = cards::resource_addresses
        .inner_join(resources::table.on(of_card))
        .filter(Condition::text_in("resource_addresses.tenant_id IN", tenants))
        .filter(Condition::text_in(KeyColumn::Address.column(), values.iter().copied()))
        .filter(filter::states(rules.states.iter().copied()))
        .select((cards::address, summary_columns()))
        .limit(most)
        .load(conn)?;
    let of_identity = identities::tenant_id.eq(resources::tenant_id).and(identities::resource_id.eq(resources::id));
    let hardware = values.iter().copied().filter(|value| value.starts_with("mac:"));
    let more: Vec<(String, SummaryRow)> = identities::resource_identities
        .inner_join(resources::table.on(of_identity))
        .filter(Condition::text_in("resource_identities.tenant_id IN", tenants))
        .filter(Condition::text_in("resource_identities.identity IN", hardware))
        .filter(filter::states(rules.states.iter().copied()))
        .select((identities::identity, summary_columns()))
        .limit(most)
        .load(conn)?;
    Ok(rows.into_iter().chain(more).map(|(address, row)| (address, to_summary(row))).collect())
}

/// The resources with these ids, of all of these tenants, in no order.
pub(super) fn by_ids(conn: &mut Conn, tenants: &[String], ids: &[&str]) -> Result<Vec<ResourceSummary>> {
    let rows: Vec<SummaryRow> = db::in_chunks(ids, |ids| {
        resources::table
            .filter(filter::tenants(tenants))
            .filter(Condition::text_in(KeyColumn::Id.column(), ids.iter().copied()))
            .filter(filter::states(STATES))
            .select(summary_columns())
            .load(conn)
    })?;
    Ok(rows.into_iter().map(to_summary).collect())
}
