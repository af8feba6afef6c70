//! Behind requests: greedy callers of two tenants fill every queue that there is, all at once. A client of a third
//! tenant is paged, hears its heartbeat, gets its delivery, its job and its list as soon as it did alone.

use std::{
    collections::HashMap,
    io::{Read as _, Write as _},
    net::TcpStream,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::{Scope, sleep},
    time::{Duration, Instant},
};

use muster_tests::{
    Backend, Client, Server, both_backends, pressure,
    receiver::{Received, Receiver, Reply},
    unique,
};
use serde_json::{Value, json};

use super::full_size;

both_backends![no_tenant_silences_another_behind_requests];

const ARGUMENTS: [&str; 6] = ["--egress-allow", "127.0.0.0/8", "--log", "error", "--page-limit", "0"];

/// What is measured of the good client, in the order of the rows.
const KINDS: [&str; 5] = ["page", "heartbeat", "delivery", "job", "list"];

/// How much longer 99 of 100 may take than they did alone. Small, the machine does other tests as well.
fn patience() -> Duration {
    Duration::from_secs(if full_size() { 2 } else { 6 })
}

/// The size of something that is greedy.
fn size(small: usize, full: usize) -> usize {
    if full_size() { full } else { small }
}

fn no_tenant_silences_another_behind_requests(backend: Backend) {
    pressure::raise_open_files();
    let server = Server::start_with(backend, &ARGUMENTS);
    let beside = (backend == Backend::Postgres).then(|| Server::start_beside(&server, &ARGUMENTS));
    let good = GoodClient::new(&server, beside.as_ref());
    let time = Duration::from_secs(if full_size() { 60 } else { 8 });
    let alone = good.measure(time / 2);
    let hung = Receiver::start(|_, _| Reply::Hang);
    let stop = AtomicBool::new(false);
    let url = hung.url();
    let loads: Vec<Load<'_>> = (0..2).flat_map(|_| loads(&server, &url)).collect();
    let pressed = std::thread::scope(|scope| {
        for load in &loads {
            load.start(scope, &server, &stop);
        }
        sleep(Duration::from_secs(2));
        let times = good.measure(time);
        stop.store(true, Ordering::Relaxed);
        times
    });
    let mut sent: HashMap<&str, usize> = HashMap::new();
    for load in &loads {
        *sent.entry(load.name).or_default() += load.sent.load(Ordering::Relaxed);
    }
    let mut sent: Vec<_> = sent.into_iter().collect();
    sent.sort_unstable();
    for (name, count) in sent {
        print(&format!("{backend:?}: greedy {name}: {count} requests"));
    }
    let mut slow = Vec::new();
    for (kind, (alone, pressed)) in KINDS.iter().zip(alone.iter().zip(&pressed)) {
        let row = format!("{backend:?}: {kind}: alone {alone}, beside greedy tenants {pressed}");
        print(&row);
        if pressed.lost > 0 || pressed.percentile_99() > alone.percentile_99() + patience() {
            slow.push(row);
        }
    }
    assert!(slow.is_empty(), "{}\n{}", slow.join("\n"), server.log());
}

/// How long each of something took; what never came within half a minute is lost.
#[derive(Default)]
struct Times {
    took: Vec<Duration>,
    lost: usize,
}

impl Times {
    fn percentile_99(&self) -> Duration {
        let mut took = self.took.clone();
        took.sort_unstable();
        took.get(took.len() * 99 / 100).or(took.last()).copied().unwrap_or_default()
    }
}

impl std::fmt::Display for Times {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} times, 99 % within {:?}, {} lost", self.took.len(), self.percentile_99(), self.lost)
    }
}

/// The client that is to notice nothing.
struct GoodClient {
    client: Client,
    /// The same at another gateway, where there is one.
    elsewhere: Client,
    pinged: String,
    receiver: Receiver,
}

