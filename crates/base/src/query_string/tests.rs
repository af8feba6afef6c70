use proptest::prelude::*;

use super::*;

const KNOWN: &[&str] = &["id", "hostName", "state", "type", "startDate", "ipAddress"];

/// The names and values of a filter.
fn read(text: &str) -> Vec<(&'static str, String)> {
    let terms = parse(text, KNOWN).unwrap();
    terms.into_iter().map(|term| (term.name, term.value)).collect()
}

fn messages(text: &str) -> Vec<String> {
    let problem = parse(text, KNOWN).unwrap_err();
    assert!(problem.errors.iter().all(|error| error.field_name == PARAMETER));
    problem.errors.into_iter().map(|error| error.message).collect()
}

fn terms(terms: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
    terms.iter().map(|(name, value)| (*name, (*value).to_owned())).collect()
}

#[test]
fn terms_are_joined_by_plus_or_by_a_space_before_a_known_name() {
    let expected = terms(&[("state", "active"), ("hostName", "web 01")]);
    for text in [
        "state:active+hostName:web 01",
        "state:active hostName:web 01",
        "state:active + hostName:web 01",
        "  STATE:active   hostname:web 01 ",
    ] {
        assert_eq!(read(text), expected, "{text}");
    }
    assert_eq!(read("state :active"), terms(&[("state", "active")]));
    assert_eq!(read(""), terms(&[]));
    assert_eq!(read("  "), terms(&[]));
}

#[test]
fn a_value_is_literal() {
    for value in ["a:b c", "%_'\";--", "x other:y", "fe80::1", "10.0.0.0/8", "\\", "état:1"] {
        assert_eq!(read(&format!("hostName:{value}+id:1"))[0], ("hostName", value.to_owned()));
    }
}

#[test]
fn commas_separate_alternatives() {
    let terms = parse("type:EBS, DEVICE,,", KNOWN).unwrap();
    assert_eq!(terms[0].values, ["EBS", "DEVICE"]);
    assert_eq!(terms[0].value, "EBS, DEVICE,,");
}

#[test]
fn the_offset_of_a_timestamp_belongs_to_it() {
    for offset in ["+0000", "+05:30", "-0330", " 0000", " 05:30", "Z"] {
        let date = format!("2026-01-01T00:00:00{offset}");
        for rest in ["+id:1", " id:1"] {
            let expected = terms(&[("startDate", &date), ("id", "1")]);
            assert_eq!(read(&format!("startDate:{date}{rest}")), expected);
        }
        assert_eq!(read(&format!("startDate:{date}")), terms(&[("startDate", &date)]));
    }
    let bare = "startDate:2026-01-01T00:00:00";
    let expected = terms(&[("startDate", "2026-01-01T00:00:00"), ("id", "1234")]);
    assert_eq!(read(&format!("{bare}+id:1234")), expected);
    assert_eq!(messages(&format!("{bare}+00000")).len(), 1);
    assert_eq!(messages("startDate:2026-01-01+0000").len(), 1);
}

#[test]
fn everything_wrong_is_listed() {
    let messages = messages("owner:x+hostName:+state:active+web+STATE:all++id:,");
    let expected = [
        "has an unknown variable \"owner\"; known are: id, hostName, state, type, startDate, ipAddress",
        "term \"hostName\" has no value",
        "term \"web\" is not of the form name:value",
        "repeats the variable \"state\"",
        "has an empty term: a name:value stands on each side of a +",
        "term \"id\" has no value",
    ];
    assert_eq!(messages, expected);
}

#[test]
fn a_plus_never_vanishes() {
    assert_eq!(messages("hostName:C++").len(), 2);
    assert_eq!(messages("hostName:a+b").len(), 1);
    assert_eq!(messages(":x").len(), 1);
    assert_eq!(messages("+id:1").len(), 1);
}

/// A value as a client quotes it.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    let mut backslashes = 0;
    for character in text.chars().chain(['"']) {
        if character == '"' {
            // The last one closes, and needs no backslash of its own.
            out.push_str(&"\\".repeat(backslashes + 1));
        }
        out.push(character);
        backslashes = if character == '\\' { backslashes + 1 } else { 0 };
    }
    out.truncate(out.len() - 2);
    out + "\""
}

