//! Which conflicts are new, and what is told of them. Pure.

use std::collections::{BTreeMap, HashMap};

use base::{hex, timestamp::Timestamp};
use sha2::{Digest as _, Sha256};

use super::told_conflicts::ToldConflict;
use crate::conflicts::wire::{Conflict, ConflictShift, Kind};

/// How many new conflicts of a tenant are told at once.
const MOST_AT_ONCE: usize = 200;
/// How many conflicts of a roster a message has a line for.
const MOST_LINES: usize = 10;
/// One that goes on is noted to go on once it is known for less than this, in milliseconds.
const NOTED_AHEAD_MS: i64 = 6 * 86_400_000;

/// The subject of the row that says that there is too much to find conflicts in.
pub const TOO_MUCH: &str = "too much";

/// What becomes of conflicts, by their places.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Conflicts that were not told yet, as many as are told at once.
    pub new: Vec<usize>,
    /// Conflicts that were told, each with its row.
    pub known: Vec<(usize, usize)>,
    /// Rows of conflicts that go on longer than they say, with the new end.
    pub longer: Vec<(usize, i64)>,
    /// Rows of conflicts that are over.
    pub over: Vec<usize>,
    /// Are there more new ones?
    pub has_more: bool,
}

/// Compares the conflicts that there are with those that were told. What is under way is found from now on, and what
/// has no end as far as one looks: it is the same as long as its time meets the one that is known.
pub fn compare(found: &[Conflict], told: &[ToldConflict], now: Timestamp) -> Comparison {
    let mut by_subject: HashMap<&str, Vec<usize>> = HashMap::new();
    for (row, one) in told.iter().enumerate() {
        by_subject.entry(&one.subject).or_default().push(row);
    }
    let mut all = Comparison::default();
    let mut ends: BTreeMap<usize, i64> = BTreeMap::new();
    for (place, conflict) in found.iter().enumerate() {
        let (from_ms, to_ms) = (conflict.from.millis(), conflict.to.millis());
        let meets = |row: &&usize| told.get(**row).is_some_and(|one| from_ms <= one.to_ms && one.from_ms <= to_ms);
        let subject = subject(conflict);
        match by_subject.get(subject.as_str()).into_iter().flatten().find(meets) {
            Some(row) => {
                all.known.push((place, *row));
                let end = ends.entry(*row).or_insert(to_ms);
                *end = to_ms.max(*end);
            }
            None if all.new.len() < MOST_AT_ONCE => all.new.push(place),
            None => all.has_more = true,
        }
    }
    for (row, one) in told.iter().enumerate() {
        match ends.get(&row) {
            None => all.over.push(row),
            Some(end) if goes_on(one, *end, now) => all.longer.push((row, *end)),
            Some(_) => {}
        }
    }
    all
}

/// Is it to be noted that a conflict goes on until an instant?
pub fn goes_on(row: &ToldConflict, end_ms: i64, now: Timestamp) -> bool {
    row.to_ms < end_ms && row.to_ms < now.millis().saturating_add(NOTED_AHEAD_MS)
}

/// A hash of all that makes a conflict another one but its time. Of a gap and of nights it is not the shift, which may
/// be another one as time goes on; and two shifts at once are the same in either order.
pub fn subject(conflict: &Conflict) -> String {
    let text = |shift: &ConflictShift| {
        format!("{} {}", shift.roster.id, shift.shift.as_ref().map_or("", |shift| shift.id.as_str()))
    };
    let own = ConflictShift { roster: conflict.roster.clone(), shift: conflict.shift.clone() };
    let mut places = match conflict.kind {
        Kind::Gap => vec![conflict.roster.id.clone()],
        Kind::Nights => Vec::new(),
        Kind::DoubleBooking | Kind::TimeOff | Kind::Rest => {
            std::iter::once(&own).chain(&conflict.others).map(text).collect()
        }
    };
    places.sort_unstable();
    let user = conflict.user.as_ref().map_or("", |user| user.id.as_str());
    let mut hash = Sha256::new();
    let parts = [word(conflict.kind), user, conflict.time_off_id.as_deref().unwrap_or_default()];
    for part in parts.into_iter().chain(places.iter().map(String::as_str)) {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    hex(&hash.finalize())
}

/// What a kind is called.
const fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Gap => "nobody on call",
        Kind::DoubleBooking => "two shifts at once",
        Kind::TimeOff => "on call during time off",
        Kind::Rest => "too little rest",
        Kind::Nights => "too many nights in a row",
    }
}

/// What a conflict is called in a message.
const fn title(conflict: &Conflict) -> &'static str {
    match (conflict.kind, &conflict.time_off_id) {
        (Kind::TimeOff, None) => "on call on a holiday",
        (kind, _) => word(kind),
    }
}

/// Subject and description of a message about conflicts of one roster, which begin in this order.
pub fn message(conflicts: &[&Conflict]) -> (String, String) {
    let Some(first) = conflicts.first() else { return Default::default() };
    let line = |conflict: &&Conflict| {
        let named = [conflict.user.as_ref().map(|user| user.login_name.as_str()), shift_name(conflict)];
        let named = named.into_iter().flatten().collect::<Vec<_>>().join(", ");
        let about = if named.is_empty() { String::new() } else { format!(": {named}") };
        format!("{} to {}, {}{about}", conflict.from, conflict.to, title(conflict))
    };
    let lines = conflicts.iter().take(MOST_LINES).map(line);
    let more = conflicts.len().saturating_sub(MOST_LINES);
    let more = (more > 0).then(|| format!("and {more} more"));
    let subject = match conflicts {
        [one] => format!("{}: {} from {}", one.roster.name, title(one), one.from),
        many => format!("{}: {} conflicts from {}", first.roster.name, many.len(), first.from),
    };
    (subject, lines.chain(more).collect::<Vec<_>>().join("\n"))
}

/// Subject and description of a message that there is too much to find conflicts in.
pub fn too_much() -> (String, String) {
    let subject = "Rosters: conflicts are not looked for";
    let description = "The rosters of the next seven days have too many shifts, people or conflicts to be looked \
                       through. Nobody is told of conflicts until they have fewer.";
    (subject.to_owned(), description.to_owned())
}

fn shift_name(conflict: &Conflict) -> Option<&str> {
    conflict.shift.as_ref().map(|shift| shift.name.as_str())
}

#[cfg(test)]
mod tests;
