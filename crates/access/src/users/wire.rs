//! What clients see of users.

use api::Role;
use base::{Fields, problem::Problem, timestamp::Timestamp};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::row::{Row, is_login_of_key};
use crate::api_keys::wire::KeyRole;

/// The longest names, in characters.
const LONGEST_NAME: usize = 200;
/// The longest address of electronic mail.
const LONGEST_EMAIL: usize = 254;
/// The longest telephone number, with whatever people write into one.
const LONGEST_NUMBER: usize = 50;

/// A user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "id": "USR0000000007", "loginName": "ann.lee", "firstName": "Ann", "lastName": "Lee",
    "email": "ann.lee@example.net", "phoneNumber": "+33 1 23 45 67 89", "mobileNumber": "+33 6 12 34 56 78",
    "activated": true, "role": "operator", "tenantId": "client_1", "createdDate": "2026-11-20T20:37:00+0000",
    "updatedDate": "2026-11-20T20:37:00+0000"
}))]
pub(crate) struct User {
    /// `USR` and ten digits.
    pub(crate) id: String,
    /// Unique in the tenant, whatever the letter case.
    pub(crate) login_name: String,
    /// Left out when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) first_name: Option<String>,
    /// Left out when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last_name: Option<String>,
    /// Left out when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) email: Option<String>,
    /// Left out when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) phone_number: Option<String>,
    /// Left out when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mobile_number: Option<String>,
    /// Whether the user is active.
    pub(crate) activated: bool,
    /// What the user may do at its tenant; for the user of an API key, what the key may do.
    #[schema(value_type = KeyRole)]
    pub(crate) role: String,
    /// The tenant that the user belongs to: the one of the path, its partner, or one of its clients.
    pub(crate) tenant_id: String,
    /// When it was created.
    #[schema(value_type = String)]
    pub(crate) created_date: Timestamp,
    /// When it was changed last.
    #[schema(value_type = String)]
    pub(crate) updated_date: Timestamp,
}

/// A user, as the minimal list has it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({"id": "USR0000000007", "loginName": "ann.lee", "firstName": "Ann", "lastName": "Lee"}))]
pub(crate) struct UserMinimal {
    /// `USR` and ten digits.
    pub(crate) id: String,
    /// Unique in the tenant, whatever the letter case.
    pub(crate) login_name: String,
    /// Left out when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) first_name: Option<String>,
    /// Left out when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last_name: Option<String>,
}

impl From<Row> for UserMinimal {
    fn from(row: Row) -> Self {
        Self { id: row.id, login_name: row.login_name, first_name: row.first_name, last_name: row.last_name }
    }
}

impl From<Row> for User {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            login_name: row.login_name,
            first_name: row.first_name,
            last_name: row.last_name,
            email: row.email,
            phone_number: row.phone_number,
            mobile_number: row.mobile_number,
            activated: row.activated,
            role: row.role,
            tenant_id: row.tenant_id,
            created_date: Timestamp::from_millis(row.created_ms),
            updated_date: Timestamp::from_millis(row.updated_ms),
        }
    }
}

/// A user to be created.
#[derive(ToSchema)]
#[schema(as = UserInput, rename_all = "camelCase", example = json!({
    "loginName": "ann.lee", "firstName": "Ann", "lastName": "Lee", "email": "ann.lee@example.net",
    "mobileNumber": "+33 6 12 34 56 78", "role": "operator"
}))]
#[expect(dead_code, reason = "for the document; UserChange::read_new reads it")]
pub(crate) struct NewUser {
    /// Unique in the tenant, whatever the letter case; at most 200 characters. `api-<number>` is kept for API keys.
    login_name: String,
    /// At most 200 characters.
    first_name: Option<String>,
    /// At most 200 characters.
    last_name: Option<String>,
    /// At most 254 characters.
    email: Option<String>,
    /// At most 50 characters.
    phone_number: Option<String>,
    /// At most 50 characters.
    mobile_number: Option<String>,
    /// What the user may do; default `viewer`. Never more than the caller may.
    role: Option<KeyRole>,
}

