//! Reports on SQLite: what becomes of a machine that reports again.

use serde_json::{Value, json};

use super::*;
use crate::{
    model::document::Resource,
    resources::store,
    sites::tests::{Fixture, NOW},
};

fn id(outcome: &IngestOutcome) -> &str {
    let (IngestOutcome::Created(id) | IngestOutcome::Updated(id) | IngestOutcome::Unchanged(id)) = outcome;
    id
}

fn take_in(fixture: &Fixture, report: &Value) -> IngestOutcome {
    let [partner, tenant] = ["msp_1", "client_1"].map(|id| TenantId::parse(id).unwrap());
    import(&fixture.db, &partner, &tenant, report.to_string().as_bytes(), NOW).unwrap().pop().unwrap().outcome
}

/// The resource after a report.
fn reported(fixture: &Fixture, report: &Value) -> Resource {
    let outcome = take_in(fixture, report);
    let row = fixture.read(|conn| store::find(conn, &["client_1".to_owned()], id(&outcome)));
    row.unwrap().into_resource().unwrap()
}

fn full() -> Value {
    json!({"action": "inventory", "deviceid": "d-1", "tag": "hall", "content": {
        "hardware": {"name": "m", "memory": 2048, "uuid": "9b7d1a52-11a2-4e5c-8a43-0b6c1f2d3e4f"},
        "operatingsystem": {"full_name": "Debian GNU/Linux 12", "kernel_name": "linux"},
        "bios": {"ssn": "AB12CD34", "smodel": "Box 9", "smanufacturer": "Acme", "bversion": "1.0"},
        "accountinfo": [{"keyname": "dept", "keyvalue": "it"}],
        "cpus": [{"name": "One"}], "storages": [{"model": "S970"}], "monitors": [{"caption": "U24"}],
        "printers": [{"name": "P1"}], "antivirus": [{"name": "Shield"}],
        "networks": [{"description": "eth0", "mac": "00:1b:21:3a:4b:5c", "ipaddress": "10.2.0.7", "status": "up"}],
        "softwares": [{"name": "nginx", "version": "1"}],
        "virtualmachines": [{"name": "c1", "vmtype": "docker", "status": "running"}],
    }})
}

fn partial(content: Value) -> Value {
    json!({"action": "inventory", "deviceid": "d-1", "tag": "hall", "partial": true, "content": content})
}

#[test]
fn a_partial_report_leaves_what_is_told_by_other_sections() {
    let fixture = Fixture::new();
    let before = reported(&fixture, &full());
    assert_eq!(before.document.app_roles, ["docker-container", "nginx"]);
    assert_eq!(before.document.nested["components"], json!(["CPU: One", "Monitor: U24", "Disk: S970"]));
    assert_eq!(before.document.tags.len(), 2);

    // It changes nothing where its section says what is known.
    for content in [
        json!({"hardware": {"name": "m"}}),
        json!({"softwares": [{"name": "nginx", "version": "1"}]}),
        json!({"virtualmachines": [{"name": "c1", "vmtype": "docker", "status": "running"}]}),
        json!({"monitors": [{"caption": "U24"}]}),
        json!({"accountinfo": [{"keyname": "dept", "keyvalue": "it"}]}),
        json!({"bios": {"bversion": "1.0"}}),
        json!({"printers": [{"name": "P1"}]}),
    ] {
        let outcome = take_in(&fixture, &partial(content.clone()));
        assert_eq!(outcome, IngestOutcome::Unchanged(before.id.clone()), "{content}");
    }

    let machine = reported(&fixture, &partial(json!({"monitors": [{"caption": "LG 27"}], "videos": [{"name": "V"}]})));
    assert_eq!(machine.document.nested["components"], json!(["CPU: One", "Monitor: LG 27", "Disk: S970", "Video: V"]));
    let machine = reported(&fixture, &partial(json!({"softwares": [{"name": "redis-server", "version": "1"}]})));
    assert_eq!(machine.document.app_roles, ["docker-container", "redis"]);
    let machine = reported(&fixture, &partial(json!({"virtualmachines": [], "printers": []})));
    assert_eq!(machine.document.app_roles, ["redis"]);
    let sections = machine.document.nested["metaData"]["inventory"].as_object().unwrap();
    assert!(!sections.contains_key("virtualMachines") && !sections.contains_key("printers"), "{sections:?}");
    assert!(sections.contains_key("monitors"));
    let machine = reported(&fixture, &partial(json!({"bios": {"bversion": "1.1"}})));
    assert_eq!(machine.document.nested["bios"], json!({"systemSerial": "AB12CD34", "systemModel": "Box 9"}));
    let bios = &machine.document.nested["metaData"]["inventory"]["bios"];
    assert_eq!((&bios["biosVersion"], &bios["systemModel"]), (&json!("1.1"), &json!("Box 9")));
}

