//! A configuration: what a command line, the environment and a file say together.

use std::{env, ffi::OsString, path::PathBuf};

use clap::{
    Arg, ArgMatches, Command,
    error::{ContextKind, ContextValue, ErrorKind},
    parser::ValueSource,
};

use crate::{
    environment,
    error::Error,
    file::{self, Entry, FILE},
    origin::Origin,
    secrecy::{SECRET, long_name, shown, without_values},
};

/// The configuration of one command.
pub struct Configuration {
    /// The command line, with what the file says where neither an option nor the environment does.
    pub matches: ArgMatches,
    /// The options of the command, in the order of its help.
    pub settings: Vec<Setting>,
}

/// An option as it is in force.
pub struct Setting {
    /// Its name, such as `data-dir`.
    pub name: String,
    /// Where its value is from.
    pub origin: Origin,
    value: Option<String>,
    secret: bool,
}

impl Setting {
    /// Its value, several with commas between them; `[secret]` for a secret, and `none` where there is no value.
    pub fn shown(&self) -> &str {
        match &self.value {
            None => "none",
            Some(_) if self.secret => SECRET,
            Some(value) => value,
        }
    }
}

/// The names of the settings whose values differ.
pub fn changed(before: &[Setting], after: &[Setting]) -> Vec<String> {
    let former = |setting: &Setting| before.iter().find(|one| one.name == setting.name);
    let differs = |setting: &&Setting| former(setting).is_none_or(|former| former.value != setting.value);
    after.iter().filter(differs).map(|setting| setting.name.clone()).collect()
}

/// Reads the command line, and the file that it or the environment names. `service` is the command whose options the
/// file may have.
///
/// # Errors
/// What is wrong with the file, all at once; otherwise the first thing that is wrong with the command line.
pub fn read(command: &Command, service: &str, arguments: &[OsString]) -> Result<Configuration, Error> {
    let mut built = command.clone();
    built.build();
    // What cannot be read is said below, with what the file and the environment say of it.
    let known = command.clone().ignore_errors(true).try_get_matches_from(arguments)?;
    let (of_known, found) = leaf(&built, &known);
    let mut entries = environment::secrets(of_known)?;
    if let Some(path) = found.try_get_one::<PathBuf>(FILE).ok().flatten() {
        let of_file = file::read(path, command, service)?;
        let of_file = of_file.into_iter().filter(|entry| entries.iter().all(|secret| secret.name != entry.name));
        entries.extend(of_file.collect::<Vec<_>>());
    }
    let mut all = arguments.to_vec();
    let place = all.iter().position(|word| word == "--").unwrap_or(all.len());
    let given = |entry: &&Entry| {
        let Some(option) = of_known.get_arguments().find(|one| one.get_long() == Some(&entry.name)) else {
            return false;
        };
        let source = found.value_source(option.get_id().as_str());
        !matches!(source, Some(ValueSource::CommandLine | ValueSource::EnvVariable))
    };
    let taken: Vec<&Entry> = entries.iter().filter(given).collect();
    // The options that a file stands behind are words of the line that is read, so that what requires another option
    // finds it.
    let words: Vec<OsString> = taken.iter().filter_map(|entry| entry.word()).map(OsString::from).collect();
    all.splice(place..place, words);
    let matches = command.clone().try_get_matches_from(all);
    let matches = matches.map_err(|error| without_values(name_empty_variable(error, command, of_known), of_known))?;
    let (leaf, of_leaf) = leaf(&built, &matches);
    let settings = leaf.get_arguments().filter_map(|option| setting(option, of_leaf, &taken)).collect();
    Ok(Configuration { settings, matches })
}

/// Names the variable of the environment that is set to nothing, where the error is about its option. Such a variable
/// is not taken for one that is not set: what was to fill it in has failed, and a default would be another service.
fn name_empty_variable(error: clap::Error, command: &Command, of_command: &Command) -> clap::Error {
    let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else { return error };
    let option = of_command.get_arguments().find(|option| option.get_long() == Some(long_name(argument)));
    let variable = option.and_then(Arg::get_env).filter(|name| env::var_os(name).is_some_and(|value| value.is_empty()));
    let Some(variable) = variable.map(|name| name.to_string_lossy()) else { return error };
    let text = format!("{variable} is set to nothing: give it a value, or unset it for the default");
    command.clone().error(ErrorKind::InvalidValue, text)
}

/// The innermost command that was named, and what it was given.
fn leaf<'c, 'm>(mut command: &'c Command, mut matches: &'m ArgMatches) -> (&'c Command, &'m ArgMatches) {
    while let Some((name, below)) = matches.subcommand()
        && let Some(found) = command.find_subcommand(name)
    {
        (command, matches) = (found, below);
    }
    (command, matches)
}

