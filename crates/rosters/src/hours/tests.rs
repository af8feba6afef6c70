//! Hours of whole rosters: they are as long as the timelines are, however the clocks change.

use std::time::Instant;

use base::timestamp::Timestamp;
use calendar::{Day, HourCategories, Interval, Zone, sets};
use ports::Membership;
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
    zone_history::ZoneHistory,
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
        let zones = ZoneHistory::since(vec![
            (Timestamp::from_millis(around - DAY), zone),
            (Timestamp::from_millis(around + DAY), Zone::find(other).unwrap()),
        ]);
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

/// A shift around the clock with groups, in versions that hold within these stretches.
fn with_groups(versions: &[(&[&str], Interval)]) -> Schedule {
    let daily = json!({"type": "recurring", "startDate": "1970-01-01T00:00:00Z", "startTime": "00:00:00",
        "endTime": "00:00:00", "pattern": {"type": "daily", "repeatFrequency": 1}, "endPattern": {"type": "NEVER"}});
    let mut schedule = Schedule::default();
    for (groups, valid) in versions {
        let rule = crate::roster::rules::schedule(&daily).unwrap().rule(Zone::GMT);
        let (id, name) = ("a".to_owned(), "a".to_owned());
        let version = Version { id, name, level: None, rule, places: None, valid: *valid };
        let groups: Vec<String> = groups.iter().map(ToString::to_string).collect();
        schedule.add(version, Crew::new(&[], &groups), None, Zone::GMT);
    }
    schedule
}

/// Hours by group, of a range of hours.
fn by_group(schedule: &Schedule, staff: &RosterPeople, hours: (i64, i64)) -> Vec<(String, u64)> {
    let zones = ZoneHistory::always(Zone::GMT);
    let rosters = [CountedRoster { id: "ES", schedule, zones, categories: HourCategories::default() }];
    let own = OwnHolidays::default();
    let range = range(hours.0 * HOUR, hours.1 * HOUR);
    let asked = Question { rosters: &rosters, staff, own: &own, range, by: By::Group, user: None };
    let found = sums(asked, &|| true).unwrap().unwrap();
    let mut found: Vec<(String, u64)> =
        found.iter().map(|(group, sum)| (group.unwrap_or("-").to_owned(), total(sum) / HOUR.unsigned_abs())).collect();
    found.sort_unstable();
    found
}

const HOUR: i64 = 3_600_000;

#[test]
fn hours_are_those_of_the_group_that_somebody_is_in_at_the_time() {
    let member = |group: &str, until: Option<i64>| Membership {
        group: group.to_owned(),
        user: "ANN".to_owned(),
        since: Timestamp::from_millis(0),
        until: until.map(|hour| Timestamp::from_millis(hour * HOUR)),
    };
    let people = |until: Option<i64>| {
        let staff = RosterPeople::of(&["ANN"]);
        staff.with("G1", Vec::new(), vec![member("G1", until)]).with("G2", Vec::new(), vec![member("G2", None)])
    };
    let always = range(0, i64::MAX);
    let hours = |group: &str, hours: u64| (group.to_owned(), hours);
    // Ann leaves the first group.
    let both = with_groups(&[(&["G1", "G2"], always)]);
    assert_eq!(by_group(&both, &people(None), (0, 48)), [hours("G1", 48)]);
    assert_eq!(by_group(&both, &people(Some(20)), (0, 48)), [hours("G1", 20), hours("G2", 28)]);
    // An edit moves the shift to another group.
    let edited = with_groups(&[(&["G1"], range(0, 10 * HOUR)), (&["G2"], range(10 * HOUR, i64::MAX))]);
    assert_eq!(by_group(&edited, &people(None), (0, 48)), [hours("G1", 10), hours("G2", 38)]);
}

#[test]
fn own_holidays_are_dates_of_the_zone_that_the_roster_has_then() {
    const DAY: i64 = 24 * HOUR;
    let auckland = Zone::find("Pacific/Auckland").unwrap();
    let schedule = weekly(Zone::GMT, &["ANN".to_owned()]);
    let staff = RosterPeople::of(&["ANN"]);
    let start = 1_767_225_600_000;
    let zones = vec![(Timestamp::from_millis(0), Zone::GMT), (Timestamp::from_millis(start + 2 * DAY), auckland)];
    let zones = ZoneHistory::since(zones);
    let rosters = [CountedRoster { id: "ES", schedule: &schedule, zones, categories: HourCategories::default() }];
    // Six days later, which in Auckland begin thirteen hours earlier.
    let own = OwnHolidays::with("ANN", [Day::at(Zone::GMT, Timestamp::from_millis(start + 6 * DAY))].into_iter());
    let holiday = |from: i64| {
        let range = range(start + from * DAY, start + 6 * DAY);
        let asked = Question { rosters: &rosters, staff: &staff, own: &own, range, by: By::User, user: None };
        sums(asked, &|| true).unwrap().unwrap()[&Some("ANN")].millis[4] / HOUR.unsigned_abs()
    };
    assert_eq!((holiday(0), holiday(3)), (13, 13), "wherever the question begins");
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
            zones: ZoneHistory::always(*zone),
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
