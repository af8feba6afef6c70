//! Values stay values.

use base::timestamp::Timestamp;
use serde_json::{Value, json};

use super::*;

fn fill(kind: Kind, text: &str, object: &Value) -> Result<String, String> {
    let template = Template::read(text, Some(Entity::Incident), kind)?;
    let previous = json!({"status": "Old"});
    let facts = Facts {
        object,
        previous: Some(&previous),
        action: "UPDATE",
        entity: "INCIDENT",
        tenant: "client_1",
        action_id: "EVT-1",
        at: Timestamp::from_millis(1_795_205_225_000),
    };
    template
        .fill(&facts, &base::matching::Meter::new(base::matching::Meter::REQUEST))
        .map_err(|_| "too long".to_owned())
}

const HOSTILE: [&str; 8] = [
    "plain",
    "a\"b\\c",
    "line\nbreak\r\nX-Evil: 1",
    "</x><y>&amp;]]>",
    "\u{0}\u{8}\u{1b}",
    "$incident.subject $$",
    "ünïcödé 🚨 \u{FFFE}",
    "'; --> <!-- ?>",
];

#[test]
fn json_stays_json() {
    let text = r#"{"s": "<$incident.subject>", "raw": $incident.subject, "n": $incident.priority,
        "o": $incident.tags, "e": "$event.type \" $$5 $5", "$incident.status": 1}"#;
    for hostile in HOSTILE {
        let object = json!({"subject": hostile, "priority": 2, "tags": {"a": [1]}, "status": "k"});
        let filled: Value = serde_json::from_str(&fill(Kind::Json, text, &object).unwrap()).unwrap();
        assert_eq!(filled["s"], json!(format!("<{hostile}>")));
        assert_eq!((&filled["raw"], &filled["n"], &filled["o"]), (&json!(hostile), &json!(2), &json!({"a": [1]})));
        assert_eq!((&filled["e"], &filled["k"]), (&json!("UPDATE \" $5 $5"), &json!(1)));
    }
    let empty = fill(Kind::Json, text, &json!({})).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&empty).unwrap()["raw"], Value::Null);
}

#[test]
fn xml_stays_xml() {
    let text = "<a b=\"$incident.subject\"><c>$incident.subject</c><![CDATA[$incident.subject]]><d/></a>";
    for hostile in HOSTILE {
        let filled = fill(Kind::Xml, text, &json!({"subject": hostile})).unwrap();
        assert!(read::well_formed(&filled).is_ok(), "{filled}");
        let outside: Vec<&str> = filled.split("<![CDATA[").map(|part| part.rsplit("]]>").next().unwrap()).collect();
        assert_eq!(outside.concat().matches('<').count(), 5, "{filled}");
    }
    for wrong in ["<a>", "text", "<a b=$incident.subject/>", "<!-- $incident.subject --><a/>", "<$incident.subject/>"] {
        assert!(Template::read(wrong, Some(Entity::Incident), Kind::Xml).is_err(), "{wrong}");
    }
}

/// What the sections of a document say, as a parser reads them.
fn data_of(xml: &str) -> String {
    let mut reader = quick_xml::Reader::from_str(xml);
    let mut data = String::new();
    loop {
        match reader.read_event().unwrap() {
            quick_xml::events::Event::Eof => return data,
            quick_xml::events::Event::CData(part) => data.push_str(&part),
            _ => {}
        }
    }
}

#[test]
fn a_value_in_a_section_of_data_stands_there_as_it_is() {
    let pieces = ["a\"b<x>&", "]", "]]", "]]>", ">", "]>", "[web]", "", "]]]>>"];
    for first in pieces {
        for second in pieces {
            let object = json!({"subject": first, "status": second});
            for (text, expected) in [
                ("$incident.subject", first.to_owned()),
                ("$incident.subject$incident.status", format!("{first}{second}")),
                ("]$incident.subject]>$incident.status>", format!("]{first}]>{second}>")),
                ("]]$incident.subject>", format!("]]{first}>")),
            ] {
                let filled = fill(Kind::Xml, &format!("<c><![CDATA[{text}]]></c>"), &object).unwrap();
                assert_eq!(data_of(&filled), expected, "{filled}");
            }
        }
    }
}

#[test]
fn what_is_not_xml_and_says_so_is_escaped_all_the_same() {
    let text = "<e><!-- $incident.subject --><t>$incident.subject</t><$incident.subject></e>";
    for hostile in HOSTILE {
        let filled = fill(Kind::Markup, text, &json!({"subject": hostile})).unwrap();
        let comment = filled.split("<!--").nth(1).and_then(|rest| rest.split("-->").next()).unwrap();
        assert!(!comment.contains("--"), "{filled}");
        assert_eq!(filled.matches('<').count(), 6, "{filled}");
    }
}

#[test]
fn a_header_is_one_and_a_path_is_one() {
    for hostile in HOSTILE {
        let object = json!({"subject": hostile});
        let header = fill(Kind::Header, "about $incident.subject", &object).unwrap();
        assert!(!header.chars().any(char::is_control), "{header:?}");
        let target = fill(Kind::Target, "/t/$incident.subject/x?q=$incident.subject", &object).unwrap();
        assert_eq!((target.matches('/').count(), target.matches('?').count()), (3, 1), "{target}");
        assert!(target.is_ascii());
    }
    for dots in [".", ".."] {
        assert_eq!(fill(Kind::Target, "/a/$incident.subject/b", &json!({"subject": dots})).unwrap(), "/a/_/b");
    }
}

