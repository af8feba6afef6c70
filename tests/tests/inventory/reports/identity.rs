//! The same machine reporting again updates, never duplicates; another machine never merges.

use muster_tests::{Client, Server, both_backends};
use serde_json::{Value, json};

use super::{PATH, only_machine, report, send_xml, xml};
use crate::inventory::{create, found};

both_backends![
    the_same_device_id_is_the_same_machine,
    the_same_system_uuid_is_the_same_machine,
    the_same_serial_and_make_is_the_same_machine,
    the_same_mac_is_the_same_machine,
    both_formats_find_the_same_machine,
    placeholders_never_identify,
    two_machines_stay_two,
    copies_of_one_image_stay_two,
    a_uuid_that_everything_else_contradicts_joins_nothing,
    a_machine_that_changes_stays_one,
    the_rules_hold_for_manual_entries,
    another_clients_machine_is_another,
    simultaneous_reports_of_one_machine_make_one,
    a_machine_that_was_decommissioned_reports_again,
];

fn send(client: &Client, device: &str, content: Value) {
    client.post(PATH, &report(device, &content)).ok();
}

fn machines(client: &Client) -> usize {
    client.get("/resources/minimal?state=all").list().len()
}

const UUID: &str = "4c4c4544-0034-3010-8048-b6c04f503732";

fn mac(address: &str) -> Value {
    json!([{"description": "eth0", "mac": address, "type": "ethernet", "status": "up"}])
}

fn the_same_device_id_is_the_same_machine(server: &Server) {
    let client = server.new_client();
    send(&client, "dev-1", json!({"hardware": {"name": "before"}}));
    let id = only_machine(&client)["id"].clone();
    send(&client, "dev-1", json!({"hardware": {"name": "after"}}));
    let machine = only_machine(&client);
    assert_eq!(machine["id"], id);
    assert_eq!(machine["generalInfo"]["hostName"], json!("after"));
}

fn the_same_system_uuid_is_the_same_machine(server: &Server) {
    let client = server.new_client();
    send(&client, "dev-1", json!({"hardware": {"name": "m", "uuid": UUID}}));
    let id = only_machine(&client)["id"].clone();
    send(&client, "dev-reinstalled", json!({"hardware": {"name": "m", "uuid": UUID.to_uppercase()}}));
    assert_eq!(only_machine(&client)["id"], id);
}

fn the_same_serial_and_make_is_the_same_machine(server: &Server) {
    let client = server.new_client();
    let bios = |make: &str| json!({"smanufacturer": make, "ssn": "7XK2LM3"});
    send(&client, "dev-1", json!({"hardware": {"name": "m"}, "bios": bios("Dell Inc.")}));
    send(&client, "dev-2", json!({"hardware": {"name": "m"}, "bios": bios("Dell Inc.")}));
    only_machine(&client);
    send(&client, "dev-3", json!({"hardware": {"name": "n"}, "bios": bios("ACME")}));
    assert_eq!(machines(&client), 2, "a serial number counts with its make only");
}

fn the_same_mac_is_the_same_machine(server: &Server) {
    let client = server.new_client();
    send(&client, "dev-1", json!({"hardware": {"name": "m"}, "networks": mac("00:e0:4c:68:01:db")}));
    send(&client, "dev-2", json!({"hardware": {"name": "m"}, "networks": mac("00:E0:4C:68:01:DB")}));
    only_machine(&client);
    send(&client, "dev-3", json!({"hardware": {"name": "n"}, "networks": mac("00:e0:4c:68:01:dc")}));
    assert_eq!(machines(&client), 2);
}

fn both_formats_find_the_same_machine(server: &Server) {
    let client = server.new_client();
    send(&client, "dev-1", json!({"hardware": {"name": "m", "uuid": UUID}}));
    let id = only_machine(&client)["id"].clone();
    let body = xml("dev-1", &format!("<HARDWARE><NAME>m2</NAME><UUID>{UUID}</UUID></HARDWARE>"));
    assert_eq!(send_xml(&client, &body).status, 200);
    let machine = only_machine(&client);
    assert_eq!((&machine["id"], &machine["generalInfo"]["hostName"]), (&id, &json!("m2")));
}

