//! Retired names and phrases (`tests/retired.txt`) that came back.

use crate::house::{files, read};

/// What a line of the list retires.
enum Retired {
    /// A name of declarations of this kind.
    Name { kind: String, name: String },
    /// A phrase, but where it is a part of one of the permitted texts.
    Phrase { phrase: String, permitted: Vec<String> },
}

fn retired() -> Vec<Retired> {
    let list = read("tests/retired.txt");
    let lines = list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let entry = |line: &str| {
        let (kind, rest) = line.split_once(' ').unwrap_or_else(|| panic!("{line:?} has no kind"));
        match kind {
            "type" | "function" | "module" => Retired::Name { kind: kind.to_owned(), name: rest.to_owned() },
            "phrase" => {
                let mut texts = rest.split(" | ").map(ToOwned::to_owned);
                let phrase = texts.next().unwrap_or_default();
                Retired::Phrase { phrase, permitted: texts.collect() }
            }
            _ => panic!("{line:?} is not a kind of entry"),
        }
    };
    lines.map(entry).collect()
}

/// The kind and name of what a line of Rust declares.
fn declaration(line: &str) -> Option<(&'static str, &str)> {
    let mut words = line.split_whitespace().skip_while(|word| {
        matches!(*word, "pub" | "async" | "const" | "unsafe" | "default") || word.starts_with("pub(")
    });
    let kind = match words.next()? {
        "struct" | "enum" | "trait" | "type" | "union" => "type",
        "fn" => "function",
        "mod" => "module",
        _ => return None,
    };
    let name = words.next()?;
    Some((kind, name.split(|letter: char| letter != '_' && !letter.is_alphanumeric()).next()?))
}

/// The text in lower case on one line, without the marks of comments.
fn flat(text: &str) -> String {
    let lines = text.lines().map(|line| line.trim().trim_start_matches(['/', '!', '*', '#', '>']).trim());
    lines.collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Where `phrase` stands in `text` as whole words, with what stands around it.
fn occurrences<'t>(text: &'t str, phrase: &str, permitted: &[String]) -> Vec<&'t str> {
    let is_word = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    let is_permitted = |at: usize| {
        permitted.iter().any(|longer| {
            let before = longer.find(phrase).unwrap_or_default();
            at >= before && text.get(at - before..).is_some_and(|rest| rest.starts_with(longer))
        })
    };
    let whole =
        |at: &usize| !is_word(text[..*at].chars().next_back()) && !is_word(text[at + phrase.len()..].chars().next());
    let places = text.match_indices(phrase).map(|(at, _)| at).filter(whole).filter(|at| !is_permitted(*at));
    let excerpt = |at: usize| {
        let start = text[..at].char_indices().rev().nth(40).map_or(0, |(index, _)| index);
        let end = text[at..].char_indices().nth(60).map_or(text.len(), |(index, _)| at + index);
        &text[start..end]
    };
    places.map(excerpt).collect()
}

/// Rust sources of the program and its tests.
fn sources() -> Vec<String> {
    ["crates", "gateway", "tests"].map(|folder| files(folder, ".rs")).concat()
}

#[test]
fn no_declaration_has_a_retired_name() {
    let retired = retired();
    let mut wrong = Vec::new();
    for path in sources() {
        let text = read(&path);
        for (kind, name) in text.lines().filter_map(declaration) {
            if retired.iter().any(|entry| matches!(entry, Retired::Name { kind: k, name: n } if k == kind && n == name))
            {
                wrong.push(format!("{path}: {kind} {name}"));
            }
        }
    }
    assert!(wrong.is_empty(), "retired names (tests/retired.txt): {wrong:#?}");
}

#[test]
fn no_text_has_a_retired_phrase() {
    let of_console = |path: &String| !path.contains("/vendor/");
    let console = [".js", ".html", ".css"].map(|ending| files("crates/console/static", ending)).concat();
    let mut paths: Vec<String> = ["crates", "gateway"].map(|folder| files(folder, ".rs")).concat();
    paths.extend(console.into_iter().filter(of_console));
    paths.extend(files("docs", ".md"));
    paths.extend(["openapi/openapi.json", "README.md", "ARCHITECTURE.md", "CHANGELOG.md"].map(ToOwned::to_owned));
    let mut wrong = Vec::new();
    for path in paths {
        let text = flat(&read(&path));
        for entry in retired() {
            let Retired::Phrase { phrase, permitted } = entry else { continue };
            wrong.extend(occurrences(&text, &phrase, &permitted).into_iter().map(|at| format!("{path}: …{at}…")));
        }
    }
    assert!(wrong.is_empty(), "retired phrases (tests/retired.txt): {wrong:#?}");
}

#[test]
fn the_check_sees_what_it_is_for() {
    assert_eq!(declaration("    pub(crate) struct Door<'a> {"), Some(("type", "Door")));
    assert_eq!(declaration("pub async fn hear(&self)"), Some(("function", "hear")));
    assert_eq!(declaration("mod keep;"), Some(("module", "keep")));
    assert_eq!(declaration("let door = Door;"), None);
    let permitted = ["there is no".to_owned(), "is no longer".to_owned()];
    assert_eq!(occurrences(&flat("/// X is\n/// No zone."), "is no", &permitted).len(), 1);
    assert!(occurrences("there is no zone, it is no longer one, this notes", "is no", &permitted).is_empty());
}
