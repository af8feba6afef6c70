use std::collections::BTreeMap;

use crate::changes::Snapshot;
use proptest::prelude::*;

use super::*;

fn batch(some: &[(u32, String)]) -> NameBatch {
    let mut all = NameBatch::default();
    some.iter().for_each(|(_, name)| all.push(name));
    all.set_ordinals(some.iter().map(|(number, _)| *number).collect());
    all
}

fn name() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(vec!["web", "w", "b-", "é", "0", "日本"]), 0..5)
        .prop_map(|parts| parts.concat())
}

fn snapshot() -> Snapshot {
    Snapshot::counted(0)
}

proptest! {
    #[test]
    fn names_are_found_as_by_looking_at_each(
        steps in prop::collection::vec(prop::collection::vec((0_u32..400, name()), 0..80), 1..5),
        texts in prop::collection::vec(name(), 1..4),
        exact in any::<bool>(),
    ) {
        let mut known = BTreeMap::new();
        let mut names = Names::new(snapshot(), NameBatch::default());
        for some in &steps {
            names.put(batch(some));
            known.extend(some.iter().cloned());
        }
        let matches = |name: &String, text: &String| if exact { name == text } else { name.contains(text) };
        let matches = |name: &String| !name.is_empty() && texts.iter().any(|text| matches(name, text));
        let expected: Vec<u32> =
            known.iter().filter(|(_, name)| matches(name)).map(|(ordinal, _)| *ordinal).collect();
        prop_assert_eq!(names.search(&texts, exact).unwrap().into_iter().collect::<Vec<_>>(), expected);
        let whole: Vec<(u32, String)> = known.into_iter().collect();
        prop_assert_eq!(names.bytes(), Names::new(snapshot(), batch(&whole)).bytes());
    }
}

#[test]
fn most_blocks_are_not_looked_at_for_what_is_rare() {
    let all: Vec<(u32, String)> = (0..20_000).map(|number| (number, format!("web-{number:06}.example"))).collect();
    let names = Names::new(snapshot(), batch(&all));
    let looked = |text: &str| names.blocks.iter().filter(|block| block.may_contain(&Pattern::new(text, false))).count();
    assert!(looked("012345") < names.blocks.len() / 10, "{} of {}", looked("012345"), names.blocks.len());
    assert_eq!(looked("0"), names.blocks.len());
    assert_eq!(names.search(&["012345".to_owned()], false).unwrap().len(), 1);
}

#[test]
fn what_takes_too_long_is_given_up() {
    let all: Vec<(u32, String)> = (0..50_000).map(|number| (number, format!("web-{number:06}.example"))).collect();
    let names = Names::new(snapshot(), batch(&all));
    let texts = |count: usize| vec!["web".to_owned(); count];
    assert_eq!(names.search(&texts(10), false).unwrap().len(), 50_000);
    assert!(names.search(&texts(500), false).is_none());
    // What is rare costs little, however much of it there is.
    let rare: Vec<String> = (0..500).map(|number| format!("zebra-{number}")).collect();
    assert!(names.search(&rare, false).unwrap().is_empty());
}
