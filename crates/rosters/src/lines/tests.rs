//! Against a slow implementation that asks every quarter of an hour.

use calendar::{RosterSchedule, Zone};
use proptest::prelude::*;
use serde_json::json;

use super::*;

const QUARTER: i64 = 900_000;

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

fn time(start: &str, end: &str) -> Interval {
    Interval::new(at(start), at(end)).unwrap()
}

fn always() -> Interval {
    Interval::new(Timestamp::from_millis(0), Timestamp::from_millis(i64::MAX)).unwrap()
}

fn daily(zone: &str, from: &str, to: &str) -> Rule {
    let schedule = json!({"type": "recurring", "startDate": "2026-01-01T00:00:00Z", "startTime": from, "endTime": to,
        "pattern": {"type": "daily", "repeatFrequency": 1}, "endPattern": {"type": "NEVER"}});
    RosterSchedule::from_json(&schedule).unwrap().rule(Zone::find(zone).unwrap())
}

fn version(id: &str, from: &str, to: &str, valid: Interval) -> Version {
    Version { id: id.to_owned(), name: id.to_owned(), rule: daily("GMT", from, to), valid }
}

fn day_and_night() -> Lines {
    let versions =
        vec![version("day", "08:00:00", "20:00:00", always()), version("night", "20:00:00", "08:00:00", always())];
    Lines { versions, overrides: Vec::new() }
}

fn told(lines: &Lines, range: Interval) -> Vec<(String, Who)> {
    let text =
        |piece: &Piece| format!("{}/{}", &piece.time.start().to_string()[5..16], &piece.time.end().to_string()[5..16]);
    lines.pieces(range).iter().map(|piece| (text(piece), piece.who)).collect()
}

#[test]
fn an_override_takes_part_of_a_shift_and_the_last_one_wins() {
    let mut lines = day_and_night();
    let range = time("2026-05-01T06:00:00Z", "2026-05-01T22:00:00Z");
    let about = |id: &str, rule: Rule| Some(Overridden { id: id.to_owned(), name: id.to_owned(), rule });
    let day = daily("GMT", "08:00:00", "20:00:00");
    lines
        .overrides
        .push(Override { time: time("2026-05-01T00:00:00Z", "2026-05-02T00:00:00Z"), shift: about("day", day) });
    let expected = [
        ("04-30T20:00/05-01T08:00", Who::Shift(1)),
        ("05-01T08:00/05-01T20:00", Who::Override(0)),
        ("05-01T20:00/05-02T08:00", Who::Shift(1)),
    ];
    assert_eq!(told(&lines, range), expected.map(|(text, who)| (text.to_owned(), who)));
    lines.overrides.push(Override { time: time("2026-05-01T18:00:00Z", "2026-05-01T21:00:00Z"), shift: None });
    let expected = [
        ("04-30T20:00/05-01T08:00", Who::Shift(1)),
        ("05-01T08:00/05-01T18:00", Who::Override(0)),
        ("05-01T18:00/05-01T20:00", Who::Override(1)),
        ("05-01T20:00/05-01T21:00", Who::Override(1)),
        ("05-01T21:00/05-02T08:00", Who::Shift(1)),
    ];
    assert_eq!(told(&lines, range), expected.map(|(text, who)| (text.to_owned(), who)));
}

#[test]
fn an_override_of_a_shift_stays_when_the_shift_moves() {
    let cut = at("2026-05-01T00:00:00Z");
    let versions = vec![
        version("a", "08:00:00", "12:00:00", Interval::new(Timestamp::from_millis(0), cut).unwrap()),
        version("a", "10:00:00", "14:00:00", Interval::new(cut, Timestamp::from_millis(i64::MAX)).unwrap()),
    ];
    let shift =
        Some(Overridden { id: "a".to_owned(), name: "a".to_owned(), rule: daily("GMT", "08:00:00", "12:00:00") });
    let overrides = vec![Override { time: time("2026-05-03T00:00:00Z", "2026-05-04T00:00:00Z"), shift }];
    let lines = Lines { versions, overrides };
    let expected = [("05-03T08:00/05-03T12:00", Who::Override(0)), ("05-03T12:00/05-03T14:00", Who::Shift(1))];
    let range = time("2026-05-03T00:00:00Z", "2026-05-04T00:00:00Z");
    assert_eq!(told(&lines, range), expected.map(|(text, who)| (text.to_owned(), who)));
    let range = time("2026-04-30T00:00:00Z", "2026-05-01T00:00:00Z");
    assert_eq!(told(&lines, range), [("04-30T08:00/04-30T12:00".to_owned(), Who::Shift(0))]);
}

#[test]
fn the_state_says_who_is_next_and_how_long_it_holds() {
    let lines = day_and_night();
    let state = lines.state(at("2026-05-01T08:00:00Z"), |_| true);
    assert_eq!(state.current.iter().map(|piece| piece.who).collect::<Vec<_>>(), [Who::Shift(0)]);
    assert_eq!(state.next.iter().map(|piece| piece.who).collect::<Vec<_>>(), [Who::Shift(1)]);
    assert_eq!(state.until, Some(at("2026-05-01T20:00:00Z")));
    let state = lines.state(at("2026-05-01T08:00:00Z"), |piece| piece.who == Who::Shift(0));
    assert_eq!(state.next[0].time.start(), at("2026-05-02T08:00:00Z"));
    assert_eq!(Lines::default().state(at("2026-05-01T08:00:00Z"), |_| true).current, []);
}

