//! Users and user groups over HTTP, behind the guard.

use std::collections::BTreeSet;

use serde_json::json;

use super::*;
use crate::{user_groups, users};

/// A call that has to succeed.
async fn ok(app: &Operations, token: &str, method: Method, path: &str, body: Value) -> Value {
    let body = (!body.is_null()).then_some(body);
    let (status, answer) = call(app, token, method, path, body).await;
    assert_eq!(status, StatusCode::OK, "{path}: {answer}");
    answer
}

async fn status(app: &Operations, token: &str, method: Method, path: &str, body: Value) -> u16 {
    let body = (!body.is_null()).then_some(body);
    call(app, token, method, path, body).await.0.as_u16()
}

async fn user(app: &Operations, token: &str, tenant: &str, login: &str) -> String {
    let made = ok(app, token, Method::POST, &format!("{tenant}/users"), json!({"loginName": login})).await;
    made["id"].as_str().unwrap().to_owned()
}

#[actix_web::test]
async fn users_are_created_read_and_changed() {
    let fixture = Fixture::new();
    let app = fixture.app().await;
    let admin = fixture.token(KEY, SECRET).await;
    let body = json!({"loginName": " ann.lee ", "firstName": "Ann", "lastName": "Lee", "email": "ann@example.net",
        "phoneNumber": "+33 1", "mobileNumber": "+33 6"});
    let made = ok(&app, &admin, Method::POST, "client_1/users", body).await;
    let id = made["id"].as_str().unwrap();
    assert!(crate::users::row::is_id(id) && made["loginName"] == "ann.lee", "{made}");
    assert_eq!((&made["activated"], &made["tenantId"]), (&json!(true), &json!("client_1")));
    let path = &format!("client_1/users/{id}");
    assert_eq!(ok(&app, &admin, Method::GET, path, Value::Null).await, made);

    let changed = ok(&app, &admin, Method::POST, path, json!({"mobileNumber": "", "lastName": "Li"})).await;
    assert!(changed.get("mobileNumber").is_none());
    assert_eq!((&changed["lastName"], &changed["phoneNumber"]), (&json!("Li"), &json!("+33 1")));
    let (status_, problem) =
        call(&app, &admin, Method::POST, "client_1/users", Some(json!({"loginName": "ANN.LEE"}))).await;
    assert_eq!((status_.as_u16(), &problem["code"]), (409, &json!("0004")));
    // Elsewhere the name is free, and numbers are of all tenants.
    assert_ne!(user(&app, &admin, "msp_1", "ann.lee").await, id);
    assert_eq!(status(&app, &admin, Method::POST, path, json!({"email": "nowhere"})).await, 400);

    let off = ok(&app, &admin, Method::POST, &format!("{path}/deactivate"), Value::Null).await;
    assert_eq!(off["activated"], false);
    assert_eq!(ok(&app, &admin, Method::POST, &format!("{path}/deactivate"), Value::Null).await, off);
    let on = ok(&app, &admin, Method::POST, &format!("{path}/activate"), Value::Null).await;
    assert_eq!(on["activated"], true);
    // The user of a live key stays in use.
    let users = ok(&app, &admin, Method::GET, "msp_1/users/minimal", Value::Null).await;
    let is_own = |user: &&Value| user["loginName"].as_str().is_some_and(|name| name.starts_with("api-"));
    let own = users.as_array().unwrap().iter().find(is_own).unwrap()["id"].as_str().unwrap();
    let own = format!("msp_1/users/{own}/deactivate");
    assert_eq!(status(&app, &admin, Method::POST, &own, Value::Null).await, 409);
    for unknown in ["USR0000000099", "USR1", "x", "usr0000000002", "%00"] {
        let path = format!("client_1/users/{unknown}");
        assert_eq!(status(&app, &admin, Method::GET, &path, Value::Null).await, 404, "{unknown}");
    }
}

