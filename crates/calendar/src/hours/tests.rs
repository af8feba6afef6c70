use proptest::{prelude::*, sample::select};

use super::*;

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

fn time(text: &str) -> TimeOfDay {
    TimeOfDay::parse(text).unwrap()
}

/// Hours by category.
fn hours(categories: HourCategories, zone: &str, from: &str, to: &str) -> [f64; 5] {
    let range = Interval::new(at(from), at(to)).unwrap();
    let sums = categories.within(Zone::find(zone).unwrap(), range).millis(range);
    assert_eq!(sums.iter().sum::<u64>(), range.millis());
    sums.map(|ms| ms as f64 / 3_600_000.0)
}

#[test]
fn a_week_has_all_of_its_hours() {
    let default = HourCategories::default();
    let week = hours(default, "GMT", "2026-11-23T00:00:00Z", "2026-11-30T00:00:00Z");
    assert_eq!(week, [50.0, 20.0, 50.0, 48.0, 0.0]);
    let friday = hours(default, "GMT", "2026-11-27T17:00:00Z", "2026-11-28T09:30:00Z");
    assert_eq!(friday, [1.0, 4.0, 2.0, 9.5, 0.0], "a night ends where the weekend begins");
    let paris = hours(default, "Europe/Paris", "2026-11-27T17:00:00Z", "2026-11-28T09:30:00Z");
    assert_eq!(paris, [0.0, 4.0, 2.0, 10.5, 0.0]);
}

#[test]
fn a_night_begins_in_the_evening_before() {
    let range = Interval::new(at("2026-11-23T00:00:00Z"), at("2026-11-30T00:00:00Z")).unwrap();
    let week = HourCategories::default().within(Zone::find("GMT").unwrap(), range);
    let night = Some((HourCategory::Night, at("2026-11-24T22:00:00Z")));
    assert_eq!(week.at(at("2026-11-24T22:00:00Z")), night);
    assert_eq!(week.at(at("2026-11-25T07:59:59Z")), night);
    assert_eq!(week.at(at("2026-11-25T08:00:00Z")), Some((HourCategory::Working, at("2026-11-25T08:00:00Z"))));
    assert_eq!(week.at(at("2026-11-29T08:00:00Z")), Some((HourCategory::Weekend, at("2026-11-28T00:00:00Z"))));
}

#[test]
fn a_night_of_a_clock_change_has_the_hours_that_pass() {
    let no_weekend = HourCategories { weekend: Weekdays::default(), ..HourCategories::default() };
    let night = |from, to| hours(no_weekend, "Europe/Paris", from, to)[HourCategory::Night as usize];
    assert_eq!(night("2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z"), 9.0, "the clocks go forward");
    assert_eq!(night("2026-10-24T12:00:00Z", "2026-10-25T12:00:00Z"), 11.0, "the clocks go back");
    // Samoa left out a Friday.
    let all = hours(HourCategories::default(), "Pacific/Apia", "2011-12-29T10:00:00Z", "2011-12-31T10:00:00Z");
    assert_eq!(all, [10.0, 4.0, 10.0, 24.0, 0.0]);
}

#[test]
fn a_night_may_begin_after_midnight_and_an_evening_be_missing() {
    let late = HourCategories { night_from: time("01:00:00"), ..HourCategories::default() };
    let day = |categories| hours(categories, "GMT", "2026-11-24T00:00:00Z", "2026-11-25T00:00:00Z");
    assert_eq!(day(late), [10.0, 7.0, 7.0, 0.0, 0.0]);
    let none = HourCategories { night_from: time("18:00:00"), ..HourCategories::default() };
    assert_eq!(day(none), [10.0, 0.0, 14.0, 0.0, 0.0]);
    assert!(HourCategories::default().are_in_order() && late.are_in_order() && none.are_in_order());
    let wrong = [
        HourCategories { evening_from: time("08:00:00"), ..HourCategories::default() },
        HourCategories { night_from: time("08:00:00"), ..HourCategories::default() },
        HourCategories { night_from: time("17:00:00"), ..HourCategories::default() },
    ];
    assert!(wrong.iter().all(|categories| !categories.are_in_order()));
}

fn categories() -> impl Strategy<Value = HourCategories> {
    (0..48_u32, 1..48_u32, 0..48_u32, 0..128_u8).prop_map(|(working, evening, night, weekend)| {
        let half_hour = |after: u32| TimeOfDay::of_minute((working + after) % 48 * 30);
        let weekend = Weekday::ALL.into_iter().filter(|day| weekend & (1 << *day as u8) != 0);
        let night = half_hour(evening + night % (48 - evening));
        let evening = half_hour(evening);
        HourCategories {
            working_from: half_hour(0),
            evening_from: evening,
            night_from: night,
            weekend: weekend.collect(),
        }
    })
}

fn zones() -> Vec<Zone> {
    Zone::all().chain(Zone::others()).collect()
}

/// What the clocks say of an instant.
fn model(categories: &HourCategories, zone: Zone, instant: i64) -> HourCategory {
    let local = zone.local(Timestamp::from_millis(instant));
    if categories.is_weekend(local.day) {
        return HourCategory::Weekend;
    }
    let since = |bound: TimeOfDay| (local.time.seconds() - bound.seconds()).rem_euclid(SECONDS_PER_DAY);
    let bounds = [
        (since(categories.night_from), HourCategory::Night),
        (since(categories.evening_from), HourCategory::Evening),
        (since(categories.working_from), HourCategory::Working),
    ];
    bounds.into_iter().min_by_key(|(since, _)| *since).unwrap().1
}

proptest! {
    #[test]
    fn parts_are_as_long_as_the_whole_and_are_what_the_clocks_say(
        categories in categories(),
        zone in select(zones()),
        second in 0..2_200_000_000_i64,
        lengths in proptest::collection::vec(1..500_000_000_i64, 1..6),
        looks in proptest::collection::vec(0..1_000_000_u64, 8),
    ) {
        prop_assert!(categories.are_in_order());
        let mut cuts = vec![Timestamp::from_millis(second * 1_000 + 7)];
        for length in lengths {
            cuts.push(Timestamp::from_millis(cuts.last().unwrap().millis() + length));
        }
        let range = Interval::new(cuts[0], *cuts.last().unwrap()).unwrap();
        let time = categories.within(zone, range);
        let whole = time.millis(range);
        prop_assert_eq!(whole.iter().sum::<u64>(), range.millis());
        let mut sums = [0; HourCategory::COUNT];
        for stretch in cuts.windows(2).map(|pair| Interval::new(pair[0], pair[1]).unwrap()) {
            let parts = time.millis(stretch);
            prop_assert_eq!(parts.iter().sum::<u64>(), stretch.millis());
            sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum += part);
        }
        prop_assert_eq!(sums, whole);
        for look in looks {
            let instant = range.start().millis() + (range.millis() * look / 1_000_000) as i64;
            // Around a change of the clocks a bound is where they first show it.
            let near = zone.time_zone().preceding(jiff::Timestamp::from_millisecond(instant).unwrap()).next();
            if near.is_some_and(|change| instant - change.timestamp().as_millisecond() < 26 * 3_600_000) {
                continue;
            }
            let one = Interval::new(Timestamp::from_millis(instant), Timestamp::from_millis(instant + 1)).unwrap();
            let mut expected = [0; HourCategory::COUNT];
            expected[model(&categories, zone, instant) as usize] = 1;
            prop_assert_eq!(time.millis(one), expected, "{} in {}", one.start(), zone);
        }
    }
}
