//! Work in the background, tenant by tenant: what fails for one client, all of it or a row, delays nothing of
//! another's.

use std::time::{Duration, Instant};

use muster_tests::{
    Backend, Client, Server, both_backends, psql,
    receiver::{Receiver, wait_for},
    rounds, unique,
};
use serde_json::{Value, json};

use crate::{
    integrations::{event, install, times::soon},
    paging::{person, reachable, text},
};

both_backends![
    what_fails_for_a_client_delays_no_other,
    a_row_that_fails_delays_no_other,
    a_storm_of_windows_delays_no_other,
    a_backlog_of_events_is_not_compared_with_itself,
];

const ARGUMENTS: [&str; 2] = ["--egress-allow", "127.0.0.0/8"];

/// How soon all that is due of a client is done that nothing is wrong with, on a machine that is busy with other tests.
const SOON: Duration = Duration::from_secs(60);

/// How many windows of a client one of its turns opens.
const TURN: usize = 200;

/// A client with something of each kind that is due so many seconds after it was made.
struct World {
    client: Client,
    receiver: Receiver,
    job: String,
    suppressed: String,
    paged: String,
    heartbeat: String,
}

impl World {
    fn new(server: &Server, seconds: u64) -> Self {
        Self::of(server, server.new_client(), seconds)
    }

    fn of(server: &Server, client: Client, seconds: u64) -> Self {
        let receiver = Receiver::willing();
        let hooks = Receiver::willing();
        let made = install(&client, &receiver.url());
        for (entity, action) in [("MaintenanceWindow", "OPENED"), ("Roster", "ONCALLCHANGED")] {
            event(&client, &made, &json!({"entity": entity, "eventType": action, "eventPayload": entity}));
        }
        let first = reachable(&client, &hooks.url());
        let second = reachable(&client, &hooks.url());
        let step = |user: &str, wait: &str| json!({"targets": [{"user": {"id": user}}], "wait": wait});
        let policy =
            json!({"name": unique("policy"), "steps": [step(&first, &format!("{seconds}s")), step(&second, "1h")]});
        let policy = text(&client.post("/escalationPolicies", &policy).ok()["id"]);
        client.post("/alertRoutes", &json!({"name": unique("all"), "isDefault": true, "policy": {"id": policy}})).ok();
        let alert = |subject: &str| {
            text(&client.post("/alert", &json!({"currentState": "Critical", "subject": subject})).ok()["id"])
        };
        let paged = alert("paged");
        let suppressed = alert("suppressed");
        client.post(&format!("/alerts/{suppressed}/actions/suppress"), &json!({"until": soon(seconds)})).ok();
        let resource = text(&client.post("/resources", &json!({"hostName": "web"})).ok()["resourceUUID"]);
        let once = json!({"type": "One-Time", "startTime": soon(seconds), "endTime": soon(7_200), "timezone": "GMT"});
        let window = json!({"name": "w", "devices": [{"uniqueId": resource}], "schedule": once});
        client.post("/scheduleMaintenances", &window).ok();
        let script = json!({"jobType": "antivirus"});
        let schedule = json!({"startDate": soon(seconds), "pattern": {"type": "run once"}});
        let job = json!({"name": "job", "script": script, "schedule": schedule});
        let job = text(&client.post("/jobs", &job).ok()["id"]);
        let on_call = person(&client);
        for start in [seconds, 3_600 + seconds] {
            let schedule = json!({"type": "one-time", "startDate": soon(start), "endDate": soon(start + 600)});
            let user = if start == seconds { &on_call } else { &first };
            let shift = json!({"name": "s", "users": [{"id": user}], "userGroups": [], "schedule": schedule});
            let zone = json!({"name": "GMT"});
            let roster = json!({"name": unique("r"), "description": "d", "timeZone": zone, "shiftDetails": [shift]});
            client.post("/rosters", &roster).ok();
        }
        let rule = json!({"urgency": "low", "steps": [], "beforeShift": "1h"});
        client.post(&format!("/users/{first}/notificationRules"), &rule).ok();
        let heartbeat = heartbeat(server, &client, seconds);
        Self { client, receiver, job, suppressed, paged, heartbeat }
    }

