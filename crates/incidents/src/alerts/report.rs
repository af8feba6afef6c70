//! Reports of monitors ("Report an alert" in `docs/interface.md`).

use api::Request;
use base::{
    Fields,
    body::{Request as _, ignored},
    net::ip_key,
    problem::{FieldError, Problem},
    timestamp::Timestamp,
};
use ports::ResourceKey;
use serde_json::Value;

use super::wire::{Device, Tag};

/// The states on the wire, worst first.
pub const STATES: [&str; 4] = ["Critical", "Warning", "Info", "Ok"];

/// The longest text of a name.
pub const LONGEST_NAME: usize = 1_000;
/// The longest description.
pub const LONGEST_TEXT: usize = 4_000;
/// The longest URL.
pub const LONGEST_URL: usize = 2_000;
/// The most tags.
pub const MOST_TAGS: usize = 200;

/// The origin of reports.
pub struct Origin {
    /// The tenant of alerts that are about no known resource.
    pub home: String,
    /// The tenants whose resources may be named.
    pub scope: Vec<String>,
    /// The sender: the id of an inbound address, the kind of a notice of the service itself, or empty for API keys,
    /// which are one sender. Problems of different senders are separate.
    pub sender: String,
}

/// A report, or the errors in it.
pub type ParsedReport = Result<Report, Vec<FieldError>>;

/// Reads a report.
pub fn read(body: &Value) -> ParsedReport {
    Report::read(body).map_err(|problem| problem.errors)
}

/// A report, as it was understood.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// One of [`STATES`].
    pub state: &'static str,
    /// One of them, or empty.
    pub old_state: &'static str,
    /// When it was so, by the sender's clock; the end, where it says that it is over.
    pub time: Option<Timestamp>,
    /// Since when it is so, by the sender's clock, where the sender says that with every report.
    pub start: Option<Timestamp>,
    /// The sender's id of this instance of the problem; empty when there is none.
    pub event: String,
    /// By which of the routes that may lead to one alert of the sender it came; empty where there is one only.
    pub route: &'static str,
    /// Empty where a recovery says nothing.
    pub subject: String,
    pub description: String,
    /// What somebody wrote about it besides: a note of the alert.
    pub note: String,
    /// Empty when there is none.
    pub alert_type: String,
    pub metric: String,
    pub service_name: String,
    pub monitor_name: String,
    pub app: String,
    pub component: String,
    pub device: DeviceNames,
    pub tags: Vec<Tag>,
    /// The sender's own id of the problem.
    pub ext_alert_id: String,
    pub group_key: String,
    pub url: String,
    /// The key of the problem at its sender, of any length; `None` for resource, component, and metric or subject.
    pub key: Option<String>,
    /// Its identity before the sender was a part of every identity.
    pub former: LegacyIdentity,
    /// Warnings for the sender.
    pub warnings: Vec<String>,
    /// Repairs of its text, which the alert shows too.
    pub repairs: Vec<String>,
}

impl Report {
    /// What is repaired or left out of it where it is stored, for the alert and for the sender.
    pub fn notices(&self) -> Vec<String> {
        let tags = self.tags.len();
        let surplus = (tags > MOST_TAGS).then(|| format!("only the first {MOST_TAGS} of {tags} tags are kept"));
        self.repairs.iter().cloned().chain(surplus).collect()
    }
}

/// The identity of a problem before the sender was a part of every identity, so that older alerts are still found.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum LegacyIdentity {
    /// Its sender and its key.
    #[default]
    Key,
    /// Its sender and this text.
    Text(String),
    /// Its key alone.
    KeyAlone,
}

/// The key of a problem, as its reports, acknowledgements and recoveries have it.
pub fn key(text: &str) -> Option<String> {
    Some(text.trim()).filter(|key| !key.is_empty()).map(ToOwned::to_owned)
}

/// The resource that a report names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeviceNames {
    /// The keys to look it up by, the best first.
    pub keys: Vec<ResourceKey>,
    /// As it is shown when it is not found.
    pub device: Option<Device>,
}

