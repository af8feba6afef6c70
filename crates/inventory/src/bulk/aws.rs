//! The JSON output of `aws ec2 describe-instances` as rows.

use base::{problem::Problem, text::fold};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::row::{Entry, Row};

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Output {
    reservations: Vec<Reservation>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Reservation {
    #[serde(default)]
    owner_id: Option<String>,
    #[serde(default)]
    instances: Vec<Instance>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Instance {
    instance_id: String,
    #[serde(default)]
    instance_type: Option<String>,
    #[serde(default)]
    image_id: Option<String>,
    #[serde(default)]
    launch_time: Option<String>,
    #[serde(default)]
    private_dns_name: Option<String>,
    #[serde(default)]
    private_ip_address: Option<String>,
    #[serde(default)]
    public_ip_address: Option<String>,
    #[serde(default)]
    platform_details: Option<String>,
    #[serde(default)]
    architecture: Option<String>,
    #[serde(default)]
    placement: Option<Placement>,
    #[serde(default)]
    monitoring: Option<Monitoring>,
    #[serde(default)]
    state: Option<State>,
    #[serde(default)]
    tags: Vec<Tag>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Placement {
    #[serde(default)]
    availability_zone: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Monitoring {
    #[serde(default)]
    state: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct State {
    #[serde(default)]
    name: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Tag {
    key: String,
    #[serde(default)]
    value: String,
}

/// The rows of a printout, one for each instance, numbered from 1.
///
/// # Errors
/// 400 when the JSON is not the output of that command.
pub fn rows(json: &[u8], tenant: &str) -> Result<Vec<Row>, Problem> {
    let json = json.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(json);
    let output: Output = serde_json::from_slice(json).map_err(|error| {
        let line = error.line();
        let column = error.column();
        Problem::field("body", format!("is not what describe-instances prints (line {line}, column {column})"))
    })?;
    let instances = output.reservations.iter().flat_map(|reservation| {
        let owner = reservation.owner_id.as_deref();
        reservation.instances.iter().map(move |instance| (owner, instance))
    });
    Ok((1..).zip(instances).map(|(line, (owner, it))| Row { line, entry: entry(owner, it, tenant) }).collect())
}

fn entry(owner: Option<&str>, it: &Instance, tenant: &str) -> Result<Entry, Vec<base::problem::FieldError>> {
    let zone = it.placement.as_ref().and_then(|placement| placement.availability_zone.as_deref());
    let name = it.tags.iter().find(|tag| tag.key == "Name").map(|tag| tag.value.as_str());
    let texts = [
        ("type", Some("DEVICE")),
        ("provider", Some("AWS")),
        ("source", Some("AWS")),
        ("accountNumber", owner),
        ("owner", owner),
        ("instanceId", Some(it.instance_id.as_str())),
        ("instanceType", it.instance_type.as_deref()),
        ("instanceState", it.state.as_ref().and_then(|state| state.name.as_deref())),
        ("zone", zone),
        ("region", zone.map(region)),
        ("ami", it.image_id.as_deref()),
        ("publicIp", it.public_ip_address.as_deref()),
        ("privateIp", it.private_ip_address.as_deref()),
        ("ipAddress", it.private_ip_address.as_deref()),
        ("privateDns", it.private_dns_name.as_deref()),
        ("monitoringState", it.monitoring.as_ref().and_then(|monitoring| monitoring.state.as_deref())),
        ("os", it.platform_details.as_deref()),
        ("osArchitecture", it.architecture.as_deref()),
        ("name", name),
    ];
    // A text that is empty would remove what somebody else set.
    let given = texts.into_iter().filter_map(|(name, text)| Some((name, text.filter(|text| !text.trim().is_empty())?)));
    let mut fields: Map<String, Value> = given.map(|(name, text)| (name.to_owned(), json!(text))).collect();
    if let Some(time) = &it.launch_time {
        fields.insert("launchDate".to_owned(), json!(whole_seconds(time)));
    }
    fields.insert("tags".to_owned(), tags(&it.tags));
    let mut entry = Entry::read(&Value::Object(fields), tenant)?;
    // Tags that people or agents gave the resource here stay.
    entry.tags = entry.input.tags.take().unwrap_or_default();
    entry.type_if_new = it.platform_details.as_deref().and_then(resource_type);
    Ok(entry)
}

/// The tags; of names that differ in letter case only, the first.
fn tags(tags: &[Tag]) -> Value {
    let mut seen = std::collections::HashSet::new();
    let first = tags.iter().filter(|tag| !tag.key.trim().is_empty() && seen.insert(fold(tag.key.trim())));
    first.map(|tag| json!({"name": tag.key, "value": tag.value, "tagSource": "AWS"})).collect()
}

/// The region of a zone: `eu-west-1` of `eu-west-1a`, and `us-west-2` of `us-west-2-lax-1a`.
fn region(zone: &str) -> &str {
    let Some(digit) = zone.find(|letter: char| letter.is_ascii_digit()) else { return zone };
    let rest = zone.get(digit..).unwrap_or_default();
    let digits = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
    zone.get(..digit + digits).unwrap_or(zone)
}

/// A time without its fraction of a second.
fn whole_seconds(time: &str) -> String {
    let Some((before, after)) = time.split_once('.') else { return time.to_owned() };
    format!("{before}{}", after.trim_start_matches(|letter: char| letter.is_ascii_digit()))
}

fn resource_type(platform: &str) -> Option<&'static str> {
    const LINUX: [&str; 6] = ["linux", "unix", "red hat", "suse", "ubuntu", "rhel"];
    let platform = fold(platform);
    if platform.contains("windows") {
        return Some("Server >> Windows");
    }
    LINUX.iter().any(|name| platform.contains(name)).then_some("Server >> Linux")
}

#[cfg(test)]
mod tests;
