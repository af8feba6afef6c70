//! `muster completions`: a script for a shell, which asks the program itself (`muster complete`) what may come next.

use std::io::{Write as _, stdout};

use anyhow::Context as _;
use clap::Command;
use serde_json::Value;

use crate::{
    complete::{self, option_awaiting_value, options, values},
    options::{Complete, Completions, Shell},
};

const BASH: &str = r#"# Completion of muster for bash: the program says what may come next,
# and files are named where it says nothing.
_muster() {
    local IFS=$'\n'
    COMPREPLY=($("$1" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _muster muster
"#;

const ZSH: &str = r#"#compdef muster
# Completion of muster for zsh: the program says what may come next, and files are named where it says nothing.
_muster() {
    local -a found
    found=("${(@f)$("${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    if [[ -n "${found[1]}" ]]; then
        compadd -- "${found[@]}"
    else
        _files
    fi
}
if [[ "${funcstack[1]}" == _muster ]]; then
    _muster "$@"
else
    compdef _muster muster
fi
"#;

const FISH: &str = r#"# Completion of muster for fish: the program says what may come next,
# and files are named where it says nothing.
function __muster_complete
    set -l words (commandline -opc)
    set -l found ($words[1] complete -- $words[2..-1] (commandline -ct) 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c muster -f -a '(__muster_complete)'
"#;

/// `muster completions`: prints the script for a shell.
///
/// # Errors
/// When it cannot be printed.
pub fn completions(arguments: &Completions) -> anyhow::Result<()> {
    let script = match arguments.shell {
        Shell::Bash => BASH,
        Shell::Zsh => ZSH,
        Shell::Fish => FISH,
    };
    stdout().lock().write_all(script.as_bytes()).context("printing")
}

/// `muster complete`: prints what the last of some words of `program` may become, a line each; nothing where any text
/// or file may stand. `document` makes the OpenAPI document, for words behind `api`.
///
/// # Errors
/// When the lines cannot be printed.
pub fn complete(
    arguments: &Complete,
    program: Command,
    document: impl FnOnce() -> anyhow::Result<Value>,
) -> anyhow::Result<()> {
    let (partial, before) =
        arguments.words.split_last().map_or(("", [].as_slice()), |(last, before)| (last.as_str(), before));
    let candidates = match before.split_first() {
        Some((first, words)) if first == "api" => complete::complete(words, partial, document),
        _ => complete_command(program, before, partial),
    };
    let lines: String =
        candidates.iter().filter(|one| one.starts_with(partial)).map(|one| format!("{one}\n")).collect();
    stdout().lock().write_all(lines.as_bytes()).context("printing")
}

/// What may stand behind some words of a command that is not `api`.
fn complete_command(mut program: Command, words: &[String], partial: &str) -> Vec<String> {
    // Gives each command the options of all.
    program.build();
    let mut command = &program;
    let mut pending = None;
    for word in words {
        pending = match pending {
            // It was the value of the option before.
            Some(_) => None,
            None => option_awaiting_value(command, word),
        };
        if let Some(below) = command.find_subcommand(word) {
            command = below;
        }
    }
    if let Some(option) = pending {
        return values(option);
    }
    if partial.starts_with('-') {
        return options(command);
    }
    let below = command.get_subcommands().filter(|one| !one.is_hide_set()).map(|one| one.get_name().to_owned());
    let places = command.get_positionals().flat_map(values);
    below.chain(places).collect()
}
