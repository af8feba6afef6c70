//! What clients see of API keys.

use api::Role;
use base::{Fields, problem::Problem, secret::Secret, timestamp::Timestamp};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::store::Row;
use crate::tenants::rules::name;

/// What an API key may do.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "for the document; api::Role is what the code uses")]
pub(crate) enum KeyRole {
    /// Reads.
    Viewer,
    /// Also jobs, maintenance, rosters, knowledge base, incidents and inventory writes.
    Operator,
    /// Also integrations: it decides where data goes.
    Integrator,
    /// Also tenants, users, keys and the audit log.
    Admin,
}

/// An API key to be created.
#[derive(Debug, ToSchema)]
#[schema(example = json!({"name": "nightly-report", "role": "viewer"}))]
pub(crate) struct NewApiKey {
    /// Its name, unique among the tenant's live keys whatever the letter case; at most 200 characters.
    pub(crate) name: String,
    /// What it may do.
    #[schema(value_type = KeyRole)]
    pub(crate) role: Role,
}

impl NewApiKey {
    /// Reads the body of a request.
    pub(crate) fn read(body: &Value) -> Result<Self, Problem> {
        let mut fields = Fields::of(body);
        let name = name(&mut fields);
        let role = match fields.require("role") {
            true => fields.one_of("role", &Role::ALL.map(Role::as_str)).and_then(Role::parse),
            false => None,
        };
        fields.finish()?;
        // Without a role there was an error above.
        Ok(Self { name, role: role.unwrap_or(Role::Viewer) })
    }
}

/// How an API key is rotated.
#[derive(Debug, PartialEq, Eq, ToSchema)]
#[schema(rename_all = "camelCase", example = json!({"revokePrevious": false}))]
pub(crate) struct ApiKeyRotation {
    /// Drop the secret that the key has now at once, instead of at the next rotation; default false.
    #[schema(required = false)]
    pub(crate) revoke_previous: bool,
}

impl ApiKeyRotation {
    /// Reads the body of a request.
    pub(crate) fn read(body: &Value) -> Result<Self, Problem> {
        let mut fields = Fields::of(body);
        let revoke_previous = fields.boolean("revokePrevious").unwrap_or(false);
        fields.finish()?;
        Ok(Self { revoke_previous })
    }
}

/// An API key, without its secret.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "id": "KEY-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90", "name": "nightly-report", "role": "viewer",
    "key": "<key>", "userId": "USR0000000002", "createdBy": "USR0000000001",
    "createdDate": "2026-11-20T20:37:00+0000", "updatedDate": "2026-11-20T20:37:00+0000",
    "previousSecretValid": false
}))]
pub(crate) struct ApiKey {
    /// `KEY-<uuid>`.
    pub(crate) id: String,
    /// Its name.
    pub(crate) name: String,
    /// What it may do.
    #[schema(value_type = KeyRole)]
    pub(crate) role: String,
    /// The public part: the `client_id` of a token request.
    pub(crate) key: String,
    /// The user that it acts as.
    pub(crate) user_id: String,
    /// The user that created it.
    pub(crate) created_by: String,
    /// When it was created.
    #[schema(value_type = String)]
    pub(crate) created_date: Timestamp,
    /// When it was rotated last; else when it was created.
    #[schema(value_type = String)]
    pub(crate) updated_date: Timestamp,
    /// Whether the secret before the last rotation is still valid.
    pub(crate) previous_secret_valid: bool,
}

/// An API key with its new secret: the only time that it is shown.
// Without `Debug`, so that it cannot be printed by mistake.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "id": "KEY-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90", "name": "nightly-report", "role": "viewer",
    "key": "<key>", "userId": "USR0000000002", "createdBy": "USR0000000001",
    "createdDate": "2026-11-20T20:37:00+0000", "updatedDate": "2026-11-20T20:37:00+0000",
    "previousSecretValid": false, "secret": "<secret>"
}))]
pub(crate) struct CreatedApiKey {
    /// The key, as a list has it.
    #[serde(flatten)]
    api_key: ApiKey,
    /// The secret part: the `client_secret` of a token request. It is not stored and cannot be shown again.
    secret: String,
}

impl CreatedApiKey {
    /// The one place where a secret is told.
    pub(crate) fn new(row: Row, secret: Secret<String>) -> Self {
        Self { api_key: row.into(), secret: secret.into_inner() }
    }
}

impl From<Row> for ApiKey {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            name: row.name,
            role: row.role,
            key: row.key,
            user_id: row.user_id,
            created_by: row.created_by,
            created_date: Timestamp::from_millis(row.created_ms),
            updated_date: Timestamp::from_millis(row.updated_ms),
            previous_secret_valid: row.previous_secret,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn reads_a_new_key() {
        let new = NewApiKey::read(&json!({"name": "ci", "role": "ADMIN", "other": 1})).unwrap();
        assert_eq!((new.name.as_str(), new.role), ("ci", Role::Admin));
        let problem = NewApiKey::read(&json!({"role": "root"})).unwrap_err();
        let named: Vec<&str> = problem.errors.iter().map(|error| error.field_name.as_str()).collect();
        assert_eq!(named, ["name", "role"]);
        let problem = NewApiKey::read(&json!({"name": "ci"})).unwrap_err();
        assert_eq!(problem.errors[0].field_name, "role");
        assert_eq!(problem.errors.len(), 1);
    }

    #[test]
    fn reads_a_rotation() {
        let read = |body| ApiKeyRotation::read(&body).map(|rotation| rotation.revoke_previous);
        assert_eq!(read(json!({})), Ok(false));
        assert_eq!(read(json!({"revokePrevious": "TRUE"})), Ok(true));
        assert_eq!(read(json!({"revokePrevious": 1})).unwrap_err().errors[0].field_name, "revokePrevious");
    }
}
