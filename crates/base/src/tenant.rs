//! Tenant ids, as they stand in every path.

use std::{fmt, str::FromStr, sync::Arc};

use serde::{Serialize, Serializer};

/// The largest number a tenant id may carry: 18 digits.
const MAX_NUMBER: i64 = 999_999_999_999_999_999;

/// A tenant id: `msp_<number>` for a partner, `client_<number>` for a client of a partner.
///
/// The text matches `^(msp|client)_[1-9][0-9]{0,17}$`, in that letter case; the interface answers
/// 404 to anything else. Ids sort by their text, as the database sorts them. A clone shares the text.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TenantId(Arc<str>);

/// Where a tenant stands: a partner has clients, a client belongs to one partner.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Level {
    /// `msp_…`: sees its own level and that of its clients.
    Partner,
    /// `client_…`: sees only itself.
    Client,
}

impl TenantId {
    /// Reads an id as it stands in a path; `None` when the text is not one.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = number_text(text)?.as_bytes();
        let first = digits.first()?;
        let valid = digits.len() <= 18 && *first != b'0' && digits.iter().all(u8::is_ascii_digit);
        valid.then(|| Self(text.into()))
    }

    /// The partner with this number, which lies between 1 and 999,999,999,999,999,999.
    ///
    /// A number outside (a programming error) makes an id that [`TenantId::parse`] would refuse and
    /// that therefore names no tenant.
    pub fn partner(number: i64) -> Self {
        debug_assert!((1..=MAX_NUMBER).contains(&number), "no tenant number");
        Self(format!("msp_{number}").into())
    }

    /// The client with this number; the same range holds as for [`TenantId::partner`].
    pub fn client(number: i64) -> Self {
        debug_assert!((1..=MAX_NUMBER).contains(&number), "no tenant number");
        Self(format!("client_{number}").into())
    }

    /// The id as it stands in a path.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Partner or client.
    pub fn level(&self) -> Level {
        if self.0.starts_with("msp_") { Level::Partner } else { Level::Client }
    }

    /// The number after the underscore.
    pub fn number(&self) -> i64 {
        number_text(&self.0).and_then(|digits| digits.parse().ok()).unwrap_or_default()
    }
}

fn number_text(text: &str) -> Option<&str> {
    text.strip_prefix("msp_").or_else(|| text.strip_prefix("client_"))
}

impl fmt::Display for TenantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// As a person writes it, on a command line.
impl FromStr for TenantId {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text).ok_or("a tenant id is msp_<number> or client_<number>")
    }
}

impl Serialize for TenantId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_both_levels() {
        let partner = TenantId::parse("msp_1").unwrap();
        assert_eq!((partner.level(), partner.number()), (Level::Partner, 1));
        let client = TenantId::parse("client_999999999999999999").unwrap();
        assert_eq!((client.level(), client.number()), (Level::Client, MAX_NUMBER));
        assert_eq!(client.to_string(), "client_999999999999999999");
        assert_eq!(serde_json::to_string(&client).unwrap(), r#""client_999999999999999999""#);
    }

    #[test]
    fn makes_what_it_reads() {
        assert_eq!(TenantId::parse("msp_7"), Some(TenantId::partner(7)));
        assert_eq!(TenantId::parse("client_42"), Some(TenantId::client(42)));
    }

    #[test]
    fn refuses_everything_else() {
        let wrong = [
            "",
            "msp",
            "msp_",
            "msp_0",
            "msp_01",
            "msp_-1",
            "msp_+1",
            "msp_1 ",
            " msp_1",
            "msp_1\n",
            "MSP_1",
            "Client_1",
            "client_1000000000000000000",
            "client_1x",
            "client_١",
            "client_1/..",
            "msp_client_1",
            "tenant_1",
        ];
        for text in wrong {
            assert_eq!(TenantId::parse(text), None, "{text:?}");
        }
    }
}
