//! Starting, stopping and killing the real program.

use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crate::client::{Client, Request};
use crate::pauses::Pauses;
use crate::postgres::migrated_database;
use crate::program::{Program, memory_kib, own_memory_kib, wait};
use crate::raw;
use crate::response::Response;
use crate::unique::unique;
use crate::watchdog::Watchdog;
use crate::{Backend, fresh_database};

/// A busy machine starts slowly, and a gateway that waits for a move starts at its end.
const START: Duration = Duration::from_secs(60);
const STOP: Duration = Duration::from_secs(20);

/// A running `muster serve`, with partner `msp_1`, client `client_1` and an admin key at `msp_1`.
pub struct Server {
    /// Where its rows are.
    pub backend: Backend,
    directory: PathBuf,
    database_url: Option<String>,
    arguments: Vec<String>,
    environment: Vec<(String, String)>,
    program: Program,
    key: String,
    secret: String,
    running: Option<Running>,
    /// As of the last look.
    peak_kib: Option<u64>,
    watchdog: Watchdog,
    http: reqwest::blocking::Client,
    token: OnceLock<String>,
    /// Its callers repeat what is refused for want of room.
    patient: bool,
}

struct Running {
    process: Child,
    base: String,
}

impl AsRef<Server> for Server {
    fn as_ref(&self) -> &Server {
        self
    }
}

impl Server {
    /// Starts the program on an empty data directory (and an empty database) and waits until it is ready.
    pub fn start(backend: Backend) -> Self {
        Self::start_with(backend, &[])
    }

    /// The same for many tests at once, which are not to see how much of it the others use.
    pub(crate) fn start_shared(backend: Backend) -> Self {
        let mut server = Self::start(backend);
        server.patient = true;
        server
    }

    /// The same with more arguments after `serve`.
    pub fn start_with(backend: Backend, arguments: &[&str]) -> Self {
        Self::start_at(backend, (backend == Backend::Postgres).then(migrated_database), arguments)
    }

    /// The same at a given `--database-url`.
    pub fn start_at(backend: Backend, database_url: Option<String>, arguments: &[&str]) -> Self {
        Self::start_new(backend, database_url, arguments, Program::Built)
    }

    /// The same of another program than the one under test.
    pub fn start_program(program: &Path, backend: Backend) -> Self {
        let url = (backend == Backend::Postgres).then(fresh_database);
        Self::start_new(backend, url, &[], Program::At(program.to_owned()))
    }

    /// A further gateway on the Postgres of another, which knows the same callers and has the same key for secrets.
    pub fn start_beside(other: &Self, arguments: &[&str]) -> Self {
        Self::start_in_place_of(other, other.database_url(), arguments)
    }

    /// The same on another Postgres, to which everything moves.
    pub fn start_in_place_of(other: &Self, url: Option<&str>, arguments: &[&str]) -> Self {
        let key = std::fs::read_to_string(other.data_dir().join("secrets.key")).expect("the other has a key");
        let callers = (other.key.clone(), other.secret.clone());
        Self::start_as(Backend::Postgres, url.map(str::to_owned), arguments, Program::Built, callers, Some(&key))
    }

    /// On SQLite, and as a program that may not write what the mode of a file forbids, also where root runs the tests.
    pub fn start_obeying_modes(arguments: &[&str]) -> Self {
        Self::start_new(Backend::Sqlite, None, arguments, Program::ObeyingModes)
    }

    fn start_new(backend: Backend, database_url: Option<String>, arguments: &[&str], program: Program) -> Self {
        let key = unique("bootstrapkey").replace('-', "");
        let secret = unique("bootstrapsecret0123456789").replace('-', "");
        Self::start_as(backend, database_url, arguments, program, (key, secret), None)
    }

    fn start_as(
        backend: Backend,
        database_url: Option<String>,
        arguments: &[&str],
        program: Program,
        (key, secret): (String, String),
        sealing_key: Option<&str>,
    ) -> Self {
        let directory = tempfile::Builder::new().prefix("muster-test-").tempdir().expect("a temporary directory");
        let directory = directory.keep();
        let watchdog = Watchdog::over(&directory, "KILL");
        let mut server = Self {
            backend,
            directory,
            database_url,
            arguments: arguments.iter().map(ToString::to_string).collect(),
            environment: Vec::new(),
            program,
            key,
            secret,
            running: None,
            peak_kib: None,
            watchdog,
            http: crate::client::http(),
            token: OnceLock::new(),
            patient: false,
        };
        if let Some(sealing_key) = sealing_key {
            fs::create_dir(server.data_dir()).expect("a new directory");
            fs::write(server.data_dir().join("secrets.key"), sealing_key).expect("write the key");
        }
        server.spawn();
        server
    }

