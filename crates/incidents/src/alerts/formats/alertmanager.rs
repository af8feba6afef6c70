//! The webhook of a Prometheus Alertmanager, version 4, and of Grafana's alerting, which calls the same shape version 1
//! ("Alertmanager" in `docs/interface.md`).

use base::{
    problem::{FieldError, Problem},
    timestamp::Timestamp,
};
use serde_json::{Map, Value, json};

use super::{ALERTMANAGER, GRAFANA, instant, severity_of, tag, text};
use crate::alerts::report::{DeviceNames, LegacyIdentity, ParsedReport, Report, key};

/// The most alerts of one notification.
const MOST: usize = 10_000;

/// How long ago an end has to be by the clock of the service, since that of the sender may be late.
const CLOCKS_MS: i64 = 60_000;

/// Reads a notification: a report for each of its alerts.
///
/// # Errors
/// 400 when the body is not a notification of this version. A malformed alert is refused by itself.
pub fn read(body: &Value) -> Result<Vec<ParsedReport>, Problem> {
    read_as(body, None)
}

/// The same of any version: the address says whose it is, `alertmanager` or `grafana`. An array is the alerts
/// alone. An alert without a status has that of the notification, or is over when its end has passed.
///
/// # Errors
/// 400 when it has no alerts, or too many.
pub fn read_leniently(body: Value, sender: &str, now: Timestamp) -> Result<Vec<ParsedReport>, Problem> {
    let are_alone = body.is_array();
    let mut body = if are_alone { Value::Object(Map::from_iter([("alerts".to_owned(), body)])) } else { body };
    let of_all = body.get("status").map(|status| text(Some(status))).filter(|status| is_firing(status).is_some());
    let mut odd = Vec::new();
    for (index, alert) in body["alerts"].as_array_mut().into_iter().flatten().enumerate() {
        let Some(alert) = alert.as_object_mut() else { continue };
        if is_firing(&text(alert.get("status"))).is_some() {
            continue;
        }
        let ended = instant(alert.get("endsAt")).is_some_and(|end| end.millis() + CLOCKS_MS <= now.millis());
        let status = of_all.as_deref().unwrap_or(if ended { "resolved" } else { "firing" });
        alert.insert("status".to_owned(), json!(status));
        let is_odd = of_all.is_none() && (ended || !are_alone);
        odd.extend(is_odd.then(|| (index, format!("it has no status: it counts as {status}"))));
    }
    let mut reports = read_as(&body, Some(if sender == "grafana" { GRAFANA } else { ALERTMANAGER }))?;
    for (index, warning) in odd {
        if let Some(Ok(report)) = reports.get_mut(index) {
            report.warnings.push(warning);
        }
    }
    Ok(reports)
}

/// Does this status say that there is a problem? `None` for any other word.
fn is_firing(status: &str) -> Option<bool> {
    match status.to_ascii_lowercase().as_str() {
        "firing" => Some(true),
        "resolved" => Some(false),
        _ => None,
    }
}

fn read_as(body: &Value, otherwise: Option<&'static str>) -> Result<Vec<ParsedReport>, Problem> {
    let mut errors = Vec::new();
    if !body.is_object() {
        return Err(Problem::field("body", "must be a JSON object"));
    }
    let given = AlertmanagerNotification::read(|name| body.get(name));
    let version = text(given.version);
    let app = match (version.as_str(), otherwise) {
        ("4", _) => ALERTMANAGER,
        ("1", _) => GRAFANA,
        (_, Some(app)) => app,
        (_, None) => {
            errors.push(FieldError::new("version", "must be 4, or 1 as Grafana sends it"));
            ""
        }
    };
    let alerts = given.alerts.and_then(Value::as_array);
    match alerts {
        None => errors.push(FieldError::new("alerts", "must be an array")),
        Some(alerts) if alerts.len() > MOST => {
            errors.push(FieldError::new("alerts", format!("must have at most {MOST} elements")));
        }
        Some(_) => {}
    }
    let group = text(given.group_key);
    match alerts {
        Some(alerts) if errors.is_empty() => Ok(alerts.iter().map(|alert| report(alert, app, &group)).collect()),
        _ => Err(Problem::fields(errors)),
    }
}

fn report(alert: &Value, app: &str, group: &str) -> ParsedReport {
    let given = AlertmanagerAlert::read(|name| alert.get(name));
    let labels = given.labels.and_then(Value::as_object);
    let firing = is_firing(&text(given.status));
    let (Some(labels), Some(firing)) = (labels, firing) else {
        let missing = |there: bool, name: &str, message: &str| (!there).then(|| FieldError::new(name, message));
        let labels = missing(labels.is_some(), "labels", "must be an object");
        let status = missing(firing.is_some(), "status", "must be one of: firing, resolved");
        return Err(labels.into_iter().chain(status).collect());
    };
    let label = |name: &str| text(labels.get(name));
    let annotations = given.annotations.and_then(Value::as_object);
    let annotation = |name: &str| text(annotations.and_then(|all| all.get(name)));
    // A severity that nobody here knows is the worst: somebody meant something by it.
    let state = if firing { severity_of(&label("severity")).unwrap_or("Critical") } else { "Ok" };
    let metric = label("alertname");
    let subject = first([annotation("summary"), annotation("message"), annotation("title"), metric.clone()]);
    let fingerprint = text(given.fingerprint);
    // Grafana says which panel shows it.
    let url = [given.generator_url, alert.get("panelURL"), alert.get("dashboardURL")].map(text);
    Ok(Report {
        state,
        time: instant(if firing { given.starts_at } else { given.ends_at }),
        subject: if subject.is_empty() { format!("An alert is {state}") } else { subject },
        description: first([annotation("description"), annotation("runbook_url")]),
        metric,
        app: app.to_owned(),
        component: label("component"),
        device: resource(labels),
        tags: labels.iter().map(|(name, value)| tag(name, &text(Some(value)))).collect(),
        start: instant(given.starts_at),
        key: key(&fingerprint).or_else(|| Some(in_order(labels))),
        former: LegacyIdentity::KeyAlone,
        ext_alert_id: fingerprint,
        group_key: group.to_owned(),
        url: first(url),
        ..Report::default()
    })
}

