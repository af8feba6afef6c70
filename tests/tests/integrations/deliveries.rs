//! Deliveries: retried, seen, sent again.

use std::process::Command;
use std::time::{Duration, Instant};

use muster_tests::{Backend, Client, Server, both_backends, psql};
use serde_json::{Value, json};

use super::{
    QUICK, event, incident, install, on_incidents, path,
    receiver::{Receiver, Reply, wait_for},
    server, statuses, text,
};

both_backends![
    a_failed_attempt_is_repeated_with_the_same_bytes,
    every_method_and_header_arrives,
    only_2xx_is_success_and_redirects_are_not_followed,
    retry_after_is_a_minimum,
    an_endpoint_that_is_gone_is_not_called_again,
    a_delivery_is_sent_again_on_request,
    a_hung_endpoint_takes_no_place_from_others,
    what_is_switched_off_waits,
    what_is_switched_off_is_not_changed,
    what_is_deleted_is_gone_at_once_and_removed_through_a_crash,
    what_a_suspended_client_sends_waits,
    response_headers_are_recorded,
    deliveries_are_found_across_events,
];

/// Waits until all deliveries of an event have ended.
#[track_caller]
fn ended(client: &Client, event: &str, count: usize) -> Vec<String> {
    let all = || statuses(client, event);
    wait_for(
        Duration::from_secs(30),
        || all().len() == count && all().iter().all(|status| status != "pending"),
        || format!("{:?}", all()),
    );
    all()
}

fn first(client: &Client, event: &str) -> Value {
    let page = client.get(&format!("{event}/deliveries")).page();
    let id = text(&page["results"][0]["id"]);
    client.get(&format!("{event}/deliveries/{id}")).ok()
}

fn a_failed_attempt_is_repeated_with_the_same_bytes(backend: Backend) {
    let client = server(backend).new_client();
    let receiver = Receiver::start(|_, number| match number {
        1 => Reply::status(503),
        2 => Reply::Reset,
        3 => Reply::Hang,
        _ => Reply::Answer(201, Vec::new(), "made".to_owned()),
    });
    let at = event(&client, &install(&client, &receiver.url()), &on_incidents("{\"s\": \"$incident.subject\"}"));
    let made = incident(&client, &json!({"subject": "once"}));
    assert_eq!(ended(&client, &at, 1), ["delivered"]);
    let by_id = receiver.by_id();
    let id = text(&made["deliveries"][0]["id"]);
    assert_eq!(by_id.keys().collect::<Vec<_>>(), [&id]);
    assert!(by_id[&id].len() >= 4 && by_id[&id].iter().all(|body| body == b"{\"s\": \"once\"}"), "{by_id:?}");
    let detail = first(&client, &at);
    assert_eq!((&detail["status"], &detail["responseStatus"]), (&json!("delivered"), &json!(201)));
    let log = detail["attemptLog"].as_array().cloned().unwrap_or_default();
    assert_eq!(json!(log.len()), detail["attempts"]);
    assert_eq!((&log[0]["responseStatus"], &log.last().unwrap()["responseBody"]), (&json!(503), &json!("made")));
    assert!(text(&log[2]["error"]).contains("no answer within 1000 ms"), "{detail}");
    assert_eq!(detail["about"]["entity"], json!("INCIDENT"));
    assert!(detail.get("nextAttemptTime").is_none(), "{detail}");
}

fn every_method_and_header_arrives(backend: Backend) {
    let client = server(backend).new_client();
    let receiver = Receiver::willing();
    let made = install(&client, &format!("{}/base/", receiver.url()));
    for method in ["POST", "PUT", "GET", "DELETE", "PATCH"] {
        let mut body = on_incidents("{\"a\": 1}");
        body["thirdPartyEventType"] = json!(method);
        body["headers"] = json!([{"key": "X-Plain", "value": "$event.type"}, {"key": "X-Api-Key", "value": "k"},
            {"key": "Content-Type", "value": "application/vnd.x+json"}]);
        event(&client, &made, &body);
    }
    incident(&client, &json!({}));
    let mut methods: Vec<String> = Vec::new();
    for request in receiver.wait(5) {
        assert_eq!((request.path.as_str(), request.header("x-plain")), ("/base/tickets", "CREATE"));
        assert_eq!((request.header("x-api-key"), request.header("content-type")), ("k", "application/vnd.x+json"));
        assert_eq!(request.json(), json!({"a": 1}));
        assert!(request.header("user-agent").starts_with("muster/"));
        methods.push(request.method);
    }
    methods.sort_unstable();
    assert_eq!(methods, ["DELETE", "GET", "PATCH", "POST", "PUT"]);
}

