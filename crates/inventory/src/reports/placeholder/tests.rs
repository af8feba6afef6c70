use super::*;
use crate::reports::IdentityKey;

#[test]
fn placeholders_never_identify() {
    for serial in [
        "",
        " ",
        "0",
        "00000000",
        "None",
        "N/A",
        "Not Specified",
        "To be filled by O.E.M.",
        "To Be Filled By O.E.M",
        "System Serial Number",
        "Default string",
        "123456789",
        "0123456789",
        "1234567890",
        "XXXXXXX",
        "........",
        "INVALID",
        "Chassis Serial Number",
        "ffffffff",
        "(null string)",
        "SYS-1234567890",
        "SYS-9876543210",
        "SN-12345",
        "SN-1234567890",
        "sn: 12345",
        "S/N 0000",
        "MB-1234567890",
        "BSN12345678901234567",
        "123456789000",
        "12345678901234567",
        "1.2.3",
        "1.0",
        "0101",
        "1212121212",
        "987654321",
        "123-1234-123",
        "EVAL",
        "iatpass",
        "Tulip Computers",
        "Serial Number xxxxxx",
        "SystemSerialNumb",
        "System Serial Nu",
        "OEM_Serial",
        "Unknow",
        "SN-123456fvgv3i0b8o5n6n7k",
        "<BAD INDEX>",
        "<OUT OF SPEC><OUT OF SPEC>",
        "None Specified",
        "unknown-serial",
        "Unknown Serial Number",
        "Reserved",
        "SSN",
        "Number",
        "Uninitialized",
        "Not Initialized",
        "Void",
        "Base Board",
    ] {
        assert!(is_placeholder_serial(serial), "{serial}");
        assert_eq!(IdentityKey::serial("Acme", serial), None, "{serial}");
    }
    for uuid in [
        "00000000-0000-0000-0000-000000000000",
        "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
        "03000200-0400-0500-0006-000700080009",
        "00020003-0004-0005-0006-000700080009",
        "Not Settable",
        "0",
        "{00000000-0000-0000-0000-000000000001}",
        "12345678-1234-5678-90ab-cddeefaabbcc",
        "78563412-3412-7856-90ab-cddeefaabbcc",
        "6AB5B300-538D-1014-9FB5-B0684D007B53",
        "00b3b56a-8d53-1410-9fb5-b0684d007b53",
        "01010101-0101-0101-0101-010101010101",
        "58585858-5858-5858-5858-585858585858",
        "11111111-2222-3333-4444-555555555555",
        "88888888-8888-8888-8888-878888888888",
        "33221100-5544-7766-8899-aabbccddeeff",
        "4C4C4544-0000-2010-8020-80C04F202020",
        "44454C4C-0000-1020-8020-80C04F202020",
        "4c4c4544-0020-2010-8020-a0c04f202020",
        "07090201-0103-0301-0807-060504030201",
        "a1b2c3d4-ffff-ffff-ffff-ffffffffffff",
        "2",
    ] {
        assert!(is_placeholder_uuid(uuid), "{uuid}");
        assert_eq!(IdentityKey::uuid(uuid), None, "{uuid}");
    }
    for mac in [
        "00:00:00:00:00:00",
        "ff:ff:ff:ff:ff:ff",
        "02:42:ac:11:00:02",
        "00:50:56:C0:00:08",
        "01:00:5e:00:00:01",
        "00-FF-3A-68-62-80",
        "not a mac",
        "00:11:22:33:44",
        "00:11:22:33:44:55:66:77",
        "gg:11:22:33:44:55",
        "00:05:9a:3c:7a:00",
        "é0:11:22:33:44:5",
        "24:b6:20:52:41:53",
        "00:0b:ca:fe:00:00",
        "00:50:56:c0:00:77",
        "00:a0:c6:00:00:17",
        "33:50:6f:45:30:30",
        "fe:ff:ff:ff:ff:ff",
        "ac:de:48:00:11:22",
        "00:00:5e:00:01:0a",
        "52:54:00:12:34:56",
    ] {
        assert_eq!(IdentityKey::mac(mac), None, "{mac}");
    }
    assert!(!is_shared_mac("02:42:ac:11:00:02") && is_shared_mac("01:00:5e:00:00:01"));
    for make in ["", "-", "To be filled by O.E.M.", "System manufacturer", "Unknown"] {
        assert_eq!(IdentityKey::serial(make, "C02XK0AAJGH5"), None, "{make}");
    }
}

#[test]
fn real_values_are_normalised() {
    assert!(!is_placeholder_serial("VMware-56 4d 5a 1c"));
    assert!(!is_placeholder_serial("5CG1234XYZ"));
    assert_eq!(IdentityKey::serial("Dell Inc.", " 2fagp34 "), IdentityKey::serial("DELL", "2FAGP34"));
    assert_eq!(IdentityKey::serial("Hewlett-Packard Company", "CZC1"), IdentityKey::serial("HP", "czc1"));
    assert_ne!(IdentityKey::serial("Dell Inc.", "2FAGP34"), IdentityKey::serial("Acme", "2FAGP34"));
    for serial in [
        "1S20ABCD12345",
        "SN-0010",
        "SN-1001",
        "S1100",
        "S1S1S1",
        "PF12345",
        "SYS1A2B3C",
        "CN-0K11",
        "12345678-9X",
        "MXQ1234ABC",
        "10.20.300",
    ] {
        assert!(!is_placeholder_serial(serial), "{serial}");
    }
    let uuid = Some("44454c4c-3400-1030-8048-b6c04f503732".to_owned());
    assert_eq!(normal_uuid("4C4C4544-0034-3010-8048-B6C04F503732"), uuid);
    assert_eq!(normal_uuid("44454C4C-3400-1030-8048-B6C04F503732"), uuid);
    assert_eq!(normal_uuid("{4c4c45440034301080 48b6c04f503732}"), uuid);
    assert_eq!(normal_uuid("AF8D3FCFA6FE4784").as_deref(), Some("af8d3fcfa6fe4784"));
    for mac in ["68:B5:99:E6:84:EB", "68-b5-99-e6-84-eb", "68b5.99e6.84eb", "68b599e684eb"] {
        assert_eq!(normal_mac(mac).as_deref(), Some("68:b5:99:e6:84:eb"), "{mac}");
    }
    assert_eq!(normal_mac("0:1b:2:3:4:5").as_deref(), Some("00:1b:02:03:04:05"));
    assert!(IdentityKey::mac("52:54:00:a2:34:56").is_some());
    assert_eq!(IdentityKey::cloud(" 123 ", "I-0AB"), IdentityKey::cloud("123", "i-0ab"));
    assert_eq!(IdentityKey::cloud("", "i-0ab"), None);
    assert_eq!(IdentityKey::cloud("123", "i-0ab").map(|key| key.stored()).as_deref(), Some("cloud:123\ni-0ab"));
}
