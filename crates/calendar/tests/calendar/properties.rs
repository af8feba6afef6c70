//! Properties that hold for every rule.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
};

use base::Timestamp;
use calendar::{Day, End, Interval, Pattern, Recurring, Repeated, Rule, TimeOfDay, Zone, sets};
use proptest::{collection::vec, prelude::*, sample::Index};

use crate::{
    generate::{self, DAY, FROM_2020, TO_2037, all_zones, at, changes, instants, patterns, rules, time, times, zones},
    slow,
};

fn list(rule: &Rule, from: i64, until: i64) -> Vec<Interval> {
    rule.occurrences(at(from)..at(until)).collect()
}

/// Daily shifts that begin at these times of day, each ending where the next begins.
fn contiguous(zone: Zone, start_date: i64, mut cuts: Vec<TimeOfDay>) -> Vec<Rule> {
    cuts.sort();
    cuts.dedup();
    let ends = cuts.iter().cycle().skip(1);
    let shift = |(start_time, end_time): (&TimeOfDay, &TimeOfDay)| {
        let start_date = at(start_date);
        let pattern = Pattern::Daily { every: 1 };
        let start_time = *start_time;
        let end_time = *end_time;
        Rule::recurring(Recurring { zone, start_date, start_time, end_time, pattern, end: End::Never })
    };
    cuts.iter().zip(ends).map(shift).collect()
}

/// The shifts cover the range, and no instant of it twice.
fn assert_seamless(shifts: &[Rule], from: i64, until: i64, what: &dyn std::fmt::Debug) {
    let range = Interval::new(at(from), at(until)).unwrap();
    let all: Vec<Interval> = shifts.iter().flat_map(|shift| list(shift, from, until)).collect();
    assert_eq!(sets::gaps(range, all.iter().copied()), [], "{what:?}");
    assert_eq!(sets::overlaps(&all, 0), Some(Vec::new()), "{what:?}");
}

#[test]
fn contiguous_shifts_leave_no_gap_over_any_change_of_the_clocks() {
    for zone in all_zones() {
        for change in changes(zone, FROM_2020, TO_2037) {
            for quarter in (0..96).step_by(3) {
                let cut = |hours: i64| {
                    let minute = (quarter * 15 + hours * 60) % 1_440;
                    time(&format!("{:02}:{:02}:00", minute / 60, minute % 60))
                };
                let shifts = contiguous(zone, change - 9 * DAY, vec![cut(0), cut(8), cut(16)]);
                assert_seamless(&shifts, change - 2 * DAY, change + 2 * DAY, &(zone, change, quarter));
            }
        }
    }
}

#[test]
fn contiguous_shifts_cover_all_the_years() {
    for zone in all_zones() {
        let shifts = contiguous(zone, FROM_2020 - 2 * DAY, ["00:00:00", "09:00:00", "17:30:00"].map(time).to_vec());
        // What is not contiguous would show at the borders, so the neighbours are enough.
        let mut previous: Option<Interval> = None;
        let mut all: Vec<Interval> = shifts.iter().flat_map(|shift| list(shift, FROM_2020, TO_2037)).collect();
        all.sort();
        for interval in all {
            assert!(previous.is_none_or(|previous| previous.end() == interval.start()), "{zone} {interval:?}");
            previous = Some(interval);
        }
    }
}

