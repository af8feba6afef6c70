//! Where the service is, and who calls: from options, profile and environment.

use std::{
    env,
    fs::File,
    io::{ErrorKind, Read as _},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use base::{near, secret::Secret};
use toml::Table;

use crate::options::ConnectionOptions;

/// The most that is read of a file of profiles, in bytes.
const MOST: u64 = 1 << 20;

/// What a profile may say.
const SETTINGS: [&str; 6] = ["server", "tenant", "key", "secret", "ca", "allow-http"];

/// The profile that is taken when nothing names a server.
const DEFAULT: &str = "default";

/// What is known of the service and the caller.
pub struct Connection {
    pub server: Option<String>,
    pub tenant: Option<String>,
    pub key: Option<String>,
    pub secret: Option<Secret<String>>,
    pub ca: Option<PathBuf>,
    pub allow_http: bool,
}

/// Puts together what options, profile and environment say.
///
/// # Errors
/// When a profile is asked for that cannot be read, or that says what none does.
pub fn find(options: &ConnectionOptions, variable: &dyn Fn(&str) -> Option<String>) -> Result<Connection, String> {
    let variable = |name: &str| variable(name).filter(|value| !value.is_empty());
    let named = options.profile.clone();
    let chosen = named.clone().or_else(|| variable("MUSTER_PROFILE"));
    let needless = options.server.is_some() || variable("MUSTER_SERVER").is_some();
    let profile = match (chosen, file(&variable)) {
        (Some(name), Some(path)) => read(&path, &name, true)?,
        (Some(name), None) => {
            return Err(format!("profile {name}: neither XDG_CONFIG_HOME nor HOME says where profiles are"));
        }
        (None, Some(path)) if !needless => read(&path, DEFAULT, false)?,
        (None, _) => Table::new(),
    };
    let of_profile = |name: &str| profile.get(name).and_then(toml::Value::as_str).map(ToOwned::to_owned);
    let find = |option: Option<String>, setting: &str, name: &str| {
        let profile = || of_profile(setting);
        let variable = || variable(name);
        option.or_else(|| if named.is_some() { profile().or_else(variable) } else { variable().or_else(profile) })
    };
    let ca = options.ca.as_ref().map(|path| path.to_string_lossy().into_owned());
    let allow_http = profile.get("allow-http").and_then(toml::Value::as_bool).unwrap_or_default();
    Ok(Connection {
        server: find(options.server.clone(), "server", "MUSTER_SERVER"),
        tenant: find(options.tenant.clone(), "tenant", "MUSTER_TENANT"),
        key: find(options.key.clone(), "key", "MUSTER_KEY"),
        secret: find(options.secret.clone(), "secret", "MUSTER_SECRET").map(Secret::new),
        ca: find(ca, "ca", "MUSTER_CA").map(PathBuf::from),
        allow_http: options.allow_http || allow_http || variable("MUSTER_ALLOW_HTTP").is_some_and(|on| on == "true"),
    })
}

/// That a setting is missing, and where it can be said.
pub fn missing(setting: &str) -> String {
    let variable = setting.to_uppercase();
    format!("no {setting}: say --{setting}, set MUSTER_{variable}, or name it in a profile (`muster api --help`)")
}

/// A variable of this process.
pub fn variable(name: &str) -> Option<String> {
    env::var(name).ok()
}

/// Where profiles are, whether there are any or not.
fn file(variable: &dyn Fn(&str) -> Option<String>) -> Option<PathBuf> {
    let folder = variable("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = folder.or_else(|| Some(PathBuf::from(variable("HOME")?).join(".config")))?;
    Some(folder.join("muster").join("profiles.toml"))
}

/// A profile of a file. The profile and the file may be missing unless they are `required`.
fn read(path: &Path, name: &str, required: bool) -> Result<Table, String> {
    let shown = path.display();
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound && !required => return Ok(Table::new()),
        Err(error) => return Err(format!("profile {name}: {shown} cannot be read: {error}")),
    };
    let mode = file.metadata().map_err(|error| format!("{shown}: {error}"))?.mode() & 0o777;
    if mode & 0o077 != 0 {
        return Err(format!("{shown} holds secrets and is open to others (mode {mode:03o}): chmod 600 {shown}"));
    }
    let mut text = String::new();
    file.by_ref().take(MOST).read_to_string(&mut text).map_err(|error| format!("{shown} cannot be read: {error}"))?;
    section(&text, name, required).map_err(|error| format!("{shown}: {error}"))
}

/// A section of the text of a file, with settings that profiles have.
fn section(text: &str, name: &str, required: bool) -> Result<Table, String> {
    // What the library says of an error as a whole would show the line, and with it a secret.
    let mut all: Table = text.parse().map_err(|error: toml::de::Error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        format!("line {}: {}", before.lines().count().max(1), error.message())
    })?;
    let Some(found) = all.remove(name) else {
        let hint = near::hint(name, all.keys().map(String::as_str), "");
        return if required { Err(format!("there is no profile {name}{hint}")) } else { Ok(Table::new()) };
    };
    let toml::Value::Table(found) = found else { return Err(format!("{name} is not a section, such as [{name}]")) };
    for (setting, value) in &found {
        if !SETTINGS.contains(&setting.as_str()) {
            let hint = near::hint(setting, SETTINGS, "");
            return Err(format!("[{name}] has {setting:?}, which no profile has{hint}"));
        }
        let good = if setting == "allow-http" { value.is_bool() } else { value.is_str() };
        if !good {
            let wanted = if setting == "allow-http" { "true or false" } else { "a text in quotes" };
            return Err(format!("[{name}] {setting} has to be {wanted}"));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::options::ApiOptions;

    #[test]
    fn a_profile_is_a_section_and_errors_hold_no_secret() {
        let text = "[prod]\nserver = 'https://muster.example.net' # where\nkey = \"k\"\nsecret = \"hush\"\nallow-http \
                    = false\n";
        assert_eq!(section(text, "prod", true).unwrap()["server"].as_str(), Some("https://muster.example.net"));
        assert!(section(text, "default", false).unwrap().is_empty());
        for (text, expected) in [
            (text, "there is no profile pord; did you mean prod?"),
            ("[pord]\nsecert = 'hush'", "did you mean secret?"),
            ("[pord]\nsecret = hush", "line 2"),
            ("[pord]\nsecret = 5", "a text in quotes"),
            ("pord = 'hush'", "is not a section"),
        ] {
            let error = section(text, "pord", true).unwrap_err();
            assert!(error.contains(expected) && !error.contains("hush"), "{error}");
        }
    }

    #[test]
    fn options_come_before_a_named_profile_and_that_before_the_environment() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("muster")).unwrap();
        let text = "[default]\nserver = 'http://d'\n[a]\nserver = 'http://a'\nkey = 'a'\ntenant = 'client_1'\n";
        let profiles = folder.path().join("muster/profiles.toml");
        std::fs::write(&profiles, text).unwrap();
        std::fs::set_permissions(&profiles, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        let found = |arguments: &[&str], environment: &[(&str, &str)]| {
            let options = ApiOptions::parse_from([&["api"], arguments].concat());
            let variable = |name: &str| match environment.iter().find(|(known, _)| *known == name) {
                Some((_, value)) => Some((*value).to_owned()),
                None => (name == "XDG_CONFIG_HOME").then(|| folder.path().to_string_lossy().into_owned()),
            };
            let found = find(&options.connection, &variable).unwrap();
            (found.server.unwrap_or_default(), found.key.unwrap_or_default())
        };
        let pair = |server: &str, key: &str| (server.to_owned(), key.to_owned());
        let environment = [("MUSTER_SERVER", "http://e"), ("MUSTER_KEY", "e")];
        assert_eq!(found(&[], &[]), pair("http://d", ""));
        assert_eq!(found(&[], &environment), pair("http://e", "e"));
        assert_eq!(found(&["--profile", "a"], &environment), pair("http://a", "a"));
        assert_eq!(found(&["--profile", "a", "--key", "o"], &environment), pair("http://a", "o"));
        assert_eq!(found(&[], &[("MUSTER_PROFILE", "a"), ("MUSTER_KEY", "e")]), pair("http://a", "e"));
    }
}
