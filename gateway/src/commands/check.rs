//! `muster check`: what is wrong with a configuration, before the service starts with it.

use std::{
    fmt::Display,
    fs::{self, OpenOptions},
    io::ErrorKind,
    net::TcpListener,
    os::unix::fs::PermissionsExt as _,
    path::Path,
};

use anyhow::bail;
use db::DatabaseUrl;

use super::print;
use crate::{cli::Check, domains, first_run, keys::Source, process};

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
    report.files();
    report.data_directory(&storage.data_dir)?;
    report.private("first credentials", &first_run::credentials_file(&storage.data_dir), "rotate the key")?;
    if let Source::File(path) = keys.source(storage) {
        report.private("key of secrets", &path, "run muster secrets rotate twice")?;
    }
    if let Err(error) = first_run::given() {
        report.fault("first key", format!("{error:#}"));
    }
    if let Err(error) = keys.check(storage) {
        report.fault("key of secrets", format!("{error:#}"));
    }
    report.database(&storage.url(), storage.connections)?;
    report.listening(listen)?;
    report.certificate(listen)?;
    report.end()
}

/// What was found so far. Warnings are said, and are no failure.
#[derive(Default)]
struct Report {
    lines: Vec<String>,
    faults: usize,
}

impl Report {
    fn good(&mut self, what: &str, text: impl Display) {
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
            self.good("clock", now);
        }
    }

    fn files(&mut self) {
        match process::raise_open_files() {
            Some(files) if files < FEW_FILES => {
                self.warning("open files", format!("{files} at most, and each connection is one (ulimit -n)"));
            }
            Some(files) => self.good("open files", format!("{files} at most")),
            None => self.good("open files", "as many as there are"),
        }
    }

    fn data_directory(&mut self, directory: &Path) -> anyhow::Result<()> {
        const WHAT: &str = "data directory";
        let shown = directory.display();
        match fs::metadata(directory) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {
                self.good(WHAT, format!("{shown} will be made"));
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
            self.good(WHAT, format!("{shown}, mode {mode:04o}"));
        } else {
            self.warning(WHAT, format!("{shown} is open to others, mode {mode:04o}: chmod 700"));
        }
        let room = process::free_bytes(directory)?;
        let text = format!("{} MiB are free in {shown}", room >> 20);
        match room {
            0..NO_ROOM => self.fault("disk", text),
            NO_ROOM..LITTLE_ROOM => self.warning("disk", text),
            _ => self.good("disk", text),
        }
        Ok(())
    }

    /// A file that nobody else may read; `remedy` is what helps when somebody could.
    fn private(&mut self, what: &str, file: &Path, remedy: &str) -> anyhow::Result<()> {
        let mode = match fs::metadata(file) {
            Ok(found) => found.permissions().mode() & 0o777,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => {
                self.fault(what, format!("{} cannot be read: {error}", file.display()));
                return Ok(());
            }
        };
        if mode & 0o077 == 0 {
            self.good(what, format!("{}, mode {mode:04o}", file.display()));
        } else {
            let text = format!("others may read {}, mode {mode:04o}: chmod 600, and {remedy}", file.display());
            self.fault(what, text);
        }
        Ok(())
    }

    fn database(&mut self, url: &DatabaseUrl, connections: u32) -> anyhow::Result<()> {
        const WHAT: &str = "database";
        let shown = url.without_password();
        if let DatabaseUrl::Sqlite(path) = url {
            match path.try_exists() {
                Ok(true) => {}
                Ok(false) => {
                    self.good(WHAT, format!("{shown} will be made"));
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
        }
        match db::inspect(url, connections, &domains::migrations()) {
            Ok(found) => {
                for fault in &found.faults {
                    self.fault(WHAT, format!("{shown}: {fault}"));
                }
                if found.faults.is_empty() {
                    self.good(WHAT, format!("{shown} ({}); what is acknowledged is durable", found.server));
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

    fn listening(&mut self, listen: &crate::cli::Listen) -> anyhow::Result<()> {
        const WHAT: &str = "address";
        if let Err(error) = listen.check() {
            self.fault(WHAT, error);
            return Ok(());
        }
        match TcpListener::bind(listen.listen) {
            Ok(_) => self.good(WHAT, format!("{} is free", listen.listen)),
            Err(error) => self.fault(WHAT, format!("{}: {error}", listen.listen)),
        }
        Ok(())
    }

    fn certificate(&mut self, listen: &crate::cli::Listen) -> anyhow::Result<()> {
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
            Some(end) => self.good(WHAT, format!("belongs to its key, until {end}")),
            None => self.good(WHAT, "belongs to its key"),
        }
        Ok(())
    }
}
