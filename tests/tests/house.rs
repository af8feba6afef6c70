//! The house (ARCHITECTURE.md): what may depend on what, and what the sources keep to. Read off the manifests, the
//! sources and the OpenAPI documents; no server is started.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use muster_tests::{Exit, muster};
use serde_json::Value;

/// The crates below the domains. Every other crate in `crates/` is a domain, but for `access`, `console`, `cli`,
/// `convert` and `runner`, and for those that the gateway is put together with:
/// `backups`, `config`, `doctor`, `logging`, `otlp` and `transfer`.
const FOUNDATION: [&str; 9] = ["base", "traces", "calendar", "db", "outbox", "api", "api-derive", "ports", STAND_INS];

/// What stands in for the other domains in examples and tests; no part of the program.
const STAND_INS: &str = "standalone";

/// Libraries that a crate may never name, because something else in the house is there for it.
const NEVER: [(&str, &[&str]); 18] = [
    ("base", &["actix-web", "diesel", "r2d2", "tokio", "utoipa"]),
    ("calendar", &["actix-web", "diesel", "r2d2", "tokio", "utoipa"]),
    ("ports", &["actix-web", "diesel", "r2d2"]),
    ("db", &["actix-web", "utoipa"]),
    ("outbox", &["actix-web", "utoipa"]),
    ("api", &["diesel", "r2d2"]),
    ("cli", &["actix-web", "diesel", "r2d2", "utoipa"]),
    ("convert", &["actix-web", "diesel", "r2d2", "utoipa"]),
    ("runner", &["actix-web", "diesel", "r2d2", "utoipa"]),
    ("backups", &["actix-web", "diesel", "r2d2", "utoipa"]),
    ("doctor", &["actix-web", "diesel", "r2d2", "utoipa"]),
    ("config", &["actix-web", "diesel", "r2d2", "utoipa"]),
    ("logging", &["actix-web", "diesel", "r2d2", "utoipa"]),
    ("traces", &["actix-web", "diesel", "r2d2", "tokio", "utoipa"]),
    ("otlp", &["actix-web", "diesel", "r2d2", "utoipa"]),
    ("transfer", &["actix-web", "r2d2", "utoipa"]),
    ("gateway", &["diesel", "r2d2"]),
    ("muster-tests", &["diesel", "r2d2"]),
];

/// A domain that is not a part of the program, and is kept to the same rules (template.rs).
pub const TEMPLATE: &str = "tests/template";

/// Tests that name a domain to say where one is named.
const HERE: [&str; 2] = ["tests/tests/house.rs", "tests/tests/template.rs"];

/// What reads a clock. `db::clock` is the one place that may.
const CLOCKS: [&str; 5] = ["SystemTime", "Instant::now", "clock::now", "now_utc", "UtcDateTime::now"];

/// Files that hold a whole resource, handlers and queries together, stay this small; a larger one is split into
/// `wire.rs`, `rules.rs`, `store.rs` and `http.rs`.
const MOST_LINES_OF_ONE_FILE_RESOURCES: usize = 300;

/// The width of rustfmt.toml, which breaks neither literals nor most macros: their lines are broken by hand.
pub const WIDEST_LINE: usize = 120;

/// Unit tests stand in the file that they test as long as they are no longer than a screen, and else in `tests.rs`
/// below it.
const MOST_LINES_OF_TESTS_BESIDE_CODE: usize = 60;

/// Types that are a row and an answer in one. This list may only shrink.
const ROWS_THAT_ARE_SHOWN: [&str; 1] = ["crates/inventory/src/types.rs: ResourceType"];

#[test]
fn crates_depend_on_each_other_along_the_arrows_only() {
    let packages = packages();
    let names: BTreeSet<&str> = packages.iter().map(|package| package.name.as_str()).collect();
    let mut wrong = Vec::new();
    for package in &packages {
        let Some(allowed) = may_depend_on(&package.name) else { continue };
        let inside = package.dependencies.iter().filter(|name| names.contains(name.as_str()));
        for other in inside.filter(|name| !allowed.contains(&name.as_str())) {
            wrong.push(format!("{} depends on {other}", package.name));
        }
    }
    assert!(wrong.is_empty(), "arrows that ARCHITECTURE.md does not have: {wrong:#?}");
}

