use super::*;
use crate::reports::model::NetworkCard;

fn card(mac: &str, virtual_device: bool) -> NetworkCard {
    NetworkCard { mac_address: mac.to_owned(), virtual_device, ..NetworkCard::default() }
}

#[test]
fn a_report_gives_its_keys_in_the_order_of_trust() {
    let report = Report {
        device_id: "web1-2026-01-31-09-00-00".into(),
        system_uuid: Some("4C4C4544-0034-3010-8048-B6C04F503732".into()),
        make: Some("Dell Inc.".into()),
        serial_number: Some("2FAGP34".into()),
        network_cards: Some(vec![
            card("68:b5:99:00:00:02", false),
            card("68:b5:99:00:00:01", false),
            card("68:b5:99:00:00:03", true),
        ]),
        ..Report::default()
    };
    let kinds: Vec<_> = report.identity().iter().map(IdentityKey::kind).collect();
    assert_eq!(kinds, ["uuid", "serial", "mac", "mac", "agent"]);
    assert!(report.identity().is_sorted());
}

#[test]
fn the_agent_that_asked_is_not_the_device() {
    let device = Report {
        device_id: "scanner-2026-01-31-09-00-00".into(),
        origin: Origin::NetworkInventory,
        name: Some("printer1".into()),
        primary_ip: Some("10.0.0.9".into()),
        primary_mac: Some("00:68:eb:f2:be:10".into()),
        ..Report::default()
    };
    assert_eq!(device.identity(), [IdentityKey::Mac("00:68:eb:f2:be:10".into())]);
    let own = Report { device_id: "PRINTER1-2026-01-31-09-00-00".into(), ..device.clone() };
    assert_eq!(own.identity().len(), 2);
    let unknown = Report { primary_mac: None, ..device };
    assert_eq!(unknown.identity(), [IdentityKey::AgentDeviceId("scanner-2026-01-31-09-00-00/10.0.0.9".into())]);
}

#[test]
fn two_values_of_one_kind_are_two_machines() {
    let uuid = |last: &str| IdentityKey::uuid(&format!("4c4c4544-0034-3010-8048-b6c04f5037{last}")).unwrap();
    let serial = IdentityKey::serial("Dell", "2FAGP34").unwrap();
    let mac = IdentityKey::mac("68:b5:99:00:00:01").unwrap();
    assert!(are_told_apart(&[uuid("32"), serial.clone()], &[uuid("33"), serial.clone()]));
    assert!(!are_told_apart(&[uuid("32")], &[uuid("32")]));
    assert!(!are_told_apart(&[uuid("32")], std::slice::from_ref(&serial)));
    assert!(!are_told_apart(&[mac], &[IdentityKey::mac("68:b5:99:00:00:02").unwrap()]));
    assert!(!are_told_apart(&[], &[serial]));
}

#[test]
fn the_most_trusted_kind_of_key_decides() {
    let keys = |list: &[Option<IdentityKey>]| list.iter().flatten().cloned().collect::<Vec<_>>();
    let uuid = |last: &str| IdentityKey::uuid(&format!("4c4c4544-0034-3010-8048-b6c04f5037{last}"));
    let mac = |last: &str| IdentityKey::mac(&format!("68:b5:99:00:00:{last}"));
    let agent = IdentityKey::agent;
    let serial = |text: &str| IdentityKey::serial("Dell", text);
    let stored = keys(&[uuid("32"), serial("2FAGP34"), mac("01"), agent("a-1")]);
    for (seen, same) in [
        (keys(&[agent("a-1")]), true),
        (keys(&[uuid("33"), agent("a-1")]), false),
        (keys(&[serial("3FAGP34"), agent("a-1")]), false),
        (keys(&[mac("02"), agent("a-1")]), false),
        (keys(&[mac("02"), mac("01"), agent("a-2")]), true),
        (keys(&[uuid("32"), agent("a-2")]), true),
        (keys(&[uuid("32"), serial("3FAGP34"), agent("a-1")]), true),
        (keys(&[uuid("32"), serial("3FAGP34"), mac("01"), agent("a-2")]), true),
        (keys(&[uuid("32"), serial("3FAGP34"), mac("02"), agent("a-2")]), false),
        (keys(&[uuid("32"), mac("02"), agent("a-2")]), true),
        (keys(&[uuid("33"), mac("01"), agent("a-2")]), false),
        (keys(&[serial("2FAGP34"), mac("02"), agent("a-2")]), true),
        (keys(&[IdentityKey::serial("DELL EMC", "2FAGP34"), agent("a-1")]), true),
        (keys(&[IdentityKey::serial("DELL EMC", "2FAGP34"), agent("a-2")]), false),
        (keys(&[IdentityKey::uuid("44454c4c-3400-1030-8048-b6c04f503732")]), true),
        (vec![], false),
    ] {
        assert_eq!(is_same_machine(&stored, &seen), same, "{seen:?}");
    }
}

#[test]
fn stored_keys_are_read_again_except_placeholders() {
    for key in [
        IdentityKey::agent("a-1"),
        IdentityKey::uuid("4c4c4544-0034-3010-8048-b6c04f503732"),
        IdentityKey::cloud("1", "i-1"),
        IdentityKey::serial("Dell Inc.", "2fagp34"),
        IdentityKey::mac("68:b5:99:00:00:01"),
    ] {
        let key = key.unwrap();
        assert_eq!(IdentityKey::from_stored(&key.stored()).as_ref(), Some(&key));
        let again = key.stored_again("r-1").map(|text| IdentityKey::from_stored(&text));
        assert_eq!(again, (key.kind() == "agent").then_some(Some(key)));
    }
    for text in ["serial:dell\nEVAL", "uuid:01010101-0101-0101-0101-010101010101", "mac:00:50:56:c0:00:01", "x:y"] {
        assert_eq!(IdentityKey::from_stored(text), None, "{text}");
    }
}
