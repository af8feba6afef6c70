use super::*;
use crate::reports::json;

fn network(text: &str, gateway: Option<&str>) -> Network {
    let node = json::read(text).unwrap();
    let Node::List(items) = &node else { panic!("not a list") };
    finish(read(&items.iter().collect::<Vec<_>>()), gateway.map(|ip| ip.parse().unwrap()))
}

const LINUX: &str = r#"[
        {"description": "lo", "ipaddress": "127.0.0.1", "ipmask": "255.0.0.0", "status": "up", "type": "loopback",
            "virtualdev": true, "mac": "00:00:00:00:00:00"},
        {"description": "lo", "ipaddress6": "::1", "status": "up", "type": "loopback", "virtualdev": true,
            "mac": "00:00:00:00:00:00"},
        {"description": "docker0", "ipaddress": "172.17.0.1", "ipmask": "255.255.0.0", "status": "up", "type": "bridge",
            "virtualdev": true, "mac": "02:42:aa:bb:cc:dd"},
        {"description": "eth0", "ipaddress6": "fe80::1", "ipmask6": "ffff:ffff:ffff:ffff::", "status": "up",
            "virtualdev": false, "mac": "A0:36:9F:00:00:01"},
        {"description": "eth0", "ipaddress": "10.1.0.5", "ipmask": "255.255.0.0", "ipdhcp": "10.1.0.1", "speed": "1000",
            "status": "up", "virtualdev": false, "mac": "a0:36:9f:00:00:01"},
        {"description": "eth0", "ipaddress": "10.1.0.6", "ipmask": "255.255.0.0", "status": "up",
            "mac": "a0:36:9f:00:00:01"},
        {"description": "eth1", "ipaddress": "192.168.9.9", "ipmask": "255.255.255.0", "status": "down", "speed": "-1",
            "mac": "a0:36:9f:00:00:02"}
    ]"#;

#[test]
fn entries_of_an_interface_become_one_card_with_aliases() {
    let network = network(LINUX, None);
    assert_eq!(
        network.cards.iter().map(|card| card.network_name.as_str()).collect::<Vec<_>>(),
        ["lo", "docker0", "eth0", "eth1"]
    );
    assert_eq!(
        network.cards[2],
        NetworkCard {
            id: 3,
            network_name: "eth0".into(),
            status: "UP".into(),
            ip_address: "10.1.0.5".into(),
            mac_address: "a0:36:9f:00:00:01".into(),
            dhcp_enabled: true,
            link_mode: "1 Gb/s".into(),
            alias_ips: "10.1.0.6,fe80::1".into(),
            loopback: false,
            virtual_device: false,
        }
    );
    assert!(network.cards[0].loopback && network.cards[0].alias_ips == "::1");
    assert!(network.cards[1].virtual_device);
    assert_eq!(network.cards[3].link_mode, "");
}

#[test]
fn the_primary_address_is_the_gateways_then_hardware_that_is_up() {
    assert_eq!(network(LINUX, None).primary_ip.as_deref(), Some("10.1.0.5"));
    let near = network(LINUX, Some("192.168.9.1"));
    assert_eq!(
        (near.primary_ip.as_deref(), near.primary_mac.as_deref()),
        (Some("192.168.9.9"), Some("a0:36:9f:00:00:02"))
    );
    let v6 = network(r#"[{"description": "en0", "ipaddress6": ["fe80::5%en0", "2001:db8::5/64"]}]"#, None);
    assert_eq!(v6.primary_ip.as_deref(), Some("2001:db8::5"));
    assert_eq!((v6.cards[0].ip_address.as_str(), v6.cards[0].alias_ips.as_str()), ("2001:db8::5", "fe80::5"));
    let lost = network(
        r#"[{"description": "lo0", "ipaddress": "127.0.0.1"}, {"description": "x", "ipaddress": "secret"}, 5,
                "x"]"#,
        None,
    );
    assert_eq!((lost.primary_ip, lost.cards.len()), (None, 2));
}

#[test]
fn equal_adapters_are_told_apart_by_position_or_address() {
    let twins = network(
        r#"[{"description": "Adapter", "mac": "00:1b:21:00:00:01"},
                {"description": "Adapter", "mac": "00:1b:21:00:00:02"},
                {"description": "Port", "mac": "00:1b:21:00:00:03", "pcislot": "1"},
                {"description": "Port", "mac": "00:1b:21:00:00:04", "pcislot": "1"}]"#,
        None,
    );
    assert_eq!(twins.cards.len(), 3);
    assert_eq!(twins.cards[2].mac_address, "00:1b:21:00:00:03");
}

#[test]
fn speeds_are_in_words() {
    assert_eq!(link_mode(100_000_000, Some("half")).as_deref(), Some("100 Mb/s half duplex"));
    assert_eq!(link_mode(2_500_000_000, None).as_deref(), Some("2500 Mb/s"));
    assert_eq!(link_mode(i64::MAX, None), None);
    assert_eq!(link_mode(0, Some("full")).as_deref(), Some("full duplex"));
}