/// The crates of this workspace that one may depend on; `None` when it may on all of them.
fn may_depend_on(name: &str) -> Option<&'static [&'static str]> {
    Some(match name {
        "gateway" => return None,
        "base" | "traces" => &[],
        "calendar" => &["base"],
        "db" | "otlp" => &["base", "traces"],
        "ports" | "resource-index" => &["base", "db"],
        STAND_INS => &["base", "db", "ports"],
        "outbox" => &["base", "traces", "db"],
        "api-derive" => &[],
        "api" => &["base", "traces", "db", "outbox", "api-derive"],
        "access" => &["base", "db", "outbox", "api", "ports"],
        "console" => &["base", "api"],
        "bench" | "campaign" => &["muster-tests"],
        "cli" => &["base"],
        "convert" => &["base", "calendar", "cli"],
        "runner" => &["base", "cli"],
        "backups" | "transfer" => &["base", "db"],
        "doctor" => &["backups", "base", "db"],
        "config" => &["base"],
        "logging" => &[],
        "inventory" => &["base", "db", "resource-index", "outbox", "api", "ports", STAND_INS],
        // The tests know the program from outside only; a domain, with all it needs.
        _ => &FOUNDATION,
    })
}

#[test]
fn the_program_has_no_stand_ins_for_its_domains() {
    for package in packages() {
        assert!(!package.ships.iter().any(|name| name == STAND_INS), "{} ships {STAND_INS}", package.name);
    }
}

#[test]
fn a_crate_is_called_what_its_folder_is_called() {
    for package in packages() {
        let folder = package.folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let inside = package.folder.parent() == Some(&root().join("crates"));
        assert!(!inside || folder == package.name, "crates/{folder} is called {}", package.name);
    }
}

#[test]
fn no_crate_names_a_library_that_is_not_its_business() {
    for package in packages() {
        let never = NEVER.iter().find(|(name, _)| *name == package.name).map_or(&[][..], |(_, never)| never);
        let named: Vec<_> = package.dependencies.iter().filter(|name| never.contains(&name.as_str())).collect();
        assert!(named.is_empty(), "{} depends on {named:?}", package.name);
    }
}

#[test]
fn rules_and_pure_parts_know_no_http_no_database_and_no_clock() {
    let pure = |path: &str| {
        path.ends_with("/rules.rs")
            || path.contains("/rules/")
            || path.starts_with("crates/base/")
            || path.starts_with("crates/calendar/")
            || path.starts_with("crates/inventory/src/reports/")
    };
    let forbidden: Vec<&str> = ["actix_web", "diesel", "db::Conn"].into_iter().chain(CLOCKS).collect();
    refuse(pure, &forbidden);
}

#[test]
fn queries_know_no_http_and_no_clock() {
    let forbidden: Vec<&str> = ["actix_web", "api::RequestContext"].into_iter().chain(CLOCKS).collect();
    refuse(|path| path.ends_with("/store.rs"), &forbidden);
}

#[test]
fn handlers_and_what_clients_see_know_no_tables() {
    refuse(|path| path.ends_with("/http.rs") || path.ends_with("/wire.rs"), &["diesel", "crate::schema"]);
}

#[test]
fn a_file_with_handlers_and_queries_is_a_small_resource_of_its_own() {
    for (path, text) in sources().into_iter().filter(|(path, _)| !path.contains("/tests/")) {
        let code = code(&text);
        let lines = text.lines().count();
        let both = code.contains("actix_web") && code.contains("diesel::");
        assert!(
            !both || lines <= MOST_LINES_OF_ONE_FILE_RESOURCES,
            "{path} has handlers and queries in {lines} lines: split it into wire.rs, rules.rs, store.rs, http.rs"
        );
    }
}

#[test]
fn long_unit_tests_stand_in_a_file_of_their_own() {
    for (path, text) in sources() {
        let beside = text.lines().skip_while(|line| *line != "mod tests {").count();
        assert!(
            beside <= MOST_LINES_OF_TESTS_BESIDE_CODE,
            "{path} ends with {beside} lines of tests: put them into tests.rs in a folder of its name"
        );
    }
}

