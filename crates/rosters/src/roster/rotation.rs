//! The rotation of a shift: who takes turns in it ("Rotations" in `docs/interface.md`).

use base::Fields;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use serde_json::{Value, json};

use super::crew::Crew;

/// A rotation as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Rotation {
    /// Who is on call in each place, in the order of the turns.
    pub order: Vec<Crew>,
    /// When they hand over.
    pub turns: calendar::Rotation,
}

impl Serialize for Rotation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        json!({"order": self.order, "length": self.turns.length(), "start": self.turns.start()}).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Rotation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut value = Value::deserialize(deserializer)?;
        let order = value.get_mut("order").map(Value::take).unwrap_or_default();
        let order = serde_json::from_value(order).map_err(D::Error::custom)?;
        let turns = calendar::Rotation::read(&mut Fields::of(&value));
        Ok(Self { order, turns: turns.ok_or_else(|| D::Error::custom("turns of no length"))? })
    }
}
