//! A crate alone is compiled with the features that all crates have together (`crates/features`): whoever has built the
//! workspace then builds or tests one crate of it without compiling a library anew. Read off `cargo tree`; nothing is
//! compiled.

use std::collections::BTreeSet;
use std::process::Command;

use crate::house::{packages, root};

/// What to look at: all that is compiled for a build, and for tests; and what of it is for the program and not for
/// macros and build scripts, which may have features of their own.
const PARTS: [&str; 3] = ["normal,build", "normal,build,dev", "normal,no-proc-macro"];

#[test]
fn a_crate_alone_finds_the_libraries_of_the_workspace_compiled() {
    let names: Vec<String> = packages().into_iter().map(|package| package.name).collect();
    for part in PARTS {
        let together = libraries(&["--workspace", "--edges", part]);
        assert!(together.len() > 100, "cargo tree names only {} libraries", together.len());
        for name in &names {
            let alone = libraries(&["--package", name, "--edges", part]);
            let others: Vec<&String> = alone.difference(&together).collect();
            let known = together.iter().filter(|one| others.iter().any(|other| is_same(one, other)));
            assert!(
                others.is_empty(),
                "of {part}, {name} alone compiles {others:#?}, and the workspace compiles {:#?}: crates/features/Cargo.toml has \
                 to name what one of them lacks",
                known.collect::<Vec<_>>()
            );
        }
    }
}

/// Libraries with their versions and features, as Cargo resolves them.
fn libraries(arguments: &[&str]) -> BTreeSet<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["tree", "--offline", "--prefix", "none", "--format", "{p}|{f}"]).args(arguments);
    let output = command.current_dir(root()).output().unwrap_or_else(|error| panic!("cargo tree: {error}"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    // One that was named before has a mark, and no list of what it needs.
    let named = lines.lines().map(|line| line.trim_end_matches(" (*)").to_owned());
    named.filter(|line| !line.is_empty()).collect()
}

/// Are these the same library, whatever its features?
fn is_same(one: &str, other: &str) -> bool {
    one.split('|').next() == other.split('|').next()
}
