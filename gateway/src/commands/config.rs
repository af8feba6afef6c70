//! `muster config`.

use std::env;

use ::config::Setting;

use super::print;
use crate::settings::SECRETS;

/// Prints each setting: its name, its value, and where that is from.
pub fn config(settings: &[Setting]) -> anyhow::Result<()> {
    let of_options =
        settings.iter().map(|setting| (setting.name.clone(), setting.shown().to_owned(), setting.origin.to_string()));
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
