use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::problem::Problem;

fn read(body: Value) -> Result<Option<Rules>, Problem> {
    let mut fields = Fields::of(&body);
    let match_type = MatchType::read(&mut fields, "matchingType");
    // Every key that the rules have, so that the tests may name any.
    let keys: Vec<&str> =
        body["rules"].as_array().into_iter().flatten().filter_map(|rule| rule["key"].as_str()).collect();
    let rules = Rules::read(&mut fields, match_type, &[Keys { names: &keys, open: &[] }], Operator::word, &meter());
    fields.finish()?;
    Ok(rules)
}

fn meter() -> Meter {
    Meter::new(Meter::REQUEST)
}

fn matches(rules: Value, document: &Value) -> bool {
    let body = json!({"matchingType": "any", "rules": rules});
    Matcher::new(&read(body).unwrap().unwrap()).matches(document, &meter()).unwrap()
}

#[test]
fn operators_are_known_in_every_spelling() {
    for operator in Operator::ALL {
        for name in [operator.word(), operator.words(), &operator.words().to_uppercase()] {
            assert_eq!(Operator::find(name), Some(operator), "{name}");
        }
    }
    assert_eq!(Operator::find("starts_with"), Some(Operator::StartsWith));
    for name in ["", "Equal", "Not", "Matches"] {
        assert_eq!(Operator::find(name), None, "{name}");
    }
}

#[test]
fn an_expression_is_refused_with_its_place() {
    let position = |expression: &str| match check(expression, &meter()) {
        Err(BadExpression::Syntax { position, .. }) => position,
        other => panic!("{expression}: {other:?}"),
    };
    assert_eq!(position("(abc"), 1);
    assert_eq!(position("abc["), 4);
    assert_eq!(position("a**?{2,1}"), 5);
    assert_eq!(position("äöü)"), 4);
    assert_eq!(position("a\nb("), 4);
    assert_eq!(position(r"ab\p{Nonsense}"), 3);
    assert_eq!(check(r"\w{1000}", &meter()).unwrap_err(), BadExpression::TooLarge);
    assert!(finds(r"(?i)^disk (c|d):\\", r"DISK D:\ full"));

    let problem = read(json!({"matchingType": "some", "rules": [
        {"key": "subject", "operator": "Regex", "value": "x(y"},
        {"key": " ", "operator": "Like", "value": ""},
        {"operator": "Equals"},
        {"key": "k".repeat(201), "operator": "Equals", "value": true},
    ]}))
    .unwrap_err();
    let errors: Vec<String> = problem.errors.iter().map(|e| format!("{} {}", e.field_name, e.message)).collect();
    let expected = [
        "matchingType must be one of",
        "rules[0].value is not a regular expression: unclosed group, at character 2",
        "rules[1].key is required",
        "rules[1].operator must be one of: Contains, NotContains, Equals, NotEquals, Startswith, Endswith, Regex",
        "rules[1].value is required",
        "rules[2].key is required",
        "rules[2].value is required",
        "rules[3].key must have at most 200 characters",
    ];
    assert_eq!(errors.len(), expected.len(), "{errors:#?}");
    for (error, expected) in errors.iter().zip(expected) {
        assert!(error.starts_with(expected), "{error} is not {expected}");
    }
    assert_eq!(read(json!({"rules": []})), Ok(None));
    assert!(read(json!({"rules": vec![json!({}); 51]})).is_err());
}

fn finds(expression: &str, text: &str) -> bool {
    check(expression, &meter()).unwrap();
    expression::finds(expression, text, &meter()).unwrap()
}

#[test]
fn an_expression_matches_anywhere_in_a_text() {
    for (expression, text, expected) in [
        ("", "", true),
        ("a*", "b", true),
        ("^$", "", true),
        ("^$", "x", false),
        ("b$", "ab", true),
        ("^b", "ab", false),
        (r"\bdisk\b", "the disk is full", true),
        (r"\bdisk\b", "the disks are full", false),
        (r"\bdisk\b", "la disk\u{e9}", false),
        (r"\bdisk\b", "déjà: disk", true),
        (r"^\w+-\d{2}$", "wéb-01", true),
        (r"(?i)ÄRGER", "kein ärger", true),
        (r"\p{Greek}", "αβγ", true),
        ("a.c", "a\nc", false),
        ("(?s)a.c", "a\nc", true),
    ] {
        assert_eq!(finds(expression, text), expected, "{expression} in {text}");
    }
}

