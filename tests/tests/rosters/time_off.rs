//! When people are away.

use muster_tests::{Client, Server, both_backends, unique};
use serde_json::{Value, json};

use super::{
    calendars::{calendar, sequence},
    create, daily, shift, text, user,
};
use crate::{integrations::times::soon, paging::somebody};

both_backends![
    time_off_is_entered_changed_and_deleted,
    wrong_time_off_is_refused,
    people_write_their_own_and_operators_that_of_others,
    the_time_off_of_a_partners_people_is_not_told,
    a_person_has_so_many_entries,
    a_calendar_of_a_user_has_it,
    it_is_undone,
];

const FROM: &str = "2036-12-21T00:00:00+0000";
const TO: &str = "2036-12-28T00:00:00+0000";

fn body(from: &str, to: &str) -> Value {
    json!({"from": from, "to": to})
}

fn path(user: &str) -> String {
    format!("/users/{user}/timeOff")
}

#[track_caller]
fn found(client: &Client, user: &str, query: &str) -> Vec<String> {
    let page = client.get(&format!("{}/search{query}", path(user))).page();
    page["results"].as_array().into_iter().flatten().map(|one| text(&one["id"])).collect()
}

fn time_off_is_entered_changed_and_deleted(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let made = client.post(&path(&ann), &json!({"from": FROM, "to": TO, "reason": " Skiing "}));
    let tag = made.header("ETag").map(ToOwned::to_owned).unwrap();
    let made = made.ok();
    assert_eq!(
        [&made["user"]["id"], &made["user"]["firstName"], &made["from"], &made["to"], &made["reason"]],
        [&json!(ann), &json!("Ann"), &json!(FROM), &json!(TO), &json!("Skiing")]
    );
    assert!(made["createdBy"]["id"].is_string() && made["createdTime"] == made["updatedTime"], "{made}");
    let one = format!("{}/{}", path(&ann), text(&made["id"]));
    assert_eq!((client.get(&one).ok(), client.get(&one).header("ETag")), (made.clone(), Some(&*tag)));
    let change = json!({"to": "2036-12-29T00:00:00Z", "reason": ""});
    let changed = client.request("POST", &one).header("If-Match", &tag).json(&change).send().ok();
    assert_eq!((&changed["from"], &changed["to"]), (&json!(FROM), &json!("2036-12-29T00:00:00+0000")));
    assert_eq!(changed.get("reason"), None);
    let stale = |method: &str| client.request(method, &one).header("If-Match", &tag);
    stale("POST").json(&json!({"reason": "x"})).send().problem(412, "0004");
    stale("DELETE").send().problem(412, "0004");
    let later = text(&client.post(&path(&ann), &body("2037-01-01T00:00:00Z", "2037-01-02T00:00:00Z")).ok()["id"]);
    let first = text(&made["id"]);
    assert_eq!(found(&client, &ann, ""), [first.clone(), later.clone()]);
    assert_eq!(found(&client, &ann, "?isDescendingOrder=true"), [later.clone(), first.clone()]);
    assert_eq!(found(&client, &ann, "?from=2036-12-29T00:00:00Z"), [later.clone()]);
    assert_eq!(found(&client, &ann, "?to=2036-12-21T00:00:01Z"), [first.clone()]);
    let audit = client.get(&format!("/auditLog/search?queryString=entityId:{first}")).page();
    assert_eq!(audit["totalResults"], json!(2));
    client.delete(&one).ok();
    client.get(&one).not_found();
    client.delete(&one).not_found();
    assert_eq!(found(&client, &ann, ""), [later]);
}

fn wrong_time_off_is_refused(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let at = path(&ann);
    client.post(&at, &json!({})).invalid(&["from", "to"]);
    client.post(&at, &body(FROM, FROM)).invalid(&["to"]);
    client.post(&at, &body("9999-01-01T00:00:00Z", "x")).invalid(&["from", "to"]);
    client.post(&at, &body("2036-01-01T00:00:00Z", "2037-01-02T00:00:01Z")).invalid(&["to"]);
    client.post(&at, &json!({"from": FROM, "to": TO, "reason": "x".repeat(1_001)})).invalid(&["reason"]);
    let made = text(&client.post(&at, &body(FROM, TO)).ok()["id"]);
    client.post(&format!("{at}/{made}"), &json!({"to": FROM})).invalid(&["to"]);
    client.post(&format!("{at}/{made}"), &json!({"from": TO})).invalid(&["from"]);
    // Nor does it become another's by another path.
    let bob = user(&client, "Bob");
    client.get(&format!("{}/{made}", path(&bob))).not_found();
    client.post(&format!("{}/{made}", path(&bob)), &json!({"reason": "x"})).not_found();
    client.post(&path("USR9999999999"), &body(FROM, TO)).not_found();
    client.get(&format!("{}/search", path("USR9999999999"))).not_found();
    client.get(&format!("{at}/search?from={TO}&to={FROM}")).invalid(&["to"]);
    client.get(&format!("{at}/search?from={TO}&to={TO}")).invalid(&["to"]);
    assert_eq!(found(&client, &ann, &format!("?from={FROM}&to={TO}")), [made]);
}

