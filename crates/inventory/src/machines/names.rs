//! The lookup of resources by any of their names.
//!
//! A name is compared without its letter case and without a dot at its end. It is that of a resource which has it as
//! host name, or else as DNS name, resource name or alias. A name that none has in full still finds a resource by its
//! first label: `web.example.net` the one machine `web` that has no other full name, and `web` the one machine whose
//! full name begins with it. Each step asks only about what the steps before it left open.

use std::collections::{BTreeMap, BTreeSet};

use base::{net::ip_key, text::fold};
use db::{Condition, Conn, Result};
use diesel::prelude::*;
use ports::ResourceSummary;

use super::{
    MOST_VALUES,
    summary::{LookupRules, SummaryRow, summary_columns, to_summary},
};
use crate::{resources::filter, schema::resources};

/// The resources of each name.
pub(super) type ResourcesByName = BTreeMap<String, Vec<ResourceSummary>>;

/// A column of names: `column IN`, and the parts of a range of it. The indexes of some leave out the empty names.
struct Column {
    is_in: &'static str,
    from: &'static str,
    to: &'static str,
}

/// The columns in the order in which they count; [`Row::names`] has them in the same order.
const COLUMNS: [Column; 4] = [
    Column { is_in: "resources.host_key IN", from: "resources.host_key >= ", to: " AND resources.host_key < " },
    Column {
        is_in: "resources.dns_key <> '' AND resources.dns_key IN",
        from: "resources.dns_key <> '' AND resources.dns_key >= ",
        to: " AND resources.dns_key < ",
    },
    Column {
        is_in: "resources.resource_key IN",
        from: "resources.resource_key >= ",
        to: " AND resources.resource_key < ",
    },
    Column {
        is_in: "resources.alias_key <> '' AND resources.alias_key IN",
        from: "resources.alias_key <> '' AND resources.alias_key >= ",
        to: " AND resources.alias_key < ",
    },
];

/// A name as it is compared.
pub(super) fn normalize(name: &str) -> String {
    let name = fold(name.trim());
    name.strip_suffix('.').map_or_else(|| name.clone(), str::to_owned)
}

/// The resources that these names, which are [`normalize`], stand for.
pub(super) fn find(
    conn: &mut Conn,
    tenants: &[String],
    names: &BTreeSet<String>,
    rules: &LookupRules,
) -> Result<ResourcesByName> {
    let mut resources_by_name = find_by_full_name(conn, tenants, names, rules)?;
    let open = |name: &&String| !resources_by_name.contains_key(*name) && ip_key(name).is_none();
    let (full, short): (Vec<&String>, Vec<&String>) = names.iter().filter(open).partition(|name| name.contains('.'));
    let more = find_by_first_label(conn, tenants, &full, rules)?;
    let more = more.into_iter().chain(find_by_prefix(conn, tenants, &short, rules)?);
    resources_by_name.extend(more.filter(|(_, resources)| resources.len() == 1 || !rules.is_unique));
    Ok(resources_by_name)
}

/// Finds resources by their whole names.
fn find_by_full_name(
    conn: &mut Conn,
    tenants: &[String],
    names: &BTreeSet<String>,
    rules: &LookupRules,
) -> Result<ResourcesByName> {
    let mut resources_by_name = ResourcesByName::new();
    for (index, column) in COLUMNS.iter().enumerate() {
        let open: Vec<&String> = names.iter().filter(|name| !resources_by_name.contains_key(*name)).collect();
        for (name, row) in load_named(conn, tenants, column, index, &open, rules)? {
            resources_by_name.entry(name).or_default().push(to_summary(row.summary));
        }
    }
    Ok(resources_by_name)
}

/// Finds the machines of full names by the first label, for machines that are stored without their full name.
fn find_by_first_label(
    conn: &mut Conn,
    tenants: &[String],
    names: &[&String],
    rules: &LookupRules,
) -> Result<ResourcesByName> {
    let label = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
    let labels: BTreeSet<String> = names.iter().map(|name| label(name)).filter(|label| !label.is_empty()).collect();
    let mut rows: BTreeMap<String, Vec<Row>> = BTreeMap::new();
    for (index, column) in COLUMNS.iter().enumerate() {
        let open: Vec<&String> = labels.iter().filter(|label| !rows.contains_key(*label)).collect();
        for (label, row) in load_named(conn, tenants, column, index, &open, rules)? {
            rows.entry(label).or_default().push(row);
        }
    }
    let mut resources_by_name = ResourcesByName::new();
    for name in names {
        let rows = rows.get(&label(name)).map_or(&[] as &[Row], Vec::as_slice);
        // A short name of two machines is ambiguous, even where one of them has another full name.
        let is_clear = rows.len() == 1 || !rules.is_unique;
        let could_be = rows.iter().filter(|row| is_clear && !row.has_other_full_name(name));
        let could_be: Vec<ResourceSummary> = could_be.map(|row| to_summary(row.summary.clone())).collect();
        if !could_be.is_empty() {
            resources_by_name.insert((*name).clone(), could_be);
        }
    }
    Ok(resources_by_name)
}

