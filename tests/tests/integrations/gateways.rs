//! Two gateways on one Postgres share the work; one that stops and comes back too late changes nothing.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use muster_tests::{Backend, Client, Exit, Server, fresh_database, muster, postgres_program, psql, rounds, unique};
use serde_json::json;

use super::{
    event, incident, install, on_incidents,
    receiver::{Receiver, Reply, wait_for},
    text, times,
};

const ARGUMENTS: [&str; 8] = [
    "--egress-allow",
    "127.0.0.0/8",
    "--retry-schedule",
    "200ms,200ms,200ms,200ms,200ms,200ms",
    "--delivery-timeout",
    "500ms",
    "--delivery-calls-to-one",
    "4",
];

fn signal(server: &Server, name: &str) {
    let sent = Command::new("kill").args(["-s", name, &server.pid().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()));
}

/// Both open the secrets with the key of the first.
pub fn two(url: &str) -> (Server, Server) {
    let first = Server::start_at(Backend::Postgres, Some(url.to_owned()), &ARGUMENTS);
    let key = first.data_dir().join("secrets.key").display().to_string();
    let arguments: Vec<&str> = ARGUMENTS.into_iter().chain(["--secrets-key-file", &key]).collect();
    // The key of the first start is in the database already: the second takes it over.
    let second = Server::start_beside(&first, &arguments);
    (first, second)
}

#[test]
fn a_gateway_without_the_key_of_the_database_is_not_ready() {
    let first = Server::start_at(Backend::Postgres, Some(fresh_database()), &ARGUMENTS);
    let file = first.data_dir().join("secrets.key");
    let directory = tempfile::tempdir().unwrap();
    let copy = directory.path().join("secrets.key");
    std::fs::copy(&file, &copy).unwrap();
    let arguments: Vec<&str> = ARGUMENTS.into_iter().chain(["--secrets-key-file", copy.to_str().unwrap()]).collect();
    let second = Server::start_beside(&first, &arguments);
    let rotate = |step: &[&str]| {
        let mut command = muster();
        command.args(["secrets", "rotate", "--data-dir"]).arg(first.data_dir());
        let exit = Exit::of(command.args(["--database-url", first.database_url().unwrap()]).args(step));
        assert!(exit.status.success(), "{}{}", exit.stdout, exit.stderr);
    };
    let is = |server: &Server, status: u16| {
        let ready = || server.get("/health/ready").status;
        wait_for(Duration::from_secs(20), || ready() == status, || format!("{} instead of {status}", ready()));
    };
    rotate(&[]);
    is(&second, 503);
    is(&first, 200);
    std::fs::copy(&file, &copy).unwrap();
    is(&second, 200);
    rotate(&["--prepare"]);
    std::fs::copy(&file, &copy).unwrap();
    rotate(&["--finish"]);
    std::thread::sleep(Duration::from_secs(7));
    is(&second, 200);
}

#[test]
fn a_gateway_that_stops_loses_its_claims() {
    let total = rounds("events shared by two gateways", 300, 5_000);
    let (first, second) = two(&fresh_database());
    let receiver = Receiver::start(|_, _| {
        std::thread::sleep(Duration::from_millis(5));
        Reply::status(200)
    });
    let client = second.admin().tenant("client_1");
    let at = event(&client, &install(&client, &receiver.url()), &on_incidents("{\"n\": $incident.id}"));
    let mut accepted: Vec<String> = Vec::new();
    for number in 0..total {
        accepted.push(text(&incident(&client, &json!({"id": number}))["deliveries"][0]["id"]));
        if number == total / 2 {
            signal(&first, "STOP");
        }
    }
    let left = || client.get(&format!("{at}/deliveries?status=pending&pageSize=1")).page()["totalResults"].clone();
    // The lease of what the first had in hand: five times the timeout, and ten seconds.
    wait_for(Duration::from_secs(120), || left() == json!(0), || format!("{} left", left()));
    signal(&first, "CONT");
    std::thread::sleep(Duration::from_secs(3));
    let arrived: BTreeMap<String, Vec<Vec<u8>>> = receiver.by_id();
    let missing = accepted.iter().filter(|id| !arrived.contains_key(*id)).count();
    assert_eq!(missing, 0, "of {total}");
    assert!(arrived.values().all(|bodies| bodies.iter().all(|body| *body == bodies[0])));
    let page = client.get(&format!("{at}/deliveries?pageSize=1000")).page();
    for one in page["results"].as_array().into_iter().flatten() {
        assert_eq!(
            (&one["status"], &one["attempts"]),
            (&json!("delivered"), &json!(1)),
            "a late end was written down: {one}"
        );
    }
}

