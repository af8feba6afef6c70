//! The index of network card addresses, by which a machine can be looked up.

use std::collections::BTreeSet;

use base::net::{ip_key, is_shared_ip};
use db::{Conn, Result};
use diesel::prelude::*;
use serde_json::Value;

use crate::{
    model::document::{Document, Resource},
    reports::identity::{IdentityKey, is_shared_mac, normal_mac},
    schema::resource_addresses,
};

#[derive(Insertable)]
#[diesel(table_name = resource_addresses, treat_none_as_default_value = false)]
struct Address {
    tenant_id: String,
    address: String,
    resource_id: String,
}

/// An IP address as it is stored; `None` for anything that is not an address, and for one that machines share.
pub fn ip(text: &str) -> Option<String> {
    let text = text.trim();
    ip_key(text).filter(|_| !is_shared_ip(text)).map(|key| format!("ip:{key}"))
}

/// A hardware address as it is stored, which is also how it stands among the identities; `None` for what is none, and
/// for one that machines share.
pub fn mac(text: &str) -> Option<String> {
    normal_mac(text).filter(|mac| !is_shared_mac(mac)).map(|mac| IdentityKey::Mac(mac).stored())
}

/// The addresses of the network cards of a document, and the hardware address that was given for the whole machine.
fn of(document: &Document) -> BTreeSet<String> {
    let cards = document.nested.get("networkCardDetails").and_then(Value::as_array);
    let text = |card: &Value, name: &str| card.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut found: BTreeSet<String> = mac(document.text("macAddress")).into_iter().collect();
    for card in cards.into_iter().flatten() {
        found.extend(ip(&text(card, "ipAddress")));
        found.extend(text(card, "aliasIps").split(',').filter_map(ip));
        found.extend(mac(&text(card, "macAddress")));
    }
    found
}

/// Brings the index from the addresses of `old` to those of `new`.
pub fn update(conn: &mut Conn, old: Option<&Resource>, new: Option<&Resource>) -> Result<()> {
    use resource_addresses::dsl;
    let Some(resource) = new.or(old) else { return Ok(()) };
    let all = |resource: Option<&Resource>| resource.map(|resource| of(&resource.document)).unwrap_or_default();
    let before = all(old);
    let after = all(new);
    for address in before.difference(&after) {
        diesel::delete(dsl::resource_addresses.find((&resource.tenant_id, address, &resource.id))).execute(conn)?;
    }
    let added = after.difference(&before).map(|address| Address {
        tenant_id: resource.tenant_id.clone(),
        address: address.clone(),
        resource_id: resource.id.clone(),
    });
    db::insert_rows!(conn, resource_addresses::table, added.collect::<Vec<_>>())
}
