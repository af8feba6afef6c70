//! What clients see of user groups.

use base::{Fields, problem::Problem, timestamp::Timestamp};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::{row::Row, rules::MOST_MEMBERS};
use crate::{
    tenants::rules::name,
    users::{self, wire::User},
};

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

impl From<Row> for UserGroup {
    fn from(row: Row) -> Self {
        Self {
            unique_id: row.id,
            name: row.name,
            description: row.description,
            activated: row.activated,
            tenant_id: row.tenant_id,
            created_time: Timestamp::from_millis(row.created_ms),
            updated_time: row.updated_ms.map(|ms| Timestamp::from_millis(ms).to_string()).unwrap_or_default(),
        }
    }
}

/// A user group with its members.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(example = json!({
    "uniqueId": "USRGRP-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90", "name": "Night shift", "description": "Second line",
    "activated": true, "tenantId": "client_1", "createdTime": "2026-11-20T20:37:00+0000", "updatedTime": "",
    "users": [{
        "id": "USR0000000007", "loginName": "ann.lee", "firstName": "Ann", "lastName": "Lee", "role": "viewer", "activated": true,
        "tenantId": "client_1", "createdDate": "2026-11-20T20:37:00+0000", "updatedDate": "2026-11-20T20:37:00+0000"
    }]
}))]
pub(crate) struct UserGroupDetail {
    /// The group, as a search has it.
    #[serde(flatten)]
    group: UserGroup,
    /// Its members, by login name; 1,000 at most.
    users: Vec<User>,
}

impl UserGroupDetail {
    pub(crate) fn new(group: Row, users: Vec<users::Row>) -> Self {
        Self { group: group.into(), users: users.into_iter().map(User::from).collect() }
    }
}

/// A user, by its id.
#[derive(Clone, Debug, PartialEq, Eq, ToSchema)]
#[schema(example = json!({"id": "USR0000000007"}))]
pub(crate) struct UserReference {
    /// `USR` and ten digits: a user of the group's tenant, or of its partner.
    #[schema(min_length = 1, pattern = r"\S")]
    pub(crate) id: String,
}

impl UserReference {
    fn of(fields: &mut Fields<'_>) -> Self {
        Self { id: fields.required_text("id").trim().to_ascii_uppercase() }
    }

    /// Reads the array of a body.
    pub(crate) fn read_all(body: &Value) -> Result<Vec<Self>, Problem> {
        let Some(items) = body.as_array() else {
            return Err(Problem::field("body", "must be a JSON array of objects"));
        };
        if items.len() > MOST_MEMBERS {
            return Err(Problem::field("body", format!("must have at most {MOST_MEMBERS} elements")));
        }
        let (mut references, mut errors) = (Vec::with_capacity(items.len()), Vec::new());
        for (index, item) in items.iter().enumerate() {
            let mut fields = Fields::element(item, index);
            references.push(Self::of(&mut fields));
            errors.extend(fields.finish().err().map(|problem| problem.errors).unwrap_or_default());
        }
        if errors.is_empty() { Ok(references) } else { Err(Problem::fields(errors)) }
    }

    /// Reads a list of them in a field of a body.
    fn list(fields: &mut Fields<'_>, name: &str) -> Option<Vec<Self>> {
        let mut items = fields.objects(name)?;
        if items.len() > MOST_MEMBERS {
            fields.error(name, format!("must have at most {MOST_MEMBERS} elements"));
            return None;
        }
        Some(items.iter_mut().map(Self::of).collect())
    }
}

/// A user group to be created.
#[derive(Debug, PartialEq, Eq, ToSchema)]
#[schema(as = UserGroupInput, example = json!({
    "name": "Night shift", "description": "Second line", "users": [{"id": "USR0000000007"}]
}))]
pub(crate) struct NewUserGroup {
    /// Unique in the tenant, whatever the letter case; at most 200 characters.
    #[schema(min_length = 1, max_length = 200, pattern = r"\S")]
    pub(crate) name: String,
    /// At most 4,000 characters.
    #[schema(value_type = Option<String>, max_length = 4000)]
    pub(crate) description: String,
    /// Its members: 1,000 at most, of the tenant or its partner.
    #[schema(value_type = Option<Vec<UserReference>>, max_items = 1000)]
    pub(crate) users: Vec<UserReference>,
}

impl NewUserGroup {
    /// Reads the body of a request.
    pub(crate) fn read(body: &Value) -> Result<Self, Problem> {
        let mut fields = Fields::of(body);
        let name = name(&mut fields);
        let description = fields.text("description").unwrap_or_default();
        let users = UserReference::list(&mut fields, "users").unwrap_or_default();
        fields.finish()?;
        Ok(Self { name, description, users })
    }
}

/// The changes to a user group: what is left out stays as it is.
#[derive(Debug, PartialEq, Eq, ToSchema)]
#[schema(as = UserGroupUpdate, example = json!({"description": "Second line, nights and weekends"}))]
pub(crate) struct UserGroupChange {
    /// Unique in the tenant, whatever the letter case; at most 200 characters.
    #[schema(min_length = 1, max_length = 200, pattern = r"\S")]
    pub(crate) name: Option<String>,
    #[schema(max_length = 4000)]
    /// At most 4,000 characters; an empty text removes it.
    pub(crate) description: Option<String>,
    /// All its members from now on: 1,000 at most, of the group's tenant or its partner.
    #[schema(max_items = 1000)]
    pub(crate) users: Option<Vec<UserReference>>,
}

impl UserGroupChange {
    /// Reads the body of a request.
    pub(crate) fn read(body: &Value) -> Result<Self, Problem> {
        let mut fields = Fields::of(body);
        let name = fields.has("name").then(|| name(&mut fields));
        let description = fields.text("description");
        let users = UserReference::list(&mut fields, "users");
        fields.finish()?;
        Ok(Self { name, description, users })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn errors<T: std::fmt::Debug>(result: Result<T, Problem>) -> Vec<String> {
        let errors = result.unwrap_err().errors.into_iter();
        errors.map(|error| format!("{} {}", error.field_name, error.message)).collect()
    }

    #[test]
    fn references() {
        let read = UserReference::read_all(&json!([{"id": " usr0000000001"}])).unwrap();
        assert_eq!(read, [UserReference { id: "USR0000000001".to_owned() }]);
        assert_eq!(UserReference::read_all(&json!([])), Ok(vec![]));
        assert_eq!(
            errors(UserReference::read_all(&json!([{}, 5, {"id": 7}]))),
            ["[0].id is required", "[1] must be a JSON object", "[2].id must be a string"]
        );
        assert_eq!(errors(UserReference::read_all(&json!({}))), ["body must be a JSON array of objects"]);
        assert_eq!(
            errors(UserReference::read_all(&json!(vec![json!({}); 1001]))),
            ["body must have at most 1000 elements"]
        );
    }

    #[test]
    fn bodies() {
        let new = NewUserGroup::read(&json!({"name": " Nights ", "users": [{"id": "USR0000000001"}]})).unwrap();
        assert_eq!((new.name.as_str(), new.description.as_str(), new.users.len()), ("Nights", "", 1));
        assert_eq!(
            errors(NewUserGroup::read(&json!({"description": 1, "users": [{}]}))),
            ["name is required", "description must be a string", "users[0].id is required"]
        );
        let nothing = UserGroupChange { name: None, description: None, users: None };
        assert_eq!(UserGroupChange::read(&json!({"name": null})), Ok(nothing));
        assert_eq!(errors(UserGroupChange::read(&json!({"name": ""}))), ["name is required"]);
    }
}
