//! `muster import`.

use anyhow::{Context as _, bail};
use api::Access as _;
use base::tenant::TenantId;
use indicatif::{ProgressBar, ProgressStyle};
use inventory::files::{self, Counts, Error};

use super::print;
use crate::command_line::Import;

/// Takes in machines from files, one file after the other.
pub fn import(arguments: &Import) -> anyhow::Result<()> {
    let db = arguments.storage.existing()?;
    let tenant = TenantId::parse(&arguments.tenant)
        .with_context(|| format!("{} is not a tenant id: msp_<number> or client_<number>", arguments.tenant))?;
    let authenticator = access::Authenticator::new(db.clone());
    let tenant_row = actix_web::rt::System::new().block_on(authenticator.tenant(&tenant))?;
    let tenant_row = tenant_row
        .with_context(|| format!("there is no tenant {tenant}; start `muster serve` once to make the first"))?;
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {per_sec} {wide_msg}")?;
    // Hidden by itself when no terminal watches.
    let progress = ProgressBar::new(arguments.files.len() as u64).with_style(style);
    let mut sums = Counts::default();
    let mut files = 0;
    for path in &arguments.files {
        progress.set_message(path.display().to_string());
        let refuse = |why: &str| progress.suspend(|| tracing::warn!(file = %path.display(), "refused: {why}"));
        let warn = |what: &str| progress.suspend(|| tracing::warn!(file = %path.display(), "{what}"));
        let counts = match files::import(&db, &tenant_row.partner, &tenant, path, api::clock::now(), refuse, warn) {
            Err(Error::Read(error)) => {
                refuse(&format!("it cannot be read: {error}"));
                Counts { refused: 1, ..Counts::default() }
            }
            imported => imported.with_context(|| format!("storing {}", path.display()))?,
        };
        files += u64::from(counts.refused > 0);
        sums.created += counts.created;
        sums.updated += counts.updated;
        sums.unchanged += counts.unchanged;
        sums.refused += counts.refused;
        progress.inc(1);
    }
    progress.finish_and_clear();
    let Counts { created, updated, unchanged, refused } = sums;
    print(&format!("{created} created, {updated} updated, {unchanged} unchanged, {refused} refused"))?;
    if files > 0 {
        bail!("{files} of {} files were refused, or rows in them", arguments.files.len());
    }
    Ok(())
}
