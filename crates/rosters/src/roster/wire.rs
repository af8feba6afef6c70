//! What clients see and say of rosters ("Rosters" in `docs/interface.md`).

use base::{
    Fields,
    problem::{Problem, Wrong},
};
use calendar::{RosterSchedule, Zone};
use ports::{PeopleGroup, Person};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::documented::ShiftSchedule;

/// The longest name of a roster or a shift, in characters.
const LONGEST_NAME: usize = 200;
/// The most shifts of a roster.
const MOST_SHIFTS: usize = 100;
/// The most users of a shift, and the most groups.
const MOST_REFERENCES: usize = 100;
/// The most stretches of off hours.
const MOST_OFF_HOURS: usize = 20;

/// A roster.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Roster {
    /// `ES-<uuid>`.
    #[schema(example = "ES-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90")]
    pub id: String,
    /// Unique in its tenant, whatever the letter case.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// When it was created.
    #[schema(example = "2026-11-20T20:37:00+0000")]
    pub created_time: String,
    /// When it was updated last; empty before the first update.
    pub updated_time: String,
    /// Whose clocks its shifts follow.
    #[schema(value_type = TimeZone)]
    pub time_zone: Zone,
    /// The tenant that it belongs to; in the answer to a create.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<RosterClient>,
    /// Of a partner's roster when it is read: it stands for all clients.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all_clients: Option<bool>,
    /// Its shifts, in the order in which they were given.
    pub shift_details: Vec<Shift>,
    /// When nobody needs to be on call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub off_hours: Vec<OffHours>,
}

/// The tenant of a roster.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(example = json!({"id": 1, "uniqueId": "client_1", "name": "Globex", "activated": true}))]
pub struct RosterClient {
    /// The number in `uniqueId`.
    pub id: i64,
    /// The tenant's id.
    pub unique_id: String,
    /// The tenant's name.
    pub name: String,
    /// In use, not suspended?
    pub activated: bool,
}

/// A supported time zone.
#[derive(ToSchema)]
#[schema(example = json!({"id": "19", "name": "Asia/Calcutta", "label": "GMT +05:30 India", "code": "IST"}))]
#[expect(dead_code, reason = "documents what calendar::Zone serialises")]
pub struct TimeZone {
    /// Its place in the list, from `1`.
    id: String,
    /// What `timeZone.name` takes.
    name: String,
    /// What people read; the offset is that of standard time.
    label: String,
    /// The abbreviation of standard time.
    code: String,
}

/// A shift of a roster.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RosterShift)]
pub struct Shift {
    /// `ESD-<uuid>`.
    #[schema(example = "ESD-7b0e7c39-6a55-4f5e-8f0e-1a2b3c4d5e6f")]
    pub id: String,
    /// Unique in its roster, whatever the letter case.
    pub name: String,
    /// When it takes place.
    #[schema(value_type = ShiftSchedule)]
    pub schedule: RosterSchedule,
    /// Who is on call.
    pub users: Vec<User>,
    /// Groups whose members are on call.
    pub user_groups: Vec<UserGroup>,
}

/// A user of a shift; what has no value is left out.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RosterUser, example = json!({
    "id": "USR0000000007", "loginName": "ann.lee", "lastName": "Lee", "firstName": "Ann",
    "email": "ann.lee@example.net", "phoneNumber": "+33 1 23 45 67 89", "mobileNumber": "+33 6 12 34 56 78"
}))]
pub struct User {
    /// `USR` and ten digits.
    pub id: String,
    /// The login name.
    pub login_name: String,
    /// The family name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_name: Option<String>,
    /// The given name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_name: Option<String>,
    /// An address of electronic mail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// A telephone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phone_number: Option<String>,
    /// A mobile telephone; in the answer to a create, and of who is on call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mobile_number: Option<String>,
}

impl User {
    /// With every way to reach them.
    pub fn full(person: &Person) -> Self {
        Self { mobile_number: person.mobile_number.clone(), ..Self::shown(person) }
    }

