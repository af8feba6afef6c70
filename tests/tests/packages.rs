//! What the program is installed with: a Debian package, a unit of systemd, an image.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use muster_tests::{muster, skipped};

mod image;

fn packaging() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../gateway/packaging")
}

fn read(name: &str) -> String {
    let path = packaging().join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Can this program be run here? Says so where it cannot.
fn there_is(program: &str) -> bool {
    let found = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let found = found.is_ok_and(|status| status.success());
    if !found {
        skipped(&format!("there is no {program}"));
    }
    found
}

#[track_caller]
fn output(command: &mut Command) -> String {
    let done = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let out = String::from_utf8_lossy(&done.stdout);
    let err = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{command:?}: {out}{err}");
    out.into_owned()
}

#[test]
fn a_debian_package_holds_a_program_that_runs() {
    if !there_is("dpkg-deb") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    // Without what debuggers need, which is most of this one and takes long to compress.
    let program = directory.path().join("stripped");
    output(Command::new("strip").arg("-o").arg(&program).arg(muster().get_program()));
    let script = packaging().join("deb.sh");
    let package = output(Command::new("sh").arg(&script).arg(&program).arg(directory.path()));
    let package = package.trim();
    let version = output(muster().arg("--version"));
    let version = version.trim().strip_prefix("muster ").unwrap().to_owned();
    assert_eq!(output(Command::new("dpkg-deb").args(["-f", package, "Version"])).trim(), version);

    let listed = output(Command::new("dpkg-deb").args(["-c", package]));
    assert!(listed.lines().all(|line| line.contains(" root/root ")), "{listed}");
    let root = directory.path().join("root");
    output(Command::new("dpkg-deb").arg("-x").arg(package).arg(&root));
    let mut installed = Command::new(root.join("usr/bin/muster"));
    assert_eq!(output(installed.arg("--version")).trim(), format!("muster {version}"));
    let expected = [
        "usr/lib/systemd/system/muster.service",
        "etc/muster/muster.env",
        "usr/share/doc/muster/copyright",
        // Named by the service's file, and by pages beside each other.
        "usr/share/doc/muster/docs/operations.md",
        "usr/share/doc/muster/docs/interface/alerts.md",
        "usr/share/doc/muster/docs/operations/README.md",
    ];
    for file in expected {
        assert!(root.join(file).is_file(), "{file} is missing: {listed}");
    }
    assert!(listed.lines().any(|line| line.starts_with("-rw-------") && line.ends_with("./etc/muster/muster.env")));
    let completions = [
        "bash-completion/completions/muster",
        "zsh/vendor-completions/_muster",
        "fish/vendor_completions.d/muster.fish",
    ];
    for file in completions {
        let script = fs::read_to_string(root.join("usr/share").join(file)).unwrap_or_default();
        assert!(script.contains(" complete -- "), "{file}: {script}");
        assert!(listed.lines().any(|line| line.starts_with("-rw-r--r--") && line.ends_with(file)), "{listed}");
    }
    // The scripts ask the program that is installed with them.
    let asked = output(Command::new(root.join("usr/bin/muster")).args(["complete", "--", "api", "searchAl"]));
    assert!(asked.lines().any(|word| word == "searchAlerts"), "{asked}");
    let shells = ["postinst", "prerm"];
    output(Command::new("dpkg-deb").arg("-e").arg(package).arg(directory.path().join("control")));
    for name in shells {
        output(Command::new("sh").arg("-n").arg(directory.path().join("control").join(name)));
    }
}

#[test]
fn systemd_takes_the_unit_and_finds_it_confined() {
    if !there_is("systemd-analyze") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let unit = directory.path().join("muster.service");
    let program = muster().get_program().to_string_lossy().into_owned();
    fs::write(&unit, read("muster.service").replace("/usr/bin/muster", &program)).unwrap();
    let checked = Command::new("systemd-analyze").args(["verify", "--man=no"]).arg(&unit).output().unwrap();
    let told = String::from_utf8_lossy(&checked.stderr);
    let of_ours: Vec<&str> = told.lines().filter(|line| line.contains("muster.service")).collect();
    assert!(of_ours.is_empty(), "{of_ours:?}");
    // 10 is a service that may do whatever root may.
    let mut rated = Command::new("systemd-analyze");
    output(rated.args(["security", "--offline=true", "--threshold=20", "--no-pager"]).arg(&unit));
}

/// A database that is away for long does not end the attempts, and root's key reaches a user that cannot read it.
#[test]
fn the_unit_goes_on_trying_and_hands_over_the_key() {
    let unit = read("muster.service");
    let settings = read("muster.env");
    assert!(unit.lines().any(|line| line == "StartLimitIntervalSec=0"));
    for file in ["cert.pem", "key.pem"] {
        assert!(unit.lines().any(|line| line == format!("LoadCredential={file}:/etc/muster/{file}")), "{file}");
        // Where there is no such file, the unit starts all the same.
        assert!(unit.lines().any(|line| line.starts_with(&format!("SetCredential={file}:"))), "{file}");
        assert!(settings.contains(&format!("/run/credentials/muster.service/{file}")), "{file}");
    }
}

/// Every setting that is named in these files is one of `muster serve`.
#[test]
fn settings_of_the_packages_exist() {
    let help = output(muster().args(["serve", "--help"]));
    let mut named = BTreeSet::new();
    for file in ["muster.service", "muster.env", "Containerfile"] {
        let text = read(file);
        let words = text.split(|letter: char| !(letter.is_ascii_uppercase() || letter == '_'));
        named.extend(words.filter(|word| word.starts_with("MUSTER_")).map(str::to_owned));
    }
    assert!(named.len() > 5, "{named:?}");
    let unknown: Vec<&String> = named.iter().filter(|name| !help.contains(name.as_str())).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

/// The settings as they are installed start a service: nothing more is needed.
#[test]
fn a_service_starts_with_what_an_image_sets() {
    let directory = tempfile::tempdir().unwrap();
    let check = |arguments: &[&str]| {
        let mut command = muster();
        command.arg("check").args(arguments).env("MUSTER_DATA_DIR", directory.path()).env("MUSTER_LISTEN", "0.0.0.0:0");
        command.output().unwrap()
    };
    let done = check(&["--behind-proxy"]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let refused = check(&[]);
    assert!(!refused.status.success(), "no certificate, and no proxy that ends TLS");
}