fn only_2xx_is_success_and_redirects_are_not_followed(backend: Backend) {
    let client = server(backend).new_client();
    let elsewhere = Receiver::willing();
    let location = elsewhere.url();
    let receiver = Receiver::start(move |request, _| match request.path.as_str() {
        "/404/tickets" => Reply::status(404),
        _ => Reply::Answer(302, vec![("Location", location.clone())], String::new()),
    });
    for path in ["404", "302"] {
        let at = event(&client, &install(&client, &format!("{}/{path}", receiver.url())), &on_incidents("{}"));
        incident(&client, &json!({}));
        assert_eq!(ended(&client, &at, 1), ["failed"], "{path}");
        assert_eq!(first(&client, &at)["attempts"], json!(10), "one, and nine waits");
        client.delete(&at).ok();
    }
    assert_eq!(elsewhere.connections(), 0);
}

fn retry_after_is_a_minimum(backend: Backend) {
    let client = server(backend).new_client();
    let receiver = Receiver::start(|_, number| match number {
        1 => Reply::Answer(429, vec![("Retry-After", "2".to_owned())], String::new()),
        _ => Reply::status(204),
    });
    let at = event(&client, &install(&client, &receiver.url()), &on_incidents("{}"));
    incident(&client, &json!({}));
    receiver.wait(1);
    let begun = Instant::now();
    assert_eq!(ended(&client, &at, 1), ["delivered"]);
    assert!(begun.elapsed() > Duration::from_millis(1_500), "after {:?}", begun.elapsed());
}

fn an_endpoint_that_is_gone_is_not_called_again(backend: Backend) {
    let client = server(backend).new_client();
    let receiver = Receiver::start(|_, _| Reply::status(410));
    let at = event(&client, &install(&client, &receiver.url()), &on_incidents("{}"));
    incident(&client, &json!({}));
    receiver.wait(1);
    let shown = || client.get(&at).ok();
    wait_for(Duration::from_secs(10), || shown()["active"] == json!(false), || shown().to_string());
    assert!(text(&shown()["inactiveBecause"]).contains("410"));
    assert_eq!(incident(&client, &json!({}))["deliveries"], json!([]));
    std::thread::sleep(Duration::from_millis(600));
    assert!(receiver.count() <= 2, "{} calls", receiver.count());
    assert_eq!(statuses(&client, &at), ["pending"], "it waits for the event to be active again");
    let one = first(&client, &at);
    assert!(one.get("nextAttemptTime").is_none(), "{one}");
    let to = format!("{at}/deliveries/{}/resend", text(&one["id"]));
    assert!(client.post_empty(&to).ok().get("nextAttemptTime").is_none());
    client.request("POST", &to).header("If-Match", "\"1\"").send().problem(412, "0004");
}

