//! What a comparison found, as text or as JSON.

use std::io::{Write as _, stdout};

use anyhow::Context as _;
use calendar::Interval;
use serde_json::{Value, json};

use super::differences::Difference;
use crate::source_schedule::People;

/// The most differences that are listed; the rest are counted.
const MOST: usize = 100_000;

/// What was found so far.
pub struct Report {
    product: &'static str,
    range: Interval,
    is_json: bool,
    schedules: usize,
    instants: usize,
    found: usize,
    /// Differences and schedules that were not compared, when they are printed as JSON.
    listed: Vec<Value>,
    not_compared: Vec<Value>,
    skipped: usize,
}

impl Report {
    /// Of nothing so far.
    pub const fn new(product: &'static str, range: Interval, is_json: bool) -> Self {
        Self {
            product,
            range,
            is_json,
            schedules: 0,
            instants: 0,
            found: 0,
            listed: Vec::new(),
            not_compared: Vec::new(),
            skipped: 0,
        }
    }

    /// A schedule that was not compared, and why.
    ///
    /// # Errors
    /// When it cannot be printed.
    pub fn not_compared(&mut self, schedule: &str, reason: &str) -> anyhow::Result<()> {
        self.skipped += 1;
        if self.is_json {
            self.not_compared.push(json!({"schedule": schedule, "reason": reason}));
            return Ok(());
        }
        print(&format!("{schedule}: not compared: {reason}\n"))
    }

    /// A schedule that was compared at so many instants, and where both sides differ.
    ///
    /// # Errors
    /// When it cannot be printed.
    pub fn compared(&mut self, schedule: &str, instants: usize, found: Vec<Difference>) -> anyhow::Result<()> {
        let room = MOST.saturating_sub(self.found);
        self.schedules += 1;
        self.instants += instants;
        self.found += found.len();
        if self.is_json {
            self.listed.extend(found.into_iter().take(room).map(|one| {
                json!({
                    "schedule": schedule, "from": one.time.start().to_string(), "to": one.time.end().to_string(),
                    "source": one.source, "muster": one.muster,
                })
            }));
            return Ok(());
        }
        let mut text = match found.len() {
            0 => format!("{schedule}: the same\n"),
            count => format!("{schedule}: {}\n", counted(count, "difference")),
        };
        for one in found.iter().take(room) {
            let (from, to) = (one.time.start(), one.time.end());
            let (source, muster) = (shown(&one.source), shown(&one.muster));
            text.push_str(&format!("  {from} to {to}: {} {source}; Muster {muster}\n", self.product));
        }
        print(&text)
    }

    /// Prints the end, and answers whether both sides say the same of all schedules.
    ///
    /// # Errors
    /// When it cannot be printed.
    pub fn end(self) -> anyhow::Result<bool> {
        let (from, to) = (self.range.start().to_string(), self.range.end().to_string());
        if self.is_json {
            let answer = json!({
                "from": from, "to": to, "schedules": self.schedules, "instants": self.instants, "found": self.found,
                "differences": self.listed, "notCompared": self.not_compared,
            });
            print(&format!("{answer:#}\n"))?;
        } else {
            let (schedules, instants) = (counted(self.schedules, "schedule"), counted(self.instants, "instant"));
            let found = counted(self.found, "difference");
            let skipped = match self.skipped {
                0 => String::new(),
                count => format!(", {count} not compared"),
            };
            print(&format!("{schedules}, {instants} from {from} to {to}: {found}{skipped}.\n"))?;
        }
        Ok(self.found == 0 && self.skipped == 0)
    }
}

fn shown(people: &People) -> String {
    if people.is_empty() { "nobody".to_owned() } else { people.iter().cloned().collect::<Vec<_>>().join(", ") }
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn print(text: &str) -> anyhow::Result<()> {
    let text: String = text.chars().filter(|letter| *letter == '\n' || !letter.is_control()).collect();
    stdout().lock().write_all(text.as_bytes()).context("the comparison cannot be printed")
}
