//! A small shop's machines, for `--demo`: three sites, groups, servers that an agent reported, cloud resources, a
//! synthetic check, and one machine in history.

use base::{body::Request as _, matching::Meter, tenant::TenantId, timestamp::Timestamp};
use db::{Db, Result};
use outbox::{Actor, Tx};
use serde_json::{Value, json};

use crate::{
    agents,
    groups::{
        changes::{self, GroupAccess},
        input::GroupEntries,
        kind::Kind,
    },
    reports::{self, Message},
    resources::{changes as resource_changes, http, input::Input, rules, store},
    sites,
};

/// A device group that has members.
pub const GROUP: &str = "Web servers";
/// The host name of a machine.
pub const HOST: &str = "db-01";

/// Host name, site, address, processors, what runs on it.
type Machine = (&'static str, &'static str, &'static str, u32, &'static [(&'static str, &'static str, &'static str)]);

const MACHINES: [Machine; 7] = [
    ("web-01", "Vienna", "10.1.0.11", 4, &[("nginx", "1.26.3-3", "Debian"), ("openssl", "3.5.1-1", "Debian")]),
    ("web-02", "Vienna", "10.1.0.12", 4, &[("nginx", "1.26.3-3", "Debian"), ("openssl", "3.5.1-1", "Debian")]),
    (HOST, "Vienna", "10.1.0.21", 16, &[("postgresql-17", "17.5-1", "Debian"), ("openssl", "3.5.1-1", "Debian")]),
    ("cache-01", "Austin", "10.2.0.31", 8, &[("redis-server", "8.0.2-3", "Debian")]),
    (
        "queue-01",
        "Austin",
        "10.2.0.41",
        8,
        &[("rabbitmq-server", "4.0.5-3", "Debian"), ("erlang-base", "27.3", "Debian")],
    ),
    ("mail-01", "Singapore", "10.3.0.51", 2, &[("postfix", "3.10.3-2", "Debian"), ("opendkim", "2.11.0", "Debian")]),
    ("old-web", "Vienna", "10.1.0.99", 2, &[("apache2", "2.4.57-2", "Debian")]),
];

/// Fills the inventory of one tenant; leaves one that has resources as it is. Says whether it did anything.
pub fn fill(db: &Db, partner: &TenantId, tenant: &TenantId, now: Timestamp) -> Result<bool> {
    let partner = partner.to_string();
    let tenant = tenant.to_string();
    let actor = Actor::without_change_set("", "demo", "");
    db.write_here(move |conn| Tx::run(conn, &actor, now, |tx| fill_empty(tx, &partner, &tenant)))
}

fn fill_empty(tx: &mut Tx<'_>, partner: &str, tenant: &str) -> Result<bool> {
    if store::any(tx.conn, tenant)? {
        return Ok(false);
    }
    let now = tx.now;
    for (name, city, country) in
        [("Vienna", "Vienna", "Austria"), ("Austin", "Austin", "USA"), ("Singapore", "Singapore", "Singapore")]
    {
        let name = name.to_owned();
        let city = city.to_owned();
        let country = country.to_owned();
        let new = sites::wire::NewSite { name, city, country, ..sites::wire::NewSite::default() };
        let id = db::next_id(tx.conn, "sites")?;
        sites::store::insert(tx.conn, &sites::rules::created(new, tenant.to_owned(), id, now))?;
    }
    let access = GroupAccess { tenant: tenant.to_owned(), partner: partner.to_owned(), scope: vec![tenant.to_owned()] };
    for (kind, body) in groups() {
        let all = match GroupEntries::read(kind, &body, &Meter::new(Meter::REQUEST))? {
            GroupEntries::One(new) => vec![new],
            GroupEntries::Many(all) => all,
        };
        changes::save(tx.conn, &access, kind, &all, |index| format!("[{index}]."), None, now)?;
    }
    for machine in MACHINES {
        report(tx, partner, tenant, machine)?;
    }
    for body in cloud_resources_and_checks() {
        create(tx, partner, tenant, &body)?;
    }
    retire(tx, partner, tenant)?;
    Ok(true)
}

fn groups() -> [(Kind, Value); 2] {
    let by_role =
        |role: &str| json!({"matchType": "ALL", "rules": [{"key": "appRoles", "operator": "Equals", "value": role}]});
    let device = json!([
        {"name": "Shop servers", "description": "Everything the shop runs on"},
        {"name": GROUP, "parent": {"name": "Shop servers"}, "filterCriteria": by_role("nginx")},
        {"name": "Databases", "parent": {"name": "Shop servers"}, "filterCriteria": by_role("postgresql")},
    ]);
    let service = json!({
        "name": "Checkout",
        "filterCriteria": {"matchType": "ANY",
            "rules": [{"key": "hostName", "operator": "Regex", "value": "^(web|db|cache)-"}]}
    });
    [(Kind::Device, device), (Kind::Service, service)]
}

/// What an agent on the machine would send.
fn report(tx: &mut Tx<'_>, partner: &str, tenant: &str, (host, site, address, cores, software): Machine) -> Result<()> {
    let softwares: Vec<Value> = software
        .iter()
        .map(|(name, version, vendor)| json!({"name": name, "version": version, "publisher": vendor, "from": "deb"}))
        .collect();
    let octets: Vec<u8> = address.split('.').filter_map(|part| part.parse().ok()).collect();
    let mac = octets.iter().fold("3c:ec".to_owned(), |mac, octet| format!("{mac}:{octet:02x}"));
    let message = json!({
        "action": "inventory", "deviceid": format!("{host}-2026-01-05-08-00-00"), "itemtype": "Computer",
        "content": {
            "hardware": {"name": host, "memory": cores * 4096, "uuid": uuid::Uuid::new_v4().to_string(),
                "chassis_type": "Rack Mount Chassis"},
            "bios": {"smanufacturer": "Supermicro", "smodel": "SYS-111C-NR",
                "ssn": format!("SM{}", address.replace('.', ""))},
            "operatingsystem": {"kernel_name": "linux", "name": "Debian", "full_name": "Debian GNU/Linux 13 (trixie)",
                "version": "13", "arch": "x86_64", "fqdn": format!("{host}.shop.example")},
            "cpus": [{"name": "AMD EPYC 9124", "manufacturer": "AMD", "core": cores, "thread": cores * 2,
                "speed": 3000}],
            "networks": [{"description": "eth0", "ipaddress": address, "ipmask": "255.255.255.0", "mac": mac,
                "status": "up", "type": "ethernet"}],
            "softwares": softwares,
            "versionclient": "demo"
        }
    });
    let fault = |_| db::Error::Fault("a demo report is not understood".to_owned());
    let Message::Inventory(all) = reports::parse(message.to_string().as_bytes()).map_err(fault)? else { return Ok(()) };
    for report in &all {
        let (agents::IngestOutcome::Created(id)
        | agents::IngestOutcome::Updated(id)
        | agents::IngestOutcome::Unchanged(id)) = agents::ingest(tx, partner, tenant, report)?.outcome;
        let row = store::find_current(tx.conn, &[tenant.to_owned()], &id)?.ok_or_else(|| rules::no_resource(&id))?;
        let before = row.clone().into_resource()?;
        let input = Input::parse(&json!({
            "location": {"name": site}, "tags": [{"name": "env", "value": "production"},
                {"name": "owner", "value": "shop"}]
        }))?;
        let mut after = rules::update(&input, &before, tx.now)?;
        http::resolve(tx.conn, &input, &mut after)?;
        store::update(tx.conn, partner, &row, &after)?;
        resource_changes::record_change(tx, Some(&before), Some(&after))?;
    }
    Ok(())
}

fn cloud_resources_and_checks() -> [Value; 4] {
    [
        json!({
            "hostName": "shop-worker-1", "resourceType": "Linux", "provider": "AWS", "accountNumber": "210987654321",
            "instanceId": "i-0c0ffee0c0ffee001", "instanceType": "m7g.large", "instanceState": "running",
            "region": "eu-central-1", "zone": "eu-central-1a", "ami": "ami-0123456789abcdef0", "owner": "210987654321",
            "privateIp": "172.31.4.17", "ipAddress": "172.31.4.17", "launchDate": "2026-03-02T09:30:00+0000",
            "tags": [{"name": "env", "value": "production"}]
        }),
        json!({
            "type": "EBS", "name": "vol-shop-data", "resourceName": "vol-shop-data", "provider": "AWS",
            "accountNumber": "210987654321", "instanceId": "vol-0d15c0d15c0d15c01", "region": "eu-central-1"
        }),
        json!({
            "type": "LOAD_BALANCER", "name": "shop-lb", "resourceName": "shop-lb", "provider": "AWS",
            "accountNumber": "210987654321", "instanceId": "lb-0ba1a0ba1a0ba1a01", "region": "eu-central-1"
        }),
        json!({
            "type": "SYNTHETIC", "name": "Shop front page", "checkType": "HTTP", "url": "https://shop.example/",
            "host": "shop.example", "credential": {"port": 443, "secure": true, "timeoutMs": 5000},
            "locationUuids": ["6f3b9f0e-3a59-4f0c-9a1c-0d7c5d0f4b11", "b0e0c8a2-52f7-4c6e-8f4e-7a1f2f0f9c22"]
        }),
    ]
}

fn create(tx: &mut Tx<'_>, partner: &str, tenant: &str, body: &Value) -> Result<()> {
    http::create_in(tx, partner, tenant, &Input::parse(body)?).map(drop)
}

/// One machine has been replaced.
fn retire(tx: &mut Tx<'_>, partner: &str, tenant: &str) -> Result<()> {
    for row in store::find_by_host_name(tx.conn, tenant, "old-web")? {
        let before = row.into_resource()?;
        store::decommission(tx.conn, partner, &rules::decommission(&before, "replaced by web-02", tx.now))?;
        resource_changes::record_change(tx, Some(&before), None)?;
    }
    Ok(())
}
