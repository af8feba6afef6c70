//! Restarts that nobody notices: the drain, sockets that are handed over, and addresses that are shared.

use std::fs::{self, File};
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use muster_tests::{Backend, Exit, Guard, Server, both_backends, fresh_database, http, muster, rounds};
use serde_json::{Value, json};

use super::until;

both_backends![no_request_fails_in_restarts, what_drains_is_not_ready_and_serves];

pub(super) const KEY: &str = "restartkey1";
pub(super) const SECRET: &str = "restartsecret0123456789";

/// What services that follow each other share: the socket that this process holds, the data, the callers.
pub(super) struct Place {
    pub(super) folder: tempfile::TempDir,
    database_url: Option<String>,
    listener: TcpListener,
}

impl Place {
    pub(super) fn new(backend: Backend) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let database_url = (backend == Backend::Postgres).then(fresh_database);
        Self { folder, database_url, listener: TcpListener::bind("127.0.0.1:0").unwrap() }
    }

    fn base(&self) -> String {
        format!("http://127.0.0.1:{}", self.port())
    }

    pub(super) fn port(&self) -> u16 {
        self.listener.local_addr().unwrap().port()
    }

    fn data_dir(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub(super) fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// A service with these arguments, whose environment names the socket as systemd does.
    pub(super) fn start(&self, arguments: &[&str]) -> Guard {
        let starts = self.log().matches("Muster starts").count();
        let program = muster();
        let mut command = Command::new("sh");
        let script = "exec 3<&0 </dev/null; export LISTEN_PID=$$ LISTEN_FDS=1; exec \"$@\"";
        command.args(["-c", script, "sh"]).arg(program.get_program());
        command.args(["serve", "--data-dir"]).arg(self.data_dir()).args(arguments);
        if let Some(url) = &self.database_url {
            command.args(["--database-url", url]);
        }
        command.env("MUSTER_BOOTSTRAP_KEY", KEY).env("MUSTER_BOOTSTRAP_SECRET", SECRET).env("MUSTER_RATE_LIMIT", "0");
        let log = File::options().create(true).append(true).open(self.folder.path().join("log")).unwrap();
        let socket: OwnedFd = self.listener.try_clone().unwrap().into();
        command.stdin(Stdio::from(socket)).stdout(Stdio::null()).stderr(log);
        let guard = Guard::spawn(&mut command);
        until("it starts", Duration::from_secs(30), || self.log().matches("Muster starts").count() > starts);
        guard
    }
}

pub(super) fn terminate(service: &mut Guard) {
    let id = service.process().id().to_string();
    assert!(Command::new("kill").args(["-s", "TERM", &id]).status().unwrap().success());
}

pub(super) fn end(service: &mut Guard) -> ExitStatus {
    let begun = Instant::now();
    loop {
        if let Some(status) = service.process().try_wait().unwrap() {
            return status;
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "it goes on");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn token(base: &str) -> String {
    let form = format!("grant_type=client_credentials&client_id={KEY}&client_secret={SECRET}");
    let request = http().post(format!("{base}/auth/oauth/token"));
    let answer = request.header("Content-Type", "application/x-www-form-urlencoded").body(form).send().unwrap();
    let answer: Value = answer.json().unwrap();
    answer["access_token"].as_str().unwrap().to_owned()
}

/// Reads and writes a hundred times a second on kept and on new connections, in restart after restart.
fn no_request_fails_in_restarts(backend: Backend) {
    let place = Place::new(backend);
    let arguments = ["--listen", "127.0.0.1:1", "--drain", "300ms"];
    let mut service = place.start(&arguments);
    let base = place.base();
    let token = token(&base);
    let stop = AtomicBool::new(false);
    let (sent, created) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let failed = Mutex::new(Vec::new());
    let call = |writer: usize, number: usize, client: &reqwest::blocking::Client| {
        let path = format!("{base}/api/v2/tenants/client_1/resources");
        let request = match number % 2 {
            0 => client.get(format!("{path}/minimal")),
            _ => client.post(path).json(&json!({"name": format!("r{writer}-{number}")})),
        };
        let answer = request.bearer_auth(&token).timeout(Duration::from_secs(15)).send();
        let answer = answer.map_err(|error| format!("{error:?}")).and_then(|answer| match answer.status().as_u16() {
            200 => answer.bytes().map_err(|error| format!("{error:?}")),
            status => Err(format!("{status}: {}", answer.text().unwrap_or_default())),
        });
        sent.fetch_add(1, Ordering::Relaxed);
        match answer {
            Ok(_) => drop(created.fetch_add(number % 2, Ordering::Relaxed)),
            Err(error) => failed.lock().unwrap().push(error),
        }
    };
    let begun = Instant::now();
    let restarts = rounds("restarts under load", 3, 10);
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let (call, stop) = (&call, &stop);
            scope.spawn(move || {
                let kept = http();
                for number in 0.. {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    match number % 3 {
                        0 => call(writer, number, &http()),
                        _ => call(writer, number, &kept),
                    }
                    std::thread::sleep(Duration::from_millis(40));
                }
            });
        }
        // Each restart has requests before it and, the last one, behind it, however slow the machine is.
        let load = |beyond: usize| {
            let deadline = Instant::now() + Duration::from_secs(60);
            while sent.load(Ordering::Relaxed) < beyond + 12 && Instant::now() < deadline {
                std::thread::sleep(Duration::from_millis(50));
            }
        };
        for _ in 0..restarts {
            load(sent.load(Ordering::Relaxed));
            let status = match backend {
                // Both serve for a while.
                Backend::Postgres => {
                    let next = place.start(&arguments);
                    let mut former = std::mem::replace(&mut service, next);
                    terminate(&mut former);
                    end(&mut former)
                }
                // The next one waits for the file, which one has at a time; clients wait for it in the socket.
                Backend::Sqlite => {
                    terminate(&mut service);
                    let next = place.start(&arguments);
                    let mut former = std::mem::replace(&mut service, next);
                    end(&mut former)
                }
            };
            if !status.success() {
                failed.lock().unwrap().push(format!("a service ended with {status}"));
            }
        }
        load(sent.load(Ordering::Relaxed));
        stop.store(true, Ordering::Relaxed);
    });
    let (sent, failed) = (sent.into_inner(), failed.into_inner().unwrap());
    eprintln!("{backend:?}: {sent} requests in {:?} and {restarts} restarts, {} failed", begun.elapsed(), failed.len());
    assert!(failed.is_empty(), "{} of {sent} failed: {failed:#?}\n{}", failed.len(), place.log());
    assert!(sent > 10 * restarts, "{sent} requests are no load");
    let listed = http().get(format!("{base}/api/v2/tenants/client_1/resources/minimal")).bearer_auth(&token).send();
    let listed: Vec<Value> = listed.unwrap().json().unwrap();
    assert_eq!(listed.len(), created.into_inner(), "each was created once");
}

