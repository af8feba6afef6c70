use proptest::prelude::*;

use super::*;

fn query(raw: &str) -> Query {
    Query::parse(raw).unwrap()
}

/// The names and messages of a refusal.
fn errors(result: Result<(), Problem>) -> Vec<(String, String)> {
    let errors = result.unwrap_err().errors.into_iter();
    errors.map(|error| (error.field_name, error.message)).collect()
}

fn error(name: &str, message: &str) -> Vec<(String, String)> {
    vec![(name.to_owned(), message.to_owned())]
}

#[test]
fn reads_every_type() {
    let mut query =
        query("name=web+01%2B&id=-5&all=TRUE&state=Active&from=2026-01-01T00:00:00+0000&empty=&bare&a%20b=c=d");
    assert_eq!(query.text("name").as_deref(), Some("web 01+"));
    assert_eq!(query.integer("id", 0), -5);
    assert!(query.boolean("all", false));
    assert_eq!(query.one_of("state", &["active", "inactive"], "inactive"), "active");
    assert_eq!(query.timestamp("from"), Timestamp::parse("2026-01-01T00:00:00Z"));
    assert_eq!(query.text("empty").as_deref(), Some(""));
    assert_eq!(query.text("bare").as_deref(), Some(""));
    assert_eq!(query.text("a b").as_deref(), Some("c=d"));
    assert_eq!(query.text("absent"), None);
    assert_eq!(query.finish(), Ok(()));
}

#[test]
fn words_are_separated_by_commas() {
    for (raw, expected) in [("", vec![]), ("w=one", vec!["One"]), ("w=TWO,+one", vec!["Two", "One"])] {
        let mut query = query(raw);
        assert_eq!(query.some_of("w", &["One", "Two"]), expected, "{raw}");
        query.finish().unwrap();
    }
    for raw in ["w=", "w=three", "w=one,", "w=one,three"] {
        let mut query = query(raw);
        assert_eq!(query.some_of("w", &["One", "Two"]), Vec::<&str>::new());
        let message = "must be some of these, separated by commas: One, Two";
        assert_eq!(errors(query.finish()), error("w", message), "{raw}");
    }
}

#[test]
fn absent_parameters_have_their_defaults() {
    let mut query = query("&&");
    assert_eq!(query.integer("id", 7), 7);
    assert!(query.boolean("all", true));
    assert_eq!(query.one_of("state", &["a", "b"], "b"), "b");
    assert_eq!(query.page(), NumberedPage { page_no: 1, page_size: 100 });
    assert_eq!(query.page_sized(20).page_size, 20);
    let sort = query.sort(&["id", "name"], "id", true);
    assert_eq!(sort, Sort { name: "id", descending: true });
    assert_eq!(query.finish(), Ok(()));
}

#[test]
fn every_bad_value_is_listed() {
    let mut query = query("id=99999999999999999999&all=yes&state=x&from=today&sortName=z&zz=1");
    assert_eq!(query.integer("id", 3), 3);
    assert!(!query.boolean("all", false));
    assert_eq!(query.one_of("state", &["a", "b"], "b"), "b");
    assert_eq!(query.timestamp("from"), None);
    assert_eq!(query.sort(&["id", "name"], "id", false).name, "id");
    query.error("rule", "is the caller's own");
    let errors = errors(query.finish());
    let named: Vec<_> = errors.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(named, ["id", "all", "state", "from", "sortName", "rule", "zz"]);
    assert_eq!(errors[2].1, "must be one of: a, b");
    assert_eq!(errors[4].1, "must be one of: id, name");
    assert_eq!(errors[6].1, "unknown parameter");
}

#[test]
fn paging_takes_the_last_value_and_names_its_limits() {
    let mut query = query("pageNo=1&pageSize=5&pageNo=x&pageSize=1000&pageNo=4294967295");
    let page = query.page();
    assert_eq!((page.page_no, page.page_size), (u32::MAX, 1000));
    assert_eq!(query.finish(), Ok(()));
    for (raw, name, limit) in [
        ("pageSize=0", "pageSize", "must be an integer from 1 to 1000"),
        ("pageSize=1001", "pageSize", "must be an integer from 1 to 1000"),
        ("pageSize=", "pageSize", "must be an integer from 1 to 1000"),
        ("pageNo=0", "pageNo", "must be an integer from 1 to 4294967295"),
        ("pageNo=-1", "pageNo", "must be an integer from 1 to 4294967295"),
        ("pageNo=4294967296", "pageNo", "must be an integer from 1 to 4294967295"),
    ] {
        let mut query = Query::parse(raw).unwrap();
        query.page();
        assert_eq!(errors(query.finish()), error(name, limit), "{raw}");
    }
}

#[test]
fn other_repeated_parameters_are_refused() {
    let mut query = query("id=1&id=2&id=3");
    assert_eq!(query.integer("id", 0), 0);
    assert_eq!(errors(query.finish()), error("id", "is given more than once"));
    assert_eq!(errors(Query::parse("x=1&x=1").unwrap().finish()), error("x", "unknown parameter"));
}

#[test]
fn names_match_exactly() {
    let mut query = query("PAGENO=2");
    assert_eq!(query.page().page_no, 1);
    assert_eq!(errors(query.finish()), error("PAGENO", "unknown parameter"));
}

#[test]
fn what_cannot_be_decoded_is_named() {
    for (raw, name, message) in [
        ("name=%", "name", "has a bad % escape"),
        ("name=%4", "name", "has a bad % escape"),
        ("name=%4g", "name", "has a bad % escape"),
        ("name=%+1", "name", "has a bad % escape"),
        ("name=%FF", "name", "is not valid UTF-8"),
        ("name=a%00", "name", "must not contain a NUL character"),
        ("%FF=1", "%FF", "is not valid UTF-8"),
        ("a%00=1", "a%00", "must not contain a NUL character"),
    ] {
        assert_eq!(errors(Query::parse(raw).map(drop)), error(name, message), "{raw}");
    }
    assert_eq!(errors(Query::parse("a=%&b=1&c=%FF").map(drop)).len(), 2);
}

#[test]
fn too_many_parameters_are_refused() {
    let raw = |count: usize| (0..count).map(|n| format!("p{n}=&")).collect::<String>();
    assert!(Query::parse(&raw(MAX_PARAMETERS)).is_ok());
    assert!(Query::parse(&raw(MAX_PARAMETERS + 1)).is_err());
}

proptest! {
    #[test]
    fn survives_any_text(raw: String, near in "([a-c]|%[0-9a-fA-F]{0,2}|[=&+])*") {
        for raw in [raw, near] {
            if let Ok(mut query) = Query::parse(&raw) {
                query.text("a");
                query.integer("b", 0);
                query.page();
                let _ = query.finish();
            }
        }
    }

    #[test]
    fn an_escaped_value_comes_back(value in "[^\0]*") {
        let escaped: String = value.bytes().map(|byte| format!("%{byte:02x}")).collect();
        let mut query = Query::parse(&format!("x=1&name={escaped}")).unwrap();
        prop_assert_eq!(query.text("name"), Some(value));
    }
}