/// Finds the machines of short names by full names that begin with them.
fn find_by_prefix(
    conn: &mut Conn,
    tenants: &[String],
    names: &[&String],
    rules: &LookupRules,
) -> Result<ResourcesByName> {
    let most = i64::try_from(rules.limit_per_key).unwrap_or(i64::MAX);
    let mut resources_by_name = ResourcesByName::new();
    for column in &COLUMNS {
        let open: Vec<&String> = names.iter().copied().filter(|name| !resources_by_name.contains_key(*name)).collect();
        for label in open {
            let beginning = resources::table.filter(prefix_condition(tenants, column, label, rules));
            let rows: Vec<ColumnValues> = beginning.select((KEYS, summary_columns())).limit(most).load(conn)?;
            if !rows.is_empty() {
                resources_by_name
                    .insert(label.clone(), rows.into_iter().map(|row| to_summary(Row::of(row).summary)).collect());
            }
        }
    }
    Ok(resources_by_name)
}

/// The resources of which a name begins with this label and a dot: a range of an index, of which no more is read than
/// is needed.
fn prefix_condition(tenants: &[String], column: &Column, label: &str, rules: &LookupRules) -> Condition {
    filter::tenants(tenants)
        .then(" AND ")
        .then(column.from)
        .text(format!("{label}."))
        .then(column.to)
        // The character behind the dot.
        .text(format!("{label}/"))
        .then(" AND ")
        .append(filter::states(rules.states.iter().copied()))
}

/// The rows that have one of these names in a column, each with the name.
fn load_named(
    conn: &mut Conn,
    tenants: &[String],
    column: &Column,
    index: usize,
    names: &[&String],
    rules: &LookupRules,
) -> Result<Vec<(String, Row)>> {
    let mut rows = Vec::new();
    for names in names.chunks(MOST_VALUES / 2) {
        rows.extend(load_named_chunk(conn, tenants, column, index, names, rules)?);
    }
    Ok(rows)
}

/// The same of some names. A name that many share does not bring in all of them: where there are more rows than names
/// that mean something have, each name is asked about alone.
fn load_named_chunk(
    conn: &mut Conn,
    tenants: &[String],
    column: &Column,
    index: usize,
    names: &[&String],
    rules: &LookupRules,
) -> Result<Vec<(String, Row)>> {
    let values = names.iter().flat_map(|name| [(*name).clone(), format!("{name}.")]);
    let most = names.len() * 2 * rules.limit_per_key;
    let query = resources::table
        .filter(filter::tenants(tenants))
        .filter(Condition::text_in(column.is_in, values))
        .filter(filter::states(rules.states.iter().copied()))
        .select((KEYS, summary_columns()))
        .limit(i64::try_from(most).unwrap_or(i64::MAX));
    let rows: Vec<ColumnValues> = query.load(conn)?;
    if rows.len() >= most && names.len() > 1 {
        let mut all = Vec::new();
        for name in names {
            all.extend(load_named_chunk(conn, tenants, column, index, &[*name], rules)?);
        }
        return Ok(all);
    }
    let rows = rows.into_iter().map(Row::of);
    Ok(rows.map(|row| (row.names.get(index).cloned().unwrap_or_default(), row)).collect())
}

type Keys = (resources::host_key, resources::dns_key, resources::resource_key, resources::alias_key);

const KEYS: Keys = (resources::host_key, resources::dns_key, resources::resource_key, resources::alias_key);

type ColumnValues = ((String, String, String, String), SummaryRow);

/// A resource and its names, which are [`normalize`].
struct Row {
    names: [String; 4],
    summary: SummaryRow,
}

impl Row {
    fn of(((host, dns, resource, alias), summary): ColumnValues) -> Self {
        Self { names: [host, dns, resource, alias].map(|name| normalize(&name)), summary }
    }

    /// Has it another full name than this one, that begins as this one does?
    fn has_other_full_name(&self, name: &str) -> bool {
        let label = name.split_inclusive('.').next().unwrap_or_default();
        self.names.iter().any(|other| other.starts_with(label) && other != name)
    }
}

#[cfg(test)]
mod tests;
