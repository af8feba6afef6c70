//! Tenants, clients and API keys over HTTP, behind the guard.

use serde_json::json;

use super::*;

#[actix_web::test]
async fn clients_are_created_found_and_unique() {
    let fixture = Fixture::new();
    let app = fixture.app().await;
    let token = fixture.token(KEY, SECRET).await;
    let (status, made) = call(&app, &token, Method::POST, "msp_1/clients", Some(json!({"name": " Globex "}))).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(made, json!({"id": 2, "uniqueId": "client_2", "name": "Globex", "activated": true}));
    let (status, facts) = call(&app, &token, Method::GET, "client_2", None).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(facts["partner"], json!({"id": 1, "uniqueId": "msp_1"}));
    assert_eq!((&facts["level"], &facts["activated"]), (&json!("client"), &json!(true)));

    let (status, problem) = call(&app, &token, Method::POST, "msp_1/clients", Some(json!({"name": "GLOBEX"}))).await;
    assert_eq!((status, &problem["code"]), (StatusCode::CONFLICT, &json!("0004")));
    let (status, problem) = call(&app, &token, Method::POST, "msp_1/clients", Some(json!({}))).await;
    assert_eq!((status, &problem["errors"][0]["fieldName"]), (StatusCode::BAD_REQUEST, &json!("name")));
    // A client has no clients; a refused create uses no number.
    let (status, _) = call(&app, &token, Method::POST, "client_1/clients", Some(json!({"name": "x"}))).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    let (_, made) = call(&app, &token, Method::POST, "msp_1/clients", Some(json!({"name": "100% _!"}))).await;
    assert_eq!(made["uniqueId"], "client_3");
}

#[actix_web::test]
async fn clients_are_listed_and_searched() {
    let fixture = Fixture::new();
    fixture.foreign();
    let app = fixture.app().await;
    let token = fixture.token(KEY, SECRET).await;
    for name in ["Globex", "100% _!", "Äpfel"] {
        call(&app, &token, Method::POST, "msp_1/clients", Some(json!({"name": name}))).await;
    }
    let (status, all) = call(&app, &token, Method::GET, "msp_1/clients/minimal", None).await;
    assert_eq!(status, StatusCode::OK);
    let names: Vec<_> = all.as_array().unwrap().iter().map(|client| client["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Client One", "Globex", "100% _!", "Äpfel"]);
    assert_eq!(all[0], json!({"id": 1, "uniqueId": "client_1", "name": "Client One"}));

    let found = async |query: &str| {
        let (status, page) = call(&app, &token, Method::GET, &format!("msp_1/clients/search{query}"), None).await;
        assert_eq!(status, StatusCode::OK, "{query}: {page}");
        let names = page["results"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap().to_owned());
        (names.collect::<Vec<_>>(), page["totalResults"].as_i64().unwrap())
    };
    assert_eq!(found("?queryString=name:LOBE").await.0, ["Globex"]);
    assert_eq!(found("?queryString=name:%C3%84PF").await.0, ["Äpfel"]);
    assert_eq!(found("?queryString=name:%25%20_!").await.0, ["100% _!"]);
    assert_eq!(found("?queryString=name:%25").await.1, 1);
    assert_eq!(found("?queryString=name:lobe%2BisEquals:true").await.1, 0);
    assert_eq!(found("?queryString=name:globex%2BisEquals:true").await.1, 1);
    assert_eq!(found("?queryString=id:1,x").await.0, ["Client One"]);
    assert_eq!(found("?queryString=uniqueId:client_2").await.1, 0);
    let (names, total) = found("?sortName=name&isDescendingOrder=true&pageSize=2&pageNo=1").await;
    assert_eq!((names, total), (vec!["Äpfel".to_owned(), "Globex".to_owned()], 4));
    assert_eq!(found("?pageNo=9").await, (vec![], 4));
    let (status, _) = call(&app, &token, Method::GET, "msp_1/clients/search?sortName=city", None).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    let (status, facts) = call(&app, &token, Method::GET, "msp_1/clients/client_1", None).await;
    assert_eq!((status, &facts["name"]), (StatusCode::OK, &json!("Client One")));
    for unknown in ["client_2", "client_99", "msp_1", "x"] {
        let (status, _) = call(&app, &token, Method::GET, &format!("msp_1/clients/{unknown}"), None).await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{unknown}");
    }
}

