//! The documents say what is there: their links lead somewhere, the reference leaves out no operation, and the names
//! by which code and documents refer to each other exist.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use muster_tests::{Exit, Guard, http, muster, skipped, without_variables_of_cargo};
use rustix::process::{Pid, Signal, kill_process_group};

use crate::house::{WIDEST_LINE, files, operations, read, root};

/// The prefix that docs/interface.md states once.
const TENANT: &str = "/api/v2/tenants/{tenantId}";

/// Every document of the repository, by its path from the root.
fn documents() -> Vec<String> {
    let top = std::fs::read_dir(root()).into_iter().flatten().flatten();
    let top = top.map(|entry| entry.file_name().to_string_lossy().into_owned()).filter(|name| name.ends_with(".md"));
    top.chain(files("docs", ".md")).collect()
}

/// The reference of the interface: the page of conventions, and those of the domains.
fn reference() -> String {
    let pages = files("docs/interface", ".md").into_iter().map(|page| read(&page));
    std::iter::once(read("docs/interface.md")).chain(pages).collect()
}

/// The lines that are prose: not those of a code block.
fn prose(text: &str) -> Vec<&str> {
    let mut inside = false;
    let mut is_prose = |line: &&str| {
        let fence = line.trim_start().starts_with("```");
        inside ^= fence;
        !inside && !fence
    };
    text.lines().filter(|line| is_prose(line)).collect()
}

fn headings(text: &str) -> Vec<String> {
    let lines = prose(text).into_iter().filter(|line| line.starts_with('#'));
    lines.map(|line| line.trim_start_matches('#').trim().to_owned()).collect()
}

/// The anchor of a heading: lower case, blanks as hyphens, without punctuation.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
    kept.map(|letter| if letter == ' ' { '-' } else { letter.to_ascii_lowercase() }).collect()
}

/// What stands between backquotes.
fn quoted_code(text: &str) -> Vec<String> {
    prose(text).iter().flat_map(|line| line.split('`').skip(1).step_by(2)).map(ToOwned::to_owned).collect()
}

#[test]
fn links_lead_somewhere() {
    for document in documents() {
        let text = read(&document);
        let folder = document.rsplit_once('/').map_or("", |(folder, _)| folder);
        for piece in prose(&text).join("\n").split("](").skip(1) {
            let target = piece.split(')').next().unwrap_or_default();
            if target.contains("://") {
                continue;
            }
            let (file, place) = target.split_once('#').unwrap_or((target, ""));
            let path = if file.is_empty() { root().join(&document) } else { root().join(folder).join(file) };
            assert!(path.exists(), "{document}: {target} leads nowhere");
            if !place.is_empty() {
                let linked = std::fs::read_to_string(&path).unwrap_or_default();
                let known = headings(&linked).iter().any(|heading| anchor(heading) == place);
                assert!(known, "{document}: {target} names no heading");
            }
        }
    }
}

/// But for tables, and for what has no blank to break it at.
#[test]
fn paragraphs_are_no_wider_than_code() {
    for document in documents() {
        for line in prose(&read(&document)) {
            let fits = line.chars().count() <= WIDEST_LINE || line.starts_with('|') || !line.trim().contains(' ');
            assert!(fits, "{document}: wider than {WIDEST_LINE} columns: {line}");
        }
    }
}

#[test]
fn files_that_documents_name_exist() {
    const FOLDERS: [&str; 7] = ["crates/", "gateway/", "tests/", "docs/", "openapi/", "scripts/", ".ci/"];
    for document in documents() {
        for name in quoted_code(&read(&document)) {
            let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte));
            if plain && FOLDERS.iter().any(|folder| name.starts_with(folder)) {
                assert!(root().join(&name).exists(), "{document} names {name}, which is not there");
            }
        }
    }
}

#[test]
fn every_operation_is_in_the_reference() {
    let known: BTreeSet<String> = quoted_code(&reference()).into_iter().collect();
    for (operation, _) in operations() {
        let below = operation.replacen(TENANT, "", 1);
        let found = known.contains(&operation) || known.contains(&below);
        assert!(found, "docs/interface.md and its pages do not have `{below}`");
    }
}

