//! What clients see and say of windows ("Maintenance windows" in `docs/interface.md`).

use api::Request;
use base::{
    Fields, Query,
    body::{Request as _, says},
    fold,
    matching::{Meter, Rules},
    timestamp::Timestamp,
};
use calendar::Interval;
use ports::Author;
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    conditions::{self, AlertConditions},
    targets::{self, DeviceReference, Kind, Lists, MOST, PlaceReference, Reference},
};
use crate::{
    course::State,
    schedule::{NEVER, WindowSchedule},
};

/// The longest name, in characters.
const LONGEST_NAME: usize = 200;
/// The longest extension at a time: a week of minutes.
const MOST_MINUTES: i64 = 7 * 24 * 60;

api::path_id! {
    /// `SM-<uuid>`.
    pub WindowId = "windowId", "SM-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90", window_id
}

/// The id of a window in the spelling in which it is stored.
pub fn window_id(text: &str) -> String {
    let folded = fold(text.trim());
    folded.strip_prefix("sm-").map(|uuid| format!("SM-{uuid}")).unwrap_or(folded)
}

api::texts! {
    /// An instant that a schedule may name, as a parameter.
    pub Instant = api::spec::of_form(calendar::forms::INSTANT);
}

/// A window, briefly.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MaintenanceWindowName)]
pub struct WindowName {
    /// `SM-<uuid>`.
    #[schema(example = "SM-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90")]
    pub unique_id: String,
    /// What people call it.
    #[schema(example = "Nightly patches")]
    pub name: String,
}

/// What narrows a search, beside its filter.
#[derive(Clone, Debug, api::Parameters)]
pub struct Narrowed {
    /// The same as the variable of `queryString`.
    #[request(with = filled, schema = String, example = "patch")]
    pub name: Option<String>,
    /// The same as the variable of `queryString`.
    #[request(with = state, words = State::WORDS, example = "Active")]
    pub state: Option<State>,
    /// Another name for `state`.
    #[request(with = state, words = State::WORDS, example = "Active")]
    pub status: Option<State>,
    /// The same as the variable of `queryString`.
    #[request(with = filled, schema = String, example = "f65fa9e1-3f9a-4f0e-9d5a-3c1d7a5b2e90")]
    pub resource_id: Option<String>,
    /// The same as the variable of `queryString`.
    #[request(example = "2026-11-20T00:00:00Z")]
    pub start_time: Option<Timestamp>,
    /// The same as the variable of `queryString`.
    #[request(example = "2026-11-27T00:00:00Z")]
    pub end_time: Option<Timestamp>,
}

/// A text with something in it. An empty one names nothing, and must not stand for everything.
pub fn filled(query: &mut Query, name: &str) -> Option<String> {
    let text = query.text(name)?.trim().to_owned();
    if text.is_empty() {
        query.error(name, "must not be empty");
        return None;
    }
    Some(text)
}

fn state(query: &mut Query, name: &str) -> Option<State> {
    State::parse(query.one_of(name, &State::WORDS, ""))
}

/// A window.
#[api::without_none]
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
    #[schema(pattern = "^(Active|Pending|Suspended|Completed)$", example = "Pending")]
    pub state: &'static str,
    /// The same as `state`.
    #[schema(pattern = "^(Active|Pending|Suspended|Completed)$", example = "Pending")]
    pub status: &'static str,
    /// When it is open, as far as its schedule says.
    pub schedule: WindowSchedule,
    /// The time in which it is open now.
    pub current: Option<Occurrence>,
    /// The time in which it will be open next.
    pub next: Option<Occurrence>,
    /// Suspensions that are not over.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub suspensions: Vec<Suspension>,
    /// Occurrences that were skipped or ended early and are not over yet, as the schedule has them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub skipped: Vec<Occurrence>,
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
    pub alert_conditions: Option<AlertConditions>,
    /// Who made it.
    pub created_by: Author,
    /// When it was made.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub created_date: Timestamp,
    /// When it changed last.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub updated_date: Timestamp,
    /// The same as `createdDate`.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub created_time: Timestamp,
    /// The same as `updatedDate`.
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
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = MaintenanceOccurrence)]
pub struct Occurrence {
    /// From when.
    #[schema(value_type = String, example = "2026-11-20T22:00:00+0000")]
    pub start: Timestamp,
    /// Until when.
    #[schema(value_type = String, example = "2026-11-21T02:00:00+0000")]
    pub end: Timestamp,
}

