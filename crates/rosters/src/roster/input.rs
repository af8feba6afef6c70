//! What clients say of rosters: a new one, or changes to one ("Rosters" in `docs/interface.md`).

mod people;
mod rotation;

use std::collections::HashSet;

use api::Request;
use base::{
    Fields,
    body::{Field, Limits, Request},
    problem::Problem,
    timestamp::Timestamp,
};
use calendar::Zone;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use self::{
    people::{MOST_REFERENCES, trimmed},
    rotation::MOST_PLACES,
};
pub use self::{
    people::{UserGroupReference, UserReference, group_ids, user_ids},
    rotation::{NewRotation, TurnLength},
};
use super::shift_schedule::ShiftSchedule;
use crate::{crew::Crew, dated_holidays::row::ShiftHolidays, lines::Level};

/// The longest name of a roster or a shift, in characters.
const LONGEST_NAME: usize = 200;
/// The most shifts of a roster.
const MOST_SHIFTS: usize = 100;
/// The most users and groups of all places of a roster together.
const MOST_IN_ROTATIONS: usize = 10_000;
/// The most holiday calendars of a shift.
const MOST_CALENDARS: usize = 10;
/// The most users and groups that are told of conflicts.
const MOST_RECIPIENTS: usize = 100;
/// The most stretches of off hours.
const MOST_OFF_HOURS: usize = 20;

/// A roster to create, or to preview.
#[derive(Clone, Debug, Request)]
#[request(schema = "RosterInput", check = check_roster)]
pub struct NewRoster {
    /// Unique in the tenant, whatever the letter case.
    #[request(line, chars = LONGEST_NAME)]
    pub name: String,
    /// What it is for; may be empty.
    pub description: String,
    /// Whose clocks its shifts follow.
    pub time_zone: TimeZoneReference,
    /// At least one.
    #[request(name = "shiftDetails", with = shifts, items = 1..=MOST_SHIFTS)]
    pub shifts: Vec<NewShift>,
    /// When nobody needs to be on call.
    #[request(items = 0..=MOST_OFF_HOURS, default)]
    pub off_hours: Vec<OffHours>,
    /// Who is told of its conflicts seven days ahead.
    #[request(items = 0..=MOST_RECIPIENTS, default)]
    pub conflicts_to: Vec<ConflictRecipient>,
}

/// The changes to a roster; what is left out stays as it is.
#[derive(Clone, Debug, Default, Request)]
#[request(schema = "RosterUpdate", check = check_change)]
pub struct RosterChange {
    /// Unique in the tenant, whatever the letter case.
    #[request(line, chars = LONGEST_NAME)]
    pub name: Option<String>,
    /// What it is for; may be empty.
    pub description: Option<String>,
    /// Whose clocks its shifts follow.
    pub time_zone: Option<TimeZoneReference>,
    /// All shifts from then on: those that are not in it end.
    #[request(name = "shiftDetails", with = shifts, items = 1..=MOST_SHIFTS)]
    pub shifts: Option<Vec<ShiftChange>>,
    /// When nobody needs to be on call.
    #[request(items = 0..=MOST_OFF_HOURS)]
    pub off_hours: Option<Vec<OffHours>>,
    /// Who is told of its conflicts seven days ahead; takes effect at once.
    #[request(items = 0..=MOST_RECIPIENTS)]
    pub conflicts_to: Option<Vec<ConflictRecipient>>,
    /// When the changes of shifts, zone and off hours take effect: now or later. Without it, now.
    #[request(name = "effectiveFrom", pattern = calendar::forms::INSTANT)]
    pub from: Option<Timestamp>,
    /// Beside `shiftDetails`: rotations are moved so that those whose turn it is when the change takes effect keep it
    /// to its end. Then comes the place after theirs in the new order; the first, when they are not in it.
    pub keep_current: Option<bool>,
}

/// A supported time zone, by its name.
#[derive(Clone, Debug, Request)]
#[request(schema = "RosterTimeZoneReference", example = json!({"name": "Europe/Paris"}))]
pub struct TimeZoneReference {
    /// One of the names of `GET /api/v2/cfg/timezones`.
    #[request(name = "name", schema = String)]
    pub zone: Zone,
}

