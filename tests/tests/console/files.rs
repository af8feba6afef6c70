//! The files of the console over HTTP, and the operations that they name.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use muster_tests::{Server, both_backends};

both_backends![
    files_are_served_with_their_policy,
    what_a_browser_has_is_not_sent_again,
    nothing_else_is_served,
    what_a_screen_loads_stays_small,
    the_console_calls_operations_of_the_document_only,
];

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'";

fn files_are_served_with_their_policy(server: &Server) {
    let files = [
        ("/console/", "text/html"),
        ("/console/alerts/ALT-1", "text/html"),
        ("/console/app.js", "text/javascript"),
        ("/console/screens/alerts.js", "text/javascript"),
        ("/console/operations.js", "text/javascript"),
        ("/console/forms.js", "text/javascript"),
        ("/console/style.css", "text/css"),
        ("/console/tokens.css", "text/css"),
        ("/console/icon.svg", "image/svg+xml"),
        ("/console/manifest.webmanifest", "application/manifest+json"),
        ("/console/vendor/icons.svg", "image/svg+xml"),
        ("/console/vendor/marked.js", "text/javascript"),
        ("/console/vendor/LICENSE-marked", "text/plain"),
        ("/console/vendor/LICENSE-preact", "text/plain"),
    ];
    for (path, kind) in files {
        for method in ["GET", "HEAD"] {
            let answer = server.request(method, path).send();
            assert_eq!(answer.status, 200, "{path}: {answer}");
            assert!(answer.header("Content-Type").is_some_and(|found| found.starts_with(kind)), "{path}: {answer}");
            assert_eq!(answer.header("Content-Security-Policy"), Some(POLICY), "{path}");
            assert_eq!(answer.header("X-Content-Type-Options"), Some("nosniff"), "{path}");
            assert_eq!(answer.header("Cache-Control"), Some("no-cache"), "{path}");
            assert!(answer.header("Set-Cookie").is_none(), "{path}");
            assert_eq!(answer.text().is_empty(), method == "HEAD", "{path}");
        }
    }
    let page = server.get("/console/").text();
    for word in ["<style", " style=", " onclick", "http://", "https://"] {
        assert!(!page.contains(word), "the page has {word}");
    }
    let answer = server.get("/console");
    assert_eq!(answer.header("Location"), Some("/console/"), "{answer}");
}

fn what_a_browser_has_is_not_sent_again(server: &Server) {
    let plain = server.get("/console/app.js");
    let zipped = server.request("GET", "/console/app.js").header("Accept-Encoding", "br, gzip").send();
    assert_eq!(plain.header("Content-Encoding"), None);
    assert_eq!(zipped.header("Content-Encoding"), Some("gzip"));
    assert_eq!(zipped.header("Vary"), Some("Accept-Encoding"));
    let plain = plain.header("ETag").unwrap();
    let zipped = zipped.header("ETag").unwrap();
    assert_ne!(plain, zipped);
    for (coding, tag) in [("identity", plain), ("gzip", zipped)] {
        let again = |tag: &str| {
            let request = server.request("GET", "/console/app.js").header("Accept-Encoding", coding);
            request.header("If-None-Match", tag).send()
        };
        let answer = again(tag);
        assert_eq!((answer.status, answer.text().as_str(), answer.header("ETag")), (304, "", Some(tag)), "{answer}");
        assert_eq!(again(&format!("\"x\", W/{tag}")).status, 304);
        assert_eq!(again("\"x\"").status, 200);
    }
}

fn nothing_else_is_served(server: &Server) {
    for path in [
        "/console/gone.js",
        "/console/screens/gone",
        "/console/vendor/",
        "/console/..%2FCargo.toml",
        "/console/a/../b.js",
    ] {
        server.get(path).not_found();
    }
    server.request("POST", "/console/").send().problem(405, "0002");
    server.request("DELETE", "/console/app.js").send().problem(405, "0002");
}

/// What a browser without any of it loads to show a screen, compressed.
fn what_a_screen_loads_stays_small(server: &Server) {
    let length = |path: &str| {
        let answer = server.request("GET", &format!("/console/{path}")).header("Accept-Encoding", "gzip").send();
        assert_eq!(answer.status, 200, "{path}: {answer}");
        answer.body.len()
    };
    let modules: BTreeMap<String, String> = sources().into_iter().collect();
    let always: usize = ["", "style.css", "tokens.css", "icon.svg", "vendor/icons.svg"].into_iter().map(length).sum();
    let lengths: BTreeMap<&str, usize> = modules.keys().map(|path| (path.as_str(), length(path))).collect();
    let generated: BTreeMap<&str, usize> = ["operations.js", "forms.js", "vendor/marked.js", "vendor/preact-htm.js"]
        .into_iter()
        .map(|path| (path, length(path)))
        .collect();
    for screen in modules.keys().filter(|path| path.starts_with("screens/")) {
        let mut loaded = BTreeSet::new();
        let mut pending = vec!["app.js".to_owned(), screen.clone()];
        while let Some(path) = pending.pop() {
            if let Some(source) = modules.get(&path) {
                pending.extend(imports(&path, source).filter(|import| !loaded.contains(import)));
            }
            loaded.insert(path);
        }
        let size = |path: &String| lengths.get(path.as_str()).or_else(|| generated.get(path.as_str())).copied();
        let sum: usize = loaded.iter().map(|path| size(path).unwrap_or_else(|| panic!("no file {path}"))).sum();
        assert!(sum + always <= 150_000, "{screen} loads {} bytes of {loaded:?}", sum + always);
    }
}

