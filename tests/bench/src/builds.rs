//! How long it takes to build: from an empty target directory to the first answer of what `make run` starts, one crate
//! from nothing, and what a change of one line costs who works on that crate.
//!
//! All of it is built from a copy of the sources, into a directory of its own, so that nothing of the workspace is
//! touched.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Instant,
};

use anyhow::{Context as _, Result, ensure};

use crate::{
    http::{Connection, request},
    load::median,
    server,
    table::Line,
};

/// The crate that is worked on.
const CRATE: &str = "rosters";

/// Edits for each command.
const ROUNDS: usize = 3;

/// The most seconds to the first answer, from nothing and after an edit; of the crate alone from nothing; and of what
/// is done with it after an edit.
const FIRST_ANSWER: f64 = 240.0;
const NEXT_ANSWER: f64 = 20.0;
const CRATE_ALONE: f64 = 120.0;
const AFTER_AN_EDIT: [(&str, f64); 2] = [("build", 10.0), ("test", 20.0)];

/// What lies beside the sources and is not a part of them.
const NO_SOURCES: [&str; 4] = ["target", ".git", "data", "reports"];

/// All lines; what was built is removed.
pub fn measure(temporary: &Path) -> Result<Vec<Line>> {
    let directory = temporary.join("builds");
    let copy = Copy { sources: directory.join("sources"), directory: directory.clone() };
    copy_sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."), &copy.sources, &NO_SOURCES)?;
    let file = copy.largest_file()?;
    let original = fs::read_to_string(&file)?;
    let mut lines = vec![copy.answer("make run, from an empty target directory to the first answer", FIRST_ANSWER)?];
    edit(&file, &original, "run")?;
    let name = format!("make run, after an edit of one line in {CRATE}, to the first answer");
    lines.push(copy.answer(&name, NEXT_ANSWER)?);
    for (command, target) in AFTER_AN_EDIT {
        lines.push(copy.after_an_edit(command, target, &file, &original)?);
    }
    fs::remove_dir_all(directory.join("target"))?;
    lines.push(copy.alone()?);
    fs::remove_dir_all(&directory)?;
    Ok(lines)
}

/// A copy of the sources, and what is built from it.
struct Copy {
    directory: PathBuf,
    sources: PathBuf,
}

impl Copy {
    /// The commands of `make run`, until what the last one starts has answered.
    fn answer(&self, name: &str, target: f64) -> Result<Line> {
        let data = format!("DATA={}", self.directory.join("data").display());
        let mut make = self.command("make");
        let said = make.args(["-n", "run", &data, "ARGS=--listen 127.0.0.1:0"]).output().context("make")?;
        let said = String::from_utf8(said.stdout)?;
        let (built, started) = said.trim().rsplit_once('\n').context("make run is fewer than two commands")?;
        let begun = Instant::now();
        self.run(self.command("sh").args(["-ec", built]))?;
        let building = begun.elapsed().as_secs_f64();
        let mut serve = self.command("sh");
        serve.args(["-c", &format!("exec {started}")]).stderr(self.log()?);
        let (guard, _stdout, port) =
            server::listen(&mut serve, "http://127.0.0.1:").with_context(|| self.last_words())?;
        Connection::open(port)?.exchange(&request("GET", "/health/ready", "", b""))?.ok()?;
        let all = begun.elapsed().as_secs_f64();
        drop(guard);
        Ok(Line {
            name: name.to_owned(),
            ours: format!("built in {building:.0} s, answers {:.1} s later", all - building),
            theirs: String::new(),
            result: format!("{all:.0} s"),
            target: format!("≤ {target:.0} s"),
            met: Some(all <= target),
        })
    }

    /// The crate alone, without anything that was built before.
    fn alone(&self) -> Result<Line> {
        let time = self.cargo("build")?;
        Ok(Line {
            name: format!("cargo build -p {CRATE}, from an empty target directory"),
            ours: format!("{time:.0} s"),
            theirs: String::new(),
            result: format!("{time:.0} s"),
            target: format!("≤ {CRATE_ALONE:.0} s"),
            met: Some(time <= CRATE_ALONE),
        })
    }

    /// Does it once, and again after each edit of this file.
    fn after_an_edit(&self, command: &str, target: f64, file: &Path, original: &str) -> Result<Line> {
        let first = self.cargo(command)?;
        let mut times = Vec::new();
        for round in 0..ROUNDS {
            edit(file, original, &format!("{command} {round}"))?;
            times.push(self.cargo(command)?);
        }
        let time = median(&times);
        Ok(Line {
            name: format!("cargo {command} -p {CRATE}, after an edit of one line"),
            ours: format!("{time:.1} s, {:.1} s at worst", times.iter().copied().fold(0.0, f64::max)),
            theirs: format!("{first:.1} s (the first time)"),
            result: format!("{time:.1} s"),
            target: format!("≤ {target:.0} s"),
            met: Some(time <= target),
        })
    }

    /// The seconds of a command about the crate.
    fn cargo(&self, command: &str) -> Result<f64> {
        let begun = Instant::now();
        self.run(self.command("cargo").args([command, "-p", CRATE]))?;
        Ok(begun.elapsed().as_secs_f64())
    }

    /// The file of the crate in which most is written.
    fn largest_file(&self) -> Result<PathBuf> {
        let mut files = Vec::new();
        for entry in fs::read_dir(self.sources.join("crates").join(CRATE).join("src"))? {
            let entry = entry?;
            if entry.path().extension().is_some_and(|extension| extension == "rs") {
                files.push((entry.metadata()?.len(), entry.path()));
            }
        }
        Ok(files.into_iter().max().with_context(|| format!("{CRATE} has no sources"))?.1)
    }

    /// A command in the copy. What make and this program's own settings have put into the environment is not for it.
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.sources).env("CARGO_TARGET_DIR", self.directory.join("target"));
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy().into_owned();
            if name.starts_with("MAKE")
                || name.starts_with("MUSTER_")
                || ["MFLAGS", "RUST_TEST_THREADS"].contains(&&*name)
            {
                command.env_remove(name);
            }
        }
        command
    }

    fn run(&self, command: &mut Command) -> Result<()> {
        let log = self.log()?;
        let status = command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).status()?;
        ensure!(status.success(), "{command:?}: {}", self.last_words());
        Ok(())
    }

    fn log(&self) -> Result<File> {
        Ok(File::create(self.directory.join("log"))?)
    }

    /// The end of what was printed last.
    fn last_words(&self) -> String {
        let text = fs::read_to_string(self.directory.join("log")).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(10)..].join("\n")
    }
}

/// A line in front of everything, so that all of it is in another place than before.
fn edit(file: &Path, original: &str, why: &str) -> Result<()> {
    Ok(fs::write(file, format!("// The bench was here: {why}.\n{original}"))?)
}

fn copy_sources(from: &Path, to: &Path, without: &[&str]) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| from.display().to_string())? {
        let entry = entry?;
        let path = to.join(entry.file_name());
        let kind = entry.file_type()?;
        if without.iter().any(|name| entry.file_name() == *name) {
            continue;
        }
        match kind {
            kind if kind.is_dir() => copy_sources(&entry.path(), &path, &[])?,
            kind if kind.is_symlink() => std::os::unix::fs::symlink(fs::read_link(entry.path())?, path)?,
            _ => drop(fs::copy(entry.path(), path)?),
        }
    }
    Ok(())
}
