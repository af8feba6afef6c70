//! What a monitor reports ("Report an alert" in `docs/interface.md`).

use base::{Fields, net::ip_key, problem::Problem, timestamp::Timestamp};
use ports::ResourceKey;
use serde_json::Value;
use utoipa::ToSchema;

use super::{
    intake::{Read, read},
    wire::{Device, Tag},
};

/// The states on the wire, worst first.
pub const STATES: [&str; 4] = ["Critical", "Warning", "Info", "Ok"];

/// The longest text of a name.
pub const LONGEST_NAME: usize = 1_000;
const MOST_TAGS: usize = 200;

/// A report, as it was understood.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// One of [`STATES`].
    pub state: &'static str,
    /// One of them, or empty.
    pub old_state: &'static str,
    /// When it was so, by the sender's clock.
    pub time: Option<Timestamp>,
    pub subject: String,
    pub description: String,
    /// Empty when there is none.
    pub alert_type: String,
    pub metric: String,
    pub service_name: String,
    pub monitor_name: String,
    pub app: String,
    pub component: String,
    pub device: Named,
    pub tags: Vec<Tag>,
    /// The sender's own id of the problem.
    pub ext_alert_id: String,
    pub group_key: String,
    pub url: String,
    /// What makes it this problem; `None` for resource, metric and component.
    pub identity: Option<String>,
    /// Fields that it had and that mean nothing here.
    pub ignored: Vec<String>,
}

/// The resource that a report names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Named {
    /// What it may be found by, the best first.
    pub keys: Vec<ResourceKey>,
    /// As it is shown when it is not found.
    pub device: Option<Device>,
}

impl Report {
    /// Reads a report.
    ///
    /// # Errors
    /// 400 that lists every field that is wrong.
    pub fn read(body: &Value) -> Result<Self, Problem> {
        let mut fields = Fields::of(body);
        let mut text = |name: &str| fields.text_max(name, LONGEST_NAME).map(trimmed).unwrap_or_default();
        let [service_name, monitor_name, app, component] =
            ["serviceName", "monitorName", "app", "component"].map(&mut text);
        let [metric, subject, alert_type, ext_alert_id] = ["metric", "subject", "alertType", "extAlertId"].map(text);
        let metric = [metric, service_name.clone(), monitor_name.clone()].into_iter().find(|name| !name.is_empty());
        let metric = metric.unwrap_or_default();
        fields.require("currentState");
        let state = fields.one_of("currentState", &STATES);
        let old_state = fields.one_of("oldState", &STATES).unwrap_or_default();
        let description = fields.text("description").unwrap_or_default();
        let time = fields.timestamp("alertTime");
        let device = Named::read(&mut fields);
        let tags = tags(&mut fields);
        let blank = |given: &Value| given.as_str().is_some_and(|text| text.trim().is_empty());
        if body.is_object() && metric.is_empty() && fields.value("subject").is_none_or(blank) {
            fields.error("subject", "is required where no metric, serviceName or monitorName is given");
        }
        let url = fields.text_max("url", 2_000).map(trimmed).unwrap_or_default();
        let ignored = fields.ignored();
        fields.finish()?;
        let state = state.ok_or_else(Problem::internal)?;
        let subject = if subject.is_empty() { format!("{metric} is {state}") } else { subject };
        Ok(Self {
            state,
            old_state,
            time,
            subject,
            description,
            alert_type,
            metric,
            service_name,
            monitor_name,
            app,
            component,
            device,
            tags,
            ext_alert_id,
            url,
            ignored,
            ..Self::default()
        })
    }
}

impl Named {
    /// Reads `device` or `resource`: an object, or a text.
    fn read(fields: &mut Fields<'_>) -> Self {
        let name = if fields.has("device") { "device" } else { "resource" };
        if let Some(Value::String(_)) = fields.value(name) {
            let text = fields.text_max(name, LONGEST_NAME).map(trimmed).unwrap_or_default();
            return Self::of_text(&text);
        }
        let Some(mut device) = fields.object(name) else { return Self::default() };
        let mut text = |name: &str| device.text_max(name, LONGEST_NAME).map(trimmed).unwrap_or_default();
        let [id, unique_id, uuid] = ["id", "uniqueId", "resourceUUID"].map(&mut text);
        let id = [uuid, unique_id, id].into_iter().find(|id| !id.is_empty()).unwrap_or_default();
        let [ext_resource_id, host_name, ip_address, mac_address, name] =
            ["extResourceId", "hostName", "ipAddress", "macAddress", "name"].map(text);
        let device = Device { id, ext_resource_id, host_name, ip_address, mac_address, name, ..Device::default() };
        Self::of(device)
    }

