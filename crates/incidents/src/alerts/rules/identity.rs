//! The identity of problems: the sender and its key, or the sender, the machine, the component and the metric.

use std::borrow::Cow;

use base::{fold, hex};
use ports::ResourceSummary;
use sha2::{Digest as _, Sha256};

use crate::alerts::report::{LONGEST_NAME, LegacyIdentity, Report, cut};

/// The names of the problem that a report of a sender is about, the best first: by its key, or by the resource that was
/// found and by the resource as it was named, for an alert from before the inventory knew it. Behind them stand the
/// names that it had when senders were not told apart and letter case was not.
pub fn problems(report: &Report, sender: &str, resource: Option<&ResourceSummary>) -> Vec<String> {
    let mut names = match &report.key {
        Some(key) => vec![problem_of_key(sender, key)],
        None => {
            let known = resource.map(|resource| problem_of(report, sender, &resource.id));
            known.into_iter().chain([problem(report, sender, "named", &machine(report))]).collect()
        }
    };
    names.extend(legacy_problems(report, sender, resource));
    names
}

/// The name of the problem that a sender identifies by a key.
fn problem_of_key(sender: &str, key: &str) -> String {
    name(&["key", sender, key])
}

/// The names under which an alert may be open that a sender identifies by a key.
pub fn problems_of_key(sender: &str, key: &str) -> [String; 2] {
    [problem_of_key(sender, key), legacy_problem_of_key(sender, key)]
}

fn legacy_problem_of_key(sender: &str, key: &str) -> String {
    name(&["sender", &format!("{sender}\n{}", cut(key, LONGEST_NAME))])
}

/// The name of the problem that a report would be about if its resource were the one with this id.
pub fn problem_of(report: &Report, sender: &str, resource: &str) -> String {
    problem(report, sender, "resource", resource)
}

/// The legacy name of the same problem.
pub fn legacy_problem_of(report: &Report, resource: &str) -> String {
    legacy_problem(report, "resource", resource)
}

fn legacy_problems(report: &Report, sender: &str, resource: Option<&ResourceSummary>) -> Vec<String> {
    match (&report.former, &report.key) {
        (LegacyIdentity::Text(text), _) => vec![name(&["sender", &format!("{sender}\n{text}")])],
        (LegacyIdentity::KeyAlone, Some(key)) => vec![name(&["sender", key])],
        (LegacyIdentity::Key, Some(key)) => vec![legacy_problem_of_key(sender, key)],
        (_, None) if sender.is_empty() => {
            let known = resource.map(|resource| legacy_problem_of(report, &resource.id));
            known.into_iter().chain([legacy_problem(report, "named", &machine(report))]).collect()
        }
        _ => Vec::new(),
    }
}

/// The machine as a report names it, whatever the letter case, and without a dot at the end.
fn machine(report: &Report) -> String {
    fold(report.device.first_name().trim_end_matches('.'))
}

/// The metric, or else the subject, with its kind.
fn measured(report: &Report) -> (&'static str, &str) {
    if report.metric.is_empty() { ("subject", &report.subject) } else { ("metric", &report.metric) }
}

fn problem(report: &Report, sender: &str, how: &str, which: &str) -> String {
    let (kind, text) = measured(report);
    name(&["machine", sender, how, which, kind, text, &report.component])
}

fn legacy_problem(report: &Report, how: &str, which: &str) -> String {
    let (kind, text) = measured(report);
    name(&[how, which, kind, &fold(text), &fold(&report.component)])
}

/// The sender's id of an instance as it is stored: as it is, or its hash where it is long.
pub fn instance(event: &str) -> Cow<'_, str> {
    if cut(event, LONGEST_NAME).len() == event.len() { event.into() } else { hex(&Sha256::digest(event)).into() }
}

fn name(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hex(&hash.finalize()[..16])
}
