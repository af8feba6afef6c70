//! What clients see of sessions and sign-in links.

use base::timestamp::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

api::path_id! {
    /// `SES-<uuid>`.
    pub(crate) SessionId = "sessionId", "SES-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90", prefix "SES-"
}

/// A session: a browser in which somebody signed in.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "id": "SES-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90", "userId": "USR0000000007", "method": "link",
    "userAgent": "Mozilla/5.0", "createdDate": "2026-11-20T20:37:00+0000", "lastUsedAt": "2026-11-20T20:41:00+0000",
    "expiresAt": "2026-11-27T20:37:00+0000"
}))]
pub(crate) struct Session {
    /// `SES-<uuid>`; the `keyId` of what it did in the audit log.
    pub(crate) id: String,
    /// Who signed in.
    pub(crate) user_id: String,
    /// How: `link`, `oidc`, or `page` for the link of a page.
    #[schema(pattern = "^(link|oidc|page)$")]
    pub(crate) method: String,
    /// What it is limited to; left out unless it began by the link of a page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) limited_to: Option<LimitedTo>,
    /// What the browser called itself; may be empty.
    pub(crate) user_agent: String,
    /// When it began.
    #[schema(value_type = String)]
    pub(crate) created_date: Timestamp,
    /// When it was used last, to the minute. It ends 12 hours after that.
    #[schema(value_type = String)]
    pub(crate) last_used_at: Timestamp,
    /// When it ends at the latest.
    #[schema(value_type = String)]
    pub(crate) expires_at: Timestamp,
    /// Whether this is the session that asks; left out where another asks.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub(crate) current: bool,
}

/// The limit of a session that began by the link of a page: it reads one tenant, and answers one alert or incident.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({"tenant": "client_1", "alertId": "ALT-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90"}))]
pub(crate) struct LimitedTo {
    /// The tenant that it reads.
    pub(crate) tenant: String,
    /// The alert that it answers; left out where that is an incident.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) alert_id: Option<String>,
    /// The incident that it answers; left out where that is an alert.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) incident_id: Option<String>,
}

/// A link that signs somebody in: the only time that it is shown.
// Without `Debug`, so that it cannot be printed by mistake.
#[derive(Serialize, ToSchema)]
#[schema(example = json!({
    "url": "https://muster.example/auth/sign-in?code=<code>", "expires": "2026-11-20T20:47:00+0000"
}))]
pub(crate) struct SignInLink {
    /// To be opened in the browser that is to be signed in, once. Only in the first answer under an `Idempotency-Key`.
    #[schema(required = false)]
    pub(crate) url: String,
    /// When it ends.
    #[schema(value_type = String)]
    pub(crate) expires: Timestamp,
}

/// The answer to a repeated request: the link is not shown again.
#[derive(Debug, Serialize)]
pub(crate) struct SignInLinkReplay {
    pub(crate) expires: Timestamp,
}

/// A link in the audit log.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SignInLinkRecord {
    pub(super) user_id: String,
    pub(super) created_by: String,
    pub(super) expires: Timestamp,
}

/// The form that redeems a sign-in link.
// Without `Debug`, so that it cannot be printed by mistake.
#[derive(Deserialize, ToSchema)]
#[schema(example = json!({"code": "<code>"}))]
pub(crate) struct SignInForm {
    /// The code of the link.
    pub(super) code: String,
}
