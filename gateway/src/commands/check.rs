//! `muster check`: what is wrong with a configuration, before the service starts with it.

use std::{
    fmt::Display,
    fs::{self, OpenOptions},
    io::ErrorKind,
    net::TcpListener,
    os::unix::fs::PermissionsExt as _,
    path::Path,
};

use ::config::environment::Unknown;
use anyhow::bail;
use db::DatabaseUrl;

use super::print;
use crate::{
    command_line::{Check, SecretsKey, Storage},
    domains, first_run,
    keys::Source,
    process, settings,
};

const DAY: i64 = 24 * 60 * 60 * 1000;

/// A certificate that ends sooner than this is worth a warning.
const RENEW: i64 = 21 * DAY;

/// A clock that differs more than this from that of the database misleads the reader of any log.
const SKEW: i64 = 5_000;

/// Midnight of 1 January 2026: no clock that goes right says less.
const EARLIEST: i64 = 1_767_225_600_000;

/// Fewer open files than this are few for a server.
const FEW_FILES: u64 = 4096;

/// Less room than this on the disk of the data is a fault, and less than the second a warning.
const NO_ROOM: u64 = 64 << 20;
const LITTLE_ROOM: u64 = 1 << 30;

/// Says of each thing whether it is right, a line each; fails when one is not.
pub fn check(arguments: &Check) -> anyhow::Result<()> {
    let mut report = Report::default();
    let Check { storage, listen, keys } = arguments;
    report.clock();
    report.settings();
    report.files();
    report.data_directory(&storage.data_dir)?;
    report.private_file("first credentials", &first_run::credentials_file(&storage.data_dir), "rotate the key")?;
    if let Source::File(path) = keys.source(storage) {
        report.private_file("key of secrets", &path, "run muster secrets rotate twice")?;
    }
    if let Err(error) = first_run::first_credentials() {
        report.fault("first key", format!("{error:#}"));
    }
    if let Err(error) = keys.check(storage) {
        report.fault("key of secrets", format!("{error:#}"));
    }
    report.database(storage, keys)?;
    report.listening(listen)?;
    report.certificate(listen)?;
    report.end()
}

/// Does a check that the command line does not even begin find settings of the environment that cannot be read? Then it
/// says them as its other findings.
pub fn check_finds_faults() -> bool {
    let faults =
        if std::env::args().nth(1).is_some_and(|word| word == "check") { settings::faults() } else { Vec::new() };
    let mut report = Report::default();
    faults.into_iter().for_each(|fault| report.fault("settings", fault));
    report.faults > 0 && report.end().is_err()
}

/// What was found so far. Warnings are said, and are no failure.
#[derive(Default)]
struct Report {
    lines: Vec<String>,
    faults: usize,
}

impl Report {
    fn ok(&mut self, what: &str, text: impl Display) {
        self.lines.push(format!("ok    {what}: {text}"));
    }

    fn warning(&mut self, what: &str, text: impl Display) {
        self.lines.push(format!("warn  {what}: {text}"));
    }

    fn fault(&mut self, what: &str, text: impl Display) {
        self.faults += 1;
        self.lines.push(format!("FAIL  {what}: {text}"));
    }

    fn end(self) -> anyhow::Result<()> {
        print(&self.lines.join("\n"))?;
        match self.faults {
            0 => Ok(()),
            1 => bail!("one thing is wrong"),
            many => bail!("{many} things are wrong"),
        }
    }

    fn clock(&mut self) {
        let now = api::clock::now();
        if now.millis() < EARLIEST {
            self.fault("clock", format!("it says {now}, which is past"));
        } else {
            self.ok("clock", now);
        }
    }

    fn settings(&mut self) {
        const WHAT: &str = "settings";
        let faults = settings::faults();
        let unknown = settings::unknown_variables();
        if faults.is_empty() && unknown.is_empty() {
            self.ok(WHAT, "the environment says nothing that cannot be read");
        }
        for fault in faults {
            self.fault(WHAT, fault);
        }
        for Unknown { name, hint } in unknown {
            let text = format!("{name} is not a setting{hint}");
            // One that is near a setting was meant to be it.
            if hint.is_empty() { self.warning(WHAT, text) } else { self.fault(WHAT, text) }
        }
    }

    fn files(&mut self) {
        match process::raise_open_files() {
            Some(files) if files < FEW_FILES => {
                self.warning("open files", format!("{files} at most, and each connection is one (ulimit -n)"));
            }
            Some(files) => self.ok("open files", format!("{files} at most")),
            None => self.ok("open files", "as many as there are"),
        }
    }

