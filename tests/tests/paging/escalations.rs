//! From an alert to people.

use std::time::Duration;

use muster_tests::{
    Backend, Client, Server, both_backends,
    receiver::{Receiver, Reply, wait_for},
    unique,
};
use serde_json::{Value, json};

use super::{person, somebody, text};

both_backends![
    steps_are_taken_until_somebody_answers,
    a_code_and_a_test_arrive,
    nobody_to_tell_is_shown,
    a_step_whose_pages_fail_for_good_does_not_wait,
    who_leaves_in_the_middle_is_told_no_more,
    every_service_is_called_in_its_way,
    too_many_pages_are_told_together,
    who_is_on_call_and_why,
];

const ARGUMENTS: [&str; 2] = ["--egress-allow", "127.0.0.0/8"];

/// A contact method of a person that works.
fn reachable(client: &Client, user: &str, url: &str) -> String {
    let body = json!({"name": unique("hook"), "type": "HTTP", "url": url, "verified": true});
    text(&client.post(&format!("/users/{user}/contactMethods"), &body).ok()["id"])
}

/// A policy of these steps that takes every alert.
fn default_policy(client: &Client, mut policy: Value) -> String {
    policy["name"] = json!(unique("policy"));
    let id = text(&client.post("/escalationPolicies", &policy).ok()["id"]);
    client.post("/alertRoutes", &json!({"name": unique("all"), "isDefault": true, "policy": {"id": id}})).ok();
    id
}

fn alert(client: &Client, subject: &str) -> String {
    text(&client.post("/alert", &json!({"currentState": "Critical", "subject": subject})).ok()["id"])
}

fn pages(client: &Client, alert: &str) -> Vec<Value> {
    let page = client.get(&format!("/pages/search?isDescendingOrder=false&queryString=alertId:{alert}")).page();
    page["results"].as_array().unwrap().clone()
}

#[track_caller]
fn wait(client: &Client, alert: &str, done: impl Fn(&[Value]) -> bool) -> Vec<Value> {
    let state = || json!(pages(client, alert)).to_string();
    wait_for(Duration::from_secs(30), || done(&pages(client, alert)), state);
    pages(client, alert)
}

fn is(page: &Value, status: &str) -> bool {
    page["status"] == status
}