    /// As a roster that is read shows them.
    pub fn shown(person: &Person) -> Self {
        Self {
            id: person.id.clone(),
            login_name: person.login_name.clone(),
            last_name: person.last_name.clone(),
            first_name: person.first_name.clone(),
            email: person.email.clone(),
            phone_number: person.phone_number.clone(),
            mobile_number: None,
        }
    }
}

/// A user group of a shift.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RosterUserGroup)]
pub struct UserGroup {
    /// `USRGRP-<uuid>`.
    #[schema(example = "USRGRP-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90")]
    pub unique_id: String,
    /// The group's name.
    pub name: String,
    /// Left out when there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    pub description: String,
    /// When the group was created.
    pub created_time: String,
    /// When it changed last, empty before the first change; when the roster is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_time: Option<String>,
}

impl UserGroup {
    /// In the answer to a create, or when the roster is `read`.
    pub fn of(group: &PeopleGroup, read: bool) -> Self {
        let updated = || group.updated.map(|at| at.to_string()).unwrap_or_default();
        Self {
            unique_id: group.unique_id.clone(),
            name: group.name.clone(),
            description: group.description.clone(),
            created_time: group.created.to_string(),
            updated_time: read.then(updated),
        }
    }
}

/// Time in which nobody needs to be on call: it is no gap.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = RosterOffHours)]
pub struct OffHours {
    /// What people call it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// When it is.
    #[schema(value_type = ShiftSchedule)]
    pub schedule: RosterSchedule,
}

impl OffHours {
    fn read(fields: &mut Fields<'_>) -> Option<Self> {
        let name = fields.text_max("name", LONGEST_NAME).filter(|name| !name.trim().is_empty());
        schedule(fields).map(|schedule| Self { name, schedule })
    }

    /// What is stored of them.
    pub fn to_json(all: &[Self]) -> String {
        serde_json::to_string(all).unwrap_or_else(|_| "[]".to_owned())
    }

    /// Reads what [`OffHours::to_json`] wrote.
    ///
    /// # Errors
    /// As for a body.
    pub fn from_json(text: &str) -> Result<Vec<Self>, Problem> {
        let value: Value = serde_json::from_str(text).map_err(|_| Problem::internal())?;
        let whole = serde_json::json!({"offHours": value});
        let mut fields = Fields::of(&whole);
        let read = off_hours(&mut fields);
        fields.finish()?;
        Ok(read.unwrap_or_default())
    }
}

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
        (Self { name, description, zone, shifts, off_hours }, fields.wrong())
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
        let users = references(fields, "users", "id", whole);
        let groups = references(fields, "userGroups", "uniqueId", whole);
        if whole
            && users.as_ref().zip(groups.as_ref()).is_some_and(|(users, groups)| users.is_empty() && groups.is_empty())
        {
            fields.error("users", NOBODY);
        }
        Self { id, name, schedule, users, groups }
    }

    /// The new shift that this is; `None` when something is missing.
    pub fn complete(self) -> Option<NewShift> {
        Some(NewShift { name: self.name?, schedule: self.schedule?, users: self.users?, groups: self.groups? })
    }
}

/// What is said of a shift without users and groups.
pub const NOBODY: &str = "must name somebody, or userGroups must";

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

fn schedule(fields: &mut Fields<'_>) -> Option<RosterSchedule> {
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
    Some(items.into_iter().map(|mut item| ShiftChange::read(&mut item, is_new)).collect())
}

fn off_hours(fields: &mut Fields<'_>) -> Option<Vec<OffHours>> {
    let items = fields.objects("offHours")?;
    if items.len() > MOST_OFF_HOURS {
        fields.error("offHours", format!("must have at most {MOST_OFF_HOURS} elements"));
        return None;
    }
    Some(items.into_iter().filter_map(|mut item| OffHours::read(&mut item)).collect())
}

fn references(fields: &mut Fields<'_>, list: &str, key: &str, required: bool) -> Option<Vec<String>> {
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
