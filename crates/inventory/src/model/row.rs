//! The row of a resource: its search keys and its document.

use base::{net::ip_key, text::fold, timestamp::Timestamp};
use db::Error;
use diesel::prelude::*;

use super::document::{Document, Resource};
use crate::schema::{further_keys, resources};

/// One row of `resources`, but for its [`FurtherKeys`].
#[derive(Clone, Debug, Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = resources, treat_none_as_null = true, treat_none_as_default_value = false)]
pub struct Row {
    pub tenant_id: String,
    pub id: String,
    pub version: i64,
    pub kind: String,
    pub resource_type_id: i64,
    pub resource_type: String,
    pub resource_type_key: String,
    pub state: String,
    pub name: String,
    pub host_name: String,
    pub ip_address: String,
    pub alias_name: String,
    pub resource_name: String,
    pub name_key: String,
    pub host_key: String,
    pub dns_key: String,
    pub resource_key: String,
    pub alias_key: String,
    pub ip_key: String,
    pub ext_key: Option<String>,
    pub site_id: Option<i64>,
    pub installed_intg_key: Option<String>,
    pub agent_installed: bool,
    pub launch_ms: Option<i64>,
    pub created_ms: i64,
    pub updated_ms: i64,
    pub asset_managed_ms: Option<i64>,
    pub first_asset_managed_ms: Option<i64>,
    pub decommissioned_ms: Option<i64>,
    pub document: String,
}

/// Further search keys of a row, which are never read back. Each is written together with its [`Row`].
#[derive(Clone, Debug, Insertable, AsChangeset)]
#[diesel(table_name = further_keys, treat_none_as_null = true, treat_none_as_default_value = false)]
pub struct FurtherKeys {
    pub serial_key: Option<String>,
    pub uid_key: Option<String>,
    pub template_key: Option<String>,
    pub agent_profile_key: Option<String>,
    pub gateway_profile_key: Option<String>,
    pub instance_id_key: Option<String>,
    pub account_number_key: Option<String>,
    pub provider_key: Option<String>,
    pub owner_key: Option<String>,
    pub instance_type_key: Option<String>,
    pub instance_state_key: Option<String>,
    pub zone_key: Option<String>,
    pub region_key: Option<String>,
    pub ami_key: Option<String>,
    pub hosted_service_key: Option<String>,
}

impl FurtherKeys {
    /// The further keys of a resource.
    pub fn of(resource: &Resource) -> Self {
        let key = |name| key(&resource.document, name);
        Self {
            serial_key: key("serialNumber"),
            uid_key: key("systemUID"),
            template_key: key("template"),
            agent_profile_key: key("agentProfile"),
            gateway_profile_key: key("gatewayProfile"),
            instance_id_key: key("instanceId"),
            account_number_key: key("accountNumber"),
            provider_key: key("provider"),
            owner_key: key("owner"),
            instance_type_key: key("instanceType"),
            instance_state_key: key("instanceState"),
            zone_key: key("zone"),
            region_key: key("region"),
            ami_key: key("ami"),
            hosted_service_key: key("hostedServiceName"),
        }
    }
}

/// A text of a document as a search key.
fn key(document: &Document, name: &str) -> Option<String> {
    let folded = fold(document.text(name));
    (!folded.is_empty()).then_some(folded)
}

impl Row {
    /// The row of a resource: every key is derived here and nowhere else.
    pub fn of(resource: &Resource) -> Result<Self, Error> {
        let document = &resource.document;
        let text = |name: &str| document.text(name).to_owned();
        Ok(Self {
            tenant_id: resource.tenant_id.clone(),
            id: resource.id.clone(),
            version: resource.version,
            kind: resource.kind.clone(),
            resource_type_id: resource.resource_type.0,
            resource_type: resource.resource_type.1.clone(),
            resource_type_key: fold(&resource.resource_type.1),
            state: resource.state.clone(),
            name: document.display_name().to_owned(),
            host_name: text("hostName"),
            ip_address: text("ipAddress"),
            alias_name: text("aliasName"),
            resource_name: text("resourceName"),
            name_key: fold(document.display_name()),
            host_key: fold(document.text("hostName")),
            dns_key: fold(document.text("dnsName")),
            resource_key: fold(document.text("resourceName")),
            alias_key: fold(document.text("aliasName")),
            ip_key: ip_key(document.text("ipAddress")).map(|key| key.to_string()).unwrap_or_default(),
            ext_key: key(document, "extResourceId"),
            site_id: resource.site_id,
            installed_intg_key: key(document, "installedIntgId"),
            agent_installed: resource.agent_installed,
            launch_ms: resource.launched.map(Timestamp::millis),
            created_ms: resource.created.millis(),
            updated_ms: resource.updated.millis(),
            asset_managed_ms: resource.asset_managed.map(Timestamp::millis),
            first_asset_managed_ms: resource.first_asset_managed.map(Timestamp::millis),
            decommissioned_ms: resource.decommissioned.map(Timestamp::millis),
            document: serde_json::to_string(document).map_err(|error| Error::Fault(format!("document: {error}")))?,
        })
    }

    /// The resource of a row.
    pub fn into_resource(self) -> Result<Resource, Error> {
        let time = |ms: Option<i64>| ms.map(Timestamp::from_millis);
        let document: Document =
            serde_json::from_str(&self.document).map_err(|error| Error::Fault(format!("document: {error}")))?;
        Ok(Resource {
            launched: time(self.launch_ms),
            created: Timestamp::from_millis(self.created_ms),
            updated: Timestamp::from_millis(self.updated_ms),
            asset_managed: time(self.asset_managed_ms),
            first_asset_managed: time(self.first_asset_managed_ms),
            decommissioned: time(self.decommissioned_ms),
            tenant_id: self.tenant_id,
            id: self.id,
            version: self.version,
            kind: self.kind,
            resource_type: (self.resource_type_id, self.resource_type),
            state: self.state,
            agent_installed: self.agent_installed,
            site_id: self.site_id,
            document,
        })
    }
}

#[cfg(test)]
mod tests;