/// The beginning of a text, at most so many characters.
pub fn cut(text: &str, most: usize) -> &str {
    let end = if text.len() <= most { None } else { text.char_indices().nth(most) };
    end.and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

impl Report {
    /// Reads a report.
    ///
    /// # Errors
    /// 400 that lists every field that is wrong.
    pub fn read(body: &Value) -> Result<Self, Problem> {
        let mut fields = Fields::of(body);
        let given = AlertInput::read(&mut fields);
        let metric = [given.metric, given.service_name.clone(), given.monitor_name.clone()];
        let metric = metric.into_iter().find(|name| !name.is_empty()).unwrap_or_default();
        let blank = |subject: &Value| subject.as_str().is_some_and(|text| text.trim().is_empty());
        if body.is_object() && metric.is_empty() && fields.value("subject").is_none_or(blank) {
            fields.error("subject", "is required where no metric, serviceName or monitorName is given");
        }
        let ignored = fields.ignored();
        let ignored = match ignored.is_empty() {
            true => Vec::new(),
            false => vec![format!("unknown fields were ignored: {}", ignored.join(", "))],
        };
        fields.finish()?;
        let state = given.current_state;
        let subject = if given.subject.is_empty() { format!("{metric} is {state}") } else { given.subject };
        Ok(Self {
            state,
            old_state: given.old_state,
            time: given.alert_time,
            subject,
            description: given.description,
            alert_type: given.alert_type,
            metric,
            service_name: given.service_name,
            monitor_name: given.monitor_name,
            app: given.app,
            component: given.component,
            device: given.device.or(given.resource).unwrap_or_default(),
            tags: given.tags,
            event: given.ext_alert_id.clone(),
            ext_alert_id: given.ext_alert_id,
            url: given.url,
            warnings: ignored,
            ..Self::default()
        })
    }
}

impl DeviceNames {
    /// Names of the kind that a text looks like.
    pub fn of_text(text: &str) -> Self {
        let mut device = Device::default();
        let text = text.to_owned();
        let is_mac = text.len() == 17 && text.bytes().all(|byte| byte.is_ascii_hexdigit() || b":-".contains(&byte));
        let field = if uuid::Uuid::try_parse(&text).is_ok() {
            &mut device.id
        } else if ip_key(&text).is_some() {
            &mut device.ip_address
        } else if is_mac {
            &mut device.mac_address
        } else {
            &mut device.host_name
        };
        field.clone_from(&text);
        let mut named = Self::of(device);
        if !text.is_empty() {
            // As the id of another system it comes before an address or a name, and as a name after them.
            let place = usize::from(matches!(named.keys.first(), Some(ResourceKey::Id(_))));
            named.keys.insert(place, ResourceKey::ExtResourceId(text.clone()));
            named.add_names([text]);
        }
        named
    }

    /// What it is called first, as it was named; empty where it was not.
    pub fn first_name(&self) -> &str {
        let Some(device) = &self.device else { return "" };
        let Device { id, ext_resource_id, host_name, ip_address, mac_address, name, .. } = device;
        let names = [id, ext_resource_id, host_name, ip_address, mac_address, name];
        names.into_iter().find(|name| !name.is_empty()).map_or("", String::as_str)
    }

    /// Adds names that it may be found by, behind the others.
    fn add_names(&mut self, names: impl IntoIterator<Item = String>) {
        for key in names.into_iter().filter(|name| !name.is_empty()).map(ResourceKey::Name) {
            if !self.keys.contains(&key) {
                self.keys.push(key);
            }
        }
    }

    /// By each of these names.
    pub fn of(device: Device) -> Self {
        let keys = [
            (&device.id, ResourceKey::Id as fn(String) -> ResourceKey),
            (&device.ext_resource_id, ResourceKey::ExtResourceId),
            (&device.ip_address, ResourceKey::IpAddress),
            (&device.mac_address, ResourceKey::MacAddress),
        ];
        let keys = keys.into_iter().filter(|(text, _)| !text.is_empty()).map(|(text, key)| key(text.clone())).collect();
        let names = [device.host_name.clone(), device.name.clone()];
        let mut named = Self { keys, device: Some(device).filter(|device| *device != Device::default()) };
        named.add_names(names);
        named
    }
}

/// Reads an array of reports, each alone; one report counts as an array of one.
///
/// # Errors
/// 400 for anything else, or for too many.
pub fn read_all(body: &Value, most: usize) -> Result<Vec<ParsedReport>, Problem> {
    let all = match body {
        Value::Array(all) => all.as_slice(),
        Value::Object(_) => return Ok(vec![read(body)]),
        _ => return Err(Problem::field("body", "must be a JSON array of alerts")),
    };
    if all.len() > most {
        return Err(Problem::field("body", format!("must have at most {most} alerts")));
    }
    let read_at = |(place, one)| ignored::within(&format!("[{place}]"), || read(one));
    Ok(all.iter().enumerate().map(read_at).collect())
}

/// A report of an alert.
#[derive(Clone, Debug, PartialEq, Request)]
#[request(example = json!({
    "currentState": "Critical", "subject": "Load is 31", "metric": "system.load", "component": "cpu",
    "device": {"hostName": "web-01"}, "alertTime": "2026-11-20T20:37:00+0000", "app": "monitord"
}))]
pub struct AlertInput {
    /// The name of the service.
    #[request(chars = LONGEST_NAME, parse = trimmed, default)]
    service_name: String,
    /// The name of the monitor.
    #[request(chars = LONGEST_NAME, parse = trimmed, default)]
    monitor_name: String,
    /// The monitoring program.
    #[request(chars = LONGEST_NAME, parse = trimmed, default)]
    app: String,
    /// Which part of the resource.
    #[request(chars = LONGEST_NAME, parse = trimmed, default)]
    component: String,
    /// The metric; default `serviceName`, or else `monitorName`.
    #[request(chars = LONGEST_NAME, parse = trimmed, default)]
    metric: String,
    /// One line; required where no metric is named.
    #[request(chars = LONGEST_NAME, parse = trimmed, default)]
    subject: String,
    /// Default `Monitoring`.
    #[request(chars = LONGEST_NAME, parse = trimmed, default)]
    alert_type: String,
    /// The sender's own id.
    #[request(chars = LONGEST_NAME, parse = trimmed, default)]
    ext_alert_id: String,
    /// `Critical`, `Warning`, `Ok` or `Info`, in any letter case.
    #[request(words = STATES, example = "Critical")]
    current_state: &'static str,
    /// The state before that one, as far as the sender knows.
    #[request(words = STATES, default)]
    old_state: &'static str,
    /// Details beyond the subject.
    #[request(default)]
    description: String,
    /// When that was observed; default now.
    alert_time: Option<Timestamp>,
    /// The resource; a text that is its id, host name, address or `extResourceId` is taken as well.
    #[request(with = device, schema = AlertDeviceInput)]
    device: Option<DeviceNames>,
    /// The same as `device`.
    #[request(with = resource, schema = AlertDeviceInput)]
    resource: Option<DeviceNames>,
    /// Attributes.
    #[request(with = tags, schema = Vec<AlertTagInput>, items = 0..=MOST_TAGS, default)]
    tags: Vec<Tag>,
    /// Where to find out more.
    #[request(chars = LONGEST_URL, parse = trimmed, default)]
    url: String,
}

