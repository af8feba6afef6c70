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
    ] {
        for number in 0..2 {
            send(&client, &format!("uuid-{uuid}-{number}"), json!({"hardware": {"name": "m", "uuid": uuid}}));
            expected += 1;
            assert_eq!(machines(&client), expected, "system UUID {uuid:?}");
        }
    }
    for address in ["00:00:00:00:00:00", "ff:ff:ff:ff:ff:ff"] {
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
            "networks": mac("52:54:00:12:34:56"),
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
    let (one, two) = (server.new_client(), server.new_client());
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
