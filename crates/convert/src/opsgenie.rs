//! From Opsgenie: answers of its REST API, versions 1 and 2. Which file has which is in `docs/moving-in.md`.

mod alerts;
mod escalations;
mod on_call;
mod people;
mod routing;
mod schedules;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::{
    conversion::{Conversion, object},
    export::Export,
    json::{flag, id, number, text},
    online::{Client, Paging},
    source_schedule::SourceSchedule,
};

/// How schedules are read where the reference leaves room.
pub const ASSUMPTIONS: [&str; 4] = [
    "All rotations of a schedule count together: a person who has a turn in any of them is on call.",
    "Daily and weekly rotations hand over at the same time of day, by the clocks of the schedule's zone, and time \
     restrictions are times of these clocks, also on days on which they change.",
    "A turn goes on while its rotation is restricted: restrictions take time away from the person whose turn it is.",
    "An override of the whole schedule is on call through all of its time; one of some rotations while these take \
     place.",
];

/// Objects of an account, by their ids and by their names, with what they are called in Muster.
#[derive(Debug, Default)]
struct Directory {
    /// Login names of users.
    users: BTreeMap<String, String>,
    /// Users that are blocked.
    blocked: BTreeSet<String>,
    /// Names of user groups.
    teams: BTreeMap<String, String>,
    /// Names of rosters.
    schedules: BTreeMap<String, String>,
    /// Names of escalation policies.
    escalations: BTreeMap<String, String>,
}

impl Directory {
    /// The login name of a user.
    fn user(&self, reference: &Value) -> Result<String, String> {
        if let Some(user) = find(&self.users, reference, &["id", "username", "name"]) {
            return Ok(user);
        }
        let shown = text(reference, "username").or_else(|| text(reference, "id")).unwrap_or("?");
        let blocked = ["id", "username"].iter().filter_map(|name| text(reference, name));
        if blocked.into_iter().any(|name| self.blocked.contains(&name.to_lowercase())) {
            return Err(format!("the user {shown:?} is blocked"));
        }
        Err(format!("the user {shown:?} is not among the users of the account"))
    }

    /// The name of a team's user group.
    fn team(&self, reference: &Value) -> Result<String, String> {
        find(&self.teams, reference, &["id", "name"])
            .ok_or_else(|| format!("the team {:?} is not among the teams that are converted", shown(reference)))
    }

    /// The name of a schedule's roster.
    fn schedule(&self, reference: &Value) -> Result<String, String> {
        find(&self.schedules, reference, &["id", "name"])
            .ok_or_else(|| format!("the schedule {:?} is not converted", shown(reference)))
    }
}

fn find(names: &BTreeMap<String, String>, reference: &Value, by: &[&str]) -> Option<String> {
    by.iter().filter_map(|name| text(reference, name)).find_map(|name| names.get(&name.to_lowercase())).cloned()
}

/// How messages call what a reference names.
fn shown(reference: &Value) -> &str {
    text(reference, "name").or_else(|| text(reference, "id")).unwrap_or("?")
}

/// The seconds of `{"timeAmount": 5, "timeUnit": "minutes"}`.
fn wait(value: &Value) -> Result<i64, String> {
    let amount = number(value, "timeAmount").unwrap_or(0);
    let unit = match text(value, "timeUnit").unwrap_or("minutes") {
        "seconds" => 1,
        "minutes" => 60,
        "hours" => 3_600,
        "days" => 86_400,
        other => return Err(format!("a time in {other:?} is not known")),
    };
    amount.checked_mul(unit).filter(|seconds| *seconds >= 0).ok_or_else(|| format!("{amount} is not a length of time"))
}

/// Converts an account.
pub fn convert(export: &Export, conversion: &mut Conversion) {
    let mut directory = Directory::default();
    people::users(export, conversion, &mut directory);
    people::teams(export, conversion, &mut directory);
    schedules::schedules(export, conversion, &mut directory);
    escalations::escalations(export, conversion, &mut directory);
    routing::routing(export, conversion, &directory);
    heartbeats(export, conversion);
    integrations(export, conversion);
    alerts::open_alerts(export, conversion);
    for rule in export.list("forwarding-rules") {
        let name = text(rule, "alias").or_else(|| text(rule, "id")).unwrap_or("unnamed");
        conversion.report.refused(
            object("forwarding rule", name),
            "Muster does not forward what one person is told to another; make an override of the rosters that the \
             person is in",
        );
    }
    for window in export.list("maintenance") {
        let name = text(window, "description").or_else(|| text(window, "id")).unwrap_or("unnamed");
        conversion.report.refused(
            object("maintenance", name),
            "it switches integrations and policies off, and a MaintenanceWindow of Muster names machines, groups or \
             sites: make one for the machines that it is about",
        );
    }
    let services = export.list("services").len();
    conversion.omit_all("services", services, "they are for communication with customers, which Muster does not do");
}