/// The changes to a user: what is left out stays as it is, an empty text removes a value.
#[derive(Clone, Debug, Default, PartialEq, Eq, ToSchema)]
#[schema(as = UserUpdate, rename_all = "camelCase", example = json!({"phoneNumber": "+33 1 98 76 54 32", "mobileNumber": ""}))]
pub(crate) struct UserChange {
    /// Unique in the tenant, whatever the letter case; at most 200 characters, and never empty. `api-<number>` is kept
    /// for API keys.
    pub(crate) login_name: Option<String>,
    /// At most 200 characters.
    pub(crate) first_name: Option<String>,
    /// At most 200 characters.
    pub(crate) last_name: Option<String>,
    /// At most 254 characters.
    pub(crate) email: Option<String>,
    /// At most 50 characters.
    pub(crate) phone_number: Option<String>,
    /// At most 50 characters.
    pub(crate) mobile_number: Option<String>,
    /// What the user may do. Never more than the caller may.
    #[schema(value_type = Option<KeyRole>)]
    pub(crate) role: Option<Role>,
}

impl UserChange {
    /// Reads the body of an update.
    pub(crate) fn read(body: &Value) -> Result<Self, Problem> {
        let mut fields = Fields::of(body);
        let change = Self::of(&mut fields);
        fields.finish()?;
        Ok(change)
    }

    /// Reads the body of a create: the changes to nobody.
    pub(crate) fn read_new(body: &Value) -> Result<Self, Problem> {
        let mut fields = Fields::of(body);
        fields.require("loginName");
        let new = Self::of(&mut fields);
        fields.finish()?;
        Ok(new)
    }

    fn of(fields: &mut Fields<'_>) -> Self {
        let login_name = line(fields, "loginName", LONGEST_NAME);
        match &login_name {
            Some(name) if name.is_empty() => fields.error("loginName", "is required"),
            Some(name) if is_login_of_key(name) => {
                fields.error("loginName", "must not be api-<number>: these names are kept for API keys");
            }
            _ => {}
        }
        let (first_name, last_name) = (line(fields, "firstName", LONGEST_NAME), line(fields, "lastName", LONGEST_NAME));
        let email = line(fields, "email", LONGEST_EMAIL);
        if email.as_ref().is_some_and(|email| !email.is_empty() && !is_email(email)) {
            fields.error("email", "must be an address such as ann.lee@example.net");
        }
        Self {
            login_name,
            first_name,
            last_name,
            email,
            phone_number: line(fields, "phoneNumber", LONGEST_NUMBER),
            mobile_number: line(fields, "mobileNumber", LONGEST_NUMBER),
            role: fields.one_of("role", &Role::ALL.map(Role::as_str)).and_then(Role::parse),
        }
    }
}

/// A text of one line, without blanks around it.
fn line(fields: &mut Fields<'_>, name: &str, longest: usize) -> Option<String> {
    let text = fields.text_max(name, longest)?;
    if text.chars().any(char::is_control) {
        fields.error(name, "must not contain control characters");
        return None;
    }
    Some(text.trim().to_owned())
}

/// Something on both sides of one `@`, and no blanks.
pub(crate) fn is_email(text: &str) -> bool {
    let parts: Vec<&str> = text.split('@').collect();
    let [local, host] = parts.as_slice() else { return false };
    !local.is_empty() && !host.is_empty() && !text.chars().any(|letter| letter.is_whitespace() || letter.is_control())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn errors(result: Result<UserChange, Problem>) -> Vec<String> {
        let errors = result.unwrap_err().errors.into_iter();
        errors.map(|error| format!("{} {}", error.field_name, error.message)).collect()
    }

    #[test]
    fn every_wrong_field_is_listed() {
        let body = json!({"loginName": "", "firstName": 1, "email": "ann", "phoneNumber": "1\n2", "other": 1});
        let expected = [
            "loginName is required",
            "firstName must be a string",
            "email must be an address such as ann.lee@example.net",
            "phoneNumber must not contain control characters",
        ];
        assert_eq!(errors(UserChange::read(&body)), expected);
        assert_eq!(errors(UserChange::read_new(&json!({}))), ["loginName is required"]);
        assert_eq!(errors(UserChange::read_new(&json!({"loginName": "Api-1"}))).len(), 1);
    }

    #[test]
    fn blanks_around_are_dropped() {
        let read = UserChange::read(&json!({"loginName": " ann ", "email": "", "lastName": null})).unwrap();
        let expected =
            UserChange { login_name: Some("ann".to_owned()), email: Some(String::new()), ..UserChange::default() };
        assert_eq!(read, expected);
    }
}
