//! What clients see of rosters ("Rosters" in `docs/interface.md`).

use base::query::Query;
use base::timestamp::Timestamp;
use calendar::{
    Zone,
    rotation::{Length, Start},
};
use ports::{PeopleGroup, Person};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    input::{self, OnHolidays, TurnLength},
    shift_schedule::ShiftSchedule,
};
use crate::{crew::user_id, lines::Level, moves::WhenAway};

/// The last millisecond that a request may name: the year 9998 ends.
pub const LATEST_MS: i64 = 253_370_764_799_999;

api::path_id! {
    /// `ES-<uuid>`.
    pub RosterId = "rosterId", "ES-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90", prefix "ES-"
}

api::path_id! {
    /// `USR` and ten digits.
    pub UserId = "userId", "USR0000000007", user_id
}

/// The instant that is asked about.
#[derive(Clone, Copy, Debug, api::Parameters)]
pub struct InstantQuery {
    /// Default now.
    #[request(with = instant, pattern = calendar::forms::INSTANT, example = "2026-11-20T20:37:00+0000")]
    pub at: Option<Timestamp>,
}

api::texts! {
    /// An instant of the years in which something may take place, as a parameter.
    pub Instant = api::spec::of_form(calendar::forms::INSTANT);
}

/// Reads an instant of the years in which something may take place.
pub fn instant(query: &mut Query, name: &str) -> Option<Timestamp> {
    let instant = query.timestamp(name)?;
    if !(0..=LATEST_MS).contains(&instant.millis()) {
        query.error(name, "must lie in the years 1970 to 9998");
    }
    Some(instant)
}

/// What narrows a search, beside its filter.
#[derive(Clone, Debug, api::Parameters)]
pub struct Narrowed {
    /// The whole name, whatever the letter case.
    #[request(example = "First line")]
    pub name: Option<String>,
    /// The same as the variable of `queryString`; default true.
    #[request(default = true)]
    pub all_list: bool,
}

/// A roster.
#[api::without_none]
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Roster {
    /// `ES-<uuid>`.
    #[schema(example = "ES-2f1c3c1e-8f0e-4f6e-9d5a-3c1d7a5b2e90")]
    pub id: String,
    /// The tenant that it belongs to.
    #[schema(example = "client_1")]
    pub client_unique_id: String,
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
    /// That tenant; in the answer to a create.
    pub client: Option<RosterClient>,
    /// Of a partner's roster when it is read: it stands for all clients.
    pub all_clients: Option<bool>,
    /// When it was deleted; of one that is asked for by an earlier `at`.
    #[schema(example = "2026-12-01T00:00:00+0000")]
    pub deleted_time: Option<String>,
    /// When the change takes effect, if that is later than the answer; only in the answer to an update.
    #[schema(example = "2026-12-01T00:00:00+0000")]
    pub effective_from: Option<String>,
    /// Its shifts, in the order in which they were given.
    pub shift_details: Vec<Shift>,
    /// When nobody needs to be on call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub off_hours: Vec<OffHours>,
    /// Who is told of its conflicts seven days ahead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub conflicts_to: Vec<ConflictRecipient>,
}

/// Somebody who is told of the conflicts of a roster: a user or a user group.
#[api::without_none]
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RosterConflictRecipient)]
pub struct ConflictRecipient {
    /// The user.
    pub user: Option<User>,
    /// The group, whose members are told.
    pub user_group: Option<UserGroup>,
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
#[derive(Serialize, ToSchema)]
#[schema(example = json!({"id": "19", "name": "Asia/Calcutta", "label": "GMT +05:30 India", "code": "IST"}))]
pub struct TimeZone {
    /// Its place in the list, from `1`; its name when it is not in the list.
    id: String,
    /// What `timeZone.name` takes.
    name: String,
    /// What people read; the offset is that of standard time.
    label: String,
    /// The abbreviation of standard time.
    code: String,
}

/// A shift of a roster.
#[api::without_none]
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
    pub schedule: ShiftSchedule,
    /// Who is on call.
    pub users: Vec<User>,
    /// Groups whose members are on call.
    pub user_groups: Vec<UserGroup>,
    /// Who takes turns in it, beside `users` and `userGroups`; left out when nobody does.
    pub rotation: Option<RosterRotation>,
    /// Left out when it was not given: then it is called first.
    pub level: Option<Level>,
    /// Its holiday calendars; left out when it has none.
    pub holidays: Option<Vec<ShiftCalendar>>,
    /// What it does on their days.
    pub on_holidays: Option<OnHolidays>,
}

/// A holiday calendar of a shift.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = RosterShiftHolidays, example = json!({"id": "HOL-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90"}))]
pub struct ShiftCalendar {
    /// `HOL-<uuid>`.
    pub id: String,
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
    /// An email address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// A telephone number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phone_number: Option<String>,
    /// A mobile telephone number; in the answer to a create, and of who is on call.
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

/// A user of a timeline, by the names.
#[api::without_none]
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RosterTimelineUser)]
pub struct TimelineUser {
    /// `USR` and ten digits.
    pub id: String,
    /// The login name.
    pub login_name: String,
    /// The given name.
    pub first_name: Option<String>,
    /// The family name.
    pub last_name: Option<String>,
}

impl From<&Person> for TimelineUser {
    fn from(person: &Person) -> Self {
        Self {
            id: person.id.clone(),
            login_name: person.login_name.clone(),
            first_name: person.first_name.clone(),
            last_name: person.last_name.clone(),
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

/// Time in which nobody needs to be on call: it is not a gap.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = RosterOffHours)]
pub struct OffHours {
    /// What people call it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// When it is.
    pub schedule: ShiftSchedule,
}

impl From<input::OffHours> for OffHours {
    fn from(hours: input::OffHours) -> Self {
        Self { name: hours.name, schedule: hours.schedule }
    }
}

/// Who takes turns in a shift, and when they hand over.
#[api::without_none]
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct RosterRotation {
    /// The places, in the order of the turns; everybody in a place is on call together.
    pub order: Vec<Turn>,
    /// How long a turn is.
    #[schema(value_type = TurnLength)]
    pub length: Length,
    /// The first hand-over, to the first place: a local time of the roster's zone.
    #[schema(value_type = String, example = "2026-11-23T09:00:00")]
    pub start: Start,
    /// What becomes of the turns of those who are away; left out when nothing does.
    #[serde(rename = "whenAway")]
    pub when_away: Option<WhenAway>,
    /// Who has the turn until another place has it, since an update with `keepCurrent`; left out when nobody has.
    pub kept: Option<KeptTurn>,
}

/// The turn of those who had it when a rotation changed.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RosterKeptTurn)]
pub struct KeptTurn {
    /// Who is on call.
    pub users: Vec<User>,
    /// Groups whose members are on call.
    pub user_groups: Vec<UserGroup>,
    /// When it ends.
    #[schema(example = "2026-11-30T09:00:00+0000")]
    pub until: String,
}

/// A place of a rotation.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RosterPlace)]
pub struct Turn {
    /// Who is on call.
    pub users: Vec<User>,
    /// Groups whose members are on call.
    pub user_groups: Vec<UserGroup>,
}
