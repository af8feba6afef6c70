//! What people send to get a link, and what they are answered.

use api::Request;
use serde::Serialize;
use utoipa::ToSchema;

use crate::users::wire::{LONGEST_EMAIL, is_email};

/// A request for a sign-in link.
#[derive(Clone, Debug, PartialEq, Eq, Request)]
#[request(schema = "SignInLinkRequest", example = json!({"email": "ann.lee@example.net"}))]
pub(crate) struct LinkRequest {
    /// The address of electronic mail that the user has here.
    #[request(chars = LONGEST_EMAIL, filled, parse = address)]
    pub(super) email: String,
}

/// The answer to every request for a sign-in link.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({"validMinutes": 10}))]
pub(crate) struct SignInLinkReceipt {
    /// How long a link is good, if there is one.
    pub(super) valid_minutes: i64,
}

fn address(text: String) -> Result<String, &'static str> {
    // A line break within would begin another header of a mail.
    let address = text.trim_matches(' ');
    if is_email(address) { Ok(address.to_owned()) } else { Err("must be an address such as ann.lee@example.net") }
}

#[cfg(test)]
mod tests {
    use base::body::Request as _;
    use serde_json::json;

    use super::*;

    #[test]
    fn an_address_is_one_line_with_one_at() {
        let email = |text: &str| LinkRequest::parse(&json!({"email": text})).ok().map(|read| read.email);
        assert_eq!(email(" ann@example.net ").as_deref(), Some("ann@example.net"));
        for wrong in ["", " ", "ann", "a@b@c", "ann@example.net\r\nBcc: eve@example.org", "ann@example.net\n"] {
            assert_eq!(email(wrong), None, "{wrong:?}");
        }
        assert!(LinkRequest::parse(&json!({})).is_err() && LinkRequest::parse(&json!({"email": 1})).is_err());
        assert_eq!(email(&format!("{}@example.net", "a".repeat(250))), None);
    }
}
