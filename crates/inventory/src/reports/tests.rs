//! Whole messages, hostile and broken ones, and real reports where there are some.

use std::path::{Path, PathBuf};

use super::model::ItemType;
use super::*;

pub(super) const XML: &str = r#"<?xml version="1.0" encoding="UTF-8" ?>
<REQUEST>
  <CONTENT>
    <ACCOUNTINFO><KEYNAME>TAG</KEYNAME><KEYVALUE>hall &amp; yard</KEYVALUE></ACCOUNTINFO>
    <ACCOUNTINFO><KEYNAME>room</KEYNAME><KEYVALUE>7</KEYVALUE></ACCOUNTINFO>
    <ANTIVIRUS><NAME>Shield</NAME><UPTODATE>0</UPTODATE><ENABLED>1</ENABLED></ANTIVIRUS>
    <BIOS><SSN>AB12CD34</SSN><SMANUFACTURER>Acme Ltd.</SMANUFACTURER><SMODEL>Box 9</SMODEL></BIOS>
    <CPUS><NAME>Acme One</NAME><SPEED>2400</SPEED><CORE>4</CORE></CPUS>
    <ENVS><KEY>LANG</KEY><VAL>de_DE.utf-8</VAL></ENVS>
    <ENVS><KEY>API_TOKEN</KEY><VAL>hush</VAL></ENVS>
    <HARDWARE><NAME>box9</NAME><MEMORY>2048</MEMORY><UUID>9B7D1A52-11A2-4E5C-8A43-0B6C1F2D3E4F</UUID>
      <CHASSIS_TYPE>Rack Mount Chassis</CHASSIS_TYPE><DEFAULTGATEWAY>10.2.0.1</DEFAULTGATEWAY>
      <VMSYSTEM>Physical</VMSYSTEM></HARDWARE>
    <INPUTS><CAPTION>Plain Keyboard</CAPTION></INPUTS>
    <NETWORKS><DESCRIPTION>eno1</DESCRIPTION><IPADDRESS>10.2.0.7</IPADDRESS><IPMASK>255.255.0.0</IPMASK>
      <MACADDR>00:1B:21:3A:4B:5C</MACADDR><STATUS>Up</STATUS><VIRTUALDEV>0</VIRTUALDEV></NETWORKS>
    <OPERATINGSYSTEM><FULL_NAME>Debian GNU/Linux 12</FULL_NAME><KERNEL_NAME>linux</KERNEL_NAME>
      <FQDN>box9.example.org</FQDN></OPERATINGSYSTEM>
    <SOFTWARES><NAME>nginx</NAME><VERSION>1.22</VERSION><FROM>deb</FROM>
      <INSTALLDATE>03/02/2024</INSTALLDATE></SOFTWARES>
    <SOFTWARES><NAME>tar</NAME><VERSION>1.34</VERSION><FROM>deb</FROM></SOFTWARES>
    <VERSIONCLIENT>Agent_v9</VERSIONCLIENT>
  </CONTENT>
  <DEVICEID>box9-2026-01-31-09-00-00</DEVICEID>
  <QUERY>INVENTORY</QUERY>
</REQUEST>
"#;

pub(super) const JSON: &str = r#"{"action": "inventory", "deviceid": "box9-2026-01-31-09-00-00", "itemtype": "Computer",
  "tag": "hall & yard", "content": {
  "antivirus": [{"name": "Shield", "uptodate": false, "enabled": true}],
  "accountinfo": {"keyname": "room", "keyvalue": 7},
  "bios": {"ssn": "AB12CD34", "smanufacturer": "Acme Ltd.", "smodel": "Box 9"},
  "cpus": {"name": "Acme One", "speed": "2400", "core": 4},
  "envs": [{"key": "LANG", "val": "de_DE.utf-8"}, {"key": "API_TOKEN", "val": "hush"}],
  "hardware": {"name": "box9", "memory": 2048, "uuid": "9B7D1A52-11A2-4E5C-8A43-0B6C1F2D3E4F",
               "chassis_type": "Rack Mount Chassis", "defaultgateway": "10.2.0.1", "vmsystem": "Physical"},
  "inputs": [{"caption": "Plain Keyboard"}],
  "networks": [{"description": "eno1", "ipaddress": "10.2.0.7", "ipmask": "255.255.0.0",
                "mac": "00:1b:21:3a:4b:5c", "status": "up", "virtualdev": false}],
  "operatingsystem": {"full_name": "Debian GNU/Linux 12", "kernel_name": "linux", "fqdn": "box9.example.org"},
  "softwares": [{"name": "nginx", "version": 1.22, "from": "deb", "install_date": "2024-02-03"},
                {"name": "tar", "version": "1.34", "from": "deb"}],
  "versionclient": "Agent_v9"
}}"#;