/// Not those of the program alone: tests and clients are read, too.
#[test]
fn no_line_of_rust_is_too_wide() {
    let mut paths = Vec::new();
    for entry in fs::read_dir(root()).unwrap_or_else(|error| panic!("{error}")).flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() && name != "target" && !name.starts_with('.') {
            paths.extend(files(&name, ".rs"));
        }
    }
    assert!(paths.len() > 1_000, "only {} files are looked at", paths.len());
    let wide = paths.iter().flat_map(|path| {
        let text = read(path);
        let lines = text.lines().enumerate().filter(|(_, line)| line.chars().count() > WIDEST_LINE);
        lines.map(|(index, _)| format!("{path}:{}", index + 1)).collect::<Vec<_>>()
    });
    let wide: Vec<String> = wide.collect();
    assert!(wide.is_empty(), "wider than {WIDEST_LINE} columns: {wide:#?}");
}

#[test]
fn a_row_is_never_shown_and_what_is_shown_is_never_a_row() {
    let mut both = BTreeSet::new();
    for (path, text) in sources() {
        for (derived, name) in derives(&code(&text)) {
            let row = ["Queryable", "Insertable", "AsChangeset"].iter().any(|word| derived.contains(word));
            let shown = ["Serialize", "ToSchema"].iter().any(|word| derived.contains(word));
            if row && shown {
                both.insert(format!("{path}: {name}"));
            }
        }
    }
    let listed: BTreeSet<String> = ROWS_THAT_ARE_SHOWN.iter().map(ToString::to_string).collect();
    assert_eq!(both, listed, "left: what there is; right: the exceptions, a list that may only shrink");
}

/// Anyone who adds a domain finds each place that names one in the page that says how; `kb` is the one that it says to
/// copy.
#[test]
fn a_domain_is_named_where_the_page_on_adding_one_says() {
    let page = read("ARCHITECTURE.md");
    let (_, section) = page.split_once("## Adding a domain").expect("the section");
    let outside = ["crates", "gateway/src", "tests/tests", "tests/src"].map(|folder| files(folder, ".rs")).concat();
    let outside = outside.into_iter().filter(|path| !path.starts_with("crates/kb/"));
    let manifests = ["Cargo.toml", "gateway/Cargo.toml"].map(str::to_owned).into_iter();
    let named = outside.chain(manifests).filter(|path| {
        let is_manifest = path.ends_with(".toml");
        let text = read(path);
        let words: &[&str] = if is_manifest { &["kb = ", "kb.workspace"] } else { &["kb::", "mod kb;"] };
        text.lines().any(|line| {
            words.iter().any(|word| line.trim_start().starts_with(word) || line.contains(&format!(" {word}")))
        })
    });
    let named: BTreeSet<String> = named.filter(|path| !path.starts_with("tests/tests/kb/")).collect();
    assert!(named.len() >= 6, "{named:?}");
    // Files of the tests are called by their names, below the folder that the section names.
    let told = |path: &String| {
        let name = path.rsplit('/').next().unwrap_or_default();
        section.contains(&format!("`{path}`")) || (path.starts_with("tests/") && section.contains(&format!("`{name}`")))
    };
    let untold: Vec<&String> = named.iter().filter(|path| !HERE.contains(&path.as_str()) && !told(path)).collect();
    assert!(untold.is_empty(), "places that \"Adding a domain\" leaves out: {untold:?}");
}

/// Spelled twice, one lock becomes two as soon as one of the places is changed, or lowers a letter.
#[test]
fn a_lock_is_named_once() {
    let mut named: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, text) in sources() {
        let code = code(&text);
        for made in code.split("Lock::of(").skip(1).chain(code.split("Lock::only(").skip(1)) {
            let kind = made.trim_start().strip_prefix('"').and_then(|kind| kind.split('"').next());
            named.entry(kind.expect("a lock's kind is a literal").to_owned()).or_default().push(path.clone());
        }
    }
    assert!(named.len() > 30, "{named:?}");
    named.retain(|_, paths| paths.len() > 1);
    assert!(named.is_empty(), "one function for each lock: {named:#?}");
}