#[test]
fn what_an_expression_costs_to_compile_is_bounded() {
    // Each takes long to read, and its program is small.
    let dear: Vec<String> = (1..100).map(|n| format!("(?i)(?:{}){{0}}{n}", r"\pL".repeat(300))).collect();
    let meter = Meter::new(Meter::REQUEST / 50);
    assert!(dear.iter().any(|expression| check(expression, &meter) == Err(BadExpression::Exhausted(Exhausted))));
    assert!(meter.is_exhausted());
    // What people write is far from it.
    for expression in [
        r"(?i)\bdisk (c|d):\\",
        r"^web-\w+\.example\.(net|com)$",
        r"\d+\.\d+\.\d+\.\d+:\d+",
        r"(?i)\b(disk|cpu|memory)\b.*\d+%",
    ] {
        check(expression, &Meter::new(Meter::REQUEST)).unwrap();
    }
}

#[test]
fn a_search_ends_within_its_bounds() {
    let letters = |count: u32| -> String {
        (0..count).map(|n| if n.wrapping_mul(2_654_435_761) >> 31 == 0 { 'a' } else { 'b' }).collect()
    };
    let slow = "(?-u)[ab]*a[ab]{900}c";
    check(slow, &meter()).unwrap();
    let few = Meter::new(Meter::WRITE);
    let looks = (0..1_000).map(|_| expression::finds(slow, &letters(4_000), &few));
    assert!(looks.into_iter().any(|look| look == Err(Exhausted)));
    assert_eq!(expression::finds(slow, "short", &few), Err(Exhausted), "nothing is done afterwards");
    assert_eq!(expression::finds(slow, "short", &meter()), Ok(false));
    assert_eq!(expression::finds("a", &letters(64 << 10), &meter()), Ok(true));
    assert_eq!(expression::finds("a", &letters((64 << 10) + 1), &meter()), Err(Exhausted), "too long a text");
}

#[test]
fn what_was_saved_under_a_larger_limit_matches() {
    let saved = r"\w-".repeat(10);
    assert_eq!(check(&saved, &meter()), Err(BadExpression::TooLarge));
    assert_eq!(expression::finds(&saved, "a-b-c-d-e-f-g-h-i-j-", &meter()), Ok(true));
}

#[test]
fn rules_that_take_too_long_say_so() {
    let rules = read(json!({"matchingType": "any", "rules": [{"key": "a", "operator": "Contains", "value": "x"}]}));
    let matcher = Matcher::new(&rules.unwrap().unwrap());
    let document = json!({"a": "y".repeat(100_000)});
    assert_eq!(matcher.matches(&document, &Meter::new(1_000)), Err(Exhausted));
    assert_eq!(matcher.matches(&document, &meter()), Ok(false));
    let outcomes = matcher.explain(&document, &meter()).unwrap();
    assert_eq!(outcomes[0].texts[0].len(), 1_000, "what is shown is bounded");
}

#[test]
fn keys_find_properties_by_name_and_by_path() {
    let alert = json!({
        "subject": "CPU high", "currentState": "Critical", "count": 3, "open": true, "nothing": null,
        "device": {"hostName": "web-01", "os": {"name": "Linux"}},
        "app.kubernetes.io/name": "shop",
        "tags": [{"name": "env", "value": "prod"}, {"name": "Team", "value": "web"}, {"name": "name", "value": "odd"}],
        "ips": ["10.0.0.1", "10.0.0.2"],
    });
    let found = |key: &str| lookup::texts(&alert, key);
    assert_eq!(found("SUBJECT"), ["CPU high"]);
    assert_eq!(found("device.hostname"), ["web-01"]);
    assert_eq!(found("device.os.NAME"), ["Linux"]);
    assert_eq!(found("app.kubernetes.io/name"), ["shop"]);
    assert_eq!(found("tags.env"), ["prod"]);
    assert_eq!(found("tags.team"), ["web"]);
    assert_eq!(found("tags.name"), ["env", "Team", "name"]);
    assert_eq!(found("ips"), ["10.0.0.1", "10.0.0.2"]);
    assert_eq!(found("device.os"), ["Linux"], "an object is its name");
    assert_eq!((found("count"), found("open")), (vec!["3".into()], vec!["true".into()]));
    for key in ["nothing", "device", "hostName", "device.", ".subject", "subject.x", "", "tags", "devicehostName"] {
        assert!(found(key).is_empty(), "{key}");
    }
}

