//! `muster move`: from a SQLite database to Postgres while the service runs, and back into a file.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

use muster_tests::{Backend, Client, Exit, Guard, Server, fresh_database, muster, psql};
use serde_json::{Value, json};

use super::until;

const PATIENCE: Duration = Duration::from_secs(120);

fn to(server: &Server, url: &str) -> Command {
    let mut command = muster();
    command.args(["move", "--to", url, "--data-dir"]).arg(server.data_dir());
    command
}

/// What somebody sees of a tenant.
fn answers(client: &Client) -> Vec<Value> {
    const LISTS: [&str; 9] = [
        "/resources/minimal?state=all",
        "/resources/search?pageSize=100&sortName=name&queryString=name:writer",
        "/rosters/onCall?at=2026-11-20T12:00:00Z",
        "/kb/article/search?query=unfindable",
        "/kb/article/search?query=the",
        "/incidents/search?pageSize=100",
        "/alerts/search?pageSize=100",
        "/jobs/search?pageSize=100",
        "/users/search?pageSize=100",
    ];
    LISTS.iter().map(|path| client.get(path).ok()).collect()
}

/// Writes that were acknowledged: the id by the key under which it was sent.
#[derive(Default)]
struct Writers {
    acknowledged: Mutex<BTreeMap<String, String>>,
    /// When the last write was acknowledged by the one gateway, and the first by the other.
    times: Mutex<(Option<Instant>, Option<Instant>)>,
    stop: AtomicBool,
}

impl Writers {
    fn send(client: &Client, key: &str) -> Option<String> {
        let body = json!({"name": format!("writer {key}")});
        let answer = client.request("POST", "/resources").header("Idempotency-Key", key).json(&body).try_send().ok()?;
        match answer.status {
            200 => answer.json()["resourceUUID"].as_str().map(ToOwned::to_owned),
            409 | 503 => {
                assert!(answer.header("retry-after").is_some(), "{answer}");
                None
            }
            _ => panic!("{answer}"),
        }
    }

    /// Sends a key until it is acknowledged: at the old gateway, and at the new one as soon as that is there.
    fn write(&self, which: usize, old: &Client, new: &Mutex<Option<Client>>) {
        for number in 0.. {
            if self.stop.load(Ordering::Relaxed) {
                return;
            }
            let key = format!("{which}-{number}");
            loop {
                let next = new.lock().unwrap_or_else(PoisonError::into_inner).clone();
                let is_new = next.is_some();
                if let Some(id) = Self::send(&next.unwrap_or_else(|| old.clone()), &key) {
                    self.acknowledged.lock().unwrap_or_else(PoisonError::into_inner).insert(key, id);
                    let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
                    match is_new {
                        true => times.1 = times.1.or(Some(Instant::now())),
                        false => times.0 = Some(Instant::now()),
                    }
                    break;
                }
                if self.stop.load(Ordering::Relaxed) {
                    return;
                }
                sleep(Duration::from_millis(20));
            }
        }
    }
}

/// An article that a client has made.
fn article(client: &Client) -> Value {
    let category = client.post("/kb/category", &json!({"name": "Moves", "description": "about it"})).ok()["id"].clone();
    let article = json!({"title": "Unfindable", "content": "elsewhere", "category": {"id": category}});
    client.post("/kb/article", &article).ok();
    article
}