fn steps_are_taken_until_somebody_answers(backend: Backend) {
    let server = Server::start_with(backend, &ARGUMENTS);
    let client = server.new_client();
    let receiver = Receiver::willing();
    let first = person(&client);
    let second = person(&client);
    reachable(&client, &first, &format!("{}/first", receiver.url()));
    let late = reachable(&client, &second, &format!("{}/second", receiver.url()));
    let rule = json!({"urgency": "high", "steps": [{"contactMethod": {"id": late}, "after": "1h"}]});
    client.post(&format!("/users/{second}/notificationRules"), &rule).ok();
    let schedule = json!({"type": "one-time", "startDate": "2020-01-01T00:00:00Z", "endDate": "2020-01-02T00:00:00Z"});
    let shift = json!({"name": "a", "users": [{"id": first}], "userGroups": [], "schedule": schedule});
    let roster = json!({"name": unique("gap"), "description": "a gap", "timeZone": {"name": "GMT"},
        "shiftDetails": [shift]});
    let roster = text(&client.post("/rosters", &roster).ok()["id"]);
    default_policy(
        &client,
        json!({"ackTimeout": "2s", "steps": [
            {"targets": [{"roster": {"id": roster}}], "wait": "1h"},
            {"targets": [{"user": {"id": first}}], "wait": "2s"},
            {"targets": [{"user": {"id": second}}], "wait": "1h"},
        ]}),
    );
    let id = alert(&client, "Load is 31");
    // The roster has a gap: its wait is not waited for.
    let decided = wait(&client, &id, |pages| pages.len() == 3);
    let told: Vec<_> = decided.iter().map(|page| (page["step"].as_i64().unwrap(), text(&page["status"]))).collect();
    assert_eq!(told[0], (1, "gap".to_owned()));
    assert_eq!(decided[0]["target"], json!(roster));
    wait(&client, &id, |pages| is(&pages[1], "sent"));
    assert_eq!((told[2].0, told[2].1.as_str()), (3, "pending"), "{decided:?}");
    let received = receiver.wait(1);
    assert_eq!(
        (received[0].path.as_str(), received[0].header("webhook-id")),
        ("/first", text(&decided[1]["id"]).as_str())
    );
    let body = received[0].json();
    assert_eq!((&body["alert"]["id"], &body["alert"]["subject"]), (&json!(id), &json!("Load is 31")));
    assert_eq!(body["title"], json!("[Critical] Load is 31"));
    // What was not sent yet is not sent once somebody works on it, and goes on when they take too long.
    client.post_empty(&format!("/alerts/{id}/actions/acknowledge")).ok();
    wait(&client, &id, |pages| is(&pages[2], "stopped"));
    let again = wait(&client, &id, |pages| pages.len() >= 4);
    assert_eq!((&again[3]["round"], &again[3]["step"]), (&json!(2), &json!(3)), "{again:?}");
    client.post_empty(&format!("/alerts/{id}/actions/close")).ok();
    wait(&client, &id, |pages| pages.iter().all(|page| !is(page, "pending")));
    let timeline = client.get(&format!("/alerts/{id}/timeline")).ok();
    assert_eq!(timeline["escalation"], json!("closed"));
    let whats: Vec<String> = timeline["events"].as_array().unwrap().iter().map(|event| text(&event["what"])).collect();
    for what in ["reported", "routed", "gap", "page", "attempt", "acknowledged", "closed"] {
        assert!(whats.iter().any(|known| known == what), "{what}: {whats:?}");
    }
    // In its order, to the millisecond, and with the names of people.
    let events = timeline["events"].as_array().unwrap();
    let times: Vec<i64> = events.iter().map(|event| event["afterMs"].as_i64().unwrap()).collect();
    assert!(times.is_sorted(), "{times:?}");
    let place = |what: &str| whats.iter().position(|known| known == what);
    for (first, then) in [
        ("reported", "routed"),
        ("routed", "page"),
        ("routed", "attempt"),
        ("page", "attempt"),
        ("attempt", "acknowledged"),
    ] {
        assert!(place(first) < place(then), "{first} before {then}: {whats:?}");
    }
    let closed = &events[place("closed").unwrap()];
    assert_eq!((&closed["by"]["id"], closed["by"]["loginName"].is_string()), (&closed["user"], true), "{closed}");
    let told = events
        .iter()
        .filter_map(|event| event["page"].get("user"))
        .chain(again.iter().filter_map(|page| page.get("user")));
    for user in told {
        assert!(user["loginName"].is_string() && user["firstName"].is_string(), "{user}");
    }
    assert_eq!(receiver.count(), 1);
}

fn a_code_and_a_test_arrive(backend: Backend) {
    let server = Server::start_with(backend, &ARGUMENTS);
    let client = server.new_client();
    let receiver = Receiver::willing();
    let (ann, id) = somebody(&server, &client, "viewer");
    let path = format!("/users/{id}/contactMethods");
    let made = ann.post(&path, &json!({"name": "a", "type": "HTTP", "url": receiver.url()})).ok();
    let one = format!("{path}/{}", text(&made["id"]));
    assert_eq!(ann.post_empty("/paging/test").ok()["pages"][0]["status"], json!("gap"));
    ann.post(&format!("{one}/verify"), &json!({"code": "000000"})).problem(409, "0004");
    let sent = ann.post_empty(&format!("{one}/sendCode"));
    ann.post_empty(&format!("{one}/sendCode")).problem(409, "0004");
    let code = text(&receiver.wait(1)[0].json()["title"]).rsplit(' ').next().unwrap().to_owned();
    assert!(code.len() == 6 && !sent.whole().contains(&code), "{sent}");
    let wrong = if code == "111111" { "222222" } else { "111111" };
    for _ in 0..4 {
        assert_eq!(ann.post(&format!("{one}/verify"), &json!({"code": wrong})).ok()["verified"], json!(false));
    }
    assert_eq!(ann.post(&format!("{one}/verify"), &json!({"code": code})).ok()["verified"], json!(true));
    let tested = ann.post_empty("/paging/test").ok();
    let body = receiver.wait(2)[1].json();
    assert_eq!((&body["id"], &body["kind"]), (&tested["pages"][0]["id"], &json!("test")));
    // Five wrong ones are enough.
    let made = ann.post(&path, &json!({"name": "b", "type": "HTTP", "url": receiver.url()})).ok();
    let other = format!("{path}/{}", text(&made["id"]));
    ann.post_empty(&format!("{other}/sendCode")).ok();
    let code = text(&receiver.wait(3)[2].json()["title"]).rsplit(' ').next().unwrap().to_owned();
    let wrong = if code == "111111" { "222222" } else { "111111" };
    (0..5).for_each(|_| drop(ann.post(&format!("{other}/verify"), &json!({"code": wrong})).ok()));
    ann.post(&format!("{other}/verify"), &json!({"code": code})).problem(409, "0004");
}

