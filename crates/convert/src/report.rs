//! What became of each object of a source, for people to read.

use std::collections::BTreeMap;

/// What became of an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Outcome {
    /// It is not converted, since it would mean something else.
    Refused,
    /// It is converted, and something of it is lost.
    Partial,
    /// It is converted.
    Converted,
    /// It is not converted, since Muster has nothing of its kind or needs none.
    Omitted,
}

impl Outcome {
    const ALL: [Self; 4] = [Self::Refused, Self::Partial, Self::Converted, Self::Omitted];

    fn heading(self) -> &'static str {
        match self {
            Self::Refused => "Refused",
            Self::Partial => "Converted with losses",
            Self::Converted => "Converted",
            Self::Omitted => "Left out",
        }
    }
}

/// An object of the source, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its kind and name in the source: `schedule "Network"`.
    pub object: String,
    /// What became of it.
    pub outcome: Outcome,
    /// The objects that it became: `Roster "Network"`.
    pub becomes: Vec<String>,
    /// What was lost and why, why it was refused, and what somebody has to do.
    pub notes: Vec<String>,
}

/// A report.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The entries, in the order of the source.
    pub entries: Vec<Entry>,
}

impl Report {
    /// Adds an entry.
    pub fn add(&mut self, object: String, outcome: Outcome, becomes: Vec<String>, notes: Vec<String>) {
        self.entries.push(Entry { object, outcome, becomes, notes });
    }

    /// Adds an object that is converted; with notes of what is lost, in part.
    pub fn converted(&mut self, object: String, becomes: Vec<String>, lost: Vec<String>) {
        let outcome = if lost.is_empty() { Outcome::Converted } else { Outcome::Partial };
        self.add(object, outcome, becomes, lost);
    }

    /// Adds an object that is refused.
    pub fn refused(&mut self, object: String, reason: impl Into<String>) {
        self.add(object, Outcome::Refused, Vec::new(), vec![reason.into()]);
    }

    /// Adds an object that is left out.
    pub fn omitted(&mut self, object: String, reason: impl Into<String>) {
        self.add(object, Outcome::Omitted, Vec::new(), vec![reason.into()]);
    }

    /// How many objects had an outcome.
    pub fn count(&self, outcome: Outcome) -> usize {
        self.entries.iter().filter(|entry| entry.outcome == outcome).count()
    }

    /// One line for the terminal.
    pub fn summary(&self) -> String {
        let counts: Vec<String> = [Outcome::Converted, Outcome::Partial, Outcome::Refused, Outcome::Omitted]
            .map(|outcome| format!("{} {}", self.count(outcome), outcome.heading().to_lowercase()))
            .to_vec();
        format!("{} objects: {}", self.entries.len(), counts.join(", "))
    }

    /// The report as Markdown.
    pub fn markdown(&self, product: &str, assumptions: &[&str]) -> String {
        let mut out = format!("# From {product} to Muster\n\n{}.\n", self.summary());
        if !assumptions.is_empty() {
            out.push_str("\nHow the source is read where its reference leaves room:\n\n");
            for assumption in assumptions {
                out.push_str(&format!("- {assumption}\n"));
            }
        }
        for outcome in Outcome::ALL {
            let mut entries: Vec<&Entry> = self.entries.iter().filter(|entry| entry.outcome == outcome).collect();
            if entries.is_empty() {
                continue;
            }
            out.push_str(&format!("\n## {} ({})\n\n", outcome.heading(), entries.len()));
            entries.sort_by(|one, other| kind(&one.object).cmp(kind(&other.object)));
            out.push_str("| In the source | In Muster | Notes |\n|---|---|---|\n");
            for entry in entries {
                let becomes = shortened(&entry.becomes);
                let notes = entry.notes.join("<br>");
                out.push_str(&format!("| {} | {} | {} |\n", cell(&entry.object), cell(&becomes), cell(&notes)));
            }
        }
        out
    }
}

/// The kind of an object as an entry names it.
fn kind(object: &str) -> &str {
    object.split(" \"").next().unwrap_or_default()
}

/// Objects, of which several of one kind are counted.
fn shortened(becomes: &[String]) -> String {
    let mut kinds: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
    for one in becomes {
        kinds.entry(kind(one)).or_default().push(one);
    }
    let shown = kinds.into_iter().map(|(kind, all)| match all.as_slice() {
        [one] => (*one).clone(),
        many => format!("{} of {kind}", many.len()),
    });
    shown.collect::<Vec<_>>().join(", ")
}

/// A text as the cell of a table: it neither ends the cell nor is markup.
fn cell(text: &str) -> String {
    let mut out = String::new();
    for part in text.split("<br>") {
        if !out.is_empty() {
            out.push_str("<br>");
        }
        for letter in part.chars() {
            match letter {
                '|' | '\\' | '<' | '*' | '_' | '[' | '`' => {
                    out.push('\\');
                    out.push(letter);
                }
                letter if letter.is_control() => out.push(' '),
                letter => out.push(letter),
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_says_what_became_of_each_object() {
        let mut report = Report::default();
        report.converted("user \"ann\"".to_owned(), vec!["User \"ann\"".to_owned()], Vec::new());
        report.converted(
            "team \"a|b\"".to_owned(),
            vec!["UserGroup \"a\"".to_owned()],
            vec!["a role is lost".to_owned(), "another".to_owned()],
        );
        report.refused("schedule \"x\"".to_owned(), "it cannot be");
        report.omitted("policy \"y\"".to_owned(), "there is nothing of its kind");
        let text = report.markdown("Opsgenie", &["Days are local."]);
        assert!(text.starts_with(
            "# From Opsgenie to Muster\n\n4 objects: 1 converted, 1 converted with losses, 1 refused, 1 left out.\n"
        ));
        assert!(text.contains("| team \"a\\|b\" | UserGroup \"a\" | a role is lost<br>another |\n"), "{text}");
        assert!(text.find("## Refused (1)").unwrap() < text.find("## Converted (1)").unwrap(), "{text}");
        assert!(text.contains("- Days are local.\n"));
    }
}
