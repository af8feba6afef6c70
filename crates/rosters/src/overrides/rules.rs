//! What becomes of overrides. Pure.

use base::{problem::Problem, timestamp::Timestamp};
use calendar::Interval;

use super::row::{Override, ShiftSettings};
use crate::{
    dated_holidays::dated::DatedHolidays,
    roster::{
        row::Shift,
        rules::{self, effective_ms},
    },
};

/// 404: the roster has no such override.
pub fn no_override() -> Problem {
    Problem::not_found("The override was not found.")
}

/// What a delete does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removal {
    /// It has not begun: it goes.
    Whole,
    /// It is under way: it ends here, and what is past stays.
    EndAt(i64),
}

/// Works out what deleting an override does: what is past stays as history, whenever it was entered.
///
/// # Errors
/// 409 when all of it is past.
pub fn removal(row: &Override, now: Timestamp) -> Result<Removal, Problem> {
    let now_ms = effective_ms(now);
    if row.start_ms >= now_ms {
        Ok(Removal::Whole)
    } else if row.end_ms > now_ms {
        Ok(Removal::EndAt(now_ms))
    } else {
        Err(Problem::conflict("The override is over: it stays as history."))
    }
}

/// Does a shift take place in a time? Its holiday calendars are among these.
pub fn takes_place(shift: &Shift, holidays: &DatedHolidays, time: Interval) -> Result<bool, Problem> {
    let zone = rules::zone(&shift.zone)?;
    let rule = holidays.rule(rules::schedule(&shift.schedule)?.rule(zone), zone, shift.holidays.as_deref());
    Ok(rule.occurrences(time.start()..time.end()).next().is_some())
}

/// What the shift of an override said when the override was made. Rows of the version before do not tell: there it is
/// what one of these versions says, of those of all shifts of the roster.
pub fn shift_settings(row: &Override, versions: &[Shift]) -> ShiftSettings {
    if let Some(stored) = row.shift_settings.as_deref() {
        return stored.clone();
    }
    let at_ms = row.start_ms.max(row.created_ms);
    let own = versions.iter().filter(|shift| row.shift_id.as_ref() == Some(&shift.id) && shift.valid_from_ms <= at_ms);
    own.max_by_key(|shift| shift.valid_from_ms).map(ShiftSettings::of).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(start: i64, end: i64, created: i64) -> Override {
        Override {
            tenant_id: String::new(),
            roster_id: String::new(),
            id: String::new(),
            number: 1,
            user_id: String::new(),
            start_ms: start * 1_000,
            end_ms: end * 1_000,
            shift_id: None,
            shift_name: None,
            zone: None,
            schedule: None,
            note: String::new(),
            created_by: String::new(),
            created_ms: created * 1_000,
            replaces: None,
            swap_id: None,
            shift_settings: None,
        }
    }

    #[test]
    fn what_is_past_stays() {
        let now = Timestamp::from_millis(100_500);
        assert_eq!(removal(&row(200, 300, 50), now), Ok(Removal::Whole), "not begun");
        assert_eq!(removal(&row(60, 300, 50), now), Ok(Removal::EndAt(100_000)), "under way");
        assert!(removal(&row(60, 90, 50), now).is_err(), "over");
        assert!(removal(&row(10, 20, 50), now).is_err(), "entered after the fact");
        assert_eq!(
            removal(&row(10, 300, 100), now),
            Ok(Removal::EndAt(100_000)),
            "just entered, from a time that is past"
        );
    }
}
