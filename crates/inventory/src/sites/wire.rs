//! Sites as clients see and send them.

use api::Request;
use base::timestamp::Timestamp;
use outbox::{Entity, Recorded};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::row;
use crate::{
    lists::{LONGEST_NAME, trim_name},
    model::row::Row,
};

/// The longest address, in characters.
const LONGEST_ADDRESS: usize = 1000;

api::path_number! {
    /// Id of the site.
    pub SiteId = "siteId", 12
}

/// A site; fields without a value are left out.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "id": 12, "name": "Paris 1", "address": "12 rue de la Paix", "city": "Paris", "country": "France",
    "tenantId": "client_1", "createdDate": "2026-11-20T20:37:00+0000", "updatedDate": "2026-11-20T20:37:00+0000"
}))]
pub struct Site {
    /// What `locationId` takes.
    pub id: i64,
    /// Its name, as `deviceLocation` takes it; unique in its tenant, whatever the letter case.
    pub name: String,
    /// Any text.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    pub description: String,
    /// Street and number.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    pub address: String,
    /// City.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    pub city: String,
    /// Country.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    pub country: String,
    /// The tenant that it belongs to.
    pub tenant_id: String,
    /// When it was created.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub created_date: Timestamp,
    /// When it last changed.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub updated_date: Timestamp,
}

impl From<row::Site> for Site {
    fn from(row: row::Site) -> Self {
        Self {
            id: row.id,
            name: row.name,
            description: row.description,
            address: row.address,
            city: row.city,
            country: row.country,
            tenant_id: row.tenant_id,
            created_date: Timestamp::from_millis(row.created_ms),
            updated_date: Timestamp::from_millis(row.updated_ms),
        }
    }
}

/// A site in the minimal list.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(example = json!({"id": 12, "name": "Paris 1"}))]
pub struct SiteMinimal {
    /// What `locationId` takes.
    pub id: i64,
    /// Its name.
    pub name: String,
}

/// A resource in the list of a site.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "id": "0a0fb2a7-53f4-4f5e-8f0e-1a2b3c4d5e6f", "name": "web-01", "hostName": "web-01.example.net",
    "ipAddress": "10.0.0.11", "resourceType": "Linux"
}))]
pub struct SiteMember {
    /// UUID of the resource.
    pub id: String,
    /// The name shown.
    pub name: String,
    /// Empty when absent.
    pub host_name: String,
    /// Empty when absent.
    pub ip_address: String,
    /// A resource type's name.
    pub resource_type: String,
}

impl From<Row> for SiteMember {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            name: row.name,
            host_name: row.host_name,
            ip_address: row.ip_address,
            resource_type: row.resource_type,
        }
    }
}

/// The audit log has it as clients see it.
impl Recorded for row::Site {
    fn entity(&self) -> Entity<'_> {
        Entity::audited(row::ENTITY, &self.tenant_id, self.id.to_string())
    }

    fn event_payload(&self) -> db::Result<Value> {
        outbox::payload(&Site::from(self.clone()))
    }
}

/// A site to create.
#[derive(Clone, Debug, Default, PartialEq, Request)]
#[request(schema = "SiteInput")]
#[request(update(
    name = SiteChange,
    schema = "SiteUpdate",
    doc = "The changes to a site: what is left out stays as it is, an empty text removes a value."
))]
pub struct NewSite {
    /// Unique in its tenant, whatever the letter case; never empty.
    #[request(filled, chars = LONGEST_NAME, parse = trim_name)]
    pub name: String,
    /// Any text.
    #[request(default)]
    pub description: String,
    /// Street and number.
    #[request(default, chars = LONGEST_ADDRESS)]
    pub address: String,
    /// City.
    #[request(default, chars = LONGEST_NAME)]
    pub city: String,
    /// Country.
    #[request(default, chars = LONGEST_NAME)]
    pub country: String,
}

/// A resource, by its id.
#[derive(Clone, Debug, PartialEq, Request)]
#[request(example = json!({"id": "0a0fb2a7-53f4-4f5e-8f0e-1a2b3c4d5e6f"}))]
pub struct SiteMemberReference {
    /// UUID of the resource.
    #[request(filled, parse = lower)]
    pub id: String,
}

fn lower(id: String) -> Result<String, &'static str> {
    Ok(id.to_ascii_lowercase())
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
    fn every_wrong_field_is_listed() {
        let body = json!({"city": 5, "country": "x".repeat(201), "address": ["a"]});
        assert_eq!(
            errors(NewSite::parse(&body)),
            [
                "name is required",
                "address must be a string",
                "city must be a string",
                "country must have at most 200 characters",
            ]
        );
        assert_eq!(errors(NewSite::parse(&json!({"name": " "}))), ["name is required"]);
        assert_eq!(errors(SiteChange::parse(&json!({"name": ""}))), ["name is required"]);
        assert_eq!(errors(NewSite::parse(&json!([]))), ["body must be a JSON object"]);
    }

    #[test]
    fn names_lose_blanks_around_them() {
        assert_eq!(NewSite::parse(&json!({"name": " Paris "})).unwrap().name, "Paris");
        assert_eq!(SiteChange::parse(&json!({"name": null, "x": 1})).unwrap(), SiteChange::default());
    }

    #[test]
    fn references_are_read_in_any_letter_case() {
        let read = |body| ListOf::<SiteMemberReference, 1, 1000>::from_body(body).map(|each| each.0);
        assert_eq!(read(json!([{"id": "ABC"}])).unwrap()[0].id, "abc");
        assert_eq!(errors(read(json!([{"id": "a"}, {}, 5]))), ["[1].id is required", "[2] must be a JSON object"]);
    }

    #[test]
    fn fields_without_a_value_are_left_out() {
        let row = super::super::rules::created(
            NewSite { name: "Paris".to_owned(), ..NewSite::default() },
            "client_1".to_owned(),
            3,
            Timestamp::from_millis(0),
        );
        let expected = json!({"id": 3, "name": "Paris", "tenantId": "client_1",
            "createdDate": "1970-01-01T00:00:00+0000", "updatedDate": "1970-01-01T00:00:00+0000"});
        assert_eq!(json!(Site::from(row)), expected);
    }
}
