//! The files of the console over HTTP, and the operations that they name.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use muster_tests::{Server, both_backends};

both_backends![
    files_are_served_with_their_policy,
    what_a_browser_has_is_not_sent_again,
    nothing_else_is_served,
    the_console_calls_operations_of_the_document_only,
];

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
    form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'";

fn files_are_served_with_their_policy(server: &Server) {
    let files = [
        ("/console/", "text/html"),
        ("/console/alerts/ALT-1", "text/html"),
        ("/console/app.js", "text/javascript"),
        ("/console/screens/alerts.js", "text/javascript"),
        ("/console/operations.js", "text/javascript"),
        ("/console/style.css", "text/css"),
        ("/console/icon.svg", "image/svg+xml"),
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
    let (plain, zipped) = (plain.header("ETag").unwrap(), zipped.header("ETag").unwrap());
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
    for source in sources() {
        for begin in [
            "call(\"",
            "may(\"",
            "useList(\"",
            "act(\"",
            "turn(\"",
            "needs: \"",
            "wanted = text ? [\"",
            ": [\"list",
            "read: \"",
            "write: \"",
            "undo: \"",
        ] {
            for part in source.split(begin).skip(1) {
                let name = part.split('"').next().unwrap_or_default();
                let name = if begin == ": [\"list" { format!("list{name}") } else { name.to_owned() };
                named.insert(name);
            }
        }
        // What becomes of alerts is named where the words for it are.
        for line in source.lines().filter(|line| line.contains("Alert:")) {
            let names =
                line.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| word.ends_with("Alert"));
            named.extend(names.map(ToOwned::to_owned));
        }
    }
    assert!(named.len() > 50, "{named:?}");
    let unknown: Vec<_> = named.iter().filter(|name| !known.contains(name.as_str())).collect();
    assert!(unknown.is_empty(), "the console names operations that the document does not have: {unknown:?}");
}

/// Calls of operations that take `If-Match` and overwrite nothing: a note is added to whatever an incident is by now.
const ADDS: [&str; 1] = ["addIncidentNote"];

/// Nothing is done with a version that nobody saw: what can name the version does. Operations that are chosen while a page runs are `name`.
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
    for source in sources() {
        for (at, _) in source.match_indices("call(") {
            let given = parenthesis(&source[at + "call".len()..]);
            let name = given.split('"').nth(1).filter(|_| given.starts_with('"')).unwrap_or_default();
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
    for source in sources() {
        for word in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "new Function",
            "dangerouslySet",
        ] {
            assert!(!source.contains(word), "a file of the console has {word}");
        }
    }
}

/// The modules of the console, without the library.
fn sources() -> Vec<String> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/console/static");
    let read = |folder: &Path| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    let all = read(&directory).into_iter().chain(read(&directory.join("screens")));
    let modules = all.filter(|path| path.extension().is_some_and(|kind| kind == "js"));
    let found: Vec<_> = modules.map(|path| fs::read_to_string(path).unwrap()).collect();
    assert!(found.len() > 20, "{} modules", found.len());
    found
}
