//! Random rosters around a change of the clocks: what the model and the service are both made of.

use std::collections::BTreeSet;

use proptest::{collection::vec, option, prelude::*, sample::select};

use super::clock::Clock;
use crate::moves::WhenAway;

/// Those with strange clocks, and those of most people.
pub const ZONES: [&str; 40] = [
    "Africa/Cairo",
    "Africa/Casablanca",
    "Africa/El_Aaiun",
    "America/Anchorage",
    "America/Asuncion",
    "America/Caracas",
    "America/Chicago",
    "America/Havana",
    "America/New_York",
    "America/Nuuk",
    "America/Santiago",
    "America/Sao_Paulo",
    "America/Scoresbysund",
    "America/St_Johns",
    "Antarctica/Casey",
    "Antarctica/Troll",
    "Asia/Amman",
    "Asia/Beirut",
    "Asia/Dhaka",
    "Asia/Gaza",
    "Asia/Jerusalem",
    "Asia/Kathmandu",
    "Asia/Pyongyang",
    "Asia/Tehran",
    "Atlantic/Azores",
    "Australia/Lord_Howe",
    "Australia/Sydney",
    "Europe/Dublin",
    "Europe/Istanbul",
    "Europe/Kyiv",
    "Europe/Lisbon",
    "Europe/London",
    "Europe/Moscow",
    "Europe/Volgograd",
    "GMT",
    "Pacific/Apia",
    "Pacific/Auckland",
    "Pacific/Chatham",
    "Pacific/Easter",
    "Pacific/Fiji",
];

pub const USERS: [&str; 6] = ["U0", "U1", "U2", "U3", "U4", "U5"];
pub const MINUTE: i64 = 60_000;

/// How a shift is planned. Times are minutes of the day.
#[derive(Clone, Debug)]
pub struct Plan {
    pub start: i64,
    pub end: i64,
    /// Every day, or these weekdays from Sunday.
    pub days: Option<u8>,
    pub own: Vec<usize>,
    pub turns: Option<Taken>,
    /// Holidays on which it does not take place, in days from the first day.
    pub holidays: BTreeSet<i64>,
}

#[derive(Clone, Debug)]
pub struct Taken {
    /// Users of each place; 6 is the group.
    pub places: Vec<Vec<usize>>,
    pub unit: &'static str,
    pub number: i64,
    /// Days from the first day.
    pub day: i64,
    pub minute: i64,
    pub when_away: WhenAway,
    /// Since when that holds, in minutes from the change.
    pub since: i64,
}

/// Somebody is away; in minutes from the change.
#[derive(Clone, Debug)]
pub struct Away {
    pub user: usize,
    pub from: i64,
    pub length: i64,
    /// Since when that is known, and until when.
    pub known: (i64, Option<i64>),
}

#[derive(Clone, Debug)]
pub struct Case {
    pub zone: &'static str,
    /// Which change of the clocks it is about, and the minute around which the edits and overrides are.
    pub around: i64,
    /// Each shift before and after an edit, at minutes from the change.
    pub shifts: Vec<(Plan, Plan, i64)>,
    pub overrides: Vec<Cover>,
    /// Until when each user was not in use, if ever.
    pub gone: Vec<Option<(i64, i64)>>,
    /// Since when each user is in the group, and until when; in minutes from the change.
    pub members: Vec<(usize, i64, Option<i64>)>,
    pub away: Vec<Away>,
}

#[derive(Clone, Debug)]
pub struct Cover {
    pub from: i64,
    pub length: i64,
    pub user: usize,
    pub replaces: Option<usize>,
    pub shift: Option<usize>,
}

/// Places of different people, and such of a few of which some have several.
pub fn places() -> impl Strategy<Value = Vec<Vec<usize>>> {
    let different = vec(vec(0..7_usize, 1..3), 1..6);
    let few = vec(vec(0..7_usize, 1..3), 1..4).prop_flat_map(|crews| vec(select(crews), 1..6));
    prop_oneof![different, few]
}

pub fn plans() -> impl Strategy<Value = Plan> {
    let unit = prop_oneof![
        Just("weeks").prop_flat_map(|unit| (Just(unit), 1..3_i64)),
        Just("days").prop_flat_map(|unit| (Just(unit), 1..5_i64)),
        Just("hours").prop_flat_map(|unit| (Just(unit), 3..40_i64)),
        Just("occurrences").prop_flat_map(|unit| (Just(unit), 1..5_i64)),
    ];
    let modes = select(vec![WhenAway::Keep, WhenAway::Skip, WhenAway::Swap]);
    let turns = (places(), unit, 0..40_i64, 0..96_i64, modes, -4_000..1_000_i64);
    let turns = turns.prop_map(|(places, (unit, number), day, quarter, when_away, since)| Taken {
        places,
        unit,
        number,
        day,
        minute: quarter * 15,
        when_away,
        since: since * 30,
    });
    let times = (0..48_i64, 0..48_i64, any::<bool>())
        .prop_map(|(start, end, whole)| (start * 30, if whole { start } else { end } * 30));
    let holidays = vec(70..110_i64, 0..15).prop_map(BTreeSet::from_iter);
    (times, option::of(1..128_u8), vec(0..7_usize, 0..2), option::weighted(0.8, turns), holidays)
        .prop_map(|((start, end), days, own, turns, holidays)| Plan { start, end, days, own, turns, holidays })
}

pub fn cases() -> impl Strategy<Value = Case> {
    let covers = (-120..120_i64, 1..100_i64, 0..6_usize, option::of(0..6_usize), option::of(0..3_usize));
    let covers = covers.prop_map(|(from, length, user, replaces, shift)| Cover {
        from: from * 30,
        length: length * 30,
        user,
        replaces,
        shift,
    });
    let gone = option::weighted(0.3, (-100..100_i64, 1..100_i64))
        .prop_map(|gone| gone.map(|(from, length)| (from * 30, (from + length) * 30)));
    let known = (-4_000..200_i64, option::of(1..2_000_i64));
    let away = (0..6_usize, -4_000..400_i64, prop_oneof![1..100_i64, 1..2_000_i64], known);
    let away = away.prop_map(|(user, from, length, (known, until))| Away {
        user,
        from: from * 30,
        length: length * 30,
        known: (known * 30, until.map(|until| (known + until) * 30)),
    });
    let member = (0..6_usize, -100..100_i64, option::of(1..100_i64));
    let member = member.prop_map(|(user, from, length)| (user, from * 30, length.map(|length| (from + length) * 30)));
    (
        select(ZONES.to_vec()),
        any::<prop::sample::Index>(),
        vec((plans(), plans(), -120..120_i64), 1..4),
        vec(covers, 0..6),
        vec(gone, 6),
        vec(member, 0..4),
        vec(away, 0..16),
    )
        .prop_map(|(zone, change, shifts, overrides, gone, mut members, away)| {
            let clock = Clock::of(zone);
            members.sort_by_key(|(user, ..)| *user);
            members.dedup_by_key(|(user, ..)| *user);
            let around = clock.changes();
            let around = if around.is_empty() { 1_300_000_000_000 } else { around[change.index(around.len())] };
            Case { zone, around, shifts, overrides, gone, members, away }
        })
}
