//! The clients in `openapi/clients` as their users have them: made, installed, checked as strictly as the language can,
//! and driven through the same story against a real server. `story.*` of each language is that user's program: a token,
//! three kinds of resources, a thousand rows in bulk and out again, people on call, a window, an incident, every kind
//! of refusal, and a server that is killed in the middle.

mod way;

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use muster_tests::{Backend, Exit, Guard, Server, skipped, skipped_everywhere, without_variables_of_cargo};
use serde_json::json;
use tempfile::TempDir;

use self::way::ServerProxy;
use crate::house::{read, root};

/// For packages that are fetched, generated, compiled.
const LONG: Duration = Duration::from_secs(600);

/// Incidents that the story makes while the server is killed.
const INTERRUPTED: usize = 60;

#[test]
fn typescript() {
    let Some(package) = package("typescript", true) else { return };
    let user = user("typescript", &["story.ts", "tsconfig.json"]);
    let at = |path: &str| user.path().join(path);
    let given = |name: &str| format!("(process.env[\"STORY_{name}\"] ?? \"\")");
    let readme = readme("typescript", &given("URL"));
    let constants = format!("const KEY = {};\nconst SECRET = {};\n", given("KEY"), given("SECRET"));
    std::fs::write(at("readme.ts"), constants + &readme).unwrap();
    std::fs::write(at("package.json"), r#"{"type": "module", "private": true}"#).unwrap();
    std::fs::create_dir_all(at("node_modules/muster-client")).unwrap();
    let archive = only(&package, ".tgz");
    let into = at("node_modules/muster-client");
    run(Command::new("tar").args(["--strip-components=1", "-xzf"]).arg(archive).arg("-C").arg(into));
    // What the package was made with: the compiler, and the types of Node.js.
    let tools = package.join("node_modules");
    std::os::unix::fs::symlink(tools.join("@types"), at("node_modules/@types")).unwrap();
    run(Command::new(tools.join(".bin/tsc")).current_dir(user.path()));
    let program = |name: &str| {
        let mut command = Command::new("node");
        command.arg(at("out").join(name));
        command
    };
    tell("typescript", &mut program("readme.js"), &mut program("story.js"));
}

#[test]
fn python() {
    let Some(package) = package("python", true) else { return };
    let user = user("python", &["story.py"]);
    let readme = readme("python", "os.environ[\"STORY_URL\"]");
    let constants = "import os\nKEY, SECRET = os.environ[\"STORY_KEY\"], os.environ[\"STORY_SECRET\"]\n";
    std::fs::write(user.path().join("readme.py"), format!("{constants}{readme}")).unwrap();
    let tools = package.join("tools/bin");
    let installed = package.join("installed");
    let strict = ["--strict", "--disallow-any-explicit", "--disallow-any-expr", "--warn-unreachable"];
    let mut check = Command::new(tools.join("mypy"));
    check.args(strict).args(["--follow-imports=silent", "story.py", "readme.py"]);
    run(check.env("MYPYPATH", &installed).current_dir(user.path()));
    let program = |name: &str| {
        let mut command = Command::new(tools.join("python"));
        command.arg(user.path().join(name)).env("PYTHONPATH", &installed);
        command
    };
    tell("python", &mut program("readme.py"), &mut program("story.py"));
}

#[test]
fn rust() {
    let Some(package) = package("rust", false) else { return };
    let user = user("rust", &["story.rs"]);
    let given = |name: &str| format!("&std::env::var(\"STORY_{name}\").unwrap_or_default()");
    let readme = readme("rust", &given("URL"));
    let readme = readme.replace("\"KEY\"", &given("KEY")).replace("\"SECRET\"", &given("SECRET"));
    std::fs::write(user.path().join("readme.rs"), readme).unwrap();
    let library = package.join("muster-client");
    let program = |name: &str| format!("[[bin]]\nname = \"{name}\"\npath = \"{name}.rs\"\n");
    let manifest = format!(
        "[workspace]\n[package]\nname = \"story\"\nversion = \"0.0.0\"\nedition = \"2024\"\n{}{}\
         [dependencies]\nmuster-client = {{ path = {library:?} }}\n[profile.dev]\ndebug = false\n",
        program("story"),
        program("readme")
    );
    std::fs::write(user.path().join("Cargo.toml"), manifest).unwrap();
    std::fs::copy(library.join("Cargo.lock"), user.path().join("Cargo.lock")).unwrap();
    let target = package.join("target");
    let mut build = Command::new("cargo");
    build.args(["build", "--quiet"]).current_dir(user.path()).env("CARGO_TARGET_DIR", &target);
    run(without_variables_of_cargo(build.env("RUSTFLAGS", "-D warnings")));
    let program = |name: &str| Command::new(target.join("debug").join(name));
    tell("rust", &mut program("readme"), &mut program("story"));
}

#[test]
fn go() {
    let Some(package) = package("go", false) else { return };
    let user = user("go", &["story.go"]);
    let readme = readme("go", "os.Getenv(\"STORY_URL\")");
    let readme = format!(
        "package main\n\nimport (\n\"context\"\n\"errors\"\n\"fmt\"\n\"os\"\n\n\"muster\"\n)\n\nfunc read() error {{\n\
         ctx, key, secret := context.Background(), os.Getenv(\"STORY_KEY\"), os.Getenv(\"STORY_SECRET\")\n{readme}\n\
         return resources.Err()\n}}\n\nfunc main() {{\nif err := read(); err != nil {{\npanic(err)\n}}\n}}\n"
    );
    std::fs::create_dir(user.path().join("readme")).unwrap();
    std::fs::write(user.path().join("readme/main.go"), readme).unwrap();
    let module = package.join("muster");
    let text = format!("module story\n\ngo 1.19\n\nrequire muster v0.0.0\n\nreplace muster => {}\n", module.display());
    std::fs::write(user.path().join("go.mod"), text).unwrap();
    let goroot = PathBuf::from(std::fs::read_to_string(package.join("goroot")).unwrap().trim());
    let go = |arguments: &[&str]| {
        let mut command = Command::new(goroot.join("bin/go"));
        command.env("GOROOT", &goroot).env("GOPROXY", "off").env("GOCACHE", package.join("cache"));
        run(command.env("GOFLAGS", "-mod=mod").current_dir(user.path()).args(arguments));
    };
    go(&["vet", "./..."]);
    go(&["build", "-o", "bin-story", "."]);
    go(&["build", "-o", "bin-readme", "./readme"]);
    let program = |name: &str| Command::new(user.path().join(name));
    tell("go", &mut program("bin-readme"), &mut program("bin-story"));
}

#[test]
fn java() {
    let Some(package) = package("java", false) else { return };
    let user = user("java", &["Story.java"]);
    let readme = readme("java", "System.getenv(\"STORY_URL\")");
    let readme = format!(
        "import net.muster.*;\nimport net.muster.api.*;\nimport net.muster.model.*;\n\npublic class Readme {{\n\
         public static void main(String[] arguments) {{\n\
         String KEY = System.getenv(\"STORY_KEY\"), SECRET = System.getenv(\"STORY_SECRET\");\n{readme}\n}}\n}}\n"
    );
    std::fs::write(user.path().join("Readme.java"), readme).unwrap();
    let libraries = std::fs::read_dir(package.join("lib")).unwrap().flatten().map(|entry| entry.path());
    let path: Vec<PathBuf> = libraries.chain([only(&package, ".jar"), user.path().to_owned()]).collect();
    let path = std::env::join_paths(path).unwrap();
    let strict = ["-Xlint:all,-path", "-Werror", "--release", "17", "-d", "."];
    let mut compile = Command::new("javac");
    compile.args(strict).arg("-cp").arg(&path).args(["Story.java", "Readme.java"]);
    run(compile.current_dir(user.path()));
    let program = |name: &str| {
        let mut command = Command::new("java");
        command.arg("-cp").arg(&path).arg(name);
        command
    };
    tell("java", &mut program("Readme"), &mut program("Story"));
}

/// The package of a language, made anew. `None`, and a line on the terminal that says so, where the tools are missing;
/// where they are `required` and `CI` is `true`, that is a failure.
fn package(language: &str, required: bool) -> Option<PathBuf> {
    let program = std::env::current_exe().unwrap();
    let target = program.ancestors().nth(3).unwrap();
    let mut command = Command::new("sh");
    command.arg(root().join("openapi/clients/build.sh")).arg(language).env("CARGO_TARGET_DIR", target);
    let exit = Exit::within(LONG, &mut command);
    match exit.status.code() {
        Some(0) => Some(target.join("clients").join(language)),
        Some(3) => {
            let why = format!("the client in {language}: {}", exit.stderr.trim());
            if required {
                skipped(&why);
            } else {
                skipped_everywhere(&why);
            }
            None
        }
        _ => panic!("the client in {language} cannot be made\n{}{}", exit.stdout, exit.stderr),
    }
}

/// A directory of the user of a client, with the files of the story.
fn user(language: &str, files: &[&str]) -> TempDir {
    let directory = tempfile::Builder::new().prefix("muster-test-").tempdir().unwrap();
    for file in files {
        std::fs::copy(root().join("tests/tests/clients").join(language).join(file), directory.path().join(file))
            .unwrap();
    }
    directory
}

/// The program in the README of a client, with another address of the service.
fn readme(language: &str, address: &str) -> String {
    let text = read(&format!("openapi/clients/{language}/README.md"));
    let block = text.split("\n```").nth(1).unwrap_or_else(|| panic!("the README of {language} has no program"));
    let (_, program) = block.split_once('\n').unwrap();
    assert!(program.contains("\"http://127.0.0.1:8080\""), "{program}");
    program.replace("\"http://127.0.0.1:8080\"", address)
}

/// The one file with this ending.
fn only(directory: &Path, ending: &str) -> PathBuf {
    let files = std::fs::read_dir(directory).unwrap().flatten().map(|entry| entry.path());
    let mut files = files.filter(|path| path.to_string_lossy().ends_with(ending));
    let found = files.next().unwrap_or_else(|| panic!("no {ending} in {}", directory.display()));
    assert_eq!(files.next(), None, "two {ending} in {}", directory.display());
    found
}

#[track_caller]
fn run(command: &mut Command) {
    let exit = Exit::within(LONG, command);
    assert!(exit.status.success(), "{command:?}\n{}{}", exit.stdout, exit.stderr);
}

/// Runs what the README has, which is to print a name twice and what a refusal says; and the story: it says `tenant …`
/// when it has one, `kill` when the server is to be killed and started again, and `done`.
fn tell(language: &str, readme: &mut Command, story: &mut Command) {
    let mut server = Server::start(Backend::Sqlite);
    let limited = Server::start_with(Backend::Sqlite, &["--rate-limit", "20"]);
    let way = ServerProxy::to(server.base());
    let (key, secret) = server.credentials();
    for program in [&mut *readme, &mut *story] {
        program.env("STORY_URL", way.address()).env("STORY_KEY", key).env("STORY_SECRET", secret);
    }
    let exit = Exit::within(Duration::from_secs(60), readme);
    let told: Vec<&str> = exit.stdout.lines().collect();
    let as_told = matches!(told[..], ["web-01", "web-01", refusal] if refusal.starts_with("400 0002 "));
    assert!(exit.status.success() && as_told, "the README of {language}: {told:?}\n{}", exit.stderr);
    let (key, secret) = limited.credentials();
    story.env("LIMITED_URL", limited.base()).env("LIMITED_KEY", key).env("LIMITED_SECRET", secret);
    let mut guard = Guard::spawn(story.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()));
    let mut errors = guard.process().stderr.take().unwrap();
    let errors = std::thread::spawn(move || {
        let mut text = String::new();
        let _ = errors.read_to_string(&mut text);
        text
    });
    let mut tenant = String::new();
    let mut told = Vec::new();
    for line in BufReader::new(guard.process().stdout.take().unwrap()).lines().map_while(Result::ok) {
        if let Some(id) = line.strip_prefix("tenant ") {
            tenant = id.to_owned();
        }
        if line == "kill" {
            std::thread::sleep(Duration::from_millis(50));
            server.kill9();
            std::thread::sleep(Duration::from_millis(500));
            server.restart();
            way.leads_to(server.base());
        }
        told.push(line);
    }
    let status = guard.process().wait().unwrap();
    let errors = errors.join().unwrap();
    assert!(status.success() && told.last().is_some_and(|line| line == "done"), "{language}: {told:?}\n{errors}");
    assert!(way.failed() > 0, "{language} did not notice that the server was away");
    // What it says that it did, as the server has it.
    let client = server.admin().tenant(&tenant);
    let total = |path: &str| client.get(path).page()["totalResults"].clone();
    assert_eq!(total("/resources/search"), json!(1003), "{language}");
    assert_eq!(total("/incidents/search"), json!(INTERRUPTED + 1), "{language}");
    assert_eq!(total("/scheduleMaintenances/search"), json!(1), "{language}");
    assert_eq!(total("/rosters/search"), json!(1), "{language}");
    assert_eq!(total("/sites/search"), json!(0), "{language}");
}