fn inventory(text: &str) -> Vec<Report> {
    match parse(text.as_bytes()) {
        Ok(Message::Inventory(reports)) => reports,
        other => panic!("not an inventory: {other:?}"),
    }
}

fn refused(text: &str) -> String {
    parse(text.as_bytes()).unwrap_err().to_string()
}

#[test]
fn both_formats_say_the_same() {
    let xml = inventory(XML);
    let json = inventory(JSON);
    assert_eq!(xml, json);
    let report = &xml[0];
    assert_eq!(report.name.as_deref(), Some("box9"));
    assert_eq!(report.dns_name.as_deref(), Some("box9.example.org"));
    assert_eq!(report.physical_memory().as_deref(), Some("2048 MB"));
    assert_eq!(report.primary_ip.as_deref(), Some("10.2.0.7"));
    assert_eq!(report.os_name(), Some("Debian GNU/Linux 12"));
    assert_eq!(report.softwares.as_ref().map(Vec::len), Some(2));
    assert_eq!(report.keyboard_type.as_deref(), Some("Plain Keyboard"));
    assert_eq!(report.encoding_type.as_deref(), Some("UTF-8"));
    assert_eq!((report.tag.as_deref(), report.tags.as_ref().map(Vec::len)), (Some("hall & yard"), Some(1)));
    assert_eq!(report.virtual_machines, Some(vec![]));
    assert_eq!(kind::of(report).path, "Server >> Linux");
    assert_eq!(roles::of(report), ["nginx"]);
    assert!(!format!("{report:?}").contains("hush"));
}

#[test]
fn a_partial_report_says_nothing_of_other_sections() {
    let text = r#"{"deviceid": "a", "partial": true, "content": {"softwares": []}}"#;
    let report = &inventory(text)[0];
    assert!(report.partial);
    assert_eq!(report.softwares, Some(vec![]));
    assert_eq!((&report.network_cards, &report.antivirus, &report.tags, &report.name), (&None, &None, &None, &None));
    assert!(!kind::replaces(report, "Server"));
}

#[test]
fn the_handshakes_are_told_from_reports() {
    let prolog = "<?xml version=\"1.0\" encoding=\"UTF-8\" ?>\n<REQUEST>\n  <DEVICEID>a-1</DEVICEID>\
                  \n  <QUERY>PROLOG</QUERY>\n  <TOKEN>1</TOKEN>\n</REQUEST>\n";
    assert_eq!(parse(prolog.as_bytes()), Ok(Message::Prolog { device_id: "a-1".into() }));
    let contact = r#"{"action": "contact", "deviceid": "a-1", "name": "Agent", "version": "1.7",
        "installed-tasks": ["inventory"], "tag": "x"}"#;
    assert_eq!(
        parse(contact.as_bytes()),
        Ok(Message::Contact { device_id: "a-1".into(), agent: Some("Agent 1.7".into()), tag: Some("x".into()) })
    );
    assert_eq!(
        parse(br#"{"action": "get_params", "deviceid": "a-1"}"#),
        Ok(Message::Other { action: "get_params".into(), device_id: Some("a-1".into()) })
    );
    let progress = "<REQUEST><CONTENT><AGENT><START>1</START></AGENT></CONTENT><DEVICEID>a-1</DEVICEID>\
                    <QUERY>NETDISCOVERY</QUERY></REQUEST>";
    assert_eq!(
        parse(progress.as_bytes()),
        Ok(Message::Other { action: "netdiscovery".into(), device_id: Some("a-1".into()) })
    );
}

