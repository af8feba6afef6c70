//! From PagerDuty: answers of its REST API, version 2. Which file has which is in `docs/moving-in.md`.

mod on_call;
mod people;
mod policies;
mod schedules;

use std::collections::BTreeMap;

use base::Timestamp;
use serde_json::Value;

use crate::{
    conversion::Conversion,
    export::Export,
    json::{id, text},
    online::{Client, Paging},
    source_schedule::SourceSchedule,
};

/// How schedules are read where the reference leaves room.
pub const ASSUMPTIONS: [&str; 5] = [
    "Layers are listed from the one that counts most: where a layer has somebody on call, those behind it in the list \
     have nobody.",
    "Turns of whole days hand over at the same time of day, by the clocks of the schedule's zone, also on days on \
     which they change.",
    "A restriction is a time of these clocks: one of eight hours from 22:00 ends at 06:00 on every day.",
    "A turn goes on while its layer is restricted: restrictions take time away from the person whose turn it is.",
    "An override is on call through all of its time, and nobody else is.",
];

/// Objects of an account, by their ids, with what they are called in Muster.
#[derive(Debug, Default)]
struct Directory {
    users: BTreeMap<String, String>,
    schedules: BTreeMap<String, String>,
    policies: BTreeMap<String, String>,
}

impl Directory {
    /// The login name of a user.
    fn user(&self, reference: &Value) -> Result<String, String> {
        named(&self.users, reference)
            .ok_or_else(|| format!("the user {:?} is not among the users of the account", shown(reference)))
    }

    /// The name of a schedule's roster.
    fn schedule(&self, reference: &Value) -> Result<String, String> {
        named(&self.schedules, reference).ok_or_else(|| format!("the schedule {:?} is not converted", shown(reference)))
    }
}

fn named(names: &BTreeMap<String, String>, reference: &Value) -> Option<String> {
    names.get(&id(reference, "id")?).cloned()
}

fn shown(reference: &Value) -> &str {
    text(reference, "summary").or_else(|| text(reference, "id")).unwrap_or("?")
}

/// Converts an account.
pub fn convert(export: &Export, conversion: &mut Conversion) {
    let mut directory = Directory::default();
    people::users(export, conversion, &mut directory);
    people::teams(export, conversion, &directory);
    schedules::schedules(export, conversion, &mut directory);
    policies::policies(export, conversion, &mut directory);
    policies::services(export, conversion, &directory);
    policies::maintenance(export, conversion);
    let rulesets = export.list("rulesets").len();
    conversion.omit_all("rulesets", rulesets, "events are routed by alert routes: say there what its rules say");
    let incidents = export.list("incidents").len();
    conversion.omit_all(
        "open incidents",
        incidents,
        "monitors report again what is still wrong; an incident does not say how its alert was reported",
    );
}

/// Who is on call by its schedules.
pub fn on_call<'e>(export: &'e Export, conversion: &mut Conversion) -> Vec<SourceSchedule<'e>> {
    let mut directory = Directory::default();
    people::users(export, conversion, &mut directory);
    on_call::schedules(export, &directory)
}

/// Asks PagerDuty for all that is converted; for overrides, of the year after an instant.
///
/// # Errors
/// When an answer cannot be had.
pub fn fetch(client: &mut Client, now: Timestamp) -> anyhow::Result<Export> {
    let mut export = Export::default();
    let users = "users?limit=100&include%5B%5D=contact_methods&include%5B%5D=notification_rules";
    client.pages(&mut export, "users", users, Paging::Offset)?;
    client.pages(&mut export, "schedules", "schedules?limit=100", Paging::Offset)?;
    client.pages(&mut export, "escalation_policies", "escalation_policies?limit=100", Paging::Offset)?;
    let optional = [
        ("teams", "teams?limit=100"),
        ("services", "services?limit=100&include%5B%5D=integrations"),
        ("maintenance_windows", "maintenance_windows?limit=100&filter=open"),
        ("rulesets", "rulesets?limit=100"),
        ("incidents", "incidents?limit=100&statuses%5B%5D=triggered&statuses%5B%5D=acknowledged"),
    ];
    for (name, path) in optional {
        client.optional_pages(&mut export, name, path, Paging::Offset)?;
    }
    for team in export.ids("teams") {
        client.listed(&mut export, &["teams", &team, "members"], "limit=100", Paging::Offset)?;
    }
    let until = Timestamp::from_millis(now.millis().saturating_add(365 * 86_400_000));
    let range = format!("since={}&until={}", iso(now), iso(until));
    for schedule in export.ids("schedules") {
        client.object(&mut export, &["schedules", &schedule], "", "")?;
        client.object(&mut export, &["schedules", &schedule, "overrides"], "", &range)?;
    }
    Ok(export)
}

/// An instant without letters that a URL escapes.
fn iso(at: Timestamp) -> String {
    at.to_string().replace("+0000", "Z")
}
