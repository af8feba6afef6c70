//! A read replica (`--read-url`): what is read from it, what is not, and that nobody notices when it goes.

use std::time::Duration;

use muster_tests::{Backend, Client, Exit, ReplicatedPostgres, Response, Server, fresh_database, muster, psql};
use serde_json::{Value, json};

use super::until;

/// Long enough for anything that is waited for here.
const SOON: Duration = Duration::from_secs(20);

/// The options of a service that reads from the standby.
fn reading_from(standby: &str) -> [&str; 2] {
    ["--read-url", standby]
}

fn create(client: &Client, name: &str) -> Response {
    let made = client.post("/resources", &json!({"hostName": name}));
    made.ok();
    made
}

/// What each of the large reads has: a stream, a search by filter, a page.
fn names(client: &Client) -> Vec<Vec<String>> {
    let of = |rows: Vec<Value>| {
        let mut names: Vec<String> =
            rows.iter().filter_map(|row| row["hostName"].as_str().map(str::to_owned)).collect();
        names.sort();
        names
    };
    let page = |answer: Response| of(answer.page()["results"].as_array().cloned().unwrap_or_default());
    vec![
        of(client.get("/resources/minimal").list()),
        page(client.search("/resources/search", "hostName:host")),
        page(client.get("/resources/search?sortName=name")),
    ]
}

fn all_have(client: &Client, expected: &[&str]) -> bool {
    names(client).iter().all(|found| found == expected)
}

fn status_of_replica(server: &Server) -> Value {
    server.get("/health/ready").ok()["replica"]["status"].clone()
}

fn reads(server: &Server, outcome: &str) -> u64 {
    let text = server.get("/metrics").whole();
    let start = format!("muster_replica_reads_total{{outcome=\"{outcome}\"}} ");
    let line = text.lines().find_map(|line| line.strip_prefix(&start));
    line.unwrap_or_else(|| panic!("{start} is not in\n{text}")).trim().parse::<f64>().unwrap() as u64
}

#[test]
fn a_caller_sees_its_writes_and_nobody_notices_when_the_replica_goes() {
    let mut postgres = ReplicatedPostgres::start();
    let (primary, standby) = postgres.fresh_database();
    let options = [&reading_from(&standby)[..], &["--read-max-lag", "60s"]].concat();
    let mut server = Server::start_at(Backend::Postgres, Some(primary), &options);
    let other_gateway = Server::start_beside(&server, &options);
    let writer = server.caller("client_1", "operator");
    let reader = server.caller("client_1", "viewer");
    create(&writer, "host-1");
    until("the replica has it", SOON, || all_have(&reader, &["host-1"]));
    assert!(reads(&server, "served") >= 3);
    // Rules of docs/operations name these.
    let told = server.get("/metrics").whole();
    assert!(told.contains("\nmuster_replica_up 1") && told.contains("\nmuster_replica_lag_seconds "), "{told}");

    // What was written since, the replica does not have.
    psql(&standby, "SELECT pg_wal_replay_pause()");
    until("replay is paused", SOON, || psql(&standby, "SELECT pg_get_wal_replay_pause_state()").trim() == "paused");
    let made = create(&writer, "host-2");
    let behind = reads(&server, "behind");
    assert!(all_have(&writer, &["host-1", "host-2"]), "{:?}", names(&writer));
    assert!(reads(&server, "behind") >= behind + 3);
    let served = reads(&server, "served");
    assert!(all_have(&reader, &["host-1"]), "{:?}", names(&reader));
    assert_eq!(reads(&server, "served"), served + 3);
    // At the other gateway as well, and for those whom the writer tells.
    assert!(all_have(&writer.at(other_gateway.base()), &["host-1", "host-2"]));
    assert!(all_have(&reader.at(other_gateway.base()), &["host-1"]));
    let position = made.header("muster-write-position").expect("where the write stands").to_owned();
    let told =
        |position: &str| reader.request("GET", "/resources/minimal").header("Muster-Write-Position", position).send();
    assert_eq!(told(&position).list().len(), 2);
    assert_eq!(told("0/0").list().len(), 1);
    assert!(told("yesterday").problem(400, "0002")["detail"].as_str().is_some_and(|text| text.contains("16/B374D848")));
    // One record is read from the primary.
    let id = made.json()["resourceUUID"].as_str().expect("an id").to_owned();
    reader.get(&format!("/resources/{id}")).ok();
    until("the lag is told", SOON, || server.get("/health/ready").ok()["replica"]["lagSeconds"].as_f64() > Some(0.3));
    let doctor = Exit::of(
        muster()
            .args(["doctor", "--data-dir"])
            .arg(server.data_dir())
            .args(&options)
            .args(["--database-url", server.database_url().expect("it has one")]),
    );
    assert!(
        doctor.stdout.contains("ok    replica: ") && doctor.stdout.contains("bytes of the log"),
        "{}",
        doctor.stdout
    );

    // Killed in the midst of it: each answer is the one of the primary.
    postgres.kill_standby();
    for _ in 0..20 {
        assert!(all_have(&reader, &["host-1", "host-2"]), "{:?}", names(&reader));
    }
    until("it is told", SOON, || status_of_replica(&server) == "AWAY");
    assert!(all_have(&writer, &["host-1", "host-2"]));
    assert!(reads(&server, "away") > 0);

    // A service begins without it, too. It comes back, and replays.
    server.restart();
    let [writer, reader] = [writer, reader].map(|client| client.at(server.base()));
    assert!(all_have(&reader, &["host-1", "host-2"]) && all_have(&writer, &["host-1", "host-2"]));
    postgres.start_standby();
    until("it is used again", SOON, || status_of_replica(&server) == "UP");
    let served = reads(&server, "served");
    until("it has everything", SOON, || all_have(&reader, &["host-1", "host-2"]));
    assert!(reads(&server, "served") > served);
}

