use serde_json::json;

use super::*;

const ABOUT: RowContext<'_> = RowContext {
    tenant_id: "client_1",
    entity_id: "01a20830-aac5-73df-bc1d-43f855b9cb27",
    at: Timestamp::from_millis(1_795_433_736_901),
};

#[test]
fn what_is_packed_comes_back_whatever_it_is() {
    let long = (0..40_000_u32).map(|number| format!("{:x} ", number.wrapping_mul(2_654_435_761))).collect::<String>();
    let same = "0".repeat(3_000_000);
    for text in ["{}", "{\"state\":{\"before\":\"active\",\"after\":\"inactive\"}}", "ä€😀 <tenant> <", &long, &same]
    {
        // Nothing, where it would not be shorter.
        let Some(packed) = pack(text, ABOUT) else { continue };
        assert!(packed.len() <= text.len());
        assert_eq!(unpack(&packed, ABOUT).unwrap(), text);
    }
    assert!(pack(&same, ABOUT).is_some_and(|packed| packed.len() < 20_000));
    assert_eq!(pack("{}", ABOUT), None, "it would be longer");
}

#[test]
fn a_new_machine_takes_a_sixth() {
    let time = ABOUT.at.to_string();
    let name = "cache-004711";
    let mut fields = vec![
        ("agentInstalled", json!(false)),
        ("appRoles", json!([])),
        ("clientUniqueId", json!(ABOUT.tenant_id)),
        ("hostName", json!(format!("{name}.example.net"))),
        ("id", json!(ABOUT.entity_id)),
        ("ipAddress", json!("192.168.17.4")),
        ("make", json!("Dell Inc.")),
        ("model", json!("PowerEdge R640")),
        ("name", json!(name)),
        ("os", json!("Debian GNU/Linux 13")),
        ("resourceType", json!("Other")),
        ("serialNumber", json!("SN00004711")),
        ("source", json!("API")),
        ("state", json!("active")),
        ("tags.env", json!("prod")),
        ("tags.team", json!("team 7")),
        ("type", json!("DEVICE")),
    ];
    let times = ["assetManagedTime", "createdDate", "firstAssetManagedTime", "updatedDate"];
    fields.extend(times.map(|name| (name, json!(time))));
    let told: std::collections::BTreeMap<_, _> =
        fields.into_iter().map(|(name, value)| (name, json!({"after": value}))).collect();
    let text = json!(told).to_string();
    let packed = pack(&text, ABOUT).unwrap();
    assert!(packed.len() * 6 < text.len(), "{} of {}", packed.len(), text.len());
    assert_eq!(unpack(&packed, ABOUT).unwrap(), text);
}

#[test]
fn rows_of_the_first_version_can_be_read_for_ever() {
    // Packed on 2026-11-23. A failure means that the dictionary changed: rows packed with it
    // cannot be read any more.
    const PACKED: [u8; 21] = [
        0x01, 0xab, 0x26, 0x33, 0xa2, 0x31, 0xfc, 0x84, 0x5c, 0xa2, 0x60, 0xf3, 0x55, 0x49, 0x6a, 0x71, 0x09, 0x79,
        0x4e, 0x04, 0x00,
    ];
    let told = json!({
        "id": {"after": ABOUT.entity_id}, "state": {"after": "inactive"}, "tags.env": {"after": "test"},
        "updatedDate": {"after": ABOUT.at.to_string()},
    });
    assert_eq!(unpack(&PACKED, ABOUT).unwrap(), told.to_string());
}

#[test]
fn a_damaged_row_is_told() {
    let packed = pack(&"{\"state\":{\"after\":\"active\"}}".repeat(9), ABOUT).unwrap();
    for damaged in [&packed[1..], &packed[..packed.len() - 1], &[][..], &[7, 1, 2]] {
        assert!(unpack(damaged, ABOUT).is_err(), "{damaged:?}");
    }
}