fn nobody_to_tell_is_shown(backend: Backend) {
    let server = Server::start_with(backend, &ARGUMENTS);
    let client = server.new_client();
    let id = alert(&client, "nobody");
    let shown = wait(&client, &id, |pages| pages.len() == 1);
    assert_eq!(
        (&shown[0]["status"], &shown[0]["why"]),
        (&json!("gap"), &json!("no alert route takes it, and there is no default"))
    );
    assert_eq!(client.get(&format!("/alerts/{id}/timeline")).ok()["escalation"], json!("noPolicy"));
    let explained = client.post("/paging/explain", &json!({"alertId": id})).ok();
    assert_eq!(explained["gaps"], json!(["no alert route takes it, and there is no default"]));
    // Information is nobody's gap.
    let info = text(&client.post("/alert", &json!({"currentState": "Info", "subject": "x"})).ok()["id"]);
    // A person without a contact method, one who left, and a machine that nobody owns.
    let mute = person(&client);
    let gone = person(&client);
    let steps = json!([{"targets": [{"user": {"id": mute}}, {"user": {"id": gone}}, {"owner": true}], "wait": "1h"}]);
    default_policy(&client, json!({"steps": steps}));
    client.post_empty(&format!("/users/{gone}/deactivate")).ok();
    let second = alert(&client, "gaps");
    let shown = wait(&client, &second, |pages| pages.len() == 3);
    assert!(shown.iter().all(|page| is(page, "gap")), "{shown:?}");
    assert!(pages(&client, &info).is_empty());
    assert_eq!(client.search("/pages/search", "status:gap").page()["totalResults"], json!(4));
}

fn who_leaves_in_the_middle_is_told_no_more(backend: Backend) {
    let server = Server::start_with(backend, &ARGUMENTS);
    let client = server.new_client();
    let receiver = Receiver::willing();
    let people: Vec<String> = (0..3).map(|_| person(&client)).collect();
    for user in &people {
        reachable(&client, user, &format!("{}/{user}", receiver.url()));
    }
    // The first is told again later, by another method.
    let later = reachable(&client, &people[0], &format!("{}/later", receiver.url()));
    let first = client.get(&format!("/users/{}/contactMethods", people[0])).list()[0]["id"].clone();
    let rule = json!({"urgency": "high", "steps": [
        {"contactMethod": {"id": first}, "after": "0s"}, {"contactMethod": {"id": later}, "after": "4s"}]});
    client.post(&format!("/users/{}/notificationRules", people[0]), &rule).ok();
    let step = |user: &String, wait: &str| json!({"targets": [{"user": {"id": user}}], "wait": wait});
    let steps = json!([step(&people[0], "6s"), step(&people[1], "1h"), step(&people[2], "1h")]);
    default_policy(&client, json!({"steps": steps}));
    let id = alert(&client, "leaves");
    receiver.wait(1);
    for user in &people[..2] {
        client.post_empty(&format!("/users/{user}/deactivate")).ok();
    }
    // What was decided for the first is not sent; the second is a gap that nobody waits for; the third is told.
    let shown = wait(&client, &id, |pages| pages.len() == 4 && is(&pages[3], "sent"));
    let said = |page: &Value| (text(&page["status"]), page["why"].as_str().unwrap_or_default().to_owned());
    assert_eq!(said(&shown[1]), ("failed".to_owned(), "the person is not in use any more".to_owned()));
    assert_eq!(said(&shown[2]), ("gap".to_owned(), "the person is not in use any more".to_owned()));
    assert_eq!(shown[3]["user"]["id"], json!(people[2]));
    let paths: Vec<String> = receiver.wait(2).iter().map(|request| request.path.clone()).collect();
    assert_eq!(paths, [format!("/{}", people[0]), format!("/{}", people[2])]);
}

