//! Devices that an agent found or asked over SNMP: switches, printers, …
//!
//! JSON has one `network_device` with its ports beside it; XML has any number
//! of `DEVICE` elements, each with its facts in `INFO` or directly inside.

use serde_json::{Map, Value};

use super::components;
use super::envelope::Envelope;
use super::extra;
use super::identity::{is_placeholder_serial, normal_mac, normal_make};
use super::model::{ItemType, Origin, Report};
use super::network::{self, Draft, Network};
use super::node::{Node, Sections};

/// Reads the devices of a report; none when it holds only the agent's progress.
/// A device without anything to recognise it by is passed over: one that could
/// not be asked has only an `ERROR`.
pub(super) fn read(envelope: &Envelope, content: &Node) -> Vec<Report> {
    let sections = Sections::of(content);
    let known = |report: &Report| !report.identity().is_empty();
    if sections.has("network_device") {
        let report = read_device(envelope, sections.object("network_device"), &sections);
        return Some(report).into_iter().filter(known).collect();
    }
    let devices = sections.entries("device").iter().filter(|device| device.is_object());
    let reports = devices.map(|device| {
        let parts = Sections::of(device);
        let info = parts.object("info");
        read_device(envelope, if info.is_object() { info } else { device }, &parts)
    });
    reports.filter(known).collect()
}

fn read_device(envelope: &Envelope, info: &Node, sections: &Sections<'_>) -> Report {
    let mut report = envelope.report();
    if let Some(item_type) = info.text("type").as_deref().and_then(item_type) {
        report.item_type = item_type;
    }
    // A discovery has few facts: those that an inventory has stored must stay.
    report.partial |= report.origin == Origin::NetworkDiscovery;
    let version = sections.first_text(&["versionclient", "moduleversion"]);
    report.agent_version = version.filter(|version| version != "missing");

    let host = info.first(&["snmphostname", "sysname", "name", "dnshostname", "netbiosname", "netbioshostname"]);
    report.dns_name = info.first(&["dnshostname", "fqdn"]);
    report.domain = info.first(&["workgroup", "domain"]);
    report.description = info.first(&["description", "sysdescr", "comments"]);
    report.location = info.first(&["location", "syslocation"]);
    let known = |text: Option<String>| text.filter(|text| !is_placeholder_serial(text));
    report.serial_number = known(info.text("serial"));
    report.make = info.text("manufacturer").filter(|make| normal_make(make).is_some());
    report.model = info.text("model");
    report.asset_tag = known(info.text("assettag"));
    report.system_uuid = info.text("uuid");
    report.memory_mib = info.integer("ram").or_else(|| info.integer("memory")).filter(|mib| *mib > 0);

    let Network { cards, primary_ip, primary_mac } = cards(info, sections);
    report.name = host.clone().or_else(|| primary_ip.clone());
    report.host_name = host;
    report.primary_ip = primary_ip;
    report.primary_mac = primary_mac;
    let asked = sections.has("network_ports") || sections.has("ports");
    report.network_cards = (asked || !report.partial).then_some(cards);

    report.components = components::read(sections);
    let (extra, dropped) = extra::read(sections, true);
    report.extra = extra;
    let facts: Map<String, Value> = ["contact", "firmware", "uptime", "cpu"]
        .iter()
        .filter_map(|fact| Some(((*fact).to_owned(), Value::String(info.text(fact)?))))
        .collect();
    if !facts.is_empty() {
        report.extra.insert("network_device".to_owned(), Value::Array(vec![Value::Object(facts)]));
    }
    report.extra_dropped = dropped;
    report
}

/// `Networking`, `NETWORKING`, `Printer`, … as devices and `itemtype` spell it.
pub(super) fn item_type(text: &str) -> Option<ItemType> {
    Some(match text.to_ascii_lowercase().as_str() {
        "computer" => ItemType::Computer,
        "networkequipment" | "networking" | "network" => ItemType::NetworkEquipment,
        "printer" => ItemType::Printer,
        "phone" => ItemType::Phone,
        "storage" => ItemType::Storage,
        "power" => ItemType::Power,
        "video" => ItemType::Video,
        "kvm" => ItemType::Kvm,
        "unmanaged" => ItemType::Unmanaged,
        _ => return None,
    })
}