    fn results(&self, path: &str) -> Vec<Value> {
        self.client.get(path).page()["results"].as_array().cloned().unwrap_or_default()
    }

    fn is_missing(&self) -> bool {
        self.client.get(&format!("/heartbeats/{}", self.heartbeat)).ok()["state"] == "Missing"
    }

    /// What is not done yet.
    fn left(&self) -> Vec<&'static str> {
        let told: Vec<String> = self.receiver.all().iter().map(|one| one.text()).collect();
        let is_told = |what: &str| told.iter().any(|text| text == what);
        let suppressed = self.client.get(&format!("/alerts/{}", self.suppressed)).ok();
        let pages = self.results(&format!("/pages/search?queryString=alertId:{}", self.paged));
        [
            ("heartbeat", !self.results("/alerts/search?queryString=app:Heartbeat").is_empty()),
            ("job", !self.results(&format!("/jobs/{}/runs", self.job)).is_empty()),
            ("window", is_told("MaintenanceWindow")),
            ("roster", is_told("Roster")),
            ("suppression", suppressed["lastEvent"] == "Unsuppressed"),
            ("escalation", pages.iter().any(|page| page["step"] == 2)),
            ("reminder", !self.results("/pages/search?queryString=kind:shift").is_empty()),
        ]
        .into_iter()
        .filter(|(_, done)| !done)
        .map(|(what, _)| what)
        .collect()
    }

    #[track_caller]
    fn wait(&self) {
        wait_for(SOON, || self.left().is_empty(), || format!("still to do: {:?}", self.left()));
    }
}

/// A heartbeat that was heard once; gives its id.
fn heartbeat(server: &Server, client: &Client, seconds: u64) -> String {
    let body = json!({"name": unique("hb"), "interval": format!("{seconds}s"), "grace": "1s"});
    let made = client.post("/heartbeats", &body).ok();
    let url = text(&made["url"]);
    server.get(&format!("/{}", url.splitn(4, '/').nth(3).unwrap())).ok();
    text(&made["id"])
}

/// Two gateways on Postgres, one on SQLite.
struct Gateways(Vec<Server>);

impl Gateways {
    fn start(backend: Backend) -> Self {
        let mut servers = vec![Server::start_with(backend, &ARGUMENTS)];
        if backend == Backend::Postgres {
            // They open each other's secrets.
            let key = servers[0].data_dir().join("secrets.key").display().to_string();
            let arguments: Vec<&str> = ARGUMENTS.into_iter().chain(["--secrets-key-file", &key]).collect();
            let beside = Server::start_beside(&servers[0], &arguments);
            servers.push(beside);
        }
        Self(servers)
    }

    /// Runs SQL on their database.
    fn sql(&mut self, text: &str) {
        let [server, ..] = &mut self.0[..] else { return };
        if server.backend == Backend::Sqlite {
            server.stop();
            server.sql(text);
            server.restart();
        } else {
            server.sql(text);
        }
    }

    /// From now on nothing can be inserted into these tables where this is so; gives what ends that.
    fn refuse(&mut self, broken: &[(&str, String)]) -> String {
        let is_sqlite = self.0[0].backend == Backend::Sqlite;
        let mut break_it = String::new();
        let mut mend_it = String::new();
        if !is_sqlite {
            break_it += "CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS \
                         $$ BEGIN RAISE EXCEPTION 'broken'; END $$;\n";
        }
        for (table, when) in broken {
            let head = format!("CREATE TRIGGER broken_{table} BEFORE INSERT ON {table}");
            break_it += &if is_sqlite {
                format!("{head} WHEN {when} BEGIN SELECT RAISE(ABORT, 'broken'); END;\n")
            } else {
                format!("{head} FOR EACH ROW WHEN ({when}) EXECUTE FUNCTION refuse();\n")
            };
            let on = if is_sqlite { String::new() } else { format!(" ON {table}") };
            mend_it += &format!("DROP TRIGGER broken_{table}{on};\n");
        }
        self.sql(&break_it);
        mend_it
    }

    /// As [`World::client`] and the like, at whatever port the first gateway is now.
    fn again(&self, world: &World) -> Client {
        self.0[0].admin().tenant(world.client.tenant_id())
    }
}