    fn spawn(&mut self) {
        let log = |name: &str| {
            let path = self.directory.join(name);
            fs::File::options().create(true).append(true).open(path).expect("open the log")
        };
        let stdout = log("stdout.log");
        let stderr = log("stderr.log");
        let printed_before = stdout.metadata().map_or(0, |found| found.len());
        let process =
            self.serve_command().stdout(stdout).stderr(stderr).process_group(0).spawn().expect("muster starts");
        self.watchdog.watch(&process);
        self.running = Some(Running { process, base: String::new() });

        let deadline = Instant::now() + START;
        let mut address = None;
        let pauses = Pauses::begin();
        while Instant::now() < deadline {
            if address.is_none() {
                let printed = read_from(&self.directory.join("stdout.log"), printed_before);
                address = address_in(&printed);
            }
            if let Some(base) = &address
                && self.http.get(format!("{base}/health/ready")).send().is_ok_and(|found| found.status() == 200)
            {
                self.running.as_mut().expect("just set").base.clone_from(base);
                return;
            }
            if let Some(Ok(Some(status))) = self.running.as_mut().map(|running| running.process.try_wait()) {
                panic!("muster ended at start with {status}\n{}", self.log());
            }
            pauses.pause();
        }
        panic!("muster was not ready after {START:?} (address {address:?})\n{}", self.log());
    }

    /// The command line that starts this server.
    pub fn serve_command(&self) -> Command {
        let mut command = self.program.command();
        command.args(["serve", "--listen", "127.0.0.1:0", "--data-dir"]).arg(self.data_dir());
        if let Some(url) = &self.database_url {
            command.args(["--database-url", url]);
        }
        command.args(&self.arguments).envs(self.environment.iter().map(|(name, value)| (name, value)));
        // All tests share a key, and some send as fast as they can.
        command.env("MUSTER_RATE_LIMIT", "0");
        command.env("MUSTER_BOOTSTRAP_KEY", &self.key).env("MUSTER_BOOTSTRAP_SECRET", &self.secret);
        command
    }

    /// Its `--data-dir`.
    pub fn data_dir(&self) -> PathBuf {
        self.directory.join("data")
    }

    /// Its `--database-url`, when it was given one.
    pub fn database_url(&self) -> Option<&str> {
        self.database_url.as_deref()
    }

    /// `http://127.0.0.1:PORT`
    pub fn base(&self) -> &str {
        &self.running.as_ref().expect("the server runs").base
    }

    /// Process id of the running program.
    pub fn pid(&self) -> u32 {
        self.running.as_ref().expect("the server runs").process.id()
    }

    /// Resident memory of the running program in KiB: now, and the highest it ever was (Linux only).
    pub fn memory_kib(&self) -> Option<(u64, u64)> {
        memory_kib(self.pid())
    }

    /// As [`Server::memory_kib`], now, without the pages of the program, which come and go.
    pub fn own_memory_kib(&self) -> Option<u64> {
        own_memory_kib(self.pid())
    }

    /// The highest resident memory in KiB of all processes that this server was, each until it was stopped or killed,
    /// or until this was asked (Linux only).
    pub fn peak_kib(&mut self) -> Option<u64> {
        let now = self.running.as_ref().and_then(|running| memory_kib(running.process.id()));
        self.peak_kib = self.peak_kib.max(now.map(|(_, highest)| highest));
        self.peak_kib
    }

    /// The bootstrap key and its secret.
    pub fn credentials(&self) -> (&str, &str) {
        (&self.key, &self.secret)
    }

    /// A request at an absolute path, with no token.
    pub fn request(&self, method: &str, path: &str) -> Request {
        Request::new(&self.http, method, &format!("{}{path}", self.base())).patient(self.patient)
    }

    /// `GET` of an absolute path, with no token.
    pub fn get(&self, path: &str) -> Response {
        self.request("GET", path).send()
    }

    /// The bytes as they are on a connection of their own; `None` when it was closed without an answer.
    pub fn raw(&self, request: &[u8]) -> Option<Response> {
        raw::exchange(self.base(), request)
    }

    /// A connection of its own, that stays.
    pub fn connection(&self) -> raw::Connection {
        raw::Connection::new(self.base())
    }

    /// An access token for a key and its secret.
    pub fn token(&self, key: &str, secret: &str) -> String {
        let form = format!("grant_type=client_credentials&client_id={key}&client_secret={secret}");
        let answer =
            self.request("POST", "/auth/oauth/token").body("application/x-www-form-urlencoded", form).send().ok();
        answer["access_token"].as_str().expect("access_token is a string").to_owned()
    }

    /// A caller with the bootstrap key (admin of `msp_1`), at `msp_1`.
    pub fn admin(&self) -> Client {
        let token = self.token.get_or_init(|| self.token(&self.key, &self.secret));
        Client::new(&self.http, self.base(), "msp_1", Some(token)).patient(self.patient)
    }

    /// A caller without a token, at `msp_1`.
    pub fn anonymous(&self) -> Client {
        Client::new(&self.http, self.base(), "msp_1", None).patient(self.patient)
    }