#[test]
fn everything_moves_while_writers_write() {
    let mut old = Server::start_with(Backend::Sqlite, &["--demo"]);
    let client = old.admin().tenant("client_1");
    let article = article(&client);
    let url = fresh_database();
    let writers = Writers::default();
    let new_client: Mutex<Option<Client>> = Mutex::new(None);
    let new = scope(|scope| {
        for which in 0..3 {
            let (writers, new_client, client) = (&writers, &new_client, client.clone());
            scope.spawn(move || writers.write(which, &client, new_client));
        }
        sleep(Duration::from_millis(500));
        let move_to = scope.spawn(|| Exit::within(PATIENCE, &mut to(&old, &url)));
        // The next gateway is started before the end, and waits for it.
        until("the move has begun", Duration::from_secs(60), || {
            psql(&url, "SELECT to_regclass('unfinished_move') IS NOT NULL").trim() == "t"
        });
        let new = Server::start_in_place_of(&old, Some(&url), &[]);
        *new_client.lock().unwrap_or_else(PoisonError::into_inner) = Some(client.at(new.base()));
        let exit = move_to.join().unwrap();
        if exit.status.success() {
            until("the new gateway took a write", Duration::from_secs(60), || {
                writers.times.lock().unwrap_or_else(PoisonError::into_inner).1.is_some()
            });
        }
        writers.stop.store(true, Ordering::Relaxed);
        assert!(exit.status.success(), "{}{}", exit.stdout, exit.stderr);
        assert!(exit.stdout.contains("tables with") && exit.stdout.contains("compared: 0 differ"), "{}", exit.stdout);
        assert!(!exit.stdout.contains("DIFFERENT") && exit.stdout.contains("writers waited for"), "{}", exit.stdout);
        let password = url.split_once("://").and_then(|(_, rest)| rest.split_once(':')?.1.split_once('@'));
        let password = password.map(|(password, _)| password).filter(|password| !password.is_empty());
        let told = exit.stdout.clone() + &exit.stderr + &old.log();
        assert!(password.is_none_or(|password| !told.contains(password)), "the password is told");
        new
    });
    let (last, first) = writers.times.into_inner().unwrap();
    let refused =
        first.expect("the new gateway took a write").saturating_duration_since(last.expect("the old one did"));
    assert!(refused < Duration::from_secs(15), "writes were refused for {refused:?}");

    // What was acknowledged is there, once, and under the same key.
    let moved = client.at(new.base());
    let acknowledged = writers.acknowledged.into_inner().unwrap();
    assert!(acknowledged.len() > 10, "{} writes", acknowledged.len());
    let listed = moved.get("/resources/minimal?state=all").list();
    let names: Vec<&str> = listed.iter().filter_map(|row| row["name"].as_str()).collect();
    for (key, id) in &acknowledged {
        assert_eq!(names.iter().filter(|name| **name == format!("writer {key}")).count(), 1, "{key}");
        assert_eq!(Writers::send(&moved, key).as_ref(), Some(id), "{key}");
    }
    // Writes are refused at the old one, for ever; reads of before go on.
    let refused = client.post("/resources", &json!({"name": "late"})).problem(503, "0005");
    assert!(refused["detail"].as_str().is_some_and(|detail| detail.contains("has moved")), "{refused}");
    until("it is not ready, and says why", Duration::from_secs(5), || {
        let ready = old.get("/health/ready");
        ready.status == 503 && ready.text().contains("has moved to another database")
    });
    client.get("/resources/minimal").list();
    old.stop();
    let again = Exit::of(&mut old.serve_command());
    assert!(!again.status.success() && again.stderr.contains("has moved to postgres://"), "{}", again.stderr);
    // It goes on counting where it was.
    let events = psql(&url, "SELECT nextval('outbox_events_seq_seq')");
    assert!(
        events.trim().parse::<i64>().is_ok_and(|next| next > i64::try_from(acknowledged.len()).unwrap()),
        "{events}"
    );
    moved.post("/kb/article", &article).ok();
    let done = Exit::within(PATIENCE, &mut to(&old, &url));
    assert!(done.status.success() && done.stdout.contains("already"), "{}{}", done.stdout, done.stderr);
}

#[test]
fn answers_are_the_same_there_and_back_again() {
    let mut old = Server::start_with(Backend::Sqlite, &["--demo"]);
    let client = old.admin().tenant("client_1");
    article(&client);
    let url = fresh_database();
    let early = Exit::within(PATIENCE, to(&old, &url).arg("--check"));
    assert!(!early.status.success() && early.stderr.contains(" is empty"), "{}{}", early.stdout, early.stderr);
    let backups = tempfile::tempdir().unwrap();
    let mut backup = muster();
    backup.args(["backup", "--data-dir"]).arg(old.data_dir());
    assert!(Exit::of(backup.arg(backups.path().join("muster-20261127T204500Z.sqlite"))).status.success());
    let exit = Exit::within(PATIENCE, &mut to(&old, &url));
    assert!(exit.status.success(), "{}{}", exit.stdout, exit.stderr);
    let before = answers(&client);
    assert_eq!(before[3]["totalResults"], json!(1), "{}", before[3]);
    let check = Exit::within(PATIENCE, to(&old, &url).arg("--check"));
    assert!(check.status.success() && check.stdout.contains(": 0 differ"), "{}{}", check.stdout, check.stderr);

    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("back");
    let mut back = muster();
    back.args(["move", "--from", &url, "--data-dir"]).arg(&copy);
    let exit = Exit::within(PATIENCE, &mut back);
    assert!(exit.status.success() && exit.stdout.contains(": 0 differ"), "{}{}", exit.stdout, exit.stderr);
    let again = Exit::of(&mut back);
    assert!(!again.status.success() && again.stderr.contains("is there already"), "{}", again.stderr);

    let new = Server::start_in_place_of(&old, Some(&url), &[]);
    let moved = answers(&client.at(new.base()));
    for (before, moved) in before.iter().zip(&moved) {
        assert_eq!(before, moved);
    }
    old.stop();
    // A backup of before is put in the place of the file whose data is elsewhere.
    let mut restore = muster();
    restore.args(["restore", "--data-dir"]).arg(old.data_dir()).arg("--from").arg(backups.path());
    let exit = Exit::of(&mut restore);
    let told = exit.stdout.contains("the data of the former database had moved to postgres");
    assert!(exit.status.success() && told, "{}{}", exit.stdout, exit.stderr);
    for ending in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(old.data_dir().join(format!("muster.sqlite{ending}")));
    }
    fs::copy(copy.join("muster.sqlite"), old.data_dir().join("muster.sqlite")).unwrap();
    old.set_arguments(&[]);
    old.restart();
    for (before, returned) in before.iter().zip(&answers(&client.at(old.base()))) {
        assert_eq!(before, returned);
    }
    old.admin().tenant("client_1").post("/resources", &json!({"name": "after"})).ok();
}