/// How many seconds there are to break something before it is due.
const AHEAD: u64 = 20;

/// Waits until what was made then is due.
fn wait_until_due(made: Instant) {
    std::thread::sleep(Duration::from_secs(AHEAD + 3).saturating_sub(made.elapsed()));
}

fn what_fails_for_a_client_delays_no_other(backend: Backend) {
    let mut gateways = Gateways::start(backend);
    let made = Instant::now();
    let mut bad = World::new(&gateways.0[0], AHEAD);
    let when = format!("NEW.tenant_id = '{}'", bad.client.tenant_id());
    let tables = ["alerts", "job_runs", "outbox_events", "pages"];
    let mend = gateways.refuse(&tables.map(|table| (table, when.clone())));
    assert!(made.elapsed() < Duration::from_secs(AHEAD), "it was broken too slowly");
    let mut good = World::new(&gateways.0[0], 4);
    bad.client = gateways.again(&bad);
    good.wait();
    wait_until_due(made);
    // What nothing stands in the way of is so; the rest waits.
    wait_for(SOON, || bad.is_missing(), || "a heartbeat is up for ever".to_owned());
    let left = ["heartbeat", "job", "window", "roster", "suppression", "escalation", "reminder"];
    assert_eq!(bad.left(), left);
    gateways.sql(&mend);
    bad.client = gateways.again(&bad);
    bad.wait();
    good.client = gateways.again(&good);
    for world in [&bad, &good] {
        let alerts = world.results("/alerts/search?queryString=app:Heartbeat");
        assert!(alerts.len() == 1 && alerts[0]["repeatCount"] == 1, "told once: {alerts:?}");
        assert_eq!(world.results(&format!("/jobs/{}/runs", world.job)).len(), 1);
    }
}

/// Where Postgres believes that the table of events is empty, as it is when it looks.
fn a_backlog_of_events_is_not_compared_with_itself(backend: Backend) {
    let gateways = Gateways::start(backend);
    let Some(url) = gateways.0[0].database_url() else { return };
    let client = gateways.0[0].new_client();
    let left = || psql(url, "SELECT count(*) FROM outbox_events").trim().parse::<u64>().unwrap();
    wait_for(SOON, || left() == 0, || format!("{} events", left()));
    let read = || {
        let text = "SELECT sum(idx_tup_read)::bigint FROM pg_stat_user_indexes WHERE relname = 'outbox_events'";
        psql(url, text).trim().parse::<u64>().unwrap()
    };
    let before = read();
    let tenant = client.tenant_id();
    let backlog = format!(
        "ALTER TABLE outbox_events SET (autovacuum_enabled = false); ANALYZE outbox_events; \
         INSERT INTO outbox_events (tenant_id, id, entity, entity_id, action, request_id, created_ms, due_ms, owner, \
         attempts) SELECT '{tenant}', 'EVT-' || n, 'Probe', 'p' || n, 'UPDATE', 'r', ms, ms, '', 0 \
         FROM generate_series(1, 6000) AS n, LATERAL (SELECT (extract(epoch FROM now()) * 1000)::bigint AS ms) AS t"
    );
    psql(url, &backlog);
    let begun = Instant::now();
    wait_for(SOON, || left() == 0, || format!("{} events after {:?}", left(), begun.elapsed()));
    // What a gateway has read is told a second later.
    std::thread::sleep(Duration::from_secs(2));
    let rows = read() - before;
    assert!(rows < 3_000_000, "{rows} entries of indexes were read for 6,000 events");
}