fn heartbeats(export: &Export, conversion: &mut Conversion) {
    for heartbeat in export.list("heartbeats") {
        let Some(name) = conversion.required(heartbeat, "heartbeat", &["name"], "name") else { continue };
        let source = object("heartbeat", name);
        let unit = match text(heartbeat, "intervalUnit") {
            Some("minutes") | None => "m",
            Some("hours") => "h",
            Some("days") => "d",
            Some(other) => {
                conversion.report.refused(source, format!("its interval is in {other:?}"));
                continue;
            }
        };
        let interval = number(heartbeat, "interval").filter(|interval| *interval > 0);
        let Some(interval) = interval else {
            conversion.report.refused(source, "it has no interval");
            continue;
        };
        if flag(heartbeat, "enabled") == Some(false) {
            conversion.report.omitted(source, "it is disabled");
            continue;
        }
        let severity = match text(heartbeat, "alertPriority") {
            Some("P3" | "P4") => "Warning",
            Some("P5") => "Info",
            _ => "Critical",
        };
        let body = json!({"name": name, "interval": format!("{interval}{unit}"), "severity": severity});
        let mut lost = vec!["it has a new address, which is shown when it is made: change who sends it".to_owned()];
        for (field, what) in [("alertMessage", "message"), ("alertTags", "tags"), ("ownerTeam", "owner team")] {
            let empty = heartbeat.get(field).is_none_or(|value| {
                value.is_null() || value.as_str() == Some("") || value.as_array().is_some_and(Vec::is_empty)
            });
            if !empty {
                lost.push(format!("the {what} of its alert is lost: an alert of a heartbeat has none of its own"));
            }
        }
        conversion.convert(source, "Heartbeat", name, Ok(body), lost);
    }
}

fn integrations(export: &Export, conversion: &mut Conversion) {
    for integration in export.list("integrations") {
        let Some(name) = conversion.required(integration, "integration", &["name"], "name") else { continue };
        let kind = text(integration, "type").unwrap_or("?");
        let source = object("integration", name);
        if flag(integration, "enabled") == Some(false) {
            conversion.report.omitted(source, "it is disabled");
            continue;
        }
        let path = match kind.to_ascii_lowercase().as_str() {
            "api" => "…/opsgenie, or /v2/alerts with its token as the API key",
            "prometheus" => "…/alertmanager",
            "grafana" => "…/grafana",
            "zabbix" => "…/zabbix",
            "webhook" | "marid" | "oec" | "slack" | "slackapp" | "msteams" | "jira" | "servicenow" | "email" => {
                let reason = format!(
                    "it is of the type {kind}: where Opsgenie calls others, install an integration; mail is not taken"
                );
                conversion.report.omitted(source, reason);
                continue;
            }
            _ => "the address itself, as a plain report, if it can send a webhook",
        };
        let lost = format!(
            "its address is shown when it is made; the monitor ({kind}) has to send to {path}. Filters and fields of \
             the integration are lost"
        );
        conversion.convert(source, "InboundAddress", name, Ok(json!({"name": name})), vec![lost]);
    }
}

/// Who is on call by its schedules.
pub fn on_call<'e>(export: &'e Export, conversion: &mut Conversion) -> Vec<SourceSchedule<'e>> {
    let mut directory = Directory::default();
    people::users(export, conversion, &mut directory);
    on_call::schedules(export, &directory)
}

/// Asks Opsgenie for all that is converted.
///
/// # Errors
/// When an answer cannot be had.
pub fn fetch(client: &mut Client) -> anyhow::Result<Export> {
    let mut export = Export::default();
    let next = Paging::Link(&["paging", "next"]);
    client.pages(&mut export, "users", "v2/users?limit=100", next)?;
    client.pages(&mut export, "teams", "v2/teams", Paging::None)?;
    client.pages(&mut export, "schedules", "v2/schedules?expand=rotation&limit=100", next)?;
    client.pages(&mut export, "escalations", "v2/escalations", Paging::None)?;
    let optional = [
        ("heartbeats", "v2/heartbeats"),
        ("integrations", "v2/integrations"),
        ("forwarding-rules", "v2/forwarding-rules"),
        ("services", "v1/services?limit=100"),
        ("maintenance", "v1/maintenance?type=non-expired"),
        ("alerts", "v2/alerts?query=status%3Aopen&limit=100"),
    ];
    for (name, path) in optional {
        client.optional_pages(&mut export, name, path, next)?;
    }
    for user in export.ids("users") {
        client.object(&mut export, &["users", &user], "v2", "expand=contact")?;
        let rules = format!("users/{user}/notification-rules");
        client.object(&mut export, &["users", &user, "notification-rules"], "v2", "")?;
        let alerts: Vec<String> = export
            .list(&rules)
            .iter()
            .filter(|rule| text(rule, "actionType") == Some("create-alert"))
            .filter_map(|rule| id(rule, "id"))
            .collect();
        for rule in alerts {
            client.object(&mut export, &["users", &user, "notification-rules", &rule], "v2", "")?;
        }
    }
    for team in export.ids("teams") {
        client.object(&mut export, &["teams", &team], "v2", "")?;
        client.object(&mut export, &["teams", &team, "routing-rules"], "v2", "")?;
    }
    for schedule in export.ids("schedules") {
        client.object(&mut export, &["schedules", &schedule, "overrides"], "v2", "")?;
    }
    Ok(export)
}
