//! Reports of inventory agents: from bytes that are inflated already to facts about
//! machines, and the answers that agents expect.
//!
//! Pure: no storage, no network, no clock. The way of a report is [`parse`] → [`Report`] →
//! [`Report::identity`], [`kind::of`], [`roles::of`]; the answer comes from [`reply`].
//!
//! Two formats say the same things: XML as FusionInventory and OCS agents write
//! it, and JSON as GLPI agents do. Both become one tree and are read by the same
//! code. Reading is lenient about what a fact looks like (a number in a text, one
//! object in place of an array, any letter case of keys) and strict about what
//! makes a report a report: well-formed, complete, with a device id and content.

mod components;
mod computer;
mod dates;
mod device;
mod encoding;
mod envelope;
mod error;
pub mod extra;
pub mod identity;
mod json;
pub mod kind;
mod message;
mod model;
mod network;
mod node;
mod placeholder;
mod placeholder_lists;
#[cfg(test)]
mod proptests;
pub mod reply;
pub mod roles;
mod software;
#[cfg(test)]
mod tests;
mod xml;
mod xml_repair;

pub use error::{ErrorKind, ReportError};
pub use identity::IdentityKey;
pub use message::Message;
pub use model::{Antivirus, DefinitionStatus, Origin, Report, Software, TAG_OPTION};

/// How a report is written, and so how its sender wants to be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// The older agents' format.
    Xml,
    /// The newer agents' format.
    Json,
}

/// Detects the format by the first character; none for other text.
#[must_use]
pub fn sniff(plain: &[u8]) -> Option<Format> {
    match encoding::first_character(plain)? {
        b'<' => Some(Format::Xml),
        b'{' | b'[' => Some(Format::Json),
        _ => None,
    }
}

/// Reads a plain (inflated) report.
///
/// # Errors
/// Whatever is not a well-formed report of either format: see [`ReportError`].
pub fn parse(plain: &[u8]) -> Result<Message, ReportError> {
    match sniff(plain) {
        Some(Format::Json) => parse_json(encoding::utf8(plain)?),
        Some(Format::Xml) => parse_xml(&encoding::xml(plain)?),
        None if plain.is_empty() => Err(ReportError::malformed("the report is empty")),
        None => Err(ReportError::malformed("the report is neither XML nor JSON")),
    }
}

/// Reads a plain report that [`parse`] refused as malformed: one wrong character in the name of a program must not keep
/// a machine out of the inventory. Also says what was repaired. Takes up to three times the bytes of the report beside
/// it.
///
/// # Errors
/// The error of [`parse`] for a report that cannot be repaired.
pub fn parse_repaired(plain: &[u8]) -> Result<(Message, Vec<&'static str>), ReportError> {
    match sniff(plain) {
        Some(Format::Json) => {
            let (text, repairs) = base::json_repair::repair(plain);
            if !repairs.is_empty() {
                return Ok((parse_json(&text)?, repairs));
            }
        }
        Some(Format::Xml) => {
            let (text, wrong_encoding) = encoding::nearly_xml(plain);
            let (text, mut repairs) = xml_repair::repair(&text);
            repairs.extend(wrong_encoding);
            if !repairs.is_empty() {
                return Ok((parse_xml(&text)?, repairs));
            }
        }
        None => {}
    }
    Ok((parse(plain)?, Vec::new()))
}

fn parse_json(text: &str) -> Result<Message, ReportError> {
    let root = json::read(text)?;
    if !matches!(root, node::Node::Object(_)) {
        return Err(ReportError::malformed("the JSON report is not an object"));
    }
    message::read(&root)
}

fn parse_xml(text: &str) -> Result<Message, ReportError> {
    let (name, root) = xml::read(text)?;
    if name != "REQUEST" {
        return Err(ReportError::malformed("the root element of the XML report is not REQUEST"));
    }
    message::read(&root)
}
