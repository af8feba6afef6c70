use super::*;
use crate::overrides::wire::Reference;

const NOW: Timestamp = Timestamp::from_millis(1_795_132_800_000);
const HOUR: i64 = 3_600_000;

fn at(hour: i64) -> Timestamp {
    Timestamp::from_millis(NOW.millis() + hour * HOUR)
}

fn reference(id: &str) -> Reference {
    Reference { id: id.to_owned(), name: id.to_lowercase() }
}

fn conflict(kind: Kind, shift: &str, from: i64, to: i64) -> Conflict {
    Conflict {
        kind,
        from: at(from),
        to: at(to),
        roster: reference("ES"),
        shift: Some(reference(shift)),
        user: None,
        others: Vec::new(),
        time_off_id: None,
    }
}

fn told(conflict: &Conflict) -> ToldConflict {
    ToldConflict {
        tenant_id: "client_1".to_owned(),
        id: format!("RCF-{}", conflict.from),
        subject: subject(conflict),
        roster_id: conflict.roster.id.clone(),
        from_ms: conflict.from.millis(),
        to_ms: conflict.to.millis(),
        people_told: true,
        told_ms: NOW.millis(),
    }
}

#[test]
fn what_goes_on_is_the_same_and_what_comes_again_is_new() {
    let night = conflict(Kind::Gap, "A", -2, 6);
    let next = conflict(Kind::Gap, "A", 22, 30);
    let rows = [told(&night), told(&next)];
    let later = conflict(Kind::Gap, "B", 0, 6);
    let same = compare(&[later.clone(), next.clone()], &rows, NOW);
    assert_eq!(same, Comparison { known: vec![(0, 0), (1, 1)], ..Comparison::default() });
    let mended = compare(&[later], &rows, NOW);
    assert_eq!((mended.over.as_slice(), mended.new.len()), ([1].as_slice(), 0));
    let again = compare(&[next], &rows[..1], NOW);
    assert_eq!((again.new, again.over), (vec![0], vec![0]));
}

#[test]
fn what_has_no_end_is_noted_once_a_day() {
    let row = told(&conflict(Kind::Gap, "A", 0, 168));
    let later = |hours: i64| {
        let found = conflict(Kind::Gap, "A", hours, hours + 168);
        compare(&[found], std::slice::from_ref(&row), at(hours)).longer
    };
    assert_eq!(later(23), []);
    assert_eq!(later(25), [(0, at(193).millis())]);
}

#[test]
fn two_shifts_at_once_are_the_same_in_either_order() {
    let of = |one: &str, other: &str| {
        let others = vec![ConflictShift { roster: reference("ES"), shift: Some(reference(other)) }];
        subject(&Conflict { others, ..conflict(Kind::DoubleBooking, one, 0, 1) })
    };
    assert_eq!(of("A", "B"), of("B", "A"));
    assert_ne!(of("A", "B"), of("A", "C"));
    assert_ne!(subject(&conflict(Kind::TimeOff, "A", 0, 1)), subject(&conflict(Kind::TimeOff, "B", 0, 1)));
}

#[test]
fn as_many_are_told_as_are_told_at_once() {
    let many: Vec<Conflict> = (0..300).map(|hour| conflict(Kind::Gap, "A", hour * 2, hour * 2 + 1)).collect();
    let all = compare(&many, &[], NOW);
    assert_eq!((all.new.len(), all.has_more), (MOST_AT_ONCE, true));
}

#[test]
fn a_message_has_a_line_for_each_up_to_some() {
    let many: Vec<Conflict> = (0..12).map(|hour| conflict(Kind::Gap, "A", hour * 2, hour * 2 + 1)).collect();
    let (subject, text) = message(&many.iter().collect::<Vec<_>>());
    assert!(subject.starts_with("es: 12 conflicts from "), "{subject}");
    assert_eq!((text.lines().count(), text.lines().last()), (11, Some("and 2 more")));
    let (subject, text) = message(&[&many[0]]);
    assert!(subject.starts_with("es: nobody on call from "), "{subject}");
    assert!(text.ends_with(", nobody on call: a"), "{text}");
}