fn every_service_is_called_in_its_way(backend: Backend) {
    let server = Server::start_with(backend, &ARGUMENTS);
    let client = server.new_client();
    let receiver = Receiver::willing();
    let (caller, user) = somebody(&server, &client, "operator");
    let path = format!("/users/{user}/contactMethods");
    let auth = json!({"to": "+431", "from": "+432", "userName": "AC1", "password": "hush"});
    for (preset, more) in [
        ("ntfy", json!({"token": "tk"})),
        ("slack", json!({})),
        ("mattermost", json!({})),
        ("teams", json!({})),
        ("discord", json!({})),
        ("telegram", json!({"chatId": "-42"})),
        ("sms", json!({"to": "+431"})),
        ("twilio", auth.clone()),
        ("voice", json!({"to": "+431"})),
        ("twilioVoice", auth.clone()),
    ] {
        let mut body = json!({"name": preset, "type": "HTTP", "preset": preset, "verified": true,
            "url": format!("{}/{preset}", receiver.url())});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        client.post(&path, &body).ok();
    }
    caller.post_empty("/paging/test").ok();
    let received = receiver.wait(10);
    let of = |path: &str| {
        received.iter().find(|request| request.path == path).unwrap_or_else(|| panic!("nothing at {path}"))
    };
    let title = "This is a test of Muster";
    let ntfy = of("/");
    assert_eq!(
        (&ntfy.json()["topic"], &ntfy.json()["title"], ntfy.header("authorization")),
        (&json!("ntfy"), &json!(title), "Bearer tk")
    );
    assert!(text(&of("/slack").json()["text"]).starts_with(&format!("*{title}*")));
    assert!(text(&of("/mattermost").json()["text"]).starts_with(&format!("**{title}**")));
    assert_eq!(of("/teams").json()["attachments"][0]["content"]["body"][0]["text"], json!(title));
    assert_eq!(of("/discord").json()["allowed_mentions"], json!({"parse": []}));
    assert_eq!(of("/telegram").json()["chat_id"], json!("-42"));
    assert_eq!(of("/sms").json()["to"], json!("+431"));
    let twilio = of("/twilio");
    assert_eq!(twilio.header("authorization"), "Basic QUMxOmh1c2g=");
    assert!(twilio.text().starts_with("To=%2B431&From=%2B432&Body=This+is+a+test"), "{}", twilio.text());
    assert!(of("/twilioVoice").text().contains("Twiml=%3CResponse%3E%3CSay"));
}

fn a_step_whose_pages_fail_for_good_does_not_wait(backend: Backend) {
    let server = Server::start_with(backend, &ARGUMENTS);
    let client = server.new_client();
    let receiver =
        Receiver::start(|request, _| Reply::status(if request.path.starts_with("/gone") { 404 } else { 200 }));
    let people: Vec<String> = (0..3).map(|_| person(&client)).collect();
    reachable(&client, &people[0], &format!("{}/gone/1", receiver.url()));
    reachable(&client, &people[0], &format!("{}/gone/2", receiver.url()));
    reachable(&client, &people[1], &format!("{}/there", receiver.url()));
    reachable(&client, &people[1], &format!("{}/gone/3", receiver.url()));
    reachable(&client, &people[2], &receiver.url());
    let step = |user: &String| json!({"targets": [{"user": {"id": user}}], "wait": "1h"});
    default_policy(&client, json!({"steps": people.iter().map(step).collect::<Vec<_>>()}));
    let id = alert(&client, "down");
    // Both addresses of the first one are gone, so that the second one is told at once; of the third there is no need.
    let told = wait(&client, &id, |pages| pages.len() == 5 && pages.iter().all(|page| !is(page, "pending")));
    let mut told: Vec<_> = told.iter().map(|page| (page["step"].as_i64().unwrap(), text(&page["status"]))).collect();
    told.sort();
    let expected = [(1, "failed"), (1, "failed"), (1, "gap"), (2, "failed"), (2, "sent")];
    assert_eq!(told, expected.map(|(step, status)| (step, status.to_owned())));
    let events = client.get(&format!("/alerts/{id}/timeline")).ok()["events"].clone();
    let gap = events.as_array().unwrap().iter().find(|event| event["what"] == "gap").cloned();
    assert_eq!(gap.unwrap_or_default()["text"], json!("none of its pages could be sent"), "{events}");
}

