//! The machine that the agent runs on.

use serde_json::{Map, Value};

use super::components;
use super::dates::parse_date;
use super::envelope::Envelope;
use super::extra;
use super::identity::{is_placeholder_serial, normal_make};
use super::model::{Bios, Os, Report, TAG_OPTION, Tag};
use super::network::{self, Network};
use super::node::{Node, Sections, leading_integer};
use super::software;

/// Reads the content of an inventory.
pub(super) fn read(envelope: &Envelope, content: &Node) -> Report {
    let sections = Sections::of(content);
    let mut report = envelope.report();
    report.agent_version = sections.text("versionclient");
    system(&mut report, &sections);
    firmware(&mut report, &sections);

    let hardware = sections.object("hardware");
    if sections.has("networks") {
        let gateway = hardware.text("defaultgateway").and_then(|text| network::addresses(&text).next());
        let Network { cards, primary_ip, primary_mac } =
            network::finish(network::read(sections.entries("networks")), gateway);
        report.network_cards = Some(cards);
        report.primary_ip = primary_ip;
        report.primary_mac = primary_mac;
    }
    if report.primary_ip.is_none() {
        // Older agents repeat all addresses in one field.
        let listed = hardware.text("ipaddr");
        report.primary_ip =
            listed.and_then(|text| network::addresses(&text).find(|ip| !ip.is_loopback()).map(|ip| ip.to_string()));
    }

    let lists = |name: &str| sections.has(name).then(|| sections.entries(name));
    report.softwares = lists("softwares").map(software::softwares);
    report.antivirus = lists("antivirus").map(software::antivirus);
    report.cpus = lists("cpus").map(cpus);
    report.consoles =
        lists("remote_mgmt").map(|entries| entries.iter().filter_map(|entry| object(entry)).take(64).collect());
    report.virtual_machines = lists("virtualmachines").map(|entries| {
        entries.iter().filter(|entry| entry.is_object()).take(4_096).map(|entry| entry.to_json()).collect()
    });
    tags(&mut report, &sections);
    report.keyboard_type = keyboard(&sections);
    report.encoding_type = encoding(&sections);
    report.components = components::read(&sections);
    let (extra, dropped) = extra::read(&sections, false);
    report.extra = extra;
    report.extra_dropped = dropped;
    if !report.partial {
        complete(&mut report);
    }
    report
}

/// Sections that a full report does not have are empty.
fn complete(report: &mut Report) {
    report.cpus.get_or_insert_default();
    report.network_cards.get_or_insert_default();
    report.softwares.get_or_insert_default();
    report.antivirus.get_or_insert_default();
    report.tags.get_or_insert_default();
    report.consoles.get_or_insert_default();
    report.virtual_machines.get_or_insert_default();
}

/// Name, operating system, memory and surroundings.
fn system(report: &mut Report, sections: &Sections<'_>) {
    let hardware = sections.object("hardware");
    let system = sections.object("operatingsystem");
    report.dns_name = system.text("fqdn");
    let first_label = |name: &str| name.split('.').next().map(str::to_owned);
    report.host_name = hardware.text("name").or_else(|| report.dns_name.as_deref().and_then(first_label));
    report.name = report.host_name.clone();
    report.domain = hardware.text("workgroup").or_else(|| system.text("dns_domain"));
    report.description = hardware.text("description");
    report.system_uuid = hardware.text("uuid");
    report.chassis = hardware.text("chassis_type");
    report.virtual_system = hardware.text("vmsystem").filter(|system| !system.eq_ignore_ascii_case("physical"));

    let slots = sections.entries("memories").iter().filter_map(|slot| slot.integer("capacity")).filter(|mib| *mib > 0);
    report.memory_mib = hardware.integer("memory").filter(|mib| *mib > 0).or_else(|| slots.reduce(i64::saturating_add));

    let os = Os {
        name: system.text("name").or_else(|| hardware.text("osname")),
        full_name: system.text("full_name").or_else(|| hardware.text("osname")),
        version: system.text("version"),
        kernel_name: system.text("kernel_name"),
        kernel_version: system.text("kernel_version").or_else(|| hardware.text("osversion")),
        arch: system.text("arch").or_else(|| hardware.text("archname")),
        service_pack: system.text("service_pack"),
        installed_at: system.text("install_date").and_then(|text| parse_date(&text)),
        booted_at: system.text("boot_time").and_then(|text| parse_date(&text)),
    };
    report.os = (os != Os::default()).then_some(os);
}

