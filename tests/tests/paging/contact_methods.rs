//! Contact methods and notification rules.

use muster_tests::{Server, both_backends};
use serde_json::json;

use super::{person, somebody, text};

both_backends![
    a_person_says_how_to_be_reached,
    what_is_wrong_is_listed,
    a_url_and_a_token_are_never_shown,
    one_that_leads_elsewhere_is_verified_again,
    only_that_person_and_admins_see_them,
    only_an_admin_says_that_it_works,
    rules_say_what_is_used_when,
];

fn a_person_says_how_to_be_reached(server: &Server) {
    let client = server.new_client();
    let user = person(&client);
    let path = format!("/users/{user}/contactMethods");
    let mail = client.post(&path, &json!({"name": " Mail ", "type": "email", "address": "ann@example.net"})).ok();
    assert_eq!(
        (&mail["name"], &mail["type"], &mail["address"]),
        (&json!("Mail"), &json!("EMAIL"), &json!("ann@example.net"))
    );
    assert_eq!((&mail["verified"], &mail["user"]), (&json!(false), &json!({"id": user})));
    let phone = json!({"name": "Phone", "type": "HTTP", "preset": "twilio", "url": "https://api.example.net/m",
        "to": "+431", "from": "+432", "userName": "AC1", "password": "hush", "verified": true});
    let phone = client.post(&path, &phone).ok();
    assert_eq!((&phone["preset"], &phone["to"], &phone["verified"]), (&json!("twilio"), &json!("+431"), &json!(true)));
    assert_eq!(client.get(&path).list(), [mail.clone(), phone.clone()]);
    let one = format!("{path}/{}", text(&phone["id"]));
    let read = client.get(&one);
    assert_eq!((read.header("ETag"), read.ok()), (Some("\"1\""), phone));
    client.delete(&one).ok();
    client.get(&one).not_found();
    assert_eq!(client.get(&path).list(), [mail]);
    for number in 0..19 {
        client.post(&path, &json!({"name": number.to_string(), "type": "EMAIL", "address": "a@b.net"})).ok();
    }
    client.post(&path, &json!({"name": "more", "type": "EMAIL", "address": "a@b.net"})).problem(409, "0004");
}

fn what_is_wrong_is_listed(server: &Server) {
    let client = server.new_client();
    let path = format!("/users/{}/contactMethods", person(&client));
    let refused = |body| client.post(&path, &body);
    refused(json!({})).invalid(&["name", "type"]);
    refused(json!({"name": "a", "type": "HTTP"})).invalid(&["url"]);
    refused(json!({"name": "a", "type": "HTTP", "preset": "telegram", "url": "https://127.0.0.1/x"}))
        .invalid(&["chatId", "url"]);
    refused(json!({"name": "a", "type": "EMAIL", "address": "a@b.net\r\nBcc: c@d.net"})).invalid(&["address"]);
    refused(json!({"name": "a", "type": "EMAIL", "address": "a@b.net, c@d.net"})).invalid(&["address"]);
    refused(json!({"name": "a", "type": "EMAIL", "address": "a@b.net", "url": "https://a.net"})).invalid(&["url"]);
    client
        .post("/users/USR9999999999/contactMethods", &json!({"name": "a", "type": "EMAIL", "address": "a@b.net"}))
        .not_found();
}

fn a_url_and_a_token_are_never_shown(server: &Server) {
    let client = server.new_client();
    let user = person(&client);
    let path = format!("/users/{user}/contactMethods");
    let url = "https://hooks.example.net/services/T0/B0/topsecretpath";
    let token = "topsecrettoken";
    let made =
        client.post(&path, &json!({"name": "Chat", "type": "HTTP", "preset": "ntfy", "url": url, "token": token}));
    assert_eq!(made.ok()["host"], json!("hooks.example.net"));
    let audit = client.get(&format!("/auditLog/search?queryString=entityId:{}", text(&made.ok()["id"])));
    assert_eq!(audit.page()["totalResults"], json!(1));
    for answer in [&made, &client.get(&path), &audit] {
        assert!(!answer.whole().contains("topsecret"), "{answer}");
    }
    if server.database_url().is_none() {
        for entry in std::fs::read_dir(server.data_dir()).unwrap().flatten() {
            let bytes = std::fs::read(entry.path()).unwrap_or_default();
            assert!(!bytes.windows(9).any(|part| part == b"topsecret"), "{}", entry.path().display());
        }
    }
}

fn one_that_leads_elsewhere_is_verified_again(server: &Server) {
    let client = server.new_client();
    let path = format!("/users/{}/contactMethods", person(&client));
    let made =
        client.post(&path, &json!({"name": "a", "type": "HTTP", "url": "https://a.net/x", "verified": true})).ok();
    let one = format!("{path}/{}", text(&made["id"]));
    assert_eq!(client.post(&one, &json!({"name": "b"})).ok()["verified"], json!(true));
    assert_eq!(client.post(&one, &json!({"url": "https://b.net/x"})).ok()["verified"], json!(false));
    client.post(&one, &json!({"type": "EMAIL", "address": "a@b.net"})).invalid(&["type"]);
    let stale = client.request("POST", &one).header("If-Match", "\"1\"").json(&json!({"name": "c"})).send();
    assert_eq!(stale.status, 412);
}

