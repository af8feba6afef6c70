//! How many codes and tests are sent. A person says where to, so that without a bound anybody could have this service
//! send mail to anybody. They are counted in the database, in the transaction that sends them: gateways count together,
//! and a restart forgets nothing.

use base::{
    hex,
    problem::{Problem, RateLimit},
    timestamp::Timestamp,
};
use db::{Condition, Conn, Result};
use diesel::prelude::*;
use outbox::Retention;
use sha2::{Digest as _, Sha256};

use crate::{
    configuration::methods::{row::Destination, wire::EMAIL},
    schema::requested_messages,
};

/// For how long a message counts.
const WINDOW_MS: i64 = 600_000;

/// How many messages of a kind there are within [`WINDOW_MS`].
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The kind, as pages have it.
    kind: &'static str,
    /// For one person.
    of_user: i64,
    /// By one caller's user, for whomever.
    of_author: i64,
    /// To one address, by whomever.
    of_destination: i64,
}

/// Of codes that verify a contact method.
pub const CODES: Limits = Limits { kind: "code", of_user: 5, of_author: 30, of_destination: 5 };
/// Of tests, which go to verified contact methods alone.
pub const TESTS: Limits = Limits { kind: "test", of_user: 40, of_author: 40, of_destination: 10 };

/// A message that somebody had sent.
#[derive(Clone, Debug, Queryable, Insertable)]
#[diesel(table_name = requested_messages, treat_none_as_default_value = false)]
struct Row {
    tenant_id: String,
    id: String,
    kind: String,
    user_id: String,
    author_id: String,
    destination: String,
    sent_ms: i64,
}

/// Messages that do not count any more.
pub const RETENTION: Retention = Retention::of("requested_messages", "sent_ms", 2 * WINDOW_MS);

/// Messages of one kind that a caller wants to have sent to a person.
pub struct Request<'r> {
    /// Their limits.
    pub limits: Limits,
    /// The tenant of the person.
    pub tenant: &'r str,
    /// The person.
    pub user: &'r str,
    /// The user that the caller acts as.
    pub author: &'r str,
    /// Where each goes, as [`address_of`] says; empty where nothing reaches the person.
    pub destinations: Vec<String>,
}

impl Request<'_> {
    /// Counts the messages, in the transaction that sends them.
    ///
    /// # Errors
    /// 429 when there are too many for the person, by the caller, or to one address.
    pub fn admit(&self, conn: &mut Conn, now: Timestamp) -> Result<()> {
        let mut places = self.destinations.clone();
        places.sort_unstable();
        // Of two who send to one address at once, the second counts the message of the first.
        for place in [self.user, self.author]
            .into_iter()
            .chain(places.iter().map(String::as_str))
            .collect::<std::collections::BTreeSet<_>>()
        {
            db::Lock::of("message", place).take(conn)?;
        }
        let Limits { of_user, of_author, of_destination, .. } = self.limits;
        let count = self.destinations.len();
        self.check(conn, Condition::sql("requested_messages.user_id = ").text(self.user), (count, of_user), now)?;
        self.check(conn, Condition::sql("requested_messages.author_id = ").text(self.author), (count, of_author), now)?;
        for same in places.chunk_by(|one, other| one == other) {
            let Some(place) = same.first().filter(|place| !place.is_empty()) else { continue };
            let there = Condition::sql("requested_messages.destination = ").text(place);
            self.check(conn, there, (same.len(), of_destination), now)?;
        }
        let row = |destination: &String| Row {
            tenant_id: self.tenant.to_owned(),
            id: uuid::Uuid::now_v7().to_string(),
            kind: self.limits.kind.to_owned(),
            user_id: self.user.to_owned(),
            author_id: self.author.to_owned(),
            destination: destination.clone(),
            sent_ms: now.millis(),
        };
        let rows: Vec<Row> = self.destinations.iter().map(row).collect();
        db::insert_rows!(conn, requested_messages::table, &rows)
    }

    /// Is there room for so many more among those that meet a condition?
    fn check(&self, conn: &mut Conn, which: Condition, (more, most): (usize, i64), now: Timestamp) -> Result<()> {
        use requested_messages::dsl;
        let sent: Vec<i64> = dsl::requested_messages
            .filter(which)
            .filter(dsl::kind.eq(self.limits.kind))
            .filter(dsl::sent_ms.gt(now.millis() - WINDOW_MS))
            .order(dsl::sent_ms.desc())
            .limit(most)
            .select(dsl::sent_ms)
            .load(conn)?;
        let Some(wait_ms) = wait(&sent, more, most, now.millis()) else { return Ok(()) };
        let seconds = u32::try_from(wait_ms.div_euclid(1000) + 1).unwrap_or(u32::MAX);
        let limit = RateLimit { limit: u32::try_from(most).unwrap_or(u32::MAX), remaining: 0, reset: seconds };
        let detail = format!(
            "Too many messages of the kind {} were sent within ten minutes for one person or to one address. Try again \
             later.",
            self.limits.kind
        );
        Err(Problem::throttled(detail, seconds, limit).into())
    }
}

