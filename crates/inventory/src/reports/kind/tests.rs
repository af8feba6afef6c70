use super::*;
use crate::reports::model::{NetworkCard, Os};

fn machine(kernel: &str, name: &str, chassis: &str, within: &str) -> Report {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Report {
        os: Some(Os { kernel_name: some(kernel), full_name: some(name), ..Os::default() }),
        chassis: some(chassis),
        virtual_system: some(within),
        ..Report::default()
    }
}

#[test]
fn the_seed_holds_each_path_once_and_ends_it_with_the_name() {
    let mut paths: Vec<_> = SEED.iter().map(|(_, path)| *path).collect();
    assert!(SEED.iter().all(|(name, path)| path.rsplit(" >> ").next() == Some(name)));
    paths.sort_unstable();
    paths.dedup();
    assert_eq!(paths.len(), SEED.len());
}

#[test]
fn computers_by_system_and_chassis() {
    let machines = "\
            linux|Debian GNU/Linux 12 (bookworm)|Rack Mount Chassis||Server >> Linux \n\
            linux|Debian GNU/Linux 12 (bookworm)|||Server >> Linux \n\
            linux|Ubuntu 24.04 LTS|Laptop||Workstation >> Linux \n\
            linux|Ubuntu 24.04 LTS|Desktop|Hyper-V|Server >> Linux \n\
            linux|Fedora 31 (Workstation Edition)|Other|KVM|Workstation >> Linux \n\
            MSWin32|Microsoft Windows Server 2022 Standard|Tower||Server >> Windows \n\
            MSWin32|Microsoft Windows 11 Pro|Other|VMware|Workstation >> Windows \n\
            MSWin32|Microsoft Windows 8.1 Professionnel|Notebook||Workstation >> Windows \n\
            darwin|Mac OS X|||Workstation >> macOS \n\
            freebsd|FreeBSD|Tower||Server >> Unix \n\
            VMkernel|VMware ESXi|||Server >> ESX \n\
            ||Mini Tower||Workstation \n\
            ||||Server \n\
            ";
    for line in machines.lines().filter(|line| line.contains('|')) {
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        let [kernel, name, chassis, within, kind] = fields[..] else { panic!("{line}") };
        assert_eq!(of(&machine(kernel, name, chassis, within)).path, kind, "{line}");
    }
}

#[test]
fn devices_by_their_description() {
    let device = |description: &str| Report {
        item_type: ItemType::NetworkEquipment,
        description: Some(description.to_owned()),
        ..Report::default()
    };
    assert_eq!(of(&device("ProCurve J9020A Switch 2510-48")).name, "Switch");
    assert_eq!(of(&device("FortiGate-60F")).name, "Firewall");
    assert_eq!(of(&device("RouterOS RB4011")).path, "Network Device >> Router");
    assert_eq!(of(&device("a box")).name, "Network Device");
    let ports = Report { network_cards: Some(vec![NetworkCard::default(); 8]), ..device("a box") };
    assert_eq!(of(&ports).name, "Switch");
    let phone = |make: &str, item_type| Report { item_type, make: Some(make.to_owned()), ..machine("", "", "", "") };
    assert_eq!(of(&phone("Apple", ItemType::Phone)).name, "iOS");
    assert_eq!(of(&phone("Xerox", ItemType::Printer)).name, "Printer");
}

#[test]
fn a_report_that_says_less_replaces_no_type() {
    let full = machine("linux", "Debian", "", "");
    let partial = |report: &Report| Report { partial: true, ..report.clone() };
    assert!(replaces(&full, "Workstation >> Windows") && !replaces(&partial(&full), "Workstation >> Windows"));
    assert!(replaces(&Report { chassis: Some("Laptop".to_owned()), ..partial(&full) }, "Server >> Linux"));
    let unsaid = machine("", "", "Tower", "");
    assert!(!replaces(&unsaid, "Server >> Linux") && replaces(&unsaid, "Server") && replaces(&unsaid, "Printer"));

    let device = Report { item_type: ItemType::NetworkEquipment, ..Report::default() };
    let ports = Report { network_cards: Some(vec![NetworkCard::default(); 8]), ..device.clone() };
    let named = Report { model: Some("FortiGate-60F".to_owned()), ..device.clone() };
    for known in ["Network Device >> Firewall", "Network Device >> Load Balancer"] {
        assert!(!replaces(&device, known) && !replaces(&ports, known), "{known}");
    }
    assert!(replaces(&device, "Unmanaged") && replaces(&ports, "Network Device"));
    assert!(!replaces(&partial(&device), "Unmanaged"));
    assert!(replaces(&named, "Network Device >> Switch") && replaces(&partial(&named), "Network Device"));

    let phone = Report { item_type: ItemType::Phone, ..Report::default() };
    assert!(!replaces(&phone, "Mobile >> Android") && replaces(&phone, "Other"));
    let unmanaged = Report { item_type: ItemType::Unmanaged, ..Report::default() };
    assert!(!replaces(&unmanaged, "Printer"));
}
