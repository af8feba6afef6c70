//! What makes a machine the same machine when it is seen again.
//!
//! Keys are tried in the order of [`IdentityKey`]'s variants; each is a
//! normalised text, so that equal means equal bytes. Firmware is full of
//! values that were never filled in and of addresses that every machine with
//! the same software shares: those never identify. Two machines taken for one
//! are worse than one taken for two, so what is doubtful does not identify either.

use super::model::{Origin, Report};
pub use super::placeholder::{is_identifying_mac, is_placeholder_serial, normal_mac, normal_make, normal_uuid};

/// More hardware addresses than this do not make a machine better known.
const MAX_MACS: usize = 32;

/// One way to recognise a machine. The order of the variants is the order of trust.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IdentityKey {
    /// The identifier that the agent on the machine chose for itself.
    AgentDeviceId(String),
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
}

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

    /// The key that was stored; none for what is no key.
    #[must_use]
    pub fn from_stored(text: &str) -> Option<Self> {
        let (kind, value) = text.split_once(':')?;
        let pair = || value.split_once('\n').map(|(first, second)| (first.to_owned(), second.to_owned()));
        match kind {
            "agent" => Some(Self::AgentDeviceId(value.to_owned())),
            "uuid" => Some(Self::SystemUuid(value.to_owned())),
            "mac" => Some(Self::Mac(value.to_owned())),
            "cloud" => pair().map(|(account, instance)| Self::CloudInstance { account, instance }),
            "serial" => pair().map(|(make, serial)| Self::Serial { make, serial }),
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
        let own_id = match self.origin {
            Origin::Agent => true,
            Origin::NetworkInventory | Origin::NetworkDiscovery => {
                self.name.as_deref().is_some_and(|name| is_stamped_name(&self.device_id, name))
            }
        };
        if own_id {
            keys.extend(IdentityKey::agent(&self.device_id));
        }
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
        if let (true, Some(place)) = (keys.is_empty(), self.primary_ip.as_deref().or(self.name.as_deref())) {
            keys.extend(IdentityKey::agent(&format!("{}/{place}", self.device_id)));
        }
        keys
    }
}

/// Whether `stored` and `seen` are the keys of one machine: they share a key,
/// and no more trusted kind of key, of which each has one, tells them apart.
///
/// A network adapter that is passed from desk to desk shares its address, but
/// the UUIDs and serial numbers of the desks differ. The agent's own id is an
/// exception: it changes when an agent is installed anew, and so never parts.
#[must_use]
pub fn is_same_machine(stored: &[IdentityKey], seen: &[IdentityKey]) -> bool {
    let mut kinds: Vec<&str> = Vec::new();
    for key in seen {
        if !kinds.contains(&key.kind()) {
            kinds.push(key.kind());
        }
    }
    for kind in kinds {
        let of_kind = |keys: &[IdentityKey]| -> Vec<IdentityKey> {
            keys.iter().filter(|key| key.kind() == kind).cloned().collect()
        };
        let (old, new) = (of_kind(stored), of_kind(seen));
        if new.iter().any(|key| old.contains(key)) {
            return true;
        }
        if kind != "agent" && !old.is_empty() {
            return false;
        }
    }
    false
}

