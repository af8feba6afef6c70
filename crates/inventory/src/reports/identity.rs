//! Identity keys: how a machine is recognised when it reports again.
//!
//! Keys are tried in the order of [`IdentityKey`]'s variants; each is a
//! normalised text, so that equal means equal bytes. Firmware is full of
//! values that were never filled in and of addresses that every machine with
//! the same software shares: those never identify. Two machines taken for one
//! are worse than one taken for two, so what is doubtful does not identify either.

use super::model::{Origin, Report};
pub use super::placeholder::{
    is_identifying_mac, is_placeholder_serial, is_shared_mac, normal_mac, normal_make, normal_uuid,
};

/// More hardware addresses than this do not make a machine better known.
const MAX_MACS: usize = 32;

/// One way to recognise a machine. The order of the variants is the order of trust.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IdentityKey {
    /// The system UUID of the firmware or hypervisor, lower case.
    SystemUuid(String),
    /// An instance of a cloud account.
    CloudInstance {
        /// The account, subscription or project.
        account: String,
        /// The provider's id of the instance.
        instance: String,
    },
    /// A serial number of one manufacturer.
    Serial {
        /// The manufacturer, without case, punctuation and legal form.
        make: String,
        /// The serial number, upper case.
        serial: String,
    },
    /// A hardware address, lower case with colons.
    Mac(String),
    /// The identifier that the agent on the machine chose for itself. Machines that were copied from one image may have
    /// the same.
    AgentDeviceId(String),
}

/// The kinds of keys, most trusted first.
const KINDS: [&str; 5] = ["uuid", "cloud", "serial", "mac", "agent"];

impl IdentityKey {
    /// The key of an agent's device id.
    #[must_use]
    pub fn agent(device_id: &str) -> Option<Self> {
        let id = one_line(device_id);
        (!id.is_empty()).then_some(Self::AgentDeviceId(id))
    }

    /// The key of a system UUID, unless it is a placeholder.
    #[must_use]
    pub fn uuid(uuid: &str) -> Option<Self> {
        normal_uuid(uuid).map(Self::SystemUuid)
    }

    /// The key of a cloud instance; both parts are needed.
    #[must_use]
    pub fn cloud(account: &str, instance: &str) -> Option<Self> {
        let account = one_line(account).to_lowercase();
        let instance = one_line(instance).to_lowercase();
        (!account.is_empty() && !instance.is_empty()).then_some(Self::CloudInstance { account, instance })
    }

    /// The key of a serial number, unless it is a placeholder; the make is needed,
    /// because two makers may count alike.
    #[must_use]
    pub fn serial(make: &str, serial: &str) -> Option<Self> {
        let make = normal_make(make)?;
        if is_placeholder_serial(serial) {
            return None;
        }
        Some(Self::Serial { make, serial: one_line(serial).to_uppercase() })
    }

    /// The key of a hardware address, unless it is one that machines share.
    #[must_use]
    pub fn mac(mac: &str) -> Option<Self> {
        normal_mac(mac).filter(|mac| is_identifying_mac(mac)).map(Self::Mac)
    }

    /// Is it a number of the firmware? A scan may tell the one of an enclosure, or of a management board.
    #[must_use]
    pub const fn is_of_firmware(&self) -> bool {
        matches!(self, Self::SystemUuid(_) | Self::Serial { .. })
    }

    /// The kind as it is stored: `agent`, `uuid`, `cloud`, `serial`, `mac`.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::AgentDeviceId(_) => "agent",
            Self::SystemUuid(_) => "uuid",
            Self::CloudInstance { .. } => "cloud",
            Self::Serial { .. } => "serial",
            Self::Mac(_) => "mac",
        }
    }

    /// The key as it is stored: its kind, a colon, its value.
    #[must_use]
    pub fn stored(&self) -> String {
        format!("{}:{}", self.kind(), self.value())
    }

    /// The key as a further machine stores it that has it as well: only an agent's device id may be several machines'.
    #[must_use]
    pub fn stored_again(&self, resource: &str) -> Option<String> {
        matches!(self, Self::AgentDeviceId(_)).then(|| format!("{}\n{resource}", self.stored()))
    }

    /// The key that was stored; none for text that is not a key, or has since become a known placeholder.
    #[must_use]
    pub fn from_stored(text: &str) -> Option<Self> {
        let (kind, value) = text.split_once(':')?;
        match kind {
            "agent" => Self::agent(value.split('\n').next()?),
            "uuid" => Self::uuid(value),
            "mac" => Self::mac(value),
            "cloud" => value.split_once('\n').and_then(|(account, instance)| Self::cloud(account, instance)),
            "serial" => value.split_once('\n').and_then(|(make, serial)| Self::serial(make, serial)),
            _ => None,
        }
    }

    /// The value as it is stored; the parts of a pair are separated by a line break,
    /// which neither part can hold.
    #[must_use]
    fn value(&self) -> String {
        match self {
            Self::AgentDeviceId(value) | Self::SystemUuid(value) | Self::Mac(value) => value.clone(),
            Self::CloudInstance { account: first, instance: second } | Self::Serial { make: first, serial: second } => {
                format!("{first}\n{second}")
            }
        }
    }
}

