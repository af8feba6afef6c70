//! "Adding a domain" of ARCHITECTURE.md, done: the domain in `tests/template`, which is not a part of the program, is
//! put into a copy of the workspace as that page says, with a line in each place that the page names and nowhere else,
//! compiled, and called.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use muster_tests::{Backend, Exit, Server, program_at, unique, without_variables_of_cargo};
use serde_json::{Value, json};

use crate::changes::while_watching;
use crate::house::{TEMPLATE, files, read, root};

const DOMAIN: &str = "contacts";

/// Where the program has a domain: a line like that of the domain that the page says to copy, right below it.
const PLACES: [(&str, &str); 3] = [
    ("Cargo.toml", r#"kb = { path = "crates/kb" }"#),
    ("gateway/Cargo.toml", "kb.workspace = true"),
    ("gateway/src/domains.rs", "        kb::domain(),"),
];

/// The program with the domain in it; not `muster`, whose place beside the tests it would take.
const PROGRAM: &str = "muster-with-contacts";

/// How long Cargo may take: only the domain and the gateway are compiled when the workspace was.
const BUILD: Duration = Duration::from_secs(600);

/// Operations of the domain, and the role that each is for.
const OPERATIONS: [(&str, &str, &str); 5] = [
    ("post", "/contacts", "operator"),
    ("get", "/contacts/search", "viewer"),
    ("get", "/contacts/{contactId}", "viewer"),
    ("post", "/contacts/{contactId}", "operator"),
    ("delete", "/contacts/{contactId}", "operator"),
];

#[test]
fn the_page_on_adding_a_domain_promises_the_places_that_it_takes() {
    let page = read("ARCHITECTURE.md");
    let (_, section) = page.split_once("## Adding a domain").expect("the section");
    let places = ["none", "one line", "two lines", "three lines"][PLACES.len()];
    assert!(section.contains(&format!("{places} outside the crate")), "the page does not promise {places}");
    for (place, line) in PLACES {
        assert!(section.contains(&format!("`{place}`")), "the page does not name {place}");
        assert!(read(place).lines().any(|one| one == line), "{place} has no line {line}");
    }
}

#[test]
#[ignore = "compiles a program: `make template`"]
fn a_domain_that_is_added_as_the_page_says_is_served() {
    let workspace = with_domain();
    let outside = differences(&workspace);
    assert_eq!(outside.len(), PLACES.len(), "outside the domain: {outside:?}");
    let program = build(&workspace);
    the_document_has_it(&program);
    for backend in [Backend::Sqlite, Backend::Postgres] {
        it_is_served(&Server::start_program(&program, backend));
    }
}

/// A copy of the workspace with the domain in it. What is changed is copied; the rest are links to what is there.
fn with_domain() -> PathBuf {
    let copy = target().join("template");
    let _ = fs::remove_dir_all(&copy);
    fs::create_dir_all(copy.join("crates")).unwrap();
    let link = |path: &str| symlink(root().join(path), copy.join(path)).unwrap();
    for path in [".cargo", "tests"] {
        link(path);
    }
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        link(&format!("crates/{}", entry.unwrap().file_name().to_string_lossy()));
    }
    copy_files("gateway", &copy.join("gateway"));
    copy_files(&format!("{TEMPLATE}/{DOMAIN}"), &copy.join("crates").join(DOMAIN));
    for path in ["Cargo.toml", "Cargo.lock"] {
        fs::write(copy.join(path), read(path)).unwrap();
    }
    for (place, line) in PLACES {
        let own = line.replace("kb", DOMAIN);
        let text: Vec<String> = read(place)
            .lines()
            .flat_map(|one| if one == line { vec![one.to_owned(), own.clone()] } else { vec![one.to_owned()] })
            .collect();
        fs::write(copy.join(place), text.join("\n") + "\n").unwrap();
    }
    copy
}

/// The folder that Cargo compiles into: this program is in `<profile>/deps` of it.
fn target() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    own.ancestors().nth(3).unwrap().to_owned()
}

/// Copies a folder of the workspace with all that is in it.
fn copy_files(folder: &str, to: &Path) {
    for path in files(folder, "") {
        let copy = to.join(path.trim_start_matches(folder).trim_start_matches('/'));
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        fs::copy(root().join(&path), copy).unwrap();
    }
}

/// The lines that the copy has and the workspace has not, outside the crate of the domain.
fn differences(copy: &Path) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    for path in files("gateway", "").into_iter().chain(["Cargo.toml".to_owned()]) {
        let (Ok(text), Ok(before)) = (fs::read_to_string(copy.join(&path)), fs::read_to_string(root().join(&path)))
        else {
            continue;
        };
        let before: BTreeSet<&str> = before.lines().collect();
        let added = text.lines().filter(|line| !before.contains(line));
        found.extend(added.map(|line| (path.clone(), line.to_owned())));
    }
    found
}

