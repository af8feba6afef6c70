//! What clients see of API keys.

use api::{Role, access::Roles};
use base::{Fields, problem::Problem, secret::Secret, timestamp::Timestamp};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::{rules, store::Row};
use crate::{tenants::rules::name, users};

/// What an API key or a user may do.
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
#[schema(as = ApiKeyInput, rename_all = "camelCase", example = json!({
    "name": "agents", "role": "operator", "operations": ["reportMachine"], "expiresAt": "2027-11-20T20:37:00+0000"
}))]
pub(crate) struct NewApiKey {
    /// Its name, unique among the tenant's live keys whatever the letter case; at most 200 characters.
    pub(crate) name: String,
    /// What it may do.
    #[schema(value_type = KeyRole)]
    pub(crate) role: Role,
    /// The operationIds that the key may call, and no others; each is one that its role may. Left out, it may do all that
    /// its role may.
    pub(crate) operations: Option<Vec<String>>,
    /// When the key ends by itself, with its tokens.
    #[schema(value_type = Option<String>)]
    pub(crate) expires_at: Option<Timestamp>,
    /// The person that the key acts as: a user of the same tenant. The key may do no more than that user, also when the user
    /// may less later, and ends with it. Left out, the key is a program's and gets a user of its own.
    pub(crate) user_id: Option<String>,
}

impl NewApiKey {
    /// Reads the body of a request, to a server with these operations.
    pub(crate) fn read(body: &Value, roles: &Roles, now: Timestamp) -> Result<Self, Problem> {
        let mut fields = Fields::of(body);
        let name = name(&mut fields);
        let role = match fields.require("role") {
            true => fields.one_of("role", &Role::ALL.map(Role::as_str)).and_then(Role::parse),
            false => None,
        };
        // Without a role there was an error above.
        let role = role.unwrap_or(Role::Viewer);
        let operations = fields.texts("operations");
        let given = fields.value("operations").and_then(Value::as_array).map(Vec::len);
        match operations.as_deref() {
            // What is no text was told already, and its neighbours have lost their places.
            Some(named) if given != Some(named.len()) => {}
            Some([]) => fields.error("operations", "must name an operation, or be left out for all that the role may"),
            Some(named) if named.len() > roles.len() => {
                fields.error("operations", "must not name more operations than there are");
            }
            Some(named) => named.iter().enumerate().for_each(|(place, name)| {
                if let Some(message) = rules::operation_error(name, role, roles) {
                    fields.error(&format!("operations[{place}]"), message);
                }
            }),
            None => {}
        }
        let user_id = fields.text("userId");
        if user_id.as_deref().is_some_and(|id| !users::rules::is_id(id)) {
            fields.error("userId", "must be a user of this tenant");
        }
        let expires_at = fields.timestamp("expiresAt");
        if expires_at.is_some_and(|end| end <= now) {
            fields.error("expiresAt", "must be in the future");
        }
        fields.finish()?;
        Ok(Self { name, role, operations: operations.map(rules::in_order), expires_at, user_id })
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
    "key": "<key>", "userId": "USR0000000002", "personal": false, "createdBy": "USR0000000001",
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
    /// Whether that user is a person, with whom the key ends, and not a program's own.
    pub(crate) personal: bool,
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
    /// The operationIds that it is restricted to, in their order; left out when it may do all that its role may.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) operations: Option<Vec<String>>,
    /// When it ends by itself; left out when it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub(crate) expires_at: Option<Timestamp>,
    /// When it was used last, to the minute; left out when it never was.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub(crate) last_used_at: Option<Timestamp>,
}

/// An API key with its new secret: the only time that it is shown.
// Without `Debug`, so that it cannot be printed by mistake.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "id": "KEY-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90", "name": "nightly-report", "role": "viewer",
    "key": "<key>", "userId": "USR0000000002", "personal": false, "createdBy": "USR0000000001",
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
            operations: row.narrowed(),
            expires_at: row.expires_ms.map(Timestamp::from_millis),
            last_used_at: row.last_used_ms.map(Timestamp::from_millis),
            id: row.id,
            name: row.name,
            role: row.role,
            key: row.key,
            user_id: row.user_id,
            personal: row.personal,
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
        let operations = [("getSite", Role::Viewer), ("createSite", Role::Operator), ("createUser", Role::Admin)];
        let roles: Roles = operations.map(|(name, role)| (name.to_owned(), role)).into();
        let read = |body: Value| NewApiKey::read(&body, &roles, Timestamp::from_millis(1_000));
        let new = read(json!({"name": "ci", "role": "ADMIN", "other": 1})).unwrap();
        assert_eq!((new.name.as_str(), new.role, new.operations), ("ci", Role::Admin, None));
        let new = read(json!({"name": "ci", "role": "operator", "operations": ["getSite", "createSite", "getSite"]}));
        assert_eq!(new.unwrap().operations.unwrap(), ["createSite", "getSite"]);
        let problem = read(json!({"role": "root"})).unwrap_err();
        let named: Vec<&str> = problem.errors.iter().map(|error| error.field_name.as_str()).collect();
        assert_eq!(named, ["name", "role"]);
        for (other, named) in [
            (json!({}), "role"),
            (json!({"role": "viewer", "operations": []}), "operations"),
            (json!({"role": "viewer", "operations": ["getSite", "createSite"]}), "operations[1]"),
            (json!({"role": "viewer", "operations": ["flySite"]}), "operations[0]"),
            (json!({"role": "viewer", "operations": ["getSite", "getSite", "getSite", "getSite"]}), "operations"),
            (json!({"role": "viewer", "expiresAt": "1970-01-01T00:00:01Z"}), "expiresAt"),
            (json!({"role": "viewer", "userId": "ann"}), "userId"),
        ] {
            let mut body = json!({"name": "ci"});
            body.as_object_mut().unwrap().extend(other.as_object().unwrap().clone());
            let problem = read(body).unwrap_err();
            let fields: Vec<&str> = problem.errors.iter().map(|error| error.field_name.as_str()).collect();
            assert_eq!(fields, [named]);
        }
    }

    #[test]
    fn reads_a_rotation() {
        let read = |body| ApiKeyRotation::read(&body).map(|rotation| rotation.revoke_previous);
        assert_eq!(read(json!({})), Ok(false));
        assert_eq!(read(json!({"revokePrevious": "TRUE"})), Ok(true));
        assert_eq!(read(json!({"revokePrevious": 1})).unwrap_err().errors[0].field_name, "revokePrevious");
    }
}