/// How long until there is room for so many more, in milliseconds; `None` when there is. `sent` has the newest first.
fn wait(sent: &[i64], more: usize, most: i64, now_ms: i64) -> Option<i64> {
    let most = usize::try_from(most).unwrap_or(0);
    let surplus = (sent.len() + more).saturating_sub(most);
    if surplus == 0 {
        return None;
    }
    // So many of the oldest have to be out of the window.
    let last = sent.len().checked_sub(surplus).and_then(|place| sent.get(place)).or(sent.first());
    Some((last.unwrap_or(&now_ms) + WINDOW_MS - now_ms).clamp(1, WINDOW_MS))
}

/// Where a contact method leads, as a hash: what is the same for all methods by which one mailbox, number or hook is
/// reached.
pub fn address_of(kind: &str, destination: &Destination) -> String {
    let field = |name: &str| destination.get(name).map(String::as_str).unwrap_or_default();
    let place = if kind == EMAIL {
        format!("mail:{}", field("address").to_ascii_lowercase())
    } else {
        match (field("to"), field("chatId")) {
            ("", "") => format!("url:{}", field("url")),
            (to, chat) => {
                let host = crate::configuration::methods::rules::host(field("url")).unwrap_or_default();
                let to: String = to.chars().filter(char::is_ascii_alphanumeric).collect();
                format!("at:{host}:{to}:{chat}")
            }
        }
    };
    hex(&Sha256::digest(place.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_again_when_the_oldest_are_out_of_the_window() {
        assert_eq!(wait(&[], 1, 5, 0), None);
        assert_eq!(wait(&[40, 30, 20, 10], 1, 5, 50), None);
        let full = [50_000, 40_000, 30_000, 20_000, 10_000];
        assert_eq!(wait(&full, 1, 5, 60_000), Some(WINDOW_MS - 50_000));
        assert_eq!(wait(&full, 2, 5, 60_000), Some(WINDOW_MS - 40_000));
        assert_eq!(wait(&full[..4], 3, 5, 60_000), Some(WINDOW_MS - 30_000));
        // More than there ever are wait for all.
        assert_eq!(wait(&full, 9, 5, 60_000), Some(WINDOW_MS - 10_000));
    }

    #[test]
    fn codes_and_tests_push_out_no_page() {
        use crate::{delivery::pages::store, fakes};
        let directory = tempfile::tempdir().unwrap();
        let db = fakes::database(directory.path());
        let at = Timestamp::from_millis;
        db.write_here(move |conn| {
            let settled = |kind: &str, millis| store::Row {
                status: store::SENT.to_owned(),
                ..store::Row::blank(fakes::TENANT, kind, at(millis))
            };
            let pages = (0..3).map(|one| settled("page", one)).chain([settled(store::SHIFT, 3)]);
            let own = (10..20).flat_map(|one| [settled("code", one), settled("test", one)]);
            store::insert(conn, &pages.chain(own).collect::<Vec<_>>())
        })
        .unwrap();
        let kinds = [Retention { most: Some(4), ..store::RETENTION }, Retention { most: Some(6), ..store::REQUESTED }];
        outbox::retention::sweep(&db, &kinds, |_| 0, at(100)).unwrap();
        let left = db.read_here(|conn| {
            use crate::schema::pages::dsl;
            Ok(dsl::pages.order((dsl::created_ms, dsl::kind)).select((dsl::kind, dsl::created_ms)).load(conn)?)
        });
        let left: Vec<(String, i64)> = left.unwrap();
        let (own, others): (Vec<_>, Vec<_>) = left.into_iter().partition(|(_, since)| *since >= 10);
        assert_eq!(others.len(), 4, "{others:?}");
        assert!(own.len() == 6 && own.iter().all(|(_, since)| *since >= 17), "{own:?}");
    }

    #[test]
    fn one_address_is_one_however_it_is_written() {
        let hash = |kind: &str, fields: &[(&str, &str)]| {
            let fields = fields.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
            address_of(kind, &fields.collect())
        };
        assert_eq!(hash(EMAIL, &[("address", "Ann@Example.net")]), hash(EMAIL, &[("address", "ann@example.NET")]));
        assert_ne!(hash(EMAIL, &[("address", "ann@example.net")]), hash(EMAIL, &[("address", "bob@example.net")]));
        let sms = |to: &str, path: &str| hash("HTTP", &[("to", to), ("url", &format!("https://sms.example/{path}"))]);
        assert_eq!(sms("+43 660-1", "a"), sms("+436601", "b"));
        assert_ne!(sms("+436601", "a"), sms("+436602", "a"));
        let hook = |url: &str| hash("HTTP", &[("url", url)]);
        assert_ne!(hook("https://a.example/1"), hook("https://a.example/2"));
    }
}