/// A shift of a new roster. With a `rotation`, `users` and `userGroups` may be left out.
#[derive(Clone, Debug, Request)]
#[request(schema = "RosterShiftInput", check = check_new_shift)]
pub struct NewShift {
    /// Unique in the roster, whatever the letter case.
    #[request(line, chars = LONGEST_NAME)]
    pub name: String,
    /// When it takes place.
    pub schedule: ShiftSchedule,
    /// Users of the tenant or of its partner.
    #[request(items = 0..=MOST_REFERENCES, default)]
    pub users: Vec<UserReference>,
    /// User groups of the tenant or of its partner.
    #[request(name = "userGroups", items = 0..=MOST_REFERENCES, default)]
    pub groups: Vec<UserGroupReference>,
    /// Who takes turns; `users` and `userGroups`, when given, are on call beside the person whose turn it is.
    pub rotation: Option<NewRotation>,
    /// Whether it is called first; without it, it is.
    pub level: Option<Level>,
    /// Holiday calendars of the tenant or of its partner.
    #[request(items = 0..=MOST_CALENDARS, default)]
    pub holidays: Vec<HolidayReference>,
    /// Whether it takes place on their days (`keep`, the default) or not (`skip`).
    pub on_holidays: Option<OnHolidays>,
}

/// A shift of an update. With an `id` it is a change of that shift, in which what is left out stays as it is; without
/// one it is a new shift, and all other fields are required.
#[derive(Clone, Debug, Default, Request)]
#[request(schema = "RosterShiftUpdate", check = check_shift_change)]
pub struct ShiftChange {
    /// `ESD-<uuid>`.
    #[request(with = filled_text)]
    pub id: Option<String>,
    /// Unique in the roster.
    #[request(line, chars = LONGEST_NAME)]
    pub name: Option<String>,
    /// When it takes place.
    pub schedule: Option<ShiftSchedule>,
    /// Who is on call.
    #[request(items = 0..=MOST_REFERENCES)]
    pub users: Option<Vec<UserReference>>,
    /// Whose members are on call.
    #[request(name = "userGroups", items = 0..=MOST_REFERENCES)]
    pub groups: Option<Vec<UserGroupReference>>,
    /// Who takes turns; with an empty `order`, nobody any more.
    pub rotation: Option<NewRotation>,
    /// Whether it is called first.
    pub level: Option<Level>,
    /// Holiday calendars of the tenant or of its partner.
    #[request(items = 0..=MOST_CALENDARS)]
    pub holidays: Option<Vec<HolidayReference>>,
    /// Whether it takes place on their days (`keep`) or not (`skip`).
    pub on_holidays: Option<OnHolidays>,
}

/// A holiday calendar, by its id.
#[derive(Clone, Debug, PartialEq, Request)]
#[request(schema = "RosterHolidayReference", example = json!({"id": "HOL-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90"}))]
pub struct HolidayReference {
    /// `HOL-<uuid>`.
    #[request(filled, parse = trimmed)]
    pub id: String,
}

/// What a shift does on holidays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema, Request)]
#[serde(rename_all = "lowercase")]
#[schema(as = RosterOnHolidays)]
pub enum OnHolidays {
    /// It takes place.
    #[default]
    Keep,
    /// It does not take place.
    Skip,
}

/// Time in which nobody needs to be on call.
#[derive(Clone, Debug, PartialEq, Serialize, Request)]
#[request(schema = "RosterOffHoursInput")]
pub struct OffHours {
    /// What people call it.
    #[request(with = off_hours_name, chars = LONGEST_NAME)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// When it is.
    pub schedule: ShiftSchedule,
}

/// Somebody who is told of the conflicts of a roster: one of the two.
#[derive(Clone, Debug, Request)]
#[request(schema = "RosterConflictRecipientInput", check = check_recipient, example = json!({
    "user": {"id": "USR0000000007"}
}))]
pub struct ConflictRecipient {
    /// A user of the tenant or of its partner.
    pub user: Option<UserReference>,
    /// A user group of the tenant or of its partner: its members.
    pub user_group: Option<UserGroupReference>,
}

impl RosterChange {
    /// Does it say anything of who is on call when?
    pub fn is_of_plan(&self) -> bool {
        self.time_zone.is_some() || self.shifts.is_some() || self.off_hours.is_some()
    }
}

impl ShiftChange {
    /// The new shift that this is; `None` when something is missing.
    pub fn complete(self) -> Option<NewShift> {
        let Self { users, groups, rotation, level, holidays, on_holidays, .. } = self;
        let users = users.unwrap_or_default();
        let groups = groups.unwrap_or_default();
        let holidays = holidays.unwrap_or_default();
        let (name, schedule) = (self.name?, self.schedule?);
        Some(NewShift { name, schedule, users, groups, rotation, level, holidays, on_holidays })
    }
}

impl NewShift {
    /// Who stands in it.
    pub fn crew(&self) -> Crew {
        Crew::new(&user_ids(&self.users), &group_ids(&self.groups))
    }

    /// What is stored of its holidays.
    pub fn shift_holidays(&self) -> Option<ShiftHolidays> {
        ShiftHolidays::of(calendar_ids(&self.holidays), self.on_holidays == Some(OnHolidays::Skip))
    }
}

impl ShiftHolidays {
    /// What the shift does on their days.
    pub fn does(&self) -> OnHolidays {
        if self.skips { OnHolidays::Skip } else { OnHolidays::Keep }
    }

