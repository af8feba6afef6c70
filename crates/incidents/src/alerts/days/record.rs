//! What figures need of an alert.

use base::timestamp::DAY_MS;
use sha2::{Digest as _, Sha256};

/// What ids of alerts begin with.
const PREFIX: &str = "ALT-";

/// What figures need of an alert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its id, as a number in the order of ids.
    pub id: u128,
    /// [`problem_number`] of its problem.
    pub problem: u128,
    /// The resource that it is about.
    pub resource: Option<String>,
    /// After how many seconds it was acknowledged, if it was.
    pub acknowledged: Option<u32>,
    /// After how many seconds it was closed, if it is.
    pub closed: Option<u32>,
    /// Who was told of it.
    pub told: Recipients,
}

/// Who was told of an alert.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Recipients {
    /// Tenant and id of the route that took it.
    pub route: Option<(String, String)>,
    /// How many pages there were.
    pub pages: u32,
    /// Was somebody to be told by a step behind the first?
    pub escalated: bool,
    /// Who got how many of these pages, by id.
    pub people: Vec<(String, u32)>,
    /// Through which rosters they went: tenant, id and how many.
    pub rosters: Vec<(String, String, u32)>,
}

/// The day of an instant, by its number.
pub const fn day_of(ms: i64) -> i64 {
    ms.div_euclid(DAY_MS)
}

/// The number of a problem: 96 bits of a hash of its name.
pub fn problem_number(problem: &str) -> u128 {
    let digest = Sha256::digest(problem.as_bytes());
    digest.iter().take(12).fold(0, |number, byte| number << 8 | u128::from(*byte))
}

/// The number of an alert whose id is `ALT-` and a UUID as the service writes it.
pub fn id_number(id: &str) -> Option<u128> {
    let number = uuid::Uuid::try_parse(id.strip_prefix(PREFIX)?).ok()?.as_u128();
    (id_text(number) == id).then_some(number)
}

/// The id with a number.
pub fn id_text(number: u128) -> String {
    format!("{PREFIX}{}", uuid::Uuid::from_u128(number))
}

/// The part of an id that says when it was made: of those that the service makes, in milliseconds since the epoch.
pub const fn time_of_id(number: u128) -> u64 {
    (number >> 80) as u64
}

/// The first id with such a part.
pub const fn first_id_of_time(time: u64) -> u128 {
    (time as u128) << 80
}

/// Whole seconds from an instant to another, as clients see both. The clocks of two gateways may differ.
pub fn seconds(from_ms: i64, to_ms: i64) -> u32 {
    u32::try_from((to_ms / 1000 - from_ms / 1000).max(0)).unwrap_or(u32::MAX - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_numbers_in_their_order() {
        let ids = ["ALT-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90", "ALT-0190a6b2-8f0f-7000-9d5a-3c1d7a5b2e90"];
        let numbers = ids.map(|id| id_number(id).unwrap());
        assert!(numbers[0] < numbers[1]);
        assert_eq!(numbers.map(id_text), ids);
        assert_eq!(time_of_id(numbers[1]), 0x0190_a6b2_8f0f);
        assert!(numbers[0] < first_id_of_time(time_of_id(numbers[1])));
        for other in ["ALT-1", "INC-0190a6b2-8f0e-7f6e-9d5a-3c1d7a5b2e90", "ALT-0190A6B2-8f0e-7f6e-9d5a-3c1d7a5b2e90"] {
            assert_eq!(id_number(other), None);
        }
    }

    #[test]
    fn seconds_are_those_that_clients_see() {
        assert_eq!((seconds(999, 1_000), seconds(1_000, 1_999), seconds(5_000, 1_000)), (1, 0, 0));
        assert_eq!((day_of(-1), day_of(DAY_MS - 1), day_of(DAY_MS)), (-1, 0, 1));
    }
}
