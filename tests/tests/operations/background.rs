//! What a client does to the work behind requests delays no other client.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use muster_tests::{
    Backend, Client, Server, both_backends,
    receiver::{Receiver, Reply, wait_for},
    unique,
};
use serde_json::{Value, json};

both_backends![
    codes_to_a_host_that_hangs_delay_no_page_of_another_client,
    pages_to_a_host_that_hangs_delay_no_page_of_another_client,
    a_storm_of_alerts_delays_no_page_of_another_client,
    deliveries_to_a_host_that_hangs_delay_none_of_another_client,
    a_code_is_tried_once,
];

/// How long a good client may wait for what is behind a request, whatever others do: a third of what a call that hangs
/// takes, and time for a machine that is slow.
const PATIENCE: Duration = Duration::from_secs(5);

const ARGUMENTS: [&str; 4] = ["--egress-allow", "127.0.0.0/8", "--page-limit", "0"];

/// A gateway, and on Postgres another beside it.
fn gateways(backend: Backend, arguments: &[&str]) -> Vec<Server> {
    let first = Server::start_with(backend, arguments);
    if backend == Backend::Sqlite {
        return vec![first];
    }
    let key = first.data_dir().join("secrets.key").display().to_string();
    let arguments: Vec<&str> = arguments.iter().copied().chain(["--secrets-key-file", &key]).collect();
    let beside = Server::start_beside(&first, &arguments);
    vec![first, beside]
}

fn hanging() -> Receiver {
    Receiver::start(|_, _| Reply::Hang)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is not text")).to_owned()
}

/// People of a client, who are reached at these URLs.
fn people(client: &Client, urls: &[String]) -> Vec<String> {
    let person = |url: &String| {
        let user = json!({"loginName": unique("person"), "firstName": "Ann", "lastName": "Lee"});
        let user = text(&client.post("/users", &user).ok()["id"]);
        let method = json!({"name": "hook", "type": "HTTP", "url": url, "verified": true});
        client.post(&format!("/users/{user}/contactMethods"), &method).ok();
        user
    };
    urls.iter().map(person).collect()
}

/// Alerts of a client page these people at once.
fn page_everybody(client: &Client, people: &[String]) {
    let targets: Vec<Value> = people.iter().map(|user| json!({"user": {"id": user}})).collect();
    let policy = json!({"name": unique("all"), "steps": [{"targets": targets, "wait": "1d"}]});
    let policy = client.post("/escalationPolicies", &policy).ok();
    client.post("/alertRoutes", &json!({"name": "all", "isDefault": true, "policy": {"id": policy["id"]}})).ok();
}

/// A client of whom one person is paged.
struct Good {
    client: Client,
    hook: Receiver,
}

impl Good {
    fn new(server: &Server) -> Self {
        let client = server.new_client();
        let hook = Receiver::willing();
        page_everybody(&client, &people(&client, &[hook.url()]));
        let good = Self { client, hook };
        good.is_paged();
        good
    }

    /// Reports an alert and waits until its page arrives.
    #[track_caller]
    fn is_paged(&self) {
        let subject = unique("urgent");
        let begun = Instant::now();
        self.client.post("/alerts", &json!([{"currentState": "Critical", "subject": subject}])).list();
        let arrived = || self.hook.all().iter().any(|request| request.text().contains(&subject));
        wait_for(Duration::from_secs(60), arrived, || "no page".to_owned());
        assert!(begun.elapsed() < PATIENCE, "the page took {:?}", begun.elapsed());
    }
}

fn codes_to_a_host_that_hangs_delay_no_page_of_another_client(backend: Backend) {
    let servers = gateways(backend, &ARGUMENTS);
    let server = &servers[0];
    let hangs = hanging();
    let good = Good::new(server);
    let greedy = server.new_client();
    let viewers: Vec<_> = (0..4).map(|_| with_methods(server, &greedy, &hangs, 20)).collect();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for (viewer, methods) in &viewers {
            let stop = &stop;
            let hangs = &hangs;
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    for method in methods {
                        let url = format!("{}/{}", hangs.url(), unique("u"));
                        viewer.request("POST", method).json(&json!({"url": url})).send();
                        viewer.post_empty(&format!("{method}/sendCode"));
                    }
                }
            });
        }
        // Until more are under way than are sent at once.
        std::thread::sleep(Duration::from_secs(3));
        let paged = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            for _ in 0..5 {
                good.is_paged();
            }
        }));
        stop.store(true, Ordering::Relaxed);
        if let Err(failed) = paged {
            std::panic::resume_unwind(failed);
        }
    });
    assert!(hangs.count() > 0, "codes were sent");
}