/// The ports as cards. Addresses of the device that no port has go to the port
/// with the device's hardware address, or to a card of their own.
fn cards(info: &Node, sections: &Sections<'_>) -> Network {
    let mut drafts: Vec<Draft> = Vec::new();
    for node in sections.entries_of(&["network_ports", "ports"]) {
        // XML wraps the ports in one element.
        let ports = node.all("port");
        if ports.is_empty() {
            drafts.extend(port(node));
        } else {
            drafts.extend(ports.into_iter().filter_map(port));
        }
        drafts.truncate(8_192);
    }
    let mac = info.text("mac").as_deref().and_then(normal_mac);
    let asked_at = info.text("ip").and_then(|text| network::addresses(&text).next());
    let mut own = Draft { name: info.text("name").unwrap_or_default(), mac: mac.clone(), ..Draft::default() };
    asked_at.into_iter().chain(ips(info)).filter(|ip| !ip.is_loopback()).for_each(|ip| own.add(ip, None));
    let rest: Vec<_> = own
        .addresses
        .drain(..)
        .filter(|(ip, _)| !drafts.iter().any(|draft| draft.addresses.iter().any(|(known, _)| known == ip)))
        .collect();
    let with_mac = drafts.iter_mut().find(|draft| mac.is_some() && draft.mac == mac);
    if let Some(draft) = with_mac {
        rest.into_iter().for_each(|(ip, prefix)| draft.add(ip, prefix));
    } else if !rest.is_empty() || drafts.is_empty() && mac.is_some() {
        own.addresses = rest;
        drafts.insert(0, own);
    }
    let mut network = network::finish(drafts, asked_at);
    // The address that answered is the one that reaches the device.
    network.primary_ip = asked_at.map(|ip| ip.to_string()).or(network.primary_ip);
    network.primary_mac = mac.or(network.primary_mac);
    network
}

/// `"ips": ["…"]`, or `<IPS><IP>…</IP></IPS>`.
fn ips(node: &Node) -> Vec<std::net::IpAddr> {
    let mut found = Vec::new();
    for entry in node.all("ips") {
        let inner = if entry.is_object() { entry.all("ip") } else { vec![entry] };
        for text in inner.iter().filter_map(|ip| ip.as_text()) {
            found.extend(network::addresses(&text));
        }
    }
    found
}

fn port(node: &Node) -> Option<Draft> {
    if !node.is_object() {
        return None;
    }
    let number = node.text("ifnumber");
    let name =
        node.first(&["ifname", "ifdescr", "ifalias"]).or_else(|| number.map(|number| format!("port {number}")))?;
    let status = match node.text("ifstatus").unwrap_or_default().to_lowercase().as_str() {
        "1" | "up" => "UP",
        "2" | "down" => "DOWN",
        "3" | "testing" => "TESTING",
        "5" | "dormant" => "DORMANT",
        "6" | "notpresent" => "NOTPRESENT",
        "7" | "lowerlayerdown" => "LOWERLAYERDOWN",
        _ => "",
    };
    let duplex = match node.integer("ifportduplex") {
        Some(2) => Some("half"),
        Some(3) => Some("full"),
        _ => None,
    };
    let kind = node.integer("iftype");
    let mut draft = Draft {
        name,
        status: status.to_owned(),
        mac: node.text("mac").as_deref().and_then(normal_mac),
        link_mode: node.integer("ifspeed").and_then(|bits| network::link_mode(bits, duplex)).unwrap_or_default(),
        // RFC 2863: 24 softwareLoopback; 53 propVirtual, 131 tunnel, 135 l2vlan, 161 ieee8023adLag.
        loopback: kind == Some(24),
        virtual_device: matches!(kind, Some(1 | 24 | 53 | 131 | 135 | 136 | 161)),
        ..Draft::default()
    };
    let own = node.all("ip");
    for text in own.iter().filter_map(|ip| ip.as_text()) {
        network::addresses(&text).for_each(|ip| draft.add(ip, None));
    }
    ips(node).into_iter().for_each(|ip| draft.add(ip, None));
    Some(draft)
}
