//! The resource type of a machine: "Resource type" in `docs/interface.md`.
//!
//! A machine is a workstation when its operating system is made for one or its
//! chassis is one that stands on a desk or in a bag; everything else is a server.
//! The chassis of a virtual machine says nothing. Network devices are told apart
//! by what they say of themselves, as SNMP has no field for it.

use super::model::{ItemType, Origin, Report};

/// A resource type: its name, unique, and its place in the hierarchy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Kind {
    /// Its name, by which `resourceType` and `deviceType` filter.
    pub name: &'static str,
    /// Levels separated by ` >> `.
    pub path: &'static str,
}

/// Every resource type that is known beforehand: name and path, of which the name is the last level. Two types may
/// have one name (`Linux` is a server or a workstation): a filter by name finds both, one by path tells them apart.
/// The types of cloud resources and checks have the name of their `type`.
pub const SEED: &[(&str, &str)] = &[
    ("Linux", "Server >> Linux"),
    ("Windows", "Server >> Windows"),
    ("Unix", "Server >> Unix"),
    ("ESX", "Server >> ESX"),
    ("Server", "Server"),
    ("Linux", "Workstation >> Linux"),
    ("Windows", "Workstation >> Windows"),
    ("macOS", "Workstation >> macOS"),
    ("Workstation", "Workstation"),
    ("Switch", "Network Device >> Switch"),
    ("Router", "Network Device >> Router"),
    ("Firewall", "Network Device >> Firewall"),
    ("Access Point", "Network Device >> Access Point"),
    ("Network Device", "Network Device"),
    ("Printer", "Printer"),
    ("Android", "Mobile >> Android"),
    ("iOS", "Mobile >> iOS"),
    ("Phone", "Mobile >> Phone"),
    ("Storage", "Storage"),
    ("Power", "Power"),
    ("Video", "Video"),
    ("KVM Switch", "KVM Switch"),
    ("Unmanaged", "Unmanaged"),
    ("AUTO_SCALING", "Cloud >> AUTO_SCALING"),
    ("EBS", "Cloud >> EBS"),
    ("LOAD_BALANCER", "Cloud >> LOAD_BALANCER"),
    ("SQL_DATABASE", "Cloud >> SQL_DATABASE"),
    ("SQL_SERVER", "Cloud >> SQL_SERVER"),
    ("SYNTHETIC", "SYNTHETIC"),
    ("Other", "Other"),
];

/// The resource type of the machine in a report.
#[must_use]
pub fn of(report: &Report) -> Kind {
    let path = match report.item_type {
        ItemType::Computer => computer(report),
        ItemType::NetworkEquipment => network(report),
        ItemType::Printer => "Printer",
        ItemType::Phone => phone(report),
        ItemType::Storage => "Storage",
        ItemType::Power => "Power",
        ItemType::Video => "Video",
        ItemType::Kvm => "KVM Switch",
        ItemType::Unmanaged => "Unmanaged",
    };
    Kind { name: path.rsplit(" >> ").next().unwrap_or(path), path }
}

/// Whether [`of`] takes the place of the type that a machine has, given by its path: not where the report says less.
#[must_use]
pub fn replaces(report: &Report, known: &str) -> bool {
    let families: &[&str] = match report.item_type {
        ItemType::Computer => &["Server", "Workstation", "Mobile"],
        ItemType::NetworkEquipment => &[NETWORK_DEVICE],
        ItemType::Phone => &["Mobile"],
        _ => &[],
    };
    let is_told_apart = match report.item_type {
        ItemType::Computer => family(&system_words(report)) != Family::Unknown,
        ItemType::NetworkEquipment => described_as(report).is_some(),
        ItemType::Phone => phone(report) != PHONE,
        _ => false,
    };
    let says_less = !is_told_apart && known.split_once(" >> ").is_some_and(|(family, _)| families.contains(&family));
    is_known(report) && !says_less
}

/// Whether [`of`] had anything to go by: a partial report without the operating
/// system and chassis must not change the type that a machine has.
fn is_known(report: &Report) -> bool {
    match report.item_type {
        ItemType::Unmanaged => false,
        _ if !report.partial => true,
        ItemType::Computer => report.os.is_some() && (report.chassis.is_some() || report.virtual_system.is_some()),
        ItemType::Phone => report.os.is_some(),
        ItemType::NetworkEquipment => network(report) != NETWORK_DEVICE,
        _ => report.origin != Origin::Agent,
    }
}

/// The type of a phone of which nothing tells the system.
const PHONE: &str = "Mobile >> Phone";

/// The type of a network device that nothing tells apart.
const NETWORK_DEVICE: &str = "Network Device";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    Linux,
    Windows,
    MacOs,
    Unix,
    Esx,
    Android,
    Unknown,
}