/// Who has a line at an instant.
fn slow(lines: &Lines, instant: Timestamp) -> BTreeSet<(String, Who)> {
    let ids: BTreeSet<&str> = lines
        .versions
        .iter()
        .map(|version| version.id.as_str())
        .chain(lines.overrides.iter().filter_map(|one| Some(one.shift.as_ref()?.id.as_str())))
        .collect();
    let mut found = BTreeSet::new();
    for id in ids {
        let own = lines.versions.iter().position(|version| {
            version.id == id && version.valid.contains(instant) && version.rule.contains(instant).is_some()
        });
        let about = |one: &Override| {
            one.shift.as_ref().is_some_and(|shift| shift.id == id && shift.rule.contains(instant).is_some())
        };
        let here = |one: &&Override| one.time.contains(instant);
        let on = own.is_some() || lines.overrides.iter().filter(here).any(about);
        let last = lines.overrides.iter().rposition(|one| here(&one) && (about(one) || (one.shift.is_none() && on)));
        match (last, own) {
            (Some(last), _) => found.insert((id.to_owned(), Who::Override(last))),
            (None, Some(own)) => found.insert((id.to_owned(), Who::Shift(own))),
            (None, None) => continue,
        };
    }
    if found.is_empty()
        && let Some(last) = lines.overrides.iter().rposition(|one| one.time.contains(instant))
        && lines.overrides[last].shift.is_none()
    {
        found.insert((String::new(), Who::Override(last)));
    } else if found.is_empty()
        && let Some(last) = lines.overrides.iter().rposition(|one| one.time.contains(instant) && one.shift.is_none())
    {
        found.insert((String::new(), Who::Override(last)));
    }
    found
}

prop_compose! {
    fn some_time()(start in 0_i64..96, length in 1_i64..192) -> Interval {
        let start = at("2026-05-01T00:00:00Z").millis() + start * QUARTER;
        Interval::new(Timestamp::from_millis(start), Timestamp::from_millis(start + length * QUARTER)).unwrap()
    }
}

prop_compose! {
    fn some_rule()(start in 0_u32..24, end in 0_u32..24) -> Rule {
        let end = if start == end { (end + 5) % 24 } else { end };
        daily("GMT", &format!("{start:02}:00:00"), &format!("{end:02}:15:00"))
    }
}

prop_compose! {
    fn some_lines()(
        rules in prop::collection::vec((some_rule(), some_rule(), some_time()), 1..4),
        overrides in prop::collection::vec((some_time(), prop::option::of((0_usize..4, some_rule()))), 0..5),
    ) -> Lines {
        let mut versions = Vec::new();
        for (index, (before, after, cut)) in rules.into_iter().enumerate() {
            let (id, name) = (format!("s{index}"), String::new());
            let first = Interval::new(Timestamp::from_millis(0), cut.start()).unwrap();
            let second = Interval::new(cut.start(), Timestamp::from_millis(i64::MAX)).unwrap();
            versions.push(Version { id: id.clone(), name: name.clone(), rule: before, valid: first });
            versions.push(Version { id, name, rule: after, valid: second });
        }
        let overrides = overrides.into_iter().map(|(time, shift)| Override {
            time,
            shift: shift.map(|(index, rule)| Overridden { id: format!("s{index}"), name: String::new(), rule }),
        });
        Lines { versions, overrides: overrides.collect() }
    }
}

proptest! {
    #[test]
    fn pieces_are_what_is_so_at_each_instant(lines in some_lines(), range in some_time()) {
        let pieces = lines.pieces(range);
        let id = |piece: &Piece| match piece.shift {
            Label::Version(place) => lines.versions[place].id.clone(),
            Label::Override(place) => lines.overrides[place].shift.as_ref().unwrap().id.clone(),
            Label::None => String::new(),
        };
        let mut instant = range.start();
        while instant < range.end() {
            let here: Vec<_> = pieces.iter().filter(|piece| piece.time.contains(instant)).collect();
            let found: BTreeSet<_> = here.iter().map(|piece| (id(piece), piece.who)).collect();
            prop_assert_eq!(here.len(), found.len(), "one piece a line at {}", instant);
            prop_assert_eq!(found, slow(&lines, instant), "at {}", instant);
            instant = Timestamp::from_millis(instant.millis() + QUARTER);
        }
    }

    #[test]
    fn pieces_do_not_depend_on_the_range(lines in some_lines(), range in some_time()) {
        let whole = lines.pieces(time("2026-04-25T00:00:00Z", "2026-05-10T00:00:00Z"));
        let expected: Vec<_> = whole.into_iter().filter(|piece| piece.time.intersection(range).is_some()).collect();
        prop_assert_eq!(lines.pieces(range), expected);
    }

    #[test]
    fn a_state_holds_until_it_says(lines in some_lines(), range in some_time(), part in 0.0..1.0_f64) {
        let state = lines.state(range.start(), |_| true);
        let until = state.until.unwrap();
        let length = (until.millis() - range.start().millis()) as f64;
        let later = Timestamp::from_millis(range.start().millis() + (length * part) as i64);
        let again = lines.state(later, |_| true);
        prop_assert_eq!(again.current, state.current);
        if !state.next.is_empty() {
            prop_assert_eq!(again.next, state.next);
        }
    }
}
