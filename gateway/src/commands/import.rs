//! `muster import`.

use std::{
    fs::File,
    io::{self, Read as _, Seek as _},
    path::Path,
};

use anyhow::{Context as _, bail};
use api::Access as _;
use base::tenant::TenantId;
use db::Db;
use indicatif::{ProgressBar, ProgressStyle};
use inventory::{
    agents::{self, Ingested},
    bulk::import::{self as rows, Kind},
};

use super::print;
use crate::command_line::Import;

/// What became of the machines in the files.
#[derive(Default)]
struct Sums {
    created: u64,
    updated: u64,
    unchanged: u64,
    /// Files, and rows of files, that were refused.
    refused: u64,
}

/// `muster import`.
pub fn import(arguments: &Import) -> anyhow::Result<()> {
    let db = arguments.storage.existing()?;
    let tenant = TenantId::parse(&arguments.tenant)
        .with_context(|| format!("{} is no tenant id: msp_<number> or client_<number>", arguments.tenant))?;
    let authenticator = access::Authenticator::new(db.clone());
    let known = actix_web::rt::System::new().block_on(authenticator.tenant(&tenant))?;
    let known =
        known.with_context(|| format!("there is no tenant {tenant}; start `muster serve` once to make the first"))?;
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {per_sec} {wide_msg}")?;
    // Hidden by itself when no terminal watches.
    let progress = ProgressBar::new(arguments.files.len() as u64).with_style(style);
    let mut sums = Sums::default();
    let mut files = 0;
    for path in &arguments.files {
        progress.set_message(path.display().to_string());
        let before = sums.refused;
        let refuse = |why: &str| progress.suspend(|| tracing::warn!(file = %path.display(), "refused: {why}"));
        let warn = |what: &str| progress.suspend(|| tracing::warn!(file = %path.display(), "{what}"));
        if let Err(error) = one(&db, &known.partner, &tenant, path, &mut sums, &refuse, &warn) {
            let unread = error.downcast::<io::Error>()?;
            sums.refused += 1;
            refuse(&format!("it cannot be read: {unread}"));
        }
        files += u64::from(sums.refused > before);
        progress.inc(1);
    }
    progress.finish_and_clear();
    let Sums { created, updated, unchanged, refused } = sums;
    print(&format!("{created} created, {updated} updated, {unchanged} unchanged, {refused} refused"))?;
    if files > 0 {
        bail!("{files} of {} files were refused, or rows in them", arguments.files.len());
    }
    Ok(())
}

/// Takes in one file, whatever it holds; `refuse` is told what is wrong with it, `warn` what was taken in otherwise
/// than it says. A file that cannot be read is an [`io::Error`]: it is one of several. Any other error is the
/// database's, and the end.
fn one(
    db: &Db,
    partner: &TenantId,
    tenant: &TenantId,
    path: &Path,
    sums: &mut Sums,
    refuse: &impl Fn(&str),
    warn: &impl Fn(&str),
) -> anyhow::Result<()> {
    let mut file = File::open(path)?;
    let mut start = Vec::new();
    file.by_ref().take(rows::PIECE as u64).read_to_end(&mut start)?;
    file.rewind()?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let storing = || format!("storing {}", path.display());
    let kind = rows::kind(&name, &start);
    if kind == Kind::Report {
        let mut report = Vec::new();
        file.read_to_end(&mut report)?;
        match agents::import(db, partner, tenant, &report, api::clock::now()) {
            Ok(machines) => machines.iter().for_each(|machine| match machine {
                Ingested::Created(_) => sums.created += 1,
                Ingested::Updated(_) => sums.updated += 1,
                Ingested::Unchanged(_) => sums.unchanged += 1,
            }),
            Err(db::Error::Problem(problem)) => {
                sums.refused += 1;
                let packed = if rows::is_gzip(&start) { "; if it holds rows, unpack it first" } else { "" };
                refuse(&format!("{}{packed}", problem.detail));
            }
            Err(error) => return Err(error).with_context(storing),
        }
        return Ok(());
    }
    let told = |line: u64, why: &str| refuse(&format!("line {line}: {why}"));
    let summary = match rows::import(db, partner, tenant, kind, file, api::clock::now(), told) {
        Err(rows::Error::Read(error)) => return Err(error.into()),
        other => other.with_context(storing)?,
    };
    summary.warnings.iter().for_each(|warning| warn(warning));
    sums.created += summary.created;
    sums.updated += summary.updated;
    sums.unchanged += summary.unchanged;
    sums.refused += summary.errors;
    if let Some(why) = summary.message {
        sums.refused += 1;
        refuse(&why);
    }
    Ok(())
}
