//! Pages through kills of gateways: every alert that should page pages, nothing is decided twice, and what is sent
//! arrives at least once, under one id.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use muster_tests::{
    Backend, Client, Server, both_backends,
    receiver::{Receiver, Reply, wait_for},
    rounds, unique,
};
use serde_json::{Value, json};

use super::{
    person, reachable,
    smtp::{Fake, header},
    text,
};

both_backends![kills_lose_no_page_and_repeat_no_decision, what_was_in_hand_at_a_stop_is_sent_at_once];

/// How many alerts there are for each kill.
const ALERTS: usize = 100;

/// Two people: the first is told by HTTP and by mail, the second when nobody has answered.
fn plan(client: &Client, hooks: &str) -> Vec<String> {
    let people = vec![reachable(client, hooks), reachable(client, hooks)];
    let mail = json!({"name": "mail", "type": "EMAIL", "address": "ann@example.net", "verified": true});
    client.post(&format!("/users/{}/contactMethods", people[0]), &mail).ok();
    let step =
        |user: &String, wait: &str| json!({"targets": [{"user": {"id": user}}, {"user": {"id": user}}], "wait": wait});
    let policy = json!({"name": unique("kills"), "steps": [step(&people[0], "2s"), step(&people[1], "1d")]});
    let policy = client.post("/escalationPolicies", &policy).ok();
    client.post("/alertRoutes", &json!({"name": "all", "isDefault": true, "policy": {"id": policy["id"]}})).ok();
    people
}

/// All pages that were decided.
fn decided(client: &Client) -> Vec<Value> {
    let mut all = Vec::new();
    let mut more = String::new();
    loop {
        let page = client.get(&format!("/pages/search?pageSize=1000{more}")).page();
        all.extend(page["results"].as_array().unwrap().iter().cloned());
        let Some(next) = page["nextCursor"].as_str() else { return all };
        more = format!("&cursor={}", muster_tests::encode(next));
    }
}

fn kills_lose_no_page_and_repeat_no_decision(backend: Backend) {
    let kills = rounds("kills of a gateway that pages", 3, 100);
    let hooks = Receiver::start(|request, count| {
        // One in ten is lost on the way back.
        if count % 10 == 3 && !request.body.is_empty() { Reply::Reset } else { Reply::status(200) }
    });
    let mails = Fake::start(|count, said| (said == "mail" && count % 10 == 7).then(Vec::new));
    let url = mails.url();
    let from = "Muster <muster@example.net>";
    let arguments =
        ["--egress-allow", "127.0.0.0/8", "--page-limit", "0", "--smtp-url", url.as_str(), "--smtp-from", from];
    let mut gateways = vec![Server::start_with(backend, &arguments)];
    if backend == Backend::Postgres {
        let beside = Server::start_beside(&gateways[0], &arguments);
        gateways.push(beside);
    }
    let (tenant, people) = {
        let client = gateways[0].new_client();
        (client.tenant_id().to_owned(), plan(&client, &hooks.url()))
    };
    let mut alerts = BTreeSet::new();
    for round in 0..kills {
        let at = round % gateways.len();
        let victim = (round / 2) % gateways.len();
        let reports: Vec<Value> = (0..ALERTS)
            .map(|number| json!({"currentState": "Critical", "subject": format!("{round} {number}")}))
            .collect();
        let client = gateways[at].admin().tenant(&tenant);
        alerts.extend(client.post("/alerts", &json!(reports)).list().iter().map(|result| text(&result["id"])));
        // At once, while they are routed; a little later, while they are sent; and when the second step is due.
        std::thread::sleep(Duration::from_millis([5, 40, 120, 2_050][round % 4]));
        gateways[victim].kill9();
        gateways[victim].restart();
    }
    assert_eq!(alerts.len(), kills * ALERTS);
    let client = gateways[0].admin().tenant(&tenant);
    let count = |query: &str| client.search("/pages/search", query).page()["totalResults"].as_u64().unwrap();
    // What a gateway had in hand that was killed, is somebody else's when its lease runs out.
    let expected = 3 * alerts.len() as u64;
    wait_for(
        Duration::from_secs(600),
        || count("status:sent") >= expected,
        || {
            let pending = client.search("/pages/search", "status:pending").page();
            format!("{} of {expected} sent, waiting: {pending}", count("status:sent"))
        },
    );
    let pages = decided(&client);
    assert_eq!(pages.len() as u64, expected, "each alert tells two people, the first of them twice");
    let key = |page: &Value| {
        let parts = [&page["alert"]["id"], &page["step"], &page["user"]["id"], &page["contactMethod"]["type"]];
        parts.map(ToString::to_string).join(" ")
    };
    let mut wanted = BTreeSet::new();
    for alert in &alerts {
        for (step, user, kind) in [(1, &people[0], "HTTP"), (1, &people[0], "EMAIL"), (2, &people[1], "HTTP")] {
            wanted.insert(format!("\"{alert}\" {step} \"{user}\" \"{kind}\""));
        }
    }
    assert_eq!(pages.iter().map(key).collect::<BTreeSet<_>>(), wanted);
    let ids = |kind: &str| -> BTreeSet<String> {
        pages.iter().filter(|page| page["contactMethod"]["type"] == kind).map(|page| text(&page["id"])).collect()
    };
    let arrived = hooks.by_id();
    assert_eq!(arrived.keys().cloned().collect::<BTreeSet<_>>(), ids("HTTP"), "each id at least once, and no other");
    // Each time the same, but for the seal of its link.
    let plain = |body: &Vec<u8>| {
        let mut body: Value = serde_json::from_slice(body).unwrap();
        body.as_object_mut().unwrap().retain(|name, _| name != "link" && name != "text");
        body
    };
    for bodies in arrived.values() {
        assert!(bodies.iter().all(|body| plain(body) == plain(&bodies[0])), "the same each time");
    }
    let mailed: BTreeSet<String> = mails
        .mails()
        .iter()
        .map(|mail| header(mail, "Message-ID").expect("an id").trim_start_matches('<').replace("@example.net>", ""))
        .collect();
    assert_eq!(mailed, ids("EMAIL"), "each mail at least once, under its id");
}

