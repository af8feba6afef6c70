//! Events become calls of a receiver that fails three times in ten, while gateways are killed (one on SQLite, two on
//! Postgres): each arrives, and as one delivery, however often it is tried.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::atomic::{AtomicUsize, Ordering},
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
    check::{all_pages, text},
    dice::Dice,
    figures::{Broken, Figures, Outcome},
    options::{Kind, Options},
};

/// Incidents of a round: no more than so many for each sender, so that a full run has some 10,000 of them.
const SENDERS: usize = 4;
const MOST_OF_A_SENDER: usize = 25;
/// A gateway is killed so long after the begin of its round at the latest.
const SOON: Duration = Duration::from_secs(1);
/// How long the last deliveries may take.
const LIMIT: Duration = Duration::from_secs(300);

/// A kill: how many calls the receiver had before it, and when the gateway was back.
struct Kill {
    before: usize,
    after: usize,
    start: Duration,
}

/// What is needed to compare.
struct EventCheck<'t> {
    event: String,
    receiver: &'t Receiver,
    seed: u64,
    subjects: BTreeSet<String>,
    kills: Vec<Kill>,
}

/// Runs all rounds.
pub fn run(backend: Backend, options: &Options, figures: &mut Figures) -> Result<()> {
    let mut gateways = gateways(backend);
    let receiver = &unreliable(options.seed);
    let tenant = gateways[0].new_client().tenant_id().to_owned();
    let event = listen(&gateways[0].admin().tenant(&tenant), &receiver.url());
    let mut told = EventCheck { event, receiver, seed: options.seed, subjects: BTreeSet::new(), kills: Vec::new() };
    for round in 0..options.rounds(Kind::Events) {
        figures.rounds += 1;
        let mut dice = Dice::new(options.seed, Kind::Events as usize, round);
        let clients: Vec<Client> = gateways.iter().map(|gateway| gateway.admin().tenant(&tenant)).collect();
        // One gateway, or another, or all; each after so many answers.
        let victims = dice.of(1..1 << gateways.len());
        let answered = &AtomicUsize::new(0);
        let sent: Vec<(String, Outcome)> = std::thread::scope(|scope| {
            let clients = &clients;
            let senders: Vec<_> =
                (0..SENDERS).map(|sender| scope.spawn(move || send(clients, round, sender, answered))).collect();
            let mut killers = Vec::new();
            for (at, gateway) in gateways.iter_mut().enumerate() {
                let answers = dice.of(1..(SENDERS * MOST_OF_A_SENDER) as u64) as usize;
                if victims >> at & 1 == 1 {
                    killers.push(
                        scope.spawn(move || kill(gateway, receiver, || answered.load(Ordering::Relaxed) >= answers)),
                    );
                }
            }
            let mut sent = Vec::new();
            for sender in senders {
                let (all, counted) = sender.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                figures.add(&counted);
                sent.extend(all);
            }
            for killer in killers {
                let kill = killer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                figures.starts.push(kill.start);
                told.kills.push(kill);
            }
            sent
        });
        let client = gateways[round % gateways.len()].admin().tenant(&tenant);
        for (subject, outcome) in sent {
            if outcome.body().is_none() || options.control {
                let key = (!options.control).then_some(subject.as_str());
                let again = create(&client, figures, &subject, key);
                figures.expect(again.body().is_some(), Broken::FieldErrors, || format!("{subject} is refused"));
            }
            told.subjects.insert(subject);
        }
        gateways.iter_mut().for_each(|gateway| figures.memory(gateway.peak_kib()));
    }
    let client = gateways[0].admin().tenant(&tenant);
    told.settle(&client);
    told.compare(&client, figures);
    gateways.iter_mut().for_each(|gateway| figures.memory(gateway.peak_kib()));
    Ok(())
}

/// One gateway, or on Postgres two, which open the secrets with the same key.
fn gateways(backend: Backend) -> Vec<Server> {
    let waits = ["50ms"; 60].join(",");
    let arguments = ["--egress-allow", "127.0.0.0/8", "--retry-schedule", &waits, "--delivery-timeout", "300ms"];
    let first = Server::start_with(backend, &arguments);
    let key = first.data_dir().join("secrets.key").display().to_string();
    let beside = (backend == Backend::Postgres)
        .then(|| Server::start_beside(&first, &[&arguments[..], &["--secrets-key-file", &key]].concat()));
    std::iter::once(first).chain(beside).collect()
}

/// Kills a gateway once it is time, and starts it again, whatever the other one does meanwhile.
fn kill(gateway: &mut Server, receiver: &Receiver, is_time: impl Fn() -> bool) -> Kill {
    let until = Instant::now() + SOON;
    while !is_time() && Instant::now() < until {
        sleep(Duration::from_millis(1));
    }
    let before = receiver.count();
    gateway.kill9();
    let begun = Instant::now();
    gateway.restart();
    Kill { before, after: receiver.count(), start: begun.elapsed() }
}

/// Fails with a 503, a connection that is closed, or no answer at all.
fn unreliable(seed: u64) -> Receiver {
    Receiver::start(move |_, number| reply(seed, number))
}

