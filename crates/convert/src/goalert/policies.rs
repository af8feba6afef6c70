//! Escalation policies and services.

use base::duration;
use calendar::Interval;
use serde_json::{Value, json};

use super::{Directory, schedules::of_rotation};
use crate::{
    clock::optional_instant,
    conversion::{Conversion, object},
    export::Export,
    json::{cut, flag, id, list, number, part, text},
    policy,
    service::{self, ROUTE_NOTE, Service},
};

/// Escalation policies.
pub fn policies(export: &Export, conversion: &mut Conversion, directory: &mut Directory<'_>) {
    for policy in export.list("escalationPolicies") {
        let Some(name) = conversion.required(policy, "escalation policy", &["name"], "name") else { continue };
        let source = object("escalation policy", name);
        let mut lost = Vec::new();
        let body = body(policy, name, conversion, directory, &mut lost);
        if conversion.convert(source, "EscalationPolicy", name, body, lost) {
            directory.policies.extend(id(policy, "id").map(|id| (id, cut(name, 200))));
        }
    }
}

fn body(
    source: &Value,
    name: &str,
    conversion: &mut Conversion,
    directory: &mut Directory<'_>,
    lost: &mut Vec<String>,
) -> Result<Value, String> {
    let mut steps: Vec<&Value> = list(source, "steps").iter().collect();
    steps.sort_by_key(|step| number(step, "stepNumber").unwrap_or(0));
    let mut bodies = Vec::new();
    for step in steps {
        let mut targets = Vec::new();
        let named = if list(step, "targets").is_empty() { list(step, "actions") } else { list(step, "targets") };
        for target in named {
            let kind = text(target, "type").unwrap_or_default();
            let argument = |name: &str| part(target, &["args", name]).and_then(Value::as_str).map(ToOwned::to_owned);
            let key = |name: &str| id(target, "id").or_else(|| argument(name)).unwrap_or_default();
            match kind {
                "user" | "builtin-user" => {
                    targets.push(json!({"user": {"loginName": directory.user(&key("user_id"))?}}));
                }
                "schedule" | "builtin-schedule" => {
                    let found = directory.schedules.get(&key("schedule_id"));
                    let roster = found.ok_or("a step tells a schedule that is not converted")?;
                    targets.push(json!({"roster": {"name": roster}}));
                }
                "rotation" | "builtin-rotation" => {
                    let roster = of_rotation(&key("rotation_id"), conversion, directory)?;
                    targets.push(json!({"roster": {"name": roster}}));
                }
                other => lost.push(format!("a step tells a {other}: install an integration and name it in the step")),
            }
        }
        if flag(step, "multiAck") == Some(true) {
            return Err("a step goes on telling people after an acknowledgement, which stops a policy".to_owned());
        }
        let minutes = number(step, "delayMinutes").unwrap_or(15);
        bodies.push(policy::Step { targets, wait: minutes.saturating_mul(60) });
    }
    policy::body(name, text(source, "description"), &bodies, number(source, "repeat").unwrap_or(0))
}

/// Services, with their integration keys and heartbeat monitors.
pub fn services(export: &Export, conversion: &mut Conversion, directory: &Directory<'_>) {
    let mut position = 0;
    for value in export.list("services") {
        let Some(name) = conversion.required(value, "service", &["name"], "name") else { continue };
        let source = object("service", name);
        let key = id(value, "escalationPolicyID")
            .or_else(|| part(value, &["escalationPolicy"]).and_then(|policy| id(policy, "id")));
        let Some(policy) = key.and_then(|key| directory.policies.get(&key)).cloned() else {
            conversion.report.refused(source, "its escalation policy is not converted");
            continue;
        };
        position += 10;
        let integrations =
            list(value, "integrationKeys").iter().map(|key| text(key, "name").unwrap_or("Integration").to_owned());
        let service = Service {
            name,
            description: text(value, "description"),
            policy: &policy,
            position,
            integrations: integrations.collect(),
        };
        let mut becomes = match service::add(&service, conversion) {
            Ok(becomes) => becomes,
            Err(reason) => {
                conversion.report.refused(source, reason);
                continue;
            }
        };
        let mut lost = vec![ROUTE_NOTE.to_owned()];
        if !service.integrations.is_empty() {
            lost.push("addresses of its integration keys are shown when they are made: change who sends".to_owned());
        }
        for monitor in list(value, "heartbeatMonitors") {
            let heartbeat = cut(&format!("{name}: {}", text(monitor, "name").unwrap_or("Heartbeat")), 200);
            let minutes = number(monitor, "timeoutMinutes").unwrap_or(0);
            if minutes < 1 || conversion.claim("Heartbeat", &heartbeat).is_err() {
                lost.push(format!("the heartbeat monitor {heartbeat:?} is lost"));
                continue;
            }
            let body = json!({"name": heartbeat, "interval": duration::text(minutes * 60_000), "grace": "0s"});
            becomes.push(conversion.add("Heartbeat", &heartbeat, body));
            lost.push(format!("the heartbeat {heartbeat:?} has a new address: change who sends it"));
        }
        match optional_instant(value, "maintenanceExpiresAt") {
            Ok(Some(until)) => {
                if let Some(time) = Interval::new(conversion.settings.now, until) {
                    let reason = service::maintenance_note(name, time);
                    conversion.report.refused(object("maintenance of the service", name), reason);
                }
            }
            Ok(None) => {}
            Err(reason) => conversion.report.refused(object("maintenance of the service", name), reason),
        }
        conversion.report.converted(source, becomes, lost);
    }
}