fn a_row_that_fails_delays_no_other(backend: Backend) {
    let mut gateways = Gateways::start(backend);
    let client = gateways.0[0].new_client();
    // One of each kind that fails, and one of each that does not.
    let made = Instant::now();
    let script = json!({"jobType": "antivirus"});
    let schedule = json!({"startDate": soon(AHEAD), "pattern": {"type": "run once"}});
    let job = text(&client.post("/jobs", &json!({"name": "bad", "script": script, "schedule": schedule})).ok()["id"]);
    let silent = heartbeat(&gateways.0[0], &client, AHEAD);
    let resource = text(&client.post("/resources", &json!({"hostName": "db"})).ok()["resourceUUID"]);
    let once = json!({"type": "One-Time", "startTime": soon(AHEAD), "endTime": soon(7_200), "timezone": "GMT"});
    let window = json!({"name": "bad", "devices": [{"uniqueId": resource}], "schedule": once});
    let window = text(&client.post("/scheduleMaintenances", &window).ok()["uniqueId"]);
    let mend = gateways.refuse(&[
        ("job_runs", format!("NEW.job_id = '{job}'")),
        ("alerts", format!("NEW.ext_key = '{}'", silent.to_lowercase())),
        ("outbox_events", format!("NEW.entity_id = '{window}'")),
    ]);
    assert!(made.elapsed() < Duration::from_secs(AHEAD), "it was broken too slowly");
    let mut world = World::of(&gateways.0[0], gateways.0[0].admin().tenant(client.tenant_id()), 4);
    world.wait();
    wait_until_due(made);
    let state = |world: &World| world.client.get(&format!("/heartbeats/{silent}")).ok()["state"].clone();
    wait_for(SOON, || state(&world) == "Missing", || "a heartbeat is up for ever".to_owned());
    let done = |world: &World| {
        let runs = world.results(&format!("/jobs/{job}/runs")).len();
        let alerts = world.results("/alerts/search?queryString=app:Heartbeat").len();
        let told = world.receiver.all().iter().filter(|one| one.text() == "MaintenanceWindow").count();
        (runs, alerts, told)
    };
    assert_eq!(done(&world), (0, 1, 1));
    gateways.sql(&mend);
    world.client = gateways.again(&world);
    wait_for(SOON, || done(&world) == (1, 2, 2), || format!("{:?}", done(&world)));
}

/// Windows of one client that open in one second, as many as a night of patches has, beside one of another client,
/// which was made last: it opens behind one turn of the first client at most.
fn a_storm_of_windows_delays_no_other(backend: Backend) {
    let count = rounds("windows that open at once", 300, 5_000);
    let gateways = Gateways::start(backend);
    let server = &gateways.0[0];
    let greedy = server.new_client();
    let good = server.new_client();
    let receiver = Receiver::willing();
    let [_, made] = [&greedy, &good].map(|client| {
        let made = install(client, &receiver.url());
        event(client, &made, &json!({"entity": "MaintenanceWindow", "eventType": "OPENED", "eventPayload": "opened"}));
        made
    });
    let ahead = 10 + count as u64 / 10;
    let begun = Instant::now();
    let opens = soon(ahead);
    let open = |client: &Client, count: usize| {
        let resource = text(&client.post("/resources", &json!({"hostName": "web"})).ok()["resourceUUID"]);
        let once = json!({"type": "One-Time", "startTime": opens, "endTime": soon(7_200), "timezone": "GMT"});
        for number in 0..count {
            let window = json!({"name": number.to_string(), "devices": [{"uniqueId": resource}], "schedule": once});
            client.post("/scheduleMaintenances", &window).ok();
        }
    };
    open(&greedy, count);
    open(&good, 1);
    assert!(begun.elapsed() < Duration::from_secs(ahead), "{count} windows took {:?}", begun.elapsed());
    std::thread::sleep(Duration::from_secs(ahead).saturating_sub(begun.elapsed()));
    let told = |client: &Client, page: u64| {
        client.get(&format!("/integrations/deliveries/search?pageSize=100&pageNo={page}")).page()
    };
    for (client, count) in [(&good, 1), (&greedy, count as u64)] {
        let found = || told(client, 1)["totalResults"].as_u64().unwrap_or_default();
        wait_for(SOON, || found() == count, || format!("{} of {count} windows open", found()));
    }
    // What is told is stored when its window opens, and listed by that, the newest first.
    let partner = server.admin();
    let newest_first = (1..=count as u64 / 100 + 1)
        .flat_map(|page| told(&partner, page)["results"].as_array().cloned().unwrap_or_default());
    let behind = newest_first.take_while(|one| one["integration"]["id"] != made["id"]).count();
    let before = count - behind;
    assert!(before <= TURN, "{before} of {count} windows of another client opened before");
}
