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
