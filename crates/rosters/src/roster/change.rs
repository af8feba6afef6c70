//! What a request says of a roster: a new one, or changes to one ("Rosters" in `docs/interface.md`).

use base::{
    Fields,
    problem::{Problem, Wrong},
    timestamp::Timestamp,
};
use calendar::{RosterSchedule, Zone};
use serde_json::Value;

use super::{rotation::NewRotation, wire::OffHours};
use crate::lines::Level;

/// The longest name of a roster or a shift, in characters.
pub const LONGEST_NAME: usize = 200;
/// The most shifts of a roster.
const MOST_SHIFTS: usize = 100;
/// The most users of a shift or of a place of its rotation, and the most groups.
const MOST_REFERENCES: usize = 100;
/// The most users and groups of all places of a roster together.
const MOST_IN_ROTATIONS: usize = 10_000;
/// The most stretches of off hours.
const MOST_OFF_HOURS: usize = 20;

/// A roster to create or to preview.
#[derive(Clone, Debug)]
pub struct NewRoster {
    /// Without blanks around it.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Whose clocks count.
    pub zone: Zone,
    /// At least one.
    pub shifts: Vec<NewShift>,
    /// When nobody needs to be on call.
    pub off_hours: Vec<OffHours>,
}

/// A shift to create.
#[derive(Clone, Debug, PartialEq)]
pub struct NewShift {
    /// Without blanks around it.
    pub name: String,
    /// When it takes place.
    pub schedule: RosterSchedule,
    /// Ids of users, as they were given.
    pub users: Vec<String>,
    /// Ids of groups, as they were given.
    pub groups: Vec<String>,
    /// Who takes turns.
    pub rotation: Option<NewRotation>,
    /// Whether it is called first.
    pub level: Option<Level>,
}

/// The changes to a roster: what is left out stays as it is.
#[derive(Clone, Debug, Default)]
pub struct RosterChange {
    /// Another name.
    pub name: Option<String>,
    /// Another description.
    pub description: Option<String>,
    /// Another zone.
    pub zone: Option<Zone>,
    /// All of its shifts from now on.
    pub shifts: Option<Vec<ShiftChange>>,
    /// Other off hours.
    pub off_hours: Option<Vec<OffHours>>,
    /// From when on; `None` for now.
    pub from: Option<Timestamp>,
}

impl RosterChange {
    /// Does it say anything of who is on call when?
    pub fn is_of_plan(&self) -> bool {
        self.zone.is_some() || self.shifts.is_some() || self.off_hours.is_some()
    }
}

/// A shift of an update: with an id, a change of that shift, in which what is left out stays; without, a new one.
#[derive(Clone, Debug, Default)]
pub struct ShiftChange {
    /// Which shift.
    pub id: Option<String>,
    /// Another name.
    pub name: Option<String>,
    /// Another schedule.
    pub schedule: Option<RosterSchedule>,
    /// Other users.
    pub users: Option<Vec<String>>,
    /// Other groups.
    pub groups: Option<Vec<String>>,
    /// Others who take turns.
    pub rotation: Option<NewRotation>,
    /// Another level.
    pub level: Option<Level>,
}

impl RosterChange {
    /// Reads a body; that of a new roster must be complete. Says which fields are wrong, by their paths.
    pub fn read(body: &Value, is_new: bool) -> (Self, Wrong) {
        let mut fields = Fields::of(body);
        let name = name(&mut fields, is_new);
        let described = is_new || fields.has("description");
        let description = described.then(|| fields.required_text("description"));
        if is_new {
            fields.require("timeZone");
        }
        let zone = fields.object("timeZone").and_then(|mut zone| calendar::parse::zone(&mut zone, "name"));
        let shifts = if is_new || fields.has("shiftDetails") { shifts(&mut fields, is_new) } else { None };
        let off_hours = off_hours(&mut fields);
        let from = if is_new { None } else { fields.timestamp("effectiveFrom") };
        (Self { name, description, zone, shifts, off_hours, from }, fields.wrong())
    }

