//! Requests for cover: asked, accepted, declined, withdrawn.

use muster_tests::{Client, Server, both_backends, unique};
use serde_json::{Value, json};

use super::{create, daily, path, shift, text};

both_backends![
    who_accepts_is_on_call_for_the_one_who_asked,
    those_who_are_asked_by_name_may_answer,
    what_is_over_or_answered_cannot_be_answered,
    wrong_requests_are_refused,
];

/// A caller that acts as a user.
fn acting_as(server: &Server, client: &Client, id: &str) -> Client {
    let key = client.post("/apiKeys", &json!({"name": id, "role": "operator", "userId": id})).ok();
    client.with_token(&server.token(&text(&key["key"]), &text(&key["secret"])))
}

/// A new user who may change rosters.
fn user(client: &Client, name: &str) -> String {
    let body = json!({"loginName": unique(name), "firstName": name, "lastName": "Lee", "role": "operator"});
    text(&client.post("/users", &body).ok()["id"])
}

const START: &str = "2036-05-01T00:00:00Z";
const END: &str = "2036-05-02T00:00:00Z";

fn on_call(client: &Client, made: &Value, at: &str) -> Vec<String> {
    let found = client.get(&format!("{}/onCall?at={at}", path(made))).ok();
    let mut users: Vec<String> =
        found["onCall"].as_array().unwrap().iter().map(|one| text(&one["user"]["id"])).collect();
    users.sort();
    users
}

fn who_accepts_is_on_call_for_the_one_who_asked(server: &Server) {
    let client = server.new_client();
    let [ann, bob, eve] = ["Ann", "Bob", "Eve"].map(|name| user(&client, name));
    let mut day = shift("Day", daily("00:00:00", "00:00:00"), &ann);
    day["users"] = json!([{"id": ann}, {"id": bob}]);
    let made = create(&client, "GMT", &[day]);
    let at = format!("{}/coverRequests", path(&made));
    let as_ann = acting_as(server, &client, &ann);
    let as_eve = acting_as(server, &client, &eve);
    let asked = as_ann.post(&at, &json!({"start": START, "end": END, "note": "wedding"})).ok();
    assert_eq!(
        (&asked["user"]["id"], &asked["status"], &asked["note"]),
        (&json!(ann), &json!("OPEN"), &json!("wedding"))
    );
    let one = format!("{at}/{}", text(&asked["id"]));
    assert_eq!(on_call(&client, &made, "2036-05-01T12:00:00Z"), sorted([&ann, &bob]), "nothing changes yet");
    as_ann.post_empty(&format!("{one}/accept")).problem(409, "0004");
    let accepted = as_eve.post_empty(&format!("{one}/accept")).ok();
    assert_eq!((&accepted["status"], &accepted["answeredBy"]["id"]), (&json!("ACCEPTED"), &json!(eve)));
    assert_eq!(on_call(&client, &made, "2036-05-01T12:00:00Z"), sorted([&bob, &eve]));
    assert_eq!(on_call(&client, &made, "2036-05-02T12:00:00Z"), sorted([&ann, &bob]));
    let overrides = client.get(&format!("{}/overrides", path(&made))).page();
    assert_eq!(
        (&overrides["results"][0]["id"], &overrides["results"][0]["replaces"]["id"]),
        (&accepted["overrideId"], &json!(ann))
    );
    assert_eq!(client.get(&at).page()["results"][0], accepted);
}

fn sorted<const N: usize>(ids: [&String; N]) -> Vec<String> {
    let mut ids: Vec<String> = ids.into_iter().cloned().collect();
    ids.sort();
    ids
}

