//! Interruptions under mixed writes: kills, power cuts, failing calls, a full disk.

use std::{
    process::Stdio,
    thread::sleep,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use muster_tests::{Backend, Exit, Guard, Server, muster};
use serde_json::json;

use crate::{
    check::{PageRows, check},
    dice::Dice,
    disk::{Disk, EIO, ENOSPC, NAMES, Number, SYNCS, WRITES},
    figures::{Broken, Figures},
    options::{Kind, Options},
    workload::{Place, WriterLog},
};

/// After so many rounds a new service on an empty database goes on, so that the last rounds are as quick as the first.
const ROUNDS_OF_A_SERVICE: usize = 50;
/// What a service under writes does long before.
const SOON: Duration = Duration::from_secs(20);

/// Runs all rounds of a kind.
pub fn run(kind: Kind, backend: Backend, options: &Options, figures: &mut Figures) -> Result<()> {
    let rounds: Vec<usize> = (0..options.rounds(kind)).collect();
    for series in rounds.chunks(ROUNDS_OF_A_SERVICE) {
        let mut server = Server::start(backend);
        let disk = if kind == Kind::Kills { None } else { Some(Disk::new()?) };
        if let Some(disk) = &disk {
            server.set_environment(disk.environment(&server.data_dir()));
            server.restart();
        }
        let mut all_found = Vec::new();
        for round in series {
            figures.rounds += 1;
            let place = Place::new(&server.new_client());
            let tenant = place.client.tenant_id().to_owned();
            let dice = Dice::new(options.seed, kind as usize, *round);
            let mut turn = Turn { server: &mut server, place, dice, figures, control: options.control };
            let found = match (kind, &disk) {
                (Kind::Cuts, Some(disk)) => turn.power_cut(disk)?,
                (Kind::Faults, Some(disk)) => turn.faults(disk)?,
                (Kind::FullDisk, Some(disk)) => turn.full_disk(disk)?,
                _ => turn.kill()?,
            };
            figures.memory(server.peak_kib());
            all_found.push((tenant, found));
        }
        // What was there after its own round is there after all the others.
        for (tenant, found) in all_found {
            let same = PageRows::of(&server.admin().tenant(&tenant)) == found;
            figures.expect(same, Broken::Lost, || format!("{tenant} is another after later rounds"));
        }
        figures.memory(server.peak_kib());
        if backend == Backend::Sqlite {
            whole_file(&server, figures)?;
        }
    }
    Ok(())
}

/// The file itself is in order: a backup checks every page of its copy.
fn whole_file(server: &Server, figures: &mut Figures) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let mut command = muster();
    command.args(["backup", "--data-dir"]).arg(server.data_dir()).arg(folder.path().join("copy.sqlite"));
    let exit = Exit::within(Duration::from_secs(120), &mut command);
    figures.expect(exit.status.success(), Broken::HalfDone, || format!("the database: {}", exit.stderr));
    Ok(())
}

/// One round.
struct Turn<'t> {
    server: &'t mut Server,
    place: Place,
    dice: Dice,
    figures: &'t mut Figures,
    control: bool,
}