/// A caller with a role at a client, and contact methods of theirs that lead to a receiver, by their paths.
fn with_methods(server: &Server, client: &Client, hook: &Receiver, many: usize) -> (Client, Vec<String>) {
    let key = client.post("/apiKeys", &json!({"name": unique("key"), "role": "viewer"})).ok();
    let caller = client.with_token(&server.token(&text(&key["key"]), &text(&key["secret"])));
    let methods = format!("/users/{}/contactMethods", text(&key["userId"]));
    let make = |number: usize| {
        let method = json!({"name": number.to_string(), "type": "HTTP", "url": format!("{}/{number}", hook.url())});
        format!("{methods}/{}", text(&caller.post(&methods, &method).ok()["id"]))
    };
    let methods = (0..many).map(make).collect();
    (caller, methods)
}

fn pages_to_a_host_that_hangs_delay_no_page_of_another_client(backend: Backend) {
    let servers = gateways(backend, &ARGUMENTS);
    let server = &servers[0];
    let hangs = hanging();
    let good = Good::new(server);
    for _ in 0..3 {
        let greedy = server.new_client();
        let urls: Vec<String> = (0..20).map(|number| format!("{}/{number}", hangs.url())).collect();
        page_everybody(&greedy, &people(&greedy, &urls));
        let alerts: Vec<Value> =
            (0..30).map(|number| json!({"currentState": "Critical", "subject": format!("{number} is down")})).collect();
        greedy.post("/alerts", &json!(alerts)).list();
    }
    wait_for(Duration::from_secs(30), || hangs.count() >= 40, || format!("{} calls hang", hangs.count()));
    for _ in 0..5 {
        good.is_paged();
    }
}

fn a_storm_of_alerts_delays_no_page_of_another_client(backend: Backend) {
    let servers = gateways(backend, &ARGUMENTS);
    let good = Good::new(&servers[0]);
    let greedy = servers[0].new_client();
    let told = Receiver::willing();
    page_everybody(&greedy, &people(&greedy, &[told.url()]));
    // 3,000 alerts in all.
    let storm = |thread: usize| {
        for round in 0..5 {
            let subject = |number: usize| format!("{thread} {round} {number}");
            let alerts: Vec<Value> =
                (0..300).map(|number| json!({"currentState": "Critical", "subject": subject(number)})).collect();
            greedy.post("/alerts", &json!(alerts)).list();
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..2).map(|thread| scope.spawn(move || storm(thread))).collect();
        std::thread::sleep(Duration::from_millis(500));
        while threads.iter().any(|thread| !thread.is_finished()) {
            good.is_paged();
        }
    });
    good.is_paged();
    assert!(told.count() < 3_000, "the page came after those of the storm");
}

fn deliveries_to_a_host_that_hangs_delay_none_of_another_client(backend: Backend) {
    // So that few queues are as many as there may be.
    let arguments: Vec<&str> = ARGUMENTS.into_iter().chain(["--delivery-calls", "4"]).collect();
    let servers = gateways(backend, &arguments);
    let server = &servers[0];
    let hangs = hanging();
    let answers = Receiver::willing();
    let greedy = server.new_client();
    let good = server.new_client();
    for _ in 0..6 {
        on_incidents(&greedy, &hangs.url());
    }
    on_incidents(&good, &answers.url());
    for number in 0..20 {
        tell(&greedy, number);
    }
    wait_for(Duration::from_secs(30), || hangs.count() >= 8, || format!("{} calls hang", hangs.count()));
    for number in 0..5 {
        let begun = Instant::now();
        tell(&good, number);
        wait_for(Duration::from_secs(60), || answers.count() > number, || "no delivery".to_owned());
        assert!(begun.elapsed() < PATIENCE, "the delivery took {:?}", begun.elapsed());
    }
}

/// A URL hears of the incidents of a client.
fn on_incidents(client: &Client, url: &str) {
    let body = json!({"displayName": unique("integration"), "baseNotifier": {"type": "REST_API", "baseURI": url}});
    let installed = client.post("/integrations/install/CUSTOM", &body).ok();
    let event =
        json!({"name": "new", "entity": "INCIDENT", "eventType": "CREATE", "endPointURI": "/new", "payload": "e30="});
    client.post(&format!("/integrations/installed/{}/event", text(&installed["id"])), &event).ok();
}

/// Tells of an incident.
fn tell(client: &Client, number: usize) {
    let body = json!({"entity": "INCIDENT", "eventType": "CREATE", "object": {"id": number.to_string()}});
    client.post("/integrations/actions", &body).ok();
}

fn a_code_is_tried_once(backend: Backend) {
    let server = Server::start_with(backend, &ARGUMENTS);
    let client = server.new_client();
    let refuses = Receiver::start(|_, _| Reply::status(503));
    let (viewer, methods) = with_methods(&server, &client, &refuses, 1);
    let page = viewer.post_empty(&format!("{}/sendCode", methods[0])).ok();
    let shown = || {
        let pages = client.get("/pages/search").page();
        let all = pages["results"].as_array().cloned().unwrap_or_default();
        all.into_iter().find(|one| one["id"] == page["id"]).unwrap_or_default()
    };
    wait_for(Duration::from_secs(20), || shown()["status"] == "failed", || shown().to_string());
    assert_eq!(shown()["attempts"].as_array().map(Vec::len), Some(1), "{}", shown());
}