fn computer(report: &Report) -> &'static str {
    let system = system_words(report);
    let family = family(&system);
    let desk = is_workstation(report, family, &system);
    match (family, desk) {
        (Family::Linux, false) => "Server >> Linux",
        (Family::Linux, true) => "Workstation >> Linux",
        (Family::Windows, false) => "Server >> Windows",
        (Family::Windows, true) => "Workstation >> Windows",
        (Family::MacOs, _) => "Workstation >> macOS",
        (Family::Unix, _) => "Server >> Unix",
        (Family::Esx, _) => "Server >> ESX",
        (Family::Android, _) => "Mobile >> Android",
        (Family::Unknown, true) => "Workstation",
        (Family::Unknown, false) => "Server",
    }
}

fn system_words(report: &Report) -> String {
    let os = report.os.as_ref();
    let parts = [
        os.and_then(|os| os.kernel_name.as_deref()),
        os.and_then(|os| os.name.as_deref()),
        os.and_then(|os| os.full_name.as_deref()),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ").to_lowercase()
}

fn family(system: &str) -> Family {
    // Android and ESX call themselves Linux and VMkernel beside their own name.
    const FAMILIES: &[(Family, &str)] = &[
        (Family::Android, "android"),
        (Family::Esx, "esx|vmkernel|vmware vsphere hypervisor"),
        (Family::MacOs, "darwin|mac os|macos|os x"),
        (Family::Windows, "mswin|windows"),
        (Family::Unix, "aix|bsd|hp-ux|hpux|irix|solaris|sunos|dragonfly|omnios|smartos|unix|os/400"),
        (Family::Linux, "linux|debian|ubuntu|fedora|centos|red hat|rhel|suse|gentoo|proxmox|xenserver"),
    ];
    let found = FAMILIES.iter().find(|(_, words)| says(system, words));
    found.map_or(Family::Unknown, |(family, _)| *family)
}

/// Whether a text holds one of several words, separated by `|`.
fn says(text: &str, words: &str) -> bool {
    words.split('|').any(|word| text.contains(word))
}

fn is_workstation(report: &Report, family: Family, system: &str) -> bool {
    const CLIENTS: &str = "windows 1|windows 7|windows 8|windows xp|windows vista";
    const DESKS: &str = "laptop|notebook|portable|hand held|handheld|tablet|convertible|detachable|\
        desktop|tower|all in one|lunch box|space-saving|mini pc|stick pc";
    if system.contains("server") {
        return false;
    }
    // Windows for servers says so in its name; a nameless one is told by its chassis.
    if family == Family::Windows && says(system, CLIENTS) || says(system, "workstation|desktop") {
        return true;
    }
    let chassis = report.chassis.as_deref().unwrap_or_default().to_lowercase();
    report.virtual_system.is_none() && says(&chassis, DESKS)
}

fn phone(report: &Report) -> &'static str {
    let system = system_words(report);
    let make = report.make.as_deref().unwrap_or_default().to_lowercase();
    if system.contains("android") {
        "Mobile >> Android"
    } else if make.starts_with("apple") || system.split(' ').any(|word| word == "ios" || word == "ipados") {
        "Mobile >> iOS"
    } else {
        PHONE
    }
}

fn network(report: &Report) -> &'static str {
    described_as(report).unwrap_or_else(|| {
        let cards = report.network_cards.iter().flatten();
        let ports = cards.filter(|card| !card.loopback && !card.virtual_device).count();
        if ports >= 8 { "Network Device >> Switch" } else { NETWORK_DEVICE }
    })
}

/// The type of a network device that its own words tell.
fn described_as(report: &Report) -> Option<&'static str> {
    const WORDS: &[(&str, &str)] = &[
        (
            "Network Device >> Firewall",
            "firewall|fortigate|fortios|palo alto|pan-os|adaptive security|checkpoint|check point|\
             sonicwall|pfsense|opnsense|stormshield|netasq",
        ),
        ("Network Device >> Access Point", "access point|aironet|wireless|unifi|wlan"),
        (
            "Network Device >> Switch",
            "switch|catalyst|nexus|ws-c|procurve|comware|c2960|c3750|c9300|ex2200|ex3400|ex4300|\
             powerconnect|1810-|1820-|2530-|2540-",
        ),
        ("Network Device >> Router", "router|isr4|isr1|asr1|asr9|mikrotik|junos|ios-xr|gateway"),
    ];
    let said = [&report.description, &report.model, &report.name];
    let said: Vec<&str> = said.into_iter().flatten().map(String::as_str).collect();
    let said = said.join(" ").to_lowercase();
    WORDS.iter().find(|(_, words)| says(&said, words)).map(|(kind, _)| *kind)
}

#[cfg(test)]
mod tests;
