//! Against a slow implementation that asks every quarter of an hour.

use std::collections::BTreeSet;

use calendar::{Rotation, Zone};
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::moves::{Presence, WhenAway};

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
    crate::roster::rules::schedule(&schedule).unwrap().rule(Zone::find(zone).unwrap())
}

fn version(id: &str, from: &str, to: &str, valid: Interval) -> Version {
    Version { id: id.to_owned(), name: id.to_owned(), level: None, rule: daily("GMT", from, to), places: None, valid }
}

fn day_and_night() -> Lines {
    let versions =
        vec![version("day", "08:00:00", "20:00:00", always()), version("night", "20:00:00", "08:00:00", always())];
    Lines { versions, overrides: Vec::new() }
}

/// Who has the last word: an override, or those at a post.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Who {
    Assignment(usize, usize),
    Override(usize),
}

fn who(lines: &Lines, piece: &Segment) -> Who {
    let whole = piece.over.iter().rev().find(|place| !lines.overrides[**place].of_one);
    match (whole, piece.post) {
        (Some(place), _) => Who::Override(*place),
        (None, Some(post)) => Who::Assignment(post.version, post.number),
        (None, None) => panic!("nobody has {piece:?}"),
    }
}

fn told(lines: &Lines, range: Interval) -> Vec<(String, Who)> {
    let text = |piece: &Segment| {
        format!("{}/{}", &piece.time.start().to_string()[5..16], &piece.time.end().to_string()[5..16])
    };
    lines.pieces(range, LineSelection::All).list.iter().map(|piece| (text(piece), who(lines, piece))).collect()
}

fn over(time: Interval, shift: Option<Overridden>) -> Override {
    Override { time, shift, of_one: false }
}

fn expect(lines: &Lines, range: Interval, expected: &[(&str, Who)]) {
    let expected: Vec<_> = expected.iter().map(|(text, who)| ((*text).to_owned(), *who)).collect();
    assert_eq!(told(lines, range), expected);
}

#[test]
fn an_override_takes_part_of_a_shift_and_the_last_one_wins() {
    let mut lines = day_and_night();
    let range = time("2026-05-01T06:00:00Z", "2026-05-01T22:00:00Z");
    let about = |id: &str, rule: Rule| Some(Overridden { id: id.to_owned(), name: id.to_owned(), level: None, rule });
    let day = daily("GMT", "08:00:00", "20:00:00");
    lines.overrides.push(over(time("2026-05-01T00:00:00Z", "2026-05-02T00:00:00Z"), about("day", day)));
    expect(
        &lines,
        range,
        &[
            ("04-30T20:00/05-01T08:00", Who::Assignment(1, 0)),
            ("05-01T08:00/05-01T20:00", Who::Override(0)),
            ("05-01T20:00/05-02T08:00", Who::Assignment(1, 0)),
        ],
    );
    lines.overrides.push(over(time("2026-05-01T18:00:00Z", "2026-05-01T21:00:00Z"), None));
    expect(
        &lines,
        range,
        &[
            ("04-30T20:00/05-01T08:00", Who::Assignment(1, 0)),
            ("05-01T08:00/05-01T18:00", Who::Override(0)),
            ("05-01T18:00/05-01T20:00", Who::Override(1)),
            ("05-01T20:00/05-01T21:00", Who::Override(1)),
            ("05-01T21:00/05-02T08:00", Who::Assignment(1, 0)),
        ],
    );
}

#[test]
fn an_override_of_a_shift_stays_when_the_shift_moves() {
    let cut = at("2026-05-01T00:00:00Z");
    let versions = vec![
        version("a", "08:00:00", "12:00:00", Interval::new(Timestamp::from_millis(0), cut).unwrap()),
        version("a", "10:00:00", "14:00:00", Interval::new(cut, Timestamp::from_millis(i64::MAX)).unwrap()),
    ];
    let shift = Some(Overridden {
        id: "a".to_owned(),
        name: "a".to_owned(),
        level: None,
        rule: daily("GMT", "08:00:00", "12:00:00"),
    });
    let overrides = vec![over(time("2026-05-03T00:00:00Z", "2026-05-04T00:00:00Z"), shift)];
    let lines = Lines { versions, overrides };
    let range = time("2026-05-03T00:00:00Z", "2026-05-04T00:00:00Z");
    expect(
        &lines,
        range,
        &[
            ("05-03T08:00/05-03T10:00", Who::Override(0)),
            ("05-03T10:00/05-03T12:00", Who::Override(0)),
            ("05-03T12:00/05-03T14:00", Who::Assignment(1, 0)),
        ],
    );
    let range = time("2026-04-30T00:00:00Z", "2026-05-01T00:00:00Z");
    expect(&lines, range, &[("04-30T08:00/04-30T12:00", Who::Assignment(0, 0))]);
}