fn setting(option: &Arg, matches: &ArgMatches, taken: &[&Entry]) -> Option<Setting> {
    let name = option.get_long().filter(|name| !["help", "version"].contains(name))?;
    let id = option.get_id().as_str();
    let raw = matches.try_get_raw(id).ok()?;
    let values: Option<Vec<String>> =
        raw.map(|values| values.map(|value| value.to_string_lossy().into_owned()).collect());
    let origin = match (taken.iter().find(|entry| entry.name == name), matches.value_source(id)) {
        (Some(entry), _) => entry.origin.clone(),
        (None, Some(ValueSource::CommandLine)) => Origin::Option,
        (None, Some(ValueSource::EnvVariable)) => Origin::Environment(option.get_env()?.to_string_lossy().into_owned()),
        _ => Origin::Default,
    };
    let value = values.map(|values| values.join(","));
    let secret = value.as_deref().is_some_and(|value| shown(option, value) == SECRET);
    Some(Setting { name: name.to_owned(), origin, value, secret })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use clap::{Arg, ArgAction, value_parser};

    use super::*;

    /// A program of one service and another command, whose environment is that of nobody.
    fn program() -> Command {
        let file = Arg::new(FILE).long(FILE).value_parser(value_parser!(PathBuf));
        let listen = Arg::new("listen").long("listen").default_value("8080");
        let workers = Arg::new("workers").long("workers").value_parser(value_parser!(u16)).default_value("0");
        let cert = Arg::new("tls_cert").long("tls-cert").requires("tls_key");
        let key = Arg::new("tls_key").long("tls-key").requires("tls_cert");
        let secret = Arg::new("smtp").long("smtp-url").env("CONFIG_TEST_SMTP_URL").hide_env_values(true);
        let allow = Arg::new("allow").long("allow").value_delimiter(',').action(ArgAction::Append);
        let flag = Arg::new("proxy").long("behind-proxy").action(ArgAction::SetTrue);
        let serve = Command::new("serve").args([&file, &listen, &workers, &cert, &key, &secret, &allow, &flag]);
        let log = Arg::new("log").long("log").global(true).default_value("info");
        let list = Command::new("list").args([&file, &workers]);
        Command::new("muster").arg(log).subcommand(serve).subcommand(Command::new("key").subcommand(list))
    }

    fn with(text: &str, before: &[&str], after: &[&str]) -> Result<Configuration, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.toml");
        fs::write(&path, text.replace("FOLDER", &folder.path().display().to_string())).unwrap();
        fs::write(folder.path().join("secret"), "smtp://hush\n").unwrap();
        let path = path.display().to_string();
        let words = ["muster"].iter().chain(before).copied().chain(["--config", &path]).chain(after.iter().copied());
        read(&program(), "serve", &words.map(OsString::from).collect::<Vec<_>>())
    }

    fn shown(found: &Configuration, name: &str) -> (String, String) {
        let setting = found.settings.iter().find(|one| one.name == name).unwrap();
        let origin = setting.origin.to_string();
        (setting.shown().to_owned(), origin.split(' ').next().unwrap().to_owned())
    }

    #[test]
    fn an_option_comes_before_the_file_and_that_before_the_default() {
        let text = "listen = 9.5\nworkers = 3\nlog = \"debug\"\nbehind-proxy = true\nallow = [\"a\", \"b\"]\n\
                    tls-cert = \"c\"\ntls_key = \"k\"\n";
        let found = with(text, &["serve"], &["--listen", "7"]).unwrap();
        let expected = [
            ("listen", "7", "option"),
            ("workers", "3", "file"),
            ("log", "debug", "file"),
            ("behind-proxy", "true", "file"),
            ("allow", "a,b", "file"),
            ("tls-key", "k", "file"),
            ("smtp-url", "none", "default"),
        ];
        for (name, value, origin) in expected {
            assert_eq!(shown(&found, name), (value.to_owned(), origin.to_owned()), "{name}");
        }
        let serve = found.matches.subcommand_matches("serve").unwrap();
        assert_eq!(serve.get_one::<u16>("workers"), Some(&3));
        assert_eq!(serve.get_many::<String>("allow").unwrap().collect::<Vec<_>>(), ["a", "b"]);
        let other = with("listen = \"8\"\nworkers = 2\n", &["--log", "warn", "key", "list"], &[]).unwrap();
        assert_eq!(shown(&other, "workers").0, "2", "a command takes what it has an option for");
        assert_eq!(changed(&found.settings, &found.settings), Vec::<String>::new());
        assert_eq!(changed(&found.settings, &other.settings), ["config", "workers", "log"]);
    }

    #[test]
    fn an_empty_list_is_none() {
        let found = with("allow = []\n", &["serve"], &[]).unwrap();
        assert_eq!(shown(&found, "allow"), ("none".to_owned(), "file".to_owned()));
        assert!(found.matches.subcommand_matches("serve").unwrap().get_many::<String>("allow").is_none());
        let Err(Error::File(faults)) = with("listen = []\n", &["serve"], &[]) else { panic!("it is taken") };
        assert!(faults.join("").contains("m.toml:1: listen: write "), "{faults:?}");
    }

    #[test]
    fn a_secret_is_not_shown_and_may_stand_in_a_file() {
        for text in ["smtp-url = \"smtp://hush\"\n", "smtp-url-file = \"FOLDER/secret\"\n"] {
            let found = with(text, &["serve"], &[]).unwrap();
            assert_eq!(shown(&found, "smtp-url"), ("[secret]".to_owned(), "file".to_owned()));
            let serve = found.matches.subcommand_matches("serve").unwrap();
            assert_eq!(serve.get_one::<String>("smtp").map(String::as_str), Some("smtp://hush"));
        }
    }

    #[test]
    fn all_that_is_wrong_is_said_at_once() {
        let text = "listn = 1\nworkers = \"many\"\nbehind-proxy = 1\nsmtp-url-file = \"FOLDER/none\"\n[more]\nx = 1\n";
        let Err(Error::File(faults)) = with(text, &["serve"], &[]) else { panic!("it is taken") };
        let said = faults.join("\n");
        for part in [
            "m.toml:1: listn is not a setting; did you mean listen?",
            "m.toml:2: workers: ",
            "m.toml:3: ",
            "m.toml:4: ",
            "m.toml:5: more is not a setting: the file has no sections; write settings without a line [more]",
        ] {
            assert!(said.contains(part), "{part} is not in\n{said}");
        }
        let Err(Error::File(faults)) = with("listen = = 1\n", &["serve"], &[]) else { panic!("it is taken") };
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert!(matches!(with("tls-cert = \"c\"\n", &["serve"], &[]), Err(Error::CommandLine(_))), "it needs a key");
    }
}