fn too_many_pages_are_told_together(backend: Backend) {
    let server = Server::start_with(backend, &[&ARGUMENTS[..], &["--page-limit", "3"]].concat());
    let client = server.new_client();
    let receiver = Receiver::willing();
    let user = person(&client);
    reachable(&client, &user, &receiver.url());
    default_policy(&client, json!({"steps": [{"targets": [{"user": {"id": user}}], "wait": "1h"}]}));
    let reports: Vec<Value> =
        (0..40).map(|number| json!({"currentState": "Critical", "subject": format!("alert {number}")})).collect();
    client.post("/alerts", &json!(reports)).ok();
    let settled = || {
        let of = |status: &str| {
            client.search("/pages/search", &format!("status:{status}")).page()["totalResults"].as_u64().unwrap_or(0)
        };
        (of("sent"), of("summarised"), of("pending"))
    };
    let done = || {
        let (sent, summarised, pending) = settled();
        sent + summarised + pending == 40 && receiver.count() >= 3
    };
    wait_for(Duration::from_secs(30), done, || format!("{:?}", settled()));
    assert_eq!(receiver.count(), 3, "no more than three in a minute: {:?}", settled());
    let last =
        receiver.all().iter().map(muster_tests::receiver::Received::json).find(|body| body["summary"].is_object());
    let last = last.expect("one message for the rest");
    assert!(last["summary"]["count"].as_u64() > Some(1) && last["summary"]["worst"] == "Critical", "{last}");
    assert!(text(&last["title"]).contains("alerts, worst Critical"), "{last}");
}

fn who_is_on_call_and_why(backend: Backend) {
    let server = Server::start_with(backend, &ARGUMENTS);
    let client = server.new_client();
    let user = person(&client);
    let group = client.post("/userGroups", &json!({"name": "Web", "users": [{"id": user}]})).ok();
    let site = client.post("/sites", &json!({"name": "Graz"})).ok();
    let machine = client.post("/resources", &json!({"hostName": "web-01", "location": {"id": site["id"]}})).ok();
    let machine = text(&machine["resourceUUID"]);
    let path = format!("/resources/{machine}/onCall");
    assert_eq!(client.get(&path).ok()["gap"], json!("no alert route takes it, and there is no default"));
    let owned =
        client.post("/owners", &json!({"site": {"name": "graz"}, "userGroup": {"uniqueId": group["uniqueId"]}})).ok();
    assert_eq!((&owned["kind"], &owned["target"]), (&json!("site"), &json!(site["id"].to_string())));
    let policy = json!({"name": "web", "steps": [{"targets": [{"owner": true}]}]});
    let policy = client.post("/escalationPolicies", &policy).ok();
    let rules = json!([{"key": "site", "operator": "Equals", "value": "graz"}]);
    client.post("/alertRoutes", &json!({"name": "Graz", "rules": rules, "policy": {"id": policy["id"]}})).ok();
    let told = client.get(&path).ok();
    assert_eq!(told["owner"], json!({"userGroup": {"uniqueId": group["uniqueId"]}, "through": "site"}));
    assert_eq!((&told["policy"]["id"], &told["policy"]["route"]["name"]), (&policy["id"], &json!("Graz")));
    assert_eq!(told["steps"][0]["targets"][0]["users"][0]["id"], json!(user), "{told}");
    let report = json!({"alert": {"currentState": "Critical", "subject": "x", "device": {"hostName": "web-01"}}});
    let explained = client.post("/paging/explain", &report).ok();
    assert_eq!((&explained["machine"]["id"], &explained["routes"][0]["takes"]), (&json!(machine), &json!(true)));
    assert_eq!(explained["gaps"], json!([format!("step 1: {user} has no verified contact method")]));
    // A group of its own comes before the site.
    client.post("/owners", &json!({"resource": {"id": machine}, "userGroup": {"uniqueId": group["uniqueId"]}})).ok();
    assert_eq!(client.get(&path).ok()["owner"]["through"], json!("resource"));
    client.post("/owners", &json!({"resource": {"id": machine}})).ok();
    assert_eq!(client.get(&path).ok()["owner"]["through"], json!("site"));
    client.delete(&format!("/owners/{}", text(&owned["id"]))).ok();
    assert_eq!(client.get(&path).ok().get("owner"), None);
    client.post("/owners", &json!({"site": {"name": "graz"}, "default": true})).invalid(&["body"]);
}
