//! First starts that are cut off, by a power cut or a kill, several times in a row: the one that is left alone makes a
//! service that works, and somebody has the admin key.

use std::{
    fs::{self, File},
    path::PathBuf,
    process::{Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use muster_tests::{Backend, Guard, fresh_database, http, muster};
use tempfile::TempDir;

use crate::{
    dice::Dice,
    disk::{Disk, Number},
    figures::{Broken, Figures},
    options::{Kind, Options},
};

/// How long a start may take.
const LIMIT: Duration = Duration::from_secs(30);
/// A first start is interrupted so often at most.
const MOST_CUTS: u64 = 3;

/// Runs all rounds.
pub fn run(backend: Backend, options: &Options, figures: &mut Figures) -> Result<()> {
    let disk = if backend == Backend::Sqlite { Some(Disk::new()?) } else { None };
    // How long an undisturbed one takes, and how many calls it makes.
    let begun = Instant::now();
    let place = Place::new(backend)?;
    place.start(disk.as_ref(), figures)?;
    let time = begun.elapsed();
    let calls = disk.as_ref().map_or(Ok(0), |disk| disk.get(Number::Calls))?;
    ensure!(calls > 0 || disk.is_none(), "the library sees no call of the program");
    for round in 0..options.rounds(Kind::Starts) {
        figures.rounds += 1;
        let mut dice = Dice::new(options.seed, Kind::Starts as usize, round);
        let place = Place::new(backend)?;
        for _ in 0..dice.of(1..MOST_CUTS + 1) {
            match &disk {
                Some(disk) if dice.of(0..3) > 0 => {
                    disk.reset()?;
                    disk.set(Number::Seed, dice.next())?;
                    disk.set(Number::CutAt, dice.of(1..calls + 1))?;
                    let program = Guard::spawn(&mut place.command(Some(disk))?);
                    // A later start makes fewer calls. It is killed.
                    disk.wait(Number::Done, 1, time)?;
                    figures.memory(program.peak_kib());
                    drop(program);
                    if disk.get(Number::Calls)? >= disk.get(Number::CutAt)? {
                        ensure!(disk.wait(Number::Done, 1, LIMIT)?, "the power cut of a start does not end");
                    }
                    figures.injected += disk.taken_back()?;
                }
                _ => {
                    let program = Guard::spawn(&mut place.command(None)?);
                    sleep(Duration::from_micros(dice.of(0..time.as_micros() as u64)));
                    figures.memory(program.peak_kib());
                    drop(program);
                }
            }
        }
        let begun = Instant::now();
        place.start(None, figures)?;
        figures.starts.push(begun.elapsed());
    }
    Ok(())
}

/// Where a service starts for the first time.
struct Place {
    folder: TempDir,
    database: Option<String>,
}

impl Place {
    fn new(backend: Backend) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("muster-campaign-").tempdir()?;
        // The directory itself is there: what is tested is what comes into it.
        fs::create_dir(folder.path().join("data"))?;
        Ok(Self { folder, database: (backend == Backend::Postgres).then(fresh_database) })
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn printed(&self) -> PathBuf {
        self.folder.path().join("printed")
    }

    fn command(&self, disk: Option<&Disk>) -> Result<Command> {
        let mut command = muster();
        command.args(["serve", "--listen", "127.0.0.1:0", "--data-dir"]).arg(self.data());
        if let Some(url) = &self.database {
            command.args(["--database-url", url]);
        }
        command.envs(disk.map(|disk| disk.environment(&self.data())).unwrap_or_default());
        command.stdout(File::create(self.printed())?);
        command.stderr(File::create(self.folder.path().join("logged"))?);
        Ok(command)
    }

    /// Starts it undisturbed, and signs in with the key that it made.
    fn start(&self, disk: Option<&Disk>, figures: &mut Figures) -> Result<()> {
        disk.map_or(Ok(()), Disk::reset)?;
        let mut command = self.command(disk)?;
        let mut program = Guard::spawn(command.stdin(Stdio::null()));
        let until = Instant::now() + LIMIT;
        let base = loop {
            if let Some(base) = self.listens_at() {
                break base;
            }
            let ended = program.process().try_wait()?;
            if ended.is_some() || Instant::now() > until {
                let log = fs::read_to_string(self.folder.path().join("logged")).unwrap_or_default();
                figures
                    .found(Broken::FieldErrors, format!("a start that was cut off is not made good: {ended:?} {log}"));
                return Ok(());
            }
            sleep(Duration::from_millis(5));
        };
        figures.requests += 1;
        match self.sign_in(&base) {
            Ok(200) => figures.acknowledged += 1,
            Ok(status) => figures.found(Broken::Lost, format!("the first key is answered {status}")),
            Err(error) => figures.found(Broken::Lost, format!("the first key: {error:#}")),
        }
        figures.memory(program.peak_kib());
        Ok(())
    }

    fn listens_at(&self) -> Option<String> {
        let printed = fs::read_to_string(self.printed()).ok()?;
        let line = printed.lines().find(|line| line.contains("http://127.0.0.1:"))?;
        line.split_whitespace().find(|word| word.starts_with("http://")).map(str::to_owned)
    }

    /// Asks for a token with what `credentials.env` says; gives the status.
    fn sign_in(&self, base: &str) -> Result<u16> {
        let text = fs::read_to_string(self.data().join("credentials.env")).context("credentials.env")?;
        let value = |ending: &str| {
            let mut lines = text.lines().filter_map(|line| line.split_once('='));
            lines.find(|(name, _)| name.ends_with(ending)).map_or("", |(_, value)| value)
        };
        let form =
            format!("grant_type=client_credentials&client_id={}&client_secret={}", value("KEY"), value("SECRET"));
        let url = format!("{base}/auth/oauth/token");
        let request = http().post(url).header("Content-Type", "application/x-www-form-urlencoded");
        Ok(request.body(form).send()?.status().as_u16())
    }
}
