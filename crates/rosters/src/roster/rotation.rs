//! The rotation of a shift: who takes turns in it ("Rotations" in `docs/interface.md`).

use serde::{Deserialize, Serialize};

use crate::crew::Crew;

/// A rotation as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CrewRotation {
    /// Who is on call in each place, in the order of the turns.
    pub order: Vec<Crew>,
    /// When they hand over.
    #[serde(flatten)]
    pub turns: calendar::Rotation,
}
