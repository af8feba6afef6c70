//! Network interfaces: one card for each, and the address that stands for the machine.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr};

use super::identity::normal_mac;
use super::model::NetworkCard;
use super::node::Node;

/// More interfaces than this are not kept; the largest chassis have some thousand.
const MAX_CARDS: usize = 8_192;
/// More addresses of one interface than this are not kept.
const MAX_ADDRESSES: usize = 256;

/// The interfaces of a machine and the values chosen from them.
#[derive(Debug, Default)]
pub(super) struct Network {
    pub(super) cards: Vec<NetworkCard>,
    pub(super) primary_ip: Option<String>,
    pub(super) primary_mac: Option<String>,
}

/// An interface while its entries are gathered.
#[derive(Default)]
pub(super) struct Draft {
    pub(super) name: String,
    pub(super) status: String,
    pub(super) mac: Option<String>,
    /// With the prefix length where the report has a mask.
    pub(super) addresses: Vec<(IpAddr, Option<u8>)>,
    pub(super) gateway: Option<IpAddr>,
    pub(super) dhcp: bool,
    pub(super) link_mode: String,
    pub(super) loopback: bool,
    pub(super) virtual_device: bool,
    pub(super) management: bool,
}

impl Draft {
    pub(super) fn add(&mut self, address: IpAddr, prefix: Option<u8>) {
        if self.addresses.len() < MAX_ADDRESSES && !self.addresses.iter().any(|(known, _)| *known == address) {
            self.addresses.push((address, prefix));
        }
    }
}

/// Reads the section `networks`: each entry is one address of one interface.
///
/// Entries belong together when they have the same name and, where both have
/// one, the same bus position; Windows names two equal adapters alike, so
/// without a position their hardware addresses must be equal.
pub(super) fn read(entries: &[&Node]) -> Vec<Draft> {
    let mut drafts: Vec<Draft> = Vec::new();
    let mut known: HashMap<(String, String), usize> = HashMap::new();
    for entry in entries.iter().filter(|entry| entry.is_object()) {
        let name = entry.first(&["description", "name", "ifname"]).unwrap_or_default();
        let mac = entry.first(&["mac", "macaddr"]).as_deref().and_then(normal_mac);
        let slot = entry.first(&["pnpdeviceid", "pcislot"]);
        let mark = slot.or_else(|| mac.clone()).unwrap_or_default();
        let key = (name.clone(), mark);
        let at = match known.get(&key) {
            Some(at) => *at,
            None if drafts.len() < MAX_CARDS => {
                drafts.push(Draft { name, ..Draft::default() });
                known.insert(key, drafts.len() - 1);
                drafts.len() - 1
            }
            None => continue,
        };
        if let Some(draft) = drafts.get_mut(at) {
            fill(draft, entry, mac);
        }
    }
    drafts
}

fn fill(draft: &mut Draft, entry: &Node, mac: Option<String>) {
    draft.mac = draft.mac.take().or(mac);
    if draft.status.is_empty() {
        draft.status = entry.text("status").unwrap_or_default().to_uppercase();
    }
    if draft.link_mode.is_empty() {
        draft.link_mode =
            entry.integer("speed").and_then(|mbits| link_mode(mbits.checked_mul(1_000_000)?, None)).unwrap_or_default();
    }
    for (address, mask) in [("ipaddress", "ipmask"), ("ipaddress6", "ipmask6")] {
        let prefix = entry.text(mask).and_then(|mask| prefix_of(&mask));
        for value in entry.all(address) {
            for ip in value.as_text().iter().flat_map(|text| addresses(text)) {
                draft.add(ip, prefix);
            }
        }
    }
    draft.gateway = draft.gateway.or_else(|| entry.text("ipgateway").and_then(|text| addresses(&text).next()));
    // Agents write the broadcast address where no DHCP server has answered.
    let server = entry.text("ipdhcp").and_then(|text| addresses(&text).next());
    draft.dhcp |= server.is_some_and(|ip| ip != IpAddr::V4(Ipv4Addr::BROADCAST) && !ip.is_unspecified());
    let kind = entry.text("type").unwrap_or_default().to_lowercase();
    draft.loopback |= kind == "loopback" || draft.addresses.first().is_some_and(|(ip, _)| ip.is_loopback());
    draft.virtual_device |=
        entry.boolean("virtualdev") == Some(true) || kind == "loopback" || is_virtual_name(&draft.name);
    draft.management |= entry.boolean("management") == Some(true);
}

/// Makes the cards of the drafts and chooses the primary address: an address in
/// the default gateway's network comes first, then one of an interface that is
/// up, of hardware, and IPv4 before IPv6. Loopback never counts.
pub(super) fn finish(drafts: Vec<Draft>, default_gateway: Option<IpAddr>) -> Network {
    let mut best: Option<([bool; 6], IpAddr, Option<String>)> = None;
    for draft in drafts.iter().filter(|draft| !draft.loopback) {
        let gateway = default_gateway.or(draft.gateway);
        for (ip, prefix) in &draft.addresses {
            if ip.is_loopback() || ip.is_unspecified() || ip.is_multicast() {
                continue;
            }
            let near = gateway.is_some_and(|gateway| same_network(*ip, gateway, *prefix));
            let rank = [
                !is_link_local(*ip),
                near,
                draft.status == "UP",
                !draft.management,
                !draft.virtual_device,
                ip.is_ipv4(),
            ];
            if best.as_ref().is_none_or(|(found, ..)| rank > *found) {
                best = Some((rank, *ip, draft.mac.clone()));
            }
        }
    }
    let cards = (1..).zip(drafts).map(|(id, draft)| card(id, draft)).collect();
    let (primary_ip, primary_mac) = best.map_or((None, None), |(_, ip, mac)| (Some(ip.to_string()), mac));
    Network { cards, primary_ip, primary_mac }
}

