//! The rotation of a shift: who takes turns in it ("Rotations" in `docs/interface.md`).

use base::{Fields, problem::Problem};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::{
    change::references,
    crew::Crew,
    documented::{UserGroupReference, UserReference},
    wire::{User, UserGroup},
};

/// The most places of a rotation.
const MOST_PLACES: usize = 100;

/// A rotation as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Rotation {
    /// Who is on call in each place, in the order of the turns.
    pub order: Vec<Crew>,
    /// When they hand over.
    pub turns: calendar::Rotation,
}

impl Rotation {
    /// What is stored of it.
    pub fn to_json(&self) -> String {
        json!({"order": self.order, "length": self.turns.length(), "start": self.turns.start()}).to_string()
    }

    /// Reads what [`Rotation::to_json`] wrote.
    ///
    /// # Errors
    /// 500 when it did not.
    pub fn from_json(text: &str) -> Result<Self, Problem> {
        let mut value: Value = serde_json::from_str(text).map_err(|_| Problem::internal())?;
        let order = value.get_mut("order").map(Value::take).unwrap_or_default();
        let order = serde_json::from_value(order).map_err(|_| Problem::internal())?;
        let turns = calendar::Rotation::read(&mut Fields::of(&value)).ok_or_else(Problem::internal)?;
        Ok(Self { order, turns })
    }
}

/// A rotation of a request.
#[derive(Clone, Debug, PartialEq)]
pub struct NewRotation {
    /// Ids of users and of groups of each place, as they were given.
    pub order: Vec<(Vec<String>, Vec<String>)>,
    /// When they hand over; `None` for no rotation at all any more.
    pub turns: Option<calendar::Rotation>,
}

impl NewRotation {
    /// Reads one. That of a shift that is changed may have no places: then nobody takes turns any more.
    pub fn read(fields: &mut Fields<'_>, is_new: bool) -> Option<Self> {
        let mut fields = fields.object("rotation")?;
        fields.require("order");
        let places = fields.objects("order");
        if places.as_ref().is_some_and(|places| places.is_empty() && !is_new) {
            return Some(Self { order: Vec::new(), turns: None });
        }
        if places.as_ref().is_some_and(|places| places.is_empty() || places.len() > MOST_PLACES) {
            fields.error("order", format!("must have 1 to {MOST_PLACES} places"));
            return None;
        }
        let place = |mut place: Fields<'_>| {
            if !place.has("users") && !place.has("userGroups") {
                place.error("", "must have users or userGroups");
            }
            let users = references(&mut place, "users", "id", false).unwrap_or_default();
            (users, references(&mut place, "userGroups", "uniqueId", false).unwrap_or_default())
        };
        let order: Option<Vec<_>> = places.map(|places| places.into_iter().map(place).collect());
        let turns = calendar::Rotation::read(&mut fields);
        Some(Self { order: order?, turns: Some(turns?) })
    }

    /// What is stored of it; `None` for no rotation.
    pub fn stored(&self) -> Option<Rotation> {
        let order = self.order.iter().map(|(users, groups)| Crew::new(users, groups)).collect();
        self.turns.map(|turns| Rotation { order, turns })
    }

    /// How many users and groups it names.
    pub fn names(&self) -> usize {
        self.order.iter().map(|(users, groups)| users.len() + groups.len()).sum()
    }
}

/// Who takes turns in a shift, and when they hand over.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = RosterRotation)]
pub struct ShownRotation {
    /// The places, in the order of the turns; everybody in a place is on call together.
    pub order: Vec<Place>,
    /// How long a turn is.
    #[schema(value_type = TurnLength)]
    pub length: Value,
    /// The first hand-over, to the first place: a local time of the roster's zone.
    #[schema(example = "2026-11-23T09:00:00")]
    pub start: String,
}

/// A place of a rotation.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RosterPlace)]
pub struct Place {
    /// Who is on call.
    pub users: Vec<User>,
    /// Groups whose members are on call.
    pub user_groups: Vec<UserGroup>,
}

/// How long a turn is: one of the three.
#[derive(ToSchema)]
#[schema(as = RosterTurnLength, example = json!({"weeks": 1}))]
#[expect(dead_code, reason = "only its schema is used")]
pub struct TurnLength {
    /// Weeks of the local calendar.
    #[schema(minimum = 1, maximum = 53)]
    weeks: Option<i64>,
    /// Days of the local calendar.
    #[schema(minimum = 1, maximum = 366)]
    days: Option<i64>,
    /// Elapsed hours.
    #[schema(minimum = 1, maximum = 8784)]
    hours: Option<i64>,
}

/// Who takes turns in a shift. Each hand-over after the first is so many weeks or days of the local calendar after it, at
/// the same time of day; hours are counted as they pass.
#[derive(ToSchema)]
#[schema(as = RosterRotationInput, example = json!({
    "order": [{"users": [{"id": "USR0000000007"}]}, {"users": [{"id": "USR0000000008"}]}],
    "length": {"weeks": 1}, "start": "2026-11-23T09:00:00"
}))]
#[expect(dead_code, reason = "only its schema is used")]
pub struct RotationInput {
    /// 1 to 100 places. In an update, none: nobody takes turns any more.
    #[schema(max_items = 100)]
    order: Vec<PlaceInput>,
    /// How long a turn is.
    length: Option<TurnLength>,
    /// The first hand-over, to the first place: a local time of the roster's zone, without an offset.
    start: Option<String>,
}

/// A place of a rotation: at least one of the two.
#[derive(ToSchema)]
#[schema(as = RosterPlaceInput, rename_all = "camelCase")]
#[expect(dead_code, reason = "only its schema is used")]
pub struct PlaceInput {
    /// Users of the tenant or of its partner; at most 100.
    users: Option<Vec<UserReference>>,
    /// User groups of the tenant or of its partner; at most 100.
    user_groups: Option<Vec<UserGroupReference>>,
}
