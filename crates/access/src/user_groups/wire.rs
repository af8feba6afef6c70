//! What clients see and say of user groups.

use api::Request;
use base::timestamp::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::row::normal_id;
use crate::{tenants::wire::LONGEST_NAME, users::wire::User};

/// Members that a group has at most; more would not fit into one answer.
pub(crate) const MOST_MEMBERS: usize = 1000;

api::path_id! {
    /// `USRGRP-<uuid>`.
    pub(crate) UserGroupId = "userGroupId", "USRGRP-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90", looked_up
}

/// An id of the wrong form names no group, and is not looked up.
fn looked_up(text: &str) -> String {
    normal_id(text).unwrap_or_default()
}

/// A user group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "uniqueId": "USRGRP-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90", "name": "Night shift", "description": "Second line",
    "activated": true, "tenantId": "client_1", "createdTime": "2026-11-20T20:37:00+0000", "updatedTime": ""
}))]
pub(crate) struct UserGroup {
    /// `USRGRP-<uuid>`.
    pub(crate) unique_id: String,
    /// Unique in the tenant, whatever the letter case.
    pub(crate) name: String,
    /// Left out when there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    pub(crate) description: String,
    /// Whether the group is active.
    pub(crate) activated: bool,
    /// The tenant that the group belongs to: the one of the path, its partner, or one of its clients.
    pub(crate) tenant_id: String,
    /// When it was created.
    #[schema(value_type = String)]
    pub(crate) created_time: Timestamp,
    /// When it or its members were changed last; empty before the first change.
    pub(crate) updated_time: String,
}

/// A user group with its members.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(example = json!({
    "uniqueId": "USRGRP-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90", "name": "Night shift", "description": "Second line",
    "activated": true, "tenantId": "client_1", "createdTime": "2026-11-20T20:37:00+0000", "updatedTime": "",
    "users": [{
        "id": "USR0000000007", "loginName": "ann.lee", "firstName": "Ann", "lastName": "Lee", "role": "viewer",
        "activated": true,
        "tenantId": "client_1", "createdDate": "2026-11-20T20:37:00+0000", "updatedDate": "2026-11-20T20:37:00+0000"
    }]
}))]
pub(crate) struct UserGroupDetail {
    /// The group, as a search has it.
    #[serde(flatten)]
    pub(super) group: UserGroup,
    /// Its members, by login name; 1,000 at most.
    pub(super) users: Vec<User>,
}

/// A user, by its id.
#[derive(Clone, Debug, PartialEq, Eq, Request)]
#[request(example = json!({"id": "USR0000000007"}))]
pub(crate) struct UserReference {
    /// `USR` and ten digits: a user of the group's tenant, or of its partner.
    #[request(filled, parse = user)]
    pub(crate) id: String,
}

fn user(id: String) -> Result<String, &'static str> {
    Ok(id.trim().to_ascii_uppercase())
}

/// A user group to be created.
#[derive(Clone, Debug, PartialEq, Eq, Request)]
#[request(schema = "UserGroupInput", example = json!({
    "name": "Night shift", "description": "Second line", "users": [{"id": "USR0000000007"}]
}))]
#[request(update(
    name = UserGroupChange,
    schema = "UserGroupUpdate",
    doc = "The changes to a user group: what is left out stays as it is.",
    example = json!({"description": "Second line, nights and weekends"})
))]
pub(crate) struct NewUserGroup {
    /// Unique in the tenant, whatever the letter case.
    #[request(line, chars = LONGEST_NAME)]
    pub(crate) name: String,
    /// Any text; an empty one is none.
    #[request(default)]
    pub(crate) description: String,
    /// All its members: users of the group's tenant, or of its partner.
    #[request(default, items = 0..=MOST_MEMBERS)]
    pub(crate) users: Vec<UserReference>,
}

#[cfg(test)]
mod tests {
    use api::ListOf;
    use base::{
        body::{FromBody as _, Request as _},
        problem::Problem,
    };
    use serde_json::json;

    use super::*;

    fn errors<T: std::fmt::Debug>(result: Result<T, Problem>) -> Vec<String> {
        let errors = result.unwrap_err().errors.into_iter();
        errors.map(|error| format!("{} {}", error.field_name, error.message)).collect()
    }

    #[test]
    fn references() {
        let read = |body| ListOf::<UserReference, 0, MOST_MEMBERS>::from_body(body).map(|list| list.0);
        assert_eq!(read(json!([{"id": " usr0000000001"}])), Ok(vec![UserReference { id: "USR0000000001".to_owned() }]));
        assert_eq!(read(json!([])), Ok(vec![]));
        assert_eq!(
            errors(read(json!([{}, 5, {"id": 7}]))),
            ["[0].id is required", "[1] must be a JSON object", "[2].id must be a string"]
        );
        assert_eq!(errors(read(json!({}))), ["body must be a JSON array of objects"]);
        assert_eq!(errors(read(json!(vec![json!({}); 1001]))), ["body must have at most 1000 elements"]);
    }

    #[test]
    fn bodies() {
        let new = NewUserGroup::parse(&json!({"name": " Nights ", "users": [{"id": "USR0000000001"}]})).unwrap();
        assert_eq!((new.name.as_str(), new.description.as_str(), new.users.len()), ("Nights", "", 1));
        assert_eq!(
            errors(NewUserGroup::parse(&json!({"description": 1, "users": [{}]}))),
            ["name is required", "description must be a string", "users[0].id is required"]
        );
        let nothing = UserGroupChange { name: None, description: None, users: None };
        assert_eq!(UserGroupChange::parse(&json!({"name": null})), Ok(nothing));
        assert_eq!(errors(UserGroupChange::parse(&json!({"name": ""}))), ["name is required"]);
    }
}
