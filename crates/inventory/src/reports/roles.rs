//! Application roles: which of the known applications a machine runs, told by
//! what is installed on it.
//!
//! Only what serves counts. A client, a library, a plugin or a manual of an
//! application is on every second machine and makes none of them its server.

use std::collections::HashMap;
use std::sync::LazyLock;

use base::text::listed;

use super::model::{Report, Software};

/// Every role there is; `appRoles` takes no other value.
pub const APP_ROLES: [&str; 45] = listed(
    "activemq apache cassandra ceph couchbase couchdb dns-server docker docker-container elasticsearch haproxy hbase \
    hdfs-datanode hdfs-namenode iptable jboss kafka kubernetes kvm lighttpd memorystats mesosmaster mesosslave mongodb \
    monitd moxi-server mysql nfsiostat nginx ntp openvpn oracle postfix postgresql rabbitmq redis riak solr spark \
    squid tomcat varnish weblogic websphere zookeeper",
);

/// Packages, each line with the role that they give; a role may have several. `#` stands for a version: `postgresql-#`
/// is `postgresql-15` and `postgresql-9.6`, and not `postgresql-15-postgis-3`. No package makes a machine a
/// `memorystats`, and containers are seen running, not installed.
const PACKAGES: &str = include_str!("roles/packages.txt");

/// Products, as Windows and macOS list them: the words that a name begins with, before a version or an edition.
const PRODUCTS: &str = include_str!("roles/products.txt");

/// Roles by package name with `#` for versions.
static BY_PACKAGE: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| entries(PACKAGES).collect());

/// Roles by the first words of a product.
static BY_PRODUCT: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| entries(PRODUCTS).collect());

/// The names of a table, each with its role.
fn entries(table: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = table.lines().filter_map(|line| line.split_once(": "));
    lines.flat_map(|(role, names)| names.split(", ").map(move |name| (name, role)))
}

/// Names that are the server in other distributions and the client in an RPM one.
const RPM_CLIENTS: [&str; 6] = ["mariadb", "mongodb", "mongodb#", "mysql", "postgresql", "postgresql#"];

/// Words in a product's name that make it something beside the server.
const BESIDE: &str = "\
    adapter admin agent backup bindings browser client clients compass connect connector connectors development devel \
    docs documentation driver drivers examples exporter gui headers installer jdbc libraries library manager manual \
    monitor notifier odbc pgadmin plugin samples sdk shell studio tools utilities viewer workbench";

/// Words that may follow a product's name without making it another product.
const EDITIONS: &str = "community edition enterprise express lts release server standard version xe";

/// The role of a machine on which containers run, whatever is installed on it.
const CONTAINERS: &str = "docker-container";

/// The roles that a report tells of its machine, in alphabetical order.
#[must_use]
pub fn of(report: &Report) -> Vec<&'static str> {
    let mut roles: Vec<_> = report.softwares.iter().flatten().filter_map(role_of_software).collect();
    let text = |machine: &serde_json::Value, key: &str| {
        machine.get(key).and_then(|value| value.as_str()).map(str::to_ascii_lowercase)
    };
    let runs = |machine: &serde_json::Value| {
        text(machine, "vmtype").as_deref() == Some("docker") && text(machine, "status").as_deref() == Some("running")
    };
    if report.virtual_machines.iter().flatten().any(runs) {
        roles.push(CONTAINERS);
    }
    roles.sort_unstable();
    roles.dedup();
    roles
}

/// Whether a report says if its machine has a role: it has the section that tells.
#[must_use]
pub fn is_told(report: &Report, role: &str) -> bool {
    if role == CONTAINERS { report.virtual_machines.is_some() } else { report.softwares.is_some() }
}

/// The role that one installed application gives its machine.
#[must_use]
pub fn role_of_software(software: &Software) -> Option<&'static str> {
    let name = software.name.trim().to_lowercase();
    if name.contains(' ') {
        return role_of_product(&name);
    }
    // Debian marks a foreign architecture: `nginx:arm64`.
    let name = name.split(':').next().unwrap_or_default();
    let rpm = software.from.as_deref().is_some_and(|from| from.eq_ignore_ascii_case("rpm"));
    let shape = shape(name);
    let client = rpm && (RPM_CLIENTS.contains(&name) || RPM_CLIENTS.contains(&shape.as_str()));
    if client { None } else { BY_PACKAGE.get(name).or_else(|| BY_PACKAGE.get(shape.as_str())).copied() }
}

fn role_of_product(name: &str) -> Option<&'static str> {
    let listed = |list: &str, word: &str| list.split(' ').any(|known| known == word);
    let words: Vec<&str> = name.split(' ').filter(|word| !word.is_empty()).collect();
    let bare = |word: &&str| word.trim_matches(|character: char| !character.is_alphanumeric()).to_owned();
    // The longest match wins; only a version or an edition may follow it.
    let role = (1..=words.len().min(6)).rev().find_map(|count| {
        let role = BY_PRODUCT.get(words.get(..count)?.join(" ").as_str()).copied()?;
        let next = words.get(count).copied().unwrap_or_default();
        let version = next.starts_with(|first: char| first.is_ascii_digit() || "(-v\"".contains(first));
        (next.is_empty() || version || listed(EDITIONS, next)).then_some(role)
    })?;
    (!words.iter().any(|word| listed(BESIDE, &bare(word)))).then_some(role)
}

/// Replaces every version number (digits with dots between them) by `#`.
fn shape(name: &str) -> String {
    let mut shape = String::with_capacity(name.len());
    let mut characters = name.chars().peekable();
    let mut within = false;
    while let Some(character) = characters.next() {
        let next_is_digit = characters.peek().is_some_and(char::is_ascii_digit);
        let part = character.is_ascii_digit() || within && character == '.' && next_is_digit;
        match (part, within) {
            (true, false) => shape.push('#'),
            (true, true) => {}
            (false, _) => shape.push(character),
        }
        within = part;
    }
    shape
}

#[cfg(test)]
mod tests;
