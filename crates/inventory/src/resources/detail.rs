//! The detail of a resource, in the shape of its kind.

use base::tenant::{Level, TenantId};
use base::timestamp::Timestamp;
use db::{Error, Result};
use ports::IntegrationSummary;

use super::wire::{
    AppRole, CloudDetail, DeviceDetail, Firmware, GeneralInfo, InstalledApp, InstalledKind, Location, Part, Properties,
    ResourceDetail, SyntheticDetail, Time,
};
use crate::{
    model::{document::BorrowedDocument, row::Row},
    sites::row::Place,
};

/// Reads the document of a row without copying its nested parts.
pub fn parse_document(row: &Row) -> Result<BorrowedDocument<'_>> {
    serde_json::from_str(&row.document).map_err(|error| Error::Fault(format!("document: {error}")))
}

/// The other records that the detail of a resource names.
#[derive(Debug, Default)]
pub struct LinkedRecords {
    /// Where it is.
    pub place: Option<Place>,
    /// The integration that it came from.
    pub installed: Option<IntegrationSummary>,
}

/// The detail of a resource: `SYNTHETIC`, `DEVICE` and everything else have a shape each.
pub fn detail<'a>(
    row: &'a Row,
    document: &'a BorrowedDocument<'a>,
    linked: &'a LinkedRecords,
    partner: &TenantId,
) -> ResourceDetail<'a> {
    let site = linked.place.as_ref();
    let client_id = TenantId::parse(&row.tenant_id).filter(|id| id.level() == Level::Client).map(|id| id.number());
    let place = site.map(|site| Location {
        id: site.id,
        name: site.name.clone(),
        client_id: None,
        msp_id: None,
        city: String::new(),
    });
    match row.kind.as_str() {
        "SYNTHETIC" => ResourceDetail::Synthetic(synthetic(row, document, client_id)),
        "DEVICE" => {
            let city = site.map(|site| site.city.clone()).unwrap_or_default();
            let location = place.map(|place| Location { client_id, msp_id: Some(partner.number()), city, ..place });
            ResourceDetail::Resource(device(row, document, location, linked.installed.as_ref()))
        }
        _ => ResourceDetail::Device(CloudDetail {
            id: &row.id,
            created_date: Timestamp::from_millis(row.created_ms),
            updated_date: Timestamp::from_millis(row.updated_ms),
            kind: &row.kind,
            state: &row.state,
            source: document.get_text("source"),
            status: document.get_text("status"),
            location: place,
            resource_name: if row.resource_name.is_empty() { &row.name } else { &row.resource_name },
            consoles: Part(document.part("consoles")),
            client_unique_id: &row.tenant_id,
        }),
    }
}

fn synthetic<'a>(row: &'a Row, document: &'a BorrowedDocument<'a>, client_id: Option<i64>) -> SyntheticDetail<'a> {
    let locations = document.part("locationUuids");
    let total_locations = locations
        .and_then(|raw| serde_json::from_str::<Vec<serde::de::IgnoredAny>>(raw.get()).ok())
        .map_or(0, |list| list.len());
    SyntheticDetail {
        id: &row.id,
        kind: &row.kind,
        resource_type: "SYNTHETIC",
        name: &row.name,
        consoles: Part(document.part("consoles")),
        check_type: document.text("checkType"),
        host: document.text("host"),
        deleted: false,
        url: document.text("url"),
        credential: document.part("credential"),
        location_uuids: Part(locations),
        ts: row.updated_ms,
        client_id,
        location_offset: 0,
        total_locations,
    }
}

fn device<'a>(
    row: &'a Row,
    document: &'a BorrowedDocument<'a>,
    location: Option<Location>,
    installed: Option<&'a IntegrationSummary>,
) -> DeviceDetail<'a> {
    DeviceDetail {
        id: &row.id,
        kind: &row.kind,
        ip_address: document.get_text("ipAddress"),
        ext_resource_id: document.get_text("extResourceId"),
        state: &row.state,
        source: document.get_text("source"),
        agent_installed: row.agent_installed,
        status: document.get_text("status"),
        location,
        components: Part(document.part("components")),
        tags: &document.tags,
        bios: match document.part("bios") {
            Some(bios) => Firmware::Reported(bios),
            None => Firmware::Entered(document.text("serialNumber"), document.text("model")),
        },
        cpus: Part(document.part("cpus")),
        general_info: general_info(row, document),
        consoles: Part(document.part("consoles")),
        network_card_details: Part(document.part("networkCardDetails")),
        installed_app: document.get_text("installedIntgId").map(|id| InstalledApp {
            id,
            display_name: installed.map(|known| known.display_name.as_str()),
            integration: installed.map(|known| InstalledKind { id: &known.kind, name: &known.kind_name }),
        }),
        properties: Properties::of(document, row.launch_ms.map(Timestamp::from_millis)),
        metric_types: Part(document.part("metricTypes")),
        meta_data: document.part("metaData"),
        client_unique_id: &row.tenant_id,
        app_roles: document.app_roles.iter().map(|name| AppRole { name }).collect(),
        wsus_settings: "disabled",
    }
}

fn general_info<'a>(row: &'a Row, document: &'a BorrowedDocument<'a>) -> GeneralInfo<'a> {
    let time = |ms: Option<i64>| Time(ms.map(Timestamp::from_millis));
    GeneralInfo {
        name: &row.name,
        os_name: document.text("os"),
        make: document.text("make"),
        description: document.text("description"),
        host_name: &row.host_name,
        dns: document.text("dnsName"),
        resource_type: &row.resource_type,
        keyboard_type: document.text("keyboardType"),
        encoding_type: document.text("encodingType"),
        physical_memory: document.text("physicalMemory"),
        system_uid: document.text("systemUID"),
        resource_name: &row.resource_name,
        alias_name: &row.alias_name,
        created_time: time(Some(row.created_ms)),
        updated_time: time(Some(row.updated_ms)),
        agent_deploytime: Time(Timestamp::parse(document.text("agentDeploytime"))),
        asset_managed_time: time(row.asset_managed_ms),
        first_asset_managed_time: time(row.first_asset_managed_ms),
    }
}