/// A client that watches `/changes` may ask for each kind of thing that is told of there, and for none besides.
#[test]
fn a_stream_of_changes_knows_all_that_domains_publish() {
    let words = |code: &str, before: &str| -> Vec<String> {
        code.split(before).skip(1).filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())).collect()
    };
    let domains = sources().into_iter().filter(|(path, _)| {
        path.starts_with("crates/") && !path.starts_with("crates/outbox/") && !path.contains("/tests")
    });
    let publishing = domains.map(|(_, text)| code(&text)).filter(|code| {
        ["Entity::published(", "TimedEvent {", "publish: true"].iter().any(|marker| code.contains(marker))
    });
    let published: BTreeSet<String> = publishing
        .flat_map(|code| {
            ["published(\"", "entity: \"", "ENTITY: &str = \""].map(|before| words(&code, before)).concat()
        })
        .collect();
    let wire = read("crates/changes/src/wire.rs");
    let (_, list) = wire.split_once("ENTITIES").expect("the list");
    let (_, list) = list.split_once("= [").expect("its beginning");
    let (list, _) = list.split_once("];").expect("its end");
    let known: BTreeSet<String> = list.split('"').skip(1).step_by(2).map(ToOwned::to_owned).collect();
    assert_eq!(known, published, "`ENTITIES` in crates/changes/src/wire.rs is all that domains publish");
}

/// So a server that lacks what a handler takes does not start (`api::Extras`), and no request finds out.
#[test]
fn what_handlers_take_is_what_their_domain_needs() {
    let mut domains = 0;
    for package in packages() {
        let folder = format!("crates/{}/src", package.name);
        if FOUNDATION.contains(&package.name.as_str()) || !root().join(&folder).is_dir() {
            continue;
        }
        let lib = read(&format!("{folder}/lib.rs"));
        if !lib.contains("api::Domain {") {
            continue;
        }
        let declared = types(&lib, "Need::of::<");
        let files = files(&folder, ".rs").into_iter().map(|path| code(&read(&path)));
        let taken: BTreeSet<String> = files.flat_map(|code| types(&code, "web::Data<")).collect();
        assert_eq!(taken, declared, "{}: left: what handlers take; right: what its `NEEDS` say", package.name);
        domains += 1;
    }
    assert!(domains > 8, "{domains}");
}

/// What stands behind this word up to `>`, without the path of it.
fn types(code: &str, word: &str) -> BTreeSet<String> {
    let named = code.split(word).skip(1).filter_map(|rest| rest.split('>').next());
    named.map(|name| name.rsplit("::").next().unwrap_or(name).to_owned()).collect()
}

#[test]
fn every_insert_of_a_row_is_known_by_its_type() {
    let mut rows = 0;
    for (path, text) in sources() {
        for piece in code(&text).split("#[derive(").skip(1) {
            let head = piece.split("struct ").next().unwrap_or_default();
            if head.split(")]").next().is_some_and(|derived| derived.contains("Insertable")) {
                let name = piece.get(head.len()..).and_then(|rest| rest.lines().next()).unwrap_or_default();
                assert!(
                    head.contains("treat_none_as_default_value = false"),
                    "{path}: {name} (see crates/db/src/insert.rs)"
                );
                rows += 1;
            }
        }
    }
    assert!(rows > 0, "no row is looked at");
}

/// The later of two schemas of one name would replace the first in silence.
#[test]
fn domains_share_no_schema_name_for_different_things() {
    let mut owners: BTreeMap<&str, (&str, &Value)> = BTreeMap::new();
    for (domain, document) in documents().iter().filter(|(name, _)| !name.starts_with("openapi")) {
        let Some(schemas) = document["components"]["schemas"].as_object() else { continue };
        for (name, schema) in schemas {
            let (owner, first) = *owners.entry(name).or_insert((domain, schema));
            assert!(first == schema, "the schema {name} is one thing in {owner} and another in {domain}");
        }
    }
    assert!(!owners.is_empty());
}

#[test]
fn every_operation_has_a_summary_a_role_and_an_id_of_its_own() {
    let mut ids = BTreeSet::new();
    for (operation, description) in operations() {
        let id = description["operationId"].as_str().unwrap_or_default();
        assert!(!id.is_empty() && ids.insert(id.to_owned()), "{operation}: the operationId {id:?} is not its own");
        assert!(description["summary"].as_str().is_some_and(|text| !text.is_empty()), "{operation} has no summary");
        let roles = description["security"].as_array().map_or(0, Vec::len);
        assert!(roles > 0, "{operation} does not say who may call it");
    }
}

