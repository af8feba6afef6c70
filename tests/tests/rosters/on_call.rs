//! Who is on call, through one roster and through all.

use muster_tests::{Client, Server, both_backends};
use serde_json::{Value, json};

use super::{create, daily, group, path, shift, text, user};

both_backends![
    who_why_until_when_and_who_is_next,
    all_rosters_are_asked_at_once,
    an_edit_takes_effect_from_now_on,
    changes_show_at_once,
    bad_instants_are_refused,
    who_joins_a_group_is_on_call_since_then_in_every_answer,
];

fn users(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().map(|one| text(&one["user"]["id"])).collect()
}

fn on_call(client: &Client, path: &str, at: &str) -> Value {
    client.get(&format!("{path}/onCall?at={at}")).ok()
}

fn who_why_until_when_and_who_is_next(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let bob = user(&client, "Bob");
    let eve = user(&client, "Eve");
    let team = group(&client, &[&bob, &eve]);
    let mut night = shift("Night", daily("20:00:00", "04:00:00"), &bob);
    night["userGroups"] = json!([{"uniqueId": team}]);
    let made = create(&client, "GMT", &[shift("Day", daily("08:00:00", "20:00:00"), &ann), night]);
    let answer = on_call(&client, &path(&made), "2026-05-01T08:00:00Z");
    assert_eq!(answer["at"], json!("2026-05-01T08:00:00+0000"));
    let expected = json!([{
        "user": answer["onCall"][0]["user"],
        "roster": {"id": made["id"], "name": made["name"]},
        "shift": {"id": made["shiftDetails"][0]["id"], "name": "Day"},
        "since": "2026-05-01T08:00:00+0000",
        "until": "2026-05-01T20:00:00+0000",
        "reason": "shift",
    }]);
    assert_eq!(answer["onCall"], expected);
    let person = &answer["onCall"][0]["user"];
    assert_eq!((&person["id"], &person["email"]), (&json!(ann), &json!("a@example.net")));
    assert_eq!((&person["phoneNumber"], &person["mobileNumber"]), (&json!("+1 555 0100"), &json!("+1 555 0200")));
    assert_eq!(users(&answer["next"]), [bob.clone(), eve.clone()], "members are resolved, each once");
    assert_eq!(answer["next"][0]["since"], json!("2026-05-01T20:00:00+0000"));
    let gap = on_call(&client, &path(&made), "2026-05-01T04:00:00Z");
    assert_eq!((&gap["onCall"], users(&gap["next"])), (&json!([]), vec![ann]));
}

fn all_rosters_are_asked_at_once(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let bob = user(&client, "Bob");
    let one = create(&client, "GMT", &[shift("Day", daily("08:00:00", "20:00:00"), &ann)]);
    let other = create(&client, "GMT", &[shift("Day", daily("10:00:00", "22:00:00"), &bob)]);
    let at = |at: &str| users(&on_call(&client, "/rosters", at)["onCall"]);
    let sorted = |mut ids: Vec<String>| {
        ids.sort();
        ids
    };
    assert_eq!(sorted(at("2026-05-01T12:00:00Z")), sorted(vec![ann.clone(), bob.clone()]));
    assert_eq!(at("2026-05-01T09:00:00Z"), [ann.clone()]);
    assert_eq!(at("2026-05-01T21:00:00Z"), [bob.clone()]);
    assert_eq!(at("2026-05-01T23:00:00Z"), Vec::<String>::new());
    assert_eq!(users(&on_call(&client, "/rosters", "2026-05-01T23:00:00Z")["next"]).len(), 2);
    let partner = server.admin();
    assert!(users(&on_call(&partner, "/rosters", "2026-05-01T12:00:00Z")["onCall"]).contains(&ann));
    client.delete(&path(&one)).ok();
    client.delete(&path(&other)).ok();
    assert_eq!(client.get("/rosters/onCall").ok()["onCall"], json!([]));
}

