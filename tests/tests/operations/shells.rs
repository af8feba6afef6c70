//! The scripts of `muster completions` in the shells that they are for.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Once;

use muster_tests::{Exit, muster, skipped};

use crate::house::root;

/// Words that somebody has typed so far, and what the last of them may become.
const TYPED: [(&[&str], &[&str]); 4] = [
    (&["api", "searchRes"], &["searchResources"]),
    (&["api", "searchResources", "--query"], &["--queryString"]),
    (&["completions", ""], &["bash", "fish", "zsh"]),
    (&["api", "reportAlert", "--currentState", "C"], &["Critical"]),
];

/// Loads the completions as compinit does, from a folder of the search path, or as a file of one's own; then asks them,
/// with words and the place of the cursor as zsh's editor gives them. What would be offered is printed.
const ZSH: &str = r#"
[[ "$1" == autoload ]] && fpath=("${2:h}" $fpath)
autoload -U compinit && compinit -u -D
[[ "$1" == autoload ]] || source "$2"
[[ "$_comps[muster]" == _muster ]] || { print "muster has the completion ${_comps[muster]:-of files}"; exit 3 }
compadd() { shift; print -rl -- "$@" }
_files() { print files }
words=(muster "${(@)argv[3,-1]}")
CURRENT=$#words
_muster
"#;

#[test]
fn zsh_completes_operations_and_their_fields() {
    if !has("zsh") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = script(folder.path(), "zsh", "_muster");
    let asks = folder.path().join("asks");
    fs::write(&asks, ZSH).unwrap();
    let complete = |how: &str, words: &[&str]| {
        let mut zsh = shell("zsh", folder.path());
        lines(zsh.arg("-f").args([asks.as_path(), Path::new(how), file.as_path()]).args(words))
    };
    for how in ["autoload", "source"] {
        for (words, expected) in TYPED {
            assert_eq!(complete(how, words), expected, "{how} {words:?}");
        }
        assert_eq!(
            complete(how, &["api", "reportAlert", "--subject", ""]),
            ["files"],
            "{how}: any text may stand there"
        );
    }
}

#[test]
fn fish_completes_operations_and_their_fields() {
    if !has("fish") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = script(folder.path(), "fish", "muster.fish");
    for (words, expected) in TYPED {
        let ask = format!("source {}; complete -C 'muster {}'", file.display(), words.join(" "));
        let found = lines(shell("fish", folder.path()).args(["--no-config", "-c", ask.as_str()]));
        assert_eq!(found, expected, "{words:?}");
    }
}

/// Bash itself is asked, where it is there.
#[test]
fn bash_completes_operations_and_their_fields() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("muster.bash");
    fs::write(&file, Exit::of(muster().args(["completions", "bash"])).stdout).unwrap();
    let complete = |words: &str, at: usize| {
        let script = format!(
            "source {}; COMP_WORDS=({words}); COMP_CWORD={at}; _muster {} \"${{COMP_WORDS[{at}]}}\" \
             \"${{COMP_WORDS[{}]}}\"; echo \"${{COMPREPLY[@]}}\"",
            file.display(),
            muster().get_program().display(),
            at - 1
        );
        Command::new("bash").args(["--norc", "-c", &script]).output()
    };
    let Ok(found) = complete("muster api searchRes", 2) else {
        skipped("there is no bash");
        return;
    };
    assert_eq!(String::from_utf8_lossy(&found.stdout).trim(), "searchResources");
    let found = complete("muster api searchResources --query", 3).unwrap();
    assert_eq!(String::from_utf8_lossy(&found.stdout).trim(), "--queryString");
}

/// Is a shell here, or can it be installed? Where it cannot, the terminal says so, and with `CI=true` that is a
/// failure.
fn has(shell: &str) -> bool {
    static LOOKED: Once = Once::new();
    LOOKED.call_once(|| drop(Command::new("sh").arg(root().join("scripts/shells.sh")).stdin(Stdio::null()).output()));
    let found = Command::new(shell).arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        skipped(&format!("there is no {shell} here, nor could it be installed"));
    }
    found
}

/// The script for a shell, in a file.
fn script(folder: &Path, shell: &str, name: &str) -> PathBuf {
    let file = folder.join(name);
    fs::write(&file, Exit::of(muster().args(["completions", shell])).stdout).unwrap();
    file
}

/// A shell that finds `muster`, and nothing of anyone who runs the tests.
fn shell(name: &str, home: &Path) -> Command {
    let program = muster().get_program().to_owned();
    let link = home.join("bin/muster");
    fs::create_dir_all(home.join("bin")).unwrap();
    if !link.exists() {
        std::os::unix::fs::symlink(program, &link).unwrap();
    }
    let mut path = OsString::from(home.join("bin"));
    path.push(":");
    path.push(env::var_os("PATH").unwrap_or_default());
    let mut command = Command::new(name);
    command.env("PATH", path).env("HOME", home).env("XDG_CONFIG_HOME", home).env_remove("ZDOTDIR");
    command
}

/// What a command prints, in order; it has to go well, without a word on stderr.
fn lines(command: &mut Command) -> Vec<String> {
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && complaints.is_empty(), "{text}{complaints}");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}