    /// The new roster that this is, when nothing of it was wrong.
    ///
    /// # Errors
    /// 500 when something is missing nevertheless.
    pub fn complete(self) -> Result<NewRoster, Problem> {
        let shifts = self.shifts.unwrap_or_default().into_iter().map(ShiftChange::complete).collect();
        match (self.name, self.description, self.zone, shifts) {
            (Some(name), Some(description), Some(zone), Some(shifts)) => {
                Ok(NewRoster { name, description, zone, shifts, off_hours: self.off_hours.unwrap_or_default() })
            }
            _ => Err(Problem::internal()),
        }
    }
}

impl ShiftChange {
    /// Reads one; without an id it must be complete.
    fn read(fields: &mut Fields<'_>, is_new: bool) -> Self {
        let id = if is_new { None } else { fields.text("id").filter(|id| !id.is_empty()) };
        let whole = id.is_none();
        let name = name(fields, whole);
        let schedule = if whole || fields.has("schedule") { schedule(fields) } else { None };
        // Whoever takes turns need not stand in the shift, too.
        let turns = fields.has("rotation");
        let users = references(fields, "users", "id", whole && !turns);
        let groups = references(fields, "userGroups", "uniqueId", whole && !turns);
        let rotation = NewRotation::read(fields, whole);
        let level = match fields.one_of("level", &["primary", "secondary"]) {
            Some("secondary") => Some(Level::Secondary),
            level => level.map(|_| Level::Primary),
        };
        Self { id, name, schedule, users, groups, rotation, level }
    }

    /// The new shift that this is; `None` when something is missing.
    pub fn complete(self) -> Option<NewShift> {
        let turns = self.rotation.is_some();
        let given = |ids: Option<Vec<String>>| if turns { Some(ids.unwrap_or_default()) } else { ids };
        let (users, groups) = (given(self.users)?, given(self.groups)?);
        let (rotation, level) = (self.rotation, self.level);
        Some(NewShift { name: self.name?, schedule: self.schedule?, users, groups, rotation, level })
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

/// Reads the schedule of a shift or of off hours.
pub fn schedule(fields: &mut Fields<'_>) -> Option<RosterSchedule> {
    fields.require("schedule");
    fields.object("schedule").and_then(|mut schedule| RosterSchedule::read(&mut schedule))
}

fn shifts(fields: &mut Fields<'_>, is_new: bool) -> Option<Vec<ShiftChange>> {
    fields.require("shiftDetails");
    let items = fields.objects("shiftDetails")?;
    if items.is_empty() {
        fields.error("shiftDetails", "must have at least one shift");
    }
    if items.len() > MOST_SHIFTS {
        fields.error("shiftDetails", format!("must have at most {MOST_SHIFTS} shifts"));
        return None;
    }
    let shifts: Vec<_> = items.into_iter().map(|mut item| ShiftChange::read(&mut item, is_new)).collect();
    let named: usize = shifts.iter().filter_map(|shift| Some(shift.rotation.as_ref()?.names())).sum();
    if named > MOST_IN_ROTATIONS {
        fields.error("shiftDetails", format!("must name at most {MOST_IN_ROTATIONS} users and groups in rotations"));
    }
    Some(shifts)
}

/// Reads when nobody needs to be on call.
pub fn off_hours(fields: &mut Fields<'_>) -> Option<Vec<OffHours>> {
    let items = fields.objects("offHours")?;
    if items.len() > MOST_OFF_HOURS {
        fields.error("offHours", format!("must have at most {MOST_OFF_HOURS} elements"));
        return None;
    }
    Some(items.into_iter().filter_map(|mut item| OffHours::read(&mut item)).collect())
}

/// Reads a list of ids.
pub fn references(fields: &mut Fields<'_>, list: &str, key: &str, required: bool) -> Option<Vec<String>> {
    if required {
        fields.require(list);
    }
    let items = fields.objects(list)?;
    if items.len() > MOST_REFERENCES {
        fields.error(list, format!("must have at most {MOST_REFERENCES} elements"));
        return None;
    }
    Some(items.into_iter().map(|mut item| item.required_text(key).trim().to_owned()).collect())
}