impl GoodClient {
    fn new(server: &Server, beside: Option<&Server>) -> Self {
        let client = server.new_client();
        let elsewhere = beside.map_or_else(|| client.clone(), |other| client.at(other.base()));
        let receiver = Receiver::willing();
        page_everything(&client, &format!("{}/pages", receiver.url()));
        let notifier = json!({"type": "REST_API", "baseURI": receiver.url()});
        let installed = client
            .post("/integrations/install/CUSTOM", &json!({"displayName": unique("sink"), "baseNotifier": notifier}))
            .ok();
        let event = json!({"name": "all", "entity": "INCIDENT", "eventType": "CREATE", "endPointURI": "/deliveries",
            "eventPayload": "{\"subject\": \"$incident.subject\"}"});
        client.post(&format!("/integrations/installed/{}/event", text(&installed["id"])), &event).ok();
        client.post("/resources", &json!({"hostName": "good"})).ok();
        Self { client, elsewhere, pinged: server.base().to_owned(), receiver }
    }

    /// Does everything again and again for so long, each kind on a thread of its own.
    fn measure(&self, time: Duration) -> Vec<Times> {
        type Attempt<'g> = &'g (dyn Fn() -> Option<Duration> + Sync);
        let attempts: [Attempt<'_>; KINDS.len()] =
            [&|| self.page(), &|| self.heartbeat(), &|| self.delivery(), &|| self.job(), &|| self.list()];
        let end = Instant::now() + time;
        std::thread::scope(|scope| {
            let running = attempts.map(|attempt| {
                scope.spawn(move || {
                    let mut times = Times::default();
                    while Instant::now() < end {
                        match attempt() {
                            Some(took) => times.took.push(took),
                            None => times.lost += 1,
                        }
                        sleep(Duration::from_millis(50));
                    }
                    times
                })
            });
            running.into_iter().map(|thread| thread.join().unwrap()).collect()
        })
    }

    /// From a Critical report to the message.
    fn page(&self) -> Option<Duration> {
        let subject = unique("page");
        let begun = Instant::now();
        self.elsewhere.post("/alert", &json!({"currentState": "Critical", "subject": subject})).ok();
        self.received("/pages", &subject, begun)
    }

    /// From the instant at which a heartbeat is overdue to the message.
    fn heartbeat(&self) -> Option<Duration> {
        let name = unique("silence");
        let body = json!({"name": name, "interval": "1s", "grace": "0s", "severity": "Critical"});
        let made = self.client.post("/heartbeats", &body).ok();
        let url = text(&made["url"]);
        let path = url.splitn(4, '/').nth(3).unwrap_or_default();
        self.client.at(&self.pinged).absolute("GET", &format!("/{path}")).send().ok();
        let due = Instant::now() + Duration::from_secs(1);
        let took = self.received("/pages", &name, due);
        self.client.delete(&format!("/heartbeats/{}", text(&made["id"]))).ok();
        took
    }

    /// From an incident to the call of an integration.
    fn delivery(&self) -> Option<Duration> {
        let subject = unique("delivery");
        let begun = Instant::now();
        let body = json!({"entity": "INCIDENT", "eventType": "CREATE", "object": {"subject": subject}});
        self.elsewhere.post("/integrations/actions", &body).ok();
        self.received("/deliveries", &subject, begun)
    }

    /// From a job that is due at once to its run.
    fn job(&self) -> Option<Duration> {
        let begun = Instant::now();
        let job = text(&self.client.post("/jobs", &due_job()).ok()["id"]);
        let took = within(begun, || {
            let runs = self.client.get(&format!("/jobs/{job}/runs")).page();
            (runs["totalResults"] != json!(0)).then(|| begun.elapsed())
        });
        self.client.delete(&format!("/jobs/{job}")).ok();
        took
    }

    /// A whole list.
    fn list(&self) -> Option<Duration> {
        let begun = Instant::now();
        let answer = self.client.get("/resources/minimal");
        (answer.status == 200).then(|| begun.elapsed())
    }

    fn received(&self, path: &str, text: &str, begun: Instant) -> Option<Duration> {
        let is_it = |request: &Received| request.path.starts_with(path) && request.text().contains(text);
        within(begun, || self.receiver.all().iter().any(is_it).then(|| begun.elapsed()))
    }
}

/// Looks again and again until there is an answer, for half a minute at most.
fn within<T>(begun: Instant, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    loop {
        if let Some(seen) = look() {
            return Some(seen);
        }
        if begun.elapsed() > Duration::from_secs(30) {
            return None;
        }
        sleep(Duration::from_millis(20));
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("not a text: {value}")).to_owned()
}

fn due_job() -> Value {
    json!({"name": unique("job"), "schedule": {"startDate": "2020-01-01T00:00:00Z", "pattern": {"type": "run once"}},
        "script": {"jobType": "antivirus"}})
}

/// A policy that pages one new person at this URL of every alert.
fn page_everything(client: &Client, url: &str) {
    let name = unique("person");
    let user = text(&client.post("/users", &json!({"loginName": name, "firstName": "A", "lastName": "B"})).ok()["id"]);
    let method = json!({"name": "hook", "type": "HTTP", "url": url, "verified": true});
    client.post(&format!("/users/{user}/contactMethods"), &method).ok();
    let steps = json!([{"targets": [{"user": {"id": user}}], "wait": "1h"}]);
    let policy = client.post("/escalationPolicies", &json!({"name": unique("all"), "steps": steps})).ok();
    let route = json!({"name": unique("all"), "isDefault": true, "policy": {"id": policy["id"]}});
    client.post("/alertRoutes", &route).ok();
}

/// Requests that a greedy caller repeats as fast as it can.
struct Load<'h> {
    name: &'static str,
    connections: usize,
    /// Makes the next request.
    next: Box<dyn Fn(usize) -> Vec<u8> + Send + Sync + 'h>,
    /// Whether answers are read; if not, the connection is given up when it takes nothing more.
    reads: bool,
    sent: AtomicUsize,
}

