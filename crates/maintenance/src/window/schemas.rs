//! The shapes of schedules, references and conditions, for the OpenAPI document: `calendar` and the targets of
//! windows read them. What varies by its `type` is a tagged union.

#![expect(dead_code, reason = "others read what these types document")]

use calendar::forms;
use utoipa::ToSchema;

api::texts! {
    /// An instant that a schedule may name.
    pub Instant = api::spec::of_form(forms::INSTANT);
}

/// A resource, by one of these.
#[derive(ToSchema)]
#[schema(as = MaintenanceDeviceReference, rename_all = "camelCase", example = json!({"hostName": "web-01"}))]
pub struct DeviceReference {
    /// Its host name, whatever the letter case; it must be unique in the tenant.
    #[schema(min_length = 1, pattern = r"\S")]
    host_name: Option<String>,
    /// UUID.
    #[schema(min_length = 1, pattern = r"\S")]
    unique_id: Option<String>,
}

/// A device group or a site, by one of these.
#[derive(ToSchema)]
#[schema(as = MaintenancePlaceReference, example = json!({"name": "Web servers"}))]
pub struct PlaceReference {
    /// Its name, whatever the letter case.
    #[schema(min_length = 1, pattern = r"\S")]
    name: Option<String>,
    /// Its number; of a group also its `DGP-<uuid>`.
    #[schema(min_length = 1, pattern = r"\S")]
    id: Option<String>,
}
