//! What the command line asks for.

use anyhow::{Context as _, Result, bail};
use muster_tests::Backend;

/// What `--help` prints.
pub const HELP: &str = "\
Breaks the service on purpose, again and again, and looks for what it had acknowledged.

usage: campaign [--kind KIND,...] [--size small|full|N] [--backend sqlite|postgres|both] [--seed N] [--control]
                [--memory MIB]

  --kind      all of these, unless named:
                kills      SIGKILL under mixed writes
                cuts       power cuts under mixed writes and during starts: what was not synced is gone (SQLite)
                faults     writes and syncs that fail with EIO or ENOSPC, then a power cut (SQLite)
                full-disk  a disk without room for a while, then a power cut (SQLite)
                events     incidents become calls of an unreliable receiver, through kills; on Postgres of two gateways,
                           of which one or both are killed, and callers go on at the other
                starts     first starts are cut off by a kill or (SQLite) a power cut; the next one has to work
                schedules  jobs that are due at once on two gateways, one of which is killed (Postgres)
  --size      how often: N interruptions of each kind; small (default) takes about a minute, full some hours
  --backend   both, unless named; kinds that need one database run on that one only
  --seed      repeats the choices of an earlier run, which printed it
  --control   breaks a promise on purpose, and fails unless that is noticed: under cuts, faults and full-disk fsync
              does nothing; in kills and events requests are repeated without their Idempotency-Key
  --memory    fails when a gateway had more resident memory than so many MiB; 256, unless named (measured on Linux)

Exit status 0: nothing was lost, doubled, half done or answered wrongly (with --control: something was, in each kind),
and no gateway had more memory.
Programs that are needed: a C compiler (CC, else cc) for the kinds on SQLite alone, Postgres as for the tests.
";

/// The container that a gateway gets along with, whatever is done to it, of a debug build as of a release build. What
/// it maps of files is counted, though the system could take that back.
const MEMORY_MIB: u64 = 256;

/// What is done to the service.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Kills,
    Cuts,
    Faults,
    FullDisk,
    Events,
    Schedules,
    Starts,
}

impl Kind {
    pub const ALL: [Self; 7] =
        [Self::Kills, Self::Cuts, Self::Faults, Self::FullDisk, Self::Events, Self::Schedules, Self::Starts];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Kills => "kills",
            Self::Cuts => "cuts",
            Self::Faults => "faults",
            Self::FullDisk => "full-disk",
            Self::Events => "events",
            Self::Schedules => "schedules",
            Self::Starts => "starts",
        }
    }

    /// The databases that it can be done to. A power cut of Postgres would test Postgres.
    pub fn runs_on(self, backend: Backend) -> bool {
        match self {
            Self::Kills | Self::Events | Self::Starts => true,
            Self::Cuts | Self::Faults | Self::FullDisk => backend == Backend::Sqlite,
            Self::Schedules => backend == Backend::Postgres,
        }
    }

    /// Whether there is a promise that it could find broken.
    pub fn has_control(self) -> bool {
        !matches!(self, Self::Schedules | Self::Starts)
    }

    /// How often, small and full.
    const fn sizes(self) -> (usize, usize) {
        match self {
            Self::Kills => (3, 1_000),
            Self::Cuts => (4, 1_000),
            Self::Faults => (4, 4_000),
            Self::FullDisk => (1, 100),
            Self::Events => (2, 150),
            Self::Schedules => (2, 70),
            Self::Starts => (5, 300),
        }
    }
}

#[derive(Clone, Copy)]
enum Size {
    Small,
    Full,
    Rounds(usize),
}

/// A run.
pub struct Options {
    pub kinds: Vec<Kind>,
    size: Size,
    pub backends: Vec<Backend>,
    pub seed: u64,
    pub control: bool,
    /// What a gateway may have in memory at most.
    pub memory_mib: u64,
}

impl Options {
    /// Reads the arguments; `None` when they ask for help.
    pub fn read(mut arguments: impl Iterator<Item = String>) -> Result<Option<Self>> {
        let backends = vec![Backend::Sqlite, Backend::Postgres];
        let seed = uuid::Uuid::new_v4().as_u64_pair().0 >> 32;
        let kinds = Kind::ALL.to_vec();
        let mut options = Self { kinds, size: Size::Small, backends, seed, control: false, memory_mib: MEMORY_MIB };
        let mut named = false;
        while let Some(argument) = arguments.next() {
            let (name, inline) = match argument.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                None => (argument, None),
            };
            let mut value =
                || inline.clone().or_else(|| arguments.next()).with_context(|| format!("{name} needs a value"));
            match name.as_str() {
                "--help" | "-h" => return Ok(None),
                "--kind" => {
                    options.kinds = kinds_of(&value()?)?;
                    named = true;
                }
                "--size" => options.size = size(&value()?)?,
                "--backend" => options.backends = backend(&value()?)?,
                "--seed" => options.seed = value()?.parse().context("--seed is a number")?,
                "--control" => options.control = true,
                "--memory" => options.memory_mib = value()?.parse().context("--memory is a number of MiB")?,
                _ => bail!("unknown argument {name}: --help says what there is"),
            }
        }
        if options.control && !named {
            options.kinds.retain(|kind| kind.has_control());
        }
        if let Some(kind) = options.kinds.iter().find(|kind| options.control && !kind.has_control()) {
            bail!("{} has no control run", kind.name());
        }
        Ok(Some(options))
    }

    /// How often one kind interrupts the service.
    pub fn rounds(&self, kind: Kind) -> usize {
        match self.size {
            Size::Small => kind.sizes().0,
            Size::Full => kind.sizes().1,
            Size::Rounds(rounds) => rounds,
        }
    }
}

fn kinds_of(text: &str) -> Result<Vec<Kind>> {
    let kind = |name: &str| Kind::ALL.into_iter().find(|kind| kind.name() == name);
    text.split(',').map(|name| kind(name).with_context(|| format!("--kind: there is no {name}"))).collect()
}

fn size(text: &str) -> Result<Size> {
    Ok(match text {
        "small" => Size::Small,
        "full" => Size::Full,
        number => match number.parse() {
            Ok(rounds) if rounds > 0 => Size::Rounds(rounds),
            _ => bail!("--size is small, full or a number from 1"),
        },
    })
}

fn backend(text: &str) -> Result<Vec<Backend>> {
    Ok(match text {
        "sqlite" => vec![Backend::Sqlite],
        "postgres" => vec![Backend::Postgres],
        "both" => vec![Backend::Sqlite, Backend::Postgres],
        _ => bail!("--backend is sqlite, postgres or both"),
    })
}
