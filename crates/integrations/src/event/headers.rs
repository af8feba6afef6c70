//! Headers of a call: which may be set, and which hold secrets.

use base::Fields;
use hyper::header::{HeaderName, HeaderValue};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How many headers an event sets at most.
const MOST: usize = 50;
/// The longest value.
const LONGEST: usize = 4_000;

/// A header.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = IntegrationHeader, example = json!({"key": "X-Source", "value": "muster"}))]
pub struct Header {
    /// Its name.
    pub key: String,
    /// Its value; empty in answers when the header is one that holds a credential.
    pub value: String,
}

/// What the connection, or we, set.
const RESERVED: [&str; 14] = [
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "keep-alive",
    "upgrade",
    "te",
    "trailer",
    "expect",
    "proxy-connection",
    "proxy-authorization",
    "webhook-id",
    "webhook-timestamp",
    "webhook-signature",
];

/// Does a header of this name hold a credential? Then it is kept as a secret, and never shown.
pub fn is_secret(name: &str) -> bool {
    const NAMES: [&str; 4] = ["authorization", "cookie", "apikey", "api-key"];
    const ENDS: [&str; 6] = ["-api-key", "-apikey", "-auth-key", "-access-key", "token", "secret"];
    let name = name.to_ascii_lowercase();
    NAMES.contains(&name.as_str()) || ENDS.iter().any(|end| name.ends_with(end)) || name.contains("password")
}

/// Reads `headers`; whatever is wrong with one is noted there.
pub fn read(fields: &mut Fields<'_>) -> Vec<Header> {
    let mut headers: Vec<Header> = Vec::new();
    let given = fields.objects("headers").unwrap_or_default();
    if given.len() > MOST {
        fields.error("headers", format!("must have at most {MOST} elements"));
        return headers;
    }
    for mut item in given {
        let key = item.required_text("key").trim().to_owned();
        let value = item.text_max("value", LONGEST).unwrap_or_default();
        let lower = key.to_ascii_lowercase();
        if key.is_empty() {
            continue;
        }
        if HeaderName::from_bytes(key.as_bytes()).is_err() {
            item.error("key", "is no name of a header");
        } else if RESERVED.contains(&lower.as_str()) {
            item.error("key", "is a header that is set for every call");
        } else if headers.iter().any(|other| other.key.eq_ignore_ascii_case(&key)) {
            item.error("key", "is given twice");
        }
        if HeaderValue::from_bytes(value.as_bytes()).is_err() {
            item.error("value", "must not contain line breaks or other control characters");
        }
        headers.push(Header { key, value });
    }
    headers
}

/// Reads `responseHeaders`: names, and the values that are expected.
pub fn read_expected(fields: &mut Fields<'_>) -> Vec<Header> {
    let mut headers = Vec::new();
    for mut item in fields.objects("responseHeaders").unwrap_or_default().into_iter().take(MOST) {
        let key = item.required_text("key").trim().to_owned();
        if !key.is_empty() && HeaderName::from_bytes(key.as_bytes()).is_err() {
            item.error("key", "is no name of a header");
        }
        headers.push(Header { key, value: item.text_max("value", LONGEST).unwrap_or_default() });
    }
    headers
}