fn those_who_are_asked_by_name_may_answer(server: &Server) {
    let client = server.new_client();
    let [ann, bob, eve] = ["Ann", "Bob", "Eve"].map(|name| user(&client, name));
    let made = create(&client, "GMT", &[shift("Day", daily("00:00:00", "00:00:00"), &ann)]);
    let at = format!("{}/coverRequests", path(&made));
    let [as_bob, as_eve] = [&bob, &eve].map(|id| acting_as(server, &client, id));
    let body = json!({"user": {"id": ann}, "start": START, "end": END, "asked": [{"id": bob}]});
    let one = format!("{at}/{}", text(&client.post(&at, &body).ok()["id"]));
    as_eve.post_empty(&format!("{one}/accept")).problem(403, "0006");
    assert_eq!(as_bob.post_empty(&format!("{one}/decline")).ok()["status"], json!("DECLINED"));
    as_bob.post_empty(&format!("{one}/accept")).problem(409, "0004");
    let body = json!({"user": {"id": ann}, "start": START, "end": END, "asked": [{"id": bob}, {"id": eve}]});
    let two = format!("{at}/{}", text(&client.post(&at, &body).ok()["id"]));
    assert_eq!(as_bob.post_empty(&format!("{two}/decline")).ok()["status"], json!("OPEN"));
    as_bob.post_empty(&format!("{two}/accept")).problem(403, "0006");
    as_eve.post_empty(&format!("{two}/accept")).ok();
    assert_eq!(on_call(&client, &made, "2036-05-01T12:00:00Z"), [eve]);
    let listed = |status: &str| client.get(&format!("{at}?status={status}")).page()["totalResults"].clone();
    assert_eq!((listed("DECLINED"), listed("accepted"), listed("OPEN")), (json!(1), json!(1), json!(0)));
}

fn what_is_over_or_answered_cannot_be_answered(server: &Server) {
    let client = server.new_client();
    let [ann, bob] = ["Ann", "Bob"].map(|name| user(&client, name));
    let made = create(&client, "GMT", &[shift("Day", daily("00:00:00", "00:00:00"), &ann)]);
    let at = format!("{}/coverRequests", path(&made));
    let as_bob = acting_as(server, &client, &bob);
    // One that has begun: what is past stays as it was.
    let body = json!({"user": {"id": ann}, "start": "2026-08-01T00:00:00Z", "end": "2027-07-30T00:00:00Z"});
    let begun = client.post(&at, &body).ok();
    as_bob.post_empty(&format!("{at}/{}/accept", text(&begun["id"]))).ok();
    assert_eq!(on_call(&client, &made, "2026-08-02T00:00:00Z"), [ann.clone()]);
    assert_eq!(on_call(&client, &made, "2027-07-29T00:00:00Z"), [bob]);
    as_bob.post_empty(&format!("{at}/{}/accept", text(&begun["id"]))).problem(409, "0004");
    client.delete(&format!("{at}/{}", text(&begun["id"]))).problem(409, "0004");
    let open = client.post(&at, &json!({"user": {"id": ann}, "start": START, "end": END})).ok();
    let one = format!("{at}/{}", text(&open["id"]));
    assert_eq!(as_bob.post_empty(&format!("{one}/decline")).ok(), open, "nobody was asked by name");
    assert_eq!(client.delete(&one).ok()["status"], json!("WITHDRAWN"));
    as_bob.post_empty(&format!("{one}/accept")).problem(409, "0004");
    as_bob.post_empty(&format!("{at}/CVR-none/accept")).not_found();
}

fn wrong_requests_are_refused(server: &Server) {
    let client = server.new_client();
    let other = server.new_client();
    let ann = user(&client, "Ann");
    let stranger = user(&other, "Eve");
    let made = create(&client, "GMT", &[shift("Day", daily("08:00:00", "12:00:00"), &ann)]);
    let at = format!("{}/coverRequests", path(&made));
    let body = |user: &str, asked: &str, end: &str| {
        json!({"user": {"id": user}, "asked": [{"id": asked}], "start": "2026-05-01T00:00:00Z",
            "end": end})
    };
    client.post(&at, &json!({})).invalid(&["start", "end"]);
    client.get(&format!("{at}?status=")).invalid(&["status"]);
    client.post(&at, &body(&stranger, &ann, "2026-12-30T00:00:00Z")).invalid(&["user.id"]);
    client.post(&at, &body(&ann, &stranger, "2026-12-30T00:00:00Z")).invalid(&["asked[0].id"]);
    client.post(&at, &body(&ann, &ann, "2026-12-30T00:00:00Z")).invalid(&["asked"]);
    client.post(&at, &body(&ann, &ann, "2026-05-02T00:00:00Z")).invalid(&["asked", "end"]);
    let shift = json!({"user": {"id": ann}, "start": START, "end": END, "shift": "ESD-x"});
    client.post(&at, &shift).invalid(&["shift"]);
    assert_eq!(client.get(&at).page()["totalResults"], json!(0));
    other.get(&at).not_found();
}