/// What becomes of the call of this number, from 1.
fn reply(seed: u64, number: usize) -> Reply {
    match Dice::new(seed, Kind::Events as usize, number).of(0..100) {
        0..=14 => Reply::status(503),
        15..=24 => Reply::Reset,
        25..=29 => Reply::Hang,
        _ => Reply::status(200),
    }
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

/// Sends through the gateways in turn: where one gives no answer, the same goes to the next, as behind a load balancer.
fn send(clients: &[Client], round: usize, sender: usize, answered: &AtomicUsize) -> (Vec<(String, Outcome)>, Figures) {
    let mut sent = Vec::new();
    let mut figures = Figures::default();
    let mut ways = clients.iter().cycle().skip(sender).take(clients.len());
    let mut way = ways.next();
    for number in 0..MOST_OF_A_SENDER {
        let subject = format!("{round}-{sender}-{number}");
        let mut outcome = Outcome::Unknown;
        while let Some(client) = way {
            outcome = create(client, &mut figures, &subject, Some(&subject));
            if outcome != Outcome::Unknown {
                break;
            }
            way = ways.next();
        }
        answered.fetch_add(1, Ordering::Relaxed);
        sent.push((subject, outcome));
        if way.is_none() {
            break;
        }
    }
    (sent, figures)
}

/// The subject that a call told of.
fn subject_of(received: &Received) -> String {
    text(&received.json()["subject"])
}

fn total(client: &Client, path: &str) -> Value {
    client.get(path).page()["totalResults"].clone()
}

impl EventCheck<'_> {
    fn left(&self, client: &Client, status: &str) -> Value {
        total(client, &format!("{}/deliveries?status={status}&pageSize=1", self.event))
    }

    /// Waits until all was told and nothing is left to tell.
    fn settle(&self, client: &Client) {
        let until = Instant::now() + LIMIT;
        let arrived = || self.receiver.all().iter().map(subject_of).collect::<BTreeSet<_>>();
        while Instant::now() < until
            && !(self.left(client, "pending") == json!(0) && self.subjects.is_subset(&arrived()))
        {
            sleep(Duration::from_millis(100));
        }
    }

    fn compare(&self, client: &Client, figures: &mut Figures) {
        // Of each subject the deliveries, by the id that all attempts of one share, and their calls, by number.
        let mut told: BTreeMap<String, BTreeMap<String, Vec<(usize, Received)>>> = BTreeMap::new();
        for (number, received) in (1..).zip(self.receiver.all()) {
            figures.injected += u64::from(!self.succeeds(number));
            let deliveries = told.entry(subject_of(&received)).or_default();
            deliveries.entry(received.header("webhook-id").to_owned()).or_default().push((number, received));
        }
        let stored = all_pages(client, &format!("{}/deliveries?", self.event));
        let mut stored: BTreeMap<String, Value> = stored.into_iter().map(|one| (text(&one["id"]), one)).collect();
        for subject in &self.subjects {
            let deliveries = told.remove(subject).unwrap_or_default();
            let count = deliveries.len();
            figures.expect(count > 0, Broken::Lost, || format!("nobody was told of {subject}"));
            figures.expect(count < 2, Broken::Doubled, || format!("{count} deliveries of {subject}"));
            for (id, calls) in deliveries {
                let same = calls.iter().all(|(_, call)| call.body == calls[0].1.body);
                figures.expect(same, Broken::FieldErrors, || format!("{subject} was told in different words"));
                let known = stored.remove(&id).unwrap_or_default();
                let delivered = known["status"] == "delivered";
                figures.expect(delivered, Broken::Lost, || format!("{subject} was told by {id}, which is {known}"));
                let numbers: Vec<usize> = calls.iter().map(|(number, _)| *number).collect();
                // A gateway that waited too long for an answer has written down that it did.
                let again = self.repeated(&numbers) && known["attempts"].as_u64() < Some(numbers.len() as u64);
                figures.expect(!again, Broken::Doubled, || {
                    format!("{subject} was told again though nobody was killed, in calls {numbers:?}: {known}")
                });
            }
        }
        for subject in told.keys() {
            figures.found(Broken::HalfDone, format!("told of {subject}, which was never asked for"));
        }
        for (id, known) in stored {
            figures.found(Broken::Lost, format!("nobody was told by {id}, which is {known}"));
        }
        for status in ["pending", "failed"] {
            let left = self.left(client, status);
            figures.expect(left == json!(0), Broken::Lost, || format!("{left} deliveries are {status}"));
        }
        let incidents = total(client, "/incidents/search?pageSize=1");
        let expected = json!(self.subjects.len());
        figures.expect(incidents == expected, Broken::Doubled, || format!("{incidents} incidents of {expected}"));
    }

    fn succeeds(&self, number: usize) -> bool {
        matches!(reply(self.seed, number), Reply::Answer(200, ..))
    }

    /// Was a delivery made again after a call that succeeded, without a kill by which its gateway could have forgotten
    /// that?
    fn repeated(&self, calls: &[usize]) -> bool {
        calls.windows(2).any(|two| {
            let forgotten = self.kills.iter().any(|kill| two[0] <= kill.after && kill.before < two[1]);
            self.succeeds(two[0]) && !forgotten
        })
    }
}
