use std::collections::HashSet;

use proptest::{collection::vec, prelude::*};

use super::*;

/// Who has the first turns, when these places are away in these turns.
fn taken(mode: WhenAway, count: usize, away: &[(usize, i64)], until: i64) -> Vec<usize> {
    let mut turns: Vec<i64> = away.iter().map(|(_, turn)| *turn).collect();
    turns.sort_unstable();
    turns.dedup();
    let away: HashSet<(usize, i64)> = away.iter().copied().collect();
    let presence = |place, turn| if away.contains(&(place, turn)) { Presence::Away } else { Presence::There };
    let moves = Moves::decide(mode, count, turns.into_iter(), |_, _| true, presence);
    (0..until).map(|turn| moves.place(turn, count)).collect()
}

fn letters(mode: WhenAway, away: &[(usize, i64)], until: i64) -> String {
    taken(mode, 3, away, until).into_iter().map(|place| ["a", "b", "c"][place]).collect()
}

#[test]
fn a_turn_is_skipped_or_exchanged() {
    assert_eq!(letters(WhenAway::Skip, &[(0, 0)], 6), "bacbac");
    assert_eq!(letters(WhenAway::Swap, &[(0, 0)], 6), "bacabc");
    assert_eq!(letters(WhenAway::Keep, &[(0, 0)], 6), "abcabc");
}

#[test]
fn who_is_away_for_longer_stays_first() {
    assert_eq!(letters(WhenAway::Skip, &[(0, 0), (0, 1)], 6), "bcabca");
    assert_eq!(letters(WhenAway::Skip, &[(0, 0), (1, 0), (0, 1)], 6), "cbacba");
}

#[test]
fn an_exchanged_turn_is_decided_again() {
    assert_eq!(letters(WhenAway::Swap, &[(0, 0), (0, 1)], 6), "bcaabc");
    let moves = Moves::decide(
        WhenAway::Swap,
        3,
        [0, 1].into_iter(),
        |_, _| true,
        |place, _| {
            if place == 0 { Presence::Away } else { Presence::There }
        },
    );
    let told: Vec<_> = moves.turns().iter().map(|moved| (moved.turn, moved.place, moved.instead_of)).collect();
    assert_eq!(told, [(0, 1, 0), (1, 2, 0), (2, 0, 2)]);
}

#[test]
fn nothing_moves_when_nobody_is_there() {
    for mode in [WhenAway::Skip, WhenAway::Swap] {
        assert_eq!(letters(mode, &[(0, 0), (1, 0), (2, 0)], 4), "abca");
    }
    let empty = Moves::decide(
        WhenAway::Skip,
        2,
        [0].into_iter(),
        |_, _| true,
        |place, _| {
            if place == 0 { Presence::Away } else { Presence::Empty }
        },
    );
    assert!(empty.is_empty(), "somebody who is away is rather there than nobody");
    let gap = Moves::decide(WhenAway::Skip, 2, [0].into_iter(), |_, _| true, |_, _| Presence::Empty);
    assert!(gap.is_empty());
}

#[test]
fn more_turns_than_are_kept_do_not_move() {
    let alternating = |place: usize, _| if place == 0 { Presence::Away } else { Presence::There };
    let moves = Moves::decide(WhenAway::Skip, 2, 0..1_000_000, |_, _| true, alternating);
    assert_eq!(moves.turns().len(), MOST_MOVED);
    assert!(moves.len() <= MOST_MOVED + MOST_ORDERED);
}

/// Who has the turns by the rule as it is told of, turn by turn.
fn fewest_first(count: usize, away: &HashSet<(usize, i64)>, until: i64) -> Vec<usize> {
    let mut had = vec![0_i64; count];
    let mut last: Vec<i64> = (0..count as i64).map(|place| place - count as i64).collect();
    let mut before = count - 1;
    let mut take = |turn: i64| {
        let most = had.iter().copied().max().unwrap();
        had.iter_mut().for_each(|had| *had = (*had).max(most - 3));
        let mut line: Vec<usize> = (0..count).collect();
        line.sort_by_key(|place| (*place == before, had[*place], last[*place]));
        let found = line.iter().find(|place| !away.contains(&(**place, turn)));
        let place = *found.unwrap_or(&line[0]);
        had[place] += 1;
        last[place] = turn;
        before = place;
        place
    };
    (0..until).map(&mut take).collect()
}

/// Exchanges as they are told of, in a list of all turns.
fn exchanged(count: usize, away: &HashSet<(usize, i64)>, until: i64) -> Vec<usize> {
    let mut all: Vec<usize> = (0..until as usize + 2 * count).map(|turn| turn % count).collect();
    for turn in 0..until as usize {
        let is_there = |place: usize| !away.contains(&(place, turn as i64));
        if !is_there(all[turn]) {
            let other = (turn + 1..turn + 2 * count).find(|other| all[*other] != all[turn] && is_there(all[*other]));
            if let Some(other) = other {
                all.swap(turn, other);
            }
        }
    }
    all.truncate(until as usize);
    all
}

/// Days away of some people in a year of workdays.
fn absences(people: usize, longest: i64) -> impl Strategy<Value = Vec<(usize, i64)>> {
    let one = (0..people, 0..240_i64, 1..=longest);
    vec(one, 20).prop_map(|all| {
        let days = |(who, from, length)| (from..from + length).map(move |day| (who, day));
        all.into_iter().flat_map(days).collect()
    })
}

proptest! {
    #[test]
    fn fourteen_people_have_as_many_turns(away in absences(14, 8)) {
        let all = taken(WhenAway::Skip, 14, &away, 261);
        let counts = (0..14).map(|who| all.iter().filter(|place| **place == who).count());
        let (least, most) = (counts.clone().min().unwrap(), counts.max().unwrap());
        prop_assert!(most - least <= 1, "from {} to {}", least, most);
        let away: HashSet<(usize, i64)> = away.into_iter().collect();
        let there = |who: usize, day: usize| !away.contains(&(who, day as i64));
        let again = all.windows(2).enumerate().filter(|(_, pair)| pair[0] == pair[1]);
        for (day, pair) in again {
            prop_assert!((0..14).all(|who| who == pair[0] || !there(who, day + 1)), "two on end from {}", day);
        }
    }

    #[test]
    fn turns_are_what_a_list_of_all_turns_says(
        count in 1..8_usize,
        away in vec((0..8_usize, 0..60_i64, 1..12_i64), 0..20),
    ) {
        let turns = |(place, from, length): &(usize, i64, i64)| {
            let place = place % count;
            (*from..from + length).map(move |turn| (place, turn)).collect::<Vec<_>>()
        };
        let away: Vec<(usize, i64)> = away.iter().flat_map(turns).collect();
        let known: HashSet<(usize, i64)> = away.iter().copied().collect();
        prop_assert_eq!(taken(WhenAway::Skip, count, &away, 100), fewest_first(count, &known, 100));
        prop_assert_eq!(taken(WhenAway::Swap, count, &away, 100), exchanged(count, &known, 100));
    }
}