/// What the reference describes as an operation is one: `GET /path` in backquotes.
#[test]
fn the_reference_invents_no_operation() {
    const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
    const OUTSIDE: [&str; 6] =
        ["/health/live", "/health/ready", "/metrics", "/docs", "/openapi.json", "/openapi-3.0.json"];
    let known: BTreeSet<String> = operations().into_iter().map(|(operation, _)| operation).collect();
    let text = reference();
    for name in quoted_code(&text) {
        let Some((method, path)) = name.split_once(' ') else { continue };
        if METHODS.contains(&method) && path.starts_with('/') && !OUTSIDE.contains(&path) {
            let below = format!("{method} {TENANT}{path}");
            assert!(
                known.contains(&name) || known.contains(&below),
                "docs/interface.md or one of its pages invents `{name}`"
            );
        }
    }
}

/// A comment that sends the reader to a section by name: `("Resource type" in docs/interface.md)`.
#[test]
fn sections_that_the_code_refers_to_exist() {
    let text = reference();
    let bold = text.split("**").skip(1).step_by(2).map(|name| name.trim_end_matches('.').to_owned());
    let known: BTreeSet<String> = headings(&text).into_iter().chain(bold).map(|name| name.to_lowercase()).collect();
    let mut referred = 0;
    for path in files("crates", ".rs") {
        for sentence in comments(&read(&path)).split(". ").filter(|sentence| sentence.contains("docs/interface.md")) {
            for name in sentence.split('"').skip(1).step_by(2) {
                assert!(known.contains(&name.to_lowercase()), "{path} refers to {name:?}, which is not a section");
                referred += 1;
            }
        }
    }
    assert!(referred > 5, "the references are written in another way now");
}

/// The comments of a source as one text; a line of code ends a sentence.
fn comments(source: &str) -> String {
    let lines = source.lines().map(|line| match line.trim_start().strip_prefix("//") {
        Some(comment) => comment.trim_start_matches(['/', '!']),
        None => ". ",
    });
    lines.collect()
}

#[test]
fn every_setting_is_in_the_operations_page() {
    let page = read("docs/operations.md");
    let own = ["gateway/src", "crates/cli/src", "crates/convert/src", "crates/runner/src", "crates/transfer/src"]
        .map(|folder| files(folder, ".rs"))
        .concat();
    let own = own.into_iter().map(|path| read(&path));
    // Domains declare settings too, each as the `variable` of one.
    let declared = files("crates", ".rs")
        .into_iter()
        .map(|path| read(&path).lines().filter(|line| line.trim_start().starts_with("variable: ")).collect::<String>());
    let sources = own.chain(declared);
    let settings: BTreeSet<String> = sources
        .flat_map(|source| {
            let pieces = source.split('"').skip(1).step_by(2);
            let names = pieces.filter(|name| name.starts_with("MUSTER_"));
            let whole = names.filter(|name| name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_'));
            whole.map(ToOwned::to_owned).collect::<Vec<_>>()
        })
        .collect();
    assert!(settings.len() > 5, "{settings:?}");
    for name in settings {
        assert!(page.contains(&name), "docs/operations.md does not have {name}");
    }
}

/// The first command of the README, but for the directory of the data and the port.
#[test]
fn make_run_builds_and_starts_the_service() {
    let directory = tempfile::tempdir().unwrap();
    let mut command = Command::new("make");
    command.arg("run").arg(format!("DATA={}", directory.path().display())).arg("ARGS=--listen 127.0.0.1:0");
    // Under `make test` it would take itself for a part of that.
    command.current_dir(root()).env_remove("MAKEFLAGS").env_remove("MAKELEVEL");
    without_variables_of_cargo(&mut command);
    let mut running = Guard::spawn(command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped()));
    let group = Pid::from_child(running.process());
    let out = running.process().stdout.take().unwrap();
    let mut err = running.process().stderr.take().unwrap();
    // What it says beside is read, lest it waits for that.
    let beside = std::thread::spawn(move || {
        let mut told = String::new();
        err.read_to_string(&mut told).map(|_| told)
    });
    let mut lines = BufReader::new(out).lines().map_while(Result::ok);
    let base = lines.find_map(|line| line.strip_prefix("Muster listens at ").map(ToOwned::to_owned));
    let live = base.as_ref().map(|base| http().get(format!("{base}/health/live")).send().unwrap().status());
    // The service is a child of make.
    let _ = kill_process_group(group, Signal::KILL);
    let told = beside.join().unwrap().unwrap();
    assert_eq!(live.map(|status| status.as_u16()), Some(200), "{told}");
    assert!(directory.path().join("credentials.env").is_file(), "the README reads it next");
}