#[actix_web::test]
async fn the_user_of_a_key_that_is_over_is_nobodys() {
    let fixture = Fixture::new();
    let app = fixture.app().await;
    let admin = fixture.token(KEY, SECRET).await;
    let key = json!({"name": "k", "role": "operator", "expiresAt": "2999-01-01T00:00:00+0000"});
    let made = ok(&app, &admin, Method::POST, "client_1/apiKeys", key).await;
    let path = format!("client_1/users/{}", made["userId"].as_str().unwrap());
    let off = format!("{path}/deactivate");
    let role = json!({"role": "viewer", "loginName": "ann"});
    assert_eq!(status(&app, &admin, Method::POST, &path, role.clone()).await, 409);
    assert_eq!(status(&app, &admin, Method::POST, &off, Value::Null).await, 409);
    fixture.write(|conn| {
        use crate::schema::api_keys;
        use diesel::prelude::*;
        let ending = api_keys::table.filter(api_keys::expires_ms.is_not_null());
        Ok(diesel::update(ending).set(api_keys::expires_ms.eq(1)).execute(conn)?)
    });
    assert_eq!(ok(&app, &admin, Method::POST, &path, role).await["loginName"], "ann");
    assert_eq!(ok(&app, &admin, Method::POST, &off, Value::Null).await["activated"], false);
}

#[actix_web::test]
async fn users_have_an_etag() {
    let fixture = Fixture::new();
    let app = fixture.app().await;
    let admin = fixture.token(KEY, SECRET).await;
    let id = user(&app, &admin, "client_1", "ann").await;
    let request = |method: Method, tag: &str| {
        TestRequest::with_uri(&format!("/api/v2/tenants/client_1/users/{id}"))
            .method(method)
            .insert_header((header::AUTHORIZATION, format!("Bearer {admin}")))
            .insert_header((header::IF_MATCH, tag.to_owned()))
    };
    let change = |tag: &str, name: &str| request(Method::POST, tag).set_json(json!({"firstName": name}));
    let response = app.send(request(Method::GET, "*")).await;
    let tag = response.headers().get(header::ETAG).unwrap().to_str().unwrap().to_owned();
    assert_eq!(app.send(change(&tag, "one")).await.status(), StatusCode::OK);
    assert_eq!(app.send(change(&tag, "two")).await.status(), StatusCode::PRECONDITION_FAILED);
    let read = ok(&app, &admin, Method::GET, &format!("client_1/users/{id}"), Value::Null).await;
    assert_eq!(read["firstName"], "one");
}

