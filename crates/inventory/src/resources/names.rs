//! The names index: "contains" as a range of a key, at a cost that follows the matches.
//!
//! Each name is stored as all of its suffixes; a text is contained in a name when it begins one of them.

use std::collections::BTreeMap;

use db::{Conn, Result};
use diesel::prelude::*;

use super::row::Row;
use crate::schema::resource_names;

/// In which of the names a suffix occurs. The same bit, [`WHOLE`] places higher, says that the suffix is all of it.
pub const HOST: i64 = 1;
/// `dnsName`.
pub const DNS: i64 = 2;
/// `resourceName`.
pub const RESOURCE: i64 = 4;
/// `aliasName`.
pub const ALIAS: i64 = 8;
/// How much higher the bit of a whole name is.
pub const WHOLE: i64 = 16;

/// A suffix is kept up to this many characters; what is longer is checked against the name itself.
pub const LONGEST: usize = 48;

#[derive(Insertable, Clone, Debug, PartialEq)]
#[diesel(table_name = resource_names, treat_none_as_default_value = false)]
struct Suffix {
    tenant_id: String,
    suffix: String,
    resource_id: String,
    fields: i64,
}

fn suffixes(row: &Row) -> BTreeMap<&str, i64> {
    let mut found = BTreeMap::new();
    for (name, field) in
        [(&row.host_key, HOST), (&row.dns_key, DNS), (&row.resource_key, RESOURCE), (&row.alias_key, ALIAS)]
    {
        for (at, _) in name.char_indices() {
            let rest = &name[at..];
            let end = rest.char_indices().nth(LONGEST).map_or(rest.len(), |(end, _)| end);
            *found.entry(&rest[..end]).or_default() |= if at == 0 { field | (field * WHOLE) } else { field };
        }
    }
    found
}

/// Brings the index from the names of `old` to those of `new`.
pub fn update(conn: &mut Conn, old: Option<&Row>, new: Option<&Row>) -> Result<()> {
    use resource_names::dsl;
    let Some(row) = new.or(old) else { return Ok(()) };
    let before = old.map(suffixes).unwrap_or_default();
    let after = new.map(suffixes).unwrap_or_default();
    for suffix in before.keys().filter(|suffix| before.get(*suffix) != after.get(*suffix)) {
        let key = dsl::resource_names.find((&row.tenant_id, *suffix, &row.id));
        diesel::delete(key).execute(conn)?;
    }
    let added: Vec<Suffix> = after
        .into_iter()
        .filter(|(suffix, fields)| before.get(suffix) != Some(fields))
        .map(|(suffix, fields)| Suffix {
            tenant_id: row.tenant_id.clone(),
            suffix: suffix.to_owned(),
            resource_id: row.id.clone(),
            fields,
        })
        .collect();
    db::insert_rows!(conn, resource_names::table, &added)
}
