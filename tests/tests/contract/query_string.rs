//! The grammar of `queryString`, the same for all lists.

use muster_tests::{Client, Server, both_backends, encode};
use serde_json::json;

use super::device;

both_backends![
    errors_name_the_term,
    terms_are_joined_by_an_encoded_or_a_raw_plus,
    commas_separate_alternatives,
    the_first_colon_splits,
    values_are_literal,
    names_match_by_substring_in_any_case,
    short_and_long_substrings_match,
    letters_beyond_ascii_match_in_any_case,
];

/// The host names found, in order.
#[track_caller]
fn found(client: &Client, query_string: &str) -> Vec<String> {
    found_raw(client, &encode(query_string))
}

#[track_caller]
fn found_raw(client: &Client, encoded: &str) -> Vec<String> {
    let items = client.get(&format!("/resources/minimal?queryString={encoded}")).list();
    let mut names: Vec<String> = items.iter().map(|item| super::text(&item["hostName"])).collect();
    names.sort();
    names
}

fn errors_name_the_term(server: &Server) {
    let client = server.new_client();
    for path in ["/resources/minimal", "/resources/search", "/history/resources"] {
        for (query_string, term) in [
            ("shoeSize:44", "shoeSize"),
            ("hostName:a+shoeSize:44", "shoeSize"),
            ("hostName:", "hostName"),
            ("hostName", "hostName"),
            ("hostName:a+hostName:b", "hostName"),
            (":value", "value"),
        ] {
            let body = client.search(path, query_string).problem(400, "0002");
            let errors = body["errors"].to_string();
            assert!(errors.contains("\"queryString\""), "{query_string}: {body}");
            assert!(errors.contains(term), "{query_string} names {term}: {body}");
        }
        let many: Vec<String> = (0..51).map(|number| format!("hostName:h{number}")).collect();
        client.search(path, &many.join("+")).problem(400, "0002");
        let two = client.search(path, "shoeSize:44+hatSize:7").problem(400, "0002")["errors"].to_string();
        assert!(two.contains("shoeSize") && two.contains("hatSize"), "all are listed: {two}");
    }
    client.search("/resources/antivirus/search", "colour:blue").problem(400, "0002");
    client.search("/resources/antivirus/search", "status:SLEEPY").problem(400, "0002");
}

fn terms_are_joined_by_an_encoded_or_a_raw_plus(server: &Server) {
    let client = server.new_client();
    let body = json!({"name": "x", "hostName": "web 01", "serialNumber": "S 1", "state": "inactive"});
    client.post("/resources", &body).ok();
    device(&client, "db01");
    for encoded in [
        "hostName:web%2Bstate:all",
        "hostName:web+state:all",
        "hostName:web%20state:all",
        "hostName%3Aweb%2Bstate%3Aall",
        "hostName:web%2001%2Bstate:all",
        "hostName:web+01+state:all",
        "serialNumber:S+1+hostName:web+01+state:inactive",
    ] {
        assert_eq!(found_raw(&client, encoded), ["web 01"], "{encoded}");
    }
    assert!(found_raw(&client, "hostName:web%2Bstate:active").is_empty());
}

fn commas_separate_alternatives(server: &Server) {
    let client = server.new_client();
    for name in ["alpha", "beta", "gamma"] {
        device(&client, name);
    }
    assert_eq!(found(&client, "hostName:alpha,gamma"), ["alpha", "gamma"]);
    assert_eq!(found(&client, "hostName:alph, gamm"), ["alpha", "gamma"]);
    assert_eq!(found(&client, "hostName:alpha,nothing"), ["alpha"]);
    client.search("/resources/minimal", "hostName:,").problem(400, "0002");
}

fn the_first_colon_splits(server: &Server) {
    let client = server.new_client();
    device(&client, "rack:7:slot:2");
    device(&client, "rack");
    assert_eq!(found(&client, "hostName:rack:7"), ["rack:7:slot:2"]);
    assert_eq!(found(&client, "hostName:7:slot:2"), ["rack:7:slot:2"]);
    assert_eq!(found(&client, "hostName::"), ["rack:7:slot:2"]);
}

