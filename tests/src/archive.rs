//! A Postgres of its own that archives its log.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::postgres::{Owner, find_programs, free_port};
use crate::program::Guard;
use crate::replication::{run, spawn, url, wait_for};

/// A Postgres with a directory for what it archives; ends when this is dropped.
pub struct ArchivedPostgres {
    owner: Owner,
    programs: PathBuf,
    directory: TempDir,
    port: u16,
    running: Option<Guard>,
}

impl ArchivedPostgres {
    /// Starts one with further lines in its `postgresql.conf`, which [`ArchivedPostgres::with_paths`] completes.
    pub fn start(settings: &str) -> Self {
        let owner = Owner::choose();
        let programs = find_programs();
        let directory = tempfile::Builder::new().prefix("muster-archived-").tempdir().expect("a temporary directory");
        let wal = directory.path().join("backup/wal");
        fs::create_dir_all(&wal).expect("a directory for the log");
        for path in [directory.path(), &directory.path().join("backup"), &wal] {
            owner.give(path);
        }
        let data = directory.path().join("data");
        let initdb = ["-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", "-D"];
        run(owner.command(&programs.join("initdb"), directory.path()).args(initdb).arg(&data));
        let mut this = Self { owner, programs, directory, port: free_port(), running: None };
        let file = data.join("postgresql.conf");
        let own = fs::read_to_string(&file).expect("initdb wrote it");
        fs::write(&file, format!("{own}\n{}", this.with_paths(settings))).expect("write the settings");
        this.go_on_with(&data);
        this
    }

    /// The URL of a database.
    pub fn url(&self, database: &str) -> String {
        url(self.port, database).replace("muster@", "postgres@")
    }

    /// A text of the documents, with the paths and the server of this one.
    pub fn with_paths(&self, text: &str) -> String {
        let directory = self.directory.path().display().to_string();
        let text = text.replace("/backup/", &format!("{directory}/backup/"));
        let text = text.replace("/var/lib/postgresql/", &format!("{directory}/"));
        text.replace("postgres://postgres@db.example.com", &self.url("postgres"))
    }

    /// Runs shell commands as the user of the server, with its programs.
    pub fn shell(&self, commands: &str) {
        let mut path = std::ffi::OsString::from(&self.programs);
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        let mut shell = self.owner.command(Path::new("sh"), self.directory.path());
        run(shell.env("PATH", path).args(["-ec", &self.with_paths(commands)]));
    }

    /// Ends the server, and starts one on another of its data directories.
    pub fn restart_on(&mut self, name: &str) {
        self.running = None;
        self.port = free_port();
        self.go_on_with(&self.directory.path().join(name));
    }

    fn go_on_with(&mut self, data: &Path) {
        let mut postgres = self.owner.command(&self.programs.join("postgres"), self.directory.path());
        self.running = Some(spawn(postgres.arg("-D").arg(data), self.port));
        wait_for(&self.url("postgres"));
    }
}
