//! What clients see and say of holiday calendars ("Holidays" in `docs/interface/rosters.md`).

use std::collections::{BTreeMap, HashSet};

use api::Request;
use base::{Fields, timestamp::Timestamp};
use calendar::{Day, forms};
use ports::Author;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    overrides::wire::trimmed,
    roster::input::{UserGroupReference, UserReference},
};

/// The most days of a calendar.
pub const MOST_DAYS: usize = 1_000;
/// The longest name of a calendar or a holiday, in characters.
pub const LONGEST_NAME: usize = 200;
/// The most users of a calendar.
const MOST_USERS: usize = 100;
/// The most groups of a calendar.
const MOST_GROUPS: usize = 40;
/// The longest iCalendar text, in characters.
pub const LONGEST_ICS: usize = 500_000;
/// The longest URL, in characters.
const LONGEST_URL: usize = 2_000;

api::path_id! {
    /// `HOL-<uuid>`.
    pub HolidayCalendarId = "holidayCalendarId", "HOL-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90", prefix "HOL-"
}

/// A holiday calendar.
#[api::without_none]
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HolidayCalendar {
    /// `HOL-<uuid>`.
    #[schema(example = "HOL-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90")]
    pub id: String,
    /// Unique in its tenant, whatever the letter case.
    pub name: String,
    /// The tenant that it belongs to.
    pub tenant_id: String,
    /// Its days, in order; left out in a search.
    pub days: Option<Vec<Holiday>>,
    /// How many days it has.
    pub day_count: i64,
    /// Where its days are read every six hours; left out when they are given.
    pub url: Option<String>,
    /// When they were read there last, failures aside; left out before that.
    #[schema(value_type = Option<String>, example = "2026-11-20T20:37:00+0000")]
    pub read_time: Option<Timestamp>,
    /// Why the last reading failed; left out when it did not. The days that were read before stay.
    pub error: Option<String>,
    /// Users whose holidays these are.
    pub users: Vec<Author>,
    /// Groups whose members have these holidays.
    pub user_groups: Vec<HolidayGroup>,
    /// Who created it.
    pub created_by: Author,
    /// When it was created.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub created_time: Timestamp,
    /// When it changed last.
    #[schema(value_type = String, example = "2026-11-20T20:37:00+0000")]
    pub updated_time: Timestamp,
}

/// A holiday.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(example = json!({"date": "2026-12-25", "name": "Christmas Day"}))]
pub struct Holiday {
    /// A date of every zone.
    #[schema(value_type = String)]
    pub date: Day,
    /// Left out when there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false)]
    pub name: String,
}

/// A user group whose members have holidays.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HolidayGroup {
    /// `USRGRP-<uuid>`.
    #[schema(example = "USRGRP-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90")]
    pub unique_id: String,
    /// The group's name.
    pub name: String,
}

/// A holiday to enter.
#[derive(Clone, Debug, Request)]
#[request(schema = "HolidayInput", example = json!({"date": "2026-12-25", "name": "Christmas Day"}))]
pub struct NewHoliday {
    /// A date of every zone; the years 1970 to 9998.
    #[request(text = forms::DATE)]
    pub date: Day,
    /// What people call it.
    #[request(line, chars = LONGEST_NAME, parse = trimmed, default)]
    pub name: String,
}

