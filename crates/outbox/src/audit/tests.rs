use serde_json::json;

use super::*;

#[test]
fn only_what_differs_is_logged_by_its_path() {
    let before = json!({"name": "a", "place": {"city": "Graz", "floor": 1}, "tags": [1]});
    let after = json!({"name": "a", "place": {"city": "Linz", "floor": 1}, "note": "x"});
    let changes = json!(difference(Some(&before), Some(&after), &[]));
    let expected = json!({
        "note": {"after": "x"}, "place.city": {"before": "Graz", "after": "Linz"}, "tags": {"before": [1]}
    });
    assert_eq!(changes, expected);
}

#[test]
fn names_with_dots_and_parts_without_fields_are_told_apart() {
    let before = json!({"meta": {"a.b": 1, "k": 2, "e": {}, r"c:\": 3}, "tags": {}});
    let after = json!({"meta": {"a.b": 5, "a": {"b": 6}, "k": 2}, "tags": {}});
    let changes = json!(difference(Some(&before), Some(&after), &[]));
    let expected = json!({
        r"meta.a\.b": {"before": 1, "after": 5}, "meta.a.b": {"after": 6}, "meta.e": {"before": {}},
        r"meta.c:\\": {"before": 3}
    });
    assert_eq!(changes, expected);
    for name in ["", "k", "a.b", r"c:\", r"\.", r".\", "..", r"\\"] {
        assert_eq!(steps(&format!("meta.{}.x", step(name))), ["meta", name, "x"], "{name}");
    }
    // Of a row that is older.
    assert_eq!(steps(r"tags.c:\temp"), ["tags", r"c:\temp"]);
}

#[test]
fn a_row_is_known_by_a_uuid_of_its_time_and_in_its_order() {
    let at = Timestamp::from_millis(1_795_433_736_901);
    let known = |delay: u64, high: u64, low: u64| {
        let made =
            Uuid::from_u64_pair((at.millis().unsigned_abs() + delay) << 16 | 0x7000 | high, 1 << 63 | low << 32 | 7);
        let number = number(at, made);
        assert!(number >= 0);
        let shown = uuid(at.millis(), number);
        assert_eq!((shown.get_version_num(), shown.get_variant()), (7, uuid::Variant::RFC4122));
        assert_eq!(shown.as_u128() >> 32, made.as_u128() >> 32, "all that is not by chance");
        number
    };
    let last = (1 << BEHIND) - 1;
    let numbers = [known(0, 0, 0), known(0, 0, last), known(0, 1, 0), known(0, 0xfff, last), known(1, 0, 0)];
    assert!(numbers.is_sorted_by(|one, other| one < other), "{numbers:?}");
    // A clock that was set back, and a write of hours.
    for other in [at.millis() - 1, at.millis() + 86_400_000] {
        let number = number(at, Uuid::from_u64_pair(other.unsigned_abs() << 16 | 0x7001, 1 << 63));
        assert!(number >= 0 && uuid(at.millis(), number).get_version_num() == 7);
    }
    // Those of one write are made within half an hour of its time.
    let begun = Uuid::now_v7().as_u64_pair().0 >> 16;
    let at = Timestamp::from_millis(begun.cast_signed());
    let made: Vec<i64> = (0..1_000).map(|_| super::number(at, Uuid::now_v7())).collect();
    assert!(made.is_sorted_by(|one, other| one < other));
}

#[test]
fn a_long_value_is_measured_and_not_kept() {
    let logged = |value: Value| json!(difference(None, Some(&json!({"x": value})), &[]))["x"]["after"].clone();
    assert_eq!(logged(json!("x".repeat(2001))), "(2001 characters)");
    assert_eq!(logged(json!("ä".repeat(2001))), "(2001 characters)");
    // Characters count, neither bytes nor what JSON makes of them.
    for kept in [json!("ä".repeat(2000)), json!("\"".repeat(2000)), json!(["é".repeat(1996)]), json!(null)] {
        assert_eq!(logged(kept.clone()), kept);
    }
    assert_eq!(logged(json!(["é".repeat(1997)])), "(2001 characters)");
}