fn a_delivery_is_sent_again_on_request(backend: Backend) {
    let client = server(backend).new_client();
    let receiver = Receiver::willing();
    let at = event(&client, &install(&client, &receiver.url()), &on_incidents("{\"s\": \"$incident.subject\"}"));
    for number in 0..3 {
        incident(&client, &json!({"subject": format!("n{number}")}));
    }
    assert_eq!(ended(&client, &at, 3), ["delivered"; 3]);
    let one = first(&client, &at);
    let resent = client.post_empty(&format!("{at}/deliveries/{}/resend", text(&one["id"]))).ok();
    assert_eq!(resent["status"], json!("pending"));
    receiver.wait(4);
    assert_eq!(ended(&client, &at, 3), ["delivered"; 3]);
    assert_eq!(client.post(&format!("{at}/replay"), &json!({})).ok()["replayed"], json!(0), "none has failed");
    assert_eq!(client.post(&format!("{at}/replay"), &json!({"status": "delivered"})).ok()["replayed"], json!(3));
    receiver.wait(7);
    assert_eq!(ended(&client, &at, 3), ["delivered"; 3]);
    let by_id = receiver.by_id();
    assert_eq!(by_id.len(), 3);
    assert!(by_id.values().all(|bodies| bodies.iter().all(|body| *body == bodies[0])), "{by_id:?}");
    let later = json!({"status": "all", "startTime": "2100-01-01T00:00:00Z"});
    assert_eq!(client.post(&format!("{at}/replay"), &later).ok()["replayed"], json!(0));
    let page = client.get(&format!("{at}/deliveries?pageSize=2")).page();
    assert_eq!((&page["totalResults"], &page["nextPage"]), (&json!(3), &json!(true)));
    let next = client.get(&format!("{at}/deliveries?pageSize=2&cursor={}", text(&page["nextCursor"]))).page();
    assert_eq!(next["results"].as_array().map(Vec::len), Some(1));
    client.get(&format!("{at}/deliveries?status=lost")).invalid(&["status"]);
    client.get(&format!("{at}/deliveries/DLV-none")).not_found();
}

fn a_hung_endpoint_takes_no_place_from_others(backend: Backend) {
    let client = server(backend).new_client();
    let (hung, well) = (Receiver::start(|_, _| Reply::Hang), Receiver::willing());
    let slow = event(&client, &install(&client, &hung.url()), &on_incidents("{}"));
    for _ in 0..100 {
        incident(&client, &json!({}));
    }
    event(&client, &install(&client, &well.url()), &on_incidents("{}"));
    let begun = Instant::now();
    for _ in 0..20 {
        incident(&client, &json!({}));
    }
    well.wait(20);
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    client.delete(&slow).ok();
}

fn what_is_switched_off_waits(backend: Backend) {
    let client = server(backend).new_client();
    let receiver = Receiver::start(|_, number| Reply::status(if number == 1 { 500 } else { 200 }));
    let made = install(&client, &receiver.url());
    let at = event(&client, &made, &on_incidents("{}"));
    incident(&client, &json!({}));
    receiver.wait(1);
    client.post_empty(&format!("{}/disable", path(&made))).ok();
    std::thread::sleep(Duration::from_millis(800));
    let calls = receiver.count();
    assert!(calls <= 2);
    client.post_empty(&format!("{}/enable", path(&made))).ok();
    assert_eq!(ended(&client, &at, 1), ["delivered"]);
}

/// However many deliveries there are, and whoever holds them.
fn what_is_switched_off_is_not_changed(backend: Backend) {
    let server = server(backend);
    let [client, other] = [server.new_client(), server.new_client()];
    let [refusing, willing] = [Receiver::start(|_, _| Reply::status(500)), Receiver::willing()];
    let made = install(&client, &refusing.url());
    for _ in 0..2 {
        event(&client, &made, &on_incidents("{}"));
    }
    incident(&client, &json!({}));
    refusing.wait(2);
    event(&other, &install(&other, &willing.url()), &on_incidents("{}"));
    let held = server.database_url().map(str::to_owned).map(|url| {
        let tenant = client.tenant_id().to_owned();
        let hold = format!("SELECT 1 FROM integration_deliveries WHERE tenant_id = '{tenant}' FOR UPDATE");
        std::thread::spawn(move || psql(&url, &format!("BEGIN; {hold}; SELECT pg_sleep(8); COMMIT")))
    });
    std::thread::sleep(Duration::from_secs(1));
    let begun = Instant::now();
    client.post_empty(&format!("{}/disable", path(&made))).ok();
    incident(&other, &json!({}));
    willing.wait(1);
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    held.into_iter().for_each(|held| drop(held.join().unwrap()));
}

