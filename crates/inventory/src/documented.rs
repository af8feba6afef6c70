//! Shapes that exist for the OpenAPI document: bodies are read field by field.

use utoipa::ToSchema;

use crate::resources::{
    document::Tag,
    wire::{Bios, MetricType, NetworkCard},
};

/// Why a resource is decommissioned.
#[derive(ToSchema)]
#[expect(dead_code, reason = "documents a body that is read field by field")]
pub struct DecommissionInput {
    /// Shown in its history.
    reason: Option<String>,
}

/// The id or the name of a site.
#[derive(ToSchema)]
#[expect(dead_code, reason = "documents a body that is read field by field")]
pub struct LocationReference {
    id: Option<i64>,
    name: Option<String>,
}

/// An application role by its name.
#[derive(ToSchema)]
#[expect(dead_code, reason = "documents a body that is read field by field")]
pub struct AppRoleReference {
    name: String,
}

/// A resource to create, or the changes to one; every field is optional. Cloud attributes may stand here or inside
/// `properties`.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "documents a body that is read field by field")]
pub struct ResourceInput {
    /// `DEVICE` (default), `AUTO_SCALING`, `EBS`, `LOAD_BALANCER`, `SQL_DATABASE`, `SQL_SERVER`, `SYNTHETIC`.
    r#type: Option<String>,
    /// A resource type by name or path; a new one is added.
    resource_type: Option<String>,
    name: Option<String>,
    host_name: Option<String>,
    resource_name: Option<String>,
    alias_name: Option<String>,
    dns_name: Option<String>,
    ip_address: Option<String>,
    mac_address: Option<String>,
    serial_number: Option<String>,
    #[schema(rename = "systemUID")]
    system_uid: Option<String>,
    ext_resource_id: Option<String>,
    /// `active` (default), `inactive` or `discovered`.
    state: Option<String>,
    source: Option<String>,
    status: Option<String>,
    agent_installed: Option<bool>,
    os: Option<String>,
    os_architecture: Option<String>,
    make: Option<String>,
    model: Option<String>,
    description: Option<String>,
    keyboard_type: Option<String>,
    encoding_type: Option<String>,
    physical_memory: Option<String>,
    location: Option<LocationReference>,
    tags: Option<Vec<Tag>>,
    app_roles: Option<Vec<AppRoleReference>>,
    template: Option<String>,
    agent_profile: Option<String>,
    gateway_profile: Option<String>,
    /// `INTG-<uuid>`.
    installed_intg_id: Option<String>,
    provider: Option<String>,
    instance_id: Option<String>,
    account_number: Option<String>,
    instance_type: Option<String>,
    instance_state: Option<String>,
    zone: Option<String>,
    region: Option<String>,
    ami: Option<String>,
    owner: Option<String>,
    hosted_service_name: Option<String>,
    public_ip: Option<String>,
    private_ip: Option<String>,
    private_dns: Option<String>,
    monitoring_state: Option<String>,
    /// Timestamp.
    launch_date: Option<String>,
    #[schema(value_type = Option<Object>)]
    properties: Option<()>,
    /// Any object.
    #[schema(value_type = Option<Object>)]
    meta_data: Option<()>,
    #[schema(value_type = Option<Object>)]
    management_profile: Option<()>,
    bios: Option<Bios>,
    #[schema(value_type = Option<Vec<Object>>)]
    cpus: Option<()>,
    #[schema(value_type = Option<Vec<Object>>)]
    consoles: Option<()>,
    components: Option<Vec<String>>,
    network_card_details: Option<Vec<NetworkCard>>,
    metric_types: Option<Vec<MetricType>>,
    /// Of a synthetic, such as `HTTP`.
    check_type: Option<String>,
    /// Of a synthetic.
    url: Option<String>,
    /// Of a synthetic.
    host: Option<String>,
    /// Of a synthetic; its secrets are write-only.
    #[schema(value_type = Option<Object>)]
    credential: Option<()>,
    /// Of a synthetic: UUIDs.
    location_uuids: Option<Vec<String>>,
}
