//! How many messages a person can have sent, and to whom.

use muster_tests::{Backend, Client, Response, Server, both_backends, receiver::Receiver, unique};
use serde_json::{Value, json};

use super::{somebody, text};

both_backends![codes_are_few_for_a_person, codes_are_few_for_an_address_whoever_asks, tests_are_few_for_an_address,];

const ARGUMENTS: [&str; 2] = ["--egress-allow", "127.0.0.0/8"];

/// A contact method of a person that leads to a path of a receiver, and its own path.
fn hook(caller: &Client, user: &str, url: &str, more: &Value) -> String {
    let mut body = json!({"name": unique("hook"), "type": "HTTP", "url": url});
    body.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
    let made = caller.post(&format!("/users/{user}/contactMethods"), &body).ok();
    format!("/users/{user}/contactMethods/{}", text(&made["id"]))
}

#[track_caller]
fn refused(answer: &Response) {
    answer.problem(429, "throttled");
    let wait: u32 = answer.header("Retry-After").unwrap().parse().unwrap();
    assert!((1..=600).contains(&wait), "{answer}");
}

fn codes_are_few_for_a_person(backend: Backend) {
    let mut server = Server::start_with(backend, &ARGUMENTS);
    let client = server.new_client();
    let receiver = Receiver::willing();
    let (ann, id) = somebody(&server, &client, "viewer");
    let one = hook(&ann, &id, &format!("{}/0", receiver.url()), &json!({}));
    // One method that leads somewhere else each time is not a way around it, nor is another method.
    for number in 1..=5 {
        ann.post_empty(&format!("{one}/sendCode")).ok();
        ann.post(&one, &json!({"url": format!("{}/{number}", receiver.url())})).ok();
    }
    for number in 6..20 {
        refused(&ann.post_empty(&format!("{one}/sendCode")));
        ann.post(&one, &json!({"url": format!("{}/{number}", receiver.url())})).ok();
    }
    let other = hook(&ann, &id, &format!("{}/other", receiver.url()), &json!({}));
    refused(&ann.post_empty(&format!("{other}/sendCode")));
    // An admin who asks for her is not a way around it either; another person has their own.
    refused(&client.post_empty(&format!("{other}/sendCode")));
    let (bob, bobs) = somebody(&server, &client, "viewer");
    let his = hook(&bob, &bobs, &format!("{}/bob", receiver.url()), &json!({}));
    bob.post_empty(&format!("{his}/sendCode")).ok();
    receiver.wait(6);
    // Other gateways count with this one, and a restart forgets nothing.
    if backend == Backend::Postgres {
        let key = server.data_dir().join("secrets.key").display().to_string();
        let arguments = [ARGUMENTS[0], ARGUMENTS[1], "--secrets-key-file", &key];
        let beside = Server::start_beside(&server, &arguments);
        refused(&ann.at(beside.base()).post_empty(&format!("{other}/sendCode")));
    }
    server.restart();
    refused(&ann.at(server.base()).post_empty(&format!("{other}/sendCode")));
    assert_eq!(receiver.count(), 6);
}

fn codes_are_few_for_an_address_whoever_asks(backend: Backend) {
    let server = Server::start_with(backend, &ARGUMENTS);
    let receiver = Receiver::willing();
    let url = format!("{}/same", receiver.url());
    let tenants = [server.new_client(), server.new_client()];
    let ask = |tenant: &Client, number: usize| {
        let (caller, id) = somebody(&server, tenant, "viewer");
        // A number is the same number with blanks in it.
        let to = if number.is_multiple_of(2) { "+43 660 123" } else { "+43660123" };
        let one = hook(&caller, &id, &format!("{url}/{number}"), &json!({"preset": "sms", "to": to}));
        caller.post_empty(&format!("{one}/sendCode"))
    };
    for number in 0..5 {
        ask(&tenants[number % 2], number).ok();
    }
    for (number, tenant) in tenants.iter().enumerate() {
        refused(&ask(tenant, number));
    }
    assert_eq!(receiver.wait(5).len(), 5);
}

fn tests_are_few_for_an_address(backend: Backend) {
    let server = Server::start_with(backend, &ARGUMENTS);
    let client = server.new_client();
    let receiver = Receiver::willing();
    let (ann, id) = somebody(&server, &client, "viewer");
    hook(&client, &id, &receiver.url(), &json!({"verified": true}));
    let sent = (0..40).take_while(|_| ann.post_empty("/paging/test").status == 200).count();
    assert_eq!(sent, 10);
    refused(&ann.post_empty("/paging/test"));
    // Nor does somebody whom nothing reaches fill the history with tests.
    let (bob, _) = somebody(&server, &client, "viewer");
    let gaps = (0..100).take_while(|_| bob.post_empty("/paging/test").status == 200).count();
    assert_eq!(gaps, 40);
    refused(&bob.post_empty("/paging/test"));
}
