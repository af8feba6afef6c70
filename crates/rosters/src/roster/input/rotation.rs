//! What clients say of a rotation: who takes turns, how long one is, and when the first begins.

use std::num::NonZeroU16;

use api::Request;
use base::{Fields, timestamp::Timestamp};
use calendar::rotation::{Length, Start};
use serde_json::Value;

use super::people::{MOST_REFERENCES, UserGroupReference, UserReference, group_ids, user_ids};
use crate::{crew::Crew, moves::WhenAway, roster::rotation::CrewRotation};

/// The most places of a rotation.
pub(super) const MOST_PLACES: usize = 100;

/// Who takes turns in a shift. Each hand-over after the first is so many weeks or days of the local calendar after it,
/// at the same time of day; hours are counted as they pass. Occurrences of the shift's schedule are counted from the
/// first that starts at or after `start`.
#[derive(Clone, Debug, Request)]
#[request(schema = "RosterRotationInput", check = check_rotation, example = json!({
    "order": [{"users": [{"id": "USR0000000007"}]}, {"users": [{"id": "USR0000000008"}]}],
    "length": {"weeks": 1}, "start": "2026-11-23T09:00:00"
}))]
pub struct NewRotation {
    /// 1 to 100 places. In an update, none: nobody takes turns any more.
    #[request(items = 0..=MOST_PLACES)]
    pub order: Vec<NewTurn>,
    /// How long a turn is.
    pub length: Option<TurnLength>,
    /// The first hand-over, to the first place: a local time of the roster's zone, without an offset.
    #[request(from = String, parse = start, pattern = calendar::forms::LOCAL_TIME)]
    pub start: Option<Start>,
    /// What becomes of the turns of those who are away for at least half of one: nothing, `keep`, without it.
    pub when_away: Option<WhenAway>,
}

/// A place of a rotation: at least one of the two.
#[derive(Clone, Debug, Request)]
#[request(schema = "RosterPlaceInput", check = check_turn)]
pub struct NewTurn {
    /// Users of the tenant or of its partner.
    #[request(items = 0..=MOST_REFERENCES, default)]
    pub users: Vec<UserReference>,
    /// User groups of the tenant or of its partner.
    #[request(name = "userGroups", items = 0..=MOST_REFERENCES, default)]
    pub groups: Vec<UserGroupReference>,
}

/// How long a turn is: one of the four.
#[derive(Clone, Copy, Debug, Request)]
#[request(schema = "RosterTurnLength", check = check_length, example = json!({"weeks": 1}))]
pub struct TurnLength {
    /// Weeks of the local calendar.
    #[request(range = 1..=53)]
    pub weeks: Option<u16>,
    /// Days of the local calendar.
    #[request(range = 1..=366)]
    pub days: Option<u16>,
    /// Elapsed hours.
    #[request(range = 1..=8_784)]
    pub hours: Option<u16>,
    /// Shifts that are worked: occurrences of the shift's schedule. Days without one use up no turn.
    #[request(range = 1..=366)]
    pub occurrences: Option<u16>,
}

impl NewRotation {
    /// What is stored of it when it holds from an instant on; `None` for no rotation any more.
    pub fn stored(&self, from: Timestamp) -> Option<CrewRotation> {
        let order: Vec<Crew> = self.order.iter().map(NewTurn::crew).collect();
        let turns = calendar::Rotation { length: self.length?.length()?, start: self.start? };
        let when_away = self.when_away.unwrap_or_default();
        let rotation = CrewRotation { order, turns, kept: None, when_away, away_since_ms: None };
        (!rotation.order.is_empty()).then(|| rotation.away_from(from))
    }

    /// How many users and groups it names.
    pub(super) fn names(&self) -> usize {
        self.order.iter().map(|place| place.users.len() + place.groups.len()).sum()
    }
}

impl NewTurn {
    /// Who stands in it.
    pub fn crew(&self) -> Crew {
        Crew::new(&user_ids(&self.users), &group_ids(&self.groups))
    }
}

impl TurnLength {
    fn length(self) -> Option<Length> {
        match (self.weeks, self.days, self.hours, self.occurrences) {
            (Some(weeks), None, None, None) => NonZeroU16::new(weeks).map(Length::Weeks),
            (None, Some(days), None, None) => NonZeroU16::new(days).map(Length::Days),
            (None, None, Some(hours), None) => NonZeroU16::new(hours).map(Length::Hours),
            (None, None, None, Some(each)) => NonZeroU16::new(each).map(Length::Occurrences),
            _ => None,
        }
    }
}

fn start(text: String) -> Result<Start, &'static str> {
    Start::parse(&text)
}

fn check_rotation(_: &NewRotation, fields: &mut Fields<'_>) {
    if !fields.value("order").and_then(Value::as_array).is_some_and(Vec::is_empty) {
        fields.require("length");
        fields.require("start");
    }
}

fn check_turn(_: &NewTurn, fields: &mut Fields<'_>) {
    if !fields.has("users") && !fields.has("userGroups") {
        fields.error("", "must have users or userGroups");
    }
}

fn check_length(_: &TurnLength, fields: &mut Fields<'_>) {
    if ["weeks", "days", "hours", "occurrences"].into_iter().filter(|unit| fields.has(unit)).count() != 1 {
        fields.error("", "must have one of weeks, days, hours and occurrences");
    }
}
