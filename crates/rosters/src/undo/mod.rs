//! Undoing changes of rosters, overrides, time off and holidays. What is restored holds from now on: who was on call
//! stays as it was.

mod earlier_plan;
mod holidays;
mod overrides;
mod rosters;
mod time_off;

use std::sync::Arc;

use api::Restorer;
use ports::People;

use crate::hour_categories;

/// What of this domain is restored when a change set is undone; `people` says who is there.
pub fn restorers(people: Arc<dyn People>) -> Vec<Arc<dyn Restorer>> {
    vec![
        Arc::new(rosters::Rosters(Arc::clone(&people))),
        Arc::new(overrides::Overrides(Arc::clone(&people))),
        Arc::new(time_off::TimesOff(Arc::clone(&people))),
        Arc::new(holidays::HolidayCalendars(people)),
        Arc::new(hour_categories::undo::Categories),
    ]
}