fn placeholders_never_identify(server: &Server) {
    let client = server.new_client();
    let mut expected = 0;
    for serial in [
        "To be filled by O.E.M.",
        "TO BE FILLED BY O.E.M.",
        "Default string",
        "System Serial Number",
        "None",
        "N/A",
        "0",
        "00000000",
        "123456789",
        "Not Specified",
        "XXXXXXX",
        "(null string)",
        "SYS-1234567890",
        "SYS-9876543210",
        "SN-12345",
        "SN-1234567890",
        "123456789000",
        "1.2.3",
        "0101",
        "EVAL",
        "IATPASS",
        "Tulip Computers",
        "Serial Number xxxxxx",
        "SystemSerialNumb",
        "SN-123456fvgv3i0b8o5n6n7k",
        "",
    ] {
        for number in 0..2 {
            let bios = json!({"smanufacturer": "ACME", "ssn": serial});
            send(&client, &format!("serial-{serial}-{number}"), json!({"hardware": {"name": "m"}, "bios": bios}));
            expected += 1;
            assert_eq!(machines(&client), expected, "serial number {serial:?}");
        }
    }
    for uuid in [
        "00000000-0000-0000-0000-000000000000",
        "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
        "03000200-0400-0500-0006-000700080009",
        "Not Settable",
        "6AB5B300-538D-1014-9FB5-B0684D007B53",
        "01010101-0101-0101-0101-010101010101",
        "4C4C4544-0000-2010-8020-80C04F202020",
        "44454C4C-0000-1020-8020-80C04F202020",
        "11111111-2222-3333-4444-555555555555",
    ] {
        for number in 0..2 {
            send(&client, &format!("uuid-{uuid}-{number}"), json!({"hardware": {"name": "m", "uuid": uuid}}));
            expected += 1;
            assert_eq!(machines(&client), expected, "system UUID {uuid:?}");
        }
    }
    for address in
        ["00:00:00:00:00:00", "ff:ff:ff:ff:ff:ff", "44:45:53:54:42:00", "50:50:54:50:30:30", "02:42:ac:11:00:02"]
    {
        for number in 0..2 {
            let content = json!({"hardware": {"name": "m"}, "networks": mac(address)});
            send(&client, &format!("mac-{address}-{number}"), content);
            expected += 1;
            assert_eq!(machines(&client), expected, "MAC address {address:?}");
        }
    }
}

/// A later sign must not merge what an earlier, stronger one tells apart.
fn two_machines_stay_two(server: &Server) {
    let client = server.new_client();
    let content = |uuid: &str| {
        json!({
            "hardware": {"name": "twin", "uuid": uuid}, "bios": {"smanufacturer": "Dell Inc.", "ssn": uuid},
            "networks": mac("52:54:00:a2:34:56"),
        })
    };
    let other = "5d5d5544-0034-3010-8048-b6c04f503733";
    for _ in 0..2 {
        send(&client, "twin-1", content(UUID));
        send(&client, "twin-2", content(other));
    }
    assert_eq!(machines(&client), 2, "one address of a virtual bridge, two machines");
    assert_eq!(found(&client, &format!("systemUID:{UUID}")).len(), 1);
    assert_eq!(found(&client, &format!("systemUID:{other}")).len(), 1);
}

fn another_clients_machine_is_another(server: &Server) {
    let one = server.new_client();
    let two = server.new_client();
    for client in [&one, &two] {
        send(client, "dev-1", json!({"hardware": {"name": client.tenant_id(), "uuid": UUID}}));
    }
    assert_ne!(only_machine(&one)["id"], only_machine(&two)["id"]);
    assert_eq!(only_machine(&one)["generalInfo"]["hostName"], json!(one.tenant_id()));
}

fn simultaneous_reports_of_one_machine_make_one(server: &Server) {
    let client = server.new_client();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let client = client.clone();
            scope.spawn(move || {
                let content =
                    json!({"hardware": {"name": format!("m{number}"), "uuid": UUID}, "softwares": [{"name": "a"}]});
                let answer = client.post(PATH, &report(&format!("dev-{number}"), &content));
                assert!([200, 409, 503].contains(&answer.status), "{answer}");
            });
        }
    });
    let machine = only_machine(&client);
    assert_eq!(super::applications(&client, &machine), ["a"]);
}

fn a_machine_that_was_decommissioned_reports_again(server: &Server) {
    let client = server.new_client();
    send(&client, "dev-1", json!({"hardware": {"name": "m", "uuid": UUID}}));
    let id = super::text(&only_machine(&client)["id"]);
    client.delete(&format!("/resources/{id}")).ok();
    send(&client, "dev-1", json!({"hardware": {"name": "m", "uuid": UUID}}));
    only_machine(&client);
    assert_eq!(client.get("/history/resources").page()["totalResults"], json!(1), "history stays history");
    create(&client, &json!({"name": "by hand"}));
    assert_eq!(machines(&client), 2);
}

fn machine(name: &str, uuid: Option<&str>, serial: Option<&str>, address: Option<&str>) -> Value {
    let mut content = json!({"hardware": {"name": name}, "softwares": [{"name": format!("only on {name}")}]});
    if let Some(uuid) = uuid {
        content["hardware"]["uuid"] = json!(uuid);
    }
    if let Some(serial) = serial {
        content["bios"] = json!({"smanufacturer": "VMware, Inc.", "ssn": serial});
    }
    if let Some(address) = address {
        content["networks"] = mac(address);
    }
    content
}

