//! `muster doctor`: what is well and what is not, while the service runs or not.

use std::process::ExitCode;

use ::config::{Origin, Setting};
use ::doctor::{Report, Severity};
use db::Backend;

use super::{
    check::{check_certificate, check_database, check_files},
    print,
};
use crate::{
    command_line::{Backups, Doctor, Outbound, Storage},
    domains, process,
};

/// Says of each thing how it is, a line each; the worst of them is the status.
pub fn doctor(arguments: &Doctor, settings: &[Setting]) -> anyhow::Result<ExitCode> {
    let Doctor { storage, replica, listen, keys, outbound, backups } = arguments;
    let mut report = Report::default();
    report.clock(api::clock::now());
    report.open_files(process::raise_open_files());
    // Who names a directory expects that there is one.
    let named = settings.iter().any(|setting| setting.name == "data-dir" && setting.origin != Origin::Default);
    check_files(&mut report, storage, keys, if named { Severity::Warning } else { Severity::Good })?;
    if check_database(&mut report, storage, keys) {
        let url = storage.url();
        report.migrations(&url, &domains::migrations());
        report.queues(&url, &domains::due(), api::clock::now());
        replica.report(&mut report, storage);
    }
    check_backup(&mut report, storage, backups);
    check_certificate(&mut report, listen);
    check_outbound(&mut report, outbound);
    print(&report.lines())?;
    Ok(ExitCode::from(match report.worst() {
        Severity::Good => 0,
        Severity::Warning => 1,
        Severity::Fault => 2,
    }))
}

fn check_backup(report: &mut Report, storage: &Storage, backups: &Backups) {
    if storage.url().backend() == Backend::Postgres {
        return report.good("backup", "Postgres has programs of its own, which are not asked");
    }
    if backups.backup_to.as_ref().is_some_and(|path| !report.has_backup_directory(path)) {
        return;
    }
    let in_folder = backups.backup_to.as_ref().map(|path| ::backups::Folder::at(path).newest(None));
    let newest = match in_folder {
        Some(Err(error)) => return report.fault("backup", format!("{error:#}")),
        Some(Ok(newest)) => newest.map(|copy| (copy.taken, copy.path.display().to_string())),
        None => None,
    };
    let newest = newest.or_else(|| ::backups::noted(&storage.data_dir));
    let every = backups.backup_to.as_ref().map(|_| backups.every);
    report.backup(newest.as_ref().map(|(taken, path)| (*taken, path.as_str())), every, api::clock::now());
}

fn check_outbound(report: &mut Report, outbound: &Outbound) {
    let allowed: Vec<String> = outbound.egress_allow.iter().map(ToString::to_string).collect();
    match outbound.authorities() {
        Err(error) => report.fault("egress", format!("{error:#}")),
        Ok(_) if allowed.iter().any(|block| block.ends_with("/0")) => {
            report.warning("egress", "integrations may call every address, this machine among them");
        }
        Ok(_) if allowed.is_empty() => report.good("egress", "integrations may call addresses of the internet"),
        Ok(_) => report.good("egress", format!("integrations may call the internet, and {}", allowed.join(", "))),
    }
    report.mail(outbound.smtp_url.as_ref().map(|url| url.server()));
}
