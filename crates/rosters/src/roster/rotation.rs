//! The rotation of a shift: who takes turns in it ("Rotations" in `docs/interface.md`).

use base::{Fields, problem::Problem};
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
        let turns = calendar::Rotation::read(&mut Fields::of(&value)).ok_or_else(|| Problem::internal())?;
        Ok(Self { order, turns })
    }
}
