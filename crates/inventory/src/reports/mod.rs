//! Reports of inventory agents: from the bytes of a request to facts about
//! machines, and the answers that agents expect.
//!
//! Pure: no storage, no network, no clock. The way of a report is
//! [`Decoder`] (inflate within bounds) → [`parse`] → [`Report`] →
//! [`Report::identity`], [`kind::of`], [`roles::of`]; the answer comes from [`reply`].
//!
//! Two formats say the same things: XML as FusionInventory and OCS agents write
//! it, and JSON as GLPI agents do. Both become one tree and are read by the same
//! code. Reading is lenient about what a fact looks like (a number in a text, one
//! object in place of an array, any letter case of keys) and strict about what
//! makes a report a report: well-formed, complete, with a device id and content.

mod computer;
mod dates;
pub mod decode;
mod device;
mod encoding;
mod envelope;
mod error;
mod extra;
mod gzip;
pub mod identity;
mod json;
pub mod kind;
mod message;
mod model;
mod network;
mod node;
mod parts;
mod placeholder;
mod placeholder_lists;
#[cfg(test)]
mod proptests;
pub mod reply;
mod role_table;
pub mod roles;
mod software;
#[cfg(test)]
mod tests;
mod xml;

pub use decode::{Decoder, MAX_PLAIN_BYTES, decode};
pub use error::{ErrorKind, ReportError};
pub use identity::IdentityKey;
pub use message::Message;
pub use model::{Antivirus, DefinitionStatus, Origin, Report, Software};

/// How a report is written, and so how its sender wants to be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// The older agents' format.
    Xml,
    /// The newer agents' format.
    Json,
}

/// Tells the format by the first character; none for what is neither.
#[must_use]
pub fn sniff(plain: &[u8]) -> Option<Format> {
    let plain = plain.strip_prefix(b"\xef\xbb\xbf").unwrap_or(plain);
    match plain.iter().find(|byte| !byte.is_ascii_whitespace())? {
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
    let message = match sniff(plain) {
        Some(Format::Json) => {
            let text = encoding::utf8(plain)?;
            let root = json::read(text)?;
            if !matches!(root, node::Node::Object(_)) {
                return Err(ReportError::malformed("the JSON report is not an object"));
            }
            message::read(&root)?
        }
        Some(Format::Xml) => {
            let text = encoding::xml(plain)?;
            let (name, root) = xml::read(&text)?;
            if name != "REQUEST" {
                return Err(ReportError::malformed("the root element of the XML report is not REQUEST"));
            }
            message::read(&root)?
        }
        None if plain.is_empty() => return Err(ReportError::malformed("the report is empty")),
        None => return Err(encoding::neither(plain)),
    };
    Ok(message)
}