/// Compiles the program of the copy, and gives it. Cargo finds compiled what the workspace has compiled.
fn build(workspace: &Path) -> PathBuf {
    let manifest = workspace.join("gateway/Cargo.toml");
    let renamed = fs::read_to_string(&manifest).unwrap().replace("name = \"muster\"", &format!("name = \"{PROGRAM}\""));
    fs::write(manifest, renamed).unwrap();
    let begun = Instant::now();
    cargo(workspace, &["fmt", "--check", "--package", DOMAIN]);
    let told = cargo(workspace, &["build", "--offline", "--workspace", "--bin", PROGRAM]);
    assert!(!told.contains("warning:"), "{told}");
    let compiled = told.lines().filter(|line| line.trim_start().starts_with("Compiling")).count();
    let _ = writeln!(std::io::stderr(), "{compiled} crates in {} s", begun.elapsed().as_secs());
    target().join("debug").join(PROGRAM)
}

/// What Cargo tells on the terminal.
fn cargo(workspace: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(workspace).env("CARGO_TARGET_DIR", target());
    let exit = Exit::within(BUILD, without_variables_of_cargo(&mut command));
    assert!(exit.status.success(), "cargo {arguments:?}: {}\n{}", exit.stdout, exit.stderr);
    exit.stderr
}

fn the_document_has_it(program: &Path) {
    let folder = tempfile::tempdir().unwrap();
    let exit = Exit::of(program_at(program).args(["openapi", "--write"]).arg(folder.path()));
    assert!(exit.status.success(), "{}", exit.stderr);
    let text = fs::read_to_string(folder.path().join("openapi.json")).unwrap();
    let document: Value = serde_json::from_str(&text).unwrap();
    assert!(folder.path().join(format!("{DOMAIN}.json")).is_file(), "the domain has no document of its own");
    for (method, path, role) in OPERATIONS {
        let operation = &document["paths"][format!("/api/v2/tenants/{{tenantId}}{path}")][method];
        assert_eq!(operation["security"][0]["bearer"], json!([role]), "{method} {path}: {operation}");
        for status in ["400", "401", "403", "404"] {
            assert!(!operation["responses"][status].is_null(), "{method} {path} does not say when it answers {status}");
        }
    }
}

/// Created, read, found, changed and deleted, by those who may, as often as was asked; logged, and told.
fn it_is_served(server: &Server) {
    let client = server.new_client();
    let ann = json!({"name": "Ann Lee", "phone": "+1 555 0100", "note": "Data centre"});
    let mut id = String::new();
    let told = while_watching(&client, "maxSeconds=6", || {
        let key = unique("key");
        let create = || client.request("POST", "/contacts").header("Idempotency-Key", &key).json(&ann).send().ok();
        let made = create();
        assert_eq!(create(), made, "asked twice, made once");
        id = made["id"].as_str().unwrap_or_default().to_owned();
        refused(server, client.tenant_id(), &id);
        found_and_changed(&client, &id);
        client.delete(&format!("/contacts/{id}")).ok();
        client.get(&format!("/contacts/{id}")).not_found();
    });
    let actions = ["CREATE", "UPDATE", "DELETE"].map(|action| json!(action));
    let of_ann = told.iter().filter(|event| event.data["entityId"] == json!(id));
    assert_eq!(of_ann.map(|event| event.data["action"].clone()).collect::<Vec<_>>(), actions, "{told:?}");
    let log = client.get(&format!("/auditLog/search?isDescendingOrder=false&queryString=entityId:{id}")).page();
    let rows = log["results"].as_array().cloned().unwrap_or_default();
    assert_eq!(rows.iter().map(|row| row["action"].clone()).collect::<Vec<_>>(), actions);
    assert_eq!(rows[1]["changes"]["phone"], json!({"before": "+1 555 0100", "after": "+1 555 0199"}));
}

/// What is wrong, taken, somebody else's or not for this role.
fn refused(server: &Server, tenant: &str, id: &str) {
    let client = server.admin().tenant(tenant);
    let path = format!("/contacts/{id}");
    client.post("/contacts", &json!({"phone": 7})).invalid(&["name", "phone"]);
    client.post("/contacts", &json!({"name": "ANN LEE", "phone": "1"})).problem(409, "0004");
    let viewer = server.caller(tenant, "viewer");
    viewer.get(&path).ok();
    viewer.post(&path, &json!({"note": "x"})).forbidden();
    let other = server.new_client();
    other.get(&path).not_found();
    other.post(&path, &json!({"note": "x"})).not_found();
    other.delete(&path).not_found();
    assert_eq!(other.get("/contacts/search").page()["totalResults"], 0);
}

fn found_and_changed(client: &muster_tests::Client, id: &str) {
    let path = format!("/contacts/{id}");
    client.post("/contacts", &json!({"name": "Zoë", "phone": "2"})).ok();
    let page = client.get("/contacts/search?sortName=name&isDescendingOrder=true&pageSize=1").page();
    assert_eq!((&page["totalResults"], &page["results"][0]["name"]), (&json!(2), &json!("Zoë")));
    let read = client.get(&path);
    let etag = read.header("ETag").expect("an ETag").to_owned();
    let change =
        |phone: &str| client.request("POST", &path).header("If-Match", &etag).json(&json!({"phone": phone})).send();
    let changed = change("+1 555 0199").ok();
    assert_eq!(changed["note"], read.json()["note"], "what is left out stays");
    change("3").problem(412, "0004");
    assert_eq!(client.get(&path).ok(), changed);
}
