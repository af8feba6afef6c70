use proptest::prelude::*;

use super::*;

const BY_ID: Partitioned = Partitioned { table: "alerts", column: "id", prefix: "ALT-", goes_whole: false };
const BY_TIME: Partitioned = Partitioned { table: "audit_log", column: "at_ms", prefix: "", goes_whole: true };

/// From 1990 to 2200.
fn instant() -> impl Strategy<Value = i64> {
    631_152_000_000_i64..7_258_118_400_000
}

/// An id as `uuid::Uuid::now_v7` makes them at an instant, with any other digits behind.
fn id(at_ms: i64, rest: u128) -> String {
    let digits = format!("{at_ms:012x}{:020x}", rest % (1 << 80));
    format!("ALT-{}-{}-7{}-{}-{}", &digits[..8], &digits[8..12], &digits[13..16], &digits[16..20], &digits[20..])
}

proptest! {
    #[test]
    fn an_id_is_within_the_bounds_of_its_month_alone(at_ms in instant(), rest: u128) {
        let month = Month::of(at_ms);
        prop_assert!(month.first_ms() <= at_ms && at_ms < month.next().first_ms());
        let (from, to) = (BY_ID.bound(month.first_ms()), BY_ID.bound(month.next().first_ms()));
        let id = id(at_ms, rest);
        prop_assert!(from.as_str() <= id.as_str() && id.as_str() < to.as_str(), "{from} {id} {to}");
    }

    #[test]
    fn bounds_are_in_the_order_of_time(one in instant(), other in instant()) {
        for table in [BY_ID, BY_TIME] {
            prop_assert_eq!(table.is_ordered(&table.bound(one), &table.bound(other)), one <= other);
        }
    }

    #[test]
    fn months_follow_each_other(at_ms in instant()) {
        let month = Month::of(at_ms);
        let days = (month.next().first_ms() - month.first_ms()) / 86_400_000;
        prop_assert!((28..=31).contains(&days));
        prop_assert_eq!(Month::of(month.next().first_ms()), month.next());
        prop_assert_eq!(Month::of(month.next().first_ms() - 1), month);
    }
}

#[test]
fn bounds_are_read_as_postgres_writes_them() {
    let of = |bounds: &str| Partition::of("p".to_owned(), bounds).map(|partition| (partition.from, partition.to));
    let text = |value: &str| Some(value.to_owned());
    assert_eq!(of("DEFAULT"), None);
    assert_eq!(of("FOR VALUES FROM (MINVALUE) TO ('1798761600000')"), Some((None, text("1798761600000"))));
    assert_eq!(of("FOR VALUES FROM ('ALT-0''') TO (MAXVALUE)"), Some((text("ALT-0'"), None)));
}

#[test]
fn a_month_is_missing_where_no_partition_has_a_part_of_it() {
    let partition = |from: Option<i64>, to: Option<i64>| Partition {
        name: String::new(),
        from: from.map(|at| at.to_string()),
        to: to.map(|at| at.to_string()),
    };
    let overlaps = |from, to| partition(from, to).overlaps(&BY_TIME, "900", "1000");
    assert!(overlaps(None, None) && overlaps(Some(950), Some(1_000)) && overlaps(None, Some(1_000)));
    assert!(!overlaps(None, Some(900)) && !overlaps(Some(1_000), None) && !overlaps(Some(1_000), Some(1_100)));
    assert!(partition(None, Some(900)).is_over(&BY_TIME, 900) && !partition(None, Some(900)).is_over(&BY_TIME, 899));
    assert!(!partition(None, None).is_over(&BY_TIME, 900));
}