/// A resource, by any of these: the first that names exactly one counts, in the order id, `extResourceId`, addresses,
/// names.
#[derive(Clone, Debug, PartialEq, Request)]
#[request(example = json!({"hostName": "web-01"}))]
pub struct AlertDeviceInput {
    /// A UUID.
    #[request(with = any_id, default)]
    id: String,
    /// The id that another system has for it.
    #[request(chars = LONGEST_NAME, parse = trimmed, default)]
    ext_resource_id: String,
    /// Any of its names, whatever the letter case. A full name finds the machine that is called by its first label and
    /// has no other full name, and a short one the machine whose full name begins with it.
    #[request(chars = LONGEST_NAME, parse = trimmed, default)]
    host_name: String,
    /// The same.
    #[request(chars = LONGEST_NAME, parse = trimmed, default)]
    dns_name: String,
    /// The same.
    #[request(chars = LONGEST_NAME, parse = trimmed, default)]
    resource_name: String,
    /// The same.
    #[request(chars = LONGEST_NAME, parse = trimmed, default)]
    alias_name: String,
    /// Its address, or that of one of its network cards.
    #[request(chars = LONGEST_NAME, parse = trimmed, default)]
    ip_address: String,
    /// The hardware address of one of its network cards.
    #[request(chars = LONGEST_NAME, parse = trimmed, default)]
    mac_address: String,
    /// The name that lists show.
    #[request(chars = LONGEST_NAME, parse = trimmed, default, undocumented)]
    name: String,
}

/// An attribute.
#[derive(Clone, Debug, PartialEq, Request)]
#[request(example = json!({"name": "env", "value": "production"}))]
struct AlertTagInput {
    /// Its name.
    #[request(filled, parse = trimmed)]
    name: String,
    /// Its value; without one, an empty text.
    #[request(default)]
    value: String,
}

/// An object, or a text.
fn device(fields: &mut Fields<'_>, field: &str) -> Option<DeviceNames> {
    if let Some(Value::String(_)) = fields.value(field) {
        return Some(DeviceNames::of_text(fields.text_max(field, LONGEST_NAME)?.trim()));
    }
    let given = AlertDeviceInput::read(&mut fields.object(field)?);
    let AlertDeviceInput { id, ext_resource_id, ip_address, mac_address, .. } = given;
    let first = |names: [&String; 3]| names.into_iter().find(|name| !name.is_empty()).cloned().unwrap_or_default();
    let host_name = first([&given.host_name, &given.dns_name, &String::new()]);
    let name = first([&given.name, &given.resource_name, &given.alias_name]);
    let device = Device { id, ext_resource_id, host_name, ip_address, mac_address, name, ..Device::default() };
    let mut named = DeviceNames::of(device);
    named.add_names([given.dns_name, given.resource_name, given.alias_name]);
    Some(named)
}