fn only_that_person_and_admins_see_them(server: &Server) {
    let client = server.new_client();
    let (ann, ann_id) = somebody(server, &client, "viewer");
    let (bob, bob_id) = somebody(server, &client, "integrator");
    let path = format!("/users/{ann_id}/contactMethods");
    let made = ann.post(&path, &json!({"name": "a", "type": "EMAIL", "address": "ann@example.net"})).ok();
    let one = format!("{path}/{}", text(&made["id"]));
    assert_eq!(ann.get(&path).list(), client.get(&path).list());
    bob.get(&path).forbidden();
    bob.get(&one).forbidden();
    bob.post(&one, &json!({"name": "b"})).forbidden();
    bob.delete(&one).forbidden();
    bob.get(&format!("/users/{ann_id}/notificationRules")).forbidden();
    bob.post(&format!("/users/{ann_id}/notificationRules"), &json!({"urgency": "high", "steps": []})).forbidden();
    // Nor does it become his by another path.
    bob.get(&format!("/users/{bob_id}/contactMethods/{}", text(&made["id"]))).not_found();
    // The people of a partner are none of its clients' business, admins or not.
    let partner = person(&server.admin());
    client.get(&format!("/users/{partner}/contactMethods")).not_found();
    server.admin().get(&format!("/users/{ann_id}/contactMethods")).ok();
}

fn only_an_admin_says_that_it_works(server: &Server) {
    let client = server.new_client();
    let (ann, id) = somebody(server, &client, "operator");
    let path = format!("/users/{id}/contactMethods");
    let body = json!({"name": "a", "type": "EMAIL", "address": "ann@example.net", "verified": true});
    ann.post(&path, &body).forbidden();
    let made = ann.post(&path, &json!({"name": "a", "type": "EMAIL", "address": "ann@example.net"})).ok();
    let one = format!("{path}/{}", text(&made["id"]));
    ann.post(&one, &json!({"verified": true})).forbidden();
    assert_eq!(client.post(&one, &json!({"verified": true})).ok()["verified"], json!(true));
    assert_eq!(ann.post(&one, &json!({"verified": false})).ok()["verified"], json!(false));
}

fn rules_say_what_is_used_when(server: &Server) {
    let client = server.new_client();
    let user = person(&client);
    let method = |name: &str| {
        let body = json!({"name": name, "type": "EMAIL", "address": "a@b.net"});
        text(&client.post(&format!("/users/{user}/contactMethods"), &body).ok()["id"])
    };
    let one = method("a");
    let other = method("b");
    let path = format!("/users/{user}/notificationRules");
    let nothing = |urgency: &str| json!({"user": {"id": user}, "urgency": urgency, "steps": []});
    assert_eq!(client.get(&path).list(), [nothing("high"), nothing("low")]);
    let steps =
        json!([{"contactMethod": {"id": one}, "after": "0s"}, {"contactMethod": {"id": other}, "after": "120s"}]);
    let set = client.post(&path, &json!({"urgency": "HIGH", "steps": steps})).ok();
    assert_eq!(set["steps"][1], json!({"contactMethod": {"id": other}, "after": "2m"}));
    let quiet = json!({"from": "22:00", "to": "07:00", "timeZone": "Europe/Vienna"});
    let low = client.post(&path, &json!({"urgency": "low", "steps": [], "quietHours": quiet})).ok();
    assert_eq!(low["quietHours"], quiet);
    assert_eq!(client.get(&path).list(), [set, low]);
    client.post(&path, &json!({"urgency": "high", "steps": [], "quietHours": quiet})).invalid(&["quietHours"]);
    client.post(&path, &json!({"urgency": "now"})).invalid(&["urgency", "steps"]);
    let bad = json!({"urgency": "low", "steps": [{"after": "2y"}],
        "quietHours": {"from": "25:00", "to": "7", "timeZone": "Mars"}});
    client.post(&path, &bad).invalid(&[
        "steps[0].contactMethod",
        "steps[0].after",
        "quietHours.from",
        "quietHours.to",
        "quietHours.timeZone",
    ]);
    let others =
        json!({"urgency": "low", "steps": [{"contactMethod": {"id": "CM-1"}}, {"contactMethod": {"id": one}}]});
    client.post(&path, &others).invalid(&["steps[0].contactMethod.id"]);
    client.post(&path, &json!({"urgency": "high", "steps": []})).ok();
    assert_eq!(client.get(&path).list()[0], nothing("high"));
}
