use proptest::prelude::*;
use serde_json::json;

use super::*;

fn repaired(bytes: &[u8]) -> Value {
    parse_nearly_json(bytes).unwrap_or_else(|problem| panic!("{:?}: {problem:?}", String::from_utf8_lossy(bytes))).0
}

#[test]
fn long_integers_differ_in_their_last_digit() {
    for (text, value) in [
        ("{\"id\":18446744073709551616}", "18446744073709551616"),
        ("{\"id\":-18446744073709551617, \"b\": 1}", "-18446744073709551617"),
        ("{\"id\": \"a \\\" 18446744073709551616\"}", "a \" 18446744073709551616"),
        ("{\"a\":\"\\\\\",\"id\":18446744073709551618}", "18446744073709551618"),
    ] {
        let (read, repairs) = parse_nearly_json(text.as_bytes()).unwrap();
        assert_eq!((read["id"].as_str(), repairs.len()), (Some(value), 0), "{text}");
    }
    let (read, _) = parse_nearly_json(b"[12345678901234567890.5, 1, 18446744073709551616e2]").unwrap();
    assert!(read.as_array().unwrap().iter().all(Value::is_number), "{read}");
}

#[test]
fn what_has_one_reading_is_read() {
    for (bytes, value, repair) in [
        (&b"{\"a\":\"one\ntwo\tthree\x01\"}"[..], json!({"a": "one\ntwo\tthree"}), CONTROLS),
        (b"{\"a\":\"l\xe4uft \x80\"}", json!({"a": "läuft €"}), NOT_UTF_8),
        (b"{\"a\":\"d:\\ is full\"}", json!({"a": "d:\\ is full"}), BACKSLASHES),
        (b"{\"a\":\"\\xe9 \\user \\u12\"}", json!({"a": "\\xe9 \\user \\u12"}), BACKSLASHES),
        (b"{\"a\":\"d:\\\",\"b\":1}", json!({"a": "d:\\", "b": 1}), BACKSLASHES),
        (b"{\"a\":\"d:\\\"}", json!({"a": "d:\\"}), BACKSLASHES),
        (b"{\"a\":\"text\\u0000\"}", json!({"a": "text"}), NUL),
        (b"{\"a\":\"te\0xt\"}\0", json!({"a": "text"}), NUL),
        (b"{\"a\":\"\\ud83d x\"}", json!({"a": "\u{fffd} x"}), SURROGATES),
        (b"{\"a\":\"\\udcff\\ud83d\\ude00\"}", json!({"a": "\u{fffd}😀"}), SURROGATES),
        (b"{\"a\":[1,2,],}", json!({"a": [1, 2]}), COMMAS),
        (b"{\"a\":\"said \"no\", twice\",\"b\":\"x\"}", json!({"a": "said \"no\", twice", "b": "x"}), QUOTES),
        (b"{\"a\":NaN,\"b\":True,c:007,\"d\":1e999}", json!({"a": null, "b": true, "c": "007", "d": "1e999"}), WORDS),
        (b"{'a': 'it's \"so\"', 'b': 1}", json!({"a": "it's \"so\"", "b": 1}), SINGLE),
        (b"[{'a': 'd:\\\\'}, 'it\\'s']", json!([{"a": "d:\\"}, "it's"]), SINGLE),
        (b"{\"a\":,\"b\": }", json!({"a": null, "b": null}), VALUES),
        (b"{,\"a\":[1,,2,],,}", json!({"a": [1, 2]}), COMMAS),
        (b"{\"a\":\"1\"\n\"b\":2\n\"c\":[]\n}", json!({"a": "1", "b": 2, "c": []}), LINES),
        (b"{\"a\":1}};\n", json!({"a": 1}), BEHIND),
        (b"{\"a\":1}\n{\"a\":2}\n", json!([{"a": 1}, {"a": 2}]), SEVERAL),
        (b"{\"a\":[{\"b\":\"c, d", json!({"a": [{"b": "c, d…"}]}), CUT),
        (b"{\"a\":\"c\\", json!({"a": "c…"}), CUT),
        (b"{\"a\":1,\"b", json!({"a": 1, "b…": null}), CUT),
        (b"{\"a\":1", json!({"a": "1…"}), CUT),
        (b"{\"a\":[1 ", json!({"a": [1]}), CUT),
        (b"\xff\xfe{\0}\0", json!({}), UTF_16),
        (b"\0[\0]", json!([]), UTF_16),
    ] {
        let (read, repairs) = parse_nearly_json(bytes).unwrap();
        assert_eq!((read, repairs), (value, vec![repair]), "{:?}", String::from_utf8_lossy(bytes));
    }
    assert_eq!(repaired("\u{FEFF}{\u{a0}\"a\":\"\u{85}\"}".as_bytes()), json!({"a": "\u{85}"}));
}

