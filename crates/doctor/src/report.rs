//! A report, and what is found of the machine and of files.

use std::{
    fmt::Display,
    fs,
    io::{self, ErrorKind},
    os::unix::fs::PermissionsExt as _,
    path::Path,
};

use base::timestamp::{DAY_MS, Timestamp};

/// A certificate that ends sooner than this is worth a warning.
const RENEW: i64 = 21 * DAY_MS;

/// Midnight of 1 January 2026: no clock that goes right says less.
const EARLIEST: i64 = 1_767_225_600_000;

/// Fewer open files than this are few for a server.
const FEW_FILES: u64 = 4096;

/// Less room than this on the disk of the data is a fault, and less than the second a warning.
const NO_ROOM: u64 = 64 << 20;
const LITTLE_ROOM: u64 = 1 << 30;

/// How bad something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// It is well.
    Good,
    /// It is worth a look.
    Warning,
    /// It is wrong.
    Fault,
}

/// What was found so far.
#[derive(Default)]
pub struct Report(Vec<(Severity, String)>);

impl Report {
    /// Adds that something is well.
    pub fn good(&mut self, what: &str, text: impl Display) {
        self.add(Severity::Good, what, text);
    }

    /// Adds that something is worth a look.
    pub fn warning(&mut self, what: &str, text: impl Display) {
        self.add(Severity::Warning, what, text);
    }

    /// Adds that something is wrong.
    pub fn fault(&mut self, what: &str, text: impl Display) {
        self.add(Severity::Fault, what, text);
    }

    /// Adds a finding.
    pub fn add(&mut self, severity: Severity, what: &str, text: impl Display) {
        let word = match severity {
            Severity::Good => "ok   ",
            Severity::Warning => "warn ",
            Severity::Fault => "FAIL ",
        };
        self.0.push((severity, format!("{word} {what}: {text}")));
    }

    /// The findings, a line each.
    pub fn lines(&self) -> String {
        self.0.iter().map(|(_, line)| line.as_str()).collect::<Vec<_>>().join("\n")
    }

    /// How many findings are so bad.
    pub fn count(&self, severity: Severity) -> usize {
        self.0.iter().filter(|(found, _)| *found == severity).count()
    }

    /// The worst of the findings.
    pub fn worst(&self) -> Severity {
        self.0.iter().map(|(severity, _)| *severity).max().unwrap_or(Severity::Good)
    }

    /// Does the clock say a time that can be?
    pub fn clock(&mut self, now: Timestamp) {
        if now.millis() < EARLIEST {
            self.fault("clock", format!("it says {now}, which is past"));
        } else {
            self.good("clock", now);
        }
    }

    /// May the process have enough files open? `None` for any number.
    pub fn open_files(&mut self, most: Option<u64>) {
        match most {
            Some(files) if files < FEW_FILES => {
                self.warning("open files", format!("{files} at most, and each connection is one (ulimit -n)"));
            }
            Some(files) => self.good("open files", format!("{files} at most")),
            None => self.good("open files", "as many as there are"),
        }
    }

    /// Is a certificate, which begins and ends then, in date?
    pub fn certificate(&mut self, begins: Option<Timestamp>, ends: Option<Timestamp>, now: Timestamp) {
        const WHAT: &str = "certificate";
        if let Some(begin) = begins.filter(|begin| *begin > now) {
            return self.fault(WHAT, format!("it is not valid before {begin}: clients refuse it until then"));
        }
        match ends {
            Some(end) if end <= now => self.fault(WHAT, format!("it ended at {end}")),
            Some(end) if end.millis() - now.millis() < RENEW => {
                self.warning(WHAT, format!("it ends soon, at {end}"));
            }
            Some(end) => self.good(WHAT, format!("belongs to its key, until {end}")),
            None => self.good(WHAT, "belongs to its key"),
        }
    }

    /// Is the directory there, writable, and its owner's alone, and is there room on its disk? `missing` is how bad it
    /// is when it is not there.
    ///
    /// # Errors
    /// When it cannot be looked at.
    pub fn data_directory(&mut self, directory: &Path, missing: Severity) -> io::Result<()> {
        const WHAT: &str = "data directory";
        let shown = directory.display();
        match fs::metadata(directory) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let text = match missing {
                    Severity::Good => format!("{shown} will be made"),
                    _ => format!("{shown} is not there: name another if it is mistyped; muster serve will make it"),
                };
                self.add(missing, WHAT, text);
                return self.disk("disk", directory);
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
        self.disk("disk", directory)
    }

    /// Is there room on the disk of a directory, or of the nearest one above it that is there?
    pub(crate) fn disk(&mut self, what: &str, directory: &Path) -> io::Result<()> {
        let directory = std::path::absolute(directory)?;
        let there = directory.ancestors().find(|path| path.exists()).unwrap_or(&directory);
        let room = free_bytes(there)?;
        let text = format!("{} MiB are free in {}", room >> 20, there.display());
        match room {
            0..NO_ROOM => self.fault(what, text),
            NO_ROOM..LITTLE_ROOM => self.warning(what, text),
            _ => self.good(what, text),
        }
        Ok(())
    }

    /// A file that nobody else may read ([`db::is_private`]); `remedy` is what helps when somebody could.
    pub fn private_file(&mut self, what: &str, file: &Path, remedy: &str) {
        let found = match fs::metadata(file) {
            Ok(found) => found,
            Err(error) if error.kind() == ErrorKind::NotFound => return,
            Err(error) => {
                self.fault(what, format!("{} cannot be read: {error}", file.display()));
                return;
            }
        };
        let mode = found.permissions().mode() & 0o777;
        if db::is_private(&found) {
            self.good(what, format!("{}, mode {mode:04o}", file.display()));
        } else {
            let text = format!("others may read {}, mode {mode:04o}: chmod 600, and {remedy}", file.display());
            self.fault(what, text);
        }
    }
}

/// Bytes that may still be written where this path is.
fn free_bytes(path: &Path) -> io::Result<u64> {
    let found = rustix::fs::statvfs(path)?;
    Ok(found.f_bavail.saturating_mul(found.f_frsize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_is_valid_neither_before_its_beginning_nor_after_its_end() {
        let now = Timestamp::parse("2026-11-27T20:45:00Z").unwrap();
        let in_days = |days: i64| Some(Timestamp::from_millis(now.millis() + days * DAY_MS));
        let worst = |begins, ends| {
            let mut report = Report::default();
            report.certificate(begins, ends, now);
            report.worst()
        };
        assert_eq!(worst(in_days(-1), in_days(90)), Severity::Good);
        assert_eq!(worst(None, None), Severity::Good);
        assert_eq!(worst(in_days(10), in_days(90)), Severity::Fault);
        assert_eq!(worst(in_days(-90), in_days(-1)), Severity::Fault);
        assert_eq!(worst(in_days(-90), in_days(20)), Severity::Warning);
    }
}
