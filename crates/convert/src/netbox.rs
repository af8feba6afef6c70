//! From NetBox: answers of its REST API. Which file has which is in `docs/moving-in.md`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::{
    conversion::{Conversion, object},
    export::Export,
    json::{cut, flag, id, list, part, text},
    online::{Client, Paging},
};

/// The longest text of a field of a resource, in characters.
const LONGEST: usize = 1_000;

/// Addresses of interfaces, by kind and id of the interface: with the name that each has in the DNS.
type Addresses = BTreeMap<(String, String), Vec<(String, Option<String>)>>;

/// Converts an inventory.
pub fn convert(export: &Export, conversion: &mut Conversion) {
    let sites = sites(export, conversion);
    roles(export, conversion);
    let addresses = addresses(export);
    let machines =
        [("device", "dcim/devices", "dcim"), ("virtual machine", "virtualization/virtual-machines", "virtualization")];
    for (kind, path, app) in machines {
        let mut interfaces: BTreeMap<String, Vec<&Value>> = BTreeMap::new();
        for interface in export.list(&format!("{app}/interfaces")) {
            let machine = part(interface, &["device"]).or_else(|| part(interface, &["virtual_machine"]));
            if let Some(machine) = machine.and_then(|machine| id(machine, "id")) {
                interfaces.entry(machine).or_default().push(interface);
            }
        }
        for value in export.list(path) {
            let own = id(value, "id").and_then(|id| interfaces.get(&id)).cloned().unwrap_or_default();
            let cards = cards(&own, app, &addresses);
            machine(kind, value, cards, &addresses, &sites, conversion);
        }
    }
    let contacts = export.list("tenancy/contacts").len();
    conversion.omit_all(
        "contacts",
        contacts,
        "a contact gets no access by a conversion: make a User of each who is to be told or to sign in",
    );
    let tags = export.list("extras/tags").len();
    conversion.omit_all("tags", tags, "they are among the tags of the machines that have them");
}

/// Sites; the answer has their names.
fn sites(export: &Export, conversion: &mut Conversion) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for site in export.list("dcim/sites") {
        let Some(name) = conversion.required(site, "site", &["name"], "name") else { continue };
        let source = object("site", name);
        let lines = text(site, "physical_address").map(|address| address.lines().collect::<Vec<_>>());
        let address = lines.map(|lines| cut(&lines.join(", "), LONGEST));
        let description = text(site, "description").or_else(|| text(site, "comments"));
        let body = json!({
            "name": cut(name, 200), "description": description.map(|text| cut(text, 4_000)), "address": address,
        });
        let mut lost = Vec::new();
        for field in ["region", "group", "tenant", "facility"] {
            if part(site, &[field]).is_some_and(|value| value.as_str() != Some("")) {
                lost.push(format!("its {field} is lost: sites do not nest and have no such field"));
            }
        }
        if !list(site, "tags").is_empty() {
            lost.push("its tags are lost: machines have tags, sites have none".to_owned());
        }
        if conversion.convert(source, "Site", name, Ok(body), lost) {
            names.insert(name.to_owned());
        }
    }
    names
}

/// Roles of devices, as device groups of the machines that have a tag.
fn roles(export: &Export, conversion: &mut Conversion) {
    for role in export.list("dcim/device-roles") {
        let Some(name) = conversion.required(role, "device role", &["name"], "name") else { continue };
        let source = object("device role", name);
        let group = cut(&format!("Role: {name}"), 200);
        let body = json!({
            "name": group, "description": text(role, "description").map(|text| cut(text, 4_000)),
            "filterCriteria": {"matchType": "ALL", "rules": [
                {"key": "tags.role", "operator": "Equals", "value": cut(name, LONGEST)},
            ]},
        });
        conversion.convert(source, "DeviceGroup", &group, Ok(body), Vec::new());
    }
}

fn addresses(export: &Export) -> Addresses {
    let mut addresses = Addresses::new();
    for address in export.list("ipam/ip-addresses") {
        let Some(value) = text(address, "address").map(host) else { continue };
        let kind = text(address, "assigned_object_type").unwrap_or_default().to_owned();
        let Some(interface) = id(address, "assigned_object_id") else { continue };
        let name = text(address, "dns_name").map(ToOwned::to_owned);
        addresses.entry((kind, interface)).or_default().push((value, name));
    }
    addresses
}

/// `10.0.0.1/24` without its block.
fn host(address: &str) -> String {
    address.split('/').next().unwrap_or_default().to_owned()
}

