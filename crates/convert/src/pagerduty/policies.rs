//! Escalation policies, services, which are routes to them, and maintenance of services.

use base::duration;
use serde_json::{Value, json};

use super::{Directory, named};
use crate::{
    clock::interval,
    conversion::{Conversion, object},
    export::Export,
    json::{cut, id, list, number, part, text},
    policy,
    service::{self, ROUTE_NOTE, Service},
};

/// Escalation policies.
pub fn policies(export: &Export, conversion: &mut Conversion, directory: &mut Directory) {
    for policy in export.list("escalation_policies") {
        let Some(name) = conversion.required(policy, "escalation policy", &["name", "summary"], "name") else {
            continue;
        };
        let source = object("escalation policy", name);
        let body = body(policy, name, directory);
        if conversion.convert(source, "EscalationPolicy", name, body, Vec::new()) {
            directory.policies.extend(id(policy, "id").map(|id| (id, cut(name, 200))));
        }
    }
}

fn body(source: &Value, name: &str, directory: &Directory) -> Result<Value, String> {
    let mut steps = Vec::new();
    for rule in list(source, "escalation_rules") {
        let strategy = part(rule, &["escalation_rule_assignment_strategy"]);
        let strategy = strategy.and_then(|strategy| strategy.as_str().or_else(|| text(strategy, "type")));
        if strategy.is_some_and(|strategy| strategy != "assign_to_everyone") {
            return Err("a rule tells its targets in turn, alert by alert; a step tells all of its targets".to_owned());
        }
        let mut targets = Vec::new();
        for target in list(rule, "targets") {
            targets.push(match text(target, "type").unwrap_or_default().trim_end_matches("_reference") {
                "user" => json!({"user": {"loginName": directory.user(target)?}}),
                "schedule" => json!({"roster": {"name": directory.schedule(target)?}}),
                other => return Err(format!("a rule tells a {other:?}, which is not known")),
            });
        }
        let minutes = number(rule, "escalation_delay_in_minutes").unwrap_or(30);
        steps.push(policy::Step { targets, wait: minutes.saturating_mul(60) });
    }
    policy::body(name, text(source, "description"), &steps, number(source, "num_loops").unwrap_or(0))
}

/// Services.
pub fn services(export: &Export, conversion: &mut Conversion, directory: &Directory) {
    let mut position = 0;
    for service in export.list("services") {
        let Some(name) = conversion.required(service, "service", &["name", "summary"], "name") else { continue };
        let source = object("service", name);
        if text(service, "status") == Some("disabled") {
            conversion.report.omitted(source, "it is disabled");
            continue;
        }
        let reference = service.get("escalation_policy").unwrap_or(&Value::Null);
        let Some(policy) = named(&directory.policies, reference) else {
            let reason = format!("its escalation policy {:?} is not converted", super::shown(reference));
            conversion.report.refused(source, reason);
            continue;
        };
        position += 10;
        let integrations = list(service, "integrations").iter().map(|integration| {
            let name = text(integration, "summary").or_else(|| text(integration, "name"));
            name.unwrap_or("Integration").to_owned()
        });
        let made = Service {
            name,
            description: text(service, "description"),
            policy: &policy,
            position,
            integrations: integrations.collect(),
        };
        let becomes = match service::add(&made, conversion) {
            Ok(becomes) => becomes,
            Err(reason) => {
                conversion.report.refused(source, reason);
                continue;
            }
        };
        let mut lost = vec![ROUTE_NOTE.to_owned()];
        if !list(service, "integrations").is_empty() {
            lost.push(
                "addresses of its integrations are shown when they are made; a monitor that sends to PagerDuty's \
                 Events API sends to /v2/enqueue with the new token as its routing_key"
                    .to_owned(),
            );
        }
        if let Some(seconds) = number(service, "acknowledgement_timeout") {
            lost.push(format!(
                "an acknowledgement holds for {}: set ackTimeout of the policy, which is for all of its alerts",
                duration::text(seconds.saturating_mul(1_000))
            ));
        }
        if let Some(seconds) = number(service, "auto_resolve_timeout") {
            lost.push(format!(
                "alerts do not close by themselves after {}",
                duration::text(seconds.saturating_mul(1_000))
            ));
        }
        let urgency = part(service, &["incident_urgency_rule"]);
        match urgency.and_then(|rule| text(rule, "urgency")) {
            Some("high") | None => {}
            Some(other) => lost.push(format!("its urgency is {other:?}: set the urgency of the policy")),
        }
        conversion.report.converted(source, becomes, lost);
    }
}

/// Maintenance windows: none has a counterpart, since a service has no machines.
pub fn maintenance(export: &Export, conversion: &mut Conversion) {
    for window in export.list("maintenance_windows") {
        let name = text(window, "description").or_else(|| text(window, "id")).unwrap_or("unnamed");
        let source = object("maintenance window", name);
        let services =
            list(window, "services").iter().filter_map(|one| text(one, "summary").or_else(|| text(one, "id")));
        let services = services.collect::<Vec<_>>().join(", ");
        match interval(window, "start_time", "end_time") {
            Ok(time) if time.end() <= conversion.settings.now => conversion.report.omitted(source, "it is over"),
            Ok(time) => conversion.report.refused(source, service::maintenance_note(&services, time)),
            Err(reason) => conversion.report.refused(source, reason),
        }
    }
}
