//! What each command does.

mod key;
mod serve;
mod tenant;

use std::{fs, path::Path};

use anyhow::{Context as _, bail};
use api::{Access as _, spec};
use base::tenant::TenantId;
use indicatif::{ProgressBar, ProgressStyle};
use inventory::agents::{self, Ingested};

pub use self::{key::key, serve::serve, tenant::tenant};
use crate::{
    cli::{Import, Openapi, Storage},
    domains,
};

/// `muster migrate`.
pub fn migrate(storage: &Storage) -> anyhow::Result<()> {
    storage.open().map(drop)
}

/// `muster openapi`.
pub fn openapi(arguments: &Openapi) -> anyhow::Result<()> {
    let all = spec::document(domains::TITLE, &domains::all());
    let Some(directory) = &arguments.write else {
        return print(&all.to_pretty_json()?);
    };
    fs::create_dir_all(directory)?;
    write_document(directory, "openapi", &all)?;
    for domain in domains::all() {
        write_document(directory, domain.name, &spec::document(domain.title, &[domain]))?;
    }
    Ok(())
}

fn write_document(directory: &Path, name: &str, document: &utoipa::openapi::OpenApi) -> anyhow::Result<()> {
    let path = directory.join(format!("{name}.json"));
    let text = document.to_pretty_json()? + "\n";
    fs::write(&path, text).with_context(|| format!("writing {}", path.display()))
}

#[expect(clippy::print_stdout, reason = "the output of the command")]
fn print(text: &str) -> anyhow::Result<()> {
    println!("{text}");
    Ok(())
}

/// `muster import`.
pub fn import(arguments: &Import) -> anyhow::Result<()> {
    let db = arguments.storage.open()?;
    let tenant = TenantId::parse(&arguments.tenant)
        .with_context(|| format!("{} is no tenant id: msp_<number> or client_<number>", arguments.tenant))?;
    let keeper = access::Keeper::new(db.clone());
    let known = actix_web::rt::System::new().block_on(keeper.tenant(&tenant))?;
    let known =
        known.with_context(|| format!("there is no tenant {tenant}; start `muster serve` once to make the first"))?;
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {per_sec} {wide_msg}")?;
    // Hidden by itself when no terminal watches.
    let progress = ProgressBar::new(arguments.files.len() as u64).with_style(style);
    let (mut created, mut updated, mut unchanged, mut refused) = (0, 0, 0, 0);
    for path in &arguments.files {
        progress.set_message(path.display().to_string());
        let file = fs::read(path).with_context(|| format!("reading {}", path.display()))?;
        match agents::import(&db, &known.partner, &tenant, &file, api::clock::now()) {
            Ok(machines) => {
                for machine in machines {
                    match machine {
                        Ingested::Created(_) => created += 1,
                        Ingested::Updated(_) => updated += 1,
                        Ingested::Unchanged(_) => unchanged += 1,
                    }
                }
            }
            Err(db::Error::Problem(problem)) => {
                refused += 1;
                progress.suspend(|| tracing::warn!(file = %path.display(), "refused: {}", problem.detail));
            }
            Err(error) => return Err(error).with_context(|| format!("storing {}", path.display())),
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    print(&format!("{created} created, {updated} updated, {unchanged} unchanged, {refused} refused"))?;
    if refused > 0 {
        bail!("{refused} of {} files were refused", arguments.files.len());
    }
    Ok(())
}
