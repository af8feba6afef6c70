use proptest::{collection::vec, prelude::*};

use super::*;

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

fn stretch(start: i64, end: i64) -> Interval {
    Interval::new(at(start), at(end)).unwrap()
}

fn stretches(pairs: &[(i64, i64)]) -> Vec<Interval> {
    pairs.iter().map(|&(start, end)| stretch(start, end)).collect()
}

#[test]
fn an_interval_is_half_open_and_never_empty() {
    assert_eq!(Interval::new(at(1), at(1)), None);
    assert_eq!(Interval::new(at(2), at(1)), None);
    let interval = stretch(1, 3);
    assert!(interval.contains(at(1)) && interval.contains(at(2)));
    assert!(!interval.contains(at(0)) && !interval.contains(at(3)));
    assert_eq!(interval.intersection(stretch(2, 9)), Some(stretch(2, 3)));
    assert_eq!(interval.intersection(stretch(3, 9)), None);
    assert_eq!(interval.millis(), 2);
    assert_eq!(stretch(i64::MIN, i64::MAX).millis(), u64::MAX);
    let json = serde_json::to_string(&stretch(0, 1_000)).unwrap();
    assert_eq!(json, r#"{"start":"1970-01-01T00:00:00+0000","end":"1970-01-01T00:00:01+0000"}"#);
}

#[test]
fn what_touches_is_one() {
    assert_eq!(union(stretches(&[(5, 6), (1, 3), (3, 4), (2, 3)])), stretches(&[(1, 4), (5, 6)]));
}

#[test]
fn gaps_lie_within_the_range() {
    let covered = stretches(&[(-5, 1), (2, 3), (3, 4), (8, 20)]);
    assert_eq!(gaps(stretch(0, 10), covered), stretches(&[(1, 2), (4, 8)]));
    assert_eq!(gaps(stretch(0, 10), []), stretches(&[(0, 10)]));
    assert_eq!(gaps(stretch(0, 10), stretches(&[(-1, 11)])), []);
}

#[test]
fn overlaps_name_who_overlaps() {
    let overlap = |start, end, members: &[usize]| Overlap { interval: stretch(start, end), members: members.to_vec() };
    let set = stretches(&[(4, 9), (0, 6), (5, 7), (6, 8), (20, 21), (21, 22)]);
    let found = overlaps(&set, 10).unwrap();
    let expected =
        [overlap(4, 5, &[0, 1]), overlap(5, 6, &[0, 1, 2]), overlap(6, 7, &[0, 2, 3]), overlap(7, 8, &[0, 3])];
    assert_eq!(found, expected);
    assert_eq!(overlaps(&set, 9), None, "ten members are too many");
}

const SPAN: i64 = 24;

fn some() -> impl Strategy<Value = Vec<Interval>> {
    let one = (0..SPAN, 1..8_i64).prop_map(|(start, length)| stretch(start, (start + length).min(SPAN)));
    vec(one, 0..8)
}

fn covers(set: &[Interval], instant: i64) -> bool {
    set.iter().any(|interval| interval.contains(at(instant)))
}

fn is_tidy(set: &[Interval]) -> bool {
    set.windows(2).all(|pair| pair[0].end() < pair[1].start())
}

proptest! {
    #[test]
    fn every_operation_is_what_it_is_at_each_instant(one in some(), other in some()) {
        let both: Vec<Interval> = one.iter().chain(&other).copied().collect();
        let results = [
            union(both.iter().copied()),
            intersection(one.iter().copied(), other.iter().copied()),
            subtract(one.iter().copied(), other.iter().copied()),
            gaps(stretch(0, SPAN), one.iter().copied()),
        ];
        for instant in 0..SPAN {
            let a = covers(&one, instant);
            let b = covers(&other, instant);
            let expected = [a || b, a && b, a && !b, !a];
            let found = results.each_ref().map(|set| covers(set, instant));
            prop_assert_eq!(found, expected, "at {}", instant);
        }
        prop_assert!(results.iter().all(|set| is_tidy(set)));
        let covered = (0..SPAN).filter(|&instant| covers(&one, instant)).count();
        prop_assert_eq!(covered_millis(one), covered as u64);
    }

    #[test]
    fn overlaps_are_what_they_are_at_each_instant(set in some()) {
        let found = overlaps(&set, usize::MAX).unwrap();
        for instant in 0..SPAN {
            let members: Vec<usize> = (0..set.len()).filter(|&index| set[index].contains(at(instant))).collect();
            let holds = |overlap: &&Overlap| overlap.interval.contains(at(instant));
            let here: Vec<&Overlap> = found.iter().filter(holds).collect();
            if members.len() < 2 {
                prop_assert!(here.is_empty());
            } else {
                prop_assert_eq!(here.len(), 1);
                prop_assert_eq!(&here[0].members, &members);
            }
        }
        for pair in found.windows(2) {
            prop_assert!(pair[0].interval.end() <= pair[1].interval.start());
            prop_assert!(pair[0].interval.end() < pair[1].interval.start() || pair[0].members != pair[1].members);
        }
    }
}
