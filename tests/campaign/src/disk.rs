//! A disk that loses power and makes mistakes: the library of `disk/`, compiled here and preloaded into the service.

use std::{
    fs::{self, File},
    os::unix::fs::FileExt as _,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use tempfile::TempDir;

/// Calls that write, sync, or change the entries of a directory.
pub const WRITES: u64 = 1;
pub const SYNCS: u64 = 2;
pub const NAMES: u64 = 4;

/// What the calls fail with.
pub const EIO: u64 = rustix::io::Errno::IO.raw_os_error() as u64;
pub const ENOSPC: u64 = rustix::io::Errno::NOSPC.raw_os_error() as u64;

/// The shared numbers, in the order of `struct control` in `disk/state.h`.
#[derive(Clone, Copy)]
pub enum Number {
    Calls,
    CutAt,
    Seed,
    FaultAfter,
    FaultCount,
    FaultError,
    FaultKinds,
    Faults,
    Lies,
    Done,
    PagesLost,
    NamesLost,
}

/// The library, and the file through which it is told what to do.
pub struct Disk {
    folder: TempDir,
    control: File,
}

impl Disk {
    /// Compiles the library.
    pub fn new() -> Result<Self> {
        ensure!(cfg!(target_os = "linux"), "the library that cuts the power is written for Linux");
        let folder = tempfile::Builder::new().prefix("muster-campaign-").tempdir()?;
        let path = |name: &str| folder.path().join(name);
        fs::write(path("state.h"), include_str!("disk/state.h"))?;
        fs::write(path("calls.c"), include_str!("disk/calls.c"))?;
        fs::create_dir(path("aside"))?;
        let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
        let mut command = Command::new(&compiler);
        command.args(["-shared", "-fPIC", "-O2", "-pthread", "-Wall", "-Wextra", "-o"]);
        let made = command.arg(path("disk.so")).arg(path("calls.c")).output().context(compiler)?;
        ensure!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        fs::write(path("control"), [0_u8; 4096])?;
        let control = File::options().read(true).write(true).open(path("control"))?;
        Ok(Self { folder, control })
    }

    /// What a program needs in its environment to have `directory` on this disk.
    pub fn environment(&self, directory: &Path) -> Vec<(String, String)> {
        let path = |name: &str| self.folder.path().join(name).display().to_string();
        let variables = [
            ("LD_PRELOAD", path("disk.so")),
            ("CAMPAIGN_DISK_CONTROL", path("control")),
            ("CAMPAIGN_DISK_ASIDE", path("aside")),
            ("CAMPAIGN_DISK_DIRECTORY", directory.display().to_string()),
        ];
        variables.map(|(name, value)| (name.to_owned(), value)).to_vec()
    }

    /// Back to a disk without faults, for the next start.
    pub fn reset(&self) -> Result<()> {
        Ok(self.control.write_all_at(&[0; 4096], 0)?)
    }

    pub fn set(&self, number: Number, value: u64) -> Result<()> {
        Ok(self.control.write_all_at(&value.to_ne_bytes(), number as u64 * 8)?)
    }

    pub fn get(&self, number: Number) -> Result<u64> {
        let mut bytes = [0; 8];
        self.control.read_exact_at(&mut bytes, number as u64 * 8)?;
        Ok(u64::from_ne_bytes(bytes))
    }

    /// Lets `after` calls of the kinds through, then `count` of them fail with `error`.
    pub fn fail(&self, kinds: u64, error: u64, after: u64, count: u64) -> Result<()> {
        self.set(Number::FaultKinds, kinds)?;
        self.set(Number::FaultError, error)?;
        self.set(Number::FaultAfter, after)?;
        self.set(Number::FaultCount, count)
    }

    /// Waits until a number is at least so large; answers whether it became so.
    pub fn wait(&self, number: Number, least: u64, limit: Duration) -> Result<bool> {
        let deadline = Instant::now() + limit;
        while self.get(number)? < least {
            if Instant::now() >= deadline {
                return Ok(false);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(true)
    }

    /// What the last cut took back: pages, and entries of directories.
    pub fn taken_back(&self) -> Result<u64> {
        Ok(self.get(Number::PagesLost)? + self.get(Number::NamesLost)?)
    }
}
