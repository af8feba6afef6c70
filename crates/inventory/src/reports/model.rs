//! The content of a report, independent of its format.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};

use super::components;

/// The kind of thing that a report describes (`itemtype`, or an SNMP device's type).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ItemType {
    /// A server, desktop, laptop or virtual machine.
    #[default]
    Computer,
    /// A switch, router, access point, …
    NetworkEquipment,
    /// A printer.
    Printer,
    /// A mobile or desk phone.
    Phone,
    /// A storage array.
    Storage,
    /// A UPS or power distribution unit.
    Power,
    /// Video equipment.
    Video,
    /// A keyboard, video and mouse switch.
    Kvm,
    /// Something that answers but is not known further.
    Unmanaged,
}

/// How the facts were gathered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Origin {
    /// By an agent that runs on the machine itself.
    #[default]
    Agent,
    /// By an agent elsewhere that asked the device in depth (SNMP inventory).
    NetworkInventory,
    /// By an agent elsewhere that only found the device.
    NetworkDiscovery,
}

/// One machine or device as one report describes it.
///
/// When [`Report::partial`] is set the report holds only what changed: a field
/// that is `None` (or a section that is absent from `components` and `extra`)
/// says nothing, and what was stored stays. Otherwise `None` means that there is
/// no such value; the lists of a machine are then always `Some`, empty when the
/// report has none. Over the network cards are listed, and no other of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The identifier of the agent that sent the report. For devices found on
    /// the network it is the identifier of the agent that found them.
    pub device_id: String,
    /// How the facts were gathered.
    pub origin: Origin,
    /// Only some sections are in the report; see the type's text.
    pub partial: bool,
    /// The kind of thing described.
    pub item_type: ItemType,
    /// The agent's name and version, as in `FusionInventory-Agent_v2.6-3`.
    pub agent_version: Option<String>,

    /// The display name.
    pub name: Option<String>,
    /// The host name, as the machine has it.
    pub host_name: Option<String>,
    /// The fully qualified name (`dns`, query variable `dnsName`).
    pub dns_name: Option<String>,
    /// The Windows domain or workgroup, or the DNS domain.
    pub domain: Option<String>,
    /// The operator's or the device's own description.
    pub description: Option<String>,
    /// Where the device says it stands.
    pub location: Option<String>,

    /// The system UUID, as reported.
    pub system_uuid: Option<String>,
    /// The serial number; placeholders are left out.
    pub serial_number: Option<String>,
    /// The manufacturer; placeholders are left out.
    pub make: Option<String>,
    /// The model; placeholders are left out.
    pub model: Option<String>,
    /// The asset tag; placeholders are left out.
    pub asset_tag: Option<String>,
    /// The chassis, as in `Laptop` or `Rack Mount Chassis`.
    pub chassis: Option<String>,
    /// The hypervisor or container that the machine runs in; none on metal.
    pub virtual_system: Option<String>,
    /// The firmware part of the detail.
    pub bios: Option<Bios>,

    /// The operating system.
    pub os: Option<Os>,
    /// Physical memory in MiB.
    pub memory_mib: Option<i64>,
    /// The processors, one object each (`name`, `manufacturer`, `speed` in MHz, `cores`, …).
    pub cpus: Option<Vec<Map<String, Value>>>,
    /// The network interfaces.
    pub network_cards: Option<Vec<NetworkCard>>,
    /// The address by which the machine is best reached.
    pub primary_ip: Option<String>,
    /// The hardware address of the interface with [`Report::primary_ip`].
    pub primary_mac: Option<String>,

    /// The installed applications, each once.
    pub softwares: Option<Vec<Software>>,
    /// The antivirus products.
    pub antivirus: Option<Vec<Antivirus>>,
    /// The `tag` option of the agent.
    pub tag: Option<String>,
    /// Tags of `ACCOUNTINFO` that are not the `tag` option.
    pub tags: Option<Vec<Tag>>,
    /// Remote-control programs (`type`, `id`), for `consoles`.
    pub consoles: Option<Vec<Map<String, Value>>>,
    /// Virtual machines and containers that run on this machine.
    pub virtual_machines: Option<Vec<Value>>,
    /// The first keyboard or its layout.
    pub keyboard_type: Option<String>,
    /// The character set of the system's locale.
    pub encoding_type: Option<String>,
    /// Names of hardware parts, by section (`memories`, `storages`, …).
    pub components: BTreeMap<&'static str, Vec<String>>,
    /// Every other section as JSON, in all at most [`super::extra::MAX_EXTRA_BYTES`]. An empty array is a section
    /// without objects.
    pub extra: Map<String, Value>,
    /// Names of sections that were left out of `extra` because they are too large.
    pub extra_dropped: Vec<String>,
}

impl Report {
    /// Whether an agent runs on the machine itself.
    #[must_use]
    pub fn agent_installed(&self) -> bool {
        self.origin == Origin::Agent
    }

