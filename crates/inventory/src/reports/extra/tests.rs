use serde_json::json;

use super::*;
use crate::reports::json;

#[test]
fn secrets_and_modelled_sections_stay_out() {
    let node = json::read(
        r#"{"drives": [{"TYPE": "/", "label": " "}], "firewall": {"status": "on"},
                "envs": [{"key": "TOKEN", "val": "s"}], "processes": [{"cmd": "x --password s"}],
                "softwares": [{"name": "a"}], "ports": [{"type": "Other"}], "rudder": null, "bios": {}, "etime": "3",
                "usb": []}"#,
    )
    .unwrap();
    let (map, dropped) = read(&Sections::of(&node), false);
    assert_eq!(
        Value::Object(map),
        json!({
            "drives": [{"type": "/"}], "firewall": [{"status": "on"}], "ports": [{"type": "Other"}], "usb": []
        })
    );
    assert!(dropped.is_empty());
    assert!(!read(&Sections::of(&node), true).0.contains_key("ports"));
}

#[test]
fn the_largest_sections_go_first() {
    let text = |length: usize| json!([{ "text": "x".repeat(1_000).repeat(length) }]);
    let many: Vec<_> = (0..300).map(|_| text(1)[0].clone()).collect();
    let more: Vec<_> = many.iter().chain(&many).cloned().collect();
    let report = json!({"a": text(1), "large": many, "b": text(2), "larger": more}).to_string();
    let node = json::read(&report).unwrap();
    let (map, dropped) = read(&Sections::of(&node), false);
    assert_eq!(map.keys().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(dropped, ["larger", "large"]);
}

#[test]
fn what_is_new_goes_in_as_far_as_there_is_room() {
    let text = |kib: usize| json!([{ "text": "x".repeat(kib << 10) }]);
    let sections = |list: &[(&str, usize)]| -> Map<String, Value> {
        list.iter().map(|(name, kib)| ((*name).to_owned(), text(*kib))).collect()
    };
    let partial = Report { partial: true, ..Report::default() };
    let stored = sections(&[("a", 100), ("b", 100)]);
    let merge = |told: &[(&str, usize)], report: &Report| merge(stored.clone(), sections(told), report);

    // A stored section stays where the new one does not fit, and the small ones go first.
    let (kept, left_out) = merge(&[("a", 200), ("c", 70), ("d", 40)], &partial);
    assert_eq!((kept, left_out), (sections(&[("a", 100), ("b", 100), ("d", 40)]), vec!["c".into(), "a".into()]));
    // One that becomes smaller makes room for another.
    let (kept, left_out) = merge(&[("a", 150), ("b", 90)], &partial);
    assert_eq!((kept, left_out), (sections(&[("a", 150), ("b", 90)]), vec![]));
    // A full report replaces all but what it could not tell.
    let (kept, left_out) = merge(&[("c", 150)], &Report { extra_dropped: vec!["a".into()], ..Report::default() });
    assert_eq!((kept, left_out), (sections(&[("a", 100), ("c", 150)]), vec!["a".into()]));
    // What had been stored without a bound may become smaller.
    let large = sections(&[("a", 300), ("b", 300)]);
    let (kept, left_out) = super::merge(large, sections(&[("a", 290)]), &partial);
    assert_eq!((kept, left_out), (sections(&[("a", 290), ("b", 300)]), vec![]));
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(20))]

    #[test]
    fn partial_reports_never_exceed_the_bound(reports in proptest::collection::vec(
        proptest::collection::vec((0_u8..6, 0_usize..200), 0..4), 1..12,
    )) {
        let mut stored = Map::new();
        for report in reports {
            let text = |kib: usize| if kib == 0 { json!([]) } else { json!([{ "text": "\"".repeat(kib << 9) }]) };
            let told: Map<_, _> = report.iter().map(|(name, kib)| (format!("s{name}"), text(*kib))).collect();
            let before = stored.clone();
            let (sections, left_out) =
                merge(stored, told.clone(), &Report { partial: true, ..Report::default() });
            for (name, section) in &told {
                let expected = if left_out.contains(name) { before.get(name) } else { Some(section) };
                let expected = expected.filter(|section| **section != json!([]));
                proptest::prop_assert_eq!(sections.get(name), expected);
            }
            let length = Value::Object(sections.clone()).to_string().len();
            proptest::prop_assert!(length <= MAX_EXTRA_BYTES + 2, "{}", length);
            stored = sections;
        }
    }
}
