//! The link in a message by which a person answers an alert.
//!
//! The token names the alert, the person and when it ends, sealed under the key of the gateway: nobody can make one, or
//! read what is in it.

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
        Ok(Self::spelling(&sealed))
    }

    /// The link of a token, while it holds; `None` for one that nobody made here, or that has expired.
    pub fn open_at(seals: &dyn Seals, token: &str, now: Timestamp) -> Result<Option<Self>> {
        Ok(Self::open(seals, token)?.filter(|link| now.millis() < link.until_ms))
    }

    /// A token in one spelling: the letters in which a URL would have to escape it count as those in their place.
    pub fn spelling(token: &str) -> String {
        token.replace('+', "-").replace('/', "_")
    }

    fn open(seals: &dyn Seals, token: &str) -> Result<Option<Self>> {
        if token.len() > 500 {
            return Ok(None);
        }
        // A token of a key that is not known any more is not better than one that nobody made.
        let Ok(Some(open)) = seals.open(PLACE, &token.replace('-', "+").replace('_', "/")) else { return Ok(None) };
        let mut parts = open.expose().split('|').map(ToOwned::to_owned);
        let link = (|| {
            let tenant = parts.next()?;
            let alert = parts.next()?;
            let user = parts.next()?;
            Some(Self { tenant, alert, user, until_ms: parts.next()?.parse().ok()? })
        })();
        Ok(link)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fakes::Fakes;

    #[test]
    fn a_link_holds_for_a_day_and_for_its_person_and_alert_alone() {
        let seals = Fakes::default();
        let now = Timestamp::from_millis(1_795_000_000_000);
        let link = Link::new("client_1", "ALT-1", "USR1", now);
        let token = link.seal(&seals).unwrap();
        let at = |later: i64| Link::open_at(&seals, &token, Timestamp::from_millis(now.millis() + later)).unwrap();
        for later in [-1, 0, LIFE_MS - 1] {
            assert_eq!(at(later), Some(link.clone()), "{later}");
        }
        for later in [LIFE_MS, LIFE_MS + 1, 30 * LIFE_MS] {
            assert_eq!(at(later), None, "{later}");
        }
        for open in ["", "client_1|ALT-1|USR1", "client_1|ALT-1|USR1|", "client_1|ALT-1|USR1|tomorrow"] {
            let wrong = seals.seal(PLACE, &Secret::new(open.to_owned())).unwrap();
            assert_eq!(Link::open_at(&seals, &wrong, now).unwrap(), None, "{open}");
        }
        for wrong in ["", "v1.", "v2.", &token.replace("v1.", "v2.")] {
            assert_eq!(Link::open_at(&seals, wrong, now).unwrap(), None, "{wrong}");
        }
        assert_eq!(Link::open_at(&seals, &format!("{token}{}", "x".repeat(500)), now).unwrap(), None);
    }
}
