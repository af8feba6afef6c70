//! What clients of the token endpoint see (RFC 6749, sections 4.4 and 5).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What the token endpoint reads, as a form. Key and secret may come as HTTP Basic instead.
// A parameter that is left out is empty. Without `Debug`, so that it cannot be printed by mistake.
#[derive(Deserialize, ToSchema)]
#[schema(example = json!({
    "grant_type": "client_credentials", "client_id": "<key>", "client_secret": "<secret>"
}))]
pub(crate) struct TokenRequest {
    /// Always `client_credentials`.
    #[schema(pattern = "^client_credentials$", required = true)]
    #[serde(default)]
    pub(crate) grant_type: String,
    /// The key of the API key.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    pub(crate) client_id: String,
    /// The secret of the API key.
    #[schema(value_type = Option<String>)]
    #[serde(default)]
    pub(crate) client_secret: String,
}

/// A new token.
// Without `Debug`, so that it cannot be printed by mistake.
#[derive(Serialize, ToSchema)]
#[schema(example = json!({
    "access_token": "<token>", "token_type": "bearer", "expires_in": 7199, "scope": "global:manage"
}))]
pub(crate) struct Token {
    /// To be sent as `Authorization: Bearer …`.
    pub(crate) access_token: String,
    /// Always `bearer`.
    pub(crate) token_type: &'static str,
    /// Seconds until it expires.
    pub(crate) expires_in: i64,
    /// Always `global:manage`; what the caller may do is its key's role.
    pub(crate) scope: &'static str,
}

/// Why there is no token: this endpoint's own shape.
#[derive(Debug, Serialize, ToSchema)]
#[schema(example = json!({"error": "unauthorized", "error_description": "Bad API credentials"}))]
pub(crate) struct TokenError {
    /// `unauthorized`, `access_denied`, `invalid_request`, `unsupported_grant_type`, `temporarily_unavailable` or
    /// `server_error`.
    #[schema(pattern = "^(unauthorized|access_denied|invalid_request|unsupported_grant_type|temporarily_unavailable|\
                        server_error)$")]
    pub(crate) error: &'static str,
    /// The same for people.
    pub(crate) error_description: String,
}
