//! The webhook of a Prometheus Alertmanager, version 4, and of Grafana's alerting, which calls the same shape version 1
//! ("Alertmanager" in `docs/interface.md`).

use base::{
    problem::{FieldError, Problem},
    timestamp::Timestamp,
};
use serde_json::{Map, Value, json};

use super::{
    ALERTMANAGER, Event, Fields, GRAFANA, ParsedEvent, graded, identifier,
    instants::{instant, time},
    json_in, pairs, plain, tags, text,
};
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

/// Is this a notification, or one alert or several alone, whatever address it came to?
pub fn is_notification(body: &Value) -> bool {
    let is_alert = |alert: &Value| {
        let fields = alert.as_object().map(Fields::of);
        let has =
            |name: &str| fields.as_ref().is_some_and(|fields| fields.get(name).is_some_and(|value| !value.is_null()));
        has("labels") || has("annotations") || has("fingerprint")
    };
    // Plain reports have labels, too.
    let is_alone = |alert: &Value| is_alert(alert) && !plain::has_subject(alert);
    match body {
        Value::Array(all) => all.iter().any(is_alone),
        body => body["alerts"].as_array().is_some_and(|all| all.iter().any(is_alert)) || is_alone(body),
    }
}

/// The notification that this is: its alerts may be one, or a text, and an array or an alert may come alone.
///
/// # Errors
/// The body, when it has no alerts.
fn notification(mut body: Value) -> Result<Value, Value> {
    let alone = |alerts: Value| Ok(Value::Object(Map::from_iter([("alerts".to_owned(), alerts)])));
    match &body["alerts"] {
        _ if body.is_array() => return alone(body),
        Value::Array(_) => return Ok(body),
        Value::Null if is_notification(&body) => return alone(json!([body])),
        _ => {}
    }
    let Some(alerts) = body.get_mut("alerts") else { return Err(body) };
    match alerts.as_str().map_or_else(|| Some(alerts.clone()), json_in) {
        Some(one @ Value::Object(_)) => *alerts = json!([one]),
        Some(all @ Value::Array(_)) => *alerts = all,
        _ => return Err(body),
    }
    Ok(body)
}

/// The same of any version: the address says whose it is, `alertmanager` or `grafana`. An alert without a status has
/// that of the notification, or is over when its end has passed. What is none may be a plain report, and what has no
/// alerts is what Grafana before version 9 says of a rule.
///
/// # Errors
/// 400 when it names no problem, or has too many alerts.
pub fn read_leniently(body: Value, sender: &str, now: Timestamp) -> Result<Vec<ParsedEvent>, Problem> {
    let are_alone = body["alerts"].is_null();
    let mut body = match notification(body) {
        Ok(body) => body,
        Err(body) => return Ok(vec![Ok(plain::read_rule(body)?)]),
    };
    let of_all = body.get("status").map(|status| text(Some(status))).filter(|status| is_firing(status).is_some());
    let mut odd = Vec::new();
    for (index, alert) in body["alerts"].as_array_mut().into_iter().flatten().enumerate() {
        let Some(alert) = alert.as_object_mut() else { continue };
        let fields = Fields::of(alert);
        if is_firing(&fields.text("status")).is_some() {
            continue;
        }
        let ended = instant(fields.get("endsAt")).is_some_and(|end| end.millis() + CLOCKS_MS <= now.millis());
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
    let event = |(report, alert): (ParsedReport, &Value)| match report {
        Ok(report) => Ok(Event::Report(Box::new(report))),
        Err(errors) => plain::read(alert).map_err(|_| errors),
    };
    Ok(reports.into_iter().zip(body["alerts"].as_array().into_iter().flatten()).map(event).collect())
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
    let (Some(alerts), true) = (alerts, errors.is_empty()) else { return Err(Problem::fields(errors)) };
    let mut reports: Vec<ParsedReport> = alerts.iter().map(|alert| report(alert, app, &group)).collect();
    let truncated = text(given.truncated_alerts);
    if !matches!(truncated.as_str(), "" | "0")
        && let Some(first) = reports.iter_mut().flatten().next()
    {
        first.repairs.push(format!("{truncated:.20} more alerts were left out of the notification by its sender"));
    }
    Ok(reports)
}

fn report(alert: &Value, app: &str, group: &str) -> ParsedReport {
    let nothing = Map::new();
    let fields = Fields::of(alert.as_object().unwrap_or(&nothing));
    let given = AlertmanagerAlert::read(|name| fields.get(name));
    let labels: Option<Map<String, Value>> = match given.labels {
        Some(Value::Object(labels)) => Some(labels.clone()),
        Some(list @ Value::Array(_)) => {
            let labels: Map<String, Value> =
                pairs(list).into_iter().map(|(name, value)| (name, json!(value))).collect();
            (!labels.is_empty()).then_some(labels)
        }
        _ => None,
    };
    let firing = is_firing(&text(given.status));
    let fingerprint = identifier([given.fingerprint]);
    let is_named = labels.is_some() || !fingerprint.is_empty() || given.annotations.is_some_and(Value::is_object);
    let (true, Some(firing)) = (is_named, firing) else {
        let missing = |there: bool, name: &str, message: &str| (!there).then(|| FieldError::new(name, message));
        let labels = missing(is_named, "labels", "must be an object");
        let status = missing(firing.is_some(), "status", "must be one of: firing, resolved");
        return Err(labels.into_iter().chain(status).collect());
    };
    let unlabelled = labels.is_none().then(|| "it has no labels".to_owned());
    let tags = tags(given.labels.filter(|_| labels.is_some()));
    let labels = &labels.unwrap_or_default();
    let by_name = Fields::of(labels);
    let label = |name: &str| by_name.text(name);
    let annotations = given.annotations.and_then(Value::as_object);
    let annotation = |name: &str| text(annotations.and_then(|all| all.get(name)));
    let (state, unknown) = if firing { graded(&label("severity")) } else { ("Ok", None) };
    let (start, unread) = time([given.starts_at]);
    let (end, unread_end) = time([given.ends_at.filter(|_| !firing)]);
    let metric = label("alertname");
    let subject = first([annotation("summary"), annotation("message"), annotation("title"), metric.clone()]);
    // Grafana says which panel shows it.
    let url = [given.generator_url, fields.get("panelURL"), fields.get("dashboardURL")].map(text);
    Ok(Report {
        state,
        warnings: [unlabelled, unknown, unread, unread_end].into_iter().flatten().collect(),
        time: if firing { start } else { end },
        key: key(&fingerprint).or_else(|| key(&in_order(labels))).or_else(|| subject.is_empty().then(String::new)),
        subject: if subject.is_empty() && firing { format!("An alert is {state}") } else { subject },
        description: first([annotation("description"), annotation("runbook_url")]),
        metric,
        app: app.to_owned(),
        component: label("component"),
        device: resource(&by_name),
        tags,
        start,
        former: LegacyIdentity::KeyAlone,
        ext_alert_id: fingerprint,
        group_key: group.to_owned(),
        url: first(url),
        ..Report::default()
    })
}

/// The machine that the labels name, without its port.
fn resource(labels: &Fields<'_>) -> DeviceNames {
    let names = ["instance", "host", "hostname", "node", "nodename"];
    let found = names.iter().map(|name| labels.text(name)).find(|text| !text.is_empty());
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
        /// How many alerts of the group the sender left out; `warnings` of the first one says so.
        truncated_alerts as "truncatedAlerts": Option<i64>,
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
mod tests;