/// A holiday calendar to create: with `days`, `ics` or `url`.
#[derive(Clone, Debug, Request)]
#[request(schema = "HolidayCalendarInput", check = check_new, example = json!({
    "name": "Austria", "days": [{"date": "2026-12-25", "name": "Christmas Day"}]
}))]
pub struct NewCalendar {
    /// Unique in the tenant, whatever the letter case.
    #[request(line, chars = LONGEST_NAME)]
    pub name: String,
    /// Its days, each once.
    #[request(items = 0..=MOST_DAYS)]
    pub days: Option<Vec<NewHoliday>>,
    /// The same as iCalendar (RFC 5545): its events of whole days, and those that repeat yearly ten years ahead.
    #[request(chars = LONGEST_ICS)]
    pub ics: Option<String>,
    /// Where an iCalendar text is read, soon and every six hours: `https://` or `http://`. All who read the calendar
    /// see it.
    #[request(chars = LONGEST_URL, from = String, parse = url)]
    pub url: Option<String>,
    /// Users of the tenant whose holidays these are.
    #[request(items = 0..=MOST_USERS, default)]
    pub users: Vec<UserReference>,
    /// User groups of the tenant whose members have these holidays.
    #[request(items = 0..=MOST_GROUPS, default)]
    pub user_groups: Vec<UserGroupReference>,
}

/// Changes of a holiday calendar; what is left out stays as it is. `days` or `ics` has all of its days;
/// with either it has no `url` any more.
#[derive(Clone, Debug, Default, Request)]
#[request(schema = "HolidayCalendarUpdate", check = check_change, example = json!({
    "days": [{"date": "2026-12-25", "name": "Christmas Day"}, {"date": "2026-12-26"}]
}))]
pub struct CalendarChange {
    /// Unique in the tenant, whatever the letter case.
    #[request(line, chars = LONGEST_NAME)]
    pub name: Option<String>,
    /// Its days, each once.
    #[request(items = 0..=MOST_DAYS)]
    pub days: Option<Vec<NewHoliday>>,
    /// The same as iCalendar (RFC 5545): its events of whole days, and those that repeat yearly ten years ahead.
    #[request(chars = LONGEST_ICS)]
    pub ics: Option<String>,
    /// Where an iCalendar text is read, soon and every six hours: `https://` or `http://`. All who read the calendar
    /// see it.
    #[request(chars = LONGEST_URL, from = String, parse = url)]
    pub url: Option<String>,
    /// Users of the tenant whose holidays these are.
    #[request(items = 0..=MOST_USERS)]
    pub users: Option<Vec<UserReference>>,
    /// User groups of the tenant whose members have these holidays.
    #[request(items = 0..=MOST_GROUPS)]
    pub user_groups: Option<Vec<UserGroupReference>>,
}

/// Where days come from.
const SOURCES: [&str; 3] = ["days", "ics", "url"];

/// The egress guard looks at the host behind this, and again when it is called.
fn url(text: String) -> Result<String, &'static str> {
    let text = text.trim();
    let is_address = ["https://", "http://"].iter().any(|scheme| text.len() > scheme.len() && text.starts_with(scheme));
    if !is_address || text.chars().any(|letter| letter.is_control() || letter.is_whitespace()) {
        return Err("must be a URL such as https://example.net/holidays.ics");
    }
    Ok(text.to_owned())
}

/// The days of a body, by date.
pub fn by_date(days: Vec<NewHoliday>) -> BTreeMap<Day, String> {
    days.into_iter().map(|day| (day.date, day.name)).collect()
}

fn check_new(new: &NewCalendar, fields: &mut Fields<'_>) {
    if !SOURCES.iter().any(|source| fields.has(source)) {
        fields.error("days", "is required, or ics or url");
    }
    check_days(new.days.as_deref(), fields);
}

fn check_change(change: &CalendarChange, fields: &mut Fields<'_>) {
    check_days(change.days.as_deref(), fields);
}

fn check_days(days: Option<&[NewHoliday]>, fields: &mut Fields<'_>) {
    let given: Vec<&str> = SOURCES.into_iter().filter(|source| fields.has(source)).collect();
    if let [first, second, ..] = given.as_slice() {
        fields.error(second, format!("must be absent when {first} is there"));
    }
    let mut seen = HashSet::new();
    for (place, day) in days.unwrap_or_default().iter().enumerate() {
        if !seen.insert(day.date) && day.date != Day::of_number(0) {
            fields.error(&format!("days[{place}].date"), "is given twice");
        }
    }
}