impl From<Interval> for Occurrence {
    fn from(open: Interval) -> Self {
        Self { start: open.start(), end: open.end() }
    }
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
#[api::without_none]
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MaintenanceDeviceGroup)]
pub struct GroupTarget {
    /// Its number.
    pub id: i64,
    /// `DGP-<uuid>`; absent when the group is gone.
    pub unique_id: Option<String>,
    /// Its name; absent when the group is gone.
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

/// A window to create, or to preview. At least one of `devices`, `deviceGroups` and `locations` is needed; together
/// they have at most 100 elements.
#[derive(Clone, Debug, PartialEq, Request)]
#[request(schema = "MaintenanceWindowInput", check = check_new)]
#[request(update(
    name = WindowChange,
    schema = "MaintenanceWindowUpdate",
    doc = "The changes to a window; what is left out stays as it is. A list of targets takes the place of the former \
           one.",
    check = check_change
))]
pub struct NewWindow {
    /// What people call it.
    #[request(line, chars = LONGEST_NAME)]
    pub name: String,
    /// What it is for.
    #[request(default)]
    pub description: String,
    /// Resources, each by `hostName` or `uniqueId`.
    #[request(with = targets::devices, schema = Vec<DeviceReference>, items = 0..=MOST)]
    pub devices: Option<Vec<Reference>>,
    /// Device groups, each by `name` or `id`. The groups below one belong to it.
    #[request(with = targets::device_groups, schema = Vec<PlaceReference>, items = 0..=MOST)]
    pub device_groups: Option<Vec<Reference>>,
    /// Sites, each by `name` or `id`.
    #[request(with = targets::locations, schema = Vec<PlaceReference>, items = 0..=MOST)]
    pub locations: Option<Vec<Reference>>,
    /// When it is open; what was skipped, extended or ended before does not count for a new one.
    pub schedule: WindowSchedule,
    /// `NEVER`: a recurring window has no end, and of `endTime` only the time of day counts. May stand in `schedule`.
    #[request(blank, words = NEVER, example = "NEVER")]
    pub end_by: Option<&'static str>,
    /// Are scripts to be run? Default false.
    #[request(name = "runRBA", default)]
    pub run_rba: bool,
    /// Are patches to be installed? Default false.
    #[request(default)]
    pub install_patch: bool,
    /// Are alerts that are still open afterwards to be escalated? Default true. `runEscalateAction` is the same.
    #[request(also = ["runEscalateAction"], default = true)]
    pub run_escalation_action: bool,
    /// Which alerts it catches; without rules: all.
    #[request(with = not_yet, schema = conditions::NewConditions)]
    pub alert_conditions: Option<Option<Rules>>,
}

/// What a window covers.
#[derive(Clone, Debug, PartialEq, Request)]
#[request(schema = "MaintenanceTargets", check = check_targets)]
pub struct Targets {
    /// Resources, each by `hostName` or `uniqueId`.
    #[request(with = targets::devices, schema = Vec<DeviceReference>, items = 0..=MOST)]
    pub devices: Option<Vec<Reference>>,
    /// Device groups, each by `name` or `id`. The groups below one belong to it.
    #[request(with = targets::device_groups, schema = Vec<PlaceReference>, items = 0..=MOST)]
    pub device_groups: Option<Vec<Reference>>,
    /// Sites, each by `name` or `id`.
    #[request(with = targets::locations, schema = Vec<PlaceReference>, items = 0..=MOST)]
    pub locations: Option<Vec<Reference>>,
}

/// How to suspend a window.
#[derive(Clone, Debug, Request)]
#[request(schema = "MaintenanceSuspensionInput", check = check_suspension)]
pub struct NewSuspension {
    /// `now`: until it is resumed; `range`: between two instants.
    #[request(words = ["now", "range"], example = "now")]
    pub pattern: &'static str,
    /// Of a range; one in the past is now. `startTime` is taken too.
    #[request(also = ["startTime"], when = says("pattern", &["range"]), example = "2026-11-20T22:00:00+0000")]
    pub start_date: Option<Timestamp>,
    /// Of a range. `endTime` is taken too.
    #[request(also = ["endTime"], when = says("pattern", &["range"]), example = "2026-11-21T22:00:00+0000")]
    pub end_date: Option<Timestamp>,
}

/// What of a window is to end.
#[derive(Clone, Debug, Request)]
#[request(schema = "MaintenanceEnd", example = json!({"pattern": "all"}))]
pub struct NewEnd {
    /// `now` (default): the occurrence that is under way; `all`: the window.
    #[request(words = ["now", "all"], default = "now")]
    pub pattern: &'static str,
}