#[test]
fn each_kind_is_named_once() {
    let (_, repairs) = repair(b"{\"a\":\"\n\n\xe4\\ \\ \"}");
    assert_eq!(repairs, [CONTROLS, BACKSLASHES, NOT_UTF_8]);
}

#[test]
fn what_has_no_reading_is_refused_as_before() {
    for bytes in [&b""[..], b"{\"a\":1 2", b"\"", b"{\"a\" \"b\"}", b"hello world", b"{} x", b"{\"a\"\n\"b\"}"] {
        assert!(parse_nearly_json(bytes).is_err(), "{:?}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn what_says_all_there_is_must_be_whole() {
    for text in ["{\"a\":1", "{\"a\":[\"b", "{\"a\":1}\n{\"a\":2}"] {
        let (out, _) = repair(text.as_bytes());
        assert!(serde_json::from_str::<Value>(&out).is_err(), "{text}");
        assert!(parse_nearly_json(text.as_bytes()).is_ok(), "{text}");
    }
}

#[test]
fn what_weighs_much_more_than_it_seems_to_is_refused() {
    // What was sent is counted by its marks, which a quote hides.
    let hidden = format!("['\"'{}]", ",1".repeat(200_000));
    assert!(parse_nearly_json(hidden.as_bytes()).is_err());
}

#[test]
fn a_repair_takes_time_in_proportion() {
    // If it did not, these would take minutes.
    for piece in [
        "\" ",
        "\",  ",
        "\\",
        "\\\"",
        ",  ",
        "a ",
        "\\u0000",
        "\"\\\" : ",
        "'",
        "' ",
        "',  ",
        ":,",
        "{",
        "\n\"\"",
        "{}",
        "a\n",
    ] {
        let text = piece.repeat(400_000 / piece.len());
        let (out, _) = repair_or_mend(text.as_bytes(), true);
        assert!(out.len() <= 3 * text.len(), "{piece:?}");
    }
}

proptest! {
    #[test]
    fn json_stays_as_it_is(
        texts in proptest::collection::vec(any::<String>(), 0..8), number: f64, pretty: bool, flag: bool
    ) {
        let value = json!({"texts": texts, "n": number, "flag": flag, "none": null, "list": [{}, [], number]});
        let text = if pretty { format!("{value:#}") } else { value.to_string() };
        if !text.contains("\\u0000") {
            let (out, repairs) = repair(text.as_bytes());
            prop_assert_eq!((&*out, repairs), (text.as_str(), vec![]));
        }
    }

    #[test]
    fn what_python_prints_is_read(texts in proptest::collection::vec("[a-z ,:'\"\\\\]{0,6}", 1..5)) {
        // Python has no text of both quotes without a backslash in front of the single ones.
        let printed = |text: &String| match text.contains('\'') {
            true if !text.contains('"') => format!("\"{}\"", text.replace('\\', "\\\\")),
            _ => format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'")),
        };
        // What could end a text in its middle is told by nobody.
        let clear = |text: &&String| !text.contains([',', ':', '"', '\'']) || text.len() < 2;
        let texts: Vec<String> = texts.iter().filter(clear).cloned().collect();
        let list = format!("[{}]", texts.iter().map(printed).collect::<Vec<_>>().join(", "));
        prop_assert_eq!(repaired(list.as_bytes()), json!(texts), "{}", list);
    }

    #[test]
    fn a_text_that_ends_too_early_is_closed(text in "[a-zä \"\\\\]{0,9}", cut in 0usize..60) {
        let whole = json!({"a": [text, {"b": text}], "c": text}).to_string();
        let mut cut = cut.min(whole.len());
        while !whole.is_char_boundary(cut) {
            cut -= 1;
        }
        if cut > 0 {
            prop_assert!(parse_nearly_json(&whole.as_bytes()[..cut]).is_ok(), "{}", &whole[..cut]);
        }
    }

    #[test]
    fn survives_any_bytes(bytes: Vec<u8>, near in r#"([\[\]{}:,;"'\\0-9eu \n-]|true|null|\\u0000|\\ud83d|ä)*"#) {
        for bytes in [&bytes[..], near.as_bytes()] {
            let (out, _) = repair_or_mend(bytes, true);
            prop_assert!(out.len() <= 3 * bytes.len() + 8);
            let (again, repairs) = repair_or_mend(out.as_bytes(), true);
            if serde_json::from_str::<IgnoredAny>(&out).is_ok() {
                prop_assert_eq!((&again, repairs.len()), (&out, 0));
            }
            let _ = parse_nearly_json(bytes);
        }
    }
}
