//! Reports of machines, as an inventory agent of today sends them: zlib over JSON, a thousand packages each.

use std::io::Write as _;

use anyhow::Result;
use flate2::{Compression, write::ZlibEncoder};
use serde_json::{Value, json};

/// Packages on each machine.
pub const PACKAGES: usize = 1000;

/// The report of one machine, as it is sent. Machines have the same packages, and nothing else in common.
pub fn report(number: usize) -> Result<Vec<u8>> {
    let host = format!("node-{number:06}");
    let serial = format!("BN{number:08}");
    let uuid = format!("4c4c4544-0042-4010-8048-{number:012x}");
    let [_, a, b, c] = u32::try_from(number)?.to_be_bytes();
    let card = |card: usize| {
        json!({
            "description": format!("eth{card}"), "type": "ethernet", "status": "up", "virtualdev": false,
            "mac": format!("3c:ec:ef:{:02x}:{b:02x}:{c:02x}", usize::from(a) * 2 + card), "speed": "10000",
            "ipaddress": format!("10.{}.{b}.{c}", 100 + card), "ipmask": "255.255.0.0", "driver": "i40e",
            "ipsubnet": format!("10.{}.0.0", 100 + card),
        })
    };
    let memory = |slot: usize| {
        json!({
            "capacity": 32768, "caption": format!("P0 CHANNEL {slot}"), "description": "DDR4", "numslots": slot,
            "manufacturer": "Samsung", "serialnumber": format!("{number:06}{slot:02}"), "speed": "3200", "type": "DDR4",
        })
    };
    let disk = |disk: usize| {
        json!({
            "description": "NVMe", "disksize": 3_840_755, "firmware": "GDC7302Q", "manufacturer": "Samsung",
            "model": "MZQL23T8HCLS-00A07", "name": format!("nvme{disk}n1"), "serial": format!("S64G{number:06}{disk}"),
        })
    };
    let drive = |place: &str| {
        json!({
            "filesystem": "ext4", "free": 31_683, "total": 60_189, "type": place,
            "volumn": format!("/dev/mapper{place}"),
        })
    };
    let drives = ["/", "/var", "/home", "/srv"].map(drive);
    let cpu = json!({
        "arch": "x86_64", "core": 32, "thread": 64, "familynumber": "25", "model": "1", "stepping": 1, "speed": 2450,
        "manufacturer": "AMD", "name": "AMD EPYC 7543 32-Core Processor",
    });
    let report = json!({
        "action": "inventory", "deviceid": format!("{host}-2026-01-02-03-04-05"), "itemtype": "Computer",
        "content": {
            "versionclient": "GLPI-Agent_v1.15-1",
            "hardware": {
                "name": host, "uuid": uuid, "memory": 262_144, "swap": 8191, "chassis_type": "Rack Mount Chassis",
                "vmsystem": "Physical", "defaultgateway": "10.100.0.1", "dns": "10.100.0.2",
            },
            "bios": {
                "bdate": "2023-02-06", "bmanufacturer": "American Megatrends Inc.", "bversion": "2.6",
                "smanufacturer": "Supermicro", "smodel": "AS-2024US-TRT", "ssn": serial, "msn": format!("M{serial}"),
            },
            "operatingsystem": {
                "arch": "x86_64", "name": "Debian GNU/Linux", "version": "13 (trixie)", "kernel_name": "linux",
                "kernel_version": "6.12.48+deb13-amd64", "full_name": "Debian GNU/Linux 13 (trixie)",
                "fqdn": format!("{host}.example.net"), "boot_time": "2026-01-01 00:00:00",
                "install_date": "2025-09-01 00:00:00",
            },
            "cpus": [cpu, cpu],
            "memories": (0..8).map(memory).collect::<Vec<Value>>(),
            "storages": (0..4).map(disk).collect::<Vec<Value>>(),
            "drives": drives,
            "networks": (0..2).map(card).collect::<Vec<Value>>(),
            "users": [{"login": "root"}],
            "softwares": (0..PACKAGES).map(package).collect::<Vec<Value>>(),
        },
    });
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(report.to_string().as_bytes())?;
    Ok(encoder.finish()?)
}

/// A package: names and lengths as on a Debian server.
fn package(number: usize) -> Value {
    const STEMS: [&str; 10] =
        ["glib", "perl-modules", "python3-yaml", "systemd", "xml", "curl", "krb5", "ssl", "nftables", "zstd"];
    const ENDINGS: [&str; 4] = ["", "-dev", "-common", "-dbg"];
    let stem = STEMS[number % STEMS.len()];
    let ending = ENDINGS[number / STEMS.len() % ENDINGS.len()];
    json!({
        "arch": "amd64", "from": "deb", "name": format!("lib{stem}{}{ending}", number / (STEMS.len() * ENDINGS.len())),
        "comments": format!("shared library {number} of {stem}, runtime files"), "filesize": 4096 * (number + 1),
        "publisher": "Debian Developers <debian-devel@lists.debian.org>", "system_category": "libs",
        "version": format!("{}.{}.{}-{}+deb13u1", number % 7, number % 31, number % 13, number % 5 + 1),
        "install_date": format!("2025-09-{:02}", number % 28 + 1),
    })
}
