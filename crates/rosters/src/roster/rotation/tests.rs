//! The current turn is kept.

use calendar::{End, Pattern, Recurring, TimeOfDay, Weekdays, rotation::Length};
use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Value, json};

use super::*;

fn crew(user: &str) -> Crew {
    Crew::new(&[user.to_owned()], &[])
}

fn rotation(order: &[&str], length: Value, start: &str) -> CrewRotation {
    let turns = serde_json::from_value(json!({"length": length, "start": start})).unwrap();
    CrewRotation {
        order: order.iter().map(|user| crew(user)).collect(),
        turns,
        kept: None,
        when_away: WhenAway::Keep,
        away_since_ms: None,
    }
}

fn schedule(zone: Zone, start: &str, end: &str, pattern: Pattern) -> Rule {
    let time = |text| TimeOfDay::parse(text).unwrap();
    Rule::recurring(Recurring {
        zone,
        start_date: at("2026-01-01T00:00:00Z"),
        start_time: time(start),
        end_time: time(end),
        pattern,
        end: End::Never,
    })
}

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

const WEEKDAYS: Pattern = Pattern::Weekly { every: 1, days: Weekdays::MONDAY_TO_FRIDAY };

/// Who has the turn.
fn who(rotation: &CrewRotation, calendar: Calendar<'_>, at: Timestamp) -> Option<String> {
    if let Some(kept) = rotation.kept_at(at) {
        return kept.crew.users.first().cloned();
    }
    let number = rotation.turns.turns(calendar.zone, calendar.schedule).at(at)?;
    rotation.order[usize::try_from(number).unwrap() % rotation.order.len()].users.first().cloned()
}

/// Start and order of what becomes of a rotation of GMT from nine to five on weekdays, and who keeps the turn.
fn moved(former: &CrewRotation, new: CrewRotation, now: &str) -> (String, String, Option<(String, String)>) {
    let rule = schedule(Zone::GMT, "09:00:00", "17:00:00", WEEKDAYS);
    let calendar = Calendar { zone: Zone::GMT, schedule: &rule };
    let CrewRotation { order, turns, kept, .. } =
        new.keeping_current((former, calendar, &Moves::default()), calendar, true, at(now));
    let kept = kept.map(|kept| (kept.crew.users.concat(), Timestamp::from_millis(kept.until_ms).to_string()));
    (turns.start.to_string(), order.iter().flat_map(|crew| crew.users.clone()).collect(), kept)
}

fn text<const N: usize>(texts: [&str; N]) -> [String; N] {
    texts.map(str::to_owned)
}

#[test]
fn the_start_moves_and_the_order_stays_as_given() {
    // On Wednesday B has the second day.
    let former = rotation(&["A", "B", "C"], json!({"days": 2}), "2026-11-23T09:00:00");
    let new = |order: &[&str]| rotation(order, json!({"days": 2}), "2026-11-23T09:00:00");
    let (start, order, kept) = moved(&former, new(&["C", "A", "B"]), "2026-11-26T12:00:00Z");
    assert_eq!(([start, order], kept), (text(["2026-11-21T09:00:00", "CAB"]), None));
    // One who left keeps the turn to its end; then comes the first.
    let (start, order, kept) = moved(&former, new(&["C", "A"]), "2026-11-26T12:00:00Z");
    let [user, until] = text(["B", "2026-11-27T09:00:00+0000"]);
    assert_eq!(([start, order], kept), (text(["2026-11-23T09:00:00", "CA"]), Some((user, until))));
    // Nobody has the turn before the first hand-over.
    let before = moved(&former, new(&["C", "A"]), "2026-11-23T08:00:00Z");
    assert_eq!((before.0.as_str(), before.2), ("2026-11-23T09:00:00", None));
}

#[test]
fn a_length_changes_behind_the_current_turn() {
    let former = rotation(&["A", "B", "C"], json!({"weeks": 1}), "2026-11-23T09:00:00");
    let daily = rotation(&["A", "B", "C"], json!({"occurrences": 1}), "2026-11-23T09:00:00");
    // B has the week until 7 December; C follows, three shifts after the one of which A would be the turn.
    let (start, order, kept) = moved(&former, daily, "2026-12-02T12:00:00Z");
    let [user, until] = text(["B", "2026-12-07T09:00:00+0000"]);
    assert_eq!(([start, order], kept), (text(["2026-12-03T09:00:00", "ABC"]), Some((user, until))));
}