/// A workspace member.
pub struct Package {
    pub name: String,
    folder: PathBuf,
    /// Of every kind: those of tests, examples and build scripts are arrows too.
    dependencies: Vec<String>,
    /// Without those of tests and examples.
    ships: Vec<String>,
}

pub fn packages() -> Vec<Package> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["metadata", "--no-deps", "--format-version", "1", "--offline"]).current_dir(root());
    let output = command.output().unwrap_or_else(|error| panic!("cargo metadata: {error}"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let packages: Vec<Package> = list(&metadata["packages"])
        .iter()
        .map(|package| Package {
            name: text(&package["name"]),
            ships: list(&package["dependencies"])
                .iter()
                .filter(|other| other["kind"] != "dev")
                .map(|other| text(&other["name"]))
                .collect(),
            folder: Path::new(&text(&package["manifest_path"])).parent().unwrap_or(&root()).to_owned(),
            dependencies: list(&package["dependencies"]).iter().map(|other| text(&other["name"])).collect(),
        })
        .collect();
    assert!(packages.len() > 5, "cargo metadata names only {} packages", packages.len());
    packages
}

/// The root of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_owned).unwrap_or_default()
}

/// A file of the workspace, by its path from the root.
pub fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The paths from the root of all files below a folder that end so.
pub fn files(folder: &str, ending: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(root().join(&folder)).unwrap_or_else(|error| panic!("{folder}: {error}"));
        for entry in entries.flatten() {
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                folders.push(path);
            } else if path.ends_with(ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The sources of all crates, and of the domain that is the example of one, by path.
fn sources() -> Vec<(String, String)> {
    let all = [files("crates", ".rs"), files(TEMPLATE, ".rs")].concat();
    let paths: Vec<String> = all.into_iter().filter(|path| path.contains("/src/")).collect();
    assert!(!paths.is_empty());
    paths.into_iter().map(|path| (path.clone(), read(&path))).collect()
}

/// A source without its comments.
pub fn code(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.map(|line| format!("{}\n", line.split(" // ").next().unwrap_or_default())).collect()
}

#[track_caller]
fn refuse(of: impl Fn(&str) -> bool, forbidden: &[&str]) {
    let mut seen = 0;
    for (path, text) in sources().into_iter().filter(|(path, _)| of(path)) {
        let code = code(&text);
        let named: Vec<_> = forbidden.iter().filter(|word| code.contains(**word)).collect();
        assert!(named.is_empty(), "{path} names {named:?}");
        seen += 1;
    }
    assert!(seen > 0, "no file is looked at");
}

/// What each type derives, and its name.
fn derives(code: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for piece in code.split("#[derive(").skip(1) {
        let (derived, rest) = piece.split_once(")]").unwrap_or_default();
        let word = |keyword: &str| {
            let (_, after) = rest.split_once(keyword)?;
            Some(after.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next()?.to_owned())
        };
        found.extend(word("struct ").or_else(|| word("enum ")).map(|name| (derived.to_owned(), name)));
    }
    found
}

/// The OpenAPI documents as the program writes them: `openapi`, and one by the name of each domain.
pub fn documents() -> &'static BTreeMap<String, Value> {
    static DOCUMENTS: OnceLock<BTreeMap<String, Value>> = OnceLock::new();
    DOCUMENTS.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
        let exit = Exit::of(muster().args(["openapi", "--write"]).arg(folder.path()));
        assert!(exit.status.success(), "{}", exit.stderr);
        let written = fs::read_dir(folder.path()).unwrap_or_else(|error| panic!("{error}"));
        let written = written.flatten().filter(|file| file.path().extension().is_some_and(|kind| kind == "json"));
        let documents = written.map(|file| {
            let name = file.path().file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let text = fs::read_to_string(file.path()).unwrap_or_default();
            (name, serde_json::from_str(&text).unwrap_or_default())
        });
        documents.collect()
    })
}

/// Every operation of the service as `GET /path`, with its description.
pub fn operations() -> Vec<(String, &'static Value)> {
    let paths = documents()["openapi"]["paths"].as_object().into_iter().flatten();
    let found: Vec<_> = paths
        .flat_map(|(path, item)| {
            let methods = item.as_object().into_iter().flatten();
            methods.map(move |(method, operation)| (format!("{} {path}", method.to_uppercase()), operation))
        })
        .collect();
    assert!(!found.is_empty(), "the document has no operations");
    found
}
