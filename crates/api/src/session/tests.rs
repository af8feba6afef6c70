use actix_web::test::TestRequest;

use super::*;

fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
    let request = pairs.iter().fold(TestRequest::default(), |request, pair| request.append_header(*pair));
    request.to_http_request().headers().clone()
}

#[test]
fn one_cookie_of_the_name_is_the_session() {
    let one = |pairs: &[(&'static str, &'static str)]| match read(&headers(pairs), SESSION) {
        SessionCookie::Nothing => "nothing".to_owned(),
        SessionCookie::One(token) => token.into_inner(),
        SessionCookie::Several => "several".to_owned(),
    };
    assert_eq!(one(&[]), "nothing");
    assert_eq!(one(&[("cookie", "a=b; muster_session=x; c")]), "x");
    assert_eq!(one(&[("cookie", "xmuster_session=x; __Host-muster_session=y")]), "nothing");
    assert_eq!(one(&[("cookie", "muster_session=x; muster_session=y")]), "several");
    assert_eq!(one(&[("cookie", "muster_session=x"), ("cookie", "muster_session=x")]), "several");
}

#[test]
fn who_sent_a_request() {
    let sender_of = |pairs: &[(&'static str, &'static str)]| sender(&headers(pairs), "https://m.example");
    assert_eq!(sender_of(&[]), Sender::Unknown);
    assert_eq!(sender_of(&[("origin", "https://m.example")]), Sender::Own);
    assert_eq!(sender_of(&[("sec-fetch-site", "same-origin")]), Sender::Own);
    assert_eq!(sender_of(&[("sec-fetch-site", "same-origin"), ("origin", "https://M.example")]), Sender::Own);
    for other in [
        &[("origin", "null")][..],
        &[("origin", "")],
        &[("origin", "http://m.example")],
        &[("origin", "https://m.example:8443")],
        &[("origin", "https://m.example.evil")],
        &[("sec-fetch-site", "same-site")],
        &[("sec-fetch-site", "cross-site")],
        &[("sec-fetch-site", "none")],
        &[("sec-fetch-site", "same-origin"), ("origin", "https://evil.example")],
        &[("sec-fetch-site", "cross-site"), ("origin", "https://m.example")],
        &[("origin", "https://m.example"), ("origin", "https://evil.example")],
    ] {
        assert_eq!(sender_of(other), Sender::Foreign, "{other:?}");
    }
}

#[test]
fn a_cookie_says_where_it_may_go() {
    let text = |secure| set(SESSION, "x", 60, secure).unwrap().to_str().unwrap().to_owned();
    assert_eq!(text(true), "__Host-muster_session=x; Max-Age=60; Path=/; HttpOnly; SameSite=Lax; Secure");
    assert_eq!(text(false), "muster_session=x; Max-Age=60; Path=/; HttpOnly; SameSite=Lax");
}

#[test]
fn the_origin_is_the_address_that_was_asked() {
    let request = TestRequest::default().insert_header(("host", "M.example:80")).to_http_request();
    assert_eq!(origin(&request), "http://m.example");
    let request = TestRequest::default().insert_header(("host", "127.0.0.1:8080")).to_http_request();
    assert_eq!(origin(&request), "http://127.0.0.1:8080");
}
