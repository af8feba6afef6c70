//! Feeds for calendar programs ("Calendars" in `docs/interface.md`): addresses that carry a token of their own.
//!
//! A calendar program has no token of the service; the address that it asks has one, which opens this one calendar and
//! can be revoked. The domain whose calendar it is keeps a row for each address, with a hash of the token.

use actix_web::{
    HttpRequest, HttpResponse,
    http::{StatusCode, header},
};
use base::{
    hex,
    problem::Problem,
    secret::Secret,
    tenant::TenantId,
    timestamp::{DAY_MS, Timestamp},
};
use db::{Db, Error};
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use utoipa::ToSchema;

use crate::{Result, answer::known_tags, clock};

/// What a feed tells: this long before now, in milliseconds, and this long after.
const PAST_MS: i64 = 90 * DAY_MS;
const FUTURE_MS: i64 = 366 * DAY_MS;

/// How long a calendar address is good for, in milliseconds: anyone who still needs it makes another.
const LIFE_MS: i64 = 366 * 86_400_000;

/// When a calendar address ends that was made at this time, in milliseconds.
pub fn end(created_ms: i64) -> Timestamp {
    Timestamp::from_millis(created_ms.saturating_add(LIFE_MS))
}

/// The latest time, in milliseconds, at which an address was made that has ended now.
pub fn ended(now: Timestamp) -> i64 {
    now.millis().saturating_sub(LIFE_MS)
}

/// The most events of a feed; later ones are left out.
pub const MOST_EVENTS: usize = 10_000;

/// A new token: 64 hex digits, 256 random bits.
///
/// # Errors
/// When the system has no random bytes.
pub fn new_token() -> db::Result<Secret<String>> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| Error::Fault(format!("no random bytes: {error}")))?;
    Ok(Secret::new(hex(&bytes)))
}

/// The hash under which a token is stored: a SHA-256, in hex.
pub fn hash(token: &str) -> String {
    hex(&Sha256::digest(token.as_bytes()))
}

/// What an unknown address is answered with, a revoked one, and one of another tenant.
pub fn unknown() -> Problem {
    Problem::not_found("The calendar was not found.")
}

/// A calendar program's question.
pub struct FeedRequest {
    /// The tenant of the address.
    pub tenant: String,
    /// The hash of its token.
    pub hash: String,
    /// Now.
    pub now: Timestamp,
    /// The database.
    pub db: Db,
}

impl FeedRequest {
    /// Reads the address of a feed. Parameters other than `token` mean nothing: calendar programs and proxies add some.
    ///
    /// # Errors
    /// 404 for what is not a tenant.
    pub fn read(request: &HttpRequest, tenant: &str) -> Result<Self> {
        let token = request.query_string().split('&').find_map(|parameter| parameter.strip_prefix("token="));
        let tenant = TenantId::parse(tenant).ok_or_else(unknown)?.to_string();
        let db = request.app_data::<Db>().cloned();
        let db = db.ok_or_else(|| Error::Fault("a handler without database".to_owned()))?;
        Ok(Self { tenant, hash: hash(token.unwrap_or_default()), now: clock::now(), db })
    }
}

/// From when until when a feed tells what takes place: whole days, so that a feed stays the same for a day.
pub fn range(now: Timestamp) -> (Timestamp, Timestamp) {
    let today = now.millis().div_euclid(DAY_MS) * DAY_MS;
    let at = |distance: i64| Timestamp::from_millis(today.saturating_add(distance));
    (at(-PAST_MS), at(FUTURE_MS + DAY_MS))
}

/// The answer to a calendar program: 200, or 304 when it has this calendar already.
pub fn respond(request: &HttpRequest, calendar: String) -> HttpResponse {
    let tag = format!("\"{}\"", hash(&calendar));
    let same = known_tags(request.headers()).any(|known| known == tag || known == "*");
    let mut response = HttpResponse::build(if same { StatusCode::NOT_MODIFIED } else { StatusCode::OK });
    response.insert_header((header::ETAG, tag)).insert_header((header::CACHE_CONTROL, "private, max-age=300"));
    if same {
        return response.finish();
    }
    response.content_type("text/calendar; charset=utf-8");
    response.body(calendar)
}

/// Is this the path of a feed, with a slash at its end that means nothing?
pub(crate) fn has_idle_slash(path: &str) -> bool {
    path.trim_end_matches('/').ends_with("/calendar.ics") && path.ends_with('/')
}

/// A calendar address that is in use, with who made it as its domain shows users.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CalendarAddress)]
pub struct Address<A> {
    /// `CAL-<uuid>`.
    #[schema(example = "CAL-5a0f2c55-6a55-4f5e-8f0e-1a2b3c4d5e6f")]
    pub id: String,
    /// Who made it.
    pub created_by: A,
    /// When it was made.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub created_time: Timestamp,
    /// When it ends.
    #[schema(value_type = String, example = "2027-11-21T20:37:00+0000")]
    pub expires_time: Timestamp,
}

impl<A> Address<A> {
    /// Of a row, whose time is in milliseconds, and with who made it.
    pub fn new(id: &str, created_by: A, created_ms: i64) -> Self {
        let created_time = Timestamp::from_millis(created_ms);
        Self { id: id.to_owned(), created_by, created_time, expires_time: end(created_ms) }
    }
}

/// A calendar address among all of a tenant, with what it opens.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TenantCalendarAddress)]
pub struct TenantAddress<A> {
    /// The address.
    #[serde(flatten)]
    pub address: Address<A>,
    /// The id of the roster, user or maintenance window whose calendar it opens.
    #[schema(example = "ES-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90")]
    pub of: String,
    /// The tenant, `msp_N` or `client_N`.
    #[schema(example = "client_1")]
    pub tenant: String,
}

/// A new calendar address.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CreatedCalendarAddress)]
pub struct CreatedAddress<A> {
    /// `CAL-<uuid>`.
    #[schema(example = "CAL-5a0f2c55-6a55-4f5e-8f0e-1a2b3c4d5e6f")]
    pub id: String,
    /// Who made it.
    pub created_by: A,
    /// When it was made.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub created_time: Timestamp,
    /// When it ends.
    #[schema(value_type = String, example = "2027-11-21T20:37:00+0000")]
    pub expires_time: Timestamp,
    /// The address to give to a calendar program. It is shown this once: only in the first answer under an
    /// `Idempotency-Key`.
    #[schema(
        required = false,
        example = "https://muster.example/api/v2/tenants/client_1/rosters/ES-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90/\
                   calendar.ics?token=…"
    )]
    pub url: String,
    /// The token in it, shown as it is.
    #[schema(required = false)]
    pub token: String,
}

impl<A> CreatedAddress<A> {
    /// Of the feed at a path below the tenant, such as `rosters/ES-…`, of the service that is reached at `origin`.
    pub fn new(address: Address<A>, origin: &str, tenant: &str, place: &str, token: Secret<String>) -> Self {
        let url = format!("{origin}/api/v2/tenants/{tenant}/{place}/calendar.ics?token={}", token.expose());
        let Address { id, created_by, created_time, expires_time } = address;
        Self { id, created_by, created_time, expires_time, url, token: token.into_inner() }
    }
}
