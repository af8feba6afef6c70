//! Which place of a rotation has which turn where people are away. Pure: numbers of turns and places, and whether those
//! of a place are there.
//!
//! Turns are decided in their order, each by what was decided of those before it. Only turns in which somebody is away
//! are looked at; between them places follow each other.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What becomes of the turns of those who are away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema, api::Request)]
#[serde(rename_all = "lowercase")]
#[schema(as = RosterWhenAway)]
pub enum WhenAway {
    /// Nothing: it is a conflict.
    #[default]
    Keep,
    /// Of those who are there, who had the fewest turns takes it, or else who had none for longest: those who were away
    /// get the next one.
    Skip,
    /// They exchange turns with the next who is there.
    Swap,
}

/// Is somebody of a place there in a turn?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Somebody is.
    There,
    /// All whom the place names are away.
    Away,
    /// The place names nobody who is in use.
    Empty,
}

/// A turn that a place has because those of another one are away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MovedTurn {
    /// Its number.
    pub turn: i64,
    /// The place that has it.
    pub place: usize,
    /// The place that would have it.
    pub instead_of: usize,
    /// The place that is away, and the turn in which it is: of an exchange, that of the first of both turns.
    pub away: (usize, i64),
}

/// What differs from places that follow each other from turn 0 on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moves {
    /// From which turn on the places follow each other in which order, by turn.
    orders: Vec<(i64, Vec<u16>)>,
    /// Turns with a reason, by number.
    turns: Vec<MovedTurn>,
}

/// How many places all orders of a rotation have together at most: of 14 people, of more than 14,000 turns. Beyond it
/// no turn moves any more.
const MOST_ORDERED: usize = 200_000;
/// How many turns of a rotation move at most.
const MOST_MOVED: usize = 20_000;
/// How many turns in which somebody is away are looked at at most.
const MOST_TURNS: usize = 200_000;

impl Moves {
    /// Decides these turns of a rotation of so many places, which are in order. `may_be_away` says of a place whether
    /// it is worth asking for its presence in a turn.
    pub fn decide(
        mode: WhenAway,
        count: usize,
        turns: impl Iterator<Item = i64>,
        may_be_away: impl Fn(usize, i64) -> bool,
        presence: impl FnMut(usize, i64) -> Presence,
    ) -> Self {
        match mode {
            WhenAway::Keep => Self::default(),
            WhenAway::Skip => Self::skipping(count, turns, may_be_away, presence),
            WhenAway::Swap => Self::swapping(count, turns, may_be_away, presence),
        }
    }

    /// The first of a queue who is there takes the turn.
    fn skipping(
        count: usize,
        turns: impl Iterator<Item = i64>,
        may_be_away: impl Fn(usize, i64) -> bool,
        mut presence: impl FnMut(usize, i64) -> Presence,
    ) -> Self {
        let mut moves = Self::default();
        let mut turns = turns.take(MOST_TURNS).peekable();
        let Some(first) = turns.peek() else { return moves };
        let mut queue = Queue::new(*first, count);
        for turn in turns {
            moves.make_up_turns(&mut queue, turn);
            if moves.is_full(count) {
                break;
            }
            queue.advance(turn);
            queue.forget_old_turns();
            let line = queue.line();
            let Some(first) = line.first().copied() else { break };
            let is_away = may_be_away(first, turn) && presence(first, turn) == Presence::Away;
            let others = line.iter().skip(1).copied().filter(|_| is_away);
            let other = others.into_iter().find(|place| presence(*place, turn) == Presence::There);
            if let Some(place) = other {
                moves.turns.push(MovedTurn { turn, place, instead_of: first, away: (first, turn) });
            }
            moves.take(&mut queue, other.unwrap_or(first));
        }
        moves.make_up_turns(&mut queue, i64::MAX);
        moves
    }

