//! Rotation and revocation of keys, suspension of their tenants, and failed attempts.

use base64::Engine as _;
use serde_json::json;

use super::*;

const ROTATE: &str = "client_1/apiKeys";

async fn new_key(app: &Operations, admin: &str, tenant: &str, role: &str) -> (String, String, String) {
    let body = json!({"name": format!("{role}-{tenant}"), "role": role});
    let (status, made) = call(app, admin, Method::POST, &format!("{tenant}/apiKeys"), Some(body)).await;
    assert_eq!(status, StatusCode::OK, "{made}");
    let text = |name: &str| made[name].as_str().unwrap().to_owned();
    (text("id"), text("key"), text("secret"))
}

#[actix_web::test]
async fn two_secrets_are_live_and_tokens_die_with_theirs() {
    let fixture = Fixture::new();
    let app = fixture.app().await;
    let admin = fixture.token(KEY, SECRET).await;
    let (id, key, first) = new_key(&app, &admin, "client_1", "operator").await;
    let rotate = async |body: Option<Value>| {
        let (status, made) = call(&app, &admin, Method::POST, &format!("{ROTATE}/{id}/rotate"), body).await;
        assert_eq!(status, StatusCode::OK, "{made}");
        assert_eq!((&made["id"], &made["key"]), (&json!(id), &json!(key)));
        (made["secret"].as_str().unwrap().to_owned(), made["previousSecretValid"].as_bool().unwrap())
    };
    let of_first = fixture.token(&key, &first).await;

    let (second, previous) = rotate(None).await;
    assert!(second != first && previous);
    let of_second = fixture.token(&key, &second).await;
    assert!(fixture.basic(&key, &first).await.is_some());
    assert!(fixture.caller(&of_first).await.is_some());

    // Again: the oldest is dropped, with the tokens that were got with it.
    let (third, previous) = rotate(Some(json!({"revokePrevious": "false"}))).await;
    assert!(previous);
    assert!(fixture.basic(&key, &first).await.is_none());
    assert!(fixture.caller(&of_first).await.is_none());
    assert!(fixture.basic(&key, &second).await.is_some() && fixture.caller(&of_second).await.is_some());

    // At once: only the new one is left.
    let of_third = fixture.token(&key, &third).await;
    let (fourth, previous) = rotate(Some(json!({"revokePrevious": true}))).await;
    assert!(!previous);
    for (secret, token) in [(&second, &of_second), (&third, &of_third)] {
        assert!(fixture.basic(&key, secret).await.is_none());
        assert!(fixture.caller(token).await.is_none());
    }
    assert!(fixture.basic(&key, &fourth).await.is_some());
    let (_, list) = call(&app, &admin, Method::GET, ROTATE, None).await;
    assert_eq!(list[0]["previousSecretValid"], false);

    // A bad body changes nothing; of another tenant or revoked, the key is unknown.
    let path = format!("{ROTATE}/{id}/rotate");
    let wrong = Some(json!({"revokePrevious": 7}));
    assert_eq!(call(&app, &admin, Method::POST, &path, wrong).await.0, StatusCode::BAD_REQUEST);
    assert!(fixture.basic(&key, &fourth).await.is_some());
    let elsewhere = format!("msp_1/apiKeys/{id}/rotate");
    assert_eq!(call(&app, &admin, Method::POST, &elsewhere, None).await.0, StatusCode::NOT_FOUND);
    assert_eq!(call(&app, &admin, Method::DELETE, &format!("{ROTATE}/{id}"), None).await.0, StatusCode::OK);
    assert_eq!(call(&app, &admin, Method::POST, &path, None).await.0, StatusCode::NOT_FOUND);
}