impl Report {
    /// The keys of the described machine, most trusted first, each once.
    ///
    /// The device id of a network report names the agent that asked, so it
    /// counts only when it was made from the device's own name, or, joined with
    /// the address, for a device about which nothing else is known. Reports that
    /// [`super::parse`] gives have at least one key.
    #[must_use]
    pub fn identity(&self) -> Vec<IdentityKey> {
        let mut keys = Vec::new();
        keys.extend(self.system_uuid.as_deref().and_then(IdentityKey::uuid));
        if let (Some(make), Some(serial)) = (&self.make, &self.serial_number) {
            keys.extend(IdentityKey::serial(make, serial));
        }
        // A device has one address for itself, and a chassis has hundreds for its ports.
        let own_mac = (self.origin != Origin::Agent).then_some(self.primary_mac.as_deref()).flatten();
        if let Some(key) = own_mac.and_then(IdentityKey::mac) {
            keys.push(key);
        } else {
            let cards = self.network_cards.iter().flatten().filter(|card| !card.loopback && !card.virtual_device);
            let mut macs: Vec<_> = cards.filter_map(|card| IdentityKey::mac(&card.mac_address)).collect();
            macs.sort_unstable();
            macs.dedup();
            macs.truncate(MAX_MACS);
            keys.append(&mut macs);
        }
        let own_id = match self.origin {
            Origin::Agent => true,
            Origin::NetworkInventory | Origin::NetworkDiscovery => {
                self.name.as_deref().is_some_and(|name| is_stamped_name(&self.device_id, name))
            }
        };
        if own_id {
            keys.extend(IdentityKey::agent(&self.device_id));
        }
        if let (true, Some(place)) = (keys.is_empty(), self.primary_ip.as_deref().or(self.name.as_deref())) {
            keys.extend(IdentityKey::agent(&format!("{}/{place}", self.device_id)));
        }
        keys
    }
}

/// The evidence that keys of one kind give about two machines.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Evidence {
    Same,
    Different,
    Nothing,
}

fn compare(kind: &str, stored: &[IdentityKey], seen: &[IdentityKey]) -> Evidence {
    let old: Vec<&IdentityKey> = stored.iter().filter(|key| key.kind() == kind).collect();
    let new: Vec<&IdentityKey> = seen.iter().filter(|key| key.kind() == kind).collect();
    if new.iter().any(|key| old.contains(key)) {
        return Evidence::Same;
    }
    // One number under two makes may be a maker that is spelt in two ways.
    let alike = |key: &IdentityKey| new.iter().any(|other| is_same_serial(key, other));
    if old.is_empty() || new.is_empty() || old.into_iter().any(alike) { Evidence::Nothing } else { Evidence::Different }
}

fn is_same_serial(one: &IdentityKey, other: &IdentityKey) -> bool {
    matches!((one, other), (IdentityKey::Serial { serial, .. },
        IdentityKey::Serial { serial: same, .. }) if serial == same)
}

/// Whether `stored` and `seen` are the keys of one machine: of the most trusted kind of key that both have, they share
/// one.
///
/// A network adapter that is passed from desk to desk shares its address, but the UUIDs and serial numbers of the desks
/// differ. Copies of one image share the agent's device id, but not what the hypervisor gave them. A UUID from which
/// everything else differs is a placeholder that is on no list.
#[must_use]
pub fn is_same_machine(stored: &[IdentityKey], seen: &[IdentityKey]) -> bool {
    let of = |kind: &str| compare(kind, stored, seen);
    let decisive = KINDS.into_iter().map(|kind| (kind, of(kind))).find(|(_, evidence)| *evidence != Evidence::Nothing);
    match decisive {
        Some(("uuid", Evidence::Same)) => {
            let contradicted = of("serial") == Evidence::Different && of("agent") == Evidence::Different;
            !contradicted || of("mac") == Evidence::Same
        }
        Some((_, evidence)) => evidence == Evidence::Same,
        None => false,
    }
}

/// Whether `stored` and `seen` are the keys of two machines: of a kind of key, of which each has one, they have no
/// value in common. The agent's own id does not count, nor do addresses, of which a machine may have several.
#[must_use]
pub fn are_told_apart(stored: &[IdentityKey], seen: &[IdentityKey]) -> bool {
    ["uuid", "cloud", "serial"].into_iter().any(|kind| compare(kind, stored, seen) == Evidence::Different)
}

/// Trimmed, every run of white space (line breaks too) one space.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Agents make their id of the name and the moment: `web1-2026-01-31-09-00-00`.
fn is_stamped_name(device_id: &str, name: &str) -> bool {
    let stamp =
        device_id.get(..name.len()).filter(|start| start.eq_ignore_ascii_case(name)).and(device_id.get(name.len()..));
    stamp.is_some_and(|stamp| {
        let mut parts = stamp.split('-');
        parts.next() == Some("")
            && stamp.split('-').count() == 7
            && parts.all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
    })
}

#[cfg(test)]
mod tests;
