//! Random rules and instants, more of them where the clocks change than elsewhere.

use base::Timestamp;
use calendar::{End, MonthDays, OnDay, Pattern, Recurring, TimeOfDay, WeekIndex, Weekday, Zone};
use proptest::{collection::vec, option, prelude::*, sample::select};

use crate::slow;

pub const DAY: i64 = 86_400_000;
/// 2020-01-01 and 2038-01-01 in milliseconds.
pub const FROM_2020: i64 = 1_577_836_800_000;
pub const TO_2037: i64 = 2_145_916_800_000;

pub fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

/// An instant as it is written.
pub fn stamp(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap_or_else(|| panic!("{text} is not a timestamp"))
}

pub fn time(text: &str) -> TimeOfDay {
    TimeOfDay::parse(text).unwrap_or_else(|| panic!("{text} is not a time of day"))
}

/// When the clocks of a zone change between two instants, in milliseconds.
pub fn changes(zone: Zone, from: i64, until: i64) -> Vec<i64> {
    let from = jiff::Timestamp::from_millisecond(from).unwrap();
    let zone = slow::time_zone(zone);
    let changes = zone.following(from).map(|change| change.timestamp().as_millisecond());
    changes.take_while(|change| *change < until).collect()
}

/// The zones of the interface, and some whose clocks are stranger: half an hour or two hours of daylight saving time,
/// standard time in summer, none in one month of the moon, changes at midnight, a day left out.
pub fn all_zones() -> impl Iterator<Item = Zone> {
    let others = [
        "Europe/London",
        "Europe/Dublin",
        "Africa/Casablanca",
        "Africa/Cairo",
        "America/Santiago",
        "Antarctica/Troll",
        "Asia/Kathmandu",
        "Australia/Lord_Howe",
        "Pacific/Apia",
    ];
    Zone::all().chain(others.map(|name| Zone::find(name).unwrap()))
}

pub fn zones() -> impl Strategy<Value = Zone> {
    let all: Vec<Zone> = all_zones().collect();
    let changing: Vec<Zone> =
        all.iter().copied().filter(|zone| !changes(*zone, FROM_2020, TO_2037).is_empty()).collect();
    prop_oneof![3 => select(changing), 1 => select(all)]
}

/// A whole minute from 1970 to 2037, near a change of the zone's clocks or anywhere.
pub fn instants(zone: Zone) -> BoxedStrategy<i64> {
    let anywhere = (0..TO_2037 / 60_000).prop_map(|minute| minute * 60_000);
    let changes = changes(zone, 0, TO_2037);
    if changes.is_empty() {
        return anywhere.boxed();
    }
    let near =
        (select(changes), -3 * 1_440..3 * 1_440_i64).prop_map(|(change, minute)| (change + minute * 60_000).max(0));
    prop_oneof![2 => near, 1 => anywhere].boxed()
}

/// Whole minutes, more of them at night, when clocks change.
pub fn times() -> impl Strategy<Value = TimeOfDay> {
    let text = |minute: i64| time(&format!("{:02}:{:02}:00", minute / 60, minute % 60));
    prop_oneof![
        2 => (0..16_i64).prop_map(move |quarter| text(quarter * 15)),
        1 => (92..96_i64).prop_map(move |quarter| text(quarter * 15)),
        2 => (0..1_440_i64).prop_map(text),
    ]
}

pub fn on_days() -> impl Strategy<Value = OnDay> {
    prop_oneof![
        vec(1..=31_u8, 0..4).prop_map(|days| OnDay::Days(days.into_iter().collect())),
        vec(27..=31_u8, 1..5).prop_map(|days| OnDay::Days(days.into_iter().collect())),
        (select(&WeekIndex::ALL[..]), select(&Weekday::ALL[..])).prop_map(|(index, day)| OnDay::Nth(index, day)),
    ]
}

pub fn patterns() -> impl Strategy<Value = Pattern> {
    let every = || prop_oneof![1..=3_u16, 1..=10_u16];
    let weekdays = vec(select(&Weekday::ALL[..]), 0..7);
    let months = vec(1..=12_u8, 0..4);
    prop_oneof![
        3 => every().prop_map(|every| Pattern::Daily { every }),
        3 => (every(), weekdays).prop_map(|(every, days)| Pattern::Weekly { every, days: days.into_iter().collect() }),
        3 => (every(), on_days()).prop_map(|(every, on)| Pattern::Monthly { every, on }),
        1 => every().prop_map(|every| {
            let on = OnDay::Days(MonthDays::default());
            Pattern::Yearly { every, months: Default::default(), on }
        }),
        2 => (every(), months, on_days())
            .prop_map(|(every, months, on)| Pattern::Yearly { every, months: months.into_iter().collect(), on }),
    ]
}

/// A rule, and an instant not far from which it has something to say.
pub fn rules() -> impl Strategy<Value = (Recurring, i64)> {
    zones().prop_flat_map(|zone| {
        let ago = prop_oneof![3 => 0..400 * DAY, 1 => 0..20_000 * DAY];
        let end = option::weighted(0.5, prop_oneof![(1..60_u32).prop_map(Ok), (0..400 * 1_440_i64).prop_map(Err),]);
        let parts = (instants(zone), ago, times(), times(), patterns(), end);
        parts.prop_map(move |(around, ago, start_time, end_time, pattern, end)| {
            let start_date = at((around - ago).max(0));
            let end = match end {
                None => End::Never,
                Some(Ok(count)) => End::Occurrences(count),
                Some(Err(minutes)) => End::Date(at(around + minutes * 60_000 - 20 * DAY)),
            };
            (Recurring { zone, start_date, start_time, end_time, pattern, end }, around)
        })
    })
}