#[actix_web::test]
async fn the_last_admin_key_of_a_partner_stays() {
    let fixture = Fixture::new();
    let app = fixture.app().await;
    let admin = fixture.token(KEY, SECRET).await;
    let (_, list) = call(&app, &admin, Method::GET, "msp_1/apiKeys", None).await;
    let first = format!("msp_1/apiKeys/{}", list[0]["id"].as_str().unwrap());
    let (status, problem) = call(&app, &admin, Method::DELETE, &first, None).await;
    assert_eq!((status, &problem["code"]), (StatusCode::CONFLICT, &json!("0004")));
    // An admin key of a client does not count, and may go; a second one of the partner sets the first free.
    let (id, ..) = new_key(&app, &admin, "client_1", "admin").await;
    assert_eq!(call(&app, &admin, Method::DELETE, &first, None).await.0, StatusCode::CONFLICT);
    assert_eq!(call(&app, &admin, Method::DELETE, &format!("client_1/apiKeys/{id}"), None).await.0, StatusCode::OK);
    let (_, key, text) = new_key(&app, &admin, "msp_1", "admin").await;
    assert_eq!(call(&app, &admin, Method::DELETE, &first, None).await.0, StatusCode::OK);
    let second = fixture.token(&key, &text).await;
    assert_eq!(call(&app, &admin, Method::GET, "msp_1", None).await.0, StatusCode::UNAUTHORIZED);
    assert_eq!(call(&app, &second, Method::GET, "msp_1", None).await.0, StatusCode::OK);
}

#[actix_web::test]
async fn a_suspended_client_is_shut_out_and_its_data_stays() {
    let fixture = Fixture::new();
    let app = fixture.app().await;
    let admin = fixture.token(KEY, SECRET).await;
    let (_, key, text) = new_key(&app, &admin, "client_1", "admin").await;
    let token = fixture.token(&key, &text).await;
    assert_eq!(call(&app, &token, Method::GET, "client_1", None).await.0, StatusCode::OK);
    let (status, facts) = call(&app, &admin, Method::POST, "msp_1/clients/client_1/suspend", None).await;
    assert_eq!((status, &facts["activated"], &facts["suspended"]), (StatusCode::OK, &json!(false), &json!(true)));
    for (method, path) in [
        (Method::GET, "client_1"),
        (Method::GET, "client_1/apiKeys"),
        (Method::POST, "client_1/users"),
        (Method::GET, "msp_1"),
    ] {
        let (status, problem) = call(&app, &token, method, path, None).await;
        assert_eq!((status, &problem["code"]), (StatusCode::FORBIDDEN, &json!("0006")), "{path}");
    }
    assert_eq!(fixture.authenticator.basic(&key, secret(&text)).await.unwrap(), Identity::Suspended);
    let form = format!("grant_type=client_credentials&client_id={key}&client_secret={text}");
    let request = TestRequest::with_uri("/auth/oauth/token")
        .method(Method::POST)
        .insert_header((header::CONTENT_TYPE, "application/x-www-form-urlencoded"))
        .set_payload(form);
    let response = app.send(request).await;
    assert_eq!(response.status(), StatusCode::FORBIDDEN);
    let body: Value = serde_json::from_slice(&read_body(response).await).unwrap();
    assert_eq!(body["error"], "access_denied");

    // The partner sees it, by itself and in its lists; nothing changes by suspending it again.
    let (_, again) = call(&app, &admin, Method::POST, "msp_1/clients/client_1/suspend", None).await;
    assert_eq!(again, facts);
    let (_, list) = call(&app, &admin, Method::GET, "client_1/apiKeys", None).await;
    assert_eq!(list.as_array().unwrap().len(), 1);
    let path = "msp_1/clients/search?queryString=activated:false";
    let (_, page) = call(&app, &admin, Method::GET, path, None).await;
    assert_eq!((&page["totalResults"], &page["results"][0]["activated"]), (&json!(1), &json!(false)));

    let (_, facts) = call(&app, &admin, Method::POST, "msp_1/clients/client_1/resume", None).await;
    assert_eq!((&facts["activated"], &facts["suspended"]), (&json!(true), &json!(false)));
    assert_eq!(call(&app, &token, Method::GET, "client_1", None).await.0, StatusCode::OK);
    for unknown in ["msp_1/clients/client_9/suspend", "msp_1/clients/msp_1/suspend", "msp_1/clients/x/resume"] {
        assert_eq!(call(&app, &admin, Method::POST, unknown, None).await.0, StatusCode::NOT_FOUND, "{unknown}");
    }
}