/// Nobody reads it where there is a `device`.
fn resource(fields: &mut Fields<'_>, field: &str) -> Option<DeviceNames> {
    if fields.has("device") { None } else { device(fields, field) }
}

/// Under any of its names, the last of which is the best.
fn any_id(fields: &mut Fields<'_>, field: &str) -> Option<String> {
    let mut text = |name: &str| fields.text_max(name, LONGEST_NAME).map(|text| text.trim().to_owned());
    let ids = [field, "uniqueId", "resourceUUID"].map(&mut text);
    ids.into_iter().rev().flatten().find(|id| !id.is_empty())
}

fn tags(fields: &mut Fields<'_>, field: &str) -> Option<Vec<Tag>> {
    let given = fields.objects(field)?;
    if given.len() > MOST_TAGS {
        fields.error(field, format!("must have at most {MOST_TAGS} elements"));
        return None;
    }
    let read = |mut tag: Fields<'_>| {
        let AlertTagInput { name, value } = AlertTagInput::read(&mut tag);
        Tag { name, value }
    };
    Some(given.into_iter().map(read).collect())
}

fn trimmed(text: String) -> Result<String, String> {
    let kept = text.trim();
    Ok(if kept.len() == text.len() { text } else { kept.to_owned() })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn errors(body: Value) -> Vec<String> {
        Report::read(&body).unwrap_err().errors.into_iter().map(|error| error.field_name).collect()
    }

    #[test]
    fn every_wrong_field_is_listed() {
        assert_eq!(errors(json!({})), ["currentState", "subject"]);
        assert_eq!(errors(json!({"currentState": "bad", "subject": 5})), ["subject", "currentState"]);
        let body = json!({"currentState": "Ok", "subject": "s", "alertTime": "now", "device": 7, "tags": [{}],
            "oldState": "x"});
        assert_eq!(errors(body), ["oldState", "alertTime", "device", "tags[0].name"]);
        assert_eq!(errors(json!("text")), ["body"]);
    }

    #[test]
    fn words_are_taken_in_any_letter_case() {
        let report = Report::read(&json!({"currentState": "CRITICAL", "serviceName": " load ", "component": 	null}));
        let report = report.unwrap();
        assert_eq!((report.state, report.metric.as_str()), ("Critical", "load"));
        assert_eq!(report.subject, "load is Critical");
    }

    #[test]
    fn a_resource_is_named_in_every_way() {
        let id = "5a5a5a5a-0001-4010-8048-000000000001";
        let keys = |device: Value| {
            Report::read(&json!({"currentState": "ok", "subject": "s", "resource": device})).unwrap().device.keys
        };
        assert_eq!(keys(json!({"resourceUUID": id})), [ResourceKey::Id(id.into())]);
        assert_eq!(keys(json!({"hostName": "a", "ipAddress": "10.0.0.1"})).len(), 2);
        assert_eq!(keys(json!(id))[0], ResourceKey::Id(id.into()));
        assert_eq!(keys(json!("10.0.0.1"))[1], ResourceKey::IpAddress("10.0.0.1".into()));
        assert_eq!(keys(json!("00:11:22:33:44:55"))[1], ResourceKey::MacAddress("00:11:22:33:44:55".into()));
        let name = |text: &str| ResourceKey::Name(text.into());
        assert_eq!(keys(json!("web-01")), [ResourceKey::ExtResourceId("web-01".into()), name("web-01")]);
        let named = keys(
            json!({"aliasName": "c", "hostName": "a", "dnsName": "b", "resourceName": "a", "ipAddress": "10.0.0.1"}),
        );
        assert_eq!(named, [ResourceKey::IpAddress("10.0.0.1".into()), name("a"), name("b"), name("c")]);
        assert_eq!(keys(json!("")), []);
        assert_eq!(keys(json!({})), []);
    }

    #[test]
    fn each_report_of_an_array_is_read_alone() {
        let good = json!({"currentState": "ok", "subject": "s"});
        let read = read_all(&json!([good, {}, 5, good]), 4).unwrap();
        assert_eq!(read.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, false, true]);
        assert_eq!(read_all(&good, 4).unwrap().len(), 1);
        assert!(read_all(&json!([good, good]), 1).is_err());
        assert!(read_all(&json!("x"), 1).is_err());
    }
}