/// The network cards of a machine.
fn cards(interfaces: &[&Value], app: &str, addresses: &Addresses) -> Vec<Value> {
    let kind = if app == "dcim" { "dcim.interface" } else { "virtualization.vminterface" };
    let card = |interface: &&Value| {
        let own = id(interface, "id").and_then(|id| addresses.get(&(kind.to_owned(), id)));
        let own: Vec<&str> = own.into_iter().flatten().map(|(address, _)| address.as_str()).collect();
        let mac = text(interface, "mac_address")
            .or_else(|| part(interface, &["primary_mac_address", "mac_address"]).and_then(Value::as_str));
        let fields = [
            ("networkName", text(interface, "name").map(|name| cut(name, LONGEST))),
            ("macAddress", mac.map(ToOwned::to_owned)),
            ("ipAddress", own.first().map(|address| (*address).to_owned())),
            ("aliasIps", own.get(1..).filter(|rest| !rest.is_empty()).map(|rest| rest.join(","))),
            ("status", flag(interface, "enabled").map(|up| if up { "up" } else { "down" }.to_owned())),
        ];
        let fields = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), json!(value?))));
        Value::Object(fields.collect())
    };
    interfaces.iter().map(card).collect()
}

fn machine(
    kind: &str,
    value: &Value,
    cards: Vec<Value>,
    addresses: &Addresses,
    sites: &BTreeSet<String>,
    conversion: &mut Conversion,
) {
    let number = id(value, "id").unwrap_or_default();
    let Some(name) = text(value, "name") else {
        let shown = text(value, "display").unwrap_or(&number).to_owned();
        conversion.report.refused(object(kind, &shown), "it has no name, and files know a machine by its name");
        return;
    };
    let mut lost = Vec::new();
    let named = |path: &[&str]| part(value, path).and_then(Value::as_str).filter(|text| !text.is_empty());
    let site = named(&["site", "name"]);
    if let Some(site) = site.filter(|site| !sites.contains(*site)) {
        lost.push(format!("its site {site:?} is not among the sites"));
    }
    let status = named(&["status", "value"]).unwrap_or("active");
    let role = named(&["role", "name"]).or_else(|| named(&["device_role", "name"]));
    let address = named(&["primary_ip", "address"]).map(host);
    let dns = addresses.values().flatten().find(|(found, name)| Some(found) == address.as_ref() && name.is_some());
    let mut tags: Vec<(String, String)> = Vec::new();
    let single = [
        ("role", role),
        ("rack", named(&["rack", "name"])),
        ("place", named(&["location", "name"])),
        ("cluster", named(&["cluster", "name"])),
        ("tenant", named(&["tenant", "name"])),
        ("assetTag", named(&["asset_tag"])),
        ("status", Some(status).filter(|status| *status != "active")),
    ];
    tags.extend(single.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned()))));
    for tag in list(value, "tags") {
        let name = tag.as_str().or_else(|| text(tag, "name"));
        tags.extend(name.map(|name| (name.to_owned(), String::new())));
    }
    if let Some(Value::Object(fields)) = part(value, &["custom_fields"]) {
        for (field, content) in fields {
            match content {
                Value::Null => {}
                Value::String(text) => tags.push((field.clone(), text.clone())),
                Value::Bool(_) | Value::Number(_) => tags.push((field.clone(), content.to_string())),
                _ => lost.push(format!("the custom field {field:?} is lost: a tag has one text")),
            }
        }
    }
    let mut taken = BTreeSet::new();
    tags.retain(|(name, value)| !name.trim().is_empty() && taken.insert((name.to_lowercase(), value.clone())));
    let tags: Vec<Value> = tags.into_iter().map(|(name, value)| json!({"name": name, "value": value})).collect();
    let body = json!({
        "name": cut(name, LONGEST),
        "hostName": Some(cut(name, LONGEST)).filter(|name| !name.contains(char::is_whitespace)),
        "dnsName": dns.and_then(|(_, name)| name.clone()),
        "ipAddress": address,
        "extResourceId": format!("netbox-{}-{number}", kind.replace(' ', "-")),
        "serialNumber": named(&["serial"]),
        "make": named(&["device_type", "manufacturer", "name"]),
        "model": named(&["device_type", "model"]),
        "os": named(&["platform", "name"]),
        "description": text(value, "description").or_else(|| text(value, "comments")).map(|text| cut(text, 4_000)),
        "state": if status == "active" { "active" } else { "inactive" },
        "location": site.filter(|site| sites.contains(*site)).map(|site| json!({"name": cut(site, 200)})),
        "tags": Some(tags).filter(|tags| !tags.is_empty()),
        "networkCardDetails": Some(cards).filter(|cards| !cards.is_empty()),
    });
    conversion.convert(object(kind, name), "Resource", name, Ok(body), lost);
}

/// Asks NetBox for all that is converted.
///
/// # Errors
/// When an answer cannot be had.
pub fn fetch(client: &mut Client) -> anyhow::Result<Export> {
    let mut export = Export::default();
    let lists = [
        "dcim/sites",
        "dcim/device-roles",
        "dcim/devices",
        "dcim/interfaces",
        "virtualization/virtual-machines",
        "virtualization/interfaces",
        "ipam/ip-addresses",
        "tenancy/contacts",
        "extras/tags",
    ];
    for (place, name) in lists.into_iter().enumerate() {
        let path = format!("api/{name}/?limit=200");
        match place {
            0 => client.pages(&mut export, name, &path, Paging::Link(&["next"]))?,
            _ => client.optional_pages(&mut export, name, &path, Paging::Link(&["next"]))?,
        }
    }
    Ok(export)
}