fn turns(length: serde_json::Value, start: &str, zone: &str, posts: &[usize]) -> Option<Places> {
    let body = json!({"length": length, "start": start});
    let rotation: Rotation = serde_json::from_value(body).unwrap();
    let turns = rotation.turns(Zone::find(zone).unwrap(), &daily(zone, "09:00:00", "17:00:00"));
    Some(Places { turns, posts: posts.to_vec(), kept: None, moves: Moves::default(), first_moved: 0 })
}

#[test]
fn a_rotation_says_who_and_the_schedule_says_when() {
    let mut lines = Lines { versions: vec![version("a", "09:00:00", "17:00:00", always())], overrides: Vec::new() };
    lines.versions[0].places = turns(json!({"days": 2}), "2026-05-02T12:00:00", "GMT", &[1, 2]);
    expect(
        &lines,
        time("2026-05-02T00:00:00Z", "2026-05-05T00:00:00Z"),
        &[
            ("05-02T09:00/05-02T12:00", Who::Assignment(0, 0)),
            ("05-02T12:00/05-02T17:00", Who::Assignment(0, 1)),
            ("05-03T09:00/05-03T17:00", Who::Assignment(0, 1)),
            ("05-04T09:00/05-04T12:00", Who::Assignment(0, 1)),
            ("05-04T12:00/05-04T17:00", Who::Assignment(0, 2)),
        ],
    );
}

#[test]
fn a_kept_turn_comes_before_those_of_the_order() {
    let mut lines = Lines { versions: vec![version("a", "09:00:00", "17:00:00", always())], overrides: Vec::new() };
    let places = turns(json!({"days": 1}), "2026-05-02T12:00:00", "GMT", &[1, 2]);
    let kept = Some((at("2026-05-03T12:00:00Z"), 3));
    lines.versions[0].places = places.map(|places| Places { kept, ..places });
    expect(
        &lines,
        time("2026-05-02T00:00:00Z", "2026-05-05T00:00:00Z"),
        &[
            ("05-02T09:00/05-02T17:00", Who::Assignment(0, 3)),
            ("05-03T09:00/05-03T12:00", Who::Assignment(0, 3)),
            ("05-03T12:00/05-03T17:00", Who::Assignment(0, 2)),
            ("05-04T09:00/05-04T12:00", Who::Assignment(0, 2)),
            ("05-04T12:00/05-04T17:00", Who::Assignment(0, 1)),
        ],
    );
}

#[test]
fn one_of_three_people_each_week_hands_over_on_monday_at_nine() {
    let mut lines = Lines { versions: vec![version("a", "09:00:00", "09:00:00", always())], overrides: Vec::new() };
    lines.versions[0].places = turns(json!({"weeks": 1}), "2026-11-23T09:00:00", "Europe/Vienna", &[1, 2, 3]);
    lines.versions[0].rule = daily("Europe/Vienna", "09:00:00", "09:00:00");
    expect(
        &lines,
        time("2027-03-15T00:00:00Z", "2027-04-06T00:00:00Z"),
        &[
            ("03-08T08:00/03-15T08:00", Who::Assignment(0, 1)),
            ("03-15T08:00/03-22T08:00", Who::Assignment(0, 2)),
            ("03-22T08:00/03-29T07:00", Who::Assignment(0, 3)),
            ("03-29T07:00/04-05T07:00", Who::Assignment(0, 1)),
            ("04-05T07:00/04-12T07:00", Who::Assignment(0, 2)),
        ],
    );
    // The same people twice in a row have two weeks, and one place has it for ever.
    lines.versions[0].places = turns(json!({"weeks": 1}), "2026-11-23T09:00:00", "Europe/Vienna", &[1, 2, 2]);
    let range = time("2026-12-09T00:00:00Z", "2026-12-10T00:00:00Z");
    expect(&lines, range, &[("11-30T08:00/12-14T08:00", Who::Assignment(0, 2))]);
    lines.versions[0].places = turns(json!({"weeks": 1}), "2026-11-23T09:00:00", "Europe/Vienna", &[1]);
    let piece = lines.pieces(range, LineSelection::All).list.remove(0);
    assert_eq!((piece.time.start(), piece.time.end().millis()), (at("2026-11-23T08:00:00Z"), i64::MAX));
}