#[test]
fn tags_follow_the_section_that_they_are_from() {
    let fixture = Fixture::new();
    let tags = |report: &Value| {
        let tags = reported(&fixture, report).document.tags.into_iter();
        tags.map(|tag| format!("{}={}", tag.name, tag.value)).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(tags(&full()), "TAG=hall dept=it");
    let mut moved = partial(json!({"hardware": {"name": "m"}}));
    moved["tag"] = json!("yard");
    assert_eq!(tags(&moved), "TAG=yard dept=it");
    assert_eq!(tags(&partial(json!({"accountinfo": []}))), "TAG=hall");
    let mut without = full();
    without.as_object_mut().unwrap().remove("tag");
    without["content"]["accountinfo"] = json!([{"keyname": "room", "keyvalue": "7"}]);
    assert_eq!(tags(&without), "room=7");
}

#[test]
fn a_full_report_replaces_every_section() {
    let fixture = Fixture::new();
    reported(&fixture, &full());
    let content = json!({"hardware": {"name": "m", "uuid": "9b7d1a52-11a2-4e5c-8a43-0b6c1f2d3e4f"}});
    let machine = reported(&fixture, &json!({"action": "inventory", "deviceid": "d-1", "content": content}));
    let document = &machine.document;
    assert!(document.app_roles.is_empty() && document.tags.is_empty());
    assert_eq!((&document.nested["components"], document.nested.get("metaData")), (&json!([]), None));
}

fn scan(action: &str, device: &Value) -> Value {
    json!({"action": action, "deviceid": "scanner", "tag": "scan", "content": {"network_device": device}})
}

#[test]
fn a_scan_only_adds_to_a_machine_with_an_agent() {
    let fixture = Fixture::new();
    let mac = "00:1b:21:3a:4b:5c";
    let mut agent = full();
    agent["content"]["bios"] = json!({"smanufacturer": "Acme", "smodel": "Box 9"});
    let before = reported(&fixture, &agent);
    let device = json!({"type": "Printer", "name": "dhcp-7", "dnshostname": "dhcp-7.example.net", "mac": mac,
        "ip": "10.2.0.8", "serial": "QX12C4", "model": "Other", "manufacturer": "Other", "location": "Hall"});
    for action in ["netdiscovery", "netinventory"] {
        let after = reported(&fixture, &scan(action, &device));
        assert_eq!(after.id, before.id, "{action}");
        let (old, new) = (&before.document, &after.document);
        assert_eq!((&new.nested, &new.tags, &new.app_roles), (&old.nested, &old.tags, &old.app_roles), "{action}");
        assert_eq!((&after.resource_type, &after.state), (&before.resource_type, &before.state), "{action}");
        for (name, text) in &old.texts {
            assert_eq!(new.text(name), text, "{action}: {name}");
        }
        let added = new.texts.keys().filter(|name| !old.texts.contains_key(*name)).collect::<Vec<_>>();
        assert_eq!(added, ["dnsName"], "{action}");
        assert!(after.site_id.is_some(), "{action}");
    }
    let software = fixture.read(|conn| {
        use crate::schema::{antivirus, applications};
        use diesel::prelude::*;
        let applications: i64 = applications::table.count().get_result(conn)?;
        let antivirus: i64 = antivirus::table.count().get_result(conn)?;
        Ok((applications, antivirus))
    });
    assert_eq!(software, (1, 1));
    assert_eq!(take_in(&fixture, &scan("netdiscovery", &device)), IngestOutcome::Unchanged(before.id.clone()));
    // Until the agent reports, a scan is all that is known; then the agent's names count.
    let other = json!({"type": "Networking", "name": "found", "mac": "00:1b:21:00:00:09"});
    let found = reported(&fixture, &scan("netdiscovery", &other));
    assert_eq!((found.state.as_str(), found.document.text("name")), ("discovered", "found"));
    let own = json!({"action": "inventory", "deviceid": "d-2", "content": {"hardware": {"name": "own"},
        "networks": [{"description": "eth0", "mac": "00:1b:21:00:00:09", "status": "up"}]}});
    let machine = reported(&fixture, &own);
    assert_eq!((machine.id, machine.document.text("name")), (found.id, "own"));
}

/// A machine with an agent, of which nothing but host name, address and what is given is known.
fn agent_report(name: &str, mac: &str, hardware: &Value, bios: &Value) -> Value {
    let mut content = json!({"hardware": {"name": name}, "bios": bios,
        "networks": [{"description": "eth0", "mac": mac, "status": "up"}]});
    content["hardware"].as_object_mut().unwrap().extend(hardware.as_object().unwrap().clone());
    json!({"action": "inventory", "deviceid": format!("d-{name}"), "content": content})
}

#[test]
fn a_scan_gives_a_machine_with_an_agent_no_serial_number() {
    let mac = "00:1b:21:3a:4b:5c";
    let uuid = "9b7d1a52-11a2-4e5c-8a43-0b6c1f2d3e4f";
    let bare = agent_report("m", mac, &json!({}), &json!({}));
    let own = agent_report("m", mac, &json!({}), &json!({"ssn": "OWN2A7", "smanufacturer": "HP"}));
    let found = json!({"type": "Networking", "name": "ilo", "mac": mac, "serial": "SCAN77", "manufacturer": "HP"});
    let with_uuid = json!({"type": "Networking", "name": "ilo", "mac": mac, "uuid": uuid});
    for found in [&found, &with_uuid] {
        let fixture = Fixture::new();
        let before = reported(&fixture, &bare);
        assert_eq!(reported(&fixture, &scan("netinventory", found)).id, before.id);
        let after = reported(&fixture, &own);
        assert_eq!((after.id.as_str(), after.document.text("serialNumber")), (before.id.as_str(), "OWN2A7"));
        assert_eq!(after.document.text("systemUID"), "");
    }
    // Once the agent has told its own, it is still found by its address; and by its serial number at another one.
    let fixture = Fixture::new();
    let before = reported(&fixture, &own);
    let board = json!({"type": "Networking", "name": "ilo", "mac": "00:1b:21:00:00:09", "serial": "OWN2A7",
        "manufacturer": "HP"});
    for found in [&found, &board] {
        assert_eq!(reported(&fixture, &scan("netinventory", found)).id, before.id, "{found}");
    }
    // What a scan told before the agent came ends with its first report, and what people entered stays.
    let fixture = Fixture::new();
    let before = reported(&fixture, &scan("netdiscovery", &found));
    assert_eq!(before.document.text("serialNumber"), "SCAN77");
    let with_agent = reported(&fixture, &bare);
    assert_eq!((&with_agent.id, with_agent.document.text("serialNumber")), (&before.id, ""));
    assert_eq!(reported(&fixture, &own).id, before.id);
    let other = agent_report("n", "00:1b:21:00:00:07", &json!({}), &json!({"ssn": "SCAN77", "smanufacturer": "HP"}));
    assert_ne!(reported(&fixture, &other).id, before.id);
}

#[test]
fn blades_of_one_enclosure_have_scans_of_their_own() {
    let fixture = Fixture::new();
    let enclosure = json!({"enclosureserial": "ENC12C4", "smanufacturer": "HP"});
    for uuids in [["9b7d1a52-11a2-4e5c-8a43-0b6c1f2d3e41", "9b7d1a52-11a2-4e5c-8a43-0b6c1f2d3e42"], ["", ""]] {
        let net = if uuids[0].is_empty() { 2 } else { 3 };
        let mac = |blade: usize| format!("00:1b:21:00:0{net}:0{blade}");
        let report = |blade: usize| {
            agent_report(&format!("b{net}{blade}"), &mac(blade), &json!({"uuid": uuids[blade]}), &enclosure)
        };
        let scan_of = |blade: usize| {
            scan(
                "netinventory",
                &json!({"type": "Networking", "mac": mac(blade), "serial": "ENC12C4",
                "manufacturer": "HP", "description": format!("bay {blade}")}),
            )
        };
        let blades = [0, 1].map(|blade| reported(&fixture, &report(blade)).id);
        assert_ne!(blades[0], blades[1]);
        for blade in [0, 1, 0] {
            let scanned = reported(&fixture, &scan_of(blade));
            let said =
                (scanned.id.as_str(), scanned.document.text("description"), scanned.document.text("serialNumber"));
            assert_eq!(said, (blades[blade].as_str(), format!("bay {blade}").as_str(), ""));
            assert_eq!(reported(&fixture, &report(blade)).id, blades[blade]);
        }
    }
}

#[test]
fn a_bare_inventory_leaves_the_type_of_a_device() {
    let fixture = Fixture::new();
    let mut device =
        json!({"type": "Networking", "name": "edge", "mac": "00:1b:21:00:00:09", "model": "FortiGate-60F"});
    let kind = |report: &Value| reported(&fixture, report).resource_type.1;
    assert_eq!(kind(&scan("netinventory", &device)), "Firewall");
    device.as_object_mut().unwrap().remove("model");
    for action in ["netdiscovery", "netinventory"] {
        assert_eq!(kind(&scan(action, &device)), "Firewall", "{action}");
    }
    device["description"] = json!("a box");
    let mut ports = scan("netinventory", &device);
    ports["content"]["network_ports"] =
        (0..10).map(|port| json!({"ifnumber": port, "ifname": format!("p{port}"), "iftype": 6})).collect();
    assert_eq!(kind(&ports), "Firewall");
    device["description"] = json!("RouterOS RB4011");
    assert_eq!(kind(&scan("netinventory", &device)), "Router");
    let bare = json!({"action": "inventory", "deviceid": "d-1", "content": {"hardware": {"name": "m"}}});
    assert_eq!((kind(&full()).as_str(), kind(&bare).as_str()), ("Linux", "Linux"));
}

#[test]
fn what_has_no_room_in_the_inventory_is_said() {
    let fixture = Fixture::new();
    reported(&fixture, &full());
    let section = |kib: usize| json!((0..kib).map(|_| json!({"text": "x".repeat(1_000)})).collect::<Vec<_>>());
    let warning = |content: Value| {
        let report = partial(content).to_string();
        let [partner, tenant] = ["msp_1", "client_1"].map(|id| TenantId::parse(id).unwrap());
        let mut machines = import(&fixture.db, &partner, &tenant, report.as_bytes(), NOW).unwrap();
        machines.pop().unwrap().warning().unwrap_or_default()
    };
    let stored = || {
        let machine = reported(&fixture, &partial(json!({"hardware": {"name": "m"}})));
        machine.document.nested["metaData"]["inventory"].clone()
    };
    assert_eq!(warning(json!({"drives": section(200)})), "");
    for name in ["usb", "virtualmachines", "drives"] {
        let before = stored();
        let said = warning(json!({name: section(if name == "drives" { 300 } else { 100 })}));
        assert!(said.contains("256 KiB") && said.to_lowercase().ends_with(name), "{said}");
        assert_eq!(stored(), before, "{name}");
    }
    assert_eq!(warning(json!({"drives": section(10), "usb": section(100)})), "");
    assert_eq!(stored()["usb"].as_array().map(Vec::len), Some(100));
}

#[test]
fn the_serial_number_of_an_enclosure_or_a_board_joins_nothing() {
    let fixture = Fixture::new();
    for (name, bios) in [
        ("a", json!({"enclosureserial": "CZ12C4"})),
        ("b", json!({"enclosureserial": "CZ12C4", "ssn": "To be filled by O.E.M."})),
        ("c", json!({"enclosureserial": "CZ12C4", "msn": "BRD-9A7"})),
        ("d", json!({"msn": "BRD-9A7", "ssn": "None Specified"})),
    ] {
        let mut content = json!({"hardware": {"name": name}, "bios": bios});
        content["bios"]["smanufacturer"] = json!("HP");
        let report = json!({"action": "inventory", "deviceid": format!("d-{name}"), "content": content});
        let outcome = take_in(&fixture, &report);
        assert!(matches!(outcome, IngestOutcome::Created(_)), "{name}");
        let machine = reported(&fixture, &report);
        assert_eq!(machine.document.text("serialNumber"), "", "{name}");
        let shown = &machine.document.nested["metaData"]["inventory"]["bios"];
        assert_eq!(shown.get("enclosureSerial"), bios.get("enclosureserial"), "{name}");
        assert_eq!(shown.get("boardSerial"), bios.get("msn"), "{name}");
    }
}