fn people_write_their_own_and_operators_that_of_others(server: &Server) {
    let client = server.new_client();
    let (ann, ann_id) = somebody(server, &client, "viewer");
    let (bob, bob_id) = somebody(server, &client, "operator");
    let made = text(&ann.post(&path(&ann_id), &body(FROM, TO)).ok()["id"]);
    let one = format!("{}/{made}", path(&ann_id));
    ann.post(&one, &json!({"reason": "Skiing"})).ok();
    let refused = ann.post(&path(&bob_id), &body(FROM, TO)).problem(403, "0006").to_string();
    assert!(refused.contains("Only operators, integrators and admins write"), "{refused}");
    let (dan, _) = somebody(server, &client, "integrator");
    let of_ann = text(&dan.post(&path(&ann_id), &body(TO, "2037-01-02T00:00:00Z")).ok()["id"]);
    dan.delete(&format!("{}/{of_ann}", path(&ann_id))).ok();
    let of_bob = text(&bob.post(&path(&bob_id), &body(FROM, TO)).ok()["id"]);
    let of_bob = format!("{}/{of_bob}", path(&bob_id));
    assert_eq!(ann.get(&of_bob).ok()["user"]["id"], json!(bob_id), "who is away is no secret");
    ann.post(&of_bob, &json!({"reason": "x"})).forbidden();
    ann.delete(&of_bob).forbidden();
    bob.post(&one, &json!({"reason": "Other"})).ok();
    bob.delete(&one).ok();
    bob.post(&path(&ann_id), &body(FROM, TO)).ok();
}

fn the_time_off_of_a_partners_people_is_not_told(server: &Server) {
    let client = server.new_client();
    let partner = server.admin();
    let of_partner = user(&partner, "Eve");
    let made = text(&partner.post(&path(&of_partner), &body(FROM, TO)).ok()["id"]);
    client.post(&path(&of_partner), &body(FROM, TO)).not_found();
    client.get(&format!("{}/search", path(&of_partner))).not_found();
    client.get(&format!("{}/{made}", path(&of_partner))).not_found();
    client.delete(&format!("{}/{made}", path(&of_partner))).not_found();
    // A partner sees and writes that of its clients' people.
    let ann = user(&client, "Ann");
    let of_ann = text(&partner.post(&path(&ann), &body(FROM, TO)).ok()["id"]);
    assert_eq!(found(&client, &ann, ""), [of_ann]);
    // Nor does a client learn of it from conflicts; its partner does.
    create(&client, "GMT", &[shift("Day", daily("08:00:00", "20:00:00"), &of_partner)]);
    let range = "from=2036-12-22T00:00:00Z&to=2036-12-23T00:00:00Z";
    let kinds = |caller: &Client| {
        let answer = caller.get(&format!("/rosters/conflicts?{range}&userId={of_partner}")).ok();
        let all = answer["results"].as_array().cloned().unwrap_or_default();
        all.iter().map(|one| text(&one["kind"])).collect::<Vec<_>>()
    };
    assert_eq!(kinds(&client), Vec::<String>::new());
    assert_eq!(kinds(&partner), ["timeOff"]);
}

fn a_person_has_so_many_entries(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    for _ in 0..500 {
        client.post(&path(&ann), &body(FROM, TO)).ok();
    }
    client.post(&path(&ann), &body(FROM, TO)).problem(409, "0004");
    let bob = user(&client, "Bob");
    client.post(&path(&bob), &body(FROM, TO)).ok();
}

fn a_calendar_of_a_user_has_it(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let day = |days: u64| soon(days * 86_400);
    let made = client.post(&path(&ann), &json!({"from": day(2), "to": day(3), "reason": "a secret"})).ok();
    let address = client.post_empty(&format!("/rosters/users/{ann}/calendars")).ok();
    let read = calendar(server, &address);
    let uid = format!("UID:{}@muster", text(&made["id"]));
    assert!(read.contains(&uid) && read.contains("SUMMARY:Away: Ann Lee") && !read.contains("a secret"), "{read}");
    let before = sequence(&read);
    client.post(&format!("{}/{}", path(&ann), text(&made["id"])), &json!({"to": day(4)})).ok();
    assert_eq!(sequence(&calendar(server, &address)), before + 1);
}

fn it_is_undone(server: &Server) {
    let client = server.new_client();
    let ann = user(&client, "Ann");
    let newest = || text(&client.get("/changeSets/search").page()["results"][0]["id"]);
    let undo = |set: &str| client.post_empty(&format!("/changeSets/{set}/undo")).ok();
    let made = client.post(&path(&ann), &json!({"from": FROM, "to": TO, "reason": unique("skiing")})).ok();
    let one = format!("{}/{}", path(&ann), text(&made["id"]));
    let told = || {
        let now = client.get(&one).ok();
        ["user", "from", "to", "reason"].map(|field| now[field].clone())
    };
    let before = told();
    client.post(&one, &json!({"from": "2037-01-01T00:00:00Z", "to": "2037-01-02T00:00:00Z", "reason": ""})).ok();
    undo(&newest());
    assert_eq!(told(), before);
    client.delete(&one).ok();
    let deleted = newest();
    undo(&deleted);
    assert_eq!(told(), before);
    // The undo of that is undone, and so on.
    undo(&newest());
    client.get(&one).not_found();
    client.post(&path(&ann), &body(FROM, TO)).ok();
    undo(&newest());
    assert_eq!(found(&client, &ann, ""), Vec::<String>::new());
}
