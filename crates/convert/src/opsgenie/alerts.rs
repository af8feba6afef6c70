//! Open alerts. They are not a part of a tenant's configuration: they are written as reports, which can be sent.

use serde_json::{Value, json};

use crate::{
    conversion::{Conversion, OPEN_ALERTS},
    export::Export,
    json::{cut, list, part, text},
    report::Outcome,
};

/// Alerts that are open, one report a line.
pub fn open_alerts(export: &Export, conversion: &mut Conversion) {
    let mut lines = String::new();
    let mut count = 0;
    for alert in export.list("alerts").into_iter().filter(|alert| text(alert, "status") != Some("closed")) {
        let Some(message) = conversion.required(alert, "alert", &["message"], "message") else { continue };
        let state = match text(alert, "priority") {
            Some("P3" | "P4") => "Warning",
            Some("P5") => "Info",
            _ => "Critical",
        };
        let mut tags: Vec<Value> = list(alert, "tags")
            .iter()
            .filter_map(Value::as_str)
            .map(|name| json!({"name": cut(name, 200), "value": ""}))
            .collect();
        if let Some(Value::Object(details)) = part(alert, &["details"]) {
            let value = |value: &Value| value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
            tags.extend(details.iter().map(|(name, text)| json!({"name": name, "value": value(text)})));
        }
        let mut report = json!({"currentState": state, "subject": cut(message, 1_000)});
        if let Value::Object(fields) = &mut report {
            let entity = text(alert, "entity").or_else(|| text(alert, "source"));
            let more = [
                ("description", text(alert, "description").map(|text| json!(text))),
                ("extAlertId", text(alert, "alias").map(|text| json!(text))),
                ("device", entity.map(|name| json!({"hostName": name}))),
                ("tags", Some(json!(tags)).filter(|_| !tags.is_empty())),
            ];
            fields.extend(more.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        }
        lines.push_str(&report.to_string());
        lines.push('\n');
        count += 1;
    }
    if count > 0 {
        conversion.open_alerts = Some(lines);
        let note = format!(
            "they are in {OPEN_ALERTS}, a report a line, for POST /alert: send them once monitors report to Muster, or \
             let these report again"
        );
        conversion.report.add(
            format!("open alerts ({count})"),
            Outcome::Partial,
            vec![OPEN_ALERTS.to_owned()],
            vec![note],
        );
    }
}
