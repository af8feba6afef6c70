use base::body::Request as _;

use super::*;

fn errors(body: &Value) -> Vec<String> {
    errors_after(None, body)
}

fn errors_after(stored: Option<&Value>, body: &Value) -> Vec<String> {
    let (given, mut wrong) = NotifierInput::parse_with_errors(body);
    given.checked(stored, &Guard::default(), |field, message| wrong.add(field, message));
    let errors = wrong.check().err().map(|problem| problem.errors).unwrap_or_default();
    errors.into_iter().map(|error| error.field_name).collect()
}

#[test]
fn each_missing_field_is_named() {
    let uri = "https://example.net";
    for (body, expected) in [
        (json!({}), vec!["baseURI"]),
        (json!({"baseURI": uri}), vec![]),
        (json!({"baseURI": uri, "authType": "basic"}), vec!["userName", "password"]),
        (json!({"baseURI": uri, "authType": "OAUTH2"}), vec!["grantType", "apiKey", "apiSecret", "accessTokenURL"]),
        (
            json!({"baseURI": uri, "authType": "OAUTH2", "grantType": "password"}),
            vec!["userName", "password", "apiKey", "apiSecret", "accessTokenURL"],
        ),
        (
            json!({"baseURI": uri, "authType": "OAUTH2", "grantType": "REFRESH_TOKEN", "accessTokenURI": uri}),
            vec!["userName", "password", "apiKey", "apiSecret"],
        ),
        (
            json!({"baseURI": uri, "authType": "OAUTH2", "grantType": "CLIENT_CREDENTIALS", "apiKey": "k",
                    "apiSecret": "s",
                    "accessTokenURL": "http://127.0.0.1/token"}),
            vec!["accessTokenURL"],
        ),
        (
            json!({"baseURI": "http://localhost", "type": "SMTP", "authType": "KEY"}),
            vec!["type", "authType", "baseURI"],
        ),
    ] {
        assert_eq!(errors(&body), expected, "{body}");
    }
}

#[test]
fn urls_that_are_stored_are_written_back() {
    let of = |base: &str, token: &str| {
        json!({"baseURI": base, "authType": "OAUTH2", "grantType": "CLIENT_CREDENTIALS", "apiKey": "k",
            "apiSecret": "s", "accessTokenURL": token})
    };
    let [base, token] = ["http://127.0.0.1/hook", "http://10.0.0.1/token"];
    let stored = of(base, token);
    for (body, expected) in [
        (stored.clone(), vec![]),
        (of(base, "http://10.0.0.2/token"), vec!["accessTokenURL"]),
        (of("http://127.0.0.1/other", token), vec!["baseURI"]),
        (of(token, base), vec!["baseURI", "accessTokenURL"]),
    ] {
        assert_eq!(errors_after(Some(&stored), &body), expected, "{body}");
    }
    assert_eq!(errors(&stored), ["baseURI", "accessTokenURL"]);
}

#[test]
fn credentials_do_not_follow_to_another_host() {
    let stored = json!({"baseURI": "https://a.net/x", "authType": "BASIC", "userName": "u", "password": "p"});
    let same = laid_over(&stored, &json!({"baseURI": "https://a.net/y"}));
    assert_eq!((&same["password"], &same["baseURI"]), (&json!("p"), &json!("https://a.net/y")));
    for elsewhere in ["https://b.net/x", "http://a.net/x", "https://a.net:444/x"] {
        assert_eq!(laid_over(&stored, &json!({"baseURI": elsewhere}))["password"], Value::Null, "{elsewhere}");
    }
    assert_eq!(laid_over(&stored, &json!({"baseURI": "https://b.net", "password": "q"}))["password"], json!("q"));
    assert_eq!(laid_over(&stored, &json!({"userName": "v"}))["password"], json!("p"));
    assert_eq!(laid_over(&stored, &json!({"authType": "Basic"}))["password"], json!("p"));
    // A password that went to where tokens are got does not go to where calls go.
    let stored = json!({"baseURI": "https://a.net", "authType": "OAUTH2", "grantType": "PASSWORD", "userName": "u",
            "password": "p", "apiKey": "k", "apiSecret": "s", "accessTokenURL": "https://b.net/token"});
    let basic = laid_over(&stored, &json!({"authType": "BASIC"}));
    assert_eq!(SECRETS.map(|name| basic.get(name).cloned()), [None, None, None]);
}

#[test]
fn null_changes_nothing() {
    let stored = json!({"baseURI": "https://a.net", "authType": "OAUTH2", "grantType": "CLIENT_CREDENTIALS",
            "apiKey": "k", "apiSecret": "s", "accessTokenURL": "https://b.net/token"});
    for name in ["baseURI", "authType", "grantType", "apiKey", "apiSecret", "accessTokenURL", "accessTokenURI"] {
        assert_eq!(laid_over(&stored, &json!({ name: null })), stored, "{name}");
    }
    // The other name of the address counts beside a null.
    let renamed = json!({"accessTokenURL": null, "accessTokenURI": "https://b.net/other"});
    let moved = laid_over(&stored, &renamed);
    assert_eq!((&moved["accessTokenURI"], &moved["apiKey"]), (&json!("https://b.net/other"), &json!("k")));
    assert_eq!(moved.get("accessTokenURL"), None);
}

#[test]
fn an_address_for_tokens_that_is_not_asked_for_is_named() {
    let ignored = |body: &Value| base::body::ignored::collect(|| NotifierInput::parse_with_errors(body)).1;
    for name in ["accessTokenURL", "accessTokenURI", "apiKey"] {
        let body = json!({"baseURI": "https://a.net", "authType": "NONE", name: "https://b.net/token"});
        assert_eq!(ignored(&body), [name]);
    }
    let oauth2 = json!({"baseURI": "https://a.net", "authType": "OAUTH2", "grantType": "CLIENT_CREDENTIALS",
        "apiKey": "k", "apiSecret": "s", "accessTokenURI": "https://b.net/token"});
    assert_eq!(ignored(&oauth2), <[&str; 0]>::default());
}
