use super::*;

const PRINTED: &str = r#"{"Reservations": [{
        "Groups": [], "OwnerId": "123456789012", "ReservationId": "r-1", "Instances": [
        {"AmiLaunchIndex": 0, "ImageId": "ami-1", "InstanceId": "i-1", "InstanceType": "m5.large", "KeyName": "k",
         "LaunchTime": "2026-01-02T03:04:05+00:00", "Monitoring": {"State": "disabled"},
         "Placement": {"AvailabilityZone": "eu-west-1a", "GroupName": "", "Tenancy": "default"},
         "PrivateDnsName": "ip-10-0-0-1.internal", "PrivateIpAddress": "10.0.0.1", "PublicDnsName": "",
         "PublicIpAddress": "203.0.113.9", "State": {"Code": 16, "Name": "running"}, "Architecture": "x86_64",
         "PlatformDetails": "Linux/UNIX",
         "Tags": [{"Key": "Name", "Value": "web"}, {"Key": "env", "Value": "prod"}, {"Key": "Env", "Value": "x"}]},
        {"InstanceId": "i-2", "LaunchTime": "2026-01-02T03:04:05.000Z", "State": {"Code": 48, "Name": "terminated"},
         "PrivateDnsName": "", "PlatformDetails": "Windows with SQL Server"}]}]}"#;

#[test]
fn an_instance_is_a_row() {
    let rows = rows(PRINTED.as_bytes(), "client_1").unwrap();
    let [first, second] = rows.as_slice() else { panic!("{rows:?}") };
    let entry = first.entry.as_ref().unwrap();
    let text = |name: &str| entry.input.texts.iter().find(|(known, _)| *known == name).map(|(_, text)| text.as_str());
    for (name, expected) in [
        ("name", "web"),
        ("provider", "AWS"),
        ("accountNumber", "123456789012"),
        ("owner", "123456789012"),
        ("instanceId", "i-1"),
        ("instanceType", "m5.large"),
        ("instanceState", "running"),
        ("zone", "eu-west-1a"),
        ("region", "eu-west-1"),
        ("ami", "ami-1"),
        ("publicIp", "203.0.113.9"),
        ("privateIp", "10.0.0.1"),
        ("ipAddress", "10.0.0.1"),
        ("privateDns", "ip-10-0-0-1.internal"),
        ("monitoringState", "disabled"),
        ("os", "Linux/UNIX"),
    ] {
        assert_eq!(text(name), Some(expected), "{name}");
    }
    assert_eq!(
        entry.input.launched.flatten().map(|time| time.to_string()).as_deref(),
        Some("2026-01-02T03:04:05+0000")
    );
    let tags: Vec<_> = entry.tags.iter().map(|tag| (tag.name.as_str(), tag.value.as_str())).collect();
    assert_eq!((tags, entry.type_if_new), (vec![("Name", "web"), ("env", "prod")], Some("Server >> Linux")));
    let entry = second.entry.as_ref().unwrap();
    let names: Vec<&str> = entry.input.texts.iter().map(|(name, _)| *name).collect();
    let expected = ["source", "os", "provider", "instanceId", "instanceState", "owner", "accountNumber"];
    assert_eq!((second.line, names.as_slice()), (2, expected.as_slice()));
    assert_eq!(entry.type_if_new, Some("Server >> Windows"));
}

#[test]
fn regions_and_times() {
    for (zone, expected) in [
        ("eu-west-1a", "eu-west-1"),
        ("us-west-2-lax-1a", "us-west-2"),
        ("ap-south-12c", "ap-south-12"),
        ("odd", "odd"),
    ] {
        assert_eq!(region(zone), expected);
    }
    for (time, expected) in [("T1.000Z", "T1Z"), ("T1Z", "T1Z"), ("T1.5+00:00", "T1+00:00")] {
        assert_eq!(whole_seconds(time), expected);
    }
}

#[test]
fn anything_else_is_refused() {
    for text in ["", "[]", "{}", "{\"Reservations\": {}}", "{\"Reservations\": [{\"Instances\": [{}]}]}"] {
        assert!(rows(text.as_bytes(), "client_1").is_err(), "{text}");
    }
    assert!(rows(b"{\"Reservations\": []}", "client_1").unwrap().is_empty());
}