    /// Gives the turns before this one, in which nobody is away, until places follow each other again.
    fn make_up_turns(&mut self, queue: &mut Queue, before: i64) {
        while queue.turn < before && !queue.is_settled() && !self.is_full(queue.places.len()) {
            queue.forget_old_turns();
            let Some(place) = queue.line().first().copied() else { break };
            self.take(queue, place);
        }
        if queue.turn < before && !queue.is_told {
            self.orders.push((queue.turn, queue.order(None)));
            queue.is_told = true;
        }
    }

    /// Gives the queue's turn to a place.
    fn take(&mut self, queue: &mut Queue, place: usize) {
        if !queue.is_told || queue.places.first().is_some_and(|first| first.place != place) {
            self.orders.push((queue.turn, queue.order(Some(place))));
        }
        queue.is_told = queue.take(place);
    }

    fn is_full(&self, count: usize) -> bool {
        self.orders.len() * count >= MOST_ORDERED || self.turns.len() >= MOST_MOVED
    }

    /// Two exchange their turns, of which the second is looked at again when it is reached.
    fn swapping(
        count: usize,
        turns: impl Iterator<Item = i64>,
        may_be_away: impl Fn(usize, i64) -> bool,
        mut presence: impl FnMut(usize, i64) -> Presence,
    ) -> Self {
        let mut moved: BTreeMap<i64, MovedTurn> = BTreeMap::new();
        for turn in turns.take(MOST_TURNS) {
            if moved.len() >= MOST_MOVED {
                break;
            }
            let has = |turn: i64| moved.get(&turn).map_or_else(|| in_order(turn, count), |moved| moved.place);
            let first = has(turn);
            if !may_be_away(first, turn) || presence(first, turn) != Presence::Away {
                continue;
            }
            let within = i64::try_from(2 * count).unwrap_or_default();
            let is_there = |later: &i64| {
                let place = has(turn + later);
                place != first && presence(place, turn) == Presence::There
            };
            let Some(later) = (1..within).find(is_there) else { continue };
            let place = has(turn + later);
            let away = (first, turn);
            moved.insert(turn, MovedTurn { turn, place, instead_of: first, away });
            let turn = turn + later;
            moved.insert(turn, MovedTurn { turn, place: first, instead_of: place, away });
        }
        // What was exchanged back has no reason.
        moved.retain(|turn, moved| in_order(*turn, count) != moved.place);
        Self { orders: Vec::new(), turns: moved.into_values().collect() }
    }

    /// The place by the orders alone.
    fn ordered(&self, turn: i64, count: usize) -> usize {
        let last = self.orders.partition_point(|(from, _)| *from <= turn).checked_sub(1);
        let Some((from, order)) = last.and_then(|last| self.orders.get(last)) else { return in_order(turn, count) };
        order.get(in_order(turn - from, order.len())).map_or(0, |place| usize::from(*place))
    }

    /// The place that has a turn of a rotation of so many places.
    pub fn place(&self, turn: i64, count: usize) -> usize {
        self.turn(turn).map_or_else(|| self.ordered(turn, count), |(_, moved)| moved.place)
    }

    /// The moved turn with a number, and its place among all moved ones.
    pub fn turn(&self, turn: i64) -> Option<(usize, &MovedTurn)> {
        let found = self.turns.binary_search_by_key(&turn, |moved| moved.turn).ok()?;
        Some((found, self.turns.get(found)?))
    }

    /// The turns that moved, by number.
    pub fn turns(&self) -> &[MovedTurn] {
        &self.turns
    }

    /// Does every place have its turns as if nobody was ever away?
    pub fn is_empty(&self) -> bool {
        self.turns.is_empty() && self.orders.is_empty()
    }

    /// How many numbers it has.
    pub fn len(&self) -> usize {
        self.turns.len() + self.orders.iter().map(|(_, order)| 1 + order.len()).sum::<usize>()
    }
}

/// Who comes next where those who are away are skipped: who had the fewest turns, and of several who had none for
/// longest. Where nobody has had two turns less than another, that is the first, who then goes to the end.
struct Queue {
    /// The turn that is given next.
    turn: i64,
    /// In the order in which they come.
    places: Vec<Waiting>,
    /// Who had the turn before.
    before: usize,
    /// Do the last of the orders that are known say this order, too?
    is_told: bool,
}