#[test]
fn one_network_report_may_hold_several_devices() {
    let text = "<REQUEST><CONTENT>
        <DEVICE><INFO><NAME>sw1</NAME><TYPE>NETWORKING</TYPE><SERIAL>S1S1S1</SERIAL><MANUFACTURER>Acme</MANUFACTURER>
          <MAC>00:1b:21:00:00:10</MAC><RAM>256</RAM><LOCATION>hall</LOCATION>
          <IPS><IP>127.0.0.1</IP><IP>10.0.0.2</IP><IP>10.0.0.3</IP></IPS></INFO>
          <PORTS><PORT><IFNAME>ge1</IFNAME><IFSTATUS>1</IFSTATUS><IFSPEED>1000000000</IFSPEED>
          <IFPORTDUPLEX>3</IFPORTDUPLEX><IFTYPE>6</IFTYPE><MAC>00:1b:21:00:00:11</MAC><IP>10.0.0.3</IP></PORT>
          <PORT><IFNUMBER>2</IFNUMBER><IFSTATUS>2</IFSTATUS></PORT></PORTS>
          <COMPONENTS><COMPONENT><NAME>fan</NAME></COMPONENT></COMPONENTS></DEVICE>
        <DEVICE><ERROR><ID>3</ID><MESSAGE>no answer</MESSAGE></ERROR></DEVICE>
        <DEVICE><INFO><TYPE>PRINTER</TYPE><MODEL>P 1</MODEL></INFO></DEVICE>
        <DEVICE><INFO><TYPE>PRINTER</TYPE><MODEL>P 2</MODEL><IPS><IP>10.0.0.4</IP></IPS></INFO></DEVICE>
        <MODULEVERSION>4.1</MODULEVERSION></CONTENT><DEVICEID>scanner</DEVICEID><QUERY>SNMPQUERY</QUERY></REQUEST>";
    let reports = inventory(text);
    assert_eq!(reports.len(), 2);
    let switch = &reports[0];
    assert_eq!(
        (switch.name.as_deref(), switch.location.as_deref(), switch.memory_mib),
        (Some("sw1"), Some("hall"), Some(256))
    );
    assert_eq!(switch.component_list(&[]), ["Component: fan"]);
    let cards = switch.network_cards.as_deref().unwrap();
    let brief: Vec<_> =
        cards.iter().map(|card| (card.network_name.as_str(), card.status.as_str(), card.ip_address.as_str())).collect();
    assert_eq!(brief, [("sw1", "", "10.0.0.2"), ("ge1", "UP", "10.0.0.3"), ("port 2", "DOWN", "")]);
    assert_eq!(cards[1].link_mode, "1 Gb/s full duplex");
    assert!(!switch.agent_installed() && !switch.partial);
    assert_eq!(switch.identity().iter().map(IdentityKey::kind).collect::<Vec<_>>(), ["serial", "mac"]);
    assert_eq!((reports[1].item_type, reports[1].model.as_deref()), (ItemType::Printer, Some("P 2")));
}

#[test]
fn a_discovery_empties_no_section() {
    let text = "<REQUEST><CONTENT><DEVICE><IP>10.0.0.9</IP><SNMPHOSTNAME>p9</SNMPHOSTNAME><TYPE>PRINTER</TYPE>
        <AUTHSNMP>1</AUTHSNMP></DEVICE></CONTENT><DEVICEID>scanner</DEVICEID><QUERY>NETDISCOVERY</QUERY></REQUEST>";
    let report = &inventory(text)[0];
    assert!(report.partial && report.softwares.is_none() && report.network_cards.is_none());
    assert_eq!((report.primary_ip.as_deref(), report.host_name.as_deref()), (Some("10.0.0.9"), Some("p9")));
    assert!(report.extra.is_empty());
}

