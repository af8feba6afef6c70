//! `muster check`: what is wrong with a configuration, before the service starts with it.

use ::config::environment::Unknown;
use anyhow::bail;
use doctor::{Report, Severity};

use super::print;
use crate::{
    command_line::{Check, Listen, SecretsKey, Storage},
    domains, first_run,
    keys::Source,
    process, settings,
};

/// Says of each thing whether it is right, a line each; fails when one is not.
pub fn check(arguments: &Check) -> anyhow::Result<()> {
    let mut report = Report::default();
    let Check { storage, replica, listen, keys } = arguments;
    report.clock(api::clock::now());
    check_settings(&mut report);
    report.open_files(process::raise_open_files());
    check_files(&mut report, storage, keys, Severity::Good)?;
    if let Err(error) = first_run::first_credentials() {
        report.fault("first key", format!("{error:#}"));
    }
    report.write_ahead_log(&storage.url());
    check_database(&mut report, storage, keys);
    replica.report(&mut report, storage);
    check_address(&mut report, listen);
    check_certificate(&mut report, listen);
    end(&report)
}

/// Does a check that the command line does not even begin find settings of the environment that cannot be read? Then it
/// says them as its other findings.
pub fn check_finds_faults() -> bool {
    let faults =
        if std::env::args().nth(1).is_some_and(|word| word == "check") { settings::faults() } else { Vec::new() };
    let mut report = Report::default();
    faults.into_iter().for_each(|fault| report.fault("settings", fault));
    report.worst() == Severity::Fault && end(&report).is_err()
}

fn end(report: &Report) -> anyhow::Result<()> {
    print(&report.lines())?;
    match report.count(Severity::Fault) {
        0 => Ok(()),
        1 => bail!("one thing is wrong"),
        many => bail!("{many} things are wrong"),
    }
}

/// The variables of the environment: values that cannot be read, and names that are not settings.
pub fn check_settings(report: &mut Report) {
    const WHAT: &str = "settings";
    let faults = settings::faults();
    let unknown = settings::unknown_variables();
    if faults.is_empty() && unknown.is_empty() {
        report.good(WHAT, "the environment says nothing that cannot be read");
    }
    for fault in &faults {
        report.fault(WHAT, fault);
    }
    let is_fault = |name: &str| faults.iter().any(|fault| fault.starts_with(&format!("{name} ")));
    for Unknown { name, hint } in unknown.into_iter().filter(|one| !is_fault(&one.name)) {
        let text = format!("{name} is not a setting{hint}");
        // One that is near a setting was meant to be it.
        if hint.is_empty() { report.warning(WHAT, text) } else { report.fault(WHAT, text) }
    }
}

/// The data directory and what is secret in it, and the key of secrets wherever it is. `missing` is how bad it is when
/// there is no data directory.
pub fn check_files(report: &mut Report, storage: &Storage, keys: &SecretsKey, missing: Severity) -> anyhow::Result<()> {
    report.data_directory(&storage.data_dir, missing)?;
    report.private_file("first credentials", &first_run::credentials_file(&storage.data_dir), "rotate the key");
    if let Source::File(path) = keys.source(storage) {
        report.private_file("key of secrets", &path, "run muster secrets rotate twice");
    }
    if let Err(error) = keys.check(storage) {
        report.fault("key of secrets", format!("{error:#}"));
    }
    Ok(())
}

/// The database, and whether its secrets open. Says whether it can be worked on.
pub fn check_database(report: &mut Report, storage: &Storage, keys: &SecretsKey) -> bool {
    let (url, now) = (storage.url(), api::clock::now());
    let works = report.database(&url, storage.connections, &domains::migrations(), now).is_some();
    if works && let Err(error) = keys.check_against_database(storage) {
        report.fault("key of secrets", format!("{error:#}"));
    }
    works
}

fn check_address(report: &mut Report, listen: &Listen) {
    const WHAT: &str = "address";
    match listen.check(listen.listen).and_then(|()| listen.bind()) {
        Ok(_) => report.good(WHAT, format!("{} is free", listen.listen)),
        Err(error) => report.fault(WHAT, format!("{error:#}")),
    }
}

/// The certificate, where there is one.
pub fn check_certificate(report: &mut Report, listen: &Listen) {
    match listen.certificate() {
        Ok(Some(certificate)) => report.certificate(certificate.begins(), certificate.ends(), api::clock::now()),
        Ok(None) => {}
        Err(error) => report.fault("certificate", format!("{error:#}")),
    }
}
