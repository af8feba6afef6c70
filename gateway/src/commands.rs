//! What each command does.

mod backup;
mod check;
mod config;
mod doctor;
mod import;
mod key;
mod migrate;
mod restore;
mod secrets;
mod serve;
mod tenant;
mod user;

use std::{
    fs,
    io::{self, Write as _},
    path::Path,
};

use anyhow::Context as _;
use api::spec;
use serde_json::Value;

pub use self::{
    backup::backup,
    check::{check, check_finds_faults},
    config::config,
    doctor::doctor,
    import::import,
    key::key,
    migrate::migrate,
    restore::restore,
    secrets::secrets,
    serve::serve,
    tenant::tenant,
    user::user,
};
use crate::{command_line::Openapi, domains};

/// `muster openapi`.
pub fn openapi(arguments: &Openapi) -> anyhow::Result<()> {
    let document = spec::document(domains::TITLE, &domains::all());
    let all = spec::published(&document)?;
    let Some(directory) = &arguments.write else {
        return print(&serde_json::to_string_pretty(&all)?);
    };
    fs::create_dir_all(directory)?;
    write_document(directory, "openapi", &all)?;
    write_document(directory, "openapi-3.0", &spec::in_3_0(&all))?;
    write(directory, "operations.js", &console::operations(&document).map_err(anyhow::Error::msg)?)?;
    write(directory, "forms.js", &console::forms(&document).map_err(anyhow::Error::msg)?)?;
    for domain in domains::all() {
        write_document(directory, domain.name, &spec::published(&spec::document(domain.title, &[domain]))?)?;
    }
    Ok(())
}

fn write_document(directory: &Path, name: &str, document: &Value) -> anyhow::Result<()> {
    write(directory, &format!("{name}.json"), &(serde_json::to_string_pretty(document)? + "\n"))
}

fn write(directory: &Path, name: &str, text: &str) -> anyhow::Result<()> {
    let path = directory.join(name);
    fs::write(&path, text).with_context(|| format!("writing {}", path.display()))
}

/// Prints what a command answers. A reader that closes the pipe, such as `head`, is not an error.
fn print(text: &str) -> anyhow::Result<()> {
    match writeln!(io::stdout(), "{text}") {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}
