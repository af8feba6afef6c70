//! The program that is measured: started on a data directory, asked, weighed and stopped.

use std::{
    fs::{self, File},
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail, ensure};
use muster_tests::{Guard, muster};
use serde_json::Value;

use crate::{
    http::{Connection, request},
    moved,
};

/// The first key of every database of the bench. It opens nothing but these, on loopback.
const KEY: &str = "benchmarkkey";
const SECRET: &str = "benchmarksecret0123456789";

/// The longest that [`Server::settle`] waits.
const SETTLED: Duration = Duration::from_secs(60);

/// The tenant that owns everything.
pub const TENANT: &str = "client_1";

/// The SQLite file of a data directory.
pub const FILE: &str = "muster.sqlite";

const STOP: Duration = Duration::from_secs(20);

/// A running `muster serve`.
pub struct Server {
    guard: Guard,
    /// Kept open, or the server could not print any more.
    _stdout: BufReader<ChildStdout>,
    /// Where it listens.
    pub port: u16,
    /// A bearer token of its admin; empty until [`Server::start`] has asked for one.
    pub token: String,
}

impl Server {
    /// Starts the server on a data directory and gets a token.
    pub fn start(data_dir: &Path) -> Result<Self> {
        Self::start_with(data_dir, &[])
    }

    /// The same with further variables of its environment.
    pub fn start_with(data_dir: &Path, environment: &[(&str, &str)]) -> Result<Self> {
        let mut server = Self::spawn_with(data_dir, environment)?;
        let form = format!("grant_type=client_credentials&client_id={KEY}&client_secret={SECRET}");
        let head = format!(
            "POST /auth/oauth/token HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\n\
             Content-Length: {}\r\n\r\n{form}",
            form.len()
        );
        let answer = Connection::open(server.port)?.exchange(head.as_bytes())?.ok()?.json()?;
        server.token = answer["access_token"].as_str().context("no access_token")?.to_owned();
        Ok(server)
    }

    /// Starts the server, and waits until it says where it listens.
    pub fn spawn(data_dir: &Path) -> Result<Self> {
        Self::spawn_with(data_dir, &[])
    }

    fn spawn_with(data_dir: &Path, environment: &[(&str, &str)]) -> Result<Self> {
        fs::create_dir_all(data_dir)?;
        let log = data_dir.join("server.log");
        let mut command = muster();
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--workers", &workers().to_string(), "--data-dir"])
            .arg(data_dir)
            .env("MUSTER_BOOTSTRAP_KEY", KEY)
            .env("MUSTER_BOOTSTRAP_SECRET", SECRET)
            .env("MUSTER_LOG", "warn")
            .env("MUSTER_RATE_LIMIT", "0")
            // The sink of deliveries.
            .env("MUSTER_EGRESS_ALLOW", "127.0.0.0/8")
            .envs(environment.iter().copied())
            .stderr(File::create(&log)?);
        if moved::is_on() && !environment.iter().any(|(name, _)| *name == "MUSTER_DATABASE_URL") {
            command.env("MUSTER_DATABASE_URL", moved::url(data_dir));
        }
        let (guard, stdout, port) = listen(&mut command, "http://127.0.0.1:")
            .with_context(|| format!("the server did not start: {}", fs::read_to_string(&log).unwrap_or_default()))?;
        Ok(Self { guard, _stdout: stdout, port, token: String::new() })
    }

    /// A `GET` below the tenant, as bytes to send.
    pub fn get(&self, path: &str) -> Vec<u8> {
        request("GET", &below_tenant(path), &self.token, b"")
    }

    /// A `POST` of JSON below the tenant; gives the answer's JSON.
    pub fn post(&self, connection: &mut Connection, path: &str, body: &Value) -> Result<Value> {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let request = request("POST", &below_tenant(path), &self.token, body.as_bytes());
        connection.exchange(&request)?.ok().with_context(|| format!("POST {path} {body:.300}"))?.json()
    }

    /// The token of its requests.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// A connection to it.
    pub fn connect(&self) -> Result<Connection> {
        Connection::open(self.port)
    }

    /// Its memory.
    pub fn memory(&mut self) -> Result<Memory> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.id()))?;
        let field = |name: &str| -> Option<u64> {
            let line = status.lines().find(|line| line.starts_with(name))?;
            line.split_whitespace().nth(1)?.parse().ok()
        };
        let resident_kib = field("VmRSS:").context("no VmRSS")?;
        Ok(Memory { resident_kib, peak_kib: field("VmHWM:").context("no VmHWM")? })
    }

    /// Waits until its memory stays as it is: what it makes behind the first question after a start, such as the sets
    /// that filters and totals are answered from, is made.
    pub fn settle(&mut self) -> Result<()> {
        let begun = Instant::now();
        let mut before = self.memory()?.resident_kib;
        while begun.elapsed() < SETTLED {
            std::thread::sleep(Duration::from_millis(1_500));
            let now = self.memory()?.resident_kib;
            if now.abs_diff(before) < 1 << 10 {
                break;
            }
            before = now;
        }
        Ok(())
    }

    /// Its process id.
    pub fn id(&mut self) -> u32 {
        self.process().id()
    }

    /// Lets the peak of [`Memory`] begin anew at what is resident now.
    pub fn reset_peak(&mut self) -> Result<()> {
        let id = self.id();
        fs::write(format!("/proc/{id}/clear_refs"), "5").context("resetting the peak of the memory")
    }

    /// Asks it to stop, and waits until it has.
    pub fn stop(mut self) -> Result<()> {
        let id = self.id().to_string();
        ensure!(Command::new("kill").args(["-s", "TERM", &id]).status()?.success(), "SIGTERM was not sent");
        let begun = Instant::now();
        while begun.elapsed() < STOP {
            if let Some(status) = self.process().try_wait()? {
                ensure!(status.success(), "the server ended with {status}");
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        bail!("the server did not stop")
    }

    fn process(&mut self) -> &mut Child {
        self.guard.process()
    }
}

/// Memory of a process.
#[derive(Clone, Copy)]
pub struct Memory {
    /// Resident now.
    pub resident_kib: u64,
    /// The most that was ever resident.
    pub peak_kib: u64,
}

/// Seconds that all threads of a process have run.
pub fn seconds_run(process: u32) -> Result<f64> {
    let mut nanoseconds = 0.0;
    for thread in fs::read_dir(format!("/proc/{process}/task"))? {
        // A thread may end meanwhile.
        let Ok(text) = fs::read_to_string(thread?.path().join("schedstat")) else { continue };
        nanoseconds += text.split(' ').next().and_then(|first| first.parse::<f64>().ok()).unwrap_or(0.0);
    }
    Ok(nanoseconds / 1e9)
}

/// Starts a program that prints a line with its port, after `prefix`.
pub fn listen(command: &mut Command, prefix: &str) -> Result<(Guard, BufReader<ChildStdout>, u16)> {
    let mut guard = Guard::spawn(command.stdin(Stdio::null()).stdout(Stdio::piped()));
    let mut stdout = BufReader::new(guard.process().stdout.take().context("no output")?);
    let mut line = String::new();
    stdout.read_line(&mut line)?;
    let (_, port) = line.split_once(prefix).with_context(|| format!("no port in {line:?}"))?;
    let port = port.trim().trim_end_matches('/').parse().with_context(|| format!("no port in {line:?}"))?;
    Ok((guard, stdout, port))
}

/// Worker threads of every server here: one a core.
pub fn workers() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from)
}

/// A path of the interface, from the root.
pub fn below_tenant(path: &str) -> String {
    format!("/api/v2/tenants/{TENANT}{path}")
}