#[test]
fn unknown_placeholders_are_named_with_their_place() {
    for (text, place) in [
        ("$incident.subjekt", "line 1, column 1"),
        ("a\n  $alert.subject", "line 2, column 3"),
        ("x $foo", "line 1, column 3"),
        ("$incident", "line 1, column 1"),
        ("$event.secret", "line 1, column 1"),
        ("$utils.exec(x)", "line 1, column 1"),
        ("$utils.convertDate($incident.createdDate,'QQ')", "line 1, column 1"),
    ] {
        let wrong = Template::read(text, Some(Entity::Incident), Kind::Plain).unwrap_err();
        assert!(wrong.contains(place), "{text}: {wrong}");
    }
}

#[test]
fn messages_say_what_is_wrong_with_a_call() {
    for (text, what) in [
        ("$utils.exec(x)", "the unknown call $utils.exec"),
        ("$utils.convertDate $incident.createdDate", "without ( behind its name"),
        ("$utils.convertDate($incident.createdDate)", "without a comma and a format"),
        ("$utils.convertDate($incident.createdDate,yyyy)", "whose format is not in quotes"),
        ("$utils.convertDate($incident.createdDate,'yyyy'", "without ') at its end"),
        ("$utils.convertDate($incident.createdDate,'yyyy-QQ')", "the date letter Q"),
        ("$utils.convertDate($incident.createdDate,'yyyy-MM-dd'T')", "a quote that is not closed"),
        ("$utils.convertDate($incident.subjekt,'yyyy')", "the unknown placeholder $incident.subjekt"),
    ] {
        let wrong = Template::read(text, Some(Entity::Incident), Kind::Plain).unwrap_err();
        assert!(wrong.contains(what), "{text}: {wrong}");
    }
}

#[test]
fn placeholders_end_where_their_name_ends() {
    let object = json!({"subject": "S", "status": "New", "customFields": {"a": {"b": "deep"}},
        "createdDate": "2026-11-20T20:37:00+0000"});
    for (text, expected) in [
        ("$incident.subject.", "S."),
        ("$incident.subject.com", "S.com"),
        ("$INCIDENT.SUBJECT-x", "S-x"),
        ("$incident.customFields.a.b!", "deep!"),
        ("$incident.previous.status>$incident.status", "Old>New"),
        ("$utils.convertDate($incident.createdDate,'yyyy/MM/dd') ok", "2026/11/20 ok"),
        ("$utils.convertDate(incident.createdDate, \"HH:mm\")", "20:37"),
        ("$utils.convertDate($incident.createdDate,'yyyy-MM-dd'T'HH:mm:ssZ')", "2026-11-20T20:37:00+0000"),
        ("$utils.convertDate(incident.createdDate, 'HH'h'mm' )!", "20h37!"),
        ("$utils.convertDate(incident.createdDate,\"d'.'M\") ('x')", "20.11 ('x')"),
        ("{\\\"at\\\": $utils.convertDate(incident.createdDate,\\\"HH\\\")}", "{\\\"at\\\": 20}"),
        ("$event.id $event.time", "EVT-1 2026-11-20T20:07:05+0000"),
        ("cost: $5 $$x", "cost: $5 $x"),
        ("$", "$"),
    ] {
        assert_eq!(fill(Kind::Plain, text, &object).unwrap(), expected);
    }
}

#[test]
fn sizes_are_bounded() {
    let long = "x".repeat(LONGEST_OUTPUT / 2);
    let object = json!({"subject": long});
    assert!(fill(Kind::Plain, "$incident.subject", &object).is_ok());
    assert!(fill(Kind::Plain, "$incident.subject $incident.subject $incident.subject", &object).is_err());
    assert!(Template::read(&"x".repeat(LONGEST_TEMPLATE + 1), None, Kind::Plain).is_err());
    assert!(Template::read(&"$event.id".repeat(MOST_PLACEHOLDERS + 1), None, Kind::Plain).is_err());
}

#[test]
fn a_text_may_be_one_that_a_template_made() {
    for (template, made, could) in [
        ("/v2/hook", "/v2/hook", true),
        ("/v2/hook", "/v1/hook", false),
        ("/v2/hook", "/v2/hook/1", false),
        ("", "", true),
        ("", "/v1", false),
        ("/v2/$incident.id", "/v2/7", true),
        ("/v2/$incident.id", "/v2/", true),
        ("/v2/$incident.id", "/v1/7", false),
        ("/v2/$incident.id/close", "/v2/7/close", true),
        ("/v2/$incident.id/close", "/v2/7", false),
        ("/$incident.id/a/$incident.status/b", "/7/a/New/b", true),
        ("/$incident.id/a/$incident.status/b", "/7/c/New/b", false),
        ("$incident.id$incident.status", "anything", true),
    ] {
        let read = Template::read(template, Some(Entity::Incident), Kind::Target).unwrap();
        assert_eq!(read.could_make(made), could, "{template} {made}");
    }
}
