//! What the server itself puts into every database: templates, of which the many resources are copies, and a few
//! resources that the filters are to find among them ("needles").
//!
//! Templates have [`SLOTS`] where each copy has something of its own. Needles have values that no template has; there
//! are [`NEEDLES`] of each kind, so that every filter finds as many in a small database as in a large one.

use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::{
    http::Connection,
    server::{self, Server},
    slots::{FAMILY, IP, MAC, NUMBER},
};

/// How many resources each filter finds.
pub const NEEDLES: usize = 10;

/// Copies of a template.
pub struct Template {
    /// The id of the resource that is copied.
    pub id: String,
    /// Whether it is history: an eighth as many are added to the resources that are listed.
    pub history: bool,
}

/// What was made, by its ids.
pub struct Seed {
    /// What is copied.
    pub templates: Vec<Template>,
    /// The needles, as they are remembered beside a database.
    pub needles: Value,
}

/// Sets of needles, and when all that has a time in them happened.
pub const NEWEST: [&str; 2] = ["listed", "history"];
/// As [`NEWEST`].
pub const OLDEST: [&str; 2] = ["oldest", "oldestHistory"];

/// Fills an empty data directory.
pub fn plant(data_dir: &Path) -> Result<Seed> {
    let server = Server::start(data_dir)?;
    let mut seeder = Seeder { connection: server.connect()?, server: &server };
    let templates = seeder.templates()?;
    let needles = seeder.needles()?;
    server.stop()?;
    Ok(Seed { templates, needles })
}

struct Seeder<'s> {
    server: &'s Server,
    connection: Connection,
}

impl Seeder<'_> {
    fn post(&mut self, path: &str, body: &Value) -> Result<Value> {
        self.server.post(&mut self.connection, path, body)
    }

    fn create(&mut self, body: &Value) -> Result<String> {
        let created = self.post("/resources", body)?;
        Ok(created["resourceUUID"].as_str().context("no resourceUUID")?.to_owned())
    }

    fn decommission(&mut self, id: &str) -> Result<()> {
        self.post(&format!("/resources/{id}/decommission"), &json!({"reason": "replaced"})).map(drop)
    }

    fn group(&mut self, kind: &str, name: &str, members: &[String]) -> Result<Value> {
        let id = self.post(&format!("/{kind}"), &json!({"name": name}))?["id"].clone();
        let members: Vec<Value> = members.iter().map(|id| json!({"id": id})).collect();
        self.post(&format!("/{kind}/{id}/childs"), &members.into())?;
        Ok(id)
    }

    fn templates(&mut self) -> Result<Vec<Template>> {
        let mut templates = Vec::new();
        for (number, (word, kind)) in KINDS.iter().enumerate() {
            self.post("/sites", &json!({"name": format!("Site {number}"), "city": "Bergen"}))?;
            let id = self.create(&template(number, word, kind))?;
            self.group("deviceGroups", &format!("Rack {number}"), std::slice::from_ref(&id))?;
            self.group("serviceGroups", &format!("Service {number}"), std::slice::from_ref(&id))?;
            templates.push(Template { id, history: false });
        }
        let mut gone = template(KINDS.len(), "old", "Linux");
        cloud(&mut gone, KINDS.len());
        // What has no instance was no cloud instance, so that few in history were.
        gone["instanceId"] = Value::Null;
        gone["location"] = json!({"name": "Site 0"});
        let id = self.create(&gone)?;
        self.decommission(&id)?;
        templates.push(Template { id, history: true });
        Ok(templates)
    }

    fn needles(&mut self) -> Result<Value> {
        let site = self.post("/sites", &json!({"name": "Zneedle Site"}))?["id"].clone();
        let listed = self.several(|number| needle(number, "a"))?;
        let history = self.several(|number| {
            let mut body = needle(number, "c");
            body["type"] = "SQL_SERVER".into();
            body
        })?;
        let ebs =
            self.several(|number| json!({"name": format!("ebs {number}"), "type": "EBS", "agentInstalled": true}))?;
        let inactive = self.several(|number| json!({"name": format!("off {number}"), "state": "inactive"}))?;
        let discovered = self.several(|number| json!({"name": format!("new {number}"), "state": "discovered"}))?;
        let old = |number: usize| {
            json!({"name": format!("old {number}"), "agentInstalled": true,
                "launchDate": "2024-01-01T00:00:00Z"})
        };
        let oldest = self.several(old)?;
        let oldest_history = self.several(old)?;
        for id in history.iter().chain(&oldest_history) {
            self.decommission(id)?;
        }
        let device_group = self.group("deviceGroups", "Zneedle Rack", &listed)?;
        let service_group = self.group("serviceGroups", "Zneedle Service", &listed)?;
        let types = self.connection.exchange(&self.server.get("/resourceType/minimal"))?.ok()?.json()?;
        let types = types.as_array().context("no resource types")?;
        let own = types.iter().find(|kind| kind["name"] == "Zneedle Type").context("no resource type of its own")?;
        Ok(json!({
            "listed": listed, "history": history, "ebs": ebs, "inactive": inactive, "discovered": discovered,
            "oldest": oldest, "oldestHistory": oldest_history, "site": site, "deviceGroup": device_group,
            "serviceGroup": service_group, "resourceType": own["id"],
        }))
    }

    fn several(&mut self, body: impl Fn(usize) -> Value) -> Result<Vec<String>> {
        (0..NEEDLES).map(|number| self.create(&body(number))).collect()
    }
}