/// Serial number, make and model, of the first part that knows them.
fn firmware(report: &mut Report, sections: &Sections<'_>) {
    let bios = sections.object("bios");
    let real = |keys: &[&str]| keys.iter().find_map(|key| bios.text(key).filter(|text| !is_placeholder_serial(text)));
    // The serial numbers of an enclosure, which blades share, and of a board are facts of the firmware alone.
    report.serial_number = real(&["ssn", "biosserial"]);
    report.model = real(&["smodel", "mmodel"]);
    report.asset_tag = real(&["assettag"]);
    let makers = ["smanufacturer", "mmanufacturer", "bmanufacturer"];
    report.make = makers.iter().find_map(|key| bios.text(key).filter(|make| normal_make(make).is_some()));
    let facts = Bios {
        system_serial: bios.text("ssn"),
        system_model: bios.text("smodel"),
        system_manufacturer: bios.text("smanufacturer"),
        bios_manufacturer: bios.text("bmanufacturer"),
        bios_version: bios.text("bversion"),
        bios_date: bios.text("bdate"),
        board_serial: bios.text("msn"),
        enclosure_serial: bios.text("enclosureserial"),
        board_model: bios.text("mmodel"),
    };
    report.bios = (facts != Bios::default()).then_some(facts);
}

fn cpus(entries: &[&Node]) -> Vec<Map<String, Value>> {
    const TEXTS: &[(&str, &str)] = &[
        ("name", "name"),
        ("manufacturer", "manufacturer"),
        ("description", "description"),
        ("arch", "arch"),
        ("familyname", "familyName"),
        ("familynumber", "familyNumber"),
        ("model", "model"),
        ("id", "cpuId"),
    ];
    const NUMBERS: &[(&str, &str)] = &[
        ("speed", "speed"),
        ("core", "cores"),
        ("thread", "threads"),
        ("stepping", "stepping"),
        ("external_clock", "externalClock"),
    ];
    let read = |entry: &Node| {
        let mut cpu = Map::new();
        for (key, name) in TEXTS {
            if let Some(text) = entry.text(key) {
                cpu.insert((*name).to_owned(), Value::String(text));
            }
        }
        for (key, name) in NUMBERS {
            if let Some(number) = entry.integer(key) {
                cpu.insert((*name).to_owned(), Value::from(number));
            }
        }
        if let Some(serial) = entry.text("serial").filter(|serial| !is_placeholder_serial(serial)) {
            cpu.insert("serial".to_owned(), Value::String(serial));
        }
        cpu
    };
    entries.iter().take(1_024).map(|entry| read(entry)).filter(|cpu| !cpu.is_empty()).collect()
}

fn object(entry: &Node) -> Option<Map<String, Value>> {
    match entry.to_json() {
        Value::Object(map) if !map.is_empty() => Some(map),
        _ => None,
    }
}

/// The tags of `ACCOUNTINFO`, where agents of old also have their `tag` option.
fn tags(report: &mut Report, sections: &Sections<'_>) {
    let mut tags = Vec::new();
    for entry in sections.entries("accountinfo").iter().take(256) {
        let (Some(name), Some(value)) = (entry.text("keyname"), entry.text("keyvalue")) else {
            continue;
        };
        if name == TAG_OPTION {
            report.tag.get_or_insert(value);
            continue;
        }
        let tag = Tag { name, value };
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    report.tags = sections.has("accountinfo").then_some(tags);
}

/// The first input that is a keyboard, by its layout or by its name.
fn keyboard(sections: &Sections<'_>) -> Option<String> {
    let inputs = sections.entries("inputs");
    let name = |input: &Node| input.first(&["caption", "name", "description"]);
    let is_keyboard = |input: &Node| {
        input.get("pointingtype").is_none()
            && (input.text("layout").is_some()
                || name(input).is_some_and(|name| {
                    let name = name.to_lowercase();
                    name.contains("keyboard") || name.contains("clavier")
                }))
    };
    let input = inputs.iter().find(|input| is_keyboard(input))?;
    match (name(input), input.text("layout")) {
        (Some(name), Some(layout)) if leading_integer(&layout).is_some() => Some(format!("{name} ({layout})")),
        (name, layout) => name.or(layout),
    }
}

/// `UTF-8` of `LANG=de_DE.UTF-8`. Only this one variable is read: the
/// environment is full of secrets and is not kept.
fn encoding(sections: &Sections<'_>) -> Option<String> {
    let value = |wanted: &str| {
        let mut entries = sections.entries("envs").iter();
        entries.find(|entry| entry.text("key").is_some_and(|key| key == wanted)).and_then(|entry| entry.text("val"))
    };
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| value(name))?;
    let (_, charset) = locale.split_once('.')?;
    let charset = charset.split('@').next()?;
    (!charset.is_empty() && charset.len() <= 32).then(|| charset.to_uppercase())
}
