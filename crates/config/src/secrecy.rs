//! What messages may not show: values of options that hold secrets, or may hold one when they are mistyped.

use clap::{
    Arg, Command,
    error::{ContextKind, ContextValue},
};

/// In place of a secret.
pub(crate) const SECRET: &str = "[secret]";

/// Is the value one that `--help` does not show?
pub(crate) fn is_secret(option: &Arg) -> bool {
    option.is_hide_env_values_set()
}

/// May the value be a URL with a password?
fn is_url(text: &str) -> bool {
    text.contains("://") || text.contains('@')
}

/// A value as it may be shown.
pub(crate) fn shown<'t>(option: &Arg, value: &'t str) -> &'t str {
    if is_secret(option) || (value.contains("://") && value.contains('@')) { SECRET } else { value }
}

/// The error without what may hold a secret: the value of such an option, and a URL in a place where none belongs.
/// `command` is the one whose options the error is about.
pub(crate) fn without_values(mut error: clap::Error, command: &Command) -> clap::Error {
    let long = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(argument)) => long_name(argument).to_owned(),
        _ => String::new(),
    };
    let option = command.get_arguments().find(|option| option.get_long() == Some(&long));
    let takes_url = |option: &Arg| option.get_value_names().unwrap_or_default().iter().any(|name| name == "URL");
    let hides_value = option.is_some_and(|option| is_secret(option) || takes_url(option));
    let found: Vec<(ContextKind, ContextValue)> = error.context().map(|(kind, value)| (kind, value.clone())).collect();
    for (kind, value) in found {
        let hides = |text: &str| is_url(text) || (hides_value && kind == ContextKind::InvalidValue);
        let replacement = match value {
            ContextValue::String(text) if hides(&text) => ContextValue::String(SECRET.to_owned()),
            ContextValue::Strings(texts) if texts.iter().any(|text| hides(text)) => ContextValue::None,
            ContextValue::StyledStr(text) if kind != ContextKind::Usage && is_url(&text.to_string()) => {
                ContextValue::None
            }
            ContextValue::StyledStrs(texts) if texts.iter().any(|text| is_url(&text.to_string())) => ContextValue::None,
            _ => continue,
        };
        error.insert(kind, replacement);
    }
    error
}

/// The name of an option as an error has it, such as `--data-dir <DIR>`.
pub(crate) fn long_name(argument: &str) -> &str {
    argument.split([' ', '=']).next().unwrap_or_default().trim_start_matches("--")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<String, String> {
        if text == "good" { Ok(text.to_owned()) } else { Err("write good".to_owned()) }
    }

    #[test]
    fn no_error_shows_what_may_be_a_secret() {
        let database = Arg::new("database").long("database-url").hide_env_values(true).value_parser(parse);
        let endpoint = Arg::new("endpoint").long("endpoint").value_name("URL").value_parser(parse);
        let level = Arg::new("level").long("level").value_parser(["low", "high"]);
        let command = Command::new("serve").args([database, endpoint, level]);
        let told = |words: &[&str]| {
            let words = std::iter::once("serve").chain(words.iter().copied());
            let error = command.clone().try_get_matches_from(words).unwrap_err();
            without_values(error, &command).to_string()
        };
        for words in [
            ["--database-url", "hush"],
            ["--database-url", "postgre://u:hush@h"],
            ["--endpoint", "hush"],
            ["--level", "http://u:hush@h"],
            ["--level=low", "postgres://u:hush@h"],
            ["--level=low", "--x=postgres://u:hush@h"],
        ] {
            assert!(!told(&words).contains("hush"), "{}", told(&words));
        }
        let text = told(&["--database-url", "hush"]);
        assert!(text.contains("invalid value '[secret]' for '--database-url <database>': write good"), "{text}");
        assert!(told(&["--level", "wrong"]).contains("'wrong'"), "what is not a secret is shown");
    }
}
