//! What each command does.

mod backup;
mod check;
mod import;
mod key;
mod runner;
mod secrets;
mod serve;
mod tenant;

use std::{fs, path::Path};

use anyhow::Context as _;
use api::spec;

pub use self::{
    backup::backup, check::check, import::import, key::key, runner::runner, secrets::secrets, serve::serve,
    tenant::tenant,
};
use crate::{
    cli::{Openapi, Storage},
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