#[test]
fn a_quoted_value_is_taken_whole() {
    for (text, expected) in [
        (r#"hostName:"C++ build, old"+id:1"#, "C++ build, old"),
        (r#"hostName:"a" id:1"#, "a"),
        (r#"hostName: "a:b+id:2"  +id:1"#, "a:b+id:2"),
        (r#"hostName:"say \"hi\", id:3"+id:1"#, r#"say "hi", id:3"#),
        (r#"hostName:"5" disk"+id:1"#, r#"5" disk"#),
        (r#"hostName:"C:\temp"+id:1"#, r"C:\temp"),
        (r#"hostName:"\\nas\share"+id:1"#, r"\\nas\share"),
        (r#"hostName:"D:\\"+id:1"#, r"D:\"),
        (r#"id:1+hostName:"D:\""#, r"D:\"),
        (r#"id:1+hostName:" a ""#, " a "),
        // What is not quoted means what it meant before there were quotes.
        (r#"hostName:5" disk+id:1"#, r#"5" disk"#),
        (r#"hostName:"5 disk+id:1"#, r#""5 disk"#),
        (r#"hostName:a"b"+id:1"#, r#"a"b""#),
    ] {
        let value = read(text).into_iter().find(|(name, _)| *name == "hostName").unwrap().1;
        assert_eq!(value, expected, "{text}");
    }
    let values = |text: &str| parse(text, KNOWN).unwrap().remove(0).values;
    assert_eq!(values(r#"hostName:"a, b","c+d", e,f"#), ["a, b", "c+d", "e", "f"]);
    assert_eq!(values(r#"hostName:x, "a, b""#), ["x", "a, b"]);
    assert_eq!(values(r#"hostName:"C++, old""#), ["C++, old"]);
    assert_eq!(messages(r#"hostName:"""#), ["term \"hostName\" has no value"]);
    assert_eq!(messages(r#"hostName:"a"b+id:1+C++"#).len(), 3);
}

#[test]
fn limits_hold() {
    let many = vec!["id:1"; 60].join("+");
    assert_eq!(messages(&many).last().unwrap(), "has more than 50 terms; \"id:1\" is one");
    let long = format!("hostName:{}", "x".repeat(MAX_LENGTH));
    assert_eq!(messages(&long), ["must have at most 8192 bytes"]);
    assert!(parse(&long[..MAX_LENGTH], KNOWN).is_ok());
    assert!(messages(&"+".repeat(MAX_LENGTH)).len() <= MAX_TERMS + 1);
}

proptest! {
    #[test]
    fn what_is_quoted_is_read_as_it_was(
        text in "[^\u{0}]+",
        near in "(\\PC|[\"\\\\+, :]|id:|hostName:\"|\\\\\"){1,40}",
        place in 0..3_usize,
    ) {
        for text in [text, near] {
            let quoted = quoted(&text);
            let whole = [
                format!("hostName:{quoted}"),
                format!("hostName:{quoted}+id:1"),
                format!("id:1 hostName:{quoted}"),
            ];
            let read = parse(&whole[place], KNOWN).unwrap();
            let term = read.iter().find(|term| term.name == "hostName").unwrap();
            prop_assert_eq!((&term.value, &term.values), (&text, &vec![text.clone()]), "{}", whole[place]);
            prop_assert_eq!(read.len(), if place == 0 { 1 } else { 2 });
        }
    }

    #[test]
    fn survives_any_text(text: String, near in "(id|state|hostName|x|[+: ,ä]|2026-01-01T00:00:00|0000|\"|\\\\)*") {
        for text in [text, near] {
            if let Ok(terms) = parse(&text, KNOWN) {
                for term in terms {
                    prop_assert!(KNOWN.contains(&term.name));
                    prop_assert!(!term.values.is_empty());
                }
            }
        }
    }

    #[test]
    fn what_is_joined_comes_apart(
        host in "[a-z0-9.:%_'-]([a-z0-9.:%_' -]*[a-z0-9.%_'-])?",
        address in "[0-9a-f:./]{1,20}",
        plus: bool,
    ) {
        // A host that holds a known name and a colon after a space would be two terms by rule.
        prop_assume!(KNOWN.iter().all(|name| !host.contains(&format!(" {}:", name.to_lowercase()))));
        let by = if plus { "+" } else { " " };
        let expected = vec![("hostName", host.clone()), ("ipAddress", address.clone())];
        prop_assert_eq!(read(&format!("hostName:{host}{by}ipAddress:{address}")), expected);
    }
}
