use super::*;

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

#[test]
fn an_endpoint_has_its_share_and_no_more() {
    let mut lanes = Lanes::new(2, 1_000);
    let (one, other): (Lane, Lane) = (("t".into(), "a".into()), ("t".into(), "b".into()));
    assert_eq!(lanes.room(&one, at(0)), Ok(2));
    lanes.add(&one, None, vec![1, 2], true);
    assert_eq!(lanes.start(&one), [1, 2]);
    assert_eq!((lanes.room(&one, at(0)), lanes.room(&other, at(0))), (Ok(0), Ok(2)));
    assert!(!lanes.is_hungry());
    let ended = lanes.end(&one, None, true, at(0));
    assert!(ended.given_back.is_empty() && ended.is_hungry);
    assert_eq!(lanes.room(&one, at(0)), Ok(WINDOW - 1), "it answers");
    assert!(lanes.is_hungry());
    assert_eq!(lanes.in_hand(), 1);
}

#[test]
fn an_endpoint_that_failed_once_is_forgotten() {
    let mut lanes = Lanes::new(2, 1_000);
    let fail = |lanes: &mut Lanes<i32>, number: usize, now: i64| {
        let lane = ("t".to_owned(), number.to_string());
        lanes.add(&lane, None, vec![1], false);
        lanes.start(&lane);
        lanes.end(&lane, None, false, at(now));
    };
    (0..REMEMBERED - 1).for_each(|number| fail(&mut lanes, number, 0));
    fail(&mut lanes, REMEMBERED, REMEMBERED_MS);
    assert_eq!(lanes.all.len(), 1);
}

#[test]
fn long_queues_leave_something_to_the_others() {
    assert_eq!(share(&[512, 100, 16, 0, 3], 16, 300), [265, 16, 16, 0, 3]);
    assert_eq!(share(&[512, 100, 16], 16, 40), [16, 16, 8]);
    assert_eq!(share(&[5, 5], 16, 100), [5, 5]);
    assert_eq!(share(&[], 16, 0), [0; 0]);
}

#[test]
fn a_long_queue_is_read_on_for_a_while() {
    let mut lanes = Lanes::new(1, 1_000);
    let (lane, place): (Lane, QueuePosition) = (("t".into(), "a".into()), (5, "x".into()));
    assert_eq!(lanes.reached(&lane, at(10)), None);
    lanes.add(&lane, None, vec![1, 2], true);
    lanes.reach(&lane, Some(place.clone()), true, at(10));
    lanes.reach(&lane, Some(place.clone()), false, at(200));
    assert_eq!(lanes.reached(&lane, at(10 + FROM_BEGINNING_MS - 1)), Some(place));
    assert_eq!(lanes.reached(&lane, at(10 + FROM_BEGINNING_MS)), None, "from the beginning now and then");
    assert_eq!(lanes.reached(&lane, at(9)), None, "the clock was moved back");
    lanes.give_up(&lane);
    assert_eq!(lanes.reached(&lane, at(11)), None, "what is given back stands before");
}

#[test]
fn a_broken_endpoint_is_left_alone_for_longer_and_longer() {
    let mut lanes = Lanes::new(16, 1_000);
    let lane: Lane = ("t".into(), "a".into());
    for failure in 1..=BREAKS_AFTER {
        lanes.add(&lane, None, vec![failure, 100 + failure], false);
        let started = lanes.start(&lane);
        let given_back = lanes.end(&lane, None, false, at(0)).given_back;
        assert_eq!(!given_back.is_empty() || lanes.room(&lane, at(0)).is_err(), failure == BREAKS_AFTER);
        (1..started.len()).for_each(|_| lanes.skip(&lane));
    }
    assert_eq!(lanes.room(&lane, at(999)), Err(1_000));
    assert_eq!(lanes.room(&lane, at(1_000)), Ok(1), "one call tries");
    assert_eq!(lanes.room(&lane, at(1_000 - LONGEST_PAUSE_MS - 1)), Ok(1), "the clock was moved back");
    lanes.add(&lane, None, vec![1], false);
    assert_eq!(lanes.start(&lane), [1]);
    lanes.end(&lane, None, false, at(1_000));
    assert_eq!(lanes.room(&lane, at(1_000)), Err(3_000));
    lanes.add(&lane, None, vec![2], false);
    lanes.start(&lane);
    lanes.end(&lane, None, true, at(3_000));
    assert_eq!(lanes.room(&lane, at(3_000)), Ok(16));
}

#[test]
fn a_change_of_the_endpoint_gives_back_what_waits_and_ends_the_pause() {
    let mut lanes = Lanes::new(1, 1_000);
    let lane: Lane = ("t".into(), "a".into());
    let version = |event| Some(EndpointVersion { event: (event, 0, None), integration: (1, 0, None) });
    assert!(lanes.add(&lane, version(1), vec![1, 2, 3], true).is_empty());
    lanes.reach(&lane, Some((5, "x".into())), true, at(0));
    assert_eq!(lanes.start(&lane), [1]);
    assert_eq!(lanes.waiting(at(0)), std::slice::from_ref(&lane));
    assert_eq!(lanes.renew(&lane, version(1)), None, "it is as it was");
    assert_eq!(lanes.renew(&lane, version(2)), Some(vec![2, 3]));
    assert_eq!((lanes.reached(&lane, at(0)), lanes.in_hand()), (None, 1));
    lanes.add(&lane, version(2), vec![4], true);
    assert_eq!(lanes.end(&lane, version(1), true, at(0)).next, [4]);
    assert_eq!(lanes.room(&lane, at(0)), Ok(0), "that the former one answers means nothing");
    (0..BREAKS_AFTER).for_each(|_| drop(lanes.end(&lane, version(1), false, at(0))));
    assert!(lanes.room(&lane, at(0)).is_ok(), "nor that it fails");
    (0..BREAKS_AFTER).for_each(|_| drop(lanes.end(&lane, version(2), false, at(0))));
    assert_eq!(lanes.room(&lane, at(0)), Err(1_000));
    assert_eq!(lanes.waiting(at(0)), std::slice::from_ref(&lane));
    assert_eq!(lanes.renew(&lane, None), Some(vec![]), "it is switched off");
    assert_eq!(lanes.room(&lane, at(0)), Ok(1));
    lanes.add(&lane, version(3), vec![5, 6], false);
    assert_eq!(lanes.start(&lane), [5]);
    assert_eq!(lanes.add(&lane, version(4), vec![7], false), [6], "a look finds it, too");
}
