//! What clients see and say of windows ("Maintenance windows" in `docs/interface.md`).

use base::{
    Fields,
    matching::{Meter, Operator, Rules},
    problem::{Problem, Wrong},
    timestamp::Timestamp,
};
use calendar::{Interval, MaintenanceSchedule};
use ports::Author;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::{documented::WindowSchedule, targets};

/// The longest name, in characters.
const LONGEST_NAME: usize = 200;

/// A window.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MaintenanceWindow)]
pub struct Window {
    /// `SM-<uuid>`.
    #[schema(example = "SM-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90")]
    pub unique_id: String,
    /// The tenant that it belongs to.
    #[schema(example = "client_1")]
    pub client_unique_id: String,
    /// What people call it.
    pub name: String,
    /// Empty when there is none.
    pub description: String,
    /// What it is doing now: `Active`, `Pending`, `Suspended` or `Completed`.
    #[schema(example = "Pending")]
    pub state: &'static str,
    /// `state` once more.
    #[schema(example = "Pending")]
    pub status: &'static str,
    /// When it is open, as far as its schedule says.
    #[schema(value_type = WindowSchedule)]
    pub schedule: MaintenanceSchedule,
    /// The time in which it is open now.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Occurrence>)]
    pub current: Option<Interval>,
    /// The time in which it will be open next.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Occurrence>)]
    pub next: Option<Interval>,
    /// Suspensions that are not over.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub suspensions: Vec<Suspension>,
    /// The resources that it covers by themselves.
    pub devices: Vec<DeviceTarget>,
    /// The device groups whose members it covers.
    pub device_groups: Vec<GroupTarget>,
    /// The sites whose resources it covers.
    pub locations: Vec<LocationTarget>,
    /// Are scripts to be run?
    #[serde(rename = "runRBA")]
    pub run_rba: bool,
    /// Are patches to be installed?
    pub install_patch: bool,
    /// Are alerts that are still open afterwards to be escalated?
    pub run_escalation_action: bool,
    /// Which alerts it catches; all when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alert_conditions: Option<AlertConditions>,
    /// Who made it.
    pub created_by: Author,
    /// When it was made.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub created_date: Timestamp,
    /// When it changed last.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub updated_date: Timestamp,
    /// `createdDate` once more.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub created_time: Timestamp,
    /// `updatedDate` once more.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub updated_time: Timestamp,
}

/// What a create answers.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CreatedMaintenanceWindow)]
pub struct Created {
    /// `SM-<uuid>`.
    #[schema(example = "SM-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90")]
    pub unique_id: String,
}

/// A stretch of time: it contains its start and not its end.
#[derive(ToSchema)]
#[schema(as = MaintenanceOccurrence)]
#[expect(dead_code, reason = "documents what calendar::Interval serialises")]
pub struct Occurrence {
    /// From when.
    #[schema(example = "2026-11-20T22:00:00+0000")]
    start: String,
    /// Until when.
    #[schema(example = "2026-11-21T02:00:00+0000")]
    end: String,
}

/// Time in which a window does not open.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = MaintenanceSuspension)]
pub struct Suspension {
    /// From when.
    #[schema(value_type = String, example = "2026-11-20T22:00:00+0000")]
    pub start: Timestamp,
    /// Until when; absent: until it is resumed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "2026-11-21T22:00:00+0000")]
    pub end: Option<Timestamp>,
}

/// A resource that a window covers.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MaintenanceDevice)]
pub struct DeviceTarget {
    /// UUID.
    pub unique_id: String,
    /// Its host name, empty when it has none; absent when the resource is not in the inventory any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_name: Option<String>,
}

/// A device group that a window covers.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MaintenanceDeviceGroup)]
pub struct GroupTarget {
    /// Its number.
    pub id: i64,
    /// `DGP-<uuid>`; absent when the group is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unique_id: Option<String>,
    /// Its name; absent when the group is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// A site that a window covers.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MaintenanceLocation)]
pub struct LocationTarget {
    /// Its number.
    pub id: i64,
    /// Its name; absent when the site is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// Which alerts a window catches.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AlertConditions {
    /// `ALL` or `ANY` of the rules have to hold.
    #[schema(example = "ALL")]
    pub matching_type: &'static str,
    /// At least one.
    pub rules: Vec<AlertRule>,
}

/// A rule of alert conditions.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AlertRule {
    /// A property of the alert, by its name or, with dots between names, by its path.
    #[schema(example = "subject")]
    pub key: String,
    /// `Equals`, `NotEquals`, `Startswith`, `Endswith`, `Contains`, `NotContains` or `Regex`.
    #[schema(example = "Contains")]
    pub operator: &'static str,
    /// What it is compared with.
    #[schema(example = "disk")]
    pub value: String,
}