#[test]
fn a_negative_rule_holds_where_there_is_nothing() {
    let alert = json!({"metric": "cpu", "states": ["Ok", "Critical"]});
    let rule = |key: &str, operator: &str, value: &str| json!([{"key": key, "operator": operator, "value": value}]);
    for (key, operator, value, expected) in [
        ("metric", "NotEquals", "CPU", false),
        ("metric", "NotEquals", "cp", true),
        ("metric", "NotContains", "CP", false),
        ("absent", "NotEquals", "cpu", true),
        ("absent", "Equals", "cpu", false),
        ("states", "NotEquals", "ok", false),
        ("states", "Equals", "OK", true),
        ("metric", "Regex", "^C", false),
        ("metric", "Regex", "(?i)^C", true),
        ("metric", "Startswith", "C", true),
        ("metric", "Endswith", "U", true),
    ] {
        assert_eq!(matches(rule(key, operator, value), &alert), expected, "{key} {operator} {value}");
    }
}

/// The same by the words of the documentation, for documents of one level.
fn naive(rules: &Rules, document: &Value) -> bool {
    let holds = |rule: &Rule| {
        let mut texts = Vec::new();
        for (name, value) in document.as_object().unwrap() {
            if name.to_lowercase() == rule.key.to_lowercase() {
                texts.push(value.as_str().unwrap().to_lowercase());
            }
        }
        let value = rule.value.to_lowercase();
        let mut found = false;
        for text in &texts {
            found |= match rule.operator {
                Operator::Contains | Operator::NotContains => text.split(value.as_str()).count() > 1,
                Operator::Equals | Operator::NotEquals => *text == value,
                Operator::StartsWith => text.len() >= value.len() && text[..value.len()] == value,
                Operator::EndsWith => text.len() >= value.len() && text[text.len() - value.len()..] == value,
                Operator::Regex => panic!("is compared elsewhere"),
            };
        }
        if rule.operator.is_negative() { !found } else { found }
    };
    let count = rules.rules.iter().filter(|rule| holds(rule)).count();
    if rules.match_type == MatchType::Any { count > 0 } else { count == rules.rules.len() }
}

fn some_rules() -> impl Strategy<Value = Rules> {
    let operator = proptest::sample::select(&Operator::ALL[..6]);
    let rule = ("[a-cA-C]", operator, "[abAB]{1,3}").prop_map(|(key, operator, value)| Rule { key, operator, value });
    let any = prop_oneof![Just(MatchType::Any), Just(MatchType::All)];
    (any, proptest::collection::vec(rule, 1..5)).prop_map(|(match_type, rules)| Rules { match_type, rules })
}

proptest! {
    #[test]
    fn matching_is_what_the_words_say(
        rules in some_rules(),
        document in proptest::collection::btree_map("[a-dA-D]", "[abAB]{0,4}", 0..5),
    ) {
        let document = json!(document);
        let matcher = Matcher::new(&rules);
        prop_assert_eq!(matcher.matches(&document, &meter()).unwrap(), naive(&rules, &document));
        let outcomes = matcher.explain(&document, &meter()).unwrap();
        let held = outcomes.iter().filter(|outcome| outcome.holds).count();
        let enough = if rules.match_type == MatchType::Any { 1 } else { outcomes.len() };
        prop_assert_eq!(matcher.matches(&document, &meter()).unwrap(), held >= enough);
        // What is stored reads back the same.
        let stored = serde_json::to_string(&rules).unwrap();
        prop_assert_eq!(serde_json::from_str::<Rules>(&stored).unwrap(), rules);
    }

    #[test]
    fn no_text_is_too_odd(expression in ".{0,20}", text in ".{0,40}", key in ".{0,10}") {
        Pattern::new(Operator::Regex, &expression).finds(&text, &meter()).unwrap();
        let literal = Pattern::new(Operator::Regex, &regex_syntax::escape(&text));
        prop_assert!(literal.finds(&text, &meter()).unwrap());
        let document = json!({key.trim(): text.clone()});
        prop_assert_eq!(lookup::texts(&document, &key), [text]);
    }
}

#[test]
fn a_key_that_nothing_has_is_refused_with_those_that_there_are() {
    let body = json!({"rules": [{"key": "subjct", "operator": "Contains", "value": "x"}]});
    let mut fields = Fields::of(&body);
    let known = [Keys { names: &["subject"], open: &["tags"] }];
    assert_eq!(
        Rules::read(&mut fields, MatchType::All, &known, Operator::word, &meter()).map(|rules| rules.rules.len()),
        Some(1)
    );
    let error = fields.finish().unwrap_err().errors.remove(0);
    assert_eq!(
        (error.field_name.as_str(), error.message.as_str()),
        ("rules[0].key", "must be one of: subject, tags.*")
    );
}
