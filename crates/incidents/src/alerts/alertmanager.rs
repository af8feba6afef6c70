//! The webhook of a Prometheus Alertmanager, version 4 ("Alertmanager" in `docs/interface.md`).

use base::{
    problem::{FieldError, Problem},
    timestamp::Timestamp,
};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::{
    intake::Read,
    report::{LONGEST_NAME, Named, Report},
    wire::Tag,
};

/// The most alerts of one notification.
const MOST: usize = 10_000;

/// Reads a notification: a report for each of its alerts.
///
/// # Errors
/// 400 when it is no notification of this version. An alert that is none is refused alone.
pub fn read(body: &Value) -> Result<Vec<Read>, Problem> {
    let mut errors = Vec::new();
    if !body.is_object() {
        return Err(Problem::field("body", "must be a JSON object"));
    }
    if body.get("version").is_none_or(|version| version != "4" && version != 4) {
        errors.push(FieldError::new("version", "must be 4"));
    }
    let alerts = body.get("alerts").and_then(Value::as_array);
    match alerts {
        None => errors.push(FieldError::new("alerts", "must be an array")),
        Some(alerts) if alerts.len() > MOST => {
            errors.push(FieldError::new("alerts", format!("must have at most {MOST} elements")));
        }
        Some(_) => {}
    }
    let group = text(body.get("groupKey"));
    match alerts {
        Some(alerts) if errors.is_empty() => Ok(alerts.iter().map(|alert| report(alert, &group)).collect()),
        _ => Err(Problem::fields(errors)),
    }
}

fn report(alert: &Value, group: &str) -> Read {
    let labels = alert.get("labels").and_then(Value::as_object);
    let firing = match text(alert.get("status")).to_ascii_lowercase().as_str() {
        "firing" => Some(true),
        "resolved" => Some(false),
        _ => None,
    };
    let (Some(labels), Some(firing)) = (labels, firing) else {
        let missing = |there: bool, name: &str, message: &str| (!there).then(|| FieldError::new(name, message));
        let labels = missing(labels.is_some(), "labels", "must be an object");
        let status = missing(firing.is_some(), "status", "must be one of: firing, resolved");
        return Err(labels.into_iter().chain(status).collect());
    };
    let label = |name: &str| text(labels.get(name));
    let annotations = alert.get("annotations").and_then(Value::as_object);
    let annotation = |name: &str| text(annotations.and_then(|all| all.get(name)));
    let state = if firing { state_of(&label("severity")) } else { "Ok" };
    let metric = label("alertname");
    let subject = first([annotation("summary"), annotation("message"), annotation("title"), metric.clone()]);
    let fingerprint = text(alert.get("fingerprint"));
    let time = instant(&text(alert.get(if firing { "startsAt" } else { "endsAt" })));
    Ok(Report {
        state,
        time,
        subject: if subject.is_empty() { format!("An alert is {state}") } else { subject },
        description: whole(first([annotation("description"), annotation("runbook_url")]), 4_000),
        metric,
        app: "Alertmanager".to_owned(),
        component: label("component"),
        device: resource(labels),
        tags: labels.iter().map(|(name, value)| Tag { name: name.clone(), value: text(Some(value)) }).collect(),
        identity: Some(if fingerprint.is_empty() { in_order(labels) } else { fingerprint.clone() }),
        ext_alert_id: fingerprint,
        group_key: group.to_owned(),
        url: text(alert.get("generatorURL")),
        ..Report::default()
    })
}

/// A severity that nobody here knows is the worst: somebody meant something by it.
fn state_of(severity: &str) -> &'static str {
    match severity.to_ascii_lowercase().as_str() {
        "warning" | "warn" | "minor" | "medium" => "Warning",
        "info" | "information" | "informational" | "notice" | "none" | "low" | "debug" => "Info",
        _ => "Critical",
    }
}