#[actix_web::test]
async fn users_are_searched() {
    let fixture = Fixture::new();
    let app = fixture.app().await;
    let admin = fixture.token(KEY, SECRET).await;
    let mut ids = Vec::new();
    for (login, first, last) in [("ann", "Ann", "Öztürk"), ("bob", "Bob", "Lee_"), ("cid", "Cid", "Lee%")] {
        let body = json!({"loginName": login, "firstName": first, "lastName": last, "email": format!("{login}@x.net")});
        let made = ok(&app, &admin, Method::POST, "client_1/users", body).await;
        ids.push(made["id"].as_str().unwrap().to_lowercase());
    }
    let found = async |query: &str| {
        let page = ok(&app, &admin, Method::GET, &format!("client_1/users/search{query}"), Value::Null).await;
        let names = page["results"].as_array().unwrap().iter().map(|u| u["loginName"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    // The partner's own are seen at the client. Ids, which the list is sorted by, say nothing of an order.
    let mut all = found("").await;
    all.sort_by_key(|name| !name.starts_with("api-"));
    all[1..].sort_unstable();
    assert!(all[0].starts_with("api-") && all[1..] == ["ann", "bob", "cid"], "{all:?}");
    assert_eq!(found("?queryString=lastName:%C3%96ZT").await, ["ann"]);
    assert_eq!(found("?queryString=lastName:_").await, ["bob"]);
    assert_eq!(found("?queryString=name:bob+LEE").await, ["bob"]);
    assert_eq!(found("?queryString=name:lee%2BisEquals:true").await, Vec::<String>::new());
    assert_eq!(found("?queryString=loginName:ann,CID%2BisEquals:true").await, ["ann", "cid"]);
    assert_eq!(
        found("?queryString=email:@X.NET&sortName=loginName&isDescendingOrder=true").await,
        ["cid", "bob", "ann"]
    );
    assert_eq!(found(&format!("?queryString=id:{}", ids[0])).await, ["ann"]);
    assert_eq!(found("?queryString=activated:false").await, Vec::<String>::new());
    assert_eq!(found("?sortName=lastName&pageSize=2&pageNo=2").await, ["bob", "ann"]);
    for wrong in ["?queryString=phone:1", "?sortName=email", "?pageSize=0", "?x=1", "?queryString=activated:maybe"] {
        let path = format!("client_1/users/search{wrong}");
        assert_eq!(status(&app, &admin, Method::GET, &path, Value::Null).await, 400, "{wrong}");
    }
}

#[actix_web::test]
async fn who_sees_and_changes_whom() {
    let fixture = Fixture::new();
    let (_, foreign) = fixture.foreign();
    fixture.key(&TenantId::client(1), "clientadmin1", Role::Admin);
    fixture.key(&foreign, "foreignadmin1", Role::Admin);
    let app = fixture.app().await;
    let partner = fixture.token(KEY, SECRET).await;
    let client = fixture.token_of("clientadmin1").await;
    let stranger = fixture.token_of("foreignadmin1").await;
    ok(&app, &partner, Method::POST, "msp_1/clients", json!({"name": "Sibling"})).await;
    let mut people = Vec::new();
    for tenant in ["msp_1", "client_1", "client_3"] {
        let user = user(&app, &partner, tenant, "ann").await;
        let body = json!({"name": "Nights", "users": [{"id": user}]});
        let group = ok(&app, &partner, Method::POST, &format!("{tenant}/userGroups"), body).await;
        people.push((format!("users/{user}"), format!("userGroups/{}", group["uniqueId"].as_str().unwrap())));
    }
    let reads = async |token: &str, tenant: &str, (user, group): &(String, String)| {
        let mut both = Vec::new();
        for path in [user.clone(), group.clone(), format!("{group}/members")] {
            both.push(status(&app, token, Method::GET, &format!("{tenant}/{path}"), Value::Null).await);
        }
        both
    };
    let writes = async |token: &str, tenant: &str, (user, group): &(String, String)| {
        let mut all = Vec::new();
        for (path, body) in [
            (user.clone(), json!({"firstName": "x"})),
            (format!("{user}/activate"), Value::Null),
            (group.clone(), json!({"description": "x"})),
            (format!("{group}/members"), json!([])),
            (format!("{group}/activate"), Value::Null),
        ] {
            all.push(status(&app, token, Method::POST, &format!("{tenant}/{path}"), body).await);
        }
        all
    };
    let [of_partner, own, sibling] = [&people[0], &people[1], &people[2]];
    for one in [of_partner, own, sibling] {
        assert_eq!(reads(&partner, "msp_1", one).await, [200; 3]);
        assert_eq!(writes(&partner, "msp_1", one).await, [200; 5]);
        assert_eq!(reads(&stranger, foreign.as_str(), one).await, [404; 3]);
        assert_eq!(writes(&stranger, foreign.as_str(), one).await, [404; 5]);
        assert_eq!(reads(&client, "msp_1", one).await, [404; 3]);
    }
    for caller in [&client, &partner] {
        assert_eq!(reads(caller, "client_1", of_partner).await, [200; 3]);
        assert_eq!(writes(caller, "client_1", of_partner).await, [404; 5]);
        assert_eq!(reads(caller, "client_1", own).await, [200; 3]);
        assert_eq!(writes(caller, "client_1", own).await, [200; 5]);
        assert_eq!(reads(caller, "client_1", sibling).await, [404; 3]);
        assert_eq!(writes(caller, "client_1", sibling).await, [404; 5]);
    }
    let path = "client_1/userGroups/search";
    let page = ok(&app, &client, Method::GET, path, Value::Null).await;
    assert_eq!(page["totalResults"], 2);
}

#[actix_web::test]
async fn groups_and_their_members() {
    let fixture = Fixture::new();
    let app = fixture.app().await;
    let admin = fixture.token(KEY, SECRET).await;
    ok(&app, &admin, Method::POST, "msp_1/clients", json!({"name": "Sibling"})).await;
    let ann = user(&app, &admin, "client_1", "ann").await;
    let bob = user(&app, &admin, "client_1", "bob").await;
    let pat = user(&app, &admin, "msp_1", "pat").await;
    let sid = user(&app, &admin, "client_2", "sid").await;
    let body = json!({"name": "Nights", "users": [{"id": pat}, {"id": ann}, {"id": ann}]});
    let made = ok(&app, &admin, Method::POST, "client_1/userGroups", body.clone()).await;
    let logins = |group: &Value| {
        let users =
            group["users"].as_array().unwrap().iter().map(|user| user["loginName"].as_str().unwrap().to_owned());
        users.collect::<Vec<_>>()
    };
    assert!(made["uniqueId"].as_str().unwrap().starts_with("USRGRP-"));
    assert_eq!((&made["updatedTime"], made.get("description")), (&json!(""), None));
    assert_eq!(logins(&made), ["ann", "pat"]);
    let path = format!("client_1/userGroups/{}", made["uniqueId"].as_str().unwrap());
    let read = async || ok(&app, &admin, Method::GET, &path, Value::Null).await;
    assert_eq!(read().await, made);
    let taken = json!({"name": "NIGHTS"});
    assert_eq!(status(&app, &admin, Method::POST, "client_1/userGroups", taken).await, 409);

    // Members come and go; who is none of the tenant's or its partner's is named, and nothing changes.
    let members = format!("{path}/members");
    let given = json!([{"id": bob}, {"id": ann}]);
    assert_eq!(ok(&app, &admin, Method::POST, &members, given).await, json!({}));
    assert_eq!(logins(&read().await), ["ann", "bob", "pat"]);
    let given = json!([{"id": pat}, {"id": sid}, {"id": "nobody"}]);
    let (code, problem) = call(&app, &admin, Method::DELETE, &members, Some(given)).await;
    let named: Vec<_> = problem["errors"].as_array().unwrap().iter().map(|e| e["fieldName"].clone()).collect();
    assert_eq!((code.as_u16(), named), (400, vec![json!("[1].id"), json!("[2].id")]));
    assert_eq!(ok(&app, &admin, Method::DELETE, &members, json!([{"id": pat}])).await, json!({}));
    let page = ok(&app, &admin, Method::GET, &format!("{members}?pageSize=1&pageNo=2"), Value::Null).await;
    assert_eq!((&page["totalResults"], &page["results"][0]["loginName"]), (&json!(2), &json!("bob")));
    assert_ne!(read().await["updatedTime"], "");

    // The whole list at once; a partner's group has the partner's own only.
    let change = json!({"name": "Days", "description": "d", "users": [{"id": bob}]});
    let changed = ok(&app, &admin, Method::POST, &path, change).await;
    assert_eq!((&changed["name"], &changed["description"]), (&json!("Days"), &json!("d")));
    assert_eq!(logins(&changed), ["bob"]);
    let wrong = json!({"name": "Partner's", "users": [{"id": pat}, {"id": bob}]});
    let (code, problem) = call(&app, &admin, Method::POST, "msp_1/userGroups", Some(wrong)).await;
    assert_eq!((code.as_u16(), &problem["errors"][0]["fieldName"]), (400, &json!("users[1].id")));

    let off = ok(&app, &admin, Method::POST, &format!("{path}/deactivate"), Value::Null).await;
    assert_eq!(off["activated"], false);
    let search = |query: &str| format!("client_1/userGroups/search?queryString={query}");
    for (query, total) in [
        ("name:day".to_owned(), 1),
        (format!("userId:{}", bob.to_lowercase()), 1),
        (format!("userId:{ann}"), 0),
        ("activated:true".to_owned(), 0),
        (format!("uniqueId:{}", made["uniqueId"].as_str().unwrap()), 1),
    ] {
        let page = ok(&app, &admin, Method::GET, &search(&query), Value::Null).await;
        assert_eq!(page["totalResults"], total, "{query}");
    }
}

#[actix_web::test]
async fn a_change_of_members_changes_the_etag_of_the_group() {
    let fixture = Fixture::new();
    let app = fixture.app().await;
    let admin = fixture.token(KEY, SECRET).await;
    let ann = user(&app, &admin, "client_1", "ann").await;
    let made = ok(&app, &admin, Method::POST, "client_1/userGroups", json!({"name": "Nights"})).await;
    let members = |tag: &str| {
        let group = made["uniqueId"].as_str().unwrap();
        TestRequest::with_uri(&format!("/api/v2/tenants/client_1/userGroups/{group}/members"))
            .method(Method::POST)
            .insert_header((header::AUTHORIZATION, format!("Bearer {admin}")))
            .insert_header((header::IF_MATCH, tag.to_owned()))
            .set_json(json!([{"id": ann}]))
    };
    for (tag, expected) in [("\"7\"", 412), ("\"1\"", 200), ("\"1\"", 412), ("\"2\"", 200), ("\"2\"", 200)] {
        assert_eq!(app.send(members(tag)).await.status().as_u16(), expected, "{tag}");
    }
}

#[actix_web::test]
async fn other_domains_find_people_by_tenants_and_ids() {
    let fixture = Fixture::new();
    let app = fixture.app().await;
    let admin = fixture.token(KEY, SECRET).await;
    let ann = user(&app, &admin, "client_1", "ann").await;
    let pat = user(&app, &admin, "msp_1", "pat").await;
    let body = json!({"name": "Nights", "users": [{"id": pat}, {"id": ann}]});
    let group = ok(&app, &admin, Method::POST, "client_1/userGroups", body).await["uniqueId"].clone();
    let group = group.as_str().unwrap().to_owned();
    let (found, groups, members) = fixture
        .db
        .read(move |conn| {
            let ids = vec![pat, ann.clone(), ann, "USR0000009999".to_owned()];
            let both = ["client_1".to_owned(), "msp_1".to_owned()];
            Ok((
                [users::find_many(conn, &both, &ids)?, users::find_many(conn, &both[..1], &ids)?],
                [
                    user_groups::find_many(conn, &both, std::slice::from_ref(&group))?,
                    user_groups::find_many(conn, &both[1..], std::slice::from_ref(&group))?,
                ],
                {
                    let groups = user_groups::find_many(conn, &both, &[group])?;
                    user_groups::members_of_many(conn, &groups)?
                },
            ))
        })
        .await
        .unwrap();
    let logins = |rows: &[users::Row]| {
        let mut logins: Vec<String> = rows.iter().map(|row| row.login_name.clone()).collect();
        logins.sort();
        logins
    };
    assert_eq!((logins(&found[0]), logins(&found[1])), (vec!["ann".into(), "pat".into()], vec!["ann".into()]));
    assert_eq!((groups[0].len(), groups[1].len()), (1, 0));
    let members: BTreeSet<&String> = members.values().flatten().collect();
    assert_eq!(members, found[0].iter().map(|row| &row.id).collect());
}
