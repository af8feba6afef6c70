use super::*;
use base::{Fields, body::Request as _, matching::Meter, problem::Kind};

const NOW: Timestamp = Timestamp::from_millis(1_795_176_000_000);

#[test]
fn only_what_is_over_is_forgotten() {
    let day = |days: i64| Timestamp::from_millis(NOW.millis() + days * 86_400_000);
    let end = Timestamp::from_millis(NOW.millis() + 3_600_000);
    let schedule = json!({"type": "Recurring", "startTime": NOW, "endTime": end, "timezone": "UTC",
            "pattern": {"type": "daily", "dayFrequency": "everyday"}, "endBy": "NEVER"});
    let body = json!({"name": "w", "schedule": schedule});
    let new = NewWindow::read_all(&mut Fields::of(&body), &Meter::new(Meter::REQUEST));
    let window = created(&new, "client_1", "SM-1".to_owned(), "u", NOW).unwrap();
    let before = Timestamp::from_millis(NOW.millis() - 60_000);

    let skip = |window: &Window, days, now| skipped(window, Some(day(days)), now);
    let full = (0..500).fold(window.clone(), |window, days| skip(&window, days, before).unwrap());
    for days in [500, 900] {
        assert_eq!(skip(&full, days, before).unwrap_err().kind, Kind::Conflict, "each of them is to come");
    }
    // The first one goes when it is over.
    let later = skip(&full, 500, end).unwrap();
    assert_eq!((later.holds.ends.len(), later.holds.ends[0].0), (500, day(1).millis()));
    assert!(skip(&later, 501, end).is_err());
    assert_eq!(unskipped(&full, None, before).unwrap().holds.ends.len(), 499);

    // The one under way is changed all the same, and makes room when it is over.
    let open = unskipped(&full, Some(day(0)), NOW).unwrap();
    let open = skip(&open, 500, NOW).unwrap();
    let soon = Timestamp::from_millis(NOW.millis() + 60_000);
    let longer = extended(&open, Extension::By(600_000), soon).unwrap();
    let shorter = cut_short(&longer, soon).unwrap();
    for changed in [&longer, &shorter, &skipped(&open, None, soon).unwrap()] {
        assert_eq!(changed.holds.ends.len(), 501);
        assert_eq!(skip(changed, 501, soon).unwrap_err().kind, Kind::Conflict);
        let next = skip(changed, 501, day(1)).unwrap();
        assert_eq!((next.holds.ends.len(), next.holds.ends[0].0), (501, day(1).millis()));
    }

    let hour = |at: Timestamp| Pause::Range(Interval::new(at, Timestamp::from_millis(at.millis() + 60_000)).unwrap());
    let full = (0..500).fold(window, |window, days| suspended(&window, hour(day(days)), before).unwrap());
    assert_eq!(suspended(&full, hour(day(500)), before).unwrap_err().kind, Kind::Conflict);
    assert_eq!(suspended(&full, Pause::Now, before).unwrap().holds.suspensions.len(), 1, "it takes in all of them");
    let later = suspended(&full, hour(day(500)), end).unwrap();
    assert_eq!((later.holds.suspensions.len(), later.holds.suspensions[0].0), (500, day(1).millis()));
}

#[test]
fn the_schedule_that_it_has_already_leaves_what_was_extended() {
    let start = NOW;
    let end = Timestamp::from_millis(NOW.millis() + 3_600_000);
    let schedule = json!({"type": "One-Time", "startTime": start, "endTime": end, "timezone": "UTC"});
    let body = json!({"name": "w", "schedule": schedule});
    let new = NewWindow::read_all(&mut Fields::of(&body), &Meter::new(Meter::REQUEST));
    let window = created(&new, "client_1", "SM-1".to_owned(), "u", NOW).unwrap();
    let extended = extended(&window, Extension::By(600_000), NOW).unwrap();
    assert_eq!(extended.closes_ms, end.millis() + 600_000);

    let change = |body| changed(&extended, WindowChange::parse(&body).unwrap(), NOW).unwrap();
    let same = change(json!({"name": "other", "schedule": schedule}));
    assert_eq!((&same.holds, same.closes_ms), (&extended.holds, extended.closes_ms));
    let later = json!({"type": "One-Time", "startTime": start, "endTime": end, "timezone": "Europe/Berlin"});
    assert_eq!(change(json!({"schedule": later})).holds.ends, []);
}
/// Whatever the list of occurrences says is a start is one, also of what is left after a suspension.
#[test]
fn what_is_left_of_a_suspended_occurrence_is_skipped() {
    let minutes = |minutes: i64| Timestamp::from_millis(NOW.millis() + minutes * 60_000);
    let schedule = json!({"type": "One-Time", "startTime": NOW, "endTime": minutes(60), "timezone": "UTC"});
    let body = json!({"name": "w", "schedule": schedule});
    let new = NewWindow::read_all(&mut Fields::of(&body), &Meter::new(Meter::REQUEST));
    let window = created(&new, "client_1", "SM-1".to_owned(), "u", NOW).unwrap();
    let open = |window: &Window| -> Vec<_> {
        window.course().unwrap().open(NOW..minutes(100)).map(|part| (part.start(), part.end())).collect()
    };

    let resumed = resumed(&suspended(&window, Pause::Now, minutes(10)).unwrap(), minutes(20)).unwrap();
    assert_eq!(open(&resumed), [(NOW, minutes(10)), (minutes(20), minutes(60))]);
    for start in [None, Some(NOW), Some(minutes(20))] {
        let skipped = skipped(&resumed, start, minutes(30)).unwrap();
        assert_eq!(open(&skipped), [(NOW, minutes(10)), (minutes(20), minutes(30))], "{start:?}");
    }
    // What is left is over, and no other instant is a start.
    for (start, now) in [(20, 70), (15, 30), (30, 30)] {
        assert!(skipped(&resumed, Some(minutes(start)), minutes(now)).is_err(), "{start}");
    }

    // Before it goes on, the part before stays; it is taken back by the same start, or that of the occurrence.
    let range = Pause::Range(Interval::new(minutes(10), minutes(20)).unwrap());
    let planned = suspended(&window, range, NOW).unwrap();
    let skip = skipped(&planned, Some(minutes(20)), minutes(5)).unwrap();
    assert_eq!(open(&skip), [(NOW, minutes(10))]);
    for start in [None, Some(NOW), Some(minutes(20))] {
        for now in [6, 15] {
            assert_eq!(open(&unskipped(&skip, start, minutes(now)).unwrap()), open(&planned), "{start:?}");
        }
        let late = unskipped(&skip, start, minutes(30)).unwrap();
        assert_eq!(open(&late), [(NOW, minutes(10)), (minutes(30), minutes(60))], "{start:?}");
    }
    assert!(unskipped(&skip, Some(minutes(15)), minutes(6)).is_err());
    let again = skipped(&skip, Some(minutes(20)), minutes(5)).unwrap_err();
    assert!(again.errors[0].message.contains("was skipped"), "{again:?}");
}