/// The machine that the labels name, without its port.
fn resource(labels: &Map<String, Value>) -> DeviceNames {
    let names = ["instance", "host", "hostname", "node", "nodename"];
    let found = names.iter().map(|name| text(labels.get(*name))).find(|text| !text.is_empty());
    found.map(|text| DeviceNames::of_text(without_port(&text))).unwrap_or_default()
}

/// `web-01:9100` and `[::1]:9100` without their ports; an address without one has colons of its own.
fn without_port(instance: &str) -> &str {
    let instance = instance.split_once("://").map_or(instance, |(_, rest)| rest);
    let instance = instance.split('/').next().unwrap_or(instance);
    if let Some((address, _)) = instance.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return address;
    }
    match instance.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') && port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => instance,
    }
}

/// Labels as one text, whatever their order.
fn in_order(labels: &Map<String, Value>) -> String {
    let mut all: Vec<String> = labels.iter().map(|(name, value)| format!("{name}={value}")).collect();
    all.sort_unstable();
    all.join("\n")
}

fn first<const N: usize>(texts: [String; N]) -> String {
    texts.into_iter().find(|text| !text.is_empty()).unwrap_or_default()
}

given! {
    /// A notification, as Alertmanager and Grafana send it.
    #[schema(example = json!({
        "version": "4", "groupKey": "{}:{alertname=\"HighLoad\"}", "status": "firing",
        "alerts": [{
            "status": "firing", "fingerprint": "b1c9d04f6a4f0f9a", "startsAt": "2026-11-20T20:37:00.000Z",
            "labels": {"alertname": "HighLoad", "severity": "critical", "instance": "web-01:9100"},
            "annotations": {"summary": "Load is 31"}
        }]
    }))]
    pub struct AlertmanagerNotification {
        /// `4`; Grafana sends `1`.
        #[schema(pattern = "^(4|1)$", required = true)]
        version: String,
        /// Which group was notified.
        group_key as "groupKey": Option<String>,
        /// `firing` or `resolved`, of the whole group.
        // Each alert says it of itself.
        _status as "status": Option<String>,
        /// At most 10,000.
        #[schema(required = true)]
        alerts: Vec<AlertmanagerAlert>,
    }
}

given! {
    /// An alert of a notification.
    pub struct AlertmanagerAlert {
        /// `firing` or `resolved`.
        #[schema(example = "firing", required = true)]
        status: String,
        /// What identifies it; kept as tags.
        #[schema(required = true)]
        labels: Object,
        /// `summary` is the subject, `description` the description.
        annotations: Option<Object>,
        /// Since when.
        starts_at as "startsAt": Option<String>,
        /// Until when, for one that is resolved.
        ends_at as "endsAt": Option<String>,
        /// What identifies the labels.
        fingerprint: Option<String>,
        /// Where the rule can be looked at.
        generator_url as "generatorURL": Option<String>,
    }
}

#[cfg(test)]
mod tests {
    use ports::ResourceKey;
    use serde_json::json;

    use super::*;

    #[test]
    fn an_instance_is_named_without_its_port() {
        for (instance, host) in [
            ("web-01:9100", "web-01"),
            ("web-01", "web-01"),
            ("10.0.0.1:80", "10.0.0.1"),
            ("[2001:db8::1]:9100", "2001:db8::1"),
            ("2001:db8::1", "2001:db8::1"),
            ("https://shop.example:8443/health", "shop.example"),
            ("a:b", "a:b"),
        ] {
            assert_eq!(without_port(instance), host, "{instance}");
        }
    }

    #[test]
    fn a_notification_becomes_reports() {
        let body = json!({"version": "4", "groupKey": "g", "alerts": [
            {"status": "firing", "labels": {"alertname": "Load", "severity": "page", "instance": "10.0.0.1:9100"},
             "annotations": {"summary": "high"}, "fingerprint": "f1", "startsAt": "2026-01-01T00:00:00.5Z"},
            {"status": "resolved", "labels": {"b": "2", "a": "1"}, "endsAt": "2026-01-01T01:00:00Z"},
            {"status": "unsure", "labels": []},
        ]});
        let read = read(&body).unwrap();
        let [Ok(firing), Ok(resolved), Err(errors)] = read.as_slice() else { panic!("{read:?}") };
        assert_eq!((firing.state, firing.subject.as_str(), firing.metric.as_str()), ("Critical", "high", "Load"));
        assert_eq!(firing.device.keys[1], ResourceKey::IpAddress("10.0.0.1".into()));
        assert_eq!((firing.key.as_deref(), firing.tags.len()), (Some("f1"), 3));
        assert_eq!((resolved.state, resolved.key.as_deref()), ("Ok", Some("a=\"1\"\nb=\"2\"")));
        assert_eq!(errors.iter().map(|error| error.field_name.as_str()).collect::<Vec<_>>(), ["labels", "status"]);
    }

    #[test]
    fn a_malformed_notification_is_refused() {
        for (body, named) in [
            (json!({}), vec!["version", "alerts"]),
            (json!({"version": "3", "alerts": []}), vec!["version"]),
            (json!([]), vec!["body"]),
        ] {
            let errors = read(&body).unwrap_err().errors;
            assert_eq!(errors.iter().map(|error| error.field_name.as_str()).collect::<Vec<_>>(), named);
        }
    }
}