impl<'h> Load<'h> {
    fn new(name: &'static str, connections: usize, next: impl Fn(usize) -> Vec<u8> + Send + Sync + 'h) -> Self {
        Self { name, connections, next: Box::new(next), reads: true, sent: AtomicUsize::new(0) }
    }

    fn start<'s>(&'s self, scope: &'s Scope<'s, '_>, server: &'s Server, stop: &'s AtomicBool) {
        for _ in 0..self.connections {
            scope.spawn(move || self.press(server.base().trim_start_matches("http://"), stop));
        }
    }

    fn press(&self, address: &str, stop: &AtomicBool) {
        let mut connection: Option<TcpStream> = None;
        while !stop.load(Ordering::Relaxed) {
            let Some(mut stream) = connection.take().or_else(|| pressure::connect_from([127, 0, 0, 9], address).ok())
            else {
                sleep(Duration::from_millis(20));
                continue;
            };
            let request = (self.next)(self.sent.fetch_add(1, Ordering::Relaxed));
            if self.reads {
                let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
                connection = pressure::exchange(&mut stream, &request).is_ok().then_some(stream);
                // Small, what is measured is turns and not how busy two cores are.
                sleep(if full_size() { Duration::ZERO } else { Duration::from_millis(30) });
            } else {
                let _ = stream.write_all(&request);
                let _ = stream.read(&mut [0; 512]);
                // Neither read nor closed: a reader that is slow for good.
                for _ in 0..100 {
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                    sleep(Duration::from_millis(50));
                }
            }
        }
    }
}