fn card(id: i64, draft: Draft) -> NetworkCard {
    let mut addresses: Vec<IpAddr> = draft.addresses.iter().map(|(ip, _)| *ip).collect();
    addresses.sort_by_key(|ip| (!ip.is_ipv4(), is_link_local(*ip)));
    let mut texts = addresses.iter().map(IpAddr::to_string);
    NetworkCard {
        id,
        network_name: draft.name,
        status: draft.status,
        ip_address: texts.next().unwrap_or_default(),
        mac_address: draft.mac.unwrap_or_default(),
        dhcp_enabled: draft.dhcp,
        link_mode: draft.link_mode,
        alias_ips: texts.collect::<Vec<_>>().join(","),
        loopback: draft.loopback,
        virtual_device: draft.virtual_device,
    }
}

/// All addresses in a text; older agents join them with `/`, others with commas.
/// A zone (`%eth0`) is dropped; a prefix length is not an address and falls out.
pub(super) fn addresses(text: &str) -> impl Iterator<Item = IpAddr> {
    text.split(['/', ',', ';', ' ']).filter_map(|part| part.split('%').next()?.trim().parse().ok())
}

/// Bits per second and duplex in words; none for a value that is not a speed (adapters that
/// are down report -1 or the largest number there is).
pub(super) fn link_mode(bits: i64, duplex: Option<&str>) -> Option<String> {
    let speed = match bits {
        ..1_000 | 10_000_000_000_000.. => None,
        1_000..1_000_000 => Some(format!("{} kb/s", bits / 1_000)),
        _ if bits % 1_000_000_000 == 0 => Some(format!("{} Gb/s", bits / 1_000_000_000)),
        _ => Some(format!("{} Mb/s", bits / 1_000_000)),
    };
    match (speed, duplex) {
        (Some(speed), Some(duplex)) => Some(format!("{speed} {duplex} duplex")),
        (Some(speed), None) => Some(speed),
        (None, Some(duplex)) => Some(format!("{duplex} duplex")),
        (None, None) => None,
    }
}

fn is_link_local(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => ip.is_link_local(),
        IpAddr::V6(ip) => ip.is_unicast_link_local(),
    }
}

/// The prefix length of a mask: `255.255.255.0`, `ffff:ffff::` or `24`.
fn prefix_of(mask: &str) -> Option<u8> {
    if let Ok(length) = mask.parse::<u8>() {
        return (length <= 128).then_some(length);
    }
    let ones = match mask.parse().ok()? {
        IpAddr::V4(mask) => mask.to_bits().leading_ones(),
        IpAddr::V6(mask) => mask.to_bits().leading_ones(),
    };
    u8::try_from(ones).ok()
}

/// Without a mask only the gateway's own /24 or /64 counts.
fn same_network(ip: IpAddr, gateway: IpAddr, prefix: Option<u8>) -> bool {
    match (ip, gateway) {
        (IpAddr::V4(ip), IpAddr::V4(gateway)) => {
            let shift = 32 - u32::from(prefix.unwrap_or(24).min(32));
            (ip.to_bits() ^ gateway.to_bits()).checked_shr(shift).unwrap_or(0) == 0
        }
        (IpAddr::V6(ip), IpAddr::V6(gateway)) => {
            let shift = 128 - u32::from(prefix.unwrap_or(64).min(128));
            (ip.to_bits() ^ gateway.to_bits()).checked_shr(shift).unwrap_or(0) == 0
        }
        _ => false,
    }
}

/// Interfaces that are made by software, by the names they are given.
fn is_virtual_name(name: &str) -> bool {
    const STARTS: &[&str] = &[
        "awdl",
        "bluetooth",
        "br-",
        "cali",
        "cilium",
        "docker",
        "dummy",
        "erspan",
        "flannel",
        "geneve",
        "ip6tnl",
        "isatap",
        "kube",
        "lxcbr",
        "lxdbr",
        "nodelocaldns",
        "ovs-",
        "podman",
        "teredo",
        "utun",
        "vboxnet",
        "veth",
        "virbr",
        "vmnet",
        "vnet",
        "vxlan",
        "wan miniport",
        "zt",
    ];
    // Too short to stand for themselves: a number follows.
    const NUMBERED: &[&str] = &["cni", "gif", "gre", "ifb", "llw", "lxc", "sit", "stf", "tap", "tun", "wg"];
    const WORDS: &[&str] = &[
        "anyconnect",
        "hyper-v virtual",
        "loopback",
        "tap-windows",
        "virtualbox",
        "virtual adapter",
        "virtual ethernet adapter",
        "vpn adapter",
    ];
    let name = name.to_lowercase();
    STARTS.iter().any(|start| name.starts_with(start))
        || NUMBERED.iter().any(|start| {
            name.strip_prefix(start).is_some_and(|rest| rest.starts_with(|next: char| next.is_ascii_digit()))
        })
        || WORDS.iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests;