    /// `physicalMemory` of the detail: `7830 MB`.
    #[must_use]
    pub fn physical_memory(&self) -> Option<String> {
        self.memory_mib.map(|mib| format!("{mib} MB"))
    }

    /// `osName` of the detail: the full name where there is one.
    #[must_use]
    pub fn os_name(&self) -> Option<&str> {
        self.os.as_ref().and_then(|os| os.full_name.as_deref().or(os.name.as_deref()))
    }

    /// All hardware parts in one list, for `components` of the detail. A partial report leaves the parts of the
    /// sections that it does not have as they are `known`.
    #[must_use]
    pub fn component_list<'a>(&'a self, known: &[&'a str]) -> Vec<&'a str> {
        components::list(&self.components, if self.partial { known } else { &[] })
    }
}

/// `bios` of the detail, and further facts about the firmware.
#[api::without_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Bios {
    /// The serial number as the firmware has it, placeholder or not.
    pub system_serial: Option<String>,
    /// The model as the firmware has it.
    pub system_model: Option<String>,
    /// The manufacturer of the system.
    pub system_manufacturer: Option<String>,
    /// The manufacturer of the firmware.
    pub bios_manufacturer: Option<String>,
    /// The version of the firmware.
    pub bios_version: Option<String>,
    /// The date of the firmware, as reported.
    pub bios_date: Option<String>,
    /// The serial number of the main board.
    pub board_serial: Option<String>,
    /// The model of the main board.
    pub board_model: Option<String>,
    /// The serial number of the enclosure, which may be one of several machines.
    pub enclosure_serial: Option<String>,
}

/// The operating system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Os {
    /// The short name: `Debian GNU/Linux`, `Windows`.
    pub name: Option<String>,
    /// The name with its version: `Microsoft Windows 8.1 Pro`.
    pub full_name: Option<String>,
    /// The version of the distribution or product.
    pub version: Option<String>,
    /// The kernel: `linux`, `MSWin32`, `darwin`.
    pub kernel_name: Option<String>,
    /// The version of the kernel.
    pub kernel_version: Option<String>,
    /// The architecture: `x86_64`, `64-bit`.
    pub arch: Option<String>,
    /// The service pack.
    pub service_pack: Option<String>,
    /// When it was installed, epoch milliseconds.
    pub installed_at: Option<i64>,
    /// When it was last started, epoch milliseconds (local time taken as GMT).
    pub booted_at: Option<i64>,
}

/// One network interface with all its addresses; serializes as
/// `networkCardDetails` of the detail has it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NetworkCard {
    /// 1, 2, … in the order of the report.
    pub id: i64,
    /// `eth0`, or the adapter's description on Windows.
    pub network_name: String,
    /// `UP`, `DOWN`, or another state in capitals; empty when not known.
    pub status: String,
    /// The first address, IPv4 where there is one; may be empty.
    pub ip_address: String,
    /// Lower case, colons; may be empty.
    pub mac_address: String,
    /// The address came from a DHCP server.
    pub dhcp_enabled: bool,
    /// Speed and duplex, as in `1 Gb/s full duplex`; may be empty.
    pub link_mode: String,
    /// The further addresses, separated by commas.
    pub alias_ips: String,
    /// A loopback interface.
    #[serde(skip)]
    pub loopback: bool,
    /// A software interface (bridge, tunnel, container side, …).
    #[serde(skip)]
    pub virtual_device: bool,
}

/// One installed application.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Software {
    /// The package or product name.
    pub name: String,
    /// The publisher.
    pub vendor: Option<String>,
    /// The version.
    pub version: Option<String>,
    /// When it was installed, epoch milliseconds; see [`super::parse_date`].
    pub installed_at: Option<i64>,
    /// The architecture: `amd64`, `x86_64`.
    pub arch: Option<String>,
    /// Where the agent found it: `deb`, `rpm`, `registry`, …
    pub from: Option<String>,
}

/// Whether an antivirus product has its latest definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DefinitionStatus {
    /// The latest ones.
    UpToDate,
    /// Others.
    OutOfDate,
}

/// One antivirus product; see "Antivirus record" in `docs/interface.md`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Antivirus {
    /// The product name.
    pub name: String,
    /// The version of the product.
    pub version: Option<String>,
    /// The publisher.
    pub company: Option<String>,
    /// `currentDefinition`: the version of the definitions.
    pub definition: Option<String>,
    /// `currentDefinitionDate`: epoch milliseconds.
    pub definition_date: Option<i64>,
    /// The last scan, epoch milliseconds; the agents seen so far do not say.
    pub scan_date: Option<i64>,
    /// `status`; none when the agent does not know.
    pub status: Option<DefinitionStatus>,
    /// The product is switched on.
    pub enabled: Option<bool>,
}

/// The name of the tag that the `tag` option of an agent gives.
pub const TAG_OPTION: &str = "TAG";

/// A tag of the agent's configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// The name.
    pub name: String,
    /// The value.
    pub value: String,
}