#[test]
fn a_caller_sees_a_write_that_could_not_be_noted() {
    let postgres = ReplicatedPostgres::start();
    let (primary, standby) = postgres.fresh_database();
    let options = [&reading_from(&standby)[..], &["--read-max-lag", "60s"]].concat();
    let server = Server::start_at(Backend::Postgres, Some(primary.clone()), &options);
    let other_gateway = Server::start_beside(&server, &options);
    let writer = server.caller("client_1", "operator");
    let there = writer.at(other_gateway.base());
    create(&writer, "host-1");
    until("the replica has it", SOON, || [&writer, &there].iter().all(|client| all_have(client, &["host-1"])));
    // Notes of callers fail; that for everybody does not.
    let fault = "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$; \
                 CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON write_positions FOR EACH ROW \
                 WHEN (NEW.tenant_id <> '') EXECUTE FUNCTION refuse()";
    psql(&primary, fault);
    psql(&standby, "SELECT pg_wal_replay_pause()");
    until("replay is paused", SOON, || psql(&standby, "SELECT pg_get_wal_replay_pause_state()").trim() == "paused");
    let made = create(&writer, "host-2");
    assert_eq!(made.header("muster-write-position"), None);
    let expected = ["host-1", "host-2"];
    assert!(all_have(&writer, &expected), "{:?}", names(&writer));
    until("the other gateway knows", SOON, || all_have(&there, &expected));
    // A crash of the primary empties the table.
    psql(&primary, "TRUNCATE write_positions");
    for client in [&writer, &there] {
        assert!(all_have(client, &expected), "{:?}", names(client));
    }
    let floor = "SELECT count(*) FROM write_positions WHERE tenant_id = ''";
    until("there is a note for everybody again", SOON, || psql(&primary, floor).trim() == "1");
    assert!(all_have(&writer, &expected), "{:?}", names(&writer));
}

