use super::*;

fn pinged(id: &str) -> HeartbeatAddress {
    HeartbeatAddress { tenant_id: "client_1".into(), id: id.into(), interval_ms: 60_000, missed: false }
}

#[test]
fn pings_are_kept_for_a_tenth_of_the_interval() {
    let pings = Pings::default();
    pings.record(&pinged("a"), 100_000);
    assert_eq!(pings.take(100_000, &HashSet::new(), false).len(), 1, "the first is stored at once");
    pings.record(&pinged("a"), 103_000);
    assert!(pings.take(103_000, &HashSet::new(), false).is_empty());
    pings.record(&pinged("a"), 106_000);
    assert_eq!(pings.take(106_000, &HashSet::new(), false)[0].at_ms, 106_000);
    assert!(pings.take(106_000, &HashSet::new(), true).is_empty(), "nothing new was heard");
}

#[test]
fn silence_that_is_reported_ends_at_once() {
    let pings = Pings::default();
    pings.record(&pinged("a"), 100_000);
    pings.take(100_000, &HashSet::new(), false);
    pings.record(&pinged("a"), 101_000);
    let silent = HashSet::from([("client_1".to_owned(), "a".to_owned())]);
    assert_eq!(pings.take(101_000, &silent, false).len(), 1);
}

#[test]
fn silence_that_another_gateway_noticed_ends_at_once() {
    let pings = Pings::default();
    pings.record(&pinged("a"), 100_000);
    pings.take(100_000, &HashSet::new(), false);
    pings.record(&HeartbeatAddress { missed: true, ..pinged("a") }, 101_000);
    assert_eq!(pings.take(101_000, &HashSet::new(), false)[0].at_ms, 101_000);
}

#[test]
fn what_was_not_stored_is_taken_again() {
    let pings = Pings::default();
    pings.record(&pinged("a"), 100_000);
    let taken = pings.take(100_000, &HashSet::new(), false);
    pings.give_back(&taken);
    assert_eq!(pings.take(100_000, &HashSet::new(), false), taken);
    pings.record(&pinged("a"), 99_000);
    assert!(pings.take(100_000, &HashSet::new(), true).is_empty(), "an earlier ping changes nothing");
    assert!(pings.take(800_000, &HashSet::new(), true).is_empty() && pings.lock().is_empty());
}

#[test]
fn pings_count_after_the_clock_went_back() {
    let pings = Pings::default();
    let none = HashSet::new();
    pings.record(&pinged("a"), 3_600_000);
    assert_eq!(pings.take(100_000, &none, false)[0].at_ms, 100_000, "it was not heard in the future");
    pings.record(&pinged("a"), 101_000);
    assert_eq!(pings.take(101_000, &none, false)[0].at_ms, 101_000);
}
