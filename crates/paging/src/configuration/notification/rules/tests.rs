use super::*;

fn plan(steps: &[(&str, i64)]) -> Plan {
    let steps = steps.iter().map(|(method, after_ms)| Step { method: (*method).to_owned(), after_ms: *after_ms });
    Plan { steps: steps.collect(), ..Plan::default() }
}

fn used(plan: &Plan, methods: &[&str], local: i64) -> Vec<(String, i64)> {
    let methods: Vec<String> = methods.iter().map(ToString::to_string).collect();
    let clock = |at: Timestamp, _: &str| Some((local + at.millis() / MINUTE_MS) % DAY_MINUTES);
    let found = plan.at(&methods, Timestamp::from_millis(0), clock);
    found.into_iter().map(|(method, at)| (method.to_owned(), at.millis() / 60_000)).collect()
}

fn told(all: &[(&str, i64)]) -> Vec<(String, i64)> {
    all.iter().map(|(method, at)| ((*method).to_owned(), *at)).collect()
}

#[test]
fn nobody_is_silenced_by_a_rule_that_names_what_is_gone() {
    assert_eq!(used(&plan(&[]), &["a", "b"], 0), told(&[("a", 0), ("b", 0)]));
    assert_eq!(used(&plan(&[("gone", 60_000)]), &["a"], 0), told(&[("a", 0)]));
    assert_eq!(used(&plan(&[("b", 60_000), ("gone", 0)]), &["a", "b"], 0), told(&[("b", 1)]));
    assert_eq!(used(&plan(&[("b", 120_000), ("b", 60_000)]), &["b"], 0), told(&[("b", 1)]));
    assert_eq!(used(&plan(&[("b", 0)]), &[], 0), told(&[]));
}

#[test]
fn quiet_hours_end_when_they_end() {
    let quiet = |from, to| Plan { quiet: Some(Quiet { from, to, zone: "GMT".to_owned() }), ..plan(&[]) };
    // 22:00 to 07:00
    let night = quiet(22 * 60, 7 * 60);
    for (local, after) in [(21 * 60 + 59, 0), (22 * 60, 540), (23 * 60 + 30, 450), (0, 420), (419, 1), (420, 0)] {
        assert_eq!(used(&night, &["a"], local), told(&[("a", after)]), "{local}");
    }
    let lunch = quiet(12 * 60, 13 * 60);
    for (local, after) in [(719, 0), (720, 60), (779, 1), (780, 0)] {
        assert_eq!(used(&lunch, &["a"], local), told(&[("a", after)]), "{local}");
    }
}

#[test]
fn quiet_hours_end_by_the_clocks_of_their_zone() {
    let quiet = |from: i64, to: i64| Quiet { from, to, zone: "Europe/Vienna".to_owned() };
    let end = |quiet: &Quiet, at: &str| {
        let at = Timestamp::parse(at).unwrap();
        quiet.end(at, |at| crate::times::minute_of_day(at, &quiet.zone)).unwrap().to_string()
    };
    let night = quiet(22 * 60, 7 * 60);
    // Set forward at 01:00Z, and set back.
    assert_eq!(end(&night, "2027-03-27T22:15:20Z"), "2027-03-28T05:00:00+0000");
    assert_eq!(end(&night, "2027-10-30T21:15:20Z"), "2027-10-31T06:00:00+0000");
    assert_eq!(end(&night, "2027-10-31T00:30:00Z"), "2027-10-31T06:00:00+0000");
    assert_eq!(end(&night, "2027-10-31T06:00:00Z"), "2027-10-31T06:00:00+0000");
    // They end at a time that does not exist, and at one that there is twice; they are shorter than the gap.
    assert_eq!(end(&quiet(105, 135), "2027-03-28T00:50:00Z"), "2027-03-28T01:00:00+0000");
    assert_eq!(end(&quiet(22 * 60, 150), "2027-03-28T00:10:00Z"), "2027-03-28T01:00:00+0000");
    assert_eq!(end(&quiet(22 * 60, 150), "2027-10-30T23:10:00Z"), "2027-10-31T00:30:00+0000");
}

#[test]
fn times_of_day_are_written_in_full() {
    assert_eq!((minute("00:00"), minute("23:59"), minute(" 07:30 ")), (Some(0), Some(1439), Some(450)));
    for wrong in ["", "7:30", "24:00", "12:60", "12", "12:00:00", "-1:00", "+1:00"] {
        assert_eq!(minute(wrong), None, "{wrong}");
    }
}