impl From<&Rules> for AlertConditions {
    fn from(rules: &Rules) -> Self {
        let shown = |rule: &base::matching::Rule| AlertRule {
            key: rule.key.clone(),
            operator: rule.operator.word(),
            value: rule.value.clone(),
        };
        Self { matching_type: rules.match_type.word(), rules: rules.rules.iter().map(shown).collect() }
    }
}

/// A window to create or to preview, but for what it covers.
#[derive(Clone, Debug)]
pub struct NewWindow {
    /// Without blanks around it.
    pub name: String,
    /// Empty when there is none.
    pub description: String,
    /// When it is open.
    pub schedule: MaintenanceSchedule,
    /// Are scripts to be run?
    pub run_rba: bool,
    /// Are patches to be installed?
    pub install_patch: bool,
    /// Are alerts that are still open afterwards to be escalated?
    pub run_escalation: bool,
    /// Which alerts it catches.
    pub conditions: Option<Rules>,
}

/// A window to create, or the changes to one: what is left out stays as it is.
#[derive(Clone, Debug, Default)]
pub struct WindowChange {
    /// Another name.
    pub name: Option<String>,
    /// Another description.
    pub description: Option<String>,
    /// Another schedule.
    pub schedule: Option<MaintenanceSchedule>,
    /// Other targets, of the kinds of which the body has a list.
    pub targets: targets::Lists,
    /// As for a new one.
    pub run_rba: Option<bool>,
    /// As for a new one.
    pub install_patch: Option<bool>,
    /// As for a new one.
    pub run_escalation: Option<bool>,
    /// Other conditions, or none any more.
    pub conditions: Option<Option<Rules>>,
}

impl WindowChange {
    /// Reads a body; that of a new window must be complete. Says which fields are wrong, by their paths.
    pub fn read(body: &Value, is_new: bool, meter: &Meter) -> (Self, Wrong) {
        let mut fields = Fields::of(body);
        let change = Self::read_fields(&mut fields, is_new, meter);
        (change, fields.wrong())
    }

    /// The same of an object that is a part of a body; what is wrong is noted there.
    pub fn read_fields(fields: &mut Fields<'_>, is_new: bool, meter: &Meter) -> Self {
        let name = name(fields, is_new);
        let description = fields.text("description");
        // `endBy` beside the schedule is a part of it, and says nothing alone.
        let planned = is_new || fields.has("schedule") || fields.has("endBy");
        let schedule = if planned { MaintenanceSchedule::read(fields) } else { None };
        let targets = targets::Lists::read(fields, is_new);
        let (run_rba, install_patch, run_escalation) = flags(fields);
        let conditions = conditions(fields, meter);
        Self { name, description, schedule, targets, run_rba, install_patch, run_escalation, conditions }
    }

    /// The new window that this is, but for its targets, when nothing of it was wrong.
    ///
    /// # Errors
    /// 500 when something is missing nevertheless.
    pub fn complete(self) -> Result<NewWindow, Problem> {
        let (Some(name), Some(schedule)) = (self.name, self.schedule) else { return Err(Problem::internal()) };
        Ok(NewWindow {
            name,
            description: self.description.unwrap_or_default(),
            schedule,
            run_rba: self.run_rba.unwrap_or(false),
            install_patch: self.install_patch.unwrap_or(false),
            run_escalation: self.run_escalation.unwrap_or(true),
            conditions: self.conditions.flatten(),
        })
    }
}

fn name(fields: &mut Fields<'_>, required: bool) -> Option<String> {
    if !required && !fields.has("name") {
        return None;
    }
    let name = fields.required_text("name").trim().to_owned();
    if name.chars().nth(LONGEST_NAME).is_some() {
        fields.error("name", format!("must have at most {LONGEST_NAME} characters"));
    } else if name.chars().any(char::is_control) {
        fields.error("name", "must not contain control characters");
    }
    Some(name).filter(|name| !name.is_empty())
}

/// `runRBA`, `installPatch`, and `runEscalationAction`, which has two names.
fn flags(fields: &mut Fields<'_>) -> (Option<bool>, Option<bool>, Option<bool>) {
    let (rba, patch) = (fields.boolean("runRBA"), fields.boolean("installPatch"));
    let (escalation, other) = (fields.boolean("runEscalationAction"), fields.boolean("runEscalateAction"));
    if escalation.zip(other).is_some_and(|(one, other)| one != other) {
        fields.error("runEscalateAction", "says something else than runEscalationAction, which means the same");
    }
    (rba, patch, escalation.or(other))
}

/// The inner `None`: conditions without rules, which are none.
fn conditions(fields: &mut Fields<'_>, meter: &Meter) -> Option<Option<Rules>> {
    let mut conditions = fields.object("alertConditions")?;
    Some(Rules::read(&mut conditions, "matchingType", Operator::word, meter))
}