#[test]
fn a_move_that_was_cut_off_goes_on() {
    let server = Server::start(Backend::Sqlite);
    let client = server.new_client();
    for part in 0..4 {
        let rows = (0..1_000).map(|row| json!({"name": format!("machine {part} {row}")}).to_string() + "\n");
        let rows: String = rows.collect();
        let answer = client.request("POST", "/resources/bulk").body("application/x-ndjson", rows).send();
        assert_eq!(answer.status, 200, "{answer}");
    }
    let url = fresh_database();
    let mut ids: Vec<String> = client
        .get("/resources/minimal")
        .list()
        .iter()
        .filter_map(|row| row["id"].as_str().map(ToOwned::to_owned))
        .collect();
    for wait in [300, 500, 700, 900, 1_200, 1_600] {
        let mut mover = Guard::spawn(to(&server, &url).stdout(std::process::Stdio::null()));
        sleep(Duration::from_millis(wait));
        let ended = mover.process().try_wait().unwrap().is_some();
        drop(mover);
        if ended {
            break;
        }
        for id in ids.split_off(ids.len() - 5) {
            client.delete(&format!("/resources/{id}"));
        }
        let renamed = &ids[ids.len() / 2];
        client.post(&format!("/resources/{renamed}"), &json!({"name": format!("renamed {wait}")})).ok();
        client.post("/resources", &json!({"name": format!("added {wait}")})).ok();
    }
    let exit = Exit::within(PATIENCE, &mut to(&server, &url));
    assert!(exit.status.success(), "{}{}", exit.stdout, exit.stderr);
    let check = Exit::within(PATIENCE, to(&server, &url).arg("--check"));
    assert!(check.status.success() && check.stdout.contains(": 0 differ"), "{}{}", check.stdout, check.stderr);
    assert_eq!(psql(&url, "SELECT count(*) FROM pg_indexes WHERE indexname = 'resources_state'").trim(), "1");
}

#[test]
fn what_is_not_empty_or_differs_is_refused() {
    let server = Server::start(Backend::Sqlite);
    let client = server.admin().tenant("client_1");
    client.post("/sites", &json!({"name": "Berlin"})).ok();
    let occupied = Server::start(Backend::Postgres);
    let exit = Exit::within(PATIENCE, &mut to(&server, occupied.database_url().unwrap()));
    assert!(!exit.status.success() && exit.stderr.contains("is not empty"), "{}{}", exit.stdout, exit.stderr);
    let cancel = || Exit::of(muster().args(["move", "--cancel", "--data-dir"]).arg(server.data_dir()));
    assert!(cancel().stderr.contains("no move is under way"));

    // Something in the target changes what is written.
    let url = fresh_database();
    let empty = tempfile::tempdir().unwrap();
    Exit::within(PATIENCE, muster().args(["migrate", "--database-url", &url, "--data-dir"]).arg(empty.path()));
    psql(
        &url,
        "CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.city := 'x'; RETURN NEW; END $$; \
         CREATE TRIGGER spoil BEFORE INSERT ON sites FOR EACH ROW EXECUTE FUNCTION spoil()",
    );
    let exit = Exit::within(PATIENCE, &mut to(&server, &url));
    assert_eq!(exit.status.code(), Some(2), "{}{}", exit.stdout, exit.stderr);
    assert!(exit.stdout.contains("DIFFERENT  sites") && exit.stdout.contains(": 1 differ"), "{}", exit.stdout);
    let check = Exit::within(PATIENCE, to(&server, &url).arg("--check"));
    assert_eq!(check.status.code(), Some(2), "{}{}", check.stdout, check.stderr);
    // The service goes on, and none is started on the target.
    client.post("/sites", &json!({"name": "Hamburg"})).ok();
    assert!(cancel().stderr.contains("no move is under way"));
    let mut serve = muster();
    serve.args(["serve", "--listen", "127.0.0.1:0", "--wait-for-database", "0", "--database-url", &url, "--data-dir"]);
    let refused = Exit::of(serve.arg(empty.path()));
    assert!(!refused.status.success() && refused.stderr.contains("has not ended"), "{}", refused.stderr);
    let again = Exit::within(PATIENCE, &mut to(&server, &url));
    assert_eq!(again.status.code(), Some(1), "{}{}", again.stdout, again.stderr);
    assert!(again.stderr.contains("take an empty database"), "{}", again.stderr);
}
