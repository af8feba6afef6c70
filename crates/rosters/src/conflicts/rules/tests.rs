use proptest::{collection::vec, prelude::*};

use super::*;

const HOUR: i64 = 3_600_000;
const SHIFTS: [(&str, &str); 3] = [("A", "a"), ("B", "b"), ("C", "c")];
/// A midnight of GMT.
const MIDNIGHT: i64 = 1_795_132_800_000;

fn at(hour: i64) -> Timestamp {
    Timestamp::from_millis(MIDNIGHT + hour * HOUR)
}

fn time(from: i64, to: i64) -> Interval {
    Interval::new(at(from), at(to)).unwrap()
}

fn stretch(shift: usize, from: i64, to: i64) -> Stretch<'static> {
    let place = Place { roster: shift, shift: Some(SHIFTS[shift]) };
    Stretch { time: time(from, to), place, zone: Zone::GMT }
}

/// What is wrong in a month in the plan of a person, or of it what a roster has a part in.
fn found_in(
    stretches: &[Stretch<'static>],
    away: &[Away<'static>],
    limits: Limits,
    parts: Parts<'_>,
) -> Vec<RosterConflict<'static>> {
    let mut found = Vec::new();
    let mut nights = Nights::default();
    let range = time(0, 720);
    let mut search = Search { range, limits, parts, nights: &mut nights, others: 0, found: &mut found };
    search.person("USR1", stretches.to_vec(), away).unwrap();
    found
}

/// Kind and time of what is wrong in a month, in hours of it.
fn told(stretches: &[Stretch<'static>], away: &[Away<'static>], limits: Limits) -> Vec<(Kind, i64, i64)> {
    let found = found_in(stretches, away, limits, Parts::All);
    let hour = |at: Timestamp| (at.millis() - MIDNIGHT) / HOUR;
    found.iter().map(|one| (one.kind, hour(one.from), hour(one.to))).collect()
}

const LIMITS: Limits = Limits { rest_ms: 11 * HOUR, nights: 3 };

#[test]
fn two_shifts_at_once_are_a_double_booking() {
    let found = told(&[stretch(0, 8, 16), stretch(1, 12, 20)], &[], LIMITS);
    assert_eq!(found, [(Kind::DoubleBooking, 12, 16)]);
    assert_eq!(told(&[stretch(0, 8, 12), stretch(0, 12, 16)], &[], LIMITS), [], "one shift that goes on");
}

#[test]
fn too_many_are_refused() {
    let mut found = Vec::new();
    let mut nights = Nights::default();
    let range = time(0, 30_000);
    let mut search =
        Search { range, limits: LIMITS, parts: Parts::All, nights: &mut nights, others: 0, found: &mut found };
    let often =
        (0..MOST as i64).flat_map(|hour| [stretch(0, hour * 2, hour * 2 + 1), stretch(1, hour * 2, hour * 2 + 1)]);
    assert!(search.person("USR1", often.collect(), &[]).is_err());
    search.others = MOST_OTHERS;
    search.found.clear();
    assert!(search.person("USR1", vec![stretch(0, 0, 9), stretch(1, 0, 9)], &[]).is_err());
}

#[test]
fn what_is_before_the_range_is_not_too_much() {
    let often = (1..20_100_i64).flat_map(|hour| [0, 1].map(|shift| stretch(shift, -hour * 2, -hour * 2 + 1)));
    let none = Limits { rest_ms: 0, nights: 31 };
    let all: Vec<_> = often.chain([stretch(0, -1, 4), stretch(1, -1, 8)]).collect();
    let mut found = told(&all, &[], none);
    found.retain(|(kind, ..)| *kind == Kind::DoubleBooking);
    assert_eq!(found, [(Kind::DoubleBooking, 0, 4)]);
}

#[test]
fn time_off_is_cut_to_the_shift() {
    let away = |from: i64, to: i64| Away { time: time(from, to), id: Some("TOF-1"), zone: None };
    let found = told(&[stretch(0, 8, 20)], &[away(10, 14), away(15, 30)], LIMITS);
    assert_eq!(found, [(Kind::TimeOff, 10, 14), (Kind::TimeOff, 15, 20)]);
}

#[test]
fn holidays_are_those_of_the_zone_of_the_shift() {
    let holiday = |zone: Zone| Away { time: time(0, 24), id: None, zone: Some(zone) };
    assert_eq!(told(&[stretch(0, 8, 30)], &[holiday(Zone::GMT)], LIMITS), [(Kind::TimeOff, 8, 24)]);
    let paris = holiday(Zone::find("Europe/Paris").unwrap());
    assert_eq!(told(&[stretch(0, 8, 30)], &[paris], LIMITS), []);
}

#[test]
fn the_rest_before_a_shift_counts() {
    let found = told(&[stretch(0, -6, -2), stretch(0, 8, 16), stretch(1, 27, 30)], &[], LIMITS);
    assert_eq!(found, [(Kind::Rest, -2, 8)], "eleven hours are enough");
    assert_eq!(told(&[stretch(0, 8, 16), stretch(1, 16, 20)], &[], LIMITS), [(Kind::Rest, 16, 16)]);
    let none = Limits { rest_ms: 0, ..LIMITS };
    assert_eq!(told(&[stretch(0, 8, 16), stretch(1, 16, 20)], &[], none), []);
    assert_eq!(
        told(&[stretch(0, 0, 20), stretch(1, 2, 4), stretch(1, 32, 40)], &[], LIMITS),
        [(Kind::DoubleBooking, 2, 4)],
        "the shift that ended last counts"
    );
}

#[test]
fn nights_in_a_row_are_counted_beyond_the_range() {
    // Five nights, of which two are before the range.
    let nights: Vec<_> = (-2..3).map(|day| stretch(0, day * 24 + 22, day * 24 + 30)).collect();
    let found = told(&nights, &[], LIMITS);
    assert_eq!(found, [(Kind::Nights, 0, 78)]);
    assert_eq!(told(&nights, &[], Limits { nights: 5, ..LIMITS }), []);
    let short: Vec<_> = (0..9).map(|day| stretch(0, day * 24 + 14, day * 24 + 24)).collect();
    assert_eq!(told(&short, &[], LIMITS), [], "two hours of a night are none");
    assert_eq!(told(&[stretch(0, 0, 100_000)], &[], LIMITS), [(Kind::Nights, 0, 720)], "without an end");
}

#[test]
fn a_shift_has_the_zone_that_its_roster_has_then() {
    let lima = Zone::find("America/Lima").unwrap();
    let then = |stretch: Stretch<'static>| Stretch { zone: lima, ..stretch };
    // Nights of GMT are none of the zone that comes later, and do not vanish with it.
    let nights = (0..5).map(|day| stretch(0, day * 24 + 22, day * 24 + 30));
    let days: Vec<_> = nights.chain((5..9).map(|day| then(stretch(0, day * 24 + 14, day * 24 + 20)))).collect();
    assert_eq!(told(&days, &[], Limits { rest_ms: 0, ..LIMITS }), [(Kind::Nights, 22, 126)]);
    // A shift that goes on meanwhile is one, and has the holidays of both zones.
    let whole = [stretch(0, 8, 30), then(stretch(0, 30, 60))];
    let holiday = |zone: Zone, from: i64| Away { time: time(from, from + 24), id: None, zone: Some(zone) };
    let away = [
        holiday(Zone::GMT, 0),
        holiday(lima, 5),
        holiday(Zone::GMT, 48),
        holiday(lima, 53),
        Away { time: time(29, 31), id: Some("TOF-1"), zone: None },
    ];
    let mut found = told(&whole, &away, LIMITS);
    found.sort_by_key(|(_, from, _)| *from);
    assert_eq!(found, [(Kind::TimeOff, 8, 24), (Kind::TimeOff, 29, 31), (Kind::TimeOff, 53, 60)]);
}

#[test]
fn nights_are_of_each_roster_that_has_a_part_in_them() {
    let night = |shift: usize, day: i64| stretch(shift, day * 24 + 22, day * 24 + 30);
    let nights: Vec<_> = (0..5).map(|day| night(usize::from(day == 2), day)).collect();
    let all = [nights, vec![stretch(2, 8, 9)]].concat();
    let of = |roster: usize| {
        let all = found_in(&all, &[], Limits { rest_ms: 0, ..LIMITS }, Parts::Roster(roster));
        all.iter().map(|one| one.kind).collect::<Vec<_>>()
    };
    assert_eq!([of(0), of(1), of(2)], [vec![Kind::Nights], vec![Kind::Nights], vec![]]);
}

#[test]
fn across_tenants_is_what_no_tenant_sees_for_itself() {
    let across = |stretches: &[Stretch<'static>], away: &[Away<'static>]| {
        let parts = Parts::AcrossTenants { of_rosters: &["msp_1", "client_2", "client_2"], partner: "msp_1" };
        let all = found_in(stretches, away, Limits { rest_ms: 4 * HOUR, ..LIMITS }, parts);
        all.iter().map(|one| one.kind).collect::<Vec<_>>()
    };
    let both = |one: usize, other: usize| [stretch(one, 8, 16), stretch(other, 12, 20)];
    assert_eq!(across(&both(0, 1), &[]), [Kind::DoubleBooking]);
    assert_eq!(across(&both(1, 2), &[]), [], "the client sees both");
    assert_eq!(across(&[stretch(0, 8, 16), stretch(1, 17, 20)], &[]), [Kind::Rest]);
    assert_eq!(across(&[stretch(1, 8, 16), stretch(2, 17, 20)], &[]), []);
    let away = [Away { time: time(8, 9), id: Some("TOF-1"), zone: None }];
    assert_eq!(across(&[stretch(1, 8, 16)], &away), [Kind::TimeOff], "a client does not see it");
    assert_eq!(across(&[stretch(0, 8, 16)], &away), []);
    let nights = |roster: fn(i64) -> usize| {
        let nights = (0..4).map(|day| stretch(roster(day), day * 24 + 22, day * 24 + 30));
        across(&nights.collect::<Vec<_>>(), &[])
    };
    assert_eq!(nights(|day| usize::from(day > 1)), [Kind::Nights]);
    assert_eq!(nights(|_| 1), []);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    /// Hour by hour: a night is of the rosters through which the person is on call in it.
    #[test]
    fn of_a_roster_is_told_what_it_has_a_part_in(
        plan in vec((0..3_usize, 0..660_i64, 1..30_i64), 0..40),
        away in vec((0..700_i64, 1..50_i64), 0..4),
    ) {
        let stretches = plan.iter().map(|(shift, from, hours)| stretch(*shift, *from, from + hours));
        let stretches: Vec<_> = stretches.collect();
        let mut away: Vec<_> = away.iter().map(|(from, hours)| time(*from, from + hours)).collect();
        away.sort_unstable();
        let away: Vec<_> = away.into_iter().map(|time| Away { time, id: Some("TOF-1"), zone: None }).collect();
        let all = found_in(&stretches, &away, LIMITS, Parts::All);
        let at_night = |at: i64| !(6..22).contains(&at.rem_euclid(24));
        for roster in 0..SHIFTS.len() {
            let is_on_call = |at: i64| plan.iter().any(|(shift, from, hours)| {
                *shift == roster && (*from..from + hours).contains(&at)
            });
            let has_part = |found: &&RosterConflict<'_>| {
                let [from, to] = [found.from, found.to].map(|at| (at.millis() - MIDNIGHT) / HOUR);
                let named = found.place.roster == roster || found.others.iter().any(|one| one.roster == roster);
                match found.kind {
                    Kind::Nights => (from..to).any(|at| at_night(at) && is_on_call(at)),
                    _ => named,
                }
            };
            let expected: Vec<_> = all.iter().filter(has_part).cloned().collect();
            prop_assert_eq!(found_in(&stretches, &away, LIMITS, Parts::Roster(roster)), expected);
        }
    }
}