fn what_is_deleted_is_gone_at_once_and_removed_through_a_crash(backend: Backend) {
    let mut server = Server::start_with(backend, &QUICK);
    let client = server.new_client();
    let tenant = client.tenant_id().to_owned();
    let receiver = Receiver::willing();
    let made = install(&client, &receiver.url());
    let at = event(&client, &made, &on_incidents("{}"));
    incident(&client, &json!({}));
    assert_eq!(ended(&client, &at, 1), ["delivered"]);
    server.stop();
    let columns = "event_id, status, due_ms, owner, claim, attempts, tries, created_ms, log, entity, action, entity_id";
    server.sql(&format!(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900) \
         INSERT INTO integration_deliveries (tenant_id, id, {columns}) \
         SELECT tenant_id, id || '-' || i, {columns} FROM integration_deliveries, n WHERE tenant_id = '{tenant}'"
    ));
    server.restart();
    let all = "/integrations/deliveries/search?pageSize=1";
    let client = server.admin().tenant(&tenant);
    assert_eq!(client.get(all).page()["totalResults"], json!(901));
    client.delete(&path(&made)).ok();
    server.kill9();
    server.restart();
    let client = server.admin().tenant(&tenant);
    client.get(&path(&made)).not_found();
    assert_eq!(client.get(all).page()["totalResults"], json!(0));
    let deleted = client.search("/auditLog/search", &format!("entityId:{}+action:DELETE", text(&made["id"]))).page();
    assert_eq!(deleted["totalResults"], json!(1), "{deleted}");
    for table in ["integration_deliveries", "integration_messages", "integration_events", "integrations"] {
        let left = || rows(&server, table, &tenant);
        wait_for(Duration::from_secs(30), || left() == "0", || format!("{} of {table}", left()));
    }
}

/// How many rows a tenant has in a table.
fn rows(server: &Server, table: &str, tenant: &str) -> String {
    let query = format!("SELECT count(*) FROM {table} WHERE tenant_id = '{tenant}'");
    if let Some(url) = server.database_url() {
        return psql(url, &query).trim().to_owned();
    }
    let script = "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchone()[0])";
    let file = server.data_dir().join("muster.sqlite");
    let read = Command::new("python3").args(["-c", script]).arg(file).arg(query).output().expect("python3");
    String::from_utf8_lossy(&read.stdout).trim().to_owned()
}

fn what_a_suspended_client_sends_waits(backend: Backend) {
    let server = server(backend);
    let admin = server.admin();
    let client = server.new_client();
    let receiver = Receiver::start(|_, _| {
        std::thread::sleep(Duration::from_millis(20));
        Reply::status(200)
    });
    let at = event(&client, &install(&client, &receiver.url()), &on_incidents("$incident.subject"));
    for number in 0..300 {
        incident(&client, &json!({"subject": format!("{number:03}")}));
    }
    let path = format!("/clients/{}", client.tenant_id());
    admin.post_empty(&format!("{path}/suspend")).ok();
    // What was under way ends. What happens meanwhile is not lost.
    std::thread::sleep(Duration::from_secs(1));
    incident(&client, &json!({"subject": "300"}));
    let held = receiver.count();
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(receiver.count(), held, "a suspended client's deliveries go on");
    assert!(statuses(&client, &at).contains(&"pending".to_owned()));
    admin.post_empty(&format!("{path}/resume")).ok();
    let received = receiver.wait(301);
    let bodies: Vec<usize> = received.iter().map(|request| request.text().parse().unwrap()).collect();
    let mut each = bodies.clone();
    each.sort_unstable();
    assert_eq!(each, (0..=300).collect::<Vec<_>>(), "each once");
    // In order, but for those that are under way side by side.
    assert!(bodies.iter().enumerate().all(|(place, body)| place.abs_diff(*body) <= 64), "{bodies:?}");
}

fn response_headers_are_recorded(backend: Backend) {
    let client = server(backend).new_client();
    let body = "x".repeat(40_000);
    let receiver = Receiver::start(move |_, _| Reply::Answer(200, vec![("X-Ticket", "T-1".to_owned())], body.clone()));
    let mut wanted = on_incidents("{}");
    wanted["responseHeaders"] = json!([{"key": "x-ticket", "value": ""}, {"key": "X-Other", "value": "1"}]);
    let at = event(&client, &install(&client, &receiver.url()), &wanted);
    incident(&client, &json!({}));
    ended(&client, &at, 1);
    let attempt = first(&client, &at)["attemptLog"][0].clone();
    assert_eq!(attempt["responseHeaders"], json!([{"key": "x-ticket", "value": "T-1"}]));
    assert_eq!(text(&attempt["responseBody"]).len(), 16 << 10);
}