/// A call that outlasts the sleep of its gateway ends when the delivery is somebody else's.
#[test]
fn a_late_end_is_refused() {
    let (first, second) = two(&fresh_database());
    let client = first.admin().tenant("client_1");
    let receiver = Receiver::start(|_, number| {
        if number == 1 {
            std::thread::sleep(Duration::from_millis(300));
        }
        Reply::status(if number == 1 { 500 } else { 200 })
    });
    signal(&second, "STOP");
    let at = event(&client, &install(&client, &receiver.url()), &on_incidents("{}"));
    incident(&client, &json!({}));
    receiver.wait(1);
    // The first gateway sleeps through its lease, with the call in hand; the second takes it over.
    signal(&first, "STOP");
    signal(&second, "CONT");
    let other = second.admin().tenant("client_1");
    let status = || other.get(&format!("{at}/deliveries")).page()["results"][0].clone();
    wait_for(Duration::from_secs(60), || status()["status"] == json!("delivered"), || status().to_string());
    signal(&first, "CONT");
    wait_for(
        Duration::from_secs(20),
        || first.log().contains("were another gateway's"),
        || "no end was refused".to_owned(),
    );
    assert_eq!((&status()["status"], &status()["attempts"]), (&json!("delivered"), &json!(1)));
}

/// What one gateway is told the other one, which has deliveries in hand, notices.
#[test]
fn what_is_switched_off_at_one_gateway_is_not_called_by_the_other() {
    let (first, second) = two(&fresh_database());
    let client = first.admin().tenant("client_1");
    let other = second.admin().tenant("client_1");
    let receiver = Receiver::start(|_, _| {
        std::thread::sleep(Duration::from_millis(300));
        Reply::status(200)
    });
    let at = event(&client, &install(&client, &receiver.url()), &on_incidents("{}"));
    for _ in 0..200 {
        incident(&client, &json!({}));
    }
    receiver.wait(200);
    let pending = || client.get(&format!("{at}/deliveries?status=pending&pageSize=1")).page()["totalResults"].clone();
    wait_for(Duration::from_secs(30), || pending() == json!(0), || format!("{} left", pending()));
    // All of them wait at once, however slow this machine is to report them.
    client.post(&format!("{at}/replay"), &json!({"status": "delivered"})).ok();
    receiver.wait(220);
    for gateway in [&client, &other] {
        gateway.post_empty(&format!("{at}/deactivate")).ok();
        std::thread::sleep(Duration::from_millis(1_800));
        let calls = receiver.count();
        std::thread::sleep(Duration::from_secs(1));
        assert_eq!(receiver.count(), calls, "it is still called");
        assert!(calls < 400, "all had been sent before");
        gateway.post_empty(&format!("{at}/activate")).ok();
        receiver.wait(calls + 10);
    }
}