/// Whether `stored` and `seen` are the keys of two machines: of a kind of key, of which each has one, they have no
/// value in common. The agent's own id does not count, nor do addresses, of which a machine may have several.
#[must_use]
pub fn are_told_apart(stored: &[IdentityKey], seen: &[IdentityKey]) -> bool {
    ["uuid", "cloud", "serial"].into_iter().any(|kind| {
        let mut old = stored.iter().filter(|key| key.kind() == kind).peekable();
        let mut new = seen.iter().filter(|key| key.kind() == kind).peekable();
        old.peek().is_some() && new.peek().is_some() && !new.any(|key| stored.contains(key))
    })
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
mod tests {
    use super::*;
    use crate::reports::model::NetworkCard;

    fn card(mac: &str, virtual_device: bool) -> NetworkCard {
        NetworkCard { mac_address: mac.to_owned(), virtual_device, ..NetworkCard::default() }
    }

    #[test]
    fn a_report_gives_its_keys_in_the_order_of_trust() {
        let report = Report {
            device_id: "web1-2026-01-31-09-00-00".into(),
            system_uuid: Some("4C4C4544-0034-3010-8048-B6C04F503732".into()),
            make: Some("Dell Inc.".into()),
            serial_number: Some("2FAGP34".into()),
            network_cards: Some(vec![
                card("68:b5:99:00:00:02", false),
                card("68:b5:99:00:00:01", false),
                card("68:b5:99:00:00:03", true),
            ]),
            ..Report::default()
        };
        let kinds: Vec<_> = report.identity().iter().map(IdentityKey::kind).collect();
        assert_eq!(kinds, ["agent", "uuid", "serial", "mac", "mac"]);
        assert!(report.identity().is_sorted());
    }

    #[test]
    fn the_agent_that_asked_is_not_the_device() {
        let device = Report {
            device_id: "scanner-2026-01-31-09-00-00".into(),
            origin: Origin::NetworkInventory,
            name: Some("printer1".into()),
            primary_ip: Some("10.0.0.9".into()),
            primary_mac: Some("00:68:eb:f2:be:10".into()),
            ..Report::default()
        };
        assert_eq!(device.identity(), [IdentityKey::Mac("00:68:eb:f2:be:10".into())]);
        let own = Report { device_id: "PRINTER1-2026-01-31-09-00-00".into(), ..device.clone() };
        assert_eq!(own.identity().len(), 2);
        let unknown = Report { primary_mac: None, ..device };
        assert_eq!(unknown.identity(), [IdentityKey::AgentDeviceId("scanner-2026-01-31-09-00-00/10.0.0.9".into())]);
    }

    #[test]
    fn two_values_of_one_kind_are_two_machines() {
        let uuid = |last: &str| IdentityKey::uuid(&format!("4c4c4544-0034-3010-8048-b6c04f5037{last}")).unwrap();
        let (serial, mac) =
            (IdentityKey::serial("Dell", "2FAGP34").unwrap(), IdentityKey::mac("68:b5:99:00:00:01").unwrap());
        assert!(are_told_apart(&[uuid("32"), serial.clone()], &[uuid("33"), serial.clone()]));
        assert!(!are_told_apart(&[uuid("32")], &[uuid("32")]));
        assert!(!are_told_apart(&[uuid("32")], std::slice::from_ref(&serial)));
        assert!(!are_told_apart(&[mac], &[IdentityKey::mac("68:b5:99:00:00:02").unwrap()]));
        assert!(!are_told_apart(&[], &[serial]));
    }

    #[test]
    fn a_weaker_key_does_not_override_a_stronger_one() {
        let keys = |list: &[Option<IdentityKey>]| list.iter().flatten().cloned().collect::<Vec<_>>();
        let uuid = |last: &str| IdentityKey::uuid(&format!("4c4c4544-0034-3010-8048-b6c04f5037{last}"));
        let (agent, mac) = (IdentityKey::agent("a-1"), IdentityKey::mac("68:b5:99:00:00:01"));
        let stored = keys(&[agent.clone(), uuid("32"), mac.clone()]);
        assert!(is_same_machine(&stored, &keys(&[agent, uuid("33")])));
        assert!(is_same_machine(&stored, &keys(&[IdentityKey::agent("a-2"), uuid("32")])));
        assert!(is_same_machine(&stored, &keys(&[IdentityKey::agent("a-2"), mac.clone()])));
        assert!(!is_same_machine(&stored, &keys(&[IdentityKey::agent("a-2"), uuid("33"), mac])));
        assert!(!is_same_machine(&stored, &[]));
    }
}
