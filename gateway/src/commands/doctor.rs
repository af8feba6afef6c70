//! `muster doctor`: what is well and what is not, while the service runs or not.

use std::process::ExitCode;

use ::config::{Origin, Setting};
use ::doctor::{Report, Severity};

use super::{
    check::{check_certificate, check_database, check_files, check_settings},
    print,
};
use crate::{
    command_line::{Doctor, Outbound},
    domains, process,
};

/// Says of each thing how it is, a line each; the worst of them is the status.
pub fn doctor(arguments: &Doctor, settings: &[Setting]) -> anyhow::Result<ExitCode> {
    let Doctor { storage, replica, listen, keys, outbound, backups } = arguments;
    let mut report = Report::default();
    report.clock(api::clock::now());
    check_settings(&mut report);
    report.open_files(process::raise_open_files());
    // Who names a directory expects that there is one.
    let named = settings.iter().any(|setting| setting.name == "data-dir" && setting.origin != Origin::Default);
    check_files(&mut report, storage, keys, if named { Severity::Warning } else { Severity::Good })?;
    report.service(&storage.data_dir);
    if check_database(&mut report, storage, keys) {
        let url = storage.url();
        report.pages(&url);
        report.migrations(&url, &domains::migrations());
        report.queues(&url, &domains::due(), api::clock::now());
        replica.report(&mut report, storage);
    }
    let folder = backups.backup_to.as_deref().map(|path| (path, backups.every));
    report.backups(&storage.url(), &storage.data_dir, folder, api::clock::now())?;
    check_certificate(&mut report, listen);
    check_outbound(&mut report, outbound);
    print(&report.lines())?;
    Ok(ExitCode::from(match report.worst() {
        Severity::Good => 0,
        Severity::Warning => 1,
        Severity::Fault => 2,
    }))
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
    match outbound.mailer(&outbound.authorities().unwrap_or_default()) {
        Ok(Some(mailer)) => report.mail(&mailer.server(), mailer.greet()),
        Ok(None) => report.good("mail", "no server is set"),
        Err(error) => report.fault("mail", format!("{error:#}")),
    }
}