proptest! {
    #[test]
    fn the_slow_implementation_agrees((rule, around) in rules(), before in 0..20 * DAY, length in 1..60 * DAY) {
        let from = at(around - before);
        let until = at(around - before + length);
        let fast: Vec<Interval> = Rule::recurring(rule).occurrences(from..until).collect();
        prop_assert_eq!(fast, slow::occurrences(&rule, from..until));
    }

    #[test]
    fn random_contiguous_shifts_are_seamless(
        (zone, around) in zones().prop_flat_map(|zone| (Just(zone), instants(zone))),
        cuts in vec(times(), 1..6),
    ) {
        let shifts = contiguous(zone, around - 9 * DAY, cuts.clone());
        assert_seamless(&shifts, around - 4 * DAY, around + 4 * DAY, &(zone, around, cuts));
    }

    #[test]
    fn occurrences_are_in_order_and_disjoint((rule, around) in rules(), length in 1..900 * DAY) {
        let from = around - 20 * DAY;
        let until = around - 20 * DAY + length;
        let found = list(&Rule::recurring(rule), from, until);
        for interval in &found {
            prop_assert!(interval.start() < interval.end());
            prop_assert!(interval.end() > at(from) && interval.start() < at(until));
            // A day, and what the clocks go back: two hours at Troll, one elsewhere.
            prop_assert!(interval.millis() <= 26 * 3_600_000);
            prop_assert!(interval.start() >= rule.start_date);
        }
        prop_assert!(found.windows(2).all(|pair| pair[0].end() <= pair[1].start()));
    }

    #[test]
    fn occurrences_are_counted_as_they_start(
        (rule, around) in rules(),
        offset in -40 * DAY..40 * DAY,
        ahead in 0..400_i64,
    ) {
        let rule = Rule::recurring(rule);
        let starts: Vec<_> = rule.starts(at(-1)).take_while(|start| *start <= at(around + 40 * DAY)).collect();
        let here = at(around + offset);
        let count = rule.count_before(here);
        prop_assert_eq!(count, starts.iter().filter(|start| **start < here).count() as i64);
        for position in [0, count - 1, count, ahead].into_iter().filter(|position| *position >= 0) {
            let expected = starts.get(position as usize).copied();
            let found = rule.nth_start(position);
            prop_assert!(found == expected || found > starts.last().copied(), "{position}: {found:?} {expected:?}");
        }
        prop_assert_eq!(rule.nth_start(-1), None);
    }

    #[test]
    fn what_is_left_out_is_as_if_it_were_not_there(
        (rule, around) in rules(),
        out in vec(-60..60_i64, 0..40),
        offset in -40 * DAY..40 * DAY,
        whole_days: bool,
    ) {
        let rule = Recurring { end_time: if whole_days { rule.start_time } else { rule.end_time }, ..rule };
        let days: BTreeSet<Day> = out.iter().map(|day| Day::at(rule.zone, at(around + day * DAY))).collect();
        let all = Rule::recurring(rule);
        let told: RefCell<BTreeMap<Timestamp, Day>> = RefCell::default();
        let kept = all.clone().without(rule.zone, &days, |day, start| {
            told.borrow_mut().insert(start, day);
            true
        });
        let told = told.into_inner();
        let (from, until) = (around - 70 * DAY, around + 70 * DAY);
        let range = Interval::new(at(from), at(until)).unwrap();
        let (removed, expected): (Vec<_>, Vec<_>) =
            list(&all, from, until).into_iter().partition(|time| told.contains_key(&time.start()));
        for time in &expected {
            // A time that the clocks skip before midnight is of the date before the one that they show.
            let dates = [0, -1].map(|step| Day::at(rule.zone, at(time.start().millis() + step)));
            prop_assert!(dates.iter().any(|date| !days.contains(date)), "{time:?}");
        }
        prop_assert_eq!(list(&kept, from, until), expected.clone());
        prop_assert_eq!(kept.left_out(range), removed);
        let union = sets::union(expected.iter().copied());
        let stretches = kept.stretches(at(from)..at(until)).into_iter().filter_map(|time| time.intersection(range));
        prop_assert_eq!(
            sets::union(stretches),
            union.into_iter().filter_map(|time| time.intersection(range)).collect::<Vec<_>>()
        );
        let here = at(around + offset);
        prop_assert_eq!(kept.contains(here), expected.iter().copied().find(|time| time.contains(here)));
        let starts: Vec<_> = all.starts(at(-1)).take_while(|start| *start < at(until)).collect();
        let starts: Vec<_> = starts.into_iter().filter(|start| !told.contains_key(start)).collect();
        let count = kept.count_before(here);
        prop_assert_eq!(count, starts.iter().filter(|start| **start < here).count() as i64);
        for position in (count - 5..count + 5).filter(|position| *position >= 0) {
            let expected = starts.get(position as usize).copied();
            let found = kept.nth_start(position);
            prop_assert!(found == expected || found >= Some(at(until)), "{position}: {found:?} {expected:?}");
        }
    }

    #[test]
    fn a_range_can_be_cut_anywhere((rule, around) in rules(), length in 2..90 * DAY, border: Index, on_edge: bool) {
        let rule = Rule::recurring(rule);
        let from = around - 20 * DAY;
        let until = around - 20 * DAY + length;
        let whole = list(&rule, from, until);
        let mut border = from + 1 + border.index(usize::try_from(length - 1).unwrap()) as i64;
        if let (true, Some(edge)) = (on_edge, whole.get(whole.len() / 2)) {
            border = edge.start().millis().clamp(from + 1, until - 1);
        }
        let mut parts = list(&rule, from, border);
        parts.extend(list(&rule, border, until));
        parts.dedup();
        prop_assert_eq!(parts, whole);
    }

    #[test]
    fn contains_is_what_occurrences_say((rule, around) in rules(), offset in -DAY..DAY) {
        let rule = Rule::recurring(rule);
        let found = list(&rule, around - 20 * DAY, around + 20 * DAY);
        let mut asked = vec![around, around + offset];
        for interval in &found {
            let start = interval.start().millis();
            let end = interval.end().millis();
            asked.extend([start - 1, start, end - 1, end]);
        }
        asked.retain(|instant| (around - 20 * DAY..around + 20 * DAY).contains(instant));
        for instant in asked.into_iter().map(at) {
            let expected = found.iter().copied().find(|interval| interval.contains(instant));
            prop_assert_eq!(rule.contains(instant), expected, "{}", instant);
        }
    }

    #[test]
    fn next_and_previous_are_what_occurrences_say((rule, around) in rules(), n in 0..6_usize, offset in -DAY..DAY) {
        let described = rule;
        let rule = Rule::recurring(rule);
        let span = rule_start(&described)..at(around + 60 * 366 * DAY);
        let all: Vec<Interval> = rule.occurrences(span).take(400).collect();
        let near = all.iter().map(|interval| interval.start().millis()).rfind(|start| *start <= around);
        for after in [around, around + offset, near.unwrap_or(around), near.unwrap_or(around) - 1].map(at) {
            if all.len() == 400 && all[399 - n].start() <= after {
                continue;
            }
            let later = all.iter().copied().filter(|interval| interval.start() > after);
            let expected: Vec<Interval> = later.take(n).collect();
            prop_assert_eq!(rule.next(n, after), expected);
            let expected = all.iter().copied().rfind(|interval| interval.end() <= after);
            prop_assert_eq!(rule.previous(after), expected);
            let starts: Vec<Timestamp> = rule.starts(after).take(n).collect();
            prop_assert!(starts.windows(2).all(|pair| pair[0] < pair[1]));
            prop_assert!(rule.next(n, after).iter().all(|next| starts.contains(&next.start()) || starts.len() == n));
        }
    }

    #[test]
    fn a_number_of_occurrences_is_a_number_of_dates((rule, _) in rules(), count in 0..300_u32) {
        let ends = |end| Rule::recurring(Recurring { end, ..rule });
        let endless: Vec<Timestamp> = ends(End::Never).starts(at(i64::MIN)).take(count as usize).collect();
        let counted: Vec<Timestamp> = ends(End::Occurrences(count)).starts(at(i64::MIN)).collect();
        prop_assert_eq!(counted, endless);
    }

    #[test]
    fn an_end_date_keeps_what_began_before((rule, around) in rules(), offset in 0..90 * DAY) {
        let end = at(around + offset);
        let endless = Rule::recurring(Recurring { end: End::Never, ..rule });
        let ending = Rule::recurring(Recurring { end: End::Date(end), ..rule });
        let from = around - 9 * DAY;
        let all = list(&endless, from, around + 100 * DAY);
        let expected: Vec<Interval> = all.into_iter().filter(|one| one.start() < end).collect();
        prop_assert_eq!(list(&ending, from, around + 100 * DAY), expected);
    }

    #[test]
    fn a_rule_that_began_longer_ago_goes_on_the_same((rule, around) in rules(), steps in 1..400_i64) {
        // Whole steps earlier, at noon, where clocks do not change.
        let (Pattern::Daily { .. }, noon) = (rule.pattern, time("12:00:00")) else { return Ok(()) };
        let Pattern::Daily { every } = rule.pattern else { return Ok(()) };
        let zone = Zone::find("Asia/Calcutta").unwrap();
        let rule = Recurring { zone, start_time: noon, end: End::Never, ..rule };
        let earlier = at(rule.start_date.millis() - steps * i64::from(every) * DAY);
        let new = Rule::recurring(rule);
        let old = Rule::recurring(Recurring { start_date: earlier, ..rule });
        let from = rule.start_date.millis().max(around);
        prop_assert_eq!(new.next(5, at(from)), old.next(5, at(from)));
    }

    #[test]
    fn a_window_ends_with_the_last_occurrence_before_its_end(
        (zone, start) in zones().prop_flat_map(|zone| (Just(zone), instants(zone))),
        length in 1..90 * 1_440_i64,
        pattern in patterns(),
    ) {
        let end = at(start + length * 60_000);
        let window = Repeated { zone, start: at(start), end, pattern, perpetual: true };
        let perpetual = Rule::repeated(window);
        let ending = Rule::repeated(Repeated { perpetual: false, ..window });
        let from = start - 3 * DAY;
        let until = end.millis() + 9 * DAY;
        let all = list(&perpetual, from, until);
        let expected: Vec<Interval> = all.into_iter().filter(|one| one.end() <= end).collect();
        let is_rare = matches!(pattern, Pattern::Monthly { .. } | Pattern::Yearly { .. });
        if is_rare && length <= 7 * 1_440 && expected.is_empty() {
            // Start and end are those of a window that lasts days, and repeats.
            prop_assert_eq!(ending.next(1, at(from)).len(), 1);
            return Ok(());
        }
        prop_assert_eq!(list(&ending, from, until), expected);
        prop_assert!(ending.next(1, end).is_empty());
    }

    #[test]
    fn no_instant_is_too_far(
        (rule, _) in rules(),
        start: i64, other: i64, end: i64,
        count: u32, every: u16,
        near_end in 0..400 * DAY,
        perpetual: bool,
    ) {
        let last = 253_402_300_799_000;
        let pattern = match rule.pattern {
            Pattern::Daily { .. } => Pattern::Daily { every },
            Pattern::Weekly { days, .. } => Pattern::Weekly { every, days },
            Pattern::Monthly { on, .. } => Pattern::Monthly { every, on },
            Pattern::Yearly { months, on, .. } => Pattern::Yearly { every, months, on },
        };
        for start in [start, last - near_end, last + near_end, start % last] {
            for end in [End::Never, End::Occurrences(count), End::Date(at(end))] {
                let described = Recurring { start_date: at(start), end, pattern, ..rule };
                ask(&Rule::recurring(described), [start, other, last - near_end, i64::MIN, i64::MAX]);
            }
            let zone = rule.zone;
            let start = at(start);
            let end = at(end);
            ask(&Rule::repeated(Repeated { zone, start, end, pattern, perpetual }), [other, last, 0]);
        }
    }
}

