//! Calls carry their credentials, or are not made.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use muster_tests::{Backend, both_backends};
use serde_json::json;

use super::{
    event, incident, install, on_incidents,
    receiver::{Received, Receiver, Reply},
    server,
};

both_backends![
    basic_is_sent,
    what_waits_is_sent_with_a_new_password,
    a_token_is_got_once_for_all,
    a_refused_token_is_got_again_once,
    each_grant_sends_what_it_needs,
    without_a_token_nothing_is_sent,
];

fn oauth(receiver: &Receiver, grant: &str) -> serde_json::Value {
    let mut body = on_incidents("{}");
    body["notifier"] = json!({"baseURI": receiver.url(), "authType": "OAUTH2", "grantType": grant, "apiKey": "key:1",
        "apiSecret": "s&cret", "userName": "u", "password": "p w",
        "accessTokenURL": format!("{}/token", receiver.url())});
    body
}

fn token(number: usize, seconds: u32) -> Reply {
    let body = json!({"access_token": format!("t{number}"), "token_type": "bearer", "expires_in": seconds,
        "refresh_token": format!("r{number}")});
    Reply::Answer(200, vec![("Content-Type", "application/json".to_owned())], body.to_string())
}

fn of<'r>(received: &'r [Received], path: &str) -> Vec<&'r Received> {
    received.iter().filter(|request| request.path == path).collect()
}

fn basic_is_sent(backend: Backend) {
    let client = server(backend).new_client();
    let receiver = Receiver::willing();
    let mut body = on_incidents("{}");
    body["notifier"] = json!({"baseURI": receiver.url(), "authType": "BASIC", "userName": "ann", "password": "pä:ss"});
    event(&client, &install(&client, &receiver.url()), &body);
    incident(&client, &json!({}));
    let expected = format!("Basic {}", STANDARD.encode("ann:pä:ss"));
    assert_eq!(receiver.wait(1)[0].header("authorization"), expected);
}

fn what_waits_is_sent_with_a_new_password(backend: Backend) {
    let client = server(backend).new_client();
    let receiver = Receiver::start(|_, _| {
        std::thread::sleep(Duration::from_millis(300));
        Reply::status(200)
    });
    let mut body = on_incidents("{}");
    body["notifier"] = json!({"baseURI": receiver.url(), "authType": "BASIC", "userName": "ann", "password": "old"});
    let at = event(&client, &install(&client, &receiver.url()), &body);
    for _ in 0..300 {
        incident(&client, &json!({}));
    }
    receiver.wait(20);
    client.post(&at, &json!({"notifier": {"password": "new"}})).ok();
    std::thread::sleep(Duration::from_millis(150));
    let before = receiver.count();
    let received = receiver.wait(before + 20);
    let expected = format!("Basic {}", STANDARD.encode("ann:new"));
    let former = received.iter().skip(before).filter(|request| request.header("authorization") != expected).count();
    assert_eq!(former, 0, "after {before} calls");
    client.delete(&at).ok();
}

fn a_token_is_got_once_for_all(backend: Backend) {
    let client = server(backend).new_client();
    let receiver = Receiver::start(|request, number| match request.path.as_str() {
        "/token" => {
            std::thread::sleep(Duration::from_millis(200));
            token(number, 3600)
        }
        _ => Reply::status(200),
    });
    event(&client, &install(&client, &receiver.url()), &oauth(&receiver, "CLIENT_CREDENTIALS"));
    for _ in 0..20 {
        incident(&client, &json!({}));
    }
    let received = receiver.wait(21);
    let tokens = of(&received, "/token");
    let calls = of(&received, "/tickets");
    assert_eq!((tokens.len(), calls.len()), (1, 20));
    assert!(calls.iter().all(|call| call.header("authorization") == "Bearer t1"), "{calls:?}");
    let expected = format!("Basic {}", STANDARD.encode("key%3A1:s%26cret"));
    assert_eq!(
        (tokens[0].header("authorization"), tokens[0].text().as_str()),
        (expected.as_str(), "grant_type=client_credentials")
    );
}

fn a_refused_token_is_got_again_once(backend: Backend) {
    let client = server(backend).new_client();
    let given = Arc::new(AtomicUsize::new(0));
    let receiver = Receiver::start(move |request, _| match request.path.as_str() {
        "/token" => token(given.fetch_add(1, Ordering::Relaxed) + 1, 3600),
        _ if request.header("authorization") == "Bearer t1" => Reply::status(401),
        _ => Reply::status(200),
    });
    let at = event(&client, &install(&client, &receiver.url()), &oauth(&receiver, "CLIENT_CREDENTIALS"));
    incident(&client, &json!({}));
    let received = receiver.wait(4);
    let paths: Vec<&str> = received.iter().map(|request| request.path.as_str()).collect();
    assert_eq!(paths, ["/token", "/tickets", "/token", "/tickets"]);
    assert_eq!(received[3].header("authorization"), "Bearer t2");
    let attempts = || client.get(&format!("{at}/deliveries")).page()["results"][0]["attempts"].clone();
    super::receiver::wait_for(Duration::from_secs(10), || attempts() == json!(1), || attempts().to_string());
}

fn each_grant_sends_what_it_needs(backend: Backend) {
    let client = server(backend).new_client();
    let (password, refresh) = (
        Receiver::start(
            |request, number| if request.path == "/token" { token(number, 3600) } else { Reply::status(200) },
        ),
        // A token that is never fresh: each call refreshes it.
        Receiver::start(|request, number| if request.path == "/token" { token(number, 0) } else { Reply::status(200) }),
    );
    event(&client, &install(&client, &password.url()), &oauth(&password, "PASSWORD"));
    event(&client, &install(&client, &refresh.url()), &oauth(&refresh, "REFRESH_TOKEN"));
    incident(&client, &json!({}));
    assert_eq!(password.wait(2)[0].text(), "grant_type=password&username=u&password=p%20w");
    let first = refresh.wait(2);
    assert_eq!(first[0].text(), "grant_type=password&username=u&password=p%20w");
    std::thread::sleep(Duration::from_millis(1_100));
    incident(&client, &json!({}));
    assert_eq!(refresh.wait(4)[2].text(), "grant_type=refresh_token&refresh_token=r1");
}

fn without_a_token_nothing_is_sent(backend: Backend) {
    let client = server(backend).new_client();
    let receiver =
        Receiver::start(|request, _| if request.path == "/token" { Reply::status(500) } else { Reply::status(200) });
    let at = event(&client, &install(&client, &receiver.url()), &oauth(&receiver, "CLIENT_CREDENTIALS"));
    incident(&client, &json!({}));
    let one = || client.get(&format!("{at}/deliveries")).page()["results"][0].clone();
    super::receiver::wait_for(Duration::from_secs(20), || one()["attempts"].as_i64() >= Some(3), || one().to_string());
    let received = receiver.all();
    assert!(!of(&received, "/token").is_empty() && of(&received, "/tickets").is_empty());
}
