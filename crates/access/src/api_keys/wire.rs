//! What clients see and say of API keys.

use api::{Request, Role, access::Roles};
use base::{
    problem::{FieldErrors, Problem},
    timestamp::Timestamp,
};
use serde::Serialize;
use utoipa::ToSchema;

use super::rules;
use crate::{tenants::wire::LONGEST_NAME, users};

api::path_id! {
    /// `KEY-<uuid>`.
    pub(crate) ApiKeyId = "apiKeyId", "KEY-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90", looked_up
}

/// An id of the wrong form names no key, and is not looked up.
fn looked_up(text: &str) -> String {
    let id = base::text::spelled(text, "KEY-");
    if rules::is_id(&id) { id } else { String::new() }
}

/// An API key to be created.
#[derive(Clone, Debug, PartialEq, Request)]
#[request(schema = "ApiKeyInput", example = json!({
    "name": "agents", "role": "operator", "operations": ["reportMachine"], "expiresAt": "2027-11-20T20:37:00+0000"
}))]
pub(crate) struct NewApiKey {
    /// Its name, unique among the tenant's live keys whatever the letter case.
    #[request(line, chars = LONGEST_NAME)]
    pub(crate) name: String,
    /// What it may do.
    pub(crate) role: Role,
    /// The operationIds that the key may call, and no others; each is one that its role may. Left out, it may do all
    /// that its role may.
    pub(crate) operations: Option<Vec<String>>,
    /// The person that the key acts as: a user of the same tenant. The key may do no more than that user, also when the
    /// user may less later, and ends with it. Left out, the key is a program's and gets a user of its own.
    #[request(parse = user)]
    pub(crate) user_id: Option<String>,
    /// When the key ends by itself, with its tokens.
    pub(crate) expires_at: Option<Timestamp>,
}

fn user(id: String) -> Result<String, &'static str> {
    let id = id.trim().to_ascii_uppercase();
    if users::row::is_id(&id) { Ok(id) } else { Err("must be a user of this tenant") }
}

impl NewApiKey {
    /// Refuses with what was wrong with the body what a server with these operations does not let a key do.
    ///
    /// # Errors
    /// 400 that lists all of it.
    pub(crate) fn check(&self, mut wrong: FieldErrors, roles: &Roles, now: Timestamp) -> Result<(), Problem> {
        match self.operations.as_deref() {
            // An element that is not a text is in `wrong` already, and the indexes of the others have shifted.
            _ if wrong.has("operations") => {}
            Some([]) => wrong.add("operations", "must name an operation, or be left out for all that the role may"),
            Some(named) if named.len() > roles.len() => {
                wrong.add("operations", "must not name more operations than there are");
            }
            Some(named) => named.iter().enumerate().for_each(|(place, name)| {
                if let Some(message) = rules::operation_error(name, self.role, roles) {
                    wrong.add(&format!("operations[{place}]"), message);
                }
            }),
            None => {}
        }
        if self.expires_at.is_some_and(|end| end <= now) {
            wrong.add("expiresAt", "must be in the future");
        }
        wrong.check()
    }
}

/// How an API key is rotated.
#[derive(Clone, Debug, PartialEq, Eq, Request)]
#[request(example = json!({"revokePrevious": false}))]
pub(crate) struct ApiKeyRotation {
    /// Drop the secret that the key has now at once, instead of at the next rotation; default false.
    #[request(default)]
    pub(crate) revoke_previous: bool,
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
    #[schema(value_type = Role)]
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
    pub(super) api_key: ApiKey,
    /// The secret part: the `client_secret` of a token request. It is not stored and cannot be shown again: only in the
    /// first answer under an `Idempotency-Key`.
    #[schema(required = false)]
    pub(super) secret: String,
}

#[cfg(test)]
mod tests {
    use base::body::Request as _;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn reads_a_new_key() {
        let operations = [("getSite", Role::Viewer), ("createSite", Role::Operator), ("createUser", Role::Admin)];
        let roles: Roles = operations.map(|(name, role)| (name.to_owned(), role)).into();
        let read = |body: Value| {
            let (new, wrong) = NewApiKey::parse_with_errors(&body);
            new.check(wrong, &roles, Timestamp::from_millis(1_000)).map(|()| new)
        };
        let new = read(json!({"name": "ci", "role": "ADMIN", "other": 1})).unwrap();
        assert_eq!((new.name.as_str(), new.role, new.operations), ("ci", Role::Admin, None));
        let new = read(json!({"name": "ci", "role": "operator", "operations": ["getSite", "createSite", "getSite"]}));
        assert_eq!(new.unwrap().operations.unwrap().len(), 3);
        let problem = read(json!({"role": "root"})).unwrap_err();
        let named: Vec<&str> = problem.errors.iter().map(|error| error.field_name.as_str()).collect();
        assert_eq!(named, ["name", "role"]);
        for (other, named) in [
            (json!({}), "role"),
            (json!({"role": "viewer", "operations": []}), "operations"),
            (json!({"role": "viewer", "operations": ["getSite", "createSite"]}), "operations[1]"),
            (json!({"role": "viewer", "operations": ["flySite"]}), "operations[0]"),
            (json!({"role": "viewer", "operations": ["getSite", 7, "flySite"]}), "operations[1]"),
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
        let read = |body| ApiKeyRotation::parse(&body).map(|rotation| rotation.revoke_previous);
        assert_eq!(read(json!({})), Ok(false));
        assert_eq!(read(json!({"revokePrevious": "TRUE"})), Ok(true));
        assert_eq!(read(json!({"revokePrevious": 1})).unwrap_err().errors[0].field_name, "revokePrevious");
    }
}
