//! Headers of a call: which may be set, and which hold secrets.

use base::{Fields, text::listed};
use hyper::header::{HeaderName, HeaderValue};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How many headers an event sets at most.
pub const MOST: usize = 50;
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
const RESERVED: [&str; 14] = listed(
    "host content-length transfer-encoding connection keep-alive upgrade te trailer expect proxy-connection \
    proxy-authorization webhook-id webhook-timestamp webhook-signature",
);

/// Does a header of this name hold a credential? Then it is kept as a secret, and never shown.
pub fn is_secret(name: &str) -> bool {
    // A word that is one of these, starts so, or ends so: names differ too much for a list of them to be complete, and
    // a header that is sealed for nothing costs its owner nothing but the sight of it.
    const WORDS: [&str; 4] = ["key", "session", "sig", "signature"];
    const STARTS: [&str; 5] = ["auth", "passw", "passphrase", "credential", "cookie"];
    const ENDS: [&str; 7] = ["token", "secret", "apikey", "accesskey", "password", "passwd", "cookie"];
    let name = name.to_ascii_lowercase();
    name.split(['-', '_', '.']).any(|word| {
        WORDS.contains(&word)
            || STARTS.iter().any(|start| word.starts_with(start))
            || ENDS.iter().any(|end| word.ends_with(end))
    })
}

/// Reads the headers of a call; errors are noted at the header.
pub fn read(fields: &mut Fields<'_>, name: &str) -> Option<Vec<Header>> {
    let mut headers: Vec<Header> = Vec::new();
    each(fields, name, |item, key, value| {
        let lower = key.to_ascii_lowercase();
        if key.is_empty() {
            return;
        }
        if HeaderName::from_bytes(key.as_bytes()).is_err() {
            item.error("key", "is not a header name");
        } else if RESERVED.contains(&lower.as_str()) {
            item.error("key", "is a header that is set for every call");
        } else if headers.iter().any(|other| other.key.eq_ignore_ascii_case(&key)) {
            item.error("key", "is given twice");
        }
        if HeaderValue::from_bytes(value.as_bytes()).is_err() {
            item.error("value", "must not contain line breaks or other control characters");
        }
        headers.push(Header { key, value });
    })?;
    Some(headers)
}

/// Reads the names of headers, and the values that are expected of them.
pub fn read_expected(fields: &mut Fields<'_>, name: &str) -> Option<Vec<Header>> {
    let mut headers = Vec::new();
    each(fields, name, |item, key, value| {
        if !key.is_empty() && HeaderName::from_bytes(key.as_bytes()).is_err() {
            item.error("key", "is not a header name");
        }
        headers.push(Header { key, value });
    })?;
    Some(headers)
}

/// Hands on the headers of a list, by name and value; `None` when there is none, or it has too many.
fn each(fields: &mut Fields<'_>, name: &str, mut take: impl FnMut(&mut Fields<'_>, String, String)) -> Option<()> {
    let given = fields.objects(name)?;
    if given.len() > MOST {
        fields.error(name, format!("must have at most {MOST} elements"));
        return None;
    }
    for mut item in given {
        let key = item.required_text("key").trim().to_owned();
        let value = item.text_max("value", LONGEST).unwrap_or_default();
        take(&mut item, key, value);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::is_secret;

    #[test]
    fn credentials_are_known_by_their_words() {
        for name in [
            "Authorization",
            "X-Authorization",
            "X-Auth",
            "X-Auth-Token",
            "Cookie",
            "Set-Cookie",
            "Ocp-Apim-Subscription-Key",
            "x-functions-key",
            "X-Api-Key",
            "ApiKey",
            "X-ApiKey",
            "api_key",
            "access_key",
            "X-Secret-Key",
            "X-Secret-Id",
            "Private-Key",
            "Private-Token",
            "PRIVATE_TOKEN",
            "X-Credential",
            "X-Credentials",
            "X-Password",
            "X-Passwd",
            "X-Passphrase",
            "X-Session-Id",
            "X-CSRFToken",
            "X-Amz-Security-Token",
            "ClientSecret",
        ] {
            assert!(is_secret(name), "{name}");
        }
        for name in
            ["Accept", "Content-Type", "X-Source", "X-Keyboard", "X-Monkey", "Idempotent", "X-Compass", "X-Design"]
        {
            assert!(!is_secret(name), "{name}");
        }
    }
}
