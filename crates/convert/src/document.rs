//! The files of desired state ("Files" of `docs/configuration.md`).

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use anyhow::{Context as _, bail};
use serde_json::{Map, Value, json};

use crate::yaml;

/// An object of a tenant as files describe it.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// Its kind, such as `Roster`.
    pub kind: &'static str,
    /// What its file is called after.
    pub name: String,
    /// `kind`, then the fields of the body.
    pub fields: Map<String, Value>,
}

impl Document {
    /// An object of a kind with the fields of a JSON object; those that are `null` are left out.
    pub fn new(kind: &'static str, name: &str, body: Value) -> Self {
        let mut fields = Map::new();
        fields.insert("kind".to_owned(), json!(kind));
        if let Value::Object(body) = body {
            fields.extend(body.into_iter().filter(|(_, value)| !value.is_null()));
        }
        Self { kind, name: name.to_owned(), fields }
    }
}

/// The folder of a kind.
fn folder(kind: &str) -> String {
    let mut letters = kind.chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase()).unwrap_or_default();
    let rest = letters.as_str();
    match rest.strip_suffix("icy") {
        Some(stem) => format!("{first}{stem}icies"),
        None if rest.ends_with("ss") => format!("{first}{rest}es"),
        None => format!("{first}{rest}s"),
    }
}

/// The name of a file for a name: letters, digits, dots and dashes, in small letters.
fn stem(name: &str) -> String {
    let mut stem = String::new();
    for letter in name.to_lowercase().chars().take(80) {
        let kept = letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '@');
        match kept {
            true => stem.push(letter),
            false if !stem.ends_with('-') => stem.push('-'),
            false => {}
        }
    }
    let stem = stem.trim_matches(['-', '.']).to_owned();
    if stem.is_empty() { "unnamed".to_owned() } else { stem }
}

/// The path of each file and its text: one file for each name of a kind, in the order of paths.
pub fn files(documents: &[Document]) -> BTreeMap<String, String> {
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut paths: BTreeMap<(&str, &str), String> = BTreeMap::new();
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    for document in documents {
        let path = paths.entry((document.kind, document.name.as_str())).or_insert_with(|| {
            let start = format!("{}/{}", folder(document.kind), stem(&document.name));
            let numbered = (2_usize..).map(|number| format!("{start}-{number}.yaml"));
            let free = std::iter::once(format!("{start}.yaml")).chain(numbered).find(|path| taken.insert(path.clone()));
            free.unwrap_or_default()
        });
        let text = files.entry(path.clone()).or_default();
        if !text.is_empty() {
            text.push_str("---\n");
        }
        text.push_str(&yaml::document(&document.fields));
    }
    files
}

/// Makes a folder for the files; it has to be new or empty, so that nothing of an earlier conversion stays behind.
///
/// # Errors
/// When it cannot be made, or there is something in it.
pub fn prepare(folder: &Path) -> anyhow::Result<()> {
    let shown = folder.display();
    fs::create_dir_all(folder).with_context(|| format!("{shown} cannot be made"))?;
    let first = fs::read_dir(folder).with_context(|| format!("{shown} cannot be read"))?.next();
    if first.is_some() {
        bail!("{shown} is not empty; take a new folder, so that nothing of an earlier conversion stays in it");
    }
    Ok(())
}

/// Writes files below a folder.
///
/// # Errors
/// When a file cannot be written.
pub fn write(folder: &Path, files: &BTreeMap<String, String>) -> anyhow::Result<()> {
    for (path, text) in files {
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).with_context(|| format!("{} cannot be made", parent.display()))?;
        }
        fs::write(&path, text).with_context(|| format!("{} cannot be written", path.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_of_a_kind_has_a_file() {
        let document = |kind, name: &str| Document::new(kind, name, json!({"name": name, "none": null}));
        let documents = [
            document("EscalationPolicy", "Web / team"),
            document("EscalationPolicy", "web-team"),
            document("Roster", "../Ä"),
            document("Roster", "../Ä"),
        ];
        let files = files(&documents);
        let paths: Vec<&str> = files.keys().map(String::as_str).collect();
        assert_eq!(
            paths,
            ["escalationPolicies/web-team-2.yaml", "escalationPolicies/web-team.yaml", "rosters/unnamed.yaml"]
        );
        assert_eq!(files["escalationPolicies/web-team.yaml"], "kind: EscalationPolicy\nname: Web / team\n");
        assert_eq!(files["rosters/unnamed.yaml"].matches("---\n").count(), 1);
        assert_eq!(
            ["InboundAddress", "AlertRoute", "Roster", "EscalationPolicy"].map(folder),
            ["inboundAddresses", "alertRoutes", "rosters", "escalationPolicies"]
        );
    }
}
