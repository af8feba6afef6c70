//! Hours of whole rosters: they are as long as the timelines are, however the clocks change.

use std::time::Instant;

use base::timestamp::Timestamp;
use calendar::{Day, HourCategories, Interval, Zone, sets};
use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::json;

use super::sums::{By, CountedRoster, Question, Sum, sums};
use crate::{
    crew::Crew,
    dated_holidays::own::OwnHolidays,
    duty::{Duties, tests::model::rosters_in_zones},
    lines::{LineSelection, Version},
    people::RosterPeople,
    roster::rotation::CrewRotation,
    schedule::Schedule,
};

fn range(from: i64, to: i64) -> Interval {
    Interval::new(Timestamp::from_millis(from), Timestamp::from_millis(to)).unwrap()
}

fn total(sum: &Sum) -> u64 {
    sum.millis.iter().sum()
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 200, ..ProptestConfig::with_cases(100) })]

    #[test]
    fn sums_are_the_elapsed_time_of_the_timeline(
        (schedule, staff, zone, around) in rosters_in_zones(),
        other in select(vec!["America/St_Johns", "Australia/Lord_Howe", "Pacific/Apia", "GMT"]),
        before in 1..5_000_000_000_i64,
        after in 1..5_000_000_000_i64,
        holidays in vec(-60..60_i64, 0..30),
    ) {
        const DAY: i64 = 86_400_000;
        let whole = range(around - before, around + after);
        let zones = vec![
            (Timestamp::from_millis(around - DAY), zone),
            (Timestamp::from_millis(around + DAY), Zone::find(other).unwrap()),
        ];
        let rosters = [CountedRoster { id: "ES", schedule: &schedule, zones, categories: HourCategories::default() }];
        let days = holidays.iter().map(|day| Day::at(zone, Timestamp::from_millis(around + day * DAY)));
        let own = OwnHolidays::with("U0", days);
        let (duties, cut) = Duties::new(&schedule, &staff).within(whole, LineSelection::All);
        prop_assert!(!cut);
        let times = |user: Option<&str>| -> Vec<Interval> {
            let of = duties.iter().filter_map(|duty| Some((duty, duty.time.intersection(whole)?)));
            let counted = |users: &[&str]| users.iter().filter(|own| user.is_none_or(|user| user == **own)).count();
            of.flat_map(|(duty, time)| std::iter::repeat_n(time, counted(&duty.users))).collect()
        };
        let elapsed = |user: Option<&str>| times(user).iter().map(|time| time.millis()).sum::<u64>();
        for by in [By::User, By::Group, By::Roster] {
            let asked = Question { rosters: &rosters, staff: &staff, own: &own, range: whole, by, user: None };
            let found = sums(asked, &|| true).unwrap().unwrap();
            prop_assert_eq!(found.values().map(total).sum::<u64>(), elapsed(None), "{:?}", by);
            for (id, sum) in found.iter().filter(|_| by == By::User) {
                prop_assert_eq!(total(sum), elapsed(*id));
                prop_assert_eq!(total(sum) - sum.overlapping, sets::covered_millis(times(*id)));
                let alone = sums(Question { user: *id, ..asked }, &|| true).unwrap().unwrap();
                prop_assert_eq!(alone.len(), 1);
                prop_assert_eq!(alone.get(id), Some(sum));
            }
        }
        let asked = Question { rosters: &rosters, staff: &staff, own: &own, range: whole, by: By::User, user: None };
        prop_assert!(sums(asked, &|| false).unwrap().is_none(), "nobody waits for it");
    }
}

/// A roster around the clock by day and night, in each of which one of some people has a week.
fn weekly(zone: Zone, people: &[String]) -> Schedule {
    let always = range(0, i64::MAX);
    let mut schedule = Schedule::default();
    for (id, from, to) in [("day", "08:00:00", "20:00:00"), ("night", "20:00:00", "08:00:00")] {
        let daily = json!({"type": "recurring", "startDate": "2024-01-01T00:00:00Z", "startTime": from, "endTime": to,
            "pattern": {"type": "daily", "repeatFrequency": 1}, "endPattern": {"type": "NEVER"}});
        let order: Vec<Crew> = people.iter().map(|user| Crew::new(std::slice::from_ref(user), &[])).collect();
        let rotation = json!({"order": order, "length": {"weeks": 1}, "start": "2024-01-01T08:00:00"});
        let rotation: CrewRotation = serde_json::from_value(rotation).unwrap();
        let rule = crate::roster::rules::schedule(&daily).unwrap().rule(zone);
        let version =
            Version { id: id.to_owned(), name: id.to_owned(), level: None, rule, places: None, valid: always };
        schedule.add(version, Crew::default(), Some(rotation), zone);
    }
    schedule
}

#[test]
#[expect(clippy::print_stdout, reason = "a test that measures says what it measured")]
fn a_year_of_100_rosters_of_20_people_takes_a_moment() {
    let zones: Vec<Zone> = Zone::all().collect();
    let people: Vec<String> = (0..2_000).map(|number| format!("USR{number:010}")).collect();
    let ids: Vec<&str> = people.iter().map(String::as_str).collect();
    let staff = RosterPeople::of(&ids);
    let schedules: Vec<(Zone, Schedule)> =
        people.chunks(20).zip(zones.iter().cycle()).map(|(people, zone)| (*zone, weekly(*zone, people))).collect();
    let rosters: Vec<CountedRoster<'_>> = schedules
        .iter()
        .map(|(zone, schedule)| CountedRoster {
            id: "ES",
            schedule,
            zones: vec![(Timestamp::from_millis(0), *zone)],
            categories: HourCategories::default(),
        })
        .collect();
    let year = range(1_767_225_600_000, 1_798_761_600_000);
    let own = OwnHolidays::default();
    let begun = Instant::now();
    let found =
        sums(Question { rosters: &rosters, staff: &staff, own: &own, range: year, by: By::User, user: None }, &|| true);
    let took = begun.elapsed();
    println!("hours of a year, 100 rosters of 20 people: {took:?}");
    let found = found.unwrap().unwrap();
    assert_eq!(found.len(), 2_000);
    assert_eq!(found.values().map(total).sum::<u64>(), 100 * year.millis());
    assert!(took.as_secs() < 10, "{took:?}");
}
