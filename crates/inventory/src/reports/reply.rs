//! The answers that agents expect.
//!
//! The older agents look for a zlib stream by its first two bytes (only the
//! header of the default level, 78 9c, counts), else take the text from the
//! first `<`; they want a body in every answer, also to an inventory. The newer
//! ones take a plain answer only under exactly `application/json`, without a
//! parameter, and want an `expiration` in the answer to a contact.

use std::io::Write;

use flate2::Compression as Level;
use flate2::write::ZlibEncoder;
use serde_json::json;

use super::Format;

/// How often an agent should report when nothing else is asked for: once a day.
pub const DEFAULT_HOURS: u32 = 24;

/// A body and its type, for status 200.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// `Content-Type`, to be sent as it is.
    pub content_type: &'static str,
    /// The bytes.
    pub body: Vec<u8>,
}

/// Answers [`super::Message::Prolog`], which was compressed with zlib or not: please send, and come back every `hours`.
#[must_use]
pub fn prolog(is_zlib: bool, hours: u32) -> Reply {
    xml(is_zlib, &format!("<PROLOG_FREQ>{}</PROLOG_FREQ><RESPONSE>SEND</RESPONSE>", hours.max(1)))
}

/// Answers [`super::Message::Contact`]: please send, and come back every `hours`.
///
/// Sent in answer to a prolog that carries the header `GLPI-Agent-ID`, it makes
/// that agent go on in the newer format.
#[must_use]
pub fn contact(hours: u32) -> Reply {
    // Without a list of tasks the agent runs its inventory and sends it whole.
    accepted(Format::Json, false, hours, &[])
}

/// Answers a report, or anything else that only needs to be acknowledged. The older format has no room for warnings.
#[must_use]
pub fn accepted(format: Format, is_zlib: bool, hours: u32, warnings: &[String]) -> Reply {
    let hours = hours.max(1);
    match format {
        Format::Xml => xml(is_zlib, "<RESPONSE>SEND</RESPONSE>"),
        Format::Json if warnings.is_empty() => object(&format!(r#"{{"status":"ok","expiration":{hours}}}"#)),
        Format::Json => object(&json!({"status": "ok", "expiration": hours, "warnings": warnings}).to_string()),
    }
}

fn object(text: &str) -> Reply {
    Reply { content_type: "application/json", body: text.as_bytes().to_vec() }
}

/// Compressed with zlib where the request was. Gzip is answered plain: Debian's agent fails
/// to unpack it, and every agent takes a plain answer.
fn xml(is_zlib: bool, content: &str) -> Reply {
    let text = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<REPLY>{content}</REPLY>\n");
    if is_zlib && let Some(body) = zlib(text.as_bytes()) {
        return Reply { content_type: "application/x-compress-zlib", body };
    }
    Reply { content_type: "application/xml", body: text.into_bytes() }
}

fn zlib(text: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Level::default());
    encoder.write_all(text).ok()?;
    // Another deflate library could write another header, which agents do not know.
    encoder.finish().ok().filter(|body| body.starts_with(&[0x78, 0x9c]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reports::sniff;

    #[test]
    fn xml_answers_are_compressed_as_the_request_was() {
        let zlib = prolog(true, 12);
        assert_eq!((zlib.content_type, &zlib.body[..2]), ("application/x-compress-zlib", &[0x78, 0x9c][..]));
        let text = String::from_utf8(api::body::inflate(zlib.body.into(), 1_000).unwrap().into()).unwrap();
        assert!(text.contains("<REPLY><PROLOG_FREQ>12</PROLOG_FREQ><RESPONSE>SEND</RESPONSE></REPLY>"));
        let plain = prolog(false, 12);
        assert_eq!((plain.content_type, plain.body), ("application/xml", text.into_bytes()));
        assert!(!accepted(Format::Xml, false, 24, &["w".to_owned()]).body.is_empty());
    }

    #[test]
    fn json_answers_are_objects_with_status_and_expiration() {
        for reply in [contact(24), accepted(Format::Json, true, 24, &["w".to_owned()])] {
            assert_eq!(sniff(&reply.body), Some(Format::Json));
            let value: serde_json::Value = serde_json::from_slice(&reply.body).unwrap();
            assert_eq!((&value["status"], &value["expiration"]), (&"ok".into(), &24.into()));
            assert_eq!(reply.content_type, "application/json");
        }
    }
}
