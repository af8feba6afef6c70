//! An inventory of NetBox: a site, roles, a switch with cards, a virtual machine.

use serde_json::{Value, json};

use super::Account;

pub fn account() -> Account {
    let page = |results: Value| json!({"count": 1, "next": null, "results": results});
    let switch = json!({"id": 1, "name": "sw-1", "display": "sw-1", "serial": "S1", "status": {"value": "active"},
        "device_type": {"model": "SX-24", "manufacturer": {"name": "Ember"}}, "role": {"name": "Access switch"},
        "platform": {"name": "SwitchOS"}, "site": {"id": 1, "name": "Graz"}, "rack": {"name": "R1"},
        "primary_ip": {"address": "192.0.2.7/24"}, "tags": [{"name": "core", "slug": "core"}],
        "custom_fields": {"contract": "C-7", "seats": 3}});
    let spare = json!({"id": 2, "name": "spare", "status": {"value": "offline"}, "role": {"name": "Access switch"}});
    let card = json!({"id": 9, "device": {"id": 1}, "name": "ge-0", "enabled": true,
        "mac_address": "02:00:00:00:00:01"});
    let address = json!({"address": "192.0.2.7/24", "dns_name": "sw-1.example.net",
        "assigned_object_type": "dcim.interface", "assigned_object_id": 9});
    Account {
        product: "netbox",
        answers: vec![
            ("dcim/sites", page(json!([{"id": 1, "name": "Graz", "physical_address": "Gasse 1\r\n8010 Graz"}]))),
            ("dcim/device-roles", page(json!([{"id": 1, "name": "Access switch"}]))),
            ("dcim/devices", page(json!([switch, spare]))),
            ("dcim/interfaces", page(json!([card]))),
            ("ipam/ip-addresses", page(json!([address]))),
            (
                "virtualization/virtual-machines",
                page(json!([{"id": 1, "name": "vm one", "cluster": {"name": "K"}, "status": {"value": "active"}}])),
            ),
        ],
        on_call: &[],
        refused: &[],
    }
}
