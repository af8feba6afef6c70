//! `muster config`.

use std::env;

use ::config::{Origin, Setting};

use super::print;
use crate::{
    command_line::Serve,
    keys::Source,
    settings::{SECRETS, check_unknown_variables},
};

/// Prints each setting: its name, its value, and where that is from.
pub fn config(arguments: &Serve, settings: &[Setting]) -> anyhow::Result<()> {
    check_unknown_variables()?;
    let shown = |setting: &Setting| match setting.origin {
        Origin::Default => default(&setting.name, arguments).unwrap_or_else(|| setting.shown().to_owned()),
        _ => setting.shown().to_owned(),
    };
    let of_options = settings.iter().map(|setting| (setting.name.clone(), shown(setting), setting.origin.to_string()));
    let set = SECRETS.iter().filter(|variable| env::var_os(variable).is_some());
    let of_variables = set.map(|variable| {
        let name = variable.trim_start_matches("MUSTER_").to_ascii_lowercase().replace('_', "-");
        (name, "[secret]".to_owned(), format!("environment {variable}"))
    });
    let rows: Vec<(String, String, String)> = of_options.chain(of_variables).collect();
    let width = |of: fn(&(String, String, String)) -> &String| rows.iter().map(|row| of(row).chars().count()).max();
    let (names, values) = (width(|row| &row.0).unwrap_or(0), width(|row| &row.1).unwrap_or(0).min(40));
    let line = |(name, value, origin): &(String, String, String)| format!("{name:names$}  {value:values$}  {origin}");
    print(&rows.iter().map(line).collect::<Vec<_>>().join("\n"))
}

/// What is in force without a value, for options whose default is none of a text; `None` for the others.
fn default(name: &str, Serve { storage, keys, .. }: &Serve) -> Option<String> {
    Some(match name {
        "database-url" => storage.url().without_password(),
        "secrets-key-file" => match keys.source(storage) {
            Source::File(path) => path.display().to_string(),
            Source::Environment(_) => return None,
        },
        "log-format" => "json, on a terminal text".to_owned(),
        "public-url" => "as each request says".to_owned(),
        "oidc-tenant" => "all".to_owned(),
        _ => return None,
    })
}