fn values_are_literal(server: &Server) {
    let client = server.new_client();
    let names = [
        "100%",
        "1000",
        "a_b",
        "axb",
        "o'brien",
        "say \"hi\"",
        "back\\slash",
        "semi;colon",
        "star*",
        "dash--x",
        "(paren)",
        "x AND y",
        "NEAR",
        "[set]",
        "dollar$1",
        "q?mark",
    ];
    for name in names {
        device(&client, name);
    }
    for (value, expected) in [
        ("%", "100%"),
        ("00%", "100%"),
        ("a_b", "a_b"),
        ("_", "a_b"),
        ("'", "o'brien"),
        ("'brien", "o'brien"),
        ("\"hi\"", "say \"hi\""),
        ("\"", "say \"hi\""),
        ("\\", "back\\slash"),
        ("k\\s", "back\\slash"),
        (";", "semi;colon"),
        ("r*", "star*"),
        ("*", "star*"),
        ("h--x", "dash--x"),
        ("(paren)", "(paren)"),
        ("x AND y", "x AND y"),
        ("near", "NEAR"),
        ("[set]", "[set]"),
        ("$1", "dollar$1"),
        ("q?m", "q?mark"),
    ] {
        assert_eq!(found(&client, &format!("hostName:{value}")), [expected], "{value}");
        assert_eq!(found(&client, &format!("hostName:{expected}+isEquals:true")), [expected], "{expected}");
    }
    assert!(found(&client, "hostName:' OR '1'='1").is_empty());
    assert!(found(&client, "hostName:a%b").is_empty());
}

fn names_match_by_substring_in_any_case(server: &Server) {
    let client = server.new_client();
    device(&client, "Web-Server-01.Example.COM");
    device(&client, "db");
    for value in ["web-server", "SERVER-01", "01.example", "Web-Server-01.Example.COM", ".com"] {
        assert_eq!(found(&client, &format!("hostName:{value}")).len(), 1, "{value}");
    }
    assert!(found(&client, "hostName:web-server+isEquals:true").is_empty());
    assert_eq!(found(&client, "hostName:WEB-SERVER-01.EXAMPLE.COM+isEquals:true").len(), 1);
    assert_eq!(found(&client, "hostName:web-server+isEquals:false").len(), 1);
    client.search("/resources/minimal", "hostName:web+isEquals:perhaps").problem(400, "0002");
}

fn short_and_long_substrings_match(server: &Server) {
    let client = server.new_client();
    let long = format!("long-{}-end", "abcdefghij".repeat(20));
    for name in ["q", "qz", "qzx", long.as_str()] {
        device(&client, name);
    }
    assert_eq!(found(&client, "hostName:q"), ["q", "qz", "qzx"]);
    assert_eq!(found(&client, "hostName:qz"), ["qz", "qzx"]);
    assert_eq!(found(&client, "hostName:zx"), ["qzx"]);
    assert_eq!(found(&client, &format!("hostName:{}", &long[3..190])), [long.as_str()]);
    assert_eq!(found(&client, "hostName:qz,nothing"), ["qz", "qzx"]);
}

fn letters_beyond_ascii_match_in_any_case(server: &Server) {
    let client = server.new_client();
    for name in ["Zürich-Ñandú", "МОСКВА", "東京サーバ", "smile😀host"] {
        device(&client, name);
    }
    for (value, expected) in [
        ("zürich", "Zürich-Ñandú"),
        ("ÑANDÚ", "Zürich-Ñandú"),
        ("Zu\u{308}rich", "Zürich-Ñandú"),
        ("ü", "Zürich-Ñandú"),
        ("москва", "МОСКВА"),
        ("京サ", "東京サーバ"),
        ("東", "東京サーバ"),
        ("😀", "smile😀host"),
    ] {
        assert_eq!(found(&client, &format!("hostName:{value}")), [expected], "{value}");
    }
    assert_eq!(found(&client, "hostName:zÜrich-ñandú+isEquals:true"), ["Zürich-Ñandú"]);
}
