//! The facts of a report, in the detail's Resource shape.

use muster_tests::{Server, both_backends};
use serde_json::{Value, json};

use super::{applications, only_machine, report, send_xml, xml};
use crate::inventory::{found, names, text, timestamp};

both_backends![
    the_newer_format_fills_the_detail,
    the_older_format_fills_the_detail,
    cards_of_one_interface_are_one_card_with_aliases,
    resource_types_follow_the_operating_system,
    application_roles_are_recognised,
    tags_are_kept,
    texts_keep_their_letters,
];

fn content() -> Value {
    json!({
        "versionclient": "GLPI-Agent_v1.11",
        "accesslog": {"logdate": "2026-10-01 10:00:00"},
        "bios": {"smanufacturer": "Dell Inc.", "smodel": "PowerEdge R650", "ssn": "7XK2LM3", "bversion": "1.4.3"},
        "hardware": {
            "name": "web-01", "uuid": "4c4c4544-0034-3010-8048-b6c04f503732", "memory": 7800, "chassis_type": "Rack",
            "dns": "192.168.1.1", "defaultgateway": "192.168.1.1", "vmsystem": "Physical",
        },
        "operatingsystem": {
            "name": "Debian GNU/Linux", "full_name": "Debian GNU/Linux 12 (bookworm)", "version": "12",
            "arch": "x86_64", "kernel_name": "linux", "kernel_version": "6.1.0", "fqdn": "web-01.example.com",
        },
        "cpus": [{"name": "Intel(R) Xeon(R) Gold 6330", "core": 28, "thread": 56, "speed": 2000,
            "manufacturer": "Intel"}],
        "networks": [
            {"description": "lo", "ipaddress": "127.0.0.1", "mac": "00:00:00:00:00:00", "type": "loopback",
                "status": "up"},
            {"description": "eth0", "ipaddress": "10.20.30.40", "mac": "00:e0:4c:68:01:db", "type": "ethernet",
             "status": "up", "speed": "1000"},
        ],
        "softwares": [{"name": "nginx", "version": "1.22.1-9", "publisher": "Debian"}, {"name": "tzdata"}],
    })
}

#[track_caller]
fn is_web_01(client: &muster_tests::Client) {
    let machine = only_machine(client);
    let info = &machine["generalInfo"];
    for (name, expected) in [("name", "web-01"), ("hostName", "web-01"), ("make", "Dell Inc.")] {
        assert_eq!(info[name], json!(expected), "generalInfo.{name}");
    }
    assert!(text(&info["osName"]).contains("Debian"), "{info}");
    assert_eq!(info["resourceType"], json!("Linux"));
    assert!(text(&info["physicalMemory"]).contains("7800"), "{info}");
    timestamp(&info["agentDeploytime"]);
    timestamp(&info["firstAssetManagedTime"]);
    assert_eq!(machine["agentInstalled"], json!(true));
    assert_eq!(machine["state"], json!("active"));
    assert_eq!(machine["ipAddress"], json!("10.20.30.40"), "not the loopback address");
    assert_eq!(machine["bios"]["systemSerial"], json!("7XK2LM3"));
    assert_eq!(machine["bios"]["systemModel"], json!("PowerEdge R650"));
    assert_eq!(machine["cpus"].as_array().map(Vec::len), Some(1), "{machine}");
    assert!(machine["cpus"].to_string().contains("Xeon"));
    let card = card(&machine, "eth0");
    assert_eq!(card["ipAddress"], json!("10.20.30.40"));
    assert_eq!(text(&card["macAddress"]).to_lowercase(), "00:e0:4c:68:01:db");
    assert_eq!(applications(client, &machine), ["nginx", "tzdata"]);
    for query_string in [
        "hostName:web-01",
        "serialNumber:7xk2lm3",
        "systemUID:4C4C4544-0034-3010-8048-B6C04F503732",
        "ipAddress:10.20.30.0/24",
        "agentInstalled:true",
        "appRoles:nginx",
        "type:DEVICE+deviceType:Linux",
        "dnsName:web-01.example.com",
    ] {
        assert_eq!(found(client, query_string), ["web-01"], "{query_string}");
    }
}

#[track_caller]
fn card(machine: &Value, name: &str) -> Value {
    let cards = machine["networkCardDetails"].as_array().cloned().unwrap_or_default();
    let named: Vec<&Value> = cards.iter().filter(|card| card["networkName"] == name).collect();
    assert_eq!(named.len(), 1, "one card {name}: {cards:?}");
    named[0].clone()
}

fn the_newer_format_fills_the_detail(server: &Server) {
    let client = server.new_client();
    client.post(super::PATH, &report("web-01-2026", &content())).ok();
    is_web_01(&client);
}