fn an_edit_takes_effect_from_now_on(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let bob = user(&client, "Bob");
    let made = create(&client, "GMT", &[shift("Day", daily("00:00:00", "00:00:00"), &ann)]);
    let id = &made["shiftDetails"][0]["id"];
    client.post(&path(&made), &json!({"shiftDetails": [{"id": id, "users": [{"id": bob}]}]})).ok();
    for at in [path(&made), "/rosters".to_owned()] {
        assert_eq!(users(&on_call(&client, &at, "2026-05-01T12:00:00Z")["onCall"]), [ann.clone()], "last month");
        assert_eq!(users(&client.get(&format!("{at}/onCall")).ok()["onCall"]), [bob.clone()], "now");
        assert_eq!(users(&on_call(&client, &at, "2036-05-01T12:00:00Z")["onCall"]), [bob.clone()], "later");
    }
    client.post(&path(&made), &json!({"shiftDetails": [shift("New", daily("00:00:00", "12:00:00"), &ann)]})).ok();
    assert_eq!(users(&on_call(&client, &path(&made), "2026-05-01T18:00:00Z")["onCall"]), [ann.clone()]);
    assert_eq!(users(&on_call(&client, &path(&made), "2036-05-01T18:00:00Z")["onCall"]), Vec::<String>::new());
}

fn changes_show_at_once(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let bob = user(&client, "Bob");
    let team = group(&client, &[&ann]);
    let mut whole = shift("Day", daily("00:00:00", "00:00:00"), &ann);
    whole["users"] = json!([]);
    whole["userGroups"] = json!([{"uniqueId": team}]);
    create(&client, "GMT", &[whole]);
    let now = || client.get("/rosters/onCall").ok()["onCall"].clone();
    assert_eq!(users(&now()), [ann.clone()]);
    client.post(&format!("/users/{ann}"), &json!({"mobileNumber": "+1 555 0999"})).ok();
    assert_eq!(now()[0]["user"]["mobileNumber"], json!("+1 555 0999"));
    client.post(&format!("/userGroups/{team}/members"), &json!([{"id": bob}])).ok();
    assert_eq!(users(&now()).len(), 2);
    client.post_empty(&format!("/users/{ann}/deactivate")).ok();
    assert_eq!(users(&now()), [bob]);
    client.post_empty(&format!("/userGroups/{team}/deactivate")).ok();
    assert_eq!(now(), json!([]));
}

fn bad_instants_are_refused(server: &Server) {
    let client = server.new_client();
    for at in ["x", "9999-01-01T00:00:00Z", "1969-12-31T23:59:59Z", ""] {
        client.get(&format!("/rosters/onCall?at={at}")).invalid(&["at"]);
    }
    client.get("/rosters/onCall?when=now").invalid(&["when"]);
    assert_eq!(client.get("/rosters/onCall").ok()["next"], json!([]));
}

fn who_joins_a_group_is_on_call_since_then_in_every_answer(server: &Server) {
    let client = server.new_client();
    let (ann, bob) = (user(&client, "Ann"), user(&client, "Bob"));
    let team = group(&client, &[&ann]);
    let mut always = shift("Always", daily("00:00:00", "00:00:00"), &ann);
    (always["users"], always["userGroups"]) = (json!([]), json!([{"uniqueId": team}]));
    let made = create(&client, "GMT", &[always]);
    let since = |list: &Value| list[0]["since"].clone();
    let before = since(&client.get("/rosters/onCall").ok()["onCall"]);
    client.post(&format!("/userGroups/{team}/members"), &json!([{"id": bob}])).ok();
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    let one = client.get(&format!("{}/onCall", path(&made))).ok();
    assert_eq!(users(&one["onCall"]).len(), 2, "{one}");
    assert_ne!(since(&one["onCall"]), before);
    for later in ["", "?at=2037-01-01T00:00:00Z"] {
        let all = client.get(&format!("/rosters/onCall{later}")).ok();
        assert_eq!(since(&all["onCall"]), since(&one["onCall"]), "{later}");
    }
    let own = client.get(&format!("/users/{ann}/shifts")).ok();
    assert_eq!(since(&own["shifts"]), since(&one["onCall"]));
}