/// The agent's state was in the image that both were made of, and so they have one device id.
fn copies_of_one_image_stay_two(server: &Server) {
    let other = "5d5d5544-0034-3010-8048-b6c04f503733";
    let serials = ["VMware-56 4d", "VMware-57 4d"];
    let macs = ["00:50:56:a1:00:01", "00:50:56:a2:00:01"];
    for (uuid, serial, address) in
        [(true, true, true), (true, false, false), (false, true, false), (false, false, true)]
    {
        let client = server.new_client();
        let copy = |number: usize, name: &str| {
            let uuid = uuid.then_some([UUID, other][number]);
            machine(name, uuid, serial.then_some(serials[number]), address.then_some(macs[number]))
        };
        for _ in 0..3 {
            send(&client, "image-2026-01-05-09-00-00", copy(0, "web"));
            send(&client, "image-2026-01-05-09-00-00", copy(1, "db"));
        }
        assert_eq!(machines(&client), 2, "{uuid} {serial} {address}");
        for name in ["web", "db"] {
            let listed = client.get(&format!("/resources/minimal?queryString=hostName:{name}")).list();
            let [listed] = listed.as_slice() else { panic!("one {name}: {listed:?}") };
            assert_eq!(super::applications(&client, listed), [format!("only on {name}")]);
        }
        // What says no more than the device id belongs to the copy that is called so.
        for name in ["db", "web"] {
            let content = json!({"hardware": {"name": name}, "softwares": [{"name": format!("later on {name}")}]});
            let partial = json!({"action": "inventory", "deviceid": "image-2026-01-05-09-00-00", "partial": true,
                "itemtype": "Computer", "content": content});
            client.post(PATH, &partial).ok();
            let listed = client.get(&format!("/resources/minimal?queryString=hostName:{name}")).list();
            assert_eq!(super::applications(&client, &listed[0]), [format!("later on {name}")]);
        }
        assert_eq!(machines(&client), 2, "{uuid} {serial} {address}");
    }
}

fn a_uuid_that_everything_else_contradicts_joins_nothing(server: &Server) {
    let client = server.new_client();
    for _ in 0..2 {
        send(&client, "dev-1", machine("one", Some(UUID), Some("A1B2C3"), Some("00:50:56:a1:00:01")));
        send(&client, "dev-2", machine("two", Some(UUID), Some("D4E5F6"), Some("00:50:56:a2:00:01")));
    }
    assert_eq!(machines(&client), 2);
}

fn a_machine_that_changes_stays_one(server: &Server) {
    let client = server.new_client();
    let swapped = "44454c4c-3400-1030-8048-b6c04f503732";
    for content in [
        machine("first", Some(UUID), Some("A1B2C3"), Some("00:50:56:a1:00:01")),
        machine("renamed", Some(UUID), Some("A1B2C3"), Some("00:50:56:a1:00:02")),
        machine("in the other byte order", Some(swapped), None, Some("00:50:56:a1:00:03")),
        machine("without a UUID", None, Some("A1B2C3"), Some("00:50:56:a1:00:04")),
        machine("without a serial number", None, None, Some("00:50:56:a1:00:04")),
        machine("without anything", None, None, None),
    ] {
        send(&client, "dev-1", content.clone());
        assert_eq!(only_machine(&client)["generalInfo"]["hostName"], content["hardware"]["name"]);
    }
    send(&client, "reinstalled", machine("again", Some(&UUID.to_uppercase()), Some("A1B2C3"), None));
    only_machine(&client);
    // Another board in the same box is another machine, whatever the agent kept.
    send(&client, "dev-1", machine("other", Some("5d5d5544-0034-3010-8048-b6c04f503733"), Some("Z9Y8X7"), None));
    assert_eq!(machines(&client), 2);
}

fn the_rules_hold_for_manual_entries(server: &Server) {
    let client = server.new_client();
    let dock = "00:e0:4c:68:01:db";
    create(&client, &json!({"name": "one", "systemUID": UUID, "macAddress": dock}));
    let other = "5d5d5544-0034-3010-8048-b6c04f503733";
    let two = create(&client, &json!({"name": "two", "systemUID": other}));
    client.post(&format!("/resources/{two}"), &json!({"macAddress": dock})).ok();
    let swapped = json!({"name": "three", "systemUID": "44454C4C-3400-1030-8048-B6C04F503732"});
    client.post("/resources", &swapped).problem(409, "0004");
    client.post(&format!("/resources/{two}"), &json!({"systemUID": swapped["systemUID"]})).problem(409, "0004");
    for serial in ["EVAL", "SN-12345", "1.2.3"] {
        for _ in 0..2 {
            create(&client, &json!({"name": "p", "make": "ACME", "serialNumber": serial}));
        }
    }
    assert_eq!(machines(&client), 8);
}
