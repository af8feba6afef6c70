//! An inventory of NetBox, small and made up.

use serde_json::{Value, json};

use super::{assert_refused, convert, entry, of_kind};
use crate::{options::Product, report::Outcome};

#[test]
fn machines_come_with_sites_roles_cards_and_tags() {
    let page = |results: Value| json!({"count": 1, "next": null, "results": results});
    let device = |id: u32, name: Value| {
        json!({"id": id, "name": name, "display": "sw", "serial": "S1", "status": {"value": "active"},
            "device_type": {"model": "SX-24", "manufacturer": {"name": "Ember"}}, "role": {"name": "Access switch"},
            "platform": {"name": "SwitchOS"}, "site": {"id": 1, "name": "Graz"}, "rack": {"name": "R1"},
            "primary_ip": {"address": "192.0.2.7/24"}, "tags": [{"name": "core", "slug": "core"}],
            "custom_fields": {"contract": "C-7", "seats": 3, "owners": ["a"], "none": null}})
    };
    let mut spare = device(3, json!("spare"));
    spare["status"] = json!({"value": "offline"});
    spare["site"] = json!({"name": "Linz"});
    let conversion = convert(
        Product::Netbox,
        &[
            (
                "dcim/sites",
                page(json!([{"id": 1, "name": "Graz", "physical_address": "Gasse 1\r\n8010 Graz",
            "region": {"name": "South"}}])),
            ),
            ("dcim/device-roles", page(json!([{"id": 1, "name": "Access switch"}]))),
            (
                "dcim/devices",
                page(json!([device(1, json!("sw-1")), device(2, json!("SW-1")), spare, device(4, json!(null))])),
            ),
            (
                "dcim/interfaces",
                page(json!([
            {"id": 9, "device": {"id": 1}, "name": "ge-0", "enabled": true, "mac_address": "02:00:00:00:00:01"},
            {"id": 10, "device": {"id": 1}, "name": "ge-1", "enabled": false}])),
            ),
            (
                "ipam/ip-addresses",
                page(json!([
            {"address": "192.0.2.7/24", "dns_name": "sw-1.example.net", "assigned_object_type": "dcim.interface",
                "assigned_object_id": 9},
            {"address": "192.0.2.8/24", "assigned_object_type": "dcim.interface", "assigned_object_id": 9}])),
            ),
            ("virtualization/virtual-machines", page(json!([{"id": 1, "name": "vm one", "cluster": {"name": "K"}}]))),
            ("tenancy/contacts", page(json!([{"id": 1, "name": "Ann"}]))),
        ],
    );
    let machines = of_kind(&conversion, "Resource");
    assert_eq!(
        machines[0],
        json!({"kind": "Resource", "name": "sw-1", "hostName": "sw-1", "dnsName": "sw-1.example.net",
            "ipAddress": "192.0.2.7", "extResourceId": "netbox-device-1", "serialNumber": "S1", "make": "Ember",
            "model": "SX-24", "os": "SwitchOS", "state": "active", "location": {"name": "Graz"},
            "tags": [{"name": "role", "value": "Access switch"}, {"name": "rack", "value": "R1"},
                {"name": "core", "value": ""}, {"name": "contract", "value": "C-7"}, {"name": "seats", "value": "3"}],
            "networkCardDetails": [
                {"networkName": "ge-0", "macAddress": "02:00:00:00:00:01", "ipAddress": "192.0.2.7",
                    "aliasIps": "192.0.2.8", "status": "up"},
                {"networkName": "ge-1", "status": "down"}]})
    );
    assert!(entry(&conversion, "device \"sw-1\"").notes[0].contains("\"owners\" is lost"));
    assert_refused(&conversion, "device \"SW-1\"", "is unique");
    assert_refused(&conversion, "device \"sw\"", "no name");
    assert_eq!((&machines[1]["state"], machines[1].get("location")), (&json!("inactive"), None));
    assert_eq!(machines[2]["extResourceId"], "netbox-virtual-machine-1");
    assert_eq!(machines[2].get("hostName"), None);
    assert_eq!(
        of_kind(&conversion, "Site"),
        [json!({"kind": "Site", "name": "Graz", "address": "Gasse 1, 8010 Graz"})]
    );
    assert!(entry(&conversion, "site \"Graz\"").notes[0].contains("region"));
    assert_eq!(
        of_kind(&conversion, "DeviceGroup"),
        [json!({"kind": "DeviceGroup", "name": "Role: Access switch", "filterCriteria": {"matchType": "ALL",
            "rules": [{"key": "tags.role", "operator": "Equals", "value": "Access switch"}]}})]
    );
    assert_eq!(entry(&conversion, "contacts (1)").outcome, Outcome::Omitted);
}