fn rule_start(rule: &Recurring) -> Timestamp {
    at(rule.start_date.millis() - 2 * DAY)
}

/// Every question; that there is an answer is all that is asked.
fn ask<const N: usize>(rule: &Rule, instants: [i64; N]) {
    for instant in instants.map(generate::at) {
        let next = rule.next(3, instant);
        assert!(next.windows(2).all(|pair| pair[0].end() <= pair[1].start()));
        assert!(rule.contains(instant).is_none_or(|interval| interval.contains(instant)));
        assert!(rule.previous(instant).is_none_or(|interval| interval.end() <= instant));
        assert!(rule.starts(instant).take(3).all(|start| start > instant));
        assert!(rule.occurrences(instant..at(i64::MAX)).take(3).all(|interval| interval.end() > instant));
    }
}

proptest! {
    #[test]
    fn stretches_are_the_union_of_occurrences((rule, from) in rules()) {
        let rule = Rule::recurring(Recurring { end_time: rule.start_time, ..rule });
        let (from, until) = (at(from), at(from + 20 * DAY));
        let cut = |all: Vec<Interval>| -> Vec<Interval> {
            let range = Interval::new(at(from.millis() - 300 * DAY), at(until.millis() + 300 * DAY)).unwrap();
            all.into_iter().filter_map(|one| one.intersection(range)).collect()
        };
        let wide = sets::union(list(&rule, from.millis() - 400 * DAY, until.millis() + 400 * DAY));
        let near = wide.into_iter().filter(|one| one.start() < until && from < one.end()).collect();
        prop_assert_eq!(cut(rule.stretches(from..until)), cut(near));
    }
}
