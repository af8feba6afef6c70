//! What is printed in the end.

use std::fmt::Write as _;

use crate::earlier::Earlier;

/// One measurement.
pub struct Line {
    /// What was measured.
    pub name: String,
    /// The figure of the server.
    pub ours: String,
    /// What it is compared with.
    pub theirs: String,
    /// The one number that the target is about.
    pub result: String,
    /// The target.
    pub target: String,
    /// Whether it is met; `None` when nothing was measured, or it is measured for its own sake.
    pub met: Option<bool>,
}

impl Line {
    /// A measurement that was not possible here, and why.
    pub fn skipped(name: &str, reason: &str) -> Self {
        let reason = reason.to_owned();
        let [ours, result, target] = [String::new(), String::new(), String::new()];
        Self { name: name.to_owned(), ours, theirs: reason, result, target, met: None }
    }
}

/// All lines, in columns, beside the results of an earlier run.
pub fn render(lines: &[Line], earlier: &Earlier) -> String {
    let heads = ["measurement", "muster", "compared with", "result", "target", "", "earlier"].map(str::to_owned);
    let rows = lines.iter().map(|line| {
        let met = match line.met {
            Some(true) => "met",
            Some(false) => "NOT MET",
            None if !line.result.is_empty() => "",
            None => "not measured",
        };
        let Line { name, ours, theirs, result, target, .. } = line;
        let before = earlier.beside(line);
        [name.clone(), ours.clone(), theirs.clone(), result.clone(), target.clone(), met.to_owned(), before]
    });
    columns(&std::iter::once(heads).chain(rows).collect::<Vec<_>>())
}

/// Rows in columns as wide as they need to be.
pub fn columns<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..N).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            // Writing to a String cannot fail.
            let _ = write!(line, "{cell:width$}  ");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// A whole number with commas.
pub fn thousands(number: f64) -> String {
    let digits = format!("{:.0}", number.abs());
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