#[actix_web::test]
async fn a_client_is_renamed() {
    let fixture = Fixture::new();
    let app = fixture.app().await;
    let admin = fixture.token(KEY, SECRET).await;
    call(&app, &admin, Method::POST, "msp_1/clients", Some(json!({"name": "Globex"}))).await;
    let rename = async |body: Value| call(&app, &admin, Method::POST, "msp_1/clients/client_2", Some(body)).await;
    let (status, facts) = rename(json!({"name": "GLOBEX Corp."})).await;
    assert_eq!((status, &facts["name"]), (StatusCode::OK, &json!("GLOBEX Corp.")));
    assert_eq!(rename(json!({"name": "client one"})).await.0, StatusCode::CONFLICT);
    assert_eq!(rename(json!({"name": ""})).await.0, StatusCode::BAD_REQUEST);
    let (status, facts) = rename(json!({})).await;
    assert_eq!((status, &facts["name"]), (StatusCode::OK, &json!("GLOBEX Corp.")));
    let stale = TestRequest::with_uri("/api/v2/tenants/msp_1/clients/client_2")
        .method(Method::POST)
        .insert_header((header::AUTHORIZATION, format!("Bearer {admin}")))
        .insert_header((header::IF_MATCH, "\"1\""))
        .set_json(json!({"name": "Late"}));
    assert_eq!(app.send(stale).await.status(), StatusCode::PRECONDITION_FAILED);
}

fn from(address: &str, request: TestRequest) -> TestRequest {
    request.peer_addr(format!("{address}:1234").parse().unwrap())
}

fn ask(address: &str, key: &str, text: &str) -> TestRequest {
    from(address, TestRequest::with_uri("/auth/oauth/token"))
        .method(Method::POST)
        .insert_header((header::CONTENT_TYPE, "application/x-www-form-urlencoded"))
        .set_payload(format!("grant_type=client_credentials&client_id={key}&client_secret={text}"))
}