#[test]
fn what_is_not_asked_for_is_not_told() {
    let mut lines = day_and_night();
    lines.versions[1].level = Some(Level::Secondary);
    lines.overrides.push(over(time("2026-05-01T18:00:00Z", "2026-05-01T21:00:00Z"), None));
    let range = time("2026-05-01T06:00:00Z", "2026-05-01T22:00:00Z");
    let of = |of| -> Vec<Label> { lines.pieces(range, of).list.iter().map(|piece| piece.shift).collect() };
    let day = Label::Version(0);
    let night = Label::Version(1);
    assert_eq!(of(LineSelection::Level(Level::Primary)), [day, day]);
    assert_eq!(of(LineSelection::Level(Level::Secondary)), [night, night, night]);
    assert_eq!(of(LineSelection::Shift("day")), [day, day]);
    assert_eq!(of(LineSelection::All).len(), 5);
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
        let here = |one: &&Override| one.time.contains(instant) && !one.of_one;
        let on = own.is_some() || lines.overrides.iter().filter(here).any(about);
        let last = lines.overrides.iter().rposition(|one| here(&one) && (about(one) || (one.shift.is_none() && on)));
        match (last, own) {
            (Some(last), _) => found.insert((id.to_owned(), Who::Override(last))),
            (None, Some(own)) => found.insert((id.to_owned(), Who::Assignment(own, 0))),
            (None, None) => continue,
        };
    }
    let whole = |one: &Override| one.time.contains(instant) && one.shift.is_none() && !one.of_one;
    if found.is_empty()
        && let Some(last) = lines.overrides.iter().rposition(whole)
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
        overrides in prop::collection::vec(
            (some_time(), prop::option::of((0_usize..4, some_rule())), any::<bool>()),
            0..6,
        ),
    ) -> Lines {
        let mut versions = Vec::new();
        for (index, (before, after, cut)) in rules.into_iter().enumerate() {
            let id = format!("s{index}");
            let name = String::new();
            let first = Interval::new(Timestamp::from_millis(0), cut.start()).unwrap();
            let second = Interval::new(cut.start(), Timestamp::from_millis(i64::MAX)).unwrap();
            let version = |rule, valid| {
                let id = id.clone();
                let name = name.clone();
                Version { id, name, level: None, rule, places: None, valid }
            };
            versions.extend([version(before, first), version(after, second)]);
        }
        let overrides = overrides.into_iter().map(|(time, shift, of_one)| Override {
            time,
            of_one,
            shift: shift.map(|(index, rule)| {
                let id = format!("s{index}");
                Overridden { id, name: String::new(), level: None, rule }
            }),
        });
        Lines { versions, overrides: overrides.collect() }
    }
}

