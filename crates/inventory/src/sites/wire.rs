//! What clients see and say of sites.

use base::{body::Fields, problem::Problem, timestamp::Timestamp};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::store;
use crate::{
    groups::lists::{self, LONGEST_NAME},
    resources::row::Row,
};

/// The longest address, in characters.
const LONGEST_ADDRESS: usize = 1000;

/// A site; what has no value is left out.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({
    "id": 12, "name": "Paris 1", "address": "12 rue de la Paix", "city": "Paris", "country": "France",
    "tenantId": "client_1", "createdDate": "2026-11-20T20:37:00+0000", "updatedDate": "2026-11-20T20:37:00+0000"
}))]
pub struct Site {
    /// What `locationId` takes.
    pub id: i64,
    /// Unique in its tenant, whatever the letter case; what `deviceLocation` takes.
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

impl From<store::Site> for Site {
    fn from(row: store::Site) -> Self {
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

/// A site to create.
#[derive(Clone, Debug, Default, PartialEq, ToSchema)]
#[schema(as = SiteInput)]
pub struct NewSite {
    /// Unique in its tenant, whatever the letter case; at most 200 characters.
    pub name: String,
    /// At most 4,000 characters.
    pub description: Option<String>,
    /// At most 1,000 characters.
    pub address: Option<String>,
    /// At most 200 characters.
    pub city: Option<String>,
    /// At most 200 characters.
    pub country: Option<String>,
}

impl NewSite {
    /// Reads a body.
    ///
    /// # Errors
    /// 400 that lists every field that is wrong.
    pub fn read(body: &Value) -> Result<Self, Problem> {
        let mut fields = Fields::of(body);
        fields.require("name");
        let SiteChange { name, description, address, city, country } = SiteChange::of(&mut fields);
        fields.finish()?;
        Ok(Self { name: name.unwrap_or_default(), description, address, city, country })
    }
}

/// The changes to a site: what is left out stays as it is, an empty text removes a value.
#[derive(Clone, Debug, Default, PartialEq, ToSchema)]
#[schema(as = SiteUpdate)]
pub struct SiteChange {
    /// Unique in its tenant, whatever the letter case; at most 200 characters, and never empty.
    pub name: Option<String>,
    /// At most 4,000 characters.
    pub description: Option<String>,
    /// At most 1,000 characters.
    pub address: Option<String>,
    /// At most 200 characters.
    pub city: Option<String>,
    /// At most 200 characters.
    pub country: Option<String>,
}

impl SiteChange {
    /// Reads a body.
    ///
    /// # Errors
    /// 400 that lists every field that is wrong.
    pub fn read(body: &Value) -> Result<Self, Problem> {
        let mut fields = Fields::of(body);
        let change = Self::of(&mut fields);
        fields.finish()?;
        Ok(change)
    }

    fn of(fields: &mut Fields<'_>) -> Self {
        Self {
            name: lists::name(fields),
            description: fields.text("description"),
            address: fields.text_max("address", LONGEST_ADDRESS),
            city: fields.text_max("city", LONGEST_NAME),
            country: fields.text_max("country", LONGEST_NAME),
        }
    }
}

/// A resource, by its id.
#[derive(Clone, Debug, PartialEq, ToSchema)]
#[schema(example = json!({"id": "0a0fb2a7-53f4-4f5e-8f0e-1a2b3c4d5e6f"}))]
pub struct SiteMemberReference {
    /// UUID of the resource.
    pub id: String,
}

impl SiteMemberReference {
    /// Reads the array of a body; a text that is no UUID is left as it is and names no resource.
    ///
    /// # Errors
    /// 400 that lists every element without `id`.
    pub fn read_all(body: &Value) -> Result<Vec<Self>, Problem> {
        lists::read_each(body, |fields| Self { id: fields.required_text("id").to_ascii_lowercase() })
    }
}

/// A page of sites ("Paginated envelope" in `docs/interface.md`).
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "documents the envelope that base::page::Page serialises")]
pub struct SitePage {
    /// The sites of this page.
    results: Vec<Site>,
    /// How many sites there are on all pages.
    total_results: i64,
    /// This page, from 1.
    page_no: u32,
    /// The page size used.
    page_size: u32,
    /// How many pages there are; 0 for no site.
    total_pages: i64,
    /// Whether another page follows.
    next_page: bool,
    /// The page before; 0 on the first.
    previous_page_no: u32,
    /// The sort key used.
    order_by: String,
    /// Whether the order is descending.
    descending_order: bool,
    /// Where the next page starts; there whenever `nextPage` is true. To be sent back as `cursor`.
    next_cursor: Option<String>,
}

/// A page of the resources at a site ("Paginated envelope" in `docs/interface.md`).
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "documents the envelope that base::page::Page serialises")]
pub struct SiteMemberPage {
    /// The resources of this page.
    results: Vec<SiteMember>,
    /// How many resources there are on all pages.
    total_results: i64,
    /// This page, from 1.
    page_no: u32,
    /// The page size used.
    page_size: u32,
    /// How many pages there are; 0 for no resource.
    total_pages: i64,
    /// Whether another page follows.
    next_page: bool,
    /// The page before; 0 on the first.
    previous_page_no: u32,
    /// The sort key used.
    order_by: String,
    /// Whether the order is descending.
    descending_order: bool,
    /// Where the next page starts; there whenever `nextPage` is true. To be sent back as `cursor`.
    next_cursor: Option<String>,
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
    fn every_wrong_field_is_listed() {
        let body = json!({"city": 5, "country": "x".repeat(201), "address": ["a"]});
        assert_eq!(
            errors(NewSite::read(&body)),
            [
                "name is required",
                "address must be a string",
                "city must be a string",
                "country must have at most 200 characters",
            ]
        );
        assert_eq!(errors(NewSite::read(&json!({"name": " "}))), ["name is required"]);
        assert_eq!(errors(SiteChange::read(&json!({"name": ""}))), ["name is required"]);
        assert_eq!(errors(NewSite::read(&json!([]))), ["body must be a JSON object"]);
    }

    #[test]
    fn names_lose_blanks_around_them() {
        assert_eq!(NewSite::read(&json!({"name": " Paris "})).unwrap().name, "Paris");
        assert_eq!(SiteChange::read(&json!({"name": null, "x": 1})).unwrap(), SiteChange::default());
    }

    #[test]
    fn references_are_read_in_any_letter_case() {
        let read = SiteMemberReference::read_all(&json!([{"id": "ABC"}])).unwrap();
        assert_eq!(read[0].id, "abc");
        assert_eq!(
            errors(SiteMemberReference::read_all(&json!([{"id": "a"}, {}, 5]))),
            ["[1].id is required", "[2] must be a JSON object"]
        );
    }

    #[test]
    fn what_has_no_value_is_left_out() {
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