#[test]
fn wrong_types_do_not_fail_a_report() {
    let text = r#"{"DEVICEID": ["box"], "content": {"HARDWARE": [{"NAME": 12, "memory": {"x": 1}, "uuid": []}],
        "softwares": {"name": "a", "version": true}, "networks": "none", "cpus": [1, "x", null, {}], "bios": "none",
        "operatingsystem": [], "antivirus": 3, "accountinfo": null, "inputs": [[[]]]}}"#;
    let report = &inventory(text)[0];
    assert_eq!((report.device_id.as_str(), report.name.as_deref(), report.memory_mib), ("box", Some("12"), None));
    assert_eq!(report.softwares.as_ref().map(|list| list[0].version.clone()), Some(Some("true".into())));
    assert_eq!(report.cpus, Some(vec![]));
}

#[test]
fn refusals_have_a_reason() {
    for (text, says) in [
        ("", "empty"),
        ("secret", "neither XML nor JSON"),
        ("[1]", "not an object"),
        ("{}", "deviceid: missing"),
        (r#"{"deviceid": " ", "content": {}}"#, "deviceid: missing or empty"),
        (r#"{"deviceid": "secret"}"#, "content: missing"),
        (r#"{"deviceid": "secret", "content": null}"#, "content: missing"),
        (r#"{"deviceid": "secret", "content": []}"#, "content: not an object"),
        (r#"{"action": "contact"}"#, "deviceid: missing"),
        ("<html></html>", "root element of the XML report is not REQUEST"),
        ("<REQUEST><QUERY>INVENTORY</QUERY><DEVICEID>secret</DEVICEID></REQUEST>", "content: missing"),
        ("<REQUEST><CONTENT/><DEVICEID>secret</DEVICEID></REQUEST>", "content: not an object"),
        ("<REQUEST><QUERY>PROLOG</QUERY></REQUEST>", "deviceid: missing"),
    ] {
        let message = refused(text);
        assert!(message.contains(says) && !message.contains("secret"), "{text}: {message}");
    }
    assert!(refused(&format!(r#"{{"deviceid": "{}", "content": {{}}}}"#, "x".repeat(600))).contains("longer than 512"));
    assert!(parse(b"{\"deviceid\": \"\xff\"}").unwrap_err().to_string().contains("byte 14"));
    assert_eq!(parse(b"\xff\xfe<\0").unwrap_err().kind(), ErrorKind::Malformed);
    assert!(parse(b"\xff\xfeh\0").unwrap_err().message().contains("neither XML nor JSON"));
    assert!(inventory(&format!("\u{feff} {JSON}")).len() == 1);
    for length in (0..XML.trim_end().len()).filter(|length| XML.is_char_boundary(*length)) {
        assert!(parse(&XML.as_bytes()[..length]).is_err(), "cut after {length}");
    }
    for length in 0..JSON.len() {
        assert!(parse(&JSON.as_bytes()[..length]).is_err(), "cut after {length}");
    }
}

/// The reports of the black-box tests, and those of a folder that `MUSTER_AGENT_REPORTS` names.
#[test]
fn whole_reports_are_read_whole() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/agent-reports");
    let more = std::env::var_os("MUSTER_AGENT_REPORTS").map(PathBuf::from);
    let folders = [Some(samples), more];
    let entries = folders.into_iter().flatten().flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let mut count = 0;
    for entry in entries {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let report = (name.ends_with(".json") || name.ends_with(".xml")) && !name.contains("schema");
        if !report {
            continue;
        }
        let Ok(Message::Inventory(reports)) = parse(&std::fs::read(&path).unwrap()) else {
            panic!("{name} is not an inventory")
        };
        for report in &reports {
            assert!(report.name.is_some() && (report.agent_version.is_some() || !report.agent_installed()), "{name}");
            assert!(report.identity().len() > usize::from(report.agent_installed()), "{name}: {:?}", report.identity());
            assert_ne!(kind::of(report).name, "Server", "{name}");
            assert!(report.extra_dropped.is_empty(), "{name}: {:?}", report.extra_dropped);
            if name.contains("partial") {
                assert!(report.partial && report.network_cards.is_none() && report.softwares.is_some());
            }
        }
        count += 1;
    }
    assert!(count >= 6, "{count} reports");
}