/// A place that waits for a turn.
#[derive(Clone, Copy)]
struct Waiting {
    place: usize,
    /// How many turns it had, compared with others.
    had: i64,
    /// The number of the last of them.
    last: i64,
}

/// How many turns are made up for to who was away for long: nobody comes back to weeks on end.
const MOST_MADE_UP: i64 = 3;

impl Queue {
    /// Before a turn, when nobody was away.
    fn new(turn: i64, count: usize) -> Self {
        let waiting = |later: usize| {
            let later = i64::try_from(later).unwrap_or_default();
            let place = in_order(turn.saturating_add(later), count);
            let had = i64::from(place < in_order(turn, count));
            Waiting { place, had, last: turn.saturating_add(later).saturating_sub_unsigned(count as u64) }
        };
        let before = in_order(turn.saturating_sub(1), count);
        Self { turn, places: (0..count).map(waiting).collect(), before, is_told: true }
    }

    /// Will places follow each other, if nobody is away?
    fn is_settled(&self) -> bool {
        let (Some(first), Some(last)) = (self.places.first(), self.places.last()) else { return true };
        last.had - first.had <= 1 && (first.place != self.before || self.places.len() == 1)
    }

    /// Gives all turns before this one to places that follow each other.
    fn advance(&mut self, turn: i64) {
        let count = self.places.len();
        let Ok(given) = usize::try_from(turn.saturating_sub(self.turn)) else { return };
        if count == 0 || given == 0 {
            return;
        }
        let again = given % count;
        self.places.rotate_left(again);
        let rounds = i64::try_from(given / count).unwrap_or_default();
        let newest = given.min(count);
        for (place, waiting) in self.places.iter_mut().enumerate() {
            waiting.had += rounds + i64::from(place + again >= count);
            if place + newest >= count {
                waiting.last = turn.saturating_sub_unsigned((count - place) as u64);
            }
        }
        self.before = self.places.last().map_or(0, |waiting| waiting.place);
        self.turn = turn;
    }

    /// A place that had far fewer turns than others counts as one that had a few less.
    fn forget_old_turns(&mut self) {
        let Some(most) = self.places.last().map(|waiting| waiting.had) else { return };
        let least = most - MOST_MADE_UP;
        if self.places.first().is_none_or(|waiting| waiting.had >= least) {
            return;
        }
        let order = self.order(None);
        for waiting in &mut self.places {
            waiting.had = waiting.had.max(least);
        }
        self.places.sort_by_key(|waiting| (waiting.had, waiting.last));
        self.is_told &= order == self.order(None);
    }

    /// In which order they are asked: nobody has two turns on end while another is there.
    fn line(&self) -> Vec<usize> {
        let places = || self.places.iter().map(|waiting| waiting.place);
        places().filter(|place| *place != self.before).chain(places().filter(|place| *place == self.before)).collect()
    }

    /// The places one behind the other, with this one first.
    fn order(&self, first: Option<usize>) -> Vec<u16> {
        let others = self.places.iter().map(|waiting| waiting.place).filter(|place| Some(*place) != first);
        first.into_iter().chain(others).filter_map(|place| u16::try_from(place).ok()).collect()
    }

    /// Gives the turn to a place, and says whether that is the last of all then.
    fn take(&mut self, place: usize) -> bool {
        self.before = place;
        let turn = self.turn;
        self.turn = turn.saturating_add(1);
        let Some(at) = self.places.iter().position(|waiting| waiting.place == place) else { return true };
        let had = self.places.remove(at).had + 1;
        let behind = self.places.partition_point(|waiting| waiting.had <= had);
        self.places.insert(behind, Waiting { place, had, last: turn });
        behind + 1 == self.places.len()
    }
}

/// The place of a turn where places follow each other from turn 0 on.
fn in_order(turn: i64, count: usize) -> usize {
    let count = i64::try_from(count.max(1)).unwrap_or(i64::MAX);
    usize::try_from(turn.rem_euclid(count)).unwrap_or_default()
}

#[cfg(test)]
mod tests;
