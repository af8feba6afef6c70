//! Lenient reading of values ("Lenient in" of the wire rules in `docs/interface.md`), shared by queries and bodies.

use serde_json::Value;

/// The message for a value that is not a boolean.
pub(crate) const TRUE_OR_FALSE: &str = "must be true or false";
/// The message for a value that is not an integer.
pub(crate) const INTEGER: &str = "must be an integer";
/// The message for a value that is not a timestamp.
pub(crate) const TIMESTAMP: &str = "must be a time such as 2026-11-20T20:37:00+0000";
/// Up to here a JSON number with a fraction of zero is exactly one integer.
const EXACT_FLOAT: f64 = 9_007_199_254_740_992.0;

/// The message that lists the allowed values.
pub(crate) fn must_be_one_of(allowed: &[&str]) -> String {
    format!("must be one of: {}", allowed.join(", "))
}

/// The documented spelling of a value given in any letter case.
pub(crate) fn one_of(allowed: &[&'static str], text: &str) -> Option<&'static str> {
    allowed.iter().copied().find(|value| value.eq_ignore_ascii_case(text))
}

/// `true` or `false` in any letter case.
pub(crate) fn boolean(text: &str) -> Option<bool> {
    if text.eq_ignore_ascii_case("true") { Some(true) } else { text.eq_ignore_ascii_case("false").then_some(false) }
}

/// A JSON boolean, or one in a string.
pub(crate) fn json_boolean(value: &Value) -> Option<bool> {
    match value {
        Value::String(text) => boolean(text),
        _ => value.as_bool(),
    }
}

/// A JSON integer of 64 bits, or one in a string; `2.0` is 2, and `2.5` is none.
pub(crate) fn json_integer(value: &Value) -> Option<i64> {
    match value {
        Value::String(text) => text.parse().ok(),
        Value::Number(number) => number.as_i64().or_else(|| {
            let float = number.as_f64().filter(|float| float.fract() == 0.0)?;
            (float.abs() <= EXACT_FLOAT).then_some(float as i64)
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn integers_are_exact_or_refused() {
        for value in
            [json!(1e300), json!(u64::MAX), json!(2.5), json!("1.0"), json!(""), json!(" 2"), json!([2]), json!(true)]
        {
            assert_eq!(json_integer(&value), None, "{value}");
        }
        assert_eq!(json_integer(&json!(i64::MIN)), Some(i64::MIN));
        assert_eq!(json_integer(&json!(2.0)), Some(2));
    }

    #[test]
    fn booleans_are_words() {
        for text in ["", "yes", "1", "true ", "ｔrue"] {
            assert_eq!(boolean(text), None, "{text}");
        }
        assert_eq!(json_boolean(&json!(1)), None);
    }

    proptest! {
        #[test]
        fn both_forms_read_alike(number: i64, flag: bool, upper: bool) {
            let mut word = flag.to_string();
            if upper {
                word.make_ascii_uppercase();
            }
            prop_assert_eq!(json_integer(&json!(number)), Some(number));
            prop_assert_eq!(json_integer(&json!(number.to_string())), Some(number));
            prop_assert_eq!(json_boolean(&json!(flag)), Some(flag));
            prop_assert_eq!(json_boolean(&json!(word)), Some(flag));
        }
    }
}