#[actix_web::test]
async fn other_tenants_are_invisible() {
    let fixture = Fixture::new();
    let (foreign_partner, foreign_client) = fixture.foreign();
    fixture.key(&TenantId::client(1), "clientadmin1", Role::Admin);
    let app = fixture.app().await;
    let partner = fixture.token(KEY, SECRET).await;
    let client = fixture.token_of("clientadmin1").await;
    let (_, mut unknown) = call(&app, &partner, Method::GET, "client_99", None).await;
    unknown["requestId"] = json!("");
    let foreign = [(&partner, foreign_partner.as_str()), (&partner, foreign_client.as_str()), (&client, "msp_1")];
    for (token, tenant) in foreign {
        let operations = [
            (Method::GET, "", None),
            (Method::GET, "/clients/minimal", None),
            (Method::GET, "/clients/search", None),
            (Method::GET, "/clients/client_1", None),
            (Method::POST, "/clients", Some(json!({"name": "x"}))),
            (Method::GET, "/apiKeys", None),
            (Method::POST, "/apiKeys", Some(json!({"name": "x", "role": "admin"}))),
            (Method::DELETE, "/apiKeys/KEY-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90", None),
        ];
        for (method, path, body) in operations {
            let (status, mut problem) = call(&app, token, method, &format!("{tenant}{path}"), body).await;
            problem["requestId"] = json!("");
            assert_eq!((status, &problem), (StatusCode::NOT_FOUND, &unknown), "{tenant}{path}");
        }
    }
    let (status, facts) = call(&app, &client, Method::GET, "client_1", None).await;
    assert_eq!((status, &facts["uniqueId"]), (StatusCode::OK, &json!("client_1")));
}

#[actix_web::test]
async fn only_admins_change_anything() {
    let fixture = Fixture::new();
    fixture.key(&TenantId::partner(1), "integrator1", Role::Integrator);
    let app = fixture.app().await;
    let token = fixture.token_of("integrator1").await;
    let read =
        ["msp_1", "msp_1/clients/minimal", "msp_1/clients/search", "msp_1/clients/client_1", "msp_1/users/search"];
    for path in read {
        assert_eq!(call(&app, &token, Method::GET, path, None).await.0, StatusCode::OK, "{path}");
    }
    let refused = [
        (Method::POST, "msp_1/clients", Some(json!({"name": "x"}))),
        (Method::POST, "msp_1/clients/client_1", Some(json!({"name": "x"}))),
        (Method::POST, "msp_1/clients/client_1/suspend", None),
        (Method::POST, "msp_1/clients/client_1/resume", None),
        (Method::POST, "msp_1/users", Some(json!({"loginName": "x"}))),
        (Method::POST, "msp_1/users/USR0000000001", Some(json!({"firstName": "x"}))),
        (Method::POST, "msp_1/users/USR0000000001/deactivate", None),
        (Method::POST, "msp_1/userGroups", Some(json!({"name": "x"}))),
        (Method::POST, "msp_1/apiKeys", Some(json!({"name": "x", "role": "viewer"}))),
        (Method::GET, "msp_1/apiKeys", None),
        (Method::DELETE, "msp_1/apiKeys/KEY-0b8f7c4e-8f0e-4f6e-9d5a-3c1d7a5b2e90", None),
    ];
    for (method, path, body) in refused {
        let (status, problem) = call(&app, &token, method, path, body).await;
        assert_eq!((status, &problem["code"]), (StatusCode::FORBIDDEN, &json!("0006")), "{path}");
    }
}

