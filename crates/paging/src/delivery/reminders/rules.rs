//! Which shifts are told of now. Pure.

use base::hex;
use ports::OwnShift;
use sha2::{Digest as _, Sha256};

use crate::configuration::notification::reminders::Reminder;

/// How soon one looks again at the latest: rosters change.
pub const LOOK_MS: i64 = 5 * 60_000;

/// The shifts that begin so soon that one is told of them now, and when to look next. Who hands over to oneself begins
/// nothing.
pub fn soon(shifts: &[OwnShift], now_ms: i64, before_ms: i64) -> (Vec<&OwnShift>, i64) {
    let goes_on = |shift: &OwnShift| {
        let mut others = shifts.iter().filter(|other| other.roster_id == shift.roster_id && *other != shift);
        others.any(|other| other.since < shift.since && other.until.is_none_or(|until| until >= shift.since))
    };
    let begin: Vec<&OwnShift> =
        shifts.iter().filter(|shift| shift.since.millis() > now_ms && !goes_on(shift)).collect();
    let due = |shift: &OwnShift| shift.since.millis() - before_ms;
    let next = begin.iter().map(|shift| due(shift)).filter(|due| *due > now_ms).min();
    let latest = now_ms + LOOK_MS;
    let soon = begin.into_iter().filter(|shift| due(shift) <= now_ms).collect();
    (soon, next.map_or(latest, |next| next.min(latest)))
}

/// The id of the page that tells a person of a shift by a contact method: the same whenever it is asked for.
pub fn page_id(person: &Reminder, shift: &OwnShift, method: &str) -> String {
    let mut hash = Sha256::new();
    for part in [&person.tenant_id, &person.user_id, &shift.roster_id, &shift.since.to_string(), method] {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    let digits = hex(&hash.finalize()[..16]);
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or_default();
    format!("PG-{}-{}-{}-{}-{}", part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32))
}