/// The machine that the labels name, without its port.
fn resource(labels: &Map<String, Value>) -> Named {
    let names = ["instance", "host", "hostname", "node", "nodename"];
    let found = names.iter().map(|name| text(labels.get(*name))).find(|text| !text.is_empty());
    found.map(|text| Named::of_text(without_port(&text))).unwrap_or_default()
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

/// RFC 3339, with a fraction that is dropped; the year 1 stands for nothing.
fn instant(text: &str) -> Option<Timestamp> {
    let plain = match text.split_once('.') {
        None => text.to_owned(),
        Some((seconds, rest)) => seconds.to_owned() + rest.trim_start_matches(|digit: char| digit.is_ascii_digit()),
    };
    Timestamp::parse(&plain).filter(|at| at.millis() > 0)
}

/// Labels as one text, whatever their order.
fn in_order(labels: &Map<String, Value>) -> String {
    let mut all: Vec<String> = labels.iter().map(|(name, value)| format!("{name}={value}")).collect();
    all.sort_unstable();
    all.join("\n")
}

fn text(value: Option<&Value>) -> String {
    whole(value.and_then(Value::as_str).unwrap_or_default().trim().to_owned(), LONGEST_NAME * 4)
}

fn first<const N: usize>(texts: [String; N]) -> String {
    texts.into_iter().find(|text| !text.is_empty()).unwrap_or_default()
}

/// A template may write any amount of text, and its length is no reason to lose an alert.
fn whole(text: String, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => text.get(..end).unwrap_or_default().to_owned(),
        None => text,
    }
}

/// A notification, for the document.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase", example = json!({
    "version": "4", "groupKey": "{}:{alertname=\"HighLoad\"}", "status": "firing", "receiver": "muster",
    "alerts": [{
        "status": "firing", "fingerprint": "b1c9d04f6a4f0f9a", "startsAt": "2026-11-20T20:37:00.000Z",
        "labels": {"alertname": "HighLoad", "severity": "critical", "instance": "web-01:9100"},
        "annotations": {"summary": "Load is 31"}
    }]
}))]
#[expect(dead_code, reason = "only its schema is used")]
pub struct AlertmanagerNotification {
    /// Always `4`.
    version: String,
    /// Which group was notified.
    group_key: Option<String>,
    /// `firing` or `resolved`, of the whole group.
    status: Option<String>,
    /// At most 10,000.
    alerts: Vec<AlertmanagerAlert>,
}

/// An alert of a notification.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "only its schema is used")]
pub struct AlertmanagerAlert {
    /// `firing` or `resolved`.
    #[schema(example = "firing")]
    status: String,
    /// What identifies it; kept as tags.
    #[schema(value_type = Object)]
    labels: Value,
    /// `summary` is the subject, `description` the description.
    #[schema(value_type = Option<Object>)]
    annotations: Option<Value>,
    /// Since when.
    starts_at: Option<String>,
    /// Until when, for one that is resolved.
    ends_at: Option<String>,
    /// What identifies the labels.
    fingerprint: Option<String>,
    /// Where the rule can be looked at.
    #[schema(rename = "generatorURL")]
    generator_url: Option<String>,
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
    fn times_have_fractions_and_the_year_one_is_none() {
        let at = |text| instant(text).map(|at| at.to_string());
        assert_eq!(at("2018-08-03T09:52:26.739266876+02:00").as_deref(), Some("2018-08-03T07:52:26+0000"));
        assert_eq!(at("2018-08-03T09:52:26Z").as_deref(), Some("2018-08-03T09:52:26+0000"));
        assert_eq!((at("0001-01-01T00:00:00Z"), at(""), at("soon")), (None, None, None));
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
        assert_eq!(firing.device.keys[0], ResourceKey::IpAddress("10.0.0.1".into()));
        assert_eq!((firing.identity.as_deref(), firing.tags.len()), (Some("f1"), 3));
        assert_eq!((resolved.state, resolved.identity.as_deref()), ("Ok", Some("a=\"1\"\nb=\"2\"")));
        assert_eq!(errors.iter().map(|error| error.field_name.as_str()).collect::<Vec<_>>(), ["labels", "status"]);
    }

    #[test]
    fn what_is_no_notification_is_refused() {
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
