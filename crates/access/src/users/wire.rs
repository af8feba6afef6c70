//! What clients see and say of users.

use api::{Request, Role};
use base::timestamp::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::row::{is_id, is_login_of_key};

/// The longest names, in characters.
const LONGEST_NAME: usize = 200;
/// The longest address of electronic mail.
pub(crate) const LONGEST_EMAIL: usize = 254;
/// The longest telephone number, with whatever people write into one.
const LONGEST_NUMBER: usize = 50;

api::path_id! {
    /// `USR` and ten digits.
    pub(crate) UserId = "userId", "USR0000000007", looked_up
}

/// An id of the wrong form names nobody, and is not looked up.
fn looked_up(text: &str) -> String {
    let id = text.trim().to_ascii_uppercase();
    if is_id(&id) { id } else { String::new() }
}

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
    #[schema(value_type = Role)]
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
#[api::without_none]
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({"id": "USR0000000007", "loginName": "ann.lee", "firstName": "Ann", "lastName": "Lee"}))]
pub(crate) struct UserMinimal {
    /// `USR` and ten digits.
    pub(crate) id: String,
    /// Unique in the tenant, whatever the letter case.
    pub(crate) login_name: String,
    /// Left out when there is none.
    pub(crate) first_name: Option<String>,
    /// Left out when there is none.
    pub(crate) last_name: Option<String>,
}

/// A user to be created.
#[derive(Clone, Debug, PartialEq, Eq, Request)]
#[request(schema = "UserInput", example = json!({
    "loginName": "ann.lee", "firstName": "Ann", "lastName": "Lee", "email": "ann.lee@example.net",
    "mobileNumber": "+33 6 12 34 56 78", "role": "operator"
}))]
#[request(update(
    name = UserChange,
    schema = "UserUpdate",
    doc = "The changes to a user: what is left out stays as it is, an empty text removes a value.",
    example = json!({"phoneNumber": "+33 1 98 76 54 32", "mobileNumber": ""})
))]
pub(crate) struct NewUser {
    /// Unique in the tenant, whatever the letter case. `api-<number>` is kept for API keys.
    #[request(chars = LONGEST_NAME, filled, parse = login_name)]
    pub(crate) login_name: String,
    /// The given name.
    #[request(chars = LONGEST_NAME, parse = line)]
    pub(crate) first_name: Option<String>,
    /// The family name.
    #[request(chars = LONGEST_NAME, parse = line)]
    pub(crate) last_name: Option<String>,
    /// An address of electronic mail.
    #[request(chars = LONGEST_EMAIL, parse = email)]
    pub(crate) email: Option<String>,
    /// As people write it.
    #[request(chars = LONGEST_NUMBER, parse = line)]
    pub(crate) phone_number: Option<String>,
    /// As people write it.
    #[request(chars = LONGEST_NUMBER, parse = line)]
    pub(crate) mobile_number: Option<String>,
    /// What the user may do; a new one is a `viewer` unless this says otherwise. Never more than the caller may.
    #[request(default = Role::Viewer)]
    pub(crate) role: Role,
}

impl NewUser {
    /// A user of whom no more is known than this.
    pub(crate) fn named(login_name: String, first_name: &str, last_name: &str, role: Role) -> Self {
        Self {
            login_name,
            first_name: Some(first_name.to_owned()),
            last_name: Some(last_name.to_owned()),
            email: None,
            phone_number: None,
            mobile_number: None,
            role,
        }
    }
}

fn login_name(text: String) -> Result<String, &'static str> {
    let name = line(text)?;
    if is_login_of_key(&name) {
        return Err("must not be api-<number>: these names are kept for API keys");
    }
    Ok(name)
}

fn email(text: String) -> Result<String, &'static str> {
    let email = line(text)?;
    if email.is_empty() || is_email(&email) { Ok(email) } else { Err("must be an address such as ann.lee@example.net") }
}

/// A text of one line, without blanks around it.
fn line(text: String) -> Result<String, &'static str> {
    if text.chars().any(char::is_control) {
        return Err("must not contain control characters");
    }
    Ok(text.trim().to_owned())
}

/// Something on both sides of one `@`, and no blanks.
pub(crate) fn is_email(text: &str) -> bool {
    let parts: Vec<&str> = text.split('@').collect();
    let [local, host] = parts.as_slice() else { return false };
    !local.is_empty() && !host.is_empty() && !text.chars().any(|letter| letter.is_whitespace() || letter.is_control())
}

#[cfg(test)]
mod tests {
    use base::{body::Request as _, problem::Problem};
    use serde_json::json;

    use super::*;

    fn errors<T: std::fmt::Debug>(result: Result<T, Problem>) -> Vec<String> {
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
        assert_eq!(errors(UserChange::parse(&body)), expected);
        assert_eq!(errors(NewUser::parse(&body)), expected);
        assert_eq!(errors(NewUser::parse(&json!({}))), ["loginName is required"]);
        assert_eq!(errors(NewUser::parse(&json!({"loginName": "Api-1"}))).len(), 1);
    }

    #[test]
    fn blanks_around_are_dropped() {
        let read = UserChange::parse(&json!({"loginName": " ann ", "email": "", "lastName": null})).unwrap();
        let expected =
            UserChange { login_name: Some("ann".to_owned()), email: Some(String::new()), ..UserChange::default() };
        assert_eq!(read, expected);
    }
}
