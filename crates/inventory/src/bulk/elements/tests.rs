use proptest::prelude::*;
use serde_json::Value;

use super::*;

fn elements(pieces: &[&[u8]]) -> Result<Vec<(u64, String)>, Stop> {
    let mut elements = Elements::default();
    let mut found = Vec::new();
    let mut each = |number, text: &[u8]| found.push((number, String::from_utf8_lossy(text).into_owned()));
    for piece in pieces {
        elements.push(piece, &mut each)?;
    }
    elements.end(&mut each)?;
    Ok(found)
}

#[test]
fn a_malformed_array_is_refused_at_the_element() {
    for (text, line) in
        [("", 1), ("{}", 1), ("[1", 1), ("[1,", 2), ("[,1]", 1), ("[1,,2]", 2), ("[1,2,]", 3), ("[1] x", 1), ("[\"", 1)]
    {
        assert_eq!(elements(&[text.as_bytes()]).unwrap_err().line, Some(line), "{text}");
    }
    assert_eq!(elements(&[b" [ ] \n"]).unwrap(), []);
    // Two values without a comma are one element that is not JSON; its row gets the error.
    assert_eq!(elements(&[b"[{} {}]"]).unwrap(), [(1, "{} {}".to_owned())]);
    assert_eq!(elements(&[b"[\"a\nb\"]"]).unwrap(), [(1, "\"a\\nb\"".to_owned())]);
    // One bracket too many of an element is its own fault.
    assert_eq!(elements(&[b"[{}}, 1]"]).unwrap().len(), 2);
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<i32>().prop_map(Value::from),
        "[ -~\\\\\"\\[\\]{},\n]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map("[a-c\"]{0,3}", inner, 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn elements_are_those_of_a_parser(
        values in proptest::collection::vec(value(), 0..6), pretty: bool, size in 1_usize..40,
    ) {
        let write = if pretty { serde_json::to_string_pretty } else { serde_json::to_string };
        let text = write(&values).unwrap();
        let pieces: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
        let found = elements(&pieces).unwrap();
        let numbers: Vec<u64> = found.iter().map(|(number, _)| *number).collect();
        prop_assert_eq!(numbers, (1..=values.len() as u64).collect::<Vec<_>>());
        let found: Vec<Value> = found.iter().map(|(_, text)| serde_json::from_str(text).unwrap()).collect();
        prop_assert_eq!(found, values);
    }
}