/// A new tenant with a greedy caller for each thing that can be filled.
fn loads<'h>(server: &Server, hung: &'h str) -> Vec<Load<'h>> {
    let tenant = server.new_client();
    let made = tenant.post("/apiKeys", &json!({"name": unique("viewer"), "role": "viewer"})).ok();
    let viewer = tenant.with_token(&server.token(&text(&made["key"]), &text(&made["secret"])));
    let operator = server.caller(tenant.tenant_id(), "operator");
    page_everything(&tenant, &format!("{hung}/pages"));
    let methods = contact_methods(&viewer, &text(&made["userId"]), hung);
    let deliveries = events(&tenant, hung);
    fill_heartbeats(server, &tenant);
    let token = text(&tenant.post("/inbound", &json!({"name": unique("inbound")})).ok()["token"]);
    let explain = json!({"alert": {"currentState": "Critical", "subject": "greedy"}});
    let reader = viewer.clone();
    let streamer = viewer.clone();
    let jobs = operator.clone();
    let windows = operator.clone();
    let lines: String =
        (0..300).map(|n| format!("{}\n", json!({"hostName": format!("{n}-{}", "x".repeat(900))}))).collect();
    tenant.request("POST", "/resources/bulk").body("application/x-ndjson", lines).send();
    let changed = Mutex::new(HashMap::<usize, bool>::new());
    vec![
        Load::new("codes to contact methods that never answer", size(2, 8), move |number| {
            let method = number / 2 % methods.len();
            let mut changed = changed.lock().unwrap();
            let is_code = changed.entry(method).or_default();
            *is_code = !*is_code;
            match *is_code {
                false => pressure::request(&viewer, "POST", &format!("{}/sendCode", methods[method]), None),
                true => {
                    let url = json!({"url": format!("{hung}/code/{number}")});
                    pressure::request(&viewer, "POST", &methods[method], Some(&url))
                }
            }
        }),
        Load::new("alerts of an inbound address", size(2, 16), move |number| {
            let body = json!({"subject": format!("storm {number}"), "state": "critical", "key": number.to_string()});
            let body = body.to_string();
            let length = body.len();
            format!(
                "POST /api/v2/inbound/{token} HTTP/1.1\r\nHost: t\r\nContent-Type: application/json\r\n\
                 Content-Length: {length}\r\n\r\n{body}"
            )
            .into_bytes()
        }),
        Load::new("deliveries to endpoints that never answer", size(1, 4), move |number| {
            let body = json!({"entity": "INCIDENT", "eventType": "CREATE", "object": {"subject": number.to_string()}});
            pressure::request(&deliveries, "POST", "/integrations/actions", Some(&body))
        }),
        Load::new("jobs that are due", size(1, 4), move |_| {
            pressure::request(&jobs, "POST", "/jobs", Some(&due_job()))
        }),
        Load::new("previews and windows", size(1, 4), move |number| {
            let body = json!({"name": format!("window {number}"),
                "devices": [{"hostName": format!("{}-{}", number % 300, "x".repeat(900))}],
                "schedule": {"type": "One-Time", "startTime": "2020-01-01T00:00:00Z", "endTime": "2037-01-01T00:00:00Z",
                    "timezone": "GMT"}});
            pressure::request(&windows, "POST", "/scheduleMaintenances", Some(&body))
        }),
        Load::new("explanations", size(2, 90), {
            let viewer = server.caller(tenant.tenant_id(), "viewer");
            move |_| pressure::request(&viewer, "POST", "/paging/explain", Some(&explain))
        }),
        Load {
            reads: false,
            ..Load::new("slow readers of lists", size(8, 40), move |_| {
                pressure::request(&reader, "GET", "/resources/minimal", None)
            })
        },
        Load {
            reads: false,
            ..Load::new("streams of changes", size(20, 1_000), move |_| {
                pressure::request(&streamer, "GET", "/changes", None)
            })
        },
    ]
}

/// As many contact methods of a person as there may be, all of which lead to an endpoint that never answers.
fn contact_methods(viewer: &Client, user: &str, hung: &str) -> Vec<String> {
    let path = format!("/users/{user}/contactMethods");
    let method = |number: usize| {
        let body = json!({"name": number.to_string(), "type": "HTTP", "url": format!("{hung}/code/{number}")});
        format!("{path}/{}", text(&viewer.post(&path, &body).ok()["id"]))
    };
    (0..20).map(method).collect()
}

/// Integration events that call an endpoint that never answers on every incident.
fn events(tenant: &Client, hung: &str) -> Client {
    let notifier = json!({"type": "REST_API", "baseURI": hung});
    let installed = tenant
        .post("/integrations/install/CUSTOM", &json!({"displayName": unique("hung"), "baseNotifier": notifier}))
        .ok();
    for number in 0..size(20, 100) {
        let event = json!({"name": number.to_string(), "entity": "INCIDENT", "eventType": "CREATE",
            "endPointURI": format!("/{number}"), "eventPayload": "{}"});
        tenant.post(&format!("/integrations/installed/{}/event", text(&installed["id"])), &event).ok();
    }
    tenant.clone()
}

/// Heartbeats that fall silent all the time.
fn fill_heartbeats(server: &Server, tenant: &Client) {
    for _ in 0..size(20, 200) {
        let body = json!({"name": unique("heartbeat"), "interval": "1s", "grace": "0s", "severity": "Critical"});
        let url = text(&tenant.post("/heartbeats", &body).ok()["url"]);
        let path = url.splitn(4, '/').nth(3).unwrap_or_default().to_owned();
        server.get(&format!("/{path}")).ok();
    }
}

/// The figures, for those who run this with `--nocapture`.
#[expect(clippy::print_stdout, reason = "a test that measures says what it measured")]
fn print(figures: &str) {
    println!("{figures}");
}
