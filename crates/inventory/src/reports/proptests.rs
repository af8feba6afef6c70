//! Property tests: no input makes the reader of reports panic.

use proptest::prelude::*;

use super::dates::parse_date;
use super::tests::{JSON, XML};
use super::*;

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = parse(&bytes);
    }

    #[test]
    fn mutated_reports_never_panic(json in any::<bool>(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4_u8), 1..12)) {
        let mut bytes = if json { JSON } else { XML }.as_bytes().to_vec();
        for (at, byte, how) in changes {
            if bytes.is_empty() {
                break;
            }
            let at = at.index(bytes.len());
            match how {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                2 => { bytes.remove(at); }
                _ => bytes.truncate(at),
            }
        }
        read_report(&bytes);
    }

    #[test]
    fn values_of_any_kind_never_panic(value in ".{0,60}", number in any::<i64>(), float in any::<f64>()) {
        let values = [serde_json::json!(value), serde_json::json!(number), serde_json::json!(float)];
        for value in values {
            let mut report: serde_json::Value = serde_json::from_str(JSON).unwrap();
            fill(&mut report["content"], &value);
            read_report(report.to_string().as_bytes());
        }
        let _ = parse_date(&value);
        let _ = (identity::normal_mac(&value), identity::normal_uuid(&value), identity::normal_make(&value));
    }
}

/// Puts one value in place of every leaf.
fn fill(target: &mut serde_json::Value, value: &serde_json::Value) {
    match target {
        serde_json::Value::Array(items) => items.iter_mut().for_each(|item| fill(item, value)),
        serde_json::Value::Object(map) => map.values_mut().for_each(|item| fill(item, value)),
        leaf => *leaf = value.clone(),
    }
}

fn read_report(bytes: &[u8]) {
    if let Ok(Message::Inventory(reports)) = parse(bytes) {
        for report in reports {
            let _ = (
                report.identity(),
                kind::of(&report),
                roles::of(&report),
                report.component_list(&["CPU: a", "b"]).len(),
            );
        }
    }
}