fn what_drains_is_not_ready_and_serves(backend: Backend) {
    let place = Place::new(backend);
    let mut service = place.start(&["--drain", "5s"]);
    let base = place.base();
    let token = token(&base);
    let status = |path: &str| http().get(format!("{base}{path}")).send().unwrap().status().as_u16();
    assert_eq!(status("/health/ready"), 200);
    let stream = http().get(format!("{base}/api/v2/tenants/client_1/changes?maxSeconds=300")).bearer_auth(&token);
    let stream = std::thread::spawn(move || stream.send().unwrap().text());
    std::thread::sleep(Duration::from_millis(300));
    let begun = Instant::now();
    terminate(&mut service);
    until("it is not ready", Duration::from_secs(3), || status("/health/ready") == 503);
    assert_eq!(status("/health/live"), 200);
    let said = stream.join().unwrap().unwrap();
    assert!(said.contains("retry: ") && begun.elapsed() < Duration::from_secs(4), "{said}");
    let list = http().get(format!("{base}/api/v2/tenants/client_1/resources/minimal")).bearer_auth(&token).send();
    let list = list.unwrap();
    assert_eq!(list.status().as_u16(), 200);
    assert_eq!(list.headers().get("connection").map(|value| value.as_bytes()), Some(&b"close"[..]));
    assert!(begun.elapsed() < Duration::from_secs(5), "that was within the drain");
    assert!(end(&mut service).success(), "{}", place.log());
    let took = begun.elapsed();
    assert!((Duration::from_secs(5)..Duration::from_secs(15)).contains(&took), "{took:?}");
    // A second signal ends the drain.
    let mut service = place.start(&["--drain", "10m"]);
    until("it serves", Duration::from_secs(20), || status("/health/ready") == 200);
    terminate(&mut service);
    until("it drains", Duration::from_secs(5), || status("/health/ready") == 503);
    terminate(&mut service);
    assert!(end(&mut service).success(), "{}", place.log());
}

#[test]
fn an_address_is_shared_by_gateways_that_say_so() {
    let first = Server::start_with(Backend::Postgres, &["--reuse-port"]);
    let address = first.base().trim_start_matches("http://").to_owned();
    let serve = |data: &Path, more: &[&str]| {
        let mut command = muster();
        command.args(["serve", "--listen", &address, "--data-dir"]).arg(data).args(more);
        command.args(["--database-url", first.database_url().unwrap()]);
        command
    };
    let folder = tempfile::tempdir().unwrap();
    let refused = Exit::of(&mut serve(folder.path(), &[]));
    assert!(!refused.status.success() && refused.stderr.contains("cannot listen on"), "{}", refused.stderr);
    let log = folder.path().join("log");
    let mut second = serve(&first.data_dir(), &["--reuse-port", "--drain", "1s"]);
    let mut second = Guard::spawn(second.stdout(Stdio::null()).stderr(File::create(&log).unwrap()));
    let logged = || fs::read_to_string(&log).unwrap_or_default();
    until("it serves", Duration::from_secs(30), || logged().contains("listening on"));
    for _ in 0..20 {
        assert_eq!(http().get(format!("{}/health/live", first.base())).send().unwrap().status().as_u16(), 200);
    }
    let check = |more: &[&str]| {
        let mut command = muster();
        command.args(["check", "--listen", &address, "--data-dir"]).arg(first.data_dir()).args(more);
        Exit::of(command.args(["--database-url", first.database_url().unwrap()]))
    };
    assert!(check(&[]).stdout.contains("FAIL  address"));
    let shared = check(&["--reuse-port"]).stdout;
    assert!(shared.contains(&format!("{address} is free")), "{shared}");
    terminate(&mut second);
    assert!(end(&mut second).success(), "{}", logged());
    assert_eq!(first.get("/health/ready").status, 200);
}

#[test]
fn what_is_handed_over_has_to_be_one_listening_socket() {
    let serve = |count: &str| {
        let program = muster();
        let script = format!("exec 3</dev/null; export LISTEN_PID=$$ LISTEN_FDS={count}; exec \"$@\"");
        let mut command = Command::new("sh");
        command.args(["-c", &script, "sh"]).arg(program.get_program()).args(["serve", "--data-dir", "/nowhere"]);
        Exit::of(&mut command)
    };
    assert!(serve("2").stderr.contains("hands over 2 sockets"), "{}", serve("2").stderr);
    let exit = serve("1");
    assert!(!exit.status.success() && exit.stderr.contains("handed over"), "{}", exit.stderr);
}