#[actix_web::test]
async fn failures_are_throttled_and_the_right_secret_never_is() {
    let fixture = Fixture::new();
    let app = fixture.app().await;
    let wrong = "wrongwrongwrong12";
    let mut heard = 0;
    let refused = loop {
        let response = app.send(ask("192.0.2.1", KEY, wrong)).await;
        if response.status() != StatusCode::UNAUTHORIZED {
            break response;
        }
        heard += 1;
        assert!(heard < 100);
    };
    assert!((10..13).contains(&heard), "{heard}");
    assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
    let number = |name: &str| refused.headers().get(name).unwrap().to_str().unwrap().parse::<u32>().unwrap();
    assert!((1..=6).contains(&number("retry-after")));
    assert_eq!((number("x-ratelimit-limit"), number("x-ratelimit-remaining")), (10, 0));
    assert!((54..=60).contains(&number("x-ratelimit-reset")), "{}", number("x-ratelimit-reset"));
    let body: Value = serde_json::from_slice(&read_body(refused).await).unwrap();
    assert_eq!((&body["code"], &body["status"]), (&json!("throttled"), &json!(429)));

    // The right secret is heard from there, others' failures are, and those from elsewhere.
    assert_eq!(app.send(ask("192.0.2.1", KEY, SECRET)).await.status(), StatusCode::OK);
    assert_eq!(app.send(ask("192.0.2.1", "anotherkey12", wrong)).await.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(app.send(ask("192.0.2.2", KEY, wrong)).await.status(), StatusCode::UNAUTHORIZED);

    // One address, many keys.
    for number in 0..120 {
        app.send(ask("192.0.2.3", &format!("somekey{number}"), wrong)).await;
    }
    assert_eq!(app.send(ask("192.0.2.3", "newkey12", wrong)).await.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(app.send(ask("192.0.2.3", KEY, SECRET)).await.status(), StatusCode::OK);
}

#[actix_web::test]
async fn a_flood_of_tokens_hides_no_expired_one() {
    let fixture = Fixture::new();
    let app = fixture.app().await;
    let now = clock::now().millis();
    let expired = fixture.issue(KEY, SECRET, Timestamp::from_millis(now - 7_199_000)).await.unwrap();
    let good = fixture.token(KEY, SECRET).await;
    let read = async |token: &str| {
        let request = from("192.0.2.1", TestRequest::with_uri("/api/v2/tenants/msp_1"));
        app.send(request.insert_header((header::AUTHORIZATION, format!("Bearer {token}")))).await.status().as_u16()
    };
    for _ in 0..700 {
        read("nonsense").await;
    }
    assert_eq!(read("nonsense").await, 429);
    assert_eq!(read(&expired).await, 401);
    assert_eq!(read(&good).await, 200);
    // A request without credentials does not count as an attempt.
    let none = from("192.0.2.1", TestRequest::with_uri("/api/v2/tenants/msp_1"));
    assert_eq!(app.send(none).await.status(), StatusCode::UNAUTHORIZED);
}

#[actix_web::test]
async fn a_wrong_secret_over_basic_counts_as_at_the_token_endpoint() {
    let fixture = Fixture::new();
    let text = base64::engine::general_purpose::STANDARD.encode(format!("{KEY}:wrongwrongwrong12"));
    let app = fixture.app().await;
    let token = |_| {
        from("192.0.2.1", TestRequest::with_uri("/auth/oauth/token"))
            .method(Method::POST)
            .insert_header((header::AUTHORIZATION, format!("Basic {text}")))
            .insert_header((header::CONTENT_TYPE, "application/x-www-form-urlencoded"))
            .set_payload("grant_type=client_credentials")
    };
    for attempt in (0..10).map(token) {
        assert_eq!(app.send(attempt).await.status(), StatusCode::UNAUTHORIZED);
    }
    let request = from("192.0.2.1", TestRequest::default()).to_http_request();
    assert!(fixture.authenticator.refused(&request, Some(KEY)).is_some());
    let elsewhere = from("192.0.2.9", TestRequest::default()).to_http_request();
    assert!(fixture.authenticator.refused(&elsewhere, Some(KEY)).is_none());
}

#[actix_web::test]
async fn a_key_has_a_thousand_tokens_at_most_and_the_oldest_end() {
    use diesel::prelude::*;

    use crate::{schema::tokens, tokens::store};

    let fixture = Fixture::new();
    let first = fixture.token(KEY, SECRET).await;
    let second = fixture.token(KEY, SECRET).await;
    let now = clock::now().millis();
    let stored = fixture.write(move |conn| {
        let tenant = TenantId::partner(1);
        let (id, mark): (String, String) = tokens::table.select((tokens::key_id, tokens::secret_mark)).first(conn)?;
        let of = store::TokenSource { tenant: &tenant, key_id: &id, secret_mark: &mark };
        for number in 1..=998 {
            let made = Timestamp::from_millis(now + number);
            let end = Timestamp::from_millis(now + 7_199_000);
            store::insert(conn, &of, &format!("filler{number}"), made, end)?;
        }
        Ok(tokens::table.count().get_result::<i64>(conn)?)
    });
    assert_eq!(stored, 1_000);
    assert!(fixture.caller(&first).await.is_some());
    let later = Timestamp::from_millis(now + 2_000);
    let last = fixture.issue(KEY, SECRET, later).await.unwrap();
    fixture.authenticator.forget_callers();
    assert!(fixture.caller(&first).await.is_none(), "the oldest ends");
    assert!(fixture.caller(&second).await.is_some() && fixture.caller(&last).await.is_some());
    let left: i64 = fixture.write(|conn| Ok(tokens::table.count().get_result(conn)?));
    assert_eq!(left, 1_000);
}