/// Anyone who has no Python or curl is told that it was not tried, unless `CI` is `true`.
#[test]
fn the_blocks_of_the_readme_do_what_it_says_twice() {
    let has =
        |program: &str| Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    if !has("python3") || !has("curl") {
        skipped("there is no python3 or no curl to paste the README with");
        return;
    }
    let mut command = Command::new("python3");
    command.arg(root().join("scripts/readme.py")).arg(muster().get_program());
    let exit = Exit::within(Duration::from_secs(240), &mut command);
    assert!(exit.status.success(), "{}{}", exit.stdout, exit.stderr);
}

/// The filters of `make blackbox` that the documents show find tests, and one that finds none says so before it builds.
#[test]
fn filters_of_tests_find_some() {
    let own = std::env::current_exe().unwrap();
    let listed = Exit::of(Command::new(own).args(["--list", "--format", "terse"])).stdout;
    let names: Vec<&str> = listed.lines().filter_map(|line| line.strip_suffix(": test")).collect();
    let mut shown = 0;
    for document in documents().into_iter().chain(["Makefile".to_owned()]) {
        let text = read(&document);
        let of_make = text.split("make blackbox FILTER=").skip(1).filter_map(|rest| rest.split('`').next());
        let filters = of_make.chain(
            text.split("all words of FILTER in their names, such as")
                .skip(1)
                .flat_map(|rest| rest.split('.').next().unwrap_or_default().split('"').skip(1).step_by(2)),
        );
        for filter in filters {
            shown += 1;
            let words: Vec<&str> = filter.split([':', ' ']).filter(|word| !word.is_empty()).collect();
            let has_all = |name: &&&str| {
                let mut rest = **name;
                words.iter().all(|word| rest.split_once(word).map(|(_, behind)| rest = behind).is_some())
            };
            assert!(names.iter().any(|name| has_all(&name)), "{document}: {filter:?} finds no test");
        }
    }
    assert!(shown >= 4, "{shown} filters are shown");
    let word = muster_tests::uuid();
    let mut nothing = Command::new("sh");
    nothing.arg(root().join("scripts/blackbox.sh")).arg(format!("rosters::{word}"));
    let exit = Exit::within(Duration::from_secs(10), &mut nothing);
    let said = format!("no test has {word} in its name");
    assert!(!exit.status.success() && exit.stderr.contains(&said), "{}", exit.stderr);
}

/// What a change has to pass is what the page for contributors says, and the scripts of it are there.
#[test]
fn ci_runs_what_contributing_says() {
    let ci = read(".ci/run");
    let page = read("CONTRIBUTING.md");
    for script in ["scripts/tools.sh", "scripts/prettier.sh", "scripts/deny.sh"] {
        assert!(ci.contains(&format!("step sh {script}")) && page.contains(&format!("`{script}`")), "{script}");
    }
    for step in ["make test", "make template", "make drift", "make contract", "cargo fmt", "cargo clippy"] {
        assert!(ci.contains(&format!("step {step}")), "{step}");
    }
    assert!(read("scripts/deny.sh").contains("cargo deny check bans licenses sources"));
}