    /// By what a text looks like.
    pub fn of_text(text: &str) -> Self {
        let (mut device, text) = (Device::default(), text.to_owned());
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
            named.keys.push(ResourceKey::ExtResourceId(text));
        }
        named
    }

    /// By each of these names.
    pub fn of(device: Device) -> Self {
        let keys = [
            (&device.id, ResourceKey::Id as fn(String) -> ResourceKey),
            (&device.ext_resource_id, ResourceKey::ExtResourceId),
            (&device.host_name, ResourceKey::HostName),
            (&device.ip_address, ResourceKey::IpAddress),
            (&device.mac_address, ResourceKey::MacAddress),
        ];
        let keys = keys.into_iter().filter(|(text, _)| !text.is_empty()).map(|(text, key)| key(text.clone())).collect();
        let named = device != Device::default();
        Self { keys, device: named.then_some(device) }
    }
}

fn tags(fields: &mut Fields<'_>) -> Vec<Tag> {
    let given = fields.objects("tags").unwrap_or_default();
    if given.len() > MOST_TAGS {
        fields.error("tags", format!("must have at most {MOST_TAGS} elements"));
        return Vec::new();
    }
    let read = |mut tag: Fields<'_>| {
        let name = tag.required_text("name").trim().to_owned();
        Tag { name, value: tag.text("value").unwrap_or_default() }
    };
    given.into_iter().map(read).collect()
}

fn trimmed(text: String) -> String {
    let kept = text.trim();
    if kept.len() == text.len() { text } else { kept.to_owned() }
}

/// Reads an array of reports, each alone; one report counts as an array of one.
///
/// # Errors
/// 400 for anything else, or for too many.
pub fn read_all(body: &Value, most: usize) -> Result<Vec<Read>, Problem> {
    let all = match body {
        Value::Array(all) => all.as_slice(),
        Value::Object(_) => std::slice::from_ref(body),
        _ => return Err(Problem::field("body", "must be a JSON array of alerts")),
    };
    if all.len() > most {
        return Err(Problem::field("body", format!("must have at most {most} alerts")));
    }
    Ok(all.iter().map(read).collect())
}

/// A report, for the document.
#[derive(ToSchema)]
#[schema(as = AlertInput, rename_all = "camelCase", example = json!({
    "currentState": "Critical", "subject": "Load is 31", "metric": "system.load", "component": "cpu",
    "device": {"hostName": "web-01"}, "alertTime": "2026-11-20T20:37:00+0000", "app": "monitord"
}))]
#[expect(dead_code, reason = "only its schema is used")]
pub struct AlertInput {
    /// `Critical`, `Warning`, `Ok` or `Info`, in any letter case.
    #[schema(example = "Critical")]
    current_state: String,
    /// The state before that one, as far as the sender knows.
    old_state: Option<String>,
    /// One line, at most 1,000 characters; required where no metric is named.
    subject: Option<String>,
    /// At most 4,000 characters.
    description: Option<String>,
    /// What was measured. Without it `serviceName` is, or else `monitorName`.
    metric: Option<String>,
    /// The name of what was measured.
    service_name: Option<String>,
    /// The name of the monitor.
    monitor_name: Option<String>,
    /// Which part of the resource.
    component: Option<String>,
    /// The monitoring program.
    app: Option<String>,
    /// Default `Monitoring`.
    alert_type: Option<String>,
    /// When it was so; default now.
    alert_time: Option<String>,
    /// The resource; a text that is its id, host name, address or `extResourceId` is taken as well.
    device: Option<AlertDeviceInput>,
    /// The same as `device`.
    resource: Option<AlertDeviceInput>,
    /// At most 200 attributes.
    tags: Option<Vec<Tag>>,
    /// The sender's own id.
    ext_alert_id: Option<String>,
    /// Where to look further.
    url: Option<String>,
}

/// A resource, by any of its names: the first that names exactly one counts.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase", example = json!({"hostName": "web-01"}))]
#[expect(dead_code, reason = "only its schema is used")]
pub struct AlertDeviceInput {
    /// A UUID.
    id: Option<String>,
    /// The id that another system has for it.
    ext_resource_id: Option<String>,
    /// The whole host name.
    host_name: Option<String>,
    /// Its address, or that of one of its network cards.
    ip_address: Option<String>,
    /// The hardware address of one of its network cards.
    mac_address: Option<String>,
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
        assert_eq!(keys(json!("10.0.0.1"))[0], ResourceKey::IpAddress("10.0.0.1".into()));
        assert_eq!(keys(json!("00:11:22:33:44:55"))[0], ResourceKey::MacAddress("00:11:22:33:44:55".into()));
        assert_eq!(
            keys(json!("web-01")),
            [ResourceKey::HostName("web-01".into()), ResourceKey::ExtResourceId("web-01".into())]
        );
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
