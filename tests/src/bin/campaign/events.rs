//! Events become calls of a receiver that fails three times in ten, while the service is killed: each arrives, and as
//! one delivery, however often it is tried.

use std::{
    collections::{BTreeMap, BTreeSet},
    thread::sleep,
    time::{Duration, Instant},
};

use anyhow::Result;
use muster_tests::{
    Backend, Client, Server,
    receiver::{Received, Receiver, Reply},
    unique,
};
use serde_json::{Value, json};

use crate::{
    dice::Dice,
    figures::{Broken, Figures, Outcome},
    options::{Kind, Options},
};

/// Incidents of a round: no more than so many for each sender, so that a full run has 10,000 of them.
const SENDERS: usize = 3;
const MOST_OF_A_SENDER: usize = 25;
/// How long the last deliveries may take.
const LIMIT: Duration = Duration::from_secs(300);

/// Runs all rounds.
pub fn run(backend: Backend, options: &Options, figures: &mut Figures) -> Result<()> {
    let waits = ["50ms"; 60].join(",");
    let arguments = ["--egress-allow", "127.0.0.0/8", "--retry-schedule", &waits, "--delivery-timeout", "300ms"];
    let mut server = Server::start_with(backend, &arguments);
    let receiver = unreliable(options.seed);
    let tenant = server.new_client().tenant_id().to_owned();
    let event = listen(&server.admin().tenant(&tenant), &receiver.url());
    let mut subjects = BTreeSet::new();
    for round in 0..options.rounds(Kind::Events) {
        figures.rounds += 1;
        let mut dice = Dice::new(options.seed, Kind::Events as usize, round);
        let client = server.admin().tenant(&tenant);
        let sent: Vec<(String, Outcome)> = std::thread::scope(|scope| {
            let client = &client;
            let senders: Vec<_> =
                (0..SENDERS).map(|sender| scope.spawn(move || send(client, &format!("{round}-{sender}")))).collect();
            sleep(Duration::from_millis(dice.of(100..1_000)));
            server.kill9();
            let all =
                senders.into_iter().map(|one| one.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            all.flat_map(|(sent, counted)| {
                figures.add(&counted);
                sent
            })
            .collect()
        });
        let begun = Instant::now();
        server.restart();
        figures.starts.push(begun.elapsed());
        figures.memory(server.peak_kib());
        let client = server.admin().tenant(&tenant);
        for (subject, outcome) in sent {
            if outcome.body().is_none() || options.control {
                let key = (!options.control).then_some(subject.as_str());
                let again = create(&client, figures, &subject, key);
                figures.expect(again.body().is_some(), Broken::Wrong, || format!("{subject} is refused"));
            }
            subjects.insert(subject);
        }
    }
    settle(&server.admin().tenant(&tenant), &event, &receiver, &subjects);
    compare(&server.admin().tenant(&tenant), &event, &receiver, &subjects, figures);
    figures.memory(server.peak_kib());
    Ok(())
}

/// Fails with a 503, a connection that is closed, or no answer at all.
fn unreliable(seed: u64) -> Receiver {
    Receiver::start(move |_, number| match Dice::new(seed, Kind::Events as usize, number).of(0..100) {
        0..=14 => Reply::status(503),
        15..=24 => Reply::Reset,
        25..=29 => Reply::Hang,
        _ => Reply::status(200),
    })
}

/// Installs an integration that tells of each created incident; gives the path of its event.
fn listen(client: &Client, url: &str) -> String {
    let body = json!({"displayName": unique("campaign"), "baseNotifier": {"type": "REST_API", "baseURI": url}});
    let made = client.post("/integrations/install/CUSTOM", &body).ok();
    let installed = format!("/integrations/installed/{}", made["id"].as_str().unwrap_or_default());
    let body = json!({"name": "told", "entity": "INCIDENT", "eventType": "CREATE", "endPointURI": "/told",
        "eventPayload": "{\"subject\": \"$incident.subject\"}"});
    let made = client.post(&format!("{installed}/event"), &body).ok();
    format!("{installed}/event/{}", made["id"].as_str().unwrap_or_default())
}

fn create(client: &Client, figures: &mut Figures, subject: &str, key: Option<&str>) -> Outcome {
    let request = client.request("POST", "/incidents");
    let request = key.into_iter().fold(request, |request, key| request.header("Idempotency-Key", key));
    figures.count(request.json(&json!({"subject": subject})).try_send())
}

fn send(client: &Client, who: &str) -> (Vec<(String, Outcome)>, Figures) {
    let (mut sent, mut figures) = (Vec::new(), Figures::default());
    for number in 0..MOST_OF_A_SENDER {
        let subject = format!("{who}-{number}");
        let outcome = create(client, &mut figures, &subject, Some(&subject));
        let gone = outcome == Outcome::Unknown;
        sent.push((subject, outcome));
        if gone {
            break;
        }
    }
    (sent, figures)
}

/// The subject that a call told of.
fn subject_of(received: &Received) -> String {
    received.json()["subject"].as_str().unwrap_or_default().to_owned()
}

fn pending(client: &Client, event: &str) -> Value {
    client.get(&format!("{event}/deliveries?status=pending&pageSize=1")).page()["totalResults"].clone()
}

/// Waits until all was told and nothing is left to tell.
fn settle(client: &Client, event: &str, receiver: &Receiver, subjects: &BTreeSet<String>) {
    let until = Instant::now() + LIMIT;
    let arrived = || receiver.all().iter().map(subject_of).collect::<BTreeSet<_>>();
    while Instant::now() < until && !(pending(client, event) == json!(0) && subjects.is_subset(&arrived())) {
        sleep(Duration::from_millis(100));
    }
}

fn compare(client: &Client, event: &str, receiver: &Receiver, subjects: &BTreeSet<String>, figures: &mut Figures) {
    // Of each subject the deliveries, by the id that all attempts of one share, and their bodies.
    let mut told: BTreeMap<String, BTreeMap<String, BTreeSet<Vec<u8>>>> = BTreeMap::new();
    for received in receiver.all() {
        let deliveries = told.entry(subject_of(&received)).or_default();
        deliveries.entry(received.header("webhook-id").to_owned()).or_default().insert(received.body);
    }
    for subject in subjects {
        let deliveries = told.remove(subject).unwrap_or_default();
        figures.expect(!deliveries.is_empty(), Broken::Lost, || format!("nobody was told of {subject}"));
        figures
            .expect(deliveries.len() < 2, Broken::Doubled, || format!("{} deliveries of {subject}", deliveries.len()));
        let same = deliveries.values().all(|bodies| bodies.len() == 1);
        figures.expect(same, Broken::Wrong, || format!("{subject} was told in different words"));
    }
    for subject in told.keys() {
        figures.found(Broken::HalfDone, format!("told of {subject}, which was never asked for"));
    }
    let total = |path: &str| client.get(path).page()["totalResults"].clone();
    let expected = json!(subjects.len());
    for (path, broken) in [("pending", Broken::Lost), ("failed", Broken::Lost)] {
        let left = total(&format!("{event}/deliveries?status={path}&pageSize=1"));
        figures.expect(left == json!(0), broken, || format!("{left} deliveries are {path}"));
    }
    let incidents = total("/incidents/search?pageSize=1");
    figures.expect(incidents == expected, Broken::Doubled, || format!("{incidents} incidents of {expected}"));
}