/// The modules that a module imports when it is loaded, below /console/.
fn imports<'s>(path: &str, source: &'s str) -> impl Iterator<Item = String> + use<'s> {
    let folder = path.starts_with("screens/");
    source.split(" from \"").skip(1).filter_map(move |rest| {
        let name = rest.split('"').next().unwrap_or_default();
        if let Some(name) = name.strip_prefix("../") {
            return Some(name.to_owned());
        }
        name.strip_prefix("./").map(|name| if folder { format!("screens/{name}") } else { name.to_owned() })
    })
}

/// The operations of the module that the program serves, by the names in the sources of the console.
fn the_console_calls_operations_of_the_document_only(server: &Server) {
    let module = server.get("/console/operations.js").text();
    let document = server.get("/openapi.json").json();
    let lines: BTreeSet<&str> = module.lines().filter(|line| line.starts_with("  ")).collect();
    let mut own = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            if operation.get("x-same-as").is_some() {
                continue;
            }
            let security = operation["security"].as_array().into_iter().flatten();
            let role = security.filter_map(|one| one["bearer"][0].as_str()).next().unwrap_or("");
            let id = operation["operationId"].as_str().unwrap();
            let line = format!("  {id}: [\"{}\",\"{path}\",\"{role}\"],", method.to_uppercase());
            assert!(lines.contains(line.as_str()), "the module has no line {line}");
            own += 1;
        }
    }
    assert_eq!(lines.len(), own);
    let known: BTreeSet<&str> =
        module.lines().filter_map(|line| line.trim().split_once(": [\"")).map(|(id, _)| id).collect();
    assert!(known.contains("acknowledgeAlert") && known.len() > 200, "{} operations", known.len());
    let mut named = BTreeSet::new();
    for (file, source) in sources() {
        let words = words_like(&source, &known);
        let unknown: Vec<_> = words.difference(&known).filter(|word| !FIELDS.contains(word)).collect();
        assert!(unknown.is_empty(), "{file} names operations that the document does not have: {unknown:?}");
        named.extend(words.into_iter().map(ToOwned::to_owned));
    }
    assert!(named.len() > 90, "{named:?}");
}

/// Fields that begin as operations do.
const FIELDS: [&str; 15] = [
    "endBy",
    "endDate",
    "endPattern",
    "endPointURI",
    "endTime",
    "installPatch",
    "matchType",
    "requestFrom",
    "revokePrevious",
    "runEscalationAction",
    "runId",
    "runRBA",
    "searchLabel",
    "startDate",
    "startTime",
];

/// Texts, and names before a colon, that begin with the verb of an operation and go on with a capital:
/// `"acknowledgeAlert"`.
fn words_like<'s>(source: &'s str, known: &BTreeSet<&str>) -> BTreeSet<&'s str> {
    fn verb(word: &str) -> &str {
        word.split(|letter: char| !letter.is_ascii_lowercase()).next().unwrap_or_default()
    }
    let verbs: BTreeSet<&str> = known.iter().map(|name| verb(name)).collect();
    let mut rest = source;
    let mut found = BTreeSet::new();
    while let Some(at) = rest.find(|letter: char| letter.is_ascii_alphanumeric()) {
        let before = rest[..at].chars().next_back();
        rest = &rest[at..];
        let length = rest.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let (word, after) = rest.split_at(length);
        let quoted = matches!(before, Some('"' | '\'' | '`')) && after.starts_with(['"', '\'', '`']);
        let capital = word[verb(word).len()..].starts_with(|letter: char| letter.is_ascii_uppercase());
        if (quoted || after.starts_with(':')) && capital && verbs.contains(verb(word)) {
            found.insert(word);
        }
        rest = after;
    }
    found
}

/// What reaches the service or anybody else, and where that may stand: the file, and how often.
const REACHES: [(&str, &[(&str, usize)]); 19] = [
    ("fetch(address(name, ", &[("api.js", 1)]),
    ("fetch(", &[("api.js", 1)]),
    ("new EventSource(address(\"watchChanges\"))", &[("changestream.js", 1)]),
    ("EventSource(", &[("changestream.js", 1)]),
    ("XMLHttpRequest", &[]),
    ("sendBeacon", &[]),
    ("WebSocket", &[]),
    ("WebTransport", &[]),
    ("RTCPeer", &[]),
    ("Worker", &[]),
    ("/api/", &[]),
    ("globalThis", &[]),
    ("window.open", &[]),
    ("src=", &[]),
    (".src", &[]),
    ("action=\"", &[]),
    ("ping=", &[]),
    ("import.meta", &[]),
    ("location.assign(\"/\")", &[("screens/settings.js", 1)]),
];

