//! The rotation of a shift: who takes turns in it ("Rotations" in `docs/interface.md`).

use base::timestamp::Timestamp;
use calendar::{Rotation, Rule, Zone};
use serde::{Deserialize, Serialize};

use crate::{
    away::AwayRule,
    crew::Crew,
    moves::{Moves, WhenAway},
};

/// A rotation as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CrewRotation {
    /// Who is on call in each place, in the order of the turns.
    pub order: Vec<Crew>,
    /// When they hand over.
    #[serde(flatten)]
    pub turns: Rotation,
    /// Who has the turn before another place has one by the order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<KeptTurn>,
    /// What becomes of the turns of those who are away.
    #[serde(default, rename = "whenAway", skip_serializing_if = "is_keep")]
    pub when_away: WhenAway,
    /// Since when that is so, in milliseconds: earlier turns are as they are.
    #[serde(default, rename = "awaySince", skip_serializing_if = "Option::is_none")]
    pub away_since_ms: Option<i64>,
}

fn is_keep(when_away: &WhenAway) -> bool {
    *when_away == WhenAway::Keep
}

/// The turn of somebody who had it when the rotation changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptTurn {
    /// Who has it.
    pub crew: Crew,
    /// When it ends, in milliseconds.
    pub until_ms: i64,
}

/// What the turns of a rotation are counted by.
#[derive(Clone, Copy, Debug)]
pub struct Calendar<'r> {
    /// The roster's zone.
    pub zone: Zone,
    /// When the shift takes place.
    pub schedule: &'r Rule,
}

/// The turn at an instant.
struct CurrentTurn<'r> {
    crew: &'r Crew,
    /// Its place in the order and when it began; of a kept turn neither matters any more.
    begun: Option<(usize, Timestamp)>,
    until: Timestamp,
}

impl CrewRotation {
    /// Who has a turn that was kept, if it is not over at an instant.
    pub fn kept_at(&self, at: Timestamp) -> Option<&KeptTurn> {
        self.kept.as_ref().filter(|kept| at.millis() < kept.until_ms)
    }

    /// Everybody who has a turn, by the order or before it begins.
    pub fn crews(&self, at: Timestamp) -> impl Iterator<Item = &Crew> {
        self.order.iter().chain(self.kept_at(at).map(|kept| &kept.crew))
    }

    /// Do both have the same order, length and start, and do the same when people are away?
    pub fn says_what(&self, other: &Self) -> bool {
        (&self.order, self.turns, self.when_away) == (&other.order, other.turns, other.when_away)
    }

    /// How its turns depend on who is away, if they do, in the zone of its roster.
    pub fn away_rule(&self, zone: Zone) -> Option<AwayRule> {
        let since = Timestamp::from_millis(self.away_since_ms?);
        let depends = self.when_away != WhenAway::Keep;
        depends.then(|| AwayRule { mode: self.when_away, since, zone, order: self.order.clone() })
    }

    /// The same, whose turns depend on who is away from an instant on.
    pub fn away_from(self, since: Timestamp) -> Self {
        let depends = self.when_away != WhenAway::Keep;
        Self { away_since_ms: depends.then(|| since.millis()), ..self }
    }

    /// This rotation, moved so that those whose turn it is by a former one at an instant keep it to its end. Then comes
    /// the place after theirs in this order; the first, when they are not in it. `is_same_calendar` says that both
    /// count by the same, `moves` which of the former turns moved because people are away.
    pub fn keeping_current(
        self,
        (former, then, moves): (&Self, Calendar<'_>, &Moves),
        now: Calendar<'_>,
        is_same_calendar: bool,
        at: Timestamp,
    ) -> Self {
        let Some(current) = former.turn_at(then, moves, at) else { return self };
        let place = self.place_of(&current);
        let count = self.order.len();
        // Turns of the same length go on in the same steps; else the next begins where the current one ends.
        let goes_on = current.begun.filter(|_| {
            is_same_calendar
                && self.turns.length == former.turns.length
                && place.and_then(|place| self.order.get(place)) == Some(current.crew)
        });
        let (place, begins) = match goes_on {
            Some((_, begun)) => (place.unwrap_or_default(), begun),
            None => (place.map_or(0, |place| (place + 1) % count.max(1)), self.first_after(now, current.until)),
        };
        let kept = KeptTurn { crew: current.crew.clone(), until_ms: begins.millis() };
        let kept = goes_on.is_none().then_some(kept);
        let turns = Rotation { start: former.turns.start, ..self.turns };
        let moved = |turn: usize| {
            let turn = i64::try_from(turn).ok()?;
            Some((turn, turns.moved(now.zone, now.schedule, turn, begins)?))
        };
        // Rather the order as it was given; where the start would be too early for that, a rotated one.
        let whole = if place == 0 && kept.is_some() { count } else { place };
        let choices: Vec<_> = [whole, whole + count, 0, 1, 2, 3].into_iter().filter_map(moved).collect();
        let begins_exactly =
            |(turn, moved): &&(i64, Rotation)| moved.turns(now.zone, now.schedule).start(*turn) == Some(begins);
        let holds = |(turn, moved): &&(i64, Rotation)| moved.turns(now.zone, now.schedule).at(begins) == Some(*turn);
        let chosen = choices.iter().find(begins_exactly).or_else(|| choices.iter().find(holds));
        // Nobody who is away by then loses the turn that is kept.
        let away = if goes_on.is_some() { current.until } else { begins };
        let Some((turn, turns)) = chosen.copied() else { return Self { kept, ..self }.away_from(away) };
        let mut order = self.order;
        let turn = usize::try_from(turn).unwrap_or_default() % count.max(1);
        order.rotate_left((place + count - turn) % count.max(1));
        Self { order, turns, kept, ..self }.away_from(away)
    }

    fn turn_at(&self, calendar: Calendar<'_>, moves: &Moves, at: Timestamp) -> Option<CurrentTurn<'_>> {
        if let Some(kept) = self.kept_at(at) {
            let until = Timestamp::from_millis(kept.until_ms);
            return Some(CurrentTurn { crew: &kept.crew, begun: None, until });
        }
        let turns = self.turns.turns(calendar.zone, calendar.schedule);
        let number = turns.at(at)?;
        let place = moves.place(number, self.order.len());
        // The last turn of a schedule that ends has no end.
        let until = turns.start(number + 1)?;
        Some(CurrentTurn { crew: self.order.get(place)?, begun: Some((place, turns.start(number)?)), until })
    }

    /// The place of those who have a turn: the same one when they still have it, else the first that names them.
    fn place_of(&self, current: &CurrentTurn<'_>) -> Option<usize> {
        let is_same = |crew: &Crew| crew == current.crew;
        let former = current.begun.map(|(place, _)| place);
        let former = former.filter(|place| self.order.get(*place).is_some_and(is_same));
        former.or_else(|| self.order.iter().position(is_same)).or_else(|| {
            let names = |ids: &[String], others: &[String]| ids.iter().any(|id| others.contains(id));
            let named =
                |crew: &Crew| names(&crew.users, &current.crew.users) || names(&crew.groups, &current.crew.groups);
            self.order.iter().position(named)
        })
    }

    /// When a turn can begin at or after an instant: occurrences are not cut.
    fn first_after(&self, calendar: Calendar<'_>, at: Timestamp) -> Timestamp {
        match self.turns.length {
            calendar::rotation::Length::Occurrences(_) => {
                calendar.schedule.nth_start(calendar.schedule.count_before(at)).unwrap_or(at)
            }
            _ => at,
        }
    }
}

#[cfg(test)]
mod tests;