#[test]
fn where_nothing_took_place_before_the_order_is_rotated() {
    let former = rotation(&["A", "B", "C"], json!({"occurrences": 1}), "2026-01-01T00:00:00");
    let new = rotation(&["C", "B", "A"], json!({"occurrences": 1}), "2026-01-01T00:00:00");
    // On the first day that there is, A has the turn.
    let (start, order, kept) = moved(&former, new, "2026-01-01T12:00:00Z");
    assert_eq!(([start, order], kept), (text(["2026-01-01T09:00:00", "ACB"]), None));
}

fn lengths() -> impl Strategy<Value = Value> {
    prop_oneof![
        (1..3_u16).prop_map(|n| json!({"weeks": n})),
        (1..6_u16).prop_map(|n| json!({"days": n})),
        (1..60_u16).prop_map(|n| json!({"hours": n})),
        (1..6_u16).prop_map(|n| json!({"occurrences": n})),
    ]
}

fn orders() -> impl Strategy<Value = Vec<&'static str>> {
    Just(vec!["A", "B", "C", "D", "E", "F"]).prop_shuffle().prop_flat_map(|all| (Just(all), 1..6_usize)).prop_map(
        |(mut all, count)| {
            all.truncate(count);
            all
        },
    )
}

proptest! {
    #[test]
    fn the_current_turn_is_kept_and_the_new_order_follows(
        zone in select(vec!["GMT", "Europe/Vienna", "America/Havana", "Australia/Lord_Howe", "Asia/Gaza"]),
        (order, length) in (orders(), lengths()),
        (other, other_length) in (orders(), prop::option::of(lengths())),
        (days, hour) in (select(vec![WEEKDAYS, Pattern::Daily { every: 1 }]), 0..24_u8),
        hours in 0..9_000_i64,
        probes in vec(0..1_000_i64, 8),
    ) {
        let zone = Zone::find(zone).unwrap();
        let rule = schedule(zone, &format!("{hour:02}:00:00"), &format!("{:02}:30:00", (hour + 8) % 24), days);
        let calendar = Calendar { zone, schedule: &rule };
        let former = rotation(&order, length.clone(), "2026-02-01T02:30:00");
        let new = rotation(&other, other_length.unwrap_or(length), "2026-02-01T02:30:00");
        let turns = former.turns.turns(zone, &rule);
        let now = Timestamp::from_millis(turns.first().millis() + hours * 3_600_000);
        let number = turns.at(now).unwrap();
        let current = who(&former, calendar, now).unwrap();
        let end = turns.start(number + 1).unwrap();
        let after = new.clone().keeping_current((&former, calendar, &Moves::default()), calendar, true, now);
        // To the end of the turn it is the same person.
        for probe in probes {
            let probe = Timestamp::from_millis(now.millis() + (end.millis() - now.millis()) * probe / 1_000);
            prop_assert_eq!(who(&after, calendar, probe), Some(current.clone()), "at {}", probe);
        }
        // Then, turn by turn, the new order.
        let next = other.iter().position(|user| *user == current).map_or(0, |place| (place + 1) % other.len());
        let goes_on = former.turns.length == new.turns.length && other.contains(&current.as_str());
        let then = match (new.turns.length, goes_on) {
            (Length::Occurrences(_), false) => rule.nth_start(rule.count_before(end)).unwrap(),
            _ => end,
        };
        let moved = after.turns.turns(zone, &rule);
        let first = moved.at(then).unwrap();
        for turn in 0..8_usize {
            let begins = moved.start(first + turn as i64).unwrap();
            let begins = begins.max(then);
            let expected = other[(next + turn) % other.len()].to_owned();
            prop_assert_eq!(who(&after, calendar, begins), Some(expected));
            if former.turns.length == new.turns.length && matches!(new.turns.length, Length::Hours(_)) {
                let expected = turns.start(number + 1 + turn as i64).unwrap();
                prop_assert!(begins == expected || turn == 0, "{} is not {}", begins, expected);
            }
        }
    }
}