#[test]
fn two_gateways_tell_of_each_window_and_hand_over_once() {
    let (mut first, second) = two(&fresh_database());
    let receiver = Receiver::willing();
    let client = second.admin().tenant("client_1");
    let made = install(&client, &receiver.url());
    for action in ["OPENED", "CLOSED"] {
        let template = "$event.type $maintenanceWindow.name";
        event(&client, &made, &json!({"entity": "MaintenanceWindow", "eventType": action, "eventPayload": template}));
    }
    let template = "on call $roster.name";
    event(&client, &made, &json!({"entity": "Roster", "eventType": "ONCALLCHANGED", "eventPayload": template}));
    let resource = text(&client.post("/resources", &json!({"hostName": "web"})).ok()["resourceUUID"]);
    let user = text(&client.post("/users", &json!({"loginName": "ann", "lastName": "x"})).ok()["id"]);
    let mut expected = Vec::new();
    let opens = times::soon(8);
    for number in 0..60 {
        let schedule = json!({"type": "One-Time", "startTime": opens, "endTime": times::soon(14), "timezone": "GMT"});
        let window = json!({"name": format!("w{number}"), "devices": [{"uniqueId": resource}], "schedule": schedule});
        client.post("/scheduleMaintenances", &window).ok();
        expected.extend([format!("OPENED w{number}"), format!("CLOSED w{number}")]);
    }
    for number in 0..20 {
        let mut roster = times::around_the_clock(&json!({"users": [{"id": user}], "userGroups": []}));
        roster["name"] = json!(format!("r{number}"));
        client.post("/rosters", &roster).ok();
        expected.push(format!("on call r{number}"));
    }
    // One of them goes while the windows open, and comes back.
    std::thread::sleep(Duration::from_secs(6));
    first.kill9();
    std::thread::sleep(Duration::from_secs(2));
    first.restart();
    expected.sort_unstable();
    let told = || {
        let mut told: Vec<String> =
            receiver.by_id().into_values().map(|bodies| String::from_utf8_lossy(&bodies[0]).into()).collect();
        told.sort_unstable();
        told
    };
    wait_for(Duration::from_secs(60), || told().len() >= expected.len(), || format!("{} told", told().len()));
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(told(), expected);
}

/// A transaction of somebody else, which ends when this is dropped.
struct Transaction(Child);

impl Transaction {
    /// Has carried out this SQL.
    fn of(url: &str, sql: &str) -> Self {
        let mut command = Command::new(postgres_program("psql").expect("the servers need it, too"));
        command.args(["-XqtA", "-d", url]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut psql = command.spawn().unwrap();
        writeln!(psql.stdin.as_mut().unwrap(), "BEGIN; {sql};\n\\echo done").unwrap();
        let printed = BufReader::new(psql.stdout.take().unwrap()).lines();
        assert!(printed.map_while(Result::ok).any(|line| line == "done"), "{sql}");
        Self(psql)
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

/// Two clients do the same in different orders, and their partner has an event for each of it. The gateways hand on
/// what one client did each, and both wait for the queue in the middle.
#[test]
fn queues_of_a_partner_are_locked_in_one_order() {
    let url = fresh_database();
    let (first, _second) = two(&url);
    let receiver = Receiver::willing();
    let partner = first.admin();
    let made = install(&partner, &receiver.url());
    let event = |entity: &str, kind: &str| event(&partner, &made, &json!({"entity": entity, "eventType": kind}));
    let paths = [event("ALERT", "NONE"), event("Resource", "UPDATE"), event("Resource", "CREATE")];
    let clients = [first.new_client(), first.new_client()];
    let machine =
        |client: &Client| text(&client.post("/resources", &json!({"hostName": unique("web")})).ok()["resourceUUID"]);
    let machines = [machine(&clients[0]), machine(&clients[1])];
    let left = || psql(&url, "SELECT count(*) FROM outbox_events").trim().to_owned();
    let is_done = || left() == "0";
    wait_for(Duration::from_secs(30), is_done, left);
    let id = paths[1].rsplit('/').next().unwrap();
    let queue = Transaction::of(&url, &format!("SELECT 1 FROM integration_lanes WHERE event_id = '{id}' FOR UPDATE"));
    let claims = clients.each_ref().map(|client| {
        let name = format!("outbox:claim:{}", client.tenant_id());
        Transaction::of(&url, &format!("SELECT pg_advisory_xact_lock(hashtextextended('{name}', 0))"))
    });
    let report = json!({"currentState": "Critical", "subject": "down"});
    let update = |place: usize| {
        clients[place].post(&format!("/resources/{}", machines[place]), &json!({"aliasName": unique("alias")})).ok()
    };
    clients[0].post("/alert", &report).ok();
    update(0);
    machine(&clients[0]);
    machine(&clients[1]);
    update(1);
    clients[1].post("/alert", &report).ok();
    for claim in claims {
        drop(claim);
        std::thread::sleep(Duration::from_secs(1));
    }
    drop(queue);
    wait_for(Duration::from_secs(30), is_done, left);
    // Postgres counts them within a second.
    std::thread::sleep(Duration::from_secs(3));
    let deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
    assert_eq!(psql(&url, deadlocks).trim(), "0");
}
