//! The token endpoint over HTTP.

use base64::Engine as _;

use super::*;

const GOOD: &str = "grant_type=client_credentials&client_id=bootstrapkey1&client_secret=bootstrapsecret12";

/// The status, the `Cache-Control` header and the body.
async fn post(app: &Operations, request: TestRequest) -> (u16, String, Value) {
    let response = app.send(request.method(Method::POST)).await;
    let status = response.status().as_u16();
    let cache = response.headers().get(header::CACHE_CONTROL).map(|value| value.to_str().unwrap().to_owned());
    (status, cache.unwrap_or_default(), serde_json::from_slice(&read_body(response).await).unwrap())
}

fn form(path: &str, body: &str) -> TestRequest {
    TestRequest::with_uri(path)
        .insert_header((header::CONTENT_TYPE, "application/x-www-form-urlencoded"))
        .set_payload(body.to_owned())
}

fn basic(key: &str, text: &str) -> (header::HeaderName, String) {
    let text = base64::engine::general_purpose::STANDARD.encode(format!("{key}:{text}"));
    (header::AUTHORIZATION, format!("Basic {text}"))
}

#[actix_web::test]
async fn both_paths_give_a_token_that_works() {
    let fixture = Fixture::new();
    let app = fixture.app().await;
    for path in ["/auth/oauth/token", "/tenancy/auth/oauth/token"] {
        let (status, cache, body) = post(&app, form(path, GOOD)).await;
        assert_eq!((status, cache.as_str()), (200, "no-store"));
        assert_eq!(body["token_type"], "bearer");
        assert_eq!(body["expires_in"], 7199);
        assert_eq!(body["scope"], "global:manage");
        assert_eq!(body.as_object().unwrap().len(), 4);
        let token = body["access_token"].as_str().unwrap();
        let (status, facts) = call(&app, token, Method::GET, "msp_1", None).await;
        assert_eq!((status.as_u16(), facts["uniqueId"].as_str()), (200, Some("msp_1")));
    }
}

#[actix_web::test]
async fn basic_instead_of_the_form() {
    let fixture = Fixture::new();
    let app = fixture.app().await;
    let path = "/auth/oauth/token";
    let grant = "grant_type=client_credentials";
    let (status, ..) = post(&app, form(path, grant).insert_header(basic(KEY, SECRET))).await;
    assert_eq!(status, 200);
    let (status, _, body) = post(&app, form(path, grant).insert_header(basic(KEY, "wrongwrongwrong12"))).await;
    assert_eq!((status, body["error"].as_str()), (401, Some("unauthorized")));
    let (status, _, body) = post(&app, form(path, GOOD).insert_header(basic(KEY, SECRET))).await;
    assert_eq!((status, body["error"].as_str()), (400, Some("invalid_request")));
    // An old token that the client still sends does no harm.
    let old = form(path, GOOD).insert_header((header::AUTHORIZATION, "Bearer old"));
    assert_eq!(post(&app, old).await.0, 200);
    let twice = form(path, GOOD).append_header(basic(KEY, SECRET)).append_header(basic(KEY, SECRET));
    assert_eq!(post(&app, twice).await.0, 400);
}

#[actix_web::test]
async fn refusals_have_the_shape_of_oauth() {
    let fixture = Fixture::new();
    let app = fixture.app().await;
    let path = "/auth/oauth/token";
    let wrong_secret = GOOD.replace("bootstrapsecret12", "bootstrapsecret13");
    let (status, cache, body) = post(&app, form(path, &wrong_secret)).await;
    assert_eq!((status, cache.as_str()), (401, "no-store"));
    assert_eq!(body, serde_json::json!({"error": "unauthorized", "error_description": "Bad API credentials"}));
    assert_eq!(post(&app, form(path, &GOOD.replace("key1", "key2"))).await.2, body);
    assert_eq!(post(&app, form(path, &GOOD.replace("key1", "key%00"))).await.2, body);

    let refused = [
        (form(path, &GOOD.replace("client_credentials", "password")), "unsupported_grant_type"),
        (form(path, "grant_type=refresh_token"), "unsupported_grant_type"),
        (form(path, ""), "invalid_request"),
        (form(path, "grant_type=client_credentials&client_id=bootstrapkey1"), "invalid_request"),
        (form(path, &format!("{GOOD}&client_id=bootstrapkey1")), "invalid_request"),
        (form(path, "%FF%00=%ZZ"), "invalid_request"),
        (form(&format!("{path}?grant_type=client_credentials"), GOOD), "invalid_request"),
        (
            TestRequest::with_uri(path).set_json(serde_json::json!({"grant_type": "client_credentials"})),
            "invalid_request",
        ),
    ];
    for (request, error) in refused {
        let (status, cache, body) = post(&app, request).await;
        assert_eq!((status, cache.as_str(), body["error"].as_str()), (400, "no-store", Some(error)));
        assert!(body["error_description"].is_string());
    }
    let (status, _, body) = post(&app, form(path, &"x".repeat(20_000))).await;
    assert_eq!((status, body["error"].as_str()), (413, Some("invalid_request")));
}