impl Turn<'_> {
    /// SIGKILL at any moment.
    fn kill(&mut self) -> Result<PageRows> {
        let after = Duration::from_millis(self.dice.of(100..900));
        let server = &mut *self.server;
        let all = self.place.write(&mut self.dice, || {
            sleep(after);
            server.kill9();
            Ok(())
        })?;
        self.count(&all);
        self.start_again();
        Ok(check(&self.place, &all, !self.control, self.figures))
    }

    /// The power is cut at any call that writes, syncs or names a file; in one round of four once more at the next
    /// start.
    fn power_cut(&mut self, disk: &Disk) -> Result<PageRows> {
        let after = Duration::from_millis(self.dice.of(50..400));
        let calls = self.dice.of(1..200);
        let seed = self.what_outlasts_the_cut();
        disk.set(Number::Lies, self.control.into())?;
        let server = &mut *self.server;
        let all = self.place.write(&mut self.dice, || {
            sleep(after);
            cut(server, disk, calls, seed)
        })?;
        self.count(&all);
        self.figures.injected += disk.taken_back()?;
        if self.dice.of(0..4) == 0 {
            self.cut_during_start(disk)?;
        }
        disk.reset()?;
        self.start_again();
        Ok(check(&self.place, &all, true, self.figures))
    }

    /// A start whose power is cut at one of its first calls.
    fn cut_during_start(&mut self, disk: &Disk) -> Result<()> {
        disk.reset()?;
        disk.set(Number::Seed, self.dice.next())?;
        disk.set(Number::CutAt, self.dice.of(1..20))?;
        let program = Guard::spawn(self.server.serve_command().stdout(Stdio::null()).stderr(Stdio::null()));
        // A start that makes fewer calls is killed.
        disk.wait(Number::Done, 1, Duration::from_secs(1))?;
        self.figures.memory(program.peak_kib());
        drop(program);
        if disk.get(Number::Calls)? >= disk.get(Number::CutAt)? {
            ensure!(disk.wait(Number::Done, 1, SOON)?, "the power cut of a start does not end");
        }
        self.figures.injected += disk.taken_back()?;
        Ok(())
    }

    /// Some calls fail while the service runs, and it goes on; then the power is cut.
    fn faults(&mut self, disk: &Disk) -> Result<PageRows> {
        let kinds = self.dice.pick(&[WRITES, SYNCS, WRITES | SYNCS | NAMES]);
        let error = self.dice.pick(&[EIO, ENOSPC]);
        let count = self.dice.pick(&[1, 1, 2, 5, 30]);
        let before = Duration::from_millis(self.dice.of(20..200));
        let calls = self.dice.of(0..100);
        disk.set(Number::Lies, self.control.into())?;
        let all = self.place.write(&mut self.dice, || {
            sleep(before);
            disk.fail(kinds, error, calls, count)?;
            disk.wait(Number::Faults, count, SOON)?;
            disk.set(Number::FaultCount, 0)?;
            sleep(Duration::from_millis(100));
            Ok(())
        })?;
        self.recovers(disk, &all)
    }

    /// Nothing can be written for a while; what only reads goes on. Then the power is cut.
    fn full_disk(&mut self, disk: &Disk) -> Result<PageRows> {
        let before = Duration::from_millis(self.dice.of(20..200));
        let full = Duration::from_millis(self.dice.of(300..1000));
        disk.set(Number::Lies, self.control.into())?;
        let server = &*self.server;
        let figures = &mut *self.figures;
        let reader = self.place.client.clone();
        let all = self.place.write(&mut self.dice, || {
            sleep(before);
            disk.fail(WRITES | NAMES, ENOSPC, 0, u64::MAX)?;
            let until = Instant::now() + full;
            while Instant::now() < until {
                for answer in [server.get("/health/live"), reader.get("/sites/minimal")] {
                    figures.expect(answer.status == 200, Broken::FieldErrors, || {
                        format!("while the disk is full: {answer}")
                    });
                }
                sleep(Duration::from_millis(50));
            }
            disk.set(Number::FaultCount, 0)?;
            sleep(Duration::from_millis(100));
            Ok(())
        })?;
        self.recovers(disk, &all)
    }

    /// After faults the same process takes writes again and has what it acknowledged, on the disk too.
    fn recovers(&mut self, disk: &Disk, all: &[WriterLog]) -> Result<PageRows> {
        self.count(all);
        let faults = disk.get(Number::Faults)?;
        self.figures.injected += faults;
        self.figures.expect(faults > 0, Broken::FieldErrors, || "no call failed".to_owned());
        let site = |client: &muster_tests::Client| {
            client.request("POST", "/sites").json(&json!({"name": muster_tests::unique("site")})).try_send()
        };
        let until = Instant::now() + SOON;
        while site(&self.place.client).context("the service is gone")?.status != 200 {
            if Instant::now() > until {
                self.figures.found(Broken::FieldErrors, "writes are still refused long after the faults");
                break;
            }
            sleep(Duration::from_millis(20));
        }
        let before = check(&self.place, all, true, self.figures);
        let calls = self.dice.of(1..20);
        let seed = self.what_outlasts_the_cut();
        let server = &mut *self.server;
        let writer = self.place.client.clone();
        std::thread::scope(|scope| {
            // The cut comes at a call, so somebody has to write.
            scope.spawn(move || while site(&writer).is_ok() {});
            cut(server, disk, calls, seed)
        })?;
        disk.reset()?;
        self.start_again();
        let after = PageRows::of(&self.place.client);
        self.figures.expect(after == before, Broken::Lost, || "something is gone after the power cut".to_owned());
        Ok(after)
    }

    /// The seed of what outlasts a cut that was not synced: in one round of four, and where the promise is broken on
    /// purpose, nothing.
    fn what_outlasts_the_cut(&mut self) -> u64 {
        if self.dice.of(0..4) == 0 || self.control { 0 } else { self.dice.next() }
    }

    fn count(&mut self, all: &[WriterLog]) {
        all.iter().for_each(|written| self.figures.add(&written.figures));
    }

    fn start_again(&mut self) {
        let begun = Instant::now();
        self.server.restart();
        self.figures.starts.push(begun.elapsed());
        self.place.client = self.server.admin().tenant(self.place.client.tenant_id());
    }
}

/// Cuts the power at the call that comes after so many, and waits until what was not synced is gone.
fn cut(server: &mut Server, disk: &Disk, calls: u64, seed: u64) -> Result<()> {
    // A process that lost its power does not say any more what it took.
    server.peak_kib();
    disk.set(Number::Seed, seed)?;
    disk.set(Number::CutAt, disk.get(Number::Calls)? + calls)?;
    let done = disk.wait(Number::Done, 1, SOON)?;
    server.kill9();
    ensure!(done, "the service made no call at which the power could be cut");
    Ok(())
}
