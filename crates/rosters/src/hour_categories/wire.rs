//! What clients say and see of the categories of hours.

use base::{
    Fields,
    body::{Field as _, Limits},
};
use calendar::{HourCategories, TimeOfDay, Weekdays, forms};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// Where the categories of hours on call begin, on the clocks of each roster's zone.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RosterHourCategories, example = json!({
    "workingFrom": "08:00:00", "eveningFrom": "18:00:00", "nightFrom": "22:00:00", "weekendDays": "Sunday,Saturday"
}))]
pub struct Categories {
    /// When the working hours of a weekday begin, and its night ends.
    #[schema(value_type = String, pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]$")]
    pub working_from: TimeOfDay,
    /// When the evening of a weekday begins.
    #[schema(value_type = String, pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]$")]
    pub evening_from: TimeOfDay,
    /// When the night of a weekday begins.
    #[schema(value_type = String, pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]$")]
    pub night_from: TimeOfDay,
    /// The days of the weekend, separated by commas; empty where there is none.
    #[schema(value_type = String)]
    pub weekend_days: Weekdays,
}

impl From<HourCategories> for Categories {
    fn from(categories: HourCategories) -> Self {
        Self {
            working_from: categories.working_from,
            evening_from: categories.evening_from,
            night_from: categories.night_from,
            weekend_days: categories.weekend,
        }
    }
}

/// Changes of the categories; what is left out stays as it is.
#[derive(Clone, Debug, Default, api::Request)]
#[request(schema = "RosterHourCategoriesInput", example = json!({
    "workingFrom": "07:30:00", "eveningFrom": "17:30:00", "nightFrom": "22:00:00", "weekendDays": "Saturday,Sunday"
}))]
pub struct CategoriesChange {
    /// When the working hours of a weekday begin, and its night ends.
    #[request(text = forms::TIME_OF_DAY)]
    pub working_from: Option<TimeOfDay>,
    /// When the evening of a weekday begins.
    #[request(text = forms::TIME_OF_DAY)]
    pub evening_from: Option<TimeOfDay>,
    /// When the night of a weekday begins; not before its evening. At the same time, there is no evening.
    #[request(text = forms::TIME_OF_DAY)]
    pub night_from: Option<TimeOfDay>,
    /// The days of the weekend, separated by commas; empty for none.
    #[request(with = weekend, text = forms::WEEKDAYS)]
    pub weekend_days: Option<Weekdays>,
}

impl CategoriesChange {
    /// What they make of these.
    pub fn of(&self, old: HourCategories) -> HourCategories {
        HourCategories {
            working_from: self.working_from.unwrap_or(old.working_from),
            evening_from: self.evening_from.unwrap_or(old.evening_from),
            night_from: self.night_from.unwrap_or(old.night_from),
            weekend: self.weekend_days.unwrap_or(old.weekend),
        }
    }
}

/// Reads the days of the weekend, of which an empty text has none.
fn weekend(fields: &mut Fields<'_>, name: &str) -> Option<Weekdays> {
    match fields.value(name)? {
        Value::String(text) if text.trim().is_empty() => Some(Weekdays::default()),
        _ => Weekdays::read(fields, name, &Limits::NONE),
    }
}
