//! What clients see of hours on call.

use base::timestamp::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::overrides::wire::Reference;

/// How long people are on call in a range.
#[derive(Serialize, ToSchema)]
#[schema(as = RosterHours)]
pub struct Hours {
    /// The range.
    #[schema(value_type = String)]
    pub from: Timestamp,
    /// The range.
    #[schema(value_type = String)]
    pub to: Timestamp,
    /// A row for each user, user group or roster that has hours, by name.
    pub results: Vec<HoursRow>,
}

/// The hours of a user, of a user group or of a roster: those of each of the people on call.
#[api::without_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RosterHoursRow)]
pub struct HoursRow {
    /// With `by=user`: who.
    pub user: Option<HoursUser>,
    /// With `by=group`: the group; left out for the hours of those who are in none that the shift names.
    pub user_group: Option<HoursGroup>,
    /// With `by=roster`: which.
    pub roster: Option<Reference>,
    /// By category; together they are the total.
    pub hours: HoursByCategory,
    /// All hours, in hundredths.
    #[schema(example = 168.0)]
    pub total: f64,
    /// With `by=user`: the hours that are in the total more than once, since the user was on call through several
    /// shifts at once.
    #[schema(example = 0.0)]
    pub overlapping: Option<f64>,
    /// How many pages they got. With `by=roster` and `by=group` those through the rosters.
    #[schema(example = 12)]
    pub pages: u64,
    /// How many of them were in the category `night` of the roster through which they came.
    #[schema(example = 3)]
    pub night_pages: u64,
    /// How many nights of people had at least one of these.
    #[schema(example = 2)]
    pub nights_broken: u64,
    /// With `by=user`, unless `name` or `userGroupId` narrow it: the hours from when the user acknowledged alerts first
    /// until they were closed; those of alerts at once count once.
    #[schema(example = 6.5)]
    pub incident_hours: Option<f64>,
}

/// A user who has hours.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RosterHoursUser, example = json!({"id": "USR0000000007", "loginName": "ann.lee"}))]
pub struct HoursUser {
    /// `USR` and ten digits.
    pub id: String,
    /// The login name.
    pub login_name: String,
}

/// A user group whose members have hours.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RosterHoursGroup)]
pub struct HoursGroup {
    /// `USRGRP-<uuid>`.
    pub unique_id: String,
    /// Its name.
    pub name: String,
}

/// Hours by category, in hundredths.
#[derive(Serialize, ToSchema)]
#[schema(as = RosterHoursByCategory, example = json!({
    "working": 50.0, "evening": 20.0, "night": 50.0, "weekend": 48.0, "holiday": 0.0
}))]
pub struct HoursByCategory {
    /// In the working hours of weekdays.
    pub working: f64,
    /// In their evenings.
    pub evening: f64,
    /// In their nights.
    pub night: f64,
    /// On the days of weekends.
    pub weekend: f64,
    /// On holidays.
    pub holiday: f64,
}