    /// These calendars, each once; `None` when there are none.
    fn of(mut calendars: Vec<String>, skips: bool) -> Option<Self> {
        let mut seen = HashSet::new();
        calendars.retain(|id| seen.insert(id.clone()));
        (!calendars.is_empty()).then_some(Self { calendars, skips })
    }

    /// What a change of a shift makes of its holidays.
    pub fn changed(
        old: Option<&Self>,
        holidays: Option<&[HolidayReference]>,
        does: Option<OnHolidays>,
    ) -> Option<Self> {
        let calendars = holidays.map(calendar_ids).or_else(|| old.map(|old| old.calendars.clone()));
        let skips = does.map_or(old.is_some_and(|old| old.skips), |does| does == OnHolidays::Skip);
        Self::of(calendars.unwrap_or_default(), skips)
    }
}

/// The ids of calendars, as they were given.
pub fn calendar_ids(all: &[HolidayReference]) -> Vec<String> {
    all.iter().map(|calendar| calendar.id.clone()).collect()
}

impl ConflictRecipient {
    /// What is stored of these; `None` for nobody.
    pub fn crew(all: &[Self]) -> Option<Crew> {
        let users: Vec<String> = all.iter().filter_map(|one| one.user.as_ref()).map(|user| user.id.clone()).collect();
        let groups: Vec<String> =
            all.iter().filter_map(|one| one.user_group.as_ref()).map(|group| group.id.clone()).collect();
        (!all.is_empty()).then(|| Crew::new(&users, &groups))
    }
}

impl OffHours {
    /// What is stored of them.
    pub fn to_json(all: &[Self]) -> Vec<Value> {
        all.iter().map(|hours| json!(hours)).collect()
    }

    /// Reads what [`OffHours::to_json`] wrote.
    ///
    /// # Errors
    /// As for a body.
    pub fn from_json(stored: &[Value]) -> Result<Vec<Self>, Problem> {
        stored.iter().map(Self::parse).collect()
    }
}

fn filled_text(fields: &mut Fields<'_>, name: &str) -> Option<String> {
    fields.text(name).filter(|text| !text.is_empty())
}

fn off_hours_name(fields: &mut Fields<'_>, name: &str) -> Option<String> {
    fields.text_max(name, LONGEST_NAME).filter(|name| !name.trim().is_empty())
}

fn shifts<T: Request>(fields: &mut Fields<'_>, name: &str) -> Option<Vec<T>> {
    let limits = Limits { items: Some((0, MOST_SHIFTS)), ..Limits::NONE };
    let shifts = Vec::<T>::read(fields, name, &limits)?;
    if shifts.is_empty() {
        fields.error(name, "must have at least one shift");
    }
    Some(shifts)
}

fn check_roster(new: &NewRoster, fields: &mut Fields<'_>) {
    check_rotations(new.shifts.iter().filter_map(|shift| shift.rotation.as_ref()), fields);
}

fn check_change(change: &RosterChange, fields: &mut Fields<'_>) {
    check_rotations(change.shifts.iter().flatten().filter_map(|shift| shift.rotation.as_ref()), fields);
    if change.keep_current == Some(true) && !fields.has("shiftDetails") {
        fields.error("keepCurrent", "must stand beside shiftDetails");
    }
}

fn check_rotations<'r>(rotations: impl Iterator<Item = &'r NewRotation>, fields: &mut Fields<'_>) {
    if rotations.map(NewRotation::names).sum::<usize>() > MOST_IN_ROTATIONS {
        fields.error("shiftDetails", format!("must name at most {MOST_IN_ROTATIONS} users and groups in rotations"));
    }
}

fn check_new_shift(shift: &NewShift, fields: &mut Fields<'_>) {
    check_whole(shift.rotation.as_ref(), fields);
}

fn check_shift_change(change: &ShiftChange, fields: &mut Fields<'_>) {
    if change.id.is_none() {
        fields.require("name");
        fields.require("schedule");
        check_whole(change.rotation.as_ref(), fields);
    }
}

/// What holds of a shift that is new.
fn check_whole(rotation: Option<&NewRotation>, fields: &mut Fields<'_>) {
    // Anyone who takes turns need not stand in the shift, too.
    if !fields.has("rotation") {
        fields.require("users");
        fields.require("userGroups");
    }
    let order = rotation.and_then(|_| fields.object("rotation")?.value("order"));
    if order.and_then(Value::as_array).is_some_and(Vec::is_empty) {
        fields.error("rotation.order", format!("must have 1 to {MOST_PLACES} places"));
    }
}

fn check_recipient(_: &ConflictRecipient, fields: &mut Fields<'_>) {
    if fields.has("user") == fields.has("userGroup") {
        fields.error("", "must have one of user and userGroup");
    }
}