fn deliveries_are_found_across_events(backend: Backend) {
    let server = server(backend);
    let client = server.new_client();
    let other = server.new_client();
    let (willing, failing) = (Receiver::willing(), Receiver::start(|_, _| Reply::status(500)));
    let one = install(&client, &willing.url());
    let two = install(&client, &failing.url());
    let told = event(&client, &one, &on_incidents("{}"));
    let refused = event(&client, &two, &on_incidents("{}"));
    incident(&client, &json!({"id": "INC-7", "subject": "a"}));
    assert_eq!(
        (ended(&client, &told, 1), ended(&client, &refused, 1)),
        (vec!["delivered".into()], vec!["failed".into()])
    );
    client.post_empty(&format!("{refused}/deactivate")).ok();
    incident(&client, &json!({"id": "x".repeat(5_000), "subject": "b"}));
    ended(&client, &told, 2);
    let found = |query: &str| {
        let page = client.search("/integrations/deliveries/search?isDescendingOrder=false", query).page();
        let results = page["results"].as_array().cloned().unwrap_or_default();
        results
            .iter()
            .map(|one| format!("{} {}", text(&one["integration"]["id"]), text(&one["status"])))
            .collect::<Vec<_>>()
    };
    let [good, bad] =
        [(&one, "delivered"), (&two, "failed")].map(|(of, status)| format!("{} {status}", text(&of["id"])));
    assert_eq!(found("").len(), 3);
    let id_of = |event: &str| event.rsplit('/').next().unwrap_or_default().to_owned();
    for (query, expected) in [
        ("status:failed".to_owned(), vec![bad.clone()]),
        ("status:pending".to_owned(), Vec::new()),
        (format!("eventId:{}", id_of(&refused)), vec![bad.clone()]),
        (format!("integrationId:{}", text(&one["id"])), vec![good.clone(), good.clone()]),
        (format!("integrationName:{}", text(&two["displayName"]).to_uppercase()), vec![bad.clone()]),
        ("entityId:INC-7+status:delivered".to_owned(), vec![good.clone()]),
        ("entityId:inc-7+status:delivered".to_owned(), vec![good.clone()]),
        (format!("eventId:{}", id_of(&refused).to_lowercase()), vec![bad.clone()]),
        (format!("integrationId:{}", text(&two["id"]).to_uppercase()), vec![bad.clone()]),
        (format!("entityId:{}", "x".repeat(5_000)), vec![good]),
        ("entity:alert".to_owned(), Vec::new()),
        ("eventType:UPDATE".to_owned(), Vec::new()),
        ("endTime:2020-01-01T00:00:00Z".to_owned(), Vec::new()),
    ] {
        assert_eq!(found(&query), expected, "{query}");
    }
    assert_eq!(found("entity:incident+eventType:create+startTime:2020-01-01T00:00:00Z").len(), 3);
    let page = client.get("/integrations/deliveries/search?status=failed").page();
    let shown = &page["results"][0];
    assert_eq!((&shown["event"]["name"], &shown["entity"]), (&json!("ticket"), &json!("INCIDENT")));
    assert_eq!((&shown["eventType"], &shown["entityId"]), (&json!("CREATE"), &json!("INC-7")));
    for id in [text(&shown["id"]).to_lowercase(), text(&shown["id"]).to_uppercase()] {
        assert_eq!(found(&format!("id:{id}")), [bad.clone()]);
    }
    let mut walked = 0;
    let mut next = String::new();
    loop {
        let page = client.get(&format!("/integrations/deliveries/search?pageSize=2{next}")).page();
        walked += page["results"].as_array().map_or(0, Vec::len);
        let Some(cursor) = page["nextCursor"].as_str() else { break };
        next = format!("&cursor={cursor}");
    }
    assert_eq!(walked, 3);
    assert_eq!(other.get("/integrations/deliveries/search").page()["totalResults"], json!(0));
    client.get("/integrations/deliveries/search?status=lost").invalid(&["status"]);
    client.search("/integrations/deliveries/search", "entity:x").invalid(&["queryString"]);
}