/// A word in the names, and the resource type. Half of them have `web` in their names.
const KINDS: [(&str, &str); 8] = [
    ("web", "Linux"),
    ("db", "Linux"),
    ("web", "Windows"),
    ("mail", "Unix"),
    ("webapp", "Linux"),
    ("core", "Switch"),
    ("web", "Linux"),
    ("node", "ESX"),
];

/// A machine as it is described through the interface. Names have no `z`, which is the needles' own.
fn template(number: usize, word: &str, kind: &str) -> Value {
    let host = format!("{word}-{NUMBER}");
    let mac = format!("00:1{number}:{MAC}");
    let mut body = json!({
        "hostName": host, "resourceName": host, "resourceType": kind, "ipAddress": IP, "macAddress": mac,
        "serialNumber": format!("SN{number}{NUMBER}"),
        "systemUID": format!("4c4c4544-000{number}-4010-8048-b6c0{NUMBER}"),
        "make": "Dell Inc.", "model": "PowerEdge R650", "os": "Debian GNU/Linux 13", "osArchitecture": "x86_64",
        "description": "Second row, left", "physicalMemory": "131072", "agentInstalled": true, "source": "API",
        "template": format!("Standard {FAMILY}"), "agentProfile": format!("Profile {FAMILY}"),
        "gatewayProfile": format!("Gateway {FAMILY}"), "installedIntgId": format!("INTG-{FAMILY}"),
        "location": {"name": format!("Site {number}")},
        "tags": [{"name": "env", "value": "production"}, {"name": format!("team-{number}"), "value": "infrastructure"}],
        "appRoles": [{"name": "nginx"}],
        "bios": {"systemSerial": format!("SN{number}{NUMBER}"), "systemModel": "PowerEdge R650"},
        "cpus": [{"name": "Intel(R) Xeon(R) Gold 6338", "cores": 32},
            {"name": "Intel(R) Xeon(R) Gold 6338", "cores": 32}],
        "networkCardDetails": [{"networkName": "eth0", "status": "up", "ipAddress": IP, "macAddress": mac}],
        "components": ["System Board", "Memory", "Disk"],
    });
    if number.is_multiple_of(2) {
        body["dnsName"] = format!("{host}.lan").into();
    }
    if number % 4 == 1 {
        body["aliasName"] = format!("shop {NUMBER}").into();
    }
    if number == 4 {
        cloud(&mut body, number);
    }
    body
}

fn cloud(body: &mut Value, number: usize) {
    for (name, value) in [
        ("provider", "AWS".to_owned()),
        ("instanceId", format!("i-0{number}{NUMBER}")),
        ("instanceType", format!("m5.{FAMILY}")),
        ("instanceState", "running".to_owned()),
        ("accountNumber", format!("4711{FAMILY}")),
        ("owner", format!("owner-{FAMILY}")),
        ("zone", format!("zone-{FAMILY}")),
        ("region", "eu-north-1".to_owned()),
        ("ami", format!("ami-{FAMILY}")),
        ("hostedServiceName", format!("service-{FAMILY}")),
        ("launchDate", "2025-01-01T00:00:00Z".to_owned()),
    ] {
        body[name] = value.into();
    }
}

/// A resource that has all the values which no template has. Its host name and its alias also have a part that
/// many others have in their host names.
fn needle(number: usize, letter: &str) -> Value {
    let third = if letter == "a" { 255 } else { 254 };
    let mut body = json!({
        "hostName": format!("zhneedle{number}web"), "dnsName": format!("zdneedle{number}.lan"),
        "resourceName": format!("zrneedle{number}"), "aliasName": format!("zaneedle{number}web"),
        "serialNumber": format!("ZSN-{letter}-{number}"),
        "systemUID": format!("5a5a5a5a-000{letter}-4010-8048-{number:012}"),
        "ipAddress": format!("172.31.{third}.{}", number + 1), "make": "Dell Inc.", "resourceType": "Zneedle Type",
        "agentInstalled": false, "template": "Zneedle template", "agentProfile": "Zneedle agent profile",
        "gatewayProfile": "Zneedle gateway profile", "installedIntgId": "INTG-zneedle",
        "location": {"name": "Zneedle Site"},
        "tags": [{"name": "zneedle", "value": "yes"}, {"name": "env", "value": "test"}],
        "appRoles": [{"name": "zookeeper"}], "launchDate": "2025-01-01T00:00:00Z",
        "instanceId": format!("i-zneedle-{letter}-{number}"),
    });
    for name in [
        "provider",
        "instanceType",
        "accountNumber",
        "owner",
        "zone",
        "region",
        "ami",
        "hostedServiceName",
        "instanceState",
    ] {
        body[name] = format!("zneedle {name}").into();
    }
    body
}

/// The data directory's database.
pub fn database(data_dir: &Path) -> std::path::PathBuf {
    data_dir.join(server::FILE)
}
