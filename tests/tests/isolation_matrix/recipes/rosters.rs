//! How the operations of rosters are called; the head of `recipes.rs` says how to add one.

use super::super::{bodies::*, entities::Kind};
use super::{Recipe, op};

pub(super) const RECIPES: &[Recipe] = &[
    op("GET /api/v2/cfg/timezones"),
    op("POST /rosters").sends(ROSTER).refers(STAFFED),
    op("GET /rosters/search").filters(&["queryString=id:$roster", "name=$roster.name"]),
    op("GET /rosters/calendars"),
    op("GET /rosters/onCall").asks("at=2026-11-20T23:00:00Z"),
    op("GET /rosters/timeline").asks(RANGE),
    op("GET /rosters/hours").asks(RANGE),
    op("GET /rosters/hourCategories"),
    op("POST /rosters/hourCategories").sends(r#"{"nightFrom": "21:30:00"}"#),
    op("POST /rosters/{rosterId}/preview").ids(&[Kind::Roster]).asks(RANGE).sends(ROSTER).refers(STAFFED),
    op("POST /rosters/{rosterId}/swaps").ids(&[Kind::Roster]).sends(SWAP).refers(&[SWAP]),
    op("GET /users/{userId}/shifts").ids(&[Kind::User]).asks(RANGE),
    op("POST /rosters/preview").asks(RANGE).sends(ROSTER).refers(STAFFED),
    op("GET /rosters/{rosterId}").ids(&[Kind::Roster]),
    op("POST /rosters/{rosterId}").ids(&[Kind::Roster]).sends(ROSTER).refers(STAFFED),
    op("DELETE /rosters/{rosterId}").ids(&[Kind::Roster]),
    op("GET /rosters/{rosterId}/onCall").ids(&[Kind::Roster]).asks("at=2026-11-20T23:00:00Z"),
    op("GET /rosters/{rosterId}/timeline").ids(&[Kind::Roster]).asks(RANGE),
    op("POST /rosters/{rosterId}/overrides").ids(&[Kind::Roster]).sends(OVERRIDE).refers(OVERRIDES),
    op("GET /rosters/{rosterId}/overrides").ids(&[Kind::Roster]),
    op("DELETE /rosters/{rosterId}/overrides/{overrideId}").ids(&[Kind::Roster, Kind::Override]),
    op("POST /rosters/{rosterId}/coverRequests").ids(&[Kind::Roster]).sends(COVER_REQUESTS[0]).refers(COVER_REQUESTS),
    op("GET /rosters/{rosterId}/coverRequests").ids(&[Kind::Roster]),
    op("POST /rosters/{rosterId}/coverRequests/{coverRequestId}/accept").ids(&[Kind::Roster, Kind::CoverRequest]),
    op("POST /rosters/{rosterId}/coverRequests/{coverRequestId}/decline").ids(&[Kind::Roster, Kind::CoverRequest]),
    op("DELETE /rosters/{rosterId}/coverRequests/{coverRequestId}").ids(&[Kind::Roster, Kind::CoverRequest]),
    op("GET /rosters/conflicts").asks(RANGE),
    op("POST /users/{userId}/timeOff").ids(&[Kind::User]).sends(TIME_OFF).of_others("operator"),
    op("GET /users/{userId}/timeOff/search").ids(&[Kind::User]),
    op("GET /users/{userId}/timeOff/{timeOffId}").ids(&[Kind::User, Kind::TimeOff]),
    op("POST /users/{userId}/timeOff/{timeOffId}")
        .ids(&[Kind::User, Kind::TimeOff])
        .sends(TIME_OFF)
        .of_others("operator"),
    op("DELETE /users/{userId}/timeOff/{timeOffId}").ids(&[Kind::User, Kind::TimeOff]).of_others("operator"),
    op("POST /holidayCalendars").sends(HOLIDAYS).refers(HOLIDAYS_OF),
    op("GET /holidayCalendars/search").filters(&["name=$holidayCalendar.name"]),
    op("GET /holidayCalendars/{holidayCalendarId}").ids(&[Kind::HolidayCalendar]),
    op("POST /holidayCalendars/{holidayCalendarId}").ids(&[Kind::HolidayCalendar]).sends(HOLIDAYS).refers(HOLIDAYS_OF),
    op("DELETE /holidayCalendars/{holidayCalendarId}").ids(&[Kind::HolidayCalendar]),
    op("POST /rosters/{rosterId}/calendars").ids(&[Kind::Roster]),
    op("GET /rosters/{rosterId}/calendars").ids(&[Kind::Roster]),
    op("DELETE /rosters/{rosterId}/calendars/{calendarId}").ids(&[Kind::Roster, Kind::RosterCalendar]),
    op("POST /rosters/users/{userId}/calendars").ids(&[Kind::User]).of_seen().not_narrowed(),
    op("GET /rosters/users/{userId}/calendars").ids(&[Kind::User]),
    op("DELETE /rosters/users/{userId}/calendars/{calendarId}").ids(&[Kind::User, Kind::UserCalendar]).of_seen(),
];