    /// A new client tenant of `msp_1`, called by the bootstrap key.
    pub fn new_client(&self) -> Client {
        let admin = self.admin();
        let answer = admin.post("/clients", &serde_json::json!({"name": unique("client")})).ok();
        admin.tenant(answer["uniqueId"].as_str().expect("uniqueId is a string"))
    }

    /// A caller with a new API key of `tenant` in `role`, at that tenant.
    pub fn caller(&self, tenant: &str, role: &str) -> Client {
        let body = serde_json::json!({"name": unique(role), "role": role});
        let answer = self.admin().tenant(tenant).post("/apiKeys", &body).ok();
        let field = |name: &str| answer[name].as_str().expect("key and secret are strings").to_owned();
        let token = self.token(&field("key"), &field("secret"));
        Client::new(&self.http, self.base(), tenant, Some(&token)).patient(self.patient)
    }

    /// Sends a signal, such as `HUP`.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args(["-s", name, &self.pid().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()), "SIG{name} was not sent");
    }

    /// SIGTERM; the program has to end by itself with status 0.
    pub fn stop(&mut self) {
        self.peak_kib();
        self.signal("TERM");
        let mut running = self.running.take().expect("the server runs");
        let status = wait(&mut running.process, STOP);
        let _ = running.process.kill();
        let _ = running.process.wait();
        self.watchdog.unwatch();
        let status = status.unwrap_or_else(|| panic!("still running {STOP:?} after SIGTERM\n{}", self.log()));
        assert!(status.success(), "SIGTERM ended it with {status}\n{}", self.log());
    }

    /// SIGKILL: what was acknowledged has to be there after a restart.
    pub fn kill9(&mut self) {
        self.peak_kib();
        if let Some(mut running) = self.running.take() {
            let _ = running.process.kill();
            let _ = running.process.wait();
            self.watchdog.unwatch();
        }
    }

    /// Starts it again (after stopping it when it runs) on the same data; the port is another one.
    pub fn restart(&mut self) {
        if self.running.is_some() {
            self.stop();
        }
        self.spawn();
    }

    /// Runs SQL on its database, for what takes days otherwise. On SQLite while it is stopped, or to read.
    #[track_caller]
    pub fn sql(&self, text: &str) {
        if let Some(url) = self.database_url() {
            crate::psql(url, text);
            return;
        }
        let script = "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=20).executescript(sys.argv[2]).close()";
        let file = self.data_dir().join("muster.sqlite");
        let python = Command::new("python3").args(["-c", script]).arg(file).arg(text).stdout(Stdio::null()).status();
        assert!(python.is_ok_and(|status| status.success()), "{text}");
    }

    /// Other arguments after `serve`, from the next start on.
    pub fn set_arguments(&mut self, arguments: &[&str]) {
        self.arguments = arguments.iter().map(ToString::to_string).collect();
    }

    /// Further variables of its environment, from the next start on.
    pub fn set_environment(&mut self, environment: Vec<(String, String)>) {
        self.environment = environment;
    }

    /// All it printed and logged.
    pub fn log(&self) -> String {
        self.log_since([0, 0])
    }

    fn log_since(&self, [stdout, stderr]: [u64; 2]) -> String {
        let text = |name: &str, from| read_from(&self.directory.join(name), from);
        format!("stdout: {}\nstderr: {}", text("stdout.log", stdout), text("stderr.log", stderr))
    }

    fn log_lengths(&self) -> [u64; 2] {
        ["stdout.log", "stderr.log"].map(|name| fs::metadata(self.directory.join(name)).map_or(0, |found| found.len()))
    }

    /// Prints what the server logs from now on when the test fails.
    pub fn log_on_failure(&self) -> LogOnFailure<'_> {
        LogOnFailure { server: self, from: self.log_lengths() }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill9();
        if std::thread::panicking() {
            eprintln!("server on {:?}\n{}", self.backend, self.log());
        }
    }
}

/// Prints what a server logged since, when the test fails.
pub struct LogOnFailure<'s> {
    server: &'s Server,
    from: [u64; 2],
}

impl Drop for LogOnFailure<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let log = self.server.log_since(self.from);
            let start = log.char_indices().rev().nth(8_000).map_or(0, |(at, _)| at);
            eprintln!("server on {:?} (shared: other tests' lines too)\n{}", self.server.backend, &log[start..]);
        }
    }
}

fn read_from(path: &Path, offset: u64) -> String {
    let mut bytes = Vec::new();
    if let Ok(mut file) = fs::File::open(path) {
        let _ = file.seek(SeekFrom::Start(offset));
        let _ = file.read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The first complete `http://127.0.0.1:PORT` of the text.
fn address_in(text: &str) -> Option<String> {
    const PREFIX: &str = "http://127.0.0.1:";
    let start = text.find(PREFIX)?;
    let port = &text[start + PREFIX.len()..];
    let end = port.find(|c: char| !c.is_ascii_digit())?;
    (end > 0).then(|| format!("{PREFIX}{}", &port[..end]))
}