proptest! {
    #[test]
    fn pieces_are_what_is_so_at_each_instant(lines in some_lines(), range in some_time()) {
        let pieces = lines.pieces(range, LineSelection::All).list;
        let id = |piece: &Segment| match piece.shift {
            Label::Version(place) => lines.versions[place].id.clone(),
            Label::Override(place) => lines.overrides[place].shift.as_ref().unwrap().id.clone(),
            Label::None => String::new(),
        };
        let mut instant = range.start();
        while instant < range.end() {
            let here: Vec<_> = pieces.iter().filter(|piece| piece.time.contains(instant)).collect();
            let found: BTreeSet<_> = here.iter().map(|piece| (id(piece), who(&lines, piece))).collect();
            prop_assert_eq!(here.len(), found.len(), "one piece a line at {}", instant);
            prop_assert_eq!(found, slow(&lines, instant), "at {}", instant);
            for place in here.iter().flat_map(|piece| &piece.over) {
                prop_assert!(lines.overrides[*place].time.contains(instant));
            }
            instant = Timestamp::from_millis(instant.millis() + QUARTER);
        }
    }

    /// Places with the same people may follow each other for longer than the order is, where turns moved.
    #[test]
    fn each_turn_is_one_piece_of_the_post_that_has_it(
        posts in prop::collection::vec(1_usize..4, 1..6),
        mode in prop::sample::select(vec![WhenAway::Skip, WhenAway::Swap]),
        away in prop::collection::btree_set((0_usize..6, 0_i64..30), 0..40),
        (first, length) in (0_i64..40, 1_i64..40),
    ) {
        let mut lines = Lines { versions: vec![version("a", "00:00:00", "00:00:00", always())], overrides: Vec::new() };
        let places = turns(json!({"days": 1}), "2026-05-01T00:00:00", "GMT", &posts).unwrap();
        let presence =
            |place: usize, turn: i64| if away.contains(&(place, turn)) { Presence::Away } else { Presence::There };
        let moves = Moves::decide(mode, posts.len(), 0..30, |_, _| true, presence);
        let places = Places { moves, first_moved: 4, ..places };
        lines.versions[0].places = Some(places.clone());
        let start = |turn: i64| Timestamp::from_millis(at("2026-05-01T00:00:00Z").millis() + turn * 96 * QUARTER);
        let range = Interval::new(start(first), start(first + length)).unwrap();
        // An override of another hour, since pieces are cut in another way where there is one.
        for covered in [false, true] {
            if covered {
                let hour = Interval::new(start(first), Timestamp::from_millis(start(first).millis() + 4 * QUARTER));
                lines.overrides.push(over(hour.unwrap(), None));
            }
            let pieces = lines.pieces(range, LineSelection::All).list;
            for turn in first..first + length {
                let noon = Timestamp::from_millis(start(turn).millis() + 48 * QUARTER);
                let here: Vec<_> = pieces.iter().filter(|piece| piece.time.contains(noon)).collect();
                prop_assert_eq!(here.len(), 1, "at {}", noon);
                prop_assert_eq!(here[0].post.unwrap().number, places.post(turn), "at {}", noon);
            }
        }
    }

    #[test]
    fn pieces_do_not_depend_on_the_range(lines in some_lines(), range in some_time()) {
        let whole = lines.pieces(time("2026-04-25T00:00:00Z", "2026-05-10T00:00:00Z"), LineSelection::All).list;
        let expected: Vec<_> = whole.into_iter().filter(|piece| piece.time.intersection(range).is_some()).collect();
        prop_assert_eq!(lines.pieces(range, LineSelection::All).list, expected);
    }
}

#[test]
fn each_version_has_its_own_level() {
    let cut = at("2026-05-10T00:00:00Z");
    let from = |start| Interval::new(start, Timestamp::from_millis(i64::MAX)).unwrap();
    let until = Interval::new(Timestamp::from_millis(0), cut).unwrap();
    let mut lines = Lines {
        versions: vec![version("a", "08:00:00", "12:00:00", until), version("a", "08:00:00", "12:00:00", from(cut))],
        overrides: Vec::new(),
    };
    lines.versions[0].level = Some(Level::Secondary);
    let days = |lines: &Lines, level| -> Vec<String> {
        let range = time("2026-05-08T00:00:00Z", "2026-05-12T00:00:00Z");
        let list = lines.pieces(range, LineSelection::Level(level)).list;
        list.iter().map(|piece| piece.time.start().to_string()[8..10].to_owned()).collect()
    };
    assert_eq!(days(&lines, Level::Secondary), ["08", "09"]);
    assert_eq!(days(&lines, Level::Primary), ["10", "11"]);
    // One that is not there any more has the level that it had when the override was made.
    lines.versions.clear();
    let shift = Overridden {
        id: "a".to_owned(),
        name: "a".to_owned(),
        level: Some(Level::Secondary),
        rule: daily("GMT", "08:00:00", "12:00:00"),
    };
    lines.overrides.push(over(time("2026-05-08T00:00:00Z", "2026-05-12T00:00:00Z"), Some(shift)));
    assert_eq!(days(&lines, Level::Secondary), ["08", "09", "10", "11"]);
    assert_eq!(days(&lines, Level::Primary), Vec::<String>::new());
    assert_eq!(lines.levels(), [Level::Secondary]);
}