/// Operations are called by one function, by names: nothing else reaches the service, and nothing anybody else.
#[test]
fn no_module_reaches_the_service_but_by_operations() {
    let modules = sources();
    for (words, expected) in REACHES {
        let found: Vec<(&str, usize)> = modules
            .iter()
            .map(|(file, source)| (file.as_str(), source.matches(words).count()))
            .filter(|(_, times)| *times > 0)
            .collect();
        assert_eq!(found, expected, "{words}");
    }
    for (file, source) in &modules {
        // A comment may name a type by the module that has it.
        let code = source.lines().filter(|line| !line.trim_start().starts_with(['*', '/']));
        for rest in code.flat_map(|line| line.match_indices("import(").map(move |(at, _)| &line[at..])) {
            assert!(rest.starts_with("import(\"./"), "{file} loads something by an address that it makes");
        }
        for (at, _) in source.match_indices("location.") {
            let rest = &source[at + "location.".len()..];
            let read =
                ["pathname", "search", "origin", "reload()", "assign(\"/\")"].iter().any(|one| rest.starts_with(one));
            let written = rest.split_once(|letter: char| !letter.is_ascii_alphanumeric());
            let written = written.is_some_and(|(_, rest)| rest.trim_start().starts_with("= "));
            assert!(read && !written, "{file} goes somewhere: {}", rest.lines().next().unwrap_or_default());
        }
        // Operations by a name that is known only while a page runs: the name is one of those that stand in the module.
        for (at, _) in source.match_indices("call(") {
            let before = source[..at].chars().next_back().unwrap_or(' ');
            let given = parenthesis(&source[at + "call".len()..]);
            let dynamic = DYNAMIC.iter().any(|(known, name)| known == file && given.starts_with(name));
            let literal = given.trim_start().starts_with('"');
            assert!(before.is_ascii_alphanumeric() || literal || dynamic, "{file} calls {given}");
        }
    }
}

/// Where an operation is called whose name is chosen while the page runs, and how it is called there.
const DYNAMIC: [(&str, &str); 9] = [
    ("api.js", "name, given"),
    ("hooks.js", "name, "),
    ("members.js", "operation, "),
    ("members.js", "/** @type {any} */ (remove)"),
    ("recordactions.js", "operation, "),
    ("recorddialog.js", "operation, "),
    ("screens/alertactions.js", "name, "),
    ("screens/maintenance.js", "name, "),
    ("screens/people.js", "name, "),
];

/// Calls of operations that take `If-Match` and overwrite nothing: a note is added to whatever an incident is now.
const ADDS: [&str; 1] = ["addIncidentNote"];

/// Nothing is done with a version that nobody saw: what can name the version does. Operations that are chosen while a
/// page runs are `name`.
#[test]
fn what_takes_a_version_is_given_one() {
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("../openapi/openapi.json");
    let document: serde_json::Value = serde_json::from_str(&fs::read_to_string(document).unwrap()).unwrap();
    let operations =
        document["paths"].as_object().unwrap().values().flat_map(|item| item.as_object().unwrap().values());
    let heeds = operations.filter(|one| one["parameters"].to_string().contains("/IfMatch\""));
    let heeds: BTreeSet<&str> = heeds.filter_map(|one| one["operationId"].as_str()).collect();
    assert!(heeds.len() > 50, "{heeds:?}");
    let mut seen = 0;
    for (_, source) in sources() {
        for (at, _) in source.match_indices("call(") {
            let given = parenthesis(&source[at + "call".len()..]);
            let name = given.split('"').nth(1).filter(|_| given.trim_start().starts_with('"')).unwrap_or_default();
            if heeds.contains(name) && !ADDS.contains(&name) {
                assert!(given.contains("match"), "a call names no version: {given}");
                seen += 1;
            }
        }
    }
    assert!(seen > 15, "{seen} calls");
}

/// What stands between the parenthesis that a text begins with and the one that closes it.
fn parenthesis(text: &str) -> &str {
    let mut depth = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[1..at];
        }
    }
    panic!("no end of {text}");
}

/// Markup has no way into a page.
#[test]
fn no_source_of_the_console_makes_markup() {
    for (file, source) in sources() {
        for word in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "new Function",
            "dangerouslySet",
        ] {
            assert!(!source.contains(word), "{file} has {word}");
        }
    }
}

/// The modules of the console, without the library: where each is, and its text.
pub(super) fn sources() -> Vec<(String, String)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/console/static");
    let read = |folder: &Path| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    let all = read(&directory).into_iter().chain(read(&directory.join("screens")));
    let modules = all.filter(|path| path.extension().is_some_and(|kind| kind == "js"));
    let name = |path: &Path| path.strip_prefix(&directory).unwrap().to_string_lossy().into_owned();
    let mut found: Vec<_> = modules.map(|path| (name(&path), fs::read_to_string(path).unwrap())).collect();
    found.sort();
    assert!(found.len() > 20, "{} modules", found.len());
    found
}
