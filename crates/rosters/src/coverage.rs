//! When somebody is on call through rosters, and when somebody should be. Pure.

use base::problem::Problem;
use calendar::{Interval, sets};

use crate::{duty::Duty, schedule::Schedule};

/// When somebody is on call, and when somebody should be.
#[derive(Debug, Default)]
pub struct Cover {
    /// When somebody is on call.
    pub staffed: Vec<Interval>,
    /// When somebody should be.
    pub wanted: Vec<Interval>,
}

impl Cover {
    /// When nobody is on call and somebody should be, and how much of that time somebody is, in percent.
    pub fn gaps(&self) -> (Vec<Interval>, f64) {
        let gaps = sets::subtract(self.wanted.iter().copied(), self.staffed.iter().copied());
        let wanted = sets::covered_millis(self.wanted.iter().copied());
        let missing = sets::covered_millis(gaps.iter().copied());
        (gaps, coverage(wanted, missing))
    }
}

/// When somebody should be on call within a range of which some is off: not while holidays alone keep shifts from
/// taking place.
pub fn wanted(schedule: &Schedule, duties: &[Duty<'_>], range: Interval, off: &[Interval]) -> Vec<Interval> {
    let left_out = schedule.left_out(range);
    if left_out.is_empty() {
        return sets::subtract([range], off.iter().copied());
    }
    let free = sets::subtract(left_out, duties.iter().map(|duty| duty.time));
    sets::subtract([range], off.iter().copied().chain(free))
}

/// What a range is refused with that has too much in it.
pub fn too_large() -> Problem {
    Problem::field("to", "makes the answer too large: ask for a shorter range")
}

/// How much of the wanted time is not missing, in percent.
fn coverage(wanted: u64, missing: u64) -> f64 {
    if wanted == 0 {
        return 100.0;
    }
    let covered = u128::from(wanted.saturating_sub(missing)) * 10_000 / u128::from(wanted);
    // At most 10,000, which a float holds exactly.
    covered as f64 / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coverage_is_rounded_down() {
        assert_eq!(coverage(0, 0), 100.0);
        assert_eq!(coverage(1_000, 25), 97.5);
        assert_eq!(coverage(1_000_000, 1), 99.99);
        assert_eq!(coverage(7, 7), 0.0);
    }
}