    fn data_directory(&mut self, directory: &Path) -> anyhow::Result<()> {
        const WHAT: &str = "data directory";
        let shown = directory.display();
        match fs::metadata(directory) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {
                self.ok(WHAT, format!("{shown} will be made"));
                return Ok(());
            }
            Err(error) => {
                self.fault(WHAT, format!("{shown} cannot be read: {error}"));
                return Ok(());
            }
        }
        if let Err(error) = tempfile::tempfile_in(directory) {
            self.fault(WHAT, format!("{shown} cannot be written: {error}"));
            return Ok(());
        }
        let mode = fs::metadata(directory)?.permissions().mode() & 0o777;
        if mode & 0o077 == 0 {
            self.ok(WHAT, format!("{shown}, mode {mode:04o}"));
        } else {
            self.warning(WHAT, format!("{shown} is open to others, mode {mode:04o}: chmod 700"));
        }
        let room = process::free_bytes(directory)?;
        let text = format!("{} MiB are free in {shown}", room >> 20);
        match room {
            0..NO_ROOM => self.fault("disk", text),
            NO_ROOM..LITTLE_ROOM => self.warning("disk", text),
            _ => self.ok("disk", text),
        }
        Ok(())
    }

    /// A file that nobody else may read; `remedy` is what helps when somebody could.
    fn private_file(&mut self, what: &str, file: &Path, remedy: &str) -> anyhow::Result<()> {
        let mode = match fs::metadata(file) {
            Ok(found) => found.permissions().mode() & 0o777,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => {
                self.fault(what, format!("{} cannot be read: {error}", file.display()));
                return Ok(());
            }
        };
        if mode & 0o077 == 0 {
            self.ok(what, format!("{}, mode {mode:04o}", file.display()));
        } else {
            let text = format!("others may read {}, mode {mode:04o}: chmod 600, and {remedy}", file.display());
            self.fault(what, text);
        }
        Ok(())
    }

    fn database(&mut self, storage: &Storage, keys: &SecretsKey) -> anyhow::Result<()> {
        const WHAT: &str = "database";
        let url = storage.url();
        let shown = url.without_password();
        if let DatabaseUrl::Sqlite(path) = &url {
            match path.try_exists() {
                Ok(true) => {}
                Ok(false) => {
                    self.ok(WHAT, format!("{shown} will be made"));
                    return Ok(());
                }
                Err(error) => {
                    self.fault(WHAT, format!("{shown} cannot be read: {error}"));
                    return Ok(());
                }
            }
            if let Err(error) = OpenOptions::new().append(true).open(path) {
                self.fault(WHAT, format!("{shown} cannot be written: {error}"));
                return Ok(());
            }
            let mode = fs::metadata(path)?.permissions().mode() & 0o777;
            if mode & 0o077 != 0 {
                self.warning(WHAT, format!("others may read {}, mode {mode:04o}: chmod 600", path.display()));
            }
            self.warn_of_write_ahead_log(path);
        }
        match db::inspect(&url, storage.connections, &domains::migrations()) {
            Ok(found) => {
                for fault in &found.faults {
                    self.fault(WHAT, format!("{shown}: {fault}"));
                }
                if found.faults.is_empty() {
                    self.ok(WHAT, format!("{shown} ({}); what is acknowledged is durable", found.server));
                }
                if found.is_empty && matches!(url, DatabaseUrl::Sqlite(_)) {
                    let why = "the next start makes it anew, or it was copied without its -wal";
                    self.warning(WHAT, format!("{shown} is empty: {why}"));
                }
                if found.faults.is_empty()
                    && !found.is_empty
                    && let Err(error) = keys.check_against_database(storage)
                {
                    self.fault("key of secrets", format!("{error:#}"));
                }
                let skew = found.clock.map_or(0, |clock| (clock - api::clock::now().millis()).abs());
                if skew > SKEW {
                    self.warning("clock", format!("that of the database differs by {} seconds", skew / 1000));
                }
            }
            Err(error) => self.fault(WHAT, format!("{shown}: {}", error.to_string().trim())),
        }
        Ok(())
    }

    /// What is in the log beside a SQLite file is not in the file.
    fn warn_of_write_ahead_log(&mut self, path: &Path) {
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        let bytes = fs::metadata(&log).map_or(0, |found| found.len());
        if bytes > 0 {
            let log = Path::new(&log).display();
            let kib = bytes.div_ceil(1024);
            let text = format!(
                "a part of it is in {log} ({kib} KiB), while the service runs or after it was killed: a copy of the \
                 file alone lacks that; muster backup copies all"
            );
            self.warning("database", text);
        }
    }

    fn listening(&mut self, listen: &crate::command_line::Listen) -> anyhow::Result<()> {
        const WHAT: &str = "address";
        if let Err(error) = listen.check() {
            self.fault(WHAT, error);
            return Ok(());
        }
        match TcpListener::bind(listen.listen) {
            Ok(_) => self.ok(WHAT, format!("{} is free", listen.listen)),
            Err(error) => self.fault(WHAT, format!("{}: {error}", listen.listen)),
        }
        Ok(())
    }

    fn certificate(&mut self, listen: &crate::command_line::Listen) -> anyhow::Result<()> {
        const WHAT: &str = "certificate";
        let certificate = match listen.certificate() {
            Ok(Some(certificate)) => certificate,
            Ok(None) => return Ok(()),
            Err(error) => {
                self.fault(WHAT, format!("{error:#}"));
                return Ok(());
            }
        };
        match certificate.ends() {
            Some(end) if end <= api::clock::now() => self.fault(WHAT, format!("it ended at {end}")),
            Some(end) if end.millis() - api::clock::now().millis() < RENEW => {
                self.warning(WHAT, format!("it ends soon, at {end}"));
            }
            Some(end) => self.ok(WHAT, format!("belongs to its key, until {end}")),
            None => self.ok(WHAT, "belongs to its key"),
        }
        Ok(())
    }
}