fn what_was_in_hand_at_a_stop_is_sent_at_once(backend: Backend) {
    in_hand_is_sent_again(backend, Server::stop);
}

/// One service has the file: it waits for nobody's lease.
#[test]
fn on_sqlite_what_was_in_hand_at_a_kill_is_sent_at_once() {
    in_hand_is_sent_again(Backend::Sqlite, Server::kill9);
}

/// A page whose receiver says nothing when the service ends reaches it again when it is back, long before the lease is
/// over.
fn in_hand_is_sent_again(backend: Backend, end: impl Fn(&mut Server)) {
    let hooks = Receiver::start(|_, count| if count == 1 { Reply::Hang } else { Reply::status(200) });
    let mut server = Server::start_with(backend, &["--egress-allow", "127.0.0.0/8"]);
    let client = server.new_client();
    let tenant = client.tenant_id().to_owned();
    let user = person(&client);
    let hook = json!({"name": "hook", "type": "HTTP", "url": hooks.url(), "verified": true});
    client.post(&format!("/users/{user}/contactMethods"), &hook).ok();
    let policy = json!({"name": unique("kills"), "steps": [{"targets": [{"user": {"id": user}}], "wait": "1d"}]});
    let policy = client.post("/escalationPolicies", &policy).ok();
    client.post("/alertRoutes", &json!({"name": "all", "isDefault": true, "policy": {"id": policy["id"]}})).ok();
    client.post("/alert", &json!({"currentState": "Critical", "subject": "in hand"})).ok();
    hooks.wait(1);
    end(&mut server);
    server.restart();
    let begun = Instant::now();
    hooks.wait(2);
    let client = server.admin().tenant(&tenant);
    let sent = || client.search("/pages/search", "status:sent").page()["totalResults"] == 1;
    wait_for(Duration::from_secs(10), sent, || json!(decided(&client)).to_string());
    assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
    assert_eq!(hooks.by_id().len(), 1, "under the same id");
}
