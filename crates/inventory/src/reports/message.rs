//! The messages of agents.

use base::text::listed;

use super::computer;
use super::device;
use super::envelope::Envelope;
use super::error::ReportError;
use super::model::{ItemType, Origin, Report};
use super::node::Node;

/// The messages of agents other than inventories; none is stored.
const ACKNOWLEDGED: [&str; 14] = listed(
    "get_params getparams getconfig register update notify download wakeonlan collect deploy esx getjobs setstatus \
    remoteinventory",
);

/// Agents make their id of a host name (at most 253) and a moment.
const MAX_DEVICE_ID: usize = 512;

/// The message of an agent in one request.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// The older agent's opening question; answer with [`super::reply::prolog`].
    Prolog {
        /// Who asks.
        device_id: String,
    },
    /// The newer agent's opening question; answer with [`super::reply::contact`].
    Contact {
        /// Who asks.
        device_id: String,
        /// The agent's name and version, as in `GLPI-Agent 1.7`.
        agent: Option<String>,
        /// The agent's `tag` option.
        tag: Option<String>,
    },
    /// Facts; never empty. Only network reports describe more than one device.
    Inventory(Vec<Report>),
    /// Something else of the protocol that asks for no more than an answer.
    Other {
        /// The action or query in lower case, as in `get_params`.
        action: String,
        /// Who asks, where it is said.
        device_id: Option<String>,
    },
}

/// Reads a root object whose members are those of the newer format, or whose
/// members are those of the older one under their own names.
pub(super) fn read(root: &Node) -> Result<Message, ReportError> {
    let action = root.first(&["action", "query"]).unwrap_or_else(|| "inventory".to_owned()).to_ascii_lowercase();
    let device_id = root.text("deviceid");
    let needed = || match &device_id {
        Some(id) if id.len() <= MAX_DEVICE_ID => Ok(id.clone()),
        Some(_) => Err(ReportError::malformed(format!("deviceid: longer than {MAX_DEVICE_ID} bytes"))),
        None => Err(ReportError::malformed("deviceid: missing or empty")),
    };
    let origin = match action.as_str() {
        "prolog" => {
            return Ok(Message::Prolog { device_id: needed()? });
        }
        "contact" => {
            let name = root.text("name");
            let version = root.text("version");
            let agent = name.map(|name| version.map_or(name.clone(), |version| format!("{name} {version}")));
            return Ok(Message::Contact { device_id: needed()?, agent, tag: root.text("tag") });
        }
        "inventory" | "injector" => Origin::Agent,
        "netinventory" | "snmp" | "snmpquery" => Origin::NetworkInventory,
        "netdiscovery" => Origin::NetworkDiscovery,
        other if !ACKNOWLEDGED.contains(&other) => {
            return Err(ReportError::malformed("action: none that is known here"));
        }
        _ => {
            return Ok(Message::Other { action, device_id: device_id.filter(|id| id.len() <= MAX_DEVICE_ID) });
        }
    };
    let device_id = needed()?;
    let content = root.get("content").ok_or_else(|| ReportError::malformed("content: missing"))?;
    if !content.is_object() {
        return Err(ReportError::malformed("content: not an object with sections"));
    }
    let origin = match origin {
        // Some agents send the inventory of a device as a plain inventory.
        Origin::Agent if content.get("network_device").is_some() => Origin::NetworkInventory,
        origin => origin,
    };
    let envelope = Envelope {
        device_id,
        origin,
        item_type: root.text("itemtype").as_deref().and_then(device::item_type).unwrap_or(match origin {
            Origin::Agent => ItemType::Computer,
            Origin::NetworkInventory => ItemType::NetworkEquipment,
            Origin::NetworkDiscovery => ItemType::Unmanaged,
        }),
        partial: root.boolean("partial").unwrap_or(false),
        tag: root.text("tag"),
    };
    if origin == Origin::Agent {
        return Ok(Message::Inventory(vec![computer::read(&envelope, content)]));
    }
    let reports = device::read(&envelope, content);
    if reports.is_empty() {
        if content.get("network_device").is_some() {
            return Err(ReportError::malformed(
                "content.network_device: no name, address or serial number to recognise it by",
            ));
        }
        // An agent tells how far it has come between the devices.
        return Ok(Message::Other { action, device_id: Some(envelope.device_id) });
    }
    Ok(Message::Inventory(reports))
}