#[actix_web::test]
async fn api_keys_are_created_listed_and_revoked() {
    let fixture = Fixture::new();
    let app = fixture.app().await;
    let admin = fixture.token(KEY, SECRET).await;
    let body = json!({"name": "ci", "role": "Operator"});
    let (status, made) = call(&app, &admin, Method::POST, "client_1/apiKeys", Some(body.clone())).await;
    assert_eq!(status, StatusCode::OK);
    let text = |name: &str| made[name].as_str().unwrap().to_owned();
    assert_eq!((made["name"].as_str(), made["role"].as_str()), (Some("ci"), Some("operator")));
    assert!(text("id").starts_with("KEY-") && text("createdDate").ends_with("+0000"));
    assert_eq!((text("key").len(), text("secret").len()), (43, 43));
    assert!(text("userId").starts_with("USR") && text("userId") != text("createdBy"), "{made}");
    assert_eq!((&made["updatedDate"], &made["previousSecretValid"]), (&made["createdDate"], &json!(false)));

    let token = fixture.token(&text("key"), &text("secret")).await;
    let caller = fixture.caller(&token).await.unwrap();
    assert_eq!((caller.home.clone(), caller.role), (TenantId::client(1), Role::Operator));
    assert_eq!(caller.user_id, text("userId"));

    let (status, _) = call(&app, &admin, Method::POST, "client_1/apiKeys", Some(body.clone())).await;
    assert_eq!(status, StatusCode::CONFLICT);
    let (_, list) = call(&app, &admin, Method::GET, "client_1/apiKeys", None).await;
    assert_eq!((list.as_array().unwrap().len(), &list[0]["id"]), (1, &made["id"]));
    assert!(list[0].get("secret").is_none() && !list.to_string().contains(&text("secret")));
    let (_, list) = call(&app, &admin, Method::GET, "msp_1/apiKeys", None).await;
    assert_eq!((list.as_array().unwrap().len(), &list[0]["name"]), (1, &json!("Administrator")));

    // Under another tenant the key is unknown; under its own it is revoked once, and its token is dead at once.
    let under = |tenant: &str| format!("{tenant}/apiKeys/{}", text("id"));
    assert_eq!(call(&app, &admin, Method::DELETE, &under("msp_1"), None).await.0, StatusCode::NOT_FOUND);
    assert_eq!(call(&app, &token, Method::GET, "client_1", None).await.0, StatusCode::OK);
    let (status, answer) = call(&app, &admin, Method::DELETE, &under("client_1"), None).await;
    assert_eq!((status, answer), (StatusCode::OK, json!({})));
    let (status, problem) = call(&app, &token, Method::GET, "client_1", None).await;
    assert_eq!((status, &problem["code"]), (StatusCode::UNAUTHORIZED, &json!("invalid_token")));
    assert_eq!(call(&app, &admin, Method::DELETE, &under("client_1"), None).await.0, StatusCode::NOT_FOUND);
    // Its name is free again.
    assert_eq!(call(&app, &admin, Method::POST, "client_1/apiKeys", Some(body)).await.0, StatusCode::OK);
}

#[actix_web::test]
async fn facts_have_an_etag() {
    let fixture = Fixture::new();
    let app = fixture.app().await;
    let token = fixture.token(KEY, SECRET).await;
    let request = |tag: Option<&str>| {
        let request = TestRequest::with_uri("/api/v2/tenants/client_1")
            .insert_header((header::AUTHORIZATION, format!("Bearer {token}")));
        tag.into_iter().fold(request, |request, tag| request.insert_header((header::IF_NONE_MATCH, tag)))
    };
    let response = app.send(request(None)).await;
    assert_eq!(response.headers().get(header::ETAG).unwrap(), "\"1\"");
    assert_eq!(app.send(request(Some("\"1\""))).await.status(), StatusCode::NOT_MODIFIED);
}

#[test]
fn operations_are_documented_and_unique() {
    let mut document = api::spec::document("test", &[domain()]);
    assert!(api::spec::access_table(&document).is_ok());
    let mut ids = Vec::new();
    for item in document.paths.paths.values_mut() {
        for (_, operation) in api::spec::operations_mut(item) {
            assert!(operation.summary.as_ref().is_some_and(|text| !text.is_empty()));
            assert!(operation.description.as_ref().is_some_and(|text| !text.is_empty()));
            ids.push(operation.operation_id.clone().unwrap());
        }
    }
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count);
    let schemas = document.components.unwrap().schemas;
    for name in ["TenantFacts", "PartnerReference", "Client", "PageOf_Client", "ApiKey", "CreatedApiKey", "TokenError"]
    {
        assert!(schemas.contains_key(name), "{name}");
    }
}
