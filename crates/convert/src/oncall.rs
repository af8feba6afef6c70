//! From Grafana OnCall: answers of its public interface. Which file has which is in `docs/moving-in.md`.

mod chains;
mod events;
mod on_call;
mod people;
mod schedules;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::{
    conversion::{Conversion, object},
    export::Export,
    json::{id, part, text},
    online::{Client, Paging},
    source_schedule::SourceSchedule,
};

/// How schedules are read where there is a choice.
pub const ASSUMPTIONS: [&str; 4] = [
    "Shifts of the highest level that somebody has at an instant count, and all shifts of that level count together.",
    "A shift is a time of the clocks of its zone, or else of its schedule's, also on days on which they change.",
    "Of a weekly rotation a person has the days of a week that begins on the first day of the week that the shift \
     names.",
    "An override is on call through all of its time, and nobody else is.",
];

/// Objects of an installation, by their ids, with what they are called in Muster.
#[derive(Debug, Default)]
struct Directory {
    users: BTreeMap<String, String>,
    teams: BTreeMap<String, String>,
    schedules: BTreeMap<String, String>,
    chains: BTreeMap<String, String>,
}

impl Directory {
    /// The login name of a user.
    fn user(&self, id: &str) -> Result<String, String> {
        self.users.get(id).cloned().ok_or_else(|| format!("the user {id:?} is not among the users"))
    }
}

/// Converts an installation.
pub fn convert(export: &Export, conversion: &mut Conversion) {
    let mut directory = Directory::default();
    people::users(export, conversion, &mut directory);
    people::teams(export, conversion, &mut directory);
    schedules::schedules(export, conversion, &mut directory);
    chains::chains(export, conversion, &mut directory);
    for integration in export.list("integrations") {
        let Some(name) = conversion.required(integration, "integration", &["name"], "name") else { continue };
        let source = object("integration", name);
        let chain = part(integration, &["default_route", "escalation_chain_id"]).and_then(Value::as_str);
        let chain = chain.and_then(|id| directory.chains.get(id));
        let mut lost =
            vec!["its address is shown when it is made: change who sends; its templates are lost".to_owned()];
        lost.extend(chain.map(|chain| {
            format!(
                "its alerts went to the chain {chain:?}: no field of an alert says by which integration it came, so \
                 make an AlertRoute to that policy by what its alerts have"
            )
        }));
        conversion.convert(source, "InboundAddress", name, Ok(json!({"name": name})), lost);
    }
    for route in export.list("routes") {
        let shown = text(route, "routing_regex").or_else(|| text(route, "id")).unwrap_or("default");
        let name = format!("{shown} of {}", id(route, "integration_id").unwrap_or_default());
        conversion.report.refused(
            object("route", &name),
            "it is an expression over what a monitor sends, and an AlertRoute asks for fields of an alert: make one",
        );
    }
}

/// Who is on call by its schedules.
pub fn on_call<'e>(export: &'e Export, conversion: &mut Conversion) -> Vec<SourceSchedule<'e>> {
    let mut directory = Directory::default();
    people::users(export, conversion, &mut directory);
    on_call::schedules(export, &directory)
}

/// Asks OnCall for all that is converted.
///
/// # Errors
/// When an answer cannot be had.
pub fn fetch(client: &mut Client) -> anyhow::Result<Export> {
    let mut export = Export::default();
    let next = Paging::Link(&["next"]);
    for name in ["users", "schedules", "on_call_shifts"] {
        client.pages(&mut export, name, &format!("api/v1/{name}/"), next)?;
    }
    let optional = ["teams", "personal_notification_rules", "escalation_chains", "escalation_policies"];
    for name in optional.into_iter().chain(["integrations", "routes"]) {
        client.optional_pages(&mut export, name, &format!("api/v1/{name}/"), next)?;
    }
    Ok(export)
}
