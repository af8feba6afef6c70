//! The results as data, and the ratios among them beside those of an earlier run. Other figures are not compared: they
//! say as much about the machine of that run as about the program.

use std::{collections::BTreeMap, fs, io::ErrorKind, path::Path};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::table::Line;

/// How much worse a result may be before it is said.
const NOISE: f64 = 0.10;

/// The ratios of an earlier run, by what was measured.
#[derive(Default)]
pub struct Earlier(BTreeMap<String, f64>);

impl Earlier {
    /// Those in a file; none when it is not there.
    pub fn read(file: &Path) -> Result<Self> {
        let text = match fs::read(file) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            text => text.with_context(|| file.display().to_string())?,
        };
        let lines: Vec<Value> = serde_json::from_slice(&text).with_context(|| file.display().to_string())?;
        let number = |line: &Value| Some((line["name"].as_str()?.to_owned(), line["number"].as_f64()?));
        Ok(Self(lines.iter().filter_map(number).collect()))
    }

    /// These and newer ones, which win.
    pub fn replaced(mut self, lines: &[Line]) -> Self {
        self.0.extend(lines.iter().filter_map(|line| Some((name(line), ratio(&line.result)?))));
        self
    }

    /// Writes them, in their order.
    pub fn write(&self, file: &Path) -> Result<()> {
        let lines: Vec<String> =
            self.0.iter().map(|(name, number)| json!({"name": name, "number": number}).to_string()).collect();
        fs::write(file, format!("[\n{}\n]\n", lines.join(",\n"))).with_context(|| file.display().to_string())
    }

    /// What an earlier run says of a line: the ratio then, and how much worse this one is.
    pub fn beside(&self, line: &Line) -> String {
        let Some((then, now)) = self.0.get(&name(line)).copied().zip(ratio(&line.result)) else {
            return String::new();
        };
        let worse = if line.target.starts_with('≥') { then / now } else { now / then } - 1.0;
        let shown = format!("{then}");
        if worse.is_finite() && worse > NOISE { format!("{shown}, {:.0} % WORSE", worse * 100.0) } else { shown }
    }
}

/// Writes all that is known of these lines.
pub fn write(file: &Path, lines: &[Line]) -> Result<()> {
    let all: Vec<Value> = lines
        .iter()
        .map(|line| {
            let Line { ours, theirs, result, target, met, .. } = line;
            json!({
                "name": name(line), "number": number(result), "result": result, "muster": ours, "comparedWith": theirs,
                "target": target, "met": met,
            })
        })
        .collect();
    fs::write(file, serde_json::to_string_pretty(&all)?).with_context(|| file.display().to_string())
}

/// What was measured, without what stands in parentheses: sizes of answers, which change with what is in them.
fn name(line: &Line) -> String {
    let mut name = String::new();
    let mut depth = 0_usize;
    for letter in line.name.chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            letter if depth == 0 => name.push(letter),
            _ => {}
        }
    }
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The number of a result that is a ratio; one with a unit is none.
fn ratio(result: &str) -> Option<f64> {
    let rest = result.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    (rest.is_empty() || rest.starts_with(" times") || rest.starts_with(" worst")).then(|| number(result)).flatten()
}

/// The first number of a text.
fn number(text: &str) -> Option<f64> {
    let start = text.find(|letter: char| letter.is_ascii_digit() || letter == '-')?;
    let rest = text.get(start..)?;
    let end = rest.find(|letter: char| !(letter.is_ascii_digit() || "-.,".contains(letter))).unwrap_or(rest.len());
    rest.get(..end)?.replace(',', "").trim_end_matches('.').parse().ok()
}
