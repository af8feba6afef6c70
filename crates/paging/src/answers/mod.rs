//! One-tap answers: a link in a message with which a person answers an alert, signed in nowhere else.
//!
//! The token names the alert, the person and when it ends, sealed under the key of the gateway: nobody can make one, or read
//! what is in it. `GET` shows and changes nothing, since whoever looks through mails follows links; a button acts.

pub mod http;
pub mod page;

use base::{secret::Secret, timestamp::Timestamp};
use db::Result;
use ports::{SealedAt, Seals};

/// How long a link is good for.
const LIFE_MS: i64 = 24 * 3_600_000;
/// Links are sealed for no row: they are in none.
const PLACE: SealedAt<'static> = SealedAt { tenant: "", table: "pages", row: "", column: "link" };

/// What a link is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The tenant of the alert.
    pub tenant: String,
    /// The alert.
    pub alert: String,
    /// Who answers by it.
    pub user: String,
    /// Until when.
    pub until_ms: i64,
}

impl Link {
    /// For a person and an alert, from an instant.
    pub fn new(tenant: &str, alert: &str, user: &str, now: Timestamp) -> Self {
        let until_ms = now.millis() + LIFE_MS;
        Self { tenant: tenant.to_owned(), alert: alert.to_owned(), user: user.to_owned(), until_ms }
    }

    /// The token of the link, of letters that a URL may hold.
    pub fn seal(&self, seals: &dyn Seals) -> Result<String> {
        let Self { tenant, alert, user, until_ms } = self;
        let sealed = seals.seal(PLACE, &Secret::new(format!("{tenant}|{alert}|{user}|{until_ms}")))?;
        Ok(sealed.replace('+', "-").replace('/', "_"))
    }

    /// The link of a token; `None` for one that nobody made here.
    pub fn open(seals: &dyn Seals, token: &str) -> Result<Option<Self>> {
        if token.len() > 500 {
            return Ok(None);
        }
        // A token of a key that is not known any more is no better than one that nobody made.
        let Ok(Some(open)) = seals.open(PLACE, &token.replace('-', "+").replace('_', "/")) else { return Ok(None) };
        let mut parts = open.expose().split('|').map(ToOwned::to_owned);
        let link = (|| {
            let (tenant, alert, user) = (parts.next()?, parts.next()?, parts.next()?);
            Some(Self { tenant, alert, user, until_ms: parts.next()?.parse().ok()? })
        })();
        Ok(link)
    }
}