#[test]
fn a_replica_that_lags_fails_or_stands_still_delays_nobody() {
    let mut postgres = ReplicatedPostgres::start();
    let (primary, standby) = postgres.fresh_database();
    let options = [&reading_from(&standby)[..], &["--read-max-lag", "500ms"]].concat();
    let server = Server::start_at(Backend::Postgres, Some(primary), &options);
    let writer = server.caller("client_1", "operator");
    let reader = server.caller("client_1", "viewer");
    create(&writer, "host-1");
    until("the replica has it", SOON, || all_have(&reader, &["host-1"]) && reads(&server, "served") >= 3);

    // Its sessions end, as those do whose reads are in conflict with replay.
    let end = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = 'muster' AND pid <> \
               pg_backend_pid() AND backend_type = 'client backend'";
    until("a read fails there", SOON, || {
        psql(&standby, end);
        assert!(all_have(&reader, &["host-1"]));
        reads(&server, "failed") > 0
    });

    until("it is used again", SOON, || status_of_replica(&server) == "UP");
    psql(&standby, "SELECT pg_wal_replay_pause()");
    until("replay is paused", SOON, || psql(&standby, "SELECT pg_get_wal_replay_pause_state()").trim() == "paused");
    create(&writer, "host-2");
    until("it lags", SOON, || status_of_replica(&server) == "LAGGING");
    assert!(all_have(&reader, &["host-1", "host-2"]), "{:?}", names(&reader));
    psql(&standby, "SELECT pg_wal_replay_resume()");
    until("it is used again", SOON, || status_of_replica(&server) == "UP");
    assert!(all_have(&reader, &["host-1", "host-2"]));

    postgres.signal_standby("STOP");
    let begun = std::time::Instant::now();
    assert!(all_have(&reader, &["host-1", "host-2"]));
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    assert_eq!(status_of_replica(&server), "AWAY");
    postgres.signal_standby("CONT");
    until("it is used again", SOON, || status_of_replica(&server) == "UP");
}

/// What a service says that does not start.
fn refused(database: &str, read: &str) -> String {
    let data = tempfile::tempdir().unwrap();
    let mut program = muster();
    program.args(["serve", "--listen", "127.0.0.1:0", "--database-url", database, "--read-url", read, "--data-dir"]);
    let exit = Exit::of(program.arg(data.path()));
    assert!(!exit.status.success(), "{}", exit.stdout);
    exit.stderr
}

#[test]
fn what_is_not_a_standby_of_the_database_is_refused() {
    let postgres = ReplicatedPostgres::start();
    let (primary, standby) = postgres.fresh_database();
    let (other_primary, other_standby) = postgres.fresh_database();
    let said = refused(&primary, &primary);
    assert!(said.contains("it is not a standby"), "{said}");
    let said = refused(&fresh_database(), &standby);
    assert!(said.contains("a standby of another database") && said.contains("system identifier"), "{said}");
    assert!(refused(&primary, &other_standby).contains("a standby of another database"));
    assert!(refused(&primary, "sqlite:replica.sqlite").contains("--read-url names a standby of a Postgres"));
    let folder = tempfile::tempdir().unwrap();
    let file = format!("sqlite:{}", folder.path().join("muster.sqlite").display());
    assert!(refused(&file, &standby).contains("this database is SQLite"));

    // Where the role may not ask for the system identifier, a marker tells.
    let owner = "REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC; CREATE ROLE plain LOGIN; \
                 GRANT ALL ON SCHEMA public TO plain";
    psql(&other_primary, owner);
    let plain = |url: &str| url.replace("muster@", "plain@");
    let said = refused(&plain(&other_primary), &plain(&standby));
    assert!(said.contains("a standby of another database") && said.contains("marker"), "{said}");
    let options = [plain(&other_primary), plain(&other_standby)];
    let server = Server::start_at(Backend::Postgres, Some(options[0].clone()), &reading_from(&options[1]));
    assert!(server.log().contains("marker"), "{}", server.log());
    until("it is used", SOON, || status_of_replica(&server) == "UP");
}
