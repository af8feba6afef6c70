//! The detail of a resource, in the shape of its kind.

use base::tenant::{Level, TenantId};
use base::timestamp::Timestamp;
use db::{Error, Result};
use ports::KnownIntegration;

use super::wire::{
    AppRole, CloudDetail, DeviceDetail, Firmware, GeneralInfo, InstalledApp, InstalledKind, Location, Part, Properties,
    ResourceDetail, SyntheticDetail, Time,
};
use crate::{
    model::{document::BorrowedDocument, row::Row},
    sites::row::Site,
};

/// Reads the document of a row without copying its nested parts.
pub fn parse_document(row: &Row) -> Result<BorrowedDocument<'_>> {
    serde_json::from_str(&row.document).map_err(|error| Error::Fault(format!("document: {error}")))
}

/// The other records that the detail of a resource names.
#[derive(Debug, Default)]
pub struct LinkedRecords {
    /// Where it is.
    pub site: Option<Site>,
    /// The integration that it came from.
    pub installed: Option<KnownIntegration>,
}

/// The detail of a resource: `SYNTHETIC`, `DEVICE` and everything else have a shape each.
pub fn detail<'a>(
    row: &'a Row,
    shown: &'a BorrowedDocument<'a>,
    linked: &'a LinkedRecords,
    partner: &TenantId,
) -> ResourceDetail<'a> {
    let site = linked.site.as_ref();
    let client_id = TenantId::parse(&row.tenant_id).filter(|id| id.level() == Level::Client).map(|id| id.number());
    let place = site.map(|site| Location {
        id: site.id,
        name: site.name.clone(),
        client_id: None,
        msp_id: None,
        city: String::new(),
    });
    match row.kind.as_str() {
        "SYNTHETIC" => ResourceDetail::Synthetic(synthetic(row, shown, client_id)),
        "DEVICE" => {
            let city = site.map(|site| site.city.clone()).unwrap_or_default();
            let location = place.map(|place| Location { client_id, msp_id: Some(partner.number()), city, ..place });
            ResourceDetail::Resource(device(row, shown, location, linked.installed.as_ref()))
        }
        _ => ResourceDetail::Device(CloudDetail {
            id: &row.id,
            created_date: Timestamp::from_millis(row.created_ms),
            updated_date: Timestamp::from_millis(row.updated_ms),
            kind: &row.kind,
            state: &row.state,
            source: shown.get_text("source"),
            status: shown.get_text("status"),
            location: place,
            resource_name: if row.resource_name.is_empty() { &row.name } else { &row.resource_name },
            consoles: Part(shown.part("consoles")),
            client_unique_id: &row.tenant_id,
        }),
    }
}

fn synthetic<'a>(row: &'a Row, shown: &'a BorrowedDocument<'a>, client_id: Option<i64>) -> SyntheticDetail<'a> {
    let locations = shown.part("locationUuids");
    let total_locations = locations
        .and_then(|raw| serde_json::from_str::<Vec<serde::de::IgnoredAny>>(raw.get()).ok())
        .map_or(0, |list| list.len());
    SyntheticDetail {
        id: &row.id,
        kind: &row.kind,
        resource_type: "SYNTHETIC",
        name: &row.name,
        consoles: Part(shown.part("consoles")),
        check_type: shown.text("checkType"),
        host: shown.text("host"),
        deleted: false,
        url: shown.text("url"),
        credential: shown.part("credential"),
        location_uuids: Part(locations),
        ts: row.updated_ms,
        client_id,
        location_offset: 0,
        total_locations,
    }
}

fn device<'a>(
    row: &'a Row,
    shown: &'a BorrowedDocument<'a>,
    location: Option<Location>,
    installed: Option<&'a KnownIntegration>,
) -> DeviceDetail<'a> {
    DeviceDetail {
        id: &row.id,
        kind: &row.kind,
        ip_address: shown.get_text("ipAddress"),
        ext_resource_id: shown.get_text("extResourceId"),
        state: &row.state,
        source: shown.get_text("source"),
        agent_installed: row.agent_installed,
        status: shown.get_text("status"),
        location,
        components: Part(shown.part("components")),
        tags: &shown.tags,
        bios: match shown.part("bios") {
            Some(bios) => Firmware::Reported(bios),
            None => Firmware::Entered(shown.text("serialNumber"), shown.text("model")),
        },
        cpus: Part(shown.part("cpus")),
        general_info: general_info(row, shown),
        consoles: Part(shown.part("consoles")),
        network_card_details: Part(shown.part("networkCardDetails")),
        installed_app: shown.get_text("installedIntgId").map(|id| InstalledApp {
            id,
            display_name: installed.map(|known| known.display_name.as_str()),
            integration: installed.map(|known| InstalledKind { id: &known.kind, name: &known.kind_name }),
        }),
        properties: Properties::of(shown, row.launch_ms.map(Timestamp::from_millis)),
        metric_types: Part(shown.part("metricTypes")),
        meta_data: shown.part("metaData"),
        client_unique_id: &row.tenant_id,
        app_roles: shown.app_roles.iter().map(|name| AppRole { name }).collect(),
        wsus_settings: "disabled",
    }
}

fn general_info<'a>(row: &'a Row, shown: &'a BorrowedDocument<'a>) -> GeneralInfo<'a> {
    let time = |ms: Option<i64>| Time(ms.map(Timestamp::from_millis));
    GeneralInfo {
        name: &row.name,
        os_name: shown.text("os"),
        make: shown.text("make"),
        description: shown.text("description"),
        host_name: &row.host_name,
        dns: shown.text("dnsName"),
        resource_type: &row.resource_type,
        keyboard_type: shown.text("keyboardType"),
        encoding_type: shown.text("encodingType"),
        physical_memory: shown.text("physicalMemory"),
        system_uid: shown.text("systemUID"),
        resource_name: &row.resource_name,
        alias_name: &row.alias_name,
        created_time: time(Some(row.created_ms)),
        updated_time: time(Some(row.updated_ms)),
        agent_deploytime: Time(Timestamp::parse(shown.text("agentDeploytime"))),
        asset_managed_time: time(row.asset_managed_ms),
        first_asset_managed_time: time(row.first_asset_managed_ms),
    }
}