fn the_older_format_fills_the_detail(server: &Server) {
    let client = server.new_client();
    let body = xml(
        "web-01-2026",
        "<BIOS><SMANUFACTURER>Dell Inc.</SMANUFACTURER><SMODEL>PowerEdge R650</SMODEL><SSN>7XK2LM3</SSN></BIOS>\
         <HARDWARE><NAME>web-01</NAME><UUID>4C4C4544-0034-3010-8048-B6C04F503732</UUID><MEMORY>7800</MEMORY>\
         <OSNAME>Debian GNU/Linux 12 (bookworm)</OSNAME><CHASSIS_TYPE>Rack</CHASSIS_TYPE>\
         <IPADDR>10.20.30.40</IPADDR></HARDWARE>\
         <OPERATINGSYSTEM><NAME>Debian GNU/Linux</NAME><FULL_NAME>Debian GNU/Linux 12 (bookworm)</FULL_NAME>\
         <KERNEL_NAME>linux</KERNEL_NAME><FQDN>web-01.example.com</FQDN></OPERATINGSYSTEM>\
         <CPUS><NAME>Intel(R) Xeon(R) Gold 6330</NAME><CORE>28</CORE><SPEED>2000</SPEED></CPUS>\
         <NETWORKS><DESCRIPTION>lo</DESCRIPTION><IPADDRESS>127.0.0.1</IPADDRESS><TYPE>loopback</TYPE></NETWORKS>\
         <NETWORKS><DESCRIPTION>eth0</DESCRIPTION><IPADDRESS>10.20.30.40</IPADDRESS>\
         <MACADDR>00:e0:4c:68:01:db</MACADDR><STATUS>Up</STATUS><TYPE>ethernet</TYPE></NETWORKS>\
         <SOFTWARES><NAME>nginx</NAME><VERSION>1.22.1-9</VERSION><PUBLISHER>Debian</PUBLISHER></SOFTWARES>\
         <SOFTWARES><NAME>tzdata</NAME></SOFTWARES>",
    );
    assert_eq!(send_xml(&client, &body).status, 200);
    is_web_01(&client);
}

fn cards_of_one_interface_are_one_card_with_aliases(server: &Server) {
    let client = server.new_client();
    let network = |name: &str, key: &str, address: &str| {
        let mut network = json!({"description": name, "mac": "00:11:22:33:44:55", "type": "ethernet", "status": "up"});
        network[key] = json!(address);
        network
    };
    let networks = json!([
        network("eth0", "ipaddress", "10.0.0.1"),
        network("eth0", "ipaddress", "10.0.0.2"),
        network("eth0", "ipaddress6", "fe80::1"),
    ]);
    client.post(super::PATH, &report("cards", &json!({"hardware": {"name": "cards"}, "networks": networks}))).ok();
    let card = card(&only_machine(&client), "eth0");
    assert_eq!(card["ipAddress"], json!("10.0.0.1"));
    let aliases = text(&card["aliasIps"]);
    let mut aliases: Vec<&str> = aliases.split(',').map(str::trim).collect();
    aliases.sort_unstable();
    assert_eq!(aliases, ["10.0.0.2", "fe80::1"], "{card}");
}

fn resource_types_follow_the_operating_system(server: &Server) {
    let client = server.new_client();
    for (name, system, kernel) in [
        ("tux", "Fedora 41 (Workstation Edition)", "linux"),
        ("win", "Microsoft Windows Server 2022 Standard", "MSWin32"),
    ] {
        let content = json!({
            "hardware": {"name": name},
            "operatingsystem": {"name": system, "full_name": system, "kernel_name": kernel},
        });
        client.post(super::PATH, &report(name, &content)).ok();
    }
    assert_eq!(found(&client, "resourceType:Linux"), ["tux"]);
    assert!(text(&client.search("/resources/minimal", "hostName:win").list()[0]["resourceType"]).contains("Windows"));
    let kinds = client.get("/resourceType/minimal").list();
    for item in client.get("/resources/minimal").list() {
        let known = kinds.iter().any(|kind| kind["name"] == item["resourceType"]);
        assert!(known, "{} is in the table", item["resourceType"]);
    }
}

fn application_roles_are_recognised(server: &Server) {
    let client = server.new_client();
    let softwares: Vec<Value> = [
        "postgresql-15",
        "redis-server",
        "apache2",
        "mysql-server-8.0",
        "docker-ce",
        "libnginx-mod-doc-viewer",
        "bash",
    ]
    .iter()
    .map(|name| json!({"name": name, "version": "1"}))
    .collect();
    client.post(super::PATH, &report("roles", &json!({"hardware": {"name": "roles"}, "softwares": softwares}))).ok();
    let machine = only_machine(&client);
    let roles = names(machine["appRoles"].as_array().map_or(&[], Vec::as_slice));
    for role in ["postgresql", "redis", "apache", "mysql", "docker"] {
        assert!(roles.iter().any(|found| found == role), "{role} is not among {roles:?}");
    }
    assert!(!roles.iter().any(|found| ["oracle", "kafka", "spark", "kvm"].contains(&found.as_str())), "{roles:?}");
    assert_eq!(found(&client, "appRoles:postgresql"), ["roles"]);
}

fn tags_are_kept(server: &Server) {
    let client = server.new_client();
    let mut body = report("tagged", &json!({"hardware": {"name": "tagged"}}));
    body["tag"] = json!("production");
    client.post(super::PATH, &body).ok();
    let machine = only_machine(&client);
    let tags = machine["tags"].to_string();
    assert!(tags.contains("production"), "{tags}");
    let account = "<ACCOUNTINFO><KEYNAME>TAG</KEYNAME><KEYVALUE>teclib</KEYVALUE></ACCOUNTINFO>";
    let client = server.new_client();
    assert_eq!(send_xml(&client, &xml("x", &format!("{account}<HARDWARE><NAME>x</NAME></HARDWARE>"))).status, 200);
    assert!(only_machine(&client)["tags"].to_string().contains("teclib"));
}

fn texts_keep_their_letters(server: &Server) {
    let client = server.new_client();
    let body = xml(
        "letters",
        "<HARDWARE><NAME>b&#252;ro-&quot;1&quot;</NAME><DESCRIPTION><![CDATA[a < b & c]]></DESCRIPTION></HARDWARE>\
         <SOFTWARES><NAME>Téléphone &amp; Co</NAME><VERSION>1 &lt; 2</VERSION></SOFTWARES>",
    );
    assert_eq!(send_xml(&client, &body).status, 200);
    let machine = only_machine(&client);
    assert_eq!(machine["generalInfo"]["hostName"], json!("büro-\"1\""));
    assert_eq!(applications(&client, &machine), ["Téléphone & Co"]);
}
