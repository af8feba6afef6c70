//! A Postgres of its own with a standby that replicates it.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::postgres::{Owner, find_programs, free_port, with_database};
use crate::program::Guard;
use crate::psql;

/// How long one of the two has to answer.
const START: Duration = Duration::from_secs(30);

/// Nothing here has to survive a power cut, but `synchronous_commit` stays on: the service asks for it. A read of the
/// standby that is in conflict with replay is cancelled at once.
const SETTINGS: [&str; 8] = [
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "fsync=off",
    "full_page_writes=off",
    "shared_buffers=32MB",
    "autovacuum=off",
    "logging_collector=off",
    "max_standby_streaming_delay=0",
];

/// A Postgres, the primary, and a standby. Both end when this is dropped.
pub struct ReplicatedPostgres {
    owner: Owner,
    programs: PathBuf,
    directory: TempDir,
    primary_port: u16,
    standby_port: u16,
    _primary: Guard,
    standby: Option<Guard>,
}

impl ReplicatedPostgres {
    /// Makes both, and starts them.
    pub fn start() -> Self {
        let owner = Owner::choose();
        let programs = find_programs();
        let directory = tempfile::Builder::new().prefix("muster-replicated-").tempdir().expect("a temporary directory");
        owner.give(directory.path());
        let data = directory.path().join("primary");
        let initdb = ["-U", "muster", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", "-D"];
        run(owner.command(&programs.join("initdb"), directory.path()).args(initdb).arg(&data));
        let (primary_port, standby_port) = (free_port(), free_port());
        let mut postgres = owner.command(&programs.join("postgres"), directory.path());
        let primary = spawn(postgres.arg("-D").arg(&data), primary_port);
        wait_for(&url(primary_port, "postgres"));
        let backup = ["-R", "-X", "stream", "-c", "fast", "--no-sync", "-d"];
        let mut copy = owner.command(&programs.join("pg_basebackup"), directory.path());
        run(copy.args(backup).arg(url(primary_port, "postgres")).arg("-D").arg(directory.path().join("standby")));
        let mut this =
            Self { owner, programs, directory, primary_port, standby_port, _primary: primary, standby: None };
        this.start_standby();
        this
    }

    /// An empty database: the URL of the primary, and that of the standby.
    pub fn fresh_database(&self) -> (String, String) {
        let name = crate::unique("replicated").replace('-', "_");
        psql(&url(self.primary_port, "postgres"), &format!("CREATE DATABASE {name} TEMPLATE template0"));
        let standby = url(self.standby_port, &name);
        wait_for(&standby);
        (url(self.primary_port, &name), standby)
    }

    /// The URL of the standby, with the database `postgres`.
    pub fn standby_url(&self) -> String {
        url(self.standby_port, "postgres")
    }

    /// Starts the standby, and waits until it answers.
    pub fn start_standby(&mut self) {
        let data = self.directory.path().join("standby");
        let deadline = Instant::now() + START;
        loop {
            let mut postgres = self.owner.command(&self.programs.join("postgres"), self.directory.path());
            let mut standby = spawn(postgres.arg("-D").arg(&data), self.standby_port);
            // Processes of the one that was killed may still hold its memory.
            while standby.process().try_wait().is_ok_and(|ended| ended.is_none()) {
                if answers(&self.standby_url()) {
                    self.standby = Some(standby);
                    return;
                }
                assert!(Instant::now() < deadline, "the standby does not answer");
                sleep(Duration::from_millis(20));
            }
            assert!(Instant::now() < deadline, "the standby ends");
        }
    }

    /// SIGKILL for the standby.
    pub fn kill_standby(&mut self) {
        self.standby = None;
    }

    /// Sends the processes of the standby a signal, such as `STOP`.
    pub fn signal_standby(&mut self, name: &str) {
        let standby = self.standby.as_mut().expect("the standby runs").process().id().to_string();
        let children = Command::new("ps").args(["-o", "pid=", "--ppid", &standby]).output().expect("ps runs").stdout;
        let children = String::from_utf8_lossy(&children).into_owned();
        let sent = Command::new("kill").args(["-s", name, &standby]).args(children.split_whitespace()).status();
        assert!(sent.is_ok(), "SIG{name} was not sent");
    }
}

pub(crate) fn url(port: u16, database: &str) -> String {
    with_database(&format!("postgres://muster@127.0.0.1:{port}/postgres"), database)
}

pub(crate) fn run(command: &mut Command) {
    let done = command.output().expect("a program of Postgres starts");
    assert!(done.status.success(), "{command:?}: {}", String::from_utf8_lossy(&done.stderr));
}

pub(crate) fn spawn(postgres: &mut Command, port: u16) -> Guard {
    postgres.args(SETTINGS.iter().flat_map(|setting| ["-c", *setting])).args(["-c", &format!("port={port}")]);
    Guard::spawn(postgres.stdout(Stdio::null()).stderr(Stdio::null()))
}

fn answers(url: &str) -> bool {
    crate::postgres::asks(url, "SELECT 1")
}

pub(crate) fn wait_for(url: &str) {
    let deadline = Instant::now() + START;
    while !answers(url) {
        assert!(Instant::now() < deadline, "{url} does not answer");
        sleep(Duration::from_millis(20));
    }
}