/// How long the open occurrence of a window goes on: one of the two.
#[derive(Clone, Debug, Request)]
#[request(schema = "MaintenanceExtension", check = check_extension, example = json!({"minutes": 30}))]
pub struct NewExtension {
    /// This many minutes longer than planned now.
    #[request(range = 1..=MOST_MINUTES)]
    pub minutes: Option<i64>,
    /// Until this instant.
    pub end_time: Option<Timestamp>,
}

/// Which occurrence of a window is not to take place.
#[derive(Clone, Debug, Request)]
#[request(schema = "MaintenanceSkip")]
pub struct NewSkip {
    /// When it starts; absent: the one that is open, or else the next.
    #[request(example = "2026-11-20T22:00:00+0000")]
    pub start: Option<Timestamp>,
}

/// Which occurrence of a window is to take place after all.
#[derive(Clone, Debug, Request)]
#[request(schema = "MaintenanceUnskip")]
pub struct NewUnskip {
    /// When it starts; absent: the first of those that were skipped.
    #[request(example = "2026-11-20T22:00:00+0000")]
    pub start: Option<Timestamp>,
}

impl NewWindow {
    /// Reads one, with its conditions, whose expressions are compiled to be checked.
    pub fn read_all(fields: &mut Fields<'_>, meter: &Meter) -> Self {
        let new = Self::read(fields);
        Self { alert_conditions: conditions::read(fields, meter), ..new }
    }

    /// What it names as its targets.
    pub fn take_targets(&mut self) -> Lists {
        Lists([self.devices.take(), self.device_groups.take(), self.locations.take()])
    }
}

impl WindowChange {
    /// As [`NewWindow::read_all`].
    pub fn read_all(fields: &mut Fields<'_>, meter: &Meter) -> Self {
        let change = Self::read(fields);
        Self { alert_conditions: conditions::read(fields, meter), ..change }
    }

    /// What it names as its targets.
    pub fn take_targets(&mut self) -> Lists {
        Lists([self.devices.take(), self.device_groups.take(), self.locations.take()])
    }
}

impl From<Targets> for Lists {
    fn from(Targets { devices, device_groups, locations }: Targets) -> Self {
        Self([devices, device_groups, locations])
    }
}

/// What conditions cost is counted, so they are read when that can be.
fn not_yet(_: &mut Fields<'_>, _: &str) -> Option<Option<Rules>> {
    None
}

fn check_new(new: &mut NewWindow, fields: &mut Fields<'_>) {
    new.schedule.complete(new.end_by, fields);
    targets::check_number(fields, true);
    check_escalation(Some(new.run_escalation_action), fields);
}

fn check_change(change: &mut WindowChange, fields: &mut Fields<'_>) {
    // `endBy` is a part of the schedule, and says nothing alone.
    if change.end_by.is_some() {
        fields.require("schedule");
    }
    if let Some(schedule) = &mut change.schedule {
        schedule.complete(change.end_by, fields);
    }
    targets::check_number(fields, false);
    check_escalation(change.run_escalation_action, fields);
}

fn check_escalation(is_run: Option<bool>, fields: &mut Fields<'_>) {
    if fields.has("runEscalationAction")
        && let Some(other) = fields.boolean("runEscalateAction")
        && is_run.is_some_and(|is_run| is_run != other)
    {
        fields.error("runEscalateAction", "says something else than runEscalationAction, which means the same");
    }
}

fn check_targets(_: &Targets, fields: &mut Fields<'_>) {
    let needed = !Kind::ALL.into_iter().any(|kind| fields.has(kind.list()));
    targets::check_number(fields, needed);
}

fn check_suspension(new: &NewSuspension, fields: &mut Fields<'_>) {
    if new.pattern != "range" {
        return;
    }
    let named = |name, other| if fields.has(other) && !fields.has(name) { other } else { name };
    let from = named("startDate", "startTime");
    let until = named("endDate", "endTime");
    fields.require(from);
    fields.require(until);
    if new.start_date.zip(new.end_date).is_some_and(|(start, end)| end <= start) {
        fields.error(until, format!("must be after {from}"));
    }
}

fn check_extension(_: &NewExtension, fields: &mut Fields<'_>) {
    if fields.has("minutes") == fields.has("endTime") {
        fields.error("minutes", "is required, or endTime is, and not both");
    }
}
