//! Which dialogs and panels of the console were there while somebody looked. The modules say which there are, and the
//! browser which parts of them ran: nobody has to keep a list.

use muster_tests::chromium::Window;
use serde_json::{Value, json};

use super::files::sources;

/// How the elements begin that have to be looked at, and whether that is above all else.
const MARKS: [(&str, bool); 7] = [
    ("<dialog", true),
    ("<${FormDialog}", true),
    ("<${EditDialog}", true),
    ("<${DeleteDialog}", true),
    ("<${Differences}", true),
    ("<${Panel}", false),
    ("class=\"panel\"", false),
];

/// An element of a module.
struct Mark {
    file: String,
    line: usize,
    words: &'static str,
    /// Where it is, as the browser counts.
    at: u64,
    in_dialog: bool,
    seen: bool,
}

pub(super) struct Seen(Vec<Mark>);

impl Seen {
    /// From now on.
    pub fn by(window: &Window) -> Self {
        window.debug("Profiler.enable", &json!({}));
        Self::start(window);
        let marks: Vec<Mark> = sources().iter().flat_map(|(file, text)| marks(file, text)).collect();
        assert!(marks.iter().filter(|mark| mark.in_dialog).count() > 25 && marks.len() > 75, "{} marks", marks.len());
        Self(marks)
    }

    /// Counts what runs from now on.
    pub fn start(window: &Window) {
        window.debug("Profiler.startPreciseCoverage", &json!({"callCount": true, "detailed": true}));
    }

    /// Counts nothing until it is started again: what is counted is slow, and axe runs long.
    pub fn stop(window: &Window) {
        window.debug("Profiler.stopPreciseCoverage", &json!({}));
    }

    /// What was drawn before is not looked at.
    pub fn pass(window: &Window) {
        window.debug("Profiler.takePreciseCoverage", &json!({}));
    }

    /// What was drawn since the last time is there now, and looked at.
    pub fn look(&mut self, window: &Window) {
        let dialog = window.evaluate("!!document.querySelector('dialog[open]')") == json!(true);
        let ran = window.debug("Profiler.takePreciseCoverage", &json!({}));
        for script in ran["result"].as_array().into_iter().flatten() {
            let url = script["url"].as_str().unwrap_or_default();
            let Some((_, file)) = url.split_once("/console/") else { continue };
            for mark in self.0.iter_mut().filter(|mark| mark.file == file && (dialog || !mark.in_dialog)) {
                mark.seen |= has_run(&script["functions"], mark.at);
            }
        }
    }

    /// What was never looked at.
    pub fn missed(&self) -> Vec<String> {
        let missed = self.0.iter().filter(|mark| !mark.seen);
        missed.map(|mark| format!("{}:{} {}", mark.file, mark.line, mark.words)).collect()
    }
}

fn marks(file: &str, text: &str) -> Vec<Mark> {
    let of = |(words, in_dialog): (&'static str, bool)| {
        text.match_indices(words).map(move |(at, _)| Mark {
            file: file.to_owned(),
            line: text[..at].matches('\n').count() + 1,
            words,
            at: text[..at].encode_utf16().count() as u64,
            in_dialog,
            seen: false,
        })
    };
    MARKS.into_iter().flat_map(of).collect()
}

/// Whether the smallest part that holds a place ran.
fn has_run(functions: &Value, at: u64) -> bool {
    let parts = functions.as_array().into_iter().flatten();
    let parts = parts.flat_map(|function| function["ranges"].as_array().into_iter().flatten());
    let ends = |part: &Value| (part["startOffset"].as_u64().unwrap_or(0), part["endOffset"].as_u64().unwrap_or(0));
    let holding = parts.filter(|part| ends(part).0 <= at && at < ends(part).1);
    let smallest = holding.min_by_key(|part| ends(part).1 - ends(part).0);
    smallest.is_some_and(|part| part["count"].as_u64().unwrap_or(0) > 0)
}
